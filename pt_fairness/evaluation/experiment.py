"""Evaluation of many runs against the same qrels, and its tables.

The tables are averages with comparisons, reference rankings, and values per topic. A topic for
which a measure is undefined is left out of its averages, unless ``undefined='count'`` gives it 0.
"""

from __future__ import annotations

import itertools
from collections import defaultdict, namedtuple
from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from pt_fairness.analysis import tables
from pt_fairness.analysis.inputs import (
    CORRECTED,
    LOSSES,
    P_VALUE,
    REFERENCES,
    REJECT,
    WINS,
    compares_groups,
    is_coverage,
)
from pt_fairness.analysis.notes import Comparison, Facts
from pt_fairness.analysis.simulation import reference_rankings
from pt_fairness.analysis.statistics import (
    ALPHA,
    CORRECTION,
    LEAST_TESTED,
    RESAMPLES,
    TESTS,
    corrected,
    randomisation,
    t_test,
)
from pt_fairness.analysis.tables import SUMMED, Table
from pt_fairness.core.arrays import TIE_DECIMALS, Floats
from pt_fairness.core.identifiers import IR_MEASURES, texts_of
from pt_fairness.core.messages import (
    UNDEFINED,
    at_least,
    collecting_warnings,
    first_names,
    listed,
    one_of,
    shown,
    warn,
)
from pt_fairness.evaluation.plan import (
    Plan,
    inputs_of,
    make_plan,
    oracles,
    position,
    refuse_pipes,
    reranker_targets,
)
from pt_fairness.evaluation.workers import Scorer, make_parallel, scores_of_runs
from pt_fairness.io.runs import RunInputs
from pt_fairness.provider.evaluator import QuickEvaluator
from pt_fairness.provider.measure_lists import refuse_unknown


class Evaluation(namedtuple("Evaluation", ["averages", "perquery"])):
    """The result of :func:`pt_fairness.evaluate`: the averages and the values per topic.

    It is a named tuple, like the result of ``pt.Experiment``. In a notebook, it shows its table.
    """

    averages: pd.DataFrame
    perquery: pd.DataFrame
    #: What is known of topics, groups, tests and failed runs.
    facts: Facts

    def __new__(cls, averages: pd.DataFrame, perquery: pd.DataFrame, facts: Facts) -> Evaluation:
        evaluation = super().__new__(cls, averages, perquery)
        evaluation.facts = facts
        return evaluation

    def __reduce__(self) -> Any:
        return Evaluation, (*self, self.facts)

    def table(self, **options: Any) -> Table:
        """Return the table of averages with its notes.

        :param options: the options of :func:`pt_fairness.table`: ``labels``, ``digits``,
            ``intervals``, ``verdicts`` and ``p_values``
        """
        return tables.table(self, **options)

    def _repr_html_(self) -> str:
        return self.table().html


def evaluate(runs: RunInputs, qrels: Any = None, measures: Any = None, topics: Any = None, *,
             groups: Any = None, names: Sequence[str] | None = None,
             baseline: int | str | None = None, test: Literal["t", "randomisation"] = "t",
             correction: str | None = CORRECTION, references: bool | Sequence[str] = False,
             undefined: Literal["drop", "count"] = "drop", n_jobs: int = 1,
             progress: bool = True, seed: int = 0) -> Evaluation:
    """Evaluate any number of runs, as ``pt.Experiment`` would.

    Each run is read once, and at most ``n_jobs`` runs are in memory at a time. A run that cannot be
    read or scored does not stop the others; one warning names all such runs with their errors. The
    page :doc:`experiments` says how runs are named, how processes and clusters are used, and what
    differs from ``pt.Experiment``.

    :param runs: a run, a sequence of runs, or a dictionary from names to runs. A run is the path
        of a file (see :func:`read_run`); a frame with ``qid, docno`` and ``score`` or else ``rank``
        (or ir_measures' names); a dictionary ``{qid: {docno: score}}`` or a list of ``ScoredDoc``
        of ir_measures; or a PyTerrier transformer. A frame with several rankings of a topic has
        the column ``iteration``, the sample of each row. Outside a dictionary, a pattern such as
        ``runs/*.gz`` stands for several files.
    :param qrels: a TREC qrels file, the id of a dataset of ir_datasets (with ``irds:`` in front or
        not), a dataset of ``pt.get_dataset``, or a frame with ``qid, docno, label`` and, if it has
        groups, ``iteration`` (or ir_measures' names). Averages are over its topics. ``None`` for
        measures whose value depends on no judged document, such as AWRF and NDKL with their default
        target: the topics are then the ones of the runs.
    :param measures: measures of ir_measures or of this package, or their names
    :param topics: the topics of transformers: a frame ``qid, query``, a dataset of
        ``pt.get_dataset``, an id of ir_datasets, or the path of a file. As in ``pt.Experiment``,
        the qrels of other topics are left out, with a warning.
    :param groups: the group source of the measures whose parameter ``groups`` is not set, and the
        subtopics of α-nDCG and the other measures of ndeval: the name of registered groups, the
        path of a group file, a Groups object, or what :func:`pt_fairness.groups.from_mapping` and
        :func:`~pt_fairness.groups.from_frame` take (a dictionary, a Series, a DataFrame). It is not
        in the names of the columns. Without it, and without groups in ``iteration``, groups are
        read from a column ``group`` of the frames of runs and qrels, with a warning.
    :param names: a name for each run, in their order, unless ``runs`` is a dictionary
    :param baseline: the run to test the others against: its position, name or path
    :param test: ``'t'``, a two-sided paired t-test, or ``'randomisation'``, the test of
        :func:`pt_fairness.analysis.compare` with 9,999 resamples
    :param correction: the correction of the p-values for several systems, a method of
        ``statsmodels.stats.multitest.multipletests``; ``None`` for none, the default of
        ``pt.Experiment``. Each measure is corrected separately. A system that is equal to the
        baseline and a run that could not be evaluated count as p = 1.
    :param references: whether the averages have a row for each kind of
        :func:`pt_fairness.reference_rankings` below the systems, or a list of kinds. They have
        values of the measures that compare the groups of one source, and are never tested or
        marked as the best
    :param undefined: ``'drop'`` leaves the topics for which a measure of this package is undefined
        for every run out of its averages and tests; they are NaN per topic. ``'count'`` gives them
        the value 0.0, as ``pt.Experiment`` does. A topic that is undefined for one run alone has
        0.0 in both cases
    :param n_jobs: the number of processes, at most one for each run; −1 for all processors. With 1,
        ``joblib.parallel_config`` sets it; outside such a block, this process evaluates all runs.
    :param progress: whether to show a progress bar on standard error
    :param seed: the seed of the randomisation test and of random orders
    :returns: the averages and the values per topic, with ``facts`` and ``table()``. The averages
        are as in ``pt.Experiment``: ``name``, a column for each measure and, with a baseline,
        ``+``, ``-`` (topics with a larger and a smaller value, by more than 1e-12), ``p-value``
        and, with a correction, ``reject`` (at .05, and never with fewer than six topics) and
        ``p-value corrected`` of each but ``Annotated``, which is not tested; rows in the order of
        the runs. The values are as in ``pt.Experiment(perquery=True)``: ``name, qid, measure,
        value``, sorted by name and topic. A topic that a group source drops is NaN, too. The
        average of a measure that is undefined for all topics is NaN, and it is not compared.
    :raises ValueError: if ``runs`` is empty, two runs have the same name, transformers lack
        topics, an option, a measure, a group source or the qrels are wrong, the baseline is
        unknown, no document has a label or a group of the source, several processes are to read a
        pipe, or no run could be evaluated
    :raises ImportError: if joblib is needed for several processes and not installed

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
    at_least(0, "seed", seed)
    one_of("test", test, list(TESTS))
    one_of("undefined", undefined, ("drop", "count"))
    corrected(pd.Series([np.nan]), correction)  # checks it
    kinds = _kinds(references)
    if kinds and qrels is None:
        raise ValueError("references must have qrels, because they rank the relevant documents")
    named, judged, measures, groups = inputs_of(runs, qrels, measures, topics, groups, names,
                                                progress)
    systems = list(named)
    base = None if baseline is None else systems[position(baseline, named)]
    parallel = make_parallel(n_jobs, len(systems))
    if parallel is not None:
        refuse_pipes(named)
    plan = make_plan(judged, measures, groups)
    scorer = Scorer(plan)
    refuse_unknown([scorer.warnings])
    named.retrieve(progress)
    scores, failed = scores_of_runs(scorer, named, parallel, progress)
    _warn_of_failures(failed, len(systems), base)
    issued = {name: run.warnings for name, run in scores.items()}
    refuse_unknown([*issued.values()])
    _warn_once(issued, len(systems))
    facts = scorer.facts(scores, qrels is not None)
    facts.systems, facts.failed = tuple(systems), failed
    if facts.undefined:
        _warn_of_undefined(facts, undefined)
    for name in facts.unmatched:
        warn(f"{name}: fewer than half: {facts.matched[name]}; check that the ids match")
    facts.dropped = undefined == "drop"
    if qrels is None:  # nothing says which documents are relevant
        facts.shares = {}
    if named.systems:
        facts.oracles = oracles(named.systems, plan.measures, plan.qrels)
        facts.rerankers = reranker_targets(named.systems)
    values = {name: run.values for name, run in scores.items()}
    if facts.dropped:
        for table in values.values():
            for column, qids in facts.undefined.items():
                dropped = table.index.isin(qids)
                table.loc[dropped, column] = np.nan
    facts.fewer = _fewer_topics(values, scorer.topics)
    averages = means(values)
    averages[list(facts.never_defined)] = np.nan
    if base in values:
        facts.comparison = Comparison(base, test, correction, len(systems) - 1)
        averages = _compared(averages, values, facts, seed)
    averages = averages.rename_axis("name").reset_index()
    if kinds:
        rows = _reference_rows(plan, kinds, facts, seed)
        averages = _appended(averages, rows)
        facts.references = tuple(rows["name"])
    return Evaluation(averages, _stacked(values), facts)


def _fewer_topics(values: Mapping[str, pd.DataFrame],
                  topics: list[str]) -> dict[str, dict[str, int]]:
    """Return the systems with a value for fewer topics than others, and for how many, by measure.

    :param values: a row for each topic and a column for each measure, by system
    :param topics: the topics of the qrels
    """
    counts = {}
    for system, table in values.items():
        known = ~np.isnan(table.to_numpy())
        counts[system] = known[table.index.isin(topics)].sum(axis=0)
    most = np.max([*counts.values()], axis=0)
    fewer: Any = defaultdict(dict)
    for system, numbers in counts.items():
        columns = [*values[system]]
        for place in np.flatnonzero(numbers < most):
            fewer[columns[place]][system] = int(numbers[place])
    return dict(fewer)


def _kinds(references: Any) -> list[str]:
    """Return the kinds of reference rankings, in the order of the rows.

    :raises ValueError: if a kind is unknown
    """
    if isinstance(references, bool):
        return list(REFERENCES) if references else []
    if isinstance(references, str) or not {*references}.issubset(REFERENCES):
        raise ValueError(f"references must be True, False or a list of {listed(REFERENCES)}, got "
                         f"{shown(references)}")
    return [kind for kind in REFERENCES if kind in references]


def _warn_of_failures(failed: Mapping[str, str], runs: int, baseline: str | None) -> None:
    """Warn of the runs that could not be evaluated.

    :raises ValueError: if all runs failed
    """
    errors = [f"{name} ({error})" for name, error in failed.items()]
    text = first_names(errors, "; ")
    if len(failed) == runs:
        raise ValueError(f"no run could be evaluated: {text}")
    if failed:
        nothing = ""
        if baseline in failed:
            nothing = f"; {baseline} is the baseline, so nothing is compared"
        warn(f"{len(failed)} of {runs} runs could not be evaluated and are missing from the "
             f"tables: {text}{nothing}")


def _warn_of_undefined(facts: Facts, undefined: str) -> None:
    """Warn of the topics for which a measure is undefined."""
    texts = []
    for column, topics in facts.undefined.items():
        count = f"{len(topics)} of {facts.topics} topics ({first_names(topics)})"
        texts.append(f"{column} on {facts.never_defined.get(column, count)}")
    effect = "left out of averages and tests" if undefined == "drop" else "counted as 0.0"
    warn(f"undefined topics, which have nothing to compare with, are {effect}: "
         f"{'; '.join(texts)}")


def _warn_once(issued: Mapping[str, Sequence[tuple[str, str]]], runs: int) -> None:
    """Warn once for each cause, with the names of the runs that it applies to.

    Undefined topics have a warning of their own.

    :param issued: the causes and messages of the warnings of each run
    :param runs: the number of runs, with those that could not be evaluated
    """
    causes: Any = defaultdict(lambda: defaultdict(list))
    for name, pairs in issued.items():
        for cause, message in dict.fromkeys(pairs):
            if not cause.startswith(UNDEFINED):
                causes[cause][message].append(name)
    for cause, messages in causes.items():
        message, *_ = messages
        names, *others = messages.values()
        if len(names) < runs:
            similar = first_names([*itertools.chain(*others)])
            similarly = f"; similarly {similar}" if similar else ""
            message += f" (in {first_names(names)}{similarly})"
        warn(message, cause)


def _stacked(values: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return ``name, qid, measure, value``, sorted by name and topic."""
    table = pd.concat(values, names=["name", "qid"]).sort_index()
    table.columns.name = "measure"
    return table.stack(future_stack=True).rename("value").reset_index()


def means(values: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the mean of each measure over the topics with a value.

    Measures in :data:`SUMMED` have the sum.

    :param values: a row for each topic and a column for each measure, by system
    """
    tables = [*values.values()]
    systems = pd.Index([*values], dtype="str")
    return pd.DataFrame(map(_means_of_topics, tables), systems, tables[0].columns)


def _means_of_topics(values: pd.DataFrame) -> Floats:
    """Return the mean or the sum of each measure over the topics with a value, ``[measures]``."""
    numbers = values.to_numpy()
    count = (~np.isnan(numbers)).sum(axis=0)
    # Sum sequentially, as pt.Experiment does: numpy's sum is rounded differently.
    sums = np.nancumsum(numbers, axis=0)[-1]
    sums[count == 0] = np.nan
    count[values.columns.isin(SUMMED)] = 1
    return sums / count


def _compared(averages: pd.DataFrame, values: Mapping[str, pd.DataFrame], facts: Facts,
              seed: int) -> pd.DataFrame:
    """Return averages with the comparison with the baseline, in columns behind each measure.

    A failed run counts as p = 1.

    :param averages: a row for each system
    """
    comparison: Any = facts.comparison
    systems = list(values)
    measures = averages.columns
    numbers = np.full((4, *averages.shape), np.nan)
    baseline = values[comparison.baseline]
    for place, name in enumerate(systems):
        if name != comparison.baseline:
            numbers[:, place] = _tested(values[name], baseline, comparison.test, seed)
    untested = [*facts.never_defined, *filter(is_coverage, measures)]
    numbers[:, :, measures.isin(untested)] = np.nan
    tables = [pd.DataFrame(part, systems, measures) for part in numbers]
    wins, losses, topics, p_values = tables
    parts = {WINS: wins, LOSSES: losses, P_VALUE: p_values}
    if comparison.correction is not None:
        family = p_values.drop(comparison.baseline)
        family = family.reindex([*family.index, *facts.failed])
        family = family.apply(corrected, method=comparison.correction)
        corrected_p = family.reindex(systems)
        rejected = (corrected_p < ALPHA) & (topics >= LEAST_TESTED)
        parts |= {REJECT: rejected, CORRECTED: corrected_p}
    table = averages.copy()
    for column in measures:
        for suffix, part in parts.items():
            table[column + suffix] = part[column]
    return table


def _tested(values: pd.DataFrame, baseline: pd.DataFrame, test: str, seed: int) -> Floats:
    """Return the wins, losses and compared topics, and the p-value, ``[4, measures]``."""
    differences = (values - baseline).sort_index().round(TIE_DECIMALS).to_numpy()
    wins = (differences > 0).sum(axis=0)
    losses = (differences < 0).sum(axis=0)
    if test == "randomisation":
        p = randomisation(differences, RESAMPLES, seed)
    else:
        _, p = t_test(differences)
    topics = (~np.isnan(differences)).sum(axis=0)
    return np.array([wins, losses, topics, p])


def _reference_rows(plan: Plan, kinds: Sequence[str], facts: Facts, seed: int) -> pd.DataFrame:
    """Return ``name`` and the mean value of each measure for each kind of reference rankings.

    The rankings are made for each group source of the measures, and not cut. Measures that do not
    compare the groups of one source are NaN. A topic without reference rankings, because its
    relevant documents lack a group, is left out if the measure is defined, with a warning.
    """
    sources: dict[Hashable, dict[Any, str]] = {}
    for measure, column in zip(plan.measures, plan.columns, strict=True):
        if compares_groups(measure):
            named = {part.param("groups") for part in measure.parts if part.needs_groups}
            if len(named) == 1:
                sources.setdefault(named.pop(), {})[measure] = column
    names = [REFERENCES[kind] for kind in kinds]
    table = pd.DataFrame(np.nan, names, plan.columns)
    unranked = set()
    with collecting_warnings():  # the evaluation has issued them
        for source, columns in sources.items():
            evaluator = QuickEvaluator(list(columns), plan.qrels)
            runs = reference_rankings(plan.qrels, groups=source, kinds=kinds, seed=seed)
            for kind, run in runs.items():
                frame = run.rename(columns=IR_MEASURES)
                values = pd.DataFrame(evaluator.iter_calc(frame))
                values["measure"] = values["measure"].map(columns)
                topics = values["query_id"].unique()
                values = values.pivot(index="query_id", columns="measure", values="value")
                values = values.loc[topics]
                is_ranked = np.isin(topics, texts_of(frame["query_id"].drop_duplicates()))
                for column in values:
                    is_undefined = np.isin(topics, facts.undefined.get(column, ()))
                    lacking = ~is_ranked & ~is_undefined
                    unranked.update(topics[lacking])
                    if facts.dropped:
                        lacking |= is_undefined
                    values.loc[lacking, column] = np.nan
                table.loc[REFERENCES[kind], values.columns] = _means_of_topics(values)
    if unranked:
        warn(f"the rows of reference rankings leave out {len(unranked)} topics, such as "
             f"{min(unranked)!r}, whose relevant documents lack a group; the averages "
             "of the systems have them")
    table[list(facts.never_defined)] = np.nan
    return table.rename_axis("name").reset_index()


def _appended(averages: pd.DataFrame, rows: pd.DataFrame) -> pd.DataFrame:
    """Return averages with rows of reference rankings below them, without comparisons."""
    rejected = [column for column in averages.columns if column.endswith(REJECT)]
    rows = rows.reindex(columns=averages.columns)
    rows[rejected] = False
    rows = rows.astype(averages.dtypes)
    return pd.concat([averages, rows], ignore_index=True)
