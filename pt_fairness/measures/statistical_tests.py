"""Tests of ranked group fairness: FAIR and PreF (Zehlike et al. 2017).

An m-table is the minimum number of protected documents in each prefix of a ranking. It depends only
on the length of the ranking, the share of protected documents and a significance level.

Shapes: ``R`` or ``N`` lists, ``D`` or ``K`` ranks.
"""

from __future__ import annotations

from itertools import groupby
from math import nan
from operator import itemgetter
from typing import Any, ClassVar

import numpy as np

from pt_fairness.core.arrays import Bools, Floats, Ints, ratio, within
from pt_fairness.measures import params
from pt_fairness.measures.measure import FairnessMeasure, Keys, Quotient
from pt_fairness.measures.measure_names import register
from pt_fairness.rankings.protected import Side
from pt_fairness.rankings.rankings import Rankings

#: Tolerance for rounding: a probability may exceed a bound by this factor.
TOLERANCE = 1 + 1e-9

_levels: dict[tuple[int, float, float], float] = {}


def m_table(k: int, p: float, alpha: float = 0.1, adjust: bool = True) -> Ints:
    """Return the minimum number of protected documents in each prefix of a list, ``[k]``.

    :param k: the length of the list
    :param p: the target share of protected documents, from 0 to 1
    :param alpha: the significance level
    :param adjust: whether ``alpha`` is the level of the whole test; otherwise of each prefix

    Examples
    --------
    >>> m_table(10, 0.5).tolist()
    [0, 0, 0, 0, 1, 1, 1, 2, 2, 3]
    """
    shares = np.array([p])
    level = np.array([alpha])
    if adjust:
        level = levels(np.array([k]), shares, alpha)
    low = np.zeros((1, k), np.int64)
    high = np.arange(1, k + 1)[None]
    return _table(level, shares, low, high)[0]


def levels(k: Ints, p: Floats, alpha: float) -> Floats:
    """Return the significance level at which the prefixes of each list are tested, ``[N]``.

    It is the largest level whose table rejects a fair list with a probability of at most ``alpha``.

    :param k: the lengths of the lists, ``[N]``
    :param p: the target shares of protected documents, ``[N]``
    :param alpha: the significance level of the whole test

    Examples
    --------
    >>> levels(np.array([10, 20]), np.array([0.5, 0.25]), 0.1).round(6).tolist()
    [0.054688, 0.063476]
    """
    lists = zip(k.tolist(), p.tolist(), strict=True)
    keys = [(size, share, alpha) for size, share in lists]
    missing = sorted({*keys} - _levels.keys())
    for size, same in groupby(missing, key=itemgetter(0)):
        shares = [share for _, share, _ in same]
        adjusted = _adjusted(size, np.array(shares), alpha)
        for share, level in zip(shares, adjusted.tolist(), strict=True):
            _levels[size, share, alpha] = level
    return np.array([_levels[key] for key in keys], float)


def failure_probability(tables: Ints, p: Floats) -> Floats:
    """Return the probability that a fair list fails a test, ``[N]``.

    :param tables: the minimum number of protected documents in each prefix, ``[N, K]``
    :param p: the probability that a document of the list is protected, ``[N]``

    Examples
    --------
    >>> failure_probability(np.array([[0, 1]]), np.array([0.5])).tolist()
    [0.25]
    """
    # State j is j protected documents. The last state also holds all larger counts, since no prefix
    # needs more.
    last = int(tables.max(initial=0))
    states = np.arange(last + 1)
    passing = np.zeros((len(p), last + 1))
    passing[:, 0] = 1.0
    for least in tables.T:
        drawn = passing[:, :last] * p[:, None]
        passing[:, :last] -= drawn
        passing[:, 1:] += drawn
        passing[states < least[:, None]] = 0.0
    return 1.0 - passing.sum(axis=1)


def binomial_distribution(count: Ints, p: Floats, where: Bools, elsewhere: float = 1.0) -> Floats:
    """Return F(count; i, p) at each rank i, the binomial distribution function, ``[N, K]``.

    :param where: mask of the ranks, ``[N, K]``; the other ranks have the value ``elsewhere``
    """
    from scipy import special  # takes longer to import than the whole package
    ranks = np.arange(1, count.shape[1] + 1)
    out = np.full(count.shape, elsewhere)
    return special.bdtr(count, ranks, p[:, None], where=where, out=out)


def _table(level: Floats, p: Floats, low: Ints, high: Ints) -> Ints:
    """Return the m-table of each list at its level, ``[N, K]``.

    :param low: the tables of lower levels, ``[N, K]``; the lowest are 0
    :param high: the tables of higher levels, ``[N, K]``; the highest have i at rank i
    """
    while (low < high).any():
        middle = (low + high) // 2
        probability = binomial_distribution(middle, p, low != high)
        rejected = probability <= level[:, None] * TOLERANCE
        low = np.where(rejected, middle + 1, low)
        high = np.where(rejected, high, middle)
    return low


def _adjusted(k: int, p: Floats, alpha: float) -> Floats:
    """Return the adjusted levels of lists of length ``k`` by bisection, ``[N]``."""
    lowest = np.zeros((len(p), k), np.int64)
    highest = lowest + np.arange(1, k + 1)
    level = np.full(len(p), alpha)
    high = middle = _table(level, p, lowest, highest)
    # By the union bound, the level alpha / k rejects a fair list with a probability of at most
    # alpha.
    low = _table(level / k, p, lowest, high)
    while True:
        failing = failure_probability(middle, p)
        possible = failing[:, None] <= alpha * TOLERANCE
        low = np.where(possible, middle, low)
        high = np.where(possible, high, middle)
        # The least and the largest probability that only the higher table rejects.
        between = low < high
        chances = binomial_distribution(low, p, between)
        least = chances.min(axis=1)
        chances = binomial_distribution(high - 1, p, between, elsewhere=0.0)
        most = chances.max(axis=1)
        if (most <= least * TOLERANCE ** 2).all():
            chances = binomial_distribution(low - 1, p, low > 0, elsewhere=0.0)
            return chances.max(axis=1)
        level = np.sqrt(least * most)
        middle = _table(level, p, low, high)


class BinomialMeasure(FairnessMeasure):
    """A measure based on the binomial probability of the protected count of each prefix."""

    SOURCE: ClassVar[Keys] = ("zehlike2017",)
    SUPPORTED_PARAMS = {
        **params.TWO_SIDES,
        "target": params.target(),
        "p": params.fraction("share of protected documents that is wanted; by default that of the "
                             "target"),
        "groups": params.groups(),
    }
    IDEAL = 1.0
    COMPARES = True
    refuses_weights = True

    @property
    def target_word(self) -> Any:
        if self.param("p") is None:
            return super().target_word
        return None

    def side(self, view: Rankings) -> Side:
        side = super().side(view)
        assert side is not None
        if self.param("p") is None:
            return side
        total = np.ones(len(view))
        plus = self["p"] * total
        return side._replace(plus=plus, total=total, defined=side.present)

    def target(self, view: Rankings) -> Floats | None:
        if self.param("p") is None:
            return super().target(view)
        return None

    def probabilities(self, view: Rankings, side: Side) -> tuple[Floats, Ints, Floats]:
        """Return F(τ_i; i, p) at each rank i, ``[R, D]``, n and p, ``[R]`` each.

        The probabilities are 0 past the end of a list.
        """
        codes, n = view.condensed(self.cutoff)
        tau = side.ranked(codes).cumsum(axis=1)
        p = np.minimum(side.share, 1.0)
        inside = within(codes.shape[1], n)
        probabilities = binomial_distribution(tau, p, inside, elsewhere=0.0)
        view.note(protected_so_far=tau, probability=probabilities)
        return probabilities, n, p


ALPHA = params.real("probability that a fair ranking fails the test",
                    "a number above 0 and below 1", lambda v: 0 < v < 1, default=0.1)


class _FAIR(BinomialMeasure):
    r"""FAIR — Ranked Group Fairness Test.

    Whether a ranking has enough protected documents at every depth, by a binomial test.

    1 is fair: at no depth are there so few protected documents that chance hardly explains it. 0
    says that one depth fails. If half of the relevant documents are of the protected group B, ten
    documents with five or three of B, spread evenly, have 1.00. With two, one or none they have
    0.00.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(FAIR(protected="B"), "ABABABABAB", "AAAAABBBBB")
    ABABABABAB  1.00
    AAAAABBBBB  0.00

    Formula
    -------
    .. math::

       \prod_{i \le n} \left[ F(\tau_i;\, i, p) > \alpha_c \right]

    * i: a depth among the documents with a group, up to the cutoff n.
    * τ_i: the protected documents among the first i.
    * F: the probability that i draws have at most τ_i protected ones.
    * p: the share of protected documents: their share of the target, or the parameter ``p``.
    * α_c: the level of a single test, corrected for n of them. The brackets are 1 if the condition
      holds, else 0.

    Example
    -------
    >>> round(FAIR.calc_aggregate(qrels, run), 3)
    1.0

    Details
    -------
    Range
        0 to 1.
    Level
        α_c is the largest level at which a fair ranking of n documents fails with a probability of
        at most ``alpha``; with ``adjust=False`` it is ``alpha``. Probabilities within a factor of 1
        + 1e-9 are equal.
    Undefined
        As for ``rND``, whose minority it has. With ``p`` and a named group, no relevant document is
        needed.
    Nothing returned
        0, the least fair.
    Weights of groups
        They raise a ValueError.
    Differs from other implementations
        The correction is exact; by the tables of fairsearchcore and LensKit, a fair ranking can
        fail with a probability above ``alpha``.

    When it misleads
    ----------------
    * It fails only what is *proved*. If a fifth of the relevant documents are of B, ten documents
      without B pass, and twenty do not:

      >>> draw(FAIR(protected="B"), "AAAAAAAAAA", 20 * "A", relevant=10 * "AAAAB")
      AAAAAAAAAA  1.00
      AAAAAAAAAAAAAAAAAAAA  0.00

    * Too many protected documents are fair:

      >>> draw(FAIR(protected="B"), "BBBBBBBBBB")
      BBBBBBBBBB  1.00

    Source
    ------
    Zehlike et al. (2017), definitions 3.1 and 3.2.
    """

    # Slow version: fair in tests/slow_versions/statistics.py
    WHERE = ("passes = 1 if the probability is above the level, probability = binomial, of so few "
             "protected documents so far, each with the probability protected target")
    SUPPORTED_PARAMS = {
        **BinomialMeasure.SUPPORTED_PARAMS,
        "alpha": ALPHA,
        "adjust": params.flag("whether alpha is the probability of all prefixes together",
                              default=True),
        "value": params.one_of("value: 1 if all prefixes pass (test), or the share that pass "
                               "(prefixes)", "test", "prefixes"),
    }

    decided_by = "order"

    def formula(self) -> str:
        return "min({passes})" if self["value"] == "test" else "Σ {passes} / {n}"

    def score(self, view: Rankings) -> Floats:
        side = self.side(view)
        probabilities, n, p = self.probabilities(view, side)
        level = np.full(len(n), self["alpha"])
        if self["adjust"]:
            tested = (n > 0) & side.defined
            level[tested] = levels(n[tested], p[tested], self["alpha"])
        passes = probabilities > level[:, None] * TOLERANCE
        view.note(passes=passes, level=level, n=n)
        values = ratio(passes.sum(axis=1), n)
        if self["value"] == "test":
            values = np.floor(values)  # 1 if all pass
        return np.where(side.defined, values, nan)


class _PreF(Quotient, BinomialMeasure):
    r"""PreF — Mean Probability of the Prefixes.

    How probable it is, on average over depths, that a fair ranking has so few protected documents.

    More is fairer to the protected group, but 1 is not the value of a fair ranking. If half of the
    relevant documents are of the protected group B, ten documents have 0.59 with five of B spread
    evenly, 0.22 with two, 0.12 with one, and 0.10 without B. With B at the end they have 0.28.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(PreF(protected="B"), "ABABABABAB", "AAAAABBBBB")
    ABABABABAB  0.59
    AAAAABBBBB  0.28

    Formula
    -------
    .. math::

       \frac{1}{n} \sum_{i \le n} F(\tau_i;\, i, p)

    * i: a depth among the documents with a group, up to the cutoff n.
    * τ_i: the protected documents among the first i.
    * F: the probability that i draws have at most τ_i protected ones, where p is their share of the
      target.

    Example
    -------
    >>> round(PreF.calc_aggregate(qrels, run), 3)
    0.611

    Details
    -------
    Range
        0 to 1.
    Undefined, nothing returned, weights of groups
        As for ``FAIR``.
    Differs from other implementations
        They keep documents without a group in the ranking; this measure drops them first.

    When it misleads
    ----------------
    * The largest value needs protected documents alone, and more of them than their share raise it:

      >>> draw(PreF(protected="B"), "BBBBBAAAAA", "BBBBBBBBBB")
      BBBBBAAAAA  0.91
      BBBBBBBBBB  1.00

    * A missing group has a value well above 0. A fifth of the relevant documents are of B:

      >>> draw(PreF(protected="B"), "AAAAAAAAAA", relevant=10 * "AAAAB")
      AAAAAAAAAA  0.36

    Source
    ------
    Zehlike et al. (2017), from the test of definition 3.1.
    """

    # Slow version: pref in tests/slow_versions/statistics.py
    WHERE = ("summand = probability = binomial, of so few protected documents so far, each with "
             "the probability protected target")
    decided_by = "prefixes"

    def defined(self, view: Rankings) -> Bools:
        return self.side(view).defined

    def summands(self, view: Rankings) -> tuple[Floats, Ints]:
        side = self.side(view)
        probabilities, n, _ = self.probabilities(view, side)
        return probabilities, n


FAIR = register(_FAIR())
PreF = register(_PreF())
