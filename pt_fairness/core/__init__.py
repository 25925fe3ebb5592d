"""What happens while the package is imported: hooks, and the end of a command at Ctrl-C.

The ``.pth`` file that ``pt-fairness plug`` writes also executes this file on its own.
"""

from __future__ import annotations

import os
import signal
import sys

if False:  # for type checkers only, because importing typing is slow
    from collections.abc import Callable, Mapping
    from typing import Any

#: The version of the package.
__version__ = "0.1.0"


def _is_command() -> bool:
    """Return whether this process is ``pt-fairness`` or ``python -m pt_fairness``."""
    program = sys.argv[0] if sys.argv else ""
    if program == "-m":  # while Python looks for the module
        return "pt_fairness" in sys.orig_argv
    # Workers of a command have its sys.argv, but were started by another one.
    return os.path.basename(program) == "pt-fairness" and program in sys.orig_argv


# As soon as the command runs, ``cli`` handles interrupts.
if _is_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class _AfterImport:
    """Meta path finder that wraps the loader of a package to call a function after its import.

    :param name: the name of the package
    :param callback: the function, called once
    """

    def __init__(self, name: str, callback: Callable[[], object]) -> None:
        self.name = name
        self.callback = callback
        self.searching = False

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
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
            execute = spec.loader.exec_module

            def exec_module(module: Any) -> None:
                execute(module)
                if self in sys.meta_path:
                    sys.meta_path.remove(self)  # type: ignore[arg-type]
                    self.callback()

            spec.loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec


def after_import(name: str, callback: Callable[[], object]) -> None:
    """Call ``callback()`` after ``name`` is imported, or at once if it is imported already."""
    if name in sys.modules:
        callback()
    else:
        sys.meta_path.insert(0, _AfterImport(name, callback))  # type: ignore[arg-type]


def plug(name: str, load: Callable[[], object]) -> None:
    """Import pt_fairness with ``load()`` after the package ``name`` is imported.

    An error of the import is written to standard error, not raised.
    """
    def reported() -> None:
        try:
            load()
        except Exception as error:
            sys.stderr.write(
                f"pt_fairness is plugged in but cannot be imported ({error}); pt-fairness unplug, "
                "or removing pt_fairness_plug.pth from site-packages, ends this\n")

    after_import(name, reported)


def lazy(package: str, modules: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of a package.

    :param package: the ``__name__`` of the package
    :param modules: the module of each name; a module of that name is the value itself
    """
    def find(name: str) -> Any:
        import importlib
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = importlib.import_module(modules[name])
        if modules[name].endswith(f".{name}"):
            return module
        return getattr(module, name)

    return find
