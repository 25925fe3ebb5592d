"""Evaluation of many runs against the same qrels, and its tables.

The tables are averages with comparisons, reference rankings, and values per topic. A topic counts 0
in an average if it has nothing to compare with, or no results by a measure that gives an empty list
0: ``FairnessEvaluator`` in ``provider/evaluator.py`` makes the values.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

from pt_fairness.analysis.columns import (
    ALPHA,
    BROKEN,
    COMPARISON,
    CORRECTED,
    CORRECTION,
    DROPPED,
    FRONTS,
    HIGH,
    INTERVAL,
    LEAST_TESTED,
    LOSSES,
    LOW,
    ORACLES,
    P_VALUE,
    REFERENCES,
    REJECT,
    SYSTEMS,
    TIE_DECIMALS,
    TOLERANCE,
    UNDEFINED,
    UNDEFINED_EVERYWHERE,
    VERDICT,
    WINS,
    by_name,
    is_per_query,
    split_suffix,
)
from pt_fairness.analysis.columns import highlight as highlighted
from pt_fairness.analysis.formats import rename
from pt_fairness.analysis.fronts import front_of, headroom, is_relevance, reason_against
from pt_fairness.analysis.inference import check, compare, intervals, randomisation
from pt_fairness.analysis.reference_orders import KINDS, reference_rankings
from pt_fairness.analysis.runs_and_qrels import is_of_groups
from pt_fairness.analysis.significance import corrected
from pt_fairness.core.arrays import Floats
from pt_fairness.core.identifiers import IR_MEASURES, texts_of
from pt_fairness.core.messages import (
    MOST_DECIMALS,
    at_least,
    collecting_warnings,
    first_names,
    listed,
    one_of,
    shown,
    warn,
)
from pt_fairness.evaluation.plan import Plan, inputs_of, make_plan, oracles, position, refuse_pipes
from pt_fairness.evaluation.workers import Scorer, make_parallel, scores_of_runs
from pt_fairness.io.run_files import NamedRuns, RunInputs
from pt_fairness.provider.evaluator import QuickEvaluator
from pt_fairness.provider.measure_lists import refuse_unknown

#: The tests of the comparisons, in words.
TESTS = {"t": "two-sided paired t-test", "randomisation": "two-sided randomisation test"}
#: The number of resamples of a randomisation test.
RESAMPLES = 9999
#: The measures that pt.Experiment sums over the topics; it averages all others.
SUMMED = frozenset({"NumQ", "NumRel", "NumRet", "NumRelRet"})
#: The largest number of lists of all topics that a front of an evaluation compares.
MOST_LISTS = 4_000_000
#: The names of the rows of reference rankings, by kind.
ROWS = dict(zip(KINDS, ("[random order]", "[proportional]", "[largest group first]",
                        "[smallest group first]"), strict=True))


def evaluate(runs: RunInputs, qrels: Any = None, measures: Any = None,
             experiment_measures: Any = None, *, topics: Any = None, groups: Any = None,
             labels: Mapping[Any, str] | None = None, names: Sequence[str] | None = None,
             baseline: int | str | None = None,
             correction: str | None = CORRECTION, perquery: bool | Literal["both"] = "both",
             highlight: str | None = None, round: int | Mapping[Any, int] | None = None,
             n_jobs: int = 1, progress: bool = True,
             test: Literal["t", "randomisation"] = "t", confidence: float | None = None,
             references: bool | Sequence[str] = False,
             tolerance: float | Mapping[Any, float] | None = None,
             undefined: Literal["count", "drop"] = "count", seed: int = 0) -> Any:
    """Evaluate any number of runs, as ``pt.Experiment`` would.

    Each run is read once, and at most ``n_jobs`` runs are in memory at a time. A run that cannot be
    read or scored does not stop the others; one warning names all such runs with their errors. The
    page :doc:`experiments` says how runs are named, how processes and clusters are used, what
    differs from ``pt.Experiment``, and what the tables have in ``attrs``.

    :param runs: a run, a sequence of runs, or a dictionary from names to runs. A run is the path
        of a file (see :func:`read_run`); a frame with ``qid, docno`` and ``score`` or else ``rank``
        (or ir_measures' names); a dictionary ``{qid: {docno: score}}`` or a list of ``ScoredDoc``,
        as of ir_measures; or a PyTerrier transformer. A frame with several rankings of a topic has
        the column ``iteration``, the sample of each row. Outside a dictionary, a pattern such as
        ``runs/*.gz`` stands for several files.
    :param qrels: a TREC qrels file, the id of a dataset of ir_datasets (with ``irds:`` in front or
        not), a dataset of ``pt.get_dataset``, or a frame with ``qid, docno, label`` and, if it has
        groups, ``iteration`` (or ir_measures' names). Averages are over its topics. ``None`` for
        measures whose value depends on no judged document, such as AWRF and NDKL with their default
        target: the topics are then those of the runs.
    :param measures: measures of ir_measures or of this package, or their names
    :param experiment_measures: the measures, where the arguments are in the order of
        ``pt.Experiment``: ``evaluate(systems, topics, qrels, measures)``
    :param topics: the topics of transformers: a frame ``qid, query``, a dataset of
        ``pt.get_dataset``, an id of ir_datasets, or the path of a file. As in ``pt.Experiment``,
        the qrels of other topics are left out; a warning says so.
    :param groups: the group source of the measures whose parameter ``groups`` is not set, and the
        subtopics of α-nDCG and the other measures of ndeval: the name of registered groups, the
        path of a group file, a Groups object, or what :func:`pt_fairness.groups.from_mapping` and
        :func:`~pt_fairness.groups.from_frame` take (a dictionary, a Series, a DataFrame). It is not
        in the names of the columns. Without it, and without groups in ``iteration``, groups are
        those of a column ``group`` of the frames of runs and qrels; a warning says so.
    :param labels: a dictionary from measures to the names of their columns, as :func:`rename` takes
    :param names: a name for each run, in their order, where ``runs`` is no dictionary
    :param baseline: the run to test the others against: its position, name or path
    :param correction: the correction of the p-values for several systems, a method of
        ``statsmodels.stats.multitest.multipletests``; ``None`` for none, the default of
        ``pt.Experiment``. Each measure is corrected separately. A system that is equal to the
        baseline and a run that could not be evaluated count as p = 1.
    :param perquery: which tables to return: ``'both'``, the averages and the values per topic;
        ``False``, the averages; ``True``, the values per topic
    :param highlight: ``'bold'`` or ``'color'`` marks the best averages, which are then a pandas
        Styler, as :func:`highlight` does
    :param round: the decimals of the values, or a dictionary from measures to decimals. The tests
        use values that are not rounded.
    :param n_jobs: the number of processes, at most one for each run; −1 for all processors. With 1,
        ``joblib.parallel_config`` sets it; outside such a block, this process evaluates all runs.
    :param progress: whether to show a progress bar on standard error
    :param test: ``'t'``, a two-sided paired t-test, or ``'randomisation'``, as of
        :func:`pt_fairness.analysis.compare` with 9,999 resamples
    :param confidence: the confidence level of intervals of the averages: after each measure ``X``,
        the columns ``X low`` and ``X high``, as of :func:`pt_fairness.analysis.intervals` (a BCa
        bootstrap over topics). NaN for measures that are summed, such as ``NumRel``
    :param tolerance: the difference from the baseline that does not matter, or a dictionary from
        measures to it: the column ``X verdict`` is ``within``, ``exceeds`` or ``inconclusive``, as
        of :func:`pt_fairness.analysis.compare`
    :param undefined: ``'drop'`` leaves the topics for which a measure of this package is undefined
        for every run out of its averages, tests and intervals; they are NaN per topic. A topic that
        is undefined for one run alone keeps the value 0.0
    :param references: whether the averages have a row for each kind of
        :func:`pt_fairness.reference_rankings` below the systems, or a list of kinds. They have
        values of the measures that compare the groups of one source, and are never tested, ranked
        or marked as the best. A note of the table then says how fair the most relevant system
        could have been at its relevance (:func:`pt_fairness.analysis.frontier`)
    :param seed: the seed of what is drawn: intervals, the randomisation test and references
    :returns: the averages and the values per topic. The averages are those of ``pt.Experiment``:
        ``name``, a column for each measure and, with a baseline, ``+``, ``-`` (topics with a larger
        and a smaller value), ``p-value`` and, with a correction, ``reject`` (at .05, and
        never with fewer than six topics) and ``p-value corrected`` of each; rows in the order of
        the runs. The values are those of
        ``pt.Experiment(perquery=True)``: ``name, qid, measure, value``, sorted by name and topic. A
        topic for which a measure of this package is undefined has 0.0; a topic that a group source
        drops is NaN, and the averages exclude it. The average of a measure that is undefined for
        all topics is NaN, and it is not compared.
    :raises ValueError: no runs, two of the same name, transformers without topics or topics without
        transformers, an option, a measure, a group source or qrels that are wrong or do not go
        together, an unknown baseline, a label or a group source that no document has, a pipe for
        several processes, or no run that could be evaluated
    :raises ImportError: several processes without joblib

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import evaluate
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["d1", "d2"], "label": 1,
    ...                       "iteration": ["PRO", "CON"]})
    >>> run = pd.DataFrame({"qid": "1", "docno": ["d2", "d1"], "score": [2.0, 1.0]})
    >>> averages, perquery = evaluate({"mine": run}, qrels, ["nDCG@2", "AWRF@2"], progress=False)
    >>> averages.round(3)
       name  nDCG@2  AWRF@2
    0  mine     1.0   0.991
    """
    one_of("perquery", perquery, ["both", True, False])
    if perquery is True and (baseline is not None or highlight is not None):
        raise ValueError("baseline and highlight are for the averages, which perquery=True leaves "
                         "out; use perquery='both' or False")
    options = Options(baseline, correction, test, confidence, references, tolerance, undefined,
                      labels, seed)
    if highlight is not None:
        one_of("highlight", highlight, list(_STYLES))
    if options.kinds and qrels is None:
        raise ValueError("references hold the relevant documents, so they need qrels")
    by_name, judged, measures, groups = inputs_of(
        runs, qrels, measures, experiment_measures, topics, groups, names, progress)
    averages, by_topic, _ = evaluated(by_name, judged, measures, groups, options, n_jobs, progress,
                                      averaged=perquery is not True)
    tables = [averages, by_topic]
    if perquery != "both":
        tables = [by_topic if perquery else averages]
    for i, table in enumerate(tables):
        if round is not None:
            table = rounded(table, round)
        if labels is not None:
            table = rename(table, labels)
        tables[i] = table
    if highlight is not None:
        style = _STYLES[highlight]
        tables[0] = highlighted(tables[0], style)
    if perquery == "both":
        return tuple(tables)
    return tables[0]


@dataclass
class Options:
    """The options of the tables, which are those of :func:`pt_fairness.evaluate`.

    :raises ValueError: an option is not possible, or two do not go together
    """

    baseline: int | str | None
    correction: str | None
    test: str
    confidence: float | None
    references: bool | Sequence[str]
    tolerance: float | Mapping[Any, float] | None
    undefined: str
    labels: Mapping[Any, str] | None
    seed: int
    #: The kinds of reference rankings, in the order of the rows.
    kinds: list[str] = field(init=False)

    def __post_init__(self) -> None:
        at_least(0, "seed", self.seed)
        one_of("test", self.test, list(TESTS))
        one_of("undefined", self.undefined, ("count", "drop"))
        if self.tolerance is not None and self.baseline is None:
            raise ValueError(f"tolerance={shown(self.tolerance)} is of differences from a "
                             "baseline; give one, too")
        if self.correction not in (None, CORRECTION):
            if self.baseline is None:
                raise ValueError(f"correction={shown(self.correction)} corrects comparisons with "
                                 "a baseline; give one, too")
            corrected(pd.Series([1.0]), self.correction)  # checks it
        if self.confidence is not None:
            check(self.confidence, RESAMPLES)
        if not isinstance(self.labels, Mapping | None):
            raise ValueError(f"labels={shown(self.labels)} is a {type(self.labels).__name__}; it "
                             "has to be a dictionary from measures to labels")
        kinds: Any = self.references
        if isinstance(kinds, bool):
            kinds = KINDS if kinds else []
        elif isinstance(kinds, str):
            kinds = [kinds]
        if not {*kinds} <= {*KINDS}:
            raise ValueError(f"references={shown(self.references)} is not possible; it takes True, "
                             f"False or a list of {listed(KINDS)}")
        self.kinds = [kind for kind in KINDS if kind in kinds]


def evaluated(runs: NamedRuns, qrels: pd.DataFrame, measures: Sequence[Any], groups: Any,
              options: Options, n_jobs: int, progress: bool,
              averaged: bool = True) -> tuple[Any, pd.DataFrame, Scorer]:
    """Return the averages, the values per topic, and what scored the runs.

    The parameters are those of :func:`pt_fairness.evaluate`.

    :param averaged: whether to return averages, not ``None``
    """
    systems = list(runs)
    base = None
    if options.baseline is not None:
        place = position(options.baseline, runs)
        base = systems[place]
    parallel = make_parallel(n_jobs, len(systems))
    workers = 1
    if parallel is not None:
        refuse_pipes(runs)
        workers = parallel.n_jobs
    plan = make_plan(qrels, measures, workers, groups)
    scorer = Scorer(plan)
    refuse_unknown([scorer.warnings])
    scores, broken = scores_of_runs(scorer, runs, parallel, progress)
    errors = [f"{name} ({error})" for name, error in broken.items()]
    if not scores:
        raise ValueError(f"no run could be evaluated: {first_names(errors, '; ')}")
    refuse_unknown([run.warnings for run in scores.values()])
    messages = {name: run.warnings for name, run in scores.items() if run.warnings}
    if messages:
        _warn_once(messages, len(systems), options.undefined)
    if broken:
        nothing = f"; {base} is the baseline, so nothing is compared" if base in broken else ""
        warn(f"{len(broken)} of {len(systems)} runs could not be evaluated and are missing from "
             f"the tables: {first_names(errors, '; ')}{nothing}")
    attrs: dict[Any, Any] = scorer.facts(scores)
    attrs[SYSTEMS] = tuple(systems)
    attrs[BROKEN] = broken
    attrs[ORACLES] = []
    if runs.systems:
        attrs[ORACLES] = oracles(runs.systems, plan.measures, plan.qrels)
    values = {name: run.values for name, run in scores.items()}
    if options.undefined == "drop":
        attrs[DROPPED] = True
        for of_run in values.values():
            for column, topics in attrs[UNDEFINED].items():
                of_run.loc[of_run.index.isin(topics), column] = np.nan
    if base in values:
        attrs[COMPARISON] = {"baseline": base, "test": TESTS[options.test], "alpha": ALPHA,
                             "correction": options.correction, "systems": len(systems) - 1}
    if options.confidence is not None:
        attrs[INTERVAL] = {"method": "bca", "confidence": options.confidence}
    by_topic = pd.concat(values, names=["name", "qid"]).sort_index()
    by_topic.columns.name = "measure"
    by_topic = by_topic.stack(future_stack=True)
    by_topic = by_topic.rename("value").reset_index()
    by_topic.attrs = attrs
    if not averaged:
        return None, by_topic, scorer
    averages = averages_of(values, by_topic, base, options)
    if options.kinds:
        rows = reference_rows(plan, options, attrs[UNDEFINED])
        everywhere = list(attrs[UNDEFINED_EVERYWHERE])
        rows[everywhere] = np.nan
        averages = with_rows(averages, rows)
        by_topic.attrs[REFERENCES] = tuple(rows["name"])
        by_topic.attrs[FRONTS] = fronts_of(plan.qrels, plan.measures, plan.columns, by_topic)
    averages.attrs = by_topic.attrs
    return averages, by_topic, scorer


#: The CSS of the values of ``highlight``, as in pt.Experiment.
_STYLES = {"bold": "font-weight: bold", "color": "background-color: lightgreen",
           "colour": "background-color: lightgreen"}


def _warn_once(issued: Mapping[str, Sequence[tuple[str, str]]], runs: int,
               undefined: str) -> None:
    """Warn once for each cause, with the names of the runs that it applies to.

    :param issued: the causes and messages of the warnings of each run
    :param runs: the number of runs, with those that could not be evaluated
    """
    causes: dict[str, dict[str, list[str]]] = {}
    for name, of_run in issued.items():
        for cause, message in dict.fromkeys(of_run):
            causes.setdefault(cause, {}).setdefault(message, []).append(name)
    for cause, messages in causes.items():
        (message, names), *rest = messages.items()
        if undefined == "drop":
            message = message.replace("have the value 0.0, for every system", "are left out")
        if len(names) < runs:
            of_rest = itertools.chain(*dict(rest).values())
            similar = first_names(list(of_rest))
            similarly = f"; similarly {similar}" if similar else ""
            plural = "s" if len(names) > 1 else ""
            message += f" (run{plural} {first_names(names)}{similarly})"
        warn(message, cause)


def averages_of(values: Mapping[str, pd.DataFrame], by_topic: pd.DataFrame, baseline: str | None,
                options: Options) -> pd.DataFrame:
    """Return ``name``, the average of each measure and what the options add to it.

    :param values: the values of each system, with a row for each topic
    :param by_topic: the same as ``name, qid, measure, value``, with the facts of the evaluation,
        to which the tolerance of each measure is added
    :param baseline: the name of the baseline
    """
    everywhere = list(by_topic.attrs[UNDEFINED_EVERYWHERE])
    systems = list(values)
    columns = values[systems[0]].columns
    of_systems = [means_of(values[name]) for name in systems]
    means = pd.DataFrame(of_systems, systems, columns)
    means[everywhere] = np.nan
    # The columns of each measure, by their suffix.
    parts = {"": means}
    if options.confidence is not None:
        limits = intervals(by_topic, confidence=options.confidence, seed=options.seed)
        for end, suffix in (("low", LOW), ("high", HIGH)):
            ends = limits.pivot(index="name", columns="measure", values=end)
            ends[ends.columns.intersection([*SUMMED, *everywhere])] = np.nan
            parts[suffix] = ends
    tests = {}
    if baseline is not None:
        failed = len(by_topic.attrs[BROKEN])
        tests = _comparisons(values, everywhere, baseline, options, failed)
    if options.tolerance not in (None, {}) and baseline in values:
        compared = compare(by_topic, baseline, None, resamples=1, tolerance=options.tolerance)
        compared = compared.dropna(subset="tolerance")
        tests[VERDICT] = compared.pivot(index="name", columns="measure", values="verdict")
        by_topic.attrs[TOLERANCE] = compared.set_index("measure")["tolerance"].to_dict()
    table = {"name": pd.Index(systems, dtype="str")}
    for by_suffix in (parts, tests):
        for column in means:
            for suffix, part in by_suffix.items():
                if column in part:
                    table[column + suffix] = part[column]
    averages = pd.DataFrame(table, systems)
    return averages.reset_index(drop=True)


def _comparisons(values: Mapping[str, pd.DataFrame], undefined: Sequence[str], baseline: str,
                 options: Options, failed: int) -> dict[str, pd.DataFrame]:
    """Return the numbers of each system against the baseline, by the suffix of their columns.

    :param undefined: the columns of the measures that are undefined for all topics
    :param failed: the number of runs that could not be evaluated, each of which counts as p = 1
    """
    systems = list(values)
    compared = [name for name in systems if name != baseline]
    first = values[systems[0]]
    tests = np.full((3, len(systems), len(first.columns)), np.nan)
    for place, name in enumerate(systems):
        if name in compared and baseline in values:
            tests[:, place] = _compare(values[name], values[baseline], options)
    tests[:, :, first.columns.isin(undefined)] = np.nan
    wins, losses, p_values = (pd.DataFrame(of_test, systems, first.columns) for of_test in tests)
    parts = {WINS: wins, LOSSES: losses, P_VALUE: p_values}
    if options.correction is not None:
        family = p_values.reindex([*compared, *range(failed)])
        columns = {column: corrected(family[column], options.correction) for column in family}
        corrected_p = pd.DataFrame(columns).reindex(systems)
        parts[REJECT] = (corrected_p < ALPHA) & (first.count() >= LEAST_TESTED)
        parts[CORRECTED] = corrected_p
    return parts


def means_of(values: pd.DataFrame) -> Floats:
    """Return the mean of each measure over the topics with a value, ``[measures]``.

    The measures in :data:`SUMMED` are summed.

    :param values: a row for each topic and a column for each measure
    """
    numbers = values.to_numpy()
    is_summed = values.columns.isin(SUMMED)
    count = (~np.isnan(numbers)).sum(axis=0)
    count[is_summed] = 1
    # Sum sequentially, as pt.Experiment does: numpy's sum is rounded differently.
    sums = np.nancumsum(numbers, axis=0)[-1]
    means = sums / np.maximum(count, 1)
    return np.where(count > 0, means, np.nan)


def _compare(values: pd.DataFrame, baseline: pd.DataFrame, options: Options) -> Floats:
    """Return the numbers of wins and losses by topic, and the p-value, ``[3, measures]``."""
    from scipy import stats
    values = values.reindex(baseline.index)
    ours = np.ascontiguousarray(values.T)
    theirs = np.ascontiguousarray(baseline.T)
    wins = (ours > theirs).sum(axis=1)
    losses = (ours < theirs).sum(axis=1)
    if options.test == "randomisation":
        differences = (values - baseline).sort_index().round(TIE_DECIMALS)
        p_values = randomisation(differences.to_numpy(), RESAMPLES, options.seed)
        return np.array([wins, losses, p_values])
    with np.errstate(all="ignore"), warnings.catch_warnings():
        # scipy warns of runs that are almost equal. The p-value of equal runs is NaN.
        warnings.filterwarnings("ignore", category=RuntimeWarning)
        p_values = stats.ttest_rel(ours, theirs, axis=1, nan_policy="omit").pvalue
    return np.array([wins, losses, p_values])


def reference_rows(plan: Plan, options: Options,
                   undefined: Mapping[str, Sequence[str]]) -> pd.DataFrame:
    """Return ``name`` and the mean value of each measure for each kind of reference rankings.

    The rankings are made for each group source of the measures, and not cut. Measures that do not
    compare the groups of one source have no value. A topic without reference rankings, because no
    relevant document has a group, is left out where the measure is defined, with a warning. Topics
    for which a measure is undefined count 0, or are left out, as for the systems.

    :param undefined: the topics for which a measure is undefined, by its column
    """
    by_source: dict[Hashable, dict[Any, str]] = {}
    for measure, column in zip(plan.measures, plan.columns, strict=True):
        if is_of_groups(measure):
            sources = {part.param("groups") for part in measure.parts if part.needs_groups}
            if len(sources) == 1:
                by_source.setdefault(sources.pop(), {})[measure] = column
    rows = [ROWS[kind] for kind in options.kinds]
    means = pd.DataFrame(np.nan, rows, plan.columns)
    unranked = set()
    with collecting_warnings():  # the evaluation has issued them
        for source, columns in by_source.items():
            evaluator = QuickEvaluator(list(columns), plan.qrels)
            runs = reference_rankings(plan.qrels, groups=source, kinds=options.kinds,
                                      seed=options.seed)
            for kind, run in runs.items():
                frame = run.rename(columns=IR_MEASURES)
                values = pd.DataFrame(evaluator.iter_calc(frame))
                values["measure"] = values["measure"].map(columns)
                topics = values["query_id"].unique()
                values = values.pivot(index="query_id", columns="measure", values="value")
                values = values.loc[topics]
                is_ranked = np.isin(topics, texts_of(frame["query_id"]))
                for column in values:
                    is_undefined = np.isin(topics, undefined.get(column, ()))
                    lacking = ~is_ranked & ~is_undefined
                    unranked.update(topics[lacking])
                    if options.undefined == "drop":
                        lacking |= is_undefined
                    values.loc[lacking, column] = np.nan
                means.loc[ROWS[kind], values.columns] = means_of(values)
    if unranked:
        warn(f"the rows of reference rankings leave out {len(unranked)} topics, such as "
             f"{min(unranked)!r}, which have no relevant document with a group; the "
             "averages of the systems have them")
    return means.rename_axis("name").reset_index()


def fronts_of(qrels: pd.DataFrame, measures: Sequence[Any], columns: Sequence[str],
              perquery: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the fronts of the measures of an evaluation, as :data:`FRONTS` describes them.

    Pairs of measures without a front are left out, and those whose front takes long.

    :param columns: the name of each measure in ``perquery``
    :param perquery: the values per topic
    """
    fronts = []
    for (i, relevance), (j, fairness) in itertools.product(enumerate(measures), repeat=2):
        if not is_relevance(relevance) or reason_against(fairness):
            continue
        try:
            with collecting_warnings():  # the evaluation has issued them
                front = front_of(qrels, relevance, fairness, most=MOST_LISTS)
        except ValueError:
            continue
        names = [columns[i], columns[j]]
        front = front.set_axis(names, axis=1)
        table = headroom(perquery, front).set_index("name")
        table["now"] = table[columns[j]]
        systems = table[["now", "fairest", "headroom"]].to_dict("index")
        fronts.append({"relevance": i, "fairness": j, "vertices": front.to_numpy().tolist(),
                       "systems": systems})
    return fronts


def with_rows(averages: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Return averages with rows below them that have no comparisons and no intervals."""
    rejected = [column for column in averages.columns if column.endswith(REJECT)]
    rows = rows.reindex(columns=averages.columns)
    rows[rejected] = False
    rows = rows.astype(averages.dtypes)
    return pd.concat([averages, rows], ignore_index=True)


def rounded(table: pd.DataFrame, digits: int | Mapping[Any, int]) -> pd.DataFrame:
    """Return a table with the values of measures rounded, as ``pt.Experiment(round=…)`` does.

    :param digits: the number of decimals, of all measures or by measure
    :raises ValueError: a number that is not possible, or a measure that the table does not have
    """
    decimals = by_name(digits, table)
    for count in decimals.values():
        at_least(0, "round", count, most=MOST_DECIMALS)
    if is_per_query(table):
        value = table["value"]
        for name, count in decimals.items():
            of_measure = table["measure"] == name
            value = value.mask(of_measure, value.round(count))
        return table.assign(value=value)
    of_column = {}
    for column in table.columns:
        name, suffix = split_suffix(str(column))
        if name in decimals and suffix in ("", LOW, HIGH):
            of_column[column] = decimals[name]
    return table.round(of_column)
