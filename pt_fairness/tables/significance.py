"""Significant differences from a baseline, and what a table rests on, in words."""

from __future__ import annotations

import numpy as np
import pandas as pd

from pt_fairness.tables.columns import measure_columns
from pt_fairness.tables.directions import direction_of, from_best
from pt_fairness.tables.names import (
    ALPHA,
    BROKEN,
    COMPARISON,
    CORRECTED,
    GROUPS,
    INTERVAL,
    P_VALUE,
    TOPICS,
    UNDEFINED,
    WINS,
)

#: The marks of systems that are significantly better and worse than the baseline.
BETTER, WORSE = "▲", "▼"
#: The corrections of statsmodels in words; others are named as statsmodels names them.
_CORRECTIONS = {"holm": "Holm's correction", "h": "Holm's correction",
                "bonferroni": "Bonferroni's correction", "b": "Bonferroni's correction"}


def baseline_row(averages: pd.DataFrame) -> int | None:
    """Return the position of the baseline, which has no comparison; ``None`` without one."""
    for suffix in (WINS, P_VALUE):
        columns = [column for column in averages.columns if str(column).endswith(suffix)]
        empty = averages[columns].isna().all(axis=1)
        if columns and empty.sum() == 1:
            return int(np.flatnonzero(empty)[0])
    return None


def p_values(averages: pd.DataFrame, column: str) -> pd.Series | None:
    """Return the p-values of a measure, corrected ones if the table has them; ``None`` for none."""
    found = averages.get(column + CORRECTED)
    return averages.get(column + P_VALUE) if found is None else found


def changes(averages: pd.DataFrame, alpha: float = ALPHA) -> pd.DataFrame:
    """Return which systems are significantly better or worse than the baseline.

    Better is what is nearer to the better end of the measure: for ``rKL@5``, the smaller mean.

    :param averages: the result of ``pt.Experiment`` or :func:`pt_fairness.evaluate`
    :param alpha: the significance level; corrected p-values are used if the table has them
    :returns: a column of 1 (better), -1 (worse) and 0 for each measure; 0 throughout without a
        baseline, and where the direction of a measure is unknown

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness.tables import changes
    >>> changes(pd.DataFrame({"name": ["A", "B", "C"], "rKL@5": [0.4, 0.1, 0.3],
    ...                       "rKL@5 +": [None, 0, 1], "rKL@5 -": [None, 9, 8],
    ...                       "rKL@5 p-value": [None, 0.01, 0.2]}))
       rKL@5
    0      0
    1      1
    2      0
    """
    columns = measure_columns(averages)
    signs = pd.DataFrame(0, averages.index, columns)
    row = baseline_row(averages)
    for column in columns:
        p, direction = p_values(averages, column), direction_of(column, averages)
        if row is None or p is None or direction is None:
            continue
        distance = from_best(averages[column].astype(float), direction)
        better = np.sign(distance.iloc[row] - distance)
        signs[column] = better.where(p.astype(float) < alpha, 0).fillna(0).astype(int)
    return signs


def notes(table: pd.DataFrame) -> list[str]:
    """Return what stands under a table: sentences on tests, groups, undefined topics and failures.

    :param table: averages or a per-query frame of :func:`pt_fairness.evaluate`, whose ``attrs``
        have the facts. Of another table, only what its columns say is known.

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import evaluate, groups
    >>> from pt_fairness.tables import notes
    >>> qrels = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["a", "b", "a"], "label": 1})
    >>> source = groups.from_mapping({"a": "PRO", "b": "CON"}, name="sides")
    >>> run = qrels.assign(score=1.0)
    >>> averages, _ = evaluate({"A": run}, qrels, ["rND@5"], groups=source, progress=False)
    >>> notes(averages)
    ['Groups: sides.', 'Undefined: rND@5 on 1 of 2 topics.']
    """
    sentences = []
    attrs = table.attrs
    compared = attrs.get(COMPARISON)
    if compared:
        name, systems = compared["correction"], compared["systems"]
        correction = ", not corrected for several systems" if name is None else \
            f", {_CORRECTIONS.get(name, f'correction {name}')} for {systems} systems"
        sentences.append(f"{BETTER} significantly better, {WORSE} significantly worse than "
                         f"{compared['baseline']} ({compared['test']}, p < "
                         f"{short_p(compared['alpha'])}{correction if systems > 1 else ''}).")
    elif (row := baseline_row(table)) is not None:
        corrected = any(str(column).endswith(CORRECTED) for column in table.columns)
        sentences.append(f"{BETTER} significantly better, {WORSE} significantly worse than "
                         f"{table['name'].iloc[row]} (p < {short_p(ALPHA)}"
                         f"{', corrected' if corrected else ''}).")
    if attrs.get(INTERVAL):
        sentences.append(f"Intervals: {100 * attrs[INTERVAL]['confidence']:g} %, BCa bootstrap "
                         "over topics.")
    if attrs.get(GROUPS):
        sentences.append(f"Groups: {attrs[GROUPS]}.")
    by_topics: dict[int, list[str]] = {}
    for name, topics in attrs.get(UNDEFINED, {}).items():
        by_topics.setdefault(len(topics), []).append(name)
    if by_topics:
        sentences.append("Undefined: " + "; ".join(
            f"{', '.join(names)} on {count} of {attrs[TOPICS]} topics"
            for count, names in by_topics.items()) + ".")
    if attrs.get(BROKEN):
        sentences.append(f"Not evaluated because of errors: {', '.join(attrs[BROKEN])}.")
    return sentences


def short_p(p: float) -> str:
    """Return a p-value without the leading zero, and ``< .001`` for smaller ones.

    Examples
    --------
    >>> from pt_fairness.tables.significance import short_p
    >>> [short_p(p) for p in (0.05, 0.0312, 0.0004, 1.0)]
    ['.05', '.031', '< .001', '1']
    """
    if p < 0.001:
        return "< .001"
    text = f"{p:.3f}".rstrip("0").rstrip(".")
    return text.removeprefix("0") if text != "0" else "0"
