"""Checks of figures, and names that are hard to draw."""

from __future__ import annotations

import itertools


def rendered(ax):
    """Draw the figure, which raises errors that creating the artists does not."""
    ax.figure.canvas.draw()
    return ax


def legend_of(ax) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def inside(box, outer) -> bool:
    return outer.x0 <= box.x0 and box.x1 <= outer.x1 and outer.y0 <= box.y0 and box.y1 <= outer.y1


def assert_readable(ax) -> None:
    """Check that no names overlap, and that names and legend are inside the figure."""
    rendered(ax)
    for axis in (ax.xaxis, ax.yaxis):
        low, high = sorted(axis.get_view_interval())
        boxes = [
            label.get_window_extent()
            for place, label in zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=True)
            if low <= place <= high]
        assert boxes
        assert all(inside(box, ax.figure.bbox) for box in boxes)
        assert not any(one.overlaps(two) for one, two in itertools.combinations(boxes, 2))
    for text in (ax.xaxis.label, ax.yaxis.label, ax.title):
        assert not text.get_text() or inside(text.get_window_extent(), ax.figure.bbox)
    if ax.get_legend() is not None:
        legend = ax.get_legend().get_window_extent()
        assert inside(legend, ax.figure.bbox)
        assert not legend.overlaps(ax.get_window_extent()) and not legend.overlaps(
            ax.xaxis.get_tightbbox())


#: Names that are long, many, or mathematics to matplotlib.
LONG_NAMES = [
    "ColBERT-v2 (end-to-end)", "BM25 (conclusions)", "BM25 (premises)", "monoT5 (3B, zero-shot)",
    "$SDM$ + RM3"]
MANY_NAMES = [f"university of somewhere, run {i:02}" for i in range(60)]
LONG_MEASURES = [
    "nDKL(protected='-3,-2,-1',norm='protected-first')@20", "rND@10",
    "DistKL(target={'female':0.25,'male':0.75},groups='a/long/path/to/the/groups.tsv')@100"]
