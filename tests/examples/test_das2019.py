"""The tables of Das & Lease (2019)."""

import pandas as pd
import pytest

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
        found = script("das2019")(folder / "qrels.txt.gz", *sorted((folder / "runs").iterdir())[:3],
                                  "--cutoff", 10, "--count", "retrieved")
        fair = found["systems"]["Fair"]
        assert len(fair) == 3 and (fair.min(), fair.max()) == (0, 1)
