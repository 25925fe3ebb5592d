"""PyTerrier transformers."""

from __future__ import annotations

import os

import numpy as np
import pandas as pd
import pyterrier as pt

from pt_fairness.groups import Annotated, Groups, get
from pt_fairness.identifiers import texts_of

__all__ = ["Annotate", "annotate"]


class Annotate(pt.Transformer):  # type: ignore[misc]
    """Adds a ``group`` column to results; see :func:`annotate`."""

    # PyTerrier would download the index of its own documentation to look for a page on this.
    schematic = {"label": "Annotate", "help_url": None}

    def __init__(self, groups: str | os.PathLike[str] | Groups) -> None:
        self.groups = get(groups)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Results, or any frame with ``qid`` and ``docno``, with the groups of their documents."""
        pt.validate.columns(inp, includes=["qid", "docno"])
        found = Annotated(*self.groups.annotate(texts_of(inp["qid"]), texts_of(inp["docno"])))
        item, names = found.item, np.asarray(found.labels, dtype=object)[found.codes]
        group = np.full(len(inp), None, dtype=object)
        group[item] = names
        several = np.bincount(item, minlength=len(inp))[item] > 1
        if several.any():
            joined = pd.Series(names[several]).groupby(item[several]).agg(lambda some: ",".join(sorted(some)))
            group[joined.index] = joined.to_numpy(dtype=object)
        return inp.assign(group=pd.Series(group, index=inp.index, dtype="str"))

    def fuse_rank_cutoff(self, k: int) -> pt.Transformer:
        """Cuts first: the groups of the other documents are not needed."""
        return pt.RankCutoff(k) >> self

    # PyTerrier runs what several systems begin with once, if it is equal.
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Annotate) and self.groups == other.groups

    def __hash__(self) -> int:
        return hash(self.groups)

    def __repr__(self) -> str:
        return f"pt.fairness.annotate({self.groups.name!r})"


def annotate(groups: str | os.PathLike[str] | Groups) -> Annotate:
    """A transformer that adds a ``group`` column to results: for looking at them, and for filtering.

    The groups of a document that has several are joined by commas, in sorted order; where there is none the value is missing.

    :param groups: the name of registered groups, the path of a group file, or a Groups object
    :raises ValueError: no such groups
    """
    return Annotate(groups)
