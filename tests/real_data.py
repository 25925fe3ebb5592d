"""Fixtures: public TREC data, which are no part of the project."""

import os
from pathlib import Path

import pandas as pd
import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of public TREC data; what needs it is skipped where it is missing.

    It is ``../shared``, or what ``PT_FAIRNESS_SHARED`` names, and holds in ``data``:

    * ``robust03``: ``qrels.txt.gz`` of the TREC 2003 Robust track, ``runs/input.NAME.gz``: nine
      runs (InexpC2, NLPR03vb10, THUIRr0301, UIUC03Rd1, VTcdhgp1, humR03dc, pircRBa1, rutcor03100,
      uic0301)
    * ``trec8``: ``qrels.trec8.adhoc.txt.gz``; ``published-rprec.tsv``, the R-Precision of its 129
      runs with the header ``run``, ``Rprec``
    * ``touche``, over args.me 2020-04-01: ``touche2020-task1.qrels``, ``touche2021-task1.qrels``;
      ``touche2020-task1-graded.qrels``, an earlier, graded version; ``topics-task-1-2020.xml``;
      ``run2020.NAME.gz`` and ``run2021.NAME.gz``, any runs
    * ``touche2022``, task 2: ``relevance.qrels.gz``, ``stance.qrels.gz``, ``runs/NAME.gz``:
      Aldo-Nadi.run3, Asuna.run1, Captain-Levi.run5, Grimjack.run1
    * ``fairweb1``, the pilot of NTCIR-17 FairWeb-1: qrels and memberships
      (``fairweb1pilot.*``), targets (``*.golddistr``), ``run.NAME.gz``, and ``ntcireval.tsv``,
      what the tool of the task prints for them
    * ``gender``: ``msmarco-passage-dev.fair.tsv``, ``trec-dl-2019.fair.tsv`` and ``words.csv``, the
      queries and words of Rekabsaz et al. (2021); ``run.trec-dl-2019.NAME.gz``, any runs over them;
      ``MSMGenderBias.csv`` of Mousavian et al. (2025)
    * ``cocktail``: ``nq-utd.zip``
    """
    folder = Path(os.environ.get("PT_FAIRNESS_SHARED", ROOT.parent / "shared"))
    if not folder.is_dir():
        pytest.skip(f"no shared data in {folder}")
    return folder


@pytest.fixture(scope="session")
def robust03(shared: Path) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """TREC 2003 Robust, with ir_measures' columns: qrels with the source, and the runs by name."""
    folder = shared / "data" / "robust03"
    qrels = pd.read_csv(
        folder / "qrels.txt.gz", sep=r"\s+", names=["query_id", "iteration", "doc_id", "relevance"],
        dtype={"query_id": str, "iteration": str, "doc_id": str})
    qrels["iteration"] = qrels["doc_id"].str.extract(r"^([A-Z]+)", expand=False)
    runs = {}
    for path in sorted((folder / "runs").glob("input.*.gz")):
        run = pd.read_csv(
            path, sep=r"\s+", names=["query_id", "q0", "doc_id", "rank", "score", "name"],
            dtype={"query_id": str, "doc_id": str}, keep_default_na=False)
        runs[path.name.removeprefix("input.").removesuffix(".gz")] = run[
            ["query_id", "doc_id", "score"]]
    return qrels, runs
