"""``pt-fairness plug`` and ``unplug``: a file that activates this package in other commands.

Neither the ir_measures command nor the ir_datasets command supports plugins. Python executes the
import lines of the ``.pth`` files in site-packages at startup. The line of this file installs a
hook that imports this package after one of the two packages is imported. The file is only written
on request.
"""

from __future__ import annotations

import argparse
import sysconfig
from pathlib import Path
from typing import Any

from pt_fairness.cli.output import add_command
from pt_fairness.core import imports

#: The packages whose import triggers the import of this one.
PACKAGES = ("ir_measures", "ir_datasets")
FILE_NAME = "pt_fairness_plug.pth"


def path() -> Path:
    """Return the path of the file, whether it exists or not."""
    return Path(sysconfig.get_path("purelib")) / FILE_NAME


# Python executes this at every startup, so it only adds a finder, which reads imports.py when
# one of the packages is imported. All errors are suppressed, in case this package was removed.
_CODE = """try:
 class Finder:
  def find_spec(self, name, path=None, target=None):
   if name in {packages} and self in sys.meta_path:
    sys.meta_path.remove(self)
    try:
     names = {{'__name__': 'pt_fairness.core.imports'}}
     exec(compile(open({file}, encoding='utf-8').read(), {file}, 'exec'), names)
     names['plug'](name, lambda: __import__('pt_fairness'))
     import importlib.util
     return importlib.util.find_spec(name)
    except Exception:
     pass
 sys.meta_path.insert(0, Finder())
except Exception:
 pass
"""


def _line() -> str:
    file = Path(imports.__file__).resolve()
    code = _CODE.format(packages=PACKAGES, file=ascii(str(file)))
    return f"import sys; exec({code!r}, {{'sys': sys, '__name__': 'pt_fairness_plug'}})\n"


def plugged() -> bool:
    """Return whether the file exists with the content that this version of the package writes."""
    return path().exists() and path().read_text(encoding="utf-8") == _line()


def add(commands: Any) -> None:
    """Add the commands ``plug`` and ``unplug``."""
    command = add_command(commands, "plug", _plug, "add this package to the plain ir_measures and "
                          "ir_datasets commands of this environment", ["text"])
    command.add_argument("--status", action="store_true", help="only print whether it is added")
    add_command(commands, "unplug", _unplug, "undo plug", ["text"])


def _plug(options: argparse.Namespace) -> str:
    file = path()
    text = str(file)
    if "status" not in options:
        file.write_text(_line(), encoding="utf-8")
    elif plugged():
        text = f"plugged in: {file}"
    else:
        text = f"not plugged in: there is no {file} of this version"
    return f"{text}\n"


def _unplug(_: argparse.Namespace) -> str:
    file = path()
    text = f"nothing to remove: there is no {file}"
    if file.exists():
        file.unlink()
        text = f"removed {file}"
    return f"{text}\n"
