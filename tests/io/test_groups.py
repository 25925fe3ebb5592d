"""Files of groups and of targets, and pipes in their place."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

from pt_fairness import io, read_qrels
from pt_fairness.io.groups import read_groups, read_memberships, read_targets

QRELS = "1 PRO d1 1\n1\tCON  d2 -2\n2 - dé\"3 0\n"
ROWS = b"docno,group\n" + b"".join(b"d%d,PRO\n" % i for i in range(20_000))
#: Larger than the buffer of a pipe.
GROUPS = ROWS.decode()
TARGETS = "qid,group,share\n" + "".join(f"{i},PRO,0.5\n{i},CON,0.5\n" for i in range(10_000))


def written(path: Path, text: str) -> Path:
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


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
    ("document,group\na,X\n", r"no column 'docno'; it needs docno, group and has document, group"),
])
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
def test_characters_that_trec_eval_cannot_read(tmp_path, text, says):
    with pytest.raises(ValueError, match=f"x, {says}"):
        read_groups(written(tmp_path / "x", text))


def test_a_line_separator_of_unicode_is_no_white_space(tmp_path):
    found = read_groups(written(tmp_path / "x", "1 X\u2028Y a 1\n1 \x85 b 1\n"))
    assert found["group"].tolist() == ["X\u2028Y", "\x85"]


@pytest.mark.parametrize("text", ["docno,group,{}\na,X,1\n", "1 {} a 1\n", "docno\tgroup\t{}\n"])
def test_a_header_with_a_name_that_is_too_long(tmp_path, text):
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
