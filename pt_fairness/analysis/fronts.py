"""What the judgments allow: the front of relevance and fairness, and how far a system is from it.

Shapes: ``N`` lists or states, ``C`` kinds of documents, ``m`` ranks. Documents are of one kind if
the measure of fairness cannot tell them apart: if they have the same label set or, where two sides
are compared, stand on the same side. A *state* is the number of documents of each kind in a prefix.
A *point* is the relevance and the fairness of a list; values of unfairness are negated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_fairness.analysis.directions import direction
from pt_fairness.analysis.frames import per_query
from pt_fairness.analysis.inputs import is_of_groups, loaded_qrels
from pt_fairness.core.arrays import (
    BLOCK_CELLS,
    ROUNDING,
    TIE_DECIMALS,
    Floats,
    Ints,
    gain,
    log_discount,
    ratio,
    unique_rows,
)
from pt_fairness.core.identifiers import with_text_ids
from pt_fairness.core.messages import shown, warn
from pt_fairness.io.document_files import of_topics
from pt_fairness.measures.descriptions import LARGER, SMALLER, ideal_text
from pt_fairness.measures.measure import FairnessMeasure, values_of
from pt_fairness.measures.measure_names import parsed_one
from pt_fairness.provider.evaluator import grouped
from pt_fairness.provider.measure_lists import (
    check_labels,
    parsed_or_none,
    take_groups,
    takes_groups,
)
from pt_fairness.rankings.labelled import Rankings
from pt_fairness.rankings.trec_order import Judgments, empty_run
from pt_fairness.rankings.view import View

#: The largest number of candidates of a topic (see :meth:`Pool.candidates`).
MOST = 1_100_000
#: The largest number whose factorial is a float.
LARGEST_FACTORIAL = 170


class Front(NamedTuple):
    """The front of relevance and fairness: the result of :func:`frontier`."""

    #: A column for each measure and a row for each vertex, by decreasing relevance.
    front: pd.DataFrame
    #: The topics that count.
    topics: list[str]
    #: The number of their relevant documents without a group.
    without_group: int


def frontier(qrels: Any, relevance: Any, fairness: Any, groups: Any = None,
             topics: Any = None) -> Front:
    """Return the front of relevance and fairness that the judgments allow.

    A point of the front has the largest mean relevance of all points that are as fair. The front is
    exact, and the rows are all of its vertices. Every point on the line between two vertices is
    reached, in expectation, by a random choice between their rankings.

    The lists of a topic hold its judged documents that have a group, as many as the larger cutoff
    asks for. A system that returns other documents, or fewer, can lie beyond the front. A topic
    without such documents, or for which ``fairness`` is undefined, does not count. The relevance is
    normalised by all judged documents, so relevant ones without a group lower it.

    :param qrels: as of :func:`pt_fairness.evaluate`. Of several rows of a document, the highest
        relevance counts
    :param relevance: nDCG or P of ir_measures, with a cutoff
    :param fairness: a measure with a cutoff whose value depends on nothing but the groups of the
        first documents, and on a target other than ``'run'``: rND, rKL, rRD, NDKL, AWRF, DistKL,
        DistFair, RADio, RepBias(abs=True), FAIR, PreF or ARP
    :param groups: the group source, if ``fairness`` names none; ``None`` for the ``iteration`` of
        the qrels. Without weights
    :param topics: the topics that count, a frame with ``qid`` or the ids; by default all
    :returns: a named tuple ``(front, topics, without_group)``: a frame with a column for each
        measure and a row for each vertex, by decreasing relevance, the topics that count, and the
        number of their relevant documents without a group
    :raises ValueError: another measure, a measure without a cutoff, two group sources, weights, no
        topic that counts, or too many lists

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b", "c", "d"], "label": [2, 2, 1, 1],
    ...                       "iteration": ["PRO", "PRO", "PRO", "CON"]})
    >>> analysis.frontier(qrels, "nDCG@2", "AWRF@2").front.round(3)
       nDCG@2  AWRF@2
    0   1.000   0.689
    1   0.807   0.991
    """
    relevance = parsed_one(relevance)
    measure = parsed_one(fairness)
    reason = reason_against(measure)
    if not is_relevance(relevance):
        raise ValueError(f"relevance={relevance} is not possible; it takes nDCG or P with a "
                         "cutoff, such as nDCG@10")
    if reason:
        raise ValueError(f"{measure} has no front: {reason}")
    if groups is not None and not takes_groups(measure):
        raise ValueError(f"{measure} names its groups, and groups={shown(groups)} names others; "
                         "leave one of them out")
    if topics is not None and not isinstance(topics, pd.DataFrame):
        topics = pd.DataFrame({"qid": list(topics)})
    judged = of_topics(loaded_qrels(qrels), topics)
    judged = with_text_ids(judged, "qrels", "query_id", "doc_id")
    columns, judged, _ = take_groups([measure], judged, groups)
    ((measure, column),) = columns.items()
    pools = _pools(relevance, measure, column, judged)
    _check_size(pools, measure)
    vertices = _mean([hull(pool.points()) for pool in pools])
    qids = [pool.qid for pool in pools]
    without = sum(pool.without for pool in pools)
    front = pd.DataFrame(vertices * [1.0, pools[0].sign], columns=[str(relevance), column])
    return Front(front, qids, int(without))


def _pools(relevance: Any, measure: FairnessMeasure, column: str,
           judged: pd.DataFrame) -> list[Pool]:
    """Return the pools of the topics that have a value.

    :param column: the name of ``measure`` in errors
    :raises ValueError: weights, or there is no such topic
    """
    judgments = Judgments(judged)
    (source,) = grouped([measure], judgments)
    annotations = source.annotations
    if source.groups is not None and source.groups.weighted:
        raise ValueError(f"{source.groups!r} has weights, and documents with weights are all of "
                         "different kinds; use groups without weights")
    check_labels(measure, annotations, warn)
    codes = annotations.pair_codes  # read first, so that the rankings have these label sets, too
    rankings = annotations.of_run(empty_run(judgments), measure.depth)
    rankings = rankings.of_labels(measure.added_labels, measure.depth)
    gains = _gains(relevance, judgments.relevance)
    starts = np.searchsorted(judgments.topic, range(1, len(judgments.topics)))
    of_topics = zip(np.split(codes, starts), np.split(gains, starts), strict=True)
    pools = []
    for t, (codes, gains) in enumerate(of_topics):
        if source.dropped[t]:
            continue
        pool = Pool(relevance, measure, rankings, t, codes, gains)
        if pool.counts:
            pools.append(pool)
    if not pools:
        raise ValueError(f"{column} has a value for no topic with a judged document that has a "
                         f"group in {source.groups or 'the iteration of the qrels'}, so there is "
                         "no front")
    return pools


def reason_against(measure: Any) -> str:
    """Return why a measure of fairness has no front; ``''`` if it has one.

    Examples
    --------
    >>> from pt_fairness import nDD, rKL, RepBias
    >>> reason_against(nDD @ 5), reason_against(rKL)
    ('its population is the list itself', 'it has no cutoff; use rKL@10')
    >>> reason_against(RepBias(group="CON") @ 5), reason_against(rKL @ 5)
    ('its values are signed; use abs=True if it takes it', '')
    """
    if not isinstance(measure, FairnessMeasure):
        return "it is no measure of this package"
    counts_relevance = measure.RELEVANCE or measure.JUDGED or list(measure.parts) != [measure]
    if counts_relevance and not measure.decided_by:
        return "the relevance of documents counts in its value"
    if ideal_text(measure) == "more":
        return "it has no ideal value"
    if not is_of_groups(measure):
        return "it compares no groups"
    if measure.of_run:
        return "its population is the list itself"
    if direction(measure) not in (SMALLER, LARGER):
        return "its values are signed; use abs=True if it takes it"
    if not measure.decided_by:
        return "its value is not the mean over lists of what their groups alone decide"
    if measure.cutoff is None:
        return f"it has no cutoff; use {measure}@10"
    return ""


def is_relevance(measure: Any) -> bool:
    """Return whether a measure is nDCG or P with a cutoff."""
    return measure.NAME in ("nDCG", "P") and "cutoff" in measure.params


def _gains(measure: Any, relevance: Any) -> Floats:
    """Return the gain of each judged document, as trec_eval counts it."""
    if measure.NAME == "P":
        return np.asarray(relevance >= measure["rel"], float)
    if "gains" in measure.params:
        relevance = pd.Series(relevance).replace(measure["gains"])
    return gain("exp" if measure["dcg"] == "exp-log2" else "linear", relevance, 1)


class Pool:
    """The judged documents of a topic that have a group, best first, as many as lists can hold.

    :param rankings: the judged documents of all topics, without ranked ones
    :param codes: the label set of each judged document of the topic, −1 for none, ``[judged]``
    :param gains: the gain of each judged document, ``[judged]``
    """

    def __init__(self, relevance: Any, measure: FairnessMeasure, rankings: Rankings, topic: int,
                 codes: Ints, gains: Floats) -> None:
        self.measure = measure
        self._rankings = rankings
        self._topic = topic
        self.qid = rankings.topics[topic]
        #: −1 if the values are of unfairness, else 1.
        self.sign = -1.0
        if direction(measure) == LARGER:
            self.sign = 1.0
        order = np.argsort(-gains, kind="stable")
        codes = codes[order]
        gains = gains[order]
        has_group = codes >= 0
        cutoff = relevance["cutoff"]
        discounts = np.ones(cutoff)
        ideal = cutoff
        if relevance.NAME == "nDCG":
            discounts = log_discount(cutoff)
            best = gains[:cutoff]
            ideal = best @ discounts[:len(best)]
        #: The number of relevant documents without a group.
        self.without = np.count_nonzero(gains[~has_group])
        codes = codes[has_group]
        gains = gains[has_group]
        #: Whether the topic has a value.
        self.counts = False
        if not len(codes):
            return
        sets, number = np.unique(codes, return_inverse=True)
        view = self._view(sets[:, None])
        values = values_of(measure, view)
        if np.isnan(values).any():
            return
        self.counts = True
        longest = max(cutoff, measure.cutoff)
        length = min(longest, len(codes))
        #: The number of ranks that decide the fairness, ``m``.
        self.depth = min(measure.cutoff, length)
        #: The normalised discount of each rank of a list: relevance is the gains times these.
        self.weights = np.zeros(length)
        self.weights[:cutoff] = ratio(discounts[:length], ideal)
        side = measure.side(view)
        if side is not None:
            places, _ = view.condensed(1)
            protected = side.sets[0]
            is_protected = protected[places].ravel()
            number = is_protected[number].astype(int)
        documents = pd.Series(number)
        place = documents.groupby(number).cumcount().to_numpy()
        usable = place < length
        #: The number of better documents of the same kind, ``[n]``.
        self.place = place[usable]
        #: The label set, the kind and the gain of each document, ``[n]``.
        self.codes = codes[usable]
        self.kind = number[usable]
        self.gains = gains[usable]
        #: The number of documents of each kind, ``[C]``.
        self.sizes = np.bincount(self.kind)

    def _view(self, codes: Ints) -> View:
        """Return a view of lists.

        :param codes: the label set at each rank, ``[N, m]``
        """
        topic = self._topic
        lists, depth = codes.shape
        number = np.arange(lists)
        list_topic = np.full(lists, topic)
        length = np.full(lists, depth)
        unjudged = np.full(codes.size, -1)
        ranked = replace(
            self._rankings, list_topic=list_topic, start=number * depth, length=length,
            list_of=np.repeat(number, depth), pair=unjudged, codes=codes.ravel())
        one_topic = slice(topic, topic + 1)
        return View(ranked, one_topic)

    def _scored(self, score: Callable[[View], Any], codes: Ints) -> Any:
        """Return the result of ``score`` for lists, computed block by block.

        :param score: a function of a view
        :param codes: the label set at each rank, ``[N, m]``
        """
        lists, depth = codes.shape
        size = max(1, BLOCK_CELLS // depth)
        scores = []
        for start in range(0, lists, size):
            view = self._view(codes[start:start + size])
            scores.append(score(view))
        return np.concatenate(scores)

    def candidates(self) -> Floats:
        """Return the number of candidates for each cutoff from 0 to that of the measure.

        These are the sequences of kinds if the order of a list matters to the measure, and the
        states of the last rank if not, or if a dynamic programme finds the best sequences.
        """
        from scipy import special
        n = min(self.measure.cutoff, LARGEST_FACTORIAL) + 1
        cutoffs = np.arange(n)
        orders = np.ones(n)
        if self.measure.decided_by == "order":
            orders = special.factorial(cutoffs)
        ways = np.ones(1)
        for size in self.sizes:
            of_kind = 1.0 / orders[:size + 1]
            ways = np.convolve(ways, of_kind)[:n]
        last = len(ways) - 1
        lengths = np.minimum(cutoffs, last)
        return ways[lengths] * orders[lengths]

    def points(self) -> Floats:
        """Return the points of lists, ``[N, 2]``: all that may be vertices."""
        by = self.measure.decided_by
        if by == "prefixes":
            return self._of_prefixes()
        if by == "order":
            lists = np.zeros((1, 0), np.int32)
            for step in self._steps(merged=False):
                states, row, _, document = step
                before = lists[row]
                lists = np.column_stack([before, document])
        else:
            *_, (states, *_) = self._steps()
            lists = self._lists(states)[:, :self.depth]
        codes = self.codes[lists]
        gains = self.gains[lists]
        score = partial(values_of, self.measure)
        fairness = self.sign * self._scored(score, codes)
        relevance = gains @ self.weights[:self.depth] + self._after(states)
        return np.column_stack([relevance, fairness])

    def _lists(self, states: Ints) -> Ints:
        """Return a list for each state, ``[N, length]``: its documents, then the others.

        Both parts are in the order of the pool.
        """
        is_behind = self.place >= states[:, self.kind]
        order = np.argsort(is_behind, axis=1, kind="stable")
        return order[:, :len(self.weights)]

    def _after(self, states: Ints) -> Floats:
        """Return the relevance of the ranks below those of states of ``m`` documents, ``[N]``."""
        columns, where = unique_rows(*states.T)
        distinct = np.column_stack(columns)
        gains = self.gains[self._lists(distinct)]
        below = gains[:, self.depth:] @ self.weights[self.depth:]
        return np.asarray(below[where])

    def _steps(self, merged: bool = True) -> Iterator[tuple[Ints, Ints, Ints, Ints]]:
        """Yield the states of each rank, and how a document leads to them.

        :param merged: whether equal states are merged
        :returns: the states, ``[N, C]``, and three arrays with an entry for each step: the state
            before, the state after, and the document
        """
        queue = np.argsort(self.kind, kind="stable")
        first = self.sizes.cumsum() - self.sizes
        states = np.zeros((1, len(first)), np.int64)
        for _ in range(self.depth):
            possible = states < self.sizes
            row, kind = np.nonzero(possible)
            states = states[row]
            where = np.arange(len(row))
            taken = states[where, kind]
            document = queue[first[kind] + taken]
            states[where, kind] += 1
            if merged:
                columns, where = unique_rows(*states.T)
                states = np.column_stack(columns)
            yield states, row, where, document

    def _of_prefixes(self) -> Floats:
        """Return the vertices of sums over the ranks, by a dynamic programme for each slope."""
        steps = []
        for rank, (states, row, where, document) in enumerate(self._steps()):
            lists = self._lists(states)[:, :self.depth]
            terms = self._scored(self.measure.terms, self.codes[lists])
            fairness = self.sign * terms[where, rank]
            relevance = self.weights[rank] * self.gains[document]
            added = np.column_stack([relevance, fairness])
            steps.append((row, where, added))
        below = self._after(states)
        row = np.arange(len(below))
        end = np.zeros_like(row)
        added = np.column_stack([below, end])
        steps.append((row, end, added))
        relevant, fair = np.eye(2)
        first = _furthest(steps, relevant)
        last = _furthest(steps, fair)
        between = _between(steps, first, last)
        return np.array([first, *between, last])


def _check_size(pools: Sequence[Pool], measure: FairnessMeasure) -> None:
    """Check that no topic has more than :data:`MOST` candidates.

    :raises ValueError: if one has
    """
    table = pd.DataFrame({pool.qid: pool.candidates() for pool in pools})
    lists = table.iloc[-1]
    if lists.max() > MOST:
        impossible = (table > MOST).any(axis=1)
        raise ValueError(f"{measure} has {lists.max():,.0f} lists to compare for the topic "
                         f"{lists.idxmax()!r}, and at most {MOST:,} are possible; use a cutoff of "
                         f"at most {impossible.argmax() - 1}")


def _furthest(steps: Sequence[tuple[Ints, Ints, Floats]], normal: Floats) -> Floats:
    """Return the point that is furthest in a direction, ``[2]``.

    Of equally far ones it is the furthest in the mirrored direction: of the most relevant points
    the fairest, and of the fairest ones the most relevant.

    :param steps: for each rank the state before, the state after, and what is added, ``[steps, 2]``
    """
    mirrored = normal[::-1]
    points = np.zeros((1, 2))
    for row, where, added in steps:
        points = points[row] + added
        near = -(points @ normal).round(TIE_DECIMALS)
        order = np.lexsort((-points @ mirrored, near, where))
        points = points[order]
        _, first = np.unique(where[order], return_index=True)
        points = points[first]
    return points[0]


def _between(steps: Sequence[tuple[Ints, Ints, Floats]], first: Floats,
             last: Floats) -> list[Floats]:
    """Return the vertices between two of them, by the slope of their chord."""
    across, up = last - first
    normal = np.array([up, -across])
    if (normal <= ROUNDING).any():
        return []
    normal /= normal.sum()
    middle = _furthest(steps, normal)
    if (middle - first) @ normal <= ROUNDING:
        return []
    before = _between(steps, first, middle)
    after = _between(steps, middle, last)
    return [*before, middle, *after]


def hull(points: Floats) -> Floats:
    """Return the vertices of the upper right hull, by decreasing first coordinate, ``[N, 2]``.

    They lead from the right-most point to the highest one. A point within 1e-12 of the line between
    its neighbours is no vertex.

    Examples
    --------
    >>> hull(np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0], [0.5, 0.8], [1.0, 0.2]])).tolist()
    [[1.0, 0.2], [0.5, 0.8], [0.0, 1.0]]
    """
    vertices = []
    x = points[:, 0]
    line = points[x >= x.max() - ROUNDING]
    while len(line):
        highest = line[:, 1].argmax()
        vertex = line[highest]
        vertices.append(vertex)
        is_higher = points[:, 1] > vertex[1] + ROUNDING
        points = points[is_higher]
        across, up = abs(points - vertex).T
        slopes = across / up
        furthest = slopes.min(initial=np.inf) * up + ROUNDING
        line = points[across <= furthest]
    return np.array(vertices)


def _mean(hulls: Sequence[Floats]) -> Floats:
    """Return the vertices of the hull of the means of points, one of each hull, ``[N, 2]``.

    These are the edges of all hulls, in the order of their slopes.
    """
    start = np.sum([vertices[:1] for vertices in hulls], axis=0)
    edges = np.concatenate([np.diff(vertices, axis=0) for vertices in hulls])
    across, up = edges.T
    order = np.argsort(-across / up, kind="stable")
    edges = edges[order]
    points = np.concatenate([start, edges])
    return hull(points.cumsum(axis=0) / len(hulls))


def headroom(systems: pd.DataFrame, front: Front) -> pd.DataFrame:
    """Return how much fairer each system could be at its relevance, by the front.

    :param systems: the values per topic, ``name, qid, measure, value``; of both measures for the
        topics of the front
    :param front: the result of :func:`frontier`
    :returns: a row for each system:

        * ``name``, and the means of both measures over the topics of the front. An undefined topic
          counts 0 in other averages; a front has none.
        * ``fairest``: the fairest mean that can be had with at least the relevance of the system,
          NaN beyond the most relevant vertex
        * ``most relevant``: the largest mean relevance that can be had at the fairness of the
          system, NaN beyond the fairest vertex
        * ``headroom``: how much closer to the ideal value ``fairest`` is; below 0 beyond the front
        * ``share``: the headroom as a share of the distance of the system from the ideal value, NaN
          if that is 0
    :raises ValueError: if a value is missing or given twice, or a frame is none of these

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b", "c", "d"], "label": [2, 2, 1, 1],
    ...                       "iteration": ["PRO", "PRO", "PRO", "CON"]})
    >>> front = analysis.frontier(qrels, "nDCG@2", "AWRF@2")
    >>> systems = pd.DataFrame({"name": "mine", "qid": "1", "measure": ["nDCG@2", "AWRF@2"],
    ...                         "value": [0.9, 0.5]})
    >>> analysis.headroom(systems, front).round(3)
       name  nDCG@2  AWRF@2  fairest  most relevant  headroom  share
    0  mine     0.9     0.5    0.845            1.0     0.345   0.69
    """
    frame = per_query(systems)
    if not isinstance(front, Front):
        raise ValueError(f"front must be the result of frontier, got {shown(front)}")
    vertices, topics, _ = front
    measures = vertices.columns
    relevance, fairness = measures
    values = frame.pivot(index="qid", columns=["name", "measure"], values="value")
    values = values.reindex(topics)
    means = values.mean(skipna=False).unstack()
    names = frame["name"].unique()
    table = means.reindex(names, columns=measures)
    if table.empty or table.isna().any(axis=None):
        raise ValueError(f"each system needs a value of {relevance} and of {fairness} for each "
                         f"topic of the front, such as {topics[0]!r}")
    end = parsed_or_none(fairness).IDEAL
    ascending = vertices[::-1]
    possible = ascending[relevance]
    far = abs(ascending[fairness] - end)
    now = abs(table[fairness] - end)
    # Rounding can place a system that is on the front beyond it.
    nearest = np.interp(table[relevance] - ROUNDING, possible, far, right=np.nan)
    table["fairest"] = abs(end - nearest)
    table["most relevant"] = np.interp(now + ROUNDING, far, possible, left=np.nan)
    closer = table["headroom"] = now - nearest
    table["share"] = closer / now.where(now > 0)
    return table.rename_axis(index="name", columns=None).reset_index()
