"""Names of columns, and keys of ``attrs``."""

from __future__ import annotations

#: Values that are equal to this many decimals are ties, because of rounding in sums.
TIE_DECIMALS = 12
#: The significance level.
ALPHA = 0.05
#: The least number of topics of a test, and that of an interval.
LEAST_TESTED, LEAST_INTERVAL = 6, 3
#: Why fewer topics have no test.
TOO_FEW = ("With fewer than six topics, no difference is called significant: even where all topics "
           "agree, a sign test has p > .05.")
#: The correction of the p-values for several systems.
CORRECTION = "holm"
#: The suffixes of the columns in which pt.Experiment compares with a baseline.
WINS, LOSSES = " +", " -"
P_VALUE, REJECT, CORRECTED = " p-value", " reject", " p-value corrected"
TEST_SUFFIXES = (P_VALUE, REJECT, " corrected")
#: The suffixes of the columns with the ends of the interval of an average.
LOW, HIGH = " low", " high"
#: The suffix of the column with the verdicts against a tolerance.
VERDICT = " verdict"
#: The prefixes of the columns that :func:`pt_fairness.analysis.combine` adds; larger is better.
COMBINATIONS = ("mean(", "gmean(", "hmean(")
#: The prefix of the column that pandas creates for an index in a CSV file.
SAVED_INDEX = "Unnamed: "
#: The column of pt.Experiment with the mean response time.
RESPONSE_TIME = "mrt"

#: The key of ``attrs`` that maps the names of columns to the measures that they stand for, as text.
MEASURES = "measures"
#: The key of ``attrs`` with the name of the group source.
GROUPS = "groups"
#: The key of ``attrs`` with the labels of the group source, ``None`` where they are not known.
LABELS = "labels"
#: The key of ``attrs`` with the number of topics.
TOPICS = "topics"
#: The key of ``attrs`` that maps the names of columns to the topics that are undefined.
UNDEFINED = "undefined"
#: The key of ``attrs`` that says that the undefined topics are left out.
DROPPED = "undefined left out"
#: The key of ``attrs`` that maps the columns that are undefined for all topics to the reason.
UNDEFINED_EVERYWHERE = "undefined everywhere"
#: The key of ``attrs`` that maps the columns of measures that compare one of more than two groups
#: with all others, because ``protected`` is not set, to the number of groups.
SEVERAL = "several groups"
#: The key of ``attrs`` that maps the names of columns to the systems of which less than half of the
#: documents that count stand within the cutoff, with their share.
FAR_DOWN = "far down"
#: The key of ``attrs`` with the test against the baseline: ``baseline``, ``test``, ``correction``
#: (``None`` for none), ``alpha`` and ``systems``, the number of systems that are compared.
COMPARISON = "comparison"
#: The key of ``attrs`` with the intervals of the averages: ``method`` and ``confidence``.
INTERVAL = "interval"
#: The key of ``attrs`` that maps the names of columns to the tolerance of their verdicts.
TOLERANCE = "tolerance"
#: The key of ``attrs`` with the names of the rows of reference rankings, below the systems.
REFERENCES = "references"
#: The key of ``attrs`` with the names of the systems, in the order of the runs.
SYSTEMS = "systems"
#: The key of ``attrs`` that maps the names of failed runs to their errors.
BROKEN = "broken"


def split_suffix(column: str) -> tuple[str, str]:
    """Return the measure of a column, and the suffix of a comparison with a baseline.

    Examples
    --------
    >>> from pt_fairness.analysis.names import split_suffix
    >>> split_suffix("rKL@5 p-value corrected")
    ('rKL@5', ' p-value corrected')
    """
    for suffix in (CORRECTED, P_VALUE, REJECT, WINS, LOSSES, " corrected", LOW, HIGH,
                   VERDICT):
        if column.endswith(suffix):
            return column[:-len(suffix)], suffix
    return column, ""
