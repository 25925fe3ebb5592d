"""The built-in groups of this package, by name; created once per process."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

#: The functions that return the built-in groups, by name.
BUILT_IN: dict[str, Callable[[], Any]] = {}


def register_built_in(name: str, make: Callable[[], Any]) -> None:
    """Register built-in groups under a name.

    :param make: returns a Groups object; called when the name is first used
    """
    BUILT_IN[name] = cache(make)


def built_in(name: str) -> Any:
    """Return the built-in groups of a name."""
    return BUILT_IN[name]()


def built_in_names() -> set[str]:
    """Return the names of the built-in groups."""
    return set(BUILT_IN)
