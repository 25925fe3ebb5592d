"""What the page on reading a value says."""

import importlib.resources
import warnings

import pandas as pd
import pytest

from pt_fairness import AWRF, EED, FAIR, PreF, analysis, evaluate, reference_rankings, rKL

PAGE = importlib.resources.files("pt_fairness").joinpath("pt_docs/reading.rst").read_text("utf-8")


def value(measure, docnos, qrels):
    scores = [-float(i) for i in range(len(docnos))]
    run = pd.DataFrame({"qid": "1", "docno": docnos, "score": scores})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return evaluate({"one": run}, qrels, measure, progress=False)[0].iloc[0, 1]


def pool(protected, others):
    docnos = [*(f"P{i}" for i in range(protected)), *(f"N{i}" for i in range(others))]
    return pd.DataFrame({"qid": "1", "docno": docnos, "label": 1,
                         "iteration": [docno[0] for docno in docnos]})


def test_the_erasure_of_a_small_minority():
    qrels = pool(2, 8)
    erased = [f"N{i}" for i in range(5)]
    assert f"``rKL@5`` = {value(rKL @ 5, erased, qrels):.3f}" in PAGE
    assert value(rKL(target="uniform") @ 5, erased, qrels) == pytest.approx(1)
    random = reference_rankings(qrels, kinds="random", draws=2000)
    expected = evaluate(random, qrels, rKL @ 5, progress=False)[0].iloc[0, 1]
    assert f"a random order has {expected:.2f}" in PAGE


def test_where_one_needs_all_documents_to_be_protected():
    qrels = pool(5, 5)
    protected, fewer = [f"P{i}" for i in range(5)], ["P0", "P1", "N0", "P2", "P3"]
    assert value(PreF(protected="P") @ 5, protected, qrels) == pytest.approx(1)
    assert value(PreF(protected="P") @ 5, fewer, qrels) < 1
    assert value(FAIR(protected="P") @ 5, fewer, qrels) == 1


def test_no_exposure_has_an_eed_of_zero():
    qrels = pool(1, 1)
    assert value(EED(by="group") @ 1, ["P0"], qrels) > 0


def test_another_row_can_be_fairer_than_the_proportional_one():
    qrels = pool(2, 8)
    table = evaluate(reference_rankings(qrels), qrels, AWRF @ 5, progress=False)[0]
    found = table.set_index("name")["AWRF@5"]
    assert found["proportional"] < found["smallest-group-first"] == pytest.approx(1, abs=0.01)


def test_the_proportional_order_need_not_be_the_fairest():
    qrels = pool(3, 9)
    found = analysis.against_random(reference_rankings(qrels, kinds="proportional"), qrels,
                                    rKL @ 5, draws=1).iloc[0]
    assert found["fairest"] < found["value"] - 0.02


def test_a_small_p_says_unlike_a_random_order_and_not_unfair():
    """Twenty topics in turn: the fairest order, which hardly any random one is as fair as."""
    qrels = pd.concat([pool(4, 4).assign(qid=str(i)) for i in range(20)])
    run = reference_rankings(qrels, kinds="proportional")
    found = analysis.against_random(run, qrels, rKL(protected="P") @ 5, draws=500).iloc[0]
    assert found["p"] < 0.05 and found["value"] < found["random"] and found["fairer"] == 0


def test_which_documents_a_random_value_shuffles():
    """A system that found one group only: no order of its documents is fairer than another."""
    qrels = pool(4, 4)
    run = qrels[["qid", "docno"]].assign(score=[-float(i) for i in range(8)]).head(4)
    own = analysis.against_random({"one": run}, qrels, rKL @ 4, draws=50).iloc[0]
    table, _ = evaluate({"one": run}, qrels, rKL @ 4, references=True, progress=False)
    relevant = table.set_index("name").loc["[random order]"].item()
    assert own["value"] == pytest.approx(own["random"]) and relevant < own["value"] - 0.1
