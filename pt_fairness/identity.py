"""When two inputs are the same: short texts that differ where frames, files or code do.

What is kept from one call to the next is known by these, and names are made of them; so the same input has the same text in
every process.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import pickle
import sys
import sysconfig
import types
import uuid
from collections.abc import Iterator
from typing import Any

import pandas as pd


def of_frame(frame: pd.DataFrame, settings: str = "") -> str:
    """
    :param settings: what else it depends on
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
    made_of = hashlib.sha256()
    with open(path, "rb") as file:
        while part := file.read(1 << 20):
            made_of.update(part)
    return made_of.hexdigest()


def of_code(thing: Any) -> str:
    """What a function or class does: its code, and the functions, classes and values that the code names."""
    return hashlib.sha256("\n".join(_said(thing, {})).encode()).hexdigest()


def _said(thing: Any, seen: dict[int, Any]) -> Iterator[str]:
    if isinstance(thing, (staticmethod, classmethod, types.MethodType)):
        thing = thing.__func__
    elif isinstance(thing, (property, functools.cached_property)):
        thing = thing.fget if isinstance(thing, property) else thing.func
    if isinstance(thing, (type, types.FunctionType, tuple, list)):
        if id(thing) in seen:
            yield "as before"
            return
        seen[id(thing)] = thing  # kept, so that nothing else gets its id
    if isinstance(thing, type):
        yield from _installed(thing) or _of_class(thing, seen)
    elif isinstance(thing, types.FunctionType):
        yield from _installed(thing) or _of_function(thing, seen)
        for cell in thing.__closure__ or ():
            with contextlib.suppress(ValueError):  # empty
                yield from _said(cell.cell_contents, seen)
    elif isinstance(thing, (tuple, list)):
        for one in thing:
            yield from _said(one, seen)
    elif isinstance(thing, types.ModuleType):
        yield thing.__name__
    else:
        try:
            yield hashlib.sha256(pickle.dumps(thing)).hexdigest()
        except Exception:  # anything may be there; what cannot be told is like nothing else
            yield uuid.uuid4().hex


#: What a class has that does not say what it does.
_ATTRIBUTES_OF_ALL = frozenset({"__dict__", "__weakref__", "__doc__", "__module__", "__firstlineno__", "__static_attributes__",
                                "__abstractmethods__", "_abc_impl"})


def _of_class(thing: type, seen: dict[int, Any]) -> Iterator[str]:
    yield thing.__qualname__
    for base in thing.__bases__:
        yield from _said(base, seen)
    for name, value in vars(thing).items():
        if name not in _ATTRIBUTES_OF_ALL and not isinstance(value, types.MemberDescriptorType):
            yield name
            yield from _said(value, seen)


def _of_function(thing: types.FunctionType, seen: dict[int, Any]) -> Iterator[str]:
    named: list[str] = []
    yield from _instructions(thing.__code__, named)
    yield from _said((thing.__defaults__, thing.__kwdefaults__), seen)
    for name in named:
        if name in thing.__globals__:
            yield name
            yield from _said(thing.__globals__[name], seen)


def _instructions(code: types.CodeType, named: list[str]) -> Iterator[str]:
    """
    :param named: takes the names that the code uses
    """
    named += code.co_names
    yield f"{code.co_code!r} {code.co_names} {code.co_varnames}"
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _instructions(constant, named)
        else:
            yield repr(sorted(map(repr, constant)) if isinstance(constant, frozenset) else constant)


def _installed(thing: Any) -> tuple[str, ...]:
    """What says enough of a class or function that is part of Python or of a package; nothing where it is the user's."""
    module = sys.modules.get(thing.__module__ or "")
    file = getattr(module, "__file__", None)
    name = f"{thing.__module__}.{thing.__qualname__}"
    if file is None:
        return (name,) if thing.__module__ in sys.builtin_module_names else ()
    if {"site-packages", "dist-packages"} & set(file.split(os.sep)):
        return name, of_file(file)
    own = thing.__module__.partition(".")[0] == "pt_fairness"
    return (name,) if own or file.startswith(sysconfig.get_path("stdlib") + os.sep) else ()
