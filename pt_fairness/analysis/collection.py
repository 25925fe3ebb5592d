"""What a collection has: groups per topic, topics that are undefined, groups at the ranks of a run."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness import groups as sources
from pt_fairness import numerics
from pt_fairness.analysis.tables import parsed
from pt_fairness.io import need_columns, qrels_columns
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.scoring import rels_of, score
from pt_fairness.provider.evaluator import check_labels
from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.judgments import Judgments
from pt_fairness.rankings.rankings import Rankings
from pt_fairness.rankings.run import Run
from pt_fairness.rankings.view import View
from pt_fairness.text import warn

#: The row of a collection as a whole beside those of its topics, as trec_eval calls it.
ALL_TOPICS = "all"


def judgments_of(qrels: pd.DataFrame) -> Judgments:
    """Qrels with PyTerrier's column names or ir_measures' as arrays."""
    qid, docno, label = qrels_columns(qrels)
    return Judgments(qrels.rename(columns={qid: "query_id", docno: "doc_id", label: "relevance"}))


def annotations_of(judgments: Judgments, source: Any, rels: Iterable[int | None] = (),
                   added: Iterable[str] = ()) -> Annotations:
    """The groups of a source, or those in the qrels where it is ``None``."""
    return Annotations(judgments, None if source is None else sources.get(source), rels, added)


def tell(cause: str, message: str) -> None:
    """Warn, whatever the cause."""
    warn(message)


def _without_run(annotations: Annotations) -> Rankings:
    """The topics as a run sees them that returns nothing."""
    nothing = pd.DataFrame({"query_id": pd.Series(dtype="str"), "doc_id": pd.Series(dtype="str"),
                            "score": pd.Series(dtype=float)})
    run = Run(nothing, annotations.judgments, tell)
    return annotations.rankings(run, annotations.of_run(run, 0))


def group_distribution(qrels: pd.DataFrame, groups: str | sources.Groups | None = None, rel: int = 1) -> pd.DataFrame:
    """How many relevant documents every topic has of every group, and how skewed that is: the potential bias of a collection.

    Source: Das & Lease (2019), section 5.1 and figure 1, for the counts; how skewed they are is put into a number here.

    :param qrels: ``qid, docno, label`` (or ir_measures' names) and, without ``groups``, ``iteration``
    :param groups: where the groups come from; by default ``iteration``
    :param rel: smallest relevance that counts
    :returns: ``qid, group, relevant, share, skew``: a row for every topic and group, and for all topics together (``qid`` is
        ``all``). A document of m groups counts 1/m towards each. ``skew`` is that of the topic: 0 where every group has as many
        documents, 1 where one group has all (one minus the entropy of the shares by its maximum); NaN without any
    :raises ValueError: a topic is called ``all``
    """
    annotations = annotations_of(judgments_of(qrels), groups, [rel])
    if ALL_TOPICS in annotations.judgments.topics:
        raise ValueError(f"a topic is called {ALL_TOPICS!r}, which here means all of them; give it another name")
    views = list(View.blocks(_without_run(annotations).labelled()))
    counts = np.vstack([view.relevant(rel) @ view.share for view in views])
    counts = np.vstack([counts, counts.sum(axis=0)])
    total = counts.sum(axis=1)
    shares = numerics.ratio(counts, total[:, None])
    size = len(annotations.labels)
    skew = numerics.kl(shares, np.full(size, 1 / max(size, 1))) / (math.log2(size) if size > 1 else 1.0)
    return pd.DataFrame({"qid": np.repeat([*annotations.judgments.topics, ALL_TOPICS], size),
                         "group": annotations.labels * len(counts), "relevant": counts.reshape(-1), "share": shares.reshape(-1),
                         "skew": np.repeat(np.where(total > 0, np.maximum(skew, 0.0), np.nan), size)})


def without_groups(measures: Any, caller: str, labels: str) -> list[FairnessMeasure]:
    """Measures of this package that do not say where the groups come from.

    :param caller: the function that takes no others, for the error
    :param labels: where the groups come from there, for the error
    :raises ValueError: any other measure, a wrong parameter, no measure at all
    """
    wanted = parsed(measures)
    if not wanted:
        raise ValueError(f"measures={measures!r}: {caller} needs at least one measure")
    for measure in wanted:
        if not isinstance(measure, FairnessMeasure) or measure.param("groups") is not None:
            raise ValueError(f"{measure} is not possible here: {caller} takes measures of this package without a groups "
                             f"parameter; {labels}")
    return wanted


def undefined(qrels: pd.DataFrame, measures: Any) -> pd.DataFrame:
    """Which topics are undefined for which measure: those whose population is empty, or has one group where it takes two.

    Their value is 0.0 for every system (NaN for topics that a group source drops). To leave them out of a study::

        frame = perquery.astype({"qid": "str"})  # topics are numbers in a frame that was read from a file
        kept = frame.merge(undefined(qrels, measures), how="left", indicator=True).query("_merge == 'left_only'")

    :param qrels: ``qid, docno, label, iteration`` (or ir_measures' names)
    :param measures: measures or their names; those of other packages are always defined here
    :returns: ``qid, measure``, a row for each undefined pair
    :raises ValueError: a measure that is not known, or not possible
    """
    judgments = judgments_of(qrels)
    wanted = [one for one in parsed(measures) if isinstance(one, FairnessMeasure)]
    rows = []
    for measure in wanted:
        annotations = annotations_of(judgments, measure.param("groups"), rels_of([measure]), measure.added_labels)
        check_labels(measure, annotations, tell)
        nothing = np.isnan(score([measure], _without_run(annotations))[measure])
        if annotations.groups is not None and annotations.groups.topics is not None:
            nothing |= ~np.isin(judgments.topics, annotations.groups.topics)
        rows += [(judgments.topics[topic], str(measure)) for topic in np.flatnonzero(nothing)]
    return pd.DataFrame(rows, columns=["qid", "measure"], dtype="str")


def ranked(runs: Mapping[str, pd.DataFrame], judgments: Judgments, caller: str) -> dict[str, Run]:
    """Runs with PyTerrier's column names or ir_measures', each in trec_eval's order.

    :param caller: the function that takes them, for the error
    :raises ValueError: something else than frames by name; a column is missing
    """
    if not isinstance(runs, Mapping):
        raise ValueError(f"{caller} takes a dictionary from the names of systems to their runs, "
                         f"such as {{'BM25': run}}, not a {type(runs).__name__}")
    found = {}
    for name, run in runs.items():
        if not isinstance(run, pd.DataFrame):
            raise ValueError(f"the run {name!r} is a {type(run).__name__}; {caller} takes "
                             "DataFrames, and pt_fairness.read_run reads a file into one")
        frame = run.rename(columns={"query_id": "qid", "doc_id": "docno"})
        need_columns(frame, ["qid", "docno", "score"], f"the run {name!r}")
        found[name] = Run(frame.rename(columns={"qid": "query_id", "docno": "doc_id"}), judgments,
                          tell)
    return found


def ranked_groups(runs: Mapping[str, pd.DataFrame], qrels: pd.DataFrame, groups: str | sources.Groups | None = None,
                  depth: int | None = 10) -> pd.DataFrame:
    """The groups of the first documents of every list, in the order in which the measures see them: trec_eval's.

    :param runs: frames by system name (``qid, docno, score``, or ir_measures' names)
    :param qrels: ``qid, docno, label`` (or ir_measures' names) and, without ``groups``, ``iteration``
    :param groups: where the groups come from; by default ``iteration``
    :param depth: how many documents of a list; ``None`` for all
    :returns: ``name, qid, rank`` (1, 2, …), ``docno, label`` (0 where it is not judged), ``group``: a row for each of a
        document's groups; one without a group where it has none
    :raises ValueError: runs that are no frames by name, or without one of these columns
    """
    annotations = annotations_of(judgments_of(qrels), groups)
    judgments = annotations.judgments
    parts = []
    for name, run in ranked(runs, judgments, "ranked_groups").items():
        found = annotations.of_run(run, depth)
        rows = np.flatnonzero(run.place < (math.inf if depth is None else depth))
        codes = found.codes[rows]
        member = found.sets.shares(np.maximum(codes, 0), annotations.labels) > 0
        member &= (codes >= 0)[:, None]
        member = np.column_stack([member, ~member.any(axis=1)])
        document, label = np.nonzero(member)
        rows = rows[document]
        pair = run.pair[rows]
        parts.append(pd.DataFrame({
            "name": name, "qid": np.array(judgments.topics, dtype=object)[run.topic[rows]], "rank": run.place[rows] + 1,
            "docno": run.docnos(rows), "label": np.where(pair >= 0, judgments.relevance[pair], 0),
            "group": pd.Series(np.array([*annotations.labels, None], dtype=object)[label], dtype="str")}))
    columns = ["name", "qid", "rank", "docno", "label", "group"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)
