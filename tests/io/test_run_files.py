"""Run files with one or several rankings of a topic, runs of answers, runs by name, and topics."""

import gzip
import json
import re
import sys
import warnings
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from one_test import each
from written_files import written

from pt_fairness import FairnessWarning, read_run
from pt_fairness.io.qrels_files import chosen_topics
from pt_fairness.io.runs import load_topics, named

LINE = "1 Q0 a 1 3.5 tag\n"


def assert_as_ir_measures_reads(path):
    theirs = pd.DataFrame(ir_measures.read_trec_run(str(path)), columns=["qid", "docno", "score"])
    ours = read_run(path)
    assert list(ours.columns) == ["qid", "docno", "score"] and ours["score"].dtype == "float64"
    for column in ours:
        assert ours[column].tolist() == theirs[column].tolist()
    return ours


@each("name", ["run", "run.gz"])
@each("text", [
    LINE, "", "\n \n" + LINE + "\n" + LINE,
    # Identifiers that look like missing values or numbers.
    "007 Q0 NA 1 1 t\n007 Q0 null 2 1 t\n1.0 Q0 nan 3 1 t\nnan 0 1 1 -1 t\n",
    "1\tQ0\ta\t1\t3\tt\n  1   Q0 b 2 \t 2   t  \n",
    "1 Q0 a 1 inf t\n1 Q0 b 2 -Infinity t\n1 Q0 c 3 +1.e-3 t\n",
    '1 Q0 "a 1 3 t\'\n1 Q0 #b, 2 2 "t"\n1 Q0 é中 3 1 t\n',
    "1 Q0 a 1 3.5 tag\r\n1 Q0 b 2 3.5 tag\r\n1 Q0 c 3 1 tag",
    "1 Q0 a 1 1 t\n1 Q0 b 2 0 t\n",  # pandas reads True and False so
    "b Q0 a x 3 one\na Q0 a y 9 two\nb Q0 a z 4 three\n",
])
def test_as_ir_measures_reads_it(tmp_path, name, text):
    assert_as_ir_measures_reads(written(tmp_path / name, text))


def test_a_large_file_with_scores_to_the_last_digit(tmp_path):
    """Large enough to be read in parts; a wrong line at its end is named."""
    rng = np.random.default_rng(0)
    scores = [*rng.standard_normal(9000), *np.exp(rng.uniform(-700, 700, 11_000))]
    text = "".join(f"{i % 7} Q0 document-{i:017} 0 {score!r} a-tag\n"
                   for i, score in enumerate(map(float, scores)))
    assert len(text) > 4 * 2**18, "pandas reads a quarter of a megabyte at a time"
    run = assert_as_ir_measures_reads(written(tmp_path / "run", text))
    assert run["score"].tolist() == scores
    for line, says in (("300 Q0 b 1 1\n", ".*6 columns"), ("300 Q0 b c 1 1 tag\n", ".*6 columns"),
                       ("300 Q0 b 1 1,5 tag\n", ".*score .*'1,5'")):
        with pytest.raises(ValueError, match=f"run, line 20001{says}"):
            read_run(written(tmp_path / "run", text + line))


@each("tags", [["two words"] * 3, ["a\tb"] * 3, ["t", "t", "t and more, 2 6.5"],
               ["t 1 2 3 4 5", "t", "t"]])
@each("name", ["run", "run.gz"])
def test_fields_after_the_sixth_are_ignored(tmp_path, name, tags):
    text = "1 NEUTRAL a 1 1.0 {}\n\n1 FIRST  b 2 0.1 {}\r\n2 Q0 d#a 1 -1e3 {}".format(*tags)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = read_run(written(tmp_path / name, text))
    assert run.values.tolist() == [["1", "a", 1.0], ["1", "b", 0.1], ["2", "d#a", -1000.0]]
    assert run["score"].dtype == "float64"


@each("text, line, says", [
    (LINE + "1 Q0 b 2 1\n", 2, ["6 columns", "'1 Q0 b 2 1'"]),
    (LINE + "1 Q0 docno b 2 1 t\n", 2, ["6 columns"]),
    (LINE + "\n1 Q0 b 2\n", 3, ["6 columns"]), ("query\n", 1, ["6 columns"]),
    (LINE + "1 Q0 b 2 high tag\n", 2, ["score", "'high'"]),
    (LINE + LINE + "1 Q0 b 2 nan tag\n", 3, ["score", "'nan'"]),
    (LINE + "1 Q0 b 2 1_000 tag\n", 2, ["score", "'1_000'"]),
    (LINE + "1 Q0 b 2 ١ tag\n", 2, ["score", "'١'"]),
    ("1 Q0 docno b 2 1 t\n" * 2, 1, ["6 columns"]),  # the docno, not the tag, has a space
    ('1 Q0 b 2 1 "a tag"\n1 Q0 c 2 x "a tag"\n', 2, ["score", "'x'"]),
    (LINE.encode() + b"1 Q0 \xff 2 1 tag\n", 2, ["UTF-8"]),
])
@each("name", ["run", "run.gz"])
def test_the_first_wrong_line_is_named(tmp_path, name, text, line, says):
    with warnings.catch_warnings(), pytest.raises(ValueError) as error:
        warnings.simplefilter("error")  # pandas warns of some of them
        read_run(written(tmp_path / name, text))
    for part in (f"{tmp_path / name}, line {line}", *says):
        assert part in str(error.value)


class TestParquet:
    FRAME = pd.DataFrame({"qid": ["1", "01"], "docno": ["a", "é"], "score": [0.1, -2.0],
                          "rank": [0, 1]})

    @pytest.fixture(autouse=True)
    def _pyarrow(self):
        pytest.importorskip("pyarrow")

    def read(self, frame, tmp_path):
        frame.to_parquet(tmp_path / "run.parquet")
        return read_run(tmp_path / "run.parquet")

    def test_identifiers_are_text_and_scores_are_floats(self, tmp_path):
        scores = np.array([1, 2], np.int32)
        numbers = self.FRAME.assign(qid=[1.0, 2.0], docno=[7.0, 8.5], score=scores)
        run = self.read(numbers.set_index(pd.Index([5, 6])), tmp_path)
        assert run.to_dict("list") == {"qid": ["1", "2"], "docno": ["7", "8.5"],
                                       "score": [1.0, 2.0]}
        assert list(run.index) == [0, 1] and run["score"].dtype == "float64"

    @each("frame, says", [
        (FRAME.assign(score=[1.0, np.nan]), ", row 2: score .*'nan'"),
        (FRAME.assign(docno=[None, "b"]), ", row 1: docno"),
        (FRAME.assign(iteration=["x", None]), ", row 2: iteration"),
        (FRAME.drop(columns=["score", "rank"]), " .*columns score, rank"),
        (FRAME.drop(columns="docno"), " .*columns docno")])
    def test_what_is_wrong(self, tmp_path, frame, says):
        with pytest.raises(ValueError, match=rf"run\.parquet{says}"):
            self.read(frame, tmp_path)


def test_parquet_without_pyarrow_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "run.parquet").write_bytes(b"PAR1")
    with pytest.raises(ImportError, match=r"pt-fairness\[parquet\]"):
        read_run(tmp_path / "run.parquet")


def trec(rows):
    """Return TREC's six columns for ``(qid, second column, docno, rank)``, best document first."""
    return "".join(f"{qid} {second} {docno} {rank} {-i} t\n"
                   for i, (qid, second, docno, rank) in enumerate(rows))


@each("name", ["run", "run.gz"])
@each("numbers", [("1", "2"), ("Q0", "Q1"), ("Q0", "1"), ("007", "Q10")])
def test_the_second_column_of_a_trec_file_holds_samples(tmp_path, name, numbers):
    one, two = numbers
    rows = [("1", one, "a", 1), ("1", one, "b", 2), ("1", two, "b", 1), ("1", two, "a", 2),
            ("2", one, "c", 1)]
    path = written(tmp_path / name, trec(rows))
    with pytest.warns(FairnessWarning, match="2 samples") as told:
        run = read_run(path)
    assert len(told) == 1 and told[0].filename == __file__
    assert run["iteration"].tolist() == [one, one, two, two, one]
    assert run["docno"].tolist() == list("abbac") and run["score"].tolist() == [0, -1, -2, -3, -4]


def test_labels_whose_ranks_begin_again_are_one_ranking_with_a_warning(tmp_path):
    rows = [("1", "PRO", "a", 1), ("1", "PRO", "b", 2), ("1", "CON", "c", 1), ("1", "CON", "d", 2)]
    with pytest.warns(FairnessWarning) as told:
        run = read_run(written(tmp_path / "run", trec(rows)))
    assert list(run.columns) == ["qid", "docno", "score"] and len(run) == 4
    for part in ("topic '1'", "'PRO', 'CON'", "one ranking"):
        assert part in str(told[0].message)


@each("rows", [
    [("1", "Q0", "a", 1), ("1", "Q0", "b", 1)],
    [("1", "1", "a", 1), ("1", "2", "b", 2), ("1", "3", "a", 3)],  # a counter
    [("1", "1", "a", 1), ("1", "1", "b", 2), ("2", "2", "a", 1), ("2", "2", "b", 2)],  # the topic
    [("1", "1", "a", 1), ("1", "1", "b", 2), ("1", "2", "c", 3), ("1", "2", "d", 4)],  # parts
    [("1", "PRO", "a", 1), ("1", "CON", "b", 2), ("2", "CON", "a", 1), ("2", "PRO", "b", 2)],
    [("1", "PRO", "a", 0), ("1", "CON", "b", 0), ("1", "CON", "c", 0)],  # no ranks
])
def test_a_second_column_without_samples_is_ignored(tmp_path, rows):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = read_run(written(tmp_path / "run", trec(rows)))
    assert list(run.columns) == ["qid", "docno", "score"] and len(run) == len(rows)


FAIR = {"2021": "id\trep_number\tpage_id", "2022": "id\tseq_no\tpage_id"}


@each("name", ["run", "run.tsv", "run.gz"])
@each("year", FAIR)
def test_trec_fair_with_sequences(tmp_path, name, year):
    rows = ["187\t1\t592", "187\t1\t45", "187\t2\t45", "187\t2\t592", "187\t2\t7", "270\t1\t8"]
    path = written(tmp_path / name, "".join(f"{line}\n" for line in [FAIR[year], *rows]))
    with pytest.warns(FairnessWarning, match="read as 2 samples"):
        run = read_run(path)
    assert run.to_dict("list") == {
        "qid": ["187"] * 5 + ["270"], "docno": ["592", "45", "45", "592", "7", "8"],
        "score": [-1, -2, -1, -2, -3, -1], "iteration": [*"112221"]}
    assert list(run.index) == list(range(6))


@each("header", ["id\tpage_id\r\n", "\ufeffid\tpage_id\n",
                 "\nid\tpage_id\n", ""])
def test_trec_fair_with_one_ranking(tmp_path, header):
    text = f"{header}187\t592\n187\t45\n270\t8\n187\t3\n"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = read_run(written(tmp_path / "run", text))
    assert run.to_dict("list") == {"qid": ["187", "187", "270", "187"], "score": [-1, -2, -1, -3],
                                   "docno": ["592", "45", "8", "3"]}


def test_a_docno_beside_a_page_is_the_document(tmp_path):
    run = read_run(written(tmp_path / "run.csv", "qid,page_id,docno,score\n1,7,a,2\n"))
    assert run["docno"].tolist() == ["a"]


@each("text, says", [
    ("id\tseq_no\tpage_id\n\n1\t1\td1\n1\t2\n", "line 4: docno"),
    ("id\tpage_id\n1\t1\ta\n", r"line 2 .*2 columns"),
    ("id\tpage_id\n1\ta\nid\tpage_id\n", r"line 3 .*header"),
    ("1\t1\ta\n1\tx\tb\n", "line 1: rank .*header.*'a'"),
    ("1 a 1\n1 b 3\n", "line 2: rank .*header.*'3'"),
    ("plain text\n", r"line 1 .*6 columns"), ("1 592\n1 45\n", r"line 1 .*6 columns")])
def test_wrong_files_are_named(tmp_path, text, says):
    with pytest.raises(ValueError, match=rf"run.*{says}"):
        read_run(written(tmp_path / "run", text))


FRAME = pd.DataFrame({"qid": ["1"], "docno": ["a"], "score": [1.0]})
OTHER = FRAME.assign(docno="b")


@each("paths, names", [
    (["input.BM25", "input.pircRBa1"], ["input.BM25", "input.pircRBa1"]),
    (["BM25.run.gz"], ["BM25"]), (["x/BM25.run.gz", "x/DPH.run.gz"], ["BM25", "DPH"]),
    (["k.0.9.run", "k.0.8.run"], ["k.0.9", "k.0.8"]),
    (["a.rm3.res", "b.rm3.run.gz", "c.rm3.parquet"], ["a.rm3", "b.rm3", "c.rm3"]),
    (["x/a/run.gz", "x/b/run.gz", "x/b/z"], ["a/run", "b/run", "b/z"]),
    (["x.run", "x.res"], ["x.run", "x.res"]),
    (["one/input.x", "two/input.x", "two/input.y"], ["one/input.x", "two/input.x", "two/input.y"]),
    (["run"], ["run"]), ([".run"], [".run"])])
def test_the_part_that_tells_them_apart(paths, names):
    assert list(named(paths).items()) == list(zip(names, paths, strict=True))


def test_frames_are_named_by_their_position():
    mixed = named(["input.a", FRAME, "input.b"])
    assert list(mixed) == ["input.a", "run 1", "input.b"] and mixed["run 1"] is FRAME
    assert list(named(FRAME)) == ["run 0"]
    assert list(named(iter([FRAME, OTHER]))) == ["run 0", "run 1"]
    system = pt.Transformer.identity()
    topics = pd.DataFrame({"qid": ["1"], "query": "x"})
    assert list(named([system, FRAME], topics=topics)) == [str(system), "run 1"]


def test_patterns_are_the_files_that_they_match_in_order(tmp_path):
    for path in ("a/run.gz", "a/other", "b/run.gz", "b/table.parquet"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text("")
    assert named(tmp_path / "a" / "*") == {
        "other": str(tmp_path / "a" / "other"), "run": str(tmp_path / "a" / "run.gz")}
    several = named([tmp_path / "b" / "t*", tmp_path / "**" / "other"])
    assert list(several) == ["table", "other"]
    paths = [str(tmp_path / one / "run.gz") for one in "ab"]
    assert named(tmp_path / "*" / "run.gz") == {"a/run": paths[0], "b/run": paths[1]}
    (tmp_path / "a[1]").write_text("")
    assert named(tmp_path / "a[1]") == {"a[1]": str(tmp_path / "a[1]")}, "a file of that very name"


def test_names_of_dictionaries_and_lists():
    assert list(named({7: FRAME, "b": "path"})) == ["7", "b"]
    assert named({"p*": "no/such/*"}) == {"p*": "no/such/*"}, "a name stands for one run"
    assert list(named(["x/run", "y/run"], ["one", 2])) == ["one", "2"]
    assert list(named(FRAME, (name for name in ["mine"]))) == ["mine"]


@each("names, says", [
    (["a"], "the 4 runs (run 0, bm25, run 2, run 3), got 1"), ("abcd", "must be a list"),
    (["a", "a", "b", "c"], "'a' twice")])
def test_names_that_are_not_possible(names, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        named([FRAME, "bm25", OTHER, FRAME], names)


@each("runs, says", [
    ([], "there are no runs"), ({}, "there are no runs"),
    (3, "runs must be the path of a file"),
    ([3], "'run 0' must be the path of a file"),
    ({"x": None}, "'x' must be the path of a file"),
    ({1: FRAME, "1": OTHER}, "distinct, got '1' twice"),
    ([Path("no", "such", "*.gz")], f"no file matches {str(Path('no', 'such', '*.gz'))!r}")])
def test_runs_that_are_not_possible(runs, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        named(runs)
    if isinstance(runs, dict):
        with pytest.raises(ValueError, match="names"):
            named(runs, ["a"])


PAIRS = [("301", "sea salt"), ("302", "cats & dogs")]
QRELS = pd.DataFrame({"qid": ["1", "1", "2", "3"], "docno": list("abcd"), "label": 1})
FORMATS = {
    "TREC": "<top>\n\n<num> Number: {0} \n<title> {1} \n\n<desc> Description: \nWhich?\n\n</top>\n",
    "TREC, closed": "<top>\n<num>{0}</num>\n<title>\n{1}\n</title>\n<desc>Which?</desc>\n</top>\n",
    "TREC, old": "<top>\n<num> Number: {0}\n<title> Topic: {1}\n</top>\n",
    "XML": "<topic>\n<number>{0}</number>\n<title>{1}</title>\n</topic>\n",
    "XML, attribute": '<topic number="{0}" type="x">\n<query>{1}</query>\n</topic>\n',
    "tabs": "{0}\t{1}\n", "spaces": "{0}  {1}  \n", "colons": "{0}:{1}\n", "commas": "{0},{1}\n",
    "quotes": '"{0}","{1}"\n', "empty lines": "\n{0} {1}\n\n"}


@each("name", ["topics", "topics.gz"])
@each("form", FORMATS)
def test_files(tmp_path, form, name):
    escape = (lambda query: query.replace("&", "&amp;")) if "XML" in form else str
    text = "".join(FORMATS[form].format(qid, escape(query)) for qid, query in PAIRS)
    path = written(tmp_path / name, text)
    for given in (path, str(path)):
        found = load_topics(given)
        assert list(found.columns) == ["qid", "query"]
        assert [*found.itertuples(index=False, name=None)] == PAIRS


def test_a_topic_without_a_query_takes_no_other_line(tmp_path):
    (tmp_path / "topics").write_text("1\t\n2\tsea salt\n")
    assert load_topics(tmp_path / "topics").values.tolist() == [["2", "sea salt"]]


def test_datasets_ids_and_frames():
    dataset = pt.get_dataset("irds:pt-fairness/debates")
    for given in (dataset, "pt-fairness/debates", "irds:pt-fairness/debates"):
        pd.testing.assert_frame_equal(load_topics(given), dataset.get_topics())
    frame = pd.DataFrame({"qid": [1], "more": ["x"]})
    assert load_topics(frame) is frame


@each("source, says", [
    (3, "topics must be a DataFrame"), ([("1", "q")], "must be a DataFrame, got a list"),
    (pd.DataFrame({"qid": []}), "has no rows")])
def test_what_holds_no_topics(source, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        load_topics(source)


def test_qrels_of_some_topics():
    assert chosen_topics(QRELS, None) is QRELS
    with pytest.warns(FairnessWarning, match="2 of the 3"):
        found = chosen_topics(QRELS, pd.DataFrame({"qid": [3, 1, 9]}))  # numbers are their texts
    pd.testing.assert_frame_equal(found, QRELS[QRELS["qid"] != "2"])
    renamed = QRELS.set_axis(["query_id", "doc_id", "relevance"], axis=1)
    pd.testing.assert_frame_equal(chosen_topics(renamed, QRELS), renamed)
    with pytest.raises(ValueError, match=r"'1'.* topics= has 'x'"):
        chosen_topics(QRELS, pd.DataFrame({"qid": ["x"]}))


@each("path, says", [
    *((path, "must have TREC topics") for path in ("/dev/null", "empty")),
    *((path, "no such file of topics") for path in ("folder", "none"))])
def test_paths_without_topics(tmp_path, monkeypatch, path, says):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").write_text("\n")
    (tmp_path / "folder").mkdir(exist_ok=True)
    with pytest.raises(ValueError, match=rf"{path}.* {says}"):
        load_topics(path)


DOCS = ["msmarco_v2.1_doc_45_546308869#11_963663453", "msmarco_v2.1_doc_45_546308869#10_963661464",
        "msmarco_v2.1_doc_06_731406620#1_1316694667"]
#: The documents by the order of their first citation.
EXPECTED = [["23287", DOCS[1], -1.0], ["23287", DOCS[0], -2.0], ["7", DOCS[2], -1.0]]

#: TREC RAG 2024.
RAG24 = [
    {"run_id": "a", "topic_id": 23287, "topic": "are landlords liable", "references": DOCS[:2],
     "response_length": 9, "answer": [{"text": "One.", "citations": []},
                                      {"text": "Two.", "citations": [1, 0]},
                                      {"text": "Three.", "citations": [0]}]},
    {"run_id": "a", "topic_id": 7, "topic": "climate", "references": [DOCS[2]],
     "response_length": 1, "answer": [{"text": "Four.", "citations": [0]}]}]
#: TREC RAG 2025.
RAG25 = [
    {"metadata": {"team_id": "t", "run_id": "a", "type": "automatic", "narrative_id": topic,
                  "narrative": "I would like to know"},
     "references": references,
     "answer": [{"text": "Sentence.", "citations": citations}]}
    for topic, references, citations in (("23287", DOCS, [1, 0]), ("7", DOCS, [2]))]
#: RAGTIME: the documents with the confidence of the citation.
RAGTIME = [
    {"metadata": {"team_id": "t", "run_id": "a", "type": "automatic", "topic_id": topic},
     "responses": [{"text": "Sentence.", "citations": dict.fromkeys(documents, 0.5)}],
     "references": documents}
    for topic, documents in (("23287", [DOCS[1], DOCS[0]]), ("7", [DOCS[2]]))]
FORMS = {"rag24": RAG24, "rag25": RAG25, "ragtime": RAGTIME}


@each("name", ["run", "run.jsonl", "run.jsonl.gz", "run.json"])
@each("form", FORMS)
def test_answers_are_runs_of_the_documents_they_cite(tmp_path, form, name):
    lines = "".join(f"{json.dumps(answer)}\n" for answer in FORMS[form])
    text = (json.dumps(FORMS[form]) if name.endswith("json") else lines).encode()
    (tmp_path / name).write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    assert read_run(tmp_path / name).to_numpy().tolist() == EXPECTED


@each("answer, says", [
    ({"topic_id": 1, "answer": [{"text": "", "citations": [2]}], "references": ["a", "b"]},
     r"run, line 1 .*references"),
    ({"topic_id": 1, "answer": [{"text": "", "citations": [-1]}], "references": ["a"]},
     "references"),
    ({"topic_id": 1, "answer": [{"text": "", "citations": [0]}], "references": [{"id": "a"}]},
     r"cites \{'id': 'a'\}"),
    ({"answer": []}, "line 1 .*topic_id"), ({"topic_id": 1}, "must have answer"),
    ({"topic_id": 1, "answer": "text"}, "a list of sentences"),
    ({"topic_id": 1, "answer": [{"text": "", "citations": 0.5}]}, r"cites 0\.5"),
    ({"topic_id": 1, "answer": [], "references": 5}, "line 1 .*references"),
    ([1, {"topic_id": 1, "answer": []}], "run, line 1 .*object, got 1"),
])
def test_answers_that_are_wrong(tmp_path, answer, says):
    (tmp_path / "run").write_text(json.dumps(answer) + "\n")
    with pytest.raises(ValueError, match=says):
        read_run(tmp_path / "run")
