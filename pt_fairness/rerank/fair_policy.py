"""Distributions over rankings with given exposures of the groups (Singh & Joachims 2018).

The linear programme of the paper has a variable for each document and rank. The same optimum is a
mix of at most as many rankings as there are groups, found with far smaller programmes.

Documents are numbered by the old order, from 0. Shapes: ``n`` documents, best first; ``G`` groups;
``P`` rankings.
"""

from __future__ import annotations

import numpy as np

from pt_fairness.core.arrays import Floats, Ints

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
    rankings = [_by_score(r + sign * own, weights) for own in 2 * shares.T for sign in (1, -1)]
    wanted = target * weights.sum()
    least, penalty = 0.0, _PENALTY
    difference, probabilities = _optimum(rankings, r, shares, wanted, weights, penalty)
    if difference > TOLERANCE:
        least, _ = _optimum(rankings, np.zeros_like(r), shares, wanted, weights, 1.0)
    while difference > least + TOLERANCE and penalty < _LARGEST_PENALTY:
        penalty *= _PENALTY
        difference, probabilities = _optimum(rankings, r, shares, wanted, weights, penalty)
    # Rankings that were added for ``least`` have no probabilities.
    used = np.flatnonzero(probabilities > TOLERANCE)
    kept, probabilities = np.array(rankings)[used], probabilities[used] / probabilities[used].sum()
    order = np.lexsort((*kept.T[::-1], -probabilities.round(9)))
    return kept[order], probabilities[order]


def _by_score(score: Floats, weights: Floats) -> Ints:
    """Return the documents by falling score, those on ranks without weight in the old order."""
    order = np.argsort(-score, kind="stable")
    order[np.count_nonzero(weights):].sort()
    return order


def _optimum(rankings: list[Ints], r: Floats, shares: Floats, wanted: Floats, weights: Floats,
             penalty: float) -> tuple[float, Floats]:
    """Return the sum of absolute differences of the optimal mix, and the probabilities, ``[P]``.

    The optimum is the largest ``Σ r · weight`` less the sum of the differences times ``penalty``.
    Appends to ``rankings`` what it needs.

    :param wanted: the exposure that each group should have, ``[G]``
    """
    from scipy.optimize import linprog
    groups = len(wanted)
    known = {ranking.tobytes() for ranking in rankings}
    exposures = [weights @ shares[ranking] for ranking in rankings]
    utilities = [weights @ r[ranking] for ranking in rankings]
    least, centre = np.inf, np.zeros(groups)
    while True:
        count = len(rankings)
        equal = np.zeros((groups + 1, count + 2 * groups))
        equal[:groups] = np.hstack([np.array(exposures).T, np.eye(groups), -np.eye(groups)])
        equal[groups, :count] = 1.0
        cost = np.append(np.negative(utilities), np.full(2 * groups, penalty))
        solved = linprog(cost, A_eq=equal, b_eq=np.append(wanted, 1.0), options=_OPTIONS)
        if solved.status != 0:
            raise RuntimeError(f"HiGHS did not solve the linear programme: {solved.message}")
        price, value = solved.eqlin.marginals[:groups], solved.eqlin.marginals[groups]
        # Prices halfway to the best ones so far need fewer rounds (Wentges 1997).
        for one in ((price + centre) / 2, price):
            score = r + shares @ one
            ranking = _by_score(score.round(12), weights)
            bound = score[ranking] @ weights - wanted @ one
            if bound < least:
                least, centre = bound, one
            gain = (r + shares @ price)[ranking] @ weights + value
            if gain > TOLERANCE and ranking.tobytes() not in known:
                break
        else:
            return float(solved.x[count:].sum()), np.asarray(solved.x[:count])
        known.add(ranking.tobytes())
        rankings.append(ranking)
        exposures.append(weights @ shares[ranking])
        utilities.append(weights @ r[ranking])
