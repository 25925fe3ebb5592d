"""``pt-fairness report``."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from one_test import each

from pt_fairness import report

MEASURES = ["nDCG@2", "AWRF@2"]


@pytest.fixture
def page(folder_of, command):
    """``page(option…, runs=…)``: exit code, messages and the page of two runs."""
    pytest.importorskip("jinja2")
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
    options = ["--label", "AWRF@2=Fairness", "--title", "Mine", "--depth", "5", "--baseline", "run"]
    assert page(*options, "-o", "page.html.gz")[0] == 0
    text = gzip.decompress(Path("page.html.gz").read_bytes()).decode()
    expected = report(["run", "other"], "qrels", MEASURES, baseline="run",
                      labels={"AWRF@2": "Fairness"}, title="Mine", depth=5, progress=False)
    assert text == expected.html and "Fairness" in text and "<title>Mine</title>" in text


def test_topics_and_groups_from_files(page):
    code, _, text = page("--topics", "topics", "--groups", "groups.csv")
    assert code == 0 and "cats &amp; dogs</" in text
    assert "the groups of groups.csv are museum, newspaper" in text


def test_a_broken_run_gives_exit_code_1_and_is_no_baseline(page):
    code, err, text = page("--baseline", "broken", runs=("broken", "run", "other"))
    assert code == 1 and "1 of 3 runs could not be evaluated" in err
    assert "Not evaluated because of errors: broken." in text
    assert "the baseline is" not in text and "t-test" not in text and "holm1979" not in text


@each("options, message", [
    (["--depth", "0"], "depth=0 is not possible"), (["-o", "html"], "--output takes a file"),
    (["--groups", "no-such"], "no-such"), (["--topics", "no/file"], "no/file"),
    (["--baseline", "no-such"], "the baseline 'no-such' is none of the runs")])
def test_errors(page, options, message):
    code, err, _ = page(*options)
    assert code == 2 and message in err
