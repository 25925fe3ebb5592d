"""Measures of document values: RaB, ARaB, FaiRR, NFaiRR and RankingBias."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from math import inf, nan
from typing import Any

import numpy as np

from pt_fairness.core.arrays import Floats, Ints, log_discount, positions, ranks, ratio, within
from pt_fairness.measures import params
from pt_fairness.measures.measure import FairnessMeasure, Quotient, Range, SignedMeasure
from pt_fairness.measures.measure_names import register
from pt_fairness.rankings.rankings import Rankings


class ValueMeasure(FairnessMeasure):
    """A measure of the values ``v`` of the ranked documents.

    Unjudged and unannotated documents keep their ranks. A document without a value has the value
    of the parameter ``missing``.
    """

    #: Whether values below 0 raise an error.
    NOT_NEGATIVE = False
    CONDENSED = False
    RANGE: Range = (None, None)
    DEFAULT = 0.0

    @property
    def needs_groups(self) -> bool:  # type: ignore[override]
        return isinstance(self.param("values"), dict)

    @property
    def value_source(self) -> Hashable:
        """Hashable key of the value source."""
        values = self.param("values")
        if isinstance(values, dict):
            return tuple(values.items())
        return values

    @property
    def background(self) -> tuple[str, int | None] | None:
        """The name of the background, and ``rel`` if it is ``qrels``, else ``None``.

        Instead of the pair, ``None`` if the ranking is its own background, or there is none.
        """
        name = self.param("background")
        if name in (None, "run"):
            return None
        return name, self.rel if name == "qrels" else None

    def named_labels(self, labels: list[str]) -> list[tuple[str, str]]:
        if not self.needs_groups:
            return []
        return [("values", label) for label in self.param("values")]

    def values(self, view: Rankings) -> tuple[Floats, Ints]:
        """Return the values v and the lengths of the lists, cut at ``cutoff``.

        :returns: values ``[R, D]``, 0 past the end of a list, and lengths ``[R]``
        """
        values, n = self._given_values(view, self.cutoff)
        inside = within(values.shape[1], n)
        values = np.where(inside, self._filled(values), 0.0)
        view.note(number=values)
        return values, n

    def _given_values(self, view: Rankings, cutoff: int | None) -> tuple[Floats, Ints]:
        values = self.param("values")
        if not isinstance(values, dict):
            return view.values(values, cutoff)
        codes, _, n = view.full(cutoff)
        numbers = np.append(set_values(values, view.labels, view.share), nan)
        return numbers[codes], n

    def background_values(self, view: Rankings) -> tuple[Ints, Floats]:
        """Return the row index and the value v of each background document, both ``[N]``.

        The row indices are ascending. They index lists if each ranking is its own background, and
        topics otherwise.
        """
        if self.background is not None:
            row, values = view.background(self.background, self.value_source)
            return row, self._filled(values)
        values, n = self._given_values(view, None)
        inside = within(values.shape[1], n)
        row, _ = np.nonzero(inside)
        return row, self._filled(values[inside])

    def background_sums(self, view: Rankings, row: Ints, values: Floats | None = None) -> Floats:
        """Return the sum of ``values`` over the background of each list, ``[R]``.

        :param row: the row indices of :meth:`background_values`, ``[N]``
        :param values: by default each document counts 1
        """
        rows = view.topic
        if self.background is None:
            rows = np.arange(len(view))
        return np.bincount(row, values, len(view))[rows].astype(float)

    def _filled(self, values: Floats) -> Floats:
        if self.NOT_NEGATIVE and (values < 0).any():
            raise ValueError(f"{self} takes values of at least 0, and a document has "
                             f"{np.nanmin(values):g}; RaB takes values of both signs")
        return np.where(np.isnan(values), self.param("missing"), values)


def set_values(values: Mapping[str, float], labels: Sequence[str], shares: Floats) -> Floats:
    """Return the mean value of each label set, weighted by its shares, ``[S]``.

    :param values: the values by label; other labels have the value 0
    :param shares: the share of each of ``labels`` in each label set, ``[S, L]``
    """
    return shares @ np.array([values.get(label, 0.0) for label in labels], float)


_PARAMS = {"cutoff": params.cutoff(), "values": params.values(), "groups": params.groups()}
_MISSING = "the number of a document that has none"
_SIGNED = {**_PARAMS,
           "missing": params.real(_MISSING, "a finite number", lambda v: True, default=0.0),
           "abs": params.absolute()}
_NOT_NEGATIVE = {**_PARAMS, "missing": params.real(_MISSING, "a number of at least 0",
                                                   lambda v: v >= 0, default=1.0)}
_BACKGROUND = {"background": params.background(), "rel": params.rel()}


class _RaB(Quotient, ValueMeasure, SignedMeasure):
    r"""RaB — Rank Bias.

    Which way the first documents lean, by a number that each document has.

    With 1 for one side and −1 for the other, 0 is unbiased, and 1 says that all documents are of
    the first side. The order does not count.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(RaB(values={"A": 1, "B": -1}), "ABABABABAB", "AAAAAAAAAA")
    ABABABABAB  0.00
    AAAAAAAAAA  1.00

    Formula
    -------
    .. math::

       \frac{1}{n} \sum_{i \le n} v_i

    * v_i: the number of the document at rank i, from ``values``; ``missing`` if it has none.
    * n: the cutoff, or the length of the ranking if that is less.

    Example
    -------
    >>> round(RaB(values={"PRO": 1, "CON": -1}).calc_aggregate(qrels, run), 3)
    0.4

    Details
    -------
    Range
        The range of the numbers. ``abs=True`` gives the absolute value.
    Numbers of labels
        A document of several groups has their mean, weighted by its shares. Labels without a number
        have 0. Unjudged documents count.
    Undefined
        No topic.
    Nothing returned
        The value is 0.
    Errors
        A number that is NaN.
    Differs from the paper
        Its numbers are the value of the female words in a document, less that of the male ones: how
        often they occur, the logarithm of 1 + this number, or whether they do.

    When it misleads
    ----------------
    * Documents without a number count as 0, and look unbiased:

      >>> draw(RaB(values={"A": 1, "B": -1}), "AAAAAAAAAA", "A---------")
      AAAAAAAAAA  1.00
      A---------  0.10

    * Biases of opposite signs cancel out in a mean: report ``abs=True`` with it.
    * The order does not count; ``ARaB`` counts it.

    Source
    ------
    Rekabsaz & Schedl (2020), RaB.
    """

    # Slow version: rab in tests/slow_versions/values.py
    WHERE = "summand = number"
    SUPPORTED_PARAMS = _SIGNED
    SOURCE = ("rekabsaz2020",)

    def summands(self, view: Rankings) -> tuple[Floats, Ints]:
        values, n = self.values(view)
        return self.signed(values), n


class _ARaB(Quotient, ValueMeasure, SignedMeasure):
    r"""ARaB — Average Rank Bias.

    Which way a ranking leans, on average over its depths, by a number that each document has.

    Early documents count more. With 1 for one side and −1 for the other, 0 is unbiased. Ten
    documents of A and B in turn have 0.18. With B at the end they have 0.65.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(ARaB(values={"A": 1, "B": -1}), "ABABABABAB", "AAAAABBBBB")
    ABABABABAB  0.18
    AAAAABBBBB  0.65

    Formula
    -------
    .. math::

       \frac{1}{n} \sum_{t \le n} \mathrm{RaB}@t

    * t: a depth, and RaB@t the mean number of the first t documents (``RaB``).
    * n: the cutoff, or the length of the ranking if that is less.

    Example
    -------
    >>> round(ARaB(values={"PRO": 1, "CON": -1}).calc_aggregate(qrels, run), 3)
    0.663

    Details
    -------
    Range, numbers of labels, undefined, nothing returned, errors
        As for ``RaB``.

    When it misleads
    ----------------
    * Documents without a number count as 0, and opposite biases cancel out in a mean (``RaB``).
    * The first document is in every mean: even the least biased order of both sides is not at 0.

    Source
    ------
    Rekabsaz & Schedl (2020), ARaB.
    """

    # Slow version: arab in tests/slow_versions/values.py
    WHERE = "summand = the mean number so far"
    SUPPORTED_PARAMS = _SIGNED
    SOURCE = ("rekabsaz2020",)

    def summands(self, view: Rankings) -> tuple[Floats, Ints]:
        values, n = self.values(view)
        return self.signed(prefix_means(values, n)), n


def prefix_means(values: Floats, n: Ints) -> Floats:
    """Return the mean of each prefix, ``[R, D]``, 0 past the end of a list.

    :param values: the values, ``[R, D]``
    :param n: the lengths, ``[R]``
    """
    depth = values.shape[1]
    means = values.cumsum(axis=1) / ranks(depth)
    return np.where(within(depth, n), means, 0.0)


class _FaiRR(ValueMeasure):
    r"""FaiRR — Fairness of Retrieval Results.

    How neutral the first documents are, with early ranks counting more.

    More is fairer; the value grows with the cutoff. With 1 for a neutral document and 0 for
    another, ten documents of A and B in turn have 2.52, with B at the end 2.95, and without B 4.54.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(FaiRR(values={"A": 1, "B": 0}), "ABABABABAB", "AAAAABBBBB", "AAAAAAAAAA")
    ABABABABAB  2.52
    AAAAABBBBB  2.95
    AAAAAAAAAA  4.54

    Formula
    -------
    .. math::

       \sum_{i \le n} \frac{v_i}{\log_2(i+1)}

    * v_i: the neutrality of the document at rank i, from ``values``; ``missing`` if it has none.
    * n: the cutoff, or the length of the ranking if that is less.

    Example
    -------
    >>> round(FaiRR(values={"PRO": 0.5, "CON": 1}).calc_aggregate(qrels, run), 3)
    1.94

    Details
    -------
    Range
        0 or more.
    Undefined
        No topic.
    Nothing returned
        0, the least fair.
    Errors
        Numbers below 0 or NaN.
    Differs from the paper
        There v is 1 for a text with at most one gendered word, and ``1 − Σ_g |share of g among
        these words − ½|`` for others.

    When it misleads
    ----------------
    * Documents without a number count as neutral, ``missing=1``:

      >>> draw(FaiRR(values={"A": 1, "B": 0}), "----------")
      ----------  4.54

    * A longer ranking has more; ``NFaiRR`` is a share.

    Source
    ------
    Rekabsaz et al. (2021), FaiRR.
    """

    # Slow version: fairr in tests/slow_versions/values.py
    WHERE = "contribution = number * discount"
    SUPPORTED_PARAMS = _NOT_NEGATIVE
    NOT_NEGATIVE = True
    RANGE = (0.0, None)
    IDEAL = inf
    DEFAULT = 0.0
    SOURCE = ("rekabsaz2021",)

    def check_together(self) -> None:
        if not self.needs_groups:
            return
        for label, number in self["values"].items():
            if number < 0:
                raise ValueError(f"{self.NAME} takes values of at least 0, not {number:g} for "
                                 f"{label!r}; RaB takes values of both signs")

    def terms(self, view: Rankings) -> Floats:
        values, _ = self.values(view)
        w = log_discount(values.shape[1])
        view.note(discount=w[None])
        return values * w


class _NFaiRR(Quotient, _FaiRR):
    r"""NFaiRR — Normalised Fairness of Retrieval Results.

    How neutral the first documents are, as a share of what the documents to choose from allow.

    1 is fair: no order of these documents is more neutral at the top. With 1 for a neutral document
    and 0 for another, ten documents of A and B in turn have 0.86. With B at the end they have 1.00.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(NFaiRR(values={"A": 1, "B": 0}), "ABABABABAB", "AAAAABBBBB")
    ABABABABAB  0.86
    AAAAABBBBB  1.00

    Formula
    -------
    .. math::

       \frac{\mathrm{FaiRR}}{\mathrm{FaiRR}^*}

    * FaiRR: the value of the ranking (``FaiRR``).
    * FaiRR*: the value of the ``background`` in its best order, the most neutral documents first,
      up to the cutoff.

    Example
    -------
    >>> round(NFaiRR(values={"PRO": 0.5, "CON": 1}).calc_aggregate(qrels, run), 3)
    0.847

    Details
    -------
    Range
        0 to 1 with ``background='run'``, else 0 or more.
    Undefined
        A topic without documents in the background.
    Nothing returned
        0, the least fair; 0 also where FaiRR* is 0.
    Errors
        Numbers below 0 or NaN.
    Differs from the paper
        There the background is the first 200 documents of BM25.

    When it misleads
    ----------------
    * The ranking is its own background by default: one neutral document on top is enough.

      >>> draw(NFaiRR(values={"A": 1, "B": 0}), "ABBBBBBBBB", "BAAAAAAAAA")
      ABBBBBBBBB  1.00
      BAAAAAAAAA  0.83

      Give the run of a first stage as ``background``.
    * Documents without a number count as neutral, ``missing=1``.

    Source
    ------
    Rekabsaz et al. (2021), NFaiRR.
    """

    # Slow version: nfairr in tests/slow_versions/values.py
    WHERE = "summand = number * discount, divisor = its sum in the best order of the background"
    SUPPORTED_PARAMS = {**_NOT_NEGATIVE, **_BACKGROUND}
    RANGES = {("background", "run"): (0.0, 1.0)}

    def summands(self, view: Rankings) -> tuple[Floats, Floats]:
        row, values = self.background_values(view)
        order = np.lexsort((-values, row))
        place = positions(row)
        gains = values[order] / np.log2(place + 2.0)
        if self.cutoff is not None:
            gains = np.where(place < self.cutoff, gains, 0.0)
        return _FaiRR.terms(self, view), self.background_sums(view, row, gains)

    def defined(self, view: Rankings) -> Any:
        row, _ = self.background_values(view)
        # A ranking that is its own background is never undefined.
        return (self.background is None) | (self.background_sums(view, row) > 0)


class _RankingBias(ValueMeasure, SignedMeasure):
    r"""RankingBias — Ranking Bias.

    How biased the order of a ranking is, beyond the documents that it has.

    0 says that the order adds no bias, a value above 0 that it favours larger numbers. With 1 for
    one side and −1 for the other, ten documents of A and B in turn have 0.18. With B at the end
    they have 0.65.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(RankingBias(values={"A": 1, "B": -1}), "ABABABABAB", "AAAAABBBBB")
    ABABABABAB  0.18
    AAAAABBBBB  0.65

    Formula
    -------
    .. math::

       \mathrm{ARaB}@k - \frac{1}{|B|} \sum_{d \in B} v_d

    * ARaB@k: the output bias of the ranking, up to the cutoff k (``ARaB``).
    * B: the ``background``, by default the whole ranking; v_d is the number of its document d.
      Their mean is the input bias.

    Example
    -------
    >>> round(RankingBias(values={"PRO": 1, "CON": -1}).calc_aggregate(qrels, run), 3)
    0.263

    Details
    -------
    Range
        −2 to 2 for numbers from −1 to 1. ``abs=True`` gives the absolute value.
    Undefined
        A topic without documents in the background.
    Nothing returned
        0 less the input bias; 0 with ``background='run'``.
    Errors
        A number that is NaN.
    Differs from the paper
        There the background is all items that are relevant to the query, before they are ranked.

    When it misleads
    ----------------
    * The ranking is its own background by default: a one-sided ranking has no bias.

      >>> draw(RankingBias(values={"A": 1, "B": -1}), "AAAAAAAAAA")
      AAAAAAAAAA  0.00

      ``background='qrels'`` compares with the relevant documents.
    * Documents without a number count as 0, and opposite biases cancel out in a mean.

    Source
    ------
    Kulshrestha et al. (2017, 2019), ranking bias RB(q, r).
    """

    # Slow version: ranking_bias in tests/slow_versions/values.py
    FORMULA = "Σ {mean so far} / {n} - {mean of the background}"
    SUPPORTED_PARAMS = {**_SIGNED, **_BACKGROUND}
    SOURCE = ("kulshrestha2017", "kulshrestha2019")

    def score(self, view: Rankings) -> Floats:
        row, values = self.background_values(view)
        size = self.background_sums(view, row)
        mean = ratio(self.background_sums(view, row, values), size)
        values, n = self.values(view)
        means = prefix_means(values, n)
        view.note(mean_so_far=means, n=n, mean_of_the_background=mean)
        bias = ratio(means.sum(axis=1), n)
        defined = (self.background is None) | (size > 0)
        return np.where(defined, self.signed(bias - mean), nan)


RaB = register(_RaB())
ARaB = register(_ARaB())
FaiRR = register(_FaiRR())
NFaiRR = register(_NFaiRR())
RankingBias = register(_RankingBias())
