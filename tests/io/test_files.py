"""Files that are opened once and written whole."""

from __future__ import annotations

import gzip
import os
import stat
import sys
import threading

import pytest

from pt_fairness.io import files

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


def test_a_named_pipe_is_opened_once(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    writer = threading.Thread(target=(tmp_path / "fifo").write_text, args=[TEXT])
    writer.start()
    with files.opened(tmp_path / "fifo") as source:  # a second time, nobody would write to it
        assert len(list(source.lines())) == len(list(source.lines())) == 10_000
    writer.join()


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
