"""Run files: TREC's six columns, and tables in Parquet."""

from __future__ import annotations

from typing import Any

import pandas as pd

from pt_fairness.identifiers import texts_of
from pt_fairness.io.columns import need_columns, read_columns
from pt_fairness.io.files import Input, Path, opened

_TREC = ["qid", "q0", "docno", "rank", "score", "tag"]


def read_run(path: Path) -> pd.DataFrame:
    """Read a run: TREC's six columns, compressed if the name ends in ``.gz``, or a table in Parquet
    if it ends in ``.parquet``.

    Ranks and tags are ignored: documents are ranked by their scores. A Parquet file has the columns
    ``qid, docno, score`` or ir_measures' (``query_id, doc_id, score``).

    :returns: ``qid, docno, score``: text, text, number to its last digit; rows in the order of the
        file
    :raises ValueError: a line without six columns or with a score that is no number (NaN is none),
        by file and line; in a Parquet file, by file and row

    Examples
    --------
    >>> from pathlib import Path
    >>> from pt_fairness import read_run
    >>> _ = Path("run").write_text("1 Q0 d1 1 9.5 bm25\\n1 Q0 d2 2 7.25 bm25\\n")
    >>> read_run("run")
      qid docno  score
    0   1    d1   9.50
    1   1    d2   7.25
    """
    with opened(path) as source:
        return read_opened_run(source)


def read_opened_run(source: Input, text: Any = str) -> pd.DataFrame:
    """Read a run as :func:`read_run` does from a file that is open.

    :param text: the dtype of topics and documents; ``object`` is faster to work with than ``str``
    """
    if source.name.endswith(".parquet"):
        return _read_parquet(source, text)
    types = {"qid": text, "q0": object, "docno": text, "rank": object, "score": float,
             "tag": object, "_more": object}
    return read_columns(source, _TREC, types)[["qid", "docno", "score"]]


def _read_parquet(source: Input, text: Any) -> pd.DataFrame:
    try:
        frame = pd.read_parquet(source.rewound())
    except (ValueError, OSError) as error:
        raise ValueError(f"{source.name} is damaged: {error}") from error
    frame = frame.rename(columns={"query_id": "qid", "doc_id": "docno"})
    columns = ["qid", "docno", "score"]
    need_columns(frame, columns, source.name)
    score = pd.to_numeric(frame["score"], errors="coerce").astype(float)
    for column, wrong in (("qid", frame["qid"].isna()), ("docno", frame["docno"].isna()),
                          ("score", score.isna())):
        if wrong.any():
            row = int(wrong.to_numpy().argmax())
            raise ValueError(f"{source.name}, row {row}: the {column} "
                             f"{str(frame[column].iloc[row])!r} is "
                             f"{'no number' if column == 'score' else 'missing'}")
    frame = frame[columns].assign(score=score, qid=texts_of(frame["qid"]),
                                  docno=texts_of(frame["docno"]))
    return frame.astype({"qid": text, "docno": text}).reset_index(drop=True)
