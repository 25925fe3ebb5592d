"""Group fairness and relevance as in NTCIR's FairWeb task: ``python examples/fairweb.py [FOLDER]``.

FOLDER holds files of the task: qrels (``*.qrels``: topic, document, level L0, L1, …), the groups of
each attribute (``*.ATTRIBUTE.gmemb``: topic, document, share in each group), their target shares
(``ATTRIBUTE.golddistr``) and TREC runs (``run.*``, also compressed). Without it, the script makes
up files of the same formats.
"""

from __future__ import annotations

import gzip
import random
import tempfile
from pathlib import Path

import pandas as pd
from shared.inputs import parser

from pt_fairness import GF, GFR, evaluate, groups, read_run

#: How many documents of a run count.
DEPTH = 20
#: Attributes whose groups have an order, lowest first; the others are nominal.
ORDINAL = ("HINDEX", "RATINGS", "FOLLOWERS", "SUBSCS")


def read_qrels(path: Path) -> pd.DataFrame:
    """Read the qrels of the task."""
    qrels = pd.read_csv(path, sep=r"\s+", names=["qid", "docno", "label"], dtype=str)
    return qrels.assign(label=qrels["label"].str.removeprefix("L").astype(int))


def read_attributes(folder: Path) -> dict[str, dict[str, float]]:
    """Register the groups of each attribute, and return its target distribution."""
    targets = {}
    for path in sorted(folder.glob("*.gmemb")):
        name = path.name.split(".")[-2]
        shares = [float(share) for share in (folder / f"{name}.golddistr").read_text().split()]
        targets[name] = {str(group): share / sum(shares) for group, share in enumerate(shares)}
        groups.register(name, groups.from_file(path, labels=targets[name]))
    return targets


def topics_of(folder: Path, attribute: str) -> set[str]:
    """Return the topics for which an attribute is known."""
    (path,) = folder.glob(f"*.{attribute}.gmemb")
    return {line.split()[0] for line in path.read_text().splitlines()}


def table(folder: Path) -> pd.DataFrame:
    """Return ERR, iRBU, GF and GFR of every run, a column for each."""
    (path,) = folder.glob("*.qrels")
    qrels, targets = read_qrels(path), read_attributes(folder)
    runs = {path.name.removeprefix("run.").removesuffix(".gz"): read_run(path)
            for path in sorted(folder.glob("run.*"))}
    # Each topic has attributes of its own: a group of topics is what has the same attributes.
    topics: dict[tuple[str, ...], list[str]] = {}
    for qid in dict.fromkeys(qrels["qid"]):
        known = tuple(name for name in targets if qid in topics_of(folder, name))
        topics.setdefault(known, []).append(qid)
    highest = int(qrels["label"].max())
    tables = []
    for known, qids in topics.items():
        measures = {"ERR": GFR(attributes={}, max_rel=highest),
                    "iRBU": GFR(attributes={}, relevance="rbu", max_rel=highest)}
        for name in known:
            for divergence in divergences(name):
                measures[f"GF {name} {divergence}"] = GF(
                    groups=name, divergence=divergence, target=targets[name], max_rel=highest)
        measures["GFR"] = GFR(attributes={name: divergences(name)[-1] for name in known},
                              targets={name: targets[name] for name in known}, max_rel=highest)
        averages, _ = evaluate(runs, qrels[qrels["qid"].isin(qids)],
                               [measure @ DEPTH for measure in measures.values()], progress=False)
        values = averages.set_index("name").set_axis(list(measures), axis=1)
        values.columns = pd.MultiIndex.from_product([[" ".join(qids)], values.columns],
                                                    names=["topics", "measure"])
        tables.append(values)
    return pd.concat(tables, axis=1)


def divergences(attribute: str) -> list[str]:
    """Return the divergences that the task computes for an attribute, that of GFR last."""
    return ["jsd", "nmd", "rnod"] if attribute.endswith(ORDINAL) else ["jsd"]


def make_files(folder: Path) -> None:
    """Write made-up files: two topics with two attributes each, two runs."""
    pick = random.Random(0)
    attributes = {"GENDER": 3, "HINDEX": 4}
    documents = [(qid, f"{qid}-{i}") for qid in ("P001", "P002") for i in range(40)]
    (folder / "sample.qrels").write_text("".join(
        f"{qid} {docno} L{pick.choice([0, 0, 1, 2])}\n" for qid, docno in documents))
    for name, size in attributes.items():
        rows = []
        for qid, docno in documents:
            weights = [pick.choice([0, 0, 1]) for _ in range(size)]
            weights = weights if any(weights) else [1] * size
            shares = " ".join(str(weight / sum(weights)) for weight in weights)
            rows.append(f"{qid} {docno} {shares}\n")
        (folder / f"sample.{name}.gmemb").write_text("".join(rows))
        (folder / f"{name}.golddistr").write_text(f"{1 / size}\n" * size)
    for name in ("first", "second"):
        with gzip.open(folder / f"run.{name}.gz", "wt") as file:
            for qid in ("P001", "P002"):
                order = pick.sample([docno for topic, docno in documents if topic == qid], 30)
                file.writelines(f"{qid} Q0 {docno} {rank} {-rank} {name}\n"
                                for rank, docno in enumerate(order))


def main() -> pd.DataFrame:
    """Print the table and return it."""
    arguments = parser(__doc__)
    arguments.add_argument("folder", type=Path, nargs="?")
    folder = arguments.parse_args().folder
    with tempfile.TemporaryDirectory() as made:
        if folder is None:
            print("Made-up documents, not those of the task:\n")
            folder = Path(made)
            make_files(folder)
        values = table(folder)
    print(values.T.round(4).to_string())
    return values


if __name__ == "__main__":
    main()
