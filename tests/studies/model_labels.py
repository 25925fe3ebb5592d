"""Do values on a model's labels hold? ``python tests/studies/model_labels.py [EXPERIMENTS]``.

Each experiment has 50 topics of 20 documents in random order. The shares of the labels differ by
topic. A model gives the right label to 85 % of the documents of the first label and to 75 % of the
others, and a wrong one at random to the rest. Some documents are checked by hand. The true value is
that of the true labels of these documents. The script prints, for each measure and way to draw
labels, the mean error and how often the label interval at 95 % covers the truth; and, for the
sampler, the bounds that they have to be in. It ends with an error if one is not.

``model`` takes the model's labels as true. ``pooled`` draws each label on its own, by the error
rates of all topics together, in place of :func:`pt_fairness.groups.model_labels`. ``fixed`` is the
sampler with these rates as known.

In the setting ``prior``, the shares and the errors of each experiment are drawn from the prior
distributions of the sampler: then its mean error has to be 0 but for chance. It is +0.002 by AWRF
(standard error 0.002) and −0.003 by rKL (0.007) in 150 experiments. With the same shares in all
experiments, it need not be 0. With Beta(½, ½), rKL is 0.017 too low, by another sampler of the
same text, too. The posterior of the typical shares and their concentration is the cause: with both
as known, the mean error is +0.003 (standard error 0.004); with the error rates as known, −0.015.
26 % of these topics have one label only, and the sampler says 28 %. rKL is undefined and counts 0.0
there, while it is near 1 where one other document is further down: if these topics count 1, the
mean error is +0.002.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from pt_fairness import FairnessWarning, groups
from pt_fairness.analysis import uncertain_labels
from pt_fairness.analysis.label_sampler import CONCENTRATIONS, PRIOR

TOPICS, DOCUMENTS, DRAWS = 50, 20, 200
MEASURES = ["AWRF(target='uniform')@5", "rKL(target='uniform')@5"]
RIGHT = (0.85, 0.75)
#: The largest mean error, and the smallest and largest share of intervals that cover, in %.
ERROR, COVERS = 0.008, (90, 99)
#: Larger mean errors of rKL: as measured (see above), and three standard errors.
LARGER_ERRORS = {("Beta(½, ½)", "rKL"): 0.03, ("prior", "rKL"): 0.02}


class Setting(NamedTuple):
    """The parameters of the Dirichlet distribution of a topic's shares, and what people check.

    Without parameters, two labels have shares and errors from the prior of the sampler.
    """

    shares: tuple[float, ...]
    human: int


SETTINGS = {"Beta(½, ½)": Setting((0.5, 0.5), 100), "Beta(3, 3)": Setting((3, 3), 100),
            "Dirichlet(1)": Setting((1, 1, 1), 150), "prior": Setting((), 100)}


class Experiment(NamedTuple):
    """One collection: a frame ``qid, docno, label, score`` with the labels beside it."""

    frame: pd.DataFrame
    truth: pd.Series
    model: pd.Series
    human: pd.Series


def experiment(setting: Setting, seed: int, right: Sequence[float] = RIGHT,
               topics: int = TOPICS, documents: int = DOCUMENTS) -> Experiment:
    """Return true labels, a model's labels and the labels by hand of a new collection."""
    rng = np.random.default_rng(seed)
    size, total = len(setting.shares), topics * documents
    if size:
        shares = rng.dirichlet(setting.shares, topics)
        truth = np.concatenate([rng.choice(size, documents, p=share) for share in shares])
        accuracy = np.where(truth == 0, right[0], right[1])
        other = (truth + rng.integers(1, size, total)) % size
        model = np.where(rng.random(total) < accuracy, truth, other)
    else:
        typical = rng.dirichlet([1, 1])
        shares = rng.dirichlet(rng.choice(CONCENTRATIONS) * typical, topics)
        errors = rng.dirichlet([PRIOR, PRIOR], 2)
        truth = rng.random(total) > np.repeat(shares[:, 0], documents)
        truth = truth.astype(int)
        model = (rng.random(total) > errors[truth, 0]).astype(int)
    docno = pd.Index([f"d{i:05d}" for i in range(total)])
    frame = pd.DataFrame({"qid": np.repeat(np.arange(topics), documents).astype(str),
                          "docno": docno, "label": 1, "score": rng.random(total)})
    names = np.array([*"ABCDEF"])
    truth, model = (pd.Series(names[codes], docno) for codes in (truth, model))
    return Experiment(frame, truth, model, truth.sample(setting.human, random_state=seed))


def sources(data: Experiment, ways: Sequence[str]) -> Iterator[groups.Groups]:
    """Yield the group source of each way to draw labels."""
    model, human = groups.from_mapping(data.model), groups.from_mapping(data.human)
    pairs = pd.DataFrame({"model": data.model[data.human.index], "human": data.human})
    counts = pd.crosstab(pairs["model"], pairs["human"])
    rates = counts.div(counts.sum(axis=1), axis=0).to_dict("index")
    for way in ways:
        if way == "sampler":
            yield groups.model_labels(model, human)
            continue
        if way == "model":  # not corrected
            yield model
            continue
        source = groups.with_error_rates(model, rates)
        if way == "pooled":  # as plain weights, which are drawn document by document
            source = groups.from_frame(source.lookup(data.frame["qid"], data.frame["docno"]))
        yield source


def study(setting: Setting, ways: Sequence[str], experiments: int,
          draws: int = DRAWS) -> pd.DataFrame:
    """Return the error, the coverage and n_eff of each experiment, way and measure."""
    rows = []
    for seed in range(experiments):
        data = experiment(setting, seed)
        runs, qrels = {"A": data.frame}, data.frame.drop(columns="score")
        labels = sorted({*data.truth, *data.model})  # some collections have one label
        certain = groups.from_mapping(data.truth, order=labels)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FairnessWarning)
            truth = uncertain_labels(runs, qrels, MEASURES, certain, 2)["mean"]
            for way, source in zip(ways, sources(data, ways), strict=True):
                table = uncertain_labels(runs, qrels, MEASURES, source, draws, seed=seed)
                table["way"], table["error"] = way, table["mean"] - truth
                table["truth"] = truth
                table["covers"] = table["label low"].le(truth) & table["label high"].ge(truth)
                rows.append(table)
    return pd.concat(rows)


def main(experiments: int, ways: Sequence[str]) -> int:
    """Print what the study found, and return how many results are out of their bounds."""
    missed = 0
    for name, setting in SETTINGS.items():
        # Some human labels of the prior say nothing of a label of the model.
        table = study(setting, ways if setting.shares else ["sampler"], experiments)
        for (way, measure), rows in table.groupby(["way", "measure"], sort=False):
            error, covers = rows["error"].mean(), 100 * rows["covers"].mean()
            print(f"{name:<13} {way:<8} {measure:<24} truth {rows['truth'].mean():.3f}  mean error "
                  f"{error:+.4f}  covers {covers:5.1f} %", flush=True)
            if way == "sampler":
                bound = LARGER_ERRORS.get((name, measure.partition("(")[0]), ERROR)
                missed += abs(error) > bound or not COVERS[0] <= covers <= COVERS[1]
    return missed


if __name__ == "__main__":
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    sys.exit(main(number, sys.argv[2:] or ["model", "pooled", "fixed", "sampler"]))
