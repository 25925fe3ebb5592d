"""The tables that ``pt.Experiment(save_dir=…)`` writes, as input of ``analysis`` and ``plots``."""

from __future__ import annotations

import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import nDCG

from pt_fairness import analysis, plots, rKL

pytestmark = pytest.mark.newest  # PyTerrier writes these tables since 1.1


@pytest.fixture
def saved(tmp_path):
    """The table that PyTerrier returns, that of the topics, and the folder of the saved ones."""
    qrels = pd.DataFrame({"qid": ["01"] * 3 + ["02"] * 3, "docno": list("abc") * 2, "label": 1,
                          "iteration": ["PRO", "PRO", "CON"] * 2})
    topics = pd.DataFrame({"qid": ["01", "02"], "query": "zoos"})
    runs = {}
    for name, order in (("A", "abc"), ("B", "cab")):
        run = pd.DataFrame({"qid": ["01"] * 3 + ["02"] * 3, "docno": list(order) * 2,
                            "score": [3.0, 2.0, 1.0] * 2, "rank": [0, 1, 2] * 2})
        runs[name] = pt.Transformer.from_df(run)
    returned = [pt.Experiment(list(runs.values()), topics, qrels, [nDCG @ 3, rKL @ 3],
                              names=list(runs), perquery=perquery, save_dir=str(tmp_path),
                              save_mode="overwrite") for perquery in (False, True)]
    return (*returned, tmp_path)


def test_saved_tables_give_what_the_returned_ones_give(saved):
    averages, values, folder = saved
    read = pd.read_csv(folder / "perquery.csv", dtype={"qid": str})
    pd.testing.assert_frame_equal(analysis.compare(read, "A"), analysis.compare(values, "A"))
    table = pd.read_csv(folder / "aggregated.csv")
    pd.testing.assert_frame_equal(analysis.rank_table(table), analysis.rank_table(averages))


def test_saved_tables_are_drawn(saved):
    _, values, folder = saved
    read = pd.read_csv(folder / "perquery.csv", dtype={"qid": str})
    drawn, again = (plots.distribution(frame, rKL @ 3) for frame in (read, values))
    assert (drawn.collections[0].get_offsets() == again.collections[0].get_offsets()).all()
    table = pd.read_csv(folder / "aggregated.csv")
    assert plots.tradeoff(table, "nDCG@3", rKL @ 3).get_ylabel() == "rKL@3 (0 is fair)"
