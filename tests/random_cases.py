"""Fixtures: small judgments and runs, by hand and at random."""

import random
from collections.abc import Callable
from dataclasses import dataclass, field

import pandas as pd
import pytest


@dataclass
class Case:
    """Qrels rows ``(qid, docno, relevance, iteration)`` and run rows ``(qid, docno, score)``."""

    qrels: list[tuple[str, str, int, str | None]]
    run: list[tuple[str, str, float]]
    #: Groups of any document, unjudged ones too, for ``groups=``; and every label in them.
    groups: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    labels: list[str] = field(default_factory=list)

    @property
    def qrels_frame(self) -> pd.DataFrame:
        return pd.DataFrame(self.qrels, columns=["query_id", "doc_id", "relevance", "iteration"])

    @property
    def run_frame(self) -> pd.DataFrame:
        frame = pd.DataFrame(self.run, columns=["query_id", "doc_id", "score"])
        return frame.astype({"query_id": "str", "doc_id": "str", "score": float})

    @property
    def groups_frame(self) -> pd.DataFrame:
        rows = [
            (qid, docno, group) for (qid, docno), groups in self.groups.items() for group in groups]
        return pd.DataFrame(rows, columns=["qid", "docno", "group"], dtype="str")


@pytest.fixture
def worked() -> Case:
    """A topic that can be computed by hand: condensed, the run is c, a, b."""
    return Case(qrels=[("1", "a", 1, "PRO"), ("1", "b", 1, "PRO"), ("1", "c", 1, "CON")],
                run=[("1", "c", 4.0), ("1", "a", 3.0), ("1", "d", 2.0), ("1", "b", 1.0)])


@pytest.fixture(scope="session")
def make_case() -> Callable[..., Case]:
    """``make_case(seed, …)``: a random :class:`Case` with all that is awkward in real data; equal
    for equal arguments.
    """
    return _make_case


def _make_case(seed: int, *, topics: int = 5, documents: int = 14, labels: int = 0,
               several: bool = False) -> Case:
    """
    :param labels: how many labels there are; 0 for 2 to 8 at random
    :param several: whether documents can have several groups
    """
    pick = random.Random(seed)
    names = [f"g{i}" for i in range(labels or pick.randint(2, 8))]
    case = Case([], [])
    for number in range(topics):
        qid = str(number + 1)
        own = names[:1] if number == 0 else names  # the first topic knows one group alone
        retrieved = (
            [] if number == 1 else pick.choices(range(documents), k=pick.randint(1, documents)))
        unannotated = 1.0 if number == 2 else pick.choice([0.0, 0.2, 0.5])
        weights = [pick.random() for _ in own]
        for i in range(documents):
            docno = f"d{i}" if i % 3 else f"dö{i}"
            groups: list[str] = []
            if pick.random() >= unannotated:
                groups = sorted(
                    {*pick.choices(own, weights, k=pick.randint(1, 3) if several else 1)})
            if groups and pick.random() < 0.9:
                case.groups[qid, docno] = groups
            if pick.random() < 0.75:
                relevances = (
                    [pick.choice([-1, 0, 0, 1, 1, 2])] * 4 if pick.random() < 0.7
                    else pick.choices([0, 1, 2], k=4))
                iterations: list[str | None] = [*groups] or [pick.choice(["-", "", None])]
                for relevance, iteration in zip(relevances, iterations, strict=False):
                    case.qrels.append((qid, docno, relevance, iteration))
            if i in retrieved:
                case.run.append((qid, docno, pick.choice([3.0, 2.0, 1.0, pick.random(), -1.0])))
    case.labels = sorted({group for groups in case.groups.values() for group in groups})
    case.run.append(("unknown", "d1", 1.0))  # a topic that nobody judged
    pick.shuffle(case.qrels)
    pick.shuffle(case.run)
    return case
