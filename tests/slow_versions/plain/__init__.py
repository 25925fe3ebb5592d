"""Slow versions of measures for documents without weights and one ranking of each topic.

Plain loops, one short function per formula. Documents are represented by the frozenset of their
groups. A *protected* document is True, an unprotected one False. The versions for weights and
samples in `slow_versions` have to equal these where there are none.

§ names a part: 1 conventions, 2 parity, 3 viewpoint diversity, 4 distributional fairness, 5 stance
bias, 6 representation bias.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from slow_versions.plain import distribution, parity, representation, stance, viewpoint
from slow_versions.plain.topics import Topic, read_topics

MEASURES: dict[str, Callable[[Topic, Mapping[str, Any]], float]] = {
    "rND": parity.rnd,
    "rKL": parity.rkl,
    "rRD": parity.rrd,
    "nDD": viewpoint.ndd,
    "nDR": viewpoint.ndr,
    "nDKL": viewpoint.ndkl_draws,
    "nDJS": viewpoint.ndjs,
    "Annotated": stance.annotated,
    "DistKL": distribution.dist_kl,
    "DistFair": distribution.dist_fair,
    "AWRF": distribution.awrf,
    "BiasP": stance.bias_p,
    "BiasRBP": stance.bias_rbp,
    "BiasDCG": stance.bias_dcg,
    "RepBias": representation.rep_bias,
    "NDKL": distribution.ndkl,
    "Skew": representation.skew,
    "MinSkew": representation.min_skew,
    "MaxSkew": representation.max_skew,
}


def evaluate(
    name: str,
    params: Mapping[str, Any],
    qrels: Iterable[tuple[str, str, int, Any]],
    run: Iterable[tuple[str, str, float]],
    groups: Callable[[str, str], Iterable[Any]] | None = None,
    labels: Iterable[Any] = (),
) -> dict[str, float]:
    """The value of measure `name` for every topic of the qrels."""
    qrels = list(qrels)
    topics = read_topics(qrels, list(run), groups, labels, params)
    return {qid: float(MEASURES[name](topic, params)) for qid, topic in topics.items()}
