"""Figures of experiments, with a colour-blind-safe palette.

The figures need matplotlib and textalloc: ``pip install 'pt-fairness[plots]'``. Every function
draws a frame into ``ax``, by default the axes of a new figure, and returns the Axes. matplotlib's
constrained layout places names and legend; a figure without a layout engine gets it. The legend is
below the figure, and figures with several axes share it. In :func:`style`, new figures have a given
width, such as one column of a page, and the fonts that publishers need.
"""

try:
    import matplotlib.pyplot  # noqa: F401
    import textalloc  # noqa: F401
except ImportError as error:
    raise ImportError("figures need matplotlib and textalloc: pip install 'pt-fairness[plots]'") \
        from error

from pt_fairness.plots.appearance import PALETTE, style
from pt_fairness.plots.rankings import explain, exposure, groups_per_topic, lorenz, shares, strips
from pt_fairness.plots.systems import (
    correlations,
    differences,
    distribution,
    topic_groups,
    tradeoff,
)

__all__ = [
    "PALETTE", "correlations", "differences", "distribution", "explain", "exposure",
    "groups_per_topic", "lorenz", "shares", "strips", "style", "topic_groups", "tradeoff",
]

__dir__ = __all__.copy
