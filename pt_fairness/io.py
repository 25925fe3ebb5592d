"""Qrels, run and group files in and out."""

from __future__ import annotations

import csv
import math
import os
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness import files
from pt_fairness.files import DAMAGE, Input
from pt_fairness.identifiers import missing, texts_of
from pt_fairness.text import label_text

__all__ = ["load_qrels", "qrels_columns", "read_groups", "read_qrels", "read_run", "read_values",
           "write_qrels"]

Path = files.Path

#: pandas before 3.1 has to be told to read numbers to the last digit; later ones always do, and
#: warn where they are told.
_EXACT: dict[str, Any] = ({} if tuple(map(int, pd.__version__.split(".")[:2])) >= (3, 1)
                          else {"float_precision": "round_trip"})


def _read_csv(source: Input, **options: Any) -> pd.DataFrame:
    return pd.read_csv(source.rewound(), compression=files.compression(source.name), **options)


def _columns(source: Input, names: list[str],
             types: Mapping[str, Any] | None = None) -> pd.DataFrame:
    """A file of white-space separated columns.

    :param types: columns that are not to be read as text; those of ``float`` have to have a number
        in every line
    :raises ValueError: a line with more or fewer columns, or without such a number, by file and
        line; a damaged file
    """
    more = "_more"
    dtypes = dict.fromkeys((*names, more), str) | dict(types or {})
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pd.errors.ParserWarning)  # of even more columns
            frame = _read_csv(source, sep=r"\s+", names=[*names, more], index_col=False,
                              header=None, dtype=dtypes, quoting=csv.QUOTE_NONE, na_filter=False,
                              encoding="utf-8", **_EXACT)
    except pd.errors.EmptyDataError:
        return pd.DataFrame({name: pd.Series(dtype=dtypes[name]) for name in names})
    except (ValueError, *DAMAGE):
        frame = None
    # No field between white space is empty: what is empty was not there.
    if frame is None or (frame[names[-1]] == "").any() or not (frame[more] == "").all() or any(
            frame[name].isna().any() for name in names if dtypes[name] is float):
        _check(source, names, dtypes)
        raise ValueError(f"{source.name} cannot be read as columns ({', '.join(names)})")
    # pandas takes a column of nothing but True and False for one of ones and zeros: the first line
    # tells.
    numbers = [name for name in names if dtypes[name] is float]
    if any(frame[name].head(1).isin((0.0, 1.0)).any() for name in numbers):
        first = next((row.casefold() for _, row in source.lines() if row.strip()), "")
        if "true" in first or "false" in first:
            _check(source, names, dtypes)
    return frame[names]


#: What pandas splits at; Python knows more white space.
_SPACE = re.compile(r"[ \t\r\n]+")


def _check(source: Input, names: list[str], types: Mapping[str, Any]) -> None:
    """:raises ValueError: the first line that :func:`_columns` cannot read; damage"""
    for number, row in source.lines():
        where = f"{source.name}, line {number}"
        fields = [field for field in _SPACE.split(row) if field]
        if fields and len(fields) != len(names):
            raise ValueError(f"{where}: {len(fields)} columns where there should be {len(names)} "
                             f"({', '.join(names)}): {_shown(row.strip())}")
        for name, field in zip(names, fields, strict=False):
            if types[name] is float and not _is_number(field):
                raise ValueError(f"{where}: the {name} {_shown(field)} is no number")


def _shown(text: str, most: int = 100) -> str:
    """A text as an error shows it; of a long one the beginning."""
    return repr(text) if len(text) <= most else f"{text[:most]!r}…"


def _is_number(text: str) -> bool:
    """Whether pandas reads it as a number; it does not read 1_000 or the digits of other scripts,
    as Python does.
    """
    try:
        return not math.isnan(float(text)) and text.isascii() and "_" not in text
    except ValueError:
        return False


#: Beyond this, floats do not hold every whole number.
_LARGEST_LABEL = 2**53


def read_qrels(path: Path) -> pd.DataFrame:
    """TREC qrels with all four columns, compressed if the name ends in ``.gz``.

    :returns: ``qid, docno, label, iteration``: text, text, whole number, text. PyTerrier's own
        reader drops the last; here it carries the groups.
    :raises ValueError: a line without four columns, or a label that is no whole number (``4.0`` is
        one), by file and line
    """
    with files.opened(path) as source:
        frame = _columns(source, ["qid", "iteration", "docno", "label"])
        label = pd.to_numeric(frame["label"], errors="coerce")
        wrong = (label.isna() | (label % 1 != 0) | (label.abs() > _LARGEST_LABEL)).to_numpy()
        if wrong.any():
            text = frame["label"][wrong.argmax()]
            number = next((n for n, line in source.lines() if line.split()[-1:] == [text]), 0)
            raise ValueError(f"{source.name}, line {number}: the label {_shown(text)} is no whole "
                             "number")
    return frame.assign(label=label.astype("int64"))[["qid", "docno", "label", "iteration"]]


_RUN_COLUMNS = ["qid", "q0", "docno", "rank", "score", "tag"]


def read_run(path: Path) -> pd.DataFrame:
    """A run: TREC's six columns, compressed if the name ends in ``.gz``, or a table in Parquet if
    it ends in ``.parquet``.

    :returns: ``qid, docno, score``: text, text, number to its last digit; the rows in the order of
        the file. Ranks and tags are not read: the scores say how the documents are ranked. A
        Parquet file has these columns, or ir_measures' (``query_id, doc_id, score``).
    :raises ValueError: a line without six columns or with a score that is no number (NaN is none),
        by file and line; in a Parquet file, by file and row
    """
    with files.opened(path) as source:
        return read_run_as(source, str)


def read_run_as(source: Input, text: Any) -> pd.DataFrame:
    """:func:`read_run` of an open file, with topics and documents of another type than ``str``:
    ``object`` is faster to work with.
    """
    if source.name.endswith(".parquet"):
        return _read_parquet(source, text)
    types = {"qid": text, "q0": object, "docno": text, "rank": object, "score": float,
             "tag": object, "_more": object}
    return _columns(source, _RUN_COLUMNS, types)[["qid", "docno", "score"]]


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


def load_qrels(source: Any) -> pd.DataFrame:
    """The qrels of a file (:func:`read_qrels`) or, if there is no such file, of an ir_datasets id,
    with ``irds:`` in front or not; or those of a PyTerrier dataset.

    :raises ValueError: none of these; a dataset without qrels
    """
    if hasattr(source, "get_qrels"):
        try:
            return source.get_qrels()
        except NotImplementedError:
            raise ValueError(f"the dataset {source!r} has no qrels") from None
    if not isinstance(source, (str, os.PathLike)):
        raise ValueError(f"the qrels are a {type(source).__name__}; they have to be a DataFrame, "
                         "the path of a file, an ir_datasets id or a PyTerrier dataset")
    if os.path.exists(source) and not os.path.isdir(source):
        return read_qrels(source)
    import ir_datasets
    try:
        dataset = ir_datasets.load(os.fspath(source).removeprefix("irds:"))
    except KeyError:
        raise ValueError(f"{os.fspath(source)} is neither a file nor a dataset id of "
                         "ir_datasets") from None
    if not dataset.has_qrels():
        raise ValueError(f"the dataset {os.fspath(source)} has no qrels")
    frame = pd.DataFrame(dataset.qrels_iter(), columns=dataset.qrels_cls()._fields)
    return frame.rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"})


def qrels_columns(qrels: pd.DataFrame) -> tuple[str, str, str]:
    """The names that topic, document and label have in a qrels frame: PyTerrier's or ir_measures'.

    :raises ValueError: neither
    """
    if not isinstance(qrels, pd.DataFrame):
        raise ValueError(f"qrels are a DataFrame here, not a {type(qrels).__name__}; "
                         "pt_fairness.read_qrels reads a file into one")
    for names in (("qid", "docno", "label"), ("query_id", "doc_id", "relevance")):
        if set(names) <= set(qrels.columns):
            return names
    raise ValueError("qrels need the columns qid, docno, label or query_id, doc_id, relevance; "
                     f"these have {', '.join(map(str, qrels.columns))}")


def need_columns(frame: pd.DataFrame, columns: Sequence[str], what: str) -> None:
    """:raises ValueError: the frame, which the error calls ``what``, lacks one of the columns"""
    missing = [column for column in columns if column not in frame]
    if missing:
        raise ValueError(f"{what} has no column {missing[0]!r}; it needs {', '.join(columns)} and "
                         f"has {', '.join(map(str, frame.columns))}")


def write_qrels(qrels: pd.DataFrame, path: Path | None = None) -> None:
    """Write TREC qrels with the ``iteration`` column (``0`` if there is none), compressed if the
    name ends in ``.gz``; in UTF-8, with ``\\n`` at the end of a line, on every system. A file is
    written whole or not at all.

    :param path: ``None`` for standard output
    :raises ValueError: an identifier that is missing, or one or a group that has white space in it:
        the format cannot hold it
    """
    qid, docno, label = qrels_columns(qrels)
    # Categories cannot be calculated with, nor replaced by others.
    categories = [name for name in (qid, docno, label, "iteration")
                  if name in qrels and isinstance(qrels[name].dtype, pd.CategoricalDtype)]
    qrels = qrels.assign(**{name: np.asarray(qrels[name]) for name in categories})
    for column in (qid, docno):
        empty = (qrels[column].isna() | (qrels[column].astype(str) == "")).to_numpy()
        if empty.any():
            raise missing(qrels[column], empty.argmax(), "qrels")
    whole = pd.to_numeric(qrels[label], errors="coerce")
    wrong = whole.isna() | (whole % 1 != 0)
    if wrong.any():
        raise ValueError("TREC qrels hold whole numbers as labels, not "
                         f"{qrels[label][wrong].iloc[0]!r}")
    iteration: Any = "0"
    if "iteration" in qrels:
        iteration = qrels["iteration"].map(label_text, na_action="ignore").fillna("-")
    frame = pd.DataFrame({"qid": texts_of(qrels[qid]), "iteration": iteration,
                          "docno": texts_of(qrels[docno]), "label": whole.astype("int64")},
                         index=qrels.index)
    frame["iteration"] = frame["iteration"].where(frame["iteration"] != "", "-")
    for column in ("qid", "iteration", "docno"):
        spaced = frame[column].str.contains(r"\s")
        if spaced.any():
            raise ValueError(f"TREC qrels cannot hold the {column} "
                             f"{frame[column][spaced].iloc[0]!r}: it has white space in it")
    form: dict[str, Any] = {"sep": " ", "header": False, "index": False,
                            "quoting": csv.QUOTE_NONE, "lineterminator": "\n", "encoding": "utf-8"}
    if path is None:
        files.write_output(frame.to_csv(**form))
    else:
        with files.written_whole(path) as out:
            frame.to_csv(out, compression=files.compression(path), **form)


def _table(source: Input, separator: str, header: list[str], needed: Sequence[str]) -> pd.DataFrame:
    try:
        frame = _read_csv(source, sep=separator, dtype=str, keep_default_na=False,
                          encoding="utf-8-sig", skipinitialspace=True)
    except pd.errors.ParserError as error:
        raise ValueError(f"{source.name} cannot be read as columns ({', '.join(header)}): "
                         f"{str(error).strip()}") from None
    except (UnicodeDecodeError, *DAMAGE):
        for _ in source.lines():  # says which
            pass
        raise
    if not isinstance(frame.index, pd.RangeIndex):  # pandas takes one column too many for an index
        raise ValueError(f"{source.name}: the rows have more columns than the header "
                         f"({', '.join(header)})")
    frame.columns = pd.Index(header)
    frame = frame.rename(columns={"query_id": "qid", "doc_id": "docno"})
    again = frame.columns[frame.columns.duplicated() & frame.columns.isin(["qid", *needed])]
    if len(again):
        raise ValueError(f"{source.name} has the column {again[0]!r} twice; its header is "
                         f"{', '.join(header)}")
    need_columns(frame, needed, source.name)
    return frame.apply(lambda column: column.str.strip())


def _first_line(source: Input) -> str:
    lines = (part for _, line in source.lines() for part in line.splitlines())
    return next((line for line in lines if line.strip()), "").lstrip("\ufeff")


def _header(line: str, separator: str) -> list[str]:
    names = next(csv.reader([line], delimiter=separator, skipinitialspace=True))
    return [name.strip().lower() for name in names]


def read_targets(path: Path) -> pd.DataFrame:
    """A file of target distributions: comma-separated columns with a header, compressed if the
    name ends in ``.gz``.

    :returns: ``qid, group, share`` as text, and what other columns there are
    :raises ValueError: a column that is not there, or a line that cannot be read
    """
    with files.opened(path) as source:
        first = _first_line(source)
        if not first:
            raise ValueError(f"{source.name} is empty; it needs the columns qid, group, share")
        return _table(source, ",", _header(first, ","), ["qid", "group", "share"])


def read_groups(path: Path) -> pd.DataFrame:
    """A group file: TREC qrels with the group in the second column, or tab- or comma-separated
    columns with a header.

    :returns: ``docno, group`` or ``qid, docno, group``, and what other columns there are
    :raises ValueError: neither, or a line that cannot be read
    """
    with files.opened(path) as source:
        first = _first_line(source)
        for separator in ("\t", ","):
            header = _header(first, separator)
            if "group" in header and len(header) > 1:
                return _table(source, separator, header, ["docno", "group"])
        if len(first.split()) != 4:
            raise ValueError(f"{source.name} is no group file: it needs a header with docno and "
                             "group (and qid), separated by tabs or commas, or the four columns of "
                             "TREC qrels (qid, group, docno, label); a membership file (topic, "
                             "docno, shares) needs from_file(path, labels=[…]). Its first line is "
                             f"{_shown(first)}")
        return _columns(source, ["qid", "group", "docno", "label"])


def read_memberships(path: Path, labels: Sequence[str]) -> pd.DataFrame:
    """Read a membership file of NTCIR: topic, document and its share in each group.

    :param labels: the groups, one for each column of shares, distinct
    :returns: ``qid, docno, group, weight``, the rows of a line with its index; without shares of 0
    :raises ValueError: a line with more or fewer columns, or a share that is no number, by file and
        line
    """
    shares = [f"share of {label}" for label in labels]
    with files.opened(path) as source:
        frame = _columns(source, ["qid", "docno", *shares], dict.fromkeys(shares, float))
    weight = frame[shares].to_numpy(float)
    row, column = np.nonzero(weight)
    found = frame[["qid", "docno"]].iloc[row]
    return found.assign(group=np.asarray(labels, dtype=object)[column], weight=weight[row, column])


def read_values(path: Path) -> pd.DataFrame:
    """Read a file of values: columns ``docno value`` or ``qid docno value``, separated by white
    space, or a header with these names, separated by tabs or commas.

    :returns: ``docno, value`` or ``qid, docno, value``; with a header, all as text
    :raises ValueError: neither, or a line that cannot be read
    """
    with files.opened(path) as source:
        first = _first_line(source)
        for separator in ("\t", ","):
            header = _header(first, separator)
            if "value" in header and len(header) > 1:
                return _table(source, separator, header, ["docno", "value"])
        names = ["qid", "docno", "value"][-len(first.split()):]
        if len(first.split()) not in (2, 3):
            raise ValueError(f"{source.name} is no file of values: it needs the columns docno and "
                             "value (or qid, docno and value), separated by white space, or a "
                             "header with these names, separated by tabs or commas; its first "
                             f"line is {_shown(first)}")
        return _columns(source, names, {"value": float})
