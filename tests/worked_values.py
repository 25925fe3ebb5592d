"""A worked topic, and values on it that measures and their slow versions have to have.

The documents a1, b1, … are of the groups A and B. ``x`` is not judged and has no group.
"""

import math
from typing import Any

JUDGED = {"a1": 2, "b1": 0, "a2": 1, "b2": 1, "a3": 0, "b3": 2}
RANKING = ["a1", "b1", "x", "a2", "b2", "a3"]
SAMPLES = [RANKING, ["b3", "a1", "x", "b2"]]
GROUPS = {docno: docno[0].upper() for docno in JUDGED}
SOFT: dict[str, Any] = {**GROUPS, "a1": {"A": 0.7, "B": 0.3}}
LEVELS = {"a1": "low", "a3": "low", "b2": "low", "b1": "mid", "a2": "high", "b3": "high"}
ORDER = ("low", "mid", "high")
SIGNED = {"a1": 1, "a2": 0.5, "a3": 0, "b1": -1, "b2": -0.5}
NEUTRALITY = {"a1": 1, "b1": 0.2, "x": 0.6, "a2": 0, "b2": 0.8}

TRACK = {"base": math.e, "discount": "trec", "unannotated": "keep"}
TREC_UNIFORM = {"by": "group", "model": "trec", "target": "uniform", "cutoff": 5}
BOTH = {"attributes": {"first": "jsd", "second": "nmd"}}
B4 = {"protected": "B", "cutoff": 4}
B5 = {"protected": "B", "cutoff": 5}


def exposures(topic: str, params: dict[str, Any], *expected: float) -> list[tuple[Any, ...]]:
    return [
        (name, topic, params, x) for name, x in zip(("EEL", "EED", "EER"), expected, strict=True)]


#: Name of the measure, kind of topic, parameters and value.
#:
#: Kinds: ``one`` ranking; two ``samples``; ``ordinal`` groups, the levels; ``attributes``, the
#: groups as ``first`` and the levels as ``second``; ``soft`` groups; the ``product`` of both
#: attributes; ``signed`` values and ``neutrality`` of the documents.
WORKED: list[tuple[str, str, dict[str, Any], float]] = [
    ("AWRF", "one", {"cutoff": 4}, 0.994672),
    ("AWRF", "one", {"cutoff": 4, "discount": "trec"}, 0.999684),
    ("AWRF", "one", {"cutoff": 4, "discount": "geometric"}, 0.998812),
    ("AWRF", "one", {"cutoff": 4, "unannotated": "keep"}, 0.971584),
    ("AWRF", "one", {"cutoff": 4, **TRACK}, 0.994941),
    ("ExposureRatio", "one", {"cutoff": 4}, 0.707738),
    ("DistKL", "one", {"cutoff": 4, "discount": "trec", "unannotated": "keep"}, 0.010412),
    *exposures("one", {}, 0.610489, 1.082291, 0.628052),
    *exposures("samples", {}, 0.040348, 0.666569, 0.705261),
    *exposures("one", {"model": "rbp"}, 0.958008, 1.333008, 0.785156),
    *exposures("one", {"complete": True}, 0.609018, 1.082291, 0.628796),
    *exposures("one", {"by": "group"}, 0.579224, 1.129150, 0.715942),
    *exposures("samples", {"by": "group"}, 0.019836, 0.704651, 0.783386),
    *exposures("one", {"norm": "bound", "cutoff": 5}, 0.288458, 0.812500, 0.800778),
    *exposures("one", TREC_UNIFORM, 1.901692, 2.435482, 3.438155),
    ("GF", "one", {"cutoff": 5}, 0.625199), ("GF", "soft", {"cutoff": 5}, 0.836411),
    ("GF", "ordinal", {"cutoff": 5, "divergence": "nmd"}, 0.479687),
    ("GF", "ordinal", {"cutoff": 5, "divergence": "rnod", "order": "low,mid,high"}, 0.433302),
    ("GFR", "attributes", {"cutoff": 5, **BOTH}, 0.626629),
    ("GFR", "attributes", {"cutoff": 5, **BOTH, "relevance": "rbu"}, 0.650667),
    ("PEER", "one", {"cutoff": 5}, 0.164915),
    ("PEER", "one", {"cutoff": 5, "unretrieved": "count"}, 0.186609),
    ("PEER", "one", {"cutoff": 6, "weights": {0: 0.5, 1: 0.5}}, 0.317311),
    ("RADio", "one", {"cutoff": 3}, 0.114424),
    ("RADio", "one", {"cutoff": 3, "divergence": "kl"}, 0.054273),
    ("RADio", "one", {"cutoff": 3, "discount": "log2"}, 0.092586), ("logDP", "one", B4, -0.345682),
    ("logDP", "samples", B4, 0.184076), ("logDP", "one", {**B4, "target": "run"}, 0.059783),
    ("logEUR", "one", B4, -0.345681), ("logEUR", "samples", B4, 0.184076),
    ("logRUR", "one", B4, -1.758683), ("logRUR", "samples", B4, -0.249680),
    ("IAA", "one", {}, 0.450011), ("IAA", "samples", {}, 0.338739),
    ("IAA", "one", {"by": "group", "cutoff": 4}, 0.193962),
    ("IAA", "one", {"norm": "none"}, 2.669608), ("FAIR", "one", {**B5, "p": 0.6}, 1.0),
    ("PreF", "one", {**B5, "p": 0.6}, 0.446848),
    ("FAIR", "one", {**B5, "p": 0.8, "alpha": 0.2}, 0.0),
    ("FAIR", "one", {**B5, "p": 0.8, "alpha": 0.2, "value": "prefixes"}, 0.4),
    ("RaB", "signed", {"cutoff": 4}, 0.125), ("ARaB", "signed", {"cutoff": 4}, 0.28125),
    ("FaiRR", "neutrality", {"cutoff": 3}, 1.426186),
    ("NFaiRR", "neutrality", {"cutoff": 3}, 0.702233),
    ("RankingBias", "signed", {"cutoff": 4}, 0.28125), ("ARP", "one", {"cutoff": 4}, 0.5),
    ("ARP", "one", {"cutoff": 4, "pairs": "errors"}, 0.25),
    ("ARP", "soft", {"cutoff": 4}, 0.297297), ("AWRF", "product", {"cutoff": 4}, 0.793608),
    ("AWRF", "soft", {"cutoff": 4}, 0.999281)]
