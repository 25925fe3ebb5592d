"""What many runs cost, as ratios: ``python tests/benchmarks/many_runs.py``. Takes some minutes and
6 GiB.

Twenty runs of 100,000 rows against the command lines, one run after the other, and on two
processors; the reader against ir_measures'; and a run of 7 million rows against
``pandas.read_csv``.
"""

import resource
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import alpha_nDCG, nDCG
from one_run import BIAS, OURS, synthetic
from timing import report, seconds

from pt_fairness import evaluate, io, read_run
from pt_fairness.measures import MEASURES

RUNS = 20
THEIRS = [nDCG @ 10, alpha_nDCG @ 10]
OWN = [measure for measure in [*OURS, *BIAS] if measure.NAME in MEASURES]
BLOCKS = 70
GIB = 1 << 30


def write_run(run: pd.DataFrame, path: Path, mode: str = "w") -> None:
    """A TREC run file in trec_eval's manner: topics together, scores falling."""
    run = run.assign(topic=run["query_id"].astype(int)).sort_values(
        ["topic", "score"], ascending=[True, False])
    rank = run.groupby("topic").cumcount() + 1
    run.assign(q0="Q0", rank=rank, tag="synthetic")[
        ["query_id", "q0", "doc_id", "rank", "score", "tag"]
    ].to_csv(path, sep=" ", header=False, index=False, mode=mode)


def write_runs(folder: Path) -> tuple[Path, list[Path]]:
    """Qrels, and runs over them that rank the same documents differently."""
    rng = np.random.default_rng(0)
    qrels, run = synthetic(100)
    io.write_qrels(qrels, folder / "qrels")
    paths = [folder / f"run{i:02}" for i in range(RUNS)]
    for path in paths:
        write_run(run.assign(score=rng.standard_normal(len(run))), path)
    return folder / "qrels", paths


def python(*arguments: object) -> None:
    subprocess.run(
        [sys.executable, "-W", "ignore", *map(str, arguments)], check=True,
        stdout=subprocess.DEVNULL)


def against_the_commands(qrels: Path, runs: list[Path]) -> list[tuple[str, float, str, bool]]:
    theirs, own = " ".join(map(str, THEIRS)), " ".join(map(str, OWN))

    def one_by_one() -> None:
        for run in runs:
            python("-m", "ir_measures", qrels, run, theirs)
            python("-m", "pt_fairness", qrels, run, own)

    def one_by_one_in_one_command() -> None:
        for run in runs:
            python("-m", "pt_fairness", qrels, run, theirs, own)

    def table(jobs: int) -> None:
        code = "import sys; from pt_fairness.cli import main; sys.exit(main())"
        python("-c", code, "table", qrels, *runs, "-m", theirs, own, "--jobs", jobs)

    separate, together, one, two = seconds(
        one_by_one, one_by_one_in_one_command, lambda: table(1), lambda: table(2), rounds=2)
    return [
        (
            f"{RUNS} runs: the commands, one by one / pt-fairness table", separate / one,
            "at least 5", separate >= 5 * one),
        (
            "  … with the commands' measures all in one python -m pt_fairness", together / one, "",
            True),
        ("  … pt-fairness table, starting included: one process / two", one / two, "", True),
    ]


def on_two_processors(qrels: Path, runs: list[Path]) -> list[tuple[str, float, str, bool]]:
    frame = io.read_qrels(qrels)
    measures = [*THEIRS, *OWN]

    def run(jobs: int) -> None:
        # In another order each time: a worker knows the question that it was asked last.
        measures.append(measures.pop(0))
        evaluate(runs, frame, measures, n_jobs=jobs, progress=False)

    run(2)  # starts the processes before the clock, as with hundreds of runs
    one, two = seconds(lambda: run(1), lambda: run(2), rounds=5)
    return [
        (
            f"{RUNS} runs: evaluate on one processor / on two", one / two, "at least 1.6",
            one >= 1.6 * two)
    ]


def reading(run: Path) -> list[tuple[str, float, str, bool]]:
    theirs, ours = seconds(
        lambda: list(ir_measures.read_trec_run(str(run))), lambda: read_run(run), rounds=7)
    return [
        ("ir_measures.read_trec_run / read_run", theirs / ours, "at least 2", theirs >= 2 * ours)]


def write_large(folder: Path) -> tuple[Path, Path]:
    """A run of 7 million rows for 7,000 topics, and qrels with 110 documents of each topic."""
    rng = np.random.default_rng(0)
    qrels, run = synthetic(100)
    qrels = qrels[qrels.groupby("query_id").cumcount() % 11 == 0]
    with open(folder / "large.qrels", "w") as out:
        for block in range(BLOCKS):
            shifted = [
                (frame["query_id"].astype(int) + 100 * block).astype(str) for frame in (qrels, run)]
            qrels.assign(query_id=shifted[0])[
                ["query_id", "iteration", "doc_id", "relevance"]
            ].to_csv(out, sep=" ", header=False, index=False)
            write_run(
                run.assign(query_id=shifted[1], score=rng.standard_normal(len(run))),
                folder / "large", "a")
    return folder / "large.qrels", folder / "large"


def large(qrels: Path, run: Path) -> list[tuple[str, float, str, bool]]:
    columns = {"qid": str, "q0": str, "docno": str, "rank": int, "score": float, "tag": str}
    # As PyTerrier reads a run: with topics and documents as text. What pandas would guess is
    # faster, and is not the run: topics become numbers. Since version 3.1 it also takes all
    # processors for it.
    typed, guessed, ours = seconds(
        lambda: pd.read_csv(run, sep=r"\s+", header=None, names=list(columns), dtype=columns),
        lambda: pd.read_csv(run, sep=r"\s+", header=None),
        lambda: evaluate(run, qrels, OURS, progress=False), rounds=3)
    alone = subprocess.run(
        [sys.executable, __file__, qrels, run], check=True, capture_output=True, text=True)
    memory = float(alone.stdout)
    return [
        (
            f"{7000 * 1000} rows: evaluate, files included / pandas.read_csv of the run",
            ours / typed, "at most 5", ours <= 5 * typed),
        ("  … / pandas.read_csv that guesses the types", ours / guessed, "", True),
        ("  … seconds", ours, "", True),
        ("  … memory in GiB", memory, "under 6", memory < 6),
    ]


def main() -> int:
    """Measures and prints; returns how many bounds were missed."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        qrels, runs = write_runs(folder)
        missed = report(
            reading(runs[0]) + on_two_processors(qrels, runs) + against_the_commands(qrels, runs))
        return missed + report(large(*write_large(folder)))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    if len(sys.argv) == 3:
        evaluate(sys.argv[2], sys.argv[1], OURS, progress=False)
        print(
            resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / GIB
        )  # Linux counts it in KiB
    else:
        sys.exit(1 if main() else 0)
