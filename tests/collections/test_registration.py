"""Dataset ids, groups and values of collections, and what importing them imports."""

import importlib.resources
import subprocess
import sys

import ir_datasets
import pytest

from pt_fairness import collections, groups, values

ARGSME, FAIR, MISINFO = "argsme/2020-04-01", "trec-fair/2022/train", "trec-misinfo-2019"
PAIRS = f"{ARGSME}/processed/touche-2022-task-1"
#: The fields of each dataset id with groups in its judgments.
FIELDS = {
    "pt-fairness/debates": ["stance", "viewpoint"],
    "trec-fair/2021/eval": ["locations", "quality"],
    FAIR: ["gender", "regions", "source-regions", "occupations", "years", "quality", "popularity",
           "age", "alphabet", "languages"],
    f"{ARGSME}/touche-2020-task-1": ["stance", "portal"],
    f"{ARGSME}/touche-2020-task-1/uncorrected": ["stance", "portal"],
    f"{ARGSME}/touche-2021-task-1": ["stance", "portal"],
    "argsme/1.0/touche-2020-task-1/uncorrected": ["stance", "portal"],
    PAIRS: ["stance", "portal", "quality", "coherence"],
    "beir/webis-touche2020": ["stance"], "beir/webis-touche2020/v2": ["stance"],
    "clueweb12/touche-2022-task-2": ["stance"],
    "clueweb12/touche-2022-task-2/expanded-doc-t5-query": ["stance"],
    "touche-image/2022-06-13/touche-2022-task-3": ["stance"],
    "disks45/nocr/trec8": ["source"], "disks45/nocr/trec-robust-2004": ["source"],
    **{f"disks45/nocr/trec-robust-2004/fold{fold}": ["source"] for fold in range(1, 6)},
    "blogs06/trec-blog-2007": ["opinion"], "blogs06/trec-blog-2006-2008": ["opinion"],
    "neuclir/1/trec-2022": ["language"], "neuclir/1/trec-2023": ["language"],
    "sara": ["sensitivity"],
    f"clueweb12/b13/{MISINFO}": ["effectiveness", "credibility"],
    "clueweb12/b13/clef-ehealth": ["trustworthiness"],
    "msmarco-passage/dev": ["fair/gender"], "msmarco-passage/trec-dl-2019": ["fair/gender"],
    "cocktail/nq-utd": ["source"], "grep-biasir": ["gender"]}
#: The ids of this package without groups.
PLAIN = ["pt-fairness/debates", "blogs06", "blogs06/trec-blog-2007", "blogs06/trec-blog-2006-2008",
         "cocktail/nq-utd", "grep-biasir"]
IDS = [f"{base}/{field}" for base, fields in FIELDS.items() for field in fields]


def test_dataset_ids(irds):
    assert {*IDS, *PLAIN} <= {*ir_datasets.registry}
    for name in IDS:
        dataset = irds.load(name)
        assert dataset.has_queries() and dataset.qrels_cls() is irds.formats.TrecQrel
        assert dataset.has_docs()
    for name in PLAIN:
        assert irds.load(name).has_docs()


HEAVY = "[name for name in ('pandas', 'ir_datasets') if name in sys.modules]"


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
