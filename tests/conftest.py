"""Settings, and fixtures that several rooms share."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import pandas as pd
import pytest
from hypothesis import HealthCheck, settings
from ir_datasets_home import files, irds, offline, passages, qrels_of, touche  # noqa: F401
from ir_measures import measures as irm
from measure_cases import values_of
from random_cases import make_case, worked  # noqa: F401
from real_data import robust03, shared  # noqa: F401
from written_files import folder_of, pipe  # noqa: F401

import pt_fairness
from pt_fairness.core import messages

# The same examples everywhere: a test that fails after a change fails because of it.
settings.register_profile(
    "pt_fairness", deadline=None, max_examples=12, database=None, derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture])
settings.load_profile("pt_fairness")


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Bytes do not name a test: packed ones hold the time, and workers have to agree."""
    return argname if isinstance(val, bytes) else None


@pytest.fixture(autouse=True)
def no_warning_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test begins as a process does, in which nothing was warned of."""
    monkeypatch.setattr(messages, "_warned", set())


@pytest.fixture(autouse=True)
def no_measure_after() -> Iterator[None]:
    """A measure that a test registers is gone after it."""
    before = {*irm.registry}
    yield
    for name in {*irm.registry} - before:
        del irm.registry[name]
        pt_fairness.measures.MEASURES.pop(name, None)
        for module in filter(None, map(sys.modules.get, ("pt_fairness", "pyterrier.measures"))):
            vars(module).pop(name, None)


@pytest.fixture(scope="session")
def values() -> Callable[..., dict[tuple[Any, str], float]]:
    """``values(measures, qrels, run)``: by measure and topic, from one call of ir_measures."""
    return values_of


def _for_one_test(module: ModuleType) -> Iterator[Callable[..., None]]:
    yield module.register
    for name in module.names():
        with contextlib.suppress(ValueError):  # a built-in name
            module.unregister(name)


@pytest.fixture
def registered_groups() -> Iterator[Callable[..., None]]:
    """``registered_groups(name, groups)``: registers groups until the end of the test."""
    yield from _for_one_test(pt_fairness.groups)


@pytest.fixture
def registered_values() -> Iterator[Callable[..., None]]:
    """``registered_values(name, values)``: the same for values."""
    yield from _for_one_test(pt_fairness.values)


@pytest.fixture
def registered_runs() -> Iterator[Callable[..., None]]:
    """``registered_runs(name, run)``: the same for runs."""
    yield from _for_one_test(pt_fairness.runs)


@pytest.fixture
def forget_targets(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """``forget_targets()``: no targets but the package's, before the test or after a call."""

    def forget() -> None:
        monkeypatch.setattr(pt_fairness.targets.REGISTRY, "_registered", {})

    forget()
    return forget


@pytest.fixture
def averages() -> pd.DataFrame:
    """Means of four systems."""
    return pd.DataFrame({
        "name": ["A", "B", "C", "D"], "nDCG@5": [0.9, 0.5, 0.7, 0.1],
        "rKL@5": [0.4, 0.1, 0.2, 0.3], "DistFair@5": [0.2, 0.4, 0.6, 0.8],
        "BiasP@5": [-0.3, 0.1, 0.2, -0.05]})
