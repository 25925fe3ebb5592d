"""The import hook: when it calls, and that it calls once."""

from __future__ import annotations

import importlib
import importlib.util
import sys

import pytest

from pt_fairness.core.imports import after_import


@pytest.fixture
def package(tmp_path, monkeypatch):
    """The name of a package that is not imported yet."""
    (tmp_path / "hooked_package").mkdir()
    (tmp_path / "hooked_package" / "__init__.py").write_text("ready = True\n")
    (tmp_path / "hooked_package" / "part.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "meta_path", [*sys.meta_path])
    yield "hooked_package"
    for name in [name for name in sys.modules if name.startswith("hooked_package")]:
        del sys.modules[name]


def test_the_callback_follows_the_import_once(package):
    called = []
    after_import(package, lambda: called.append(sys.modules[package].ready))
    assert importlib.util.find_spec(package) is not None and not called
    importlib.import_module(f"{package}.part")
    assert called == [True]
    importlib.reload(sys.modules[package])
    assert called == [True]


def test_a_package_that_is_imported_already_calls_at_once():
    called = []
    after_import("sys", lambda: called.append(1))
    assert called == [1]


def test_a_package_that_does_not_exist_calls_nothing(package):
    called = []
    after_import("no_such_package", lambda: called.append(1))
    with pytest.raises(ModuleNotFoundError, match="no_such_package"):
        importlib.import_module("no_such_package")
    importlib.import_module(package)
    assert not called


def test_two_callbacks_of_one_package(package):
    called = []
    for number in (1, 2):
        after_import(package, lambda number=number: called.append(number))
    importlib.import_module(package)
    assert sorted(called) == [1, 2]


def test_a_package_whose_import_fails_calls_nothing(package, tmp_path):
    (tmp_path / package / "__init__.py").write_text("raise ImportError('broken')\n")
    called = []
    after_import(package, lambda: called.append(1))
    with pytest.raises(ImportError, match="broken"):
        importlib.import_module(package)
    assert not called
