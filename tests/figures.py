"""Checks of figures, and names that are hard to draw."""

import itertools

from matplotlib.text import Text


def legend_of(ax) -> list[str]:
    (legend,) = ax.figure.legends
    return [text.get_text() for text in legend.get_texts()]


def rows_of(ax) -> list[str]:
    return [label.get_text().replace("\n", " ") for label in ax.get_yticklabels()]


def inside(box, outer) -> bool:
    return (outer.x0 - 0.5 <= box.x0 and box.x1 <= outer.x1 + 0.5
            and outer.y0 - 0.5 <= box.y0 and box.y1 <= outer.y1 + 0.5)


def drawn_texts(figure) -> list[Text]:
    """Return the texts that are drawn; a tick outside the limits has a text that is not."""
    figure.canvas.draw()
    hidden = set()
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in axis.get_major_ticks():
                if not low - 1e-9 <= tick.get_loc() <= high + 1e-9:
                    hidden |= {tick.label1, tick.label2}
    return [text for text in figure.findobj(Text)
            if text.get_visible() and text.get_text().strip() and text not in hidden]


def assert_readable(ax) -> list[Text]:
    """Check that all texts are inside the figure, and that no names on an axis overlap.

    The texts are returned.
    """
    figure = ax.figure
    texts = drawn_texts(figure)
    assert texts
    for text in texts:
        assert inside(Text.get_window_extent(text), figure.bbox), text
    for panel in figure.axes:
        for axis in (panel.xaxis, panel.yaxis):
            boxes = [label.get_window_extent() for label in axis.get_ticklabels() if label in texts]
            assert not any(one.overlaps(two) for one, two in itertools.combinations(boxes, 2))
        for legend in figure.legends:
            assert not legend.get_window_extent().overlaps(panel.get_window_extent())
    return texts


#: Names that are long, many, or mathematics to matplotlib.
LONG_NAMES = [
    "ColBERT-v2 (end-to-end)", "BM25 (conclusions)", "BM25 (premises)", "monoT5 (3B, zero-shot)",
    "$SDM$ + RM3"]
MANY_NAMES = [f"university of somewhere, run {i:02}" for i in range(30)]
