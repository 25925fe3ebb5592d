"""Random calls of the public functions, and their values or errors, to compare two versions.

``python tests/benchmarks/random_calls.py OUT [--calls N] [--seed S]`` writes a line for each call:
what was called, and its values (17 digits) or its error (type and message). The calls depend on the
seed alone, and only public names are used, so that two versions of the package get the same ones:
``PYTHONPATH=OTHER python tests/benchmarks/random_calls.py OUT`` is the other side.
``--compare A B`` counts the differences of two such files and prints the first ten.
"""

from __future__ import annotations

import argparse
import inspect
import itertools
import json
import math
import os
import random
import re
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

import pt_fairness
from pt_fairness import analysis, groups, rerank, runs, targets, values

CALLS = 2800
#: The relative difference from which values differ.
TOLERANCE = 1e-9
LABELS = ("A", "B", "C", "D")
TARGETS: tuple[Any, ...] = (
    "qrels", "collection", "uniform", "run", {"A": 0.3, "B": 0.7}, {"A": 1.0},
    {"A": 0.25, "E": 0.75}, "random-calls", "random-calls-by-topic", "random-calls-of-qrels")
#: The arguments of a measure's parameters; "measure.parameter" goes before the parameter alone.
PARAMETERS: dict[str, tuple[Any, ...]] = {
    "cutoff": (1, 2, 3, 5, 5, 10, 10, 50), "rel": (1, 1, 1, 2, 0), "target": TARGETS,
    "protected": ("minority", "majority", "A", "B", "A,C", ["B", "A"]),
    "nDJS.protected": ("minority", "majority", "all", "A"),
    "nDKL.protected": ("minority", "majority", "all", "A"),
    "discount": ("log2", "trec", "geometric", "none", "mmr"), "p": (0.2, 0.5, 0.85, "0.5"),
    "u": (0.0, 0.5, 1.0), "pro": LABELS, "con": LABELS, "group": LABELS, "abs": (True, False),
    "step": (1, 2, 10), "norm": ("max", "range", "none", "bound", "protected-first"),
    "by": ("document", "group"), "model": ("gerr", "rbp", "log2", "trec", "none"),
    "binary": (True, False), "complete": (True, False),
    "values": ("random-calls", {"A": 1, "B": -1}, {"A": 1, "B": 0.5, "C": 0, "D": 0.25}),
    "missing": (0.0, 1.0, 0.5), "background": ("run", "qrels", "random-calls"),
    "smoothing": (0.0, 0.5, 1.0), "unannotated": ("drop", "keep"),
    "empty": ("least fair", "smooth"), "base": (2.0, 10), "gains": ("binary", "linear", "exp"),
    "max_rel": (1, 2, 3), "divergence": ("jsd", "nmd", "rnod", "kl"),
    "order": ("A,B,C,D", "D,C,B,A", "A,B"), "pairs": ("all", "errors"), "alpha": (0.001, 0.1, 0.4),
    "adjust": (True, False), "weights": ({0: 0.5, 1: 0.5}, {0: 0.2, 1: 0.3, 2: 0.5}),
    "unretrieved": ("end", "count"), "others": ("irrelevant", "dropped"),
    "measure": ("nDCG", "AP", "RR", "P@3", "RBP(p=0.5)", "nDCG(dcg='exp-log2')@5"),
    "relevance": ("err", "rbu"), "phi": (0.5, 0.99), "targets": ({}, {"random-letters": "qrels"}),
    "whole": ("random-letters", "random-shares"), "unknown": ("group", "partial"),
    "ideal": (1, 3, 20), "of_qrels": (0.0, 0.5, 1.0), "FAIR.value": ("test", "prefixes"),
    "MRecall.value": ("all", "share"), "TrecFair.value": ("score", "ndcg", "awrf"),
    "GFR.attributes": ({"random-letters": "jsd"}, {"random-letters": "nmd", "random-shares": "jsd"},
                       {"random-levels": "rnod"}),
    "TrecFair.attributes": ({"random-letters": "random-calls"},
                            {"random-letters": "random-calls", "random-shares": "random-calls"})}
#: Arguments that few parameters take.
WRONG: tuple[Any, ...] = (-1, 0, 2.5, "", "none of these", None, True, [], {}, {"A": 2.0},
                          float("nan"), ("A", "B"), b"A", {"A": "x"}, 10**9)
REQUIRED = {"values", "measure", "group", "attributes", "pro", "con"}
OF_RELEVANCE = ("nDCG@5", "AP", "RR", "P@3", "alpha_nDCG@5", "ERR_IA@10", "StRecall@5", "nDCG")

Draw = random.Random
Cells = list[Any]


def measure_names() -> list[str]:
    """Return the public names of the measures."""
    return [name for name in sorted(pt_fairness.__all__)
            if hasattr(getattr(pt_fairness, name), "SUPPORTED_PARAMS")]


def docnos(number: int = 60) -> list[str]:
    return [f"{'ABCDX'[i % 5]}{i}" for i in range(number)]


def register() -> None:
    """Register the groups, targets, values and run that parameters name."""
    draw = Draw(1)
    documents = docnos()
    letters = groups.from_pattern("^([A-D])", labels=LABELS, name="random-letters")
    groups.register("random-letters", letters)
    shares = [(docno, label, draw.choice([0.25, 0.5, 1.0]))
              for docno in documents for label in draw.sample(LABELS, 2)]
    weighted = pd.DataFrame(shares, columns=["docno", "group", "weight"])
    groups.register("random-shares", groups.from_frame(weighted, name="random-shares"))
    levels = {docno: draw.choice(LABELS) for docno in documents[:50]}
    ordered = groups.from_mapping(levels, name="random-levels", order=LABELS)
    groups.register("random-levels", ordered)
    target = pd.DataFrame({"group": LABELS, "share": [0.4, 0.3, 0.2, 0.1]})
    targets.register("random-calls", target)
    targets.register("random-calls-of-qrels", target, of_qrels=0.5)
    by_topic = [target.assign(qid=str(qid), share=draw.sample([0.4, 0.3, 0.2, 0.1], 4))
                for qid in range(1, 9)]
    targets.register("random-calls-by-topic", pd.concat(by_topic))
    numbers = {docno: draw.choice([0.0, 0.5, 1.0, -0.25]) for docno in documents[:45]}
    values.register("random-calls", values.from_mapping(numbers, name="random-calls"))
    pairs = list(itertools.product(map(str, range(1, 9)), documents[:20]))
    runs.register("random-calls", pd.DataFrame(pairs, columns=["qid", "docno"]))


def drawn_qrels(draw: Draw, topics: int) -> pd.DataFrame:
    """Draw qrels with groups in ``iteration``, some documents with several groups or none."""
    lowest = draw.choice([0, 0, 0, -1])
    labels = LABELS[:draw.choice([2, 2, 3, 4])]
    rows = []
    for qid in range(1, topics + 1):
        for docno in draw.sample(docnos(), draw.randint(1, 25)):
            relevance = draw.choice([lowest, 0, 1, 1, 2, 3])
            for label in draw.sample(labels, draw.choice([1, 1, 1, 2])):
                rows.append((str(qid), docno, relevance, draw.choice([label, label, label, ""])))
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])


def drawn_run(draw: Draw, topics: int, samples: int = 1) -> pd.DataFrame:
    """Draw a run, with ties; some topics are missing."""
    rows = []
    for qid in range(1, topics + 1):
        documents = draw.sample(docnos(), draw.choice([0, 1, 5, 15, 30, 30]))
        for sample, docno in itertools.product(range(samples), documents):
            rows.append((str(qid), docno, draw.choice([draw.random(), 0.25, 0.5]), sample))
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "score", "iteration"])
    return frame if samples > 1 else frame.drop(columns="iteration")


def of_pyterrier(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with PyTerrier's names of columns."""
    return frame.rename(columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"})


def drawn_groups(draw: Draw) -> Any:
    """Draw a group source of any kind."""
    kind = draw.choice(["registered", "mapping", "dictionary", "frame", "weighted", "pattern",
                        "topics", "product"])
    labels = {docno: draw.choice(LABELS) for docno in docnos() if draw.random() < 0.8}
    if kind == "registered":
        return draw.choice(["random-letters", "random-shares", "random-levels"])
    if kind == "mapping":
        return groups.from_mapping(labels, name="mapped", order=draw.choice([None, LABELS]))
    if kind == "dictionary":
        return labels
    if kind == "pattern":
        return groups.from_pattern("^([A-D])", name="letters",
                                   labels=draw.choice([None, LABELS, ("A", "B")]))
    if kind == "product":
        return groups.product("random-letters", "random-levels")
    if kind == "topics":
        return groups.from_mapping({"1": labels, "2": dict.fromkeys(labels, "A")}, name="by topic")
    frame = pd.DataFrame({"docno": list(labels), "group": list(labels.values())})
    if kind == "weighted":
        second = frame.assign(group=[draw.choice(LABELS) for _ in labels])
        frame = pd.concat([frame, second]).drop_duplicates(ignore_index=True)
        frame["weight"] = [draw.choice([0.1, 0.5, 1.0, 2.0]) for _ in range(len(frame))]
    return groups.from_frame(frame, name="framed")


def drawn_measure(draw: Draw, wrong: bool = False) -> Any:
    """Draw a measure with random parameters, or its text; now and then one with a wrong value."""
    name = draw.choice(measure_names())
    measure = getattr(pt_fairness, name)
    arguments: dict[str, Any] = {}
    for parameter in measure.SUPPORTED_PARAMS:
        choices = PARAMETERS.get(f"{name}.{parameter}", PARAMETERS.get(parameter))
        chance = 1.0 if parameter in REQUIRED else 0.6 if parameter == "cutoff" else 0.3
        if choices is not None and draw.random() < chance:
            arguments[parameter] = draw.choice(choices)
    if "groups" in measure.SUPPORTED_PARAMS and draw.random() < 0.3:
        arguments["groups"] = drawn_groups(draw)
    if wrong:
        parameter = draw.choice([*measure.SUPPORTED_PARAMS, "unknown_parameter"])
        arguments[parameter] = draw.choice(WRONG)
    found = measure(**arguments)
    is_text = not wrong and "groups" not in arguments and draw.random() < 0.2
    return str(found) if is_text else found


def drawn_measures(draw: Draw, most: int, wrong: bool = False) -> list[Any]:
    """Draw measures; those whose parameters do not fit are drawn again, unless one is wrong."""
    number = draw.randint(1, most)
    measures: list[Any] = []
    while len(measures) < number:
        try:
            measures.append(drawn_measure(draw, wrong and not measures))
        except (ValueError, TypeError, KeyError):
            if wrong:
                raise
    if draw.random() < 0.2:
        measures.append(draw.choice(OF_RELEVANCE))
    return measures


def damaged(draw: Draw, frame: pd.DataFrame) -> Any:
    """Return a frame with a fault, or something that is no frame."""
    column = draw.choice(list(frame.columns))
    kind = draw.choice(["column", "missing", "empty", "no frame", "rows twice", "text", "infinite",
                        "wrong topics", "blank", "wrong labels"])
    if kind == "column":
        return frame.drop(columns=column)
    if kind == "missing":
        return frame.assign(**{column: frame[column].astype(object).mask(frame.index == 0)})
    if kind == "empty":
        return frame.iloc[:0]
    if kind == "no frame":
        return draw.choice([None, 3, {"a": 1}, [], "no such file"])
    if kind == "rows twice":
        return pd.concat([frame, frame.head(3)])
    if kind == "wrong topics":
        first = frame.columns[0]
        return frame.assign(**{first: "t" + frame[first].astype(str)})
    replacement = {"text": "many", "infinite": math.inf, "blank": " "}.get(kind, "Z")
    column = "iteration" if kind == "wrong labels" else column
    return frame.assign(**{column: replacement})


class Case:
    """What a call is made of.

    :param wrong: whether one of its parts has a fault
    """

    def __init__(self, draw: Draw, wrong: bool) -> None:
        self.draw = draw
        self.topics = draw.randint(1, 8)
        self.qrels = drawn_qrels(draw, self.topics)
        fault = draw.choice(["qrels", "run", "measure", "option", "option"]) if wrong else ""
        self.wrong_measure, self.wrong_option = fault == "measure", fault == "option"
        if draw.random() < 0.5:
            self.qrels = of_pyterrier(self.qrels)
        if fault == "qrels":
            self.qrels = damaged(draw, self.qrels)
        self.wrong_run = fault == "run"

    def run(self, samples: int = 1) -> Any:
        run = drawn_run(self.draw, self.topics, samples)
        if self.draw.random() < 0.5:
            run = of_pyterrier(run)
        return damaged(self.draw, run) if self.wrong_run else run

    def runs(self) -> dict[str, Any]:
        return {name: self.run() for name in "rst"[:self.draw.randint(1, 3)]}

    def measures(self, most: int = 3) -> list[Any]:
        return drawn_measures(self.draw, most, self.wrong_measure)

    def options(self, **choices: tuple[Any, ...]) -> dict[str, Any]:
        """Draw some of the options."""
        drawn = {name: self.draw.choice(some) for name, some in choices.items()
                 if self.draw.random() < 0.5}
        if self.wrong_option:
            drawn[self.draw.choice(list(choices))] = self.draw.choice(WRONG)
        return drawn

    def perquery(self) -> pd.DataFrame:
        """Draw per-query values of three systems."""
        rows = []
        for name, measure in itertools.product("rst", ["rKL@5", "nDCG@5", "BiasP@5"]):
            for qid in range(1, self.draw.randint(3, 12)):
                rows.append((name, str(qid), measure, self.draw.choice([self.draw.random(), 0.5])))
        frame = pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])
        return damaged(self.draw, frame) if self.wrong_run else frame

    def averages(self) -> pd.DataFrame:
        """Draw the means of some systems."""
        names = list("rstuv"[:self.draw.randint(2, 5)])
        frame = pd.DataFrame({"name": names})
        for measure in ("rKL@5", "nDCG@5", "BiasP@5"):
            frame[measure] = [self.draw.choice([self.draw.random(), 0.5]) for _ in names]
        return damaged(self.draw, frame) if self.wrong_run else frame


def scores(case: Case) -> Cells:
    """Call ir_measures with measures of the package."""
    measures = [ir_measures.parse_measure(measure) if isinstance(measure, str) else measure
                for measure in case.measures(4)]
    samples = case.draw.choice([1, 1, 1, 1, 1, 3])
    run = case.run(samples)
    qrels, run = (frame.rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})
                  if isinstance(frame, pd.DataFrame) else frame for frame in (case.qrels, run))
    found = {(str(metric.measure), metric.query_id): metric.value
             for metric in ir_measures.iter_calc(measures, qrels, run)}
    return [(*key, found[key]) for key in sorted(found)]


def evaluation(case: Case) -> Any:
    options = case.options(
        undefined=("count", "drop"), baseline=(0, "r"),
        correction=("holm", "bonferroni", None), test=("t", "randomisation"),
        references=(True, False, ["proportional"]), groups=("random-letters", "random-shares"))
    return pt_fairness.evaluate(case.runs(), case.qrels, case.measures(), progress=False, **options)


def explanation(case: Case) -> Any:
    return pt_fairness.explain(case.measures(1)[0], case.run(), case.qrels,
                               str(case.draw.randint(1, case.topics)),
                               **case.options(groups=("random-letters", "random-shares")))[0]


def reordering(case: Case) -> Any:
    """Call a re-ranker."""
    name = case.draw.choice(sorted(rerank.__all__))
    function = getattr(rerank, name)
    choices: dict[str, tuple[Any, ...]] = {
        "groups": ("random-letters", "random-shares", "random-levels"), "k": (1, 3, 10),
        "target": TARGETS, "protected": ("minority", "majority", "A"), "alpha": (0.05, 0.1, 0.3),
        "adjust": (True, False), "discount": ("log2", "trec", "geometric", "none"),
        "p": (0.3, 0.85), "seed": (0, 7), "sample": (0, 1, 3), "lam": (0.0, 0.5, 1.0),
        "normalise": ("minmax", "sum", "none", "rank"),
        "temperature": (0.1, 1.0)}
    drawn = case.options(**{option: choices[option] for option in inspect.signature(
        function).parameters if option in choices})
    if "groups" in inspect.signature(function).parameters:
        drawn.setdefault("groups", drawn_groups(case.draw))
    frame = function(**drawn)(of_pyterrier(case.run()))
    return frame[["qid", "docno", "rank", "score"]]


def comparison(case: Case) -> Any:
    return analysis.compare(case.perquery(), resamples=99, **{"baseline": "r"} | case.options(
        correction=("holm", "bonferroni", None), confidence=(0.9, 0.95),
        test=("t", "randomisation"), tolerance=(None, 0.01), side=("worse", "both"), seed=(0, 3),
        baseline=("s", None)))


def intervals(case: Case) -> Any:
    return analysis.intervals(case.perquery(), resamples=99, **case.options(
        method=("t", "bca"), confidence=(0.9, 0.95), seed=(0, 3)))


def topic_tables(case: Case) -> Any:
    domains = {str(qid): case.draw.choice("xyz") for qid in range(1, 12)}
    perquery = case.perquery()
    if case.draw.random() < 0.5:
        return analysis.intervals(perquery, "t", domains, **case.options(seed=(0, 3)))
    return analysis.topic_gaps(perquery, domains, **case.options(seed=(0, 3), resamples=(99,)))


def system_tables(case: Case) -> Any:
    kind = case.draw.choice(["minmax", "correlations", "combine", "bias"])
    if kind == "bias":
        return analysis.bias_test(case.perquery())
    frame = case.averages()
    if kind == "minmax":
        return analysis.minmax(frame)
    if kind == "combine":
        return analysis.combine(frame, **{"columns": ["rKL@5", "nDCG@5"]} | case.options(
            how=("mean", "gmean", "hmean"), weights=([1, 2], [0.5, 0.5])))
    return tuple(analysis.correlations(frame, **case.options(
        method=("kendall", "spearman", "pearson"))))


def exposures(case: Case) -> Any:
    function = case.draw.choice([analysis.document_exposure, analysis.inequality])
    return function(case.runs(), case.qrels, **case.options(
        by=("document", "group"), groups=("random-letters", "random-shares"),
        population=("runs", "judged", 100), discount=("log2", "trec", "geometric", "none"),
        p=(0.5, 0.85), depth=(1, 5, 20)))


def group_tables(case: Case) -> Any:
    """Call a function that shows the groups of documents."""
    source = case.options(groups=("random-letters", "random-shares", "random-levels"))
    kind = case.draw.choice(["distribution", "ranked", "effectiveness", "undefined"])
    if kind == "distribution":
        return analysis.group_distribution(case.qrels, **source)
    if kind == "ranked":
        return analysis.ranked_groups(case.runs(), case.qrels, **source)
    if kind == "undefined":
        return analysis.undefined(case.qrels, case.measures())
    table = analysis.group_effectiveness(
        case.runs(), case.qrels, ["nDCG@5", "RR"], **source | case.options(
            topics=("common", "each", "all"), others=("irrelevant", "dropped"),
            of=(["A", "B"], ["A"])))
    return table, analysis.group_gaps(table)


def draws(case: Case) -> Any:
    """Call a function that draws rankings or labels."""
    kind = case.draw.choice(["random", "noise", "uncertain", "references"])
    measures = ["rKL@5", "AWRF@5", "nDR"][:case.draw.randint(1, 3)]
    if kind == "references":
        rankings = analysis.reference_rankings(case.qrels, **{"draws": 3} | case.options(
            run=(drawn_run(case.draw, case.topics),), depth=(3, 10), rel=(1, 2), seed=(0, 3),
            groups=("random-letters", "random-levels")))
        return tuple(rankings[name] for name in sorted(rankings))
    if kind == "random":
        return analysis.against_random(case.runs(), case.qrels, measures, draws=5, **case.options(
            groups=("random-letters", "random-shares"), depth=(5,), seed=(0, 3)))
    if kind == "noise":
        return analysis.label_noise(case.runs(), case.qrels, measures, **{
            "groups": "random-letters", "eps": [0.1, 0.3]} | case.options(
                seed=(0, 3), eps=(0.0, 0.5)), draws=4)
    return analysis.uncertain_labels(case.runs(), case.qrels, measures, **{
        "groups": "random-shares"} | case.options(
            seed=(0, 3), interval=("rubin", "components"), baseline=(None, "r")), draws=4)


def sources(case: Case) -> Any:
    """Make a group source, and look its groups up."""
    frame = pd.DataFrame({"docno": docnos(), "group": [case.draw.choice(LABELS) for _ in docnos()]})
    frame["weight"] = [case.draw.choice([0.5, 1.0]) for _ in docnos()]
    frame = damaged(case.draw, frame) if case.wrong_run else frame
    source = groups.from_frame(frame, **case.options(name=("of frame",), order=(LABELS,)))
    return source.to_qrels(case.qrels)


#: The functions, and how often each is called.
FUNCTIONS: dict[Callable[[Case], Any], int] = {
    scores: 44, evaluation: 10, explanation: 8, reordering: 8, comparison: 3, intervals: 3,
    topic_tables: 2, system_tables: 5, exposures: 4, group_tables: 6, draws: 4, sources: 3}


def cells_of(result: Any) -> Iterator[str]:
    """Yield what a result holds, as text: numbers with 17 digits."""
    if isinstance(result, dict):
        result = list(result.values())
    if isinstance(result, pd.Series):
        result = result.to_frame()
    if isinstance(result, pd.DataFrame):
        yield from (repr(str(column)) for column in result.columns)
        result = result.to_numpy(object).ravel().tolist()
    if isinstance(result, (list, tuple, np.ndarray)):
        for part in result:
            yield from cells_of(part)
    elif result is None or result is pd.NA:
        yield "nan"
    elif isinstance(result, (int, np.integer, float, np.floating)):
        yield format(float(result), ".17g")
    else:
        yield repr(str(result))


def steady(text: str) -> str:
    """Return a text without what depends on the process: addresses, and hashes in names."""
    text = re.sub(r"[^'\"(]*-[0-9a-f]{6}\b", "…", text)  # names derived from content
    return re.sub(r"0x[0-9a-f]+", "0x…", text)


def line_of(seed: int, call: int) -> str:
    """Return the line of a call."""
    draw = Draw(f"{seed} {call}")
    function = draw.choices(list(FUNCTIONS), list(FUNCTIONS.values()))[0]
    line: dict[str, Any] = {"call": call, "function": function.__name__}
    try:
        case = Case(draw, wrong=draw.random() < 0.3)
        line["values"] = [steady(cell) for cell in cells_of(function(case))]
    except Exception as error:
        line["error"] = steady(f"{type(error).__name__}: {error}")
    return json.dumps(line, ensure_ascii=False)


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def write(path: str, calls: int, seed: int) -> None:
    """Make the calls, and write a line for each."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    register()
    counts: Counter[str] = Counter()
    with open(path, "w", encoding="utf-8") as out:
        for call in range(calls):
            text = line_of(seed, call)
            print(text, file=out)
            line = json.loads(text)
            counts["errors"] += "error" in line
            counts["values"] += sum(map(is_number, line.get("values", ())))
    print(f"{calls} calls, {counts['values']} values, {counts['errors']} errors, "
          f"{time.process_time():.0f} s of CPU; {pt_fairness.__file__}")


def read(path: str) -> list[dict[str, Any]]:
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def differ(first: str, second: str) -> bool:
    """Return whether two cells differ: numbers by more than the tolerance."""
    if first == second or not (is_number(first) and is_number(second)):
        return first != second
    return not math.isclose(float(first), float(second), rel_tol=TOLERANCE, abs_tol=1e-300)


def compare(first: str, second: str) -> int:
    """Print how many values and errors of two files differ; return the number."""
    counts: Counter[str] = Counter()
    shown = []
    for before, after in itertools.zip_longest(read(first), read(second), fillvalue={}):
        difference = ""
        if "error" in before or "error" in after:
            counts["errors"] += 1
            if before.get("error") != after.get("error"):
                counts["different errors"] += 1
                difference = "\n  ".join(str(side.get("error", "values")) for side in
                                         (before, after))
        else:
            pairs = itertools.zip_longest(before.get("values", ()), after.get("values", ()),
                                          fillvalue="no cell")
            cells = [pair for pair in pairs if differ(*pair)]
            counts["values"] += sum(map(is_number, before.get("values", ())))
            counts["different values"] += len(cells)
            difference = ", ".join(f"{a} → {b}" for a, b in cells[:3])
        if difference:
            call = before or after
            shown.append(f"call {call['call']}, {call['function']}:\n  {difference}")
    print("\n".join(shown[:10]))
    print(f"{counts['different values']} of {counts['values']} values and "
          f"{counts['different errors']} of {counts['errors']} errors differ, in {len(shown)} "
          "calls")
    return len(shown)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", nargs="?", help="the file to write")
    parser.add_argument("--calls", type=int, default=CALLS)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--compare", nargs=2, metavar=("A", "B"), help="two files of this script")
    options = parser.parse_args()
    if options.compare:
        return int(compare(*options.compare) > 0)
    if options.out is None:
        parser.error("a file to write is missing")
    if os.environ.get("PYTHONHASHSEED") != "0":  # errors that show a set
        steady_process = os.environ | {"PYTHONHASHSEED": "0", "TQDM_DISABLE": "1"}
        os.execve(sys.executable, [sys.executable, *sys.argv], steady_process)
    write(options.out, options.calls, options.seed)
    return 0


if __name__ == "__main__":
    sys.exit(main())
