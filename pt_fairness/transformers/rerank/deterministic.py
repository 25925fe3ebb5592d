"""DetGreedy, DetCons, DetRelaxed and DetConstSort."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from pt_fairness.numerics import Floats, Ints
from pt_fairness.transformers.rerank.base import GroupReRanker, Source
from pt_fairness.transformers.rerank.queues import Queues
from pt_fairness.transformers.rerank.results import Condensed

#: Absolute tolerance within which counts and their bounds are equal.
EQUAL = 1e-9


class _Greedy(GroupReRanker):
    """A re-ranker that keeps every prefix between minimum and maximum counts of the groups."""

    def __init__(self, groups: Source = None, target: Any = "uniform", k: int | None = None,
                 verbose: bool = False) -> None:
        super().__init__(groups=groups, target=target, k=k, verbose=verbose)

    def reorder(self, one: Condensed) -> Ints:
        rule = type(self).__name__.removeprefix("det_")
        return greedy_order(one.shares, one.target, one.k, rule)


class det_greedy(_Greedy):
    """Re-rank by DetGreedy."""

    schematic: ClassVar[dict[str, Any]] = {"label": "DetGreedy", "help_url": None}


class det_cons(_Greedy):
    """Re-rank by DetCons."""

    schematic: ClassVar[dict[str, Any]] = {"label": "DetCons", "help_url": None}


class det_relaxed(_Greedy):
    """Re-rank by DetRelaxed."""

    schematic: ClassVar[dict[str, Any]] = {"label": "DetRelaxed", "help_url": None}


class det_const_sort(GroupReRanker):
    """Re-rank by DetConstSort."""

    schematic: ClassVar[dict[str, Any]] = {"label": "DetConstSort", "help_url": None}

    def __init__(self, groups: Source = None, target: Any = "uniform", k: int | None = None,
                 verbose: bool = False) -> None:
        super().__init__(groups=groups, target=target, k=k, verbose=verbose)

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
    one_each = np.count_nonzero(shares) == len(shares)
    documents, deadlines = (_due_of_ranks if one_each else _due_of_shares)(shares, target, k)
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


def _due_of_ranks(shares: Floats, target: Floats, k: int) -> tuple[Ints, Floats]:
    """Return the documents that are due up to the step of the ``k``-th, and their deadlines.

    Every document has one group. Documents are in order of their deadlines, then in the old order.
    """
    # The i-th document of a group is due at step ⌈i/T⌉, so no group has more than k that are due.
    number = np.arange(1.0, k + 1) - EQUAL
    queues = [np.flatnonzero(share)[:k] for share in shares.T[target > 0]]
    due = np.concatenate([number[:len(queue)] / share
                          for queue, share in zip(queues, target[target > 0], strict=True)])
    np.ceil(due, out=due)
    documents = np.concatenate(queues)
    if len(due) > k:
        some = np.flatnonzero(due <= np.partition(due, k - 1)[k - 1])
        documents, due = documents[some], due[some]
    order = np.lexsort((documents, due))
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
