"""Reports of unusual experiments in a real browser: no errors, and what is missing is said."""

from __future__ import annotations

import pandas as pd
import pytest

from pt_fairness import report

QRELS = pd.DataFrame(
    {"qid": ["1", "1", "2", "2"], "docno": list("abab"), "label": 1, "iteration": list("PCPC")}
)
RUN = pd.DataFrame({"qid": ["1", "1", "2"], "docno": list("abb"), "score": [2.0, 1.0, 1.0]})


def html_of(run=RUN, qrels=QRELS, measures=("nDCG@2", "AWRF@2"), **options):
    return report({"x": run}, qrels, measures, progress=False, **options).html


def test_without_groups(show):
    page = show(html_of(qrels=QRELS.drop(columns="iteration"), measures=["nDCG@2"]))
    assert [row[1] for row in page.rows("steps")] == ["a", "b"]
    assert not page.find("#source").is_displayed()
    assert {one.get_attribute("class") for one in page.find_all("#strips .doc")} == {
        "doc relevant none"
    }


def test_a_topic_without_results(show):
    page = show(html_of(RUN[RUN["qid"] == "1"]))
    texts = page("return [...document.getElementById('topic').options].map(o => o.text)")
    page.choose("topic", next(text for text in texts if text.startswith("2 ")))
    assert page.rows("strips")[0][2:] == ["no results"]
    assert page.rows("steps") == []


def test_measures_without_numbers_at_ranks(show):
    page = show(html_of(measures=["Bpref", "AWRF@2"]))
    page.choose("measure", "Bpref")
    assert "no cutoff" in page.find("#steps-note").text
    heads = page("return [...document.querySelectorAll('#steps thead th')].map(h => h.innerText)")
    assert heads == ["rank", "docno", "relevance", "counts"]


def test_several_rankings_of_a_topic(show):
    run = pd.concat([RUN.assign(iteration="1"), RUN.assign(iteration="2", score=-RUN["score"])])
    page = show(html_of(run, measures=["AWRF@2"]))
    assert "several rankings" in page.find("#steps-note").text
    assert "the first one is shown" in page.find("#topics").text


def test_groups_by_choice(show, tmp_path):
    (tmp_path / "other.csv").write_text("docno,group\na,museum\nb,newspaper\n")
    measures = ["AWRF@2", f"AWRF(groups='{tmp_path / 'other.csv'}')@2", "nDCG@2"]
    page = show(html_of(measures=measures))

    def said():
        return page.find("#strips td[data-doc]").get_attribute("aria-label")

    page.choose("measure", "nDCG@2")
    page.choose("source", "other.csv")
    assert "museum" in said() or "newspaper" in said()
    page.choose("source", "the qrels")
    assert ": P;" in said() or ": C;" in said()
    page.choose("measure", measures[1])
    assert "museum" in said() or "newspaper" in said()
    key = [one.text for one in page.find_all("#strips-key li")]
    assert key == ["museum", "newspaper", "no group", "relevant"]


@pytest.mark.parametrize("labels", [12, 70])
def test_many_groups(show, labels):
    docnos = [f"d{i:02}" for i in range(labels)]
    qrels = pd.DataFrame({"qid": "1", "docno": docnos, "label": 1, "iteration": docnos})
    run = qrels[["qid", "docno"]].assign(score=range(labels))
    page = show(html_of(run, qrels, depth=100))
    assert len(page.find_all("#strips td[data-doc]")) == labels
    assert len(page.find_all("#strips-key li")) == min(labels, 13) + 2  # twelve and "other"
    looks = {
        tuple(page("const s = getComputedStyle(arguments[0]);"
                   "return [s.backgroundColor, s.backgroundImage]", one))
        for one in page.find_all("#strips-key .fill")
    }  # fmt: skip
    assert len(looks) == min(labels, 13)


def test_the_frame_of_a_notebook(show, made):
    page = show(f"<!DOCTYPE html><title>cell</title>{made.report._repr_html_()}")
    page.browser.switch_to.frame(page.find("iframe"))
    try:
        assert len(page.rows("systems")) == len(made.runs)
        page.choose("measure", "nDCG@5")
        assert "nDCG@5" in page.find("#steps-caption").text
    finally:
        page.browser.switch_to.default_content()
