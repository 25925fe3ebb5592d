"""The populations that a ranking is compared with: target distributions over the groups.

Shapes: ``R`` lists, ``L`` groups of the label set G.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from pt_fairness.core import arrays
from pt_fairness.core.arrays import Floats
from pt_fairness.core.labels import TARGET_WORDS
from pt_fairness.rankings.view import View


def distribution(view: View, target: Any, rel: int | None) -> Floats:
    """Return the target share of each group, unsmoothed, ``[R, L]``.

    All shares of a row are 0 if its population is empty.

    :param target: the value of the parameter ``target`` of a measure
    :param rel: the lowest relevance of a relevant document
    """
    if isinstance(target, dict):
        shares = np.array([target.get(name, 0.0) for name in view.labels])
    elif target == "uniform":
        shares = np.full(len(view.labels), 1.0 / max(len(view.labels), 1))
    elif target in TARGET_WORDS:
        shares = shares_of(population(view, target, rel))
    else:
        shares = _registered(view, target, rel)
    return np.broadcast_to(shares, (len(view), len(view.labels)))


def _registered(view: View, target: str, rel: int | None) -> Floats:
    """Return the shares of a registered target, ``[R, L]``."""
    from pt_fairness import targets
    shares = targets.shares(target, view.qids, view.labels)
    of_qrels = targets.find(target).of_qrels
    if not of_qrels:
        return shares
    relevant = shares_of(view.relevant(rel) @ view.share)
    known = relevant.any(axis=1, keepdims=True)
    return np.where(known, of_qrels * relevant + (1 - of_qrels) * shares, 0.0)


def population(view: View, target: str, rel: int | None) -> Floats:
    """Return the number of documents of each group in an estimated target.

    :param target: ``'qrels'``, ``'run'`` or ``'collection'``
    :returns: ``[R, L]``, or ``[1, L]`` for the target ``'collection'``
    """
    if target == "collection":
        return view.pooled(rel)[None]
    return (view.in_run if target == "run" else view.relevant(rel)) @ view.share


def shares_of(counts: Floats) -> Floats:
    """Return the share of each group in each row, 0 in empty rows."""
    return arrays.ratio(counts, counts.sum(axis=-1, keepdims=True))
