"""Attention of the groups: the summed discounts of the ranks of their documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pt_fairness.measures.late import np, numerics

if TYPE_CHECKING:
    from pt_fairness.measures.base import FairnessMeasure
    from pt_fairness.numerics import Floats, Ints
    from pt_fairness.rankings.view import View


def attention(measure: FairnessMeasure, view: View) -> tuple[Floats, Floats, Ints]:
    """Return the attention of each group in the first documents of each list.

    A document of m groups counts 1/m towards each.

    :param measure: has the parameters ``cutoff``, ``discount``, ``p`` and ``unannotated``
    :returns: the sum of the discounts of the documents of each group, ``[R, L]``; the sum of the
        discounts of all annotated documents, ``[R]``; the number of these documents, ``[R]``
    """
    if measure.param("unannotated") == "keep":
        codes, _, _ = view.full(measure.param("cutoff"))
    else:
        codes, _ = view.condensed(measure.param("cutoff"))
    weights = numerics.discount(measure.param("discount"), codes.shape[1], measure.param("p"))
    counted = codes >= 0
    groups = numerics.tally(codes, weights, len(view.share)) @ view.share
    return groups, np.asarray(counted @ weights), counted.sum(axis=1)
