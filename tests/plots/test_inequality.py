"""Lorenz curves, compared with the frame that is drawn."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from figures import legend_of, rendered

from pt_fairness import analysis, plots

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


def test_wrong_input():
    frame = pd.DataFrame({"name": "A", "docno": ["x", "y"], "exposure": [3.0, 1.0]})
    for given, error in [((frame, 1), "population=1 is not possible: 'A' has 2 rows"),
                         ((frame.assign(exposure=0),), "no run has any exposure"),
                         ((frame.drop(columns="exposure"),), "exposure"),
                         ((frame.iloc[:0],), "the table of exposures")]:
        with pytest.raises(ValueError, match=error):
            plots.lorenz(*given)
