"""The arguments of an evaluation: its runs, qrels, measures and groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from pt_fairness import groups as sources
from pt_fairness import targets
from pt_fairness.analysis.inputs import frames_of, renamed_qrels
from pt_fairness.core.identifiers import texts_of, with_text_ids
from pt_fairness.core.labels import TARGET_WORDS, TREC_DEFAULTS
from pt_fairness.core.messages import first_names, warn
from pt_fairness.groups import Groups, Memberships
from pt_fairness.io.document_files import load_qrels, of_topics
from pt_fairness.io.run_files import NamedRuns, RunInput, RunInputs, named
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.params import PROTECTED_WORDS
from pt_fairness.provider.parsing import parsed, reads_subtopics, takes_groups


def inputs_of(runs: RunInputs, qrels: Any, measures: Any, last: Sequence[Any], topics: Any,
              groups: Any, names: Sequence[str] | None, progress: bool,
              topics_needed: bool = True) \
        -> tuple[NamedRuns, pd.DataFrame, list[Any], Any]:
    """Return the runs, the qrels, the measures and the group source of an evaluation.

    :param qrels: qrels, or ``None`` for measures that need no relevance
    :param last: the measures, if the arguments are in the order of ``pt.Experiment``: then
        ``qrels`` holds the topics and ``measures`` the qrels
    :param topics_needed: whether topics without transformers are an error
    :raises TypeError: more arguments than those of ``pt.Experiment``, or topics twice
    :raises ValueError: what :func:`named` raises, or qrels that a measure needs are missing
    """
    if last:
        if len(last) > 1 or topics is not None:
            raise TypeError("the arguments are (runs, qrels, measures), or (systems, topics, "
                            "qrels, measures) without topics=; the others are given by name")
        topics, qrels, measures = qrels, measures, last[0]
    wanted = parsed(measures)
    by_name = named(runs, names, topics, progress, topics_needed)
    if qrels is None:
        needing = [str(one) for one in wanted if needs_qrels(one)]
        if needing:
            raise ValueError(f"{first_names(needing)} cannot be computed without qrels, because "
                             "the value depends on judged documents; give qrels, or leave the "
                             "measure out")
        by_name.update(frames_of(by_name))
        judged = pd.concat([run[["query_id", "doc_id"]].assign(
            query_id=texts_of(run["query_id"]), doc_id=texts_of(run["doc_id"]), relevance=1)
            for run in by_name.values() if isinstance(run, pd.DataFrame)]).drop_duplicates()
    else:
        judged = of_topics(load_qrels(qrels), by_name.topics)
    if groups is None and any(takes_groups(one) or reads_subtopics(one) for one in wanted):
        groups = _groups_of_columns(by_name, judged)
        if groups is None and qrels is None:
            raise ValueError(f"{first_names([str(one) for one in wanted if takes_groups(one)])}: "
                             "without qrels, the groups are in groups= or in a column group of "
                             "the runs")
    return by_name, judged, wanted, groups


def needs_qrels(measure: Any) -> bool:
    """Return whether the value of a measure depends on judged documents."""
    parts = measure.parts if isinstance(measure, FairnessMeasure) else []
    if list(parts) != [measure]:
        return not parts or any(map(needs_qrels, parts))
    target, rarest = measure.target_word, measure.param("protected") in PROTECTED_WORDS[:2]
    return (measure.RELEVANCE or measure.JUDGED or measure.param("background") == "qrels"
            or target in ("qrels", "collection") or (rarest and measure.POPULATION == "relevant")
            or (isinstance(target, str) and target not in TARGET_WORDS
                and bool(targets.find(target).of_qrels)))


def _groups_of_columns(runs: Mapping[str, RunInput], qrels: pd.DataFrame) -> Groups | None:
    """Return the groups in the columns ``group`` of runs and qrels, and warn that they are used.

    :returns: ``None`` if there is no such column, or if the qrels have groups in ``iteration``
    :raises ValueError: two frames give a document other groups
    """
    if "iteration" in qrels and not set(qrels["iteration"].astype(str)) <= TREC_DEFAULTS:
        return None
    frames = {name: run.rename(columns={"query_id": "qid", "doc_id": "docno"})
              for name, run in {"the qrels": qrels, **runs}.items()
              if isinstance(run, pd.DataFrame) and "group" in run}
    if not frames:
        return None
    every = pd.concat({name: frame[["qid", "docno", "group"]].explode("group").drop_duplicates()
                       for name, frame in frames.items()}, names=["of"])
    every = every.dropna(subset="group").astype(str).reset_index("of")
    distinct = every.drop(columns="of").drop_duplicates()
    own = every.groupby(["of", "qid", "docno"]).size()
    united = distinct.groupby(["qid", "docno"]).size().reindex(own.index.droplevel("of"))
    for name, qid, docno in own.index[own.to_numpy() != united.to_numpy()][:1]:
        raise ValueError(f"{name} has other groups of document {docno!r} for topic {qid!r} than "
                         "another frame with a column group; give the groups once, with "
                         "groups= (--groups)")
    source = sources.from_frame(distinct, "the column group")
    pairs = with_text_ids(renamed_qrels(qrels)[["query_id", "doc_id"]], "qrels", "query_id",
                          "doc_id").drop_duplicates()
    found = Memberships(*source.annotate(*(texts_of(pairs[name]) for name in pairs)))
    warn(f"groups are read from the column group of {first_names([*frames])}: {len({*found.item})} "
         f"of {len(pairs)} judged documents have one")
    return source
