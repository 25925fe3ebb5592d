"""Runs by name: those of files, patterns, frames, dictionaries, lists and transformers."""

from __future__ import annotations

import glob
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Real
from typing import Any

import pandas as pd

from pt_fairness.core.messages import first_names, listed, shown
from pt_fairness.io.files import Path
from pt_fairness.io.systems import is_system, results_of
from pt_fairness.io.topics import load_topics

#: A run that can be read: the path of a file, or a frame.
RunInput = Path | pd.DataFrame
#: Runs as users give them: one, several, or several by name. Besides paths and frames, a run is a
#: dictionary ``{qid: {docno: score}}``, a list of ir_measures' ``ScoredDoc``, or a transformer.
RunInputs = RunInput | Sequence[Any] | Mapping[str, Any]
#: What a run is, in errors.
_FORMS = "the path of a file, a DataFrame, a dictionary {qid: {docno: score}} or a transformer"


class NamedRuns(dict[str, RunInput]):
    """Runs by name."""

    #: The topics for which transformers have retrieved, ``None`` without transformers.
    topics: pd.DataFrame | None = None


def named(runs: RunInputs, names: Sequence[str] | None = None, topics: Any = None,
          progress: bool = True, topics_needed: bool = True) -> NamedRuns:
    """Return the runs by name, each as a path or a frame. Transformers are run.

    :param names: a name for each run; by default those of the files
    :param topics: the topics of transformers, as :func:`load_topics` takes them
    :param progress: whether to show a progress bar while transformers are run
    :param topics_needed: whether topics without transformers are an error
    :raises ValueError: there are none, two have the same name, one is no run, the names are not as
        many as the runs, transformers without topics, or topics without transformers
    """
    if isinstance(runs, Mapping) and not _is_scores(runs):
        if names is not None:
            raise ValueError("the dictionary of runs has their names already; leave out names=, or "
                             "give the runs as a list")
        found = {str(name): run for name, run in runs.items()}
        if len(found) < len(runs):
            raise ValueError(f"two runs have the same name as text; the names are {listed(runs)}")
    else:
        if not isinstance(runs, (str, os.PathLike, Iterable)) and not is_system(runs):
            raise ValueError(f"runs={shown(runs)} is a {type(runs).__name__}; a run is {_FORMS}, "
                             "and several are in a list or a dictionary")
        some: list[Any] = [runs] if isinstance(runs, (str, os.PathLike)) or _is_run(runs) \
            else list(runs)  # type: ignore[arg-type]
        every = [one for run in some for one in ([run] if _is_run(run) else _matching_files(run))]
        own = _checked(names, every) if names is not None else _own_names(every)
        again = next((name for name, count in Counter(own).items() if count > 1), None)
        if again is not None:
            raise ValueError(f"the run {again!r} is given twice; give each once, or give each a "
                             "name of its own")
        found = dict(zip(own, every, strict=True))
    if not found:
        raise ValueError(f"there are no runs; give one or several: {_FORMS}")
    return _readable(found, topics, progress, topics_needed)


def _readable(runs: Mapping[str, Any], topics: Any, progress: bool, needed: bool) -> NamedRuns:
    """Return runs as paths and frames."""
    systems = {name: run for name, run in runs.items() if is_system(run)}
    if systems and topics is None:
        raise ValueError(f"{first_names([*systems])}: a transformer needs topics= to retrieve for, "
                         "a frame with qid and query or a dataset")
    if topics is not None and needed and not systems:
        raise ValueError("topics= is for transformers, and the runs are none; leave it out")
    asked = load_topics(topics) if systems else None
    results = {} if asked is None else results_of(systems, asked, progress)
    found = NamedRuns((name, _frame_of(name, results.get(name, run))) for name, run in runs.items())
    found.topics = asked
    return found


def _frame_of(name: str, run: Any) -> RunInput:
    """Return a run as a path or a frame with scores."""
    if isinstance(run, (str, os.PathLike)):
        return run
    if _is_scores(run):
        run = pd.DataFrame([(qid, docno, score) for qid, documents in run.items()
                            for docno, score in documents.items()],
                           columns=["qid", "docno", "score"])
    elif _is_scored_docs(run):
        run = pd.DataFrame([*run])
    if not isinstance(run, pd.DataFrame):
        raise ValueError(f"the run {name!r} is a {type(run).__name__}; a run is {_FORMS}")
    if "rank" in run and "score" not in run:
        run = run.assign(score=-pd.to_numeric(run["rank"], errors="coerce"))
    return run


def _is_run(run: Any) -> bool:
    """Return whether a value is a run other than a file."""
    return isinstance(run, pd.DataFrame) or is_system(run) or _is_scores(run) \
        or _is_scored_docs(run)


def _is_scores(run: Any) -> bool:
    """Return whether a value is a run ``{qid: {docno: score}}``, as of ir_measures."""
    return isinstance(run, Mapping) and bool(run) and all(
        isinstance(documents, Mapping) and isinstance(next(iter(documents.values()), 0), Real)
        for documents in run.values())


def _is_scored_docs(run: Any) -> bool:
    """Return whether a value is a list of ``ScoredDoc`` of ir_measures."""
    return isinstance(run, Sequence) and len(run) > 0 and hasattr(run[0], "doc_id") \
        and isinstance(run[0], tuple)


def _own_names(runs: Sequence[Any]) -> list[str]:
    """Return the names of files and transformers, and the positions of other runs."""
    told = _told_apart([run for run in runs if isinstance(run, (str, os.PathLike))])
    short = [next(told) if isinstance(run, (str, os.PathLike))
             else str(run) if is_system(run) else f"run {i}" for i, run in enumerate(runs)]
    count = Counter(short)
    return [name if count[name] == 1 or isinstance(run, pd.DataFrame) else
            os.fspath(run) if isinstance(run, (str, os.PathLike)) else f"run {i}"
            for i, (name, run) in enumerate(zip(short, runs, strict=True))]


def _checked(names: Sequence[str], runs: Sequence[Any]) -> list[str]:
    """Check the names of runs, and return them as text.

    :raises ValueError: ``names`` is no list, or has another length
    """
    if isinstance(names, (str, Mapping)) or not isinstance(names, Iterable):
        raise ValueError(f"names={shown(names)}: names is a list with a name for each run")
    given = [str(name) for name in names]
    if len(given) != len(runs):
        raise ValueError(f"there are {len(given)} names for {len(runs)} runs, which are "
                         f"{first_names(_own_names(runs))}")
    return given


def _matching_files(path: Path) -> list[str]:
    """Return the files that match a pattern; a path without wildcards is returned as it is.

    :raises ValueError: no path, or no file matches
    """
    if not isinstance(path, (str, os.PathLike)):
        raise ValueError(f"{shown(path)} is a {type(path).__name__}; a run is {_FORMS}")
    text = os.fspath(path)
    if not glob.has_magic(text) or os.path.exists(text):
        return [text]
    found = sorted(glob.glob(text, recursive=True))
    if not found:
        raise ValueError(f"no file matches {text!r}")
    return found


def file_name(path: Path) -> str:
    """Return the name of a file without the suffixes of runs and of compression."""
    return re.sub(r"(?<=.)(\.(gz|parquet|run|res|trec|txt))+$", "", os.path.basename(path))


def _told_apart(paths: Sequence[Path]) -> Iterator[str]:
    """Yield the part of each file name that tells it from the others, as a name for the run.

    Parts are separated by dots. What all names begin or end with is left out.
    """
    parts = [re.split(r"(?<!\d)\.|\.(?!\d)", file_name(path)) for path in paths]  # 0.5 is one
    for end in (0, -1):
        while len({name[end] for name in parts}) == 1 < min(len({*map(tuple, parts)}),
                                                            *map(len, parts)):
            for name in parts:
                del name[end]
    yield from map(".".join, parts)
