"""Output, warnings, errors and exit codes of the commands, and what all of them have."""

from __future__ import annotations

import argparse
import glob
import logging
import os
import re
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from io import StringIO
from typing import Any

from pt_fairness.core.imports import module_of_user

#: The start of a cell of CSV that a spreadsheet takes for a formula.
FORMULA = r"^(?=[=+@\t\r])"


def add_command(commands: Any, name: str, run: Callable[[argparse.Namespace], int | None],
                help: str, formats: Sequence[str], default: str = "",
                add_help: bool = True) -> argparse.ArgumentParser:
    """Add the parser of a command, with the options ``--output`` and ``--format``.

    :param formats: the values of ``--format``; the first one is the default
    :param default: the default in words, if the command chooses it; ``format`` is then ``None``
    :param add_help: whether the parser has the usual option ``--help``
    """
    command = commands.add_parser(name, help=help, description=help, add_help=add_help)
    command.add_argument("-o", "--output", metavar="FILE",
                         help="where to write, compressed if it ends in .gz "
                              "(default: standard output)")
    command.add_argument("--format", choices=formats, default=None if default else formats[0],
                         help=f"form of the output (default: {default or formats[0]})")
    add_imports(command)
    command.set_defaults(run=run, formats=formats)
    return command


def add_imports(command: argparse.ArgumentParser) -> None:
    """Add the option ``--import``."""
    command.add_argument("--import", dest="imports", metavar="MODULE", action="append", default=[],
                         help="a module, or a file that ends in .py, to import first, such as one "
                              "with measures of your own; may be repeated")


def import_modules(names: Sequence[str]) -> None:
    """Import files and modules, which may be in the current folder.

    Processes of ``--jobs`` import from the same folders.

    :raises ValueError: one cannot be imported, or another module has the name of a file
    """
    for name in names:
        folder, module = "", name
        if name.endswith(".py"):
            folder, file = os.path.split(name)
            module = file.removesuffix(".py")
            if not os.path.isfile(name):
                raise ValueError(f"--import {name}: there is no such file")
        sys.path.append(os.path.abspath(folder))
        try:
            path = module_of_user(module).__file__
        except Exception as error:
            raise ValueError(f"--import {name} failed: {type(error).__name__}: {error}") from error
        if name.endswith(".py") and not (path and os.path.samefile(path, name)):
            raise ValueError(f"--import {name}: {path or 'Python'} has the same name; rename the "
                             "file")


def check_output(options: argparse.Namespace) -> None:
    """Check ``--output`` before a command does its work.

    :raises ValueError: it is a value of ``--format``, or a file in a folder that does not exist, or
        it is not given and standard output is closed
    """
    if options.output is None and sys.stdout is None:
        raise ValueError("standard output is closed, so the output has no place to go")
    folder = os.path.dirname(options.output or "")
    if folder and not os.path.isdir(folder):
        raise ValueError(f"--output {options.output!r} cannot be written: there is no folder "
                         f"{folder!r}; create it first")
    if options.output in options.formats:
        raise ValueError(f"--output takes a file, and {options.output!r} is a form: write --format "
                         f"{options.output}, or --output ./{options.output} for a file of this "
                         "name")
    if options.output is not None and os.path.isfile(options.output):
        for path in _inputs(options):
            if os.path.isfile(path) and os.path.samefile(path, options.output):
                raise ValueError(f"--output {options.output!r} is also an input, which it would "
                                 "replace; give another file")


#: The options whose values are not files.
_NO_INPUTS = ("figure", "label", "method", "names", "output", "title")


def _inputs(options: argparse.Namespace) -> Iterator[str]:
    """Yield the paths that a command may read, including paths in the names of measures."""
    for name, value in vars(options).items():
        texts = value if isinstance(value, list) else [value]
        if name in _NO_INPUTS or not all(isinstance(text, str) for text in texts):
            continue
        for text in texts:
            yield from glob.glob(text)
            for path in re.split("['\"]", text):
                yield from (path.rsplit(":", columns)[0] for columns in (0, 1, 2))


def write(text: str, path: str | None, form: str = "") -> None:
    """Write the output of a command.

    :param path: a file, which is replaced atomically and compressed if it ends in ``.gz``; ``None``
        for standard output
    :param form: the form of the text; in CSV, a quote stands before what a spreadsheet would take
        for a formula
    :raises OSError: the file cannot be written
    """
    if form in ("csv", "long"):
        import pandas as pd
        cells = pd.read_csv(StringIO(text), header=None, dtype=str, keep_default_na=False)
        cells = cells.replace(FORMULA, "'", regex=True)
        text = cells.to_csv(index=False, header=False, lineterminator="\n")
    if path is None:
        sys.stdout.write(text)
    else:
        import gzip

        from pt_fairness.io.files import compression, written_whole
        data = text.encode("utf-8")
        with written_whole(path) as out:
            out.write(gzip.compress(data, mtime=0) if compression(path) else data)


def say(line: str) -> None:
    """Write a line to standard error, beside the output."""
    sys.stderr.write(f"pt-fairness: {line}\n")


@contextmanager
def _signals() -> Iterator[None]:
    """End a command after SIGTERM and Ctrl-C by exceptions, so that its workers end, too."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(*_: Any) -> None:
        sys.exit(128 + signal.SIGTERM)

    handlers = {signal.SIGTERM: end}
    if signal.getsignal(signal.SIGINT) == signal.SIG_DFL:  # set by pt_fairness.core
        handlers[signal.SIGINT] = signal.default_int_handler
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def guarded(program: str, command: Callable[[], Any]) -> int:
    """Run a command with UTF-8 output; write each warning and error to standard error.

    :returns: the exit code
    """
    if sys.stderr is None:  # closed
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")

    written = set()

    def show(message: Any, *_: Any, **__: Any) -> None:
        line = f"{program}: warning: {message}\n"
        if line not in written:  # by several functions that a command calls
            sys.stderr.write(line)
            written.add(line)

    with warnings.catch_warnings(), _signals():
        warnings.showwarning = show
        try:
            code = int(command() or 0)
            if sys.stdout is not None:
                sys.stdout.flush()  # raises BrokenPipeError here for buffered text
        except BrokenPipeError:
            code = 1
        except KeyboardInterrupt:
            code = 130
        except (ValueError, OSError, ImportError, AssertionError, MemoryError, Warning) as error:
            sys.stderr.write(f"{program}: error: {str(error) or 'there is not enough memory'}\n")
            code = 2
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError:  # Discard what cannot be written: the interpreter would fail on it at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


def silence() -> None:
    """Keep the progress of other libraries off standard error; their questions and hints stay.

    A progress bar is shown on a terminal only, and vanishes at its end.
    """
    os.environ.setdefault("TQDM_LEAVE", "")
    if sys.stderr is None or not sys.stderr.isatty():
        os.environ.setdefault("TQDM_DISABLE", "1")
    logging.getLogger("ir_datasets").addFilter(lambda record: not record.getMessage().startswith(
        ("[starting]", "[finished]", "Opening ")))
