"""Names of sources: registration, errors, files and equality; hashes of content."""

import functools
import json
import os
import re
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd
import pytest
from one_test import each

from pt_fairness import groups
from pt_fairness.core.registry import (
    _BUILT_IN,
    NamedObject,
    Registry,
    UnknownContentError,
    content_hash,
    declare,
    name_of,
)


class Box(NamedObject):
    """A source with content."""

    WHAT = "boxes"

    def __init__(self, content: object, name: str | None = None) -> None:
        super().__init__(name)
        self.content = content

    def digest(self) -> str:
        return f"{hash(self.content):x}"


@pytest.fixture
def boxes() -> Registry[Box]:
    return Registry(Box, makers="Box", words=["run"])


def test_a_registered_source_is_found_by_name(boxes):
    mine, later = Box(1), []
    boxes.register("mine", mine)
    boxes.register("later", lambda: later.append(Box(2)) or later[-1])
    assert boxes.names() == ["later", "mine"]
    assert boxes.get("mine") is mine is boxes.get(mine)
    assert boxes.find("later", make=False) is None and not later
    assert boxes.get("later") is boxes.get("later") is later[0] and len(later) == 1
    boxes.register("mine", Box(3))
    assert boxes.get("mine").content == 3


def in_threads(call, n=8):
    """Return the results of a call in several threads at once."""
    barrier = threading.Barrier(n)

    def at_once(_):
        barrier.wait()
        return call()

    with ThreadPoolExecutor(n) as pool:
        return list(pool.map(at_once, range(n)))


def test_threads_that_need_a_source_first_get_one_object(boxes, monkeypatch):
    def make():
        time.sleep(0.01)
        return Box(1)

    boxes.register("late", make)
    assert len({id(box) for box in in_threads(lambda: boxes.get("late"))}) == 1
    monkeypatch.setitem(_BUILT_IN, "boxes", {})
    declare("boxes", ["early"], lambda name: make())
    assert len({id(box) for box in in_threads(lambda: boxes.get("early"))}) == 1


@pytest.mark.parametrize(("name", "source", "message"), [
    ("", Box(1), "got ''"), (" Run", Box(1), "got ' Run'"), ("mine", 5, "Box object.* got a int")])
def test_what_cannot_be_registered(boxes, name, source, message):
    with pytest.raises(ValueError, match=message):
        boxes.register(name, source)
    assert boxes.names() == []


def test_an_unknown_name_is_an_error_with_the_nearest_one(boxes):
    boxes.register("opinions", Box(1))
    for call, name, message in (
            (boxes.get, "opinion", r"no boxes are registered as 'opinion'.*'opinions'\?"),
            (boxes.get, 5, "boxes must be a registered name.*got 5"),
            (boxes.unregister, "opinion", "'opinions'.*got 'opinion'")):
        with pytest.raises(ValueError, match=message):
            call(name)
    boxes.unregister("opinions")
    assert boxes.names() == []


def test_a_file_is_read_again_when_its_content_changes(tmp_path):
    read = []
    boxes: Registry[Box] = Registry(Box, lambda path, name: read.append(path) or Box(len(read)))
    file = tmp_path / "boxes.csv"
    file.write_text("one")
    assert boxes.get(file).content == boxes.get(str(file)).content == 1
    file.write_text("two")
    assert boxes.get(file).content == 2 and len(read) == 2


def test_sources_of_equal_name_and_content_are_equal(boxes):
    assert Box(1, "a") == Box(1, "a") != Box(1, "b")
    assert Box(1) == Box(1) != Box(2) and len({Box(1), Box(1), Box(2)}) == 2
    assert Box(1).name == f"box-{Box(1).digest()[:6]}"
    box = Box(1, "a")
    assert boxes.name_of(box) == name_of(box) == "a" and boxes.find(box) is box
    boxes.register("mine", box)
    assert boxes.name_of(box) == name_of(box) == "mine" and name_of("other") == "other"


def enclosing(value):
    return lambda: value  # which has no name


@each("make, one, other", [
    (str, 1, 2), (float, "0.5", "nan"), (str.encode, "a", "b"), (bool, 0, 1), (type, 1, "1"),
    (lambda x: [x, (x,)], 1, "1"), (tuple, [1], [2]), (lambda x: {"a": [x]}, 1, 2),
    (lambda x: {x: "a"}, 1, 2),
    (lambda x: x([{}]), list, tuple), (lambda x: [{x: groups.from_mapping({"a": x})}], "A", "B"),
    (re.compile, "a+", "b+"), (lambda x: x.upper, "a", "b"),
    (lambda x: x, len, max), (lambda x: x, pd.DataFrame, pd.Series),
    (np.array, [1, 2], [1, 3]), (np.array, [0], [0.0]), (np.array, [[1, 2]], [[1], [2]]),
    (lambda x: np.array([x], dtype=object), "a", "b"),
    (pd.Index, ["a"], ["b"]), (lambda x: pd.Index([1], name=x), "a", "b"),
    (pd.Series, ["a"], ["b"]),
    (lambda x: pd.Series([1], name=x), "a", "b"), (lambda x: pd.Series(0, index=x), ["a"], ["b"]),
    (lambda x: pd.DataFrame({"x": x}), [1], [2])])
def test_values_count_by_content(make, one, other):
    of_one = content_hash(make(one))
    assert of_one == content_hash(make(one)) != content_hash(make(other))
    assert re.fullmatch("[0-9a-f]{64}", of_one)


def test_equal_values_are_the_same_however_they_were_made():
    shared, text = [1, np.int64(2)], "".join(["a", "a"])
    for one, other in [([shared, shared], [[1, np.int64(2)], [1, np.int64(2)]]),
                       ({"aa": 1, "b": "c"}, json.loads('{"aa": 1, "b": "c"}')),
                       ([text, text], ["aa", "aa"]),
                       (pd.DataFrame({"a": [1], "b": [2]}), pd.DataFrame({"a": [1]}).assign(b=[2])),
                       (np.array([text], dtype=object), np.array(["aa"], dtype=object))]:
        assert content_hash(one) == content_hash(other)


FRAME = pd.DataFrame({"a": [1, 2], "b": ["x", None], "c": [{"t": 1}, [2.0]],
                      "d": [np.zeros(2000), np.ones(2000)]})


@each("change, same", [
    (lambda x: x.copy(), True), (lambda x: x.set_index(pd.Index(["p", "q"])), False),
    (lambda x: x.assign(b=["".join(["x"]), None]), True),
    (lambda x: x.assign(a=[1, 3]), False), (lambda x: x.assign(a=[1.0, 2.0]), False),
    (lambda x: x.assign(c=[{"t": 1}, [3.0]]), False), (lambda x: x[["b", "a", "c", "d"]], False),
    (lambda x: x[::-1], False), (lambda x: x.rename(columns={"a": 1}), False)])
def test_frames_count_by_content(change, same):
    assert (content_hash(FRAME) == content_hash(change(FRAME))) is same


NAMES = """
from pt_fairness import groups, values
print(groups.from_mapping({"a": "PRO", "b": {"CON", "PRO"}}).name)
print(groups.from_pattern("[a-z]").name)
print(groups.product({"a": "f"}, {"a": "x"}).name)
print(values.from_mapping({"a": 1}).name)
"""


def test_names_from_content_are_readable_and_the_same_in_every_process():
    names = [subprocess.run([sys.executable, "-c", NAMES], capture_output=True, text=True,
                            env={**os.environ, "PYTHONHASHSEED": seed}, check=True).stdout.split()
             for seed in "12"]
    assert names[0] == names[1]
    for name, words in zip(names[0], ["CON-PRO", "pattern", "f|x", "values"], strict=True):
        assert re.fullmatch(f"{re.escape(words)}-[0-9a-f]{{6}}", name)


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


@each("value", [sqlite3.connect(":memory:"), enclosing(1), functools.cache(enclosing(1))])
def test_what_has_no_hash(value):
    with pytest.raises(UnknownContentError):
        content_hash([value])
