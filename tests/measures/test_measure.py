"""What holds of a measure as an object: parameters, text, docstring, scores."""

import math
import pickle
import re
from contextlib import suppress

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import parse_measure
from measure_cases import of_lists
from one_test import each

import pt_fairness as pf
from pt_fairness import groups, targets
from pt_fairness.analysis import ladder
from pt_fairness.analysis.inputs import direction
from pt_fairness.measures import MEASURES
from pt_fairness.measures.descriptions import ideal_in_words
from pt_fairness.measures.measure import (
    Quotient,
    depth_of,
    rels_of,
)
from pt_fairness.measures.measure_names import docstring_sections


def test_topics_without_a_value_do_not_count():
    mean = (pf.rKL @ 5).aggregator()
    for value in (0.5, math.nan, 0.25):
        mean.add(value)
    assert mean.result() == 0.75 / 2


def test_the_mean_of_equal_numbers_is_that_number(values):
    found = values([pf.Annotated], *of_lists("A" * n for n in range(1, 60)))
    assert isinstance(pf.Annotated, Quotient) and {*found.values()} == {1.0}
    assert not (pf.AWRF @ 5).is_sum and (pf.rND @ 5).is_sum and pf.Annotated.is_sum


class TestParameters:

    def test_ranges_follow_the_norm(self):
        assert pf.rND.RANGE == pf.nDD.RANGE == (0.0, 1.0)
        for measure in (pf.rND(norm="none"), pf.nDD(norm="protected-first") @ 5,
                        parse_measure("rND(norm='none')@5")):
            assert measure.RANGE == (0.0, None)
        assert (pf.rND @ 5).RANGE == (0.0, 1.0) and type(pf.rND).RANGE == (0.0, 1.0)

    def test_a_value_may_depend_on_the_whole_list(self):
        assert (pf.rND @ 5).depth == 5 and pf.rND.depth is None and not (pf.rND @ 5).reads_run
        assert (pf.rND(target="run") @ 5).depth is None and (pf.rND(target="run") @ 5).reads_run
        assert depth_of([pf.rND @ 5, pf.rKL @ 7]) == 7 and depth_of([pf.rND @ 5, pf.rKL]) is None
        assert rels_of([pf.rND @ 5, pf.rKL(rel=2) @ 5]) == {1, 2} and None in rels_of([pf.EEL])

    def test_unannotated_documents_may_keep_their_ranks(self):
        assert pf.AWRF.condensed and not pf.AWRF(unannotated="keep").condensed
        assert not pf.GFR(attributes={"a": "jsd"}).condensed

    def test_labels_of_parameters(self):
        assert pf.rND(protected="A,B").named_labels(["A", "B"]) == [
            ("protected", "A"), ("protected", "B")]
        assert pf.rND(protected="A,B").named_labels(["A,B", "C"]) == [("protected", "A,B")]
        assert pf.rND.named_labels(["A"]) == pf.rKL(protected="all").named_labels(["A"]) == []
        assert pf.BiasP(pro="A").named_labels([]) == [("pro", "A"), ("con", "CON")]

    def test_targets_add_labels(self, forget_targets):
        targets.register("census", pd.DataFrame({"group": ["A", "z"], "share": [0.25, 0.75]}))
        assert set(pf.rKL(target="census").added_labels) == {"A", "z"}
        assert pf.rKL(target={"x": 1.0}).added_labels == ("x",)
        assert pf.rKL.added_labels == pf.rKL(target="uniform").added_labels == ()


class TestText:
    def test_only_what_differs_from_the_default_is_named(self):
        assert str(pf.rND(rel=1, step=1)) == "rND" and str(pf.rND(rel=2) @ 5) == "rND(rel=2)@5"
        assert repr(pf.rND(step=2, rel=2)) == "rND(rel=2,step=2)", "in the order of the class"
        assert str(pf.rND(steps=3)) == "rND(steps=3)", "unknown ones are shown, too"


class TestNames:
    def test_sources_are_no_keywords(self):
        assert pf.rND.sources() == pf.rND(target="run", protected="A").sources() == []
        measure = pf.RankingBias(values="tone", background="baseline", groups="stance")
        assert sorted(measure.sources()) == [
            ("background", "baseline"), ("groups", "stance"), ("values", "tone")]
        assert pf.RankingBias(values={"A": 1.0}, background="qrels").sources() == []
        composed = pf.GFR(attributes={"a": "jsd", "b": "nmd"},
                          targets={"a": "qrels", "b": "census"})
        assert sorted({*composed.sources()}) == [
            ("groups", "a"), ("groups", "b"), ("target", "census")]

    def test_sources_are_replaced_and_the_text_stays(self):
        measure, asked = pf.rKL(groups="a", target="uniform", rel=2) @ 5, []
        source = groups.from_mapping({"d": "X"}, name="b")
        changed = measure.replace_sources(lambda *given: asked.append(given) or source)
        assert asked == [("groups", "a")] and changed.param("groups") is source
        assert str(changed) == str(measure) and measure.param("groups") == "a"
        assert pf.rKL(groups=source, rel=2).text(lambda one: "shown" if one is source else one) == \
            "rKL(rel=2,groups='shown')"

    def test_equal_names_of_different_sources_are_different_measures(self):
        one, two, again = (groups.from_mapping({"d": label}, name="mine") for label in "ABA")
        measures = [pf.rND(groups=source) @ 5 for source in (one, two, again)]
        assert len({*map(str, measures)}) == len({*map(hash, measures)}) == 1
        assert measures[0] == measures[2] != measures[1]
        assert pf.rND(groups="mine") @ 5 != measures[0], "nothing is registered by this name"

    def test_a_source_is_not_made_to_be_pickled(self, registered_groups):
        made = []
        registered_groups("late", lambda: made.append(1) or groups.from_mapping({"d": "A"}))
        assert str(pickle.loads(pickle.dumps(pf.rND(groups="late")))) == "rND(groups='late')"
        assert made == []


#: Numbers that are no values of rankings: the logarithm of 2, and the usual level of a test.
NOT_OF_RANKINGS = {"0.69", "−0.69", "0.05"}


@each("name", MEASURES)
def test_the_values_of_how_to_read_are_those_of_rankings(name):
    lead = docstring_sections(MEASURES[name])[""]
    text, _, drawn = lead.partition(">>> ")
    known = NOT_OF_RANKINGS | {*re.findall(r"(\S+)$", drawn, re.MULTILINE)}
    by_group = {"by": "group"} if "by" in MEASURES[name].SUPPORTED_PARAMS else {}
    with suppress(ValueError):  # the measure needs other parameters
        known |= {f"{value:.2f}" for value in np.ravel(ladder(MEASURES[name](**by_group)))}
    assert {*re.findall(r"(?<![\d.])−?\d+\.\d\d\b", text)} <= {
        value.replace("-", "−") for value in known}


@pytest.mark.parametrize("name, kind, high", [
    ("β_P", pf.BiasP, 1), ("β_RBP", pf.BiasRBP, 1), ("β_DCG", pf.BiasDCG, None)])
def test_biases_for_one_view_alone_and_their_names_in_the_paper(name, kind, high):
    alone = kind(con=None)
    assert ir_measures.parse_measure(str(alone)) == alone and alone(con="CON") == kind
    assert (0, high) == alone.RANGE and (high and -high, high) == kind.RANGE
    assert direction(str(alone)) == "↑" and direction(str(kind)) == "→0"
    assert ("more" in ideal_in_words(alone)) == (high is None)
    assert ir_measures.parse_measure(f"{name}(pro='A')@10") == kind(pro="A") @ 10
    assert getattr(pf, name) is kind
