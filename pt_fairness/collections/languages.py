"""The languages of documents, from the judgments and from the corpora that exist."""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Collection, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import ir_datasets
import numpy as np
import pandas as pd

from pt_fairness.collections import cached
from pt_fairness.core import fingerprint
from pt_fairness.core.messages import warn
from pt_fairness.groups import Groups, Memberships
from pt_fairness.groups.table import Table
from pt_fairness.io import irds as reading


class Languages(Groups):
    """The languages of documents.

    A document that was judged for any topic has the language in the judgments. Others are looked up
    in the corpora that ir_datasets has; no corpus is downloaded for this. The languages found are
    cached in a table in the folder of the corpora.

    :param name: the dataset id with the judgments, which is also the name of the groups
    :param corpora: the dataset id of the corpus of each language
    :param table: the path of the cached table
    """

    complete = True

    def __init__(self, name: str, corpora: Mapping[str, str], table: Path) -> None:
        super().__init__(name, corpora)
        self._corpora, self._table = corpora, table
        self._found: dict[Any, str] = {}
        self._warned = False

    def _content(self) -> Any:
        return self.name, self.labels

    def state(self) -> str:
        return fingerprint.of_value(sorted(self._judged.items()))

    @cached_property
    def _judged(self) -> dict[str, str]:
        """The language of each judged document, by docno."""
        handler = ir_datasets.load(self.name).qrels_handler()
        return {row.doc_id: row.iteration for row in reading.judgments(handler)}

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        documents = pd.unique(np.asarray(docnos, dtype=object))
        known = ChainMap(self._judged, self._found)
        unknown = [docno for docno in documents if docno not in known]
        if unknown:
            self._look_up(unknown)
            unknown = [docno for docno in unknown if docno not in known]
            if unknown and not self._warned:
                self._warned = True
                absent = [corpus for corpus in self._corpora.values() if not _exists(corpus)]
                reason = "are in none of the corpora" if not absent else \
                    f"may be in a corpus that ir_datasets has not downloaded ({', '.join(absent)})"
                warn(f"{self.name}: {len(unknown)} of {len(documents)} documents have no group and "
                     f"count as unannotated (the first: {unknown[0]!r}): they were not judged and "
                     f"{reason}")
        frame = pd.DataFrame({"docno": documents, "group": [*map(known.get, documents)]},
                             dtype=object)
        return Table.of_frame(frame).find(qids, docnos)

    def _look_up(self, docnos: Collection[str]) -> None:
        """Find the languages of documents in the cached table and the corpora that exist.

        Other processes wait, so that none overwrites what another has added.
        """
        with reading.lock(Path(f"{self._table}.lock")):
            # The corpora do not change, so that the table is never outdated.
            self._found |= cached.read_rows(
                self._table, self._table, ["group"], self._corpora)["group"].to_dict()
            kept = len(self._found)
            for language, corpus in self._corpora.items():
                unknown = [docno for docno in docnos if docno not in self._found]
                if unknown and _exists(corpus):
                    self._found.update((document.doc_id, language)
                                       for document in reading.documents(corpus, unknown))
            if len(self._found) > kept:
                cached.write_rows(self._table, pd.DataFrame({"group": self._found}))


def _exists(corpus: str) -> bool:
    """Return whether ir_datasets has a corpus or its docstore."""
    handler = ir_datasets.load(corpus).docs_handler()
    return Path(f"{handler.docs_path(force=False)}.pklz4", "bin").exists() \
        or reading.downloaded(handler)
