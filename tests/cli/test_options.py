"""The options that several commands have: --output, --format, --groups, --none, --targets, --label,
--names, --test-zero, --seed; and qrels that are not needed.
"""

import gzip
import io
import itertools
import random
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from one_test import each

from pt_fairness import analysis, evaluate, targets

TOPICS, DOCS = range(1, 9), [f"d{i}" for i in range(12)]
RUNS = [f"run{i}" for i in range(4)]
MATCHED = ("pt-fairness: groups.csv: 88 of 96 judged and 44 of 48 ranked documents have a group "
           "(of the first 2 of each ranking; first without: d11)\n")


@pytest.fixture
def files(folder_of):
    """Eight topics, four runs, stances in a second file, and groups in a third."""
    pick = random.Random(1)
    pairs = list(itertools.product(TOPICS, DOCS))
    texts = {"qrels": "".join(f"{qid} 0 {d} {pick.choice([0, 0, 1, 2])}\n" for qid, d in pairs),
             "stances": "".join(f"{qid} 0 {d} {pick.choice(['PRO', 'PRO', 'CON', 'NO'])}\n"
                                for qid, d in pairs),
             "groups.csv": "docno,group\n" + "".join(f"{d},{'PRO' if i % 3 else 'CON'}\n"
                                                     for i, d in enumerate(DOCS[:11]))}
    texts |= {run: "".join(f"{qid} Q0 {d} 0 {pick.random()} x\n" for qid, d in pairs)
              for run in RUNS}
    return folder_of(texts)


@pytest.fixture
def table(files, command):
    """``table(argument…)``: what a command prints, as a frame."""
    def call(*arguments):
        code, out, err = command(*arguments)
        assert code == 0, err
        return pd.read_csv(io.StringIO(out))
    return call


GROUPS = ("--groups", "groups.csv")
TABLE = ("table", "qrels", *RUNS[:3], "-m", "nDCG@2", "rKL(protected='PRO')@2")


class TestTargets:
    MEASURE = "RepBias(group='PRO',target='census')@2"

    @pytest.fixture
    def arguments(self, folder_of, tmp_path):
        folder_of({"qrels": "".join(f"{q} 0 {d} 1\n" for q in (1, 2, 3) for d in "abcd"),
                   "groups.csv": "docno,group\na,PRO\nb,CON\nc,PRO\nd,CON\n",
                   "one": "".join(f"{q} Q0 {d} {i} {9 - i} t\n" for q in (1, 2, 3)
                                  for i, d in enumerate("abcd"))})
        (tmp_path / "sub").mkdir()
        with gzip.open("sub/census.csv.gz", "wt") as out:
            out.write("qid,group,share\n1,PRO,0\n1,CON,1\n2,PRO,.5\n2,CON,.5\n3,PRO,1\n")
        yield (*GROUPS, "--targets", "sub/census.csv.gz")
        targets.REGISTRY._registered.pop("census", None)

    def test_table_and_eval(self, arguments, command):
        """One of the first two documents is PRO: the bias is 0.5, 0 and -0.5."""
        code, out, err = command("table", "qrels", "one", "-m", self.MEASURE, *arguments,
                                 "--per-query")
        assert code == 0 and err.startswith("pt-fairness: groups.csv: 12 of 12 judged")
        values = pd.read_csv(io.StringIO(out)).set_index("qid")["value"]
        assert values.to_dict() == {1: 0.5, 2: 0.0, 3: -0.5}
        out = command("eval", "qrels", "one", "-q", "-n", self.MEASURE, *arguments)[1]
        assert [line.split()[-1] for line in out.splitlines()] == ["0.5000", "0.0000", "-0.5000"]


class TestGroups:
    def test_the_source_is_not_in_the_names(self, files, command):
        code, out, err = command(*TABLE, *GROUPS)
        assert code == 0 and err == MATCHED
        assert out.startswith("name,nDCG@2,rKL(protected='PRO')@2\n")
        named = command(*TABLE[:-1], "rKL(protected='PRO',groups='groups.csv')@2")[1]
        assert out.split("\n", 1)[1] == named.split("\n", 1)[1]
        assert "Groups: groups.csv (CON, PRO)." in command(*TABLE, *GROUPS, "--format", "md")[1]

    def test_eval_takes_it_too(self, files, command):
        measures = ["nDCG@2", "rKL(protected='PRO')@2", "α_nDCG@2"]
        code, out, err = command("eval", "qrels", "run0", *measures, *GROUPS)
        assert (code, err) == (0, "") and "rKL(protected='PRO')@2" in out
        command("annotate", "qrels", "groups.csv", "-o", "auxiliary")
        expected = command("eval", "auxiliary", "run0", *measures)[1]
        assert sorted(out.splitlines()) == sorted(expected.splitlines())

    def test_labels_that_mean_no_group(self, table, command):
        measures = ["-m", "AWRF@10", "rKL@10"]
        stances = ["--groups", "stances", "--none", "NO"]
        assert command("annotate", "qrels", "stances", "--none", "NO", "-o", "annotated")[0] == 0
        expected = table("table", "annotated", *RUNS, *measures)
        pd.testing.assert_frame_equal(table("table", "qrels", *RUNS, *measures, *stances), expected)
        twice = [*stances, "--none", ""]
        pd.testing.assert_frame_equal(table("table", "qrels", *RUNS, *measures, *twice), expected)
        _, out, _ = command("eval", "qrels", "run0", "rKL@10", *stances)
        assert f"{expected.iloc[0, 2]:.4f}" in out
        for options, says in ((["--none", "NO"], "--none: not allowed without --groups"),
                              ([*stances[:-1], "NEUTRAL"], "'NEUTRAL'")):
            code, _, err = command("table", "qrels", "run0", *measures, *options)
            assert code == 2 and says in err


def test_labels_and_names(files, command):
    label = "rKL(protected='PRO')@2=Unfairness = x"
    code, out, err = command(*TABLE, *GROUPS, "--label", label, "nDCG@2=Relevance",
                             "--names", "A", "B", "C", "--baseline", "B")
    assert code == 0 and err == MATCHED
    assert out.startswith("name,Relevance ↑,Unfairness = x ↓,Relevance ↑ +,")
    assert pd.read_csv(io.StringIO(out))["name"].tolist() == ["A", "B", "C"]


class TestOutput:
    COMMANDS = (TABLE[:-1], ("eval", "qrels", "run0", "AP"), ("measures",), ("groups",),
                ("annotate", "qrels", "groups.csv"), ("plug", "--status"))

    @each("arguments", COMMANDS)
    def test_a_file_in_every_command(self, files, command, arguments):
        code, out, err = command(*arguments)
        assert code == 0 and out
        assert command(*arguments, "-o", "out") == (0, "", err)
        assert Path("out").read_text(encoding="utf-8") == out
        code, _, err = command(*arguments, "-o", "results/table.csv")
        assert code == 2 and "'results'" in err and err.count("\n") == 1


def test_biases_against_zero(table, command):
    arguments = ["table", "qrels", *RUNS, "-m", "nDCG@5", "BiasP@10", *GROUPS, "--test-zero"]
    _, values = evaluate(RUNS, "qrels", "BiasP@10", groups="groups.csv", progress=False)
    for correction in ("holm", None):
        tests = table(*arguments, "--correction", str(correction).lower())
        expected = analysis.bias_test(values, correction)
        pd.testing.assert_frame_equal(tests, expected, check_dtype=False)
    code, _, err = command(*arguments, "-m", "nDCG@5")
    assert code == 2 and "nDCG@5" in err


def test_seeds(table, command):
    arguments = ["table", "qrels", *RUNS[:3], "-m", "AWRF@10", *GROUPS, "--baseline", "run0",
                 "--ci", "0.9", "--references"]
    first = table(*arguments)
    pd.testing.assert_frame_equal(table(*arguments, "--seed", "0"), first)
    another = table(*arguments, "--seed", "1")
    assert (another["AWRF@10"] == first["AWRF@10"])[:3].all()
    assert not another["AWRF@10 low"][:3].equals(first["AWRF@10 low"][:3])
    is_random = first["name"] == "[random order]"
    assert is_random.sum() == 1 and (another["AWRF@10"] != first["AWRF@10"])[is_random].all()


class TestNoQrels:
    def test_tables_and_eval(self, table, command):
        measures = ["AWRF@10", "NDKL"]
        means = table("table", "none", *RUNS, "-m", *measures, *GROUPS)
        expected, _ = evaluate(RUNS, None, measures, groups="groups.csv", progress=False)
        np.testing.assert_allclose(means.iloc[:, 1:], expected[measures])
        assert f"AWRF@10\t{expected['AWRF@10'][0]:.4f}" in command(
            "eval", "none", "run0", *measures, *GROUPS)[1]
        for arguments in (["table", "none", "run0", "-m"], ["eval", "none", "run0"]):
            code, _, err = command(*arguments, "rKL@10", *GROUPS)
            assert code == 2 and "rKL@10" in err and "qrels" in err


class TestJudgedByGroup:
    WEB = "1 PRO a 1\n1 CON a 0\n1 PRO b 0\n1 CON b 1\n2 PRO a 1\n2 CON b 0\n"

    @pytest.fixture(autouse=True)
    def folder(self, folder_of):
        folder_of({"web": self.WEB, "plain": "1 0 a 1\n1 0 b 1\n2 0 a 1\n2 0 b 1\n",
                   "run": "1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n2 Q0 a 1 2 x\n2 Q0 b 2 1 x\n"})

    @pytest.mark.parametrize("option, annotated, bias", [
        ([], "1 PRO a 1,1 CON b 1,2 PRO a 1,2 CON b 1", 1),
        (["--judged-by-group", "yes"], "1 PRO a 1,1 CON b 1,2 PRO a 1,2 - b 1", 1),
        (["--judged-by-group", "no"],
         "1 CON a 1,1 PRO a 1,1 CON b 1,1 PRO b 1,2 PRO a 1,2 CON b 1", 0.5)])
    def test_one_reading_for_all_topics(self, command, option, annotated, bias):
        code, out, err = command("annotate", "plain", "web", *option)
        assert code == 0 and out.splitlines() == annotated.split(",")
        assert ("in 1 of 2 topics" in err) == (not option)
        measures = ["BiasP@1", "alpha_nDCG@2", "StRecall@2"]
        for arguments in ([], ["--groups", "web"]):
            found = command("eval", "web", "run", "BiasP@1", *arguments, *option)
            assert found[:2] == (0, f"BiasP@1\t{bias:.4f}\n")
        _, plain, _ = command("eval", "web", "run", *measures[1:])
        assert command("eval", "web", "run", *measures, *option)[1].endswith(plain)
