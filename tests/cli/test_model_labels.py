"""Labels of a model on the command line and in the report."""

from __future__ import annotations

import pandas as pd
import pyterrier as pt
import pytest

from pt_fairness import groups, report, rKL

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
    assert command("agreement", "human.csv", "model.csv")[:2] == (0, f"{rates}\n")
    assert command("agreement", "human.csv", "model.csv", "--format", "latex")[1] == (
        rates.to_latex())
    assert command("agreement", "qrels", "model.csv")[0] == 2


def test_a_table_names_differences_and_leaves_relevance_out(files, command):
    table = ["table", "qrels", "one", "two", "-m", "nDCG@3", "AWRF@3", "--groups", "weights.csv"]
    uncertain = [*table, "--uncertain", "9", "--format", "csv"]
    code, out, err = command(*uncertain)
    assert code == 0
    assert out.splitlines()[0].endswith("most probable,expected memberships")
    assert "nDCG@3" in err and "nDCG" not in out
    matched = [line for line in err.splitlines() if "documents have a group" in line]
    assert matched == [line for line in command(*table)[2].splitlines() if "have a" in line]
    assert len(matched) == 1 and " judged and " in matched[0]
    code, out, err = command(*uncertain, "--baseline", "one")
    head = out.splitlines()[0].split(",")
    assert code == 0 and "differences from one" in err
    assert "difference" in head and "mean" not in head


def test_a_table_of_registered_labels_says_what_is_not_corrected(files, command, registered_groups):
    _, out, err = command("table", "qrels", "one", "-m", "AWRF@3", "--import", "stances.py",
                          "--groups", "checked", "--uncertain", "4")
    assert "as labelled" in out.splitlines()[0] and "as labelled" in err


def test_the_paragraph_of_a_report():
    tagger = pt.apply.generic(lambda frame: frame.assign(group=frame["docno"].map(MODEL)))
    model = groups.from_transformer(tagger, dict.fromkeys(LABELS, "text"), None, name="tagger")
    source = groups.model_labels(model, LABELS)
    page = report({"A": RUN}, QRELS, ["AWRF@3"], groups=source, progress=False)
    assert groups.error_rates(source.model, LABELS).sentence in page.paragraph
    assert "The labels of tagger agree with 12 human labels in 75.0 %" in page.paragraph
    assert "not corrected" in page.paragraph and "are corrected" not in page.paragraph
    rest = {docno: label for docno, label in MODEL.items() if docno > "d3"}
    human = {docno: label for docno, label in LABELS.items() if docno not in rest}
    source = groups.model_labels(rest, human)
    page = report({"A": RUN}, QRELS, ["AWRF@3"], groups=source, progress=False)
    assert "cannot be compared" in page.paragraph


def test_files_of_labels_are_named_in_the_paragraph(files):
    source = groups.model_labels("model.csv", "human.csv")
    page = report({"A": RUN}, QRELS, ["AWRF@3"], groups=source, progress=False)
    assert "The groups are those of model.csv and human.csv (" in page.paragraph
    assert "modellabels-" not in page.paragraph


@pytest.mark.exhaustive
def test_the_paragraph_of_corrected_labels_and_of_labels_by_topic():
    source = groups.model_labels(groups.from_mapping(MODEL, "tagger"), LABELS)
    page = report({"A": RUN}, QRELS, ["AWRF@3"], groups=source, uncertain=4, progress=False)
    assert "are corrected" in page.paragraph and "as labelled" in page.html
    assert r"$\kappa$" in page.latex and "κ" not in page.latex
    tagger = pt.apply.generic(lambda frame: frame.assign(group=frame["docno"].map(MODEL)))
    topics = pd.DataFrame({"qid": [*"123"], "query": "q"})
    model = groups.from_transformer(tagger, dict.fromkeys(LABELS, "text"), topics, name="tagger")
    page = report({"A": RUN}, QRELS, ["AWRF@3"], groups=model, progress=False)
    assert "of a model, tagger" in page.paragraph


def test_an_experiment_names_the_way_to_read_a_column_group():
    topics = pd.DataFrame({"qid": [*"123"], "query": "q"})
    with pytest.raises(ValueError, match=r"groups.from_frame\(results\), or groups.from_trans"):
        pt.Experiment([RUN.assign(group="A")], topics, QRELS, [rKL @ 3])
