"""The measures: one file for each family."""

from pt_fairness.measures.coverage import Annotated, MRecall, OfGroup
from pt_fairness.measures.distribution import AWRF, NDKL, DistFair, DistKL
from pt_fairness.measures.expected_exposure import EED, EEL, EER
from pt_fairness.measures.exposure_ratios import IAA, ExposureRatio, logDP, logEUR, logRUR
from pt_fairness.measures.group_ranks import ARP, PEER
from pt_fairness.measures.group_relevance import GF, GFR
from pt_fairness.measures.measure import FairnessMeasure
from pt_fairness.measures.measure_names import MEASURES, register
from pt_fairness.measures.params import Param
from pt_fairness.measures.parity import rKL, rND, rRD
from pt_fairness.measures.rank_bias import ARaB, FaiRR, NFaiRR, RaB, RankingBias
from pt_fairness.measures.representation import (
    BiasDCG,
    BiasP,
    BiasRBP,
    MaxSkew,
    MinSkew,
    RepBias,
    Skew,
    β_DCG,
    β_P,
    β_RBP,
)
from pt_fairness.measures.statistical_tests import FAIR, PreF
from pt_fairness.measures.trec_fair_score import TrecFair
from pt_fairness.measures.viewpoint import RADio, nDD, nDJS, nDKL, nDR

__all__ = [
    "ARP", "ARaB", "AWRF", "Annotated", "BiasDCG", "BiasP", "BiasRBP", "DistFair", "DistKL", "EED",
    "EEL", "EER", "ExposureRatio", "FAIR", "FaiRR", "FairnessMeasure", "GF", "GFR", "IAA",
    "MEASURES", "MRecall", "MaxSkew", "MinSkew", "NDKL", "NFaiRR", "OfGroup", "PEER", "Param",
    "PreF", "RADio", "RaB", "RankingBias", "RepBias", "Skew", "TrecFair", "logDP", "logEUR",
    "logRUR", "nDD", "nDJS", "nDKL", "nDR", "rKL", "rND", "rRD", "register", "β_DCG", "β_P",
    "β_RBP",
]


def __dir__() -> list[str]:
    return __all__
