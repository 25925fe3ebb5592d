"""Files that are opened once and written whole, their columns, and the lock of a docstore."""

import gzip
import os
import random
import stat
import sys
import threading
from concurrent.futures import ThreadPoolExecutor, wait

import pandas as pd
import pytest
from one_test import each
from written_files import written

from pt_fairness import groups
from pt_fairness.io import files
from pt_fairness.io.files import need_rows, opened
from pt_fairness.io.tables import read_columns, read_table

TEXT = "".join(f"line {i}\n" for i in range(10_000))


@pytest.mark.parametrize("name", ["file", "file.gz"])
@pytest.mark.parametrize("kind", ["file", "pipe"])
def test_what_is_open_is_read_as_often_as_needed(tmp_path, pipe, name, kind):
    data = gzip.compress(TEXT.encode()) if name.endswith(".gz") else TEXT.encode()
    (tmp_path / name).write_bytes(data)
    with files.opened(tmp_path / name if kind == "file" else pipe(name, TEXT)) as source:
        packed = source.rewound().read()
        assert gzip.decompress(packed) == TEXT.encode() if name.endswith(".gz") else packed == data
        assert next(source.lines()) == (1, "line 0\n")
        assert "".join(line for _, line in source.lines()) == TEXT


@pytest.mark.parametrize("before", [None, b"before"])
def test_a_file_is_written_whole_or_not_at_all(tmp_path, before):
    path = tmp_path / "file"
    if before is not None:
        path.write_bytes(before)
    with pytest.raises(RuntimeError), files.written_whole(path) as out:
        out.write(b"half")
        raise RuntimeError
    assert [one.read_bytes() for one in tmp_path.iterdir()] == ([] if before is None else [before])
    with files.written_whole(path) as out:
        out.write(b"whole")
        out.flush()
        assert not path.exists() if before is None else path.read_bytes() == before
    assert [one.read_bytes() for one in tmp_path.iterdir()] == [b"whole"]


@pytest.mark.skipif(sys.platform == "win32", reason="no such permissions")
def test_permissions_are_those_of_any_file(tmp_path):
    path = tmp_path / "file"
    (tmp_path / "other").write_text("")
    for mode in (stat.S_IMODE((tmp_path / "other").stat().st_mode), 0o600, 0o664):
        if path.exists():
            path.chmod(mode)
        with files.written_whole(path) as out:
            out.write(b"x")
        assert stat.S_IMODE(path.stat().st_mode) == mode


def test_a_pipe_stays_a_pipe(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    found = []
    reader = threading.Thread(target=lambda: found.append((tmp_path / "fifo").read_bytes()))
    reader.start()
    with files.written_whole(tmp_path / "fifo") as out:
        out.write(b"x")
    reader.join()
    assert found == [b"x"] and files.is_pipe(tmp_path / "fifo")


@pytest.mark.parametrize("path, error", [
    ("no/such/file", FileNotFoundError), ("folder", IsADirectoryError)])
def test_what_cannot_be_written_is_named_as_it_was_given(tmp_path, monkeypatch, path, error):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    with pytest.raises(error, match=f": '{path}'$"), files.written_whole(path) as out:
        out.write(b"x")
    assert os.listdir() == ["folder"]


NAMES = ["topic", "value", "tag"]
FRAME = pd.DataFrame({"qid": ["1"], "score": [2.0]})


def columns_of(path, text, types=None):
    with opened(written(path, text)) as source:
        return read_columns(source, NAMES, types)


@each("name", ["file", "file.gz"])
@each("seed", range(6))
def test_fields_are_those_of_the_split_lines(tmp_path, name, seed):
    pick = random.Random(seed)
    words = ["007", "NA", "nan", "", "None", '"q', "a#", "é中", "a,b", "True", "1e3"]
    rows = [[pick.choice(words) or "x", repr(pick.choice([0, 1, 2.5, -1e300]) * pick.random()),
             pick.choice(words) or "y"] for _ in range(pick.randrange(1, 30))]
    text = "".join(pick.choice(["", "\n", "  \n"]) + pick.choice([" ", "\t", "  \t"]).join(row)
                   + pick.choice(["\n", "\r\n", " \n"]) for row in rows)
    found = columns_of(tmp_path / name, text, {"value": float})
    assert list(found.columns) == NAMES
    assert found["value"].tolist() == [float(row[1]) for row in rows]
    assert found[["topic", "tag"]].values.tolist() == [[row[0], row[2]] for row in rows]
    assert columns_of(tmp_path / name, text).values.tolist() == rows, "text, where no type is given"


@each("name, text, index, kind", [
    ("x", "\n \na 1 b\n\na 2 b\n\n", [3, 5], "line"),
    ("x.csv", "\ndocno,text\na,b\n\nc,d\n", [3, 5], "line"),
    ("x.csv", 'docno,text\na,"b\nb"\n,\nc,"d\n\n"\ne,\n', [2, 5, 8], "line"),
    ("x.tsv", "\ufeffdocno\ttext\r\na\tb\r\n", [2], "line"),
    ("x.jsonl", '{"docno": 1}\n\n{"docno": 2}\n', [1, 3], "line"),
    ("x.json", '[{"docno": 1},\n\n{"docno": 2}]', [1, 2], "row")])
def test_the_index_of_a_table_is_the_number_of_the_line(tmp_path, name, text, index, kind):
    (tmp_path / name).write_bytes(text.encode())
    with opened(tmp_path / name) as source:
        frame = read_columns(source, NAMES) if name == "x" else read_table(source)
    assert frame.index.tolist() == index and frame.index.name == kind


@each("frame, says", [
    ({"qid": ["1"]}, "got a dict"), (FRAME.rename(columns={"score": 0}), "column 'score'.*qid, 0"),
    (FRAME[:0], "no rows"), (FRAME.assign(x=1).set_axis([*FRAME, "qid"], axis=1), "'qid' twice")])
def test_frames_that_lack_something(frame, says):
    need_rows(FRAME, "the run", ["qid", "score"])
    with pytest.raises(ValueError, match=f"the run .*{says}"):
        need_rows(frame, "the run", ["qid", "score"])


ARGSME = "argsme/2020-04-01"


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
