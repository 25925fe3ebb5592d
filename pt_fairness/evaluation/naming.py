"""The runs of an evaluation by name."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from pt_fairness.evaluation.workers import RunInput
from pt_fairness.io.files import Path, is_pipe


def named(runs: RunInput | Sequence[RunInput] | Mapping[str, RunInput],
          names: Sequence[str] | None = None) -> dict[str, RunInput]:
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
        short = [f"run {i}" if isinstance(run, pd.DataFrame) else _file_name(run)
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
        raise ValueError("there are no runs to evaluate")
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

    :raises ValueError: no file matches
    """
    text = os.fspath(path)
    if not glob.has_magic(text) or os.path.exists(text):
        return [text]
    found = sorted(glob.glob(text, recursive=True))
    if not found:
        raise ValueError(f"no file matches {text!r}")
    return found


def _file_name(path: Path) -> str:
    return os.path.basename(os.fspath(path)).removesuffix(".gz").removesuffix(".parquet")


def position(baseline: int | str, named: Mapping[str, RunInput]) -> int:
    """Return the position of the baseline in the runs.

    :raises ValueError: the baseline is none of the runs
    """
    names = list(named)
    if isinstance(baseline, (int, np.integer)) and not isinstance(baseline, bool):
        if not 0 <= baseline < len(names):
            raise ValueError(f"baseline={baseline} is no position in a list of {len(names)} runs; "
                             "the first is 0")
        return int(baseline)
    if not isinstance(baseline, (str, os.PathLike)):
        raise ValueError(f"baseline={baseline!r} is a {type(baseline).__name__}; it has to be the "
                         f"position, name or path of a run; the names are {', '.join(names)}")
    if baseline in named:
        return names.index(os.fspath(baseline))
    paths = [None if isinstance(run, pd.DataFrame) else os.fspath(run) for run in named.values()]
    if os.fspath(baseline) in paths:
        return paths.index(os.fspath(baseline))
    if os.path.basename(baseline) == baseline and _file_name(baseline) in named:
        return names.index(_file_name(baseline))
    raise ValueError(f"the baseline {baseline!r} is none of the runs; they are {', '.join(names)}")


def refuse_pipes(named: Mapping[str, RunInput]) -> None:
    """Raise an error if a run is a pipe, which other processes cannot read.

    :raises ValueError: a run is a pipe
    """
    for name, run in named.items():
        if not isinstance(run, pd.DataFrame) and is_pipe(run):
            raise ValueError(f"the run {name!r} is a pipe, which other processes cannot read; save "
                             "it to a file, or use one process (n_jobs=1)")
