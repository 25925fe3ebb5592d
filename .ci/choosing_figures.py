"""Draws the decision trees of the page "How to choose a measure", as SVG with links.

``python .ci/choosing_figures.py [--figures FOLDER]``
"""

from __future__ import annotations

import importlib.resources
import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

sys.path.append(str(Path(__file__).resolve().parents[1] / "examples"))

from shared.comparison import arguments

from pt_fairness.plots import PALETTE

PAGES = Path(str(importlib.resources.files("pt_fairness"))) / "pt_docs"


class Leaf(NamedTuple):
    """The end of a path: measures with the parameters that answer the questions of the path."""

    measures: tuple[str, ...]
    note: str = ""


#: A question with its answers, each with what follows.
Tree = tuple[str, list[tuple[str, "Tree | Leaf"]]]
HALVES = "target={'CON':0.5,'PRO':0.5}"
TREES: dict[str, Tree] = {
    "choosing": ("What is the ranking compared with?", [
        ("the relevant documents of the topic", ("How?", [
            ("Does one group get its share of the first documents?",
             Leaf(("Skew(group='CON',target='qrels')@10", "RepBias(group='CON')@10"))),
            ("prefix by prefix, two groups", Leaf(("rKL@10", "rND@10"))),
            ("prefix by prefix, all groups", Leaf(("rKL(protected='all')@10",)))])),
        ("the ranking as a whole", ("Is one group protected?", [
            ("yes", Leaf(("nDD@10", "nDKL@10"))),
            ("no, all groups count", Leaf(("nDJS@10",)))])),
        ("a distribution from outside", ("What counts?", [
            ("all groups, by rank", Leaf((f"AWRF({HALVES})@10",))),
            ("all groups, not by rank", Leaf((f"DistFair({HALVES})@10",))),
            ("one group", Leaf((f"RepBias(group='CON',{HALVES})@10",)))])),
        ("the relevance of the documents", ("What is compared?", [
            ("single documents", Leaf(("EEL@10",))),
            ("groups", Leaf(("EEL(by='group')@10",))),
            ("two sides, as a ratio", Leaf(("logEUR@10",)))])),
        ("nothing: one side with the other", Leaf(("BiasP(pro='PRO',con='CON')@10",
                                                   "BiasDCG(pro='PRO',con='CON')@10"))),
    ]),
    "choosing-pathiyancherumanal": ("A ranking is fair if it shows …", [
        ("both sides, whatever their shares", Leaf(("rKL(target='uniform')@10",))),
        ("the groups as in the relevant documents of the topic", ("How many groups?", [
            ("two", Leaf(("rKL@10", "rND@10"), "α-nDCG cannot tell")),
            ("more", Leaf(("rKL(protected='all')@10",)))])),
    ]),
    "choosing-raj": ("Is exposure to follow relevance?", [
        ("no, a target distribution", Leaf((f"AWRF({HALVES})@10",))),
        ("yes", ("What is compared?", [
            ("documents, in one or several rankings", Leaf(("EEL@10", "EED@10", "EER@10"))),
            ("groups, in one or several rankings", Leaf(("EEL(by='group')@10",))),
            ("two sides, as a ratio",
             Leaf(("logEUR@10", "logRUR@10"), "extreme for empty sides"))])),
    ]),
}
#: The width of a figure, the indent of a level, the height of a line, and the widths of a letter of
#: text and of code, in pixels of a phone.
WIDTH, INDENT, LINE, TEXT, CODE = 360, 26, 18, 6.9, 7.3
INK = 'stroke="currentColor" fill="none"'


def page_of(name: str) -> str:
    """The page that documents a measure, without its suffix."""
    for page in PAGES.rglob("*.rst"):
        text_of_page = page.read_text(encoding="utf-8")
        if re.search(rf"^\.\. py:data:: (?:.*\n +)*{name}$", text_of_page, re.MULTILINE):
            return page.relative_to(PAGES).with_suffix("").as_posix()
    raise LookupError(name)


def broken(measure: str, width: float) -> list[str]:
    """The lines of a measure, broken after commas."""
    lines = [""]
    for part in re.findall(r"[^,]+,?", measure):
        if lines[-1] and len(lines[-1]) + len(part) > width / CODE:
            lines.append("")
        lines[-1] += part
    return lines


def text(x: float, y: float, line: str, fill: str = "currentColor", weight: str = "normal") -> str:
    return (f'<text x="{x:g}" y="{y:g}" fill="{fill}" font-size="13" font-weight="{weight}">'
            f"{escape(line, quote=False)}</text>")


def box(x: float, y: float, lines: int, more: str) -> str:
    return (f'<rect x="{x:g}" y="{y:g}" width="{WIDTH - x - 1:g}" height="{lines * LINE + 8}" '
            f'rx="5" {more}/>')


def leaf(found: Leaf, x: float, y: float) -> tuple[list[str], float]:
    """The elements of a leaf below ``y``, and where they end."""
    parts, line = [], y
    for measure in found.measures:
        name = re.split("[(@]", measure)[0]
        lines = broken(measure, WIDTH - x - 30)
        spans = "".join(f'<tspan x="{x + 8 + 14 * (i > 0):g}" y="{line + 17 + i * LINE:g}">'
                        f"{escape(one, quote=False)}</tspan>" for i, one in enumerate(lines))
        parts.append(f'<a href="{page_of(name)}.html#pt_fairness.{name}"><text fill="#000" '
                     f'font-family="monospace" font-size="12" text-decoration="underline">'
                     f"{spans}</text></a>")
        line += len(lines) * LINE
    if found.note:
        parts.append(text(x + 8, line + 17, found.note, "#000"))
        line += LINE
    back = box(x, y, round((line - y) / LINE), f'fill="{PALETTE[4]}"')
    return [back, *parts], line + 8


def elements(tree: Tree | Leaf, x: float, y: float) -> tuple[list[str], float]:
    """The elements of a tree below ``y``, and where they end."""
    if isinstance(tree, Leaf):
        return leaf(tree, x, y)
    question = textwrap.wrap(tree[0], int((WIDTH - x - 16) / TEXT))
    parts = [box(x, y, len(question), INK)]
    parts += [text(x + 8, y + 17 + i * LINE, line, weight="bold")
              for i, line in enumerate(question)]
    bottom = y + len(question) * LINE + 8
    y = bottom + 6
    for answer, node in tree[1]:
        parts.append(f'<path d="M{x + 10:g} {bottom:g}V{y + 10:g}H{x + INDENT - 4:g}" {INK}/>')
        bottom = y + 10
        for line in textwrap.wrap(answer, int((WIDTH - x - INDENT) / TEXT)):
            parts.append(text(x + INDENT, y + 14, line))
            y += LINE
        found, end = elements(node, x + INDENT, y + 4)
        parts += found
        y = end + 10
    return parts, y - 10


def words(tree: Tree | Leaf) -> Iterator[str]:
    """The paths of a tree in words."""
    if isinstance(tree, Leaf):
        yield f"{' or '.join(tree.measures)}{f' ({tree.note})' if tree.note else ''}."
    else:
        for answer, node in tree[1]:
            for path in words(node):
                yield f"{tree[0]} {answer}: {path}"


def drawn(name: str) -> str:
    """A tree as SVG: as wide as the page, but not wider than its letters can be read."""
    parts, height = elements(TREES[name], 1, 1)
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height + 1:g}" '
        f'style="width:100%;max-width:34rem" font-family="sans-serif" role="group" '
        f'aria-labelledby="{name}-title" aria-describedby="{name}-text">',
        f'<title id="{name}-title">Decision tree</title>',
        f'<desc id="{name}-text">{escape(" ".join(words(TREES[name])), quote=False)}</desc>',
        *parts, "</svg>", ""])


def main(arguments_: Sequence[str] | None = None) -> None:
    """Draws all trees of the page."""
    folder = arguments(__doc__).parse_args(arguments_).figures
    folder.mkdir(parents=True, exist_ok=True)
    for name in TREES:
        (folder / f"{name}.svg").write_text(drawn(name), encoding="utf-8")
        print(f"figure: {folder / name}.svg")


if __name__ == "__main__":
    main()
