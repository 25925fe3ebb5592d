"""Is the sampler of true labels calibrated? ``python tests/benchmarks/label_calibration.py [N]``.

Parameters and labels are drawn from the prior distributions of the sampler, for two and for three
labels, N times each. The share of intervals at 95 % that hold the true value has to be 0.95, and
the mean rank of the truth among the draws 0.5, but for chance, for each of six statistics: shares
of labels over all documents, in a stratum and in a topic, their spread over topics, and the
agreement with the model. The script ends with an error if a share is below 0.88 or a mean rank
further than three standard errors from 0.5.
"""

import sys

import numpy as np
from label_worlds import drawn

from pt_fairness.analysis.label_sampler import Labelled

TOPICS, DOCUMENTS, STRATA, HUMAN, DRAWS = 20, 30, 3, 60, 100
STATISTICS = ["all", "last label", "stratum 0", "topic 0", "spread", "agreement"]


def world(labels: int, seed: int) -> tuple[Labelled, np.ndarray]:
    """Return documents with a model's labels and some human labels, and their true labels."""
    rng = np.random.default_rng((seed, labels))

    def dirichlet(shape: np.ndarray) -> np.ndarray:
        variates = np.maximum(rng.standard_gamma(np.maximum(shape, 1e-9)), 1e-100)
        return variates / variates.sum(axis=-1, keepdims=True)

    size = TOPICS * DOCUMENTS
    topic = np.repeat(np.arange(TOPICS), DOCUMENTS)
    stratum = rng.integers(STRATA, size=size)
    alpha = rng.gamma(0.5, 1 / 0.05, labels)
    shares = dirichlet(np.tile(alpha, (TOPICS, 1)))
    tilt = rng.standard_gamma(1, (STRATA, labels))
    nu, kappa = rng.gamma(1, 100, 2)
    typical = dirichlet(np.full((labels, labels), 0.5))
    errors = dirichlet(np.tile(kappa * typical, (STRATA, 1, 1)))
    errors = dirichlet(np.tile(nu * errors, (TOPICS, 1, 1, 1)))
    truth = drawn(shares[topic] * tilt[stratum], rng)
    model = drawn(errors[topic, stratum, truth], rng)
    human = np.full(size, -1)
    checked = rng.choice(size, HUMAN, replace=False)
    human[checked] = truth[checked]
    return Labelled(topic, stratum, human, model, labels, np.arange(labels)), truth


def statistics(documents: Labelled, labels: np.ndarray) -> list[np.ndarray]:
    """Return the statistics of each column of labels, ``[n, draws]``."""
    first = labels == 0
    of_topics = first.reshape(TOPICS, DOCUMENTS, -1).mean(axis=1)
    return [first.mean(axis=0), (labels == documents.labels - 1).mean(axis=0),
            first[documents.stratum == 0].mean(axis=0), of_topics[0], of_topics.std(axis=0),
            (labels == documents.model[:, None]).mean(axis=0)]


def main(number: int) -> int:
    """Print the table, and return how many results are out of their bounds."""
    missed = 0
    for labels in (2, 3):
        covers, ranks = [], []
        for seed in range(number):
            documents, truth = world(labels, seed)
            drawn, _ = documents.draw(DRAWS, seed)
            draws = np.array(statistics(documents, drawn[:, :DRAWS]))
            true = np.array(statistics(documents, truth[:, None]))
            low, high = np.quantile(draws, [0.025, 0.975], axis=1, method="weibull")
            covers.append((low <= true[:, 0]) & (true[:, 0] <= high))
            ranks.append(((draws < true).mean(axis=1) + (draws <= true).mean(axis=1)) / 2)
        for name, share, rank in zip(STATISTICS, np.mean(covers, axis=0), np.mean(ranks, axis=0),
                                     strict=True):
            print(f"K = {labels}  {name:<12} covers {share:.2f}  mean rank {rank:.3f}", flush=True)
            missed += share < 0.88 or abs(rank - 0.5) > 3 * np.sqrt(1 / 12 / number)
    return missed


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100))
