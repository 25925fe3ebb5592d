"""Figures of averages and of comparisons."""

from __future__ import annotations

import itertools
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from figures import LONG_NAMES, MANY_NAMES, assert_readable, inside, legend_of, rendered
from matplotlib.text import Text

from pt_fairness import FairnessWarning, analysis, plots, rename, simulation

FRAME = pd.DataFrame({"name": ["A", "B", "C", "D"], "nDCG@5": [0.5, 0.9, 0.4, 0.9],
                      "rKL@5": [0.1, 0.4, 0.2, 0.5], "DistFair@5": [0.9, 0.6, 0.7, 0.95],
                      "BiasP@5": [-0.3, 0.1, 0.2, -0.05]})


def front_of(ax) -> set[tuple[float, float]]:
    (line,) = [line for line in ax.lines if line.get_marker() == "o"]
    return set(zip(*line.get_data(), strict=True))


def names_of(ax) -> list[str]:
    return [text.get_text() for text in ax.texts]


class TestTradeoff:
    @pytest.mark.parametrize("relevance, fairness", [
        ("nDCG@5", "rKL@5"), ("rKL@5", "DistFair@5"), ("DistFair@5", "BiasP@5"),
        ("BiasP@5", "nDCG@5")])
    def test_pareto_front(self, relevance, fairness):
        best = {"nDCG@5": 1.0, "rKL@5": 0.0, "DistFair@5": 1.0, "BiasP@5": 0.0}
        points = list(zip(FRAME[relevance], FRAME[fairness], strict=True))

        def far(point):
            return abs(point[0] - best[relevance]), abs(point[1] - best[fairness])

        expected = {one for one in points
                    if not any(
            far(two)[0] <= far(one)[0] and far(two)[1] <= far(one)[1] and far(two) != far(one)
                               for two in points)}
        ax = rendered(plots.tradeoff(FRAME, relevance, fairness))
        assert front_of(ax) == expected
        others = {tuple(point) for c in ax.collections for point in c.get_offsets().tolist()}
        assert others == set(points) - expected and sorted(names_of(ax)) == list("ABCD")
        # The better ends are at the top and on the right.
        inverted = ax.xaxis_inverted(), ax.yaxis_inverted()
        assert inverted == (relevance == "rKL@5", fairness == "rKL@5")

    def test_ideal(self):
        ax = plots.tradeoff(FRAME, "nDCG@5", "rKL@5")
        (line,) = [line for line in ax.lines if line.get_linestyle() == "--"]
        assert set(line.get_ydata()) == {0} and ax.get_ylim()[0] > 0.5 and ax.get_ylim()[1] < 0
        assert legend_of(ax) == ["ideal value of rKL@5", "Pareto front", "other systems"]
        ax = plots.tradeoff(FRAME.assign(**{"AWRF@5": [0.1, 0.2, 0.15, 0.3]}), "nDCG@5", "AWRF@5")
        assert all(line.get_linestyle() != "--" for line in ax.lines) and ax.get_ylim()[1] < 0.4
        assert ax.get_ylabel() == "AWRF@5 (1 is fair)"
        unbounded = FRAME.rename(columns={"DistFair@5": "FaiRR(values='x')@5"})
        ax = plots.tradeoff(unbounded, "nDCG@5", "FaiRR(values='x')@5")
        assert all(line.get_linestyle() != "--" for line in ax.lines)
        assert ax.get_ylabel() == "FaiRR(values='x')@5 (more is fairer)"

    def test_renamed_columns_keep_their_direction(self):
        table = rename(FRAME, {"rKL@5": "Unfairness"})
        ax = plots.tradeoff(table, "nDCG@5", "Unfairness")
        assert front_of(ax) == front_of(plots.tradeoff(FRAME, "nDCG@5", "rKL@5"))
        assert ax.yaxis_inverted() and ax.get_ylabel() == "Unfairness (0 is fair)"
        marked = FRAME.rename(columns={"rKL@5": "Unfairness ↓"})
        assert plots.tradeoff(marked, "nDCG@5", "Unfairness ↓").yaxis_inverted()

    def test_unknown_direction(self):
        table = FRAME.rename(columns={"rKL@5": "Unfairness"})
        with pytest.warns(FairnessWarning, match="unknown which end of Unfairness is better"):
            ax = rendered(plots.tradeoff(table, "nDCG@5", "Unfairness"))
        assert not ax.lines and len(ax.collections[0].get_offsets()) == 4

    @pytest.mark.exhaustive
    @pytest.mark.parametrize("n, new", [(5, True), (60, False)])
    def test_names_do_not_overlap(self, n, new):
        rng = np.random.default_rng(n)
        names = LONG_NAMES if n == 5 else [f"system-{i:02}" for i in range(n)]
        spread = 0.001 if n == 5 else 0.4
        frame = pd.DataFrame({"name": names, "nDCG@5": 0.4 + spread * rng.random(n),
                              "rKL@5": 0.1 + spread * rng.random(n)})
        ax = plots.tradeoff(frame, "nDCG@5", "rKL@5",
                            None if new else plt.subplots(figsize=(9, 7))[1])
        assert_readable(ax)
        # The box of the text alone: that of an annotation holds its line, too.
        boxes = [Text.get_window_extent(text) for text in ax.texts]
        assert len(boxes) == n and all(inside(box, ax.bbox) for box in boxes)
        assert not any(one.overlaps(two) for one, two in itertools.combinations(boxes, 2))

    @pytest.mark.first(1)
    @pytest.mark.parametrize("n", [8, 40])
    def test_names_do_not_cover_points(self, n):
        """Systems in a heap, and one far away. Forty names have no room, eight have."""
        rng = np.random.default_rng(n)
        places = np.vstack([[0.1, 0.9], rng.normal(0.5, 0.02, (n - 1, 2))])
        frame = pd.DataFrame({"name": [f"a system with a name {i}" * 2 for i in range(n)],
                              "nDCG@5": places[:, 0], "rKL@5": places[:, 1]})
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", FairnessWarning)
            ax = plots.tradeoff(frame, "nDCG@5", "rKL@5", plt.subplots(figsize=(4, 3))[1])
        rendered(ax)
        said = [str(one.message) for one in caught if one.category is FairnessWarning]
        assert len(said) == (len(ax.texts) < n) == (n == 40)
        assert all("the point has no name, because there is no room" in one for one in said)
        boxes = [Text.get_window_extent(text) for text in ax.texts]
        points = ax.transData.transform(places)
        radius = 3.4 * ax.figure.dpi / 72
        near = [(points[i] - radius < box.max).all() and (points[i] + radius > box.min).all()
                for box in boxes for i in range(n)]
        assert boxes and not any(near)
        assert not any(one.overlaps(two) for one, two in itertools.combinations(boxes, 2))

    def test_names_are_not_on_lines(self):
        rng = np.random.default_rng(10)
        fairness = np.r_[0.9999, rng.uniform(0.9, 0.99, 8), rng.uniform(0.94, 0.945, 3)]
        frame = pd.DataFrame({"name": [f"a long name {i}" for i in range(12)],
                              "nDCG@5": 0.7 - 0.1 * fairness ** 8, "AWRF@5": fairness})
        ax = plots.tradeoff(frame, "nDCG@5", "AWRF@5")
        rendered(ax)
        boxes = [Text.get_window_extent(text) for text in ax.texts]  # without the arrows
        lines = [line.get_transform().transform_path(line.get_path()) for line in ax.lines]
        arrows = [text.arrow_patch for text in ax.texts if text.arrow_patch is not None]
        lines += [arrow.get_transform().transform_path(arrow.get_path()) for arrow in arrows]
        assert len(lines) > len(ax.lines) == 2
        assert not any(line.intersects_bbox(box, filled=False) for line in lines for box in boxes)

    def test_same_places(self):
        ax = rendered(plots.tradeoff(FRAME.replace({"nDCG@5": {0.5: 0.9, 0.4: 0.9}}),
                                     "nDCG@5", "nDCG@5"))
        assert len({tuple(text.get_position()) for text in ax.texts}) == 4

    def test_one_system_and_missing_values(self):
        ax = rendered(plots.tradeoff(FRAME.head(1), "nDCG@5", "rKL@5"))
        assert front_of(ax) == {(0.5, 0.1)} and "other systems" not in legend_of(ax)
        with pytest.warns(FairnessWarning, match="'B': not drawn, because nDCG@5 or rKL@5"):
            ax = plots.tradeoff(FRAME.assign(**{"rKL@5": [0.1, np.nan, 0.2, 0.3]}), "nDCG@5",
                                "rKL@5")
        assert sorted(names_of(ax)) == ["A", "C", "D"]

class TestBaselineAndReferences:
    FRAME = pd.DataFrame({"name": ["A", "B", "[random order]"], "nDCG@5": [0.5, 0.9, 0.6],
                          "rKL@5": [0.40, 0.41, 0.95]})
    FRAME.attrs = {"references": ("[random order]",), "comparison": {"baseline": "B"}}

    def test_the_axes_are_scaled_to_the_systems(self):
        ax = rendered(plots.tradeoff(self.FRAME, "nDCG@5", "rKL@5"))
        assert min(ax.get_ylim()) > 0.35 and max(ax.get_ylim()) < 0.45
        assert "[random order] (y = 0.950)" in legend_of(ax)
        triangle = ax.collections[0]
        assert triangle.get_offsets().tolist() == [[0.03, 0]], "at the least fair value of the axis"

    def test_the_baseline_has_a_square(self):
        ax = rendered(plots.tradeoff(self.FRAME, "nDCG@5", "rKL@5"))
        square = ax.collections[1]
        assert square.get_offsets().tolist() == [[0.9, 0.41]] and "baseline" in legend_of(ax)
        assert "baseline" not in legend_of(plots.tradeoff(FRAME, "nDCG@5", "rKL@5"))


@pytest.fixture(scope="module")
def perquery() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    shift = {"base": 0.0, "worse": 0.4, "same": 0.01, "better": -0.3}
    return pd.DataFrame([(name, str(q), measure, 0.5 + more + rng.normal(0, 0.05))
                         for name, more in shift.items() for q in range(20)
                         for measure in ("rKL@10", "AWRF@10", "BiasP@10")],
                        columns=["name", "qid", "measure", "value"])


class TestDifferences:
    def test_points_and_intervals(self, perquery):
        compared = analysis.compare(perquery, "base", resamples=99)
        ax = rendered(plots.differences(compared, "rKL@10"))
        own = compared[compared["measure"] == "rKL@10"].set_index("name")
        names = [label.get_text() for label in ax.get_yticklabels()]
        assert names == ["better", "same", "worse"] and ax.yaxis_inverted()
        lines, *points = ax.collections
        ends = [segment[:, 0].tolist() for segment in lines.get_segments()]
        assert ends == own.loc[names, ["low", "high"]].to_numpy().tolist()
        drawn = {names[int(y)]: (x, bool(face[:3].min() == 1)) for part in points
                 for (x, y), face in zip(part.get_offsets().tolist(),
                                         np.resize(part.get_facecolors(),
                                                   (len(part.get_offsets()), 4)), strict=True)}
        assert drawn == {name: (own["difference"][name], not own["reject"][name]) for name in names}
        assert legend_of(ax) == ["interval (not corrected)", "significant (p < 0.05)",
                                 "not significant"]

    def test_an_interval_without_0_that_is_not_significant(self, perquery):
        """The legend says why an interval and its mark differ: only the mark is corrected."""
        compared = analysis.compare(perquery, "base", resamples=99).query("measure == 'rKL@10'")
        compared = compared.assign(low=0.01, high=0.2, reject=[True, False, False])
        ax = rendered(plots.differences(compared))
        apart = "interval without 0, but not significant"
        assert legend_of(ax) == ["interval (not corrected)", "significant (p < 0.05)", apart]

    @pytest.mark.parametrize("measure, side, limits",
                             [("rKL@10", "worse", [0.1]), ("AWRF@10", "worse", [-0.1]),
                              ("BiasP@10", "both", [-0.1, 0.1])])
    def test_verdicts(self, perquery, measure, side, limits):
        given = {measure: 0.1}
        compared = analysis.compare(perquery, "base", resamples=9, tolerance=given, side=side)
        ax = rendered(plots.differences(compared, measure))
        assert sorted(line.get_xdata()[0] for line in ax.lines[1:]) == limits
        names = [label.get_text() for label in ax.get_yticklabels()]
        own = compared[compared["measure"] == measure].set_index("name").loc[names]
        (lines,) = (one for one in ax.collections if hasattr(one, "get_segments"))
        ends = [segment[:, 0].tolist() for segment in lines.get_segments()]
        assert ends == own[["tolerance low", "tolerance high"]].to_numpy().tolist()
        for (low, high), verdict in zip(ends, own["verdict"], strict=True):
            inside = all(low > limit if limit < 0 else high < limit for limit in limits)
            assert (verdict == "within") == inside
        assert set(legend_of(ax)[2:]) == set(own["verdict"])

    def test_all_pairs(self, perquery):
        compared = analysis.compare(perquery, None, resamples=9)
        ax = plots.differences(compared, "rKL@10")
        assert len(ax.get_yticklabels()) == 6
        assert ax.get_yticklabels()[0].get_text() == "better − worse"

    def test_the_axis_says_which_side_is_better(self, perquery):
        compared = analysis.compare(perquery, "base", resamples=9)
        labels = {measure: plots.differences(compared, measure).get_xlabel()
                  for measure in ("rKL@10", "AWRF@10", "BiasP@10")}
        assert labels["rKL@10"].startswith("← better") and labels["rKL@10"].endswith("worse →")
        assert labels["AWRF@10"].startswith("← worse") and labels["AWRF@10"].endswith("better →")
        assert labels["BiasP@10"].startswith("← smaller")
        renamed = analysis.compare(rename(perquery, {"rKL@10": "Unfairness"}), "base", resamples=9)
        assert plots.differences(renamed, "Unfairness").get_xlabel().startswith("← better")
        ax = plots.differences(compared, "AWRF@10")
        assert ax.get_yticklabels()[0].get_text() == "worse"  # has the largest AWRF

    @pytest.mark.first(1)
    @pytest.mark.parametrize("names", [LONG_NAMES, MANY_NAMES])
    def test_names(self, names):
        frame = pd.DataFrame({"name": names, "measure": "rKL@10", "n": 9, "low": -0.1, "high": 0.2,
                              "difference": np.linspace(0, 0.1, len(names)), "reject": False})
        assert_readable(plots.differences(frame))

class TestCorrelations:
    AVERAGES = pd.DataFrame({"name": list("ABCDEF"), "nDCG@5": [0.9, 0.5, 0.7, 0.1, 0.3, 0.2],
                             "rKL@5": [0.1, 0.3, 0.2, 0.9, 0.4, 0.8],
                             "BiasP@5": [-0.3, 0.1, 0.2, -0.05, 0.3, 0.0]})

    def test_cells(self):
        found = analysis.correlations(self.AVERAGES)
        ax = rendered(plots.correlations(found))
        values = ax.images[0].get_array()
        expected = found.coefficients.to_numpy()
        assert values[0, 0] == expected[1, 0] and values[1].tolist() == expected[2, :2].tolist()
        assert values.mask.tolist() == [[False, True], [False, False]]
        texts = {tuple(map(int, text.get_position())): text.get_text() for text in ax.texts}
        assert texts == {
            (j, i - 1): f"{expected[i, j]:.2f}" + "*" * bool(found.p_values.to_numpy()[i, j] < 0.05)
            for i, j in ((1, 0), (2, 0), (2, 1))}
        assert [label.get_text() for label in ax.get_yticklabels()] == ["rKL@5 ↓", "BiasP@5 →0"]
        assert ax.images[0].get_clim() == (-1, 1)

    def test_constant_measure(self):
        with pytest.warns(UserWarning, match="all values of rKL@5 are equal"):
            found = analysis.correlations(self.AVERAGES.assign(**{"rKL@5": 0.2}))
        assert plots.correlations(found).texts[0].get_text() == "–"

    @pytest.mark.first(1)
    @pytest.mark.parametrize("new", [True, False])
    def test_many_measures(self, new):
        rng = np.random.default_rng(0)
        names = [f"rKL(protected='group {i}')@10" for i in range(12)]
        table = pd.DataFrame(rng.random((9, 12)), columns=names).assign(name=list("ABCDEFGHI"))
        ax = plots.correlations(analysis.correlations(table),
                                None if new else plt.subplots(figsize=(9, 9))[1])
        assert_readable(ax)
        assert len(ax.texts) == 66

class TestBiasSweep:
    def test_lines_and_bands(self):
        sweep = simulation.sweep(alphas=[0.5, -0.5, 0], draws=20)
        name = sweep["measure"].unique()[0]
        ax = rendered(plots.bias_sweep(sweep, name))
        assert legend_of(ax) == ["S1", "S2", "S3"] and name in ax.get_title()
        sets = sweep[sweep["measure"] == name].groupby("set")
        for line, band, (_, part) in zip(ax.lines, ax.collections, sets, strict=True):
            part = part.sort_values("alpha")
            assert line.get_xdata().tolist() == [-0.5, 0, 0.5]
            np.testing.assert_allclose(line.get_ydata(), part["mean"])
            heights = band.get_paths()[0].get_extents()
            assert heights.y0 == pytest.approx((part["mean"] - part["sd"]).min())
            assert heights.y1 == pytest.approx((part["mean"] + part["sd"]).max())

    @pytest.mark.parametrize(
        "measure, bottom", [("BiasDCG@5", -1.4), ("BiasP@5", -1.0), ("nDJS", 0.0)])
    def test_bands_end_at_the_range_of_the_measure(self, measure, bottom):
        frame = pd.DataFrame(
            {"set": "S", "alpha": [-1.0, 1.0], "measure": measure, "mean": [-0.9, 0.9], "sd": 0.5})
        tolerance = 0.2 if measure == "BiasDCG@5" else 0  # the margin of matplotlib
        ax = plots.bias_sweep(frame)
        assert ax.get_ylim()[0] == pytest.approx(bottom, abs=tolerance)
        cut = "" if measure == "BiasDCG@5" else f", cut at {bottom:g}"
        assert ax.get_ylabel() == f"mean ± 1 standard deviation{cut}"

    def test_panels_share_a_legend(self):
        frame = pd.DataFrame({"set": ["S1", "S2"], "alpha": 0.0, "measure": "nDJS", "mean": 0.5,
                              "sd": 0.1})
        _, (left, right) = plt.subplots(1, 2)
        plots.bias_sweep(frame, ax=left)
        plots.bias_sweep(frame.assign(measure="nDD"), ax=right)
        assert legend_of(left) == ["S1", "S2"] and right.get_legend() is None
