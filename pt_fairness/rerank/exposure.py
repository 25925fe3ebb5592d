"""Rankings whose groups have the exposure of the target, in expectation."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_fairness.core import discounts
from pt_fairness.core.arrays import Floats, Ints, uniforms
from pt_fairness.measures import params
from pt_fairness.rerank.base import GroupReRanker, GroupSource
from pt_fairness.rerank.fair_policy import fair_policy
from pt_fairness.rerank.policies import SAMPLE, SEED, Policy
from pt_fairness.rerank.results import Condensed


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

    def prepare(self, one: Condensed) -> _Mix:
        if not one.comparable:
            return _Mix(one.qid, np.arange(one.k)[None], np.ones(1))
        r = one.normalised()
        weights = np.zeros(len(r))
        weights[:one.k] = discounts.discount(self.discount, one.k, self.p)
        target = r @ one.shares / r.sum() if self.target == "score" else one.target
        rankings, probabilities = fair_policy(r, one.shares, target, weights)
        return _Mix(one.qid, rankings[:, :one.k], probabilities)

    def draw(self, prepared: _Mix, sample: int | None) -> Ints:
        if sample is None:
            return prepared.rankings[0]
        u = uniforms(self.seed, prepared.qid, sample, 1)
        # Rounding can leave the sum of the probabilities below u.
        drawn = np.searchsorted(np.cumsum(prepared.probabilities)[:-1], u, side="right")
        return prepared.rankings[drawn[0]]

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
        found, lists = self.read(results)
        mixes = self.for_each(lists, self.prepare)
        most = max((len(mix.probabilities) for mix in mixes), default=1)
        every = found.written(lists, *([mix.rankings[min(ranking, len(mix.rankings) - 1)]
                                        for mix in mixes] for ranking in range(most)))
        probabilities = np.array([np.pad(mix.probabilities, (0, most - len(mix.probabilities)))
                                  for mix in mixes]).reshape(-1, most)
        topic = np.tile(np.repeat(np.arange(len(lists)), found.length), most)
        ranking = np.repeat(np.arange(most), found.length.sum())
        rows = every[["qid", "docno"]].assign(ranking=ranking,
                                              probability=probabilities[topic, ranking])
        rows = rows.iloc[np.argsort(topic, kind="stable")]
        return rows[rows["probability"] > 0].reset_index(drop=True)
