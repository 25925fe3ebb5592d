"""``pt-fairness measures`` and ``groups``, and what ``--groups`` takes."""

import inspect
import textwrap

import pytest
from one_test import each

from pt_fairness import groups
from pt_fairness.measures import MEASURES
from pt_fairness.measures.descriptions import BIBLIOGRAPHY, ideal_text


def test_a_line_for_each_measure(command):
    code, out, _ = command("measures")
    lines = out.splitlines()[1:]
    assert code == 0 and [line.split()[0] for line in lines] == list(MEASURES)
    for line, measure in zip(lines, MEASURES.values(), strict=True):
        assert f" {ideal_text(measure)} " in line and line.endswith(measure.SHORT_DESC)


def test_measures_in_full(command):
    out = command("measures", "rKL", "β_P")[1]
    for name in ("rKL", "BiasP"):
        lines = inspect.cleandoc(type(MEASURES[name]).__doc__).splitlines()
        assert len(lines) > 20 and all(line in out for line in lines)
        for key in MEASURES[name].SOURCE:
            entry = textwrap.indent(BIBLIOGRAPHY[key].bibtex, "    ")
            assert str(BIBLIOGRAPHY[key]) in out and entry in out
        assert all(parameter in out for parameter in MEASURES[name].SUPPORTED_PARAMS)
    assert "rKL of ten documents" in out
    code, out, err = command("measures", "nDCG")
    assert (code, out) == (2, "") and "'nDCG'" in err


DOCS = ["FT1", "FT2", "LA1", "LA2", "FR1"]
ROWS = [(docno, docno[:2]) for docno in DOCS]
FILES = {
    "qrels": "".join(f"{q} 0 {d} {int(d < 'G')}\n" for q in (1, 2) for d in DOCS),
    "run": "".join(f"{q} Q0 {d} {i} {9 - i} t\n" for q in (1, 2) for i, d in enumerate(DOCS)),
    "plain.csv": "docno,group\n" + "".join(f"{d},{g}\n" for d, g in ROWS),
    "table.csv": "id,Outlet\n" + "".join(f"{d},{g}\n" for d, g in ROWS),
    "shares.gmemb": "".join(f"{q} {d} {' '.join(str(float(g == o)) for o in ('FR', 'FT', 'LA'))}\n"
                            for q in (1, 2) for d, g in ROWS),
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


@each("source", ["re:^(FT|LA|FR)", "table.csv:outlet", "table.csv:id:Outlet",
                 "shares.gmemb:FR,FT,LA"])
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


@each("source, says", [
    ("re:(", "'('"), ("plain.csv:outlet", "'outlet'"), ("none.csv:outlet", "'none.csv:outlet'")])
def test_sources_that_are_wrong(table, command, source, says):
    code, out, err = command("table", "qrels", "run", "-m", "rKL@5", "--groups", source)
    assert (code, out) == (2, "") and says in err and err.count("\n") == 1


def test_sources_are_listed(command):
    code, out, err = command("groups")
    assert (code, err) == (0, "")
    assert "trec-newswire\n    labels: FBIS, FR, FT, LA\n    downloads: nothing\n" in out
    lines = out.splitlines()
    assert lines[::3] == groups.names()
    for name, labels in zip(lines[::3], lines[1::3], strict=True):
        assert labels == f"    labels: {', '.join(groups.get(name).labels)}"
