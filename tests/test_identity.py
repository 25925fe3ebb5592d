"""When code is the same: in another process, and after a change to whatever it calls."""

import subprocess
import sys
import textwrap
import threading

import numpy as np
import pandas as pd
import pytest

from pt_fairness import identity

CODE = """
    import functools, math
    from collections import namedtuple
    WEIGHT = 2
    Point = namedtuple("Point", "x")
    def helper(x):
        return math.floor(WEIGHT * x) in {1, 2}
    def outer(factor):
        def inner(x, more=(1, 2)):
            return [helper(y) * factor for y in x]
        return inner
    class Base:
        LIMIT = 5
        def check(self, x):
            return x < self.LIMIT
    class Thing(Base):
        __slots__ = ("a",)
        @property
        def size(self):
            return outer(3)
        @functools.cached_property
        def other(self):
            return Point
        @staticmethod
        def alone():
            return 1
"""


def codes(text, *things):
    """The identity of ``things``, expressions, once ``text`` has been run in an interpreter of its own."""
    script = textwrap.dedent(text) + "\nfrom pt_fairness import identity\n" + "".join(
        f"print(identity.of_code({thing}))\n" for thing in things)
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()


THINGS = ["helper", "outer(3)", "Thing"]


@pytest.fixture(scope="module")
def before():
    found = codes(CODE, *THINGS)
    assert len(set(found)) == 3 and codes(CODE, *THINGS) == found, "the same in every process"
    return dict(zip(THINGS, found, strict=True))


@pytest.mark.parametrize("old, new, changed", [
    ("WEIGHT = 2", "WEIGHT = 3", THINGS),  # a value that is used by name
    ("{1, 2}", "{1, 3}", THINGS),
    ("math.floor", "math.ceil", THINGS),
    ("more=(1, 2)", "more=(1, 3)", ["outer(3)", "Thing"]),  # a default
    ("y in x]", "y in x if y]", ["outer(3)", "Thing"]),  # code within code
    ("LIMIT = 5", "LIMIT = 6", ["Thing"]),  # of a base class
    ("x < self.LIMIT", "x <= self.LIMIT", ["Thing"]),
    ("return outer(3)", "return outer(4)", ["Thing"]),  # a property
    ("return 1", "return 2", ["Thing"]),  # a static method
    ("# a comment", "", []),
])
def test_what_has_changed_is_told(before, old, new, changed):
    text = CODE.replace(old, new)
    after = dict(zip(THINGS, codes(text, *THINGS), strict=True))
    assert [thing for thing in THINGS if after[thing] != before[thing]] == changed


def test_what_a_function_encloses():
    def outer(value):
        return lambda: value
    assert identity.of_code(outer(1)) == identity.of_code(outer(1)) != identity.of_code(outer(2))
    assert identity.of_code(outer(len)) != identity.of_code(outer(max))
    recursive = outer(None)
    recursive.__closure__[0].cell_contents = recursive
    assert identity.of_code(recursive)


def test_what_cannot_be_told_is_like_nothing_else():
    lock = threading.Lock()

    def locked():
        return lock
    assert identity.of_code(locked) != identity.of_code(locked)


def test_code_that_is_installed_is_known_by_its_file():
    assert identity.of_code(pd.DataFrame) != identity.of_code(pd.Series)
    assert identity.of_code(textwrap.dedent) == identity.of_code(textwrap.dedent) != identity.of_code(textwrap.indent)
    assert identity.of_code(np.sum) == identity.of_code(np.sum)


def test_frames_with_any_columns():
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", None], "c": [{"t": 1}, [2.0]], "d": [np.zeros(2000), np.ones(2000)]})
    changed = frame.copy()
    changed.at[0, "d"] = np.where(np.arange(2000) == 1000, 1.0, 0.0)
    texts = [identity.of_frame(one) for one in (frame, frame.copy(), changed, frame[["a", "b", "c"]])]
    assert texts[0] == texts[1] and len(set(texts)) == 3
