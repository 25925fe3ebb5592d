"""What tables show of group sources without a name: their pattern, or the name of their file."""

import os

import pandas as pd
import pytest
from one_test import each

from pt_fairness import AWRF, evaluate, groups

DOCNOS = ["FT1", "LA2", "FT3", "LA4"]
QRELS = pd.DataFrame({"qid": "1", "docno": DOCNOS, "label": 1})
RUN = pd.DataFrame({"qid": "1", "docno": DOCNOS, "score": [4.0, 3, 2, 1]})
PATTERN = "^(FT|LA)"


@pytest.fixture
def files(tmp_path):
    """Two files of one name, and one of another."""
    frame = pd.DataFrame({"docno": DOCNOS, "group": ["A", "B", "B", "B"]})
    paths = [tmp_path / "one" / "groups.csv", tmp_path / "two" / "groups.csv", tmp_path / "own.csv"]
    for i, path in enumerate(paths):
        path.parent.mkdir(exist_ok=True)
        frame.assign(group=frame["group"] + str(i)).to_csv(path, index=False)
    return paths


@each("as_object", [False, True])
def test_columns(files, as_object):
    one, two, own = map(groups.from_file if as_object else str, files)
    pattern = groups.from_pattern(PATTERN)
    measures = [AWRF(groups=source) @ 3 for source in (one, two, own, pattern)]
    averages, perquery = evaluate({"A": RUN, "B": RUN[::-1]}, QRELS, measures, progress=False)
    columns = [f"AWRF(groups='{name}')@3" for name in
               (os.path.join("one", "groups.csv"), os.path.join("two", "groups.csv"), "own.csv",
                PATTERN)]
    assert averages.columns.tolist() == ["name", *columns]
    assert perquery["measure"].unique().tolist() == columns
    assert str(measures[-1]).startswith("AWRF(groups='pattern-") and len(str(measures[-1])) < 50


def test_one_source_for_all_measures(files):
    source = groups.from_pattern(PATTERN)
    result = evaluate({"A": RUN}, QRELS, [AWRF @ 3], groups=source, progress=False)
    assert result.averages.columns.tolist() == ["name", "AWRF@3"]
    assert result.facts.groups == PATTERN and PATTERN in " ".join(result.table().notes)
    for given, shown in ((files[2], "own.csv"), (groups.from_file(files[2], "mine"), "mine")):
        result = evaluate({"A": RUN}, QRELS, [AWRF @ 3], groups=given, progress=False)
        assert result.facts.groups == shown
