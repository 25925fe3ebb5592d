"""Makes the plain ``ir_measures`` and ``ir_datasets`` commands find this package: one ``.pth`` file, which the user asks for.

Neither command looks for plugins. Python runs the lines of a ``.pth`` file in site-packages when it starts; ours has the two
packages followed by an import of this one when, and only when, they are imported themselves.
"""

from __future__ import annotations

import site
import sysconfig
from pathlib import Path

from pt_fairness import _imports

#: The packages that learn of this one.
PACKAGES = ("ir_measures", "ir_datasets")
FILE_NAME = "pt_fairness_plug.pth"


def path() -> Path:
    """Where the file is, or would be: the site-packages folder of this environment that this package is in."""
    here = Path(__file__).resolve().parent.parent
    folders = [Path(folder).resolve() for folder in (*site.getsitepackages(), site.getusersitepackages())]
    return (here if here in folders else Path(sysconfig.get_path("purelib"))) / FILE_NAME


# What Python runs at every start, so it does as little as it can: a finder that waits for one of the packages, and only then
# reads _imports.py. Whatever goes wrong (this package was removed, or moved) stays in there: the interpreter starts as ever.
_CODE = """try:
 class Finder:
  def find_spec(self, name, path=None, target=None):
   if name in {packages} and self in sys.meta_path:
    sys.meta_path.remove(self)
    try:
     names = {{'__name__': 'pt_fairness._imports'}}
     exec(compile(open({file}, encoding='utf-8').read(), {file}, 'exec'), names)
     names['plug']({packages})
     import importlib.util
     return importlib.util.find_spec(name)
    except Exception:
     pass
 sys.meta_path.insert(0, Finder())
except Exception:
 pass
"""


def _line() -> str:
    code = _CODE.format(packages=PACKAGES, file=ascii(str(Path(_imports.__file__).resolve())))
    return f"import sys; exec({code!r}, {{'sys': sys, '__name__': 'pt_fairness_plug'}})\n"


def plug() -> Path:
    """Writes the file.

    :returns: its path
    :raises OSError: the folder cannot be written to
    """
    path().write_text(_line(), encoding="utf-8")
    return path()


def unplug() -> Path | None:
    """Removes the file.

    :returns: the path that it had, ``None`` if there was none
    """
    if not path().exists():
        return None
    path().unlink()
    return path()


def plugged() -> bool:
    """Whether the file is there and is of this version of the package."""
    return path().exists() and path().read_text(encoding="utf-8") == _line()
