"""Group files in all forms, and what is wrong in them."""

from __future__ import annotations

import gzip
import json

import pandas as pd
import pytest
from one_test import each

from pt_fairness import FairnessWarning, cli, evaluate, groups

ROWS = [{"docno": "d1", "group": ["PRO", "CON"]}, {"docno": "d2", "group": ["CON"]},
        {"docno": "007", "group": []}]
EXPECTED = groups.from_mapping({"d1": ["PRO", "CON"], "d2": "CON"})


def rows_of(source):
    return source.lookup(["1"] * 4, ["d1", "d2", "007", "d9"]).to_numpy().tolist()


def write(path, rows):
    name = path.name.removesuffix(".gz")
    if name.endswith(".parquet"):
        pd.DataFrame(rows).to_parquet(path)
        return path
    lines = "\n".join(map(json.dumps, rows)) + "\n"
    text = (json.dumps(rows, indent=2) if name.endswith("array.json") else lines).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


FORMS = ["g.jsonl", "g.jsonl.gz", "lines.json", "array.json", "array.json.gz", "g.parquet"]


@each("name", FORMS)
def test_lists_in_parquet_and_json_are_several_groups(tmp_path, name):
    assert rows_of(groups.from_file(write(tmp_path / name, ROWS))) == rows_of(EXPECTED)


@each("name", FORMS)
def test_other_columns_and_nested_keys(tmp_path, name):
    rows = [{"key": {"id": row["docno"]}, "meta": {"a": {"stance": row["group"]}}} for row in ROWS]
    source = groups.from_file(write(tmp_path / name, rows), column="meta.a.stance", id="key.id")
    assert rows_of(source) == rows_of(EXPECTED)


@each("name", FORMS)
def test_topics_and_weights(tmp_path, name):
    rows = [{"query_id": 7, "doc_id": 12, "group": "PRO", "weight": 0.25},
            {"query_id": 7, "doc_id": 12, "group": "CON", "weight": 0.75}]
    found = groups.from_file(write(tmp_path / name, rows)).lookup(["7", "8"], ["12", "12"])
    assert found.to_numpy().tolist() == [["7", "12", "CON", 0.75], ["7", "12", "PRO", 0.25]]


@each("name", FORMS)
def test_lists_beside_cells_that_are_split(tmp_path, name):
    path = write(tmp_path / name, ROWS)
    assert rows_of(groups.from_file(path, sep=";")) == rows_of(EXPECTED)
    rows = [{"docno": "d1", "group": "PRO; CON"}, {"docno": "d2", "group": "CON"},
            {"docno": "007", "group": None}]
    path = write(tmp_path / name, rows)
    with pytest.warns(FairnessWarning, match="(row|line) 3 has an empty group"):
        source = groups.from_file(path, sep=";")
    assert source.labels == ["CON", "PRO"] and rows_of(source) == rows_of(EXPECTED)


@each("header", ["docno,P(PRO),P(CON)", "docno,PRO,CON"])
def test_a_column_of_weights_for_each_group(tmp_path, header):
    (tmp_path / "g.csv").write_text(f"{header}\nd1,0.3,0.7\nd2,0,1\n")
    assert rows_of(groups.from_file(tmp_path / "g.csv", weights="wide")) == [
        ["1", "d1", "CON", 0.7], ["1", "d1", "PRO", 0.3], ["1", "d2", "CON", 1.0]]
    with pytest.raises(ValueError, match=r"NEUTRAL.*columns are docno"):
        groups.from_file(tmp_path / "g.csv", weights="wide", labels=["PRO", "NEUTRAL"])
    (tmp_path / "g.csv").write_text(f"{header}\nd1,0.3,0.7\nd2,,1\n")
    with pytest.raises(ValueError, match=r"g\.csv, line 3: weight .*''"):
        groups.from_file(tmp_path / "g.csv", weights="wide")
    pd.DataFrame({"docno": ["d1"], "PRO": [-1.0]}).to_parquet(tmp_path / "g.parquet")
    with pytest.raises(ValueError, match=r"g\.parquet, row 1: weight .*'-1\.0'"):
        groups.from_file(tmp_path / "g.parquet", weights="wide")


def test_a_repeated_column_of_weights_is_named(tmp_path):
    path = tmp_path / "g.csv"
    path.write_text("docno,P(PRO),P(CON),note,note\nd1,0.3,0.7,a,b\n")
    source = groups.from_file(path, weights="wide", labels=["PRO", "CON"])
    assert rows_of(source) == [["1", "d1", "CON", 0.7], ["1", "d1", "PRO", 0.3]]
    for columns in ("P(PRO),P(PRO)", "PRO,P(PRO)", "p(PRO),P(PRO)"):
        path.write_text(f"docno,{columns}\nd1,0.3,0.7\n")
        error = r"g\.csv must have one column of weights for 'PRO', got "
        with pytest.raises(ValueError, match=error):
            groups.from_file(path, weights="wide")


@each("text, says", [
    ("docno,group\nd1,PRO\ndocno,group\nd2,CON\n", r"g\.csv, line 3 .*the header again"),
    ('docno,group\nd1,PRO\n"d2,CON\nd3,PRO\n', r"g\.csv .*inside string starting at row 2"),
    ('docno,group\n"d1,PRO\nd2",CON\n', r"g\.csv, line 2: docno .*'d1,PRO\\nd2'"),
    ('docno,group\n\nd1,"PRO\nd2,CON\nd3,CON"\n', r"g\.csv, line 3: group .*'PRO\\nd2,CON"),
    ("docno,group\nd1,PRO\n,CON\n", r"g\.csv, line 3: docno"),
])
def test_rows_that_are_wrong(tmp_path, text, says):
    (tmp_path / "g.csv").write_text(text)
    with pytest.raises(ValueError, match=says):
        groups.from_file(tmp_path / "g.csv")


@each("text, says", [
    ("docno,group\nd1,PRO\nd2,\n", r"g\.csv, line 3 has an empty group, as have 1 of 2 rows"),
    ("docno,group\nd1,PRO\nd2\n", r"g\.csv, line 3 has an empty group"),
    ("docno,group\nd1,Pro Life\nd2,PRO LIFE\n", r"the labels 'PRO LIFE', 'Pro Life' differ by"),
    ("docno,group\nd1,X\nd2,x\nd3,Y\nd4,y\n", r"the labels 'X', 'Y', 'x', 'y' differ by"),
    ("docno,group\nd1,a b\nd2,a  b\nd3,B\n", r"the labels 'a  b', 'a b' differ by case, bl"),
    ("docno,group\nd1,caf\u00e9\nd2,cafe\u0301\n", r"'cafe\\u0301', 'caf\\xe9' differ by"),
    ("docno,group\nd1,PRO\nd2,PRO\u200b\n", r"'PRO', 'PRO\\u200b' differ by"),
])
def test_what_is_warned_of(tmp_path, text, says):
    (tmp_path / "g.csv").write_text(text)
    with pytest.warns(FairnessWarning, match=says) as warned:
        groups.from_file(tmp_path / "g.csv")
    assert len(warned) == 1


@each("name, content, says", [
    ("g.jsonl", '{"docno": "a", "group": "X"}\n{"docno": "b", \n', r"g\.jsonl, line 2 .*JSON"),
    ("g.json", '[{"docno": "a", "group": "X"}', r"g\.json, line 1 .*JSON"),
    ("g.jsonl", '{"docno": "a", "x": "X", "y": 1}\n', "no column 'group'.* columns are docno"),
    ("g.jsonl", '{"docno": "a", "group": "X"}\n{"group": "Y"}\n', r"g\.jsonl, line 2: docno"),
    ("g.jsonl", '{"docno": "a"}\n"a"\n', r"g\.jsonl, line 2 .*object, got 'a'"),
    ("g.json", '[5, {"docno": "a", "group": "X"}]', r"g\.json, line 1 .*object, got 5"),
    ("g.jsonl", '{"docno": "", "group": "X"}\n', r"g\.jsonl, line 1: docno"),
    ("g.json", "[]", r"g\.json has no rows"),
    ("g.jsonl", '{"text": "a", "group": "X"}\n', r"no column 'docno'.*; its columns are text, gr"),
    ("g.jsonl", '{"docno": "a", "group": {"X": 1}}\n', r"must be a label or a list of labels"),
    ("g.parquet", "PAR1 and no more", r"g\.parquet is damaged"),
    ("g.parquet", "no parquet", r"g\.parquet must be a table")])
def test_files_that_are_damaged(tmp_path, name, content, says):
    (tmp_path / name).write_text(content)
    with pytest.raises(ValueError, match=says):
        groups.from_file(tmp_path / name)


@each("option", ["id", "column", "topic", "weight"])
def test_columns_that_a_file_lacks(tmp_path, option):
    path = write(tmp_path / "g.jsonl", [{"docno": "d1", "group": "X"}])
    with pytest.raises(ValueError, match=r"has no column 'none'.*use .*g\.jsonl:docno:group$"):
        groups.from_file(path, **{option: "none"})


def test_columns_of_weights_on_the_command_line(folder_of, capsys):
    folder_of({"qrels": "1 0 d1 1\n1 0 d2 0\n", "g.csv": "docno,PRO,CON\nd1,0.3,0.7\nd2,0,1\n",
               "run": "1 Q0 d1 1 2 t\n1 Q0 d2 2 1 t\n"})
    assert cli.main(["table", "qrels", "run", "-m", "AWRF@2", "--groups", "g.csv::PRO,CON"]) == 0
    source = groups.from_mapping({"d1": {"PRO": 0.3, "CON": 0.7}, "d2": {"CON": 1.0}})
    means = evaluate(["run"], "qrels", ["AWRF@2"], groups=source, progress=False).averages
    assert capsys.readouterr().out == f"name,AWRF@2\nrun,{means.iloc[0, 1]}\n"
