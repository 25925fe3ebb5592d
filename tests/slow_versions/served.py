"""Who is served: OfGroup with the measures of trec_eval, means and gaps by group, and MRecall."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

from slow_versions.common import Topic, compares_groups, mean_over_samples

Judged = Mapping[str, int]

# -------------------------------------------------------------------------------------- trec_eval


def ndcg(judged: Judged, ranking: Sequence[str], k: int | None, rel: int) -> float:
    def dcg(gains: Sequence[int]) -> float:
        return sum(max(r, 0) / math.log2(i + 1) for i, r in enumerate(gains[:k], start=1))

    ideal = dcg(sorted(judged.values(), reverse=True))
    return dcg([judged.get(d, 0) for d in ranking]) / ideal if ideal else 0.0


def hits(judged: Judged, ranking: Sequence[str], k: int | None, rel: int) -> list[int]:
    """The ranks of the relevant documents."""
    return [i for i, d in enumerate(ranking[:k], start=1) if judged.get(d, 0) >= rel]


def wanted(judged: Judged, rel: int) -> int:
    return sum(r >= rel for r in judged.values())


def precision(judged: Judged, ranking: Sequence[str], k: int | None, rel: int) -> float:
    assert k is not None
    return len(hits(judged, ranking, k, rel)) / k


def recall(judged: Judged, ranking: Sequence[str], k: int | None, rel: int) -> float:
    return len(hits(judged, ranking, k, rel)) / wanted(judged, rel)


def average_precision(judged: Judged, ranking: Sequence[str], k: int | None, rel: int) -> float:
    found = hits(judged, ranking, k, rel)
    return sum(n / i for n, i in enumerate(found, start=1)) / wanted(judged, rel)


def reciprocal_rank(judged: Judged, ranking: Sequence[str], k: int | None, rel: int) -> float:
    found = hits(judged, ranking, k, rel)
    return 1 / found[0] if found else 0.0


def bpref(judged: Judged, ranking: Sequence[str], k: int | None, rel: int) -> float:
    """Judged documents only; relevance below 0 is as good as unjudged."""
    relevant = wanted(judged, rel)
    irrelevant = sum(0 <= r < rel for r in judged.values())
    above, total = 0, 0.0
    for docno in ranking:
        if judged.get(docno, -1) >= rel:
            total += 1 - min(above, relevant) / min(irrelevant, relevant) if above else 1
        elif judged.get(docno, -1) >= 0:
            above += 1
    return total / relevant


MEASURES: dict[str, Callable[[Judged, Sequence[str], int | None, int], float]] = {
    "nDCG": ndcg, "P": precision, "R": recall, "AP": average_precision, "RR": reciprocal_rank,
    "Bpref": bpref}

# ---------------------------------------------------------------------------------------- OfGroup


def relevance_for(topic: Topic, docno: str, group: str) -> int | None:
    """The relevance of a judged document for a group: of its rows with that label the largest, or
    its own with groups of another source; None if it is not in the group.
    """
    if group not in topic.membership(docno).weights:
        return None
    of_rows = topic.groups.relevant
    r = topic.judged[docno]
    while of_rows is not None and group not in of_rows(docno, r).weights:
        r -= 1
    return r


@mean_over_samples
def of_group(topic: Topic, *, measure: str, group: str, others: str = "irrelevant",
             cutoff: int | None = None, rel: int = 1) -> float | None:
    """``measure`` is the name of one of `MEASURES`, with ``(rel=…)`` behind it where rel is not 1.
    """
    name, _, given = measure.partition("(rel=")
    rel = int(given.rstrip(")")) if given else rel
    ranking = list(topic.ranking)
    judged = {}
    for docno, r in topic.judged.items():
        own = relevance_for(topic, docno, group)
        if own is not None:
            judged[docno] = own
        elif others == "irrelevant":
            judged[docno] = min(r, 0)
    if others == "dropped":
        ranking = [d for d in ranking if group in topic.membership(d).weights]
    if not any(relevance_for(topic, d, group) is not None and judged[d] >= rel for d in judged):
        return None
    return MEASURES[name](judged, ranking, cutoff, rel)


def means(values: Mapping[str, Sequence[float | None]],
          topics: str) -> dict[str, tuple[float, int]]:
    """The mean and the number of topics of each label, from its values by topic, None where it is
    undefined.
    """
    found = {}
    for label, own in values.items():
        if topics == "all":
            kept = [value or 0.0 for value in own]
        elif topics == "each":
            kept = [value for value in own if value is not None]
        else:
            kept = [value for i, value in enumerate(own)
                    if value is not None and all(other[i] is not None for other in values.values())]
        found[label] = (sum(kept) / len(kept) if kept else math.nan, len(kept))
    return found


def relative_delta(first: float, second: float) -> float:
    middle = (first + second) / 2
    return 100 * (first - second) / middle if middle else math.nan


# ---------------------------------------------------------------------------------------- MRecall


@compares_groups
@mean_over_samples
def mrecall(topic: Topic, *, cutoff: int | None = None, value: str = "all",
            rel: int = 1) -> float | None:
    def labels(docnos: Sequence[str]) -> set[str]:
        found: set[str] = set()
        for docno in docnos:
            if topic.judged.get(docno, rel - 1) >= rel:
                of_rows = topic.groups.relevant
                own = of_rows(docno, rel) if of_rows else topic.membership(docno)
                found |= set(own.shares(topic.groups.labels))
        return found

    every = labels(list(topic.judged))
    if not every:
        return None
    covered = labels(topic.ranking[:cutoff]) & every
    if value == "share":
        return len(covered) / len(every)
    enough = len(every) if cutoff is None else min(cutoff, len(every))
    return float(len(covered) >= enough)
