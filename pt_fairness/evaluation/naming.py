"""The position of a baseline in runs, and runs that other processes cannot read."""

from __future__ import annotations

import os
from collections.abc import Mapping

import numpy as np
import pandas as pd

from pt_fairness.core.messages import did_you_mean, first_names, shown
from pt_fairness.io.files import is_pipe
from pt_fairness.io.run_files import RunInput, file_name


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
        raise ValueError(f"baseline={shown(baseline)} is a {type(baseline).__name__}; it has to be "
                         f"the position, name or path of a run; the names are {', '.join(names)}")
    if baseline in named:
        return names.index(os.fspath(baseline))
    paths = [None if isinstance(run, pd.DataFrame) else os.fspath(run) for run in named.values()]
    if os.fspath(baseline) in paths:
        return paths.index(os.fspath(baseline))
    files = [None if path is None else file_name(path) for path in paths]
    if os.path.basename(baseline) == baseline and files.count(file_name(baseline)) == 1:
        return files.index(file_name(baseline))
    raise ValueError(f"the baseline {shown(baseline)} is none of the runs; they are "
                     f"{first_names(names)}.{did_you_mean(file_name(baseline), names)}")


def refuse_pipes(named: Mapping[str, RunInput]) -> None:
    """Raise an error if a run is a pipe, which other processes cannot read.

    :raises ValueError: a run is a pipe
    """
    for name, run in named.items():
        if not isinstance(run, pd.DataFrame) and is_pipe(run):
            raise ValueError(f"the run {name!r} is a pipe, which other processes cannot read; save "
                             "it to a file, or use one process")
