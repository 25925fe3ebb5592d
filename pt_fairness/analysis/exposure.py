"""The exposure of documents and groups over all topics of a run, and its inequality."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf, nan
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_fairness.analysis.inputs import (
    first_rows,
    group_annotations,
    ranked_runs,
    run_frames,
    runs_and_qrels,
)
from pt_fairness.core import arrays
from pt_fairness.core.arrays import TIE_DECIMALS, Floats, Ints, ratio
from pt_fairness.core.messages import at_least, is_whole, one_of, shown
from pt_fairness.io.run_files import RunInputs
from pt_fairness.rankings.trec_order import Judgments, Run

#: The columns of the inequality.
COLUMNS = ["name", "n", "exposed", "outside", "gini", "jain", "entropy", "qf", "fsat"]
#: The default of ``p`` and the number below which it must be, for each discount that has ``p``.
P = {"geometric": (0.85, 1.0), "power": (0.5, inf)}


class _System(NamedTuple):
    """The exposure of documents or groups, the items, in a run."""

    name: str
    #: The items that can be named, ``[I]``, and the number of all items of the population.
    items: pd.Index
    n: int
    #: The exposure of each item, ``[I]``.
    exposure: Any
    #: The number of rankings that have each item, ``[I]``.
    times: Any
    #: The weight of the rank of each returned document.
    weights: Floats


def document_exposure(runs: RunInputs, qrels: pd.DataFrame | None = None,
                      by: str = "document", groups: Any = None,
                      population: str | int = "runs", discount: str = "log2",
                      p: float | None = None, depth: int | None = None, *,
                      topics: Any = None) -> pd.DataFrame:
    """Return the exposure of every document, or group, summed over the topics of a run.

    The exposure of a document is ``E_d = Σ_q a_i``, where i is its rank for topic q in the full
    ranking and a_i the weight of that rank; the mean over the samples if a topic has several. With
    ``discount='none'`` or ``'power'`` it is the retrievability of the document. The exposure of a
    group is ``E_g = Σ_d m_dg · E_d``, where m_dg is 1/m for a document of m groups, or its weights.

    Source: Azzopardi & Vinay (2008) for retrievability.

    :param runs: the runs, in any form that :func:`pt_fairness.evaluate` reads; also with several
        rankings of a topic
    :param qrels: ``qid, docno, label`` (or ir_measures' names); only its topics count. By default
        all topics of the runs
    :param by: ``'document'`` or ``'group'``
    :param groups: the group source, for ``by='group'``; by default the ``iteration`` of the qrels
    :param population: the documents that are compared: ``'runs'`` (those that any of the runs
        returned), ``'judged'``, or the number of documents of the collection
    :param discount: the weight of rank i: ``'log2'`` 1/log2(i+1), ``'trec'`` 1/log2(max(i, 2)),
        ``'geometric'`` p^(i−1), ``'mmr'`` 1/i, ``'none'`` 1 or ``'power'`` i^(−p)
    :param p: the parameter of ``'geometric'`` (at least 0 and below 1, by default 0.85) or of
        ``'power'`` (at least 0, by default 0.5)
    :param depth: the number of documents of a ranking that count; ``None`` for all
    :param topics: the topics of transformers
    :returns: ``name``, ``docno`` or ``group``, ``exposure`` and ``share``, the share of the
        exposure of the population. A document of the population that a run did not return has the
        exposure 0. Where the population is a number, documents that no run returned are left out
    :raises ValueError: if a population, discount, ``p`` or depth is unknown or out of its range,
        the population has fewer documents than the runs returned, it or the groups need qrels, or
        ``runs`` is empty

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
    tables = []
    for system in _systems(runs, qrels, by, groups, population, discount, p, depth, topics):
        x = system.exposure
        columns = {"name": system.name, system.items.name: system.items, "exposure": x}
        tables.append(pd.DataFrame(columns).assign(share=ratio(x, x.sum())))
    return pd.concat(tables, ignore_index=True)


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
    returned, and ``fsat`` the share that it returned at least ⌊T/N⌋ times, where T is the number of
    documents in all of its rankings. Both are 1 if all documents were returned (so often).

    Sources: Rampisela et al. (2024), whose entropy is NaN if any exposure is 0; Azzopardi & Vinay
    (2008) for the Gini coefficient of retrievability.

    :func:`document_exposure` explains the parameters.

    :returns: ``name``; ``n``, the number N of documents in the population, or of groups;
        ``exposed``, how many of them have exposure; ``outside``, the share of the exposure of
        documents outside the population or without a group, NaN for a run without documents;
        ``gini, jain, entropy, qf, fsat``. These are NaN for N = 1 or without any exposure, and
        ``qf`` and ``fsat`` for groups
    :raises ValueError: if :func:`document_exposure` raises one

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
    from scipy import stats
    rows = []
    for system in _systems(runs, qrels, by, groups, population, discount, p, depth, topics):
        n, x, times = system.n, system.exposure, system.times
        exposed = (times > 0).sum()
        row = {"name": system.name, "n": n, "exposed": exposed}
        rows.append(row)
        total = x.sum()
        if len(system.weights):
            outside = 1 - total / system.weights.sum()
            row["outside"] = round(outside, TIE_DECIMALS) + 0.0  # without −0
        if n == 1 or total == 0:
            continue
        jain = total ** 2 / (n * (x ** 2).sum())
        row |= {"gini": gini(x, n), "jain": jain, "entropy": stats.entropy(x, base=n)}
        if by == "document":
            often = len(system.weights) // n
            satisfied = (times >= often).sum()
            if often == 0:
                satisfied = n  # with the documents that cannot be named
            row |= {"qf": exposed / n, "fsat": satisfied / n}
    return pd.DataFrame(rows, columns=COLUMNS)


def gini(x: Floats, n: int) -> float:
    """Return the Gini coefficient of values.

    :param x: values of at least 0 with a sum above 0, ``[I]``
    :param n: the number of values, at least I; those that are not in ``x`` are 0

    Examples
    --------
    >>> gini(np.array([1.0, 3.0]), 2)
    0.25
    """
    i = np.arange(n - len(x), n) + 1
    return float(np.sort(x) @ (2 * i - n - 1) / (n * x.sum()))


def _systems(runs: RunInputs, qrels: pd.DataFrame | None, by: str, groups: Any,
             population: str | int, discount: str, p: float | None, depth: int | None,
             topics: Any) -> Iterator[_System]:
    """Yield the exposure of documents or groups in each run.

    The parameters are those that :func:`document_exposure` explains.
    """
    one_of("by", by, ("document", "group"))
    at_least(1, "depth", depth, "all documents")
    words = ("runs",) if qrels is None else ("runs", "judged")
    if not is_whole(population) and population not in words:
        raise ValueError("population must be 'runs', 'judged' (with qrels) or the number of "
                         f"documents of the collection, got {shown(population)}")
    if qrels is not None:
        frames, judged = runs_and_qrels(runs, qrels, topics)
    else:
        frames = run_frames(runs, topics)
        # Every topic counts as judged, with one of its documents.
        firsts = pd.concat(frames.values()).drop_duplicates("query_id")
        judged = firsts[["query_id", "doc_id"]].assign(relevance=0)
    judgments = Judgments(judged)
    ranked = ranked_runs(frames, judgments)
    returned = [run.docnos(first_rows(run, depth)) for run in ranked.values()]
    docnos = judgments.docnos() if population == "judged" else np.concatenate(returned)
    items = documents = pd.Index(docnos, name="docno").unique().sort_values()
    n: Any = population if is_whole(population) else len(documents)
    if n < len(documents):
        raise ValueError("population must be at least the number of documents that the runs "
                         f"returned, {len(documents)}, got {n}")
    if by == "group":
        annotations = group_annotations(judgments, groups)
        if qrels is None and annotations.declared is None:
            raise ValueError("qrels must be given with groups that do not declare their labels, "
                             f"such as {annotations.groups!r}")
        items = pd.Index(annotations.labels, name="group")
        n = len(items)
    for (name, run), docnos in zip(ranked.items(), returned, strict=True):
        rows = first_rows(run, depth)
        weights = _weights(run, rows, discount, p)
        item = documents.get_indexer(docnos)  # −1 outside the population
        added: Any = weights
        if by == "group":
            rankings = annotations.rankings(run, depth)
            shares = rankings.sets.shares(rankings.codes[rows], annotations.labels)
            shares[item < 0] = 0.0
            row, item = shares.nonzero()
            added = weights[row] * shares[row, item]
        exposure = np.bincount(item + 1, added, len(items) + 1)
        times = np.bincount(item + 1, minlength=len(items) + 1)
        yield _System(name, items, n, exposure[1:], times[1:], weights)


def _weights(run: Run, rows: Ints, discount: str, p: float | None) -> Floats:
    """Return the weight of the rank of each document, ``[len(rows)]``.

    The rankings of a topic share the exposure of one ranking.

    :raises ValueError: if the discount is unknown, or ``p`` is out of its range or not used
    """
    one_of("discount", discount, ("log2", "trec", "geometric", "mmr", "none", "power"))
    default, most = P.get(discount, (nan, 0.0))
    if p is None:
        p = default
    elif not 0 <= p < most:
        raise ValueError("p must be at least 0 with discount='power', below 1 with 'geometric' and "
                         f"None with the others, got {shown(p)} with {shown(discount)}")
    depth = run.length.max(initial=0)
    if discount == "power":
        weights = arrays.ranks(depth) ** -p
    else:
        weights = arrays.discount(discount, depth, p)
    rankings = np.bincount(run.topics)
    return weights[run.place[rows]] / rankings[run.topic[rows]]
