"""Cocktail's NQ-UTD, on small files in its format, and on the real one where it is."""

import hashlib
import io
import json
import shutil
import zipfile
from collections import Counter

import pytest

from pt_fairness import groups

ID = "cocktail/nq-utd"
LLM = "llama-2-7b-chat-tmp0.2"
QRELS = "query-id\tcorpus-id\tscore\r\nAutos_q1\tAutos_d1\t2\r\nAutos_q1\tAutos_d2\t0\r\n"
ROWS = [("Autos_q1", f"Autos_d{number}-{end}", relevance, group)
        for number, relevance in ((1, 2), (2, 0))
        for end, group in (("human", "human"), (LLM, "llm"))]


def archive(qrels=QRELS):
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
    files.write(f"{ID}.zip", archive())
    assert qrels_of(f"{ID}/source") == ROWS
    assert qrels_of(ID) == [(*row[:3], "0") for row in ROWS]
    dataset = irds.load(f"{ID}/source")
    assert [tuple(query) for query in dataset.queries_iter()] == [("Autos_q1", "Which car?")]
    docs = list(dataset.docs_iter())
    assert [(doc.doc_id, doc.source) for doc in docs] == [
        ("Autos_d1-human", "human"), ("Autos_d2-human", "human"),
        (f"Autos_d1-{LLM}", "llm"), (f"Autos_d2-{LLM}", "llm")]
    assert docs[0].text == docs[0].default_text() == "Café 1, human\nnext"
    assert dataset.docs_store().get(f"Autos_d2-{LLM}") == docs[3]
    assert irds.docs_parent_id(f"{ID}/source") == ID and dataset.docs_count() == 4
    found = groups.get(f"{ID}/source").lookup(["1", "1"], [f"Autos_d2-{LLM}", "Autos_d1-human"])
    assert found["group"].tolist() == ["llm", "human"]
    shutil.rmtree(files.home / ID)
    assert qrels_of(f"{ID}/source") == ROWS


@pytest.mark.slow
def test_the_real_file(irds, files, shared):
    file = shared / "data/cocktail/nq-utd.zip"
    if not file.exists():
        pytest.skip(f"no {file}")
    files.write(f"{ID}.zip", file.read_bytes())
    dataset = irds.load(f"{ID}/source")
    rows = list(dataset.qrels_iter())
    assert Counter(row.relevance for row in rows) == {0: 1006, 1: 188, 2: 406}
    assert Counter(row.iteration for row in rows) == {"human": 800, "llm": 800}
    assert len(list(dataset.queries_iter())) == len({row.query_id for row in rows}) == 80
    assert len({doc.doc_id for doc in dataset.docs_iter()}) == 1600
    from pt_fairness.collections import passages
    assert hashlib.md5(file.read_bytes()).hexdigest() == passages._MD5
