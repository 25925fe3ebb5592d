"""What every measure has from its base class: parameters, names, text, equality, pickling."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import parse_measure

from pt_fairness import (
    AWRF,
    GFR,
    BiasP,
    DistKL,
    RankingBias,
    RepBias,
    groups,
    nDD,
    rKL,
    rND,
    targets,
)
from pt_fairness.measures import MEASURES
from pt_fairness.measures.base import (
    FairnessMeasure,
    MeanOfTopics,
    Quotient,
    registry_of,
    supported,
)


class Mean(Quotient):
    """Mean — Mean of What Is Given.

    The view is the summands and the divisor, here.
    """

    SUPPORTED_PARAMS = {}

    def summands(self, view):
        return view


class Known(Mean):
    """Known — Mean of Positive Numbers."""

    def defined(self, view):
        return view[0].min(axis=1) > 0


class TestAggregation:
    def test_topics_without_a_value_do_not_count(self):
        for values in ([0.5, math.nan, 0.25], [math.nan, 1.0], [0.0, 0.0]):
            mean = (rKL @ 5).aggregator()
            assert isinstance(mean, MeanOfTopics)
            for value in values:
                mean.add(value)
            known = [value for value in values if not math.isnan(value)]
            assert mean.result() == sum(known) / len(known)

    def test_quotients_are_sums_of_terms_over_a_number(self):
        summands = np.random.default_rng(0).integers(-3, 9, (20, 7)).astype(float)
        divisor = np.arange(20.0)  # an empty list has the divisor 0
        terms, value = Mean().terms((summands, divisor)), Mean().score((summands, divisor))
        for row, number in enumerate(divisor):
            own = [one / number if number else 0.0 for one in summands[row]]
            assert terms[row].tolist() == own and value[row] == pytest.approx(sum(own))
        assert Mean().is_sum and Known().is_sum

    def test_the_mean_of_equal_numbers_is_that_number(self):
        for n in range(1, 200):
            assert Mean().score((np.ones((1, n)), np.array([n]))) == [1.0]

    def test_a_list_that_is_not_defined_has_no_value(self):
        view = np.array([[1.0, 2.0], [0.0, 2.0]]), np.array([2, 2])
        np.testing.assert_array_equal(Known().score(view), [1.5, np.nan])

    def test_a_measure_without_terms_is_no_sum(self):
        class Own(FairnessMeasure):
            SUPPORTED_PARAMS = {}

            def score(self, view):
                return np.zeros(1)

        assert not Own().is_sum and not (AWRF @ 5).is_sum and (rND @ 5).is_sum
        with pytest.raises(NotImplementedError):
            Own().terms(())


class TestParameters:
    def test_values_defaults_and_parameters_that_a_measure_does_not_have(self):
        measure = DistKL(smoothing=0.5)
        assert measure.param("smoothing") == 0.5 and measure.param("rel") == 1
        assert measure.param("cutoff") is None, "it has no default"
        assert measure.param("protected") is None, "another measure has it"
        assert supported(type(DistKL), {"rel": 2, "protected": "A", "step": 1}) == {"rel": 2}

    def test_ranges_follow_the_norm(self):
        assert rND.RANGE == nDD.RANGE == (0.0, 1.0)
        for measure in (rND(norm="none"), nDD(norm="protected-first") @ 5,
                        parse_measure("rND(norm='none')@5")):
            assert measure.RANGE == (0.0, None)
        assert (rND @ 5).RANGE == (0.0, 1.0) and type(rND).RANGE == (0.0, 1.0)

    def test_a_value_may_depend_on_the_whole_list(self):
        assert (rND @ 5).depth == 5 and rND.depth is None and not (rND @ 5).of_run
        assert (rND(target="run") @ 5).depth is None and (rND(target="run") @ 5).of_run

    def test_unannotated_documents_may_keep_their_ranks(self):
        assert AWRF.condensed and not AWRF(unannotated="keep").condensed
        assert not GFR(attributes={"a": "jsd"}).condensed

    def test_the_first_wrong_parameter_is_named_with_what_is_allowed(self):
        for measure, says in (
                (rND(steps=2), r"rND has no parameter 'steps'; it takes cutoff, rel, protected,"),
                (rND(norm="x", step=0), r"rND\(norm='x'\) is not possible: norm takes 'max' or"),
                (RepBias(rel=2), r"RepBias needs the parameter 'group', .*: RepBias\(group=…\)")):
            for _ in range(2):  # a refused measure is not taken for a checked one
                with pytest.raises(ValueError, match=says):
                    measure.validate_params()

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

    def test_parts(self):
        assert rND.parts == [rND] and rND.compose([np.array([0.25])]).tolist() == [0.25]
        of_two = GFR(attributes={"a": "jsd", "b": "nmd"}) @ 5
        assert [part.param("groups") for part in of_two.parts] == [None, "a", "b"]


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
        measure = rKL(groups="a", target="uniform", rel=2) @ 5
        source, asked = groups.from_mapping({"d": "X"}, name="b"), []
        changed = measure.with_sources(lambda *given: asked.append(given) or source)
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


def test_a_topic_without_results_has_the_unfair_value_unless_another_is_declared():
    class Fair(FairnessMeasure):
        FAIR_END = 1.0

    class Inherited(Fair):
        pass

    class Unfair(FairnessMeasure):
        pass

    class Declared(FairnessMeasure):
        FAIR_END, DEFAULT = 1.0, 0.5

    assert [kind.DEFAULT for kind in (Fair, Inherited, Unfair, Declared)] == [0.0, 0.0, 1.0, 0.5]


def test_all_groups_as_the_protected_one_are_refused_at_once_where_there_are_two_sides():
    for name, kind in MEASURES.items():
        text = f"{name}(protected='all')"
        if "protected" not in kind.SUPPORTED_PARAMS:
            continue
        if name in ("rKL", "nDJS"):
            ir_measures.parse_measure(text).validate_params()
            continue
        for make, ways in ((ir_measures.parse_measure, [text]),
                            (lambda one, kind=kind: kind(protected=one), ["all", ["all"]])):
            for one in ways:
                with pytest.raises(ValueError, match="takes 'minority', 'majority', a la") as error:
                    make(one)
                assert str(error.value).startswith(text)
                assert "rKL and nDJS compare all groups" in str(error.value)


def test_unregistered_groups_travel_with_their_measure():
    source = groups.from_mapping({"a": "X", "b": "Y"})
    measure = rND(groups=source, protected="X") @ 5
    code = """
import pickle, sys
measure = pickle.loads(sys.stdin.buffer.read())
import ir_measures
qrels = [ir_measures.Qrel("q", "a", 1), ir_measures.Qrel("q", "b", 1)]
run = [ir_measures.ScoredDoc("q", "a", 1.0)]
print(measure, ir_measures.calc_aggregate([measure], qrels, run)[measure])
"""
    done = subprocess.run(
        [sys.executable, "-c", code], input=pickle.dumps(measure), capture_output=True, check=True
    )
    assert done.stdout.decode().split() == [str(measure), "1.0"]
