"""The data of a report: the tables of an evaluation, and its rankings."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness import groups, io, numerics
from pt_fairness.analysis.inputs import annotations_of, runs_of
from pt_fairness.declarations.base import FairnessMeasure
from pt_fairness.evaluation.plan import Plan
from pt_fairness.measures.choices import target_of
from pt_fairness.measures.documents import DocumentMeasure
from pt_fairness.measures.group_relevance import StoppingMeasure
from pt_fairness.measures.protected import protected_groups
from pt_fairness.measures.scoring import rels_of
from pt_fairness.measures.target_distribution import distribution
from pt_fairness.measures.viewpoint import OF_RUN
from pt_fairness.numerics import Floats
from pt_fairness.rankings.annotations import Ranked
from pt_fairness.rankings.judgments import Judgments
from pt_fairness.rankings.run import Run, empty_run
from pt_fairness.rankings.view import View
from pt_fairness.reporting.steps import Counted, Steps, ranked_frame
from pt_fairness.reporting.strips import Source, Strip, strip_of
from pt_fairness.tables import direction_of, measure_columns
from pt_fairness.tables.names import BROKEN, COMPARISON, UNDEFINED
from pt_fairness.text import collecting_warnings

#: The name of the groups in the second column of the qrels.
IN_QRELS = "the qrels"


class Experiment:
    """The tables of an evaluation, with its rankings, groups and targets.

    :param runs: the runs by name
    :param plan: the plan of the evaluation
    :param averages: the averages, whose ``attrs`` hold the comparison and the undefined topics
    :param perquery: the values per topic
    :param depth: the number of documents of a ranking that are shown
    """

    def __init__(self, runs: Mapping[str, Any], plan: Plan, averages: pd.DataFrame,
                 perquery: pd.DataFrame, depth: int) -> None:
        self.averages, self.depth, self.plan = averages, depth, plan
        self.measures: list[Any] = plan.measures
        #: The name of each measure, as its column.
        self.names: list[str] = measure_columns(averages)
        self.systems: list[str] = averages["name"].tolist()
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
        #: The value of each system, topic and measure, ``[systems, T, measures]``.
        self.values = self._values(perquery)
        keys = [_source_keys(measure) for measure in self.measures]
        used = list(dict.fromkeys(key for some in keys for key in some))
        #: The group sources of the measures, without duplicates.
        self.sources = [self._source(*key) for key in used]
        #: The sources of each measure, several for one that is composed.
        self.sources_of = [[used.index(key) for key in some] for some in keys]
        #: The first source of each measure, ``None`` if it uses no groups.
        self.source_of = [some[0] if some else None for some in self.sources_of]
        #: Whether a run has several rankings of a topic, of which the first is shown.
        self.sampled = False
        self._read(runs)

    def _values(self, perquery: pd.DataFrame) -> Floats:
        index = pd.MultiIndex.from_product([self.systems, self.topics, self.names])
        frame = perquery.set_index(["name", "qid", "measure"])["value"]
        shape = (len(self.systems), len(self.topics), len(self.names))
        return frame.reindex(index).to_numpy(float).reshape(shape)

    def _source(self, name: str | None, added: tuple[str, ...]) -> Source:
        """Return a group source of measures.

        :param added: the labels that the targets of the measures add to those of the source
        """
        rels = rels_of([one for one in self.measures if isinstance(one, FairnessMeasure)])
        annotations = annotations_of(self.judgments, name, {*rels, 1}, added)
        shown = IN_QRELS if name is None else os.path.basename(name)
        if name in groups.names():
            shown = str(name)
        return Source(shown, annotations, sorted({*annotations.labels, *added}))

    def _read(self, runs: Mapping[str, Any]) -> None:
        """Read the runs once more, one after the other, and keep what is shown of them."""
        steps = Steps(self.measures, self.plan.qrels, self.judgments, self.depth)
        self.ways = steps.ways
        self.strips: list[Strip] = []
        #: The numbers of each measure at the ranks of each system with one ranking of a topic.
        self.numbers: list[list[Floats | None]] = []
        for name, values in zip(self.systems, self.values, strict=True):
            run = runs[name]
            frame = run if isinstance(run, pd.DataFrame) else io.read_run(run)
            with collecting_warnings():  # the evaluation has given them
                ranked = runs_of({name: frame}, self.judgments, "report")[name]
            found = [source.annotations.of_run(ranked, self.depth) for source in self.sources]
            strip = strip_of(ranked, self.judgments, found, self.sources, self.depth)
            self.strips.append(strip)
            if ranked.sampled:
                self.sampled = True
                continue
            counted = [self._counted(i, ranked, found, strip) for i in range(len(self.measures))]
            needed = self._needed(ranked, found)
            self.numbers.append(steps.of_run(ranked, needed, strip, counted, values))

    def _counted(self, measure: int, ranked: Run, found: Sequence[Ranked],
                 strip: Strip) -> Counted:
        """Return the documents of a run that a measure counts."""
        wanted, source = self.measures[measure], self.source_of[measure]
        shown, topic = np.ones(len(strip.topic), bool), strip.topic
        if wanted.params.get("judged_only"):
            shown, topic = ~np.isnan(strip.label), ranked.topic[ranked.pair >= 0]
        elif source is not None and wanted.condensed:
            sets, labels = found[source].sets, self.sources[source].labels
            usable = np.append(sets.any_of(np.arange(len(sets)), labels), False)
            shown, topic = strip.sets[source] >= 0, ranked.topic[usable[found[source].codes]]
        return Counted(shown, np.bincount(topic, minlength=len(self.topics)))

    def _needed(self, run: Run, found: Sequence[Ranked]) -> pd.DataFrame:
        """Return the documents of a run that the numbers at its ranks depend on."""
        every = any(isinstance(one, FairnessMeasure) and one.param("target") == "run"
                    for one in self.measures)
        length = np.max([np.full(len(run.length), self.depth), *(one.length for one in found)],
                        axis=0)
        rows = np.flatnonzero(every | (run.place < length[run.list]))
        return ranked_frame(self.topics, run.topic[rows], run.docnos(rows), run.place[rows])

    def targets(self, measure: int) -> list[list[float]] | None:
        """Return the target shares of each topic; ``None`` if they depend on the run."""
        wanted, source = self.measures[measure], self.source_of[measure]
        if (source is None or target_of(wanted) in (None, "run")
                or isinstance(wanted, DocumentMeasure) or list(wanted.parts) != [wanted]):
            return None
        rows = [distribution(wanted, view) for view in self._judged(source)]
        return np.vstack(rows).round(6).tolist()

    def protected(self, measure: int) -> list[list[int]] | None:
        """Return the protected groups of each topic; ``None`` if they depend on the run, or if the
        measure does not compare two sides.
        """
        wanted, source = self.measures[measure], self.source_of[measure]
        if (source is None or wanted.param("protected") in (None, "all")
                or isinstance(wanted, OF_RUN)):
            return None
        rows = [protected_groups(wanted, view, view.relevant(wanted.param("rel"))).labels
                for view in self._judged(source)]
        return [np.flatnonzero(row).tolist() for row in np.vstack(rows)]

    def counting(self, measure: int) -> dict[str, Any]:
        """Return which documents a measure counts and with which weights, for the page."""
        wanted, own = self.measures[measure], self.source_of[measure] is not None
        kind = wanted.param("discount") if own else None
        return {"condensed": own and wanted.condensed,
                "judged": bool(wanted.params.get("judged_only")),
                "even": own and all(isinstance(one, StoppingMeasure) for one in wanted.parts),
                "weights": None if kind is None else numerics.discount(
                    kind, self.depth, wanted.param("p")).round(6).tolist()}

    def relevant(self, source: int) -> Floats:
        """Return the number of relevant documents of each group of a source, ``[T, L]``.

        A document of m groups counts 1/m towards each.
        """
        return np.vstack([view.relevant(1) @ view.share for view in self._judged(source)])

    def _judged(self, source: int) -> Iterator[View]:
        one, run = self.sources[source], empty_run(self.judgments)
        rankings = one.annotations.rankings(run, one.annotations.of_run(run, 0))
        return View.blocks(rankings.labelled(one.labels))


def _source_keys(measure: Any) -> list[tuple[str | None, tuple[str, ...]]]:
    """Return what :meth:`Experiment._source` takes for each group source of a measure."""
    parts = measure.parts if isinstance(measure, FairnessMeasure) else ()
    return [(part.param("groups"), tuple(part.added_labels)) for part in parts if part.needs_groups]
