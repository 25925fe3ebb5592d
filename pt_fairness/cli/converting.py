"""``pt-fairness annotate`` and ``rerank``: qrels with groups, and a run in a fairer order."""

from __future__ import annotations

import argparse
import ast
import csv
import inspect
import re
import sys
from typing import Any

from pt_fairness.cli.output import TAKES, add_command, write


def add(commands: Any) -> None:
    """Add the commands ``annotate`` and ``rerank``."""
    annotate = add_command(commands, "annotate", _annotate, "write qrels with the groups of the "
                           "judged documents in their second column", ("trec", "csv"))
    annotate.add_argument("qrels", metavar="QRELS", help="a TREC qrels file or an ir_datasets id")
    annotate.add_argument("groups", metavar="GROUPS", help=f"{TAKES}; qrels with the group as "
                          "label, such as stances, are a group file")
    annotate.add_argument("--none", metavar="LABEL", nargs="+", default=[],
                          help="GROUPS are qrels with the group as label, and these labels mean no "
                               "group")
    rerank = add_command(commands, "rerank", _rerank, "re-rank a run towards target shares of the "
                         "groups", ("trec",), add_help=False)
    rerank.usage = ("pt-fairness rerank RUN METHOD --groups SOURCE [--PARAMETER VALUE …] "
                    "[--compare QRELS -m MEASURE … [--drop-undefined]] [-o FILE]")
    rerank.add_argument("-h", "--help", action=_Help, nargs=0,
                        help="show this help; after a METHOD, the parameters of the method")
    rerank.add_argument("run_file", metavar="RUN",
                        help="a TREC run, compressed if it ends in .gz, or a .parquet file")
    rerank.add_argument("method", metavar="METHOD",
                        help="a re-ranker, such as xquad; its parameters "
                             "follow by name, such as --k 10 --lam 0.8")
    rerank.add_argument("--groups", metavar="SOURCE",
                        help=f"{TAKES}; policies without groups need none")
    rerank.add_argument("--compare", metavar="QRELS", help="print what the new order costs and "
                        "brings by the measures of -m: a TREC qrels file or an ir_datasets id; the "
                        "run itself is written with -o only")
    rerank.add_argument("-m", "--measures", metavar="MEASURE", nargs="+",
                        help="measures of --compare")
    rerank.add_argument("--drop-undefined", dest="undefined", action="store_const", const="drop",
                        default="count", help="leave the topics for which a measure is undefined "
                        "out of --compare, instead of counting 0")
    rerank.set_defaults(more=[])  # what main does not know are parameters of the method


def _annotate(options: argparse.Namespace) -> None:
    from pt_fairness import groups, io
    source = groups.from_qrels(options.groups, options.none) if options.none \
        else groups.get(options.groups)
    annotated = source.to_qrels(io.load_qrels(options.qrels))
    if options.format == "csv":
        write(annotated.to_csv(index=False, lineterminator="\n"), options.output, "csv")
    else:
        io.write_qrels(annotated, options.output)
    sys.stderr.write(f"pt-fairness: {groups.summary(annotated)}\n")


def _rerank(options: argparse.Namespace) -> None:
    from pt_fairness import io, rerank
    from pt_fairness.io.run_files import need_results
    if (options.compare is None) != (options.measures is None):
        raise ValueError("--compare QRELS and -m MEASURE go together; give both or neither")
    if options.compare is None and options.undefined == "drop":
        raise ValueError("--drop-undefined belongs to --compare QRELS; give both or neither")
    if options.method not in rerank.__all__:
        raise ValueError(f"there is no re-ranker {options.method!r}; use one of "
                         f"{', '.join(rerank.__all__)}")
    method = getattr(rerank, options.method)
    params = _params(options, method)
    run = io.read_run(options.run_file)
    need_results(run)
    if "iteration" in run:
        raise ValueError(f"{options.run_file} holds several rankings of a topic; give each as a "
                         "separate run")
    for column in ("qid", "docno"):
        spaced = run[column].str.contains(r"\s")
        if spaced.any():
            raise ValueError(f"a TREC run cannot hold the {column} "
                             f"{run[column][spaced].iloc[0]!r}: it has white space in it")
    frame = method(**params)(run)
    text = frame[[]].assign(
        qid=frame["qid"], q0="Q0", docno=frame["docno"], rank=frame["rank"] + 1,
        score=frame["score"].astype(int), tag=options.method).to_csv(
            sep=" ", header=False, index=False, lineterminator="\n", quoting=csv.QUOTE_NONE)
    if options.compare is None or options.output is not None:
        write(text, options.output)
    if options.compare is not None:
        write(_compared(options, run, frame), None)


def _compared(options: argparse.Namespace, run: Any, new: Any) -> str:
    """Return a table of the means before and after, and of the differences with their intervals."""
    import pandas as pd

    from pt_fairness import analysis, evaluation
    from pt_fairness.analysis.directions import with_mark
    from pt_fairness.analysis.significance import changes, notes, short_p
    from pt_fairness.measures.parsing import split
    averages, values = evaluation.evaluate(
        {"before": run, "after": new}, options.compare,
        [measure for some in options.measures for measure in split(some)], groups=options.groups,
        baseline="before", correction=None, progress=False, undefined=options.undefined)
    found = analysis.compare(values, "before", None)
    marks = changes(averages).iloc[1]
    shown = pd.DataFrame({
        "measure": [with_mark(name, averages, always=True) for name in found["measure"]],
        "before": found["baseline"], "after": found["mean"],
        "difference": found["difference"].map("{:+.4f}".format) + found["measure"].map(marks),
        "95 % interval": "[" + found["low"].map("{:.4f}".format) + ", "
                         + found["high"].map("{:.4f}".format) + "]",
        "p": found["p"].map(short_p)})
    return evaluation.as_text(shown, "text") + "\n" + "".join(f"{one}\n" for one in [
        *notes(values), "Intervals: BCa bootstrap over topics."])


class _Help(argparse.Action):
    """Print the help of the re-ranker that was named, or that of the command."""

    def __call__(self, parser: argparse.ArgumentParser, namespace: argparse.Namespace,
                 *_: Any) -> None:
        from pt_fairness import rerank
        for name in (namespace.method, namespace.run_file):
            if name in rerank.__all__:
                parser = _parser_of(getattr(rerank, name))
        parser.print_help()
        parser.exit()


def _parser_of(method: Any) -> argparse.ArgumentParser:
    """Return the parser of the parameters of a re-ranker, with its docstring as help.

    :param method: the class of the re-ranker
    """
    text = re.sub(r"``|:\w+:|`", "", inspect.getdoc(method) or "").replace("%", "%%")
    meanings = dict(re.findall(r"(?ms)^:param (\w+): (.*?)(?=^:|\n\n|\Z)", text))
    parser = argparse.ArgumentParser(f"pt-fairness rerank RUN {method.__name__}", add_help=False,
                                     allow_abbrev=False, description=text.split("\n\n")[0])
    for name, one in method.parameters().items():
        default = "" if one.default is None else f" (default: {one.default})"
        parser.add_argument(f"--{name}", type=_value, default=argparse.SUPPRESS,
                            metavar="SOURCE" if name == "groups" else "VALUE",
                            help=TAKES if name == "groups" else meanings[name] + default)
    return parser


def _params(options: argparse.Namespace, method: Any) -> dict[str, Any]:
    """Return the parameters of a re-ranker.

    :param method: the class of the re-ranker
    :raises ValueError: the groups are missing, or the re-ranker has none
    """
    known = method.parameters()
    if "groups" in known and options.groups is None:
        raise ValueError(f"{options.method} needs the groups of the documents: --groups NAME")
    if "groups" not in known and options.groups is not None:
        raise ValueError(f"{options.method} has no parameter groups")
    own = {} if options.groups is None else {"groups": options.groups}
    return own | vars(_parser_of(method).parse_args(options.more))


def _value(text: str) -> Any:
    """Return the value of a Python literal; any other text is itself."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):  # the last two: nested too deep
        return text
