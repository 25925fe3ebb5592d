"""Parameters that are lists or dictionaries: equal values have one form, wrong ones are refused."""

from __future__ import annotations

import math
import random

import pandas as pd
import pytest

from pt_fairness import GF, GFR, PEER, TrecFair, groups, targets
from pt_fairness.measures.composite_params import (
    ATTRIBUTES,
    DIVERGENCES,
    FIXED_TARGETS,
    ORDER,
    TARGETS,
    WEIGHTS,
    WHOLE,
)


def taken(param, value):
    """The form of a value that is allowed."""
    found = param.canonical(value)
    assert param.validate(found), found
    assert param.canonical(found) == found, "the form of a form is itself"
    return found


@pytest.fixture
def census(forget_targets):
    targets.register("census", pd.DataFrame({"group": ["A", "B"], "share": [0.25, 0.75]}))


@pytest.mark.parametrize(("value", "form"), [
    ("low,mid,high", "low,mid,high"), (["low", "mid", "high"], "low,mid,high"),
    (("b", "a"), "b,a"), (" low , high ", "low,high"), ([1, 2.0, "3"], "1,2,3"), (["one"], "one")])
def test_orders_keep_their_order(value, form):
    assert taken(ORDER, value) == form


@pytest.mark.parametrize("value", [
    "a,a", "a,,b", "", "a,b,", ["a", "b", "a"], ["a,b", "c"], [["a"], "b"], 3, [], {"a": 1},
    ["a", True]])
def test_what_is_no_order(value):
    assert not ORDER.validate(ORDER.canonical(value))
    with pytest.raises(ValueError, match="order takes different labels without commas in them"):
        GF(order=value, divergence="nmd").validate_params()


@pytest.mark.parametrize("seed", range(20))
def test_weights_of_grades_are_sorted_numbers(seed):
    pick = random.Random(seed)
    grades = pick.sample(range(9), pick.randint(1, 5))
    parts = [pick.randint(0, 5) for _ in grades]
    if not any(parts):
        parts[0] = 1
    given = {pick.choice([grade, float(grade), str(grade)]): part / sum(parts)
             for grade, part in zip(grades, parts, strict=True)}
    found = taken(WEIGHTS, given)
    assert [*found] == sorted(grades) and {*map(type, found)} == {int}
    assert found == {grade: part / sum(parts) for grade, part in zip(grades, parts, strict=True)}


@pytest.mark.parametrize("value", [
    {}, {0: 0.5}, {0: 0.5, 1: 0.6}, {0: 1.5, 1: -0.5}, {-1: 1.0}, {0.5: 1.0}, {"a": 1.0},
    {1: 0.5, "1": 0.5}, {1: math.nan}, {1: "all"}, {None: 1.0}, [1.0], "1"])
def test_what_is_no_weight_of_grades(value):
    assert not WEIGHTS.validate(WEIGHTS.canonical(value))
    with pytest.raises(ValueError, match="weights takes a dictionary from whole numbers"):
        PEER(weights=value).validate_params()


def test_sources_are_sorted_and_named():
    source = groups.from_mapping({"d": "A"}, name="mine")
    found = taken(ATTRIBUTES, {source: "jsd", "b": "nmd", "a": "rnod"})
    assert [*found.items()] == [("a", "rnod"), ("b", "nmd"), ("mine", "jsd")]
    assert ATTRIBUTES.required and ATTRIBUTES.validate({})
    assert GFR(attributes={"b": "jsd", "a": "jsd"}) == GFR(attributes={"a": "jsd", "b": "jsd"})


@pytest.mark.parametrize("value", [
    {"a": "kl"}, {"": "jsd"}, {3: "jsd"}, {"a": None}, ["a"], "a", {"a": "jsd", "b": "JSD"}])
def test_what_is_no_attribute(value):
    assert not ATTRIBUTES.validate(ATTRIBUTES.canonical(value))
    with pytest.raises(ValueError, match="attributes takes a dictionary from names of registered"):
        GFR(attributes=value).validate_params()
    assert all(repr(one) in ATTRIBUTES.allowed for one in DIVERGENCES)


def test_targets_are_words_names_and_shares(census):
    found = taken(TARGETS, {"b": {2: 0.25, "1": 0.75}, "a": "qrels", "c": "census"})
    assert [*found.items()] == [("a", "qrels"), ("b", {"1": 0.75, "2": 0.25}), ("c", "census")]
    assert TARGETS.default == {} and TARGETS.validate({})


@pytest.mark.parametrize("value", [
    {"a": "nowhere"}, {"a": {"x": 0.5}}, {"a": {}}, {"": "qrels"}, {"a": 1}, "qrels", ["qrels"]])
def test_what_is_no_target_of_a_source(value):
    assert not TARGETS.validate(TARGETS.canonical(value))
    with pytest.raises(ValueError, match="targets takes a dictionary from names of registered"):
        GFR(attributes={"a": "jsd"}, targets=value).validate_params()


def test_targets_that_are_equal_for_all_topics_are_registered_ones(census):
    assert taken(FIXED_TARGETS, {"b": "census", "a": "census"}) == {"a": "census", "b": "census"}
    for value in ({}, {"a": "qrels"}, {"a": "nowhere"}, {"a": {"A": 1.0}}, {"": "census"},
                  "census", ["a"]):
        assert not FIXED_TARGETS.validate(FIXED_TARGETS.canonical(value))
        with pytest.raises(ValueError, match=r"attributes takes a dict.* registered targets"):
            TrecFair(attributes=value).validate_params()


@pytest.mark.parametrize(("value", "form"), [
    ("b,a", "a,b"), (["b", "a"], "a,b"), (("b",), "b"), ("", ""), ([], ""), ("a,,b", "a,b"),
    (groups.from_mapping({"d": "A"}, name="mine"), "mine"),
    ([groups.from_mapping({"d": "A"}, name="mine"), "a"], "a,mine")])
def test_names_of_attributes_have_no_order(value, form):
    assert taken(WHOLE, value) == form


@pytest.mark.parametrize("value", [3, ["a", 3], None])
def test_what_is_no_name_of_an_attribute(value):
    assert not WHOLE.validate(WHOLE.canonical(value))
