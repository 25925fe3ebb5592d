"""Re-rankers that move documents towards target shares of the groups.

The old order is trec_eval's: by score in single precision, then by docno, both descending; ranks
and the order of rows are ignored. If a topic has a document twice, the last row counts, with a
warning. Ties go to the document that was better before. A document of m groups counts 1/m to each,
or by its weights. A topic without a group that has a share in the target keeps its order, with a
warning. The result has all columns; ``rank`` counts from 0, and ``score`` from the number of
documents down to 1, so that run files keep the new order.

Where published code and papers differ, the re-rankers follow the papers. FA*IR's correction is
exact: the tables of fairsearchcore and LensKit can reject a fair list with a probability above
``alpha``. Singh & Joachims solve a linear programme with a variable for each document and rank;
``fair_exposure`` finds the same optimum from smaller ones, and of several optimal mixes it may
choose another.
"""

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
