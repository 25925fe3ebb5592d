"""The registry of groups."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from functools import lru_cache
from weakref import WeakValueDictionary

from pt_fairness import fingerprint
from pt_fairness.groups.base import Groups
from pt_fairness.groups.builtin import built_in, built_in_names
from pt_fairness.groups.sources import from_file
from pt_fairness.text import BoundName

_registry: dict[str, Groups | Callable[[], Groups]] = {}
#: The objects that measures were made with, by the names in the text of these measures.
_unnamed: WeakValueDictionary[str, Groups] = WeakValueDictionary()
#: How many group files are kept in memory: more than one evaluation names.
FILES_KEPT = 8


def register(name: str, groups: Groups | Callable[[], Groups]) -> None:
    """Make groups available as ``groups=name``, until :func:`unregister`.

    A name that is taken gets the new meaning.

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
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f"groups need a name that is not empty, not {name!r}")
    if not isinstance(groups, Groups) and not callable(groups):
        raise ValueError(f"{name!r} cannot be registered as a {type(groups).__name__}: make a "
                         "Groups object of it with from_frame, from_mapping, from_pattern or "
                         "from_file")
    _registry[name] = groups


def unregister(name: str) -> None:
    """Remove groups that :func:`register` has made available.

    A name of this package means the groups of this package again.

    :raises ValueError: nothing was registered under this name

    Examples
    --------
    >>> from pt_fairness import groups
    >>> groups.register("opinions", groups.from_mapping({"a": "PRO"}))
    >>> groups.unregister("opinions")
    >>> "opinions" in groups.names()
    False
    """
    if name not in _registry:
        own = ", ".join(map(repr, sorted(_registry))) or "none"
        raise ValueError(f"{name!r} cannot be unregistered; the names that register() has added "
                         f"are: {own}")
    del _registry[name]


def names() -> list[str]:
    """Return the registered names, those of this package included, sorted.

    Examples
    --------
    >>> from pt_fairness import groups
    >>> "trec-newswire" in groups.names()
    True
    """
    return sorted({*_registry, *built_in_names()})


def registered(name: str) -> Groups | Callable[[], Groups] | None:
    """Return what :func:`register` was given for a name in this process."""
    return _registry.get(name)


def get(source: str | os.PathLike[str] | Groups) -> Groups:
    """Return the groups of a registered name or else of a path; a Groups object as it is.

    A file is parsed again when its content has changed. What is no regular file, such as a pipe,
    is read by every call.

    :raises ValueError: none of these

    Examples
    --------
    >>> from pt_fairness import groups
    >>> groups.get("trec-newswire").labels
    ['FBIS', 'FR', 'FT', 'LA']
    """
    if isinstance(source, Groups):
        return source
    if isinstance(source, BoundName):
        return source.value
    try:
        name = os.fspath(source)
    except TypeError:
        raise ValueError(f"groups are a registered name, the path of a group file or a Groups "
                         f"object, not {source!r}") from None
    known = _known(name)
    if known is not None:
        return known
    try:
        regular = stat.S_ISREG(os.stat(name).st_mode)
    except OSError:
        raise ValueError(f"no groups are registered as {name!r} and no such file exists; "
                         f"registered are {', '.join(names())}. Register your own with "
                         "pt_fairness.groups.register(name, groups)") from None
    return _of_content(name, fingerprint.of_file(name)) if regular else from_file(name, name)


def _known(name: str) -> Groups | None:
    """Return the groups of a name that is no path."""
    if name not in _registry:
        unnamed = _unnamed.get(name)
        return built_in(name) if unnamed is None and name in built_in_names() else unnamed
    groups = _registry[name]
    if not isinstance(groups, Groups):
        groups = _registry[name] = groups()
    return groups


@lru_cache(FILES_KEPT)
def _of_content(path: str, content: str) -> Groups:
    """Return the groups of a file.

    :param content: the hash of what the file holds, as part of the cache key
    """
    return from_file(path, path)


def name_of(source: Groups | str) -> str:
    """Return the name that a measure has as its parameter.

    The name of an object that is not registered keeps the object alive.
    """
    if isinstance(source, BoundName):
        return source
    if isinstance(source, str):
        unnamed = None if source in _registry else _unnamed.get(source)
        return source if unnamed is None else BoundName(source, unnamed)
    for name, groups in _registry.items():
        if groups is source:
            return name
    name = source.name
    if os.path.isfile(name) or _known(name) not in (None, source):
        name = f"{name}-{source.digest()}"
    return BoundName(name, _unnamed.setdefault(name, source))
