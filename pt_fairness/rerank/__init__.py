"""Re-rankers that move documents towards target shares of the groups.

Re-rankers share these parameters, and raise a ``ValueError`` if a value is not allowed:

* ``groups``: the name of a registered group source, the path of a group file, or a Groups object;
  by default the column ``group`` of the results, which :func:`~pt_fairness.annotate` writes
* ``target``: the share that each group should have: ``'uniform'``, ``'run'`` for the shares in the
  topic's results, the name of a registered target, or a dictionary. Shares are rescaled to sum to 1
  over the groups that the topic's results have.
* ``k``: the number of documents to choose, from all of the topic; the others follow in the old
  order. By default all are chosen.
* ``lam``: the weight of the groups against relevance, from 0 to 1
* ``normalise``: how scores become probabilities. ``'minmax'``: P(d) is the score scaled to [0, 1],
  and P(d|g) the share of d in g times P(d). ``'none'``: the same with the score, which must be in
  [0, 1]. ``'sum'``: P(d) and P(d|g) sum to 1 over the documents, which favours small groups.
* ``seed``: the seed of the random numbers
* ``sample``: the number of the draw, at least 0
* ``verbose``: whether to show a progress bar over topics

The old order is trec_eval's: by score in single precision, then by docno, both descending; ranks
and the order of rows are ignored. If a topic has a document twice, the last row counts, with a
warning. Ties go to the document that was better before. A document of m groups counts 1/m to each,
or by its weights. Documents without a group keep their ranks, and ``k`` does not count them; only
``plackett_luce``, which does not use groups, moves all documents. A topic without a group that has
a share in the target keeps its order, with a warning. The result has all columns; ``rank`` counts
from 0, and ``score`` from the number of documents down to 1, so that run files keep the new order.

Where published code and papers differ, the re-rankers follow the papers. FA*IR's correction is
exact: the tables of fairsearchcore and LensKit can reject a fair ranking with a probability above
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
from pt_fairness.rerank.policies import fair_exposure, plackett_luce

__all__ = [
    "det_cons", "det_const_sort", "det_greedy", "det_relaxed", "fa_ir", "fair_exposure",
    "plackett_luce", "pm2", "xquad",
]

__dir__ = __all__.copy
