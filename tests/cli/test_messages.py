"""A message that names a Python function names the option or the command for it, too."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import pt_fairness
from pt_fairness import cli

ROOT = Path(pt_fairness.__file__).parent
#: What only Python code can reach, not a command.
PYTHON_ONLY = {
    "analysis/simulation.py", "cli/plugging.py", "analysis/explanation.py",
    "analysis/system_rankings.py", "analysis/exposure_over_topics.py",
    "plots/figures_of_rankings.py", "plots/figures_of_averages.py"}
#: Messages about arguments that commands give or cannot get wrong.
GIVEN = ("{type(", "__version__", "cannot be unregistered",
         "only the frames of pt_fairness.evaluate say",
         "of pt.Experiment is not possible here", "a report saves no runs",
         "from_frame, from_mapping, from_pattern, from_text or from_file",
         "from_frame, from_mapping, from_text or from_file")
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
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.BinOp):
        return text_of(node.left) + text_of(node.right)
    return "{}"


def messages() -> list[tuple[str, str]]:
    """The texts in the source with white space in them, but no docstrings."""
    found = []
    for path in sorted(ROOT.rglob("*.py")):
        name = path.relative_to(ROOT).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"))
        known = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, (ast.JoinedStr, ast.Constant, ast.BinOp)) and id(node) not in known:
                known.update(map(id, ast.walk(node)))
                text = text_of(node)
                if " " in text and name not in PYTHON_ONLY \
                        and not any(part in text for part in GIVEN):
                    found.append((name, text))
    return found


def test_every_message_is_for_commands_too():
    advising = [(name, text) for name, text in messages() if ADVICE.search(text)]
    assert len(advising) > 5  # so the search finds them
    assert [one for one in advising if not WAY.search(one[1]) and not one[1].startswith(".. py:")
            and "_INTRODUCTION" not in one[1] and "``ir_measures.parse_measure``" not in one[1]
            ] == []


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n2 Q0 a 1 1 t\n")
    (tmp_path / "g.csv").write_text("docno,group\na,PRO\nb,CON\n")
    return lambda *arguments: (cli.main(arguments), capsys.readouterr().err)


TABLE = ("table", "qrels", "run", "-m")


@pytest.mark.parametrize("arguments, says", [
    ((*TABLE, "rKL@5"), "--groups of the commands), or write the groups into the qrels"),
    ((*TABLE, "rKL@5", "--groups", "x"), "or give the path of a file"),
    ((*TABLE, "AWRF(target='x')@5"), "a registered name"),
    ((*TABLE, "P@5", "--ci", "2"), "the confidence level 2.0 is not possible"),
    ((*TABLE, "P@5", "--jobs", "0"), "0 processes cannot evaluate anything"),
    ((*TABLE, "rKL@5", "--groups", "qrels"), "or pt-fairness annotate --none"),
    (("annotate", "g.csv", "g.csv"), "g.csv"),
    (("rerank", "run", "xquad", "--groups", "g.csv", "--target", "qrels"),
     "the shares, such as {'PRO':0.5,"),
    ((*TABLE, "rKL@5", "--uncertain", "9"), "--groups of the commands"),
    ((*TABLE, "rKL@5", "--groups", "g.csv"), "with nothing to compare with have"),
])
def test_what_commands_say(run, arguments, says):
    _, err = run(*arguments)
    assert not ADVICE.search(err) or WAY.search(err), err
    assert says in err
