"""Files and other forms of qrels."""

from __future__ import annotations

import csv
import os
from typing import Any

import pandas as pd

from pt_fairness.core.identifiers import (
    as_frame,
    texts_of,
    with_text_ids,
)
from pt_fairness.core.messages import (
    LARGEST_LABEL,
    TREC_DEFAULTS,
    label_text,
    listed,
    shown,
    warn,
)
from pt_fairness.io.column_roles import Names, plain, ranking_roles
from pt_fairness.io.files import (
    Input,
    Path,
    compression,
    need_columns,
    need_no_space,
    opened,
    write_output,
    written_whole,
)
from pt_fairness.io.tables import (
    check,
    fields_of,
    first_line,
    frame_of_scores,
    header_of,
    identified,
    is_scores,
    is_structured,
    label_names,
    named_table,
    need_role,
    read_columns,
)

#: The columns of TREC qrels.
_QRELS = ["qid", "iteration", "docno", "label"]


def read_qrels(path: Path) -> pd.DataFrame:
    """Read qrels, which may be compressed (gzip, bz2, xz, zstd, zip) and in UTF-16.

    They are TREC's four columns, of which PyTerrier's own reader drops the second one, which holds
    the groups; a table with a topic, a document and ``label``, ``relevance``, ``rel`` or ``score``,
    and ``iteration`` or not, in any form and with any names that :func:`read_run` knows, such as
    BEIR's ``query-id, corpus-id, score``; or JSON ``{qid: {docno: label}}``. Lines that begin with
    ``#`` are comments.

    :returns: ``qid, docno, label, iteration``: text, text, whole number, text; ``iteration`` is
        ``0`` in a file without it
    :raises ValueError: if a line has not four columns, or a label is not a whole number (``4.0``
        is one) within ±1,000,000; the error names file and line

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
    return _qrels_by_line(path).reset_index(drop=True)


def _qrels_by_line(path: Path) -> pd.DataFrame:
    """Return qrels whose index holds the number of each line, and is named after the file."""
    with opened(path) as source:
        frame = judgments(source)
        label = pd.to_numeric(frame["label"], errors="coerce")
        check(source, frame, "label", label % 1 == 0, "a whole number; "
              "pt_fairness.groups.from_qrels and pt-fairness annotate read labels as groups")
        check(source, frame, "label", abs(label) <= LARGEST_LABEL, f"within ±{LARGEST_LABEL:,}")
        group, texts = pd.factorize(frame["iteration"])
        names = pd.Index(label_names(texts, source.name))
    frame = frame.assign(label=label.astype("int64"), iteration=names[group])
    frame.index.name = f"{source.name}, line"
    return frame[["qid", "docno", "label", "iteration"]]


def is_whole_text(text: str) -> bool:
    """Return whether a text is a whole number, as labels of qrels are."""
    try:
        return float(text) % 1 == 0
    except ValueError:
        return False


def holds_judgments(source: Input) -> bool:
    """Return whether a file is TREC qrels, or has a header with the names of their columns."""
    if is_structured(source):
        return False
    _, line = first_line(source)
    fields = fields_of(line)
    if len(fields) == 4 and (fields[1] in TREC_DEFAULTS or is_whole_text(fields[3])):
        return True
    _, header = header_of(source)
    names = [name for name in header if plain(name) != "score"]
    found = ranking_roles(Names(names, source.name), "label", "iteration")
    return "group" not in header and found.keys() == {*_QRELS}


def judgments(source: Input) -> pd.DataFrame:
    """Return ``qid, docno, label, iteration``, with labels as they are in the file."""
    table = named_table(source, "label")
    if table is None:
        return read_columns(source, _QRELS)
    frame = identified(source, table, "label", "iteration")
    need_role(source, table, frame, "label")
    if "iteration" not in frame:
        return frame.assign(iteration="0")
    return frame.assign(iteration=_group_texts(frame["iteration"]))


def _group_texts(groups: pd.Series) -> pd.Series:
    """Return groups as text, ``-`` for none."""
    texts = groups.astype(object).map(label_text, na_action="ignore")
    return texts.fillna("-").replace("", "-")


def load_qrels(source: Any) -> pd.DataFrame:
    """Load the qrels of a file, an ir_datasets id or a PyTerrier dataset.

    :param source: a frame, also of another library; a dictionary ``{qid: {docno: label}}``; the
        path of a file (:func:`read_qrels`); if there is no such file, an id of ir_datasets, which
        may begin with ``irds:``; or a PyTerrier dataset
    :returns: ``qid, docno, label`` and, if the source has it, ``iteration``. If the source is a
        file, the index holds the numbers of the lines
    :raises ValueError: if it is none of these, or a dataset without qrels

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
    if is_scores(source):
        return frame_of_scores(source, "label")
    if hasattr(source, "get_qrels"):
        try:
            return source.get_qrels()
        except NotImplementedError:
            raise ValueError(f"the dataset {shown(source)} has no qrels") from None
    if not isinstance(source, (str, os.PathLike)):
        raise ValueError("qrels must be a DataFrame, the path of a file, an ir_datasets id or a "
                         f"PyTerrier dataset, got a {type(source).__name__}")
    if os.path.exists(source) and not os.path.isdir(source):
        return _qrels_by_line(source)
    from pt_fairness.io.documents import dataset
    judged = dataset(source, "there is no such file either")
    if not judged.has_qrels():
        raise ValueError(f"the dataset {os.fspath(source)} has no qrels")
    columns = judged.qrels_cls()._fields
    qrels = pd.DataFrame(judged.qrels_iter(), columns=columns)
    return qrels.rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"})


def qrels_columns(qrels: pd.DataFrame) -> tuple[str, str, str]:
    """Return the names of the columns of topic, document and label in a qrels frame.

    They are named as in PyTerrier or ir_measures.

    :raises ValueError: if a column is missing, or the qrels are not a DataFrame

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness.io import qrels_columns
    >>> qrels_columns(pd.DataFrame(columns=["query_id", "doc_id", "relevance", "iteration"]))
    ('query_id', 'doc_id', 'relevance')
    """
    need_columns(qrels, [], "qrels")
    for names in (("qid", "docno", "label"), ("query_id", "doc_id", "relevance")):
        if {*names} <= {*qrels}:
            return names
    columns = ", ".join(map(str, qrels.columns))
    raise ValueError("qrels need the columns qid, docno, label or query_id, doc_id, relevance; "
                     f"these have {columns}")


def chosen_topics(qrels: pd.DataFrame, topics: pd.DataFrame | None) -> pd.DataFrame:
    """Return the qrels of some topics, as ``pt.Experiment`` does; warn if there are others.

    :param topics: ``qid``; ``None`` for all topics of the qrels
    :raises ValueError: if none of the topics is in the qrels
    """
    if topics is None:
        return qrels
    column, _, _ = qrels_columns(qrels)
    qid = pd.Series(texts_of(qrels[column]))
    chosen = qid.isin(texts_of(topics["qid"]))
    if not chosen.any():
        names = listed(topics["qid"].map(str))
        judged = listed(qid.unique())
        raise ValueError(f"the qrels have none of the topics: they have {judged}, topics= has "
                         f"{names}")
    if not chosen.all():
        number = qid[chosen].nunique()
        warn(f"topics= has {number} of the {qid.nunique()} topics of the qrels; the others are "
             "left out")
    return qrels[chosen.to_numpy()]


def write_qrels(qrels: pd.DataFrame, path: Path | None = None) -> None:
    """Write TREC qrels, compressed if the name ends in ``.gz``.

    The text is UTF-8 with ``\\n`` at the end of each line. A file is replaced atomically.

    :param qrels: ``qid, docno, label`` or ir_measures' names, and ``iteration``, which is ``0`` if
        the column is missing and ``-`` where a value is
    :param path: ``None`` for standard output
    :raises ValueError: if an identifier is missing, an identifier or a group has white space in
        it, or a label is not a whole number
    :raises OSError: if the file cannot be written

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import write_qrels
    >>> write_qrels(pd.DataFrame({"qid": ["1"], "docno": ["d1"], "label": [1],
    ...                           "iteration": ["PRO"]}))
    1 PRO d1 1
    """
    qrels = as_frame(qrels)
    names = ["qid", "docno", "label"]
    # Categorical columns support neither arithmetic nor new values.
    frame = qrels[[*qrels_columns(qrels)]].astype(object).set_axis(names, axis="columns")
    frame = with_text_ids(frame.replace({"qid": "", "docno": ""}, None), "qrels", "qid", "docno")
    number = pd.to_numeric(frame["label"], errors="coerce")
    whole = number % 1 == 0
    if not whole.all():
        label = frame["label"][~whole].iloc[0]
        raise ValueError(f"labels of TREC qrels must be whole numbers, got {label!r}")
    frame["label"] = number.astype("int64")
    frame.insert(1, "iteration", "0")
    if "iteration" in qrels:
        frame["iteration"] = _group_texts(qrels["iteration"])
    need_no_space(frame, ["qid", "iteration", "docno"], "TREC qrels")
    form: Any = {"sep": " ", "header": False, "index": False, "quoting": csv.QUOTE_NONE,
                 "lineterminator": "\n", "encoding": "utf-8"}
    if path is None:
        write_output(frame.to_csv(**form))
    else:
        with written_whole(path) as out:
            frame.to_csv(out, compression=compression(path), **form)


def read_labels(path: Path) -> pd.DataFrame:
    """Read qrels in any form, whose labels are text or numbers, such as stances.

    :returns: ``qid, docno, label`` as text
    """
    with opened(path) as source:
        return judgments(source)[["qid", "docno", "label"]]
