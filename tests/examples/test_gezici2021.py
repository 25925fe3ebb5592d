"""The search engines of Gezici et al. (2021)."""

from __future__ import annotations

import ir_measures
import numpy as np
import pandas as pd
import pytest
from example_files import DATA, rows_of
from ir_measures import P
from scipy import stats

pytestmark = pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")


class TestGezici:
    def test_performance_is_that_of_relevance(self, script):
        module = script("gezici2021").module
        results, leaning = module.read(
            DATA / "gezici2021-results.csv", DATA / "gezici2021-topics.csv"
        )
        values = module.all_measured(results, leaning)["performance"].query(
            "measure == 'P@10' and name == 'Engine 1'"
        )
        own = results[results["engine"] == "Engine 1"]
        qrels = pd.DataFrame(
            {
                "query_id": own["topic"],
                "doc_id": own["rank"].astype(str),
                "relevance": (own["stance"] != "not relevant").astype(int),
            }
        )
        run = pd.DataFrame(
            {"query_id": own["topic"], "doc_id": own["rank"].astype(str), "score": -own["rank"]}
        )
        expected = {one.query_id: one.value for one in ir_measures.iter_calc([P @ 10], qrels, run)}
        assert values.set_index("qid")["value"].to_dict() == pytest.approx(expected)

    def test_stance_bias_by_hand(self, script, tmp_path, capsys):
        found = script("gezici2021")()
        figures = {path.name for path in tmp_path.glob("*.png")}
        assert figures == {f"gezici2021-figure{number}.png" for number in (3, 4, 5, 6)}
        results = pd.read_csv(DATA / "gezici2021-results.csv")
        sign = results["stance"].map({"pro": 1.0, "against": -1.0}).fillna(0.0)
        weights = {
            "P@10": 0.1,
            "RBP": 0.2 * 0.8 ** (results["rank"] - 1),
            "DCG@10": 1 / np.log2(results["rank"] + 1),
        }
        for measure, weight in weights.items():
            bias = (sign * weight).groupby([results["topic"], results["engine"]]).sum().unstack()
            for kind, table in (("MB", bias), ("MAB", bias.abs())):
                means, tests = found[f"stance, {kind}"]
                assert (
                    rows_of(means, f"{measure}, Engine 2")["ours"].iloc[0]
                    == f"{table['Engine 2'].mean():.4f}"
                )
                p = tests.set_index("two-tailed paired t-test").loc[
                    f"stance, {kind}: {measure}", "our p"
                ]
                assert p == pytest.approx(
                    stats.ttest_rel(table["Engine 2"], table["Engine 1"]).pvalue
                )
        assert "UNEXPLAINED" not in capsys.readouterr().out

    def test_ideology_by_hand(self, script):
        module = script("gezici2021").module
        results = pd.DataFrame(
            [
                (engine, topic, rank + 1, stance)
                for engine in ("E1", "E2")
                for topic, stances in (
                    ("c", ["pro", "pro", "against"]),
                    ("n", ["pro", "pro", "pro"]),
                    ("l", ["pro", "neutral", "not relevant"]),
                )
                for rank, stance in enumerate(stances)
            ],
            columns=["engine", "topic", "rank", "stance"],
        )
        leaning = pd.Series({"c": "conservative", "l": "liberal", "n": "both or neither"})
        values = module.all_measured(results, leaning)["ideology, MB"].query(
            "measure == 'P@10' and name == 'E1'"
        )
        # For a conservative topic pro is conservative (+), for a liberal one liberal (−); the third
        # drops out.
        assert values.set_index("qid")["value"].to_dict() == pytest.approx({"c": 0.1, "l": -0.1})

    def test_another_stance_changes_the_values(self, script, tmp_path):
        results = pd.read_csv(DATA / "gezici2021-results.csv")
        row = results.index[(results["engine"] == "Engine 1") & (results["stance"] == "against")][0]
        results.loc[row, "stance"] = "pro"
        results.to_csv(tmp_path / "results.csv", index=False)
        before, after = (
            script("gezici2021")(),
            script("gezici2021")(tmp_path / "results.csv", DATA / "gezici2021-topics.csv"),
        )
        for key, (means, _) in before.items():
            changed = means["ours"] != after[key][0]["ours"]
            assert changed[means["what"].str.endswith("Engine 1")].any() == (key != "performance")
            assert not changed[means["what"].str.endswith("Engine 2")].any()
            assert (means["published"] == after[key][0]["published"]).all()

    @pytest.mark.parametrize(
        "change, error",
        [
            ({"stance": "for"}, "'for' is no stance; it is one of 'pro', 'against'"),
            ({"engine": "one"}, "1 engines"),
            ({"topic": "t99"}, "no leaning for topic 't99'"),
        ],
    )
    def test_wrong_input(self, script, tmp_path, change, error):
        pd.read_csv(DATA / "gezici2021-results.csv").assign(**change).to_csv(
            tmp_path / "results.csv", index=False
        )
        with pytest.raises(ValueError, match=error):
            script("gezici2021")(tmp_path / "results.csv", DATA / "gezici2021-topics.csv")
