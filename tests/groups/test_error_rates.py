"""Probabilities of true labels from error rates."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_fairness import groups

GUESSED = groups.from_mapping({"a": "F", "b": "M"})
RATES = {"F": {"F": 0.9, "M": 0.1}, "M": {"F": 0.25, "M": 0.75}}


def weights_of(source, docnos="ab"):
    found = source.lookup(["1"] * len(docnos), list(docnos))
    return {(row.docno, row.group): row.weight for row in found.itertuples()}


def test_of_labels():
    source = groups.with_error_rates(GUESSED, RATES)
    assert source.weighted and source.labels == ["F", "M"] and not source.by_topic
    expected = {("a", "F"): 0.9, ("a", "M"): 0.1, ("b", "F"): 0.25, ("b", "M"): 0.75}
    assert weights_of(source, "axb") == expected


def test_certain_and_new_labels():
    source = groups.with_error_rates(GUESSED, {"F": {"F": 1, "M": 0}, "M": {"M": 0.5, "X": 0.5}})
    assert source.labels == ["F", "M", "X"]
    assert weights_of(source) == {("a", "F"): 1, ("b", "M"): 0.5, ("b", "X"): 0.5}


@given(st.lists(st.floats(0.01, 1), min_size=6, max_size=6), st.floats(0.01, 0.99))
def test_bayes(numbers, share):
    errors = np.array(numbers).reshape(2, 3)
    errors /= errors.sum(axis=1, keepdims=True)
    rates = {
        truth: dict(zip("FMX", row, strict=True)) for truth, row in zip("fm", errors, strict=True)}
    source = groups.with_error_rates(
        groups.from_mapping({"a": "F", "b": "M", "c": "X"}), rates, {"f": share, "m": 1 - share})
    found = weights_of(source, "abc")
    for docno, label in zip("abc", "FMX", strict=True):
        joint = {t: {"f": share, "m": 1 - share}[t] * rates[t][label] for t in "fm"}
        for truth in "fm":
            assert found[docno, truth] == pytest.approx(joint[truth] / sum(joint.values()))


def test_by_topic_names_and_order():
    frame = pd.DataFrame({"qid": ["1", "2"], "docno": "a", "group": ["F", "M"]})
    source = groups.with_error_rates(groups.from_frame(frame, order=["M", "F"]), RATES)
    assert source.by_topic and source.order == ["M", "F"]
    assert weights_of(source, "a")[("a", "F")] == 0.9
    others = {**RATES, "F": {"M": 1}}
    one, same, other = (groups.with_error_rates(GUESSED, some) for some in (RATES, RATES, others))
    assert one.name == same.name != other.name
    assert groups.with_error_rates(GUESSED, RATES, name="probable").name == "probable"


@pytest.mark.parametrize(
    "rates, prior, says",
    [
        ({"F": {"F": 0.9}, "M": {"M": 1}}, None, "the probabilities of 'F' in rates"),
        ({"F": {"F": 1.5, "M": -0.5}, "M": {"M": 1}}, None, "at least 0 and to sum to 1"),
        ({"F": {"F": float("nan")}, "M": {"M": 1}}, None, "the probabilities of 'F'"),
        ({"F": {"F": 1}}, None, "the label 'M' of .* has no row in rates"),
        (RATES, {"F": 0.5, "M": 0.6}, "the probabilities of 'prior' in prior"),
        (RATES, {"F": 1}, "prior is of 'F', and the rows of rates are of 'F', 'M'"),
        ({"F": {"F": 1}, "M": {"F": 1}}, {"F": 0.5, "M": 0.5}, "the label 'M' of"),
        ({"F": {"F": 1}, "M": {"M": 1}}, {"F": 1, "M": 0}, "'M' of .* a probability of 0"),
        (["F"], None, "takes a dictionary"),
        ({"F": 1}, None, "takes a dictionary")],
)
def test_wrong_rates(rates, prior, says):
    with pytest.raises(ValueError, match=says):
        groups.with_error_rates(GUESSED, rates, prior)


@pytest.mark.parametrize(
    "labels, says",
    [
        ({"a": ["F", "M"]}, "'a' has several labels"),
        ({"a": {"F": 0.5, "M": 0.5}}, "'a' has several labels"),
        ({"a": {"F": 2}}, "'a' has weights")],
)
def test_wrong_documents(labels, says):
    source = groups.with_error_rates(groups.from_mapping(labels), RATES)
    with pytest.raises(ValueError, match=says):
        source.lookup(["1"], ["a"])


def test_labels_that_are_not_declared():
    source = groups.with_error_rates(groups.from_pattern("^[A-Z]+"), RATES)
    assert weights_of(source, ["F-1"]) == {("F-1", "F"): 0.9, ("F-1", "M"): 0.1}
    with pytest.raises(ValueError, match="the label 'X' of"):
        source.lookup(["1"], ["X-1"])
