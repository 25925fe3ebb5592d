"""The best setting of a pipeline under constraints, over real retrieval."""

from __future__ import annotations

import warnings

import pandas as pd
import pytest
from ir_measures import nDCG
from one_test import each

import pt_fairness
from pt_fairness import AWRF, BiasP, FairnessWarning, evaluate, rKL, tune
from pt_fairness.evaluation.tuning import _with_choice

STANCE = "pt-fairness/debates/stance"
LAMBDAS = [0.0, 0.3, 0.6, 0.9]


@pytest.fixture(scope="module")
def bm25(index):
    return index.bm25(threads=1) % 20


@pytest.fixture
def mixed():
    return pt_fairness.rerank.xquad(groups=STANCE, k=5, lam=0.7)


@pytest.fixture
def tuned(bm25, debates, mixed):
    """``tuned(measure, constraint, …)``: tune the weight of the groups on half of the topics."""
    topics = debates.get_topics()[::2]

    def tuned(*arguments, **options):
        return tune(bm25 >> mixed, {mixed: {"lam": LAMBDAS}}, topics, debates, *arguments,
                    **options)
    return tuned


@pytest.fixture(scope="module")
def slow(bm25, debates):
    """The averages of each setting, each a system of its own, with BM25 last."""
    systems = {f"lam={lam}": bm25 >> pt_fairness.rerank.xquad(groups=STANCE, k=5, lam=lam)
               for lam in LAMBDAS}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        return evaluate({**systems, "[baseline]": bm25}, debates.get_topics()[::2], debates,
                        [nDCG @ 5, rKL @ 5, AWRF @ 5, BiasP(pro="PRO", con="CON") @ 5],
                        perquery=False, progress=False).set_index("name")


@each("measure, constraint, with_baseline", [
    (rKL @ 5, None, False), (AWRF @ 5, None, True), (nDCG @ 5, {"rKL@5": ("at most", 0.5)}, False),
    (rKL @ 5, {nDCG @ 5: ("within", 0.02)}, False), (rKL @ 5, {nDCG @ 5: ("within", 0.02)}, True),
    (nDCG @ 5, {AWRF @ 5: ("at least", 0.8), "rKL@5": ("within", 0.1)}, False),
    (BiasP(pro="PRO", con="CON") @ 5, {nDCG @ 5: ("within", 0.2)}, False)])
def test_the_best_setting(tuned, slow, mixed, bm25, measure, constraint, with_baseline):
    table, _ = tuned(measure, constraint, baseline=bm25 if with_baseline else None)
    every = slow if with_baseline else slow[:len(LAMBDAS)]
    assert table["tran_0_lam"].tolist() == LAMBDAS
    measures = [*dict.fromkeys([str(measure), *map(str, constraint or {})])]
    assert table.columns.tolist() == ["tran_0_lam", *measures, "allowed", "chosen"]
    for name in measures:
        assert table[name].tolist() == pytest.approx(slow[name].tolist()[:-1], abs=1e-12)
    signs = {"nDCG@5": -1, "AWRF@5": -1, "rKL@5": 1}
    best = None
    for i, lam in enumerate(LAMBDAS):
        row = every.iloc[i]
        allowed = True
        for name, (kind, limit) in (constraint or {}).items():
            sign = signs[str(name)]
            values = sign * every[str(name)]
            reference = values.iloc[-1] if with_baseline else values.min()
            if kind == "within":
                allowed &= values.iloc[i] <= reference + limit
            elif kind == "at most":
                allowed &= row[str(name)] <= limit
            else:
                allowed &= row[str(name)] >= limit
        assert table["allowed"][i] == allowed
        loss = signs.get(str(measure), 1) * row[str(measure)]
        if str(measure) not in signs:
            loss = abs(loss)
        if allowed and (best is None or loss < best[0] - 1e-9):
            best = loss, lam
    assert table.loc[table["chosen"], "tran_0_lam"].tolist() == [best[1]] == [mixed.lam]


def test_several_parameters_and_a_group_source(bm25, debates, mixed):
    first = pt_fairness.rerank.pm2(groups=STANCE)
    source = pt_fairness.groups.from_irds(STANCE.rpartition("/")[0], "viewpoint")
    topics = debates.get_topics()[:5]
    params = {first: {"lam": [0.1, 0.9]}, mixed: {"lam": [0.2], "k": [3, 4]}}
    table, pipeline = tune(bm25 >> first >> mixed, params, topics, debates, AWRF @ 5,
                           {"α_nDCG@5": ("at least", 0)}, groups=source, batch_size=2)
    assert table["tran_0_lam"].tolist() == [0.1, 0.1, 0.9, 0.9]
    assert table["tran_2_k"].tolist() == [3, 4, 3, 4]
    best = table[table["chosen"]]
    assert (first.lam, mixed.k) == (best["tran_0_lam"].item(), best["tran_2_k"].item())
    averages = evaluate({"tuned": pipeline}, topics, debates, ["AWRF@5", "alpha_nDCG@5"],
                        groups=source, perquery=False, progress=False)
    assert best["AWRF@5"].item() == table["AWRF@5"].max() == averages["AWRF@5"].item()
    assert best["alpha_nDCG@5"].item() == pytest.approx(averages["alpha_nDCG@5"].item())


@each("measure, constraint, message", [
    (rKL @ 5, {"nDCG@5": ("above", 0.1)}, "the bound ('above', 0.1) of nDCG@5"),
    (rKL @ 5, {"nDCG@5": 0.1}, "the bound 0.1 of nDCG@5 is not possible"),
    (rKL @ 5, {"nDCG@5": ("at least", 2)}, "no setting satisfies"),
    ([rKL @ 5, nDCG @ 5], None, "one measure"),
    (rKL(protected="nobody") @ 5, None, "nobody")])
def test_errors_leave_the_pipeline_as_it_was(tuned, mixed, measure, constraint, message):
    with pytest.raises(ValueError) as error:
        tuned(measure, constraint)
    assert message in str(error.value)
    assert mixed.lam == 0.7


def test_wrong_parameters(bm25, debates, mixed):
    for params, message in [({}, "No parameters"),
                            ({mixed: {"lambda": [1]}}, "lambda"), ({mixed: {"lam": [2]}}, "lam")]:
        with pytest.raises(ValueError, match=message):
            tune(bm25 >> mixed, params, debates.get_topics(), debates, rKL @ 5)
    assert mixed.lam == 0.7


def test_an_oracle_is_warned_of_once(bm25, debates):
    guessed = debates.get_qrels()[["docno", "iteration"]].set_axis(["docno", "group"], axis=1)
    guessed = guessed[guessed["group"] != "-"]
    guessed["group"] = guessed["group"].mask(guessed.index % 3 == 0, "PRO")
    for source, number in ((STANCE, 1), (pt_fairness.groups.from_frame(guessed), 0)):
        xquad = pt_fairness.rerank.xquad(groups=source, k=5)
        for measure, expected in ((rKL @ 5, number), (nDCG @ 5, 0)):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", FairnessWarning)
                tune(bm25 >> xquad, {xquad: {"lam": [0.2, 0.8]}}, debates.get_topics()[:3],
                     debates, measure)
            assert len([w for w in caught if "oracle, unless" in str(w.message)]) == expected


def test_a_warning_is_issued_once_for_all_settings(bm25, debates, mixed):
    with pytest.warns(FairnessWarning) as caught:
        tune(bm25 >> mixed, {mixed: {"lam": LAMBDAS}}, debates.get_topics(), debates,
             rKL(rel=9) @ 5)
    of_package = [warning for warning in caught if warning.category is FairnessWarning]
    of_measure = [warning for warning in of_package if "oracle" not in str(warning.message)]
    assert len(of_measure) == 1 and "rKL(rel=9)@5" in str(of_measure[0].message)


def test_a_value_within_rounding_of_its_bound_is_allowed():
    table = pd.DataFrame({"nDCG@5": [0.5, 0.5 + 1e-11]})
    chosen = _with_choice(table, table, {"nDCG@5": ("at most", 0.5 - 1e-12)}, ["nDCG@5"])
    assert chosen["allowed"].tolist() == [True, False]
