"""The groups of judged and ranked documents."""

from __future__ import annotations

import copy
import threading
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from pt_fairness.core.arrays import Bools, Ints, distinct, ranges, recoded
from pt_fairness.core.identifiers import CHUNK
from pt_fairness.core.messages import TREC_DEFAULTS, UNKNOWN_GROUP
from pt_fairness.groups import Groups, Memberships
from pt_fairness.groups.memberships import LabelSets
from pt_fairness.rankings.rankings import Rankings
from pt_fairness.rankings.trec_order import Judgments, Run


class Matches(NamedTuple):
    """How many documents there are, and how many lack a group, or a value, in a source."""

    documents: int
    without: int
    #: The first document without a group or value; ``None`` if all have one.
    first: str | None
    #: The number of documents of each ranking that were counted; ``None`` for all.
    depth: int | None = None

    @classmethod
    def of(cls, documents: Judgments | Run, rows: Ints, matched: Bools) -> Matches:
        """Return the matches of documents.

        :param rows: the indices of the documents, ``[n]``
        :param matched: a mask of those that have a group or value, ``[n]``
        """
        without = rows[~matched]
        first = _first(documents, without)
        return cls(len(rows), len(without), first)

    def joined(self, run: Matches) -> Matches:
        """Return the sum of the matches of two runs."""
        documents = self.documents + run.documents
        without = self.without + run.without
        return Matches(documents, without, self.first or run.first, self.depth)

    def __str__(self) -> str:
        matched = self.documents - self.without
        return f"{matched:,} of {self.documents:,}"


def _first(documents: Judgments | Run, rows: Ints) -> str | None:
    """Return the docno of the first of some documents, ``None`` without any."""
    if not len(rows):
        return None
    docno, = documents.docnos(rows[[0]])
    return str(docno)


def matched_line(ranked: Matches, judged: Matches | None = None, what: str = "group") -> str:
    """Return a sentence with the number of documents that have a group or value in a source.

    :param what: ``group`` or ``value``

    Examples
    --------
    >>> matched_line(Matches(2400, 418, "d17"), Matches(2107, 0, None))
    '2,107 of 2,107 judged and 1,982 of 2,400 ranked documents have a group (first without: d17)'
    """
    first = ranked.first
    documents = f"{ranked} ranked documents"
    if judged is not None:
        first = judged.first or first
        documents = f"{judged} judged and {documents}"
    details = []
    if ranked.depth is not None:
        details.append(f"of the first {ranked.depth} of each ranking")
    if first is not None:
        details.append(f"first without: {first}")
    return f"{documents} have a {what}" + (f" ({'; '.join(details)})" if details else "")


def _no_groups(labels: Iterable[str]) -> ValueError:
    """Return the error for qrels without groups.

    :param labels: the values of ``iteration``
    """
    return ValueError(
        "the qrels must have groups, or the measures a source: the iteration of the qrels is "
        f"absent or only {' and '.join(map(repr, labels))}. Name a source (groups= of the measure "
        "or of evaluate, --groups of the commands), or write the groups into the qrels (to_qrels "
        "of Groups, pt-fairness annotate). pt.io.read_qrels drops them, and "
        "pt.fairness.read_qrels keeps them. A column group in the results of a system is read by "
        "pt_fairness.evaluate alone: elsewhere, name groups.from_frame(results), or "
        "groups.from_transformer of the transformer that makes it")


class Annotations:
    """The groups of judged documents, from the ``iteration`` of the qrels or from a group source.

    Several threads can share an instance: a lock serialises the calls of the group source.

    :param judgments: the qrels
    :param groups: the group source; ``None`` for ``iteration``
    :param rels: the values of ``rel`` that the measures use; an element ``None`` stands for all
        judged documents
    :param added: labels that the targets of the measures add to the groups G
    :param needed: whether the measures depend on groups; if not, every document is unannotated
    :param unknown: whether a document that the group source knows has the label ``@UNKNOWN`` if it
        has no other, or with the weight that the source gives it
    :raises ValueError: if neither the group source nor the qrels have groups
    """

    #: For each ``rel``, the label set of each pair, ``[pairs]``; −1 for pairs of a lower relevance.
    #: If the groups are in the qrels, rows of a lower relevance add no labels.
    judged_codes: dict[int | None, Ints]

    def __init__(self, judgments: Judgments, groups: Groups | None, rels: Iterable[int | None] = (),
                 added: Iterable[str] = (), needed: bool = True, unknown: bool = False) -> None:
        self.judgments = judgments
        self.groups = groups
        #: The labels that the group source declares; ``None`` if it declares none.
        self.declared = None if groups is None else groups.labels
        self._added = set(added)
        self._unknown = [UNKNOWN_GROUP] * unknown
        self._lock = threading.Lock()
        pairs = len(judgments.topic)
        if not needed:
            self._set_labels([])
            self.pair_codes = np.full(pairs, -1, np.int32)
            self.judged_codes = dict.fromkeys(rels, self.pair_codes)
        elif groups is None:
            _, texts = judgments.row_labels
            if texts and TREC_DEFAULTS.issuperset(texts):
                raise _no_groups(texts)
            codes, labels, _ = judgments.row_groups
            self._set_labels(labels)
            label = recoded(codes, labels, self.sets.labels)
            self.pair_codes = self.sets.code(judgments.index.pair, label, pairs)
            self.judged_codes = {}
            for rel in rels:
                self.judged_codes[rel] = self.relevant(rel)
        else:
            self._ask_source(groups, set(rels))

    def _ask_source(self, groups: Groups, rels: set[Any]) -> None:
        """Take the groups of the judged documents from a group source."""
        relevance = self.judgments.relevance
        pairs = np.arange(len(relevance))
        complete = groups.complete and groups.labels is not None
        if complete and None not in rels:
            # Documents of a lower relevance are not needed for the groups G.
            least = min(rels, default=np.inf)
            pairs = np.flatnonzero(relevance >= least)
        memberships = self._look_up(groups, self.judgments, pairs)
        self._set_labels([] if complete else memberships.labels)
        codes = self.sets.annotated(memberships, len(relevance))
        if len(pairs) == len(relevance):
            self.pair_codes = codes
        if self.labels == [] and groups.labels == []:
            raise ValueError(f"groups must annotate a document, got {groups!r} without groups")
        self.judged_codes = dict.fromkeys(rels, codes)
        for rel in rels - {None}:
            self.judged_codes[rel] = np.where(relevance >= rel, codes, -1)

    def relevant(self, rel: int | None) -> Ints:
        """Return the label set of each pair, ``[pairs]``; −1 for pairs of a lower relevance."""
        if rel in self.judged_codes:
            return self.judged_codes[rel]
        judgments = self.judgments
        least = -np.inf if rel is None else rel
        if self.groups is not None:
            return np.where(judgments.relevance >= least, self.pair_codes, -1)
        rows = judgments.row_relevance >= least
        if rows.all():
            return self.pair_codes
        codes, labels, _ = judgments.row_groups
        label = recoded(codes[rows], labels, self.sets.labels)
        pair = judgments.index.pair[rows]
        return self.sets.code(pair, label, len(self.pair_codes))

    def _set_labels(self, judged: Iterable[str]) -> None:
        labels = {*(self.declared or ()), *judged}.difference(self._unknown)
        #: The groups G, sorted.
        self.labels = sorted(labels)
        added = sorted(self._added - labels)
        self.sets = LabelSets([*self.labels, *added, *self._unknown])

    def _look_up(self, groups: Groups, documents: Judgments | Run, rows: Ints) -> Memberships:
        """Return the annotations of documents from the group source.

        :param rows: the indices of the documents to look up
        :returns: the annotations; ``item`` holds elements of ``rows``, and ``labels`` can have a
            label twice
        :raises ValueError: if the source returns weights, but its ``weighted`` is False
        """
        chunk = CHUNK if groups.blockwise else max(len(rows), 1)
        labels: list[str] = []
        items = [np.zeros(0, np.intp)]
        codes = [np.zeros(0, np.int32)]
        weights = [np.zeros(0)]
        for start in range(0, len(rows), chunk):
            part = rows[start:start + chunk]
            qids = self.judgments.names[documents.topic[part]]
            docnos = documents.docnos(part)
            with self._lock:  # sources of users and docstores may not be thread-safe
                columns = groups.annotate(qids, docnos)
                memberships = Memberships(*columns)
            if memberships.weight is not None and not groups.weighted:
                raise ValueError("weighted must be True in the class of a group source with "
                                 f"weights, got {groups!r}")
            if self._unknown:
                memberships = memberships.unknown_added(len(part))
            items.append(part[memberships.item])
            codes.append(np.asarray(memberships.codes, np.int32) + len(labels))
            labels += memberships.labels
            if groups.weighted:
                weights.append(memberships.weights)
        weight = np.concatenate(weights) if groups.weighted else None
        return Memberships(np.concatenate(items), np.concatenate(codes), labels, weight)

    @cached_property
    def pair_codes(self) -> Ints:
        """The label set of each judged pair, ``[pairs]``, −1 where it is unannotated."""
        assert self.groups is not None
        pairs = np.arange(len(self.judgments.topic))
        memberships = self._look_up(self.groups, self.judgments, pairs)
        return self.sets.annotated(memberships, len(pairs))

    def ranked_matches(self, run: Run, rankings: Rankings, depth: int | None) -> Matches:
        """Return the matches of the first ``depth`` documents of each ranking; ``None`` for all."""
        counted = rankings.looked_up
        if depth is not None:
            counted = np.minimum(counted, depth)
        rows = ranges(run.start, counted)
        has_group = rankings.codes[rows] >= 0
        return Matches.of(run, rows, has_group)._replace(depth=depth)

    def judged_matches(self) -> Matches | None:
        """Return the matches of the judged documents; ``None`` if that would read their corpus."""
        is_listed = self.groups is not None and self.groups.blockwise
        if not is_listed and "pair_codes" not in self.__dict__:
            return None
        pairs = np.arange(len(self.pair_codes))
        return Matches.of(self.judgments, pairs, self.pair_codes >= 0)

    def without_group(self, rel: int) -> str | None:
        """Return the first relevant docno if no relevant document has a group, else ``None``."""
        if rel not in self.judged_codes or (self.judged_codes[rel] != -1).any():
            return None
        relevant = np.flatnonzero(self.judgments.relevance >= rel)
        return _first(self.judgments, relevant)

    def rankings(self, run: Run, depth: int | None) -> Rankings:
        """Return the ranked and the judged documents with their label sets.

        Lookup in a group source stops when each ranking has ``depth`` annotated documents or ends;
        later documents are unannotated.

        :param depth: ``None`` for whole rankings
        """
        judgments = self.judgments
        codes = np.full(len(run.ranking), -1, np.int32)
        ranked = run.ranking, run.pair, codes, lambda: run.item
        judged_documents = judgments.topic, judgments.relevance, self.judged_codes
        rankings = Rankings(judgments.topics, run.topics, run.start, run.length, *ranked,
                            *judged_documents, self.sets, self.labels)
        if self.groups is not None:
            return self._source_rankings(rankings, self.groups, run, depth)
        judged = run.pair >= 0
        codes[judged] = self.pair_codes[run.pair[judged]]
        return rankings

    def _source_rankings(self, rankings: Rankings, groups: Groups, run: Run, depth: int | None
                     ) -> Rankings:
        """Return rankings with the label sets of the ranked documents from the group source."""
        codes = rankings.codes
        sets = copy.copy(self.sets)
        foreign: set[str] = set()
        if depth is None:
            longest = run.length.max(initial=0)
            depth = int(longest)
        length = np.minimum(run.length, depth)
        before = np.zeros_like(length)
        while (length > before).any():
            rows = ranges(run.start + before, length - before)
            item, label, labels, *_ = memberships = self._look_up(groups, run, rows)
            all_codes = sets.annotated(memberships, len(codes))
            codes[rows] = all_codes[rows]
            counts = sets.any_of([*self.labels, *self._unknown])
            outside = ~counts[codes[item]]
            foreign.update(labels[code] for code in distinct(label[outside]))
            if self._unknown:  # labels outside the groups G are unknown
                unknown = item[codes[item] < 0]
                codes[unknown] = sets.labels.index(UNKNOWN_GROUP)
            ranking = run.ranking[counts[codes]]
            count = np.bincount(ranking, minlength=len(length))
            before = length
            deeper = np.minimum(run.length, 2 * before)
            length = np.where(count < depth, deeper, before)
        return replace(rankings, looked_up=length, sets=sets, order=groups.order,
                       foreign=sorted(foreign))
