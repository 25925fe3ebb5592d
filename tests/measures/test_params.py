"""The parameters of measures."""

from __future__ import annotations

import math
import pickle

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
    EED,
    EEL,
    EER,
    FAIR,
    GF,
    GFR,
    IAA,
    NDKL,
    PEER,
    Annotated,
    BiasP,
    BiasRBP,
    DistFair,
    DistKL,
    FaiRR,
    MaxSkew,
    MinSkew,
    RaB,
    RADio,
    RankingBias,
    RepBias,
    Skew,
    TrecFair,
    groups,
    logDP,
    nDD,
    nDJS,
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
awkward = st.sampled_from([
    "it's", 'a "quoted" one', "back\\slash", "a,b", "tab\tnew\nline", "no break space", "文 字",
    "-1", "1.0", "x=1", "@10", "(a)", "{'a':1}", "#", "None", "nan", "a:b", "—", "\\x20",
    "'", '"', "\\"])
names = st.one_of(labels, awkward)
distributions = st.lists(names, min_size=1, max_size=4, unique=True).flatmap(
    lambda keys: st.one_of(
        st.just({key: 1 / len(keys) for key in keys}),
        st.just({**dict.fromkeys(keys, 0.0), keys[0]: 1.0}),
        st.just({**dict.fromkeys(keys, 1e-07), keys[0]: 1.0 - 1e-7 * (len(keys) - 1)})))
parameters = st.fixed_dictionaries({}, optional={
    "cutoff": st.integers(1, 1000), "rel": st.integers(-3, 4), "step": st.integers(1, 20),
    "norm": st.sampled_from(["max", "none"]),
    "protected": st.one_of(
        st.sampled_from(["minority", "majority"]), names.filter(lambda name: name != "all")),
    "target": st.one_of(
        st.sampled_from(["qrels", "collection", "uniform", "run"]), distributions),
    "groups": st.sampled_from(["trec-newswire", "/some where/a file.tsv"])})


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


@each("measure", [
    nDD(protected="it's", norm="protected-first") @ 3, nDJS(norm="none"), Annotated @ 4,
    DistKL(target={"a b": 0.5, "c": 0.5}, smoothing=0.25, discount="log2") @ 7,
    DistFair(target="run", rel=-1, empty="least fair") @ 3, DistKL(empty="smooth") @ 3,
    AWRF(discount="geometric", p=0.5, base=math.e, target="collection"),
    NDKL(target={"A": 1}, groups="trec-newswire") @ 4, RepBias(group="a b") @ 10,
    RepBias(group=1.0, target={"1": 0.25, "x": 0.75}, abs=True, rel=-2) @ 3,
    Skew(group="A,B", target="run", groups="trec-newswire"), MinSkew @ 4, MaxSkew(rel=2), BiasP,
    BiasP(pro="in favour", con=2.0, abs=True) @ 3, BiasRBP(p=0.5, rel=-1) @ 3,
    PEER(weights={2: 0.75, 0: 0.25}, unretrieved="count") @ 20, GF(order=["low", "mid", 3]),
    FAIR(p=0.25, alpha=0.05, adjust=False, value="prefixes", protected="a,b") @ 20,
    RADio(divergence="kl", discount="geometric", p=0.5) @ 10, EEL(u=0.25, by="group") @ 5,
    GFR(attributes={"h index": "nmd"}, targets={"h index": {"low": 0.5, "high": 0.5}}) @ 10,
    RaB(values={"PRO": 1, "CON": -1}, abs=True) @ 5, RaB(values="x", missing=-1.5),
    RankingBias(values="x", background="qrels"), FaiRR(values={1: 0.5}, groups="trec-newswire"),
    DistKL(smoothing=-0.0), rKL(target={"A": -0.0, "B": 1.0})])
def test_other_measures_parse_back(measure):
    text = str(measure)
    assert ir_measures.parse_measure(text) == measure
    copy = pickle.loads(pickle.dumps(measure))
    assert copy == measure and copy.RANGE == measure.RANGE
    assert " " not in text and "-0.0" not in text  # zero has no sign
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


@each("measure, given, plain", [
    (rND, {"protected": np.int64(1), "rel": np.int32(2)}, {"protected": "1", "rel": 2}),
    (BiasP, {"abs": np.bool_(True)}, {"abs": True}),
    (rKL, {"target": {np.str_("A"): np.float32(0.5), "B": np.float64(0.5)}},
     {"target": {"A": 0.5, "B": 0.5}})])
def test_numpy_scalars_are_plain_values(measure, given, plain):
    measure(**given).validate_params()
    assert measure(**given) == measure(**plain)


GENDER = "trec-fair/2021/gender"
#: What parameters of measures have to be given.
NEEDED = {"group": "A", "values": {"A": 1.0}, "attributes": {"a": "jsd"}}
#: Values that no measure takes.
WRONG = {
    "cutoff": [0, 2.5, True, 10**20], "rel": ["high"], "step": [0], "norm": ["sum"],
    "discount": ["linear"], "protected": ["", ["a,b", "c"]], "groups": ["", 3], "abs": [1],
    "target": ["everything", {"a": 1.5, "b": -0.5}, {}, {"a": 0.5}, {"a": 0.5, "b": 0.6},
               {"a": math.nan}, {"a": "much"}],
    "group": [" ", ["A", "B"]], "pro": [" "], "con": [" "],
    "smoothing": [-1, math.nan], "p": [-0.5, 1.5], "base": [1.5]}
#: Values and parameters that other measures take, and the word that the error has.
WRONG_MEASURES = [
    (nDD(norm="bound"), "norm"), (DistFair(empty="fair"), "empty"), (DistKL(discount="mmr"), "mmr"),
    (NDKL(target="qrel"), "target"), (AWRF(p=1), "p must"), (BiasRBP(p=0), "p must"),
    (DistKL(alpha=0.5), "no parameter 'alpha'"), (RepBias @ 10, "needs the parameter 'group'"),
    (MinSkew(group="A"), "no parameter 'group'"), (BiasP(pro="A", con="A"), "pro and con"),
    (RADio(divergence="kl", alpha=0), "alpha"), (RADio(alpha=0.5), "alpha"),
    (BiasP(pro=None), "pro"), (EEL(target="run"), "target"), (EEL(u=1.5), "u must"),
    (EEL(model="none"), "cutoff"), (EED(model="log2", norm="bound"), "cutoff"),
    (EER(model="trec", by="group", target="uniform"), "cutoff")]


@each("name, value", [(name, value) for name, values in WRONG.items() for value in values])
def test_every_measure_refuses_a_wrong_value(name, value):
    kinds = [kind for kind in MEASURES.values() if name in kind.SUPPORTED_PARAMS]
    assert kinds
    for kind in kinds:
        needed = {key: NEEDED[key] for key in NEEDED if key in kind.SUPPORTED_PARAMS}
        if kind.NAME == "TrecFair":
            needed["attributes"] = {"a": GENDER}
        measure = kind(**{**needed, name: value})
        for _ in range(2):  # a refused measure is not taken for a checked one
            with pytest.raises(ValueError, match=f"{name} must be.*{kind.NAME}"):
                measure.validate_params()


@each("measure, word", WRONG_MEASURES)
def test_a_measure_refuses_what_others_take_as_ir_measures_and_the_provider_do(
        worked, measure, word):
    provider = ir_measures.providers.registry["fairness"]
    for calc in (ir_measures.calc_aggregate, provider.calc_aggregate):
        with pytest.raises(ValueError, match=f"(?s){measure.NAME}.*{word}|{word}.*{measure.NAME}"):
            calc([measure], worked.qrels_frame, worked.run_frame)


def taken(param, value):
    """The form of a value that is allowed."""
    found = param.canonical(value)
    assert param.validate(found), found
    assert param.canonical(found) == found, "the form of a form is itself"
    return found


@pytest.fixture
def census(forget_targets):
    targets.register("census", pd.DataFrame({"group": ["A", "B"], "share": [0.25, 0.75]}))


MINE = groups.from_mapping({"d": "A"}, name="mine")


@each("value, form", [
    ("low,mid,high", "low,mid,high"), (["low", "mid", "high"], "low,mid,high"),
    (("b", "a"), "b,a"), ([1, 2.0, "3"], "1,2,3"), (["one"], "one")])
def test_orders_keep_their_order(value, form):
    assert taken(ORDER, value) == form


@each("value, form", [
    ("b,a", "a,b"), ("b", "b"), ("", ""), ("a,,b", "a,b")])
def test_names_of_attributes_have_no_order(value, form):
    assert literal(taken(WHOLE, value)) == repr(form)


def test_sources_are_sorted_and_named(census):
    found = taken(ATTRIBUTES, {MINE: "jsd", "b": "nmd", "a": "rnod"})
    assert [*found.items()] == [("a", "rnod"), ("b", "nmd"), (MINE, "jsd")]
    assert ATTRIBUTES.required and ATTRIBUTES.validate({})
    assert all(repr(divergence) in ATTRIBUTES.allowed for divergence in DIVERGENCES)
    assert GFR(attributes={"b": "jsd", "a": "jsd"}) == GFR(attributes={"a": "jsd", "b": "jsd"})
    found = taken(TARGETS, {"b": {2: 0.25, "1": 0.75}, "a": "qrels", "c": "census"})
    assert [*found.items()] == [("a", "qrels"), ("b", {"1": 0.75, "2": 0.25}), ("c", "census")]
    assert TARGETS.default == {} and TARGETS.validate({})
    assert taken(FIXED_TARGETS, {"b": "census", "a": "census"}) == {"a": "census", "b": "census"}


@each("param, make, values", [
    (ORDER, lambda value: GF(order=value, divergence="nmd"),
     ["a,a", "a,,b", "", ["a", "b", "a"], ["a,b", "c"], {"a": 1}]),
    (WEIGHTS, lambda value: PEER(weights=value),
     [{}, {0: 0.5}, {0: 1.5, 1: -0.5}, {-1: 1.0}, {0.5: 1.0}, {"a": 1.0}, {1: 0.5, "1": 0.5},
      {1: math.nan}, {None: 1.0}, [1.0], "1"]),
    (ATTRIBUTES, lambda value: GFR(attributes=value),
     [{"a": "kl"}, {"": "jsd"}, {3: "jsd"}, {"a": None}, ["a"], "a"]),
    (TARGETS, lambda value: GFR(attributes={"a": "jsd"}, targets=value),
     [{"a": "nowhere"}, {"a": {"x": 0.5}}, {"": "qrels"}, {"a": 1}, "qrels"]),
    (FIXED_TARGETS, lambda value: TrecFair(attributes=value),
     [{}, {"a": "qrels"}, {"a": "nowhere"}, {"a": {"A": 1.0}}, {"": "census"}, "census"]),
    (WHOLE, lambda value: TrecFair(attributes={"a": "census"}, whole=value), [{"a": 1}, None])])
def test_what_is_refused(census, param, make, values):
    for value in values:
        assert not param.validate(param.canonical(value)), value
        with pytest.raises(ValueError, match="must be"):
            make(value).validate_params()


@each("measure, word", [
    (GFR(attributes={"a": "jsd"}, targets={"b": "qrels"}), "targets"), (GFR, "attributes"),
    (TrecFair, "attributes"), (TrecFair(attributes={"a": GENDER}, whole="b"), "whole"),
    (TrecFair(attributes={"a": GENDER}, ideal=3, cutoff=4), "ideal"), (RaB, "values"),
    (TrecFair(attributes={"a": GENDER}, of_qrels=1.5), "of_qrels"),
    (rKL(protected="all", norm="range"), "protected"), (IAA(protected="A"), "protected"),
    *((kind(protected=every), "protected") for kind in (rND, nDD, logDP, FAIR)
      for every in ("all", ["all"]))])
def test_what_does_not_fit_together(measure, word):
    with pytest.raises(ValueError, match=word):
        measure.validate_params()
