"""Shared helpers, and the version. Importing it lets Ctrl-C end a command that still imports.

As soon as the command runs, ``cli`` handles interrupts.
"""

import os
import signal
import sys

#: The version of the package.
__version__ = "0.1.0"


def _is_command() -> bool:
    """Return whether this process is ``pt-fairness`` or ``python -m pt_fairness``."""
    program = sys.argv[0] if sys.argv else ""
    if program == "-m":  # while Python looks for the module
        return "pt_fairness" in sys.orig_argv
    # Workers of a command have its sys.argv, but were started by another one.
    return os.path.basename(program) == "pt-fairness" and program in sys.orig_argv


if _is_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
