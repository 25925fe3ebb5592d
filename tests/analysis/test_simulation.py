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


def scores(run, qrels, *measures):
    """A column for each measure and a row for each topic."""
    names = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
    parsed = [parse_measure(text) for text in measures]
    metrics = ir_measures.iter_calc(parsed, qrels.rename(columns=names), run.rename(columns=names))
    rows = [(int(metric.query_id), str(metric.measure), metric.value) for metric in metrics]
    table = pd.DataFrame(rows, columns=["qid", "measure", "value"])
    return table.pivot(index="qid", columns="measure", values="value")


class TestPermutations:
    @pytest.mark.parametrize("setting, depth, con, pro", [
        ("minority", 5, 5, 20), ("majority", 5, 5, 20), ("proportion-agnostic", 5, 5, 5),
        ("minority", 3, 3, 12)])
    def test_every_ranking_once_and_the_ratio_of_the_setting(self, setting, depth, con, pro):
        run, qrels = simulation.permutations(["PRO", "CON"], depth, setting)
        assert list(run.columns) == ["qid", "docno", "score", "rank"]
        assert list(qrels.columns) == ["qid", "docno", "label", "iteration"]
        counts = qrels.groupby(["qid", "iteration"]).size().unstack()
        assert (counts["CON"] == con).all() and (counts["PRO"] == pro).all()
        assert len(counts) == run["qid"].nunique() == 2 ** depth
        assert not any(frame.duplicated(["qid", "docno"]).any() for frame in (run, qrels))
        ranked = run.merge(qrels, on=["qid", "docno"], how="left").sort_values(["qid", "rank"])
        orders = ranked.groupby("qid", sort=False)["iteration"].agg(tuple)
        assert sorted(orders) == sorted(itertools.product(["PRO", "CON"], repeat=depth))
        assert orders["1"] == ("PRO",) * depth and orders[str(2 ** depth)] == ("CON",) * depth
        assert (ranked.groupby("qid")["score"].diff().dropna() < 0).all()

    def test_published_correlations(self):
        run, qrels = simulation.permutations(["PRO", "CON"], 5, "proportion-agnostic")
        names = [str(parse_measure(text)) for text in (
            "rKL(protected='PRO')@5", "alpha_nDCG@5", "alpha_nDCG(alpha=0.9)@5")]
        parity, *diversity = scores(run, qrels, *names)[names].round(12).to_numpy().T
        taus = [round(stats.kendalltau(parity, values)[0], 4) for values in diversity]
        assert taus == [-0.8378, -1.0]

    def test_numbers_are_labels(self):
        _, qrels = simulation.permutations((0, 1), depth=1)
        assert qrels["iteration"].tolist() == ["0", "1"] * 2

    def test_diversity_does_not_depend_on_the_setting(self):
        first, *others = (
            scores(*simulation.permutations(setting=setting), "alpha_nDCG@5")
            for setting in simulation.SETTINGS)
        for column in others:
            pd.testing.assert_frame_equal(column, first)

    @pytest.mark.parametrize("labels, depth, setting, error", [
        (["a"], 5, "minority", "two different labels"),
        (["a", "a"], 5, "minority", "two different labels"),
        (["a", "b"], 0, "minority", "depth=0"),
        (["a", "b"], 5, "fair", "'minority', 'proportion-agnostic' or 'majority'")])
    def test_wrong_input(self, labels, depth, setting, error):
        with pytest.raises(ValueError, match=error):
            simulation.permutations(labels, depth, setting)


def test_rankings_have_the_values_of_an_experiment():
    counts = simulation.biased_rankings([6, 3, 4], 0.4, [1], 40, seed=3)
    labels = ["x", "a", "m"]
    view = simulation.rankings(counts, labels, [1, 2])
    run = pd.DataFrame([(str(q), f"d{r}", -float(r)) for q, r in np.ndindex(*counts.shape)],
                       columns=["qid", "docno", "score"])
    qrels = run.drop(columns="score").assign(
        label=1, iteration=[labels[code] for code in counts.ravel()])
    names = ["nDD(protected='a')", "nDR(protected='a')@5",
             "nDKL(protected='a',norm='protected-first')", "nDJS@7", "nDJS", "rND(protected='m')@4",
             "rKL(protected='all',target='uniform')@6", "Annotated@3",
             "rRD(target={'a':0.5,'z':0.5},protected='a')", "rND(rel=2,protected='a')"]
    with pytest.warns(UserWarning, match="nothing to compare"):  # rel=2
        table = scores(run, qrels, *names)
    measures = [parse_measure(text) for text in names]
    for measure, values in score(measures, view).items():
        expected = table[str(measure)]
        np.testing.assert_allclose(np.nan_to_num(values), expected, rtol=0, atol=1e-12)
        assert np.isnan(values).all() == ("rel=2" in str(measure))


class TestBiasedRankings:
    def test_each_ranking_holds_every_document(self):
        codes = simulation.biased_rankings([5, 2, 8], -0.3, [0, 2], 50, seed=1)
        assert codes.shape == (50, 15) and codes.dtype.kind == "i"
        for row in codes:
            assert np.bincount(row).tolist() == [5, 2, 8]
        same, other = (
            simulation.biased_rankings([5, 2, 8], -0.3, [0, 2], 50, seed) for seed in (1, 2))
        assert (codes == same).all() and (codes != other).any()

    def test_first_places_follow_the_weights(self):
        """The probabilities of the first two ranks, for draws without replacement."""
        counts, alpha, n = [3, 5], 0.5, 20_000
        codes = simulation.biased_rankings(counts, alpha, [0], n, seed=5)
        w1, w2 = 1.0001 - alpha, 1.0001 + alpha
        first = 3 * w1 / (3 * w1 + 5 * w2)
        second = first * 2 * w1 / (2 * w1 + 5 * w2) + (1 - first) * 3 * w1 / (3 * w1 + 4 * w2)
        for rank, share in enumerate([first, second]):
            seen = (codes[:, rank] == 0).mean()
            assert abs(seen - share) < 5 * np.sqrt(share * (1 - share) / n)

    def test_extremes_separate_the_labels(self):
        top = simulation.biased_rankings([5, 10], -1, [0], 200, seed=0)
        assert np.sort(top[:, :5] == 0, axis=1).mean() > 0.99
        bottom = simulation.biased_rankings([5, 10], 1, [0], 200, seed=0)
        assert (bottom[:, :10] == 1).mean() > 0.99

    @pytest.mark.parametrize("weighted", [{0}, {0: "a"}.keys(), (0,), np.array([0]), iter([0])])
    def test_types_of_weighted_labels(self, weighted):
        codes, expected = (
            simulation.biased_rankings([3, 3], -1, labels, 20) for labels in (weighted, [0]))
        assert (codes == expected).all()

    def test_weighted_label_of_each_ranking(self):
        places = np.arange(300) % 3
        codes = simulation.biased_rankings([4, 4, 4], -1, np.eye(3, dtype=bool)[places], 300)
        assert (codes[:, 0] == places).mean() > 0.97

    @pytest.mark.parametrize("arguments, error", [
        (([3, 3], 1.5, [0]), "alpha=1.5"), (([3, 3], 0.5, [2]), "the labels are 0 to 1"),
        (([0.2, 0.8], 0, [0]), "counts=0.2 is not possible"), (([3, -3], 0, [0]), "counts=-3"),
        (([3, 3], 0.5, {2}), r"weighted=\[2\]: the labels are 0 to 1"),
        (([3, 3], 0.5, np.ones((4, 2), bool)), "each of 1000 rankings and 2 labels")])
    def test_wrong_input(self, arguments, error):
        with pytest.raises(ValueError, match=error):
            simulation.biased_rankings(*arguments)


#: Draws et al. (2021), section 4.2, as (smallest, largest) over the sets.
PUBLISHED = {
    ("nDD", -1.0): (1.0, 1.0), ("nDD", 0.0): (0.08, 0.08), ("nDD", 1.0): (0.55, 0.85),
    ("nDR", 0.0): (0.04, 0.04), ("nDR", 1.0): (0.19, 0.24),
    ("nDKL", -1.0): (1.0, 1.0), ("nDKL", 0.0): (0.03, 0.03), ("nDKL", 1.0): (0.40, 0.78),
    ("nDJS", -1.0): (0.18, 0.21), ("nDJS", 0.0): (0.03, 0.03), ("nDJS", 1.0): (0.07, 0.09)}
TOLERANCE = 0.015
FOUR = {"T": {"-3": 4, "-2": 4, "-1": 4, "0": 4}}


def mean_of(measure, codes, labels):
    """The mean value of drawn rankings."""
    parsed = parse_measure(measure)
    return score([parsed], simulation.rankings(codes, labels))[parsed].mean()


class TestSweep:
    def test_published_values(self):
        frame = simulation.sweep(alphas=[-1, 0, 1], draws=200)
        assert list(frame.columns) == ["set", "alpha", "measure", "mean", "sd"]
        assert len(frame) == 3 * 3 * 4
        frame["short"] = frame["measure"].str.extract(r"^(\w+)", expand=False)
        means = frame.groupby(["short", "alpha"])["mean"].agg(["min", "max", "count"])
        for case, expected in PUBLISHED.items():
            *found, count = means.loc[case]
            assert count == 3 and found == pytest.approx(expected, abs=TOLERANCE), case
        assert means.loc[("nDR", -1), "min"] > 1

    def test_means_are_those_of_single_rankings(self):
        """The slow version of each measure, ranking by ranking."""
        sets = {"T": {"-3": 3, "-2": 2, "0": 4, "1": 3}}
        measures = [
            "nDD(protected='-3,-2,-1')", "nDKL(protected='-3,-2,-1',norm='protected-first')@6"]
        frame = simulation.sweep(sets, [0.3], measures, draws=25, seed=4)
        seed = simulation._seed(4, "T", 0.3).spawn(3)[0]
        labels = list(sets["T"])
        codes = simulation.biased_rankings(list(sets["T"].values()), 0.3, [0, 1], 25, seed)
        for measure, row in zip(map(parse_measure, measures), frame.itertuples(), strict=True):
            values = []
            for ranking in codes:
                qrels = [("1", f"d{i:02}", 1, labels[code]) for i, code in enumerate(ranking)]
                run = [("1", f"d{i:02}", -float(i)) for i in range(len(ranking))]
                values.append(slow_versions.evaluate(measure.NAME, measure.params, qrels, run)["1"])
            assert row.mean == pytest.approx(np.mean(values), abs=1e-12)
            assert row.sd == pytest.approx(np.std(values, ddof=1), abs=1e-12)

    def test_protected_all_is_a_measure_of_all_labels(self):
        measure = "rKL(protected='all')"
        frame = simulation.sweep(FOUR, [-1.0], measure, draws=30)
        _, rankings, choice = simulation._seed(0, "T", -1.0).spawn(3)
        one = np.random.default_rng(choice).choice(3, 30)
        codes = simulation.biased_rankings(
            [4] * 4, -1.0, np.arange(4) == one[:, None], 30, rankings)
        assert (codes[:, 0] == one).mean() > 0.9
        expected = mean_of(measure, codes, list(FOUR["T"]))
        assert frame["mean"][0] == pytest.approx(expected, abs=1e-12)

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
        expected = mean_of("nDJS", codes, list("ABCD"))
        assert frame["mean"][0] == pytest.approx(expected, abs=1e-12)

    def test_one_measure_and_viewpoints_that_are_numbers(self):
        expected = simulation.sweep({"T": {"-3": 5, "0": 5}}, [0.0], ["nDJS"], draws=5)
        for measures in ("nDJS", parse_measure("nDJS")):
            found = simulation.sweep({"T": {-3: 5, 0: 5}}, [0.0], measures, draws=5)
            pd.testing.assert_frame_equal(found, expected)

    def test_any_labels(self):
        """The rankings of two stances are those of the same counts under the paper's labels."""
        stances = {"T": {"CON": 20, "PRO": 80}}
        found = simulation.sweep(stances, [-0.5, 0.5], draws=30, protected="CON")
        paper = simulation.sweep({"T": {"-3": 20, "0": 80}}, [-0.5, 0.5], draws=30)
        np.testing.assert_allclose(found[["mean", "sd"]], paper[["mean", "sd"]], rtol=0, atol=1e-12)
        assert found["measure"][0] == "nDD(protected='CON',norm='protected-first')"
        sets = {"T": {"CON": 20, "MIX": 10, "PRO": 80}}
        advantaged = simulation.sweep(
            sets, [0.5], "nDJS", draws=5, advantaged=["CON", "MIX"], protected="PRO")
        for several in ("CON,MIX", ["MIX", "CON"]):
            ordered = simulation.sweep(sets, [0.5], "nDJS", draws=5, protected=several)
            assert ordered["mean"][0] == advantaged["mean"][0]

    def test_rows_depend_on_the_seed_and_not_on_each_other(self, capsys):
        among = simulation.sweep(alphas=[-0.5, 0.5], draws=20)
        assert "simulation" in capsys.readouterr().err
        alone = simulation.sweep(alphas=[-0.5, 0.5], measures=["nDJS"], draws=20)
        of_measure = among[among["measure"] == "nDJS"]
        pd.testing.assert_frame_equal(alone, of_measure.reset_index(drop=True))
        one = simulation.sweep({"S2": simulation.SETS["S2"]}, [0.5], "nDJS", draws=20)
        same = alone[(alone["set"] == "S2") & (alone["alpha"] == 0.5)]
        pd.testing.assert_frame_equal(one, same.reset_index(drop=True))
        other = simulation.sweep({"S2": simulation.SETS["S2"]}, [0.5], "nDJS", draws=20, seed=1)
        assert other["mean"][0] != one["mean"][0]
        twins = dict.fromkeys(("S2", "S4"), simulation.SETS["S2"])
        assert simulation.sweep(twins, [0.5, 0.1], "nDJS", draws=20)["mean"].nunique() == 4

    @pytest.mark.parametrize("arguments, error", [
        ({"measures": ["nDCG@5"]}, "nDCG@5 is not possible here"),
        ({"measures": []}, "at least one measure"),
        ({"measures": "nDJS(groups='trec-newswire')"}, "the groups are the labels of sets"),
        ({"measures": "nDJSS"}, "measure not found: nDJSS"),
        ({"measures": "nDCG(foo=1)@5"}, "nDCG is not possible: it has no parameter 'foo'"),
        ({"measures": ["nDD(norm='x')"]}, "norm takes"),
        ({"sets": pd.DataFrame({"S": [1]})}, "sets is a DataFrame; it takes a dictionary"),
        ({"sets": {"S": [1, 2]}}, "the set 'S' is a list; a set is a dictionary"),
        ({"sets": {"odd": {1: 3, 2: 4}}}, "'odd' has none of the protected labels -3, -2, -1"),
        ({"alphas": 0.5}, r"alphas=0\.5 is one value; it takes several, such as \[0\.5\]"),
        ({"alphas": [2]}, "alpha=2"),
        ({"advantaged": ["0", "9"]}, "'S1' has none of the advantaged labels 9; it has -3,"),
        ({"weights": lambda alpha: (alpha, 1.0)}, r"the weights \(0.0, 1.0\) of alpha=0.0"),
        ({"weights": lambda alpha: (1.0, 0.0)}, r"the weights \(1.0, 0.0\)"),
        ({"draws": 1}, "draws=1")])
    def test_wrong_input(self, arguments, error):
        with pytest.raises(ValueError, match=error):
            simulation.sweep(**{"alphas": [0.0], "draws": 5, **arguments})

    def test_other_normalisers(self):
        names = [name.replace("protected-first", "max") for name in simulation.MEASURES[:3]]
        frame = simulation.sweep(measures=names, alphas=[-1.0], draws=5)
        assert len(frame) == 3 * 3 and frame["mean"].between(0, 1).all()
