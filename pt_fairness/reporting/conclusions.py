"""The conclusions of a report: the fairest systems by each measure, and the paragraph for a paper.

The paragraph is text and LaTeX, with BibTeX.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from math import isfinite, nan
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

from pt_fairness import analysis
from pt_fairness.analysis.inputs import NEAR_ZERO, compares_groups, distance, is_coverage
from pt_fairness.analysis.notes import on_replaced_shares, p_values, short_p
from pt_fairness.analysis.statistics import LEAST_INTERVAL, LEAST_TESTED, TOO_FEW
from pt_fairness.analysis.tables import latex_escaped
from pt_fairness.core import __version__
from pt_fairness.core.arrays import TIE_DECIMALS
from pt_fairness.core.messages import collecting_warnings, enumerated, first_names, plural
from pt_fairness.measures.descriptions import BIBLIOGRAPHY, ideal_in_words, target_and_protected
from pt_fairness.measures.measure import FairnessMeasure
from pt_fairness.measures.rank_bias import ValueMeasure
from pt_fairness.provider.measure_lists import takes_groups
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
    :returns: ``measure`` (its column), ``place, system, value``, ``correction`` (its name in the
        table of corrections; empty without one), ``p`` (against the baseline; NaN without one),
        ``same``, the systems that are not told apart from the fairest by a paired t-test with
        Holm's correction (by the intervals of corrected values), and ``random``, the mean value of
        random orders of the documents that the first system found. One system has one row, without
        a place. A measure without a corrected value has one without a system
    """
    averages = experiment.averages.set_index("name").loc[experiment.systems]
    rows: list[Any] = []
    columns = zip(experiment.columns, experiment.measures, experiment.ends, strict=True)
    for column, measure, end in columns:
        if not answered(measure):
            continue
        correction, values = "", averages[column]
        p = p_values(averages, column)  # NaN for corrected measures
        is_corrected = column in experiment.corrected
        if is_corrected:
            correction, values = experiment.corrections.values(column)
        values = values.dropna()
        if values.empty:
            if is_corrected:
                rows.append((column, "", [], nan, "", nan, []))
            continue
        far = distance(values, end).round(TIE_DECIMALS)
        least, largest = far.min(), far.max()
        best, worst = (NEAREST, FARTHEST) if end == NEAR_ZERO else (FAIREST, LEAST_FAIR)
        places = {best: least, worst: largest} if len(values) > 1 else {"": least}
        if is_corrected:
            same = experiment.corrections.not_told_apart(column, far.idxmin())
        else:
            same = _not_told_apart(experiment.perquery, column, far.idxmin())
        for place, limit in places.items():
            systems = far.index[far == limit].tolist()
            first, *_ = systems
            others = [name for name in same if limit == least and name not in systems]
            p_value = nan if p is None else p[first]
            rows.append((column, place, systems, values[first], correction, p_value, others))
            same = []
    table = pd.DataFrame(rows, columns=_ANSWER)
    return table.assign(random=_random_orders(experiment, table, runs, qrels, groups, seed))


#: The columns of the answer but the last.
_ANSWER = ["measure", "place", "system", "value", "correction", "p", "same"]


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
    uncorrected = {*table["measure"]}.difference(experiment.corrected)
    measures = []
    compared = {}
    for column, measure in zip(experiment.columns, experiment.measures, strict=True):
        if column in uncorrected and compares_groups(measure):
            measures.append(measure)
            compared[str(measure)] = column
    if qrels is None or not compared:
        return [nan] * len(table)
    first = table["system"].str[0]
    found = {name: runs[name] for name in first.dropna().unique()}
    with collecting_warnings():
        random = analysis.against_random(found, qrels, measures, groups, draws=DRAWS, seed=seed,
                                         progress=False)
    random["measure"] = random["measure"].map(compared)
    means: Any = random.set_index(["name", "measure"])["random"]
    places = zip(first, table["measure"], strict=True)
    return [means.get(place, nan) for place in places]


def results(experiment: Experiment, found: pd.DataFrame) -> list[str]:
    """Return the answer as sentences, one for each measure."""
    names = experiment.column_names
    sentences = []
    for column in found["measure"].unique():
        parts: list[str] = []
        rows: Any = found[found["measure"] == column].itertuples()
        for row in rows:
            if not row.system:
                parts.append(f"No system is the fairest by {names[column]}, which has no corrected "
                             "value")
                continue
            verb = "are" if len(row.system) > 1 else "is"
            part = f"{enumerated(row.system)} {verb} {row.place or 'evaluated'}"
            if not parts:
                part += f" by {names[column]}"
            part += _value(row.value, row.p, row.correction)
            if row.same:
                part += f", not told apart from {named(row.same, experiment)}"
            parts.append(part)
        sentences.append(f"{'; '.join(parts)}.")
    return sentences


def _value(value: float, p: float, correction: str = "") -> str:
    """Return a value in parentheses, with its correction and its p-value where there are some."""
    details = [f"{value:.3f}".replace("-", "−")]
    if correction:
        details.append(correction)
    if not np.isnan(p):
        short = short_p(p)
        equals = "" if short.startswith("<") else "= "
        details.append(f"p {equals}{short} against the baseline")
    return f" ({', '.join(details)})"


def other_results(experiment: Experiment) -> list[str]:
    """Return a sentence on the means of each measure that :func:`answer` leaves out.

    If there are many systems, it names the largest and the smallest mean. With human labels, there
    is none on a measure that depends on the labels.
    """
    averages = experiment.averages.set_index("name").loc[experiment.systems]
    sentences = []
    for column, measure in zip(experiment.columns, experiment.measures, strict=True):
        uncorrected = experiment.corrections is not None and takes_groups(measure)
        values = averages[column].dropna()
        if answered(measure) or uncorrected or values.empty:
            continue
        head = "Means"
        if len(values) > MOST_NAMED:
            head = "The largest and the smallest mean"
            values = values.loc[[values.idxmax(), values.idxmin()]]
        p = p_values(averages, column)
        parts = []
        for system, value in values.items():
            p_value = nan if p is None else p[system]
            parts.append(system + _value(value, p_value))
        sentences.append(f"{head} of {experiment.column_names[column]}: {enumerated(parts)}.")
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
    if experiment.corrections is not None:
        sentences += experiment.corrections.assumptions()
        sentences += experiment.corrections.warnings
    return sentences


#: The papers of measures of ir_measures, by the name of the measure.
PAPERS = {"Bpref": ("buckley2004",), "ERR": ("chapelle2009",), "RBP": ("moffat2008",),
          "alpha_DCG": ("clarke2008",), "alpha_nDCG": ("clarke2008",), "nDCG": ("jarvelin2002",)}
#: The citation key of this package, and its entry.
SOFTWARE = "ptfairness"
_ENTRY = f"""\
@software{{{SOFTWARE},
  author = {{{{The pt\\_fairness developers}}}},
  title = {{{{pt\\_fairness: fairness, viewpoint-diversity and bias measures for PyTerrier and
           ir\\_measures}}}},
  version = {{{__version__}}},
  year = {{2026}},
}}"""
#: A citation in a text: the keys of its references between two characters of private use.
_CITATION = re.compile("\ue000(.*?)\ue001")


def paragraph(experiment: Experiment, found: pd.DataFrame, hidden: Sequence[str]) -> str:
    """Return the paragraph, with citations.

    :param found: what :func:`answer` returns
    :param hidden: the sentences on groups that systems hide
    """
    facts = experiment.facts
    cited = []
    described = []
    names = experiment.column_names.items()
    for (column, label), measure in zip(names, experiment.measures, strict=True):
        name = label if label == column else f"{label}, which is {column}"
        papers = getattr(measure, "SOURCE", PAPERS.get(measure.NAME, ()))
        cited.append(name + _cite(*papers))
        if isinstance(measure, FairnessMeasure):
            described.append(_description(label, measure, column in facts.several))
    systems = plural(len(experiment.systems), "system")
    topics = plural(len(experiment.topics), "topic")
    sentences = [f"We evaluate {systems} on {topics} by {enumerated(cited)}.", *described]
    sentences += [_on_groups(experiment, source) for source in experiment.sources]
    if experiment.corrections is not None:
        sentences.append(experiment.corrections.summary())
        sentences += experiment.corrections.assumptions()
    if facts.comparison is not None:
        holm = _cite("holm1979") if "Holm" in str(facts.comparison) else ""
        sentences.append(f"Differences from {facts.comparison.baseline} are tested over the topics "
                         f"({facts.comparison}){holm}.")
    sentences += results(experiment, found)
    sentences += other_results(experiment)
    sentences += on_replaced_shares(facts, experiment.column_names)
    sentences += hidden
    sentences.append(f"The values were computed with pt_fairness {__version__}{_cite(SOFTWARE)} "
                     f"and ir_measures {ir_measures.__version__}{_cite('macavaney2022')}.")
    return " ".join(sentences)


def _cite(*keys: str) -> str:
    """Return a citation behind a word, ``''`` without references."""
    return f" (\ue000{','.join(keys)}\ue001)" if keys else ""


def _description(label: str, measure: FairnessMeasure, several: bool) -> str:
    """Return what a measure asks, what its ideal value means, and its target.

    :param several: whether ``protected`` is not set, and there are more than two groups
    """
    question = measure.SHORT_DESC.rstrip(".")
    details = [ideal_in_words(measure), target_and_protected(measure, several)]
    return f"{label}: {question} ({'; '.join(filter(None, details))})."


def _on_groups(experiment: Experiment, source: Source) -> str:
    """Return the groups of a source."""
    users = ""
    if len(experiment.sources) > 1:
        every = list(experiment.column_names.values())
        names = [every[place] for place in source.measures]
        users = f" of {enumerated(names)}"
    return f"The groups{users} are from {source.name} ({first_names(source.labels)})."


def plain(text: str) -> str:
    """Return a text with citations by author and year."""
    short = {key: reference.short for key, reference in BIBLIOGRAPHY.items()}
    short[SOFTWARE] = "the pt_fairness developers"

    def citation(match: re.Match[str]) -> str:
        return "; ".join(short[key] for key in match[1].split(","))

    return _CITATION.sub(citation, text)


def latex(text: str) -> str:
    """Return a text in LaTeX, with ``\\cite``."""
    return _CITATION.sub(r"\\cite{\1}", latex_escaped(text))


def bibtex(text: str) -> str:
    """Return the BibTeX entries of all that a text cites, sorted by key."""
    keys = {key for keys in _CITATION.findall(text) for key in keys.split(",")}
    entries = [_ENTRY if key == SOFTWARE else BIBLIOGRAPHY[key].bibtex for key in sorted(keys)]
    return "\n\n".join(entries) + "\n"
