"""Statistics by group of documents and of topics: counts, effectiveness, differences of means."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from math import nan
from typing import Any, Literal

import numpy as np
import pandas as pd

from pt_fairness.analysis.exposure import gini
from pt_fairness.analysis.inputs import (
    LARGER,
    SMALLER,
    direction,
    distance,
    fairness_measure,
    first_rows,
    group_annotations,
    is_constant,
    kept_annotations,
    loaded_qrels,
    per_query,
    ranked_runs,
    runs_and_qrels,
    topic_memberships,
)
from pt_fairness.analysis.statistics import RESAMPLES, matrix
from pt_fairness.core import arrays
from pt_fairness.core.arrays import TIE_DECIMALS, Bools, Floats
from pt_fairness.core.messages import (
    at_least,
    distinct_labels,
    is_whole,
    label_text,
    one_of,
    shown,
    warn,
)
from pt_fairness.groups import Groups
from pt_fairness.groups.sources import vote_counts
from pt_fairness.io.files import need_columns
from pt_fairness.io.runs import RunInputs
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
        each. ``skew`` is NaN without relevant documents
    :raises ValueError: if a topic is called ``all``, or ``rel`` is not a whole number

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
    if not is_whole(rel):
        raise ValueError(f"rel must be a whole number, got {shown(rel)}")
    judgments = Judgments(loaded_qrels(qrels))
    if ALL_TOPICS in judgments.topics:
        raise ValueError(f"topics must not be called {ALL_TOPICS!r}, which stands for all topics")
    annotations = group_annotations(judgments, groups, [rel])
    labels = annotations.labels
    size = len(labels)
    codes = annotations.judged_codes[rel]
    relevant = annotations.sets.shares(codes, labels)
    topics = judgments.names[judgments.topic]
    counts = pd.DataFrame(relevant, topics, labels)
    counts = counts.groupby(level=0, sort=False).sum()
    counts.loc[ALL_TOPICS] = counts.sum()
    total = counts.sum(axis=1)
    shares = counts.div(total, axis=0)
    equal = np.full(size, 1 / size)
    number = max(size, 2)
    largest = np.log2(number)
    skew = arrays.kl(shares.to_numpy(), equal) / largest
    cells = counts.stack(future_stack=True).rename_axis(["qid", "group"])
    table = cells.reset_index(name="relevant")
    shares = shares.fillna(0.0)
    table["share"] = shares.to_numpy().ravel()
    table["skew"] = np.repeat(skew, size)
    return table


def agreement(votes: pd.DataFrame) -> pd.DataFrame:
    """Return how far the annotators of documents agree: percent agreement and Fleiss' κ.

    The agreement on a document is the share of the pairs of its votes that are equal, and
    ``agreement`` is its mean over documents. κ compares it with the agreement of annotators who
    vote at random, with the observed share of each label. Documents with one vote are left out.

    Source: Gezici et al. (2021), section 4.2 and table 3; Fleiss (1971).

    :param votes: ``docno, annotator, label`` or ``qid, docno, annotator, label``, a row for each
        vote. Rows with a missing or empty label, or ``-``, are ignored. To compare the labels of
        topics, give the topics as ``docno``.
    :returns: one row: ``documents, votes, agreement`` (from 0 to 1), ``kappa`` (at most 1; 0 is
        chance). ``kappa`` is NaN if all votes have the same label, and, with a warning, if the
        documents do not have equally many votes
    :raises ValueError: if a column or an identifier is missing, an annotator has two votes for a
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
    from statsmodels.stats.inter_rater import fleiss_kappa
    counts = vote_counts(votes)
    counts = counts[counts.sum(axis=1) > 1]
    n = counts.sum(axis=1)
    if n.empty:
        raise ValueError("votes must have two votes for some document, got one for each")
    equal_pairs = counts * (counts - 1)
    pairs = n * (n - 1)
    equal = equal_pairs.sum(axis=1) / pairs
    kappa = nan
    if n.nunique() == 1:
        with np.errstate(invalid="ignore"):
            kappa = fleiss_kappa(counts)
    else:
        warn("Fleiss' κ needs equally many votes for every document, so it is NaN; choose the "
             "documents with the same number of votes")
    row = {"documents": len(n), "votes": n.sum()}
    agreement = equal.mean()
    row |= {"agreement": agreement, "kappa": kappa}
    return pd.DataFrame([row])


def undefined(qrels: pd.DataFrame, measures: Any) -> pd.DataFrame:
    """Return the topics for which a measure is undefined.

    These are the topics whose population is empty, or has one group although the measure compares
    two; and all topics if there is only one group, or if all groups are protected. Every system has
    the value 0.0 there; for a topic that the group source drops it is NaN. The examples show how to
    leave these topics out of a study.

    :param qrels: ``qid, docno, label, iteration`` (or ir_measures' names)
    :param measures: measures or their names; measures of other packages are defined for every topic
    :returns: ``qid, measure``: a row for each topic and measure that is undefined there
    :raises ValueError: if a measure is unknown, or a parameter is wrong

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
        name = str(measure)
        qids = itertools.compress(evaluator.topics, topics)
        rows += [(qid, name) for qid in qids]
    return pd.DataFrame(rows, columns=["qid", "measure"], dtype="str")


def ranked_groups(runs: RunInputs, qrels: pd.DataFrame,
                  groups: Any = None, depth: int | None = 10, *,
                  topics: Any = None) -> pd.DataFrame:
    """Return the groups of the top documents of every run, in trec_eval's order.

    :param runs: the runs, in any form that :func:`pt_fairness.evaluate` reads
    :param qrels: ``qid, docno, label`` (or ir_measures' names) and, without ``groups``,
        ``iteration``
    :param groups: the group source; by default the ``iteration`` of the qrels
    :param depth: the number of documents of a ranking; ``None`` for all
    :param topics: the topics of transformers
    :returns: ``name, qid, rank`` (1, 2, …), ``docno, label`` (0 for an unjudged document),
        ``group``: a row for each group of a document, or one with a missing group if it has none
    :raises ValueError: if a run is neither a path nor a frame, a column is missing, or ``depth`` is
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
    annotations = group_annotations(judgments, groups)
    labels = np.array(annotations.labels, object)
    relevance = np.append(judgments.relevance, 0)  # of an unjudged document
    tables = []
    for name, run in ranked_runs(frames, judgments).items():
        ranked = annotations.rankings(run, depth)
        rows = first_rows(run, depth)
        codes = ranked.codes[rows]
        shares = ranked.sets.shares(codes, annotations.labels)
        document, label = shares.nonzero()
        groups = pd.Series(labels[label], document, "str", "group")
        topic = judgments.names[run.topic[rows]]
        table = pd.DataFrame({"name": name, "qid": topic})
        table["rank"] = run.place[rows] + 1
        table["docno"] = run.docnos(rows)
        pair = run.pair[rows]
        table["label"] = relevance[pair]
        tables.append(table.join(groups))
    return pd.concat(tables, ignore_index=True)


def group_effectiveness(runs: RunInputs, qrels: pd.DataFrame, measures: Any,
                        groups: str | Groups | None = None, of: Sequence[Any] | None = None,
                        others: Literal["irrelevant", "dropped"] = "irrelevant",
                        topics: Literal["common", "each", "all"] = "common") -> pd.DataFrame:
    """Return the effectiveness of every system for each group: means of ``OfGroup`` over topics.

    :param runs: the runs, in any form that :func:`pt_fairness.evaluate` reads but transformers;
        also with several rankings of a topic
    :param qrels: ``qid, docno, label`` (or ir_measures' names) and, without ``groups``,
        ``iteration``
    :param measures: measures of ir_measures or their names, such as ``"nDCG@10"``
    :param groups: the group source; by default the ``iteration`` of the qrels
    :param of: the groups to compare; by default the groups of relevant documents
    :param others: documents of other groups and of none: not relevant, or dropped (``OfGroup``)
    :param topics: the topics of the mean: ``'common'``, those that have a relevant document of
        each of the groups; ``'each'``, those that have one of this group; ``'all'``, where the
        value of undefined topics is 0, as in the means of ``pt.Experiment``. Topics that the
        group source drops are left out.
    :returns: ``name, measure, group, value`` (0 to 1; NaN without topics), ``n`` (the number of
        topics)
    :raises ValueError: if ``OfGroup`` does not accept a measure, ``topics`` is unknown, or ``runs``
        is empty

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
    annotations = kept_annotations(judged, groups, [])
    labels = annotations.labels if of is None else distinct_labels(of, "of")
    pairs = itertools.product(parsed(measures), labels)
    source = {} if groups is None else {"groups": groups}
    parts = [OfGroup(measure=measure, group=label, others=others, **source)
             for measure, label in pairs]
    evaluator = FairnessEvaluator(parsed(parts), judged)
    columns = {}
    for name, run in ranked_runs(runs, evaluator.judgments).items():
        for part, scores in evaluator.parts(run).items():
            columns[name, str(part.inner), part["group"]] = scores
    values = pd.DataFrame(columns, evaluator.topics)
    values = values.loc[annotations.judgments.topics]
    if of is None:
        values = values.dropna(axis="columns", how="all")
    if topics == "all":
        values = values.fillna(0.0)
    if topics == "common":
        lacking = values.isna().T.groupby(level=[0, 1]).transform("any")
        values = values.mask(lacking.T)
    means = values.mean().rename_axis(["name", "measure", "group"])
    table = means.reset_index(name="value")
    n = values.count()
    return table.assign(n=n.to_numpy())


def group_gaps(table: pd.DataFrame, first: Any = None, second: Any = None) -> pd.DataFrame:
    """Return the differences between the groups in a table of :func:`group_effectiveness`.

    Relative Δ is the difference of two groups in percent of their mean. With the text of people
    first and the text of language models second, a value below 0 says that the system favours the
    text of language models. The papers evaluate one run over both corpora, with ``topics='all'``.

    Source: Dai et al. (2024), Relative Δ; Dai et al. (2024b).

    :param table: ``name, measure, group, value``
    :param first: the first group of Relative Δ; ``None`` to leave that column out
    :param second: the second group
    :returns: ``name, measure, gap`` (maximum − minimum), ``ratio`` (minimum / maximum), ``worst``
        (minimum), ``worst_group`` (the first one of a tie) and, with two groups, ``delta``:
        100 · (first − second) / their mean, −200 to 200, 0 is equal. 0 / 0 is NaN, and so is what
        depends on a value that is NaN or missing.
    :raises ValueError: if a column is missing, a system has two rows of a measure and group, one of
        ``first`` and ``second`` lacks the other, or a group is not in the table

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
    table = table.assign(group=table["group"].map(label_text))
    values = table.pivot(index=key, columns="group", values="value")  # refuses repeated rows
    systems = table.groupby(key, sort=False)["value"]
    largest = systems.agg(pd.Series.max, skipna=False)
    smallest = systems.agg(pd.Series.min, skipna=False)
    gaps = pd.DataFrame({"gap": largest - smallest})
    gaps["ratio"] = smallest / largest
    gaps["worst"] = smallest
    ascending = table.sort_values("value", kind="stable")
    worst = ascending.groupby(key)["group"].first()
    gaps["worst_group"] = worst.mask(smallest.isna())
    if (first, second) != (None, None):
        first = label_text(first)
        second = label_text(second)
        one_of("first", first, values.columns)
        one_of("second", second, values.columns)
        total = values[first] + values[second]
        difference = values[first] - values[second]
        gaps["delta"] = 200 * difference / total
    return gaps.reset_index()


#: The columns of :func:`topic_gaps` behind ``name`` and ``measure``.
GAPS = ["groups", "worst", "worst mean", "range", "sd", "gini", "p", "chance"]


def topic_gaps(perquery: pd.DataFrame, groups: Any, resamples: int = RESAMPLES,
               seed: int = 0) -> pd.DataFrame:
    """Return how much the mean of each system and measure differs between groups of topics.

    In the permutation test, the topics exchange their groups. The test is whether the values have
    the same *distribution* in all groups, not only the same mean. Topics without a value (NaN) are
    left out.

    :param perquery: ``name, qid, measure, value``, of any measures
    :param groups: the groups of topics, in any form of ``by`` of
        :func:`~pt_fairness.analysis.intervals`
    :param resamples: the number of random permutations; all permutations if there are no more
    :param seed: the seed of the permutations
    :returns: ``name, measure`` and

        * ``groups``: the number of groups with a value
        * ``worst, worst mean``: the group with the worst mean (the largest absolute one for signed
          measures) and its mean; missing if neither larger nor smaller values are better
        * ``range, sd``: the largest minus the smallest mean, and their standard deviation
        * ``gini``: the Gini coefficient of the means, from 0, equal. Measures of unfairness with
          the range [0, 1] enter as one minus the value; it is NaN for other measures of which less
          is better, for signed ones, for negative values, and if all means are 0
        * ``p``: the p-value of the test; NaN for one group and if all values are equal
        * ``chance``: the mean range over the permutations, expected if the groups do not differ
    :raises ValueError: if no topic of the frame has a group, or ``resamples`` is below 1

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
    at_least(1, "resamples", resamples)
    frame = per_query(perquery)
    members = topic_memberships(groups, frame)
    has_group = frame["qid"].isin(members["qid"])
    frame = frame[has_group]
    heads, values = matrix(frame, ["name", "measure"])
    member = pd.crosstab(members["qid"], members["group"]) > 0
    rows = []
    for measure, y in zip(heads["measure"], values.T, strict=True):
        defined = ~np.isnan(y)
        present = member[defined]
        present = present.loc[:, present.any()]
        row = {"groups": present.shape[1]}
        y = y[defined]
        if len(y):
            row |= _gap(y, present, measure)
            row |= _permuted(y, present.to_numpy(), resamples, seed)
        rows.append(row)
    gaps = pd.DataFrame(rows, columns=GAPS)
    return heads.join(gaps)


def _gap(y: Floats, member: pd.DataFrame, measure: str) -> dict[str, Any]:
    """Return the statistics of the means of groups, by column; undefined ones are missing.

    :param y: the values, ``[N]``
    :param member: whether each topic is in each group, ``[N, G]``
    """
    totals = y @ member.to_numpy()
    x = totals / member.sum()
    gap = {"range": np.ptp(x), "sd": x.std(ddof=0)}
    end = direction(measure)
    if end is not None:
        worst = distance(x, end).round(TIE_DECIMALS).idxmax()
        gap |= {"worst": worst, "worst mean": x[worst]}
    unfairness = fairness_measure(measure)
    if end == SMALLER and unfairness is not None and tuple(unfairness.RANGE) == (0, 1):
        x = 1 - x
    elif end != LARGER or y.min().round(TIE_DECIMALS) < 0:
        return gap
    if x.sum().round(TIE_DECIMALS):
        gap["gini"] = gini(x.to_numpy(), len(x))
    return gap


def _permuted(y: Floats, member: Bools, resamples: int, seed: int) -> dict[str, float]:
    """Return the columns ``p`` and ``chance`` of the permutation test.

    :param y: the values of the topics, ``[N]``
    :param member: whether each topic is in each group, ``[N, G]``
    """
    if member.shape[1] == 1 or is_constant(y):
        return {"chance": 0.0}
    from scipy import stats
    size = member.sum(axis=0)

    def spread_and_range(values: Floats, axis: int) -> Floats:
        x = values @ member / size
        mean = y.mean()
        distances = (x - mean) ** 2
        spread = distances @ size
        both = np.stack([spread, np.ptp(x, axis)], axis)
        return both.round(TIE_DECIMALS)

    rng = np.random.default_rng(seed)
    test = stats.permutation_test([y], spread_and_range, permutation_type="pairings",
                                  vectorized=True, n_resamples=resamples, alternative="greater",
                                  random_state=rng)
    ranges = test.null_distribution[:, 1]
    return {"p": test.pvalue[0], "chance": ranges.mean()}
