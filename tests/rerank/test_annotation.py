"""The transformer of groups, with PyTerrier's own test case and in pipelines."""

import pandas as pd
import pyterrier as pt
import pytest
from pyterrier.testing import transformer_test_class

from pt_fairness import groups

GROUPS = groups.from_mapping({"1": {"a": "PRO", "b": ["PRO", "CON"]}, "2": {"a": "CON"}})


@pytest.mark.filterwarnings("ignore:You can hide", "ignore:INFO")
class TestAnnotate(transformer_test_class(lambda: pt.fairness.annotate(GROUPS))):
    pass


def results(*rows):
    frame = pd.DataFrame(rows, columns=["qid", "docno"])
    return pt.model.add_ranks(frame.assign(query="q", score=[-float(i) for i in range(len(rows))]))


def test_a_group_column_is_added():
    frame = results(("1", "a"), ("1", "b"), ("1", "c"), ("2", "b"), ("2", "a"))
    before = frame.copy()
    found = pt.fairness.annotate(GROUPS)(frame)
    assert found["group"].fillna("none").tolist() == ["PRO", ["CON", "PRO"], "none", "none", "CON"]
    pd.testing.assert_frame_equal(found.drop(columns="group"), before)
    pd.testing.assert_frame_equal(frame, before)


def test_labels_with_commas_stay_whole():
    source = groups.from_mapping({"a": "Portland, OR", "b": ["Portland, OR", "Paris"]})
    found = pt.fairness.annotate(source)(results(("1", "a"), ("1", "b")))
    assert found["group"].tolist() == ["Portland, OR", ["Paris", "Portland, OR"]]
    again = groups.from_frame(found[["docno", "group"]])
    assert again.labels == ["Paris", "Portland, OR"]
    assert again.lookup(["1"] * 2, ["a", "b"]).equals(source.lookup(["1"] * 2, ["a", "b"]))
    # One group each is text, whatever the labels.
    assert pt.fairness.annotate(source)(results(("1", "a")))["group"].dtype in ("str", object)


def test_any_index_and_numbers_as_topics():
    frame = results(("1", "a"), ("1", "b"), ("2", "a")).set_index(pd.Index([7, 7, 3]))
    found = pt.fairness.annotate(GROUPS)(frame.astype({"qid": int}))
    assert found["group"].tolist() == ["PRO", ["CON", "PRO"], "CON"]
    assert found.index.tolist() == [7, 7, 3]


@pytest.mark.parametrize(
    "source", [groups.from_mapping({}), groups.from_mapping({"x": "y"}), GROUPS])
def test_nothing_to_annotate(source):
    found = pt.fairness.annotate(source)(results(("9", "z"), ("9", "y")))
    assert found["group"].isna().all() and len(found) == 2
    empty = pt.fairness.annotate(source)(results())
    assert list(empty.columns)[-1] == "group" and empty.empty


def test_in_a_pipeline():
    retrieved = pt.Transformer.from_df(
        results(("1", "FT911-1"), ("1", "LA010189-1"), ("1", "FBIS3-1"), ("1", "?")))
    pipeline = retrieved % 3 >> pt.fairness.annotate("trec-newswire")
    assert pipeline.search("q", qid="1")["group"].tolist() == ["FT", "LA", "FBIS"]
    american = (
        retrieved >> pt.fairness.annotate("trec-newswire")
        >> pt.apply.generic(lambda res: res[res["group"] == "LA"]))
    assert american.search("q", qid="1")["docno"].tolist() == ["LA010189-1"]


def test_equal_groups_make_equal_transformers():
    """PyTerrier runs a common prefix of several pipelines once."""
    one, other, third = (pt.fairness.annotate(groups.from_mapping({"a": label})) for label in "XXY")
    assert one == other != third and hash(one) == hash(other)
