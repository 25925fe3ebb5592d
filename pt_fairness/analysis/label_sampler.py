"""True labels of documents, drawn by a Gibbs sampler from a model's labels and some human labels.

Each topic has *shares* of the true labels. The documents of a topic fall into strata by relevance,
and the *tilt* of a stratum says how its shares differ from those of the topic. Each topic, stratum
and true label has *errors*: the probabilities of the model's labels. Topics and strata share
typical errors, and topics typical shares, as far as the data support it.

In the shapes of arrays, T is the number of topics, S of strata, K of true labels and M of labels of
the model.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from pt_fairness.core.arrays import Floats, Ints

#: The number of sweeps before the first kept state, and from one kept state to the next.
BURN_IN, STEP = 500, 25
#: The number of chains.
CHAINS = 2
#: The smallest shape of a gamma variate, and the smallest variate: a product of three is not 0.
LEAST_SHAPE, LEAST = 1e-9, 1e-100


@dataclass(frozen=True)
class Labelled:
    """Documents with their labels as codes, −1 for no label, ``[n]`` each."""

    topic: Ints
    stratum: Ints
    human: Ints
    model: Ints
    #: The number of true labels, ``K``.
    labels: int
    #: The true label that each label of the model stands for, ``[M]``.
    meaning: Ints
    #: P(the model's label | true label), ``[K, M]``, if it is known.
    errors: Floats | None = None

    @property
    def counts(self) -> Ints:
        """The documents by topic, stratum, human label and label of the model; the last are none.

        ``[T, S, K + 1, M + 1]``.
        """
        topics, strata = self.topic.max() + 1, self.stratum.max() + 1
        counts = np.zeros((topics, strata, self.labels + 1, len(self.meaning) + 1), int)
        np.add.at(counts, (self.topic, self.stratum, self.human, self.model), 1)
        return counts

    @property
    def totals(self) -> Ints:
        """The documents by human label and label of the model, ``[K + 1, M + 1]``."""
        return self.counts.sum(axis=(0, 1))

    def draw(self, draws: int, seed: int) -> tuple[Ints, Floats]:
        """Return drawn labels, and the share in each draw that equals the model's; show progress.

        :param draws: the number of draws, a multiple of :data:`CHAINS`
        :returns: the label of each document in each draw, the most frequent one, and the human one,
            or else the model's, ``[n, draws + 2]``, −1 for none; and ``[CHAINS, draws / CHAINS]``
        """
        from tqdm import tqdm
        labels = range(self.labels)
        free = np.flatnonzero((self.human < 0) & (self.model >= 0))
        size = len(free)
        model = self.model[free]
        cell = model, self.stratum[free], self.topic[free]
        drawn = []
        for number in range(CHAINS):
            rng = np.random.default_rng((seed, number))
            last = BURN_IN + STEP * draws // CHAINS
            kept = islice(chain(self, number, rng), BURN_IN + STEP - 1, last, STEP)
            for counts in tqdm(kept, f"labels, chain {number + 1}", draws // CHAINS, unit="draw"):
                # The documents of a cell take its labels in random order.
                order = np.lexsort((rng.random(size), *cell))
                every_label = np.tile(labels, counts.size // self.labels)
                sorted_labels = np.repeat(every_label, counts.ravel())
                drawn.append(sorted_labels[order.argsort()])
        smallest = np.min_scalar_type(-self.labels)
        samples = np.array(drawn, smallest)
        times = [(samples == label).sum(axis=0) for label in labels]
        expected = self.meaning[model]
        table = np.repeat(self.human[:, None].astype(smallest), draws + 2, axis=1)
        table[free] = np.column_stack([samples.T, np.argmax(times, axis=0), expected])
        same = (samples == expected).sum(axis=1) / max(size, 1)
        return table, same.reshape(CHAINS, -1)


def chain(documents: Labelled, number: int, rng: np.random.Generator) -> Iterator[Ints]:
    """Yield, sweep by sweep, the true labels of the documents with a label of the model alone.

    The documents of a topic, stratum and label of the model are exchangeable: a state is the number
    of each true label among them, ``[T, S, M, K]``.

    :param number: 0 for a start from the model's labels, 1 for one from what the human labels say
        of them. A chain alone can stay unseen at one of two solutions
    """
    def gamma(shape: Any, rate: Any = 1.0) -> Any:
        variates = rng.standard_gamma(np.maximum(shape, LEAST_SHAPE)) / rate
        return np.maximum(variates, LEAST)

    def dirichlet(shape: Floats) -> Floats:
        return normalised(gamma(shape))

    def tables(counts: Ints, shape: Any) -> Ints:
        """Draw the numbers of tables of Chinese restaurant processes (Antoniak 1974)."""
        guests = counts.ravel()
        end = guests.cumsum()
        first = end - guests
        a = np.repeat(np.broadcast_to(shape, counts.shape).ravel(), guests)
        place = np.arange(len(a)) - np.repeat(first, guests)
        is_new = rng.random(len(a)) * (a + place) < a
        opened = np.append(0, is_new.cumsum())
        return (opened[end] - opened[first]).reshape(counts.shape)

    def concentration(old: float, counts: Ints, opened: Ints) -> float:
        """Draw the concentration of Dirichlet distributions (Escobar & West 1995)."""
        size = counts.sum(axis=-1)
        q = rng.beta(old, size[size > 0])
        return gamma(1 + opened.sum(), 0.01 - np.log(np.maximum(q, LEAST)).sum())

    every = documents.counts
    free, checked = every[:, :, -1, :-1], every[:, :, :-1, :-1]
    human = every[:, :, :-1].sum(axis=3)
    topics, strata, labels, models = checked.shape
    start: Any = np.eye(labels)[documents.meaning]
    errors: Any = documents.errors
    if number:
        both = checked.sum(axis=(0, 1))
        likely = normalised(both + 0.5) if errors is None else errors
        start = normalised((both.sum(axis=1) + LEAST) * likely.T)
    state = rng.multinomial(free, start)
    shares = np.full((topics, labels), 1 / labels)
    tilt = np.ones((strata, labels))
    alpha = np.full(labels, 4 / labels)
    typical = np.full((labels, models), 1 / models)
    stratum_errors = np.tile(typical, (strata, 1, 1))
    nu, kappa = (20.0, 100.0)[number], 20.0
    while True:
        if documents.errors is None:
            counts = checked + state.swapaxes(2, 3)
            lower = tables(counts, nu * stratum_errors).sum(axis=0)
            nu = concentration(nu, counts, lower)
            upper = tables(lower, kappa * typical)
            kappa = concentration(kappa, lower, upper)
            typical = dirichlet(0.5 + upper.sum(axis=0))
            stratum_errors = dirichlet(kappa * typical + lower)
            errors = dirichlet(nu * stratum_errors + counts)
        counts = human + state.sum(axis=2)
        topic_counts, size = counts.sum(axis=1), counts.sum(axis=2)
        # The likelihood leaves the scales of shares and tilts free.
        shares = normalised(shares) * gamma(np.full((topics, 1), alpha.sum()))
        if strata > 1:
            tilt = normalised(tilt) * gamma(np.full((strata, 1), labels))
        z = np.where(size > 0, gamma(size, shares @ tilt.T), 0.0)
        x = z @ tilt
        opened = tables(topic_counts, alpha).sum(axis=0)
        alpha = gamma(0.5 + opened, 0.05 + np.log1p(x).sum(axis=0))
        shares = gamma(alpha + topic_counts, 1 + x)
        if strata > 1:
            tilt = gamma(1 + counts.sum(axis=0), 1 + z.T @ shares)
        joint = (shares[:, None] * tilt)[:, :, None] * np.swapaxes(errors, -1, -2)
        state = rng.multinomial(free, normalised(joint))
        yield state


def normalised(weights: Any) -> Floats:
    """Return weights that sum to 1 along the last axis."""
    return weights / weights.sum(axis=-1, keepdims=True)


def diagnostics(chains: Floats) -> tuple[float, float]:
    """Return n_eff and R̂ of a number that chains drew; NaN if it is constant.

    n_eff is the number of independent draws that are worth as much: the initial monotone sequence
    of Geyer (1992), for the autocorrelation over all chains. R̂, near 1 where chains agree, is the
    potential scale reduction of Gelman & Rubin (1992).

    :param chains: ``[chains, states]``
    """
    from statsmodels.tsa.stattools import acovf
    chains = chains.round(12)  # rounding errors of equal numbers
    if np.ptp(chains) == 0:
        return math.nan, math.nan
    length = chains.shape[1]
    within = chains.var(axis=1, ddof=1).mean()
    total = (length - 1) / length * within + chains.mean(axis=1).var(ddof=1)
    covariance = np.mean([acovf(states, fft=False) for states in chains], axis=0)
    correlation = 1 - (within - covariance * length / (length - 1)) / total
    pairs = correlation[:-1:2] + correlation[1::2]
    positive = np.logical_and.accumulate(pairs > 0)
    time = 2 * np.minimum.accumulate(pairs[positive]).sum() - 1
    # Chains that alternate have a larger number, within reason.
    n_eff = chains.size / max(time, 1 / math.log10(chains.size))
    return n_eff, math.sqrt(total / within) if within else math.inf
