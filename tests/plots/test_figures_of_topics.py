"""Figures of topics, compared with the frames that they draw."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from figures import assert_readable, legend_of, rendered
from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle

from pt_fairness import analysis, plots
from pt_fairness.plots.figures_of_topics import MOST_LABELS


@pytest.fixture
def distribution() -> pd.DataFrame:
    qrels = pd.DataFrame([("1", "a", 1, "PRO"), ("2", "b", 1, "PRO"), ("2", "c", 1, "CON"),
                          ("2", "d", 1, "CON"), ("3", "e", 1, "CON"), ("3", "f", 1, "PRO")],
                         columns=["qid", "docno", "label", "iteration"])
    return analysis.group_distribution(qrels)


class TestGroupsPerTopic:
    def test_bars(self, distribution):
        ax = rendered(plots.groups_per_topic(distribution))
        names = [label.get_text() for label in ax.get_xticklabels()]
        assert names == ["2", "3", "1"]  # the largest topic first
        heights = [[bar.get_height() for bar in bars] for bars in ax.containers]
        assert heights == [[2, 1, 0], [1, 1, 1]]
        assert [[bar.get_y() for bar in bars] for bars in ax.containers] == [[0, 0, 0], [2, 1, 0]]
        assert legend_of(ax) == ["CON", "PRO"]
        assert ax.get_xlabel() == "topic, by number of relevant documents"
        assert ax.get_ylabel() == "relevant documents"

    def test_twelve_groups_have_different_styles(self):
        frame = pd.DataFrame(
            {"qid": "1", "group": [f"g{i:02}" for i in range(12)], "relevant": 1.0})
        ax = rendered(plots.groups_per_topic(frame))
        styles = {(to_hex(bars[0].get_facecolor()), bars[0].get_hatch()) for bars in ax.containers}
        assert len(styles) == 12

    def test_some_of_many_topics_are_named(self):
        frame = pd.DataFrame({"qid": [str(i) for i in range(130)], "group": "g", "relevant": 1.0})
        ax = plots.groups_per_topic(frame)
        assert len(ax.get_xticks()) <= MOST_LABELS and len(ax.containers[0]) == 130
        assert ax.get_xlabel().endswith("(one of 4 is named)")

    @pytest.mark.exhaustive
    @pytest.mark.parametrize("topics, count, engine",
                             [(50, 20, "new"), (5, 7, None), (5, 20, "constrained"), (1, 3, "new")])
    def test_legend_does_not_overlap_the_bars(self, topics, count, engine):
        frame = pd.DataFrame(
            [(f"a topic {q}", f"the group {g}", 1.0) for q in range(topics) for g in range(count)],
            columns=["qid", "group", "relevant"])
        ax = None if engine == "new" else plt.subplots(layout=engine)[1]
        assert_readable(plots.groups_per_topic(frame, ax))

class TestScatter:
    FRAME = pd.DataFrame([("E1", "1", "m", 0.5), ("E1", "2", "m", -0.2), ("E1", "3", "m", 0.1),
                          ("E2", "1", "m", 0.4), ("E2", "2", "m", 0.3), ("E1", "1", "w", 2.0),
                          ("E1", "2", "w", 1.0)], columns=["name", "qid", "measure", "value"])

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
        markers = [points.get_paths()[0].vertices for points in ax.collections]
        assert not np.array_equal(*markers)
        assert ax.get_xlim()[1] > 5  # the limits follow the second set
        assert len([line for line in ax.lines if line.get_gid() == "guide"]) == 3

    def test_diagonal_and_scale_only_between_values_of_one_measure(self):
        def guides(x, y):
            frame = pd.DataFrame([("A", str(q), m, v) for q in range(3)
                                  for m, v in ((x, q / 3), (y, 5 - q))],
                                 columns=["name", "qid", "measure", "value"])
            ax = plots.scatter(frame, ("A", x), ("A", y))
            return len([one for one in ax.lines if one.get_gid() == "guide"]), ax
        number, ax = guides("nDCG@5", "rKL@5")
        assert number == 0 and ax.get_xlim()[1] < 1 and ax.get_ylim()[1] > 5
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("nDCG@5", "rKL@5 (0 is fair)")
        number, ax = guides("RepBias(group='a')@5", "RepBias(group='b')@5")
        assert number == 1 and ax.get_xlim() == ax.get_ylim() and ax.get_aspect() == 1
        assert guides("rKL@5", "AWRF@5")[0] == 0

    def test_panels_share_a_legend(self):
        _, axes = plt.subplots(1, 2)
        for ax in axes:
            for i, name in enumerate(("E1", "E2")):
                plots.scatter(self.FRAME, (name, "m"), (name, "m"), ax, label=name, colour=i)
        assert legend_of(axes[0]) == ["E1", "E2"] and axes[1].get_legend() is None

    def test_limits_and_the_numbers_of_the_quadrants(self):
        rng = np.random.default_rng(1)
        pairs = rng.normal(0, 0.4, (30, 2)).clip(-1, 1)
        pairs[0, 0] = 0.0  # in no quadrant
        frame = pd.DataFrame([(name, str(q), "BiasP@10", pair[i]) for q, pair in enumerate(pairs)
                              for i, name in enumerate("AB")],
                             columns=["name", "qid", "measure", "value"])
        sides = ("A", "BiasP@10"), ("B", "BiasP@10")
        ax = rendered(plots.scatter(frame, *sides, limits=(-2, 2), quadrants=True))
        assert ax.get_xlim() == ax.get_ylim() == pytest.approx((-2.2, 2.2))
        numbers = {}
        for text in ax.texts:
            x, y = text.get_position()
            numbers[2 * (x > 0.5) - 1, 2 * (y > 0.5) - 1] = int(text.get_text())
        expected = {(i, j): sum(1 for a, b in pairs if a * i > 0 and b * j > 0)
                    for i in (-1, 1) for j in (-1, 1)}
        assert numbers == expected and sum(numbers.values()) == 29
        assert not plots.scatter(frame, *sides).texts

class TestBiasHistogram:
    def test_counts(self):
        values = {
            "f": [0.1, 0.1 + 0.2, 0.3, -0.2, 0.0, 0.0], "m": [-0.1, -0.3, -0.3, 0.2, 0.0, 0.0]}
        frame = pd.DataFrame([("K", str(q), measure, value) for measure, column in values.items()
                              for q, value in enumerate(column)],
                             columns=["name", "qid", "measure", "value"])
        ax = rendered(plots.bias_histogram(frame))
        assert legend_of(ax) == ["f", "m"]
        for bars, column in zip(ax.containers, values.values(), strict=True):
            expected = pd.Series(np.round(column, 1)).value_counts().sort_index()
            assert [bar.get_height() for bar in bars] == expected.tolist()
            for bar, value in zip(bars, expected.index, strict=True):
                assert value - 0.05 < bar.get_x() and bar.get_x() + bar.get_width() < value + 0.05
        assert ax.get_xticks().tolist() == [-0.3, -0.2, -0.1, 0, 0.1, 0.2, 0.3]
        assert ax.get_ylabel() == "topics"

    def test_symmetric_values_have_a_symmetric_histogram(self):
        frame = pd.DataFrame([("K", str(q), "m", value)
                              for q, value in enumerate([-0.25, -0.15, -0.05, 0.05, 0.15, 0.25])],
                             columns=["name", "qid", "measure", "value"])
        ax = rendered(plots.bias_histogram(frame))
        middles = [round(bar.get_x() + bar.get_width() / 2, 6) for bar in ax.containers[0]]
        assert middles == [-middle for middle in reversed(middles)]

    @pytest.mark.first(1)
    @pytest.mark.parametrize(
        "measures",
        [
            ["BiasDCG@10", "BiasP@10"],
            [f"RepBias(group='g{i}',target='uniform')@10" for i in range(7)]],
    )
    def test_many_intervals(self, measures):
        frame = pd.DataFrame(
            [(str(q), measure, q / 10) for measure in measures for q in range(-32, 33)],
            columns=["qid", "measure", "value"])
        ax = plots.bias_histogram(frame)
        assert_readable(ax)
        assert len(ax.get_xticks()) >= 10 and 0 in ax.get_xticks()

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
        assert len(squares) == 11 and all(
            abs(square.get_x() - square.get_y()) < 1e-12 for square in squares)
        assert ax.get_xlabel() == "target ratio" and ax.get_ylabel() == "model ratio"
        assert legend_of(ax) == ["topic, moved at random within its cell", "no bias"]

    def test_each_group_has_its_own_colour(self):
        ratios = pd.DataFrame({"target": [0.1, 0.2, 0.9, 0.8], "model": [0.3, 0.2, 0.7, 0.8],
                               "group": ["female", "female", "male", "male"]})
        ax = rendered(plots.target_against_model(ratios))
        female, male = (points.get_offsets().data for points in ax.collections)
        together = plots.target_against_model(ratios.drop(columns="group")).collections[0]
        assert np.array_equal(np.concatenate([female, male]), together.get_offsets().data)
        assert len({tuple(points.get_facecolor()[0]) for points in ax.collections}) == 2
        assert legend_of(ax) == [*(f"{group}, moved at random within its cell"
                                   for group in ("female", "male")), "no bias"]

    @pytest.mark.first(2)
    @pytest.mark.parametrize("n, ticks", [(7, 8), (10, 6), (20, 5), (100, 6)])
    def test_names_of_the_grid(self, n, ticks):
        ax = plots.target_against_model(pd.DataFrame({"target": [0.0], "model": [1.0]}), n)
        assert_readable(ax)
        assert len(ax.get_xticks()) == len(ax.get_yticks()) == ticks
        assert set(np.round(ax.get_xticks() * n, 9)) <= set(range(n + 1))

    def test_same_seed_same_figure(self):
        ratios = pd.DataFrame({"target": [0.1, 0.2], "model": [0.3, 0.2]})
        one, two, other = (
            plots.target_against_model(ratios, seed=seed).collections[0].get_offsets()
            for seed in (0, 0, 1))
        assert np.array_equal(one, two) and not np.array_equal(one, other)


class TestTopicGroups:
    def test_points_and_intervals(self):
        rng = np.random.default_rng(0)
        perquery = pd.DataFrame({"name": np.repeat(["A", "B"], 12), "measure": "rKL@10",
                                 "qid": np.tile(np.arange(12).astype(str), 2),
                                 "value": rng.random(24)})
        domains = {str(i): "xyzzz"[i % 5] if i else "alone" for i in range(12)}
        found = analysis.topic_groups(perquery, domains)
        ax = rendered(plots.topic_groups(found))
        names = [label.get_text() for label in ax.get_yticklabels()]
        assert names == ["alone (n = 1)", "x (n = 2)", "y (n = 3)", "z (n = 6)"]
        assert legend_of(ax) == ["A", "B"] and ax.get_xlabel() == "rKL@10 (0 is fair)"
        for system, lines, points in zip("AB", ax.collections[::2], ax.collections[1::2],
                                         strict=True):
            own = found[found["name"] == system]
            assert points.get_offsets()[:, 0].tolist() == own["mean"].tolist()
            assert points.get_offsets()[:, 1].round().tolist() == [0, 1, 2, 3]
            ends = np.array([segment[:, 0] for segment in lines.get_segments()[-2:]])
            assert ends.tolist() == own[["low", "high"]].to_numpy()[2:].tolist()

def test_a_point_for_each_topic_and_the_mean_of_each_system():
    values = pd.DataFrame({"name": ["A"] * 3 + ["B"] * 3, "qid": ["1", "2", "3"] * 2,
                           "measure": "rKL@10", "value": [0.4, 0.6, np.nan, 0.0, 0.2, 0.1]})
    ax = plots.distribution(values)
    points, means = ax.collections
    offsets = points.get_offsets()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["B", "A"]
    assert offsets[:, 0].tolist() == [0.4, 0.6, 0.0, 0.2, 0.1]
    assert offsets[:, 1].round().tolist() == [1, 1, 0, 0, 0]
    assert [segment[0, 0].round(9) for segment in means.get_segments()] == [0.1, 0.5]
    assert legend_of(ax) == ["topic (moved up or down)", "mean", "ideal value"]
    again = plots.distribution(values).collections[0].get_offsets()
    assert again.tolist() == offsets.tolist()
    assert_readable(ax)
    ax = plots.distribution(values.assign(measure="AWRF@10"))  # the largest mean at the top
    assert [label.get_text() for label in ax.get_yticklabels()] == ["A", "B"]
    assert "ideal value" not in legend_of(ax)
