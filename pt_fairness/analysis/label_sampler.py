"""True labels of documents, drawn by a Gibbs sampler from a model's labels and some human labels.

Each topic has *shares* of the true labels. The documents of a topic fall into strata by relevance,
and the *tilt* of a stratum says how its shares differ from those of the topic. Each topic, stratum
and true label has *errors*: the probabilities of the model's labels. Topics and strata share
typical errors, and topics typical shares, as far as the data support it.

In the shapes of arrays, T is the number of topics, S of strata, K of true labels and M of labels of
the model. Documents are counted by topic, stratum and true label (n), and by label of the model too
(c). The tables of Antoniak (1974) are r for topics and v for strata.
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
        topics = self.topic.max() + 1
        strata = self.stratum.max() + 1
        shape = topics, strata, self.labels + 1, len(self.meaning) + 1
        counts = np.zeros(shape, int)
        cells = self.topic, self.stratum, self.human, self.model
        np.add.at(counts, cells, 1)
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
        is_free = (self.human < 0) & (self.model >= 0)
        free = np.flatnonzero(is_free)
        n = len(free)
        model = self.model[free]
        cell = model, self.stratum[free], self.topic[free]
        states = draws // CHAINS
        smallest = np.min_scalar_type(-self.labels)
        samples = np.empty((CHAINS, states, n), smallest)
        for number in range(CHAINS):
            rng = np.random.default_rng((seed, number))
            sweeps = chain(self, number, rng)
            kept = islice(sweeps, BURN_IN + STEP - 1, None, STEP)
            for sample in tqdm(samples[number], f"labels, chain {number + 1}", unit="draw"):
                state = next(kept)
                labels = np.arange(state.size) % self.labels
                # The documents of a cell take its labels in random order.
                order = np.lexsort((rng.random(n), *cell))
                sample[order] = labels.repeat(state.ravel())
        times = [(samples == label).sum(axis=(0, 1)) for label in range(self.labels)]
        meant = self.meaning[model]
        table = self.human.astype(smallest)[:, None].repeat(draws + 2, axis=1)
        table[free, :draws] = samples.reshape(draws, n).T
        table[free, -2] = np.argmax(times, axis=0)
        table[free, -1] = meant
        same = (samples == meant).sum(axis=2)
        return table, same / max(n, 1)


def chain(documents: Labelled, number: int, rng: np.random.Generator) -> Iterator[Ints]:
    """Yield, sweep by sweep, the true labels of the documents with a label of the model alone.

    The documents of a topic, stratum and label of the model are exchangeable: a state is the number
    of each true label among them, ``[T, S, M, K]``.

    :param number: 0 for a start from the model's labels, 1 for one from what the human labels say
        of them. A chain alone can stay unseen at one of two solutions
    """
    def gamma(shape: Any, rate: Any = 1.0) -> Any:
        shape = np.maximum(shape, LEAST_SHAPE)
        standard = rng.standard_gamma(shape)
        variates = standard / rate
        return np.maximum(variates, LEAST)

    def dirichlet(shape: Floats) -> Floats:
        return normalised(gamma(shape))

    def tables(counts: Ints, shape: Any) -> Ints:
        """Draw the numbers of tables of Chinese restaurant processes (Antoniak 1974)."""
        guests = counts.ravel()
        restaurant = np.arange(counts.size).repeat(guests)
        first = guests.cumsum() - guests
        seated = np.arange(len(restaurant)) - first[restaurant]
        a = np.broadcast_to(shape, counts.shape).ravel()[restaurant]
        opens = rng.random(len(a)) * (a + seated) < a
        opened = np.bincount(restaurant[opens], minlength=counts.size)
        return opened.reshape(counts.shape)

    def concentration(old: float, counts: Ints, opened: Ints) -> float:
        """Draw the concentration of Dirichlet distributions (Escobar & West 1995)."""
        size = counts.sum(axis=-1)
        q = rng.beta(old, size[size > 0])
        log_q = np.log(np.maximum(q, LEAST))
        return gamma(1 + opened.sum(), 0.01 - log_q.sum())

    every = documents.counts
    topics, strata, _, _ = every.shape
    labels, models = documents.labels, len(documents.meaning)
    free = every[:, :, -1, :-1]
    checked = every[:, :, :-1, :-1]
    human = every[:, :, :-1].sum(axis=3)
    errors: Any = documents.errors
    is_known = errors is not None
    if number == 0:
        start: Any = np.eye(labels)[documents.meaning]
    else:
        both = checked.sum(axis=(0, 1))
        likely = errors if is_known else normalised(both + 0.5)
        frequency = both.sum(axis=1) + LEAST
        start = normalised(frequency * likely.T)
    state = rng.multinomial(free, start)
    shares = np.full((topics, labels), 1 / labels)
    tilt = np.ones((strata, labels))
    alpha = np.full(labels, 4 / labels)
    typical = np.full((labels, models), 1 / models)
    stratum_errors = np.tile(typical, (strata, 1, 1))
    kappa = 20.0
    nu = (20.0, 100.0)[number]
    while True:
        if not is_known:
            c = checked + state.swapaxes(2, 3)
            r = tables(c, nu * stratum_errors).sum(axis=0)
            nu = concentration(nu, c, r)
            v = tables(r, kappa * typical)
            kappa = concentration(kappa, r, v)
            typical = dirichlet(0.5 + v.sum(axis=0))
            stratum_errors = dirichlet(kappa * typical + r)
            errors = dirichlet(nu * stratum_errors + c)
        n = human + state.sum(axis=2)
        n_topic = n.sum(axis=1)
        size = n.sum(axis=2)
        # The likelihood leaves the scales of shares and tilts free.
        scale = gamma(np.full((topics, 1), alpha.sum()))
        shares = normalised(shares) * scale
        if strata != 1:
            scale = gamma(np.full((strata, 1), labels))
            tilt = normalised(tilt) * scale
        z = gamma(size, shares @ tilt.T)
        z[size == 0] = 0.0
        x = z @ tilt
        opened = tables(n_topic, alpha)
        rate = np.log1p(x).sum(axis=0) + 0.05
        alpha = gamma(0.5 + opened.sum(axis=0), rate)
        shares = gamma(alpha + n_topic, 1 + x)
        if strata != 1:
            tilt = gamma(1 + n.sum(axis=0), 1 + z.T @ shares)
        weights = shares[:, None] * tilt
        joint = weights[:, :, None] * errors.swapaxes(-1, -2)
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
    shrink = (length - 1) / length
    variances = chains.var(axis=1, ddof=1)
    within = variances.mean()
    means = chains.mean(axis=1)
    total = shrink * within + means.var(ddof=1)
    covariance = np.mean([acovf(states, fft=False) for states in chains], axis=0)
    correlation = 1 - (within - covariance / shrink) / total
    pairs = correlation[:-1:2] + correlation[1::2]
    positive = np.logical_and.accumulate(pairs > 0)
    monotone = np.minimum.accumulate(pairs[positive])
    time = 2 * monotone.sum() - 1
    # Chains that alternate have a larger number, within reason.
    digits = math.log10(chains.size)
    least = 1 / digits
    n_eff = chains.size / max(time, least)
    r_hat = math.sqrt(total / within) if within else math.inf
    return n_eff, r_hat
