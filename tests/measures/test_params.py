"""The parameters of measures."""

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

import pt_fairness as pf
from pt_fairness import groups, targets
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


@given(st.sampled_from([pf.rND, pf.rKL, pf.rRD]), parameters)
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
    pf.nDD(protected="it's", norm="protected-first") @ 3, pf.nDJS(norm="none"), pf.Annotated @ 4,
    pf.DistKL(target={"a b": 0.5, "c": 0.5}, smoothing=0.25, discount="log2") @ 7,
    pf.DistFair(target="run", rel=-1, empty="least fair") @ 3, pf.DistKL(empty="smooth") @ 3,
    pf.AWRF(discount="geometric", p=0.5, base=math.e, target="collection"),
    pf.NDKL(target={"A": 1}, groups="trec-newswire") @ 4, pf.RepBias(group="a b") @ 10,
    pf.RepBias(group=1.0, target={"1": 0.25, "x": 0.75}, abs=True, rel=-2) @ 3,
    pf.Skew(group="A,B", target="run", groups="trec-newswire"), pf.MinSkew @ 4, pf.MaxSkew(rel=0),
    pf.BiasP, pf.BiasP(pro="in favour", con=2.0, abs=True) @ 3, pf.BiasRBP(p=0.5, rel=-1) @ 3,
    pf.PEER(weights={2: 0.75, 0: 0.25}, unretrieved="count") @ 20, pf.GF(order="low,mid,3"),
    pf.FAIR(p=0.25, alpha=0.05, adjust=False, value="prefixes", protected="a,b") @ 20,
    pf.RADio(divergence="kl", discount="geometric", p=0.5) @ 10, pf.EEL(u=0.25, by="group") @ 5,
    pf.GFR(attributes={"h index": "nmd"}, targets={"h index": {"low": 0.5, "high": 0.5}}) @ 10,
    pf.RaB(values={"PRO": 1, "CON": -1}, abs=True) @ 5, pf.RaB(values="x", missing=-1.5),
    pf.RankingBias(values="x", background="qrels"),
    pf.FaiRR(values={1: 0.5, 2: -0.0}, groups="trec-newswire"), pf.DistKL(smoothing=-0.0),
    pf.rKL(target={"A": -0.0, "B": 1.0})])
def test_other_measures_parse_back(measure):
    text = str(measure)
    assert ir_measures.parse_measure(text) == measure
    copy = pickle.loads(pickle.dumps(measure))
    assert copy == measure and copy.RANGE == measure.RANGE
    assert " " not in text and "-0.0" not in text  # zero has no sign
    assert "'0'" not in text  # only negative numbers have quotation marks
    measure.validate_params()


def test_equal_values_are_one_measure():
    assert pf.rND(rel=1, protected="minority", step=1) == pf.rND
    assert pf.rND(protected=1) == pf.rND(protected=1.0) == pf.rND(protected="1")
    assert pf.rKL(target={"b": 0.5, "a": 0.5}) == pf.rKL(target={"a": 0.5, "b": 0.5})
    assert pf.rKL(target={1: 1}) == pf.rKL(target={"1": 1.0})
    assert pf.rND(rel=np.int64(2)) @ np.int64(5) == pf.rND(rel=2) @ 5
    assert len({pf.rND @ 5, pf.rND(cutoff=5), pf.rND(rel=1) @ 5}) == 1
    for other in (pf.rKL @ 5, pf.rND @ 6, nDCG @ 5, "rND@5"):
        assert pf.rND @ 5 != other
    text = str(pf.rND(protected="it's so", rel=-1) @ 5)
    assert text == """rND(rel='-1',protected="it's\\x20so")@5"""


@each("measure, given, plain", [
    (pf.rND, {"protected": np.int64(1), "rel": np.int32(2)}, {"protected": "1", "rel": 2}),
    (pf.BiasP, {"abs": np.bool_(True)}, {"abs": True}),
    (pf.rKL, {"target": {np.str_("A"): np.float32(0.5), "B": np.float64(0.5)}},
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
    "discount": ["linear"], "protected": ["", ["a", "c"]], "groups": ["", 3], "abs": [1],
    "target": ["everything", {"a": 1.5, "b": -0.5}, {}, {"a": 0.5}, {"a": 0.5, "b": 0.6},
               {"a": math.nan}, {"a": "much"}],
    "group": [" ", ["A", "B"]], "pro": [" "], "con": [" "],
    "smoothing": [-1, math.nan], "p": [-0.5, 1.5], "base": [1.5]}
#: Values and parameters that other measures take, and the word that the error has.
WRONG_MEASURES = [
    (pf.nDD(norm="bound"), "norm"), (pf.DistFair(empty="fair"), "empty"),
    (pf.DistKL(discount="mmr"), "mmr"), (pf.NDKL(target="qrel"), "target"),
    (pf.AWRF(p=1), "p must"), (pf.BiasRBP(p=0), "p must"),
    (pf.DistKL(alpha=0.5), "no parameter 'alpha'"),
    (pf.RepBias @ 10, "needs the parameter 'group'"),
    (pf.MinSkew(group="A"), "no parameter 'group'"), (pf.BiasP(pro="A", con="A"), "pro and con"),
    (pf.RADio(divergence="kl", alpha=0), "alpha"), (pf.RADio(alpha=0.5), "alpha"),
    (pf.BiasP(pro=None), "pro"), (pf.EEL(target="run"), "target"), (pf.EEL(u=1.5), "u must"),
    (pf.EEL(model="none"), "cutoff"), (pf.EED(model="log2", norm="bound"), "cutoff"),
    (pf.EER(model="trec", by="group", target="uniform"), "cutoff")]


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
    ("b,a", "a,b"), ("b", "b"), ("", ""), ("a,,b", "a,b")])
def test_names_of_attributes_have_no_order(value, form):
    assert literal(taken(WHOLE, value)) == repr(form)


def test_sources_are_sorted_and_named(census):
    found = taken(ATTRIBUTES, {MINE: "jsd", "b": "nmd", "a": "rnod"})
    assert [*found.items()] == [("a", "rnod"), ("b", "nmd"), (MINE, "jsd")]
    assert ATTRIBUTES.required and ATTRIBUTES.validate({})
    assert all(repr(divergence) in ATTRIBUTES.allowed for divergence in DIVERGENCES)
    one, other = (pf.GFR(attributes=dict.fromkeys(names, "jsd")) for names in ("ab", "ba"))
    assert one == other
    found = taken(TARGETS, {"b": {2: 0.25, "1": 0.75}, "a": "qrels", "c": "census"})
    assert [*found.items()] == [("a", "qrels"), ("b", {"1": 0.75, "2": 0.25}), ("c", "census")]
    assert TARGETS.default == {} and TARGETS.validate({})
    assert taken(FIXED_TARGETS, {"b": "census", "a": "census"}) == {"a": "census", "b": "census"}


@each("param, make, values", [
    (ORDER, lambda value: pf.GF(order=value, divergence="nmd"),
     ["a,a", "a,,b", "", ["a", "b"], {"a": 1}]),
    (WEIGHTS, lambda value: pf.PEER(weights=value),
     [{}, {0: 0.5}, {0: 1.5, 1: -0.5}, {-1: 1.0}, {0.5: 1.0}, {"a": 1.0}, {1: 0.5, "1": 0.5},
      {1: math.nan}, {None: 1.0}, [1.0], "1"]),
    (ATTRIBUTES, lambda value: pf.GFR(attributes=value),
     [{"a": "kl"}, {"": "jsd"}, {3: "jsd"}, {"a": None}, ["a"], "a"]),
    (TARGETS, lambda value: pf.GFR(attributes={"a": "jsd"}, targets=value),
     [{"a": "nowhere"}, {"a": {"x": 0.5}}, {"": "qrels"}, {"a": 1}, "qrels"]),
    (FIXED_TARGETS, lambda value: pf.TrecFair(attributes=value),
     [{}, {"a": "qrels"}, {"a": "nowhere"}, {"a": {"A": 1.0}}, {"": "census"}, "census"]),
    (WHOLE, lambda value: pf.TrecFair(attributes={"a": "census"}, whole=value), [{"a": 1}, None])])
def test_what_is_refused(census, param, make, values):
    for value in values:
        assert not param.validate(param.canonical(value)), value
        with pytest.raises(ValueError, match="must be"):
            make(value).validate_params()


@each("measure, word", [
    (pf.GFR(attributes={"a": "jsd"}, targets={"b": "qrels"}), "targets"), (pf.GFR, "attributes"),
    (pf.TrecFair, "attributes"), (pf.TrecFair(attributes={"a": GENDER}, whole="b"), "whole"),
    (pf.TrecFair(attributes={"a": GENDER}, ideal=3, cutoff=4), "ideal"), (pf.RaB, "values"),
    (pf.TrecFair(attributes={"a": GENDER}, of_qrels=1.5), "of_qrels"),
    (pf.rKL(protected="all", norm="range"), "protected"), (pf.IAA(protected="A"), "protected"),
    *((kind(protected="all"), "protected") for kind in (pf.rND, pf.nDD, pf.logDP, pf.FAIR))])
def test_what_does_not_fit_together(measure, word):
    with pytest.raises(ValueError, match=word):
        measure.validate_params()
