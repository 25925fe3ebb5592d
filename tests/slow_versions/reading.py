"""Topics from rows of qrels and runs, as measures are given them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from slow_versions.common import Membership, Source, Topic
from slow_versions.rows import clean_labels, naming_rows, order_run

#: Groups of a document of a topic: labels, or a weight for each label.
Lookup = Callable[[str, str], Any]


def membership_of_labels(found: Any) -> Membership:
    """Labels as text; a mapping holds weights."""
    if not isinstance(found, Mapping):
        return Membership(dict.fromkeys(clean_labels(found or ()), 1.0))
    weights: dict[str, float] = {}
    for key, weight in found.items():
        for label in clean_labels([key]):
            weights[label] = weights.get(label, 0.0) + weight
    return Membership(weights, soft=True)


def read_topics(qrels: Iterable[tuple[str, str, int, Any]], run: Iterable[Sequence[Any]],
                groups: Lookup | None = None, labels: Iterable[Any] = (),
                order: Sequence[str] | None = None) -> dict[str, Topic]:
    """§1 and §10: a topic for each of the qrels.

    `qrels` (qid, docno, relevance, iteration); `run` (qid, docno, score) or (qid, docno, score,
    sample); `groups`, with the labels that it declares and their order, replaces the iteration.
    """
    rows: dict[str, dict[str, list[tuple[int, Any]]]] = {}
    for qid, docno, relevance, iteration in qrels:
        rows.setdefault(qid, {}).setdefault(docno, []).append((relevance, iteration))
    samples: dict[Any, list[tuple[str, str, float]]] = {}
    for qid, docno, score, *sample in run:
        samples.setdefault(tuple(sample), []).append((qid, docno, score))
    rankings = [order_run(found) for found in samples.values()]
    topics = {}
    for qid, of_topic in rows.items():
        lists = [ranking.get(qid, []) for ranking in rankings]
        lists = lists if any(lists) else []
        documents = {*of_topic, *(docno for one in lists for docno in one)}
        source = source_of_topic(qid, of_topic, documents, groups)
        judged = {docno: max(r for r, _ in found) for docno, found in of_topic.items()}
        topics[qid] = Topic(judged, lists, source)

    known = {
        g for topic in topics.values() for d in topic.judged for g in topic.membership(d).weights}
    if groups is None:
        known = {
            label for of_topic in rows.values() for found in of_topic.values()
            for label in clean_labels(value for _, value in found)}
    known |= clean_labels(labels)
    ordered = None if order is None else tuple(order)
    topics = {
        qid: replace(topic, groups=replace(topic.groups, labels=frozenset(known), order=ordered))
        for qid, topic in topics.items()}
    collection = list(topics.values())
    return {qid: replace(topic, collection=collection) for qid, topic in topics.items()}


def source_of_topic(qid: str, rows: Mapping[str, Sequence[tuple[int, Any]]],
                    documents: Iterable[str], groups: Lookup | None) -> Source:
    """The groups of the documents; those of the qrels are the iterations of a document's rows."""
    if groups is not None:
        return Source({d: membership_of_labels(groups(qid, d)) for d in documents}, frozenset())

    def relevant(docno: str, rel: int) -> Membership:
        """§1: if any row reaches `rel`, only such rows give the document groups in a population."""
        return membership_of_labels(label for relevance, label in named[docno] if relevance >= rel)

    named = naming_rows(rows)
    of = {
        docno: membership_of_labels(label for _, label in found) for docno, found in named.items()}
    return Source(of, frozenset(), relevant=relevant)
