"""Readers of run files: TREC, TREC Fair Ranking and Parquet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import Bools, Ints
from pt_fairness.core.identifiers import texts_of
from pt_fairness.core.messages import shown, warn
from pt_fairness.io.files import Input, Path, opened
from pt_fairness.io.frames import fields_of, first_line, is_number, need_columns, read_columns

_TREC = ["qid", "q0", "docno", "rank", "score", "tag"]
#: The first field of the optional header of TREC Fair files, without and with a byte order mark.
_FAIR_HEADERS = ("id", "\ufeffid")


def read_run(path: Path) -> pd.DataFrame:
    """Read a run, compressed if the name ends in ``.gz``.

    A file has one of three forms:

    * TREC's six columns. Ranks and tags are ignored: documents are ranked by their scores. A tag
      may have white space in it if all rows have the same; a warning says so. The second column is
      read as the sample (one of several rankings of a topic) if three conditions hold: it has at
      least two distinct values, all of them whole numbers with an optional leading ``Q``; some
      document of a topic is in several samples; and some sample of a topic has several rows.
      Otherwise it is ignored.
    * TREC Fair's columns, separated by tabs, with a header or not: ``id page_id`` or ``id seq_no
      page_id``, where ``seq_no`` (or ``rep_number``) is the sample. The order of the rows is the
      ranking, and the scores are the negative ranks.
    * A table in Parquet, if the name ends in ``.parquet``: ``qid, docno, score`` or ir_measures'
      names, and ``iteration``, the sample of each row, if it holds several rankings of a topic.

    If there are samples, a :class:`~pt_fairness.FairnessWarning` gives their number.

    :returns: ``qid, docno, score`` and, if there are samples, ``iteration``: text, text, float,
        whole number (in Parquet, any value); rows in the order of the file
    :raises ValueError: a line with another number of columns, a score that is NaN or no number, or
        a sample that is no whole number (the error names file and line); in Parquet, a missing
        value or a score that is no number (the error names file and row)

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


def need_results(run: pd.DataFrame) -> None:
    """Raise an error if a run is empty.

    :raises ValueError: it has no rows
    """
    if run.empty:
        raise ValueError("the run is empty; a system that returned nothing for any topic cannot be "
                         "told from a failed one")


def read_opened_run(source: Input, text: Any = str) -> pd.DataFrame:
    """Read a run from an open file, as :func:`read_run` does.

    :param text: the dtype of topics and documents; ``object`` is faster to work with than ``str``
    """
    if source.name.endswith(".parquet"):
        return _read_parquet(source, text)
    first = first_line(source).strip()
    fields = first.split("\t")
    if len(fields) in (2, 3) and len(fields) == len(fields_of(first)):
        return _read_trec_fair(source, text, fields)
    types = {"qid": text, "q0": object, "docno": text, "rank": object, "score": float,
             "tag": object, "_more": object}
    frame = _with_spaced_tag(source, types)
    if frame is None:
        frame = read_columns(source, _TREC, types)
    samples = _samples(frame)
    frame = frame[["qid", "docno", "score"]]
    return frame if samples is None else _with_samples(frame, samples)


def _with_spaced_tag(source: Input, types: Mapping[str, Any]) -> pd.DataFrame | None:
    """Return the rows of a run whose tag has white space in it, and warn.

    :param types: the dtypes of the columns
    :returns: ``None`` if the rows differ after the fifth column, or the first one has no such tag
    """
    words = fields_of(first_line(source))[5:]
    if len(words) < 2 or is_number(words[0]):
        return None
    tags = [f"word {i} of the tag" for i in range(len(words))]
    try:
        frame = read_columns(source, [*_TREC[:5], *tags], types)
    except ValueError:
        return None  # read_columns raises the error of six columns
    if not (frame[tags] == words).all(axis=None):
        return None
    warn(f"{source.name}: the tag {shown(' '.join(words))} has white space in it; the five columns "
         "before it were read", "a tag with white space")
    return frame


def _with_samples(frame: pd.DataFrame, samples: Any) -> pd.DataFrame:
    """Add the samples as the column ``iteration``, and warn of their number."""
    frame = frame.assign(iteration=samples)
    count = frame["iteration"].nunique()
    warn(f"the run was read as {count} sample{'s' * (count != 1)}, rankings of the same topics: "
         "each is ranked by itself")
    return frame


def _samples(frame: pd.DataFrame) -> Ints | None:
    """Return the sample of each row, ``[n]``; ``None`` if the second column does not hold samples.

    :param frame: ``qid, q0, docno``
    """
    column = frame["q0"].to_numpy()
    if len(column) == 0 or (column == column[0]).all():  # as in most files
        return None
    codes, names = pd.factorize(column)
    texts = pd.Series(names, dtype=object).str.removeprefix("Q")
    if not texts.str.fullmatch("[0-9]{1,18}").all():
        return None
    samples, number = np.unique(texts.astype("int64").to_numpy(), return_inverse=True)
    sample = number[codes]
    rows = frame[["qid", "docno"]].assign(sample=sample)
    several = rows.duplicated(["qid", "sample"]).any() \
        and rows.drop_duplicates().duplicated(["qid", "docno"]).any()
    return samples[sample] if several else None


def _read_trec_fair(source: Input, dtype: Any, fields: list[str]) -> pd.DataFrame:
    """Read a file of the TREC Fair Ranking track.

    :param fields: the fields of the first line
    """
    lists = ["qid", "iteration"][:len(fields) - 1]
    frame = read_columns(source, [*lists, "docno"], {"qid": dtype, "docno": dtype,
                                                     "iteration": object, "_more": object})
    frame = frame[~frame["qid"].isin(_FAIR_HEADERS)]
    if len(fields) == 3:
        wrong = ~frame["iteration"].str.fullmatch("[0-9]{1,18}").to_numpy(bool)
        if wrong.any():
            row = frame.index[wrong.argmax()]
            raise ValueError(f"{source.name}, line {source.line_of(row)}: the sample "
                             f"{shown(frame['iteration'][row])} is no whole number; a file of "
                             "three columns has id, seq_no and page_id")
        frame = frame.astype({"iteration": "int64"})
        counted = len(frame) > 1 and not frame.duplicated(lists).any()
        if counted and fields[0].strip() not in _FAIR_HEADERS:
            raise ValueError(f"{source.name} has three columns without a header, and the second is "
                             "another number in every row of a topic; if the columns are id, "
                             "seq_no and page_id, add this header, else give TREC's six columns")
    frame = frame.reset_index(drop=True)
    run = frame[["qid", "docno"]].assign(
        score=-1.0 - frame.groupby(lists, sort=False).cumcount())  # minus the rank
    return run if len(fields) == 2 else _with_samples(run, frame["iteration"])


def _read_parquet(source: Input, text: Any) -> pd.DataFrame:
    try:
        frame = pd.read_parquet(source.rewound())
    except ImportError:
        raise ImportError(f"{source.name} needs pyarrow: pip install 'pt-fairness[parquet]'"
                          ) from None
    except (ValueError, OSError) as error:
        raise ValueError(f"{source.name} is damaged: {error}") from error
    frame = frame.rename(columns={"query_id": "qid", "doc_id": "docno"})
    columns = ["qid", "docno", "score"]
    need_columns(frame, columns, source.name)
    columns += ["iteration"] * ("iteration" in frame)
    score = pd.to_numeric(frame["score"], errors="coerce").astype(float)
    for column in columns:
        wrong: Bools = (score if column == "score" else frame[column]).isna().to_numpy()
        if wrong.any():
            row = int(wrong.argmax())
            raise ValueError(f"{source.name}, row {row}: the {column} "
                             f"{str(frame[column].iloc[row])!r} is "
                             f"{'no number' if column == 'score' else 'missing'}")
    frame = frame[columns].assign(score=score, qid=texts_of(frame["qid"]),
                                  docno=texts_of(frame["docno"]))
    frame = frame.astype({"qid": text, "docno": text}).reset_index(drop=True)
    return _with_samples(frame, frame["iteration"]) if "iteration" in frame else frame
