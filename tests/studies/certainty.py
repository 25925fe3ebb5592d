"""How often intervals cover, and tests reject: ``python tests/studies/certainty.py [EXPERIMENTS]``.

Each experiment has 50 topics and, for uncertain labels, 100 draws. The script prints a line for
each study, with the percentage that it found and the bounds that it has to be in, and ends with an
error if one is not. 2,000 experiments, the default, take some minutes.

Uncertain labels: a document is of group A or B, and A has a probability of beta(0.5, 0.5). The
value of a topic is |2·share of A − 1|. With documents of their own, each topic has 10 others, and
the true mean is that over all topics and labels. With shared documents, those of a topic are the
first 10 of a random order of the same 30, the share is that of the exposure 1 / log2(rank + 1), and
the true mean is that over all orders, with the true labels of the 30. The label intervals have to
cover the mean of the 50 topics with the true labels.
"""

import itertools
import math
import sys

import numpy as np
import pandas as pd

from pt_fairness import groups
from pt_fairness.analysis import compare, intervals, topic_gaps, uncertain_labels

TOPICS, DRAWS, RANKED, DOCUMENTS = 50, 100, 10, 30
#: The mean of beta(2, 3).
MEAN = 0.4
DELTA = 0.1
EXPOSURE = 1 / np.log2(np.arange(RANKED) + 2)
#: The measures of both studies of uncertain labels; the value of BiasDCG has to be normalised.
OWN, SHARED = "BiasP(pro='A',con='B',abs=True)@10", "BiasDCG(pro='A',con='B',abs=True)@10"


def frame_of(values: np.ndarray) -> pd.DataFrame:
    """A per-query frame with a system for each row; less is better."""
    names, qids = (np.arange(size).astype(str) for size in values.shape)
    index = pd.MultiIndex.from_product([names, qids], names=["name", "qid"])
    return index.to_frame(index=False).assign(measure="rKL@10", value=values.ravel())


def of_topics(experiments: int) -> dict[str, tuple[float, float, float]]:
    """Intervals and tests of values from beta(2, 3): the percentage found and its bounds."""
    rng = np.random.default_rng(28)
    values = rng.beta(2, 3, (experiments, TOPICS))
    found = {}
    for method in ("t", "bca"):
        table = intervals(frame_of(values), method)
        found[f"{method} interval covers"] = table["low"].le(MEAN) & table["high"].ge(MEAN), 93, 97
    # The first system is a baseline from which the others do not differ on average.
    frame = frame_of(np.vstack([np.full(TOPICS, MEAN), values]))
    for test in ("t", "randomisation"):
        table = compare(frame, 0, None, resamples=1999, test=test)
        found[f"{test} test rejects"] = table["p"] < 0.05, 3.5, 6.5
    frame = frame_of(np.vstack([np.full(TOPICS, MEAN - DELTA), values]))
    table = compare(frame, 0, None, resamples=1, tolerance=DELTA)
    found["within at a loss of the tolerance"] = table["verdict"] == "within", 3.5, 6.5
    labels = dict(zip(map(str, range(TOPICS)), itertools.cycle("aabc"), strict=False))
    table = topic_gaps(frame_of(values), labels, 1999)
    found["permutation test of topic groups rejects"] = table["p"] < 0.05, 3.5, 6.5
    return {name: (100 * hits.mean(), low, high) for name, (hits, low, high) in found.items()}


def mean_of_orders() -> np.ndarray:
    """The mean value over random orders of the shared documents, by the number of those of A."""
    rng = np.random.default_rng(29)
    signs = np.where(np.arange(DOCUMENTS) < np.arange(DOCUMENTS + 1)[:, None], 1.0, -1.0)
    orders = rng.random((100_000, DOCUMENTS)).argsort(axis=1)[:, :RANKED]
    return np.array([abs(row[orders] @ EXPOSURE).mean() for row in signs])


def of_labels(experiments: int) -> dict[str, tuple[float, float, float]]:
    """Intervals of uncertain labels: the percentage that covers and its bounds."""
    rng = np.random.default_rng(30)
    own = sum(math.comb(RANKED, a) * abs(2 * a / RANKED - 1) for a in range(RANKED + 1)) / 2**RANKED
    shared = mean_of_orders()
    hits: dict[str, list[bool]] = {}
    for i in range(experiments):
        for name, measure in (("own", OWN), ("shared", SHARED)):
            if name == "own":
                ranked = np.arange(TOPICS * RANKED).reshape(TOPICS, RANKED)
            else:
                ranked = rng.random((TOPICS, DOCUMENTS)).argsort(axis=1)[:, :RANKED]
            share = rng.beta(0.5, 0.5, ranked.max() + 1).clip(1e-12, 1 - 1e-12)
            signs = np.where(rng.random(len(share)) < share, 1.0, -1.0)
            frame = pd.DataFrame({"qid": np.repeat(np.arange(TOPICS), RANKED).astype(str),
                                  "docno": ranked.ravel().astype(str), "label": 1,
                                  "score": np.tile(-np.arange(RANKED), TOPICS)})
            source = groups.from_frame(pd.DataFrame({
                "docno": np.tile(np.arange(len(share)), 2).astype(str),
                "group": np.repeat(["A", "B"], len(share)),
                "weight": np.concatenate([share, 1 - share])}))
            weights = np.full(RANKED, 1 / RANKED) if name == "own" else EXPOSURE
            these = abs(signs[ranked] @ weights).mean()
            truth = own if name == "own" else shared[int((signs > 0).sum())]
            for interval in ("rubin", "components"):
                row = uncertain_labels({"A": frame}, frame.drop(columns="score"), measure, source,
                                       DRAWS, interval, seed=i).iloc[0]
                hits.setdefault(f"{name} documents, {interval}", []).append(
                    row["low"] <= truth <= row["high"])
            hits.setdefault(f"{name} documents, label interval", []).append(
                row["label low"] <= these <= row["label high"])
    return {name: (100 * float(np.mean(some)), 93, 100 if name == "own documents, rubin" else 97)
            for name, some in hits.items()}


def main(experiments: int) -> int:
    """Print what the studies found, and return how many are out of their bounds."""
    missed = 0
    for study in (of_topics, of_labels):
        for name, (found, low, high) in study(experiments).items():
            missed += not low <= found <= high
            print(f"{name:<45} {found:6.1f} %   {low:g} to {high:g} %", flush=True)
    return missed


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 2000))
