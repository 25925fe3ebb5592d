"""MS MARCO passages: queries for which results that favour a gender would do harm.

Rekabsaz et al. (2021) marked 215 queries of the development set and 30 of TREC Deep Learning 2019,
and published the words by which they measure the gender neutrality of a passage. Their two lists of
queries and their list of words are downloaded from their repository.

Mousavian et al. (2025) annotated 893 passages with the gender that each is biased towards. These
groups have no judgments of their own, and the documents are not needed.

The words in judged and in retrieved passages are counted once and cached in a table in the folder
``fair`` of ir_datasets' MS MARCO. The table is created again if ir_datasets' docstore is newer.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from ir_datasets.datasets.base import FilteredQueries
from ir_datasets.formats import TrecQrel
from ir_datasets.util import Lazy

from pt_fairness.collections.variants import UNCOUNTED, labelled, variant

CORPUS = "msmarco-passage"
#: The groups of Mousavian et al.
BIASES = f"{CORPUS}/msmgenderbias"
#: The number of queries in each list.
_QUERIES = {"dev": 215, "trec-dl-2019": 30}
_TEXT = ("The queries that Rekabsaz et al. (2021) marked as sensitive to gender bias, and their "
         "judgments.")
_GENDER = ("The iteration field holds the gender of the passage: that of which it has more words, "
           "or neutral, if it has at most one word of both, or as many of one as of the other.")


def source(name: str) -> Any:
    """Return the genders of passages as groups, by their words or as annotated."""
    from pt_fairness.collections.gender import Biases, counts
    from pt_fairness.groups import FromText
    return Biases(name) if name == BIASES else FromText(counts(), name=name)


def values(name: str) -> Any:
    """Return the gender neutrality of passages as values."""
    from pt_fairness.collections.gender import counts
    from pt_fairness.values import FromText
    return FromText(counts(), name=name)


def register(registry: Any) -> None:
    """Register ``msmarco-passage/…/fair`` and ``…/fair/gender`` for both lists of queries."""
    for task, number in _QUERIES.items():
        base_id = f"{CORPUS}/{task}"
        qids = Lazy(partial(_qids, f"{task}.tsv"))
        queries = FilteredQueries(registry[base_id].queries_handler(), qids)
        variant(registry, base_id, "fair", partial(_of, qids), "queries sensitive to gender bias",
                _TEXT, queries=queries, metadata={"queries": {"count": number}, **UNCOUNTED})
        variant(registry, f"{base_id}/fair", "gender",
                partial(labelled, source, f"{base_id}/fair/gender"), "with genders", _GENDER)


def _of(qids: Any, _: Any, rows: list[Any]) -> list[TrecQrel]:
    wanted = qids()
    return [row for row in rows if row.query_id in wanted]


def _qids(file: str) -> set[str]:
    from pt_fairness.collections.gender import rows
    return {qid for qid, _ in rows(file, "\t")}
