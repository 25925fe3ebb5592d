"""Re-rankers of one topic: plain loops over documents, ranks and groups."""

import math
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from slow_versions.statistics import adjusted_level, m_table

Target = str | Mapping[str, float]


@dataclass(frozen=True)
class Document:
    docno: str
    score: float
    groups: Mapping[str, float]  # weights, all 1 without weights; empty: unannotated
    soft: bool = False

    @property
    def s(self) -> float:
        """float32(score)."""
        return struct.unpack("f", struct.pack("f", self.score))[0]

    @property
    def m(self) -> dict[str, float]:
        return {g: weight / sum(self.groups.values()) for g, weight in self.groups.items()}


def floor(x: float) -> int:
    return math.floor(x + 1e-9)


def ceil(x: float) -> int:
    return math.ceil(x - 1e-9)


@dataclass
class Topic:
    """C in the old order, its groups, T and K."""

    c: list[Document]
    groups: list[str]
    t: dict[str, float]
    k: int

    def has(self, place: int, g: str) -> bool:
        return g in self.c[place].m

    def m(self, place: int, g: str) -> float:
        return self.c[place].m.get(g, 0.0)

    def r(self) -> list[float]:
        high, low = self.c[0].s, self.c[-1].s
        return [1.0 if high == low else (d.s - low) / (high - low) for d in self.c]


def rerank(documents: Sequence[Document], method: str, target: Target = "uniform",
           k: int | None = None, **params: Any) -> list[str]:
    """Section 1: the docnos in their new order."""
    old = sorted(documents, key=lambda d: d.docno.encode(), reverse=True)
    old.sort(key=lambda d: -d.s)
    condensed = [d for d in old if d.groups]
    groups = sorted({g for d in condensed for g in d.groups})
    if target == "uniform":
        shares = dict.fromkeys(groups, 1.0)
    elif target == "run":
        shares = {g: sum(d.m.get(g, 0.0) for d in condensed) for g in groups}
    else:
        assert not isinstance(target, str)
        shares = {g: target.get(g, 0.0) for g in groups}
    total = sum(shares.values())
    if len(groups) < 2 or total == 0 or method == "none":
        return [d.docno for d in old]
    topic = Topic(condensed, groups, {g: share / total for g, share in shares.items()},
                  len(condensed) if k is None else min(k, len(condensed)))
    if method == "fa_ir":
        places = fa_ir(topic, target, **params)
    elif method == "det_const_sort":
        places = det_const_sort(topic)
    elif method.startswith("det_"):
        places = det(topic, method)
    else:
        places = {"xquad": xquad, "pm2": pm2}[method](topic, **params)
    places += [i for i in range(len(condensed)) if i not in places]
    moved = iter([condensed[i] for i in places])
    return [(next(moved) if d.groups else d).docno for d in old]


def fa_ir(topic: Topic, target: Target, protected: str = "minority", alpha: float = 0.1,
          adjust: bool = True) -> list[int]:
    """Section 2."""
    if protected in ("minority", "majority"):
        counts = {
            g: sum(d.m.get(g, 0.0) if d.soft else float(g in d.m) for d in topic.c)
            for g in topic.groups}
        sign = 1 if protected == "minority" else -1
        best = min(sign * count for count in counts.values())
        labels = [next(g for g in topic.groups if sign * counts[g] <= best + 1e-9)]
    else:
        labels = protected.split(",")
    flags = [any(topic.has(i, g) for g in labels) for i in range(len(topic.c))]
    if all(flags) or not any(flags):
        return []
    p = sum(flags) / len(flags) if target == "run" else \
        min(1.0, sum(topic.t.get(g, 0.0) for g in labels))
    least = m_table(adjusted_level(alpha, p, topic.k) if adjust else alpha, p, topic.k)
    placed: list[int] = []
    for needed in least:
        plus = [i for i in range(len(flags)) if flags[i] and i not in placed]
        minus = [i for i in range(len(flags)) if not flags[i] and i not in placed]
        short = sum(flags[i] for i in placed) < needed
        placed.append(plus[0] if plus and (short or not minus or plus[0] < minus[0]) else minus[0])
    return placed


def det(topic: Topic, method: str) -> list[int]:
    """Section 3, the first three."""
    placed: list[int] = []
    for j in range(1, topic.k + 1):
        left = [i for i in range(len(topic.c)) if i not in placed]
        groups = [g for g in topic.groups if any(topic.has(i, g) for i in left)]
        c = {g: sum(topic.m(i, g) for i in placed) for g in groups}
        candidates = [g for g in groups if c[g] < floor(j * topic.t[g]) - 1e-9]
        if not candidates:
            candidates = [g for g in groups if c[g] < ceil(j * topic.t[g]) - 1e-9]
            if candidates and method != "det_greedy":
                key = {g: ceil(j * topic.t[g]) / topic.t[g] for g in candidates}
                if method == "det_relaxed":
                    key = {g: ceil(value) for g, value in key.items()}
                candidates = [g for g in candidates if key[g] <= min(key.values()) + 1e-9]
        if not candidates:
            candidates = groups
        placed.append(next(i for i in left if any(topic.has(i, g) for g in candidates)))
    return placed


def det_const_sort(topic: Topic, first_rank: int = 1) -> list[int]:
    """Section 3, DetConstSort. With `first_rank=0`, deadlines are compared as if ranks were counted
    from 0, which misses them.
    """
    placed: list[list[int]] = []  # [place in C, deadline]
    j = 0
    while len(placed) < topic.k:
        left = [i for i in range(len(topic.c)) if i not in [one for one, _ in placed]]
        if not any(topic.t[g] > 0 and topic.has(i, g) for i in left for g in topic.groups):
            break
        j += 1
        while True:
            left = [i for i in range(len(topic.c)) if i not in [one for one, _ in placed]]
            due = [
                g for g in topic.groups if any(topic.has(i, g) for i in left)
                and sum(topic.m(i, g) for i, _ in placed) < floor(j * topic.t[g]) - 1e-9]
            if not due:
                break
            placed.append([next(i for i in left if any(topic.has(i, g) for g in due)), j])
            at = len(placed) - 1
            # The one before has rank `at` (from 1) and would move to rank `at + 1`.
            while (at > 0 and placed[at - 1][0] > placed[at][0]
                   and placed[at - 1][1] >= at + first_rank):
                placed[at - 1], placed[at] = placed[at], placed[at - 1]
                at -= 1
    return [one for one, _ in placed][:topic.k]


def probabilities(topic: Topic, normalise: str) -> tuple[list[float], dict[str, list[float]]]:
    """P(d) and P(d|g)."""
    if normalise == "sum":
        low = min(0.0, *(d.s for d in topic.c))
        s = [d.s - low for d in topic.c]
        of = {}
        for g in topic.groups:
            own = [topic.m(i, g) * s[i] for i in range(len(s))]
            of[g] = [one / sum(own) if sum(own) else 0.0 for one in own]
        return [one / sum(s) if sum(s) else 0.0 for one in s], of
    r = topic.r() if normalise == "minmax" else [d.s for d in topic.c]
    return r, {g: [topic.m(i, g) * r[i] for i in range(len(r))] for g in topic.groups}


def first_of_best(values: Mapping[int, float]) -> int:
    return min(i for i, value in values.items() if value >= max(values.values()) - 1e-12)


def xquad(topic: Topic, lam: float = 0.5, normalise: str = "minmax") -> list[int]:
    """Section 4, xQuAD."""
    p, of = probabilities(topic, normalise)
    placed: list[int] = []
    while len(placed) < topic.k:
        values = {}
        for i in range(len(p)):
            if i not in placed:
                novel = {g: math.prod(1 - of[g][e] for e in placed) for g in topic.groups}
                values[i] = (1 - lam) * p[i] + lam * sum(
                    topic.t[g] * of[g][i] * novel[g] for g in topic.groups)
        placed.append(first_of_best(values))
    return placed


def pm2(topic: Topic, lam: float = 0.5, normalise: str = "minmax") -> list[int]:
    """Section 4, PM-2."""
    _, of = probabilities(topic, normalise)
    placed: list[int] = []
    seats = dict.fromkeys(topic.groups, 0.0)
    while len(placed) < topic.k:
        left = [i for i in range(len(topic.c)) if i not in placed]
        q = {g: topic.t[g] / (2 * seats[g] + 1) for g in topic.groups}
        first = {g: min((i for i in left if topic.has(i, g)), default=None) for g in topic.groups}
        running = {g: place for g, place in first.items() if place is not None}
        largest = max(q[g] for g in running)
        star = min((running[g], g) for g in running if q[g] >= largest - 1e-12)[1]
        values = {
            i: lam * q[star] * of[star][i]
            + (1 - lam) * sum(q[g] * of[g][i] for g in topic.groups if g != star) for i in left}
        best = first_of_best(values)
        placed.append(best)
        total = sum(of[g][best] for g in topic.groups)
        for g in topic.groups:
            seats[g] += of[g][best] / total if total else topic.m(best, g)
    return placed
