"""The shape of the house: rooms, the tests that mirror them, and imports that nobody sees."""

from __future__ import annotations

import ast
from pathlib import Path

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
    assert {name for name, calls in found.items() if calls} == {"core/imports.py"}, \
        "only the lazy face imports by text; other rooms import what stands below them"
