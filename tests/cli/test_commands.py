"""The command line, called as a user calls it."""

import gzip
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from pt_fairness import cli, groups


def test_warnings_are_one_line(files):
    done = subprocess.run([sys.executable, "-m", "pt_fairness", *files,
                           "AWRF(target={'PRO':0.5,'X':0.5})@3"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stderr.count("\n") == 1
    assert done.stderr.startswith("python -m pt_fairness: warning: the target of AWRF")


def test_annotate_writes_auxiliary_qrels(tmp_path, capsys):
    (tmp_path / "qrels").write_text("303 0 FT911-1 1\n303 0 LA010189-1 0\n303 0 XX-1 2\n")
    assert cli.main(["annotate", str(tmp_path / "qrels"), "trec-newswire"]) == 0
    expected = "303 FT FT911-1 1\n303 LA LA010189-1 0\n303 - XX-1 2\n"
    summary = ("pt-fairness: 2 of 3 judged documents have a group: FT 1, LA 1 (first without: "
               "XX-1)\n")
    assert capsys.readouterr() == (expected, summary)
    assert cli.main(["annotate", str(tmp_path / "qrels"), "trec-newswire", "-o",
                     str(tmp_path / "out.gz")]) == 0
    with gzip.open(tmp_path / "out.gz", "rt") as out:
        assert out.read() == expected


def test_annotate_takes_dataset_ids_and_files(tmp_path, capsys):
    (tmp_path / "groups.tsv").write_text("docno\tgroup\nd01-01\tleft\n")
    assert cli.main(["annotate", "pt-fairness/debates", str(tmp_path / "groups.tsv")]) == 0
    assert capsys.readouterr().out.splitlines()[:2] == ["1 left d01-01 2", "1 - d01-02 2"]


def test_annotate_names_what_is_missing(tmp_path, capsys):
    assert cli.main(["annotate", "no/such/qrels", "trec-newswire"]) == 2
    assert "neither a file nor a dataset id" in capsys.readouterr().err


def test_labels_written_as_floats_are_read(files, run, tmp_path):
    text = Path(files[0]).read_text(encoding="utf-8").replace(" 1\n", " 1.0\n")
    (tmp_path / "floats").write_text(text, encoding="utf-8")
    measures = "rND@3 nDCG@3"
    assert run(str(tmp_path / "floats"), files[1], measures) == run(*files, measures)


def test_a_broken_line_of_the_qrels_is_named(files, run, tmp_path):
    (tmp_path / "broken").write_text("1 PRO a 1\n1 PRO b\n")
    code, _, err = run(str(tmp_path / "broken"), files[1], "rND@3")
    assert code == 2 and "broken, line 2: 3 columns" in err and err.count("\n") == 1


@pytest.mark.parametrize("command", [["eval", "QRELS", "RUN"], ["table", "QRELS", "RUN", "-m"]])
@pytest.mark.parametrize("measure", ["nDCG@5", "rND@5"])
def test_qrels_without_rows_are_an_error(files, tmp_path, capsys, command, measure):
    (tmp_path / "empty").write_text("")
    given = {"QRELS": str(tmp_path / "empty"), "RUN": files[1]}
    assert cli.main([*(given.get(one, one) for one in command), measure]) == 2
    assert capsys.readouterr().err == ("pt-fairness" + " eval" * (command[0] == "eval")
                                       + ": error: the qrels have no rows, so there is no topic to "
                                       "evaluate\n")


def test_qrels_that_are_not_there_are_an_error(files, run):
    code, _, err = run("no/such/qrels", files[1], "nDCG@5")
    assert code == 2 and err.count("\n") == 1
    assert "no/such/qrels is neither a file nor a dataset id" in err


def test_a_broken_line_of_the_run_is_named(files, run, tmp_path):
    (tmp_path / "broken").write_text("1 Q0 a 1 2 tag\n1 Q0 b 2 x tag\n")
    code, _, err = run(files[0], str(tmp_path / "broken"), "nDCG@3")
    assert code == 2 and err.count("\n") == 1
    assert "broken, line 2: the score 'x' is no number" in err


def test_options_that_do_not_go_together_are_one_line(files, run):
    code, _, err = run(*files, "rND@3", "-n")
    assert code == 2 and "--no_summary" in err and err.count("\n") == 1


def test_version(capsys):
    import pt_fairness
    with pytest.raises(SystemExit):
        cli.main(["--version"])
    assert capsys.readouterr().out == f"pt_fairness {pt_fairness.__version__}\n"


COMMANDS = [["measures"], ["plug", "--status"], ["eval", "QRELS", "RUN", "Annotated@5"],
            ["table", "QRELS", "RUN", "-m", "Annotated@5"],
            ["annotate", "QRELS", "trec-newswire"]]
MAIN = [sys.executable, "-c", "import sys; from pt_fairness.cli import main; sys.exit(main())"]


@pytest.fixture
def given(files):
    """``given(command)``: the arguments of an interpreter that runs a command on the files."""
    names = dict(zip(("QRELS", "RUN"), files, strict=True))
    return lambda command: [*MAIN, *(names.get(one, one) for one in command)]


@pytest.mark.exhaustive
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_reader_that_has_gone(given, command):
    """``pt-fairness measures | head -n 1``: the reader may stop before anything is written."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(given(command), stdout=writer, stderr=subprocess.PIPE, text=True,
                          env={**os.environ, "PYTHONUNBUFFERED": ""})
    os.close(writer)
    summary = ("pt-fairness: 0 of 6 judged documents have a group (first without: a)\n"
               * (command[0] == "annotate"))
    assert (done.returncode, done.stderr) == (1, summary)


@pytest.mark.exhaustive
@pytest.mark.skipif(not os.path.exists("/bin/sh"), reason="needs a shell that closes files")
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_standard_output_that_is_closed(given, command):
    done = subprocess.run(["/bin/sh", "-c", 'exec "$0" "$@" >&-', *given(command)],
                          capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.endswith(": error: standard output is closed, so the output has no place to "
                                "go\n") and done.stderr.count("\n") == 1


@pytest.mark.exhaustive
@pytest.mark.skipif(not os.path.exists("/bin/sh"), reason="needs a shell that closes files")
def test_what_is_not_needed_may_be_closed(given, files, tmp_path):
    command = ["annotate", "QRELS", "trec-newswire", "-o", str(tmp_path / "out")]
    closed = subprocess.run(["/bin/sh", "-c", 'exec "$0" "$@" >&- 2>&-', *given(command)])
    assert closed.returncode == 0 and (tmp_path / "out").read_bytes().startswith(b"1 - a 1\n")
    command = ["table", "QRELS", "RUN", "-m", "AWRF(target={'PRO':0.5,'X':0.5})@3"]
    closed = subprocess.run(["/bin/sh", "-c", 'exec "$0" "$@" 2>&-', *given(command)],
                            stdout=subprocess.PIPE, text=True)
    assert closed.returncode == 0 and closed.stdout.startswith("name,")


@pytest.mark.exhaustive
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
@pytest.mark.parametrize("command", COMMANDS[:-1], ids=lambda command: command[0])
def test_standard_output_on_a_full_disk(given, command):
    with open("/dev/full", "w") as full:
        done = subprocess.run(given(command), stdout=full, stderr=subprocess.PIPE, text=True,
                              env={**os.environ, "PYTHONUNBUFFERED": ""})
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "No space left on device" in done.stderr


@pytest.mark.exhaustive
@pytest.mark.parametrize("command, text", [
    (["eval", "QRELS", "RUN", "-q", "Annotated@5"], "中\tAnnotated"),
    (["table", "QRELS", "RUN", "-m", "AP", "--per-query"], "run,中,AP,1.0\n"),
    (["annotate", "QRELS", "trec-newswire"], "中 - é 1\n"), (["measures", "nDCG@α"], "")],
    ids=lambda one: one[0] if isinstance(one, list) else "")
def test_output_is_utf8_whatever_the_locale(tmp_path, given, files, command, text):
    (tmp_path / "qrels").write_text("中 PRO é 1\n", encoding="utf-8")
    (tmp_path / "run").write_text("中 Q0 é 1 1 t\n", encoding="utf-8")
    done = subprocess.run(given(command), capture_output=True,
                          env={**os.environ, "PYTHONIOENCODING": "cp1252"})
    assert text in done.stdout.decode("utf-8") and b"Traceback" not in done.stderr
    assert done.returncode == (0 if text else 2)


@pytest.mark.exhaustive
@pytest.mark.skipif(not os.path.exists("/dev/stdin"), reason="standard input has no path")
@pytest.mark.parametrize("command, piped", [
    (["annotate", "qrels", "groups.csv"], "groups.csv"),
    (["annotate", "qrels", "auxiliary"], "auxiliary"),
    (["eval", "qrels", "run", "nDCG@5"], "run"), (["table", "qrels", "run", "-m", "nDCG@5"], "run"),
    (["eval", "qrels", "run", "nDCG@5"], "qrels")], ids=lambda one: "".join(one[:1]))
def test_standard_input_is_a_file(tmp_path, monkeypatch, capsys, command, piped):
    monkeypatch.chdir(tmp_path)
    documents = [f"d{i}" for i in range(2000)]
    for name, line in (("qrels", "1 0 {} 1\n"), ("auxiliary", "1 A {} 1\n"),
                       ("groups.csv", "{},A\n"), ("run", "1 Q0 {} 1 1 t\n")):
        header = "docno,group\n" * (name == "groups.csv")
        (tmp_path / name).write_text(header + "".join(map(line.format, documents)))
    assert cli.main(command) == 0
    done = subprocess.run([*MAIN, *("/dev/stdin" if one == piped else one for one in command)],
                          input=(tmp_path / piped).read_text(), timeout=60, text=True,
                          capture_output=True)
    assert done.stdout.replace("stdin", "run") == capsys.readouterr().out, done.stderr


def test_annotate_writes_all_or_nothing(small_disk, tmp_path):
    (tmp_path / "qrels").write_text("".join(f"1 0 FT{i} 1\n" for i in range(20_000)))
    message = small_disk("""
        import sys
        from pt_fairness import cli, groups
        cli.main(["annotate", sys.argv[1], "trec-newswire", "-o", sys.argv[2]])
    """, tmp_path / "qrels", tmp_path / "out")
    assert message == f"pt-fairness: error: [Errno 27] File too large: '{tmp_path / 'out'}'\n"
    assert [path.name for path in tmp_path.iterdir()] == ["qrels"]


def test_no_processes_at_all(files, capsys):
    assert cli.main(["table", *files, "-m", "AP", "--jobs", "0"]) == 2
    assert capsys.readouterr().err == ("pt-fairness: error: 0 processes cannot evaluate anything; "
                                       "give 1 or more, or -1 for all processors\n")


def test_what_does_not_fit_into_memory(files, run, request):
    groups.register("large", lambda: np.ones(1 << 50))
    request.addfinalizer(lambda: groups.unregister("large"))
    code, out, err = run(*files, "AWRF(groups='large')@3")
    assert (code, out) == (2, "") and err.count("\n") == 1
    assert err.startswith("pt-fairness eval: error: Unable to allocate 8.00 PiB")
