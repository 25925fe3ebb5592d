"""The tables of an evaluation: averages with comparisons, and values per topic."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.analysis.columns import (
    ALPHA,
    CORRECTED,
    HIGH,
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
from pt_fairness.analysis.significance import corrected
from pt_fairness.core.arrays import Floats
from pt_fairness.core.messages import shown
from pt_fairness.evaluation.workers import Scores

#: The number of resamples of a randomisation test.
RESAMPLES = 9999
#: The measures of which pt.Experiment returns the sum over the topics instead of the mean.
SUMMED = frozenset({"NumQ", "NumRel", "NumRet", "NumRelRet"})


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
    table: dict[str, Any] = {"name": pd.Series(list(scores), dtype="str")}
    defined = np.where(np.isin(columns, list(undefined)), np.nan, 1.0)
    means = np.array([means_of(one.values, columns) for one in scores.values()]) * defined
    found = None if confidence is None else intervals(
        per_query_of(scores, columns), confidence=confidence).pivot(index="name", columns="measure")
    for i, column in enumerate(columns):
        table[column] = means[:, i]
        if found is not None:
            for end, suffix in (("low", LOW), ("high", HIGH)):
                table[column + suffix] = found[end, column][list(scores)].to_numpy() * (
                    np.nan if column in SUMMED else defined[i])
    if baseline is not None:
        tests = np.array([_compare(one, None if name == baseline else scores.get(baseline),
                                   len(columns), test)
                          for name, one in scores.items()]) * defined
        others = np.flatnonzero(np.array(list(scores)) != baseline)
        family = [*others, *range(len(scores), len(scores) + failed)]
        for i, column in enumerate(columns):
            table |= {column + suffix: tests[:, row, i]
                      for row, suffix in enumerate((WINS, LOSSES, P_VALUE))}
            if correction is not None:
                p_values = pd.Series(tests[others, 2, i], others).reindex(family)
                p_values = corrected(p_values, correction).reindex(range(len(scores)))
                table |= {column + REJECT: p_values < ALPHA, column + CORRECTED: p_values}
            if verdicts is not None and column in verdicts:
                table[column + VERDICT] = verdicts[column].reindex(list(scores)).to_numpy()
    return pd.DataFrame(table)


def with_rows(averages: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Return averages with further rows, which have neither comparisons nor intervals."""
    rejected = [column for column in averages.columns if column.endswith(REJECT)]
    more = rows.reindex(columns=averages.columns).assign(**dict.fromkeys(rejected, False))
    return pd.concat([averages, more.astype(averages.dtypes.to_dict())], ignore_index=True)


def means_of(values: Floats, columns: Sequence[str]) -> Floats:
    """Return the mean of each measure over the topics with a value, ``[measures]``.

    The measures in :data:`SUMMED` are summed.
    """
    count = np.where(np.isin(columns, list(SUMMED)), 1, (~np.isnan(values)).sum(axis=0))
    # Sum sequentially, as pt.Experiment does: numpy's sum is rounded differently.
    sums = np.nancumsum(np.vstack([np.zeros(len(columns)), values]), axis=0)[-1]
    return np.where(count > 0, sums / np.maximum(count, 1), np.nan)


def _compare(run: Scores, baseline: Scores | None, measures: int, test: str) -> Floats:
    """Return the topics with a larger and a smaller value and the p-value, ``[3, measures]``."""
    if baseline is None:
        return np.full((3, measures), np.nan)
    from scipy import stats
    ours = np.ascontiguousarray(
        pd.DataFrame(run.values, run.qids).reindex(baseline.qids).to_numpy().T)
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
    counts = [len(some) for some in qids]
    measure = np.tile(np.arange(len(columns)), sum(counts))
    return pd.DataFrame({
        "name": pd.Index(names, dtype="str").repeat(np.array(counts) * len(columns)),
        "qid": pd.Index(np.concatenate(qids), dtype="str").repeat(len(columns)),
        "measure": pd.Index(list(columns), dtype="str").take(measure),
        "value": np.concatenate(values)})


def rounded(table: pd.DataFrame, digits: int | Mapping[Any, int]) -> pd.DataFrame:
    """Return a table with the values of measures rounded, as ``pt.Experiment(round=…)`` does.

    :param digits: the number of decimals, of all measures or by measure
    :raises ValueError: a number below 0, or a measure that the table does not have
    """
    per_query = is_per_query(table)
    if isinstance(digits, Mapping):
        decimals = {of_one_measure(table, one)[1] if per_query else column_of(table, one): count
                    for one, count in digits.items()}
    else:
        decimals = dict.fromkeys(table["measure"] if per_query else measure_columns(table), digits)
    for count in decimals.values():
        if not isinstance(count, (int, np.integer)) or isinstance(count, bool) or count < 0:
            raise ValueError(f"round={shown(digits)} is not possible; it takes a number of "
                             "decimals of at least 0, or a dictionary from measures to such "
                             "numbers")
    if not per_query:
        return table.round({column: decimals[name] for column in table.columns
                            for name, suffix in [split_suffix(str(column))]
                            if name in decimals and suffix in ("", LOW, HIGH)})
    value = table["value"]
    for name, count in decimals.items():
        value = value.mask(table["measure"] == name, value.round(count))
    return table.assign(value=value)
