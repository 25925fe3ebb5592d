"""The source of newswire articles, as qrels of TREC-8 and Robust04."""

import collections
import gzip
import re

import pytest

QRELS = "401 0 FBIS3-10009 0\n401 0 FT911-3 1\n\n402 0 LA010189-0001 1\n402 0 FR940104-0-00001 1\n402 0 CR93E-1 0\n"
GROUPS = [("401", "FBIS3-10009", 0, "FBIS"), ("401", "FT911-3", 1, "FT"), ("402", "LA010189-0001", 1, "LA"),
          ("402", "FR940104-0-00001", 1, "FR"), ("402", "CR93E-1", 0, "-")]
TREC8 = "disks45/nocr/trec8"


def test_trec8(irds, files, qrels_of):
    files.trec8(QRELS)
    assert qrels_of(f"{TREC8}/source") == GROUPS
    dataset = irds.load(f"{TREC8}/source")
    assert [query[:3] for query in dataset.queries_iter()] == [("401", "sea salt", "Who sells sea salt?")]
    assert dataset.dataset_id() == f"{TREC8}/source" and dataset.qrels_defs() == irds.load(TREC8).qrels_defs()
    assert dataset.docs_handler() is irds.load(TREC8).docs_handler()
    assert "FBIS, FR, FT, LA" in dataset.documentation()["desc"]
    assert dataset.documentation()["pretty_name"] == f"{TREC8}, with sources"
    assert (dataset.docs_count(), dataset.queries_count(), dataset.qrels_count()) == (528155, 50, 86830)


def test_robust04_and_its_folds(irds, files, qrels_of):
    groups = {"302": "FT", "301": "LA", "306": "FBIS", "320": "FR", "304": "FT"}  # one topic of each fold
    docnos = {"FT": "FT911-3", "LA": "LA010189-0001", "FBIS": "FBIS3-1", "FR": "FR940104-0-00001"}
    files.write("disks45/qrels.robust2004.txt", "".join(f"{qid} 0 {docnos[group]} 2\n" for qid, group in groups.items()))
    everything = [(qid, docnos[group], 2, group) for qid, group in groups.items()]
    assert qrels_of("disks45/nocr/trec-robust-2004/source") == everything
    for fold, row in enumerate(everything, 1):
        assert qrels_of(f"disks45/nocr/trec-robust-2004/fold{fold}/source") == [row]


@pytest.mark.parametrize("line, what", [("402 FT911-3 1", "3 columns where there should be 4"),
                                        ("402 0 FT911-3 1 x", "5 columns where there should be 4"),
                                        ("402 0 FT911-3 yes", "'yes' is no label"),
                                        ("402 0 FT911-3 1.5", "'1.5' is no label")])
def test_a_bad_line_is_named(irds, files, line, what):
    file = files.trec8(QRELS + line + "\n")
    with pytest.raises(ValueError, match=rf"^{re.escape(str(file))}, line 7: {re.escape(what)}.*{re.escape(repr(line))}$"):
        list(irds.load(f"{TREC8}/source").qrels_iter())


def test_a_line_of_blanks_is_named(irds, files):
    file = files.trec8(QRELS + "\n   \n" + QRELS)
    with pytest.raises(ValueError, match=rf"^{re.escape(str(file))}, line 8: expected 4 columns, got 0"):
        list(irds.load(f"{TREC8}/source").qrels_iter())


def test_a_bad_line_is_named_for_a_fold_too(irds, files):
    file = files.write("disks45/qrels.robust2004.txt", "301 0 FT911-3 2\n302 0 LA010189-0001\n")
    with pytest.raises(ValueError, match=rf"^{re.escape(str(file))}, line 2: 3 columns"):
        list(irds.load("disks45/nocr/trec-robust-2004/fold5/source").qrels_iter())


def test_a_truncated_archive_is_named(irds, files):
    file = files.trec8("".join(f"401 0 FT911-{i} {i % 2}\n" for i in range(20000)))
    file.write_bytes(file.read_bytes()[:5000])
    with pytest.raises(ValueError, match=rf"^{re.escape(str(file))} is damaged"):
        list(irds.load(f"{TREC8}/source").qrels_iter())


def test_a_missing_file_is_named(irds, tmp_path):
    with pytest.raises(FileNotFoundError, match=r"qrels\.trec8\.adhoc\.parts1-5\.tar\.gz does not exist and could not be "
                                                r"downloaded .*IR_DATASETS_HOME") as raised:
        list(irds.load(f"{TREC8}/source").qrels_iter())
    assert str(tmp_path / "home" / "disks45") in str(raised.value)


def test_the_articles_have_to_be_licensed(irds, capfd):
    with pytest.raises(FileNotFoundError, match="corpus"):
        next(irds.load(f"{TREC8}/source").docs_iter())
    assert "agreements to be filed with NIST" in capfd.readouterr().err


def test_the_real_trec8_qrels(irds, files, qrels_of, shared):
    files.trec8(gzip.decompress((shared / "data" / "trec8" / "qrels.trec8.adhoc.txt.gz").read_bytes()))
    relevant = collections.Counter(group for _, _, label, group in qrels_of(f"{TREC8}/source") if label > 0)
    assert relevant == {"FT": 1670, "LA": 1185, "FBIS": 1667, "FR": 206}
