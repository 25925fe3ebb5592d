"""Groups of pairs of sentences: those of the arguments that the sentences are from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.groups import FromIrds, Groups, Memberships
from pt_fairness.groups.table import Table

#: The separators of the two sentences of a pair, and of argument and sentence in a docno.
SENTENCES, REST = ",", "__"


class SentencePairs(Groups):
    """The groups of pairs of sentences.

    :param arguments: the groups of arguments
    :param name: the name of the groups
    """

    complete = True

    def __init__(self, arguments: FromIrds, name: str) -> None:
        super().__init__(name, arguments.labels)
        self.arguments = arguments

    def _content(self) -> Any:
        return self.arguments.digest()

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        pairs = pd.Series(pd.unique(np.asarray(docnos, dtype=object)), dtype=object)
        sentences = pairs.astype(str).str.split(SENTENCES).explode()
        arguments = sentences.str.split(REST, n=1).str[0].to_numpy(object)
        found = self.arguments.annotate(np.full(len(arguments), ""), arguments)
        frame = pd.DataFrame({"docno": pairs.loc[sentences.index[found.item]].to_numpy(object),
                              "group": np.asarray(found.labels, dtype=object)[found.codes]})
        return Table.of_frame(frame).find(qids, docnos)
