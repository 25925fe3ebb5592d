"""What is built of the project: the sdist, the wheel, and what they say of themselves."""

import ast
import configparser
import email
import importlib.metadata
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
import yaml

import pt_fairness
from pt_fairness.measures import MEASURES
from pt_fairness.measures.descriptions import BIBLIOGRAPHY

ROOT = Path(__file__).resolve().parent.parent
VERSION = pt_fairness.__version__
INFO = f"pt_fairness-{VERSION}.dist-info"
#: What work leaves behind.
WASTE = ("pt_fairness/__pycache__/cli.cpython-311.pyc", "tests/__pycache__/figures.pyc",
         ".venv/pyvenv.cfg", ".mypy_cache/x.json", "pt_fairness/pt_docs/build/index.html")

# The build tools.
pytestmark = pytest.mark.newest


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The files of the project, the sdist, and the wheel that is built from it."""
    ignored = ROOT / ".gitignore"
    lines = ignored.read_text().split() if ignored.exists() else []
    patterns = [line.rstrip("/") for line in lines]
    copy = tmp_path_factory.mktemp("project") / "project"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", *patterns))
    files = {path.relative_to(copy).as_posix() for path in copy.rglob("*") if path.is_file()}
    for name in WASTE:
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        (copy / name).write_text("waste")
    out = tmp_path_factory.mktemp("dist")
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(copy)],
        capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return files, out / f"pt_fairness-{VERSION}.tar.gz", next(out.glob("*.whl"))


@pytest.fixture
def metadata(built):
    with zipfile.ZipFile(built[2]) as archive:
        return email.message_from_bytes(archive.read(f"{INFO}/METADATA"))


@pytest.mark.slow
def test_the_wheel_holds_the_package_and_nothing_else(built):
    files, _, wheel = built
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {name for name in names if not name.startswith(INFO)} == {
        name for name in files if name.startswith("pt_fairness/")}
    assert f"{INFO}/licenses/LICENSE" in names


@pytest.mark.slow
def test_the_sdist_holds_the_project_and_nothing_else(built):
    files, sdist, _ = built
    with tarfile.open(sdist) as archive:
        names = {one.name.partition("/")[2] for one in archive.getmembers() if one.isfile()}
    alone = {"README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "pyproject.toml", ".gitignore"}
    folders = ("pt_fairness/", "tests/", "examples/", ".ci/")
    assert names == alone | {name for name in files if name.startswith(folders)} | {"PKG-INFO"}


@pytest.mark.slow
def test_entry_points(built):
    with zipfile.ZipFile(built[2]) as archive:
        entries = configparser.ConfigParser()
        entries.read_string(archive.read(f"{INFO}/entry_points.txt").decode())
    assert {name: dict(entries[name]) for name in entries.sections()} == {
        "console_scripts": {"pt-fairness": "pt_fairness.cli:main"},
        "pyterrier.modules": {"fairness": "pt_fairness"},
        "ir_measures.provider": {"fairness": "pt_fairness.provider:FairnessProvider"}}


def imported():
    """The distributions that the package imports from, somewhere."""
    names = set()
    for path in (ROOT / "pt_fairness").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            modules = [alias.name for alias in node.names] if isinstance(node, ast.Import) else (
                [node.module or ""] if isinstance(node, ast.ImportFrom) else [])
            names |= {module.partition(".")[0] for module in modules}
    known = importlib.metadata.packages_distributions()
    return {known[name][0].lower() for name in names - {"pt_fairness"}
            if name in known and name not in sys.stdlib_module_names}


@pytest.mark.slow
def test_what_is_imported_is_required(metadata):
    required = {re.match(r"[\w.-]+", one).group().lower().replace(".", "-")
                for one in metadata.get_all("Requires-Dist")}
    # dask brings cloudpickle, and joblib has a copy; python-terrier brings pyterrier.
    brought = {"cloudpickle", "pyterrier"}
    assert {re.sub("[_.]", "-", name) for name in imported()} <= required | brought


def test_one_version_and_the_papers_of_the_measures():
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## \[([\d.]+)\]", changes, re.MULTILINE)[1]
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert VERSION == newest == cited["version"]
    used = {"clarke2008", *(key for measure in MEASURES.values() for key in measure.SOURCE)}
    titles = [paper.fields["title"] for key, paper in BIBLIOGRAPHY.items() if key in used]
    assert [reference["title"] for reference in cited["references"]] == titles
