"""What is measured: one file per family of measures, and the registry that they share."""

from pt_fairness.measures.base import MEASURES, FairnessMeasure, Param, register
from pt_fairness.measures.coverage import Annotated
from pt_fairness.measures.distribution import AWRF, NDKL, DistFair, DistKL
from pt_fairness.measures.parity import rKL, rND, rRD
from pt_fairness.measures.representation import MaxSkew, MinSkew, RepBias, Skew
from pt_fairness.measures.stance import BiasDCG, BiasP, BiasRBP, β_DCG, β_P, β_RBP
from pt_fairness.measures.viewpoint import nDD, nDJS, nDKL, nDR

__all__ = [
    "AWRF", "MEASURES", "NDKL", "Annotated", "BiasDCG", "BiasP", "BiasRBP", "DistFair", "DistKL", "FairnessMeasure", "MaxSkew",
    "MinSkew", "Param", "RepBias", "Skew", "nDD", "nDJS", "nDKL", "nDR", "rKL", "rND", "rRD", "register", "β_DCG", "β_P",
    "β_RBP",
]
