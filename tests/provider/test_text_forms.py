"""Text forms that parse back, and parameters that are refused."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys

import ir_measures
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import nDCG

from pt_fairness import (
    Annotated,
    groups,
    nDD,
    nDJS,
    nDKL,
    nDR,
    rKL,
    rND,
    rRD,
)

labels = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12).filter(
    str.strip
)
awkward = st.sampled_from(
    [
        "it's",
        'a "quoted" one',
        "back\\slash",
        "a,b",
        "tab\tnew\nline",
        "no break space",
        "文 字",
        "-1",
        "1.0",
        "x=1",
        "@10",
        "(a)",
        "{'a':1}",
        "#",
        "None",
        "nan",
        "a:b",
        "—",
        "\\x20",
        "'",
        '"',
        "\\",
    ]
)
names = st.one_of(labels, awkward)
distributions = st.lists(names, min_size=1, max_size=4, unique=True).flatmap(
    lambda keys: st.one_of(
        st.just({key: 1 / len(keys) for key in keys}),
        st.just({**dict.fromkeys(keys, 0.0), keys[0]: 1.0}),
        st.just({**dict.fromkeys(keys, 1e-07), keys[0]: 1.0 - 1e-7 * (len(keys) - 1)}),
    )
)
parameters = st.fixed_dictionaries(
    {},
    optional={
        "cutoff": st.integers(1, 1000),
        "rel": st.integers(-3, 4),
        "step": st.integers(1, 20),
        "norm": st.sampled_from(["max", "none"]),
        "protected": st.one_of(
            st.sampled_from(["minority", "majority"]), names.filter(lambda name: name != "all")
        ),
        "target": st.one_of(
            st.sampled_from(["qrels", "collection", "uniform", "run"]), distributions
        ),
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
        measure[name] for name in kind.SUPPORTED_PARAMS
    ]
    assert not any(c.isspace() for c in text)
    parsed.validate_params()
    assert pickle.loads(pickle.dumps(measure)) == measure


@given(
    st.sampled_from([nDD, nDR, nDKL]),
    st.integers(1, 99),
    names.filter(lambda name: name != "all"),
    st.sampled_from(["max", "protected-first", "none"]),
)
def test_every_viewpoint_measure_parses_back(kind, cutoff, protected, norm):
    for measure in (kind(protected=protected, norm=norm) @ cutoff, kind(norm=norm), kind @ cutoff,
                    nDJS(norm="none") @ cutoff, Annotated @ cutoff):
        measure.validate_params()
        assert ir_measures.parse_measure(str(measure)) == measure
        assert not any(c.isspace() for c in str(measure))


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
        str(rND(protected="it's so", rel=-1) @ 5) == """rND(rel='-1',protected="it's\\x20so")@5"""
    )


@pytest.mark.parametrize(
    "measure, says",
    [
        (rND(cutoff=0), "a whole number from 1 to 2147483647"),
        (rND(cutoff=2.5), "a whole number from 1 to 2147483647"),
        (rND(cutoff=True), "a whole number"),
        (rND(rel="high"), "a whole number"),
        (rND(step=0), "a whole number of at least 1"),
        (rND(norm="sum"), "'max' or 'none'"),
        (nDD(norm="bound"), "'max' or 'protected-first' or 'none'"),
        (
            rND(protected=""),
            "'minority', 'majority', a label, or labels without commas in them, joined by commas",
        ),
        (rND(protected="all"), "'minority', 'majority', a label"),
        (nDD(protected="all"), "'minority', 'majority', a label"),
        (rND(target="everything"), "'qrels', 'collection', 'uniform', 'run'"),
        (rND(target={}), "summing to 1"),
        (rND(target={"a": 0.5}), "summing to 1"),
        (rND(target={"a": 1.5, "b": -0.5}), "not negative"),
        (rND(target={"a": math.nan}), "summing to 1"),
        (rND(target={"a": "much"}), "summing to 1"),
        (rND(groups=""), "a Groups object"),
        (rND(groups=3), "a Groups object"),
        (rND(alpha=0.5), "has no parameter 'alpha'; it takes cutoff, rel, protected"),
        (nDJS(protected="a"), "has no parameter 'protected'"),
    ],
    ids=str,
)
def test_a_wrong_parameter_value_is_refused_with_what_is_allowed(worked, measure, says):
    with pytest.raises(ValueError) as refusal:
        ir_measures.calc_aggregate([measure], worked.qrels_frame, worked.run_frame)
    assert says in str(refusal.value) and measure.NAME in str(refusal.value)


def test_unregistered_groups_travel_with_their_measure():
    source = groups.from_mapping({"a": "X", "b": "Y"})
    measure = rND(groups=source, protected="X") @ 5
    assert ir_measures.parse_measure(str(measure)) == measure
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
