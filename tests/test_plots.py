"""What the figures draw, compared with the frames that they draw."""

from __future__ import annotations

import itertools
import subprocess
import sys

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex, to_rgb
from matplotlib.patches import Rectangle

from pt_fairness import analysis, plots, simulation


@pytest.fixture(autouse=True)
def close_figures():
    yield
    plt.close("all")


def rendered(ax):
    """Drawing raises what a look at the artists alone would not."""
    ax.figure.canvas.draw()
    return ax


def legend_of(ax) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


@pytest.fixture
def distribution() -> pd.DataFrame:
    qrels = pd.DataFrame([("1", "a", 1, "PRO"), ("2", "b", 1, "PRO"), ("2", "c", 1, "CON"), ("2", "d", 1, "CON"),
                          ("3", "e", 1, "CON"), ("3", "f", 1, "PRO")], columns=["qid", "docno", "label", "iteration"])
    return analysis.group_distribution(qrels)


class TestGroupsPerTopic:
    def test_bars(self, distribution):
        ax = rendered(plots.groups_per_topic(distribution))
        assert [label.get_text() for label in ax.get_xticklabels()] == ["2", "3", "1"]  # the largest topic first
        heights = [[bar.get_height() for bar in bars] for bars in ax.containers]
        assert heights == [[2, 1, 0], [1, 1, 1]]
        assert [[bar.get_y() for bar in bars] for bars in ax.containers] == [[0, 0, 0], [2, 1, 0]]
        assert legend_of(ax) == ["CON", "PRO"]
        assert ax.get_xlabel() == "topic" and ax.get_ylabel() == "relevant documents"

    def test_more_groups_than_colours_differ(self):
        frame = pd.DataFrame({"qid": "1", "group": [f"g{i:02}" for i in range(12)], "relevant": 1.0})
        ax = rendered(plots.groups_per_topic(frame))
        styles = {(to_hex(bars[0].get_facecolor()), bars[0].get_hatch()) for bars in ax.containers}
        assert len(styles) == 12

    def test_many_topics_are_not_all_named(self):
        frame = pd.DataFrame({"qid": [str(i) for i in range(130)], "group": "g", "relevant": 1.0})
        ax = plots.groups_per_topic(frame)
        assert len(ax.get_xticks()) <= plots.MOST_LABELS and len(ax.containers[0]) == 130

    def test_takes_axes(self, distribution):
        _, (left, right) = plt.subplots(1, 2)
        assert plots.groups_per_topic(distribution, right) is right
        assert not left.containers and right.containers


class TestRelevanceAndFairness:
    FRAME = pd.DataFrame({"name": ["A", "B", "C"], "nDCG@5": [0.2, 0.8, 0.5], "rKL@5": [0.3, 0.1, 0.2],
                          "DistFair@5": [0.9, 0.6, 0.7]})

    def test_bars_and_lines(self):
        ax = rendered(plots.relevance_and_fairness(self.FRAME, "nDCG@5", ["rKL@5", "DistFair@5"]))
        assert [bar.get_height() for bar in ax.containers[0]] == [0.8, 0.5, 0.2]
        assert [label.get_text() for label in ax.get_xticklabels()] == ["B", "C", "A"]
        right = ax.figure.axes[1]
        assert [line.get_ydata().tolist() for line in right.lines] == [[0.1, 0.2, 0.3], [0.6, 0.7, 0.9]]
        assert legend_of(ax) == ["nDCG@5", "rKL@5 (0 is fair)", "DistFair@5 (1 is fair)"]
        assert ax.get_ylabel() == "nDCG@5"

    def test_one_line_names_its_axis(self):
        ax = plots.relevance_and_fairness(self.FRAME, "nDCG@5", "rKL@5")
        assert ax.figure.axes[1].get_ylabel() == "rKL@5 (0 is fair)"

    def test_unknown_measure(self):
        with pytest.raises(ValueError, match="no column 'rND@5'"):
            plots.relevance_and_fairness(self.FRAME, "nDCG@5", "rND@5")


class TestBiasSweep:
    def test_lines_and_bands(self):
        sweep = simulation.sweep(alphas=[0.5, -0.5, 0], n=20)
        name = sweep["measure"].unique()[0]
        ax = rendered(plots.bias_sweep(sweep, name))
        assert legend_of(ax) == ["S1", "S2", "S3"] and name in ax.get_title()
        for line, band, (_, part) in zip(ax.lines, ax.collections, sweep[sweep["measure"] == name].groupby("set"), strict=True):
            part = part.sort_values("alpha")
            assert line.get_xdata().tolist() == [-0.5, 0, 0.5]
            np.testing.assert_allclose(line.get_ydata(), part["mean"])
            heights = band.get_paths()[0].get_extents()
            assert heights.y0 == pytest.approx((part["mean"] - part["sd"]).min())
            assert heights.y1 == pytest.approx((part["mean"] + part["sd"]).max())

    def test_a_measure_has_to_be_chosen(self):
        sweep = simulation.sweep(alphas=[0], n=5)
        with pytest.raises(ValueError, match="4 measures, and the figure shows one"):
            plots.bias_sweep(sweep)
        with pytest.raises(ValueError, match="no values of 'nDXX'"):
            plots.bias_sweep(sweep, "nDXX")
        assert plots.bias_sweep(sweep[sweep["measure"] == "nDJS"]).get_title() == "nDJS (0 is fair)"


class TestScatter:
    FRAME = pd.DataFrame([("E1", "1", "m", 0.5), ("E1", "2", "m", -0.2), ("E1", "3", "m", 0.1), ("E2", "1", "m", 0.4),
                          ("E2", "2", "m", 0.3), ("E1", "1", "w", 2.0), ("E1", "2", "w", 1.0)],
                         columns=["name", "qid", "measure", "value"])

    def test_engine_against_engine(self):
        ax = rendered(plots.scatter(self.FRAME, ("E1", "m"), ("E2", "m")))
        assert ax.collections[0].get_offsets().tolist() == [[0.5, 0.4], [-0.2, 0.3]]
        assert ax.get_xlabel() == "E1: m" and ax.get_ylabel() == "E2: m"
        assert ax.get_xlim() == ax.get_ylim() and ax.get_xlim()[0] < -0.2

    def test_two_engines_in_one_figure(self):
        one = self.FRAME[self.FRAME["name"] == "E1"]
        frame = pd.concat([one, one.assign(name="E3", value=one["value"] + 3)])
        ax = plots.scatter(frame, ("E1", "m"), ("E1", "w"), label="E1")
        rendered(plots.scatter(frame, ("E3", "m"), ("E3", "w"), ax, label="E3", colour=1))
        assert legend_of(ax) == ["E1", "E3"] and ax.get_xlabel() == "m" and ax.get_ylabel() == "w"
        first, second = ax.collections
        assert to_hex(first.get_facecolor()[0]) != to_hex(second.get_facecolor()[0])
        assert not np.array_equal(first.get_paths()[0].vertices, second.get_paths()[0].vertices)  # markers differ too
        assert ax.get_xlim()[1] > 5  # the limits follow the second set
        assert len([line for line in ax.lines if line.get_gid() == "guide"]) == 3

    def test_unknown_system(self):
        with pytest.raises(ValueError, match="no values of m for 'E9'; it has the systems 'E1', 'E2'"):
            plots.scatter(self.FRAME, ("E9", "m"), ("E2", "m"))


class TestBiasHistogram:
    def test_counts(self):
        values = {"f": [0.1, 0.1 + 0.2, 0.3, -0.2, 0.0, 0.0], "m": [-0.1, -0.3, -0.3, 0.2, 0.0, 0.0]}
        frame = pd.DataFrame([("K", str(q), measure, value) for measure, column in values.items()
                              for q, value in enumerate(column)], columns=["name", "qid", "measure", "value"])
        ax = rendered(plots.bias_histogram(frame))
        assert legend_of(ax) == ["f", "m"]
        for bars, column in zip(ax.containers, values.values(), strict=True):
            expected = pd.Series(np.round(column, 1)).value_counts().sort_index()
            assert [bar.get_height() for bar in bars] == expected.tolist()
            for bar, value in zip(bars, expected.index, strict=True):
                assert value - 0.05 < bar.get_x() and bar.get_x() + bar.get_width() < value + 0.05
        assert ax.get_xticks().tolist() == [-0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3]
        assert ax.get_ylabel() == "topics"

    def test_chosen_measures(self):
        frame = pd.DataFrame({"qid": ["1", "2"], "measure": ["a", "b"], "value": [0.5, 0.25]})
        ax = plots.bias_histogram(frame, "b", width=0.25)
        assert len(ax.containers) == 1 and ax.get_xticks().tolist() == [0.25]


class TestTargetAgainstModel:
    def test_points_stay_in_their_squares(self):
        ratios = pd.DataFrame({"target": [0.1] * 50 + [0.5, 1.0], "model": [0.3] * 50 + [0.5, 0.0]})
        ax = rendered(plots.target_against_model(ratios))
        offsets = np.asarray(ax.collections[0].get_offsets())
        assert abs(offsets - ratios[["target", "model"]].to_numpy()).max() <= 0.04
        assert len(np.unique(offsets, axis=0)) == 52
        squares = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
        assert len(squares) == 11 and all(abs(square.get_x() - square.get_y()) < 1e-12 for square in squares)
        assert ax.get_xlabel() == "target ratio" and ax.get_ylabel() == "model ratio"

    def test_same_seed_same_figure(self):
        ratios = pd.DataFrame({"target": [0.1, 0.2], "model": [0.3, 0.2]})
        one, two, other = (plots.target_against_model(ratios, seed=seed).collections[0].get_offsets() for seed in (0, 0, 1))
        assert np.array_equal(one, two) and not np.array_equal(one, other)


class TestStrips:
    QRELS = pd.DataFrame([("1", "a", 1, "PRO"), ("1", "b", 0, "CON"), ("1", "c", 1, "CON"), ("1", "c", 1, "PRO"),
                          ("2", "a", 1, "CON")], columns=["qid", "docno", "label", "iteration"])
    RUNS = {"one": pd.DataFrame({"qid": "1", "docno": ["a", "b", "c", "z"], "score": [4.0, 3.0, 2.0, 1.0]}),
            "two": pd.DataFrame({"qid": "1", "docno": ["a", "b"], "score": [1.0, 2.0]})}

    def test_ranked_groups(self):
        frame = analysis.ranked_groups(self.RUNS, self.QRELS, depth=4)
        assert frame.fillna({"group": "?"}).values.tolist() == [
            ["one", "1", 1, "a", 1, "PRO"], ["one", "1", 2, "b", 0, "CON"], ["one", "1", 3, "c", 1, "CON"],
            ["one", "1", 3, "c", 1, "PRO"], ["one", "1", 4, "z", 0, "?"], ["two", "1", 1, "b", 0, "CON"],
            ["two", "1", 2, "a", 1, "PRO"]]
        assert analysis.ranked_groups(self.RUNS, self.QRELS, depth=1)["docno"].tolist() == ["a", "b"]

    def test_blocks(self):
        ax = rendered(plots.strips(analysis.ranked_groups(self.RUNS, self.QRELS), "1"))
        colours = dict(zip(["CON", "PRO"], plots.PALETTE, strict=False))
        blocks = {(round(patch.get_x() + 0.5), round(patch.get_y() + patch.get_height() / 2, 3)): to_hex(patch.get_facecolor())
                  for patch in ax.patches}
        assert blocks == {(1, 0): colours["PRO"].lower(), (2, 0): colours["CON"].lower(), (3, -0.2): colours["CON"].lower(),
                          (3, 0.2): colours["PRO"].lower(), (4, 0): "#ffffff", (1, 1): colours["CON"].lower(),
                          (2, 1): colours["PRO"].lower()}
        assert {(line.get_xdata()[0], line.get_ydata()[0]) for line in ax.lines} == {(1, 0), (3, 0), (2, 1)}  # relevant
        assert [label.get_text() for label in ax.get_yticklabels()] == ["one", "two"] and ax.yaxis_inverted()
        assert legend_of(ax) == ["CON", "PRO", "no group", "relevant"] and ax.get_title() == "topic 1"

    def test_unknown_topic(self):
        with pytest.raises(ValueError, match="returned anything for topic '9'"):
            plots.strips(analysis.ranked_groups(self.RUNS, self.QRELS), "9")

    def test_real_runs(self, robust03):
        qrels, runs = robust03
        frame = analysis.ranked_groups(runs, qrels, "trec-newswire", depth=10)
        counts = frame.groupby(["name", "qid"]).size()
        assert (counts <= 10).all() and frame["group"].notna().all()
        assert (frame["group"] == frame["docno"].str.extract(r"^(FBIS|FR|FT|LA)", expand=False)).all()
        ax = rendered(plots.strips(frame, "303"))
        assert len(ax.patches) == len(frame[frame["qid"] == "303"])


#: Colour as people with each kind of dichromacy see it (Viénot, Brettel & Mollon 1999; tritanopia: Brettel et al. 1997), as
#: matrices on linear RGB.
DICHROMACY = {
    "protan": [[0.11238, 0.88762, 0.0], [0.11238, 0.88762, 0.0], [0.00401, -0.00401, 1.0]],
    "deutan": [[0.29275, 0.70725, 0.0], [0.29275, 0.70725, 0.0], [-0.02234, 0.02234, 1.0]],
}


def seen(colour: str, matrix) -> np.ndarray:
    linear = np.array([c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)])
    linear = np.clip(np.asarray(matrix) @ linear, 0, 1)
    return np.array([12.92 * c if c <= 0.0031308 else 1.055 * c ** (1 / 2.4) - 0.055 for c in linear])


@pytest.mark.parametrize("kind", DICHROMACY)
def test_colours_differ_for_the_colour_blind(kind):
    for one, two in itertools.combinations(plots.PALETTE, 2):
        assert np.linalg.norm(seen(one, DICHROMACY[kind]) - seen(two, DICHROMACY[kind])) > 0.1, (one, two)
    red, green = "#D62728", "#7F6A00"  # told apart by most people, and not by these
    assert np.linalg.norm(seen(red, DICHROMACY["protan"]) - seen(green, DICHROMACY["protan"])) < np.linalg.norm(
        np.subtract(to_rgb(red), to_rgb(green)))


def test_matplotlib_is_imported_for_figures_alone():
    code = ("import sys, pt_fairness, pt_fairness.analysis, pt_fairness.simulation; assert 'matplotlib' not in sys.modules; "
            "sys.modules['matplotlib'] = None\ntry: pt_fairness.plots\nexcept ImportError as e: print(e)")
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'pt-fairness[plots]'" in result.stdout
