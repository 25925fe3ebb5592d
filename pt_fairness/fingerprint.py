"""Hash data and code, for cache keys and for names derived from content.

Equal inputs have the same hash in every process. Frames, arrays, files, plain values and containers
are hashed by content, other objects by their pickled state. Objects that cannot be pickled, such as
database connections, get a unique random hash.

Importable functions and classes are hashed by the source text of their module. Those defined in a
script, a notebook or a function are hashed by their byte code and the globals it refers to.

Not hashed are modules that a module imports, imports within functions, and files that code reads:
use a new checkpoint folder after changing one of these. The source text is read from the current
file: restart Python after editing it.
"""

from __future__ import annotations

import copyreg
import dis
import functools
import hashlib
import itertools
import os
import pickle
import sys
import types
import uuid
from collections.abc import Iterable, Iterator
from typing import IO, Any

import numpy as np
import pandas as pd

_PLAIN = {type(None), bool, int, float, complex, str, bytes}
_WRAPPERS = (property, functools.cached_property, staticmethod, classmethod,
             type(functools.cache(lambda: None)))
_BYTE_CODE = ("co_code", "co_consts", "co_names", "co_varnames", "co_argcount",
              "co_posonlyargcount", "co_kwonlyargcount", "co_flags", "co_exceptiontable")
_PICKLE_PROTOCOL = 4  # the last one that stores arrays whole
#: Values and their hashes, by id. The reference to a value prevents the reuse of its id.
_Hashes = dict[int, tuple[Any, str]]
_random_hashes: _Hashes = {}


def of_frame(frame: pd.DataFrame) -> str:
    """Return the hash of a frame: names, dtypes and values of its columns, without its index."""
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
    """Return the hash of any value, function or class."""
    return _sha256(_hash(value, {}, 0).encode())


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _of_column(column: pd.Series) -> str:
    # pandas hashes mixed objects as text, so that 1 and "1" have the same hash.
    if column.dtype != object or pd.api.types.infer_dtype(column) == "string":
        try:
            return _sha256(pd.util.hash_pandas_object(column, index=False).to_numpy().tobytes())
        except (TypeError, ValueError):  # lists of Arrow; text that UTF-8 cannot encode
            pass
    return of_value(column.tolist())


def _hash(value: Any, hashes: _Hashes, depth: int) -> str:
    """Return the hash of a value, or its ``repr`` if it is plain.

    :param hashes: the hashes of values seen before, by id
    :param depth: the number of enclosing values, which distinguishes references to them
    """
    kind = type(value)
    if kind in _PLAIN or (kind in (list, tuple) and _PLAIN.issuperset(map(type, value))):
        return repr(value)
    if id(value) not in hashes:
        hashes[id(value)] = value, f"enclosing {depth}"
        try:
            if isinstance(value, (set, frozenset)):  # order differs between processes
                members = sorted(_hash(member, {}, depth + 1) for member in value)
                parts = [_hash(kind, hashes, depth + 1), *members]
            else:
                parts = [_hash(part, hashes, depth + 1) for part in _parts(value)]
            text = _sha256("\n".join([kind.__name__, *parts]).encode())
        except Exception as error:  # pickle and users' classes raise many types of errors
            if isinstance(error, RecursionError) and depth > 0:
                raise
            text = _random_hashes.setdefault(id(value), (value, uuid.uuid4().hex))[1]
        hashes[id(value)] = value, text
    return hashes[id(value)][1]


def _parts(value: Any) -> Iterable[Any]:
    """Return the parts of a value to hash."""
    if type(value) in (list, tuple):
        return value
    if type(value) is dict:
        return itertools.chain.from_iterable(value.items())
    if type(value) is np.ndarray and not value.dtype.hasobject:
        return str(value.dtype), value.shape, _sha256(value.tobytes())
    if isinstance(value, (pd.DataFrame, pd.Series)):  # pickle stores pandas internals
        return of_frame(pd.DataFrame(value)), *value.axes
    if isinstance(value, pd.Index):
        return [of_frame(value.to_frame(index=False))]
    if isinstance(value, types.ModuleType):
        # Cache keys hold the version of this package; names derived from content must not change
        # with it.
        own = value.__name__.partition(".")[0] == __name__.partition(".")[0]
        file = "" if own else getattr(value, "__file__", None) or ""
        return value.__name__, of_file(file) if file.endswith((".py", ".pyc")) else ""
    if isinstance(value, (type, types.FunctionType)):
        return _parts_of_code(value)
    if isinstance(value, types.CodeType):
        return [getattr(value, name, None) for name in _BYTE_CODE]
    if isinstance(value, _WRAPPERS):
        return [getattr(value, name, None) for name in ("__wrapped__", "func", "fget", "fset")]
    reduce = copyreg.dispatch_table.get(type(value))
    reduced = value.__reduce_ex__(_PICKLE_PROTOCOL) if reduce is None else reduce(value)
    if isinstance(reduced, str):  # the name to import it by
        return [pickle.dumps(value, _PICKLE_PROTOCOL)]
    return [list(part) if isinstance(part, Iterator) else part for part in reduced]


def _parts_of_code(value: Any) -> Iterable[Any]:
    """Return the parts of a Python function or a class to hash."""
    if value.__module__ not in ("__main__", "__mp_main__"):
        try:
            name = pickle.dumps(value, _PICKLE_PROTOCOL)
            return name, sys.modules[value.__module__], getattr(value, "__bases__", ())
        except Exception:  # not importable by name
            pass
    if isinstance(value, type):
        members = [(name, member) for name, member in sorted(vars(value).items())
                   if isinstance(member, (types.FunctionType, *_WRAPPERS))
                   or not (name.startswith("__") or name == "_abc_impl")]
        return value.__name__, type(value), value.__bases__, members
    # Source text is missing for classes of notebooks and for code that was unpickled, and it does
    # not show the values of global variables.
    names = sorted(_global_names(value.__code__) & value.__globals__.keys())
    return (value.__qualname__, value.__code__, value.__defaults__, value.__kwdefaults__,
            [cell.cell_contents for cell in value.__closure__ or ()], vars(value),
            [(name, value.__globals__[name]) for name in names])


def _global_names(code: types.CodeType) -> set[str]:
    inner = [_global_names(part) for part in code.co_consts if isinstance(part, types.CodeType)]
    steps = dis.get_instructions(code)
    return {step.argval for step in steps if step.opname == "LOAD_GLOBAL"}.union(*inner)
