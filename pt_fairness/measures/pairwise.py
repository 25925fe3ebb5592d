"""Pairwise fairness between groups: ARP (Cachel et al. 2022)."""

from __future__ import annotations

import numpy as np

from pt_fairness import numerics
from pt_fairness.measures import params
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.registry import register
from pt_fairness.numerics import Floats, Ints
from pt_fairness.rankings.view import View


class _ARP(FairnessMeasure):
    r"""ARP — Attribute Rank Parity.

    How much more often one group than another is ranked above documents of the other groups.

    Formula
    -------
    .. math::

       \max_g W_g - \min_g W_g, \qquad
       W_g = \frac{\sum_{i<j} m_{ig} (1 - m_{jg})}
       {\sum_{i<j} \left[ m_{ig} (1 - m_{jg}) + m_{jg} (1 - m_{ig}) \right]}

    The groups are those of the topic's relevant documents. W_g is the share of its mixed pairs that
    group g wins among the first n = min(cutoff, annotated documents), i and j are ranks, and m_ig =
    1/m for each of the m groups of document i. W_g is 1 for a group that is alone, 0 for one that
    is absent.

    With ``pairs='errors'`` the numerator counts only pairs in which document i is less relevant
    than document j. W_g is then 0 for a group without mixed pairs. Such a pair is an error in
    favour of the group. Rank equality of Kuhlman et al. (2019) counts errors against the group.

    Range
    -----
    0 to 1. 0 is fair.

    Edge cases
    ----------
    A topic whose relevant annotated documents have fewer than two groups is undefined: 0, with a
    warning. A topic without results has 1.

    Source
    ------
    Cachel et al. (2022); ``pairs='errors'`` after Kuhlman et al. (2019).
    """

    NAME = "ARP"
    PRETTY_NAME = "Attribute Rank Parity"
    SOURCE = ("cachel2022", "kuhlman2019")
    SHORT_DESC = ("Difference between the largest and the smallest share of its mixed pairs that a "
                  "group wins.")
    SUPPORTED_PARAMS = {
        "cutoff": params.cutoff(),
        "rel": params.rel(),
        "pairs": params.one_of("pairs that a group can win: all, or those whose document above is "
                               "less relevant (errors)", "all", "errors"),
        "groups": params.groups(),
    }

    def score(self, view: View) -> Floats:
        codes, n = view.condensed(self.param("cutoff"))
        depth, sets = codes.shape[1], len(view.share)
        counts = numerics.tally(codes, np.ones(depth), sets)
        total, squares = counts @ view.share, counts @ view.share ** 2
        both = total ** 2 - squares
        mixed = (n[:, None] - 1.0) * total - both
        if self.param("pairs") == "errors":
            won, alone = self.errors(view, codes), np.zeros(total.shape)
        else:
            ranks = numerics.tally(codes, numerics.ranks(depth), sets) @ view.share
            won, alone = n[:, None] * total - ranks - both / 2.0, np.asarray(total > 0, float)
        shares = np.where(mixed > 0, numerics.ratio(won, mixed), alone)
        relevant = view.relevant(self.param("rel")) @ view.member > 0
        largest = np.where(relevant, shares, -np.inf).max(axis=1, initial=-np.inf)
        smallest = np.where(relevant, shares, np.inf).min(axis=1, initial=np.inf)
        defined = relevant.sum(axis=1) > 1
        values = np.subtract(largest, smallest, out=np.ones(len(view)), where=defined & (n > 0))
        return np.where(defined, values, np.nan)

    def errors(self, view: View, codes: Ints) -> Floats:
        """Return Σ m_ig · (1 − m_jg) over i < j with document i less relevant than j, ``[R, L]``.

        :param codes: the label set of each rank, ``[R, D]``, −1 past the end of a list
        """
        relevance = view.condensed_relevance(self.param("cutoff"))
        inside = codes >= 0
        won = np.zeros((len(view), len(view.labels)))
        shares = np.vstack([view.share, np.zeros(len(view.labels))])
        size = max(1, numerics.BLOCK_CELLS // max(1, codes.size))
        for start in range(0, len(view.labels), size):
            labels = slice(start, start + size)
            m = shares[:, labels][codes]
            for grade in numerics.distinct(relevance[inside])[1:]:
                worse = (m * (relevance < grade)[:, :, None]).cumsum(axis=1)
                better = (1.0 - m) * (inside & (relevance == grade))[:, :, None]
                won[:, labels] += (worse * better).sum(axis=1)
        return won


ARP = register(_ARP())
