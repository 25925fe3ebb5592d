"""Transformer that adds the groups of documents to results."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyterrier as pt

from pt_fairness.core.identifiers import texts_of
from pt_fairness.groups import Memberships, get

__all__ = ["Annotate", "annotate"]


class Annotate(pt.Transformer):  # type: ignore[misc]
    """Add a column ``group`` to results; see :func:`annotate`."""

    # Without a URL, PyTerrier downloads the index of its documentation to look for one.
    schematic = {"label": "Annotate", "help_url": None}

    def __init__(self, groups: Any) -> None:
        self.groups = get(groups)

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """Add the column ``group`` to a frame with the columns ``qid`` and ``docno``."""
        pt.validate.columns(inp, includes=["qid", "docno"])
        found = Memberships(*self.groups.annotate(texts_of(inp["qid"]), texts_of(inp["docno"])))
        row, names = found.item, np.asarray(found.labels, dtype=object)[found.codes]
        group = np.full(len(inp), None, dtype=object)
        group[row] = names
        several = np.bincount(row, minlength=len(inp))[row] > 1
        lists = pd.Series(names[several]).groupby(row[several]).agg(sorted)
        group[lists.index] = lists.to_numpy(dtype=object)
        return inp.assign(group=pd.Series(group, index=inp.index,
                                          dtype="object" if len(lists) else "str"))

    def fuse_rank_cutoff(self, k: int) -> pt.Transformer:
        """Return a pipeline that looks up the groups of the top ``k`` documents only."""
        return pt.RankCutoff(k) >> self

    # PyTerrier executes a common prefix of several pipelines once if its transformers are equal.
    def __eq__(self, other: object) -> bool:
        return isinstance(other, Annotate) and self.groups == other.groups

    def __hash__(self) -> int:
        return hash(self.groups)

    def __repr__(self) -> str:
        return f"pt.fairness.annotate({self.groups.name!r})"


def annotate(groups: Any) -> Annotate:
    """Return a transformer that adds a column ``group`` to results, to inspect or filter them.

    The value is a label, a sorted list of labels if the document has several groups, and missing if
    it has none.

    :param groups: the group source, as :func:`pt_fairness.evaluate` takes it
    :raises ValueError: an unknown name, or no such file

    Examples
    --------
    >>> import pandas as pd
    >>> import pyterrier as pt
    >>> results = pd.DataFrame({"qid": "1", "docno": ["FT911-1", "LA010189-1"]})
    >>> pt.fairness.annotate("trec-newswire")(results)
      qid       docno group
    0   1     FT911-1    FT
    1   1  LA010189-1    LA
    """
    return Annotate(groups)
