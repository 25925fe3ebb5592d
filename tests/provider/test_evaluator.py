"""The measures inside ir_measures and PyTerrier: inputs, text forms, batches, bad input."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import AP, ERR_IA, P, alpha_nDCG, nDCG
from ir_measures.util import Qrel, ScoredDoc

import pt_fairness
from pt_fairness import (
    NDKL,
    Annotated,
    BiasP,
    DistFair,
    DistKL,
    FairnessWarning,
    groups,
    nDD,
    nDJS,
    nDKL,
    nDR,
    rKL,
    rND,
    rRD,
)

ALL = [rND @ 10, rKL @ 5, rRD, nDD @ 4, nDR, nDKL @ 10, nDJS, Annotated @ 10, alpha_nDCG @ 5]


def by_topic(measures: list[Any], qrels: Any, run: Any) -> dict[tuple[str, str], float]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        return {
            (str(m.measure), m.query_id): m.value
            for m in ir_measures.iter_calc(measures, qrels, run)
        }


def told(call: Callable[[], Any]) -> list[str]:
    with warnings.catch_warnings(record=True) as log:
        warnings.simplefilter("always")
        call()
    return [str(w.message) for w in log if issubclass(w.category, FairnessWarning)]


# --------------------------------------------------------------------------------------------------
# inputs


def test_it_is_registered():
    assert ir_measures.providers.registry["fairness"].NAME == "fairness"
    assert ir_measures.DefaultPipeline.providers.index(ir_measures.providers.registry["fairness"]) \
        < ir_measures.DefaultPipeline.providers.index(ir_measures.pyndeval)
    for measure in (rND, rKL, rRD, nDD, nDR, nDKL, nDJS, Annotated):
        assert ir_measures.measures.registry[measure.NAME] is measure
        assert measure.PRETTY_NAME and measure.SHORT_DESC.endswith(".") and measure.__doc__
        assert all(info.desc for info in measure.SUPPORTED_PARAMS.values())
        assert len(measure.RANGE) == 2 and measure.FAIR_END in measure.RANGE


@pytest.mark.parametrize("dtype", ["str", object, "string"])
@pytest.mark.parametrize("extra", [False, True], ids=["", "extra columns"])
def test_every_form_of_input_gives_the_same(make_case, dtype, extra):
    case = make_case(3, several=True)
    qrels, run = case.qrels_frame, case.run_frame
    expected = by_topic(ALL, qrels, run)
    typed = [
        qrels.astype({"query_id": dtype, "doc_id": dtype}),
        run.astype({"query_id": dtype, "doc_id": dtype}),
    ]
    if extra:
        typed = [frame.assign(rank=7, text="x", query="y", name="run") for frame in typed]
    typed[0].index, typed[1].index = typed[0].index[::-1] + 5, np.zeros(len(run), int)
    before = [frame.copy(deep=True) for frame in typed]
    assert by_topic(ALL, *typed) == expected
    for frame, copy in zip(typed, before, strict=True):
        pd.testing.assert_frame_equal(frame, copy)
    as_qrels, as_docs = [Qrel(*row) for row in case.qrels], [ScoredDoc(*row) for row in case.run]
    assert by_topic(ALL, as_qrels, as_docs) == expected
    assert by_topic(ALL, iter(as_qrels), (doc for doc in as_docs)) == expected
    as_dict: dict[str, dict[str, float]] = {}
    for qid, docno, score in case.run:
        as_dict.setdefault(qid, {})[docno] = score
    assert by_topic(ALL, qrels, as_dict) == expected


def test_qrels_as_a_dict_have_their_groups_elsewhere(make_case):
    case = make_case(4)
    source = groups.from_frame(case.groups_frame)
    measures = [kind(groups=source) for kind in (rND, nDJS, Annotated)]
    qrels: dict[str, dict[str, int]] = {}
    for qid, docno, relevance, _ in case.qrels:
        qrels.setdefault(qid, {}).setdefault(docno, relevance)
    frame = pd.DataFrame([(q, d, r) for q, docs in qrels.items() for d, r in docs.items()],
                         columns=["query_id", "doc_id", "relevance"])
    assert by_topic(measures, qrels, case.run_frame) == by_topic(measures, frame, case.run_frame)
    with pytest.raises(ValueError, match="no groups"):
        by_topic([rND], qrels, case.run_frame)


def test_the_whole_interface(make_case):
    case = make_case(5)
    qrels, run, other = case.qrels_frame, case.run_frame, make_case(6).run_frame
    per_query = by_topic(ALL, qrels, run)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        evaluator = ir_measures.evaluator(ALL, qrels)
        for frame in (run, other, run):  # an evaluator is used for many runs
            assert {
                (str(m.measure), m.query_id): m.value for m in evaluator.iter_calc(frame)
            } == by_topic(ALL, qrels, frame)
        means = evaluator.calc_aggregate(run)
        assert ir_measures.calc_aggregate(ALL, qrels, run) == means
        found = ir_measures.calc(ALL, qrels, run)
        direct = {
            (str(m.measure), m.query_id): m.value
            for m in ir_measures.providers.registry["fairness"].iter_calc(ALL, qrels, run)
        }
    assert direct == per_query
    assert found.aggregated == means
    assert len(found.per_query) == len(per_query)
    qids = {qid for _, qid in per_query}
    assert qids == set(qrels["query_id"])
    for measure in ALL:
        assert means[measure] == pytest.approx(
            np.mean([per_query[str(measure), qid] for qid in qids])
        )


def test_beside_other_measures(make_case):
    case = make_case(7)
    qrels = case.qrels_frame.drop_duplicates(["query_id", "doc_id"])
    mixed = by_topic([*ALL, nDCG @ 5, AP, P @ 3, ERR_IA @ 5], qrels, case.run_frame)
    for measure in [*ALL, nDCG @ 5, AP, P @ 3]:
        assert {key: value for key, value in mixed.items() if key[0] == str(measure)} \
            == by_topic([measure], qrels, case.run_frame)


def test_a_topic_of_the_run_alone_is_left_out_and_one_of_the_qrels_alone_is_not(worked):
    qrels = pd.concat([worked.qrels_frame, worked.qrels_frame.assign(query_id="only judged")])
    run = pd.concat([worked.run_frame, worked.run_frame.assign(query_id="only retrieved")])
    found = by_topic([rND @ 3, Annotated], qrels, run)
    assert found[("rND@3", "1")] == pytest.approx(0.54330, abs=5e-6)
    assert found[("rND@3", "only judged")] == 1.0 and found[("Annotated", "only judged")] == 0.0
    assert "only retrieved" not in {qid for _, qid in found}


def test_a_run_and_qrels_that_share_no_topic_are_told_of(worked):
    run = worked.run_frame.assign(query_id="q1")
    found = told(lambda: ir_measures.calc_aggregate([rND @ 3], worked.qrels_frame, run))
    assert found == [
        "the run has none of the 1 topics of the qrels: it has topics such as 'q1', they have "
        "topics such as '1'"
    ]


def test_groups_of_other_documents_are_told_of(worked):
    other = groups.from_mapping({"Xa": "PRO", "Xc": "CON"}, name="other")
    found = told(
        lambda: ir_measures.calc_aggregate(
            [rND(groups=other) @ 3], worked.qrels_frame, worked.run_frame
        )
    )
    assert len(found) == 1 and found[0].endswith(
        "1 of 1 topics (no relevant document, such as 'a', has a group in Groups('other', ['CON', "
        "'PRO']))"
    )
    # One warning, whatever the sources of the measures.
    qrels = worked.qrels_frame[worked.qrels_frame["iteration"] == "PRO"]
    found = told(
        lambda: ir_measures.calc_aggregate(
            [rND @ 3, rND(groups=other) @ 3], qrels, worked.run_frame
        )
    )
    assert (
        len(found) == 1
        and "rND@3 on 1 of 1 topics" in found[0]
        and "rND(groups='other')@3 on 1 of 1 topics" in found[0]
    )


def test_a_warning_in_an_experiment_is_shown_at_the_line_of_the_user(worked):
    qrels, run = (
        pt.model.from_ir_measures(worked.qrels_frame),
        pt.model.from_ir_measures(worked.run_frame),
    )
    with pytest.warns(FairnessWarning) as found:
        pt.Experiment(
            [run],
            pd.DataFrame({"qid": ["1"], "query": ["q"]}),
            qrels,
            [rND(protected="NONE") @ 3],
            names=["a"],
        )
    assert {one.filename for one in found if issubclass(one.category, FairnessWarning)} == {
        __file__
    }


# --------------------------------------------------------------------------------------------------
# text forms

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


# --------------------------------------------------------------------------------------------------
# PyTerrier


def experiment(case: Any, measures: list[Any], **options: Any) -> pd.DataFrame:
    run = case.run_frame.rename(columns={"query_id": "qid", "doc_id": "docno"})
    qrels = case.qrels_frame.rename(
        columns={"query_id": "qid", "doc_id": "docno", "relevance": "label"}
    )
    topics = pd.DataFrame({"qid": list("12345"), "query": "q"})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return pt.Experiment(
            [pt.Transformer.from_df(run)],
            topics,
            qrels,
            measures,
            names=["system"],
            perquery=True,
            **options,
        )


@pytest.mark.parametrize("from_frame", [False, True], ids=["iteration", "frame"])
@pytest.mark.parametrize("batch_size", [2, 3, 4])
def test_batches_of_topics_do_not_change_values(make_case, from_frame, batch_size):
    case = make_case(8, labels=4, several=True)
    source = {"groups": groups.from_frame(case.groups_frame)} if from_frame else {}
    measures = [
        rND(**source) @ 5,
        rKL(**source),
        rRD(protected="g1", **source) @ 3,
        rND(target="run", **source),
        nDD(**source) @ 5,
        nDR(protected="g0,g2", **source),
        nDKL(**source),
        nDJS(**source),
        Annotated(**source) @ 5,
        rKL(target={"g0": 0.5, "g1": 0.5}, protected="g0", **source),
        alpha_nDCG @ 5,
    ]
    if from_frame:  # the object declares its labels
        measures += [
            rKL(target="uniform", protected="g0", **source),
            rKL(protected="all", **source) @ 5,
        ]
    whole = experiment(case, measures).sort_values(["qid", "measure"]).reset_index(drop=True)
    batches = (
        experiment(case, measures, batch_size=batch_size)
        .sort_values(["qid", "measure"])
        .reset_index(drop=True)
    )
    pd.testing.assert_frame_equal(whole, batches)
    assert len(whole) == 5 * len(measures)


@pytest.mark.parametrize(
    "measure",
    [
        rND(target="collection", protected="g0"),
        rKL(target="uniform", protected="g0"),
        rKL(protected="all"),
    ],
    ids=str,
)
def test_the_documented_exceptions_depend_on_the_batch(make_case, measure):
    # A batch knows its own documents and labels alone.
    case = make_case(8, labels=6)
    whole, batches = (experiment(case, [measure], **options) for options in ({}, {"batch_size": 2}))
    assert not np.allclose(whole.sort_values("qid")["value"], batches.sort_values("qid")["value"])


def test_measures_of_pyterrier():
    assert pt.fairness is pt_fairness
    import pyterrier.measures
    for name in ("rND", "rKL", "rRD", "nDD", "nDR", "nDKL", "nDJS", "Annotated"):
        assert getattr(pyterrier.measures, name) is getattr(pt_fairness, name)


# --------------------------------------------------------------------------------------------------
# bad input


@pytest.mark.parametrize("iteration", ["0", "Q0", 0, 0.0])
def test_qrels_without_annotations_are_refused(worked, iteration):
    qrels = worked.qrels_frame.assign(iteration=iteration)
    with pytest.raises(ValueError, match=r"no groups.*to_qrels.*read_qrels.*groups="):
        by_topic([rND], qrels, worked.run_frame)
    with pytest.raises(ValueError, match="no groups"):
        by_topic([nDJS, nDCG @ 5], qrels.drop(columns="iteration"), worked.run_frame)
    # With groups= it does not matter.
    source = groups.from_mapping({"a": "PRO", "b": "PRO", "c": "CON"})
    assert by_topic([rND(groups=source) @ 3], qrels, worked.run_frame) == pytest.approx(
        {(str(rND(groups=source) @ 3), "1"): 0.54330}, abs=5e-6)


def test_a_topic_labelled_0_beside_others_is_a_group(worked):
    qrels = worked.qrels_frame.replace({"iteration": {"CON": "0"}})
    assert by_topic([rND @ 3], qrels, worked.run_frame)["rND@3", "1"] == pytest.approx(
        0.54330, abs=5e-6
    )


@pytest.mark.parametrize("source", ["no-such-name", "/no/such/file.tsv"])
def test_unknown_groups_are_refused(worked, source):
    error = f"{source}.*no such file exists; registered are 'argsme.* more"
    with pytest.raises(ValueError, match=error):
        by_topic([rND(groups=source)], worked.qrels_frame, worked.run_frame)


def test_a_label_that_does_not_occur(worked):
    with pytest.raises(ValueError, match=r"protected='NONE'.*'CON', 'PRO'"):
        by_topic(
            [rND(protected="NONE", groups=groups.from_mapping({"a": "PRO", "c": "CON"}))],
            worked.qrels_frame,
            worked.run_frame,
        )
    measure = rND(protected="NONE")
    found = told(
        lambda: ir_measures.calc_aggregate([measure], worked.qrels_frame, worked.run_frame)
    )
    assert (
        len([text for text in found if "protected='NONE'" in text and "'CON', 'PRO'" in text]) == 1
    )
    # Of several labels each is looked at; one that an explicit target adds belongs to the label
    # set.
    found = told(
        lambda: ir_measures.calc_aggregate(
            [rND(protected="CON,NONE")], worked.qrels_frame, worked.run_frame
        )
    )
    assert any("protected='NONE'" in text for text in found)
    for source in (None, groups.from_mapping({"a": "PRO", "c": "CON"})):
        added = rND(
            protected="NONE",
            target={"NONE": 0.5, "PRO": 0.5},
            **({} if source is None else {"groups": source}),
        )
        found = told(
            lambda added=added: ir_measures.calc_aggregate(
                [added], worked.qrels_frame, worked.run_frame
            )
        )
        assert (
            len(found) == 1
            and "has a share for 'NONE'" in found[0]
            and found[0].endswith("have 'CON', 'PRO'")
        )
    # A word that is nearly one of those that protected takes is met by all that it takes.
    found = told(
        lambda: ir_measures.calc_aggregate(
            [rKL(protected="minoritty")], worked.qrels_frame, worked.run_frame
        )
    )
    assert "'minority', 'majority'" in found[0] and "'all'" in found[0]


def test_a_label_that_has_a_comma_in_it_is_one_label(worked):
    qrels = worked.qrels_frame.replace({"iteration": {"CON": "a, b"}})
    found = by_topic([rND(protected="a, b") @ 3], qrels, worked.run_frame)
    assert list(found.values()) == pytest.approx([0.54330], abs=5e-6)
    # So is one that a target adds, whether or not the groups declare their labels.
    for source in ({}, {"groups": groups.from_mapping({"a": "PRO", "c": "CON"})}):
        measure = rND(protected="x,y", target={"x,y": 0.5, "PRO": 0.5}, **source) @ 1
        assert by_topic([measure], worked.qrels_frame, worked.run_frame) == {
            (str(measure), "1"): 1.0
        }


@pytest.mark.parametrize(
    "empty",
    [
        [],
        {},
        pd.DataFrame({"query_id": [], "doc_id": [], "score": []}),
        pd.DataFrame(
            {
                "query_id": pd.Series(dtype="str"),
                "doc_id": pd.Series(dtype="str"),
                "score": pd.Series(dtype=float),
            }
        ),
    ],
    ids=["list", "dict", "frame", "typed frame"],
)
def test_an_empty_run_is_unfair(worked, empty):
    found = by_topic([*ALL, rND(norm="none") @ 2, ERR_IA @ 5], worked.qrels_frame, empty)
    assert found == {
        ("rND@10", "1"): 1.0,
        ("rKL@5", "1"): 1.0,
        ("rRD", "1"): 1.0,
        ("nDD@4", "1"): 1.0,
        ("nDR", "1"): 1.0,
        ("nDKL@10", "1"): 1.0,
        ("nDJS", "1"): 1.0,
        ("Annotated@10", "1"): 0.0,
        ("alpha_nDCG@5", "1"): 0.0,
        ("rND(norm='none')@2", "1"): pytest.approx(2 / 3 * (1 + 1 / math.log2(3))),
        ("ERR_IA@5", "1"): 0.0,
    }


def test_empty_qrels():
    empty = pd.DataFrame({"query_id": pd.Series(dtype="str"), "doc_id": pd.Series(dtype="str"),
                          "relevance": pd.Series(dtype=int), "iteration": pd.Series(dtype="str")})
    run = pd.DataFrame({"query_id": ["q"], "doc_id": ["a"], "score": [1.0]})
    assert by_topic([*ALL, nDD(norm="none"), ERR_IA @ 5], empty, run) == {}


def test_a_run_of_one_document(worked):
    found = by_topic(
        [rND @ 10, nDD, nDJS, Annotated], worked.qrels_frame, [ScoredDoc("1", "c", 1.0)]
    )
    assert found == pytest.approx(
        {("rND@10", "1"): 1.0, ("nDD", "1"): 0.0, ("nDJS", "1"): 0.0, ("Annotated", "1"): 1.0}
    )
    found = by_topic(
        [rND @ 10, nDD, nDJS, Annotated], worked.qrels_frame, [ScoredDoc("1", "a", 1.0)]
    )
    assert found == pytest.approx(
        {("rND@10", "1"): 0.5, ("nDD", "1"): 0.0, ("nDJS", "1"): 0.0, ("Annotated", "1"): 1.0}
    )


def test_all_documents_unannotated(worked):
    run = [ScoredDoc("1", "x", 2.0), ScoredDoc("1", "y", 1.0)]
    assert by_topic([rND @ 2, nDJS, Annotated], worked.qrels_frame, run) == {
        ("rND@2", "1"): 1.0, ("nDJS", "1"): 1.0, ("Annotated", "1"): 0.0}


def test_qrels_that_annotate_nothing_leave_nothing_to_compare_with(worked):
    qrels = worked.qrels_frame.assign(iteration="-")
    for measure in (rND @ 2, rKL(protected="all")):
        found: list[Any] = []
        messages = told(lambda measure=measure, found=found: found.extend(
            ir_measures.iter_calc([measure], qrels, worked.run_frame)))
        assert [m.value for m in found] == [0.0]
        assert len(messages) == 1 and "1 of 1 topics" in messages[0]
        assert messages[0].endswith(
            "(no relevant document, such as 'a', has a group in the iteration of the qrels)"
        )
    # A run without an annotated document is its own population: unfair, not undefined.
    assert by_topic([nDJS @ 3, Annotated], qrels, worked.run_frame) == {
        ("nDJS@3", "1"): 1.0,
        ("Annotated", "1"): 0.0,
    }


@pytest.mark.parametrize("score", [math.nan, None])
def test_a_score_that_is_not_a_number_is_refused(worked, score):
    run = worked.run_frame
    run.loc[2, "score"] = score
    with pytest.raises(ValueError, match="'d' for topic '1' is NaN"):
        by_topic([rND], worked.qrels_frame, run)


def test_infinite_scores_rank_first_and_last(worked):
    run = worked.run_frame
    run["score"] = [math.inf, 1.0, 0.5, -math.inf]
    assert by_topic([rND @ 3], worked.qrels_frame, run) == by_topic(
        [rND @ 3], worked.qrels_frame, worked.run_frame
    )


def test_a_document_given_twice_counts_once_and_is_told_once(worked):
    run = pd.concat(
        [
            pd.DataFrame(
                [("1", "c", -5.0), ("1", "a", 99.0)], columns=["query_id", "doc_id", "score"]
            ),
            worked.run_frame,
        ]
    )
    evaluator = ir_measures.evaluator([rND @ 3, rKL, Annotated], worked.qrels_frame)
    expected = {
        m.measure: m.value
        for m in ir_measures.iter_calc(
            [rND @ 3, rKL, Annotated], worked.qrels_frame, worked.run_frame
        )
    }
    found = []
    messages = told(lambda: found.extend([list(evaluator.iter_calc(run)) for _ in range(3)]))
    assert len(messages) == 1 and "2 rows" in messages[0] and "last row counts" in messages[0]
    assert all({m.measure: m.value for m in values} == expected for values in found)


def test_integer_identifiers_are_their_text(worked):
    numbers = {"a": 1, "b": 2, "c": 3, "d": 4}
    qrels = worked.qrels_frame.assign(query_id=1, doc_id=[1, 2, 3], iteration=[1, 1.0, 2])
    run = worked.run_frame.assign(
        query_id=1, doc_id=[numbers[d] for d in worked.run_frame["doc_id"]]
    )
    as_text = worked.qrels_frame.assign(doc_id=["1", "2", "3"])
    expected = by_topic(
        [rND @ 3, rKL, nDJS], as_text, run.astype({"query_id": "str", "doc_id": "str"})
    )
    assert expected["rND@3", "1"] == pytest.approx(0.54330, abs=5e-6)
    # Numbers on either side, or on both.
    text = {"query_id": "str", "doc_id": "str"}
    for judged, returned in ((qrels, run), (qrels, run.astype(text)), (qrels.astype(text), run)):
        found = by_topic([rND @ 3, rKL, nDJS], judged, returned)
        assert {(name, str(qid)): value for (name, qid), value in found.items()} == expected
    assert by_topic([rND(protected="2") @ 3], qrels, run) == pytest.approx(
        {("rND(protected='2')@3", 1): expected["rND@3", "1"]}
    )


def test_identifiers_and_labels_beyond_ascii(worked):
    names = {"a": "文書1", "b": "émigré", "c": "Ω", "d": "\U0001f600"}
    qrels = worked.qrels_frame.assign(
        query_id="тема",
        doc_id=[names[d] for d in worked.qrels_frame["doc_id"]],
        iteration=["für", "für", "gégen"],
    )
    run = worked.run_frame.assign(
        query_id="тема", doc_id=[names[d] for d in worked.run_frame["doc_id"]]
    )
    found = by_topic([rND @ 3, rND(protected="gégen") @ 3], qrels, run)
    assert list(found.values()) == pytest.approx([0.54330, 0.54330], abs=5e-6)
    assert {qid for _, qid in found} == {"тема"}


def test_conflicting_groups_are_several_groups(worked):
    qrels = pd.concat(
        [
            worked.qrels_frame,
            pd.DataFrame([("1", "a", 1, "CON")], columns=worked.qrels_frame.columns),
        ]
    )
    # c is CON, a both, b PRO. CON and PRO have two documents each: CON is first, and protected.
    found = by_topic([rND @ 1, rND(norm="none") @ 3, Annotated], qrels, worked.run_frame)
    assert found["rND@1", "1"] == pytest.approx((1 - 2 / 3) / (2 / 3))
    assert found["rND(norm='none')@3", "1"] == pytest.approx(1 / 3 + (1 / 3) / math.log2(3))
    assert found["Annotated", "1"] == 3 / 4


def test_a_group_that_the_run_alone_has_is_unannotated_and_told(worked):
    class Open(groups.Groups):
        def lookup(self, qids, docnos):
            known = {"a": "PRO", "b": "PRO", "c": "CON", "d": "NEW"}
            return pd.DataFrame(
                [(q, d, known[d]) for q, d in zip(qids, docnos, strict=True)],
                columns=["qid", "docno", "group"],
            )

    measure = rND(groups=Open("open-groups")) @ 3
    messages = told(
        lambda: ir_measures.calc_aggregate([measure], worked.qrels_frame, worked.run_frame)
    )
    assert len(messages) == 1 and "NEW" in messages[0] and "unannotated" in messages[0]
    assert by_topic([measure], worked.qrels_frame, worked.run_frame) == pytest.approx(
        {(str(measure), "1"): 0.54330}, abs=5e-6
    )


def test_undefined_topics_are_zero_and_told_once(worked):
    # Only PRO is relevant: without a second group there is no minority.
    qrels = pd.concat(
        [
            worked.qrels_frame,
            pd.DataFrame([("2", "a", 1, "PRO")], columns=worked.qrels_frame.columns),
        ]
    )
    run = pd.concat([worked.run_frame, worked.run_frame.assign(query_id="2")])
    evaluator = ir_measures.evaluator([rND @ 3, rKL @ 3, nDD], qrels)
    results = []
    messages = told(
        lambda: results.extend(
            evaluator.calc_aggregate(frame) for frame in (run, worked.run_frame, run[:0])
        )
    )
    assert (
        len(messages) == 1
        and "rND@3 on 1 of 2 topics" in messages[0]
        and "rKL@3 on 1 of 2" in messages[0]
    )
    assert [result[rND @ 3] for result in results] == pytest.approx(
        [0.54330 / 2, 0.54330 / 2, 0.5], abs=5e-6
    )


DROPPING = {
    "qrels": pd.DataFrame(
        [("1", "a", 1), ("1", "b", 1), ("1", "c", 1), ("2", "a", 1), ("2", "b", 1)],
        columns=["query_id", "doc_id", "relevance"],
    ),
    "run": pd.DataFrame(
        [("1", "a", 3.0), ("1", "c", 2.0), ("1", "b", 1.0), ("2", "a", 2.0), ("2", "b", 1.0)],
        columns=["query_id", "doc_id", "score"],
    ),
    "groups": groups.from_mapping({"a": "PRO", "b": "CON", "c": "PRO"}).relabel(
        {"1": "liberal", "2": "both or neither"}
    ),
}


@pytest.mark.parametrize(
    "name",
    ["BiasP(pro='conservative',con='liberal')@2", "rND@2", "nDD", "nDJS", "AWRF", "Annotated"],
)
def test_topics_that_groups_drop_are_in_no_mean(name):
    """Gezici et al. (2021): topics that lean neither way drop out of the experiment."""
    qrels, run, dropping = DROPPING.values()
    plain = ir_measures.parse_measure(name)
    measure = plain(groups=dropping)
    with pytest.warns(FairnessWarning, match=r"drops 1 of 2 topics .*'2'.*to_qrels"):
        means = ir_measures.calc_aggregate([measure, nDCG @ 3], qrels, run)
    expected = ir_measures.calc_aggregate([plain], dropping.to_qrels(qrels), run)[plain]
    assert means[measure] == expected and means[nDCG @ 3] == 1.0
    values = by_topic([measure], qrels, run)
    assert values[str(measure), "1"] == expected and np.isnan(values[str(measure), "2"])
    assert np.isnan(ir_measures.calc_aggregate([measure], qrels[3:], run)[measure]), (
        "no topic is left"
    )


def test_topics_that_groups_drop_in_an_experiment():
    qrels, run, dropping = DROPPING.values()
    measures = [nDCG @ 3, BiasP(pro="conservative", con="liberal", groups=dropping) @ 2]
    frames = (
        pt.model.from_ir_measures(run),
        pd.DataFrame({"qid": ["1", "2"], "query": "x"}),
        pt.model.from_ir_measures(qrels),
    )
    averages, perquery = (
        pt.Experiment([frames[0]], *frames[1:], measures, perquery=each) for each in (False, True)
    )
    name = str(measures[1])
    values = perquery[perquery["measure"] == name].set_index("qid")["value"]
    # PyTerrier sums over all topics: what cannot be right there is no number at all.
    assert values["1"] == -1.0 and np.isnan([values["2"], averages[name][0]]).all()
    assert pt.fairness.evaluate(frames[0], qrels, measures, progress=False)[0].iloc[
        0, 1:
    ].tolist() == [1.0, -1.0]


@pytest.mark.parametrize(
    "measure, says",
    [
        (rND(step=0) @ 5, "step"),
        (rKL(target={"X": 5.0}), "target"),
        (rND(foo=1), "no parameter 'foo'"),
        (rND @ 0, "cutoff"),
        (pt_fairness.RepBias @ 3, "needs the parameter 'group'"),
        (rND(rel="x"), "rel"),
        (rND @ 10**20, "from 1 to 2147483647"),
        (nDCG @ 5, r"the provider 'fairness' does not compute nDCG@5"),
        (alpha_nDCG @ 0, "cutoff takes a whole number"),
    ],
)
def test_the_provider_by_itself_refuses_what_the_pipeline_refuses(worked, measure, says):
    with pytest.raises(ValueError, match=says):
        ir_measures.providers.registry["fairness"].calc_aggregate(
            [measure], worked.qrels_frame, worked.run_frame
        )


def test_a_divergence_from_a_target_that_a_thousand_groups_lack():
    def qrels(others):
        rows = [
            ("1", "a", 1, "A"),
            ("1", "b", 1, "B"),
            *(("2", f"d{i}", 1, f"g{i}") for i in range(others)),
        ]
        return pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    run = {"1": {"a": 2.0, "b": 1.0}, "2": {"d0": 1.0}}
    some = {"A": 0.5, "B": 0.5}
    for measure in (
        rKL(protected="all") @ 2,
        NDKL(target="qrels") @ 2,
        DistKL(target=some) @ 2,
        DistFair(target=some) @ 2,
    ):
        assert next(iter(measure.iter_calc(qrels(990), run))).value > 0
        with pytest.raises(
            ValueError, match=r"groups have no share in the target distribution.*at most 999 can"
        ):
            measure.calc_aggregate(qrels(1001), run)


@pytest.mark.parametrize("zero, other", [(DistKL(smoothing=-0.0), DistKL(smoothing=0)), (
    rKL(target={"A": -0.0, "B": 1.0}), rKL(target={"A": 0, "B": 1}))])
def test_zero_has_no_sign(zero, other):
    assert ir_measures.parse_measure(str(zero)) == zero == other


def test_labels_with_a_comma_are_not_joined():
    with pytest.raises(ValueError, match="labels without commas in them"):
        rND(protected=["a,b", "c"]).validate_params()
    rND(protected=["a,b"]).validate_params()


NUMPY_VALUES = [
    (rND, {"protected": np.str_("x")}, {"protected": "x"}),
    (rND, {"protected": np.int64(1), "rel": np.int32(2)}, {"protected": "1", "rel": 2}),
    (pt_fairness.DistKL, {"smoothing": np.int64(1)}, {"smoothing": 1.0}),
    (pt_fairness.BiasP, {"abs": np.bool_(True)}, {"abs": True}),
    (
        rKL,
        {"target": {np.str_("A"): np.float32(0.5), "B": np.float64(0.5)}},
        {"target": {"A": 0.5, "B": 0.5}},
    ),
]


@pytest.mark.parametrize("measure, given, plain", NUMPY_VALUES)
def test_numpy_scalars_are_plain_values(
    measure: Any, given: dict[str, Any], plain: dict[str, Any]
) -> None:
    measure(**given).validate_params()
    assert measure(**given) == measure(**plain) == ir_measures.parse_measure(str(measure(**given)))


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "int64", "float32", "bool"])
def test_every_kind_of_relevance(kind: str) -> None:
    qrels = pd.DataFrame([["1", "a", 0, "A"], ["1", "a", 1, "B"], ["1", "b", 1, "A"]],
                         columns=["query_id", "doc_id", "relevance", "iteration"])
    run = pd.DataFrame([["1", "a", 2.0], ["1", "b", 1.0]], columns=["query_id", "doc_id", "score"])
    expected = ir_measures.calc_aggregate([rKL @ 2, alpha_nDCG @ 2], qrels, run)
    assert (
        ir_measures.calc_aggregate(
            [rKL @ 2, alpha_nDCG @ 2], qrels.astype({"relevance": kind}), run
        )
        == expected
    )


@pytest.mark.parametrize("kind", ["float", "object", "category", "Float64"])
def test_ids_that_became_floats_are_the_whole_numbers_that_they_were(kind: str) -> None:
    qrels = pd.DataFrame(
        [["1", "1", 1, "A"], ["1", "2", 1, "B"]],
        columns=["query_id", "doc_id", "relevance", "iteration"],
    )
    run = pd.DataFrame([["1", "2", 2.0], ["1", "1", 1.0]], columns=["query_id", "doc_id", "score"])
    as_floats = [
        frame.astype({"query_id": float, "doc_id": float}).astype({"doc_id": kind})
        for frame in (qrels, run)
    ]
    frame = pd.DataFrame({"docno": pd.Series([1.0, 2.0]).astype(kind), "group": ["A", "B"]})
    measures = [rND @ 2, Annotated @ 2, rND(groups=groups.from_mapping({1: "A", 2: "B"})) @ 2,
                rND(groups=groups.from_frame(frame)) @ 2]
    expected = ir_measures.calc_aggregate(measures, qrels, run)
    assert expected[measures[1]] == 1.0
    for one, other in ((as_floats[0], run), (qrels, as_floats[1]), as_floats):
        assert ir_measures.calc_aggregate(measures, one, other) == expected


def test_topics_of_several_types_are_the_whole_numbers_that_they_were() -> None:
    qrels = pd.DataFrame(
        [["1", "a", 1, "A"], ["2", "a", 1, "A"]],
        columns=["query_id", "doc_id", "relevance", "iteration"],
    )
    for topics in ([1, 2.0], [np.float32(1), 2.0], [1, 2]):
        run = pd.DataFrame(
            {"query_id": pd.Series(topics, dtype=object), "doc_id": ["a", "a"], "score": [1.0, 1.0]}
        )
        averages, _ = pt.fairness.evaluate(run, qrels, [AP], progress=False)
        assert averages["AP"].tolist() == [1.0]


def test_qrels_without_subtopics_are_told_of() -> None:
    qrels = {"1": {"a": 1, "b": 1}}
    with pytest.warns(FairnessWarning, match=r"no topic has more than one subtopic.*iteration"):
        ir_measures.calc_aggregate([alpha_nDCG @ 2], qrels, {"1": {"a": 1.0}})


def test_batches_change_nothing_where_the_groups_declare_their_labels() -> None:
    rows = [["1", "a", 1, "A"], ["1", "b", 1, "B"], ["2", "c", 1, "C"], ["2", "d", 1, "A"]]
    qrels = pd.DataFrame(rows, columns=["qid", "docno", "label", "iteration"])
    run = pd.DataFrame(
        [[q, d, -i] for i, (q, d, *_) in enumerate(rows)], columns=["qid", "docno", "score"]
    )
    declared = groups.from_frame(
        pd.DataFrame([[d, g] for _, d, _, g in rows], columns=["docno", "group"])
    )
    measures = [
        m(groups=declared) @ 2
        for m in (
            pt_fairness.AWRF,
            pt_fairness.DistKL,
            pt_fairness.DistFair,
            pt_fairness.NDKL,
            pt_fairness.MinSkew,
            pt_fairness.MaxSkew,
            rKL(protected="all"),
            rKL(target="uniform"),
        )
    ]
    topics = pd.DataFrame({"qid": ["1", "2"], "query": ["x", "y"]})
    tables = [
        pt.Experiment([pt.Transformer.from_df(run)], topics, qrels, measures, batch_size=size)
        for size in (None, 1)
    ]
    for measure in measures:
        assert tables[0][str(measure)][0] == pytest.approx(tables[1][str(measure)][0], abs=1e-12), (
            measure
        )


def test_the_provider_can_be_loaded_before_there_is_a_pipeline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from pt_fairness import provider
    monkeypatch.delattr(ir_measures, "DefaultPipeline")
    provider.plug_in()  # what an ir_measures that reads entry points would have happen
    monkeypatch.undo()
    provider.plug_in()
    assert [
        one.NAME for one in ir_measures.DefaultPipeline.providers if hasattr(one, "NAME")
    ].count("fairness") == 1
