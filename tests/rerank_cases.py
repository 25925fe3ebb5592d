"""Results that are re-ranked: the worked example, and random topics."""

import random
from typing import Any

import pandas as pd
from slow_versions.rerank import Document

from pt_fairness import groups

#: Document, score and group of the worked example.
WORKED = [("a", 9.0, "P"), ("b", 8.0, "P"), ("u", 7.5, None), ("c", 7.0, "P"), ("d", 6.0, "P"),
          ("e", 4.0, "C"), ("f", 2.0, "C"), ("g", 1.0, "C")]
#: A document of two groups, three targets.
THREE_GROUPS = [(docno, 7.0 - i, group) for i, (docno, group) in enumerate(
    zip("abcdefg", ["X", "X", "X", ["X", "Y"], "Y", "Z", "Z"], strict=True))]
THREE_TARGETS = {"X": 0.5, "Y": 0.3, "Z": 0.2}


def results(rows: list[tuple[str, float, Any]], qid: str = "1") -> pd.DataFrame:
    """Return results with the column ``group``, from rows ``(docno, score, group)``."""
    return pd.DataFrame(rows, columns=["docno", "score", "group"]).assign(qid=qid)


def order(frame: pd.DataFrame) -> str:
    """Return the documents of one topic, separated by blanks."""
    return " ".join(frame["docno"])


def random_topics(seed: int, topics: int, *, labels: int = 4, several: bool = False,
                  soft: bool = False, ties: bool = True, annotated: float = 0.85,
                  longest: int = 12, below: float = 0.0) -> dict[str, list[Document]]:
    """Return topics of 1 to ``longest`` documents, in random order.

    :param labels: a topic has 1 to this number of groups
    :param several: whether documents can have several groups
    :param soft: whether documents can have weights
    :param ties: whether documents can have equal scores
    :param annotated: the share of annotated documents
    :param below: what is subtracted from each score
    """
    pick = random.Random(seed)
    found = {}
    for topic in range(topics):
        names = [f"g{i}" for i in range(pick.randint(1, labels))]
        popularity = [pick.random() + 0.05 for _ in names]
        documents = []
        for i in range(pick.randint(1, longest)):
            own: dict[str, float] = {}
            weighted = soft and pick.random() < 0.6
            if pick.random() < annotated:
                some = pick.choices(names, popularity, k=pick.randint(1, 3) if several else 1)
                own = {name: pick.choice([0.2, 0.5, 1.0, 3.0]) if weighted else 1.0
                       for name in some}
            score = pick.choice([0.1, 0.25, 0.5, 0.75]) if ties else pick.random()
            documents.append(Document(f"d{i}", score - below, own, weighted and bool(own)))
        pick.shuffle(documents)
        found[str(topic + 1)] = documents
    return found


def frame_of(topics: dict[str, list[Document]]) -> pd.DataFrame:
    """Return topics as results without groups."""
    return pd.DataFrame([(qid, d.docno, d.score) for qid, some in topics.items() for d in some],
                        columns=["qid", "docno", "score"])


def groups_of(topics: dict[str, list[Document]]) -> groups.Groups:
    """Return the groups of topics, with weights if a document has some."""
    return groups.from_mapping({
        qid: {d.docno: d.groups if d.soft else [*d.groups] for d in some if d.groups}
        for qid, some in topics.items()})
