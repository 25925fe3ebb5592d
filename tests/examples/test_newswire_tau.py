"""The correlations over newswire runs."""

from __future__ import annotations

import importlib.resources
import textwrap

import pytest
from scipy import stats

pytestmark = [pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning"), pytest.mark.slow]


class TestNewswireTau:
    def test_paragraph_of_small_runs(self, script, small, tmp_path):
        module = script("newswire_tau").module
        qrels, runs = small
        text = module.main([str(qrels), *map(str, runs)])
        assert text.startswith("Over 5 systems and 12 topics") and text.count("\n| ") == 2 + len(
            module.FAIRNESS)
        words = " ".join(text.split())
        assert "cut to its first 20 documents" in words and "not corrected for 10 tests" in words
        judged = module.annotated_qrels(str(qrels), "trec-newswire")
        found = module.read_runs([str(run) for run in runs])
        twice = tmp_path / "again" / runs[0].name
        twice.parent.mkdir()
        twice.write_bytes(runs[0].read_bytes())
        assert list(module.read_runs([runs[0], twice])) == [str(runs[0]), str(twice)]
        averages, _ = module.experiment(found, judged, [module.RELEVANCE, *module.FAIRNESS])
        tau = stats.kendalltau(
            averages["nDCG@10"], averages["AWRF(groups='trec-newswire')@10"].round(12))[0]
        assert f"| AWRF@10 | 1 | {tau:.4f}" in text

    def test_the_page_on_analysis_has_what_the_command_prints(self, script, shared):
        folder = shared / "data" / "robust03"
        runs = map(str, sorted((folder / "runs").iterdir()))
        text = script("newswire_tau").module.main([str(folder / "qrels.txt.gz"), *runs])
        page = importlib.resources.files("pt_fairness") / "pt_docs" / "analysis.rst"
        assert textwrap.indent(text, "   ") in page.read_text(encoding="utf-8")
