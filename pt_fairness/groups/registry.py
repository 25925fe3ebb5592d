"""The registry of groups."""

from __future__ import annotations

import os
from collections.abc import Callable

from pt_fairness.groups.base import BUILT_IN, Groups
from pt_fairness.groups.sources import from_file
from pt_fairness.registry import Registry

_registry = Registry(Groups, "groups", from_file,
                     "from_frame, from_mapping, from_pattern, from_text or from_file", BUILT_IN)


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
    _registry.register(name, groups)


def unregister(name: str) -> None:
    """Remove groups that :func:`register` has made available.

    Built-in groups of the same name are available again.

    :raises ValueError: nothing was registered under this name

    Examples
    --------
    >>> from pt_fairness import groups
    >>> groups.register("opinions", groups.from_mapping({"a": "PRO"}))
    >>> groups.unregister("opinions")
    >>> "opinions" in groups.names()
    False
    """
    _registry.unregister(name)


def names() -> list[str]:
    """Return the names of the registered and the built-in groups, sorted.

    Examples
    --------
    >>> from pt_fairness import groups
    >>> "trec-newswire" in groups.names()
    True
    """
    return _registry.names()


def get(source: str | os.PathLike[str] | Groups) -> Groups:
    """Return the groups of a registered name, or of a path if no groups have the name.

    A Groups object is returned as is. A parsed file is cached until its content changes. Other
    paths, such as pipes, are read by every call.

    :raises ValueError: the source is none of these

    Examples
    --------
    >>> from pt_fairness import groups
    >>> groups.get("trec-newswire").labels
    ['FBIS', 'FR', 'FT', 'LA']
    """
    return _registry.get(source)


register_built_in = _registry.register_built_in
registered = _registry.registered
name_of = _registry.name_of
