"""What files and names hold is read, and never executed: .github/SECURITY.md."""

import pickle
from pathlib import Path

import ir_measures
import pytest
from case_marks import slow_cases

from pt_fairness import cli

CODE = "__import__('pathlib').Path({!r}).write_text('x')"


class Payload:
    """An object that writes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return eval, (CODE.format(str(self.path)),)


@pytest.fixture
def mark(folder_of):
    """The file that exists if something was executed, in a folder with qrels, run and groups."""
    folder = folder_of({"qrels": "1 PRO a 1\n1 CON b 1\n", "run": "1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n",
                        "groups.csv": "docno,group\na,PRO\nb,CON\n"})
    return folder / "executed"


COMMANDS = [
    ("qrels", ["table", "{}", "run", "-m", "rKL@2"]),
    ("run", ["table", "qrels", "{}", "-m", "rKL@2"]),
    ("groups", ["table", "qrels", "run", "-m", "rKL@2", "--groups", "{}"]),
    ("column", ["table", "qrels", "run", "-m", "rKL@2", "--groups", "{}:label"]),
    ("targets", ["table", "qrels", "run", "-m", "AWRF(target='hostile')@2", "--targets", "{}"]),
    ("topic groups", ["table", "qrels", "run", "-m", "rKL@2", "--topic-groups", "{}"]),
    ("topics", ["report", "qrels", "run", "-m", "rKL@2", "--topics", "{}", "-o", "page.html"]),
    ("re-ranked", ["rerank", "{}", "xquad", "--groups", "groups.csv"]),
    ("annotated", ["annotate", "qrels", "{}"]),
]


@pytest.mark.parametrize("suffix", ["pkl", *slow_cases("py", "csv", "parquet", "json", "gz")])
@pytest.mark.parametrize("kind, command", COMMANDS, ids=[kind for kind, _ in COMMANDS])
def test_a_file_is_not_executed(mark, kind, command, suffix, capsys):
    name = f"hostile.{suffix}"
    for content in (pickle.dumps(Payload(mark)), CODE.format(str(mark)).encode()):
        Path(name).write_bytes(content)
        assert cli.main([part.format(name) for part in command]) == 2
        assert name in capsys.readouterr().err and not mark.exists()


@pytest.mark.parametrize("text", ["{}", "rKL(groups={})@2", "rKL(groups=\"{}\")@2", "rKL@{}"])
def test_a_name_of_a_measure_is_not_executed(mark, text, capsys):
    measure = text.format(CODE.format(str(mark)))
    assert cli.main(["table", "qrels", "run", "-m", measure]) == 2
    with pytest.raises((ValueError, NameError, SyntaxError)):
        list(ir_measures.iter_calc([ir_measures.parse_measure(measure)], [], []))
    assert not mark.exists()


def test_a_parameter_of_a_re_ranker_is_not_executed(mark, capsys):
    code = CODE.format(str(mark))
    assert cli.main(["rerank", "run", "xquad", "--groups", "groups.csv", "--lam", code]) == 2
    assert not mark.exists()
