"""Synthetic rankings: what a measure says where everything is known.

The controlled scenario of Pathiyan Cherumanal et al. (2021) and the simulation of Draws et al. (2021).
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import numpy as np
import pandas as pd

from pt_fairness.analysis.collection import without_groups
from pt_fairness.analysis.tables import TIE_DECIMALS
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.scoring import rels_of, score
from pt_fairness.numerics import Bools, Ints
from pt_fairness.rankings.labelsets import LabelSets
from pt_fairness.rankings.rankings import Judged, Lists, Rankings
from pt_fairness.text import label_text

__all__ = ["ALPHAS", "MEASURES", "SETS", "biased_rankings", "permutations", "rankings", "sweep"]

# ---------------------------------------------------------------------------------------------------------------------
# every ranking of two labels

#: Relevant documents of the one label for each of the other (Pathiyan Cherumanal et al. 2021, section 4.2).
RATIO = 4
SETTINGS = ("minority", "proportion-agnostic", "majority")


def permutations(labels: Sequence[str] = ("PRO", "CON"), depth: int = 5,
                 setting: Literal["minority", "proportion-agnostic", "majority"] = "proportion-agnostic",
                 ) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Every ranking of ``depth`` relevant documents of two labels: a topic for each, 32 for the paper's depth of 5.

    In the settings ``'minority'`` and ``'majority'``, which have the same qrels, every topic has ``depth`` relevant documents
    of the second label and four times as many of the first; in ``'proportion-agnostic'`` ``depth`` of each. So every ranking
    can be filled, and all topics have the same population. The paper protects the second label (CON) in ``'minority'``, the
    first (PRO) in the two others: ``rKL(protected='CON')@5``.

    Source: Pathiyan Cherumanal et al. (2021), section 4.2 and figure 1.

    :param labels: two, the more frequent one first
    :returns: the run (``qid, docno, score, rank``) and the qrels (``qid, docno, label, iteration``). Topic ``1`` has the first
        label throughout, the last one the second
    :raises ValueError: other than two labels, a depth below 1, an unknown setting
    """
    labels = list(labels)
    if len(set(labels)) != 2 or len(labels) != 2:
        raise ValueError(f"labels={labels!r}: the controlled scenario has two different labels, the more frequent one first")
    if depth < 1:
        raise ValueError(f"depth={depth}: rankings need at least one document")
    if setting not in SETTINGS:
        raise ValueError(f"setting={setting!r} is not possible; it takes {', '.join(map(repr, SETTINGS))}")
    relevant = {labels[0]: depth * (1 if setting == "proportion-agnostic" else RATIO), labels[1]: depth}
    documents = [(f"{label}-{i + 1}", label) for label, count in relevant.items() for i in range(count)]
    orders = np.array(list(itertools.product([0, 1], repeat=depth)))
    qids = [str(i + 1) for i in range(len(orders))]
    second = orders.cumsum(axis=1)
    place = np.where(orders == 0, np.arange(1, depth + 1) - second, second)
    run = pd.DataFrame({
        "qid": np.repeat(qids, depth),
        "docno": [f"{labels[label]}-{number}" for label, number in zip(orders.ravel(), place.ravel(), strict=True)],
        "score": np.tile(np.arange(depth, 0, -1.0), len(orders)), "rank": np.tile(np.arange(depth), len(orders))})
    qrels = pd.DataFrame({"qid": np.repeat(qids, len(documents)), "docno": [docno for docno, _ in documents] * len(qids),
                          "label": 1, "iteration": [label for _, label in documents] * len(qids)})
    return run, qrels


# ---------------------------------------------------------------------------------------------------------------------
# rankings as arrays


def rankings(codes: Ints, labels: Iterable[str], rels: Iterable[int | None] = (1,)) -> Rankings:
    """What a measure sees of rankings that are given by their labels alone; each is a topic of its own.

    The documents of a ranking are all of its topic's, judged and of relevance 1. So
    ``score([nDJS], rankings(codes, labels))[nDJS]`` is the value of each ranking.

    :param codes: ``[n, N]``: the label of the document at each rank, as a place in ``labels``
    :param labels: the label set, in any order
    :param rels: the values of ``rel`` that the measures use
    """
    names = list(labels)
    topics, depth = codes.shape
    topic = np.repeat(np.arange(topics), depth)
    flat = codes.reshape(-1).astype(np.int32)
    pair = np.arange(len(flat))
    lists = Lists(np.arange(topics), np.arange(topics) * depth, np.full(topics, depth), topic,
                  pair, pair, flat)
    relevance = np.ones(len(flat), np.int64)
    judged = Judged([str(i + 1) for i in range(topics)], topic, relevance,
                    {rel: flat if rel is None or rel <= 1 else np.full_like(flat, -1)
                     for rel in rels})
    return Rankings(lists, judged, LabelSets(names), sorted(names))


# ---------------------------------------------------------------------------------------------------------------------
# biased rankings

#: Documents of each viewpoint in the sets of Draws et al. (2021), table 4.
SETS: dict[str, dict[str, int]] = {
    "S1": {"-3": 100, "-2": 100, "-1": 100, "0": 100, "1": 100, "2": 100, "3": 100},
    "S2": {"-3": 80, "-2": 80, "-1": 80, "0": 115, "1": 115, "2": 115, "3": 115},
    "S3": {"-3": 60, "-2": 60, "-1": 60, "0": 130, "1": 130, "2": 130, "3": 130},
}
#: The opposing viewpoints, which are the protected ones.
PROTECTED = ("-3", "-2", "-1")
#: −1, −0.9, … 1 (section 4.1).
ALPHAS = tuple(i / 10 for i in range(-10, 11))
#: What the weights are beside α, so that none is 0 (section 4.1).
WEIGHT = 1.0001
#: The measures of the paper as it normalises them.
MEASURES = (*(f"{name}(protected='{','.join(PROTECTED)}',norm='protected-first')" for name in ("nDD", "nDR", "nDKL")), "nDJS")


def biased_rankings(counts: Sequence[int], alpha: float, weighted: Iterable[int] | Bools, n: int = 1000,
                    seed: int | np.random.SeedSequence = 0) -> Ints:
    """Random rankings of a set of documents in which some labels are preferred to others.

    The ranks are filled one after the other with a document drawn from those that are left, with a probability that is
    proportional to its weight: w1 = 1.0001 − α for the documents of the ``weighted`` labels, w2 = 1.0001 + α for the others. So
    α < 0 puts the weighted labels on top, α > 0 the others, and α = 0 prefers none.

    Source: Draws et al. (2021), section 4.1.

    :param counts: how many documents each label has
    :param alpha: in [−1, 1]
    :param weighted: which labels (their places in ``counts``) have w1; or ``[n, labels]`` of truth values, where that differs
        from ranking to ranking
    :param n: how many rankings
    :param seed: the same seed gives the same rankings
    :returns: ``[n, N]``, N the sum of ``counts``: the label at each rank, as a place in ``counts``
    :raises ValueError: α outside of [−1, 1], or labels that ``counts`` does not have
    """
    if not -1 <= alpha <= 1:
        raise ValueError(f"alpha={alpha!r}: the bias has to be in [-1, 1]")
    # numpy does not look into a set.
    chosen = weighted if isinstance(weighted, np.ndarray) else np.asarray(list(weighted))
    if chosen.dtype == bool:
        if chosen.shape != (n, len(counts)):
            raise ValueError(f"weighted has the shape {chosen.shape}; truth values are needed for each of {n} rankings and "
                             f"{len(counts)} labels")
    else:
        if not set(chosen.tolist()) <= set(range(len(counts))):
            raise ValueError(f"weighted={chosen.tolist()!r}: the labels are 0 to {len(counts) - 1}")
        chosen = np.broadcast_to(np.isin(np.arange(len(counts)), chosen), (n, len(counts)))
    documents = np.repeat(np.arange(len(counts)), counts)
    weights = np.where(chosen, WEIGHT - alpha, WEIGHT + alpha)
    # The order of exponential waiting times is that of drawing without replacement (Efraimidis & Spirakis 2006).
    waiting = np.random.default_rng(seed).standard_exponential((n, len(documents)))
    waiting /= weights[:, documents]
    return documents[waiting.argsort(axis=1)]


def _sees_all_labels(measure: FairnessMeasure) -> bool:
    """Whether a measure has no protected group, and compares all labels instead."""
    return "protected" not in measure.SUPPORTED_PARAMS or measure.param("protected") == "all"


def _seed(seed: int, name: str, alpha: float) -> np.random.SeedSequence:
    """The same for the same set and α, whatever else is simulated."""
    return np.random.SeedSequence(seed, spawn_key=tuple(f"{name} {round(alpha, TIE_DECIMALS) + 0.0}".encode()))


def _point(name: str, counts: Mapping[str, int], alpha: float, measures: Sequence[FairnessMeasure], n: int,
           seed: np.random.SeedSequence) -> list[dict[str, Any]]:
    """The rows of one set and one α."""
    labels, sizes = list(counts), list(counts.values())
    protected = [i for i, label in enumerate(labels) if label in PROTECTED]
    for_group, for_all, choice = seed.spawn(3)
    scores = {}
    two = [measure for measure in measures if not _sees_all_labels(measure)]
    if two:
        view = rankings(biased_rankings(sizes, alpha, protected, n, for_group), labels, rels_of(two))
        scores.update({measure: score([measure], view)[measure] for measure in two})
    if len(two) < len(measures):
        one = np.random.default_rng(choice).choice(protected, n)
        codes = biased_rankings(sizes, alpha, np.arange(len(labels)) == one[:, None], n, for_all)
        view = rankings(codes, labels, rels_of(measures))
        scores.update({measure: score([measure], view)[measure] for measure in measures if measure not in two})
    return [{"set": name, "alpha": alpha, "measure": str(measure), "mean": scores[measure].mean(),
             "sd": scores[measure].std(ddof=1)} for measure in measures]


def sweep(sets: Mapping[str, Mapping[str, int]] = SETS, alphas: Iterable[float] = ALPHAS, measures: Any = MEASURES,
          n: int = 1000, seed: int = 0) -> pd.DataFrame:
    """The simulation of Draws et al. (2021): how measures answer to rankings that are more and more biased.

    A measure with a protected group sees rankings in which the opposing viewpoints −3, −2 and −1 have the weight w1; a
    measure of all labels (``protected='all'``, or without that parameter) sees rankings in which one of them, chosen at random
    for each ranking, has it (:func:`biased_rankings`). At α = −1 that one is preferred to the others: so the paper's weights
    say, and its sections 4.1 and 4.1.2. Its section 4.2.2 calls it disadvantaged there, and advantaged at α = 1.

    Prints a progress bar and uses all processors. A row depends on the seed, ``n``, the name and the counts of its set, and α;
    not on what else is simulated.

    Source: section 4, figures 1 and 2.

    :param sets: documents by viewpoint, by the name of the set; viewpoints are named as in :data:`SETS`
    :param alphas: bias, each in [−1, 1]: below 0 the weighted viewpoints are preferred
    :param measures: of this package, without a ``groups`` parameter, or their names; by default the paper's four with its
        normaliser
    :param n: rankings for each set and α, at least 2
    :returns: ``set, alpha, measure, mean, sd`` (sample standard deviation over the rankings)
    :raises ValueError: a measure that is not known or not possible, or a set without opposing
        viewpoints
    """
    from tqdm import tqdm
    wanted = without_groups(measures, "sweep", "the groups are the viewpoints of sets")
    if not isinstance(sets, Mapping):
        raise ValueError(f"sets is a {type(sets).__name__}; it takes a dictionary from the names "
                         "of the sets to their documents by viewpoint")
    if not isinstance(alphas, Iterable):
        raise ValueError(f"alphas={alphas!r} is one value; it takes several, such as [{alphas!r}]")
    for name, counts in sets.items():
        if not isinstance(counts, Mapping):
            raise ValueError(f"the set {name!r} is a {type(counts).__name__}; a set is a "
                             "dictionary from viewpoints to the number of their documents")
        if len(set(map(label_text, counts))) < len(counts):
            raise ValueError(f"two viewpoints of the set {name!r} are the same as text: {', '.join(map(repr, counts))}")
    sets = {name: {label_text(viewpoint): count for viewpoint, count in counts.items()} for name, counts in sets.items()}
    for name, counts in sets.items():
        if not set(PROTECTED) & set(counts):
            raise ValueError(f"the set {name!r} has none of the opposing viewpoints {', '.join(PROTECTED)}; it has "
                             f"{', '.join(counts)}")
    if n < 2:
        raise ValueError(f"n={n}: at least two rankings are needed for a standard deviation")
    degrees = [float(alpha) for alpha in alphas]
    points = [(name, alpha) for name in sets for alpha in degrees]

    def measured(point: tuple[str, float]) -> list[dict[str, Any]]:
        name, alpha = point
        return _point(name, sets[name], alpha, wanted, n, _seed(seed, name, alpha))

    def rows() -> Iterator[dict[str, Any]]:
        # Threads: nearly all of the time is spent in numpy, which lets other threads run.
        with ThreadPoolExecutor(os.cpu_count()) as pool, tqdm(total=len(points), desc="simulation", unit="point") as bar:
            for part in pool.map(measured, points):
                bar.update()
                yield from part

    return pd.DataFrame(rows(), columns=["set", "alpha", "measure", "mean", "sd"])
