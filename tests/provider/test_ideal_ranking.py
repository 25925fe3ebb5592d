"""The greedy ideal ranking of α-nDCG against the definition in plain Python, to the last bit."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict

import numpy as np
import pytest

from pt_fairness.provider.ideal_ranking import GreedyRanking

NOTHING = 1000


def greedy_gains(documents: list[tuple[int, ...]], alpha: float, depth: int) -> list[float]:
    """The gain at every rank; the document of the largest gain is next, of equals the first."""
    left, gains = list(documents), []
    worth: dict[int, float] = defaultdict(lambda: 1.0)
    for _ in range(min(depth, len(documents))):
        scores = []
        for subtopics in left:
            score = 0.0
            for subtopic in subtopics:
                score += worth[subtopic]
            scores.append(score)
        place = scores.index(max(scores))
        gains.append(scores[place])
        for subtopic in left.pop(place):
            worth[subtopic] *= 1.0 - alpha
    return gains + [0.0] * (depth - len(gains))


def topic_of(rng: np.random.Generator, documents: int, subtopics: int,
             most: int) -> list[tuple[int, ...]]:
    sizes = rng.integers(1, min(most, subtopics) + 1, documents)
    return [tuple(rng.permutation(subtopics)[:size].tolist()) for size in sizes]


def ranking_of(topics: list[list[tuple[int, ...]]], alpha: float) -> GreedyRanking:
    sets = {one: i for i, one in enumerate(dict.fromkeys(itertools.chain(*topics)))}
    members = np.full((len(sets), max(map(len, sets))), NOTHING)
    for one, code in sets.items():
        members[code, :len(one)] = one
    topic = np.repeat(np.arange(len(topics)), [len(documents) for documents in topics])
    codes = np.array([sets[one] for documents in topics for one in documents])
    return GreedyRanking(topic, codes, members, NOTHING, alpha)


@pytest.mark.parametrize("alpha", [0.0, 0.01, 1 / 3, 0.5, 0.9, 1.0, 1.5, -0.25])
@pytest.mark.parametrize("subtopics, most", [(1, 1), (3, 3), (8, 4), (40, 12), (12, 12)])
def test_the_gains_are_those_of_the_definition(subtopics, most, alpha):
    rng = np.random.default_rng(subtopics)
    topics = [topic_of(rng, documents, subtopics, most) for documents in (1, 30, 140, 7)]
    for depth in (1, 10, 100, 101, 150):
        expected = [greedy_gains(documents, alpha, depth) for documents in topics]
        found = ranking_of(topics, alpha).gains(depth)
        # A deep ranking leaves out what is too little to be seen in a sum.
        for gains, definition in zip(found, np.array(expected), strict=True):
            end = int((gains != 0).sum()) if depth > 100 and 0 <= alpha <= 1 else depth
            assert gains[:end].tolist() == definition[:end].tolist()
            assert abs(definition[end:]).sum() <= 2.0**-100 * definition[0]


def test_a_deep_ranking_updates_few_scores(monkeypatch):
    updated = 0

    def count(self, rows, update=GreedyRanking._update):
        nonlocal updated
        updated += len(rows)
        update(self, rows)

    monkeypatch.setattr(GreedyRanking, "_update", count)
    # Frequent subtopics are soon worth nothing; rare ones change few scores at a time.
    for subtopics, alpha in ((40, 0.5), (NOTHING, 0.5), (NOTHING, 0.01)):
        rng = np.random.default_rng(0)
        documents = [tuple(rng.permutation(subtopics)[:20].tolist()) for _ in range(2000)]
        updated = 0
        gains = ranking_of([documents], alpha).gains(2000)[0]
        assert gains[:30].tolist() == greedy_gains(documents, alpha, 30)
        assert 0 < updated < 2000 * 2000 / 6


@pytest.mark.parametrize("alpha", [math.nan, math.inf])
def test_an_alpha_without_meaning_ends(alpha):
    documents = [(0, 1), (1,), (1, 2)]
    with np.errstate(invalid="ignore"):
        assert ranking_of([documents], alpha).gains(3)[0, 0] == 2.0
