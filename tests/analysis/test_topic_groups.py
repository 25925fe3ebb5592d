"""Groups of topics and their gaps, compared with the slow version."""

import math

import pandas as pd
import pytest
from certainty_cases import VALUES, frame_of, systems
from hypothesis import given
from hypothesis import strategies as st
from one_test import each
from slow_versions import certainty as slow

from pt_fairness import FairnessWarning, groups
from pt_fairness.analysis import intervals, topic_gaps

DOMAINS = {**dict.fromkeys("123", "health"), **dict.fromkeys("456", "sport"),
           **dict.fromkeys("78", "law")}
NUMBERS = ["range", "sd", "gini", "p", "chance"]
#: Measures by direction, the second of them with the range [0, 1].
MEASURES = {"nDCG@10": "↑", "rKL@10": "↓", "DistKL@10": "↓", "BiasP@10": "→0", "Something": None}


@given(systems("A", largest=5), st.lists(st.lists(st.sampled_from("xyz"), max_size=2, unique=True),
                                         min_size=5, max_size=5).filter(lambda groups: groups[0]),
       st.sampled_from(list(MEASURES)))
@pytest.mark.filterwarnings("ignore:.*topics .* lack a group")
def test_slow_version(values, labels, measure):
    values = {"A": [0.5 if i == 0 and math.isnan(v) else v for i, v in enumerate(values["A"])]}
    by_id = {str(i): v for i, v in enumerate(values["A"], start=1)}
    groups = {str(i): some for i, some in enumerate(labels, start=1)}
    row = topic_gaps(frame_of(values, measure), groups).iloc[0]
    expected = slow.gaps(by_id, groups, MEASURES[measure], measure == "rKL@10")
    assert row["groups"] == expected["groups"]
    if expected["worst"] is not None:
        assert row["worst"] == expected["worst"]
    for name in ("worst mean", *NUMBERS):
        assert row[name] == pytest.approx(expected[name], abs=1e-9, nan_ok=True), name


@each("header, columns", [("qid,group", ""), ("user,age_group", ""), ("user,group", ""),
                          ("topic,group,x", ""), ("query,a,b", ":a"), ("who,a,b", ":who:a")])
def test_tables_of_topics(tmp_path, header, columns):
    """A file with known or named columns and its frame are what the dictionary is."""
    path = tmp_path / "topics.csv"
    names = header.split(",")
    rows = [(*pair, "x")[:len(names)] for pair in DOMAINS.items()]
    frame = pd.DataFrame(rows, columns=names)
    frame.to_csv(path, index=False)
    values = frame_of({"A": VALUES["A"]})
    tables = [f"{path}{columns}"] if columns else [path, frame, pd.Series(DOMAINS)]
    expected = topic_gaps(values, DOMAINS, 99)
    for table in tables:
        pd.testing.assert_frame_equal(topic_gaps(values, table, 99), expected)


@each("header, says", [("item,group", "topics"), ("user,a,b", r"topics\.csv:user:a")])
def test_tables_without_topics_or_groups(tmp_path, header, says):
    (tmp_path / "topics.csv").write_text(f"{header}\n{header}1\n")
    with pytest.raises(ValueError, match=says):
        topic_gaps(frame_of(VALUES), tmp_path / "topics.csv")


def test_intervals_of_groups(unchanged):
    result = unchanged(intervals, frame_of(VALUES), by=DOMAINS)
    assert result["group"].tolist() == ["health", "law", "sport"] * 3
    result = intervals(frame_of(VALUES), "bca", DOMAINS, 0.9, 500, 3)
    for label, part in result.groupby("group"):
        frame = frame_of(VALUES)
        frame = frame[frame["qid"].map(DOMAINS) == label]
        expected = intervals(frame, "bca", None, 0.9, 500, 3)
        found = part.drop(columns="group").reset_index(drop=True)
        pd.testing.assert_frame_equal(found, expected)


def test_intersections():
    kinds = {str(i): "odd" if i % 2 else "even" for i in range(1, 8)}
    with pytest.warns(FairnessWarning, match="^1 of 8 topics .*'8'"):
        result = intervals(frame_of(VALUES), by=groups.product(DOMAINS, kinds))
    one = result[result["name"] == "A"].set_index("group")["n"]
    assert one.to_dict() == {"health|even": 1, "health|odd": 2, "law|odd": 1, "sport|even": 2,
                             "sport|odd": 1}


def test_equal_values_and_one_group():
    row = topic_gaps(frame_of({"A": [0.3, 0.1 + 0.2, 0.3]}), dict(zip("123", "aab", strict=True)))
    assert row.loc[0, ["range", "chance"]].tolist() == pytest.approx([0, 0], abs=1e-12)
    assert math.isnan(row["p"][0]) and row["worst"][0] == "a"
    row = topic_gaps(frame_of(VALUES), dict.fromkeys("12345678", "a"))
    assert (row[["range", "sd", "gini", "chance"]] == 0).all(axis=None) and row["p"].isna().all()


@each("function", [topic_gaps, lambda frame, groups: intervals(frame, by=groups)])
@each("groups, says", [({"9": "a"}, "no topic of the frame, such as '1'"),
                       ({"1": None, "2": "-"}, "no topic of the frame"),
                       (["a", "b"], r"got \["), ({}, "dict"),
                       (pd.DataFrame({"qid": ["1"]}), "group")])
def test_wrong_groups(function, groups, says):
    with pytest.raises(ValueError, match=says):
        function(frame_of(VALUES), groups)
