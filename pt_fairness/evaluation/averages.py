"""The tables of an evaluation: averages with comparisons, reference rankings, values per topic.

A topic counts 0 in an average if it has nothing to compare with, or no results by a measure that
gives an empty list 0: ``FairnessEvaluator`` in ``provider/evaluator.py`` makes the values.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.analysis.columns import (
    ALPHA,
    CORRECTED,
    HIGH,
    LEAST_TESTED,
    LOSSES,
    LOW,
    P_VALUE,
    REJECT,
    TIE_DECIMALS,
    VERDICT,
    WINS,
    column_of,
    is_per_query,
    measure_columns,
    of_one_measure,
    split_suffix,
)
from pt_fairness.analysis.inference import intervals, randomisation
from pt_fairness.analysis.reference_orders import KINDS, reference_rankings
from pt_fairness.analysis.runs_and_qrels import is_of_groups
from pt_fairness.analysis.significance import corrected
from pt_fairness.core.arrays import Floats
from pt_fairness.core.identifiers import texts_of
from pt_fairness.core.messages import MOST_DECIMALS, collecting_warnings, shown, warn
from pt_fairness.evaluation.plan import Plan
from pt_fairness.evaluation.workers import Scores
from pt_fairness.provider.evaluator import QuickEvaluator

#: The number of resamples of a randomisation test.
RESAMPLES = 9999
#: The measures of which pt.Experiment returns the sum over the topics instead of the mean.
SUMMED = frozenset({"NumQ", "NumRel", "NumRet", "NumRelRet"})
#: The names of the rows of reference rankings, by kind.
ROWS = dict(zip(KINDS, ("[random order]", "[proportional]", "[largest group first]",
                        "[smallest group first]"), strict=True))


def averages_of(scores: Mapping[str, Scores], columns: Sequence[str], undefined: Collection[str],
                baseline: str | None, correction: str | None, test: str = "t",
                confidence: float | None = None, verdicts: Any = None,
                failed: int = 0) -> pd.DataFrame:
    """Return ``name``, the average of each measure and, with a baseline, the comparisons.

    :param undefined: the columns of the measures that are undefined for all topics
    :param correction: as of :func:`pt_fairness.evaluate`, and so are ``test`` and ``confidence``
    :param verdicts: the verdict of each system, by measure; ``None`` for none
    :param failed: the number of runs that could not be evaluated, each of which counts as p = 1
    """
    systems = list(scores)
    defined = np.where(np.isin(columns, list(undefined)), np.nan, 1.0)
    means = np.array([means_of(run.values, columns) for run in scores.values()]) * defined
    table: dict[str, Any] = {"name": pd.Series(systems, dtype="str")}
    if confidence is not None:
        limits = intervals(per_query_of(scores, columns), confidence=confidence)
        limits = limits.pivot(index="name", columns="measure").loc[systems]
    for i, column in enumerate(columns):
        table[column] = means[:, i]
        if confidence is not None:
            factor = np.nan if column in SUMMED else defined[i]
            table[column + LOW] = limits["low", column].to_numpy() * factor
            table[column + HIGH] = limits["high", column].to_numpy() * factor
    if baseline is None:
        return pd.DataFrame(table)
    tests = np.full((len(systems), 3, len(columns)), np.nan)
    compared = [place for place, name in enumerate(systems) if name != baseline]
    for place in compared:
        if baseline in scores:
            tests[place] = _compare(scores[systems[place]], scores[baseline], test)
    tests *= defined
    topics = (~np.isnan(scores[systems[0]].values)).sum(axis=0)
    family = [*compared, *range(len(systems), len(systems) + failed)]
    for i, column in enumerate(columns):
        p_values = pd.Series(tests[:, 2, i])
        table[column + WINS] = tests[:, 0, i]
        table[column + LOSSES] = tests[:, 1, i]
        table[column + P_VALUE] = p_values
        if correction is not None:
            p_values = corrected(p_values.reindex(family), correction)
            p_values = p_values.reindex(range(len(systems)))
            table[column + REJECT] = (p_values < ALPHA) & (topics[i] >= LEAST_TESTED)
            table[column + CORRECTED] = p_values
        if verdicts is not None and column in verdicts:
            table[column + VERDICT] = verdicts[column].reindex(systems).to_numpy()
    return pd.DataFrame(table)


def means_of(values: Floats, columns: Sequence[str]) -> Floats:
    """Return the mean of each measure over the topics with a value, ``[measures]``.

    The measures in :data:`SUMMED` are summed.
    """
    count = (~np.isnan(values)).sum(axis=0)
    count[np.isin(columns, list(SUMMED))] = 1
    # Sum sequentially, as pt.Experiment does: numpy's sum is rounded differently.
    none = np.zeros((1, len(columns)))
    sums = np.nancumsum(np.vstack([none, values]), axis=0)[-1]
    return np.where(count > 0, sums / np.maximum(count, 1), np.nan)


def _compare(run: Scores, baseline: Scores, test: str) -> Floats:
    """Return the topics with a larger and a smaller value and the p-value, ``[3, measures]``."""
    from scipy import stats
    ours = pd.DataFrame(run.values, run.qids).reindex(baseline.qids).to_numpy()
    ours = np.ascontiguousarray(ours.T)
    theirs = np.ascontiguousarray(baseline.values.T)
    counts = (ours > theirs).sum(axis=1), (ours < theirs).sum(axis=1)
    if test == "randomisation":
        order = np.argsort(np.array(baseline.qids, dtype=str), kind="stable")
        differences = (ours - theirs).T[order].round(TIE_DECIMALS)
        return np.array([*counts, randomisation(differences, RESAMPLES, 0)])
    with np.errstate(all="ignore"), warnings.catch_warnings():
        # scipy warns of runs that are almost equal. The p-value of equal runs is NaN.
        warnings.filterwarnings("ignore", category=RuntimeWarning)
        p_values = stats.ttest_rel(ours, theirs, axis=1, nan_policy="omit").pvalue
    return np.array([*counts, p_values])


def per_query_of(scores: Mapping[str, Scores], columns: Sequence[str]) -> pd.DataFrame:
    """Return ``name, qid, measure, value``, sorted by name and topic."""
    names = sorted(scores)
    qids, values = [], []
    for name in names:
        topics = np.array(scores[name].qids, dtype=object)
        order = np.argsort(topics, kind="stable")
        qids.append(topics[order])
        values.append(scores[name].values[order].ravel())
    rows = [len(run) for run in values]
    name = pd.Index(names, dtype="str").repeat(rows)
    qid = pd.Index(np.concatenate(qids), dtype="str").repeat(len(columns))
    place = np.tile(np.arange(len(columns)), sum(map(len, qids)))
    measure = pd.Index(list(columns), dtype="str").take(place)
    value = np.concatenate(values)
    return pd.DataFrame({"name": name, "qid": qid, "measure": measure, "value": value})


def reference_rows(plan: Plan, kinds: Sequence[str], undefined: Mapping[str, Collection[str]],
                   drop: bool) -> pd.DataFrame:
    """Return ``name`` and the mean value of each measure for each kind of reference rankings.

    The rankings are made for each group source of the measures, and not cut. Measures that do not
    compare the groups of one source have no value. A topic without reference rankings, because no
    relevant document has a group, is left out where the measure is defined, with a warning.

    :param undefined: the topics for which a measure is undefined, by its column
    :param drop: whether these topics are left out, instead of counting 0
    """
    by_source: dict[Hashable, dict[Any, str]] = {}
    for measure, column in zip(plan.measures, plan.columns, strict=True):
        if is_of_groups(measure):
            sources = {part.param("groups") for part in measure.parts if part.needs_groups}
            if len(sources) == 1:
                by_source.setdefault(sources.pop(), {})[measure] = column
    means = pd.DataFrame(np.nan, [ROWS[kind] for kind in kinds], plan.columns)
    unranked = set()
    with collecting_warnings():  # about groups and undefined topics; the evaluation has given them
        for source, columns in by_source.items():
            evaluator = QuickEvaluator(list(columns), plan.qrels)
            runs = reference_rankings(plan.qrels, groups=source, kinds=kinds)
            for kind in kinds:
                run: Any = runs[kind].rename(columns={"qid": "query_id", "docno": "doc_id"})
                ranked = set(texts_of(run["query_id"]))
                values: dict[str, list[float]] = {column: [] for column in columns.values()}
                for metric in evaluator.iter_calc(run):
                    column = columns[metric.measure]
                    if metric.query_id in undefined.get(column, ()):
                        value = np.nan if drop else metric.value
                    elif metric.query_id in ranked:
                        value = metric.value
                    else:
                        value = np.nan
                        unranked.add(metric.query_id)
                    values[column].append(value)
                table = np.array(list(values.values())).T
                means.loc[ROWS[kind], list(values)] = means_of(table, list(values))
    if unranked:
        warn(f"the rows of reference rankings leave out {len(unranked)} topics, such as "
             f"{min(unranked)!r}, which have no relevant document with a group; the "
             "averages of the systems have them")
    return means.rename_axis("name").reset_index()


def with_rows(averages: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Return averages with further rows, which have neither comparisons nor intervals."""
    rejected = [column for column in averages.columns if column.endswith(REJECT)]
    rows = rows.reindex(columns=averages.columns)
    rows[rejected] = False
    return pd.concat([averages, rows.astype(averages.dtypes.to_dict())], ignore_index=True)


def rounded(table: pd.DataFrame, digits: int | Mapping[Any, int]) -> pd.DataFrame:
    """Return a table with the values of measures rounded, as ``pt.Experiment(round=…)`` does.

    :param digits: the number of decimals, of all measures or by measure
    :raises ValueError: a number that is not possible, or a measure that the table does not have
    """
    per_query = is_per_query(table)
    if isinstance(digits, Mapping):
        decimals = {}
        for measure, count in digits.items():
            name = of_one_measure(table, measure)[1] if per_query else column_of(table, measure)
            decimals[name] = count
    else:
        decimals = dict.fromkeys(table["measure"] if per_query else measure_columns(table), digits)
    for count in decimals.values():
        if not isinstance(count, (int, np.integer)) or isinstance(count, bool) \
                or not 0 <= count <= MOST_DECIMALS:
            raise ValueError(f"round={shown(digits)} is not possible; it takes a number of "
                             f"decimals from 0 to {MOST_DECIMALS}, or a dictionary from measures "
                             "to such numbers")
    if per_query:
        value = table["value"]
        for name, count in decimals.items():
            value = value.mask(table["measure"] == name, value.round(count))
        return table.assign(value=value)
    of_column = {}
    for column in table.columns:
        name, suffix = split_suffix(str(column))
        if name in decimals and suffix in ("", LOW, HIGH):
            of_column[column] = decimals[name]
    return table.round(of_column)
