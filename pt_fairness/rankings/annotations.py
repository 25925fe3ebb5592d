"""Lookup of the groups of judged and ranked documents."""

from __future__ import annotations

import copy
import threading
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from pt_fairness.core.arrays import Ints, recoded
from pt_fairness.core.identifiers import CHUNK
from pt_fairness.core.labels import TREC_DEFAULTS, UNKNOWN_GROUP
from pt_fairness.groups import Groups, Memberships
from pt_fairness.rankings.judgments import Judgments
from pt_fairness.rankings.labelled import Judged, Lists, Rankings
from pt_fairness.rankings.labelsets import LabelSets
from pt_fairness.rankings.run import Run


class Ranked(NamedTuple):
    """The label sets of a run's documents."""

    #: The label set of each document, ``[n]``, −1 where it is unannotated.
    codes: Ints
    #: The length to which each list was looked up, ``[R]``; later documents are ignored.
    length: Ints
    #: The label sets that the codes refer to.
    sets: LabelSets
    #: The number of documents whose labels are all outside the label set G.
    foreign: int
    #: The labels of these documents, sorted.
    foreign_labels: list[str]

    def share_within(self, run: Run, labels: Sequence[str], cutoff: int) -> float:
        """Return how many of the documents that count at a cutoff stand within it in the lists.

        These are the first documents of each list with one of the labels, at most ``cutoff``.

        :returns: their share; NaN if no document counts
        """
        annotated = np.flatnonzero(self.sets.any_of(labels)[self.codes])
        length = np.bincount(run.list[annotated], minlength=len(self.length))
        start = np.cumsum(length) - length
        place = np.arange(len(annotated)) - start[run.list[annotated]]
        counting = annotated[place < cutoff]
        return float(np.mean(run.place[counting] < cutoff)) if len(counting) else np.nan


class Annotations:
    """The groups of judged documents, from the ``iteration`` of the qrels or from a group source.

    Several threads can share an instance: a lock serialises the calls of the group source.

    :param judgments: the qrels
    :param groups: the group source; ``None`` for ``iteration``
    :param rels: the values of ``rel`` that the measures use; an element ``None`` stands for all
        judged documents
    :param added: labels that the targets of the measures add to the label set
    :param needed: whether the measures depend on groups; if not, every document is unannotated
    :param unknown: whether a document that the group source knows has the label ``@UNKNOWN`` if it
        has no other, or with the weight that the source gives it
    :raises ValueError: neither the group source nor the qrels have groups
    """

    def __init__(self, judgments: Judgments, groups: Groups | None, rels: Iterable[int | None] = (),
                 added: Iterable[str] = (), needed: bool = True, unknown: bool = False) -> None:
        self.judgments, self.groups = judgments, groups
        rels = set(rels)
        #: The labels that the group source declares; ``None`` if it declares none.
        self.declared = None if groups is None else groups.labels
        self._added, self._unknown = set(added), [UNKNOWN_GROUP] * unknown
        self._lock = threading.Lock()
        if not needed:
            self._name_labels([])
            self.judged = np.full(len(judgments.topic), -1, np.int32)
            self.by_rel = dict.fromkeys(rels, self.judged)
        elif groups is None:
            self._make_from_iteration(rels)
        else:
            self._make_from_source(groups, rels)

    def _make_from_iteration(self, rels: set[int | None]) -> None:
        index, relevance = self.judgments.index, self.judgments.row_relevance
        codes, labels = self.judgments.row_labels
        if labels and set(labels) <= TREC_DEFAULTS:
            raise ValueError(
                "the qrels have no groups: their iteration field is absent, or holds nothing but "
                f"{' and '.join(map(repr, labels))}. Name a source (groups= of the measure or of "
                "evaluate, --groups of the commands), or write the groups into the qrels "
                "(to_qrels of Groups, pt-fairness annotate). pt.io.read_qrels drops them, and "
                "pt.fairness.read_qrels keeps them")
        self._name_labels(labels)

        def sets_of(rows: Any) -> Ints:
            return self.sets.annotated(Memberships(index.pair[rows], codes[rows], labels),
                                       len(index))

        self.judged = sets_of(slice(None))
        #: For each ``rel``, the label set of each pair, ``[pairs]``; −1 for pairs of a lower
        #: relevance. Only rows with a relevance of at least ``rel`` contribute labels.
        self.by_rel = {rel: self.judged if rel is None or (relevance >= rel).all()
                       else sets_of(relevance >= rel) for rel in rels}

    def _make_from_source(self, groups: Groups, rels: set[int | None]) -> None:
        relevance = self.judgments.relevance
        complete, least = groups.labels is not None and groups.complete, -np.inf
        if complete:  # the other documents are not needed for the label set
            least = min((-np.inf if rel is None else rel for rel in rels), default=np.inf)
        pairs = np.flatnonzero(relevance >= least)
        found = self._look_up(groups, self.judgments, pairs)
        self._name_labels([] if complete else found.labels)
        codes = self.sets.annotated(found, len(relevance))
        if len(pairs) == len(relevance):
            self.judged = codes
        if self.labels == [] and groups.labels == []:
            raise ValueError(f"{groups!r} holds no group at all: every document that it names is "
                             "unannotated")
        self.by_rel = {rel: codes if rel is None else np.where(relevance >= rel, codes, -1)
                       for rel in rels}

    def _name_labels(self, judged: Iterable[str]) -> None:
        #: The label set G, sorted.
        self.labels = sorted({*judged, *(self.declared or ())}.difference(self._unknown))
        self.sets = LabelSets([*self.labels, *sorted(self._added - {*self.labels}),
                               *self._unknown])

    def _look_up(self, groups: Groups, documents: Judgments | Run, rows: Ints) -> Memberships:
        """Return the annotations of documents from the group source.

        :param rows: the indices of the documents to look up
        :returns: the annotations; ``item`` holds elements of ``rows``
        :raises ValueError: the source returns weights, but its ``weighted`` is False
        """
        qids, topic = np.array(self.judgments.topics, dtype=object), documents.topic
        at_once = CHUNK if groups.in_parts else max(len(rows), 1)
        place: dict[str, int] = {}
        parts: list[tuple[Any, ...]] = [(np.zeros(0, np.intp), np.zeros(0, np.int32), np.zeros(0))]
        for start in range(0, len(rows), at_once):
            part = rows[start:start + at_once]
            with self._lock:  # user-defined sources and docstores may not be thread-safe
                found = Memberships(*groups.annotate(qids[topic[part]], documents.docnos(part)))
            if found.weight is not None and not groups.weighted:
                raise ValueError(f"{groups!r}.annotate returned weights, but the groups are not "
                                 "weighted; set weighted = True in the class")
            if self._unknown:
                found = found.with_unknown(len(part))
            table = np.array([place.setdefault(name, len(place)) for name in found.labels],
                             np.int32)
            parts.append((part[found.item], table[found.codes],
                          found.weights if groups.weighted else np.zeros(0)))
        item, codes, weights = (np.concatenate(some) for some in zip(*parts, strict=True))
        return Memberships(item, codes, list(place), weights if groups.weighted else None)

    @cached_property
    def judged(self) -> Ints:
        """The label set of each judged pair, ``[pairs]``, −1 where it is unannotated."""
        assert self.groups is not None
        pairs = np.arange(len(self.judgments.topic))
        return self.sets.annotated(self._look_up(self.groups, self.judgments, pairs), len(pairs))

    def without_group(self, rel: int) -> str | None:
        """Return the first relevant docno if no relevant document has a group, else ``None``."""
        relevant = np.flatnonzero(self.judgments.relevance >= rel)
        if not len(relevant) or (self.by_rel.get(rel, np.zeros(1)) >= 0).any():
            return None
        return str(self.judgments.docnos(relevant[:1])[0])

    def of_run(self, run: Run, depth: int | None) -> Ranked:
        """Return the label sets of a run's documents.

        Lookup in a group source stops when each list has ``depth`` annotated documents or ends.

        :param depth: ``None`` for the whole lists
        """
        if self.groups is None:
            codes = np.where(run.pair >= 0, self.judged[run.pair], -1)
            return Ranked(codes, run.length, self.sets, 0, [])
        sets = copy.copy(self.sets)
        codes = np.full(len(run.topic), -1, np.int32)
        known = np.zeros(len(run.length), np.int32)
        depth = int(run.length.max(initial=0)) if depth is None else depth
        wanted = np.minimum(run.length, depth).astype(np.int32)
        foreign, foreign_labels = 0, set()
        countable = [*self.labels, *self._unknown]
        while (wanted > known).any():
            rows = np.flatnonzero((run.place >= known[run.list])
                                  & (run.place < wanted[run.list])).astype(np.int32)
            found = self._look_up(self.groups, run, rows)
            item, label, labels, *_ = found
            codes[rows] = sets.annotated(found, len(codes))[rows]
            if self._unknown:  # labels outside the label set are unknown
                codes[item[codes[item] < 0]] = sets.labels.index(UNKNOWN_GROUP)
            outside = recoded(label, labels, countable) < 0
            if outside.any():
                alone = np.setdiff1d(item[outside], item[~outside])
                foreign += len(alone)
                foreign_labels |= {labels[one] for one in np.unique(label[np.isin(item, alone)])}
            known = wanted
            annotated = np.bincount(run.list[sets.any_of(countable)[codes]], minlength=len(known))
            wanted = np.where(annotated < depth, np.minimum(run.length, 2 * known), known)
        return Ranked(codes, known, sets, foreign, sorted(foreign_labels))

    def rankings(self, run: Run, ranked: Ranked) -> Rankings:
        """Return the ranked and the judged documents with their label sets."""
        judgments = self.judgments
        return Rankings(
            Lists(run.topics, run.start, ranked.length, run.list, run.pair, ranked.codes,
                  lambda: run.item),
            Judged(judgments.topics, judgments.topic, judgments.relevance, self.by_rel),
            ranked.sets, self.labels, order=None if self.groups is None else self.groups.order)
