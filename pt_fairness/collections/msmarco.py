"""MS MARCO passages: queries for which results that favour a gender would do harm.

Rekabsaz et al. (2021) marked 215 queries of the development set and 30 of TREC Deep Learning 2019,
and published the words by which they measure the gender neutrality of a passage. Their two lists of
queries and their list of words are downloaded from their repository.

The words in judged and in retrieved passages are counted once and cached in a table in the folder
``fair`` of ir_datasets' MS MARCO. The table is created again if ir_datasets' docstore is newer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from ir_datasets.datasets.base import Dataset, FilteredQueries
from ir_datasets.formats import TrecQrel
from ir_datasets.util import Lazy, MetadataComponent, MetadataProvider

from pt_fairness.collections.variants import Documentation, GroupQrels, labelled

if TYPE_CHECKING:
    from pt_fairness.groups import Groups
    from pt_fairness.values import Values

CORPUS = "msmarco-passage"
#: The number of queries in each list.
_QUERIES = {"dev": 215, "trec-dl-2019": 30}
_TEXT = ("The queries that Rekabsaz et al. (2021) marked as sensitive to gender bias, and their "
         "judgments.")
_GENDER = (" The iteration field holds the gender of the passage: that of which it has more words, "
           "or neutral, if it has at most one word of both, or as many of one as of the other.")


def source(name: str) -> Groups:
    """Return the genders of passages as groups."""
    from pt_fairness.collections.gender import counts
    from pt_fairness.groups import FromText
    return FromText(counts(), name=name)


def values(name: str) -> Values:
    """Return the gender neutrality of passages as values."""
    from pt_fairness.collections.gender import counts
    from pt_fairness.values import FromText
    return FromText(counts(), name=name)


def register(registry: Any) -> None:
    """Register ``msmarco-passage/…/fair`` and ``…/fair/gender`` for both lists of queries."""
    for task, number in _QUERIES.items():
        base, name = registry[f"{CORPUS}/{task}"], f"{CORPUS}/{task}/fair"
        qids = Lazy(partial(_qids, f"{task}.tsv"))
        queries = FilteredQueries(base.queries_handler(), qids)
        _register(registry, name, base, queries, number, partial(_of, qids),
                  Documentation("queries sensitive to gender bias", _TEXT, base))
        _register(registry, f"{name}/gender", base, queries, number,
                  partial(_with_gender, f"{name}/gender", qids),
                  Documentation("queries sensitive to gender bias, with genders", _TEXT + _GENDER,
                                base))


def _register(registry: Any, name: str, base: Any, queries: Any, number: int, convert: Any,
              documentation: Documentation) -> None:
    dataset = Dataset(base.docs_handler(), queries, GroupQrels(base.qrels_handler(), convert),
                      documentation)

    def metadata() -> dict[str, Any]:
        return {name: {"docs": base.metadata()["docs"], "queries": {"count": number}}}
    registry.register(
        name, Dataset(MetadataComponent(name, dataset, MetadataProvider(metadata)), dataset))


def _of(qids: Any, rows: Iterable[Any]) -> list[TrecQrel]:
    wanted = qids()
    return [row for row in rows if row.query_id in wanted]


def _with_gender(name: str, qids: Any, rows: Iterable[Any]) -> Iterator[TrecQrel]:
    yield from labelled(source(name), _of(qids, rows))


def _qids(file: str) -> set[str]:
    from pt_fairness.collections.gender import rows
    return {qid for qid, _ in rows(file, "\t")}
