"""A Gibbs sampler of true labels, given a model's labels and some labels by hand."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import Floats, Ints, recoded
from pt_fairness.core.messages import listed, warn
from pt_fairness.groups import Groups
from pt_fairness.groups.combinations import ModelLabels, WithErrorRates, single_labels
from pt_fairness.groups.labels_of_models import kappa
from pt_fairness.rankings.trec_order import Judgments

#: The number of sweeps before the first kept state, and from one kept state to the next.
BURN_IN, STEP = 500, 25
#: The number of chains.
CHAINS = 2
#: The possible concentrations of the topics' shares around those of a typical topic, of equal prior
#: probability, and the one at the start.
CONCENTRATIONS = np.geomspace(0.25, 64, 25)
START = 4.0
#: The prior count of each of the model's labels, for every true label (Jeffreys).
PRIOR = 0.5
#: The smallest shape of a gamma variate, and the smallest variate.
LEAST_SHAPE, LEAST = 1e-9, 1e-300
#: Warn of a label with fewer human labels, and of an interval of Cohen's κ that begins lower.
LEAST_HUMAN, LEAST_KAPPA = 10, 0.2
#: Warn of human labels that depend on relevance if p is smaller.
DEPENDENT = 0.001


def sample(source: ModelLabels | WithErrorRates, labels: list[str], topics: Sequence[str],
           topic: Ints, docnos: Any, draws: int, seed: int) -> tuple[Ints, Floats]:
    """Return drawn labels of documents, given their labels from a model.

    :param labels: the possible labels; a label is an index of it
    :param topics: the names of the topics
    :param topic: the topic of each document, ``[n]``
    :param docnos: the documents, ``[n]``
    :returns: the labels in each draw, the most frequent one, and that which the document has,
        ``[n, draws + 2]``; and the share of the drawn labels that equal the model's,
        ``[chains, states]``
    :raises ValueError: no document has a human label and one of the model
    """
    n = len(topic)
    true = len(labels)
    qids = np.array(topics, dtype=object)[topic]
    # By topic and docno, so that the order of the rows has no influence.
    order = np.lexsort((docnos, qids))
    qids = qids[order]
    docnos = docnos[order]
    present = pd.Index(qids).unique()
    if isinstance(source, ModelLabels):
        more_qids, more_docnos = _further_documents(source, qids, docnos)
        qids = np.append(qids, more_qids)
        docnos = np.append(docnos, more_docnos)
        human = _codes_of(source.human, qids, docnos, labels)
        model = _codes_of(source.model, qids, docnos, labels)
        meaning = np.arange(true)
        checked: Any = _counts(human, model, (true, true))
        _check(checked, human, model, source, labels)
        rates = None
    else:
        of_model = source.table.index
        human = np.full(n, -1)
        model = _codes_of(source.base, qids, docnos, of_model)
        checked, rates = _known_rates(source, labels, model)
        likeliest = checked.argmax(axis=0)
        meaning = pd.Index(labels).get_indexer(of_model)
        meaning = np.where(meaning >= 0, meaning, likeliest)
    topic = present.get_indexer(qids)
    fixed = _counts(topic, human, (len(present), true))
    human = human[:n]
    model = model[:n]
    free = np.flatnonzero((human < 0) & (model >= 0))
    model = model[free]
    documents = Labelled(topic[free], model, fixed, checked, meaning, rates)
    of_free, agreement = documents.draw(draws, seed)
    shape = n, draws + 2
    drawn = np.empty(shape, of_free.dtype)
    drawn[order] = human[:, None]
    rows = order[free]
    drawn[rows, :draws] = of_free
    times = [(of_free == label).sum(axis=1) for label in range(true)]
    drawn[rows, -2] = np.argmax(times, axis=0)
    as_labelled = meaning[model]
    drawn[rows, -1] = as_labelled
    return drawn, agreement


def _codes_of(source: Groups, qids: Any, docnos: Any, labels: Iterable[str]) -> Ints:
    """Return the label of each document as an index of ``labels``, −1 for none."""
    codes, names, _ = single_labels(source, qids, docnos)
    return recoded(codes, names, labels)


def _counts(row: Ints, column: Ints, shape: tuple[int, int]) -> Ints:
    """Return the number of items in each row and column; those with −1 are left out."""
    both = (row >= 0) & (column >= 0)
    cells = row[both] * shape[1] + column[both]
    counts = np.bincount(cells, minlength=math.prod(shape))
    return counts.reshape(shape)


def _further_documents(source: ModelLabels, qids: Any, docnos: Any) -> tuple[Any, Any]:
    """Return the topics and docnos with a human label besides the given ones.

    Without topics in the sources, the topic is empty.
    """
    documents = source.human.documents()
    if documents is None or (source.by_topic and not source.human.by_topic):
        return [], []
    more_qids, more_docnos = documents
    if more_qids is None:
        more_qids = np.full_like(more_docnos, "", dtype=object)
        qids = np.full_like(docnos, "", dtype=object)
    further = pd.MultiIndex.from_arrays([more_qids, more_docnos])
    present = pd.MultiIndex.from_arrays([qids, docnos])
    absent = ~further.isin(present)
    return more_qids[absent], more_docnos[absent]


def _known_rates(source: WithErrorRates, labels: list[str],
                 model: Ints) -> tuple[Floats, Floats]:
    """Return the shares of the true labels by the model's label, and its error rates.

    :param model: the model's label of each document, an index of ``source.table``, ``[n]``
    :returns: P(true label, the model's label) and P(the model's label | true label), ``[K, M]``
    """
    table = source.table.reindex(columns=labels, fill_value=0.0)
    labelled = model[model >= 0]
    frequency = np.bincount(labelled, minlength=len(table))
    joint = table.to_numpy().T * frequency
    if source.errors is None:
        return joint, _normalised(joint)
    errors = source.errors.reindex(index=labels, columns=table.index, fill_value=0.0)
    return joint, errors.to_numpy()


def _check(checked: Ints, human: Ints, model: Ints, source: ModelLabels,
           labels: Sequence[str]) -> None:
    """Warn of human labels that are few, or that agree with the model's by chance.

    Where every document has a human label, no label is drawn, and there is nothing to warn of.

    :raises ValueError: no document has a human label and one of the model
    """
    if not checked.any():
        raise ValueError(f"no document has a label in {source.human!r} and in {source.model!r}; "
                         "some of the judged and ranked documents, at random, need both: that of "
                         "the model and one by hand")
    if (human >= 0).all():
        return
    few = []
    for code, label in enumerate(labels):
        by_hand = np.count_nonzero(human == code)
        if by_hand < LEAST_HUMAN and code in model:
            few.append(label)
    if few:
        warn(f"fewer than {LEAST_HUMAN} human labels are {listed(few)}, which the model uses: the "
             "values are uncertain. Label more documents by hand")
    value, low, _ = kappa(checked)
    if value < LEAST_KAPPA or low < LEAST_KAPPA:
        warn(f"the model's labels agree little with the human ones (κ {value:.2f}, its interval "
             f"begins at {low:.2f}, below {LEAST_KAPPA}): they carry little, and the values lean "
             "to fairness, which r_hat does not show. Take a better model, or label more documents "
             "by hand")


def warn_of_relevance(human: Groups, judgments: Judgments) -> None:
    """Warn if the human labels depend on relevance, which the sampler ignores.

    Each label has a Cochran–Mantel–Haenszel test, with the topics as strata.
    """
    from statsmodels.stats.contingency_tables import StratifiedTable
    qids = judgments.names[judgments.topic]
    codes, labels, _ = single_labels(human, qids, judgments.docnos())
    rows = codes >= 0
    if rows.all():
        return
    topic = judgments.topic[rows]
    relevant = judgments.relevance[rows] > 0
    outcomes = pd.MultiIndex.from_product([[False, True], [False, True]])
    texts = []
    for code, label in enumerate(labels):
        has_label = codes[rows] == code
        counts = pd.crosstab(topic, [has_label, relevant])
        counts = counts.reindex(columns=outcomes, fill_value=0)
        counts = counts[counts.sum(axis=1) > 1]
        tables = counts.to_numpy().reshape(-1, 2, 2)
        with np.errstate(invalid="ignore"):
            test = StratifiedTable(tables.T).test_null_odds()
        if test.pvalue < DEPENDENT:
            texts.append(f"{label} is the label of {has_label[relevant].mean():.0%} of the "
                         f"relevant and {has_label[~relevant].mean():.0%} of the other documents")
    if texts:
        warn(f"the human labels depend on relevance: {'; '.join(texts)}. The correction assumes "
             "that all documents of a topic have the same shares of labels, so values can be wrong "
             "by more than their intervals, above all where the target is that of the relevant "
             "documents. Compare them with the values on the human labels alone",
             "labels that depend on relevance")


@dataclass(frozen=True)
class Labelled:
    """The documents without a human label, and the counts of those with one.

    Each topic has shares of its own. The documents of a topic with the same label of the model are
    exchangeable: they are one cell.
    """

    #: The topic of each document, ``[n]``.
    topic: Ints
    #: The model's label of each document, ``[n]``, below ``M``.
    model: Ints
    #: The number of human labels in each topic, ``[T, K]``.
    fixed: Ints
    #: The number of human labels by the model's label, ``[K, M]``; those of all topics. With known
    #: rates, the expected shares.
    checked: Ints | Floats
    #: The true label that each of the model's labels stands for, ``[M]``.
    meaning: Ints
    #: P(the model's label | true label), ``[K, M]``, if it is known.
    rates: Floats | None = None

    @cached_property
    def sizes(self) -> Ints:
        """The number of documents of each cell, ``[T, M]``."""
        shape = len(self.fixed), len(self.meaning)
        return _counts(self.topic, self.model, shape)

    def draw(self, draws: int, seed: int) -> tuple[Ints, Floats]:
        """Return labels of the documents, and the share of them that equal the model's.

        :param draws: the number of draws, a multiple of :data:`CHAINS`
        :returns: ``[n, draws]`` and ``[CHAINS, draws / CHAINS]``
        """
        models = len(self.meaning)
        cell = self.topic * models + self.model
        size = len(cell)
        true = len(self.checked)
        every_label = np.tile(np.arange(true), self.sizes.size)
        dtype = np.min_scalar_type(-true)
        labels = np.empty((size, draws), dtype)
        column = 0
        for chain in range(CHAINS):
            rng = np.random.default_rng((seed, chain))
            start = self._start(chain, rng)
            for counts in self._states(start, draws // CHAINS, rng):
                # The documents of a cell take its labels in random order.
                order = np.argsort(cell + rng.random(size))
                labels[order, column] = np.repeat(every_label, counts.ravel())
                column += 1
        agreement = np.zeros(draws)
        if size:
            of_model = self.meaning[self.model]
            same = of_model == labels.T
            agreement = same.mean(axis=1)
        return labels, agreement.reshape(CHAINS, -1)

    def _start(self, chain: int, rng: np.random.Generator) -> Ints:
        """Return the counts of true labels in each cell from which a chain starts, ``[T, M, K]``.

        The first chain starts from the model's labels, the other from what the human labels say of
        them: a chain alone can stay unseen at one of two solutions.
        """
        true = len(self.checked)
        if chain == 0:
            probabilities = np.eye(true)[self.meaning]
        else:
            errors = self.rates
            if errors is None:
                errors = _normalised(self.checked + PRIOR)
            human = self.checked.sum(axis=1, keepdims=True)
            joint = errors * human
            probabilities = _normalised(joint.T)
        return rng.multinomial(self.sizes, probabilities)

    def _states(self, counts: Ints, number: int, rng: np.random.Generator) -> Iterator[Ints]:
        """Yield the counts of true labels in each cell of the kept states of a chain.

        :param counts: those of the start, ``[T, M, K]``
        :param number: the number of states
        """
        of_topics = self.fixed + counts.sum(axis=1)
        size = of_topics.sum(axis=1, keepdims=True)
        places = size.max(initial=0)
        place = np.arange(places)[:, None]
        # log Γ(a + n) − log Γ(a), summed over the topics.
        larger = _larger(size, places)
        logs = np.log(CONCENTRATIONS + place)
        normaliser = larger[:, 0] @ logs
        concentration = START
        labels = len(self.checked)
        typical = np.full(labels, 1 / labels)
        for sweep in range(1, BURN_IN + STEP * number + 1):
            errors = self.rates
            if errors is None:
                of_model = self.checked + counts.sum(axis=0).T
                errors = rng.standard_gamma(of_model + PRIOR)
                errors = _normalised(errors)
            shapes = np.maximum(concentration * typical, LEAST_SHAPE)
            shares = rng.standard_gamma(shapes + of_topics)
            shares = np.maximum(shares, LEAST)
            probabilities = _normalised(shares[:, None] * errors.T)
            counts = rng.multinomial(self.sizes, probabilities)
            of_topics = self.fixed + counts.sum(axis=1)
            larger = _larger(of_topics, places)
            opening = shapes / (shapes + place)
            tables = rng.binomial(larger, opening)
            typical = rng.dirichlet(1 + tables.sum(axis=0))
            shapes = np.outer(CONCENTRATIONS, typical)
            shapes = np.maximum(shapes, LEAST_SHAPE)
            logs = np.log(shapes[:, None] + place)
            likelihood = np.tensordot(logs, larger, 2) - normaliser
            likelihood -= likelihood.max()
            weights = np.exp(likelihood).cumsum()
            threshold = rng.random() * weights[-1]
            at = weights.searchsorted(threshold, side="right")
            concentration = CONCENTRATIONS[at]
            if sweep > BURN_IN and (sweep - BURN_IN) % STEP == 0:
                yield counts


def _larger(counts: Ints, places: int) -> Ints:
    """Return how many counts of each column are above 0, 1, …, ``[places, columns]``.

    :param counts: ``[n, columns]``, at most ``places``
    """
    columns = counts.shape[1]
    cells = counts * columns + np.arange(columns)
    length = (places + 1) * columns
    equal = np.bincount(cells.ravel(), minlength=length)
    equal = equal.reshape(-1, columns)
    at_most = equal[:places].cumsum(axis=0)
    return len(counts) - at_most


def _normalised(weights: Any) -> Floats:
    """Return weights that sum to 1 along the last axis; all of 0 become equal."""
    total = weights.sum(axis=-1, keepdims=True)
    equal = np.full_like(weights, 1 / weights.shape[-1])
    return np.divide(weights, total, out=equal, where=total > 0)


def r_hat(chains: Floats) -> float:
    """Return the potential scale reduction of a number, 1 where chains agree; NaN if constant.

    Source: Gelman & Rubin (1992).

    :param chains: ``[chains, states]``
    """
    within, total = _variances(chains)
    if total == 0:
        return math.nan
    if within == 0:
        return math.inf
    return math.sqrt(total / within)


def effective_draws(chains: Floats) -> float:
    """Return the number of independent draws that are worth as much; NaN if constant.

    The initial monotone sequence of Geyer (1992), for the autocorrelation over all chains.

    :param chains: ``[chains, states]``
    """
    within, total = _variances(chains)
    if total == 0:
        return math.nan
    length = chains.shape[1]
    residuals = chains - chains.mean(axis=1, keepdims=True)
    products = [np.correlate(chain, chain, "full") for chain in residuals]
    products = np.mean(products, axis=0)
    covariance = products[length - 1:] / (length - 1)
    correlation = 1 - (within - covariance) / total
    pairs = correlation[:-1:2] + correlation[1::2]
    positive = np.logical_and.accumulate(pairs > 0)
    pairs = np.minimum.accumulate(pairs[positive])
    # Chains that alternate have a larger number, within reason.
    least = 1 / math.log10(chains.size)
    time = max(2 * pairs.sum() - 1, least)
    return float(chains.size / time)


def _variances(chains: Floats) -> tuple[float, float]:
    """Return the variance within chains, and the estimated total variance.

    Rounding errors of equal numbers count as 0.
    """
    chains = chains.round(12)
    if np.ptp(chains) == 0:
        return 0.0, 0.0
    length = chains.shape[1]
    within = chains.var(axis=1, ddof=1).mean()
    between = chains.mean(axis=1).var(ddof=1)
    total = (length - 1) / length * within + between
    return within, total
