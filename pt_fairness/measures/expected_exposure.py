"""Expected exposure: EEL, EED and EER (Diaz et al. 2020).

Shapes: ``N`` documents of a block of topics, ``n`` ranked documents, ``T`` topics, ``S`` label
sets, ``L`` groups.
"""

from __future__ import annotations

from math import inf, nan
from typing import Any, ClassVar

import numpy as np

from pt_fairness.core.arrays import (
    Bools,
    Floats,
    Ints,
    discount,
    positions,
    ratio,
    unique_rows,
)
from pt_fairness.measures import params
from pt_fairness.measures.measure import FairnessMeasure, Keys
from pt_fairness.measures.measure_names import register
from pt_fairness.rankings.protected import distribution
from pt_fairness.rankings.rankings import Documents, Rankings

#: Whether a measure compares documents or groups.
BY = params.one_of("whether documents are compared, which needs no groups, or groups",
                   "document", "group")


def counts_before(chosen: Bools, place: Ints) -> Ints:
    """Return the number of chosen elements before each element in its row, ``[n]``.

    :param chosen: mask of the chosen elements, ``[n]``
    :param place: the 0-based position of each element in its row, ``[n]``
    """
    counts: Ints = np.cumsum(chosen) - chosen
    return counts - counts[np.arange(len(counts)) - place]


def mean_over_lists(view: Rankings, documents: Documents, values: Floats) -> Floats:
    """Return the mean value of each document over the lists of its topic, ``[N]``.

    A document that a list lacks has the value 0 in that list.

    :param values: the value of each ranked document, ``[n]``
    """
    topic = view.topic[documents.ranking]
    shares = values / view.samples[topic]
    return np.bincount(documents.document, shares, len(documents.topic)).astype(float)


def sum_by_topic(view: Rankings, topic: Ints, values: Any) -> Floats:
    """Return the sum of ``values`` by topic, ``[T]``.

    :param topic: the topic index of each value
    """
    return np.bincount(topic, values, len(view.topics)).astype(float)


class DocumentMeasure(FairnessMeasure):
    """A measure that compares documents, or groups with ``by='group'``."""

    CONDENSED = False
    JUDGED = True
    COMPARES = True

    @property
    def needs_groups(self) -> bool:  # type: ignore[override]
        return self.param("by") == "group"

    @property
    def added_labels(self) -> tuple[str, ...]:
        if self.needs_groups:
            return super().added_labels
        return ()

    def target(self, view: Rankings) -> Floats | None:
        return None

    def compared(self, view: Rankings, documents: Documents, values: Floats) -> Floats:
        """Return the value of each document, ``[N]``, or of each group of each topic, ``[T · L]``.

        The value of a group is the sum over its documents, weighted by their shares.

        :param values: the value of each document, ``[N]``
        """
        if not self.needs_groups:
            return values
        topics = len(view.topics)
        sums = view.sums_by_code(topics, documents.topic, documents.codes, values)
        return (sums @ view.share).ravel()

    def note(self, view: Rankings, documents: Documents, **numbers: Floats) -> None:
        """Note numbers of :meth:`compared`: of groups by label, of documents by rank."""
        if self.needs_groups:
            view.note(view.labels, **numbers)
        elif view.notes is not None:
            ranked = {name: values[None, documents.document] for name, values in numbers.items()}
            rest = numbers["summand"].sum() - ranked["summand"].sum()
            view.note(**ranked, summand_of_other_documents=rest)

    def formula(self) -> str:
        formula = "Σ {summand}"
        if not self.needs_groups:
            formula += " + {summand of other documents}"
        return f"({formula}) / {{largest}}" if self.param("norm") == "bound" else formula

    def topics(self, view: Rankings, documents: Documents) -> Ints:
        """Return the topic index of each value of :meth:`compared`, ``[N]`` or ``[T · L]``."""
        if not self.needs_groups:
            return documents.topic
        topics = np.arange(len(view.topics))
        return np.repeat(topics, len(view.labels))


#: The browsing models.
MODEL = params.one_of(
    "exposure of rank i: p^(i-1)*(1-u)^(relevant documents before i) (gerr), p^(i-1) (rbp), "
    "1/log2(i+1) (log2), 1/log2(max(i,2)) (trec) or 1 (none)", "gerr", "rbp", "log2", "trec",
    "none")
#: The browsing model and its parameters.
BROWSING = {
    "model": MODEL,
    "p": params.persistence(0.5, "persistence of the models gerr and rbp"),
    "u": params.fraction("how much a relevant document lowers the exposure of those below it in "
                         "the model gerr", default=0.5),
}
#: Browsing models whose exposure at rank i is p^(i−1) if no document is relevant.
_GEOMETRIC = ("gerr", "rbp")


def eel(eps: Floats, ideal: Floats) -> Floats:
    """Return what each document or group adds to EEL, from its ε and ε*."""
    return (eps - ideal) ** 2


def eed(eps: Floats, ideal: Floats) -> Floats:
    """Return what each document or group adds to EED, from its ε and ε*."""
    return eps ** 2


def eer(eps: Floats, ideal: Floats) -> Floats:
    """Return what each document or group adds to EER, from its ε and ε*."""
    return eps * ideal


def exposure(model: str, i: Ints, b: Ints, p: float, u: float) -> Floats:
    """Return the exposure of ranks in a browsing model, ``[n]``.

    :param i: the 1-based ranks, ``[n]``
    :param b: the number of relevant documents above each rank, ``[n]``

    Examples
    --------
    >>> import numpy as np
    >>> exposure("gerr", np.array([1, 2, 3]), np.array([0, 1, 1]), p=0.5, u=0.5).tolist()
    [1.0, 0.25, 0.125]
    """
    if model == "gerr":
        return p ** (i - 1.0) * (1.0 - u) ** b
    name = "geometric" if model == "rbp" else model
    return discount(name, i.max(initial=0), p)[i - 1]


#: The grades of the ideal orders.
GRADES = {
    "binary": params.flag("one grade for all relevant documents"),
    "complete": params.flag("the judged documents that are not relevant have a target too, as the "
                            "last grade: for the reranking of given documents"),
}


class ExposureMeasure(DocumentMeasure):
    """A measure of the expected exposure ε and the target exposure ε*: the sum of a term."""

    #: What each document or group adds to the value; takes its ε and ε*.
    term: ClassVar[staticmethod[[Floats, Floats], Floats]]
    #: The largest value; takes the largest EED and EER and Σ ε*² of each topic.
    largest: ClassVar[staticmethod[[Any, Floats, Floats], Any]]

    SOURCE: ClassVar[Keys] = ("diaz2020",)
    RANGE = (0.0, None)
    RANGES = {("norm", "bound"): (0.0, 1.0)}
    SUPPORTED_PARAMS = {
        **params.CUTOFF_AND_REL,
        **BROWSING,
        **GRADES,
        "by": BY,
        "target": params.target("qrels", ("qrels", "uniform")),
        "norm": params.one_of("normaliser: none, or the largest possible value (bound)",
                              "none", "bound"),
        "groups": params.groups(),
    }

    def check_together(self) -> None:
        endless = self.cutoff is None and self["model"] not in _GEOMETRIC
        if endless and (self["model"] == "none" or self["norm"] == "bound"
                        or self.other_target):
            raise ValueError(f"{self} needs a cutoff, because the exposures of the model "
                             f"{self['model']!r} do not have a finite sum: use {self}@10, or the "
                             "model 'gerr' or 'rbp'")

    @property
    def target_word(self) -> Any:
        word = super().target_word
        return "ideal" if word == "qrels" else word

    @property
    def other_target(self) -> bool:
        """Whether the target exposure of groups is not the sum over their documents."""
        return self.needs_groups and self["target"] != "qrels"

    def score(self, view: Rankings) -> Floats:
        documents = view.documents(self.cutoff)
        relevant = documents.relevance >= self.rel
        judged = relevant & documents.judged
        defined = sum_by_topic(view, documents.topic, judged) > 0
        place = documents.place
        above = counts_before(relevant[documents.document], place)
        exposures = self.exposure(place, above)
        eps = mean_over_lists(view, documents, exposures)
        ideal = self.ideal(documents, relevant)
        if self.needs_groups:
            having = relevant | self["complete"]
            eps = self.compared(view, documents, eps * having)
            if self.other_target:
                defined |= self["complete"]
                target = distribution(view, self["target"], self.rel)
                topic_target = target[view.first_ranking]
                ideal = topic_target.ravel() * self.all_ranks(1)
            else:
                ideal = self.compared(view, documents, ideal * having)
        topic = self.topics(view, documents)
        terms = self.term(eps, ideal)
        self.note(view, documents, exposure=eps, target_exposure=ideal, summand=terms)
        values = sum_by_topic(view, topic, terms)
        largest = self.largest_value(view, documents, ideal)
        nothing = np.ones(len(view.topics), bool)
        nothing[view.topic[documents.ranking]] = False
        worst = largest if self.IDEAL == 0 else 0.0
        values = np.where(nothing, worst, values)
        if self["norm"] == "bound":
            view.note(largest=largest)
            # Rounding can raise the ratio above 1.
            values = np.minimum(ratio(values, largest), 1)
        defined &= sum_by_topic(view, topic, ideal) > 0
        return np.where(defined, values, nan)

    def largest_value(self, view: Rankings, documents: Documents, ideal: Floats) -> Any:
        """Return the largest possible value for each topic, ``[T]``.

        :param ideal: ε* of each document, ``[N]``, or group, ``[T · L]``
        """
        if self.needs_groups:
            all_exposure = self.all_ranks(1)
            topic_ideal = ideal.reshape(len(view.topics), -1)
            largest_eed = all_exposure ** 2
            largest_eer = all_exposure * topic_ideal.max(axis=1, initial=0.0)
        else:
            largest_eed = self.all_ranks(2)
            largest_eer = self.largest_eer(view, documents, ideal)
        topic = self.topics(view, documents)
        squares = sum_by_topic(view, topic, ideal ** 2)
        return self.largest(largest_eed, largest_eer, squares)

    def where(self) -> str:
        return (f"{self.WHERE}, target exposure = mean exposure of the documents of the label in "
                f"the best order, {MODEL.desc}, with model='{self['model']}', p={self['p']:g}, "
                f"u={self['u']:g}")

    def exposure(self, place: Ints, above: Ints) -> Floats:
        """Return the exposure of ranks, 0 after the cutoff, ``[n]``.

        :param place: the 0-based ranks, ``[n]``
        :param above: the number of relevant documents above each rank, ``[n]``
        """
        exposures = exposure(self["model"], place + 1, above, self["p"], self["u"])
        if self.cutoff is None:
            return exposures
        return np.where(place < self.cutoff, exposures, 0.0)

    def all_ranks(self, power: int) -> float:
        """Return Σ exposure^power over the ranks up to the cutoff if no document is relevant.

        Without a cutoff, the models log2 and trec sum over rank 1 only.
        """
        model = self["model"]
        p = self["p"]
        cutoff = self.cutoff
        if model not in _GEOMETRIC:
            exposures = discount(model, cutoff or 1)
            return float((exposures ** power).sum())
        after = 0.0 if cutoff is None else p ** (power * cutoff)
        return (1.0 - after) / (1.0 - p ** power)

    def ideal(self, documents: Documents, relevant: Bools) -> Floats:
        """Return ε* of each document, the mean exposure over all ideal orders, ``[N]``.

        :param relevant: mask of the relevant documents, ``[N]``
        """
        grade = -1.0 * documents.relevance
        if self["binary"]:
            grade = np.zeros(len(relevant))
        grade[~relevant] = inf  # documents that are not relevant are the last grade
        order = np.lexsort((grade, documents.topic))
        having = documents.judged & (relevant | self["complete"])
        rows = order[having[order]]
        topic = documents.topic[rows]
        grade = grade[rows]
        place = positions(topic)
        above = counts_before(relevant[rows], place)
        exposures = self.exposure(place, above)
        _, tie = unique_rows(topic, grade)
        sums = np.bincount(tie, exposures)
        means = sums / np.bincount(tie)
        targets = np.zeros(len(documents.topic))
        targets[rows] = means[tie]
        return targets

    def largest_eer(self, view: Rankings, documents: Documents, ideal: Floats) -> Floats:
        """Return the largest Σ ε·ε* over the documents of each topic, ``[T]``."""
        if not (self["complete"] and self["model"] == "gerr"):
            return sum_by_topic(view, documents.topic, ideal ** 2)
        # Non-relevant documents do not lower the exposure of the documents below them.
        order = np.lexsort((-ideal, documents.topic))
        topic = documents.topic[order]
        place = positions(topic)
        none_above = np.zeros_like(place)
        exposures = self.exposure(place, none_above)
        return sum_by_topic(view, topic, exposures * ideal[order])


class _EEL(ExposureMeasure):
    r"""EEL — Expected Exposure Loss.

    How far the expected exposure of the documents is from their exposure in ideal rankings.

    0 is fair: documents of equal relevance have equal exposure, over all rankings that a system
    samples for a topic. One fixed ranking is above 0. Five relevant documents before five others
    (in lower case) have 0.71, after them 1.67. With groups (``by='group'``), ten relevant documents
    of A and B in turn have 0.32, and 0.89 with B at the end.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(EEL, "AAAAAaaaaa", "aaaaaAAAAA", relevant="AAAAA")
    AAAAAaaaaa  0.71
    aaaaaAAAAA  1.67

    Formula
    -------
    .. math::

       \sum_d (\varepsilon_d - \varepsilon^*_d)^2 = \mathrm{EED} - 2\,\mathrm{EER}
       + \sum_d {\varepsilon^*_d}^2

    * d: a document that is ranked or has a target.
    * ε_d: its exposure: the mean over the rankings of the topic, often one; 0 in a ranking without
      it. The exposure of a rank is ``model``, 0 after the cutoff.
    * ε*_d: its mean exposure over all ideal orders: relevant documents by grade, documents of one
      grade in any order, cut as the ranking is.
    * The parts are ``EED`` and ``EER``.

    Example
    -------
    >>> round(EEL.calc_aggregate(qrels, run), 3)
    0.521

    Details
    -------
    Range
        0 or more; 0 to 1 with ``norm='bound'``, which divides by B + Σ ε*². B is the largest EED.
    Model
        Ranks are those of the whole ranking. ``'none'`` is for a reader of all ``cutoff``
        documents, such as a generator (Kim & Diaz 2024).
    Groups
        Their ε and ε* are sums over their relevant documents (``complete=True``: all). A document
        of m groups counts 1/m, or its weights. With another ``target`` than 'qrels', ε* of a group
        is its target share of the exposure of all ranks where nothing is relevant.
    Undefined
        A topic without a relevant document (not with ``complete=True`` and another target than
        'qrels'), or all ε* are 0. By group, every topic if there is only one group.
    Nothing returned
        B + Σ ε*²; B is 1 for the models log2 and trec without a cutoff.
    Cutoff
        The model none needs one, log2 and trec for ``norm='bound'`` and for other targets of
        groups.
    Differs from the paper
        There a document counts fully in each of its groups, and the target is not cut. Kim & Diaz
        (2024) have ``norm='bound'`` if more than ``cutoff`` documents are relevant, else a norm
        that contradicts their target.
    TREC Fair Ranking 2021, task 2
        ``by='group',model='trec',complete=True`` with an explicit target.

    When it misleads
    ----------------
    * One fixed ranking cannot reach 0: compare it with an ideal order, such as 0.71 above.
    * By document, groups do not count:

      >>> draw(EEL, "ABABABABAB", "AAAAAAAAAA")
      ABABABABAB  1.03
      AAAAAAAAAA  1.03

    Source
    ------
    Diaz et al. (2020).
    """

    # Slow version: eel in tests/slow_versions/exposure.py
    WHERE = "summand = (exposure - target exposure) ** 2"

    term = staticmethod(eel)
    largest = staticmethod(lambda disparity, relevance, squares: disparity + squares)


class _EED(ExposureMeasure):
    r"""EED — Expected Exposure Disparity.

    How unequal and how large the exposure of the documents is, whatever their relevance.

    Less is more equal. Read EER, the other part of EEL, beside it. By group, ten relevant documents
    of A and B in turn have 1.21, and 1.77 with B at the end.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(EED(by="group"), "ABABABABAB", "AAAAABBBBB")
    ABABABABAB  1.21
    AAAAABBBBB  1.77

    Formula
    -------
    .. math::

       \sum_d \varepsilon_d^2

    ε_d is the exposure of document d, or of a group with ``by='group'`` (``EEL``).

    Example
    -------
    >>> round(EED.calc_aggregate(qrels, run), 3)
    1.067

    Details
    -------
    Range
        0 or more; 0 to 1 with ``norm='bound'``, which divides by the largest value B: the sum of
        the squared exposures of all ranks where nothing is relevant, by group the square of their
        sum.
    Undefined
        As for ``EEL``.
    Nothing returned
        B, as for ``EEL``.

    When it misleads
    ----------------
    * 0 says that nothing is exposed, not that it is fair. By group, documents that are not relevant
      (in lower case) are not exposed:

      >>> draw(EED(by="group"), "aaaaabbbbb")
      aaaaabbbbb  0.00

    * For the same sum of exposures, equal ones have the least value, which is above 0.

    Source
    ------
    Diaz et al. (2020).
    """

    # Slow version: eed in tests/slow_versions/exposure.py
    WHERE = "summand = exposure ** 2"

    term = staticmethod(eed)
    largest = staticmethod(lambda disparity, relevance, squares: disparity)


class _EER(ExposureMeasure):
    r"""EER — Expected Exposure Relevance.

    How much of the expected exposure goes where the target exposure is.

    More is better. Read EED, the other part of EEL, beside it. The largest value depends on the
    topic. Five relevant documents before five others (in lower case) have 0.35, after them 0.01.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(EER, "AAAAAaaaaa", "aaaaaAAAAA", relevant="AAAAA")
    AAAAAaaaaa  0.35
    aaaaaAAAAA  0.01

    Formula
    -------
    .. math::

       \sum_d \varepsilon_d \, \varepsilon^*_d

    ε_d is the exposure of document d, and ε*_d its mean exposure over all ideal orders (``EEL``).

    Example
    -------
    >>> round(EER.calc_aggregate(qrels, run), 3)
    0.561

    Details
    -------
    Range
        0 or more; 0 to 1 with ``norm='bound'``, which divides by the largest value: by document Σ
        ε*² (for the model gerr with ``complete=True`` the sum of ``p^(i−1)`` times the i-th largest
        ε*, up to the cutoff), by group the largest ε* times the sum of the exposures of all ranks
        where nothing is relevant.
    Undefined
        As for ``EEL``.
    Nothing returned
        0, the lowest.
    Differs from other papers
        Raj & Ekstrand (2022) report twice the value.

    When it misleads
    ----------------
    * It is relevance, not fairness. By group, a ranking without B has the value of A and B in turn:

      >>> draw(EER(by="group"), "ABABABABAB", "AAAAAAAAAA")
      ABABABABAB  0.89
      AAAAAAAAAA  0.89

    Source
    ------
    Diaz et al. (2020).
    """

    # Slow version: eer in tests/slow_versions/exposure.py
    WHERE = "summand = exposure * target exposure"
    SOURCE = ("diaz2020", "raj2022")
    IDEAL = inf
    DEFAULT = 0.0

    term = staticmethod(eer)
    largest = staticmethod(lambda disparity, relevance, squares: relevance)


EEL = register(_EEL())
EED = register(_EED())
EER = register(_EER())
