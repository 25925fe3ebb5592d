"""What holds of a measure as an object: parameters, text, docstring, scores."""

from __future__ import annotations

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

import pt_fairness
from pt_fairness import (
    AWRF,
    EEL,
    GFR,
    Annotated,
    BiasDCG,
    BiasP,
    BiasRBP,
    RankingBias,
    groups,
    nDD,
    rKL,
    rND,
    rRD,
    targets,
)
from pt_fairness.analysis import ladder
from pt_fairness.analysis.frames import direction
from pt_fairness.measures import MEASURES
from pt_fairness.measures.descriptions import ideal_in_words
from pt_fairness.measures.measure import (
    Quotient,
    contributions,
    depth_of,
    registry_of,
    rels_of,
    score,
)
from pt_fairness.measures.measure_names import docstring_sections
from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.trec_order import Judgments, Run


def test_topics_without_a_value_do_not_count():
    mean = (rKL @ 5).aggregator()
    for value in (0.5, math.nan, 0.25):
        mean.add(value)
    assert mean.result() == 0.75 / 2


def test_the_mean_of_equal_numbers_is_that_number(values):
    found = values([Annotated], *of_lists("A" * n for n in range(1, 60)))
    assert isinstance(Annotated, Quotient) and {*found.values()} == {1.0}
    assert not (AWRF @ 5).is_sum and (rND @ 5).is_sum and Annotated.is_sum


class TestParameters:

    def test_ranges_follow_the_norm(self):
        assert rND.RANGE == nDD.RANGE == (0.0, 1.0)
        for measure in (rND(norm="none"), nDD(norm="protected-first") @ 5,
                        parse_measure("rND(norm='none')@5")):
            assert measure.RANGE == (0.0, None)
        assert (rND @ 5).RANGE == (0.0, 1.0) and type(rND).RANGE == (0.0, 1.0)

    def test_a_value_may_depend_on_the_whole_list(self):
        assert (rND @ 5).depth == 5 and rND.depth is None and not (rND @ 5).reads_run
        assert (rND(target="run") @ 5).depth is None and (rND(target="run") @ 5).reads_run
        assert depth_of([rND @ 5, rKL @ 7]) == 7 and depth_of([rND @ 5, rKL]) is None
        assert rels_of([rND @ 5, rKL(rel=2) @ 5]) == {1, 2} and None in rels_of([EEL])

    def test_unannotated_documents_may_keep_their_ranks(self):
        assert AWRF.condensed and not AWRF(unannotated="keep").condensed
        assert not GFR(attributes={"a": "jsd"}).condensed

    def test_labels_of_parameters(self):
        assert rND(protected="A,B").named_labels(["A", "B"]) == [
            ("protected", "A"), ("protected", "B")]
        assert rND(protected="A,B").named_labels(["A,B", "C"]) == [("protected", "A,B")]
        assert rND.named_labels(["A"]) == rKL(protected="all").named_labels(["A"]) == []
        assert BiasP(pro="A").named_labels([]) == [("pro", "A"), ("con", "CON")]

    def test_targets_add_labels(self, forget_targets):
        targets.register("census", pd.DataFrame({"group": ["A", "z"], "share": [0.25, 0.75]}))
        assert set(rKL(target="census").added_labels) == {"A", "z"}
        assert rKL(target={"x": 1.0}).added_labels == ("x",)
        assert rKL.added_labels == rKL(target="uniform").added_labels == ()


class TestText:
    def test_only_what_differs_from_the_default_is_named(self):
        assert str(rND(rel=1, step=1)) == "rND" and str(rND(rel=2) @ 5) == "rND(rel=2)@5"
        assert repr(rND(step=2, rel=2)) == "rND(rel=2,step=2)", "in the order of the class"
        assert str(rND(steps=3)) == "rND(steps=3)", "unknown ones are shown, too"


class TestNames:
    def test_sources_are_no_keywords(self):
        assert rND.sources() == rND(target="run", protected="A").sources() == []
        measure = RankingBias(values="tone", background="baseline", groups="stance")
        assert sorted(measure.sources()) == [
            ("background", "baseline"), ("groups", "stance"), ("values", "tone")]
        assert RankingBias(values={"A": 1.0}, background="qrels").sources() == []
        composed = GFR(attributes={"a": "jsd", "b": "nmd"}, targets={"a": "qrels", "b": "census"})
        assert sorted({*composed.sources()}) == [
            ("groups", "a"), ("groups", "b"), ("target", "census")]

    def test_sources_are_replaced_and_the_text_stays(self):
        measure, asked = rKL(groups="a", target="uniform", rel=2) @ 5, []
        source = groups.from_mapping({"d": "X"}, name="b")
        changed = measure.replace_sources(lambda *given: asked.append(given) or source)
        assert asked == [("groups", "a")] and changed.param("groups") is source
        assert str(changed) == str(measure) and measure.param("groups") == "a"
        assert rKL(groups=source, rel=2).text(lambda one: "shown" if one is source else one) == \
            "rKL(rel=2,groups='shown')"

    def test_equal_names_of_different_sources_are_different_measures(self):
        one, two, again = (groups.from_mapping({"d": label}, name="mine") for label in "ABA")
        measures = [rND(groups=source) @ 5 for source in (one, two, again)]
        assert len({*map(str, measures)}) == len({*map(hash, measures)}) == 1
        assert measures[0] == measures[2] != measures[1]
        assert rND(groups="mine") @ 5 != measures[0], "nothing is registered by this name"

    def test_registered_sources_travel_with_their_measure(self, registered_groups):
        registered_groups("mine", groups.from_mapping({"d": "A"}))
        measure = rND(groups="mine") @ 5
        packed = pickle.dumps(measure)
        assert pickle.loads(packed) == measure
        assert pickle.loads(packed).__doc__ == type(rND).__doc__
        registered_groups("mine", groups.from_mapping({"d": "B"}))
        copy = pickle.loads(packed)
        assert str(copy) == str(measure) and copy != measure
        (_, name), = copy.sources()
        assert registry_of("groups").find(name).labels == ["A"]

    def test_a_source_is_not_made_to_be_pickled(self, registered_groups):
        made = []
        registered_groups("late", lambda: made.append(1) or groups.from_mapping({"d": "A"}))
        assert str(pickle.loads(pickle.dumps(rND(groups="late")))) == "rND(groups='late')"
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


@pytest.fixture
def rankings(make_case):
    case = make_case(3, topics=9)
    judgments = Judgments(case.qrels_frame)
    run = Run(case.run_frame.drop_duplicates(["query_id", "doc_id"]), judgments,
              lambda text, cause: None)
    annotations = Annotations(judgments, None, [1, 2, None])
    return annotations.rankings(run, None)


@each("measure", [rND @ 5, rKL @ 5, rRD(norm="none") @ 5])
def test_contributions_add_up_to_the_value(rankings, measure):
    terms = contributions(measure, rankings, 7)
    assert terms.shape == (len(rankings), 7)
    # Nothing returned has the worst value, but no document that adds to it.
    counted = rankings.restricted().length > 0
    assert terms.sum(axis=1)[counted].tolist() == pytest.approx(
        score([measure], rankings)[measure][counted].tolist(), nan_ok=True)


@pytest.mark.parametrize("name, kind, high", [
    ("β_P", BiasP, 1), ("β_RBP", BiasRBP, 1), ("β_DCG", BiasDCG, None)])
def test_biases_for_one_view_alone_and_their_names_in_the_paper(name, kind, high):
    alone = kind(con=None)
    assert ir_measures.parse_measure(str(alone)) == alone and alone(con="CON") == kind
    assert (0, high) == alone.RANGE and (high and -high, high) == kind.RANGE
    assert direction(str(alone)) == "↑" and direction(str(kind)) == "→0"
    assert ("more" in ideal_in_words(alone)) == (high is None)
    assert ir_measures.parse_measure(f"{name}(pro='A')@10") == kind(pro="A") @ 10
    assert getattr(pt_fairness, name) is kind
