"""What the tests of the provider share."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import ir_measures
from ir_measures import alpha_nDCG

from pt_fairness import (
    Annotated,
    FairnessWarning,
    nDD,
    nDJS,
    nDKL,
    nDR,
    rKL,
    rND,
    rRD,
)

ALL = [rND @ 10, rKL @ 5, rRD, nDD @ 4, nDR, nDKL @ 10, nDJS, Annotated @ 10, alpha_nDCG @ 5]


def by_topic(measures: list[Any], qrels: Any, run: Any) -> dict[tuple[str, str], float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        return {
            (str(m.measure), m.query_id): m.value
            for m in ir_measures.iter_calc(measures, qrels, run)
        }


def told(call: Callable[[], Any]) -> list[str]:
    with warnings.catch_warnings(record=True) as log:
        warnings.simplefilter("always")
        call()
    return [str(w.message) for w in log if issubclass(w.category, FairnessWarning)]
