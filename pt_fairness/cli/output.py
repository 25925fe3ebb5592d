"""Output, warnings, errors and exit codes of the commands, and the options that all have."""

from __future__ import annotations

import argparse
import glob
import importlib
import logging
import os
import re
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any


def add_command(commands: Any, name: str, run: Callable[[argparse.Namespace], str | None],
                help: str, formats: Sequence[str], default: str = "",
                required: bool = False, **settings: Any) -> argparse.ArgumentParser:
    """Add the parser of a command, with the options ``--output``, ``--format`` and ``--import``.

    Other options without a default are attributes only if they are given.

    :param formats: the values of ``--format``; the first one is the default
    :param default: the default in words, if the command chooses it; ``format`` is then ``None``
    :param required: whether ``--output`` must be given
    :param settings: further arguments of the parser
    """
    command: argparse.ArgumentParser = commands.add_parser(
        name, help=help, description=help, argument_default=argparse.SUPPRESS, **settings)
    group = command.add_argument_group("output")
    group.add_argument("-o", "--output", metavar="FILE", default=None, required=required,
                       help="where to write, compressed if it ends in .gz (default: standard "
                       "output)")
    group.add_argument("--format", choices=formats, default=None if default else formats[0],
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

    :raises ValueError: if one cannot be imported
    """
    for name in names:
        folder, module = os.path.split(name.removesuffix(".py"))
        sys.path.append(os.path.abspath(folder))
        try:
            importlib.import_module(module)
        except Exception as error:
            raise ValueError(f"--import {name} failed: {type(error).__name__}: {error}") from error


def check_output(options: argparse.Namespace) -> None:
    """Check ``--output`` before a command does its work.

    :raises ValueError: if it is a value of ``--format``, an input, or a file in a folder that does
        not exist, or if standard output, its default, is closed
    """
    output = options.output
    if output is None:
        if sys.stdout is None:
            raise ValueError("standard output is closed: give a file with --output")
        return
    folder = os.path.dirname(output) or "."
    if not os.path.isdir(folder):
        raise ValueError(f"--output {output!r} cannot be written: the folder {folder!r} does not "
                         "exist")
    if output in options.formats:
        raise ValueError(f"--output must be a file, got the form {output!r}: write --format "
                         f"{output}, or --output ./{output} for a file of this name")
    inputs = filter(os.path.isfile, _inputs(options))
    if os.path.realpath(output) in map(os.path.realpath, inputs):
        raise ValueError(f"--output {output!r} is also an input, which it would replace; give "
                         "another file")


#: The options whose values are not files.
_NO_INPUTS = ("format", "labels", "method", "names", "output", "title")


def _inputs(options: argparse.Namespace) -> Iterator[str]:
    """Yield the paths that a command may read, including paths in the names of measures."""
    for name, value in vars(options).items():
        texts = value if isinstance(value, list) else [value]
        if name not in _NO_INPUTS:
            for text in map(str, texts):
                yield from glob.glob(text)
                yield from re.split("['\":]", text)


def write(text: str, path: str | None) -> None:
    """Write the output of a command.

    :param path: a file, which is replaced atomically and compressed if it ends in ``.gz``; ``None``
        for standard output
    :raises OSError: if the file cannot be written
    """
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


def guarded(program: str, command: Callable[[], int]) -> int:
    """Run a command with UTF-8 output; write each warning and error to standard error.

    :returns: the exit code
    """
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")

    @cache  # several functions that a command calls can issue the same warning
    def show(message: str) -> None:
        sys.stderr.write(f"{program}: warning: {message}\n")

    with warnings.catch_warnings():
        warnings.showwarning = lambda message, *_, **__: show(str(message))
        try:
            code = command()
            print(end="", flush=True)  # raises BrokenPipeError here for buffered text
        except BrokenPipeError:
            code = 1
        except KeyboardInterrupt:
            code = 130
        except (ValueError, OSError, ImportError, AssertionError, MemoryError, RuntimeError,
                Warning) as error:
            sys.stderr.write(f"{program}: error: {str(error) or 'there is not enough memory'}\n")
            code = 2
    try:
        print(end="", flush=True)
    except OSError:  # Discard what cannot be written: the interpreter would fail on it at its exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


def prepare() -> None:
    """Set signals, progress bars and logging for a command.

    SIGTERM and Ctrl-C raise exceptions, so that workers end as well. The progress of other
    libraries stays off standard error, but not their questions and hints. A progress bar is shown
    on a terminal only, and vanishes at its end.
    """
    if sys.stderr is None:  # closed
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    if signal.getsignal(signal.SIGINT) == signal.SIG_DFL:  # set by pt_fairness.core
        signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.setdefault("TQDM_LEAVE", "")
    if not sys.stderr.isatty():
        os.environ.setdefault("TQDM_DISABLE", "1")
    logging.getLogger("ir_datasets").addFilter(lambda record: not record.getMessage().startswith(
        ("[starting]", "[finished]", "Opening ")))
