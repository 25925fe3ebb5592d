"""Do corrected values hold where labels depend on relevance, errors, topics?

``python tests/benchmarks/label_worlds.py [EXPERIMENTS]`` simulates worlds of 50 topics of 125
documents, three runs of different quality, a model of 75 to 85 % and 200 human labels at random.
Labels depend on relevance with a log-odds ratio ``delta``, the errors of the model with
``epsilon``. It prints a row for each world and number of labels: for each measure the mean error,
and how often the label interval holds the value with the true labels, over experiments and runs;
and ends with an error if one is out of its bounds, which are for 60 experiments. These take two to
three hours on one core.
"""

import sys
import warnings
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from pt_fairness import FairnessWarning, groups
from pt_fairness.analysis import uncertain_labels

MEASURES = ["AWRF@5", "AWRF@10", "rKL@5", "rKL@10", "rND@10"]
TOPICS, DOCUMENTS, HUMAN, DRAWS = 50, 125, 200, 200
QUALITIES = (0.5, 1.5, 3.0)
SHARES = {2: (1.2, 0.8), 3: (1.5, 0.9, 0.6)}
ALIKE = {2: (30, 20), 3: (30, 18, 12)}
#: Which labels relevant documents have more often.
DIRECTION = {2: np.array([0.5, -0.5]), 3: np.array([0.5, 0.5, -0.5])}


class World(NamedTuple):
    """What labels and errors depend on, and the least share of intervals that cover."""

    delta: float
    epsilon: float = 0.0
    prefers: bool = False
    alike: bool = False
    bias: tuple[float, float] = (0.008, 0.012)  # of AWRF, and of rKL and rND
    covers: float = 0.89


WORLDS = {
    "δ = 0": World(0), "δ = 1.5": World(1.5), "δ = 1.5, ε = 0.2": World(1.5, 0.2),
    "δ = 3, ε = 0.15": World(3, 0.15, covers=0.87),
    "δ = 1.5, prefers": World(1.5, prefers=True, covers=0.82),
    "δ = 4.8": World(4.8, bias=(0.02, 0.02), covers=0.75),
    "alike": World(0, alike=True, bias=(0.02, 0.02))}


class Experiment(NamedTuple):
    """Runs, qrels, and the labels of the documents that are judged or in a run."""

    runs: dict[str, pd.DataFrame]
    qrels: pd.DataFrame
    truth: pd.Series
    model: pd.Series
    human: pd.Series


def experiment(world: World, labels: int, seed: int) -> Experiment:
    """Return a new collection of a world."""
    rng = np.random.default_rng((seed, labels))
    size = TOPICS * DOCUMENTS
    topic = np.repeat(np.arange(TOPICS), DOCUMENTS)
    relevant = rng.random(size) < rng.beta(3, 7, TOPICS)[topic]
    shares = rng.dirichlet((ALIKE if world.alike else SHARES)[labels], TOPICS)
    shares = shares[topic] * np.exp(world.delta * np.outer(relevant - 0.5, DIRECTION[labels]))
    truth = drawn(shares, rng)
    if world.prefers:
        right = np.where(np.arange(labels) == 0, 0.85, 0.75)
        errors = np.diag(right) + np.outer(1 - right, np.ones(labels)) * (1 - np.eye(labels)) / (
            labels - 1)
        preferred = np.exp(rng.normal(size=(TOPICS, labels)))
        model = drawn(errors[truth] * preferred[topic], rng)
    else:
        right = 0.8 + np.where(truth == 0, 0.05, -0.05) + world.epsilon * (0.5 - relevant)
        other = (truth + rng.integers(1, labels, size)) % labels
        model = np.where(rng.random(size) < right, truth, other)
    judged = rng.random(size) < np.where(relevant, 0.9, 0.6)
    docno = pd.Index([f"d{i:05d}" for i in range(size)], name="docno")
    frame = pd.DataFrame({"qid": topic.astype(str), "docno": docno, "label": relevant.astype(int)})
    x = rng.normal(size=size)
    runs = {}
    for quality in QUALITIES:
        score = quality * relevant + 0.7 * x + rng.normal(size=size)
        ranked = frame.drop(columns="label").assign(score=score)
        ranked = ranked.sort_values("score", ascending=False).groupby("qid").head(10)
        runs[str(quality)] = ranked
    in_run = docno.isin(pd.concat(runs.values())["docno"])
    names = np.array([*"ABC"])
    known = pd.Series(names[truth], docno)[judged | in_run]
    human = known.sample(HUMAN, random_state=seed)
    return Experiment(runs, frame[judged], known, pd.Series(names[model], docno)[known.index],
                      human)


def drawn(weights: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return a column of each row, drawn by weights."""
    limits = weights.cumsum(axis=1)
    return (limits < rng.random((len(weights), 1)) * limits[:, -1:]).sum(axis=1)


def errors(world: World, labels: int, seed: int, draws: int = DRAWS) -> pd.DataFrame:
    """Return ``name, measure, error, covers`` and the columns of ``uncertain_labels``."""
    data = experiment(world, labels, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        truth = uncertain_labels(data.runs, data.qrels, MEASURES,
                                 groups.from_mapping(data.truth), 2)["mean"]
        table = uncertain_labels(data.runs, data.qrels, MEASURES,
                                 groups.model_labels(data.model, data.human), draws, seed=seed)
    covers = table["label low"].le(truth) & table["label high"].ge(truth)
    return table.assign(error=table["mean"] - truth, covers=covers)


def rows(experiments: int) -> Iterator[tuple[str, int, pd.DataFrame]]:
    """Yield a world, the number of labels, and the mean error and coverage of each measure."""
    for name, world in WORLDS.items():
        for labels in SHARES:
            table = pd.concat(errors(world, labels, seed) for seed in range(experiments))
            yield name, labels, table.groupby("measure", sort=False)[["error", "covers"]].mean()


def main(experiments: int) -> int:
    """Print the table, and return how many results are out of their bounds."""
    missed = 0
    for name, labels, found in rows(experiments):
        world = WORLDS[name]
        cells = [f"{row.error:+.3f} {row.covers:.2f}" for row in found.itertuples()]
        print(f"{name:<18} K = {labels}: {' · '.join(cells)}", flush=True)
        awrf = found.index.str.startswith("AWRF")
        bound = np.where(awrf, *world.bias)
        missed += ((found["error"].abs() > bound) | (found["covers"] < world.covers)).sum()
    return missed


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 60))
