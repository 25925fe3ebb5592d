"""Two topics with a document by a woman and one by a man, for the tests of targets."""

from __future__ import annotations

from typing import Any

import ir_measures
import pandas as pd

QRELS = [
    ir_measures.Qrel(q, d, 1, gender) for q in "12"
    for d, gender in (("a", "female"), ("b", "male"))]
RUN = [ir_measures.ScoredDoc(q, d, -float(i)) for q in "12" for i, d in enumerate("ab")]
SHARES = [("1", "female", 0.9), ("1", "male", 0.1), ("2", "male", 1.0)]


def frame(rows: Any = SHARES) -> pd.DataFrame:
    return pd.DataFrame(rows, columns=["qid", "group", "share"])


def per_topic(*measures: Any, qrels: Any = QRELS) -> list[float]:
    return [m.value for m in ir_measures.iter_calc(list(measures), qrels, RUN)]
