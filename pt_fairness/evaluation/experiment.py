"""Evaluation of many runs against the same qrels, and its tables.

The tables are averages with comparisons, reference rankings, and values per topic. A topic counts 0
in an average if it has nothing to compare with, or no results by a measure that gives an empty list
0: ``FairnessEvaluator`` in ``provider/evaluator.py`` makes the values.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Collection, Hashable, Mapping, Sequence
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
    FAR_DOWN,
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
from pt_fairness.analysis.fronts import fronts_of
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
from pt_fairness.evaluation.workers import Scorer, Scores, make_parallel, scores_of_runs
from pt_fairness.io.run_files import NamedRuns, RunInputs
from pt_fairness.provider.evaluator import QuickEvaluator
from pt_fairness.provider.measure_lists import refuse_unknown

#: The tests of the comparisons, in words.
TESTS = {"t": "two-sided paired t-test", "randomisation": "two-sided randomisation test"}
#: The number of resamples of a randomisation test.
RESAMPLES = 9999
#: The measures that pt.Experiment sums over the topics; it averages all others.
SUMMED = frozenset({"NumQ", "NumRel", "NumRet", "NumRelRet"})
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
        out of its averages, tests and intervals; they are NaN per topic
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
    kinds = checked_kinds(perquery, baseline, correction, highlight, labels, test, confidence,
                          references, tolerance, undefined)
    if kinds and qrels is None:
        raise ValueError("references hold the relevant documents, so they need qrels")
    by_name, judged, measures, groups = inputs_of(
        runs, qrels, measures, experiment_measures, topics, groups, names, progress)
    averages, by_topic, _ = evaluated(
        by_name, judged, measures, groups, baseline, correction, n_jobs, progress, test, confidence,
        kinds, tolerance, undefined, averaged=perquery is not True, seed=seed)
    tables = [averages, by_topic]
    if perquery != "both":
        tables = [by_topic if perquery else averages]
    for i, table in enumerate(tables):
        table = table if round is None else rounded(table, round)
        tables[i] = table if labels is None else rename(table, labels)
    if highlight is not None:
        tables[0] = highlighted(tables[0], _STYLES[highlight])
    return tuple(tables) if perquery == "both" else tables[0]


def evaluated(runs: NamedRuns, qrels: pd.DataFrame, measures: Sequence[Any],
              groups: Any, baseline: int | str | None, correction: str | None, n_jobs: int,
              progress: bool, test: str, confidence: float | None,
              kinds: Sequence[str], tolerance: float | Mapping[Any, float] | None, undefined: str,
              averaged: bool = True, seed: int = 0) -> tuple[Any, pd.DataFrame, Scorer]:
    """Return the averages, the values per topic, and what scored the runs.

    The parameters are those of :func:`pt_fairness.evaluate`, whose options were checked.

    :param kinds: the kinds of reference rankings
    :param averaged: whether to return averages, not ``None``
    """
    at_least(0, "seed", seed)
    systems = list(runs)
    base = None if baseline is None else systems[position(baseline, runs)]
    parallel = make_parallel(n_jobs, len(systems))
    if parallel is not None:
        refuse_pipes(runs)
    plan = make_plan(qrels, measures, 1 if parallel is None else parallel.n_jobs, groups)
    scorer = Scorer(plan)
    refuse_unknown([scorer.warnings])
    scores = scores_of_runs(scorer, runs, parallel, progress)
    broken = {name: run.error for name, run in scores.items() if run.error is not None}
    errors = [f"{name} ({error})" for name, error in broken.items()]
    if len(broken) == len(systems):
        raise ValueError(f"no run could be evaluated: {first_names(errors, '; ')}")
    for name in broken:
        del scores[name]
    refuse_unknown([run.warnings for run in scores.values()])
    _warn_once(scores, len(systems), undefined)
    if broken:
        nothing = f"; {base} is the baseline, so nothing is compared" if base in broken else ""
        warn(f"{len(broken)} of {len(systems)} runs could not be evaluated and are missing from "
             f"the tables: {first_names(errors, '; ')}{nothing}")
    # The systems of which less than half of what a measure counts is within its cutoff.
    far_down: dict[str, dict[str, float]] = {}
    for name, run in scores.items():
        for column, share in run.within.items():
            if share < 0.5:
                far_down.setdefault(column, {})[name] = share
    attrs: dict[Any, Any] = scorer.facts(scores.values())
    attrs |= {SYSTEMS: tuple(systems), BROKEN: broken, FAR_DOWN: far_down, ORACLES: []}
    if runs.systems:
        attrs[ORACLES] = oracles(runs.systems, plan.measures, plan.qrels)
    if undefined == "drop":
        attrs[DROPPED] = True
        for name, run in scores.items():
            scores[name] = _without(attrs[UNDEFINED], plan.columns, run)
    if base in scores:
        attrs[COMPARISON] = {"baseline": base, "test": TESTS[test], "correction": correction,
                             "alpha": ALPHA, "systems": len(systems) - 1}
    if confidence is not None:
        attrs[INTERVAL] = {"method": "bca", "confidence": confidence}
    by_topic = per_query_of(scores, plan.columns)
    by_topic.attrs = attrs
    if not averaged:
        return None, by_topic, scorer
    limits = verdicts = None
    if confidence is not None:
        limits = intervals(by_topic, confidence=confidence, seed=seed)
        limits = limits.pivot(index="name", columns="measure")
    if tolerance not in (None, {}) and base in scores:
        compared = compare(by_topic, base, None, resamples=1, tolerance=tolerance)
        compared = compared.dropna(subset="tolerance")
        verdicts = compared.pivot(index="name", columns="measure", values="verdict")
        attrs[TOLERANCE] = dict(zip(compared["measure"], compared["tolerance"], strict=True))
    averages = averages_of(scores, plan.columns, attrs[UNDEFINED_EVERYWHERE], base, correction,
                           test, limits, verdicts, len(broken), seed)
    if kinds:
        rows = reference_rows(plan, kinds, attrs[UNDEFINED], undefined == "drop", seed)
        rows[list(attrs[UNDEFINED_EVERYWHERE])] = float("nan")
        averages = with_rows(averages, rows)
        attrs[REFERENCES] = tuple(rows["name"])
        attrs[FRONTS] = fronts_of(plan.qrels, plan.measures, plan.columns, by_topic)
    averages.attrs = by_topic.attrs = attrs
    return averages, by_topic, scorer


#: The CSS of the values of ``highlight``, as in pt.Experiment.
_STYLES = {"bold": "font-weight: bold", "color": "background-color: lightgreen",
           "colour": "background-color: lightgreen"}


def checked_kinds(perquery: Any, baseline: Any, correction: Any, highlight: Any, labels: Any,
                  test: Any, confidence: Any, references: Any, tolerance: Any,
                  undefined: Any) -> list[str]:
    """Check options that do not depend on the runs, and return the kinds of reference rankings.

    :raises ValueError: an option is not possible, or two do not go together
    """
    one_of("perquery", perquery, ["both", True, False])
    if perquery is True and (baseline is not None or highlight is not None):
        raise ValueError("baseline and highlight are for the averages, which perquery=True leaves "
                         "out; use perquery='both' or False")
    if tolerance is not None and baseline is None:
        raise ValueError(f"tolerance={shown(tolerance)} is of differences from a baseline; give "
                         "one, too")
    if correction not in (None, CORRECTION):
        if baseline is None:
            raise ValueError(f"correction={shown(correction)} corrects comparisons with a "
                             "baseline; give one, too")
        corrected(pd.Series([1.0]), correction)  # checks it
    if highlight is not None:
        one_of("highlight", highlight, list(_STYLES))
    if labels is not None and not isinstance(labels, Mapping):
        raise ValueError(f"labels={shown(labels)} is a {type(labels).__name__}; it has to be a "
                         "dictionary from measures to labels")
    kinds = [references] if isinstance(references, str) else references
    if isinstance(references, bool):
        kinds = KINDS if references else []
    if not {*kinds} <= {*KINDS}:
        raise ValueError(f"references={shown(references)} is not possible; it takes True, False or "
                         f"a list of {listed(KINDS)}")
    one_of("test", test, list(TESTS))
    one_of("undefined", undefined, ("count", "drop"))
    if confidence is not None:
        check(confidence, RESAMPLES)
    return [kind for kind in KINDS if kind in kinds]


def _warn_once(scores: Mapping[str, Scores], runs: int, undefined: str) -> None:
    """Warn once for each cause, with the names of the runs that it applies to.

    :param runs: the number of runs, with those that could not be evaluated
    """
    causes: dict[str, dict[str, list[str]]] = {}
    for name, run in scores.items():
        for cause, message in dict.fromkeys(run.warnings):
            causes.setdefault(cause, {}).setdefault(message, []).append(name)
    for cause, messages in causes.items():
        (message, names), *rest = messages.items()
        if undefined == "drop":
            message = message.replace("have the value 0.0, for every system", "are left out")
        if len(names) < runs:
            of_rest = itertools.chain.from_iterable(names for _, names in rest)
            similar = first_names(list(of_rest))
            similarly = f"; similarly {similar}" if similar else ""
            plural = "s" if len(names) > 1 else ""
            message += f" (run{plural} {first_names(names)}{similarly})"
        warn(message, cause)


def _without(undefined: Mapping[str, Sequence[str]], columns: Sequence[str],
             run: Scores) -> Scores:
    """Return the scores of a run with NaN for undefined topics.

    :param undefined: the undefined topics, by column
    """
    values = run.values.copy()
    for i, column in enumerate(columns):
        rows = np.isin(run.qids, undefined.get(column, ()))
        values[rows, i] = np.nan
    return run._replace(values=values)


def averages_of(scores: Mapping[str, Scores], columns: Sequence[str], undefined: Collection[str],
                baseline: str | None, correction: str | None, test: str = "t",
                limits: Any = None, verdicts: Any = None, failed: int = 0,
                seed: int = 0) -> pd.DataFrame:
    """Return ``name``, the average of each measure and, with a baseline, the comparisons.

    :param undefined: the columns of the measures that are undefined for all topics
    :param correction: as of :func:`pt_fairness.evaluate`, and so is ``test``
    :param limits: ``low`` and ``high`` of each system, by measure; ``None`` for no intervals
    :param verdicts: the verdict of each system, by measure; ``None`` for none
    :param failed: the number of runs that could not be evaluated, each of which counts as p = 1
    """
    systems = list(scores)
    defined = np.where(np.isin(columns, list(undefined)), np.nan, 1.0)
    of_systems = [means_of(run.values, columns) for run in scores.values()]
    means = np.array(of_systems) * defined
    table = {"name": pd.Index(systems, dtype="str")}
    for i, column in enumerate(columns):
        table[column] = means[:, i]
        if limits is not None:
            factor = np.nan if column in SUMMED else defined[i]
            table[column + LOW] = limits["low", column] * factor
            table[column + HIGH] = limits["high", column] * factor
    if baseline is not None:
        tests = np.full((len(systems), 3, len(columns)), np.nan)
        compared = [name for name in systems if name != baseline]
        for place, (name, run) in enumerate(scores.items()):
            if name in compared and baseline in scores:
                tests[place] = _compare(run, scores[baseline], test, seed)
        tests *= defined
        first = scores[systems[0]].values
        topics = (~np.isnan(first)).sum(axis=0)
        for i, column in enumerate(columns):
            table[column + WINS], table[column + LOSSES], p = tests[:, :, i].T
            table[column + P_VALUE] = p
            if correction is not None:
                family = pd.Series(p, systems).reindex([*compared, *range(failed)])
                p_values = corrected(family, correction).reindex(systems)
                table[column + REJECT] = (p_values < ALPHA) & (topics[i] >= LEAST_TESTED)
                table[column + CORRECTED] = p_values
            if verdicts is not None and column in verdicts:
                table[column + VERDICT] = verdicts[column]
    return pd.DataFrame(table, systems).reset_index(drop=True)


def means_of(values: Floats, columns: Sequence[str]) -> Floats:
    """Return the mean of each measure over the topics with a value, ``[measures]``.

    The measures in :data:`SUMMED` are summed.
    """
    count = (~np.isnan(values)).sum(axis=0)
    count[np.isin(columns, list(SUMMED))] = 1
    # Sum sequentially, as pt.Experiment does: numpy's sum is rounded differently.
    none = np.zeros((1, len(columns)))
    sums = np.nancumsum(np.vstack([none, values]), axis=0)[-1]
    means = sums / np.maximum(count, 1)
    return np.where(count > 0, means, np.nan)


def _compare(run: Scores, baseline: Scores, test: str, seed: int) -> Floats:
    """Return the numbers of wins and losses by topic, and the p-value, ``[3, measures]``."""
    from scipy import stats
    table = pd.DataFrame(run.values, run.qids).reindex(baseline.qids)
    ours = np.ascontiguousarray(table.to_numpy().T)
    theirs = np.ascontiguousarray(baseline.values.T)
    wins = (ours > theirs).sum(axis=1)
    losses = (ours < theirs).sum(axis=1)
    if test == "randomisation":
        qids = np.array(baseline.qids, dtype=str)
        order = np.argsort(qids, kind="stable")
        differences = (ours - theirs).T[order].round(TIE_DECIMALS)
        return np.array([wins, losses, randomisation(differences, RESAMPLES, seed)])
    with np.errstate(all="ignore"), warnings.catch_warnings():
        # scipy warns of runs that are almost equal. The p-value of equal runs is NaN.
        warnings.filterwarnings("ignore", category=RuntimeWarning)
        p_values = stats.ttest_rel(ours, theirs, axis=1, nan_policy="omit").pvalue
    return np.array([wins, losses, p_values])


def per_query_of(scores: Mapping[str, Scores], columns: Sequence[str]) -> pd.DataFrame:
    """Return ``name, qid, measure, value``, sorted by name and topic."""
    names = sorted(scores)
    qids, values = [], []
    for name in names:
        topics = np.array(scores[name].qids, dtype=object)
        order = np.argsort(topics, kind="stable")
        qids.append(topics[order])
        values.append(scores[name].values[order].ravel())
    rows = [len(run) for run in values]
    name = pd.Index(names, dtype="str").repeat(rows)
    every = np.concatenate(qids)
    topic = pd.Index(every, dtype="str")
    qid = topic.repeat(len(columns))
    places = np.arange(len(columns))
    place = np.tile(places, len(every))
    measure = pd.Index(list(columns), dtype="str").take(place)
    value = np.concatenate(values)
    return pd.DataFrame({"name": name, "qid": qid, "measure": measure, "value": value})


def reference_rows(plan: Plan, kinds: Sequence[str], undefined: Mapping[str, Collection[str]],
                   drop: bool, seed: int) -> pd.DataFrame:
    """Return ``name`` and the mean value of each measure for each kind of reference rankings.

    The rankings are made for each group source of the measures, and not cut. Measures that do not
    compare the groups of one source have no value. A topic without reference rankings, because no
    relevant document has a group, is left out where the measure is defined, with a warning.

    :param undefined: the topics for which a measure is undefined, by its column
    :param drop: whether these topics are left out, instead of counting 0
    """
    by_source: dict[Hashable, dict[Any, str]] = {}
    for measure, column in zip(plan.measures, plan.columns, strict=True):
        if is_of_groups(measure):
            sources = {part.param("groups") for part in measure.parts if part.needs_groups}
            if len(sources) == 1:
                by_source.setdefault(sources.pop(), {})[measure] = column
    rows = [ROWS[kind] for kind in kinds]
    means = pd.DataFrame(np.nan, rows, plan.columns)
    unranked = set()
    with collecting_warnings():  # the evaluation has issued them
        for source, columns in by_source.items():
            evaluator = QuickEvaluator(list(columns), plan.qrels)
            runs = reference_rankings(plan.qrels, groups=source, kinds=kinds, seed=seed)
            for kind in kinds:
                run = runs[kind].rename(columns=IR_MEASURES)
                ranked = set(texts_of(run["query_id"]))
                values: dict[str, list[float]] = {column: [] for column in columns.values()}
                for metric in evaluator.iter_calc(run):
                    column = columns[metric.measure]
                    if metric.query_id in undefined.get(column, ()):
                        value = np.nan if drop else metric.value
                    elif metric.query_id in ranked:
                        value = metric.value
                    else:
                        value = np.nan
                        unranked.add(metric.query_id)
                    values[column].append(value)
                names, table = list(values), np.array(list(values.values())).T
                means.loc[ROWS[kind], names] = means_of(table, names)
    if unranked:
        warn(f"the rows of reference rankings leave out {len(unranked)} topics, such as "
             f"{min(unranked)!r}, which have no relevant document with a group; the "
             "averages of the systems have them")
    return means.rename_axis("name").reset_index()


def with_rows(averages: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Return averages with rows below them that have no comparisons and no intervals."""
    rejected = [column for column in averages.columns if column.endswith(REJECT)]
    rows = rows.reindex(columns=averages.columns)
    rows[rejected] = False
    return pd.concat([averages, rows.astype(averages.dtypes.to_dict())], ignore_index=True)


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
            value = value.mask(table["measure"] == name, value.round(count))
        return table.assign(value=value)
    of_column = {}
    for column in table.columns:
        name, suffix = split_suffix(str(column))
        if name in decimals and suffix in ("", LOW, HIGH):
            of_column[column] = decimals[name]
    return table.round(of_column)
