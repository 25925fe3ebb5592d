"""``pt-fairness groups``, and what ``--groups`` takes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import pt_fairness
from pt_fairness import cli, groups
from pt_fairness.collections import DOWNLOADS, SOURCES
from pt_fairness.io.document_files import memberships

DOCS = ["FT1", "FT2", "LA1", "LA2", "FR1"]


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """``run(argument…)``: exit code, standard output, standard error; in a folder with files."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("".join(f"{q} 0 {d} {int(d < 'G')}\n" for q in (1, 2)
                                            for d in DOCS))
    (tmp_path / "run").write_text("".join(f"{q} Q0 {d} {i} {9 - i} t\n" for q in (1, 2)
                                          for i, d in enumerate(DOCS)))
    (tmp_path / "plain.csv").write_text("docno,group\n" + "".join(f"{d},{d[:2]}\n" for d in DOCS))
    return lambda *arguments: (cli.main(arguments), *capsys.readouterr())


def table(run, source):
    code, out, err = run("table", "qrels", "run", "-m", "AWRF@5",
                         "rKL(protected='FT')@5", "--groups", source)
    matched = "10 of 10 judged and 10 of 10 ranked documents have a group"
    assert (code, err) == (0, f"pt-fairness: {source}: {matched}\n"), err
    return out


@pytest.mark.parametrize("source", ["re:^(FT|LA|FR)", "re:^[A-Z]+", "table.csv:outlet",
                                    "table.csv:Outlet", "table.tsv:outlet", "both.csv:outlet",
                                    "shares.gmemb:FR,FT,LA"])
def test_forms_of_a_source(run, source):
    rows = [(d, d[:2]) for d in DOCS]
    Path("table.csv").write_text("id,Outlet\n" + "".join(f"{d},{g}\n" for d, g in rows))
    Path("table.tsv").write_text("outlet\tid\n" + "".join(f"{g}\t{d}\n" for d, g in rows))
    Path("both.csv").write_text("group,doc_id,outlet\n"
                                + "".join(f"x,{d},{g}\n" for d, g in rows))
    Path("shares.gmemb").write_text("".join(
        f"{q} {d} {' '.join(str(float(g == o)) for o in ('FR', 'FT', 'LA'))}\n"
        for q in (1, 2) for d, g in rows))
    assert table(run, source) == table(run, "plain.csv")
    note = run("table", "qrels", "run", "-m", "AWRF@5", "--groups", source, "--format", "md")[1]
    assert f"\nGroups: {source}" in note


def test_groups_of_a_membership_file_are_numbered(run):
    Path("shares.gmemb").write_text("".join(f"{q} {d} {int(d < 'G')} {int(d > 'G')}\n"
                                            for q in (1, 2) for d in DOCS))
    out = run("annotate", "qrels", "shares.gmemb")[1]
    assert out.splitlines()[:3] == ["1 1 FT1 1", "1 1 FT2 1", "1 2 LA1 0"]


@pytest.mark.parametrize("text, count", [
    ("P1 a 0.3 0.3 0.4\n", 3), ("1 a 1 0\n", 2), ("1 a 0.5\n", 1), ("1 0 a 1\n", 0),
    ("1 PRO a 1\n", 0), ("1 0 1 1\n", 0), ("docno,group\n", 0), ("", 0), ("1\n", 0),
    ("1 a 0.5 1.5\n", 0)])
def test_membership_files_are_told_from_others(tmp_path, text, count):
    (tmp_path / "file").write_text(text)
    assert memberships(tmp_path / "file") == count


def test_a_membership_file_of_ntcir(shared):
    folder = shared / "data" / "fairweb1"
    for path in folder.glob("*.gmemb"):
        first = path.read_text().split("\n", 1)[0]
        assert memberships(path) == len(first.split()) - 2 > 1


def test_other_commands_take_them_too(run):
    expected = [line.split()[1] for line in run("annotate", "qrels", "plain.csv")[1].splitlines()]
    assert expected[0] == "FT"
    found = run("annotate", "qrels", "re:^[A-Z]+")[1]
    assert [line.split()[1] for line in found.splitlines()] == expected
    order = run("rerank", "run", "xquad", "--groups", "re:^[A-Z]+")[1]
    assert order == run("rerank", "run", "xquad", "--groups", "plain.csv")[1]
    value = run("eval", "qrels", "run", "rKL@5", "--groups", "re:^[A-Z]+")[1]
    assert value == run("eval", "qrels", "run", "rKL@5", "--groups", "plain.csv")[1]


@pytest.mark.parametrize("source, says", [
    ("re:(", "'(' is no regular expression"), ("plain.csv:outlet", "has no column 'outlet'"),
    ("none.csv:outlet", "no groups are registered as 'none.csv:outlet'")])
def test_errors(run, source, says):
    code, out, err = run("table", "qrels", "run", "-m", "rKL@5", "--groups", source)
    assert (code, out) == (2, "") and says in err and err.count("\n") == 1


def test_a_name_is_not_read_as_a_file(run, tmp_path):
    (tmp_path / "trec-newswire").write_text("x")
    assert table(run, "trec-newswire")


def listed(run):
    lines = run("groups")[1].splitlines()
    return {name: {"labels": labels.removeprefix("    labels: "),
                   "downloads": size.removeprefix("    downloads: ")}
            for name, labels, size in zip(lines[::3], lines[1::3], lines[2::3], strict=True)}


def test_sources_are_listed(run):
    code, out, err = run("groups")
    assert (code, err) == (0, "")
    assert "trec-newswire\n    labels: FBIS, FR, FT, LA\n    downloads: nothing\n" in out
    rows = listed(run)
    assert list(rows) == groups.names() and out.count("\n") == 3 * len(rows)
    for name, row in rows.items():
        assert row["labels"] == ", ".join(groups.get(name).labels)


def test_sources_of_the_user_are_listed(run, registered_groups):
    registered_groups("mine", groups.from_mapping({"a": "x", "b": "y"}))
    assert "mine\n    labels: x, y\n    downloads: nothing\n" in run("groups")[1]


def test_listing_downloads_nothing(run, monkeypatch):
    import socket

    def refuse(*_):
        raise AssertionError("a connection")
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setenv("IR_DATASETS_HOME", "empty")
    assert run("groups")[0] == 0 and not Path("empty").exists()


def test_what_is_downloaded_is_known_of_every_source(run):
    """The megabytes are those of the page on collections."""
    page = (Path(pt_fairness.__file__).parent / "pt_docs" / "collections.rst").read_text("utf-8")
    sizes = re.findall(r"   \* - (``.*)\n     - (.*)\n     - (.*)\n", page)
    assert all(any(name.startswith(start) for start in DOWNLOADS) for name in SOURCES)
    by_id = {one: size.split()[0].rstrip(",") for ids, _, size in sizes
             for one in re.findall(r"``([^`…]+)``", ids)}
    known = [name for name in by_id if name in SOURCES]
    assert len(known) > 10
    rows = listed(run)
    for name in known:
        size = {"0": "nothing", "a": "a"}.get(by_id[name], f"{by_id[name]} MB")
        assert rows[name]["downloads"].startswith(size), name
    stated = {size.split()[0].rstrip(",") for _, _, size in sizes} - {"0"}
    assert {text.split()[0] for text in DOWNLOADS.values()} - {"nothing", "9"} <= stated
