"""The example of TREC Fair, on its generated collection and on run files."""

from __future__ import annotations

import os
import subprocess
import sys

import pandas as pd
import pytest
from example_files import EXAMPLES

pytestmark = pytest.mark.slow


def run(folder, *arguments, home=None):
    environment = {**os.environ, **({} if home is None else {"IR_DATASETS_HOME": str(home)})}
    done = subprocess.run([sys.executable, str(EXAMPLES / "trec_fair.py"), *map(str, arguments)],
                          capture_output=True, text=True, cwd=folder, env=environment)
    assert done.returncode == 0, done.stderr
    first, head, *rows = done.stdout.splitlines()
    table = pd.DataFrame([row.rsplit(maxsplit=2) for row in rows[:7]],
                         columns=["measure", *head.split()[1:]]).set_index("measure").astype(float)
    return first, table


def test_the_generated_collection_and_files(tmp_path):
    first, table = run(tmp_path)
    assert first.startswith("A generated collection, not that of the track")
    assert list(table.columns) == ["BM25", "QLD"]
    assert ((table > 0) & (table < 1)).all(axis=None)
    assert (tmp_path / "trec_fair.png").read_bytes().startswith(b"\x89PNG")
    # The score of the track is a product by topic, so its mean lies below either factor.
    assert (table.loc["nDCG × AWRF gender"] < table.loc[["nDCG@20", "AWRF gender"]].min()).all()

    code = ("import sys; sys.path.insert(0, sys.argv[1]); import pathlib, trec_fair; "
            "trec_fair.generate(pathlib.Path(sys.argv[2]))")
    subprocess.run([sys.executable, "-c", code, str(EXAMPLES), str(tmp_path / "home")], check=True)
    for name, docnos in (("first", (1, 2, 3)), ("second", (3, 2, 1))):
        (tmp_path / name).write_text("".join(
            f"1 Q0 {docno} {rank} {-rank} {name}\n" for rank, docno in enumerate(docnos)))
    first, table = run(tmp_path, "first", "second", "--depth", 2, "--figure", "other.png",
                       home=tmp_path / "home")
    assert first == "Runs from files, on trec-fair/2022/train"
    assert list(table.columns) == ["first", "second"] and table.index[0] == "nDCG@2"
    assert (tmp_path / "other.png").exists()
