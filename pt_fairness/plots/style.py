"""Colours, hatches, markers and line styles of series, and text of labels."""

from __future__ import annotations

import textwrap
from typing import Any

import pandas as pd

from pt_fairness.analysis.columns import measure_of
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.catalog import fair_end_in_words, fair_end_of

#: The colour-blind-safe palette of Okabe & Ito (2008), with yellow and black last because they
#: stand out.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#000000")
HATCHES = ("", "///", "...", "xxx", "|||", "ooo", "+++", "---")
MARKERS = "osD^vPX*"
LINES = ("-", "--", ":", "-.")
#: The colour of bars and lines in the background.
PALE = "#BBBBBB"
#: The style of a document without a group.
NO_GROUP: dict[str, Any] = {"facecolor": "white", "edgecolor": PALE}
#: The maximum length of a line of an axis label, in characters.
LONG = 50
#: The maximum length of a line of a title.
TITLE = 60


def face(i: int) -> dict[str, Any]:
    """Return the style of the bars of group ``i``: plain colours first, then hatched ones."""
    return {"facecolor": PALETTE[i % len(PALETTE)], "edgecolor": "white",
            "hatch": HATCHES[i // len(PALETTE) % len(HATCHES)]}


def points(i: int) -> dict[str, Any]:
    """Return the colour and the marker of series ``i``.

    The marker of a colour changes each time the palette repeats.
    """
    return {"color": PALETTE[i % len(PALETTE)],
            "marker": MARKERS[(i + i // len(PALETTE)) % len(MARKERS)]}


def line(i: int) -> dict[str, Any]:
    """Return the colour, the marker and the line style of series ``i``."""
    return {**points(i), "linestyle": LINES[i // len(PALETTE) % len(LINES)]}


def text(name: Any, width: int | None = None) -> str:
    """Wrap a name, and escape dollar signs, which start mathtext in matplotlib.

    :param width: the maximum length of a line, ``None`` for one line
    """
    lines = [str(name)] if width is None else textwrap.wrap(str(name), width)
    return "\n".join(lines).replace("$", r"\$")


def fair_end(measure: FairnessMeasure) -> float | None:
    """Return the fair end of a measure, or ``None`` if it is the largest value and has no bound."""
    return None if fair_end_of(measure) == "more" else float(measure.FAIR_END)


def with_fair_end(column: str, table: pd.DataFrame | None = None) -> str:
    """Return the name of a column with the fair end of its measure.

    :param table: the table of the column, which knows what renamed columns stand for
    """
    known = measure_of(column, table)
    if known is None:
        return column
    return f"{column} ({fair_end_in_words(known)})"

