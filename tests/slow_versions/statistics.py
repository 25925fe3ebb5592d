"""§12 PEER, §16 FAIR and PreF, §19 ARP.

Yang et al. 2024; Zehlike et al. 2017; Cachel et al. 2022.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import Any

from scipy.stats import chi2

from slow_versions.common import Topic, protected_labels, target_is_empty, two_sided_target

#: A number is at most another if it exceeds it by no more than this factor (§16).
FACTOR = 1 + 1e-9


def kruskal_wallis(ranks: Mapping[str, Sequence[float]]) -> float:
    """P: the upper χ² tail of H. `ranks`: the x of each group that has one."""
    everything = [x for found in ranks.values() for x in found]
    if len(ranks) < 2 or len(set(everything)) == 1:
        return 1.0  # fewer than two groups, or all x equal
    mean = sum(everything) / len(everything)
    between = sum(len(found) * (sum(found) / len(found) - mean) ** 2 for found in ranks.values())
    within = sum((x - mean) ** 2 for x in everything)
    h = (len(everything) - 1) * between / within
    return float(chi2.sf(h, len(ranks) - 1))


def set_value(topic: Topic, n: int, in_set: Callable[[int], bool], unretrieved: str) -> float:
    """P of one set of grades."""
    ranks: dict[str, list[float]] = {}
    first = list(topic.ranking[:n])
    for i, docno in enumerate(first, start=1):
        if in_set(topic.relevance(docno)):
            for label in topic.shares(docno):  # once in each of their groups
                ranks.setdefault(label, []).append(i)
    if not ranks:
        return 1.0  # nothing of the set retrieved
    missing = [
        label for docno, relevance in topic.judged.items()
        if relevance > 0 and in_set(relevance) and docno not in first
        for label in topic.shares(docno)]
    u = len(missing)
    observations = sum(map(len, ranks.values())) + u
    last = (n if unretrieved == "end" else observations) + (u + 1) / 2
    for label in missing:
        ranks.setdefault(label, []).append(last)
    return kruskal_wallis(ranks)


def peer(topic: Topic, *, cutoff: int | None = None, rel: int = 1,
         weights: Mapping[int, float] | None = None, unretrieved: str = "end") -> float | None:
    """PEER = Σ w·P over sets of grades."""
    sets: list[tuple[float, Callable[[int], bool]]]
    if weights is None:  # all r ≥ `rel` are one set of weight 1
        sets = [(1.0, lambda r: r >= rel)]
    else:  # unjudged and negative are grade 0
        sets = [
            (w, lambda r, grade=grade: max(r, 0) == int(grade)) for grade, w in weights.items()
            if w > 0]
    if not any(
        in_set(relevance) and topic.shares(docno)
        for docno, relevance in topic.judged.items()
        for _, in_set in sets
    ):
        return None  # no judged annotated document of a grade with a weight
    n = len(topic.ranking[:cutoff])
    if not topic.condensed(topic.ranking[:n]):
        return 0.0  # nothing annotated in the first n
    return sum(w * set_value(topic, n, in_set, unretrieved) for w, in_set in sets)


@cache
def binomial_cdf(x: int, i: int, p: float) -> float:
    """F(x; i, p)."""
    return math.fsum(math.comb(i, j) * p**j * (1 - p) ** (i - j) for j in range(x + 1))


def m_table(a: float, p: float, k: int) -> list[int]:
    """m_a(i) = #{ j < i : F(j; i, p) ≤ a·(1+1e-9) }, i = 1…K."""
    return [
        sum(1 for j in range(i) if binomial_cdf(j, i, p) <= a * FACTOR) for i in range(1, k + 1)]


def failure_probability(table: Sequence[int], p: float) -> float:
    """f(m): probability that independent draws have fewer than m(i) successes in some prefix i."""
    old = {0: 1.0}
    for least in table:
        new: dict[int, float] = {}
        for successes, probability in old.items():
            new[successes] = new.get(successes, 0.0) + (1 - p) * probability
            new[successes + 1] = new.get(successes + 1, 0.0) + p * probability
        old = {c: probability for c, probability in new.items() if c >= least}
    return 1 - math.fsum(old.values())


@cache
def adjusted_level(alpha: float, p: float, k: int) -> float:
    """α_c: the largest of the numbers F(j; i, p), or 0, that is ≤ α and has f(m) ≤ α."""
    numbers = {binomial_cdf(j, i, p) for i in range(1, k + 1) for j in range(i + 1)}
    for a in sorted(numbers, reverse=True):
        if a <= alpha * FACTOR and failure_probability(m_table(a, p, k), p) <= alpha * FACTOR:
            return a
    return 0.0


def protected_prefixes(topic: Topic, cutoff: int | None, rel: int, protected: str, target: Any,
                       p: float | None) -> tuple[list[int], float] | None:
    """(τ_1 … τ_n, p); None: undefined."""
    topic = topic.with_target(target)
    sides = protected_labels(protected, topic.relevant(rel), topic.labels)
    if sides is None:  # as rND; with `p` given only here
        return None
    if p is None:
        if target_is_empty(topic, target, rel):
            return None
        plus, minus = two_sided_target(topic, target, rel, sides)
        p = plus / (plus + minus) if plus + minus else 0.0
    flags = [
        topic.membership(docno).degree(sides, topic.labels) == 1
        for docno in topic.condensed(topic.ranking)[:cutoff]]
    return [sum(flags[:i]) for i in range(1, len(flags) + 1)], min(p, 1.0)


def fair(topic: Topic, *, cutoff: int | None = None, rel: int = 1, protected: str = "minority",
         target: Any = "qrels", p: float | None = None, alpha: float = 0.1, adjust: bool = True,
         value: str = "test") -> float | None:
    """FAIR: prefix i passes if F(τ_i; i, p) > α_c·(1 + 1e-9)."""
    found = protected_prefixes(topic, cutoff, rel, protected, target, p)
    if found is None:
        return None
    taus, p = found
    n = len(taus)
    if n == 0:
        return 0.0
    level = adjusted_level(alpha, p, n) if adjust else alpha
    passes = [binomial_cdf(tau, i, p) > level * FACTOR for i, tau in enumerate(taus, start=1)]
    if value == "test":
        return 1.0 if all(passes) else 0.0
    assert value == "prefixes"
    return passes.count(True) / n


def pref(topic: Topic, *, cutoff: int | None = None, rel: int = 1, protected: str = "minority",
         target: Any = "qrels", p: float | None = None) -> float | None:
    """PreF = 1/n Σ F(τ_i; i, p)."""
    found = protected_prefixes(topic, cutoff, rel, protected, target, p)
    if found is None:
        return None
    taus, p = found
    return (
        sum(binomial_cdf(tau, i, p) for i, tau in enumerate(taus, start=1)) / len(taus) if taus
        else 0.0)


def pair_share(label: str, places: Sequence[tuple[Mapping[str, float], int]], pairs: str) -> float:
    """W_g of (m_d, r_d) in ranked order."""
    if not any(label in shares for shares, _ in places):
        return 0.0  # absent
    won = mixed = 0.0
    for (shares_i, r_i), (shares_j, r_j) in combinations(places, 2):  # i < j
        m_i, m_j = shares_i.get(label, 0.0), shares_j.get(label, 0.0)
        if pairs == "all" or r_i < r_j:
            won += m_i * (1 - m_j)
        mixed += m_i * (1 - m_j) + m_j * (1 - m_i)
    if mixed == 0:
        return 1.0 if pairs == "all" else 0.0  # alone; errors: no mixed pair
    return won / mixed


def arp(topic: Topic, *, cutoff: int | None = None, rel: int = 1,
        pairs: str = "all") -> float | None:
    """ARP = max − min of W over the labels that relevant documents have."""
    labels = {label for found in topic.relevant(rel) for label in found.shares(topic.labels)}
    if len(labels) < 2:
        return None
    places = [
        (topic.shares(docno), topic.relevance(docno))
        for docno in topic.condensed(topic.ranking)[:cutoff]]
    if not places:
        return 1.0  # nothing returned
    found = [pair_share(label, places, pairs) for label in sorted(labels)]
    return max(found) - min(found)
