"""The paragraph on the experiment for a paper, in text, in LaTeX and with BibTeX."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from string import Formatter
from typing import Any

import ir_measures

from pt_fairness.analysis import ALPHA
from pt_fairness.analysis.columns import NEAR_ZERO, direction_of
from pt_fairness.analysis.notes import level
from pt_fairness.core import __version__
from pt_fairness.core.messages import distinct_or, enumerated, plural
from pt_fairness.core.registry import name_of
from pt_fairness.measures.descriptions import (
    BIBLIOGRAPHY,
    Reference,
    ideal_in_words,
    target_and_protected,
)
from pt_fairness.measures.measure import FairnessMeasure
from pt_fairness.measures.params import NOT_PROVIDED
from pt_fairness.provider.measure_lists import parsed_or_none, reads_subtopics
from pt_fairness.rankings.protected import label_parts

#: The references of measures, of tests and of software.
REFERENCES = BIBLIOGRAPHY | {
    "buckley2004": Reference(
        "Chris Buckley and Ellen M. Voorhees",
        "Retrieval Evaluation with Incomplete Information",
        "SIGIR 2004", "https://doi.org/10.1145/1008992.1009000"),
    "chapelle2009": Reference(
        "Olivier Chapelle, Donald Metzler, Ya Zhang and Pierre Grinspan",
        "Expected Reciprocal Rank for Graded Relevance",
        "CIKM 2009", "https://doi.org/10.1145/1645953.1646033"),
    "holm1979": Reference(
        "Sture Holm",
        "A Simple Sequentially Rejective Multiple Test Procedure",
        "Scandinavian Journal of Statistics 6(2), 1979", "https://www.jstor.org/stable/4615733"),
    "jarvelin2002": Reference(
        "Kalervo Järvelin and Jaana Kekäläinen",
        "Cumulated Gain-Based Evaluation of IR Techniques",
        "ACM Transactions on Information Systems 20(4), 2002", "https://doi.org/10.1145/582415.582418"),
    "macavaney2022": Reference(
        "Sean MacAvaney, Craig Macdonald and Iadh Ounis",
        "Streamlining Evaluation with ir-measures",
        "ECIR 2022", "https://doi.org/10.1007/978-3-030-99739-7_38"),
    "moffat2008": Reference(
        "Alistair Moffat and Justin Zobel",
        "Rank-Biased Precision for Measurement of Retrieval Effectiveness",
        "ACM Transactions on Information Systems 27(1), 2008", "https://doi.org/10.1145/1416950.1416952"),
}
#: The papers of measures of ir_measures, by the name of the measure.
_OF_MEASURES = {
    "Bpref": ("buckley2004",), "ERR": ("chapelle2009",), "RBP": ("moffat2008",),
    "alpha_DCG": ("clarke2008",), "alpha_nDCG": ("clarke2008",), "nDCG": ("jarvelin2002",),
}
#: The citation key of this package.
SOFTWARE = "pt_fairness"
_SOFTWARE_ENTRY = f"""\
@software{{{SOFTWARE},
  author = {{{{The pt\\_fairness developers}}}},
  title = {{{{pt\\_fairness: fairness, viewpoint-diversity and bias measures for PyTerrier and
           ir\\_measures}}}},
  version = {{{__version__}}},
  year = {{2026}},
}}"""
_LATEX = str.maketrans({
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "_": r"\_", "%": r"\%", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "|": r"\textbar{}", "<": r"\textless{}", ">": r"\textgreater{}", "α": r"$\alpha$",
    "β": r"$\beta$", "κ": r"$\kappa$", "−": "$-$",
})


_PREFIXES = "how far, {step}, the share of {protected} is from its {target_share}, discounted by " \
    "log2 and {norm}"
_RATIOS = "how far, {step}, the ratio of {protected} to the other groups is from their ratio " \
    "{target_where}, discounted by log2 and {norm}"
_SHARES = "how far, {step}, the groups' shares are from {target_shares}, discounted by log2 and " \
    "{norm}"
_SUMS = {"max": "divided by its exact maximum", "bound": "divided by an upper bound",
         "none": "not normalised",
         "range": "scaled from the fairest (0) to the least fair (1) possible ranking",
         "protected-first": "divided by the value of the ranking with all protected documents "
                            "first"}
#: What each measure compares. A key with a parameter is for its value; ``{name}`` stands for the
#: words for the parameter.
SENTENCES = {
    "Annotated": "the share of the documents that have a group",
    "DistKL": "how far the groups' shares of the documents are from {target_shares}",
    "DistFair": "how close the groups' shares of the documents are to {target_shares}, relative "
                "to the least fair ranking",
    "AWRF": "how close the groups' shares of the exposure are to {target_shares}",
    "EEL": "how far the expected exposure of the documents is from that under ideal rankings",
    "EEL by=group": "how far the expected exposure of the groups' documents is from "
                    "{target_exposure}",
    "EED": "how unequal the expected exposure of the documents is, whatever their relevance",
    "EED by=group": "how unequal the expected exposure of the groups is",
    "EER": "how much of the expected exposure goes to the documents that have it under ideal "
           "rankings",
    "EER by=group": "how much of the expected exposure goes to the groups that have it by "
                    "{target_exposure}",
    "logDP": "how much more exposure {protected} has than the other groups, in logarithms, each "
             "side relative to its {target_share}",
    "logEUR": "how much more exposure {protected} has than the other groups, in logarithms, each "
              "side relative to its merit",
    "logRUR": "how much more exposure the relevant documents of {protected} have than those of "
              "the other groups, in logarithms, each side relative to its merit",
    "GF": "how close the groups' shares down to each rank are to {target_shares}, weighted by the "
          "probability that a user finds a relevant document there and stops",
    "GFR": "the mean of the relevance of a ranking and of how close the groups' shares down to "
           "each rank are to their targets, for {attributes}",
    "GFR attributes={}": "the relevance of a ranking for a user who stops at a relevant document",
    "IAA": "how far each document's share of the attention is from its share of the merit",
    "IAA by=group": "how far each group's share of the attention is from its share of the merit",
    "PEER": "the p-value of a Kruskal–Wallis test of whether the relevant documents of all groups "
            "have the same expected rank",
    "NDKL": "how far, at each rank, the groups' shares are from {target_shares}, averaged with "
            "log2 discounts",
    "RADio": "how far the groups' shares of the first documents are from {target_shares}, "
             "weighted by rank",
    "OfGroup": "{measure} where only the documents of the group {group} are relevant",
    "ARP": "how much more often one group than another is ranked above documents of the other "
           "groups",
    "rND": _PREFIXES, "rKL": _PREFIXES, "rRD": _RATIOS, "nDD": _PREFIXES, "nDR": _RATIOS,
    "nDKL": _PREFIXES,
    "rKL protected=all": _SHARES, "nDJS": _PREFIXES, "nDJS protected=all": _SHARES,
    "MRecall": "whether the first relevant documents are of all groups that the topic has, or of "
               "as many as the cutoff allows",
    "MRecall value=share": "the share of the topic's groups that have a relevant document at the "
                           "top",
    "RaB": "the mean of the values {values} over the documents",
    "ARaB": "the mean of the values {values} over the documents down to a rank, averaged over "
            "the ranks",
    "FaiRR": "the sum of the values {values} over the documents, discounted by log2",
    "NFaiRR": "the sum of the values {values} over the documents, discounted by log2, divided by "
              "the largest possible sum for {background}",
    "RankingBias": "the mean of the values {values} over the documents down to a rank, averaged "
                   "over the ranks, less their mean over {background}",
    "RepBias": "the share of the group {group} less its {target_share}, rounded to whole documents",
    "Skew": "the logarithm of the share of the group {group} divided by its {target_share}",
    "MinSkew": "the logarithm of a group's share divided by its {target_share}, for the group "
               "that is under-represented most",
    "MaxSkew": "the logarithm of a group's share divided by its {target_share}, for the group "
               "that is over-represented most",
    "BiasP": "the number of relevant documents of {pro} less that of {con}, divided by the number "
             "of documents",
    "BiasRBP": "rank-biased precision of the relevant documents of {pro} less that of {con}",
    "BiasDCG": "discounted cumulative gain of the relevant documents of {pro} less that of {con}",
    "BiasP con=None": "the precision of the relevant documents of {pro}",
    "BiasRBP con=None": "rank-biased precision of the relevant documents of {pro}",
    "BiasDCG con=None": "discounted cumulative gain of the relevant documents of {pro}",
    "FAIR": "whether a binomial test finds enough documents of {protected} down to every rank, "
            "where its {target_share} is fair",
    "FAIR value=prefixes": "the share of the ranks down to which a binomial test finds enough "
                           "documents of {protected}, where its {target_share} is fair",
    "PreF": "how probable it is, averaged over the ranks, that a fair ranking has so few documents "
            "of {protected} down to a rank, where its {target_share} is fair",
    "TrecFair": "relevance (nDCG) times how close the groups' shares of the exposure are to their "
                "targets, for {attributes}",
    "TrecFair value=ndcg": "relevance, discounted by log2",
    "TrecFair value=awrf": "how close the groups' shares of the exposure are to their targets, for "
                           "{attributes}",
}
_KL, _JS = "KL divergence", "Jensen–Shannon divergence"
#: How "far" and "close" are computed.
DISTANCES = {"rKL": _KL, "nDKL": _KL, "NDKL": _KL, "DistKL": _KL, "DistFair": _KL, "AWRF": _JS,
             "nDJS": _JS, "GF": _JS, "RADio": f"root of the {_JS}", "RADio divergence=kl": _KL,
             "GF divergence=nmd": "normalised match distance",
             "GF divergence=rnod": "root normalised order-aware divergence",
             "rND": "difference", "nDD": "difference", "rRD": "difference",
             "nDR": "difference", "EEL": "squared differences"}
_ONE_GROUP = "effectiveness for one group"
#: What a measure is of, where that is neither fairness nor bias.
ASPECTS = {"Annotated": "coverage", "MRecall": "viewpoint diversity", "EED": "disparity",
           "OfGroup": _ONE_GROUP, "BiasP con=None": _ONE_GROUP, "BiasRBP con=None": _ONE_GROUP,
           "BiasDCG con=None": _ONE_GROUP, "EER": "the exposure of relevant documents",
           "RADio": "divergence", "GFR": "fairness and relevance",
           "TrecFair": "fairness and relevance", "TrecFair value=ndcg": "relevance",
           "TrecFair value=awrf": "fairness"}
_LOG, _TREC = ("the weight of a rank is 1/log2(rank + 1)",
               "the weight of a rank is 1/log2(rank), 1 for the first two ranks")
#: Clauses on parameters that are not at their defaults.
CLAUSES = {
    "rel": "documents of relevance {} or more are relevant",
    "discount=log2": _LOG, "discount=trec": _TREC, "discount=none": "all ranks weigh the same",
    "discount=mmr": "the weight of a rank is 1/rank",
    "discount=geometric": "the weights of the ranks are geometric with the persistence {p}",
    "p": "the persistence is {}", "FAIR p": "", "PreF p": "",
    "model=rbp": "the exposure is that of rank-biased precision with the persistence {p}",
    "model=log2": _LOG,
    "model=trec": _TREC, "model=none": "all ranks weigh the same",
    "u": "a relevant document lowers the exposure below it by the share {}",
    "binary": "all relevant documents have one grade",
    "complete": "judged documents that are not relevant are the last grade of ideal rankings",
    "norm=bound": "the sum is divided by an upper bound",
    "norm=none": "the sum is not normalised",
    "abs": "the sign is left out",
    "smoothing": "{} documents are added to every group",
    "unannotated": "documents without a group keep their ranks and weigh nothing",
    "empty": "topics without results have the value of equal shares",
    "base": "the logarithms of the divergence have the base {}",
    "base=2.718281828459045": "the logarithms of the divergence are natural",
    "gains=binary": "all relevant documents have the same gain",
    "gains=linear": "the gain of a relevant document is its grade r",
    "gains=exp": "the gain of a relevant document is 2^r − 1 for the grade r",
    "max_rel": "the highest grade is {}", "order": "the groups have the order {}",
    "divergence": "", "targets": "", "phi": "",
    "relevance": "relevance is intentwise rank-biased utility with the persistence {phi}",
    "weights": "the grades have the weights {}",
    "unretrieved": "documents that were not retrieved have the rank after all observations",
    "RADio alpha": "the share {} of each distribution is mixed into the other",
    "FAIR alpha": "the level of the test is {}",
    "adjust": "the level of the test is that of each rank",
    "others": "documents of other groups are removed from the rankings",
    "pairs": "only pairs in the wrong order of relevance count",
    "missing": "documents without a value have the value {}",
    "whole": "a document of several groups counts wholly in each ({})",
    "unknown": "documents without any group weigh nothing",
    "ideal": "the ideal list has {} documents",
    "of_qrels": "the target has the share {} of the distribution in the relevant documents",
}
#: Where a share is that of the target.
_WHERE = {"qrels": "among the relevant documents", "run": "in the whole ranking",
          "collection": "among the relevant documents of all topics",
          "uniform": "if all groups were equally frequent"}
#: The exposure of a target that has words of its own.
_EXPOSURES = {"ideal": "that under ideal rankings", "uniform": "equal exposure"}
#: The values of other parameters with which a parameter has a clause of its own.
_USED_WITH: dict[str, dict[str, tuple[str, ...]]] = {
    "p": {"discount": (), "model": ("gerr",)}, "u": {"model": ("gerr",)}}
#: A citation in a text: the keys of its references between two characters of private use.
_CITATION = re.compile("\ue000(.*?)\ue001")


def cite(*keys: str) -> str:
    """Return a citation for a text, ``''`` without references."""
    return f"\ue000{','.join(keys)}\ue001" if keys else ""


@dataclass(frozen=True)
class Facts:
    """The facts that the paragraph states.

    :param measures: the measures, with the names of their columns
    :param sources: sentences on the group sources
    :param undefined: for each measure the sentence on its undefined topics after its name, or
        ``''``
    :param comparison: the facts on the comparison with the baseline, as in the ``attrs`` of the
        averages, empty without one
    :param intervals: the confidence level of the intervals
    :param labels: the labels of the groups
    """

    runs: int
    topics: int
    measures: Sequence[tuple[str, Any]]
    sources: Sequence[str]
    undefined: Sequence[str]
    comparison: Mapping[str, Any]
    intervals: float | None = None
    labels: Sequence[str] = ()


def paragraph(facts: Facts) -> str:
    """Return the paragraph, with citations."""
    names = short_names(facts.measures)
    measures = {name: measure for name, (_, measure) in zip(names, facts.measures, strict=True)}
    systems = plural(facts.runs, "system")
    sentences = [f"We evaluate {systems} on {plural(facts.topics, 'topic')}."]
    sentences += _measures(measures, facts.labels)
    sentences += _parameters(measures)
    sentences += facts.sources
    sentences += _undefined(names, facts.undefined)
    sentences += _tests(facts)
    software = f"pt_fairness {__version__} ({cite(SOFTWARE)})"
    provider = f"ir_measures {ir_measures.__version__} ({cite('macavaney2022')})"
    sentences.append(f"The values were computed with {software} and {provider}.")
    return " ".join(sentences)


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
    short = [name if parsed_or_none(name) is None else _short_name(measure)
             for name, measure in measures]
    return distinct_or(short, [name for name, _ in measures])


def _short_name(measure: Any) -> str:
    cutoff = measure.params.get("cutoff")
    return f"{measure.NAME}@{cutoff}" if cutoff else measure.NAME


def _measures(measures: Mapping[str, Any], labels: Sequence[str]) -> list[str]:
    """Return what is measured; measures of which the same is said share a sentence."""
    by_description = defaultdict(list)
    for name, measure in measures.items():
        description = _description(measure, labels)
        by_description[description].append(_with_citations(name, measure))
    sentences = []
    said = set()
    for (aspect, end, text), cited in by_description.items():
        measure = "also measure" if aspect in said else "measure"
        said.add(aspect)
        sentences.append(f"We {measure} {aspect} by {enumerated(cited)}{end}.")
        if text:
            subject = "Each" if len(cited) > 1 else "It"
            sentences.append(f"{subject} {text}.")
    return sentences


def _with_citations(name: str, measure: Any) -> str:
    """Return the name of a measure with its references, its distance and what a label stands for.
    """
    label = "" if name.startswith(measure.NAME) else _short_name(measure)
    distance = key_of(DISTANCES, measure)
    references = references_of(measure)
    remarks = [label, DISTANCES.get(distance), cite(*references)]
    text = "; ".join(filter(None, remarks))
    return f"{name} ({text})" if text else name


def _description(measure: Any, labels: Sequence[str]) -> tuple[str, str, str]:
    """Return what a measure is of, the meaning of its better end, and what it computes."""
    aspect = aspect_of(measure)
    if not isinstance(measure, FairnessMeasure):
        return aspect, "", ""
    text, end = sentence(measure, labels), ideal_in_words(measure)
    if aspect == "bias":
        end = "0 is unbiased"
    elif aspect in ("disparity", "divergence"):
        end = f"0 is no {aspect}"
    elif end == "0 is fair" and text.endswith((_SUMS["max"], _SUMS["range"])):
        end = "0 is fair and 1 is the least fair"
    return aspect, f", where {end}", text


def aspect_of(measure: Any) -> str:
    """Return the aspect that a measure measures: ``'fairness'``, ``'bias'``, ``'relevance'``, …"""
    if not isinstance(measure, FairnessMeasure):
        return "novelty and diversity" if reads_subtopics(measure) else "relevance"
    if direction_of(str(measure)) == NEAR_ZERO:
        return "bias"
    return ASPECTS.get(key_of(ASPECTS, measure), "fairness")


def key_of(table: dict[str, Any], measure: Any) -> str:
    """Return the key of a measure in a table; one with the value of a parameter wins."""
    for param in measure.SUPPORTED_PARAMS:
        key = f"{measure.NAME} {param}={measure[param]}"
        if key in table:
            return key
    return measure.NAME if measure.NAME in table else ""


def sentence(measure: FairnessMeasure, labels: Sequence[str] = ()) -> str:
    """Return what a measure computes, the sentence without its subject and its full stop.

    :param labels: the labels of its groups

    Examples
    --------
    >>> from pt_fairness import Annotated, MRecall
    >>> from pt_fairness.reporting.paragraph import sentence
    >>> sentence(Annotated @ 5)
    'is the share of the documents that have a group'
    >>> sentence(MRecall @ 5)[:49]
    'measures whether the first relevant documents are'
    """
    key = key_of(SENTENCES, measure)
    if not key:
        text = f"is described as “{measure.SHORT_DESC.rstrip('.')}”"
        parameters = target_and_protected(measure)
        return f"{text} ({parameters})" if parameters else text
    words = _words(measure, labels)
    text = SENTENCES[key].format_map(words)
    verb = "measures" if text.startswith(("how ", "whether ")) else "is"
    return f"{verb} {text}"


def _words(measure: FairnessMeasure, labels: Sequence[str]) -> dict[str, str]:
    """Return the words for the parameters of a measure."""
    param = measure.param
    target = measure.target_word
    where = _where(target)
    words = {name: str(param(name)) for name in ("pro", "con", "group")}
    words["values"] = _value(param("values"))
    words["measure"] = _value(param("measure"))
    words["protected"] = _protected(measure, labels)
    words["target_where"] = where
    share = _value(param("p")) if target is None else where
    words["target_share"] = f"share {share}"
    words["target_shares"] = _shares(target)
    words["target_exposure"] = _EXPOSURES.get(str(target), where.removeprefix("in "))
    step = param("step")
    words["step"] = "at each rank"
    if step not in (None, 1):
        words["step"] = f"at ranks {step}, {2 * step}, …"
    norm = str(param("norm"))
    if norm == "max" and measure.of_run and param("protected") == "all":
        norm = "bound"
    words["norm"] = _SUMS.get(norm, "")
    background = str(name_of(param("background")))
    place = _WHERE.get(background, f"the run {background}")
    words["background"] = place.removeprefix("among ").removeprefix("in ")
    attributes = _attributes(measure)
    words["attributes"] = enumerated(attributes)
    return words


def _protected(measure: FairnessMeasure, labels: Sequence[str]) -> str:
    """Return the protected group or groups of a measure."""
    protected = str(measure.param("protected"))
    if protected == "minority":
        return (f"the group with the fewest {measure.POPULATION} documents of the topic, of those "
                "that have any,")
    if protected == "majority":
        return f"the group with the most {measure.POPULATION} documents of the topic"
    groups = label_parts(protected, labels)
    return f"the {'group' if len(groups) == 1 else 'groups'} {enumerated(groups)}"


def _attributes(measure: FairnessMeasure) -> list[str]:
    """Return the group sources of a composed measure with their targets."""
    texts = []
    for part in measure.parts:
        if part.needs_groups and part is not measure:
            texts.append(f"{_value(part.param('groups'))} ({_shares(part.target_word)})")
    for name, target in (measure.joint or {}).items():
        texts.append(f"{_value(name)} (the target {_value(target)})")
    return texts


def _where(target: Any) -> str:
    """Return where a share is that of a target."""
    return _WHERE.get(str(target), f"in the target {_value(target)}")


def _shares(target: Any) -> str:
    """Return the shares of all groups in a target."""
    if target == "uniform":
        return "equal shares"
    where = _where(target)
    return f"their shares {where}" if str(target) in _WHERE else where.removeprefix("in ")


def _value(value: Any) -> str:
    """Return the value of a parameter as text; numbers by label are in brackets."""
    if isinstance(value, dict):
        pairs = [f"{_value(label)} {_value(number)}" for label, number in value.items()]
        return f"({', '.join(pairs)})"
    value = ",".join(map(name_of, value)) if isinstance(value, tuple) else name_of(value)
    text = f"{value:g}".replace("-", "−") if isinstance(value, float) else str(value)
    return os.path.basename(text).replace(",", ", ")


def _parameters(measures: Mapping[str, Any]) -> list[str]:
    """Return the parameters that are not at their defaults, and which measures condense lists."""
    users = defaultdict(list)
    for name, measure in measures.items():
        for clause in clauses(measure):
            users[clause].append(name)
    texts = defaultdict(list)
    for clause, names in users.items():
        texts[enumerated(names)].append(clause)
    sentences = [f"In {names}, {'; '.join(same)}." for names, same in texts.items()]
    condensed = [name for name, measure in measures.items()
                 if getattr(measure, "condensed", False)]
    if condensed:
        sentences.append(f"For {enumerated(condensed)}, documents without a group are left out "
                         "before the rankings are cut.")
    return sentences


def clauses(measure: Any) -> list[str]:
    """Return clauses on the parameters that are not at their defaults and not in the sentence."""
    key = key_of(SENTENCES, measure)
    template = SENTENCES.get(key, "{target}{protected}")
    places = [place for _, place, *_ in Formatter().parse(template) if place]
    said = {place.partition("_")[0] for place in places}
    said |= {"cutoff", "groups", key.partition(" ")[2].partition("=")[0]}
    texts = []
    for param, value in measure.params.items():
        default = measure.SUPPORTED_PARAMS[param].default
        if param in said or value in (NOT_PROVIDED, default) or not _has_effect(measure, param):
            continue
        keys = [f"{param}={value}", f"{measure.NAME} {param}", param]
        text = next((CLAUSES[key] for key in keys if key in CLAUSES), f"{param} is {{}}")
        persistences = {name: _value(measure[name]) for name in ("p", "phi")
                        if f"{{{name}}}" in text}
        texts.append(text.format(_value(value), **persistences))
    return list(filter(None, texts))


def _has_effect(measure: Any, param: str) -> bool:
    """Return whether a parameter has an effect that no clause on another one names."""
    conditions = _USED_WITH.get(param, {})
    return all(measure[name] in values for name, values in conditions.items()
               if name in measure.SUPPORTED_PARAMS)


def _undefined(names: Sequence[str], texts: Sequence[str]) -> list[str]:
    """Return sentences on undefined topics; measures with the same topics share one."""
    sentences = []
    for text in filter(None, dict.fromkeys(texts)):
        same = [name for name, of_measure in zip(names, texts, strict=True) if of_measure == text]
        verb = "are" if len(same) > 1 else "is"
        sentences.append(f"{enumerated(same)} {verb} undefined for {text}")
    return sentences


def _tests(facts: Facts) -> list[str]:
    sentences = []
    if facts.intervals is not None:
        sentences.append(f"Intervals of the means are {100 * facts.intervals:g} % BCa bootstrap "
                         "intervals over the topics.")
    systems = facts.runs - 1
    if not facts.comparison or not systems:
        return sentences
    baseline, test = facts.comparison["baseline"], facts.comparison["test"]
    method = facts.comparison["correction"]
    correction = ""
    if method is None:
        correction = "; the p-values are not corrected"
    elif systems > 1:
        name = f"the method {method}"
        if method == "holm":
            name = f"Holm's method ({cite('holm1979')})"
        correction = (f"; the p-values are corrected by {name} for the {systems} comparisons by "
                      "each measure")
    sentences.append(f"We test differences from {baseline} by {test}s over the topics at a "
                     f"significance level of {level(ALPHA)}{correction}.")
    return sentences


def references_of(measure: Any) -> Sequence[str]:
    """Return the references of a measure; there are none for measures such as P@10."""
    if isinstance(measure, FairnessMeasure):
        return measure.SOURCE
    return _OF_MEASURES.get(measure.NAME, ())


def as_text(text: str) -> str:
    """Return a text with citations by author and year."""
    pieces = _CITATION.split(text)
    for i, keys in enumerate(pieces[1::2]):
        authors = ["the pt_fairness developers" if key == SOFTWARE else REFERENCES[key].short
                   for key in keys.split(",")]
        pieces[2 * i + 1] = "; ".join(authors)
    return "".join(pieces)


def as_latex(text: str) -> str:
    """Return a text in LaTeX, with ``\\cite``.

    Examples
    --------
    >>> from pt_fairness.reporting.paragraph import as_latex, cite
    >>> print(as_latex(f"rKL@10 ({cite('yang2017')}) of 90% & more"))
    rKL@10 (\\cite{yang2017}) of 90\\% \\& more
    """
    pieces = _CITATION.split(text)
    pieces[::2] = [piece.translate(_LATEX) for piece in pieces[::2]]
    pieces[1::2] = [f"\\cite{{{keys}}}" for keys in pieces[1::2]]
    return "".join(pieces)


def bibtex(text: str) -> str:
    """Return the BibTeX entries of all that a text cites, sorted by key."""
    citations = _CITATION.findall(text)
    keys = {*",".join(citations).split(",")}
    entries = [_SOFTWARE_ENTRY if key == SOFTWARE else REFERENCES[key].bibtex(key)
               for key in sorted(keys)]
    return "\n\n".join(entries) + "\n"
