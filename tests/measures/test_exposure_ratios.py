"""EEL, EED, EER, IAA, ExposureRatio, logDP, logEUR and logRUR."""

import itertools

import ir_measures
import numpy as np
import pandas as pd
import pytest
from measure_cases import of_lists

from pt_fairness import EED, EEL, EER, ExposureRatio, groups

NAMES = ["EEL", "EED", "EER"]
KINDS = dict(zip(NAMES, (EEL, EED, EER), strict=True))


@pytest.mark.parametrize("norm", ["none", "bound"])
@pytest.mark.parametrize("params", [{}, {"model": "rbp", "p": 0.8}, {"model": "log2"}], ids=str)
def test_the_exact_bounds_are_reached(values, params, norm):
    """No ranking of four documents has more than the best; an ideal policy has an EEL of 0."""
    judged = {"a": 2, "b": 1, "c": 1, "d": 0}
    orders = list(itertools.permutations(judged))
    qrels = [ir_measures.Qrel(str(t), docno, relevance, "0") for t in range(len(orders))
             for docno, relevance in judged.items()]
    run = [ir_measures.ScoredDoc(str(t), docno, -i) for t, order in enumerate(orders)
           for i, docno in enumerate(order)]
    measures = [KINDS[name](norm=norm, **params) @ 3 for name in NAMES]
    found = values(measures, qrels, run)
    by_order = {m.NAME: np.array([found[m, str(t)] for t in range(len(orders))]) for m in measures}
    ideal = [t for t, order in enumerate(orders) if order[0] == "a" and order[3] == "d"]
    assert by_order["EER"].argmax() in ideal
    if norm == "bound":
        assert by_order["EER"].max() == pytest.approx(1, abs=1e-12)
        if params.get("model"):  # B is that of a list in which relevance lowers no exposure
            assert by_order["EED"] == pytest.approx(1, abs=1e-12)
    policy = pd.DataFrame([("0", docno, -i, t) for t in ideal for i, docno in enumerate(orders[t])],
                          columns=["query_id", "doc_id", "score", "iteration"])
    perfect = values(measures, [row for row in qrels if row.query_id == "0"], policy)
    assert perfect[measures[0], "0"] == pytest.approx(0, abs=1e-15)
    assert 0 < perfect[measures[1], "0"] < by_order["EED"].max()


def test_without_groups(values, worked_exposure):
    """By document, no groups are needed, and no source is asked for any."""
    qrels, run = worked_exposure()
    plain = values([EEL, EER @ 3], qrels, run)
    assert values([EEL, EER @ 3], qrels.assign(iteration="0"), run) == plain
    assert values([EEL, EER @ 3], qrels.drop(columns="iteration"), run) == plain
    named = EEL(groups=groups.from_mapping({}), target={"Z": 1.0})
    assert values([named], qrels, run)[named, "1"] == plain[EEL, "1"]


def test_exposure_ratio_against_fairranktune(values):
    library = pytest.importorskip("FairRankTune.Metrics")
    labels = [*np.random.default_rng(1).choice([*"ABC"], 25, p=[0.6, 0.3, 0.1]), *"ABC"]
    measure = ExposureRatio(target="run")
    theirs, _ = library.EXP(pd.DataFrame({0: range(28)}), dict(enumerate(labels)), "MinMaxRatio")
    assert values([measure], *of_lists([labels]))[measure, "0"] == pytest.approx(theirs, abs=1e-12)
