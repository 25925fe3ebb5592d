"""Evaluation of many runs against the same qrels."""

from __future__ import annotations

import glob
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.evaluation import workers
from pt_fairness.evaluation.checkpoint import Scores
from pt_fairness.evaluation.plan import make_plan
from pt_fairness.evaluation.workers import Result, Source
from pt_fairness.io.files import Path, is_pipe
from pt_fairness.numerics import Floats
from pt_fairness.tables import LOSSES, TEST_SUFFIXES, WINS
from pt_fairness.text import warn

#: The measures of which pt.Experiment returns the sum over the topics instead of the mean.
SUMMED = frozenset({"NumQ", "NumRel", "NumRet", "NumRelRet"})
#: The key of ``averages.attrs`` that maps the names of failed runs to their errors.
BROKEN = "broken"


def evaluate(runs: Source | Sequence[Source] | Mapping[str, Source], qrels: Any, measures: Any, *,
             baseline: int | str | None = None, n_jobs: int = 1, checkpoint: Path | None = None,
             progress: bool = True) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Evaluate any number of runs, as ``pt.Experiment`` would.

    Each run is read once, and at most ``n_jobs`` runs are in memory at a time. With ``n_jobs`` of 2
    or more, or within ``joblib.parallel_config``, joblib distributes the runs: over local
    processes, or over the cluster of ``joblib.parallel_config("dask")``, whose workers need the
    files under the same paths. Registered groups and targets are sent to the workers.

    A run that cannot be read or scored does not stop the others. It is missing from the tables,
    one warning names all such runs with their errors (by file and line), and
    ``averages.attrs["broken"]`` maps their names to the errors. If the baseline is such a run, the
    columns of the comparison are empty. A warning of the measures is given once, with the runs that
    it applies to.

    :param runs: a run, a sequence of runs, or a dictionary from names to runs. A run is the path
        of a file (see :func:`read_run`) or a frame with ``qid, docno, score`` (or ir_measures'
        names). A frame with several rankings of a topic has the column ``iteration``, the sample of
        each row. Outside a dictionary, a pattern such as ``runs/*.gz`` stands for several files.
        There, a file is named after its file name without ``.gz`` or ``.parquet`` (its path if two
        files have the same name), and a frame after its position, such as ``run 0``.
    :param qrels: a TREC qrels file, the id of a dataset of ir_datasets (with ``irds:`` in front or
        not), a dataset of ``pt.get_dataset``, or a frame with ``qid, docno, label`` and, if it has
        groups, ``iteration`` (or ir_measures' names). Averages are over its topics.
    :param measures: measures of ir_measures or of this package, or their names
    :param baseline: the run to test the others against: its position, name or path
    :param n_jobs: the number of processes, at most one for each run; −1 for all processors. With 1,
        ``joblib.parallel_config`` sets it; outside such a block, this process evaluates all runs.
    :param checkpoint: a folder for the scores of finished runs; a repeated call computes only the
        missing ones. The cache key covers the content of the run, the qrels, the measures, the
        groups, the targets, and the versions of this package and ir_measures. Your own measures and
        groups are hashed by the source text of their module or, in a script or notebook, by their
        byte code and the objects that they refer to by name. The hash does not cover modules that
        they import and files that they read: use a new folder after you change one. Workers on
        other machines need access to the folder.
    :param progress: whether to show a progress bar on standard error
    :returns: the averages and the values per topic, not rounded. The averages are those of
        ``pt.Experiment``: ``name``, a column for each measure and, with a baseline, ``+``, ``-``
        (topics with a larger and a smaller value) and ``p-value`` (paired t-test) of each; rows in
        the order of the runs. The values are those of ``pt.Experiment(perquery=True)``: ``name,
        qid, measure, value``, sorted by name and topic. A measure that is undefined
        for a topic is NaN there; the average excludes the topic.
    :raises ValueError: no runs, two of the same name, an unknown baseline, a measure that is wrong
        or does not fit the qrels, qrels that cannot be read, ``n_jobs=0``, a pipe for several
        processes, or no run that could be evaluated
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
    named = _named(runs)
    names = list(named)
    base = None if baseline is None else names[_position(baseline, named)]
    parallel = workers.make_parallel(n_jobs, len(named))
    if parallel is not None:
        _refuse_pipes(named)
    plan = make_plan(qrels, measures, checkpoint, 1 if parallel is None else parallel.n_jobs)
    results: list[Result | None] = [None] * len(named)
    from tqdm import tqdm
    # Workers may have another working directory.
    sources = [run if parallel is None or isinstance(run, pd.DataFrame) else os.path.abspath(run)
               for run in named.values()]
    with tqdm(total=len(named), desc="evaluate", unit="run", disable=not progress) as bar:
        for result in workers.results(plan, list(enumerate(sources)), parallel):
            results[result.position] = result
            bar.update()
    finished = [result for result in results if result is not None]
    _warn_once(finished, names)
    broken = {names[one.position]: one.error for one in finished if one.error is not None}
    if len(broken) == len(names):
        raise ValueError(f"no run could be evaluated: {_with_errors(broken)}")
    if broken:
        warn(f"{len(broken)} of {len(names)} runs could not be evaluated and are missing from the "
             f"tables: {_with_errors(broken)}")
    columns = [str(measure) for measure in plan.measures]
    scores = {names[one.position]: one.scores for one in finished if one.error is None}
    averages = _averages(scores, columns, base)
    averages.attrs[BROKEN] = broken
    return averages, _per_query(scores, columns)


def _with_errors(broken: Mapping[str, str]) -> str:
    return "; ".join(f"{name} ({error})" for name, error in broken.items())


def _warn_once(results: Iterable[Result], names: Sequence[str]) -> None:
    """Issue each distinct warning once, with the names of the runs that it applies to."""
    runs_of: dict[str, list[str]] = {}
    for result in results:
        for message in result.scores.warnings:
            runs_of.setdefault(message, []).append(names[result.position])
    for message, some in runs_of.items():
        plural = "s" if len(some) > 1 else ""
        warn(message if len(some) == len(names) else f"{message} (run{plural} {', '.join(some)})")


def _named(runs: Source | Sequence[Source] | Mapping[str, Source]) -> dict[str, Source]:
    """Return the runs by name.

    :raises ValueError: there are none, two have the same name, or one is no path and no frame
    """
    if isinstance(runs, Mapping):
        named = {str(name): run for name, run in runs.items()}
        if len(named) < len(runs):
            raise ValueError("two runs have the same name as text; the names are "
                             f"{', '.join(map(repr, runs))}")
    else:
        some = [runs] if isinstance(runs, (str, os.PathLike, pd.DataFrame)) else list(runs)
        every = [one for run in some
                 for one in ([run] if isinstance(run, pd.DataFrame) else _matching_files(run))]
        short = [f"run {i}" if isinstance(run, pd.DataFrame) else _file_name(run)
                 for i, run in enumerate(every)]
        names = [os.fspath(run) if short.count(name) > 1 and not isinstance(run, pd.DataFrame)
                 else name for name, run in zip(short, every, strict=True)]
        again = next((name for i, name in enumerate(names) if name in names[:i]), None)
        if again is not None:
            raise ValueError(f"the run {again!r} is given twice; give each once, or a dictionary "
                             "with a name for each")
        named = dict(zip(names, every, strict=True))
    for name, run in named.items():
        if not isinstance(run, (str, os.PathLike, pd.DataFrame)):
            raise ValueError(f"the run {name!r} is a {type(run).__name__}; a run is the path of a "
                             "file or a DataFrame")
    if not named:
        raise ValueError("there are no runs to evaluate")
    return named


def _matching_files(path: Path) -> list[str]:
    """Return the files that match a pattern; a path without wildcards is returned as it is.

    :raises ValueError: no file matches
    """
    text = os.fspath(path)
    if not glob.has_magic(text) or os.path.exists(text):
        return [text]
    found = sorted(glob.glob(text, recursive=True))
    if not found:
        raise ValueError(f"no file matches {text!r}")
    return found


def _file_name(path: Path) -> str:
    return os.path.basename(os.fspath(path)).removesuffix(".gz").removesuffix(".parquet")


def _position(baseline: int | str, named: Mapping[str, Source]) -> int:
    """Return the position of the baseline in the runs.

    :raises ValueError: the baseline is none of the runs
    """
    names = list(named)
    if isinstance(baseline, (int, np.integer)):
        if not 0 <= baseline < len(names):
            raise ValueError(f"baseline={baseline} is no position in a list of {len(names)} runs; "
                             "the first is 0")
        return int(baseline)
    if baseline in named:
        return names.index(baseline)
    paths = [None if isinstance(run, pd.DataFrame) else os.fspath(run) for run in named.values()]
    if os.fspath(baseline) in paths:
        return paths.index(os.fspath(baseline))
    if os.path.basename(baseline) == baseline and _file_name(baseline) in named:
        return names.index(_file_name(baseline))
    raise ValueError(f"the baseline {baseline!r} is none of the runs; they are {', '.join(names)}")


def _refuse_pipes(named: Mapping[str, Source]) -> None:
    """Raise an error if a run is a pipe, which other processes cannot read.

    :raises ValueError: a run is a pipe
    """
    for name, run in named.items():
        if not isinstance(run, pd.DataFrame) and is_pipe(run):
            raise ValueError(f"the run {name!r} is a pipe, which other processes cannot read; save "
                             "it to a file, or use one process (n_jobs=1)")


def _averages(scores: Mapping[str, Scores], columns: Sequence[str],
              baseline: str | None) -> pd.DataFrame:
    """Return ``name``, the average of each measure and, with a baseline, the comparisons."""
    table: dict[str, Any] = {"name": pd.Series(list(scores), dtype="str")}
    means = np.array([_means(one.values, columns) for one in scores.values()])
    table |= dict(zip(columns, means.T, strict=True))
    if baseline is not None:
        tests = np.array([_compare(one, None if name == baseline else scores.get(baseline),
                                   len(columns)) for name, one in scores.items()])
        for i, column in enumerate(columns):
            table |= {column + suffix: tests[:, row, i]
                      for row, suffix in enumerate((WINS, LOSSES, TEST_SUFFIXES[0]))}
    return pd.DataFrame(table)


def _means(values: Floats, columns: Sequence[str]) -> Floats:
    """Return the mean of each measure over the topics with a value, ``[measures]``.

    The measures in :data:`SUMMED` are summed.
    """
    count = np.where(np.isin(columns, list(SUMMED)), 1, (~np.isnan(values)).sum(axis=0))
    # Sum sequentially, as pt.Experiment does: numpy's sum is rounded differently.
    sums = np.nancumsum(np.vstack([np.zeros(len(columns)), values]), axis=0)[-1]
    return np.where(count > 0, sums / np.maximum(count, 1), np.nan)


def _compare(run: Scores, baseline: Scores | None, measures: int) -> Floats:
    """Return the topics with a larger and a smaller value and the p-value, ``[3, measures]``."""
    if baseline is None:
        return np.full((3, measures), np.nan)
    from scipy import stats
    row = {qid: i for i, qid in enumerate(run.qids)}
    padded = np.vstack([run.values, np.full(measures, np.nan)])
    ours = np.ascontiguousarray(padded[[row.get(qid, -1) for qid in baseline.qids]].T)
    theirs = np.ascontiguousarray(baseline.values.T)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        # scipy warns of runs that are almost equal. The p-value of equal runs is NaN.
        warnings.filterwarnings("ignore", category=RuntimeWarning)
        p_values = stats.ttest_rel(ours, theirs, axis=1, nan_policy="omit").pvalue
    return np.array([(ours > theirs).sum(axis=1), (ours < theirs).sum(axis=1), p_values])


def _per_query(scores: Mapping[str, Scores], columns: Sequence[str]) -> pd.DataFrame:
    """Return ``name, qid, measure, value``, sorted by name and topic."""
    names = sorted(scores)
    qids, values = [], []
    for name in names:
        topics = np.array(scores[name].qids, dtype=object)
        order = np.argsort(topics, kind="stable")
        qids.append(topics[order])
        values.append(scores[name].values[order].ravel())
    counts = [len(some) for some in qids]
    measure = np.tile(np.arange(len(columns)), sum(counts))
    return pd.DataFrame({
        "name": pd.Index(names, dtype="str").repeat(np.array(counts) * len(columns)),
        "qid": pd.Index(np.concatenate(qids), dtype="str").repeat(len(columns)),
        "measure": pd.Index(list(columns), dtype="str").take(measure),
        "value": np.concatenate(values)})
