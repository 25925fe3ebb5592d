"""Simulated wrong labels, compared with labels that are changed by hand."""

from __future__ import annotations

import math

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import parse_measure
from scipy import stats

from pt_fairness import FairnessWarning, groups
from pt_fairness.analysis import label_noise, undefined


@pytest.mark.filterwarnings("ignore:topics for which a measure is undefined")
class TestLabelNoise:
    def test_no_wrong_labels(self, experiment):
        *_, qrels, runs = experiment
        result = label_noise(runs, qrels, ["rKL@5", "BiasP@5"], None, 0.0, draws=3)
        assert list(result.columns) == ["eps", "measure", "bias", "sd", "tau"]
        assert result["measure"].tolist() == ["rKL@5", "BiasP@5"]
        assert (result["bias"] == 0).all() and (result["tau"] == 1).all()
        assert result["sd"].max() < 1e-15

    def test_all_of_two_labels_wrong(self, experiment):
        *_, qrels, runs = experiment
        swapped = qrels.assign(iteration=qrels["iteration"].map({"PRO": "CON", "CON": "PRO"}))
        names = ["rND(protected='PRO')@5", "BiasP@5", "nDJS", "DistKL(target={'PRO':1.0})@3"]
        measures = list(map(parse_measure, names))
        result = label_noise(runs, qrels, measures, None, [1.0], draws=2).set_index("measure")

        def means(judgments):
            names = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
            judgments = judgments.rename(columns=names)
            return [
                ir_measures.calc_aggregate(measures, judgments, run.rename(columns=names))
                for run in runs.values()]

        true, wrong = means(qrels), means(swapped)
        for measure in measures:
            values = [[table[measure] for table in tables] for tables in (true, wrong)]
            row = result.loc[str(measure)]
            change = np.mean(values[1]) - np.mean(values[0])
            assert (row["bias"], row["sd"]) == pytest.approx((change, 0), abs=1e-12)
            tau = stats.kendalltau(*np.round(values, 12)).statistic
            assert row["tau"] == pytest.approx(tau, nan_ok=True)

    def test_the_share_is_exact(self):
        docs = [f"d{i}" for i in range(20)]
        qrels = pd.DataFrame({"qid": "1", "docno": docs, "label": 1})
        source = groups.from_frame(
            pd.DataFrame({"docno": [*docs, "other"], "group": ["a"] * 20 + ["b"]}))
        run = {"A": pd.DataFrame({"qid": "1", "docno": docs, "score": range(20)})}
        result = label_noise(run, qrels, "BiasP(pro='a',con='b')@20", source, [0.25, 0.5], draws=10)
        # 5 and 10 of 20 documents have the other label.
        assert result["bias"].to_numpy() == pytest.approx([-0.5, -1.0])
        assert result["sd"].to_numpy() == pytest.approx(0, abs=1e-12)

    def test_unjudged_documents_have_the_same_wrong_label_in_all_systems(self):
        docs = [f"d{i}" for i in range(10)]
        qrels = pd.DataFrame({"qid": "1", "docno": ["d0", "d1"], "label": 1})
        source = groups.from_mapping({docno: "ab"[i % 2] for i, docno in enumerate(docs)})
        run = pd.DataFrame({"qid": "1", "docno": docs, "score": range(10)})
        runs = {"A": run, "B": run.assign(score=range(10, 0, -1))}
        # The share of group a in all ten documents does not depend on their order.
        measure = "RepBias(group='a',target='uniform')@10"
        result = label_noise(runs, qrels, measure, source, 0.3, draws=5)
        assert result["sd"][0] > 0
        assert math.isnan(result["tau"][0])  # both systems have the same value in every draw

    def test_rows_do_not_depend_on_other_measures_or_on_order(self):
        rng = np.random.default_rng(5)
        docs = [f"d{i}" for i in range(30)]
        source = groups.from_mapping({docno: rng.choice(["a", "b", "c"]) for docno in docs})
        qrels = pd.DataFrame(
            [(str(q), docno, 1) for q in range(4) for docno in docs[q : q + 10]],
            columns=["qid", "docno", "label"])
        runs = {
            name: pd.DataFrame(
                [(str(q), docno, rng.random()) for q in range(4) for docno in docs],
                columns=["qid", "docno", "score"])
            for name in ("one", "two", "three")
        }
        measures = ["rKL(protected='a')@3", "nDJS", "RepBias(group='a',target='run')@10"]
        shuffled = {name: runs[name].sample(frac=1, random_state=0) for name in reversed(runs)}
        together = label_noise(runs, qrels, measures, source, [0.1, 0.3], draws=4)
        judged = qrels.sample(frac=1, random_state=0)
        for measure in measures:
            alone = label_noise(shuffled, judged, measure, source, 0.3, draws=4)
            row = together[(together["measure"] == alone["measure"][0]) & (together["eps"] == 0.3)]
            pd.testing.assert_frame_equal(alone, row.reset_index(drop=True))

    def test_topics_that_groups_drop_are_left_out(self):
        docs = [f"d{i}" for i in range(20)]
        judged = pd.DataFrame({"qid": ["1"] * 20 + ["2"] * 20, "docno": docs * 2, "label": 1})
        stances = groups.from_frame(
            pd.DataFrame({"docno": [*docs, "other"], "group": ["PRO"] * 20 + ["CON"]}))
        ideologies = stances.relabel({"1": "liberal", "2": "both or neither"})
        measure = "BiasP(pro='liberal',con='conservative')@20"
        run = {"A": judged.assign(score=1.0)}
        result = label_noise(run, judged, measure, ideologies, 0.25, draws=3)
        assert result["bias"].to_numpy() == pytest.approx([-0.5])
        leaning = ir_measures.parse_measure(measure)(groups=ideologies)
        assert undefined(judged, leaning).values.tolist() == [["2", str(leaning)]]

    def test_tau_is_the_mean_of_draws_in_which_systems_differ(self):
        docs = ["a1", "a2", "b1", "b2"]
        qrels = pd.DataFrame({"qid": "1", "docno": docs, "label": 1, "iteration": list("aabb")})
        runs = {
            "A": pd.DataFrame({"qid": "1", "docno": docs, "score": [4, 3, 2, 1]}),
            "B": pd.DataFrame({"qid": "1", "docno": docs, "score": [1, 2, 4, 3]})}
        result = label_noise(runs, qrels, "BiasP(pro='a',con='b')@1", None, 0.25, draws=20)
        # One wrong label makes the systems equal, or leaves their order as it is.
        assert result["tau"][0] == 1

    @pytest.mark.filterwarnings("default:topics for which")
    def test_undefined_topics_warn_once(self, experiment):
        *_, qrels, runs = experiment
        with pytest.warns(FairnessWarning) as caught:
            label_noise(runs, qrels, ["rKL@5", "BiasP@5"], None, [0.0, 0.0], draws=3)
        (one,) = caught
        assert str(one.message).endswith("system: rKL@5 on up to 1 of 8 topics")

    @pytest.mark.parametrize("eps", [np.float32(0.25), np.float64(0.25), np.array([0.25]), (0.25,)])
    def test_types_of_eps(self, experiment, eps):
        *_, qrels, runs = experiment
        pd.testing.assert_frame_equal(
            label_noise(runs, qrels, "BiasP@5", None, eps, draws=2),
            label_noise(runs, qrels, "BiasP@5", None, 0.25, draws=2))

    def test_more_noise_changes_more(self, robust03):
        qrels, runs = robust03
        some = {name: runs[name] for name in ("humR03dc", "NLPR03vb10", "THUIRr0301")}
        topics = qrels["query_id"].unique()[:40]
        qrels = qrels[qrels["query_id"].isin(topics)]
        result = label_noise(some, qrels, ["nDJS@20", "rKL@10"], "trec-newswire", [0.05, 0.4],
                             draws=4)
        little, much = result[result["measure"] == "nDJS@20"]["bias"].abs()
        assert much > little
        assert (result["sd"] > 0).all() and result["tau"].between(-1, 1).all()

    def test_reproducible_with_a_progress_bar(self, experiment, capsys):
        *_, qrels, runs = experiment
        one, two, other = (
            label_noise(runs, qrels, "rKL@5", None, 0.2, draws=5, seed=seed) for seed in (3, 3, 4))
        pd.testing.assert_frame_equal(one, two)
        assert one["bias"][0] != other["bias"][0]
        assert "label noise" in capsys.readouterr().err

    @pytest.mark.parametrize(
        "options, error",
        [
            ({"measures": "nDCG@5"}, "nDCG@5 is not possible here"),
            ({"measures": "rKL(groups='trec-newswire')@5"}, "without a groups"),
            ({"measures": []}, "at least one measure"),
            ({"measures": "nDCGG@5"}, "measure not found: nDCGG"),
            ({"measures": "nDCG(foo=1)@5"}, "nDCG is not possible: it has no parameter 'foo'"),
            (
                {"runs": pd.DataFrame({"qid": ["1"], "document": ["a"], "score": [1.0]})},
                "the run 'run 0' has no column 'docno'"),
            ({"runs": [3]}, "3 is a int; a run is the path of a file"),
            ({"runs": {"A": 3}}, "the run 'A' is a int"),
            ({"eps": 1.5}, "eps=1.5"),
            ({"draws": 1}, "draws=1"),
            ({"runs": {}}, "there are no runs"),
        ],
    )
    def test_wrong_input(self, experiment, options, error):
        *_, qrels, runs = experiment
        with pytest.raises(ValueError, match=error):
            label_noise(
                **{"runs": runs, "measures": "rKL@5", "eps": 0.1, "draws": 2, **options},
                qrels=qrels, groups=None)

    def test_one_label(self, experiment):
        *_, qrels, runs = experiment
        with pytest.raises(
            ValueError, match="needs at least two labels, and the documents have PRO"
        ):
            label_noise(runs, qrels.assign(iteration="PRO"), "nDJS", None, 0.1)
