"""Measures as text: parsing, with errors that say what is wrong."""

from __future__ import annotations

import difflib
from typing import Any

import ir_measures

from pt_fairness.messages import shown

#: A larger cutoff would crash pytrec_eval.
LARGEST_INT = 2**31 - 1
TAKES = "measures are objects of ir_measures or names such as 'nDCG@10'"


def parsed_one(one: Any, check: bool = True) -> Any:
    """Parse one measure.

    :param one: an object or its text
    :param check: whether to check the parameters
    :raises ValueError: an unknown name, a wrong parameter, a cutoff that is not possible, or an
        object that is no measure
    """
    try:
        measure = ir_measures.parse_measure(one) if isinstance(one, str) else one
    except NameError as error:
        name = one.partition("(")[0].partition("@")[0]
        near = difflib.get_close_matches(name, ir_measures.measures.registry, n=1, cutoff=0.5)
        meant = f". Did you mean {near[0]}?" if near else ""
        raise ValueError(f"{error}; {TAKES}{meant}") from None
    except ValueError as error:
        raise ValueError(f"{shown(one)} cannot be read as a measure ({error}); {TAKES}") from None
    if not isinstance(measure, ir_measures.Measure):
        raise ValueError(f"{shown(one)} is a {type(one).__name__}, not a measure; {TAKES}")
    known, params = measure.SUPPORTED_PARAMS, measure.params
    if not check and params.keys() <= known.keys():
        return measure
    try:
        measure.validate_params()
    except AssertionError as error:  # from measures of ir_measures
        wrong = [f"it has no parameter {name!r}" for name in params if name not in known]
        wrong += [f"it needs the parameter {name!r}" for name, info in known.items()
                  if info.required and name not in params]
        raise ValueError(f"{measure.NAME} is not possible: {[*wrong, error][0]}") from None
    cutoff = params.get("cutoff")
    if isinstance(cutoff, int) and not 1 <= cutoff <= LARGEST_INT:
        raise ValueError(f"{measure} is not possible: cutoff takes a whole number from 1 to "
                         f"{LARGEST_INT}")
    return measure
