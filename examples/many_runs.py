"""A sweep over the parameters of BM25: many runs in files, evaluated on local processes, then on a
Dask cluster.

Needs no download and no Java: ``pip install 'pt-fairness[demo,parallel]'``. For runs of your own,
the two calls of ``pt.fairness.evaluate`` are all there is to it; for a cluster of several machines,
give ``Client`` its address instead of a ``LocalCluster``, and let the machines see the same files.
"""

import itertools
import sys
import tempfile
from pathlib import Path

import pandas as pd
import pyterrier as pt
from pyterrier.measures import *  # noqa: F403 - the measures of pt_fairness are among them
from quickstart import PisaIndex, without_native_output

from pt_fairness.analysis.notes import short_p

try:
    from dask.distributed import Client, LocalCluster
    from joblib import parallel_config
except ImportError as error:
    sys.exit(f"{error}: pip install 'pt-fairness[demo,parallel]', or '.[demo,parallel]' in a clone")

MEASURES = [nDCG @ 5, α_nDCG @ 5, rND @ 5, rKL @ 5, nDJS]  # noqa: F405
K1 = (0.3, 0.6, 0.9, 1.2, 2.0)
B = (0.0, 0.25, 0.5, 0.75)
DEFAULT = "k1=0.9 b=0.25"


def write_runs(folder: Path, debates: pt.datasets.Dataset) -> None:
    """A compressed TREC run file for each setting."""
    index = PisaIndex(str(folder / "index"), text_field=["title", "text"], threads=1)
    index.index(debates.get_corpus_iter(verbose=False))
    for k1, b in itertools.product(K1, B):
        run = index.bm25(k1=k1, b=b, num_results=50, threads=1)(debates.get_topics())
        pt.io.write_results(run, str(folder / f"k1={k1} b={b}.gz"))


def main() -> pd.DataFrame:
    """Prints the settings in order of their fairness and returns the table of averages."""
    debates = pt.get_dataset("irds:pt-fairness/debates/stance")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with without_native_output():
            write_runs(folder, debates)

        # Two processes.
        averages, per_query = pt.fairness.evaluate(
            folder / "*.gz",
            debates.get_qrels(),
            MEASURES,
            baseline=DEFAULT,
            n_jobs=2,
        )

        # The same on a cluster. When a worker dies, the others do its runs.
        with (
            LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
            Client(cluster),
            parallel_config("dask"),
        ):
            again, _ = pt.fairness.evaluate(
                folder / "*.gz", debates.get_qrels(), MEASURES, baseline=DEFAULT
            )
    pd.testing.assert_frame_equal(again, averages)

    shown = averages.sort_values("rKL@5")[["name", *map(str, MEASURES), "rKL@5 p-value"]]
    print(shown.to_string(index=False, float_format="{:.4f}".format,
                          formatters={"rKL@5 p-value": short_p}))
    print(
        f"\n{len(averages)} runs, {len(per_query)} values of single topics. Of nDCG and α-nDCG, "
        f"more is better; of the "
        "others, 0 is fair."
    )
    return averages


if __name__ == "__main__":
    main()
