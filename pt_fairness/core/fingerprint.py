"""Hash data, for names derived from content.

Equal inputs have the same hash in every process, whatever the version of numpy. Frames, arrays,
files, plain values and containers are hashed by content, other objects by their method ``digest()``
if they have one, else by their pickled state, which holds functions and classes by their names.
"""

from __future__ import annotations

import hashlib
import os
import pickle
from contextlib import suppress
from io import BytesIO
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

_PLAIN = {type(None), bool, int, float, complex, str, bytes}
_PICKLE_PROTOCOL = 4
#: The modules of scripts and notebooks, whose names can stand for anything.
_SCRIPTS = ("__main__", "__mp_main__")


class UnknownContentError(ValueError):
    """A value has no hash: code of a script or notebook, or an object that cannot be pickled."""


def of_frame(frame: pd.DataFrame) -> str:
    """Return the hash of a frame: names, dtypes and values of its columns, without its index.

    :raises UnknownContentError: an object in it has no hash
    """
    columns = [(name, str(column.dtype), _of_column(column)) for name, column in frame.items()]
    return of_value(columns)


def of_file(path: str | os.PathLike[str]) -> str:
    """Return the hash of the content of a file."""
    content = hashlib.sha256()
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            content.update(block)
    return content.hexdigest()


def of_value(value: Any) -> str:
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
    return of_value(column.tolist())


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
            hashes = sorted(map(of_value, value))
            return kind, hashes, getattr(value, "__dict__", None)
        if isinstance(value, np.generic):  # pickle names functions that move within numpy
            return str(value.dtype), value.tobytes()
        if kind is np.ndarray:
            content = value.tolist() if value.dtype.hasobject else _sha256(value.tobytes())
            return str(value.dtype), value.shape, content
        if isinstance(value, (pd.DataFrame, pd.Series)):  # pickle stores pandas internals
            axes = [(*axis.names, *axis) for axis in value.axes]
            return of_frame(pd.DataFrame(value)), axes
        if getattr(value, "__module__", None) in _SCRIPTS and hasattr(value, "__qualname__"):
            raise UnknownContentError(f"the code of {value.__qualname__} is not that of a module")
        return None
