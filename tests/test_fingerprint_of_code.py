"""Fingerprints of code: the same in every process, and others after a change."""

import json
import os
import subprocess
import sys
import textwrap

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


def test_what_cannot_be_pickled_differs_between_processes():
    code = ("import json, threading\nfrom pt_fairness import fingerprint\n"
            "print(json.dumps(fingerprint.of_value(threading.Lock())))")
    assert run_python("-c", code) != run_python("-c", code)
