"""Stochastic policies, which rank the documents of a topic differently in each draw.

Documents are numbered by the old order, from 0. Shapes: ``n`` documents, best first; ``G`` groups;
``P`` rankings.
"""

from __future__ import annotations

import copy
from math import inf
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_fairness.core import arrays
from pt_fairness.core.arrays import Floats, Ints, uniforms
from pt_fairness.core.messages import shown
from pt_fairness.measures import params
from pt_fairness.rerank.rerankers import GroupReRanker, GroupSource, ReRanker, TopicList

SEED = params.whole("seed of the random numbers")
SAMPLE = params.whole("number of the draw", smallest=0, largest=2**31 - 1)


class Policy(ReRanker):
    """A re-ranker that draws one of several rankings of each topic.

    A draw depends on the seed, the topic and the number of the draw alone. A subclass implements
    :meth:`draw`.
    """

    seed: int
    sample: int | None

    def draws(self, samples: int) -> list[Policy]:
        """Return a transformer for each of the draws 0, 1, …, to compare in ``pt.Experiment``.

        :param samples: the number of draws, at least 1
        :raises ValueError: another number

        Examples
        --------
        >>> from pt_fairness import rerank
        >>> rerank.plackett_luce(temperature=0.2).draws(2)
        [rerank.plackett_luce(temperature=0.2), rerank.plackett_luce(temperature=0.2, sample=1)]
        """
        policies = []
        for sample in self._samples("draws", samples):
            policies.append(copy.copy(self))
            policies[-1].sample = sample
        return policies

    def rankings(self, results: pd.DataFrame, samples: int = 10) -> pd.DataFrame:
        """Return several rankings of each topic as one run.

        :func:`pt_fairness.evaluate` and the measures of expected exposure (EEL, EED, EER) take it.
        Transformers do not: they see one ranking with documents that occur several times.

        :param results: columns ``qid, docno, score`` and what the policy needs
        :param samples: the number of draws, at least 1
        :returns: the frames of the draws 0, 1, … one after the other, with the number of the draw
            in the column ``iteration``
        :raises ValueError: another number of draws

        Examples
        --------
        >>> import pandas as pd
        >>> from pt_fairness import rerank
        >>> results = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "score": [1.2, 1.0]})
        >>> policy = rerank.plackett_luce(temperature=1.0)
        >>> policy.rankings(results, samples=2)[["docno", "rank", "iteration"]]
          docno  rank  iteration
        0     b     0          0
        1     a     1          0
        2     a     0          1
        3     b     1          1
        """
        numbers = self._samples("rankings", samples)
        frame, lists = self.read(results)
        prepared = self.for_each(lists, self.prepare)
        orders = [[self.draw(topic, sample) for topic in prepared] for sample in numbers]
        rows = frame.written(lists, *orders)
        iteration = np.repeat(numbers, frame.length.sum())
        return rows.assign(iteration=iteration)

    def _samples(self, method: str, samples: int) -> range:
        if not params.cutoff().validate(params.plain(samples)):
            raise ValueError(f"{type(self).__name__}.{method}(samples={shown(samples)}) is not "
                             "possible: samples takes a whole number of at least 1")
        return range(params.plain(samples))

    def order(self, topic: TopicList) -> Ints:
        return self.draw(self.prepare(topic), self.sample)

    def prepare(self, topic: TopicList) -> Any:
        """Return what all draws of a topic have in common."""
        return topic

    def draw(self, prepared: Any, sample: int | None) -> Ints:
        """Return the indices of the first documents of a draw; others follow in the old order.

        :param prepared: what :meth:`prepare` returned for the topic
        :param sample: the number of the draw
        """
        raise NotImplementedError


class plackett_luce(Policy, label="Plackett–Luce"):
    """Draw rankings in which documents with larger scores tend to come first.

    The first rank goes to a document drawn with probability proportional to
    ``exp(r / temperature)``, each next rank to one of the remaining documents in the same way. r is
    the score, scaled to [0, 1] by the smallest and the largest score of the topic. The policy does
    not use groups: it distributes exposure over documents.

    Source: Diaz et al. (2020).

    :param k: the number of ranks to fill; the other documents follow in the old order. ``None`` for
        all
    :param temperature: at least 0; 0 keeps the old order, and the larger it is, the less scores
        count
    :param seed: the seed of the random numbers
    :param sample: the number of the draw, at least 0
    :param verbose: whether to show a progress bar over topics
    :raises ValueError: a value that is not allowed

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import rerank
    >>> results = pd.DataFrame({"qid": "1", "docno": ["a", "b", "c"], "score": [3.0, 2.5, 1.0]})
    >>> [one(results)["docno"].str.cat() for one in rerank.plackett_luce(temperature=0.5).draws(3)]
    ['bac', 'abc', 'abc']
    """

    PARAMS = {
        "temperature": params.real("how little the scores count", "a number of at least 0",
                                   lambda v: v >= 0),
        "seed": SEED,
        "sample": SAMPLE,
    }
    temperature: float

    def __init__(self, k: int | None = None, temperature: float = 0.1, seed: int = 0,
                 sample: int = 0, verbose: bool = False) -> None:
        super().__init__(k=k, temperature=temperature, seed=seed, sample=sample, verbose=verbose)

    def draw(self, prepared: TopicList, sample: int | None) -> Ints:
        n = len(prepared.score)
        if self.temperature == 0 or n < 2:
            return np.arange(prepared.k)
        u = uniforms(self.seed, prepared.qid, sample or 0, n)
        order = plackett_luce_order(prepared.normalised(), self.temperature, u)
        return order[:prepared.k]


class epsilon_greedy(Policy, label="ε-greedy"):
    """Swap documents at random.

    Each of the first ``k`` ranks in turn is swapped, with probability ``epsilon``, with one of the
    ranks below it. The policy does not use groups: it distributes exposure over documents,
    whatever their scores.

    Source: Feng & Shah (2022).

    :param k: the number of ranks to fill; the other documents follow in the old order. ``None`` for
        all
    :param epsilon: from 0, which keeps the old order, to 1
    :param seed: the seed of the random numbers
    :param sample: the number of the draw, at least 0
    :param verbose: whether to show a progress bar over topics
    :raises ValueError: a value that is not allowed

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import rerank
    >>> results = pd.DataFrame({"qid": "1", "docno": ["a", "b", "c"], "score": [3.0, 2.5, 1.0]})
    >>> [one(results)["docno"].str.cat() for one in rerank.epsilon_greedy(epsilon=0.5).draws(3)]
    ['abc', 'bac', 'acb']
    """

    PARAMS = {
        "epsilon": params.real("probability of a swap", "a number from 0 to 1",
                               lambda v: 0 <= v <= 1),
        "seed": SEED,
        "sample": SAMPLE,
    }
    epsilon: float

    def __init__(self, k: int | None = None, epsilon: float = 0.1, seed: int = 0,
                 sample: int = 0, verbose: bool = False) -> None:
        super().__init__(k=k, epsilon=epsilon, seed=seed, sample=sample, verbose=verbose)

    def draw(self, prepared: TopicList, sample: int | None) -> Ints:
        n = len(prepared.score)
        k = prepared.k
        u = uniforms(self.seed, prepared.qid, sample or 0, 2 * k)
        return epsilon_greedy_order(n, k, self.epsilon, u)[:k]


def plackett_luce_order(r: Floats, temperature: float, u: Floats) -> Ints:
    """Return an order drawn without replacement in proportion to ``exp(r / temperature)``, ``[n]``.

    The documents are sorted by ``r / temperature`` plus standard Gumbel noise, which has the same
    distribution as drawing one by one.

    :param r: the normalised scores, ``[n]``
    :param temperature: above 0
    :param u: uniform random numbers, ``[n]``
    """
    with np.errstate(divide="ignore", over="ignore"):  # infinite keys are in order, too
        noise = np.log(-np.log(u))
        keys = noise - r / temperature
    return np.argsort(keys, kind="stable")


def epsilon_greedy_order(n: int, k: int, epsilon: float, u: Floats) -> Ints:
    """Return the order after random swaps, ``[n]``.

    Each of the first ``k`` ranks is swapped, with probability ``epsilon``, with one of the ranks
    below it.

    :param u: uniform random numbers, ``[2 k]``: for each rank whether it is swapped, and with which
    """
    order = np.arange(n)
    ranks = min(k, n - 1)
    below = n - 1 - np.arange(ranks)
    swapped, places = u[:2 * ranks].reshape(ranks, 2).T
    # A random number just below 1 is rounded to 1.
    steps = (places * below).astype(np.int64)
    distance = np.minimum(steps, below - 1)
    for i in np.flatnonzero(swapped < epsilon).tolist():
        j = i + 1 + distance[i]
        order[[i, j]] = order[[j, i]]
    return order


#: Tolerance of the exposures of groups, and of probabilities.
TOLERANCE = 1e-9
#: The factor of a difference of exposures, against scores in [0, 1]; it grows by itself as long as
#: the differences are not the least possible.
_PENALTY = 10.0
_LARGEST_PENALTY = 1e6
#: The options of ``linprog``; presolving such small programmes takes longer than solving them.
_OPTIONS = {"presolve": False}


def fair_policy(r: Floats, shares: Floats, target: Floats, weights: Floats) -> tuple[Ints, Floats]:
    """Return the best rankings with fair expected exposure, and their probabilities.

    Of all distributions over rankings in which the expected exposure of every group is its share of
    the target, the result has the largest expected ``Σ r · weight``. If there is none, it is the
    best of those with the least sum of absolute differences.

    Source: Singh & Joachims (2018), section 3; column generation instead of the Birkhoff–von
    Neumann decomposition.

    :param r: the normalised scores, ``[n]``, in falling order
    :param shares: the membership of the documents in the groups, ``[n, G]``; rows sum to 1
    :param target: the share of the exposure that each group should have, ``[G]``; sums to 1
    :param weights: the exposure of each rank, ``[n]``; not rising, and 0 where the order does not
        matter: documents there are in the old order
    :returns: the documents by rank, ``[P, n]``, and the probabilities, ``[P]``: falling, equal ones
        by the old ranks of their documents

    Examples
    --------
    >>> shares = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> rankings, probabilities = fair_policy(np.array([1.0, 0.5, 0.0]), shares,
    ...                                       np.array([0.6, 0.4]), np.array([1.0, 0.63, 0.5]))
    >>> rankings.tolist(), probabilities.round(3).tolist()
    ([[2, 0, 1], [0, 2, 1]], [0.6, 0.4])
    """
    # Every group first, and every group last.
    rankings = []
    for of_group in 2 * shares.T:
        rankings.append(_by_score(r + of_group, weights))
        rankings.append(_by_score(r - of_group, weights))
    exposure = target * weights.sum()
    least = 0.0
    penalty = _PENALTY
    difference, probabilities = _optimum(rankings, r, shares, exposure, weights, penalty)
    if difference > TOLERANCE:
        least, _ = _optimum(rankings, np.zeros_like(r), shares, exposure, weights, 1.0)
    while difference > least + TOLERANCE and penalty < _LARGEST_PENALTY:
        penalty *= _PENALTY
        difference, probabilities = _optimum(rankings, r, shares, exposure, weights, penalty)
    # Rankings that were added for ``least`` have no probabilities.
    used = np.flatnonzero(probabilities > TOLERANCE)
    mix = np.array(rankings)[used]
    probabilities = probabilities[used]
    probabilities /= probabilities.sum()
    order = np.lexsort((*mix.T[::-1], -probabilities.round(9)))
    return mix[order], probabilities[order]


def _by_score(score: Floats, weights: Floats) -> Ints:
    """Return the documents by falling score, those on ranks without weight in the old order."""
    order = np.argsort(-score, kind="stable")
    weighted = np.count_nonzero(weights)
    order[weighted:].sort()
    return order


def _optimum(rankings: list[Ints], r: Floats, shares: Floats, target: Floats, weights: Floats,
             penalty: float) -> tuple[float, Floats]:
    """Return the sum of absolute differences of the optimal mix, and the probabilities, ``[P]``.

    The optimum is the largest ``Σ r · weight`` less the sum of the differences times ``penalty``.
    Appends to ``rankings`` what it needs.

    :param target: the exposure that each group should have, ``[G]``
    """
    from scipy.optimize import linprog
    groups = len(target)
    limits = np.append(target, 1.0)
    above = np.eye(groups + 1, groups)
    slack = np.hstack([above, -above])
    exposures = [np.append(weights @ shares[ranking], 1.0) for ranking in rankings]
    utilities = [weights @ r[ranking] for ranking in rankings]
    least = inf
    centre = np.zeros(groups)
    while True:
        count = len(rankings)
        equal = np.column_stack([*exposures, slack])
        differences = np.full(2 * groups, penalty)
        cost = np.append(np.negative(utilities), differences)
        solved = linprog(cost, A_eq=equal, b_eq=limits, options=_OPTIONS)
        if solved.status != 0:
            raise RuntimeError(f"HiGHS did not solve the linear programme: {solved.message}")
        marginals = solved.eqlin.marginals
        price = marginals[:groups]
        value = marginals[groups]
        # Prices halfway to the best ones so far need fewer rounds (Wentges 1997).
        for prices in ((price + centre) / 2, price):
            score = r + shares @ prices
            ranking = _by_score(score.round(12), weights)
            bound = score[ranking] @ weights - target @ prices
            if bound < least:
                least = bound
                centre = prices
            score = r + shares @ price
            gain = score[ranking] @ weights + value
            if gain > TOLERANCE and not (ranking == rankings).all(axis=1).any():
                break
        else:
            probabilities, differences = np.split(solved.x, [count])
            return float(differences.sum()), probabilities
        rankings.append(ranking)
        exposures.append(np.append(weights @ shares[ranking], 1.0))
        utilities.append(weights @ r[ranking])


class _Mix(NamedTuple):
    """The rankings of a topic, ``[P, k]``, and their probabilities, ``[P]``."""

    qid: str
    rankings: Ints
    probabilities: Floats


class fair_exposure(Policy, GroupReRanker, label="Fair exposure"):
    """Draw from the rankings that give every group its share of the exposure, in expectation.

    The exposure of a group is the sum of the discounts of its documents' ranks, as in
    :data:`~pt_fairness.AWRF`. Of all distributions over rankings in which the expected exposure of
    every group is as the target says, the policy has the largest expected sum of normalised scores
    times discounts. If no distribution can reach the target, it is the best of those with the least
    sum of absolute differences. It mixes at most as many rankings as there are groups; see
    :meth:`policy`.

    A single ranking can be far from the target, and documents of one group need not be treated
    alike: the rankings often differ in one swap.

    Source: Singh & Joachims (2018), section 3; demographic parity (section 4.1) is
    ``target='run'``, disparate treatment (section 4.2) is ``target='score'``.

    :param groups: the name of a registered group source, the path of a group file, or a Groups
        object; ``None`` for the column ``group`` of the results
    :param target: the share of the exposure of each group: ``'uniform'``, ``'run'`` (the groups'
        shares of the documents), ``'score'`` (their shares of the normalised scores), the name of a
        registered target, or the share of each label
    :param k: the number of ranks with exposure; other documents follow in the old order. ``None``
        for all
    :param discount: ``'log2'``, ``'trec'`` or ``'geometric'``, as in AWRF
    :param p: the persistence of ``'geometric'``
    :param seed: the seed of the random numbers
    :param sample: the number of the draw, at least 0; ``None`` for the most probable ranking
    :param verbose: whether to show a progress bar over topics
    :raises ValueError: a value that is not allowed

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import rerank
    >>> results = pd.DataFrame({"qid": "1", "docno": list("abcd"), "score": [4, 3, 2, 1],
    ...                         "group": ["PRO", "PRO", "CON", "CON"]})
    >>> [one(results)["docno"].str.cat() for one in rerank.fair_exposure().draws(3)]
    ['cadb', 'acbd', 'cadb']
    """

    TARGETS = ("uniform", "run", "score")
    PARAMS = {
        "discount": params.discount("log2", "trec", "geometric"),
        "p": params.persistence(0.85),
        "seed": SEED,
        "sample": params.Param((int, type(None)), SAMPLE.desc, f"None or {SAMPLE.allowed}",
                               canonical=SAMPLE.canonical,
                               accepts=lambda v: v is None or SAMPLE.accepts(v)),
    }
    discount: str
    p: float

    def __init__(self, groups: GroupSource = None, target: Any = "uniform", k: int | None = None,
                 discount: str = "log2", p: float = 0.85, seed: int = 0, sample: int | None = None,
                 verbose: bool = False) -> None:
        super().__init__(groups=groups, target=target, k=k, discount=discount, p=p, seed=seed,
                         sample=sample, verbose=verbose)

    def prepare(self, topic: TopicList) -> _Mix:
        if not topic.comparable:
            return _Mix(topic.qid, np.arange(topic.k)[None], np.ones(1))
        r = topic.normalised()
        weights = np.zeros_like(r)
        weights[:topic.k] = arrays.discount(self.discount, topic.k, self.p)
        target = topic.target
        if self.target == "score":
            target = r @ topic.shares / r.sum()
        rankings, probabilities = fair_policy(r, topic.shares, target, weights)
        return _Mix(topic.qid, rankings[:, :topic.k], probabilities)

    def draw(self, prepared: _Mix, sample: int | None) -> Ints:
        if sample is None:
            return prepared.rankings[0]
        u = uniforms(self.seed, prepared.qid, sample, 1)
        # Rounding can leave the sum of the probabilities below u.
        limits = np.cumsum(prepared.probabilities)[:-1]
        place = np.searchsorted(limits, u, side="right")
        return prepared.rankings[place[0]]

    def policy(self, results: pd.DataFrame) -> pd.DataFrame:
        """Return the rankings of each topic and their probabilities.

        :param results: columns ``qid, docno, score`` and, without ``groups``, ``group``
        :returns: ``qid, docno, ranking, probability``: the rankings of a topic from 0 by falling
            probability; rows by topic, ranking and rank

        Examples
        --------
        >>> import pandas as pd
        >>> from pt_fairness import rerank
        >>> results = pd.DataFrame({"qid": "1", "docno": list("abcd"), "score": [4, 3, 2, 1],
        ...                         "group": ["PRO", "PRO", "CON", "CON"]})
        >>> rerank.fair_exposure().policy(results).round(3)
          qid docno  ranking  probability
        0   1     a        0          0.5
        1   1     c        0          0.5
        2   1     b        0          0.5
        3   1     d        0          0.5
        4   1     c        1          0.5
        5   1     a        1          0.5
        6   1     d        1          0.5
        7   1     b        1          0.5
        """
        frame, lists = self.read(results)
        mixes = self.for_each(lists, self.prepare)
        topic = np.repeat(np.arange(len(lists)), frame.length)
        parts = []
        for number in range(max((len(mix.rankings) for mix in mixes), default=1)):
            # A topic of fewer rankings has its first one here, which is left out.
            draw = [mix.rankings[number % len(mix.rankings)] for mix in mixes]
            exists = [number < len(mix.rankings) for mix in mixes]
            probabilities = [mix.probabilities[number % len(mix.rankings)] for mix in mixes]
            rows = frame.written(lists, draw)[["qid", "docno"]]
            probability = np.repeat(probabilities, frame.length)
            rows = rows.assign(ranking=number, probability=probability, topic=topic)
            inside = np.repeat(exists, frame.length)
            parts.append(rows[inside.astype(bool)])
        rows = pd.concat(parts).sort_values("topic", kind="stable", ignore_index=True)
        return rows.drop(columns="topic")
