"""Every block of code in the README, as it stands there."""

import importlib.resources
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)


def test_the_python_blocks_run_one_after_the_other(tmp_path, monkeypatch, capsys):
    """The first blocks print the tables that follow them."""
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for number, block in enumerate(blocks("python"), 1):
        exec(compile(block, f"README.md, Python block {number}", "exec"), names)
        if number <= len(blocks("text")):
            assert capsys.readouterr().out == blocks("text")[number - 1]


COMMANDS = [block for block in blocks("bash") if ".venv" not in block]


@pytest.mark.parametrize("number", range(len(COMMANDS)))
def test_the_commands_run(number, tmp_path):
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-euc", COMMANDS[number]], cwd=tmp_path, env={**os.environ, "PATH": path},
        capture_output=True, text=True)
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr


def test_the_table_is_what_the_quickstart_prints():
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "quickstart.py")], capture_output=True, text=True)
    assert done.stdout.startswith("\n".join(blocks("text")))


def test_the_fairest_possible_value_of_the_sentence():
    """No ranking of ten documents has less than the proportional one of the table."""
    from pt_fairness import analysis, evaluate, reference_rankings, rKL
    from pt_fairness.io import load_qrels

    qrels = load_qrels("pt-fairness/debates/stance")
    run = reference_rankings(qrels, kinds="proportional")
    fairest = analysis.against_random(run, qrels, rKL @ 10, draws=1)["fairest"].item()
    table, _ = evaluate(run, qrels, rKL @ 10, progress=False)
    assert f"{fairest:.4f}" == f"{table['rKL@10'].item():.4f}" == "0.1284"


def test_the_two_commands_are_there():
    for name in ("quickstart", "tests"):
        (command,) = re.findall(rf"<!-- {name} -->\n```bash\n(.*)\n```\n", README)
        assert command.startswith("python3 -m venv .venv && .venv/bin/pip install -q ")


def test_the_table_of_questions_names_every_measure():
    from pt_fairness.measures import MEASURES

    table = README[README.index("| question | measure |"):]
    table = table[:table.index("\n\n")]
    for name in MEASURES:
        assert re.search(rf"\b{name}\b", table), name


def test_its_links_lead_somewhere():
    links = re.findall(r"\]\(((?!https?:)[^)]+)\)", README)
    assert len(links) > 5
    pages = importlib.resources.files("pt_fairness")
    for path in links:
        assert (ROOT / path).is_file() or \
            pages.joinpath(path.removeprefix("pt_fairness/")).is_file(), path
    assert {"examples/README.md", "examples/from_corpus_to_figure.ipynb"} <= set(links)


def test_the_command_for_own_runs(tmp_path):
    """In the activated environment of the first command, which the tests do not make again."""
    (block,) = [block for block in blocks("bash") if "pt-fairness report" in block]
    activate, command = block.split("\n", 1)
    assert activate.startswith(". .venv/bin/activate && pip install ")
    (tmp_path / "qrels.txt").write_text("1 0 a 1\n1 0 b 1\n2 0 a 1\n2 0 b 1\n")
    (tmp_path / "groups.csv").write_text("docno,group\na,PRO\nb,CON\n")
    for name, order in (("bm25.run", "ab"), ("neural.run", "ba")):
        (tmp_path / name).write_text("".join(
            f"{qid} Q0 {docno} {rank} {9 - rank} x\n"
            for qid in "12" for rank, docno in enumerate(order)))
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    subprocess.run(["bash", "-euc", command], cwd=tmp_path, env={**os.environ, "PATH": path},
                   check=True, capture_output=True)
    assert "For the paper" in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_the_plain_command_says_what_the_readme_quotes(tmp_path):
    (tmp_path / "qrels").write_text("1 PRO a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1 x\n")
    # -S ignores .pth files, and so what pt-fairness plug installs.
    done = subprocess.run([sys.executable, "-S", "-m", "ir_measures", "qrels", "run", "rND@10"],
                          cwd=tmp_path, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    (quoted,) = re.findall(r"answers `([^`]+)`", README)
    assert quoted in done.stderr and done.returncode != 0
