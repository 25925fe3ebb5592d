"""The correlations over newswire runs."""

import re

import pytest

pytestmark = [pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning"), pytest.mark.slow]


def test_one_correlation_of_ten_is_significant(script, shared):
    folder = shared / "data" / "robust03"
    runs = map(str, sorted((folder / "runs").iterdir()))
    text = script("newswire_tau").module.main([str(folder / "qrels.txt.gz"), *runs])
    assert re.findall(r"^\| (\S+) \| \d \| (\S+)\* \|$", text, re.MULTILINE) == [
        ("rKL(protected='all')@10", "-0.8333")]
    assert len(re.findall(r"^\| \S+@10 ", text, re.MULTILINE)) == 10
