"""The folders of the examples and of the scripts of the pages, and small input files."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = ROOT / "examples"
CI = ROOT / ".ci"
DATA = EXAMPLES / "data"


def write_qrels(path: Path, rows) -> Path:
    path.write_text(
        "".join(f"{qid} {group} {docno} {label}\n" for qid, group, docno, label in rows))
    return path


def write_run(path: Path, rows) -> Path:
    path.write_text(
        "".join(
            f"{qid} Q0 {docno} {rank} {score} x\n" for rank, (qid, docno, score) in enumerate(rows))
    )
    return path


def rows_of(table: pd.DataFrame, pattern: str) -> pd.DataFrame:
    found = table[table["what"].str.contains(pattern, regex=True)]
    assert len(found)
    return found
