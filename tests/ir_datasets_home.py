"""Fixtures: ir_datasets offline, in a home folder of its own with small files in real formats."""

import contextlib
import gzip
import importlib
import io
import json
import os
import socket
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import ir_datasets
import pytest

from pt_fairness import collections, groups, values

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def example(name: str) -> Any:
    """A module of the examples, or one that they share."""
    sys.path.insert(0, str(EXAMPLES))
    try:
        return importlib.import_module(name)
    finally:
        sys.path.remove(str(EXAMPLES))


@pytest.fixture(scope="session")
def touche() -> Any:
    """The module of the example, which writes args.me's and Touché's formats."""
    return example("touche")


def _refuse(*arguments: Any, **options: Any) -> None:
    raise OSError("no connections in this test")


#: What an interpreter runs at its start, so that it has no connections.
OFFLINE = """
import socket
def refuse(*a, **k): raise OSError("no connections in this test")
socket.socket.connect = socket.getaddrinfo = refuse
"""
#: The modules of ir_datasets with the datasets that a test finds in its home folder; that of an id
#: stands behind those of the ids that it takes its documents from.
MODULES = ("argsme", "beir", "clueweb12", "disks45", "msmarco_document", "msmarco_passage",
           "neuclir", "sara", "touche_image", "touche", "trec_fair")


@pytest.fixture
def irds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """ir_datasets with the datasets of :data:`MODULES` and of this package alone, in a home folder
    of this test, without connections.
    """
    monkeypatch.setenv("IR_DATASETS_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("IR_DATASETS_TMP", str(tmp_path / "tmp"))
    monkeypatch.setenv("IR_DATASETS_DL_TRIES", "1")
    monkeypatch.setattr(socket.socket, "connect", _refuse)
    monkeypatch.setattr(socket, "getaddrinfo", _refuse)
    # In place of the built-in sources, which keep what they have read.
    collections.make.cache_clear()
    for name in collections.SOURCES:
        groups.register(name, partial(collections.make, "groups", name))
    for name in collections.VALUES:
        values.register(name, partial(collections.make, "values", name))
    monkeypatch.setattr(ir_datasets.registry, "_registered", {})
    for name in MODULES:
        vars(ir_datasets.datasets)[name]._init()
    collections.register_datasets()
    yield ir_datasets
    for module in (groups, values):
        for name in module.names():
            with contextlib.suppress(ValueError):  # a built-in name
                module.unregister(name)


class Files:
    """Writes small files where ir_datasets looks for the real ones."""

    def __init__(self, home: Path, touche: Any) -> None:
        self.home, self._touche = home, touche

    def write(self, path: str, content: str | bytes) -> Path:
        file = self.home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode() if isinstance(content, str) else content)
        return file

    def json_lines(self, path: str, records: list[dict[str, Any]]) -> Path:
        """A line for each record, compressed if the name ends in ``.gz``."""
        content = "".join(json.dumps(record) + "\n" for record in records).encode()
        return self.write(path, gzip.compress(content) if path.endswith(".gz") else content)

    def argument(self, docno: str, stance: str | None, portal: str = "debate.org") -> Any:
        return self._touche.argument(docno, stance, portal, f"Conclusion of {docno}",
                                      f"Reasons for {docno}.")

    def argsme(self) -> None:
        """Version 2020-04-01: a1 (PRO) to a5 and b1, which has no premises."""
        self._touche.write_corpus(self.home, {
            "debateorg": [self.argument("a1", "PRO"), self.argument("a2", "CON"),
                          self.argument("b1", None)],
            "debatepedia": [self.argument("a3", "CON", "debatepedia")],
            "debatewise": [self.argument("a4", "PRO", "debatewise")],
            "idebate": [],
            "parliamentary": [self.argument("a5", "CON", "canadian-parliament")]})

    def touche2020(self, qrels: str) -> Path:
        topics = [("1", "Should tea be served cold?"), ("2", "Are cats better than dogs?")]
        self.write("touche/2020/task-1/queries.xml", self._touche.topics_xml(topics))
        return self.write("touche/2020/task-1/qrels.qrels", qrels)

    def comparative(self, stances: list[str]) -> None:
        columns = {"relevance": range(len(stances)), "quality": [1] * len(stances),
                   "stance": stances}
        for kind, column in columns.items():
            self.write(f"touche/2022/task-2/qrels-{kind}.qrels", "".join(
                f"1 0 clueweb12-{docno} {value}\n" for docno, value in enumerate(column)))

    def msmarco(self, passages: dict[str, str], queries: dict[str, str], qrels: str,
                fair: Sequence[str]) -> None:
        """Passages of MS MARCO, and the files of Rekabsaz et al. (2021)."""
        example("shared.passages").write(self.home, passages, queries, qrels, fair)

    def trec8(self, qrels: str) -> Path:
        content = qrels.encode()
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
            member = tarfile.TarInfo("qrels.trec8.adhoc.parts1-5")
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        self.write("disks45/topics.401-450.gz", gzip.compress(
            b"<top>\n\n<num> Number: 401 \n<title> sea salt \n\n<desc> Description: \n"
            b"Who sells sea salt?\n\n<narr> Narrative: \nShops are relevant.\n\n</top>\n"))
        return self.write("disks45/qrels.trec8.adhoc.parts1-5.tar.gz", buffer.getvalue())

    def robust04(self, qrels: str) -> Path:
        return self.write("disks45/qrels.robust2004.txt", qrels)

    def beir(self, stances: dict[str, str | None], qrels: str, version: str) -> Path:
        """:param stances: the stance of each document; ``None`` for a document without metadata"""
        buffer = io.BytesIO()
        docs = [{"_id": docno, "title": "T", "text": f"Text of {docno}",
                 **({} if stance is None else {"metadata": {"stance": stance, "url": "u"}})}
                for docno, stance in stances.items()]
        query = {"_id": "1", "text": "Is it?", "metadata": {"description": "d", "narrative": "n"}}
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("webis-touche2020/corpus.jsonl",
                             "".join(json.dumps(doc) + "\n" for doc in docs))
            archive.writestr("webis-touche2020/queries.jsonl", json.dumps(query) + "\n")
            archive.writestr("webis-touche2020/qrels/test.tsv",
                             "query-id\tcorpus-id\tscore\n" + qrels)
        return self.write(f"beir/webis-touche2020{version}/source.zip", buffer.getvalue())

    def blogs(self, qrels: str) -> Path:
        self.write("blogs06/07.topics.901-950", "".join(
            f"<top>\n<num> Number: {number} </num>\n<title> garden gnomes </title>\n\n"
            "<desc> Description:\nFind opinions.\n</desc>\n\n"
            "<narr> Narrative:\nCafé posts are not relevant.\n</narr>\n\n</top>\n\n"
            for number in (901, 902)).encode("latin-1"))
        return self.write("blogs06/07.qrels.opinion", qrels)


@pytest.fixture
def files(irds: Any, tmp_path: Path, touche: Any) -> Files:
    return Files(tmp_path / "home", touche)


@pytest.fixture
def passages(files: Files) -> Any:
    """``passages({docno: text})``: makes these the passages of MS MARCO, all of them judged."""
    return lambda texts: files.msmarco(
        texts, {"1": "who"}, "".join(f"1 0 {docno} 1\n" for docno in texts), ["1"])


@pytest.fixture
def qrels_of(irds: Any, capfd: pytest.CaptureFixture[str]) -> Any:
    """``qrels_of(id)``: the rows of an id, read as PyTerrier reads them; nothing may be printed."""
    import pyterrier as pt

    def read(dataset_id: str) -> list[tuple[Any, ...]]:
        capfd.readouterr()
        frame = pt.get_dataset(f"irds:{dataset_id}").get_qrels()
        assert capfd.readouterr().out == ""
        assert sorted(frame.columns) == ["docno", "iteration", "label", "qid"]
        assert irds.load(dataset_id).qrels_cls() is irds.formats.TrecQrel
        return list(frame[["qid", "docno", "label", "iteration"]].itertuples(index=False,
                                                                             name=None))
    return read


@pytest.fixture
def offline(irds: Any, tmp_path: Path) -> Any:
    """``offline(*arguments)``: runs Python in this test's home folder, without connections."""
    (tmp_path / "sitecustomize.py").write_text(OFFLINE)

    def run(*arguments: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, *map(str, arguments)], capture_output=True,
                              text=True, env={**os.environ, "PYTHONPATH": str(tmp_path)})
    return run
