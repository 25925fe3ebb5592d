"""Three retrieval systems over a small collection of arguments, with relevance, diversity and
fairness in one table.

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

#: How many arguments each system returns for a question. nDJS compares the first five with all that
#: a system returns, so that only lists of the same length can be compared; the conclusions alone
#: match no more than this for one question.
DEPTH = 7
MEASURES = [nDCG @ 5, α_nDCG @ 5, rND @ 5, rKL @ 5, rRD @ 5, nDJS @ 5]  # noqa: F405


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
    """BM25 and a language model on whole arguments, and BM25 on their conclusions alone."""
    indexes = {}
    for fields in (["title", "text"], ["title"]):
        index = PisaIndex(f"{folder}/{'-'.join(fields)}", text_field=fields, threads=1)
        index.index(debates.get_corpus_iter(verbose=False))
        indexes[len(fields)] = index
    systems = {"BM25": indexes[2].bm25(threads=1) % DEPTH, "QLD": indexes[2].qld(threads=1) % DEPTH,
               "BM25 (conclusions)": indexes[1].bm25(threads=1) % DEPTH}
    for system in systems.values():
        system.search("argument")  # PISA prepares an index for a model when it is first used
    return systems


def main() -> pd.DataFrame:
    """Prints the table and returns it."""
    debates = pt.get_dataset("irds:pt-fairness/debates/stance")
    with tempfile.TemporaryDirectory() as folder:
        with without_native_output():
            systems = retrieval_systems(folder, debates)
        table = pt.Experiment(
            list(systems.values()),
            debates.get_topics(),
            debates.get_qrels(),  # the stance of each argument is in the column "iteration"
            MEASURES,
            names=list(systems),
        )
    print(table.to_string(index=False, float_format="{:.4f}".format))
    print("nDCG, α-nDCG: larger is better. nDJS, rKL, rND, rRD: 0 is fair, 1 is the least fair.")
    return table


if __name__ == "__main__":
    main()
