"""How often is the sentence "this system may know the groups better" true, and how often false?

``python tests/benchmarks/accusations.py [TABLES]`` simulates tables of AWRF@10 of the three runs of
``label_worlds.py`` and a fourth one that knows the true labels: it alternates between them
(``fair``), or prefers one (``favourite``). 200 documents at random and 20 topics in full are
checked by hand. A row for each world and fourth run says how far its two corrections are off, in
how many tables the sentence accuses it, and in how many it accuses another run. The script ends
with an error if that is so in more than 5 % of all tables.
"""

import sys
import warnings
from collections.abc import Iterator

import ir_measures
import numpy as np
import pandas as pd
from label_worlds import WORLDS, Experiment, experiment

import pt_fairness
from pt_fairness import FairnessWarning, analysis
from pt_fairness.analysis.corrections import Corrections
from pt_fairness.analysis.human_labels import human_labels

NAMES = ["δ = 0", "δ = 1.5", "δ = 3, ε = 0.15"]
MEASURE = "AWRF@10"
CHECKED = 20
#: How much a document of the preferred label gains, in standard deviations of the scores' noise.
PREFERENCE = 1.5


def informed_run(data: Experiment, kind: str, seed: int) -> pd.DataFrame:
    """Return the ranking of a system that knows the true labels."""
    rng = np.random.default_rng((seed, 1))
    frame = data.truth.rename("group").reset_index()
    frame["qid"] = (frame["docno"].str[1:].astype(int) // 125).astype(str)
    relevant = frame["docno"].isin(data.qrels.loc[data.qrels["label"] > 0, "docno"])
    frame["score"] = 1.5 * relevant + rng.normal(scale=1.2, size=len(frame))
    if kind == "favourite":
        frame["score"] += PREFERENCE * (frame["group"] == "A")
    else:
        frame["score"] = -frame.groupby(["qid", "group"])["score"].rank(ascending=False)
    ranked = frame.sort_values("score", ascending=False, kind="stable")
    return ranked.groupby("qid").head(10).drop(columns="group")


def table(name: str, kind: str, seed: int) -> tuple[pd.Series, list[str]]:
    """Return how far the fourth run's two corrections are off, and the sentences."""
    data = experiment(WORLDS[name], 2, seed)
    runs = data.runs | {kind: informed_run(data, kind, seed)}
    needed = analysis.documents_to_label(runs, data.qrels, [MEASURE], data.model, topics=CHECKED,
                                         seed=seed)
    whole = needed.assign(group=needed["docno"].map(data.truth))
    measure = {MEASURE: ir_measures.parse_measure(MEASURE)}
    truth = pt_fairness.evaluate(runs, data.qrels, [MEASURE], groups=data.truth).averages
    human = human_labels(data.human, whole)
    corrections = Corrections(runs, data.qrels, measure, data.model, human, seed)
    values = corrections.table(truth).set_index("name").loc[kind]
    off = values[["corrected", "by topics"]].astype(float) - values["as labelled"]
    return off, corrections.disagreements()


def rows(tables: int) -> Iterator[tuple[str, str, pd.Series, int, int]]:
    """Yield a world, a fourth run, its mean errors, and how many tables accuse it, and others."""
    for name in NAMES:
        for kind in ("fair", "favourite"):
            results = [table(name, kind, seed) for seed in range(tables)]
            errors = pd.concat([off for off, _ in results], axis=1).mean(axis=1)
            own = [any(f"of {kind}:" in line for line in lines) for _, lines in results]
            other = [any(f"of {kind}:" not in line for line in lines) for _, lines in results]
            yield name, kind, errors, sum(own), sum(other)


def main(tables: int) -> int:
    """Print the table, and return whether too many tables accuse a run that knows no labels."""
    accused = 0
    for name, kind, errors, own, other in rows(tables):
        print(f"{name:<16} {kind:<9} corrected {errors['corrected']:+.3f}, by topics "
              f"{errors['by topics']:+.3f}; accused in {own} of {tables} tables, another run in "
              f"{other}", flush=True)
        accused += other
    return int(accused > 0.05 * tables * len(NAMES) * 2)


if __name__ == "__main__":
    warnings.simplefilter("ignore", FairnessWarning)
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 20))
