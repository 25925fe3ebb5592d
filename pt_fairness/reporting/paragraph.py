"""The paragraph on the experiment for a paper."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import ir_measures

from pt_fairness._version import __version__
from pt_fairness.analysis import ALPHA
from pt_fairness.declarations.base import FairnessMeasure
from pt_fairness.declarations.catalog import fair_end_of
from pt_fairness.declarations.params import literal
from pt_fairness.measures.choices import TARGETS
from pt_fairness.provider.parsing import reads_subtopics
from pt_fairness.reporting.citations import SOFTWARE, Cite, Text, joined, of_measure
from pt_fairness.tables import NEAR_ZERO, direction_of

#: The parameters that the paragraph names elsewhere.
_ELSEWHERE = ("cutoff", "groups")
#: The values of other parameters with which a parameter has an effect.
_USED_WITH: dict[str, dict[str, tuple[str, ...]]] = {
    "p": {"discount": ("geometric",), "model": ("gerr", "rbp")},
    "u": {"model": ("gerr",)}}


@dataclass(frozen=True)
class Facts:
    """The facts that the paragraph states.

    :param measures: the measures, with the names of their columns
    :param sources: sentences on the group sources
    :param undefined: sentences on the undefined topics
    """

    runs: int
    topics: int
    measures: Sequence[tuple[str, Any]]
    sources: Sequence[str]
    undefined: Sequence[str]
    baseline: str | None
    correction: str | None
    test: str


def paragraph(facts: Facts) -> list[str | Cite]:
    """Return the paragraph, with citations."""
    sentences = [*_measures(facts), *([one] for one in facts.sources), *_tests(facts),
                 *([one] for one in facts.undefined), _software()]
    return joined(sentences, " ")


def _measures(facts: Facts) -> list[Text]:
    others = [one for one in facts.measures if not isinstance(one[1], FairnessMeasure)]
    own = [one for one in facts.measures if isinstance(one[1], FairnessMeasure)]
    systems = "One system is" if facts.runs == 1 else f"{facts.runs} systems are"
    sentences: list[Text] = [
        [f"{systems} evaluated on {facts.topics} topic{'s' if facts.topics != 1 else ''}."]]
    for measured, describe, separator, some in (
            ("Relevance is", _other, ", ", [one for one in others if not reads_subtopics(one[1])]),
            ("Novelty and diversity are", _other, ", ",
             [one for one in others if reads_subtopics(one[1])]),
            ("Fairness, diversity and bias are", _own, "; ", own)):
        if some:
            sentences.append([f"{measured} measured by ",
                              *joined([describe(*one) for one in some], separator), "."])
    used = [measure.target_word for _, measure in own if "target" in measure.SUPPORTED_PARAMS]
    targets = [f"target={word} is {text}" for word, text in TARGETS.items()
               if word in used and word != "ideal"]  # EEL, EED and EER have target=qrels then
    if targets:
        sentences.append([f"Of the target distributions, {'; '.join(targets)}."])
    return sentences


def _other(name: str, measure: Any) -> Text:
    defaults = [f"{param}={info.default}" for param, info in measure.SUPPORTED_PARAMS.items()
                if param not in measure.params and isinstance(info.default, (int, float, str))
                and info.default is not False]
    parts: list[str | Cite] = [str(measure) if name != str(measure) else "", of_measure(measure),
                               ", ".join(defaults)]
    details = joined([part] for part in parts if part)
    return [f"{name} (", *details, ")"] if details else [name]


def _own(name: str, measure: FairnessMeasure) -> Text:
    values = {param: measure.param(param) for param in measure.SUPPORTED_PARAMS
              if param not in _ELSEWHERE and _matters(param, measure)}
    given = [f"{param}={value if isinstance(value, str) else literal(value)}"
             for param, value in values.items() if value is not None]
    signed = direction_of(str(measure)) == NEAR_ZERO
    fair = f"{fair_end_of(measure)} is {'unbiased' if signed else 'fair'}".replace(
        "more is fair", "more is better")
    cutoff = f"@{measure.param('cutoff')}" if measure.param("cutoff") is not None else ""
    named = "" if measure.NAME in name else f", {measure.NAME}{cutoff}"
    details = ", ".join([*given, fair])
    return [f"{name} ({measure.PRETTY_NAME}{named}; ", of_measure(measure), f"; {details})"]


def _matters(param: str, measure: FairnessMeasure) -> bool:
    """Return whether a measure uses a parameter, given its other parameters."""
    return (param != "target" or measure.target_word is not None) and all(
        measure.param(other) in values for other, values in _USED_WITH.get(param, {}).items()
               if other in measure.SUPPORTED_PARAMS)


def _tests(facts: Facts) -> list[Text]:
    if facts.baseline is None or facts.runs < 2:
        return []
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
    return [[*text, "."]]


def _software() -> Text:
    return [f"The values were computed with pt_fairness {__version__} (", Cite([SOFTWARE]),
            f") and ir_measures {ir_measures.__version__} (", Cite(["macavaney2022"]), ")."]
