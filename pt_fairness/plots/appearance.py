"""What the figures share: colours, markers, sizes, names and legends."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from math import ceil, nan
from typing import Any

import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes

from pt_fairness.analysis.inputs import direction, distance, fairness_measure
from pt_fairness.core.arrays import TIE_DECIMALS
from pt_fairness.core.messages import one_of
from pt_fairness.measures.descriptions import LARGER, ideal_in_words

#: The colour-blind-safe palette of Okabe & Ito (2008), with yellow and black last because they
#: stand out.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")
BLUE, ORANGE, GREEN, PURPLE, SKY = PALETTE[:5]
HATCHES = ("", "///", "...", "xxx")
#: One more than colours, so that their pairs repeat late.
MARKERS = "osD^vPX*<"
LINES = ("-", "--", ":", "-.")
#: The colour of lines in the background.
PALE = "#BBBBBB"
#: The styles of ideal values and of targets.
IDEAL: dict[str, Any] = {"color": GREEN, "linestyle": "--", "zorder": 0}
TARGET: dict[str, Any] = {"linestyle": "--", "linewidth": 1}

#: The height of a figure relative to the width that :func:`style` sets.
HEIGHT = 0.75
#: The width in inches and the font size in points of one column of a page with two.
PAPER_WIDTH, PAPER_SIZE = 3.3, 8.0
#: The settings of all styles: fonts that publishers accept, a small title and a compact legend.
PUBLISHED: dict[str, Any] = {
    "pdf.fonttype": 42, "ps.fonttype": 42, "axes.titlesize": "medium",
    "legend.columnspacing": 1.0}


@contextmanager
def style(name: str | None = None, *, width: float | None = None,
          font_size: float | None = None) -> Iterator[None]:
    """Set the fonts and the size of the new figures in a ``with`` block.

    The fonts of PDF files are TrueType, because publishers refuse matplotlib's default, Type 3. A
    figure grows in height only. Save it in the block, without ``bbox_inches="tight"``, which
    changes the width.

    :param name: ``'paper'``: one column of a page with two, 3.3 in and 8 pt
    :param width: the width in inches
    :param font_size: the size of labels, names and titles in points
    :raises ValueError: if the style is unknown

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import plots
    >>> averages = pd.DataFrame({"name": ["A", "B"], "nDCG@5": [0.5, 0.9], "rKL@5": [0.1, 0.4]})
    >>> with plots.style("paper"):
    ...     ax = plots.tradeoff(averages, "nDCG@5", "rKL@5")
    >>> float(ax.figure.get_figwidth()), ax.xaxis.label.get_fontsize()
    (3.3, 8.0)
    """
    one_of("name", name, [None, "paper"])
    if name == "paper":
        width = width or PAPER_WIDTH
        font_size = font_size or PAPER_SIZE
    settings: Any = dict(PUBLISHED)
    if width is not None:
        settings["figure.figsize"] = width, HEIGHT * width
    if font_size is not None:
        settings["font.size"] = font_size
    with plt.rc_context(settings):
        yield


def bar_style(i: int) -> dict[str, Any]:
    """Return the style of the bars of group ``i``: plain colours first, then hatched ones."""
    turn, colour = divmod(i, len(PALETTE))
    hatch = HATCHES[turn % len(HATCHES)]
    return {"facecolor": PALETTE[colour], "edgecolor": "white", "hatch": hatch}


def point_style(i: int) -> dict[str, Any]:
    """Return the colour and the marker of series ``i``."""
    colour = PALETTE[i % len(PALETTE)]
    marker = MARKERS[i % len(MARKERS)]
    return {"color": colour, "marker": marker}


def line_style(i: int) -> dict[str, Any]:
    """Return the colour, the marker and the line style of series ``i``."""
    turn = i // len(PALETTE)
    return {**point_style(i), "linestyle": LINES[turn % len(LINES)]}


def ideal(column: str) -> float:
    """Return the ideal value of a column; NaN if it is unknown."""
    return float(getattr(fairness_measure(column), "IDEAL", nan))


def described(column: str, shown: str | None = None) -> str:
    """Return the name of a column, or how it is shown, with the ideal value of its measure."""
    measure = fairness_measure(column)
    if measure is None:
        return shown or column
    return f"{shown or column} ({ideal_in_words(measure)})"


def best_first(values: pd.Series, measure: str) -> pd.Series:
    """Return values from the best to the worst. If the better end is unknown, larger is better."""
    end = direction(measure) or LARGER
    far = distance(values, end).round(TIE_DECIMALS)
    nearest_first = far.sort_values(kind="stable")
    return values[nearest_first.index]


#: The mark of the figures that the functions open; they grow to fit names and the legend.
OWN = "pt-fairness"
#: The number of letters that fit a length of one font size.
DENSITY = 1.3
#: The largest share of the width of the axes that names beside them have.
NAMES = 0.65
#: The distance of rows and of lines of a name, relative to the font size, and the distance of
#: upright names, in letters.
ROW, LINE, PITCH = 1.5, 1.25, 1.45
#: The largest number of columns of a legend.
COLUMNS = 6


def open_axes(ax: Axes | None, **texts: str) -> Axes:
    """Return ``ax``, or the axes of a new figure, with texts in as many lines as needed.

    A figure without a layout engine gets matplotlib's constrained layout.

    :param texts: the ``xlabel``, ``ylabel`` and ``title``
    """
    if ax is None:
        figure, ax = plt.subplots()
        figure.set_gid(OWN)
    figure = ax.figure.figure
    if figure.get_layout_engine() is None:
        figure.set_layout_engine("constrained")
    most = letters(ax)
    for kind, text in texts.items():
        words = [wrapped(word, most) for word in text.split(" ")]
        lines = " ".join(words)
        getattr(ax, f"set_{kind}")(lines, wrap=True)
    return ax


def grow(ax: Axes, height: float) -> None:
    """Increase the height of a figure that this package opened.

    :param height: in points
    """
    figure = ax.figure.figure
    if figure.get_gid() == OWN and height > 0:
        figure.set_figheight(figure.get_figheight() + height / 72)


def points(artist: Any) -> tuple[float, float]:
    """Return the width and the height of axes, a legend or a figure in points."""
    pixels = artist.get_window_extent().size
    inches = pixels / artist.figure.figure.dpi
    width, height = 72 * inches
    return width, height


def letters(artist: Any) -> float:
    """Return the number of letters that fit the width of axes or of a figure."""
    width, _ = points(artist)
    return DENSITY * width / plt.rcParams["font.size"]


def wrapped(text: Any, most: float) -> str:
    """Break a text into lines of at most ``most`` letters, behind words and commas.

    Dollar signs are escaped, because they start formulas in matplotlib.
    """
    text = str(text)
    if len(text) > most:
        text = re.sub(r",(?=\S)", ", ", text)
    return textwrap.fill(text, round(most)).replace("$", r"\$")


def name_rows(ax: Axes, names: Iterable[Any]) -> None:
    """Name the rows 0, 1, … of axes, from the top to the bottom, as small as they must be."""
    most = NAMES * letters(ax)
    texts = [wrapped(name, most) for name in names]
    breaks = max(text.count("\n") for text in texts)
    size = plt.rcParams["font.size"]
    row = size * (ROW + LINE * breaks)
    needed = row * len(texts)
    _, height = points(ax)
    grow(ax, needed - height)
    _, height = points(ax)
    size *= min(1, height / needed)
    ax.set_yticks(range(len(texts)), texts, fontsize=size)
    ax.set_ylim(len(texts) - 0.5, -0.5)


def name_columns(ax: Axes, names: Iterable[Any]) -> None:
    """Name the columns 0, 1, … of axes, not all if they are many; long names are upright."""
    most = letters(ax)
    texts = [wrapped(name, most) for name in names]
    size = plt.rcParams["font.size"]
    step = ceil(len(texts) * PITCH / most)
    named = texts[::step]
    ax.set_xticks(range(0, len(texts), step), named)
    longest = max(map(len, named))
    if (1 + longest) * len(named) > most:
        ax.tick_params(axis="x", rotation=90)
        grow(ax, longest * size / 2)


def add_legend(ax: Axes) -> Axes:
    """Add the legend of all axes below the figure, in as many columns as fit; return ``ax``."""
    figure = ax.figure
    handles: dict[str, Any] = {}
    for part in figure.axes:
        for handle, text in zip(*part.get_legend_handles_labels(), strict=True):
            handles.setdefault(wrapped(text, letters(figure)), handle)
    most, _ = points(figure)
    for columns in range(COLUMNS, 0, -1):
        legend = figure.legend(handles.values(), handles, ncols=columns, frameon=False,
                               loc="outside lower center")
        figure.legends = [legend]
        width, height = points(legend)
        if width <= most:
            break
    grow(ax, height)
    return ax
