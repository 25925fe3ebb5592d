"""The shape of the house: rooms, the tests that mirror them, and imports that nobody sees."""

from __future__ import annotations

import ast
import itertools
import subprocess
from pathlib import Path

import pytest

import pt_fairness

TESTS = Path(__file__).resolve().parent
PACKAGE = Path(pt_fairness.__file__).parent


def rooms(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if (path / "__init__.py").is_file()}


def test_tests_mirror_the_rooms():
    folders = {path.parent.relative_to(TESTS).as_posix() for path in TESTS.rglob("test_*.py")}
    assert rooms(PACKAGE) - folders == set(), "each room has a folder of tests"
    assert folders - rooms(PACKAGE) - {".", "examples", "targets"} == set()


def test_test_files_have_tests():
    empty = [path.relative_to(TESTS).as_posix() for path in sorted(TESTS.rglob("test_*.py"))
             if "def test_" not in path.read_text(encoding="utf-8")]
    assert empty == []


#: What stands at the top of the project: the package, its tests, and what tools need.
TOP = {".ci", ".github", ".gitignore", "CHANGELOG.md", "CITATION.cff", "LICENSE", "README.md",
       "examples", "pt_fairness", "pyproject.toml", "tests"}


def test_the_top_of_the_project():
    project = TESTS.parent
    if not (project / ".gitignore").exists():
        pytest.skip("a copy of parts of the project")
    ignored = {line.strip("/") for line in (project / ".gitignore").read_text().splitlines()}
    if (project / ".git").exists():
        listed = subprocess.run(["git", "ls-files"], cwd=project, capture_output=True, text=True,
                                check=True)
        names = {line.partition("/")[0] for line in listed.stdout.splitlines()}
    else:
        names = {path.name for path in project.iterdir()} - ignored - {"PKG-INFO"}
    assert names - TOP == set()


def imports_by_text(path: Path) -> list[str]:
    """Return the imports of modules of the package by their names, which import-linter misses."""
    calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
             if isinstance(node, ast.Call)]
    names = ("import_module", "__import__")
    return [ast.unparse(call) for call in calls
            if getattr(call.func, "attr", getattr(call.func, "id", "")) in names]


def test_imports_by_text():
    found = {path.relative_to(PACKAGE).as_posix(): imports_by_text(path)
             for path in PACKAGE.rglob("*.py")}
    assert {name for name, calls in found.items() if calls} == {
        "cli/output.py", "core/imports.py"}, "only the lazy face and --import import by text"


def test_every_test_is_one_that_pytest_collects():
    """A test in another function never runs."""
    for path in sorted(TESTS.rglob("test_*.py")):
        module = ast.parse(path.read_text("utf-8"))
        classes = [node for node in module.body if isinstance(node, ast.ClassDef)]
        collected = [*module.body, *itertools.chain(*(node.body for node in classes))]
        for node in ast.walk(module):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                assert node in collected, f"{path}, line {node.lineno}"
        assert all(node.name.startswith("Test") for node in classes
                   if any(getattr(part, "name", "").startswith("test_") for part in node.body))
