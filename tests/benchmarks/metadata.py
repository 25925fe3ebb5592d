"""What the metadata of a collection cost: ``python tests/benchmarks/metadata.py``.

100,000 articles in the format of TREC Fair 2022, which has 6,460,210.
"""

import gzip
import json
import os
import random
import resource
import sys
import tempfile
import time
from pathlib import Path

from timing import report

ARTICLES, TRACK = 100_000, 6_460_210
NAME = "trec-fair/2022/train/source-regions"


def write(path: Path) -> None:
    """Write metadata with drawn groups."""
    import ir_datasets  # noqa: F401 - first, because registering imports all of the modules

    from pt_fairness.collections.wikipedia import FIELDS
    pick = random.Random(0)
    fields = [field for name, field in FIELDS.items() if "/2022/" in name]
    with gzip.open(path, "wt") as file:
        for number in range(ARTICLES):
            record = {"page_id": 12 + 11 * number, "title": "x" * 500}
            for field in fields:
                chosen = pick.sample(field.labels, pick.choice((1, 1, 2)))
                record[field.key] = {label: pick.randint(1, 99) for label in chosen} \
                    if field.weighted else chosen
            file.write(json.dumps(record) + "\n")


def main() -> int:
    """Read the metadata, then look up articles twice; returns how many bounds were missed."""
    with tempfile.TemporaryDirectory() as home:
        os.environ["IR_DATASETS_HOME"] = home
        import pt_fairness  # noqa: F401 - after the folder is set
        from pt_fairness import collections
        path = Path(home) / "trec-fair/2022/trec_2022_articles_discrete.json.gz"
        path.parent.mkdir(parents=True)
        write(path)
        docnos = [str(12 + 11 * number) for number in range(ARTICLES)]
        took = []
        for _ in range(2):
            collections.make.cache_clear()
            start = time.perf_counter()
            collections.make("groups", NAME).annotate(docnos, docnos)
            took.append(time.perf_counter() - start)
    minutes = took[0] * TRACK / ARTICLES / 60
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (
        1 << 30 if sys.platform == "darwin" else 1 << 20)
    return report([("minutes to read a field of the track", minutes, "under 10", minutes < 10),
                   ("seconds to look up 100,000 articles", took[1], "under 2", took[1] < 2),
                   ("GiB of memory, libraries included", memory, "under 1", memory < 1)])


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
