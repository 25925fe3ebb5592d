"""The registry of groups."""

from __future__ import annotations

from collections.abc import Callable

from pt_fairness.core.registry import Registry
from pt_fairness.groups.base import Groups
from pt_fairness.groups.sources import from_file, of_data

REGISTRY = Registry(Groups, from_file,
                    "from_frame, from_mapping, from_pattern, from_text or from_file",
                    convert=of_data)


def register(name: str, groups: Groups | Callable[[], Groups]) -> None:
    """Make groups available as ``groups=name``, until :func:`unregister`.

    Groups registered under the same name before are replaced.

    :param groups: a Groups object, or a function that makes one when a measure first needs it
    :raises ValueError: it is neither, or the name is empty

    Examples
    --------
    >>> from pt_fairness import groups, rND
    >>> groups.register("opinions", groups.from_mapping({"a": "PRO", "b": "CON"}))
    >>> rND(groups="opinions") @ 5
    rND(groups='opinions')@5
    >>> groups.unregister("opinions")
    """
    REGISTRY.register(name, groups)


unregister, names, get = REGISTRY.unregister, REGISTRY.names, REGISTRY.get
