"""Cocktail, Grep-BiasIR and SARA: small files in their formats, and the real one where it is."""

import csv
import io
import json
import shutil
import zipfile

import pytest

from pt_fairness import groups
from pt_fairness.collections import passages

COCKTAIL = "cocktail/nq-utd"
LLM = "llama-2-7b-chat-tmp0.2"
COCKTAIL_QRELS = "query-id\tcorpus-id\tscore\r\nAutos_q1\tAutos_d1\t2\r\nAutos_q1\tAutos_d2\t0\r\n"
COCKTAIL_ROWS = [("Autos_q1", f"Autos_d{number}-{end}", relevance, group)
        for number, relevance in ((1, 2), (2, 0))
        for end, group in (("human", "human"), (LLM, "llm"))]


def archive(qrels=COCKTAIL_QRELS):
    """The content of nq-utd.zip."""
    def lines(records):
        return "".join(json.dumps(record) + "\n" for record in records)

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as zipped:
        for end in ("human", LLM):
            zipped.writestr(f"corpus/{end}.jsonl", lines(
                {"_id": f"Autos_d{i}", "title": "ignored", "text": f"Café {i}, {end}\nnext",
                 **({"metadata": {"Date": "2024-01-09"}} if end == "human" else {})}
                for i in (1, 2)))
        zipped.writestr("queries.jsonl", lines(
            [{"_id": "Autos_q1", "text": "Which car?", "metadata": {"answer": "none"}}]))
        zipped.writestr("qrels/test.tsv", qrels)
    return buffer.getvalue()


def test_passages_queries_and_judgments(irds, files, qrels_of):
    files.write(f"{COCKTAIL}.zip", archive())
    assert qrels_of(f"{COCKTAIL}/source") == COCKTAIL_ROWS
    assert qrels_of(COCKTAIL) == [(*row[:3], "0") for row in COCKTAIL_ROWS]
    dataset = irds.load(f"{COCKTAIL}/source")
    assert [tuple(query) for query in dataset.queries_iter()] == [("Autos_q1", "Which car?")]
    docs = list(dataset.docs_iter())
    assert [(doc.doc_id, doc.source) for doc in docs] == [
        ("Autos_d1-human", "human"), ("Autos_d2-human", "human"),
        (f"Autos_d1-{LLM}", "llm"), (f"Autos_d2-{LLM}", "llm")]
    assert docs[0].text == docs[0].default_text() == "Café 1, human\nnext"
    assert dataset.docs_store().get(f"Autos_d2-{LLM}") == docs[3]
    assert irds.docs_parent_id(f"{COCKTAIL}/source") == COCKTAIL and dataset.docs_count() == 4
    source = groups.get(f"{COCKTAIL}/source")
    found = source.lookup(["1", "1"], [f"Autos_d2-{LLM}", "Autos_d1-human"])
    assert found["group"].tolist() == ["llm", "human"]
    shutil.rmtree(files.home / COCKTAIL)
    assert qrels_of(f"{COCKTAIL}/source") == COCKTAIL_ROWS


GREP = "grep-biasir"
GREP_HEADER = "q_id,d_id,relevant,query,doc_title,document,content_gender,exp_stereotype\n"
GREP_ROWS = {
    "Appearance": '0,0,1,hair rules,"Rules, Women",“Her” braids,F,Towards Female\n'
                  '0,1,1,hair rules,"Rules, Men","His\nbraids",M,No Annotation Agreement\n'
                  "0,2,0,hair rules,Rules,Braids,N,No Annotation Agreement\n",
    "Sex & Relationship": "94,560,1,good partner,Partners,She and he,both,Towards female\n"
                          "94,561,0,good partner,Partners,He and she,botrh,Towards Male\n",
}
GREP_QUERIES = "q_id,category,query\n0,Appearance,hair rules\n94,Sex & Relationship,good partner\n"


@pytest.fixture
def written(files):
    """The files in the folder of ir_datasets."""
    for category in passages.GREP_FILES:
        text = GREP_HEADER + GREP_ROWS.get(category, "")
        files.write(f"{GREP}/queries-documents_{category}.csv", text.encode())
    files.write(f"{GREP}/queries.csv", GREP_QUERIES.encode())
    return files


def test_documents_queries_and_judgments(irds, written, qrels_of):
    assert qrels_of(GREP) == [("0", "0", 1, "0"), ("0", "1", 1, "0"), ("0", "2", 0, "0"),
                            ("94", "560", 1, "0"), ("94", "561", 0, "0")]
    assert qrels_of(f"{GREP}/gender") == [
        ("0", "0", 1, "female"), ("0", "1", 1, "male"), ("0", "2", 0, "neutral"),
        ("94", "560", 1, "female"), ("94", "560", 1, "male"),
        ("94", "561", 0, "female"), ("94", "561", 0, "male")]
    dataset = irds.load(f"{GREP}/gender")
    assert [tuple(query) for query in dataset.queries_iter()] == [
        ("0", "Appearance", "hair rules"), ("94", "Sex & Relationship", "good partner")]
    docs = list(dataset.docs_iter())
    assert [doc.doc_id for doc in docs] == ["0", "1", "2", "560", "561"]
    assert docs[1] == ("1", "Rules, Men", "His\nbraids", "M", "No Annotation Agreement")
    assert docs[0].default_text() == "Rules, Women “Her” braids"
    assert dataset.docs_store().get("560").stereotype == "Towards female"
    source = groups.get(f"{GREP}/gender")
    assert source.labels == ["female", "male", "neutral"]
    assert source.lookup(["0", "94"], ["2", "560"])["group"].tolist() == [
        "neutral", "female", "male"]


SARA = "sara/sensitivity"
SARA_QRELS = "1\t0\t201645\t2\n1\t0\t175389\t0\n2\t0\tgladly-united-eagle\t1\n"
SARA_ROWS = [("1", "201645", 2, "sensitive"), ("1", "175389", 0, "non-sensitive"),
        ("2", "gladly-united-eagle", 1, "sensitive")]
EMAILS = {"201645": 1, "175389": 0, "gladly-united-eagle": 1, "daily-hip-bass": 0}


@pytest.fixture
def corpus(irds, files):
    """``corpus(emails)``: write the emails where a user puts a copy of them, for ir_datasets."""
    def write(emails):
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(["docno", "text", "sensitivity"])
        writer.writerows((docno, f"Dear {docno},\n\"hello\"", level)
                         for docno, level in emails.items())
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as zipped:
            zipped.writestr("combined.csv", "\ufeff" + text.getvalue())
        download = irds.registry["sara"].docs_handler()._dlc
        file = files.write(f"downloads/{download.expected_md5}", archive.getvalue())
        download.expected_md5 = None  # that of the real emails
        return file
    files.write("sara/queries.csv", "1\tEnergy plans\n2\tEnron procurement\n")
    files.write("sara/qrels.txt", SARA_QRELS)
    return write


@pytest.mark.filterwarnings("error::pt_fairness.FairnessWarning")
def test_sensitivity(irds, files, corpus, qrels_of):
    corpus(EMAILS)
    assert qrels_of(SARA) == SARA_ROWS
    assert [query.text for query in irds.load(SARA).queries_iter()] == [
        "Energy plans", "Enron procurement"]
    found = groups.get(SARA)
    assert found.labels == ["non-sensitive", "sensitive"] and found.complete
    rows = found.lookup(["1", "9"], ["daily-hip-bass", "201645"])
    assert rows["group"].tolist() == ["non-sensitive", "sensitive"]
