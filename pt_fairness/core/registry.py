"""The registries of groups, values, targets and runs, and the hash of their content.

A name means what was registered last. Registering, unregistering and finding are single steps of a
dictionary, without a lock, so that several threads can do so, and a process can be forked.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import uuid
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from io import BytesIO
from pathlib import Path
from typing import Any, ClassVar, Generic, SupportsIndex, TypeVar

import numpy as np

from pt_fairness.core.messages import did_you_mean, listed, shown

#: The number of parsed files to cache: more than one evaluation usually needs.
FILES_KEPT = 8
_PICKLE_PROTOCOL = 4
#: The number of digits of a hash in a name that is derived from content.
_DIGITS = 6
#: The modules of scripts and notebooks, whose names can stand for anything.
_SCRIPTS = ("__main__", "__mp_main__")


class UnknownContentError(ValueError):
    """A value without a hash: code of a script or notebook, or an object that cannot be pickled."""


def content_hash(value: Any) -> str:
    """Return the hash of a value, which is the same for equal content in every process.

    Objects are hashed by their pickled state, which holds functions and classes by their names.

    :raises UnknownContentError: if it lacks one
    """
    content = BytesIO()
    pickler = _Pickler(content, _PICKLE_PROTOCOL)
    # No references to values that were written before, which equal values need not share.
    pickler.fast = True
    try:
        pickler.dump(value)
    except UnknownContentError:
        raise
    except Exception as error:  # pickle and users' classes raise many types of errors
        raise UnknownContentError(f"{type(value).__name__} cannot be pickled ({error})") from error
    return hashlib.sha256(content.getbuffer()).hexdigest()


class _Pickler(pickle.Pickler):
    def persistent_id(self, value: Any) -> Any:
        """Return what to write in place of a value; ``None`` for its pickled form."""
        import pandas as pd
        if isinstance(value, NamedObject):
            return type(value).__qualname__, value.digest()
        if type(value) is np.ndarray:
            numbers = value.tolist() if value.dtype.hasobject else value.tobytes()
            return str(value.dtype), value.shape, numbers
        if isinstance(value, (pd.DataFrame, pd.Series)):  # pickle stores pandas internals
            frame = pd.DataFrame(value)
            columns = [(str(column.dtype), column.tolist()) for _, column in frame.items()]
            return [(*axis.names, *axis) for axis in frame.axes], columns
        if getattr(value, "__module__", None) in _SCRIPTS and hasattr(value, "__qualname__"):
            raise UnknownContentError(f"{value.__qualname__} is code of a script or notebook")
        return None


S = TypeVar("S", bound="NamedObject")


class NamedObject:
    """The base class of the objects in a registry.

    :param name: the name of the source; ``None`` for one derived from its content
    """

    #: The plural of the objects, the name of their module: ``groups``.
    WHAT: ClassVar[str]
    #: The pattern or the path that the object was made of, ``None`` if it was made of data.
    made_of: str | None = None
    #: The name that the user gave, ``None`` for a derived one.
    _name: str | None = None

    def __init__(self, name: str | None) -> None:
        self._name = name

    @property
    def name(self) -> str:
        """The name; by default derived from the content."""
        return self.derived if self._name is None else self._name

    @cached_property
    def derived(self) -> str:
        """The name that is derived from the content: what it is, and the start of its hash."""
        return f"{self._words()}-{self.key[:_DIGITS]}"

    def _words(self) -> str:
        """Return the start of a name that is derived from the content."""
        return type(self).__name__.lstrip("_").lower()

    def digest(self) -> str:
        """Return a hash of the content.

        Override it in a class of a script or notebook, which lacks one.

        :raises UnknownContentError: if the content lacks a hash
        """
        return content_hash((type(self).__name__, self._content()))

    def _content(self) -> Any:
        """Return the content to hash; by default what pickle stores."""
        return super().__reduce_ex__(2)

    @property
    def key(self) -> str:
        """The digest; for content without a hash, a random text that copies of the object share."""
        try:
            return self.digest()
        except UnknownContentError:
            return str(self.__dict__.setdefault("_key", uuid.uuid4().hex))

    @property
    def registered(self) -> str:
        """The first name under which the object is registered; its own if there is none."""
        return _REGISTRIES[self.WHAT].name_of(self)

    def renamed(self: S, name: str) -> S:
        """Return the same object under another name."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__, _name=name)
        return twin

    def __eq__(self, another: object) -> bool:
        if self is another:
            return True
        if not isinstance(another, NamedObject) or type(self) is not type(another):
            return False
        return self.name == another.name and self.key == another.key

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        # Built-in sources are unpickled to the one object of the process, which caches documents.
        entry = _BUILT_IN.get(self.WHAT, {}).get(self._name or "")
        if entry is not None and entry.get() is self:
            return built_in, (self.WHAT, self._name)
        return super().__reduce_ex__(protocol)


def name_of(source: Any) -> Any:
    """Return the name of a :class:`NamedObject`, and any other value as it is."""
    if isinstance(source, NamedObject):
        return source.registered
    return source


class _Entry:
    """A source, or the function that makes it when it is first needed."""

    def __init__(self, source: Any = None, make: Callable[[], Any] | None = None) -> None:
        self.make = make
        self._sources = [] if source is None else [source]

    @property
    def source(self) -> Any:
        """The source, ``None`` if it is not made yet."""
        return next(iter(self._sources), None)

    def get(self) -> Any:
        """Return the source. Of several threads that make it, all get the one made first."""
        if self.make is not None and not self._sources:
            self._sources.append(self.make())
        return self._sources[0]


#: The registry of each class of objects, by what they are.
_REGISTRIES: dict[str, Registry[Any]] = {}
#: The sources of this package by name, by what they are.
_BUILT_IN: dict[str, dict[str, _Entry]] = {}


def declare(what: str, names: Collection[str], make: Callable[[str], Any]) -> None:
    """Declare the sources of this package, each of which is made when it is first needed.

    :param make: makes a source of its name
    """
    _BUILT_IN[what] = {name: _Entry(make=partial(make, name)) for name in names}


def built_in(what: str, name: str) -> Any:
    """Return a source of this package, the same object at every call."""
    return _BUILT_IN[what][name].get()


def check_name(what: str, name: Any) -> None:
    """Check that a name is a text that is not empty.

    :param what: what has the name, such as ``groups``
    :raises ValueError: if it is not
    """
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f"the name of {what} must be a text that is not empty, got {shown(name)}")


@dataclass(eq=False)
class Registry(Generic[S]):
    """The sources of one class, by name. Registered ones take precedence over built-in ones.

    :param kind: the class
    :param read: reads a source from a path and gives it a name; ``None`` if names alone are allowed
    :param makers: the functions that create sources, listed in errors
    :param words: names that are keywords of the parameter
    :param convert: makes a source of a dictionary, a Series or a DataFrame; ``None`` if these are
        not taken
    :param file_of: returns the file that a text names, ``None`` if it needs none
    """

    kind: type[S]
    read: Callable[[str, str], S] | None = None
    makers: str = "register"
    words: Sequence[str] = ()
    convert: Callable[[Any], S] | None = None
    file_of: Callable[[str], str | None] = str
    _registered: dict[str, _Entry] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _REGISTRIES[self.kind.WHAT] = self
        # The hash of the content is part of the cache key.
        self._parsed = lru_cache(FILES_KEPT)(lambda path, content: self.read(path, path))  # type: ignore[misc]

    def register(self, name: str, source: S | Callable[[], S]) -> None:
        """Register a source under a name, in place of any earlier one.

        :param source: a source, or a function that creates one when it is first needed
        :raises ValueError: if it is neither, or the name is empty or a keyword
        """
        what = self.kind.WHAT
        check_name(what, name)
        if name.strip().casefold() in self.words:
            raise ValueError(f"the name of {what} must not be {listed(self.words)}, which have a "
                             f"meaning of their own, got {name!r}")
        if isinstance(source, self.kind) or not callable(source):
            entry = _Entry(self._checked(name, source))
        else:
            entry = _Entry(make=lambda: self._checked(name, source()))  # type: ignore[operator]
        self._registered[name] = entry

    def _checked(self, name: str, source: Any) -> S:
        """Return a source.

        :raises ValueError: if it is none
        """
        if not isinstance(source, self.kind):
            raise ValueError(f"{shown(name)} must be registered as a {self.kind.__name__} object, "
                             f"made with {self.makers}, got a {type(source).__name__}")
        return source

    def unregister(self, name: str) -> None:
        """Remove what ``register`` has made available.

        What this package has under the same name is available again.

        :raises ValueError: if nothing was registered under this name

        Examples
        --------
        >>> from pt_fairness import groups
        >>> groups.register("opinions", groups.from_mapping({"a": "PRO"}))
        >>> groups.unregister("opinions")
        >>> "opinions" in groups.names()
        False
        """
        if self._registered.pop(name, None) is None:
            names = listed(sorted(self._registered)) or "none"
            raise ValueError(f"name must be one that register() has added ({names}), got "
                             f"{shown(name)}")

    def names(self) -> list[str]:
        """Return the names that are registered, including the names of this package, sorted.

        Examples
        --------
        >>> from pt_fairness import groups
        >>> "trec-newswire" in groups.names()
        True
        """
        built_in_names = _BUILT_IN.get(self.kind.WHAT, ())
        return sorted({*self._registered.copy(), *built_in_names})

    def get(self, source: Any) -> S:
        """Return what has a registered name, or what a file holds if nothing has that name.

        An object is returned as is. Groups are made of a dictionary, a Series or a DataFrame, as
        ``from_mapping`` and ``from_frame`` do. A parsed file is cached until its content changes.
        Other paths, such as pipes, are read by every call.

        :raises ValueError: if the source is none of these

        Examples
        --------
        >>> from pt_fairness import groups
        >>> groups.get("trec-newswire").labels
        ['FBIS', 'FR', 'FT', 'LA']
        """
        what = self.kind.WHAT
        if isinstance(source, self.kind):
            return source
        if self.convert is not None and not isinstance(source, (str, os.PathLike)):
            from pt_fairness.core.identifiers import pandas_frame
            source = pandas_frame(source)
            if hasattr(source, "items"):
                return self.convert(source)
        if not isinstance(source, (str, os.PathLike)):
            data = ", a dictionary, a DataFrame" if self.convert is not None else ""
            raise ValueError(f"{what} must be a registered name, the path of a file{data} or a "
                             f"{self.kind.__name__} object, got {shown(source)}")
        name = os.fspath(source)
        found = self.find(name)
        if found is not None:
            return found
        path = self.file_of(name)
        if self.read is None or (path is not None and not os.path.exists(path)):
            no_file = "" if self.read is None else " and no such file exists"
            names = self.names()
            question = did_you_mean(name, names)
            raise ValueError(f"no {what} are registered as {shown(name)}{no_file}.{question} "
                             f"Registered are {listed(names) or 'none'}. pt_fairness.{what}."
                             "register adds others")
        if path is not None and os.path.isfile(path):
            return self._parsed(name, content_hash(Path(path).read_bytes()))
        return self.read(name, name)

    def find(self, name: Any, make: bool = True) -> S | None:
        """Return the source of a name, or ``None``; paths are not read.

        An object is returned as is.

        :param make: whether to return built-in sources, and to call functions that create one
        """
        if isinstance(name, self.kind):
            return name
        entry = self._registered.get(name)
        if not make:
            return None if entry is None else entry.source
        if entry is None:
            entry = _BUILT_IN.get(self.kind.WHAT, {}).get(name)
        return None if entry is None else entry.get()

    def name_of(self, source: S) -> str:
        """Return the first name under which a source is registered; its own if there is none."""
        for name, entry in self._registered.copy().items():
            if entry.source is source:
                return name
        return source.name
