"""The sections of the report, as variables of the template and as data of its scripts."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from math import inf
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness import analysis
from pt_fairness.analysis.columns import (
    CORRECTED,
    FRONTS,
    HIGH,
    INTERVAL,
    LOSSES,
    LOW,
    UNDEFINED_EVERYWHERE,
    VERDICT,
    WINS,
    best_of_measures,
)
from pt_fairness.analysis.drawn_labels import LARGEST_R_HAT, WHY
from pt_fairness.analysis.notes import (
    BETTER,
    DIFFERENT,
    WORSE,
    changes,
    notes,
    p_values,
    short_p,
)
from pt_fairness.analysis.statistics import tests_of_zero
from pt_fairness.analysis.tables import as_text
from pt_fairness.core.messages import enumerated, first_names, plural
from pt_fairness.groups import Groups, error_rates
from pt_fairness.groups.combinations import ModelLabels, WithErrorRates
from pt_fairness.groups.labels_of_models import FromTransformer
from pt_fairness.measures.measure import FairnessMeasure
from pt_fairness.provider.measure_lists import reads_subtopics
from pt_fairness.reporting.evaluated_runs import IN_QRELS, Column, Experiment, as_data
from pt_fairness.reporting.paragraph import Facts, as_latex, bibtex, paragraph, short_names
from pt_fairness.reporting.paragraph import as_text as as_prose
from pt_fairness.reporting.steps import CONTRIBUTION, VALUE

#: The decimals of the values that the page shows.
DIGITS = 4
#: The notes on the numbers at the ranks, by their kind.
_NOTES = {
    None: "The measure has no cutoff, so it has no value at each rank.",
    CONTRIBUTION: "The contributions of the ranks add up to the value; those of documents below "
                  "rank {depth} are not shown.",
    VALUE: "The value so far is that of the measure with the rank as its cutoff.",
}
#: The facts on a measure for the scripts, see :class:`Column`.
_OF_COLUMN = ("name", "direction", "end", "fair", "cutoff", "source", "condensed", "judged", "even",
              "of_run")
#: What values are where a run has samples.
SAMPLES = ("Where a system has several rankings of a topic, its value is their mean. EEL, EED, EER "
           "and IAA evaluate the mean exposure, and measures of relevance one list of all.")
#: The meaning of the mark of a significant change.
_CHANGES = {BETTER: "significantly better than the baseline",
            WORSE: "significantly worse than the baseline",
            DIFFERENT: "significantly different from the baseline"}


def content_of(experiment: Experiment) -> dict[str, Any]:
    """Return the variables of the template."""
    table = experiment.table
    text = paragraph(_facts(experiment))
    content = {"lead": _lead(experiment), "experiment": experiment, "table": _table(experiment),
               "judgments": _judgments(experiment)}
    content["paragraph"] = as_prose(text)
    content["latex"] = as_latex(text)
    content["bibtex"] = bibtex(text)
    content["copies"] = [("LaTeX", as_text(table, "latex", p_values=True)),
                         ("CSV", as_text(table, "csv")),
                         ("Markdown", as_text(table, "md", p_values=True))]
    return content


def _lead(experiment: Experiment) -> str:
    systems, topics = len(experiment.systems), len(experiment.topics)
    names = ", ".join(experiment.names)
    text = f"{plural(systems, 'system')} on {plural(topics, 'topic')}, by {names}"
    for source in experiment.sources:
        labels = first_names(source.labels)
        text += f"; the groups of {source.name} are {labels}"
    if experiment.baseline is not None:
        text += f"; the baseline is {experiment.baseline}"
    return f"{text}."


@dataclass
class Cell:
    """A cell of the table of averages."""

    #: The number for sorting, and as it is shown.
    value: str
    text: str
    #: The difference from the baseline, the value itself for the baseline.
    difference: str | None = None
    interval: str = ""
    #: The comparison with the baseline.
    about: str = ""
    verdict: str = ""
    best: bool = False
    #: The mark of a significant change.
    mark: str = ""

    @property
    def said(self) -> str:
        """What screen readers say."""
        change = _CHANGES.get(self.mark, "")
        best = "best" if self.best else ""
        return ", ".join(filter(None, [best, change]))


def decimal(value: float, sign: str = "") -> str:
    """Return a number as the page shows it."""
    if np.isnan(value):
        return "–"
    return f"{value:{sign}.{DIGITS}f}".replace("-", "−")


def _cell(value: float, difference: float | None = None) -> Cell:
    exact = number(value)
    text = "" if exact is None else str(exact)
    cell = Cell(text, decimal(value))
    if difference is not None:
        sign = "" if difference == value else "+"
        cell.difference = decimal(difference, sign)
    return cell


def _table(experiment: Experiment) -> dict[str, Any]:
    averages, names = experiment.averages, experiment.names
    origin = pd.Series(0.0, names)
    if experiment.baseline is not None:
        by_name = averages.set_index("name")
        origin = by_name.loc[experiment.baseline, names]
    best = best_of_measures(averages[["name", *names]].copy())
    marks = changes(averages)
    heads: list[tuple[list[str], str, int | None]] = [(["system"], "", None)]
    columns = []
    for i, column in enumerate(experiment.columns):
        name = column.name
        parts = re.split("(?<=[,(])", name)
        heads.append((parts, column.end, i))
        cells = _cells(experiment, name, origin[name])
        for cell, is_best, mark in zip(cells, best[name], marks[name], strict=True):
            cell.best = is_best
            cell.mark = mark
        columns.append(cells)
    for i, source in enumerate(experiment.sources):
        heads.append(([f"Annotated@{experiment.depth}"], source.name, None))
        columns.append([_cell(strip.annotated(i)) for strip in experiment.strips])
    rows = list(zip(experiment.systems, zip(*columns, strict=True), strict=True))
    references = []
    for reference in experiment.references.to_dict("records"):
        cells = [_cell(reference[name], reference[name] - origin[name]) for name in names]
        references.append((reference["name"], cells))
    texts = notes(averages)
    if experiment.sampled:
        texts.append(SAMPLES)
    return {"heads": heads, "rows": rows, "references": references, "notes": texts,
            "intervals": INTERVAL in averages.attrs}


def _cells(experiment: Experiment, name: str, origin: float) -> list[Cell]:
    """Return the cells of a measure, one for each system.

    :param origin: the value of the baseline
    """
    averages, baseline = experiment.averages, experiment.baseline
    p = p_values(averages, name)
    cells = []
    for i, row in enumerate(averages.to_dict("records")):
        value = float(row[name])
        is_baseline = row["name"] == baseline
        difference = value if is_baseline else value - origin
        cell = _cell(value, difference)
        if name + LOW in row and cell.value:
            low, high = decimal(row[name + LOW]), decimal(row[name + HIGH])
            cell.interval = f"[{low}, {high}]"
        if name + VERDICT in row and not is_baseline:
            cell.verdict = row[name + VERDICT]
        if p is not None and not np.isnan(p.iloc[i]):
            text = f"p = {short_p(p.iloc[i])}".replace("= <", "<")
            if name + CORRECTED in row:
                text = f"corrected {text}"
            wins, losses = int(row[name + WINS]), row[name + LOSSES]
            larger = plural(wins, "topic")
            cell.about = f"{text}; larger on {larger}, smaller on {losses:.0f}"
        cells.append(cell)
    return cells


def _judgments(experiment: Experiment) -> dict[str, Any]:
    sources = []
    for i, source in enumerate(experiment.sources):
        counts = experiment.relevant(i)
        total = counts.sum(axis=1)
        counting = "A document of m groups counts 1/m towards each."
        if source.weighted:
            counting = "A document counts towards its groups by their weights."
        topics = plural(len(total), "topic")
        lead = f"{counts.sum():.6g} relevant documents of {topics} have a group. {counting}"
        without = int((total == 0).sum())
        if without:
            topics = plural(without, "topic")
            lead += f" No relevant document has a group for {topics}."
        undefined: list[list[str]] = [[] for _ in experiment.topics]
        for column in experiment.columns:
            for t in column.undefined if column.source == i else ():
                undefined[t].append(column.name)
        rows = zip(experiment.topics, experiment.queries, total, counts.tolist(), undefined,
                   strict=True)
        sources.append({"name": source.name, "labels": source.labels, "rows": list(rows),
                        "lead": lead, "most": total.max(initial=1.0)})
    texts = _annotated_above(experiment) + undefined_measures(experiment)
    return {"sources": sources, "notes": texts}


def _annotated_above(experiment: Experiment) -> list[str]:
    """Return a sentence on the share of annotated documents of the strips for each source."""
    sentences = []
    first = f"the first {experiment.depth} documents of the rankings"
    for i, source in enumerate(experiment.sources):
        codes = np.concatenate([strip.sets[i] for strip in experiment.strips])
        if not len(codes):
            continue
        share = (codes >= 0).mean()
        if share == 1:
            sentences.append(f"All of {first} have a group of {source.name}.")
            continue
        of_strips = [strip.annotated(i) for strip in experiment.strips]
        shares = pd.Series(of_strips, experiment.systems)
        smallest = f"{shares.idxmin()}, {shares.min():.1%}"
        sentences.append(f"Of {first}, {share:.1%} have a group of {source.name}; the smallest "
                         f"share is that of {smallest}.")
    return sentences


def annotated_within(experiment: Experiment, below: float = inf) -> list[str]:
    """Return sentences on the shares of annotated documents within the cutoffs of the measures.

    :param below: leave out measures for which all systems have at least this share
    """
    sentences = []
    for (i, cutoff), of_systems in experiment.annotated.items():
        shares = pd.Series(of_systems, experiment.systems).dropna()
        if shares.empty or shares.min() >= below:
            continue
        low = f"{shares.min():.1%}"
        high = f"{shares.max():.1%}"
        documents = "documents of a ranking"
        if cutoff is not None:
            documents = f"first {plural(cutoff, 'document')} of a ranking"
        have = f"of the {documents} have a group of {experiment.sources[i].name}."
        if shares.min() == 1:
            sentences.append(f"All {have}")
        elif low == high:
            sentences.append(f"On average over the topics, {low} {have}")
        else:
            least, most = f"{low} ({shares.idxmin()})", f"{high} ({shares.idxmax()})"
            sentences.append(f"On average over the topics, {least} to {most} {have}")
    return list(dict.fromkeys(sentences))


def undefined_measures(experiment: Experiment) -> list[str]:
    """Return sentences on the measures that are undefined for topics."""
    sentences = []
    for column in experiment.columns:
        topics = _undefined_topics(experiment, column)
        if topics:
            sentences.append(f"{column.name} is undefined for {topics}")
    return sentences


def _undefined_topics(experiment: Experiment, column: Column) -> str:
    """Return what follows "is undefined for" in a sentence on a measure, ``''`` for no topics."""
    if not column.undefined:
        return ""
    topics = experiment.topics
    everywhere = experiment.averages.attrs[UNDEFINED_EVERYWHERE]
    reason = everywhere.get(column.name)
    if reason is not None:
        return f"{reason}; there is no average."
    place = experiment.columns.index(column)
    values = experiment.values[:, column.undefined, place]
    effect = "every system has the value 0 there, which counts in the average"
    if np.isnan(values).all():
        effect = "they are left out of the average"
    names = [topics[topic] for topic in column.undefined]
    count = plural(len(topics), "topic")
    return f"{len(names)} of {count} ({first_names(names)}); {effect}."


def _facts(experiment: Experiment) -> Facts:
    measures = [(column.name, column.measure) for column in experiment.columns]
    names = short_names(measures)
    columns = dict(zip(names, experiment.columns, strict=True))
    texts = []
    labels = []
    for i, source in enumerate(experiment.sources):
        which = ""
        if len(experiment.sources) > 1:
            users = [name for name, column in columns.items() if i in column.sources]
            which = f" of {enumerated(users)}"
        shown = first_names(source.labels)
        texts.append(f"The groups{which} are those of {source.name} ({shown}).")
        if source.weighted:
            texts.append(f"The groups of {source.name} have weights: a document counts towards "
                         "each of its groups by its share of the document's weights.")
        texts += of_model(source.annotations.groups, experiment.corrected)
        labels += source.labels
    subtopics = [name for name, column in columns.items() if reads_subtopics(column.measure)]
    if subtopics:
        name = experiment.plan.groups or IN_QRELS
        texts.append(f"The subtopics of {enumerated(subtopics)} are the groups of {name}.")
    if experiment.sampled:
        texts.append(SAMPLES)
    texts += annotated_within(experiment)
    undefined = [_undefined_topics(experiment, column) for column in experiment.columns]
    interval = experiment.averages.attrs.get(INTERVAL, {})
    systems, topics = len(experiment.systems), len(experiment.topics)
    return Facts(systems, topics, measures, texts, undefined, experiment.comparison,
                 interval.get("confidence"), labels)


def of_model(source: Groups | None, corrected: bool) -> list[str]:
    """Return sentences on the labels of a model, and whether values are corrected for errors.

    :param corrected: whether the report has a section on uncertain labels
    """
    if isinstance(source, ModelLabels):
        try:
            quality = error_rates(source.model, source.human).sentence
        except ValueError:
            quality = "No document is known to have both, so they cannot be compared."
        labels = f"Documents without a human label have that of a model. {quality}"
    elif isinstance(source, FromTransformer):
        labels = (f"The labels are those of a model, {source.name}; no human labels say how good "
                  "they are.")
        corrected = False
    elif isinstance(source, WithErrorRates):
        labels = f"The labels are those of a model, {source.base.name}, with known error rates."
    else:
        return []
    errors = "The averages are not corrected for its errors and can be too fair or too unfair"
    if corrected:
        errors += "; the means and intervals under uncertain labels are corrected"
    return [labels, f"{errors}."]


def data_of(experiment: Experiment, room: int) -> dict[str, Any]:
    """Return what the scripts show.

    :param room: the largest size of the data with numbers at ranks, in bytes
    """
    averages, names = experiment.averages, experiment.names
    titles = experiment.titles
    data: dict[str, Any] = {"digits": DIGITS, "runs": experiment.systems, "baseline": None}
    if experiment.baseline is not None:
        data["baseline"] = experiment.systems.index(experiment.baseline)
    for key in ("topics", "queries", "depth"):
        data[key] = getattr(experiment, key)
    for key in ("undefined", "targets", "protected"):
        data[key] = [getattr(column, key) for column in experiment.columns]
    data["fairest"] = [_numbers(column.fairest) or None for column in experiment.columns]
    data["sources"] = [{"name": source.name, "labels": source.labels, "sets": list(source.sets)}
                       for source in experiment.sources]
    data["averages"] = _numbers(averages[names])
    data["references"] = []
    for reference in experiment.references.to_dict("records"):
        values = [number(reference[name]) for name in names]
        data["references"].append({"name": reference["name"], "values": values})
    data["fronts"] = _fronts(experiment)
    # Two decimals more than the page shows.
    values = experiment.values.round(DIGITS + 2)
    data["values"] = _numbers(values.transpose(2, 1, 0))
    data["rankings"] = as_data(experiment.strips, len(experiment.topics))
    for ranking in data["rankings"] if titles else ():
        ranking["titles"] = [titles.get(docno) for docno in ranking["docs"]]
    if INTERVAL in averages.attrs:
        limits = [averages[[name + end for name in names]] for end in (LOW, HIGH)]
        data["intervals"] = _numbers(np.dstack(limits))
    size = len(as_json(data))
    return data | _explanations(experiment, room - size)


def _fronts(experiment: Experiment) -> list[dict[str, Any]]:
    """Return the fronts that the judgments allow, with the distance of each system from them."""
    fronts = []
    for front in experiment.averages.attrs.get(FRONTS, []):
        of_systems = [front["systems"][name] for name in experiment.systems]
        systems = pd.DataFrame(of_systems)[["fairest", "headroom"]]
        fronts.append({"x": front["relevance"], "y": front["fairness"],
                       "vertices": _numbers(front["vertices"]), "systems": _numbers(systems)})
    return fronts


def _numbers(values: Any) -> Any:
    """Return the numbers of an array for JSON, in lists."""
    if np.ndim(values):
        return [_numbers(part) for part in np.asarray(values, float)]
    return number(values)


def _explanations(experiment: Experiment, room: int) -> dict[str, Any]:
    """Return the measures with their numbers at ranks, as many as there is room for.

    :param room: the number of bytes
    """
    measures = []
    steps = []
    at_ranks = _steps(experiment, room)
    for column, (numbers, note) in zip(experiment.columns, at_ranks, strict=True):
        measure: dict[str, Any] = {"note": note, "explained": None, "factors": None}
        for key in _OF_COLUMN:
            measure[key] = getattr(column, key)
        measure["weights"] = column.weights(experiment.depth)
        if isinstance(column.measure, FairnessMeasure):
            measure["formula"] = column.measure.formula()
            measure["where"] = column.measure.where()
        if numbers is not None:
            measure["explained"] = column.method.kind
            measure["factors"] = _factors(experiment, column.measure)
        measures.append(measure)
        steps.append(numbers)
    return {"measures": measures, "steps": steps}


def _steps(experiment: Experiment, room: int) -> Iterator[tuple[Any, str]]:
    """Yield the numbers of each measure at the ranks, ``None`` if they are not shown, and a note.

    :param room: the number of bytes of all numbers
    """
    for column in experiment.columns:
        kind = column.method.kind
        note = _NOTES[kind].format(depth=experiment.depth)
        if kind is None:
            yield None, note
        elif experiment.sampled:
            yield None, "Values are not explained where a system has several rankings of a topic."
        else:
            numbers = _at_ranks(experiment, column.measure)
            size = len(as_json(numbers))
            if size > room:
                yield None, ("The numbers at the ranks are left out because of their size; "
                             "explain() of the package has them.")
            else:
                room -= size
                yield numbers, note


def _factors(experiment: Experiment, measure: Any) -> list[Any] | None:
    """Return the discounts and Z of each system, ``None`` for a measure without them."""
    factors = []
    for of_run in experiment.factors:
        if measure not in of_run:
            return None
        discounts, norms = of_run[measure]
        factors.append([_numbers(discounts), _numbers(norms)])
    return factors


def _at_ranks(experiment: Experiment, measure: Any) -> list[list[int | None]]:
    """Return the numbers of all systems at the ranks of each topic, as whole numbers.

    They have three decimals more than the page shows, which multiplies them by Z and divides them
    by the discount.
    """
    numbers = np.concatenate([of_run[measure] for of_run in experiment.numbers])
    topic = np.concatenate([strip.topic for strip in experiment.strips])
    order = np.argsort(topic, kind="stable")
    ends = np.searchsorted(topic[order], np.arange(1, len(experiment.topics)))
    units = np.full(len(numbers), None, object)
    finite = np.isfinite(numbers)
    whole = np.rint(numbers[finite] * 10.0 ** (DIGITS + 3))
    units[finite] = whole.astype(int)
    return [part.tolist() for part in np.split(units[order], ends)]


def of_zero_tests(perquery: pd.DataFrame, correction: str | None) -> dict[str, Any]:
    """Return the title, the lead and the table of the section on tests of signed measures.

    :param perquery: the values per topic
    :param correction: the correction of the tests for several systems
    """
    tests = tests_of_zero(perquery, correction)
    table = tests[["name", "measure"]].rename(columns={"name": "system"})
    for column in ("MB", "SB", "MAB"):
        table[column] = tests[column].map(decimal)
    table["n"] = tests["n"].astype(str)
    for column in ("p", "p corrected"):
        table[column] = tests[column].map(short_p)
    lead = ("Whether each system is biased: MB is the mean bias over the topics, SB its standard "
            "deviation, MAB the mean absolute bias, and p of a two-sided one-sample t-test of MB = "
            f"0, corrected for several systems ({correction or 'not corrected'}).")
    return {"id": "zero", "title": "Bias against 0", "tables": [("", table)], "lead": lead}


def of_topic_groups(perquery: pd.DataFrame, groups: Any, level: float,
                    seed: int = 0) -> dict[str, Any]:
    """Return the title, the lead and a table for each measure of the section on groups of topics.

    :param perquery: the values per topic
    :param groups: as of :func:`pt_fairness.analysis.topic_groups`
    :param level: the confidence level of the intervals
    :param seed: the seed of the permutations
    """
    means = analysis.topic_groups(perquery, groups, confidence=level, seed=seed)
    means["text"] = _with_intervals(means, ["low", "high"], "mean")
    sizes = means["n"].astype(str)
    means["head"] = means["group"] + " (n = " + sizes + ")"
    tables = []
    gaps = analysis.topic_gaps(perquery, groups, seed=seed)
    for measure, gap in gaps.groupby("measure", sort=False):
        of_measure = means[means["measure"] == measure]
        cells = of_measure.pivot(index="name", columns="head", values="text")
        table = cells.fillna("–").loc[gap["name"]].reset_index(names="system")
        for head, column in {"range": "range", "range by chance": "chance"}.items():
            table[head] = gap[column].map(decimal).to_numpy()
        table["p"] = gap["p"].map(short_p).to_numpy()
        tables.append((measure, table))
    lead = (f"Means over the topics of each group, with {100 * level:g} % t intervals. The range "
            "is the largest minus the smallest mean. By chance it is the mean range where the "
            "topics exchange their groups at random; p is of a permutation test that the values "
            "have the same distribution in all groups, not corrected for several systems or "
            "measures.")
    return {"id": "topic-groups", "title": "Groups of topics", "tables": tables, "lead": lead}


def of_uncertain_labels(results: pd.DataFrame, draws: int, level: float) -> dict[str, Any]:
    """Return the title, the lead and the table of the section on uncertain labels.

    :param results: the result of :func:`pt_fairness.analysis.uncertain_labels`
    :param draws: the number of draws
    :param level: the confidence level of the intervals
    """
    table = results[["name", "measure"]].rename(columns={"name": "system"})
    without_draws = [column for column in WHY if column in results]
    for column in without_draws:
        table[column] = results[column].map(decimal)
    head = f"mean of the draws [{100 * level:g} % interval]"
    table[head] = _with_intervals(results, ["low", "high"], "mean")
    table["for these topics"] = _with_intervals(results, ["label low", "label high"])
    shares = results["share"].map("{:.0%}".format)
    table["share of the labels"] = ["–" if share == "nan%" else share for share in shares]
    columns = {"most probable": "with the likeliest labels", "r_hat": "R̂ of the draws"}
    for column, head in columns.items():
        if column in results:
            table[head] = results[column].map(decimal)
    lead = (f"Each of {draws} draws gives every document one label. The interval of the mean "
            "covers the choice of the topics and the labels, and the share is the part of its "
            "variance that is the labels'. The interval for these topics covers the labels alone.")
    lead = " ".join([lead, *[WHY[column] for column in without_draws]])
    if "r_hat" in results:
        lead += (f" An R̂ above {LARGEST_R_HAT} says that chains of draws from two starts disagree: "
                 "then do not use the value.")
    return {"id": "uncertain", "title": "Uncertain labels", "tables": [("", table)], "lead": lead}


def _with_intervals(table: pd.DataFrame, ends: list[str], mean: str | None = None) -> list[str]:
    """Return intervals, behind the means if there are any; a mean without an interval is alone."""
    texts = []
    for row in table.to_dict("records"):
        low, high = (decimal(row[end]) for end in ends)
        interval = f"[{low}, {high}]"
        if mean is None:
            texts.append(interval)
        elif low == high == "–":
            texts.append(decimal(row[mean]))
        else:
            texts.append(f"{decimal(row[mean])} {interval}")
    return texts


def as_json(data: Any) -> str:
    """Return data as JSON in ASCII, without spaces."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False)


def number(value: float) -> float | str | None:
    """Return a number for JSON: ``None`` for NaN, a text for an infinity, twelve digits otherwise.
    """
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return float(f"{value:.12g}")
