"""Small files, and commands on them: in this process and in another one."""

import subprocess
import sys

import pytest

from pt_fairness import cli

QRELS = "1 PRO a 1\n1 PRO b 1\n1 CON c 1\n2 PRO é 1\n2 CON f 2\n2 - g 0\n"
RUN = "1 Q0 c 1 4 t\n1 Q0 a 2 3 t\n1 Q0 d 3 2 t\n1 Q0 b 4 1 t\n2 Q0 f 1 2 t\n2 Q0 é 2 1 t\n"


@pytest.fixture
def command(capsys):
    """``command(argument…)``: exit code, standard output, standard error."""
    def run(*arguments):
        try:
            code = cli.main([*map(str, arguments)])
        except SystemExit as stop:  # of argparse
            code = stop.code
        return code, *capsys.readouterr()
    return run


@pytest.fixture
def files(folder_of):
    """A folder with qrels that have groups and a run, as working directory."""
    return folder_of({"qrels": QRELS, "run": RUN})


@pytest.fixture(scope="session")
def process():
    """``process(argument…)``: the command in an interpreter of its own, which has ended."""
    main = "import sys; from pt_fairness.cli import main; sys.exit(main())"

    def run(*arguments, shell="", **options):
        before = ["/bin/sh", "-c", f'exec "$0" "$@" {shell}'] if shell else []
        if "stdout" not in options:
            options["capture_output"] = True
        return subprocess.run([*before, sys.executable, "-c", main, *map(str, arguments)],
                              encoding="utf-8", **options)
    return run
