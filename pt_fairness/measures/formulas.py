"""Formulas as Unicode text, for a terminal."""

from __future__ import annotations

import re
from typing import Any

_SUPERSCRIPTS = str.maketrans("0123456789+-i", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁱ")


def _side(text: str) -> str:
    """Return one side of a fraction, in brackets if it has several terms or factors."""
    simple = re.fullmatch(r"(\d+|[^\s()+−/\d][^\s()+−/]*)(\([^()]*\))?", text)
    return text if simple else f"({text})"


#: What stands for LaTeX, by regular expression: in this order, until nothing changes.
_RULES: dict[str, Any] = {
    r",? *\\qquad ?": "\n", r"\\([,;]|quad) ?": " ", r"\\(!|left|right|Big)(?![a-z]) *": "",
    r"\\(text|mathrm|texttt)\s?\{([^{}]*)\}": r"\2", r"\\(max|min|ln)(?![a-z])": r"\1",
    r"\\log_2": "log₂", r"\\sum": "Σ", r"\\prod": "Π", r"\\varepsilon": "ε", r"\\epsilon": "ϵ",
    r"\\lambda": "λ", r"\\alpha": "α", r"\\tau": "τ", r"\\le(?![a-z])": "≤",
    r"\\ge(?![a-z])": "≥", r"\\in(?![a-z])": "∈", r"\\cap": "∩", r"\\cdot": "·",
    r"\\\|": "‖", r"\\ ": " ", r"\\tilde (\w)": "\\1\u0303", r"\\sqrt\{([^{}]*)\}": r"√(\1)",
    r"\^(?:\{([-+\di]+)\}|([-+\d*]))":
        lambda found: (found[1] or found[2]).translate(_SUPERSCRIPTS),
    r"_\{(\w+)\}": r"_\1", r"_\{([^{}]*)\}": r"_(\1)",
    r"\\frac\{([^{}]*)\} ?\{([^{}]*)\}":
        lambda found: f"{_side(found[1])}/{_side(found[2])}",
    r"(?<![a-z_^])\{([^{}]*)\}": r"(\1)", " - ": " − ", " +": " ",
}


def as_unicode(latex: str) -> str:
    r"""Return a LaTeX formula as Unicode text, with a line for each of its equations.

    Examples
    --------
    >>> as_unicode(r"\frac{1}{n} \sum_{i \le n} \frac{v_i}{\log_2(i+1)}")
    '1/n Σ_(i ≤ n) v_i/log₂(i+1)'
    """
    text, before = " ".join(latex.split()), ""
    while text != before:
        before = text
        for pattern, ours in _RULES.items():
            text = re.sub(pattern, ours, text)
    return text
