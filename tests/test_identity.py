"""When code is the same: in another process, and after a change to whatever it calls."""

import collections
import functools
import json
import os
import pathlib
import re
import sqlite3
import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import pytest

from pt_fairness import identity

CODE = """
    import collections, dataclasses, functools, math, sys, threading
    from collections import namedtuple
    WEIGHT = 2
    STOP = {"the", "a", "of", "and"}
    CHECKS = {str.upper, str.lower, abs}
    LOCK = threading.Lock()
    DEFAULTS = collections.defaultdict(lambda: 0)
    @functools.lru_cache
    def cached(x):
        return "PRO"
    DISPATCH = {"f": cached, "g": functools.partial(cached, 4)}
    class Called:
        def __call__(self, x):
            return DISPATCH["f"](x), x in STOP, CHECKS, LOCK, DEFAULTS
    @dataclasses.dataclass
    class Doc:
        name: str
        def group(self):
            return Called()(self.name)
    CALLED = Called()
    def called(x):
        return CALLED(x), Doc, sys.stdout, DISPATCH["g"](x)
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


def codes(text, *things, seed="0"):
    """The identity of ``things``, expressions, once ``text`` has been run in an interpreter of its own."""
    script = textwrap.dedent(text) + "\nfrom pt_fairness import identity\n" + "".join(
        f"print(identity.of_value({thing}))\n" for thing in things)
    return subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True,
                          env={**os.environ, "PYTHONHASHSEED": seed}).stdout.split()


THINGS = ["helper", "outer(3)", "Thing", "called"]


@pytest.fixture(scope="module")
def before():
    found = codes(CODE, *THINGS)
    assert len(set(found)) == 4
    for seed in "12":
        assert codes(CODE, *THINGS, seed=seed) == found, "the same in every process"
    return dict(zip(THINGS, found, strict=True))


@pytest.mark.parametrize("old, new, changed", [
    ("WEIGHT = 2", "WEIGHT = 3", THINGS[:3]),  # a value that is used by name
    ("{1, 2}", "{1, 3}", THINGS[:3]),
    ("math.floor", "math.ceil", THINGS[:3]),
    ("more=(1, 2)", "more=(1, 3)", ["outer(3)", "Thing"]),  # a default
    ("y in x]", "y in x if y]", ["outer(3)", "Thing"]),  # code within code
    ("LIMIT = 5", "LIMIT = 6", ["Thing"]),  # of a base class
    ("x < self.LIMIT", "x <= self.LIMIT", ["Thing"]),
    ("return outer(3)", "return outer(4)", ["Thing"]),  # a property
    ("return 1", "return 2", ["Thing"]),  # a static method
    ('"of", "and"}', '"of", "or"}', ["called"]),  # a set
    ('return "PRO"', 'return "CON"', ["called"]),  # behind a cache, a dictionary, a partial and an instance
    ("cached, 4)", "cached, 5)", ["called"]),
    ("self.name)", "self.name, 1)", ["called"]),  # a method of a dataclass
    ("WEIGHT = 2", "WEIGHT = 2  # a comment", []),
])
def test_what_has_changed_is_told(before, old, new, changed):
    text = CODE.replace(old, new)
    after = dict(zip(THINGS, codes(text, *THINGS), strict=True))
    assert [thing for thing in THINGS if after[thing] != before[thing]] == changed


def test_what_a_function_encloses():
    def outer(value):
        return lambda: value
    assert identity.of_value(outer(1)) == identity.of_value(outer(1)) != identity.of_value(outer(2))
    assert identity.of_value(outer(len)) != identity.of_value(outer(max))
    recursive = outer(None)
    recursive.__closure__[0].cell_contents = recursive
    assert identity.of_value(recursive)


def test_reading_what_python_notes_on_a_class_changes_nothing():
    class Mine:
        pass
    before = identity.of_value(Mine)
    assert Mine.__annotations__ == {} and identity.of_value(Mine) == before


def test_a_function_is_the_same_in_the_processes_of_a_script(tmp_path):
    (tmp_path / "script.py").write_text(textwrap.dedent("""
        import multiprocessing
        from pt_fairness import identity
        WEIGHTS = {"a": 1}
        def used(x):
            return WEIGHTS[x]
        def mine(x):
            return used(x)
        def told(_):
            return identity.of_value(mine)
        if __name__ == "__main__":
            with multiprocessing.get_context("spawn").Pool(1) as pool:
                print(pool.map(told, [0])[0] == told(0))
    """))
    done = subprocess.run([sys.executable, tmp_path / "script.py"], capture_output=True, text=True)
    assert done.stdout == "True\n", done.stderr


def test_a_module_of_the_user_is_known_by_its_file(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    texts = []
    for value in (1, 1, 2):
        (tmp_path / "of_the_user.py").write_text(f"def group_of(x):\n    return {value}\n")
        texts += codes("import of_the_user\ndef use(x):\n    return of_the_user.group_of(x)", "use")
    assert texts[0] == texts[1] != texts[2]


@pytest.mark.parametrize("code", [
    "import first\ndef use(x):\n    return first.group_of(x)",
    "from first import group_of\ndef use(x):\n    return group_of(x)",
    "def use(x):\n    from first import group_of\n    return group_of(x)",
    "def use(x):\n    import package.inner\n    return package.inner.LABEL",
    "import package\ndef use(x):\n    return package.inner.LABEL",
])
def test_modules_that_modules_import_count(tmp_path, monkeypatch, code):
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("from . import inner\n")
    (tmp_path / "first.py").write_text("import second\ndef group_of(x):\n    return second.LABEL\n")
    texts = []
    for label in "xxy":
        (tmp_path / "second.py").write_text(f"LABEL = {label!r}\n")
        (tmp_path / "package" / "inner.py").write_text(f"LABEL = {label!r}\n")
        prepared = "import package\n" if "package" in code else ""
        texts += codes(prepared + code, "use")
        used = "\nfor name in ('first', 'package.inner'):\n    __import__(name)\nuse(1)"
        assert codes(prepared + code + used, "use") == texts[-1:]
    assert texts[0] == texts[1] != texts[2]


def test_modules_that_import_each_other(tmp_path, monkeypatch):
    """Thirty layers of two, and a circle: each is looked into once."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    for layer in range(30):
        for name in "ab":
            (tmp_path / f"{name}{layer}.py").write_text(
                f"import a{(layer + 1) % 30}, b{(layer + 1) % 30}\nfrom a{(layer + 1) % 30} import *\n")
    first = codes("def use(x):\n    import a0\n    return a0", "use")
    (tmp_path / "b29.py").write_text("import a0\nX = 1\n")
    assert codes("def use(x):\n    import a0\n    return a0", "use") != first


@pytest.mark.parametrize("text", [b"not python at all(", b"\x00\x00", "# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"),
                                  b"try:\n    from ..outer import z\nexcept ImportError:\n    z = 0\n"],
                         ids=["wrong", "compiled", "latin-1", "beyond the package"])
def test_modules_that_cannot_be_read_count_by_their_content(tmp_path, monkeypatch, text):
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    use = "def use(x):\n    import odd\n    return odd"
    (tmp_path / "odd.py").write_bytes(text)
    first = codes(use, "use")
    assert codes(use, "use") == first
    (tmp_path / "odd.py").write_bytes(text + b"\n")
    assert codes(use, "use") != first


def test_relative_imports_within_functions(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "__init__.py").write_text("def score(x):\n    from .helper import K\n    return K\n")
    texts = []
    for value in (1, 1, 2):
        (tmp_path / "pack" / "helper.py").write_text(f"K = {value}\n")
        texts += codes("from pack import score", "score")
    assert texts[0] == texts[1] != texts[2]


def test_what_is_the_same_for_every_hash_seed():
    text = """
        class Names(set):
            pass
        class Node:
            def __init__(self, name):
                self.name = name
        one, other = Node("one"), Node("other")
        one.next, other.next = other, one
    """
    found = [codes(text, "Names('abcd')", "{one, other}", seed=seed) for seed in "1234"]
    assert found[0] == found[1] == found[2] == found[3]


class Raises:
    @property
    def __dict__(self):
        raise RuntimeError

    def __reduce_ex__(self, protocol):
        raise RuntimeError


def test_values_that_raise_are_like_nothing_else():
    for make in (Raises, lambda: pd.Series([[lambda: 1]])):
        one, other = make(), make()
        assert identity.of_value(one) == identity.of_value(one) != identity.of_value(other)
    assert identity.of_value(pd.DataFrame([[1, 2]], columns=["a", "a"])) != identity.of_value(
        pd.DataFrame([[1, 3]], columns=["a", "a"]))


def test_deep_values_are_not_taken_for_each_other():
    def chain(value, links=60):
        for _ in range(links):
            value = [value, None, {}]
        return value
    assert identity.of_value(chain(1)) != identity.of_value(chain(2))


def test_attributes_of_functions_and_decorated_methods():
    def with_attribute(value):
        def function(x):
            return function.value + x
        function.value = value
        return function

    def with_method(value):
        class Called:
            @functools.lru_cache  # noqa: B019 - it is what the test is about
            def __call__(self, x, value=value):
                return value
        return Called
    for make in (with_attribute, with_method):
        assert identity.of_value(make(1)) == identity.of_value(make(1)) != identity.of_value(make(2))


def test_mixed_values_are_not_their_text():
    assert identity.of_frame(pd.DataFrame({"a": [1, "x"]})) != identity.of_frame(pd.DataFrame({"a": ["1", "x"]}))


DEEP: list = []
for _ in range(3000):
    DEEP = [DEEP]


def test_values_within_values_end_somewhere():
    def deep():
        return DEEP
    assert identity.of_value(deep) == identity.of_value(deep)


def test_frames_and_arrays_are_looked_into():
    def of(value):
        return identity.of_value(lambda: value)
    for make in (np.array, pd.Series, pd.Index, lambda x: pd.DataFrame({"x": x}), lambda x: pd.Series("v", index=x),
                 lambda x: pd.DataFrame({"x": 0}, index=x), lambda x: pd.DataFrame(0, index=[0, 1], columns=x),
                 lambda x: pd.Series(0, index=pd.MultiIndex.from_product([["a"], x]))):
        assert of(make([1, 2])) == of(make([1, 2])) != of(make([1, 3]))
    assert of(pd.Series([1], name="a")) != of(pd.Series([1], name="b"))


class Slots:
    __slots__ = ("held",)

    def __init__(self, held):
        self.held = held


@pytest.mark.parametrize("make, one, other", [
    (re.compile, "a+", "b+"), (np.int64, 10, 700), (np.float32, 0.5, 0.25), (pathlib.Path, "a", "b"), (range, 3, 4),
    (collections.deque, [1], [2]), (collections.Counter, "ab", "abb"), (pd.Index, ["a"], ["b"]), (pd.Timestamp, "2020", "2021"),
    (lambda value: np.array([value], dtype=object), "a", "b"), (Slots, 1, 2), (lambda value: {Slots(value)}, 1, 2),
    (lambda value: collections.defaultdict(lambda: value), 1, 2), (lambda value: {"a": [value]}, 1, 2),
    (lambda value: functools.partial(max, value), 1, 2), (lambda value: [frozenset({value})], 1, 2),
    (lambda value: value.upper, "a", "b"), (lambda value: type(value), 1, "1"),
])
def test_values_that_code_uses(make, one, other):
    def of(value):
        used = make(value)
        return identity.of_value(lambda: used)
    assert of(one) == of(one) != of(other)


def test_equal_values_are_the_same_however_they_were_made():
    shared = [1, np.int64(2)]
    assert identity.of_value([shared, shared]) == identity.of_value([[1, np.int64(2)], [1, np.int64(2)]])
    assert identity.of_value({"a" * 2: 1, "b": "c"}) == identity.of_value(json.loads('{"aa": 1, "b": "c"}'))


def test_what_cannot_be_looked_into_is_like_nothing_else():
    with sqlite3.connect(":memory:") as one, sqlite3.connect(":memory:") as other:
        assert identity.of_value(one) == identity.of_value(one) != identity.of_value(other)
    one.close()
    other.close()


def test_values_that_hold_themselves():
    def of(value):
        loop = [value]
        loop.append(loop)
        return identity.of_value(loop)
    assert of(1) == of(1) != of(2)


def test_code_that_is_installed_is_known_by_its_name():
    assert identity.of_value(pd.DataFrame) != identity.of_value(pd.Series)
    assert identity.of_value(textwrap.dedent) == identity.of_value(textwrap.dedent) != identity.of_value(textwrap.indent)
    assert identity.of_value(np.sum) == identity.of_value(np.sum)


def test_frames_with_any_columns():
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", None], "c": [{"t": 1}, [2.0]], "d": [np.zeros(2000), np.ones(2000)]})
    changed = frame.copy()
    changed.at[0, "d"] = np.where(np.arange(2000) == 1000, 1.0, 0.0)
    texts = [identity.of_frame(one) for one in (frame, frame.copy(), changed, frame[["a", "b", "c"]])]
    assert texts[0] == texts[1] and len(set(texts)) == 3
