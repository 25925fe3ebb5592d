"""What the scripts that take files share: arguments that name them, and the qrels and runs in them.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pyterrier as pt

from pt_fairness import groups, read_qrels


def parser(doc: str | None) -> argparse.ArgumentParser:
    """A parser whose help is the text that a script begins with."""
    return argparse.ArgumentParser(
        description=doc, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def file(name: str) -> Path:
    """The type of an argument that names a file."""
    if not Path(name).is_file():
        raise argparse.ArgumentTypeError(f"there is no file {name}")
    return Path(name)


def source(name: str) -> str:
    """The type of an argument that names groups: registered ones, or those of a file."""
    try:
        groups.get(name)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    return name


def annotated_qrels(path: str | Path, source: str | None) -> pd.DataFrame:
    """TREC qrels with groups: those of the file's second column, or of a group source."""
    qrels = read_qrels(path)
    return qrels if source is None else groups.get(source).to_qrels(qrels)


def read_predictions(path: Path) -> pd.DataFrame:
    """The rows of a run whose second column has predicted stances: ``qid, group, docno, score``."""
    names = {0: "qid", 1: "group", 2: "docno", 4: "score"}
    frame = pd.read_csv(path, sep=r"\s+", header=None, usecols=list(names), dtype=str,
                        quoting=csv.QUOTE_NONE, na_filter=False)
    return frame.rename(columns=names).astype({"score": float})


def read_runs(paths: Sequence[str | Path]) -> dict[str, pd.DataFrame]:
    """TREC run files by name; by their paths, where two have the same.

    TREC's archive puts ``input.`` before the tag of a run, which is not part of its name.
    """
    names = [Path(path).name.removesuffix(".gz").removeprefix("input.") for path in paths]
    return {name if names.count(name) == 1 else str(path): pt.io.read_results(str(path))
            for name, path in zip(names, paths, strict=True)}
