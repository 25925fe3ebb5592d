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
    for i, name in enumerate(frame.columns):
        values = frame.iloc[:, i]
        kind = pd.api.types.infer_dtype(values) if values.dtype == object else ""  # pandas takes mixed values for their text
        made_of.update(f"\n{name}\n{len(values)}\n{kind}\n".encode(errors="backslashreplace"))
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
    itself = f"{type(thing).__qualname__} {os.getpid()} {id(thing)}"
    if depth > _DEEPEST:
        return f"too deep: {itself}"
    known[id(thing)] = thing, f"around this: {type(thing).__qualname__}"
    try:
        name, parts = _looked_into(thing)
        if isinstance(thing, (set, frozenset)):
            # What one member says must not depend on which members were looked into before.
            texts = sorted(_told(part, dict(known), depth + 1) for part in parts)
        else:
            texts = [_told(part, known, depth + 1) for part in parts]
    except Exception:  # values of users raise all kinds of errors
        name, texts = itself, []
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
        file = str(thing.__file__)
        return "module", [of_file(file), *_modules(_imports(file, thing.__name__))]
    if isinstance(thing, (type, types.FunctionType)):
        return _definition(thing)
    if kind in (list, tuple) or isinstance(thing, (set, frozenset)):
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


#: What the methods of a class are.
_METHODS = (types.FunctionType, property, staticmethod, classmethod, functools.partial, _CACHED)


def _made_of(thing: Any) -> Iterable[Any]:
    """What pickle would make the value of; it raises what it likes where it cannot."""
    registered = copyreg.dispatch_table.get(type(thing))
    made = thing.__reduce_ex__(_PROTOCOL) if registered is None else registered(thing)
    if isinstance(made, str):  # the name of something that is installed
        return [made, getattr(thing, "__module__", "")]
    # The items of lists and dictionaries come as iterators.
    return [*made[:3], *(list(items) for items in made[3:5] if items is not None)]


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
        if not special or isinstance(value, _METHODS):
            yield name
            yield value


def _of_function(thing: types.FunctionType) -> Iterator[Any]:
    named: list[str] = []
    imported: list[tuple[str, int, Iterable[str]]] = []
    yield from _instructions(thing.__code__, named, imported)
    yield _modules(name for one in imported for name in _candidates(*one, thing.__globals__.get("__package__")))
    yield {name: value for name, value in vars(thing).items() if name != "__wrapped__"}
    yield thing.__defaults__
    yield thing.__kwdefaults__
    for name in named:
        if name in thing.__globals__:
            yield name
            yield thing.__globals__[name]


def _modules(names: Iterable[str]) -> list[str]:
    """The modules of the user among these and all that they import, directly or not: their names and contents."""
    found: dict[str, str] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        file = _file_of(name)
        found[name] = ""
        if file is not None:
            found[name] = of_file(file)
            waiting += _imports(file, name)
    return [f"{name} {content}" for name, content in sorted(found.items()) if content]


def _file_of(module: str) -> str | None:
    """The file of a module of the user, which may not have been imported yet; ``None`` for any other."""
    package = module.rpartition(".")[0]
    if module in sys.modules:
        file = None if _installed(module) else getattr(sys.modules[module], "__file__", None)
    elif package and package not in sys.modules:
        return None  # to look for it would import the package
    else:
        try:
            spec = importlib.util.find_spec(module)
        except Exception:  # code may try what is not there, and whatever finds modules may raise
            return None
        file = None if spec is None or _installed_file(spec.origin or "") else spec.origin
    return file if file is not None and os.path.isfile(file) else None


def _imports(file: str, module: str) -> list[str]:
    """What the text of a module imports, wherever in it; nothing where that cannot be told."""
    package = module if os.path.basename(file) == "__init__.py" else module.rpartition(".")[0]
    try:
        with open(file, "rb") as text:
            tree = ast.parse(text.read() if file.endswith(".py") else b"")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += _candidates(node.module or "", node.level, [alias.name for alias in node.names], package)
    return found


def _candidates(module: str, level: int, names: Iterable[str], package: str | None) -> list[str]:
    """The modules that an import may mean: what is imported from a module may be a module."""
    try:
        base = importlib.util.resolve_name("." * level + module, package)
    except ImportError:  # beyond the outermost package, where code may try it all the same
        return []
    return [base, *(f"{base}.{name}" for name in names)]


def _instructions(code: types.CodeType, named: list[str], imported: list[tuple[str, int, Iterable[str]]]) -> Iterator[Any]:
    """
    :param named: takes the names that the code uses
    :param imported: takes what :func:`_candidates` needs of each import
    """
    named += code.co_names
    steps = list(dis.get_instructions(code))
    # Level and names are what is loaded right before.
    imported += [(step.argval, steps[i - 2].argval or 0, steps[i - 1].argval or ()) for i, step in enumerate(steps)
                 if step.opname == "IMPORT_NAME"]
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
