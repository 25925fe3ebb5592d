"""A message that names a Python function names the option or the command for it, too."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import pt_fairness

ROOT = Path(pt_fairness.__file__).parent
#: What only Python code can reach, not a command.
PYTHON_ONLY = {
    "analysis/simulation.py", "cli/plugging.py", "analysis/explanation.py",
    "analysis/system_rankings.py", "analysis/exposure_over_topics.py",
    "plots/figures_of_rankings.py", "plots/figures_of_averages.py"}
#: Messages about arguments that commands give or cannot get wrong, and what is no message.
GIVEN = ("{type(", "__version__", "cannot be unregistered",
         "only the frames of pt_fairness.evaluate say",
         "of pt.Experiment is not possible here", "a report saves no runs",
         "from_frame, from_mapping, from_pattern, from_text or from_file",
         "from_frame, from_mapping, from_text or from_file",
         ".. py:", "_INTRODUCTION", "``ir_measures.parse_measure``")
#: What a command can do, or that it cannot.
WAY = re.compile(r"--[a-z]|pt-fairness [a-z]|in Python", re.IGNORECASE)
ADVICE = re.compile(r"pt_fairness\.|\bfrom_[a-z]+|\bpt\.[A-Za-z]|to_qrels|\bregister\(|groups=,")


def text_of(node: ast.expr) -> str:
    if isinstance(node, ast.JoinedStr):
        return "".join(map(text_of, node.values))
    if isinstance(node, ast.FormattedValue):
        inner = node.value
        return f"{text_of(inner.body)}{text_of(inner.orelse)}" if isinstance(inner, ast.IfExp) \
            else f"{{{ast.unparse(inner)}}}"
    if isinstance(node, ast.BinOp):
        return text_of(node.left) + text_of(node.right)
    return str(node.value) if isinstance(node, ast.Constant) else "{}"


@pytest.mark.exhaustive
def test_every_message_is_for_commands_too():
    advising = []
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        read = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, (ast.JoinedStr, ast.Constant, ast.BinOp)) and id(node) not in read:
                read.update(map(id, ast.walk(node)))
                text = text_of(node)
                if " " in text and ADVICE.search(text) and name not in PYTHON_ONLY \
                        and not any(part in text for part in GIVEN):
                    advising.append((name, text))
    assert len(advising) > 5  # so the search finds them
    assert [message for message in advising if not WAY.search(message[1])] == []
