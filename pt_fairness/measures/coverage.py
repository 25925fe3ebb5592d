"""The share of annotated documents in a ranking: Annotated."""

from __future__ import annotations

from pt_fairness import numerics
from pt_fairness.measures import params
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.registry import register
from pt_fairness.numerics import Floats
from pt_fairness.rankings.view import View


class _Annotated(FairnessMeasure):
    r"""Annotated — Share of Results with a Group.

    The share of the returned documents that have a group.

    Formula
    -------
    .. math::

       \frac{\text{annotated documents among the first } n}{n}

    n = min(cutoff, length of the list).

    Range
    -----
    0 to 1. 1 is best: every document has a group.

    Edge cases
    ----------
    A topic without results has 0. Judged of ir_measures is the same share for judged documents.

    Source
    ------
    The condensed lists of Sakai (2007), with groups in place of judgments.
    """

    NAME = "Annotated"
    PRETTY_NAME = "Share of Results with a Group"
    SHORT_DESC = "Share of the returned documents (up to the cutoff) that have a group."
    SUPPORTED_PARAMS = {"cutoff": params.cutoff(), "groups": params.groups()}
    SOURCE = ("sakai2007",)
    FAIR_END = 1.0
    CONDENSED = False
    DEFAULT = 0.0

    def terms(self, view: View) -> Floats:
        codes, _, n = view.full(self.param("cutoff"))
        return numerics.ratio(codes >= 0, n[:, None])


Annotated = register(_Annotated())
