"""Whether groups have equal ranks: ARP (Cachel et al. 2022) and PEER (Yang et al. 2024)."""

from __future__ import annotations

from math import nan
from typing import Any

import numpy as np

from pt_fairness.core import arrays
from pt_fairness.core.arrays import BLOCK_CELLS, Floats, Ints, distinct, ratio
from pt_fairness.measures import params
from pt_fairness.measures.measure import FairnessMeasure, sums_by_list
from pt_fairness.measures.measure_names import register
from pt_fairness.rankings.rankings import Rankings


def pairs_won(n: Ints, total: Floats, ranks: Floats, both: Floats) -> Floats:
    """Return Σ_{i<j} m_ig (1 − m_jg) = n Σ_i m_ig − Σ_i i·m_ig − ½ Σ_{i≠j} m_ig m_jg.

    :param n: the number of documents of each list, ``[R, 1]``
    :param total: Σ_i m_ig, ``[R, L]``
    :param ranks: Σ_i i·m_ig, ``[R, L]``
    :param both: Σ_{i≠j} m_ig m_jg, ``[R, L]``
    """
    return n * total - ranks - both / 2.0


def mixed_pairs(n: Ints, total: Floats, both: Floats) -> Floats:
    """Return Σ_{i<j} [m_ig (1 − m_jg) + m_jg (1 − m_ig)] = (n − 1) Σ_i m_ig − Σ_{i≠j} m_ig m_jg."""
    return (n - 1.0) * total - both


class _ARP(FairnessMeasure):
    r"""ARP — Attribute Rank Parity.

    The largest difference between two groups in how often they are ranked above other groups.

    0 is fair: every group wins the same share of its pairs of documents with other groups. 1 says
    that one wins all and another none, or that one is missing. Ten documents with five of B, in
    turn with A, have 0.20. With B at the end they have 1.00.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(ARP, "ABABABABAB", "AAAAABBBBB")
    ABABABABAB  0.20
    AAAAABBBBB  1.00

    Formula
    -------
    .. math::

       \max_g W_g - \min_g W_g, \qquad
       W_g = \frac{\sum_{i<j} m_{ig} (1 - m_{jg})}
       {\sum_{i<j} \left[ m_{ig} (1 - m_{jg}) + m_{jg} (1 - m_{ig}) \right]}

    * g: a group of the topic's relevant documents.
    * W_g: the share of its pairs with other groups that g wins: 1 for a group that is alone, 0 for
      one that is absent.
    * i and j are ranks, counted over the documents that have a group, up to the cutoff.
    * m_ig is 1/m for each of the m groups of the document at rank i, else 0.

    Example
    -------
    >>> round(ARP.calc_aggregate(qrels, run), 3)
    0.333

    Details
    -------
    Range
        0 to 1.
    Errors only
        ``pairs='errors'`` counts errors in favour of a group, rank equality of Kuhlman et al.
        (2019) those against it. W_g is 0 for a group without pairs.
    Undefined
        A topic whose relevant documents have fewer than two groups.
    Nothing returned
        1, the least fair.
    Differs from the paper
        To take the groups of the relevant documents is a choice of this package.

    When it misleads
    ----------------
    * The shares of the groups do not count, only their places. Here B has two and one of ten ranks:

      >>> draw(ARP, "AABAAAABAA", "AAAAABAAAA")
      AABAAAABAA  0.00
      AAAAABAAAA  0.11

    * A pair at ranks 9 and 10 counts as much as one at ranks 1 and 2.

    Source
    ------
    Cachel et al. (2022); ``pairs='errors'`` after Kuhlman et al. (2019).
    """

    # Slow version: arp in tests/slow_versions/statistics.py
    WHERE = "share won = pairs won / mixed pairs"
    FORMULA = "max({share won}) - min({share won})"
    SOURCE = ("cachel2022", "kuhlman2019")
    SUPPORTED_PARAMS = {
        **params.CUTOFF_AND_REL,
        "pairs": params.one_of("pairs that a group can win: all, or those whose document above is "
                               "less relevant (errors)", "all", "errors"),
        "groups": params.groups(),
    }
    RELEVANCE = True
    COMPARES = True

    @property
    def decided_by(self) -> str:  # type: ignore[override]
        return "order" if self["pairs"] == "all" else ""

    def score(self, view: Rankings) -> Floats:
        codes, n = view.condensed(self.cutoff)
        counts = sums_by_list(view, codes)
        total = counts @ view.share
        squares = view.share ** 2
        both = total ** 2 - counts @ squares
        mixed = mixed_pairs(n[:, None], total, both)
        alone: Any = 0.0
        if self["pairs"] == "errors":
            won = self.errors(view, codes)
        else:
            alone = total > 0
            i = arrays.ranks(codes.shape[1])
            ranks = sums_by_list(view, codes, i) @ view.share
            won = pairs_won(n[:, None], total, ranks, both)
        shares = np.where(mixed > 0, ratio(won, mixed), alone)
        sizes = view.relevant(self.rel)
        relevant = sizes @ view.member > 0
        compared = np.where(relevant, shares, nan)
        view.note(view.labels, pairs_won=won, mixed_pairs=mixed, share_won=compared)
        defined = relevant.sum(axis=1) > 1
        largest = shares.max(axis=1, initial=0.0, where=relevant)
        smallest = shares.min(axis=1, initial=1.0, where=relevant)
        values = np.where(n > 0, largest - smallest, 1.0)
        return np.where(defined, values, nan)

    def errors(self, view: Rankings, codes: Ints) -> Floats:
        """Return Σ m_ig · (1 − m_jg) over i < j with document i less relevant than j, ``[R, L]``.

        :param codes: the label set of each rank, ``[R, D]``, −1 past the end of a list
        """
        relevance = view.condensed_relevance(self.cutoff)
        annotated = codes >= 0
        grades = distinct(relevance[annotated])
        won = np.zeros((len(view), len(view.labels)))
        shares = np.pad(view.share, ((0, 1), (0, 0)))
        size = max(1, BLOCK_CELLS // max(1, codes.size))
        for start in range(0, len(view.labels), size):
            labels = slice(start, start + size)
            m = shares[:, labels][codes]
            for grade in grades[1:]:
                is_less_relevant = relevance < grade
                is_better = (relevance == grade) & annotated
                above = (m * is_less_relevant[:, :, None]).cumsum(axis=1)
                better = (1.0 - m) * is_better[:, :, None]
                won[:, labels] += (above * better).sum(axis=1)
        return won


def kruskal_wallis(size: Floats, mean_of: Floats, mean: Floats, spread: Floats) -> Floats:
    """Return H = (N − 1) · Σ_g N_g · (x̄_g − x̄)² / Σ (x − x̄)², ``[R]``.

    :param size: N_g, ``[R, L]``
    :param mean_of: x̄_g, ``[R, L]``
    :param mean: x̄, ``[R]``
    :param spread: Σ (x − x̄)², ``[R]``
    """
    squares = size * (mean_of - mean[:, None]) ** 2
    between = squares.sum(axis=1)
    N = size.sum(axis=1)
    return ratio((N - 1.0) * between, spread)


class _PEER(FairnessMeasure):
    r"""PEER — Probability of Equal Expected Rank.

    Whether relevant documents of all languages, or of any groups, have the same expected rank.

    The value is the p-value of a test. Near 1, the groups have equal mean ranks. Below 0.05, chance
    hardly explains the difference. If all ten relevant documents are returned, A and B in turn have
    0.60. With B at the end they have 0.01.

    >>> from pt_fairness.measures.descriptions import draw, qrels, run
    >>> draw(PEER, "ABABABABAB", "AAAAABBBBB", relevant="ABABABABAB")
    ABABABABAB  0.60
    AAAAABBBBB  0.01

    Formula
    -------
    .. math::

       \sum_s w_s P_s, \qquad H = (N - 1) \,
       \frac{\sum_g N_g (\bar x_g - \bar x)^2}{\sum (x - \bar x)^2}

    * s: a set of relevance grades and w_s its weight. By default one set holds all relevant
      documents. ``weights={1:0.4,2:0.6}`` makes each grade a set; unjudged documents have grade 0.
    * P_s: the p-value of the Kruskal–Wallis test: how probable a χ² value of at least H is, with
      one degree of freedom fewer than there are groups with ranks x.
    * x are the N ranks of the documents of the set, once for each group of a document; N_g of them
      are of group g, with the mean x̄_g. x̄ is the mean of all.

    Example
    -------
    >>> round(PEER.calc_aggregate(qrels, run), 3)
    0.181

    Details
    -------
    Range
        0 to 1.
    Ranks
        They are counted in the whole ranking, up to its cutoff n.
    Relevant documents that were not retrieved
        All u of them have the middle rank after n, n + (u + 1)/2. ``unretrieved='count'``, as in
        the published code, puts N for n, which can place them before retrieved documents.
    Undefined
        A topic without a judged document of a set that has a group. Every topic, if there is only
        one group.
    Nothing returned
        0, the least fair; also without a document with a group up to the cutoff.
    Value 1
        P is 1 if no document of the set is among the first n, if fewer than two groups have ranks,
        and if all ranks are equal.
    Weights of groups
        They raise a ValueError.

    When it misleads
    ----------------
    * With few relevant documents hardly any ranking is unfair, and with many a small difference is.

      >>> draw(PEER, "AABB", relevant="AABB")
      AABB  0.12
      >>> draw(PEER, "AAAABBBB", relevant="AAAABBBB")
      AAAABBBB  0.02

    * Means are compared, not places. A group at both ends is fair:

      >>> draw(PEER, "BBAAAAAABB", relevant="BBAAAAAABB")
      BBAAAAAABB  1.00

    Source
    ------
    Yang et al. (2024), with the tie and rank conventions of their package peer_measure.
    """

    # Slow version: peer in tests/slow_versions/statistics.py
    WHERE = ("H = (N - 1) * Σ n * (mean rank - mean) ** 2 / sum of squares, n the documents of a "
             "group, N = Σ n, mean = Σ n * mean rank / N; chi2(x, f) = the upper tail of χ² with f "
             "degrees of freedom")
    SOURCE = ("yang2024",)
    SUPPORTED_PARAMS = {
        **params.CUTOFF_AND_REL,
        "weights": params.WEIGHTS,
        "unretrieved": params.one_of("rank of relevant documents that were not retrieved: after "
                                     "the end of the ranking (end) or after as many ranks as there "
                                     "are observations (count)", "end", "count"),
        "groups": params.groups(),
    }
    IDEAL = 1.0
    COMPARES = True
    CONDENSED = False
    JUDGED = True
    refuses_weights = True

    def grade_of(self, relevance: Any) -> Any:
        """Return the grade of each document by ``weights``, or else 1 for a relevant document."""
        if self.param("weights") is None:
            return relevance >= self.rel
        return np.maximum(relevance, 0)

    @property
    def grades(self) -> dict[str, tuple[int, float]]:
        """The grades and their weights, by the prefix of the names of their numbers."""
        if self.param("weights") is None:
            return {"": (1, 1.0)}
        weights = self["weights"]
        return {f"grade {grade}: ": (grade, weights[grade]) for grade in weights if weights[grade]}

    def score(self, view: Rankings) -> Floats:
        codes, relevance, n = view.full(self.cutoff)
        annotated = codes >= 0
        row, place = np.nonzero(annotated)
        code = codes[row, place]
        relevance = relevance[row, place]
        topic, judged_code, judged_relevance = view.judgments
        lists = len(view)
        topics = len(view.topics)
        values = np.zeros(lists)
        rank = place + 1.0
        defined = np.zeros(topics, bool)
        grades = self.grade_of(relevance)
        judged_grade = self.grade_of(judged_relevance)
        for name, (grade, weight) in self.grades.items():
            judged = judged_code >= 0
            judged &= judged_grade == grade
            defined[topic[judged]] = True
            judged &= judged_relevance > 0
            relevant = view.sums_by_code(topics, topic[judged], judged_code[judged])
            same_grade = grades == grade
            hit = same_grade & (relevance > 0)
            retrieved = view.sums_by_code(lists, row[hit], code[hit])
            missing = relevant[view.topic] - retrieved
            documents = row[same_grade], code[same_grade], rank[same_grade]
            values += weight * self.probability(view, name, *documents, missing, n)
        values *= annotated.any(axis=1)
        return np.where(defined[view.topic], values, nan)

    def formula(self) -> str:
        terms = [f"{weight:g} * chi2({{{name}H}}, {{{name}degrees of freedom}})"
                 for name, (_, weight) in self.grades.items()]
        return " + ".join(terms).removeprefix("1 * ")

    def probability(self, view: Rankings, name: str, row: Ints, code: Ints, rank: Floats,
                    missing: Floats, n: Ints) -> Floats:
        """Return the p-value of each list, ``[R]``.

        :param name: the prefix of the names of the set's numbers
        :param row: the list of each retrieved document of the set, ``[M]``
        :param code: its code, ``[M]``
        :param rank: its 1-based rank, ``[M]``
        :param missing: the number of missing relevant documents of the set by code, ``[R, S]``
        :param n: the lengths of the lists, ``[R]``
        """
        from scipy import special  # takes longer to import than the whole package
        lists = len(view)
        retrieved = view.sums_by_code(lists, row, code) @ view.member
        lost = missing @ view.member
        u = lost.sum(axis=1)
        size = retrieved + lost
        total = size.sum(axis=1)
        end = total if self["unretrieved"] == "count" else n
        last = end + (u + 1.0) / 2.0
        ranks = view.sums_by_code(lists, row, code, rank) @ view.member
        sums = ranks + lost * last[:, None]
        mean = ratio(sums.sum(axis=1), total)
        memberships = view.member.sum(axis=1)
        squares = memberships[code] * (rank - mean[row]) ** 2
        spread = np.bincount(row, squares, lists)
        spread = spread + u * (last - mean) ** 2
        mean_of = ratio(sums, size)
        statistic = kruskal_wallis(size, mean_of, mean, spread)
        groups = (size > 0).sum(axis=1)
        tested = retrieved.any(axis=1) & (spread != 0)
        statistic = np.where(tested, statistic, 0.0)
        freedom = np.maximum(groups - 1.0, 1.0)
        view.note(view.labels, name, documents=size, mean_rank=mean_of)
        view.note(None, name, sum_of_squares=spread, H=statistic, degrees_of_freedom=freedom)
        return special.chdtrc(freedom, statistic)


ARP = register(_ARP())
PEER = register(_PEER())
