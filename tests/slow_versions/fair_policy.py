"""Slow version of the fairest policy: the linear programme of Singh & Joachims (2018)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from scipy.optimize import linprog

Matrix = Sequence[Sequence[float]]


def optimum(r: Sequence[float], shares: Matrix, target: Sequence[float],
            weights: Sequence[float]) -> tuple[float, float]:
    """§6: the least Σ |difference| of the groups' exposures, and the largest utility with it.

    A variable for each document and rank, whose rows and columns sum to 1, and two for each group:
    the exposure above and below its share.
    """
    n, groups = len(r), len(target)
    cells = [(d, i) for d in range(n) for i in range(n)]
    none = [0.0] * (2 * groups)
    equal, values = [], []
    for d in range(n):
        equal.append([float(cell[0] == d) for cell in cells] + none)
        equal.append([float(cell[1] == d) for cell in cells] + none)
        values += [1.0, 1.0]
    for g in range(groups):
        apart = none.copy()
        apart[2 * g], apart[2 * g + 1] = 1.0, -1.0
        equal.append([shares[d][g] * weights[i] for d, i in cells] + apart)
        values.append(target[g] * sum(weights))
    apart = [0.0] * len(cells) + [1.0] * (2 * groups)
    least = linprog(apart, A_eq=equal, b_eq=values)
    gain = [-r[d] * weights[i] for d, i in cells] + none
    best = linprog(gain, A_eq=equal, b_eq=values, A_ub=[apart], b_ub=[least.fun + 1e-9])
    assert least.status == best.status == 0
    return least.fun, -best.fun


def mix_of_two(r: Sequence[float], first: Sequence[bool], target: float,
               weights: Sequence[float]) -> tuple[float, float]:
    """§6, two groups, one each: the exposure of the first group and the utility of the mix.

    Each bonus for the first group gives a ranking. The mix has the two rankings of neighbouring
    bonuses on both sides of the target, or one of the ends.
    """
    steps = sorted({b - a for a, one in zip(r, first, strict=True) if one
                    for b, other in zip(r, first, strict=True) if not other})
    bonuses = [steps[0] - 1, *((a + b) / 2 for a, b in itertools.pairwise(steps)), steps[-1] + 1]
    ends = []
    for bonus in bonuses:
        order = sorted(range(len(r)), key=lambda d: -(r[d] + bonus * first[d]))
        ends.append((sum(w * first[d] for w, d in zip(weights, order, strict=True)),
                     sum(w * r[d] for w, d in zip(weights, order, strict=True))))
    wanted = target * sum(weights)
    for (low, worse), (high, better) in itertools.pairwise(ends):
        if low <= wanted <= high and low < high:
            part = (wanted - low) / (high - low)
            return wanted, part * better + (1 - part) * worse
    return ends[0] if wanted < ends[0][0] else ends[-1]
