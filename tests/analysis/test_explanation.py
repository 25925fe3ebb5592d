"""Explanations of values, compared with the provider's values and with sums by hand."""

import math
import warnings

import ir_measures
import numpy as np
import pandas as pd
import pytest
from case_marks import quick_cases
from ir_measures import parse_measure

import pt_fairness as pf
from pt_fairness.provider.measure_lists import parsed

#: Every measure of this package that is a sum over ranks, with the parameters that change the sum.
OWN = [
    "rND@5", "rND(norm='none',step=2)@5", "rND(step=9)@4", "rND(target='run')@4",
    "rND(target='collection',protected='g1')@6", "rKL(protected='all')@5", "rKL(target='uniform')",
    "rRD@5", "nDD(norm='protected-first')@4", "nDR", "nDKL@3", "nDJS(protected='g1')@4",
    "NDKL(target='qrels')@4", "NDKL(target='run')", "BiasP(pro='g0',con='g1',abs=True)",
    "BiasRBP(pro='g0',con='g1')@6", "BiasDCG(pro='g1',con='g0',abs=True)@6", "Annotated",
    pf.RaB(values={"g0": 1, "g1": -2}, abs=True), pf.ARaB(values={"g0": -1}, abs=True) @ 20,
    "FaiRR(values={'g0':0.5,'g1':0.25})@5", "NFaiRR(values={'g0':0.5},background='qrels')@5",
    "PreF(p=0.3,protected='g0')", "GF(divergence='jsd',target='qrels',rel=2)",
    "GFR(attributes={},relevance='rbu')"]
OTHERS = [
    "AP(rel=2)", "P@20", "R@5", "RR@5", "Rprec", "nDCG", "nDCG(judged_only=True)@4",
    "alpha_nDCG@5", "alpha_DCG@3", "nERR_IA@10", "NRBP", "AP_IA", "P_IA@5"]
SO_FAR = [
    "AWRF(unannotated='keep')@4", "DistKL@5", "RADio@4", "Skew(group='g0')@5",
    "RepBias(group='g0')@3", "logDP@5", "EEL@5", "ARP@5", "FAIR@5", "PEER@5",
    "RankingBias(values={'g0':1})@4", "Judged@5", "Success@5", "ExposureRatio@5"]
OF_GROUP = ["OfGroup(measure='nDCG',group='g0')@5",
            "OfGroup(measure='P',group='g0',others='dropped')@3"]
#: The measures whose provider breaks ties otherwise than trec_eval, at any cutoff.
TIES_MATTER = {f"{name}@{k}" for name in ("RR", "Judged", "Success") for k in range(1, 6)}


def value_of(measure, case, qid: str) -> float:
    """The value as a user of ir_measures gets it; in trec_eval's order, where ties matter."""
    run = case.run_frame
    if str(measure) in TIES_MATTER:
        order = run.assign(score=run["score"].astype("float32")).sort_values(
            ["query_id", "score", "doc_id"], ascending=[True, False, False])
        run = order.assign(score=np.arange(len(run), 0, -1.0))
    found = ir_measures.iter_calc(parsed(measure), case.qrels_frame, run)
    return {one.query_id: one.value for one in found}[qid]


def frames_of(measure, case):
    """The explanation of every topic, with its value."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pf.FairnessWarning)
        for qid in sorted({row[0] for row in case.qrels}):
            frame, value, _, reason = pf.explain(measure, case.run_frame, case.qrels_frame, qid)
            if reason:
                assert np.isnan(value)
                value = 0.0  # as ir_measures counts it
            assert value == pytest.approx(value_of(measure, case, qid), abs=1e-12, nan_ok=True)
            yield qid, frame, value


class TestContributions:
    @pytest.mark.parametrize("seed", quick_cases(range(2), first=1))
    @pytest.mark.parametrize("measure", quick_cases([*OWN, *OTHERS, *OF_GROUP], every=6), ids=str)
    def test_they_add_up_to_the_value_of_the_provider(self, measure, seed, make_case):
        case = make_case(seed, topics=4, several=seed == 0)
        for qid, frame, value in frames_of(measure, case):
            if not frame["counts"].any():
                assert not len(frame) or frame["contribution"].isna().all() or value == 0
                continue
            assert frame["contribution"].sum() == pytest.approx(value, abs=1e-9), qid
            assert (frame["contribution"][~frame["counts"]] == 0).all()

    def test_worked_example(self, worked):
        """rND@3 of c, a, b: 2/3 of the population is PRO, and CON is protected."""
        frame = pf.explain("rND@3", worked.run_frame, worked.qrels_frame, "1").frame
        terms = [abs(share - 1 / 3) / math.log2(i + 1) for i, share in ((1, 1), (2, 1/2), (3, 1/3))]
        largest = sum(max(1 / 3, 2 / 3) / math.log2(i + 1) for i in (1, 2, 3))
        assert frame["docno"].tolist() == ["c", "a", "d", "b"]
        assert frame["counts"].tolist() == [True, True, False, True]
        expected = [terms[0] / largest, terms[1] / largest, 0, terms[2] / largest]
        np.testing.assert_allclose(frame["contribution"], expected, atol=1e-15)
        np.testing.assert_allclose(frame["protected share"], [1, 1 / 2, 1 / 2, 1 / 3])
        assert frame["protected target"].tolist() == pytest.approx([1 / 3] * 4)
        assert frame["protected"].tolist() == ["CON"] * 4

    def test_measures_of_relevance(self, worked):
        case = worked
        case.qrels = [("1", "a", 2, "PRO"), ("1", "b", 1, "CON"), ("1", "e", 3, "CON")]
        by_hand = {
            "AP": np.array([0, 1 / 2, 0, 2 / 4]) / 3, "P@10": np.array([0, 1, 0, 1]) / 10,
            "ERR@4": np.array([0, 3 / 16 / 2, 0, 13 / 16 * 1 / 16 / 4]),
            "nDCG(dcg='exp-log2')@4": np.array([0, 3 / math.log2(3), 0, 1 / math.log2(5)])
            / (7 + 3 / math.log2(3) + 1 / 2),
            "BiasRBP@4": 0.2 * np.array([0, 0.8, 0, -(0.8**3)])}
        for name, expected in by_hand.items():
            frame = pf.explain(name, case.run_frame, case.qrels_frame, "1").frame
            # gdeval writes five decimals.
            atol = 1e-5 if name.startswith(("ERR", "nDCG(dcg")) else 1e-12
            np.testing.assert_allclose(frame["contribution"], expected, atol=atol, err_msg=name)
            assert frame["label"].tolist() == [0, 2, 0, 1]


class TestValueSoFar:
    @pytest.mark.parametrize("seed", quick_cases(range(2), first=1))
    @pytest.mark.parametrize("measure", quick_cases(SO_FAR, every=3))
    def test_is_the_value_at_the_cutoff(self, measure, seed, make_case):
        case = make_case(seed, topics=4)
        for qid, frame, _ in frames_of(measure, case):
            name, _, _ = measure.rpartition("@")
            k, expected = 0, math.nan
            for row in frame.itertuples():
                if row.counts:
                    k += 1
                    with warnings.catch_warnings():
                        warnings.simplefilter("ignore", pf.FairnessWarning)
                        expected = value_of(f"{name}@{k}", case, qid)
                assert row.value == pytest.approx(expected, abs=1e-12, nan_ok=True)

    def test_a_measure_without_a_cutoff(self, worked):
        frame = pf.explain("Bpref", worked.run_frame, worked.qrels_frame, "1").frame
        for k in range(1, 5):
            (expected,) = ir_measures.iter_calc([parse_measure("Bpref")], worked.qrels_frame,
                                                worked.run_frame.head(k))
            assert frame["value"][k - 1] == pytest.approx(expected.value)


class TestInput:

    def test_topic_without_results(self, worked):
        for measure, value in (("rND@3", 1.0), ("nDCG@3", 0.0), ("AWRF@3", 0.0)):
            nothing = worked.run_frame.head(0)
            frame, found, *rest = pf.explain(measure, nothing, worked.qrels_frame, "1")
            assert frame.empty and found == value and rest == ["", ""]
            assert frame.columns[:5].tolist() == ["rank", "docno", "label", "group", "counts"]

    def test_no_document_counts(self, worked):
        run = pd.DataFrame([("1", "x", 2.0)], columns=["query_id", "doc_id", "score"])
        frame, value, formula, _ = pf.explain("rND@3", run, worked.qrels_frame, "1")
        assert frame["contribution"].isna().all() and value == 1 and not formula

    @pytest.mark.parametrize("measure, qid, error", [
        (["nDCG@5", "rKL@5"], "1", "measure must be one .* 2"),
        ("rKL@5", "9", "qid must be .* '1', got '9'"),
        ("rKL(groups='no-such-groups')@5", "1", "no-such-groups")])
    def test_wrong_arguments(self, worked, measure, qid, error):
        with pytest.raises(ValueError, match=error):
            pf.explain(measure, worked.run_frame, worked.qrels_frame, qid)

    def test_wrong_run(self, worked):
        two = pd.concat([worked.run_frame.assign(iteration=i) for i in ("0", "1")])
        with pytest.raises(ValueError, match=r"several .*'1'"):
            pf.explain("rKL@5", two, worked.qrels_frame, "1")


def test_warnings_are_of_the_run_and_not_of_the_topic_alone(worked):
    """The run is complete: nothing is said of other topics, and nothing twice."""
    topics = [str(qid) for qid in range(1, 6)]
    qrels = pd.concat([worked.qrels_frame.assign(query_id=qid) for qid in topics])
    run = pd.concat([worked.run_frame.assign(query_id=qid) for qid in topics])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for measure in ("rND@3", "AWRF@3", "nDCG@3", "alpha_nDCG@3"):
            pf.explain(measure, run, qrels, "3")
    with pytest.warns(pf.FairnessWarning) as told:
        pf.explain("rND@3", run[run["query_id"] != "3"], qrels, "3")
    assert [str(one.message) for one in told] == ["the run returned nothing for topic '3'"]


def test_trec_fair_is_explained_down_to_its_ideal(worked):
    pf.targets.register("half", pd.DataFrame({"group": ["PRO", "CON"], "share": [0.5, 0.5]}))
    stances = pf.groups.from_mapping({"a": "PRO", "b": "CON", "c": "PRO", "d": "CON"})
    measure = pf.TrecFair(attributes={stances: "half"}, ideal=2)
    frame = pf.explain(measure, worked.run_frame, worked.qrels_frame, "1").frame
    (metric,) = ir_measures.iter_calc([measure], worked.qrels_frame, worked.run_frame)
    assert frame["docno"].tolist() == ["c", "a"]
    assert frame["value"].iloc[-1] == frame["topic value"].iloc[0] == metric.value


def test_a_provider_that_breaks_ties_otherwise():
    tied = pd.DataFrame({"qid": "1", "docno": list("dcba"), "score": 1.0})
    qrels = pd.DataFrame({"qid": "1", "docno": list("abcd"), "label": [1, 0, 0, 0]})
    with pytest.warns(pf.FairnessWarning, match="RR@5 is 1 .* value 0.25"):
        frame = pf.explain("RR@5", tied, qrels, "1").frame
    assert frame["contribution"].tolist() == [0, 0, 0, 0.25] and set(frame["topic value"]) == {0.25}


def test_reasons_of_undefined_topics(worked):
    worked.qrels = [("1", "c", 1, "PRO"), ("1", "a", 0, "CON")]
    frame, value, formula, reason = pf.explain("rND@3", worked.run_frame, worked.qrels_frame, "1")
    assert np.isnan(value) and not formula and "'PRO'" in reason and len(frame)


def test_the_reason_is_true(worked):
    """A target of 0 for a side, weights of grades that no document has, an empty target."""
    worked.qrels = [("1", "c", 1, "PRO"), ("1", "a", 1, "CON")]
    for measure in ("PEER(weights={2:1})@2", "logDP(target={'CON':0,'PRO':1},protected='CON')@2"):
        *_, reason = pf.explain(measure, worked.run_frame, worked.qrels_frame, "1")
        assert reason and "only the group" not in reason
    worked.qrels = [("1", "c", 0, "PRO"), ("1", "a", 0, "CON")]
    frame = pf.explain("AWRF(target='qrels')@2", worked.run_frame, worked.qrels_frame, "1").frame
    assert frame.filter(like="target of").isna().all(axis=None)


def test_a_divisor_of_0_has_no_formula(worked):
    worked.qrels = [("1", docno, 1, "PRO" if docno in "ac" else "CON") for docno in "abcd"]
    run = worked.run_frame.query("doc_id in ['a', 'c']")
    _, value, formula, reason = pf.explain("nDD@2", run, worked.qrels_frame, "1")
    assert (value, formula, reason) == (0.0, "", "")


@pytest.mark.parametrize("source", [None, {"c": "x", "a": "y"}], ids=["qrels", "source"])
def test_of_the_judged_documents_alone(worked, source):
    """The first judged documents count, also with groups that have a source."""
    worked.qrels = [("1", "b", 0, "PRO"), ("1", "d", 2, "CON")]
    frame = pf.explain("nDCG(judged_only=True)@2", worked.run_frame, worked.qrels_frame, "1",
                       groups=source).frame
    assert frame["docno"].tolist() == ["c", "a", "d", "b"]
    assert frame["counts"].tolist() == [False, False, True, True]
    assert frame["contribution"].sum() == 1.0 and set(frame["topic value"]) == {1.0}


@pytest.mark.parametrize("measure", ["rND@3", "alpha_nDCG@3", "nDCG@3"])
def test_a_group_source_is_that_of_evaluate(worked, measure):
    run, qrels = worked.run_frame, worked.qrels_frame
    labels = {"a": "a", "b": "b", "c": "b", "d": "a"}
    source = pf.groups.from_mapping(labels)
    frame, value, _, reason = pf.explain(measure, run, qrels, "1", groups=source)
    _, perquery = pf.evaluate(run, qrels, measure, groups=source, progress=False)
    assert value == perquery.loc[perquery["qid"] == "1", "value"].item() and not reason
    assert set(frame["measure"]) == {measure} and set(frame["topic value"]) == {value}
    assert frame["group"].tolist() == [labels[docno] for docno in frame["docno"]]
