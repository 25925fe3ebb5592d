"""Annotated, MRecall and OfGroup."""

import pickle

import ir_measures
import pandas as pd
import pytest
from case_marks import quick_cases
from ir_measures import P, R, StRecall, nDCG
from measure_cases import values_of
from one_test import each

from pt_fairness import MRecall, OfGroup, groups


@pytest.mark.parametrize("seed", quick_cases(range(2), first=1))
def test_the_share_is_st_recall(make_case, seed):
    case = make_case(seed, several=True)
    qrels = case.qrels_frame
    pairs = [(MRecall(value="share", rel=rel) @ k, StRecall(rel=rel) @ k)
             for k in (1, 3, 10) for rel in (1, 2)]
    found = values_of([one for pair in pairs for one in pair], qrels, case.run_frame)
    for ours, theirs in pairs:
        for qid in set(qrels["query_id"]):
            assert found[ours, qid] == pytest.approx(found[theirs, qid], abs=1e-12)


SOURCE = groups.from_pattern("^[hl]", labels=["h", "l"])
LISTS = {"t1": "h1 l1 l2 h2 x", "t2": "l3 h3 h1 l1", "t3": "l2 h4 l4"}
JUDGED = {"t1": {"h1": 2, "l1": 2, "h2": 1, "l2": 1},
          "t2": {"h3": 1, "l3": 1, "h5": 1, "l5": 1, "x": 2}, "t3": {"h4": 1, "l1": 0}}
QRELS = pd.DataFrame([(qid, docno, r) for qid, some in JUDGED.items() for docno, r in some.items()],
                     columns=["query_id", "doc_id", "relevance"])
RUN = pd.DataFrame([(qid, docno, -float(i)) for qid, some in LISTS.items()
                    for i, docno in enumerate(some.split())],
                   columns=["query_id", "doc_id", "score"])


def test_ties_are_those_of_the_provider():
    """pytrec_eval takes the last docno first, the provider of RR with a cutoff the first one."""
    qrels = pd.DataFrame([("1", "a", 1, "A"), ("1", "b", 0, "A")],
                         columns=["query_id", "doc_id", "relevance", "iteration"])
    run = qrels[["query_id", "doc_id"]].assign(score=1.0)
    last, first = (OfGroup(measure=text, group="A") for text in ("RR", "RR@5"))
    assert values_of([last, first], qrels, run) == {(last, "1"): 0.5, (first, "1"): 1.0}


def test_gains_and_plain_relevance_do_not_mix():
    both = [OfGroup(measure=text, group="h", groups=SOURCE)
            for text in ("nDCG(gains={1:0,2:5})", "nDCG", "P(rel=2)@2")]
    together = values_of(both, QRELS, RUN)
    assert together == {key: value for one in both
                        for key, value in values_of([one], QRELS, RUN).items()}
    assert together[both[0], "t1"] == 1.0 > together[both[1], "t1"]


@pytest.mark.parametrize(("given", "text"), [
    ({"measure": "nDCG@10"}, "OfGroup(measure='nDCG',group='A')@10"),
    ({"measure": "NDCG"}, "OfGroup(measure='nDCG',group='A')"),
    ({"measure": nDCG @ 10}, "OfGroup(measure='nDCG',group='A')@10"),
    ({"measure": "P(rel=2)", "cutoff": 5}, "OfGroup(measure='P(rel=2)',group='A')@5"),
    ({"measure": "IPrec@0.5"}, "OfGroup(measure='IPrec@0.5',group='A')"),
    ({"measure": "nDCG(dcg='exp-log2')@3"},
     "OfGroup(measure=\"nDCG(dcg='exp-log2')\",group='A')@3"),
    ({"measure": "RBP( p = 0.9 )", "others": "dropped"},
     "OfGroup(measure='RBP(p=0.9)',group='A',others='dropped')"),
])
def test_the_text_is_canonical(given, text):
    measure = OfGroup(**given, group="A")
    measure.validate_params()
    assert str(measure) == text
    assert ir_measures.parse_measure(text) == measure == pickle.loads(pickle.dumps(measure))
    assert str(ir_measures.parse_measure(text)) == text


def test_a_cutoff_behind_an_object_replaces_that_of_the_text():
    assert OfGroup(measure="nDCG@10", group="A") @ 5 == OfGroup(measure=nDCG, group="A") @ 5
    assert (OfGroup(measure=P @ 10, group="A") @ 5).inner == P @ 5


@each("text, word", [
    ("OfGroup(measure='nDCG@10',group='A')@5", "@5"),
    ("OfGroup(measure='nDGC',group='A')", "'nDCG'"),
    ("OfGroup(measure='nDCG(foo=1)',group='A')", "'foo'"),
    ("OfGroup(measure='IPrec@0.5',group='A')@5", "'cutoff'"),
    ("OfGroup(measure='P',group='A')", "cutoff"), ("OfGroup(group='A')", "'measure'"),
    ("OfGroup(measure='nDCG')", "'group'"), ("OfGroup(measure=5,group='A')", "measure"),
    *((f"OfGroup(measure='{inner}',group='A')@5", "measure must be") for inner in (
        "rKL", "alpha_nDCG", "StRecall", "Judged", "P(rel=0)", "nDCG(gains={0:1})")),
    ("OfGroup(measure='NumRet',group='A')", "measure must be")])
def test_what_is_refused(text, word):
    with pytest.raises(ValueError, match=word):
        ir_measures.parse_measure(text).validate_params()


def test_views_have_no_value_of_it():
    from pt_fairness import analysis
    runs = {"one": RUN}
    with pytest.raises(ValueError, match="runs and qrels"):
        analysis.label_noise(runs, QRELS, OfGroup(measure=R @ 5, group="h"), SOURCE, 0.1, draws=2)
