"""Documents that a source knows without a group, and the weight of @UNKNOWN."""

from __future__ import annotations

import ir_measures
import numpy as np
import pandas as pd
import pytest

from pt_fairness import AWRF, groups

ROWS = pd.DataFrame({"docno": ["a", "a", "b", "c", "d", "e"],
                     "group": ["x", "@UNKNOWN", "@UNKNOWN", "-", None, "y"],
                     "weight": [3, 1, 2, np.nan, np.nan, 1]})
DOCNOS = ["a", "b", "c", "d", "e", "nowhere"]
#: The weight of @UNKNOWN of each document; NaN where the source does not know it.
UNKNOWN = [1, 2, 0, 0, 0, np.nan]


def unknown(source):
    return source.annotate(np.array(["1"] * 6), np.array(DOCNOS, dtype=object)).unknown


def test_frames():
    weighted = groups.from_frame(ROWS)
    assert weighted.labels == ["x", "y"]
    np.testing.assert_array_equal(unknown(weighted), UNKNOWN)
    hard = groups.from_frame(ROWS.drop(columns="weight"))
    np.testing.assert_array_equal(unknown(hard), [0, 0, 0, 0, 0, np.nan])
    # A document that is known is other content than one that is not.
    assert groups.from_frame(ROWS[:3]).digest() != groups.from_frame(ROWS[:4]).digest()


def test_files(tmp_path):
    ROWS.to_csv(tmp_path / "groups.csv", index=False)
    np.testing.assert_array_equal(unknown(groups.from_file(tmp_path / "groups.csv")), UNKNOWN)


def test_other_users_read_it_as_unannotated():
    with_it, without = groups.from_frame(ROWS), groups.from_frame(ROWS.iloc[[0, 5]])
    assert with_it.lookup(["1"] * 6, DOCNOS).equals(without.lookup(["1"] * 6, DOCNOS))
    qrels = pd.DataFrame({"qid": "1", "docno": DOCNOS, "label": 1})
    assert with_it.to_qrels(qrels).equals(without.to_qrels(qrels))
    qrels = pd.DataFrame({"query_id": "1", "doc_id": DOCNOS, "relevance": 1})
    run = qrels.assign(score=range(6))
    measures = [AWRF(groups=source, target="qrels") @ 4 for source in (with_it, without)]
    one, two = ir_measures.calc_aggregate(measures, qrels, run).values()
    assert one == two


def test_an_override_replaces_it():
    frame = pd.DataFrame({"docno": ["b", "nowhere", "a"], "group": ["x", "-", "x"],
                          "weight": [1, np.nan, 1]})
    np.testing.assert_array_equal(unknown(groups.from_frame(ROWS).override(frame)),
                                  [0, 0, 0, 0, 0, 0])


def test_labels_that_are_renamed_to_nothing_are_known():
    found = groups.from_frame(ROWS).relabel({"1": {"x": "z"}})
    np.testing.assert_array_equal(unknown(found), UNKNOWN)
    others = found.annotate(np.array(["2"] * 6), np.array(DOCNOS, dtype=object))
    assert np.isnan(others.unknown).all()


def test_a_product_knows_what_all_of_its_sources_know():
    other = groups.from_mapping({"a": "1", "e": "2", "nowhere": "3"})
    np.testing.assert_array_equal(unknown(groups.product(groups.from_frame(ROWS), other)),
                                  [0, np.nan, np.nan, np.nan, 0, np.nan])


@pytest.mark.parametrize("weight", [-1, np.nan])
def test_its_weight_is_at_least_0(weight):
    with pytest.raises(ValueError, match=r"row 0 of the frame of groups has the weight .*numbers "
                                         r"of at least 0"):
        groups.from_frame(pd.DataFrame({"docno": ["a"], "group": "@UNKNOWN", "weight": weight}))
