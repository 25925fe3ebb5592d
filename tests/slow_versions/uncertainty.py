"""§26 uncertain labels, one draw at a time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from scipy import stats

from slow_versions.certainty import mean, sd
from slow_versions.sampling import uniforms


def drawn_label(probabilities: Mapping[str, float], u: float) -> str:
    """The first in sorted order whose cumulated probability exceeds u (none: the last)."""
    total = sum(probabilities.values())
    so_far = 0.0
    for label in sorted(probabilities):
        so_far += probabilities[label] / total
        if so_far > u:
            return label
    return max(probabilities)


def labels_of(
    probabilities: Mapping[str, float], qid: str, docno: str, draws: int, seed: int
) -> list[str]:
    """The label of a document in each draw. `qid`: empty for one label in all topics."""
    u = uniforms(seed, f"{qid}\n{docno}", 0, draws)
    return [drawn_label(probabilities, one) for one in u]


def most_probable(probabilities: Mapping[str, float]) -> str:
    return min(probabilities, key=lambda label: (-round(probabilities[label], 12), label))


def weibull(values: Sequence[float], level: float) -> float:
    """The quantile at place level·(n + 1) of the sorted values, counted from 1."""
    ordered = sorted(values)
    place = min(max(level * (len(ordered) + 1), 1.0), float(len(ordered)))
    below = math.floor(place)
    above = min(below + 1, len(ordered))
    return ordered[below - 1] + (place - below) * (ordered[above - 1] - ordered[below - 1])


def summary(y: Sequence[Sequence[float]], interval: str, confidence: float) -> dict[str, float]:
    """A row. `y`: the values of the topics in each draw."""
    n, topics = len(y), len(y[0])
    q = [mean(values) for values in y]
    big_q, b = mean(q), sd(q) ** 2
    row = {
        "n": topics,
        "mean": big_q,
        "label low": weibull(q, (1 - confidence) / 2),
        "label high": weibull(q, (1 + confidence) / 2),
        "error": math.sqrt(b / n),
    }
    if topics == 1:
        return {**row, "low": math.nan, "high": math.nan, "share": math.nan}
    of_topics = [mean([values[t] for values in y]) for t in range(topics)]
    if interval == "rubin":
        v = mean([sd(values) ** 2 / topics for values in y])
        label = (1 + 1 / n) * b
    else:
        v = sd(of_topics) ** 2 / topics
        e = sum(
            (y[m][t] - of_topics[t] - q[m] + big_q) ** 2 for m in range(n) for t in range(topics)
        ) / ((topics - 1) * (n - 1))
        label = (1 + 1 / n) * max(0.0, b - e / topics)
    if math.sqrt(v + label) < 1e-12:
        return {**row, "low": big_q, "high": big_q, "share": 0.0}
    nu = (v + label) ** 2 / (v**2 / (topics - 1) + label**2 / (n - 1))
    half = float(stats.t.ppf((1 + confidence) / 2, nu)) * math.sqrt(v + label)
    return {**row, "low": big_q - half, "high": big_q + half, "share": label / (v + label)}


