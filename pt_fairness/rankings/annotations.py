"""The groups of judged and ranked documents."""

from __future__ import annotations

import copy
import threading
from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pt_fairness.core.arrays import Bools, Ints, recoded
from pt_fairness.core.identifiers import CHUNK
from pt_fairness.core.messages import TREC_DEFAULTS, UNKNOWN_GROUP
from pt_fairness.groups import Groups, Memberships
from pt_fairness.rankings.labelled import LabelSets, Rankings
from pt_fairness.rankings.trec_order import Judgments, Run


class Matches(NamedTuple):
    """A count of documents, and of those that have no group, or no value, in a source."""

    documents: int
    without: int
    #: The first document without a group or value; ``None`` if all have one.
    first: str | None

    @classmethod
    def of(cls, documents: Judgments | Run, rows: Ints, matched: Bools) -> Matches:
        """Return the matches of documents.

        :param rows: the indices of the documents, ``[n]``
        :param matched: a mask of those that have a group or value, ``[n]``
        """
        without = rows[~matched]
        first = str(documents.docnos(without[:1])[0]) if len(without) else None
        return cls(len(rows), len(without), first)

    def joined(self, run: Matches) -> Matches:
        """Return the sum of these matches and those of another run."""
        documents = self.documents + run.documents
        return Matches(documents, self.without + run.without, self.first or run.first)

    def __str__(self) -> str:
        return f"{self.documents - self.without:,} of {self.documents:,}"


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
    example = f" (first without: {first})" if first is not None else ""
    return f"{documents} have a {what}{example}"


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

    #: For each ``rel``, the label set of each pair, ``[pairs]``; −1 for pairs of a lower relevance.
    #: From the qrels, only rows with a relevance of at least ``rel`` contribute labels.
    by_rel: dict[int | None, Ints]

    def __init__(self, judgments: Judgments, groups: Groups | None, rels: Iterable[int | None] = (),
                 added: Iterable[str] = (), needed: bool = True, unknown: bool = False) -> None:
        self.judgments, self.groups = judgments, groups
        #: The labels that the group source declares; ``None`` if it declares none.
        self.declared = None if groups is None else groups.labels
        self._added = set(added)
        self._unknown = [UNKNOWN_GROUP] * unknown
        self._lock = threading.Lock()
        if not needed:
            self._set_labels([])
            self.pair_codes = np.full(len(judgments.topic), -1, np.int32)
            self.by_rel = dict.fromkeys(rels, self.pair_codes)
        elif groups is None:
            codes, labels = judgments.row_labels
            if labels and set(labels) <= TREC_DEFAULTS:
                raise ValueError(
                    "the qrels have no groups: their iteration field is absent, or holds nothing "
                    f"but {' and '.join(map(repr, labels))}. Name a source (groups= of the measure "
                    "or of evaluate, --groups of the commands), or write the groups into the qrels "
                    "(to_qrels of Groups, pt-fairness annotate). pt.io.read_qrels drops them, and "
                    "pt.fairness.read_qrels keeps them. A column group in the results of a system "
                    "is read by pt_fairness.evaluate alone: elsewhere, name "
                    "groups.from_frame(results), or groups.from_transformer of the transformer "
                    "that makes it")
            self._set_labels(labels)
            pair, relevance = judgments.index.pair, judgments.row_relevance
            label = recoded(codes, labels, self.sets.labels)
            pairs = len(judgments.topic)
            self.pair_codes = self.sets.code(pair, label, pairs)
            self.by_rel = dict.fromkeys(rels, self.pair_codes)
            for rel in self.by_rel:
                if rel is not None and (relevance < rel).any():
                    rows = relevance >= rel
                    self.by_rel[rel] = self.sets.code(pair[rows], label[rows], pairs)
        else:
            self._ask_source(groups, set(rels))

    def _ask_source(self, groups: Groups, rels: set[int | None]) -> None:
        """Take the groups of the judged documents from a group source."""
        relevance = self.judgments.relevance
        pairs = np.arange(len(relevance))
        complete = groups.labels is not None and groups.complete
        if complete:  # documents of a lower relevance are not needed for the label set
            least = [-np.inf if rel is None else rel for rel in rels]
            pairs = np.flatnonzero(relevance >= min(least, default=np.inf))
        memberships = self._look_up(groups, self.judgments, pairs)
        self._set_labels([] if complete else memberships.labels)
        codes = self.sets.annotated(memberships, len(relevance))
        if len(pairs) == len(relevance):
            self.pair_codes = codes
        if self.labels == [] and groups.labels == []:
            raise ValueError(f"{groups!r} holds no group at all: every document that it names is "
                             "unannotated")
        self.by_rel = {rel: codes if rel is None else np.where(relevance >= rel, codes, -1)
                       for rel in rels}

    def _set_labels(self, judged: Iterable[str]) -> None:
        labels = {*judged, *(self.declared or ())}.difference(self._unknown)
        added = sorted(self._added - labels)
        #: The label set G, sorted.
        self.labels = sorted(labels)
        self.sets = LabelSets([*self.labels, *added, *self._unknown])

    def _look_up(self, groups: Groups, documents: Judgments | Run, rows: Ints) -> Memberships:
        """Return the annotations of documents from the group source.

        :param rows: the indices of the documents to look up
        :returns: the annotations; ``item`` holds elements of ``rows``
        :raises ValueError: the source returns weights, but its ``weighted`` is False
        """
        chunk = CHUNK if groups.in_parts else max(len(rows), 1)
        code: dict[str, int] = {}
        items = [np.zeros(0, np.intp)]
        codes = [np.zeros(0, np.int32)]
        weights = [np.zeros(0)]
        for start in range(0, len(rows), chunk):
            part = rows[start:start + chunk]
            qids = self.judgments.names[documents.topic[part]]
            docnos = documents.docnos(part)
            with self._lock:  # user-defined sources and docstores may not be thread-safe
                memberships = Memberships(*groups.annotate(qids, docnos))
            if memberships.weight is not None and not groups.weighted:
                raise ValueError(f"{groups!r}.annotate returned weights, but the groups are not "
                                 "weighted; set weighted = True in the class")
            if self._unknown:
                memberships = memberships.with_unknown(len(part))
            table = [code.setdefault(label, len(code)) for label in memberships.labels]
            items.append(part[memberships.item])
            new_codes = np.array(table, np.int32)
            codes.append(new_codes[memberships.codes])
            if groups.weighted:
                weights.append(memberships.weights)
        weight = np.concatenate(weights) if groups.weighted else None
        item, label = np.concatenate(items), np.concatenate(codes)
        return Memberships(item, label, list(code), weight)

    @cached_property
    def pair_codes(self) -> Ints:
        """The label set of each judged pair, ``[pairs]``, −1 where it is unannotated."""
        assert self.groups is not None
        pairs = np.arange(len(self.judgments.topic))
        memberships = self._look_up(self.groups, self.judgments, pairs)
        return self.sets.annotated(memberships, len(pairs))

    def ranked_matches(self, run: Run, rankings: Rankings) -> Matches:
        """Return the matches of the documents of a run that were looked up."""
        rows = np.flatnonzero(run.place < rankings.length[rankings.list_of])
        has_group = rankings.codes[rows] >= 0
        return Matches.of(run, rows, has_group)

    def judged_matches(self) -> Matches | None:
        """Return the matches of the judged documents; ``None`` if that would read their corpus."""
        in_parts = self.groups is not None and self.groups.in_parts
        if not in_parts and "pair_codes" not in self.__dict__:
            return None
        pairs = np.arange(len(self.pair_codes))
        return Matches.of(self.judgments, pairs, self.pair_codes >= 0)

    def without_group(self, rel: int) -> str | None:
        """Return the first relevant docno if no relevant document has a group, else ``None``."""
        relevant = np.flatnonzero(self.judgments.relevance >= rel)
        if not len(relevant) or rel not in self.by_rel or (self.by_rel[rel] >= 0).any():
            return None
        return str(self.judgments.docnos(relevant[:1])[0])

    def of_run(self, run: Run, depth: int | None) -> Rankings:
        """Return the ranked and the judged documents with their label sets.

        Lookup in a group source stops when each list has ``depth`` annotated documents or ends;
        later documents are ignored. Documents whose labels are all outside the label set are
        counted, with these labels.

        :param depth: ``None`` for the whole lists
        """
        judgments = self.judgments
        order, foreign, foreign_labels = None, 0, set[str]()
        length, sets = run.length, self.sets
        if self.groups is None:
            codes = np.where(run.pair >= 0, self.pair_codes[run.pair], -1)
        else:
            order = self.groups.order
            sets = copy.copy(sets)
            codes = np.full(len(run.list), -1, np.int32)
            before = np.zeros_like(length)
            if depth is None:
                depth = int(length.max(initial=0))
            length = np.minimum(length, depth)
            countable = [*self.labels, *self._unknown]
            while (length > before).any():
                new = (run.place >= before[run.list]) & (run.place < length[run.list])
                rows = np.flatnonzero(new)
                memberships = self._look_up(self.groups, run, rows)
                item, labels = memberships.item, memberships.labels
                codes[rows] = sets.annotated(memberships, len(codes))[rows]
                if self._unknown:  # labels outside the label set are unknown
                    unknown = item[codes[item] < 0]
                    codes[unknown] = sets.labels.index(UNKNOWN_GROUP)
                outside = recoded(memberships.codes, labels, countable) < 0
                if outside.any():
                    alone = np.setdiff1d(item[outside], item[~outside])
                    foreign += len(alone)
                    of_alone = memberships.codes[np.isin(item, alone)]
                    foreign_labels |= {labels[code] for code in np.unique(of_alone)}
                before = length
                annotated = sets.any_of(countable)[codes]
                count = np.bincount(run.list[annotated], minlength=len(length))
                twice = np.minimum(run.length, 2 * before)
                length = np.where(count < depth, twice, before)
        return Rankings(run.topics, run.start, length, run.list, run.pair, codes, lambda: run.item,
                        judgments.topics, judgments.topic, judgments.relevance, self.by_rel, sets,
                        self.labels, order, foreign, sorted(foreign_labels))
