"""The golden values: the package has them, and they are those of the slow versions."""

import csv
import math
import warnings

import pandas as pd
import pytest
from golden import make

import pt_fairness
from pt_fairness import FairnessWarning, evaluate, groups, io, targets, values
from pt_fairness.measures import MEASURES


def golden():
    lines = make.FILE.read_text(encoding="utf-8").splitlines()
    return [(row["collection"], row["measure"], row["topic"],
             math.nan if row["value"] == "undefined" else float(row["value"]))
            for row in csv.DictReader(lines[1:], delimiter="\t")]


def test_the_slow_versions_have_them():
    assert f"# pt_fairness {pt_fairness.__version__}\n" in make.FILE.read_text(encoding="utf-8")
    found = [(*row, math.nan if value is None else value) for *row, value in make.rows()]
    for one, other in zip(found, golden(), strict=True):
        assert one[:3] == other[:3]
        assert one[3] == pytest.approx(other[3], abs=1e-9, nan_ok=True), one


@pytest.fixture
def sources(registered_groups, registered_values, forget_targets):
    """The attributes, values and target of the third collection, registered."""
    folder = make.FOLDER / "attributes"
    for name, file in (("stance", "groups.csv"), ("gender", "gender.csv")):
        registered_groups(name, groups.from_file(folder / file))
    registered_values("neutrality", values.from_file(folder / "neutrality.csv"))
    targets.register("shares", pd.read_csv(folder / "shares.csv"))


@pytest.mark.parametrize("collection", make.COLLECTIONS)
def test_the_package_has_them(collection, sources):
    folder = make.FOLDER / collection
    wanted = {(measure, qid): value for name, measure, qid, value in golden() if name == collection}
    names = [*dict.fromkeys(measure for measure, _ in wanted)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        _, found = evaluate(
            {"run": io.read_run(folder / "run.txt")}, io.read_qrels(folder / "qrels.txt"), names,
            groups=groups.from_file(folder / "groups.csv"), progress=False)
    found = found.set_index(["measure", "qid"])["value"]
    assert {name.split("(")[0].split("@")[0] for name in names} >= MEASURES.keys() - (
        make.MORE_REQUIRED.keys() if collection != "attributes" else set())
    for (measure, qid), value in wanted.items():
        assert found[measure, qid] == pytest.approx(value, abs=1e-9, nan_ok=True), (measure, qid)
