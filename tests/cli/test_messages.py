"""No message of a command advises a Python function."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import pt_fairness
from pt_fairness import cli
from pt_fairness.cli.messages import for_commands

ROOT = Path(pt_fairness.__file__).parent
#: What only Python code can reach, not a command.
PYTHON_ONLY = {
    "analysis/simulation.py", "cli/pth.py", "analysis/explanation.py", "analysis/systems.py",
    "analysis/exposure.py", "plots/ranks.py", "plots/comparisons.py"}
#: Messages about arguments that commands give or cannot get wrong.
GIVEN = ("{type(", "__version__", "cannot be unregistered",
         "only the frames of pt_fairness.evaluate say",
         "from_frame, from_mapping, from_pattern, from_text or from_file",
         "from_frame, from_mapping, from_text or from_file")
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
                if " " in text and name not in {*PYTHON_ONLY, "cli/messages.py"} \
                        and not any(part in text for part in GIVEN):
                    found.append((name, text))
    return found


def test_every_message_is_in_the_words_of_the_commands():
    texts = messages()
    advising = [text for _, text in texts if ADVICE.search(text)]
    assert len(advising) > 15  # so the search finds them
    left = [(name, for_commands(text)) for name, text in texts
            if ADVICE.search(for_commands(text))]
    assert [one for one in left if not one[1].startswith(".. py:")
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
    ((*TABLE, "rKL@5"), "Name a source with --groups, or write the groups into the qrels with "
                        "pt-fairness annotate"),
    ((*TABLE, "rKL@5", "--groups", "x"), " more; or give the path of a file"),
    ((*TABLE, "AWRF(target='x')@5"), "a registered name"),
    ((*TABLE, "P@5", "--ci", "2"), "--ci 2.0 is not possible"),
    ((*TABLE, "P@5", "--jobs", "0"), "0 processes cannot evaluate anything"),
    ((*TABLE, "rKL@5", "--groups", "qrels"), "pt-fairness annotate --none reads them"),
    (("annotate", "g.csv", "g.csv"), "g.csv"),
    (("rerank", "run", "xquad", "--groups", "g.csv", "--target", "qrels"), "or give the shares"),
    ((*TABLE, "rKL@5", "--uncertain", "9"), "with --groups"),
    ((*TABLE, "rKL@5", "--groups", "g.csv"), "with nothing to compare with have"),
])
def test_what_commands_say(run, arguments, says):
    _, err = run(*arguments)
    assert not ADVICE.search(err), err
    assert says in err
