"""Signatures and docstrings of measures, which are objects and not functions."""

from __future__ import annotations

import inspect
import textwrap
from typing import Any

from ir_measures import measures as irm

from pt_fairness.measures.params import NOT_PROVIDED, Param, literal


class SignatureOfMeasure:
    """Descriptor of ``__signature__``: the signature of the call that changes the parameters."""

    def __get__(self, measure: irm.Measure | None, owner: Any) -> inspect.Signature:
        if measure is None:  # the class has its own signature
            raise AttributeError("__signature__")
        return inspect.Signature([
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=_default(measure, name),
                              annotation=_types(param))
            for name, param in measure.SUPPORTED_PARAMS.items()])


def _default(measure: irm.Measure, name: str) -> Any:
    param = measure.SUPPORTED_PARAMS[name]
    value = measure.params.get(name, param.default)
    if value is not NOT_PROVIDED:
        return value
    return inspect.Parameter.empty if param.required else None


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


def docstring_of(measure: irm.Measure) -> str:
    """Return the docstring of a measure with its parameters, for ``help(rKL)``."""
    title, _, body = inspect.cleandoc(type(measure).__doc__ or measure.SHORT_DESC).partition("\n")
    lines = [wrapped for line in parameter_lines(measure)
             for wrapped in textwrap.wrap(line, 76, subsequent_indent="    ")]
    return "\n".join([title, "", "Parameters", "----------", *lines, "", body.strip()]).rstrip()
