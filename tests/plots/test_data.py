"""What each figure draws is what its frame holds."""

import math

import numpy as np
import pandas as pd
import pytest
from figures import legend_of, rows_of
from matplotlib.colors import to_hex
from scipy import stats

from pt_fairness import FairnessWarning, analysis, explain, plots
from pt_fairness.analysis.inputs import REFERENCES

AVERAGES = pd.DataFrame({"name": ["A", "B", "C", "D"], "nDCG@5": [0.5, 0.9, 0.4, 0.9],
                         "rKL@5": [0.1, 0.4, 0.2, 0.5], "DistFair@5": [0.9, 0.6, 0.7, 0.95],
                         "BiasP@5": [-0.3, 0.1, 0.2, -0.05]})
QRELS = pd.DataFrame([("1", "a", 1, "PRO"), ("1", "b", 0, "CON"), ("1", "c", 1, "CON"),
                      ("1", "c", 1, "PRO"), ("2", "a", 1, "CON"), ("2", "d", 1, "CON")],
                     columns=["qid", "docno", "label", "iteration"])
RUN = pd.DataFrame([("1", "a", 4.0), ("1", "x", 3.0), ("1", "c", 2.0), ("1", "b", 1.0),
                    ("2", "d", 2.0)], columns=["qid", "docno", "score"])
RUNS = {"one": RUN, "two": pd.DataFrame({"qid": "1", "docno": ["a", "b"], "score": [1.0, 2.0]})}
CON, PRO = (colour.lower() for colour in plots.PALETTE[:2])


def labelled(ax) -> dict[str, list]:
    """Return what is drawn in the axes, by label."""
    found: dict[str, list] = {}
    for handle, text in zip(*ax.get_legend_handles_labels(), strict=True):
        found.setdefault(text, []).append(handle)
    return found


def places(ax, text) -> list[tuple]:
    """Return the points with a label."""
    (handle,) = labelled(ax)[text]
    points = handle.get_offsets() if hasattr(handle, "get_offsets") else handle.get_xydata()
    return [tuple(point) for point in np.asarray(points).tolist()]


@pytest.fixture(scope="module")
def perquery() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    shift = {"base": 0.0, "worse": 0.4, "same": 0.01, "better": -0.3}
    return pd.DataFrame([(name, str(q), measure, 0.5 + more + rng.normal(0, 0.05))
                         for name, more in shift.items() for q in range(20)
                         for measure in ("rKL@10", "AWRF@10", "BiasP@10")],
                        columns=["name", "qid", "measure", "value"])


class TestTradeoff:
    @pytest.mark.parametrize("x, y", [
        ("nDCG@5", "rKL@5"), ("rKL@5", "DistFair@5"), ("DistFair@5", "BiasP@5")])
    def test_pareto_front(self, x, y):
        best = {"nDCG@5": 1.0, "rKL@5": 0.0, "DistFair@5": 1.0, "BiasP@5": 0.0}
        points = list(zip(AVERAGES[x], AVERAGES[y], strict=True))

        def far(point):
            return abs(point[0] - best[x]), abs(point[1] - best[y])

        expected = {one for one in points
                    if not any(far(two)[0] <= far(one)[0] and far(two)[1] <= far(one)[1]
                               and far(two) != far(one) for two in points)}
        ax = plots.tradeoff(AVERAGES, x, y)
        assert {*places(ax, "Pareto front")} == expected
        assert {*places(ax, "other systems")} == {*points} - expected
        assert sorted(text.get_text() for text in ax.texts) == list("ABCD")
        # The better ends are at the top and on the right.
        assert (ax.xaxis_inverted(), ax.yaxis_inverted()) == (x == "rKL@5", y == "rKL@5")

    def test_ideal_value(self):
        ax = plots.tradeoff(AVERAGES, "nDCG@5", "rKL@5")
        (line,) = labelled(ax)["ideal value"]
        assert {*line.get_ydata()} == {0} and ax.get_ylim()[1] < 0
        far = AVERAGES.assign(**{"AWRF@5": [0.1, 0.2, 0.15, 0.3]})
        assert "ideal value" not in labelled(plots.tradeoff(far, "nDCG@5", "AWRF@5"))

    def test_references_and_baseline(self):
        near, far = [*REFERENCES.values()][:2]
        frame = pd.DataFrame({"name": ["A", "B", near, far], "nDCG@5": [0.5, 0.9, 0.6, 0.6],
                              "rKL@5": [0.40, 0.41, 0.405, 0.95]})
        ax = plots.tradeoff(frame, "nDCG@5", "rKL@5", baseline="B")
        across, up = labelled(ax)[near]
        assert {*across.get_xdata()} == {0.6} and {*up.get_ydata()} == {0.405}
        assert f"{far} (y = 0.950)" in legend_of(ax)
        assert min(ax.get_ylim()) > 0.35 and max(ax.get_ylim()) < 0.45
        assert places(ax, "baseline") == [(0.9, 0.41)]
        assert {*places(ax, "Pareto front")} == {(0.5, 0.4), (0.9, 0.41)}

    def test_front_of_the_judgments(self):
        qrels = pd.DataFrame({"qid": "1", "docno": list("abcd"), "label": [2, 2, 1, 1],
                              "iteration": ["PRO", "PRO", "PRO", "CON"]})
        averages = pd.DataFrame({"name": ["A", "B"], "nDCG@2": [0.5, 0.9], "rKL@2": [0.7, 0.8]})
        front = analysis.frontier(qrels, "nDCG@2", "rKL@2")
        for columns in (["nDCG@2", "rKL@2"], ["rKL@2", "nDCG@2"]):
            ax = plots.tradeoff(averages, *columns, front=front)
            vertices = {tuple(row) for row in front.front[columns].to_numpy().tolist()}
            assert vertices <= {*places(ax, "front of the judgments")}
            ((region,),) = (part.get_paths() for part in ax.collections if part.get_hatch())
            corner = np.array([ax.get_xlim(), ax.get_ylim()])[:, 1]
            assert region.contains_point(0.99 * corner + 0.01 * averages[columns].mean().to_numpy())
            assert not any(map(region.contains_point, averages[columns].to_numpy()))

    def test_missing_values_and_unknown_ends(self):
        missing = AVERAGES.assign(**{"rKL@5": [0.1, np.nan, 0.2, 0.3]})
        with pytest.warns(FairnessWarning, match="'B'"):
            ax = plots.tradeoff(missing, "nDCG@5", "rKL@5")
        assert sorted(text.get_text() for text in ax.texts) == ["A", "C", "D"]
        ax = plots.tradeoff(AVERAGES.rename(columns={"rKL@5": "mine"}), "nDCG@5", "mine")
        assert "Pareto front" not in labelled(ax)


class TestDifferences:
    def test_points_and_intervals(self, perquery):
        compared = analysis.compare(perquery, "base", resamples=99)
        rows = compared[compared["measure"] == "rKL@10"].set_index("name")
        apart = rows.index == "same"  # an interval without 0, and not significant
        rows.loc[apart, ["low", "high", "reject"]] = [0.01, 0.2, False]
        ax = plots.differences(rows.reset_index())
        names = rows_of(ax)
        assert names == ["better", "same", "worse"] and ax.yaxis_inverted()
        (lines,) = labelled(ax)["interval (not corrected)"]
        ends = [segment[:, 0].tolist() for segment in lines.get_segments()]
        assert ends == rows.loc[names, ["low", "high"]].to_numpy().tolist()
        assert places(ax, "interval without 0, but not significant") == [
            (rows["difference"]["same"], 1)]
        assert places(ax, "significant (p < 0.05)") == [
            (rows["difference"]["better"], 0), (rows["difference"]["worse"], 2)]

    @pytest.mark.parametrize("measure, side, limits",
                             [("rKL@10", "worse", [0.1]), ("AWRF@10", "worse", [-0.1]),
                              ("BiasP@10", "both", [-0.1, 0.1])])
    def test_verdicts(self, perquery, measure, side, limits):
        compared = analysis.compare(perquery, "base", resamples=9, tolerance={measure: 0.1},
                                    side=side)
        ax = plots.differences(compared, measure)
        drawn = [line.get_xdata()[0] for line in labelled(ax)["tolerance"]]
        assert sorted(drawn) == limits
        rows = compared[compared["measure"] == measure].set_index("name").loc[rows_of(ax)]
        (lines,) = labelled(ax)["interval of the verdict (90 %)"]
        ends = [segment[:, 0].tolist() for segment in lines.get_segments()]
        assert ends == rows[["tolerance low", "tolerance high"]].to_numpy().tolist()
        for verdict, part in rows.groupby("verdict"):
            assert [x for x, _ in places(ax, verdict)] == part["difference"].tolist()

    def test_all_pairs_and_the_better_side(self, perquery):
        compared = analysis.compare(perquery, None, resamples=9)
        for measure, left, first in (("rKL@10", "better", "better − worse"),
                                     ("AWRF@10", "worse", "worse − base"),
                                     ("BiasP@10", "smaller", "better − worse")):
            ax = plots.differences(compared, measure)
            assert ax.get_xlabel().split()[1] == left
            assert len(rows_of(ax)) == 6 and rows_of(ax)[0] == first


def test_distribution():
    values = pd.DataFrame({"name": ["A"] * 3 + ["B"] * 3, "qid": ["1", "2", "3"] * 2,
                           "measure": "rKL@10", "value": [0.4, 0.6, np.nan, 0.0, 0.2, 0.1]})
    ax = plots.distribution(values)
    topics = np.array(places(ax, "topic (moved up or down)"))
    assert topics[:, 0].tolist() == [0.4, 0.6, 0.0, 0.2, 0.1]
    assert topics[:, 1].round().tolist() == [1, 1, 0, 0, 0]
    (means,) = labelled(ax)["mean"]
    assert [segment[0, 0].round(9) for segment in means.get_segments()] == [0.1, 0.5]
    assert rows_of(ax) == ["B", "A"] and "ideal value" in labelled(ax)
    ax = plots.distribution(values.assign(measure="AWRF@10"))  # the largest mean at the top
    assert rows_of(ax) == ["A", "B"] and "ideal value" not in labelled(ax)


def test_topic_groups():
    perquery = pd.DataFrame({"name": [*"AAAAAABBBBBB"], "measure": "rKL@10", "qid": [*"123456"] * 2,
                             "value": np.random.default_rng(0).random(12)})
    intervals = analysis.intervals(perquery, "t", by=dict(zip("123456", "xyyyzz", strict=True)))
    ax = plots.topic_groups(intervals)
    assert rows_of(ax) == ["x (n = 1)", "y (n = 3)", "z (n = 2)"]
    for name, lines in zip("AB", ax.collections[::2], strict=True):
        rows = intervals[intervals["name"] == name].reset_index()
        points = np.array(places(ax, name))
        assert points[:, 0].tolist() == rows["mean"].tolist()
        assert points[:, 1].round().tolist() == [0, 1, 2]
        (ends,) = [segment[:, 0].tolist() for segment in lines.get_segments() if len(segment)]
        assert ends == rows.loc[1, ["low", "high"]].tolist()


def test_correlations():
    averages = pd.DataFrame({"name": list("ABCDEF"), "nDCG@5": [0.9, 0.5, 0.7, 0.1, 0.3, 0.2],
                             "rKL@5": [0.1, 0.3, 0.2, 0.9, 0.4, 0.8],
                             "BiasP@5": [-0.3, 0.1, 0.2, -0.05, 0.3, 0.0]})
    result = analysis.correlations(averages)
    ax = plots.correlations(result)
    expected = result.coefficients.to_numpy()
    values = ax.images[0].get_array()
    assert values[0, 0] == expected[1, 0] and values[1].tolist() == expected[2, :2].tolist()
    assert values.mask.tolist() == [[False, True], [False, False]]
    texts = {tuple(map(int, text.get_position())): text.get_text() for text in ax.texts}
    assert texts == {(j, i - 1): f"{expected[i, j]:.2f}" + "*" * bool(
        result.p_values.to_numpy()[i, j] < 0.05) for i, j in ((1, 0), (2, 0), (2, 1))}
    assert rows_of(ax) == ["rKL@5 ↓", "BiasP@5 →0"]


class TestStrips:
    def test_blocks(self):
        ax = plots.strips(analysis.ranked_groups(RUNS, QRELS), "1")
        blocks = {}
        for patch in ax.patches:
            rank, row = patch.get_x() + 0.5, patch.get_y() + patch.get_height() / 2
            blocks[round(rank), round(row, 3)] = to_hex(patch.get_facecolor())
        assert blocks == {(1, 0): PRO, (2, 0): "#ffffff", (3, -0.2): CON, (3, 0.2): PRO,
                          (4, 0): CON, (1, 1): CON, (2, 1): PRO}
        assert {*places(ax, "relevant")} == {(1, 0), (3, 0), (2, 1)}
        assert rows_of(ax) == ["one", "two"] and ax.yaxis_inverted()
        assert legend_of(ax) == ["relevant", "CON", "PRO", "no group"]

    @pytest.mark.parametrize("measure, names, values", [
        ("rKL@5", ["two", "one", "three"], ["0.250", "0.500", "–"]),
        ("AWRF@5", ["one", "two", "three"], ["0.750", "0.125", "–"])])
    def test_sorted_by_a_measure(self, measure, names, values):
        ranked = analysis.ranked_groups({**RUNS, "three": RUN}, QRELS)
        perquery = pd.DataFrame([("one", 1, "rKL@5", 0.5), ("two", 1, "rKL@5", 0.25),
                                 ("one", 1, "AWRF@5", 0.75), ("two", 1, "AWRF@5", 0.125)],
                                columns=["name", "qid", "measure", "value"])
        ax = plots.strips(ranked, 1, None, perquery, measure)
        (right,) = ax.child_axes
        assert rows_of(ax) == names and rows_of(right) == values
        row = names.index("two")
        assert sum(round(patch.get_y() + 0.4) == row for patch in ax.patches) == 2

    @pytest.mark.parametrize("measure, depth", [
        ("rKL@2", 3), ("rKL@9", 4), ("rKL", 4), ("nDCG@2", 2), ("mine", 4),
        ("AWRF(unannotated='keep')@2", 2)])
    def test_down_to_the_last_document_that_counts(self, measure, depth):
        perquery = pd.DataFrame({"name": ["one", "two"], "qid": "1", "measure": measure,
                                 "value": 0.5})
        ax = plots.strips(analysis.ranked_groups(RUNS, QRELS), "1", None, perquery)
        assert ax.get_xlim()[1] == depth + 0.6


class TestExposure:
    RANKED = analysis.ranked_groups({"one": RUN}, QRELS)

    def test_shares(self):
        ax = plots.exposure(self.RANKED, {"PRO": 0.3})
        second, third = 1 / math.log2(4), 1 / math.log2(5)
        pro = [1, 1, (1 + second / 2) / (1 + second), (1 + second / 2) / (1 + second + third)]
        assert [y for _, y in places(ax, "PRO")] == pytest.approx([share / 2 for share in pro])
        # The line of CON would be one less that of PRO.
        assert legend_of(ax) == ["PRO", "target"] and ax.lines[1].get_ydata() == [0.3, 0.3]
        assert not ax.collections[0].get_paths(), "two topics have no interval"

    def test_intervals(self):
        """By Student's t, within the range of shares."""
        copies = [self.RANKED.assign(qid=self.RANKED["qid"] + text) for text in ("", "x", "y")]
        ax = plots.exposure(pd.concat(copies), {"PRO": 0.3})
        band = ax.collections[0].get_paths()[0].vertices[:, 1]
        half = stats.t.ppf(0.975, 5) * np.std([0, 1] * 3, ddof=1) / math.sqrt(6)
        assert band.max() == pytest.approx(min(1, 0.5 + half)) and band.min() >= 0


class TestExplain:
    def test_contributions(self):
        explanation = explain("rND(protected='CON')@3", RUN, QRELS, "1")
        ax = plots.explain(explanation)
        frame = explanation.frame
        bars = {round(bar.get_x() + bar.get_width() / 2): (to_hex(bar.get_facecolor()),
                                                           bar.get_height()) for bar in ax.patches}
        height = frame["contribution"].tolist()
        assert bars == {1: (PRO, height[0]), 2: ("#ffffff", 0), 3: ("#777777", height[2]),
                        4: (CON, height[3])}
        assert places(ax, "does not count") == [(2, 0)]
        lower = ax.figure.axes[-1]
        # The documents at ranks 1, 3 and 4 are the first, second and third that count.
        ticks = [tick.get_text() for tick in lower.get_xticklabels()]
        assert dict(zip(lower.get_xticks(), ticks, strict=True)) == {1: "1", 3: "2", 4: "3"}
        shares, target, _ = (line.get_ydata().tolist() for line in lower.lines)
        assert shares == frame["protected share"].tolist()
        assert target == frame["protected target"].tolist()

    def test_value_so_far(self):
        explanation = explain("AWRF@3", RUN, QRELS, "1")
        ax = plots.explain(explanation)
        frame = explanation.frame
        assert ax.lines[0].get_ydata().tolist() == frame["value"].tolist() and not ax.patches
        lines = {(line.get_linestyle(), to_hex(line.get_color())): list(line.get_ydata())
                 for line in ax.figure.axes[-1].lines}
        for group, colour in (("CON", CON), ("PRO", PRO)):
            assert lines["-", colour] == frame[f"share of {group}"].tolist()
            assert lines["--", colour] == [0.5] * 4

    def test_without_groups(self):
        explanation = explain("nDCG@3", RUN, QRELS.drop(columns="iteration"), "1")
        ax = plots.explain(explanation)
        assert ax.figure.axes == [ax]
        heights = [bar.get_height() for bar in ax.patches]
        assert heights == explanation.frame["contribution"].tolist()


@pytest.mark.parametrize("given", [{}, {"population": 10}])
def test_the_gini_coefficient_is_twice_the_area_of_a_lorenz_curve(given):
    one = pd.DataFrame({"qid": [*"1122"], "docno": [*"abac"], "score": [2, 1, 2, 1]})
    runs = {"one": one, "two": one.assign(score=[2, 1, 1, 2])}
    ax = plots.lorenz(analysis.document_exposure(runs, **given), **given)
    for name, value in zip(runs, analysis.inequality(runs, **given)["gini"], strict=True):
        x, y = np.transpose(places(ax, name))
        assert len(x) == given.get("population", 3) + 1
        assert 1 - 2 * np.trapezoid(y, x) == pytest.approx(value)


def test_groups_per_topic():
    qrels = pd.DataFrame({"qid": [*"122233"], "docno": [*"abcdef"], "label": 1,
                          "iteration": ["PRO", "PRO", "CON", "CON", "CON", "PRO"]})
    ax = plots.groups_per_topic(analysis.group_distribution(qrels))
    names = [label.get_text() for label in ax.get_xticklabels()]
    assert names == ["2", "3", "1"]  # the largest topic first
    assert [[bar.get_height() for bar in bars] for bars in ax.containers] == [[2, 1, 0], [1, 1, 1]]
    assert [[bar.get_y() for bar in bars] for bars in ax.containers] == [[0, 0, 0], [2, 1, 0]]


RANKED = analysis.ranked_groups({"one": RUN}, QRELS)
VALUES = pd.DataFrame({"name": "A", "qid": ["1", "2"], "measure": ["rKL@5", "AWRF@5"],
                       "value": [0.1, 0.2]})


@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
@pytest.mark.parametrize("draw, word", [
    (lambda: plots.tradeoff(AVERAGES, "nDCG@5", "rND@5"), "rND@5"),
    (lambda: plots.tradeoff(AVERAGES, "nDCG@5", "rKL@5", baseline="Z"), "'Z'"),
    (lambda: plots.tradeoff(AVERAGES.assign(**{"rKL@5": np.nan}), "nDCG@5", "rKL@5"), "rKL@5"),
    (lambda: plots.differences(analysis.compare(VALUES, "A"), "rKL@5"), "comparison"),
    (lambda: plots.distribution(VALUES.assign(value=np.nan), "rKL@5"), "values of rKL@5"),
    (lambda: plots.topic_groups(analysis.intervals(VALUES, "t"), "rKL@5"), "'group'"),
    (lambda: plots.correlations(analysis.correlations(AVERAGES[["name", "rKL@5"]])),
     "correlations"),
    (lambda: plots.strips(RANKED, "9"), "'9'"),
    (lambda: plots.shares(SHARES.assign(relevant=np.nan)), "known shares"),
    (lambda: plots.exposure(pd.concat([RANKED, RANKED.assign(name="two")])), "one system"),
    (lambda: plots.exposure(RANKED.assign(group=None)), "with a group"),
    (lambda: plots.exposure(RANKED, discount="log10"), "'log10'"),
    (lambda: plots.exposure(RANKED, {"z": 1.0}), "'z'")])
def test_errors(draw, word):
    with pytest.raises(ValueError, match=word):
        draw()


SHARES = pd.DataFrame({"name": ["A", "A", "B", "B"], "group": ["C", "P"] * 2,
                       "attention": [0.25, 0.75, 0.5, 0.5], "relevant": [0.375, 0.625] * 2})


def test_shares():
    ax = plots.shares(SHARES)
    bars = [[(bar.get_x(), bar.get_width()) for bar in part] for part in ax.containers]
    assert bars == [[(0, 0.375), (0, 0.25), (0, 0.5)], [(0.375, 0.625), (0.25, 0.75), (0.5, 0.5)]]
    assert legend_of(ax) == ["C", "P"] and rows_of(ax) == ["relevant documents", "A", "B"]
    assert [line.get_xdata()[0] for line in ax.lines] == [0.375]
    unknown = plots.shares(SHARES.assign(attention=[0.25, 0.75, np.nan, np.nan]))
    assert [bar.get_width() for bar in unknown.containers[0]] == [0.375, 0.25, 0]
