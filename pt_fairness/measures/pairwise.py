"""Pairwise fairness between groups: ARP (Cachel et al. 2022)."""

from __future__ import annotations

import numpy as np

from pt_fairness.core import arrays, discounts
from pt_fairness.core.arrays import Floats, Ints
from pt_fairness.measures import params
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.registration import register
from pt_fairness.rankings.view import View


def pairs_won(n: Ints, total: Floats, ranks: Floats, both: Floats) -> Floats:
    """Return Σ_{i<j} m_ig (1 − m_jg) = n Σ_i m_ig − Σ_i i·m_ig − ½ Σ_{i≠j} m_ig m_jg.

    :param n: the number of documents of each list, ``[R, 1]``
    :param total: Σ_i m_ig, ``[R, L]``
    :param ranks: Σ_i i·m_ig, ``[R, L]``
    :param both: Σ_{i≠j} m_ig m_jg, ``[R, L]``
    """
    return n * total - ranks - both / 2.0


def mixed_pairs(n: Ints, total: Floats, both: Floats) -> Floats:
    """Return Σ_{i<j} [m_ig (1 − m_jg) + m_jg (1 − m_ig)] = (n − 1) Σ_i m_ig − Σ_{i≠j} m_ig m_jg."""
    return (n - 1.0) * total - both


class _ARP(FairnessMeasure):
    r"""ARP — Attribute Rank Parity.

    The largest difference between two groups in how often they are ranked above other groups.

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
    Cachel et al. (2022); ``pairs='errors'`` after Kuhlman et al. (2019). That the
    groups are those of the relevant documents is a choice of this package.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(ARP.calc_aggregate(qrels, run), 3)
    0.333
    """

    # Slow version: arp in tests/slow_versions/statistics.py
    SOURCE = ("cachel2022", "kuhlman2019")
    SUPPORTED_PARAMS = {
        "cutoff": params.cutoff(),
        "rel": params.rel(),
        "pairs": params.one_of("pairs that a group can win: all, or those whose document above is "
                               "less relevant (errors)", "all", "errors"),
        "groups": params.groups(),
    }
    RELEVANCE = True
    COMPARES = True

    def score(self, view: View) -> Floats:
        codes, n = view.condensed(self.param("cutoff"))
        row = np.arange(len(view))[:, None]
        counts = view.sums_by_code(len(view), row, codes)
        total, squares = counts @ view.share, counts @ view.share ** 2
        both = total ** 2 - squares
        mixed = mixed_pairs(n[:, None], total, both)
        if self.param("pairs") == "errors":
            won, alone = self.errors(view, codes), np.zeros(total.shape)
        else:
            i = discounts.ranks(codes.shape[1])
            ranks = view.sums_by_code(len(view), row, codes, i) @ view.share
            won, alone = pairs_won(n[:, None], total, ranks, both), np.asarray(total > 0, float)
        shares = np.where(mixed > 0, arrays.ratio(won, mixed), alone)
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
        grades = arrays.distinct(relevance[codes >= 0])
        grade = np.where(codes >= 0, np.searchsorted(grades, relevance), -1)
        won = np.zeros((len(view), len(view.labels)))
        shares = np.vstack([view.share, np.zeros(len(view.labels))])
        size = max(1, arrays.BLOCK_CELLS // max(1, codes.size))
        # A pair of different grades counts at the highest bit in which they differ: among the
        # documents whose grades have the same higher bits.
        for bit in range((len(grades) - 1).bit_length()):
            order = np.argsort(grade >> bit + 1, axis=1, kind="stable")
            ordered = np.take_along_axis(grade, order, axis=1)
            worse, better = ((ordered >= 0) & (ordered >> bit & 1 == one) for one in (0, 1))
            first = np.diff(ordered >> bit + 1, axis=1, prepend=-2) != 0
            first = np.maximum.accumulate(np.where(first, np.arange(codes.shape[1]), 0), axis=1)
            for start in range(0, len(view.labels), size):
                labels = slice(start, start + size)
                m = shares[:, labels][np.take_along_axis(codes, order, axis=1)]
                above = (m * worse[:, :, None]).cumsum(axis=1)
                before = above - m * worse[:, :, None]
                above -= np.take_along_axis(before, first[:, :, None], axis=1)
                won[:, labels] += (above * (1.0 - m) * better[:, :, None]).sum(axis=1)
        return won


ARP = register(_ARP())
