"""When two inputs are the same: short texts that differ where frames, files or code do, and are the same in every process."""

from __future__ import annotations

import functools
import hashlib
import itertools
import os
import pickle
import sys
import sysconfig
import types
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pandas as pd


def of_frame(frame: pd.DataFrame, settings: str = "") -> str:
    """The content of a frame, by column; its index does not count.

    :param settings: what else the text depends on
    """
    made_of = hashlib.sha256(settings.encode())
    for name in frame.columns:
        values = frame[name]
        made_of.update(f"\n{name}\n{len(values)}\n".encode())
        if values.dtype.kind in "iuf":
            made_of.update(f"{values.dtype}\n".encode() + values.to_numpy().tobytes())
            continue
        try:
            made_of.update(pd.util.hash_pandas_object(values, index=False).to_numpy().tobytes())
        except TypeError:  # lists, dictionaries, arrays
            made_of.update(pickle.dumps(values.tolist()))
    return made_of.hexdigest()


def of_file(path: str | os.PathLike[str]) -> str:
    """The content of a file, whatever it is called."""
    made_of = hashlib.sha256()
    with open(path, "rb") as file:
        while part := file.read(1 << 20):
            made_of.update(part)
    return made_of.hexdigest()


def of_code(thing: Any) -> str:
    """What a function or class of the user does: its code, and the functions, classes and values that the code names.

    Of what cannot be looked into, the type alone counts; of a module of the user, its file.
    """
    return hashlib.sha256("\n".join(_said(thing, {})).encode(errors="backslashreplace")).hexdigest()


#: Values that say all of themselves.
_PLAIN = (type(None), bool, int, float, complex, str, bytes)
#: How far values within values are looked into.
_DEEPEST = 20


def _said(thing: Any, seen: dict[int, Any], depth: int = 0) -> Iterator[str]:
    if isinstance(thing, _PLAIN):
        yield repr(thing)
        return
    if isinstance(thing, (list, tuple)) and all(isinstance(one, _PLAIN) for one in thing):
        yield repr(list(thing))
        return
    if id(thing) in seen or depth > _DEEPEST:
        yield f"again, or too deep: {type(thing).__qualname__}"
        return
    seen[id(thing)] = thing  # kept, so that nothing else gets its id
    parts: Iterable[Any] = ()
    if isinstance(thing, types.ModuleType):
        file = getattr(thing, "__file__", None) or ""
        yield of_file(file) if os.path.isfile(file) and not _installed(thing.__name__) else thing.__name__
    elif isinstance(thing, (type, types.FunctionType)):
        own = not _installed(thing.__module__)
        # A process that a script starts knows the script by another name.
        yield thing.__qualname__ if own else f"{thing.__module__}.{thing.__qualname__}"
        if isinstance(thing, types.FunctionType):
            parts = [cell.cell_contents for cell in thing.__closure__ or () if cell != types.CellType()]
        if own:
            parts = [*parts, *(_of_class(thing) if isinstance(thing, type) else _of_function(thing))]
    elif isinstance(thing, (pd.DataFrame, pd.Series)):
        yield of_frame(thing if isinstance(thing, pd.DataFrame) else thing.to_frame("values"))
    elif isinstance(thing, np.ndarray) and thing.dtype != object:
        yield f"{thing.dtype} {thing.shape} {hashlib.sha256(thing.tobytes()).hexdigest()}"
    elif isinstance(thing, (list, tuple)):
        parts = thing
    elif isinstance(thing, (set, frozenset)):
        yield repr(sorted(map(repr, thing)))
    elif isinstance(thing, (dict, types.MappingProxyType)):
        parts = itertools.chain.from_iterable(thing.items())
    elif isinstance(thing, functools.partial):
        parts = thing.func, thing.args, thing.keywords
    elif isinstance(thing, types.MethodType):
        parts = thing.__func__, thing.__self__
    elif isinstance(thing, property):
        parts = thing.fget, thing.fset
    elif isinstance(thing, functools.cached_property):
        parts = [thing.func]
    elif hasattr(thing, "__wrapped__"):  # static and class methods, what functools wraps around functions
        parts = [thing.__wrapped__]
    else:
        own = not _installed(type(thing).__module__)
        name = getattr(thing, "__qualname__", getattr(thing, "__name__", ""))  # of a function that is not written in Python
        yield f"{type(thing).__qualname__} {name}"
        parts = (type(thing), getattr(thing, "__dict__", None)) if own else ()
    for part in parts:
        yield from _said(part, seen, depth + 1)


def _of_class(thing: type) -> Iterator[Any]:
    yield thing.__bases__
    for name, value in vars(thing).items():
        special = name.startswith("__") or name == "_abc_impl"  # Python's own notes on a class, but for its methods
        if not special or isinstance(value, (types.FunctionType, property, staticmethod, classmethod)):
            yield name
            yield value


def _of_function(thing: types.FunctionType) -> Iterator[Any]:
    named: list[str] = []
    yield from _instructions(thing.__code__, named)
    yield thing.__defaults__
    yield thing.__kwdefaults__
    for name in named:
        if name in thing.__globals__:
            yield name
            yield thing.__globals__[name]


def _instructions(code: types.CodeType, named: list[str]) -> Iterator[Any]:
    """
    :param named: takes the names that the code uses
    """
    named += code.co_names
    yield code.co_code
    yield (*code.co_names, "|", *code.co_varnames)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _instructions(constant, named)
        else:
            yield constant


def _installed(module: str | None) -> bool:
    """Whether a module is part of Python or of a package, and not the user's."""
    if module in (None, "__main__", "__mp_main__"):
        return False
    if module.partition(".")[0] == "pt_fairness" or module in sys.builtin_module_names:
        return True
    file = getattr(sys.modules.get(module), "__file__", None)
    return file is not None and (bool({"site-packages", "dist-packages"} & set(file.split(os.sep)))
                                 or file.startswith(sysconfig.get_path("stdlib") + os.sep))
