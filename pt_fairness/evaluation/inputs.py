"""The arguments of an evaluation: its runs, qrels, measures and groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from pt_fairness import groups as sources
from pt_fairness import io
from pt_fairness.declarations.base import FairnessMeasure
from pt_fairness.groups import Groups, Memberships
from pt_fairness.identifiers import texts_of
from pt_fairness.io.named_runs import NamedRuns, RunInput, RunInputs, named
from pt_fairness.io.systems import of_topics
from pt_fairness.labels import TREC_DEFAULTS
from pt_fairness.messages import first_names, warn
from pt_fairness.provider.parsing import parsed, reads_subtopics, takes_groups

#: The name of the groups in a column of runs or qrels.
COLUMN_GROUP = "the column group"


class Inputs(NamedTuple):
    """The arguments of an evaluation, in their final form."""

    runs: NamedRuns
    qrels: pd.DataFrame
    measures: Any
    groups: Any


def inputs_of(runs: RunInputs, qrels: Any, measures: Any, last: Sequence[Any], topics: Any,
              groups: Any, names: Sequence[str] | None, progress: bool,
              topics_needed: bool = True) -> Inputs:
    """Return the arguments of an evaluation, with the results of transformers.

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
        _refuse_relevance(wanted)
        by_name.update({name: run if isinstance(run, pd.DataFrame) else io.read_run(run)
                        for name, run in by_name.items()})
        judged = _ranked(by_name)
    else:
        judged = of_topics(qrels if isinstance(qrels, pd.DataFrame) else io.load_qrels(qrels),
                           by_name.topics)
    if groups is None and any(takes_groups(one) or reads_subtopics(one) for one in wanted):
        groups = _groups_of_columns(by_name, judged)
        if groups is None and qrels is None:
            raise ValueError(f"{first_names([str(one) for one in wanted if takes_groups(one)])}: "
                             "without qrels, the groups are in groups= or in a column group of "
                             "the runs")
    return Inputs(by_name, judged, wanted, groups)


def _refuse_relevance(measures: Sequence[Any]) -> None:
    """Raise an error if the value of a measure depends on judgments.

    :raises ValueError: it does
    """
    needing = [str(one) for one in measures
               if not (isinstance(one, FairnessMeasure) and not one.needs_qrels)]
    if needing:
        raise ValueError(f"{first_names(needing)} cannot be computed without qrels, because the "
                         "value depends on judged documents; give qrels, or leave the measure out")


def _ranked(runs: Mapping[str, Any]) -> pd.DataFrame:
    """Return the ranked documents as qrels: ``qid, docno, label``."""
    pairs = [_renamed(run)[["qid", "docno"]] for run in runs.values()]
    return pd.concat([pair.assign(qid=texts_of(pair["qid"]), docno=texts_of(pair["docno"]))
                      for pair in pairs]).drop_duplicates(ignore_index=True).assign(label=1)


def _renamed(frame: pd.DataFrame) -> pd.DataFrame:
    return frame.rename(columns={"query_id": "qid", "doc_id": "docno"})


def _groups_of_columns(runs: Mapping[str, RunInput], qrels: pd.DataFrame) -> Groups | None:
    """Return the groups in the columns ``group`` of runs and qrels, and warn that they are used.

    :returns: ``None`` if there is no such column, or if the qrels have groups in ``iteration``
    :raises ValueError: two frames give a document other groups
    """
    if "iteration" in qrels and not set(qrels["iteration"].astype(str)) <= TREC_DEFAULTS:
        return None
    frames = {name: _renamed(run)[["qid", "docno", "group"]] for name, run in
              {"the qrels": qrels, **runs}.items()
              if isinstance(run, pd.DataFrame) and "group" in run}
    if not frames:
        return None
    rows = {name: frame.explode("group").drop_duplicates().dropna(subset="group").astype(str)
            for name, frame in frames.items()}
    every = pd.concat(rows.values()).drop_duplicates()
    count = every.groupby(["qid", "docno"]).size()
    for name, some in rows.items():
        own = some.groupby(["qid", "docno"]).size()
        other = own.index[own != count.reindex(own.index)]
        if len(other):
            raise ValueError(f"{name} has other groups of document {other[0][1]!r} for topic "
                             f"{other[0][0]!r} than another frame with a column group; give the "
                             "groups once, with groups=")
    source = sources.from_frame(every, COLUMN_GROUP)
    judged = _renamed(qrels)[["qid", "docno"]].drop_duplicates()
    found = Memberships(*source.annotate(texts_of(judged["qid"]), texts_of(judged["docno"])))
    warn(f"groups are read from the column group of {first_names([*frames])}: {len({*found.item})} "
         f"of {len(judged)} judged documents have one")
    return source
