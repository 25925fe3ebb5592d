"""Re-rankers that move documents towards target shares of the groups."""

from pt_fairness.rerank.deterministic import (
    det_cons,
    det_const_sort,
    det_greedy,
    det_relaxed,
    fa_ir,
    pm2,
    xquad,
)
from pt_fairness.rerank.policies import epsilon_greedy, fair_exposure, plackett_luce

__all__ = [
    "det_cons", "det_const_sort", "det_greedy", "det_relaxed", "epsilon_greedy", "fa_ir",
    "fair_exposure", "plackett_luce", "pm2", "xquad",
]

__dir__ = __all__.copy
