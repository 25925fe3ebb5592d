"""What the tests catch: ``python tests/benchmarks/mutants.py --seed N`` draws 60 mutants, changes a
copy of the package by one at a time and runs the tests until one fails; it prints how many of each
room die, and where.

A mutant has one operator, constant, bound or order of arguments changed. ``strict=`` and bounds at
a tolerance are never changed, because no test can tell the difference. Each mutant is tried against
the default tests of its file, of its room and of the others, and then against the slow ones of its
room. ``--jobs 2`` tries two at a time, and ``--results FILE`` keeps the results, from which a later
run goes on. A mutant is ``unclear`` if the test that fails also fails without it.
"""

import argparse
import ast
import copy
import importlib
import json
import multiprocessing
import os
import random
import re
import shutil
import signal
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import pytest

# What the tests import, so that each fork has it; PyTerrier imports the package.
for _name in ("hypothesis", "ir_datasets", "ir_measures", "matplotlib.pyplot", "pandas",
              "scipy.stats", "statsmodels.stats.multitest"):
    importlib.import_module(_name)
assert not any(name.startswith("pt_fairness") for name in sys.modules)

FORK = multiprocessing.get_context("fork")
ROOT = Path(__file__).resolve().parent.parent.parent
#: How many mutants a room has.
ROOMS = {"measures": 11, "rankings": 7, "provider": 7, "groups": 7, "analysis": 7, "rerank": 7,
         "evaluation": 7, "io": 7}
KINDS = ("operator", "constant", "bound", "arguments")
#: The tests that a mutant is tried against, one after the other.
STAGES = ("file", "room", "others", "slow")
LIMIT = 900  # seconds of a stage; a mutant that runs for ever is killed
OPERATORS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.And: ast.Or,
    ast.Or: ast.And, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.In: ast.NotIn, ast.NotIn: ast.In}
BOUNDS: dict[type[ast.AST], type[ast.AST]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}

#: Constants that a computed number is never exactly equal to.
NEVER_MET = re.compile(r"(ALPHA|CLOSE|EPSILON|EQUAL|ROUNDING|SAME|TOLERANCE)\b")
#: Functions whose first arguments have no order, or of which every call would fail.
NOT_SWAPPED = {"isinstance", "issubclass", "min", "max", "minimum", "maximum", "getattr", "cast"}


class Mutant(NamedTuple):
    """One change of one file."""

    room: str
    kind: str
    path: Path
    line: int
    old: str
    new: str
    begin: int
    end: int

    def source(self) -> bytes:
        """Return the changed file."""
        source = self.path.read_bytes()
        return source[:self.begin] + self.new.encode() + source[self.end:]

    def __str__(self) -> str:
        old, new = (textwrap.shorten(text, 90, placeholder="…") for text in (self.old, self.new))
        return f"{self.path.relative_to(ROOT)}:{self.line}: {self.kind}: {old} → {new}"


def parts(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the expressions that compute: no annotations, decorators, docstrings and messages."""
    for name, field in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "type_comment"):
            continue
        for child in field if isinstance(field, list) else [field]:
            if getattr(child, "arg", None) == "strict":
                continue
            if isinstance(child, ast.AST) and not isinstance(child, (ast.Raise, ast.JoinedStr)):
                yield child
                yield from parts(child)


def changes(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield the kinds and the changed copies of an expression."""
    new: Any = copy.copy(node)
    if isinstance(new, (ast.BinOp, ast.BoolOp)) and type(new.op) in OPERATORS:
        new.op = OPERATORS[type(new.op)]()
        yield "operator", new
    elif isinstance(new, ast.Compare):
        first, *more = new.ops
        kinds = BOUNDS if type(first) in BOUNDS else OPERATORS
        if kinds is BOUNDS and NEVER_MET.search(ast.unparse(new)):
            return
        new.ops = [kinds[type(first)](), *more]
        yield "bound" if kinds is BOUNDS else "operator", new
    elif isinstance(new, ast.Slice) and (new.lower or new.upper):
        name = "upper" if new.upper else "lower"
        bound = ast.BinOp(getattr(new, name), ast.Add(), ast.Constant(1))
        setattr(new, name, bound)
        yield "bound", new
    elif isinstance(new, ast.Constant) and type(new.value) in (bool, int, float):
        new.value = not new.value if isinstance(new.value, bool) else new.value + 1
        yield "constant", new
    elif isinstance(new, ast.Call) and len(new.args) > 1:
        first, second, *more = new.args
        starred = isinstance(first, ast.Starred) or isinstance(second, ast.Starred)
        name = ast.unparse(new.func).rpartition(".")[2]
        if not starred and name not in NOT_SWAPPED and ast.dump(first) != ast.dump(second):
            new.args = [second, first, *more]
            yield "arguments", new


def mutants_of(path: Path, room: str) -> Iterator[Mutant]:
    """Yield every mutant of the functions of a file."""
    source = path.read_bytes()
    starts = [0]
    for row in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(row))
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)]
    for node in {id(part): part for function in functions for part in parts(function)}.values():
        for kind, new in changes(node):
            begin = starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
            end = starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]
            text = ast.unparse(new)
            if isinstance(new, (ast.BinOp, ast.BoolOp, ast.Compare)):
                text = f"({text})"
            yield Mutant(room, kind, path, node.lineno,  # type: ignore[attr-defined]
                         source[begin:end].decode(), text, begin, end)


def drawn(seed: int) -> list[Mutant]:
    """Return mutants of each room, evenly of each kind."""
    pick = random.Random(seed)
    chosen = []
    for room, count in ROOMS.items():
        every = [mutant for path in sorted((ROOT / "pt_fairness" / room).rglob("*.py"))
                 for mutant in mutants_of(path, room)]
        for number in range(count):
            same = [mutant for mutant in every if mutant.kind == KINDS[number % len(KINDS)]]
            mutant = pick.choice(same)
            every.remove(mutant)
            chosen.append(mutant)
    return chosen


def tests_of(stage: str, mutant: Mutant, tests: Path) -> list[str]:
    """Return the arguments of pytest for a stage, none if it has no tests."""
    room = tests / mutant.room
    paths: list[Any] = [room]
    if stage == "file":
        paths = [*room.glob(f"test_{mutant.path.stem}.py")]
    elif stage == "others":
        paths = [tests, f"--ignore={room}"]
    mark = "slow" if stage == "slow" else "not slow"
    return ["-m", mark, *map(str, paths)] if paths else []


def run_tests(arguments: list[str], project: Path, log: Path) -> NoReturn:
    """Run pytest in this process, and end it with pytest's code."""
    os.setpgid(0, 0)
    os.chdir(project)
    with log.open("w") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
    code = pytest.main(["-q", "-x", *arguments])
    sys.stdout.flush()
    os._exit(code)


def failing(arguments: list[str], project: Path) -> str:
    """Return the first test that fails, or nothing.

    The tests run in a fork of this process, which has imported what they need but the package.
    """
    log = project / "pytest.log"
    tests = FORK.Process(target=run_tests, args=(arguments, project, log))
    tests.start()
    tests.join(LIMIT)
    if tests.exitcode is None:
        os.killpg(tests.pid, signal.SIGKILL)
        tests.join()
        return "(time is up)"
    if tests.exitcode in (0, 5):  # 5: no test is of this kind
        return ""
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    failed = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
    return failed[0] if failed else f"pytest ended with {tests.exitcode}"


def stage_of_death(mutant: Mutant, project: Path) -> tuple[str, str]:
    """Return the stage that kills a mutant, "survived" or "unclear", and the test."""
    path = project / mutant.path.relative_to(ROOT)
    before = path.read_bytes()
    for stage in STAGES:
        arguments = tests_of(stage, mutant, project / "tests")
        if not arguments:
            continue
        path.write_bytes(mutant.source())
        test = failing(arguments, project)
        path.write_bytes(before)
        if test:
            name = test.removeprefix("FAILED ").removeprefix("ERROR ").partition(" - ")[0]
            if "::" in name and failing([*arguments[:2], name], project):
                return "unclear", test
            return stage, test
    return "survived", ""


def copy_project(folder: str) -> None:
    """Give this process a copy of the project of its own."""
    project = Path(tempfile.mkdtemp(dir=folder)) / "project"
    shutil.copytree(ROOT, project, ignore=shutil.ignore_patterns(".git", "__pycache__"))
    os.environ["PYTHONPATH"] = str(project)
    sys.path.insert(0, str(project))


def tried(mutant: Mutant) -> tuple[str, str, str]:
    """Return a mutant, the stage and the test that killed it."""
    return str(mutant), *stage_of_death(mutant, Path(sys.path[0]))


def read_results(path: Path) -> dict[str, tuple[str, str]]:
    """Return the stage and the test that killed each mutant."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {name: (stage, test) for name, stage, test in map(json.loads, lines)}


def table(results: dict[str, tuple[str, str]], mutants: list[Mutant]) -> str:
    """Return the table of what is known, and the survivors."""
    heads = ("room", "mutants", *STAGES, "survived")
    form = "{:<12}" + "{:>12}" * 6
    known = {mutant: results[str(mutant)][0] for mutant in mutants if str(mutant) in results}
    lines = [form.format(*heads)]
    for room in (*ROOMS, "all"):
        stages = [stage for mutant, stage in known.items() if room in (mutant.room, "all")]
        lines.append(form.format(room, len(stages), *map(stages.count, heads[2:])))
    for stage in ("slow", "survived", "unclear"):
        lines += [f"{stage}: {mutant}" for mutant, where in known.items() if where == stage]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("--seed", type=int, default=34)
    parser.add_argument("--jobs", type=int, default=1, help="how many mutants at a time")
    parser.add_argument("--results", type=Path, help="by default mutants-SEED.jsonl")
    options = parser.parse_args()
    mutants = drawn(options.seed)
    path = options.results or Path(f"mutants-{options.seed}.jsonl")
    known = read_results(path)
    left = [mutant for mutant in mutants if str(mutant) not in known]
    with (tempfile.TemporaryDirectory() as folder, path.open("a", encoding="utf-8") as file,
          ProcessPoolExecutor(options.jobs, FORK, copy_project, (folder,)) as workers):
        for task in as_completed(workers.submit(tried, mutant) for mutant in left):
            line = json.dumps(task.result(), ensure_ascii=False)
            print(line, file=file, flush=True)
            print(line, flush=True)
    print(table(read_results(path), mutants))


if __name__ == "__main__":
    main()
