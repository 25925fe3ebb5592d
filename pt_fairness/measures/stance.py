"""Stance and ideological bias of a ranking: BiasP, BiasRBP, BiasDCG (Gezici et al. 2021)."""

from __future__ import annotations

from typing import Any

import numpy as np

from pt_fairness.core.arrays import Floats, Ints
from pt_fairness.core.discounts import discount, log_discount
from pt_fairness.measures import params
from pt_fairness.measures.measure import Quotient, SignedMeasure
from pt_fairness.measures.measure_names import register
from pt_fairness.rankings.view import View


class StanceMeasure(SignedMeasure):
    """The effectiveness of the pro documents less the effectiveness of the con documents."""

    SOURCE = ("gezici2021",)
    SUPPORTED_PARAMS = {
        **params.CUTOFF_AND_REL,
        "pro": params.label("the group that counts as positive", default="PRO"),
        "con": params.label_or_none("the group that counts as negative; None for the "
                                    "effectiveness of the pro documents alone", default="CON"),
        "abs": params.absolute(),
        "groups": params.groups(),
    }
    CONDENSED = False
    RELEVANCE = True

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        if self.param("con") is None:
            self.RANGE = (0.0, self.RANGE[1])
            self.FAIR_END = 1.0

    def check_together(self) -> None:
        if self["pro"] == self["con"]:
            raise ValueError(
                f"{self.NAME} needs two groups to set against each other; pro and con are both "
                f"{self['pro']!r}"
            )

    def stances(self, view: View) -> tuple[Floats, Ints]:
        """Return the stance of each document, ``[R, D]``, and the lengths of the lists, ``[R]``.

        The stance is 1 for a relevant pro document, −1 for a relevant con document and 0 for others
        and past the end of a list. A relevant document with weights has its share in ``pro`` less
        its share in ``con``. No document has the stance −1 if ``con`` is ``None``.
        """
        codes, relevance, n = view.full(self.cutoff)
        side = np.isin(view.labels, self["pro"]) * 1.0 \
            - np.isin(view.labels, self["con"])
        of_set = np.append(view.degree @ side, 0.0)
        return np.where(relevance >= self.rel, of_set[codes], 0.0), n


class _BiasP(Quotient, StanceMeasure):
    r"""BiasP — Stance Bias by Precision.

    Relevant pro documents less relevant con documents, as a share of the ranks.

    Formula
    -------
    .. math::

       \frac{1}{n} \sum_{i \le n} s_i

    s_i is 1 if the document at rank i has relevance ≥ ``rel`` and is in the group ``pro``, −1 if it
    is in ``con``, and 0 if it is in both or neither or is not relevant. Unannotated documents keep
    their ranks. An unjudged document has relevance 0. n is the cutoff, also if fewer documents were
    returned; without a cutoff, the length of the list. With ``con=None``, no s_i is −1: the value
    is the precision of the pro documents.

    Range
    -----
    −1 to 1; 0 to 1 with ``abs=True``. 0 is fair; above 0 the ranking is biased towards ``pro``.
    With ``con=None``, 0 to 1, and 1 is best.

    Edge cases
    ----------
    A topic without results has 0. The mean over topics is the paper's mean bias (MB), with
    ``abs=True`` its mean absolute bias (MAB). Ideological bias is the same measure over groups that
    name an ideology: ``pro='conservative', con='liberal'``.

    Source
    ------
    Gezici et al. (2021), section 3.2, β_P@n; with ``con=None``, the f of equation 3, which is
    equation 2. Decisions of this package: ``rel``, and the values of a document in both groups, of
    a list that is shorter than n and of a measure without a cutoff.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(BiasP.calc_aggregate(qrels, run), 3)
    0.2
    """

    # Slow version: bias_p in tests/slow_versions/counts.py

    def summands(self, view: View) -> tuple[Floats, Any]:
        stances, n = self.stances(view)
        return self.signed(stances), self.cutoff or n


class _BiasRBP(StanceMeasure):
    r"""BiasRBP — Stance Bias by Rank-Biased Precision.

    Rank-biased precision of the relevant pro documents less that of the relevant con documents.

    Formula
    -------
    .. math::

       (1 - p) \sum_i p^{i-1} s_i

    The sum is over the first ``cutoff`` ranks, or all. s_i is that of BiasP. With ``con=None``, it
    is the rank-biased precision of the pro documents.

    Range
    -----
    −1 to 1; 0 to 1 with ``abs=True``. 0 is fair; above 0 the ranking is biased towards ``pro``.
    With ``con=None``, 0 to 1, and 1 is best.

    Edge cases
    ----------
    A topic without results has 0.

    Source
    ------
    Gezici et al. (2021), section 3.2, from equation 5, which is f, the value with ``con=None``. The
    equation has no upper limit of the sum: the limit is a decision of this package.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(BiasRBP.calc_aggregate(qrels, run), 3)
    0.258
    """

    # Slow version: bias_rbp in tests/slow_versions/counts.py
    SUPPORTED_PARAMS = {
        **StanceMeasure.SUPPORTED_PARAMS,
        "p": params.persistence(0.8),
    }

    def terms(self, view: View) -> Floats:
        stances, _ = self.stances(view)
        p = self["p"]
        weights = discount("geometric", stances.shape[1], p)
        return self.signed((1.0 - p) * stances * weights)


class _BiasDCG(StanceMeasure):
    r"""BiasDCG — Stance Bias by Discounted Cumulative Gain.

    Discounted cumulative gain of the relevant pro documents less that of the relevant con
    documents.

    Formula
    -------
    .. math::

       \sum_{i \le n} \frac{s_i}{\log_2(i+1)}

    The sum is over the first ``cutoff`` ranks, or all. s_i is that of BiasP. With ``con=None``, it
    is the discounted cumulative gain of the pro documents.

    Range
    -----
    Between minus and plus the sum of the discounts, which grows with the depth. 0 is fair; above 0
    the ranking is biased towards ``pro``. ``abs=True`` gives the absolute value. With ``con=None``,
    0 or more, and more is better.

    Edge cases
    ----------
    A topic without results has 0.

    Source
    ------
    Gezici et al. (2021), section 3.2, equation 7; with ``con=None``, equation 6. They have log
    without a base; base 2 is inferred from table 4. With a mean ``P@10`` of 0.8509, the mean of
    ``DCG@10`` is at least 3.23 with base 2 and at least 4.67 with base e; the table has 3.9114.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(BiasDCG.calc_aggregate(qrels, run), 3)
    1.2
    """

    # Slow version: bias_dcg in tests/slow_versions/counts.py
    RANGE = (None, None)

    def terms(self, view: View) -> Floats:
        stances, _ = self.stances(view)
        weights = log_discount(stances.shape[1])
        return self.signed(stances * weights)


BiasP = register(_BiasP(), ["β_P"])
BiasRBP = register(_BiasRBP(), ["β_RBP"])
BiasDCG = register(_BiasDCG(), ["β_DCG"])
#: The paper's names.
β_P = BiasP
β_RBP = BiasRBP
β_DCG = BiasDCG
