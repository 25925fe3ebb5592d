"""The front of relevance and fairness that judgments allow, and the distance of systems from it.

Shapes: ``N`` rankings or states, ``C`` kinds of documents, ``m`` ranks. Documents are of one kind
if the measure of fairness cannot tell them apart: if they have the same label set or, for a measure
that compares two sides, are on the same side. A *state* is the number of documents of each kind in
a prefix. A *point* is the relevance and the fairness of a ranking; values of unfairness are
negated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_fairness.analysis.inputs import compares_groups, direction, loaded_qrels, per_query
from pt_fairness.core.arrays import (
    BLOCK_CELLS,
    ROUNDING,
    TIE_DECIMALS,
    Floats,
    Ints,
    gain,
    is_new,
    log_discount,
    ratio,
    unique_rows,
)
from pt_fairness.core.identifiers import with_text_ids
from pt_fairness.core.messages import warn
from pt_fairness.io.qrels_files import chosen_topics
from pt_fairness.measures.descriptions import LARGER, SMALLER
from pt_fairness.measures.measure import FairnessMeasure, values_of
from pt_fairness.measures.measure_names import parsed_one
from pt_fairness.provider.evaluator import grouped
from pt_fairness.provider.measure_lists import check_labels, parsed_or_none, take_groups
from pt_fairness.rankings.rankings import Rankings
from pt_fairness.rankings.trec_order import Judgments, empty_run

#: The largest number of states of a topic.
MOST = 1_100_000


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
    exact, and its rows are all vertices. A random choice between the rankings of two vertices
    reaches every point on the line between them, in expectation.

    The rankings of a topic hold its judged documents that have a group, as many as the larger
    cutoff. A system that returns other documents, or fewer, can lie beyond the front. A topic
    counts if it has such documents and ``fairness`` is defined. Relevance is normalised by all
    judged documents, so relevant documents without a group lower it.

    :param qrels: qrels in any form that :func:`pt_fairness.evaluate` reads. Of several rows of a
        document, the highest relevance counts.
    :param relevance: nDCG or P of ir_measures, with a cutoff
    :param fairness: a measure with a cutoff whose value depends only on the groups of the first
        documents and on a target other than ``'run'``: rND, rKL, rRD, NDKL, AWRF, DistKL, DistFair,
        RADio, RepBias(abs=True), FAIR, PreF or ARP
    :param groups: the group source of a measure without a ``groups`` parameter, without weights;
        ``None`` for the ``iteration`` of the qrels
    :param topics: the topics to count, a frame with ``qid`` or the ids; by default all
    :returns: a named tuple ``(front, topics, without_group)``: a frame with a column for each
        measure and a row for each vertex, by decreasing relevance; the topics that count; and the
        number of their relevant documents without a group
    :raises ValueError: if a measure is another one or lacks a cutoff, if the groups have weights,
        if no topic counts, or if a topic has too many rankings

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
    if not is_relevance(relevance):
        raise ValueError(f"relevance must be nDCG or P with a cutoff, got {relevance}")
    reason = reason_against(measure)
    if reason:
        raise ValueError(f"fairness must be a measure with a front, got {measure}: {reason}")
    if topics is not None and not isinstance(topics, pd.DataFrame):
        topics = pd.DataFrame({"qid": list(topics)})
    judged = chosen_topics(loaded_qrels(qrels), topics)
    judged = with_text_ids(judged, "qrels", "query_id", "doc_id")
    columns, judged, _ = take_groups([measure], judged, groups)
    ((measure, column),) = columns.items()
    judgments = Judgments(judged)
    (source,) = grouped([measure], judgments)
    annotations = source.annotations
    if source.groups is not None and source.groups.weighted:
        raise ValueError(f"groups must be without weights, got {source.groups!r}")
    check_labels(measure, source.groups, annotations.labels, warn)
    codes = annotations.pair_codes  # read first: the rankings extend these label sets
    rankings = annotations.rankings(empty_run(judgments), measure.depth)
    rankings = rankings.restricted(measure.added_labels)
    cutoff = relevance["cutoff"]
    depth = max(cutoff, measure.cutoff)
    weights = np.zeros(depth)
    weights[:cutoff] = 1 / cutoff
    if relevance.NAME == "nDCG":
        weights[:cutoff] = log_discount(cutoff)
    hulls = []
    qids = []
    without_group = 0
    for t, qid in enumerate(judgments.topics):
        start, end = np.searchsorted(judgments.topic, [t, t + 1])
        gains = _gains(relevance, judgments.relevance[start:end])
        sets = codes[start:end]
        pool = _pool(measure, rankings, t, sets, gains, weights)
        if pool is not None and not source.dropped[t]:
            points = pool.points()
            hulls.append(hull(points))
            qids.append(qid)
            without_group += np.count_nonzero(gains[sets < 0])
    if not qids:
        raise ValueError(f"{column} is undefined for every topic with a judged document of a group "
                         f"in {source.groups or 'the iteration of the qrels'}")
    vertices = _mean(hulls) * [1.0, _sign(measure)]
    front = pd.DataFrame(vertices, columns=[str(relevance), column])
    return Front(front, qids, without_group)


def reason_against(measure: Any) -> str:
    """Return why a measure of fairness lacks a front; ``''`` if it has one.

    Examples
    --------
    >>> from pt_fairness import nDD, rKL, RepBias
    >>> reason_against(nDD @ 5), reason_against(rKL)
    ('its population is the ranking itself', 'it lacks a cutoff, as in rKL@10')
    >>> reason_against(RepBias(group="CON") @ 5), reason_against(rKL @ 5)
    ('its values are signed, without abs=True', '')
    """
    if not isinstance(measure, FairnessMeasure):
        return "it is not a measure of this package"
    parts = list(measure.parts)
    several = parts != [measure]
    counts_relevance = measure.RELEVANCE or measure.JUDGED or several
    if counts_relevance and not measure.decided_by:
        return "its value depends on the relevance of documents"
    if not compares_groups(measure):
        return "it does not compare groups"
    if measure.reads_run:
        return "its population is the ranking itself"
    if direction(measure) not in (SMALLER, LARGER):
        return "its values are signed, without abs=True"
    if not measure.decided_by:
        return "its value depends on more than the groups of each ranking"
    if measure.cutoff is None:
        return f"it lacks a cutoff, as in {measure}@10"
    return ""


def is_relevance(measure: Any) -> bool:
    """Return whether a measure is nDCG or P with a cutoff."""
    return measure.NAME in ("nDCG", "P") and "cutoff" in measure.params


def _gains(measure: Any, relevance: Any) -> Floats:
    """Return the gain of each judged document of a topic, divided by the ideal value of nDCG."""
    if measure.NAME == "P":
        return np.where(relevance >= measure["rel"], 1.0, 0.0)
    grades = measure.params.get("gains", {})
    graded = pd.Series(relevance).replace(grades)
    kind = "exp" if measure["dcg"] == "exp-log2" else "linear"
    gains = gain(kind, graded, 1)
    best = -np.sort(-gains)[:measure["cutoff"]]
    ideal = best @ log_discount(len(best))
    return ratio(gains, ideal)


@dataclass(frozen=True)
class Pool:
    """The judged documents of a topic that have a group, best first, as many as rankings can hold.
    """

    measure: FairnessMeasure
    #: The judged documents of all topics, without ranked ones.
    rankings: Rankings
    #: The index of the topic.
    topic: int
    #: The number of ranks that decide the fairness, ``m``.
    depth: int
    #: The discount of each rank of a ranking: relevance is the gains times these.
    weights: Floats
    #: The label set, the kind, and the gain of each document, and the number of better documents of
    #: its kind, ``[n]``.
    codes: Ints
    kind: Ints
    gains: Floats
    place: Ints

    def points(self) -> Floats:
        """Return the points of rankings, ``[N, 2]``: all that may be vertices."""
        by = self.measure.decided_by
        if by == "prefixes":
            return self._vertices()
        if by == "order":
            documents = np.zeros((1, 0), np.int32)
            for step in self._steps(merged=False):
                states, row, _, document = step
                documents = np.column_stack([documents[row], document])
        else:
            *_, (states, *_) = self._steps()
            documents = self._documents(states)[:, :self.depth]
        score = partial(values_of, self.measure)
        fairness = self._fairness(score, documents)
        weights = self.weights[:self.depth]
        above = self.gains[documents] @ weights
        below = self._below(states)
        relevance = above + below
        return np.column_stack([relevance, fairness])

    def _fairness(self, score: Callable[[Rankings], Any], documents: Ints) -> Any:
        """Return the result of ``score`` for rankings, negated if it is unfairness.

        :param score: a function of a view
        :param documents: the document at each rank, ``[N, m]``
        """
        count = documents.size // BLOCK_CELLS + 1
        blocks = np.array_split(documents, count)
        views = (_view(self.rankings, self.topic, self.codes[block]) for block in blocks)
        scores = [score(view) for view in views]
        sign = _sign(self.measure)
        return sign * np.concatenate(scores)

    def _steps(self, merged: bool = True) -> Iterator[tuple[Ints, Ints, Ints, Ints]]:
        """Yield the states of each rank, and how a document leads to them.

        :param merged: whether equal states are merged
        :returns: the states, ``[N, C]``, and three arrays with an entry for each step: the state
            before, the state after, and the document
        :raises ValueError: if there are more than :data:`MOST` states
        """
        sizes = np.bincount(self.kind)
        first = sizes.cumsum() - sizes
        queue = np.argsort(self.kind, kind="stable")
        one = np.eye(len(sizes), dtype=np.int32)
        states = np.zeros((1, len(sizes)), np.int32)
        for rank in range(1, self.depth + 1):
            row, kind = np.nonzero(states < sizes)
            place = first[kind] + states[row, kind]
            document = queue[place]
            states = states[row] + one[kind]
            where = np.arange(len(row))
            if merged:
                columns, where = unique_rows(*states.T)
                states = np.column_stack(columns)
            if len(states) > MOST:
                qid = self.rankings.topics[self.topic]
                number = f"{len(states):,} rankings of {rank} documents"
                raise ValueError(f"the cutoff of {self.measure} must be at most {rank - 1}: topic "
                                 f"{qid!r} has {number}")
            yield states, row, where, document

    def _vertices(self) -> Floats:
        """Return the vertices of sums over the ranks, by a dynamic programme for each slope."""
        steps = []
        for rank, (states, row, where, document) in enumerate(self._steps()):
            documents = self._documents(states)[:, :self.depth]
            terms = self._fairness(self.measure.terms, documents)
            relevance = self.weights[rank] * self.gains[document]
            fairness = terms[where, rank]
            added = np.column_stack([relevance, fairness])
            steps.append((row, where, added))
        below = self._below(states)
        row = np.arange(len(below))
        end = np.zeros_like(row)
        added = np.column_stack([below, end])
        steps.append((row, end, added))
        first, last = (_furthest(steps, axis) for axis in np.eye(2))
        between = _between(steps, first, last)
        return np.array([first, *between, last])

    def _documents(self, states: Ints) -> Ints:
        """Return the documents of each state and, after them, the others, ``[N, length]``."""
        is_left = self.place >= states[:, self.kind]
        order = np.argsort(is_left, axis=1, kind="stable")
        return order[:, :len(self.weights)]

    def _below(self, states: Ints) -> Floats:
        """Return the relevance of the ranks below states of ``m`` documents, ``[N]``."""
        columns, where = unique_rows(*states.T)
        rankings = np.column_stack(columns)
        documents = self._documents(rankings)
        gains = self.gains[documents]
        below = gains[:, self.depth:] @ self.weights[self.depth:]
        return np.asarray(below[where])


def _pool(measure: FairnessMeasure, rankings: Rankings, topic: int, codes: Ints, gains: Floats,
          weights: Floats) -> Pool | None:
    """Return the pool of a topic; ``None`` if the topic does not count.

    :param rankings: the judged documents of all topics, without ranked ones
    :param codes: the label set of each judged document of the topic, −1 for none, ``[judged]``
    :param gains: the gain of each judged document, ``[judged]``
    :param weights: the discount of each rank
    """
    order = np.argsort(-gains, kind="stable")
    order = order[codes[order] >= 0]
    codes = codes[order]
    gains = gains[order]
    view = _view(rankings, topic, codes[None])
    if not len(codes) or np.isnan(values_of(measure, view)).any():
        return None
    kind = codes
    side = measure.side(view)
    if side is not None:
        (places,), _ = view.condensed(None)
        kind = side.sets[0][places]
    _, kind = np.unique(kind, return_inverse=True)
    same_kind = pd.Series(kind).groupby(kind)
    place = same_kind.cumcount().to_numpy()
    depth = min(measure.cutoff, len(codes))
    weights = weights[:len(codes)]
    within = place < len(weights)
    documents = [array[within] for array in (codes, kind, gains, place)]
    return Pool(measure, rankings, topic, depth, weights, *documents)


def _view(rankings: Rankings, topic: int, codes: Ints) -> Rankings:
    """Return a view of rankings of a topic.

    :param codes: the label set at each rank, ``[N, m]``
    """
    lists, depth = codes.shape
    number = np.arange(lists)
    length = np.full(lists, depth)
    topics = np.full_like(number, topic)
    pair = np.full(codes.size, -1)
    start = number * depth
    ranking = np.repeat(number, depth)
    ranked = replace(rankings, topic=topics, start=start, looked_up=length, ranking=ranking,
                     pair=pair, codes=codes.ravel())
    return ranked.block(topic, topic + 1)


def _sign(measure: FairnessMeasure) -> float:
    """Return −1 for a measure of unfairness, else 1."""
    return 1.0 if direction(measure) == LARGER else -1.0


def _furthest(steps: Sequence[tuple[Ints, Ints, Floats]], normal: Floats) -> Floats:
    """Return the point that is furthest in a direction, ``[2]``.

    Ties go to the point that is furthest in the mirrored direction: of the most relevant points the
    fairest, and of the fairest points the most relevant.

    :param steps: for each rank the state before, the state after, and what is added, ``[steps, 2]``
    """
    mirrored = normal[::-1]
    points = np.zeros((1, 2))
    for row, where, added in steps:
        points = points[row] + added
        far = (points @ normal).round(TIE_DECIMALS)
        ties = points @ mirrored
        order = np.lexsort((-ties, -far, where))
        first = is_new(where[order])
        points = points[order][first]
    return points[0]


def _between(steps: Sequence[tuple[Ints, Ints, Floats]], first: Floats,
             last: Floats) -> list[Floats]:
    """Return the vertices between two vertices, by the slope of the line through both."""
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

    They lead from the right-most point to the highest point. A point within 1e-12 of the line
    between its neighbours is left out.

    Examples
    --------
    >>> hull(np.array([[1.0, 0.0], [0.5, 0.5], [0.0, 1.0], [0.5, 0.8], [1.0, 0.2]])).tolist()
    [[1.0, 0.2], [0.5, 0.8], [0.0, 1.0]]
    """
    vertices = []
    x = points[:, 0]
    line = points[x.max() - x <= ROUNDING]
    while len(line):
        highest = line[:, 1].argmax()
        vertex = line[highest]
        vertices.append(vertex)
        is_higher = points[:, 1] > vertex[1] + ROUNDING
        points = points[is_higher]
        distances = abs(points - vertex)
        across, up = distances.T
        slopes = across / up
        slope = slopes.min(initial=np.inf)
        line = points[across <= slope * up + ROUNDING]
    return np.array(vertices)


def _mean(hulls: Sequence[Floats]) -> Floats:
    """Return the vertices of the hull of all means of a point of each hull, ``[N, 2]``.

    Its edges are the edges of all hulls, in the order of their slopes.
    """
    start = np.sum([vertices[:1] for vertices in hulls], axis=0)
    edges_by_topic = [np.diff(vertices, axis=0) for vertices in hulls]
    edges = np.concatenate(edges_by_topic)
    across, up = edges.T
    order = np.argsort(-across / up, kind="stable")
    edges = edges[order]
    points = np.concatenate([start, edges])
    totals = points.cumsum(axis=0)
    return hull(totals / len(hulls))


def headroom(systems: pd.DataFrame, front: Front) -> pd.DataFrame:
    """Return how much fairer each system could be at its relevance, by the front.

    :param systems: the values per topic, ``name, qid, measure, value``, with both measures for the
        topics of the front
    :param front: the result of :func:`frontier`
    :returns: a row for each system:

        * ``name``, and the means of both measures over the topics of the front
        * ``fairest``: the fairest mean with at least the relevance of the system, NaN beyond the
          most relevant vertex
        * ``most relevant``: the largest mean relevance at the fairness of the system, NaN beyond
          the fairest vertex
        * ``headroom``: how much closer to the ideal value ``fairest`` is; below 0 beyond the front
        * ``share``: the headroom as a share of the distance of the system from the ideal value; NaN
          if the distance is 0
    :raises ValueError: if a value is missing or given twice

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
    vertices, topics, _ = front
    measures = vertices.columns
    relevance, fairness = measures
    values = frame.pivot(index="qid", columns=["name", "measure"], values="value")
    known = values.reindex(topics)
    means = known.mean(skipna=False)
    names = frame["name"].unique()
    table = means.unstack().reindex(names, columns=measures)
    if table.isna().any(axis=None):
        raise ValueError(f"each system must have a value of {relevance} and of {fairness} for each "
                         f"topic of the front, such as {topics[0]!r}")
    ideal = parsed_or_none(fairness).IDEAL
    ascending = vertices[::-1]
    possible = ascending[relevance]
    far = abs(ascending[fairness] - ideal)
    now = abs(table[fairness] - ideal)
    # Rounding can place a system beyond the front that it is on.
    least = table[relevance] - ROUNDING
    nearest = np.interp(least, possible, far, right=np.nan)
    table["fairest"] = abs(ideal - nearest)
    table["most relevant"] = np.interp(now + ROUNDING, far, possible, left=np.nan)
    table["headroom"] = now - nearest
    table["share"] = table["headroom"] / now.where(now > 0)
    return table.rename_axis(index="name", columns=None).reset_index()
