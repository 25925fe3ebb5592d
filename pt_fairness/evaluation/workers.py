"""Workers that read and score runs in this process, in other processes or on a cluster."""

from __future__ import annotations

import itertools
import os
import pickle
import sys
import threading
from collections import defaultdict
from collections.abc import Mapping, Sequence
from copy import copy
from functools import cached_property, partial, reduce
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_fairness.analysis.exposure import QRELS_GROUPS, RunShares, SourceShares
from pt_fairness.analysis.notes import Facts
from pt_fairness.core.arrays import ROUNDING
from pt_fairness.core.identifiers import IR_MEASURES, PYTERRIER, with_text_ids
from pt_fairness.core.messages import collecting_warnings
from pt_fairness.evaluation.plan import Plan
from pt_fairness.io.files import need_columns, opened
from pt_fairness.io.runs import RunInput, need_results, read_opened_run
from pt_fairness.measures.measure import score
from pt_fairness.measures.representation import SkewMeasure
from pt_fairness.provider import ALPHA_VARIABLE
from pt_fairness.provider.evaluator import FairnessEvaluator, GroupedMeasures, QuickEvaluator
from pt_fairness.rankings.annotations import Matches, matched_line
from pt_fairness.rankings.trec_order import Judgments, scores_of, warn_of_topics

#: A note is given if a smaller share of the counted documents is within the cutoff.
FEW = 0.5
#: The name of a run, and the run.
Job = tuple[str, RunInput]


class Scores(NamedTuple):
    """The scores of a run, or the error that it raised."""

    #: A row for each topic and a column for each measure; NaN without a value.
    values: pd.DataFrame = pd.DataFrame()
    #: Whether a measure is undefined for a topic.
    has_undefined: bool = False
    #: The share of the counted documents that are within the cutoff, by measure, if below half.
    far_down: Mapping[str, float] = {}
    #: The number of topics whose value depends on what replaces shares of 0, by measure.
    replaced: Mapping[str, int] = {}
    #: The topics that are ideal because all documents of the ranking have one label, by measure.
    one_label: Mapping[str, Sequence[str]] = {}
    #: The number of ranked documents with a group or a value, by source.
    matches: Mapping[tuple[str, str], Matches] = {}
    #: The shares of the groups of each source.
    shares: Sequence[RunShares] = ()
    #: The causes and messages of the warnings of the run.
    warnings: Sequence[tuple[str, str]] = ()
    error: str | None = None


def make_parallel(n_jobs: int, runs: int) -> Any:
    """Return a ``joblib.Parallel``, or ``None`` if this process scores all runs.

    :param n_jobs: the number of processes; −1 for all processors
    :param runs: the number of runs, which is the largest useful number of processes
    :raises ValueError: if ``n_jobs`` is 0
    :raises ImportError: if joblib is not installed, and there are several processes
    """
    if n_jobs == 0:
        raise ValueError("n_jobs must be at least 1, or -1 for all processors, got 0")
    if n_jobs == 1 and "joblib" not in sys.modules:  # so no joblib.parallel_config is active
        return None
    try:
        from joblib import Parallel, effective_n_jobs
    except ImportError:
        raise ImportError(f"several processes (n_jobs={n_jobs}) need joblib: "
                          "pip install 'pt-fairness[parallel]'") from None

    make = partial(Parallel, return_as="generator_unordered")
    parallel = make(None if n_jobs == 1 else n_jobs)
    if parallel.n_jobs == 1:
        return None
    most = effective_n_jobs(parallel.n_jobs)
    if effective_n_jobs(most + 1) == most:  # the workers of a cluster, whatever was asked for
        return parallel
    return None if runs == 1 else make(min(runs, most))


def scores_of_runs(scorer: Scorer, runs: Mapping[str, RunInput], parallel: Any,
                   progress: bool) -> tuple[dict[str, Scores], dict[str, str]]:
    """Return the scores of the runs and the errors of failed runs, by name.

    Both are in the order of the runs.

    :param scorer: scores the runs in this process; its plan is sent to other processes
    :param parallel: what :func:`make_parallel` returns
    :param progress: whether to show a progress bar
    """
    from tqdm import tqdm
    plan = scorer.plan
    if parallel is None:
        results = map(scorer.result, runs.items())
    else:
        from joblib import delayed
        try:  # pickles functions and classes of a script or notebook
            import cloudpickle
        except ImportError:  # joblib before 1.6 bundles a copy
            from joblib.externals import cloudpickle
        # joblib memory-maps the array for its processes. Inside a tuple, Dask sends it with each
        # run; otherwise Dask stores a single copy, which is lost if the worker that holds it fails.
        pickled = cloudpickle.dumps(plan)
        packed = (np.frombuffer(pickled, np.uint8),)
        score = delayed(_score_in_worker)
        jobs = []
        for name, run in runs.items():
            if not isinstance(run, pd.DataFrame):
                run = os.path.abspath(run)  # workers may have another working directory
            jobs.append(score(packed, plan.key, (name, run)))
        results = parallel(jobs)
    results = tqdm(results, total=len(runs), desc="evaluate", unit="run", disable=not progress)
    finished = dict(results)
    scores = {}
    failed = {}
    for name in runs:
        result = finished[name]
        if result.error is None:
            scores[name] = result
        else:
            failed[name] = result.error
    return scores, failed


#: The last scorer of each thread of a worker, because the evaluators of other providers may not be
#: thread-safe.
_last = threading.local()
#: Guards the environment variables and the warning filters, which are shared by all threads.
_process_lock = threading.Lock()


def _score_in_worker(packed: tuple[NDArray[np.uint8]], key: str, job: Job) -> tuple[str, Scores]:
    if getattr(_last, "key", None) != key:
        _last.key, _last.scorer = None, None  # frees the memory of the last plan
        plan = pickle.loads(packed[0].data)
        for measure in plan.measures:
            # pickle drops attributes that ir_measures.define sets on the class.
            if not hasattr(measure, "__name__"):
                measure.__name__ = measure.NAME
        _last.scorer = Scorer(plan)
        _last.key = key
    return _last.scorer.result(job)


class Scorer:
    """Score runs with the evaluator of a plan.

    :raises ValueError: if no provider computes a measure, or it does not fit the qrels
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        #: The topics of the qrels, in their order.
        qids = plan.qrels["query_id"]
        self.topics = qids.unique().tolist()
        self._columns = dict(zip(plan.measures, plan.columns, strict=True))
        with _process_lock, collecting_warnings() as self.warnings:
            if plan.alpha is None:
                os.environ.pop(ALPHA_VARIABLE, None)
            else:
                os.environ[ALPHA_VARIABLE] = plan.alpha
            self.evaluator = QuickEvaluator(plan.measures, plan.qrels)
        #: The name of each group source, and its shares at the largest cutoff of its measures.
        self._shares = []
        for evaluator in self.evaluator.fairness:
            for source in evaluator.sources:
                if source.needed:
                    self._shares.append((_name(source), SourceShares(source)))

    @cached_property
    def judgments(self) -> Judgments:
        """The qrels as arrays."""
        for evaluator in self.evaluator.fairness:
            return evaluator.judgments
        return Judgments(self.plan.qrels)

    def facts(self, scores: Mapping[str, Scores], has_qrels: bool) -> Facts:
        """Return what is known of measures, topics and groups.

        :param scores: the scores of one run or several, by name
        :param has_qrels: whether the qrels are not the ranked documents
        """
        runs = list(scores.values())
        plan = self.plan
        facts = Facts(topics=len(self.topics), groups=plan.groups, labels=plan.labels)
        for evaluator in self.evaluator.fairness:
            if plan.groups is None:
                facts.labels = evaluator.qrels_labels
            facts.several = self._named(evaluator.several)
            if any(run.has_undefined for run in runs):
                self._add_undefined(facts, evaluator)
            judged = evaluator.judged_matches() if has_qrels else {}
            for source in runs[0].matches:
                ranked = reduce(Matches.joined, (run.matches[source] for run in runs))
                self._add_matches(facts, source, ranked, judged.get(source))
        facts.far_down = _collected(scores, "far_down")
        facts.replaced = _collected(scores, "replaced")
        for column, systems in _collected(scores, "one_label").items():
            undefined = facts.undefined.get(column, ())
            for system, qids in systems.items():
                ideal = {*qids}.difference(undefined)
                if ideal:
                    facts.one_label.setdefault(column, {})[system] = len(ideal)
        run_shares = zip(*(run.shares for run in runs), strict=True)
        for (name, source_shares), shares in zip(self._shares, run_shares, strict=True):
            key = plan.shown.get(name, name), source_shares.measure.cutoff
            systems = dict(zip(scores, shares, strict=True))
            facts.shares[key] = source_shares.table(systems)
        return facts

    def _named(self, values: Mapping[Any, Any]) -> dict[str, Any]:
        """Return a dictionary by column for one by measure, without parts of composed measures."""
        return {self._columns[measure]: value for measure, value in values.items()
                if measure in self._columns}

    def _add_undefined(self, facts: Facts, evaluator: FairnessEvaluator) -> None:
        """Add the topics for which a measure is undefined."""
        with collecting_warnings():
            masks = evaluator.undefined()
        for measure, mask in masks.items():
            column = self._columns[measure]
            if mask.any():
                facts.undefined[column] = tuple(itertools.compress(self.topics, mask))
            if mask.all():
                facts.never_defined[column] = evaluator.how_many(measure, mask)

    def _add_matches(self, facts: Facts, source: tuple[str, str], ranked: Matches,
                     judged: Matches | None) -> None:
        """Add how many documents have a group or a value in a source."""
        what, name = source
        name = self.plan.shown.get(name, name)
        facts.matched[name] = matched_line(ranked, judged, what)
        counted = [ranked] if judged is None else [ranked, judged]
        if any(2 * documents.without > documents.documents for documents in counted):
            facts.unmatched.append(name)

    def result(self, job: Job) -> tuple[str, Scores]:
        """Return the name and the scores of a run, or its error."""
        name, run = job
        try:
            with collecting_warnings() as messages:
                scores = self._score(run, messages)
            return name, scores._replace(warnings=messages)
        except (ValueError, OSError, ImportError) as error:
            return name, Scores(error=str(error))
        except Exception as error:  # must not stop the other runs
            return name, Scores(error=f"{type(error).__name__}: {error}")

    def _score(self, run: RunInput, messages: list[tuple[str, str]]) -> Scores:
        """Read and score a run.

        :param messages: the warnings of the run, to which the warnings of the plan are added
        :raises ValueError: if the run is empty, a column, an identifier or a sample is missing, or
            a score is NaN
        """
        if isinstance(run, pd.DataFrame):
            frame = run.rename(columns=PYTERRIER)
            need_columns(frame, [*IR_MEASURES, "score"], "the run")
            samples = ["iteration"] if "iteration" in frame else []
            frame = with_text_ids(frame, "run", *IR_MEASURES, *samples)
            frame = frame.rename(columns=IR_MEASURES)
            frame["score"] = scores_of(frame)
        else:
            with opened(run) as source:
                frame = read_opened_run(source, object)
            frame = frame.rename(columns=IR_MEASURES)
        need_results(frame)
        messages += self.warnings
        if not self.evaluator.fairness:
            warn_of_topics({*frame["query_id"].unique()}, self.topics)
        metrics, facts = self.evaluator.evaluate(frame)
        ranked = [metric.query_id for metric in metrics]
        row, qids = pd.Index([*ranked, *self.topics]).factorize()
        columns = self.plan.columns
        places = dict(zip(self.plan.measures, range(len(columns)), strict=True))
        shape = len(qids), len(columns)
        table = np.full(shape, np.nan)
        place = [places[metric.measure] for metric in metrics]
        table[row[:len(metrics)], place] = [metric.value for metric in metrics]
        values = pd.DataFrame(table, qids, columns)
        far_down = {measure: share for measure, share in facts.within.items() if share < FEW}
        replaced = {}
        shares: list[RunShares] = []
        for source, rankings in facts.rankings:
            if source.needed:
                _, source_shares = self._shares[len(shares)]
                shares.append(source_shares.run_shares(rankings))
            # A value that depends on what replaces shares of 0 changes with it.
            skews = [copy(part) for part in source.measures if isinstance(part, SkewMeasure)]
            for skew in skews:
                skew.smallest *= 2
            for measure, changed in score(skews, rankings).items():
                scored = values.loc[self.topics, self._columns[measure]]
                count = (abs(changed - scored) > ROUNDING).sum()  # undefined topics are NaN
                if count:
                    replaced[measure] = int(count)
        topics = np.array(self.topics)
        one_label = {measure: topics[mask] for measure, mask in facts.one_label.items()}
        return Scores(values, facts.has_undefined, self._named(far_down), self._named(replaced),
                      self._named(one_label), dict(facts.matches), shares)


def _collected(scores: Mapping[str, Scores], kind: str) -> dict[str, dict[str, Any]]:
    """Return one field of the scores, by measure and then by system."""
    found: Any = defaultdict(dict)
    for name, run in scores.items():
        for column, value in getattr(run, kind).items():
            found[column][name] = value
    return dict(found)


def _name(source: GroupedMeasures) -> str:
    return QRELS_GROUPS if source.groups is None else source.groups.registered
