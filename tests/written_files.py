"""Fixtures: files of a test, and pipes with paths."""

import contextlib
import gzip
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest


def written(path: Path, content: str | bytes) -> Path:
    """Write a file, compressed if its name ends in ``.gz``, and return its path."""
    data = content if isinstance(content, bytes) else content.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


@pytest.fixture
def folder_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[dict[str, str]], Path]:
    """``folder_of({name: text})``: writes files, and makes their folder the working directory."""

    def write(texts: dict[str, str]) -> Path:
        monkeypatch.chdir(tmp_path)
        for name, text in texts.items():
            (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path
    return write


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Callable[[str, str | bytes], Path]]:
    """``pipe(name, text)``: a path of that name that leads to a pipe with the text, compressed if
    the name ends in ``.gz``.
    """
    if not Path("/dev/fd").exists():
        pytest.skip("pipes have no paths here")
    ends, writers = [], []
    (tmp_path / "pipes").mkdir()

    def make(name: str, text: str | bytes) -> Path:
        data = text if isinstance(text, bytes) else text.encode()
        read, write = os.pipe()
        ends.append(read)

        def fill() -> None:
            with contextlib.suppress(BrokenPipeError), open(write, "wb") as file:
                file.write(gzip.compress(data, mtime=0) if name.endswith(".gz") else data)

        writers.append(threading.Thread(target=fill))
        writers[-1].start()
        path = tmp_path / "pipes" / name
        path.unlink(missing_ok=True)
        path.symlink_to(f"/dev/fd/{read}")
        return path

    yield make
    for end in ends:
        os.close(end)
    for writer in writers:
        writer.join()
