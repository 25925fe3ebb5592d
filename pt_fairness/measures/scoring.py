"""Scoring of measures on rankings, block by block."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np

from pt_fairness.core.arrays import Floats
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.rankings.labelled import Rankings
from pt_fairness.rankings.view import View


def depth_of(measures: Collection[FairnessMeasure]) -> int | None:
    """Return the largest depth of the measures, or ``None`` if one of them needs whole lists."""
    depths = [measure.depth for measure in measures]
    return None if None in depths else max(depth for depth in depths if depth is not None)


def rels_of(measures: Collection[FairnessMeasure]) -> set[int | None]:
    """Return the ``rel`` values of the measures; ``None`` stands for all judged documents."""
    rels = {measure.param("rel") for measure in measures if "rel" in measure.SUPPORTED_PARAMS}
    return rels | ({None} if any(measure.JUDGED for measure in measures) else set())


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
        for view in View.blocks(rankings.labelled(added, depth_of(some))):
            for measure in some:
                parts[measure].append(view.mean_of_lists(measure.score(view)))
        values |= {measure: np.concatenate(part) for measure, part in parts.items()}
    return values


def contributions(measure: FairnessMeasure, rankings: Rankings, depth: int) -> Floats:
    """Return what each document that counts adds to the value of a measure, ``[R, depth]``.

    Undefined lists have NaN.

    :param measure: a measure that is a sum
    :param depth: the number of documents that count
    """
    parts = [np.zeros((0, depth))]
    for view in View.blocks(rankings.labelled(measure.added_labels, measure.depth)):
        terms = measure.terms(view)[:, :depth]
        terms = np.pad(terms, ((0, 0), (0, depth - terms.shape[1])))
        parts.append(np.where(np.isnan(measure.score(view))[:, None], np.nan, terms))
    return np.concatenate(parts)


def fairest(measure: FairnessMeasure, rankings: Rankings) -> Floats | None:
    """Return the value of the fairest possible ranking of each topic, ``[T]``.

    Values by list are averaged over the lists of each topic. ``None`` if it is not known.
    """
    parts = [np.zeros(0)]
    for view in View.blocks(rankings.labelled(measure.added_labels, measure.depth)):
        values = measure.fairest(view)
        if values is None:
            return None
        parts.append(view.mean_of_lists(values))
    return np.concatenate(parts)
