"""Places, counts and sums of documents, against plain Python; groups of documents."""

from __future__ import annotations

import random

import numpy as np
import pandas as pd
import pytest

from pt_fairness import EEL, IAA
from pt_fairness.measures.documents import counts_before, places


@pytest.mark.parametrize("seed", range(10))
def test_places_and_counts_within_rows(seed):
    pick = random.Random(seed)
    rows = [[pick.random() < 0.4 for _ in range(pick.randrange(6))] for _ in range(8)]
    row = np.array([i for i, some in enumerate(rows) for _ in some], int)
    chosen = np.array([one for some in rows for one in some], bool)
    place = places(row)
    assert place.tolist() == [i for some in rows for i in range(len(some))]
    assert counts_before(chosen, place).tolist() == [
        sum(some[:i]) for some in rows for i in range(len(some))]


@pytest.mark.parametrize("measure", [IAA, EEL], ids=str)
@pytest.mark.parametrize("seed", range(5))
def test_groups_of_one_document_each_are_documents(values, measure, seed):
    pick = random.Random(seed)
    names = [f"d{i}" for i in range(6)]
    qrels = pd.DataFrame({"query_id": "1", "doc_id": names, "iteration": names,
                          "relevance": [pick.randint(1, 2) for _ in names]})
    run = pd.DataFrame({"query_id": "1", "doc_id": pick.sample(names, 4), "score": range(4)})
    found = values([measure, measure(by="group")], qrels, run)
    assert found[measure, "1"] == pytest.approx(found[measure(by="group"), "1"]) != 0.0


def test_only_groups_need_groups():
    assert not IAA.needs_groups and IAA(by="group").needs_groups
    assert IAA(groups="some").added_labels == ()
