"""The options that several commands have: --output, --format, --groups, --label, --names."""

import gzip
import io
import json
import sys
from pathlib import Path

import pandas as pd
import pytest

from pt_fairness import cli, targets

QRELS = "".join(f"{q} 0 {d} {1 if d < 'c' else 0}\n" for q in (1, 2, 3) for d in "abcd")
MATCHED = ("pt-fairness: groups.csv: 9 of 12 judged and 21 of 24 ranked documents have a group "
           "(first without: d)\n")
RUNS = {"one": "abcd", "two": "bcda", "three": "dcba"}


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A folder with qrels without groups, a group file and three runs, as working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "groups.csv").write_text("docno,group\na,PRO\nb,CON\nc,PRO\n")
    for name, order in RUNS.items():
        (tmp_path / name).write_text("".join(
            f"{q} Q0 {d} {i} {9 - i} t\n" for q in (1, 2, 3) for i, d in enumerate(order)))
    return tmp_path


@pytest.fixture
def run(files, capsys):
    """``run(argument…)``: exit code, standard output, standard error."""
    return lambda *arguments: (cli.main(arguments), *capsys.readouterr())


TABLE = ("table", "qrels", *RUNS, "-m", "nDCG@2", "rKL(protected='PRO')@2")


class TestTargets:
    MEASURE = "RepBias(group='PRO',target='census')@2"

    @pytest.fixture
    def census(self, files):
        (files / "groups.csv").write_text("docno,group\na,PRO\nb,CON\nc,PRO\nd,CON\n")
        (files / "sub").mkdir()
        with gzip.open(files / "sub" / "census.csv.gz", "wt") as out:
            out.write("qid,group,share\n1,PRO,0\n1,CON,1\n2,PRO,.5\n2,CON,.5\n3,PRO,1\n")
        yield "sub/census.csv.gz"
        targets.REGISTRY._registered.pop("census", None)

    def test_table_eval_and_report(self, run, census):
        """One of the first two documents is PRO: the bias is 0.5, 0 and -0.5."""
        shared = ("--groups", "groups.csv", "--targets", census)
        code, out, err = run("table", "qrels", "one", "-m", self.MEASURE, *shared, "--per-query")
        assert code == 0 and err.startswith("pt-fairness: groups.csv: 12 of 12 judged")
        values = pd.read_csv(io.StringIO(out)).set_index("qid")["value"]
        assert values.to_dict() == {1: 0.5, 2: 0.0, 3: -0.5}
        evaluated = run("eval", "qrels", "one", "-q", "-n", self.MEASURE, *shared)[1]
        assert [line.split()[-1] for line in evaluated.splitlines()] == ["0.5000", "0.0000",
                                                                         "-0.5000"]
        code, *_ = run("report", "qrels", "one", "-m", self.MEASURE, *shared, "-o", "r.html")
        assert code == 0 and "census" in Path("r.html").read_text(encoding="utf-8")

    def test_workers(self, run, census):
        arguments = ("table", "qrels", *RUNS, "-m", self.MEASURE, "--groups", "groups.csv",
                     "--targets", census)
        code, out, err = run(*arguments)
        assert code == 0 and err.startswith("pt-fairness: groups.csv: 12 of 12 judged")
        assert [line.split(",")[-1] for line in out.splitlines()[1:]] == ["0.0"] * 3
        assert run(*arguments, "--jobs", "2")[:2] == (0, out)

    def test_a_file_that_no_measure_names(self, run, census):
        code, _, err = run("table", "qrels", "one", "-m", "nDCG@2", "--targets", census)
        assert code == 2 and "no measure has the parameter target='census'" in err
        code, _, err = run("table", "qrels", "one", "-m", self.MEASURE, "--targets", "no/census")
        assert code == 2 and "no/census" in err


class TestGroups:
    def test_the_source_is_not_in_the_names(self, run):
        code, out, err = run(*TABLE, "--groups", "groups.csv")
        assert code == 0 and err == MATCHED
        assert out.startswith("name,nDCG@2,rKL(protected='PRO')@2\n")
        own = run("table", "qrels", *RUNS, "-m", "nDCG@2",
                  "rKL(protected='PRO',groups='groups.csv')@2")[1]
        assert out.split("\n", 1)[1] == own.split("\n", 1)[1]
        note = run(*TABLE, "--groups", "groups.csv", "--format", "md")[1].splitlines()[-1]
        assert note.startswith("Groups: groups.csv (CON, PRO). rKL(protected='PRO')@2: target: ")

    @pytest.mark.parametrize("options", [[], ["-q"], ["--format", "jsonl"]])
    def test_eval_takes_it_too(self, run, options):
        measures = ["nDCG@2", "rKL(protected='PRO')@2", "α_nDCG@2"]
        code, out, err = run("eval", "qrels", "one", *measures, "--groups", "groups.csv", *options)
        assert (code, err) == (0, "") and "groups.csv" not in out
        assert "alpha_nDCG@2" in out and "rKL(protected='PRO')@2" in out
        run("annotate", "qrels", "groups.csv", "-o", "auxiliary")
        expected = run("eval", "auxiliary", "one", *measures, *options)[1]
        assert sorted(out.splitlines()) == sorted(expected.splitlines())

    def test_a_source_that_is_not_there(self, run):
        for command in (TABLE, ("eval", "qrels", "one", "rKL@2")):
            code, out, err = run(*command, "--groups", "no-such")
            assert (code, out) == (2, "") and err.count("\n") == 1
            assert "no groups are registered as 'no-such'" in err

    @pytest.mark.skipif(sys.platform == "win32", reason="standard input has no path")
    def test_a_pipe(self, run, files, monkeypatch):
        import os
        expected = run(*TABLE, "--groups", "groups.csv")
        pipe = files / "pipe"
        os.mkfifo(pipe)
        if os.fork() == 0:  # writes once
            pipe.write_text((files / "groups.csv").read_text())
            os._exit(0)
        code, out, err = run(*TABLE, "--groups", str(pipe))
        assert (code, out, err.replace(str(pipe), "groups.csv")) == expected
        os.wait()


class TestNames:
    def test_labels_and_names(self, run):
        label = "rKL(protected='PRO')@2=Unfairness = x"
        code, out, err = run(*TABLE, "--groups", "groups.csv", "--label", label, "--label",
                             "nDCG@2=Relevance", "--names", "A", "B", "C", "--baseline", "B")
        assert code == 0 and err == MATCHED
        assert out.startswith("name,Relevance ↑,Unfairness = x ↓,Relevance ↑ +,")
        assert pd.read_csv(io.StringIO(out))["name"].tolist() == ["A", "B", "C"]

    @pytest.mark.parametrize("options, says", [
        (["--label", "unfair"], "--label 'unfair' is not possible; it takes a measure"),
        (["--label", "AP=x"], "the table has no measure 'AP'"),
        (["--names", "A"], "there are 1 names for 3 runs"),
        (["--baseline", "one", "--correction", "x"], "correction='x' is not possible"),
        (["--digits", "-1"], "digits=-1 is not possible")])
    def test_options_that_are_not_possible(self, run, options, says):
        code, out, err = run(*TABLE, "--groups", "groups.csv", *options)
        assert (code, out) == (2, "") and says in err.splitlines()[-1] and err.count("error") == 1


class TestOutput:
    COMMANDS = (TABLE[:-1], ("eval", "qrels", "one", "AP"), ("measures",),
                ("annotate", "qrels", "groups.csv"), ("plug", "--status"))

    @pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
    def test_a_file_in_every_command(self, run, files, command):
        code, out, err = run(*command)
        assert code == 0 and out
        for name in ("out", "out.gz"):
            assert run(*command, "-o", name) == (0, "", err)
            read = gzip.open if name.endswith(".gz") else open
            with read(files / name, "rt", encoding="utf-8") as file:
                assert file.read() == out

    @pytest.mark.parametrize("command, form", [
        (TABLE[:-1], "csv"), (TABLE[:-1], "md"), (TABLE[:-1], "latex"), (TABLE[:-1], "json"),
        (("eval", "qrels", "one", "AP"), "jsonl"), (("measures",), "full"),
        (("annotate", "qrels", "groups.csv"), "trec"), (("plug",), "json")])
    def test_a_form_is_no_file(self, run, files, command, form):
        before = sorted(files.iterdir())
        code, out, err = run(*command, "--output", form)
        assert (code, out) == (2, "") and err.count("\n") == 1
        assert f"--output takes a file, and {form!r} is a form: write --format {form}" in err
        assert sorted(files.iterdir()) == before

    @pytest.mark.parametrize("command", [
        TABLE[:-1], ("eval", "missing", "missing", "AP"), ("measures",),
        ("annotate", "missing", "groups.csv")])
    def test_a_missing_folder_is_an_error_before_anything_is_read(self, run, files, command):
        code, out, err = run(*command, "-o", "results/table.csv")
        assert (code, out) == (2, "") and err == (
            "pt-fairness: error: --output 'results/table.csv' cannot be written: there is no "
            "folder 'results'; create it first\n")

    def test_a_file_that_is_named_like_a_form(self, run, files):
        assert run(*TABLE[:-1], "-o", "./csv")[0] == 0 and (files / "csv").exists()

    def test_forms(self, run):
        status = json.loads(run("plug", "--status", "--format", "json")[1])
        assert set(status) == {"plugged", "path"} and status["plugged"] in (True, False)
        out = run("annotate", "qrels", "groups.csv", "--format", "csv")[1]
        assert out.startswith("qid,docno,label,iteration\n1,a,1,PRO\n")

    def test_long_form(self, run, files):
        code, out, _ = run(*TABLE, "--groups", "groups.csv", "--format", "long")
        frame = pd.read_csv(io.StringIO(out))
        assert code == 0 and list(frame.columns) == ["run", "topic", "measure", "value",
                                                     "fair_end", "undefined"]
        assert len(frame) == 3 * 3 * 2 and not frame["undefined"].any()
        assert frame["fair_end"].isna().equals(frame["measure"] == "nDCG@2")

    def test_an_error_leaves_no_file(self, run, files):
        assert run("eval", "qrels", "no-such", "AP", "-o", "out")[0] == 2
        assert run(*TABLE, "--groups", "no-such", "-o", "out")[0] == 2
        assert not (files / "out").exists()
