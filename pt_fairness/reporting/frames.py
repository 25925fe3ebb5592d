"""The frames that the figures of a report show.

Systems, measures, topics, group sources and groups are numbered by their positions, so that a name
is data and never a part of a specification. A list in a cell has an element for each measure, or
for each rank.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Mapping, Sequence
from math import inf
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_fairness.analysis import frontier, group_distribution, ranked_groups
from pt_fairness.analysis import inputs as results
from pt_fairness.analysis.corrections import Corrections
from pt_fairness.analysis.exposure import QRELS_GROUPS
from pt_fairness.analysis.inputs import direction, distance
from pt_fairness.analysis.notes import marks
from pt_fairness.core.arrays import TIE_DECIMALS
from pt_fairness.core.identifiers import texts_of
from pt_fairness.core.registry import name_of
from pt_fairness.evaluation.experiment import Evaluation
from pt_fairness.measures.descriptions import ideal_in_words
from pt_fairness.measures.measure import FairnessMeasure
from pt_fairness.provider.measure_lists import reads_subtopics, takes_groups

#: The decimals of the numbers on the page.
DECIMALS = 4
#: The number of documents that count for a measure without a cutoff.
ALL = 10 ** 9


class Source(NamedTuple):
    """A group source of the measures."""

    name: str
    #: What :func:`pt_fairness.groups.get` reads, ``None`` for the ``iteration`` of the qrels.
    groups: Any
    #: The groups.
    labels: list[str]
    #: The result of :func:`pt_fairness.analysis.group_distribution`.
    distribution: pd.DataFrame
    #: The positions of the measures that use it.
    measures: list[int]


class Experiment:
    """An evaluation whose systems, measures, topics and group sources are numbered.

    :param evaluation: the result of :func:`pt_fairness.evaluate`
    :param measures: the measures, in the order of their columns
    :param qrels: the qrels, with ir_measures' columns
    :param groups: the group source of the measures that name none
    :param queries: ``qid, query``; ``None`` if the queries are unknown
    :param labels: a dictionary from measures to the names that the page shows
    """

    def __init__(self, evaluation: Evaluation, measures: Sequence[Any], qrels: pd.DataFrame,
                 groups: Any = None, queries: pd.DataFrame | None = None,
                 labels: Mapping[Any, str] | None = None) -> None:
        self.facts = evaluation.facts
        #: The corrections by human labels; ``None`` without these.
        self.corrections: Any = None
        self.averages, self.perquery = evaluation
        self.measures = measures
        self.systems: list[str] = results.systems(self.averages)["name"].tolist()
        self.columns = results.measure_columns(self.averages)
        names = results.values_by_measure(labels or {}, self.columns)
        #: The names of the measures in a text, and in tables and figures, by column.
        own_names = {column: column for column in self.columns}
        self.column_names: dict[str, str] = own_names | names
        self.column_labels = self.column_names | results.short_names(self.columns) | names
        #: The labels of the measures, their better ends, and what these mean.
        self.labels = list(self.column_labels.values())
        self.ends = [str(direction(measure)) for measure in measures]
        self.meanings = list(map(meaning, measures))
        self.sources = _sources(measures, self.facts.groups, qrels, groups)
        compares = [getattr(measure, "COMPARES", False) for measure in measures]
        #: The positions of the first measure that compares groups, and of the first other one.
        self.main = int(np.argmax(compares))
        self.other = int(self.main == 0)
        #: The topics, and their texts. Those on which the systems differ most come first.
        is_main = self.perquery["measure"] == self.columns[self.main]
        topics = self.perquery[is_main].groupby("qid")
        spread = topics["value"].std()
        spread = spread.sort_values(ascending=False, kind="stable")
        self.topics: list[str] = spread.index.tolist()
        self.topic_texts = self.topics
        if queries is not None and "query" in queries:
            qids = texts_of(queries["qid"])
            texts = dict(zip(qids, queries["query"], strict=True))
            self.topic_texts = [f"{qid} {texts.get(qid, '')}".rstrip() for qid in self.topics]

    def correct(self, corrections: Corrections) -> None:
        """Take corrected values, and leave out the tests of the values that they correct."""
        self.corrections = corrections
        tests = {}
        for column in map(str, self.averages):
            measure, suffix = results.split_suffix(column)
            if suffix and measure in corrections.columns:
                tests[column] = np.nan
        self.averages = self.averages.assign(**tests)

    @property
    def corrected(self) -> list[str]:
        """The columns of the measures that human labels correct."""
        return [] if self.corrections is None else self.corrections.columns

    def params(self, depth: int) -> dict[str, Any]:
        """Return the parameters of the figures.

        :param depth: the number of documents of a ranking
        """
        count = len(self.measures)
        sources = [0] * count
        condensed = [False] * count
        for place, source in enumerate(self.sources):
            for measure in source.measures:
                sources[measure] = place
                condensed[measure] = getattr(self.measures[measure], "condensed", False)
        titles = list(map("{} {}".format, self.labels, self.meanings))
        cutoffs = [measure.params.get("cutoff", ALL) for measure in self.measures]
        groups = [source.labels for source in self.sources]
        params = {"names": self.systems, "titles": titles, "ends": self.ends, "groups": groups}
        params |= {"sources": sources, "condensed": condensed, "cutoffs": cutoffs, "depth": depth}
        params |= {"topics": self.topic_texts, "measure": self.main}
        return params | {"x": self.other, "y": self.main}

    def distances(self, values: pd.DataFrame) -> pd.DataFrame:
        """Return how far values are from the better end of their measure, up to a constant.

        :param values: a column for each measure
        """
        columns = {}
        for column, end in zip(self.columns, self.ends, strict=True):
            columns[column] = distance(values[column], end)
        return pd.DataFrame(columns).round(TIE_DECIMALS)


def _sources(measures: Sequence[Any], default: str | None, qrels: pd.DataFrame,
             groups: Any) -> list[Source]:
    """Return the group sources of the measures.

    :param default: the name of ``groups``
    :param groups: the source of the measures that name none
    """
    sources: dict[Any, Source] = {}
    for place, measure in enumerate(measures):
        named = [None] if reads_subtopics(measure) else []
        if isinstance(measure, FairnessMeasure):
            named = [part.param("groups") for part in measure.parts if part.needs_groups]
        for source in named:
            key = name_of(source)
            if key not in sources:
                name = default or QRELS_GROUPS
                if source is None:
                    source = groups
                else:
                    name = os.path.basename(key) if os.path.isfile(key) else key
                distribution = group_distribution(qrels, source)
                present = distribution["group"].unique()
                labels = present.tolist()
                sources[key] = Source(name, source, labels, distribution, [])
            sources[key].measures.append(place)
    return list(sources.values())


def meaning(measure: Any) -> str:
    """Return the better end of a measure, with the meaning of its ideal value.

    Examples
    --------
    >>> from pt_fairness import rKL
    >>> from pt_fairness.reporting.frames import meaning
    >>> meaning(rKL @ 5)
    '↓ 0 is fair'
    """
    words = ideal_in_words(measure) if isinstance(measure, FairnessMeasure) else ""
    return f"{direction(measure)} {words}".rstrip()


def _places(names: Sequence[str], values: pd.Series) -> Any:
    """Return the position of each value among names, −1 for no name."""
    return pd.Index(names).get_indexer(values)


def decimal(value: float) -> str:
    """Return a number as the page shows it.

    Examples
    --------
    >>> from pt_fairness.reporting.frames import decimal
    >>> [decimal(value) for value in (0.5, -0.25, float("nan"))]
    ['0.5000', '−0.2500', '–']
    """
    if np.isnan(value):
        return "–"
    return f"{value:.{DECIMALS}f}".replace("-", "−")


def _lists(values: pd.DataFrame, decimals: int = DECIMALS) -> list[list[float]]:
    """Return the rows of a frame as lists."""
    return values.astype(float).round(decimals).to_numpy().tolist()


def systems(experiment: Experiment, ends: pd.DataFrame | None) -> pd.DataFrame:
    """Return the averages of the systems and the reference rankings, and the ideal values.

    :param ends: the intervals of the averages, as :func:`pt_fairness.analysis.intervals` returns
        them
    :returns: ``system, name, kind`` (``system``, ``baseline``, ``reference`` or ``ideal``) and, as
        lists by measure, ``value, far`` (the distance from the better end), ``low, high`` (``None``
        without an interval)
    """
    columns = experiment.columns
    averages = experiment.averages[["name", *columns]].copy()
    ideal = [getattr(measure, "IDEAL", inf) for measure in experiment.measures]
    averages.loc[len(averages)] = ["ideal value", *ideal]
    frame = averages[["name"]].rename_axis("system").reset_index()
    is_system = frame["name"].isin(experiment.systems)
    frame["kind"] = np.where(is_system, "system", "reference")
    frame.loc[frame.index[-1], "kind"] = "ideal"
    if experiment.facts.comparison is not None:
        baseline = frame["name"] == experiment.facts.comparison.baseline
        frame.loc[baseline, "kind"] = "baseline"
    frame["value"] = _lists(averages[columns])
    frame["far"] = _lists(experiment.distances(averages), TIE_DECIMALS)
    for side in ("low", "high"):
        table = pd.DataFrame(index=averages["name"], columns=columns)
        if ends is not None:
            table.update(ends.pivot(index="name", columns="measure", values=side))
        frame[side] = _lists(table)
    return frame


def fronts(experiment: Experiment, qrels: pd.DataFrame, groups: Any) -> pd.DataFrame:
    """Return the fronts that the judgments allow, of each pair of measures that has one.

    :param groups: the group source of the measures that name none
    :returns: ``horizontal, vertical`` (the measures), ``x, y`` and ``place`` of each vertex
    """
    rows: list[tuple[float, ...]] = []
    for (i, relevance), (j, fairness) in itertools.permutations(enumerate(experiment.measures), 2):
        source = groups if takes_groups(fairness) else None
        try:
            front = frontier(qrels, relevance, fairness, source).front
        except ValueError:  # of a pair without a front
            continue
        for place, (x, y) in enumerate(front.to_numpy().tolist()):
            rows.append((i, j, x, y, place))
            rows.append((j, i, y, x, place))
    return pd.DataFrame(rows, columns=["horizontal", "vertical", "x", "y", "place"])


def topic_values(experiment: Experiment) -> pd.DataFrame:
    """Return a column for each measure and a row for each topic and system, in their order."""
    table = experiment.perquery.pivot(index=["qid", "name"], columns="measure", values="value")
    index = pd.MultiIndex.from_product([experiment.topics, experiment.systems])
    rows = table.reindex(index)
    return rows[experiment.columns]


def values(experiment: Experiment) -> pd.DataFrame:
    """Return the value of each topic and system.

    :returns: ``key`` (the number of the row), ``topic, system`` and, as lists by measure,
        ``value`` and ``place``, the place of the system for this topic, the best first
    """
    table = topic_values(experiment)
    frame = pd.DataFrame({"key": np.arange(len(table))})
    count = len(experiment.systems)
    frame["topic"], frame["system"] = np.divmod(frame["key"], count)
    distances = experiment.distances(table)
    far = distances.reset_index(drop=True)
    places = far.groupby(frame["topic"]).rank(method="first", na_option="bottom")
    frame["value"] = _lists(table)
    frame["place"] = places.astype(int).to_numpy().tolist()
    return frame


def documents(experiment: Experiment, ranked: Sequence[pd.DataFrame],
              qrels: pd.DataFrame) -> pd.DataFrame:
    """Return the first documents of each system for each topic.

    :param ranked: the result of :func:`pt_fairness.analysis.ranked_groups` for each source
    :param qrels: the judged documents, ``query_id, doc_id``
    :returns: ``source, topic, key`` (as in :func:`values`), and lists with an element for each
        group of a document: ``rank, docno, label`` (``None`` if it is not judged) and ``group`` (−1
        for none)
    """
    tables = []
    for place, (source, frame) in enumerate(zip(experiment.sources, ranked, strict=True)):
        frame = frame.assign(source=place)
        frame["group"] = _places(source.labels, frame["group"])
        tables.append(frame)
    table = pd.concat(tables, ignore_index=True)
    judged = pd.MultiIndex.from_frame(qrels[["query_id", "doc_id"]])
    is_judged = pd.MultiIndex.from_frame(table[["qid", "docno"]]).isin(judged)
    table["label"] = table["label"].astype(object).where(is_judged, None)
    table["topic"] = _places(experiment.topics, table["qid"])
    table["system"] = _places(experiment.systems, table["name"])
    rows = table.groupby(["source", "topic", "system"])[["rank", "docno", "label", "group"]]
    table = rows.agg(list).reset_index()
    count = len(experiment.systems)
    table["key"] = table["topic"] * count + table["system"]
    return table


def ranked(runs: Mapping[str, Any], qrels: pd.DataFrame, groups: Any, depth: int) -> pd.DataFrame:
    """Return the first documents of each run. One run at a time is in memory."""
    tables = [ranked_groups({name: run}, qrels, groups, depth) for name, run in runs.items()]
    return first_samples(pd.concat(tables, ignore_index=True))


def first_samples(ranked: pd.DataFrame) -> pd.DataFrame:
    """Return the first ranking of each system and topic.

    :param ranked: the result of :func:`pt_fairness.analysis.ranked_groups`
    """
    first = ranked.groupby(["name", "qid", "rank"])["docno"].transform("first")
    return ranked[ranked["docno"] == first]


def differences(experiment: Experiment, compared: pd.DataFrame) -> pd.DataFrame:
    """Return the differences from the baseline.

    :param compared: the result of :func:`pt_fairness.analysis.compare`
    :returns: ``system, measure, difference, low, high, significant``
    """
    frame = compared[["difference", "low", "high"]].copy()
    frame["system"] = _places(experiment.systems, compared["name"])
    frame["measure"] = _places(experiment.columns, compared["measure"])
    changed = marks(experiment.averages, experiment.facts).to_numpy()
    frame["significant"] = changed[frame["system"], frame["measure"]] != ""
    return frame


def shares(experiment: Experiment) -> pd.DataFrame:
    """Return the shares of the groups in what the systems show, and in the relevant documents.

    :returns: ``source, system, group`` and the columns of :func:`pt_fairness.analysis.shares`; no
        columns without shares
    """
    parts = []
    for place, source in enumerate(experiment.sources):
        for (name, _), table in experiment.facts.shares.items():
            if name == source.name:
                system = _places(experiment.systems, table["name"])
                group = _places(source.labels, table["group"])
                parts.append(table.assign(source=place, system=system, group=group))
    return pd.concat(parts, ignore_index=True).drop(columns="name") if parts else pd.DataFrame()


def judged(experiment: Experiment) -> pd.DataFrame:
    """Return the relevant documents of each group by topic.

    :returns: ``source, topic, group, relevant, share``
    """
    parts = []
    for place, source in enumerate(experiment.sources):
        frame = source.distribution
        topic = _places(experiment.topics, frame["qid"])
        group = _places(source.labels, frame["group"])
        part = frame[["relevant", "share"]].round(DECIMALS)
        parts.append(part.assign(source=place, topic=topic, group=group)[topic >= 0])
    return pd.concat(parts, ignore_index=True)


def counts(experiment: Experiment, ranked: Sequence[pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Return the number of the first documents of each group, ``[topics, systems]``, by its name.

    :param ranked: the first documents of the systems with the groups of each source
    """
    tables = {}
    for source, frame in zip(experiment.sources, ranked, strict=True):
        for label, part in frame.fillna({"group": "no group"}).groupby("group"):
            title = f"{label} ({source.name})"
            table = pd.crosstab(part["qid"], part["name"])
            table = table.reindex(experiment.topics, columns=experiment.systems, fill_value=0)
            tables[title] = table
    return tables
