"""Expected exposure measures EEL, EED and EER (Diaz et al. 2020)."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from pt_fairness import numerics
from pt_fairness.measures import params
from pt_fairness.measures.documents import (
    BY,
    DocumentMeasure,
    counts_before,
    mean_over_lists,
    places,
    sum_by_topic,
)
from pt_fairness.measures.populations import distribution
from pt_fairness.measures.registry import register
from pt_fairness.numerics import Bools, Floats, Ints
from pt_fairness.rankings.view import Documents, View

#: Browsing models whose exposure at rank i is p^(i−1) if no document is relevant.
_GEOMETRIC = ("gerr", "rbp")


class ExposureMeasure(DocumentMeasure):
    """A measure of the expected exposure ε and the target exposure ε*.

    A subclass gives :meth:`term` and :meth:`largest`.
    """

    SOURCE: ClassVar[tuple[str, ...]] = ("diaz2020",)
    RANGE = (0.0, None)
    RANGES = {("norm", "bound"): (0.0, 1.0)}
    SUPPORTED_PARAMS = {
        "cutoff": params.cutoff(),
        "rel": params.rel(),
        "model": params.one_of(
            "exposure of rank i: p^(i-1)*(1-u)^(relevant documents before i) (gerr), p^(i-1) "
            "(rbp), 1/log2(i+1) (log2) or 1/log2(max(i,2)) (trec)", "gerr", "rbp", "log2", "trec"),
        "p": params.persistence(0.5, "persistence of the models gerr and rbp"),
        "u": params.real("how much a relevant document lowers the exposure of those below it in "
                         "the model gerr", "a number from 0 to 1", lambda v: 0 <= v <= 1,
                         default=0.5),
        "binary": params.flag("one grade for all relevant documents"),
        "complete": params.flag("the judged documents that are not relevant have a target too, as "
                                "the last grade: for the reranking of given documents"),
        "by": BY,
        "target": params.target("qrels", ("qrels", "uniform")),
        "norm": params.one_of("normaliser: none, or the largest possible value (bound)",
                              "none", "bound"),
        "groups": params.groups(),
    }

    def check_together(self) -> None:
        endless = self.param("cutoff") is None and self.param("model") not in _GEOMETRIC
        if endless and (self.param("norm") == "bound" or self.other_target):
            raise ValueError(f"{self} needs a cutoff, because the exposures of the model "
                             f"{self.param('model')!r} have no finite sum: use {self}@10, or the "
                             "model 'gerr' or 'rbp'")

    def term(self, found: Floats, target: Floats) -> Floats:
        """Return what each document or group adds to the sum.

        :param found: its exposure
        :param target: its target exposure
        """
        raise NotImplementedError

    def largest(self, bound: float, squares: Floats, relevance: Floats) -> Any:
        """Return the largest possible value, ``[T]``.

        :param bound: the largest disparity
        :param squares: Σ ε*², ``[T]``
        :param relevance: the largest Σ ε·ε*, ``[T]``
        """
        raise NotImplementedError

    def score(self, view: View) -> Floats:
        documents = view.documents(self.param("cutoff"))
        relevant = documents.relevance >= self.param("rel")
        targets = self._targets(documents, relevant)
        found, target = self._exposures(view, documents, relevant, targets)
        topic = self.topics(view, documents)

        def of_topics(values: Any) -> Floats:
            return sum_by_topic(view, topic, values)

        squares = of_topics(target ** 2)
        defined = of_topics(target) > 0
        if not (self.param("complete") and self.other_target):
            defined &= sum_by_topic(view, documents.topic, relevant & documents.judged) > 0
        bound = self._sum(1) ** 2 if self.needs_groups else self._sum(2)
        relevance = self._largest_relevance(view, documents, targets, target, squares)
        largest = self.largest(bound, squares, relevance)
        returned = np.bincount(view.topic[documents.list], minlength=len(view.topics)) > 0
        of_nothing = largest if self.FAIR_END == 0 else 0.0
        values = np.where(returned, of_topics(self.term(found, target)), of_nothing)
        if self.param("norm") == "bound":
            # Rounding can raise the ratio above 1.
            values = np.minimum(numerics.ratio(values, largest), 1)
        return np.where(defined, values, np.nan)

    @property
    def other_target(self) -> bool:
        """Whether the target exposure of groups is not the sum over their documents."""
        return self.needs_groups and self.param("target") != "qrels"

    def _sum(self, power: int) -> float:
        """Return Σ exposure^power over the ranks up to the cutoff if no document is relevant.

        Without a cutoff, the models log2 and trec sum over rank 1 only.
        """
        model, p, cutoff = self.param("model"), self.param("p"), self.param("cutoff")
        if model in _GEOMETRIC:
            return numerics.sum_of_discounts("geometric", cutoff, p, power) if cutoff \
                else 1.0 / (1.0 - p ** power)
        return numerics.sum_of_discounts(model, cutoff or 1, power=power)

    def _of_ranks(self, place: Ints, before: Ints) -> Floats:
        """Return the exposure of ranks, 0 after the cutoff.

        :param place: the 0-based ranks
        :param before: the number of relevant documents above each rank
        """
        model, p, cutoff = self.param("model"), self.param("p"), self.param("cutoff")
        depth = int(place.max(initial=-1)) + 1
        name = "geometric" if model in _GEOMETRIC else model
        exposures = numerics.discount(name, depth, p)[place]
        if model == "gerr":
            exposures *= numerics.geometric_discount(depth, 1.0 - self.param("u"))[before]
        return exposures if cutoff is None else np.where(place < cutoff, exposures, 0.0)

    def _exposures(self, view: View, documents: Documents, relevant: Bools,
                   targets: Floats) -> tuple[Floats, Floats]:
        """Return the exposures of documents, ``[N]``, or of the groups of each topic, ``[T · L]``.

        :param relevant: mask of the relevant documents, ``[N]``
        :param targets: the target exposure of each document, ``[N]``
        :returns: the exposures and the target exposures
        """
        counted = relevant | self.param("complete")
        before = counts_before(relevant[documents.document], documents.place)
        found = mean_over_lists(view, documents, self._of_ranks(documents.place, before))
        if self.other_target:
            target = (distribution(view, self.param("target"), self.param("rel"))[view.first_list]
                      * self._sum(1)).ravel()
        else:
            target = self.compared(view, documents, targets, counted)
        return self.compared(view, documents, found, counted), target

    def _targets(self, documents: Documents, relevant: Bools) -> Floats:
        """Return the mean exposure of each document over all ideal orders, ``[N]``.

        :param relevant: mask of the relevant documents, ``[N]``
        """
        chosen = documents.judged if self.param("complete") else documents.judged & relevant
        rows = np.flatnonzero(chosen)
        grade = np.where(relevant[rows], 0 if self.param("binary") else -documents.relevance[rows],
                         np.inf)
        order = np.lexsort((grade, documents.topic[rows]))
        rows, grade, topic = rows[order], grade[order], documents.topic[rows[order]]
        place = places(topic)
        exposures = self._of_ranks(place, counts_before(relevant[rows], place))
        new = np.append(True, (topic[1:] != topic[:-1]) | (grade[1:] != grade[:-1]))[:len(rows)]
        equals = np.cumsum(new) - 1
        means = numerics.ratio(np.bincount(equals, exposures), np.bincount(equals))
        targets = np.zeros(len(documents.topic))
        targets[rows] = means[equals]
        return targets

    def _largest_relevance(self, view: View, documents: Documents, targets: Floats,
                           target: Floats, squares: Floats) -> Floats:
        """Return the largest Σ ε·ε* of each topic, ``[T]``."""
        if self.needs_groups:
            most = target.reshape(len(view.topics), -1).max(axis=1, initial=0.0)
            return most * self._sum(1)
        if not (self.param("complete") and self.param("model") == "gerr"):
            return squares
        # Non-relevant documents do not lower the exposure of the documents below them.
        order = np.lexsort((-targets, documents.topic))
        place = places(documents.topic[order])
        exposure = self._of_ranks(place, np.zeros_like(place))
        return sum_by_topic(view, documents.topic[order], exposure * targets[order])


class _EEL(ExposureMeasure):
    r"""EEL — Expected Exposure Loss.

    How far the expected exposure of the documents is from that under ideal stochastic rankings.

    Formula
    -------
    .. math::

       \sum_d (\varepsilon_d - \varepsilon^*_d)^2 = \mathrm{EED} - 2\,\mathrm{EER}
       + \sum_d {\varepsilon^*_d}^2

    ε_d is the exposure of document d: the mean over the sampled rankings of the topic, often one.
    The exposure of rank i of the whole list is ``p^(i−1) · (1−u)^(relevant documents before i)``
    with ``model='gerr'``, ``p^(i−1)`` with ``'rbp'``, ``1/log2(i+1)`` with ``'log2'`` and
    ``1/log2(max(i, 2))`` with ``'trec'``. It is 0 after the cutoff. Unannotated documents keep
    their ranks.

    ε*_d is the mean exposure of d over all ideal orders: relevant documents by grade, ties in any
    order, cut off like the ranking. With ``binary=True`` all relevant documents have one grade.
    With ``complete=True``, for the reranking of given documents, those that are judged below
    ``rel`` follow as the last grade.

    The sum is over all documents that are ranked or have a target. With ``by='group'`` it is over
    groups: ε_g and ε*_g are the sums of ε_d and ε*_d over the relevant annotated documents of g
    (``complete=True``: over all annotated ones), where a document of m groups counts 1/m, or its
    weights. With a ``target`` other than 'qrels', ε*_g is the target share of g, times the exposure
    of all ranks where nothing is relevant. Only ``by='group'`` uses ``target`` and ``groups``.

    ``norm='bound'`` divides by B + Σ ε*², where B is the largest EED.

    Range
    -----
    0 or more, with ``norm='bound'`` 0 to 1. 0 is fair.

    Edge cases
    ----------
    A topic is undefined if it has no relevant document (but not with ``complete=True`` and a target
    other than 'qrels') or if ε* is all 0: 0, with a warning. A topic without results has
    B + Σ ε*², for the models log2 and trec without a cutoff B = 1. A shorter sample gives no
    exposure to the documents that it lacks. The models log2 and trec need a cutoff for
    ``norm='bound'`` and for the other targets of groups.

    Source
    ------
    Diaz et al. (2020). There a document counts fully in each of its groups, and the target is not
    cut off. Task 2 of the TREC 2021 Fair Ranking track is ``by='group',model='trec',complete=True``
    with an explicit target.
    """

    NAME = "EEL"
    PRETTY_NAME = "Expected Exposure Loss"
    SHORT_DESC = ("How far the expected exposure of the documents is from that under ideal "
                  "stochastic rankings.")

    def term(self, found: Floats, target: Floats) -> Floats:
        return (found - target) ** 2

    def largest(self, bound: float, squares: Floats, relevance: Floats) -> Any:
        return bound + squares


class _EED(ExposureMeasure):
    r"""EED — Expected Exposure Disparity.

    How unequal the expected exposure of the documents is, whatever their relevance.

    Formula
    -------
    .. math::

       \sum_d \varepsilon_d^2

    ε and all parameters are those of EEL. ``norm='bound'`` divides by the largest value B: the sum
    of the squared exposures of all ranks where nothing is relevant, by group the square of their
    sum.

    Range
    -----
    0 or more, with ``norm='bound'`` 0 to 1. 0 is equal exposure.

    Edge cases
    ----------
    Undefined topics as for EEL. A topic without results has B, for the models log2 and trec without
    a cutoff 1. By group, documents that do not count have no exposure. EED can be 0 then, so read
    it beside EER.

    Source
    ------
    Diaz et al. (2020).
    """

    NAME = "EED"
    PRETTY_NAME = "Expected Exposure Disparity"
    SHORT_DESC = "How unequal the expected exposure of the documents is, whatever their relevance."

    def term(self, found: Floats, target: Floats) -> Floats:
        return np.square(found)

    def largest(self, bound: float, squares: Floats, relevance: Floats) -> Any:
        return bound


class _EER(ExposureMeasure):
    r"""EER — Expected Exposure Relevance.

    How much of the expected exposure goes where the target exposure is.

    Formula
    -------
    .. math::

       \sum_d \varepsilon_d \, \varepsilon^*_d

    ε, ε* and all parameters are those of EEL. ``norm='bound'`` divides by the largest value: by
    document Σ ε*² (for the model gerr with ``complete=True`` the sum of ``p^(i−1)`` times the i-th
    largest ε*, up to the cutoff), by group the largest ε*_g times the sum of the exposures of all
    ranks where nothing is relevant.

    Range
    -----
    0 or more, with ``norm='bound'`` 0 to 1. 1 is the good end.

    Edge cases
    ----------
    Undefined topics as for EEL. A topic without results has 0.

    Source
    ------
    Diaz et al. (2020). Raj & Ekstrand (2022) report twice the value.
    """

    NAME = "EER"
    PRETTY_NAME = "Expected Exposure Relevance"
    SOURCE = ("diaz2020", "raj2022")
    SHORT_DESC = "How much of the expected exposure goes where the target exposure is."
    FAIR_END = 1.0
    DEFAULT = 0.0

    def term(self, found: Floats, target: Floats) -> Floats:
        return found * target

    def largest(self, bound: float, squares: Floats, relevance: Floats) -> Any:
        return relevance


EEL = register(_EEL())
EED = register(_EED())
EER = register(_EER())
