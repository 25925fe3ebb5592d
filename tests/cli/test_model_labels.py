"""Labels of a model on the command line."""

import io
import shlex
from html import unescape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from one_test import each

from pt_fairness import analysis, evaluate, groups, report
from pt_fairness.analysis import corrections, label_sampler
from pt_fairness.analysis.human_labels import human_labels
from pt_fairness.analysis.inputs import parsed
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
               "qrels": "".join(f"{row.qid} 0 {row.docno} 1\n" for row in QRELS.itertuples())})


def test_agreement(files, command):
    rates = groups.error_rates("model.csv", "human.csv")
    code, out, _ = command("agreement", "human.csv", "model.csv")
    assert code == 0
    for number in (*rates.summary["value"], *rates.labels["f1"]):
        assert f"{number:.4f}" in out
    assert command("agreement", "qrels", "model.csv")[0] == 2
    code, _, err = command("agreement", "human.csv", "model.csv", "--none", "Q")
    assert code == 2 and "'Q'" in err


def test_a_table_of_uncertain_labels_leaves_relevance_out(files, command):
    table = ["table", "qrels", "./one", "two", "-m", "nDCG@3", "AWRF@3", "--groups", "weights.csv",
             "--uncertain", "9", "--ci", "0.9"]
    options = {"draws": 9, "confidence": 0.9}
    for baseline, given in ((None, []), ("one", ["--baseline", "./one"])):
        expected = analysis.uncertain_labels(["one", "two"], "qrels", ["AWRF@3"], "weights.csv",
                                             baseline=baseline, **options)
        code, out, err = command(*table, *given)
        assert code == 0 and "nDCG@3" in err and ("differences from one" in err) == bool(given)
        pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(out), **EXACT), expected)


# --------------------------------------------------------------------------------------------------
# human labels

RUNS = ["qrels", "one", "two"]
ASKED = [*RUNS, "-m", "nDCG@3", "AWRF@3", "--groups", "model.csv"]


@pytest.fixture
def track(folder_of, monkeypatch):
    """Qrels, two runs of 20 topics, labels of a model, and the true ones, some of no group."""
    monkeypatch.setattr(label_sampler, "BURN_IN", 5)
    monkeypatch.setattr(label_sampler, "STEP", 1)
    monkeypatch.setattr(corrections, "DRAWS", 10)
    rng = np.random.default_rng(1)
    docnos = [f"d{i}" for i in range(200)]
    qids = np.repeat(np.arange(20), 10)
    truth = pd.Series(rng.choice(["F", "M", "none"], 200, p=[0.5, 0.4, 0.1]), docnos)
    model = truth.where(rng.random(200) < 0.85, "F")
    rows = list(zip(qids, docnos, strict=True))
    folder = folder_of({
        "qrels": "".join(f"{q} 0 {d} {int(d[1:]) % 2}\n" for q, d in rows),
        **{name: "".join(f"{q} Q0 {d} 0 {rng.random()} x\n" for q, d in rows)
           for name in ("one", "two")},
        "model.csv": "docno,group\n" + "".join(f"{d},{label}\n" for d, label in model.items()),
        "topics": "".join(f"{q}\tquery {q}\n" for q in range(20))})

    def fill(name):
        frame = pd.read_csv(folder / name, dtype=str, keep_default_na=False)
        frame["group"] = truth[frame["docno"]].to_numpy()
        frame.to_csv(folder / name, index=False)
        return frame
    return fill


@pytest.mark.slow
def test_the_way_from_a_list_to_corrected_values(track, command):
    none = ["--none", "none"]
    assert command("label", *ASKED, *none, "--documents", 60, "-o", "sample.csv")[:2] == (0, "")
    sample = pd.read_csv("sample.csv")
    assert sample.columns.tolist() == ["docno", "group"] and len(sample) == 60
    assert sample["group"].isna().all() and track("sample.csv")["docno"].is_unique
    _, _, err = command("label", *ASKED, *none, "--whole-topics", 8, "--human", "sample.csv",
                        "--queries", "topics", "-o", "topics.csv")
    rows = track("topics.csv")
    assert f"{len(rows)} documents" in err and "8 topics" in err
    assert (rows["query"] == "query " + rows["qid"]).all()
    assert not {*rows["docno"]} & {*sample["docno"]}
    rows[:-1].to_csv("topics.csv", index=False)  # one document lacks
    human = ["--human", "sample.csv", "--human-topics", "topics.csv"]
    code = 2
    while code:  # documents without a group let the next ones move in
        code, out, err = command("table", *ASKED, *none, *human)
        if code:
            assert (code, out) == (2, "") and len(human) < 20
            words = shlex.split(err.partition("pt-fairness label ")[2])
            assert words[words.index("--whole-topics") + 1] == "8"
            human.append(f"rest{len(human)}.csv")
            words[words.index("rest.csv")] = human[-1]
            assert command("label", *words)[0] == 0
            track(human[-1])
    assert len(human) > 4
    table = pd.read_csv(io.StringIO(out), **EXACT)
    labels = human_labels(human[1], human[3:], none=["none"])
    model = groups.from_file("model.csv", none=["none"])
    averages, _ = evaluate(RUNS[1:], "qrels", ASKED[4:6], progress=False,
                           groups=groups.model_labels(model, labels.every))
    found = corrections.Corrections(RUNS[1:], "qrels", dict(zip(ASKED[4:6], parsed(ASKED[4:6]),
                                    strict=True)), model, labels)
    expected = found.table(averages)
    pd.testing.assert_frame_equal(table, expected, check_dtype=False)
    assert found.summary() in err and "8 topics in full" in err
    assert expected["by topics"].notna().sum() == 2
    code, out, _ = command("table", *ASKED, *none, *human, "--baseline", "one", "--ci", "0.9",
                           "--format", "text")
    assert code == 0 and found.summary().split(";")[0] in out and "baseline" in out
    code, out, _ = command("report", *ASKED, *none, *human)
    assert code == 0 and found.summary() in unescape(out)


def test_texts_and_files_that_exist(track, command, monkeypatch):
    monkeypatch.setattr(corrections, "texts_in", lambda source, docnos: {
        docno: f"{source}: {docno}" for docno in docnos})
    options = [*ASKED, "--documents", 5, "--texts", "some/corpus", "-o", "sample.csv"]
    assert command("label", *options)[0] == 0
    rows = pd.read_csv("sample.csv")
    assert (rows["text"] == "some/corpus: " + rows["docno"]).all()
    code, _, err = command("label", *options)
    assert code == 2 and "sample.csv" in err and len(pd.read_csv("sample.csv")) == 5


def test_an_interrupt_leaves_nothing_behind(track, command, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt
    assert command("label", *ASKED, "--documents", 20, "-o", "sample.csv")[0] == 0
    track("sample.csv")
    before = sorted(Path().iterdir())
    monkeypatch.setattr(label_sampler, "normalised", interrupted)
    assert command("table", *ASKED, "--human", "sample.csv", "-o", "out.csv")[0] == 130
    assert command("report", *ASKED, "--human", "sample.csv", "-o", "out.html")[0] == 130
    assert sorted(Path().iterdir()) == before


@each("options, says", [
    ("table --human sample --per-query", "--per-query"),
    ("table --human sample --test t", "--test"),
    ("report --human sample --uncertain 9", "--uncertain"),
    ("table --human sample --none Q", "'Q'"), ("table --human no/file", "no/file"),
    ("table --human-topics sample", "topics"),
    ("table --human sample wrong", "sample, line 2"), ("label -o x", "--whole-topics"),
    ("label --documents 3 --whole-topics 3 -o x", "--whole-topics"),
    ("label --documents 3", "--output")])
def test_options_of_human_labels_that_are_wrong(files, command, options, says):
    Path("sample").write_text("docno,group\nd3,A\n")
    Path("wrong").write_text("docno,qid,group\nd3,1,B\n")
    name, *rest = options.split()
    code, out, err = command(name, *ASKED, *rest)
    assert (code, out) == (2, "") and says in err.splitlines()[-1]


def test_human_labels_need_those_of_a_model(files, command):
    Path("sample").write_text("docno,group\nd3,A\n")
    code, _, err = command("table", *RUNS, "-m", "nDCG@3", "--human", "sample")
    assert code == 2 and "--groups" in err
    with pytest.raises(ValueError, match="groups"):
        report(RUNS[1:], "qrels", ["nDCG@3"], human="sample")
    with pytest.raises(ValueError, match="uncertain"):
        report(RUNS[1:], "qrels", ["AWRF@3"], groups="model.csv", human="sample", uncertain=9)
    code, out, _ = command("table", *ASKED, "--human", "human.csv", "--shares")
    assert code == 0 and "attention" in out
