"""Text for errors and warnings."""

from __future__ import annotations

from collections.abc import Iterable


def listed(names: Iterable[object], most: int = 10) -> str:
    """Return names as literals, separated by commas; of more than ``most``, the first and a count.

    Examples
    --------
    >>> listed(["PRO", "CON"])
    "'PRO', 'CON'"
    >>> listed(range(20_000), most=3)
    '0, 1, 2 and 19997 more'
    """
    names = list(names)
    shown = ", ".join(map(repr, names[:most]))
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
