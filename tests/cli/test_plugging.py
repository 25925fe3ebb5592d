"""Importing, registering and plugging, each in an interpreter of its own."""

import subprocess
import sys
import venv
from pathlib import Path

import pytest

import pt_fairness
from pt_fairness.cli import FILE_NAME


def run(code, *, python=sys.executable, **options):
    """What a fresh interpreter prints."""
    done = subprocess.run([python, "-c", code], capture_output=True, text=True, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


HEAVY = ("pandas", "scipy", "pyterrier", "ir_datasets", "matplotlib", "pyndeval", "joblib", "jnius")


def test_import_brings_in_nothing_heavy():
    code = f"import sys, pt_fairness; print([m for m in {HEAVY} if m in sys.modules])"
    assert run(code) == "[]"


@pytest.mark.slow
@pytest.mark.parametrize("order", [
    "import pt_fairness, pyterrier as pt", "import ir_measures, ir_datasets, pyterrier as pt",
    "import pyterrier.measures, pyterrier as pt, importlib, pt_fairness"])
def test_every_order_of_imports_registers_once(order):
    code = f"""
{order}
import ir_measures, ir_datasets, pt_fairness, pt_fairness
assert pt.fairness is pt_fairness
from pyterrier.measures import *
assert rKL is pt_fairness.rKL and nDCG is ir_measures.nDCG
assert ir_measures.parse_measure("rKL@5") == rKL@5
pipeline = [p.NAME for p in ir_measures.DefaultPipeline.providers]
assert pipeline.count("fairness") == 1, pipeline
assert pipeline.index("fairness") < pipeline.index("pyndeval"), pipeline
assert ir_measures.providers.registry["fairness"].NAME == "fairness"
assert "pt-fairness/debates/stance" in list(ir_datasets.registry)
assert not pt.java.started()
print("fine")
"""
    assert run(code) == "fine"


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """An environment that sees this one's packages and has a site-packages folder of its own."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=False)
    python = str(folder / "bin" / "python")
    own = run("import sysconfig; print(sysconfig.get_path('purelib'))", python=python)
    here = [p for p in sys.path if p.endswith("site-packages")]
    here.append(str(Path(pt_fairness.__file__).parents[1]))
    Path(own, "others.pth").write_text("\n".join(here) + "\n")
    return python, own


def call(python, *arguments):
    """What a command of this environment prints."""
    done = subprocess.run([python, "-m", *arguments], capture_output=True, text=True)
    return done.returncode, done.stdout.strip(), done.stderr


def cli(python, *arguments):
    return run(f"from pt_fairness.cli import main; exit(main({list(arguments)}))", python=python)


@pytest.mark.slow
def test_plug_status_unplug(environment, tmp_path):
    python, own = environment
    where = f"{own}/{FILE_NAME}"
    before = sorted(p.name for p in Path(own).iterdir())
    empty = tmp_path / "empty.run"
    empty.write_text("")
    arguments = ("ir_measures", "pt-fairness/debates/stance", str(empty), "rKL@5")

    assert cli(python, "plug", "--status").startswith("not plugged in: ")
    assert call(python, *arguments)[0] != 0

    assert cli(python, "plug") == where
    assert cli(python, "plug", "--status") == f"plugged in: {where}"
    assert sorted(p.name for p in Path(own).iterdir()) == sorted([*before, FILE_NAME])
    assert call(python, *arguments)[:2] == (0, "rKL@5\t1.0000")
    code, out, error = call(python, "ir_datasets", "export", "pt-fairness/debates/stance", "qrels")
    assert code == 0 and out.splitlines()[0] == "1 PRO d01-01 2", error
    heavy = (f"import sys; print([m for m in "
             f"{('ir_measures', 'ir_datasets', 'pt_fairness', *HEAVY)} if m in sys.modules])")
    assert run(heavy, python=python) == "[]"

    assert cli(python, "unplug") == f"removed {where}"
    assert cli(python, "unplug").startswith("nothing to remove: ")
    assert sorted(p.name for p in Path(own).iterdir()) == before


@pytest.mark.slow
def test_a_plug_whose_package_is_gone_or_fails(environment, tmp_path):
    """Other commands go on; the second says why this one does not."""
    python, own = environment
    plug = Path(own) / FILE_NAME
    cli(python, "plug")
    text = plug.read_text()
    try:
        plug.write_text(text.replace("__init__.py", "gone.py"))
        done = subprocess.run([python, "-c", "import ir_measures; print(ir_measures.nDCG@5)"],
                              capture_output=True, text=True)
        assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "nDCG@5", "")
        assert cli(python, "plug", "--status").startswith("not plugged in: ")
        plug.write_text(text)
        (tmp_path / "pt_fairness").mkdir()
        (tmp_path / "pt_fairness/__init__.py").write_text("raise RuntimeError('broken on purpose')")
        code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import ir_measures; print('on')"
        done = subprocess.run([python, "-c", code], capture_output=True, text=True)
        assert done.returncode == 0 and done.stdout.strip() == "on"
        assert "broken on purpose" in done.stderr and "pt-fairness unplug" in done.stderr
    finally:
        plug.unlink()
