"""Two retrieval systems and a fair re-ranker over a small collection of arguments: relevance and
fairness in one table, and which groups the systems show.

Needs no download and no Java: ``pip install 'pt-fairness[demo]'``.
"""

import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator

import pandas as pd
import pyterrier as pt
from pyterrier.measures import *  # noqa: F403 - the measures of pt_fairness are among them

try:
    from pyterrier_pisa import PisaIndex
except ImportError as error:
    sys.exit(f"{error}: pip install 'pt-fairness[demo]', or '.[demo]' in a clone")

#: The group source: the stance of each argument.
STANCE = "pt-fairness/debates/stance"
#: How many arguments each system returns for a question.
DEPTH = 10
MEASURES = [nDCG @ 10, AWRF @ 10, rKL @ 10, Annotated @ 10]  # noqa: F405


@contextlib.contextmanager
def without_native_output() -> Iterator[None]:
    """PISA's C++ core reports its progress on both standard streams, past Python's own."""
    sys.stdout.flush()
    saved = os.dup(1), os.dup(2)
    with open(os.devnull, "wb") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(saved[0], 1)
        os.dup2(saved[1], 2)


def retrieval_systems(folder: str, debates: pt.datasets.Dataset) -> dict[str, pt.Transformer]:
    """BM25, a language model, and BM25 with its arguments re-ranked by stance."""
    index = PisaIndex(f"{folder}/debates.pisa", text_field=["title", "text"], threads=1)
    index.index(debates.get_corpus_iter(verbose=False))
    bm25, qld = index.bm25(threads=1) % DEPTH, index.qld(threads=1) % DEPTH
    for system in (bm25, qld):
        system.search("argument")  # PISA prepares an index for a model when it is first used
    return {"BM25": bm25, "QLD": qld,
            "BM25, re-ranked": bm25 >> pt.fairness.rerank.det_const_sort(STANCE)}


def main() -> pd.DataFrame:
    """Prints the table and returns it."""
    debates = pt.get_dataset(f"irds:{STANCE}")
    topics, qrels = debates.get_topics(), debates.get_qrels()  # "iteration" holds each stance
    with tempfile.TemporaryDirectory() as folder:
        with without_native_output():
            systems = retrieval_systems(folder, debates)
        table = pt.Experiment(list(systems.values()), topics, qrels, MEASURES, names=list(systems))
        runs = {name: system(topics) for name, system in systems.items()}
    shown = pt.fairness.analysis.shares(runs, qrels)[["name", "group", "attention", "relevant"]]
    references, _ = pt.fairness.evaluate(runs, qrels, MEASURES[1:3], references=True,
                                         progress=False)
    for one in (table.round(4), shown.round(2), references.round(4)):
        print(one.to_string(index=False), end="\n\n")
    print("nDCG: larger is better. AWRF: 1 is fair. rKL: 0 is fair. [rows]: the relevant documents "
          "in other orders.")
    return table


if __name__ == "__main__":
    main()
