"""Dataset ids as a user loads them, with the command."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import pandas as pd

from pt_fairness import cli


def table(dataset_id: str, folder: Path, run: list[tuple[str, str]], *measures: str) -> list[float]:
    """The values that ``pt-fairness table`` prints for a run, given as topics and documents."""
    path = folder / "run"
    path.write_text("".join(f"{qid} Q0 {docno} {i} {-i} r\n" for i, (qid, docno) in enumerate(run)))
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        assert cli.main(["table", dataset_id, str(path), "-m", *measures]) == 0
    row, = pd.read_csv(io.StringIO(printed.getvalue())).itertuples(index=False)
    assert row[0] == "run"
    return [float(value) for value in row[1:]]
