"""Many runs against the same qrels: files in, tables out, in parallel.

The parent process reads the qrels; a worker makes the evaluator of them once, and then reads, scores and forgets one run after
the other. What comes back of a run is a small matrix of topics and measures.
"""

from __future__ import annotations

import glob
import hashlib
import json
import os
import pickle
import platform
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any, Literal

import ir_measures
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from pt_fairness import files, fingerprint, io
from pt_fairness._version import __version__
from pt_fairness.analysis import ALPHA
from pt_fairness.files import Input
from pt_fairness.identifiers import missing, whole_numbers
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.numerics import Floats
from pt_fairness.provider import ALPHA_VARIABLE
from pt_fairness.provider.many_runs import ManyRunsEvaluator
from pt_fairness.tables import (
    LOSSES,
    TEST_SUFFIXES,
    WINS,
    best_of_measures,
    measure_columns,
    parsed,
)
from pt_fairness.text import BoundName, collecting_warnings, warn

__all__ = ["as_text", "evaluate"]

#: A run: the path of a file, or a frame.
Source = io.Path | pd.DataFrame

#: The measures of which pt.Experiment gives the sum over the topics instead of the mean.
SUMMED = frozenset({"NumQ", "NumRel", "NumRet", "NumRelRet"})
#: Where the averages name the runs that could not be evaluated (``averages.attrs``).
BROKEN = "broken"


def evaluate(runs: Source | Sequence[Source] | Mapping[str, Source], qrels: Any, measures: Any, *,
             baseline: int | str | None = None, n_jobs: int = 1, checkpoint: io.Path | None = None,
             progress: bool = True) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Evaluates any number of runs, as ``pt.Experiment`` would.

    Each run is read once, and at most ``n_jobs`` runs are held at a time. With ``n_jobs=2`` or more, or within
    ``joblib.parallel_config``, joblib spreads them: over local processes, or over the cluster of
    ``joblib.parallel_config("dask")``, whose workers have to see the files under the same paths. Groups and targets that
    are registered here are known there.

    A run that cannot be read or scored does not stop the others: it has no rows in the tables, one warning names all such
    runs with what is wrong (by file and line), and ``averages.attrs["broken"]`` maps their names to it. If it is the
    baseline, its columns are empty. What the measures warn about is told once, with the runs that it is about.

    :param runs: paths (TREC's six columns, ``.gz``, ``.parquet``), patterns such as ``runs/*.gz``, and frames with
        ``qid, docno, score`` (or ir_measures' names): one, several, or a dictionary from names. Otherwise a file is called
        by its name without ``.gz`` or ``.parquet`` (by its path, where two files have the same name), a frame by its place.
    :param qrels: a TREC qrels file, the id of a dataset of ir_datasets (with ``irds:`` in front or
        not), a dataset of ``pt.get_dataset``, or a frame with ``qid, docno, label`` and, if it has
        groups, ``iteration`` (or ir_measures' names). Its topics are those that count.
    :param measures: ir_measures' measures, ours or not, or their names
    :param baseline: the run to test the others against: its place, its name or its path
    :param n_jobs: how many processes, at most one for each run; −1 for all processors. With 1, the
        default, it is ``joblib.parallel_config`` that says, and without one there is this process
        alone.
    :param checkpoint: a folder for finished runs. The same call, repeated, computes the others only. A run is known by the
        content of its file, whatever the file is called; other qrels, measures, groups or targets, or another version of
        this package or of ir_measures, are other results. Measures and groups of your own count by the
        text of their module, or in a script or notebook by their byte code and what they use by name.
        Modules that these import, and files that they read, are not followed: use a new folder after
        changing one. Workers on other machines have to see the folder as well.
    :param progress: whether to show a progress bar, on standard error
    :returns: the averages, as of ``pt.Experiment``: ``name``, a column for each measure and, with a baseline, ``+``, ``-``
        (topics with a larger and a smaller value) and ``p-value`` (paired t-test) of each; rows in the order of the runs.
        And the values per topic, as of ``pt.Experiment(perquery=True)``: ``name, qid, measure, value``, sorted by name and
        topic. Values are not rounded; NaN is that of a measure that has none for a topic, which its average leaves out.
    :raises ValueError: no runs, two of the same name, an unknown baseline, a measure that is wrong
        or does not fit the qrels, qrels that cannot be read, ``n_jobs=0``, a pipe for several
        processes; or not one run could be evaluated
    :raises ImportError: several processes, and joblib is not installed
    """
    named = _named(runs)
    names = list(named)
    base = None if baseline is None else _place(baseline, named)
    parallel = _parallel(n_jobs, len(named))
    if parallel is not None:
        _need_files(named)
    plan = _plan(qrels, measures, checkpoint, 1 if parallel is None else parallel.n_jobs)
    results: list[_Result | None] = [None] * len(named)
    from tqdm import tqdm
    # Workers may be in another folder.
    sources = [run if parallel is None or isinstance(run, pd.DataFrame) else os.path.abspath(run) for run in named.values()]
    with tqdm(total=len(named), desc="evaluate", unit="run", disable=not progress) as bar:
        for result in _results(plan, list(enumerate(sources)), parallel):
            results[result.place] = result
            bar.update()
    finished = [result for result in results if result is not None]
    _tell(finished, names)
    broken = {names[result.place]: result.error for result in finished if result.error is not None}
    if len(broken) == len(names):
        raise ValueError(f"no run could be evaluated: {_listed(broken)}")
    if broken:
        warn(f"{len(broken)} of {len(names)} runs could not be evaluated and are missing from the tables: {_listed(broken)}")
    columns = [str(measure) for measure in plan.measures]
    averages = _averages({names[r.place]: r for r in finished if r.error is None}, columns,
                         None if base is None else names[base])
    averages.attrs[BROKEN] = broken
    return averages, _per_query({names[r.place]: r for r in finished if r.error is None}, columns)


def _listed(broken: Mapping[str, str]) -> str:
    return "; ".join(f"{name} ({error})" for name, error in broken.items())


def _tell(results: Iterable[_Result], names: Sequence[str]) -> None:
    """Warns of what was told of the runs, each thing once with all the runs that it is about."""
    about: dict[str, list[str]] = {}
    for result in results:
        for message in result.told:
            about.setdefault(message, []).append(names[result.place])
    for message, some in about.items():
        of_all = len(some) == len(names)
        warn(message if of_all else f"{message} (run{'s' if len(some) > 1 else ''} {', '.join(some)})")


# ---------------------------------------------------------------------------------------------------------------------
# what is asked for


def _named(runs: Source | Sequence[Source] | Mapping[str, Source]) -> dict[str, Source]:
    """The runs by name."""
    if isinstance(runs, Mapping):
        named = {str(name): run for name, run in runs.items()}
        if len(named) < len(runs):
            raise ValueError(f"two runs have the same name as text; the names are {', '.join(map(repr, runs))}")
    else:
        some = [runs] if isinstance(runs, (str, os.PathLike, pd.DataFrame)) else list(runs)
        every = [one for run in some for one in ([run] if isinstance(run, pd.DataFrame) else _files(run))]
        short = [f"run {i}" if isinstance(run, pd.DataFrame) else _name(run) for i, run in enumerate(every)]
        names = [os.fspath(run) if short.count(name) > 1 and not isinstance(run, pd.DataFrame) else name
                 for name, run in zip(short, every, strict=True)]
        again = next((name for i, name in enumerate(names) if name in names[:i]), None)
        if again is not None:
            raise ValueError(f"the run {again!r} is given twice; give each once, or a dictionary with a name for each")
        named = dict(zip(names, every, strict=True))
    for name, run in named.items():
        if not isinstance(run, (str, os.PathLike, pd.DataFrame)):
            raise ValueError(f"the run {name!r} is a {type(run).__name__}; a run is the path of a file or a DataFrame")
    if not named:
        raise ValueError("there are no runs to evaluate")
    return named


def _files(path: io.Path) -> list[str]:
    text = os.fspath(path)
    if not glob.has_magic(text) or os.path.exists(text):
        return [text]
    found = sorted(glob.glob(text, recursive=True))
    if not found:
        raise ValueError(f"no file matches {text!r}")
    return found


def _name(path: io.Path) -> str:
    return os.path.basename(os.fspath(path)).removesuffix(".gz").removesuffix(".parquet")


def _place(baseline: int | str, named: Mapping[str, Source]) -> int:
    names = list(named)
    if isinstance(baseline, (int, np.integer)):
        if not 0 <= baseline < len(names):
            raise ValueError(f"baseline={baseline} is no place in a list of {len(names)} runs; the first is 0")
        return int(baseline)
    if baseline in named:
        return names.index(baseline)
    paths = [None if isinstance(run, pd.DataFrame) else os.fspath(run) for run in named.values()]
    if os.fspath(baseline) in paths:
        return paths.index(os.fspath(baseline))
    if os.path.basename(baseline) == baseline and _name(baseline) in named:  # the file's name, as it is in its folder
        return names.index(_name(baseline))
    raise ValueError(f"the baseline {baseline!r} is none of the runs; they are {', '.join(names)}")


def _parallel(n_jobs: int, runs: int) -> Any:
    """joblib's means, or ``None`` for this process alone.

    :param runs: how many there are; more processes would have nothing to do
    """
    if n_jobs == 0:
        raise ValueError("0 processes cannot evaluate anything; give 1 or more, or -1 for all "
                         "processors")
    if n_jobs == 1 and "joblib" not in sys.modules:  # so nobody has configured it
        return None
    try:
        from joblib import Parallel, effective_n_jobs
    except ImportError:
        raise ImportError(f"n_jobs={n_jobs} needs joblib: "
                          "pip install 'pt-fairness[parallel]'") from None

    def means(jobs: int | None) -> Any:
        return Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)

    parallel = means(None if n_jobs == 1 else n_jobs)
    if parallel.n_jobs == 1:
        return None
    most = effective_n_jobs(parallel.n_jobs)
    # A cluster has the workers that it has, however many it is asked for.
    if runs < most < effective_n_jobs(most + 1):
        return None if runs == 1 else means(runs)
    return parallel


def _need_files(named: Mapping[str, Source]) -> None:
    """:raises ValueError: a run is a pipe, which this process alone can read"""
    for name, run in named.items():
        if not isinstance(run, pd.DataFrame) and files.is_pipe(run):
            raise ValueError(f"the run {name!r} is a pipe, which other processes cannot read; save "
                             "it to a file, or use one process (n_jobs=1)")


@dataclass(frozen=True)
class _Plan:
    """What is done with every run; it travels to the workers."""

    qrels: pd.DataFrame
    #: Their names are bound to what they mean here, whatever they mean in a worker.
    measures: list[Any]
    #: The environment variable that decides who computes α-nDCG.
    alpha: str | None
    checkpoint: str | None
    #: Differs between plans of different results; empty where nobody asks.
    digest: str
    #: How many threads a file may be read with; ``None`` for as many as pandas takes.
    threads: int | None
    #: Where it was made.
    process: tuple[str, int] = field(default_factory=lambda: _process())


def _process() -> tuple[str, int]:
    return platform.node(), os.getpid()


def _plan(qrels: io.Path | pd.DataFrame, measures: Any, checkpoint: io.Path | None, workers: int) -> _Plan:
    """
    :param workers: how many processes share the processors: 1 for this one alone, −1 for as many as there are processors
    """
    frame = qrels if isinstance(qrels, pd.DataFrame) else io.load_qrels(qrels)
    columns = dict(zip(io.qrels_columns(frame), ("query_id", "doc_id", "relevance"), strict=True))
    frame = _as_text(frame.rename(columns=columns), "qrels", "query_id", "doc_id")
    if frame.empty:
        raise ValueError("the qrels have no rows, so there is no topic to evaluate")
    every, digests = _bound(_measures(measures))
    alpha = os.environ.get(ALPHA_VARIABLE)
    folder = None
    if checkpoint is not None:
        folder = os.path.abspath(os.path.expanduser(checkpoint))
        os.makedirs(folder, exist_ok=True)
    digest = ""
    if workers != 1 or checkpoint is not None:  # it has to be told from others
        settings = [__version__, ir_measures.__version__, alpha, digests, *map(_measure_key, every)]
        digest = fingerprint.of_value([settings, fingerprint.of_frame(frame)])
    threads = None if workers == 1 else max(1, (os.cpu_count() or 1) // workers)
    return _Plan(frame, every, alpha, folder, digest, threads)


def _measures(measures: Any) -> list[Any]:
    every = parsed(measures)
    if not every:
        raise ValueError("there are no measures to compute")
    return every


def _bound(measures: Sequence[Any]) -> tuple[list[Any], list[Any]]:
    """Bind measures to the groups, targets, values and runs that their names mean here.

    :returns: the measures, and what identifies the content of these
    """
    every: list[Any] = []
    digests: list[Any] = []
    found: dict[tuple[str, str], Any] = {}
    for measure in measures:
        if not isinstance(measure, FairnessMeasure):
            every.append(measure)
            continue
        names = [(param, name) for param, some in measure.names().items() for name in some]
        for param, name in names:
            if (param, name) not in found:  # a pipe can be read once
                found[param, name], digest = _meaning(param, name)
                digests.append([name, *digest])
        spellings: dict[str, dict[str, str]] = {}
        for param, name in names:
            spellings.setdefault(param, {})[name] = BoundName(name, found[param, name])
        every.append(measure.renamed(spellings) if names else measure)
    return every, digests


def _meaning(param: str, name: str) -> tuple[Any, list[str]]:
    """Return what the value of a parameter means here, and what identifies its content."""
    from pt_fairness import groups, runs, targets, values
    if param == "groups":
        source = groups.get(name)
        return source, [source.digest(), source.state()]
    if param == "values":
        numbers = values.get(name)
        return numbers, [numbers.digest()]
    if param == "background":
        run = runs.get(name)
        return run, [fingerprint.of_frame(run)]
    return targets.find(name), [fingerprint.of_frame(targets.get(name))]


def _measure_key(measure: Any) -> str:
    """Return a cache key that differs between measures that differ in name, parameters or code."""
    defined = getattr(measure, "runtime_impl", None)
    if defined is None and type(measure).__module__.partition(".")[0] in ("ir_measures", "pt_fairness"):
        return str(measure)
    return f"{measure} {fingerprint.of_value(defined or type(measure))}"


# ---------------------------------------------------------------------------------------------------------------------
# in the workers


@dataclass(frozen=True)
class _Result:
    """What is known of a run: a value for each topic and measure (NaN: none), or what is wrong with it."""

    place: int
    qids: list[str] = field(default_factory=list)
    #: ``[topics, measures]``
    values: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    #: What the measures warn about.
    told: list[str] = field(default_factory=list)
    error: str | None = None


Job = tuple[int, Source]


def _results(plan: _Plan, jobs: list[Job], parallel: Any) -> Iterator[_Result]:
    """The results of the runs, as they come in."""
    if parallel is None:
        scorer = _Scorer(plan)
        return (scorer.result(job) for job in jobs)
    from joblib import delayed
    try:  # knows the functions and classes of a script or a notebook
        import cloudpickle
    except ImportError:  # joblib before 1.6 has its own
        from joblib.externals import cloudpickle
    # joblib lets its processes share an array. In a tuple, it goes along with each run to Dask's workers; by itself, Dask
    # would keep one copy of it, which is lost with the worker that has it.
    packed = (np.frombuffer(cloudpickle.dumps(plan), np.uint8),)
    return iter(parallel(delayed(_in_worker)(packed, plan.digest, job) for job in jobs))


#: The evaluator that a thread of a worker made last; evaluators are not for several threads.
_last = threading.local()
#: The environment belongs to the process.
_process_lock = threading.Lock()


def _in_worker(packed: tuple[NDArray[np.uint8]], digest: str, job: Job) -> _Result:
    if getattr(_last, "digest", None) != digest:
        _last.digest, _last.scorer = None, None  # two plans at a time would be one too many
        plan: _Plan = pickle.loads(packed[0].data)
        for measure in plan.measures:
            if not hasattr(measure, "__name__"):  # ir_measures.define gives it to a class, where pickle does not look
                measure.__name__ = measure.NAME
        _last.scorer = _Scorer(plan)
        _last.digest = digest
    scorer: _Scorer = _last.scorer
    return scorer.result(job)


class _Scorer:
    """Scores one run after the other."""

    def __init__(self, plan: _Plan) -> None:
        self._plan = plan
        self._topics = plan.qrels["query_id"].unique().tolist()
        with _process_lock, collecting_warnings() as self._told:
            if plan.process != _process():
                _set_environment(plan)
            self._evaluator = ManyRunsEvaluator(plan.measures, plan.qrels)

    def result(self, job: Job) -> _Result:
        """What comes of a run, from the checkpoint if it is there; errors are part of it."""
        place, source = job
        try:
            with _opened(source) as run:
                state = run.state() if isinstance(run, Input) else None
                key = None
                if self._plan.checkpoint is not None:
                    key = self._key(run, self._plan.checkpoint)
                kept = None if key is None else _kept(key)
                with _reading_with(self._plan.threads):
                    qids, values, told = kept or self._scored(_read(run))
                if isinstance(run, Input) and run.state() != state:
                    raise ValueError(f"{run.name} was written to while it was read")
            if key is not None and kept is None:
                try:
                    _keep(key, qids, values, told)
                except OSError as error:
                    told = [*told, f"the checkpoint {self._plan.checkpoint} cannot keep what is finished: {error.strerror}"]
        except Exception as error:  # whatever is wrong with this run, the others have nothing to do with it
            known = isinstance(error, (ValueError, OSError))
            return _Result(place, error=str(error) if known else f"{type(error).__name__}: {error}")
        return _Result(place, qids, values, told)

    def _key(self, run: Input | pd.DataFrame, folder: str) -> str:
        """The file that keeps a run's result."""
        content = (fingerprint.of_frame(run) if isinstance(run, pd.DataFrame)
                   # The end of the name says how the content is to be read.
                   else run.digest() + os.path.splitext(run.name)[1])
        name = hashlib.sha256(f"{self._plan.digest} {content}".encode()).hexdigest()
        return os.path.join(folder, f"{name}.npz")

    def _scored(self, run: pd.DataFrame) -> tuple[list[str], Floats, list[str]]:
        if run.empty:
            raise ValueError("the run is empty; a system that returned nothing for any topic cannot be told from a failed one")
        run = run.rename(columns={"qid": "query_id", "docno": "doc_id"})
        place: dict[str, int] = {}
        column = {measure: i for i, measure in enumerate(self._plan.measures)}
        rows, columns, values = [], [], []
        with collecting_warnings() as told:
            for metric in self._evaluator.iter_calc(run):
                rows.append(place.setdefault(metric.query_id, len(place)))
                columns.append(column[metric.measure])
                values.append(metric.value)
        for qid in self._topics:
            place.setdefault(qid, len(place))
        table = np.full((len(place), len(column)), np.nan)
        table[rows, columns] = values
        return list(place), table, [*self._told, *told]


def _set_environment(plan: _Plan) -> None:
    """Set this process's environment to that of the process that made the plan."""
    if plan.alpha is None:
        os.environ.pop(ALPHA_VARIABLE, None)
    else:
        os.environ[ALPHA_VARIABLE] = plan.alpha


def _as_text(frame: pd.DataFrame, what: str, *columns: str) -> pd.DataFrame:
    """The frame with identifiers as text; 1 and 1.0 are ``'1'``, as in every measure.

    :raises ValueError: one is missing
    """
    for column in columns:
        if frame[column].isna().any():
            raise missing(frame[column], frame[column].isna().to_numpy().argmax(), what)
    return frame.assign(**{column: whole_numbers(frame[column]).astype("str") for column in columns})


def _reading_with(threads: int | None) -> AbstractContextManager[Any]:
    """Has pandas, since version 3.1, read files with so many threads: workers would get in each other's way with more."""
    known = threads is not None and hasattr(pd.options.mode, "max_threads")
    return pd.option_context("mode.max_threads", threads) if known else nullcontext()


def _opened(source: Source) -> AbstractContextManager[Input | pd.DataFrame]:
    return nullcontext(source) if isinstance(source, pd.DataFrame) else files.opened(source)


def _read(source: Input | pd.DataFrame) -> pd.DataFrame:
    """``qid, docno, score``, and what else a caller's frame has."""
    if isinstance(source, Input):
        return io.read_run_as(source, object)
    run = source.rename(columns={"query_id": "qid", "doc_id": "docno"})
    io.need_columns(run, ["qid", "docno", "score"], "the run")
    run = _as_text(run, "run", "qid", "docno").astype({"score": float})
    wrong = run["score"].isna().to_numpy()
    if wrong.any():
        row = run.iloc[int(wrong.argmax())]
        raise ValueError(f"the score of document {row['docno']!r} for topic {row['qid']!r} is NaN, so it has no rank")
    return run


def _kept(path: str) -> tuple[list[str], Floats, list[str]] | None:
    """The result in a file; ``None`` if there is no such file or it is damaged, which its checksums tell."""
    if not os.path.exists(path):
        return None
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as kept:
            return kept["qids"].tolist(), kept["values"], kept["told"].tolist()
    except Exception:  # zipfile and numpy raise all kinds of errors, depending on which byte is wrong
        return None


def _keep(path: str, qids: list[str], values: Floats, told: list[str]) -> None:
    """Write a result so that the file is there whole or not at all."""
    # numpy's archive in memory: on a full disk, closing it raises other errors than OSError.
    archive = BytesIO()
    np.savez(archive, qids=np.array(qids, dtype=str), values=values,
             told=np.array(told, dtype=str))
    with files.written_whole(path) as out:
        out.write(archive.getbuffer())


# ---------------------------------------------------------------------------------------------------------------------
# tables


def _averages(results: Mapping[str, _Result], columns: Sequence[str], baseline: str | None) -> pd.DataFrame:
    table: dict[str, Any] = {"name": pd.Series(list(results), dtype="str")}
    means = np.array([_means(result.values, columns) for result in results.values()])
    table |= dict(zip(columns, means.T, strict=True))
    if baseline is not None:
        tests = np.array([_against(result, None if name == baseline else results.get(baseline), len(columns))
                          for name, result in results.items()])
        for i, column in enumerate(columns):
            table |= {column + suffix: tests[:, row, i] for row, suffix in enumerate((WINS, LOSSES, TEST_SUFFIXES[0]))}
    return pd.DataFrame(table)


def _means(values: Floats, columns: Sequence[str]) -> Floats:
    """``[measures]``: the mean of each over the topics that it has a value for, or the sum where that is what is wanted."""
    count = np.where(np.isin(columns, list(SUMMED)), 1, (~np.isnan(values)).sum(axis=0))
    # One addition after the other, as pt.Experiment adds: numpy's sum would differ in the last digits.
    sums = np.nancumsum(np.vstack([np.zeros(len(columns)), values]), axis=0)[-1]
    return np.where(count > 0, sums / np.maximum(count, 1), np.nan)


def _against(result: _Result, baseline: _Result | None, measures: int) -> Floats:
    """``[3, measures]``: topics won, topics lost, p-value."""
    if baseline is None:
        return np.full((3, measures), np.nan)
    from scipy import stats
    row = {qid: i for i, qid in enumerate(result.qids)}
    padded = np.vstack([result.values, np.full(measures, np.nan)])
    ours = np.ascontiguousarray(padded[[row.get(qid, -1) for qid in baseline.qids]].T)
    theirs = np.ascontiguousarray(baseline.values.T)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        # scipy warns of runs that hardly differ, whose p-values mean little; those of equal runs are NaN.
        warnings.filterwarnings("ignore", category=RuntimeWarning)
        p_values = stats.ttest_rel(ours, theirs, axis=1, nan_policy="omit").pvalue
    return np.array([(ours > theirs).sum(axis=1), (ours < theirs).sum(axis=1), p_values])


def _per_query(results: Mapping[str, _Result], columns: Sequence[str]) -> pd.DataFrame:
    names = sorted(results)
    qids, values = [], []
    for name in names:
        order = np.argsort(np.array(results[name].qids, dtype=object), kind="stable")
        qids.append(np.array(results[name].qids, dtype=object)[order])
        values.append(results[name].values[order].ravel())
    topics = [len(some) for some in qids]
    return pd.DataFrame({
        "name": pd.Index(names, dtype="str").repeat(np.array(topics) * len(columns)),
        "qid": pd.Index(np.concatenate(qids), dtype="str").repeat(len(columns)),
        "measure": pd.Index(list(columns), dtype="str").take(np.tile(np.arange(len(columns)), sum(topics))),
        "value": np.concatenate(values)})


Form = Literal["csv", "md", "latex", "json"]


def as_text(table: pd.DataFrame, form: Form) -> str:
    """A table as CSV, Markdown, LaTeX (with booktabs) or JSON (a list of objects).

    CSV and JSON have all digits, Markdown and LaTeX four decimals. What is missing is empty, or
    null. LaTeX has the best averages in bold (none, and a warning, in a column whose name is no
    measure), and a dagger where the test against the baseline has p < .05, instead of columns for
    the test.
    """
    table = table.reset_index(drop=True)
    counts = [column for column in table.columns if str(column).endswith((WINS, LOSSES))]
    table = table.astype(dict.fromkeys(counts, "Int64"))
    if form == "csv":
        return table.to_csv(index=False, lineterminator="\n")
    if form == "json":
        rows = table.astype(object).where(table.notna(), None).to_dict("records")
        return json.dumps(rows, ensure_ascii=False, indent=1) + "\n"
    cells = pd.DataFrame({column: [_cell(value) for value in table[column].tolist()] for column in table.columns}, dtype=object)
    if form == "latex":
        return _latex(table, cells)
    rule = ["---", *["---:"] * (len(table.columns) - 1)]
    lines = [[str(column) for column in cells.columns], rule, *cells.to_numpy().tolist()]
    return "".join("| " + " | ".join(" ".join(cell.replace("|", "\\|").split()) for cell in line) + " |\n" for line in lines)


#: Marks of a cell, as characters that pandas does not escape and no text has.
_BOLD, _END, _DAGGER = "\ue000", "\ue001", "\ue002"
#: What stands for them; and what pandas does not escape, and LaTeX's default encoding prints as something else.
_LATEX = str.maketrans({"|": r"\textbar{}", "<": r"\textless{}", ">": r"\textgreater{}",
                        _BOLD: r"\textbf{", _END: "}", _DAGGER: r"$^\dagger$"})
_TESTED = f"% dagger: differs from the baseline (two-sided paired t-test, p < {ALPHA:g}, not corrected for several tests)\n"


def _latex(table: pd.DataFrame, cells: pd.DataFrame) -> str:
    tested = False
    if "qid" not in table:  # averages
        columns = measure_columns(table)
        marks = best_of_measures(table[columns])
        for column in columns:
            cells.loc[marks[column], column] = _BOLD + cells[column] + _END
            p_values = table.get(column + TEST_SUFFIXES[0])
            if p_values is not None:
                cells.loc[p_values < ALPHA, column] += _DAGGER
                extra = [column + suffix for suffix in (WINS, LOSSES, *TEST_SUFFIXES)]
                cells, tested = cells.drop(columns=extra, errors="ignore"), True
    text = cells.to_latex(index=False, escape=True, column_format="l" + "r" * (len(cells.columns) - 1))
    return text.translate(_LATEX) + (_TESTED if tested else "")


def _cell(value: Any) -> str:
    return "" if pd.isna(value) else f"{value:.4f}" if isinstance(value, float) else str(value)
