"""Measures as text and as objects, and one group source for several measures."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import Any

import ir_measures
import pandas as pd

from pt_fairness import groups
from pt_fairness.core.messages import shown, warn
from pt_fairness.core.registry import check_name
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.parsing import TAKES, parse, parsed_one
from pt_fairness.measures.registration import ALPHA_MEASURES, NDEVAL_MEASURES


def parsed(measures: Any) -> list[Any]:
    """Parse one or several measures, and remove duplicates.

    :param measures: a measure, or an iterable of measures; objects or names
    :raises ValueError: an unknown name, a wrong parameter, a cutoff below 1, or an object that is
        no measure

    Examples
    --------
    >>> from pt_fairness.provider.parsing import parsed
    >>> parsed(["nDCG@10", "rKL(protected='CON')@5", "nDCG@10"])
    [nDCG@10, rKL(protected='CON')@5]
    """
    if isinstance(measures, (str, ir_measures.Measure)):
        measures = [measures]
    if not isinstance(measures, Iterable) or isinstance(measures, dict):
        raise ValueError(f"measures={shown(measures)} is a {type(measures).__name__}; {TAKES}")
    return list(dict.fromkeys(map(parsed_one, measures)))


def parsed_or_none(column: Any) -> Any:
    """Parse the name of a column as a measure; return ``None`` if it is none."""
    try:
        measure = parse(str(column))
        str(measure)  # raises if the measure has no such parameter
        return measure
    except (NameError, ValueError, TypeError, KeyError):
        return None


def takes_groups(measure: Any) -> bool:
    """Return whether a measure uses groups and its parameter ``groups`` is not set."""
    return (isinstance(measure, FairnessMeasure) and "groups" in measure.SUPPORTED_PARAMS
            and measure.needs_groups and measure.param("groups") is None)


def reads_subtopics(measure: Any) -> bool:
    """Return whether a measure of ir_measures, such as α-nDCG, reads ``iteration`` of the qrels."""
    return measure.NAME in ALPHA_MEASURES or measure.NAME in NDEVAL_MEASURES


def take_groups(measures: Sequence[Any], qrels: pd.DataFrame, source: Any) \
        -> tuple[dict[Any, str], pd.DataFrame, groups.Groups | None]:
    """Give a group source to the measures without one of their own.

    The ``groups`` parameter of a measure holds the source itself, because a pipe can be read once.

    :param qrels: ir_measures' columns
    :param source: the group source; ``None`` for none
    :returns: the name of each measure's column by measure, the qrels (with the groups in
        ``iteration`` if a measure reads subtopics there), and the source as an object
    :raises ValueError: ``source`` is no group source, or has no subtopic for any judged document
    """
    if source is None:
        return {measure: str(measure) for measure in measures}, qrels, None
    found = groups.get(source)
    columns: dict[Any, str] = {}
    for measure in measures:
        columns.setdefault(measure(groups=found) if takes_groups(measure) else measure,
                           str(measure))
    if any(map(reads_subtopics, measures)):
        annotated = found.to_qrels(qrels)
        if (annotated["iteration"] == "-").all():
            raise ValueError(f"no judged document, such as {qrels['doc_id'].iloc[0]!r}, has a "
                             f"group in {found!r}, so there are no subtopics; check that the ids "
                             "match")
        # Keep the topics that the source drops: measures of relevance have a value there.
        dropped = qrels[~qrels["query_id"].isin(annotated["query_id"])]
        qrels = pd.concat([annotated, dropped.assign(iteration="-")], ignore_index=True)
    return columns, qrels, found


def with_groups(measures: Any, source: Any, name: str | None = None) -> list[Any]:
    """Return measures that take their groups from a source, for ``pt.Experiment``.

    A measure whose parameter ``groups`` is set, and one that uses no groups, is returned
    unchanged. α-nDCG and the other measures of ndeval have no such parameter: they read the
    ``iteration`` of the qrels, and a warning names them.

    :param measures: a measure, or an iterable of measures; objects or names
    :param source: as ``groups`` of :func:`pt_fairness.evaluate`
    :param name: the name of the groups in the names of the measures, which are the columns of
        ``pt.Experiment``; by default that of the source
    :returns: the measures in the same order, without duplicates. ``pt.Experiment`` shows them in
        this order, after those of trec_eval.
    :raises ValueError: the source is none of these, the name is empty, or a measure is wrong

    Examples
    --------
    >>> from ir_measures import nDCG
    >>> from pt_fairness import rKL, with_groups
    >>> with_groups([nDCG @ 5, rKL @ 5, "rND(groups='no-such')@5"], "trec-newswire")
    [nDCG@5, rKL(groups='trec-newswire')@5, rND(groups='no-such')@5]
    >>> with_groups(rKL @ 5, {"a": "PRO", "b": "CON"}, name="stance")
    [rKL(groups='stance')@5]
    """
    if isinstance(source, (list, tuple, set)) or source is None:
        raise ValueError(f"with_groups takes one group source, not a {type(source).__name__}; call "
                         "it once for each source, or use pt_fairness.groups.product")
    found = groups.get(source)
    if name is not None:
        check_name("groups", name)
        source = found.renamed(name)
    elif not isinstance(source, (str, os.PathLike)):
        source = found
    wanted = parsed(measures)
    others = [str(measure) for measure in wanted if reads_subtopics(measure)]
    if others:
        warn(f"{', '.join(others)} cannot take groups from {shown(source)}: ndeval's measures read "
             "the iteration of the qrels; in Python, evaluate "
             "on pt_fairness.groups.get(source).to_qrels(qrels)")
    result = []
    for place, measure in enumerate(wanted):
        if isinstance(measure, FairnessMeasure):
            measure = measure(groups=source) if takes_groups(measure) else measure()
            measure.place = place
        result.append(measure)
    return list(dict.fromkeys(result))
