"""The import hook: when it calls, and that it calls once."""

import importlib
import importlib.util
import subprocess
import sys

import pytest
from one_test import each

from pt_fairness.core import after_import

PACKAGE = "hooked_package"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The folder of a package that is not imported yet."""
    folder = tmp_path / PACKAGE
    folder.mkdir()
    (folder / "__init__.py").write_text("ready = True\n")
    (folder / "part.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    yield folder
    for name in [name for name in sys.modules if name.startswith(PACKAGE)]:
        del sys.modules[name]


def test_each_callback_follows_the_import_once(folder):
    called = []
    after_import(PACKAGE, lambda: called.append(sys.modules[PACKAGE].ready))
    after_import(PACKAGE, lambda: called.append(2))
    assert importlib.util.find_spec(PACKAGE) is not None and not called
    importlib.import_module(f"{PACKAGE}.part")
    assert sorted(called) == [True, 2]
    importlib.reload(sys.modules[PACKAGE])
    after_import("sys", lambda: called.append("at once"))
    assert called[2:] == ["at once"]


def test_what_is_not_imported_calls_nothing(folder):
    called = []
    for name in ("no_such_package", PACKAGE):
        after_import(name, lambda: called.append(1))
    (folder / "__init__.py").write_text("raise ImportError('broken')\n")
    for name, message in (("no_such_package", "no_such_package"), (PACKAGE, "broken")):
        with pytest.raises(ImportError, match=message):
            importlib.import_module(name)
    assert not called


@pytest.mark.slow
@each("first", ["", "import ir_measures; ", "import pt_fairness.collections.passages; "])
def test_one_finder_remains_and_the_dataset_ids_are_registered(first):
    code = f"""
import sys
before = len(sys.meta_path)
{first}import pt_fairness
finders = len(sys.meta_path) - before
import ir_datasets
print(finders, len(sys.meta_path) - before, "pt-fairness/debates" in list(ir_datasets.registry))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    finders = 0 if "passages" in first else 1
    assert done.stdout.split() == [str(finders), "0", "True"]
