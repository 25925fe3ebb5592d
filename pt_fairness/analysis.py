"""Tables of measurements to tables that answer questions.

*Averages* are what ``pt.Experiment`` returns: ``name`` and a column for each measure. *Per-query* frames are what it returns
with ``perquery=True``: ``name, qid, measure, value``. Frames read back from files do as well. No function changes its input.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import ir_measures
import numpy as np
import pandas as pd

from pt_fairness import numerics
from pt_fairness.io import need_columns, qrels_columns
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.numerics import Bools, Floats, Ints
from pt_fairness.ranking import Annotations, Judgments, PairIndex, Rankings, Run, missing, warn, words_of

if TYPE_CHECKING:
    from pandas.io.formats.style import Styler

    from pt_fairness.groups import Groups

__all__ = ["ALPHA", "Correlations", "bias_summary", "combine", "compare", "correlations", "group_distribution", "highlight",
           "label_noise", "minmax", "rank_table", "ranked_groups", "top", "undefined"]

#: A p-value below this is called significant: the star of the papers' tables.
ALPHA = 0.05
#: The row of a collection as a whole beside those of its topics, as trec_eval calls it.
ALL_TOPICS = "all"
#: Values that agree to so many decimals are ties: sums of the same numbers in another order differ in the last bits.
TIE_DECIMALS = 12
#: What pt.Experiment adds to a measure's name for the comparison with a baseline.
WINS, LOSSES = " +", " -"
TEST_SUFFIXES = (" p-value", " reject", " corrected")


# ---------------------------------------------------------------------------------------------------------------------
# which end of a measure is the good one


def _parsed_or_none(column: Any) -> Any:
    try:
        return ir_measures.parse_measure(str(column))
    except (NameError, ValueError, TypeError):
        return None


def measure_of(column: Any) -> FairnessMeasure | None:
    """The measure of this package that a column is named after; ``None`` for any other column."""
    measure = _parsed_or_none(column)
    return measure if isinstance(measure, FairnessMeasure) else None


def _is_signed(measure: FairnessMeasure) -> bool:
    """Whether the fair value lies inside of the range, so that neither the largest nor the smallest value is the best."""
    return measure.RANGE[0] != 0


def _distance_from_best(column: Any, values: pd.Series) -> pd.Series | None:
    """How far each value is from the best there could be, up to a constant; ``None`` for a column without a best value."""
    name = str(column)
    if not pd.api.types.is_numeric_dtype(values) or name.endswith(TEST_SUFFIXES):
        return None
    if name == "mrt":
        return values
    if name.endswith((WINS, LOSSES)):
        # Topics with a larger, or smaller, value than the baseline's.
        measure = measure_of(name[:-2])
        if measure is not None and _is_signed(measure):
            return None  # a larger bias may be nearer to 0 or farther from it
        larger_is_better = measure is None or measure.FAIR_END != 0
        return -values if name.endswith(WINS) == larger_is_better else values
    measure = measure_of(name)
    return -values if measure is None else (values - measure.FAIR_END).abs()


def best(values: pd.Series) -> Bools:
    """``[systems]``: which values of an experiment's column are the best, by what "best" means for the measure in its name."""
    distance = _distance_from_best(values.name, values)
    if distance is None or distance.isna().all():
        return np.zeros(len(values), bool)
    return np.asarray(_ranked_by(distance) == 1)


def highlight(table: pd.DataFrame, style: str = "font-weight: bold") -> Styler:
    """Styles an experiment's table so that the best system stands out by what "best" means for each measure.

    ``pt.Experiment(highlight=…)`` marks the largest value of every column. Here a measure of this package is best where it is
    nearest to its fair end (0 for unfairness and bias, 1 for fairness), counts of topics (``rKL@5 +``) are best where fewer
    topics became less fair, and all other measures where they are largest; p-values have no best. Values that agree to 12
    decimals are marked alike.

    :param table: what ``pt.Experiment`` returned, a row for each system
    :param style: the CSS of the best cells
    :returns: a pandas Styler; the table is not changed
    """
    return table.style.apply(lambda values: [style if one else "" for one in best(values)], axis=0)


# ---------------------------------------------------------------------------------------------------------------------
# averages: normalise, combine, rank


def is_constant(values: Any) -> bool:
    """Whether the values that are there are one value, to :data:`TIE_DECIMALS` decimals; so it is if there are none."""
    return pd.Series(values, dtype=float).round(TIE_DECIMALS).nunique() < 2


def measure_columns(averages: pd.DataFrame) -> list[str]:
    """The columns that hold a measure's averages, without what a comparison with a baseline adds.

    :raises ValueError: there is no ``name``, or no measure; two columns have one name; a column that is named after a measure
        holds something else than numbers
    """
    need_columns(averages, ["name"], "the table of averages")
    twice = averages.columns[averages.columns.duplicated()]
    if len(twice):
        raise ValueError(f"the table of averages has several columns {twice[0]!r}; keep or rename one")
    for column in averages.columns:
        values = averages[column]
        if not pd.api.types.is_numeric_dtype(values) and _parsed_or_none(column) is not None:
            # Where all of it could be numbers, it is text throughout.
            at = int(pd.to_numeric(values, errors="coerce").isna().to_numpy().argmax()) if len(values) else 0
            raise ValueError(f"{column} has to be a column of numbers"
                             + (f", and {averages['name'].iloc[at]} has {values.iloc[at]!r}" if len(values) else ""))
    columns = [column for column in averages.columns if column != "name" and pd.api.types.is_numeric_dtype(averages[column])
               and not str(column).endswith((WINS, LOSSES, *TEST_SUFFIXES))]
    if not columns:
        raise ValueError("the table of averages has no column of numbers beside name; its columns are "
                         f"{', '.join(map(str, averages.columns))}")
    return columns


def column_of(averages: pd.DataFrame, measure: Any) -> str:
    """The column of a measure that is given as an object or by any of its names: α_nDCG@5 is in the column alpha_nDCG@5.

    :raises ValueError: there is none
    """
    columns = measure_columns(averages)
    for name in (str(measure), str(_parsed_or_none(measure))):
        if name in columns:
            return name
    raise ValueError(f"the table has no measure {str(measure)!r}; it has {', '.join(map(repr, columns))}")


def minmax(averages: pd.DataFrame) -> pd.DataFrame:
    """N[·]: every measure's averages over the systems brought into [0, 1], by (x − min) / (max − min).

    The values depend on which systems the table holds. A column that is constant to 12 decimals becomes 0, with a warning. A
    signed bias, whose fair end 0 would land anywhere, gets a warning too.

    Source: Das & Lease (2019), section 4; Pathiyan Cherumanal et al. (2021), section 3.1.

    :param averages: ``name`` and a column for each measure
    :returns: the same columns; those that are no measure's averages are kept as they are
    """
    columns = measure_columns(averages)
    values = averages[columns].astype(float)
    low, spread = values.min(), values.max() - values.min()
    constant = [column for column in columns if is_constant(values[column]) and values[column].notna().any()]
    if constant:
        warn(f"all systems have the same value of {', '.join(constant)}: it is 0.0 after normalisation")
    signed = [column for column in columns if (measure := measure_of(column)) is not None and _is_signed(measure)]
    if signed:
        warn(f"after normalisation 0 is no longer the fair value of {', '.join(signed)}; normalise the same with abs=True")
    scaled = (values - low) / spread.where(spread > 0, 1.0)
    scaled[constant] *= 0.0  # what is missing stays so
    return averages.assign(**{column: scaled[column] for column in columns})


def _flipped(averages: pd.DataFrame, name: str) -> pd.Series:
    """A column, or ``1 −`` it where its name has ``1-`` in front."""
    if name in averages or not name.startswith("1-"):
        return averages[column_of(averages, name)].astype(float)
    column = column_of(averages, name.removeprefix("1-"))
    values = averages[column].astype(float)
    if ((values < 0) | (values > 1)).any():
        raise ValueError(f"{name} needs values of {column} in [0, 1], and they go from {values.min():g} to {values.max():g}; "
                         "normalise the table before, with minmax")
    return 1.0 - values


def combine(averages: pd.DataFrame, columns: Sequence[Any], how: Literal["mean", "gmean", "hmean"] = "mean",
            weights: Sequence[float] | None = None) -> pd.DataFrame:
    """One score for every system out of several: their arithmetic, geometric or harmonic mean.

    Larger has to be better in all that is combined: ``'1-rKL@5'`` is one minus the column ``rKL@5``, for measures of which
    less is fairer.

    Source: Das & Lease (2019), section 4 (``mean`` and ``gmean`` of N[R-Prec] and F); Pathiyan Cherumanal et al. (2021),
    section 5.1 (``hmean`` of α-nDCG@5 and 1 − rKL@5).

    :param averages: ``name`` and a column for each measure
    :param columns: measures or their names
    :param weights: one for each column, not negative, equal by default; a column of weight 0 does not count
    :returns: the table with one more column, named like ``hmean(α_nDCG@5,1-rKL@5)`` or, with weights,
        ``mean(2*nDCG@5,1*AWRF@5)``
    :raises ValueError: an unknown column, a negative value in a geometric or harmonic mean, wrong weights
    """
    from scipy import stats
    names = [str(column) for column in columns]
    if not names:
        raise ValueError("combine needs the names of the columns to combine")
    if weights is not None and (len(weights) != len(names) or not all(0 <= weight < math.inf for weight in weights)
                                or sum(weights) <= 0):
        raise ValueError(f"weights={list(weights)!r}: {len(names)} columns need {len(names)} weights that are not negative, "
                         "and one of them above 0")
    means = {"mean": np.average, "gmean": stats.gmean, "hmean": stats.hmean}
    if how not in means:
        raise ValueError(f"how={how!r} is not possible; it takes {', '.join(map(repr, means))}")
    less = [name for name in names if (measure := measure_of(name)) is not None and measure.FAIR_END == 0]
    if less:
        warn(f"less is fairer in {', '.join(less)}, but a combination counts more as better: combine "
             f"{', '.join(repr(f'1-{name}') for name in less)}")
    values = np.column_stack([_flipped(averages, name) for name in names])
    heavy = np.ones(len(names)) if weights is None else np.asarray(weights, float)
    counted = values[:, heavy > 0]
    if how != "mean" and (counted < 0).any():
        negative = int(((values < 0) & (heavy > 0)).any(axis=0).argmax())
        raise ValueError(f"a {how} needs values of at least 0, and {names[negative]} has {values[:, negative].min():g}")
    parts = names if weights is None else [f"{weight:g}*{name}" for weight, name in zip(weights, names, strict=True)]
    return averages.assign(**{f"{how}({','.join(parts)})": means[how](counted, axis=1, weights=heavy[heavy > 0])})


def _ranked_by(distance: pd.Series) -> pd.Series:
    """1 for the smallest distance; equals share the better rank."""
    return distance.round(TIE_DECIMALS).rank(method="min", na_option="bottom").astype(int)


def _ranks(averages: pd.DataFrame, column: str) -> pd.Series:
    """1 for the best system; equals share the better rank.

    :raises ValueError: the column has no best value
    """
    distance = _distance_from_best(column, averages[column])
    if distance is None:
        raise ValueError(f"{column} has no best value to rank by")
    return _ranked_by(distance)


def top(averages: pd.DataFrame, by: Any = None, n: int = 3) -> pd.DataFrame:
    """The ``n`` leading systems under each measure, as in table 1 of Das & Lease (2019).

    A measure of this package leads where it is nearest to its fair end; any other where it is largest.

    :param averages: ``name`` and a column for each measure
    :param by: a measure, or several (measures or names); all by default
    :param n: at least 1
    :returns: ``by, rank, name`` and the measures; equals share the better rank and come in the order of the table
    :raises ValueError: a measure that the table does not have, none at all, or an ``n`` below 1
    """
    columns = measure_columns(averages)
    wanted = columns if by is None else [column_of(averages, one) for one in (by if isinstance(by, (list, tuple)) else [by])]
    if not wanted:
        raise ValueError(f"by={by!r}: top needs at least one measure; it takes {', '.join(map(repr, columns))}")
    if n < 1:
        raise ValueError(f"n={n}: at least one system has to lead")
    parts = []
    for column in wanted:
        ranks = _ranks(averages, column).to_numpy()
        rows = ranks.argsort(kind="stable")[:n]
        part = averages[["name", *columns]].iloc[rows]
        part.insert(0, "rank", ranks[rows])
        part.insert(0, "by", column)
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def rank_table(averages: pd.DataFrame, by: Any = None) -> pd.DataFrame:
    """The rank of every system under every measure, and how far it moves from its rank under one of them.

    :param averages: ``name`` and a column for each measure
    :param by: the measure that the others are compared with; the first by default
    :returns: ``name``, the rank under each measure (1 is the best; equals share the better rank), and for each of the other
        measures a column such as ``rKL@5 move``: how many places the system is higher (> 0) or lower (< 0) than under ``by``;
        sorted by ``by``
    """
    columns = [column for column in measure_columns(averages) if _distance_from_best(column, averages[column]) is not None]
    first = columns[0] if by is None else column_of(averages, by)
    ranks = pd.DataFrame({column: _ranks(averages, column) for column in [first, *(c for c in columns if c != first)]})
    moves = {f"{column} move": ranks[first] - ranks[column] for column in ranks.columns[1:]}
    table = pd.concat([averages["name"], ranks, pd.DataFrame(moves)], axis=1)
    return table.sort_values(first, kind="stable").reset_index(drop=True)


# ---------------------------------------------------------------------------------------------------------------------
# correlation between measures


class Correlations(NamedTuple):
    """What :func:`correlations` finds; a row and a column for each measure."""

    #: −1 to 1; NaN where a measure is constant, with itself too.
    coefficients: pd.DataFrame
    #: Two-sided, of no association; NaN where the coefficient is.
    p_values: pd.DataFrame
    #: Text as papers print it: the lower triangle, four decimals, a star where p < .05.
    table: pd.DataFrame


def _is_per_query(frame: pd.DataFrame) -> bool:
    return {"qid", "measure", "value"} <= set(frame.columns)


def per_query(frame: pd.DataFrame) -> pd.DataFrame:
    """``name, qid, measure, value`` with text for topics and measures.

    :raises ValueError: a missing column, a row without a name, topic or measure, or two values of a system, topic and measure
    """
    need_columns(frame, ["name", "qid", "measure", "value"], "the per-query frame")
    for column in ("name", "qid", "measure"):
        if frame[column].isna().any():
            raise missing(frame[column], frame[column].isna().to_numpy().argmax(), "per-query frame")
    frame = frame[["name", "qid", "measure", "value"]].assign(qid=frame["qid"].astype(str), measure=frame["measure"].map(str),
                                                              value=frame["value"].astype(float))
    twice = frame.duplicated(["name", "qid", "measure"])
    if twice.any():
        row = frame[twice].iloc[0]
        raise ValueError(f"{row['name']} has several values of {row['measure']} for topic {row['qid']}; each system, topic and "
                         "measure needs one")
    return frame


def of_one_system(frame: pd.DataFrame, what: str, instead: str = "") -> pd.DataFrame:
    """A per-query frame of one system, which need not have a name.

    :param what: what is made of one system, and what can be done with several, for the error
    :raises ValueError: there are several, or as :func:`per_query`
    """
    frame = per_query(frame if "name" in frame else frame.assign(name=""))
    names = list(dict.fromkeys(frame["name"]))
    if len(names) > 1:
        raise ValueError(f"the per-query frame holds {len(names)} systems, and {what} of one; choose it, as in "
                         f"frame[frame['name'] == {names[0]!r}]{instead}. The systems are {', '.join(map(repr, names))}")
    return frame


def _columns_of_measures(frame: pd.DataFrame) -> pd.DataFrame:
    """A column for each measure: over systems, or over the topics of the one system of a per-query frame."""
    if not _is_per_query(frame):
        return frame[measure_columns(frame)].astype(float)
    frame = of_one_system(frame, "correlations over topics are those", "; pass the averages for correlations over systems")
    return frame.pivot(index="qid", columns="measure", values="value")[list(dict.fromkeys(frame["measure"]))]


def correlations(frame: pd.DataFrame, method: Literal["kendall", "spearman", "pearson"] = "kendall") -> Correlations:
    """How much the measures agree, over systems or over the topics of one system.

    Kendall's τ is tau-b. Values that agree to 12 decimals are ties in τ and in Spearman's ρ, and a measure whose values all do
    is constant. A pair of measures is compared on
    the systems (topics) that have both values; a warning says how many values are missing, and which measures are constant.

    Source: Pathiyan Cherumanal et al. (2021), section 4.4 and tables 2 to 4; Das & Lease (2019), table 3.

    :param frame: averages (over systems) or a per-query frame of one system (over topics)
    :raises ValueError: an unknown method; a per-query frame of several systems
    """
    from scipy import stats
    tests: dict[str, Any] = {"kendall": stats.kendalltau, "spearman": stats.spearmanr, "pearson": stats.pearsonr}
    if method not in tests:
        raise ValueError(f"method={method!r} is not possible; it takes {', '.join(map(repr, tests))}")
    columns = _columns_of_measures(frame)
    names = list(columns.columns)
    missing = columns.isna().sum()
    if missing.any():
        warn("values are missing, and the pairs that need them are compared without: "
             + ", ".join(f"{count} of {name}" for name, count in missing.items() if count))
    values = columns.to_numpy()
    if method != "pearson":
        values = values.round(TIE_DECIMALS)
    constant = [is_constant(column) for column in values.T]
    if any(constant):
        warn(f"{', '.join(itertools.compress(names, constant))} is the same throughout, so nothing can be said of its "
             "correlation: NaN")
    size = len(names)
    coefficients, p_values = (np.diag(np.where(constant, np.nan, itself)) for itself in (1.0, 0.0))
    for i in range(size):
        for j in range(i):
            both = ~np.isnan(values[:, i] + values[:, j])
            x, y = values[both, i], values[both, j]
            result = (np.nan, np.nan) if is_constant(x) or is_constant(y) else tests[method](x, y)
            coefficients[i, j] = coefficients[j, i] = result[0]
            p_values[i, j] = p_values[j, i] = result[1]
    table = [["" if j > i else _starred(coefficients[i + 1, j], p_values[i + 1, j]) for j in range(size - 1)]
             for i in range(size - 1)]
    return Correlations(pd.DataFrame(coefficients, names, names), pd.DataFrame(p_values, names, names),
                        pd.DataFrame(table, names[1:], names[:-1]))


def _starred(coefficient: float, p_value: float) -> str:
    return "–" if math.isnan(coefficient) else f"{coefficient:.4f}" + ("*" if p_value < ALPHA else "")


# ---------------------------------------------------------------------------------------------------------------------
# per-query values: bias and tests


def _t_test(values: Floats) -> tuple[float, float]:
    """t and two-sided p of a mean of 0; values without variation leave nothing to test, unless they are not 0."""
    from scipy import stats
    if len(values) < 2:
        return math.nan, math.nan
    if np.ptp(values) == 0:
        return (math.copysign(math.inf, values[0]), 0.0) if values[0] else (math.nan, math.nan)
    result = stats.ttest_1samp(values, 0.0)
    return float(result.statistic), float(result.pvalue)


def bias_summary(perquery: pd.DataFrame) -> pd.DataFrame:
    """How biased each system is over its topics, by each measure.

    Source: Gezici et al. (2021), equation 4 and section 3.3 (MB, MAB, one-sample t-test); Lipani et al. (2021), table 1.

    :param perquery: ``name, qid, measure, value``, of bias measures without ``abs=True``
    :returns: ``name, measure`` and ``MB`` (mean), ``SB`` (sample standard deviation), ``MAB`` (mean of the absolute values),
        ``min``, ``max``, ``n`` (topics), ``p`` (two-sided one-sample t-test of a mean of 0; NaN where all values are 0 or
        there is one topic); NaN where no topic has a value
    """
    rows = []
    for (name, measure), group in per_query(perquery).groupby(["name", "measure"], sort=False):
        values = group["value"].dropna().to_numpy()
        rows.append({"name": name, "measure": measure, "MB": _mean(values),
                     "SB": values.std(ddof=1) if len(values) > 1 else math.nan, "MAB": _mean(abs(values)),
                     "min": values.min() if len(values) else math.nan, "max": values.max() if len(values) else math.nan,
                     "n": len(values), "p": _t_test(values.round(TIE_DECIMALS))[1]})
    return pd.DataFrame(rows, columns=["name", "measure", "MB", "SB", "MAB", "min", "max", "n", "p"])


def _mean(values: Floats) -> float:
    return float(values.mean()) if len(values) else math.nan


#: How many numbers a bootstrap may draw at a time.
BOOTSTRAP_CELLS = 1 << 22


def compare(perquery: pd.DataFrame, baseline: str, correction: str | None = "holm", confidence: float = 0.95,
            resamples: int = 9999, seed: int = 0) -> pd.DataFrame:
    """Every system against a baseline, by each measure: two-sided paired t-test over the topics that both have.

    Source: Gezici et al. (2021), section 3.3. To compare mean absolute biases, measure with ``abs=True``.

    :param perquery: ``name, qid, measure, value``
    :param baseline: the name of a system
    :param correction: a method of ``statsmodels.stats.multitest.multipletests``, over the systems compared by one measure, as
        ``pt.Experiment`` does it; or ``None``
    :param confidence: of the interval around the mean difference (bias-corrected and accelerated bootstrap over topics)
    :param resamples: of the bootstrap, which is the same for the same ``seed``
    :returns: ``name, measure, n`` (topics), ``baseline`` and ``mean`` (mean values), ``difference``, ``low, high`` (interval),
        ``effect`` (Cohen's d of the differences: their mean by their standard deviation), ``t, p, corrected, reject`` (at .05)
    :raises ValueError: the frame has no such baseline; a confidence outside of (0, 1)
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence={confidence!r}: it has to be above 0 and below 1, as in 0.95")
    frame = per_query(perquery)
    names = list(dict.fromkeys(frame["name"]))
    if baseline not in names:
        raise ValueError(f"no system is named {baseline!r}; the frame has {', '.join(map(repr, names))}")
    rows = []
    for measure, part in frame.groupby("measure", sort=False):
        table = part.pivot(index="qid", columns="name", values="value")
        if baseline not in table:
            raise ValueError(f"the baseline {baseline!r} has no values of {measure}")
        for name in (one for one in names if one != baseline and one in table):
            pairs = table[[baseline, name]].dropna()
            if len(pairs) < len(table):
                warn(f"{name} and {baseline} are compared by {measure} on the {len(pairs)} of {len(table)} topics that both "
                     "have")
            rows.append({"name": name, "measure": measure, "n": len(pairs), "baseline": pairs[baseline].mean(),
                         "mean": pairs[name].mean(),
                         **_difference((pairs[name] - pairs[baseline]).to_numpy(), confidence, resamples, seed)})
    columns = ["name", "measure", "n", "baseline", "mean", "difference", "low", "high", "effect", "t", "p"]
    result = pd.DataFrame(rows, columns=columns)
    corrected = result.groupby("measure", sort=False)["p"].transform(lambda p: _corrected(p, correction))
    return result.assign(corrected=corrected, reject=corrected < ALPHA)


def _difference(differences: Floats, confidence: float, resamples: int, seed: int) -> dict[str, float]:
    from scipy import stats
    differences = differences.round(TIE_DECIMALS)
    t, p = _t_test(differences)
    low = high = _mean(differences)
    if len(differences) < 2:
        low = high = effect = math.nan
    elif np.ptp(differences) == 0:
        effect = math.copysign(math.inf, differences[0]) if differences[0] else 0.0
    else:
        effect = float(differences.mean() / differences.std(ddof=1))
        interval = stats.bootstrap((differences,), np.mean, n_resamples=resamples, confidence_level=confidence,
                                   batch=max(1, BOOTSTRAP_CELLS // len(differences)),
                                   random_state=np.random.default_rng(seed)).confidence_interval
        low, high = float(interval.low), float(interval.high)
    return {"difference": _mean(differences), "low": low, "high": high, "effect": effect, "t": t, "p": p}


def _corrected(p_values: pd.Series, method: str | None) -> pd.Series:
    known = p_values.notna()
    if method is None or not known.any():
        return p_values
    from statsmodels.stats.multitest import multipletests
    corrected = p_values.copy()
    corrected[known] = multipletests(p_values[known], ALPHA, method)[1]
    return corrected


# ---------------------------------------------------------------------------------------------------------------------
# the collection


def _judgments(qrels: pd.DataFrame) -> Judgments:
    qid, docno, label = qrels_columns(qrels)
    return Judgments(qrels.rename(columns={qid: "query_id", docno: "doc_id", label: "relevance"}))


def _annotations(judgments: Judgments, source: Any) -> Annotations:
    from pt_fairness import groups
    return Annotations(judgments, None if source is None else groups.get(source))


def _tell(cause: str, message: str) -> None:
    warn(message)


def _without_run(annotations: Annotations) -> Rankings:
    """The topics as a run sees them that returns nothing."""
    nothing = pd.DataFrame({"query_id": pd.Series(dtype="str"), "doc_id": pd.Series(dtype="str"),
                            "score": pd.Series(dtype=float)})
    run = Run(nothing, annotations.judgments, _tell)
    return Rankings(run, annotations, *annotations.of_run(run, 0))


def group_distribution(qrels: pd.DataFrame, groups: str | Groups | None = None, rel: int = 1) -> pd.DataFrame:
    """How many relevant documents every topic has of every group, and how skewed that is: the potential bias of a collection.

    Source: Das & Lease (2019), section 5.1 and figure 1.

    :param qrels: ``qid, docno, label`` (or ir_measures' names) and, without ``groups``, ``iteration``
    :param groups: where the groups come from; by default ``iteration``
    :param rel: smallest relevance that counts
    :returns: ``qid, group, relevant, share, skew``: a row for every topic and group, and for all topics together (``qid`` is
        ``all``). A document of m groups counts 1/m towards each. ``skew`` is that of the topic: 0 where every group has as many
        documents, 1 where one group has all (one minus the entropy of the shares by its maximum); NaN without any
    """
    annotations = _annotations(_judgments(qrels), groups)
    if ALL_TOPICS in annotations.judgments.topics:
        raise ValueError(f"a topic is called {ALL_TOPICS!r}, which here means all of them; give it another name")
    view = _without_run(annotations)
    counts = view.relevant(rel) @ view.share
    counts = np.vstack([counts, counts.sum(axis=0)])
    total = counts.sum(axis=1)
    shares = numerics.ratio(counts, total[:, None])
    size = len(view.labels)
    skew = numerics.kl(shares, np.full(size, 1 / max(size, 1))) / (math.log2(size) if size > 1 else 1.0)
    return pd.DataFrame({"qid": np.repeat([*annotations.judgments.topics, ALL_TOPICS], size),
                         "group": view.labels * len(counts), "relevant": counts.reshape(-1), "share": shares.reshape(-1),
                         "skew": np.repeat(np.where(total > 0, np.maximum(skew, 0.0), np.nan), size)})


def parsed(measures: Any) -> list[Any]:
    if isinstance(measures, (str, ir_measures.Measure)):
        measures = [measures]
    return [ir_measures.parse_measure(one) if isinstance(one, str) else one for one in measures]


def without_groups(measures: Any, caller: str, labels: str) -> list[FairnessMeasure]:
    """Measures of this package that do not say where the groups come from.

    :param caller: the function that takes no others, for the error
    :param labels: where the groups come from there, for the error
    :raises ValueError: any other measure, a wrong parameter, no measure at all
    """
    wanted = parsed(measures)
    if not wanted:
        raise ValueError(f"measures={measures!r}: {caller} needs at least one measure")
    for measure in wanted:
        if not isinstance(measure, FairnessMeasure) or measure.param("groups") is not None:
            raise ValueError(f"{measure} is not possible here: {caller} takes measures of this package without a groups "
                             f"parameter; {labels}")
        measure.validate_params()
    return wanted


def undefined(qrels: pd.DataFrame, measures: Any) -> pd.DataFrame:
    """Which topics are undefined for which measure: those whose population is empty, or has one group where it takes two.

    Their value is 0.0 for every system (NaN for topics that a group source drops). To leave them out of a study::

        frame = perquery.astype({"qid": "str"})  # topics are numbers in a frame that was read from a file
        kept = frame.merge(undefined(qrels, measures), how="left", indicator=True).query("_merge == 'left_only'")

    :param qrels: ``qid, docno, label, iteration`` (or ir_measures' names)
    :param measures: measures or their names; those of other packages are always defined here
    :returns: ``qid, measure``, a row for each undefined pair
    """
    judgments = _judgments(qrels)
    sources: dict[Any, tuple[Annotations, Rankings]] = {}
    rows = []
    for measure in (one for one in parsed(measures) if isinstance(one, FairnessMeasure)):
        measure.validate_params()
        source = measure.param("groups")
        if source not in sources:
            annotations = _annotations(judgments, source)
            sources[source] = annotations, _without_run(annotations)
        annotations, view = sources[source]
        annotations.check(measure, _tell)
        nothing = np.isnan(measure.scores(view))
        if annotations.groups is not None and annotations.groups.topics is not None:
            nothing |= ~np.isin(judgments.topics, annotations.groups.topics)
        rows += [(judgments.topics[topic], str(measure)) for topic in np.flatnonzero(nothing)]
    return pd.DataFrame(rows, columns=["qid", "measure"], dtype="str")


def _ranked(run: pd.DataFrame, judgments: Judgments) -> Run:
    return Run(run.rename(columns={"qid": "query_id", "docno": "doc_id"}), judgments, _tell)


def ranked_groups(runs: Mapping[str, pd.DataFrame], qrels: pd.DataFrame, groups: str | Groups | None = None,
                  depth: int | None = 10) -> pd.DataFrame:
    """The groups of the first documents of every list, in the order in which the measures see them: trec_eval's.

    :param runs: frames by system name (``qid, docno, score``, or ir_measures' names)
    :param qrels: ``qid, docno, label`` (or ir_measures' names) and, without ``groups``, ``iteration``
    :param groups: where the groups come from; by default ``iteration``
    :param depth: how many documents of a list; ``None`` for all
    :returns: ``name, qid, rank`` (1, 2, …), ``docno, label`` (0 where it is not judged), ``group``: a row for each of a
        document's groups; one without a group where it has none
    """
    annotations = _annotations(_judgments(qrels), groups)
    judgments = annotations.judgments
    parts = []
    for name, frame in runs.items():
        run = _ranked(frame, judgments)
        codes, _ = annotations.of_run(run, depth)
        rows = np.flatnonzero(run.place < (math.inf if depth is None else depth))
        member = annotations.sets.member(annotations.labels)[codes[rows]] & (codes[rows] >= 0)[:, None]
        member = np.column_stack([member, ~member.any(axis=1)])
        document, label = np.nonzero(member)
        rows = rows[document]
        pair = run.pair[rows]
        parts.append(pd.DataFrame({
            "name": name, "qid": np.array(judgments.topics, dtype=object)[run.topic[rows]], "rank": run.place[rows] + 1,
            "docno": run.docnos(rows), "label": np.where(pair >= 0, judgments.relevance[pair], 0),
            "group": pd.Series(np.array([*annotations.labels, None], dtype=object)[label], dtype="str")}))
    columns = ["name", "qid", "rank", "docno", "label", "group"]
    return pd.concat(parts, ignore_index=True) if parts else pd.DataFrame(columns=columns)


# ---------------------------------------------------------------------------------------------------------------------
# wrong labels


class _Relabelled:
    """Annotations of which some are replaced.

    :param codes: ``[pairs]``, the label set of each judged pair where it is replaced, −1 elsewhere
    """

    def __init__(self, annotations: Annotations, codes: Ints) -> None:
        self._annotations, self._codes = annotations, codes
        self.judgments, self.sets, self.labels = annotations.judgments, annotations.sets, annotations.labels

    def relevant(self, rel: int) -> Ints:
        """As :meth:`Annotations.relevant`."""
        codes = self._annotations.relevant(rel)
        return np.where((self._codes >= 0) & (codes >= 0), self._codes, codes)


class _Noise:
    """Draws wrong labels for the annotated documents of the qrels and of some runs; a document that several runs return
    for a topic is one document.
    """

    def __init__(self, annotations: Annotations, runs: Sequence[Run]) -> None:
        self._annotations = annotations
        judged = annotations.judged
        # The whole lists: what is drawn must not depend on how deep the measures look.
        listed = [annotations.of_run(run, None) for run in runs]
        new = [np.flatnonzero((run.pair < 0) & (codes >= 0)) for run, (codes, _) in zip(runs, listed, strict=True)]
        docnos = np.concatenate([run.docnos(rows) for run, rows in zip(runs, new, strict=True)])
        topic = np.concatenate([run.topic[rows] for run, rows in zip(runs, new, strict=True)])
        unjudged = PairIndex(topic, words_of(pd.Series(docnos, dtype="str")))
        self._pairs = len(judged)
        self._codes = np.concatenate([judged, np.concatenate(
            [codes[rows] for rows, (codes, _) in zip(new, listed, strict=True)])[unjudged.first]])
        #: Per run: the run, its documents' label sets, the number of each document, the lengths of its lists.
        self._runs = []
        start = 0
        for run, rows, (codes, length) in zip(runs, new, listed, strict=True):
            item = run.pair.astype(np.int64)
            item[rows] = self._pairs + unjudged.pair[start:start + len(rows)]
            start += len(rows)
            self._runs.append((run, codes, item, length))
        own = annotations.sets.label_codes(annotations.labels)
        #: The label set of each label alone.
        self._alone = annotations.sets.code(np.arange(len(own)), own, len(own))
        self._member = annotations.sets.member(annotations.labels)
        annotated = np.flatnonzero(np.append(self._member.any(axis=1), False)[self._codes])
        # In an order that neither the rows nor the runs have a part in.
        topics = np.argsort(np.argsort(annotations.judgments.topics))
        topic = np.concatenate([annotations.judgments.topic, topic[unjudged.first]])[annotated]
        docnos = np.concatenate([annotations.judgments.docnos(slice(None)), docnos[unjudged.first]])[annotated]
        words = words_of(pd.Series(docnos, dtype="str"))
        self._annotated = annotated[np.lexsort((*words.T[::-1], topics[topic]))]

    def draw(self, eps: float, rng: np.random.Generator) -> list[Rankings]:
        """What the measures see of each run if a share ``eps`` of the annotated documents has one other label instead.

        With the same generator, what is wrong for a smaller ``eps`` is wrong, in the same way, for a larger one.
        """
        wrong = rng.permutation(self._annotated)[:round(eps * len(self._annotated))]
        keys = np.where(self._member[self._codes[wrong]], -1.0, rng.random((len(wrong), self._member.shape[1])))
        replaced = np.full(len(self._codes) + 1, -1)
        replaced[wrong] = self._alone[keys.argmax(axis=1)]
        annotations = _Relabelled(self._annotations, replaced[:self._pairs])
        return [Rankings(run, annotations, np.where(replaced[item] >= 0, replaced[item], codes), length)
                for run, codes, item, length in self._runs]


def label_noise(runs: Mapping[str, pd.DataFrame], qrels: pd.DataFrame, measures: Any, groups: str | Groups | None,
                eps: float | Sequence[float], n: int = 100, seed: int = 0) -> pd.DataFrame:
    """How far measures, and the order of the systems, move if a share of the group labels is wrong.

    Automatic and crowd-sourced labels are: the limitation that Draws et al. (2021), section 5.3, name first. ``n`` times, a
    share ``eps`` of the annotated (topic, document) pairs, judged or retrieved, gets one label that it does not have, each
    with the same probability. All systems and all measures see the same wrong labels, so what a measure's row says does not
    depend on the other measures, nor on any order. Prints a progress bar.

    :param runs: frames by system name (``qid, docno, score``, or ir_measures' names)
    :param qrels: ``qid, docno, label`` (or ir_measures' names) and, without ``groups``, ``iteration``
    :param measures: of this package, without a ``groups`` parameter
    :param groups: where the true labels come from; ``None`` for ``iteration``
    :param eps: one share or several, in [0, 1]
    :param n: how many times the labels are drawn, at least 2
    :param seed: the same seed gives the same result
    :returns: ``eps, measure, bias, sd, tau``: the mean change of a system's mean value, the standard deviation of that value
        over the draws (the mean of both over the systems), and the mean of Kendall's τ between the systems' true and wrong
        values over the draws that have one: NaN where none has (one system, or the same value of all). A topic that is
        undefined has the value 0.0, with a warning
    :raises ValueError: a measure that is not possible, fewer than two labels, a share outside of [0, 1]
    """
    from tqdm import tqdm
    wanted = without_groups(measures, "label_noise", "say with groups= where the labels come from")
    shares = np.atleast_1d(np.asarray(eps, float)).tolist()
    if not all(0 <= share <= 1 for share in shares):
        raise ValueError(f"eps={eps!r}: each share of wrong labels has to be in [0, 1]")
    if n < 2:
        raise ValueError(f"n={n}: at least two draws are needed for a standard deviation")
    if not runs:
        raise ValueError("label_noise needs at least one run")
    annotations = _annotations(_judgments(qrels), groups)
    if annotations.groups is not None and annotations.groups.topics is not None:  # the others drop out
        kept = annotations.groups.to_qrels(qrels)
        if kept.empty:
            raise ValueError(f"{annotations.groups!r} drops all topics of the qrels")
        annotations = _annotations(_judgments(kept), groups)
    if len(annotations.labels) < 2:
        raise ValueError(f"a wrong label needs two labels, and there is {', '.join(annotations.labels) or 'none'}")
    for measure in wanted:
        annotations.check(measure, _tell)
    noise = _Noise(annotations, [_ranked(frame, annotations.judgments) for frame in runs.values()])
    undefined_topics = dict.fromkeys(wanted, 0)

    def means(views: list[Rankings]) -> Floats:
        scores = np.array([[measure.scores(view) for view in views] for measure in wanted])
        for measure, count in zip(wanted, np.isnan(scores).sum(axis=2).max(axis=1), strict=True):
            undefined_topics[measure] = max(undefined_topics[measure], int(count))
        return np.asarray(np.nan_to_num(scores).mean(axis=2))

    true = means(noise.draw(0.0, np.random.default_rng(seed)))
    rows = []
    with tqdm(total=len(shares) * n, desc="label noise", unit="draw") as bar:
        for share in shares:
            draws = []
            for i in range(n):
                draws.append(means(noise.draw(share, np.random.default_rng([seed, i]))))
                bar.update()
            values = np.array(draws)
            for m, measure in enumerate(wanted):
                taus = [tau for tau in (_tau(true[m], drawn) for drawn in values[:, m]) if not math.isnan(tau)]
                rows.append({"eps": share, "measure": str(measure), "bias": (values[:, m] - true[m]).mean(),
                             "sd": values[:, m].std(axis=0, ddof=1).mean(), "tau": _mean(np.array(taus))})
    if any(undefined_topics.values()):
        warn("topics with nothing to compare with have the value 0.0, for every system: "
             + ", ".join(f"{measure} on up to {count} of {len(annotations.judgments.topics)} topics"
                         for measure, count in undefined_topics.items() if count))
    return pd.DataFrame(rows, columns=["eps", "measure", "bias", "sd", "tau"])


def _tau(x: Floats, y: Floats) -> float:
    from scipy import stats
    if is_constant(x) or is_constant(y):
        return math.nan
    return float(stats.kendalltau(x.round(TIE_DECIMALS), y.round(TIE_DECIMALS)).statistic)
