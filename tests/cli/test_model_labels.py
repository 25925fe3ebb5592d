"""Labels of a model on the command line."""

from __future__ import annotations

import io

import pandas as pd
import pyterrier as pt
import pytest

from pt_fairness import analysis, groups, rKL
from pt_fairness.io.tables import EXACT

QRELS = pd.DataFrame({"qid": [*"111122223333"], "docno": [f"d{i}" for i in range(12)], "label": 1})
RUN = QRELS.assign(score=range(12), rank=0)
LABELS = dict(zip(QRELS["docno"], "AABBAAABBBBA", strict=True))
MODEL = {**LABELS, "d0": "B", "d5": "B", "d9": "A"}
pytestmark = pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")


@pytest.fixture
def files(folder_of):
    def csv(labels):
        return "docno,group\n" + "".join(f"{docno},{label}\n" for docno, label in labels.items())
    runs = {name: "".join(f"{row.qid} Q0 {row.docno} 0 {sign * row.score} x\n"
                          for row in RUN.itertuples()) for name, sign in (("one", 1), ("two", -1))}
    folder_of({**runs, "human.csv": csv(LABELS), "model.csv": csv(MODEL),
               "weights.csv": "docno,group,weight\n" + "".join(f"{docno},A,0.7\n{docno},B,0.3\n"
                                                               for docno in LABELS),
               "qrels": "".join(f"{row.qid} 0 {row.docno} 1\n" for row in QRELS.itertuples()),
               "stances.py": "from pt_fairness import groups\ngroups.register('checked', "
                             "groups.model_labels('model.csv', 'human.csv'))\n"})


def test_agreement(files, command):
    rates = groups.error_rates("model.csv", "human.csv")
    code, out, _ = command("agreement", "human.csv", "model.csv")
    assert code == 0
    for number in (*rates.summary["value"], *rates.labels["f1"]):
        assert f"{number:.4f}" in out
    latex = command("agreement", "human.csv", "model.csv", "--format", "latex")[1]
    assert latex.count(r"\toprule") == 2 and r"precision low" in latex
    assert command("agreement", "qrels", "model.csv")[0] == 2


def test_a_table_of_uncertain_labels_leaves_relevance_out(files, command):
    table = ["table", "qrels", "one", "two", "-m", "nDCG@3", "AWRF@3", "--groups", "weights.csv",
             "--uncertain", "9", "--ci", "0.9"]
    options = {"draws": 9, "confidence": 0.9}
    for baseline in ([], ["--baseline", "one"]):
        expected = analysis.uncertain_labels(["one", "two"], "qrels", ["AWRF@3"], "weights.csv",
                                             baseline=(baseline or [None])[-1], **options)
        code, out, err = command(*table, *baseline)
        assert code == 0 and "nDCG@3" in err and ("differences from one" in err) == bool(baseline)
        pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(out), **EXACT), expected)


def test_a_table_of_registered_labels(files, command, registered_groups):
    _, out, _ = command("table", "qrels", "one", "-m", "AWRF@3", "--import", "stances.py",
                        "--groups", "checked", "--uncertain", "4")
    assert "as labelled" in out.splitlines()[0]


def test_an_experiment_names_the_way_to_read_a_column_group():
    topics = pd.DataFrame({"qid": [*"123"], "query": "q"})
    with pytest.raises(ValueError, match="from_frame"):
        pt.Experiment([RUN.assign(group="A")], topics, QRELS, [rKL @ 3])
