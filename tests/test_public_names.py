"""What dir() shows of the public modules, and a measure of one's own as a class."""

from __future__ import annotations

import ast
import importlib
import inspect

import ir_measures
import numpy as np
import pyterrier.measures
import pytest

import pt_fairness
from pt_fairness import provider
from pt_fairness.measures import MEASURES, FairnessMeasure, params, register

MODULES = ["analysis", "cli", "evaluation", "groups", "io", "measures", "plots",
           "analysis.simulation",
           "targets", "rerank", "values", "runs"]


@pytest.mark.parametrize("name", MODULES)
def test_public_names_only(name):
    if name == "plots":
        pytest.importorskip("matplotlib")
    module = importlib.import_module(f"pt_fairness.{name}")
    assert dir(module) == sorted(module.__all__)
    assert all(hasattr(module, one) and not one.startswith("_") for one in dir(module))


def test_type_checkers_see_the_names_that_are_imported_lazily():
    (block,) = (node for node in ast.parse(inspect.getsource(pt_fairness)).body
                if isinstance(node, ast.If))
    names = {alias.name for statement in block.body for alias in statement.names}
    assert names - {"*"} == set(pt_fairness._LAZY)


class _FirstOf(FairnessMeasure):
    """
    Whether the first annotated document has a group: 1 if it has, 0 if not. 0 where nothing was
    returned.

    Source: made up.
    """

    __name__ = "FirstOf"
    NAME = __name__
    PRETTY_NAME = "First of a Group"
    SHORT_DESC = "Whether the first annotated document has a group."
    SUPPORTED_PARAMS = {
        "group": params.label("the group", default="PRO"), "cutoff": params.cutoff(),
        "groups": params.groups()}
    IDEAL = 1.0
    DEFAULT = 0.0

    def score(self, view):
        codes, n = view.condensed(1)
        if not codes.size:
            return np.zeros(len(view))
        return view.member[codes[:, 0], view.labels.index(self.param("group"))] * (n > 0.0)


@pytest.fixture
def first_of():
    measure = register(_FirstOf(), aliases=["First"])
    yield measure
    for name in ("FirstOf", "First"):
        del ir_measures.measures.registry[name]
        delattr(pyterrier.measures, name)
        delattr(pt_fairness, name)
    del MEASURES["FirstOf"]


def test_it_is_in_the_registries(first_of):
    assert (
        ir_measures.measures.registry["FirstOf"] is ir_measures.measures.registry["First"]
        is first_of)
    assert ir_measures.parse_measure("First(group='CON')@3") == first_of(group="CON") @ 3
    assert pyterrier.measures.FirstOf is pyterrier.measures.First is first_of
    assert pt_fairness.FirstOf is first_of
    assert MEASURES["FirstOf"] is first_of
    assert any(isinstance(measure, _FirstOf) for measure in provider.FAIRNESS.SUPPORTED_MEASURES)
    with pytest.raises(ValueError, match=r"NAME must be new.*'FirstOf'"):
        register(_FirstOf())
