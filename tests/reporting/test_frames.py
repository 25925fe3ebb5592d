"""The frames of the figures hold what the public functions return."""

import numpy as np
import pandas as pd
import pytest
from reporting.pages import RUNS, figures

from pt_fairness import analysis, evaluate, groups, report
from pt_fairness.analysis.inputs import direction, distance, measure_columns
from pt_fairness.analysis.notes import marks
from pt_fairness.provider.measure_lists import parsed
from pt_fairness.reporting.frames import Experiment, first_samples, fronts

pytestmark = pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")


@pytest.fixture(scope="module")
def data(made):
    """The frames of the page by name, and its parameters."""
    content = {}
    for specification in figures(made.report).values():
        content |= specification["datasets"]
        content |= {param["name"]: param["value"] for param in specification["params"]}
    return content


def test_averages_intervals_and_distances(made, data):
    averages = made.evaluation.averages
    rows = pd.DataFrame(data["systems"])
    columns = measure_columns(averages)
    assert rows["name"].tolist() == [*averages["name"], "ideal value"]
    assert rows["kind"].tolist() == ["baseline", *["system"] * 7, *["reference"] * 4, "ideal"]
    numbers = np.array(rows["value"].tolist(), float)
    np.testing.assert_allclose(numbers[:-1], averages[columns], atol=5.1e-5)
    assert rows["value"].iloc[-1] == [None, 0, 1, 0, None]
    far = np.array(rows["far"].tolist(), float)
    for place, column in enumerate(columns):
        expected = distance(averages[column], direction(column))
        np.testing.assert_allclose(far[:-1, place], expected, atol=1e-11)
    ends = analysis.intervals(made.evaluation.perquery, confidence=0.9)
    ends = ends.set_index(["name", "measure"])
    for side in ("low", "high"):
        expected = ends[side].unstack().loc[rows["name"][:8], columns]
        shown = np.array(rows[side][:8].tolist(), float)
        np.testing.assert_allclose(shown, expected, atol=5.1e-5)
    assert rows["low"].iloc[-1] == [None] * 5


def test_values_and_places_of_each_topic(made, data):
    values = made.evaluation.perquery.set_index(["qid", "name", "measure"])["value"]
    rows = pd.DataFrame(data["values"])
    assert rows["key"].tolist() == list(range(6 * 8))
    for topic, part in rows.groupby("topic"):
        for place, column in enumerate(measure_columns(made.evaluation.averages)):
            expected = values[_ids(data)[topic], :, column].reindex(RUNS)
            shown = part["value"].str[place].to_numpy(float)
            np.testing.assert_allclose(shown, expected, atol=5.1e-5)
            far = distance(expected, direction(column)).to_numpy()
            order = part["place"].str[place].to_numpy().argsort()
            sorted_values = far[order][~np.isnan(far[order])]
            assert (np.diff(sorted_values) >= -1e-12).all()


def _ids(data):
    return [text.partition(" what")[0] for text in data["topics"]]


def test_documents(made, data):
    ranked = analysis.ranked_groups(made.runs, made.qrels, made.groups, 8)
    judged = set(made.qrels[["qid", "docno"]].itertuples(index=False, name=None))
    rows = pd.DataFrame(data["documents"])
    labels = [*data["groups"][0], None]
    assert len(rows) == 6 * 8 and set(rows["source"]) == {0}
    for row in rows.itertuples():
        qid = _ids(data)[row.topic]
        assert row.key == row.topic * 8 + row.system
        part = ranked[(ranked["qid"] == qid) & (ranked["name"] == RUNS[row.system])]
        assert row.rank == part["rank"].tolist() and row.docno == part["docno"].tolist()
        assert [labels[group] for group in row.group] == part["group"].astype(object).where(
            part["group"].notna(), None).tolist()
        expected = [label if (qid, docno) in judged else None
                    for docno, label in zip(part["docno"], part["label"], strict=True)]
        assert row.label == expected


def test_relevant_documents_of_each_group(made, data):
    expected = analysis.group_distribution(made.qrels, made.groups).set_index(["qid", "group"])
    rows = pd.DataFrame(data["judged"])
    assert len(rows) == 6 * 3
    for row in rows.itertuples():
        place = _ids(data)[row.topic], data["groups"][row.source][row.group]
        assert row.relevant == pytest.approx(expected.at[place, "relevant"], abs=1e-4)
        assert row.share == pytest.approx(expected.at[place, "share"], abs=1e-4)


def test_shares(made, data):
    expected = analysis.shares(made.runs, made.qrels, made.groups, cutoff=5)
    expected = expected.set_index(["name", "group"])
    rows = pd.DataFrame(data["shares"])
    assert len(rows) == 8 * 3 and set(rows["source"]) == {0}
    for row in rows.to_dict("records"):
        found = expected.loc[RUNS[row["system"]], data["groups"][0][row["group"]]]
        assert {name: row[name] for name in expected} == pytest.approx(dict(found), abs=1e-9)


def test_differences(made, data):
    compared = analysis.compare(made.evaluation.perquery, "BM25", confidence=0.9)
    compared = compared.set_index(["name", "measure"])
    columns = measure_columns(made.evaluation.averages)
    changed = marks(made.evaluation.averages, made.evaluation.facts)
    rows = pd.DataFrame(data["differences"])
    assert len(rows) == 7 * 5 and rows["significant"].any()
    for row in rows.itertuples():
        place = RUNS[row.system], columns[row.measure]
        np.testing.assert_allclose([row.difference, row.low, row.high], compared.loc[
            place, ["difference", "low", "high"]].astype(float), atol=1e-9)
        assert row.significant == (changed.at[row.system, columns[row.measure]] != "")


def test_fronts_of_the_judgments(made):
    measures = ["nDCG@5", "rKL@5", "BiasP(pro='A & B',con='constructor')@5"]
    qrels = made.qrels.rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})
    evaluation = evaluate(made.runs, made.qrels, measures, groups=made.groups, progress=False)
    experiment = Experiment(evaluation, parsed(measures), qrels, made.groups)
    rows = fronts(experiment, qrels, made.groups)
    front = analysis.frontier(made.qrels, *measures[:2], made.groups).front
    part = rows[rows["horizontal"] == 0]
    assert set(part["vertical"]) == {1}
    np.testing.assert_allclose(part[["x", "y"]], front)
    turned = rows[rows["horizontal"] == 1]
    np.testing.assert_allclose(turned[["y", "x"]], front)


def test_several_sources(made, tmp_path):
    (tmp_path / "halves.csv").write_text(
        "docno,group\n" + "".join(f"d{i},{'MF'[i % 2]}\n" for i in range(15)))
    measures = ["AWRF@5", f"AWRF(groups='{tmp_path / 'halves.csv'}')@5"]
    runs = dict(list(made.runs.items())[:2])
    page = report(runs, made.qrels, measures, groups=made.groups, progress=False)
    strips = figures(page)["strips"]
    params = {param["name"]: param["value"] for param in strips["params"]}
    assert params["sources"] == [0, 1] and params["groups"][1] == ["F", "M"]
    rows = pd.DataFrame(strips["datasets"]["documents"])
    assert rows["source"].value_counts().to_dict() == {0: 12, 1: 12}
    assert "halves.csv" in page.html and str(tmp_path) not in page.html


def test_the_first_ranking_of_several():
    qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": 1})
    run = pd.DataFrame({"qid": "1", "docno": ["a", "b", "b", "a"], "score": [2.0, 1.0, 2.0, 1.0],
                        "iteration": [0, 0, 1, 1]})
    ranked = analysis.ranked_groups({"x": run}, qrels, groups.from_mapping({"a": ["P", "C"]}))
    assert first_samples(ranked)["docno"].tolist() == ["a", "a", "b"]


def test_measures_without_values_and_a_single_topic():
    qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": 1, "iteration": ["P", "P"]})
    run = qrels[["qid", "docno"]].assign(score=[2.0, 1.0])
    page = report({"x": run}, qrels, ["nDCG@2", "rKL@2"], confidence=0.9, progress=False)
    system, *_ = figures(page)["plane"]["datasets"]["systems"]
    assert system["value"][1] is None and system["low"][0] is None
