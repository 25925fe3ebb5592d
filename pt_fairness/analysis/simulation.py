"""Random rankings that prefer some labels, as measures read them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from pt_fairness.core.arrays import Ints
from pt_fairness.rankings.label_sets import LabelSets
from pt_fairness.rankings.rankings import Rankings

__all__ = ["biased_rankings", "rankings"]

__dir__ = __all__.copy


def biased_rankings(counts: Sequence[int], weights: Any, draws: int = 1000,
                    seed: int | np.random.SeedSequence = 0) -> Ints:
    """Return random rankings of a set of documents that prefer some labels.

    The documents are drawn one rank after the other, without replacement, with probabilities in
    proportion to their weights.

    Source: Draws et al. (2021), section 4.1, where the weights are 1.0001 − α and 1.0001 + α for a
    bias α.

    :param counts: the number of documents of each label, ``[L]``
    :param weights: the weight of a document of each label, above 0, ``[L]``; or ``[draws, L]`` if
        it differs between the rankings
    :param draws: the number of rankings
    :param seed: the seed of the draws
    :returns: the label at each rank, an index of ``counts``, ``[draws, N]``, where N is the sum of
        ``counts``
    :raises ValueError: if a weight is not a number above 0, or a count is below 0

    Examples
    --------
    >>> from pt_fairness import simulation
    >>> codes = simulation.biased_rankings([5, 5], [1.5, 0.5], draws=1000)
    >>> codes.shape
    (1000, 10)
    >>> bool((codes[:, 0] == 0).mean() > 0.7)
    True
    """
    numbers = np.asarray(weights, float)
    if not ((numbers > 0) & np.isfinite(numbers)).all():
        raise ValueError(f"weights must be numbers above 0, got {numbers.min()} to {numbers.max()}")
    labels = np.arange(len(counts))
    documents = np.repeat(labels, counts)
    # Sorted exponential waiting times are draws without replacement (Efraimidis & Spirakis 2006).
    rng = np.random.default_rng(seed)
    waiting = rng.standard_exponential((draws, len(documents)))
    waiting /= numbers[..., documents]
    return documents[waiting.argsort(axis=1)]


def rankings(codes: Ints, labels: Iterable[str]) -> Rankings:
    """Build the input of the measures from the label at each rank.

    Each ranking is a separate topic, and contains all documents of the topic. All documents are
    judged, with relevance 1.

    :param codes: the label of the document at each rank, an index of ``labels``, ``[draws, N]``
    :param labels: the label set, in any order

    Examples
    --------
    >>> import numpy as np
    >>> from pt_fairness import nDJS, simulation
    >>> from pt_fairness.measures.measure import score
    >>> codes = np.array([[0, 1, 0, 1], [0, 0, 1, 1]])
    >>> score([nDJS], simulation.rankings(codes, ["a", "b"]))[nDJS].round(3).tolist()
    [0.126, 0.202]
    """
    sets = LabelSets([*labels])
    draws, depth = codes.shape
    topics = np.arange(draws)
    start = topics * depth
    length = np.full(draws, depth)
    topic = np.repeat(topics, depth)
    flat = codes.ravel().astype(np.int32)
    pair = np.arange(codes.size)
    qids = [*map(str, topics + 1)]
    return Rankings(qids, topics, start, length, topic, pair, flat, lambda: pair, topic,
                    np.ones_like(pair), {1: flat, None: flat}, sets, sorted(sets.labels))
