"""What is measured: one file per family of measures, and the registry that they share."""

from pt_fairness.measures.base import MEASURES, FairnessMeasure, Param, register
from pt_fairness.measures.coverage import Annotated
from pt_fairness.measures.parity import rKL, rND, rRD
from pt_fairness.measures.viewpoint import nDD, nDJS, nDKL, nDR

__all__ = ["MEASURES", "Annotated", "FairnessMeasure", "Param", "nDD", "nDJS", "nDKL", "nDR", "rKL", "rND", "rRD", "register"]
