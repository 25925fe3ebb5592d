"""What a measure compares, as part of an English sentence."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from string import Formatter
from typing import Any

from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.choices import choices
from pt_fairness.measures.params import NOT_PROVIDED
from pt_fairness.rankings.protected import label_parts

_PREFIXES = "{step}, how far the share of {protected} is from its {target_share}, discounted by " \
    "log2, {norm}"
_RATIOS = "{step}, how far the ratio of {protected} to the other groups is from their ratio " \
    "{target_where}, discounted by log2, {norm}"
_SUMS = {"max": "divided by its exact maximum", "none": "not normalised",
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
    "NDKL": "at each rank, how far the groups' shares are from {target_shares}, averaged with "
            "log2 discounts",
    "RADio": "how far the groups' shares of the first documents are from {target_shares}, "
             "weighted by rank",
    "OfGroup": "{measure} where only the documents of {group} are relevant",
    "ARP": "how much more often one group than another is ranked above documents of the other "
           "groups",
    "rND": _PREFIXES, "rKL": _PREFIXES, "rRD": _RATIOS, "nDD": _PREFIXES, "nDR": _RATIOS,
    "nDKL": _PREFIXES,
    "rKL protected=all": "{step}, how far the groups' shares are from {target_shares}, discounted "
                         "by log2, {norm}",
    "nDJS": "at each rank, how far the share of {protected} is from its {target_share}, discounted "
            "by log2, {norm}",
    "nDJS protected=all": "at each rank, how far the groups' shares are from {target_shares}, "
                          "discounted by log2, {norm}",
    "MRecall": "whether the first relevant documents are of all groups that the topic has, or of "
               "as many as the cutoff allows",
    "MRecall value=share": "the share of the topic's groups that have a relevant document at the "
                           "top",
    "RaB": "the mean of {values} over the documents",
    "ARaB": "the mean of {values} over the documents down to a rank, averaged over the ranks",
    "FaiRR": "the sum of {values} over the documents, discounted by log2",
    "NFaiRR": "the sum of {values} over the documents, discounted by log2, divided by the largest "
              "possible sum for {background}",
    "RankingBias": "the mean of {values} over the documents down to a rank, averaged over the "
                   "ranks, less their mean over {background}",
    "RepBias": "the share of {group} less its {target_share}, rounded to whole documents",
    "Skew": "the logarithm of the share of {group} divided by its {target_share}",
    "MinSkew": "the logarithm of a group's share divided by its {target_share}, for the group "
               "that is under-represented most",
    "MaxSkew": "the logarithm of a group's share divided by its {target_share}, for the group "
               "that is over-represented most",
    "BiasP": "the number of relevant documents of {pro} less that of {con}, divided by the number "
             "of documents",
    "BiasRBP": "rank-biased precision of the relevant documents of {pro} less that of {con}",
    "BiasDCG": "discounted cumulative gain of the relevant documents of {pro} less that of {con}",
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
#: What a measure is about, and the meaning of its fair end, where that is no (un)fairness.
ABOUT = {"Annotated": ("Coverage", "best"), "MRecall": ("Viewpoint diversity", "best"),
         "OfGroup": ("Effectiveness for one group", "best"), "EED": ("Disparity", "none"),
         "EER": ("Exposure of relevant documents", "best"), "RADio": ("Divergence", "none"),
         "GFR": ("Fairness and relevance", "best"), "TrecFair": ("Fairness and relevance", "best"),
         "TrecFair value=ndcg": ("Relevance", "best")}
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
#: The values of other parameters with which a parameter has a clause of its own.
_USED_WITH: dict[str, dict[str, tuple[str, ...]]] = {
    "p": {"discount": (), "model": ("gerr",)}, "u": {"model": ("gerr",)}}


def found(table: dict[str, Any], measure: Any) -> tuple[str, Any]:
    """Return the key and the entry of a measure; the entries for a value of a parameter win."""
    keys = [*(f"{measure.NAME} {name}={measure[name]}" for name in measure.SUPPORTED_PARAMS),
            measure.NAME]
    return next(((key, table[key]) for key in keys if key in table), ("", None))


def listed(words: Iterable[str]) -> str:
    """Return words as a list in a sentence.

    Examples
    --------
    >>> from pt_fairness.reporting.sentences import listed
    >>> listed(["rND@10", "rKL@10", "AWRF@10"])
    'rND@10, rKL@10 and AWRF@10'
    """
    *first, last = [*words] or [""]
    return f"{', '.join(first)} and {last}" if first else last


def sentence(measure: FairnessMeasure, labels: Sequence[str] = ()) -> str:
    """Return what a measure compares, without a capital letter and a full stop.

    :param labels: the labels of its groups

    Examples
    --------
    >>> from pt_fairness import AWRF
    >>> from pt_fairness.reporting.sentences import sentence
    >>> sentence(AWRF(target="qrels") @ 5)
    "how close the groups' shares of the exposure are to their shares among the relevant documents"
    """
    template = found(SENTENCES, measure)[1]
    if template is None:
        text, told = measure.SHORT_DESC.rstrip("."), choices(measure)
        return f"{text[:1].lower()}{text[1:]}{f' ({told})' if told else ''}"
    return str(template).format_map(_words(measure, labels))


def clauses(measure: Any) -> list[str]:
    """Return clauses on the parameters that are not at their defaults and not in the sentence."""
    key, template = found(SENTENCES, measure)
    named = [name or "" for _, name, *_ in Formatter().parse(template or "{target}{protected}")]
    said = {"cutoff", "groups", key.partition(" ")[2].partition("=")[0],
            *(name.partition("_")[0] for name in named)}
    texts = []
    for name, value in measure.params.items():
        used = all(measure[other] in values for other, values in _USED_WITH.get(name, {}).items()
                   if other in measure.SUPPORTED_PARAMS)
        if used and name not in said and value not in (NOT_PROVIDED,
                                                       measure.SUPPORTED_PARAMS[name].default):
            keys = [f"{name}={value}", f"{measure.NAME} {name}", name]
            text = next((CLAUSES[key] for key in keys if key in CLAUSES), f"{name} is {{}}")
            others = {one: _shown(measure[one]) for one in ("p", "phi") if f"{{{one}}}" in text}
            texts.append(text.format(_shown(value), **others))
    return list(filter(None, texts))


def _words(measure: FairnessMeasure, labels: Sequence[str]) -> dict[str, str]:
    """Return the words for the parameters of a measure."""
    target, params, step = measure.target_word, measure.params, measure.param("step")
    protected, background, norm = (str(measure.param(one)) for one in
                                   ("protected", "background", "norm"))
    where, groups = _where(target), label_parts(protected, labels)
    end = {"minority": "fewest", "majority": "most"}.get(protected)
    bounded = norm == "bound" or (norm == "max" and protected == "all" and measure.of_run)
    return {
        "target_where": where, "target_shares": _shares(target),
        "target_share": f"share {where if target is not None else _shown(params.get('p'))}",
        "target_exposure": "that under ideal rankings" if target == "ideal" else
        "equal exposure" if target == "uniform" else where.removeprefix("in "),
        "protected": f"the group{'s' * (len(groups) > 1)} {listed(groups)}" if end is None else
        f"the group with the {end} {measure.POPULATION} documents of the topic",
        "step": "at each rank" if step in (None, 1) else f"at ranks {step}, {2 * step}, …",
        "norm": "divided by an upper bound" if bounded else _SUMS.get(norm, ""),
        "group": f"the group {params.get('group')}", "measure": _shown(params.get("measure")),
        "pro": str(measure.param("pro")), "con": str(measure.param("con")),
        "values": f"the values {_shown(params.get('values'))}",
        "background": _WHERE.get(background, f"the run {background}").removeprefix(
            "among ").removeprefix("in "),
        "attributes": listed([
            *(f"{_shown(part.param('groups'))} ({_shares(part.target_word)})"
              for part in measure.parts if part.needs_groups and part is not measure),
            *(f"{_shown(name)} (the target {_shown(one)})"
              for name, one in (measure.joint or {}).items())])}


def _where(target: Any) -> str:
    """Return where a share is that of a target."""
    return _WHERE.get(str(target), f"in the target {_shown(target)}")


def _shares(target: Any) -> str:
    """Return the shares of all groups in a target."""
    known = "equal shares" if target == "uniform" else f"their shares {_where(target)}"
    return known if str(target) in _WHERE else _where(target).removeprefix("in ")


def _shown(value: Any) -> str:
    """Return the value of a parameter as text; numbers by label are in brackets."""
    if isinstance(value, dict):
        return f"({', '.join(f'{_shown(key)} {_shown(one)}' for key, one in value.items())})"
    text = f"{value:g}".replace("-", "−") if isinstance(value, float) else str(value)
    return os.path.basename(text).replace(",", ", ")
