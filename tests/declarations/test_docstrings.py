"""What ``help`` and ``inspect.signature`` say of a measure."""

from __future__ import annotations

import inspect
import pickle
import pydoc

import pytest

from pt_fairness import RaB, RepBias, rKL
from pt_fairness.measures import MEASURES


@pytest.mark.parametrize("name", MEASURES)
def test_the_signature_has_the_parameters(name):
    measure = MEASURES[name]
    parameters = inspect.signature(measure).parameters
    assert list(parameters) == list(measure.SUPPORTED_PARAMS)
    for parameter in parameters.values():
        param = measure.SUPPORTED_PARAMS[parameter.name]
        if parameter.default is inspect.Parameter.empty:
            assert param.required
        elif parameter.default is not None:
            assert parameter.default == param.default


def test_signatures_as_text():
    assert str(inspect.signature(rKL)).startswith(
        "(*, cutoff: 'int' = None, rel: 'int' = 1, protected: 'str' = 'minority', ")
    assert inspect.signature(rKL(rel=2) @ 5).parameters["rel"].default == 2
    values = inspect.signature(RaB).parameters["values"]
    assert values.default is inspect.Parameter.empty and values.annotation == "str | dict"
    assert "params" in inspect.signature(type(rKL)).parameters


@pytest.mark.parametrize("measure", [rKL, RepBias])
def test_help_shows_parameters_and_no_internals(measure):
    text = pydoc.plain(pydoc.render_doc(measure))
    for name, param in measure.SUPPORTED_PARAMS.items():
        assert f"{name}: {param.desc.split(':')[0][:20]}" in text
    assert "Formula" in text and "(default 'qrels')" in text
    for internal in ("SUPPORTED_PARAMS", "iter_calc", "__init__", "Methods", "score("):
        assert internal not in text


def test_the_docstring_is_that_of_the_registered_object_only():
    copy = pickle.loads(pickle.dumps(rKL @ 5))
    assert copy == rKL @ 5 and copy.__doc__ == type(rKL).__doc__
    assert "\nstep: evaluate every step-th rank (default 1)\n" in rKL.__doc__
