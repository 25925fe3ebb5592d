"""Cases of a parametrised test, of which most run on demand."""

from collections.abc import Iterable
from typing import Any

import pytest


def slow_cases(*cases: Any) -> list[Any]:
    """The cases, each with the mark ``slow``; a tuple holds the parameters of one case."""
    return [
        pytest.param(*(case if isinstance(case, tuple) else (case,)), marks=pytest.mark.slow)
        for case in cases]


def quick_cases(cases: Iterable[Any], *, first: int | None = None, every: int = 1) -> list[Any]:
    """All cases, of which only each ``every``-th of the ``first`` ones runs by default."""
    cases = list(cases)
    kept = range(len(cases))[:first:every]
    return [case if i in kept else slow_cases(case)[0] for i, case in enumerate(cases)]
