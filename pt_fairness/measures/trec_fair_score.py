"""The score of the TREC Fair Ranking track: nDCG times AWRF over all attributes at once."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from math import nan
from typing import Any, NamedTuple

import numpy as np

from pt_fairness.core.arrays import JSD_IN_WORDS, Floats, Ints, discount, ratio, unique_rows
from pt_fairness.core.messages import listed
from pt_fairness.core.registry import name_of
from pt_fairness.measures import params
from pt_fairness.measures.expected_exposure import sum_by_topic
from pt_fairness.measures.measure import FairnessMeasure
from pt_fairness.measures.measure_names import register
from pt_fairness.rankings.label_sets import LabelSets
from pt_fairness.rankings.rankings import Rankings

LN2 = math.log(2)


class Cells(NamedTuple):
    """The cells of documents: combinations of one label, or @UNKNOWN, of each attribute."""

    #: The index of the document of each entry, ``[e]``.
    row: Ints
    #: The number of the cell, ``[e]``.
    cell: Ints
    #: The number of K, the set of the attributes that are known in the cell, ``[e]``.
    K: Ints
    #: The mass of the document in the cell, ``[e]``.
    mass: Floats
    #: Π_{j∈K} w_j of the cell, ``[e]``.
    share: Floats


def divergence(p: Floats, t: Floats, row: Ints, rows: int) -> Floats:
    """Return JSD(P ‖ T) of each row, natural logarithm, from the cells with P > 0, ``[rows]``.

    The other cells add ½ ln 2 · (1 − Σ T).

    :param p: P of each cell, above 0, ``[e]``
    :param t: T of each cell, ``[e]``
    :param row: the row of each cell, ``[e]``

    Examples
    --------
    >>> import numpy as np
    >>> divergence(np.array([1.0]), np.array([0.25]), np.array([0]), rows=1).round(3).tolist()
    [0.38]
    """
    m = (p + t) / 2
    of_p = p * np.log(p / m)
    ratios = np.where(t > 0, t / m, 1.0)
    of_t = t * (np.log(ratios) - LN2)
    sums = np.bincount(row, of_p + of_t, rows)
    return (sums + LN2) / 2


UNKNOWN = params.one_of("documents without a label of any attribute: they are a group of their own "
                        "(group), or weigh nothing (partial)", "group", "partial")
VALUE = params.one_of("the product of both factors (score), or one of them (ndcg, awrf)", "score",
                      "ndcg", "awrf")
OF_QRELS = params.real("the share of the topic's relevant documents in the target",
                       "a number from 0 to 1", lambda v: 0 <= v <= 1, default=0.5)


class _TrecFair(FairnessMeasure):
    r"""TrecFair — Score of the TREC Fair Ranking Track.

    How relevant the first documents are, times how close the exposure of the groups is to a target.

    Formula
    -------
    .. math::

       \mathrm{nDCG} \cdot \mathrm{AWRF}, \qquad
       \mathrm{nDCG} = \frac{\sum_{i \le n} [r_i \ge \mathrm{rel}] \, a_i}
       {\sum_{i \le \min(\mathrm{ideal}, R)} a_i}, \quad
       \mathrm{AWRF} = 1 - \mathrm{JSD}(P \,\|\, T), \quad a_i = \frac{1}{\log_2 \max(i, 2)}

    With ``value='ndcg'`` or ``'awrf'`` the value is that factor alone. The list is cut at the
    cutoff first and all documents keep their ranks. R is the number of relevant documents;
    ``ideal`` is by default the cutoff, and without a cutoff the list is cut at ``ideal``. Unjudged
    documents are not relevant.

    ``attributes={'gender':'census'}`` names group sources and registered targets, which are the
    same for all topics. P and T are distributions over *cells*: combinations of a label of each
    attribute, or of @UNKNOWN for an attribute without one. The mass m_d(c) of document d in cell c
    is the product of its shares in the labels: 1/m of m labels, or its weights, and 1 for each of
    its labels in the sources of ``whole``. A document without a label has the share 1 in @UNKNOWN.
    A source with weights may also give a weight to the label ``@UNKNOWN``, which other measures
    read as unannotated. A document that a source does not know weighs nothing.

    P(c) is the share of c in Σ_{i≤n} a_i · m(c), q(c) its share in the sum of m_d(c) over the
    relevant documents. T(c) = λ · q(c) + (1 − λ) · C · Π_{j∈K} w_j(c_j): K are the attributes that
    are known in c, C is the sum of q over all cells with this K, w_j the target of attribute j, λ =
    ``of_qrels``. Where K is empty, T(c) = q(c). With ``unknown='partial'`` no document has mass in
    the cell where nothing is known. JSD has natural logarithms.

    The track of 2021 is ``ideal=1000``, ``unknown='partial'``, both sources in ``whole``, @20; in
    2022 it has its sources ``…/official``, the gender in ``whole``, @500.

    Range
    -----
    0 to 1. 1 is fair and relevant. No value of AWRF is below 1 − ln 2 unless nothing was returned.

    Edge cases
    ----------
    A topic without relevant documents is undefined: 0, with a warning. So is, but for
    ``value='ndcg'``, one whose relevant documents lack mass, and with ``unknown='partial'``
    every topic if the attributes have one label in all. A topic without results, or whose first
    documents lack mass, has 0.

    Source
    ------
    The evaluation code of the TREC Fair Ranking tracks of 2021 and 2022, task 1, as described by
    Ekstrand et al. (2022).

    Examples
    --------
    >>> from pt_fairness import groups, targets
    >>> from pt_fairness.measures.example import qrels, run
    >>> import pandas as pd
    >>> targets.register("half", pd.DataFrame({"group": ["PRO", "CON"], "share": [0.5, 0.5]}))
    >>> stances = groups.from_mapping({"a": "PRO", "b": "PRO", "c": "CON", "d": "PRO"})
    >>> round(TrecFair(attributes={stances: "half"}).calc_aggregate(qrels, run), 3)
    0.915
    """

    # Slow version: trec_fair in tests/slow_versions/trec_fair.py
    WHERE = f"gain = discount of a relevant document, ideal = the largest Σ gain, {JSD_IN_WORDS}"
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
        "ideal": params.whole("cutoff of the ideal list of nDCG; by default the cutoff",
                              smallest=1, largest=params.DEEPEST),
        "of_qrels": OF_QRELS,
        "rel": params.rel(),
    }

    def check_together(self) -> None:
        attributes = list(map(name_of, self["attributes"]))
        for name in self.whole:
            if name not in attributes:
                raise ValueError(f"TrecFair has {name!r} in whole, which is none of its "
                                 f"attributes, {listed(attributes)}; name it in attributes too")
        ideal = self.param("ideal")
        if ideal is not None and ideal < (self.cutoff or 0):
            raise ValueError(f"TrecFair(ideal={ideal})@{self.cutoff} is not possible: ideal is at "
                             "least the cutoff")

    @property
    def whole(self) -> list[str]:
        """The names of the sources of which a document counts 1 in each of its labels."""
        return list(map(name_of, self["whole"]))

    @property
    def joint(self) -> Mapping[Any, Any]:  # type: ignore[override]
        if self["value"] != "ndcg":
            return self.param("attributes")
        return {}

    @property
    def depth(self) -> int | None:
        return self.cutoff or self.param("ideal")

    def formula(self) -> str:
        factors = ["Σ {gain} / {ideal}", "(1 - JSD({exposure share}, {target share}) * ln(2))"]
        if self["value"] == "score":
            return " * ".join(factors)
        return factors[self["value"] == "awrf"]

    def score(self, view: Rankings) -> Floats:
        ndcg, defined = self.ndcg(view)
        if not self.joint:
            return np.where(defined, ndcg, nan)
        values = self.awrf(view)
        if self["value"] == "score":
            values = ndcg * values
        return np.where(defined, values, nan)

    def ndcg(self, view: Rankings) -> tuple[Floats, Any]:
        """Return nDCG of each list, ``[R]``, and whether its topic has relevant documents."""
        documents = view.documents(self.depth)
        place = documents.place
        relevant = documents.relevance >= self.rel
        relevant &= documents.judged
        count = sum_by_topic(view, documents.topic, relevant)
        count = count.astype(int)
        count = count[view.topic]
        most = max(count.max(initial=0), place.max(initial=0) + 1)
        a = discount("trec", int(most))
        largest = np.append(0.0, a.cumsum())
        cutoff = self.param("ideal") or self.cutoff or most
        number = np.minimum(count, cutoff)
        ideal = largest[number]
        discounts = a[place]
        counting = relevant[documents.document]
        gains = discounts * counting
        sums = np.bincount(documents.ranking, gains, len(view))
        view.note(discount=discounts[None], gain=gains[None], ideal=ideal)
        return ratio(sums, ideal), count > 0

    def awrf(self, view: Rankings) -> Floats:
        """Return AWRF of each list, ``[R]``; NaN where no relevant document has any mass, and where
        documents can have one label only.
        """
        attributes = [view.attribute(source, self.depth) for source in self.joint]
        sets, of_ranked, of_judged = zip(*attributes, strict=True)
        several = sum(len(part.labels) - 1 for part in sets) > 1  # one of them is @UNKNOWN
        if self["unknown"] == "partial" and not several:
            return np.full(len(view), nan)
        topic, _, relevance = view.judgments
        relevant = np.flatnonzero(relevance >= self.rel)
        codes = [codes[relevant] for codes in of_judged]
        judged = self.cells(sets, codes)
        pairs = relevant[judged.row]
        judged = judged._replace(row=topic[pairs])
        ranked = self.cells(sets, of_ranked)
        cells = self.exposed(view, ranked)
        exposure = np.bincount(cells.row, cells.mass, len(view))
        p = cells.mass / exposure[cells.row]
        mass = sum_by_topic(view, judged.row, judged.mass)
        mass = mass[view.topic]
        target = self.target_mass(view, cells, judged)
        of_row = mass[cells.row]
        t = ratio(target, of_row)
        if view.notes is not None and exposure.any():
            places = np.unravel_index(cells.cell, [len(part.labels) for part in sets])
            columns = []
            for part, place in zip(sets, places, strict=True):
                labels = np.array(part.labels)
                columns.append(labels[place])
            names = map(" & ".join, zip(*columns, strict=True))
            view.note([*names, "the other cells"], exposure_share=np.append(p, 0.0),
                      target_share=np.append(t, 1.0 - t.sum()))
        unfair = divergence(p, t, cells.row, len(view))
        fair = np.clip(1 - unfair, 0.0, 1.0)
        values = np.where(exposure > 0, fair, 0.0)
        return np.where(mass > 0, values, nan)

    def exposed(self, view: Rankings, ranked: Cells) -> Cells:
        """Return a row for each list and cell of the ranking, whose mass is the exposure.

        :param ranked: the cells of the ranked documents
        """
        documents = view.documents(self.depth)
        lists = documents.ranking[ranked.row]
        place = documents.place[ranked.row]
        (row, cell, K), inverse = unique_rows(lists, ranked.cell, ranked.K)
        share = np.zeros(len(row))
        share[inverse] = ranked.share
        a = discount("trec", int(place.max(initial=0)) + 1)
        exposure = a[place] * ranked.mass
        mass = np.bincount(inverse, exposure, len(row)).astype(float)
        return Cells(row, cell, K, mass, share)

    def target_mass(self, view: Rankings, cells: Cells, judged: Cells) -> Floats:
        """Return the mass of each cell in the target, ``[e]``.

        A topic has the mass of its relevant documents.

        :param judged: the cells of the relevant documents, whose rows are topics
        """
        topic = view.topic[cells.row]
        q = summed_at((topic, cells.cell), (judged.row, judged.cell), judged.mass)
        c = summed_at((topic, cells.K), (judged.row, judged.K), judged.mass)
        of_target = c * cells.share
        of_qrels = self["of_qrels"]
        return of_qrels * q + (1 - of_qrels) * of_target

    def cells(self, sets: Sequence[LabelSets], codes: Sequence[Ints]) -> Cells:
        """Return the cells of documents, of the attributes in the order of :attr:`joint`.

        :param sets: the label sets of each source
        :param codes: the code of each document in each source, ``[n]`` each
        """
        lowest = np.min(codes, axis=0)
        row = np.flatnonzero(lowest >= 0)
        cell = K = np.zeros(len(row), np.int64)
        mass = share = np.ones(len(row))
        for place, source in enumerate(self.joint):
            *labels, _ = sets[place].labels  # the last label is @UNKNOWN
            of_label = self.target_shares(source, labels)
            of_row = codes[place][row]
            entry, label, label_share = sets[place].entries(of_row)
            row = row[entry]
            cell = cell[entry] * len(of_label)
            cell += label
            is_label = label < len(labels)
            K = K[entry] + (is_label << place)
            share = share[entry] * of_label[label]
            mass = mass[entry]
            if name_of(source) not in self.whole:
                mass = mass * label_share
        if self["unknown"] == "group":
            return Cells(row, cell, K, mass, share)
        of = K > 0
        return Cells(row[of], cell[of], K[of], mass[of], share[of])

    def target_shares(self, source: Any, labels: Sequence[str]) -> Floats:
        """Return w_j of each label of a source, and 1 for ``@UNKNOWN``."""
        from pt_fairness import targets
        target = targets.find(self.joint[source])
        shares = target.shares[0]
        shares = shares / shares.sum()
        of_label = dict(zip(target.labels, shares, strict=True))
        return np.array([*(of_label.get(label, 0.0) for label in labels), 1.0])


def summed_at(places: tuple[Ints, Ints], keys: tuple[Ints, Ints], values: Floats) -> Floats:
    """Return the sum of the values whose pair of keys is each of some pairs, ``[n]``.

    :param places: two integers for each sum, ``[n]`` each
    :param keys: two integers for each value, ``[m]`` each
    """
    columns = map(np.append, places, keys)
    _, number = unique_rows(*columns)
    n = len(number) - len(values)
    sums = np.bincount(number[n:], values, len(number))
    return sums[number[:n]].astype(float)


TrecFair = register(_TrecFair())
