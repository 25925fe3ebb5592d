"""Exposure of documents and groups over all topics of a run, and its inequality."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_fairness.analysis.inputs import annotations_of, frames_of, judgments_of, runs_of, systems_of
from pt_fairness.core import arrays, discounts
from pt_fairness.core.arrays import ROUNDING, Floats
from pt_fairness.core.messages import at_least, one_of, shown
from pt_fairness.io.run_files import RunInputs
from pt_fairness.rankings.trec_order import Judgments

#: The default of ``p`` for each discount that has one.
_P = {"geometric": 0.85, "power": 0.5}


class _Exposure(NamedTuple):
    """The exposure of the items, documents or groups, in each of ``R`` runs."""

    #: The runs, ``[R]``.
    names: list[str]
    #: The items that can be named, ``[I]``.
    items: Any
    #: The number of items of the population; the others have no exposure.
    n: int
    #: The exposure of each item, ``[R, I]``.
    exposure: Floats
    #: The share of the exposure that no item has, ``[R]``.
    outside: Floats
    #: The number of lists that returned each item, ``[R, I]``; of groups, their exposure.
    times: Floats
    #: The number of (list, document) pairs, ``[R]``.
    pairs: Floats


def document_exposure(runs: RunInputs, qrels: pd.DataFrame | None = None,
                      by: str = "document", groups: Any = None,
                      population: str | int = "runs", discount: str = "log2",
                      p: float | None = None, depth: int | None = None, *,
                      topics: Any = None) -> pd.DataFrame:
    """Return the exposure of every document, or group, summed over the topics of a run.

    The exposure of a document is ``E_d = Σ_q a_i``, where i is its rank for topic q in the full
    list and a_i the weight of that rank; the mean over the samples if a topic has several. With
    ``discount='none'`` or ``'power'`` it is the retrievability of the document. The exposure of a
    group is ``E_g = Σ_d m_dg · E_d``, where m_dg is 1/m for a document of m groups, or its weights.

    Source: Azzopardi & Vinay (2008) for retrievability.

    :param runs: as of :func:`pt_fairness.evaluate`; with several rankings of a topic, too
    :param qrels: ``qid, docno, label`` (or ir_measures' names); only its topics count. By default
        all topics of the runs
    :param by: ``'document'`` or ``'group'``
    :param groups: the group source, for ``by='group'``; by default the ``iteration`` of the qrels
    :param population: the documents that are compared: ``'runs'`` (those that any of the runs
        returned), ``'judged'``, or the number of documents of the collection
    :param discount: the weight of rank i: ``'log2'`` 1/log2(i+1), ``'trec'`` 1/log2(max(i, 2)),
        ``'geometric'`` p^(i−1), ``'mmr'`` 1/i, ``'none'`` 1 or ``'power'`` i^(−p)
    :param p: the parameter of ``'geometric'`` (above 0 and below 1, by default 0.85) or ``'power'``
        (at least 0, by default 0.5)
    :param depth: the number of documents of a list that count; ``None`` for all
    :param topics: the topics of transformers, as of :func:`pt_fairness.evaluate`
    :returns: ``name``, ``docno`` or ``group``, ``exposure`` and ``share``, the share of the
        exposure of the population. A document of the population that a run did not return has the
        exposure 0. Where the population is a number, documents that no run returned have no rows
    :raises ValueError: a population, discount, ``p`` or depth that is not possible, a population
        with fewer documents than the runs returned, a population or groups that need qrels, or
        ``runs`` is no dictionary of frames

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> run = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["a", "b", "a"], "score": [2, 1, 1]})
    >>> analysis.document_exposure({"BM25": run}, discount="power", p=1)
       name docno  exposure  share
    0  BM25     a       2.0    0.8
    1  BM25     b       0.5    0.2
    """
    found = _exposure(runs, qrels, by, groups, population, discount, p, depth, topics)
    items = pd.Series(np.tile(found.items, len(found.names)), dtype="str")
    total = found.exposure.sum(axis=1, keepdims=True)
    return pd.DataFrame({"name": np.repeat(found.names, len(found.items)),
                         "docno" if by == "document" else "group": items,
                         "exposure": found.exposure.ravel(),
                         "share": arrays.ratio(found.exposure, total).ravel()})


def inequality(runs: RunInputs, qrels: pd.DataFrame | None = None,
               by: str = "document", groups: Any = None,
               population: str | int = "runs", discount: str = "log2",
               p: float | None = None, depth: int | None = None, *,
               topics: Any = None) -> pd.DataFrame:
    """Return how unequal the exposure of the documents, or groups, of every run is.

    With the exposures x of :func:`document_exposure` in ascending order, their sum S, N documents
    and the shares s = x/S: ``gini`` is Σ (2i − N − 1) · x_i / (N · S), 0 for equal exposures and at
    most 1 − 1/N. ``jain`` is S² / (N · Σ x²), 1 for equal exposures and at least 1/N. ``entropy``
    is −Σ s ln s / ln N, 1 for equal exposures. ``qf`` is the share of the documents that the run
    returned, and ``fsat`` of those that it returned at least ⌊T/N⌋ times, where T is the number of
    documents in all of its lists. Both are 1 if all documents were returned (so often).

    Sources: Rampisela et al. (2024), whose entropy is NaN if any exposure is 0; Azzopardi & Vinay
    (2008) for the Gini coefficient of retrievability.

    The parameters are those of :func:`document_exposure`.

    :returns: ``name``; ``n``, the number N of documents in the population, or of groups;
        ``exposed``, how many of them have exposure; ``outside``, the share of the exposure of
        documents outside the population or without a group, NaN for a run without documents;
        ``gini, jain, entropy, qf, fsat``. These are NaN for N = 1 or without any exposure, and
        ``qf`` and ``fsat`` for groups
    :raises ValueError: as :func:`document_exposure`

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> run = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["a", "b", "a"], "score": [2, 1, 1]})
    >>> analysis.inequality({"BM25": run}, discount="none", population=10).round(2).T[0].to_dict()
    ... # doctest: +NORMALIZE_WHITESPACE
    {'name': 'BM25', 'n': 10, 'exposed': 2, 'outside': 0.0, 'gini': 0.83, 'jain': 0.18,
     'entropy': 0.28, 'qf': 0.2, 'fsat': 1.0}
    """
    names, _, n, exposure, outside, times, pairs = _exposure(
        runs, qrels, by, groups, population, discount, p, depth, topics)
    x = np.sort(exposure, axis=1)
    rank = np.arange(n - x.shape[1], n) + 1.0  # first the documents that cannot be named
    total = x.sum(axis=1)
    shares = arrays.ratio(x, total[:, None])
    logs = np.log(shares, out=np.zeros(x.shape), where=shares > 0)
    exposed = (times > 0).sum(axis=1)
    often = (pairs // max(n, 1))[:, None]
    satisfied = (times >= often).sum(axis=1) + (n - x.shape[1]) * (often[:, 0] == 0)
    values = np.column_stack([
        ((2 * rank - n - 1) * shares).sum(axis=1) / max(n, 1),
        arrays.ratio(1.0, n * (shares ** 2).sum(axis=1)),
        -(shares * logs).sum(axis=1) / math.log(max(n, 2)),
        np.where(by == "document", exposed / max(n, 1), np.nan),
        np.where(by == "document", satisfied / max(n, 1), np.nan)])
    values[(total == 0) | (n == 1)] = np.nan
    return pd.DataFrame({"name": names, "n": n, "exposed": exposed, "outside": outside, **dict(
        zip(["gini", "jain", "entropy", "qf", "fsat"], values.T + 0.0, strict=True))})


def _exposure(runs: RunInputs, qrels: pd.DataFrame | None, by: str, groups: Any,
              population: str | int, discount: str, p: float | None, depth: int | None,
              topics: Any) -> _Exposure:
    """Return the exposure of documents or groups; for the parameters see its callers."""
    one_of("by", by, ("document", "group"))
    at_least(1, "depth", depth, "all documents")
    counted = isinstance(population, (int, np.integer)) and not isinstance(population, bool)
    if not counted and population not in ("runs", "judged"):
        raise ValueError(f"population={shown(population)} is not possible; it takes 'runs', "
                         "'judged' or the number of documents of the collection")
    if qrels is None and population == "judged":
        raise ValueError("population='judged' needs qrels")
    if qrels is None and by == "group" and groups is None:
        raise ValueError("by='group' without qrels needs groups=, the group source")
    if qrels is None:
        frames = frames_of(runs, topics)
        # Every topic counts as judged, with one of its documents.
        firsts = pd.concat(frames.values()).drop_duplicates("query_id").assign(relevance=0)
        judgments = Judgments(firsts.drop(columns="iteration", errors="ignore"))
    else:
        frames, qrels = systems_of(runs, qrels, topics)
        judgments = judgments_of(qrels)
    found = runs_of(frames, judgments).values()
    rows = [np.flatnonzero(run.place < (math.inf if depth is None else depth)) for run in found]
    ranks = max(int(run.place.max(initial=-1)) + 1 for run in found)
    discounts = _discounts(discount, ranks, p)
    weights = [discounts[run.place[some]] / np.bincount(run.topics)[run.topic[some]]
               for run, some in zip(found, rows, strict=True)]
    judged = judgments.docnos(slice(None)) if population == "judged" else []
    document, docnos = pd.factorize(np.concatenate([judged, *(
        run.docnos(some) for run, some in zip(found, rows, strict=True))]), sort=True)
    inside = np.zeros(len(docnos), bool)
    inside[document[:len(judged)] if population == "judged" else slice(None)] = True
    items: Any = docnos[inside]
    n = int(population) if counted else len(items)
    if n < len(items):
        raise ValueError(f"population={shown(population)} is not possible: the runs returned "
                         f"{len(items)} documents, and the collection has at least as many")
    documents = np.split(document[len(judged):], np.cumsum([len(some) for some in rows])[:-1])
    pairs = np.array([len(some) for some in rows])
    times = np.array([np.bincount(some, minlength=len(docnos))[inside] for some in documents])
    if by == "document":
        exposure = np.array([np.bincount(some, own, len(docnos))[inside]
                             for some, own in zip(documents, weights, strict=True)])
    else:
        annotations = annotations_of(judgments, groups)
        if qrels is None and annotations.declared is None:
            raise ValueError(f"{annotations.groups!r} does not declare its labels, so the groups "
                             "are those of the judged documents: give qrels")
        items, n = annotations.labels, len(annotations.labels)
        exposure = np.zeros((len(rows), n))
        for i, run in enumerate(found):
            ranked = annotations.of_run(run, None if depth is None else int(depth))
            kept = inside[documents[i]]
            exposure[i] = weights[i][kept] @ ranked.sets.shares(
                ranked.codes[rows[i][kept]], annotations.labels)
        times = exposure
    total = np.array([own.sum() for own in weights])
    outside = arrays.ratio(total - exposure.sum(axis=1), total)
    outside[outside < ROUNDING] = 0.0
    outside[total == 0] = np.nan
    return _Exposure(list(frames), items, n, exposure, outside, times, pairs)


def _discounts(name: str, ranks: int, p: float | None) -> Floats:
    """Return the weight of each rank, ``[ranks]``.

    :raises ValueError: an unknown discount, or ``p`` is out of range or not used
    """
    if p is not None and name not in _P:
        raise ValueError(f"p={shown(p)} is not possible for discount={shown(name)}; 'geometric' "
                         "and 'power' have this parameter")
    own = _P.get(name, 0.85) if p is None else p
    if not 0 <= own < math.inf or (name == "geometric" and not 0 < own < 1):
        raise ValueError(f"p={shown(p)} is not possible for discount={shown(name)}; it takes a "
                         "number "
                         + ("above 0 and below 1" if name == "geometric" else "of at least 0"))
    if name == "power":
        return np.asarray(discounts.ranks(ranks) ** -own)
    one_of("discount", name, ("log2", "trec", "geometric", "mmr", "none", "power"))
    return discounts.discount(name, ranks, own)
