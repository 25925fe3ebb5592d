"""What the report shows of an evaluation: its measures, groups, first documents and queries."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.analysis.columns import (
    BROKEN,
    COMPARISON,
    LARGER,
    NEAR_ZERO,
    UNDEFINED,
    direction_of,
    is_reference,
    measure_columns,
    systems_of,
)
from pt_fairness.analysis.inputs import first_rows, group_annotations, ranked_runs
from pt_fairness.core import arrays
from pt_fairness.core.arrays import Bools, Floats, Ints
from pt_fairness.core.identifiers import texts_of
from pt_fairness.core.messages import collecting_warnings
from pt_fairness.core.registry import name_of
from pt_fairness.evaluation.workers import Scorer
from pt_fairness.io.files import need_columns
from pt_fairness.io.run_files import load_topics
from pt_fairness.measures.descriptions import ideal_in_words
from pt_fairness.measures.measure import FairnessMeasure, fairest, rels_of
from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.labelled import Rankings
from pt_fairness.rankings.trec_order import Run, empty_run
from pt_fairness.rankings.view import View
from pt_fairness.reporting.steps import Counted, Method, Steps, Strip

#: The name of the groups in the second column of the qrels.
IN_QRELS = "the qrels"
#: Decimals of the shares of a document's groups, and of targets.
SHARE_DECIMALS, TARGET_DECIMALS = 4, 6
#: The maximum length of a title in the report, in characters.
LONGEST = 200


class GroupSource:
    """A group source of the report, and the label sets of the documents that it knows.

    :param name: the name that the report shows
    :param added: the labels that the targets of the measures add to the label set
    """

    def __init__(self, name: str, annotations: Annotations, added: Sequence[str]) -> None:
        self.name = name
        self.annotations = annotations
        self.labels = sorted({*annotations.labels, *added})
        groups = annotations.groups
        #: Whether the memberships of documents have weights.
        self.weighted = groups is not None and groups.weighted
        #: The sets of pairs of label and share, by their index.
        self.sets: dict[tuple[tuple[int, float], ...], int] = {}

    def sets_of(self, rankings: Rankings, rows: Ints) -> Ints:
        """Return the label set of each of some ranked documents, −1 where it is unannotated."""
        codes = rankings.codes[rows]
        codes, number = np.unique(codes, return_inverse=True)
        shares = rankings.sets.shares(codes, self.labels).round(SHARE_DECIMALS)
        index = np.full(len(codes), -1, np.int32)
        for i, row in enumerate(shares.tolist()):
            pairs = tuple((label, share) for label, share in enumerate(row) if share)
            if pairs:
                index[i] = self.sets.setdefault(pairs, len(self.sets))
        return index[number]

    def views(self, rankings: Rankings) -> Iterator[View]:
        """Return the rankings with the label set of this source, in blocks of topics."""
        return View.blocks(rankings.of_labels(self.labels))


@dataclass(eq=False)
class Column:
    """A measure of the report."""

    #: The name of its column.
    name: str
    measure: Any
    #: The parts of the measure that use groups; the groups of the first are shown.
    parts: list[FairnessMeasure]
    method: Method
    #: The group source of each part, as index.
    sources: list[int]
    #: Which end is better, see :mod:`pt_fairness.analysis.columns`.
    direction: Any
    #: The undefined and the dropped topics, as indices.
    undefined: list[int]
    #: The target shares and the protected groups of each topic, ``None`` without any; if the
    #: population is the run, a list of those of each system.
    targets: Any = None
    protected: Any = None
    #: The values of the fairest possible rankings of each system, none if they are unknown.
    fairest: list[Any] = field(default_factory=list)

    @property
    def source(self) -> int | None:
        """The group source that is shown."""
        return self.sources[0] if self.sources else None

    @property
    def cutoff(self) -> int | None:
        """The number of documents of a ranking that the measure evaluates, ``None`` for all."""
        return self.method.cutoff

    @property
    def end(self) -> str:
        """The better end in words."""
        if self.direction == NEAR_ZERO:
            return "→0 0 is unbiased"
        if isinstance(self.measure, FairnessMeasure):
            words = ideal_in_words(self.measure)
            return f"{self.direction} {words}"
        return "↑ more is better" if self.direction == LARGER else str(self.direction)

    @property
    def fair(self) -> float | None:
        """The value of the better end, ``None`` if there is none."""
        return None if "more" in self.end else getattr(self.measure, "IDEAL", None)

    @property
    def of_run(self) -> bool:
        """Whether it is a measure of this package whose population is the run."""
        return isinstance(self.measure, FairnessMeasure) and self.measure.of_run

    @property
    def condensed(self) -> bool:
        """Whether documents without a group are left out."""
        return bool(self.sources) and self.measure.condensed

    @property
    def judged(self) -> bool:
        """Whether documents without a judgment are left out."""
        return bool(self.measure.params.get("judged_only"))

    @property
    def even(self) -> bool:
        """Whether documents without a group count evenly towards all groups."""
        return bool(self.parts) and self.parts[0].EVEN

    def compared(self, views: Iterable[View]) -> tuple[Any, Any]:
        """Return the target shares and the protected groups of each topic, ``None`` for none."""
        targets = []
        protected = []
        for view in views:
            part = self.parts[0]
            target = part.target(view)
            if target is not None:
                shares = target[view.first_list].round(TARGET_DECIMALS)
                empty = ~shares.any(axis=1)
                shares = shares.astype(object)
                shares[empty] = None
                targets += shares.tolist()
            side = part.side(view)
            if side is not None:
                labels = side.labels & side.present[:, None]
                of_topics = labels[view.first_list]
                protected += [np.flatnonzero(row).tolist() for row in of_topics]
        return targets or None, protected or None

    def counting(self, ranked: Run, strip: Strip, annotated: Sequence[Bools]) -> Counted:
        """Return the documents of a run that count.

        :param annotated: for each source, a mask of the documents of the run that have a group
        """
        if self.judged:
            judged = ranked.pair >= 0
            return Counted(strip, ~np.isnan(strip.label), ranked.topic[judged])
        if self.condensed:
            source = self.sources[0]
            has_group = annotated[source]
            return Counted(strip, strip.sets[source] >= 0, ranked.topic[has_group])
        every = np.ones_like(strip.topic, bool)
        return Counted(strip, every, strip.topic)

    def weights(self, depth: int) -> list[float] | None:
        """Return the weights of the ranks in the shares of the groups, ``None`` if they are equal.
        """
        param = self.measure.param if self.sources else {}.get
        kind = param("discount")
        if kind is None:
            return None
        weights = arrays.discount(kind, depth, param("p"))
        return weights.round(TARGET_DECIMALS).tolist()


class Experiment:
    """The tables of an evaluation, with its rankings, groups and targets.

    :param runs: the runs by name
    :param scorer: what scored the runs
    :param averages: the averages, whose ``attrs`` hold the comparison and the undefined topics
    :param perquery: the values per topic
    :param depth: the number of documents of a ranking that are shown
    :param topics: as of :func:`pt_fairness.report`
    """

    #: Whether a section has values that are corrected for the errors of a model's labels.
    corrected: bool = False

    def __init__(self, runs: Mapping[str, Any], scorer: Scorer, averages: pd.DataFrame,
                 perquery: pd.DataFrame, depth: int, topics: Any = None) -> None:
        self.depth = depth
        self.plan = scorer.plan
        self.table = averages
        #: The averages of the systems, and those of reference rankings.
        self.averages = systems_of(averages)
        self.references = averages[is_reference(averages)]
        #: The name of each measure, as its column.
        self.names = measure_columns(averages)
        self.systems = self.averages["name"].tolist()
        #: The errors of the runs that are missing from the tables, by name.
        self.broken = averages.attrs[BROKEN]
        #: The facts on the comparison with the baseline, empty without one.
        self.comparison = averages.attrs.get(COMPARISON, {})
        self.baseline = self.comparison.get("baseline")
        self.judgments = scorer.judgments
        self.topics = self.judgments.topics
        index = pd.MultiIndex.from_product([self.systems, self.topics, self.names])
        indexed = perquery.set_index(["name", "qid", "measure"])
        values = indexed["value"].reindex(index).to_numpy(float)
        #: The value of each system, topic and measure, ``[systems, T, measures]``.
        self.values = values.reshape(index.levshape)
        self._steps = Steps(scorer, depth)
        #: The measures, and their group sources without duplicates.
        self.columns, self.sources = self._columns()
        #: The mean share of the documents within a cutoff that have a group, for each source and
        #: cutoff of the measures, of each system.
        self.annotated: dict[tuple[int, int | None], list[float]] = {}
        for column in self.columns:
            for source in column.sources:
                self.annotated[source, column.cutoff] = []
        self.strips: list[Strip] = []
        #: The numbers at the ranks of each system with one ranking of a topic, and the discounts
        #: and Z, by measure: see :class:`Steps`.
        self.numbers: list[dict[Any, Floats]] = []
        self.factors: list[dict[Any, tuple[Floats, Floats]]] = []
        #: Whether a run has several rankings of a topic, of which the first is shown.
        self.sampled = False
        self._compare_with_qrels()
        for name, of_system in zip(self.systems, self.values, strict=True):
            with collecting_warnings():  # the evaluation has given them
                by_name = ranked_runs({name: runs[name]}, self.judgments)
            self._add(by_name[name], of_system)
        docnos = np.concatenate([strip.docno for strip in self.strips])
        distinct = pd.unique(docnos).tolist()
        #: The query text of each topic, ``None`` where it is not known, and titles of documents.
        self.queries, self.titles = queries_and_titles(topics, self.topics, distinct)

    def _columns(self) -> tuple[list[Column], list[GroupSource]]:
        """Return a column for each measure, and the group sources that the measures use."""
        topics = pd.Index(self.topics)
        undefined = self.table.attrs[UNDEFINED]
        places: dict[Any, int] = {}
        columns = []
        for name, method in zip(self.names, self._steps.methods, strict=True):
            measure = method.measure
            parts = []
            if isinstance(measure, FairnessMeasure):
                parts = [part for part in measure.parts if part.needs_groups]
            sources = []
            for part in parts:
                key = part.param("groups"), tuple(part.added_labels)
                place = places.setdefault(key, len(places))
                sources.append(place)
            direction = direction_of(name, self.table)
            qids = undefined.get(name, [])
            of_topics = topics.get_indexer(qids).tolist()
            columns.append(Column(name, measure, parts, method, sources, direction, of_topics))
        return columns, [self._source(*key) for key in places]

    def _source(self, groups: Any, added: tuple[str, ...]) -> GroupSource:
        """Return a group source of measures.

        :param added: the labels that the targets of the measures add to those of the source
        """
        measures = [measure for measure in self.plan.measures
                    if isinstance(measure, FairnessMeasure)]
        rels = rels_of(measures) | {1}
        annotations = group_annotations(self.judgments, groups, rels, added)
        name = IN_QRELS if groups is None else name_of(groups)
        name = self.plan.shown.get(name, name)
        return GroupSource(name, annotations, added)

    def _compare_with_qrels(self) -> None:
        """Set the targets and protected groups that do not depend on a run."""
        for column in self.columns:
            if column.of_run:
                column.targets, column.protected = [], []
            elif column.sources:
                views = self._qrels_views(column.sources[0])
                column.targets, column.protected = column.compared(views)

    def _qrels_views(self, source: int) -> Iterator[View]:
        """Return the judged documents of all topics, with empty rankings."""
        groups = self.sources[source]
        unranked = groups.annotations.of_run(empty_run(self.judgments), 0)
        return groups.views(unranked)

    def relevant(self, source: int) -> Floats:
        """Return the number of relevant documents of each group of a source, ``[T, L]``.

        A document of m groups counts 1/m towards each.
        """
        views = self._qrels_views(source)
        return np.vstack([view.relevant(1) @ view.share for view in views])

    def _add(self, ranked: Run, values: Floats) -> None:
        """Keep what is shown of a run.

        :param values: the value of each measure for each topic, ``[T, measures]``
        """
        labelled = []
        annotated = []
        for i, source in enumerate(self.sources):
            depth = self._depth_of(i)
            rankings = source.annotations.of_run(ranked, depth)
            has_group = rankings.sets.any_of(source.labels)
            labelled.append(rankings)
            annotated.append(has_group[rankings.codes])
        strip = self._strip(ranked, labelled)
        self.strips.append(strip)
        self.sampled |= ranked.sampled
        for (i, cutoff), shares in self.annotated.items():
            rows = first_rows(ranked, cutoff)
            first = pd.Series(annotated[i][rows])
            by_list = first.groupby(ranked.list[rows])
            shares.append(by_list.mean().mean())
        self._compare_with_run(labelled)
        if ranked.sampled:
            return
        length = np.full(len(ranked.length), self.depth)
        for rankings in labelled:
            length = np.maximum(length, rankings.length)
        if any(column.of_run for column in self.columns):
            length = ranked.length
        needed = ranked.place < length[ranked.list]
        counting = [column.counting(ranked, strip, annotated) for column in self.columns]
        numbers = self._steps.of_run(ranked, needed, counting, values)
        self.numbers.append(numbers)
        factors = self._steps.factors(ranked)
        self.factors.append(factors)

    def _compare_with_run(self, labelled: Sequence[Rankings]) -> None:
        """Add the targets, the protected groups and the fairest values that depend on a run.

        :param labelled: the run with the label sets of each source
        """
        for column in self.columns:
            views: Iterable[View] = ()
            if column.sources:
                source = column.sources[0]
                rankings = labelled[source]
                views = self.sources[source].views(rankings)
                values = fairest(column.measure, rankings)
                if values is not None:
                    column.fairest.append(values)
            if column.of_run:
                targets, protected = column.compared(views)
                column.targets.append(targets)
                column.protected.append(protected)

    def _depth_of(self, source: int) -> int | None:
        """Return how many documents of each ranking need their groups; ``None`` for all."""
        columns = [column for column in self.columns if source in column.sources]
        cutoffs = [None if column.of_run else column.cutoff for column in columns]
        if None in cutoffs:
            return None
        return max([self.depth, *filter(None, cutoffs)])

    def _strip(self, ranked: Run, labelled: Sequence[Rankings]) -> Strip:
        """Return the first documents of a run for each topic.

        If a topic has several rankings, these are the documents of the first.

        :param labelled: the run with the label sets of each source
        """
        first = np.unique(ranked.topics, return_index=True)[1]
        shown = np.isin(ranked.list, first) & (ranked.place < self.depth)
        rows = np.flatnonzero(shown)
        # The index of an unjudged document is −1.
        relevance = np.append(self.judgments.relevance, np.nan)
        label = relevance[ranked.pair[rows]]
        sets = [source.sets_of(rankings, rows)
                for source, rankings in zip(self.sources, labelled, strict=True)]
        docnos = ranked.docnos(rows)
        return Strip(ranked.topic[rows], docnos, label, sets, ranked.place[rows])


def as_data(strips: Sequence[Strip], topics: int) -> list[dict[str, Any]]:
    """Return the rankings of each topic for the page.

    :returns: for each topic ``docs`` (docnos), ``labels`` (relevance, ``None`` if not judged),
        ``sets`` (for each source the label set of each document, −1 for none) and ``runs`` (the
        documents of each system, as indices in ``docs``)
    """
    rankings = []
    for _ in range(topics):
        ranking: dict[str, Any] = {"docs": {}, "labels": []}
        ranking["sets"] = [[] for _ in strips[0].sets]
        ranking["runs"] = [[] for _ in strips]
        rankings.append(ranking)
    for system, strip in enumerate(strips):
        columns = [strip.topic, strip.docno, strip.label, *strip.sets]
        lists = [column.tolist() for column in columns]
        for topic, docno, label, *of_sources in zip(*lists, strict=True):
            ranking = rankings[topic]
            numbers = ranking["docs"]
            if docno not in numbers:
                numbers[docno] = len(numbers)
                ranking["labels"].append(None if np.isnan(label) else label)
                for source, label_set in enumerate(of_sources):
                    ranking["sets"][source].append(label_set)
            ranking["runs"][system].append(numbers[docno])
    for ranking in rankings:
        ranking["docs"] = list(ranking["docs"])
    return rankings


def queries_and_titles(source: Any, topics: Sequence[str], docnos: Sequence[str]) \
        -> tuple[list[str | None], dict[str, str]]:
    """Return the query text of each topic, ``None`` where it is not known, and titles of documents.

    There are no titles of documents that would have to be downloaded.

    :param source: as the parameter ``topics`` of :func:`pt_fairness.report`, ``None`` for none
    :param docnos: the documents
    :raises ValueError: the source cannot be read, or has none of the topics
    """
    titles: dict[str, str] = {}
    if source is None:
        return [None] * len(topics), titles
    frame, dataset = source, None
    if hasattr(source, "irds_ref"):
        dataset = source.irds_ref()
    elif isinstance(source, str) and not os.path.exists(source):
        from pt_fairness.io import irds  # needs a home folder, which local files do not
        dataset = irds.dataset(source.removeprefix("irds:"))
    elif not isinstance(source, pd.DataFrame):
        frame = load_topics(source)
    if dataset is not None:
        records = dataset.queries_iter() if dataset.has_queries() else ()
        rows = [(record.query_id, record.default_text()) for record in records]
        frame = pd.DataFrame(rows, columns=["qid", "query"])
        titles = _titles(dataset, docnos)
    frame = frame.rename(columns={"query_id": "qid", "text": "query"})
    need_columns(frame, ["qid", "query"], "the topics")
    queries = frame["query"].astype(str)
    texts = dict(zip(texts_of(frame["qid"]), queries, strict=True))
    if texts.keys().isdisjoint(topics):
        has = ", ".join(map(repr, list(texts)[:3])) or "no topic"
        raise ValueError(f"topics has none of the topics of the qrels, such as {topics[0]!r}; it "
                         f"has {has}")
    return [texts.get(topic) for topic in topics], titles


def _titles(dataset: Any, docnos: Sequence[str]) -> dict[str, str]:
    """Return the titles of documents, those that are on this machine."""
    from pt_fairness.io import irds
    if not dataset.has_docs() or "title" not in dataset.docs_cls()._fields \
            or not irds.downloaded(dataset.docs_handler()):
        return {}
    documents = irds.documents(dataset.dataset_id(), docnos)
    return {document.doc_id: document.title.strip()[:LONGEST] for document in documents}
