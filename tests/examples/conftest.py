"""Fixtures for the examples."""

from __future__ import annotations

import contextlib
import importlib
import io

import numpy as np
import pytest
from example_files import CI, EXAMPLES, write_qrels, write_run
from ir_datasets_home import example


@pytest.fixture(scope="session")
def sweep():
    """The simulation of Draws et al. with enough rankings for their findings."""
    module = example("draws2021")
    with contextlib.redirect_stderr(io.StringIO()):
        return module.short(module.simulate(draws=400))


@pytest.fixture
def script(monkeypatch, tmp_path):
    """``script(name)(*arguments)``: run an example, with figures in a folder of the test."""
    monkeypatch.syspath_prepend(str(CI))
    monkeypatch.syspath_prepend(str(EXAMPLES))

    def load(name):
        module = importlib.import_module(name)

        def run(*arguments):
            return module.main([*map(str, arguments), "--figures", str(tmp_path)])

        run.module = module  # type: ignore[attr-defined]
        return run

    return load


@pytest.fixture
def small(tmp_path):
    """Newswire-like qrels with stances and five runs, as files."""
    rng = np.random.default_rng(5)
    names = {"FBIS": "FBIS3-{}", "FR": "FR940104-{}", "FT": "FT911-{}", "LA": "LA010189-{}"}
    documents = [pattern.format(i) for pattern in names.values() for i in range(5)]
    qrels = write_qrels(
        tmp_path / "qrels",
        [
            (q, rng.choice(["PRO", "CON"]), docno, int(rng.random() < 0.5)) for q in range(12)
            for docno in documents],
    )
    runs = [
        write_run(
            tmp_path / f"run{i}",
            [(q, docno, rng.random()) for q in range(12) for docno in documents])
        for i in range(5)
    ]
    return qrels, runs
