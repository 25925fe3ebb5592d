"""Rankings whose documents all have one label are like themselves: the note counts them."""

import pandas as pd
import pytest
from evaluation.common import evaluate_quietly

from pt_fairness import AWRF, NDKL, Skew, logDP, nDD, nDJS, nDKL, nDR, rKL
from pt_fairness.analysis.notes import notes

#: The groups of the first documents of each topic, by system.
RANKED = {"mixed": ("AB", "BA", "AB"), "alone": ("AA", "BB", "AB"), "few": ("AA", "", "BA")}


@pytest.fixture
def found():
    rows = [(str(qid), f"{label}{i}", 1, label) for qid in range(3) for label in "AB"
            for i in range(2)]
    qrels = pd.DataFrame(rows, columns=["qid", "docno", "label", "iteration"])
    runs = {}
    for name, lists in RANKED.items():
        rows = [(str(qid), f"{label}{labels[:i].count(label)}", -float(i))
                for qid, labels in enumerate(lists) for i, label in enumerate(labels)]
        runs[name] = pd.DataFrame(rows, columns=["qid", "docno", "score"])
    return lambda measures: evaluate_quietly(runs, qrels, measures)


@pytest.mark.parametrize("measure", [
    nDD, nDR, nDKL @ 1, nDJS, nDD(protected="A"), NDKL(target="run") @ 2, AWRF(target="run"),
    rKL(target="run", protected="A"), Skew(group="A", target="run"), logDP(target="run")])
def test_topics_whose_documents_have_one_label(found, measure):
    result = found([measure])
    assert result.facts.one_label == {str(measure): {"alone": 2, "few": 1}}
    values = result.perquery.set_index(["name", "qid"])["value"]
    assert values["alone", "0"] == values["few", "0"] == measure.IDEAL
    (note,) = (note for note in notes(result.averages, result.facts) if "one label" in note)
    assert note.startswith(str(measure)) and "2 topics" in note and "ideal" in note


def test_other_populations(found):
    """The first document alone, or another target, says nothing of the whole ranking."""
    result = found([NDKL, nDD @ 2, rKL @ 1])
    assert set(result.facts.one_label) == {"nDD@2"}
