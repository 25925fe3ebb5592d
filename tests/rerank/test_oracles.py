"""Re-ranking by the labels that evaluate is an oracle: the command and the notes tell."""

import pandas as pd
import pyterrier as pt
import pytest

from pt_fairness import cli, evaluate, groups, rerank

LABELS = {"a": "PRO", "b": "PRO", "c": "CON", "d": "CON", "e": "PRO"}
QRELS = pd.DataFrame({"qid": "1", "docno": list("abcd"), "label": [1, 1, 1, 0],
                      "iteration": [LABELS[docno] for docno in "abcd"]})
RUN = pd.DataFrame({"qid": "1", "docno": list("abecd"), "score": [5.0, 4.0, 3.0, 2.0, 1.0],
                    "rank": range(5)})
TOPICS = pd.DataFrame({"qid": ["1"], "query": ["x"]})
JUDGED = groups.from_mapping({docno: LABELS[docno] for docno in "abcd"})
MODEL = groups.from_mapping(LABELS | {"b": "CON"})


def pipelines():
    bm25 = pt.Transformer.from_df(RUN)
    return {"BM25": bm25, "oracle": bm25 >> rerank.xquad(JUDGED) % 3,
            "annotated": bm25 >> pt.fairness.annotate(JUDGED) >> rerank.xquad(),
            "model": bm25 >> rerank.xquad(MODEL), "policy": bm25 >> rerank.plackett_luce()}


def oracles(runs, qrels, measures, **options):
    return evaluate(runs, qrels, measures, progress=False, **options).facts.oracles


@pytest.mark.parametrize("options", [{}, {"groups": JUDGED}], ids=["qrels", "groups"])
def test_pipelines_are_named_in_the_notes(options):
    qrels = QRELS if not options else QRELS.drop(columns="iteration")
    result = evaluate(pipelines(), qrels, ["nDCG@3", "AWRF@3"], topics=TOPICS, progress=False,
                      **options)
    assert [*result.facts.oracles] == ["oracle", "annotated"]
    (note,) = [note for note in result.table().notes if "labels that evaluate" in note]
    assert "oracle, annotated" in note


def test_no_measure_of_groups_no_oracle():
    assert not oracles(pipelines(), QRELS, ["nDCG@3"], topics=TOPICS)
    assert not oracles({"x": RUN}, QRELS, ["AWRF@3"])


def test_labels_of_no_judged_document_evaluate_nothing():
    elsewhere = [groups.from_mapping({"e": label, "z": "X"}) for label in ("PRO", "CON")]
    pipeline = pt.Transformer.from_df(RUN) >> rerank.xquad(elsewhere[0])
    assert not oracles({"other": pipeline}, QRELS, ["AWRF@3"], topics=TOPICS, groups=elsewhere[1])


def test_a_transformer_that_refers_to_itself():
    pipeline = pt.Transformer.from_df(RUN) >> rerank.xquad(JUDGED)
    pipeline.first = pipeline
    assert [*oracles({"loop": pipeline}, QRELS, ["AWRF@3"], topics=TOPICS)] == ["loop"]


def test_targets_that_differ_are_noted():
    systems = pipelines() | {"pm2": pt.Transformer.from_df(RUN) >> rerank.pm2(MODEL, {"PRO": 1.0})}
    result = evaluate(systems, QRELS, ["nDCG@3", "AWRF@3", "rKL@3"], TOPICS, progress=False)
    uniform = dict.fromkeys(["oracle", "annotated", "model"], "uniform")
    assert result.facts.rerankers == uniform | {"pm2": {"PRO": 1.0}}
    notes = [note for note in result.table().notes if "re-ranked" in note]
    differing = [[name for name in ("nDCG@3", "AWRF@3", "rKL@3") if name in note] for note in notes]
    assert differing == [["rKL@3"], ["AWRF@3", "rKL@3"]]
    assert "equal shares" in notes[0]


@pytest.fixture
def folder(folder_of):
    folder_of({
        "qrels": "".join(f"1 {LABELS[d]} {d} {int(d != 'd')}\n" for d in "abcd"),
        "stances": "".join(f"1 0 {d} {LABELS[d]}\n" for d in "abcd"),
        "judged.csv": "docno,group\n" + "".join(f"{d},{LABELS[d]}\n" for d in "abcd"),
        "model.csv": "docno,group\n" + "".join(
            f"{d},{'CON' if d == 'b' else g}\n" for d, g in LABELS.items()),
        "run": "".join(f"1 Q0 {d} {i} {9 - i} x\n" for i, d in enumerate("abecd"))})


@pytest.mark.parametrize("source, oracle", [
    ("qrels", True), ("stances", True), ("judged.csv", False), ("model.csv", False)])
@pytest.mark.usefixtures("folder")
def test_the_command_says_it(source, oracle, capsys):
    assert cli.main(["rerank", "run", "xquad", "-o", "new", "--groups", source]) == 0
    assert ("oracle" in capsys.readouterr().err) == oracle
    with open("new") as lines:
        tags = {line.split()[-1] for line in lines}
    assert tags == {"xquad-oracle" if oracle else "xquad"}
