"""``python -m pt_fairness QRELS RUN MEASURE…``: the ``ir_measures`` command that knows the measures
of this package.
"""

import sys

from pt_fairness.cli import evaluate

if __name__ == "__main__":
    sys.exit(evaluate(sys.argv[1:], "python -m pt_fairness"))
