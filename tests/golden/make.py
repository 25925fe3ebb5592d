"""Write ``values.tsv``: every measure on the collections beside this file, by slow versions alone.

Run it where a measure is added, a collection is changed or a version is released.
"""

import csv
import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
sys.path.append(str(FOLDER.parent))
import slow_versions  # noqa: E402
from slow_versions.common import Source, Topic, source_of  # noqa: E402

COLLECTIONS = ("ties", "several", "attributes")
FILE = FOLDER / "values.tsv"

#: The parameters of the measures that require some.
REQUIRED: dict[str, dict[str, Any]] = {
    "OfGroup": {"measure": "nDCG", "group": "CON"}, "RepBias": {"group": "CON"},
    "Skew": {"group": "CON"}}
OF_VALUES = ("RaB", "ARaB", "FaiRR", "NFaiRR", "RankingBias")
#: Those of the measures that need the values, the second attribute and the target.
MORE_REQUIRED: dict[str, dict[str, Any]] = {
    **{name: {"values": "neutrality"} for name in OF_VALUES},
    "GFR": {"attributes": {"gender": "jsd", "stance": "jsd"}},
    "TrecFair": {"attributes": {"gender": "shares"}}}


def read_rows(collection: str, name: str) -> list[list[str]]:
    """Return the rows of a file without its header, if it has one."""
    text = (FOLDER / collection / name).read_text(encoding="utf-8")
    if name.endswith(".txt"):
        return [line.split() for line in text.splitlines()]
    return list(csv.reader(text.splitlines()))[1:]


def read_groups(collection: str, name: str) -> dict[str, list[str]]:
    found = defaultdict(list)
    for docno, group in read_rows(collection, name):
        found[docno].append(group)
    return found


def read_topics(collection: str) -> dict[str, Topic]:
    """Return the topics of a collection with all that its files say."""
    qrels = [(qid, docno, int(relevance), None)
             for qid, _, docno, relevance in read_rows(collection, "qrels.txt")]
    run = [(qid, docno, float(score))
           for qid, _, docno, _, score, _ in read_rows(collection, "run.txt")]
    groups = read_groups(collection, "groups.csv")
    labels = {group for found in groups.values() for group in found}
    details = attributes_of if collection == "attributes" else lambda qid, topic: topic
    return slow_versions.read(
        qrels, run, lambda qid, docno: groups.get(docno, ()), labels, details=details)


def attributes_of(qid: str, topic: Topic) -> Topic:
    """Return a topic with the attributes, values and target of the collection of this name."""
    values = {docno: float(value) for docno, value in read_rows("attributes", "neutrality.csv")}
    shares = {group: float(share) for group, share in read_rows("attributes", "shares.csv")}
    found = {"stance": "groups.csv", "gender": "gender.csv"}
    attributes = {name: source("attributes", file) for name, file in found.items()}
    return replace(topic, attributes=attributes, values=values, targets={"shares": shares})


def source(collection: str, name: str) -> Source:
    groups = read_groups(collection, name)
    return source_of(groups, groups)


def measures(collection: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the name and the parameters of each measure, without a cutoff and with 3."""
    required = REQUIRED if collection != "attributes" else {**REQUIRED, **MORE_REQUIRED}
    left_out = MORE_REQUIRED.keys() - required.keys()
    for name in sorted(slow_versions.MEASURES.keys() - left_out):
        params = required.get(name, {})
        yield name, params
        yield name, {**params, "cutoff": 3}


def text_of(name: str, params: dict[str, Any]) -> str:
    """Return a measure as ir_measures writes it."""
    given = ",".join(f"{key}={value!r}" for key, value in params.items() if key != "cutoff")
    given = re.sub(r"(?<=[:,]) ", "", given)
    cutoff = f"@{params['cutoff']}" if "cutoff" in params else ""
    return (f"{name}({given})" if given else name) + cutoff


def rows() -> Iterator[tuple[str, str, str, float | None]]:
    """Yield collection, measure, topic and value, None for an undefined topic."""
    for collection in COLLECTIONS:
        topics = read_topics(collection)
        for name, params in measures(collection):
            own = {key: value for key, value in params.items() if key != "values"}
            for qid, topic in topics.items():
                value = slow_versions.MEASURES[name](topic, **own)
                yield collection, text_of(name, params), qid, value


if __name__ == "__main__":
    import pt_fairness

    lines = [f"# pt_fairness {pt_fairness.__version__}", "collection\tmeasure\ttopic\tvalue"]
    for collection, measure, qid, value in rows():
        shown = "undefined" if value is None else f"{value:.12g}"
        lines.append(f"{collection}\t{measure}\t{qid}\t{shown}")
    FILE.write_text("\n".join(lines) + "\n", encoding="utf-8")
