"""Diversity: nDD, nDR, nDKL and nDJS (Draws et al. 2021), RADio (Vrijenhoek et al. 2022)."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from pt_fairness.core.arrays import (
    JSD_IN_WORDS,
    LARGEST_DIVERGENCE,
    LARGEST_RATIO,
    ROUNDING,
    SMALLEST_SHARE,
    Floats,
    binary_kl,
    divergences_of_prefixes,
    jsd,
    jsd_terms,
    kl,
    log_discount,
    ranks,
    ratio,
)
from pt_fairness.measures import params
from pt_fairness.measures.distribution import (
    ATTENTION,
    PERSISTENCE,
    DistributionMeasure,
    or_uniform,
)
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
from pt_fairness.rankings.protected import Side, distribution, side_of
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

    How far the share of the protected viewpoint, at every depth, is from its share in the whole
    ranking.

    0 is fair, 1 is the least fair order of the documents returned, and early ranks count more. Ten
    documents with five of B, in turn with A, have 0.39. With B at the end they have 1.00. Even the
    fairest order is above 0. Only the order counts, not what was returned.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(nDD(protected="B"), "ABABABABAB", "AAAAABBBBB")
    ABABABABAB  0.39
    AAAAABBBBB  1.00

    Formula
    -------
    .. math::

       \frac{1}{Z} \sum_{i \le n} \frac{1}{\log_2(i+1)}
       \left| \frac{S^+_i}{i} - \frac{S^+}{N} \right|

    * i: a rank among the documents with a group, up to the cutoff n.
    * S⁺_i: the protected documents among the first i.
    * S⁺/N: the share of protected documents in the whole ranking.
    * Z: the largest sum that an order of these documents can have.

    Example
    -------
    >>> round(nDD.calc_aggregate(qrels, run), 3)
    0.473

    Details
    -------
    Range
        0 to 1 with ``norm='max'`` and ``'range'``, else 0 or more.
    Protected group
        The *minority* is the group with the fewest documents in the ranking, of those that have
        any.
    Norm
        With ``'protected-first'``, values can be above 1 if the protected group is the larger one.
        ``'range'`` is as in ``rND``.
    Undefined
        Every topic, if there is only one group or all are protected.
    Nothing returned
        1, the least fair. With ``norm='none'``, the sum whose differences are all the largest that
        shares of at least 0.001 allow: 1 in nDD, 999 in nDR, −log2 0.001 in nDKL; without a cutoff,
        one of them.
    Differs from the paper
        Equation 2 divides by the value of "the maximally unfair permutation", and leaves how to
        find it to a supplement. ``'protected-first'`` is inferred from the values: nDD and nDKL are
        1 at α = −1, means at α = 1 are within 0.011 of the published ones, and nDR is above 1
        (section 4.2.1), which no exact maximum allows. The exact maximum is a choice of this
        package.

    When it misleads
    ----------------
    * A ranking is compared with itself. Without the viewpoint it has 0:

      >>> draw(nDD(protected="B"), "AAAAAAAAAA", "AAAAABAAAA")
      AAAAAAAAAA  0.00
      AAAAABAAAA  0.24

    * With a cutoff, the value depends on how many documents follow. Three documents alone, and
      before three others:

      >>> draw(nDD(protected="B") @ 3, "BBA", "BBABBA")
      BBA  0.70
      BBABBA  0.43

      Cut the rankings to :ref:`equal lengths <equal-lengths>`.
    * It is the most sensitive to mild bias; for strong bias of balanced viewpoints the paper
      prefers nDKL.

    Source
    ------
    Draws et al. (2021), section 3.4.1.
    """

    # Slow version: ndd in tests/slow_versions/soft.py
    WHERE = DIFFERENCE
    term = staticmethod(rnd)
    BOUND = 1.0


class _nDR(ViewpointMeasure):
    r"""nDR — Normalised Discounted Ratio.

    How far the ratio of the protected viewpoint to the others, at every depth, is from the ratio in
    the whole ranking.

    0 is fair, 1 is the least fair order of the documents returned, and early ranks count more. Ten
    documents with five of B, in turn with A, have 0.24. With B at the end they have 0.57. Even the
    fairest order is above 0. Only the order counts, not what was returned.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(nDR(protected="B"), "ABABABABAB", "AAAAABBBBB")
    ABABABABAB  0.24
    AAAAABBBBB  0.57

    Formula
    -------
    .. math::

       \frac{1}{Z} \sum_{i \le n} \frac{1}{\log_2(i+1)}
       \left| \frac{S^+_i}{S^-_i} - \frac{S^+}{S^-} \right|

    * i: a rank among the documents with a group, up to the cutoff n.
    * S⁺_i, S⁻_i: the protected and other documents among the first i.
    * S⁺/S⁻: the ratio of both in the whole ranking. A ratio with 0 below is 0.
    * Z: the largest sum that an order of these documents can have.

    Example
    -------
    >>> round(nDR.calc_aggregate(qrels, run), 3)
    0.749

    Details
    -------
    Range, protected group, norm, undefined, nothing returned, differs from the paper
        As for ``nDD``. ``'protected-first'`` does not bound the value. The paper has equation 3.

    When it misleads
    ----------------
    * Most values are small in long rankings, because Z belongs to a ranking with many protected
      documents to one other. Random orders of two equal groups have a median of 0.39 for ten
      documents and of 0.05 for fifty, where nDD has 0.53 and 0.3.
    * The group at the top has another value than the group at the end:

      >>> draw(nDR(protected="B"), "BBBBBAAAAA", "AAAAABBBBB")
      BBBBBAAAAA  0.81
      AAAAABBBBB  0.57

    * The paper does not recommend it: it hardly tells degrees of bias against the protected group
      apart (section 5.1, consideration 2), although it is the least vulnerable if the protected
      group is small (consideration 1).
    * A ranking without the viewpoint has 0, and rankings need equal lengths; see ``nDD``.

    Source
    ------
    Draws et al. (2021), section 3.4.1.
    """

    # Slow version: ndr in tests/slow_versions/soft.py
    WHERE = RATIO
    term = staticmethod(rrd)
    BOUND = LARGEST_RATIO
    refuses_weights = True  # type: ignore[assignment]


class _nDKL(ViewpointMeasure):
    r"""nDKL — Normalised Discounted Kullback–Leibler Divergence.

    How far protected and other viewpoints diverge, at every depth, from their shares in the whole
    ranking.

    0 is fair, 1 is the least fair order of the documents returned, and early ranks count more. Ten
    documents with five of B, in turn with A, have 0.33. With B at the end they have 0.99. Even the
    fairest order is above 0. Only the order counts, not what was returned.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(nDKL(protected="B"), "ABABABABAB", "AAAAABBBBB")
    ABABABABAB  0.33
    AAAAABBBBB  0.99

    Formula
    -------
    .. math::

       \frac{1}{Z} \sum_{i \le n} \frac{1}{\log_2(i+1)}
       \mathrm{KL}\!\left( \left( \frac{S^+_i}{i}, \frac{S^-_i}{i} \right) \Big\|
       \left( \frac{S^+}{N}, \frac{S^-}{N} \right) \right)

    * i: a rank among the documents with a group, up to the cutoff n.
    * S⁺_i, S⁻_i: the protected and other documents among the first i.
    * S⁺/N, S⁻/N: their shares in the whole ranking.
    * KL: the Kullback–Leibler divergence, base 2.
    * Z: the largest sum that an order of these documents can have.

    Example
    -------
    >>> round(nDKL.calc_aggregate(qrels, run), 3)
    0.314

    Details
    -------
    Shares of 0
        Where no document is protected so far, the shares (0, 1) become (0.001, 0.999). That (1, 0)
        stays is a choice of this package.
    All viewpoints
        ``rKL(protected='all', target='run')``. That it is the divergence of section 3.4.2 is
        inferred: the paper calls it possible "in principle", and turns to nDJS because its
        normaliser is expensive.
    Range, protected group, norm, undefined, nothing returned, differs from the paper
        As for ``nDD``. The paper has equations 4 and 5 and footnote 5, without a base.

    When it misleads
    ----------------
    * It is small for mild bias, and best at telling high levels of bias apart, as the paper finds.
    * A ranking without the viewpoint has 0, and rankings need equal lengths; see ``nDD``:

      >>> draw(nDKL(protected="B"), "AAAAAAAAAA", "AAAAABAAAA")
      AAAAAAAAAA  0.00
      AAAAABAAAA  0.11

    Source
    ------
    Draws et al. (2021), section 3.4.1.
    """

    # Slow version: ndkl_draws in tests/slow_versions/soft.py
    WHERE = f"{KULLBACK}; p = 0.001 where it is 0"
    term = staticmethod(ndkl)
    BOUND = LARGEST_DIVERGENCE


class _nDJS(RunMeasure):
    r"""nDJS — Normalised Discounted Jensen–Shannon Divergence.

    How far all viewpoints diverge, at every depth, from their shares in the whole ranking.

    0 is fair, and early ranks count more. The values are much smaller than in nDD and nDKL. Ten
    documents with five of B, in turn with A, have 0.07. With B at the end they have 0.21. Only the
    order counts, not what was returned.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(nDJS, "ABABABABAB", "AAAAABBBBB")
    ABABABABAB  0.07
    AAAAABBBBB  0.21

    Formula
    -------
    .. math::

       \frac{\sum_{i \le n} w_i \, \mathrm{JSD}(P_i \,\|\, Q)}{\sum_{i \le n} w_i}, \qquad
       w_i = \frac{1}{\log_2(i+1)}

    * i: a rank among the documents with a group, up to the cutoff n.
    * P_i: the shares of all groups among the first i; a document of m groups counts 1/m for each.
    * Q: their shares in the whole ranking.
    * JSD: the Jensen–Shannon divergence, base 2.

    Example
    -------
    >>> round(nDJS.calc_aggregate(qrels, run), 3)
    0.089

    Details
    -------
    Range
        0 to 1; 0 or more with ``norm='none'``, where the sum is not divided.
    Protected group
        With one, the shares are those of two sides: documents with a protected group, and the
        others.
    Undefined
        Every topic, if there is only one group or all are protected.
    Nothing returned
        1, the least fair; with ``norm='none'`` and a cutoff, the sum of the discounts.
    Differs from the paper
        Z of equation 6 is not printed: the sum of the discounts follows from the bound of 1 of JSD.
        The last sentence of the section proposes two sides.

    When it misleads
    ----------------
    * Its normaliser is a bound, not a maximum: values cannot be compared with those of nDD and
      nDKL. The paper advises care where the bias is mild (section 5.2).
    * A ranking without a viewpoint is compared with itself alone:

      >>> draw(nDJS, "AAAAAAAAAA", "AAAAABAAAA")
      AAAAAAAAAA  0.00
      AAAAABAAAA  0.03

    * Rankings need equal lengths (``nDD``).

    Source
    ------
    Draws et al. (2021), section 3.4.2.
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
            plus = side.ranked(codes).cumsum(axis=1)
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


DIVERGENCE = params.one_of("divergence: the root of the Jensen-Shannon divergence (jsd) or the "
                           "Kullback-Leibler divergence (kl)", "jsd", "kl")
DISCOUNT = params.discount("mmr", "log2", "trec", "geometric", "none")
ALPHA = params.real("share of the other distribution that is mixed into each",
                    "a number of at least 0 and below 0.5", lambda v: 0 <= v < 0.5, default=0.001)


class _RADio(DistributionMeasure):
    r"""RADio — Rank-Aware Divergence.

    How far the groups of the first documents are from a context, by default the whole ranking.

    0 says that the groups are as in the context. Whether that is good depends on the norm. Early
    ranks count more. Of ten documents with five of B, in turn with A, the value is 0.09. With B at
    the end it is 0.25.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(RADio, "ABABABABAB", "AAAAABBBBB")
    ABABABABAB  0.09
    AAAAABBBBB  0.25

    Formula
    -------
    .. math::

       \sqrt{\mathrm{JSD}(\tilde P, \tilde Q)}, \qquad
       \tilde P = (1 - \alpha) P + \alpha Q, \quad \tilde Q = (1 - \alpha) Q + \alpha P

    * JSD: the Jensen–Shannon divergence, base 2.
    * P: the shares of the groups in the discounts of the first documents, counted over those that
      have a group; a document of m groups counts 1/m for each.
    * Q: the context: ``target``, without a discount.
    * α is ``alpha``, the share of each that is mixed into the other.

    Example
    -------
    >>> round(RADio.calc_aggregate(qrels, run), 3)
    0.095

    Details
    -------
    Range
        0 to 1, without 1. With ``divergence='kl'``, which is KL(Q̃ ‖ P̃), 0 or more.
    The measures of the paper
        Representation and Alternative Voices: the whole ranking is the context. Calibration: the
        user's history, a registered target. Activation: the labels are bins of a number.
        Fragmentation, of several users' rankings, is not covered.
    Documents without a group
        With ``target='run'``, a ranking of such documents alone has a uniform context.
    Undefined
        A topic without a relevant document that has a group (``target='qrels'``). Every topic, if
        there is only one group.
    Nothing returned
        The value 1; with ``divergence='kl'``, the largest value of a ranking of one group.
    Relation to AWRF
        AWRF is ``1 − RADio²`` for ``alpha=0`` and the same discount and target. ``alpha=0`` with
        ``divergence='kl'`` raises a ValueError.
    Differs from the paper
        Its published code approximates the harmonic numbers, and counts a document of m labels m
        times.

    When it misleads
    ----------------
    * A ranking without a group has 0, if the context is the ranking itself:

      >>> draw(RADio, "AAAAAAAAAA", "AABAAAABAA")
      AAAAAAAAAA  0.00
      AABAAAABAA  0.05

    * A large value can be wanted.

    Source
    ------
    Vrijenhoek et al. (2022), with the smoothing of their package RADio.
    """

    # Slow version: radio in tests/slow_versions/attention.py
    SOURCE = ("vrijenhoek2022",)
    RANGES = {("divergence", "kl"): (0.0, None)}
    WHERE = (f"{ATTENTION}, mixed attention = (1 - alpha) * attention + alpha * target, mixed "
             f"target = (1 - alpha) * target + alpha * attention, {JSD_IN_WORDS}")
    SUPPORTED_PARAMS = {
        **params.CUTOFF_AND_REL,
        "target": params.target("run"),
        "divergence": DIVERGENCE,
        "discount": DISCOUNT,
        "p": PERSISTENCE,
        "alpha": ALPHA,
        "unannotated": params.unannotated(),
        "groups": params.groups(),
    }

    def check_together(self) -> None:
        if self["divergence"] == "kl" and self["alpha"] == 0:
            raise ValueError(f"alpha must be above 0 for divergence='kl', got {self}")

    def formula(self) -> str:
        if self["divergence"] == "jsd":
            return "sqrt(JSD({mixed attention}, {mixed target}))"
        return "KL({mixed target}, {mixed attention})"

    def compare(self, view: Rankings, target: Floats) -> Floats:
        alpha = self["alpha"]
        q = or_uniform(target)
        p, n = self.attention(view)
        p_mixed = (1.0 - alpha) * p + alpha * q
        q_mixed = (1.0 - alpha) * q + alpha * p
        view.note(view.labels, mixed_attention=p_mixed, mixed_target=q_mixed)
        if self["divergence"] == "jsd":
            divergence = jsd_terms(p_mixed, q_mixed).sum(axis=1) / math.log(4)
            distance = np.sqrt(np.maximum(divergence, 0.0))
            distance[distance < ROUNDING] = 0.0
            return np.where(n == 0, 1.0, distance)
        return np.where(n == 0, self.largest(q), kl(q_mixed, p_mixed))

    def largest(self, target: Floats) -> Floats:
        """Return the largest ``KL(Q̃ ‖ P̃)`` of all lists of one group, ``[R]``."""
        alpha = self["alpha"]
        q = (1.0 - alpha) * target + alpha
        p = alpha * target + 1.0 - alpha
        rest = (1.0 - alpha) * (1.0 - target)
        rest_ratio = (1.0 - alpha) / alpha
        divergence = q * np.log2(q / p) + rest * np.log2(rest_ratio)
        return divergence.max(axis=1)


nDD = register(_nDD())
nDR = register(_nDR())
nDKL = register(_nDKL())
nDJS = register(_nDJS())
RADio = register(_RADio())
