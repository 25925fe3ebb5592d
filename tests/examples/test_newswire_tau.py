"""The correlations over newswire runs."""

from __future__ import annotations

import importlib.resources
import textwrap

import pytest

pytestmark = [pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning"), pytest.mark.slow]


class TestNewswireTau:

    def test_the_page_on_analysis_has_what_the_command_prints(self, script, shared):
        folder = shared / "data" / "robust03"
        runs = map(str, sorted((folder / "runs").iterdir()))
        text = script("newswire_tau").module.main([str(folder / "qrels.txt.gz"), *runs])
        page = importlib.resources.files("pt_fairness") / "pt_docs" / "analysis.rst"
        assert textwrap.indent(text, "   ") in page.read_text(encoding="utf-8")
