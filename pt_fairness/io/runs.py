"""Run files, the runs that functions take, and registered runs."""

from __future__ import annotations

import glob
import os
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from html import unescape
from itertools import chain
from typing import Any, TypeGuard

import pandas as pd

from pt_fairness.core.identifiers import PYTERRIER, as_frame, with_text_ids
from pt_fairness.core.messages import (
    BACKGROUND_WORDS,
    distinct_labels,
    distinct_or,
    first_names,
    label_text,
    label_texts,
    listed,
    plural,
    shown,
    warn,
)
from pt_fairness.core.registry import NamedObject, Registry
from pt_fairness.io.column_roles import Names, ranking_roles
from pt_fairness.io.files import Input, Path, need_columns, need_rows, opened
from pt_fairness.io.tables import (
    check,
    column_of_numbers,
    columns_error,
    fields_of,
    first_line,
    frame_of_scores,
    identified,
    is_json,
    is_scores,
    named_table,
    need_role,
    read_columns,
    read_objects,
)

__all__ = ["get", "names", "register", "unregister"]

__dir__ = __all__.copy

_TREC = ["qid", "q0", "docno", "rank", "score", "tag"]


def read_run(path: Path) -> pd.DataFrame:
    """Read a run, which may be compressed (gzip, bz2, xz, zstd, zip) and in UTF-16.

    A file has one of these forms:

    * TREC's six columns; what follows them, and lines that begin with ``#``, are ignored. Ranks and
      tags are ignored, too: documents are ranked by their scores. The second column is read as the
      sample (one of several rankings of a topic) if it holds whole numbers, with ``Q`` in front or
      not, and the ranks begin again for each.
    * A table in CSV or TSV with a header, in Parquet, or in JSON, an array of objects or one in
      each line. It has a topic, a document and a score (or a rank), and may have ``iteration``,
      the sample. Names are compared without case, ``_``, ``-`` and blanks. A topic is called
      ``qid``, ``query_id``, ``topic_id``, ``user_id``, ``topic``, ``user`` or ``query``; a document
      ``docno``, ``doc_id``, ``document_id``, ``corpus_id``, ``item_id``, ``passage_id``, ``pid``,
      ``movie_id``, ``paper_id``, ``pmid``, ``asin``, ``url``, ``item`` or ``id``.
    * JSON ``{qid: {docno: score}}``, as of ranx and pytrec_eval.
    * Three columns without a header: MS MARCO's topic, document and rank.
    * TREC Fair's columns with a header, ``id page_id`` or ``id seq_no page_id``, where ``seq_no``
      (or ``rep_number``) is the sample; or the former without one. The order of the rows is the
      ranking, and the scores are the negative ranks.
    * Generated answers in JSON, as in TREC RAG, RAGTIME and DRAGUN: an object in each line, with
      ``topic_id`` or ``narrative_id``, and ``answer`` or ``responses``, a list of sentences. The
      run holds the documents that their ``citations`` name (positions in ``references``, ids, or a
      dictionary from ids to confidence), in the order of their first citation.

    If there are samples, a :class:`~pt_fairness.FairnessWarning` gives their number.

    :returns: ``qid, docno, score`` and, if there are samples, ``iteration``: text, text, float, and
        any value; rows in the order of the file
    :raises ValueError: if a line has fewer columns, a score is not a number, or a value is missing;
        the error names file and line or row

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

    :raises ValueError: if it has not a single row
    """
    if run.empty:
        raise ValueError("the run is empty; a system that returned nothing for any topic cannot be "
                         "told from a failed one")


def read_opened_run(source: Input, text: Any = str) -> pd.DataFrame:
    """Read a run from an open file, as :func:`read_run` does.

    :param text: the dtype of topics and documents; ``object`` is faster to work with than ``str``
    """
    table = named_table(source, "score")
    if table is not None and is_json(source):
        names = Names([*table], source.name)
        if "docno" not in ranking_roles(names):
            return _read_answers(source, text)
    if table is None:
        table = _short_table(source)
    if table is not None:
        return _named_rows(source, table, text)
    types = dict.fromkeys(_TREC, object) | {"qid": text, "docno": text, "score": float}
    frame = read_columns(source, _TREC, types, rest=True)
    longer = frame["rest"] != ""
    if longer.any():  # a document with white space in it moves the rank
        moved = longer & pd.to_numeric(frame["rank"], errors="coerce").isna()
        if moved.any():
            raise columns_error(source, moved.idxmax(), _TREC)
    frame = frame.reset_index(drop=True)
    samples = _samples(source, frame)
    run = frame[["qid", "docno", "score"]]
    return run if samples is None else _sampled(run, samples)


def _read_answers(source: Input, dtype: Any) -> pd.DataFrame:
    """Read generated answers as a run of the documents that they cite.

    :raises ValueError: if an answer lacks its topic, shares it with another, or its sentences do
        not cite documents
    """
    documents: dict[str, list[str]] = {}
    answers = read_objects(source)
    for number, answer in answers.items():
        where = f"{source.name}, {answers.index.name} {number}"
        metadata = answer.get("metadata")
        if isinstance(metadata, dict):
            answer |= metadata
        topic = answer.get("topic_id", answer.get("narrative_id"))
        if topic is None or label_text(topic) in documents:
            raise ValueError(f"{where} must be the one answer for its topic_id (or narrative_id), "
                             "or a row of qid, docno and score, or {qid: {docno: score}}, got "
                             f"{shown(topic or answer)}")
        try:
            documents[label_text(topic)] = _citations(answer)
        except (TypeError, AttributeError, IndexError) as error:
            raise ValueError(f"{where} must have answer (or responses), a list of sentences whose "
                             "citations are ids or positions in references, from 0, got "
                             f"{shown(answer)}: {error}") from error
    cited = pd.Series(documents, dtype=object).explode().dropna()
    run = cited.rename_axis("qid").reset_index(name="docno").astype(dtype)
    return run.assign(score=-1.0 - run.groupby("qid").cumcount())


def _citations(answer: Mapping[str, Any]) -> list[str]:
    """Return the distinct documents that an answer cites, in the order of their first citation.

    :raises TypeError: if a citation is neither an id nor a position
    :raises IndexError: if a position is not in the references
    :raises AttributeError: if a sentence is not an object
    """
    references = [*(answer.get("references") or [])]
    docnos: dict[str, None] = {}
    for sentence in answer.get("answer", answer.get("responses")):
        citations = sentence.get("citations") or []
        if not isinstance(citations, (list, dict)):
            citations = [citations]
        for citation in citations:
            document = citation
            if isinstance(citation, int):
                document = references[citation if citation >= 0 else len(references)]
            if not isinstance(document, str):
                raise TypeError(f"cites {shown(document)}")
            docnos[document] = None
    return [*docnos]


def _sampled(frame: pd.DataFrame, samples: Any) -> pd.DataFrame:
    """Add the samples as the column ``iteration``, and warn of their number."""
    frame = frame.assign(iteration=samples)
    number = plural(frame["iteration"].nunique(), "sample")
    warn(f"the run was read as {number}, rankings of the same topics: each is ranked by itself")
    return frame


def _samples(source: Input, frame: pd.DataFrame) -> Any:
    """Return the sample of each row, ``[n]``; ``None`` if the second column does not hold samples.

    Warn if the ranks begin again for each label of the second column.

    :param frame: ``qid, q0, rank``
    """
    label = frame["q0"]
    if len(label) == 0 or (label.to_numpy() == label.iloc[0]).all():  # as in most files
        return None
    again = frame.duplicated(["qid", "rank"])
    if not again.any() or frame.duplicated(["qid", "q0", "rank"]).any():
        return None
    if label.str.fullmatch("Q?[0-9]+").all():
        return label
    qid = frame["qid"].iloc[again.argmax()]
    labels = listed(label[frame["qid"] == qid].unique())
    warn(f"{source.name}: the ranks of topic {qid!r} begin again for each of the labels {labels} "
         "in the second column; they are read as one ranking, ordered by score. For a ranking of "
         "each label, write a file of each, or a table with the column iteration",
         "ranks that begin again")
    return None


def _short_table(source: Input) -> pd.DataFrame | None:
    """Read TREC Fair's topic and document, or MS MARCO's topic, document and rank; else ``None``.

    :raises ValueError: if the third column is not the rank
    """
    _, line = first_line(source)
    fields = fields_of(line)
    if len(fields) == 2 and "\t" in line:
        return read_columns(source, ["id", "page_id"])
    if len(fields) != 3:
        return None
    frame = read_columns(source, ["qid", "docno", "rank"])
    ranks = 1 + frame.groupby("qid").cumcount()
    possible = frame["rank"] == ranks.astype("str")
    check(source, frame, "rank", possible, "1, 2, … in a file of three columns (qid, docno, rank); "
          "other columns need a header, such as id, seq_no, page_id")
    return frame


def _named_rows(source: Input, table: pd.DataFrame, text: Any) -> pd.DataFrame:
    """Return the rows of a table with names as a run."""
    frame = identified(source, table, "score", "rank", "iteration")
    if "page_id" in table:  # TREC Fair, in the order of the ranking
        lists = frame.columns.intersection(["qid", "iteration"])
        frame["rank"] = 1 + frame.groupby([*lists], sort=False).cumcount()
    if "score" in frame or "rank" not in frame:
        need_role(source, table, frame, "score", "rank")
        score = column_of_numbers(source, frame, "score")
    else:
        score = -column_of_numbers(source, frame, "rank")
    run = frame[["qid", "docno"]].astype(text).assign(score=score)
    run = run.reset_index(drop=True)
    if "iteration" not in frame:
        return run
    samples = frame["iteration"]
    check(source, frame, "iteration", samples.notna(), "given in every row")
    return _sampled(run, samples.to_numpy())


#: A run that can be read: the path of a file, or a frame.
RunInput = Path | pd.DataFrame
#: Runs as users give them: one, several, or several by name. Besides paths and frames, a run is a
#: dictionary ``{qid: {docno: score}}``, a list of ir_measures' ``ScoredDoc``, or a transformer.
RunInputs = RunInput | Sequence[Any] | Mapping[str, Any]
#: What a run is, in errors.
_FORMS = "the path of a file, a DataFrame, a dictionary {qid: {docno: score}} or a transformer"


class NamedRuns(dict[str, Any]):
    """Runs by name, each as a path or a frame, or as a transformer until :meth:`retrieve`."""

    #: The topics that count, ``None`` for all of the qrels.
    topics: Any = None
    #: The transformers by name.
    systems: Mapping[str, Any] = {}

    def retrieve(self, progress: bool = True) -> None:
        """Put the results of transformers in their place.

        :param progress: whether to show a progress bar
        """
        waiting = {name: run for name, run in self.items() if is_system(run)}
        if waiting:
            results = results_of(waiting, self.topics, progress)
            self.update({name: _frame_of(name, frame) for name, frame in results.items()})


def named(runs: RunInputs, names: Sequence[str] | None = None, topics: Any = None) -> NamedRuns:
    """Return the runs by name.

    :param names: a name for each run. By default, files have the stems of their paths, or as many
        folders in front of them as tell all files apart; transformers have their ``repr``; others
        are ``run 0``, ``run 1``, …
    :param topics: the topics of transformers, as :func:`load_topics` takes them
    :raises ValueError: if there are none, two have the same name, one is not a run, the names are
        not as many as the runs, or transformers lack topics
    """
    if isinstance(runs, NamedRuns):
        return runs
    if not isinstance(runs, Mapping):
        runs = as_frame(runs)
    if isinstance(runs, Mapping) and not is_scores(runs):
        if names is not None:
            raise ValueError("names must be None if runs are a dictionary, which has their names")
        several: Any = [*runs.values()]
        labels = [*map(str, runs)]
    else:
        several = [runs] if _is_run(runs) else runs
        if not isinstance(several, Iterable):
            raise ValueError(f"runs must be {_FORMS}, or several in a list or a dictionary, got "
                             f"{shown(runs)}")
        several = [*chain.from_iterable(map(_matching_files, several))]
        labels = _default_names(several)
        if names is not None:
            default = first_names(labels)
            labels = label_texts(names, "names")
            if len(labels) != len(several):
                raise ValueError(f"names must be as many as the {len(several)} runs ({default}), "
                                 f"got {len(labels)}")
    if not labels:
        raise ValueError(f"there are no runs; give one or several: {_FORMS}")
    labels = distinct_labels(labels, "names of runs")
    readable = NamedRuns(zip(labels, several, strict=True))
    readable.systems = {name: run for name, run in readable.items() if is_system(run)}
    if topics is not None:
        readable.topics = load_topics(topics)
    if readable.systems and readable.topics is None:
        names = first_names([*readable.systems])
        raise ValueError(f"{names}: a transformer needs topics= to retrieve for, a frame with qid "
                         "and query or a dataset")
    for name, run in readable.items():
        if not is_system(run):
            readable[name] = _frame_of(name, run)
    return readable


def _frame_of(name: str, run: Any) -> RunInput:
    """Return a run as a path or a frame with scores."""
    frame = as_frame(run)
    if is_path(frame):
        return frame
    if is_scores(frame):
        frame = frame_of_scores(frame, "score")
    elif _is_scored_docs(frame):
        frame = pd.DataFrame([*frame])
    if not isinstance(frame, pd.DataFrame):
        raise ValueError(f"the run {name!r} must be {_FORMS}, got a {type(run).__name__}")
    if "rank" in frame and "score" not in frame:
        frame = frame.assign(score=-pd.to_numeric(frame["rank"], errors="coerce"))
    return frame


def is_path(run: Any) -> TypeGuard[Path]:
    """Return whether a run is the path of a file."""
    return isinstance(run, (str, os.PathLike))


def _is_run(run: Any) -> bool:
    """Return whether a value is one run."""
    if is_path(run) or isinstance(run, pd.DataFrame):
        return True
    return is_system(run) or is_scores(run) or _is_scored_docs(run)


def _is_scored_docs(run: Any) -> bool:
    """Return whether a value is a list of ``ScoredDoc`` of ir_measures."""
    if not isinstance(run, Sequence):
        return False
    first = next(iter(run), None)
    return isinstance(first, tuple) and hasattr(first, "doc_id")


def _default_names(runs: Sequence[Any]) -> list[str]:
    """Return a name for each run: of a file or transformer, or ``run`` and the position."""
    files = iter(_short_names(filter(is_path, runs)))
    positions = [f"run {i}" for i in range(len(runs))]
    names = []
    for run, position in zip(runs, positions, strict=True):
        names.append(str(run) if is_system(run) else position)
    names = distinct_or(names, positions)
    return [next(files) if is_path(run) else name for run, name in zip(runs, names, strict=True)]


def _matching_files(run: Any) -> list[Any]:
    """Return the files that match a pattern, or a list of the run if it is not a pattern.

    :raises ValueError: if no file matches
    """
    if not is_path(run):
        return [as_frame(run)]
    text = os.fspath(run)
    if not glob.has_magic(text) or os.path.exists(text):
        return [text]
    files = sorted(glob.glob(text, recursive=True))
    if not files:
        raise ValueError(f"no file matches {text!r}")
    return files


_ENDINGS = "gz|bz2|xz|zst|zip|json|jsonl|parquet|csv|tsv|run|res|trec|txt"


def file_name(path: Path) -> str:
    """Return the name of a file without the suffixes of runs and of compression."""
    return re.sub(rf"(?<=.)(\.({_ENDINGS}))+$", "", os.path.basename(path))


def _short_names(paths: Iterable[Path]) -> list[str]:
    """Return the stem of each file, with as many folders in front as tell all files apart."""
    paths = [*paths]
    parts = []
    for path in paths:
        folders = os.path.dirname(path).split(os.sep)
        parts.append([*folders, file_name(path)])
    longest: list[str] = max(parts, key=len, default=[])
    for depth, _ in enumerate(longest, start=1):
        names = [os.sep.join(part[-depth:]) for part in parts]
        if len({*names}) == len(names):
            return names
    return [os.fspath(path) for path in paths]


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
    :raises ValueError: if results lack ``qid`` or ``docno``
    """
    import pyterrier as pt
    results = {}
    with pt.tqdm(total=len(systems) * len(topics), desc="retrieve", unit="topic",
                 disable=not progress) as bar:
        for name, system in systems.items():
            parts = []
            for start in range(0, len(topics), BATCH):
                batch = topics.iloc[start:start + BATCH]
                ranking = system(batch)
                need_columns(ranking, ["qid", "docno"], f"what {name!r} retrieved")
                parts.append(ranking.filter(_COLUMNS))
                bar.update(len(batch))
            results[name] = pd.concat(parts)
    return results


def load_topics(source: Any) -> pd.DataFrame:
    """Load topics as a frame ``qid, query``.

    :param source: a frame, which is returned unchanged; a PyTerrier dataset; the path of a file
        (TREC topics in SGML or XML, or a topic and its query in each line); or an id of
        ir_datasets, which may begin with ``irds:``
    :raises ValueError: if it is none of these, or lacks topics

    Examples
    --------
    >>> load_topics("pt-fairness/debates").head(2)
      qid                                    query
    0   1                       Should zoos exist?
    1   2  Should countries expand nuclear energy?
    """
    topics = as_frame(source)
    if is_path(source):
        if os.path.exists(source) and not os.path.isdir(source):
            return _read_topics(source)
        import pyterrier as pt

        from pt_fairness.io.documents import dataset
        dataset_id = dataset(source, "there is no such file of topics either").dataset_id()
        topics = pt.get_dataset(f"irds:{dataset_id}")
    if hasattr(topics, "get_topics"):
        topics = topics.get_topics()
    need_rows(topics, "topics", ["qid"])
    return topics


#: A topic of a TREC file (SGML or XML), its number and its query.
_TOPIC = re.compile(r"<top(?:ic)?\b.*?</top(?:ic)?>", re.DOTALL)
_NUMBER = re.compile(r"""<num(?:ber)?>\s*(?:Number:)?\s*([^<\s]+)|number=["']([^"']+)""")
_QUERY = re.compile(r"<(?:title|query)>\s*(?:Topic:)?\s*([^<]*[^<\s])")
#: A line of any other file: the topic, then white space, a comma or a colon, then the query.
_LINE = re.compile(r'^"?([^\s:,"]+)"?[ \t:,]+"?(.*[^\s"])', re.MULTILINE)


def _read_topics(path: Path) -> pd.DataFrame:
    """Read a file of topics, whose numbers stay as they are."""
    with opened(path) as file:
        text = "\n".join(line for _, line in file.lines())
    pairs = []
    for topic in _TOPIC.findall(text):
        number = _NUMBER.search(topic)
        query = _QUERY.search(topic)
        if number and query:
            words = " ".join(query[1].split())
            pairs.append((number[1] or number[2], unescape(words)))
    pairs = pairs or _LINE.findall(text)
    if not pairs:
        raise ValueError(f"{os.fspath(path)} must have TREC topics in SGML or XML, or a topic and "
                         "its query in each line, got none")
    return pd.DataFrame(pairs, columns=["qid", "query"])


class RegisteredRun(NamedObject):
    """The distinct ``qid, docno`` pairs of a run."""

    WHAT = "runs"

    def __init__(self, frame: pd.DataFrame, name: str) -> None:
        super().__init__(name)
        self.frame = frame

    def _content(self) -> Any:
        return self.frame


def _registered(path: str, name: str) -> RegisteredRun:
    """Read the file of a run, or all runs in a folder, for ``background=``."""
    files = [path]
    if os.path.isdir(path):
        names = sorted(glob.glob("*", root_dir=path))
        files = [os.path.join(path, name) for name in names]
    if not files:
        raise ValueError(f"the folder of background= must hold runs, got {path!r}")
    frames = [read_run(file)[["qid", "docno"]] for file in files]
    return _distinct_pairs(pd.concat(frames), name)


def _distinct_pairs(frame: pd.DataFrame, name: str) -> RegisteredRun:
    pairs = with_text_ids(frame[["qid", "docno"]], f"run {name!r}", "qid", "docno")
    return RegisteredRun(pairs.drop_duplicates(), name)


REGISTRY = Registry(RegisteredRun, _registered, words=BACKGROUND_WORDS)


def register(name: str, run: pd.DataFrame | str | os.PathLike[str]) -> None:
    """Make a run available as ``background=name``, until :func:`unregister`.

    A run registered under the same name before is replaced.

    :param name: anything but ``run`` and ``qrels``
    :param run: columns ``qid, docno`` (or ``query_id, doc_id``); or the path of a run file. All
        documents of a topic count, whatever their order: apply any cutoff before registering.
    :raises ValueError: if the name cannot be used, or a column or value is missing

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import NFaiRR, runs
    >>> runs.register("bm25", pd.DataFrame({"qid": ["q1", "q1"], "docno": ["d1", "d2"]}))
    >>> NFaiRR(values="neutrality", background="bm25") @ 5
    NFaiRR(values='neutrality',background='bm25')@5
    >>> runs.unregister("bm25")
    """
    frame = as_frame(run)
    if not isinstance(frame, pd.DataFrame):
        frame = read_run(frame)
    frame = frame.rename(columns=PYTERRIER)
    need_columns(frame, ["qid", "docno"], f"the run {name!r}")
    REGISTRY.register(name, _distinct_pairs(frame, name))


unregister = REGISTRY.unregister
names = REGISTRY.names


def get(name: str) -> pd.DataFrame:
    """Return the distinct ``qid, docno`` pairs of a registered run.

    :raises ValueError: if the name is not registered

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import runs
    >>> runs.register("bm25", pd.DataFrame({"qid": ["q1", "q1"], "docno": ["d1", "d2"]}))
    >>> runs.get("bm25")
      qid docno
    0  q1    d1
    1  q1    d2
    >>> runs.unregister("bm25")
    """
    return REGISTRY.get(name).frame
