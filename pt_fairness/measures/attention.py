"""The attention that each group gets from the users of a ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pt_fairness.measures.late import np, numerics

if TYPE_CHECKING:
    from pt_fairness.measures.base import FairnessMeasure
    from pt_fairness.numerics import Floats, Ints
    from pt_fairness.rankings.view import View


def attention(measure: FairnessMeasure, view: View) -> tuple[Floats, Floats, Ints]:
    """Return the attention of the groups in the first documents of each list.

    The measure has the parameters ``cutoff``, ``discount``, ``p`` and ``unannotated``.

    :returns: the discounts of the documents of each group, a document of m groups counting 1/m
        towards each, ``[R, L]``; their sum, ``[R]``; how many documents that is, ``[R]``
    """
    if measure.param("unannotated") == "keep":
        codes, _, _ = view.full(measure.param("cutoff"))
    else:
        codes, _ = view.condensed(measure.param("cutoff"))
    weights = numerics.discount(measure.param("discount"), codes.shape[1], measure.param("p"))
    counted = codes >= 0
    groups = numerics.tally(codes, weights, len(view.share)) @ view.share
    return groups, np.asarray(counted @ weights), counted.sum(axis=1)
