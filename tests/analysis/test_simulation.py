"""Synthetic rankings."""

from __future__ import annotations

import itertools

import ir_measures
import numpy as np
import pandas as pd
import pytest
import slow_versions
from ir_measures import parse_measure
from scipy import stats

from pt_fairness import simulation
from pt_fairness.measures.measure import score


def scores(run: pd.DataFrame, qrels: pd.DataFrame, *measures: str) -> pd.DataFrame:
    """Return a column for each measure and a row for each topic."""
    qrels = qrels.rename(columns={"qid": "query_id", "docno": "doc_id", "label": "relevance"})
    run = run.rename(columns={"qid": "query_id", "docno": "doc_id"})
    rows = [
        (int(metric.query_id), str(metric.measure), metric.value)
        for metric in ir_measures.iter_calc([parse_measure(one) for one in measures], qrels, run)]
    return pd.DataFrame(rows, columns=["qid", "measure", "value"]).pivot(
        index="qid", columns="measure", values="value")


class TestPermutations:
    @pytest.mark.parametrize(
        "setting, con, pro",
        [("minority", 5, 20), ("majority", 5, 20), ("proportion-agnostic", 5, 5)])
    def test_every_ranking_once_and_the_ratio_of_the_setting(self, setting, con, pro):
        run, qrels = simulation.permutations(["PRO", "CON"], 5, setting)
        assert list(run.columns) == ["qid", "docno", "score", "rank"]
        assert list(qrels.columns) == ["qid", "docno", "label", "iteration"]
        counts = qrels.groupby(["qid", "iteration"]).size().unstack()
        assert (counts["CON"] == con).all() and (counts["PRO"] == pro).all() and len(counts) == 32
        assert (
            not qrels.duplicated(["qid", "docno"]).any()
            and not run.duplicated(["qid", "docno"]).any())
        ranked = run.merge(qrels, on=["qid", "docno"], how="left").sort_values(["qid", "rank"])
        orders = ranked.groupby("qid", sort=False)["iteration"].agg(tuple)
        assert sorted(orders) == sorted(itertools.product(["PRO", "CON"], repeat=5))
        assert orders["1"] == ("PRO",) * 5 and orders["32"] == ("CON",) * 5
        assert (ranked.groupby("qid")["score"].diff().dropna() < 0).all()

    def test_published_correlations(self):
        run, qrels = simulation.permutations(["PRO", "CON"], 5, "proportion-agnostic")
        table = scores(
            run, qrels, "rKL(protected='PRO')@5", "alpha_nDCG@5", "alpha_nDCG(alpha=0.9)@5"
        ).round(12)
        taus = {
            str(parse_measure(name)): stats.kendalltau(
                table["rKL(protected='PRO')@5"], table[str(parse_measure(name))])[0]
            for name in ("alpha_nDCG@5", "alpha_nDCG(alpha=0.9)@5")
        }
        assert [round(tau, 4) for tau in taus.values()] == [-0.8378, -1.0]

    def test_diversity_does_not_depend_on_the_setting(self):
        columns = [
            scores(*simulation.permutations(setting=setting), "alpha_nDCG@5")
            for setting in simulation.SETTINGS]
        for column in columns[1:]:
            pd.testing.assert_frame_equal(column, columns[0])

    def test_other_labels_and_depths(self):
        run, qrels = simulation.permutations(["a", "b"], 3, "minority")
        assert run["qid"].nunique() == 8 and set(qrels["iteration"]) == {"a", "b"}
        counts = qrels[qrels["qid"] == "1"]["iteration"].value_counts()
        assert counts.to_dict() == {"a": 12, "b": 3}

    @pytest.mark.parametrize(
        "labels, depth, setting, error",
        [
            (["a"], 5, "minority", "two different labels"),
            (["a", "a"], 5, "minority", "two different labels"),
            (["a", "b"], 0, "minority", "depth=0"),
            (["a", "b"], 5, "fair", "'minority', 'proportion-agnostic' or 'majority'")],
    )
    def test_wrong_input(self, labels, depth, setting, error):
        with pytest.raises(ValueError, match=error):
            simulation.permutations(labels, depth, setting)


class TestRankings:
    def test_values_of_an_experiment(self):
        counts = simulation.biased_rankings([6, 3, 4], 0.4, [1], 40, seed=3)
        labels = ["x", "a", "m"]
        view = simulation.rankings(counts, labels, [1, 2])
        run = pd.DataFrame(
            [(str(q), f"d{r}", -float(r)) for q, r in np.ndindex(*counts.shape)],
            columns=["qid", "docno", "score"])
        qrels = run.drop(columns="score").assign(
            label=1, iteration=[labels[code] for code in counts.ravel()])
        names = [
            "nDD(protected='a')", "nDR(protected='a')@5",
            "nDKL(protected='a',norm='protected-first')", "nDJS@7", "nDJS", "rND(protected='m')@4",
            "rKL(protected='all',target='uniform')@6", "Annotated@3",
            "rRD(target={'a':0.5,'z':0.5},protected='a')", "rND(rel=2,protected='a')"]
        with pytest.warns(UserWarning, match="nothing to compare"):  # rel=2
            table = scores(run, qrels, *names)
        for name in names:
            measure = parse_measure(name)
            values = score([measure], view)[measure]
            np.testing.assert_allclose(
                np.nan_to_num(values), table[str(measure)], rtol=0, atol=1e-12)
            if "rel=2" in name:
                assert np.isnan(values).all()


class TestBiasedRankings:
    def test_each_ranking_holds_every_document(self):
        codes = simulation.biased_rankings([5, 2, 8], -0.3, [0, 2], 50, seed=1)
        assert codes.shape == (50, 15) and codes.dtype.kind == "i"
        for row in codes:
            assert np.bincount(row).tolist() == [5, 2, 8]

    def test_reproducible(self):
        one, two, other = (
            simulation.biased_rankings([5, 5], 0.1, [0], 20, seed) for seed in (7, 7, 8))
        assert (one == two).all() and (one != other).any()

    def test_first_places_follow_the_weights(self):
        """The probabilities of the first two ranks, for draws without replacement."""
        counts, alpha, n = [3, 5], 0.5, 40_000
        codes = simulation.biased_rankings(counts, alpha, [0], n, seed=5)
        w1, w2 = 1.0001 - alpha, 1.0001 + alpha
        first = 3 * w1 / (3 * w1 + 5 * w2)
        second = first * 2 * w1 / (2 * w1 + 5 * w2) + (1 - first) * 3 * w1 / (3 * w1 + 4 * w2)
        for rank, share in enumerate([first, second]):
            seen = (codes[:, rank] == 0).mean()
            assert abs(seen - share) < 5 * np.sqrt(share * (1 - share) / n)

    def test_without_bias_all_ranks_have_the_same_shares(self):
        codes = simulation.biased_rankings([30, 70], 0.0, [0], 4000, seed=2)
        shares = (codes == 0).mean(axis=0)
        assert abs(shares - 0.3).max() < 5 * np.sqrt(0.21 / 4000)

    def test_extremes_separate_the_labels(self):
        top = simulation.biased_rankings([5, 10], -1, [0], 200, seed=0)
        assert np.sort(top[:, :5] == 0, axis=1).mean() > 0.99
        bottom = simulation.biased_rankings([5, 10], 1, [0], 200, seed=0)
        assert (bottom[:, :10] == 1).mean() > 0.99

    @pytest.mark.parametrize("weighted", [{0}, {0: "a"}.keys(), (0,), np.array([0]), iter([0])])
    def test_types_of_weighted_labels(self, weighted):
        assert (
            simulation.biased_rankings([3, 3], -1, weighted, 20)
            == simulation.biased_rankings([3, 3], -1, [0], 20)).all()

    def test_weighted_label_of_each_ranking(self):
        weighted = np.zeros((300, 3), bool)
        weighted[np.arange(300), np.arange(300) % 3] = True
        codes = simulation.biased_rankings([4, 4, 4], -1, weighted, 300, seed=0)
        assert (codes[:, 0] == np.arange(300) % 3).mean() > 0.97

    @pytest.mark.parametrize(
        "arguments, error",
        [
            (([3, 3], 1.5, [0]), "alpha=1.5"),
            (([3, 3], 0.5, [2]), "the labels are 0 to 1"),
            (([3, 3], 0.5, {2}), r"weighted=\[2\]: the labels are 0 to 1"),
            (([3, 3], 0.5, np.ones((4, 2), bool)), "each of 1000 rankings and 2 labels")],
    )
    def test_wrong_input(self, arguments, error):
        with pytest.raises(ValueError, match=error):
            simulation.biased_rankings(*arguments)


#: Draws et al. (2021), section 4.2, as (smallest, largest) over the sets.
PUBLISHED = {
    ("nDD", -1.0): (1.0, 1.0),
    ("nDD", 0.0): (0.08, 0.08),
    ("nDD", 1.0): (0.55, 0.85),
    ("nDR", 0.0): (0.04, 0.04),
    ("nDR", 1.0): (0.19, 0.24),
    ("nDKL", -1.0): (1.0, 1.0),
    ("nDKL", 0.0): (0.03, 0.03),
    ("nDKL", 1.0): (0.40, 0.78),
    ("nDJS", -1.0): (0.18, 0.21),
    ("nDJS", 0.0): (0.03, 0.03),
    ("nDJS", 1.0): (0.07, 0.09)}
TOLERANCE = 0.015


class TestSweep:
    def test_published_values(self):
        frame = simulation.sweep(alphas=[-1, 0, 1], draws=200)
        assert (
            list(frame.columns) == ["set", "alpha", "measure", "mean", "sd"]
            and len(frame) == 3 * 3 * 4)
        frame["short"] = frame["measure"].str.extract(r"^(\w+)", expand=False)
        for (short, alpha), (low, high) in PUBLISHED.items():
            means = frame[(frame["short"] == short) & (frame["alpha"] == alpha)]["mean"]
            assert len(means) == 3
            assert abs(means.min() - low) < TOLERANCE and abs(means.max() - high) < TOLERANCE, (
                short, alpha, list(means))
        assert (frame[(frame["short"] == "nDR") & (frame["alpha"] == -1)]["mean"] > 1).all()

    def test_means_are_those_of_single_rankings(self):
        """The slow version of each measure, ranking by ranking."""
        sets = {"T": {"-3": 3, "-2": 2, "0": 4, "1": 3}}
        measures = [
            "nDD(protected='-3,-2,-1')", "nDKL(protected='-3,-2,-1',norm='protected-first')@6"]
        frame = simulation.sweep(sets, [0.3], measures, draws=25, seed=4)
        seed = simulation._seed(4, "T", 0.3).spawn(3)[0]
        labels = list(sets["T"])
        codes = simulation.biased_rankings(list(sets["T"].values()), 0.3, [0, 1], 25, seed)
        for measure, row in zip(measures, frame.itertuples(), strict=True):
            parsed = parse_measure(measure)
            values = []
            for ranking in codes:
                qrels = [("1", f"d{i:02}", 1, labels[code]) for i, code in enumerate(ranking)]
                run = [("1", f"d{i:02}", -float(i)) for i in range(len(ranking))]
                values.append(slow_versions.evaluate(parsed.NAME, parsed.params, qrels, run)["1"])
            assert row.mean == pytest.approx(np.mean(values), abs=1e-12)
            assert row.sd == pytest.approx(np.std(values, ddof=1), abs=1e-12)

    def test_a_measure_of_all_labels_sees_one_random_label_weighted(self):
        sets = {"T": {"-3": 4, "-2": 4, "-1": 4, "0": 4}}
        frame = simulation.sweep(sets, [-1, 0], ["nDJS"], draws=200)
        biased, fair = frame["mean"]
        # The top ranks have one of four labels, which is far from the whole ranking.
        assert biased > 1.5 * fair

    def test_protected_all_is_a_measure_of_all_labels(self):
        sets = {"T": {"-3": 4, "-2": 4, "-1": 4, "0": 4}}
        frame = simulation.sweep(sets, [-1.0], "rKL(protected='all')", draws=30)
        one = np.random.default_rng(simulation._seed(0, "T", -1.0).spawn(3)[2]).choice(3, 30)
        codes = simulation.biased_rankings(
            [4, 4, 4, 4], -1.0, np.arange(4) == one[:, None], 30,
            simulation._seed(0, "T", -1.0).spawn(3)[1])
        assert (codes[:, 0] == one).mean() > 0.9
        measure = parse_measure("rKL(protected='all')")
        values = score([measure], simulation.rankings(codes, list(sets["T"])))[measure]
        assert frame["mean"][0] == pytest.approx(values.mean(), abs=1e-12)

    def test_one_measure_and_viewpoints_that_are_numbers(self):
        expected = simulation.sweep({"T": {"-3": 5, "0": 5}}, [0.0], ["nDJS"], draws=5)
        for measures in ("nDJS", parse_measure("nDJS")):
            pd.testing.assert_frame_equal(
                simulation.sweep({"T": {-3: 5, 0: 5}}, [0.0], measures, draws=5), expected)

    def test_any_labels(self):
        """The rankings of two stances are those of the same counts under the paper's labels."""
        stances = {"T": {"CON": 20, "PRO": 80}}
        found = simulation.sweep(stances, [-0.5, 0.5], draws=30, protected="CON")
        paper = simulation.sweep({"T": {"-3": 20, "0": 80}}, [-0.5, 0.5], draws=30)
        np.testing.assert_allclose(found[["mean", "sd"]], paper[["mean", "sd"]], rtol=0, atol=1e-12)
        assert found["measure"][0] == "nDD(protected='CON',norm='protected-first')"
        for several in ("CON,MIX", ["MIX", "CON"]):
            sets = {"T": {"CON": 20, "MIX": 10, "PRO": 80}}
            ordered = simulation.sweep(sets, [0.5], "nDJS", draws=5, protected=several)
            assert ordered["mean"][0] == simulation.sweep(
                sets, [0.5], "nDJS", draws=5, advantaged=["CON", "MIX"], protected="PRO")["mean"][0]

    def test_any_labels_are_advantaged(self):
        """One of two pairs of labels fills the first half of each ranking."""
        sets, pairs = {"T": dict.fromkeys("ABCD", 5)}, [["A", "B"], ["C", "D"]]

        def weights(alpha):
            return 10.0**alpha, 1.0

        frame = simulation.sweep(sets, [7.0], "nDJS", 40, protected="A", advantaged=pairs,
                                 weights=weights)
        _, rankings, choice = simulation._seed(0, "T", 7.0).spawn(3)
        drawn = np.random.default_rng(choice).choice(2, 40)
        weighted = np.array([[True, True, False, False], [False, False, True, True]])[drawn]
        codes = simulation.biased_rankings([5] * 4, 7.0, weighted, 40, rankings, weights)
        assert (codes[:, :10] // 2 == drawn[:, None]).all() and set(drawn) == {0, 1}
        measure = parse_measure("nDJS")
        values = score([measure], simulation.rankings(codes, list("ABCD")))[measure]
        assert frame["mean"][0] == pytest.approx(values.mean(), abs=1e-12)

    def test_reproducible_and_the_seed_matters(self):
        arguments = {"alphas": [0.2], "draws": 30}
        one, two, other = (simulation.sweep(**arguments, seed=seed) for seed in (1, 1, 2))
        pd.testing.assert_frame_equal(one, two)
        assert (one["mean"] != other["mean"]).all()

    def test_rows_do_not_depend_on_each_other(self):
        alone = simulation.sweep(alphas=[-0.5, 0.5], measures=["nDJS"], draws=20)
        among = simulation.sweep(alphas=[-0.5, 0.5], draws=20)
        pd.testing.assert_frame_equal(
            alone, among[among["measure"] == "nDJS"].reset_index(drop=True))
        one = simulation.sweep({"S2": simulation.SETS["S2"]}, [0.5], "nDJS", draws=20)
        pd.testing.assert_frame_equal(
            one, alone[(alone["set"] == "S2") & (alone["alpha"] == 0.5)].reset_index(drop=True))
        twins = dict.fromkeys(("S2", "S4"), simulation.SETS["S2"])
        assert simulation.sweep(twins, [0.5, 0.1], "nDJS", draws=20)["mean"].nunique() == 4

    def test_progress_bar(self, capsys):
        simulation.sweep(alphas=[0], draws=5)
        assert "simulation" in capsys.readouterr().err

    @pytest.mark.parametrize(
        "arguments, error",
        [
            ({"measures": ["nDCG@5"]}, "nDCG@5 is not possible here"),
            ({"measures": []}, "at least one measure"),
            (
                {"measures": "nDJS(groups='trec-newswire')"},
                "without a groups parameter; the groups are the labels of sets"),
            ({"measures": "nDJSS"}, "measure not found: nDJSS"),
            ({"measures": "nDCG(foo=1)@5"}, "nDCG is not possible: it has no parameter 'foo'"),
            ({"sets": pd.DataFrame({"S": [1]})}, "sets is a DataFrame; it takes a dictionary"),
            ({"sets": {"S": [1, 2]}}, "the set 'S' is a list; a set is a dictionary"),
            ({"alphas": 0.5}, r"alphas=0\.5 is one value; it takes several, such as \[0\.5\]"),
            (
                {"sets": {"odd": {1: 3, 2: 4}}},
                "'odd' has none of the protected labels -3, -2, -1; it has 1, 2; name them with"),
            ({"advantaged": ["0", "9"]}, "'S1' has none of the advantaged labels 9; it has -3,"),
            ({"weights": lambda alpha: (alpha, 1.0)}, r"the weights \(0.0, 1.0\) of alpha=0.0"),
            ({"draws": 1}, "draws=1"),
            ({"alphas": [2]}, "alpha=2"),
            ({"measures": ["nDD(norm='x')"]}, "norm takes"),
        ],
    )
    def test_wrong_input(self, arguments, error):
        with pytest.raises(ValueError, match=error):
            simulation.sweep(**{"alphas": [0.0], "draws": 5, **arguments})

    def test_other_normalisers(self):
        both = [
            *simulation.MEASURES,
            *(name.replace("protected-first", "max") for name in simulation.MEASURES[:3])]
        frame = simulation.sweep(measures=both, alphas=[-1.0, 0.0], draws=5)
        assert len(frame) == 3 * 2 * 7
        assert frame["mean"][frame["measure"].isin(both[-3:])].between(0, 1).all()
