"""Whether a ranking covers all groups of its relevant documents: MRecall."""

from __future__ import annotations

import numpy as np

from pt_fairness.core.arrays import Bools, Floats, ratio
from pt_fairness.measures import params
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.registration import register
from pt_fairness.rankings.view import View


def mrecall(found: Bools, wanted: Bools, k: float, share: bool = False) -> Floats:
    """Return whether all wanted groups are found, or ``k`` of them, ``[R]``; NaN if none is wanted.

    :param found: the groups of the relevant documents at the top, ``[R, L]``
    :param wanted: the groups of all relevant documents, ``[R, L]``
    :param k: the cutoff
    :param share: whether to return the share of the wanted groups that are found

    Examples
    --------
    >>> import numpy as np
    >>> found, wanted = np.array([[True, True, False]]), np.array([[True, True, True]])
    >>> mrecall(found, wanted, k=2)
    array([1.])
    >>> mrecall(found, wanted, k=2, share=True).round(3)
    array([0.667])
    """
    covered, size = (found & wanted).sum(axis=1), wanted.sum(axis=1)
    values = ratio(covered, size) if share else covered >= np.minimum(k, size)
    return np.where(size > 0, values, np.nan)



class _MRecall(FairnessMeasure):
    r"""MRecall — Recall of All Perspectives.

    Whether the relevant documents at the top cover all groups of the topic, or which share of them.

    Formula
    -------
    .. math::

       \left[\, |F \cap W| \ge \min(k, |W|) \,\right]

    W are the groups of the topic's relevant documents, F those of the relevant documents among the
    first k = ``cutoff`` of the whole list. ``value='share'`` is ``|F ∩ W| / |W|``: StRecall of
    ir_measures, for any group source. Without a cutoff, k has no bound.

    Range
    -----
    0 to 1. 1 is best: every group is found, or k different ones.

    Edge cases
    ----------
    A topic without relevant documents of any group is undefined: 0, with a warning. So is every
    topic if there is only one group. A topic without results has 0.

    Source
    ------
    Chen & Choi (2024), with the perspectives of a topic as groups.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(MRecall(value="share").calc_aggregate(qrels, run), 3)
    1.0
    """

    # Slow version: mrecall in tests/slow_versions/served.py
    SOURCE = ("chen2024",)
    SUPPORTED_PARAMS = {
        "cutoff": params.cutoff(),
        "rel": params.rel(),
        "value": params.one_of("value: 1 if all groups are found, or as many as the cutoff allows "
                               "(all), or the share of the groups that are found (share)",
                               "all", "share"),
        "groups": params.groups(),
    }
    FAIR_END = 1.0
    COMPARES = True
    CONDENSED = False
    RELEVANCE = True

    def score(self, view: View) -> Floats:
        cutoff, rel = self.param("cutoff"), self.param("rel")
        codes = view.full_relevant(cutoff, rel)
        found = view.sums_by_code(len(view), np.arange(len(view))[:, None], codes) @ view.member > 0
        return mrecall(found, view.relevant(rel) @ view.member > 0,
                       np.inf if cutoff is None else cutoff, self.param("value") == "share")


MRecall = register(_MRecall())
