"""Properties of a collection: groups by topic, agreement, undefined topics, groups at the ranks."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.analysis.inputs import (
    annotations_of,
    judgments_of,
    renamed_qrels,
    runs_of,
    systems_of,
)
from pt_fairness.core import arrays, divergences
from pt_fairness.core.messages import at_least, listed, shown, warn
from pt_fairness.groups import Groups
from pt_fairness.groups.votes import vote_counts
from pt_fairness.io.run_files import RunInputs
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.provider.evaluator import FairnessEvaluator
from pt_fairness.provider.parsing import parsed

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
    annotations = annotations_of(judgments_of(qrels), groups, [rel])
    topics = annotations.judgments.topics
    if ALL_TOPICS in topics:
        raise ValueError(f"a topic is called {ALL_TOPICS!r}, which is the name of the row of all "
                         "topics; rename the topic")
    size = len(annotations.labels)
    counts = np.zeros((len(topics) + 1, size))
    np.add.at(counts, annotations.judgments.topic,
              annotations.sets.shares(annotations.by_rel[rel], annotations.labels))
    counts[-1] = counts.sum(axis=0)
    total = counts.sum(axis=1)
    shares = arrays.ratio(counts, total[:, None])
    skew = divergences.kl(shares, np.full(size, 1 / max(size, 1)))
    skew = np.maximum(skew / (math.log2(size) if size > 1 else 1.0), 0.0)
    return pd.DataFrame({"qid": np.repeat([*topics, ALL_TOPICS], size),
                         "group": annotations.labels * len(counts),
                         "relevant": counts.reshape(-1), "share": shares.reshape(-1),
                         "skew": np.repeat(np.where(total > 0, skew, np.nan), size)})


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
    n, kappa = counts.sum(axis=1).to_numpy(), np.nan
    equal = (counts * (counts - 1)).sum(axis=1) / (n * (n - 1))
    if (n == n[0]).all():
        from statsmodels.stats.inter_rater import fleiss_kappa
        with np.errstate(invalid="ignore"):
            kappa = fleiss_kappa(counts)
    else:
        warn("Fleiss' κ needs equally many votes for every document; the documents have "
             f"{listed(sorted(set(n.tolist())))} votes, "
             "so it is NaN. Take the documents with the same number of votes")
    return pd.DataFrame({"documents": [len(n)], "votes": [n.sum()], "agreement": [equal.mean()],
                         "kappa": [kappa]})


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
    wanted = [one for one in parsed(measures) if isinstance(one, FairnessMeasure)]
    evaluator = FairnessEvaluator(wanted, renamed_qrels(qrels))
    rows = [(evaluator.topics[topic], str(measure))
            for measure, topics in evaluator.undefined().items()
            for topic in np.flatnonzero(topics)]
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
    frames, qrels = systems_of(runs, qrels, topics)
    annotations = annotations_of(judgments_of(qrels), groups)
    judgments = annotations.judgments
    topics = np.array(judgments.topics, dtype=object)
    labels = np.array([*annotations.labels, None], dtype=object)
    parts = []
    for name, run in runs_of(frames, judgments).items():
        found = annotations.of_run(run, depth)
        rows = np.flatnonzero(run.place < (math.inf if depth is None else depth))
        member = found.sets.shares(found.codes[rows], annotations.labels) > 0
        document, label = np.nonzero(np.column_stack([member, ~member.any(axis=1)]))
        rows = rows[document]
        pair = run.pair[rows]
        parts.append(pd.DataFrame({
            "name": name, "qid": topics[run.topic[rows]], "rank": run.place[rows] + 1,
            "docno": run.docnos(rows), "label": np.where(pair >= 0, judgments.relevance[pair], 0),
            "group": pd.Series(labels[label], dtype="str")}))
    return pd.concat(parts, ignore_index=True)
