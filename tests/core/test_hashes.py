"""Fingerprints of values, frames and files: others after a change to their content."""

import collections
import enum
import functools
import json
import pathlib
import re
import sqlite3
import textwrap

import numpy as np
import pandas as pd
import pytest
from one_test import each

from pt_fairness import groups
from pt_fairness.core.registry import UnknownContentError, file_hash, frame_hash, value_hash


def enclosing(value):
    return lambda: value  # which has no name


def with_method(value):
    class Called:
        def __call__(self, x, value=value):
            return value
    return Called


def loop(value):
    values = [value]
    values.append(values)
    return values


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


class Color(enum.Enum):
    RED, BLUE = 1, 2


class Digested:
    """An object that knows its own digest, and holds what has none."""

    def __init__(self, text):
        self.text, self.function = text, lambda: text

    def digest(self):
        return self.text


@each("make, one, other", [
    (str, 1, 2), (int, 1, 2), (float, "0.5", "nan"), (str.encode, "a", "b"), (bool, 0, 1),
    (type, 1, "1"), (lambda x: [x, (x,)], 1, "1"), (list, "a", "b"), (tuple, [1], [2]),
    (lambda x: {"a": [x]}, 1, 2), (lambda x: {x: "a"}, 1, 2), (lambda x: [frozenset({x})], 1, 2),
    (lambda x: x([{}]), list, tuple), (Digested, "a", "b"), (lambda x: [{x: Digested(x)}], 1, 2),
    (Names, "abcd", "abce"), (collections.deque, [1], [2]), (collections.Counter, "ab", "abb"),
    (lambda x: collections.defaultdict(x), int, list), (chain, 1, 2),
    (Slots, 1, 2), (lambda x: {Slots(x)}, 1, 2),
    (re.compile, "a+", "b+"), (pathlib.Path, "a", "b"), (range, 3, 4), (Color, 1, 2),
    (lambda x: functools.partial(max, x), 1, 2), (lambda x: x.upper, "a", "b"),
    (lambda x: Slots(x).__init__, 1, 2), (lambda x: x, len, max),
    (lambda x: x, str.split, str.strip),
    (lambda x: x, pd.DataFrame, pd.Series), (lambda x: x, textwrap.dedent, textwrap.indent),
    (lambda x: x, np.sum, np.add),
    (np.int64, 10, 700), (np.float32, 0.5, 0.25), (np.array, [1, 2], [1, 3]),
    (np.array, [0], [0.0]), (np.array, [[1, 2]], [[1], [2]]),
    (lambda x: np.array([x], dtype=object), "a", "b"),
    (lambda x: np.ma.array([1, 2], mask=[False, x], fill_value=2), True, False),
    (pd.Timestamp, "2020", "2021"), (pd.Categorical, ["a", "b"], ["a", "c"]),
    (pd.Index, ["a"], ["b"]), (pd.Index, [1], [2]), (lambda x: pd.Index([1], name=x), "a", "b"),
    (lambda x: pd.MultiIndex.from_product([["a"], x]), [1], [2]), (pd.Series, ["a"], ["b"]),
    (lambda x: pd.Series([1], name=x), "a", "b"), (lambda x: pd.Series(0, index=x), ["a"], ["b"]),
    (lambda x: pd.DataFrame({"x": x}), [1], [2]), (lambda x: pd.DataFrame(0, [0], x), ["a"], ["b"]),
    (lambda x: pd.DataFrame({"x": 0}, index=x), ["a"], ["b"])])
def test_values_count_by_content(make, one, other):
    of_one = value_hash(make(one))
    assert of_one == value_hash(make(one)) != value_hash(make(other))
    assert re.fullmatch("[0-9a-f]{64}", of_one)


def test_equal_values_are_the_same_however_they_were_made():
    shared, text = [1, np.int64(2)], "".join(["a", "a"])
    for one, other in [([shared, shared], [[1, np.int64(2)], [1, np.int64(2)]]),
                       ({"aa": 1, "b": "c"}, json.loads('{"aa": 1, "b": "c"}')),
                       ([text, text], ["aa", "aa"]), ({"a", "b", ("c", 1)}, {("c", 1), "b", "a"}),
                       (pd.DataFrame({"a": [1], "b": [2]}), pd.DataFrame({"a": [1]}).assign(b=[2])),
                       (np.array([text], dtype=object), np.array(["aa"], dtype=object))]:
        assert value_hash(one) == value_hash(other)


class Raises:
    def __reduce_ex__(self, protocol):
        raise RuntimeError


def through_a_set(_):
    node = Slots(None)
    node.held = {node}
    return node


@pytest.mark.parametrize("make", [
    lambda x: sqlite3.connect(":memory:"), lambda x: [sqlite3.connect(":memory:")],
    lambda x: Raises(), lambda x: pd.Series([Raises()]),
    lambda x: (i for i in "ab"), lambda x: np.frompyfunc(lambda y: x, 1, 1),
    lambda x: chain(x, 3000), through_a_set, loop, lambda x: Node(Node()),
    enclosing, with_method, lambda x: with_method(x)(), lambda x: with_method(x)().__call__,
    lambda x: functools.partial(enclosing(x)), lambda x: {enclosing(x)},
    lambda x: functools.cache(enclosing(x))])
def test_what_has_no_hash(make):
    with pytest.raises(UnknownContentError):
        value_hash(make(1))


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
    (lambda x: x[::-1], False), (lambda x: x.rename(columns={"a": 1}), False)])
def test_frames_count_by_content_without_their_index(change, same):
    assert (frame_hash(FRAME) == frame_hash(change(FRAME))) is same


@pytest.mark.parametrize("one, other", [
    ([1, 0], [True, False]), ([1, "2"], ["1", 2]), ([1, "x"], ["1", "x"]), ([b"a"], [b"b"]),
    (pd.Series(["\ud800"], dtype=object), pd.Series(["\ud801"], dtype=object)),
    (pd.array([1, None], dtype="Int64"), pd.array([1, 0], dtype="Int64")),
    (pd.Categorical(["a", None]), pd.Categorical(["a", "a"])),
    (pd.to_datetime(["2020"]), pd.to_datetime(["2021"]))])
def test_columns_of_any_type(one, other):
    frames = [pd.DataFrame({"x": x}) for x in (one, one[:], other)]
    one, same, other = map(frame_hash, frames)
    assert one == same != other


def test_columns_of_arrow_lists():
    pa = pytest.importorskip("pyarrow")
    frames = [pd.DataFrame({"x": pd.Series(x, dtype=pd.ArrowDtype(pa.list_(pa.int64())))})
              for x in ([[1, 2]], [[1, 2]], [[1, 3]])]
    one, same, other = map(frame_hash, frames)
    assert one == same != other


def test_columns_of_one_name():
    frames = [pd.DataFrame([[1, x]], columns=["a", "a"]) for x in (2, 2, 3)]
    one, same, other = map(frame_hash, frames)
    assert one == same != other


def test_files_count_by_content_whatever_they_are_called(tmp_path):
    for name, end in ("one", b"x"), ("same", b"x"), ("other", b"y"):
        (tmp_path / name).write_bytes(b"x" * 3_000_000 + end)
    one, same, other = (file_hash(tmp_path / name) for name in ("one", "same", "other"))
    assert one == same != other


def test_names_from_content_do_not_depend_on_the_code_of_numpy(tmp_path, monkeypatch):
    edited = tmp_path / "__init__.py"
    edited.write_text("x = 1")
    monkeypatch.setattr(np, "__file__", str(edited))
    assert groups.from_mapping({"a": "PRO", "b": "CON"}).name == "frame-707083318b55"
    assert groups.from_pattern("[a-z]").name == "pattern-93431970fd89"
    assert value_hash([np.float64(0.5), np.array(["a", None])]) [:12] == "4abf23c9d3b4"


@pytest.mark.parametrize("code", [
    "def use(): pass", "use = lambda: 1", "class use: pass", "class Use: pass\nuse = Use()",
    "import functools\n@functools.cache\ndef use(): pass",
    "from pt_fairness import groups\nclass use(groups.Groups): pass",
    "import enum\nuse = [enum.Enum('Color', {'RED': 1}).RED]"])
def test_code_of_a_script_has_no_hash(code):
    namespace = {"__name__": "__main__"}
    exec(code, namespace)
    with pytest.raises(UnknownContentError, match="code of"):
        value_hash(namespace["use"])


class Mine(groups.Groups):
    """Groups of a module, with the pickled state as content."""

    def __init__(self, held, name=None):
        super().__init__(name)
        self.held = held


def test_groups_without_a_hash_are_equal_to_themselves_and_their_copies():
    import cloudpickle
    one, other = Mine(lambda: 1), Mine(lambda: 1)
    with pytest.raises(UnknownContentError):
        one.digest()
    assert one.name == one.name != other.name and one.name.startswith("mine-")
    assert one == cloudpickle.loads(cloudpickle.dumps(one)) != other
    assert Mine(1, "a") == Mine(1, "a") != Mine(2, "a")
