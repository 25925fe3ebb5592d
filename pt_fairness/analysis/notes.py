"""What is said of a table: marks of significant differences, and the notes below it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.analysis.inputs import (
    CORRECTED,
    LARGER,
    NEAR_ZERO,
    P_VALUE,
    SMALLER,
    WINS,
    direction,
    distance,
    fairness_measure,
    is_per_query,
    is_reference,
    measure_columns,
)
from pt_fairness.analysis.statistics import ALPHA, LEAST_TESTED, TESTS, TOO_FEW
from pt_fairness.core.arrays import SMALLEST_SHARE
from pt_fairness.core.messages import first_names, plural
from pt_fairness.measures.descriptions import target_and_protected, target_in_words

#: The marks of systems that are significantly better and worse than the baseline, and different
#: from it by a measure that has its ideal value within its range.
BETTER, WORSE, DIFFERENT = "▲", "▼", "≠"
#: The significance level in words.
SIGNIFICANT = "p < .05"
#: The corrections of statsmodels in words; others are named as statsmodels names them.
CORRECTIONS = {"holm": "Holm's correction", "bonferroni": "Bonferroni's correction"}
#: A number of topics by measure and system.
Counts = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True)
class Comparison:
    """The tests against the baseline."""

    #: The name of the baseline.
    baseline: str
    #: A key of :data:`~pt_fairness.analysis.statistics.TESTS`.
    test: str
    #: A method of statsmodels, ``None`` for none.
    correction: str | None
    #: The number of systems that are compared, with those that failed.
    systems: int

    def __str__(self) -> str:
        """Return the test, the level and the correction in words."""
        words = f"{TESTS[self.test]}, {SIGNIFICANT}"
        if self.systems < 2:
            return words
        if self.correction is None:
            return f"{words}, not corrected for several systems"
        correction = CORRECTIONS.get(self.correction, f"correction {self.correction}")
        return f"{words}, {correction} for {self.systems} systems"


@dataclass
class Facts:
    """What an evaluation knows beside its tables. Measures are named as their columns."""

    #: The number of topics.
    topics: float = inf
    #: The names of the systems, in the order of the runs.
    systems: Sequence[str] = ()
    #: The name of the group source; ``None`` if the measures name theirs.
    groups: str | None = None
    #: The declared labels of the group source, ``None`` if it declares none; without a source,
    #: those of the qrels, ``None`` if no measure uses them.
    labels: Sequence[str] | None = None
    #: How many documents have a group or a value, a sentence for each source.
    matched: dict[str, str] = field(default_factory=dict)
    #: The sources of which fewer than half of the judged or of the ranked documents have a group
    #: or a value.
    unmatched: list[str] = field(default_factory=list)
    #: The topics for which a measure is undefined, by measure.
    undefined: dict[str, Sequence[str]] = field(default_factory=dict)
    #: The measures that are undefined for all topics, with the number of topics or the reason.
    never_defined: dict[str, str] = field(default_factory=dict)
    #: Whether undefined topics are left out, and do not count 0.
    dropped: bool = False
    #: By measure, the systems that have a value for fewer topics than others, and for how many.
    fewer: Counts = field(default_factory=dict)
    #: The number of groups of measures that compare one of several groups with all others, because
    #: ``protected`` is not set.
    several: Mapping[str, int] = field(default_factory=dict)
    #: By measure and system, the share of the counted documents within the cutoff, if below half.
    far_down: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    #: By measure and system, the number of topics whose value depends on the number that replaces
    #: shares of 0.
    replaced: Counts = field(default_factory=dict)
    #: By measure and system, the number of topics that are ideal because all documents of the
    #: ranking, with which it is compared, have one label.
    one_label: dict[str, dict[str, int]] = field(default_factory=dict)
    #: The shares of the groups, by group source and cutoff: what
    #: :func:`pt_fairness.analysis.shares` returns.
    shares: dict[tuple[str, int], pd.DataFrame] = field(default_factory=dict)
    #: The pipelines that re-rank by the labels of the measures.
    oracles: Sequence[str] = ()
    #: The target of the re-ranker of each pipeline that has one: a word, a name or shares.
    rerankers: Mapping[str, Any] = field(default_factory=dict)
    #: The tests against the baseline, ``None`` without one.
    comparison: Comparison | None = None
    #: The errors of failed runs, by name.
    failed: Mapping[str, str] = field(default_factory=dict)
    #: The names of the rows of reference rankings.
    references: Sequence[str] = ()

    def tested(self, measure: str) -> float:
        """Return the number of topics of the test of a measure, infinite if it is not known."""
        left_out = self.undefined.get(measure, ()) if self.dropped else ()
        return self.topics - len(left_out)


def comparable(averages: pd.DataFrame, facts: Facts) -> pd.DataFrame:
    """Return averages without those over fewer topics than others, which are never the best."""
    averages = averages.copy()
    for column, systems in facts.fewer.items():
        if column in averages:
            has_fewer = averages["name"].isin(systems)
            averages[column] = averages[column].mask(has_fewer)
    return averages


def baseline_row(averages: pd.DataFrame) -> int | None:
    """Return the position of the baseline, whose comparison is empty; ``None`` without one."""
    for suffix in (WINS, P_VALUE):
        columns = averages.columns.astype(str)
        compared = columns.str.endswith(suffix)
        values = averages.loc[:, compared]
        is_empty = values.isna().all(axis=1)
        empty = is_empty & ~is_reference(averages)
        if compared.any() and empty.sum() == 1:
            return int(empty.argmax())
    return None


def p_values(averages: pd.DataFrame, column: str) -> pd.Series | None:
    """Return the p-values of a measure, corrected ones if the table has them; ``None`` for none."""
    p = averages.get(column + P_VALUE)
    return averages.get(column + CORRECTED, p)


def marks(averages: pd.DataFrame, facts: Facts) -> pd.DataFrame:
    """Return the marks of the systems that are significantly better or worse than the baseline.

    Better is what is nearer to the better end of the measure: for ``rKL@5``, the smaller mean. The
    test of a signed measure does not say which mean is nearer to 0, so the mark is ``≠``. Fewer
    than six topics have no marks. Corrected p-values are used if the table has them.

    :param averages: the result of ``pt.Experiment`` or :func:`pt_fairness.evaluate`
    :returns: a column of ``▲`` (better), ``▼`` (worse), ``≠`` (different) and ``''`` for each
        measure; ``''`` throughout without a baseline, and if the direction of a measure is unknown

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness.analysis.notes import Facts, marks
    >>> table = pd.DataFrame({"name": ["A", "B", "C"], "rKL@5": [0.4, 0.1, 0.3],
    ...                       "rKL@5 +": [None, 0, 1], "rKL@5 -": [None, 9, 8],
    ...                       "rKL@5 p-value": [None, 0.01, 0.2]})
    >>> marks(table, Facts())["rKL@5"].tolist()
    ['', '▲', '']
    """
    columns = measure_columns(averages)
    result = pd.DataFrame("", averages.index, columns)
    row = baseline_row(averages)
    if row is None:
        return result
    for column in columns:
        p = p_values(averages, column)
        end = direction(column)
        if p is None or end is None or facts.tested(column) < LEAST_TESTED:
            continue
        far = distance(averages[column].astype(float), end)
        gain = far.iloc[row] - far
        fewer = facts.fewer.get(column, {})
        topics = averages["name"].map(fewer).fillna(inf)
        enough = topics.clip(upper=topics.iloc[row]) >= LEAST_TESTED
        significant = (p.astype(float) < ALPHA) & enough
        word: Any = DIFFERENT
        if end in (LARGER, SMALLER):
            word = np.where(gain > 0, BETTER, WORSE)
        result[column] = np.where(significant, word, "")
    return result


def notes(table: pd.DataFrame, facts: Facts | None = None,
          labels: Mapping[str, str] | None = None) -> list[str]:
    """Return the notes below a table: on tests, groups, targets and undefined topics.

    :param table: averages or a per-query frame
    :param facts: what the evaluation knows; without it, only what the columns say is known
    :param labels: the label of each measure that has one

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness.analysis.notes import notes
    >>> notes(pd.DataFrame({"name": ["A"], "AWRF@5": [0.5]}))
    ['AWRF@5: target: equal shares of all groups.']
    """
    facts = facts or Facts()
    labels = labels or {}
    if is_per_query(table):
        columns: Any = table["measure"].unique()
        sentences = []
    else:
        columns = table.columns
        sentences = _on_tests(table, facts)
    shown = {name: labels.get(name, name) for name in map(str, columns)}
    if facts.groups or facts.labels:
        groups = facts.groups or "qrels"
        if facts.labels:
            groups += f" ({first_names(facts.labels)})"
        sentences.append(f"Groups: {groups}.")
    sentences += _on_targets(shown, facts)
    sentences += _on_different_targets(shown)
    sentences += _on_undefined(shown, facts)
    for label, shares in _by_label(facts.far_down, shown):
        parts = [f"{share:.0%} of {system}" for system, share in shares.items()]
        sentences.append(f"{label} counts documents far down: of those that it counts, "
                         f"{first_names(parts)} are within the cutoff.")
    sentences += on_replaced_shares(facts, shown)
    for label, topics in _by_label(facts.one_label, shown):
        counts = [(system, plural(count, "topic")) for system, count in topics.items()]
        parts = [f"all documents of {system} have one label in {count}" for system, count in counts]
        sentences.append(f"{label}: {first_names(parts, '; ')}, which counts as ideal.")
    if facts.oracles:
        sentences.append(f"Re-ranked by the labels that evaluate: {first_names(facts.oracles)}. "
                         "This is an oracle, unless a system can know these labels.")
    sentences += _on_rerankers(shown, facts)
    if facts.failed:
        sentences.append(f"Not evaluated because of errors: {', '.join(facts.failed)}.")
    return sentences


def _by_label(counts: Mapping[str, Mapping[str, Any]],
              shown: Mapping[str, str]) -> list[tuple[str, Mapping[str, Any]]]:
    """Return the labels of the measures of a table, with what is counted for each system.

    :param counts: by measure and system
    :param shown: the labels of the measures of the table
    """
    return [(shown[name], systems) for name, systems in counts.items() if name in shown]


def _on_tests(averages: pd.DataFrame, facts: Facts) -> list[str]:
    """Return the notes on the comparison with the baseline."""
    comparison = facts.comparison
    row = baseline_row(averages)
    if comparison:
        baseline, test = comparison.baseline, str(comparison)
    elif row is not None:
        baseline = averages["name"].iloc[row]
        test = SIGNIFICANT
        if averages.columns.astype(str).str.endswith(CORRECTED).any():
            test += ", corrected"
    else:
        return []
    columns = measure_columns(averages)
    topics = [facts.tested(column) for column in columns]
    sentences = []
    if max(topics) >= LEAST_TESTED:
        sentences.append(f"{BETTER} significantly better, {WORSE} significantly worse than "
                         f"{baseline} ({test}).")
        if NEAR_ZERO in map(direction, columns):
            sentences[0] += (f" {DIFFERENT} significantly different by a measure with 0 within its "
                             "range; abs=True tests the nearness to 0.")
    if min(topics) < LEAST_TESTED:
        sentences.append(TOO_FEW)
    return sentences


def _on_targets(shown: Mapping[str, str], facts: Facts) -> list[str]:
    """Return the targets and the protected groups of measures.

    A label is followed by the measure, without its groups.
    """
    texts = {}
    for name, label in shown.items():
        measure = fairness_measure(name)
        if measure is None:
            continue
        text = target_and_protected(measure, name in facts.several)
        if label != name:
            params = dict(measure.params)
            params.pop("groups", None)
            label += f" ({type(measure)(**params)})"
        if text:
            texts[label] = text
    return _sentences(texts)


def _on_different_targets(names: Iterable[str]) -> list[str]:
    """Return a note if some measures have the target ``'uniform'`` and others ``'qrels'``.

    The note has the parameter that makes the targets equal. There is none if a measure is in the
    table with both targets.
    """
    equal_shares = {}
    relevant = {}
    for name in names:
        measure = fairness_measure(name)
        if measure is None or "target" not in measure.SUPPORTED_PARAMS:
            continue
        if measure.target_word == "uniform":
            equal_shares[name] = measure
        if measure.target_word == "qrels":
            relevant[name] = measure
    if not equal_shares or not relevant:
        return []
    (name, measure), *_ = equal_shares.items()
    if type(measure) in map(type, relevant.values()):
        return []
    other, *_ = relevant
    return [f"{name} and {other} have different targets: {measure(target='qrels')} has the target "
            f"of {other}."]


def _on_undefined(shown: Mapping[str, str], facts: Facts) -> list[str]:
    """Return a note on the undefined topics of measures, if any."""
    texts = {}
    for name, topics in facts.undefined.items():
        undefined = len(topics)
        defined = facts.topics - undefined
        text = f"{defined} of {facts.topics} topics; undefined: {first_names(topics)}"
        if name in facts.never_defined:
            text = f"undefined on {facts.never_defined[name]}"
        elif not facts.dropped:
            text += ", which count 0"
        if name in shown:
            texts[shown[name]] = text
    return _sentences(texts)


def on_replaced_shares(facts: Facts, shown: Mapping[str, str]) -> list[str]:
    """Return a note on each measure whose mean depends on what replaces shares of 0.

    :param shown: the labels of the measures of the table
    """
    sentences = []
    every = f"of {facts.topics} topics of"
    for label, counts in _by_label(facts.replaced, shown):
        parts = [f"{count} {every} {system}" for system, count in counts.items()]
        sentences.append(f"The mean of {label} depends on the number that replaces a share of 0, "
                         f"{SMALLEST_SHARE:g}: in {first_names(parts)}.")
    return sentences


def _on_rerankers(names: Iterable[str], facts: Facts) -> list[str]:
    """Return the targets of re-rankers, each with the measures that have another target."""
    sentences = []
    targets = {name: target_in_words(target) for name, target in facts.rerankers.items()}
    for target, systems in _names_by_text(targets).items():
        sentence = f"{systems}: re-ranked towards {target}"
        differing = []
        for name in names:
            measure = fairness_measure(name)
            words = [part.target_word for part in measure.parts] if measure else []
            if {*map(target_in_words, filter(None, words))} - {target}:
                differing.append(name)
        if differing:
            sentence += f"; the target of {first_names(differing)} is another"
        sentences.append(f"{sentence}.")
    return sentences


def on_intervals(intervals: pd.DataFrame) -> str:
    """Return a note on the intervals of a table: level and method.

    :param intervals: the result of :func:`pt_fairness.analysis.intervals`
    """
    if intervals["low"].isna().all():
        return "Intervals need at least three topics."
    first = intervals.iloc[0]
    method = "BCa bootstrap" if first["method"] == "bca" else "t distribution"
    return f"Intervals: {100 * first['confidence']:g} %, {method} over topics."


def on_verdicts(verdicts: pd.DataFrame, labels: Mapping[str, str], baseline: str) -> str:
    """Return a note on the verdicts of a table: the differences that do not matter.

    :param verdicts: the result of :func:`pt_fairness.analysis.compare`
    """
    margins = verdicts.dropna(subset="tolerance").drop_duplicates("measure")
    names = margins["measure"].replace(labels)
    limits = ", ".join(margins["tolerance"].map("{:g} in ".format) + names)
    worse, more, test = "worse than", "worse", "one-sided 5 %"
    if (verdicts["side"] == "both").any():
        worse, more, test = "different from", "different", "5 %"
    return (f"Verdict within: not {worse} {baseline} by more than {limits}; exceeds: {more} by "
            f"more; each at the {test} level, not corrected for several systems.")


def _sentences(texts: Mapping[str, str]) -> list[str]:
    """Return a sentence for each text, which begins with the names that have the text."""
    return [f"{names}: {text}." for text, names in _names_by_text(texts).items()]


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
    >>> from pt_fairness.analysis.notes import short_p
    >>> [short_p(p) for p in (0.05, 0.0312, 0.0004, 1.0)]
    ['.050', '.031', '< .001', '1.000']
    """
    if math.isnan(p):
        return "–"
    if p < 0.001:
        return "< .001"
    return f"{p:.3f}".removeprefix("0")
