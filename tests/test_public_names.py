"""What ``dir()`` shows of the public modules."""

from __future__ import annotations

import ast
import importlib
import inspect
import pydoc
import re

import pytest

import pt_fairness
from pt_fairness import cli
from pt_fairness.measures import MEASURES

MODULES = ["analysis", "cli", "evaluation", "groups", "io", "measures", "plots",
           "analysis.simulation",
           "targets", "rerank", "values", "values.runs"]


@pytest.mark.parametrize("name", MODULES)
def test_public_names_only(name):
    if name == "plots":
        pytest.importorskip("matplotlib")
    module = importlib.import_module(f"pt_fairness.{name}")
    assert dir(module) == sorted(module.__all__)
    assert all(hasattr(module, one) and not one.startswith("_") for one in dir(module))


def test_names_of_the_package():
    names = dir(pt_fairness)
    assert {"rKL", "evaluate", "table", "with_groups", "plots", "__version__"} <= set(names)
    assert [one for one in names if one.startswith("_")] == ["__version__"]
    for internal in ("annotations", "importlib", "sys", "Any", "provider", "core"):
        assert internal not in names


def test_help_lists_what_is_there(capsys):
    shown = pydoc.render_doc(pt_fairness, renderer=pydoc.plaintext)
    listed = [name for names in re.findall(r"\[([a-z, ]+)\]", pt_fairness.__doc__)
              for name in names.split(", ")]
    with pytest.raises(SystemExit):
        cli.main(["--help"])
    printed = re.findall(r"^    (\w+)", capsys.readouterr().out, re.MULTILINE)
    assert sorted(printed) == sorted(listed)
    assert all(f"[{names}]" in shown for names in ("eval, table", "plug, unplug"))
    names = {name for name in dir(pt_fairness) if name.isascii()} - {*MEASURES, "__version__"}
    assert names - {*re.findall(r"``(\w+)``", pt_fairness.__doc__)} == set()


def test_type_checkers_see_the_names_that_are_imported_lazily():
    (block,) = (node for node in ast.parse(inspect.getsource(pt_fairness)).body
                if isinstance(node, ast.If))
    names = {alias.name for statement in block.body for alias in statement.names}
    assert names - {"*"} == set(pt_fairness._LAZY)
