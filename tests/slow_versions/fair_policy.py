"""Slow version of the fairest policy: the linear programme of Singh & Joachims (2018)."""

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
