"""The groups of this package by name; each process makes them once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

_built_in: dict[str, Callable[[], Any]] = {}


def register_built_in(name: str, make: Callable[[], Any]) -> None:
    """Register groups of this package, which every process knows under this name.

    :param make: returns a Groups object; called when the name is first used
    """
    _built_in[name] = cache(make)


def built_in(name: str) -> Any:
    """Return groups of this package."""
    return _built_in[name]()


def built_in_names() -> set[str]:
    """Return the names of the groups of this package."""
    return set(_built_in)
