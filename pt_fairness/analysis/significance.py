"""Significant differences from a baseline, their correction, and the notes below a table."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from math import inf
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.analysis.columns import (
    ALPHA,
    BROKEN,
    COMPARISON,
    CORRECTED,
    DROPPED,
    FAR_DOWN,
    FRONTS,
    GROUPS,
    INTERVAL,
    LABELS,
    LARGER,
    LEAST_INTERVAL,
    LEAST_TESTED,
    NEAR_ZERO,
    ORACLES,
    P_VALUE,
    SEVERAL,
    SMALLER,
    TOLERANCE,
    TOO_FEW,
    TOPICS,
    UNDEFINED,
    UNDEFINED_EVERYWHERE,
    WINS,
    direction_of,
    from_best,
    is_per_query,
    is_reference,
    measure_columns,
    measure_of,
    stands_for,
    systems_of,
)
from pt_fairness.core.messages import first_names, shown
from pt_fairness.measures.descriptions import target_and_protected
from pt_fairness.measures.measure import FairnessMeasure
from pt_fairness.provider.measure_lists import parsed_or_none

#: The marks of systems that are significantly better and worse than the baseline, and different
#: from it by a measure that has its ideal value within its range.
BETTER = "▲"
WORSE = "▼"
DIFFERENT = "≠"
#: The corrections of statsmodels in words; others are named as statsmodels names them.
_CORRECTIONS = {"holm": "Holm's correction", "h": "Holm's correction",
                "bonferroni": "Bonferroni's correction", "b": "Bonferroni's correction"}


def baseline_row(averages: pd.DataFrame) -> int | None:
    """Return the position of the baseline, which has no comparison; ``None`` without one."""
    for suffix in (WINS, P_VALUE):
        compared = averages.columns.astype(str).str.endswith(suffix)
        empty = averages.loc[:, compared].isna().all(axis=1)
        empty &= ~is_reference(averages)
        if compared.any() and empty.sum() == 1:
            return int(empty.argmax())
    return None


def topics_of_test(table: pd.DataFrame, column: str) -> float:
    """Return the number of topics of the test of a measure, infinite where it is not known."""
    topics = table.attrs.get(TOPICS, inf)
    if table.attrs.get(DROPPED):
        undefined = table.attrs[UNDEFINED].get(column, ())
        topics -= len(undefined)
    return topics


def p_values(averages: pd.DataFrame, column: str) -> pd.Series | None:
    """Return the p-values of a measure, corrected ones if the table has them; ``None`` for none."""
    uncorrected = averages.get(column + P_VALUE)
    return averages.get(column + CORRECTED, uncorrected)


def changes(averages: pd.DataFrame) -> pd.DataFrame:
    """Return the marks of the systems that are significantly better or worse than the baseline.

    Better is what is nearer to the better end of the measure: for ``rKL@5``, the smaller mean. The
    test of a signed measure does not say which mean is nearer to 0, so the mark is ``≠``. Fewer
    than six topics have no marks. Corrected p-values are used if the table has them.

    :param averages: the result of ``pt.Experiment`` or :func:`pt_fairness.evaluate`
    :returns: a column of ``▲`` (better), ``▼`` (worse), ``≠`` (different) and ``''`` for each
        measure; ``''`` throughout without a baseline, and where the direction of a measure is
        unknown

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness.analysis.significance import changes
    >>> table = pd.DataFrame({"name": ["A", "B", "C"], "rKL@5": [0.4, 0.1, 0.3],
    ...                       "rKL@5 +": [None, 0, 1], "rKL@5 -": [None, 9, 8],
    ...                       "rKL@5 p-value": [None, 0.01, 0.2]})
    >>> changes(table)["rKL@5"].tolist()
    ['', '▲', '']
    """
    columns = measure_columns(averages)
    marks = pd.DataFrame("", averages.index, columns)
    row = baseline_row(averages)
    if row is None:
        return marks
    for column in columns:
        p = p_values(averages, column)
        direction = direction_of(column, averages)
        if p is None or direction is None or topics_of_test(averages, column) < LEAST_TESTED:
            continue
        means = averages[column].astype(float)
        distance = from_best(means, direction)
        gain = distance.iloc[row] - distance
        significant = p.astype(float) < ALPHA
        if direction in (LARGER, SMALLER):
            marks.loc[significant & (gain > 0), column] = BETTER
            marks.loc[significant & (gain < 0), column] = WORSE
        else:
            marks.loc[significant, column] = DIFFERENT
    return marks


def notes(table: pd.DataFrame) -> list[str]:
    """Return the notes below a table: on tests, groups, targets and undefined topics.

    :param table: averages or a per-query frame of :func:`pt_fairness.evaluate`, whose ``attrs``
        have the facts. Of another table, only what its columns say is known.

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import evaluate, groups
    >>> from pt_fairness.analysis.significance import notes
    >>> qrels = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["a", "b", "a"], "label": 1})
    >>> source = groups.from_mapping({"a": "PRO", "b": "CON"}, name="sides")
    >>> run = qrels.assign(score=1.0)
    >>> averages, _ = evaluate({"A": run}, qrels, ["AWRF@5"], groups=source, progress=False)
    >>> notes(averages)
    ['Groups: sides (CON, PRO).', 'AWRF@5: target: equal shares of all groups.']
    """
    attrs = table.attrs
    per_query = is_per_query(table)
    names = table["measure"].unique() if per_query else table.columns
    measures = {str(name): measure_of(name, table) for name in names}
    sentences = _notes_on_tests(table, list(measures))
    if attrs.get(INTERVAL):
        sentences.append(_note_on_intervals(table))
    if attrs.get(GROUPS):
        groups = attrs[GROUPS]
        if attrs.get(LABELS):
            groups += f" ({first_names(attrs[LABELS])})"
        sentences.append(f"Groups: {groups}.")
    sentences += _notes_on_targets(measures, attrs.get(SEVERAL, {}))
    sentences += _note_on_undefined(attrs)
    for name, shares in attrs.get(FAR_DOWN, {}).items():
        parts = [f"{share:.0%} of {system}" for system, share in shares.items()]
        systems = first_names(parts)
        sentences.append(f"{name} counts documents far down: of those that it counts, {systems} "
                         "are within the cutoff.")
    sentences += note_on_oracles(table)
    if attrs.get(BROKEN):
        broken = ", ".join(attrs[BROKEN])
        sentences.append(f"Not evaluated because of errors: {broken}.")
    if not per_query:
        sentences += note_on_fronts(table)
    return sentences


def _notes_on_targets(measures: Mapping[str, FairnessMeasure | None],
                      several: Collection[str]) -> list[str]:
    """Return the targets and the protected groups of measures.

    A label is followed by the name of its measure without groups.

    :param measures: by the name of the column
    :param several: the columns whose protected groups differ between topics
    """
    texts = {}
    for name, measure in measures.items():
        if measure is None:
            continue
        text = target_and_protected(measure, name in several)
        if parsed_or_none(stands_for(name)) is None:
            params = {key: value for key, value in measure.params.items() if key != "groups"}
            name = f"{name} ({type(measure)(**params)})"
        texts[name] = text
    names_of = _names_by_text(texts)
    return [f"{names}: {text}." for text, names in names_of.items() if text]


def _note_on_undefined(attrs: Mapping[Any, Any]) -> list[str]:
    """Return a note on the undefined topics of measures, if any."""
    counts = {}
    for name, topics in attrs.get(UNDEFINED, {}).items():
        counts[name] = f"{len(topics)} of {attrs[TOPICS]} topics"
    counts |= attrs.get(UNDEFINED_EVERYWHERE, {})
    if not counts:
        return []
    undefined = "Undefined, and left out" if attrs.get(DROPPED) else "Undefined"
    names_of = _names_by_text(counts)
    parts = [f"{names} on {count}" for count, names in names_of.items()]
    return [f"{undefined}: {'; '.join(parts)}."]


def note_on_fronts(averages: pd.DataFrame) -> list[str]:
    """Return a note on how fair the most relevant system could have been, if there are fronts."""
    fronts = averages.attrs.get(FRONTS)
    if not fronts:
        return []
    columns = measure_columns(averages)
    place = fronts[0]["relevance"]
    systems = systems_of(averages).set_index("name")
    relevance = systems[columns[place]]
    best = relevance.idxmax()
    parts = []
    for front in fronts:
        fairness = columns[front["fairness"]]
        system = front["systems"][best]
        if front["relevance"] == place and not np.isnan(system["fairest"]):
            parts.append(f"{fairness} {system['fairest']:.2f} (now {system['now']:.2f})")
    had = ", ".join(parts) or "nothing else: no list of documents with a group is as relevant"
    return [f"At this relevance ({columns[place]} {relevance.max():.2f}) {best} could have had "
            f"{had}."]


def note_on_oracles(table: pd.DataFrame) -> list[str]:
    """Return a note on the pipelines that re-rank by the labels of the measures, if any."""
    names = table.attrs.get(ORACLES)
    if not names:
        return []
    return [f"Re-ranked by the labels that evaluate: {first_names(names)}. This is an oracle, "
            "unless a system can know these labels."]


def _notes_on_tests(table: pd.DataFrame, names: Sequence[str]) -> list[str]:
    """Return the notes on the comparison with the baseline.

    :param names: the names of the columns, or of the measures of a per-query frame
    """
    comparison = table.attrs.get(COMPARISON)
    if comparison:
        baseline = comparison["baseline"]
        facts = _facts_on_test(comparison)
    else:
        row = baseline_row(table)
        if row is None:
            return []
        baseline = table["name"].iloc[row]
        facts = f"p < {level(ALPHA)}"
        if any(str(column).endswith(CORRECTED) for column in table.columns):
            facts += ", corrected"
    sentences = []
    topics = [topics_of_test(table, name) for name in names]
    if max(topics) >= LEAST_TESTED:
        marks = f"{BETTER} significantly better, {WORSE} significantly worse than {baseline}"
        sentences.append(f"{marks} ({facts}).")
        if NEAR_ZERO in [direction_of(name, table) for name in names]:
            sentences[0] += (f" {DIFFERENT} significantly different by a measure with 0 within its "
                             "range; abs=True tests the nearness to 0.")
    if min(topics) < LEAST_TESTED:
        sentences.append(TOO_FEW)
    margins = table.attrs.get(TOLERANCE)
    if margins:
        parts = [f"{margin:g} in {name}" for name, margin in margins.items()]
        limits = ", ".join(parts)
        sentences.append(f"Verdict within: not worse than {baseline} by more than {limits}; "
                         "exceeds: worse by more; each at the one-sided 5 % level, not corrected "
                         "for several systems.")
    return sentences


def _facts_on_test(comparison: Mapping[str, Any]) -> str:
    """Return the test, the level and the correction in words."""
    facts = f"{comparison['test']}, p < {level(comparison['alpha'])}"
    method = comparison["correction"]
    systems = comparison["systems"]
    if systems < 2:
        return facts
    if method is None:
        return f"{facts}, not corrected for several systems"
    correction = _CORRECTIONS.get(method, f"correction {method}")
    return f"{facts}, {correction} for {systems} systems"


def _note_on_intervals(table: pd.DataFrame) -> str:
    if table.attrs.get(TOPICS, inf) < LEAST_INTERVAL:
        return "Intervals need at least three topics."
    facts = table.attrs[INTERVAL]
    method = "BCa bootstrap" if facts["method"] == "bca" else "t distribution"
    return f"Intervals: {100 * facts['confidence']:g} %, {method} over topics."


def _names_by_text(texts: Mapping[str, str]) -> dict[str, str]:
    """Return the names that have a text, separated by commas, by text."""
    names: dict[str, list[str]] = {}
    for name, text in texts.items():
        names.setdefault(text, []).append(name)
    return {text: ", ".join(same) for text, same in names.items()}


def short_p(p: float) -> str:
    """Return a p-value with three decimals, without the leading zero, and ``< .001`` below that.

    NaN, the p-value of equal systems, is ``–``.

    Examples
    --------
    >>> from pt_fairness.analysis.significance import short_p
    >>> [short_p(p) for p in (0.05, 0.0312, 0.0004, 1.0)]
    ['.050', '.031', '< .001', '1.000']
    """
    if math.isnan(p):
        return "–"
    if p < 0.001:
        return "< .001"
    return f"{p:.3f}".removeprefix("0")


def level(alpha: float) -> str:
    """Return a significance level without the leading zero."""
    return f"{alpha:g}".removeprefix("0")


def corrected(p_values: pd.Series, method: str | None) -> pd.Series:
    """Return p-values that are corrected for several tests, those of one measure.

    A system that is equal to the baseline has the p-value NaN. It counts as 1 for the others, and
    stays NaN.

    :param p_values: those of the systems that are compared, without the baseline
    :param method: a method of ``statsmodels.stats.multitest.multipletests``; ``None`` for no
        correction
    :raises ValueError: an unknown method
    """
    if method is None:
        return p_values
    filled = p_values.fillna(1.0).astype(float)
    if method == "holm":  # statsmodels collects all garbage of the process for it, at each call
        ordered = filled.sort_values()
        steps = ordered * np.arange(len(ordered), 0, -1)
        steps = steps.cummax().clip(upper=1.0)
        return steps.reindex(p_values.index).where(p_values.notna())
    from statsmodels.stats.multitest import multipletests
    tested = filled if len(filled) else [1.0]  # the method is checked in any case
    try:
        _, values, *_ = multipletests(tested, ALPHA, str(method))
    except ValueError:
        raise ValueError(f"correction={shown(method)} is not possible; it takes a method of "
                         "statsmodels, such as 'holm', or None (--correction none)") from None
    steps = pd.Series(values[:len(filled)], p_values.index)
    return steps.where(p_values.notna())
