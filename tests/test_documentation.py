"""The pages in pt_docs, and that they are about the package as it is."""

from __future__ import annotations

import csv
import importlib
import importlib.metadata
import importlib.resources
import os
import pickle
import re
import shutil
import subprocess
import sys
import zlib
from html import unescape
from pathlib import Path

import pytest

import pt_fairness
from pt_fairness.measures import MEASURES
from pt_fairness.measures.bibliography import BIBLIOGRAPHY

# Sphinx and what it brings.
pytestmark = pytest.mark.newest

ROOT = Path(__file__).resolve().parent.parent
GENERATE = ROOT / ".ci" / "generate.py"
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
            "values.runs", "analysis.simulation", "targets", "rerank", "values")
    ),
]

#: PyTerrier's documentation has directives of its own, which the settings of the pages have, too.
CONF = """
import runpy
project = "PyTerrier"
extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon"]
autoclass_content = "both"
setup = runpy.run_path(%r)["setup"]
"""
INDEX = """
Documentation
=============

.. include:: ./_includes/ext_toc.rst
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The pages, built the way PyTerrier's documentation embeds those of an extension; a warning is
    an error.
    """
    source, build = tmp_path_factory.mktemp("docs"), tmp_path_factory.mktemp("build")
    name = importlib.metadata.metadata("pt_fairness")["name"]
    folder = source / "ext" / name
    folder.mkdir(parents=True)
    with importlib.resources.as_file(PAGES) as pages:
        shutil.copytree(pages, folder, dirs_exist_ok=True)
    (source / "_includes").mkdir()
    (source / "_includes" / "ext_toc.rst").write_text(
        f".. toctree::\n   :maxdepth: 1\n   :caption: Extensions\n\n   Fairness "
        f"<../ext/{name}/index.rst>\n"
    )
    (source / "conf.py").write_text(CONF % str(GENERATE.with_name("conf.py")))
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
    lines = (
        zlib.decompress((build / "objects.inv").read_bytes().split(b"\n", 4)[4]) .decode()
        .splitlines())
    entries = [line.split()[:2] for line in lines]
    return {name: kind for name, kind in entries if kind.startswith("py:")}


def resolve(name):
    parts = name.split(".")
    for size in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:size]))
        except ImportError:
            continue
        for part in parts[size:]:
            found = getattr(found, part)
        return found
    raise AttributeError(name)


def public():
    """The public names, each where it is documented: in pt_fairness, if it is there."""
    names = set()
    for module in map(importlib.import_module, MODULES):
        for name in module.__all__:
            top = getattr(pt_fairness, name, None) is getattr(module, name)
            names.add(f"{pt_fairness.__name__ if top else module.__name__}.{name}")
    return names


@pytest.mark.slow
def test_every_page_is_in_the_table_of_contents(built):
    build, prefix = built
    contents = [part for page in ("index", "measures") for part in re.findall(
        r'<div class="toctree-wrapper.*?</div>', (build / prefix / f"{page}.html").read_text(),
        re.DOTALL)]
    linked = re.findall(r'href="(\w+)\.html', "".join(contents))
    assert sorted(linked) == sorted(set(NAMES) - {"index"})


@pytest.mark.slow
def test_every_leaf_of_a_decision_tree_leads_to_its_measure(built):
    build, prefix = built
    page = unescape((build / prefix / "choosing.html").read_text(encoding="utf-8"))
    leaves = re.findall(r'<div class="line">(.*?)</div>', page)
    links = [re.findall(r'href="([\w/]+\.html)#pt_fairness\.(\w+)".*?>(\w+)', leaf)
             for leaf in leaves if "@" in leaf]
    assert len(links) > 15
    for ((target, name, text),) in links:
        assert name == text
        assert f'id="pt_fairness.{name}"' in (build / prefix / target).read_text(encoding="utf-8")


@pytest.mark.slow
def test_no_measure_is_a_mail_address(built):
    build, prefix = built
    pages = {path.name: path.read_text(encoding="utf-8")
             for path in (build / prefix).rglob("*.html")}
    assert {"index.html", "choosing.html"} <= pages.keys()
    assert {name: re.findall("mailto:[^\"]*", text) for name, text in pages.items()
            if "mailto:" in text} == {}


@pytest.mark.slow
def test_how_to_guides_are_sections(built):
    build, prefix = built
    text = (PAGES / "how_to.rst").read_text(encoding="utf-8")
    guides = re.findall(r"^\.\. how-to:: (.*)$", text, re.MULTILINE)
    page = (build / prefix / "how_to.html").read_text(encoding="utf-8")
    assert len(guides) > 5
    assert re.findall(r"<h2>(.*?)<a", page) == guides


@pytest.mark.slow
def test_what_is_related_is_documented(built):
    """PyTerrier's documentation links from the objects of these names to the sections."""
    names = [name for page in NAMES for name in re.findall(
        r"^ *\.\. related:: (.*)$", (PAGES / f"{page}.rst").read_text("utf-8"), re.MULTILINE)]
    assert len(names) > 15
    assert {*names} <= documented(built).keys()


@pytest.mark.slow
def test_every_public_name_is_documented(built):
    # The module is public under a shorter name than that of its file.
    names = {name.replace("pt_fairness.simulation", "pt_fairness.analysis.simulation")
             for name in public()}
    assert names <= documented(built).keys()


@pytest.mark.slow
def test_what_is_documented_is_public(built):
    known = {id(resolve(name)) for name in public()}
    # What annotate and table return, and what an evaluation has.
    known |= set(map(id, map(resolve, [
        "pt_fairness.rerank.rerankers.Annotate", "pt_fairness.analysis.tables.Table",
        "pt_fairness.analysis.notes.Facts"])))

    def is_public(name):
        try:
            return id(resolve(name)) in known
        except AttributeError:
            return False

    for name, kind in documented(built).items():
        # A class or a function, listed by autodoc where it is defined too; or a member, which
        # autodoc has found in its class.
        assert kind == "py:module" or is_public(name) or is_public(name.rpartition(".")[0]), name


@pytest.mark.slow
def test_the_reference_of_the_re_rankers_shows_what_users_call(built):
    members = {
        name.rpartition(".")[2] for name, kind in documented(built).items()
        if name.startswith("pt_fairness.rerank.") and kind != "py:class"}
    assert members == {"draws", "policy", "rankings"}
    build, prefix = built
    assert "kwargs" not in (build / prefix / "api.html").read_text(encoding="utf-8")


def test_every_measure_is_public():
    for name, measure in MEASURES.items():
        assert name in pt_fairness.__all__, "import it in pt_fairness/measures/__init__.py"
        assert getattr(pt_fairness, name) is measure
        assert set(measure.SOURCE) <= BIBLIOGRAPHY.keys(), (
            f"put the paper of {name} into pt_fairness/measures/references.bib")


@pytest.mark.slow
@pytest.mark.skipif(not GENERATE.exists(), reason="not in the source distribution")
def test_what_is_generated_is_up_to_date():
    done = subprocess.run([sys.executable, GENERATE, "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_measure_has_a_question_and_a_worked_example():
    answers = re.findall(r":py:data:`~pt_fairness\.(\w+)`",
                         (PAGES / "choosing.rst").read_text(encoding="utf-8"))
    assert set(answers) >= set(MEASURES)
    sections = [part for page in NAMES if page.startswith("measures_") for part in re.split(
        r"^(\w+) — .+\n-+$", (PAGES / f"{page}.rst").read_text(encoding="utf-8"),
        flags=re.MULTILINE)[1:]]
    for name, text in zip(sections[::2], sections[1::2], strict=True):
        for part in ("It needs ", "rubric:: Formula", "rubric:: Range", "rubric:: Source"):
            assert part in text, name
        (value,) = re.findall(rf"^ {{6}}{name}: (-?\d+\.\d{{3}})$", text, re.MULTILINE)
        rows = re.findall(r"^ {6} +\d .* (-?\d+\.\d{3})$", text, re.MULTILINE)
        assert len(rows) == 5
        total = sum(map(float, rows)) if " contribution\n" in text else float(rows[-1])
        assert abs(total - float(value)) < 0.003  # five rounded numbers
    assert sorted(sections[::2]) == sorted(MEASURES)


def test_every_page_of_measures_says_when_they_mislead_and_names_papers():
    for page in (page for page in NAMES if page.startswith("measures_")):
        text = (PAGES / f"{page}.rst").read_text(encoding="utf-8")
        assert re.search(r"^When (it misleads|they mislead)\n-+\n\n\* \*\w", text, re.MULTILINE)
        assert re.search(r"^References\n-+\n\n\* ", text, re.MULTILINE)
        assert re.search(r"^Parameters\n-+\n\n\.\. csv-table::", text, re.MULTILINE)


@pytest.mark.slow
def test_the_index_of_the_measures_leads_to_each_by_old_addresses_too(built):
    build, prefix = built
    page = (build / prefix / "measures.html").read_text(encoding="utf-8")
    for name in MEASURES:
        (family,) = (other for other in NAMES if other.startswith("measures_")
                     and f".. py:data:: {name}\n" in (PAGES / f"{other}.rst").read_text("utf-8"))
        assert f'id="pt_fairness.{name}"' in page
        assert f'href="{family}.html#pt_fairness.{name}"' in page


def test_what_a_measure_needs_is_in_the_index():
    """By the definitions: a target or a minority of the relevant documents, merit, gain."""
    text = (PAGES / "measures.rst").read_text(encoding="utf-8")
    table = csv.reader(line.strip() for line in text.splitlines() if ":anchor:`" in line)
    rows = {row[0].rpartition(":py:data:")[2].strip("`"): row[-1] for row in table}
    assert sorted(rows) == sorted(MEASURES)
    without = {"Annotated", "DistKL", "DistFair", "AWRF", "NDKL", "RADio", "RaB", "ARaB",
               "FaiRR", "NFaiRR", "RankingBias", "Skew", "MinSkew", "MaxSkew", "nDD", "nDR",
               "nDKL", "nDJS", "ExposureRatio"}
    assert {name for name, needs in rows.items() if "relevance" not in needs} == without
    assert rows["EEL"] == rows["IAA"] == "relevance"
    assert {name for name, needs in rows.items() if "not with" in needs} == {
        "RepBias", "logDP", "rND", "rKL", "rRD", "FAIR", "PreF"}
    assert rows["RepBias"] == "groups, relevance (not with ``target=``), ``group=``"
    assert rows["rKL"] == "groups, relevance (not with ``protected=`` and ``target=``)"
    assert rows["OfGroup"] == "groups, relevance, ``measure=``, ``group=``"


def environment():
    path = [str(Path(sys.executable).parent), os.environ["PATH"]]
    # The fixtures and slow versions of the tests are importable, as they are for a test.
    return {**os.environ, "PATH": os.pathsep.join(path), "PYTHONPATH": str(ROOT / "tests")}


def printed_blocks(built, page, language):
    """The blocks of a language, each with the block of plain text that follows at once: what it
    prints.
    """
    found = blocks(built, page)
    return [
        (text, after[1] if after[0] == "text" else None)
        for (kind, text), after in zip(found, [*found[1:], ("", "")], strict=True)
        if kind == language]



def test_every_measure_has_its_peers_or_is_named_without_one():
    page = (PAGES / "agreement.rst").read_text(encoding="utf-8")
    assert [name for name in MEASURES if not re.search(rf"\b{name}\b", page)] == []


WITH_PYTHON = [name for name in NAMES if name != "agreement"
               and ".. code-block:: python" in (PAGES / f"{name}.rst").read_text(encoding="utf-8")]


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_PYTHON)
def test_the_python_blocks_run_one_after_the_other(built, page, tmp_path):
    found = printed_blocks(built, page, "python")
    assert found
    mark = "\x1e"
    (tmp_path / "page.py").write_text(
        "from __future__ import annotations\n"
        + f"\nprint({mark!r})\n".join(
            text.replace("from __future__ import annotations\n", "") for text, _ in found),
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "page.py"], cwd=tmp_path, env=environment(), capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    for (text, expected), printed in zip(found, done.stdout.split(f"{mark}\n"), strict=True):
        if expected is not None:
            assert [
                line.rstrip() for line in printed.strip("\n").splitlines()
            ] == expected.splitlines(), text


@pytest.mark.slow
def test_the_commands_run_one_after_the_other(built, tmp_path):
    found = printed_blocks(built, "command_line", "bash")
    assert found
    for text, expected in found:
        done = subprocess.run(["bash", "-euc", text], cwd=tmp_path, env=environment(),
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        if expected is not None:
            assert sorted(map(str.split, done.stdout.splitlines())) == sorted(
                map(str.split, expected.splitlines())), text


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
    assert done.returncode == 0 and "13 passed" in done.stdout, done.stdout


def test_every_example_has_a_line():
    names = [
        path.name for path in (ROOT / "examples").iterdir() if path.suffix in (".py", ".ipynb")]
    page = (PAGES / "examples.rst").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^\* ``([\w.]+)``: \w", page, re.MULTILINE)) == sorted(names)
