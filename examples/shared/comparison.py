"""What the scripts that repeat a paper share: published values beside ours, and figures in a
folder.

Figures need ``pip install 'pt-fairness[plots]'``.
"""

from __future__ import annotations

import argparse
import sys
import textwrap
import warnings
from collections.abc import Sequence
from pathlib import Path

try:
    import matplotlib
except ImportError as error:
    sys.exit(f"{error}: pip install 'pt-fairness[plots]', or '.[plots]' in a clone")

matplotlib.use("Agg")  # figures go to files

import pandas as pd
import pyterrier as pt
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from pt_fairness import analysis
from shared import inputs

#: What a row says whose values agree, and one that nobody has explained.
SAME, UNEXPLAINED = "same", "DIFFERS, UNEXPLAINED"
#: What a row says whose values could not have differed.
FORCED = "forced: min–max makes the smallest value 0 and the largest 1, whatever they are"
#: A published value: a number, a smallest and a largest one, or text for what cannot be compared by
#: a difference.
Published = float | tuple[float, float]
#: The heading of values of an invented sample, without published values beside them.
INVENTED = "An invented sample, to show the form"
#: What was measured, the published value, ours, and the reason for a difference, if one is known.
Row = tuple[str, Published, Published, str]


def beside(
    rows: Sequence[Row], tolerance: float, decimals: int = 4, normalised: bool = False
) -> pd.DataFrame:
    """Prints and returns published values beside ours; values farther apart than ``tolerance``
    carry their reason.

    :param normalised: whether the values come from min–max, so that a 0 or 1 in both says nothing
    :returns: ``what, published, ours, difference, remark``; of intervals, the difference is the
        larger one of their ends'
    """
    def ends(value: Published) -> tuple[float, float]:
        return value if isinstance(value, tuple) else (value, value)

    def text(value: Published) -> str:
        return " to ".join(f"{end:.{decimals}f}" for end in dict.fromkeys(ends(value)))

    table = []
    for what, published, ours, reason in rows:
        difference = max((o - p for o, p in zip(ends(ours), ends(published), strict=True)), key=abs)
        # Not "greater than": a value that is missing is not the same either.
        same = abs(difference) <= tolerance + 1e-9
        forced = normalised and same and ours in (0.0, 1.0)
        remark = FORCED if forced else SAME if same else reason or UNEXPLAINED
        table.append((what, text(published), text(ours), f"{difference:+.{decimals}f}", remark))
    frame = pd.DataFrame(table, columns=["what", "published", "ours", "difference", "remark"])
    notes = {
        remark: f"note {i + 1}"
        for i, remark in enumerate(dict.fromkeys(frame["remark"][frame["remark"] != SAME]))
    }
    show(frame.replace({"remark": notes}))
    print(f"{SAME}: within ±{tolerance:g}")
    for remark, note in notes.items():
        paragraph(f"{note}: {remark}")
    return frame


def ours_alone(rows: Sequence[Row], decimals: int = 4) -> pd.DataFrame:
    """Returns our values without the published ones, which are of other data: ``what, ours``."""
    return pd.DataFrame([(what, f"{ours:.{decimals}f}") for what, _, ours, _ in rows],
                        columns=["what", "ours"])


def paragraph(text: str) -> None:
    """Prints a text in lines of at most 100 characters."""
    print(textwrap.fill(text, 100))


def show(frame: pd.DataFrame, decimals: int = 4) -> None:
    """Prints a frame as a table whose texts begin at the left."""
    texts = frame.map(
        lambda value: str(value) if not isinstance(value, float)
        else "–" if pd.isna(value) else f"{value:.{decimals}f}"
    )
    widths = [max([len(str(name)), *map(len, texts[name])]) for name in texts]
    for row in [[str(name) for name in texts], *texts.values.tolist()]:
        print(
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        )


def heading(text: str) -> None:
    print(f"\n{text}\n{'-' * len(text)}")


def save(ax: Axes, folder: Path, name: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    ax.figure.savefig(folder / f"{name}.png", dpi=200)
    plt.close(ax.figure)
    print(f"figure: {folder / name}.png")


def arguments(doc: str | None) -> argparse.ArgumentParser:
    """A parser with what every script takes."""
    parser = inputs.parser(doc)
    parser.add_argument(
        "--figures",
        type=Path,
        default=Path("figures"),
        help="folder for the figures (default: figures)",
    )
    return parser


def touche2022_arguments(doc: str | None, given: Sequence[str] | None) -> argparse.Namespace:
    """Parse ``QRELS STANCES RUN…``, and make the folder of the figures."""
    parser = arguments(doc)
    parser.add_argument("qrels", type=inputs.file, help="qrels of relevance")
    parser.add_argument("stances", type=inputs.file, help="qrels of stances")
    parser.add_argument("runs", nargs="+", type=inputs.file)
    options = parser.parse_args(given)
    options.figures.mkdir(parents=True, exist_ok=True)
    return options


def experiment(runs: dict[str, pd.DataFrame], qrels: pd.DataFrame,
               measures: Sequence[object]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The averages and the per-query values of ``pt.Experiment``, of one evaluation."""
    topics = pd.DataFrame({"qid": qrels["qid"].unique()})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        perquery = pt.Experiment(
            list(runs.values()), topics, qrels, list(measures), names=list(runs), perquery=True
        )
    for category, text in dict.fromkeys(
        (one.category, str(one.message)) for one in caught
    ):  # not again for every run
        warnings.warn(text, category, stacklevel=2)
    averages = perquery.pivot_table(index="name", columns="measure", values="value", sort=False)
    return averages[[str(measure) for measure in measures]].reset_index().rename_axis(
        columns=None
    ), perquery


def correlation_rows(
    result: analysis.Correlations, pairs: Sequence[tuple[str, str, float, str]]
) -> list[Row]:
    """Rows for :func:`beside` of the coefficients of some pairs of measures.

    :param pairs: the two measures, the published coefficient, the reason for a difference
    """
    return [(f"τ({one}, {two})", published, float(result.coefficients.loc[one, two]), reason)
            for one, two, published, reason in pairs]
