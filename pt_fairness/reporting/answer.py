"""The answer of a report: the fairest and the least fair system by each measure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import isfinite, nan
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness import analysis
from pt_fairness import groups as group_sources
from pt_fairness.analysis.frames import NEAR_ZERO, distance, is_coverage
from pt_fairness.analysis.inputs import compares_groups
from pt_fairness.analysis.notes import p_values, short_p
from pt_fairness.analysis.statistics import LEAST_INTERVAL, LEAST_TESTED, TOO_FEW
from pt_fairness.core.arrays import TIE_DECIMALS
from pt_fairness.core.messages import collecting_warnings, enumerated
from pt_fairness.groups.combinations import ModelLabels
from pt_fairness.measures.rank_bias import ValueMeasure
from pt_fairness.reporting.frames import Experiment, Source

#: The names of the two ends of a measure, and of a signed one.
FAIREST, LEAST_FAIR = "fairest", "least fair"
NEAREST, FARTHEST = "nearest to 0", "farthest from 0"
#: The number of random orders.
DRAWS = 200
#: The largest number of systems of a place that are named.
MOST_NAMED = 5


def answered(measure: Any) -> bool:
    """Return whether the answer has a measure: one of groups or values with an ideal value."""
    if is_coverage(measure) or not (compares_groups(measure) or isinstance(measure, ValueMeasure)):
        return False
    return isfinite(measure.IDEAL)


def answer(experiment: Experiment, runs: Mapping[str, Any], qrels: pd.DataFrame | None,
           groups: Any, seed: int) -> pd.DataFrame:
    """Return the fairest and the least fair system by each measure.

    Values within 1e-12 share a place. A measure that is undefined for all topics is left out.

    :param runs: the runs, by name
    :param qrels: the qrels; ``None`` without random orders
    :param groups: the group source of the measures that name none
    :returns: ``measure`` (its column), ``place, system, value, p`` (against the baseline; NaN
        without one), ``same``, the systems that are not told apart from the fairest by a paired
        t-test with Holm's correction, and ``random``, the mean value of random orders of the
        documents that the first system found. One system has one row, without a place
    """
    averages = experiment.averages.set_index("name").loc[experiment.systems]
    rows = []
    for column, measure, end in zip(experiment.columns, experiment.measures, experiment.ends,
                                    strict=True):
        values = averages[column].dropna()
        if values.empty or not answered(measure):
            continue
        far = distance(values, end).round(TIE_DECIMALS)
        names = (NEAREST, FARTHEST) if end == NEAR_ZERO else (FAIREST, LEAST_FAIR)
        places = dict(zip(names, (far.min(), far.max()), strict=True))
        if len(values) == 1:
            places = {"": far.iloc[0]}
        same = _not_told_apart(experiment.perquery, column, far.idxmin())
        for place, limit in places.items():
            systems = far.index[far == limit].tolist()
            first, *_ = systems
            p = p_values(averages, column)
            rows.append({
                "measure": column, "place": place, "system": systems, "value": values[first],
                "p": nan if p is None else p[first],
                "same": [name for name in same if limit == far.min() and name not in systems]})
            same = []
    table = pd.DataFrame(rows, columns=["measure", "place", "system", "value", "p", "same"])
    return table.assign(random=_random_orders(experiment, table, runs, qrels, groups, seed))


def _not_told_apart(perquery: pd.DataFrame, column: str, best: str) -> list[str]:
    """Return the systems that a paired test does not tell apart from the best; few topics: none."""
    values = perquery[perquery["measure"] == column].dropna(subset="value")
    if values["qid"].nunique() < LEAST_INTERVAL or values["name"].nunique() < 2:
        return []
    with collecting_warnings():
        compared = analysis.compare(values, best, resamples=1)
    return compared.loc[~compared["reject"], "name"].tolist()


def _random_orders(experiment: Experiment, table: pd.DataFrame, runs: Mapping[str, Any],
                   qrels: pd.DataFrame | None, groups: Any, seed: int) -> list[float]:
    """Return the mean value of random orders for each row of the answer, NaN where unknown."""
    measures = dict(zip(experiment.columns, experiment.measures, strict=True))
    compared = [column for column in table["measure"].unique() if compares_groups(measures[column])]
    if qrels is None or not compared:
        return [nan] * len(table)
    first = table["system"].str[0]
    found = {name: runs[name] for name in first.unique()}
    with collecting_warnings():
        random = analysis.against_random(found, qrels, [measures[column] for column in compared],
                                         groups, draws=DRAWS, seed=seed, progress=False)
    columns = {str(measures[column]): column for column in compared}
    random["measure"] = random["measure"].map(columns)
    means: Any = random.set_index(["name", "measure"])["random"]
    return [means.get(key, nan) for key in zip(first, table["measure"], strict=True)]


def results(experiment: Experiment, found: pd.DataFrame) -> list[str]:
    """Return the answer as sentences, one for each measure."""
    names = dict(zip(experiment.columns, experiment.names, strict=True))
    uncorrected = {experiment.columns[place] for source in model_sources(experiment)
                   for place in source.measures}
    sentences = []
    for column in found["measure"].unique():
        parts: list[str] = []
        rows: Any = found[found["measure"] == column].itertuples()
        for row in rows:
            details = [f"{row.value:.3f}".replace("-", "−")]
            if column in uncorrected:
                details.append("by the labels of a model")
            if not np.isnan(row.p):
                p = short_p(row.p)
                details.append(f"p {p if p.startswith('<') else f'= {p}'} against the baseline")
            verb = "are" if len(row.system) > 1 else "is"
            part = f"{enumerated(row.system)} {verb} {row.place or 'evaluated'}"
            if not parts:
                part += f" by {names[column]}"
            part += f" ({', '.join(details)})"
            if row.same:
                part += f", not told apart from {named(row.same, experiment)}"
            parts.append(part)
        sentences.append(f"{'; '.join(parts)}.")
    return sentences


def named(systems: Sequence[str], experiment: Experiment) -> str:
    """Return some of the systems in words; many are counted."""
    others = len(experiment.systems) - 1
    if len(systems) <= MOST_NAMED:
        return enumerated(systems)
    return f"{len(systems)} of {others} others"


def caveats(experiment: Experiment) -> list[str]:
    """Return what the evaluation does not establish, one sentence each."""
    facts = experiment.facts
    sentences = []
    if facts.topics < LEAST_TESTED:
        sentences.append(TOO_FEW)
    sentences += [f"Fewer than half: {facts.matched[name]} ({name})." for name in facts.unmatched]
    sentences += [f"The groups of {source.name} are labels of a model, whose errors can make "
                  "values too fair or too unfair." for source in model_sources(experiment)]
    return sentences


def model_sources(experiment: Experiment) -> list[Source]:
    """Return the group sources that are labels of a model with human labels beside them."""
    return [source for source in experiment.sources if source.groups is not None
            and isinstance(group_sources.get(source.groups), ModelLabels)]
