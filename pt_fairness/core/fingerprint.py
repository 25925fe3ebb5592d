"""Hash data and code, for cache keys and for names derived from content.

Equal inputs have the same hash in every process. Frames, arrays, files, plain values and containers
are hashed by content, other objects by their method ``digest()`` if they have one, else by their
pickled state. Functions and classes are hashed by the source text of their module, those of this
package by their name.

Not hashed are modules that a module imports, and files that code reads: use a new checkpoint folder
after changing one of these. The source text is read from the current file: restart Python after
editing it.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import types
from collections.abc import Iterable
from contextlib import suppress
from io import BytesIO
from typing import IO, Any

import numpy as np
import pandas as pd

_PLAIN = {type(None), bool, int, float, complex, str, bytes}
_PICKLE_PROTOCOL = 4  # the last one that stores arrays whole


class UnknownContentError(ValueError):
    """A value has no hash: code of a script or notebook, or an object that cannot be pickled."""


def of_frame(frame: pd.DataFrame) -> str:
    """Return the hash of a frame: names, dtypes and values of its columns, without its index.

    :raises UnknownContentError: an object in it has no hash
    """
    return of_value([(name, str(column.dtype), _of_column(column))
                     for name, column in frame.items()])


def of_file(path: str | os.PathLike[str]) -> str:
    """Return the hash of the content of a file."""
    with open(path, "rb") as file:
        return of_opened_file(file)


def of_opened_file(file: IO[bytes]) -> str:
    """Return the hash of the rest of an open file."""
    content = hashlib.sha256()
    while block := file.read(1 << 20):
        content.update(block)
    return content.hexdigest()


def of_value(value: Any) -> str:
    """Return the hash of any value, function or class.

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
    # pandas hashes mixed objects as text, so that 1 and "1" have the same hash.
    if column.dtype != object or pd.api.types.infer_dtype(column) == "string":
        with suppress(TypeError, ValueError):  # lists of Arrow; text that UTF-8 cannot encode
            return _sha256(pd.util.hash_pandas_object(column, index=False).to_numpy().tobytes())
    return of_value(column.tolist())


class _Pickler(pickle.Pickler):
    def persistent_id(self, value: Any) -> Any:
        """Return what to write in place of a value; ``None`` for its pickled form."""
        kind = type(value)
        if kind in _PLAIN:
            return None
        if kind in (list, tuple):
            return repr(value) if _PLAIN.issuperset(map(type, value)) else None
        if not isinstance(value, type) and callable(getattr(value, "digest", None)):
            return kind.__qualname__, value.digest()
        if isinstance(value, (set, frozenset)):  # order differs between processes
            return kind, sorted(map(of_value, value)), getattr(value, "__dict__", None)
        if kind is np.ndarray and not value.dtype.hasobject:
            return str(value.dtype), value.shape, _sha256(value.tobytes())
        if isinstance(value, (pd.DataFrame, pd.Series)):  # pickle stores pandas internals
            return of_frame(pd.DataFrame(value)), [(*axis.names, *axis) for axis in value.axes]
        # pickle writes a method as its object and its name.
        method = isinstance(value, types.MethodDescriptorType) or not isinstance(
            getattr(value, "__self__", None), (types.ModuleType, type(None)))
        return None if method or not hasattr(value, "__qualname__") else _code(value)


def _source(module: types.ModuleType) -> str:
    # Cache keys hold the version of this package; names derived from content must not change with
    # it.
    own = module.__name__.partition(".")[0] == __name__.partition(".")[0]
    file = "" if own else getattr(module, "__file__", None) or ""
    return of_file(file) if file.endswith((".py", ".pyc")) else ""


def _code(value: Any) -> Iterable[Any]:
    """Return what identifies a function or a class: its name and the source of its module.

    A function that another one made also has its line and what it refers to there.

    :raises UnknownContentError: its module cannot be imported, or it has no name there
    """
    name, found = value.__qualname__, sys.modules.get(getattr(value, "__module__", None) or "")
    module = found
    for part in name.split("."):
        found = getattr(found, part, None)
    made = isinstance(value, types.FunctionType) and "<lambda>" not in name and found is not value
    if module is None or module.__name__ in ("__main__", "__mp_main__") \
            or not (found is value or made):
        raise UnknownContentError(f"the code of {name} is not that of a module")
    held = (value.__code__.co_firstlineno, value.__defaults__, value.__kwdefaults__,
            [cell.cell_contents for cell in value.__closure__ or ()]) if made else ()
    return module.__name__, name, _source(module), getattr(value, "__bases__", ()), held
