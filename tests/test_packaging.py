"""What is built of the project: the wheel, the sdist, what they say of themselves, and installing
them.
"""

from __future__ import annotations

import ast
import configparser
import email
import importlib.metadata
import re
import shutil
import subprocess
import sys
import sysconfig
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
IGNORED = (
    [line.rstrip("/") for line in (ROOT / ".gitignore").read_text().split()]
    if (ROOT / ".gitignore").exists() else [])

# The build tools.
pytestmark = pytest.mark.newest


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """A copy of the project as git has it, and then with what work leaves behind."""
    copy = tmp_path_factory.mktemp("project") / "project"
    shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns(".git", *IGNORED))
    files = {path.relative_to(copy).as_posix() for path in copy.rglob("*") if path.is_file()}
    for waste in (
        "pt_fairness/__pycache__/cli.cpython-311.pyc",
        "tests/__pycache__/figures.cpython-311.pyc",
        ".venv/pyvenv.cfg",
        "examples/__pycache__/quickstart.pyc",
        ".ci/__pycache__/generate.pyc",
        ".mypy_cache/x.json",
        "pt_fairness/pt_docs/build/index.html",
    ):
        path = copy / waste
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("waste")
    return copy, files


@pytest.fixture(scope="module")
def built(tree, tmp_path_factory):
    """The sdist, and the wheel that is built from it."""
    out = tmp_path_factory.mktemp("dist")
    done = subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(tree[0])],
        capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (sdist,), (wheel,) = out.glob("*.tar.gz"), out.glob("*.whl")
    return sdist, wheel


@pytest.mark.slow
def test_the_wheel_holds_the_package_and_nothing_else(tree, built):
    _, wheel = built
    assert wheel.name == f"pt_fairness-{VERSION}-py3-none-any.whl"
    names = set(zipfile.ZipFile(wheel).namelist())
    info = f"pt_fairness-{VERSION}.dist-info/"
    assert {name for name in names if name.startswith(info)} == {
        info + name
        for name in ("METADATA", "WHEEL", "RECORD", "entry_points.txt", "licenses/LICENSE")}
    package = {name for name in names if not name.startswith(info)}
    assert package == {name for name in tree[1] if name.startswith("pt_fairness/")}


@pytest.mark.slow
def test_the_sdist_holds_the_project_and_nothing_else(tree, built):
    sdist, _ = built
    assert sdist.name == f"pt_fairness-{VERSION}.tar.gz"
    with tarfile.open(sdist) as archive:
        names = {
            member.name.partition("/")[2] for member in archive.getmembers() if member.isfile()}
    alone = {"README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff", "pyproject.toml", ".gitignore"}
    wanted = alone | {
        name for name in tree[1] if name.startswith(("pt_fairness/", "tests/", "examples/", ".ci/"))
    }
    assert names == wanted | {"PKG-INFO"}


@pytest.mark.slow
def test_metadata(built):
    _, wheel = built
    with zipfile.ZipFile(wheel) as archive:
        found = email.message_from_bytes(archive.read(f"pt_fairness-{VERSION}.dist-info/METADATA"))
        entries = configparser.ConfigParser()
        entries.read_string(archive.read(f"pt_fairness-{VERSION}.dist-info/entry_points.txt").decode())
    assert (found["Name"], found["Version"], found["License-Expression"]) == (
        "pt-fairness", VERSION, "Apache-2.0")
    assert found["Requires-Python"] == ">=3.10" and "Typing :: Typed" in found.get_all("Classifier")
    assert found["Description-Content-Type"] == "text/markdown" and found.get_payload().startswith(
        "# ")
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
    return {
        known[name][0].lower() for name in names - {"pt_fairness"}
        if name in known and name not in sys.stdlib_module_names}


@pytest.mark.slow
def test_dependencies(built):
    with zipfile.ZipFile(built[1]) as archive:
        found = email.message_from_bytes(archive.read(f"pt_fairness-{VERSION}.dist-info/METADATA"))
    needed, extra = set(), set()
    for one in found.get_all("Requires-Dist"):
        name = re.match(r"[\w.-]+", one).group().lower().replace(".", "-")
        (extra if "extra ==" in one else needed).add(name)
    assert {
        "python-terrier", "pyterrier", "ir-measures", "ir-datasets", "pandas", "numpy"} <= needed
    assert not needed & {
        "matplotlib", "pyarrow", "pyterrier-pisa", "joblib", "dask", "pyndeval", "pytest", "sphinx"}
    # dask brings cloudpickle, and joblib has a copy; sphinx brings docutils.
    brought = {"cloudpickle", "docutils"}
    assert {re.sub("[_.]", "-", name) for name in imported()} <= needed | extra | brought


def citation():
    return yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_one_version():
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest, *_ = re.findall(
        r"^## \[([\d.]+)\] - (?:unreleased|\d{4}-\d\d-\d\d)$", changes, re.MULTILINE)
    assert VERSION == newest == citation()["version"]


def test_citation():
    cited = citation()
    assert cited["cff-version"] == "1.2.0" and cited["license"] == "Apache-2.0" and cited["message"]
    assert cited["authors"] == [{"name": "The pt_fairness developers"}]
    used = {"clarke2008", *(key for measure in MEASURES.values() for key in measure.SOURCE)}
    known = {paper.fields["title"]: (key, paper) for key, paper in BIBLIOGRAPHY.items()
             if key in used}
    assert [reference["title"] for reference in cited["references"]] == list(known)
    for reference in cited["references"]:
        key, paper = known[reference["title"]]
        names = [
            f"{author['given-names']} {author['family-names']}" for author in reference["authors"]]
        assert " and ".join(names) == paper.fields["author"]
        assert paper.fields["year"] == str(reference["year"])
        assert paper.link.endswith(reference.get("doi", reference.get("url", ""))) and bool(
            paper.link) == (not {"doi", "url"}.isdisjoint(reference))
        measures = {name for name, measure in MEASURES.items() if key in measure.SOURCE}
        if key == "clarke2008":  # of measures of ir_measures, which have no SOURCE
            measures = {"alpha_nDCG", "alpha_DCG"}
        assert set(reference["notes"].split(", ")) == measures


@pytest.fixture(scope="module")
def installed(built, tmp_path_factory):
    """An environment that has the sdist installed, offline, beside the packages of this one."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    python = folder / ("Scripts" if sys.platform == "win32" else "bin") / "python"
    packages = subprocess.run(
        [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True, text=True, check=True).stdout.strip()
    paths = dict.fromkeys([sysconfig.get_path("purelib"), sysconfig.get_path("platlib")])
    (Path(packages) / "beside.pth").write_text("\n".join(paths) + "\n")
    done = subprocess.run(
        [
            str(python), "-m", "pip", "install", "--no-deps", "--no-index", "--no-build-isolation",
            "--disable-pip-version-check", str(built[0])],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return python, packages


@pytest.mark.slow
def test_installing_the_sdist_works_offline(installed, tmp_path):
    python, packages = installed
    code = (
        "import importlib.metadata, pathlib, pt_fairness; "
        "print(pathlib.Path(pt_fairness.__file__).resolve().parents[1]);"
        "print(pt_fairness.__version__, importlib.metadata.version('pt-fairness'));"
        "import pyterrier as pt; print(pt.fairness is pt_fairness, pt.measures.rKL is "
        "pt_fairness.rKL);"
        "print(len(pt.get_dataset('irds:pt-fairness/debates/stance').get_qrels()) > 100)"
    )
    done = subprocess.run(
        [str(python), "-I", "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        str(Path(packages).resolve()), f"{VERSION} {VERSION}", "True True", "True"]
    command = [str(python), "-I", str(python.with_name("pt-fairness")), "measures"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and "rKL" in done.stdout
