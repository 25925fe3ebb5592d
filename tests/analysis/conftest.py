"""Tables for the tests of the analysis."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest


@pytest.fixture
def perquery() -> pd.DataFrame:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame([(name, str(q), measure) for name in "ABC" for q in range(20)
                          for measure in ("nDCG@5", "BiasP@5")], columns=["name", "qid", "measure"])
    return frame.assign(value=rng.normal(0.1, 0.3, len(frame)))


@pytest.fixture(scope="session")
def experiment() -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """Qrels with two groups, and three runs."""
    rng = np.random.default_rng(1)
    docs = [f"d{i}" for i in range(12)]
    qrels = pd.DataFrame([(str(q), docno, int(rng.integers(0, 2)), rng.choice(["PRO", "CON"]))
                          for q in range(8) for docno in docs],
                         columns=["qid", "docno", "label", "iteration"])
    pairs = qrels[["qid", "docno"]]
    return qrels, {name: pairs.assign(score=rng.random(96)) for name in ("one", "two", "three")}


def _unchanged(function, frame, *arguments, **options):
    """Return the result of a function, and check that it did not change its argument."""
    before = frame.copy(deep=True)
    result = function(frame, *arguments, **options)
    pd.testing.assert_frame_equal(frame, before)
    return result


@pytest.fixture(scope="session")
def unchanged() -> Callable[..., Any]:
    """``unchanged(function, frame, …)``: the result, with a check that the frame is unchanged."""
    return _unchanged
