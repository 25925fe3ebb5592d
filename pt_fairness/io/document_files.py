"""Files of qrels, values and targets."""

from __future__ import annotations

import csv
import os
from typing import Any

import pandas as pd

from pt_fairness.core.identifiers import as_frame, missing, texts_of
from pt_fairness.core.messages import LARGEST_LABEL, label_text, shown, warn
from pt_fairness.io.files import (
    Path,
    compression,
    fields_of,
    first_line,
    header_of,
    need_distinct_columns,
    opened,
    pyterrier_names,
    read_columns,
    read_table,
    table_of,
    write_output,
    written_whole,
)


def read_qrels(path: Path) -> pd.DataFrame:
    """Read TREC qrels with all four columns, compressed if the name ends in ``.gz``.

    PyTerrier's own reader drops the second column, which holds the groups.

    :returns: ``qid, docno, label, iteration``: text, text, whole number, text
    :raises ValueError: a line without four columns, an identifier with NUL, a form feed or a
        vertical tab, or a label that is no whole number (``4.0`` is one) or outside ±1,000,000; the
        error names file and line

    Examples
    --------
    >>> from pathlib import Path
    >>> from pt_fairness import read_qrels
    >>> _ = Path("qrels").write_text("1 PRO d1 1\\n1 CON d2 0\\n")
    >>> read_qrels("qrels")
      qid docno  label iteration
    0   1    d1      1       PRO
    1   1    d2      0       CON
    """
    with opened(path) as source:
        frame = read_columns(source, ["qid", "iteration", "docno", "label"])
        label = pd.to_numeric(frame["label"], errors="coerce")
        whole = label % 1 == 0  # NaN and infinities are not
        if not whole.all():
            row = int(whole.argmin())
            raise ValueError(f"{source.place(row)}: the label "
                             f"{shown(frame['label'][row])} is no whole number; "
                             "pt_fairness.groups.from_qrels and pt-fairness annotate read labels "
                             "as groups")
        outside = label.abs() > LARGEST_LABEL
        if outside.any():
            row = int(outside.argmax())
            raise ValueError(f"{source.place(row)}: the label "
                             f"{shown(frame['label'][row])} is outside ±{LARGEST_LABEL:,}")
    return frame.assign(label=label.astype("int64"))[["qid", "docno", "label", "iteration"]]


def load_qrels(source: Any) -> pd.DataFrame:
    """Load the qrels of a file, an ir_datasets id or a PyTerrier dataset.

    :param source: a frame (:func:`pt_fairness.io.as_frame`), which is returned as one of pandas;
        the path of a file (:func:`read_qrels`); if there is no such file, an id of ir_datasets,
        with ``irds:`` in front or not; or a PyTerrier dataset
    :returns: ``qid, docno, label`` and, if the source has it, ``iteration``
    :raises ValueError: it is none of these, or a dataset without qrels

    Examples
    --------
    >>> from pt_fairness.io import load_qrels
    >>> load_qrels("pt-fairness/debates/stance").head(2)
      qid   docno  label iteration
    0   1  d01-01      2       PRO
    1   1  d01-02      2       CON
    """
    source = as_frame(source)
    if isinstance(source, pd.DataFrame):
        return source
    if hasattr(source, "get_qrels"):
        try:
            return source.get_qrels()
        except NotImplementedError:
            raise ValueError(f"the dataset {shown(source)} has no qrels") from None
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
    qrels = pd.DataFrame(dataset.qrels_iter(), columns=dataset.qrels_cls()._fields)
    return qrels.rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"})


def qrels_columns(qrels: pd.DataFrame) -> tuple[str, str, str]:
    """Return the names of the columns of topic, document and label in a qrels frame.

    The names are those of PyTerrier or of ir_measures.

    :raises ValueError: a column is missing, or the qrels are no DataFrame

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness.io import qrels_columns
    >>> qrels_columns(pd.DataFrame(columns=["query_id", "doc_id", "relevance", "iteration"]))
    ('query_id', 'doc_id', 'relevance')
    """
    if not isinstance(qrels, pd.DataFrame):
        raise ValueError(f"qrels are a DataFrame here, not a {type(qrels).__name__}; "
                         "pt_fairness.read_qrels reads a file into one")
    need_distinct_columns(qrels, "the frame of qrels")
    for names in (("qid", "docno", "label"), ("query_id", "doc_id", "relevance")):
        if set(names) <= set(qrels.columns):
            return names
    raise ValueError("qrels need the columns qid, docno, label or query_id, doc_id, relevance; "
                     f"these have {', '.join(map(str, qrels.columns))}")


def of_topics(qrels: pd.DataFrame, topics: pd.DataFrame | None) -> pd.DataFrame:
    """Return the qrels of some topics, as ``pt.Experiment`` does; warn if there are others.

    :param topics: ``qid``; ``None`` for all topics of the qrels
    :raises ValueError: the qrels have none of the topics
    """
    if topics is None:
        return qrels
    column, _, _ = qrels_columns(qrels)
    qid = pd.Series(texts_of(qrels[column]))
    chosen = qid.isin(texts_of(topics["qid"]))
    if not chosen.any():
        raise ValueError(f"the qrels have none of the topics: they have topics such as {qid[0]!r}, "
                         f"topics= has {str(topics['qid'].iloc[0])!r}")
    if not chosen.all():
        warn(f"topics= has {qid[chosen].nunique()} of the {qid.nunique()} topics of the qrels; the "
             "others are left out")
    return qrels[chosen.to_numpy()]


def write_qrels(qrels: pd.DataFrame, path: Path | None = None) -> None:
    """Write TREC qrels, compressed if the name ends in ``.gz``.

    The text is UTF-8 with ``\\n`` at the end of each line on every system. A file is replaced
    atomically.

    :param qrels: ``qid, docno, label`` or ir_measures' names, and ``iteration``, which is ``0`` if
        the column is missing and ``-`` where a value is
    :param path: ``None`` for standard output
    :raises ValueError: an identifier is missing, an identifier or a group has white space in it, or
        a label is no whole number
    :raises OSError: the file cannot be written

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import write_qrels
    >>> write_qrels(pd.DataFrame({"qid": ["1"], "docno": ["d1"], "label": [1],
    ...                           "iteration": ["PRO"]}))
    1 PRO d1 1
    """
    qid, docno, label = qrels_columns(qrels)
    columns = [name for name in (qid, docno, label, "iteration") if name in qrels]
    # Categorical columns support neither arithmetic nor new values.
    qrels = qrels[columns].astype(object)
    for column in (qid, docno):
        empty = qrels[column].isna() | (qrels[column] == "")
        if empty.any():
            raise missing(qrels[column], empty.to_numpy().argmax(), "qrels")
    number = pd.to_numeric(qrels[label], errors="coerce")
    whole = number % 1 == 0
    if not whole.all():
        raise ValueError("TREC qrels hold whole numbers as labels, not "
                         f"{qrels[label][~whole].iloc[0]!r}")
    iteration: Any = "0"
    if "iteration" in qrels:
        iteration = qrels["iteration"].map(label_text, na_action="ignore")
        iteration = iteration.fillna("-").replace("", "-")
    frame = pd.DataFrame({"qid": texts_of(qrels[qid]), "iteration": iteration,
                          "docno": texts_of(qrels[docno])}, index=qrels.index)
    frame["label"] = number.astype("int64")
    for column in ("qid", "iteration", "docno"):
        spaced = frame[column].str.contains(r"\s")
        if spaced.any():
            raise ValueError(f"TREC qrels cannot hold the {column} "
                             f"{frame[column][spaced].iloc[0]!r}: it has white space in it")
    form: dict[str, Any] = {"sep": " ", "header": False, "index": False,
                            "quoting": csv.QUOTE_NONE, "lineterminator": "\n", "encoding": "utf-8"}
    if path is None:
        write_output(frame.to_csv(**form))
    else:
        with written_whole(path) as out:
            frame.to_csv(out, compression=compression(path), **form)


def read_labels(path: Path) -> pd.DataFrame:
    """Read TREC qrels whose labels are text or numbers, such as stances.

    :returns: ``qid, docno, label`` as text
    :raises ValueError: a line without four columns (the error names file and line)
    """
    with opened(path) as source:
        return read_columns(source, ["qid", "iteration", "docno", "label"]).drop(
            columns="iteration")


def read_values(path: Path) -> pd.DataFrame:
    """Read a file of values, compressed if the name ends in ``.gz``.

    It has the columns ``docno value`` or ``qid docno value``, separated by white space, or a header
    with these names, separated by tabs or commas.

    :returns: ``docno, value`` or ``qid, docno, value``; with a header, all as text
    :raises ValueError: the file has another form, or a line cannot be read

    Examples
    --------
    >>> from pathlib import Path
    >>> from pt_fairness.io import read_values
    >>> _ = Path("values").write_text("d1 0.5\\nd2 -1\\n")
    >>> read_values("values")
      docno  value
    0    d1    0.5
    1    d2   -1.0
    """
    with opened(path) as source:
        separator, header = table_of(source, "value")
        if separator:
            return read_table(source, separator, pyterrier_names(header), ["docno", "value"])
        first = first_line(source)
        fields = len(fields_of(first))
        if fields not in (2, 3):
            raise ValueError(f"{source.name} is no file of values: it needs the columns docno and "
                             "value (or qid, docno and value), separated by white space, or a "
                             "header with these names, separated by tabs or commas; its first "
                             f"line is {shown(first)}")
        return read_columns(source, ["qid", "docno", "value"][-fields:], {"value": float})


def read_targets(path: Path) -> pd.DataFrame:
    """Read a file of target distributions, compressed if the name ends in ``.gz``.

    It has a header and columns separated by commas.

    :returns: ``qid, group, share`` as text, and the other columns of the file
    :raises ValueError: a column is missing, or a line cannot be read

    Examples
    --------
    >>> from pathlib import Path
    >>> from pt_fairness.io.document_files import read_targets
    >>> _ = Path("targets.csv").write_text("qid,group,share\\n1,PRO,0.4\\n1,CON,0.6\\n")
    >>> read_targets("targets.csv")
      qid group share
    0   1   PRO   0.4
    1   1   CON   0.6
    """
    return _read_csv(path, ["qid", "group", "share"])


def read_topic_groups(path: Path) -> pd.DataFrame:
    """Read a CSV file of groups of topics, ``qid, group``, compressed if the name ends in ``.gz``.

    :returns: ``qid, group`` as text, and the other columns of the file
    :raises ValueError: a column is missing, or a line cannot be read
    """
    return _read_csv(path, ["qid", "group"])


def _read_csv(path: Path, needed: list[str]) -> pd.DataFrame:
    with opened(path) as source:
        header = header_of(source, ",")
        if not header:
            raise ValueError(f"{source.name} is empty; it needs the columns {', '.join(needed)}")
        return read_table(source, ",", pyterrier_names(header), needed)
