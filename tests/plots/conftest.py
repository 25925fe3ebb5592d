"""Figures are drawn without a display, and closed after each test."""

from collections.abc import Iterator

import matplotlib
import matplotlib.pyplot as plt
import pytest


@pytest.fixture(autouse=True)
def close_figures() -> Iterator[None]:
    matplotlib.use("Agg")
    yield
    plt.close("all")
