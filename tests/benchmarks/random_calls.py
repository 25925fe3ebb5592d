"""Random calls of the public functions, and their values, to compare two versions.

``python tests/benchmarks/random_calls.py OUT [--calls N] [--seed S]`` writes a line for each value
(10 digits) or error (type and message). The calls depend on the seed alone, and only public names
are used, so that two versions of the package get the same ones:
``PYTHONPATH=OTHER python tests/benchmarks/random_calls.py OUT`` is the other side, and ``diff``
compares both.
"""

import argparse
import contextlib
import inspect
import itertools
import os
import random
import re
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

import pt_fairness
from pt_fairness import analysis, groups, rerank, runs, targets, values

LABELS = ("A", "B", "C", "D")
DOMAINS = {str(qid): "xyz"[qid % 3] for qid in range(1, 12)}
TARGETS: tuple[Any, ...] = (
    "qrels", "collection", "uniform", "run", {"A": 0.3, "B": 0.7}, {"A": 1.0},
    {"A": 0.25, "E": 0.75}, "random-calls", "random-calls-by-topic", "random-calls-of-qrels")
#: How often each function is called, and what it takes by position: methods of ``Case``.
FUNCTIONS = {
    "scores": (44, "measures sampled qrels"), "reordering": (8, "run"),
    "sources": (3, "frame qrels"),
    "evaluate": (10, "runs qrels measures"), "explain": (8, "measure run qrels"),
    "compare": (3, "perquery"), "intervals": (4, "perquery"), "topic_gaps": (1, "perquery"),
    "bias_test": (1, "perquery"), "minmax": (1, "averages"), "correlations": (1, "averages"),
    "combine": (2, "averages"), "document_exposure": (2, "runs qrels"),
    "inequality": (2, "runs qrels"), "shares": (2, "runs qrels"),
    "group_distribution": (1, "qrels"), "ranked_groups": (1, "runs qrels"),
    "undefined": (1, "qrels measures"), "group_effectiveness": (3, "runs qrels"),
    "reference_rankings": (1, "qrels run"), "against_random": (1, "runs qrels"),
    "label_noise": (1, "runs qrels"), "uncertain_labels": (1, "runs qrels")}
#: Options that each function has.
FIXED = {"draws": 4, "resamples": 99, "progress": False}

DOCNOS = [f"{'ABCDX'[i % 5]}{i}" for i in range(60)]
OF_RELEVANCE = ("nDCG@5", "AP", "RR", "P@3", "alpha_nDCG@5", "ERR_IA@10", "StRecall@5", "nDCG")
OF_PYTERRIER = {"query_id": "qid", "doc_id": "docno", "relevance": "label"}

Draw = random.Random


def measure_names() -> list[str]:
    """Return the public names of the measures."""
    return [name for name in sorted(pt_fairness.__all__)
            if hasattr(getattr(pt_fairness, name), "SUPPORTED_PARAMS")]


def register() -> None:
    """Register the groups, targets, values and run that parameters name."""
    draw = Draw(1)
    letters = groups.from_pattern("^([A-D])", labels=LABELS, name="random-letters")
    groups.register("random-letters", letters)
    shares = [(docno, label, draw.choice([0.25, 0.5, 1.0]))
              for docno in DOCNOS for label in draw.sample(LABELS, 2)]
    weighted = pd.DataFrame(shares, columns=["docno", "group", "weight"])
    groups.register("random-shares", groups.from_frame(weighted, name="random-shares"))
    levels = {docno: draw.choice(LABELS) for docno in DOCNOS[:50]}
    ordered = groups.from_mapping(levels, name="random-levels", order=LABELS)
    groups.register("random-levels", ordered)
    target = pd.DataFrame({"group": LABELS, "share": [0.4, 0.3, 0.2, 0.1]})
    targets.register("random-calls", target)
    targets.register("random-calls-of-qrels", target, of_qrels=0.5)
    by_topic = [target.assign(qid=str(qid), share=draw.sample([0.4, 0.3, 0.2, 0.1], 4))
                for qid in range(1, 9)]
    targets.register("random-calls-by-topic", pd.concat(by_topic))
    numbers = {docno: draw.choice([0.0, 0.5, 1.0, -0.25]) for docno in DOCNOS[:45]}
    values.register("random-calls", values.from_mapping(numbers, name="random-calls"))
    pairs = list(itertools.product(map(str, range(1, 9)), DOCNOS[:20]))
    runs.register("random-calls", pd.DataFrame(pairs, columns=["qid", "docno"]))


def drawn_qrels(draw: Draw, topics: int) -> pd.DataFrame:
    """Draw qrels with groups in ``iteration``, some documents with several groups or none."""
    lowest = draw.choice([0, 0, 0, -1])
    labels = LABELS[:draw.choice([2, 2, 3, 4])]
    rows = []
    for qid in range(1, topics + 1):
        for docno in draw.sample(DOCNOS, draw.randint(1, 25)):
            relevance = draw.choice([lowest, 0, 1, 1, 2, 3])
            for label in draw.sample(labels, draw.choice([1, 1, 1, 2])):
                rows.append((str(qid), docno, relevance, draw.choice([label, label, label, ""])))
    return pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])


def drawn_run(draw: Draw, topics: int, samples: int = 1) -> pd.DataFrame:
    """Draw a run, with ties; some topics are missing."""
    rows = []
    for qid in range(1, topics + 1):
        documents = draw.sample(DOCNOS, draw.choice([0, 1, 5, 15, 30, 30]))
        for sample, docno in itertools.product(range(samples), documents):
            rows.append((str(qid), docno, draw.choice([draw.random(), 0.25, 0.5]), sample))
    frame = pd.DataFrame(rows, columns=["query_id", "doc_id", "score", "iteration"])
    return frame if samples > 1 else frame.drop(columns="iteration")


def drawn_groups(draw: Draw) -> Any:
    """Draw a group source of any kind."""
    kind = draw.choice(["registered", "registered", "mapping", "dictionary", "frame", "weighted",
                        "pattern", "topics", "product"])
    labels = {docno: draw.choice(LABELS) for docno in DOCNOS if draw.random() < 0.8}
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


#: The arguments of a parameter or option, or what draws one; "name.parameter" goes before the
#: parameter alone, name being that of a measure or of a function.
PARAMETERS: dict[str, Any] = {
    "cutoff": (1, 2, 3, 5, 5, 10, 10, 50), "rel": (1, 1, 1, 2, 0), "target": TARGETS,
    "protected": ("minority", "majority", "A", "B", "A,C"),
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
    "OfGroup.measure": ("nDCG", "AP", "RR", "P@3", "RBP(p=0.5)", "nDCG(dcg='exp-log2')@5"),
    "relevance": ("err", "rbu"), "phi": (0.5, 0.99), "targets": ({}, {"random-letters": "qrels"}),
    "whole": ("random-letters", "random-shares"), "unknown": ("group", "partial"),
    "ideal": (1, 3, 20), "of_qrels": (0.0, 0.5, 1.0), "FAIR.value": ("test", "prefixes"),
    "MRecall.value": ("all", "share"), "TrecFair.value": ("score", "ndcg", "awrf"),
    "GFR.attributes": ({"random-letters": "jsd"}, {"random-letters": "nmd", "random-shares": "jsd"},
                       {"random-levels": "rnod"}),
    "TrecFair.attributes": ({"random-letters": "random-calls"},
                            {"random-letters": "random-calls", "random-shares": "random-calls"}),
    # options of functions
    "groups": drawn_groups, "k": (1, 3, 10), "seed": (0, 7), "sample": (0, 1, 3),
    "lam": (0.0, 0.5, 1.0), "normalise": ("minmax", "sum", "none", "rank"),
    "temperature": (0.1, 1.0), "undefined": ("count", "drop"), "baseline": (0, "r"),
    "correction": ("holm", "bonferroni", None), "test": ("t", "randomisation"),
    "compare.baseline": ("r", "s", None), "qid": ("1", "1", "2"), "intervals.by": (DOMAINS,),
    "topic_gaps.groups": (DOMAINS,), "document_exposure.p": (None, 0.5),
    "inequality.p": (None, 0.5), "measures": (["rKL@5"], ["AWRF@5", "nDR"]),
    "group_effectiveness.measures": (["nDCG@5", "RR"],),
    "references": (True, False, ["proportional"]), "confidence": (0.9, 0.95),
    "tolerance": (None, 0.01), "side": ("worse", "both"), "intervals.method": ("t", "bca"),
    "correlations.method": ("kendall", "spearman", "pearson"), "columns": (["rKL@5", "nDCG@5"],),
    "how": ("mean", "gmean", "hmean"),
    "population": ("runs", "judged", 100), "depth": (1, 5, 20), "of": (["A", "B"], ["A"]),
    "group_effectiveness.topics": ("common", "each", "all"), "eps": ([0.1, 0.3], 0.0),
    "interval": ("rubin", "components"), "from_frame.order": (LABELS,)}
REQUIRED = {"values", "measure", "group", "attributes", "pro", "con"}


def argument(draw: Draw, name: str, parameter: str, chance: float) -> dict[str, Any]:
    """Draw an argument of a parameter, or none."""
    choices = PARAMETERS.get(f"{name}.{parameter}", PARAMETERS.get(parameter))
    if choices is None or draw.random() >= chance:
        return {}
    return {parameter: choices(draw) if callable(choices) else draw.choice(choices)}


def drawn_measure(draw: Draw) -> Any:
    """Draw a measure with random parameters, or its text."""
    name = draw.choice(measure_names())
    measure = getattr(pt_fairness, name)
    arguments: dict[str, Any] = {}
    for parameter in measure.SUPPORTED_PARAMS:
        chance = 1.0 if parameter in REQUIRED else 0.6 if parameter == "cutoff" else 0.3
        arguments |= argument(draw, name, parameter, chance)
    found = measure(**arguments)
    is_text = "groups" not in arguments and draw.random() < 0.2
    return str(found) if is_text else found


def drawn_measures(draw: Draw) -> list[Any]:
    """Draw measures; those whose parameters do not fit are drawn again."""
    number = draw.randint(1, 4)
    measures: list[Any] = []
    while len(measures) < number:
        with contextlib.suppress(ValueError, TypeError, KeyError):
            measures.append(drawn_measure(draw))
    if draw.random() < 0.2:
        measures.append(draw.choice(OF_RELEVANCE))
    return measures


class Case:
    """What a call is made of."""

    def __init__(self, draw: Draw) -> None:
        self.draw = draw
        self.topics = draw.randint(1, 8)

    def named(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return a frame with the columns of ir_measures or of PyTerrier."""
        return frame.rename(columns=OF_PYTERRIER) if self.draw.random() < 0.5 else frame

    def qrels(self) -> Any:
        return self.named(drawn_qrels(self.draw, self.topics))

    def run(self) -> Any:
        return self.named(drawn_run(self.draw, self.topics))

    def sampled(self) -> Any:
        samples = self.draw.choice([1, 1, 1, 1, 1, 3])
        return self.named(drawn_run(self.draw, self.topics, samples))

    def runs(self) -> dict[str, Any]:
        return {name: self.run() for name in "rst"[:self.draw.randint(1, 3)]}

    def measures(self) -> list[Any]:
        return drawn_measures(self.draw)

    def measure(self) -> Any:
        return self.measures()[0]

    def perquery(self) -> Any:
        """Draw per-query values of three systems."""
        rows = []
        for name, measure in itertools.product("rst", ["rKL@5", "nDCG@5", "BiasP@5"]):
            for qid in range(1, self.draw.randint(3, 12)):
                rows.append((name, str(qid), measure, self.draw.choice([self.draw.random(), 0.5])))
        return pd.DataFrame(rows, columns=["name", "qid", "measure", "value"])

    def averages(self) -> Any:
        """Draw the means of some systems."""
        frame = pd.DataFrame({"name": list("rstuv"[:self.draw.randint(2, 5)])})
        for measure in ("rKL@5", "nDCG@5", "BiasP@5"):
            frame[measure] = [self.draw.choice([self.draw.random(), 0.5]) for _ in frame["name"]]
        return frame

    def frame(self) -> Any:
        """Draw groups with weights."""
        rows = [(docno, self.draw.choice(LABELS), self.draw.choice([0.5, 1.0])) for docno in DOCNOS]
        return pd.DataFrame(rows, columns=["docno", "group", "weight"])

    def options(self, function: Callable[..., Any], given: int = 0) -> dict[str, Any]:
        """Draw some of the options of a function, behind the arguments that are given."""
        drawn: dict[str, Any] = {}
        parameters = list(inspect.signature(function).parameters.values())[given:]
        for parameter in parameters:
            chance = 1.0 if parameter.default is parameter.empty else 0.4
            drawn |= argument(self.draw, function.__name__, parameter.name, chance)
        names = {parameter.name for parameter in parameters}
        return drawn | {name: value for name, value in FIXED.items() if name in names}


def scores(measures: list[Any], run: Any, qrels: Any) -> list[Any]:
    """Call ir_measures with measures of the package."""
    parsed = [ir_measures.parse_measure(measure) if isinstance(measure, str) else measure
              for measure in measures]
    of_pyterrier = {theirs: ours for ours, theirs in OF_PYTERRIER.items()}
    qrels, run = (frame.rename(columns=of_pyterrier) if isinstance(frame, pd.DataFrame) else frame
                  for frame in (qrels, run))
    found = {(str(metric.measure), metric.query_id): metric.value
             for metric in ir_measures.iter_calc(parsed, qrels, run)}
    return [(*key, found[key]) for key in sorted(found)]


def called(case: Case, name: str) -> Any:
    """Call a function with drawn arguments."""
    given = [getattr(case, part)() for part in FUNCTIONS[name][1].split()]
    if name == "scores":
        return scores(*given)
    if name == "sources":
        return groups.from_frame(given[0], **case.options(groups.from_frame, 1)).to_qrels(given[1])
    if name == "reordering":
        reranker = getattr(rerank, case.draw.choice(sorted(rerank.__all__)))
        options = case.options(reranker)
        if reranker is not rerank.plackett_luce:
            options.setdefault("groups", drawn_groups(case.draw))
        found = reranker(**options)(given[0].rename(columns=OF_PYTERRIER))
        return found[["qid", "docno", "rank", "score"]]
    function = getattr(pt_fairness, name, None) or getattr(analysis, name)
    result = function(*given, **case.options(function, len(given)))
    if name == "group_effectiveness":
        return result, analysis.group_gaps(result)
    return result[0] if name == "explain" else result


def cells_of(result: Any) -> Iterator[str]:
    """Yield what a result holds, as text: numbers with 10 digits."""
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
        yield format(round(float(result), 12) + 0.0, ".10g")
    else:
        yield repr(str(result))


def steady(text: str) -> str:
    """Return a text without what depends on the process: addresses, and hashes in names."""
    text = re.sub(r"[^'\"(]*-[0-9a-f]{6}\b", "…", text)  # names derived from content
    return re.sub(r"0x[0-9a-f]+", "0x…", text)


def name_and_cells(seed: int, call: int) -> tuple[str, list[str]]:
    """Return the function of a call and what the call gives; an error is one cell."""
    draw = Draw(f"{seed} {call}")
    name = draw.choices(list(FUNCTIONS), [often for often, _ in FUNCTIONS.values()])[0]
    try:
        cells = [*cells_of(called(Case(draw), name))]
    except Exception as error:
        cells = [f"{type(error).__name__}: {error}"]
    return name, [steady(cell) for cell in cells]


def write(path: str, calls: int, seed: int) -> None:
    """Make the calls, and write a line for each of their values."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    register()
    with open(path, "w", encoding="utf-8") as out:
        for call in range(calls):
            name, cells = name_and_cells(seed, call)
            out.writelines(f"{call} {name}: {cell}\n" for cell in cells)
    print(f"{calls} calls, {time.process_time():.0f} s of CPU; {pt_fairness.__file__}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0])
    parser.add_argument("out", help="the file to write")
    parser.add_argument("--calls", type=int, default=2800)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    if os.environ.get("PYTHONHASHSEED") != "0":  # errors that show a set
        steady_process = os.environ | {"PYTHONHASHSEED": "0", "TQDM_DISABLE": "1"}
        os.execve(sys.executable, [sys.executable, *sys.argv], steady_process)
    write(options.out, options.calls, options.seed)


if __name__ == "__main__":
    main()
