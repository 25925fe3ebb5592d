"""When two inputs are the same: short texts that differ where frames, files or code do, and are the same in every process."""

from __future__ import annotations

import ast
import copyreg
import dis
import functools
import hashlib
import importlib.util
import io
import itertools
import os
import pickle
import sys
import sysconfig
import threading
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


def of_value(thing: Any) -> str:
    """Any value, such as a function or class of the user: its code, and the functions, classes and values that the code names.

    Of a module, class or function that is installed, the name counts; of a module of the user, its file. What cannot be looked
    into, such as a connection to a database, is the same as nothing else.
    """
    return _told(thing, {}, 0)


#: Values that say all of themselves.
_PLAIN = (type(None), bool, int, float, complex, str, bytes)
#: What holds no values, though it cannot be looked into.
_TOOLS = (io.IOBase, type(threading.Lock()), type(threading.RLock()), threading.local)
#: How far values within values are looked into.
_DEEPEST = 50


def _told(thing: Any, known: dict[int, tuple[Any, str]], depth: int) -> str:
    """
    :param known: what has been looked into, kept so that nothing else gets its id
    """
    if type(thing) in _PLAIN:
        return repr(thing)
    if type(thing) in (list, tuple) and all(type(one) in _PLAIN for one in thing):
        return f"{type(thing).__qualname__} {list(thing)!r}"
    if id(thing) in known:
        return known[id(thing)][1]
    if depth > _DEEPEST:
        return f"too deep: {type(thing).__qualname__}"
    known[id(thing)] = thing, f"around this: {type(thing).__qualname__}"
    name, parts = _looked_into(thing)
    texts = [_told(part, known, depth + 1) for part in parts]
    if isinstance(thing, (set, frozenset)):
        texts.sort()
    text = hashlib.sha256("\n".join([name, *texts]).encode(errors="backslashreplace")).hexdigest()
    known[id(thing)] = thing, text
    return text


def _looked_into(thing: Any) -> tuple[str, Iterable[Any]]:
    """What a value is called, and the values that make it."""
    kind = type(thing)
    name: str = kind.__qualname__
    if isinstance(thing, types.ModuleType):
        if _installed(thing.__name__) or not os.path.isfile(getattr(thing, "__file__", None) or ""):
            return thing.__name__, ()
        return "module", _of_module(str(thing.__file__), thing.__name__)
    if isinstance(thing, _Imported):
        return thing, thing.parts()
    if isinstance(thing, (type, types.FunctionType)):
        return _definition(thing)
    if kind in (list, tuple, set, frozenset):
        return name, thing
    if isinstance(thing, types.MappingProxyType) or kind is dict:
        return "dict", itertools.chain.from_iterable(thing.items())
    if isinstance(thing, (pd.DataFrame, pd.Series, pd.Index)):
        # By content: how pandas holds equal frames differs.
        frame = thing if isinstance(thing, pd.DataFrame) else pd.DataFrame({"values": thing})
        parts = [] if isinstance(thing, pd.Index) else [thing.index]
        return f"{name} {of_frame(frame)}", [*parts, getattr(thing, "name", None)]
    if isinstance(thing, np.ndarray) and not thing.dtype.hasobject:
        return f"{thing.dtype} {thing.shape} {hashlib.sha256(thing.tobytes()).hexdigest()}", ()
    if isinstance(thing, (property, functools.cached_property)):
        return name, (thing.fget, thing.fset) if isinstance(thing, property) else [thing.func]
    if isinstance(thing, types.MethodType):
        return name, (thing.__func__, thing.__self__)
    if isinstance(thing, (staticmethod, classmethod, _CACHED)):
        return name, [thing.__wrapped__]
    if isinstance(thing, _TOOLS):
        return name, ()
    return name, _made_of(thing)


#: What ``functools.cache`` makes of a function.
_CACHED = type(functools.cache(lambda: None))


#: The last pickle protocol that has everything in it; later ones keep buffers apart.
_PROTOCOL = 4


def _made_of(thing: Any) -> Iterable[Any]:
    """What pickle would make the value of."""
    try:
        registered = copyreg.dispatch_table.get(type(thing))
        made = thing.__reduce_ex__(_PROTOCOL) if registered is None else registered(thing)
        if isinstance(made, str):  # the name of something that is installed
            return [made, getattr(thing, "__module__", "")]
        # The items of lists and dictionaries come as iterators.
        return [*made[:3], *(list(items) for items in made[3:5] if items is not None)]
    except Exception:  # any class may refuse in its own way
        return [type(thing), getattr(thing, "__dict__", None), os.getpid(), id(thing)]


def _definition(thing: Any) -> tuple[str, Iterable[Any]]:
    """The name and parts of a class or of a function that is written in Python."""
    own = not _installed(thing.__module__)
    parts = [] if isinstance(thing, type) else [cell.cell_contents for cell in thing.__closure__ or ()
                                                if cell != types.CellType()]
    if own:
        parts += _of_class(thing) if isinstance(thing, type) else _of_function(thing)
    # A process that a script starts knows the script by another name.
    return thing.__qualname__ if own else f"{thing.__module__}.{thing.__qualname__}", parts


def _of_class(thing: type) -> Iterator[Any]:
    yield thing.__bases__
    for name, value in vars(thing).items():
        special = name.startswith("__") or name == "_abc_impl"  # Python's own notes on a class, but for its methods
        if not special or isinstance(value, (types.FunctionType, property, staticmethod, classmethod)):
            yield name
            yield value


def _of_function(thing: types.FunctionType) -> Iterator[Any]:
    named: list[str] = []
    imported: list[str] = []
    yield from _instructions(thing.__code__, named, imported)
    for name in imported:
        yield _Imported(name)
    yield thing.__defaults__
    yield thing.__kwdefaults__
    for name in named:
        if name in thing.__globals__:
            yield name
            yield thing.__globals__[name]


class _Imported(str):
    """The name of a module that code imports, and which may not have been imported yet."""

    def parts(self) -> Iterable[Any]:
        """What is the user's of it."""
        package = self.rpartition(".")[0]
        if self in sys.modules:
            file = None if _installed(self) else getattr(sys.modules[self], "__file__", None)
        elif package and package not in sys.modules:
            return []  # to look for it would import the package
        else:
            try:
                spec = importlib.util.find_spec(self)
            except (ImportError, AttributeError, ValueError):  # code may try what is not there
                return []
            file = None if spec is None or _installed_file(spec.origin or "") else spec.origin
        return _of_module(file, self) if file is not None and os.path.isfile(file) else []


def _of_module(file: str, name: str) -> list[Any]:
    """The text of a module of the user, and the modules that it imports, wherever in the text."""
    with open(file, "rb") as text:
        tree = ast.parse(text.read())
    package = name if os.path.basename(file) == "__init__.py" else name.rpartition(".")[0]
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and (node.level == 0 or package):
            base = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            found += [base, *(f"{base}.{alias.name}" for alias in node.names)]  # what is imported may be a module
    return [of_file(file), *map(_Imported, found)]


def _instructions(code: types.CodeType, named: list[str], imported: list[str]) -> Iterator[Any]:
    """
    :param named: takes the names that the code uses
    :param imported: takes the modules that it imports
    """
    named += code.co_names
    imported += [step.argval for step in dis.get_instructions(code) if step.opname == "IMPORT_NAME"]
    yield code.co_code
    yield (*code.co_names, "|", *code.co_varnames)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _instructions(constant, named, imported)
        else:
            yield constant


def _installed(module: str | None) -> bool:
    """Whether a module is part of Python or of a package, and not the user's."""
    if module in (None, "__main__", "__mp_main__"):
        return False
    if module.partition(".")[0] == "pt_fairness" or module in sys.builtin_module_names:
        return True
    file = getattr(sys.modules.get(module), "__file__", None)
    return file is not None and _installed_file(file)


def _installed_file(file: str) -> bool:
    return bool({"site-packages", "dist-packages"} & set(file.split(os.sep))) or file.startswith(
        sysconfig.get_path("stdlib") + os.sep)
