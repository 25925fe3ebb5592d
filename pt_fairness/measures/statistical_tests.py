"""Tests of ranked group fairness: FAIR and PreF (Zehlike et al. 2017)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from pt_fairness.core import arrays, discounts
from pt_fairness.core.arrays import Bools, Floats, Ints
from pt_fairness.measures import params
from pt_fairness.measures.base import FairnessMeasure, Quotient
from pt_fairness.measures.registration import register
from pt_fairness.rankings.protected import Side, of_ranked
from pt_fairness.rankings.view import View


class BinomialMeasure(FairnessMeasure):
    """A measure based on the binomial probability of the protected count of each prefix."""

    SOURCE: ClassVar[tuple[str, ...]] = ("zehlike2017",)
    SUPPORTED_PARAMS = {
        "cutoff": params.cutoff(),
        "rel": params.rel(),
        "protected": params.protected(),
        "target": params.target(),
        "p": params.real("share of protected documents that is wanted; by default that of the "
                         "target", "a number from 0 to 1", lambda v: 0 <= v <= 1),
        "groups": params.groups(),
    }
    FAIR_END = 1.0
    COMPARES = True

    @property
    def refuses_weights(self) -> bool:
        return True

    @property
    def target_word(self) -> Any:
        return super().target_word if self.param("p") is None else None

    def side(self, view: View) -> Side:
        side = super().side(view)
        assert side is not None
        p = self.param("p")
        if p is None:
            return side
        ones = np.ones(len(view))
        return side._replace(plus=p * ones, total=ones, defined=side.present)

    def target(self, view: View) -> Floats | None:
        return super().target(view) if self.param("p") is None else None

    def probabilities(self, view: View, side: Side) -> tuple[Floats, Ints, Floats]:
        """Return F(τ_i; i, p) at each rank i, ``[R, D]``, n and p, ``[R]`` each.

        The probabilities are 0 past the end of a list.
        """
        from scipy import special  # takes longer to import than the whole package
        codes, n = view.condensed(self.param("cutoff"))
        p, depth = np.minimum(side.share, 1.0), codes.shape[1]
        found = special.bdtr(of_ranked(side.sets, codes).cumsum(axis=1), np.arange(1, depth + 1),
                             p[:, None])
        return np.where(discounts.within(depth, n), found, 0.0), n, p


class _FAIR(BinomialMeasure):
    r"""FAIR — Ranked Group Fairness Test.

    Whether every prefix of the ranking has enough protected documents, by a binomial test.

    Formula
    -------
    .. math::

       \prod_{i \le n} \left[ F(\tau_i;\, i, p) > \alpha_c \right]

    Prefix i passes if ``F(τ_i; i, p) > α_c``: τ_i protected documents among the first i annotated
    ones, F the binomial distribution function, p the share of protected documents in the target or
    the parameter ``p``. The minority is that of rND. ``value='test'`` is 1 if all prefixes of the
    first n = min(cutoff, annotated documents) pass, else 0. ``value='prefixes'`` is the share that
    pass.

    α_c is the largest level for which the test rejects a fair list of n documents with a
    probability of at most ``alpha``; with ``adjust=False``, it is ``alpha``. Probabilities
    within a factor of 1 + 1e-9 are equal.

    Range
    -----
    0 to 1. 1 is fair to the protected group. Too many protected documents do not lower the value.

    Edge cases
    ----------
    A topic whose population is empty is undefined: 0, with a warning. So is a topic whose
    population has fewer than two groups if ``protected`` is ``minority`` or ``majority``. With
    ``p``, only the second case applies. Every topic is undefined if there is only one group, or if
    all groups are protected. A topic without results has 0.

    Groups with weights raise a ValueError.

    Source
    ------
    Zehlike et al. (2017), definitions 3.1 and 3.2. The correction is exact; fairsearchcore and
    LensKit use tables that can reject a fair list with a probability above ``alpha``.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(FAIR.calc_aggregate(qrels, run), 3)
    1.0
    """

    # Slow version: fair in tests/slow_versions/statistics.py
    SUPPORTED_PARAMS = {
        **BinomialMeasure.SUPPORTED_PARAMS,
        "alpha": params.real("probability that a fair ranking fails the test",
                             "a number above 0 and below 1", lambda v: 0 < v < 1, default=0.1),
        "adjust": params.Param(bool, "whether alpha is the probability of all prefixes together",
                               "True or False", default=True),
        "value": params.one_of("value: 1 if all prefixes pass (test), or the share that pass "
                               "(prefixes)", "test", "prefixes"),
    }

    def score(self, view: View) -> Floats:
        from pt_fairness.measures import fa_ir_table
        side = self.side(view)
        probabilities, n, p = self.probabilities(view, side)
        level, some = np.full(len(n), self.param("alpha")), (n > 0) & side.defined
        if self.param("adjust"):
            level[some] = fa_ir_table.levels(n[some], p[some], self.param("alpha"))
        passed = (probabilities > level[:, None] * fa_ir_table.TOLERANCE).sum(axis=1)
        values = arrays.ratio(passed, n)
        if self.param("value") == "test":
            values = np.where((passed == n) & (n > 0), 1.0, 0.0)
        return np.where(side.defined, values, np.nan)


class _PreF(Quotient, BinomialMeasure):
    r"""PreF — Mean Probability of the Prefixes.

    How probable it is, on average, that a fair list has so few protected documents in a prefix.

    Formula
    -------
    .. math::

       \frac{1}{n} \sum_{i \le n} F(\tau_i;\, i, p)

    The symbols are those of FAIR.

    Range
    -----
    0 to 1; more is fairer to the protected group. 1 is not the value of a fair list: it needs every
    document to be protected. A list with the share p has less, and more protected documents than
    that raise the value.

    Edge cases
    ----------
    As for FAIR.

    Source
    ------
    Zehlike et al. (2017), from the test of definition 3.1. Other implementations keep
    unannotated documents in the list; this measure drops them first.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(PreF.calc_aggregate(qrels, run), 3)
    0.611
    """

    # Slow version: pref in tests/slow_versions/statistics.py

    def defined(self, view: View) -> Bools:
        return self.side(view).defined

    def summands(self, view: View) -> tuple[Floats, Ints]:
        probabilities, n, _ = self.probabilities(view, self.side(view))
        return probabilities, n


FAIR = register(_FAIR())
PreF = register(_PreF())
