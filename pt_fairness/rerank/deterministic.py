"""DetGreedy, DetCons, DetRelaxed and DetConstSort."""

from __future__ import annotations

from typing import Any

import numpy as np

from pt_fairness.core.arrays import Bools, Floats, Ints
from pt_fairness.rerank.base import GroupReRanker, GroupSource
from pt_fairness.rerank.results import Condensed, Queues

#: Absolute tolerance within which counts and their bounds are equal.
EQUAL = 1e-9


class _Deterministic(GroupReRanker):
    """A re-ranker of Geyik et al. (2019)."""

    def __init__(self, groups: GroupSource = None, target: Any = "uniform", k: int | None = None,
                 verbose: bool = False) -> None:
        super().__init__(groups=groups, target=target, k=k, verbose=verbose)


class _Greedy(_Deterministic):
    """A re-ranker that keeps every prefix between minimum and maximum counts of the groups."""

    def reorder(self, one: Condensed) -> Ints:
        rule = type(self).__name__.removeprefix("det_")
        return greedy_order(one.shares, one.target, one.k, rule)


class det_greedy(_Greedy, label="DetGreedy"):
    """Re-rank by DetGreedy, which keeps every prefix between minimum and maximum counts.

    Rank j gets the best document of the groups with fewer than ⌊jT⌋ documents, where T is the
    target share; if there are none, of the groups with fewer than ⌈jT⌉.

    Source: Geyik et al. (2019), Fairness-Aware Ranking in Search & Recommendation Systems.

    :param groups: the name of a registered group source, the path of a group file, or a Groups
        object; by default the column ``group`` of the results, which
        :func:`~pt_fairness.annotate` writes
    :param target: the share that each group should have: ``'uniform'``, ``'run'`` for the shares
        in the topic's results, the name of a registered target, or a dictionary. Shares are
        rescaled to sum to 1 over the groups that the topic's results have.
    :param k: the number of annotated documents to choose, from all of the topic; the others follow
        in the old order. By default all are chosen.
    :param verbose: whether to show a progress bar over topics
    :raises ValueError: a value that is not allowed

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import rerank
    >>> results = pd.DataFrame({"qid": "1", "docno": list("abcde"), "score": [5, 4, 3, 2, 1],
    ...                         "group": list("PPPCC")})
    >>> " ".join(rerank.det_greedy()(results)["docno"])
    'a d b e c'
    """


class det_cons(_Greedy, label="DetCons"):
    """Re-rank by DetCons, which prefers the groups whose minimum will grow next.

    As :class:`det_greedy`, but of the groups with fewer than ⌈jT⌉ documents only those with the
    least ⌈jT⌉/T are considered.

    Source: Geyik et al. (2019). Some implementations take the largest ⌈jT⌉/T.

    :param groups: the name of a registered group source, the path of a group file, or a Groups
        object; by default the column ``group`` of the results, which
        :func:`~pt_fairness.annotate` writes
    :param target: the share that each group should have: ``'uniform'``, ``'run'`` for the shares
        in the topic's results, the name of a registered target, or a dictionary. Shares are
        rescaled to sum to 1 over the groups that the topic's results have.
    :param k: the number of annotated documents to choose, from all of the topic; the others follow
        in the old order. By default all are chosen.
    :param verbose: whether to show a progress bar over topics
    :raises ValueError: a value that is not allowed

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import rerank
    >>> results = pd.DataFrame({"qid": "1", "docno": list("abcde"), "score": [5, 4, 3, 2, 1],
    ...                         "group": list("PPPCC")})
    >>> " ".join(rerank.det_cons(target={'P': 0.7, 'C': 0.3})(results)["docno"])
    'a b d c e'
    """


class det_relaxed(_Greedy, label="DetRelaxed"):
    """Re-rank by DetRelaxed, which prefers the groups whose minimum will grow next.

    As :class:`det_cons`, but with ⌈⌈jT⌉/T⌉, so that more groups tie and the best document of them
    is taken.

    Source: Geyik et al. (2019).

    :param groups: the name of a registered group source, the path of a group file, or a Groups
        object; by default the column ``group`` of the results, which
        :func:`~pt_fairness.annotate` writes
    :param target: the share that each group should have: ``'uniform'``, ``'run'`` for the shares
        in the topic's results, the name of a registered target, or a dictionary. Shares are
        rescaled to sum to 1 over the groups that the topic's results have.
    :param k: the number of annotated documents to choose, from all of the topic; the others follow
        in the old order. By default all are chosen.
    :param verbose: whether to show a progress bar over topics
    :raises ValueError: a value that is not allowed

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import rerank
    >>> results = pd.DataFrame({"qid": "1", "docno": list("abcde"), "score": [5, 4, 3, 2, 1],
    ...                         "group": list("PPPCC")})
    >>> " ".join(rerank.det_relaxed(target={'P': 0.7, 'C': 0.3})(results)["docno"])
    'a b d c e'
    """


class det_const_sort(_Deterministic, label="DetConstSort"):
    """Re-rank by DetConstSort, which has ⌊jT⌋ documents of every group in every prefix j.

    T is the target share. Documents are added when the minimum of their group grows, and each then
    moves up past worse documents that can still reach their own prefix. The minimum is kept for any
    number of groups, if documents have one group each and no group runs out.

    Source: Geyik et al. (2019), with ranks counted from 1. Read with ranks from 0, as
    in FairRankTune, it misses minima.

    :param groups: the name of a registered group source, the path of a group file, or a Groups
        object; by default the column ``group`` of the results, which
        :func:`~pt_fairness.annotate` writes
    :param target: the share that each group should have: ``'uniform'``, ``'run'`` for the shares
        in the topic's results, the name of a registered target, or a dictionary. Shares are
        rescaled to sum to 1 over the groups that the topic's results have.
    :param k: the number of annotated documents to choose, from all of the topic; the others follow
        in the old order. By default all are chosen.
    :param verbose: whether to show a progress bar over topics
    :raises ValueError: a value that is not allowed

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import rerank
    >>> results = pd.DataFrame({"qid": "1", "docno": list("abcde"), "score": [5, 4, 3, 2, 1],
    ...                         "group": list("PPPCC")})
    >>> " ".join(rerank.det_const_sort(target={'P': 0.7, 'C': 0.3})(results)["docno"])
    'a b c d e'
    """

    def reorder(self, one: Condensed) -> Ints:
        return const_sort_order(one.shares, one.target, one.k)


def greedy_order(shares: Floats, target: Floats, k: int, rule: str = "greedy") -> Ints:
    """Return the first ``k`` documents of DetGreedy, DetCons or DetRelaxed, as indices.

    :param shares: the share of each document in each group, ``[n, G]``, in the old order
    :param target: the target share of each group, ``[G]``
    :param rule: which of the groups below their maximum come first: ``'greedy'`` any,
        ``'cons'`` the least ⌈jT⌉/T, ``'relaxed'`` the least ⌈⌈jT⌉/T⌉
    """
    wanted = np.arange(1.0, k + 1)[:, None] * target
    least, most = np.floor(wanted + EQUAL), np.ceil(wanted - EQUAL)
    keys = np.zeros(wanted.shape)
    if rule != "greedy":
        keys = np.divide(most, target, out=np.full(wanted.shape, np.inf), where=target > 0)
    if rule == "relaxed":
        keys = np.ceil(keys - EQUAL)
    queues, count = Queues(shares > 0), np.zeros(len(target))
    order = np.empty(k, np.intp)
    for rank in range(k):
        left = queues.left
        chosen = left & (count < least[rank] - EQUAL)
        if not chosen.any():
            chosen = left & (count < most[rank] - EQUAL)
            if chosen.any():
                chosen &= keys[rank] <= keys[rank, chosen].min() + EQUAL
            else:
                chosen = left
        best = order[rank] = queues.best[chosen].min()
        queues.place(best)
        count += shares[best]
    return order


def const_sort_order(shares: Floats, target: Floats, k: int) -> Ints:
    """Return the first ``k`` documents of DetConstSort, as indices.

    Fewer are returned if the groups with a target share have fewer documents.

    :param shares: the share of each document in each group, ``[n, G]``, in the old order
    :param target: the target share of each group, ``[G]``
    """
    member = shares > 0
    documents, deadlines = _due_of_ranks(member, target, k) \
        if np.count_nonzero(member) == len(member) else _due_of_shares(shares, target, k)
    # Lists, because most documents move by fewer ranks than there are groups.
    order: list[int] = []
    due: list[float] = []
    for document, deadline in zip(documents.tolist(), deadlines.tolist(), strict=True):
        place = len(order)
        while place > 0 and order[place - 1] > document and due[place - 1] > place:
            place -= 1
        order.insert(place, document)
        due.insert(place, deadline)
    return np.array(order[:k], np.intp)


def _due_of_ranks(member: Bools, target: Floats, k: int) -> tuple[Ints, Floats]:
    """Return the documents that are due up to the step of the ``k``-th, and their deadlines.

    Documents are in order of their deadlines, then in the old order.

    :param member: whether each document is in each group, ``[n, G]``; each is in one
    """
    # The i-th document of a group is due at step ⌈i/T⌉, so no group has more than k that are due.
    number = np.arange(1.0, k + 1) - EQUAL
    some, steps = [], []
    for own, wanted in zip(member.T, target.tolist(), strict=True):
        if wanted > 0:
            some.append(np.flatnonzero(own)[:k])
            steps.append(number[:len(some[-1])] / wanted)
    documents, due = np.concatenate(some), np.ceil(np.concatenate(steps))
    if len(due) > k:
        until = due <= np.partition(due, k - 1)[k - 1]
        documents, due = documents[until], due[until]
    order = np.argsort(due * len(member) + documents)
    return documents[order], due[order]


def _due_of_shares(shares: Floats, target: Floats, k: int) -> tuple[Ints, Floats]:
    """Return the documents that are due up to the step of the ``k``-th, and their deadlines."""
    queues, count = Queues(shares > 0), np.zeros(len(target))
    documents: list[int] = []
    deadlines: list[float] = []
    step = 0.0
    while True:
        with np.errstate(divide="ignore"):
            due = np.ceil((np.floor(count + EQUAL) + 1.0 - EQUAL) / target)
        due[~queues.left] = np.inf
        if due.min() > step:
            step = due.min()
            if len(documents) >= k or step == np.inf:
                return np.array(documents, np.intp), np.array(deadlines)
        best = int(queues.best[due <= step].min())
        documents.append(best)
        deadlines.append(step)
        queues.place(best)
        count += shares[best]
