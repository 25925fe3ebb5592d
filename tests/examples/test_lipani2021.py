"""The sample of Lipani et al. (2021)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from example_files import DATA
from scipy import stats

pytestmark = [pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning"), pytest.mark.slow]


class TestLipani:
    def test_published_rows(self, script, capsys):
        published = script("lipani2021")()["published"]
        assert len(published) == 66 and (published["remark"] == "same").all()
        printed = capsys.readouterr().out
        # Beside the invented sample stands no published value.
        before, sample = printed.split("An invented sample, to show the form\n")
        assert before.count("same") == 67 and "UNEXPLAINED" not in printed
        assert "published  " not in sample

    def test_statistics_of_the_sample(self, script, tmp_path):
        found = script("lipani2021")()
        results = pd.read_csv(DATA / "lipani2021-results.csv")
        shares = pd.read_csv(DATA / "lipani2021-targets.csv").pivot(
            index="qid", columns="group", values="share")
        model = (results[results["rank"] <= 10]["group"] == "female").groupby(
            results["topic"]).sum() / 10
        for name, target in (
            ("K", shares["female"]),
            ("R", (results["group"] == "female").groupby(results["topic"]).mean()),
        ):
            exact = target * 10 - np.floor(target * 10)
            assert (abs(exact - 0.5) > 1e-9).sum() > 30
            rounded = np.where(abs(exact - 0.5) > 1e-9, (target * 10).round() / 10, np.nan)
            bias = (model - rounded).dropna()
            own = (found["biases"]["name"] == name) & (found["biases"]["group"] == "female")
            ours = found["biases"][own].set_index("qid")["bias"]
            np.testing.assert_allclose(ours[bias.index], bias, atol=1e-12)
            of_women = found["biases"][own].set_index("qid")
            np.testing.assert_allclose(of_women["model"], model, atol=1e-12)
            np.testing.assert_allclose(of_women["target"], of_women["model"] - ours, atol=1e-12)
        ours = found["table 1"].set_index(["name", "group"]).loc[("K", "male")]
        own = (found["biases"]["name"] == "K") & (found["biases"]["group"] == "male")
        bias = found["biases"]["bias"][own]
        expected = [bias.mean(), bias.std(), abs(bias).mean(), bias.min(), bias.max(), 36]
        assert ours[["MB", "SB", "MAB", "min", "max", "n"]].tolist() == pytest.approx(expected)
        assert ours["p"] == pytest.approx(stats.ttest_1samp(bias, 0).pvalue)
        assert {"lipani2021-figure2.png", "lipani2021-figure3.png"} <= {
            path.name for path in tmp_path.glob("*.png")}

    def test_what_the_paper_finds_by_its_own_tables(self, script, monkeypatch):
        module = script("lipani2021").module
        found = module.published_findings().set_index("finding")["holds"]
        assert [finding for finding, holds in found.items() if not holds] == [
            "K: one unbiased row for every target ratio, 0 to 1",
            "K: only 4 professions are female-dominated",
            "R: biased towards males, target ratio around 0.5",
            "R: biased towards females, target ratio around 0.1",
            "R: one unbiased row for every target ratio, 0 to 1",
            "R: only 4 professions are female-dominated"]
        monkeypatch.setitem(module.TABLE_1, ("K", "female"), (0, 0, 0, -0.5, 0.7))
        assert not module.published_findings()["holds"].iloc[[0, -1]].any()
