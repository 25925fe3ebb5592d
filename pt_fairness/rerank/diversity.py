"""xQuAD and PM-2 with groups as aspects."""

from __future__ import annotations

from typing import Any

import numpy as np

from pt_fairness.core.arrays import Floats, Ints, ratio
from pt_fairness.measures import params
from pt_fairness.rerank.rerankers import GroupReRanker, GroupSource, Queues, TopicList

#: Absolute tolerance within which the values of documents or groups are equal.
EQUAL = 1e-12


class _Diversifier(GroupReRanker):
    """A re-ranker by probabilities of relevance."""

    PARAMS = {
        "lam": params.real("weight of the groups against relevance", "a number from 0 to 1",
                           lambda v: 0 <= v <= 1, default=0.5),
        "normalise": params.one_of("how scores become probabilities", "minmax", "sum", "none"),
    }
    lam: float
    normalise: str

    def __init__(self, groups: GroupSource = None, target: Any = "uniform", k: int | None = None,
                 lam: float = 0.5, normalise: str = "minmax", verbose: bool = False) -> None:
        super().__init__(groups=groups, target=target, k=k, lam=lam, normalise=normalise,
                         verbose=verbose)

    def probabilities(self, topic: TopicList) -> tuple[Floats, Floats]:
        """Return P(d), ``[n]``, and P(d|g), ``[n, G]``.

        :raises ValueError: a score is infinite, or not in [0, 1] with ``normalise='none'``
        """
        score = topic.normalised() if self.normalise == "minmax" else topic.finite()
        if self.normalise == "sum":
            score = score - min(score[-1], 0.0)
            of_group = topic.shares * score[:, None]
            return ratio(score, score.sum()), ratio(of_group, of_group.sum(axis=0))
        wrong = (score < 0) | (score > 1)
        if wrong.any():
            first = wrong.argmax()
            raise ValueError(f"the score of document {topic.docnos[first]!r} for topic "
                             f"{topic.qid!r} is {score[first]:g}; normalise='none' takes "
                             "scores in [0, 1]")
        return score, topic.shares * score[:, None]


def _first_of_best(values: Floats) -> int:
    """Return the first index of the largest value, within :data:`EQUAL`."""
    return int((values >= values.max() - EQUAL).argmax())


class xquad(_Diversifier, label="xQuAD"):
    """Re-rank by xQuAD, with groups as the aspects of the topic.

    Each rank gets the document with the largest ``(1−λ)·P(d) + λ·Σ_g T_g·P(d|g)·Π_e (1 − P(e|g))``,
    where e are the documents before it and T is the target. xQuAD covers the groups and does not
    balance them: a document with P(e|g) = 1 finishes its group.

    Source: Santos et al. (2010), Exploiting Query Reformulations for Web Search Result
    Diversification; ``normalise='sum'`` after Vargas et al. (2011).

    :param groups: the name of a registered group source, the path of a group file, or a Groups
        object; by default the column ``group`` of the results, which
        :func:`~pt_fairness.annotate` writes
    :param target: the share that each group should have: ``'uniform'``, ``'run'`` for the shares
        in the topic's results, the name of a registered target, or a dictionary. Shares are
        rescaled to sum to 1 over the groups that the topic's results have.
    :param k: the number of annotated documents to choose, from all of the topic; the others follow
        in the old order. By default all are chosen.
    :param lam: the weight of the groups against relevance, from 0 to 1
    :param normalise: how scores become probabilities. ``'minmax'``: P(d) is the score scaled to
        [0, 1] and P(d|g) the share of d in g times P(d). ``'none'``: the same with the score, which
        has to be in [0, 1]. ``'sum'``: each sums to 1 over the documents, which favours small
        groups.
    :param verbose: whether to show a progress bar over topics
    :raises ValueError: a value that is not allowed

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import rerank
    >>> results = pd.DataFrame({"qid": "1", "docno": list("abcde"), "score": [5, 4, 3, 2, 1],
    ...                         "group": list("PPPCC")})
    >>> " ".join(rerank.xquad(lam=0.8)(results)["docno"])
    'a b d c e'
    """

    def reorder(self, topic: TopicList) -> Ints:
        return xquad_order(*self.probabilities(topic), topic.target, self.lam, topic.k)


class pm2(_Diversifier, label="PM-2"):
    """Re-rank by PM-2, which gives ranks to groups in proportion to the target.

    The group with the largest quotient q_g = T_g/(2·s_g + 1) has the next rank, where s_g are the
    ranks that it has had; the document with the largest
    ``λ·q_g·P(d|g) + (1−λ)·Σ_{h≠g} q_h·P(d|h)`` gets it. With λ = 1 this is Sainte-Laguë's method.

    Source: Dang & Croft (2012), Diversity by Proportionality.

    :param groups: the name of a registered group source, the path of a group file, or a Groups
        object; by default the column ``group`` of the results, which
        :func:`~pt_fairness.annotate` writes
    :param target: the share that each group should have: ``'uniform'``, ``'run'`` for the shares
        in the topic's results, the name of a registered target, or a dictionary. Shares are
        rescaled to sum to 1 over the groups that the topic's results have.
    :param k: the number of annotated documents to choose, from all of the topic; the others follow
        in the old order. By default all are chosen.
    :param lam: the weight of the groups against relevance, from 0 to 1
    :param normalise: how scores become probabilities. ``'minmax'``: P(d) is the score scaled to
        [0, 1] and P(d|g) the share of d in g times P(d). ``'none'``: the same with the score, which
        has to be in [0, 1]. ``'sum'``: each sums to 1 over the documents, which favours small
        groups.
    :param verbose: whether to show a progress bar over topics
    :raises ValueError: a value that is not allowed

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import rerank
    >>> results = pd.DataFrame({"qid": "1", "docno": list("abcde"), "score": [5, 4, 3, 2, 1],
    ...                         "group": list("PPPCC")})
    >>> " ".join(rerank.pm2()(results)["docno"])
    'a b d c e'
    """

    def reorder(self, topic: TopicList) -> Ints:
        _, of_group = self.probabilities(topic)
        return pm2_order(of_group, topic.shares, topic.target, self.lam, topic.k)


def xquad_order(relevance: Floats, of_group: Floats, target: Floats, lam: float, k: int) -> Ints:
    """Return the first ``k`` documents of xQuAD's order, as indices.

    :param relevance: P(d), ``[n]``, in the old order
    :param of_group: P(d|g), ``[n, G]``
    :param target: the target share of each group, ``[G]``
    """
    of_relevance = (1.0 - lam) * relevance
    weight = lam * target
    left = np.zeros(len(relevance))  # −∞ for documents that are placed
    order = np.empty(k, np.intp)
    for rank in range(k):
        document = _first_of_best(of_relevance + of_group @ weight + left)
        order[rank] = document
        weight = weight * (1.0 - of_group[document])
        left[document] = -np.inf
    return order


def pm2_order(of_group: Floats, shares: Floats, target: Floats, lam: float, k: int) -> Ints:
    """Return the first ``k`` documents of PM-2's order, as indices.

    :param of_group: P(d|g), ``[n, G]``, in the old order
    :param shares: the share of each document in each group, ``[n, G]``
    :param target: the target share of each group, ``[G]``
    """
    total = of_group.sum(axis=1, keepdims=True)
    seats = np.where(total > 0, ratio(of_group, total), shares)
    queues = Queues(shares > 0)
    taken = np.zeros(len(target))
    left = np.zeros(len(shares))  # −∞ for documents that are placed
    order = np.empty(k, np.intp)
    for rank in range(k):
        quotient = target / (2.0 * taken + 1.0)
        largest = quotient[queues.left].max()
        tied = np.flatnonzero(queues.left & (quotient >= largest - EQUAL))
        next_group = tied[queues.best[tied].argmin()]
        weight = (1.0 - lam) * quotient
        weight[next_group] = lam * quotient[next_group]
        document = _first_of_best(of_group @ weight + left)
        order[rank] = document
        taken += seats[document]
        left[document] = -np.inf
        queues.place(document)
    return order
