"""Topics without results, and one group alone, with which no measure looks fair."""

import ir_measures
import pandas as pd
import pytest

import pt_fairness as pf
from pt_fairness import FairnessWarning, analysis, groups, targets
from pt_fairness.measures import MEASURES

QRELS = pd.DataFrame([(qid, docno, relevance) for qid in "12"
                      for docno, relevance in (("a", 2), ("b", 1), ("c", 0))],
                     columns=["query_id", "doc_id", "relevance"])
RUN = pd.DataFrame([("1", docno, -float(rank)) for rank, docno in enumerate("bac")],
                   columns=["query_id", "doc_id", "score"])
ONE = groups.from_mapping(dict.fromkeys("abc", "d"), name="one group")
TWO = groups.from_mapping({"a": "PRO", "b": "PRO", "c": "CON"}, name="two groups")
targets.register("of one group", pd.DataFrame({"group": ["d"], "share": [1.0]}))
#: Why a measure has a value although there is one group alone.
DEFINED = {
    "Annotated": "it counts annotated documents",
    **dict.fromkeys(("ARaB", "FaiRR", "NFaiRR", "RaB", "RankingBias"),
                    "it has numbers instead of groups"),
    **dict.fromkeys(("EED", "EEL", "EER", "IAA"), "it compares documents"),
    **dict.fromkeys(("GF", "GFR"), "its divergence is 0 for one label, as in NTCIREVAL; the value "
                                   "is that of relevance"),
    "OfGroup": "it is the effectiveness for one group"}
#: The parameters that measures need, and forms that compare groups, or that do not.
PARAMS = {"group": "d", "measure": "nDCG", "values": {"d": 1.0}}
ATTRIBUTES = {"GFR": {"attributes": {ONE: "jsd"}},
              "TrecFair": {"attributes": {ONE: "of one group"}}}
FORMS = [("IAA", {"by": "group"}), ("IAA", {"by": "group", "norm": "none"}),
         *((name, {"by": "group", **more}) for name in ("EEL", "EED", "EER")
           for more in ({}, {"norm": "bound"}, {"target": "uniform"}, {"complete": True})),
         ("TrecFair", {**ATTRIBUTES["TrecFair"], "unknown": "partial"}),
         ("TrecFair", {**ATTRIBUTES["TrecFair"], "value": "awrf"}),
         ("rKL", {"protected": "all"}), ("nDJS", {"protected": "d"}), ("rND", {"protected": "d"}),
         ("FAIR", {"protected": "d", "p": 0.5}), ("PreF", {"protected": "d"}),
         *((name, {"target": target}) for name in
           ("AWRF", "ExposureRatio", "NDKL", "DistKL", "DistFair", "MinSkew", "MaxSkew", "RADio",
            "rND", "rKL", "rRD")
           for target in ("qrels", "collection", "run", "uniform", {"d": 1.0}))]
CASES = [(name, {}) for name in MEASURES if not name.startswith("Bias")] + FORMS


def measure_of(name, params, source):
    kind = MEASURES[name]
    needed = {**PARAMS, **ATTRIBUTES.get(name, {}), "groups": source}
    return kind(**{param: needed[param] for param in needed if param in kind.SUPPORTED_PARAMS
                   and param not in params}, **params)


def told(call):
    with pytest.warns(FairnessWarning) as caught:
        result = call()
    return result, " ".join(str(one.message) for one in caught)


def test_one_group_alone():
    measures = [measure_of(name, params, ONE) for name, params in CASES]
    defined = {measure_of(name, {}, ONE) for name in DEFINED}
    undefined = analysis.undefined(QRELS, measures).groupby("measure")["qid"].apply(list).to_dict()
    assert undefined == {str(measure): ["1", "2"] for measure in measures if measure not in defined}
    found, text = told(lambda: [*ir_measures.iter_calc({*measures} - defined, QRELS, RUN)])
    assert {metric.value for metric in found} == {0.0} and len(found) == 2 * len(undefined)
    for measure in undefined:
        assert f" {measure}" in text
    assert text.count("undefined") == 1 and "2 of 2 topics" in text
    _, text = told(lambda: measure_of("rKL", {}, ONE).calc_aggregate(QRELS, RUN))
    assert "only group is 'd'" in text


def test_every_group_protected():
    measures = [
        MEASURES[name](protected="PRO,CON", groups=TWO, **more) for name, kind in MEASURES.items()
        for more in ({}, {"target": "uniform"}, {"target": "run"}, {"norm": "none"})
        if {"protected", *more} <= kind.SUPPORTED_PARAMS.keys()]
    undefined = analysis.undefined(QRELS, measures).groupby("measure")["qid"].apply(list).to_dict()
    assert undefined == {str(measure): ["1", "2"] for measure in measures}
    _, text = told(lambda: [*ir_measures.iter_calc(measures, QRELS, RUN)])
    assert "protected='PRO,CON'" in text
    others = [measure(protected="PRO") for measure in measures
              if not measure.NAME.startswith("log")]  # no relevant document of CON
    assert analysis.undefined(QRELS, others).empty


def test_rrd_counts_documents_on_both_sides(values):
    """x A; y A, B, C: every relevant document is protected, as in every ranking of them."""
    qrels = pd.DataFrame([("1", "x", 1, "A"), *(("1", "y", 1, label) for label in "ABC")],
                         columns=["query_id", "doc_id", "relevance", "iteration"])
    run = pd.DataFrame([("1", "x", 2.0), ("1", "y", 1.0)], columns=["query_id", "doc_id", "score"])
    measures = [pf.rRD(protected="A", target="collection", norm=norm) for norm in ("none", "max")]
    assert set(values(measures, qrels, run).values()) == {0.0}
