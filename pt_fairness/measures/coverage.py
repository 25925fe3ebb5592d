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

    1 is best: every document has a group. It does not measure fairness. It says on how much of the
    ranking other measures rest.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(Annotated, "ABABABABAB", "AB-BA--B--")
    ABABABABAB  1.00
    AB-BA--B--  0.50

    Formula
    -------
    .. math::

       \frac{\text{annotated documents among the first } n}{n}

    n is the cutoff, or the length of the ranking if that is less.

    Example
    -------
    >>> round(Annotated.calc_aggregate(qrels, run), 3)
    0.8

    Details
    -------
    Range
        0 to 1.
    Undefined
        No topic.
    Nothing returned
        0, the lowest.
    Relation to Judged
        Judged of ir_measures is the same share for judged documents.

    When it misleads
    ----------------
    * It does not see which groups are there:

      >>> draw(Annotated, "AAAAAAAAAA")
      AAAAAAAAAA  1.00

    * If the groups are in the qrels, a document has none because nobody judged it. A system that
      the judges did not see then has a low value, whatever it returns.

    Source
    ------
    The condensed lists of Sakai (2007), with groups in place of judgments.
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

    1 is best: every group is found, or as many groups as there are ranks. 0 says that one is
    missing. A document that is not relevant covers none.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(MRecall @ 5, "AABAA", "AAAAA")
    AABAA  1.00
    AAAAA  0.00

    Formula
    -------
    .. math::

       \left[\, |F \cap W| \ge \min(k, |W|) \,\right]

    * W are the groups of the topic's relevant documents.
    * F are the groups of the relevant documents among the first k of the whole ranking.
    * k: the cutoff; without one, all ranks count.
    * The brackets are 1 if the condition holds, else 0.

    Example
    -------
    >>> round(MRecall(value="share").calc_aggregate(qrels, run), 3)
    1.0

    Details
    -------
    Range
        0 to 1.
    Share
        ``value='share'`` is ``|F ∩ W| / |W|``: StRecall of ir_measures, for groups from anywhere.
    Undefined
        A topic without a relevant document that has a group. Every topic, if there is only one
        group.
    Nothing returned
        0, the lowest.

    When it misleads
    ----------------
    * One document covers a group, however many relevant documents the group has, and its rank does
      not count:

      >>> draw(MRecall, "ABABABABAB", "AAAAAAAAAB")
      ABABABABAB  1.00
      AAAAAAAAAB  1.00

    * With a cutoff below the number of groups, 1 does not mean that all are found.

    Source
    ------
    Chen & Choi (2024), with the perspectives of a topic as groups.
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

    Compare the values of all groups: the larger one shows whom the system serves. 1 is best for the
    group, and no ranking has 1 for all. Documents of other groups count as not relevant.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(OfGroup(measure="nDCG@10", group="B"), "ABABABABAB", "AAAAABBBBB")
    ABABABABAB  0.45
    AAAAABBBBB  0.35

    Formula
    -------
    The value of ``measure``, any measure of ir_measures, on changed judgments. A document of
    ``group`` keeps its relevance. What becomes of the others is ``others``:

    * ``'irrelevant'``: they keep their ranks. Relevance above 0 becomes 0.
    * ``'dropped'``: they leave ranking and judgments, before ``measure`` is cut.

    Example
    -------
    >>> round(OfGroup(measure="nDCG", group="CON").calc_aggregate(qrels, run), 3)
    0.431

    Details
    -------
    Range
        0 to 1.
    Cutoff
        ``OfGroup(measure='nDCG@10',group='A')`` is ``OfGroup(measure='nDCG',group='A')@10``.
    Several groups, several rankings
        A document counts for each of its groups. In the iteration field of the qrels, its relevance
        for the group is the highest of its rows with that group. The value is the mean over the
        rankings of a topic.
    Ties
        The provider of ir_measures that computes the value breaks them.
    Undefined
        A topic without a document of the group that is relevant for ``measure``.
    Nothing returned
        What ``measure`` has there.
    Errors
        A ValueError for a measure of this package, for one that reads groups or subtopics from the
        qrels, is not a mean over topics (NumRet) or ignores relevance (Judged), for ``rel`` below
        1, for a gain other than 0 of documents that are not relevant, and for groups with weights.

    When it misleads
    ----------------
    * Groups with fewer relevant documents have larger values more easily. A single one of B at rank
      2:

      >>> draw(OfGroup(measure="nDCG@10", group="B"), "ABAAAAAAAA", relevant=9 * "A" + "B")
      ABAAAAAAAA  0.63

    * Groups can have relevant documents in different topics.
      :func:`pt_fairness.analysis.group_effectiveness` compares them over the same.
    * If the groups are in the qrels, an unjudged document has none, and ``others='dropped'``
      removes it.

    Source
    ------
    Dai et al. (2024) and the published code of Cocktail (Dai et al. 2024), where the groups are
    texts of people and of a language model.
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

        :raises ValueError: if ``measure`` cannot be parsed, or there are two cutoffs
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
        chosen = {"rel": 1, "min_rel": 0, "gains": {}, **inner.params}
        gains = chosen["gains"]
        ignores = isinstance(inner, FairnessMeasure) or inner.NAME == "Judged"
        reads_subtopics = type(inner).__module__ == irm.diversity.__name__
        is_mean = isinstance(inner.aggregator(), irm.MeanAgg)
        counts_others = chosen["rel"] < 1 or chosen["min_rel"] < 0
        rewards_others = any(gains[grade] for grade in gains if grade <= 0)
        if ignores or reads_subtopics or not is_mean or counts_others or rewards_others:
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
