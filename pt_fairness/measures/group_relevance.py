"""Group fairness weighted by relevance: GF and GFR (Sakai et al. 2023)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar

import numpy as np

from pt_fairness.core import arrays
from pt_fairness.core.arrays import BLOCK_CELLS, JSD_IN_WORDS, Bools, Floats, Ints, jsd, ratio
from pt_fairness.core.messages import listed
from pt_fairness.measures import params
from pt_fairness.measures.distribution import TARGET, or_uniform
from pt_fairness.measures.measure import FairnessMeasure, Keys
from pt_fairness.measures.measure_names import register
from pt_fairness.rankings.rankings import Rankings


def places_in_order(labels: Sequence[str], order: str | None,
                    declared: Sequence[str] | None) -> list[int]:
    """Return the indices that sort the labels from the lowest to the highest.

    :param labels: the label set
    :param order: the labels in order, joined by commas
    :param declared: the order that the Groups object declares
    :raises ValueError: if the labels lack an order, or the order lacks a label
    """
    ordered = list(declared or ()) if order is None else order.split(",")
    try:
        keys = list(map(ordered.index if ordered else _finite, labels))
    except ValueError:
        raise ValueError(f"an ordinal divergence needs an order of all labels {listed(labels)}: "
                         "numbers as labels, order='…' from the lowest to the highest, or a Groups "
                         "object that declares their order") from None
    return sorted(range(len(labels)), key=keys.__getitem__)


def _finite(label: str) -> float:
    number = float(label)
    if not math.isfinite(number):
        raise ValueError
    return number


def nmd(p: Floats, q: Floats) -> Floats:
    """Return ``Σ_g |cumP_g − cumQ_g| / (L − 1)`` over the last axis; 0 if L = 1."""
    differences = np.cumsum(p - q, axis=-1)
    sums = abs(differences).sum(axis=-1)
    return ratio(sums, p.shape[-1] - 1)


def rnod(p: Floats, q: Floats) -> Floats:
    """Return ``√(OD / (L − 1))`` over the last axis; 0 if L = 1.

    OD is the mean of ``Σ_j |i − j| · (p_j − q_j)²`` over the indices i with q_i > 0.
    """
    i = np.arange(p.shape[-1])
    distance = abs(i[:, None] - i)
    distances = (p - q) ** 2 @ distance
    present = q > 0
    sums = (distances * present).sum(axis=-1)
    od = ratio(sums, present.sum(axis=-1))
    squares = ratio(od, p.shape[-1] - 1)
    return np.sqrt(squares)


_STOPPING = {
    "cutoff": params.cutoff(),
    "rel": params.rel(),
    "gains": params.gains("exp"),
    "max_rel": params.whole("highest relevance grade; by default the highest of the qrels",
                            smallest=1),
}


#: What the names in the formulas mean.
CHANCE = ("chance = s * Π (1 - s) of the ranks above, s = G / (largest G + 1), G the gain of the "
          "label, by default 2 ** label - 1, utility = max(0, 1 - divergence of the shares from "
          f"the targets), where jsd is {JSD_IN_WORDS}")


def stops(gain: Floats, largest: Floats) -> Floats:
    """Return s_i = G_i / (G_max + 1), the probability that a document satisfies the user."""
    return gain / (largest + 1.0)


def decay(s: Floats) -> Floats:
    """Return Decay_i = s_i · Π_{j<i} (1 − s_j), the probability to stop at each rank, ``[R, D]``.

    Examples
    --------
    >>> import numpy as np
    >>> decay(np.array([[0.5, 0.0, 0.5]])).tolist()
    [[0.5, 0.0, 0.25]]
    """
    goes_on = np.ones(s.shape)
    goes_on[:, 1:] -= s[:, :-1]
    reaches = np.cumprod(goes_on, axis=1)
    return s * reaches


def similarity(divergence: Floats) -> Floats:
    """Return max(0, 1 − Div(P_i, T)), the utility of GF at rank i."""
    return np.maximum(0.0, 1.0 - divergence)


def err(i: Any) -> Floats:
    """Return 1 / i, the utility of expected reciprocal rank at rank i."""
    return 1.0 / i


def rbu(i: Any, phi: float) -> Floats:
    """Return φ^i, the utility of intentwise rank-biased utility at rank i."""
    return phi ** i


class StoppingMeasure(FairnessMeasure):
    """A measure that models a user who reads the ranking until a document satisfies them."""

    SOURCE: ClassVar[Keys] = ("sakai2023",)
    IDEAL = 1.0
    CONDENSED = False
    RELEVANCE = True
    EVEN = True

    def expected(self, view: Rankings, utility: Callable[[Ints, Ints, Ints], Floats]) -> Floats:
        """Return what each rank adds to the expected utility, ``[R, D]``.

        :param utility: takes the codes of the lists, ``[R, D]``, the indices of some lists,
            ``[M]``, and a 0-based rank in each, ``[M]``; returns the utility of reading each list
            down to that rank, ``[M]``
        """
        codes, relevance, _ = view.full(self.cutoff)
        chances = self.chances(relevance, view.highest_relevance_of_all)
        row, place = np.nonzero(chances)
        utilities = np.zeros(chances.shape)
        utilities[row, place] = utility(codes, row, place)
        view.note(chance=chances, utility=utilities)
        return chances * utilities

    def defined(self, view: Rankings) -> Bools:
        highest = view.highest_relevance
        return (highest >= self.rel) & (highest > 0)

    def chances(self, relevance: Any, highest: Any) -> Floats:
        """Return the probability that the user stops at each rank, ``[R, D]``.

        :param relevance: ``[R, D]``
        :param highest: the highest relevance grade, used if ``max_rel`` is not set
        """
        highest = self.param("max_rel") or highest
        grades = np.minimum(relevance, highest)
        grades = np.where(relevance >= self.rel, grades, 0)
        gain = partial(arrays.gain, self.param("gains"), rel=0)
        s = stops(gain(grades), gain(highest))
        return decay(s)


class _GF(StoppingMeasure):
    r"""GF — Group Fairness.

    How close the groups are to a target distribution, for a user who stops at a relevant document.

    Larger is fairer and more relevant; 1 is out of reach. If the target is equal shares, ten
    relevant documents have 0.84 with five of B spread evenly, 0.75 with two, 0.69 with one, and
    0.69 without B. Few users come as far as B at the end: 0.70.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(GF, "ABABABABAB", "AAAAABBBBB")
    ABABABABAB  0.84
    AAAAABBBBB  0.70

    Formula
    -------
    .. math::

       \sum_{i \le n} \mathrm{Decay}_i \cdot \max(0,\, 1 - \mathrm{Div}(P_i, T)), \qquad
       \mathrm{Decay}_i = s_i \prod_{j<i} (1 - s_j), \quad s_i = \frac{G_i}{G_{\max} + 1}

    * i: a rank of the whole ranking; n is its last one, or the cutoff.
    * Decay_i: the probability that the user stops at rank i.
    * s_i: the probability to be satisfied there: G_i is the gain of the document (``gains``), G_max
      the gain of the grade ``max_rel``.
    * P_i: the mean shares of the groups over the first i documents. A document of m groups counts
      1/m for each. One without a group counts equally for all groups.
    * T: the target, by default equal shares.
    * Div is ``divergence``.

    Example
    -------
    >>> round(GF.calc_aggregate(qrels, run), 3)
    0.64

    Details
    -------
    Range
        0 to 1, without 1.
    Grades
        Grades above ``max_rel`` count as ``max_rel``, and all relevant documents if it is below
        ``rel``. Set it if topics are evaluated in batches.
    Divergence
        ``'jsd'``: the Jensen–Shannon divergence, base 2. ``'nmd'``: ``Σ_g |cumP_g − cumT_g| / (L −
        1)``, where cumP and cumT are sums of the shares up to label g, of L labels. ``'rnod'``:
        ``√(OD / (L − 1))``, where OD is the mean of ``Σ_j |i − j| · (P_j − T_j)²`` over the labels
        i with a target above 0. It is 0 for a single label, and counts as 1 above 1. Labels without
        an order raise a ValueError.
    Undefined
        A topic without a relevant document; with ``target='qrels'``, without one that has a group.
    Nothing returned
        0, the least fair. With ``target='run'``, a ranking of documents without a group is compared
        with equal shares.

    When it misleads
    ----------------
    * Documents that are not relevant (in lower case) can raise it, because the user sees more
      before stopping. Read the relevance alone beside it, ``GFR(attributes={})``.

      >>> draw(GF, "ABABABABAB", "abababABAB")
      ABABABABAB  0.84
      abababABAB  0.94

    * A missing group leaves it far above 0.

    Source
    ------
    Sakai et al. (2023), with the conventions of the tool NTCIREVAL of the FairWeb task.
    """

    # Slow version: gf in tests/slow_versions/group_fairness.py
    WHERE = f"contribution = chance * utility, {CHANCE}"
    SUPPORTED_PARAMS = {
        **_STOPPING,
        "divergence": params.one_of("divergence of the groups from the target: jsd (for labels "
                                    "without an order), nmd or rnod (for labels with one)",
                                    *params.DIVERGENCES),
        "order": params.ORDER,
        "target": TARGET,
        "groups": params.groups(),
    }

    def terms(self, view: Rankings) -> Floats:
        size = len(view.labels)
        target = or_uniform(self.target(view))
        # Row −1 holds the shares of an unannotated document, code −1.
        even = np.full(size, 1.0 / max(size, 1))
        shares = np.vstack([view.share, even])
        divergence = jsd
        if self["divergence"] != "jsd":
            divergence = nmd if self["divergence"] == "nmd" else rnod
            order = places_in_order(view.labels, self.param("order"), view.order)
            shares = shares[:, order]
            target = target[:, order]

        def utility(codes: Ints, row: Ints, place: Ints) -> Floats:
            p = prefix_shares(codes, shares, row, place)
            differences = divergence(p, target[row])
            return similarity(differences)

        return self.expected(view, utility)

    def defined(self, view: Rankings) -> Bools:
        target = self.target(view)
        has_target = target.any(axis=1) | (self.reads_run and bool(view.labels))
        return super().defined(view) & has_target


def prefix_shares(codes: Ints, rows: Floats, row: Ints, place: Ints) -> Floats:
    """Return the mean row of the documents down to each given rank, ``[M, L]``.

    :param codes: the index of each document into ``rows``, ``[R, D]``; −1 is the last row
    :param rows: ``[S, L]``
    :param row: the index of the list, ``[M]``
    :param place: the 0-based rank in this list, ``[M]``
    """
    shares = np.empty((len(row), rows.shape[1]))
    size = max(1, BLOCK_CELLS // max(1, codes.size))
    for start in range(0, rows.shape[1], size):
        labels = slice(start, start + size)
        sums = rows[:, labels][codes].cumsum(axis=1)
        shares[:, labels] = sums[row, place]
    shares /= place[:, None] + 1.0
    return shares


class _GFR(StoppingMeasure):
    r"""GFR — Group Fairness and Relevance.

    The mean of the relevance of a ranking and of its group fairness for several attributes.

    Larger is fairer and more relevant; 1 is out of reach. Each attribute, such as gender or region,
    has its own groups and target. With one attribute and equal shares, ten relevant documents of A
    and B in turn have 0.77, and 0.69 without B.

    >>> from pt_fairness import groups
    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> letter = groups.from_pattern("[A-Z]")
    >>> draw(GFR(attributes={letter: "jsd"}), "ABABABABAB", "AAAAAAAAAA")
    ABABABABAB  0.77
    AAAAAAAAAA  0.69

    Formula
    -------
    .. math::

       \frac{R + \sum_a \mathrm{GF}_a}{1 + \text{number of attributes}}

    * GF_a is ``GF`` with the groups, the divergence and the target of attribute a.
    * R: the relevance: ``Σ Decay_i / i`` with ``relevance='err'``, expected reciprocal rank; ``Σ
      φ^i · Decay_i`` with ``relevance='rbu'``, intentwise rank-biased utility, where φ is ``phi``.
      Decay_i is the probability to stop at rank i, as in GF.

    Example
    -------
    >>> from pt_fairness import groups
    >>> stance = groups.from_mapping({"a": "PRO", "b": "PRO", "c": "CON", "d": "PRO"})
    >>> gender = groups.from_mapping({"a": "F", "b": "M", "c": "M", "d": "M"})
    >>> measure = GFR(attributes={stance: "jsd", gender: "jsd"})
    >>> round(measure.calc_aggregate(qrels, run), 3)
    0.671

    Details
    -------
    Range
        0 to 1, without 1.
    Attributes
        ``attributes={'gender':'jsd','hindex':'nmd'}``, ``targets={'hindex':'qrels'}``. With
        ``attributes={}``, the value is R. Ordered labels are numbers, or their Groups object
        declares the order.
    Undefined
        A topic for which R or a GF is undefined. A topic that a group source drops is left out.
    Nothing returned
        0, the least fair.

    When it misleads
    ----------------
    * A relevant, unfair ranking can have the value of a fair one with less relevance: read each
      ``GF``, and R, beside it.
    * A missing group changes little: above, 0.77 falls to 0.69.

    Source
    ------
    Sakai et al. (2023).
    """

    # Slow version: gfr in tests/slow_versions/group_fairness.py
    WHERE = f"contribution = the mean of chance * utility of the parts, {CHANCE}"
    needs_groups = False
    SUPPORTED_PARAMS = {
        "attributes": params.ATTRIBUTES,
        "targets": params.TARGETS,
        **_STOPPING,
        "relevance": params.one_of("relevance: err (expected reciprocal rank) or rbu (intentwise "
                                   "rank-biased utility)", "err", "rbu"),
        "phi": params.persistence(0.99, "persistence of rbu"),
    }

    def check_together(self) -> None:
        if not self["attributes"].keys() >= self["targets"].keys():
            raise ValueError(f"targets must be of attributes, got {self}")

    def terms(self, view: Rankings) -> Floats:
        utility = err
        if self["relevance"] == "rbu":
            utility = partial(rbu, phi=self["phi"])
        return self.expected(view, lambda codes, row, place: utility(place + 1.0))

    @property
    def parts(self) -> Sequence[FairnessMeasure]:
        """The measure itself, which is R, and GF of each attribute."""
        targets = self["targets"]
        shared = {name: self.params[name] for name in _STOPPING if name in self.params}
        parts: list[FairnessMeasure] = [self]
        for source, divergence in self["attributes"].items():
            target = targets.get(source, "uniform")
            parts.append(_GF(**shared, groups=source, divergence=divergence, target=target))
        return parts

    def compose(self, values: Sequence[Floats]) -> Floats:
        return np.mean(values, axis=0)


GF = register(_GF())
GFR = register(_GFR())
