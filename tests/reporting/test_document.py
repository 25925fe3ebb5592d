"""The arguments of a report, its sections, and what it returns."""

import sys
from html import unescape

import numpy as np
import pandas as pd
import pytest
from reporting.pages import Tags, figures

from pt_fairness import FairnessWarning, analysis, evaluate, groups, report, table
from pt_fairness.analysis.notes import short_p
from pt_fairness.reporting import document, frames

QRELS = pd.DataFrame(
    {"qid": ["1", "1", "2", "2"], "docno": [*"abab"], "label": 1, "iteration": [*"PCPC"]})
RUN = pd.DataFrame({"qid": ["1", "1", "2"], "docno": [*"abb"], "score": [2.0, 1.0, 1.0]})
MEASURES = ["nDCG@2", "AWRF@2"]


@pytest.fixture(scope="module")
def many():
    """Qrels of eight topics, and three runs."""
    rng = np.random.default_rng(1)
    qrels = pd.DataFrame({"qid": np.repeat([*"12345678"], 6), "docno": [*"abcdef"] * 8,
                          "label": [1, 1, 0] * 16, "iteration": [*"PPCCPC"] * 8})
    runs = {name: qrels[["qid", "docno"]].assign(score=rng.random(48)) for name in ("x", "y", "z")}
    return runs, qrels


def sections(page):
    return [attributes["id"] for tag, attributes in Tags(page.html).tags if tag == "section"]


def test_the_result(made, tmp_path):
    page = made.report
    pd.testing.assert_frame_equal(page.table, made.evaluation.averages)
    assert page.facts.undefined == made.evaluation.facts.undefined
    assert page.facts.matched == made.evaluation.facts.matched
    text = unescape(page.html)
    for part in (page.paragraph, page.latex, page.bibtex):
        assert part in text
    page.save(tmp_path / "page.html")
    assert (tmp_path / "page.html").read_bytes() == page.html.encode("utf-8")
    (tag, attributes), *others = Tags(page._repr_html_()).tags
    assert tag == "iframe" and not others and attributes["srcdoc"] == page.html
    assert attributes["sandbox"] == "allow-scripts"
    with pytest.raises(OSError, match="no/such/folder"):
        page.save("no/such/folder/page.html")


def test_notes_copies_and_verdicts_are_those_of_the_table(many):
    runs, qrels = many
    options = {"baseline": "x", "progress": False}
    labels, tolerance = {"AWRF@2": "fair & square"}, {"nDCG@2": 1.0}
    page = report(runs, qrels, MEASURES, confidence=0.9, labels=labels, tolerance=tolerance,
                  **options)
    result = evaluate(runs, qrels, MEASURES, references=True, **options)
    intervals = analysis.intervals(result.perquery, confidence=0.9)
    verdicts = analysis.compare(result.perquery, "x", confidence=0.9, tolerance=tolerance)
    expected = table(result, labels, intervals=intervals, verdicts=verdicts, p_values=True)
    text = unescape(page.html)
    assert expected.notes and all(note in text for note in expected.notes)
    assert all(form in text for form in (expected.latex, expected.csv, expected.md))
    (systems,) = [rows for rows in Tags(page.html).tables if "within" in str(rows)]
    _, _, *rows = systems
    assert [cells[1].rpartition("|")[2] for cells in rows[:2]] == ["within"] * 2
    assert all("within" not in cells[2] for cells in rows)
    with pytest.raises(ValueError, match=r"tolerance .* baseline"):
        report(runs, qrels, MEASURES, tolerance=0.1)


@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
def test_sections_by_options(many):
    runs, qrels = many
    page = report(runs, qrels, MEASURES, baseline=0, progress=False)
    assert sections(page) == ["answer", "shown", "systems", "relevance", "judgments", "topics",
                              "paper"]
    assert set(figures(page)) == {"shares", "plane", "judged", "differences", "values", "strips"}
    bare = report(runs, qrels.drop(columns="iteration"), ["nDCG@2", "P@2"], progress=False)
    assert sections(bare) == ["systems", "relevance", "topics", "paper"]
    assert set(figures(bare)) == {"plane", "values"}


@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
def test_hidden_groups_are_in_the_answer_and_the_paragraph():
    """Women are relevant in ten topics, and shown in none."""
    qrels = pd.DataFrame([(str(topic), f"d{i}", "female" if i < 5 else "male")
                          for topic in range(10) for i in range(10)],
                         columns=["qid", "docno", "iteration"]).assign(label=1)
    run = qrels.groupby("qid").tail(5)[["qid", "docno"]].assign(score=1.0)
    page = report({"hiding": run}, qrels, ["AWRF@5"], progress=False)
    before, _, _ = page.html.partition('id="systems"')
    assert "hiding shows no female" in before and "hiding shows no female" in page.paragraph


@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
def test_sections_that_options_add(many):
    runs, qrels = many
    domains = dict(zip("12345678", "aabbaabb", strict=True))
    source = groups.from_mapping({**{docno: {"P": 0.7, "C": 0.3} for docno in "abc"},
                                  **dict.fromkeys("def", "C")}, name="weights")
    measures = ["AWRF@2", "BiasP(pro='P',con='C')@2"]
    page = report(runs, qrels, measures, groups=source, test_zero=True, topic_groups=domains,
                  uncertain=10, confidence=0.9, progress=False, labels={measures[1]: "bias"})
    assert sections(page)[4:7] == ["zero", "topic-groups", "uncertain"]
    zero, means, gaps, draws = [rows for rows in Tags(page.html).tables if rows[0][1] == "measure"]
    _, perquery = evaluate(runs, qrels, measures, groups=source, progress=False)
    for row, cells in zip(analysis.bias_test(perquery).itertuples(), zero[1:], strict=True):
        assert cells[:4] == [row.name, "bias", str(row.n), frames.decimal(row.mean)]
        assert cells[5:7] == [short_p(row.p), short_p(row.corrected)]
    expected = analysis.intervals(perquery, by=domains, confidence=0.9)
    for row, cells in zip(expected.itertuples(), means[1:], strict=True):
        assert cells[2:7] == [row.group, str(row.n), *map(
            frames.decimal, (row.mean, row.low, row.high))]
    assert [cells[-1] for cells in gaps[1:]] == list(map(
        frames.decimal, analysis.topic_gaps(perquery, domains)["chance"]))
    expected = analysis.uncertain_labels(runs, qrels, measures, source, 10, confidence=0.9)
    assert [cells[3:6] for cells in draws[1:]] == [
        [frames.decimal(row.mean), frames.decimal(row.low), frames.decimal(row.high)]
        for row in expected.itertuples()]


@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
def test_the_plane_names_what_it_draws(many, made):
    with_front = report(*many, MEASURES, progress=False, front=True)
    for page, drawn in ((made.report, {"green", "orders", "baseline", "intervals"}),
                        (with_front, {"green", "orders", "front"})):
        caption = page.html.partition('id="figure-plane"')[2].partition("</figcaption>")[0]
        words = {"green", "orders", "baseline", "intervals", "front"}
        assert {word for word in words if word in caption} == drawn
        assert bool(figures(page)["plane"]["datasets"]["fronts"]) == ("front" in drawn)


def test_topics_restrict_the_qrels_and_have_their_queries(many):
    runs, qrels = many
    topics = pd.DataFrame({"qid": [*"123"], "query": ["one <b>", "two", "three"]})
    with pytest.warns(FairnessWarning, match="3 of the 8 topics"):
        page = report(runs, qrels, MEASURES, topics, progress=False)
    assert page.facts.topics == 3 and "1 one &lt;b&gt;" in page.html
    _, expected = evaluate(runs, qrels[qrels["qid"] <= "3"], MEASURES, progress=False)
    shown = pd.DataFrame(figures(page)["values"]["datasets"]["values"])["value"].str[0]
    part = expected[expected["measure"] == "nDCG@2"]["value"]
    np.testing.assert_allclose(sorted(shown), sorted(part), atol=5.1e-5)


@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
def test_without_qrels():
    stances = pd.Series({"a": "P", "b": "C"})
    page = report({"one": RUN}, None, ["AWRF@2", "Annotated@2"], groups=stances, progress=False)
    assert page.table.set_index("name").at["one", "Annotated@2"] == 1
    assert "judgments" not in sections(page)
    labels = pd.DataFrame(figures(page)["strips"]["datasets"]["documents"])["label"]
    assert {label for row in labels for label in row} == {None}
    with pytest.raises(ValueError, match="qrels"):
        report({"one": RUN}, None, ["rKL@2"], groups=stances, progress=False)


def test_failed_runs(tmp_path):
    (tmp_path / "broken").write_text("1 Q0 a\n")
    runs = {"x": RUN, "bad": tmp_path / "broken"}
    with pytest.warns(FairnessWarning, match="1 of 2 runs"):
        page = report(runs, QRELS, MEASURES, baseline="bad", progress=False)
    assert list(page.facts.failed) == ["bad"] and "bad" in page.html
    assert "differences" not in figures(page)


def test_wrong_depths_and_pipes(pipe):
    for depth in (0, 101, "20"):
        with pytest.raises(ValueError, match=f"depth.*{depth!r}"):
            report({"x": RUN}, QRELS, MEASURES, depth=depth, progress=False)
    with pytest.raises(ValueError, match="pipe"):
        report([pipe("run", "1 Q0 a 1 2 x\n")], QRELS, MEASURES, progress=False)


def test_transformers_are_run_once_and_oracles_are_named(many):
    import pyterrier as pt

    from pt_fairness import rerank
    runs, qrels = many
    calls = []

    def retrieved(topics):
        calls.append(topics)
        return runs["x"]

    source = groups.from_mapping(dict(zip("abcdef", "PPCCPC", strict=True)), name="judged")
    system = pt.apply.generic(retrieved) >> rerank.xquad(source)
    topics = pd.DataFrame({"qid": [*"12345678"], "query": "q"})
    page = report({"oracle": system}, qrels, MEASURES, topics, groups=source, progress=False)
    assert len(calls) == 1 and list(page.facts.oracles) == ["oracle"]


def test_missing_packages(monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(ImportError, match="vl-convert-python"):
        document._script.__wrapped__()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match="Jinja2"):
        report({"x": RUN}, QRELS, MEASURES, progress=False)
