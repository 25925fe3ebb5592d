"""What dir() shows of the public modules."""

import ast
import importlib
import inspect

import pytest

import pt_fairness

MODULES = ["analysis", "cli", "evaluation", "groups", "io", "measures", "plots",
           "analysis.simulation", "targets", "rerank", "values", "io.runs"]


@pytest.mark.parametrize("name", MODULES)
def test_public_names_only(name):
    module = importlib.import_module(f"pt_fairness.{name}")
    assert dir(module) == sorted(module.__all__)
    assert all(hasattr(module, one) and not one.startswith("_") for one in dir(module))


def test_type_checkers_see_the_names_that_are_imported_lazily():
    (block,) = (node for node in ast.parse(inspect.getsource(pt_fairness)).body
                if isinstance(node, ast.If))
    names = {alias.name for statement in block.body for alias in statement.names}
    assert names - {"*"} == set(pt_fairness._LAZY)
