"""Qrels and group files in and out."""

from __future__ import annotations

import csv
import gzip
import os
import sys
from collections.abc import Sequence
from typing import IO, Any, cast

import pandas as pd

__all__ = ["load_qrels", "qrels_columns", "read_groups", "read_qrels", "write_qrels"]

Path = str | os.PathLike[str]


def _open(path: Path, mode: str) -> IO[Any]:
    if os.fspath(path).endswith(".gz"):
        return cast(IO[Any], gzip.open(path, mode, encoding="utf-8"))
    return open(path, mode, encoding="utf-8")


def _columns(path: Path, names: list[str]) -> pd.DataFrame:
    """A file of white-space separated columns, as text.

    :raises ValueError: a line with more or fewer columns, by file and line
    """
    try:
        frame = pd.read_csv(path, sep=r"\s+", names=[*names, "_more"], index_col=False, header=None, dtype=str,
                            quoting=csv.QUOTE_NONE, keep_default_na=False, na_values=[], encoding="utf-8",
                            compression="gzip" if os.fspath(path).endswith(".gz") else None)
    except (pd.errors.ParserError, UnicodeDecodeError):
        frame = None
    except pd.errors.EmptyDataError:
        return pd.DataFrame({name: pd.Series(dtype="str") for name in names})
    except (EOFError, gzip.BadGzipFile, OSError) as error:
        if isinstance(error, FileNotFoundError):
            raise
        raise ValueError(f"{os.fspath(path)} is damaged: {error}") from error
    if frame is not None:
        # No field between white space is empty: what is empty was not there.
        frame = frame.fillna("")
        if (frame[names[-1]] != "").all() and (frame["_more"] == "").all():
            return frame[names]
    number = 0
    try:
        with _open(path, "rt") as lines:
            for number, line in enumerate(lines, 1):
                if line.strip() and len(line.split()) != len(names):
                    raise ValueError(f"{os.fspath(path)}, line {number}: {len(line.split())} columns where there should be "
                                     f"{len(names)} ({', '.join(names)}): {line.strip()!r}")
    except UnicodeDecodeError as error:
        raise ValueError(f"{os.fspath(path)}, after line {number}: not UTF-8 text ({error.reason})") from None
    raise ValueError(f"{os.fspath(path)} cannot be read as columns ({', '.join(names)})")


def read_qrels(path: Path) -> pd.DataFrame:
    """TREC qrels with all four columns, compressed if the name ends in ``.gz``.

    :returns: ``qid, docno, label, iteration``: text, text, whole number, text. PyTerrier's own reader drops the last; here it
        carries the groups.
    :raises ValueError: a line without four columns, or a label that is no whole number (``4.0`` is one), by file and line
    """
    frame = _columns(path, ["qid", "iteration", "docno", "label"])
    label = pd.to_numeric(frame["label"], errors="coerce")
    wrong = (label.isna() | (label % 1 != 0)).to_numpy()
    if wrong.any():
        text = frame["label"][wrong.argmax()]
        with _open(path, "rt") as lines:
            number = next((n for n, line in enumerate(lines, 1) if line.split()[-1:] == [text]), 0)
        raise ValueError(f"{os.fspath(path)}, line {number}: the label {text!r} is no whole number")
    return frame.assign(label=label.astype("int64"))[["qid", "docno", "label", "iteration"]]


def load_qrels(source: Path) -> pd.DataFrame:
    """The qrels of a file (:func:`read_qrels`) or, if there is no such file, of an ir_datasets id.

    :raises ValueError: neither
    """
    if os.path.exists(source):
        return read_qrels(source)
    import ir_datasets
    try:
        dataset = ir_datasets.load(os.fspath(source))
    except KeyError:
        raise ValueError(f"{os.fspath(source)} is neither a file nor a dataset id of ir_datasets") from None
    if not dataset.has_qrels():
        raise ValueError(f"the dataset {os.fspath(source)} has no qrels")
    frame = pd.DataFrame(dataset.qrels_iter())
    return frame.rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"})


def qrels_columns(qrels: pd.DataFrame) -> tuple[str, str, str]:
    """The names that topic, document and label have in a qrels frame: PyTerrier's or ir_measures'.

    :raises ValueError: neither
    """
    for names in (("qid", "docno", "label"), ("query_id", "doc_id", "relevance")):
        if set(names) <= set(qrels.columns):
            return names
    raise ValueError("qrels need the columns qid, docno, label or query_id, doc_id, relevance; these have "
                     f"{', '.join(map(str, qrels.columns))}")


def need_columns(frame: pd.DataFrame, columns: Sequence[str], what: str) -> None:
    """:raises ValueError: the frame, which the error calls ``what``, lacks one of the columns"""
    missing = [column for column in columns if column not in frame]
    if missing:
        raise ValueError(f"{what} has no column {missing[0]!r}; it needs {', '.join(columns)} and has "
                         f"{', '.join(map(str, frame.columns))}")


def write_qrels(qrels: pd.DataFrame, path: Path | None = None) -> None:
    """Writes TREC qrels with the ``iteration`` column (``0`` if there is none), compressed if the name ends in ``.gz``.

    :param path: ``None`` for standard output
    :raises ValueError: an identifier or group that has white space in it, which the format cannot hold
    """
    qid, docno, label = qrels_columns(qrels)
    frame = pd.DataFrame({"qid": qrels[qid].astype(str),
                          "iteration": qrels["iteration"].fillna("-").astype(str) if "iteration" in qrels else "0",
                          "docno": qrels[docno].astype(str), "label": qrels[label]})
    frame["iteration"] = frame["iteration"].where(frame["iteration"] != "", "-")
    for column in ("qid", "iteration", "docno"):
        spaced = frame[column].str.contains(r"\s")
        if spaced.any():
            raise ValueError(f"TREC qrels cannot hold the {column} {frame[column][spaced].iloc[0]!r}: it has white space in it")
    if path is None:
        frame.to_csv(sys.stdout, sep=" ", header=False, index=False, quoting=csv.QUOTE_NONE)
    else:
        with _open(path, "wt") as out:
            frame.to_csv(out, sep=" ", header=False, index=False, quoting=csv.QUOTE_NONE)


def read_groups(path: Path) -> pd.DataFrame:
    """A group file: TREC qrels with the group in the second column, or tab- or comma-separated columns with a header.

    :returns: ``docno, group`` or ``qid, docno, group``
    :raises ValueError: neither, or a line that cannot be read
    """
    with _open(path, "rt") as lines:
        first = next((line.rstrip("\r\n") for line in lines if line.strip()), "").lstrip("\ufeff")
    for separator in ("\t", ","):
        header = [name.strip().strip('"').lower() for name in first.split(separator)]
        if "group" in header and len(header) > 1:
            frame = pd.read_csv(path, sep=separator, dtype=str, keep_default_na=False, encoding="utf-8-sig")
            frame.columns = pd.Index(header)
            return frame.rename(columns={"query_id": "qid", "doc_id": "docno"})
    if len(first.split()) != 4:
        raise ValueError(f"{os.fspath(path)} is no group file: it needs a header with docno and group (and qid), separated by "
                         "tabs or commas, or the four columns of TREC qrels (qid, group, docno, label); its first line is "
                         f"{first!r}")
    return _columns(path, ["qid", "group", "docno", "label"])
