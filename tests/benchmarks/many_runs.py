"""What many runs cost, as ratios: ``python tests/benchmarks/many_runs.py``. Takes two minutes.

Twenty runs of 100,000 rows: the reader beside that of ir_measures, ``evaluate`` of the files beside
``ir_measures.calc_aggregate`` of each of them with the same measures, on one processor and on two.
The shortest time of three rounds counts.
"""

import resource
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import ir_measures
import numpy as np
from one_run import synthetic

from pt_fairness import evaluate, io, read_run

RUNS, ROUNDS = 20, 3
MEASURES = ["nDCG@10", "alpha_nDCG@10", "AWRF@10", "rKL@10", "rND@10", "nDJS@10",
            "EEL(by='group')@10"]


def fastest(*functions: Callable[[], object]) -> list[float]:
    """Return the shortest time of each of some functions, which take turns."""
    best = [float("inf")] * len(functions)
    for _ in range(ROUNDS):
        for i, function in enumerate(functions):
            start = time.perf_counter()
            function()
            best[i] = min(best[i], time.perf_counter() - start)
    return best


def files(folder: Path) -> tuple[Path, list[Path]]:
    """Write qrels, and runs that rank the same documents differently."""
    rng = np.random.default_rng(0)
    qrels, run = synthetic()
    run.insert(1, "q0", "Q0")
    run.insert(3, "rank", 0)
    io.write_qrels(qrels, folder / "qrels")
    paths = [folder / f"run{i:02}" for i in range(RUNS)]
    for path in paths:
        ranked = run.assign(score=rng.standard_normal(len(run)), tag="synthetic")
        ranked.to_csv(path, sep=" ", header=False, index=False)
    return folder / "qrels", paths


def one_by_one(qrels: Path, runs: list[Path]) -> None:
    """Evaluate each run with ir_measures."""
    measures = [ir_measures.parse_measure(measure) for measure in MEASURES]
    for run in runs:
        judged = ir_measures.read_trec_qrels(str(qrels))
        ir_measures.calc_aggregate(measures, judged, ir_measures.read_trec_run(str(run)))


def main() -> None:
    """Measure and print."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as name:
        qrels, runs = files(Path(name))
        theirs, ours = fastest(lambda: list(ir_measures.read_trec_run(str(runs[0]))),
                               lambda: read_run(runs[0]))
        alone, one, two = fastest(
            lambda: one_by_one(qrels, runs),
            lambda: evaluate(runs, qrels, MEASURES, n_jobs=1, progress=False),
            lambda: evaluate(runs, qrels, MEASURES, n_jobs=2, progress=False))
    print(f"ir_measures.read_trec_run / read_run: {theirs / ours:.1f}")
    print(f"{RUNS} runs, ir_measures one by one / evaluate: {alone / one:.1f}")
    print(f"{RUNS} runs, one processor / two: {one / two:.1f}")
    print(f"memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2 ** 20:.2f} GiB")


if __name__ == "__main__":
    main()
