"""The score of the TREC Fair Ranking track: nDCG times AWRF over all attributes at once."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf, log, nan
from typing import Any

import numpy as np

from pt_fairness.core.arrays import (
    Floats,
    discount,
    jsd_terms,
    ranges,
    ratio,
    unique_rows,
)
from pt_fairness.core.registry import name_of
from pt_fairness.measures import params
from pt_fairness.measures.expected_exposure import sum_by_topic
from pt_fairness.measures.measure import FairnessMeasure
from pt_fairness.measures.measure_names import register
from pt_fairness.rankings.protected import shares_of
from pt_fairness.rankings.rankings import Rankings

VALUE = params.one_of("the product of both factors (score), or one of them (ndcg, awrf)", "score",
                      "ndcg", "awrf")
UNKNOWN = params.one_of("documents without a label of any attribute: they are a group of their own "
                        "(group), or weigh nothing (partial)", "group", "partial")
IDEAL_CUTOFF = params.whole("cutoff of the ideal list of nDCG; by default the cutoff", smallest=1,
                            largest=params.DEEPEST)


class _TrecFair(FairnessMeasure):
    r"""TrecFair — Score of the TREC Fair Ranking Track.

    How relevant the first documents are, times how close the attention of the groups is to a
    target.

    1 is relevant and fair. Read both factors beside the product (``value='ndcg'`` and ``'awrf'``).
    If the target is equal shares, ten relevant documents of A and B in turn have 1.00, and 0.78
    without B.

    >>> import pandas as pd
    >>> from pt_fairness import groups, targets
    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> equal = pd.DataFrame({"group": ["A", "B"], "share": [0.5, 0.5]})
    >>> targets.register("equal", equal)
    >>> letter = groups.from_pattern("[A-Z]")
    >>> draw(TrecFair(attributes={letter: "equal"}) @ 10, "ABABABABAB", "AAAAAAAAAA")
    ABABABABAB  1.00
    AAAAAAAAAA  0.78

    Formula
    -------
    .. math::

       \mathrm{nDCG} \cdot \mathrm{AWRF}, \qquad
       \mathrm{nDCG} = \frac{\sum_{i \le n} [r_i \ge \mathrm{rel}] \, a_i}
       {\sum_{i \le \min(\mathrm{ideal}, R)} a_i}, \quad
       \mathrm{AWRF} = 1 - \mathrm{JSD}(P \,\|\, T), \quad a_i = \frac{1}{\log_2 \max(i, 2)}

    * i: a rank of the whole ranking; n is the cutoff.
    * r_i: the relevance of the document there, 0 if it is unjudged; the brackets are 1 if it is
      relevant, else 0.
    * a_i: the attention at rank i.
    * R: the number of relevant documents; ``ideal`` is by default the cutoff.
    * JSD: the Jensen–Shannon divergence, in natural logarithms.
    * P: the shares of the *cells* in the attention, and T their target. A cell is a combination of
      a label of each attribute, or of @UNKNOWN for an attribute without one.

    Example
    -------
    >>> from pt_fairness import groups, targets
    >>> import pandas as pd
    >>> targets.register("half", pd.DataFrame({"group": ["PRO", "CON"], "share": [0.5, 0.5]}))
    >>> stances = groups.from_mapping({"a": "PRO", "b": "PRO", "c": "CON", "d": "PRO"})
    >>> round(TrecFair(attributes={stances: "half"}).calc_aggregate(qrels, run), 3)
    0.915

    Details
    -------
    Range
        0 to 1. No value of AWRF is below 1 − ln 2, unless nothing was returned.
    Cutoff
        Without one, the ranking is cut at ``ideal``.
    Attributes
        Such as ``{'gender':'census'}``.
    Documents in cells
        The mass m(c) of a document in cell c is the product of its shares in the labels: 1/m of m
        labels, or its weights, and 1 with ``whole``. A document without a label has the share 1 in
        @UNKNOWN, for which a source with weights may give a weight. A document that a source does
        not know weighs nothing.
    Shares and targets of cells
        P(c) is the share of c in ``Σ a_i · m(c)`` over the first n documents, q(c) its share in the
        sum of m(c) over the relevant ones. ``T(c) = λ · q(c) + (1 − λ) · C · Π_j w_j(c_j)``: λ is
        ``of_qrels``, w_j the target of attribute j, the product is over the attributes known in c,
        and C is the sum of q over all cells in which the same ones are known. Where none is, T(c) =
        q(c).
    TREC Fair Ranking
        2021: ``ideal=1000``, ``unknown='partial'``, both sources in ``whole``, @20. 2022: its
        sources ``…/official``, the gender in ``whole``, @500.
    Undefined
        A topic without a relevant document, or without one that has mass (not with
        ``value='ndcg'``). Every topic, if all attributes together have one label.
    Nothing returned
        0, the lowest; also if the first documents lack mass.

    When it misleads
    ----------------
    * A system that finds more relevant documents can hide a group and have the larger value. Five
      relevant documents of A and B in turn, and ten without B:

      >>> draw(TrecFair(attributes={letter: "equal"}) @ 10, "ABABA", "AAAAAAAAAA")
      ABABA  0.68
      AAAAAAAAAA  0.78

    * The relevant documents are a part of the target (``of_qrels``).

    Source
    ------
    The evaluation code of the TREC Fair Ranking tracks of 2021 and 2022, task 1, as described by
    Ekstrand et al. (2022).
    """

    # Slow version: trec_fair in tests/slow_versions/trec_fair.py
    WHERE = ("gain = discount of a relevant document, ideal = the largest Σ gain, AWRF = 1 - "
             "JSD(P, T) over the cells")
    SOURCE = ("ekstrand2022",)
    IDEAL = 1.0
    CONDENSED = False
    JUDGED = True
    needs_groups = False
    SUPPORTED_PARAMS = {
        "cutoff": params.cutoff(),
        "attributes": params.FIXED_TARGETS,
        "whole": params.WHOLE,
        "unknown": UNKNOWN,
        "value": VALUE,
        "ideal": IDEAL_CUTOFF,
        "of_qrels": params.fraction("the share of the topic's relevant documents in the target",
                                    default=0.5),
        "rel": params.rel(),
    }

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        whole = str(self["whole"]).split(",")
        #: Whether a document counts 1 in each of its labels, for each attribute.
        self.whole = [name_of(source) in whole for source in self["attributes"]]

    def check_together(self) -> None:
        whole = {*self["whole"].split(",")} - {""}
        if not whole.issubset(map(name_of, self["attributes"])):
            raise ValueError(f"whole must name attributes, got {self}")
        if (self.cutoff or 0) > (self.param("ideal") or inf):
            raise ValueError(f"ideal must be at least the cutoff, got {self}")

    @property
    def joint(self) -> Mapping[Any, Any]:  # type: ignore[override]
        return {} if self["value"] == "ndcg" else self["attributes"]

    @property
    def depth(self) -> int | None:
        return self.cutoff or self.param("ideal")

    def formula(self) -> str:
        if self["value"] == "awrf":
            return "{AWRF}"
        ndcg = "Σ {gain} / {ideal}"
        return ndcg if self["value"] == "ndcg" else f"{ndcg} * {{AWRF}}"

    def score(self, view: Rankings) -> Floats:
        values, defined = self.ndcg(view)
        if self["value"] == "awrf":
            values = self.awrf(view)
        elif self["value"] == "score":
            values = values * self.awrf(view)
        return np.where(defined, values, nan)

    def ndcg(self, view: Rankings) -> tuple[Floats, Any]:
        """Return nDCG of each list, ``[R]``, and whether its topic has relevant documents."""
        documents = view.documents(self.depth)
        relevant = documents.judged & (documents.relevance >= self.rel)
        counts = sum_by_topic(view, documents.topic, relevant)
        R = counts.astype(int)[view.topic]
        a = discount("trec", len(relevant))
        cutoff = self.param("ideal") or self.cutoff or len(a)
        last = np.minimum(R, cutoff) - 1
        ideal = a.cumsum()[last]
        exposure = a[documents.place]
        gains = exposure * relevant[documents.document]
        view.note(discount=exposure[None], gain=gains[None], ideal=ideal)
        sums = np.bincount(documents.ranking, gains, len(view))
        return ratio(sums, ideal), R > 0

    def awrf(self, view: Rankings) -> Floats:
        """Return AWRF of each list, ``[R]``; NaN where no relevant document has any mass, and where
        documents can have one label only.
        """
        row, K, w, P, q = self.cells(view)
        _, same_K = unique_rows(row, K)
        C = np.bincount(same_K, q, len(row))[same_K]
        lam = self["of_qrels"]
        lists = len(view)
        exposure = np.bincount(row, P, lists)
        mass = np.bincount(row, q, lists)
        p = ratio(P, exposure[row])
        mixed = lam * q + (1 - lam) * (C * w)
        t = ratio(mixed, mass[row])
        terms = jsd_terms(p, t) - t * log(2)  # a cell that no document has adds t ln 2
        divergence = (np.bincount(row, terms, lists) + log(2)) / 2
        fair = np.clip(1 - divergence, 0.0, 1.0)
        fair = np.where(exposure > 0, fair, 0.0)
        view.note(AWRF=fair)
        return np.where(mass > 0, fair, nan)

    def cells(self, view: Rankings) -> tuple[Any, ...]:
        """Return the list of each cell c, K, Π_{j∈K} w_j(c_j), Σ a_i · m(c) of the ranked documents
        and Σ m(c) of the relevant ones, ``[e]`` each.
        """
        from pt_fairness import targets
        documents = view.documents(self.depth)
        topic, _, relevance = view.judgments
        relevant = np.flatnonzero(relevance >= self.rel)
        # The relevant documents of a topic come after the ranked ones, once for each of its lists.
        topic = topic[relevant]
        lists = view.samples[topic]
        judged_row = ranges(view.first_ranking[topic], lists)
        row = np.append(documents.ranking, judged_row)
        a = discount("trec", len(documents.topic))[documents.place]
        exposure = np.append(a, np.zeros_like(judged_row))
        relevant = np.repeat(relevant, lists)
        document: Any = np.arange(len(row))
        cell: Any = np.zeros(len(row), np.int64)
        w: Any = np.ones(len(row))
        K, m = cell, w
        labels = 0
        for j, (source, target) in enumerate(self.joint.items()):
            sets, ranked, judged = view.attribute(source, self.depth)
            code = np.append(ranked, judged[relevant])[document]
            known = np.flatnonzero(code >= 0)
            entry, label, share = sets.entries(code[known])
            entry = known[entry]
            document = document[entry]
            unknown = len(sets.labels) - 1  # the last label is @UNKNOWN
            labels += unknown
            cell = cell[entry] * len(sets.labels) + label
            has_label = label < unknown
            K = K[entry] + (has_label << j)
            (shares,) = shares_of(targets.shares(target, [""], sets.labels))
            shares[unknown] = 1.0
            w = w[entry] * shares[label]
            m = m[entry]
            if not self.whole[j]:
                m = m * share
        if self["unknown"] == "partial":
            m = m * (K > 0)
        if labels < 2:
            m = 0.0 * m
        (row, _, K, w), where = unique_rows(row[document], cell, K, w)
        cells = len(row)
        P = np.bincount(where, exposure[document] * m, cells)
        judged_mass = (document >= len(a)) * m
        q = np.bincount(where, judged_mass, cells)
        return row, K, w, P, q


TrecFair = register(_TrecFair())
