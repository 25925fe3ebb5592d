"""Names of dataset ids and of group sources, and what importing them imports."""

import importlib.resources
import subprocess
import sys

import pytest

from pt_fairness import collections, groups, values

HEAVY = "[name for name in ('pandas', 'ir_datasets') if name in sys.modules]"
NAME = "msmarco-passage/dev/fair/gender"


def run(code):
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", f"import sys\n{code}"], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize("before", ["", "import ir_datasets\n"])
def test_sources_are_registered_with_the_groups_and_values(before):
    imported = ["pandas", *["ir_datasets"] * bool(before)]
    code = "from pt_fairness import groups as g, values as v"
    assert run(f"{before}{code}\nprint(g.names())\nprint(v.names())\nprint({HEAVY})") == [
        str(sorted(collections.SOURCES)), str(sorted(collections.VALUES)), str(imported)]


def test_every_source_can_be_made_and_has_its_place_in_the_documentation(irds):
    folder = importlib.resources.files("pt_fairness") / "pt_docs"
    page = (folder / "collections.rst").read_text(encoding="utf-8")
    for name in collections.SOURCES:
        found = groups.get(name)
        assert found.name == name and found.labels and f"``{name}``" in page
    for name in collections.VALUES:
        if name.startswith("msmarco-passage/"):  # those of ClueWeb12 are read from judgments
            assert values.get(name).name == name


def test_dataset_ids_need_no_pandas():
    assert run("import pt_fairness, ir_datasets\n"
               "assert 'beir/webis-touche2020/stance' in set(ir_datasets.registry)\n"
               f"print({HEAVY})") == ["['ir_datasets']"]


@pytest.mark.slow
def test_groups_need_no_ir_datasets_before_a_measure_asks():
    assert run("import pt_fairness.groups as g\nfrom pt_fairness import rKL\n"
               "m = rKL(groups='argsme/2020-04-01/stance')@5\nm.validate_params()\n"
               "mine = g.from_irds('vaswani', 'text')\nrKL(groups=mine)@5\n"
               "mine.override, repr(mine), g.get('trec-newswire').lookup(['1'], ['FT911-1'])\n"
               f"print({HEAVY})") == ["['pandas']"]


@pytest.mark.slow
@pytest.mark.parametrize("module", ["collections.arguments", "collections.sources",
                                    "io.documents"])
def test_a_module_can_be_imported_first(module):
    assert run(f"import pt_fairness.{module}, ir_datasets\n"
               "print({'pt-fairness/debates', 'disks45/nocr/trec8/source'} "
               "- set(ir_datasets.registry))") == ["set()"]
