"""``python -m pt_fairness``: the ``ir_measures`` command with the measures of this package."""

import sys

from pt_fairness.cli import evaluate
from pt_fairness.cli.output import prepare

if __name__ == "__main__":
    prepare()
    sys.exit(evaluate(sys.argv[1:]))
