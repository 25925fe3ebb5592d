"""Figures of experiments, with a colour-blind-safe palette.

The figures need matplotlib: ``pip install 'pt-fairness[plots]'``. Every function draws a frame into
``ax``, by default the axes of a new figure, and returns the Axes. A new figure grows to fit
its tick labels; in a given figure the font size is reduced. A legend below the axes needs a layout
engine, so a given figure without one gets matplotlib's constrained layout. In :func:`style`, a new
figure has a given width, such as that of one column of a page. The fonts of PDF files are
TrueType, because publishers refuse matplotlib's default, Type 3.
"""

try:
    from matplotlib.pyplot import rcParams
except ImportError as error:
    raise ImportError("the figures need matplotlib: pip install 'pt-fairness[plots]'") from error

from pt_fairness.plots.figures_of_averages import (
    correlations,
    differences,
    relevance_and_fairness,
    tradeoff,
)
from pt_fairness.plots.figures_of_rankings import bias_sweep, explain, exposure, lorenz, strips
from pt_fairness.plots.figures_of_topics import (
    bias_histogram,
    distribution,
    groups_per_topic,
    scatter,
    target_against_model,
    topic_groups,
)
from pt_fairness.plots.layout import PALETTE, style

rcParams["pdf.fonttype"] = rcParams["ps.fonttype"] = 42

__all__ = [
    "PALETTE", "bias_histogram", "bias_sweep", "correlations", "differences", "distribution",
    "explain", "exposure", "groups_per_topic", "lorenz", "relevance_and_fairness", "scatter",
    "strips", "style", "target_against_model", "topic_groups", "tradeoff",
]

__dir__ = __all__.copy
