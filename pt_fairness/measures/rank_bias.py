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
        """The name of the background and its minimum relevance, ``None`` unless it is ``qrels``.

        The property is ``None`` if the background is the ranking itself, or if the measure lacks
        a background.
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


def set_values(values: Mapping[str, float], labels: Sequence[str],
                  shares: Floats) -> Floats:
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

    The mean, over the first documents, of a number that each document has.

    Formula
    -------
    .. math::

       \frac{1}{n} \sum_{i \le n} v_i

    v_i is the number of the document at rank i by ``values``, and ``missing`` if it has none; n is
    the cutoff, or the length of the list if that is less. Where ``values`` is a number for each
    label of the groups, a document of several groups has their mean, weighted by its shares in
    them, and labels that are not named count 0.

    Range
    -----
    The range of the values; 0 is unbiased. ``abs=True`` gives the absolute value.

    Edge cases
    ----------
    0 where nothing was returned. Unjudged documents count. A value that is NaN is an error.

    Source
    ------
    Rekabsaz and Schedl (2020), RaB. There v is the value of the female words in a document minus
    the value of the male words. The value of a set of words is their number of occurrences, the
    logarithm of 1 + this number, or 1 if there is any and 0 otherwise.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(RaB(values={"PRO": 1, "CON": -1}).calc_aggregate(qrels, run), 3)
    0.4
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

    The mean of RaB over the prefixes of the ranking, so that earlier documents count more.

    Formula
    -------
    .. math::

       \frac{1}{n} \sum_{t \le n} \mathrm{RaB}@t

    n is as in RaB.

    Range
    -----
    The range of the values; 0 is unbiased. ``abs=True`` gives the absolute value.

    Edge cases
    ----------
    0 where nothing was returned. Unjudged documents count. A value that is NaN is an error.

    Source
    ------
    Rekabsaz and Schedl (2020), ARaB.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(ARaB(values={"PRO": 1, "CON": -1}).calc_aggregate(qrels, run), 3)
    0.663
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

    The discounted cumulative gain of the documents' neutrality.

    Formula
    -------
    .. math::

       \sum_{i \le n} \frac{v_i}{\log_2(i+1)}

    v and n are as in RaB.

    Range
    -----
    0 or more; more is fairer. It grows with the cutoff: compare only values of the same cutoff.

    Edge cases
    ----------
    0 where nothing was returned. A document without a value counts as neutral, ``missing=1``.
    Values below 0 or NaN are an error.

    Source
    ------
    Rekabsaz et al. (2021), FaiRR. There v is 1 for a text with at most one gendered word, and
    ``1 − Σ_g |share of g among these words − ½|`` for others.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(FaiRR(values={"PRO": 0.5, "CON": 1}).calc_aggregate(qrels, run), 3)
    1.94
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

    FaiRR as a share of the FaiRR of the most neutral documents that could have been returned.

    Formula
    -------
    .. math::

       \frac{\mathrm{FaiRR}}{\mathrm{FaiRR}^*}

    FaiRR* is the FaiRR of the documents of B in descending order of their values, up to the cutoff.
    B is the whole ranking (``background='run'``), the topic's judged documents with relevance ≥
    ``rel`` (``'qrels'``), or a registered run.

    Range
    -----
    0 to 1 with ``background='run'``, 0 or more with another; more is fairer.

    Edge cases
    ----------
    0 where nothing was returned, or where FaiRR* is 0. A topic without documents in B is undefined:
    0, with a warning. A document without a value counts as neutral, ``missing=1``. Values below 0
    or NaN are an error.

    Source
    ------
    Rekabsaz et al. (2021), NFaiRR. There B is the first 200 documents of BM25.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(NFaiRR(values={"PRO": 0.5, "CON": 1}).calc_aggregate(qrels, run), 3)
    0.847
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

    The bias that the ranking adds to the bias of the documents that it ranks.

    Formula
    -------
    .. math::

       \mathrm{ARaB}@k - \frac{1}{|B|} \sum_{d \in B} v_d

    v and ``missing`` are as in RaB. B is the whole ranking (``background='run'``), the topic's
    judged documents with relevance ≥ ``rel`` (``'qrels'``), or a registered run. ARaB@k is the
    output bias, the mean over B the input bias.

    Range
    -----
    −2 to 2 for values in [−1, 1]. 0 means that the ranking adds no bias. ``abs=True`` gives the
    absolute value.

    Edge cases
    ----------
    A topic without documents in B is undefined: 0, with a warning. Where nothing was returned, 0
    less the mean over B; 0 with ``background='run'``. A value that is NaN is an error.

    Source
    ------
    Kulshrestha et al. (2017, 2019), ranking bias RB(q, r). There B is all items relevant to the
    query, before they are ranked.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(RankingBias(values={"PRO": 1, "CON": -1}).calc_aggregate(qrels, run), 3)
    0.263
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
