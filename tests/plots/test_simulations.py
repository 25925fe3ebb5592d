"""Figures of simulations, compared with the frames that they draw."""

from __future__ import annotations

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from figures import legend_of, rendered

from pt_fairness import plots, simulation


class TestBiasSweep:
    def test_lines_and_bands(self):
        sweep = simulation.sweep(alphas=[0.5, -0.5, 0], n=20)
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
        "measure, bottom", [("BiasDCG@5", -1.4), ("BiasP@5", -1.0), ("nDJS", 0.0)]
    )
    def test_bands_end_at_the_range_of_the_measure(self, measure, bottom):
        frame = pd.DataFrame(
            {"set": "S", "alpha": [-1.0, 1.0], "measure": measure, "mean": [-0.9, 0.9], "sd": 0.5}
        )
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

    def test_one_of_several_measures(self):
        sweep = simulation.sweep(alphas=[0], n=5)
        with pytest.raises(ValueError, match="4 measures, and one is needed"):
            plots.bias_sweep(sweep)
        with pytest.raises(ValueError, match="no values of 'nDXX'"):
            plots.bias_sweep(sweep, "nDXX")
        assert plots.bias_sweep(sweep[sweep["measure"] == "nDJS"]).get_title() == "nDJS (0 is fair)"
