"""§10: expected exposure, EEL, EED, EER (Diaz et al. 2020)."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from slow_versions.common import Shares, Topic, attention, explicit, normalised, uniform


class Parts(NamedTuple):
    """The three measures of a topic."""

    eel: float
    eed: float
    eer: float


def rank_exposure(model: str, i: int, relevant_before: int, p: float, u: float) -> float:
    """Exposure of rank i after so many relevant documents."""
    if model == "gerr":
        return p ** (i - 1) * (1 - u) ** relevant_before
    if model == "rbp":
        return p ** (i - 1)
    assert model in ("log2", "trec", "none")
    return attention(model, i)


def list_exposures(ranking: Sequence[str], topic: Topic, cutoff: int | None, rel: int, model: str,
                   p: float, u: float) -> Shares:
    """Exposure of each document of one full list, 0 after k."""
    exposures, relevant_before = {}, 0
    for i, docno in enumerate(ranking, start=1):
        seen = cutoff is None or i <= cutoff
        exposures[docno] = rank_exposure(model, i, relevant_before, p, u) if seen else 0.0
        if topic.relevance(docno) >= rel:
            relevant_before += 1
    return exposures


def mean_exposures(topic: Topic, cutoff: int | None, rel: int, model: str, p: float,
                   u: float) -> Shares:
    """ε_d: the mean over S samples; where a shorter sample lacks a document, its exposure is 0."""
    total: Shares = {}
    for ranking in topic.rankings:
        for docno, exposure in list_exposures(ranking, topic, cutoff, rel, model, p, u).items():
            total[docno] = total.get(docno, 0.0) + exposure
    return {docno: exposure / len(topic.rankings) for docno, exposure in total.items()}


def grades(topic: Topic, rel: int, binary: bool, complete: bool) -> list[list[str]]:
    """Documents that have a target, by grade, highest first."""
    relevant = {docno: r for docno, r in topic.judged.items() if r >= rel}
    if binary:  # one relevant grade
        relevant = dict.fromkeys(relevant, 1)
    found = [
        [docno for docno, r in relevant.items() if r == grade]
        for grade in sorted(set(relevant.values()), reverse=True)]
    others = [docno for docno, r in topic.judged.items() if r < rel]
    if complete and others:  # those judged below `rel` follow as one last grade
        found.append(others)
    return found


def target_exposures(topic: Topic, cutoff: int | None, rel: int, model: str, p: float, u: float,
                     binary: bool = False, complete: bool = False) -> Shares:
    """ε*_d: equals in any order share the mean exposure of the places of their grade."""
    relevant_total = sum(1 for r in topic.judged.values() if r >= rel)
    targets, before = {}, 0
    for grade in grades(topic, rel, binary, complete):
        exposures = [
            rank_exposure(model, i, min(i - 1, relevant_total), p, u)
            for i in range(before + 1, before + len(grade) + 1)
            if cutoff is None or i <= cutoff  # cut at k too
        ]
        for docno in grade:
            targets[docno] = sum(exposures) / len(grade)
        before += len(grade)
    return targets


def power_sum(j: int, cutoff: int | None, model: str, p: float) -> float:
    """A_j = Σ_{i≤k} (exposure of rank i, nothing relevant before)^j."""
    if cutoff is None:
        assert model in ("gerr", "rbp")
        return 1 / (1 - p**j)
    return sum(rank_exposure(model, i, 0, p, 0.0) ** j for i in range(1, cutoff + 1))


def by_groups(topic: Topic, exposures: Shares, rel: int, complete: bool) -> Shares:
    """ε_g = Σ m_dg ε_d over relevant annotated documents (`complete`: all annotated)."""
    total = dict.fromkeys(topic.labels, 0.0)
    for docno, exposure in exposures.items():
        if complete or topic.relevance(docno) >= rel:
            for label, share in topic.shares(docno).items():
                total[label] += share * exposure
    return total


def group_targets(topic: Topic, targets: Shares, target: Any, rel: int, complete: bool,
                  largest: float) -> Shares:
    """ε*_g: 'qrels' as ε_g, else T_g·A₁."""
    if target == "qrels":
        return by_groups(topic, targets, rel, complete)
    shares = uniform(topic.labels) if target == "uniform" else explicit(topic, target)
    assert shares is not None
    return {label: share * largest for label, share in shares.items()}


def largest_eer(star: Shares, by: str, complete: bool, cutoff: int | None, model: str,
                p: float) -> float:
    """C."""
    if by == "group":
        return power_sum(1, cutoff, model, p) * max(star.values())
    if model == "gerr" and complete:
        ordered = sorted(star.values(), reverse=True)[:cutoff]
        return sum(p ** (i - 1) * value for i, value in enumerate(ordered, start=1))
    return sum(value**2 for value in star.values())


def expected_exposure(topic: Topic, *, cutoff: int | None = None, rel: int = 1, model: str = "gerr",
                      p: float = 0.5, u: float = 0.5, binary: bool = False, complete: bool = False,
                      by: str = "document", target: Any = "qrels",
                      norm: str = "none") -> Parts | None:
    """(EEL, EED, EER).

    None: ε* is all 0, or nothing is relevant (but not with `complete` and another target), or there
    is one group.
    """
    topic = topic.with_target(target)
    if by == "group" and len(topic.labels) == 1:
        return None
    star = target_exposures(topic, cutoff, rel, model, p, u, binary, complete)
    if by == "group":
        largest = 0.0 if target == "qrels" else power_sum(1, cutoff, model, p)
        star = group_targets(topic, star, target, rel, complete, largest)
    something_relevant = any(r >= rel for r in topic.judged.values())
    if not any(star.values()) or not (something_relevant or (complete and target != "qrels")):
        return None
    squares = sum(value**2 for value in star.values())

    if topic.rankings:
        found = mean_exposures(topic, cutoff, rel, model, p, u)
        if by == "group":
            found = by_groups(topic, found, rel, complete)
        keys = sorted({*found, *star})
        eed = sum(found.get(key, 0.0) ** 2 for key in keys)
        eer = sum(found.get(key, 0.0) * star.get(key, 0.0) for key in keys)
        eel = sum((found.get(key, 0.0) - star.get(key, 0.0)) ** 2 for key in keys)
    else:  # nothing returned: EED = B, EER = 0, EEL = B + Σε*² (log2, trec without k: of k = 1)
        k = 1 if cutoff is None and model in ("log2", "trec") else cutoff
        eed, eer = largest_eed(by, k, model, p), 0.0
        eel = eed + squares
    if norm == "none":
        return Parts(eel, eed, eer)
    b = largest_eed(by, cutoff, model, p)
    c = largest_eer(star, by, complete, cutoff, model, p)
    return Parts(normalised(eel, b + squares), normalised(eed, b), normalised(eer, c))


def largest_eed(by: str, cutoff: int | None, model: str, p: float) -> float:
    """B."""
    if by == "group":
        return power_sum(1, cutoff, model, p) ** 2
    return power_sum(2, cutoff, model, p)


def part(name: str) -> Callable[..., float | None]:
    """EEL = Σ(ε − ε*)², EED = Σ ε² or EER = Σ ε·ε*."""

    def of_topic(topic: Topic, **params: Any) -> float | None:
        found = expected_exposure(topic, **params)
        return None if found is None else getattr(found, name)

    return of_topic


eel, eed, eer = map(part, Parts._fields)
