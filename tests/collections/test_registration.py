"""Names of dataset ids and of group sources, and what importing them imports."""

import importlib.resources
import subprocess
import sys

import pytest

from pt_fairness import collections, groups, values

HEAVY = "[name for name in ('pandas', 'ir_datasets') if name in sys.modules]"


def run(code):
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", f"import sys\n{code}"], capture_output=True,
                          text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.first(1)
@pytest.mark.parametrize("order", ["import pt_fairness.groups as g",
                                   "from pt_fairness.groups import Groups\nimport pt_fairness\n"
                                   "g = pt_fairness.groups",
                                   "import ir_datasets\nfrom pt_fairness import groups as g"])
def test_group_sources_are_registered_with_the_groups(order):
    assert run(f"{order}\nprint(g.names())") == str(sorted(collections.SOURCES))


def test_sources_of_values_are_registered_with_the_values():
    code = f"from pt_fairness import values\nprint(values.names())\nassert {HEAVY} == ['pandas']"
    assert run(code) == str(sorted(collections.VALUES))


def test_every_group_source_can_be_made(irds):
    for name in collections.SOURCES:
        found = groups.get(name)
        assert found.name == name and found.labels


def test_every_id_has_its_place_in_the_documentation(irds):
    page = (importlib.resources.files("pt_fairness") / "pt_docs" / "collections.rst").read_text(
        encoding="utf-8")
    assert not [name for name in collections.SOURCES if f"``{name}``" not in page]


@pytest.mark.exhaustive
def test_the_targets_of_collections_are_registered_with_the_targets():
    names = run("import pt_fairness, sys\nassert 'pandas' not in sys.modules\n"
                "from pt_fairness import AWRF\n"
                "print(AWRF(target='trec-fair/2021/world/track')@5)\n"
                "print(pt_fairness.targets.names())").splitlines()
    assert names[0] == "AWRF(target='trec-fair/2021/world/track')@5"
    assert names[1] == str([f"trec-fair/{name}{end}" for name in (
        "2021/gender", "2021/world", "2022/gender", "2022/world") for end in ("", "/track")])


def test_values_of_texts_can_be_made_without_reading(irds):
    for name in collections.VALUES:
        if name.startswith("msmarco-passage/"):  # those of ClueWeb12 are read from judgments
            assert values.get(name).name == name


@pytest.mark.exhaustive
def test_built_in_values_stand_behind_registered_ones():
    name = "msmarco-passage/dev/fair/gender"
    assert run("import pt_fairness.values as v, sys\nprint(v.names(), 'ir_datasets' in sys.modules)"
               ) == f"{sorted(collections.VALUES)} False"
    assert run(f"from pt_fairness import values\nown = values.from_mapping({{'a': 1}})\n"
               f"values.register({name!r}, own)\nprint(values.get({name!r}) is own)\n"
               f"values.unregister({name!r})\nprint(values.get({name!r}))") == (
        f"True\nValues({name!r}, neutrality of female, male words)")


@pytest.mark.exhaustive
def test_a_name_that_was_registered_again_stays():
    assert run("import pt_fairness, importlib\nfrom pt_fairness import groups\n"
               "own = groups.from_mapping({'a': 'b'})\ngroups.register('trec-newswire', own)\n"
               "importlib.reload(pt_fairness)\nprint(groups.get('trec-newswire') is own)") == "True"


@pytest.mark.first(1)
@pytest.mark.parametrize("order", ["import pt_fairness, ir_datasets",
                                   "import pt_fairness.io.irds, ir_datasets"])
def test_dataset_ids_need_no_pandas(order):
    assert run(f"{order}\n"
               "assert 'beir/webis-touche2020/stance' in set(ir_datasets.registry)\n"
               f"print({HEAVY})") == "['ir_datasets']"


@pytest.mark.exhaustive
def test_groups_need_no_ir_datasets_before_a_measure_asks():
    assert run("import pt_fairness.groups as g\nfrom pt_fairness import rKL\n"
               "m = rKL(groups='argsme/2020-04-01/stance')@5\nm.validate_params()\n"
               "mine = g.from_irds('vaswani', 'text')\nrKL(groups=mine)@5\n"
               "mine.override, repr(mine), g.get('trec-newswire').lookup(['1'], ['FT911-1'])\n"
               f"print({HEAVY})") == "['pandas']"


@pytest.mark.exhaustive
@pytest.mark.parametrize("module", ["arguments", "variants"])
def test_a_module_of_collections_can_be_imported_first(module):
    ids = run(f"import pt_fairness.collections.{module}, ir_datasets\n"
              "print({'pt-fairness/debates', 'disks45/nocr/trec8/source'} "
              "- set(ir_datasets.registry))")
    assert ids == "set()"
