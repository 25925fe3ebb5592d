"""Draws the decision trees of the page "How to choose a measure".

``python .ci/choosing_figures.py [--figures FOLDER]``
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from comparison import arguments
from matplotlib import pyplot as plt
from matplotlib.axes import Axes

from pt_fairness.plots import style

#: A question with its answers, each with what follows, or the measures to use.
Tree = tuple[str, list[tuple[str, Any]]] | str
TREES: dict[str, Tree] = {
    "choosing": ("The ranking is compared with …", [
        ("the relevant documents", ("Is one group protected?", [
            ("yes", "rKL, rND"), ("no", "rKL(protected='all')")])),
        ("the run's own whole list", ("Is one group protected?", [
            ("yes", "nDD, nDKL"), ("no", "nDJS")])),
        ("a distribution from outside", ("What counts?", [
            ("all groups, by rank", "AWRF"), ("all groups, not by rank", "DistFair"),
            ("one group", "RepBias")])),
        ("the relevance of each document", ("How is it compared?", [
            ("document by document", "EEL"), ("as a ratio of two sides", "logEUR")])),
        ("nothing: one side against the other", "BiasP, BiasDCG"),
    ]),
    "choosing-pathiyancherumanal": ("A ranking is fair if it shows …", [
        ("both sides, whatever their shares", "rKL; α-nDCG agrees with it"),
        ("the shares of the collection", ("How many groups?", [
            ("two", "rKL, and rND beside it; not α-nDCG"),
            ("more", "rKL(protected='all')")])),
    ]),
    "choosing-raj": ("Is exposure to follow relevance?", [
        ("no, a target distribution", "AWRF"),
        ("yes", ("One ranking of a topic, and two groups?", [
            ("no: several rankings or groups", "EEL, with EER and EED"),
            ("yes", "logEUR, logRUR; extreme for empty sides")])),
    ]),
}
#: Table 5 of Draws et al. (2021), by the balance of the viewpoints.
DRAWS = {"low balance": ["nDD", "nDD", "nDD"], "medium balance": ["nDD", "nDD", "nDKL"],
         "high balance": ["nDD", "nDKL", "nDKL"]}
BIASES = ("low bias", "medium bias", "high bias")
#: The width of a level of a tree and the height of a leaf, in inches.
LEVEL, LEAF = 3.7, 0.62
QUESTION = {"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": "black"}
ANSWER = {"boxstyle": "round,pad=0.35", "facecolor": style.PALETTE[4], "edgecolor": "none"}


def leaves(tree: Tree) -> int:
    """The number of answers at the end of the paths."""
    return 1 if isinstance(tree, str) else sum(leaves(node) for _, node in tree[1])


def depth(tree: Tree) -> int:
    """The number of boxes on the longest path."""
    return 1 if isinstance(tree, str) else 1 + max(depth(node) for _, node in tree[1])


def draw(ax: Axes, tree: Tree, level: int, top: float) -> float:
    """Draws a tree below ``top`` and returns the height of the middle of its first box."""
    middle = top + leaves(tree) / 2
    text = tree if isinstance(tree, str) else tree[0]
    ax.text(level, middle, textwrap.fill(text, 26), va="center", ha="left", fontsize=10,
            bbox=ANSWER if isinstance(tree, str) else QUESTION, zorder=3)
    if not isinstance(tree, str):
        for label, node in tree[1]:
            child = draw(ax, node, level + 1, top)
            ax.plot([level + 0.25, level + 0.57, level + 0.97], [middle, child, child],
                    color="black", linewidth=0.8, zorder=1)
            ax.text(level + 0.94, child - 0.06, textwrap.fill(label, 22), fontsize=8.5, ha="right",
                    va="bottom", zorder=2)
            top += leaves(node)
    return middle


def save(name: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    plt.savefig(folder / f"{name}.png", dpi=110)
    plt.close()
    print(f"figure: {folder / name}.png")


def draws_table(folder: Path) -> None:
    """Table 5 of Draws et al. (2021)."""
    _, ax = plt.subplots(figsize=(6.2, 2.2), layout="constrained")
    faces = {"nDD": style.PALETTE[4], "nDKL": style.PALETTE[1]}
    for row, (balance, cells) in enumerate(DRAWS.items()):
        ax.text(-0.6, row, balance, ha="right", va="center")
        for column, measure in enumerate(cells):
            ax.add_patch(plt.Rectangle((column - 0.48, row - 0.45), 0.96, 0.9,
                                       facecolor=faces[measure]))
            ax.text(column, row, measure, ha="center", va="center", fontweight="bold")
    for column, bias in enumerate(BIASES):
        ax.text(column, -0.65, bias, ha="center", va="center")
    ax.set(xlim=(-1.7, 2.55), ylim=(2.55, -0.95))
    ax.axis("off")
    save("choosing-draws", folder)


def main(arguments_: Sequence[str] | None = None) -> None:
    """Draws all figures of the page."""
    given = arguments(__doc__).parse_args(arguments_)
    for name, tree in TREES.items():
        width = depth(tree)
        _, ax = plt.subplots(figsize=(LEVEL * (width - 1) + 2.4, LEAF * leaves(tree)),
                             layout="constrained")
        draw(ax, tree, 0, 0.0)
        ax.set(xlim=(-0.05, width - 1 + 0.72), ylim=(leaves(tree), 0))
        ax.axis("off")
        save(name, given.figures)
    draws_table(given.figures)


if __name__ == "__main__":
    main()
