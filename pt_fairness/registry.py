"""The registry of groups and values, which also reads them from files."""

from __future__ import annotations

import difflib
import os
import uuid
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Generic, TypeVar
from weakref import WeakValueDictionary

from pt_fairness import fingerprint
from pt_fairness.text import BoundName, listed

#: The number of parsed files to cache: more than one evaluation usually needs.
FILES_KEPT = 8


class Source:
    """The base class of the objects in a registry: groups or values.

    :param name: the name of the source; ``None`` for one derived from a hash of its content
    """

    def __init__(self, name: str | None) -> None:
        self._name = name

    @property
    def name(self) -> str:
        """The name; by default derived from a hash of the content."""
        if self._name is None:
            self._name = f"{type(self).__name__.lstrip('_').lower()}-{self.key}"
        return self._name

    def digest(self) -> str:
        """Return a hash of the content.

        :raises UnknownContentError: the content has no hash
        """
        raise NotImplementedError

    @property
    def key(self) -> str:
        """The digest; for content without a hash, a random text that copies of the object share."""
        try:
            return self.digest()
        except fingerprint.UnknownContentError:
            return str(self.__dict__.setdefault("_key", uuid.uuid4().hex[:12]))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Source) and type(self) is type(other) \
            and self.name == other.name and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.name)


S = TypeVar("S", bound=Source)


class Registry(Generic[S]):
    """The sources of one class, by name.

    :param kind: the class
    :param what: the module of the class, also used in errors, such as ``values``
    :param read: reads a source from a path and gives it a name
    :param makers: the functions that create sources, listed in errors
    :param built_in: the functions that return the built-in sources, by name; registered sources
        take precedence
    """

    def __init__(self, kind: type[S], what: str, read: Callable[[str, str], S], makers: str,
                 built_in: dict[str, Callable[[], S]] | None = None) -> None:
        self._kind, self._what, self._read, self._makers = kind, what, read, makers
        self.built_in: dict[str, Callable[[], S]] = {} if built_in is None else built_in
        self._registered: dict[str, S | Callable[[], S]] = {}
        #: Unregistered sources that measures use, by their names in the parameters.
        self._unnamed: WeakValueDictionary[str, S] = WeakValueDictionary()
        # The hash of the content is part of the cache key.
        self._of_content = lru_cache(FILES_KEPT)(lambda path, content: read(path, path))

    def register(self, name: str, source: S | Callable[[], S]) -> None:
        """Register a source under a name, in place of any earlier one.

        :param source: a source, or a function that creates one when it is first needed
        :raises ValueError: it is neither, or the name is empty
        """
        if not isinstance(name, str) or not name.strip():
            raise ValueError(f"{self._what} need a name that is not empty, not {name!r}")
        if not isinstance(source, self._kind) and not callable(source):
            raise ValueError(f"{name!r} cannot be registered as a {type(source).__name__}: make a "
                             f"{self._kind.__name__} object of it with {self._makers}")
        self._registered[name] = source

    def register_built_in(self, name: str, make: Callable[[], S]) -> None:
        """Register a source of this package under a name.

        :param make: returns the source; called when the name is first used
        """
        self.built_in[name] = cache(make)

    def unregister(self, name: str) -> None:
        """Remove a registered source.

        :raises ValueError: nothing was registered under this name
        """
        if name not in self._registered:
            own = ", ".join(map(repr, sorted(self._registered))) or "none"
            raise ValueError(f"{name!r} cannot be unregistered; the names that register() has "
                             f"added are: {own}")
        del self._registered[name]

    def names(self) -> list[str]:
        """Return the names of the registered and the built-in sources, sorted."""
        return sorted({*self._registered, *self.built_in})

    def registered(self, name: str) -> S | Callable[[], S] | None:
        """Return what was registered under a name, or ``None``."""
        return self._registered.get(name)

    def get(self, source: str | os.PathLike[str] | S) -> S:
        """Return the source of a registered name, or of a path if no source has the name.

        A source object is returned as is. A parsed file is cached until its content changes. Other
        paths, such as pipes, are read by every call.

        :raises ValueError: the source is none of these
        """
        if isinstance(source, BoundName) and isinstance(source.value, self._kind):
            return source.value
        if isinstance(source, self._kind):
            return source
        try:
            name = os.fspath(source)  # type: ignore[arg-type]
        except TypeError:
            raise ValueError(f"{self._what} are a registered name, the path of a file or a "
                             f"{self._kind.__name__} object, not {source!r}") from None
        known = self.find(name)
        if known is not None:
            return known
        if not os.path.exists(name):
            near = difflib.get_close_matches(name, self.names(), n=1)
            meant = f"Did you mean {near[0]!r}? " if near else ""
            raise ValueError(f"no {self._what} are registered as {name!r} and no such file "
                             f"exists. {meant}Registered are {listed(self.names()) or 'none'}. "
                             f"Register your own with pt_fairness.{self._what}.register(name, "
                             f"{self._what}), or give the path of a file")
        if os.path.isfile(name):
            return self._of_content(name, fingerprint.of_file(name))
        return self._read(name, name)

    def find(self, name: str) -> S | None:
        """Return the source of a name, or ``None``; paths are not read."""
        if name not in self._registered:
            unnamed = self._unnamed.get(name)
            return self.built_in[name]() if unnamed is None and name in self.built_in else unnamed
        source = self._registered[name]
        if not isinstance(source, self._kind):
            source = self._registered[name] = source()  # type: ignore[operator]
        return source

    def name_of(self, source: S | str) -> str:
        """Return the name of a source in the parameters of a measure.

        The name of an unregistered object holds a reference to it.
        """
        if isinstance(source, BoundName):
            return source
        if isinstance(source, str):
            unnamed = None if source in self._registered else self._unnamed.get(source)
            return source if unnamed is None else BoundName(source, unnamed)
        for name, known in self._registered.items():
            if known is source:
                return name
        name = source.name
        if os.path.isfile(name) or self.find(name) not in (None, source):
            name = f"{name}-{source.key}"
        return BoundName(name, self._unnamed.setdefault(name, source))
