"""Made-up rankings: random ones that prefer some labels, and ones that show less of a group."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.analysis.inputs import compares_groups
from pt_fairness.core.arrays import Ints
from pt_fairness.core.messages import collecting_warnings
from pt_fairness.measures.example import ranking_values
from pt_fairness.provider.measure_lists import parsed
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


#: How many of ten documents have the second group, and the number of judged documents of a topic.
PLACES, JUDGED = (5, 4, 3, 2, 1, 0), 50
#: The parameters that name a group, for the groups A and B.
NAMED = {"protected": "B", "group": "B", "pro": "A", "con": "B", "cutoff": 10}


def ladder(measure: Any) -> pd.DataFrame:
    """Return the values of a measure for ten documents that show less and less of a group.

    A topic has 50 relevant documents of the groups A and B. The target share of B is 0.5 or 0.2:
    that is its share in the relevant documents, and the target of measures whose default are equal
    shares. Rankings have 5, 4, 3, 2, 1 or 0 documents of B among ten, spread evenly, or the same
    documents with B at the end.

    :param measure: a measure that compares groups, or its name; the parameters that name a group
        (``protected``, ``group``, ``pro``, ``con``) and a missing cutoff of 10 are filled in
    :returns: a row for each target and order, and a column for each share of B in the ranking
    :raises ValueError: if the measure does not compare groups, or needs other parameters

    Examples
    --------
    >>> from pt_fairness import analysis
    >>> values = analysis.ladder("AWRF").round(2)
    >>> values.loc["50 %", "spread"].tolist()
    [1.0, 0.99, 0.96, 0.91, 0.83, 0.69]
    >>> values.loc["20 %", "at the end"].tolist()
    [0.98, 0.99, 1.0, 0.99, 0.97, 0.89]
    """
    (measure,) = parsed(measure)
    if not compares_groups(measure):
        raise ValueError(f"measure must compare groups, got {measure}")
    supported = measure.SUPPORTED_PARAMS
    named = {name: value for name, value in NAMED.items() if name in supported}
    equal_shares = "target" in supported and supported["target"].default == "uniform"
    rankings = [*map(_spread, PLACES), *("A" * (10 - places) + "B" * places for places in PLACES)]
    tables = {}
    for share in (0.5, 0.2):
        if equal_shares:
            named["target"] = {"A": 1 - share, "B": share}
        count = int(share * JUDGED)
        relevant = (JUDGED - count) * "A" + count * "B"
        with collecting_warnings():
            found = ranking_values(measure(**named | measure.params), *rankings, relevant=relevant)
        values = np.reshape(found, (2, -1))
        columns = [f"{10 * places} %" for places in PLACES]
        rows = pd.Index(["spread", "at the end"], name="order")
        tables[f"{100 * share:.0f} %"] = pd.DataFrame(values, rows, columns)
    return pd.concat(tables, names=["target"])


def _spread(places: int) -> str:
    """Return the group of each of ten documents, with B spread evenly."""
    ranks = {int((i + 0.5) * 10 / places) for i in range(places)}
    return "".join("AB"[rank in ranks] for rank in range(10))
