"""Signatures and docstrings of measures, which are objects and not functions."""

from __future__ import annotations

import re
import textwrap
from inspect import Parameter, Signature
from typing import Any

from ir_measures import measures as irm

from pt_fairness.measures.params import NOT_PROVIDED, literal

#: A line of at most 72 characters, or one longer word. textwrap.wrap is slower.
_LINE = re.compile(r"(.{1,72}|\S+)(?: |$)")


class SignatureOfMeasure:
    """Descriptor of ``__signature__``: the signature of the call that changes the parameters."""

    def __get__(self, measure: irm.Measure | None, owner: Any) -> Signature:
        if measure is None:  # the class has its own signature
            raise AttributeError("__signature__")
        parameters = []
        for name, param in measure.SUPPORTED_PARAMS.items():
            value = measure.params.get(name, param.default)
            if value is NOT_PROVIDED:
                value = Parameter.empty if param.required else None
            parameters.append(Parameter(name, Parameter.KEYWORD_ONLY, default=value,
                                        annotation=" | ".join(one.__name__ for one in param.types)))
        return Signature(parameters)


def parameter_lines(measure: irm.Measure) -> list[str]:
    """Return a line with the description and the default of each parameter."""
    lines = []
    for name, param in measure.SUPPORTED_PARAMS.items():
        default = "" if param.default is NOT_PROVIDED else f" (default {literal(param.default)})"
        lines.append(f"{name}: {param.desc}{' (required)' if param.required else default}")
    return lines


def described(kind: type) -> dict[str, str]:
    """Return what the name and the docstring of a class say of its measures.

    The name has no leading underscore. A docstring has a title, "name — long name.", and then a
    sentence that says what the measure asks.

    Examples
    --------
    >>> class _rND:
    ...     '''rND — Difference.
    ...
    ...     How far a share
    ...     is from another.
    ...
    ...     Formula
    ...     '''
    >>> described(_rND)
    {'NAME': 'rND', 'PRETTY_NAME': 'Difference', 'SHORT_DESC': 'How far a share is from another.'}
    """
    title, *others = (" ".join(paragraph.split())
                      for paragraph in re.split(r"\n\s*\n", kind.__doc__ or ""))
    return {"NAME": kind.__name__.removeprefix("_"),
            "PRETTY_NAME": title.partition(" — ")[2].removesuffix(".") or title,
            "SHORT_DESC": [title, *others][:2][-1]}


def docstring_of(measure: irm.Measure) -> str:
    """Return the docstring of a measure with its parameters, for ``help(rKL)``."""
    title, _, body = (type(measure).__doc__ or "").strip().partition("\n")
    lines = ["\n    ".join(_LINE.findall(line)) for line in parameter_lines(measure)]
    body = textwrap.dedent(body).strip()
    return "\n".join([title, "", "Parameters", "----------", *lines, "", body]).rstrip()
