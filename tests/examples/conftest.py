"""Fixtures for the examples."""

import contextlib
import importlib
import io

import pytest
from ir_datasets_home import EXAMPLES, example


@pytest.fixture(scope="session")
def sweep():
    """The simulation of Draws et al. with enough rankings for their findings."""
    module = example("draws2021")
    with contextlib.redirect_stderr(io.StringIO()):
        return module.short(module.simulate(draws=400))


@pytest.fixture
def script(monkeypatch, tmp_path):
    """``script(name)(*arguments)``: run an example, with figures in a folder of the test."""
    monkeypatch.syspath_prepend(str(EXAMPLES.parent / ".ci"))
    monkeypatch.syspath_prepend(str(EXAMPLES))

    def load(name):
        module = importlib.import_module(name)

        def run(*arguments):
            return module.main([*map(str, arguments), "--figures", str(tmp_path)])

        run.module = module  # type: ignore[attr-defined]
        return run

    return load
