"""The slow versions against brute force and against each other, on random small cases."""

from __future__ import annotations

import itertools
import math
import random
from collections import defaultdict
from dataclasses import replace

import pytest
from scipy.stats import kruskal
from slow_versions import MEASURES, maxima, value
from slow_versions.common import Topic, topic_of
from slow_versions.exposure import (
    brute_target_exposures,
    closed_target_exposures,
    expected_exposure,
    target_exposures,
)
from slow_versions.formulas import places_of
from slow_versions.group_fairness import gf, gfr, relevance_part
from slow_versions.statistics import (
    adjusted_level,
    binomial_cdf,
    brute_failure_probability,
    failure_probability,
    m_table,
)


def random_topic(seed: int, judged: int = 5, unjudged: int = 2, soft: bool = False) -> Topic:
    """Documents of two or three groups, one of them unannotated, and one or two samples."""
    pick = random.Random(seed)
    names = ["A", "B", "C"][: pick.randint(2, 3)]
    relevance = {f"d{i}": pick.choice([-1, 0, 1, 1, 2, 3]) for i in range(judged)}
    relevance["d0"] = 1
    documents = [*relevance, *(f"u{i}" for i in range(unjudged))]
    groups = {docno: pick.sample(names, pick.randint(1, 2)) for docno in documents[:-1]}
    if soft:
        groups = {d: {g: pick.randint(1, 9) / 10 for g in found} for d, found in groups.items()}
    lists = [
        pick.sample(documents, pick.randint(1, len(documents))) for _ in range(pick.randint(1, 2))]
    return topic_of(relevance, lists, groups, declared=names)


@pytest.mark.parametrize("model", ["gerr", "rbp", "log2", "trec"])
@pytest.mark.parametrize(
    ("binary", "complete"), [(False, False), (True, False), (False, True), (True, True)])
def test_target_exposures_are_means_over_ideal_orders(model, binary, complete):
    for seed in range(15):
        topic, (p, u) = random_topic(seed), random.Random(seed).choice([(0.5, 0.5), (0.8, 0.3)])
        for cutoff in (None, 1, 3):
            args = topic, cutoff, 1, model, p, u, binary, complete
            expected = brute_target_exposures(*args)
            assert target_exposures(*args) == pytest.approx(expected, abs=1e-12)
            if cutoff is None and model in ("gerr", "rbp"):
                closed = closed_target_exposures(topic, 1, model, p, u, binary, complete)
                assert closed == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("model", ["gerr", "rbp", "log2", "trec"])
@pytest.mark.parametrize("complete", [False, True])
def test_bounds_of_expected_exposure(model, complete):
    """No order exceeds 1; by document some order has 1, but for EER by gerr with complete=True."""
    for seed in range(6):
        topic = random_topic(seed, judged=4, unjudged=3)
        for by, target in (
            ("document", "qrels"),
            ("group", "qrels"),
            ("group", {"A": 0.3, "B": 0.7}),
        ):
            params = {"cutoff": 3, "model": model, "complete": complete, "by": by, "target": target}
            found = [
                expected_exposure(replace(topic, rankings=[order]), **params, norm="bound")
                for order in itertools.permutations([*topic.judged, "u0", "u1", "u2"], 3)]
            eel, eed, eer = map(max, zip(*found, strict=True))
            assert max(eel, eed, eer) <= 1 + 1e-12
            if by == "document":
                assert (eel, eed) == pytest.approx((1, 1))
                assert (model == "gerr" and complete) or eer == pytest.approx(1)


#: Every new measure that needs no more than groups, and those of today that can use weights.
MEASURES_AND_PARAMS = [
    ("AWRF", {}), ("AWRF", {"cutoff": 3, "unannotated": "keep", "target": "qrels"}),
    ("ExposureRatio", {}), ("ExposureRatio", {"cutoff": 3, "target": "run"}),
    ("DistKL", {"cutoff": 3, "discount": "trec", "unannotated": "keep"}), ("DistFair", {}),
    ("EEL", {}), ("EED", {"by": "group", "norm": "bound"}), ("EER", {"complete": True, "u": 0.2}),
    ("EEL", {"by": "group", "target": "uniform", "cutoff": 3, "model": "trec", "complete": True}),
    ("GF", {"cutoff": 4}), ("GF", {"divergence": "nmd", "order": "C,A,B", "target": "run"}),
    ("GF", {"divergence": "rnod", "order": "A,B,C", "gains": "linear", "rel": 2}),
    ("RADio", {"cutoff": 3}), ("RADio", {"divergence": "kl", "target": "qrels", "alpha": 0.01}),
    ("logDP", {"protected": "A"}), ("logDP", {"protected": "A", "target": "qrels", "cutoff": 2}),
    ("logEUR", {"protected": "A,C"}), ("logRUR", {"unannotated": "keep", "abs": True}),
    ("IAA", {}), ("IAA", {"by": "group", "cutoff": 3, "norm": "none", "discount": "trec"}),
    ("ARP", {}), ("ARP", {"cutoff": 4, "pairs": "errors"}), ("RaB", {"values": {"A": 1, "B": -1}}),
    ("ARaB", {"values": {"A": 1, "B": -1}}), ("FaiRR", {"values": {"A": 1, "B": 0.5}}),
    ("NFaiRR", {"values": {"A": 1, "B": 0.5}, "background": "qrels", "cutoff": 3}),
    ("RankingBias", {"values": {"A": 1, "B": -1}, "background": "qrels"}),
    ("rND", {"cutoff": 4}), ("rND", {"norm": "none", "target": "run"}),
    ("rKL", {"target": "uniform"}),
    ("rKL", {"protected": "all", "cutoff": 3}), ("nDD", {"norm": "none"}), ("nDJS", {}),
    ("nDKL", {"norm": "none", "cutoff": 3}), ("RepBias", {"group": "A", "cutoff": 3}),
    ("RepBias", {"group": "B", "target": "uniform"}), ("NDKL", {}), ("Skew", {"group": "A"}),
    ("MinSkew", {"cutoff": 3}), ("MaxSkew", {"target": "qrels"}),
    ("BiasP", {"pro": "A", "con": "B"}), ("BiasRBP", {"pro": "A", "con": "C"}),
    ("BiasDCG", {"pro": "B", "con": "A", "rel": 0}), ("Annotated", {}),
]  # fmt: skip
REFUSE_WEIGHTS = [
    ("PEER", {}), ("PEER", {"cutoff": 4, "weights": {0: 0.4, 1: 0.6}}), ("FAIR", {"cutoff": 4}),
    ("FAIR", {"protected": "A", "p": 0.7, "value": "prefixes", "alpha": 0.3}), ("PreF", {}),
    ("PreF", {"protected": "B", "target": "uniform"}), ("rRD", {}), ("nDR", {}), ("nDD", {}),
    ("nDKL", {}), ("rND", {"target": "run"}), ("rKL", {"target": "run", "protected": "all"}),
]  # fmt: skip
IN_UNIT_RANGE = {
    "AWRF", "DistFair", "ExposureRatio", "GF", "IAA", "ARP", "PEER", "FAIR", "PreF",
    "rND", "rKL", "rRD"}


def test_an_undefined_topic_is_undefined_whatever_the_run():
    for seed in range(20):
        topic = random_topic(seed)
        for name, params in [*MEASURES_AND_PARAMS, *REFUSE_WEIGHTS]:
            runs = ([], topic.rankings, topic.rankings[:1], [["u0"]], [sorted(topic.judged)])
            found = [MEASURES[name](replace(topic, rankings=one), **params) for one in runs]
            assert len({one is None for one in found}) == 1, (name, params, found)


@pytest.mark.parametrize("soft", [False, True])
def test_ranges(soft):
    for seed in range(20):
        topic = random_topic(seed, soft=soft)
        for name, params in [*MEASURES_AND_PARAMS, *(() if soft else REFUSE_WEIGHTS)]:
            if name in IN_UNIT_RANGE and params.get("norm") != "none":
                assert -1e-12 <= value(name, topic, **params) <= 1 + 1e-12, (name, params)


def test_one_group_of_any_weight_is_one_group():
    for seed in range(20):
        topic = random_topic(seed, soft=True)
        one = {d: min(found.weights) for d, found in topic.groups.of.items()}
        weighted = {docno: {label: 3.0} for docno, label in one.items()}
        for name, params in MEASURES_AND_PARAMS:
            found = [
                value(name, topic_of(topic.judged, topic.rankings, groups, "ABC"), **params)
                for groups in (one, weighted)]
            assert found[0] == pytest.approx(found[1], abs=1e-12), (name, params)
        for name, params in REFUSE_WEIGHTS:
            with pytest.raises(ValueError, match="cannot use weights"):
                value(name, topic, **params)


def test_what_is_not_of_mean_exposures_is_the_mean_over_samples():
    of_means = {"EEL", "EED", "EER", "IAA", "logDP", "logEUR", "logRUR"}
    for seed in range(20):
        topic = random_topic(seed)
        for name, params in [*MEASURES_AND_PARAMS, *REFUSE_WEIGHTS]:
            each = [value(name, replace(topic, rankings=[one]), **params) for one in topic.rankings]
            twice = value(name, replace(topic, rankings=[*topic.rankings] * 2), **params)
            assert twice == pytest.approx(value(name, topic, **params), abs=1e-12), (name, params)
            if name not in of_means:
                assert twice == pytest.approx(sum(each) / len(each), abs=1e-12), (name, params)


def test_nothing_returned_is_the_worst_list_of_one_group():
    """The largest value that k documents could have, or k of the other side with gain 1."""
    groups = {f"{g}{i}": g for g in "AB" for i in range(5)}
    topic = topic_of({"A0": 1, "B0": 1, "B1": 1, "B2": 1}, [], groups)
    for name, params in (
        ("DistKL", {}),
        ("RADio", {"divergence": "kl", "target": {"A": 0.2, "B": 0.8}}),
        ("RADio", {"divergence": "kl", "target": "qrels"}),
        ("NDKL", {"target": "qrels"}),
    ):
        lists = [[f"{g}{i}" for i in range(3)] for g in "AB"]
        found = [value(name, replace(topic, rankings=[one]), cutoff=3, **params) for one in lists]
        assert value(name, topic, cutoff=3, **params) == pytest.approx(max(found))
    other = replace(topic, rankings=[["B0", "B1", "B2"]])
    for name, cutoff in itertools.product(("logDP", "logEUR", "logRUR"), (3, 1, None)):
        expected = value(name, other, protected="A", cutoff=cutoff or 1)
        assert value(name, topic, protected="A", cutoff=cutoff) == pytest.approx(expected)
    unjudged = replace(topic, rankings=[["A1", "A2", "A3"]])
    for name, norm in itertools.product(("EEL", "EED", "EER"), ("none", "bound")):
        params = {"cutoff": 3, "norm": norm}
        assert value(name, topic, **params) == pytest.approx(value(name, unjudged, **params))
    params = {"cutoff": 3, "norm": "none"}
    assert value("IAA", topic, **params) == pytest.approx(value("IAA", unjudged, **params))


@pytest.mark.parametrize("p", [0.1, 0.25, 0.5, 0.6, 0.9])
def test_the_level_of_fa_ir_is_the_largest(p):
    for k, alpha in itertools.product((1, 2, 5, 9), (0.05, 0.1, 0.3)):
        level = adjusted_level(alpha, p, k)
        numbers = {binomial_cdf(j, i, p) for i in range(1, k + 1) for j in range(i)} | {0.0}
        assert level in numbers
        for a in numbers:
            table = m_table(a, p, k)
            failure = brute_failure_probability(table, p)
            assert failure_probability(table, p) == pytest.approx(failure, abs=1e-12)
            if a == level:
                assert failure <= alpha * (1 + 1e-9)
            elif level * (1 + 1e-9) < a <= alpha:
                assert failure > alpha


def test_the_binomial_distribution_function():
    for x, i, p in itertools.product(range(6), range(1, 6), (0.0, 0.3, 1.0)):
        expected = sum(
            math.prod(p if draw else 1 - p for draw in draws)
            for draws in itertools.product((0, 1), repeat=i) if sum(draws) <= x)
        assert binomial_cdf(min(x, i), i, p) == pytest.approx(expected, abs=1e-12)


def test_peer_is_the_kruskal_wallis_test_where_no_rank_is_left_out():
    for seed in range(20):
        pick = random.Random(seed)
        groups = {f"d{i}": pick.choice("ABC") for i in range(9)}
        ranking = pick.sample(sorted(groups), 9)
        ranks = defaultdict(list)
        for i, docno in enumerate(ranking, start=1):
            ranks[groups[docno]].append(i)
        expected = kruskal(*ranks.values()).pvalue if len(ranks) > 1 else 1.0
        topic = topic_of(dict.fromkeys(groups, 1), [ranking], groups)
        assert value("PEER", topic) == pytest.approx(expected)


def test_nfairr_is_1_for_the_best_order_of_a_run():
    for seed in range(10):
        pick = random.Random(seed)
        topic = topic_of(
            {"d0": 1}, [], {"d0": "A"}, values={f"d{i}": pick.random() for i in range(5)})
        orders = [[list(order)] for order in itertools.permutations(topic.values)]
        found = [value("NFaiRR", replace(topic, rankings=lists), cutoff=3) for lists in orders]
        assert max(found) == pytest.approx(1)


def test_relations_between_measures():
    for seed in range(20):
        topic = random_topic(seed)
        one = replace(topic, rankings=topic.rankings[:1])
        radio = value("RADio", one, alpha=0, discount="log2", target="uniform", cutoff=4)
        assert 1 - radio**2 == pytest.approx(value("AWRF", one, cutoff=4))
        numbers = {f"{kind}{i}": i / 7 - 0.5 for kind in "du" for i in range(6)}
        lists = replace(topic, values=numbers)
        prefixes = [value("RaB", lists, cutoff=t) for t in (1, 2, 3)]
        if min(map(len, topic.rankings)) >= 3:
            assert value("ARaB", lists, cutoff=3) == pytest.approx(sum(prefixes) / 3)
        parts = [relevance_part(topic), gf(topic), gf(topic, target={"A": 1})]
        sources = replace(topic, attributes={"g": topic.groups, "h": topic.groups})
        both = gfr(sources, attributes={"g": "jsd", "h": "jsd"}, targets={"h": {"A": 1}})
        assert both == pytest.approx(sum(parts) / 3)


def test_the_maxima_of_kl_over_all_labels():
    target = {"A": 0.5, "B": 0.3, "C": 0.2}
    for n in range(1, 6):
        places = places_of(n, 1)
        expected = maxima.brute_max_all(target, n, places)
        assert maxima.max_all(target, places) == pytest.approx(expected)
    for sizes in itertools.product(range(1, 4), repeat=2):
        documents = [frozenset([g]) for g, size in zip("AB", sizes, strict=True)
                     for _ in range(size)]
        places = places_of(len(documents), 1)
        expected = maxima.brute_max_all_of_run(documents, places)
        found = maxima.max_all_of_run(dict(zip("AB", sizes, strict=True)), places)
        assert found == pytest.approx(expected)
    for seed in range(10):
        pick = random.Random(seed)
        documents = [frozenset(pick.sample("ABC", pick.randint(1, 2))) for _ in range(5)]
        for step in (1, 2):
            places = places_of(5, step)
            expected = maxima.brute_max_all_of_run(documents, places)
            target = maxima.label_shares(documents, "ABC")
            assert maxima.bound_all_of_run(target, places) >= expected - 1e-12
