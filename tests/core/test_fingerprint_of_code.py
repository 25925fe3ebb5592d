"""Fingerprints of code: by the source text of its module, else none."""

import sys

import pytest

from pt_fairness import groups
from pt_fairness.core import fingerprint


def hash_of(script):
    """Return the hash of ``use`` in a script."""
    namespace = {"__name__": "__main__"}
    exec(script, namespace)
    return fingerprint.of_value(namespace["use"])


@pytest.mark.parametrize("code", [
    "from first import group_of as use",
    "import first\nuse = first.Thing()",
    "import first\nuse = [first.Thing().method, {'a': first.Thing}]",
    "import first, functools\nuse = functools.partial(first.group_of, 1)",
    "from first import cached as use",
    "from first import make\nuse = make(3)",
    "from second import Derived as use",
])
def test_imported_code_counts_by_the_file_of_its_module(tmp_path, monkeypatch, code):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "second.py").write_text("import first\nclass Derived(first.Thing):\n    pass\n")
    found = []
    for value in (1, 1, 2):
        (tmp_path / "first.py").write_text(
            f"import functools\nVALUE = {value}\nclass Thing:\n    def method(self): pass\n"
            "def group_of(x):\n    return VALUE\n@functools.cache\ndef cached(): return VALUE\n"
            "def make(x):\n    def made(): return x\n    return made\n")
        found.append(hash_of(code))
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


def made_by_a_function(held):
    def made(more=1):
        return held
    return made


def test_a_function_that_another_one_made():
    hashes = [fingerprint.of_value(made_by_a_function(held)) for held in (1, 1, 2)]
    assert hashes[0] == hashes[1] != hashes[2]
    with pytest.raises(fingerprint.UnknownContentError, match="<lambda>"):
        fingerprint.of_value(made_by_a_function(lambda: 1))


@pytest.mark.parametrize("code", [
    "def use(): pass", "use = lambda: 1", "class use: pass", "class Use: pass\nuse = Use()",
    "import functools\n@functools.cache\ndef use(): pass",
    "from pt_fairness import groups\nclass use(groups.Groups): pass",
    "import enum\nuse = [enum.Enum('Color', {'RED': 1}).RED]",
])
def test_code_of_a_script_has_no_hash(code):
    with pytest.raises(fingerprint.UnknownContentError, match="code of"):
        hash_of(code)


def test_a_function_with_a_digest():
    code = "def use(): pass\nuse.digest = lambda: '{}'"
    assert hash_of(code.format(1)) == hash_of(code.format(1)) != hash_of(code.format(2))


class Mine(groups.Groups):
    """Groups of a module, with the pickled state as content."""

    def __init__(self, held, name=None):
        super().__init__(name)
        self.held = held


def test_groups_without_a_hash_are_equal_to_themselves_and_their_copies():
    import cloudpickle
    one, other = Mine(lambda: 1), Mine(lambda: 1)
    with pytest.raises(fingerprint.UnknownContentError):
        one.digest()
    assert one.name == one.name != other.name and one.name.startswith("mine-")
    assert one == cloudpickle.loads(cloudpickle.dumps(one)) != other
    assert Mine(1, "a") == Mine(1, "a") != Mine(2, "a")
