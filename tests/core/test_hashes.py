"""Hashes of content: others after a change to it, and the same in every process."""

import collections
import functools
import json
import os
import re
import sqlite3
import subprocess
import sys
import textwrap

import numpy as np
import pandas as pd
import pytest
from one_test import each

from pt_fairness import groups
from pt_fairness.core.registry import UnknownContentError, content_hash


def enclosing(value):
    return lambda: value  # which has no name


@each("make, one, other", [
    (str, 1, 2), (float, "0.5", "nan"), (str.encode, "a", "b"), (bool, 0, 1), (type, 1, "1"),
    (lambda x: [x, (x,)], 1, "1"), (tuple, [1], [2]), (lambda x: {"a": [x]}, 1, 2),
    (lambda x: {x: "a"}, 1, 2),
    (lambda x: x([{}]), list, tuple), (lambda x: [{x: groups.from_mapping({"a": x})}], "A", "B"),
    (collections.Counter, "ab", "abb"), (lambda x: collections.defaultdict(x), int, list),
    (re.compile, "a+", "b+"), (lambda x: x.upper, "a", "b"),
    (lambda x: x, len, max), (lambda x: x, pd.DataFrame, pd.Series), (lambda x: x, np.sum, np.add),
    (lambda x: x, textwrap.dedent, textwrap.indent), (np.int64, 10, 700),
    (np.array, [1, 2], [1, 3]), (np.array, [0], [0.0]), (np.array, [[1, 2]], [[1], [2]]),
    (lambda x: np.array([x], dtype=object), "a", "b"),
    (lambda x: np.ma.array([1, 2], mask=[False, x], fill_value=2), True, False),
    (pd.Timestamp, "2020", "2021"), (pd.Categorical, ["a", "b"], ["a", "c"]),
    (pd.Index, ["a"], ["b"]), (lambda x: pd.Index([1], name=x), "a", "b"),
    (lambda x: pd.MultiIndex.from_product([["a"], x]), [1], [2]), (pd.Series, ["a"], ["b"]),
    (lambda x: pd.Series([1], name=x), "a", "b"), (lambda x: pd.Series(0, index=x), ["a"], ["b"]),
    (lambda x: pd.DataFrame({"x": x}), [1], [2]), (lambda x: pd.DataFrame(0, [0], x), ["a"], ["b"]),
    (lambda x: pd.DataFrame({"x": 0}, index=x), ["a"], ["b"])])
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
    (lambda x: x.assign(b=["x", 1]), False), (lambda x: x.assign(c=[{"t": 1}, [3.0]]), False),
    (lambda x: x.assign(d=[np.zeros(2000), np.arange(2000) == 1000]), False),
    (lambda x: x[["a", "b", "c"]], False), (lambda x: x[["b", "a", "c", "d"]], False),
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


def test_code_of_a_script_has_no_hash():
    namespace = {"__name__": "__main__"}
    exec("def use(): pass", namespace)
    with pytest.raises(UnknownContentError, match="use is code of"):
        content_hash(namespace["use"])
