"""TREC newswire (disks 4 and 5 without CR): the source of an article, from its docno.

The documents themselves are not needed.
"""

from __future__ import annotations

from functools import partial
from typing import Any

#: Foreign Broadcast Information Service, Federal Register, Financial Times, Los Angeles Times.
LABELS = ("FBIS", "FR", "FT", "LA")
NAME = "trec-newswire"
_ROBUST = "disks45/nocr/trec-robust-2004"
_IDS = ("disks45/nocr/trec8", _ROBUST, *(f"{_ROBUST}/fold{number}" for number in range(1, 6)))


def source(name: str) -> Any:
    """Return the sources of documents as groups, from the prefix of the docno."""
    from pt_fairness import groups
    return groups.from_pattern(rf"^({'|'.join(LABELS)})\d", LABELS, name)


def register(registry: Any) -> None:
    """Register ``…/source`` for the TREC-8 and Robust04 ids of ir_datasets."""
    # source() has to work without importing ir_datasets.
    from pt_fairness.collections.variants import labelled, variant
    for base_id in _IDS:
        variant(registry, base_id, "source", partial(labelled, source, NAME),
                "with sources", "The iteration field holds the source of the document, which its "
                f"docno begins with: {', '.join(LABELS)}.")
