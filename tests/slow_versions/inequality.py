"""Exposure of documents and groups over all topics, and its inequality.

Azzopardi & Vinay 2008; Rampisela et al. 2024.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import NamedTuple

from slow_versions.common import Shares, attention

#: The lists of a run, one for each sample of each topic: (topic, docnos).
Lists = Sequence[tuple[str, Sequence[str]]]


class Inequality(NamedTuple):
    """The row of a run."""

    n: int
    exposed: int
    outside: float
    gini: float
    jain: float
    entropy: float
    qf: float
    fsat: float


def weight(discount: str, i: int, p: float | None) -> float:
    """a_i; p is .85 for 'geometric' and .5 for 'power' where it is not given."""
    if discount == "power":
        return i ** -(0.5 if p is None else p)
    return attention(discount, i, 0.85 if p is None else p)


def exposures(lists: Lists, discount: str, p: float | None, depth: int | None,
              of: Callable[[str, str], Shares] = lambda qid, docno: {docno: 1.0}) -> Shares:
    """E_d = Σ over topics of the mean over samples of a_i; E_g with the shares m_dg."""
    samples = Counter(qid for qid, _ in lists)
    total: Shares = {}
    for qid, ranking in lists:
        for i, docno in enumerate(ranking[:depth], start=1):
            for item, share in of(qid, docno).items():
                own = share * weight(discount, i, p) / samples[qid]
                total[item] = total.get(item, 0.0) + own
    return total


def population_of(runs: Mapping[str, Lists], population: str | int, judged: Collection[str],
                  depth: int | None) -> tuple[set[str], int]:
    """The documents that can be named, and N."""
    returned = {d for lists in runs.values() for _, ranking in lists for d in ranking[:depth]}
    if population == "judged":
        return set(judged), len(set(judged))
    if population == "runs":
        return returned, len(returned)
    assert isinstance(population, int) and population >= len(returned)
    return returned, population


def of_values(values: Sequence[float], n: int) -> tuple[float, float, float]:
    """Gini, Jain and entropy of n values, those that are not given 0."""
    x = sorted([*values, *[0.0] * (n - len(values))])
    total = sum(x)
    if n < 2 or total == 0:
        return math.nan, math.nan, math.nan
    gini = sum((2 * i - n - 1) * one for i, one in enumerate(x, start=1)) / (n * total)
    jain = total**2 / (n * sum(one**2 for one in x))
    entropy = -sum(one / total * math.log(one / total) for one in x if one) / math.log(n)
    return gini, jain, entropy


def inequality(runs: Mapping[str, Lists], *, population: str | int = "runs",
               judged: Collection[str] = (), discount: str = "log2", p: float | None = None,
               depth: int | None = None, groups: Callable[[str, str], Shares] | None = None,
               labels: Sequence[str] = ()) -> dict[str, Inequality]:
    """The rows of all runs; `groups` are the shares m_dg of a document, for by='group'."""
    inside, n = population_of(runs, population, judged, depth)
    found = {}
    for name, lists in runs.items():
        everything = sum(exposures(lists, discount, p, depth).values())
        times = Counter(d for _, ranking in lists for d in ranking[:depth])
        if groups is None:
            of = exposures(lists, discount, p, depth)
            values, size = [of.get(docno, 0.0) for docno in sorted(inside)], n
            exposed = sum(1 for docno in inside if times[docno])
            often = times.total() // n if n else 0
            named = sum(1 for docno in inside if times[docno] >= often)
            qf = exposed / n if n else math.nan
            fsat = (named + (n - len(inside) if often == 0 else 0)) / n if n else math.nan
        else:
            of = exposures(
                lists, discount, p, depth,
                lambda qid, docno, of=groups: of(qid, docno) if docno in inside else {})
            values, size = [of.get(label, 0.0) for label in labels], len(labels)
            exposed, qf, fsat = sum(1 for value in values if value > 0), math.nan, math.nan
        if size < 2 or not sum(values):
            qf = fsat = math.nan
        outside = 1 - sum(values) / everything if everything else math.nan
        found[name] = Inequality(size, exposed, outside, *of_values(values, size), qf, fsat)
    return found
