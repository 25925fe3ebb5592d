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


def inside(box, outer) -> bool:
    return outer.x0 <= box.x0 and box.x1 <= outer.x1 and outer.y0 <= box.y0 and box.y1 <= outer.y1


def assert_readable(ax) -> None:
    """No name stands on another one or past the figure, and the legend neither past the figure nor on the axes."""
    rendered(ax)
    for axis in (ax.xaxis, ax.yaxis):
        low, high = sorted(axis.get_view_interval())
        boxes = [label.get_window_extent() for place, label in zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=True)
                 if low <= place <= high]
        assert boxes
        assert all(inside(box, ax.figure.bbox) for box in boxes)
        assert not any(one.overlaps(two) for one, two in itertools.combinations(boxes, 2))
    for text in (ax.xaxis.label, ax.yaxis.label, ax.title):
        assert not text.get_text() or inside(text.get_window_extent(), ax.figure.bbox)
    if ax.get_legend() is not None:
        legend = ax.get_legend().get_window_extent()
        assert inside(legend, ax.figure.bbox)
        assert not legend.overlaps(ax.get_window_extent()) and not legend.overlaps(ax.xaxis.get_tightbbox())


#: Names that are long, many, or mathematics to matplotlib.
LONG_NAMES = ["ColBERT-v2 (end-to-end)", "BM25 (conclusions)", "BM25 (premises)", "monoT5 (3B, zero-shot)", "$SDM$ + RM3"]
MANY_NAMES = [f"university of somewhere, run {i:02}" for i in range(60)]
LONG_MEASURES = ["nDKL(protected='-3,-2,-1',norm='protected-first')@20", "rND@10",
                 "DistKL(target={'female':0.25,'male':0.75},groups='a/long/path/to/the/groups.tsv')@100"]


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

    @pytest.mark.parametrize("topics, count", [(50, 20), (5, 7), (1, 3)])
    @pytest.mark.parametrize("layout", [None, "constrained", "new"])
    def test_legend_beside_the_bars(self, topics, count, layout):
        frame = pd.DataFrame([(f"a topic {q}", f"the group {g}", 1.0) for q in range(topics) for g in range(count)],
                             columns=["qid", "group", "relevant"])
        assert_readable(plots.groups_per_topic(frame, None if layout == "new" else plt.subplots(layout=layout)[1]))

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

    @pytest.mark.parametrize("names, lines", [(LONG_NAMES, ["rKL@5"]), (MANY_NAMES, LONG_MEASURES),
                                              (["A", "B"], LONG_MEASURES[:1])])
    def test_long_names(self, names, lines):
        values = np.linspace(0.9, 0.5, len(names))
        frame = pd.DataFrame({"name": names, "nDCG@5": values, **dict.fromkeys(lines, values)})
        ax = plots.relevance_and_fairness(frame, "nDCG@5", lines)
        assert_readable(ax)
        assert len(ax.get_xticklabels()) == len(names)
        assert min(label.get_fontsize() for label in ax.get_xticklabels()) >= plots.SMALL
        assert inside(ax.figure.axes[-1].yaxis.label.get_window_extent(), ax.figure.bbox)

    def test_dollars_are_dollars(self):
        ax = plots.relevance_and_fairness(self.FRAME.assign(name=["a $x^2$", "b", "c"]), "nDCG@5", "rKL@5")
        drawn, plain = ax.get_xticklabels()[2], plt.figure().text(0, 0, "a $x^2$", parse_math=False)
        assert drawn.get_window_extent().width == pytest.approx(plain.get_window_extent().width, rel=0.01)

    def test_twelve_lines_differ(self):
        names = [f"rKL@{i}" for i in range(1, 13)]
        ax = plots.relevance_and_fairness(self.FRAME.assign(**dict.fromkeys(names, 0.5)), "nDCG@5", names)
        lines = ax.figure.axes[-1].lines
        assert len({(line.get_color(), line.get_marker()) for line in lines}) == 12
        assert lines[0].get_linestyle() != lines[8].get_linestyle()

    def test_both_axes_begin_at_zero(self):
        _, (_, ax, _) = plt.subplots(1, 3)
        plots.relevance_and_fairness(self.FRAME, "nDCG@5", "DistFair@5", ax)
        right = ax.figure.axes[-1]
        assert right.lines and ax.get_ylim()[0] == right.get_ylim()[0] == 0
        plots.relevance_and_fairness(self.FRAME.assign(**{"BiasP@5": [-0.3, 0.1, 0.2]}), "nDCG@5", "BiasP@5", ax)
        assert ax.figure.axes[-1].get_ylim()[0] < -0.3

    def test_one_line_names_its_axis(self):
        ax = plots.relevance_and_fairness(self.FRAME, "nDCG@5", "rKL@5")
        assert ax.figure.axes[1].get_ylabel() == "rKL@5 (0 is fair)"

    def test_the_largest_value_is_below_the_edge(self):
        ax = plots.relevance_and_fairness(self.FRAME.assign(**{"rKL@5": [0.344, 0.3492, 0.346]}), "nDCG@5", "rKL@5")
        low, high = ax.figure.axes[1].get_ylim()
        assert low == 0 and high > 0.36

    def test_a_measure_may_go_by_any_of_its_names(self):
        ax = plots.relevance_and_fairness(self.FRAME.rename(columns={"nDCG@5": "alpha_nDCG@5"}), "α_nDCG@5", "rKL@5")
        assert ax.get_ylabel() == "alpha_nDCG@5"

    def test_unknown_measure(self):
        with pytest.raises(ValueError, match="no measure 'rND@5'"):
            plots.relevance_and_fairness(self.FRAME, "nDCG@5", "rND@5")
        with pytest.raises(ValueError, match="rKL@5 has to be a column of numbers, and B has '-'"):
            plots.relevance_and_fairness(self.FRAME.assign(**{"rKL@5": ["0.1", "-", "0.2"]}), "nDCG@5", "rKL@5")


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

    @pytest.mark.parametrize("measure, bottom", [("BiasDCG@5", -1.4), ("BiasP@5", -1.0), ("nDJS", 0.0)])
    def test_bands_are_cut_at_the_smallest_possible_value(self, measure, bottom):
        frame = pd.DataFrame({"set": "S", "alpha": [-1.0, 1.0], "measure": measure, "mean": [-0.9, 0.9], "sd": 0.5})
        assert plots.bias_sweep(frame).get_ylim()[0] == pytest.approx(bottom, abs=0.2 if measure == "BiasDCG@5" else 0)

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


    @pytest.mark.parametrize("frame, error", [
        (FRAME.replace({"qid": {"1": "8", "2": "9"}}).iloc[2:5].assign(qid=["7", "8", "9"]),
         "no topic has a value of m for 'E1' and one of m for 'E2'"),
        (pd.concat([FRAME, FRAME.iloc[3:4]]), "E2 has several values of m for topic 1")])
    def test_wrong_rows(self, frame, error):
        with pytest.raises(ValueError, match=error):
            plots.scatter(frame, ("E1", "m"), ("E2", "m"))


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

    def test_what_is_symmetric_looks_so(self):
        frame = pd.DataFrame([("K", str(q), "m", value) for q, value in enumerate([-0.25, -0.15, -0.05, 0.05, 0.15, 0.25])],
                             columns=["name", "qid", "measure", "value"])
        ax = rendered(plots.bias_histogram(frame))
        middles = [round(bar.get_x() + bar.get_width() / 2, 6) for bar in ax.containers[0]]
        assert middles == [-middle for middle in reversed(middles)]

    @pytest.mark.parametrize("measures", [["BiasDCG@10", "BiasP@10"],
                                          [f"RepBias(group='g{i}',target='uniform')@10" for i in range(7)]])
    def test_many_intervals(self, measures):
        frame = pd.DataFrame([(str(q), measure, q / 10) for measure in measures for q in range(-32, 33)],
                             columns=["qid", "measure", "value"])
        ax = plots.bias_histogram(frame)
        assert_readable(ax)
        assert len(ax.get_xticks()) >= 10 and 0 in ax.get_xticks()

    def test_several_systems(self):
        frame = pd.DataFrame({"name": ["A", "B"], "qid": "1", "measure": "m", "value": 0.1})
        with pytest.raises(ValueError, match=r"2 systems, and the figure is that of one.*'A', 'B'"):
            plots.bias_histogram(frame)

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

    @pytest.mark.parametrize("n, ticks", [(7, 8), (10, 6), (20, 5), (100, 6)])
    def test_names_of_the_grid(self, n, ticks):
        ax = plots.target_against_model(pd.DataFrame({"target": [0.0], "model": [1.0]}), n)
        assert_readable(ax)
        assert len(ax.get_xticks()) == len(ax.get_yticks()) == ticks
        assert set(np.round(ax.get_xticks() * n, 9)) <= set(range(n + 1))

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

    @pytest.mark.parametrize("names, depth", [(LONG_NAMES, 100), (["A"], 50), (MANY_NAMES, 10)])
    @pytest.mark.parametrize("new", [True, False])
    def test_deep_and_many_lists(self, names, depth, new):
        frame = pd.DataFrame([(name, "1", rank, f"d{rank}", rank % 2, f"the group {rank % 7}") for name in names
                              for rank in range(1, depth + 1)], columns=["name", "qid", "rank", "docno", "label", "group"])
        ax = plots.strips(frame, "1", None if new else plt.subplots(figsize=(6.4, 7))[1])
        assert_readable(ax)
        assert len(ax.get_yticklabels()) == len(names) and ax.get_xticks()[[0, -1]].tolist() == [1, depth]

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


@pytest.mark.parametrize("draw, frame", [
    (plots.groups_per_topic, pd.DataFrame(columns=["qid", "group", "relevant"])),
    (plots.groups_per_topic, pd.DataFrame({"qid": ["all"], "group": "g", "relevant": 1.0})),
    (lambda frame: plots.relevance_and_fairness(frame, "AP", "rKL@5"), pd.DataFrame(columns=["name", "AP", "rKL@5"])),
    (plots.bias_sweep, pd.DataFrame(columns=["set", "alpha", "measure", "mean", "sd"])),
    (plots.bias_histogram, pd.DataFrame(columns=["name", "qid", "measure", "value"])),
    (plots.bias_histogram, pd.DataFrame({"name": "A", "qid": ["1"], "measure": "m", "value": np.nan})),
    (plots.target_against_model, pd.DataFrame(columns=["target", "model"])),
    (lambda frame: plots.scatter(frame, ("A", "m"), ("A", "m")), pd.DataFrame(columns=["name", "qid", "measure", "value"]))])
def test_nothing_to_draw(draw, frame):
    with pytest.raises(ValueError, match="nothing to draw"):
        draw(frame)
    assert not plt.get_fignums()


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
