"""Makes the plain ``ir_measures`` and ``ir_datasets`` commands find this package: one ``.pth``
file, which the user asks for.

Neither command looks for plugins. Python runs the lines of a ``.pth`` file in site-packages when it
starts; ours has the two packages followed by an import of this one when, and only when, they are
imported themselves.
"""

from __future__ import annotations

import site
import sysconfig
from pathlib import Path

from pt_fairness.plugging import after_import

#: The packages that learn of this one.
PACKAGES = ("ir_measures", "ir_datasets")
FILE_NAME = "pt_fairness_plug.pth"


def path() -> Path:
    """Where the file is, or would be: the site-packages folder of this environment that this
    package is in.
    """
    here = Path(__file__).resolve().parents[2]
    folders = [
        Path(folder).resolve() for folder in (*site.getsitepackages(), site.getusersitepackages())
    ]
    return (here if here in folders else Path(sysconfig.get_path("purelib"))) / FILE_NAME


# Python runs this at every start, so it only adds a finder, which reads after_import.py when one of
# the packages is imported. No error leaves it, also if this package was removed or moved.
_CODE = """try:
 class Finder:
  def find_spec(self, name, path=None, target=None):
   if name in {packages} and self in sys.meta_path:
    sys.meta_path.remove(self)
    try:
     names = {{'__name__': 'pt_fairness.plugging.after_import'}}
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
    code = _CODE.format(packages=PACKAGES, file=ascii(str(Path(after_import.__file__).resolve())))
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
