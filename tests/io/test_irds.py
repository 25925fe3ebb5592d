"""Reading through ir_datasets: the lock of a docstore."""

import sys
from concurrent.futures import ThreadPoolExecutor, wait

import pytest

from pt_fairness import groups
from pt_fairness.io.documents import lock

ARGSME = "argsme/2020-04-01"


def test_a_missing_dependency_is_no_damage(irds, files, monkeypatch):
    files.argsme()
    monkeypatch.delitem(irds.lazy_libs._cache, "ijson", raising=False)
    monkeypatch.setitem(sys.modules, "ijson", None)
    with pytest.raises(ImportError, match="ijson"):
        groups.get(f"{ARGSME}/stance").lookup(["1"], ["a1"])


def test_a_docstore_that_another_process_begins_to_build(irds, files):
    fcntl = pytest.importorskip("fcntl")
    files.argsme()
    fields = files.write(f"{ARGSME}.json.pklz4/bin.meta", "")  # its fields are about to be written
    with (files.home / f"{ARGSME}.lock").open("a") as lock, ThreadPoolExecutor() as threads:
        fcntl.flock(lock, fcntl.LOCK_EX)
        reads = [threads.submit(groups.get(f"{ARGSME}/{field}").lookup, ["1"], ["a1"])
                 for field in ("stance", "portal") * 4]
        assert not wait(reads, 0.5).done
        fields.write_text(" ".join(irds.load(ARGSME).docs_cls()._fields))
        fcntl.flock(lock, fcntl.LOCK_UN)
        assert [read.result()["group"].tolist() for read in reads] == [["PRO"], ["debateorg"]] * 4
    assert (files.home / f"{ARGSME}.json.pklz4" / "bin.pos").stat().st_size == 6 * 8, "built once"


def test_a_lock_is_held_in_a_folder_that_is_made_for_it_and_in_one_that_is_there(irds, tmp_path):
    fcntl = pytest.importorskip("fcntl")
    path = tmp_path / "neuclir" / "1" / "zh.lock"
    for _ in range(2):
        with lock(path), path.open("a") as file, pytest.raises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
