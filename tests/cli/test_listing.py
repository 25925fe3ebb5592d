"""``pt-fairness measures`` and ``groups``, and what ``--groups`` takes."""

from __future__ import annotations

import inspect
import textwrap

import pytest
from one_test import each

from pt_fairness import groups
from pt_fairness.measures import MEASURES
from pt_fairness.measures.descriptions import BIBLIOGRAPHY, ideal_text


@pytest.fixture
def measures(command):
    """``measures(argument…)``: exit code, standard output and standard error."""
    return lambda *arguments: command("measures", *arguments)


def test_a_line_for_each_measure(measures):
    code, out, _ = measures()
    lines = out.splitlines()[1:]
    assert code == 0 and [line.split()[0] for line in lines] == list(MEASURES)
    for line, measure in zip(lines, MEASURES.values(), strict=True):
        assert f" {ideal_text(measure)} " in line and line.endswith(measure.SHORT_DESC)


def test_measures_in_full(measures):
    code, out, _ = measures("rKL", "β_P")
    assert code == 0
    for name in ("rKL", "BiasP"):
        lines = inspect.cleandoc(type(MEASURES[name]).__doc__).splitlines()
        assert len(lines) > 20 and all(line in out for line in lines)
        assert all(str(BIBLIOGRAPHY[key]) in out for key in MEASURES[name].SOURCE)
        entries = [textwrap.indent(BIBLIOGRAPHY[key].bibtex, "    ")
                   for key in MEASURES[name].SOURCE]
        assert all(entry in out for entry in entries)
        assert all(parameter in out for parameter in MEASURES[name].SUPPORTED_PARAMS)
    assert "range 0 to 1; 1 is best" in measures("OfGroup")[1]
    code, out, err = measures("nDCG")
    assert (code, out) == (2, "") and "'nDCG'" in err


DOCS = ["FT1", "FT2", "LA1", "LA2", "FR1"]
ROWS = [(docno, docno[:2]) for docno in DOCS]
FILES = {
    "qrels": "".join(f"{q} 0 {d} {int(d < 'G')}\n" for q in (1, 2) for d in DOCS),
    "run": "".join(f"{q} Q0 {d} {i} {9 - i} t\n" for q in (1, 2) for i, d in enumerate(DOCS)),
    "plain.csv": "docno,group\n" + "".join(f"{d},{g}\n" for d, g in ROWS),
    "table.csv": "id,Outlet\n" + "".join(f"{d},{g}\n" for d, g in ROWS),
    "table.tsv": "outlet\tid\n" + "".join(f"{g}\t{d}\n" for d, g in ROWS),
    "both.csv": "group,doc_id,outlet\n" + "".join(f"x,{d},{g}\n" for d, g in ROWS),
    "shares.gmemb": "".join(f"{q} {d} {' '.join(str(float(g == o)) for o in ('FR', 'FT', 'LA'))}\n"
                            for q in (1, 2) for d, g in ROWS),
    "two.gmemb": "".join(f"{q} {d} {int(d < 'G')} {int(d > 'G')}\n" for q in (1, 2) for d in DOCS),
    "trec-newswire": "x"}


@pytest.fixture
def table(folder_of, command):
    """``table(source)``: what ``table`` prints with groups that all documents have."""
    folder_of(FILES)

    def printed(source):
        code, out, err = command("table", "qrels", "run", "-m", "AWRF@5", "rKL(protected='FT')@5",
                                 "--groups", source)
        matched = ("10 of 10 judged and 10 of 10 ranked documents have a group (of the first 5 of "
                   "each ranking)")
        assert (code, err) == (0, f"pt-fairness: {source}: {matched}\n"), err
        return out
    return printed


@each("source", ["re:^(FT|LA|FR)", "re:^[A-Z]+", "table.csv:outlet", "table.csv:Outlet",
                 "table.tsv:outlet", "both.csv:outlet", "shares.gmemb:FR,FT,LA"])
def test_forms_of_a_source(table, source):
    assert table(source) == table("plain.csv")


def test_the_source_is_in_the_note_and_taken_by_other_commands(table, command):
    assert table("trec-newswire"), "a name is not read as the file"
    note = command("table", "qrels", "run", "-m", "AWRF@5", "--groups", "re:^[A-Z]+", "--format",
                   "md")[1]
    assert "Groups: re:^[A-Z]+" in note
    of_file, of_pattern = ([command(*arguments)[1] for arguments in (
        ["annotate", "qrels", source], ["rerank", "run", "xquad", "--groups", source],
        ["eval", "qrels", "run", "rKL@5", "--groups", source])]
        for source in ("plain.csv", "re:^[A-Z]+"))
    assert of_file == of_pattern and of_file[0].startswith("1 FT FT1 1\n")
    out = command("annotate", "qrels", "two.gmemb")[1]
    assert out.splitlines()[:3] == ["1 1 FT1 1", "1 1 FT2 1", "1 2 LA1 0"], "numbered groups"


@each("source, says", [
    ("re:(", "'('"), ("plain.csv:outlet", "'outlet'"), ("none.csv:outlet", "'none.csv:outlet'")])
def test_sources_that_are_wrong(table, command, source, says):
    code, out, err = command("table", "qrels", "run", "-m", "rKL@5", "--groups", source)
    assert (code, out) == (2, "") and says in err and err.count("\n") == 1


@pytest.fixture
def listed(command):
    """The lines of ``groups``, by name."""
    code, out, err = command("groups")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    return {name: {"labels": labels.removeprefix("    labels: "),
                   "downloads": size.removeprefix("    downloads: ")}
            for name, labels, size in zip(lines[::3], lines[1::3], lines[2::3], strict=True)}


def test_sources_are_listed(listed):
    assert listed["trec-newswire"] == {"labels": "FBIS, FR, FT, LA", "downloads": "nothing"}
    assert list(listed) == groups.names()
    for name, row in listed.items():
        assert row["labels"] == ", ".join(groups.get(name).labels)
