"""The source of newswire articles, as qrels of TREC-8 and Robust04."""

import collections
import gzip

import pytest

QRELS = ("401 0 FBIS3-10009 0\n401 0 FT911-3 1\n\n402 0 LA010189-0001 1\n"
         "402 0 FR940104-0-00001 1\n402 0 CR93E-1 0\n")
GROUPS = [("401", "FBIS3-10009", 0, "FBIS"), ("401", "FT911-3", 1, "FT"),
          ("402", "LA010189-0001", 1, "LA"), ("402", "FR940104-0-00001", 1, "FR"),
          ("402", "CR93E-1", 0, "-")]
TREC8 = "disks45/nocr/trec8"


def test_trec8(irds, files, qrels_of):
    files.trec8(QRELS)
    assert qrels_of(f"{TREC8}/source") == GROUPS
    dataset = irds.load(f"{TREC8}/source")
    assert [query[:3] for query in dataset.queries_iter()] == [
        ("401", "sea salt", "Who sells sea salt?")]
    assert dataset.dataset_id() == f"{TREC8}/source"
    assert dataset.qrels_defs() == irds.load(TREC8).qrels_defs()
    assert dataset.docs_handler() is irds.load(TREC8).docs_handler()


def test_robust04_and_its_folds(irds, files, qrels_of):
    # One topic of each fold.
    groups = {"302": "FT", "301": "LA", "306": "FBIS", "320": "FR", "304": "FT"}
    docnos = {"FT": "FT911-3", "LA": "LA010189-0001", "FBIS": "FBIS3-1", "FR": "FR940104-0-00001"}
    files.robust04("".join(f"{qid} 0 {docnos[group]} 2\n" for qid, group in groups.items()))
    everything = [(qid, docnos[group], 2, group) for qid, group in groups.items()]
    assert qrels_of("disks45/nocr/trec-robust-2004/source") == everything
    for fold, row in enumerate(everything, 1):
        assert qrels_of(f"disks45/nocr/trec-robust-2004/fold{fold}/source") == [row]


@pytest.mark.slow
def test_the_real_trec8_qrels(irds, files, qrels_of, shared):
    qrels = shared / "data" / "trec8" / "qrels.trec8.adhoc.txt.gz"
    files.trec8(gzip.decompress(qrels.read_bytes()))
    rows = qrels_of(f"{TREC8}/source")
    relevant = collections.Counter(group for _, _, label, group in rows if label > 0)
    assert relevant == {"FT": 1670, "LA": 1185, "FBIS": 1667, "FR": 206}
