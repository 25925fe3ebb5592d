"""Simulated wrong labels, compared with labels that are changed by hand."""

import math

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import parse_measure
from scipy import stats

from pt_fairness import FairnessWarning, groups
from pt_fairness.analysis import label_noise

pytestmark = pytest.mark.filterwarnings("ignore:topics for which a measure is undefined")
DOCS = [f"d{i}" for i in range(20)]
#: All judged documents are PRO, and one other document is CON.
STANCES = groups.from_frame(
    pd.DataFrame({"docno": [*DOCS, "other"], "group": ["PRO"] * 20 + ["CON"]}))


def test_all_of_two_labels_wrong(experiment):
    *_, qrels, runs = experiment
    swapped = qrels.assign(iteration=qrels["iteration"].map({"PRO": "CON", "CON": "PRO"}))
    texts = ["rND(protected='PRO')@5", "BiasP@5", "nDJS", "DistKL(target={'PRO':1.0})@3"]
    measures = list(map(parse_measure, texts))
    result = label_noise(runs, qrels, measures, None, [1.0], draws=2).set_index("measure")
    names = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
    ranked = [run.rename(columns=names) for run in runs.values()]
    true, wrong = (
        [ir_measures.calc_aggregate(measures, table.rename(columns=names), run) for run in ranked]
        for table in (qrels, swapped))
    for measure in measures:
        before, after = ([table[measure] for table in tables] for tables in (true, wrong))
        row = result.loc[str(measure)]
        change = np.mean(after) - np.mean(before)
        assert (row["bias"], row["sd"]) == pytest.approx((change, 0), abs=1e-12)
        tau = stats.kendalltau(np.round(before, 12), np.round(after, 12)).statistic
        assert row["tau"] == pytest.approx(tau, nan_ok=True)


@pytest.mark.filterwarnings("error::RuntimeWarning")  # of scipy, for τ of one system
def test_the_share_is_exact():
    qrels = pd.DataFrame({"qid": "1", "docno": DOCS, "label": 1})
    runs = {"A": qrels.assign(score=range(20))}
    result = label_noise(runs, qrels, "BiasP@20", STANCES, [0.0, 0.25, 0.5], draws=10)
    # None, 5 and 10 of 20 documents have the other label.
    assert result["bias"].to_numpy() == pytest.approx([0, -0.5, -1.0])
    assert result["tau"].isna().all()
    assert result["sd"].to_numpy() == pytest.approx(0, abs=1e-12)


def test_unjudged_documents_have_the_same_wrong_label_in_all_systems():
    docs = DOCS[:10]
    qrels = pd.DataFrame({"qid": "1", "docno": docs[:2], "label": 1})
    source = groups.from_mapping({docno: "ab"[i % 2] for i, docno in enumerate(docs)})
    run = pd.DataFrame({"qid": "1", "docno": docs, "score": range(10)})
    # The share of group a in all ten documents does not depend on their order.
    result = label_noise({"A": run, "B": run.assign(score=range(10, 0, -1))}, qrels,
                         "RepBias(group='a',target='uniform')@10", source, 0.3, draws=5)
    assert result["sd"][0] > 0
    assert math.isnan(result["tau"][0])  # both systems have the same value in every draw


def test_tau_is_the_mean_of_draws_in_which_systems_differ():
    qrels = pd.DataFrame({"qid": "1", "docno": ["a1", "a2", "b1", "b2"], "label": 1,
                          "iteration": [*"aabb"]})  # fmt: skip
    runs = {"A": qrels.assign(score=[4, 3, 2, 1]), "B": qrels.assign(score=[1, 2, 4, 3])}
    runs = {name: run[["qid", "docno", "score"]] for name, run in runs.items()}
    result = label_noise(runs, qrels, "BiasP(pro='a',con='b')@1", None, 0.25, draws=20)
    # One wrong label makes the systems equal, or leaves their order as it is.
    assert result["tau"][0] == 1


def test_rows_do_not_depend_on_other_measures_or_on_order():
    rng = np.random.default_rng(5)
    docs = [f"d{i}" for i in range(30)]
    source = groups.from_mapping({docno: rng.choice(["a", "b", "c"]) for docno in docs})
    ranked = pd.DataFrame([(str(q), d) for q in range(4) for d in docs], columns=["qid", "docno"])
    qrels = ranked.assign(label=1).groupby("qid").sample(10, random_state=0)
    runs = {name: ranked.assign(score=rng.random(len(ranked))) for name in "ABC"}
    measures = ["rKL(protected='a')@3", "nDJS", "RepBias(group='a',target='run')@10"]
    shuffled = {name: runs[name].sample(frac=1, random_state=0) for name in "CBA"}
    together = label_noise(runs, qrels, measures, source, [0.1, 0.3], draws=4)
    judged = qrels.sample(frac=1, random_state=0)
    for measure in measures:
        alone = label_noise(shuffled, judged, measure, source, 0.3, draws=4)
        row = together[(together["measure"] == alone["measure"][0]) & (together["eps"] == 0.3)]
        pd.testing.assert_frame_equal(alone, row.reset_index(drop=True))


@pytest.mark.filterwarnings("default:topics for which")
def test_seeds_and_undefined_topics(experiment, capsys):
    *_, qrels, runs = experiment
    tables = []
    for seed in (3, 3, 4):
        with pytest.warns(FairnessWarning, match="1 of 8 .*rKL@5") as caught:
            tables.append(label_noise(runs, qrels, ["rKL@5", "BiasP@5"], None, 0.2, 5, seed))
        assert len(caught) == 1
    one, two, other = tables
    pd.testing.assert_frame_equal(one, two)
    assert one["bias"][0] != other["bias"][0]
    assert "label noise" in capsys.readouterr().err


@pytest.mark.parametrize("options, error", [
    ({"measures": "nDCG@5"}, r"label_noise.*nDCG@5"),
    ({"runs": pd.DataFrame({"qid": ["1"], "document": ["a"], "score": [1.0]})}, "'run 0'.*docno"),
    ({"eps": 1.5}, r"eps.*1\.5"),
    ({"eps": [0.1, math.nan]}, "eps.*nan"),
    ({"draws": 1}, "draws.*1"),
    ({"groups": groups.from_mapping(dict.fromkeys(DOCS, "PRO"))}, "two labels.*PRO"),
])  # fmt: skip
def test_wrong_input(experiment, options, error):
    *_, qrels, runs = experiment
    arguments = {"runs": runs, "measures": "rKL@5", "eps": 0.1, "draws": 2, "groups": None}
    with pytest.raises(ValueError, match=error):
        label_noise(qrels=qrels, **{**arguments, **options})
