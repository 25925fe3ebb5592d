"""Stochastic policies, which rank the documents of a topic differently in each draw.

Documents are numbered by the old order, from 0. Shapes: ``n`` documents, best first.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.core.arrays import Floats, Ints, uniforms
from pt_fairness.core.messages import shown
from pt_fairness.measures import params
from pt_fairness.rerank.base import ReRanker
from pt_fairness.rerank.results import Condensed

SEED = params.whole("seed of the random numbers")
SAMPLE = params.whole("number of the draw", smallest=0, largest=2**31 - 1)


class Policy(ReRanker):
    """A re-ranker that draws one of several rankings of each topic.

    A draw depends on the seed, the topic and the number of the draw alone. A subclass implements
    :meth:`draw`.
    """

    seed: int
    sample: int | None

    def draws(self, samples: int) -> list[ReRanker]:
        """Return a transformer for each of the draws 0, 1, …, to compare in ``pt.Experiment``.

        :param samples: the number of draws, at least 1
        :raises ValueError: another number

        Examples
        --------
        >>> from pt_fairness import rerank
        >>> rerank.plackett_luce(temperature=0.2).draws(2)
        [rerank.plackett_luce(temperature=0.2), rerank.plackett_luce(temperature=0.2, sample=1)]
        """
        found: list[ReRanker] = [copy.copy(self) for _ in self._samples("draws", samples)]
        for sample, one in enumerate(found):
            one.sample = sample
        return found

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
        found, lists = self.read(results)
        prepared = self.for_each(lists, self.prepare)
        several = found.written(lists, *([self.draw(one, sample) for one in prepared]
                                         for sample in numbers))
        size = int(found.length.sum())
        return several.assign(iteration=np.repeat(np.arange(len(numbers), dtype=np.int64), size))

    def _samples(self, method: str, samples: int) -> range:
        number = params.plain(samples)
        if isinstance(number, bool) or not isinstance(number, int) or number < 1:
            raise ValueError(f"{type(self).__name__}.{method}(samples={shown(samples)}) is not "
                             "possible: samples takes a whole number of at least 1")
        return range(number)

    def order(self, one: Condensed) -> Ints:
        return self.draw(self.prepare(one), self.sample)

    def prepare(self, one: Condensed) -> Any:
        """Return what all draws of a topic have in common."""
        return one

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

    def draw(self, prepared: Condensed, sample: int | None) -> Ints:
        n = len(prepared.score)
        if self.temperature == 0 or n < 2:
            return np.arange(prepared.k)
        u = uniforms(self.seed, prepared.qid, sample or 0, n)
        return plackett_luce_order(prepared.normalised(), self.temperature, u)[:prepared.k]


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

    def draw(self, prepared: Condensed, sample: int | None) -> Ints:
        u = uniforms(self.seed, prepared.qid, sample or 0, 2 * prepared.k)
        return epsilon_greedy_order(len(prepared.score), prepared.k, self.epsilon, u)[:prepared.k]


def plackett_luce_order(r: Floats, temperature: float, u: Floats) -> Ints:
    """Return an order drawn without replacement in proportion to ``exp(r / temperature)``, ``[n]``.

    The documents are sorted by ``r / temperature`` plus standard Gumbel noise, which has the same
    distribution as drawing one by one.

    :param r: the normalised scores, ``[n]``
    :param temperature: at least 0; 0 keeps the order
    :param u: uniform random numbers, ``[n]``
    """
    if temperature == 0:
        return np.arange(len(r))
    with np.errstate(divide="ignore", over="ignore"):  # infinite keys are in order, too
        keys = r / temperature - np.log(-np.log(u))
    return np.argsort(-keys, kind="stable")


def epsilon_greedy_order(n: int, k: int, epsilon: float, u: Floats) -> Ints:
    """Return the order after random swaps, ``[n]``.

    Each of the first ``k`` ranks is swapped, with probability ``epsilon``, with one of the ranks
    below it.

    :param u: uniform random numbers, ``[2 k]``: for each rank whether it is swapped, and with which
    """
    order = np.arange(n)
    rank = np.arange(min(k, n - 1))
    below = n - 1 - rank
    # A random number just below 1 is rounded to 1.
    other = rank + 1 + np.minimum((u[1::2][:len(rank)] * below).astype(np.int64), below - 1)
    for i in np.flatnonzero(u[0::2][:len(rank)] < epsilon).tolist():
        order[[i, other[i]]] = order[[other[i], i]]
    return order
