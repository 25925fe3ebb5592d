"""Stochastic policies, which rank the documents of a topic differently in each draw.

Documents are numbered by the old order, from 0. Shapes: ``n`` documents, best first; ``G`` groups;
``P`` rankings.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_fairness.core import arrays
from pt_fairness.core.arrays import Floats, Ints, uniforms
from pt_fairness.core.messages import at_least
from pt_fairness.measures import params
from pt_fairness.rerank.rerankers import Candidates, GroupReRanker, GroupSource, ReRanker


class Policy(ReRanker):
    """A re-ranker that draws one of several rankings of each topic.

    A draw depends on the seed, the topic and the number of the draw alone. A subclass implements
    :meth:`draw`.
    """

    PARAMS = {
        "seed": params.whole("seed of the random numbers"),
        "sample": params.whole("number of the draw", smallest=0, largest=2**31 - 1),
    }
    seed: int
    sample: int | None

    def draws(self, samples: int) -> list[Policy]:
        """Return a transformer for each of the draws 0, 1, …, to compare in ``pt.Experiment``.

        :param samples: the number of draws, at least 1
        :raises ValueError: if the number is below 1

        Examples
        --------
        >>> from pt_fairness import rerank
        >>> rerank.plackett_luce(temperature=0.2).draws(2)
        [rerank.plackett_luce(temperature=0.2), rerank.plackett_luce(temperature=0.2, sample=1)]
        """
        at_least(1, "samples", samples)
        policies = [copy.copy(self) for _ in range(samples)]
        for sample, policy in enumerate(policies):
            policy.sample = sample
        return policies

    def rankings(self, results: pd.DataFrame, samples: int = 10) -> pd.DataFrame:
        """Return several rankings of each topic as one run.

        :func:`pt_fairness.evaluate` and the measures of expected exposure (EEL, EED, EER) accept
        it. Transformers do not: they see one ranking in which documents occur several times.

        :param results: columns ``qid, docno, score`` and what the policy needs
        :param samples: the number of draws, at least 1
        :returns: the frames of the draws 0, 1, … one after the other, with the number of the draw
            in the column ``iteration``
        :raises ValueError: if the number of draws is below 1

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
        at_least(1, "samples", samples)
        frame, topics = self.read(results)
        prepared = self.map_topics(topics, self.prepare)
        draws = []
        for sample in range(samples):
            draws.append([self.draw(topic, sample) for topic in prepared])
        rows = frame.written(topics, *draws)
        iteration = np.repeat(range(samples), frame.length.sum())
        return rows.assign(iteration=iteration)

    def order(self, topic: Candidates) -> Ints:
        prepared = self.prepare(topic)
        return self.draw(prepared, self.sample)

    def prepare(self, topic: Candidates) -> Any:
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

    :mod:`pt_fairness.rerank` has the parameters that re-rankers share.

    :param temperature: at least 0; 0 keeps the old order, and the larger it is, the less scores
        count

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import rerank
    >>> results = pd.DataFrame({"qid": "1", "docno": ["a", "b", "c"], "score": [3.0, 2.5, 1.0]})
    >>> [one(results)["docno"].str.cat() for one in rerank.plackett_luce(temperature=0.5).draws(3)]
    ['bac', 'abc', 'abc']
    """

    PARAMS = Policy.PARAMS | {
        "temperature": params.real("how little the scores count", "a number of at least 0",
                                   lambda v: v >= 0),
    }
    temperature: float

    def __init__(self, k: int | None = None, temperature: float = 0.1, seed: int = 0,
                 sample: int = 0, verbose: bool = False) -> None:
        super().__init__(k=k, temperature=temperature, seed=seed, sample=sample, verbose=verbose)

    def draw(self, prepared: Candidates, sample: int | None) -> Ints:
        n = len(prepared.score)
        if self.temperature == 0 or n < 2:
            return np.arange(prepared.k)
        u = uniforms(self.seed, prepared.qid, sample or 0, n)
        r = prepared.normalised()
        order = plackett_luce_order(r, self.temperature, u)
        return order[:prepared.k]


def plackett_luce_order(r: Floats, temperature: float, u: Floats) -> Ints:
    """Return an order drawn without replacement in proportion to ``exp(r / temperature)``, ``[n]``.

    The documents are sorted by ``r / temperature`` plus standard Gumbel noise, which has the same
    distribution as drawing one by one.

    :param r: the normalised scores, ``[n]``
    :param temperature: above 0
    :param u: uniform random numbers, ``[n]``
    """
    with np.errstate(divide="ignore", over="ignore"):  # infinite keys are in order as well
        noise = np.log(-np.log(u))
        keys = noise - r / temperature
    return np.argsort(keys, kind="stable")


#: Tolerance of the exposures of groups, and of probabilities.
TOLERANCE = 1e-9
#: The penalty of a difference of exposures, for scores in [0, 1]. It is raised until the
#: differences are the least possible.
_PENALTY = 10.0
_LARGEST_PENALTY = 1e6
#: The options of ``linprog``; presolving such small programmes takes longer than solving them.
_OPTIONS = {"presolve": False}


def fair_policy(r: Floats, shares: Floats, target: Floats, weights: Floats) -> tuple[Ints, Floats]:
    """Return the best rankings with fair expected exposure, and their probabilities.

    Of all distributions over rankings in which the expected exposure of every group is its share of
    the target, the result has the largest expected ``Σ r · weight``. If no distribution reaches the
    target, it is the best among the ones with the least sum of absolute differences.

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
    programme = _Programme(shares, target * weights.sum(), weights)
    for member in shares.T:
        for score in (member, -member):  # the group first, and last
            ranking = programme.order(score)
            programme.add(ranking)
    penalty = _PENALTY
    difference, probabilities = programme.optimum(r, penalty)
    least = difference
    if difference > TOLERANCE:
        least, _ = programme.optimum(np.zeros_like(r), 1.0)
    while difference > least + TOLERANCE and penalty < _LARGEST_PENALTY:
        penalty *= _PENALTY
        difference, probabilities = programme.optimum(r, penalty)
    # Rankings that were added for ``least`` come last and may have no probability.
    used = np.flatnonzero(probabilities > TOLERANCE)
    mix = np.array(programme.rankings)[used]
    probabilities = probabilities[used]
    probabilities /= probabilities.sum()
    falling = -probabilities.round(9)
    order = np.lexsort((*mix.T[::-1], falling))
    return mix[order], probabilities[order]


@dataclass
class _Programme:
    """The linear programme of the best mix of rankings; column generation adds the rankings."""

    #: The membership of the documents in the groups, ``[n, G]``.
    shares: Floats
    #: The exposure that each group should have, ``[G]``.
    target: Floats
    #: The exposure of each rank, ``[n]``.
    weights: Floats
    rankings: list[Ints] = field(default_factory=list)
    #: The exposure of each group, and 1, of each ranking, ``[G + 1]``.
    exposures: list[Floats] = field(default_factory=list)

    def add(self, ranking: Ints) -> None:
        """Add a ranking to the mix."""
        exposure = self.weights @ self.shares[ranking]
        self.rankings.append(ranking)
        self.exposures.append(np.append(exposure, 1.0))

    def order(self, score: Floats) -> Ints:
        """Return the documents by falling score; ranks without weight are in the old order."""
        order = np.argsort(-score, kind="stable")
        weighted = np.count_nonzero(self.weights)
        order[weighted:].sort()
        return order

    def optimum(self, r: Floats, penalty: float) -> tuple[float, Floats]:
        """Return the sum of absolute differences of the optimal mix, and the probabilities.

        The optimum is the largest ``Σ r · weight`` less the sum of the differences times
        ``penalty``. The rankings that it needs are added.
        """
        while True:
            solution, marginals = self._solved(r, penalty)
            prices = marginals[:-1]
            score = r + self.shares @ prices
            ranking = self.order(score.round(12))
            gain = score[ranking] @ self.weights + marginals[-1]
            if gain <= TOLERANCE or (ranking == self.rankings).all(axis=1).any():
                probabilities, differences = np.split(solution, [len(self.rankings)])
                return float(differences.sum()), probabilities
            self.add(ranking)

    def _solved(self, r: Floats, penalty: float) -> tuple[Floats, Floats]:
        """Solve the programme with the rankings so far.

        :returns: the probabilities and the differences; and the prices of the exposures of the
            groups and of the sum of the probabilities
        """
        from scipy.optimize import linprog
        groups = len(self.target)
        above = np.eye(groups + 1, groups)
        equal = np.column_stack([*self.exposures, above, -above])
        limits = np.append(self.target, 1.0)
        utilities = [self.weights @ r[ranking] for ranking in self.rankings]
        differences = np.full(2 * groups, penalty)
        cost = np.append(np.negative(utilities), differences)
        solved = linprog(cost, A_eq=equal, b_eq=limits, options=_OPTIONS)
        if solved.status != 0:
            raise RuntimeError(f"HiGHS did not solve the linear programme: {solved.message}")
        return solved.x, solved.eqlin.marginals


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
    times discounts. If no distribution can reach the target, the policy is the best among the ones
    with the least sum of absolute differences. It mixes at most as many rankings as there are
    groups; see :meth:`policy`.

    A single ranking can be far from the target, and documents of one group need not be treated
    alike: the rankings often differ in one swap.

    Source: Singh & Joachims (2018), section 3; demographic parity (section 4.1) is
    ``target='run'``, disparate treatment (section 4.2) is ``target='score'``.

    :mod:`pt_fairness.rerank` has the parameters that re-rankers share.

    :param target: the share of the exposure of each group: ``'uniform'``, ``'run'`` (the groups'
        shares of the documents), ``'score'`` (their shares of the normalised scores), the name of a
        registered target, or a dictionary
    :param k: the number of ranks with exposure; by default all
    :param discount: ``'log2'``, ``'trec'`` or ``'geometric'``, as in AWRF
    :param p: the persistence of ``'geometric'``
    :param sample: the number of the draw, at least 0; ``None`` for the most probable ranking

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
    PARAMS = Policy.PARAMS | {
        "discount": params.discount("log2", "trec", "geometric"),
        "p": params.persistence(0.85),
    }
    discount: str
    p: float

    def __init__(self, groups: GroupSource = None, target: Any = "uniform", k: int | None = None,
                 discount: str = "log2", p: float = 0.85, seed: int = 0, sample: int | None = None,
                 verbose: bool = False) -> None:
        super().__init__(groups=groups, target=target, k=k, discount=discount, p=p, seed=seed,
                         sample=sample, verbose=verbose)

    def prepare(self, topic: Candidates) -> _Mix:
        if not topic.comparable:
            old_order = np.arange(topic.k)
            return _Mix(topic.qid, old_order[None], np.ones(1))
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
        limits = prepared.probabilities.cumsum()
        place = np.searchsorted(limits[:-1], u, side="right")
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
        frame, topics = self.read(results)
        mixes = self.map_topics(topics, self.prepare)
        counts = np.array([len(mix.rankings) for mix in mixes], int)
        topic = np.repeat(np.arange(len(mixes)), frame.length)
        parts = []
        for number in range(counts.max(initial=1)):
            places = np.minimum(number, counts - 1)
            pairs = list(zip(mixes, places, strict=True))
            rows = frame.written(topics, [mix.rankings[place] for mix, place in pairs])
            probabilities = [mix.probabilities[place] for mix, place in pairs]
            probability = np.repeat(probabilities, frame.length)
            rows = rows.assign(ranking=number, probability=probability, topic=topic)
            parts.append(rows[number < counts[topic]])
        rows = pd.concat(parts)
        rows = rows.sort_values("topic", kind="stable", ignore_index=True)
        return rows[["qid", "docno", "ranking", "probability"]]
