"""What a value could have been with the same documents: reference rankings and random orders."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf, nan
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.analysis.directions import direction, distance
from pt_fairness.analysis.frames import REFERENCES
from pt_fairness.analysis.inputs import (
    compares_groups,
    first_rows,
    group_annotations,
    loaded_qrels,
    one_run,
    ranked_runs,
    runs_and_qrels,
)
from pt_fairness.core.arrays import TIE_DECIMALS, Bools, Floats, Ints, positions, uniforms
from pt_fairness.core.identifiers import with_text_ids
from pt_fairness.core.messages import at_least, listed, shown
from pt_fairness.io.run_files import RunInputs
from pt_fairness.measures.measure import FairnessMeasure, fairest, score
from pt_fairness.provider.evaluator import GroupedMeasures, grouped
from pt_fairness.provider.measure_lists import parsed, take_groups
from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.labelled import LabelSets, Rankings
from pt_fairness.rankings.trec_order import Judgments, Run

#: The kinds of reference rankings.
KINDS = tuple(REFERENCES)
#: The number of documents that are scored at a time, which limits the memory.
DOCUMENTS = 1 << 20


@dataclass(frozen=True)
class Pool:
    """The documents of a topic that its reference rankings hold, ``n`` documents, ``L`` groups."""

    qid: str
    #: The documents in the order of the pool, ``[n]``.
    docnos: Any
    #: The share of each group in each document, ``[n, L]``; rows sum to 1.
    shares: Floats
    #: The label set of each document, ``[n]``: the place of its sorted labels among all label sets.
    sets: Ints

    def in_order(self, kind: str, depth: int | None) -> Ints:
        """Return the first ``depth`` documents in an order of :data:`KINDS` but the random one."""
        if kind == "proportional":
            return self._proportional(depth)
        size = np.bincount(self.sets)[self.sets]
        if kind == "largest-group-first":
            size = -size
        order = np.lexsort((self.sets, size))
        return order[:depth]

    def _proportional(self, depth: int | None) -> Ints:
        """Return the order in which, at each rank, the most under-represented label set is next."""
        sets, of_document = np.unique(self.sets, return_inverse=True)
        queues = []
        for k in range(len(sets)):
            documents = np.flatnonzero(of_document == k)
            queues.append(documents[::-1].tolist())
        target = self.shares.mean(axis=0)
        so_far = np.zeros_like(target)
        first = [queue[-1] for queue in queues]
        following = self.shares[first]
        exhausted = np.zeros(len(sets))
        order = []
        for rank, _ in enumerate(self.docnos[:depth], 1):
            need = following @ (rank * target - so_far)
            # Sums that are equal in exact arithmetic differ by rounding.
            k = int((need.round(9) + exhausted).argmax())
            document = queues[k].pop()
            order.append(document)
            so_far += self.shares[document]
            if queues[k]:
                following[k] = self.shares[queues[k][-1]]
            else:
                exhausted[k] = -inf
        return np.array(order)


def reference_rankings(qrels: Any, run: Any = None, groups: Any = None,
                       kinds: Sequence[str] = KINDS, rel: int = 1, depth: int | None = None,
                       draws: int = 100, seed: int = 0, *,
                       topics: Any = None) -> dict[str, pd.DataFrame]:
    """Return rankings to compare a system with: the same documents in other orders.

    The *pool* of a topic is its annotated documents with a relevance of at least ``rel``, in
    descending order of relevance and then of docno: what a perfect system returns. With ``run``,
    it is the annotated documents that the run returns, in trec_eval's order: what this system
    found. A topic with an empty pool has no rows.

    * ``random``: uniformly random orders of the pool, as samples of one run.
    * ``proportional``: at each rank i, the next document of the label set with the largest
      ``Σ_g m_g (i T_g − c_g)``. T is the share of each group in the pool, c the number of
      documents of each group so far, m the share of each group in the next document.
    * ``largest-group-first``, ``smallest-group-first``: whole label sets one after the other, by
      their number of documents.

    Ties between label sets (equal to nine decimals) go to the set whose sorted labels come first.

    :param qrels: ``qid, docno, label`` (or ir_measures' names) and, without ``groups``,
        ``iteration``; or what :func:`pt_fairness.io.load_qrels` reads: a file, or the id of a
        dataset
    :param run: a run with one ranking of each topic, in any form that
        :func:`pt_fairness.evaluate` takes; ``None`` for the relevant documents
    :param groups: the group source; ``None`` for the ``iteration`` of the qrels
    :param kinds: the kinds to return
    :param rel: the lowest relevance of the pool; unused with ``run``
    :param depth: the number of documents to keep; ``None`` for all
    :param draws: the number of random orders
    :param seed: the seed of the random orders
    :param topics: the topics of a transformer, as of :func:`pt_fairness.evaluate`
    :returns: a run ``qid, docno, score, rank`` for each kind; ``random`` has a column
        ``iteration``, the number of the draw
    :raises ValueError: an unknown kind, ``depth`` or ``draws`` below 1, a run with several rankings
        of a topic, or qrels without groups

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import reference_rankings
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b", "c", "d"], "label": 1,
    ...                       "iteration": ["PRO", "PRO", "CON", "CON"]})
    >>> runs = reference_rankings(qrels)
    >>> " ".join(runs["proportional"]["docno"]), " ".join(runs["largest-group-first"]["docno"])
    ('d b c a', 'd c b a')
    """
    if isinstance(kinds, str):
        kinds = [kinds]
    kinds = list(kinds)
    for kind in kinds:
        if kind not in KINDS:
            raise ValueError(f"kinds={shown(kinds)}: {shown(kind)} is no kind of reference "
                             f"ranking; the kinds are {listed(KINDS)}")
    at_least(1, "depth", depth, "all documents")
    at_least(1, "draws", draws)
    judgments = Judgments(loaded_qrels(qrels))
    annotations = group_annotations(judgments, groups, [rel])
    if run is None:
        if topics is not None:
            raise ValueError("topics= is for a transformer as the run; leave it out")
        pools = _pools(annotations, rel)
    else:
        pools = _pools_of_run(annotations, one_run(run, topics))
    rankings = {}
    for kind in KINDS:
        if kind not in kinds:
            continue
        if kind == "random":
            rankings[kind] = _random(pools, depth, draws, seed)
        else:
            orders = [pool.in_order(kind, depth) for pool in pools]
            rankings[kind] = _frame(pools, orders)
    return rankings


def _pools(annotations: Annotations, rel: int) -> list[Pool]:
    """Return the pool of relevant documents of each topic."""
    judgments = annotations.judgments
    codes = annotations.by_rel[rel]
    rows = np.flatnonzero(codes >= 0)
    docnos = judgments.docnos(rows).astype(object)
    _, place = np.unique(docnos, return_inverse=True)
    topic = judgments.topic[rows]
    relevance = judgments.relevance[rows]
    order = np.lexsort((-place, -relevance, topic))
    codes = codes[rows[order]]
    return _by_topic(annotations, annotations.sets, topic[order], docnos[order], codes)


def _pools_of_run(annotations: Annotations, frame: pd.DataFrame) -> list[Pool]:
    """Return the annotated documents that a run returns for each topic."""
    run = Run(frame, annotations.judgments)
    if run.sampled:
        raise ValueError("the run has several rankings of a topic; reference_rankings takes one: "
                         "choose the rows of one sample by the column 'iteration'")
    ranked = annotations.of_run(run, None)
    rows = _annotated(ranked)
    docnos = run.docnos(rows)
    return _by_topic(annotations, ranked.sets, run.topic[rows], docnos, ranked.codes[rows])


def _annotated(ranked: Rankings) -> Ints:
    """Return the indices of the documents that have a group."""
    usable = ranked.sets.any_of(ranked.labels)
    return np.flatnonzero(usable[ranked.codes])


def _by_topic(annotations: Annotations, sets: LabelSets, topic: Ints, docnos: Any,
              codes: Ints) -> list[Pool]:
    """Return the pool of each topic.

    :param topic: the topic of each document, ascending
    """
    distinct, number = np.unique(codes, return_inverse=True)
    shares = sets.shares(distinct, annotations.labels)
    labels = [tuple(np.flatnonzero(row)) for row in shares]
    in_order = sorted(set(labels))
    places = np.array([in_order.index(of_set) for of_set in labels], np.int64)
    present, starts = np.unique(topic, return_index=True)
    pools = []
    for t, documents in zip(present, np.split(np.arange(len(topic)), starts[1:]), strict=False):
        kinds = number[documents]
        qid = annotations.judgments.topics[t]
        pools.append(Pool(qid, docnos[documents], shares[kinds], places[kinds]))
    return pools


def _random(pools: Sequence[Pool], depth: int | None, draws: int, seed: int) -> pd.DataFrame:
    """Return random orders of pools, as samples of one run."""
    orders = []
    for draw in range(draws):
        for pool in pools:
            random = uniforms(seed, pool.qid, draw, len(pool.docnos))
            order = random.argsort()
            orders.append(order[:depth])
    frame = _frame([*pools] * draws, orders)
    size = len(frame) // draws
    samples = np.repeat(np.arange(draws), size)
    return frame.assign(iteration=samples)


def _frame(pools: Sequence[Pool], orders: Sequence[Ints]) -> pd.DataFrame:
    """Return a run in which the documents of each pool have the given order."""
    sizes = np.array([len(order) for order in orders], np.int64)
    number = np.repeat(np.arange(len(orders)), sizes)
    qids = np.array([pool.qid for pool in pools], object)
    docnos = [pool.docnos[order] for pool, order in zip(pools, orders, strict=True)]
    frame = pd.DataFrame({"qid": qids[number]})
    frame["docno"] = np.concatenate([*docnos, []])
    rank = positions(number)
    frame["score"] = -rank.astype(float)
    frame["rank"] = rank
    return frame


def against_random(runs: RunInputs, qrels: pd.DataFrame, measures: Any,
                   groups: Any = None, depth: int | None = None, draws: int = 1000,
                   seed: int = 0, *, topics: Any = None, progress: bool = True) -> pd.DataFrame:
    """Compare each system with random orders of the documents that it found.

    A value has two causes: which documents a system found, and how it orders them. Each draw puts
    the annotated documents of every ranking into a random order; unannotated documents keep their
    ranks. Values that random orders have as often tell nothing about the order. Measures that weigh
    relevance (GFR, EEL by group) change with the ranks of the relevant documents, too.

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
    :param progress: whether to show a progress bar on standard error
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
    >>> found = analysis.against_random({"A": run}, qrels, "rND@4", progress=False)
    >>> found[["value", "random", "fairer", "p"]].round(2)
       value  random  fairer     p
    0    0.7    0.54    0.83  0.68
    """
    from tqdm import tqdm
    at_least(1, "depth", depth, "all documents")
    at_least(1, "draws", draws)
    measures = parsed(measures)
    for measure in measures:
        if not compares_groups(measure):
            raise ValueError(f"{measure} is not possible here: against_random takes measures of "
                             "this package that compare groups")
    judged = with_text_ids(loaded_qrels(qrels), "qrels", "query_id", "doc_id")
    frames, judged = runs_and_qrels(runs, judged, topics)
    columns, judged, _ = take_groups(measures, judged, groups)
    judgments = Judgments(judged)
    sources = grouped(columns, judgments)
    ranked = ranked_runs(frames, judgments)
    by_sources: dict[Any, list[FairnessMeasure]] = {}
    for measure in columns:
        used = tuple(source for source in sources
                     if not set(source.measures).isdisjoint(measure.parts))
        by_sources.setdefault(used, []).append(measure)
    rows = []
    for system, run in tqdm(ranked.items(), desc="against random", unit="run",
                            disable=not progress):
        if depth is not None:
            first = first_rows(run, depth)
            frame = run.frame(first)
            # The number of each list in its topic.
            frame["iteration"] = positions(run.topics)[run.list[first]]
            run = Run(frame, judgments)
        for used, of_sources in by_sources.items():
            for measure, least, means, n in _scored(system, run, used, of_sources, draws, seed):
                row = {"name": system, "measure": columns[measure], "value": means[0]}
                summary = _summary(measure, means)
                rows.append({**row, "fairest": least, **summary, "n": n})
    return pd.DataFrame(rows)


def _scored(system: str, run: Run, sources: Sequence[GroupedMeasures],
            measures: Sequence[FairnessMeasure], draws: int,
            seed: int) -> Iterator[tuple[FairnessMeasure, float, Floats, int]]:
    """Yield the means over topics of each measure.

    :param sources: the sources of these measures
    :returns: the measure, the value of the fairest possible rankings, the values of the system and
        of each draw, ``[1 + draws]``, and the number of topics
    """
    rankings = [source.annotations.of_run(run, None) for source in sources]
    annotated = [_annotated(ranked) for ranked in rankings]
    places = np.unique(np.concatenate(annotated))
    dropped = [source.dropped for source in sources]
    counts = ~np.any(dropped, axis=0)
    n = int(counts.sum())
    documents = len(run.topic) + len(rankings[0].relevance)
    batch = DOCUMENTS // documents + 1
    turns = np.arange(draws + 1)  # 0 is the system itself
    sums = []
    for numbers in np.split(turns, turns[batch::batch]):
        rows = _orders(system, run, rankings[0].topics, places, numbers, seed)
        scores = {}
        for source, ranked in zip(sources, rankings, strict=True):
            drawn = ranked.repeated(len(numbers))
            drawn = drawn.reordered(rows)
            scores.update(score(source.measures, drawn))
        composed = []
        for measure in measures:
            of_parts = [scores[part] for part in measure.parts]
            composed.append(measure.compose(of_parts))
        values = np.nan_to_num(composed)
        values = values.reshape(len(measures), len(numbers), -1)
        sums.append(values[..., counts].sum(axis=2))
    means = np.concatenate(sums, axis=1) / max(n, 1)
    for measure, mean in zip(measures, means, strict=True):
        yield measure, _least(measure, rankings[0], counts), mean, n


def _least(measure: FairnessMeasure, rankings: Rankings, counts: Bools) -> float:
    """Return the mean value of the fairest possible rankings, NaN if it is not known."""
    values = fairest(measure, rankings)
    if values is None or not counts.any():
        return nan
    scores = score([measure], rankings)[measure]
    values = np.where(np.isnan(scores), 0.0, values)
    return float(values[counts].mean())


def _orders(system: str, run: Run, topics: Sequence[str], places: Ints, numbers: Ints,
            seed: int) -> Ints:
    """Return the index of the document at each place of the repeated rankings, ``[draws · n]``.

    :param places: the indices of the annotated documents, ascending
    :param numbers: the numbers of the draws, ``[draws]``; 0 is the order of the system
    """
    n = len(run.topic)
    identity = np.arange(n)
    rows = np.tile(identity, (len(numbers), 1))
    drawn = np.flatnonzero(numbers)
    samples = numbers[drawn] - 1
    starts = range(1, len(topics))
    ends = np.searchsorted(run.topic[places], starts)
    for qid, documents in zip(topics, np.split(places, ends), strict=True):
        size = len(documents)
        if size < 2 or not len(drawn):
            continue
        name = f"{system}\n{qid}"
        random = np.array([uniforms(seed, name, sample, size) for sample in samples])
        # Each ranking by itself: sorting by list first, and by the random numbers within.
        lists = np.broadcast_to(run.list[documents], random.shape)
        order = np.lexsort((random, lists), axis=1)
        rows[np.ix_(drawn, documents)] = documents[order]
    offsets = n * np.arange(len(numbers))
    rows += offsets[:, None]
    return rows.ravel()


def _summary(measure: FairnessMeasure, means: Floats) -> dict[str, float]:
    """Return the columns ``random, sd, fairer, p`` of a system and measure.

    :param means: the mean value of the system, and that of each draw, ``[1 + draws]``
    """
    random = means[1:]
    draws = len(random)
    difference = (random - means[0]).round(TIE_DECIMALS)
    far = distance(means, direction(measure) or "")
    worse = (far[1:] - far[0]).round(TIE_DECIMALS)
    below = (difference <= 0).sum()
    above = (difference >= 0).sum()
    tail = 1 + min(below, above)
    fairer = (1 - np.sign(worse)).mean() / 2
    deviation = nan
    if draws > 1:
        deviation = random.std(ddof=1)
    p = min(1.0, 2 * tail / (draws + 1))
    return {"random": random.mean(), "sd": deviation, "fairer": fairer, "p": p}
