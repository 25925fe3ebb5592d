"""Many cases of one statement as one test."""

import functools
import inspect
import reprlib
from collections.abc import Callable, Iterable
from typing import Any

import pytest


def each(names: str, cases: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Parametrise a test as one test, whose failure names the cases that fail."""
    keys = names.replace(" ", "").split(",")
    rows = [case if len(keys) > 1 else (case,) for case in cases]
    assert rows

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def loop(*instance: Any, **fixtures: Any) -> None:
            failures = {}
            for row in rows:
                given = dict(zip(keys, row, strict=True))
                try:
                    test(*instance, **fixtures, **given)
                except (Exception, pytest.fail.Exception) as error:
                    case = ", ".join(f"{key}={reprlib.repr(one)}" for key, one in given.items())
                    failures[f"{case}: {str(error)[:500]}"] = error
            if failures:
                raise AssertionError("\n".join(failures)) from next(iter(failures.values()))

        signature = inspect.signature(test)
        left = [one for name, one in signature.parameters.items() if name not in keys]
        loop.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return loop

    return decorate
