"""What a ranking has of the groups: Annotated, MRecall and OfGroup."""

from __future__ import annotations

from functools import cached_property
from math import nan
from typing import Any

import numpy as np
from ir_measures import measures as irm

from pt_fairness.core.arrays import Bools, Floats, Ints, ratio
from pt_fairness.measures import params
from pt_fairness.measures.measure import FairnessMeasure, Quotient, sums_by_list
from pt_fairness.measures.measure_names import parsed_one, register
from pt_fairness.rankings.rankings import Rankings


class _Annotated(Quotient):
    r"""Annotated — Share of Results with a Group.

    The share of the returned documents that have a group.

    Formula
    -------
    .. math::

       \frac{\text{annotated documents among the first } n}{n}

    n = min(cutoff, length of the list).

    Range
    -----
    0 to 1. 1 is best: every document has a group.

    Edge cases
    ----------
    A topic without results has 0. Judged of ir_measures is the same share for judged documents.

    Source
    ------
    The condensed lists of Sakai (2007), with groups in place of judgments.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(Annotated.calc_aggregate(qrels, run), 3)
    0.8
    """

    # Slow version: annotated in tests/slow_versions/counts.py
    WHERE = "summand = 1 if the document has a group, divisor = the number of ranks"
    SUPPORTED_PARAMS = {"cutoff": params.cutoff(), "groups": params.groups()}
    SOURCE = ("sakai2007",)
    IDEAL = 1.0
    SUBTOPICS = True
    CONDENSED = False

    def summands(self, view: Rankings) -> tuple[Any, Ints]:
        codes, _, n = view.full(self.cutoff)
        return codes >= 0, n


def mrecall(F: Bools, W: Bools, k: float, share: bool = False) -> Floats:
    """Return whether all wanted groups are found, or ``k`` of them, ``[R]``; NaN if none is wanted.

    :param F: the groups of the relevant documents at the top, ``[R, L]``
    :param W: the groups of all relevant documents, ``[R, L]``
    :param k: the cutoff
    :param share: whether to return the share of the wanted groups that are found

    Examples
    --------
    >>> import numpy as np
    >>> F, W = np.array([[True, True, False]]), np.array([[True, True, True]])
    >>> mrecall(F, W, k=2)
    array([1.])
    >>> mrecall(F, W, k=2, share=True).round(3)
    array([0.667])
    """
    covered = (F & W).sum(axis=1)
    size = W.sum(axis=1)
    values = ratio(covered, size) if share else covered >= np.minimum(k, size)
    return np.where(size > 0, values, nan)


class _MRecall(FairnessMeasure):
    r"""MRecall — Recall of All Perspectives.

    Whether the relevant documents at the top cover all groups of the topic, or which share of them.

    Formula
    -------
    .. math::

       \left[\, |F \cap W| \ge \min(k, |W|) \,\right]

    W are the groups of the topic's relevant documents, F the groups of the relevant documents among
    the first k = ``cutoff`` of the whole list. ``value='share'`` is ``|F ∩ W| / |W|``: StRecall of
    ir_measures, for any group source. Without a cutoff, k is unbounded.

    Range
    -----
    0 to 1. 1 is best: every group is found, or k different ones.

    Edge cases
    ----------
    A topic without relevant documents of any group is undefined: 0, with a warning. So is every
    topic if there is only one group. A topic without results has 0.

    Source
    ------
    Chen & Choi (2024), with the perspectives of a topic as groups.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(MRecall(value="share").calc_aggregate(qrels, run), 3)
    1.0
    """

    # Slow version: mrecall in tests/slow_versions/served.py
    WHERE = ("wanted = 1 for a group with relevant documents, found = 1 if one of these is ranked, "
             "k the cutoff")
    SOURCE = ("chen2024",)
    SUPPORTED_PARAMS = {
        **params.CUTOFF_AND_REL,
        "value": params.one_of("value: 1 if all groups are found, or as many as the cutoff allows "
                               "(all), or the share of the groups that are found (share)",
                               "all", "share"),
        "groups": params.groups(),
    }
    IDEAL = 1.0
    COMPARES = True
    SUBTOPICS = True
    CONDENSED = False
    RELEVANCE = True

    def score(self, view: Rankings) -> Floats:
        codes = view.full_relevant(self.cutoff, self.rel)
        F = sums_by_list(view, codes) @ view.member > 0
        W = view.relevant(self.rel) @ view.member > 0
        k = self.cutoff or np.inf
        view.note(view.labels, wanted=W, found=F & W)
        view.note(k=k)
        return mrecall(F, W, k, self["value"] == "share")

    def formula(self) -> str:
        if self["value"] == "share":
            return "Σ {found} / Σ {wanted}"
        return "Σ {found} >= min({k}, Σ {wanted})"


class OfGroupMeasure(FairnessMeasure):
    r"""OfGroup — Effectiveness for One Group.

    The value of an effectiveness measure if only the documents of one group are relevant.

    Formula
    -------
    The value of ``measure``, any measure of ir_measures, on changed judgments. A document of
    ``group`` keeps its relevance r. ``others`` says what becomes of the other documents:

    * ``'irrelevant'``: they keep their ranks, and their relevance is min(r, 0).
    * ``'dropped'``: the ranking and the judgments have the documents of the group only, and
      ``measure`` is cut after that.

    A document of several groups counts for each of them. In the iteration field of the qrels, its
    relevance for the group is the highest of its rows with that group.

    The provider of ir_measures computes the value and breaks ties. If a topic has several rankings,
    the value is their mean. ``OfGroup(measure='nDCG@10',group='A')`` is
    ``OfGroup(measure='nDCG',group='A')@10``.

    Range
    -----
    0 to 1. 1 is best for the group. The values of several groups show whom a system serves:
    :func:`pt_fairness.analysis.group_effectiveness`.

    Edge cases
    ----------
    A topic without a document of the group that is relevant for ``measure`` is undefined: 0, with a
    warning. A topic without results has the value that ``measure`` has there.

    A ValueError is raised for a measure of this package, one that reads groups or subtopics from
    the qrels, one that is not a mean over topics (NumRet) or ignores relevance (Judged), a ``rel``
    below 1, and a gain other than 0 for documents that are not relevant.

    Groups with weights raise a ValueError. If the groups are in the qrels, an unjudged document
    lacks a group, so that ``others='dropped'`` removes it.

    Source
    ------
    Dai et al. (2024) and the published code of Cocktail (Dai et al. 2024), where the groups are the
    text of people and of a language model.

    Examples
    --------
    >>> from pt_fairness.measures.example import qrels, run
    >>> round(OfGroup(measure="nDCG", group="CON").calc_aggregate(qrels, run), 3)
    0.431
    """

    # Slow version: of_group in tests/slow_versions/served.py
    refuses_weights = True
    NAME = "OfGroup"
    SOURCE = ("dai2024", "dai2024cocktail")
    SUPPORTED_PARAMS = {
        "cutoff": params.cutoff(),
        "measure": params.Param(str, "measure of ir_measures, as text", "the text of a measure of "
                                "ir_measures such as 'nDCG', or the measure", required=True),
        "group": params.label("group whose documents are relevant"),
        "others": params.one_of("documents of other groups and of none: they are not relevant and "
                                "keep their ranks (irrelevant), or they are removed (dropped)",
                                "irrelevant", "dropped"),
        "groups": params.groups(),
    }
    IDEAL = 1.0
    SUBTOPICS = True
    CONDENSED = False
    JUDGED = True

    def __init__(self, **params: Any) -> None:
        """Set the parameters; the cutoff of ``measure`` becomes its cutoff.

        :raises ValueError: ``measure`` cannot be parsed, or there are two cutoffs
        """
        if isinstance(params.get("measure"), (str, irm.Measure)):
            inner = parsed_one(str(params["measure"]), check=False)
            if "cutoff" in inner.params:
                if "cutoff" in params:
                    raise ValueError(f"measure must have no cutoff beside @{params['cutoff']}, got "
                                     f"{inner}")
                params["cutoff"] = inner.params.pop("cutoff")
            params["measure"] = str(inner)
        super().__init__(**params)

    @cached_property
    def inner(self) -> Any:
        """The measure of ir_measures, with the cutoff."""
        inner = parsed_one(self["measure"], check=False)
        return inner(cutoff=self.cutoff) if self.cutoff else inner

    def check_together(self) -> None:
        inner = parsed_one(self.inner)
        gains = inner.params.get("gains", {})
        refused = (
            isinstance(inner, FairnessMeasure), inner.NAME == "Judged",
            type(inner).__module__ == irm.diversity.__name__,  # reads subtopics of the qrels
            not isinstance(inner.aggregator(), irm.MeanAgg), inner.params.get("rel", 1) < 1,
            inner.params.get("min_rel", 0) < 0, any(gains[grade] for grade in gains if grade <= 0))
        if any(refused):
            raise ValueError("measure must be a mean over topics that counts relevant documents "
                             f"only, such as nDCG, got {self}")

    @property
    def depth(self) -> int | None:
        # The groups of the judged documents are enough if the others stay in the list. One
        # document of the run shows whether its ids match the group source.
        return 1 if self["others"] == "irrelevant" else None

    def score(self, view: Rankings) -> Floats:
        raise ValueError(f"{self} needs runs and qrels; it has no value for drawn labels or orders")


Annotated = register(_Annotated())
MRecall = register(_MRecall())
OfGroup = register(OfGroupMeasure())
