"""True labels of documents by a Gibbs sampler, document by document."""

import math
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple


class Document(NamedTuple):
    """The topic and the stratum, the human label and the model's label, None for none."""

    topic: int
    stratum: int
    human: int | None
    model: int | None


class Sampler:
    """The variables of the sampler; F has topic, stratum, true label, model's label."""

    def __init__(self, documents: Sequence[Document], labels: int, labels_of_model: int,
                 start: Sequence[int], nu: float, seed: int,
                 fixed: Sequence[Sequence[float]] | None = None) -> None:
        """`start`: the true label of each document; None only where it has no label at all."""
        self.random = random.Random(seed)
        self.documents = documents
        self.K, self.M = labels, labels_of_model
        self.label = list(start)
        self.T = 1 + max(d.topic for d in documents)
        self.S = 1 + max(d.stratum for d in documents)
        self.lam = [[1 / labels] * labels for _ in range(self.T)]
        self.w = [[1.0] * labels for _ in range(self.S)]
        self.alpha = [4 / labels] * labels
        self.nu, self.kappa = nu, 20.0
        equal = [1 / labels_of_model] * labels_of_model
        self.typical = [list(equal) for _ in range(labels)]
        self.E = [[list(equal) for _ in range(labels)] for _ in range(self.S)]
        self.fixed = fixed
        self.F: dict[tuple[int, int, int], Sequence[float]] = {}

    def gamma(self, shape: float, rate: float = 1.0) -> float:
        return max(self.random.gammavariate(max(shape, 1e-9), 1.0) / rate, 1e-100)

    def dirichlet(self, shapes: Sequence[float]) -> list[float]:
        draws = [self.gamma(shape) for shape in shapes]
        return [draw / sum(draws) for draw in draws]

    def tables(self, n: int, a: float) -> int:
        return sum(self.random.random() < a / (a + j) for j in range(n))

    def log_beta(self, a: float, b: int) -> float:
        return math.log(max(self.random.betavariate(a, b), 1e-100))

    def errors(self) -> None:
        """Step 1."""
        c: dict[tuple[int, int, int, int], int] = defaultdict(int)
        for d, k in zip(self.documents, self.label, strict=True):
            if d.model is not None:
                c[d.topic, d.stratum, k, d.model] += 1
        T, S, K, M = (range(n) for n in (self.T, self.S, self.K, self.M))
        r = {(t, s, k, m): self.tables(c[t, s, k, m], self.nu * self.E[s][k][m])
             for t in T for s in S for k in K for m in M}
        sizes = [sum(c[t, s, k, m] for m in M) for t in T for s in S for k in K]
        logs = [self.log_beta(self.nu, size) for size in sizes if size > 0]
        self.nu = self.gamma(1 + sum(r.values()), 0.01 - sum(logs))
        of_stratum = {(s, k, m): sum(r[t, s, k, m] for t in T) for s in S for k in K for m in M}
        v = {(s, k, m): self.tables(n, self.kappa * self.typical[k][m])
             for (s, k, m), n in of_stratum.items()}
        sizes = [sum(of_stratum[s, k, m] for m in M) for s in S for k in K]
        logs = [self.log_beta(self.kappa, size) for size in sizes if size > 0]
        self.kappa = self.gamma(1 + sum(v.values()), 0.01 - sum(logs))
        for k in K:
            self.typical[k] = self.dirichlet([0.5 + sum(v[s, k, m] for s in S) for m in M])
        for s in S:
            for k in K:
                self.E[s][k] = self.dirichlet(
                    [self.kappa * self.typical[k][m] + of_stratum[s, k, m] for m in M])
                for t in T:
                    self.F[t, s, k] = self.dirichlet(
                        [self.nu * self.E[s][k][m] + c[t, s, k, m] for m in M])

    def shares(self) -> None:
        """Step 2."""
        n: dict[tuple[int, int, int], int] = defaultdict(int)
        for d, k in zip(self.documents, self.label, strict=True):
            if k is not None:
                n[d.topic, d.stratum, k] += 1
        T, S, K = (range(size) for size in (self.T, self.S, self.K))
        for t in T:
            scale = self.gamma(sum(self.alpha)) / sum(self.lam[t])
            self.lam[t] = [value * scale for value in self.lam[t]]
        if self.S > 1:
            for s in S:
                scale = self.gamma(self.K) / sum(self.w[s])
                self.w[s] = [value * scale for value in self.w[s]]
        z = [[0.0] * self.S for _ in T]
        for t in T:
            for s in S:
                size = sum(n[t, s, k] for k in K)
                if size:
                    rate = sum(self.lam[t][k] * self.w[s][k] for k in K)
                    z[t][s] = self.gamma(size, rate)
        x = [[sum(z[t][s] * self.w[s][k] for s in S) for k in K] for t in T]
        n_topic = [[sum(n[t, s, k] for s in S) for k in K] for t in T]
        for k in K:
            tables = sum(self.tables(n_topic[t][k], self.alpha[k]) for t in T)
            self.alpha[k] = self.gamma(0.5 + tables, 0.05 + sum(math.log(1 + x[t][k]) for t in T))
            for t in T:
                self.lam[t][k] = self.gamma(self.alpha[k] + n_topic[t][k], 1 + x[t][k])
        if self.S > 1:
            for s in S:
                for k in K:
                    rate = 1 + sum(z[t][s] * self.lam[t][k] for t in T)
                    self.w[s][k] = self.gamma(1 + sum(n[t, s, k] for t in T), rate)

    def labels(self) -> None:
        """Step 3."""
        for place, d in enumerate(self.documents):
            if d.human is None and d.model is not None:
                weights = []
                for k in range(self.K):
                    error = (self.fixed[k] if self.fixed else self.F[d.topic, d.stratum, k])
                    weights.append(self.lam[d.topic][k] * self.w[d.stratum][k] * error[d.model])
                self.label[place] = self.random.choices(range(self.K), weights)[0]

    def states(self, burn_in: int, step: int, number: int) -> Iterator[list[int]]:
        """Yield the labels after `burn_in` + `step`, + 2 `step`, … sweeps."""
        for sweep in range(1, burn_in + step * number + 1):
            if not self.fixed:
                self.errors()
            self.shares()
            self.labels()
            if sweep > burn_in and (sweep - burn_in) % step == 0:
                yield list(self.label)
