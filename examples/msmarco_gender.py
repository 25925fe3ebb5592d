"""Relevance and gender neutrality of runs over MS MARCO, for the queries of Rekabsaz et al. (2021).

``python examples/msmarco_gender.py RUN RUN…`` takes TREC runs over the passages of MS MARCO, for
the queries of TREC Deep Learning 2019, or with ``--task dev`` of the development set. As in the
paper, NFaiRR compares each with the first 200 passages of one run, the first that is named, which
should be BM25. ir_datasets downloads what it lacks (1.1 GB). Without runs, PISA searches a small
made-up collection in the same format: ``pip install 'pt-fairness[demo,plots]'``.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd
import pyterrier as pt
from das2019 import relevance_and_fairness
from ir_measures import RR, nDCG
from shared import comparison, inputs, passages

from pt_fairness import AWRF, FaiRR, NFaiRR, evaluate, runs

#: The number of passages of the first run that NFaiRR compares with, as in the paper.
BACKGROUND = 200


def made_runs(dataset: str) -> dict[str, pd.DataFrame]:
    """Return the runs of BM25 and a language model."""
    from quickstart import PisaIndex, without_native_output
    collection = pt.get_dataset(f"irds:{dataset}")
    with tempfile.TemporaryDirectory() as folder, without_native_output():
        index = PisaIndex(f"{folder}/index", text_field="text", threads=1)
        index.index(collection.get_corpus_iter(verbose=False))
        return {"BM25": index.bm25(threads=1)(collection.get_topics()),
                "QLD": index.qld(threads=1)(collection.get_topics())}


def table(dataset: str, systems: dict[str, pd.DataFrame], figures: Path) -> pd.DataFrame:
    """Print and return the averages of each run, and draw relevance against neutrality."""
    first = next(iter(systems.values())).sort_values("score", ascending=False, kind="stable")
    runs.register("first run", first.groupby("qid").head(BACKGROUND))
    # In TREC Deep Learning, level 1 is not relevant for binary measures.
    relevant = 2 if "trec-dl" in dataset else 1
    measures = {"nDCG@10": nDCG @ 10, "RR@10": RR(rel=relevant) @ 10,
                "FaiRR@10": FaiRR(values=dataset) @ 10,
                "NFaiRR@10": NFaiRR(values=dataset, background="first run") @ 10,
                "AWRF@10": AWRF(groups=dataset, target="uniform") @ 10}
    qrels = pt.get_dataset(f"irds:{dataset}").get_qrels()
    averages, _ = evaluate(systems, qrels, list(measures.values()), progress=False)
    comparison.show(averages.set_axis(["run", *measures], axis=1))
    print(f"\n{qrels['qid'].nunique()} queries. FaiRR, NFaiRR: more is more neutral. AWRF: 1 is "
          "the same attention for female, male and neutral passages.")
    shown = averages.set_axis(["name", *measures], axis=1)
    axes = relevance_and_fairness(shown, "nDCG@10", ["NFaiRR@10"])
    comparison.save(axes, figures, "msmarco_gender")
    return averages


def main(arguments: list[str] | None = None) -> pd.DataFrame | None:
    """Print the table and return it."""
    parser = comparison.arguments(__doc__)
    parser.add_argument("runs", nargs="*", type=inputs.file, metavar="RUN")
    parser.add_argument("--task", choices=("dev", "trec-dl-2019"), default="trec-dl-2019")
    parser.add_argument("--made-up", action="store_true", help="search the made-up collection, "
                        "which has to be where ir_datasets looks for MS MARCO")
    given = parser.parse_args(arguments)
    dataset = f"msmarco-passage/{given.task}/fair/gender"
    if given.made_up:  # started below
        return table(dataset, made_runs(dataset), given.figures)
    if given.runs:
        print(f"MS MARCO: {dataset}\n", flush=True)
        files = inputs.read_runs(given.runs)
        try:
            return table(dataset, files, given.figures)
        except (OSError, ValueError) as error:
            sys.exit(f"These runs cannot be measured without the files of MS MARCO: {error}")
    print("A small made-up collection, not MS MARCO, searched with PISA\n", flush=True)
    with tempfile.TemporaryDirectory() as home:
        passages.make(Path(home))
        command = [sys.executable, __file__, "--made-up", "--task", given.task,
                   "--figures", str(given.figures)]
        sys.exit(subprocess.run(command, env={**os.environ, "IR_DATASETS_HOME": home}).returncode)


if __name__ == "__main__":
    main()
