"""Significant differences from a baseline, their correction, and the notes below a table."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd

from pt_fairness.analysis.columns import (
    ALPHA,
    BROKEN,
    COMPARISON,
    CORRECTED,
    DROPPED,
    FAR_DOWN,
    GROUPS,
    INTERVAL,
    LABELS,
    LEAST_INTERVAL,
    LEAST_TESTED,
    P_VALUE,
    SEVERAL,
    TOLERANCE,
    TOO_FEW,
    TOPICS,
    UNDEFINED,
    UNDEFINED_EVERYWHERE,
    WINS,
    is_per_query,
    is_reference,
    measure_columns,
    measure_of,
    stands_for,
)
from pt_fairness.analysis.directions import LARGER, NEAR_ZERO, SMALLER, direction_of, from_best
from pt_fairness.core.messages import first_names, shown
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.descriptions import target_and_protected
from pt_fairness.provider.parsing import parsed_or_none

#: The marks of systems that are significantly better and worse than the baseline, and different
#: from it by a measure that has its fair end within its range.
BETTER, WORSE, DIFFERENT = "▲", "▼", "≠"
#: The corrections of statsmodels in words; others are named as statsmodels names them.
_CORRECTIONS = {"holm": "Holm's correction", "h": "Holm's correction",
                "bonferroni": "Bonferroni's correction", "b": "Bonferroni's correction"}


def baseline_row(averages: pd.DataFrame) -> int | None:
    """Return the position of the baseline, which has no comparison; ``None`` without one."""
    for suffix in (WINS, P_VALUE):
        columns = [column for column in averages.columns if str(column).endswith(suffix)]
        empty = averages[columns].isna().all(axis=1) & ~is_reference(averages)
        if columns and empty.sum() == 1:
            return int(np.flatnonzero(empty)[0])
    return None


def tested_topics(table: pd.DataFrame, column: str) -> float:
    """Return the number of topics of the test of a measure, infinite where it is not known."""
    attrs = table.attrs
    dropped = attrs.get(UNDEFINED, {}).get(column, ()) if attrs.get(DROPPED) else ()
    return attrs.get(TOPICS, math.inf) - len(dropped)


def p_values(averages: pd.DataFrame, column: str) -> pd.Series | None:
    """Return the p-values of a measure, corrected ones if the table has them; ``None`` for none."""
    found = averages.get(column + CORRECTED)
    return averages.get(column + P_VALUE) if found is None else found


def changes(averages: pd.DataFrame, alpha: float = ALPHA) -> pd.DataFrame:
    """Return the marks of the systems that are significantly better or worse than the baseline.

    Better is what is nearer to the better end of the measure: for ``rKL@5``, the smaller mean. The
    test of a signed measure does not say which mean is nearer to 0, so the mark is ``≠``. Fewer
    than six topics have no marks.

    :param averages: the result of ``pt.Experiment`` or :func:`pt_fairness.evaluate`
    :param alpha: the significance level; corrected p-values are used if the table has them
    :returns: a column of ``▲`` (better), ``▼`` (worse), ``≠`` (different) and ``''`` for each
        measure; ``''`` throughout without a baseline, and where the direction of a measure is
        unknown

    Examples
    --------
    >>> import pandas as pd

    >>> table = pd.DataFrame({"name": ["A", "B", "C"], "rKL@5": [0.4, 0.1, 0.3],
    ...                       "rKL@5 +": [None, 0, 1], "rKL@5 -": [None, 9, 8],
    ...                       "rKL@5 p-value": [None, 0.01, 0.2]})
    >>> changes(table)["rKL@5"].tolist()
    ['', '▲', '']
    """
    columns = measure_columns(averages)
    marks = pd.DataFrame("", averages.index, columns)
    row = baseline_row(averages)
    for column in columns:
        p, direction = p_values(averages, column), direction_of(column, averages)
        few = tested_topics(averages, column) < LEAST_TESTED
        if row is None or p is None or direction is None or few:
            continue
        distance = from_best(averages[column].astype(float), direction)
        better = np.sign(distance.iloc[row] - distance).map({1: BETTER, -1: WORSE, 0: ""})
        found = better if direction in (LARGER, SMALLER) else DIFFERENT
        marks[column] = better.where(p.isna(), found).where(p.astype(float) < alpha, "").fillna("")
    return marks


def notes(table: pd.DataFrame) -> list[str]:
    """Return the notes below a table: on tests, groups, targets and undefined topics.

    :param table: averages or a per-query frame of :func:`pt_fairness.evaluate`, whose ``attrs``
        have the facts. Of another table, only what its columns say is known.

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import evaluate, groups

    >>> qrels = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["a", "b", "a"], "label": 1})
    >>> source = groups.from_mapping({"a": "PRO", "b": "CON"}, name="sides")
    >>> run = qrels.assign(score=1.0)
    >>> averages, _ = evaluate({"A": run}, qrels, ["AWRF@5"], groups=source, progress=False)
    >>> notes(averages)
    ['Groups: sides (CON, PRO).', 'AWRF@5: target: equal shares of all groups.']
    """
    sentences, attrs = [], table.attrs
    measures = {name: measure_of(name, table) for name in map(str, (
        table["measure"].unique() if is_per_query(table) else table.columns))}
    compared = attrs.get(COMPARISON)
    different = (f" {DIFFERENT} significantly different by a measure with 0 within its range; "
                 "abs=True tests the nearness to 0."
                 if NEAR_ZERO in [direction_of(name, table) for name in measures] else "")
    if compared:
        name, systems = compared["correction"], compared["systems"]
        correction = ", not corrected for several systems" if name is None else \
            f", {_CORRECTIONS.get(name, f'correction {name}')} for {systems} systems"
        topics = [tested_topics(table, name) for name in measures]
        if max(topics, default=0) >= LEAST_TESTED:
            sentences.append(f"{BETTER} significantly better, {WORSE} significantly worse than "
                             f"{compared['baseline']} ({compared['test']}, p < "
                             f"{level(compared['alpha'])}{correction if systems > 1 else ''})."
                             f"{different}")
        if min(topics, default=math.inf) < LEAST_TESTED:
            sentences.append(TOO_FEW)
    elif (row := baseline_row(table)) is not None:
        corrected = any(str(column).endswith(CORRECTED) for column in table.columns)
        sentences.append(f"{BETTER} significantly better, {WORSE} significantly worse than "
                         f"{table['name'].iloc[row]} (p < {level(ALPHA)}"
                         f"{', corrected' if corrected else ''}).{different}")
    if compared and attrs.get(TOLERANCE):
        limits = ", ".join(f"{margin:g} in {one}" for one, margin in attrs[TOLERANCE].items())
        sentences.append(f"Verdict within: not worse than {compared['baseline']} by more than "
                         f"{limits}; exceeds: worse by more; each at the one-sided 5 % level, not "
                         "corrected for several systems.")
    if attrs.get(INTERVAL):
        method = {"bca": "BCa bootstrap", "t": "t distribution"}[attrs[INTERVAL]["method"]]
        sentences.append(f"Intervals: {100 * attrs[INTERVAL]['confidence']:g} %, {method} over "
                         "topics.")
        if attrs.get(TOPICS, math.inf) < LEAST_INTERVAL:
            sentences[-1] = "Intervals need at least three topics."
    if attrs.get(GROUPS):
        labels = f" ({first_names(attrs[LABELS])})" if attrs.get(LABELS) else ""
        sentences.append(f"Groups: {attrs[GROUPS]}{labels}.")
    fair = {name: measure for name, measure in measures.items() if measure is not None}
    texts = pd.Series({name: target_and_protected(measure, name in attrs.get(SEVERAL, {}))
                       for name, measure in fair.items()}, dtype=object)
    heads = [label_and_measure(name, fair[name]) for name in texts.index]
    sentences += [f"{', '.join(same.index)}: {text}."
                  for text, same in texts.set_axis(heads).groupby(texts.to_numpy(), sort=False)
                  if text]
    counts = pd.Series({name: f"{len(topics)} of {attrs[TOPICS]} topics"
                        for name, topics in attrs.get(UNDEFINED, {}).items()}
                       | attrs.get(UNDEFINED_EVERYWHERE, {}), dtype=object)
    if len(counts):
        left_out = ", and left out" if attrs.get(DROPPED) else ""
        sentences.append(f"Undefined{left_out}: " + "; ".join(
            f"{', '.join(same.index)} on {count}"
            for count, same in counts.groupby(counts, sort=False)) + ".")
    for name, shares in attrs.get(FAR_DOWN, {}).items():
        systems = first_names([f"{share:.0%} of {system}" for system, share in shares.items()])
        sentences.append(f"{name} counts documents far down: of those that it counts, {systems} "
                         "are within the cutoff.")
    if attrs.get(BROKEN):
        sentences.append(f"Not evaluated because of errors: {', '.join(attrs[BROKEN])}.")
    return sentences


def short_p(p: float) -> str:
    """Return a p-value with three decimals, without the leading zero, and ``< .001`` below that.

    NaN, the p-value of equal systems, is ``–``.

    Examples
    --------

    >>> [short_p(p) for p in (0.05, 0.0312, 0.0004, 1.0)]
    ['.050', '.031', '< .001', '1.000']
    """
    if math.isnan(p):
        return "–"
    return "< .001" if p < 0.001 else f"{p:.3f}".removeprefix("0")


def level(alpha: float) -> str:
    """Return a significance level without the leading zero."""
    return f"{alpha:g}".removeprefix("0")


def label_and_measure(name: str, measure: FairnessMeasure) -> str:
    """Return the name of a column and, if it is a label, the name of the measure without groups."""
    if parsed_or_none(stands_for(name)) is not None:
        return name
    params = {key: value for key, value in measure.params.items() if key != "groups"}
    return f"{name} ({type(measure)(**params)})"


def corrected(p_values: pd.Series, method: str | None) -> pd.Series:
    """Return p-values that are corrected for several tests.

    A system that is equal to the baseline has the p-value NaN. It counts as 1 for the others, and
    stays NaN.

    :param p_values: those of the systems that are compared, without the baseline
    :param method: a method of ``statsmodels.stats.multitest.multipletests``; ``None`` for no
        correction
    :raises ValueError: an unknown method
    """
    if method is None:
        return p_values
    if method == "holm":  # statsmodels collects all garbage of the process for it, at each call
        ordered = p_values.fillna(1.0).astype(float).sort_values()
        steps = (ordered * np.arange(len(ordered), 0, -1)).cummax().clip(upper=1.0)
        return steps.reindex(p_values.index).where(p_values.notna())
    from statsmodels.stats.multitest import multipletests
    try:  # the method is checked in any case
        values = multipletests(p_values.fillna(1.0) if len(p_values) else [1.0], ALPHA,
                               str(method))[1]
    except ValueError:
        raise ValueError(f"correction={shown(method)} is not possible; it takes a method of "
                         "statsmodels, such as 'holm', or None (--correction none)") from None
    return pd.Series(values[:len(p_values)], p_values.index).where(p_values.notna())
