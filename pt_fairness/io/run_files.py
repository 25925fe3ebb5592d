"""Runs of files, and runs by name: those of files, patterns, frames, lists and transformers."""

from __future__ import annotations

import glob
import os
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from html import unescape
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import Ints
from pt_fairness.core.identifiers import PYTERRIER, as_frame, texts_of
from pt_fairness.core.messages import (
    TREC_DEFAULTS,
    distinct_or,
    first_names,
    label_text,
    listed,
    plural,
    shown,
    warn,
)
from pt_fairness.io.document_files import dataset_of
from pt_fairness.io.files import (
    Input,
    Path,
    fields_of,
    first_line,
    is_number,
    need_columns,
    need_rows,
    opened,
    read_columns,
    read_json,
    read_parquet,
)

_TREC = ["qid", "q0", "docno", "rank", "score", "tag"]
#: The number of documents of the first topic, at least and at most, of which ranks and scores are
#: compared.
SHORTEST_LIST, LONGEST_LIST = 5, 1000
#: The first field of the optional header of TREC Fair files, without and with a byte order mark.
_FAIR_HEADERS = ("id", "\ufeffid")


def read_run(path: Path) -> pd.DataFrame:
    """Read a run, compressed if the name ends in ``.gz``.

    A file has one of four forms:

    * TREC's six columns. Ranks and tags are ignored: documents are ranked by their scores. A
      warning says if the scores of the first topic never fall as the ranks grow. A tag may have
      white space in it if all rows have the same; a warning says so. The second column is read as
      the sample (one of several rankings of a topic) if three conditions hold: it has at least two
      distinct values, all of them whole numbers with an optional leading ``Q``; some document of a
      topic is in several samples; and some sample of a topic has several rows. Otherwise it is
      ignored.
    * TREC Fair's columns, separated by tabs, with a header or not: ``id page_id`` or ``id seq_no
      page_id``, where ``seq_no`` (or ``rep_number``) is the sample. The order of the rows is the
      ranking, and the scores are the negative ranks.
    * A table in Parquet, if the name ends in ``.parquet``: ``qid, docno, score`` or ir_measures'
      names, and ``iteration``, the sample of each row, if it holds several rankings of a topic.
    * Generated answers in JSON, as in TREC RAG, RAGTIME and DRAGUN: an object in each line, with
      ``topic_id`` or ``narrative_id``, and ``answer`` or ``responses``, a list of sentences. The
      run holds the documents that their ``citations`` name (positions in ``references``, ids, or a
      dictionary from ids to confidence), in the order of their first citation.

    The header of ir_metadata (``# ir_metadata.start`` to ``# ir_metadata.end``) is skipped.
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
    source = replace(source, header=_metadata_lines(source))
    first = first_line(source).strip()
    if first.startswith(("{", "[")):
        return _read_answers(source, text)
    fields = first.split("\t")
    if len(fields) in (2, 3) and len(fields) == len(fields_of(first)):
        return _read_trec_fair(source, text, fields)
    types = dict.fromkeys([*_TREC, "_more"], object)
    types |= {"qid": text, "docno": text, "score": float}
    frame = _with_spaced_tag(source, types)
    if frame is None:
        frame = read_columns(source, _TREC, types)
    _warn_of_ranks(frame[:LONGEST_LIST], source.name)
    samples = _samples(frame)
    frame = frame[["qid", "docno", "score"]]
    return frame if samples is None else _with_samples(frame, samples)


def _metadata_lines(source: Input) -> int:
    """Return the number of lines of the header of ir_metadata.

    :raises ValueError: the header has no end
    """
    if not first_line(source).startswith("# ir_metadata.start"):
        return 0
    for number, line in source.lines():
        if line.startswith("# ir_metadata.end"):
            return number
    raise ValueError(f"{source.name}: the header of ir_metadata has no line # ir_metadata.end")


def _read_answers(source: Input, dtype: Any) -> pd.DataFrame:
    """Read generated answers as a run of the documents that they cite.

    :raises ValueError: an answer has no topic or no sentences, its references are no list, or a
        citation names no document
    """
    rows = []
    topics = set()
    for number, answer in enumerate(read_json(source), 1):
        place = f"{source.name}, answer {number}"
        metadata = answer.get("metadata")
        if isinstance(metadata, dict):
            answer |= metadata
        topic = answer.get("topic_id", answer.get("narrative_id"))
        sentences: Any = answer.get("answer", answer.get("responses"))
        is_list = isinstance(sentences, list)
        if topic is None or not is_list or not all(isinstance(part, dict) for part in sentences):
            raise ValueError(f"{place} has no topic_id (or narrative_id), or no answer (or "
                             "responses), a list of sentences with citations; a run in JSON has "
                             "both")
        qid = label_text(topic)
        if qid in topics:
            raise ValueError(f"{place} is the second one for topic {qid!r}; a topic has one")
        topics.add(qid)
        references = answer.get("references") or []
        if not isinstance(references, (list, dict)):
            raise ValueError(f"{place} has the references {shown(references)}; they are a list of "
                             "documents")
        references = [*references]
        docnos = []
        for sentence in sentences:
            citations = sentence.get("citations") or []
            if not isinstance(citations, (list, dict)):
                citations = [citations]
            docnos += [_cited(citation, references, place) for citation in citations]
        rows += [(qid, docno) for docno in dict.fromkeys(docnos)]
    run = pd.DataFrame(rows, columns=["qid", "docno"], dtype=dtype)
    return run.assign(score=-1.0 - run.groupby("qid").cumcount())


def _cited(citation: Any, references: Sequence[Any], place: str) -> str:
    """Return the document of a citation.

    :raises ValueError: it is no text, nor the position of one in the references
    """
    document = citation
    if isinstance(citation, int) and 0 <= citation < len(references):
        document = references[citation]
    if isinstance(document, str):
        return document
    raise ValueError(f"{place} cites {shown(document)}; a citation is the id of a document, or a "
                     f"position in its {len(references)} references, from 0")


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


def _warn_of_ranks(rows: pd.DataFrame, name: str) -> None:
    """Warn if the scores of the first topic never fall as its ranks grow.

    :param rows: the first rows of a run, ``qid, rank, score``
    :param name: the name of the file
    """
    first = rows[rows["qid"].isin(rows["qid"][:1])]
    ranks = pd.to_numeric(first["rank"], errors="coerce")
    scores = first["score"].iloc[ranks.to_numpy().argsort()]
    if len(first) >= SHORTEST_LIST and ranks.is_unique and scores.is_monotonic_increasing:
        qid, *_ = first["qid"]
        warn(f"{name}: the scores of topic {qid!r} do not fall with the ranks: they go from "
             f"{scores.iloc[0]:g} to {scores.iloc[-1]:g}. Ranks are ignored, and documents are "
             "ordered by their scores; if the ranks are right, write scores that fall, such as "
             "the negative ranks", "ranks against scores")


def _with_samples(frame: pd.DataFrame, samples: Any) -> pd.DataFrame:
    """Add the samples as the column ``iteration``, and warn of their number."""
    frame = frame.assign(iteration=samples)
    count = frame["iteration"].nunique()
    warn(f"the run was read as {plural(count, 'sample')}, rankings of the same topics: each is "
         "ranked by itself")
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
    types = {"qid": dtype, "docno": dtype, "iteration": object, "_more": object}
    frame = read_columns(source, [*lists, "docno"], types)
    frame = frame[~frame["qid"].isin(_FAIR_HEADERS)]
    if len(fields) == 3:
        whole = frame["iteration"].str.fullmatch("[0-9]{1,18}").to_numpy(bool)
        if not whole.all():
            row = frame.index[whole.argmin()]
            raise ValueError(f"{source.place(row)}: the sample "
                             f"{shown(frame['iteration'][row])} is no whole number; a file of "
                             "three columns has id, seq_no and page_id")
        frame = frame.astype({"iteration": "int64"})
        numbered = len(frame) > 1 and not frame.duplicated(lists).any()
        if numbered and fields[0].strip() not in _FAIR_HEADERS:
            raise ValueError(f"{source.name} has three columns without a header, and the second is "
                             "another number in every row of a topic; if the columns are id, "
                             "seq_no and page_id, add this header, else give TREC's six columns")
    frame = frame.reset_index(drop=True)
    run = frame[["qid", "docno"]].assign(score=-1.0 - frame.groupby(lists, sort=False).cumcount())
    return run if len(fields) == 2 else _with_samples(run, frame["iteration"])


def _read_parquet(source: Input, text: Any) -> pd.DataFrame:
    frame = as_frame(read_parquet(source))
    frame = frame.rename(columns=PYTERRIER)
    columns = ["qid", "docno", "score"]
    need_columns(frame, columns, source.name)
    if "iteration" in frame:
        columns.append("iteration")
    score = pd.to_numeric(frame["score"], errors="coerce").astype(float)
    run = frame[columns].assign(score=score).reset_index(drop=True)
    for column in columns:
        if run[column].hasnans:
            row = run[column].isna().argmax()
            reason = "no number" if column == "score" else "missing"
            raise ValueError(f"{source.name}, row {row}: the {column} "
                             f"{str(frame[column].iloc[row])!r} is {reason}")
    for column in ("qid", "docno"):
        run[column] = pd.Series(texts_of(run[column]), dtype=text)
    return _with_samples(run, run["iteration"]) if "iteration" in run else run


#: A run that can be read: the path of a file, or a frame.
RunInput = Path | pd.DataFrame
#: Runs as users give them: one, several, or several by name. Besides paths and frames, a run is a
#: dictionary ``{qid: {docno: score}}``, a list of ir_measures' ``ScoredDoc``, or a transformer.
RunInputs = RunInput | Sequence[Any] | Mapping[str, Any]
#: What a run is, in errors.
_FORMS = "the path of a file, a DataFrame, a dictionary {qid: {docno: score}} or a transformer"


class NamedRuns(dict[str, RunInput]):
    """Runs by name."""

    #: The topics that count, ``None`` for those of the qrels.
    topics: pd.DataFrame | None = None
    #: The transformers by name.
    systems: Mapping[str, Any] = {}


def named(runs: RunInputs, names: Sequence[str] | None = None, topics: Any = None,
          progress: bool = True) -> NamedRuns:
    """Return the runs by name, each as a path or a frame. Transformers are run.

    :param names: a name for each run; by default those of the files
    :param topics: the topics of transformers, as :func:`load_topics` takes them
    :param progress: whether to show a progress bar while transformers are run
    :raises ValueError: there are none, two have the same name, one is no run, the names are not as
        many as the runs, or transformers without topics
    """
    if not isinstance(runs, Mapping):
        runs = as_frame(runs)
    if isinstance(runs, Mapping) and not _is_scores(runs):
        if names is not None:
            raise ValueError("the dictionary of runs has their names already; leave out names=, or "
                             "give the runs as a list")
        by_name = {str(name): run for name, run in runs.items()}
        if len(by_name) < len(runs):
            raise ValueError(f"two runs have the same name as text; the names are {listed(runs)}")
    else:
        if isinstance(runs, (str, os.PathLike)) or _is_run(runs):
            runs = [runs]
        if not isinstance(runs, Iterable):
            raise ValueError(f"runs={shown(runs)} is a {type(runs).__name__}; a run is {_FORMS}, "
                             "and several are in a list or a dictionary")
        several: list[Any] = []
        for run in map(as_frame, runs):  # of files, also those that match a pattern
            several += [run] if _is_run(run) else _matching_files(run)
        labels = _default_names(several) if names is None else _checked(names, several)
        for label, count in Counter(labels).items():
            if count > 1:
                raise ValueError(f"the run {label!r} is given twice; give each once, or give each "
                                 "a name of its own")
        by_name = dict(zip(labels, several, strict=True))
    if not by_name:
        raise ValueError(f"there are no runs; give one or several: {_FORMS}")
    systems = {name: run for name, run in by_name.items() if is_system(run)}
    if systems and topics is None:
        raise ValueError(f"{first_names([*systems])}: a transformer needs topics= to retrieve for, "
                         "a frame with qid and query or a dataset")
    readable = NamedRuns()
    readable.systems = systems
    if topics is not None:
        readable.topics = load_topics(topics)
    if systems:
        by_name |= results_of(systems, readable.topics, progress)
    for name, run in by_name.items():
        readable[name] = _frame_of(name, run)
    return readable


def _frame_of(name: str, run: Any) -> RunInput:
    """Return a run as a path or a frame with scores."""
    run = as_frame(run)
    if isinstance(run, (str, os.PathLike)):
        return run
    if isinstance(run, pd.DataFrame):
        frame = run
    elif _is_scores(run):
        rows = []
        for qid, documents in run.items():
            rows += [(qid, docno, score) for docno, score in documents.items()]
        frame = pd.DataFrame(rows, columns=["qid", "docno", "score"])
    elif _is_scored_docs(run):
        frame = pd.DataFrame([*run])
    else:
        raise ValueError(f"the run {name!r} is a {type(run).__name__}; a run is {_FORMS}")
    if "rank" in frame and "score" not in frame:
        frame = frame.assign(score=-pd.to_numeric(frame["rank"], errors="coerce"))
    return frame


def _is_run(run: Any) -> bool:
    """Return whether a value is a run other than a file."""
    return isinstance(run, pd.DataFrame) or is_system(run) or _is_scores(run) \
        or _is_scored_docs(run)


def _is_scores(run: Any) -> bool:
    """Return whether a value is a run ``{qid: {docno: score}}``, as of ir_measures."""
    if not isinstance(run, Mapping) or not run:
        return False
    if not all(isinstance(documents, Mapping) for documents in run.values()):
        return False
    # The first score of each topic tells.
    return all(isinstance(next(iter(documents.values()), 0), Real) for documents in run.values())


def _is_scored_docs(run: Any) -> bool:
    """Return whether a value is a list of ``ScoredDoc`` of ir_measures."""
    return isinstance(run, Sequence) and len(run) > 0 and hasattr(run[0], "doc_id") \
        and isinstance(run[0], tuple)


def _default_names(runs: Sequence[Any]) -> list[str]:
    """Return the names of files and transformers, and the positions of other runs."""
    paths = [run for run in runs if isinstance(run, (str, os.PathLike))]
    short_names = iter(_short_names(paths))
    names = []
    long_names = []
    for i, run in enumerate(runs):
        long_name = f"run {i}"
        name = str(run) if is_system(run) else long_name
        if isinstance(run, (str, os.PathLike)):
            name = next(short_names)
            long_name = os.fspath(run)
        names.append(name)
        long_names.append(long_name)
    return distinct_or(names, long_names)


def _checked(names: Sequence[str], runs: Sequence[Any]) -> list[str]:
    """Check the names of runs, and return them as text.

    :raises ValueError: ``names`` is no list, or has another length
    """
    if isinstance(names, (str, Mapping)) or not isinstance(names, Iterable):
        raise ValueError(f"names={shown(names)}: names is a list with a name for each run")
    labels = [str(name) for name in names]
    if len(labels) != len(runs):
        raise ValueError(f"there are {len(labels)} names for {len(runs)} runs, which are "
                         f"{first_names(_default_names(runs))}")
    return labels


def _matching_files(path: Path) -> list[str]:
    """Return the files that match a pattern; a path without wildcards is returned as it is.

    :raises ValueError: no path, or no file matches
    """
    if not isinstance(path, (str, os.PathLike)):
        raise ValueError(f"{shown(path)} is a {type(path).__name__}; a run is {_FORMS}")
    text = os.fspath(path)
    if not glob.has_magic(text) or os.path.exists(text):
        return [text]
    files = sorted(glob.glob(text, recursive=True))
    if not files:
        raise ValueError(f"no file matches {text!r}")
    return files


def file_name(path: Path) -> str:
    """Return the name of a file without the suffixes of runs and of compression.

    That of ``TEAM/output/run.txt``, where TIRA puts runs, is ``TEAM``.
    """
    *_, team, folder, name = ["", "", *os.path.abspath(path).split(os.sep)]
    name = re.sub(r"(?<=.)(\.(gz|json|jsonl|parquet|run|res|trec|txt))+$", "", name)
    return team if team and (folder, name) == ("output", "run") else name


def _short_names(paths: Sequence[Path]) -> list[str]:
    """Return the part of each file name that differs from the others, as a name for the run.

    Parts are separated by dots. What all names begin or end with is left out.
    """
    names = [re.split(r"(?<!\d)\.|\.(?!\d)", file_name(path)) for path in paths]  # 0.5 is one
    if all(name == names[0] for name in names):
        return [".".join(name) for name in names]
    for _ in range(2):  # from the start, then from the end
        shortest = min(map(len, names))
        shared = len(os.path.commonprefix(names))  # noqa: RUF071 - of lists
        names = [name[min(shared, shortest - 1):][::-1] for name in names]
    return [".".join(name) for name in names]


#: The number of topics that a transformer is given at a time.
BATCH = 25
#: The columns of results that are kept.
_COLUMNS = ("qid", "docno", "score", "rank", "iteration", "group")


def is_system(run: Any) -> bool:
    """Return whether a run is a PyTerrier transformer, which has to retrieve first."""
    pyterrier = sys.modules.get("pyterrier")  # no transformer exists before it is imported
    return pyterrier is not None and isinstance(run, pyterrier.Transformer)


def results_of(systems: Mapping[str, Any], topics: pd.DataFrame,
               progress: bool = True) -> dict[str, pd.DataFrame]:
    """Return the results of transformers, each of which is run once, in batches of topics.

    :param topics: ``qid`` and what the transformers read, such as ``query``
    :param progress: whether to show a progress bar
    :raises ValueError: results have no ``qid`` or ``docno``
    """
    import pyterrier as pt
    results = {}
    with pt.tqdm(total=len(systems) * len(topics), desc="retrieve", unit="topic",
                 disable=not progress) as bar:
        for name, system in systems.items():
            parts = []
            for start in range(0, len(topics), BATCH):
                ranking = system(topics.iloc[start:start + BATCH])
                need_columns(ranking, ["qid", "docno"], f"what {name!r} retrieved")
                parts.append(ranking.filter(_COLUMNS))
                bar.update(min(BATCH, len(topics) - start))
            results[name] = pd.concat(parts, ignore_index=True)
    return results


#: A topic of a TREC file (SGML or XML), its number and its query.
_TOPIC = re.compile(r"<top(?:ic)?\b.*?</top(?:ic)?>", re.DOTALL)
_NUMBER = re.compile(r"""<num(?:ber)?>\s*(?:Number:)?\s*([^<\s]+)|number=["']([^"']+)""")
_QUERY = re.compile(r"<(?:title|query)>\s*(?:Topic:)?\s*([^<]*[^<\s])")
#: A line of any other file: the topic, then white space, a comma or a colon, then the query.
_LINE = re.compile(r'^"?([^\s:,"]+)"?[ \t:,]+"?(.*[^\s"])', re.MULTILINE)


def load_topics(source: Any) -> pd.DataFrame:
    """Load topics as a frame ``qid, query``.

    :param source: a frame, which is returned as it is; a PyTerrier dataset; the path of a file
        (TREC topics in SGML or XML, or a topic and its query in each line); or an id of
        ir_datasets, with ``irds:`` in front or not
    :raises ValueError: it is none of these, or has no topics

    Examples
    --------
    >>> load_topics("pt-fairness/debates").head(2)
      qid                                    query
    0   1                       Should zoos exist?
    1   2  Should countries expand nuclear energy?
    """
    source = as_frame(source)
    if isinstance(source, pd.DataFrame):
        need_rows(source, "the frame of topics", ["qid"])
        return source
    if isinstance(source, (str, os.PathLike)):
        if os.path.exists(source) and not os.path.isdir(source):
            return _read_topics(source)
        import pyterrier as pt
        dataset_id = dataset_of(source, "a file of topics").dataset_id()
        source = pt.get_dataset(f"irds:{dataset_id}")
    if not hasattr(source, "get_topics"):
        raise ValueError(f"topics={shown(source)} is a {type(source).__name__}; topics are a "
                         "DataFrame with qid and query, a dataset of pt.get_dataset, an id of "
                         "ir_datasets or the path of a file")
    topics = source.get_topics()
    need_columns(topics, ["qid", "query"], f"the topics of {shown(source)}")
    return topics


def _read_topics(path: Path) -> pd.DataFrame:
    """Read a file of topics; raise an error if it holds TREC qrels."""
    with opened(path) as file:
        text = "\n".join(line for _, line in file.lines())
    pairs = []
    for topic in _TOPIC.findall(text):
        number, query = _NUMBER.search(topic), _QUERY.search(topic)
        if number and query:
            words = " ".join(query[1].split())
            pairs.append((number[1] or number[2], unescape(words)))
    if not pairs:
        pairs = _LINE.findall(text)
        rows = [line.split() for line in text.splitlines() if line.strip()]
        if {*map(len, rows)} == {4}:
            topics, second, *_ = zip(*rows, strict=True)
            if {*second} <= TREC_DEFAULTS or len({*topics}) < len(topics):
                raise ValueError(f"{os.fspath(path)} holds qrels (such as {' '.join(rows[0])!r}) "
                                 "and no topics; a file of topics has each topic once, with its "
                                 "query")
    if not pairs:
        raise ValueError(f"{os.fspath(path)} has no topics; it needs TREC topics in SGML or XML, "
                         "or a topic and its query in each line")
    return pd.DataFrame(pairs, columns=["qid", "query"])
