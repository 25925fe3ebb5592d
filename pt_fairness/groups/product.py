"""The product of group sources: intersectional groups of several attributes."""

from __future__ import annotations

import itertools
import math
import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from pt_fairness.core import fingerprint
from pt_fairness.core.arrays import Floats, Ints
from pt_fairness.core.labels import label_text
from pt_fairness.groups.base import Groups
from pt_fairness.groups.named import get
from pt_fairness.groups.table import Memberships, distinct_annotations, ranges

#: The separator between the labels of the sources in a label of their product.
SEPARATOR = "|"
#: The largest number of combinations that a product declares as its labels.
MOST_DECLARED = 10_000


def product(*sources: str | os.PathLike[str] | Groups, missing: Any = None,
            name: str | None = None) -> Groups:
    """Return intersectional groups of several attributes, such as ``female|Asia``.

    The share of a document in a label is the product of its shares in the labels of the sources. A
    document has weights if it has weights in at least one source. If all sources declare their
    labels and there are at most 10,000 combinations, the label set holds all of them, else those
    that judged documents have.

    :param sources: at least two registered names, paths of group files or Groups objects
    :param missing: the label of a document in a source where it has no group, if it has one in
        another source; by default such documents have no group in the product
    :param name: the name of the groups; by default derived from a hash of their content
    :raises ValueError: fewer than two sources, or a label that contains ``|``

    Examples
    --------
    >>> from pt_fairness import groups
    >>> gender = groups.from_mapping({"a": "female", "b": "male"})
    >>> region = groups.from_mapping({"a": "Asia", "b": ["Asia", "Europe"]})
    >>> groups.product(gender, region).lookup(["1", "1"], ["a", "b"])
      qid docno        group
    0   1     a  female|Asia
    1   1     b    male|Asia
    2   1     b  male|Europe
    """
    if len(sources) < 2:
        raise ValueError(f"a product of groups needs at least two sources, not {len(sources)}")
    return _Product([get(source) for source in sources],
                    None if missing is None else label_text(missing), name)


class _Product(Groups):
    def __init__(self, sources: list[Groups], missing: str | None, name: str | None) -> None:
        self._sources, self._missing = sources, missing
        extra = [] if missing is None else [missing]
        declared = [{*(one.labels or ()), *extra} for one in sources]
        _check(itertools.chain.from_iterable(declared))
        labels = None
        if all(source.labels is not None for source in sources) \
                and math.prod(map(len, declared)) <= MOST_DECLARED:
            labels = map(SEPARATOR.join, itertools.product(*declared))
        super().__init__(name, labels)
        self.complete = labels is not None and all(source.complete for source in sources)
        self.in_parts = all(one.in_parts for one in sources)
        self.weighted = any(one.weighted for one in sources)
        self.by_topic = any(one.by_topic for one in sources)
        limited = [set(one.topics) for one in sources if one.topics is not None]
        self.topics = sorted(set.intersection(*limited)) if limited else None

    def _content(self) -> Any:
        return self._missing, [(one.name, one.digest()) for one in self._sources]

    def state(self) -> str:
        states = [one.state() for one in self._sources]
        return fingerprint.of_value(states) if any(states) else ""

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        found, n = [Memberships(*one.annotate(qids, docnos)) for one in self._sources], len(docnos)
        # A product is known where all of its sources know the document.
        unknown = 0.0 * np.sum([one.unknown_of(n) for one in found], axis=0)
        _check(itertools.chain.from_iterable(one.labels for one in found))
        item = np.unique(np.concatenate([one.item for one in found]))
        if self._missing is not None:
            found = [one.with_label(np.setdiff1d(item, one.item), self._missing) for one in found]
        weighted = np.zeros(n, bool)
        share, codes, labels = np.ones(len(item)), np.zeros(len(item), np.int64), [""]
        for place, one in enumerate(found):
            weighted[one.item[~np.isnan(one.weights)]] = True
            own_item, own_codes, own_share = _shares(one)
            start, end = (own_item.searchsorted(item, side) for side in ("left", "right"))
            row = np.repeat(np.arange(len(item)), end - start)
            own = ranges(start, end - start)
            item, share = item[row], share[row] * own_share[own]
            kinds, codes = np.unique(codes[row] * len(one.labels) + own_codes[own],
                                     return_inverse=True)
            labels = [labels[kind // len(one.labels)] + SEPARATOR * (place > 0)
                      + one.labels[kind % len(one.labels)] for kind in kinds]
        weight = np.where(weighted[item], share, np.nan) if self.weighted else None
        return Memberships(item, codes, labels, weight, unknown)


def _check(labels: Iterable[str]) -> None:
    """Check the labels of the sources of a product.

    :raises ValueError: one contains the separator
    """
    for label in labels:
        if SEPARATOR in label:
            raise ValueError(f"the label {label!r} contains {SEPARATOR!r}, which separates the "
                             "labels of a product; rename it")


def _shares(found: Memberships) -> tuple[Ints, Ints, Floats]:
    """Return the distinct annotations with the share of the document in each label.

    :returns: document index (ascending), label code and share of each annotation
    """
    item, codes, weight = distinct_annotations(found.item, found.codes, found.weights)
    assert weight is not None
    weight = np.where(np.isnan(weight), 1.0, weight)
    return item, codes, weight / np.bincount(item, weight)[item]
