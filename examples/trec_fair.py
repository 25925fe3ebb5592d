"""Two systems on the TREC Fair Ranking track of 2022: relevance, and fairness to the genders and
regions that the articles are about.

``python examples/trec_fair.py RUN RUN…`` takes run files over the training topics; ir_datasets
downloads the metadata and the judgments (255 MB). Without files, the runs are those of PISA over a
small collection in the same format, with drawn metadata. Needs no Java: ``pip install
'pt-fairness[demo,plots]'``.
"""

from __future__ import annotations

import argparse
import gzip
import json
import math
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import ir_datasets
import pandas as pd
import pyterrier as pt
from ir_measures import nDCG
from shared.inputs import file, parser, read_runs

from pt_fairness import AWRF, Annotated, analysis, evaluate, groups

try:
    import matplotlib
except ImportError as error:
    sys.exit(f"{error}: pip install 'pt-fairness[plots]', or '.[plots]' in a clone")

matplotlib.use("Agg")  # the figure goes to a file

DATASET = "trec-fair/2022/train"
#: The groups of the columns, and the target of the track for them.
ATTRIBUTES = {"gender": "trec-fair/2022/gender/track", "regions": "trec-fair/2022/world/track"}


def measures(depth: int) -> dict[str, Any]:
    """The measures of the table by their names in it; AWRF is that of the track."""
    found: dict[str, Any] = {f"nDCG@{depth}": nDCG @ depth}
    for attribute, target in ATTRIBUTES.items():
        source = f"{DATASET}/{attribute}"
        found[f"AWRF {attribute}"] = AWRF(groups=source, target=target, base=math.e,
                                          discount="trec", unannotated="keep") @ depth
        found[f"known {attribute}"] = Annotated(groups=source) @ depth
    return found


def table(runs: dict[str, pd.DataFrame], qrels: pd.DataFrame, depth: int) -> pd.DataFrame:
    """The mean of each measure, and of nDCG × AWRF, the score of the track, by system."""
    named = measures(depth)
    _, perquery = evaluate(runs, qrels, list(named.values()), progress=False)
    values = perquery.pivot(index=["name", "qid"], columns="measure", values="value")
    values = values.set_axis([next(name for name, measure in named.items()
                                   if str(measure) == column) for column in values], axis=1)
    for attribute in ATTRIBUTES:
        values[f"nDCG × AWRF {attribute}"] = values[f"nDCG@{depth}"] * values[f"AWRF {attribute}"]
    order = [f"nDCG@{depth}", *(f"{column} {attribute}" for attribute in ATTRIBUTES
                                for column in ("known", "AWRF", "nDCG × AWRF"))]
    return values[order].groupby(level="name").mean().loc[list(runs)]


def draw(runs: dict[str, pd.DataFrame], qrels: pd.DataFrame, path: Path, depth: int = 20) -> None:
    """Draw the genders in the first ranks of each system, for the topic that has most of them."""
    ranked = analysis.ranked_groups(runs, qrels, f"{DATASET}/gender", depth)
    topic = ranked.groupby("qid")["group"].count().idxmax()
    from pt_fairness import plots
    plots.strips(ranked, topic).figure.savefig(path)


def article(pick: random.Random, number: int) -> dict[str, Any]:
    """Draw the metadata of an article, in the format of the track."""
    place = pick.sample(groups.get(f"{DATASET}/regions").labels or [], pick.choice([0, 1, 1, 2]))
    cited = {region: pick.randint(1, 9) for region in place}
    drawn = {"page_id": number, "page_subcont_regions": place,
            "source_subcont_regions": {"UNK": 3, **cited},
            "occupations": pick.sample(["writer", "politician", "athlete"], pick.randint(0, 2)),
            "gender_category": pick.choice(["Man", "Man", "Man", "Woman", "Non-binary", "Unknown"]),
            **{key: pick.choice(labels) for key, labels in {
                "qual_cat": ["Stub", "Start", "C"], "years_category": ["20th century", "Unknown"],
                "relative_pageviews_category": ["Low", "High"],
                "creation_date_category": ["2001-2006", "2007-2011"],
                "first_letter_category": ["a-d", "e-k"],
                "num_sitelinks_category": ["English only", "5+ languages"]}.items()}}
    named = {"Man": ["male"], "Woman": ["female"], "Non-binary": ["non-binary"]}
    return drawn | {"gender": named.get(drawn["gender_category"], [])}


def generate(home: Path) -> None:
    """Write the arguments that the package ships with as articles of the track."""
    debates, pick = ir_datasets.load("pt-fairness/debates"), random.Random(2022)
    numbers = {doc.doc_id: number for number, doc in enumerate(debates.docs_iter(), 1)}
    files = {
        "trec_corpus_20220301_plain.json.gz": [
            {"id": numbers[doc.doc_id], "title": doc.title, "url": "", "plain": doc.text}
            for doc in debates.docs_iter()],
        "trec_2022_articles_discrete.json.gz": [
            article(pick, number) for number in numbers.values()],
        "trec_2022_train_reldocs.jsonl": [
            {"id": int(query.query_id), "title": query.text, "url": "", "rel_docs": [
                numbers[row.doc_id] for row in debates.qrels_iter()
                if row.query_id == query.query_id and row.relevance > 0]}
            for query in debates.queries_iter()],
    }
    for name, records in files.items():
        path = home / "trec-fair/2022" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        content = "".join(json.dumps(record) + "\n" for record in records).encode()
        path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)


def retrieved() -> dict[str, pd.DataFrame]:
    """The rankings of BM25 and of a language model."""
    from quickstart import PisaIndex, without_native_output
    dataset = pt.get_dataset(f"irds:{DATASET}")
    topics = dataset.get_topics("text")
    with tempfile.TemporaryDirectory() as folder, without_native_output():
        index = PisaIndex(f"{folder}/index", text_field=["title", "text"], threads=1)
        index.index(dataset.get_corpus_iter(verbose=False))
        return {"BM25": index.bm25(threads=1)(topics), "QLD": index.qld(threads=1)(topics)}


def show(runs: dict[str, pd.DataFrame], depth: int, figure: Path) -> pd.DataFrame:
    """Print the table, draw the figure, and return the table."""
    qrels = pt.get_dataset(f"irds:{DATASET}").get_qrels()
    values = table(runs, qrels, depth)
    print(values.T.to_string(float_format="{:.4f}".format))
    draw(runs, qrels, figure, min(depth, 20))
    print(f"\nThe genders in the first ranks for one topic: {figure}")
    return values


def main() -> int:
    """Evaluate the runs; or write the small collection, and start again with it."""
    options = parser(__doc__)
    options.add_argument("runs", metavar="RUN", nargs="*", type=file, help="a TREC run file")
    options.add_argument("--depth", metavar="K", type=int, default=20,
                         help="the number of ranks that count (default: 20; the track has 500)")
    options.add_argument("--figure", metavar="FILE", type=Path, default=Path("trec_fair.png"))
    options.add_argument("--generated", action="store_true", help=argparse.SUPPRESS)
    given = options.parse_args()
    if given.runs:
        print(f"Runs from files, on {DATASET}")
        show(read_runs(given.runs), given.depth, given.figure)
    elif given.generated:
        show(retrieved(), given.depth, given.figure)
    else:
        print("A generated collection, not that of the track: the arguments that the package ships "
              "with, with drawn metadata", flush=True)
        with tempfile.TemporaryDirectory() as home:
            generate(Path(home))
            return subprocess.run([sys.executable, *sys.argv, "--generated"], env={
                **os.environ, "IR_DATASETS_HOME": home}).returncode
    return 0


if __name__ == "__main__":
    sys.exit(main())
