"""Functions called before and after another package is imported, and names imported when used.

The ``.pth`` file that ``pt-fairness plug`` writes also executes this file on its own. This file
imports only ``sys`` until one of the packages is imported.
"""

import sys

if False:  # for type checkers only, because importing typing is slow
    from collections.abc import Callable, Mapping
    from typing import Any


class _AfterImport:
    """Meta path finder that wraps the loader of a package to call a function after its import.

    :param name: the name of the package
    :param callback: the function, called once
    :param before: a function that is called before the import
    """

    def __init__(self, name: str, callback: "Callable[[], object]",
                 before: "Callable[[], object] | None" = None) -> None:
        self.name = name
        self.callback = callback
        self.before = before
        self.searching = False

    def find_spec(self, name: str, path: "Any" = None, target: "Any" = None) -> "Any":
        if name != self.name or self.searching:
            return None
        import importlib.util
        self.searching = True
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.searching = False
        # A caller can find the spec without importing the package, so the callback is attached to
        # the loader.
        if spec is not None and spec.loader is not None:
            def exec_module(module: "Any") -> None:
                if self.before is not None:
                    self.before()
                execute(module)
                if self in sys.meta_path:
                    sys.meta_path.remove(self)  # type: ignore[arg-type]
                    self.callback()

            try:
                execute = spec.loader.exec_module
                spec.loader.exec_module = exec_module  # type: ignore[method-assign]
            except AttributeError:
                # The loader lacks exec_module, or has a read-only one: import without the callback.
                pass
        return spec


def after_import(name: str, callback: "Callable[[], object]",
                 before: "Callable[[], object] | None" = None) -> None:
    """Call ``callback()`` after ``name`` is imported, or at once if it is imported already.

    :param before: a function that is called before the import, unless that has happened already
    """
    if name in sys.modules:
        callback()
    else:
        sys.meta_path.insert(0, _AfterImport(name, callback, before))  # type: ignore[arg-type]


def plug(name: str, load: "Callable[[], object]") -> None:
    """Import pt_fairness with ``load()`` after the package ``name`` is imported.

    An error of the import is written to standard error, not raised.
    """
    def reported() -> None:
        try:
            load()
        except Exception as error:
            sys.stderr.write(
                "pt_fairness is plugged in but cannot be imported (%s); pt-fairness unplug, or "
                "removing pt_fairness_plug.pth from site-packages, ends this\n" % error)

    after_import(name, reported)


def lazy(package: str, modules: "Mapping[str, str]") -> "Callable[[str], Any]":
    """Return the ``__getattr__`` of a package.

    :param package: the ``__name__`` of the package
    :param modules: the module of each name; a module of that name is the value itself
    """
    def find(name: str) -> "Any":
        import importlib
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = importlib.import_module(modules[name])
        if modules[name].endswith(f".{name}"):
            return module
        return getattr(module, name)

    return find
