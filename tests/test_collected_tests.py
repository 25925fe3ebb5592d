"""Every test runs: pytest collects none in another function, or in a class of another name."""

from __future__ import annotations

import ast
import itertools
from pathlib import Path

TESTS = Path(__file__).resolve().parent


def test_every_test_is_one_that_pytest_collects():
    for path in sorted(TESTS.rglob("test_*.py")):
        module = ast.parse(path.read_text("utf-8"))
        classes = [node for node in module.body
                   if isinstance(node, ast.ClassDef) and node.name.startswith("Test")]
        collected = [*module.body, *itertools.chain(*(node.body for node in classes))]
        for node in ast.walk(module):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                assert node in collected, f"{path}, line {node.lineno}"
