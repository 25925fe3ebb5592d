"""A system's values beside those of random orders of the documents that it found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.analysis.arguments import is_of_groups, loaded_qrels, runs_and_qrels, runs_of
from pt_fairness.analysis.columns import TIE_DECIMALS
from pt_fairness.analysis.directions import direction_of_measure, from_best
from pt_fairness.core.arrays import Bools, Floats, Ints
from pt_fairness.core.identifiers import with_text_ids
from pt_fairness.core.messages import at_least
from pt_fairness.core.streams import uniforms
from pt_fairness.io.run_files import RunInputs
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.scoring import fairest, score
from pt_fairness.provider.evaluator import GroupedMeasures, grouped
from pt_fairness.provider.parsing import parsed, take_groups
from pt_fairness.rankings.labelled import Rankings
from pt_fairness.rankings.trec_order import Judgments, Run

#: The number of documents that are scored at a time, which limits the memory.
DOCUMENTS = 1 << 20


def against_random(runs: RunInputs, qrels: pd.DataFrame, measures: Any,
                   groups: Any = None, depth: int | None = None, draws: int = 1000,
                   seed: int = 0, *, topics: Any = None) -> pd.DataFrame:
    """Compare each system with random orders of the documents that it found.

    A value has two causes: which documents a system found, and how it orders them. Each draw puts
    the annotated documents of every ranking into a random order; unannotated documents keep their
    ranks. Values that random orders have as often tell nothing about the order. Measures that weigh
    relevance (GFR, EEL by group) change with the ranks of the relevant documents, too. The function
    prints a progress bar.

    :param runs: as of :func:`pt_fairness.evaluate`; with several rankings of a topic, too
    :param qrels: ``qid, docno, label`` (or ir_measures' names) and, for measures without groups of
        their own, ``iteration``
    :param measures: measures of groups of this package, or their names
    :param groups: the group source of measures without a ``groups`` parameter, as
        :func:`pt_fairness.evaluate` takes it
    :param depth: the number of documents of each ranking to keep; ``None`` for all
    :param draws: the number of random orders, at least 1
    :param seed: the seed of the random orders, which depend on the names of the systems and topics
        but on nothing else
    :param topics: the topics of transformers, as of :func:`pt_fairness.evaluate`
    :returns: a row for each system and measure:

        * ``name, measure``
        * ``value``: the mean over topics
        * ``fairest``: the value of the fairest possible rankings; known for rND, rKL, rRD, nDD, nDR
          and nDKL, NaN for others
        * ``random, sd``: the mean and the standard deviation of this mean over the draws
        * ``fairer``: the share of the draws that are fairer than the system, from 0 to 1; a draw of
          equal value counts one half. Of signed measures, the smaller absolute value is fairer.
        * ``p``: the two-sided p-value of a random order: small for an order that is less fair than
          random ones, and for one that is fairer
        * ``n``: the number of topics of the mean. Undefined topics count as 0.0, topics that the
          group source drops do not count.
    :raises ValueError: a measure that does not compare groups, or a run, depth or number of draws
        that is not possible

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b", "c", "d"], "label": 1,
    ...                       "iteration": ["PRO", "PRO", "CON", "CON"]})
    >>> run = qrels[["qid", "docno"]].assign(score=[4.0, 3.0, 2.0, 1.0])
    >>> found = analysis.against_random({"A": run}, qrels, "rND@4")
    >>> found[["value", "random", "fairer", "p"]].round(2)
       value  random  fairer     p
    0    0.7    0.54    0.83  0.68
    """
    from tqdm import tqdm
    at_least(1, "depth", depth, "all documents")
    at_least(1, "draws", draws)
    wanted = parsed(measures)
    for measure in wanted:
        if not is_of_groups(measure):
            raise ValueError(f"{measure} is not possible here: against_random takes measures of "
                             "this package that compare groups")
    qrels = with_text_ids(loaded_qrels(qrels), "qrels", "query_id", "doc_id")
    frames, judged = runs_and_qrels(runs, qrels, topics)
    columns, judged, _ = take_groups(wanted, judged, groups)
    judgments = Judgments(judged)
    sources = grouped(columns, judgments)
    rows = []
    for system, run in tqdm(runs_of(frames, judgments).items(),
                            desc="against random", unit="run"):
        cut = run if depth is None else _cut(run, judgments, depth)
        rows += [{"name": system, "measure": columns[measure], "value": means[0],
                  "fairest": least, **_summary(measure, means[0], means[1:]), "n": n}
                 for measure, least, means, n in _scored(system, cut, judgments, sources, columns,
                                                         draws, seed)]
    return pd.DataFrame(rows)


def _cut(run: Run, judgments: Judgments, depth: int) -> Run:
    """Return the first ``depth`` documents of each ranking."""
    rows = np.flatnonzero(run.place < depth)
    first = np.searchsorted(run.topics, run.topics)
    return Run(pd.DataFrame({
        "query_id": np.array(judgments.topics, object)[run.topic[rows]],
        "doc_id": run.docnos(rows), "score": -run.place[rows].astype(float),
        "iteration": (np.arange(len(first)) - first)[run.list[rows]]}), judgments)


def _scored(system: str, run: Run, judgments: Judgments, sources: Sequence[GroupedMeasures],
            measures: Any, draws: int, seed: int) -> Iterator[tuple[Any, float, Floats, int]]:
    """Yield the means over topics of each measure.

    :returns: the measure, the value of the fairest possible rankings, the values of the system and
        of each draw, ``[1 + draws]``, and the number of topics
    """
    by_sources: dict[tuple[GroupedMeasures, ...], list[FairnessMeasure]] = {}
    for measure in measures:
        own = tuple(source for source in sources
                    if not set(source.measures).isdisjoint(measure.parts))
        by_sources.setdefault(own, []).append(measure)
    for own, some in by_sources.items():
        rankings = [source.annotations.of_run(run, None) for source in own]
        annotated = np.any([ranked.sets.any_of(ranked.labels)[ranked.codes]
                            for ranked in rankings], axis=0)
        kept = ~np.any([source.dropped for source in own], axis=0)
        size = len(run.topic) + len(judgments.topic)
        means: list[Floats] = []
        for start in range(0, draws + 1, batch := max(1, DOCUMENTS // max(size, 1))):
            # Number 0 is the system itself.
            numbers = range(start, min(start + batch, draws + 1))
            rows = _orders(system, run, judgments, annotated, numbers, seed)
            values: dict[FairnessMeasure, Floats] = {}
            for source, ranked in zip(own, rankings, strict=True):
                parts = [part for part in source.measures
                         if any(part in measure.parts for measure in some)]
                values |= score(parts, ranked.repeated(len(numbers)).reordered(rows))
            whole = [measure.compose([values[part] for part in measure.parts]) for measure in some]
            topics = np.nan_to_num(np.reshape(whole, (len(some), len(numbers), len(kept))))
            means.append(topics[..., kept].sum(axis=2) / max(kept.sum(), 1))
        for measure, mean in zip(some, np.concatenate(means, axis=1), strict=True):
            yield measure, _least(measure, rankings[0], kept), mean, int(kept.sum())


def _least(measure: FairnessMeasure, rankings: Rankings, kept: Bools) -> float:
    """Return the mean value of the fairest possible rankings, NaN if it is not known."""
    values = fairest(measure, rankings)
    if values is None or not kept.any():
        return np.nan
    undefined = np.isnan(score([measure], rankings)[measure])
    return float(np.where(undefined, 0.0, values)[kept].mean())


def _orders(system: str, run: Run, judgments: Judgments, annotated: Any, numbers: range,
            seed: int) -> Ints:
    """Return the index of the document at each place of the repeated rankings, ``[draws · n]``."""
    rows = np.tile(np.arange(len(run.topic)), (len(numbers), 1))
    drawn = np.flatnonzero(numbers)
    places = np.flatnonzero(annotated)
    of_topic = np.searchsorted(run.topic[places], np.arange(len(judgments.topics) + 1))
    for t, qid in enumerate(judgments.topics):
        mine = places[of_topic[t]:of_topic[t + 1]]
        if len(mine) < 2 or not len(drawn):
            continue
        random = np.array([uniforms(seed, f"{system}\n{qid}", numbers[i] - 1, len(mine))
                           for i in drawn])
        # Each ranking by itself: sorting by list first, and by the random numbers within.
        lists = np.broadcast_to(run.list[mine], random.shape)
        rows[np.ix_(drawn, mine)] = mine[np.lexsort((random, lists), axis=1)]
    return (rows + len(run.topic) * np.arange(len(numbers))[:, None]).ravel()


def _summary(measure: FairnessMeasure, value: float, means: Floats) -> dict[str, float]:
    difference = np.round(means - value, TIE_DECIMALS)
    direction = direction_of_measure(measure)
    worse = np.round(from_best(means, direction) - from_best(value, direction), TIE_DECIMALS)
    tail = 1 + min((difference <= 0).sum(), (difference >= 0).sum())
    return {"random": means.mean(), "sd": means.std(ddof=1) if len(means) > 1 else np.nan,
            "fairer": ((worse < 0).sum() + 0.5 * (worse == 0).sum()) / len(means),
            "p": min(1.0, 2 * tail / (len(means) + 1))}
