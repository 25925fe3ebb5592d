"""The page: template, style, scripts and data in one file."""

from __future__ import annotations

import base64
import hashlib
import json
import math
from collections.abc import Mapping
from importlib import resources
from typing import Any

from pt_fairness._version import __version__

#: The scripts in the order in which they run.
SCRIPTS = ("common.js", "table.js", "plane.js", "strips.js", "address.js", "steps.js", "narrow.js",
           "print.js")
#: The number of patterns and of colours of groups, and of groups that the key names.
PATTERNS, NAMED = 8, 12


def group_class(group: int) -> str:
    """Return the CSS classes of a group: eight patterns, whose colours change every eight groups.

    The groups after the first twelve look the same.
    """
    pattern = group % PATTERNS
    own = f"fill c{(pattern + group // PATTERNS) % PATTERNS} p{pattern}"
    return own if group < NAMED else "fill other"


def render(content: Mapping[str, Any], data: Mapping[str, Any]) -> str:
    """Return the page as HTML.

    All text is escaped. A policy in the page allows its own script alone, and no request.

    :param content: the variables of the template
    :param data: what the scripts show, for JSON
    :raises ImportError: Jinja2 is not installed
    """
    try:
        from jinja2 import Environment, StrictUndefined
        from jinja2.utils import htmlsafe_json_dumps
    except ImportError:
        raise ImportError("the report needs Jinja2: pip install 'pt-fairness[report]'") from None
    files = resources.files("pt_fairness.reporting") / "page"

    def text(name: str) -> str:
        return (files / name).read_text(encoding="utf-8")

    script = "\n" + "\n".join(map(text, SCRIPTS))
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    environment = Environment(autoescape=True, undefined=StrictUndefined,
                              keep_trailing_newline=True)
    return environment.from_string(text("page.html.j2")).render(
        **content, version=__version__, named=NAMED, group_class=group_class, digest=digest,
        style=text("style.css"), script=script,
        data=htmlsafe_json_dumps(data, dumps=as_json))


def as_json(data: Any, **options: Any) -> str:
    """Return data as JSON in ASCII, without spaces."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False, **options)


def number(value: float) -> float | str | None:
    """Return a number for JSON: ``None`` for NaN, a text for an infinity, twelve digits otherwise.
    """
    if math.isnan(value):
        return None
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return float(f"{value:.12g}")
