"""Statistics by group: relevant and ranked documents, effectiveness, and means of topic groups."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from math import inf, nan
from typing import Any, Literal

import numpy as np
import pandas as pd

from pt_fairness import groups as sources
from pt_fairness.analysis.columns import (
    LARGER,
    SMALLER,
    TIE_DECIMALS,
    direction_of,
    from_best,
    is_constant,
    measure_of,
)
from pt_fairness.analysis.inference import by_topic, check, mean_intervals, values_of
from pt_fairness.analysis.runs_and_qrels import (
    annotations_of,
    first_rows,
    loaded_qrels,
    runs_and_qrels,
    runs_of,
)
from pt_fairness.core import arrays
from pt_fairness.core.arrays import Bools, Floats, Ints, ratio
from pt_fairness.core.messages import (
    at_least,
    distinct_labels,
    label_text,
    listed,
    one_of,
    shown,
    warn,
)
from pt_fairness.groups import Groups
from pt_fairness.groups.sources import vote_counts
from pt_fairness.io.files import need_columns
from pt_fairness.io.run_files import RunInputs
from pt_fairness.measures.coverage import OfGroup
from pt_fairness.measures.measure import FairnessMeasure
from pt_fairness.provider.evaluator import FairnessEvaluator
from pt_fairness.provider.measure_lists import parsed
from pt_fairness.rankings.trec_order import Judgments

#: The ``qid`` of the rows for all topics together, as in trec_eval.
ALL_TOPICS = "all"


def group_distribution(qrels: pd.DataFrame, groups: str | Groups | None = None,
                       rel: int = 1) -> pd.DataFrame:
    """Count the relevant documents of every group, for each topic and for all topics together.

    The counts show the potential bias of a collection: Das & Lease (2019), section 5.1 and figure
    1. The skew is one minus the entropy of the shares of a topic, divided by the largest possible
    entropy. It is 0 if all groups have the same number of documents, and 1 if one group has all.

    :param qrels: ``qid, docno, label`` (or ir_measures' names) and, without ``groups``,
        ``iteration``
    :param groups: the group source; by default the ``iteration`` of the qrels
    :param rel: the minimum relevance of a relevant document
    :returns: ``qid, group, relevant, share, skew``: a row for each topic and group, and for each
        group in all topics together (``qid`` is ``all``). A document of m groups counts 1/m towards
        each. ``skew`` is NaN if there are no relevant documents
    :raises ValueError: a topic is called ``all``

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b", "c"], "label": 1,
    ...                       "iteration": ["PRO", "PRO", "CON"]})
    >>> analysis.group_distribution(qrels).round(3)
       qid group  relevant  share   skew
    0    1   CON       1.0  0.333  0.082
    1    1   PRO       2.0  0.667  0.082
    2  all   CON       1.0  0.333  0.082
    3  all   PRO       2.0  0.667  0.082
    """
    if not isinstance(rel, (int, np.integer)):
        raise ValueError(f"rel={shown(rel)} is not possible; it takes a whole number")
    judgments = Judgments(loaded_qrels(qrels))
    annotations = annotations_of(judgments, groups, [rel])
    if ALL_TOPICS in judgments.topics:
        raise ValueError(f"a topic is called {ALL_TOPICS!r}, which is the name of the row of all "
                         "topics; rename the topic")
    labels = annotations.labels
    topics = len(judgments.topics)
    counts = np.zeros((topics + 1, len(labels)))
    shares = annotations.sets.shares(annotations.by_rel[rel], labels)
    np.add.at(counts, judgments.topic, shares)
    counts[-1] = counts.sum(axis=0)
    total = counts.sum(axis=1)
    shares = ratio(counts, total[:, None])
    size = len(labels)
    equal = np.full(size, 1 / max(size, 1))
    skew = arrays.kl(shares, equal)
    skew = np.maximum(skew, 0.0)
    skew[total == 0] = nan
    if size > 1:
        skew = skew / math.log2(size)
    qids = [*judgments.topics, ALL_TOPICS]
    index = pd.MultiIndex.from_product([qids, labels], names=["qid", "group"])
    table = index.to_frame(index=False)
    table["relevant"] = counts.ravel()
    table["share"] = shares.ravel()
    table["skew"] = np.repeat(skew, size)
    return table


def agreement(votes: pd.DataFrame) -> pd.DataFrame:
    """Return how far the annotators of documents agree: percent agreement and Fleiss' κ.

    The agreement on a document is the share of the pairs of its votes that are equal; that of all
    is the mean over documents. κ compares it with the agreement of annotators who vote at random,
    with the observed share of each label. Documents with one vote are left out.

    Source: Gezici et al. (2021), section 4.2 and table 3; Fleiss (1971).

    :param votes: ``docno, annotator, label`` or ``qid, docno, annotator, label``, a row for each
        vote. A missing or empty label, or ``-``, is no vote. To compare the labels of topics,
        give the topics as ``docno``.
    :returns: one row: ``documents, votes, agreement`` (from 0 to 1), ``kappa`` (at most 1; 0 is
        chance). ``kappa`` is NaN if all votes have the same label, and, with a warning, if the
        documents do not have equally many votes
    :raises ValueError: a column or an identifier is missing, an annotator has two votes for a
        document, or no document has two votes

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> votes = pd.DataFrame({"docno": ["a", "a", "a", "b", "b", "b"],
    ...                       "annotator": ["u", "v", "w"] * 2,
    ...                       "label": ["PRO", "CON", "PRO", "CON", "CON", "CON"]})
    >>> analysis.agreement(votes).round(3)
       documents  votes  agreement  kappa
    0          2      6      0.667   0.25
    """
    counts = vote_counts(votes)
    counts = counts[counts.sum(axis=1) > 1]
    if counts.empty:
        raise ValueError("no document has two votes, so there is no agreement to compute")
    n = counts.sum(axis=1).to_numpy()
    pairs = counts * (counts - 1)
    equal = pairs.sum(axis=1) / (n * (n - 1))
    kappa = nan
    if is_constant(n):
        from statsmodels.stats.inter_rater import fleiss_kappa
        with np.errstate(invalid="ignore"):
            kappa = fleiss_kappa(counts)
    else:
        warn("Fleiss' κ needs equally many votes for every document; the documents have "
             f"{listed(np.unique(n).tolist())} votes, "
             "so it is NaN. Take the documents with the same number of votes")
    row = {"documents": len(n), "votes": n.sum(), "agreement": equal.mean(), "kappa": kappa}
    return pd.DataFrame([row])


def undefined(qrels: pd.DataFrame, measures: Any) -> pd.DataFrame:
    """Return the topics for which a measure is undefined.

    These are the topics whose population is empty, or has one group although the measure compares
    two; and all topics if there is only one group, or if all groups are protected. Every system has
    the value 0.0 there; for a topic that the group source drops it is NaN.
    The examples show how to leave these topics out of a study.

    :param qrels: ``qid, docno, label, iteration`` (or ir_measures' names)
    :param measures: measures or their names; those of other packages are defined for every topic
    :returns: ``qid, measure``: a row for each topic and measure that is undefined there
    :raises ValueError: an unknown measure, or a wrong parameter

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> qrels = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["a", "b", "a"], "label": 1,
    ...                       "iteration": ["PRO", "CON", "PRO"]})
    >>> undefined = analysis.undefined(qrels, ["rND@5", "nDCG@5"])
    >>> undefined
      qid measure
    0   2   rND@5
    >>> perquery = pd.DataFrame({"name": "BM25", "qid": [1, 2], "measure": "rND@5",
    ...                          "value": [0.25, 0.0]})
    >>> rows = perquery.astype({"qid": "str"}).merge(undefined, how="left", indicator=True)
    >>> rows[rows["_merge"] == "left_only"].drop(columns="_merge")
       name qid measure  value
    0  BM25   1   rND@5   0.25
    """
    measures = [measure for measure in parsed(measures) if isinstance(measure, FairnessMeasure)]
    evaluator = FairnessEvaluator(measures, loaded_qrels(qrels))
    rows = []
    for measure, topics in evaluator.undefined().items():
        qids = itertools.compress(evaluator.topics, topics)
        rows += [(qid, str(measure)) for qid in qids]
    return pd.DataFrame(rows, columns=["qid", "measure"], dtype="str")


def ranked_groups(runs: RunInputs, qrels: pd.DataFrame,
                  groups: Any = None, depth: int | None = 10, *,
                  topics: Any = None) -> pd.DataFrame:
    """Return the groups of the top documents of every run, in trec_eval's order.

    :param runs: as of :func:`pt_fairness.evaluate`
    :param qrels: ``qid, docno, label`` (or ir_measures' names) and, without ``groups``,
        ``iteration``
    :param groups: the group source; by default the ``iteration`` of the qrels
    :param depth: the number of documents of a ranking; ``None`` for all
    :param topics: the topics of transformers, as of :func:`pt_fairness.evaluate`
    :returns: ``name, qid, rank`` (1, 2, …), ``docno, label`` (0 for an unjudged document),
        ``group``: a row for each group of a document, or one with a missing group if it has none
    :raises ValueError: a run that is no path and no frame, a column is missing, or ``depth`` is
        below 1

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": [1, 0],
    ...                       "iteration": ["PRO", "CON"]})
    >>> run = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "score": [0.5, 0.9]})
    >>> analysis.ranked_groups({"BM25": run}, qrels)
       name qid  rank docno  label group
    0  BM25   1     1     b      0   CON
    1  BM25   1     2     a      1   PRO
    """
    at_least(1, "depth", depth, "all documents")
    frames, judged = runs_and_qrels(runs, qrels, topics)
    judgments = Judgments(judged)
    annotations = annotations_of(judgments, groups)
    names = np.array([*annotations.labels, None], object)
    qids = np.array(judgments.topics, object)
    relevance = np.append(judgments.relevance, 0)  # of an unjudged document
    tables = []
    for name, run in runs_of(frames, judgments).items():
        ranked = annotations.of_run(run, depth)
        rows = first_rows(run, depth)
        member = ranked.sets.shares(ranked.codes[rows], annotations.labels) > 0
        member = np.column_stack([member, ~member.any(axis=1)])
        document, label = np.nonzero(member)
        rows = rows[document]
        table = pd.DataFrame({"name": name, "qid": qids[run.topic[rows]]})
        table["rank"] = run.place[rows] + 1
        table["docno"] = run.docnos(rows)
        table["label"] = relevance[run.pair[rows]]
        table["group"] = pd.Series(names[label], dtype="str")
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def group_effectiveness(runs: RunInputs, qrels: pd.DataFrame, measures: Any,
                        groups: str | Groups | None = None, of: Sequence[Any] | None = None,
                        others: Literal["irrelevant", "dropped"] = "irrelevant",
                        topics: Literal["common", "each", "all"] = "common") -> pd.DataFrame:
    """Return the effectiveness of every system for each group: means of ``OfGroup`` over topics.

    :param runs: frames by system name (``qid, docno, score``, or ir_measures' names; ``iteration``
        where a topic has several rankings)
    :param qrels: ``qid, docno, label`` (or ir_measures' names) and, without ``groups``,
        ``iteration``
    :param measures: measures of ir_measures or their names, such as ``"nDCG@10"``
    :param groups: the group source; by default the ``iteration`` of the qrels
    :param of: the groups to compare; by default those of any relevant document
    :param others: documents of other groups and of none: not relevant, or dropped (``OfGroup``)
    :param topics: the topics of the mean: ``'common'``, those that have a relevant document of
        each of the groups; ``'each'``, those that have one of this group; ``'all'``, where the
        value of undefined topics is 0, as in the means of ``pt.Experiment``. Topics that the
        group source drops are left out.
    :returns: ``name, measure, group, value`` (0 to 1; NaN without topics), ``n`` (the number of
        topics)
    :raises ValueError: a measure that ``OfGroup`` does not take, other ``topics``, or ``runs`` is
        no dictionary of frames

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": 1,
    ...                       "iteration": ["human", "llm"]})
    >>> run = pd.DataFrame({"qid": "1", "docno": ["b", "a"], "score": [2.0, 1.0]})
    >>> table = analysis.group_effectiveness({"BM25": run}, qrels, "RR")
    >>> table
       name measure  group  value  n
    0  BM25      RR  human    0.5  1
    1  BM25      RR    llm    1.0  1
    >>> analysis.group_gaps(table, first="human", second="llm").round(1)
       name measure  gap  ratio  worst worst_group  delta
    0  BM25      RR  0.5    0.5    0.5       human  -66.7
    """
    one_of("topics", topics, ("common", "each", "all"))
    judged = loaded_qrels(qrels)
    judgments = Judgments(judged)
    annotations = annotations_of(judgments, groups)
    labels = annotations.labels if of is None else distinct_labels(of, "of")
    options: dict[str, Any] = {"others": others}
    if groups is not None:
        options["groups"] = groups
    by_measure = {}
    for measure in parsed(measures):
        options["measure"] = measure
        by_measure[measure] = {label: OfGroup(group=label, **options) for label in labels}
    of_groups = [part for parts in by_measure.values() for part in parts.values()]
    evaluator = FairnessEvaluator(parsed(of_groups), judged)
    source = annotations.groups
    rows = []
    for name, run in runs_of(runs, judgments).items():
        scores = evaluator.parts(run)
        for measure, parts in by_measure.items():
            columns = {label: scores[part] for label, part in parts.items()}
            values = pd.DataFrame(columns, index=judgments.topics)
            if of is None:
                values = values.dropna(axis="columns", how="all")
            if source is not None and source.topics is not None:
                values = values[values.index.isin(source.topics)]
            if topics == "common":
                values = values.dropna()
            elif topics == "all":
                values = values.fillna(0.0)
            for label, column in values.items():
                rows.append((name, str(measure), label, column.mean(), column.count()))
    return pd.DataFrame(rows, columns=["name", "measure", "group", "value", "n"])


def group_gaps(table: pd.DataFrame, first: Any = None, second: Any = None) -> pd.DataFrame:
    """Return the differences between the groups in a table of :func:`group_effectiveness`.

    Relative Δ is the difference of two groups in percent of their mean. With the text of people
    first and that of language models second, a value below 0 says that the system favours the text
    of language models. The papers evaluate one run over both corpora, with ``topics='all'``.

    Source: Dai et al. (2024), Relative Δ; Dai et al. (2024b).

    :param table: ``name, measure, group, value``
    :param first: the first group of Relative Δ; ``None`` to leave that column out
    :param second: the second group
    :returns: ``name, measure, gap`` (maximum − minimum), ``ratio`` (minimum / maximum), ``worst``
        (minimum), ``worst_group`` (the first one of a tie) and, with two groups, ``delta``:
        100 · (first − second) / their mean, −200 to 200, 0 is equal. 0 / 0 is NaN, and so is what
        depends on a value that is NaN or missing.
    :raises ValueError: a missing column, a group twice, one of ``first`` and ``second`` without the
        other, or a group that is not in the table

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> table = pd.DataFrame({"name": "BM25", "measure": "nDCG@3", "group": ["human", "llm"],
    ...                       "value": [0.592657, 0.427606]})
    >>> analysis.group_gaps(table, "human", "llm").round(2)
       name measure   gap  ratio  worst worst_group  delta
    0  BM25  nDCG@3  0.17   0.72   0.43         llm  32.35
    """
    key = ["name", "measure"]
    need_columns(table, [*key, "group", "value"], "the table")
    if (first is None) != (second is None):
        raise ValueError(f"first={shown(first)} and second={shown(second)} are compared with each "
                         "other; give both or neither")
    repeated = table[table.duplicated([*key, "group"])]
    if len(repeated):
        raise ValueError(f"the table has several rows for {repeated.iloc[0].to_dict()}; keep one "
                         "of each system, measure and group")
    labels: Any = table["group"].map(label_text)
    pair = [] if first is None else [label_text(first), label_text(second)]
    if not set(pair) <= set(labels):
        raise ValueError(f"first={shown(first)} or second={shown(second)} is no group of the "
                         f"table; its groups are {listed(labels.unique())}")
    table = table.assign(group=labels, value=table["value"].astype(float))
    values = table.groupby(key, sort=False)["value"]
    largest = values.agg(pd.Series.max, skipna=False)
    smallest = values.agg(pd.Series.min, skipna=False)
    gaps = (largest - smallest).to_frame("gap")
    gaps["ratio"] = smallest / largest
    gaps["worst"] = smallest
    worst = values.agg(lambda part: labels[part.fillna(-inf).idxmin()])
    gaps["worst_group"] = worst.mask(smallest.isna())
    if pair:
        by_group = table.pivot(index=key, columns="group", values="value")
        x = by_group[pair[0]]
        y = by_group[pair[1]]
        difference = 200 * (x - y)
        gaps["delta"] = difference / (x + y)
    return gaps.reset_index()


def topic_groups(perquery: pd.DataFrame, groups: Any, method: Literal["t", "bca"] = "t",
                 confidence: float = 0.95, resamples: int = 9999, seed: int = 0,
                 undefined: Literal["count", "drop"] = "count") -> pd.DataFrame:
    """Return the mean of each system and measure in each group of topics, with an interval.

    A topic counts wholly in each of its groups. Topics without a group are left out, with one
    warning.

    :param perquery: ``name, qid, measure, value``, of any measures
    :param groups: a dictionary from topics to labels or lists of labels, a frame with the columns
        ``qid, group``, or a dictionary from names, such as ``'domain'`` and ``'type'``, to such
        dictionaries and frames: the groups are then their intersections, with labels ``a|b``
    :param method: as of :func:`intervals`, and so are ``confidence``, ``resamples``, ``seed`` and
        ``undefined``
    :returns: ``name, measure, group, n`` (topics with a value), ``mean, low, high``
    :raises ValueError: no topic of the frame has a group, a label that contains ``|`` in an
        intersection, or an option that :func:`intervals` does not take

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> perquery = pd.DataFrame({"name": "A", "qid": ["1", "2", "3", "4"], "measure": "rKL@10",
    ...                          "value": [0.1, 0.2, 0.3, 0.6]})
    >>> domains = {"1": "health", "2": "health", "3": "health", "4": ["sport", "law"]}
    >>> analysis.topic_groups(perquery, domains).round(3)
      name measure   group  n  mean    low   high
    0    A  rKL@10  health  3   0.2 -0.048  0.448
    1    A  rKL@10     law  1   0.6    NaN    NaN
    2    A  rKL@10   sport  1   0.6    NaN    NaN
    """
    check(confidence, resamples, method)
    frame = values_of(perquery, undefined)
    frame["cell"] = frame.groupby(["name", "measure"], sort=False).ngroup()
    frame = frame.merge(_members(groups, frame), on="qid")
    frame = frame.sort_values(["cell", "group"], kind="stable")
    keys = ["name", "measure", "group"]
    return mean_intervals(frame, keys, perquery, method, confidence, resamples, seed)


def topic_gaps(perquery: pd.DataFrame, groups: Any, resamples: int = 9999, seed: int = 0,
               undefined: Literal["count", "drop"] = "count") -> pd.DataFrame:
    """Return how much the mean of each system and measure differs between groups of topics.

    The p-value is that of a permutation test in which the topics exchange their groups. It tests
    whether the values have the same *distribution* in all groups, not only the same mean. Undefined
    topics count 0.0, which is perfectly fair for measures of unfairness; ``undefined='drop'``
    leaves them out.

    :param perquery: ``name, qid, measure, value``, of any measures
    :param groups: the groups of topics, as of :func:`topic_groups`
    :param resamples: the number of permutations; all are taken if there are at most as many
    :param seed: the seed of the permutations
    :param undefined: as of :func:`intervals`
    :returns: ``name, measure`` and

        * ``groups``: the number of groups with a value
        * ``worst, worst mean``: the group with the worst mean (the largest absolute one for signed
          measures) and its mean; missing if neither larger nor smaller values are better
        * ``range, sd``: the largest minus the smallest mean, and their standard deviation
        * ``gini``: the Gini coefficient of the means, from 0, equal. Measures of unfairness with
          the range [0, 1] enter as one minus the value; it is NaN for other measures of which less
          is better, for signed ones, for negative values, and if all means are 0
        * ``p``: the p-value of the test; NaN for one group and if all values are equal
        * ``chance``: the mean range over the permutations: the range without any difference
    :raises ValueError: no topic of the frame has a group, or an option that is not possible

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> perquery = pd.DataFrame({"name": "A", "qid": ["1", "2", "3", "4"], "measure": "rKL@10",
    ...                          "value": [0.1, 0.2, 0.3, 0.6]})
    >>> domains = {"1": "health", "2": "health", "3": "sport", "4": "sport"}
    >>> analysis.topic_gaps(perquery, domains).drop(columns=["name", "measure"]).round(3)
       groups  worst  worst mean  range    sd   gini      p  chance
    0       2  sport        0.45    0.3  0.15  0.107  0.333     0.2
    """
    check(0.95, resamples)
    frame = values_of(perquery, undefined)
    members = _members(groups, frame)
    frame = frame[frame["qid"].isin(members["qid"])]
    heads, values = by_topic(frame, ["name", "measure"])
    member = pd.crosstab(members["qid"], members["group"]).sort_index() > 0
    orders: dict[int, tuple[Ints, bool]] = {}
    rows = []
    for measure, y in zip(heads["measure"], values.T, strict=True):
        defined = ~np.isnan(y)
        size = int(defined.sum())
        if size not in orders:
            orders[size] = _orders(size, resamples, seed)
        of_topics = member[defined]
        of_topics = of_topics.loc[:, of_topics.any()]
        is_member = of_topics.to_numpy()
        gap = _gap(y[defined], is_member, of_topics.columns, measure, perquery)
        test = _permuted(y[defined], is_member, *orders[size])
        rows.append((*gap, *test))
    table = pd.DataFrame(rows, columns=["groups", "worst", "worst mean", "range", "sd", "gini", "p",
                                        "chance"])
    table = heads.join(table)
    table.attrs = dict(perquery.attrs)
    return table


def _source(groups: Any) -> sources.Groups:
    """Return groups of topics as a source whose documents are the topics."""
    if isinstance(groups, pd.DataFrame):
        need_columns(groups, ["qid", "group"], "the frame of topic groups")
        frame = groups[["qid", "group"]]
        return sources.from_frame(frame.rename(columns={"qid": "docno"}))
    if not isinstance(groups, Mapping) or not groups:
        raise ValueError(f"groups={shown(groups)} are a {type(groups).__name__}; groups of "
                         "topics are a dictionary from topics to labels, or a frame with the "
                         "columns qid and group")
    if not all(isinstance(part, (Mapping, pd.DataFrame)) for part in groups.values()):
        return sources.from_mapping(groups)
    parts = [_source(part) for part in groups.values()]
    if len(parts) == 1:
        return parts[0]
    return sources.product(*parts)


def _members(groups: Any, frame: pd.DataFrame) -> pd.DataFrame:
    """Return ``qid, group`` for each topic of a per-query frame and each of its groups.

    :raises ValueError: no topic has a group
    """
    topics = frame["qid"].unique()
    qids = topics.tolist()
    members = _source(groups).lookup([""] * len(qids), qids)
    lacking = np.setdiff1d(topics, members["docno"])
    if len(lacking) == len(topics):
        raise ValueError(f"no topic of the frame, such as {topics[0]!r}, has a group; check that "
                         "the ids match")
    if len(lacking):
        warn(f"{len(lacking)} of {len(topics)} topics (the first is {lacking[0]!r}) have no group "
             "and are left out")
    return members[["docno", "group"]].set_axis(["qid", "group"], axis=1)


def _gap(y: Floats, member: Bools, labels: Any, measure: str,
         perquery: pd.DataFrame) -> tuple[Any, ...]:
    """Return a row of the result, from ``groups`` to ``gini``.

    :param y: the values, ``[N]``
    :param member: the groups of each topic, ``[N, G]``
    """
    n = len(labels)
    if not n:
        return (0, None, *[nan] * 4)
    x = y @ member / member.sum(axis=0)
    direction = direction_of(measure, perquery)
    gini = _gini(x, y, direction, measure_of(measure, perquery))
    worst = None
    worst_mean = nan
    if direction is not None:
        distance = from_best(x, direction)
        place = distance.round(TIE_DECIMALS).argmax()
        worst = labels[place]
        worst_mean = x[place]
    return n, worst, worst_mean, np.ptp(x), x.std(), gini


def _gini(x: Floats, y: Floats, direction: str | None, measure: FairnessMeasure | None) -> float:
    """Return the Gini coefficient of means, NaN where it is not defined.

    :param x: the means, ``[G]``
    :param y: the values, ``[N]``
    """
    if direction == SMALLER and measure is not None and tuple(measure.RANGE) == (0, 1):
        x = 1 - x
        y = 1 - y
    elif direction != LARGER:
        return nan
    n = len(x)
    total = n * x.sum()
    if y.min().round(TIE_DECIMALS) < 0 or total.round(TIE_DECIMALS) <= 0:
        return nan
    weights = 2 * np.arange(n) + 1 - n
    return weights @ np.sort(x) / total


def _permuted(y: Floats, member: Bools, orders: Ints, complete: bool) -> tuple[float, float]:
    """Return the p-value and the mean range of group means under permutations.

    :param y: the values of the topics, sorted by id, ``[N]``
    :param member: the groups of each topic, ``[N, G]``
    :param orders: the topic whose value each topic takes, ``[permutations, N]``
    :param complete: whether these are all permutations
    """
    groups = member.shape[1]
    if groups < 2 or is_constant(y):
        return nan, 0.0 if groups else nan
    size = member.sum(axis=0)
    values = np.vstack([y, y[orders]])
    means = values @ member / size
    squares = (means - y.mean()) ** 2
    spread = (squares @ size).round(TIE_DECIMALS)
    hits = (spread[1:] >= spread[0]).sum()
    # The order of the topics is one of all permutations, and one more beside random ones.
    itself = 0 if complete else 1
    ranges = np.ptp(means[1:], axis=1)
    p = (itself + hits) / (itself + len(orders))
    return float(p), float(ranges.mean())


def _orders(size: int, resamples: int, seed: int) -> tuple[Ints, bool]:
    """Return permutations of topics, and whether these are all, which are at most ``resamples``."""
    if math.factorial(size) <= resamples:
        return np.array(list(itertools.permutations(range(size)))), True
    rng = np.random.default_rng(seed)
    return rng.random((resamples, size)).argsort(axis=1), False
