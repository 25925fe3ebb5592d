"""§23 intervals, §24 tests and verdicts, §25 topic groups, one value at a time."""

import itertools
import math
from collections.abc import Mapping, Sequence
from statistics import fmean as mean
from statistics import stdev as sd

import numpy as np
from scipy import stats


def same(value: float) -> float:
    """The value rounded to 12 decimals, as values are compared."""
    return round(value, 12)


def in_order(values: Mapping[str, float]) -> list[float]:
    """The values of the topics that have one, by id as text."""
    return [values[topic] for topic in sorted(values) if not math.isnan(values[topic])]


def interval(values: Sequence[float], method: str, confidence: float, resamples: int,
             seed: int) -> tuple[float, float]:
    n = len(values)
    if n < 3:
        return math.nan, math.nan
    if len(set(map(same, values))) == 1:
        return mean(values), mean(values)
    if method == "t":
        return stats.t.interval(confidence, n - 1, mean(values), stats.sem(values))
    rows = np.random.default_rng(seed).integers(0, n, (resamples, n)).tolist()
    means = [mean([values[t] for t in row]) for row in rows]
    centre = same(mean(values))
    below = sum(same(one) < centre for one in means) / resamples
    up_to = sum(same(one) <= centre for one in means) / resamples
    z0 = stats.norm.ppf((below + up_to) / 2)
    errors = [v - mean(values) for v in values]
    a = sum(e**3 for e in errors) / (6 * sum(e**2 for e in errors) ** 1.5)
    ends = []
    for z in (stats.norm.ppf((1 - confidence) / 2), stats.norm.ppf((1 + confidence) / 2)):
        level = stats.norm.cdf(z0 + (z0 + z) / (1 - a * (z0 + z)))
        ends.append(float(np.quantile(means, level)))
    return ends[0], ends[1]


def randomisation(d: Sequence[float], resamples: int, seed: int) -> float:
    n = len(d)
    if n < 2 or all(same(one) == 0 for one in d):
        return math.nan
    found = same(abs(sum(d)) / n)
    if 2**n <= resamples:
        hits = sum(
            same(abs(sum(s * one for s, one in zip(signs, d, strict=True))) / n) >= found
            for signs in itertools.product((1, -1), repeat=n))
        return hits / 2**n
    hits = 0
    for flips in np.random.default_rng(seed).integers(0, 2, (resamples, n)).tolist():
        flipped = [-one if flip else one for flip, one in zip(flips, d, strict=True)]
        hits += same(abs(sum(flipped)) / n) >= found
    return (1 + hits) / (1 + resamples)


def verdict(d: Sequence[float], delta: float, larger_is_better: bool,
            side: str) -> tuple[float, float, float, str]:
    """The ends of the 90 % interval of the mean difference, p and the verdict."""
    n = len(d)
    if n < 3:
        return math.nan, math.nan, math.nan, "inconclusive"
    loss = [-one for one in d] if larger_is_better and side == "worse" else list(d)
    error = sd(loss) / math.sqrt(n) if len(set(map(same, loss))) > 1 else 0.0
    half = stats.t.ppf(0.95, n - 1) * error
    low, high = mean(loss) - half, mean(loss) + half
    if side == "worse":
        within, exceeds = same(high) < same(delta), same(low) > same(delta)
    else:
        within = same(low) > -same(delta) and same(high) < same(delta)
        exceeds = same(low) > same(delta) or same(high) < -same(delta)
    if error == 0:
        p = 0.0 if within else 1.0
    else:
        p = stats.ttest_1samp(loss, delta, alternative="less").pvalue
        if side == "both":
            p = max(p, stats.ttest_1samp(loss, -delta, alternative="greater").pvalue)
    word = "within" if within else "exceeds" if exceeds else "inconclusive"
    return mean(d) - half, mean(d) + half, float(p), word


def gaps(values: Mapping[str, float], groups: Mapping[str, Sequence[str]], direction: str | None,
         unit_range: bool) -> dict[str, object]:
    """A row of §25, over all permutations. `direction`: ↑, ↓, →0 or None."""
    topics = sorted(t for t in values if groups.get(t) and not math.isnan(values[t]))
    y = [values[t] for t in topics]
    sets = [set(groups[t]) for t in topics]
    labels = sorted(set().union(*sets))

    def means(y: Sequence[float]) -> list[float]:
        return [
            mean([v for v, own in zip(y, sets, strict=True) if label in own]) for label in labels]

    sizes = [sum(label in own for own in sets) for label in labels]

    def statistic(y: Sequence[float]) -> float:
        return sum(n * (x - mean(y)) ** 2 for n, x in zip(sizes, means(y), strict=True))

    x = means(y)
    worst: str | None = None
    if direction is not None:
        cost = {"↑": lambda v: -v, "↓": lambda v: v, "→0": abs}[direction]
        worst = min(labels, key=lambda label: (-same(cost(x[labels.index(label)])), label))
    good: list[float] | None = None
    if direction == "↑":
        good = y
    elif direction == "↓" and unit_range:
        good = [1 - v for v in y]
    gini = math.nan
    if good is not None and min(good) >= 0 and same(sum(means(good))) > 0:
        ordered = sorted(means(good))
        g = len(ordered)
        gini = sum((2 * i - g - 1) * v for i, v in enumerate(ordered, start=1)) / (g * sum(ordered))
    shuffled = [list(one) for one in itertools.permutations(y)]
    ranges = [max(found) - min(found) for found in map(means, shuffled)]
    p = mean([same(statistic(one)) >= same(statistic(y)) for one in shuffled])
    chance = mean(ranges)
    if len(labels) == 1 or len(set(map(same, y))) == 1:
        p, chance = math.nan, 0.0
    return {
        "groups": len(labels), "worst": worst,
        "worst mean": math.nan if worst is None else x[labels.index(worst)],
        "range": max(x) - min(x), "sd": float(np.std(x)), "gini": gini, "p": p, "chance": chance}
