"""The greedy ideal ranking of α-nDCG against the definition in plain Python, to the last bit."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict

import numpy as np
import pytest

from pt_fairness.provider.alpha_ndcg import greedy_gains

NOTHING = 1000


def slow_gains(documents: list[tuple[int, ...]], alpha: float, depth: int) -> list[float]:
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


def found_gains(topics: list[list[tuple[int, ...]]], alpha: float, depth: int) -> np.ndarray:
    documents = list(itertools.chain(*topics))
    subtopics = np.full((len(documents), max(map(len, documents))), NOTHING)
    for row, one in enumerate(documents):
        subtopics[row, :len(one)] = one
    topic = np.repeat(np.arange(len(topics)), [len(some) for some in topics])
    return greedy_gains(topic, subtopics, NOTHING, alpha, depth)


@pytest.mark.parametrize("alpha", [0.0, 0.01, 1 / 3, 0.5, 0.9, 1.0, 1.5, -0.25])
@pytest.mark.parametrize("subtopics, most", [(1, 1), (3, 3), (8, 4), (40, 12), (12, 12)])
def test_the_gains_are_those_of_the_definition(subtopics, most, alpha):
    rng = np.random.default_rng(subtopics)
    topics = [topic_of(rng, documents, subtopics, most) for documents in (1, 30, 140, 7)]
    for depth in (1, 10, 100, 101, 150):
        expected = [slow_gains(documents, alpha, depth) for documents in topics]
        assert found_gains(topics, alpha, depth).tolist() == expected


def test_one_topic_with_one_document():
    assert found_gains([[tuple(range(20))]], 1 / 3, 2).tolist() == [[20.0, 0.0]]


@pytest.mark.parametrize("alpha", [math.nan, math.inf])
def test_an_alpha_without_meaning_ends(alpha):
    documents = [(0, 1), (1,), (1, 2)]
    with np.errstate(invalid="ignore"):
        assert found_gains([documents], alpha, 3)[0, 0] == 2.0
