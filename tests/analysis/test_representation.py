"""The representation of groups: the columns of tables 1 to 3 of Lipani et al. (2021)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pt_fairness import RepBias, analysis, evaluate, groups

LABELS = {f"d{i}": "female" if i % 3 else "male" for i in range(12)}
GROUPS = groups.from_mapping(LABELS)
pytestmark = pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")


@pytest.fixture
def data():
    rng = np.random.default_rng(4)
    topics = np.repeat([*"1234"], 12)
    docnos = [f"d{i}" for i in range(12)] * 4
    qrels = pd.DataFrame({"qid": topics, "docno": docnos, "label": rng.integers(0, 2, 48)})
    qrels.loc[qrels["qid"] == "4", "label"] = 0
    runs = {name: qrels[["qid", "docno"]].assign(score=rng.permutation(48)).sample(
        40, random_state=1) for name in "AB"}
    return runs, qrels


@pytest.mark.parametrize(("target", "cutoff"), [
    ("qrels", 5), ("run", 5), ({"female": 0.25, "male": 0.75}, None)])
def test_ratios_by_hand(data, target, cutoff):
    """Half a document goes to the side of the ranking, as equation 4 says."""
    runs, qrels = data
    _, biases = analysis.representation(runs, qrels, target=target, cutoff=cutoff, groups=GROUPS)
    assert biases.columns.tolist() == ["name", "qid", "group", "model", "target", "bias"]
    assert len(biases) == 2 * 4 * 2
    for row in biases.itertuples():
        run = runs[row.name][runs[row.name]["qid"] == row.qid]
        ranked = run.sort_values("score", ascending=False)["docno"].map(LABELS)
        relevant = qrels[(qrels["qid"] == row.qid) & (qrels["label"] > 0)]["docno"].map(LABELS)
        if target == "qrels" and relevant.empty:
            assert np.isnan([row.model, row.target, row.bias]).all()
            continue
        population = {"qrels": relevant, "run": ranked}.get(str(target))
        share = (target[row.group] if population is None else (population == row.group).mean())
        n = cutoff or len(ranked)
        m = (ranked.head(n) == row.group).sum()
        below = np.floor(share * n + 1e-9)
        rest = share * n - below
        up = abs(below + 1 - m) < abs(below - m) if abs(rest - 0.5) < 1e-9 else rest > 0.5
        assert row.model == pytest.approx(m / n)
        assert row.target == pytest.approx((below + up) / n)
        assert row.bias == pytest.approx(row.model - row.target)


def test_the_bias_and_its_summary_are_those_of_the_measure(data):
    runs, qrels = data
    summary, biases = analysis.representation(runs, qrels, "male", cutoff=3, groups=GROUPS)
    measure = RepBias(group="male") @ 3
    table, values = evaluate(runs, qrels, [measure], groups=GROUPS, progress=False)
    together = biases.merge(values, on=["name", "qid"])
    np.testing.assert_allclose(together["bias"].fillna(0), together["value"], atol=1e-12)
    # Topic 4 has no relevant document. It counts 0 in a mean of evaluate, and is left out here.
    assert summary["n"].tolist() == [3, 3] and summary["group"].tolist() == ["male", "male"]
    np.testing.assert_allclose(summary["MB"] * 3 / 4, table[str(measure)])
    of_a = biases[biases["name"] == "A"]["bias"].dropna()
    row = summary.set_index("name").loc["A"]
    assert row[["MAB", "SB", "min", "max"]].tolist() == pytest.approx(
        [abs(of_a).mean(), of_a.std(), of_a.min(), of_a.max()])


@pytest.mark.parametrize("wrong", [{"cutoff": 0}, {"target": {"female": 0.5, "male": 0.4}}])
def test_parameters_are_those_of_the_measure(data, wrong):
    with pytest.raises(ValueError, match=f"RepBias.{next(iter(wrong))}=.* is not possible"):
        analysis.representation(*data, "female", **wrong)


def test_one_group_alone_and_a_group_that_is_not_there(data):
    runs, qrels = data
    one = groups.from_mapping({f"d{i}": "female" for i in range(12)})
    with pytest.raises(ValueError, match="group='male' names no group"):
        analysis.representation(runs, qrels, "male", groups=one)
    summary, biases = analysis.representation(runs, qrels, "female", groups=one)
    assert summary["MB"].isna().all() and summary["n"].tolist() == [0, 0]
    assert biases[["model", "target", "bias"]].isna().all(axis=None)


def test_several_rankings_of_a_topic():
    qrels = pd.DataFrame({"qid": "1", "docno": [*"abcd"], "label": 1,
                          "iteration": ["F", "M", "M", "M"]})
    run = pd.DataFrame({"qid": "1", "docno": [*"ab", *"bc"], "score": [2, 1, 2, 1],
                        "iteration": ["1", "1", "2", "2"]})
    _, biases = analysis.representation({"A": run}, qrels, "F", cutoff=2)
    # 0.5 documents of two are unbiased: 1 in the first list, 0 in the second.
    assert biases[["model", "target", "bias"]].to_numpy().tolist() == [[0.25, 0.25, 0.0]]
