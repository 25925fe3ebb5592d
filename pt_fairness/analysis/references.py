"""Reference rankings: what a value could have been with the same documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.analysis.arguments import annotations_of, loaded_qrels, one_run
from pt_fairness.core.arrays import Floats, Ints
from pt_fairness.core.messages import at_least, listed, shown
from pt_fairness.core.streams import uniforms
from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.trec_order import Judgments, Run


@dataclass(frozen=True)
class Pool:
    """The documents of a topic that its reference rankings hold, ``n`` documents, ``L`` groups."""

    qid: str
    #: The documents in the order of the pool, ``[n]``.
    docnos: Any
    #: The share of each group in each document, ``[n, L]``; rows sum to 1.
    shares: Floats
    #: The label set of each document, ``[n]``: the place of its sorted labels among all label sets.
    sets: Ints


def _proportional(pool: Pool, depth: int) -> Ints:
    """Return the order in which, at each rank, the most under-represented label set is next."""
    kinds, kind = np.unique(pool.sets, return_inverse=True)
    queues = [np.flatnonzero(kind == k)[::-1].tolist() for k in range(len(kinds))]
    target, so_far = pool.shares.mean(axis=0), np.zeros(pool.shares.shape[1])
    following = np.array([pool.shares[queue[-1]] for queue in queues])
    lacking, order = np.zeros(len(kinds)), []
    for rank in range(1, depth + 1):
        # Sums that are equal in exact arithmetic differ by rounding.
        need = np.round(following @ (rank * target - so_far), 9) + lacking
        k = int(need.argmax())
        order.append(queues[k].pop())
        so_far += pool.shares[order[-1]]
        if queues[k]:
            following[k] = pool.shares[queues[k][-1]]
        else:
            lacking[k] = -np.inf
    return np.array(order)


def _by_size(sign: int, pool: Pool, depth: int) -> Ints:
    """Return the order of whole label sets by their number of documents.

    :param sign: −1 for the largest set first, 1 for the smallest
    """
    size = np.bincount(pool.sets)[pool.sets]
    return np.lexsort((pool.sets, sign * size))[:depth]


#: The order of a pool, by kind of reference; a random order is drawn for each sample.
_ORDERS: dict[str, Callable[[Pool, int], Ints] | None] = {
    "random": None, "proportional": _proportional, "largest-group-first": partial(_by_size, -1),
    "smallest-group-first": partial(_by_size, 1)}
#: The kinds of reference rankings.
KINDS = tuple(_ORDERS)


def reference_rankings(qrels: Any, run: Any = None, groups: Any = None,
                       kinds: Sequence[str] = KINDS, rel: int = 1, depth: int | None = None,
                       draws: int = 100, seed: int = 0, *,
                       topics: Any = None) -> dict[str, pd.DataFrame]:
    """Return rankings to compare a system with: the same documents in other orders.

    The *pool* of a topic is its annotated documents with a relevance of at least ``rel``, in
    descending order of relevance and then of docno: what a perfect system returns. With ``run``,
    it is the annotated documents that the run returns, in trec_eval's order: what this system
    found. A topic with an empty pool has no rows.

    * ``random``: uniformly random orders of the pool, as samples of one run.
    * ``proportional``: at each rank i, the next document of the label set with the largest
      ``Σ_g m_g (i T_g − c_g)``. T is the share of each group in the pool, c the number of
      documents of each group so far, m the share of each group in the next document.
    * ``largest-group-first``, ``smallest-group-first``: whole label sets one after the other, by
      their number of documents.

    Ties between label sets (equal to nine decimals) go to the set whose sorted labels come first.

    :param qrels: ``qid, docno, label`` (or ir_measures' names) and, without ``groups``,
        ``iteration``; or what :func:`pt_fairness.io.load_qrels` reads: a file, or the id of a
        dataset
    :param run: a run with one ranking of each topic, in any form that
        :func:`pt_fairness.evaluate` takes; ``None`` for the relevant documents
    :param groups: the group source; ``None`` for the ``iteration`` of the qrels
    :param kinds: the kinds to return
    :param rel: the lowest relevance of the pool; unused with ``run``
    :param depth: the number of documents to keep; ``None`` for all
    :param draws: the number of random orders
    :param seed: the seed of the random orders
    :param topics: the topics of a transformer, as of :func:`pt_fairness.evaluate`
    :returns: a run ``qid, docno, score, rank`` for each kind; ``random`` has a column
        ``iteration``, the number of the draw
    :raises ValueError: an unknown kind, ``depth`` or ``draws`` below 1, a run with several rankings
        of a topic, or qrels without groups

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import reference_rankings
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b", "c", "d"], "label": 1,
    ...                       "iteration": ["PRO", "PRO", "CON", "CON"]})
    >>> runs = reference_rankings(qrels)
    >>> " ".join(runs["proportional"]["docno"]), " ".join(runs["largest-group-first"]["docno"])
    ('d b c a', 'd c b a')
    """
    kinds = [kinds] if isinstance(kinds, str) else list(kinds)
    unknown = [kind for kind in kinds if kind not in _ORDERS]
    if unknown:
        raise ValueError(f"kinds={shown(kinds)}: {shown(unknown[0])} is no kind of reference "
                         f"ranking; the kinds are {listed(KINDS)}")
    at_least(1, "depth", depth, "all documents")
    at_least(1, "draws", draws)
    run = None if run is None else one_run(run, topics)
    judgments = Judgments(loaded_qrels(qrels))
    annotations = annotations_of(judgments, groups, [rel])
    pools = list(_pools(annotations, rel) if run is None else _pools_of_run(annotations, run))
    return {kind: _random(pools, depth, draws, seed) if order is None else
            _frame(pools, [order(pool, len(pool.docnos[:depth])) for pool in pools])
            for kind, order in _ORDERS.items() if kind in kinds}


def _pools(annotations: Annotations, rel: int) -> Iterator[Pool]:
    """Yield the pool of relevant documents of each topic."""
    judgments, codes = annotations.judgments, annotations.by_rel[rel]
    rows = np.flatnonzero(codes >= 0)
    docnos = judgments.docnos(rows)
    last_first = -np.unique(docnos.astype(object), return_inverse=True)[1]
    order = np.lexsort((last_first, -judgments.relevance[rows], judgments.topic[rows]))
    yield from _by_topic(annotations, annotations.sets, judgments.topic[rows][order],
                         docnos[order], codes[rows][order])


def _pools_of_run(annotations: Annotations, run: Any) -> Iterator[Pool]:
    """Yield the annotated documents that a run returns for each topic."""
    ranked = Run(run, annotations.judgments)
    if ranked.sampled:
        raise ValueError("the run has several rankings of a topic; reference_rankings takes one: "
                         "choose the rows of one sample by the column 'iteration'")
    found = annotations.of_run(ranked, None)
    rows = np.flatnonzero(found.sets.any_of(annotations.labels)[found.codes])
    yield from _by_topic(annotations, found.sets, ranked.topic[rows], ranked.docnos(rows),
                         found.codes[rows])


def _by_topic(annotations: Annotations, sets: Any, topic: Ints, docnos: Any,
              codes: Ints) -> Iterator[Pool]:
    """Yield the pool of each topic.

    :param topic: the topic of each document, ascending
    """
    distinct, codes = np.unique(codes, return_inverse=True)
    shares = sets.shares(distinct, annotations.labels)
    members = [tuple(np.flatnonzero(row)) for row in shares]
    place = {one: i for i, one in enumerate(sorted(set(members)))}
    place_of = np.array([place[one] for one in members], np.int64)
    for t in np.unique(topic):
        rows = slice(*np.searchsorted(topic, [t, t + 1]))
        yield Pool(annotations.judgments.topics[t], docnos[rows], shares[codes[rows]],
                   place_of[codes[rows]])


def _random(pools: Sequence[Pool], depth: int | None, draws: int, seed: int) -> pd.DataFrame:
    drawn = [(pool, uniforms(seed, pool.qid, draw, len(pool.docnos)).argsort()[:depth], draw)
             for draw in range(draws) for pool in pools]
    return _frame([pool for pool, _, _ in drawn], [order for _, order, _ in drawn]).assign(
        iteration=np.repeat([draw for _, _, draw in drawn],
                            [len(order) for _, order, _ in drawn]))


def _frame(pools: Sequence[Pool], orders: Sequence[Ints]) -> pd.DataFrame:
    """Return a run in which the documents of each pool have the given order."""
    sizes = [len(order) for order in orders]
    rank = np.concatenate([np.zeros(0, np.int64), *map(np.arange, sizes)])
    return pd.DataFrame({
        "qid": np.repeat(np.array([pool.qid for pool in pools], dtype=object), sizes),
        "docno": np.concatenate([np.zeros(0, object),
                                 *(pool.docnos[o] for pool, o in zip(pools, orders, strict=True))]),
        "score": -rank.astype(float), "rank": rank})
