"""What re-ranking costs: ``python tests/benchmarks/rerank.py``.

The times of the methods are from a results frame to a results frame, group lookup included.
DetConstSort is compared with FairRankTune's as a function: each is given what it takes, ready made
and sorted by score (arrays here, frames and dictionaries there).
"""

import sys

import numpy as np
import pandas as pd
from FairRankTune.Rankers.DetConstSort_Geyiketal import DETCONSTSORT
from timing import report, seconds

from pt_fairness import groups, rerank
from pt_fairness.rerank.deterministic import const_sort_order

TOPICS, DOCUMENTS, LABELS, K = 50, 1000, "ABCD", 100
LONGEST = 10_000


def synthetic(documents=DOCUMENTS):
    """Results in which the first groups have the higher scores, and their groups."""
    random = np.random.default_rng(1)
    frame = pd.DataFrame({"qid": np.repeat(np.arange(TOPICS).astype(str), documents),
                          "docno": [f"d{i}" for i in range(TOPICS * documents)]})
    label = random.choice(len(LABELS), len(frame), p=[0.4, 0.3, 0.2, 0.1])
    frame["score"] = random.gamma(2.0, size=len(frame)) - 0.3 * label
    frame["group"] = np.array([*LABELS])[label]
    return frame.drop(columns="group"), groups.from_frame(frame[["qid", "docno", "group"]])


def fairranktune(frame, source):
    """Return a task that re-ranks every topic with FairRankTune."""
    target = dict.fromkeys(LABELS, 1 / len(LABELS))
    topics = []
    for _, rows in frame.sort_values("score", ascending=False).groupby("qid"):
        found = source.lookup(rows["qid"].tolist(), rows["docno"].tolist())
        topics.append((pd.DataFrame(rows["docno"].to_numpy()),
                       dict(zip(found["docno"], found["group"], strict=True)),
                       pd.DataFrame(rows["score"].to_numpy())))
    return lambda: [DETCONSTSORT(*one, target, K) for one in topics]


def main() -> int:
    """Return how many bounds were missed."""
    frame, source = synthetic()
    ours = rerank.det_const_sort(source, k=K)
    _, lists = ours.read(frame)
    theirs, own = seconds(fairranktune(frame, source), lambda: [
        const_sort_order(one.shares, one.target, one.k) for one in lists], rounds=20)
    rows = [(f"DetConstSort: FairRankTune's {theirs:.4f} s by ours {own:.4f} s", theirs / own,
             "at least 20", theirs >= 20 * own)]
    for name in ("det_const_sort", "xquad", "pm2", "fa_ir"):
        method = getattr(rerank, name)(source, k=K)
        took, = seconds(lambda method=method: method(frame), rounds=3)
        rows.append((f"seconds for {name}", took, "under 1", took < 1))
    few, source = synthetic(100)
    for target in ("run", "uniform"):
        policy = rerank.fair_exposure(source, target)
        took, = seconds(lambda policy=policy: policy(few), rounds=3)
        rows.append((f"seconds for fair_exposure, {target}, 100 documents, all ranks", took,
                     "under 5", took < 5))
    long = pd.DataFrame({"qid": "1", "docno": [f"d{i}" for i in range(LONGEST)],
                         "score": np.arange(LONGEST, 0, -1)})
    long["group"] = np.where(np.random.default_rng(1).random(LONGEST) < 0.5, "A", "B")
    for method in (rerank.fair_exposure(), rerank.fa_ir()):
        took, = seconds(lambda method=method: method(long), rounds=1)
        rows.append((f"seconds for {method}, {LONGEST} documents of two groups, all ranks", took,
                     "under 10", took < 10))
    print(f"{TOPICS} topics of {DOCUMENTS} documents, {len(LABELS)} groups, k={K}")
    return report(rows)


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
