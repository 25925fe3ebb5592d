"""Viewpoint diversity of the prefixes of a ranking: nDD, nDR, nDKL, nDJS (Draws et al. 2021)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from pt_fairness.core.arrays import (
    JSD_IN_WORDS,
    LARGEST_DIVERGENCE,
    LARGEST_RATIO,
    SMALLEST_SHARE,
    Floats,
    binary_kl,
    divergences_of_prefixes,
    jsd,
    log_discount,
    ranks,
    ratio,
)
from pt_fairness.measures import params
from pt_fairness.measures.measure import FairnessMeasure, Keys
from pt_fairness.measures.measure_names import register
from pt_fairness.measures.parity import (
    DIFFERENCE,
    KULLBACK,
    RATIO,
    PrefixMeasure,
    discounts,
    rnd,
    rrd,
)
from pt_fairness.rankings.protected import Side, distribution, of_ranked, side_of
from pt_fairness.rankings.rankings import Rankings


def ndkl(plus: Any, i: Any, S: Any, N: Any) -> Floats:
    """Return the summand of nDKL, equation 5, with a share of 0 as 0.001 (footnote 5)."""
    share = plus / i
    share = np.where(share == 0, SMALLEST_SHARE, share)
    return binary_kl(share, S / N)


def sides(protected: Any) -> Floats:
    """Return the shares of the protected side and of the other one, ``[…, 2]``."""
    return np.stack([protected, 1.0 - protected], axis=-1)


class RunMeasure(FairnessMeasure):
    """A measure whose population is the whole condensed list."""

    SOURCE: ClassVar[Keys] = ("draws2021",)
    reads_run = True  # type: ignore[assignment]
    target_word = "run"

    def target(self, view: Rankings) -> Floats:
        return distribution(view, "run", None)

    def side(self, view: Rankings) -> Side | None:
        if self["protected"] == "all":
            return None
        # The side is chosen among the annotated documents of the run.
        side = side_of(view, self["protected"], "run", None)
        return side._replace(defined=np.ones(len(view), bool))


class ViewpointMeasure(RunMeasure, PrefixMeasure):
    """A prefix measure whose population is the whole condensed list."""

    SUPPORTED_PARAMS = {
        "cutoff": params.cutoff(),
        "protected": params.protected(),
        "norm": params.one_of("normaliser: max (the exact maximum over the permutations of the "
                              "run), range (0 is the fairest permutation, 1 the least fair), "
                              "protected-first (the ranking with every protected document "
                              "first, inferred from the paper's values) or none",
                              "max", "range", "protected-first", "none"),
        "groups": params.groups(),
    }

    @property
    def refuses_weights(self) -> bool:  # type: ignore[override]
        return self["norm"] != "none"


class _nDD(ViewpointMeasure):
    r"""nDD — Normalised Discounted Difference.

    How far the share of the protected viewpoint in every prefix is from its share in the whole
    ranking.

    Formula
    -------
    .. math::

       \frac{1}{Z} \sum_i \frac{1}{\log_2(i+1)}
       \left| \frac{S^+_{1..i}}{i} - \frac{S^+}{N} \right|

    S⁺_{1..i} counts the protected documents among the first i annotated ones, S⁺ and N the
    protected and all annotated documents of the whole list. Z is the exact maximum over the
    permutations of the run (``norm='max'``), the value of the ranking with all protected documents
    first (``'protected-first'``), or 1 (``'none'``). ``norm='range'`` is as in rND.
    The minority is the smallest group of the annotated documents of the run, of those that have
    any; of equally small ones, the first in the order of their labels.

    Range
    -----
    0 to 1 with ``norm='max'`` and ``'range'``, unbounded otherwise. 0 is fair.
    ``'protected-first'`` bounds the value by 1 only if the protected group is not the larger one.

    Edge cases
    ----------
    A run whose documents are all protected, or all unprotected, has 0. A topic without results has
    1. With ``norm='none'``, a topic without results has b times the sum of the discounts of
    ``cutoff`` documents, and b without a cutoff. b is the largest term of all runs with shares of
    at least 0.001: 1 for nDD, 999 for nDR, −log2 0.001 for nDKL. Every topic is undefined if there
    is only one group, or if all groups are protected: 0, with a warning.

    The population is the whole condensed list, so with a cutoff the value depends on how many
    annotated documents the run returns. Compare condensed lists of equal length only: leave out
    unannotated documents first, then cut all lists to the same depth. Cutting alone is not enough:
    ``nDD@3`` of the same three documents is 0.704 alone, and 0.434 before three others with the
    same groups.

    Of nDD, nDR and nDKL, the paper finds nDD the most sensitive to mild bias.

    Source
    ------
    Draws et al. (2021), section 3.4.1, equation 2.

    The paper says that Z is the value of "the maximally unfair permutation", and leaves how to find
    it to a supplement. ``'protected-first'`` is inferred from its values: with it, nDD and nDKL are
    1 at α = −1, the means at α = 1 are within 0.011 of the published ones, and nDR is above 1, as
    section 4.2.1 says, which no exact maximum allows. The exact maximum as default is a choice of
    this package.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(nDD.calc_aggregate(qrels, run), 3)
    0.473
    """

    # Slow version: ndd in tests/slow_versions/soft.py
    WHERE = DIFFERENCE
    term = staticmethod(rnd)
    BOUND = 1.0


class _nDR(ViewpointMeasure):
    r"""nDR — Normalised Discounted Ratio.

    How far the ratio of the protected viewpoint to the others in every prefix is from the ratio
    in the whole ranking.

    Formula
    -------
    .. math::

       \frac{1}{Z} \sum_i \frac{1}{\log_2(i+1)}
       \left| \frac{S^+_{1..i}}{S^-_{1..i}} - \frac{S^+}{S^-} \right|

    The symbols are as in nDD. A ratio with denominator 0 is 0.

    Range
    -----
    As nDD.

    Edge cases
    ----------
    As nDD. Z is dominated by the huge ratios of prefixes with hardly any unprotected document, so
    most values are small. ``'protected-first'`` does not bound the value.

    The paper does not recommend nDR, because of its normaliser and because it hardly tells degrees
    of bias against the protected group apart (section 5.1, consideration 2). Consideration 1 calls
    it the least vulnerable measure for bias against a small protected group.

    Source
    ------
    Draws et al. (2021), section 3.4.1, equation 3.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(nDR.calc_aggregate(qrels, run), 3)
    0.749
    """

    # Slow version: ndr in tests/slow_versions/soft.py
    WHERE = RATIO
    term = staticmethod(rrd)
    BOUND = LARGEST_RATIO
    refuses_weights = True  # type: ignore[assignment]


class _nDKL(ViewpointMeasure):
    r"""nDKL — Normalised Discounted Kullback–Leibler Divergence.

    How far protected and other viewpoints in every prefix diverge from the whole ranking.

    Formula
    -------
    .. math::

       \frac{1}{Z} \sum_i \frac{1}{\log_2(i+1)}
       \mathrm{KL}\!\left( \left( \frac{S^+_{1..i}}{i}, \frac{S^-_{1..i}}{i} \right) \Big\|
       \left( \frac{S^+}{N}, \frac{S^-}{N} \right) \right)

    The symbols are as in nDD. A prefix without protected documents, (0, 1), becomes
    (0.001, 0.999). Choices of this package: (1, 0) stays as it is, and the base is 2, which matters
    for ``norm='none'`` only.

    Range
    -----
    As nDD.

    Edge cases
    ----------
    As nDD. Of nDD, nDR and nDKL, the paper finds nDKL the best at telling high levels of bias
    apart.

    For all viewpoints at once, take ``rKL(protected='all', target='run')``. That this is the
    divergence of section 3.4.2 is inferred: the paper says that it is possible "in principle", and
    turns to nDJS because its normaliser is expensive.

    Source
    ------
    Draws et al. (2021), section 3.4.1, equations 4 and 5, and footnote 5.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(nDKL.calc_aggregate(qrels, run), 3)
    0.314
    """

    # Slow version: ndkl_draws in tests/slow_versions/soft.py
    WHERE = f"{KULLBACK}; p = 0.001 where it is 0"
    term = staticmethod(ndkl)
    BOUND = LARGEST_DIVERGENCE


class _nDJS(RunMeasure):
    r"""nDJS — Normalised Discounted Jensen–Shannon Divergence.

    How far all viewpoints in every prefix diverge from the whole ranking.

    Formula
    -------
    .. math::

       \frac{\sum_i w_i \, \mathrm{JSD}(P_i \,\|\, Q)}{\sum_i w_i}, \qquad
       w_i = \frac{1}{\log_2(i+1)}

    The base of JSD is 2. P_i and Q are the shares of all groups among the first i and among all
    annotated documents of the run; a document of m groups counts 1/m towards each. With
    ``norm='none'`` the sum is not divided.

    With a protected group, P_i and Q are the shares of two sides: the protected documents and the
    others, as for nDKL. A document is protected if any of its groups is.

    Range
    -----
    0 to 1, unbounded with ``norm='none'``. 0 is fair. The normaliser is the bound of the divergence
    and not a maximum, so values are much smaller than in nDD and nDKL and cannot be compared
    with them.

    Edge cases
    ----------
    A run whose documents are all protected, or all unprotected, has 0. Every topic is undefined if
    there is only one group, or if all groups are protected: 0, with a warning.

    A topic without results has 1; with ``norm='none'``, the sum of the discounts of ``cutoff``
    documents (1 without a cutoff).

    The population is the whole condensed list, so with a cutoff the value depends on how many
    annotated documents the run returns. Compare condensed lists of equal length only: leave out
    unannotated documents first, then cut all lists to the same depth. Cutting alone is not enough:
    ``nDD@3`` of the same three documents is 0.704 alone, and 0.434 before three others with the
    same groups.

    Source
    ------
    Draws et al. (2021), section 3.4.2, equation 6. Its last sentence proposes the form with two
    sides. The paper does not print Z: the sum of the discounts follows from the bound of 1 that it
    gives for JSD. Section 5.2 recommends to interpret nDJS carefully when the bias is mild.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(nDJS.calc_aggregate(qrels, run), 3)
    0.089
    """

    # Slow version: ndjs in tests/slow_versions/soft.py
    SUPPORTED_PARAMS = {
        "cutoff": params.cutoff(),
        "protected": params.protected("all", default="all"),
        "norm": params.one_of("normaliser: bound (of the divergence) or none", "bound", "none"),
        "groups": params.groups(),
    }
    COMPARES = True
    FORMULA = "Σ {product} / {Z}"
    WHERE = ("product = discount * divergence, divergence = JSD(shares, targets), Z = Σ discount "
             f"or, with norm='none', 1, {JSD_IN_WORDS}")

    def terms(self, view: Rankings) -> Floats:
        codes, n = view.condensed(self.cutoff)
        depth = codes.shape[1]
        w = discounts(n, depth)
        side = self.side(view)
        if side is None:
            Q = self.target(view)
            divergence = divergences_of_prefixes(codes, view.share, jsd, Q)
        else:
            plus = of_ranked(side.sets, codes).cumsum(axis=1)
            P = sides(plus / ranks(depth))
            Q = sides(side.share)
            divergence = jsd(P, Q[:, None, :])
        terms = w * divergence
        Z = np.ones((len(w), 1))
        if self["norm"] != "none":
            Z = w.sum(axis=1, keepdims=True)
        view.note(divergence=divergence, discount=w, product=terms, Z=Z[:, 0])
        return terms * ratio(1.0, Z)

    def score(self, view: Rankings) -> Floats:
        worst = 1.0
        if self["norm"] == "none" and self.cutoff is not None:
            worst = log_discount(self.cutoff).sum()
        values = super().score(view)
        return np.where(view.length == 0, worst, values)


nDD = register(_nDD())
nDR = register(_nDR())
nDKL = register(_nDKL())
nDJS = register(_nDJS())
