"""Who is shown: the groups' shares of the results, of attention and of the relevant documents."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from math import nan
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_fairness.analysis.frames import (
    best,
    fairness_measure,
    is_coverage,
    measure_columns,
    systems,
)
from pt_fairness.analysis.inputs import compares_groups, loaded_qrels, ranked_runs
from pt_fairness.analysis.statistics import ALPHA
from pt_fairness.core import arrays
from pt_fairness.core.arrays import Bools, Floats, Ints, distinct, positions
from pt_fairness.core.messages import warn
from pt_fairness.io.run_files import RunInputs
from pt_fairness.measures.distribution import AWRF
from pt_fairness.provider.evaluator import GroupedMeasures
from pt_fairness.rankings.rankings import Rankings
from pt_fairness.rankings.trec_order import Judgments

#: The name of the groups in the second column of the qrels.
QRELS_GROUPS = "the qrels"
#: The number of documents that count, for measures without a cutoff.
DEPTH = 10
#: The number of events whose sums are convolved one by one, for speed.
BLOCK = 16
#: The least number of topics from which a group is missing if it is said to be hidden.
LEAST = 3
#: The number of hidden groups that are named.
MOST = 3


def shares(runs: RunInputs, qrels: Any, groups: Any = None, *, cutoff: int = DEPTH, rel: int = 1,
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
    measure = AWRF(cutoff=cutoff, rel=rel, discount=discount)
    measure.validate_params()
    judgments = Judgments(loaded_qrels(qrels))
    source = GroupedMeasures(groups, True, [measure], judgments)
    source_shares = SourceShares(source, measure)
    table = source_shares.table({name: source_shares.run_shares(source.rankings(run, warn))
                             for name, run in ranked_runs(runs, judgments).items()})
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
        the largest cutoff of the measures of the source
    """

    def __init__(self, source: GroupedMeasures, measure: Any = None) -> None:
        annotations = source.annotations
        cutoffs = [part.cutoff for part in source.measures if part.cutoff]
        self.measure = measure or AWRF(cutoff=max(cutoffs, default=DEPTH))
        self._labels = annotations.labels
        self._topic = annotations.judgments.topic
        codes = annotations.relevant(self.measure.rel)
        # Whether each judged pair is a relevant document with a group, ``[pairs]``.
        self._relevant = annotations.sets.any_of(self._labels)[codes]
        pairs = np.flatnonzero(self._relevant)
        topic = self._topic[pairs]
        document, group, share = annotations.sets.entries(codes[pairs], self._labels)
        # The number of relevant documents of each topic, ``[T]``, and of each group, ``[T, L]``.
        self._n = np.bincount(topic, minlength=len(source.dropped))
        self._s = np.zeros((len(self._n), len(self._labels)))
        np.add.at(self._s, (topic[document], group), 1)
        self._counted = (self._n > 0) & ~source.dropped
        weight = arrays.ratio(self._counted, self._n)
        self._share = self._mean(group, share * weight[topic[document]], self._counted)

    def _mean(self, group: Ints, values: Floats, counted: Bools) -> Floats:
        """Return the sum of the values of each group over the number of topics, ``[L]``.

        It is NaN without a topic.
        """
        return np.bincount(group, values, len(self._labels)) / (counted.sum() or nan)

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
        weight = arrays.ratio(counted, returned)[topic]
        discounts = arrays.discount(self.measure["discount"], length.max(initial=0))
        total = np.append(0.0, discounts.cumsum())[length]
        document, group, share = rankings.sets.entries(rankings.codes[rows], self._labels)
        alike = arrays.ratio(weight, length)[ranking]
        discounted = arrays.ratio(weight, total)[ranking] * discounts[place]
        shown = self._mean(group, share * alike[document], counted)
        attention = self._mean(group, share * discounted[document], counted)
        lacking = (self._s > 0) & counted[:, None]
        lacking[topic[ranking[document]], group] = False
        pairs = rankings.pair[rows]
        pairs = distinct(pairs[pairs >= 0])
        relevant = np.bincount(self._topic[pairs], self._relevant[pairs], len(counted))
        return RunShares(shown, attention, np.where(counted, relevant, -1), lacking.sum(axis=0))

    def table(self, runs: Mapping[str, RunShares]) -> pd.DataFrame:
        """Return the table of several runs, by name."""
        shown, attention, relevant, absent = map(np.array, zip(*runs.values(), strict=True))
        possible = (self._s > 0) & (relevant >= 0)[:, :, None]
        chance = np.where(possible, self._chance(relevant), 0.0)
        events = chance.swapaxes(1, 2).reshape(absent.size, -1)
        ratio = attention / np.where(self._share > 0, self._share, nan)
        columns = {
            "shown": shown, "attention": attention, "relevant": [self._share] * len(runs),
            "ratio": ratio, "topics": possible.sum(axis=1), "absent": absent,
            "expected": events.sum(axis=1), "p": tail(events, absent.ravel())}
        numbers = {name: np.ravel(values) for name, values in columns.items()}
        names = np.repeat(list(runs), len(self._labels))
        return pd.DataFrame({"name": names, "group": self._labels * len(runs), **numbers})

    def _chance(self, relevant: Floats) -> Floats:
        """Return the probability that each group is absent by chance, ``[runs, T, L]``.

        :param relevant: the number of relevant documents that count, ``[runs, T]``
        """
        n = self._n[:, None]
        r = np.maximum(relevant, 0)[:, :, None]
        # C(n − s, r) / C(n, r): none of r of the n relevant documents is one of the s of the group
        return np.exp(_log_choices(n - self._s, r) - _log_choices(n, r))


def _log_choices(n: Any, r: Any) -> Floats:
    """Return ln C(n, r), −∞ where r is larger than n."""
    from scipy.special import gammaln
    return gammaln(n + 1) - gammaln(r + 1) - gammaln(n - r + 1)


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
    rows = np.flatnonzero(least)
    # The densities of all blocks of events at once, and then of the blocks of each row together.
    events = np.pad(chance[rows], ((0, 0), (0, -chance.shape[1] % BLOCK)))
    blocks = events.reshape(len(rows), events.shape[1] // BLOCK, BLOCK)
    density = np.zeros((*blocks.shape[:2], BLOCK + 1))
    density[:, :, 0] = 1.0
    for place in range(BLOCK):
        more = density[:, :, :-1] * blocks[:, :, [place]]
        density[:, :, :-1] -= more
        density[:, :, 1:] += more
    result = np.ones(len(least))
    for row, parts in zip(rows, density, strict=True):
        result[row] = reduce(np.convolve, parts)[least[row]:].sum()
    return result


def shares_table(shares: Mapping[tuple[str, int], pd.DataFrame]) -> pd.DataFrame:
    """Return one table of the shares of all group sources.

    :raises ValueError: if there are none
    """
    if not shares:
        raise ValueError("measures must have one that depends on groups, and qrels, to show shares")
    tables = [table.assign(groups=source) for (source, _), table in shares.items()]
    return pd.concat(tables, ignore_index=True) if len(tables) > 1 else next(iter(shares.values()))


def sentences(shares: Mapping[tuple[str, int], pd.DataFrame], averages: pd.DataFrame | None = None,
              labels: Mapping[str, str] | None = None) -> list[str]:
    """Return sentences on the groups that systems hide, and the measures that do not tell.

    A group is hidden if it is absent from at least three topics, from significantly more than by
    chance (corrected for all systems and groups, after Bonferroni), and from more than twice as
    many, or present in less than half as many.

    :param shares: the shares of the groups by group source and cutoff
    :param averages: the averages of measures, whose best values are compared; ``None`` without
    :param labels: the label of each measure that has one

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness.analysis.shares import sentences
    >>> table = pd.DataFrame({"name": ["A", "B"], "group": "female", "topics": 40,
    ...                       "absent": [22, 7], "expected": 7.3, "p": [1e-6, 0.6]})
    >>> sentences({("the qrels", 10): table})  # doctest: +NORMALIZE_WHITESPACE
    ['A shows no female among its first 10 in 22 of the 40 topics with relevant ones (by chance:
    7.3).']
    """
    tables = [_hidden(table).assign(cutoff=cutoff) for (_, cutoff), table in shares.items()]
    if not tables:
        return []
    rows = pd.concat(tables).sort_values("absent", ascending=False, kind="stable")
    first = rows.head(MOST)
    found = [f"{row.name} shows no {row.group} among its first {row.cutoff} in {row.absent} of the "
             f"{row.topics} topics with relevant ones (by chance: {row.expected:.1f})."
             for row in first.itertuples(index=False)]
    if len(rows) > MOST:
        found[-1] = f"{found[-1][:-1]}, and {len(rows) - MOST} more."
    if averages is not None:
        found += _best_all_the_same(averages, first["name"].unique(), labels or {})
    return found


def legend(shares: Mapping[tuple[str, int], pd.DataFrame]) -> list[str]:
    """Return a sentence on a table of shares: what is counted."""
    first = " and ".join(map(str, sorted({cutoff for _, cutoff in shares})))
    return [f"Shares of the first {first} documents with a group, and of the relevant documents. "
            "absent: the topics that show no document of the group, of those with relevant ones; "
            "expected: by chance; p: of as many or more by chance."]


def _hidden(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of the groups that a system hides."""
    absent, expected, topics = table["absent"], table["expected"], table["topics"]
    large = (absent > 2 * expected) | (topics - absent < (topics - expected) / 2)
    return table[(absent >= LEAST) & (table["p"] * len(table) < ALPHA) & large]


def _best_all_the_same(averages: pd.DataFrame, names: Sequence[str],
                       labels: Mapping[str, str]) -> list[str]:
    """Return a sentence on each of some systems that is the best by a measure of groups."""
    columns = [column for column in measure_columns(averages)
               if compares_groups(fairness_measure(column)) and not is_coverage(column)]
    is_best = best(averages[["name", *columns]]).set_index(averages["name"])[columns]
    is_best = is_best.rename(columns=labels)
    found = []
    for name in names if len(systems(averages)) > 1 else ():
        row = is_best.loc[name]
        fair, unfair = row.index[row], row.index[~row]
        if len(fair):
            rest = f"; {_which(unfair)} not" if len(unfair) else ""
            found.append(f"{_which(fair)} best for {name} all the same{rest}.")
    return found


def _which(names: Sequence[str]) -> str:
    return f"{', '.join(names)} {'is' if len(names) == 1 else 'are'}"
