"""Sentences and clauses on measures: their tables fit the measures, and no place is left open."""

from __future__ import annotations

from string import Formatter

import pytest
from ir_measures import P, nDCG

from pt_fairness import AWRF, EEL, FAIR, RaB, RepBias, nDD, rKL, rND
from pt_fairness.measures import MEASURES
from pt_fairness.reporting.sentences import (
    ABOUT,
    CLAUSES,
    DISTANCES,
    SENTENCES,
    clauses,
    found,
    listed,
    sentence,
)


def split(key):
    """The measure of a key, and the parameter and its value; ``None`` for none."""
    name, _, condition = key.partition(" ")
    param, _, value = condition.partition("=")
    return name, param or None, value


@pytest.mark.parametrize("table", [SENTENCES, DISTANCES, ABOUT], ids=["text", "distance", "about"])
def test_keys_are_measures_and_values_of_their_parameters(table):
    for key in table:
        name, param, value = split(key)
        assert name in MEASURES
        known = MEASURES[name].SUPPORTED_PARAMS
        if param is not None and value != "{}":
            assert known[param].validate(known[param].canonical(value)), key


def test_every_measure_has_a_sentence_and_clauses_are_on_parameters():
    assert {split(key)[0] for key in SENTENCES} == {*MEASURES}
    params = {name for measure in MEASURES.values() for name in measure.SUPPORTED_PARAMS}
    for key in CLAUSES:
        first, _, rest = key.partition(" ")
        name = (rest or first).partition("=")[0]
        assert name in params and (not rest or name in MEASURES[first].SUPPORTED_PARAMS), key
    for text in CLAUSES.values():
        assert {place for _, place, *_ in Formatter().parse(text)} <= {None, "", "p", "phi"}


def test_the_entry_for_a_value_of_a_parameter_wins():
    table = {"rND": 1, "rND norm=none": 2, "rKL": 3}
    assert found(table, rND @ 5) == ("rND", 1)
    assert found(table, rND(norm="none") @ 5) == ("rND norm=none", 2)
    assert found(table, AWRF @ 5) == ("", None)


@pytest.mark.parametrize(("words", "text"), [
    ([], ""), (["a"], "a"), (iter("ab"), "a and b"), (["a", "b", "c, d"], "a, b and c, d")])
def test_lists_of_words(words, text):
    assert listed(words) == text


@pytest.mark.parametrize(("measure", "text"), [
    (RepBias(group="A", target="uniform"),
     "the share of the group A less its share if all groups were equally frequent, rounded to "
     "whole documents"),
    (AWRF(target={"A": 0.25, "B": 0.75}), "how close the groups' shares of the exposure are to "
                                          "the target (A 0.25, B 0.75)"),
    (nDD(protected="A", norm="none"), "at each rank, how far the share of the group A is from its "
                                      "share in the whole ranking, discounted by log2, not "
                                      "normalised"),
    (rND(step=10, protected="A,B"), "at ranks 10, 20, …, how far the share of the groups A and B "
                                    "is from its share among the relevant documents, discounted "
                                    "by log2, divided by its exact maximum"),
    (rKL(protected="all", target="run"), "at each rank, how far the groups' shares are from their "
                                         "shares in the whole ranking, discounted by log2, "
                                         "divided by an upper bound"),
    (RaB(values={"A": 1, "B": -0.5}), "the mean of the values (A 1, B −0.5) over the documents")])
def test_sentences(measure, text):
    assert sentence(measure) == text


def test_a_label_with_a_comma_is_one_group():
    measure = FAIR(protected="A,B")
    assert "documents of the groups A and B down" in sentence(measure)
    assert "documents of the group A,B down" in sentence(measure, ["A,B", "C"])


@pytest.mark.parametrize(("measure", "texts"), [
    (rND @ 5, []), (rND(rel=2, norm="none", step=3) @ 5,
                    ["documents of relevance 2 or more are relevant"]),
    (AWRF(discount="geometric", p=0.5), [
        "the weights of the ranks are geometric with the persistence 0.5"]),
    (AWRF(p=0.5), []), (EEL(model="log2"), ["the weight of a rank is 1/log2(rank + 1)"]),
    (EEL(p=0.25, u=0.1), ["the persistence is 0.25",
                          "a relevant document lowers the exposure below it by the share 0.1"]),
    (nDCG(dcg="exp-log2") @ 5, ["dcg is exp-log2"]),
    (P(rel=3) @ 5, ["documents of relevance 3 or more are relevant"])])
def test_parameters_that_are_not_at_their_defaults_have_clauses(measure, texts):
    assert clauses(measure) == texts
