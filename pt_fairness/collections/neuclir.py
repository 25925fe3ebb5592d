"""NeuCLIR: news in Chinese, Persian and Russian, with the language as group.

TREC 2022 and 2023 judged documents of the three languages for the same topics. ir_datasets has the
judgments of 2022 in three parts, by language; ``neuclir/1/trec-2022/language`` has them together.
Its topics are those with judgments in at least one language.

The qrels hold the language of a judged document. Docnos do not tell the language: that of an
unjudged document is known if ir_datasets has the corpora (:mod:`.languages`).
"""

from __future__ import annotations

from functools import partial
from operator import attrgetter
from typing import Any

from ir_datasets.datasets.base import Dataset, FilteredQueries
from ir_datasets.datasets.neuclir import NAME, QREL_DEFS
from ir_datasets.formats import ExctractedCCMultiMtQuery, ExctractedCCQueries, TrecQrels
from ir_datasets.util import DownloadConfig, Lazy, home_path

from pt_fairness.collections.variants import Documentation, GroupQrels, graded

#: The languages by their names in the qrels, and the corpus of each.
LANGUAGES = {"zho": "zh", "fas": "fa", "rus": "ru"}
CORPORA = {language: f"{NAME}/1/{language}" for language in LANGUAGES.values()}


def source(name: str) -> Any:
    """Return the languages of documents as groups."""
    from pt_fairness.collections.languages import Languages
    return Languages(name, CORPORA, home_path() / NAME / "1" / "languages.tsv")


def register(registry: Any) -> None:
    """Register ``neuclir/1/trec-2022/language`` and ``neuclir/1/trec-2023/language``."""
    files = DownloadConfig.context(NAME, home_path() / NAME)
    base = registry[f"{NAME}/1/multi"]
    edition = registry[f"{NAME}/1/multi/trec-2023"]
    qrels = TrecQrels(files["trec-2022/qrels"], QREL_DEFS)
    # The translations are those of the topics of 2023.
    topics = ExctractedCCQueries(files["trec-2022/queries"], filter_lwq=False,
                                 cls=ExctractedCCMultiMtQuery, namespace=NAME)
    judged = Lazy(lambda: {row.query_id for row in qrels.qrels_iter()})
    parts = {"trec-2022": (FilteredQueries(topics, judged), qrels),
             "trec-2023": (edition.queries_handler(), edition.qrels_handler())}
    to_groups = partial(graded, "language", attrgetter("iteration"), LANGUAGES)
    for name, (queries, judgments) in parts.items():
        registry.register(f"{NAME}/1/{name}/language", Dataset(
            base.docs_handler(), queries, GroupQrels(judgments, to_groups),
            Documentation(f"NeuCLIR at {name.replace('-', ' ').upper()}, with languages",
                          "The judgments of all three languages. The iteration field holds the "
                          f"language of the document: {', '.join(CORPORA)}.")))
