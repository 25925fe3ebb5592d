"""The front of relevance and fairness, by trying every order of the documents."""

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from statistics import mean

from slow_versions.common import Membership, Topic

Point = tuple[float, float]  # relevance, and closeness to the ideal value
CLOSE = 1e-9


def relevance_of(topic: Topic, order: Sequence[str], name: str, k: int, rel: int = 1) -> float:
    """nDCG@k or P@k of an order; the ideal order has all judged documents."""
    if name == "P":
        return sum(topic.judged[docno] >= rel for docno in order[:k]) / k
    gains = [max(topic.judged[docno], 0) for docno in order[:k]]
    ideal = sorted((max(grade, 0) for grade in topic.judged.values()), reverse=True)[:k]
    best = sum(gain / math.log2(i + 2) for i, gain in enumerate(ideal))
    total = sum(gain / math.log2(i + 2) for i, gain in enumerate(gains))
    return total / best if best else 0.0


def points(topic: Topic, relevance: tuple[str, int], value: Callable[[Topic], float | None],
           cutoff: int, ideal: float) -> set[Point] | None:
    """The points of all lists of a topic, rounded; None if it does not count."""
    pool = [docno for docno in topic.judged if topic.shares(docno)]
    if not pool or value(replace(topic, rankings=[pool])) is None:
        return None
    length = min(max(relevance[1], cutoff), len(pool))
    result = set()
    for order in itertools.permutations(pool, length):
        fairness = value(replace(topic, rankings=[list(order)]))
        assert fairness is not None
        result.add((round(relevance_of(topic, order, *relevance), 12),
                    round(-abs(fairness - ideal), 12)))
    return result


def means(of_topics: Sequence[Iterable[Point]]) -> set[Point]:
    """The means of one point of each topic, for every choice of points."""
    return {(round(mean(relevance), 11), round(mean(fairness), 11)) for relevance, fairness in
            (zip(*chosen, strict=True) for chosen in itertools.product(*of_topics))}


def vertices(every: Iterable[Point]) -> list[Point]:
    """The vertices from the most relevant point to the fairest one, one after the other."""
    every = list(every)
    most = max(point[0] for point in every)
    at = max((p for p in every if p[0] > most - CLOSE), key=lambda p: p[1])
    result = [at]
    while True:
        fairer = [p for p in every if p[1] > at[1] + CLOSE]
        if not fairer:
            return result
        cost = min((at[0] - p[0]) / (p[1] - at[1]) for p in fairer)
        on_line = [p for p in fairer if at[0] - p[0] <= cost * (p[1] - at[1]) + CLOSE]
        at = max(on_line, key=lambda p: p[1])
        result.append(at)


def in_range(value: Callable[[Topic], float | None], protected: str, other: str,
             cutoff: int) -> Callable[[Topic], float | None]:
    """R1: the place of a sum between those of all sequences of protected and other documents."""

    ends: dict[tuple[int, int], Point] = {}

    def ends_of(topic: Topic, size: int) -> Point:
        both = {"p": protected, "o": other}
        of = {f"{side}{i}": Membership({both[side]: 1.0}) for side in both for i in range(size)}
        wider = replace(topic, groups=replace(topic.groups, of={**topic.groups.of, **of}))
        sums = []
        for sides in itertools.product(both, repeat=size):
            ranking = [f"{side}{i}" for i, side in enumerate(sides)]
            found = value(replace(wider, rankings=[ranking]))
            assert found is not None
            sums.append(found)
        return min(sums), max(sums)

    def of_topic(topic: Topic) -> float | None:
        total = value(topic)
        if total is None:
            return None
        size = min(cutoff, len(topic.condensed(topic.ranking)))
        key = id(topic.judged), size
        if key not in ends:
            ends[key] = ends_of(topic, size)
        low, high = ends[key]
        return (total - low) / (high - low) if high - low > 1e-12 else 0.0

    return of_topic
