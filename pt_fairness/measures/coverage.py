"""The share of annotated documents in a ranking: Annotated."""

from __future__ import annotations

from typing import Any

from pt_fairness.core.arrays import Ints
from pt_fairness.measures import params
from pt_fairness.measures.base import Quotient
from pt_fairness.measures.registration import register
from pt_fairness.rankings.view import View


class _Annotated(Quotient):
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

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(Annotated.calc_aggregate(qrels, run), 3)
    0.8
    """

    # Slow version: annotated in tests/slow_versions/counts.py
    SUPPORTED_PARAMS = {"cutoff": params.cutoff(), "groups": params.groups()}
    SOURCE = ("sakai2007",)
    FAIR_END = 1.0
    CONDENSED = False

    def summands(self, view: View) -> tuple[Any, Ints]:
        codes, _, n = view.full(self.param("cutoff"))
        return codes >= 0, n


Annotated = register(_Annotated())
