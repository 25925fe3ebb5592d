"""Runs and qrels in the forms of other tools, and files in any encoding and compression."""

import bz2
import gzip
import io
import json
import lzma
import warnings
import zipfile
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from one_test import each

import pt_fairness as pf
from pt_fairness import cli
from pt_fairness.io.document_files import read_labelled, read_values

QRELS = "1 PRO a 1\n1 CON b 0\n1 PRO c 1\n2 CON a 1\n2 PRO b 1\n"
RUN = "1 Q0 b 1 4 t\n1 Q0 a 2 3 t\n1 Q0 c 3 2.5 t\n2 Q0 a 1 2 t\n2 Q0 b 2 1 t\n"
RUN_ROWS = [[qid, docno, float(score)] for qid, _, docno, _, score, _ in
            map(str.split, RUN.splitlines())]
QRELS_ROWS = [[qid, docno, int(label), group] for qid, group, docno, label in
              map(str.split, QRELS.splitlines())]
RUN_FRAME = pd.DataFrame(RUN_ROWS, columns=["qid", "docno", "score"])
SCORES = {"1": {"b": 4, "a": 3, "c": 2.5}, "2": {"a": 2, "b": 1}}
LABELS = {"1": {"a": 1, "b": 0, "c": 1}, "2": {"a": 1, "b": 1}}


def zipped(data):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("folder/file", data)
    return out.getvalue()


def zstandard(data):
    try:
        from compression import zstd
    except ImportError:
        from backports import zstd
    return zstd.compress(data)


BYTES = {"plain": bytes, "gzip": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress,
         "zstd": zstandard, "zip": zipped, "BOM": lambda data: b"\xef\xbb\xbf" + data,
         "UTF-16": lambda data: data.decode().encode("utf-16"),
         "UTF-16 BE": lambda data: b"\xfe\xff" + data.decode().encode("utf-16-be"),
         "packed UTF-16": lambda data: gzip.compress(data.decode().encode("utf-16"))}


@pytest.fixture
def written(tmp_path):
    def write(content, name="file"):
        data = content if isinstance(content, bytes) else content.encode()
        (tmp_path / name).write_bytes(data)
        return tmp_path / name
    return write


@each("name", ["file", "file.gz", "file.txt"])
@each("kind", BYTES)
def test_compression_and_encoding_are_known_by_the_first_bytes(written, kind, name):
    assert pf.read_run(written(BYTES[kind](RUN.encode()), name)).values.tolist() == RUN_ROWS
    assert pf.read_qrels(written(BYTES[kind](QRELS.encode()), name)).values.tolist() == QRELS_ROWS
    table = "docno,group\nd\u00e9,PRO\n"
    found = pf.groups.from_file(written(BYTES[kind](table.encode()), name))
    assert found.lookup(["1"], ["d\u00e9"])["group"].tolist() == ["PRO"]


@each("kind", ["gzip", "bz2", "xz", "zstd", "zip"])
def test_a_file_that_is_cut_is_damaged(written, kind):
    path = written(BYTES[kind](RUN.encode() * 100)[:40])
    with pytest.raises(ValueError, match="file is damaged"):
        pf.read_run(path)


def test_a_zip_archive_of_two_files(written):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("one", RUN)
        archive.writestr("two", RUN)
    with pytest.raises(ValueError, match=r"file .*got one, two"):
        pf.read_run(written(out.getvalue()))


def test_named_levels_of_an_index_in_parquet(written, tmp_path):
    pf.read_run(written(RUN)).set_index(["qid", "docno"]).to_parquet(tmp_path / "run")
    assert pf.read_run(tmp_path / "run").values.tolist() == RUN_ROWS
    pf.read_qrels(written(QRELS)).set_index(["qid", "docno"]).to_parquet(tmp_path / "qrels")
    assert pf.read_qrels(tmp_path / "qrels").values.tolist() == QRELS_ROWS
    frame = pd.DataFrame({"group": ["X"]}, index=pd.Index(["a"], name="docno"))
    frame.to_parquet(tmp_path / "groups")
    assert pf.groups.from_file(tmp_path / "groups").lookup(["1"], ["a"])["group"].tolist() == ["X"]


def test_tabs_separate_without_quotation_marks_and_commas_with_them(written):
    tabs, _ = read_labelled(written('docno\tgroup\n"a\tPRO\nb"\t"X"\n'))
    assert tabs.values.tolist() == [['"a', "PRO"], ['b"', '"X"']]
    commas, _ = read_labelled(written('docno,group\n"a,1",PRO\n'))
    assert commas.values.tolist() == [["a,1", "PRO"]]
    assert read_values(written('docno\tvalue\n"a\t1\n')).values.tolist() == [['"a', "1"]]
    run = pf.read_run(written('qid\tdocno\tscore\n1\t"a\t2\n'))
    assert run.values.tolist() == [["1", '"a', 2.0]]


LARGE = pd.DataFrame({"qid": "1", "docno": [3.0, 2.0**53], "group": "X", "score": 1.0, "label": 1})


@each("read", [pf.read_run, pf.read_qrels])
def test_files_with_ids_that_were_rounded(tmp_path, read):
    LARGE.to_parquet(tmp_path / "file")
    with pytest.raises(ValueError, match=r"row 2: docno .*'9007199254740992"):
        read(tmp_path / "file")
    LARGE.assign(docno=[3, 2**53 + 1]).to_parquet(tmp_path / "file")
    assert read(tmp_path / "file")["docno"].map(str).tolist() == ["3", "9007199254740993"]


@each("ids", [[3.0, 2.0**53], [None, 2.0**60], ["a", 1e17]])
def test_frames_with_ids_that_were_rounded(ids):
    frame = LARGE.assign(docno=pd.Series(ids)).dropna()
    for use in (lambda: pf.groups.from_frame(frame), lambda: pf.write_qrels(frame),
                lambda: pf.evaluate(frame, LABELS, ["P@1"], progress=False)):
        with pytest.raises(ValueError, match=r"docno .*dtype=str"):
            use()
    assert pf.groups.from_frame(LARGE.assign(docno=[1, 2.0**53 - 1])).labels == ["X"]


@each("text", ["docno,group\na,1.0\nb,2\nc,1\n", "docno\tgroup\na\t1.00\nb\t2.0\nc\t1\n",
               "1 1.0 a 1\n1 2 b 1\n1 1 c 1\n", "1 0 a 1.0\n1 0 b 2\n1 0 c x\n"])
def test_whole_numbers_are_one_label_in_any_form(written, text):
    source = pf.groups.from_file(written(text), none=["x"] if "x" in text else ())
    assert source.labels == ["1", "2"]


@each("relevance", [2.0, "2", "2.0", Decimal(2)])
def test_relevance_that_is_whole(written, relevance):
    qrels = pf.read_qrels(written(QRELS)).assign(label=relevance)
    assert pf.evaluate(written(RUN), qrels, ["P(rel=2)@2"], progress=False).averages.iloc[0, 1] == 1
    with pytest.raises(ValueError, match=r"P@2.*2\.5.*row 0"):
        pf.evaluate(RUN_FRAME, qrels.assign(label=2.5), ["P@2"], progress=False)


def test_the_second_column_of_qrels_has_whole_numbers_as_one_label(written, tmp_path):
    qrels = pf.read_qrels(written("1 1.0 a 1\n1 1 b 1\n1 1.5 c 1\n1 v1.0 d 1\n"))
    assert qrels["iteration"].tolist() == ["1", "1", "1.5", "v1.0"]
    qrels.assign(iteration=[1.0, 1.0, 1.5, None]).to_parquet(tmp_path / "qrels")
    assert pf.read_qrels(tmp_path / "qrels")["iteration"].tolist() == ["1", "1", "1.5", "-"]


def test_a_no_break_space_is_written_as_it_is_read(written, tmp_path, capsys):
    path = written("1 P\u00a0O a\u00a0b 1\n1 CON c 1\n")
    pf.write_qrels(pf.read_qrels(path), tmp_path / "out")
    assert (tmp_path / "out").read_bytes() == path.read_bytes()
    run = written("1 Q0 a\u00a0b 1 2 t\n1 Q0 c 2 1 t\n", "run")
    assert cli.main(["rerank", str(run), "det_greedy", "--groups", str(path)]) == 0
    assert "a\u00a0b" in capsys.readouterr().out


COMMENTS = "# mine\n# ir_metadata.start x y z a b c d\n#\n"


@each("kind", ["plain", "gzip", "BOM", "UTF-16"])
def test_lines_that_begin_with_a_number_sign_are_comments(written, kind):
    run = RUN.replace("\n2", "\n# a comment of words, a 1 2 3\n#1 Q0 d 1 9 t\n2")
    run = f"{COMMENTS}{run}# end"
    assert pf.read_run(written(BYTES[kind](run.encode()))).values.tolist() == RUN_ROWS
    qrels = COMMENTS + QRELS.replace("\n2", "\n# four words of comment\n#2 X e 1\n2")
    assert pf.read_qrels(written(BYTES[kind](qrels.encode()))).values.tolist() == QRELS_ROWS
    commented = pf.read_qrels(written(COMMENTS + "1 #X a#1 1\n"))
    assert commented.values.tolist() == [["1", "a#1", 1, "#X"]]


def test_lines_after_comments_are_named(written):
    with pytest.raises(ValueError, match=r"line 5: score .*'high'"):
        pf.read_run(written(COMMENTS + "1 Q0 a 1 2 t\n1 Q0 b 2 high t\n"))
    with pytest.raises(ValueError, match=r"file, line 4 .*6 columns"):
        pf.read_run(written(COMMENTS + "1 Q0 a 1\n1 Q0 b 2 1 t\n"))


def test_comments_in_a_file_that_is_read_in_parts(written):
    lines = [f"1 Q0 document-{i:040} {i} {-i} t\n" for i in range(20_000)]
    text = "".join(f"# {i}\n{line}" if i % 3 == 0 else line for i, line in enumerate(lines))
    assert pf.read_run(written(text))["score"].tolist() == [-float(i) for i in range(20_000)]


@each("indent", [None, 4])
def test_json_by_topic_and_document(written, indent):
    assert pf.read_run(written(json.dumps(SCORES, indent=indent))).values.tolist() == RUN_ROWS
    found = pf.read_qrels(written(json.dumps(LABELS, indent=indent)))
    assert found.values.tolist() == [[*row[:3], "0"] for row in QRELS_ROWS]


@each("kind", [Decimal, np.array, np.float64, float])
def test_numbers_of_any_kind(written, kind):
    scores, labels = ({qid: {docno: kind(number) for docno, number in documents.items()}
                       for qid, documents in table.items()} for table in (SCORES, LABELS))
    rows = [(qid, docno, number) for qid in scores for docno, number in scores[qid].items()]
    frame = pd.DataFrame(rows, columns=["qid", "docno", "score"])
    qrels = pf.read_qrels(written(QRELS))
    qrels["label"] = pd.Series([*map(kind, qrels["label"])], dtype=object)
    for run, judged, measure in ((scores, labels, "nDCG@3"), ([scores], labels, "nDCG@3"),
                                 ({"a": scores}, labels, "nDCG@3"), (frame, qrels, "AWRF@3")):
        found = pf.evaluate(run, judged, [measure], progress=False)
        expected = pf.evaluate(RUN_FRAME, written(QRELS), [measure], progress=False)
        assert found.averages.iloc[0, 1] == expected.averages.iloc[0, 1]
    numbers = pd.DataFrame({"docno": ["a"] * 2, "group": ["X", "Y"]})
    numbers["weight"] = pd.Series([kind(2), kind(2)], dtype=object)
    for source in (pf.groups.from_frame(numbers), pf.groups.from_mapping({"a": dict.fromkeys(
            "XY", kind(2))})):
        assert source.lookup(["1"], ["a"])["weight"].tolist() == [2.0, 2.0]
    assert pf.values.from_mapping({"a": kind(2)}).lookup(["1"], ["a"]).tolist() == [2.0]


def columns_of(text, *columns, separator=","):
    rows = [line.split() for line in text.splitlines()]
    return "".join(separator.join(row[i] for i in columns) + "\n" for row in rows)


@each("header", ["qid,docno,score", "Query-ID,corpus_id,Score", "topic id,Document-Id,SCORE",
                 "user,item,score", "query,pid,score"])
def test_runs_with_a_header(written, header):
    for separator in (",", "\t"):
        text = header.replace(",", separator) + "\n" + columns_of(RUN, 0, 2, 4, separator=separator)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert pf.read_run(written(text)).values.tolist() == RUN_ROWS


@each("header", ["query-id,iteration,corpus-id,score", "qid,iteration,docno,label",
                 "query_id,iteration,doc_id,relevance", "qid,Iteration,docno,rel"])
def test_qrels_with_a_header(written, header):
    for separator in (",", "\t"):
        text = header.replace(",", separator) + "\n"
        text += columns_of(QRELS, 0, 1, 2, 3, separator=separator)
        assert pf.read_qrels(written(text)).values.tolist() == QRELS_ROWS
    beir = "query-id\tcorpus-id\tscore\n" + columns_of(QRELS, 0, 2, 3, separator="\t")
    assert pf.read_qrels(written(beir)).values.tolist() == [[*row[:3], "0"] for row in QRELS_ROWS]


def test_rows_in_json(written):
    rows = [{"qid": 1, "docno": "a", "score": 2, "iteration": "x"}]
    with pytest.warns(pf.FairnessWarning, match="1 sample"):
        assert pf.read_run(written(json.dumps(rows))).values.tolist() == [["1", "a", 2.0, "x"]]
    rows = [{"query_id": "1", "doc_id": 7, "relevance": 2, "iteration": 1.0}]
    assert pf.read_qrels(written(json.dumps(rows[0]))).values.tolist() == [["1", "7", 2, "1"]]


def test_a_rank_in_place_of_a_score(written):
    for text in ("qid,docno,rank\n" + columns_of(RUN, 0, 2, 3),
                 columns_of(RUN, 0, 2, 3, separator="\t"), columns_of(RUN, 0, 2, 3, separator=" ")):
        run = pf.read_run(written(text))
        assert run["docno"].tolist() == list("bacab")
        assert run["score"].tolist() == [-1, -2, -3, -1, -2]


def test_a_second_column_of_documents_is_told(written):
    text = "qid,doc_id,item,url,score\n1,a,x,u,2\n"
    with pytest.warns(pf.FairnessWarning, match="'doc_id'") as told:
        assert pf.read_run(written(text)).values.tolist() == [["1", "a", 2.0]]
    assert len(told) == 1


@each("text, says", [
    ("qid,docno,prediction\n1,a,1\n", "score, rank.* prediction"),
    ("docno,score\na,1\n", "qid.* docno, score"), ("qid,score\n1,1\n", "docno.* qid, score"),
    ("qid;docno;score\n1;a;1\n", "line 1 .*commas"), ("1,a,1\n", "line 1 .*header"),
    ("qid,docno,score\n1,a,1\n1,b,high\n", "line 3: score .*'high'"),
    ("qid,docno,score\n1,a,1\n1,,2\n", "line 3: docno"),
    ("qid,docno,score\n1,a,1\n1,b,2,3\n", "line 3 .*3 columns"),
    ("qid,docno,score\n1,a,1\nqid,docno,score\n", "line 3 .*header again"),
    ("qid,docno,docno,score\n1,a,b,1\n", "column 'docno' twice"),
    ("1 a 0.5\n1 b 0.25\n", "line 1: rank .*three columns.*'0.5'"),
    ('{"1": {"a": 1, "b": "x"}}', "row 2: score .*'x'"),
    ('{"1": {"a": "x"}}', r"line 1 .*qid, docno and score")])
def test_runs_that_are_wrong(written, text, says):
    with pytest.raises(ValueError, match=rf"file.*{says}"):
        pf.read_run(written(text))


@each("text, says", [
    ("qid,docno,label\n1,a,0.5\n", "line 2: label .*'0.5'"),
    ("user,item,rating\n1,a,2\n", "label, relevance, rel.* rating"),
    ("qid\tdocno\tlabel\n1\t\t1\n", "line 2: docno"),
    ('{"1": {"a": 1, "b": 2.5}}', "row 2: label .*'2.5'"),
    ("1 a 1\n", "line 1 .*4 columns"), ("qid iteration docno label\n1 X a\n", "line 2: label")])
def test_qrels_that_are_wrong(written, text, says):
    with pytest.raises(ValueError, match=rf"file.*{says}"):
        pf.read_qrels(written(text))


@each("text", ["1 0 a PRO\n1 0 b NO\n", "query-id,doc_id,label\n1,a,PRO\n1,b,NO\n"])
def test_labels_of_qrels_in_any_form(written, text):
    source = pf.groups.from_qrels(written(text), none=["NO"])
    assert source.lookup(["1", "1"], ["a", "b"])["group"].tolist() == ["PRO"]
