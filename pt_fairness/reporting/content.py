"""The sections of the report, as variables of the template and as data of its scripts."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.analysis.columns import (
    CORRECTED,
    HIGH,
    INTERVAL,
    LOSSES,
    LOW,
    UNDEFINED_EVERYWHERE,
    VERDICT,
    WINS,
)
from pt_fairness.analysis.directions import LARGER, NEAR_ZERO, best_of_measures
from pt_fairness.analysis.formats import as_text
from pt_fairness.analysis.significance import (
    BETTER,
    DIFFERENT,
    WORSE,
    changes,
    notes,
    p_values,
    short_p,
)
from pt_fairness.core.messages import first_names
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.descriptions import fair_end_in_words
from pt_fairness.provider.parsing import reads_subtopics
from pt_fairness.reporting.data import IN_QRELS, Experiment
from pt_fairness.reporting.paragraph import (
    Facts,
    as_latex,
    bibtex,
    listed,
    paragraph,
    plural,
    short_names,
)
from pt_fairness.reporting.paragraph import as_text as as_prose
from pt_fairness.reporting.rendering import as_json, number
from pt_fairness.reporting.steps import CONTRIBUTION, VALUE
from pt_fairness.reporting.strips import as_data

#: The decimals of the values that the page shows.
DIGITS = 4
#: The texts of directions below the names of measures.
_ENDS = {LARGER: "↑ more is better", NEAR_ZERO: "→0 0 is unbiased"}
#: The notes on the numbers at the ranks, by their kind.
_NOTES = {
    None: "The measure has no cutoff, so it has no value at each rank.",
    CONTRIBUTION: "The contributions of the ranks add up to the value; those of documents below "
                  "rank {depth} are not shown.",
    VALUE: "The value so far is that of the measure with the rank as its cutoff.",
}
#: What values are where a run has samples.
SAMPLES = ("Where a system has several rankings of a topic, its value is their mean. EEL, EED, EER "
           "and IAA evaluate the mean exposure, and measures of relevance one list of all.")
#: The meaning of the mark of a significant change.
_CHANGES = {BETTER: "significantly better than the baseline", "": "",
            WORSE: "significantly worse than the baseline",
            DIFFERENT: "significantly different from the baseline"}


def content_of(experiment: Experiment) -> dict[str, Any]:
    """Return the variables of the template."""
    text = paragraph(_facts(experiment))
    return {
        "lead": _lead(experiment), "table": _table(experiment),
        "judgments": _judgments(experiment), "paragraph": as_prose(text),
        "latex": as_latex(text), "bibtex": bibtex(text),
        "copies": [("LaTeX", as_text(experiment.table, "latex", p_values=True)),
                   ("CSV", as_text(experiment.table, "csv")),
                   ("Markdown", as_text(experiment.table, "md", p_values=True))],
        "sampled": "A system has several rankings of a topic: the first one is shown, and values "
                   "are not explained." if experiment.sampled else "",
    }


def _lead(experiment: Experiment) -> str:
    parts = [f"{plural(len(experiment.systems), 'system')} on "
             f"{plural(len(experiment.topics), 'topic')}, by {', '.join(experiment.names)}"]
    parts += [f"the groups of {source.name} are {first_names(source.labels)}"
              for source in experiment.sources]
    if experiment.baseline is not None:
        parts.append(f"the baseline is {experiment.baseline}")
    return "; ".join(parts) + "."


def _end(experiment: Experiment, measure: int) -> str:
    direction, own = experiment.directions[measure], experiment.measures[measure]
    if isinstance(own, FairnessMeasure) and direction != NEAR_ZERO:
        return f"{direction} {fair_end_in_words(own)}"
    return _ENDS.get(str(direction), str(direction))


def _table(experiment: Experiment) -> dict[str, Any]:
    averages, names = experiment.averages, experiment.names
    best, changed = best_of_measures(averages[["name", *names]].copy()), changes(averages)
    heads: list[dict[str, Any]] = [
        {"parts": ["system"], "measure": None, "end": ""},
        *({"parts": re.split("(?<=[,(])", name), "measure": i, "end": _end(experiment, i)}
          for i, name in enumerate(names)),
        *({"parts": [f"Annotated@{experiment.depth}"], "measure": None, "end": source.name}
          for source in experiment.sources)]
    rows = []
    base = None if experiment.baseline is None else experiment.systems.index(experiment.baseline)
    values = averages[names].to_numpy(float)
    origin = np.zeros(len(names)) if base is None else values[base]
    for row, (system, strip) in enumerate(zip(experiment.systems, experiment.strips, strict=True)):
        cells = [_cell(value, bool(best[name].iloc[row]), str(changed[name].iloc[row]),
                       _about(averages, name, row),
                       value if row == base else value - zero)
                 for name, value, zero in zip(names, values[row].tolist(), origin, strict=True)]
        for name, cell in zip(names, cells, strict=True):
            if name + LOW in averages and cell["value"]:
                low, high = (averages[name + suffix].iloc[row] for suffix in (LOW, HIGH))
                cell["interval"] = f"[{low:.{DIGITS}f}, {high:.{DIGITS}f}]".replace("-", "−")
            if name + VERDICT in averages and system != experiment.baseline:
                cell["verdict"] = averages[name + VERDICT].iloc[row]
        cells += [_cell(strip.annotated(i)) for i in range(len(experiment.sources))]
        rows.append({"name": system, "cells": cells, "baseline": system == experiment.baseline})
    references = [{"name": name, "cells": [
        None if np.isnan(value) else _cell(value, difference=value - zero)
        for value, zero in zip(reference, origin, strict=True)]} for name, *reference in
            experiment.references[["name", *names]].itertuples(index=False)]
    return {"heads": heads, "rows": rows, "references": references,
            "baseline": experiment.baseline, "intervals": INTERVAL in averages.attrs,
            "caption": "Averages over the topics. The best value of each column is bold. A click "
                       "on a name sorts by it. Names in brackets are reference rankings: the "
                       "relevant documents that have a group, in other orders.",
            "notes": [*notes(averages), *([SAMPLES] if experiment.sampled else []), *(
                [f"Annotated@{experiment.depth}: the share of the first {experiment.depth} "
                 "documents that have a group."] if experiment.sources else [])]}


def _cell(value: float, best: bool = False, mark: str = "", about: str = "",
          difference: float | None = None) -> dict[str, Any]:
    """Return a cell of the table; ``said`` is for screen readers.

    :param difference: the difference from the baseline, the value itself for the baseline
    """
    exact = number(value)
    sign = "" if difference in (None, value) else "+"
    return {"value": "" if exact is None else str(exact), "interval": "",
            "text": "–" if exact is None else f"{value:.{DIGITS}f}".replace("-", "−"),
            "difference": None if difference is None else "–" if np.isnan(difference) else
            f"{difference:{sign}.{DIGITS}f}".replace("-", "−"),
            "best": best, "mark": mark, "about": about, "verdict": "",
            "said": ", ".join(filter(None, ["best" if best else "", _CHANGES[mark]]))}


def _about(averages: pd.DataFrame, name: str, row: int) -> str:
    """Return the comparison of a system with the baseline, if there is one, as text."""
    p = p_values(averages, name)
    if p is None or np.isnan(p.iloc[row]):
        return ""
    wins, losses = (int(averages[name + suffix].iloc[row]) for suffix in (WINS, LOSSES))
    corrected = "corrected " if name + CORRECTED in averages else ""
    return (f"{corrected}p = {short_p(float(p.iloc[row]))}; larger on {plural(wins, 'topic')}, "
            f"smaller on {losses}").replace("= <", "<")


def _judgments(experiment: Experiment) -> dict[str, Any]:
    sources = []
    for i, source in enumerate(experiment.sources):
        counts = experiment.relevant(i)
        total = counts.sum(axis=1)
        most = total.max(initial=1.0)
        rows = [{"topic": topic, "query": experiment.queries[t],
                 "width": f"{100 * total[t] / most:.4g}",
                 "shares": [f"{100 * one / total[t]:.4g}" if one else "" for one in counts[t]],
                 "counts": [f"{one:.4g}" for one in counts[t]],
                 "undefined": ", ".join(
                     name for name, own, topics in zip(experiment.names, experiment.source_of,
                                                       experiment.undefined, strict=True)
                     if own == i and t in topics)}
                for t, topic in enumerate(experiment.topics)]
        without = int((total == 0).sum())
        counting = "A document counts towards its groups by their weights." if source.weighted \
            else "A document of m groups counts 1/m towards each."
        lead = (f"{counts.sum():.6g} relevant documents of {plural(len(rows), 'topic')} have a "
                f"group. {counting}")
        if without:
            lead += f" No relevant document has a group for {plural(without, 'topic')}."
        sources.append({"name": source.name, "labels": source.labels, "rows": rows, "lead": lead})
    return {"sources": sources, "notes": [
        *_coverage(experiment), *(f"{name} is undefined for {text}" for name, text in zip(
            experiment.names, _undefined(experiment), strict=True) if text)]}


def _coverage(experiment: Experiment) -> list[str]:
    """Return a sentence on the share of annotated results for each group source."""
    sentences = []
    first = f"the first {experiment.depth} documents of the rankings"
    for i, source in enumerate(experiment.sources):
        known = np.concatenate([strip.sets[i] for strip in experiment.strips]) >= 0
        shares = [strip.annotated(i) for strip in experiment.strips]
        if len(known) and known.all():
            sentences.append(f"All of {first} have a group of {source.name}.")
        elif len(known):
            worst = int(np.nanargmin(shares))
            sentences.append(
                f"Of {first}, {known.mean():.1%} have a group of {source.name}; the smallest share "
                f"is that of {experiment.systems[worst]}, {shares[worst]:.1%}.")
    return sentences


def _annotated(experiment: Experiment) -> list[str]:
    """Return sentences on the shares of annotated documents within the cutoffs of the measures."""
    sentences = []
    for (i, cutoff), shares in experiment.annotated.items():
        source = experiment.sources[i].name
        documents = "documents of a ranking"
        if cutoff is not None:
            documents = f"first {plural(cutoff, 'document')} of a ranking"
        if np.isnan(shares).all():
            continue
        low, high = int(np.nanargmin(shares)), int(np.nanargmax(shares))
        if shares[low] == 1:
            sentences.append(f"All of the {documents} have a group of {source}.")
        elif f"{shares[low]:.1%}" == f"{shares[high]:.1%}":
            sentences.append(f"On average over the topics, {shares[low]:.1%} of the {documents} "
                             f"have a group of {source}.")
        else:
            least, most = (f"{shares[i]:.1%} ({experiment.systems[i]})" for i in (low, high))
            sentences.append(f"On average over the topics, {least} to {most} of the {documents} "
                             f"have a group of {source}.")
    return sentences


def _undefined(experiment: Experiment) -> list[str]:
    """Return what follows "is undefined for" in a sentence on each measure, ``''`` for no topics.
    """
    texts, everywhere = [], experiment.averages.attrs[UNDEFINED_EVERYWHERE]
    for i, (name, topics) in enumerate(zip(experiment.names, experiment.undefined, strict=True)):
        some = first_names([experiment.topics[topic] for topic in topics])
        effect = "they are left out of the average" \
            if np.isnan(experiment.values[:, topics, i]).all() else \
            "every system has the value 0 there, which counts in the average"
        text = f"{everywhere[name]}; there is no average." if name in everywhere else \
            f"{len(topics)} of {plural(len(experiment.topics), 'topic')} ({some}); {effect}."
        texts.append(text if topics else "")
    return texts


def _facts(experiment: Experiment) -> Facts:
    sources, measures = [], list(zip(experiment.names, experiment.measures, strict=True))
    names = short_names(measures)
    for i, source in enumerate(experiment.sources):
        users = listed(name for name, own in zip(names, experiment.sources_of, strict=True)
                       if i in own)
        which = "" if len(experiment.sources) == 1 else f" of {users}"
        sources.append(f"The groups{which} are those of {source.name} "
                       f"({first_names(source.labels)}).")
        if source.weighted:
            sources.append(f"The groups of {source.name} have weights: a document counts towards "
                           "each of its groups by its share of the document's weights.")
    subtopics = [name for name, measure in zip(names, experiment.measures, strict=True)
                 if reads_subtopics(measure)]
    if subtopics:
        sources.append(f"The subtopics of {listed(subtopics)} are the groups of "
                       f"{experiment.plan.groups or IN_QRELS}.")
    return Facts(len(experiment.systems), len(experiment.topics), measures,
                 [*sources, *([SAMPLES] if experiment.sampled else []),
                  *_annotated(experiment)],
                 _undefined(experiment), experiment.baseline,
                 experiment.comparison.get("correction"), experiment.comparison.get("test", ""),
                 experiment.averages.attrs.get(INTERVAL, {}).get("confidence"),
                 [label for source in experiment.sources for label in source.labels])


def data_of(experiment: Experiment, room: int) -> dict[str, Any]:
    """Return what the scripts show.

    :param room: the largest size of the data with numbers at ranks, in bytes
    """
    data = {
        "runs": experiment.systems, "topics": list(experiment.topics), "digits": DIGITS,
        "queries": experiment.queries,
        "depth": experiment.depth, "undefined": experiment.undefined,
        "baseline": None if experiment.baseline is None
        else experiment.systems.index(experiment.baseline),
        "sources": [{"name": source.name, "labels": source.labels,
                     "sets": [list(map(list, one)) for one in source.sets]}
                    for source in experiment.sources],
        "averages": [list(map(number, row)) for row in
                     experiment.averages[experiment.names].to_numpy(float).tolist()],
        "references": [{"name": name, "values": list(map(number, values))} for name, values in zip(
            experiment.references["name"],
            experiment.references[experiment.names].to_numpy(float).tolist(), strict=True)],
        # Two decimals more than the page shows.
        "values": [[[number(value) for value in row] for row in table] for table in
                   experiment.values.transpose(2, 1, 0).round(DIGITS + 2).tolist()],
        "rankings": [ranking | {"titles": [experiment.titles.get(one) for one in ranking["docs"]]}
                     if experiment.titles else ranking
                     for ranking in as_data(experiment.strips, len(experiment.topics))],
        "targets": experiment.targets, "protected": experiment.protected,
        "fairest": [None if None in of_runs else [list(map(number, run)) for run in of_runs]
                    for of_runs in map(list, zip(*experiment.fairest, strict=True))],
    }
    if INTERVAL in experiment.averages.attrs:
        data["intervals"] = [[list(map(number, ends)) for ends in system] for system in zip(
            *(experiment.averages[[name + LOW, name + HIGH]].to_numpy(float).tolist()
              for name in experiment.names), strict=True)]
    return data | _numbers(experiment, room - len(as_json(data)))


def _numbers(experiment: Experiment, room: int) -> dict[str, Any]:
    """Return the measures with their numbers at ranks, as many as there is room for.

    :param room: the number of bytes
    """
    measures, steps = [], []
    for i, (name, way) in enumerate(zip(experiment.names, experiment.ways, strict=True)):
        at_ranks = None if way.kind is None or experiment.sampled else _at_ranks(experiment, i)
        size = len(as_json(at_ranks))
        held = at_ranks is not None and size <= room
        room -= size if held else 0
        measures.append({
            "name": name, "direction": experiment.directions[i], "end": _end(experiment, i),
            "fair": None if "more" in _end(experiment, i)
            else getattr(experiment.measures[i], "FAIR_END", None), "cutoff": way.cutoff,
            "source": experiment.source_of[i], **experiment.counting(i),
            "explained": way.kind if held else None, "note": _note(experiment, i, held)})
        steps.append(at_ranks if held else None)
    return {"measures": measures, "steps": steps}


def _note(experiment: Experiment, measure: int, held: bool) -> str:
    kind = experiment.ways[measure].kind
    if kind is not None and experiment.sampled:
        return "Values are not explained where a system has several rankings of a topic."
    if kind is not None and not held:
        return ("The numbers at the ranks are left out because of their size; explain() of the "
                "package has them.")
    return _NOTES[kind].format(depth=experiment.depth)


def _at_ranks(experiment: Experiment, measure: int) -> list[list[int | None]]:
    """Return the numbers of all systems at the ranks of each topic, in units of the last decimal.
    """
    every = np.concatenate([numbers[measure] for numbers in experiment.numbers])
    known, whole = np.isfinite(every), np.full(len(every), None, object)
    whole[known] = np.rint(every[known] * 10.0 ** DIGITS).astype(int)
    topic = np.concatenate([strip.topic for strip in experiment.strips])
    order = np.argsort(topic, kind="stable")
    ends = np.searchsorted(topic[order], np.arange(1, len(experiment.topics)))
    return [part.tolist() for part in np.split(whole[order], ends)]
