"""§1: labels as text, and the order of a run."""

from __future__ import annotations

import math
import struct
from collections import defaultdict
from collections.abc import Iterable
from typing import Any


def clean_labels(values: Iterable[Any]) -> frozenset[str]:
    """§1: labels are strings, 1 and 1.0 are '1'; None, NaN, '' and '-' are no label."""
    found = set()
    for value in values:
        if value is None or value != value or value in ("", "-"):
            continue
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        found.add(str(value))
    return frozenset(found)


def order_run(run: Iterable[tuple[str, str, float]]) -> dict[str, list[str]]:
    """§1: float32(score) descending, then docno descending in byte order; a document's last row
    counts.
    """
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    for qid, docno, score in run:
        if math.isnan(score):
            raise ValueError(f"NaN score of document {docno!r} for topic {qid!r}")
        scores[qid][docno] = float32(score)
    return {
        qid: sorted(found, key=lambda docno: (found[docno], docno.encode("utf-8")), reverse=True)
        for qid, found in scores.items()}


def float32(number: float) -> float:
    """The number rounded to single precision, ±inf if it is too large for that."""
    try:
        return struct.unpack("<f", struct.pack("<f", number))[0]
    except OverflowError:
        return math.copysign(math.inf, number)
