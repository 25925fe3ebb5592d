"""The exposure of documents and groups over all topics of a run, and its inequality."""

from __future__ import annotations

import math
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
from pt_fairness.core.arrays import ROUNDING, Floats, Ints, ratio
from pt_fairness.core.messages import at_least, is_whole, one_of, shown
from pt_fairness.io.run_files import RunInputs
from pt_fairness.measures.expected_exposure import IAA
from pt_fairness.measures.measure import FairnessMeasure
from pt_fairness.provider.measure_lists import parsed
from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.trec_order import Judgments, Run

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
    times: Any
    #: The number of (list, document) pairs, ``[R]``.
    pairs: Ints


class _Returned(NamedTuple):
    """Documents that a run returned."""

    #: Their indices among all documents of the run, ``[n]``.
    rows: Ints
    docnos: Any
    #: Their exposure, ``[n]``.
    weights: Floats


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
    names, items, _, exposure, *_ = _exposure(runs, qrels, by, groups, population, discount, p,
                                              depth, topics)
    total = exposure.sum(axis=1, keepdims=True)
    shares = ratio(exposure, total)
    column = "docno" if by == "document" else "group"
    of_runs = pd.Index(items, dtype="str")
    index = pd.MultiIndex.from_product([names, of_runs], names=["name", column])
    table = index.to_frame(index=False)
    table["exposure"] = exposure.ravel()
    table["share"] = shares.ravel()
    return table


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
    names, items, n, exposure, outside, times, pairs = _exposure(
        runs, qrels, by, groups, population, discount, p, depth, topics)
    from scipy.special import xlogy
    size = max(n, 1)
    unnamed = n - len(items)
    x = np.sort(exposure, axis=1)
    i = np.arange(unnamed, n) + 1.0  # first the documents that cannot be named
    total = x.sum(axis=1)
    s = ratio(x, total[:, None])
    often = pairs // size
    exposed = (times > 0).sum(axis=1)
    satisfied = (times >= often[:, None]).sum(axis=1)
    satisfied += unnamed * (often == 0)
    squares = (s ** 2).sum(axis=1)
    table = pd.DataFrame({"name": names, "n": n, "exposed": exposed, "outside": outside})
    order = 2 * i - n - 1
    gini = (s * order).sum(axis=1)
    entropy = xlogy(s, s).sum(axis=1)
    table["gini"] = gini / size
    table["jain"] = ratio(1.0, n * squares)
    table["entropy"] = 0.0 - entropy / math.log(max(n, 2))
    table["qf"] = exposed / size
    table["fsat"] = satisfied / size
    if by == "group":
        table[["qf", "fsat"]] = nan
    undefined = (total == 0) | (n == 1)
    table.loc[undefined, "gini":] = nan
    return table


def _exposure(runs: RunInputs, qrels: pd.DataFrame | None, by: str, groups: Any,
              population: str | int, discount: str, p: float | None, depth: int | None,
              topics: Any) -> _Exposure:
    """Return the exposure of documents or groups.

    The parameters are those of :func:`document_exposure` and :func:`inequality`.
    """
    one_of("by", by, ("document", "group"))
    at_least(1, "depth", depth, "all documents")
    if not is_whole(population) and population not in ("runs", "judged"):
        raise ValueError(f"population={shown(population)} is not possible; it takes 'runs', "
                         "'judged' or the number of documents of the collection")
    if qrels is None:
        if population == "judged":
            raise ValueError("population='judged' needs qrels")
        if by == "group" and groups is None:
            raise ValueError("by='group' without qrels needs groups=, the group source")
        frames = run_frames(runs, topics)
        # Every topic counts as judged, with one of its documents.
        firsts = pd.concat(frames.values()).drop_duplicates("query_id")
        judged = firsts[["query_id", "doc_id"]].assign(relevance=0)
    else:
        frames, judged = runs_and_qrels(runs, qrels, topics)
    judgments = Judgments(judged)
    ranked = ranked_runs(frames, judgments)
    returned = [_returned(run, discount, p, depth) for run in ranked.values()]
    if population == "judged":
        docnos = judgments.docnos()
    else:
        docnos = np.concatenate([of_run.docnos for of_run in returned])
    documents = pd.Index(docnos).unique().sort_values()
    n = len(documents)
    if is_whole(population):
        n = int(population)
    if n < len(documents):
        raise ValueError(f"population={shown(population)} is not possible: the runs returned "
                         f"{len(documents)} documents, and the collection has at least as many")
    items: Any = documents
    if by == "group":
        annotations = group_annotations(judgments, groups)
        if qrels is None and annotations.declared is None:
            raise ValueError(f"{annotations.groups!r} does not declare its labels, so the groups "
                             "are those of the judged documents: give qrels")
        items = annotations.labels
        n = len(items)
    exposures: list[Any] = []
    times = []
    for run, of_run in zip(ranked.values(), returned, strict=True):
        place = documents.get_indexer(of_run.docnos)
        inside = place >= 0
        place = place[inside]
        weights = of_run.weights[inside]
        if by == "document":
            exposures.append(np.bincount(place, weights, len(items)))
            times.append(np.bincount(place, minlength=len(items)))
        else:
            rankings = annotations.of_run(run, depth)
            rows = of_run.rows[inside]
            shares = rankings.sets.shares(rankings.codes[rows], items)
            exposures.append(weights @ shares)
    exposure = np.array(exposures)
    total = np.array([of_run.weights.sum() for of_run in returned])
    pairs = np.array([len(of_run.rows) for of_run in returned])
    outside = ratio(total - exposure.sum(axis=1), total)
    outside[outside < ROUNDING] = 0.0
    outside[total == 0] = nan
    lists = np.array(times or exposures)
    return _Exposure([*ranked], items, n, exposure, outside, lists, pairs)


def _returned(run: Run, discount: str, p: float | None, depth: int | None) -> _Returned:
    """Return the first ``depth`` documents of each list of a run, with their exposure.

    The parameters are those of :func:`document_exposure`.
    """
    rows = first_rows(run, depth)
    place = run.place[rows]
    last = int(place.max(initial=-1))
    of_rank = _discounts(discount, last + 1, p)
    # The lists of a topic share the exposure of one list.
    lists = np.bincount(run.topics)[run.topic[rows]]
    return _Returned(rows, run.docnos(rows), of_rank[place] / lists)


def _discounts(name: str, ranks: int, p: float | None) -> Floats:
    """Return the weight of each rank, ``[ranks]``.

    :raises ValueError: an unknown discount, or ``p`` is out of range or not used
    """
    if p is not None and name not in _P:
        raise ValueError(f"p={shown(p)} is not possible for discount={shown(name)}; 'geometric' "
                         "and 'power' have this parameter")
    power = _P.get(name, 0.85) if p is None else p
    allowed = "of at least 0"
    possible = 0 <= power < inf
    if name == "geometric":
        allowed = "above 0 and below 1"
        possible = 0 < power < 1
    if not possible:
        raise ValueError(f"p={shown(p)} is not possible for discount={shown(name)}; it takes a "
                         f"number {allowed}")
    if name == "power":
        return arrays.ranks(ranks) ** -power
    one_of("discount", name, ("log2", "trec", "geometric", "mmr", "none", "power"))
    return arrays.discount(name, ranks, power)


def amortised_inequity(runs: RunInputs, qrels: pd.DataFrame,
                       measures: Any = IAA, *, topics: Any = None) -> pd.DataFrame:
    """Return the inequity of attention of every system, amortised over the topics.

    A document (or group) with too little attention for one topic can have more for another:
    ``Σ_d |Σ_q (ε_qd − y_qd)| / 2Q``, where ε_qd is its share of the attention and y_qd its share of
    the merit for topic q. The Q topics are those with a document of some merit. A topic for which
    the system returns nothing is counted with zero attention. For one topic with results the value
    is that of ``IAA``, and for several it is at most the mean of ``IAA``.

    Source: Biega et al. (2018), equation 1.

    :param runs: as of :func:`pt_fairness.evaluate`; with several rankings of a topic, too
    :param qrels: ``qid, docno, label`` (or ir_measures' names) and, for groups without a
        ``groups`` parameter, ``iteration``
    :param measures: ``IAA`` with any parameters but ``norm='none'``, or several
    :param topics: the topics of transformers, as of :func:`pt_fairness.evaluate`
    :returns: ``name, measure, inequity`` (0 to 1; 0 is fair; NaN without topics) and ``n``, the
        number of topics Q
    :raises ValueError: another measure, or ``runs`` is no dictionary of frames

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> qrels = pd.DataFrame({"qid": ["1", "1", "2", "2"], "docno": ["a", "b"] * 2, "label": 1})
    >>> same = qrels.assign(score=[2, 1, 2, 1])
    >>> alternating = qrels.assign(score=[2, 1, 1, 2])
    >>> analysis.amortised_inequity({"same": same, "alternating": alternating}, qrels).round(3)
              name measure  inequity  n
    0         same     IAA     0.113  2
    1  alternating     IAA     0.000  2
    """
    measures = parsed(measures)
    for measure in measures:
        if not isinstance(measure, type(IAA)) or measure.param("norm") != "max":
            raise ValueError(f"{measure} is not possible here: amortised_inequity takes IAA with "
                             "norm='max'")
    frames, judged = runs_and_qrels(runs, qrels, topics)
    judgments = Judgments(judged)
    ranked = ranked_runs(frames, judgments)
    compared = {measure: group_annotations(judgments, measure.param("groups"), [None])
                for measure in measures if measure.needs_groups}
    rows = []
    for name, run in ranked.items():
        for measure in measures:
            inequity, n = _amortised(measure, run, judgments, compared.get(measure))
            rows.append((name, str(measure), inequity, n))
    return pd.DataFrame(rows, columns=["name", "measure", "inequity", "n"])


def _amortised(measure: FairnessMeasure, run: Run, judgments: Judgments,
               annotations: Annotations | None) -> tuple[float, int]:
    """Return the amortised inequity of a run and the number of topics.

    :param annotations: the groups that are compared; ``None`` to compare documents
    """
    topics = len(judgments.topics)
    rows = first_rows(run, measure.param("cutoff"))
    place = run.place[rows]
    last = int(place.max(initial=-1))
    discount = measure.param("discount")
    weights = arrays.discount(discount, last + 1, measure.param("p"))
    scale = measure.param("gains")
    gains = arrays.gain(scale, judgments.relevance, measure.param("rel"))
    # First the ranked documents, then the judged ones. The attention is the sum over the rankings
    # of a topic, which has the same shares as their mean.
    topic = np.append(run.topic[rows], judgments.topic)
    attention = np.append(weights[place], np.zeros(len(gains)))
    merit = np.append(np.zeros(len(rows)), gains)
    dropped = None
    if annotations is None:
        docnos = np.append(run.docnos(rows), judgments.docnos())
        item, _ = pd.factorize(docnos)
    else:
        ranked = annotations.of_run(run, None)
        codes = np.append(ranked.codes[rows], annotations.pair_codes)
        shares = ranked.sets.shares(codes, annotations.labels)
        document, item = np.nonzero(shares)
        share = shares[document, item]
        topic = topic[document]
        attention = attention[document] * share
        merit = merit[document] * share
        dropped = annotations.groups
    of_attention = np.bincount(topic, attention, topics)
    of_merit = np.bincount(topic, merit, topics)
    counts = of_merit > 0
    if dropped is not None and dropped.topics is not None:
        counts &= np.isin(judgments.topics, list(dropped.topics))
    attention = ratio(attention, of_attention[topic])
    merit = ratio(merit, of_merit[topic])
    excess = (attention - merit) * counts[topic]
    inequity = abs(np.bincount(item, excess))
    n = int(counts.sum())
    if not n:
        return nan, n
    return float(inequity.sum() / (2 * n)), n
