"""FA*IR."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from pt_fairness.core.arrays import Bools, Ints
from pt_fairness.measures import params
from pt_fairness.measures.statistical_tests import m_table
from pt_fairness.rankings.protected import label_parts, rarest
from pt_fairness.rerank.base import GroupReRanker, GroupSource
from pt_fairness.rerank.results import Condensed


class fa_ir(GroupReRanker, label="FA*IR"):
    """Re-rank by FA*IR, so that no prefix has significantly too few protected documents.

    Each rank gets the best document, or the best protected one if the prefix would otherwise fail
    the ranked group fairness test. A document of several groups is protected if one of them is. The
    table of the test is that of the measure FAIR, with the documents that ``k`` counts.

    Source: Zehlike et al. (2017), FA*IR, algorithm 2. The correction is exact.

    :param groups: the name of a registered group source, the path of a group file, or a Groups
        object; by default the column ``group`` of the results, which
        :func:`~pt_fairness.annotate` writes
    :param target: the share that each group should have: ``'uniform'``, ``'run'`` for the shares
        in the topic's results, the name of a registered target, or a dictionary. Shares are
        rescaled to sum to 1 over the groups that the topic's results have.
    :param k: the number of annotated documents to choose, from all of the topic; the others follow
        in the old order. By default all are chosen.
    :param protected: ``'minority'`` or ``'majority'``, the group with the fewest or most documents
        in the topic's results, a label, or labels joined by commas
    :param alpha: the significance level of the test, above 0 and below 1
    :param adjust: whether ``alpha`` is the level of all prefixes together; otherwise of each prefix
    :param verbose: whether to show a progress bar over topics
    :raises ValueError: a value that is not allowed

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import rerank
    >>> results = pd.DataFrame({"qid": "1", "docno": list("abcde"), "score": [5, 4, 3, 2, 1],
    ...                         "group": list("PPPCC")})
    >>> " ".join(rerank.fa_ir(alpha=0.3)(results)["docno"])
    'a b d c e'
    """

    PARAMS = {
        "protected": params.protected(),
        "alpha": params.real("significance level of the test", "a number above 0 and below 1",
                             lambda v: 0 < v < 1, default=0.1),
        "adjust": params.Param(bool, "whether alpha is the level of all prefixes together",
                               "True or False", default=True),
    }
    protected: str
    alpha: float
    adjust: bool

    def __init__(self, groups: GroupSource = None, target: Any = "uniform", k: int | None = None,
                 protected: Any = "minority", alpha: float = 0.1, adjust: bool = True,
                 verbose: bool = False) -> None:
        super().__init__(groups=groups, target=target, k=k, protected=protected, alpha=alpha,
                         adjust=adjust, verbose=verbose)

    def named_labels(self, labels: Sequence[str]) -> list[tuple[str, str]]:
        parts = [] if self.protected in ("minority", "majority") \
            else label_parts(self.protected, labels)
        return [*super().named_labels(labels), *(("protected", label) for label in parts)]

    def reorder(self, one: Condensed) -> Ints:
        chosen = self._protected_labels(one)
        protected = np.asarray(one.shares[:, chosen].any(axis=1))
        if protected.all() or not protected.any():
            return np.arange(one.k)
        p = protected.mean() if self.target == "run" else min(one.target[chosen].sum(), 1.0)
        return fa_ir_order(protected, _m_table(one.k, float(p), self.alpha, self.adjust))

    def _protected_labels(self, one: Condensed) -> Bools:
        """Return a mask of the protected labels, ``[G]``."""
        if self.protected in ("minority", "majority"):
            degrees = np.where(one.weighted[:, None], one.shares, one.shares > 0)
            chosen, _ = rarest(degrees.sum(axis=0)[None], self.protected == "majority")
            return chosen[0]
        known = one.labels if self.groups is None or self.groups.labels is None \
            else self.groups.labels
        return np.isin(one.labels, label_parts(self.protected, known))


_m_table = lru_cache(maxsize=1024)(m_table)


def fa_ir_order(protected: Bools, table: Ints) -> Ints:
    """Return the first documents of FA*IR's order, as indices.

    :param protected: whether each document is protected, ``[n]``, in the old order
    :param table: the minimum number of protected documents in each prefix, ``[k]``
    """
    # The minimum grows by at most 1 per rank. So the i-th protected document has the first rank
    # whose minimum is i, or its old rank if that is better.
    k, documents = len(table), np.flatnonzero(protected)
    due = np.searchsorted(table, np.arange(1, len(documents) + 1))
    place = np.minimum(due, documents)
    first = np.full(k, -1)
    inside = place < k
    first[place[inside]] = documents[inside]
    first[first < 0] = np.flatnonzero(~protected)[:(first < 0).sum()]
    return first
