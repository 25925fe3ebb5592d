"""Synthetic rankings with a known fairness.

The controlled scenario of Pathiyan Cherumanal et al. (2021) and the simulation of Draws et al.
(2021).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, product
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd

from pt_fairness.analysis.inputs import measures_without_groups
from pt_fairness.core.arrays import TIE_DECIMALS, Bools, Ints
from pt_fairness.core.messages import at_least, label_text, one_of, shown
from pt_fairness.measures.measure import rels_of, score
from pt_fairness.rankings.labelled import LabelSets, Rankings

__all__ = ["ALPHAS", "MEASURES", "SETS", "biased_rankings", "permutations", "rankings", "sweep"]

__dir__ = __all__.copy


#: The ratio of relevant documents of the more frequent label to those of the other (Pathiyan
#: Cherumanal et al. 2021, section 4.2).
RATIO = 4
Setting = Literal["minority", "proportion-agnostic", "majority"]
SETTINGS: tuple[Setting, ...] = get_args(Setting)

#: The opposing viewpoints, which are the protected ones.
PROTECTED = ("-3", "-2", "-1")
#: The number of documents of each viewpoint, by set: Draws et al. (2021), table 4.
SETS: dict[str, dict[str, int]] = {
    "S1": {"-3": 100, "-2": 100, "-1": 100, "0": 100, "1": 100, "2": 100, "3": 100},
    "S2": {"-3": 80, "-2": 80, "-1": 80, "0": 115, "1": 115, "2": 115, "3": 115},
    "S3": {"-3": 60, "-2": 60, "-1": 60, "0": 130, "1": 130, "2": 130, "3": 130},
}
#: −1, −0.9, … 1 (section 4.1).
ALPHAS = tuple(i / 10 for i in range(-10, 11))
#: The weight of a document at α = 0 (section 4.1); above 1, so that no weight is 0 at α = ±1.
WEIGHT = 1.0001
#: The weights w1 and w2 of a bias α.
Weights = Callable[[float], tuple[float, float]]


def measures_of(protected: Iterable[str]) -> tuple[str, ...]:
    """Return the measures of Draws et al. (2021) with the normaliser that fits its values."""
    side = f"(protected={','.join(protected)!r},norm='protected-first')"
    return f"nDD{side}", f"nDR{side}", f"nDKL{side}", "nDJS"


#: The measures of :func:`measures_of` for the opposing viewpoints.
MEASURES = measures_of(PROTECTED)


def permutations(labels: Sequence[str] = ("PRO", "CON"), depth: int = 5,
                 setting: Setting = "proportion-agnostic") -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a topic for every ranking of ``depth`` relevant documents of two labels.

    The paper's depth of 5 gives 32 topics. All topics have the same relevant documents:

    * ``'proportion-agnostic'``: ``depth`` of each label
    * ``'minority'`` and ``'majority'``: ``depth`` of the second label, and four times as many of
      the first

    The paper gives the ratios 1/1 and 4/1; the numbers are a choice of this package.

    The paper protects the second label (CON) in the setting ``'minority'``, as in
    ``rKL(protected='CON')@5``, and the first label (PRO) in the other two.

    Source: Pathiyan Cherumanal et al. (2021), section 4.2 and figure 1.

    :param labels: two labels, the more frequent one first
    :returns: the run (``qid, docno, score, rank``) and the qrels (``qid, docno, label,
        iteration``). The ranking of topic ``1`` has only the first label, that of the last topic
        only the second
    :raises ValueError: other than two labels, a depth below 1, or an unknown setting

    Examples
    --------
    >>> from pt_fairness import simulation
    >>> run, qrels = simulation.permutations(("PRO", "CON"), depth=2)
    >>> run.groupby("qid")["docno"].agg(list).to_dict() == {
    ...     "1": ["PRO-1", "PRO-2"], "2": ["PRO-1", "CON-1"],
    ...     "3": ["CON-1", "PRO-1"], "4": ["CON-1", "CON-2"]}
    True
    """
    labels = list(map(label_text, labels))
    if len(set(labels)) != 2 or len(labels) != 2:
        raise ValueError(f"labels={shown(labels)} is not possible; it takes two different labels, "
                         "the more frequent one first")
    at_least(1, "depth", depth)
    one_of("setting", setting, SETTINGS)
    ratio = 1 if setting == "proportion-agnostic" else RATIO
    orders = product(labels, repeat=depth)
    ranked = [*chain(*orders)]
    run = pd.DataFrame({"iteration": ranked})
    run["qid"] = run.index // depth + 1
    run["rank"] = run.index % depth
    run["score"] = depth - run["rank"]
    run["docno"] = _docnos(run, ["qid", "iteration"])
    run = run.astype({"qid": str, "score": float})
    relevant = np.repeat(labels, [depth * ratio, depth])
    judged = pd.DataFrame({"label": 1, "iteration": relevant})
    judged.insert(0, "docno", _docnos(judged, ["iteration"]))
    topics = run[["qid"]].drop_duplicates()
    qrels = topics.merge(judged, how="cross")
    return run[["qid", "docno", "score", "rank"]], qrels


def _docnos(documents: pd.DataFrame, keys: list[str]) -> pd.Series:
    """Return docnos such as ``PRO-2``: the label, and the number of the document among ``keys``."""
    number = documents.groupby(keys).cumcount() + 1
    return documents["iteration"] + "-" + number.astype(str)


def rankings(codes: Ints, labels: Iterable[str], rels: Iterable[int | None] = (1,)) -> Rankings:
    """Build the input of the measures from the label at each rank.

    Each ranking is a separate topic, and contains all documents of the topic. All documents are
    judged, with relevance 1.

    :param codes: the label of the document at each rank, an index of ``labels``, ``[draws, N]``
    :param labels: the label set, in any order
    :param rels: the values of ``rel`` that the measures use

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
    topics, depth = codes.shape
    number = np.arange(topics)
    qids = [*map(str, number + 1)]
    start = number * depth
    length = np.full(topics, depth)
    topic = np.repeat(number, depth)
    flat = codes.ravel().astype(np.int32)
    pair = np.arange(codes.size)
    relevance = np.ones_like(pair)
    relevant = {}
    for rel in rels:
        relevant[rel] = flat
        if rel is not None and rel > 1:
            relevant[rel] = np.full_like(flat, -1)
    return Rankings(number, start, length, topic, pair, flat, lambda: pair, qids, topic, relevance,
                    relevant, sets, sorted(sets.labels))


def paper_weights(alpha: float) -> tuple[float, float]:
    """Return w1 = 1.0001 − α and w2 = 1.0001 + α.

    Source: Draws et al. (2021), section 4.1.

    :param alpha: the bias α, in [−1, 1]
    :raises ValueError: α outside [−1, 1]
    """
    if not -1 <= alpha <= 1:
        raise ValueError(f"alpha={shown(alpha)} is not possible; it takes a number in [-1, 1]")
    return WEIGHT - alpha, WEIGHT + alpha


def biased_rankings(counts: Sequence[int], alpha: float, weighted: Iterable[int] | Bools,
                    draws: int = 1000, seed: int | np.random.SeedSequence = 0,
                    weights: Weights = paper_weights) -> Ints:
    """Return random rankings of a set of documents that prefer some labels.

    The documents are drawn one rank after the other, without replacement, with probabilities in
    proportion to their weights: w1 for the ``weighted`` labels, w2 for the others. In the paper, w1
    = 1.0001 − α and w2 = 1.0001 + α, so α < 0 puts the weighted labels on top, α > 0 the others,
    and α = 0 prefers none.

    Source: Draws et al. (2021), section 4.1.

    :param counts: the number of documents of each label
    :param alpha: the bias α, in [−1, 1] with the weights of the paper
    :param weighted: the labels that have w1, as indices of ``counts``; or booleans, ``[draws,
        labels]``, if they differ between the rankings
    :param draws: the number of rankings
    :param seed: the seed of the draws
    :param weights: returns w1 and w2 for α, both above 0; by default those of the paper
    :returns: the label at each rank, an index of ``counts``, ``[draws, N]``, where N is the sum of
        ``counts``
    :raises ValueError: α outside [−1, 1], weights that are not above 0, a count that is no whole
        number of at least 0, or labels that ``counts`` does not have

    Examples
    --------
    >>> from pt_fairness import simulation
    >>> codes = simulation.biased_rankings([5, 5], alpha=-0.5, weighted=[0], draws=1000)
    >>> codes.shape
    (1000, 10)
    >>> bool((codes[:, 0] == 0).mean() > 0.7)
    True
    """
    first, second = weights(alpha)
    if not (0 < first < np.inf and 0 < second < np.inf):
        raise ValueError(f"the weights ({first}, {second}) of alpha={shown(alpha)} are not "
                         "possible; both are numbers above 0")
    labels = np.arange(len(counts))
    chosen = np.array([*weighted])  # a list, because numpy does not convert a set
    if chosen.dtype != bool:
        if not np.isin(chosen, labels).all():
            raise ValueError(f"weighted={chosen.tolist()!r}: the labels are 0 to {len(labels) - 1}")
        chosen = np.isin(labels, chosen)
    elif chosen.shape != (draws, len(labels)):
        raise ValueError(f"weighted has the shape {chosen.shape}; booleans are needed for each "
                         f"of {draws} rankings and {len(labels)} labels")
    for count in counts:
        at_least(0, "counts", count)
    documents = np.repeat(labels, counts)
    of_labels = np.where(chosen, first, second)
    # Sorted exponential waiting times are draws without replacement (Efraimidis & Spirakis 2006).
    rng = np.random.default_rng(seed)
    waiting = rng.standard_exponential((draws, len(documents)))
    waiting /= of_labels[..., documents]
    order = waiting.argsort(axis=1)
    return documents[order]


def sweep(sets: Mapping[str, Mapping[Any, int]] = SETS, alphas: Iterable[float] = ALPHAS,
          measures: Any = None, draws: int = 1000, seed: int = 0, *,
          protected: Any = PROTECTED, advantaged: Iterable[Any] | None = None,
          weights: Weights = paper_weights) -> pd.DataFrame:
    """Simulate rankings of increasing bias, and return the mean of each measure.

    The simulation is that of Draws et al. (2021), section 4, figures 1 and 2, with
    :func:`biased_rankings`. Its section 5.3 leaves other labels and other biases to later work:
    here they are arguments.

    * A measure with a protected group sees rankings in which all ``protected`` labels are weighted.
    * A measure of all labels (``protected='all'``, or without that parameter) sees rankings in
      which one entry of ``advantaged`` is weighted, drawn for each ranking.

    α < 0 prefers the weighted labels, which follows from the weights in sections 4.1 and 4.1.2
    of the paper. Its section 4.2.2 says the opposite.

    A row depends only on the seed, ``draws``, α, the measure, the arguments after ``seed``, and the
    name and the counts of its set. Other sets, biases and measures do not change it. The function
    prints a progress bar and uses all processors.

    :param sets: the number of documents of each label, by the name of the set
    :param alphas: the biases α, each in [−1, 1] with the weights of the paper
    :param measures: measures of this package without a ``groups`` parameter, or their names; by
        default the four of the paper for the ``protected`` labels, with ``norm='protected-first'``
    :param draws: the number of rankings for each set and α, at least 2
    :param seed: the seed of the rankings
    :param protected: labels, also joined by commas, of which every set has one or more; by default
        the opposing viewpoints −3, −2 and −1
    :param advantaged: entries of one label or several; by default each protected label alone
    :param weights: returns the weight w1 of the weighted labels and the weight w2 of the others for
        α, both above 0; by default those of the paper
    :returns: ``set, alpha, measure, mean, sd`` (sample standard deviation over the rankings)
    :raises ValueError: a measure or weights that are not possible, or a set without a protected or
        an advantaged label

    Examples
    --------
    >>> from pt_fairness import simulation
    >>> sets = {"stances": {"CON": 20, "PRO": 80}}
    >>> frame = simulation.sweep(sets, [-1, 0], "nDD(protected='CON')", 100, protected="CON")
    >>> frame[["set", "alpha", "measure"]]
           set  alpha               measure
    0  stances   -1.0  nDD(protected='CON')
    1  stances    0.0  nDD(protected='CON')
    >>> bool(frame["mean"][0] > 2 * frame["mean"][1])
    True
    """
    from tqdm import tqdm
    from tqdm.contrib.concurrent import thread_map
    side = _labels(protected)
    choices = None
    if advantaged is not None:
        if isinstance(advantaged, str):
            advantaged = [advantaged]
        choices = [_labels(entry) for entry in advantaged]
    if measures is None:
        measures = measures_of(side)
    measures = measures_without_groups(measures, "sweep", "the groups are the labels of sets")
    by_name = _checked(sets)
    _need_labels(by_name, "protected", side)
    for choice in choices or []:
        _need_labels(by_name, "advantaged", choice)
    if not isinstance(alphas, Iterable):
        raise ValueError(f"alphas={shown(alphas)} is one value; it takes several, such as "
                         f"[{shown(alphas)}]")
    at_least(2, "draws", draws)
    of_all = [measure for measure in measures if measure.param("protected") in (None, "all")]
    of_group = [measure for measure in measures if measure not in of_all]

    def rows(point: tuple[str, float]) -> list[tuple[Any, ...]]:
        name, alpha = point
        counts = by_name[name]
        labels = list(counts)
        sizes = list(counts.values())
        every = np.flatnonzero(np.isin(labels, side))
        seeds = _seed(seed, name, alpha)
        group_seed, all_seed, choice_seed = seeds.spawn(3)
        drawn = _drawn_entries(labels, side, choices, draws, choice_seed)
        kinds = [(of_group, every, group_seed), (of_all, drawn, all_seed)]
        values = {}
        for together, weighted, of_rankings in kinds:
            if together:
                codes = biased_rankings(sizes, alpha, weighted, draws, of_rankings, weights)
                ranked = rankings(codes, labels, rels_of(together))
                values.update(score(together, ranked))
        table = []
        for measure in measures:
            of_measure = values[measure]
            mean = of_measure.mean()
            sd = of_measure.std(ddof=1)
            table.append((name, alpha, str(measure), mean, sd))
        return table

    biases = map(float, alphas)
    points = [*product(by_name, biases)]
    # Threads run in parallel, because numpy releases the GIL.
    parts = thread_map(rows, points, max_workers=os.cpu_count(), tqdm_class=tqdm,
                       desc="simulation", unit="point")
    return pd.DataFrame(chain(*parts), columns=["set", "alpha", "measure", "mean", "sd"])


def _drawn_entries(labels: Sequence[str], protected: Sequence[str],
                   advantaged: Sequence[Sequence[str]] | None, draws: int,
                   seed: np.random.SeedSequence) -> Bools:
    """Return the labels of a random entry for each ranking, ``[draws, labels]``.

    :param advantaged: the entries; ``None`` for each protected label alone
    """
    is_protected = np.isin(labels, protected)
    entries = np.diag(is_protected)[is_protected]
    if advantaged is not None:
        entries = np.array([np.isin(labels, entry) for entry in advantaged])
    rng = np.random.default_rng(seed)
    drawn = rng.choice(len(entries), draws)
    return entries[drawn]


def _labels(labels: Any) -> list[str]:
    """Return labels as a list of texts; ``labels`` can be one, joined by commas, or several."""
    if isinstance(labels, str):
        labels = labels.split(",")
    elif not isinstance(labels, Iterable):
        labels = [labels]
    return [label_text(label) for label in labels]


def _need_labels(sets: Mapping[str, Mapping[str, int]], argument: str,
                 labels: Sequence[str]) -> None:
    """Raise an error for a set that has none of the labels of an argument."""
    for name, counts in sets.items():
        if set(labels).isdisjoint(counts):
            raise ValueError(f"the set {name!r} has none of the {argument} labels "
                             f"{', '.join(labels)}; it has {', '.join(counts)}; name them with "
                             f"{argument}=")


def _checked(sets: Mapping[str, Mapping[Any, int]]) -> dict[str, dict[str, int]]:
    """Return the sets with their labels as text.

    :raises ValueError: an argument of another type, or equal labels
    """
    if not isinstance(sets, Mapping):
        raise ValueError(f"sets is a {type(sets).__name__}; it takes a dictionary from the names "
                         "of the sets to their documents by label")
    checked = {}
    for name, counts in sets.items():
        if not isinstance(counts, Mapping):
            raise ValueError(f"the set {name!r} is a {type(counts).__name__}; a set is a "
                             "dictionary from labels to the number of their documents")
        by_label = {label_text(label): count for label, count in counts.items()}
        if len(by_label) < len(counts):
            raise ValueError(f"two labels of the set {name!r} are equal as text: "
                             f"{', '.join(map(repr, counts))}; keep one of them")
        checked[name] = by_label
    return checked


def _seed(seed: int, name: str, alpha: float) -> np.random.SeedSequence:
    """Return the seed of one set and one α, independent of the other sets and biases."""
    bias = round(alpha, TIE_DECIMALS) + 0.0  # converts -0.0 to 0.0
    key = f"{name} {bias}"
    return np.random.SeedSequence(seed, spawn_key=tuple(key.encode()))
