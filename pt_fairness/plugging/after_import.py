"""Runs something right after another package has been imported, without importing that package.

This file is also run on its own, by the ``.pth`` file that ``pt-fairness plug`` writes: it imports
nothing but ``sys`` until one of the packages is really imported.
"""

import sys

if False:  # for type checkers; typing itself would be an import too many
    from collections.abc import Callable, Iterable
    from typing import Any


class _AfterImport:
    """A finder that finds nothing itself, but has a package's own loader call back when the package
    is there.
    """

    def __init__(self, name: str, callback: "Callable[[], object]") -> None:
        self.name = name
        self.callback = callback
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
        # Who asks for a spec need not import the package: the callback stays with the loader until
        # it runs.
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module: "Any") -> None:
                execute(module)
                if self in sys.meta_path:
                    sys.meta_path.remove(self)  # type: ignore[arg-type]
                    self.callback()

            try:
                spec.loader.exec_module = exec_module  # type: ignore[method-assign]
            except (
                AttributeError
            ):  # a loader that cannot be followed: the package is imported as if nobody had asked
                return None
        return spec


def after_import(name: str, callback: "Callable[[], object]") -> None:
    """Calls ``callback()`` once ``name`` has been imported: now, if it has been already."""
    if name in sys.modules:
        callback()
    else:
        sys.meta_path.insert(0, _AfterImport(name, callback))  # type: ignore[arg-type]


def plug(names: "Iterable[str]") -> None:
    """Has pt_fairness imported with whichever of the packages ``names`` is; it never gets in their
    way.
    """
    def load() -> None:
        try:
            import pt_fairness  # noqa: F401
        except Exception as error:
            sys.stderr.write(
                "pt_fairness is plugged in but cannot be imported (%s); pt-fairness unplug, or "
                "removing "
                "pt_fairness_plug.pth from site-packages, ends this\n" % error
            )

    for name in names:
        after_import(name, load)
