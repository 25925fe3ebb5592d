"""The parameters of measures."""

from __future__ import annotations

import math
import pickle
import random
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import nDCG
from one_test import each

from pt_fairness import (
    AWRF,
    GF,
    GFR,
    NDKL,
    PEER,
    Annotated,
    BiasDCG,
    BiasP,
    BiasRBP,
    DistFair,
    DistKL,
    FaiRR,
    MaxSkew,
    MinSkew,
    RaB,
    RankingBias,
    RepBias,
    Skew,
    TrecFair,
    groups,
    nDD,
    nDJS,
    nDKL,
    nDR,
    rKL,
    rND,
    rRD,
    targets,
)
from pt_fairness.measures import MEASURES
from pt_fairness.measures.params import (
    ATTRIBUTES,
    DIVERGENCES,
    FIXED_TARGETS,
    ORDER,
    TARGETS,
    WEIGHTS,
    WHOLE,
    literal,
)

labels = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(
    str.strip)
awkward = st.sampled_from(
    [
        "it's", 'a "quoted" one', "back\\slash", "a,b", "tab\tnew\nline", "no break space", "文 字",
        "-1", "1.0", "x=1", "@10", "(a)", "{'a':1}", "#", "None", "nan", "a:b", "—", "\\x20", "'",
        '"', "\\"]
)
names = st.one_of(labels, awkward)
distributions = st.lists(names, min_size=1, max_size=4, unique=True).flatmap(
    lambda keys: st.one_of(
        st.just({key: 1 / len(keys) for key in keys}),
        st.just({**dict.fromkeys(keys, 0.0), keys[0]: 1.0}),
        st.just({**dict.fromkeys(keys, 1e-07), keys[0]: 1.0 - 1e-7 * (len(keys) - 1)}))
)
parameters = st.fixed_dictionaries(
    {},
    optional={
        "cutoff": st.integers(1, 1000),
        "rel": st.integers(-3, 4),
        "step": st.integers(1, 20),
        "norm": st.sampled_from(["max", "none"]),
        "protected": st.one_of(
            st.sampled_from(["minority", "majority"]), names.filter(lambda name: name != "all")),
        "target": st.one_of(
            st.sampled_from(["qrels", "collection", "uniform", "run"]), distributions),
        "groups": st.sampled_from(["trec-newswire", "/some where/a file.tsv"]),
    },
)


@given(st.sampled_from([rND, rKL, rRD]), parameters)
def test_every_parity_measure_parses_back(kind, params):
    measure = kind(**params)
    measure.validate_params()
    text = str(measure)
    parsed = ir_measures.parse_measure(text)
    assert parsed == measure and str(parsed) == text and hash(parsed) == hash(measure)
    assert [parsed[name] for name in kind.SUPPORTED_PARAMS] == [
        measure[name] for name in kind.SUPPORTED_PARAMS]
    assert not any(c.isspace() for c in text)
    parsed.validate_params()
    assert pickle.loads(pickle.dumps(measure)) == measure


@given(
    st.sampled_from([nDD, nDR, nDKL]), st.integers(1, 99), names.filter(lambda name: name != "all"),
    st.sampled_from(["max", "protected-first", "none"]))
def test_every_viewpoint_measure_parses_back(kind, cutoff, protected, norm):
    for measure in (kind(protected=protected, norm=norm) @ cutoff, kind(norm=norm), kind @ cutoff,
                    nDJS(norm="none") @ cutoff, Annotated @ cutoff):
        measure.validate_params()
        assert ir_measures.parse_measure(str(measure)) == measure
        assert not any(c.isspace() for c in str(measure))


@pytest.mark.parametrize(
    "measure",
    [
        DistKL, DistKL(target={"a b": 0.5, "c": 0.5}, smoothing=0.25, discount="log2") @ 7,
        DistFair(target="run", rel=-1) @ 3, DistFair(empty="least fair") @ 3,
        DistKL(empty="smooth") @ 3,
        AWRF(discount="geometric", p=0.5, base=math.e, target="collection"),
        NDKL(target={"A": 1}, groups="trec-newswire") @ 4, RepBias(group="a b") @ 10,
        RepBias(group=1.0, target={"1": 0.25, "x": 0.75}, abs=True, rel=-2) @ 3,
        Skew(group="A,B", target="run", groups="trec-newswire"), MinSkew @ 4, MaxSkew(rel=2), BiasP,
        BiasP(pro="in favour", con=2.0, abs=True) @ 3, BiasRBP(p=0.5, rel=-1) @ 3,
        BiasDCG(groups="trec-newswire", pro="FT", con="LA"),
        RaB(values={"PRO": 1, "CON": -1}, abs=True) @ 5,
        RankingBias(values="x", background="qrels"), FaiRR(values={1: 0.5}, groups="trec-newswire"),
        RaB(values="x", missing=-1.5)],
    ids=str,
)
def test_other_measures_parse_back(measure):
    assert ir_measures.parse_measure(str(measure)) == measure
    copy = pickle.loads(pickle.dumps(measure))
    assert copy == measure and copy.RANGE == measure.RANGE
    assert " " not in str(measure)
    measure.validate_params()


def test_equal_values_are_one_measure():
    assert rND(rel=1, protected="minority", step=1) == rND
    assert rND(protected=["CON", "NEUTRAL"]) == rND(protected="CON,NEUTRAL")
    assert rND(protected=1) == rND(protected=1.0) == rND(protected="1")
    assert rKL(target={"b": 0.5, "a": 0.5}) == rKL(target={"a": 0.5, "b": 0.5})
    assert rKL(target={1: 1}) == rKL(target={"1": 1.0})
    assert rND(rel=np.int64(2)) @ np.int64(5) == rND(rel=2) @ 5
    assert len({rND @ 5, rND(cutoff=5), rND(rel=1) @ 5}) == 1
    assert rND @ 5 != rKL @ 5 and rND @ 5 != rND @ 6 and rND != nDCG and rND @ 5 != "rND@5"
    assert (
        str(rND(protected="it's so", rel=-1) @ 5) == """rND(rel='-1',protected="it's\\x20so")@5""")


@pytest.mark.parametrize("zero, other", [(DistKL(smoothing=-0.0), DistKL(smoothing=0)), (
    rKL(target={"A": -0.0, "B": 1.0}), rKL(target={"A": 0, "B": 1}))])
def test_zero_has_no_sign(zero, other):
    assert ir_measures.parse_measure(str(zero)) == zero == other


NUMPY_VALUES = [
    (rND, {"protected": np.str_("x")}, {"protected": "x"}),
    (rND, {"protected": np.int64(1), "rel": np.int32(2)}, {"protected": "1", "rel": 2}),
    (DistKL, {"smoothing": np.int64(1)}, {"smoothing": 1.0}),
    (BiasP, {"abs": np.bool_(True)}, {"abs": True}),
    (
        rKL, {"target": {np.str_("A"): np.float32(0.5), "B": np.float64(0.5)}},
        {"target": {"A": 0.5, "B": 0.5}}),
]


@pytest.mark.parametrize("measure, given, plain", NUMPY_VALUES)
def test_numpy_scalars_are_plain_values(
    measure: Any, given: dict[str, Any], plain: dict[str, Any]
) -> None:
    measure(**given).validate_params()
    assert measure(**given) == measure(**plain) == ir_measures.parse_measure(str(measure(**given)))


#: What parameters of measures have to be given.
NEEDED = {"group": "A", "values": {"A": 1.0}, "attributes": {"a": "jsd"}}
CUTOFFS = "a whole number from 1 to 1000000"
SHARES = "summing to 1"

#: Values that no measure takes, and what the refusal says.
WRONG = [
    ("cutoff", 0, CUTOFFS),
    ("cutoff", 2.5, CUTOFFS),
    ("cutoff", True, CUTOFFS),
    ("cutoff", 10**20, CUTOFFS),
    ("rel", "high", "a whole number"),
    ("step", 0, "a whole number of at least 1"),
    ("norm", "sum", "norm takes '"),
    ("protected", "", "a label, or labels without commas in them, joined by commas"),
    ("target", "everything", "a registered name"),
    ("target", {}, SHARES),
    ("target", {"a": 0.5}, SHARES),
    ("target", {"a": 0.5, "b": 0.6}, SHARES),
    ("target", {"a": 1.5, "b": -0.5}, "not negative"),
    ("target", {"a": math.nan}, SHARES),
    ("target", {"a": "much"}, SHARES),
    ("groups", "", "a Groups object"),
    ("groups", 3, "a Groups object"),
    ("group", " ", "takes the label of a group"),
    ("group", ["A", "B"], "takes the label of a group"),
    ("pro", "", "takes the label of a group"),
    ("con", ["A", "B"], "takes the label of a group"),
    ("abs", 1, "takes True or False"),
    ("smoothing", -1, "smoothing takes a number of at least 0"),
    ("smoothing", math.nan, "smoothing takes a number of at least 0"),
    ("discount", "linear", "discount takes '"),
    ("p", -0.5, "p takes a "),
    ("p", 1.5, "p takes a "),
    ("base", 1.5, "base takes a number of at least 2")]
#: Values and parameters that other measures take.
WRONG_MEASURES = [
    (rND(norm="sum"), "'max' or 'range' or 'none'"),
    (nDD(norm="bound"), "'max' or 'range' or 'protected-first' or 'none'"),
    (rND(alpha=0.5), "has no parameter 'alpha'; it takes cutoff, rel, protected"),
    (DistFair(empty="fair"), "empty takes 'least fair' or 'smooth'"),
    (DistKL(discount="mmr"), "discount takes 'none' or 'log2' or 'trec' or 'geometric'"),
    (
        NDKL(target="qrel"),
        "target takes 'qrels', 'collection', 'uniform', 'run', a registered name"),
    (AWRF(discount="mmr"), "discount takes 'log2' or 'trec' or 'geometric'"),
    (AWRF(p=1), "p takes a number above 0 and below 1"),
    (BiasRBP(p=0), "p takes a number above 0 and below 1"),
    (BiasRBP(p=1.0), "p takes a number above 0 and below 1"),
    (DistKL(smoothing=-1), "DistKL(smoothing=-1.0) is not possible"),
    (
        DistKL(alpha=0.5),
        "DistKL has no parameter 'alpha'; it takes cutoff, rel, target, smoothing, discount, "
        "p, unannotated, empty, groups",
    ),
    (
        RepBias @ 10,
        "RepBias needs the parameter 'group', the group whose representation is measured: "
        "RepBias(group=…)",
    ),
    (Skew, "Skew needs the parameter 'group'"),
    (MinSkew(group="A"), "MinSkew has no parameter 'group'; it takes cutoff, rel, target, groups"),
    (RepBias(group="A", protected="A"), "RepBias has no parameter 'protected'"),
    (
        BiasP(pro="A", con="A"),
        "BiasP needs two groups to set against each other; pro and con are both 'A'"),
    (BiasDCG(con="PRO"), "pro and con are both 'PRO'"),
    (BiasDCG(p=0.5), "BiasDCG has no parameter 'p'"),
]


@each("name, value, says", WRONG)
def test_every_measure_refuses_a_wrong_value_with_what_is_allowed(worked, name, value, says):
    kinds = [kind for kind in MEASURES.values() if name in kind.SUPPORTED_PARAMS]
    assert kinds
    for kind in kinds:
        needed = {key: NEEDED[key] for key in NEEDED if key in kind.SUPPORTED_PARAMS}
        if kind.NAME == "TrecFair":
            needed["attributes"] = {"a": "trec-fair/2021/gender"}
        check_refusal(kind(**{**needed, name: value}), says, worked)


@pytest.mark.parametrize("measure, says", WRONG_MEASURES, ids=str)
def test_a_measure_refuses_what_others_take(worked, measure, says):
    check_refusal(measure, says, worked)


def check_refusal(measure: Any, says: str, case: Any) -> None:
    """The measure, ir_measures and the provider by itself refuse alike."""
    provider = ir_measures.providers.registry["fairness"]
    for refuse in (
        measure.validate_params,
        lambda: ir_measures.calc_aggregate([measure], case.qrels_frame, case.run_frame),
        lambda: provider.calc_aggregate([measure], case.qrels_frame, case.run_frame),
    ):
        with pytest.raises(ValueError) as refusal:
            refuse()
        assert says in str(refusal.value) and measure.NAME in str(refusal.value)


def test_labels_with_a_comma_are_not_joined():
    with pytest.raises(ValueError, match="labels without commas in them"):
        rND(protected=["a,b", "c"]).validate_params()
    rND(protected=["a,b"]).validate_params()


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


@each("seed", range(20))
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
    assert [*found.items()] == [("a", "rnod"), ("b", "nmd"), (source, "jsd")]
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
    assert literal(taken(WHOLE, value)) == repr(form)


@pytest.mark.parametrize("value", [3, ["a", 3], None])
def test_what_is_no_name_of_an_attribute(value):
    assert not WHOLE.validate(WHOLE.canonical(value))
