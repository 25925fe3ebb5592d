"""The query texts of topics and the titles of documents in the report."""

from __future__ import annotations

import gzip
from pathlib import Path

import pandas as pd
import pyterrier as pt
import pytest

from pt_fairness import report
from pt_fairness.reporting.evaluated_runs import queries_and_titles

DEBATES = "pt-fairness/debates/stance"


def queries_of(source, topics):
    return queries_and_titles(source, topics, [])[0]


TREC = """<top>
<num> Number: 401
<title> foreign minorities,
 Germany

<desc> Description:
What <title> is that?
</top>
<top>
<num> Number: 402 <title> Topic: behavioural &amp; genetics
</top>
"""
XML = """<?xml version="1.0"?>
<topics>
<topic number="401"><query>foreign minorities, Germany</query><question>No?</question></topic>
<topic><number>402</number><title>behavioural &amp; genetics</title></topic>
</topics>
"""
WANTED = ["foreign minorities, Germany", "behavioural & genetics", None]


@pytest.mark.parametrize("text", [
    TREC, XML, "401 foreign minorities, Germany\n402\tbehavioural & genetics\n",
    "401:foreign minorities, Germany\r\n402: behavioural & genetics\n\n",
    'qid,query\n401,"foreign minorities, Germany"\n402,behavioural & genetics'])
@pytest.mark.parametrize("packed", [False, True])
def test_files(tmp_path, text, packed):
    path = tmp_path / f"topics{'.gz' if packed else ''}"
    path.write_bytes(gzip.compress(text.encode()) if packed else text.encode())
    assert queries_of(path, ["401", "402", "403"]) == WANTED
    assert queries_of(str(path), ["402"]) == WANTED[1:2]
    assert queries_and_titles(str(path), ["401"], ["d01-01"])[1] == {}


@pytest.mark.parametrize("names", [("qid", "query"), ("query_id", "text")])
def test_frames(names):
    frame = pd.DataFrame([(401, WANTED[0]), (402, WANTED[1])], columns=list(names))
    assert queries_of(frame, ["401", "402", "403"]) == WANTED


def test_datasets():
    topics = pt.get_dataset(f"irds:{DEBATES}").get_topics()
    for source in (DEBATES, f"irds:{DEBATES}", pt.get_dataset(f"irds:{DEBATES}")):
        assert queries_of(source, topics["qid"].tolist()) == topics["query"].tolist()
        _, titles = queries_and_titles(source, ["1"], ["d01-01", "d01-02", "unknown"])
        assert set(titles) == {"d01-01", "d01-02"} and all(titles.values())


def test_topics_of_real_files(shared):
    trec = shared / "data/trec8/topics.401-450.txt"
    xml = shared / "data/touche2022/topics-task2.xml.gz"
    wanted = ["foreign minorities, Germany", "King Hussein, peace"]
    assert queries_of(trec, ["401", "450"]) == wanted
    assert None not in queries_of(trec, [str(qid) for qid in range(401, 451)])
    assert queries_of(xml, ["2"]) == ["Which is better, a laptop or a desktop?"]


@pytest.mark.parametrize(("source", "says"), [
    (pd.DataFrame({"qid": ["7"], "query": "x"}), "none of the topics of the qrels, such as '1'; "
                                                 "it has '7'"),
    (pd.DataFrame({"qid": ["1"]}), "the topics has no column 'query'"),
    (5, "topics=5 is a int"), ("disks45/nocr", "it has no topic"),
    ("no/such/file", "ir_datasets has no dataset 'no/such/file'"),
])
def test_what_is_no_source_of_topics(source, says):
    with pytest.raises(ValueError, match=says):
        queries_of(source, ["1"])


def test_what_is_no_file(tmp_path):
    (tmp_path / "empty").write_text("")
    for source, says in [(tmp_path, "is neither a file of topics nor a dataset id of ir_datasets"),
                         (tmp_path / "empty", "empty has no topics; it needs TREC topics in SGML"),
                         (Path("/dev/null"), "/dev/null has no topics")]:
        for path in (source, str(source)):
            with pytest.raises(ValueError, match=says):
                queries_of(path, ["1"])


def test_topics_of_a_pipe(pipe):
    assert queries_of(pipe("topics", "1 sea salt\n"), ["1"]) == ["sea salt"]


def test_they_are_on_the_page(show):
    dataset = pt.get_dataset(f"irds:{DEBATES}")
    qrels, queries = dataset.get_qrels(), dataset.get_topics().set_index("qid")["query"]
    run = qrels.assign(score=range(len(qrels), 0, -1))[["qid", "docno", "score"]]
    html = report({"a": run}, qrels, ["nDCG@5", "AWRF@5"], topics=dataset, progress=False).html
    page = show(html)
    qid = page("return data.topics[chosen.topic]")
    (text,) = page("return [...byId('topic').options].filter(o => o.selected).map(o => o.text)")
    assert text.startswith(f"{qid} “{queries[qid]}” (SD ")
    assert page.find("#strips-caption").text.startswith(f"Topic {qid} “{queries[qid]}”: the first")
    heads = page.rows("judgments table")
    assert [row[0].split("\n")[1] for row in heads] == queries[page("return data.topics")].tolist()
    docno, title = page.find("#steps tbody td.doc-name").text.split("\n")
    assert title == queries_and_titles(DEBATES, [qid], [docno])[1][docno]
    label = page.find("#strips td[data-doc]").get_attribute("aria-label")
    assert label.startswith(f"rank 1: {docno} “{title}”: ")
    plain = show(report({"a": run}, qrels, ["AWRF@5"], progress=False).html)
    assert "“" not in plain.find("#topics").text
