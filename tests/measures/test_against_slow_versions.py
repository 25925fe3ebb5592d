"""Every measure against its slow version, with drawn parameters, over random and real runs.

TrecFair, GFR and the measures of document values need inputs of their own: their comparisons stand
with their other tests.
"""

import math
import random
import warnings
from typing import Any

import ir_measures
import pytest
import slow_versions
from case_marks import quick_cases
from measure_cases import TARGETS

from pt_fairness import FairnessWarning
from pt_fairness.measures import MEASURES
from pt_fairness.provider.evaluator import FairnessEvaluator

#: How often the parameters of a measure are drawn for a case.
DRAWS = 16


def axis(name: str, *choices: Any) -> list[dict[str, Any]]:
    """The values of a parameter, and that it is left out."""
    return [{}, *({name: choice} for choice in choices)]


CUTOFF = axis("cutoff", 1, 3, 4, 10, 500)
REL = [{}, *axis("rel", 2, 0, -1)]
TARGET = [{"target": target} for target in TARGETS]
PROTECTED = axis("protected", "majority", "g0", "g1,g0", "g0 , g1")
GROUP = [{"group": "g0"}, {"group": "g1"}]
UNANNOTATED = axis("unannotated", "keep")
GAINS = axis("gains", "binary", "exp", "linear")
DISCOUNT = [*axis("discount", "log2", "trec", "none", "geometric"),
            {"discount": "geometric", "p": 0.5}]
PARITY = [PROTECTED, TARGET, axis("cutoff", 1, 3, 4, 10, 40), REL, axis("step", 2, 3, 5, 10),
          axis("norm", "none")]
DIVERSITY = [PROTECTED, CUTOFF, axis("norm", "protected-first", "none")]
SHARES = [TARGET, CUTOFF, REL, axis("smoothing", 0, 0.5, 3.0), DISCOUNT[:-1], UNANNOTATED,
          axis("empty", "smooth")]
SKEW = [TARGET, CUTOFF, REL]
VIEWS = [{"pro": "g0", "con": "g1"}, {"pro": "g1", "con": "g0"}, {"pro": "g0", "con": None}]
BIAS = [VIEWS, CUTOFF, REL, axis("abs", True)]
EXPOSURE = [
    [{}, {"p": 0.8, "u": 0.2}, {"u": 0.0}, {"u": 1.0, "p": 0.3}, {"model": "rbp"},
     {"model": "rbp", "p": 0.9}, {"model": "log2"}, {"model": "trec"}, {"model": "none"}],
    [{"by": "document"}, {"by": "group"}, {"by": "group", "target": "uniform"},
     {"by": "group", "target": {"g0": 0.25, "added": 0.75}}],
    CUTOFF, [*REL, {"rel": 3}], axis("binary", True), axis("complete", True), axis("norm", "bound")]
RATIO = [axis("protected", "majority", "g0", "g1,g0"), UNANNOTATED, DISCOUNT, CUTOFF,
         [{}, {"rel": 2}, {"rel": 0, "abs": True}]]
INNER = [{"measure": "nDCG", "cutoff": 3}, {"measure": "nDCG"}, {"measure": "P", "cutoff": 2},
         {"measure": "P(rel=2)", "cutoff": 5}, {"measure": "R", "cutoff": 3}, {"measure": "AP"},
         {"measure": "AP(rel=2)", "cutoff": 4}, {"measure": "RR"}, {"measure": "Bpref"}]
ORDER = {"order": "g7,g0,g3,g1,added,g2,g4,g5,g6"}
WEIGHTS = axis("weights", {0: 0.5, 1: 0.25, 2: 0.25}, {1: 1.0}, {0: 1.0, 1: 0.0}, {0: 0.9, 7: 0.1})

#: For each measure, of each list one entry is drawn.
PARAMS: dict[str, list[list[dict[str, Any]]]] = {
    "rND": PARITY, "rRD": PARITY, "rKL": [PROTECTED + 2 * [{"protected": "all"}], *PARITY[1:]],
    "nDD": DIVERSITY, "nDR": DIVERSITY, "nDKL": DIVERSITY,
    "nDJS": [[*PROTECTED, {"protected": "all"}], CUTOFF, axis("norm", "none")],
    "DistKL": SHARES, "DistFair": SHARES, "NDKL": SKEW,
    "AWRF": [TARGET, CUTOFF, REL, DISCOUNT, UNANNOTATED, axis("base", math.e, 10)],
    "ExposureRatio": [TARGET, CUTOFF, REL, DISCOUNT, UNANNOTATED],
    "RADio": [TARGET, CUTOFF, REL, DISCOUNT, UNANNOTATED, axis("divergence", "kl"),
              axis("alpha", 0.0, 0.1)],
    "RepBias": [GROUP, *SKEW, axis("abs", True)], "Skew": [GROUP, *SKEW], "MinSkew": SKEW,
    "MaxSkew": SKEW, "BiasP": BIAS, "BiasDCG": BIAS, "BiasRBP": [*BIAS, axis("p", 0.1, 0.5, 0.999)],
    "EEL": EXPOSURE, "EED": EXPOSURE, "EER": EXPOSURE, "logDP": [*RATIO, TARGET],
    "logEUR": [*RATIO, GAINS], "logRUR": [*RATIO, GAINS],
    "IAA": [axis("by", "group"), axis("norm", "none"), REL, GAINS, CUTOFF, DISCOUNT],
    "Annotated": [CUTOFF], "MRecall": [CUTOFF, axis("rel", 2), axis("value", "share")],
    "OfGroup": [INNER, GROUP, axis("others", "dropped")],
    "ARP": [CUTOFF, REL, axis("pairs", "errors")],
    "PEER": [CUTOFF, REL, axis("unretrieved", "count"), WEIGHTS],
    "GF": [TARGET, CUTOFF, REL, GAINS, axis("max_rel", 1, 5),
           [{}, {"divergence": "nmd", **ORDER}, {"divergence": "rnod", **ORDER}]],
    "FAIR": [PROTECTED, TARGET, CUTOFF, REL, axis("p", 0.6, 1.0, 0.0), axis("alpha", 0.3),
             axis("adjust", False), axis("value", "prefixes")],
    "PreF": [PROTECTED, TARGET, CUTOFF, REL, axis("p", 0.6, 1)]}

NO_WEIGHTS = {"rRD", "nDR", "PEER", "FAIR", "PreF", "OfGroup"}


def is_possible(name: str, params: dict[str, Any], kind: bool | str) -> bool:
    """Whether a measure takes these parameters together, with groups of this kind."""
    given = {"target": "qrels", "norm": "max", **params}
    model, endless = given.get("model"), "cutoff" not in given
    if model in ("log2", "trec", "none") and endless and (
            model == "none" or given["norm"] == "bound" or "target" in params):
        return False
    if given.get("divergence") == "kl" and given.get("alpha") == 0.0:
        return False
    if name == "rKL" and given.get("protected") == "all" and given["target"] == "run":
        return False  # the slow version tries every order
    if kind not in ("weights", "some weights") or given["norm"] == "none":
        return True
    of_run = name in ("nDD", "nDKL") or (name in ("rND", "rKL") and given["target"] == "run")
    return not of_run


def drawn(pick: random.Random, kind: bool | str) -> list[tuple[str, dict[str, Any]]]:
    """Measures and parameters, as many of each measure."""
    wanted = []
    for name, axes in PARAMS.items():
        if name in NO_WEIGHTS and kind in ("weights", "some weights"):
            continue
        before = len(wanted)
        while len(wanted) < before + DRAWS:
            params: dict[str, Any] = {}
            for choices in axes:
                params |= pick.choice(choices)
            if is_possible(name, params, kind):
                wanted.append((name, params))
    return wanted


@pytest.mark.parametrize("kind, several, samples", [
    (False, False, 1), (False, True, 3), (True, True, 1), ("open", False, 1), ("weights", True, 3),
    ("some weights", True, 1)], ids=str)
@pytest.mark.parametrize("seed", quick_cases(range(5), first=1))
def test_drawn_parameters(make_case, agrees, monkeypatch, seed, kind, several, samples):
    pick = random.Random(f"{seed} {kind} {several}")
    if several:  # a topic, or two, are a block
        monkeypatch.setattr("pt_fairness.rankings.rankings.BLOCK_CELLS", pick.choice([1, 80]))
    agrees(make_case(seed, several=several, labels=4), drawn(pick, kind), kind, samples)


@pytest.mark.parametrize("seed", quick_cases(range(5), first=1))
def test_undefined_topics(make_case, seed):
    """Not the topics whose value is 0, as of ir_measures."""
    case = make_case(seed, labels=2)
    wanted = drawn(random.Random(seed), False)
    measures = [MEASURES[name](**params) for name, params in wanted]
    found = FairnessEvaluator(measures, case.qrels_frame).undefined()
    topics = slow_versions.read(case.qrels, []).values()
    for measure, (name, params) in zip(measures, wanted, strict=True):
        expected = [slow_versions.MEASURES[name](topic, **params) is None for topic in topics]
        assert found[measure].tolist() == expected, measure


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.parametrize("seed", quick_cases(range(5), first=1))
def test_rkl_over_all_groups_of_a_run(make_case, agrees, seed, several):
    case = make_case(40 + seed, labels=2 + seed, documents=9 if several else 14, several=several)
    agrees(case, [
        ("rKL", {"protected": "all", "target": "run", **cutoff, **step, **norm, **rel})
        for cutoff in axis("cutoff", 1, 5, 100) for step in axis("step", 3, 10)
        for norm in axis("norm", "none") for rel in axis("rel", 0)])


#: 6 decimals of the means over the topics of the runs humR03dc and NLPR03vb10.
PUBLISHED = {
    "rND@10": (0.239915, 0.220101), "rKL@10": (0.155140, 0.140547), "rRD@10": (0.102252, 0.102626),
    "rKL(protected='FT')@20": (0.245988, 0.280967), "rKL(protected='all')@10": (0.189982, 0.147261),
    "rND(norm='none',step=10)@100": (0.255311, 0.040192),
    "DistKL(target='uniform')@10": (0.329838, 0.458335),
    "DistFair(target='uniform')@10": (0.637847, 0.496761),
    "RepBias(group='FT')@10": (-0.163000, -0.130000),
    "RepBias(group='FT',abs=True)@10": (0.225000, 0.218000), "nDD@100": (0.148240, 0.332711),
    "nDR@100": (0.085413, 0.409409), "nDKL@100": (0.051218, 0.217543),
    "nDJS": (0.048199, 0.112769), "BiasP(pro='FT',con='LA')@10": (-0.010000, -0.011000),
    "BiasRBP(pro='FT',con='LA')": (-0.021632, -0.016240),
    "BiasDCG(pro='FT',con='LA')@10": (-0.111886, -0.082368)}


@pytest.mark.slow
@pytest.mark.parametrize("column, name", [(0, "humR03dc"), (1, "NLPR03vb10")])
def test_published_values(robust03, column, name):
    qrels, runs = robust03
    # The source is known for unjudged documents too.
    measures = {text: ir_measures.parse_measure(text)(groups="trec-newswire") for text in PUBLISHED}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        found = ir_measures.calc_aggregate(list(measures.values()), qrels, runs[name])
    assert {text: round(found[measure], 6) for text, measure in measures.items()} == {
        text: row[column] for text, row in PUBLISHED.items()}
