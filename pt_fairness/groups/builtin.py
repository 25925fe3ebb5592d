"""The built-in groups of this package, by name; created once per process."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

_built_in: dict[str, Callable[[], Any]] = {}


def register_built_in(name: str, make: Callable[[], Any]) -> None:
    """Register built-in groups under a name.

    :param make: returns a Groups object; called when the name is first used
    """
    _built_in[name] = cache(make)


def built_in(name: str) -> Any:
    """Return the built-in groups of a name."""
    return _built_in[name]()


def built_in_names() -> set[str]:
    """Return the names of the built-in groups."""
    return set(_built_in)
