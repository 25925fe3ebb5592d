"""Collections in the formats of their files."""

import pytest
from msmarco_passages import PASSAGES, QRELS, QUERIES
from trec_fair_pages import METADATA22, PAGES22


@pytest.fixture
def msmarco(files):
    files.msmarco(PASSAGES, QUERIES, QRELS, ["2", "1"])
    return files.home / "msmarco-passage"


@pytest.fixture
def fair22(files):
    files.json_lines("trec-fair/2022/trec_2022_train_reldocs.jsonl", [
        {"id": 84, "title": "Agriculture", "url": "u", "rel_docs": [12148915, 69605138, 66716319]}])
    return files.json_lines(METADATA22, PAGES22)
