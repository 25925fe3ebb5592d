"""nDD, nDR, nDKL and nDJS."""

from __future__ import annotations

import ir_measures
import numpy as np
import pandas as pd
import pytest
from measure_cases import of_lists

from pt_fairness import groups, nDD, nDJS, nDKL, nDR


def test_two_sides_by_hand(values):
    """A, B, C with A protected. Q = (1/3, 2/3); P is (1, 0), (1/2, 1/2) and Q itself.

    The midpoint with (1, 0) is (2/3, 1/3): JSD = (log2 1.5 + 1/3)/2 = 0.459148. The midpoint with
    (1/2, 1/2) is (5/12, 7/12): JSD = (0.020321 + 0.021121)/2 = 0.020721. The weights are 1,
    0.630930 and 0.5.
    """
    kinds = [nDJS(protected="A"), nDJS(protected="A", norm="none"), nDJS]
    found = values(kinds, *of_lists(["ABC"]))
    one, plain, every = (found[kind, "0"] for kind in kinds)
    assert plain == pytest.approx(0.459148 + 0.630930 * 0.020721, abs=1e-6)
    assert one == pytest.approx(plain / 2.130930, abs=1e-6) == pytest.approx(0.221603, abs=1e-6)
    assert every > one  # all three viewpoints are told apart


# --------------------------------------------------------------------------------------------------
# Draws et al. 2021, section 4: rankings by weighted sampling from 700 documents of seven viewpoints

VIEWPOINTS = ["-3", "-2", "-1", "0", "1", "2", "3"]
SETS = {"S1": [100] * 7, "S2": [80] * 3 + [115] * 4, "S3": [60] * 3 + [130] * 4}
#: The paper draws 1000 rankings for each point; the mean of 200 lies within 0.01 of theirs.
RANKINGS = 200


def _rankings(
    sizes: list[int], favoured: np.ndarray, alpha: float, seed: int
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A topic for each ranking; ``favoured [topics, viewpoints]`` says which have the weight w1."""
    generator = np.random.default_rng(seed)
    labels = np.repeat(np.arange(7), sizes)
    weights = np.where(favoured[:, labels], 1.0001 - alpha, 1.0001 + alpha)
    # Documents in the order of exponential variates over their weights are a weighted sample
    # without replacement.
    score = -generator.exponential(size=weights.shape) / weights
    topics, documents = score.shape
    qid = np.repeat(np.arange(topics).astype(str), documents)
    docno = np.tile([f"v{VIEWPOINTS[label]}d{i}" for i, label in enumerate(labels)], topics)
    order = score.argsort(axis=1).argsort(axis=1).reshape(-1)
    run = pd.DataFrame({"query_id": qid, "doc_id": docno, "score": order.astype(float)})
    qrels = pd.DataFrame(
        {"query_id": np.arange(topics).astype(str), "doc_id": "v0d0", "relevance": 1})
    return qrels, run


@pytest.mark.slow
@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("alpha", [-1, 0, 1])
def test_the_published_simulation(values, name, alpha):
    source = groups.from_pattern(r"v(-?\d)d", VIEWPOINTS)
    measures = {
        kind.NAME: kind(protected="-3,-2,-1", norm="protected-first", groups=source)
        for kind in (nDD, nDR, nDKL)}
    favoured = np.zeros((RANKINGS, 7), bool)
    favoured[:, :3] = True
    found = values(measures.values(), *_rankings(SETS[name], favoured, alpha, seed=1))
    mean = {
        text: np.mean([value for (m, _), value in found.items() if m == measure])
        for text, measure in measures.items()}
    # One opposing viewpoint, another for each ranking, instead of the three.
    favoured = np.eye(7, dtype=bool)[np.arange(RANKINGS) % 3]
    all_labels = nDJS(groups=source)
    found = values([all_labels], *_rankings(SETS[name], favoured, alpha, seed=2))
    mean["nDJS"] = np.mean(list(found.values()))
    published = {
        -1: {"nDD": (1.0, 1.0), "nDR": (1.0, np.inf), "nDKL": (1.0, 1.0), "nDJS": (0.18, 0.21)},
        0: {"nDD": (0.08, 0.08), "nDR": (0.04, 0.04), "nDKL": (0.03, 0.03), "nDJS": (0.03, 0.03)},
        1: {"nDD": (0.55, 0.85), "nDR": (0.19, 0.24), "nDKL": (0.40, 0.78), "nDJS": (0.07, 0.09)},
    }[alpha]
    for text, (low, high) in published.items():
        assert low - 0.015 <= mean[text] <= high + 0.015, (text, mean[text])
    if alpha == -1:
        assert mean["nDR"] > 1


def test_a_run_of_one_viewpoint_has_nothing_to_compare_and_an_empty_one_is_unfair(values):
    qrels = [
        ir_measures.Qrel(q, d, 1, label) for q in "12" for d, label in (("a", "P"), ("b", "C"))]
    run = [ir_measures.ScoredDoc("1", "a", 1)]
    kinds = [nDD, nDR, nDKL, nDJS, nDJS(protected="P"), nDJS(protected="C"),
             nDJS(protected="minority")]
    found = values(kinds, qrels, run)
    assert [found[kind, "1"] for kind in kinds] == [0] * 7
    assert [found[kind, "2"] for kind in kinds] == [1] * 7
