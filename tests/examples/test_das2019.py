"""The tables of Das & Lease (2019)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import parse_measure

pytestmark = [pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning"), pytest.mark.slow]


class TestDas:

    def assert_same(self, table: pd.DataFrame) -> None:
        """All that can differ is the same; min–max forces the ends."""
        forced = table["remark"].str.startswith("forced")
        assert table["what"][forced].tolist() == [
            "SN1: N[R-Prec]", "SN129: N[R-Prec]", "SN129: gmean (recomputed)"]
        assert (table["remark"][~forced] == "same").all() and len(table) == 9 * 3

    def test_real_rprec(self, script, shared):
        table = script("das2019")("--rprec", shared / "data" / "trec8" / "published-rprec.tsv")[
            "published R-Precision"]
        self.assert_same(table)
        ours = table["ours"][table["what"].str.contains("N\\[R-Prec\\]")].tolist()
        assert ours == [
            "1.0000", "0.8800", "0.8552", "0.8472", "0.6854", "0.6000", "0.0868", "0.0536",
            "0.0000"]

    def test_what_the_printed_tables_say(self, script):
        found = script("das2019")()
        table = found["printed tables"]
        assert len(table) == 2 * (9 + 8) and not table["remark"].str.contains("DIFFERS").any()
        columns = found["findings"].set_index("what")
        # Table 3 has τ > 0 for TREC-8. Of the three best by mean in table 2, one is by R-Prec.
        for paper, bound in (("paper: TREC-8", "(τ < 0)"), ("paper: Blogs07", "(2 of 3)")):
            fails, = columns.index[columns[paper] != "holds"]
            assert fails.endswith(bound)

    def test_real_runs(self, script, shared):
        folder = shared / "data" / "robust03"
        runs = [
            folder / "runs" / f"input.{name}.gz" for name in ("humR03dc", "NLPR03vb10", "uic0301")]
        found = script("das2019")(folder / "qrels.txt.gz", *runs, "--cutoff", 10, "--count",
                                  "retrieved")
        systems = found["systems"].set_index("name")
        # By their mean DistKL(target='uniform')@10: humR03dc 0.329838, NLPR03vb10 0.458335, uic0301
        # between. A topic without results adds the largest value, and 0 with empty='smooth'.
        qrels = pt.io.read_qrels(str(folder / "qrels.txt.gz"))
        largest = 11 / 14 * np.log2(44 / 14) + 3 / 14 * np.log2(4 / 14)
        divergence = {}
        for path, value in zip(runs, (0.329838, 0.458335, None), strict=True):
            run = pt.io.read_results(str(path))
            if value is None:
                measure = parse_measure("DistKL(groups='trec-newswire')@10")
                topics = qrels[["qid"]].drop_duplicates()
                value = pt.Experiment([run], topics, qrels, [measure], names=["x"])[str(measure)][0]
            name = path.name.removeprefix("input.").removesuffix(".gz")
            empty = qrels["qid"].nunique() - run["qid"].nunique()
            divergence[name] = value - largest * empty / qrels["qid"].nunique()
        low, high = min(divergence.values()), max(divergence.values())
        for name, value in divergence.items():
            assert systems["Fair"][name] == pytest.approx((high - value) / (high - low), abs=1e-4)
