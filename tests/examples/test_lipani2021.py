"""The sample of Lipani et al. (2021)."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from example_files import DATA
from scipy import stats

from pt_fairness import analysis

pytestmark = pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")


class TestLipani:
    def test_published_rows(self, script, capsys):
        published = script("lipani2021")()["published"]
        assert len(published) == 66 and (published["remark"] == "same").all()
        printed = capsys.readouterr().out
        # Beside the invented sample stands no published value.
        before, sample = printed.split("An invented sample, to show the form\n")
        assert before.count("same") == 67 and "UNEXPLAINED" not in printed
        assert "published  " not in sample

    def test_another_ratio_changes_the_values(self, script, monkeypatch, tmp_path):
        module = script("lipani2021").module
        rows = pd.read_csv(DATA / "lipani2021-published.csv")
        rows.loc[3, "model_ratio"] += 0.2
        rows.to_csv(tmp_path / "lipani2021-published.csv", index=False)
        monkeypatch.setattr(module, "DATA", tmp_path)
        published = module.published_rows()
        assert np.flatnonzero(published["remark"] != "same").tolist() == [3]

    def test_statistics_of_the_sample(self, script, tmp_path):
        found = script("lipani2021")()
        results = pd.read_csv(DATA / "lipani2021-results.csv")
        shares = pd.read_csv(DATA / "lipani2021-targets.csv").pivot(
            index="qid", columns="group", values="share"
        )
        model = (results[results["rank"] <= 10]["group"] == "female").groupby(
            results["topic"]
        ).sum() / 10
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
        summary = analysis.bias_summary(script("lipani2021").module.as_perquery(found["biases"]))
        row = summary[(summary["name"] == "K") & (summary["measure"] == "male")].iloc[0]
        ours = found["table 1"].set_index(["name", "measure"]).loc[("K", "male")]
        assert ours["MAB"] == row["MAB"]
        own = (found["biases"]["name"] == "K") & (found["biases"]["group"] == "male")
        assert ours["p"] == pytest.approx(stats.ttest_1samp(found["biases"]["bias"][own], 0).pvalue)
        assert {"lipani2021-figure2.png", "lipani2021-figure3.png"} <= {
            path.name for path in tmp_path.glob("*.png")
        }

    def test_the_papers_topics_stand_beside_its_values(self, script, monkeypatch, capsys):
        monkeypatch.setattr(script("lipani2021").module, "PAPER_TOPICS", 36)
        script("lipani2021")()
        sample = capsys.readouterr().out.split("An invented sample")[1]
        assert "K, female: MB   -0.042     -0.061" in sample

    def test_lists_are_sorted_by_bias(self, script):
        found = script("lipani2021")()
        for key in ("table 2", "table 3"):
            parts = dict(iter(found[key].groupby("column")))
            assert (parts["towards males"]["bias"] < 0).all() and parts["towards males"][
                "bias"
            ].is_monotonic_increasing
            assert (parts["towards females"]["bias"] > 0).all() and parts["towards females"][
                "bias"
            ].is_monotonic_decreasing
            assert (parts["unbiased"]["bias"] == 0).all() and parts["unbiased"]["target"].is_unique

    def test_another_document_changes_the_values(self, script, tmp_path):
        results = pd.read_csv(DATA / "lipani2021-results.csv")
        before = script("lipani2021")()["biases"]
        row = results.index[(results["topic"] == "nurse") & (results["rank"] == 1)]
        results.loc[row, "group"] = "male" if results.loc[row[0], "group"] == "female" else "female"
        results.to_csv(tmp_path / "results.csv", index=False)
        after = script("lipani2021")(tmp_path / "results.csv", DATA / "lipani2021-targets.csv")[
            "biases"
        ]
        changed = before[(before["model"] - after["model"]).abs() > 1e-9]
        assert set(changed["qid"]) == {"nurse"} and len(changed) == 4
