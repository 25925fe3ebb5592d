"""Groups that are looked up in corpora: the languages of news, and the arguments of sentences."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import ir_datasets
import numpy as np
import pandas as pd

from pt_fairness.core.messages import warn
from pt_fairness.groups import Groups, Memberships
from pt_fairness.groups.memberships import Table
from pt_fairness.io.documents import documents


class Languages(Groups):
    """The languages of documents.

    A document that was judged for any topic has the language in the judgments. Others are looked up
    in the corpora that ir_datasets has; no corpus is downloaded for this.

    :param name: the dataset id with the judgments, which is also the name of the groups
    :param corpora: the dataset id of the corpus of each language
    """

    complete = judged = True

    def __init__(self, name: str, corpora: Mapping[str, str]) -> None:
        super().__init__(name, corpora)
        self._corpora = corpora
        self._warned = False

    def _content(self) -> Any:
        return self.name, self.labels

    @cached_property
    def _languages(self) -> dict[str, str]:
        """The languages of the documents that were judged or looked up, by docno."""
        judgments = ir_datasets.load(self.name).qrels_iter()
        return {row.doc_id: row.iteration for row in judgments}

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        asked = pd.unique(np.asarray(docnos, object))
        languages = self._languages
        for language, corpus in self._corpora.items():
            lacking = [docno for docno in asked if docno not in languages]
            if lacking and _exists(corpus):
                for document in documents(corpus, lacking):
                    languages[document.doc_id] = language
        lacking = [docno for docno in asked if docno not in languages]
        if lacking and not self._warned:
            self._warned = True
            warn(f"{self.name}: {len(lacking)} of {len(asked)} documents count as unannotated (the "
                 f"first: {lacking[0]!r}): they were neither judged nor found in the "
                 f"downloaded ones of {', '.join(self._corpora.values())}")
        group = list(map(languages.get, asked))
        frame = pd.DataFrame({"docno": asked, "group": group}, dtype=object)
        return Table.read(frame).find(qids, docnos)


def _exists(corpus: str) -> bool:
    """Return whether ir_datasets has a corpus or its docstore."""
    path = ir_datasets.load(corpus).docs_handler().docs_path(force=False)
    return Path(path).exists() or Path(f"{path}.pklz4", "bin").exists()


class SentencePairs(Groups):
    """The groups of pairs of sentences: the groups of the arguments that the sentences are from.

    A docno is two docnos of sentences, separated by a comma. The docno of a sentence begins with
    its argument: ``a__PREMISE__41`` is a sentence of ``a``.

    :param arguments: the groups of arguments
    :param name: the name of the groups
    """

    complete = True

    def __init__(self, arguments: Groups, name: str) -> None:
        super().__init__(name, arguments.labels)
        self._arguments = arguments

    def _content(self) -> Any:
        return self._arguments.digest()

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        pairs = pd.unique(np.asarray(docnos, object))
        sentences = pd.Series(pairs).astype(str).str.split(",").explode()
        arguments = sentences.str.split("__", n=1).str[0].to_numpy(object)
        groups = self._arguments.annotate(np.full(len(arguments), ""), arguments)
        pair = sentences.index[groups.item]
        labels = np.asarray(groups.labels, object)
        frame = pd.DataFrame({"docno": pairs[pair], "group": labels[groups.codes]})
        return Table.read(frame).find(qids, docnos)
