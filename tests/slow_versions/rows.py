"""§1: labels as text, and the order of a run."""

import math
import struct
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
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


def judged_by_group(rows: Mapping[str, Sequence[tuple[int, Any]]]) -> bool:
    """Whether the relevance of a topic's documents is judged for each group.

    :param rows: the relevance and the label of each row of a document, by docno
    """
    found: dict[str, dict[str, set[bool]]] = {}  # docno → label → is it relevant
    for docno, pairs in rows.items():
        found[docno] = {}
        for relevance, value in pairs:
            for label in clean_labels([value]):
                found[docno].setdefault(label, set()).add(relevance > 0)
    for labels in found.values():
        if {True} in labels.values() and {False} in labels.values():
            return True
    present = {label for labels in found.values() for label in labels}
    return (
        len(present) > 1
        and all({*labels} == present for labels in found.values())
        and any(False in relevant for labels in found.values() for relevant in labels.values()))


def naming_rows(rows: Mapping[str, Sequence[tuple[int, Any]]]) -> dict[str, list[tuple[int, Any]]]:
    """The rows of a topic that name a group of their document, by docno."""
    by_group = judged_by_group(rows)
    return {
        docno: [(relevance, value) for relevance, value in pairs if relevance > 0 or not by_group]
        for docno, pairs in rows.items()}


def order_run(run: Iterable[tuple[str, str, float]]) -> dict[str, list[str]]:
    """§1: float32(score), then docno, both descending; of a document, the last row counts."""
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    for qid, docno, score in run:
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
