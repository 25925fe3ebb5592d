"""Groups of several attributes at once."""

from __future__ import annotations

import pickle
import tracemalloc

import ir_measures
import numpy as np
import pandas as pd
import pytest
from slow_versions.common import source_of
from slow_versions.product import product

from pt_fairness import AWRF, groups

GENDER = groups.from_mapping({"a": "f", "b": ["f", "m"], "c": "m"})
REGION = groups.from_mapping({"a": "Asia", "b": ["Asia", "Europe"], "d": "Asia"})


def rows(source, docnos="abcd"):
    return source.lookup(["1"] * len(docnos), list(docnos)).values.tolist()


def test_labels_are_joined():
    both = groups.product(GENDER, REGION)
    assert rows(both) == [
        ["1", "a", "f|Asia"],
        ["1", "b", "f|Asia"],
        ["1", "b", "f|Europe"],
        ["1", "b", "m|Asia"],
        ["1", "b", "m|Europe"]]
    assert both.labels == ["f|Asia", "f|Europe", "m|Asia", "m|Europe"]
    assert both.complete and both.in_parts and not both.weighted and both.topics is None


def test_documents_without_a_group_in_one_source():
    both = groups.product(GENDER, REGION, missing="?")
    assert rows(both, "cdx") == [["1", "c", "m|?"], ["1", "d", "?|Asia"]]
    assert len(both.labels) == 9 and "?|?" in both.labels


def test_weights_are_shares_that_are_multiplied():
    soft = groups.from_mapping({"a": {"f": 3, "m": 1}, "b": {"f": 1}})
    both = groups.product(soft, REGION)
    assert both.weighted
    assert rows(both, "ab") == [
        ["1", "a", "f|Asia", 0.75],
        ["1", "a", "m|Asia", 0.25],
        ["1", "b", "f|Asia", 0.5],
        ["1", "b", "f|Europe", 0.5]]


def test_documents_without_weights_in_every_source_have_none():
    soft = groups.from_mapping({"a": {"f": 3, "m": 1}, "b": ["f", "m"]})
    found = groups.product(soft, REGION, missing="?").lookup(["1"] * 2, ["b", "d"])
    assert len(found) == 5 and found["weight"].isna().all()


def test_three_sources_by_name_and_path(tmp_path):
    path = tmp_path / "age.csv"
    path.write_text("qid,docno,group\n1,a,old\n2,a,young\n")
    groups.register("gender", GENDER)
    try:
        all_three = groups.product("gender", REGION, path, name="all")
    finally:
        groups.unregister("gender")
    assert all_three.name == "all"
    assert all_three.lookup(["2", "1"], ["a", "a"])["group"].tolist() == [
        "f|Asia|young", "f|Asia|old"]  # fmt: skip


def test_labels_are_declared_if_all_sources_declare_them():
    pattern = groups.from_pattern("[a-z]")
    both = groups.product(GENDER, pattern)
    assert both.labels is None and not both.complete
    assert [group for *_, group in rows(both)] == ["f|a", "f|b", "m|b", "m|c"]


@pytest.mark.parametrize(
    ("made", "says"),
    [
        (lambda: groups.product(GENDER), "needs at least two sources, not 1"),
        (lambda: groups.product(), "needs at least two sources, not 0"),
        (lambda: groups.product(GENDER, groups.from_mapping({"a": "x|y"})), "label 'x|y' contains"),
        (lambda: groups.product(GENDER, REGION, missing="|"), "the label '|' contains '|'"),
        (lambda: rows(groups.product(GENDER, groups.from_pattern(r"[a|]+")), ["a|"]), "label 'a|'"),
        (lambda: groups.product(GENDER, "nothing"), "no groups are registered as 'nothing'")],
)
def test_what_is_no_product(made, says):
    with pytest.raises(ValueError) as raised:
        made()
    assert says in str(raised.value)


def test_topics_that_a_source_drops():
    once = GENDER.relabel({q: {"f": "F", "m": "M"} for q in "12"})
    other = REGION.relabel({q: {"Asia": "A", "Europe": "E"} for q in "23"})
    assert groups.product(once, other).topics == ["2"]
    assert groups.product(once, REGION).topics == ["1", "2"]


def test_a_product_travels_and_is_distinguished():
    both = groups.product(GENDER, REGION)
    assert pickle.loads(pickle.dumps(both)) == both == groups.product(GENDER, REGION)
    others = [groups.product(REGION, GENDER), groups.product(GENDER, REGION, missing="?"),
              groups.product(GENDER, REGION, REGION)]  # fmt: skip
    assert len({both.name, *(one.name for one in others)}) == 4
    judged = groups.from_irds("pt-fairness/debates", "relevance")
    assert groups.product(GENDER, judged).judged and not both.judged


@pytest.mark.parametrize("missing", [None, "?"])
def test_against_the_slow_version(missing):
    generator = np.random.default_rng(7)
    docnos = [f"d{i}" for i in range(40)]

    def mapping(labels):
        found = {}
        for docno in docnos:
            own = [label for label in labels if generator.random() < 0.4]
            if own and generator.random() < 0.8:
                soft = generator.random() < 0.5
                found[docno] = {one: float(generator.random()) for one in own} if soft else own
        return found

    for _ in range(10):
        given = [mapping("ABC"), mapping(["low", "high"]), mapping("xy")]
        both = groups.product(*map(groups.from_mapping, given), missing=missing)
        expected = product(*(source_of(one, docnos) for one in given), missing=missing)
        assert set(both.labels) == expected.labels
        found = both.lookup(["1"] * 40, docnos)
        assert set(found["docno"]) == expected.of.keys()
        for docno, rows_of in found.groupby("docno"):
            own = expected.of[docno]
            assert rows_of["weight"].notna().all() == own.soft
            weight = rows_of["weight"].fillna(1 / len(rows_of))
            shares = dict(zip(rows_of["group"], weight, strict=True))
            assert shares == pytest.approx(own.shares(expected.labels))


def test_a_measure_of_a_product_and_its_qrels():
    qrels = pd.DataFrame({"query_id": "1", "doc_id": list("abc"), "relevance": 1})
    both = groups.product(GENDER, REGION)
    assert both.to_qrels(qrels)["iteration"].tolist() == [
        "f|Asia", "f|Asia", "f|Europe", "m|Asia", "m|Europe", "-"]  # fmt: skip
    measure = AWRF(groups=both, base=2)
    found = ir_measures.calc_aggregate([measure], qrels, qrels.assign(score=[3.0, 2.0, 1.0]))
    by_hand = AWRF(groups=groups.from_frame(both.lookup(["1"] * 3, list("abc"))), base=2)
    assert found[measure] == ir_measures.calc_aggregate(
        [by_hand], qrels, qrels.assign(score=[3.0, 2.0, 1.0]))[by_hand]  # fmt: skip


def test_a_product_of_many_sources_builds_what_occurs():
    tracemalloc.start()
    many = groups.product(*[groups.from_mapping({"a": "x", "b": "y"}) for _ in range(24)])
    found = many.lookup(["1", "1"], ["a", "b"])["group"].tolist()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found == ["|".join("x" * 24), "|".join("y" * 24)] and peak < 50e6
    assert many.labels is None and not many.complete
