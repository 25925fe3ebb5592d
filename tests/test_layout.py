"""The shape of the house: rooms, the tests that mirror them, and imports that nobody sees."""

from __future__ import annotations

from pathlib import Path

import pt_fairness

TESTS = Path(__file__).resolve().parent
PACKAGE = Path(pt_fairness.__file__).parent
#: The lazy face, which imports a public name when it is first used.
FACE = PACKAGE / "__init__.py"


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
