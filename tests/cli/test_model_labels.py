"""Labels of a model on the command line and in the report."""

from __future__ import annotations

import pandas as pd
import pyterrier as pt
import pytest

from pt_fairness import cli, groups, report, rKL

QRELS = pd.DataFrame({"qid": [*"111122223333"], "docno": [f"d{i}" for i in range(12)], "label": 1})
RUN = QRELS.assign(score=range(12), rank=0)
LABELS = dict(zip(QRELS["docno"], "AABBAAABBBBA", strict=True))
MODEL = {**LABELS, "d0": "B", "d5": "B", "d9": "A"}
ignored = pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pd.Series(LABELS, name="group").rename_axis("docno").to_csv("human.csv")
    pd.Series(MODEL, name="group").rename_axis("docno").to_csv("model.csv")
    rows = [f"{d},{g},{w}\n" for d in LABELS for g, w in (("A", 0.7), ("B", 0.3))]
    (tmp_path / "weights.csv").write_text("docno,group,weight\n" + "".join(rows))
    for name, sign in (("one", 1), ("two", -1)):
        lines = [f"{row.qid} Q0 {row.docno} 0 {sign * row.score} x\n" for row in RUN.itertuples()]
        (tmp_path / name).write_text("".join(lines))
    lines = [f"{row.qid} 0 {row.docno} 1\n" for row in QRELS.itertuples()]
    (tmp_path / "qrels").write_text("".join(lines))


def test_agreement(files, capsys):
    assert cli.main(["agreement", "human.csv", "model.csv"]) == 0
    rates = groups.error_rates("model.csv", "human.csv")
    assert capsys.readouterr().out == f"{rates}\n"
    assert cli.main(["agreement", "human.csv", "model.csv", "--format", "latex"]) == 0
    assert capsys.readouterr().out == rates.to_latex()
    assert cli.main(["agreement", "qrels", "model.csv"]) == 2


@ignored
def test_a_table_names_differences_and_leaves_relevance_out(files, capsys):
    command = ["table", "qrels", "one", "two", "-m", "nDCG@3", "AWRF@3", "--groups", "weights.csv",
               "--uncertain", "9", "--format", "csv"]  # fmt: skip
    assert cli.main(command) == 0
    shown = capsys.readouterr()
    assert shown.out.splitlines()[0].endswith("most probable,expected memberships")
    assert "nDCG@3" in shown.err and "nDCG" not in shown.out
    matched = [line for line in shown.err.splitlines() if "documents have a group" in line]
    assert cli.main([*command[:command.index("--uncertain")], "--format", "csv"]) == 0
    assert matched == [line for line in capsys.readouterr().err.splitlines() if "have a" in line]
    assert len(matched) == 1 and " judged and " in matched[0]
    assert cli.main([*command, "--baseline", "one"]) == 0
    shown = capsys.readouterr()
    assert "differences from one" in shown.err
    head = shown.out.splitlines()[0].split(",")
    assert "difference" in head and "mean" not in head


@ignored
def test_a_table_of_registered_labels_says_what_is_not_corrected(files, tmp_path, capsys):
    (tmp_path / "stances.py").write_text(
        "from pt_fairness import groups\n"
        "groups.register('checked', groups.model_labels('model.csv', 'human.csv'))\n")
    try:
        assert cli.main(["table", "qrels", "one", "-m", "AWRF@3", "--import", "stances.py",
                         "--groups", "checked", "--uncertain", "4"]) == 0  # fmt: skip
    finally:
        groups.unregister("checked")
    shown = capsys.readouterr()
    assert "as labelled" in shown.out.splitlines()[0] and "as labelled" in shown.err


@ignored
def test_the_paragraph_of_a_report():
    source = groups.model_labels(groups.from_mapping(MODEL, "tagger"), LABELS)
    page = report({"A": RUN}, QRELS, ["AWRF@3"], groups=source, progress=False)
    assert groups.error_rates(source.model, LABELS).sentence in page.paragraph
    assert "not corrected" in page.paragraph and "are corrected" not in page.paragraph
    page = report({"A": RUN}, QRELS, ["AWRF@3"], groups=source, uncertain=4, progress=False)
    assert "are corrected" in page.paragraph and "as labelled" in page.html
    assert r"$\kappa$" in page.latex and "κ" not in page.latex


@ignored
@pytest.mark.parametrize("by_topic", [True, False])
def test_the_paragraph_of_labels_of_a_transformer(by_topic):
    tagger = pt.apply.generic(lambda frame: frame.assign(group=frame["docno"].map(MODEL)))
    topics = pd.DataFrame({"qid": [*"123"], "query": "q"}) if by_topic else None
    model = groups.from_transformer(tagger, dict.fromkeys(LABELS, "text"), topics, name="tagger")
    options = {"qrels": QRELS, "measures": ["AWRF@3"], "progress": False}
    page = report({"A": RUN}, groups=model, **options)
    assert "of a model, tagger" in page.paragraph
    page = report({"A": RUN}, groups=groups.model_labels(model, LABELS), **options)
    assert "The labels of tagger agree with 12 human labels in 75.0 %" in page.paragraph
    rest = {docno: label for docno, label in MODEL.items() if docno > "d3"}
    human = {docno: label for docno, label in LABELS.items() if docno not in rest}
    page = report({"A": RUN}, groups=groups.model_labels(rest, human), **options)
    assert "cannot be compared" in page.paragraph


def test_an_experiment_names_the_way_to_read_a_column_group():
    results = RUN.assign(group="A")
    topics = pd.DataFrame({"qid": [*"123"], "query": "q"})
    with pytest.raises(ValueError, match=r"groups.from_frame\(results\), or groups.from_trans"):
        pt.Experiment([results], topics, QRELS, [rKL @ 3])
