"""Every test runs: pytest collects none in another function, or in a class of another name."""

import re
from pathlib import Path

#: A test behind four blanks in a function or another class, or behind eight anywhere.
NESTED = re.compile(
    r"^(?:def |class (?!Test)).*\n(?:(?: .*)?\n)*? +def test_|^ {8,}def test_", re.MULTILINE)


def test_every_test_is_one_that_pytest_collects():
    for path in sorted(Path(__file__).parent.rglob("test_*.py")):
        assert not NESTED.search(path.read_text("utf-8")), path
