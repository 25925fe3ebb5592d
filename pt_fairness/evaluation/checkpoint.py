"""The checkpoint: a folder with one file for each finished run."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass, field
from io import BytesIO

import numpy as np
import pandas as pd

from pt_fairness.core import fingerprint
from pt_fairness.core.arrays import Floats
from pt_fairness.io.files import Input, written_whole

#: The columns of a run that an evaluation reads, by either name.
_COLUMNS = ("qid", "query_id", "docno", "doc_id", "score", "iteration")


@dataclass(frozen=True)
class Scores:
    """The values of a run."""

    qids: list[str] = field(default_factory=list)
    #: ``[topics, measures]``; NaN where a measure has no value.
    values: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    #: The causes and messages of the warnings of the run.
    warnings: list[tuple[str, str]] = field(default_factory=list)


def path_of(run: Input | pd.DataFrame, folder: str, digest: str) -> str:
    """Return the path of the file that holds the scores of a run.

    The name of the file is a hash of the plan and of the content of the run.

    :param digest: the digest of the plan
    """
    content = (fingerprint.of_frame(run[[name for name in run if name in _COLUMNS]])
               if isinstance(run, pd.DataFrame)
               # The suffix determines how the content is parsed.
               else run.digest() + os.path.splitext(run.name)[1])
    name = hashlib.sha256(f"{digest} {content}".encode()).hexdigest()
    return os.path.join(folder, f"{name}.npz")


def load(path: str) -> Scores | None:
    """Load scores; ``None`` if the file does not exist or cannot be read."""
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as kept:
            return Scores(kept["qids"].tolist(), kept["values"],
                          [(cause, message) for cause, message in kept["warnings"].tolist()])
    except Exception:  # a missing file raises OSError, a damaged archive almost any error
        return None


def save(path: str, scores: Scores) -> None:
    """Write scores to a file atomically.

    :raises OSError: the file cannot be written
    """
    # Build the archive in memory: on a full disk, closing it raises errors other than OSError.
    archive = BytesIO()
    np.savez(archive, qids=np.array(scores.qids, dtype=str), values=scores.values,
             warnings=np.array(scores.warnings, dtype=str))
    with written_whole(path) as out:
        out.write(archive.getbuffer())
