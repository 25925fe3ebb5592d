"""True labels of documents, drawn by a Gibbs sampler from a model's labels and some human labels.

Each topic has *shares* of the true labels. The documents of a topic fall into strata by relevance,
and the *tilt* of a stratum says how its shares differ from those of the topic. Each topic, stratum
and true label has *errors*: the probabilities of the model's labels. Topics and strata share typical
errors, and topics typical shares, as far as the data ask for it.

In the shapes of arrays, T is the number of topics, S of strata, K of true labels and M of labels of
the model.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import Floats, Ints, recoded
from pt_fairness.core.messages import did_you_mean, listed, warn
from pt_fairness.groups import Groups
from pt_fairness.groups.combinations import ModelLabels, WithErrorRates, single_labels

#: The number of sweeps before the first kept state, and from one kept state to the next.
BURN_IN, STEP = 500, 25
#: The number of chains.
CHAINS = 2
#: The first grade of relevance of each stratum of judged documents but the lowest.
GRADES = (1, 2, 3)
#: The smallest shape of a gamma variate, and the smallest variate: a product of three is not 0.
LEAST_SHAPE, LEAST = 1e-9, 1e-100
#: Warn of a label with fewer human labels, and of an interval of Cohen's κ that begins lower.
LEAST_HUMAN, LEAST_KAPPA = 10, 0.2


@dataclass(frozen=True)
class Labelled:
    """Documents with their labels as codes, −1 for no label, ``[n]`` each."""

    topic: Ints
    stratum: Ints
    human: Ints
    model: Ints
    #: The true label that each label of the model stands for, ``[M]``.
    meaning: Ints
    #: P(true label | the model's label) at the start of the second chain, ``[M, K]``.
    start: Floats
    #: P(the model's label | true label), ``[K, M]``, if it is known.
    errors: Floats | None = None

    def draw(self, draws: int, seed: int) -> tuple[Ints, Floats]:
        """Return drawn labels, and the share of those that equal the model's in each draw.

        :param draws: the number of draws, a multiple of :data:`CHAINS`
        :returns: the label of each document in each draw, the most frequent one, and the human one,
            or else the model's, ``[n, draws + 2]``, −1 for none; and ``[CHAINS, draws / CHAINS]``
        """
        models, labels = self.start.shape
        free = np.flatnonzero((self.human < 0) & (self.model >= 0))
        size = len(free)
        model = self.model[free]
        cell = (self.topic[free] * (self.stratum.max() + 1) + self.stratum[free]) * models + model
        drawn = []
        for number in range(CHAINS):
            rng = np.random.default_rng((seed, number))
            last = BURN_IN + STEP * draws // CHAINS
            for counts in islice(chain(self, number, rng), BURN_IN + STEP - 1, last, STEP):
                # The documents of a cell take its labels in random order.
                order = np.argsort(cell + rng.random(size))
                every_label = np.tile(np.arange(labels), counts.size // labels)
                in_order = np.repeat(every_label, counts.ravel())
                drawn.append(in_order[order.argsort()])
        of_free = np.array(drawn, np.min_scalar_type(-labels))
        times = [(of_free == label).sum(axis=0) for label in range(labels)]
        of_model = self.meaning[model]
        table = np.repeat(self.human[:, None], draws + 2, axis=1)
        table[free] = np.column_stack([of_free.T, np.argmax(times, axis=0), of_model])
        same = (of_free == of_model).sum(axis=1) / max(size, 1)
        return table, same.reshape(CHAINS, -1)


def chain(documents: Labelled, number: int, rng: np.random.Generator) -> Iterator[Ints]:
    """Yield, sweep by sweep, the true labels of the documents with a label of the model alone.

    The documents of a topic, stratum and label of the model are exchangeable: a state is the number
    of each true label among them, ``[T, S, M, K]``.

    :param number: 0 for a start from the model's labels, 1 for one from ``documents.start``. A
        chain alone can stay unseen at one of two solutions
    """
    def gamma(shape: Any, rate: Any = 1.0) -> Any:
        variates = rng.standard_gamma(np.maximum(shape, LEAST_SHAPE)) / rate
        return np.maximum(variates, LEAST)

    def dirichlet(shape: Floats) -> Floats:
        return normalised(gamma(shape))

    def tables(counts: Ints, shape: Any) -> Ints:
        """Draw the numbers of tables of restaurants with these numbers of guests (Antoniak 1974).
        """
        guests = counts.ravel()
        end = guests.cumsum()
        first = end - guests
        a = np.repeat(np.broadcast_to(shape, counts.shape).ravel(), guests)
        place = np.arange(len(a)) - np.repeat(first, guests)
        is_new = rng.random(len(a)) * (a + place) < a
        opened = np.append(0, is_new.cumsum())
        return (opened[end] - opened[first]).reshape(counts.shape)

    def concentration(old: float, counts: Ints, of_tables: Ints) -> float:
        """Draw the concentration of Dirichlet distributions (Escobar & West 1995)."""
        size = counts.sum(axis=-1)
        q = rng.beta(old, size[size > 0])
        return gamma(1 + of_tables.sum(), 0.01 - np.log(np.maximum(q, LEAST)).sum())

    models, labels = documents.start.shape
    topics, strata = documents.topic.max() + 1, documents.stratum.max() + 1
    # One more human label and label of the model, for −1.
    every = np.zeros((topics, strata, labels + 1, models + 1), int)
    np.add.at(every, (documents.topic, documents.stratum, documents.human, documents.model), 1)
    free = every[:, :, labels, :models]
    human = every[:, :, :labels].sum(axis=3)
    checked = every[:, :, :labels, :models]
    start = documents.start if number else np.eye(labels)[documents.meaning]
    state = rng.multinomial(free, start)
    shares = np.full((topics, labels), 1 / labels)
    tilt = np.ones((strata, labels))
    alpha = np.full(labels, 4 / labels)
    errors: Any = documents.errors
    typical = np.full((labels, models), 1 / models)
    of_strata = np.tile(typical, (strata, 1, 1))
    nu, kappa = (20.0, 100.0)[number], 20.0
    while True:
        if documents.errors is None:
            counts = checked + state.swapaxes(2, 3)
            lower = tables(counts, nu * of_strata).sum(axis=0)
            nu = concentration(nu, counts, lower)
            upper = tables(lower, kappa * typical)
            kappa = concentration(kappa, lower, upper)
            typical = dirichlet(0.5 + upper.sum(axis=0))
            of_strata = dirichlet(kappa * typical + lower)
            errors = dirichlet(nu * of_strata + counts)
        counts = human + state.sum(axis=2)
        of_topics, size = counts.sum(axis=1), counts.sum(axis=2)
        # The likelihood leaves the scales of shares and tilts free.
        shares = normalised(shares) * gamma(np.full((topics, 1), alpha.sum()))
        if strata > 1:
            tilt = normalised(tilt) * gamma(np.full((strata, 1), labels))
        z = np.where(size > 0, gamma(size, shares @ tilt.T), 0.0)
        x = z @ tilt
        opened = tables(of_topics, alpha).sum(axis=0)
        alpha = gamma(0.5 + opened, 0.05 + np.log1p(x).sum(axis=0))
        shares = gamma(alpha + of_topics, 1 + x)
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

    n_eff is the number of independent draws that are worth as much: the initial monotone sequence of
    Geyer (1992), for the autocorrelation over all chains. R̂, near 1 where chains agree, is the
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


def labelled(source: ModelLabels | WithErrorRates, labels: list[str],
             documents: pd.DataFrame) -> Labelled:
    """Return documents with their labels, and further ones of their topics that people labelled.

    :param labels: the groups; one more true label, if a document has it, is no group
    :param documents: ``qid, docno, relevance``, NaN where it is not judged
    """
    table = documents
    errors = None
    if isinstance(source, ModelLabels):
        table = pd.concat([table, _further(source.human, table)])
        human, model = (_codes(part, table, labels) for part in (source.human, source.model))
        size = max(len(labels), human.max() + 1, model.max() + 1)
        meaning = np.arange(size)
        checked = _crossed(human, model, size)
        start = (checked.sum(axis=1) + LEAST) * normalised(checked + 0.5).T
    else:
        rates = source.table.reindex(columns=labels, fill_value=0.0)
        model, names, _ = single_labels(source.base, table["qid"], table["docno"])
        model = recoded(model, names, rates.index)
        human = np.full_like(model, -1)
        start = rates.to_numpy()
        joint = start.T * np.bincount(model[model >= 0], minlength=len(start))
        errors = joint / np.maximum(joint.sum(axis=1, keepdims=True), LEAST)
        if source.errors is not None:
            errors = source.errors.reindex(index=labels, columns=rates.index, fill_value=0.0)
        errors = np.maximum(errors, LEAST)
        same = pd.Index(labels).get_indexer(rates.index)
        meaning = np.where(same < 0, joint.argmax(axis=0), same)
    grade = np.digitize(table["relevance"], GRADES) + 1
    grade[table["relevance"].isna()] = 0
    topic, _ = pd.factorize(table["qid"])
    _, stratum = np.unique(grade, return_inverse=True)
    return Labelled(topic, stratum, human, model, meaning, normalised(start), errors)


def _codes(source: Groups, table: pd.DataFrame, labels: Sequence[str]) -> Ints:
    """Return the label of each document as a code, ``len(labels)`` for no group, −1 for none."""
    codes, names, without = single_labels(source, table["qid"], table["docno"])
    codes = recoded(codes, names, labels)
    return np.where(without, len(labels), codes)


def _further(human: Groups, documents: pd.DataFrame) -> pd.DataFrame:
    """Return further documents of the topics that people labelled; warn of those of other topics.
    """
    qids, docnos = human.documents() or (None, [])
    every = pd.DataFrame({"qid": qids, "docno": docnos})
    key = ["docno"] if qids is None else ["qid", "docno"]
    joined = every.merge(documents[key].drop_duplicates(), "left", key, indicator="side")
    further = joined.loc[joined["side"] == "left_only", ["qid", "docno"]]
    used = further["qid"].isin(documents["qid"])
    if not used.all():
        warn(f"{(~used).sum()} human labels are not used: no document of their topics, or without "
             "topics not the document, is judged or ranked")
    return further[used]


def _crossed(human: Ints, model: Ints, size: int) -> Ints:
    """Return the number of documents by human label and label of the model, ``[size, size]``."""
    both = (human >= 0) & (model >= 0)
    counts = np.zeros((size, size), int)
    np.add.at(counts, (human[both], model[both]), 1)
    return counts


def check(documents: Labelled, source: ModelLabels, labels: Sequence[str]) -> None:
    """Warn of human labels that are few, unknown to the model, or far from those of the model.

    Where no label is drawn, there is nothing to warn of.

    :raises ValueError: if no document has a human label and one of the model, or if people and the
        model use different labels
    """
    from statsmodels.stats.inter_rater import cohens_kappa
    names = [*labels, "no group"]
    size = len(documents.meaning)
    by_hand, by_model = (np.bincount(codes[codes >= 0], minlength=size)
                         for codes in (documents.human, documents.model))
    people, machine = ([names[code] for code in np.flatnonzero(counts)]
                       for counts in (by_hand, by_model))
    counts = _crossed(documents.human, documents.model, size)
    if not counts.any():
        raise ValueError(f"no document has a label in {source.human!r} and in {source.model!r}; "
                         "some of the judged and ranked documents, at random, need both: that of "
                         "the model and one by hand")
    if not {*people} & {*machine}:
        raise ValueError(f"human labels must be among those of the model, got {listed(people[:3])} "
                         f"and {listed(machine[:3])}")
    if not ((documents.human < 0) & (documents.model >= 0)).any():
        return
    for code in np.flatnonzero((by_hand > 0) & (by_model == 0)):
        warn(f"the model never uses {names[code]!r}, the human label of {by_hand[code]} documents."
             + did_you_mean(names[code], machine))
    few = [names[code] for code in np.flatnonzero((by_model > 0) & (by_hand < LEAST_HUMAN))]
    if few:
        warn(f"fewer than {LEAST_HUMAN} human labels are {listed(few)}, which the model uses: the "
             "values are uncertain. Label more documents by hand")
    with np.errstate(invalid="ignore", divide="ignore"):  # of one label only
        kappa = cohens_kappa(counts)
    if kappa.kappa_low < LEAST_KAPPA:
        warn(f"κ of the model's and the human labels is {kappa.kappa:.2f}, and its interval begins "
             f"at {kappa.kappa_low:.2f}, below {LEAST_KAPPA}: such labels carry too little. Values "
             "can be wrong in either direction, which r_hat does not show. Check whole topics")
