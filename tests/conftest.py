"""Data that the tests share."""

from __future__ import annotations

import contextlib
import gc
import gzip
import os
import random
import subprocess
import sys
import textwrap
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, settings
from ir_datasets_home import files, irds, offline, qrels_of, touche  # noqa: F401 - fixtures
from ir_measures import measures as irm
from measure_cases import values_of

import pt_fairness
from pt_fairness.core import messages

# The same examples everywhere: a test that fails after a change fails because of it.
settings.register_profile(
    "pt_fairness", deadline=None, max_examples=12, database=None, derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture])
settings.load_profile("pt_fairness")

ROOT = Path(__file__).resolve().parent.parent


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes do not name a test: packed ones hold the time, and pytest's workers have to agree on
    the names.
    """
    return argname if isinstance(val, bytes) else None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--first-parameters", action="store_true", help="run each test once, with its "
                     "first parameters, and a tenth of the random examples: enough to see that a "
                     "dependency has what is called")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("first_parameters"):
        few = settings.get_profile("pt_fairness").max_examples // 10
        settings.register_profile("few", settings.get_profile("pt_fairness"), max_examples=few)
        settings.load_profile("few")


#: The folder and fixtures of the tests that run on demand: the examples, real runs, a browser, full
#: disks, built pages and packages.
ON_DEMAND = ROOT / "tests" / "examples"
ON_DEMAND_FIXTURES = {"shared", "browser", "small_disk", "built", "site"}


def is_on_demand(item: pytest.Item, before: Sequence[dict[str, object]]) -> bool:
    """Return whether a test runs on demand only.

    Such are the cases that the marks ``first`` and ``nth`` leave out, the tests of a folder or
    fixture above, all seeds but the first, and cases of the first seed that repeat the values of
    other parameters. Other tests on demand have the mark ``exhaustive`` themselves.

    :param before: the parameters of the cases of the same test that stand before it
    """
    first = item.get_closest_marker("first")
    nth = item.get_closest_marker("nth")
    if first is not None and len(before) >= first.args[0]:
        return True
    if nth is not None and len(before) % nth.args[0] > 0:
        return True
    if ON_DEMAND_FIXTURES.intersection(getattr(item, "fixturenames", ())):
        return True
    params = parameters(item)
    if before and "seed" in params:
        same = [case for case in before if case["seed"] == before[0]["seed"]]
        shown = {name: {repr(case[name]) for case in same} for name in params}
        if params["seed"] != before[0]["seed"] or not is_new(params, shown):
            return True
    return item.path.is_relative_to(ON_DEMAND)


def parameters(item: pytest.Item) -> dict[str, object]:
    """Return the parameters of a case by name; none for a test without cases."""
    case = getattr(item, "callspec", None)
    return {} if case is None else case.params


def is_new(params: dict[str, object], shown: dict[str, set[str]]) -> bool:
    """Return whether a parameter has a value that is not shown."""
    return any(repr(value) not in shown[name] for name, value in params.items())


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the folder of tests on demand unread where none of them runs."""
    unread = collection_path == ON_DEMAND and "not exhaustive" in config.getoption("markexpr")
    return True if unread else None


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[Any]:
    """Turn the garbage collector off while tests are collected, and keep what was loaded out of
    later collections. Each full one takes time, in all a quarter of that of collecting the tests.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(
    config: pytest.Config, items: list[pytest.Item]
) -> Iterator[None]:
    """Mark the tests that run on demand, before pytest selects by marks."""
    cases: dict[str, list[dict[str, object]]] = defaultdict(list)
    for item in items:
        before = cases[item.nodeid.partition("[")[0]]
        if is_on_demand(item, before):
            item.add_marker("exhaustive")
        before.append(parameters(item))
    yield
    if config.getoption("first_parameters"):
        first = {item.nodeid.partition("[")[0]: item for item in reversed(items)}
        items[:] = [item for item in items if first[item.nodeid.partition("[")[0]] is item]


@pytest.fixture(autouse=True)
def no_warning_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test begins as a process does, in which nothing was warned of."""
    monkeypatch.setattr(messages, "_warned", set())


@pytest.fixture(autouse=True)
def no_measure_after() -> Iterator[None]:
    """A measure that a test registers is gone after it."""
    before = {*irm.registry}
    yield
    for name in {*irm.registry} - before:
        del irm.registry[name]
        pt_fairness.measures.MEASURES.pop(name, None)
        for module in filter(None, map(sys.modules.get, ("pt_fairness", "pyterrier.measures"))):
            vars(module).pop(name, None)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of public TREC data; what needs it is skipped where it is missing.

    It is ``../shared``, or what ``PT_FAIRNESS_SHARED`` names, and holds in ``data``:

    * ``robust03``: ``qrels.txt.gz`` of the TREC 2003 Robust track, ``runs/input.NAME.gz``: nine
      runs (InexpC2, NLPR03vb10, THUIRr0301, UIUC03Rd1, VTcdhgp1, humR03dc, pircRBa1, rutcor03100,
      uic0301)
    * ``trec8``: ``qrels.trec8.adhoc.txt.gz``; ``published-rprec.tsv``, the R-Precision of its 129
      runs with the header ``run``, ``Rprec``
    * ``touche``, over args.me 2020-04-01: ``touche2020-task1.qrels``, ``touche2021-task1.qrels``;
      ``touche2020-task1-graded.qrels``, an earlier, graded version; ``topics-task-1-2020.xml``;
      ``run2020.NAME.gz`` and ``run2021.NAME.gz``, any runs
    * ``touche2022``, task 2: ``relevance.qrels.gz``, ``stance.qrels.gz``, ``runs/NAME.gz``:
      Aldo-Nadi.run3, Asuna.run1, Captain-Levi.run5, Grimjack.run1
    * ``fairweb1``, the pilot of NTCIR-17 FairWeb-1: qrels and memberships
      (``fairweb1pilot.*``), targets (``*.golddistr``), ``run.NAME.gz``, and ``ntcireval.tsv``,
      what the tool of the task prints for them
    * ``gender``: ``msmarco-passage-dev.fair.tsv``, ``trec-dl-2019.fair.tsv`` and ``words.csv``, the
      queries and words of Rekabsaz et al. (2021); ``run.trec-dl-2019.NAME.gz``, any runs over them
    """
    folder = Path(os.environ.get("PT_FAIRNESS_SHARED", ROOT.parent / "shared"))
    if not folder.is_dir():
        pytest.skip(f"no shared data in {folder}")
    return folder


@pytest.fixture(scope="session")
def robust03(shared: Path) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """TREC 2003 Robust: qrels with the source in ``iteration``, and the runs by name; ir_measures'
    columns.
    """
    folder = shared / "data" / "robust03"
    qrels = pd.read_csv(
        folder / "qrels.txt.gz", sep=r"\s+", names=["query_id", "iteration", "doc_id", "relevance"],
        dtype={"query_id": str, "iteration": str, "doc_id": str})
    qrels["iteration"] = qrels["doc_id"].str.extract(r"^([A-Z]+)", expand=False)
    runs = {}
    for path in sorted((folder / "runs").glob("input.*.gz")):
        run = pd.read_csv(
            path, sep=r"\s+", names=["query_id", "q0", "doc_id", "rank", "score", "name"],
            dtype={"query_id": str, "doc_id": str}, keep_default_na=False)
        runs[path.name.removeprefix("input.").removesuffix(".gz")] = run[
            ["query_id", "doc_id", "score"]]
    return qrels, runs


@pytest.fixture(scope="session")
def values() -> Callable[..., dict[tuple[Any, str], float]]:
    """``values(measures, qrels, run)``: by measure and topic, from one call of ir_measures."""
    return values_of


def _for_one_test(module: ModuleType) -> Iterator[Callable[..., None]]:
    yield module.register
    for name in module.names():
        with contextlib.suppress(ValueError):  # a built-in name
            module.unregister(name)


@pytest.fixture
def registered_groups() -> Iterator[Callable[..., None]]:
    """``registered_groups(name, groups)``: registers groups; what a test registers, in any way, is
    unregistered after it.
    """
    yield from _for_one_test(pt_fairness.groups)


@pytest.fixture
def registered_values() -> Iterator[Callable[..., None]]:
    """``registered_values(name, values)``: the same for values."""
    yield from _for_one_test(pt_fairness.values)


@pytest.fixture
def registered_runs() -> Iterator[Callable[..., None]]:
    """``registered_runs(name, run)``: the same for runs."""
    yield from _for_one_test(pt_fairness.runs)


@pytest.fixture
def forget_targets(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """``forget_targets()``: no targets but those of the package, neither before the test
    nor after a call.
    """

    def forget() -> None:
        monkeypatch.setattr(pt_fairness.targets.REGISTRY, "_registered", {})

    forget()
    return forget


@pytest.fixture
def averages() -> pd.DataFrame:
    """Means of four systems."""
    return pd.DataFrame(
        {
            "name": ["A", "B", "C", "D"], "nDCG@5": [0.9, 0.5, 0.7, 0.1],
            "rKL@5": [0.4, 0.1, 0.2, 0.3], "DistFair@5": [0.2, 0.4, 0.6, 0.8],
            "BiasP@5": [-0.3, 0.1, 0.2, -0.05]}
    )


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


@pytest.fixture
def small_disk(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., str]:
    """``small_disk(code, argument…)``: runs code in an interpreter that cannot write more than 20
    kB to a file, and returns what it wrote to standard error.
    """
    resource = pytest.importorskip("resource")
    script = tmp_path_factory.mktemp("code") / "script.py"

    def run(code: str, *arguments: object) -> str:
        script.write_text(textwrap.dedent(code))
        done = subprocess.run(
            [sys.executable, "-B", script, *map(str, arguments)], capture_output=True, text=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000)))
        return done.stderr
    return run


@dataclass
class Case:
    """Qrels rows ``(qid, docno, relevance, iteration)`` and run rows ``(qid, docno, score)``."""

    qrels: list[tuple[str, str, int, str | None]]
    run: list[tuple[str, str, float]]
    #: Groups of any document, unjudged ones too, for ``groups=``; and every label in them.
    groups: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    labels: list[str] = field(default_factory=list)

    @property
    def qrels_frame(self) -> pd.DataFrame:
        return pd.DataFrame(self.qrels, columns=["query_id", "doc_id", "relevance", "iteration"])

    @property
    def run_frame(self) -> pd.DataFrame:
        frame = pd.DataFrame(self.run, columns=["query_id", "doc_id", "score"])
        return frame.astype({"query_id": "str", "doc_id": "str", "score": float})

    @property
    def groups_frame(self) -> pd.DataFrame:
        rows = [
            (qid, docno, group) for (qid, docno), groups in self.groups.items() for group in groups]
        return pd.DataFrame(rows, columns=["qid", "docno", "group"], dtype="str")


@pytest.fixture
def worked() -> Case:
    """A topic that can be computed by hand: condensed, the run is c, a, b."""
    return Case(qrels=[("1", "a", 1, "PRO"), ("1", "b", 1, "PRO"), ("1", "c", 1, "CON")],
                run=[("1", "c", 4.0), ("1", "a", 3.0), ("1", "d", 2.0), ("1", "b", 1.0)])


@pytest.fixture(scope="session")
def make_case() -> Callable[..., Case]:
    """``make_case(seed, …)``: a random :class:`Case` with all that is awkward in real data; equal
    for equal arguments.
    """
    return _make_case


def _make_case(
    seed: int, *, topics: int = 5, documents: int = 14, labels: int = 0, several: bool = False
) -> Case:
    """
    :param labels: how many labels there are; 0 for 2 to 8 at random
    :param several: whether documents can have several groups
    """
    pick = random.Random(seed)
    names = [f"g{i}" for i in range(labels or pick.randint(2, 8))]
    case = Case([], [])
    for number in range(topics):
        qid = str(number + 1)
        own = names[:1] if number == 0 else names  # the first topic knows one group alone
        retrieved = (
            [] if number == 1 else pick.choices(range(documents), k=pick.randint(1, documents)))
        unannotated = 1.0 if number == 2 else pick.choice([0.0, 0.2, 0.5])
        weights = [pick.random() for _ in own]
        for i in range(documents):
            docno = f"d{i}" if i % 3 else f"dö{i}"
            groups: list[str] = []
            if pick.random() >= unannotated:
                groups = sorted(
                    {*pick.choices(own, weights, k=pick.randint(1, 3) if several else 1)})
            if groups and pick.random() < 0.9:
                case.groups[qid, docno] = groups
            if pick.random() < 0.75:
                relevances = (
                    [pick.choice([-1, 0, 0, 1, 1, 2])] * 4 if pick.random() < 0.7
                    else pick.choices([0, 1, 2], k=4))
                iterations: list[str | None] = [*groups] or [pick.choice(["-", "", None])]
                for relevance, iteration in zip(relevances, iterations, strict=False):
                    case.qrels.append((qid, docno, relevance, iteration))
            if i in retrieved:
                case.run.append((qid, docno, pick.choice([3.0, 2.0, 1.0, pick.random(), -1.0])))
    case.labels = sorted({group for groups in case.groups.values() for group in groups})
    case.run.append(("unknown", "d1", 1.0))  # a topic that nobody judged
    pick.shuffle(case.qrels)
    pick.shuffle(case.run)
    return case
