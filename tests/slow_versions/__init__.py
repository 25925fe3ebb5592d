"""Slow versions of the measures: plain loops, one short function per formula.

§ names a part: 1 conventions, 2 parity, 3 viewpoint diversity, 4 distributional fairness, 5 stance
bias, 6 representation bias, 9 attention, 10 expected exposure, 11 group fairness and
relevance, 12 PEER, 13 RADio, 14 exposure ratios, 15 attention and merit, 16 FA*IR's test,
17 and 18 numeric values, 19 pairs, 20 product labels and soft membership.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from slow_versions import (
    attention,
    counts,
    exposure,
    group_fairness,
    merit,
    served,
    soft,
    statistics,
    trec_fair,
    values,
)
from slow_versions.common import Topic, compares_groups, mean_over_samples
from slow_versions.reading import Lookup, read_topics

#: Undefined where there is one group alone, and a mean over the samples of a topic.
COMPARED = {
    "AWRF": attention.awrf, "ExposureRatio": merit.exposure_ratio, "DistKL": attention.dist_kl,
    "DistFair": attention.dist_fair, "PEER": statistics.peer, "RADio": attention.radio,
    "FAIR": statistics.fair, "PreF": statistics.pref, "ARP": statistics.arp, "rND": soft.rnd,
    "rKL": soft.rkl, "rRD": soft.rrd, "nDD": soft.ndd, "nDR": soft.ndr, "nDKL": soft.ndkl_draws,
    "nDJS": soft.ndjs, "RepBias": counts.rep_bias, "NDKL": counts.ndkl, "Skew": counts.skew,
    "MinSkew": counts.min_skew, "MaxSkew": counts.max_skew, "MRecall": served.mrecall}
#: A mean over the samples of a topic.
SAMPLED = {
    "GF": group_fairness.gf, "GFR": group_fairness.gfr, "RaB": values.rab, "ARaB": values.arab,
    "FaiRR": values.fairr, "NFaiRR": values.nfairr, "RankingBias": values.ranking_bias,
    "Annotated": counts.annotated, "BiasP": counts.bias_p, "BiasRBP": counts.bias_rbp,
    "BiasDCG": counts.bias_dcg, "OfGroup": served.of_group, "TrecFair": trec_fair.trec_fair}
#: Of the mean exposures over the samples; log ratios are undefined where there is one group alone.
EXPOSED = {"EEL": exposure.eel, "EED": exposure.eed, "EER": exposure.eer, "IAA": merit.iaa}
RATIOS = {"logDP": merit.log_dp, "logEUR": merit.log_eur, "logRUR": merit.log_rur}

MEASURES: dict[str, Callable[..., float | None]] = {
    **{name: compares_groups(mean_over_samples(measure)) for name, measure in COMPARED.items()},
    **{name: mean_over_samples(measure) for name, measure in SAMPLED.items()},
    **{name: compares_groups(measure) for name, measure in RATIOS.items()}, **EXPOSED}


def value(name: str, topic: Topic, **params: Any) -> float:
    """The value of a measure for a topic, 0.0 if it is undefined."""
    found = MEASURES[name](topic, **params)
    return 0.0 if found is None else float(found)


def read(qrels: Iterable[tuple[str, str, int, Any]], run: Iterable[Sequence[Any]],
         groups: Lookup | None = None, labels: Iterable[Any] = (), *,
         order: Sequence[str] | None = None, details: Callable[[str, Topic], Topic] = lambda qid,
         topic: topic) -> dict[str, Topic]:
    """Every topic of the qrels.

    See `reading.read_topics` for the rows. `details` adds to a topic what these do not hold:
    values, backgrounds, registered targets, attributes.
    """
    topics = {
        qid: details(qid, topic)
        for qid, topic in read_topics(qrels, run, groups, labels, order).items()}
    collection = list(topics.values())
    return {qid: replace(topic, collection=collection) for qid, topic in topics.items()}


def evaluate(name: str, params: Mapping[str, Any], *rows: Any, **known: Any) -> dict[str, float]:
    """The value of a measure for every topic of the qrels; rows and options are those of `read`."""
    return {qid: value(name, topic, **params) for qid, topic in read(*rows, **known).items()}
