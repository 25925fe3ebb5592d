"""The registries of groups, values, targets and runs, and the hashes of their content.

Equal inputs have the same hash in every process, whatever the version of numpy. Frames, arrays,
files, plain values and containers are hashed by content, other objects by their method ``digest()``
if they have one, else by their pickled state, which holds functions and classes by their names.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import uuid
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from io import BytesIO
from typing import TYPE_CHECKING, Any, ClassVar, Generic, SupportsIndex, TypeVar

import numpy as np

from pt_fairness.core.messages import did_you_mean, listed, shown

if TYPE_CHECKING:
    import pandas as pd

#: The number of parsed files to cache: more than one evaluation usually needs.
FILES_KEPT = 8
_PLAIN = {type(None), bool, int, float, complex, str, bytes}
_PICKLE_PROTOCOL = 4
#: The modules of scripts and notebooks, whose names can stand for anything.
_SCRIPTS = ("__main__", "__mp_main__")


class UnknownContentError(ValueError):
    """A value has no hash: code of a script or notebook, or an object that cannot be pickled."""


def frame_hash(frame: pd.DataFrame) -> str:
    """Return the hash of a frame: names, dtypes and values of its columns, without its index.

    :raises UnknownContentError: an object in it has no hash
    """
    columns = [(name, str(column.dtype), _of_column(column)) for name, column in frame.items()]
    return value_hash(columns)


def file_hash(path: str | os.PathLike[str]) -> str:
    """Return the hash of the content of a file."""
    content = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            content.update(block)
    return content.hexdigest()


def value_hash(value: Any) -> str:
    """Return the hash of any value.

    :raises UnknownContentError: it has none
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
    return _sha256(content.getbuffer())


def _sha256(content: Any) -> str:
    return hashlib.sha256(content).hexdigest()


def _of_column(column: pd.Series) -> str:
    import pandas as pd
    # pandas hashes mixed objects as text, so that 1 and "1" have the same hash.
    if column.dtype != object or pd.api.types.infer_dtype(column) == "string":
        with suppress(TypeError, ValueError):  # lists of Arrow; text that UTF-8 cannot encode
            hashes = pd.util.hash_pandas_object(column, index=False)
            return _sha256(hashes.to_numpy().tobytes())
    return value_hash(column.tolist())


class _Pickler(pickle.Pickler):
    def persistent_id(self, value: Any) -> Any:
        """Return what to write in place of a value; ``None`` for its pickled form."""
        import pandas as pd
        kind = type(value)
        if kind in _PLAIN:
            return None
        if kind in (list, tuple):
            plain = _PLAIN.issuperset(map(type, value))
            return repr(value) if plain else None
        if not isinstance(value, type) and callable(getattr(value, "digest", None)):
            return kind.__qualname__, value.digest()
        if isinstance(value, (set, frozenset)):  # order differs between processes
            hashes = sorted(map(value_hash, value))
            return kind, hashes, getattr(value, "__dict__", None)
        if isinstance(value, np.generic):  # pickle names functions that move within numpy
            return str(value.dtype), value.tobytes()
        if kind is np.ndarray:
            content = value.tolist() if value.dtype.hasobject else _sha256(value.tobytes())
            return str(value.dtype), value.shape, content
        if isinstance(value, (pd.DataFrame, pd.Series)):  # pickle stores pandas internals
            axes = [(*axis.names, *axis) for axis in value.axes]
            return frame_hash(pd.DataFrame(value)), axes
        if getattr(value, "__module__", None) in _SCRIPTS and hasattr(value, "__qualname__"):
            raise UnknownContentError(f"the code of {value.__qualname__} is not that of a module")
        return None


S = TypeVar("S", bound="NamedObject")


class NamedObject:
    """The base class of the objects in a registry.

    :param name: the name of the source; ``None`` for one derived from a hash of its content
    """

    #: What the objects of the class are, as in ``pt_fairness.groups``.
    WHAT: ClassVar[str]
    #: The pattern or the path that the object was made of, ``None`` if it was made of data.
    made_of: str | None = None
    #: The name that the user gave, ``None`` for a derived one.
    _name: str | None = None

    def __init__(self, name: str | None) -> None:
        self._name = name

    @property
    def name(self) -> str:
        """The name; by default derived from a hash of the content."""
        if self._name is None:
            self._name = self.derived + self.key
        return self._name

    @property
    def derived(self) -> str:
        """The start of a name that is derived from a hash of the content."""
        return f"{type(self).__name__.lstrip('_').lower()}-"

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
        except UnknownContentError:
            return str(self.__dict__.setdefault("_key", uuid.uuid4().hex[:12]))

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
        return isinstance(another, NamedObject) and type(self) is type(another) \
            and self.name == another.name and self.key == another.key

    def __hash__(self) -> int:
        return hash(self.name)

    def __reduce_ex__(self, protocol: SupportsIndex) -> Any:
        # Built-in sources are unpickled to the one object of the process, which caches documents.
        name = self._name
        if name is not None and name in _built_in_names(self.WHAT) \
                and built_in(self.WHAT, name) is self:
            return built_in, (self.WHAT, name)
        return super().__reduce_ex__(protocol)


def name_of(source: Any) -> Any:
    """Return the name of a :class:`NamedObject`, and any other value as it is."""
    if isinstance(source, NamedObject):
        return source.registered
    return source


#: The registry of each class of objects, by what they are.
_REGISTRIES: dict[str, Registry[Any]] = {}


#: The names of the sources of this package and the function that makes one, by what they are.
_BUILT_IN: dict[str, tuple[Collection[str], Callable[[str], Any]]] = {}


def declare(what: str, names: Collection[str], make: Callable[[str], Any]) -> None:
    """Declare the sources of this package, each of which is made when it is first needed.

    :param make: makes a source of its name
    """
    _BUILT_IN[what] = names, cache(make)


def _built_in_names(what: str) -> Collection[str]:
    names, _ = _BUILT_IN.get(what, ((), None))
    return names


def built_in(what: str, name: str) -> Any:
    """Return a source of this package, the same object at every call."""
    return _BUILT_IN[what][1](name)


def check_name(what: str, name: Any) -> None:
    """Check that a name is a text that is not empty.

    :param what: what has the name, such as ``groups``
    :raises ValueError: it is not
    """
    if not isinstance(name, str) or not name.strip():
        raise ValueError(f"{what} need a name that is not empty, not {shown(name)}")


class Registry(Generic[S]):
    """The sources of one class, by name. Registered ones take precedence over built-in ones.

    :param kind: the class
    :param read: reads a source from a path and gives it a name; ``None`` if names alone are allowed
    :param makers: the functions that create sources, listed in errors
    :param words: names that are keywords of the parameter
    :param convert: makes a source of a dictionary, a Series or a DataFrame; ``None`` if these are
        not taken
    """

    def __init__(self, kind: type[S], read: Callable[[str, str], S] | None = None,
                 makers: str = "register", words: Sequence[str] = (),
                 convert: Callable[[Any], S] | None = None) -> None:
        self._kind = kind
        self._read = read
        self._makers = makers
        self._words = words
        self._convert = convert
        self._registered: dict[str, S | Callable[[], S]] = {}
        _REGISTRIES[kind.WHAT] = self
        # The hash of the content is part of the cache key.
        self._of_content = lru_cache(FILES_KEPT)(
            lambda path, content: read(path, path))  # type: ignore[misc]

    def register(self, name: str, source: S | Callable[[], S]) -> None:
        """Register a source under a name, in place of any earlier one.

        :param source: a source, or a function that creates one when it is first needed
        :raises ValueError: it is neither, or the name is empty or a keyword
        """
        what = self._kind.WHAT
        check_name(what, name)
        if name.strip().casefold() in self._words:
            raise ValueError(f"{what} cannot be named {name!r}: {listed(self._words)} have a "
                             "meaning of their own; choose another name")
        if not isinstance(source, self._kind) and not callable(source):
            raise ValueError(f"{shown(name)} cannot be registered as a {type(source).__name__}: "
                             f"make a {self._kind.__name__} object of it with {self._makers}")
        self._registered[name] = source

    def unregister(self, name: str) -> None:
        """Remove what ``register`` has made available.

        What this package has under the same name is available again.

        :raises ValueError: nothing was registered under this name

        Examples
        --------
        >>> from pt_fairness import groups
        >>> groups.register("opinions", groups.from_mapping({"a": "PRO"}))
        >>> groups.unregister("opinions")
        >>> "opinions" in groups.names()
        False
        """
        if name not in self._registered:
            names = ", ".join(map(repr, sorted(self._registered))) or "none"
            raise ValueError(f"{shown(name)} cannot be unregistered; the names that register() has "
                             f"added are: {names}")
        del self._registered[name]

    def names(self) -> list[str]:
        """Return the names that are registered, those of this package included, sorted.

        Examples
        --------
        >>> from pt_fairness import groups
        >>> "trec-newswire" in groups.names()
        True
        """
        return sorted({*self._registered, *_built_in_names(self._kind.WHAT)})

    def get(self, source: Any) -> S:
        """Return what has a registered name, or what a file holds if nothing has that name.

        An object is returned as is. Groups are made of a dictionary, a Series or a DataFrame, as
        ``from_mapping`` and ``from_frame`` do. A parsed file is cached until its content changes.
        Other paths, such as pipes, are read by every call.

        :raises ValueError: the source is none of these

        Examples
        --------
        >>> from pt_fairness import groups
        >>> groups.get("trec-newswire").labels
        ['FBIS', 'FR', 'FT', 'LA']
        """
        what = self._kind.WHAT
        if isinstance(source, self._kind):
            return source
        if self._convert is not None and not isinstance(source, (str, os.PathLike)):
            from pt_fairness.core.identifiers import as_frame
            source = as_frame(source)
            if hasattr(source, "items"):
                return self._convert(source)
        try:
            name = os.fspath(source)
        except TypeError:
            data = ", a dictionary, a DataFrame" if self._convert is not None else ""
            raise ValueError(f"{what} are a registered name, the path of a file{data} or a "
                             f"{self._kind.__name__} object, not {shown(source)}") from None
        registered = self.find(name)
        if registered is not None:
            return registered
        if self._read is None or not os.path.exists(name):
            no_file = end = ""
            if self._read is not None:
                no_file, end = " and no such file exists", ", or give the path of a file"
            names = self.names()
            raise ValueError(f"no {what} are registered as {shown(name)}{no_file}."
                             f"{did_you_mean(name, names)} Registered are "
                             f"{listed(names) or 'none'}. In Python, register your own with "
                             f"pt_fairness.{what}.register(name, {what}){end}")
        if os.path.isfile(name):
            return self._of_content(name, file_hash(name))
        return self._read(name, name)

    def find(self, name: Any, make: bool = True) -> S | None:
        """Return the source of a name, or ``None``; paths are not read.

        An object is returned as is.

        :param make: whether to return built-in sources, and to call functions that create one
        """
        if isinstance(name, self._kind):
            return name
        source = self._registered.get(name)
        if source is None and make and name in _built_in_names(self._kind.WHAT):
            return built_in(self._kind.WHAT, name)
        if source is None or isinstance(source, self._kind):
            return source
        if not make:
            return None
        self.register(name, source())  # type: ignore[operator]
        return self.find(name)

    def name_of(self, source: S) -> str:
        """Return the first name under which a source is registered; its own if there is none."""
        for name, registered in self._registered.items():
            if registered is source:
                return name
        return source.name
