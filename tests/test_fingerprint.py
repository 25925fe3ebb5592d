"""Fingerprints: the same in every process, and others after a change to data or code."""

import collections
import enum
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

from pt_fairness import fingerprint, groups

CODE = """
import abc, collections, dataclasses, functools, math, re
from pt_fairness import groups
WEIGHT = 2
STOP = {"the", "a", ("of", 1)}
WORD = re.compile("[a-z]+")
@functools.lru_cache
def cached(x):
    return "PRO"
DISPATCH = {"f": cached, "g": functools.partial(max, 4)}
@dataclasses.dataclass
class Doc:
    name: str
    tags: list = dataclasses.field(default_factory=list)
    def group(self):
        return DISPATCH["f"](self.name), self.name in STOP, WORD
def helper(x):
    return math.floor(WEIGHT * x) in {1, 2}
def outer(factor):
    def inner(x, more=(1, 2)):
        try:
            return [helper(y) * factor for y in x]
        finally:
            return even(x)
    return inner
def even(n):
    return n == 0 or odd(n - 1)
def odd(n):
    return n == 1 or even(n - 1)
class Meta(abc.ABCMeta):
    START = 7
class Base(metaclass=Meta):
    LIMIT = 5
    def check(self, x, *, strict=True):
        return x < self.LIMIT
class Thing(Base):
    @property
    def size(self):
        return super().size, outer(3)
    @functools.cached_property
    def other(self):
        return collections.namedtuple("Point", "x")
    @staticmethod
    def alone():
        return 1
    @functools.lru_cache
    def __call__(self):
        return "called"
class Mine(groups.Groups):
    def lookup(self, qids, docnos):
        return Thing(), [Doc(docno) for docno in docnos]
def weigh(x):
    return x * weigh.weight
weigh.weight = 0.5
"""
THINGS = ["helper", "outer(3)", "Thing", "Doc('x')", "Mine()", "weigh"]


def in_process(text, things=THINGS):
    """Return the fingerprints of expressions in a script."""
    namespace = {"__name__": "__main__"}
    exec(textwrap.dedent(text), namespace)
    return [fingerprint.of_value(eval(thing, namespace)) for thing in things]


@pytest.mark.parametrize("old, new, changed", [
    ("WEIGHT = 2", "WEIGHT = 3", "helper outer(3) Thing Mine()"),  # a global variable
    ("{1, 2}", "{1, 3}", "helper outer(3) Thing Mine()"),
    ("math.floor", "math.ceil", "helper outer(3) Thing Mine()"),
    ("more=(1, 2)", "more=(1, 3)", "outer(3) Thing Mine()"),
    ("y in x]", "y in x if y]", "outer(3) Thing Mine()"),
    ("n == 1", "n == 2", "outer(3) Thing Mine()"),  # behind mutual recursion
    ("LIMIT = 5", "LIMIT = 6", "Thing Mine()"),  # of a base class
    ("START = 7", "START = 8", "Thing Mine()"),  # of a metaclass
    ("strict=True", "strict=False", "Thing Mine()"),
    ("super().size, outer(3)", "super().size, outer(4)", "Thing Mine()"),  # a property
    ('"Point", "x"', '"Point", "y"', "Thing Mine()"),  # a cached property
    ("return 1", "return 2", "Thing Mine()"),  # a static method
    ('"called"', '"taken"', "Thing Mine()"),  # a special method, behind a cache
    ('("of", 1)', '("of", 2)', "Doc('x') Mine()"),  # a set
    ("[a-z]+", "[A-Z]+", "Doc('x') Mine()"),
    ('return "PRO"', 'return "CON"', "Doc('x') Mine()"),  # behind a cache and a dictionary
    ("max, 4", "max, 5", "Doc('x') Mine()"),  # a partial
    ("default_factory=list", "default_factory=tuple", "Doc('x') Mine()"),
    ("weight = 0.5", "weight = 0.6", "weigh"),  # an attribute of a function
    ("\ndef helper", "\n# a comment\nUNUSED = 1\n\ndef helper", ""),
])
def test_changed_code_of_a_script_is_noticed(old, new, changed):
    texts = zip(THINGS, in_process(CODE), in_process(CODE.replace(old, new)), strict=True)
    assert [thing for thing, before, after in texts if before != after] == changed.split()


GUARDED = "def f(x):\n try:\n  len(x)\n  abs(x)\n except TypeError:\n  return 0"
NOT_GUARDED = "def f(x):\n try:\n  len(x)\n except TypeError:\n  return 0\n else:\n  abs(x)"


@pytest.mark.parametrize("one, other", [
    ("def f(a): return 1", "def f(a): return 2"), ("def f(a): a.b", "def f(a): a.c"),
    ("def f(a): a = 1", "def f(): a = 1"), ("def f(a): a = 1", "def f(b): b = 1"),
    ("def f(a): a = 1", "def f(a, /): a = 1"), ("def f(*a): a = 1", "def f(): a = 1"),
    ("def f(*, a): a = 1", "def f(): a = 1"), (GUARDED, NOT_GUARDED),
])
def test_functions_that_differ_in_little(one, other):
    assert in_process(one, ["f"]) == in_process(one, ["f"]) != in_process(other, ["f"])


SCRIPT = f"""
import json, multiprocessing, pathlib, sys
import cloudpickle
from pt_fairness import fingerprint
{CODE}
def things():
    return [{", ".join(THINGS)}]
def fingerprints(_):
    return [fingerprint.of_value(thing) for thing in things()]
if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        spawned, = pool.map(fingerprints, [0])
    # cloudpickle does not take functions behind a cache.
    del Thing.__call__, Thing.other
    DISPATCH.clear()
    pathlib.Path(sys.argv[1]).write_bytes(cloudpickle.dumps(things()))
    print(json.dumps([spawned, fingerprints(0)]))
"""
LOAD = """
import json, pickle, sys
from pt_fairness import fingerprint
things = pickle.load(open(sys.argv[1], "rb"))
print(json.dumps([fingerprint.of_value(thing) for thing in things]))
"""


def run_python(*arguments, seed="0"):
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True,
                          env={**os.environ, "PYTHONHASHSEED": seed})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_same_in_every_process(tmp_path):
    """In a script, in a process that it spawns, and where cloudpickle brings its code."""
    pytest.importorskip("cloudpickle")
    (tmp_path / "script.py").write_text(SCRIPT)
    spawned, ours = run_python(tmp_path / "script.py", tmp_path / "pickled", seed="1")
    loaded = run_python("-c", LOAD, tmp_path / "pickled", seed="2")
    assert loaded == ours and len(set(ours)) == len(THINGS)
    assert spawned == in_process(CODE) and len(set(spawned)) == len(THINGS)


@pytest.mark.parametrize("code", [
    "import first\ndef use(x):\n    return first.group_of(x)",
    "from first import group_of as use",
    "from first import make\nuse = make()",
    "import first\nuse = first.Thing()",
    "import first\nclass use(first.Thing):\n    pass",
    "from second import Derived as use",
])
def test_imported_code_counts_by_the_file_of_its_module(tmp_path, monkeypatch, code):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "second.py").write_text("import first\nclass Derived(first.Thing):\n    pass\n")
    found = []
    for value in (1, 1, 2):
        (tmp_path / "first.py").write_text(
            f"VALUE = {value}\nclass Thing:\n    x = VALUE\ndef group_of(x):\n    return VALUE\n"
            "def make():\n    return lambda x: group_of(x)\n")
        found += in_process(code, ["use"])
        for module in ("first", "second"):
            sys.modules.pop(module, None)
    assert found[0] == found[1] != found[2]


def test_code_of_this_package_counts_by_its_name(tmp_path, monkeypatch):
    """Names that are made from content stay the same from version to version."""
    before = fingerprint.of_value(groups.Groups)
    edited = tmp_path / "edited.py"
    edited.write_text("x = 1")
    monkeypatch.setattr(sys.modules[groups.Groups.__module__], "__file__", str(edited))
    assert fingerprint.of_value(groups.Groups) == before


def enclosing(value):
    return lambda: value


def with_method(value):
    class Called:
        def __call__(self, x, value=value):
            return value
    return Called


def loop(value):
    values = [value]
    values.append(values)
    return values


def ring(level):
    outer = [[]]
    outer[0].append([outer, outer[0]][level])
    return outer


def chain(value, links=60):
    for _ in range(links):
        value = [value, None, {}]
    return value


class Node:
    """A node that knows its parent, as in a tree."""

    def __init__(self, *children):
        self.children, self.parent = children, None
        for child in children:
            child.parent = self


class Slots:
    __slots__ = ("held",)

    def __init__(self, held):
        self.held = held


class Names(set):
    pass


def type_of_set(value):
    return type("Type", (set,), {"value": value})("ab")


def color(value):
    return enum.Enum("Color", {"RED": value}).RED


@pytest.mark.parametrize("make, one, other", [
    (str, 1, 2), (int, 1, 2), (float, "0.5", "nan"), (str.encode, "a", "b"), (bool, 0, 1),
    (type, 1, "1"), (lambda x: [x, (x,)], 1, "1"), (list, "a", "b"), (tuple, [1], [2]),
    (lambda x: {"a": [x]}, 1, 2), (lambda x: {x: "a"}, 1, 2), (lambda x: [frozenset({x})], 1, 2),
    (type_of_set, 1, 2), (lambda x: x([{}]), list, tuple),
    (Names, "abcd", "abce"), (collections.deque, [1], [2]), (collections.Counter, "ab", "abb"),
    (lambda x: collections.defaultdict(lambda: x), 1, 2), (loop, 1, 2), (chain, 1, 2),
    (lambda x: Node(Node(*x), Node()), [], [Node()]), (Slots, 1, 2), (lambda x: {Slots(x)}, 1, 2),
    (re.compile, "a+", "b+"), (pathlib.Path, "a", "b"), (range, 3, 4), (color, 1, 2),
    (enclosing, 1, 2), (enclosing, len, max), (with_method, 1, 2),
    (lambda x: with_method(x)(), 1, 2), (lambda x: with_method(x)().__call__, 1, 2),
    (lambda x: functools.partial(max, x), 1, 2), (lambda x: x.upper, "a", "b"), (ring, 0, 1),
    (lambda x: x, pd.DataFrame, pd.Series), (lambda x: x, textwrap.dedent, textwrap.indent),
    (lambda x: x, np.sum, np.add), (lambda x: x, pd, np),
    (np.int64, 10, 700), (np.float32, 0.5, 0.25), (np.array, [1, 2], [1, 3]),
    (np.array, [0], [0.0]), (np.array, [[1, 2]], [[1], [2]]),
    (lambda x: np.array([x], dtype=object), "a", "b"),
    (lambda x: np.ma.array([1, 2], mask=[False, x], fill_value=2), True, False),
    (pd.Timestamp, "2020", "2021"), (pd.Categorical, ["a", "b"], ["a", "c"]),
    (pd.Index, ["a"], ["b"]), (pd.Index, [1], [2]), (lambda x: pd.Index([1], name=x), "a", "b"),
    (lambda x: pd.MultiIndex.from_product([["a"], x]), [1], [2]), (pd.Series, ["a"], ["b"]),
    (lambda x: pd.Series([1], name=x), "a", "b"), (lambda x: pd.Series(0, index=x), ["a"], ["b"]),
    (lambda x: pd.DataFrame({"x": x}), [1], [2]), (lambda x: pd.DataFrame(0, [0], x), ["a"], ["b"]),
    (lambda x: pd.DataFrame({"x": 0}, index=x), ["a"], ["b"]),
])
def test_values_count_by_content(make, one, other):
    of_one = fingerprint.of_value(make(one))
    assert of_one == fingerprint.of_value(make(one)) != fingerprint.of_value(make(other))
    assert re.fullmatch("[0-9a-f]{64}", of_one)


def test_equal_values_are_the_same_however_they_were_made():
    shared, text = [1, np.int64(2)], "".join(["a", "a"])
    for one, other in [([shared, shared], [[1, np.int64(2)], [1, np.int64(2)]]),
                       ({"aa": 1, "b": "c"}, json.loads('{"aa": 1, "b": "c"}')),
                       ([text, text], ["aa", "aa"]), ({"a", "b", ("c", 1)}, {("c", 1), "b", "a"}),
                       (pd.DataFrame({"a": [1], "b": [2]}), pd.DataFrame({"a": [1]}).assign(b=[2])),
                       (pd.Index(["b", "a"])[1:], pd.Index(["a"])),
                       (np.array([text], dtype=object), np.array(["aa"], dtype=object))]:
        assert fingerprint.of_value(one) == fingerprint.of_value(other)


def test_python_s_notes_on_a_class_do_not_count():
    class Mine:
        name: str
    before = fingerprint.of_value(Mine)
    assert Mine.__annotations__ == {"name": str} and fingerprint.of_value(Mine) == before


class Raises:
    def __reduce_ex__(self, protocol):
        raise RuntimeError


def through_a_set(_):
    node = Slots(None)
    node.held = {node}
    return node


@pytest.mark.parametrize("make", [
    lambda x: sqlite3.connect(":memory:"), lambda x: [sqlite3.connect(":memory:")],
    lambda x: Raises(), lambda x: enclosing(Raises()), lambda x: pd.Series([Raises()]),
    lambda x: (i for i in "ab"), lambda x: np.frompyfunc(lambda y: x, 1, 1),
    lambda x: chain(x, 3000), through_a_set,
])
def test_what_cannot_be_pickled_equals_nothing_else(make):
    one = make(1)
    assert fingerprint.of_value(one) == fingerprint.of_value(one)
    # None of them is kept here, so Python may give one the id of another.
    assert len({fingerprint.of_value(make(1)) for _ in range(20)}) == 20


def test_what_cannot_be_pickled_differs_between_processes():
    code = ("import json, threading\nfrom pt_fairness import fingerprint\n"
            "print(json.dumps(fingerprint.of_value(threading.Lock())))")
    assert run_python("-c", code) != run_python("-c", code)


FRAME = pd.DataFrame({"a": [1, 2], "b": ["x", None], "c": [{"t": 1}, [2.0]],
                      "d": [np.zeros(2000), np.ones(2000)]})


@pytest.mark.parametrize("change, same", [
    (lambda x: x.copy(), True), (lambda x: x.set_index(pd.Index(["p", "q"])), True),
    (lambda x: x.assign(b=["".join(["x"]), np.nan]), True),
    (lambda x: x.assign(a=[1, 3]), False), (lambda x: x.assign(a=[1.0, 2.0]), False),
    (lambda x: x.assign(b=["x", "y"]), False), (lambda x: x.assign(b=["x", 1]), False),
    (lambda x: x.assign(c=[{"t": 1}, [3.0]]), False),
    (lambda x: x.assign(d=[np.zeros(2000), np.arange(2000) == 1000]), False),
    (lambda x: x[["a", "b", "c"]], False), (lambda x: x[["b", "a", "c", "d"]], False),
    (lambda x: x[::-1], False), (lambda x: x.rename(columns={"a": 1}), False),
])
def test_frames_count_by_content_without_their_index(change, same):
    assert (fingerprint.of_frame(FRAME) == fingerprint.of_frame(change(FRAME))) is same


@pytest.mark.parametrize("one, other", [
    ([1, 0], [True, False]), ([1, "2"], ["1", 2]), ([1, "x"], ["1", "x"]), ([b"a"], [b"b"]),
    (pd.Series(["\ud800"], dtype=object), pd.Series(["\ud801"], dtype=object)),
    (pd.array([1, None], dtype="Int64"), pd.array([1, 0], dtype="Int64")),
    (pd.Categorical(["a", None]), pd.Categorical(["a", "a"])),
    (pd.to_datetime(["2020"]), pd.to_datetime(["2021"])),
])
def test_columns_of_any_type(one, other):
    frames = [pd.DataFrame({"x": x}) for x in (one, one[:], other)]
    one, same, other = map(fingerprint.of_frame, frames)
    assert one == same != other


def test_columns_of_arrow_lists():
    pa = pytest.importorskip("pyarrow")
    frames = [pd.DataFrame({"x": pd.Series(x, dtype=pd.ArrowDtype(pa.list_(pa.int64())))})
              for x in ([[1, 2]], [[1, 2]], [[1, 3]])]
    one, same, other = map(fingerprint.of_frame, frames)
    assert one == same != other


def test_columns_of_one_name():
    frames = [pd.DataFrame([[1, x]], columns=["a", "a"]) for x in (2, 2, 3)]
    one, same, other = map(fingerprint.of_frame, frames)
    assert one == same != other


def test_files_count_by_content_whatever_they_are_called(tmp_path):
    for name, end in ("one", b"x"), ("same", b"x"), ("other", b"y"):
        (tmp_path / name).write_bytes(b"x" * 3_000_000 + end)
    one, same, other = (fingerprint.of_file(tmp_path / name) for name in ("one", "same", "other"))
    assert one == same != other
