"""The search engines of Gezici et al. (2021)."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from example_files import DATA
from scipy import stats

from pt_fairness.analysis.notes import short_p

pytestmark = [pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning"), pytest.mark.slow]


class TestGezici:

    def test_stance_bias_by_hand(self, script, tmp_path, capsys):
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
        one_sample = stats.ttest_1samp(bias["Engine 1"], 0).pvalue
        printed = capsys.readouterr().out
        assert re.search(rf"^Engine 1 .* {re.escape(short_p(one_sample))}$", printed, re.M)
        # No published value stands beside those of an invented sample.
        assert printed.startswith("\nAn invented sample, to show the form\n")
        assert "published" not in printed and "0.8509" not in printed

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
            "short == 'P@10' and name == 'E1'"
        )
        # For a conservative topic pro is conservative (+), for a liberal one liberal (−); the third
        # drops out.
        assert values.set_index("qid")["value"].to_dict() == pytest.approx({"c": 0.1, "l": -0.1})

    def test_all_tables_from_votes(self, script, tmp_path, capsys):
        results = pd.read_csv(DATA / "gezici2021-results.csv", dtype=str)
        topics = pd.read_csv(DATA / "gezici2021-topics.csv", dtype=str)
        votes = pd.concat([results.assign(annotator=name) for name in "uvw"], ignore_index=True)
        # Three labels of one result: no majority, so it counts as not relevant.
        first = (votes[["engine", "topic", "rank"]] == ["Engine 1", "t01", "2"]).all(axis=1)
        assert (votes.loc[first, "stance"] == "pro").all()
        votes.loc[first, "stance"] = ["pro", "against", "neutral"]
        leanings = pd.concat([topics.assign(annotator=str(i)) for i in range(5)])
        # Two of five votes are a plurality, and not more than half.
        of_topic = leanings["topic"] == "t01"
        leanings.loc[of_topic, "leaning"] = ["liberal", "liberal", "conservative", "both",
                                             "both or neither"]
        files = [tmp_path / "votes.csv", tmp_path / "leanings.csv"]
        votes.to_csv(files[0], index=False)
        leanings.to_csv(files[1], index=False)
        load = script("gezici2021")
        place = (results["engine"] == "Engine 1") & (results["topic"] == "t01")
        results.loc[place & (results["rank"] == "2"), "stance"] = "not relevant"
        for majority, leaning in (("plurality", "liberal"), ("absolute", "both or neither")):
            topics.loc[topics["topic"] == "t01", "leaning"] = leaning
            results.to_csv(tmp_path / "results.csv", index=False)
            topics.to_csv(tmp_path / "topics.csv", index=False)
            expected = load(tmp_path / "results.csv", tmp_path / "topics.csv")
            capsys.readouterr()
            found = load("--votes", files[0], "--leanings", files[1], "--majority", majority)
            printed = capsys.readouterr().out
            assert "stance: 1 of 440 items have no majority" in printed
            assert "leaning: " + ("0" if majority == "plurality" else "1") + " of 22" in printed
            for key, (means, _) in expected.items():
                pd.testing.assert_frame_equal(means, found[key][0])
            assert (tmp_path / "gezici2021-figure6.png").exists()
        for arguments, error in (
                (["--votes", files[0]], "--votes and --leanings make the results together"),
                ([tmp_path / "results.csv"], "RESULTS and TOPICS belong together")):
            with pytest.raises(SystemExit):
                load(*arguments)
            assert error in capsys.readouterr().err

    def test_what_the_numbers_of_the_paper_imply(self, script, monkeypatch):
        module = script("gezici2021").module
        # Only 57 and 38 topics give all printed means; at least four labels give that κ.
        assert module.implied()["implied"].tolist() == ["57", "38", "at least 5", "at least 4"]
        assert [f"{hits / 380:.4f}" for hits in (-52, -49, 98, 83)] == [
            f"{mean:.4f}" for key in ("ideology, MB", "ideology, MAB")
            for mean in module.PUBLISHED[key]["P@10"][:2]]
        monkeypatch.setitem(module.AGREEMENT, "leaning", (0.6, 0.4))
        assert module.implied()["implied"].tolist()[-1] == "at least 3"
