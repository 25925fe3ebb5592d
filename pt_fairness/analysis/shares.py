"""Who is shown: the groups' shares of the results, of attention and of the relevant documents."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.analysis.inputs import loaded_qrels, ranked_runs
from pt_fairness.core import arrays
from pt_fairness.core.arrays import Bools, Floats, Ints, distinct, is_new, positions
from pt_fairness.core.messages import at_least, is_whole, one_of, shown, warn
from pt_fairness.io.run_files import RunInputs
from pt_fairness.measures.distribution import AWRF
from pt_fairness.provider.evaluator import GroupedMeasures
from pt_fairness.rankings.labelled import Rankings
from pt_fairness.rankings.protected import shares_of
from pt_fairness.rankings.trec_order import Judgments

#: The number of documents that count, for measures without a cutoff.
DEPTH = 10
#: The minimum relevance of a relevant document.
REL = 1


def shares(runs: RunInputs, qrels: Any, groups: Any = None, *, cutoff: int = DEPTH, rel: int = REL,
           discount: str = "log2") -> pd.DataFrame:
    """Return the share of each group in what every system shows, and in the relevant documents.

    The first ``cutoff`` documents with a group count, as in AWRF; a document of m groups counts 1/m
    for each, or its weights. With several rankings of a topic, shares are means over those that
    have a document with a group. Means are over the topics that have a relevant document with a
    group and, but for ``relevant``, such a result.

    A group is *absent* from a topic if none of these documents has it, although a relevant document
    has. By chance it is absent if none of r documents has it that are drawn from the n relevant
    documents of the topic, of which s have it: C(n−s, r) / C(n, r), r the number of relevant
    documents that the system shows. So no system is blamed for finding little.

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
    at_least(1, "cutoff", cutoff)
    if not is_whole(rel):
        raise ValueError(f"rel must be a whole number, got {shown(rel)}")
    one_of("discount", discount, ("log2", "trec", "geometric", "none"))
    judgments = Judgments(loaded_qrels(qrels))
    source = GroupedMeasures(groups, True, [AWRF(cutoff=cutoff, rel=rel)], judgments)
    relevant = source.annotations.relevant(rel)
    tables = {name: run_shares(source.rankings(run, warn), relevant, source.dropped, cutoff,
                               discount)
              for name, run in ranked_runs(runs, judgments).items()}
    table = pd.concat(tables, names=["name"]).reset_index("name").reset_index(drop=True)
    if table["relevant"].isna().all():
        warn("no topic has a relevant document with a group, so no share is known")
    return table


def run_shares(rankings: Rankings, relevant: Ints, dropped: Bools, cutoff: int,
               discount: str = "log2") -> pd.DataFrame:
    """Return the shares of a run: a row for each group, with the columns of :func:`shares`.

    :param relevant: the label set of each judged pair that is relevant, ``[pairs]``; −1 for others
    :param dropped: a mask of the topics that do not count, ``[T]``
    """
    from scipy import special
    rankings = rankings.of_labels(depth=cutoff)
    topics = len(rankings.topics)
    groups = len(rankings.labels)
    condensed = rankings.condensed
    lists = np.repeat(np.arange(len(condensed.length)), condensed.length)
    weights = arrays.discount(discount, condensed.length.max(initial=0))[positions(lists)]

    def sums(row: Ints, group: Ints, values: Floats, rows: int) -> Floats:
        return np.bincount(row * groups + group, values, rows * groups).reshape(rows, groups)

    document, group, share = rankings.entries(condensed.codes)
    row = lists[document]
    rows = len(condensed.length)
    counts = sums(row, group, share, rows)
    attention = sums(row, group, share * weights[document], rows)
    first = np.flatnonzero(is_new(rankings.list_topic))
    full = np.add.reduceat(condensed.length > 0, first, dtype=int)  # the rankings with documents

    def means(table: Floats) -> Floats:
        return arrays.ratio(np.add.reduceat(shares_of(table), first), full[:, None])

    pairs = np.flatnonzero(relevant >= 0)
    pair, group, share = rankings.entries(relevant[pairs])
    pair = pairs[pair]
    topic = rankings.pair_topic[pair]
    known = np.zeros(len(relevant), bool)
    known[pair] = True
    found = distinct(condensed.pair[(condensed.pair >= 0) & known[condensed.pair]])
    n = np.bincount(rankings.pair_topic[known], minlength=topics)[:, None]
    r = np.bincount(rankings.pair_topic[found], minlength=topics)[:, None]
    s = sums(topic, group, np.ones(len(topic)), topics)
    judged = (n[:, 0] > 0) & ~dropped
    evaluated = judged & (full > 0)
    has = (s > 0) & evaluated[:, None]
    absent = has & (np.add.reduceat(counts, first) == 0)
    # C(n − s, r) / C(n, r): none of r of the n relevant documents is one of s
    chance = np.exp(special.gammaln(n - s + 1) - special.gammaln(n - s - r + 1)
                    + special.gammaln(n - r + 1) - special.gammaln(n + 1))
    chance = np.where(has, chance, 0.0)
    columns = {"shown": _mean(means(counts), evaluated),
               "attention": _mean(means(attention), evaluated),
               "relevant": _mean(shares_of(sums(topic, group, share, topics)), judged)}
    ratio = np.full(groups, np.nan)
    np.divide(columns["attention"], columns["relevant"], out=ratio, where=columns["relevant"] > 0)
    times = absent.sum(axis=0)
    columns |= {"ratio": ratio, "topics": has.sum(axis=0), "absent": times,
                "expected": chance.sum(axis=0), "p": tail(chance, times)}
    return pd.DataFrame({"group": rankings.labels, **columns})


def _mean(values: Floats, topics: Bools) -> Floats:
    """Return the mean of each column over some topics; NaN without any."""
    if not topics.any():
        return np.full(values.shape[1], np.nan)
    return values[topics].mean(axis=0)


def tail(chance: Floats, least: Ints) -> Floats:
    """Return the probability of at least so many of independent events, ``[L]``.

    It is exact, by convolution.

    :param chance: the probability of each event, ``[T, L]``
    :param least: the number of events, ``[L]``

    Examples
    --------
    >>> tail(np.array([[0.5], [0.25]]), np.array([1])).tolist()
    [0.625]
    """
    density = np.zeros((len(chance) + 1, chance.shape[1]))
    density[0] = 1.0
    for number, p in enumerate(chance, 1):
        more = density[:number] * p
        density[:number] *= 1.0 - p
        density[1:number + 1] += more
    at_least = density[::-1].cumsum(axis=0)[::-1]
    return np.where(least > 0, at_least[least, np.arange(len(least))], 1.0)
