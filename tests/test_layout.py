"""Where the tests are: those of a module are in the file of its name, in the folder of its name."""

from __future__ import annotations

from pathlib import Path

import pytest

import pt_fairness

TESTS = Path(__file__).resolve().parent
PACKAGE = Path(pt_fairness.__file__).parent
#: Longer modules have a test file of their own.
SMALL = 60
#: No file is longer.
LONGEST = 350


def lines_of(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def test_modules_have_a_test_file_of_their_own():
    modules = [path.relative_to(PACKAGE) for path in PACKAGE.rglob("*.py")
               if path.name != "__init__.py" and lines_of(path) > SMALL]
    assert len(modules) > 100, "these are the modules"
    missing = [module.as_posix() for module in sorted(modules) if "pt_docs" not in module.parts
               and not (TESTS / module.parent / f"test_{module.name}").is_file()]
    assert not missing, f"these have no test file of their own: {', '.join(missing)}"


def test_test_files_have_tests():
    empty = [path.relative_to(TESTS).as_posix() for path in sorted(TESTS.rglob("test_*.py"))
             if "def test_" not in path.read_text(encoding="utf-8")]
    assert empty == []


@pytest.mark.parametrize("folder", [PACKAGE, TESTS], ids=lambda folder: folder.name)
def test_no_file_is_long(folder):
    long = {path.relative_to(folder).as_posix(): count for path in sorted(folder.rglob("*.py"))
            if (count := lines_of(path)) > LONGEST}
    assert long == {}
