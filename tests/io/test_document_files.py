"""Files of qrels, groups and targets, and pipes in their place."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io as standard_io
import os
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from pt_fairness import io, read_qrels, write_qrels
from pt_fairness.io.document_files import read_groups, read_memberships, read_targets

TEXT = "1 PRO d1 1\n1\tCON  d2 -2\n2 - dé\"3 0\n"
FRAME = pd.DataFrame({"qid": ["1", "1", "2"], "docno": ["d1", "d2", 'dé"3'], "label": [1, -2, 0],
                      "iteration": ["PRO", "CON", "-"]})


def written(path: Path, text: str) -> Path:
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@pytest.mark.parametrize("name", ["qrels.txt", "qrels.txt.gz"])
def test_read_qrels(tmp_path, name):
    found = read_qrels(written(tmp_path / name, TEXT))
    pd.testing.assert_frame_equal(found, FRAME, check_dtype=False)
    assert found["label"].dtype == "int64"
    pd.testing.assert_frame_equal(read_qrels(str(tmp_path / name)), found)


def test_identifiers_stay_text(tmp_path):
    found = read_qrels(written(tmp_path / "q", "001 0 007 1\n001 nan NA 2\n001 None null 1\n"))
    assert found.values.tolist() == [["001", "007", 1, "0"], ["001", "NA", 2, "nan"],
                                     ["001", "null", 1, "None"]]


def test_whole_numbers_written_as_floats(tmp_path):
    found = read_qrels(written(tmp_path / "q", "1 0 a 4.0\n1 0 b -2.0\n1 0 c 1e0\n"))
    assert found["label"].tolist() == [4, -2, 1]


def test_the_real_file_with_floats(shared):
    found = read_qrels(shared / "data" / "touche" / "touche2020-task1-graded.qrels")
    assert found["label"].dtype == "int64" and set(found["label"]) == {-2, 1, 2, 3, 4, 5}


def test_every_column_of_real_qrels(robust03, shared):
    qrels, _ = robust03
    found = read_qrels(shared / "data" / "robust03" / "qrels.txt.gz")
    assert len(found) == len(qrels) and set(found["iteration"]) == {"0"}
    assert found["docno"].tolist() == qrels["doc_id"].tolist()
    assert found["label"].tolist() == qrels["relevance"].tolist()


@pytest.mark.parametrize(
    "text, line",
    [
        ("1 0 a 1\n1 0 b\n", r"line 2: 3 columns .*1 0 b"),
        ("1 0 a 1\n\n1 0 b 1 x\n", r"line 3: 5 columns .*1 0 b 1 x"),
        ("1 0 a 1\n1 0 b high\n", r"line 2: the label 'high' is no whole number"),
        ("1 0 a 1.5\n", r"line 1: the label '1.5' is no whole number"),
        ("1 0 a nan\n", r"line 1: the label 'nan' is no whole number"),
        ("1 0 a inf\n", r"line 1: the label 'inf' is no whole number")],
    ids=["too few", "too many", "word", "fraction", "nan", "inf"],
)
@pytest.mark.parametrize("name", ["bad.qrels", "bad.qrels.gz"])
def test_a_line_that_is_wrong_is_named(tmp_path, name, text, line):
    with pytest.raises(ValueError, match=rf"{name}, {line}"):
        read_qrels(written(tmp_path / name, text))


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_qrels(tmp_path / "none")
    (tmp_path / "latin").write_bytes("1 0 é 1\n".encode("latin-1"))
    with pytest.raises(ValueError, match=r"latin.*not UTF-8"):
        read_qrels(tmp_path / "latin")
    (tmp_path / "cut.gz").write_bytes(gzip.compress(TEXT.encode() * 1000)[:60])
    with pytest.raises(ValueError, match=r"cut\.gz is damaged"):
        read_qrels(tmp_path / "cut.gz")
    (tmp_path / "no.gz").write_bytes(b"1 0 a 1\n")
    with pytest.raises(ValueError, match=r"no\.gz is damaged"):
        read_qrels(tmp_path / "no.gz")


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_an_empty_file_holds_no_judgments(tmp_path, text):
    found = read_qrels(written(tmp_path / "empty", text))
    assert list(found.columns) == ["qid", "docno", "label", "iteration"] and len(found) == 0
    assert found["label"].dtype == "int64"


@pytest.mark.parametrize("name", ["out.txt", "out.txt.gz"])
@pytest.mark.parametrize("columns", [
    {}, {"qid": "query_id", "docno": "doc_id", "label": "relevance"},
], ids=["pyterrier", "ir_measures"])
def test_write_qrels_and_read_them_again(tmp_path, name, columns):
    before = FRAME.rename(columns=columns)
    copy = before.copy(deep=True)
    write_qrels(before, tmp_path / name)
    pd.testing.assert_frame_equal(read_qrels(tmp_path / name), FRAME, check_dtype=False)
    pd.testing.assert_frame_equal(before, copy)


def test_what_has_no_group_is_written_as_a_hyphen(tmp_path, capsys):
    write_qrels(FRAME.assign(iteration=["", None, "PRO"]))
    assert capsys.readouterr().out == '1 - d1 1\n1 - d2 -2\n2 PRO dé"3 0\n'
    write_qrels(FRAME.drop(columns="iteration"))
    assert capsys.readouterr().out == '1 0 d1 1\n1 0 d2 -2\n2 0 dé"3 0\n'


@pytest.mark.parametrize("column, values, text", [
    ("qid", ["1", "1", "2"], ["1", "1", "2"]), ("qid", [1.0, 1.0, 2.0], ["1", "1", "2"]),
    ("docno", ["a", "b", "a"], None), ("label", [1, -2, 1], None),
    ("iteration", ["PRO", None, ""], ["PRO", "-", "-"]),
    ("iteration", [1, 2, 1], ["1", "2", "1"]), ("iteration", [1, None, 2], ["1", "-", "2"])])
def test_categories_are_written_as_what_they_are(tmp_path, column, values, text):
    write_qrels(FRAME.assign(**{column: pd.Categorical(values)}), tmp_path / "out")
    assert read_qrels(tmp_path / "out")[column].tolist() == (text or values)


@pytest.mark.parametrize("column, value", [
    ("iteration", "two words"), ("docno", "a\tb"), ("qid", "1\n2")])
def test_white_space_cannot_be_written(tmp_path, column, value):
    with pytest.raises(ValueError, match=f"cannot hold the {column}"):
        write_qrels(FRAME.assign(**{column: value}), tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("column", ["qid", "docno"])
@pytest.mark.parametrize("missing", ["", None])
def test_nothing_cannot_be_written_as_an_identifier(tmp_path, column, missing):
    with pytest.raises(ValueError, match=f"row 1 of the qrels has no {column}"):
        write_qrels(FRAME.assign(**{column: ["1", missing, "2"]}), tmp_path / "out")


def test_what_is_no_file_is_an_id(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    # Such as an index that has the name of its dataset.
    (tmp_path / "pt-fairness" / "debates").mkdir(parents=True)
    assert io.load_qrels("pt-fairness/debates")["qid"].nunique() == 10
    for name in ("pt-fairness", "none"):
        with pytest.raises(ValueError, match=f"{name} is neither a file nor a dataset id"):
            io.load_qrels(name)


@pytest.mark.parametrize("label", [0.5, float("nan")])
def test_labels_that_the_format_cannot_hold_are_refused(label, tmp_path):
    frame = pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": [label]})
    with pytest.raises(ValueError, match="whole numbers as labels"):
        write_qrels(frame, tmp_path / "qrels")


def test_a_label_beyond_all_bounds_is_refused(tmp_path):
    (tmp_path / "qrels").write_text("1 0 a 99999999999999999999\n")
    with pytest.raises(ValueError, match="line 1: the label '99999999999999999999'"):
        read_qrels(tmp_path / "qrels")


def test_lines_end_alike_on_every_system(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "linesep", "\r\n")
    write_qrels(FRAME, tmp_path / "qrels")
    assert (tmp_path / "qrels").read_bytes() == '1 PRO d1 1\n1 CON d2 -2\n2 - dé"3 0\n'.encode()


def test_standard_output_is_utf8_whatever_the_locale():
    code = ("import pandas as pd, pt_fairness; print('a line before'); pt_fairness.write_qrels("
            "pd.DataFrame({'qid': ['1'], 'docno': ['\\xe9\\u4e2d'], 'label': [1]}))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True,
                          env={**os.environ, "PYTHONIOENCODING": "cp1252"})
    assert done.stdout == f"a line before{os.linesep}1 0 é中 1\n".encode(), done.stderr


def test_standard_output_that_takes_text_alone():
    with contextlib.redirect_stdout(standard_io.StringIO()) as out:
        write_qrels(FRAME)
    assert out.getvalue() == '1 PRO d1 1\n1 CON d2 -2\n2 - dé"3 0\n'


def test_standard_output_that_is_closed(monkeypatch):
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(ValueError, match="standard output is closed"):
        write_qrels(FRAME)


@pytest.mark.parametrize("name", ["qrels", "qrels.gz"])
@pytest.mark.parametrize("before", [None, "as it was"])
def test_a_full_disk_leaves_qrels_as_they_were(small_disk, tmp_path, name, before):
    if before is not None:
        (tmp_path / name).write_text(before)
    message = small_disk("""
        import pandas as pd, sys
        from pt_fairness import write_qrels
        docnos = [f"{i * 7919 % 100003:x}" for i in range(50_000)]
        write_qrels(pd.DataFrame({"qid": "1", "docno": docnos, "label": 1}), sys.argv[1])
    """, tmp_path / name)
    assert f"File too large: '{tmp_path / name}'" in message.splitlines()[-1]
    assert "ignored" not in message
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == (
        {} if before is None else {name: before})


@pytest.mark.parametrize(("character", "name"), [
    ("\0", "NUL"), ("\f", "a form feed"), ("\v", "a vertical tab")])
@pytest.mark.parametrize("column", ["qid", "docno"])
@pytest.mark.parametrize("file", ["qrels", "qrels.gz"])
def test_characters_that_trec_eval_cannot_read(tmp_path, character, name, column, file):
    fields = {"qid": "1", "docno": "d1"}
    fields[column] = f"d{character}2"
    text = f"1 0 d1 1\n\n{fields['qid']} 0 {fields['docno']} 1\n"
    says = f"{tmp_path / file}, line 3: the {column} {fields[column]!r} contains {name}; remove"
    with pytest.raises(ValueError, match=re.escape(says)):
        read_qrels(written(tmp_path / file, text))


def test_such_characters_in_a_group_or_a_blank_line_are_read(tmp_path):
    found = read_qrels(written(tmp_path / "q", "1 P\fRO d1 1\n1 0 d2 1\n"))
    assert found["iteration"].tolist() == ["P\fRO", "0"]


@pytest.mark.parametrize("label", ["1000001", "-1000001", "4294967296", "3e9"])
def test_a_relevance_outside_a_million(tmp_path, label):
    says = rf"q, line 3: the label '{label}' is outside ±1,000,000"
    with pytest.raises(ValueError, match=says):
        read_qrels(written(tmp_path / "q", f"1 0 a 1\n\n1 0 b {label}\n"))
    for label in (1_000_000, -1_000_000):
        assert read_qrels(written(tmp_path / "q", f"1 0 a {label}\n"))["label"].tolist() == [label]


QRELS = "1 PRO d1 1\n1\tCON  d2 -2\n2 - dé\"3 0\n"
ROWS = b"docno,group\n" + b"".join(b"d%d,PRO\n" % i for i in range(20_000))
#: Larger than the buffer of a pipe.
GROUPS = ROWS.decode()
TARGETS = "qid,group,share\n" + "".join(f"{i},PRO,0.5\n{i},CON,0.5\n" for i in range(10_000))


def test_group_files_that_are_none(tmp_path):
    with pytest.raises(ValueError, match=r"is no group file.*first line is 'docno stance'"):
        read_groups(written(tmp_path / "x", "docno stance\na PRO\n"))
    with pytest.raises(ValueError, match="is no group file"):
        read_groups(written(tmp_path / "y", ""))
    with pytest.raises(ValueError, match=r"z, line 2: 3 columns"):
        read_groups(written(tmp_path / "z", "1 PRO a 1\n1 CON b\n"))


@pytest.mark.parametrize("text, says", [
    ("docno\tgroup\na\tX\nb\tY\tZ\n", r"columns \(docno, group\).* line 3"),
    ("docno\tgroup\na\tX\tU\nb\tY\tZ\n", r"more columns than the header \(docno, group\)"),
    ("docno,group,Group\na,X,Y\n", r"has the column 'group' twice"),
    ("document,group\na,X\n", r"no column 'docno', .*; its columns are document, group\. Name it")])
def test_rows_of_a_group_file_that_do_not_fit_its_header(tmp_path, text, says):
    with pytest.raises(ValueError, match=rf"groups\.txt.*{says}"):
        read_groups(written(tmp_path / "groups.txt", text))


def test_blanks_around_commas_do_not_count(tmp_path):
    (tmp_path / "groups.csv").write_text("docno , group\na , PRO \n b, CON\n")
    found = read_groups(tmp_path / "groups.csv")
    assert found.to_numpy().tolist() == [["a", "PRO"], ["b", "CON"]]


@pytest.mark.parametrize("name, text, lost, says", [  # packed in the test: gzip stores the time
    ("groups.csv.gz", ROWS, 2000, r" is damaged after line 1\d{4}: "),
    ("groups.csv.gz", ROWS, 9, r" is damaged after line 20001: "),
    ("groups.qrels.gz", QRELS.encode() * 9000, 9, r" is damaged after line 27000: "),
], ids=["csv, much", "csv, its checksum", "qrels, its checksum"])
def test_a_group_file_that_was_cut_off_is_named(tmp_path, name, text, lost, says):
    (tmp_path / name).write_bytes(gzip.compress(text)[:-lost])
    with pytest.raises(ValueError, match=rf"^{re.escape(str(tmp_path / name))}{says}"):
        read_groups(tmp_path / name)


@pytest.mark.parametrize("name, content, says", [
    ("groups.csv.gz", b"not compressed", r" is damaged: "),
    ("groups.csv", b"docno,group\ncaf\xe9,x\n", r", line 2: not UTF-8 text"),
    ("groups.csv", ROWS + b"caf\xe9,x\n", r", line 20002: not UTF-8 text"),
    ("groups.qrels", QRELS.encode() + b"1 PRO caf\xe9 1\n", r", line 4: not UTF-8 text"),
], ids=["no gzip", "csv, early", "csv, late", "qrels"])
def test_a_damaged_group_file_is_named(tmp_path, name, content, says):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=rf"^{re.escape(str(tmp_path / name))}{says}"):
        read_groups(tmp_path / name)


@pytest.mark.parametrize("reader, text", [
    (read_groups, GROUPS), (read_groups, GROUPS.replace(",", "\t")), (read_groups, QRELS * 9000),
    (read_targets, TARGETS), (read_qrels, QRELS * 9000), (io.load_qrels, QRELS * 9000),
], ids=["csv", "tsv", "groups in qrels", "targets", "qrels", "load_qrels"])
@pytest.mark.parametrize("name", ["input", "input.gz"])
def test_a_pipe_is_read_once_and_whole(pipe, tmp_path, reader, text, name):
    expected = reader(written(tmp_path / name, text))
    pd.testing.assert_frame_equal(reader(pipe(name, text)), expected)


@pytest.mark.parametrize("reader, text, says", [
    (read_groups, GROUPS + "a,b,c\n", r"input cannot be read as columns .* line 20002"),
    (read_groups, QRELS * 9000 + "1 PRO a\n", r"input, line 27001: 3 columns"),
    (read_groups, GROUPS.encode() + b"\xff,b\n", r"input, line 20002: not UTF-8"),
    (read_qrels, QRELS * 9000 + "1 0 a high\n", r"input, line 27001: the label 'high'"),
], ids=["csv", "columns", "no UTF-8", "label"])
def test_a_wrong_line_of_a_pipe_is_named(pipe, reader, text, says):
    with pytest.raises(ValueError, match=says):
        reader(pipe("input", text))


def test_standard_input_is_a_group_file():
    code = ("import sys; from pt_fairness import groups; "
            "found = groups.from_file('/dev/stdin'); "
            "docnos = [f'd{i}' for i in range(20000)]; "
            "print(len(found.annotate([''] * 20000, docnos)[0]))")
    done = subprocess.run([sys.executable, "-c", code], input=GROUPS, text=True, timeout=60,
                          capture_output=True)
    assert done.stdout == "20000\n", done.stderr


def test_plain_qrels_are_no_group_file(tmp_path):
    (tmp_path / "qrels").write_text("1 0 d1 1\n1 0 d2 0\n")
    with pytest.raises(ValueError, match=r"has no groups: .* but .0., .* numbers, as in plain"):
        read_groups(tmp_path / "qrels")
    (tmp_path / "qrels").write_text("1 0 d1 1\n1 1 d2 0\n")
    assert read_groups(tmp_path / "qrels")["group"].tolist() == ["0", "1"]


def test_text_labels_of_qrels_are_groups(tmp_path):
    found = read_groups(written(tmp_path / "stances", "1 0 d1 FIRST\n1 Q0 d2 0\n2 0 d1 -\n"))
    assert found.columns.tolist() == ["qid", "docno", "group"]
    assert found.to_numpy().tolist() == [["1", "d1", "FIRST"], ["1", "d2", "0"], ["2", "d1", "-"]]
    # Where the second column holds groups, they are the groups.
    found = read_groups(written(tmp_path / "both", "1 PRO d1 yes\n1 CON d2 no\n"))
    assert found["group"].tolist() == ["PRO", "CON"]


@pytest.mark.parametrize(("text", "says"), [
    ("docno,group\na,X\n\nb\f1,Y\n", r"line 4: the docno 'b\\x0c1' contains a form feed"),
    ('qid\tdocno\tgroup\n1\ta\t"X\nY"\n1\0\tb\tY\n', r"line 4: the qid '1\\x00' contains NUL"),
    ("1 X a 1\n1 X b\v 1\n", r"line 2: the docno 'b\\x0b' contains a vertical tab")])
def test_characters_in_group_files_that_trec_eval_cannot_read(tmp_path, text, says):
    with pytest.raises(ValueError, match=f"x, {says}"):
        read_groups(written(tmp_path / "x", text))


def test_a_line_separator_of_unicode_is_no_white_space(tmp_path):
    found = read_groups(written(tmp_path / "x", "1 X\u2028Y a 1\n1 \x85 b 1\n"))
    assert found["group"].tolist() == ["X\u2028Y", "\x85"]


@pytest.fixture
def field_limit():
    """The limit of the standard library, which other packages raise."""
    limit = csv.field_size_limit(131_072)
    yield
    csv.field_size_limit(limit)


@pytest.mark.parametrize("text", ["docno,group,{}\na,X,1\n", "1 {} a 1\n", "docno\tgroup\t{}\n"])
def test_a_header_with_a_name_that_is_too_long(tmp_path, field_limit, text):
    with pytest.raises(ValueError, match=r"x, line 2: the columns cannot be read \(field larger"):
        read_groups(written(tmp_path / "x", "\n" + text.format("x" * 140_000)))
    found = read_groups(written(tmp_path / "x", f"docno,group\na,{'x' * 140_000}\n"))
    assert found["group"].str.len().tolist() == [140_000]


@pytest.mark.parametrize("weight", ["-0.5", "nan", "inf", "", "much"])
def test_the_line_of_a_weight_that_is_none(tmp_path, weight):
    text = f'docno,group,weight\n\na,"X\nY",1\nb,-,{weight}\nc,X,{weight}\n'
    says = f"x.csv, line 6 has the weight '{weight}'; weights are numbers of at least 0"
    with pytest.raises(ValueError, match=re.escape(says)):
        read_groups(written(tmp_path / "x.csv", text))


def test_the_line_of_a_share_below_0(tmp_path):
    path = written(tmp_path / "gmemb", "1 a 1 0\n\n1 b 0.5 -0.5\n")
    with pytest.raises(ValueError, match=r"gmemb, line 3 has the weight '-0\.5'"):
        read_memberships(path, ["X", "Y"])
