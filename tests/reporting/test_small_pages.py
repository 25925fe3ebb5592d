"""Reports of unusual experiments in a real browser: no errors, and what is missing is said."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pt_fairness import groups, report

QRELS = pd.DataFrame(
    {"qid": ["1", "1", "2", "2"], "docno": list("abab"), "label": 1, "iteration": list("PCPC")})
RUN = pd.DataFrame({"qid": ["1", "1", "2"], "docno": list("abb"), "score": [2.0, 1.0, 1.0]})


def html_of(run=RUN, qrels=QRELS, measures=("nDCG@2", "AWRF@2"), **options):
    return report({"x": run}, qrels, measures, progress=False, **options).html


def test_without_groups(show):
    page = show(html_of(qrels=QRELS.drop(columns="iteration"), measures=["nDCG@2"]))
    assert [row[1] for row in page.rows("steps")] == ["a", "b"]
    assert not page.find("#source").is_displayed()
    assert {one.get_attribute("class") for one in page.find_all("#strips .doc")} == {
        "doc relevant none"}


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
    page.choose("measure", "AWRF(groups='other.csv')@2")
    assert "museum" in said() or "newspaper" in said()
    key = [one.text for one in page.find_all("#strips-key li")]
    assert key == ["museum", "newspaper", "no group", "relevant"]


def test_many_groups(show):
    labels = 70
    docnos = [f"d{i:02}" for i in range(labels)]
    qrels = pd.DataFrame({"qid": "1", "docno": docnos, "label": 1, "iteration": docnos})
    run = qrels[["qid", "docno"]].assign(score=range(labels))
    page = show(html_of(run, qrels, depth=100))
    assert len(page.find_all("#strips td[data-doc]")) == labels
    assert len(page.find_all("#strips-key li")) == 15  # twelve, "other", none and relevant
    looks = {tuple(page("const s = getComputedStyle(arguments[0]);"
                        "return [s.backgroundColor, s.backgroundImage]", one))
             for one in page.find_all("#strips-key .fill")}
    assert len(looks) == 13


def test_long_names_and_many_groups(show):
    """A run name of 200 characters, labels of 500, and fourteen groups."""
    labels = ["x" * 500, *(f"group {i:02d}" for i in range(13))]
    docnos = [f"d{i}" for i in range(28)]
    source = groups.from_mapping({docno: labels[i % 14] for i, docno in enumerate(docnos)})
    qrels = pd.DataFrame({"qid": "1", "docno": docnos, "label": 1})
    run = qrels.assign(score=np.arange(28.0))
    html = report({"r" * 200: run, "b": run}, qrels, ["nDCG@5", "AWRF@5"], groups=source,
                  labels={"AWRF@5": "w" * 500}, progress=False).html
    page = show(html)
    for width in (1280, 420):
        with page.on(width):
            assert page("return document.documentElement.scrollWidth") <= width
    for key in page.find_all("#judgments .key, #strips-key"):
        items = key.find_elements("css selector", "li")
        names = [one.text for one in items]
        assert names[:13] == [*(f"group {i:02d}" for i in range(12)), "other"]
        assert items[12].get_attribute("title") == f"group 12, {'x' * 500}"
    bars = [one.get_attribute("title") for one in page.find_all("#judgments .bar i")]
    assert bars == [*(f"group {i:02d}: 2" for i in range(13)), f"{'x' * 500}: 2"]
    said = [one.get_attribute("aria-label") for one in page.find_all("#strips td[data-doc]")]
    assert any("x" * 500 in one for one in said) and any("group 12" in one for one in said)
    others = page.find_all("#strips td[data-doc] .doc.other")
    assert len(others) == 2 * sum("group 12" in one or "xxx" in one for one in said) / 2
