"""Small files, and the command that evaluates them."""

import pytest

from pt_fairness import cli

QRELS = "1 PRO a 1\n1 PRO b 1\n1 CON c 1\n2 PRO é 1\n2 CON f 2\n2 - g 0\n"
RUN = "1 Q0 c 1 4 t\n1 Q0 a 2 3 t\n1 Q0 d 3 2 t\n1 Q0 b 4 1 t\n2 Q0 f 1 2 t\n2 Q0 é 2 1 t\n"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "qrels").write_text(QRELS, encoding="utf-8")
    (tmp_path / "run").write_text(RUN, encoding="utf-8")
    return str(tmp_path / "qrels"), str(tmp_path / "run")


@pytest.fixture
def run(capsys):
    """``run(argument…)``: exit code, standard output, standard error of ``pt-fairness eval``."""
    def call(*arguments):
        return cli.main(["eval", *arguments]), *capsys.readouterr()
    return call
