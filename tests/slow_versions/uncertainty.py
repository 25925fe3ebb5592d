"""§26 uncertain labels, one draw at a time."""

import math
from collections.abc import Mapping, Sequence
from statistics import fmean as mean
from statistics import stdev as sd

import numpy as np
from scipy import stats

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


def labels_of(probabilities: Mapping[str, float], qid: str, docno: str, draws: int,
              seed: int) -> list[str]:
    """The label of a document in each draw. `qid`: empty for one label in all topics."""
    u = uniforms(seed, f"{qid}\n{docno}", 0, draws)
    return [drawn_label(probabilities, one) for one in u]


def most_probable(probabilities: Mapping[str, float]) -> str:
    return min(probabilities, key=lambda label: (-round(probabilities[label], 12), label))


def weibull(values: Sequence[float], level: float) -> float:
    """The quantile at place level·(n + 1) of the sorted values, counted from 1."""
    return float(np.quantile(values, level, method="weibull"))


def summary(y: Sequence[Sequence[float]], interval: str, confidence: float) -> dict[str, float]:
    """A row. `y`: the values of the topics in each draw, NaN where undefined."""
    nan = math.nan
    if interval == "components":  # the topics defined in every draw
        complete = [not any(map(math.isnan, values)) for values in zip(*y, strict=True)]
        y = [[v for v, keep in zip(values, complete, strict=True) if keep] for values in y]
    topics = sum(not all(map(math.isnan, values)) for values in zip(*y, strict=True))
    y = [[v for v in values if not math.isnan(v)] for values in y]
    y = [values for values in y if values]
    n = len(y)
    if n < 2:
        columns = ("mean", "low", "high", "label low", "label high", "share", "error")
        return {"n": topics, **dict.fromkeys(columns, nan)}
    q = [mean(values) for values in y]
    big_q, b = mean(q), sd(q) ** 2
    row = {
        "n": topics, "mean": big_q, "label low": weibull(q, (1 - confidence) / 2),
        "label high": weibull(q, (1 + confidence) / 2), "error": math.sqrt(b / n)}
    if topics == 1:
        return {**row, "low": nan, "high": nan, "share": nan}
    label = (1 + 1 / n) * b
    if interval == "rubin":
        v = mean([sd(values) ** 2 / len(values) for values in y if len(values) > 1])
    else:
        of_topics = [mean([values[t] for values in y]) for t in range(topics)]
        v = sd(of_topics) ** 2 / topics
        e = sum(
            (y[m][t] - of_topics[t] - q[m] + big_q) ** 2 for m in range(n) for t in range(topics)
        ) / ((topics - 1) * (n - 1))
        label = (1 + 1 / n) * max(0.0, b - e / topics)
    if math.sqrt(v + label) < 1e-12:
        half, share = 0.0, 0.0
    else:
        nu = (v + label) ** 2 / (v**2 / (topics - 1) + label**2 / (n - 1))
        half = float(stats.t.ppf((1 + confidence) / 2, nu)) * math.sqrt(v + label)
        share = label / (v + label)
    if topics < 3:
        half = nan
    return {**row, "low": big_q - half, "high": big_q + half, "share": share}


def variances(chains):
    """The mean variance within chains, and the total one of Gelman and Rubin."""
    n = len(chains[0])
    within = mean([sd(chain) ** 2 for chain in chains])
    between = sd([mean(chain) for chain in chains]) ** 2
    return within, (n - 1) / n * within + between


def r_hat(chains):
    within, total = variances(chains)
    return math.sqrt(total / within)


def effective_draws(chains):
    n, (within, total) = len(chains[0]), variances(chains)

    def correlation(lag):
        products = [
            sum((x[i] - mean(x)) * (x[i + lag] - mean(x)) for i in range(n - lag)) / (n - 1)
            for x in chains]
        return 1 - (within - mean(products)) / total

    time, last = -1.0, math.inf
    for lag in range(0, n - 1, 2):
        pair = correlation(lag) + correlation(lag + 1)
        if pair <= 0:
            break
        last = min(last, pair)
        time += 2 * last
    number = n * len(chains)
    return number / max(time, 1 / math.log10(number))
