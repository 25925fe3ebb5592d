"""Relevance against fairness, compared with the table that is drawn."""

from __future__ import annotations

import itertools
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from figures import LONG_NAMES, assert_readable, inside, legend_of, rendered
from matplotlib.text import Text

from pt_fairness import FairnessWarning, plots, rename

FRAME = pd.DataFrame(
    {
        "name": ["A", "B", "C", "D"],
        "nDCG@5": [0.5, 0.9, 0.4, 0.9],
        "rKL@5": [0.1, 0.4, 0.2, 0.5],
        "DistFair@5": [0.9, 0.6, 0.7, 0.95],
        "BiasP@5": [-0.3, 0.1, 0.2, -0.05],
    }
)


def front_of(ax) -> set[tuple[float, float]]:
    (line,) = [line for line in ax.lines if line.get_marker() == "o"]
    return set(zip(*line.get_data(), strict=True))


def names_of(ax) -> list[str]:
    return [text.get_text() for text in ax.texts]


class TestTradeoff:
    @pytest.mark.parametrize(
        "relevance, fairness",
        list(itertools.permutations(["nDCG@5", "rKL@5", "DistFair@5", "BiasP@5"], 2)),
    )
    def test_pareto_front(self, relevance, fairness):
        best = {"nDCG@5": 1.0, "rKL@5": 0.0, "DistFair@5": 1.0, "BiasP@5": 0.0}
        points = list(zip(FRAME[relevance], FRAME[fairness], strict=True))

        def far(point):
            return abs(point[0] - best[relevance]), abs(point[1] - best[fairness])

        expected = {
            one for one in points
            if not any(
                far(two)[0] <= far(one)[0] and far(two)[1] <= far(one)[1] and far(two) != far(one)
                for two in points
            )
        }
        ax = rendered(plots.tradeoff(FRAME, relevance, fairness))
        assert front_of(ax) == expected
        others = {tuple(point) for c in ax.collections for point in c.get_offsets().tolist()}
        assert others == set(points) - expected and sorted(names_of(ax)) == list("ABCD")

    def test_better_ends_are_at_the_top_and_on_the_right(self):
        for column, inverted in (("rKL@5", True), ("DistFair@5", False), ("BiasP@5", False)):
            assert plots.tradeoff(FRAME, "nDCG@5", column).yaxis_inverted() == inverted
            assert plots.tradeoff(FRAME, column, "nDCG@5").xaxis_inverted() == inverted

    def test_fair_end(self):
        ax = plots.tradeoff(FRAME, "nDCG@5", "rKL@5")
        (line,) = [line for line in ax.lines if line.get_linestyle() == "--"]
        assert set(line.get_ydata()) == {0} and ax.get_ylim()[0] > 0.5 and ax.get_ylim()[1] < 0
        assert legend_of(ax) == ["fair end of rKL@5", "Pareto front", "other systems"]
        ax = plots.tradeoff(FRAME.assign(**{"AWRF@5": [0.1, 0.11, 0.12, 0.13]}), "nDCG@5", "AWRF@5")
        assert all(line.get_linestyle() != "--" for line in ax.lines) and ax.get_ylim()[1] < 0.2
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

    @pytest.mark.parametrize("new", [True, False])
    @pytest.mark.parametrize("n", [5, 60])
    def test_names_do_not_overlap(self, n, new):
        rng = np.random.default_rng(n)
        names = LONG_NAMES if n == 5 else [f"system-{i:02}" for i in range(n)]
        spread = 0.001 if n == 5 else 0.4
        frame = pd.DataFrame({"name": names, "nDCG@5": 0.4 + spread * rng.random(n),
                              "rKL@5": 0.1 + spread * rng.random(n)})
        ax = plots.tradeoff(frame, "nDCG@5", "rKL@5",
                            None if new else plt.subplots(figsize=(9, 7))[1])
        assert_readable(ax)
        boxes = [text.get_window_extent() for text in ax.texts]
        assert len(boxes) == n and all(inside(box, ax.bbox) for box in boxes)
        assert not any(one.overlaps(two) for one, two in itertools.combinations(boxes, 2))

    @pytest.mark.parametrize("n", [40, 8])
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

    @pytest.mark.parametrize(
        "frame, fairness, error",
        [
            (FRAME.head(0), "rKL@5", "no rows"),
            (FRAME, "rND@5", "no measure 'rND@5'"),
            (FRAME.assign(**{"rKL@5": np.nan}), "rKL@5", "no system has values of nDCG@5 and rKL"),
        ],
    )
    def test_wrong_input(self, frame, fairness, error):
        with pytest.raises(ValueError, match=error):
            plots.tradeoff(frame, "nDCG@5", fairness)


class TestBaselineAndReferences:
    FRAME = pd.DataFrame({"name": ["A", "B", "[random order]"], "nDCG@5": [0.5, 0.9, 0.6],
                          "rKL@5": [0.40, 0.41, 0.95]})
    FRAME.attrs = {"references": ("[random order]",), "comparison": {"baseline": "B"}}

    def test_the_axes_are_scaled_to_the_systems(self):
        ax = rendered(plots.tradeoff(self.FRAME, "nDCG@5", "rKL@5"))
        assert min(ax.get_ylim()) > 0.35 and max(ax.get_ylim()) < 0.45
        assert "[random order] (y = 0.950)" in legend_of(ax)
        triangle = ax.collections[0]
        assert triangle.get_offsets().tolist() == [[0.03, 0]], "at the unfair end of the axis"

    def test_the_baseline_has_a_square(self):
        ax = rendered(plots.tradeoff(self.FRAME, "nDCG@5", "rKL@5"))
        square = ax.collections[1]
        assert square.get_offsets().tolist() == [[0.9, 0.41]] and "baseline" in legend_of(ax)
        assert "baseline" not in legend_of(plots.tradeoff(FRAME, "nDCG@5", "rKL@5"))
