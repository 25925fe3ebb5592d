"""The pages in pt_docs, and that they are about the package as it is."""

import importlib
import importlib.metadata
import importlib.resources
import os
import pickle
import shutil
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

import pt_fairness
from pt_fairness.measures import MEASURES
from pt_fairness.measures.descriptions import BIBLIOGRAPHY

pytest.importorskip("sphinx")

ROOT = Path(__file__).resolve().parent.parent
OUTPUTS = ROOT / ".ci" / "page_outputs.py"
PAGES = importlib.resources.files("pt_fairness") / "pt_docs"
NAMES = sorted(page.name.removesuffix(".rst") for page in PAGES.iterdir()
               if page.name.endswith(".rst"))
#: The modules whose ``__all__`` is public; what pt_fairness has itself is documented there.
MODULES = [
    "pt_fairness",
    *(
        f"pt_fairness.{name}"
        for name in (
            "analysis", "evaluation", "groups", "io", "measures", "plots", "rankings", "reporting",
            "io.runs", "analysis.simulation", "targets", "rerank", "values")
    ),
]

#: Settings without anything of this project.
CONF = """
project = "PyTerrier"
extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon"]
autoclass_content = "both"
"""
INDEX = """
Documentation
=============

.. include:: ./_includes/ext_toc.rst
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The pages, built as PyTerrier's documentation embeds them; a warning is an error."""
    source, build = tmp_path_factory.mktemp("docs"), tmp_path_factory.mktemp("build")
    name = importlib.metadata.metadata("pt_fairness")["name"]
    folder = source / "ext" / name
    folder.mkdir(parents=True)
    with importlib.resources.as_file(PAGES) as pages:
        shutil.copytree(pages, folder, dirs_exist_ok=True)
    (source / "_includes").mkdir()
    (source / "_includes" / "ext_toc.rst").write_text(
        f".. toctree::\n   :caption: Extensions\n\n   Fairness <../ext/{name}/index.rst>\n")
    (source / "conf.py").write_text(CONF)
    (source / "index.rst").write_text(INDEX)
    done = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-E", str(source), str(build)],
        capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return build, f"ext/{name}/"


def blocks(built, page):
    """Language and text of the blocks of code that stand on a page itself."""
    from docutils import nodes
    build, prefix = built
    tree = pickle.loads((build / ".doctrees" / f"{prefix}{page}.doctree").read_bytes())
    return [
        (block["language"], block.astext()) for block in tree.findall(nodes.literal_block)
        if "language" in block]


def documented(built):
    """The names of the Python objects that the pages document, with their kinds."""
    build, _ = built
    # Four lines of text, then lines of name, domain:kind, priority, address, title.
    *_, packed = (build / "objects.inv").read_bytes().split(b"\n", 4)
    entries = [line.split()[:2] for line in zlib.decompress(packed).decode().splitlines()]
    return {name: kind for name, kind in entries if kind.startswith("py:")}


def public():
    """The public names, each where it is documented: in pt_fairness, if it is there."""
    names = set()
    for module in map(importlib.import_module, MODULES):
        for name in module.__all__:
            top = getattr(pt_fairness, name, None) is getattr(module, name)
            names.add(f"{pt_fairness.__name__ if top else module.__name__}.{name}")
    return names


@pytest.mark.slow
def test_every_public_name_is_documented(built):
    # Two modules are public under a shorter name than that of their file.
    files = {"pt_fairness.simulation": "pt_fairness.analysis.simulation",
             "pt_fairness.runs": "pt_fairness.io.runs"}
    names = {files.get(name, name) for name in public()}
    assert names - documented(built).keys() == set()


def test_every_measure_is_public():
    for name, measure in MEASURES.items():
        assert name in pt_fairness.__all__, "import it in pt_fairness/measures/__init__.py"
        assert getattr(pt_fairness, name) is measure
        assert set(measure.SOURCE) <= BIBLIOGRAPHY.keys(), (
            f"put the paper of {name} into pt_fairness/measures/references.bib")


def environment():
    path = [str(Path(sys.executable).parent), os.environ["PATH"]]
    # The fixtures and slow versions of the tests are importable, as they are for a test.
    return {**os.environ, "PATH": os.pathsep.join(path), "PYTHONPATH": str(ROOT / "tests")}


def printed_blocks(built, page, language):
    """The blocks of a language, each with what it prints: the block of text behind it."""
    found = blocks(built, page)
    return [
        (text, after[1] if after[0] == "text" else None)
        for (kind, text), after in zip(found, [*found[1:], ("", "")], strict=True)
        if kind == language]


WITH_CODE = [name for name in NAMES if name not in ("agreement", "contributing")
             and ".. code-block:: python" in (PAGES / f"{name}.rst").read_text(encoding="utf-8")]


@pytest.mark.slow
@pytest.mark.parametrize("page", [*WITH_CODE, "command_line"])
def test_the_code_of_a_page_prints_what_the_page_says(page):
    done = subprocess.run([sys.executable, OUTPUTS, "--check", page], env=environment(),
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_the_example_of_a_new_measure_passes_its_tests(built, tmp_path):
    """The class and the tests of the page, as two files."""
    (_, gaps), (_, measure), (_, slow), (_, test) = [
        block for block in blocks(built, "contributing") if block[0] == "python"]
    (tmp_path / "gaps.py").write_text(gaps, encoding="utf-8")
    ((command, table),) = printed_blocks(built, "contributing", "bash")
    printed = subprocess.run(["bash", "-euc", command], cwd=tmp_path, env=environment(),
                             capture_output=True, text=True)
    assert printed.stdout.strip() == table
    for name in ("conftest.py", "measures/conftest.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / "tests" / name, tmp_path / name)
    entry = "import slow_versions\nslow_versions.MEASURES['GroupRR'] = group_rr"
    (tmp_path / "measures" / "test_page.py").write_text(
        f"{measure}\n{slow}\n{entry}\n{test}", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", ".", "."],
        cwd=tmp_path, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
