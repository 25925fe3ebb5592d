"""Runs of generated answers, headers of ir_metadata, and the folders of TIRA."""

from __future__ import annotations

import gzip
import json

import pytest
from one_test import each

from pt_fairness import read_run

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
#: DRAGUN: the documents.
DRAGUN = [
    {"metadata": {"team_id": "t", "run_id": "a", "topic_id": topic, "type": "automatic",
                  "use_starter_kit": 0},
     "responses": [{"text": "First.", "citations": documents[:1]},
                   {"text": "Second.", "citations": documents}]}
    for topic, documents in (("23287", [DOCS[1], DOCS[0]]), ("7", [DOCS[2]]))]
FORMS = {"rag24": RAG24, "rag25": RAG25, "ragtime": RAGTIME, "dragun": DRAGUN}


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
    ({"topic_id": 1, "answer": ["text"]}, "a list of sentences"),
    ({"topic_id": 1, "answer": [{"text": "", "citations": 0.5}]}, r"cites 0\.5"),
    ({"topic_id": 1, "answer": [], "references": 5}, "line 1 .*references"),
    ({"metadata": "text", "answer": []}, "line 1 .*topic_id"),
    ([1, {"topic_id": 1, "answer": []}], "run, line 1 .*object, got 1"),
])
def test_answers_that_are_wrong(tmp_path, answer, says):
    (tmp_path / "run").write_text(json.dumps(answer) + "\n")
    with pytest.raises(ValueError, match=says):
        read_run(tmp_path / "run")


def test_lines_and_topics_of_answers(tmp_path):
    line = json.dumps({"topic_id": 1, "answer": [{"text": "", "citations": ["a"]}]})
    (tmp_path / "run").write_text(f"{line}\n{line[:-1]}\n")
    with pytest.raises(ValueError, match=r"run, line 2 .*JSON"):
        read_run(tmp_path / "run")
    (tmp_path / "run").write_text(f"{line}\n{line}\n")
    with pytest.raises(ValueError, match=r"run, line 2 .*one answer .* got 1"):
        read_run(tmp_path / "run")
