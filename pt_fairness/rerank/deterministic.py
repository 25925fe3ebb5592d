"""Deterministic re-rankers: DetGreedy and its kin, FA*IR, xQuAD and PM-2."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import inf
from typing import Any, ClassVar

import numpy as np

from pt_fairness.core.arrays import Bools, Floats, Ints, ratio
from pt_fairness.core.messages import warn
from pt_fairness.measures import params
from pt_fairness.measures.statistical_tests import ALPHA, m_table
from pt_fairness.rankings.protected import label_parts, rarest
from pt_fairness.rerank.rerankers import Candidates, GroupReRanker, GroupSource, Queues

#: Absolute tolerance within which counts and their bounds are equal.
EQUAL = 1e-9
#: Absolute tolerance within which the values of documents or groups are equal.
CLOSE = 1e-12


class _Deterministic(GroupReRanker):
    """A re-ranker of Geyik et al. (2019)."""

    # The rule of greedy_order.
    rule: ClassVar[str]

    def __init__(self, groups: GroupSource = None, target: Any = "uniform", k: int | None = None,
                 verbose: bool = False) -> None:
        super().__init__(groups=groups, target=target, k=k, verbose=verbose)

    def reorder(self, topic: Candidates) -> Ints:
        return greedy_order(topic.shares, topic.target, topic.k, self.rule)


class det_greedy(_Deterministic, label="DetGreedy"):
    """Re-rank by DetGreedy, which keeps every prefix between minimum and maximum counts.

    Rank j gets the best document of the groups with fewer than ⌊jT⌋ documents, where T is the
    target share; if there are none, of the groups with fewer than ⌈jT⌉.

    Source: Geyik et al. (2019), Fairness-Aware Ranking in Search & Recommendation Systems.

    :mod:`pt_fairness.rerank` has the parameters that re-rankers share.

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import rerank
    >>> results = pd.DataFrame({"qid": "1", "docno": list("abcde"), "score": [5, 4, 3, 2, 1],
    ...                         "group": list("PPPCC")})
    >>> " ".join(rerank.det_greedy()(results)["docno"])
    'a d b e c'
    """

    rule = "greedy"


class det_cons(_Deterministic, label="DetCons"):
    """Re-rank by DetCons, which prefers the groups whose minimum will grow next.

    As :class:`det_greedy`, but of the groups with fewer than ⌈jT⌉ documents only those with the
    least ⌈jT⌉/T are considered.

    Source: Geyik et al. (2019). Some implementations take the largest ⌈jT⌉/T.

    :mod:`pt_fairness.rerank` has the parameters that re-rankers share.

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import rerank
    >>> results = pd.DataFrame({"qid": "1", "docno": list("abcde"), "score": [5, 4, 3, 2, 1],
    ...                         "group": list("PPPCC")})
    >>> " ".join(rerank.det_cons(target={'P': 0.7, 'C': 0.3})(results)["docno"])
    'a b d c e'
    """

    rule = "cons"


class det_relaxed(_Deterministic, label="DetRelaxed"):
    """Re-rank by DetRelaxed, which prefers the groups whose minimum will grow next.

    As :class:`det_cons`, but with ⌈⌈jT⌉/T⌉, so that more groups tie and the best document of them
    is taken.

    Source: Geyik et al. (2019).

    :mod:`pt_fairness.rerank` has the parameters that re-rankers share.

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import rerank
    >>> results = pd.DataFrame({"qid": "1", "docno": list("abcde"), "score": [5, 4, 3, 2, 1],
    ...                         "group": list("PPPCC")})
    >>> " ".join(rerank.det_relaxed(target={'P': 0.7, 'C': 0.3})(results)["docno"])
    'a b d c e'
    """

    rule = "relaxed"


class det_const_sort(_Deterministic, label="DetConstSort"):
    """Re-rank by DetConstSort, which has ⌊jT⌋ documents of every group in every prefix j.

    T is the target share. Documents are added when the minimum of their group grows, and each then
    moves up past worse documents that can still reach their own prefix. The minimum is kept for any
    number of groups, if documents have one group each and no group runs out.

    Source: Geyik et al. (2019), with ranks counted from 1. With ranks from 0, as in FairRankTune,
    minima are missed.

    :mod:`pt_fairness.rerank` has the parameters that re-rankers share.

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import rerank
    >>> results = pd.DataFrame({"qid": "1", "docno": list("abcde"), "score": [5, 4, 3, 2, 1],
    ...                         "group": list("PPPCC")})
    >>> " ".join(rerank.det_const_sort(target={'P': 0.7, 'C': 0.3})(results)["docno"])
    'a b c d e'
    """

    def reorder(self, topic: Candidates) -> Ints:
        return const_sort_order(topic.shares, topic.target, topic.k)


def greedy_order(shares: Floats, target: Floats, k: int, rule: str) -> Ints:
    """Return the first ``k`` documents of DetGreedy, DetCons or DetRelaxed, as indices.

    :param shares: the share of each document in each group, ``[n, G]``, in the old order
    :param target: the target share of each group, ``[G]``
    :param k: the number of documents, at most ``n``
    :param rule: which of the groups below their maximum come first: ``'greedy'`` any,
        ``'cons'`` the least ⌈jT⌉/T, ``'relaxed'`` the least ⌈⌈jT⌉/T⌉
    """
    ranks = np.arange(1.0, k + 1)
    due = np.outer(ranks, target)
    least = np.floor(due + EQUAL)
    most = np.ceil(due - EQUAL)
    keys = np.zeros(due.shape)
    if rule != "greedy":
        keys = ratio(most, target)
    if rule == "relaxed":
        keys = np.ceil(keys - EQUAL)
    queues = Queues(shares > 0)
    count = np.zeros_like(target)
    order = np.empty(k, np.intp)
    for rank in range(k):
        left = queues.left
        chosen = left & (count < least[rank] - EQUAL)
        if not chosen.any():
            chosen = left & (count < most[rank] - EQUAL)
            smallest = keys[rank, chosen].min(initial=inf)
            chosen &= keys[rank] <= smallest + EQUAL
        if not chosen.any():
            chosen = left
        document = queues.best[chosen].min()
        order[rank] = document
        queues.place(document)
        count += shares[document]
    return order


def const_sort_order(shares: Floats, target: Floats, k: int) -> Ints:
    """Return the first ``k`` documents of DetConstSort, as indices.

    Fewer are returned if the groups with a target share have fewer documents.

    :param shares: the share of each document in each group, ``[n, G]``, in the old order
    :param target: the target share of each group, ``[G]``
    """
    documents, deadlines = _due(shares, target, k)
    # Lists, because most documents move by fewer ranks than there are groups.
    order: list[int] = []
    due: list[float] = []
    for document, deadline in zip(documents, deadlines, strict=True):
        place = len(order)
        while place > 0 and order[place - 1] > document and due[place - 1] > place:
            place -= 1
        order.insert(place, document)
        due.insert(place, deadline)
    return np.array(order[:k], np.intp)


def _due(shares: Floats, target: Floats, k: int) -> tuple[list[int], list[float]]:
    """Return the documents that are due up to the step of the ``k``-th, and their deadlines.

    Documents are in order of their deadlines, then in the old order. The i-th document of a group
    is due at step ⌈i/T⌉, and never if T is 0.
    """
    queues = Queues(shares > 0)
    count = np.zeros_like(target)
    step = -inf
    order: list[int] = []
    deadlines: list[float] = []
    while queues.left.any():
        number = np.floor(count + EQUAL) + 1.0
        with np.errstate(divide="ignore"):
            dates = np.ceil((number - EQUAL) / target)
        dates[~queues.left] = inf
        step = max(step, dates.min())
        if step == inf or (len(order) >= k and step > deadlines[-1]):
            break
        document = int(queues.best[dates <= step].min())
        order.append(document)
        deadlines.append(step)
        queues.place(document)
        count += shares[document]
    return order, deadlines


class fa_ir(GroupReRanker, label="FA*IR"):
    """Re-rank by FA*IR, so that no prefix has significantly too few protected documents.

    Each rank gets the best document, or the best protected one if the prefix would otherwise fail
    the ranked group fairness test. A document of several groups is protected if one of them is. The
    table of the test is the one in the measure FAIR, with the documents that ``k`` counts.

    Source: Zehlike et al. (2017), FA*IR, algorithm 2. The correction is exact.

    :mod:`pt_fairness.rerank` has the parameters that re-rankers share.

    :param protected: ``'minority'`` or ``'majority'``, the group with the fewest or most documents
        in the topic's results, a label, or labels joined by commas
    :param alpha: the significance level of the test, above 0 and below 1
    :param adjust: whether ``alpha`` is the level of all prefixes together; otherwise of each prefix

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import rerank
    >>> results = pd.DataFrame({"qid": "1", "docno": list("abcde"), "score": [5, 4, 3, 2, 1],
    ...                         "group": list("PPPCC")})
    >>> " ".join(rerank.fa_ir(alpha=0.3)(results)["docno"])
    'a b d c e'
    """

    PARAMS = {
        "protected": params.protected(),
        "alpha": ALPHA,
        "adjust": params.flag("whether alpha is the level of all prefixes together", default=True),
    }
    protected: str
    alpha: float
    adjust: bool

    def __init__(self, groups: GroupSource = None, target: Any = "uniform", k: int | None = None,
                 protected: Any = "minority", alpha: float = 0.1, adjust: bool = True,
                 verbose: bool = False) -> None:
        super().__init__(groups=groups, target=target, k=k, protected=protected, alpha=alpha,
                         adjust=adjust, verbose=verbose)

    def named_labels(self, labels: Sequence[str]) -> dict[str, str]:
        names = super().named_labels(labels)
        if self.protected not in ("minority", "majority"):
            names |= dict.fromkeys(label_parts(self.protected, labels), "protected")
        return names

    def _check_labels(self, labels: Sequence[str]) -> None:
        super()._check_labels(labels)
        if self.protected in ("minority", "majority") and len(labels) > 2:
            warn(f"protected is {self.protected!r}: one of {len(labels)} groups is protected in "
                 "each topic, and the others count as one; name the protected groups in protected=")

    def reorder(self, topic: Candidates) -> Ints:
        if self.protected in ("minority", "majority"):
            degrees = np.where(topic.weighted[:, None], topic.shares, topic.shares > 0)
            sizes = degrees.sum(axis=0)
            masks, _ = rarest(sizes[None], self.protected == "majority")
            chosen = masks[0]
        else:
            parts = label_parts(self.protected, self.declared or topic.labels)
            chosen = np.isin(topic.labels, parts)
        protected: Any = topic.shares[:, chosen].any(axis=1)
        p = protected.mean()
        if self.target != "run":
            p = min(topic.target[chosen].sum(), 1.0)
        table = _m_table(topic.k, float(p), self.alpha, self.adjust)
        return fa_ir_order(protected, table)


_m_table = lru_cache(maxsize=1024)(m_table)


def fa_ir_order(protected: Bools, table: Ints) -> Ints:
    """Return the first documents of FA*IR's order, as indices.

    :param protected: whether each document is protected, ``[n]``, in the old order
    :param table: the minimum number of protected documents in each prefix, ``[k]``
    """
    # The minimum grows by at most 1 per rank. So the i-th protected document has the first rank
    # whose minimum is i, or its old rank if that is better.
    k = len(table)
    documents = np.flatnonzero(protected)
    numbers = np.arange(1, len(documents) + 1)
    due = np.searchsorted(table, numbers)
    place = np.minimum(due, documents)
    first = np.full(k, -1)
    inside = place < k
    first[place[inside]] = documents[inside]
    free = np.flatnonzero(first < 0)
    unprotected = np.flatnonzero(~protected)
    first[free] = unprotected[:len(free)]
    return first


class _Diversifier(GroupReRanker):
    """A re-ranker by probabilities of relevance."""

    PARAMS = {
        "lam": params.fraction("weight of the groups against relevance", 0.5),
        "normalise": params.one_of("how scores become probabilities", "minmax", "sum", "none"),
    }
    lam: float
    normalise: str

    def __init__(self, groups: GroupSource = None, target: Any = "uniform", k: int | None = None,
                 lam: float = 0.5, normalise: str = "minmax", verbose: bool = False) -> None:
        super().__init__(groups=groups, target=target, k=k, lam=lam, normalise=normalise,
                         verbose=verbose)

    def probabilities(self, topic: Candidates) -> tuple[Floats, Floats]:
        """Return P(d), ``[n]``, and P(d|g), ``[n, G]``.

        :raises ValueError: if a score is infinite, or outside [0, 1] with ``normalise='none'``
        """
        score = topic.normalised() if self.normalise == "minmax" else topic.finite()
        if self.normalise == "sum":
            score = score - min(score[-1], 0.0)
            gain = topic.shares * score[:, None]
            return ratio(score, score.sum()), ratio(gain, gain.sum(axis=0))
        wrong = (score < 0) | (score > 1)
        if wrong.any():
            first = wrong.argmax()
            raise ValueError("with normalise='none', scores must be in [0, 1], got "
                             f"{score[first]:g} for document {topic.docnos[first]!r} of topic "
                             f"{topic.qid!r}")
        return score, topic.shares * score[:, None]


def _first_of_best(values: Floats) -> int:
    """Return the first index of the largest value, within :data:`CLOSE`."""
    return int((values.max() - values <= CLOSE).argmax())


class xquad(_Diversifier, label="xQuAD"):
    """Re-rank by xQuAD, with groups as the aspects of the topic.

    Each rank gets the document with the largest ``(1−λ)·P(d) + λ·Σ_g T_g·P(d|g)·Π_e (1 − P(e|g))``,
    where e are the documents before it and T is the target. xQuAD covers the groups and does not
    balance them: a document with P(e|g) = 1 finishes its group.

    Source: Santos et al. (2010), Exploiting Query Reformulations for Web Search Result
    Diversification; ``normalise='sum'`` after Vargas et al. (2011).

    :mod:`pt_fairness.rerank` has the parameters that re-rankers share.

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import rerank
    >>> results = pd.DataFrame({"qid": "1", "docno": list("abcde"), "score": [5, 4, 3, 2, 1],
    ...                         "group": list("PPPCC")})
    >>> " ".join(rerank.xquad(lam=0.8)(results)["docno"])
    'a b d c e'
    """

    def reorder(self, topic: Candidates) -> Ints:
        return xquad_order(*self.probabilities(topic), topic.target, self.lam, topic.k)


class pm2(_Diversifier, label="PM-2"):
    """Re-rank by PM-2, which gives ranks to groups in proportion to the target.

    The group with the largest quotient q_g = T_g/(2·s_g + 1) has the next rank, where s_g are the
    ranks that it has had; the document with the largest
    ``λ·q_g·P(d|g) + (1−λ)·Σ_{h≠g} q_h·P(d|h)`` gets it. With λ = 1 this is Sainte-Laguë's method.

    Source: Dang & Croft (2012), Diversity by Proportionality.

    :mod:`pt_fairness.rerank` has the parameters that re-rankers share.

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import rerank
    >>> results = pd.DataFrame({"qid": "1", "docno": list("abcde"), "score": [5, 4, 3, 2, 1],
    ...                         "group": list("PPPCC")})
    >>> " ".join(rerank.pm2()(results)["docno"])
    'a b d c e'
    """

    def reorder(self, topic: Candidates) -> Ints:
        _, coverage = self.probabilities(topic)
        return pm2_order(coverage, topic.shares, topic.target, self.lam, topic.k)


def xquad_order(relevance: Floats, coverage: Floats, target: Floats, lam: float, k: int) -> Ints:
    """Return the first ``k`` documents of xQuAD's order, as indices.

    :param relevance: P(d), ``[n]``, in the old order
    :param coverage: P(d|g), ``[n, G]``
    :param target: the target share of each group, ``[G]``
    """
    utility = (1.0 - lam) * relevance
    weight = lam * target
    left = np.zeros_like(relevance)  # −∞ for documents that are placed
    order = np.empty(k, np.intp)
    for rank in range(k):
        gain = utility + coverage @ weight
        document = _first_of_best(gain + left)
        order[rank] = document
        weight = weight * (1.0 - coverage[document])
        left[document] = -inf
    return order


def pm2_order(coverage: Floats, shares: Floats, target: Floats, lam: float, k: int) -> Ints:
    """Return the first ``k`` documents of PM-2's order, as indices.

    :param coverage: P(d|g), ``[n, G]``, in the old order
    :param shares: the share of each document in each group, ``[n, G]``
    :param target: the target share of each group, ``[G]``
    """
    total = coverage.sum(axis=1, keepdims=True)
    seats = np.where(total == 0, shares, ratio(coverage, total))
    queues = Queues(shares > 0)
    taken = np.zeros_like(target)
    left = np.zeros(len(shares))  # −∞ for documents that are placed
    order = np.empty(k, np.intp)
    for rank in range(k):
        quotient = target / (2.0 * taken + 1.0)
        largest = quotient[queues.left].max()
        first = np.where(quotient >= largest - CLOSE, queues.best, len(shares))
        next_group = first.argmin()
        weight = (1.0 - lam) * quotient
        weight[next_group] = lam * quotient[next_group]
        document = _first_of_best(coverage @ weight + left)
        order[rank] = document
        taken += seats[document]
        left[document] = -inf
        queues.place(document)
    return order
