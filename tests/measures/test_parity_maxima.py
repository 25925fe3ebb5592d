"""The normalisers of rND, rKL and rRD against every sequence and every permutation."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from ir_measures.util import Qrel, ScoredDoc
from measure_cases import of_lists
from slow_versions.plain import evaluate

from pt_fairness import groups, rKL, rND, rRD


@pytest.mark.parametrize("measure", [rND, rKL, rRD], ids=str)
@pytest.mark.parametrize("step", [1, 2, 3])
@pytest.mark.parametrize("population", ["AB", "ABB", "AAAB", "A", "B"])
def test_the_most_unfair_sequence_has_exactly_one(values, measure, step, population):
    """Every sequence of two groups is a topic's ranking: the largest unnormalised value has to be
    the normaliser.
    """
    for n in (1, 2, 5, 7):
        sequences = list(itertools.product("AB", repeat=n))
        documents = {f"{label}{i}": label for label in "AB" for i in range(10)}
        qrels = [Qrel(str(t), f"{label}{9 - i}", 1) for t in range(len(sequences))
                 for i, label in enumerate(population)]
        run = [
            ScoredDoc(str(t), f"{label}{i}", -i)
            for t, labels in enumerate(sequences)
            for i, label in enumerate(labels)
        ]
        source = groups.from_mapping(documents)
        normalised, plain = (
            measure(protected="A", step=step, groups=source, norm=norm) @ n
            for norm in ("max", "none")
        )
        found = values([normalised, plain], qrels, run)
        largest = max(value for (m, _), value in found.items() if m == plain)
        for t in range(len(sequences)):
            expected = found[plain, str(t)] / largest if largest else 0.0
            assert found[normalised, str(t)] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "measure",
    [
        rND(target="run", protected="A"),
        rKL(target="run", protected="A"),
        rRD(target="run", protected="A"),
        rKL(target="run", protected="all"),
        rKL(target="run", protected="all", step=2),
    ],
    ids=str,
)
@pytest.mark.parametrize("documents", ["AB", "AABB", "AAABC", "AABBCD"])
@pytest.mark.parametrize("cutoff", [1, 3, None])
def test_the_most_unfair_permutation_of_the_run_has_exactly_one(values, measure, documents, cutoff):
    orders = list(itertools.permutations(documents))
    if cutoff is not None:
        measure = measure @ cutoff
    found = values([measure, measure(norm="none")], *of_lists(orders))
    largest = max(value for (m, _), value in found.items() if m != measure)
    for t in range(len(orders)):
        expected = found[measure(norm="none"), str(t)] / largest if largest else 0.0
        assert found[measure, str(t)] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    "labels, measure",
    [
        (
            "ABBBBACCCCA",
            rKL(protected="all", target="run", step=5) @ 10,
        ),  # whole groups are not the worst
        (["A", "AB"], rKL(protected="all", target="run") @ 1),  # documents of several groups
        ("AAB", rKL(protected="all", target="run", step=2) @ 2),
    ],
    ids=["steps", "several groups", "steps of two"],
)
def test_the_worst_order_of_a_run_has_one_whatever_other_topics_there_are(values, labels, measure):
    documents = [[*groups] for groups in labels]
    qrels = [Qrel("1", f"d{i}", 1, group) for i, groups in enumerate(documents) for group in groups]
    others = [Qrel("2", f"x{i}", 1, f"G{i}") for i in range(30)]
    runs = [
        [ScoredDoc("1", f"d{i}", -place) for place, i in enumerate(order)]
        for order in (
            [range(len(documents))]
            if len(documents) > 4
            else itertools.permutations(range(len(documents)))
        )
    ]
    for more, seen in (([], []), (others, [ScoredDoc("2", other.doc_id, 1.0) for other in others])):
        found = [values([measure], [*qrels, *more], [*run, *seen])[measure, "1"] for run in runs]
        assert max(found) == pytest.approx(1.0) and max(found) <= 1.0


def test_many_documents_of_many_groups_have_values_in_range(values):
    """There are too many orders to search them all."""
    labels = [f"g{i % 7}" if i % 9 else f"g{i % 5}" for i in range(200)]
    for several in (False, True):
        qrels = [Qrel("1", f"d{i:03}", 1, label) for i, label in enumerate(labels)]
        qrels += [Qrel("1", f"d{i:03}", 1, "g9") for i in range(0, 200, 10)] if several else []
        for order in (range(200), sorted(range(200), key=lambda i: labels[i])):
            run = [ScoredDoc("1", f"d{i:03}", -place) for place, i in enumerate(order)]
            measures = [rKL(protected="all", target="run", step=step) for step in (1, 7)]
            assert all(0 < value <= 1 for value in values(measures, qrels, run).values())


@pytest.mark.parametrize("several, step", [(True, 1), (True, 2), (False, 2)])
def test_rkl_over_all_groups_of_a_run_is_bounded_where_the_maximum_is_too_costly(
    make_case, values, several, step
):
    for seed in range(5):
        case = make_case(60 + seed, labels=8, documents=24, several=several)
        normalised, plain = (
            rKL(protected="all", target="run", step=step, norm=norm) for norm in ("max", "none")
        )
        found = values([normalised, plain], case.qrels_frame, case.run_frame)
        exact = evaluate(
            "rKL",
            {"protected": "all", "target": "run", "step": step, "norm": "none"},
            case.qrels,
            case.run,
        )
        for qid, value in exact.items():
            assert 0 <= found[normalised, qid] <= 1 + 1e-12
            assert found[plain, qid] == pytest.approx(value)


@pytest.mark.parametrize("ranks", [
    range(1, 2), range(1, 300_000), range(7, 300_000, 7), range(9000, 9001)], ids=str)
def test_the_largest_sum_of_ratios_over_many_ranks(ranks):
    targets = np.array([0.0, 0.5, 3.0, 2500.25, 40_000.0, 1e7])
    i = np.array(ranks, float)[:, None]
    expected = (np.maximum(targets, i - 1 - targets) / np.log2(i + 1)).sum(axis=0)
    assert rRD.largest_sum(ranks, targets) == pytest.approx(expected, rel=1e-12)
