"""The paragraph on the experiment for a paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ir_measures
import pandas as pd

from pt_fairness._version import __version__
from pt_fairness.analysis import ALPHA
from pt_fairness.analysis.directions import NEAR_ZERO, direction_of
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.catalog import fair_end_of
from pt_fairness.provider.parsing import parsed_or_none, reads_subtopics
from pt_fairness.reporting.citations import SOFTWARE, Cite, Text, joined, of_measure
from pt_fairness.reporting.sentences import ABOUT, DISTANCES, clauses, found, listed, sentence


@dataclass(frozen=True)
class Facts:
    """The facts that the paragraph states.

    :param measures: the measures, with the names of their columns
    :param sources: sentences on the group sources
    :param undefined: for each measure the sentence on its undefined topics after its name, or
        ``''``
    :param intervals: the confidence level of the intervals
    :param labels: the labels of the groups
    """

    runs: int
    topics: int
    measures: Sequence[tuple[str, Any]]
    sources: Sequence[str]
    undefined: Sequence[str]
    baseline: str | None
    correction: str | None
    test: str
    intervals: float | None = None
    labels: Sequence[str] = ()


def paragraph(facts: Facts) -> list[str | Cite]:
    """Return the paragraph, with citations."""
    names = short_names(facts.measures)
    software: Text = [f"The values were computed with pt_fairness {__version__} (",
                      Cite([SOFTWARE]), f") and ir_measures {ir_measures.__version__} (",
                      Cite(["macavaney2022"]), ")."]
    return joined([*_measures(facts, names), *_together(facts, names),
                   *([one] for one in facts.sources), *_tests(facts), software], " ")


def short_names(measures: Sequence[tuple[str, Any]]) -> list[str]:
    """Return the name of each measure as the paragraph uses it.

    Parameters other than the cutoff are left out unless two measures would have the same name.

    :param measures: the measures, with the names of their columns

    Examples
    --------
    >>> from pt_fairness import rKL
    >>> from pt_fairness.reporting.paragraph import short_names
    >>> named = [(str(one), one) for one in (rKL(rel=2) @ 5, rKL @ 10, rKL(rel=2) @ 10)]
    >>> short_names([*named, ("Gap", rKL @ 20)])
    ['rKL@5', 'rKL@10', 'rKL(rel=2)@10', 'Gap']
    """
    short = [name if parsed_or_none(name) is None else _short(measure)
             for name, measure in measures]
    return [own if short.count(own) == 1 else name
            for own, (name, _) in zip(short, measures, strict=True)]


def _short(measure: Any) -> str:
    return "@".join(str(one) for one in (measure.NAME, measure.params.get("cutoff")) if one)


def _measures(facts: Facts, names: Sequence[str]) -> list[Text]:
    """Return what is measured; measures of which the same is said share a sentence."""
    systems = "One system is" if facts.runs == 1 else f"{facts.runs} systems are"
    sentences: list[Text] = [
        [f"{systems} evaluated on {facts.topics} topic{'s' if facts.topics != 1 else ''}."]]
    said: dict[tuple[str, str], list[Text]] = {}
    for name, (_, measure) in zip(names, facts.measures, strict=True):
        own = "" if name.startswith(measure.NAME) else _short(measure)
        aside = [[one] for one in (own, found(DISTANCES, measure)[1], of_measure(measure)) if one]
        said.setdefault(_about(measure, facts.labels), []).append(
            [f"{name} (", *joined(aside), ")"] if aside else [name])
    starts = [start for start, _ in said]
    for i, ((start, end), some) in enumerate(said.items()):
        *first, last = some
        several = [*joined(first, ", "), " and "] if first else []
        sentences.append([f"{start} {'also ' * (start in starts[:i])}", *several, *last, end])
    return sentences


def _about(measure: Any, labels: Sequence[str]) -> tuple[str, str]:
    """Return what is said before and after the name of a measure."""
    if not isinstance(measure, FairnessMeasure):
        novelty = reads_subtopics(measure)
        return ("Novelty and diversity are measured by" if novelty else "Relevance is measured by",
                ".")
    signed = direction_of(str(measure)) == NEAR_ZERO
    start = "Bias" if signed else "Fairness" if measure.FAIR_END else "Unfairness"
    start, fair = found(ABOUT, measure)[1] or (start, "unbiased" if signed else "fair")
    end = fair_end_of(measure)
    end = "more is better" if end == "more" else f"{end} is {fair}"
    return f"{start} is", f": {sentence(measure, labels)} ({end})."


def _together(facts: Facts, names: Sequence[str]) -> list[Text]:
    """Return what several measures can share: parameters, condensed lists, undefined topics."""
    told = pd.DataFrame([(name, clause) for name, (_, measure) in
                         zip(names, facts.measures, strict=True) for clause in clauses(measure)],
                        columns=["name", "clause"], dtype=object)
    users = told.groupby("clause", sort=False)["name"].agg(listed)
    sentences = [f"In {some}, {'; '.join(same.index)}."
                 for some, same in users.groupby(users, sort=False)]
    condensed = [name for name, (_, measure) in zip(names, facts.measures, strict=True)
                 if isinstance(measure, FairnessMeasure) and measure.condensed]
    if condensed:
        sentences.append(f"For {listed(condensed)}, documents without a group are left out before "
                         "the rankings are cut.")
    undefined = pd.Series(list(facts.undefined), list(names), dtype=object)
    sentences += [f"{listed(same.index)} {'are' if len(same) > 1 else 'is'} undefined for {text}"
                  for text, same in undefined.groupby(undefined, sort=False) if text]
    return [[one] for one in sentences]


def _tests(facts: Facts) -> list[Text]:
    sentences: list[Text] = []
    if facts.intervals is not None:
        sentences.append([f"Intervals of the means are {100 * facts.intervals:g} % BCa bootstrap "
                          "intervals over the topics."])
    if facts.baseline is None or facts.runs < 2:
        return sentences
    text: list[str | Cite] = [f"Differences from {facts.baseline} are tested by {facts.test}s "
                              f"over the topics, with a significance level of {ALPHA:g}"]
    others = facts.runs - 1
    if facts.correction is None:
        text.append("; the p-values are not corrected")
    elif others > 1:
        method = [" by the method of Holm (", Cite(["holm1979"]), ")"] \
            if facts.correction == "holm" else [f" by the method {facts.correction}"]
        text += ["; the p-values are corrected", *method,
                 f" for the {others} comparisons by each measure"]
    return [*sentences, [*text, "."]]
