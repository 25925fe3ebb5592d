"""Cocktail's example on the real collection."""

import importlib.resources

import pytest
from ir_datasets_home import example

pytestmark = pytest.mark.slow


def printed(done):
    assert done.returncode == 0, done.stderr
    head, *rows, last = done.stdout.splitlines()
    assert head.split() == ["name", "measure", "human", "llm", "delta", "95", "%", "interval"]
    assert last.startswith("delta: Relative Δ in percent; below 0")
    return [row.split() for row in rows]


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
