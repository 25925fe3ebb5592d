"""Dataset ids as a user loads them: with the command, and in processes of their own."""

from __future__ import annotations

import contextlib
import io
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pandas as pd

from pt_fairness import cli

_LOAD = ("import sys, pt_fairness, ir_datasets\n"
         "for row in ir_datasets.load(sys.argv[1]).qrels_iter(): print(*row, sep='\\t')")


def loaded_at_once(offline: Any, dataset_id: str) -> list[list[tuple[str, str, int, str]]]:
    """The qrels that each of two processes loads, both at once."""
    with ThreadPoolExecutor(2) as pool:
        both = [*pool.map(lambda _: offline("-c", _LOAD, dataset_id), range(2))]
    for done in both:
        assert done.returncode == 0, done.stderr
    rows = [[line.split("\t") for line in done.stdout.splitlines()] for done in both]
    return [[(qid, docno, int(label), group) for qid, docno, label, group in one] for one in rows]


def table(dataset_id: str, folder: Path, run: list[tuple[str, str]], *measures: str) -> list[float]:
    """The values that ``pt-fairness table`` prints for a run, given as topics and documents."""
    path = folder / "run"
    path.write_text("".join(f"{qid} Q0 {docno} {i} {-i} r\n" for i, (qid, docno) in enumerate(run)))
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        assert cli.main(["table", dataset_id, str(path), "-m", *measures]) == 0
    row, = pd.read_csv(io.StringIO(printed.getvalue())).itertuples(index=False)
    assert row[0] == "run"
    return [float(value) for value in row[1:]]
