"""pt-fairness report."""

from __future__ import annotations

import gzip

import pytest

from pt_fairness import cli, report

MEASURES = ["nDCG@2", "AWRF@2"]


@pytest.fixture
def arguments(tmp_path, monkeypatch):
    """The command with two runs, without an output; the files are in the working directory."""
    pytest.importorskip("jinja2")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("1 P a 1\n1 C b 1\n2 P a 1\n2 C b 0\n")
    (tmp_path / "run").write_text("1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n2 Q0 b 1 1 x\n")
    (tmp_path / "other").write_text("1 Q0 b 1 2 x\n1 Q0 a 2 1 x\n2 Q0 a 1 1 x\n")
    return ["report", "qrels", "run", "other", "-m", *MEASURES, "--baseline", "run"]


def test_it_writes_the_page_of_the_function(arguments, tmp_path, capsys):
    options = ["--label", "AWRF@2=Fairness", "--title", "Mine", "--depth", "5"]
    assert cli.main([*arguments, *options, "-o", "page.html"]) == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    wanted = report(
        ["run", "other"], "qrels", MEASURES, baseline="run", labels={"AWRF@2": "Fairness"},
        title="Mine", depth=5, progress=False,
    )  # fmt: skip
    assert page == wanted.html and "Fairness" in page and "<title>Mine</title>" in page
    assert cli.main([*arguments, *options, "-o", "page.html.gz"]) == 0
    assert gzip.decompress((tmp_path / "page.html.gz").read_bytes()).decode() == page
    capsys.readouterr()
    assert cli.main([*arguments, *options]) == 0
    assert capsys.readouterr().out == page


def test_topics_from_a_file(arguments, tmp_path):
    (tmp_path / "topics").write_text("1 cats & dogs\n2 birds\n")
    assert cli.main([*arguments, "--topics", "topics", "-o", "page.html"]) == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert 'cats &amp; dogs</' in page
    assert cli.main([*arguments, "--topics", "no/file", "-o", "page.html"]) == 2


def test_groups_from_a_file(arguments, tmp_path):
    (tmp_path / "groups.csv").write_text("docno,group\na,museum\nb,newspaper\n")
    assert cli.main([*arguments, "--groups", "groups.csv", "-o", "page.html"]) == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "the groups of groups.csv are museum, newspaper" in page


def test_a_broken_run_gives_exit_code_1(arguments, tmp_path, capsys):
    (tmp_path / "broken").write_text("1 Q0 a\n")
    arguments.insert(2, "broken")
    assert cli.main([*arguments, "-o", "page.html"]) == 1
    assert "1 of 3 runs could not be evaluated" in capsys.readouterr().err
    assert "Not evaluated because of errors: broken." in (tmp_path / "page.html").read_text()


def test_a_broken_baseline_is_no_baseline(arguments, tmp_path):
    (tmp_path / "broken").write_text("1 Q0 a\n")
    arguments.insert(2, "broken")
    assert cli.main([*arguments, "--baseline", "broken", "-o", "page.html"]) == 1
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Not evaluated because of errors: broken." in page
    assert "the baseline is" not in page and "t-test" not in page and "holm1979" not in page


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--depth", "0"], "depth=0 is not possible"),
        (["-o", "html"], "--output takes a file"),
        (["--groups", "no-such"], "no-such"),
        (["--baseline", "no-such"], "the baseline 'no-such' is none of the runs")],
)
def test_errors(arguments, options, message, capsys):
    assert cli.main([*arguments, *options]) == 2
    assert message in capsys.readouterr().err
