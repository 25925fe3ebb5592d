"""Does the correction of a model's labels hold where labels depend on relevance?

``python tests/studies/labels_and_relevance.py RELEVANCE STANCES RUN…`` takes the qrels of relevance
and of stances of a track (Touché at CLEF 2022, task 2), and runs, cut to judged passages. A model
is simulated that gives the right label to 80 % of the passages and another one at random to the
rest; 200 passages have human labels. The script prints the mean over six samples and all runs of
the error with the model's labels, of that of the corrected mean, and how often the label interval
holds the value: for the stances as they are, and exchanged within each topic, which cuts their
relation to relevance; with and without the label NO, that of most passages that are not relevant.
"""

import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

from pt_fairness import FairnessWarning, evaluate, groups, read_qrels, read_run
from pt_fairness.analysis import uncertain_labels

MEASURES = ["AWRF@10", "rKL@10"]
RIGHT, HUMAN, SAMPLES, DRAWS = 0.8, 200, 6, 60


def sample(runs: dict[str, pd.DataFrame], qrels: pd.DataFrame, stances: pd.DataFrame,
           exchanged: bool, seed: int) -> pd.DataFrame:
    """The errors of one sample: ``name, measure, model, corrected, covers``."""
    rng = np.random.default_rng(seed)
    if exchanged:
        stances = stances.assign(group=stances.groupby("qid")["group"].transform(rng.permutation))
    labels = sorted(stances["group"].unique())
    wrong = [rng.choice([label for label in labels if label != group])
             for group in stances["group"]]
    right = rng.random(len(stances)) < RIGHT
    model = groups.from_frame(stances.assign(group=stances["group"].where(right, wrong)))
    truth = value_of(runs, qrels, groups.from_frame(stances))
    labelled = value_of(runs, qrels, model)
    both = groups.model_labels(model, stances.sample(HUMAN, random_state=seed))
    found = uncertain_labels(runs, qrels, MEASURES, both, DRAWS, seed=seed)
    found = found.set_index(["name", "measure"])
    covers = found["label low"].le(truth) & found["label high"].ge(truth)
    errors = pd.DataFrame({"model": labelled - truth, "corrected": found["mean"] - truth,
                           "covers": covers})
    return errors.reset_index()


def value_of(runs: dict[str, pd.DataFrame], qrels: pd.DataFrame,
             source: groups.Groups) -> pd.Series:
    """The mean of each run and measure."""
    averages, _ = evaluate(runs, qrels, MEASURES, groups=source, undefined="drop", progress=False)
    averages = averages.set_index("name").rename_axis(columns="measure")
    return averages.stack()


def main(relevance: str, stances: str, *runs: str) -> None:
    human = pd.read_csv(stances, sep=r"\s+", dtype=str, usecols=[0, 2, 3],
                        names=["qid", "docno", "group"])
    judged = read_qrels(relevance)[["qid", "docno", "label"]]
    for kind, labels in {"with NO": human, "without": human[human["group"] != "NO"]}.items():
        documents = labels[["qid", "docno"]]
        qrels = judged.merge(documents)
        cut = {Path(run).name: read_run(run).merge(documents) for run in runs}
        for exchanged in (False, True):
            errors = pd.concat(sample(cut, qrels, labels, exchanged, seed)
                               for seed in range(SAMPLES))
            table = errors.groupby("measure")[["model", "corrected", "covers"]].mean()
            print(f"{kind}, {'exchanged within topics' if exchanged else 'as they are'}")
            print(table.round(3).to_string(), end="\n\n")


if __name__ == "__main__":
    warnings.simplefilter("ignore", FairnessWarning)
    main(*sys.argv[1:])
