"""The search engines of Gezici et al. (2021)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from example_files import DATA
from scipy import stats

pytestmark = [pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning"), pytest.mark.slow]


class TestGezici:

    def test_stance_bias_by_hand(self, script, tmp_path):
        found = script("gezici2021")()
        figures = {path.name for path in tmp_path.glob("*.png")}
        assert figures == {f"gezici2021-figure{number}.png" for number in (2, 3, 4, 5, 6)}
        results = pd.read_csv(DATA / "gezici2021-results.csv")
        sign = results["stance"].map({"pro": 1.0, "against": -1.0}).fillna(0.0)
        weights = {
            "P@10": 0.1,
            "RBP": 0.2 * 0.8 ** (results["rank"] - 1),
            "DCG@10": 1 / np.log2(results["rank"] + 1),
        }
        for measure, weight in weights.items():
            bias = (sign * weight).groupby([results["topic"], results["engine"]]).sum().unstack()
            for kind, table in (("MAB", bias.abs()), ("MB", bias)):
                means, tests = found[f"stance, {kind}"]
                assert means.set_index("mean").loc[measure, "Engine 2"] == pytest.approx(
                    table["Engine 2"].mean())
                p = tests.set_index("two-tailed paired t-test").loc[measure, "p"]
                assert p == pytest.approx(
                    stats.ttest_rel(table["Engine 2"], table["Engine 1"]).pvalue
                )

    def test_what_the_numbers_of_the_paper_imply(self, script, monkeypatch):
        module = script("gezici2021").module
        # Only 57 and 38 topics give all printed means; at least four labels give that κ.
        assert module.implied()["implied"].tolist() == ["57", "38", "at least 5", "at least 4"]
        assert [f"{hits / 380:.4f}" for hits in (-52, -49, 98, 83)] == [
            f"{mean:.4f}" for key in ("ideology, MB", "ideology, MAB")
            for mean in module.PUBLISHED[key]["P@10"][:2]]
        monkeypatch.setitem(module.AGREEMENT, "leaning", (0.6, 0.4))
        assert module.implied()["implied"].tolist()[-1] == "at least 3"
