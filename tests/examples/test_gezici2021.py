"""The search engines of Gezici et al. (2021)."""

from __future__ import annotations

import re

import ir_measures
import numpy as np
import pandas as pd
import pytest
from example_files import DATA
from ir_measures import P
from scipy import stats

from pt_fairness.analysis.notes import short_p

pytestmark = [pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning"), pytest.mark.slow]


class TestGezici:
    def test_performance_is_that_of_relevance(self, script):
        module = script("gezici2021").module
        results, leaning = module.read(
            DATA / "gezici2021-results.csv", DATA / "gezici2021-topics.csv"
        )
        values = module.all_measured(results, leaning)["performance"].query(
            "short == 'P@10' and name == 'Engine 1'"
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
            changed = (means != after[key][0]).any()
            assert changed["Engine 1"] == (key != "performance")
            assert not changed["Engine 2"]

    def test_the_papers_topics_stand_beside_its_values(self, script, monkeypatch, capsys):
        alone = script("gezici2021")()
        capsys.readouterr()
        monkeypatch.setattr(script("gezici2021").module, "PAPER_TOPICS", 22)
        for key, (means, tests) in script("gezici2021")().items():
            ours = alone[key][0].set_index("mean")
            assert means["ours"].astype(float).tolist() == pytest.approx(
                ours.to_numpy().ravel().tolist(), abs=5.1e-5)
            assert (tests["published p"] != "").all()
            assert set(tests["remark"]) <= {"same", "DIFFERS"}
        assert "0.8509" in capsys.readouterr().out

    def test_percentages_of_stances_by_hand(self, script, tmp_path):
        module = script("gezici2021").module
        results = pd.read_csv(DATA / "gezici2021-results.csv")
        found = module.figure_2(results, tmp_path)
        assert list(found.index) == list(module.STANCES)
        assert found.sum().tolist() == pytest.approx([100.0, 100.0])
        for engine, own in results.groupby("engine"):
            for stance in module.STANCES:
                share = 100 * (own["stance"] == stance).sum() / len(own)
                assert found.loc[stance, engine] == pytest.approx(share)

    def test_the_titles_of_the_paper(self, script, tmp_path, capsys):
        module = script("gezici2021").module
        topics = tmp_path / "topics.csv"
        topics.write_text("topic,question,leaning\nCuba Embargo,Keep it?,conservative\n"
                          "abortion,Legal?,liberal\nAnother,Really?,liberal\n")
        table = module.table_2(topics).set_index("title")
        assert len(table) == module.PAPER_TOPICS == table.index.nunique()
        assert table.loc["Abortion"].tolist() == ["Legal?", "liberal"]
        assert table.loc["Cuba Embargo"].tolist() == ["Keep it?", "conservative"]
        assert table["question"].notna().sum() == 2
        assert "2 of them in the file of topics" in capsys.readouterr().out

    def test_agreement_of_annotators(self, script, tmp_path, monkeypatch, capsys):
        results = pd.read_csv(DATA / "gezici2021-results.csv", dtype=str)
        votes = pd.concat([results.assign(annotator=name) for name in "uvw"])
        pick = np.random.default_rng(1)
        votes["stance"] = votes["stance"].where(pick.random(len(votes)) < 0.7, "neutral")
        votes.to_csv(tmp_path / "votes.csv", index=False)
        topics = pd.read_csv(DATA / "gezici2021-topics.csv")
        pd.concat([topics.assign(annotator=i) for i in range(5)]).to_csv(
            tmp_path / "leanings.csv", index=False)
        load = script("gezici2021")
        monkeypatch.setattr(load.module, "PAPER_TOPICS", 22)
        load("--votes", tmp_path / "votes.csv", "--leanings", tmp_path / "leanings.csv")
        printed = capsys.readouterr().out
        wide = votes.assign(item=votes["engine"] + votes["topic"] + votes["rank"]).pivot(
            index="item", columns="annotator", values="stance")
        agreement = np.mean([(wide[a] == wide[b]).mean() for a, b in ("uv", "uw", "vw")])
        assert re.search(rf"^stance +{len(wide)} +{3 * len(wide)} +{agreement:.4f}", printed, re.M)
        # All five say the same.
        assert re.search(r"^leaning +22 +110 +1.0000 +1.0000 +22 +22$", printed, re.M)
        assert re.search(r"^stance: κ +0.3500 ", printed, re.M)
        for change, error in (({"stance": "for"}, "'for' is no stance; it is one of 'pro'"),
                              ({"annotator": "u"}, "one vote for a document, got two of 'u'")):
            votes.assign(**change).to_csv(tmp_path / "votes.csv", index=False)
            with pytest.raises(ValueError, match=error):
                load("--votes", tmp_path / "votes.csv", "--leanings", tmp_path / "leanings.csv")

    def test_ranks_are_those_given(self, script):
        """Pro at ranks 1 and 3, and nothing at rank 2: 1 + 1/2."""
        results = pd.DataFrame([(engine, "t", rank, "pro") for engine in ("E1", "E2")
                                for rank in (1, 3)], columns=["engine", "topic", "rank", "stance"])
        values = script("gezici2021").module.all_measured(results, pd.Series({"t": "liberal"}))
        for key in ("stance, MB", "pro", "performance"):
            of_one = values[key].query("name == 'E1'").set_index("short")["value"]
            assert of_one["DCG@10"] == pytest.approx(1.5) and of_one["P@10"] == pytest.approx(0.2)
            assert of_one["RBP"] == pytest.approx(0.2 * (1 + 0.8 ** 2))

    def test_what_is_not_counted_is_said(self, script, tmp_path, capsys):
        results = pd.read_csv(DATA / "gezici2021-results.csv")
        topics = pd.read_csv(DATA / "gezici2021-topics.csv")
        left = results[(results["engine"] != "Engine 2") | ~results["topic"].isin(["t01", "t04"])]
        left = left.reset_index(drop=True)
        last = left.index[left["topic"] == "t05"][-1]
        broken = left.assign(stance=left["stance"].where(left.index != last, "link not working"))
        topics.loc[topics["topic"] == "t03", "leaning"] = "neither"
        broken.to_csv(tmp_path / "results.csv", index=False)
        topics.to_csv(tmp_path / "topics.csv", index=False)
        found = script("gezici2021")(tmp_path / "results.csv", tmp_path / "topics.csv")
        printed = " ".join(capsys.readouterr().out.split())
        assert "Excluded: 2 of 22 topics, which one engine did not answer (t01, t04)." in printed
        assert "1 link not working" in printed and "1 neither" in printed
        assert "These are 20 topics." in printed
        both = broken[~broken["topic"].isin(["t01", "t04"])]
        relevant = both["stance"].isin(["pro", "against", "neutral"])
        mean = relevant[both["engine"] == "Engine 2"].sum() / 10 / 20
        assert found["performance"][0].set_index("mean").loc["P@10", "Engine 2"] == pytest.approx(
            mean)

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

    def test_intervals_are_those_of_the_test(self, script):
        module = script("gezici2021").module
        results, leaning = module.read(
            DATA / "gezici2021-results.csv", DATA / "gezici2021-topics.csv")
        values = module.all_measured(results, leaning)
        _, tests = module.table(values["stance, MAB"], "stance, MAB", False)
        row = tests.set_index(tests.columns[0]).loc["P@10"]
        biases = values["stance, MAB"].query("short == 'P@10'").pivot(
            index="qid", columns="name", values="value")
        differences = biases["Engine 2"] - biases["Engine 1"]
        half = stats.t.ppf(0.975, 21) * differences.std() / np.sqrt(22)
        assert (row["low"], row["high"]) == pytest.approx(
            (differences.mean() - half, differences.mean() + half))

    def test_bounds_of_section_5(self, script):
        module = script("gezici2021").module
        p_values = pd.DataFrame({"P@10": [0.001, 0.01], "RBP": [0.04, 0.004],
                                 "DCG@10": [0.2, 0.0001]}, index=["E1", "E2"])
        rows = module.one_sample_rows(p_values, "ideology, MB").set_index("one-sample t-test")
        assert rows.index[rows["remark"] == "DIFFERS"].tolist() == [
            "ideology, MB: P@10, E2", "ideology, MB: DCG@10, E1"]
        assert rows["ours"].iloc[-1] == "< .001" and rows["section 5"].iloc[1] == "< 0.005"

    def test_quadrants_by_hand(self, script):
        module = script("gezici2021").module
        pairs = [(1, 2), (1, -1), (-2, -1), (0, 1), (0.5, 0.1), (-1, -1), (-1, -0.2)]
        frame = pd.DataFrame([(name, str(q), value, "DCG@10") for q, pair in enumerate(pairs)
                              for name, value in zip("AB", pair, strict=True)],
                             columns=["name", "qid", "value", "short"])
        for some, holds in ((frame, "holds"), (frame[frame["qid"].isin(["0", "1"])],
                                               "does not hold")):
            table = module.quadrants({"stance, MB": some, "ideology, MB": some})
            assert table["section 5"].tolist() == [holds] * 2
        counts = module.quadrants({"stance, MB": frame, "ideology, MB": frame})
        assert counts.iloc[0, 1:6].tolist() == [7, 2, 3, 1, 1]

    @pytest.mark.parametrize("change, error", [
        ({"rank": 0}, "has the rank 0 in topic 't01'; ranks are whole numbers from 1"),
        ({"rank": 3}, "has two results of Engine 1 at rank 3 of topic 't01'"),
    ])
    def test_wrong_ranks(self, script, tmp_path, change, error):
        pd.read_csv(DATA / "gezici2021-results.csv").assign(**change).to_csv(
            tmp_path / "results.csv", index=False)
        with pytest.raises(ValueError, match=error):
            script("gezici2021")(tmp_path / "results.csv", DATA / "gezici2021-topics.csv")

    def test_what_the_numbers_of_the_paper_imply(self, script, monkeypatch):
        module = script("gezici2021").module
        # Only 57 and 38 topics give all printed means; at least four labels give that κ.
        assert module.implied()["implied"].tolist() == ["57", "38", "at least 5", "at least 4"]
        assert [f"{hits / 380:.4f}" for hits in (-52, -49, 98, 83)] == [
            f"{mean:.4f}" for key in ("ideology, MB", "ideology, MAB")
            for mean in module.PUBLISHED[key]["P@10"][:2]]
        monkeypatch.setitem(module.AGREEMENT, "leaning", (0.6, 0.4))
        assert module.implied()["implied"].tolist()[-1] == "at least 3"

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
