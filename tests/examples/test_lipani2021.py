"""The sample of Lipani et al. (2021)."""

from __future__ import annotations

import re

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

    def test_the_papers_topics_stand_beside_its_values(self, script, monkeypatch, capsys):
        monkeypatch.setattr(script("lipani2021").module, "PAPER_TOPICS", (36, 474))
        script("lipani2021")()
        sample = capsys.readouterr().out.split("An invented sample")[1]
        assert "K, female: MB   -0.042     -0.061" in sample
        assert re.search(r"K: \d+ professions are female-dominated.*\(published: 4\)", sample, re.S)

    @pytest.mark.parametrize("topics", [454, 474, 464])
    def test_both_numbers_of_topics_of_the_paper(self, script, tmp_path, capsys, topics):
        (tmp_path / "results.csv").write_text("topic,rank,document,group\n" + "".join(
            f"t{i},{rank},d{rank},{'female' if rank == i % 3 else 'male'}\n"
            for i in range(topics) for rank in (1, 2)))
        (tmp_path / "people.csv").write_text("qid,group,people\n" + "".join(
            f"t{i},{group},{1 + i % 2}\n" for i in range(topics) for group in ("female", "male")))
        script("lipani2021")(tmp_path / "results.csv", tmp_path / "people.csv")
        sample = capsys.readouterr().out.split("Table 1:")[1]
        assert ("K, female: MB   -0.042" in sample) == (topics != 464)

    def test_of_topics_without_bias_the_one_with_the_most_people_is_listed(self, script, tmp_path):
        # All have half women, in the ranking and in the target; R is the ranking itself.
        (tmp_path / "results.csv").write_text("topic,rank,document,group\n" + "".join(
            f"{topic},{rank},d{rank},{'female' if rank % 2 else 'male'}\n"
            for topic in "abc" for rank in range(1, 11)))
        numbers = {"a": 10, "b": 1000, "c": 100}
        people = "".join(f"{topic},{group},{n}\n" for topic, n in numbers.items()
                         for group in ("female", "male"))
        (tmp_path / "people.csv").write_text(f"qid,group,people\n{people}")
        shares = "".join(f"{topic},{group},0.5\n" for topic in numbers
                         for group in ("female", "male"))
        (tmp_path / "shares.csv").write_text(f"qid,group,share\n{shares}")
        for file, listed in (("people.csv", "b"), ("shares.csv", "a")):
            found = script("lipani2021")(tmp_path / "results.csv", tmp_path / file)
            for key in ("table 2", "table 3"):
                assert found[key][["column", "qid", "bias"]].to_numpy().tolist() == [
                    ["unbiased", listed, 0.0]]

    def test_numbers_of_people_become_shares(self, script, tmp_path):
        path = tmp_path / "people.csv"
        path.write_text("qid,group,people\nbaker,female,1\nbaker,male,3\nmonk,male,7\n")
        shares, people = script("lipani2021").module.read_targets(path)
        assert shares["share"].tolist() == [0.25, 0.75, 1.0]
        assert people.to_dict() == {"baker": 4, "monk": 7}

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

    def test_figure_3_has_a_colour_for_each_gender(self, script, monkeypatch):
        module = script("lipani2021").module
        drawn = []
        monkeypatch.setattr(module, "save", lambda ax, *_: drawn.append(ax.figure.axes))
        script("lipani2021")()
        for ax in drawn[1]:
            female, male = ax.collections
            assert [tick.get_text() for tick in ax.get_xticklabels()] == [
                tick.get_text() for tick in drawn[1][0].get_xticklabels()]
            assert tuple(female.get_facecolor()[0]) != tuple(male.get_facecolor()[0])
            assert len(female.get_offsets()) == len(male.get_offsets()) == 36

    def test_lists_are_sorted_by_bias(self, script):
        found = script("lipani2021")()
        for key in ("table 2", "table 3"):
            parts = dict(iter(found[key].groupby("column")))
            assert (parts["towards males"]["bias"] < 0).all() and parts["towards males"][
                "bias"].is_monotonic_increasing
            assert (parts["towards females"]["bias"] > 0).all() and parts["towards females"][
                "bias"].is_monotonic_decreasing
            assert (parts["unbiased"]["bias"] == 0).all() and parts["unbiased"]["target"].is_unique

    def test_another_document_changes_the_values(self, script, tmp_path):
        results = pd.read_csv(DATA / "lipani2021-results.csv")
        before = script("lipani2021")()["biases"]
        row = results.index[(results["topic"] == "nurse") & (results["rank"] == 1)]
        results.loc[row, "group"] = "male" if results.loc[row[0], "group"] == "female" else "female"
        results.to_csv(tmp_path / "results.csv", index=False)
        after = script("lipani2021")(tmp_path / "results.csv", DATA / "lipani2021-targets.csv")[
            "biases"]
        changed = before[(before["model"] - after["model"]).abs() > 1e-9]
        assert set(changed["qid"]) == {"nurse"} and len(changed) == 4
