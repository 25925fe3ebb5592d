"""Exposure and explanations, compared with sums by hand and with the frames that they draw."""

from __future__ import annotations

import math

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from figures import assert_readable, legend_of, rendered
from matplotlib.colors import to_hex

from pt_fairness import analysis, explain, plots

QRELS = pd.DataFrame(
    [
        ("1", "a", 1, "PRO"),
        ("1", "b", 0, "CON"),
        ("1", "c", 1, "CON"),
        ("1", "c", 1, "PRO"),
        ("2", "a", 1, "CON"),
        ("2", "d", 1, "CON"),
    ],
    columns=["qid", "docno", "label", "iteration"],
)
RUN = pd.DataFrame(
    [("1", "a", 4.0), ("1", "x", 3.0), ("1", "c", 2.0), ("1", "b", 1.0), ("2", "d", 2.0)],
    columns=["qid", "docno", "score"],
)


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
        assert band.max() == pytest.approx(0.5 + 1.96 * 0.5 / math.sqrt(2))

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

    @pytest.mark.parametrize(
        "change, target, error",
        [
            (lambda frame: pd.concat([frame, frame.assign(name="two")]), None, "has 2 systems"),
            (lambda frame: frame.assign(group=None), None, "no document of the frame has a group"),
            (lambda frame: frame, {"x": 1.0}, "a share for 'x', and no ranked document"),
        ],
    )
    def test_wrong_input(self, change, target, error):
        with pytest.raises(ValueError, match=error):
            plots.exposure(change(analysis.ranked_groups({"one": RUN}, QRELS)), target)


class TestExplain:
    def test_contributions(self):
        frame = explain("rND(protected='CON')@3", RUN, QRELS, "1")
        ax = rendered(plots.explain(frame))
        bars = {round(bar.get_x() + bar.get_width() / 2): (to_hex(bar.get_facecolor()),
                                                           bar.get_height())
                for bar in ax.patches}
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

    def test_wrong_input(self):
        frame = explain("AWRF@3", RUN, QRELS, "1")
        with pytest.raises(ValueError, match="neither a column 'contribution' nor 'value'"):
            plots.explain(frame.drop(columns="value"))
        with pytest.raises(ValueError, match="the explanation has no rows"):
            plots.explain(frame.head(0))
