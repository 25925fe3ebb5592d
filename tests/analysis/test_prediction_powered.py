"""Values corrected by topics that people checked in full, and the documents to check."""

import math

import numpy as np
import pandas as pd
import pytest

from pt_fairness import FairnessWarning, evaluate, groups
from pt_fairness.analysis import documents_to_label, prediction_powered
from pt_fairness.analysis.corrections import estimate

pytestmark = pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
TOPICS = [str(topic) for topic in range(8)]


@pytest.fixture
def data():
    """Two runs over 8 topics of 12 documents, with their true labels, some of no group."""
    rng = np.random.default_rng(2)
    docno = [f"d{i:03d}" for i in range(96)]
    frame = pd.DataFrame({"qid": np.repeat(TOPICS, 12), "docno": docno,
                          "label": rng.integers(0, 2, 96), "score": rng.random(96)})
    runs = {"A": frame.drop(columns="label"),
            "B": frame.drop(columns="label").assign(score=-frame["score"])}
    truth = pd.Series(rng.choice(["F", "M", "-"], 96, p=[0.4, 0.4, 0.2]), docno)
    model = truth.mask(rng.random(96) < 0.5, "M")
    return runs, frame.drop(columns="score"), model, truth


@pytest.mark.parametrize("y, expected", [
    ([0.8, 0.7, 0.4], {"mean": 0.616667, "label low": 0.544956, "label high": 0.688378,
                       "low": 0.163127, "high": 1.070, "by model": 0.75, "by hand": 0.633333}),
    ([0.6, 0.62, 0.55], {"mean": 0.5855, "label low": 0.555820, "label high": 0.615180,
                         "low": 0.502448, "high": 0.668552, "by hand": 0.59}),
])  # fmt: skip
def test_worked_values(y, expected):
    f, checked = np.array([0.9, 0.8, 0.6, 0.7]), np.array([True, True, True, False])
    row = estimate(f, np.array([*y, 0.0]), checked, 0.95)
    assert {name: row[name] for name in expected} == pytest.approx(expected, abs=5e-4)
    assert row["mean"] == pytest.approx(expected["mean"], abs=5e-7)
    assert (row["n"], row["checked"]) == (4, 3)


def test_undefined_topics_and_constant_values():
    checked = np.array([True, True, True, True, False])
    row = estimate(np.array([0.5, 0.5, 0.5, math.nan, 0.5]), np.array([0.2, 0.3, 0.4, 1, 0]),
                   checked, 0.95)
    assert (row["n"], row["checked"]) == (4, 3)
    assert row["mean"] == pytest.approx(0.3)  # b is 0
    two = np.array([True, True, False, False])
    row = estimate(np.full(4, 0.5), np.array([0.2, 0.3, 0.5, 0.5]), two, 0.95)
    assert row["checked"] == 2 and math.isnan(row["mean"]) and row["by hand"] == 0.25


def labelled_topics(data, measures, **options):
    """Human labels of what documents_to_label lists until nothing is missing, and the rounds."""
    runs, qrels, model, truth = data
    known, rounds = None, 0
    while True:
        rows = documents_to_label(runs, qrels, measures, model, human_topics=known, **options)
        if rows.empty:
            return known, rounds
        assert set(rows) == {"qid", "docno", "group"} and (rows["group"] == "").all()
        rows["group"] = truth[rows["docno"]].to_numpy()
        known = pd.concat([known, rows])
        rounds += 1


def values(data, measures, source):
    """The values of `evaluate`: rows by system and measure, a column for each topic."""
    runs, qrels, _, _ = data
    _, perquery = evaluate(runs, qrels, measures, groups=source, undefined="drop", progress=False)
    return perquery.set_index(["name", "measure", "qid"])["value"].unstack()


@pytest.mark.parametrize("measures", [["AWRF@3"], ["AWRF@3", "rKL@3"]])
def test_checked_topics(data, measures):
    runs, qrels, model, truth = data
    human, rounds = labelled_topics(data, measures, topics=6)
    assert human["qid"].nunique() == 6 and rounds > 1 and not human.duplicated().any()
    table = prediction_powered(runs, qrels, measures, model, human)
    both = groups.from_mapping({**model, **truth[human["docno"]]})
    f, y = (values(data, measures, source) for source in (groups.from_mapping(model), both))
    checked = np.isin(TOPICS, human["qid"])
    for row in table.itertuples(index=False):
        pair = [frame.loc[(row.name, row.measure)].reindex(TOPICS).to_numpy() for frame in (f, y)]
        expected = estimate(*pair, checked, 0.95)
        assert row.mean == pytest.approx(np.clip(expected["mean"], 0, 1))
        assert row.high == pytest.approx(min(expected["high"], 1))
        assert row[8] == pytest.approx(min(expected["label high"], 1))
        assert (row.n, row.checked) == (expected["n"], expected["checked"])
    (difference,) = prediction_powered(runs, qrels, measures[:1], model, human,
                                       baseline="A").itertuples(index=False)
    pair = [frame.loc[("B", "AWRF@3")] - frame.loc[("A", "AWRF@3")] for frame in (f, y)]
    expected = estimate(*(value.reindex(TOPICS).to_numpy() for value in pair), checked, 0.95)
    assert difference.name == "B" and expected["low"] < 0
    ends = difference.mean, difference.low
    assert ends == pytest.approx((expected["mean"], expected["low"]))


def test_all_topics_checked_have_no_label_error(data):
    runs, qrels, model, truth = data
    table = prediction_powered(runs, qrels, "AWRF@3", model, truth, TOPICS)
    by_hand = values(data, ["AWRF@3"], groups.from_mapping(truth)).mean(axis=1)
    assert table["mean"].tolist() == pytest.approx(by_hand.tolist())
    assert table["label low"].tolist() == pytest.approx(table["mean"].tolist())


def test_incomplete_topics_and_wrong_input(data):
    runs, qrels, model, _ = data
    human, _ = labelled_topics(data, ["AWRF@3"], topics=["3", "5"])
    for row in range(0, len(human), 3):
        rest = human.drop(index=human.index[row])
        if not rest["docno"].is_unique or len(rest) == len(human):
            continue
        qid = human.iloc[row]["qid"]
        with pytest.raises(ValueError, match=rf"topic '{qid}'.*documents_to_label"):
            prediction_powered(runs, qrels, "AWRF@3", model, rest)
    for measure, labels, says in (("rKL@3", human, "judged"),
                                  ("AWRF@3", human.drop(columns="qid"), "topics")):
        with pytest.raises(ValueError, match=says):
            prediction_powered(runs, qrels, measure, model, labels)
    with pytest.raises(ValueError, match=r"baseline.*'A'"):
        prediction_powered({"A": runs["A"]}, qrels, "AWRF@3", model, human, baseline="A")
    for options in ({}, {"documents": 3, "topics": 3}):
        with pytest.raises(ValueError, match="documents and topics"):
            documents_to_label(runs, qrels, "AWRF@3", model, **options)
    with pytest.warns(FairnessWarning, match="2 topics are checked"):
        table = prediction_powered(runs, qrels, "AWRF@3", model, human)
    assert table[["mean", "low", "high", "label low", "label high"]].isna().all(axis=None)


def test_documents_at_random(data):
    runs, qrels, model, truth = data
    model = model.drop("d000")
    rows = documents_to_label(runs, qrels, "AWRF@3", model, documents=20, texts={"d001": "text"},
                              seed=1)
    assert rows.columns.tolist() == ["docno", "text", "group"] and len(rows) == 20
    assert rows["docno"].is_unique and "d000" not in [*rows["docno"]]
    assert rows["docno"].tolist() != sorted(rows["docno"])
    human = truth[rows["docno"][:15]]
    rest, every = (documents_to_label(runs, qrels, "AWRF@3", model, human, documents=number)
                   for number in (20, 500))
    assert len(rest) == 5 and not set(every["docno"]) & set(human.index)
    unfilled = rows.drop(columns="text").assign(group=["F"] * 3 + [""] * 17)
    assert len(documents_to_label(runs, qrels, "AWRF@3", model, unfilled, documents=20)) == 17
    by_topic = qrels[["qid", "docno"]].assign(group="F")
    rows = documents_to_label(runs, qrels, "AWRF@3", by_topic, documents=500,
                              queries=pd.DataFrame({"qid": TOPICS, "query": TOPICS}))
    assert len(rows) == 96 and (rows["qid"] == rows["query"]).all()
