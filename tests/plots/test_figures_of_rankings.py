"""Figures of systems and their rankings."""

from __future__ import annotations

import itertools
import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from figures import (
    LONG_MEASURES,
    LONG_NAMES,
    MANY_NAMES,
    assert_readable,
    inside,
    legend_of,
    rendered,
)
from matplotlib.colors import to_hex, to_rgb

from pt_fairness import FairnessWarning, analysis, explain, plots
from pt_fairness.plots.layout import SMALL


class TestRelevanceAndFairness:
    FRAME = pd.DataFrame({"name": ["A", "B", "C"], "nDCG@5": [0.2, 0.8, 0.5],
                          "rKL@5": [0.3, 0.1, 0.2], "DistFair@5": [0.9, 0.6, 0.7]})

    def test_bars_and_points(self):
        ax = rendered(plots.relevance_and_fairness(self.FRAME, "nDCG@5", ["rKL@5", "DistFair@5"]))
        assert [bar.get_height() for bar in ax.containers[0]] == [0.8, 0.5, 0.2]
        first, *panels = ax.figure.axes
        assert first is ax
        assert [label.get_text() for label in panels[-1].get_xticklabels()] == ["B", "C", "A"]
        assert [one.lines[0].get_ydata().tolist() for one in panels] == [
            [0.1, 0.2, 0.3], [0.6, 0.7, 0.9]]
        assert all(one.lines[0].get_linestyle() == "None" for one in panels)
        assert [one.get_title(loc="left") for one in (ax, *panels)] == [
            "nDCG@5", "rKL@5 (0 is fair)", "DistFair@5 (1 is fair)"]

    def test_the_better_end_is_at_the_top_of_each_panel(self):
        frame = self.FRAME.assign(**{"BiasP@5": [-0.1, 0.1, 0.2]})
        fairness = ["rKL@5", "DistFair@5", "BiasP@5"]
        ax = rendered(plots.relevance_and_fairness(frame, "nDCG@5", fairness))
        panels = ax.figure.axes
        assert [one.yaxis_inverted() for one in panels] == [False, True, False, False]
        boxes = [one.get_tightbbox() for one in panels]
        assert all(one.y0 >= two.y1 for one, two in itertools.pairwise(boxes))
        lines = [line for line in panels[-1].lines if len(set(line.get_ydata())) == 1]
        assert [line.get_ydata()[0] for line in lines] == [0]

    def test_one_plot_with_two_axes(self):
        frame = self.FRAME.assign(**{"AWRF@5": [0.2, 0.4, 0.6]})
        ax = plots.relevance_and_fairness(frame, "nDCG@5", ["DistFair@5", "AWRF@5"], panels=False)
        assert_readable(ax)
        left, right = ax.figure.axes
        assert left is ax and right.yaxis.get_label_position() == "right"
        assert [bar.get_height() for bar in ax.containers[0]] == [0.8, 0.5, 0.2]
        assert [line.get_ydata().tolist() for line in right.lines] == [
            [0.6, 0.7, 0.9], [0.4, 0.6, 0.2]]
        assert [label.get_text() for label in ax.get_xticklabels()] == ["B", "C", "A"]
        green = ax.containers[0][0].get_facecolor()[:3]
        blue, cyan = (to_rgb(line.get_color()) for line in right.lines)
        assert np.argmax(green) == 1 and np.argmax(blue) == np.argmax(cyan) == 2
        assert cyan[1] > blue[1]
        assert legend_of(ax) == ["nDCG@5", "DistFair@5 (1 is fair), right axis",
                                 "AWRF@5 (1 is fair), right axis"]
        ax = plots.relevance_and_fairness(frame, "nDCG@5", "rKL@5", panels=False)
        assert ax.figure.axes[1].yaxis_inverted() and not ax.yaxis_inverted()

    @pytest.mark.first(2)
    @pytest.mark.parametrize(
        "names, lines",
        [(LONG_NAMES, ["rKL@5"]), (MANY_NAMES, LONG_MEASURES), (["A", "B"], LONG_MEASURES[:1])])
    def test_long_names(self, names, lines):
        values = np.linspace(0.9, 0.5, len(names))
        frame = pd.DataFrame({"name": names, "nDCG@5": values, **dict.fromkeys(lines, values)})
        ax = plots.relevance_and_fairness(frame, "nDCG@5", lines)
        lower = ax.figure.axes[-1]
        assert_readable(lower)
        assert len(lower.get_xticklabels()) == len(names)
        assert min(label.get_fontsize() for label in lower.get_xticklabels()) >= SMALL
        titles = [one._left_title.get_window_extent() for one in ax.figure.axes]
        assert all(inside(title, ax.figure.bbox) for title in titles)

    def test_dollar_signs_are_no_mathematics(self):
        frame = self.FRAME.assign(name=["a $x^2$", "b", "c"])
        ax = plots.relevance_and_fairness(frame, "nDCG@5", "rKL@5")
        drawn = ax.figure.axes[-1].get_xticklabels()[2]
        plain = plt.figure().text(0, 0, "a $x^2$", parse_math=False)
        width = plain.get_window_extent().width
        assert drawn.get_window_extent().width == pytest.approx(width, rel=0.01)

    def test_all_axes_include_zero(self):
        _, (_, ax, _) = plt.subplots(1, 3)
        plots.relevance_and_fairness(self.FRAME, "nDCG@5", "DistFair@5", ax)
        lower = ax.figure.axes[-1]
        assert ax.get_ylim()[0] == lower.get_ylim()[0] == 0
        frame = self.FRAME.assign(**{"BiasP@5": [-0.3, 0.1, 0.2]})
        plots.relevance_and_fairness(frame, "nDCG@5", "BiasP@5", ax)
        assert ax.figure.axes[-1].get_ylim()[0] < -0.3

    def test_the_largest_value_is_inside_the_axes(self):
        frame = self.FRAME.assign(**{"rKL@5": [0.344, 0.3492, 0.346]})
        frame = frame.rename(columns={"nDCG@5": "alpha_nDCG@5"})
        ax = plots.relevance_and_fairness(frame, "α_nDCG@5", "rKL@5")
        assert ax.get_title(loc="left") == "alpha_nDCG@5"
        high, low = ax.figure.axes[1].get_ylim()
        assert low == 0 and high > 0.36

class TestStrips:
    QRELS = pd.DataFrame([("1", "a", 1, "PRO"), ("1", "b", 0, "CON"), ("1", "c", 1, "CON"),
                          ("1", "c", 1, "PRO"), ("2", "a", 1, "CON")],
                         columns=["qid", "docno", "label", "iteration"])
    RUNS = {"one": pd.DataFrame({"qid": "1", "docno": ["a", "b", "c", "z"],
                                 "score": [4.0, 3.0, 2.0, 1.0]}),
            "two": pd.DataFrame({"qid": "1", "docno": ["a", "b"], "score": [1.0, 2.0]})}

    def test_blocks(self):
        ax = rendered(plots.strips(analysis.ranked_groups(self.RUNS, self.QRELS), "1"))
        con, pro = (colour.lower() for colour in plots.PALETTE[:2])
        blocks = {}
        for patch in ax.patches:
            rank, row = patch.get_x() + 0.5, patch.get_y() + patch.get_height() / 2
            blocks[round(rank), round(row, 3)] = to_hex(patch.get_facecolor())
        assert blocks == {(1, 0): pro, (2, 0): con, (3, -0.2): con, (3, 0.2): pro,
                          (4, 0): "#ffffff", (1, 1): con, (2, 1): pro}
        (dots,) = ax.lines  # the relevant documents
        assert {*zip(*dots.get_data(), strict=True)} == {(1, 0), (3, 0), (2, 1)}
        assert [label.get_text() for label in ax.get_yticklabels()] == ["one", "two"]
        assert ax.yaxis_inverted() and ax.get_title() == "topic 1"
        assert legend_of(ax) == ["CON", "PRO", "no group", "relevant"]

    def test_no_relevant_document(self):
        frame = analysis.ranked_groups(self.RUNS, self.QRELS.assign(label=0))
        assert not plots.strips(frame, "1").lines

    @pytest.mark.first(2)
    @pytest.mark.parametrize("names, depth, new",
                             [(MANY_NAMES, 4, True), (["A"], 50, False), (LONG_NAMES, 100, True),
                              (LONG_NAMES, 100, False), (["A"], 50, True), (MANY_NAMES, 4, False)])
    def test_deep_and_many_lists(self, names, depth, new):
        frame = pd.DataFrame([(name, "1", rank, f"d{rank}", rank % 2,
                               f"the group {rank % 7}") for name in names
                              for rank in range(1, depth + 1)],
                             columns=["name", "qid", "rank", "docno", "label", "group"])
        ax = plots.strips(frame, "1", None if new else plt.subplots(figsize=(6.4, 7))[1])
        assert_readable(ax)
        assert len(ax.get_yticklabels()) == len(names)
        assert ax.get_xticks()[[0, -1]].tolist() == [1, depth]

    def test_sorted_by_a_measure(self):
        ranked = analysis.ranked_groups({**self.RUNS, "three": self.RUNS["one"]}, self.QRELS)
        perquery = pd.DataFrame([("one", 1, "rKL@5", 0.5), ("two", 1, "rKL@5", 0.25),
                                 ("one", 1, "AWRF@5", 0.75), ("two", 1, "AWRF@5", 0.125),
                                 ("one", 2, "rKL@5", 0.0)],
                                columns=["name", "qid", "measure", "value"])
        for measure, names, values, end in (
            ("rKL@5", ["two", "one", "three"], ["0.250", "0.500", "–"], "0 is fair"),
            ("AWRF@5", ["one", "two", "three"], ["0.750", "0.125", "–"], "1 is fair"),
        ):
            ax = rendered(plots.strips(ranked, "1", None, perquery, measure))
            assert [label.get_text() for label in ax.get_yticklabels()] == names
            assert [text.get_text() for text in ax.texts] == values
            assert [text.xy[1] for text in ax.texts] == [0, 1, 2]
            assert ax.get_title() == f"topic 1, by {measure} ({end})"
            assert all(inside(text.get_window_extent(), ax.figure.bbox) for text in ax.texts)
            row = names.index("two")
            blocks = [patch for patch in ax.patches if round(patch.get_y() + 0.4) == row]
            assert len(blocks) == 2  # two returned two documents

    def test_measure_of_unknown_direction(self):
        ranked = analysis.ranked_groups(self.RUNS, self.QRELS)
        perquery = pd.DataFrame({"name": ["one", "two"], "qid": "1", "measure": "Bias",
                                 "value": [0.9, 0.1]})
        with pytest.warns(FairnessWarning, match="unknown which end of Bias is better"):
            ax = plots.strips(ranked, "1", perquery=perquery)
        assert [label.get_text() for label in ax.get_yticklabels()] == ["one", "two"]
        marked = perquery.assign(measure="Bias ↓")
        ax = plots.strips(ranked, "1", perquery=marked)
        assert [label.get_text() for label in ax.get_yticklabels()] == ["two", "one"]

QRELS = pd.DataFrame([("1", "a", 1, "PRO"), ("1", "b", 0, "CON"), ("1", "c", 1, "CON"),
                      ("1", "c", 1, "PRO"), ("2", "a", 1, "CON"), ("2", "d", 1, "CON")],
                     columns=["qid", "docno", "label", "iteration"])
RUN = pd.DataFrame([("1", "a", 4.0), ("1", "x", 3.0), ("1", "c", 2.0), ("1", "b", 1.0),
                    ("2", "d", 2.0)], columns=["qid", "docno", "score"])


def curves(ax) -> dict[str, list[float]]:
    """The lines of the groups by their colours, and the dashed lines of the targets."""
    return {(line.get_linestyle(), to_hex(line.get_color())): list(line.get_ydata())
            for line in ax.lines}


class TestExposure:
    def test_shares(self):
        ranked = analysis.ranked_groups({"one": RUN}, QRELS)
        ax = rendered(plots.exposure(ranked, {"PRO": 0.3}))
        second, third = 1 / math.log2(4), 1 / math.log2(5)
        pro = [1, 1, (1 + second / 2) / (1 + second), (1 + second / 2) / (1 + second + third)]
        green = plots.PALETTE[1].lower()
        found = curves(ax)
        assert found["-", green] == pytest.approx([(value + 0) / 2 for value in pro])
        # The line of CON would be one less that of PRO.
        assert found["--", green] == [0.3, 0.3] and {colour for _, colour in found} == {green}
        assert legend_of(ax) == ["PRO", "target"]
        assert ax.get_ylabel() == "share of PRO in the exposure"
        assert ax.get_title() == "one: mean of 2 topics (band: 95 % confidence interval)"
        band = ax.collections[0].get_paths()[0].vertices[:, 1]
        assert band.max() == pytest.approx(0.5 + 1.96 * np.std([0, 1], ddof=1) / math.sqrt(2))

    def test_a_single_topic_has_no_interval(self):
        ranked = analysis.ranked_groups({"one": RUN}, QRELS)
        ax = rendered(plots.exposure(ranked[ranked["qid"] == "1"]))
        assert ax.lines and not ax.collections[0].get_paths()

    def test_target_of_the_judgments(self):
        ranked = analysis.ranked_groups({"one": RUN}, QRELS)
        ax = plots.exposure(ranked, analysis.group_distribution(QRELS))
        dashed = {key[1]: value[0] for key, value in curves(ax).items() if key[0] == "--"}
        assert dashed == {plots.PALETTE[0].lower(): pytest.approx((1 / 4 + 1) / 2)}

    def test_three_groups_and_targets_that_are_not_mirrored_have_a_line_each(self):
        ranked = analysis.ranked_groups({"one": RUN}, QRELS)
        ax = plots.exposure(ranked, {"CON": 0.5, "PRO": 0.3})
        assert legend_of(ax) == ["CON", "PRO", "target"]
        more = QRELS.replace({"iteration": {"PRO": "A"}})
        three = analysis.ranked_groups({"one": RUN}, pd.concat([QRELS, more]))
        assert legend_of(plots.exposure(three)) == ["A", "CON", "PRO"]

    def test_real_runs(self, robust03):
        qrels, runs = robust03
        name, run = next(iter(runs.items()))
        ranked = analysis.ranked_groups({name: run}, qrels, "trec-newswire", depth=20)
        ax = plots.exposure(ranked, analysis.group_distribution(qrels, "trec-newswire"))
        assert_readable(ax)
        lines = [values for (style, _), values in curves(ax).items() if style == "-"]
        assert np.sum(lines, axis=0) == pytest.approx(np.ones(20))

class TestExplain:
    def test_contributions(self):
        frame = explain("rND(protected='CON')@3", RUN, QRELS, "1")
        ax = rendered(plots.explain(frame))
        bars = {round(bar.get_x() + bar.get_width() / 2): (to_hex(bar.get_facecolor()),
                                                           bar.get_height()) for bar in ax.patches}
        con, pro = (colour.lower() for colour in plots.PALETTE[:2])
        height = frame["contribution"].tolist()
        assert bars == {1: (pro, height[0]), 2: ("#ffffff", 0), 3: ("#777777", height[2]),
                        4: (con, height[3])}
        (crosses,) = [line for line in ax.lines if line.get_marker() == "x"]
        assert crosses.get_xdata().tolist() == [2]
        lower = ax.figure.axes[-1]
        # The documents at ranks 1, 3 and 4 are the first, second and third that count.
        ticks = [tick.get_text() for tick in lower.get_xticklabels()]
        assert dict(zip(lower.get_xticks(), ticks, strict=True)) == {1: "1", 3: "2", 4: "3"}
        assert lower.get_xlabel() == "rank among the documents that count"
        shares, target = (line.get_ydata().tolist() for line in lower.lines)
        assert shares == frame["protected share"].tolist()
        assert target == frame["protected target"].tolist()
        assert legend_of(lower) == ["CON", "PRO", "several groups", "no group", "does not count",
                                    "protected: CON", "target"]
        value = frame.attrs["value"]
        assert ax.get_title() == f"topic 1: rND(protected='CON')@3 = {value:.3f} (0 is fair)"

    def test_the_index_of_the_rows_does_not_matter(self):
        frame = explain("rND(protected='CON')@3", RUN, QRELS, "1")
        lower = rendered(plots.explain(frame.set_axis([0] * len(frame)))).figure.axes[-1]
        assert lower.get_xticks().tolist() == [1, 3, 4]

    def test_value_so_far(self):
        frame = explain("AWRF@3", RUN, QRELS, "1")
        ax = rendered(plots.explain(frame))
        assert ax.lines[0].get_ydata().tolist() == frame["value"].tolist()
        assert ax.get_ylabel() == "value so far" and not ax.patches
        lower = ax.figure.axes[-1]
        found = curves(lower)
        for i, group in enumerate(("CON", "PRO")):
            colour = plots.PALETTE[i].lower()
            assert found["-", colour] == frame[f"share of {group}"].tolist()
            assert found["--", colour] == [0.5] * 4

    def test_no_groups(self):
        frame = explain("nDCG@3", RUN, QRELS.drop(columns="iteration"), "1")
        ax = rendered(plots.explain(frame))
        assert ax.figure.axes == [ax] and ax.get_legend() is None
        assert [bar.get_height() for bar in ax.patches] == frame["contribution"].tolist()

    @pytest.mark.parametrize("new", [True, False])
    def test_readable(self, robust03, new):
        qrels, runs = robust03
        with pytest.warns(UserWarning, match="6 of 100 topics"):
            frame = explain("rKL(groups='trec-newswire')@20", next(iter(runs.values())), qrels, 303)
        ax = plots.explain(frame, None if new else plt.subplots(1, 2, figsize=(12, 6))[1][1])
        lower = ax.figure.axes[-1]
        assert_readable(lower)
        assert ax.get_title().startswith("topic 303: rKL@20 = ")
        assert lower.get_legend().get_title().get_text() == "groups: trec-newswire"

ONE = pd.DataFrame({"qid": ["1", "1", "2", "2"], "docno": ["a", "b", "a", "c"],
                    "score": [2, 1, 2, 1]})
RUNS = {"one": ONE, "two": ONE.assign(score=[2, 1, 1, 2])}


def curves_of(ax):
    diagonal, *lines = ax.lines
    assert diagonal.get_xydata().tolist() == [[0, 0], [1, 1]]
    return [line.get_xydata() for line in lines]


@pytest.mark.parametrize("population", [None, 10])
def test_the_gini_coefficient_is_twice_the_area(population):
    given = {} if population is None else {"population": population}
    ax = rendered(plots.lorenz(analysis.document_exposure(RUNS, **given), population))
    gini = analysis.inequality(RUNS, **given)["gini"]
    curves = curves_of(ax)
    assert [len(curve) for curve in curves] == [(population or 3) + 1] * 2
    for curve, value in zip(curves, gini, strict=True):
        assert 1 - 2 * np.trapezoid(curve[:, 1], curve[:, 0]) == pytest.approx(value)
    assert legend_of(ax) == ["one", "two"]


def test_groups():
    frame = pd.DataFrame({"name": "A", "group": ["x", "y"], "exposure": [3.0, 1.0]})
    ax = rendered(plots.lorenz(frame))
    assert ax.get_xlabel() == "share of groups"
    np.testing.assert_allclose(curves_of(ax)[0], [[0, 0], [0.5, 0.25], [1, 1]])
