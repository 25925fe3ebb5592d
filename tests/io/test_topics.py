"""Topics and their queries in files, datasets and frames; and the qrels of some topics."""

from __future__ import annotations

import gzip
import re

import pandas as pd
import pyterrier as pt
import pytest

from pt_fairness import FairnessWarning
from pt_fairness.io.topics import load_topics, of_topics

PAIRS = [("301", "sea salt"), ("302", "cats & dogs")]
QRELS = pd.DataFrame({"qid": ["1", "1", "2", "3"], "docno": list("abcd"), "label": 1})
FORMATS = {
    "TREC": "<top>\n\n<num> Number: {0} \n<title> {1} \n\n<desc> Description: \nWhich?\n\n</top>\n",
    "TREC, closed": "<top>\n<num>{0}</num>\n<title>\n{1}\n</title>\n<desc>Which?</desc>\n</top>\n",
    "TREC, old": "<top>\n<num> Number: {0}\n<title> Topic: {1}\n</top>\n",
    "XML": "<topic>\n<number>{0}</number>\n<title>{1}</title>\n</topic>\n",
    "XML, attribute": '<topic number="{0}" type="x">\n<query>{1}</query>\n</topic>\n',
    "tabs": "{0}\t{1}\n", "spaces": "{0}  {1}  \n", "colons": "{0}:{1}\n", "commas": "{0},{1}\n",
    "quotes": '"{0}","{1}"\n', "empty lines": "\n{0} {1}\n\n",
}


@pytest.mark.parametrize("name", ["topics", "topics.gz"])
@pytest.mark.parametrize("form", FORMATS)
def test_files(tmp_path, form, name):
    escape = (lambda query: query.replace("&", "&amp;")) if "XML" in form else str
    text = "".join(FORMATS[form].format(qid, escape(query)) for qid, query in PAIRS)
    path = tmp_path / name
    path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
    for given in (path, str(path)):
        found = load_topics(given)
        assert list(found.columns) == ["qid", "query"]
        assert [*found.itertuples(index=False, name=None)] == PAIRS


def test_queries_over_several_lines_are_one(tmp_path):
    (tmp_path / "topics").write_text("<top>\n<num> Number: 7\n<title> sea\n  salt\n</top>\n")
    assert load_topics(tmp_path / "topics").values.tolist() == [["7", "sea salt"]]


def test_datasets_ids_and_frames():
    dataset = pt.get_dataset("irds:pt-fairness/debates")
    for given in (dataset, "pt-fairness/debates", "irds:pt-fairness/debates"):
        pd.testing.assert_frame_equal(load_topics(given), dataset.get_topics())
    frame = pd.DataFrame({"qid": [1], "more": ["x"]})
    assert load_topics(frame) is frame


@pytest.mark.parametrize(("source", "says"), [
    (3, "topics=3 is a int; topics are a DataFrame with qid and query"),
    ([("1", "q")], "is a list; topics are a DataFrame"),
    (pd.DataFrame({"query": ["q"]}), "the frame of topics has no column 'qid'"),
    (pd.DataFrame({"qid": []}), "the frame of topics has no rows")])
def test_what_holds_no_topics(source, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        load_topics(source)


def test_qrels_of_some_topics():
    assert of_topics(QRELS, None) is QRELS
    with pytest.warns(FairnessWarning, match="topics= has 2 of the 3 topics of the qrels"):
        found = of_topics(QRELS, pd.DataFrame({"qid": [3, 1, 9]}))  # numbers are their texts
    pd.testing.assert_frame_equal(found, QRELS[QRELS["qid"] != "2"])
    renamed = QRELS.set_axis(["query_id", "doc_id", "relevance"], axis=1)
    pd.testing.assert_frame_equal(of_topics(renamed, QRELS), renamed)
    with pytest.raises(ValueError, match="topics such as '1', topics= has 'x'"):
        of_topics(QRELS, pd.DataFrame({"qid": ["x"]}))


def test_a_pipe(pipe):
    assert load_topics(pipe("topics", "1 sea salt\n2 cats\n")).values.tolist() == [
        ["1", "sea salt"], ["2", "cats"]]


@pytest.mark.parametrize("path", ["/dev/null", "empty", "folder", "none"])
def test_paths_without_topics(tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").write_text("\n")
    (tmp_path / "folder").mkdir()
    says = "has no topics; it needs TREC topics" if path in ("/dev/null", "empty") else \
        "is neither a file of topics nor a dataset id of ir_datasets"
    with pytest.raises(ValueError, match=f"^{path} {says}"):
        load_topics(path)
