"""The data of a report: the tables of an evaluation, and its rankings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.analysis.arguments import annotations_of, runs_of
from pt_fairness.analysis.columns import (
    BROKEN,
    COMPARISON,
    UNDEFINED,
    is_reference,
    measure_columns,
    systems_of,
)
from pt_fairness.analysis.directions import direction_of
from pt_fairness.core import discounts
from pt_fairness.core.arrays import Floats
from pt_fairness.core.messages import collecting_warnings
from pt_fairness.core.registry import name_of
from pt_fairness.evaluation.plan import Plan
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.scoring import fairest, rels_of
from pt_fairness.rankings.labelled import Rankings
from pt_fairness.rankings.trec_order import Judgments, Run, empty_run
from pt_fairness.rankings.view import View
from pt_fairness.reporting.steps import Counted, Steps, ranked_frame
from pt_fairness.reporting.strips import ShownGroups, Strip, strip_of
from pt_fairness.reporting.topics import described

#: The name of the groups in the second column of the qrels.
IN_QRELS = "the qrels"


class Experiment:
    """The tables of an evaluation, with its rankings, groups and targets.

    :param runs: the runs by name
    :param plan: the plan of the evaluation
    :param averages: the averages, whose ``attrs`` hold the comparison and the undefined topics
    :param perquery: the values per topic
    :param depth: the number of documents of a ranking that are shown
    :param topics: as of :func:`pt_fairness.report`
    """

    def __init__(self, runs: Mapping[str, Any], plan: Plan, averages: pd.DataFrame,
                 perquery: pd.DataFrame, depth: int, topics: Any = None) -> None:
        #: The averages of the systems, and those of reference rankings.
        self.averages, self.references = systems_of(averages), averages[is_reference(averages)]
        self.depth, self.plan, self.table = depth, plan, averages
        self.measures: list[Any] = plan.measures
        #: The name of each measure, as its column.
        self.names: list[str] = measure_columns(averages)
        self.systems: list[str] = self.averages["name"].tolist()
        #: The errors of the runs that are missing from the tables, by name.
        self.broken: dict[str, str] = averages.attrs[BROKEN]
        #: The facts on the comparison with the baseline, empty without one.
        self.comparison: dict[str, Any] = averages.attrs.get(COMPARISON, {})
        self.baseline: str | None = self.comparison.get("baseline")
        self.directions = [direction_of(name, averages) for name in self.names]
        self.judgments = Judgments(plan.qrels)
        self.topics: Sequence[str] = self.judgments.topics
        place = {topic: i for i, topic in enumerate(self.topics)}
        #: The undefined and the dropped topics of each measure, as indices.
        self.undefined = [[place[qid] for qid in averages.attrs[UNDEFINED].get(name, ())]
                          for name in self.names]
        index = pd.MultiIndex.from_product([self.systems, self.topics, self.names])
        values = perquery.set_index(["name", "qid", "measure"])["value"].reindex(index)
        #: The value of each system, topic and measure, ``[systems, T, measures]``.
        self.values: Floats = values.to_numpy(float).reshape(index.levshape)
        # What :meth:`_source` takes for each group source of each measure.
        keys = [[(part.param("groups"), tuple(part.added_labels)) for part in _grouped(measure)]
                for measure in self.measures]
        used = list(dict.fromkeys(key for some in keys for key in some))
        #: The group sources of the measures, without duplicates.
        self.sources = [self._source(*key) for key in used]
        #: The sources of each measure, several for one that is composed.
        self.sources_of = [[used.index(key) for key in some] for some in keys]
        #: The first source of each measure, ``None`` if it uses no groups.
        self.source_of = [some[0] if some else None for some in self.sources_of]
        #: Whether each measure is one of this package whose population is the run.
        self.of_run = [isinstance(one, FairnessMeasure) and one.of_run for one in self.measures]
        #: The targets and the protected groups of each measure, see :meth:`_compared`; for a
        #: measure whose population is the run, a list of those of each system.
        self.targets: list[Any] = []
        self.protected: list[Any] = []
        #: Whether a run has several rankings of a topic, of which the first is shown.
        self.sampled = False
        self._read(runs)
        docnos = pd.unique(np.concatenate([strip.docno for strip in self.strips])).tolist()
        #: The query text of each topic, ``None`` where it is not known, and titles of documents.
        self.queries, self.titles = ([None] * len(self.topics), {}) if topics is None else \
            described(topics, self.topics, docnos)

    def _source(self, name: Any, added: tuple[str, ...]) -> ShownGroups:
        """Return a group source of measures.

        :param added: the labels that the targets of the measures add to those of the source
        """
        rels = rels_of([one for one in self.measures if isinstance(one, FairnessMeasure)])
        annotations = annotations_of(self.judgments, name, {*rels, 1}, added)
        shown = IN_QRELS if name is None else self.plan.shown.get(name_of(name), name_of(name))
        return ShownGroups(shown, annotations, sorted({*annotations.labels, *added}))

    def _read(self, runs: Mapping[str, Any]) -> None:
        """Read the runs once more, one after the other, and keep what is shown of them."""
        steps = Steps(self.measures, self.plan.qrels, self.judgments, self.depth)
        self.ways = steps.ways
        self.strips: list[Strip] = []
        #: The numbers of each measure at the ranks of each system with one ranking of a topic.
        self.numbers: list[list[Floats | None]] = []
        #: The values of the fairest possible rankings of each system, see :meth:`_fairest`.
        self.fairest: list[list[Any]] = []
        compared: list[list[Any]] = []
        depths = [self._depth_of(i) for i in range(len(self.sources))]
        #: The mean share of the documents within a cutoff that have a group, for each source and
        #: cutoff of the measures, of each system.
        self.annotated: dict[tuple[int, int | None], list[float]] = {
            (i, measure.params.get("cutoff")): [] for measure, own in
            zip(self.measures, self.sources_of, strict=True) for i in own}
        for name, values in zip(self.systems, self.values, strict=True):
            with collecting_warnings():  # the evaluation has given them
                ranked = runs_of({name: runs[name]}, self.judgments)[name]
            found = [source.annotations.of_run(ranked, depth)
                     for source, depth in zip(self.sources, depths, strict=True)]
            for (i, cutoff), shares in self.annotated.items():
                shares.append(self._annotated(i, cutoff, ranked, found))
            compared.append([self._compared(i, found) if of_run else (None, None)
                             for i, of_run in enumerate(self.of_run)])
            self.fairest.append([self._fairest(i, found)
                                 for i in range(len(self.measures))])
            strip = strip_of(ranked, self.judgments, found, self.sources, self.depth)
            self.strips.append(strip)
            self.sampled |= ranked.sampled
            if not ranked.sampled:
                counted = [self._counted(i, ranked, found, strip)
                           for i in range(len(self.measures))]
                self.numbers.append(steps.of_run(ranked, self._needed(ranked, found), strip,
                                                 counted, values))
        run = empty_run(self.judgments)
        nothing = [source.annotations.of_run(run, 0) for source in self.sources]
        for i, by_system in enumerate(zip(*compared, strict=True)):
            targets, protected = (map(list, zip(*by_system, strict=True)) if self.of_run[i]
                                  else self._compared(i, nothing))
            self.targets.append(targets)
            self.protected.append(protected)

    def _depth_of(self, source: int) -> int | None:
        """Return how many documents of each ranking need their groups; ``None`` for all."""
        using = [i for i, own in enumerate(self.sources_of) if source in own]
        cutoffs = [self.measures[i].params.get("cutoff") for i in using]
        if None in cutoffs or any(self.of_run[i] for i in using):
            return None
        return max([self.depth, *cutoffs])

    def _annotated(self, source: int, cutoff: int | None, ranked: Run,
                   found: Sequence[Rankings]) -> float:
        """Return the mean share of the documents within a cutoff that have a group."""
        sets, labels = found[source].sets, self.sources[source].labels
        annotated = pd.Series(sets.any_of(labels)[found[source].codes])
        first = slice(None) if cutoff is None else ranked.place < cutoff
        return annotated[first].groupby(ranked.list[first]).mean().mean()

    def _compared(self, measure: int, found: Sequence[Rankings]) -> tuple[Any, Any]:
        """Return the target shares and the protected groups of a measure for each topic.

        Either is ``None`` if the measure has none.

        :param found: the label sets of the documents of the run for each source
        """
        source = self.source_of[measure]
        if source is None:
            return None, None
        wanted = _grouped(self.measures[measure])[0]
        targets: list[Any] = []
        protected: list[Any] = []
        for view in self._views(source, found[source]):
            target, side = wanted.target(view), wanted.side(view)
            if target is not None:
                targets += [row.round(6).tolist() if row.any() else [None] * len(row)
                            for row in target[view.first_list]]
            if side is not None:
                protected += [np.flatnonzero(row).tolist() for row in
                              (side.labels & side.present[:, None])[view.first_list]]
        return targets or None, protected or None

    def _fairest(self, measure: int, found: Sequence[Rankings]) -> list[float] | None:
        """Return the value of the fairest possible ranking of each topic, ``None`` if unknown."""
        wanted, source = self.measures[measure], self.source_of[measure]
        if not isinstance(wanted, FairnessMeasure) or source is None:
            return None
        values = fairest(wanted, found[source])
        return None if values is None else values.tolist()

    def _counted(self, measure: int, ranked: Run, found: Sequence[Rankings],
                 strip: Strip) -> Counted:
        """Return the documents of a run that a measure counts."""
        wanted, source = self.measures[measure], self.source_of[measure]
        shown, topic = np.ones(len(strip.topic), bool), strip.topic
        if wanted.params.get("judged_only"):
            shown, topic = ~np.isnan(strip.label), ranked.topic[ranked.pair >= 0]
        elif source is not None and wanted.condensed:
            sets, labels = found[source].sets, self.sources[source].labels
            annotated = sets.any_of(labels)[found[source].codes]
            shown, topic = strip.sets[source] >= 0, ranked.topic[annotated]
        return Counted(shown, np.bincount(topic, minlength=len(self.topics)))

    def _needed(self, run: Run, found: Sequence[Rankings]) -> pd.DataFrame:
        """Return the documents of a run that the numbers at its ranks depend on."""
        length = np.max([np.full(len(run.length), self.depth), *(one.length for one in found)],
                        axis=0)
        rows = np.flatnonzero(any(self.of_run) | (run.place < length[run.list]))
        return ranked_frame(self.topics, run.topic[rows], run.docnos(rows), run.place[rows])

    def counting(self, measure: int) -> dict[str, Any]:
        """Return which documents a measure counts and with which weights, for the page."""
        wanted, own = self.measures[measure], self.source_of[measure] is not None
        kind = wanted.param("discount") if own else None
        return {"condensed": own and wanted.condensed,
                "judged": bool(wanted.params.get("judged_only")),
                "even": own and _grouped(wanted)[0].EVEN, "of_run": self.of_run[measure],
                "weights": None if kind is None else discounts.discount(
                    kind, self.depth, wanted.param("p")).round(6).tolist()}

    def relevant(self, source: int) -> Floats:
        """Return the number of relevant documents of each group of a source, ``[T, L]``.

        A document of m groups counts 1/m towards each.
        """
        run = empty_run(self.judgments)
        views = self._views(source, self.sources[source].annotations.of_run(run, 0))
        return np.vstack([view.relevant(1) @ view.share for view in views])

    def _views(self, source: int, rankings: Rankings) -> Iterator[View]:
        return View.blocks(rankings.of_labels(self.sources[source].labels))


def _grouped(measure: Any) -> list[FairnessMeasure]:
    """Return the parts of a measure that use groups; the groups of the first are shown."""
    parts = measure.parts if isinstance(measure, FairnessMeasure) else ()
    return [part for part in parts if part.needs_groups]
