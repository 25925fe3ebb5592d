"""Gender neutrality of runs over MS MARCO, as a command."""

import os
import subprocess
import sys
import tarfile

import ir_measures
import pandas as pd
import pytest
from example_files import EXAMPLES, write_run
from ir_datasets_home import example
from slow_versions import words as slow
from slow_versions.common import Topic
from slow_versions.values import nfairr

pytestmark = pytest.mark.slow

SCRIPT = EXAMPLES / "msmarco_gender.py"
HEADER = ["run", "nDCG@10", "RR@10", "FaiRR@10", "NFaiRR@10", "AWRF@10"]
WORDS = {"female": ["she", "her", "Mary"], "male": ["he", "his", "John"]}


def printed(output):
    """The table that the script has printed: system → values."""
    lines = [line.split() for line in output.splitlines()]
    start = lines.index(HEADER)
    return {name: [float(value) for value in rest]
            for name, *rest in lines[start + 1:lines.index([], start)]}


def test_a_made_up_collection_is_called_so(tmp_path):
    pytest.importorskip("pyterrier_pisa")
    done = subprocess.run([sys.executable, str(SCRIPT), "--figures", str(tmp_path)],
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("A small made-up collection, not MS MARCO, searched with PISA\n")
    table = printed(done.stdout)
    assert list(table) == ["BM25", "QLD"] and table["BM25"] != table["QLD"]
    assert all(value > 0 for values in table.values() for value in values)
    assert "\n8 queries." in done.stdout
    assert (tmp_path / "msmarco_gender.png").stat().st_size > 10_000


@pytest.fixture
def home(tmp_path):
    """The home folder of ir_datasets, with a made-up collection, and the command's environment."""
    example("shared.passages").make(tmp_path / "home")
    (tmp_path / "sitecustomize.py").write_text(
        "import socket\ndef refuse(*a, **k): raise OSError('no connections in this test')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n")
    return {**os.environ, "IR_DATASETS_HOME": str(tmp_path / "home"),
            "IR_DATASETS_DL_TRIES": "1", "PYTHONPATH": str(tmp_path)}


def neutralities(home):
    with tarfile.open(f"{home['IR_DATASETS_HOME']}/msmarco-passage/collectionandqueries.tar.gz") \
            as archive:
        text = archive.extractfile("collection.tsv").read().decode()
    return {docno: slow.neutrality(slow.counts(passage, WORDS), 1)
            for docno, passage in (line.split("\t") for line in text.splitlines())}


@pytest.mark.parametrize("task", ["trec-dl-2019", "dev"])
def test_runs_as_files(home, tmp_path, task):
    rows = {"first": [(str(q), str(d), 9 - (q * d) % 9 + d / 1000) for q in range(1, 9)
                      for d in range(q * 7, q * 7 + 30)]}
    rows["second"] = [(q, d, -score) for q, d, score in rows["first"][::2]]
    paths = [write_run(tmp_path / name, found) for name, found in rows.items()]
    done = subprocess.run([sys.executable, str(SCRIPT), *map(str, paths), "--task", task,
                           "--figures", str(tmp_path)], capture_output=True, text=True, env=home)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"MS MARCO: msmarco-passage/{task}/fair/gender\n")
    neutrality, table = neutralities(home), printed(done.stdout)
    for name, found in rows.items():
        values = []
        for qid in map(str, range(1, 9)):
            def ranking(some, qid=qid):
                return [docno for _, docno in sorted(
                    ((score, docno) for one, docno, score in some if one == qid), reverse=True)]
            topic = Topic(rankings=[ranking(found)], judged={}, groups=None, values=neutrality,
                          backgrounds={"first": ranking(rows["first"])})
            values.append(nfairr(topic, cutoff=10, background="first"))
        assert table[name][3] == pytest.approx(sum(values) / 8, abs=1e-4)
    qrels = pd.DataFrame(ir_measures.read_trec_qrels(
        f"{home['IR_DATASETS_HOME']}/msmarco-passage/{task}/qrels"))
    run = pd.DataFrame(rows["second"], columns=["query_id", "doc_id", "score"])
    found = ir_measures.calc_aggregate([ir_measures.nDCG @ 10], qrels, run)
    assert table["second"][0] == pytest.approx(found[ir_measures.nDCG @ 10], abs=1e-4)
