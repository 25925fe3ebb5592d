"""What groups from the words of 100,000 passages cost: ``python tests/benchmarks/from_text.py``.

The passages have 56 words on average, as those of MS MARCO, and are in MS MARCO's format. Reading
them from ir_datasets' docstore is part of the time, building that docstore is not.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from timing import report

PASSAGES = 100_000
#: The mean number of words in a passage of MS MARCO.
LENGTH = 56
WORDS = {"female": [f"f{i}" for i in range(163)], "male": [f"m{i}" for i in range(163)]}


def write(path: Path) -> None:
    """Write passages in which about one word in fifty is one of the groups."""
    rng = np.random.default_rng(2021)
    vocabulary = np.array([*WORDS["female"], *WORDS["male"],
                           *(f"word{i}" for i in range(15_000))])
    lengths = rng.poisson(LENGTH, PASSAGES)
    drawn = vocabulary[rng.integers(len(vocabulary), size=int(lengths.sum()))]
    path.parent.mkdir(parents=True)
    with path.open("w") as file:
        for docno, passage in enumerate(np.split(drawn, np.cumsum(lengths)[:-1])):
            file.write(f"{docno}\t{' '.join(passage)}\n")


def main() -> int:
    """Print the seconds for labels, and for shares and neutrality; return how many bounds were
    missed.
    """
    with tempfile.TemporaryDirectory() as home:
        os.environ["IR_DATASETS_HOME"] = home
        write(Path(home) / "msmarco-passage/collection.tsv")
        (Path(home) / "msmarco-passage/irds_version.txt").write_text("v2")
        import ir_datasets

        from pt_fairness import groups, values
        ir_datasets.load("msmarco-passage").docs_store().build()
        docnos = [str(docno) for docno in range(PASSAGES)]
        sources = {"labels": groups.from_text("msmarco-passage", WORDS),
                   "shares": groups.from_text("msmarco-passage", WORDS, shares=True),
                   "neutrality": values.from_text("msmarco-passage", WORDS)}
        rows = []
        for what, source in sources.items():
            for state in ("read", "cached"):
                start = time.perf_counter()
                found = source.lookup(["1"] * PASSAGES, docnos)
                took = time.perf_counter() - start
                assert len(found) >= PASSAGES
                rows.append((f"seconds for the {what} of {PASSAGES} passages, {state}", took,
                             "at most 10", took <= 10))
    return report(rows)


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
