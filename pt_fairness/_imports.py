"""Runs something right after another package has been imported, without importing that package.

This file is also run on its own, at interpreter start, by the ``.pth`` file that ``pt-fairness plug`` writes: it imports
nothing but ``sys`` until one of the packages is really imported.
"""

import sys

if False:  # for type checkers; typing itself would be an import too many
    from collections.abc import Callable, Iterable
    from typing import Any


class _AfterImport:
    """A finder that finds nothing itself, but lets a package's own loader call back when it is done."""

    def __init__(self, name: str, callback: "Callable[[], object]") -> None:
        self.name, self.callback = name, callback

    def find_spec(self, name: str, path: "Any" = None, target: "Any" = None) -> "Any":
        if name != self.name:
            return None
        sys.meta_path.remove(self)
        import importlib.util
        spec = importlib.util.find_spec(name)
        if spec is None or spec.loader is None:
            return None
        execute, callback = spec.loader.exec_module, self.callback

        def exec_module(module: "Any") -> None:
            execute(module)
            callback()

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def after_import(name: str, callback: "Callable[[], object]") -> None:
    """Calls ``callback()`` once ``name`` has been imported: now, if it has been already."""
    if name in sys.modules:
        callback()
    else:
        sys.meta_path.insert(0, _AfterImport(name, callback))


def plug(names: "Iterable[str]") -> None:
    """Imports pt_fairness with the first of the packages ``names``; it never gets in their way."""
    def load() -> None:
        try:
            import pt_fairness  # noqa: F401
        except Exception as error:
            sys.stderr.write("pt_fairness is plugged in but cannot be imported (%s); see pt-fairness unplug\n" % error)

    for name in names:
        if name not in sys.modules:
            sys.meta_path.insert(0, _AfterImport(name, load))
