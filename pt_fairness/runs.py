"""Registered runs, and those in files, for the parameter ``background=`` of a measure."""

from __future__ import annotations

import os
from glob import glob
from typing import Any

import pandas as pd

from pt_fairness.core.identifiers import PYTERRIER, as_frame, with_text_ids
from pt_fairness.core.messages import BACKGROUND_WORDS
from pt_fairness.core.registry import NamedObject, Registry
from pt_fairness.io.files import need_columns
from pt_fairness.io.run_files import read_run

__all__ = ["get", "names", "register", "unregister"]

__dir__ = __all__.copy


class RegisteredRun(NamedObject):
    """The distinct ``qid, docno`` pairs of a run."""

    WHAT = "runs"

    def __init__(self, frame: pd.DataFrame, name: str) -> None:
        super().__init__(name)
        self.frame = frame

    def _content(self) -> Any:
        return self.frame


def _read(path: str, name: str) -> RegisteredRun:
    """Read the file of a run, or all runs in a folder."""
    files = [path]
    if os.path.isdir(path):
        names = sorted(glob("*", root_dir=path))
        files = [os.path.join(path, name) for name in names]
    if not files:
        raise ValueError(f"the folder of background= must hold runs, got {path!r}")
    frames = [read_run(file)[["qid", "docno"]] for file in files]
    return _distinct_pairs(pd.concat(frames), name)


def _distinct_pairs(frame: pd.DataFrame, name: str) -> RegisteredRun:
    pairs = with_text_ids(frame[["qid", "docno"]], f"run {name!r}", "qid", "docno")
    return RegisteredRun(pairs.drop_duplicates(ignore_index=True), name)


REGISTRY = Registry(RegisteredRun, _read, words=BACKGROUND_WORDS)


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
