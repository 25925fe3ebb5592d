"""Who is served: OfGroup with the measures of trec_eval, means and gaps by group, and MRecall."""

import math
from collections.abc import Mapping, Sequence

from ir_measures import parse_measure, pytrec_eval

from slow_versions.common import Topic


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


def of_group(topic: Topic, *, measure: str, group: str, others: str = "irrelevant",
             cutoff: int | None = None, rel: int = 1) -> float | None:
    """``measure`` is one of trec_eval's, with ``(rel=…)`` behind its name where rel is not 1."""
    inner = parse_measure(measure if cutoff is None else f"{measure}@{cutoff}")
    rel = inner.params.get("rel", rel)
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
    scores = {docno: -float(i) for i, docno in enumerate(ranking)}
    return float(pytrec_eval.calc_aggregate([inner], {"q": judged}, {"q": scores})[inner])


def means(values: Mapping[str, Sequence[float | None]],
          topics: str) -> dict[str, tuple[float, int]]:
    """The mean and the number of topics of each label, from its values by topic (or None)."""
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
