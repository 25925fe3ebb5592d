"""The options that commands share, how their values are read, and output, errors and exit codes."""

from __future__ import annotations

import argparse
import glob
import importlib
import inspect
import logging
import os
import re
import signal
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NoReturn

from pt_fairness.core.messages import did_you_mean

#: The help of the option ``--groups``: the forms of a group source.
SOURCES = ("a name that pt-fairness groups lists, a group file, FILE:COLUMN or FILE:ID:COLUMN for "
           "the columns of groups and documents, FILE::LABEL,LABEL for columns of weights, a "
           "membership file (gmemb; FILE:LABEL,LABEL names its groups), or "
           "re:PATTERN for the part of the document id that a regular expression matches")
#: The options whose names differ from their parameters.
_OPTIONS = {"confidence": "--ci", "labels": "--label", "undefined": "--count-undefined",
            "imports": "--import"}


def add_qrels(command: Any) -> None:
    command.add_argument("qrels", metavar="QRELS", help="a file of qrels (TREC, CSV or TSV with a "
                         "header, Parquet, JSON; compressed or not) or an ir_datasets id; none for "
                         "measures that depend on no judged document")


def add_run(command: Any, nargs: str | None = None) -> None:
    command.add_argument("runs", metavar="RUN", nargs=nargs, help="a file of a run, in the forms "
                         "of qrels")


def add_groups(command: Any) -> None:
    """Add the options of the groups of documents."""
    command.add_argument("--groups", metavar="SOURCE", help="the group source of the measures "
                         f"whose parameter groups is not set: {SOURCES}")
    add_columns(command)
    add_judged(command)
    command.add_argument("--targets", metavar="FILE", action="append",
                         help="target distributions: a CSV file with the columns qid, group, "
                         "share, which measures name without its folder and suffixes: "
                         "target='census' for census.csv; may be repeated")


def add_columns(command: Any) -> None:
    """Add the options of how the file of a group source is read."""
    command.add_argument("--none", metavar="LABEL", nargs="+", action="extend",
                         help="the labels that mean no group, such as unknown")
    command.add_argument("--sep", metavar="TEXT", help="what separates several groups in a cell, "
                         "such as ';'")
    command.add_argument("--weight", metavar="COLUMN", type=_column, help="the column that has the "
                         "weight of a document in its group, or none")
    command.add_argument("--topic-column", metavar="COLUMN", type=_column, help="the column that "
                         "has the topics, or none")


def _column(name: str) -> str | bool:
    """Return the name of a column, or ``False`` for ``none``."""
    return name != "none" and name


def add_judged(command: Any) -> None:
    command.add_argument("--judged-by-group", choices=("yes", "no"), help="where the groups are "
                         "the second column of qrels: yes if the groups of a document are those "
                         "that it is relevant for, no if they are those of all its rows (default: "
                         "the rows of each topic decide)")


def add_evaluation(command: argparse.ArgumentParser) -> None:
    """Add the arguments of an evaluation: qrels, runs, measures, their groups and names."""
    add_qrels(command)
    add_run(command, "+")
    group = command.add_argument_group("evaluation")
    add_measures(group)
    add_groups(group)
    group.add_argument("--names", nargs="+", help="a name for each run, in their "
                       "order")
    group.add_argument("--jobs", dest="n_jobs", metavar="N", type=int,
                       help="processes; -1 for all processors (default: 1)")
    add_seed(group)


def add_labels(group: Any) -> None:
    group.add_argument("--label", dest="labels", metavar="MEASURE=LABEL", type=label,
                       nargs="+", action="extend",
                       help="names of measures in the output, such as rKL@10=Unfairness")


def add_measures(group: Any) -> None:
    group.add_argument("-m", "--measures", metavar="MEASURE", nargs="+", required=True,
                       help="measures of ir_measures or of this package")


def add_seed(group: Any) -> None:
    group.add_argument("--seed", type=int, help="the random seed, such as of "
                       "intervals and random orders (default: 0)")


def add_human(group: Any) -> None:
    """Add the options of human labels."""
    group.add_argument("--human", metavar="FILE", nargs="+", help="human labels of documents at "
                       "random, beside the labels of a model in --groups; an empty label is not "
                       "filled in yet")
    group.add_argument("--human-topics", metavar="FILE", nargs="+", help="human labels of whole "
                       "topics")


def add_baseline(group: Any) -> None:
    group.add_argument("--baseline", metavar="RUN", help="the run that the others are compared "
                       "with, by name or file")


def add_correction(group: Any) -> None:
    group.add_argument("--correction", type=correction,
                       help="correction of the tests for several systems, or none; a method of "
                       "statsmodels (default: holm)")


def correction(method: str) -> str | None:
    """Return a method of statsmodels, or ``None`` for ``none``."""
    return None if method == "none" else method


def add_references(group: Any) -> None:
    group.add_argument("--references", action="store_true", help="also show reference rankings: "
                       "random order, proportional, groups one after the other")


def add_front(group: Any) -> None:
    group.add_argument("--front", action="store_true", help="also draw the front of the "
                       "judgments, the best fairness that is possible at each nDCG or P")


def add_comparison(command: argparse.ArgumentParser) -> None:
    """Add the options of comparisons and of undefined topics."""
    group = command.add_argument_group("comparison")
    add_baseline(group)
    group.add_argument("--test", choices=("t", "randomisation"),
                       help="test of the comparison (default: t)")
    add_correction(group)
    group.add_argument("--ci", dest="confidence", metavar="LEVEL", type=float,
                       help="intervals of the averages at this confidence level, such as 0.95")
    group.add_argument("--tolerance", metavar="MEASURE=δ", type=tolerance, nargs="+",
                       action="extend", help="the differences from the baseline that do not "
                       "matter, such as nDCG@10=0.01, for a verdict on each run")
    group.add_argument("--count-undefined", dest="undefined", action="store_const", const="count",
                       help="count the topics for which a measure is undefined as 0, instead of "
                       "leaving them out of its averages, tests and intervals")


def label(text: str) -> Any:
    """Split ``MEASURE=LABEL``; the parameters of a measure can have equals signs.

    :raises ValueError: if it has another form
    """
    (pair,) = re.findall(r"^(\w+(?:\(.*?\))?\s*(?:@\s*\d+)?)=(.+)$", text)
    return pair


def tolerance(text: str) -> tuple[str, float]:
    """Split ``MEASURE=δ`` at the last equals sign.

    :raises ValueError: if no number follows it
    """
    measure, _, margin = text.rpartition("=")
    return measure, float(margin)


def add_tables(group: Any) -> None:
    """Add the options of the tables that are not averages."""
    group.add_argument("--test-zero", action="store_true", help="test whether each signed measure, "
                       "such as BiasP, is 0")
    group.add_argument("--topic-groups", metavar="FILE",
                       help="means by groups of topics, with intervals, from a table of topics and "
                       "groups; FILE:COLUMN or FILE:TOPIC:COLUMN names its columns")
    group.add_argument("--uncertain", metavar="DRAWS", type=int,
                       help="intervals under uncertain labels, whose probabilities are the "
                       "weights of --groups, from this many draws; with --baseline, of the "
                       "differences from it")


def refuse(options: argparse.Namespace, names: Iterable[str], reason: str) -> None:
    """Refuse options.

    :param names: the options, as attributes
    :raises ValueError: if one of them is given
    """
    for name in names:
        if name in options:
            raise ValueError(f"{option(name)}: not allowed {reason}")


def option(name: str) -> str:
    """Return an option as it is typed, such as ``--topic-groups``.

    :param name: its attribute
    """
    return _OPTIONS.get(name, f"--{name.replace('_', '-')}")


def call(function: Callable[..., Any], options: argparse.Namespace, *values: Any,
         **arguments: Any) -> Any:
    """Call a function with the options that are its parameters.

    :param values: the first arguments
    :param arguments: further arguments, in place of options of the same name
    """
    names = inspect.signature(function).parameters
    given = {name: value for name, value in vars(options).items() if name in names}
    return function(*values, **given | arguments)


def evaluated(function: Callable[..., Any], options: argparse.Namespace) -> Any:
    """Return an evaluation or a report, and print how many documents have groups or values.

    :raises ValueError: if an option of comparisons is given without a baseline
    """
    if vars(options).keys().isdisjoint(["baseline", "test_zero"]):
        refuse(options, ["test", "correction", "tolerance", "p_values"], "without --baseline")
    result = call(function, options)
    for source, line in result.facts.matched.items():
        say(f"{source}: {line}")
    options.code = int(bool(result.facts.failed))
    return result


def resolve(options: argparse.Namespace) -> None:
    """Import modules, and replace texts by the groups, targets and measures that they name.

    :raises ValueError: if a module or a file cannot be read, or an option of how a file of groups
        is read, such as ``--none``, is given without ``--groups``
    """
    import_modules(options.imports)
    given = vars(options)
    if given.get("qrels") == "none":
        options.qrels = None
    if "judged_by_group" in given:
        options.judged_by_group = options.judged_by_group == "yes"
    if not given.keys() & {"groups", "model", "method"}:
        of_files = (name for name in _READING if name != "judged_by_group")
        refuse(options, of_files, "without --groups")
    options.reading = {name: given.pop(option) for option, name in _READING.items()
                       if option in given}
    if given.keys() & {"human", "human_topics"}:
        _read_human(options)
    elif "groups" in given:
        options.groups = group_source(options.groups, **options.reading)
    elif "judged" in options.reading and "qrels" in given:
        from pt_fairness import groups, io
        path = options.qrels
        options.qrels = io.load_qrels(path)
        options.groups = groups.from_frame(options.qrels, path, **options.reading)
        options.groups.subtopics = False
    if "measures" in given:
        from pt_fairness.measures.measure_names import split
        options.measures = split(" ".join(options.measures))
    for path in given.get("targets", ()):
        from pt_fairness import targets
        targets.register(os.path.basename(path).partition(".")[0], path)
    if "topic_groups" in given:
        from pt_fairness.analysis.inputs import topic_groups_of
        options.topic_groups = topic_groups_of(options.topic_groups)
    for name in given.keys() & {"labels", "tolerance"}:
        given[name] = dict(given[name])
    options.progress = sys.stderr.isatty()


def _read_human(options: argparse.Namespace) -> None:
    """Read the labels of ``--groups`` and the human labels of documents and topics.

    ``groups`` is then the source of the model's labels, and ``human`` holds all human labels.

    :raises ValueError: if ``--groups`` is missing
    """
    from pt_fairness import groups
    from pt_fairness.analysis.human_labels import human_labels
    given = vars(options)
    if "groups" not in given:
        refuse(options, ("human", "human_topics"), "without --groups")
    files = given.get("human"), given.pop("human_topics", None)
    labels = human_labels(*files).every.labels or []
    [model] = labelled_sources([options.groups], options.reading, labels)
    options.groups = groups.get(model)
    options.human = human_labels(*files, options.reading.get("none", ()))


#: The options of how a group source is read, and the parameters of the reader.
_READING = {"none": "none", "sep": "sep", "weight": "weight", "topic_column": "topic",
            "judged_by_group": "judged"}


def group_source(text: str, **reading: Any) -> Any:
    """Return the group source that an argument names.

    :param text: a form that :data:`SOURCES` lists
    :param reading: how a file is read
    :returns: a Groups object, or the text itself if it is a name or a plain group file
    :raises ValueError: if a pattern or a file cannot be read
    """
    from pt_fairness import groups
    from pt_fairness.groups.sources import located, source_of
    file, _ = located(text)
    if text in groups.names() or text.startswith("re:"):
        given = [option(name) for name, parameter in _READING.items() if parameter in reading]
        if given:
            raise ValueError(f"{', '.join(given)}: not allowed with the groups {text!r}, which are "
                             "not a file")
    elif reading and os.path.exists(file):
        return source_of(text, text, **reading)
    elif text == file:
        return text
    return groups.get(text)


def labelled_sources(texts: Iterable[str], reading: Mapping[str, Any],
                     others: Iterable[str] = ()) -> list[Any]:
    """Return sources of labels, each without the labels of ``--none`` that it has.

    :param reading: how the files are read, with the labels of ``--none``
    :param others: further labels that ``--none`` can name
    :raises ValueError: if a label of ``--none`` is in no source and not in ``others``
    """
    from pt_fairness import groups
    from pt_fairness.core.messages import collecting_warnings
    from pt_fairness.io.document_files import need_labels
    reading = dict(reading)
    none = reading.pop("none", ())
    known = {*others}
    sources = []
    for text in texts:
        with collecting_warnings():
            labels = groups.get(group_source(text, **reading)).labels or ()
        known.update(labels)
        dropped = [label for label in none if label in (*labels, "")]
        used = reading | {"none": dropped} if dropped else reading
        sources.append(group_source(text, **used))
    need_labels(none, known, "the model or of people")
    return sources


class Parser(argparse.ArgumentParser):
    """A parser whose usage errors say where files go."""

    def error(self, message: str) -> NoReturn:
        if "QRELS" in message:
            message += "; files come first, or behind --: -m and others take all values up to it"
        super().error(message)


def add_command(commands: Any, name: str, run: Callable[[argparse.Namespace], str | None],
                help: str, formats: Sequence[str] = (), default: str = "",
                required: bool = False, **settings: Any) -> argparse.ArgumentParser:
    """Add the parser of a command, with the options ``--output``, ``--format`` and ``--import``.

    Other options without a default are attributes only if they are given.

    :param formats: the values of ``--format``, if there are several; the first one is the default
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
    if formats:
        first = default or formats[0]
        group.add_argument("--format", choices=formats, default=None if default else first,
                           help=f"form of the output (default: {first})")
    add_imports(command)
    command.set_defaults(run=run)
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


def run_command(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> int:
    """Run the command that the arguments name, and return its exit code.

    :raises ValueError: if options or inputs are wrong; it names a file near to one that is missing
    """
    options, unknown = parser.parse_known_args(arguments)
    if unknown and "parameters" not in options:
        parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    options.parameters = unknown
    options.code = 0
    options.typed = dict(vars(options))
    check_output(options)
    try:
        resolve(options)
        text = options.run(options)
    except (ValueError, OSError) as error:
        hint = _near_file(options, str(error))
        if hint:
            raise ValueError(f"{error}.{hint}") from error
        raise
    if text is not None:
        write(text, options.output)
    return options.code


#: The options that never name a file to read.
_NO_INPUTS = ("format", "labels", "method", "names", "output")


def _inputs(options: argparse.Namespace) -> Iterator[str]:
    """Yield the paths that a command may read: files, matches of patterns, paths in measures."""
    for name, value in options.typed.items():
        texts = value if isinstance(value, list) else [value]
        if name not in _NO_INPUTS:
            for text in map(str, texts):
                yield from glob.glob(text)
                yield from re.split("['\":]", text)


def _near_file(options: argparse.Namespace, message: str) -> str:
    """Return a question with a file that is near to a missing one of an error, or ``''``."""
    for path in _inputs(options) if "file" in message else ():
        folder, name = os.path.split(path)
        folder = folder or "."
        is_missing = path in message and not os.path.exists(path)
        if name and is_missing and os.path.isdir(folder):
            return did_you_mean(name, os.listdir(folder))
    return ""


def check_output(options: argparse.Namespace) -> None:
    """Check ``--output`` before a command does its work.

    :raises ValueError: if it is an input, or a file in a folder that does not exist, or if standard
        output, its default, is closed
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
    inputs = filter(os.path.isfile, _inputs(options))
    if os.path.realpath(output) in map(os.path.realpath, inputs):
        raise ValueError(f"--output {output!r} is also an input, which it would replace; give "
                         "another file")


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
