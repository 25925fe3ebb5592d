"""``pt-fairness report``."""

import gzip
from pathlib import Path

import pytest
from one_test import each

from pt_fairness import report

MEASURES = ["nDCG@2", "AWRF@2"]


@pytest.fixture
def page(folder_of, command):
    """``page(option…, runs=…)``: exit code, messages and the page of two runs."""
    folder_of({"qrels": "1 P a 1\n1 C b 1\n2 P a 1\n2 C b 0\n",
               "run": "1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n2 Q0 b 1 1 x\n",
               "other": "1 Q0 b 1 2 x\n1 Q0 a 2 1 x\n2 Q0 a 1 1 x\n",
               "broken": "1 Q0 a\n", "topics": "1 cats & dogs\n2 birds\n",
               "groups.csv": "docno,group\na,museum\nb,newspaper\n"})

    def write(*options, runs=("run", "other")):
        code, out, err = command("report", "qrels", *runs, "-m", *MEASURES, *options)
        return code, err, out
    return write


def test_it_writes_the_page_of_the_function(page):
    options = ["--label", "AWRF@2=Fairness", "--depth", "5", "--baseline", "run",
               "--correction", "none", "--ci", "0.9", "--tolerance", "nDCG@2=0.1", "--front",
               "--topic-groups", "domains", "--topics", "topics", "--groups", "groups.csv"]
    Path("domains").write_text("qid,group\n1,a\n2,b\n")
    assert page(*options, "-o", "page.html.gz")[0] == 0
    text = gzip.decompress(Path("page.html.gz").read_bytes()).decode()
    expected = report(["run", "other"], "qrels", MEASURES, baseline="run", correction=None,
                      labels={"AWRF@2": "Fairness"}, depth=5, confidence=0.9,
                      tolerance={"nDCG@2": 0.1}, front=True, topic_groups={"1": "a", "2": "b"},
                      topics="topics", groups="groups.csv", progress=False)
    assert text == expected.html and "Fairness" in text and "cats &amp; dogs" in text


def test_biases_against_zero_and_uncertain_labels(page):
    Path("weights.csv").write_text("docno,group,weight\na,P,.5\na,C,.5\nb,C,1\n")
    options = ["-m", "BiasP(pro='P',con='C')@2", "--test-zero", "--uncertain", "5"]
    expected = report(["run", "other"], "qrels", options[1], groups="weights.csv", uncertain=5,
                      test_zero=True, progress=False)
    assert page(*options, "--groups", "weights.csv")[2] == expected.html


@each("options, message", [
    (["--depth", "0"], "depth"), (["--groups", "no-such"], "no-such"),
    (["--topics", "no/file"], "no/file"), (["--baseline", "no-such"], "'no-such'"),
    (["--test", "t"], "--test: not allowed without --baseline")])
def test_errors(page, options, message):
    code, err, _ = page(*options)
    assert code == 2 and message in err
