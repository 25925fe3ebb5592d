"""``python -m pt_fairness``: the ``ir_measures`` command with the measures of this package."""

import sys

from pt_fairness.cli import evaluate

if __name__ == "__main__":
    sys.exit(evaluate())
