"""Who is shown: the exposure of documents and groups, its inequality, and the groups' shares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import reduce
from math import inf, nan
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_fairness import groups as sources
from pt_fairness.analysis.inputs import (
    best,
    compares_groups,
    fairness_measure,
    first_rows,
    group_annotations,
    is_coverage,
    loaded_qrels,
    measure_columns,
    ranked_runs,
    run_frames,
    runs_and_qrels,
    systems,
)
from pt_fairness.analysis.statistics import ALPHA
from pt_fairness.core import arrays
from pt_fairness.core.arrays import (
    TIE_DECIMALS,
    Bools,
    Floats,
    Ints,
    distinct,
    positions,
    ratio,
)
from pt_fairness.core.messages import at_least, is_whole, one_of, shown, warn
from pt_fairness.io.runs import RunInputs
from pt_fairness.measures.distribution import AWRF
from pt_fairness.measures.measure import rels_of
from pt_fairness.provider.evaluator import GroupedMeasures
from pt_fairness.rankings.rankings import Rankings
from pt_fairness.rankings.trec_order import Judgments, Run

#: The columns of :func:`inequality`.
COLUMNS = ["name", "n", "exposed", "outside", "gini", "jain", "entropy", "qf", "fsat"]
#: The default of ``p`` and the number below which it must be, for each discount that has ``p``.
P = {"geometric": (0.85, 1.0), "power": (0.5, inf)}
#: The name of the groups in the second column of the qrels.
QRELS_GROUPS = "the qrels"
#: The number of documents that count, for measures without a cutoff.
DEPTH = 10
#: A hidden group is absent from at least so many topics.
LEAST = 3
#: The largest number of hidden groups that are named.
MOST = 3


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
        exposure = system.exposure
        table = pd.DataFrame({"name": system.name, system.items.name: system.items})
        table["exposure"] = exposure
        table["share"] = ratio(exposure, exposure.sum())
        tables.append(table)
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
        n = system.n
        x = system.exposure
        times = system.times
        exposed = (times > 0).sum()
        row = {"name": system.name, "n": n, "exposed": exposed}
        rows.append(row)
        total = x.sum()
        if len(system.weights):
            outside = 1 - total / system.weights.sum()
            row["outside"] = round(outside, TIE_DECIMALS) + 0.0  # without −0
        if n == 1 or total == 0:
            continue
        squares = (x ** 2).sum()
        jain = total ** 2 / (n * squares)
        entropy = stats.entropy(x, base=n)
        row |= {"gini": gini(x, n), "jain": jain, "entropy": entropy}
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
    weights = 2 * i - n - 1
    weighted = np.sort(x) @ weights
    return float(weighted / (n * x.sum()))


def _systems(runs: RunInputs, qrels: pd.DataFrame | None, by: str, groups: Any,
             population: str | int, discount: str, p: float | None, depth: int | None,
             topics: Any) -> Iterator[_System]:
    """Yield the exposure of documents or groups in each run.

    The parameters are those that :func:`document_exposure` explains.
    """
    one_of("by", by, ("document", "group"))
    at_least(1, "depth", depth, "all documents")
    one_of("discount", discount, ("log2", "trec", "geometric", "mmr", "none", "power"))
    default, most = P.get(discount, (nan, 0.0))
    if p is None:
        p = default
    elif not 0 <= p < most:
        raise ValueError("p must be at least 0 with discount='power', below 1 with 'geometric' and "
                         f"None with the others, got {shown(p)} with {shown(discount)}")
    words = ("runs",) if qrels is None else ("runs", "judged")
    if not is_whole(population) and population not in words:
        raise ValueError("population must be 'runs', 'judged' (with qrels) or the number of "
                         f"documents of the collection, got {shown(population)}")
    if by == "group" and groups is not None:
        groups = sources.get(groups)
    if qrels is not None:
        runs, judged = runs_and_qrels(runs, qrels, topics)
    else:
        runs = frames = run_frames(runs, topics)
        # Every topic counts as judged, with one of its documents.
        judged = pd.concat(frames.values()).drop_duplicates("query_id")
        judged = judged.assign(relevance=0)
    judgments = Judgments(judged)
    if by == "group":
        annotations = group_annotations(judgments, groups)
        if qrels is None and annotations.declared is None:
            raise ValueError("qrels must be given with groups that do not declare their labels, "
                             f"such as {annotations.groups!r}")
    ranked = ranked_runs(runs, judgments)
    returned = [run.docnos(first_rows(run, depth)) for run in ranked.values()]
    docnos = np.concatenate(returned)
    if population == "judged":
        docnos = judgments.docnos()
    index = pd.Index(docnos, name="docno")
    documents = index.unique()
    items = documents = documents.sort_values()
    n: Any = population if is_whole(population) else len(documents)
    if n < len(documents):
        raise ValueError("population must be at least the number of documents that the runs "
                         f"returned, {len(documents)}, got {n}")
    if by == "group":
        items = pd.Index(annotations.labels, name="group")
        n = len(items)
    for (name, run), docnos in zip(ranked.items(), returned, strict=True):
        rows = first_rows(run, depth)
        weights = _weights(run, rows, discount, p)
        item = documents.get_indexer(docnos)  # −1 outside the population
        added: Any = weights
        if by == "group":
            rankings = annotations.rankings(run, depth)
            codes = rankings.codes[rows]
            share = rankings.sets.shares(codes, annotations.labels)
            share[item < 0] = 0.0
            row, item = share.nonzero()
            added = weights[row] * share[row, item]
        size = len(items) + 1
        exposure = np.bincount(item + 1, added, size)
        times = np.bincount(item + 1, minlength=size)
        yield _System(name, items, n, exposure[1:], times[1:], weights)


def _weights(run: Run, rows: Ints, discount: str, p: float) -> Floats:
    """Return the weight of the rank of each document, ``[len(rows)]``.

    The rankings of a topic share the exposure of one ranking.
    """
    depth = run.length.max(initial=0)
    if discount == "power":
        rank = arrays.ranks(depth)
        weights = rank ** -p
    else:
        weights = arrays.discount(discount, depth, p)
    place = run.place[rows]
    topic = run.topic[rows]
    rankings = np.bincount(run.topics)
    return weights[place] / rankings[topic]


def shares(runs: RunInputs, qrels: Any, groups: Any = None, *, cutoff: int = DEPTH, rel: int = 1,
           discount: str = "log2") -> pd.DataFrame:
    """Return the share of each group in what every system shows, and in the relevant documents.

    The first ``cutoff`` documents with a group count, as in AWRF; a document of m groups counts 1/m
    for each, or its weights. With several rankings of a topic, shares are means over those that
    have a document with a group. Means are over the topics that have a relevant document with a
    group and, but for ``relevant``, such a result.

    A group is *absent* from a topic if none of these documents has it, although a relevant document
    has. The probability of this by chance is hypergeometric: r documents are drawn at random from
    the n relevant ones, of which s have the group, and none of the r has it: C(n−s, r) / C(n, r).
    r is the number of relevant documents that the system shows, so no system is blamed for finding
    little.

    :param runs: the runs, in any form that :func:`pt_fairness.evaluate` reads but transformers;
        also with several rankings of a topic
    :param qrels: ``qid, docno, label`` (or ir_measures' names) and, without ``groups``,
        ``iteration``
    :param groups: the group source; by default the ``iteration`` of the qrels
    :param cutoff: the number of documents with a group that count
    :param rel: the minimum relevance of a relevant document
    :param discount: the attention that rank i gets: ``'log2'`` 1/log2(i+1), ``'trec'``
        1/log2(max(i, 2)), ``'geometric'`` .85^(i−1) or ``'none'`` 1
    :returns: a row for each system and group: ``name, group``; ``shown``, the share of the
        documents that count; ``attention``, the share of their discounts; ``relevant``, the share
        of the relevant documents; ``ratio``, attention / relevant, NaN without relevant documents;
        ``topics``, the number of topics with a result in which the group is relevant; ``absent``,
        how many of them do not show it; ``expected``, how many would not by chance; ``p``, the
        probability of at least as many by chance. Without a topic, shares are NaN and p is 1
    :raises ValueError: if the qrels have no groups, ``cutoff`` is below 1, ``rel`` is not a whole
        number, or ``discount`` is unknown

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b", "c", "d"], "label": 1,
    ...                       "iteration": ["PRO", "PRO", "CON", "CON"]})
    >>> run = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "score": [2.0, 1.0]})
    >>> analysis.shares({"BM25": run}, qrels).round(3).T[0].to_dict()
    ... # doctest: +NORMALIZE_WHITESPACE
    {'name': 'BM25', 'group': 'CON', 'shown': 0.0, 'attention': 0.0, 'relevant': 0.5, 'ratio': 0.0,
     'topics': 1, 'absent': 1, 'expected': 0.167, 'p': 0.167}
    """
    measure = AWRF(cutoff=cutoff, rel=rel, discount=discount)
    measure.validate_params()
    judgments = Judgments(loaded_qrels(qrels))
    source = GroupedMeasures(groups, True, [measure], judgments)
    source_shares = SourceShares(source, measure)
    run_shares = {}
    for name, run in ranked_runs(runs, judgments).items():
        rankings = source.rankings(run, warn)
        run_shares[name] = source_shares.run_shares(rankings)
    table = source_shares.table(run_shares)
    if table["relevant"].isna().all():
        warn("no topic has a relevant document with a group, so no share is known")
    return table


class RunShares(NamedTuple):
    """The shares of the groups in a run."""

    #: The mean share of each group among the documents that count, and of their discounts, ``[L]``.
    shown: Floats
    attention: Floats
    #: The number of relevant documents that count, −1 in a topic that does not count, ``[T]``.
    relevant: Ints
    #: The number of topics without each group, although a relevant document has it, ``[L]``.
    absent: Ints


class SourceShares:
    """The shares of the groups of one source in many runs.

    :param measure: an AWRF, whose cutoff, minimum relevance and discount are used; by default with
        the largest cutoff of the measures of the source, and their ``rel`` if it is the same
    """

    def __init__(self, source: GroupedMeasures, measure: Any = None) -> None:
        annotations = source.annotations
        cutoffs = [part.cutoff for part in source.measures if part.cutoff]
        rels = rels_of(source.measures) - {None}
        rel = rels.pop() if len(rels) == 1 else 1
        self.measure = measure or AWRF(cutoff=max(cutoffs, default=DEPTH), rel=rel)
        self._labels = annotations.labels
        self._topic = annotations.judgments.topic
        codes = annotations.relevant(self.measure.rel)
        has_group = annotations.sets.any_of(self._labels)
        # Whether each judged pair is a relevant document with a group, ``[pairs]``.
        self._relevant = has_group[codes]
        pairs = np.flatnonzero(self._relevant)
        topic = self._topic[pairs]
        # The number of relevant documents of each topic, ``[T]``, and of each group, ``[T, L]``.
        self._n = np.bincount(topic, minlength=len(source.dropped))
        self._s = np.zeros((len(self._n), len(self._labels)))
        codes = codes[pairs]
        document, group, share = annotations.sets.entries(codes, self._labels)
        topic = topic[document]
        np.add.at(self._s, (topic, group), 1)
        self._counted = (self._n > 0) & ~source.dropped
        weight = ratio(self._counted, self._n)[topic]
        self._share = self._mean(group, share * weight, self._counted)

    def _mean(self, group: Ints, values: Floats, counted: Bools) -> Floats:
        """Return the sum of the values of each group, divided by the number of topics, ``[L]``.

        It is NaN without a topic.
        """
        total = np.bincount(group, values, len(self._labels))
        return total / (counted.sum() or nan)

    def run_shares(self, rankings: Rankings) -> RunShares:
        """Return the shares in a run."""
        has_group = rankings.sets.any_of(self._labels)
        rows = np.flatnonzero(has_group[rankings.codes])
        place = positions(rankings.ranking[rows])
        within = place < self.measure.cutoff
        rows = rows[within]
        place = place[within]
        ranking = rankings.ranking[rows]
        topic = rankings.topic
        length = np.bincount(ranking, minlength=len(topic))
        returned = np.bincount(topic, length > 0)
        counted = self._counted & (returned > 0)
        counted_share = ratio(counted, returned)
        weight = counted_share[topic]
        depth = length.max(initial=0)
        discounts = arrays.discount(self.measure["discount"], depth)
        total = np.append(0.0, discounts.cumsum())
        codes = rankings.codes[rows]
        document, group, share = rankings.sets.entries(codes, self._labels)
        alike = ratio(weight, length)[ranking]
        discounted = ratio(weight, total[length])[ranking]
        discounted *= discounts[place]
        shown = self._mean(group, share * alike[document], counted)
        attention = self._mean(group, share * discounted[document], counted)
        lacking = (self._s > 0) & counted[:, None]
        topic = topic[ranking[document]]
        lacking[topic, group] = False
        pairs = rankings.pair[rows]
        pairs = distinct(pairs[pairs != -1])
        judged_topic = self._topic[pairs]
        is_relevant = self._relevant[pairs]
        relevant = np.bincount(judged_topic, is_relevant, len(counted))
        relevant[~counted] = -1
        return RunShares(shown, attention, relevant, lacking.sum(axis=0))

    def table(self, runs: Mapping[str, RunShares]) -> pd.DataFrame:
        """Return the table of several runs, by name."""
        shown, attention, relevant, absent = map(np.array, zip(*runs.values(), strict=True))
        counted = relevant >= 0
        possible = (self._s > 0) & counted[:, :, None]
        chance = np.where(possible, self._chance(relevant), 0.0)
        events = chance.swapaxes(1, 2).reshape(absent.size, -1)
        names = np.repeat(list(runs), len(self._labels))
        table = pd.DataFrame({"name": names})
        table["group"] = self._labels * len(runs)
        table["shown"] = shown.ravel()
        table["attention"] = attention.ravel()
        table["relevant"] = share = np.tile(self._share, len(runs))
        share = np.where(share > 0, share, nan)
        table["ratio"] = table["attention"] / share
        table["topics"] = possible.sum(axis=1).ravel()
        table["absent"] = absent.ravel()
        table["expected"] = events.sum(axis=1)
        table["p"] = tail(events, absent.ravel())
        return table

    def _chance(self, relevant: Floats) -> Floats:
        """Return the probability that each group is absent by chance, ``[runs, T, L]``.

        :param relevant: the number of relevant documents that count, ``[runs, T]``
        """
        from scipy.stats import hypergeom
        r = np.maximum(relevant, 0)[:, :, None]
        return hypergeom.pmf(0, self._n[:, None], self._s, r)


def tail(chance: Floats, least: Ints) -> Floats:
    """Return the probability of at least so many of independent events, ``[n]``.

    It is exact, by convolution.

    :param chance: the probability of each event, ``[n, events]``
    :param least: the number of events, ``[n]``

    Examples
    --------
    >>> tail(np.array([[0.5, 0.25]]), np.array([1])).tolist()
    [0.625]
    """
    result = np.ones(len(least))
    for row in np.flatnonzero(least):
        events = chance[row]
        densities = np.column_stack([1 - events, events])
        density = reduce(np.convolve, densities, np.ones(1))
        result[row] = density[least[row]:].sum()
    return result


def shares_table(shares: Mapping[tuple[str, int], pd.DataFrame]) -> pd.DataFrame:
    """Return one table of the shares of all group sources.

    :raises ValueError: if there are none
    """
    if not shares:
        raise ValueError("measures must have one that depends on groups, and qrels, to show shares")
    tables = [*shares.values()]
    if len(tables) > 1:
        tables = [table.assign(groups=source) for (source, _), table in shares.items()]
    return pd.concat(tables, ignore_index=True)


def sentences(shares: Mapping[tuple[str, int], pd.DataFrame], averages: pd.DataFrame | None = None,
              labels: Mapping[str, str] | None = None) -> list[str]:
    """Return sentences on systems that hide a group, and on measures that rank these first.

    A group is hidden if it is absent from at least three topics, from significantly more than by
    chance (corrected for all systems and groups, after Bonferroni), and from more than twice as
    many, or present in less than half as many.

    :param shares: the shares of the groups by group source and cutoff
    :param averages: the averages of measures, whose best values are compared; ``None`` without
    :param labels: the label of each measure that has one

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness.analysis.exposure import sentences
    >>> table = pd.DataFrame({"name": ["A", "B"], "group": "female", "topics": 40,
    ...                       "absent": [22, 7], "expected": 7.3, "p": [1e-6, 0.6]})
    >>> sentences({("the qrels", 10): table})  # doctest: +NORMALIZE_WHITESPACE
    ['A shows no female among its first 10 in 22 of the 40 topics with relevant ones (by chance:
    7.3).']
    """
    if not shares:
        return []
    tables = [_hidden(table).assign(cutoff=cutoff) for (_, cutoff), table in shares.items()]
    rows = pd.concat(tables).sort_values("absent", ascending=False, kind="stable")
    first = rows.head(MOST)
    found = []
    for row in first.itertuples():
        topics = f"{row.absent} of the {row.topics} topics with relevant ones"
        chance = f"(by chance: {row.expected:.1f})"
        found.append(f"{row.name} shows no {row.group} among its first {row.cutoff} in {topics} "
                     f"{chance}.")
    more = len(rows) - MOST
    if more > 0:
        found[-1] = found[-1].removesuffix(".") + f", and {more} more."
    if averages is not None:
        found += _best_all_the_same(averages, first["name"].unique(), labels or {})
    return found


def legend(shares: Mapping[tuple[str, int], pd.DataFrame]) -> list[str]:
    """Return a sentence on a table of shares: what is counted."""
    cutoffs = sorted({cutoff for _, cutoff in shares})
    first = " and ".join(map(str, cutoffs))
    return [f"Shares of the first {first} documents with a group, and of the relevant documents. "
            "absent: the topics that show no document of the group, of those with relevant ones; "
            "expected: by chance; p: of as many or more by chance."]


def _hidden(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the groups that a system hides."""
    absent = table["absent"]
    expected = table["expected"]
    topics = table["topics"]
    often = absent > 2 * expected
    by_chance = topics - expected
    rarely_shown = topics - absent < by_chance / 2
    significant = table["p"] * len(table) < ALPHA
    clearly = often | rarely_shown
    return table[(absent >= LEAST) & significant & clearly]


def _best_all_the_same(averages: pd.DataFrame, names: Sequence[str],
                       labels: Mapping[str, str]) -> list[str]:
    """Return a sentence on each named system that is the best by a measure that compares groups."""
    if len(systems(averages)) == 1:
        return []
    columns = []
    for column in measure_columns(averages):
        if compares_groups(fairness_measure(column)) and not is_coverage(column):
            columns.append(column)
    by_name = averages.set_index("name")
    is_best = best(by_name[columns])
    is_best = is_best.rename(columns=labels)
    found = []
    for name in names:
        row = is_best.loc[name]
        fair = row.index[row]
        unfair = row.index[~row]
        if len(fair):
            rest = f"; {_which(unfair)} not" if len(unfair) else ""
            found.append(f"{_which(fair)} best for {name} all the same{rest}.")
    return found


def _which(names: Sequence[str]) -> str:
    verb = "is" if len(names) == 1 else "are"
    return f"{', '.join(names)} {verb}"
