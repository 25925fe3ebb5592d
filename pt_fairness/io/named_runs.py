"""Runs by name: those of files, patterns, frames, lists and dictionaries."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

import pandas as pd

from pt_fairness.io.files import Path

#: A run: the path of a file, or a frame.
RunInput = Path | pd.DataFrame
#: Runs as users give them: one, several, or several by name.
RunInputs = RunInput | Sequence[RunInput] | Mapping[str, RunInput]


def named(runs: RunInputs, names: Sequence[str] | None = None) -> dict[str, RunInput]:
    """Return the runs by name.

    :param names: a name for each run; by default those of the files
    :raises ValueError: there are none, two have the same name, one is no path and no frame, or the
        names are not as many as the runs
    """
    if isinstance(runs, Mapping):
        if names is not None:
            raise ValueError("the dictionary of runs has their names already; leave out names=, or "
                             "give the runs as a list")
        found = {str(name): run for name, run in runs.items()}
        if len(found) < len(runs):
            raise ValueError("two runs have the same name as text; the names are "
                             f"{', '.join(map(repr, runs))}")
    else:
        if not isinstance(runs, (str, os.PathLike, pd.DataFrame, Iterable)):
            raise ValueError(f"runs={runs!r} is a {type(runs).__name__}; runs are paths or "
                             "DataFrames, in a list or a dictionary")
        some = [runs] if isinstance(runs, (str, os.PathLike, pd.DataFrame)) else list(runs)
        every = [one for run in some
                 for one in ([run] if isinstance(run, pd.DataFrame) else _matching_files(run))]
        told = _told_apart([run for run in every if not isinstance(run, pd.DataFrame)])
        short = [f"run {i}" if isinstance(run, pd.DataFrame) else next(told)
                 for i, run in enumerate(every)]
        own = [os.fspath(run) if short.count(name) > 1 and not isinstance(run, pd.DataFrame)
               else name for name, run in zip(short, every, strict=True)]
        own = own if names is None else _checked(names, own)
        again = next((name for i, name in enumerate(own) if name in own[:i]), None)
        if again is not None:
            raise ValueError(f"the run {again!r} is given twice; give each once, or a dictionary "
                             "with a name for each")
        found = dict(zip(own, every, strict=True))
    for name, run in found.items():
        if not isinstance(run, (str, os.PathLike, pd.DataFrame)):
            raise ValueError(f"the run {name!r} is a {type(run).__name__}; a run is the path of a "
                             "file or a DataFrame")
    if not found:
        raise ValueError("there are no runs; give one or several, as paths or DataFrames")
    return found


def _checked(names: Sequence[str], own: Sequence[str]) -> list[str]:
    """Check the names of runs, and return them as text.

    :param own: the names that the runs have by themselves
    :raises ValueError: ``names`` is no list, or has another length
    """
    if isinstance(names, (str, Mapping)) or not isinstance(names, Iterable):
        raise ValueError(f"names={names!r}: names is a list with a name for each run")
    given = [str(name) for name in names]
    if len(given) != len(own):
        raise ValueError(f"there are {len(given)} names for {len(own)} runs, which are "
                         f"{', '.join(own)}")
    return given


def _matching_files(path: Path) -> list[str]:
    """Return the files that match a pattern; a path without wildcards is returned as it is.

    :raises ValueError: no path, or no file matches
    """
    if not isinstance(path, (str, os.PathLike)):
        raise ValueError(f"{path!r} is a {type(path).__name__}; a run is the path of a file or a "
                         "DataFrame")
    text = os.fspath(path)
    if not glob.has_magic(text) or os.path.exists(text):
        return [text]
    found = sorted(glob.glob(text, recursive=True))
    if not found:
        raise ValueError(f"no file matches {text!r}")
    return found


def file_name(path: Path) -> str:
    """Return the name of a file without the suffixes of runs and of compression."""
    name = os.path.basename(os.fspath(path))
    return re.sub(r"(?<=.)(\.(gz|parquet|run|res|trec|txt))+$", "", name)


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
