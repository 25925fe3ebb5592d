"""Registered runs, for the parameter ``background=`` of a measure."""

from __future__ import annotations

import os

import pandas as pd

from pt_fairness.io import need_columns, read_run
from pt_fairness.io.identifiers import with_text_ids
from pt_fairness.text import BACKGROUND_WORDS, BoundName

__all__ = ["get", "names", "register", "unregister"]


def __dir__() -> list[str]:
    return __all__


_registry: dict[str, pd.DataFrame] = {}


def register(name: str, run: pd.DataFrame | str | os.PathLike[str]) -> None:
    """Make a run available as ``background=name``, until :func:`unregister`.

    A run registered under the same name before is replaced.

    :param name: anything but ``run`` and ``qrels``
    :param run: columns ``qid, docno`` (or ``query_id, doc_id``); or the path of a run file. All
        documents of a topic count, whatever their order: apply any cutoff before registering.
    :raises ValueError: the name cannot be used, or a column or value is missing

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import NFaiRR, runs
    >>> runs.register("bm25", pd.DataFrame({"qid": ["q1", "q1"], "docno": ["d1", "d2"]}))
    >>> NFaiRR(values="neutrality", background="bm25") @ 5
    NFaiRR(values='neutrality',background='bm25')@5
    >>> runs.unregister("bm25")
    """
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f"a run needs a name that is not empty, not {name!r}")
    if name.strip().casefold() in BACKGROUND_WORDS:
        raise ValueError(f"a run cannot be named {name!r}: "
                         f"{' and '.join(map(repr, BACKGROUND_WORDS))} are backgrounds that every "
                         "measure has; choose another name")
    frame = run if isinstance(run, pd.DataFrame) else read_run(run)
    frame = frame.rename(columns={"query_id": "qid", "doc_id": "docno"})
    need_columns(frame, ["qid", "docno"], f"the run {name!r}")
    pairs = with_text_ids(frame[["qid", "docno"]], f"run {name!r}", "qid", "docno")
    _registry[name] = pairs.drop_duplicates(ignore_index=True)


def unregister(name: str) -> None:
    """Remove a run that :func:`register` has made available.

    :raises ValueError: nothing was registered under this name

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import runs
    >>> runs.register("bm25", pd.DataFrame({"qid": ["q1", "q1"], "docno": ["d1", "d2"]}))
    >>> runs.unregister("bm25")
    >>> "bm25" in runs.names()
    False
    """
    get(name)
    del _registry[name]


def names() -> list[str]:
    """Return the registered names, sorted.

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import runs
    >>> runs.register("bm25", pd.DataFrame({"qid": ["q1", "q1"], "docno": ["d1", "d2"]}))
    >>> "bm25" in runs.names()
    True
    >>> runs.unregister("bm25")
    """
    return sorted(_registry)


def registered(name: str) -> pd.DataFrame | None:
    """Return the run registered under a name in this process, or ``None``."""
    return _registry.get(name)


def get(name: str) -> pd.DataFrame:
    """Return the distinct ``qid, docno`` pairs of a registered run.

    :raises ValueError: no run is registered under this name

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
    if isinstance(name, BoundName):
        return name.value
    if name not in _registry:
        known = ", ".join(map(repr, names())) or "none"
        raise ValueError(f"no run is registered as {name!r}; registered are {known}. Register your "
                         "own with pt_fairness.runs.register(name, run)")
    return _registry[name]
