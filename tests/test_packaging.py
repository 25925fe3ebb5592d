"""What the project says of itself: its dependencies, its version, and the papers it cites."""

import ast
import importlib.metadata
import re
import sys
from pathlib import Path

import pytest
import yaml

import pt_fairness
from pt_fairness.measures import MEASURES
from pt_fairness.measures.descriptions import BIBLIOGRAPHY

ROOT = Path(__file__).resolve().parent.parent


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
def test_what_is_imported_is_required():
    required = {re.match(r"[\w.-]+", one).group().lower().replace(".", "-")
                for one in importlib.metadata.requires("pt_fairness")}
    # dask brings cloudpickle, and joblib has a copy; python-terrier brings pyterrier.
    brought = {"cloudpickle", "pyterrier"}
    assert {re.sub("[_.]", "-", name) for name in imported()} <= required | brought


def test_one_version_and_the_papers_of_the_measures():
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## \[([\d.]+)\]", changes, re.MULTILINE)[1]
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert pt_fairness.__version__ == newest == cited["version"]
    used = {"clarke2008", *(key for measure in MEASURES.values() for key in measure.SOURCE)}
    titles = [paper.fields["title"] for key, paper in BIBLIOGRAPHY.items() if key in used]
    assert [reference["title"] for reference in cited["references"]] == titles
