"""The options that several commands have: --output, --format, --groups, --none, --targets, --label,
--names, --test-zero, --seed; and qrels that are not needed.
"""

import gzip
import io
import itertools
import json
import random
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from one_test import each
from scipy import stats

from pt_fairness import analysis, evaluate, report, targets

TOPICS, DOCS = range(1, 9), [f"d{i}" for i in range(12)]
RUNS = [f"run{i}" for i in range(6)]
MATCHED = ("pt-fairness: groups.csv: 88 of 96 judged and 52 of 56 ranked documents have a group "
           "(first without: d11)\n")


@pytest.fixture
def files(folder_of):
    """Eight topics, six runs, stances in a second file, and groups in a third."""
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
                   **{run: "".join(f"{q} Q0 {d} {i} {9 - i} t\n" for q in (1, 2, 3)
                                   for i, d in enumerate("abcd")) for run in ("one", "two")}})
        (tmp_path / "sub").mkdir()
        with gzip.open("sub/census.csv.gz", "wt") as out:
            out.write("qid,group,share\n1,PRO,0\n1,CON,1\n2,PRO,.5\n2,CON,.5\n3,PRO,1\n")
        yield (*GROUPS, "--targets", "sub/census.csv.gz")
        targets.REGISTRY._registered.pop("census", None)

    def test_table_eval_and_report(self, arguments, command):
        """One of the first two documents is PRO: the bias is 0.5, 0 and -0.5."""
        code, out, err = command("table", "qrels", "one", "-m", self.MEASURE, *arguments,
                                 "--per-query")
        assert code == 0 and err.startswith("pt-fairness: groups.csv: 12 of 12 judged")
        values = pd.read_csv(io.StringIO(out)).set_index("qid")["value"]
        assert values.to_dict() == {1: 0.5, 2: 0.0, 3: -0.5}
        out = command("eval", "qrels", "one", "-q", "-n", self.MEASURE, *arguments)[1]
        assert [line.split()[-1] for line in out.splitlines()] == ["0.5000", "0.0000", "-0.5000"]
        code, out, _ = command("report", "qrels", "one", "-m", self.MEASURE, *arguments)
        assert code == 0 and "census" in out

    def test_workers(self, arguments, command):
        code, out, _ = command("table", "qrels", "one", "two", "-m", self.MEASURE, *arguments,
                               "--jobs", "2")
        assert code == 0 and [line.split(",")[-1] for line in out.splitlines()[1:]] == ["0.0"] * 2

    def test_a_file_that_no_measure_names(self, arguments, command):
        code, _, err = command("table", "qrels", "one", "-m", "nDCG@2", *arguments)
        assert code == 2 and "no measure has the parameter target='census'" in err
        code, _, err = command("table", "qrels", "one", "-m", self.MEASURE, "--targets",
                               "no/census")
        assert code == 2 and "no/census" in err


class TestGroups:
    def test_the_source_is_not_in_the_names(self, files, command):
        code, out, err = command(*TABLE, *GROUPS)
        assert code == 0 and err == MATCHED
        assert out.startswith("name,nDCG@2,rKL(protected='PRO')@2\n")
        named = command(*TABLE[:-1], "rKL(protected='PRO',groups='groups.csv')@2")[1]
        assert out.split("\n", 1)[1] == named.split("\n", 1)[1]
        note = command(*TABLE, *GROUPS, "--format", "md")[1].splitlines()[-1]
        assert note.startswith("Groups: groups.csv (CON, PRO). rKL(protected='PRO')@2: target: ")

    @each("options", [["-q"], ["--format", "jsonl"]])
    def test_eval_takes_it_too(self, files, command, options):
        measures = ["nDCG@2", "rKL(protected='PRO')@2", "α_nDCG@2"]
        code, out, err = command("eval", "qrels", "run0", *measures, *GROUPS, *options)
        assert (code, err) == (0, "") and "groups.csv" not in out
        assert "alpha_nDCG@2" in out and "rKL(protected='PRO')@2" in out
        command("annotate", "qrels", "groups.csv", "-o", "auxiliary")
        expected = command("eval", "auxiliary", "run0", *measures, *options)[1]
        assert sorted(out.splitlines()) == sorted(expected.splitlines())

    def test_a_pipe(self, files, command, pipe):
        _, expected, _ = command(*TABLE, *GROUPS)
        path = pipe("groups.csv", (files / "groups.csv").read_text())
        assert command(*TABLE, "--groups", path)[:2] == (0, expected)

    def test_labels_that_mean_no_group(self, table, command):
        measures = ["-m", "AWRF@10", "rKL@10"]
        stances = ["--groups", "stances", "--none", "NO"]
        assert command("annotate", "qrels", "stances", "--none", "NO", "-o", "annotated")[0] == 0
        expected = table("table", "annotated", *RUNS, *measures)
        pd.testing.assert_frame_equal(table("table", "qrels", *RUNS, *measures, *stances), expected)
        _, out, _ = command("eval", "qrels", "run0", "rKL@10", *stances)
        assert f"{expected.iloc[0, 2]:.4f}" in out
        for options, says in ((["--none", "NO"], "--none is about the labels of --groups"),
                              ([*stances[:-1], "NEUTRAL"], "no document has the label 'NEUTRAL'")):
            code, _, err = command("table", "qrels", "run0", *measures, *options)
            assert code == 2 and says in err


def test_labels_and_names(files, command):
    label = "rKL(protected='PRO')@2=Unfairness = x"
    code, out, err = command(*TABLE, *GROUPS, "--label", label, "--label", "nDCG@2=Relevance",
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
        assert code == 2 and "there is no folder 'results'" in err and err.count("\n") == 1

    @each("arguments, form", [
        (TABLE, "csv"), (TABLE, "md"), (TABLE, "latex"), (TABLE, "json"),
        (("eval", "missing", "missing", "AP"), "jsonl"), (("measures",), "full"),
        (("annotate", "missing", "groups.csv"), "trec"), (("plug",), "json")])
    def test_a_form_is_no_file(self, files, command, arguments, form):
        code, out, err = command(*arguments, "--output", form)
        assert (code, out) == (2, "") and err.count("\n") == 1 and not (files / form).exists()
        assert f"--output takes a file, and {form!r} is a form: write --format {form}" in err

    def test_a_file_that_is_named_like_a_form(self, files, command):
        assert command(*TABLE[:-1], "-o", "./csv")[0] == 0 and (files / "csv").exists()

    def test_forms(self, files, command, table):
        status = json.loads(command("plug", "--status", "--format", "json")[1])
        assert set(status) == {"plugged", "path"} and status["plugged"] in (True, False)
        out = command("annotate", "qrels", "groups.csv", "--format", "csv")[1]
        assert out.startswith("qid,docno,label,iteration\n1,d0,")
        values = table(*TABLE, *GROUPS, "--format", "long")
        assert [*values] == ["run", "topic", "measure", "value", "ideal", "undefined"]
        assert len(values) == 3 * len(TOPICS) * 2 and not values["undefined"].any()
        assert values["ideal"].isna().equals(values["measure"] == "nDCG@2")

    def test_an_error_leaves_no_file(self, files, command):
        assert command("eval", "qrels", "no-such", "AP", "-o", "out")[0] == 2
        code, _, err = command(*TABLE, "--groups", "no-such", "-o", "out")
        assert code == 2 and "no groups are registered as 'no-such'" in err
        assert not (files / "out").exists()


def slow_ap(first, second, better):
    """The mean, over all systems but the best, of the agreement with the systems above."""
    values = []
    for i in range(len(first)):
        above = [j for j in range(len(first)) if better(first[j], first[i])]
        signs = [np.sign(first[i] - first[j]) * np.sign(second[i] - second[j]) for j in above]
        if signs:
            values.append(sum(signs) / len(signs))
    return sum(values) / len(values)


class TestCorrelate:
    def test_against_scipy_and_loops(self, table, command):
        measures = ["nDCG@5", "rKL(protected='CON')@10", "BiasP@10", "P@1"]
        arguments = ["qrels", *RUNS, "-m", *measures, *GROUPS]
        pairs = table("correlate", *arguments)
        averages = table("table", *arguments).set_index("name")
        better = [lambda x, y: x > y, lambda x, y: x < y, lambda x, y: abs(x) < abs(y),
                  lambda x, y: x > y]
        assert len(pairs) == 6
        for (i, j), (_, row) in zip(itertools.combinations(range(4), 2), pairs.iterrows(),
                                    strict=True):
            x, y = (averages.iloc[:, k].round(12).tolist() for k in (i, j))
            assert (row["τ"], row["p"]) == pytest.approx(tuple(stats.kendalltau(x, y)))
            ap = (slow_ap(x, y, better[i]) + slow_ap(y, x, better[j])) / 2
            assert row["AP τ"] == pytest.approx(ap)
        code, _, err = command("correlate", "qrels", *RUNS, "-m", "P@5")
        assert code == 2 and "correlate compares measures" in err

    def test_the_definition_of_ap(self):
        """The systems above each system in the order of the first measure: 1, then 0 and 1 of 2."""
        averages = pd.DataFrame({"name": list("abc"), "nDCG@5": [3.0, 2, 1], "P@5": [3.0, 1, 2]})
        some_agree = analysis.correlations(averages, "ap")
        assert some_agree.p_values.isna().iloc[0, 1] and some_agree.table.iloc[0, 0] == "0.5000"
        for values, ap in ([3.0, 1, 2], (1 + (1 - 1) / 2) / 2), ([3, 2, 1], 1), ([1, 2, 3], -1):
            averages["P@5"] = np.array(values, float)
            assert analysis.correlations(averages, "ap").coefficients.iloc[0, 1] == ap


def test_biases_against_zero(table, command):
    arguments = ["table", "qrels", *RUNS, "-m", "nDCG@5", "BiasP@10", *GROUPS]
    tests = table(*arguments, "--test-zero")
    _, values = evaluate(RUNS, "qrels", "BiasP@10", groups="groups.csv", progress=False)
    assert tests["measure"].unique().tolist() == ["BiasP@10"] and len(tests) == 6
    for row in tests.itertuples():
        biases = values.loc[values["name"] == row.name, "value"]
        assert (row.MB, row.p) == pytest.approx((biases.mean(),
                                                 stats.ttest_1samp(biases, 0).pvalue))
    ordered = tests.sort_values("p", ignore_index=True)
    holm = np.maximum.accumulate(ordered["p"] * [6, 5, 4, 3, 2, 1]).clip(upper=1)
    np.testing.assert_allclose(ordered["p corrected"], holm)
    plain = table(*arguments, "--test-zero", "--correction", "none")
    assert plain["p corrected"].tolist() == plain["p"].tolist()
    for options, says in ((["--baseline", "run0"], "--test-zero does not go with --baseline"),
                          (["--per-query"], "give one of them"),
                          (["-m", "nDCG@5"], "none of nDCG@5 is signed")):
        code, _, err = command(*arguments, "--test-zero", *options)
        assert code == 2 and says in err


def test_biases_against_zero_in_a_report(files, command):
    shared = ["report", "qrels", *RUNS[:2], "-m", "BiasP@10", *GROUPS]
    assert "Bias against 0" in command(*shared, "--test-zero")[1]
    plain = report(RUNS[:2], "qrels", "BiasP@10", groups="groups.csv", progress=False)
    assert "Bias against 0" not in plain.html


def test_seeds(table, command):
    arguments = ["table", "qrels", *RUNS[:3], "-m", "AWRF@10", *GROUPS, "--baseline", "run0",
                 "--ci", "0.9", "--references"]
    first = table(*arguments)
    pd.testing.assert_frame_equal(table(*arguments, "--seed", "0"), first)
    another = table(*arguments, "--seed", "1")
    assert (another["AWRF@10"] == first["AWRF@10"])[:3].all()
    assert not another["AWRF@10 low"][:3].equals(first["AWRF@10 low"][:3])
    random_order = first["name"] == "[random order]"
    assert random_order.sum() == 1 and (another["AWRF@10"] != first["AWRF@10"])[random_order].all()
    code, _, err = command(*arguments, "--seed", "-1")
    assert code == 2 and "seed=-1 is not possible" in err


class TestNoQrels:
    def test_tables_eval_and_report(self, table, command):
        measures = ["AWRF@10", "NDKL"]
        means = table("table", "none", *RUNS, "-m", *measures, *GROUPS)
        expected = evaluate(RUNS, None, measures, groups="groups.csv", perquery=False,
                            progress=False)
        np.testing.assert_allclose(means.iloc[:, 1:], expected[measures])
        assert f"AWRF@10\t{expected['AWRF@10'][0]:.4f}" in command(
            "eval", "none", "run0", *measures, *GROUPS)[1]
        assert command("report", "none", *RUNS[:2], "-m", *measures, *GROUPS, "-o", "x.html")[0] \
            == 0
        for arguments in (["table", "none", "run0", "-m"], ["eval", "none", "run0"]):
            code, _, err = command(*arguments, "rKL@10", *GROUPS)
            assert code == 2 and "rKL@10 cannot be computed without qrels" in err

    @pytest.mark.first(1)
    @pytest.mark.parametrize("figure", ["strips", "exposure", "lorenz"])
    def test_figures(self, files, command, figure):
        assert command("plot", figure, "none", *RUNS[:2], "-m", "NDKL(target='uniform')@10",
                       *GROUPS, "-o", "figure.svg")[0] == 0

    def test_uncertain_labels(self, table, files):
        shares = pd.DataFrame({"docno": DOCS, "PRO": 0.7, "CON": 0.3})
        shares.to_csv("shares.csv", index=False)
        (files / "judged").write_text("".join(f"{qid} 0 {d} 1\n" for qid in TOPICS for d in DOCS))
        options = [*RUNS[:2], "-m", "NDKL(target='uniform')@10", "--groups", "shares.csv::PRO,CON",
                   "--uncertain", "5"]
        without, of_judged = table("table", "none", *options), table("table", "judged", *options)
        pd.testing.assert_frame_equal(without, of_judged)
        assert (without["label low"] < without["label high"]).all()
