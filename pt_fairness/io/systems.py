"""Results of PyTerrier transformers."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import pandas as pd

from pt_fairness.io.frames import need_columns

#: The number of topics that a transformer is given at a time.
BATCH = 25
#: The columns of results that are kept.
_KEPT = ("qid", "docno", "score", "rank", "iteration", "group")


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
    found = {}
    with pt.tqdm(total=len(systems) * len(topics), desc="retrieve", unit="topic",
                 disable=not progress) as bar:
        for name, system in systems.items():
            parts = []
            for start in range(0, len(topics), BATCH):
                results = system(topics.iloc[start:start + BATCH])
                need_columns(results, ["qid", "docno"], f"what {name!r} retrieved")
                parts.append(results[[column for column in _KEPT if column in results]])
                bar.update(min(BATCH, len(topics) - start))
            found[name] = pd.concat(parts, ignore_index=True)
    return found
