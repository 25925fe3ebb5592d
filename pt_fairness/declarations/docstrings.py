"""Signatures and docstrings of measures, which are objects and not functions."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, Any

from ir_measures import measures as irm

from pt_fairness.declarations.params import NOT_PROVIDED, Param, literal

if TYPE_CHECKING:
    from inspect import Signature

#: A line of at most 72 characters, or one longer word. textwrap.wrap is slower.
_LINE = re.compile(r"(.{1,72}|\S+)(?: |$)")


class SignatureOfMeasure:
    """Descriptor of ``__signature__``: the signature of the call that changes the parameters."""

    def __get__(self, measure: irm.Measure | None, owner: Any) -> Signature:
        if measure is None:  # the class has its own signature
            raise AttributeError("__signature__")
        from inspect import Parameter, Signature
        parameters = []
        for name, param in measure.SUPPORTED_PARAMS.items():
            value = measure.params.get(name, param.default)
            if value is NOT_PROVIDED:
                value = Parameter.empty if param.required else None
            parameters.append(Parameter(name, Parameter.KEYWORD_ONLY, default=value,
                                        annotation=_types(param)))
        return Signature(parameters)


def _types(param: Param) -> str:
    types = param.dtype if isinstance(param.dtype, tuple) else (param.dtype,)
    return " | ".join(one.__name__ for one in types)


def parameter_lines(measure: irm.Measure) -> list[str]:
    """Return a line with the description and the default of each parameter."""
    lines = []
    for name, param in measure.SUPPORTED_PARAMS.items():
        default = "" if param.default is NOT_PROVIDED else f" (default {literal(param.default)})"
        more = " (required)" if param.required else default
        lines.append(f"{name}: {param.desc}{more}")
    return lines


def first_sentence(docstring: str | None) -> str:
    """Return the paragraph after the title of a docstring, in one line.

    Examples
    --------
    >>> first_sentence('''rND — Difference.
    ...
    ...     How far a share
    ...     is from another.
    ...
    ...     Formula
    ...     ''')
    'How far a share is from another.'
    """
    paragraphs = re.split(r"\n\s*\n", docstring or "")
    return " ".join(paragraphs[:2][-1].split())


def docstring_of(measure: irm.Measure) -> str:
    """Return the docstring of a measure with its parameters, for ``help(rKL)``."""
    title, _, body = (type(measure).__doc__ or "").strip().partition("\n")
    lines = ["\n    ".join(_LINE.findall(line)) for line in parameter_lines(measure)]
    body = textwrap.dedent(body).strip()
    return "\n".join([title, "", "Parameters", "----------", *lines, "", body]).rstrip()
