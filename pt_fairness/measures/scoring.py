"""Scoring of measures on rankings, block by block."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from pt_fairness.core.arrays import Floats
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.params import PROTECTED_WORDS
from pt_fairness.rankings.labelled import Rankings
from pt_fairness.rankings.protected import label_parts
from pt_fairness.rankings.view import View


def depth_of(measures: Collection[FairnessMeasure]) -> int | None:
    """Return the largest depth of the measures, or ``None`` if one of them needs whole lists."""
    depths = [measure.depth for measure in measures]
    return None if None in depths else max(depth for depth in depths if depth is not None)


def rels_of(measures: Collection[FairnessMeasure]) -> set[int | None]:
    """Return the ``rel`` values of the measures; ``None`` stands for all judged documents."""
    rels = {measure.param("rel") for measure in measures if "rel" in measure.SUPPORTED_PARAMS}
    return rels | ({None} if any(measure.JUDGED for measure in measures) else set())


def nothing_to_compare(measure: FairnessMeasure, labels: Sequence[str]) -> str:
    """Return why a measure has nothing to compare in any topic; ``''`` if it has.

    :param labels: the label set G, with the labels that the target of the measure adds
    """
    if measure.COMPARES and measure.needs_groups and len(labels) == 1:
        return f"the only group is {labels[0]!r}"
    protected = measure.param("protected")
    if not labels or protected in (None, *PROTECTED_WORDS):
        return ""
    every = {*labels} <= {*label_parts(protected, labels)}
    return f"protected={protected!r} names every group" if every else ""


def values_of(measure: FairnessMeasure, view: View) -> Floats:
    """Return the value of each list, ``[R]``, or of each topic, ``[T]``; NaN where it is undefined.
    """
    if nothing_to_compare(measure, view.labels):
        return np.full(len(view), np.nan)
    return measure.score(view)


def score(measures: Collection[FairnessMeasure],
          rankings: Rankings) -> dict[FairnessMeasure, Floats]:
    """Return the value of each measure for each topic, ``[T]``; NaN where it is undefined.

    Values by list are averaged over the lists of each topic.
    """
    by_labels: dict[tuple[str, ...], list[FairnessMeasure]] = {}
    for measure in measures:
        by_labels.setdefault(measure.added_labels, []).append(measure)
    values: dict[FairnessMeasure, Floats] = {}
    for added, some in by_labels.items():
        parts: dict[FairnessMeasure, list[Any]] = {measure: [np.zeros(0)] for measure in some}
        for view in View.blocks(rankings.of_labels(added, depth_of(some))):
            for measure in some:
                parts[measure].append(view.mean_of_lists(values_of(measure, view)))
        values |= {measure: np.concatenate(part) for measure, part in parts.items()}
    return values


def contributions(measure: FairnessMeasure, rankings: Rankings, depth: int) -> Floats:
    """Return what each document that counts adds to the value of a measure, ``[R, depth]``.

    Undefined lists have NaN.

    :param measure: a measure that is a sum
    :param depth: the number of documents that count
    """
    parts = [np.zeros((0, depth))]
    for view in View.blocks(rankings.of_labels(measure.added_labels, measure.depth)):
        terms = measure.terms(view)[:, :depth]
        terms = np.pad(terms, ((0, 0), (0, depth - terms.shape[1])))
        parts.append(np.where(np.isnan(values_of(measure, view))[:, None], np.nan, terms))
    return np.concatenate(parts)


def fairest(measure: FairnessMeasure, rankings: Rankings) -> Floats | None:
    """Return the value of the fairest possible ranking of each topic, ``[T]``.

    Values by list are averaged over the lists of each topic. ``None`` if it is not known.
    """
    parts = [np.zeros(0)]
    for view in View.blocks(rankings.of_labels(measure.added_labels, measure.depth)):
        values = measure.fairest(view)
        if values is None:
            return None
        undefined = bool(nothing_to_compare(measure, view.labels))
        parts.append(view.mean_of_lists(np.where(undefined, np.nan, values)))
    return np.concatenate(parts)
