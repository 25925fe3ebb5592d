"""Cocktail's example, on a small file in its format, and on the real one where it is."""

from __future__ import annotations

import importlib.resources
import io
import json
import zipfile

import pytest
from ir_datasets_home import example

pytestmark = pytest.mark.slow

LLM = "llama-2-7b-chat-tmp0.2"
WORDS = ["red", "green", "blue", "white", "black", "brown"]


def archive() -> bytes:
    """Passages on colours: a rewrite leaves out the last word, so that BM25 ranks it elsewhere."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as zipped:
        for end in ("human", LLM):
            zipped.writestr(f"corpus/{end}.jsonl", "".join(json.dumps({
                "_id": f"d{i}", "title": "", "text": f"{word} and {WORDS[i - 1]}" + (
                    f" {word}" * i if end == "human" else " paint")}) + "\n"
                for i, word in enumerate(WORDS)))
        zipped.writestr("queries.jsonl", "".join(
            json.dumps({"_id": f"q{i}", "text": word}) + "\n" for i, word in enumerate(WORDS)))
        zipped.writestr("qrels/test.tsv", "query-id\tcorpus-id\tscore\r\n" + "".join(
            f"q{i}\td{i}\t{1 + i % 2}\r\n" for i in range(len(WORDS))))
    return buffer.getvalue()


def printed(done):
    assert done.returncode == 0, done.stderr
    head, *rows, last = done.stdout.splitlines()
    assert head.split() == ["name", "measure", "human", "llm", "delta", "95", "%", "interval"]
    assert last.startswith("delta: Relative Δ in percent; below 0")
    return [row.split() for row in rows]


def test_a_small_collection(files, offline):
    files.write("cocktail/nq-utd.zip", archive())
    rows = printed(offline(example("cocktail").__file__))
    assert [row[:2] for row in rows] == [[name, measure] for name in ("BM25", "QLD")
                                         for measure in ("nDCG@1", "nDCG@3", "nDCG@5", "AP")]
    for _, _, human, llm, delta, low, to, high in rows:
        middle = (float(human) + float(llm)) / 2
        assert abs(float(delta) - 100 * (float(human) - float(llm)) / middle) < 0.1
        assert to == "to" and float(low) <= float(delta) <= float(high)


def test_what_the_page_says_of_the_real_collection(files, offline, shared):
    """The intervals without 0 are those on the page."""
    files.write("cocktail/nq-utd.zip", (shared / "data/cocktail/nq-utd.zip").read_bytes())
    page = (importlib.resources.files("pt_fairness") / "pt_docs" / "collections.rst").read_text(
        encoding="utf-8")
    rows = printed(offline(example("cocktail").__file__))
    significant = [row for row in rows if float(row[5]) * float(row[7]) > 0]
    assert [row[:2] for row in significant] == [["QLD", name] for name in (
        "nDCG@3", "nDCG@5", "AP")]
    assert all(f"({delta} % [{low}, {high}])" in page
               for _, _, _, _, delta, low, _, high in significant)
