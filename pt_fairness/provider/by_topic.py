"""Qrels and runs as the dictionaries of pytrec_eval, made from whole columns."""

from __future__ import annotations

from typing import Any

import ir_measures
import numpy as np
import pandas as pd


def provider_of(measure: Any) -> Any:
    """Return the provider of a measure in ir_measures' default pipeline, or ``None``."""
    return next((one for one in ir_measures.DefaultPipeline.providers
                 if one.supports(measure) and one.is_available()), None)


def by_topic(frame: pd.DataFrame, column: str) -> dict[str, dict[str, Any]]:
    """Return topic → docno → value; of duplicate documents the last row is used."""
    if frame.empty:
        return {}
    codes, names = pd.factorize(frame["query_id"])
    documents, values = frame["doc_id"].tolist(), frame[column].tolist()
    starts = np.flatnonzero(np.diff(codes, prepend=-1)).tolist()
    topics: dict[str, dict[str, Any]] = {}
    for start, end in zip(starts, [*starts[1:], len(codes)], strict=True):
        rows = topics.setdefault(str(names[codes[start]]), {})
        rows.update(zip(documents[start:end], values[start:end], strict=True))
    return topics
