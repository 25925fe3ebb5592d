"""Groups by name and as arguments: what a measure or a function means by ``groups=``."""

import pickle
from pathlib import Path

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest

from pt_fairness import AWRF, Annotated, analysis, evaluate, explain, groups, rKL, rND, with_groups

PAIR = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b"], "relevance": 1})
RANKED = PAIR.assign(score=[2.0, 1.0])
XY = {"a": "X", "b": "Y"}


def value_of(measure) -> float:
    return ir_measures.calc_aggregate([measure], PAIR, RANKED)[measure]


def groups_of(measure):
    return groups.get(measure["groups"])


def test_an_evaluator_keeps_its_groups(registered_groups):
    groups.register("mine", groups.from_mapping({"a": "X"}))
    evaluator = ir_measures.evaluator([Annotated(groups="mine")], PAIR)
    groups.unregister("mine")
    assert [metric.value for metric in evaluator.iter_calc(RANKED)] == [0.5]


def test_a_name_means_in_a_copy_what_it_meant_where_it_was_pickled(registered_groups):
    """A process that receives measures of one name from several others."""
    sources = {label: groups.from_mapping({"a": label}) for label in "ABC"}
    packed = {}
    for label in "AB":
        groups.register("sent", sources[label])
        packed[label] = pickle.dumps(rND(groups="sent"))
    groups.unregister("sent")
    copies = {label: pickle.loads(pickle.dumps(pickle.loads(packed[label]))) for label in "AB"}
    assert str(copies["A"]) == str(copies["B"]) == "rND(groups='sent')"
    assert copies["A"] != copies["B"] and copies["A"] == pickle.loads(packed["A"])
    for label, copy in copies.items():
        assert groups_of(copy @ 5) == sources[label]
    with pytest.raises(ValueError, match="'sent'"):
        groups.get("sent")
    groups.register("sent", sources["C"])
    assert groups_of(pickle.loads(packed["A"])) == sources["A"]


def test_another_meaning_of_a_name_of_this_package_is_pickled(registered_groups):
    measure = rND(groups=groups.get("trec-newswire"))
    assert ir_measures.parse_measure(str(measure)) == measure == rND(groups="trec-newswire")
    mine = groups.from_pattern("^(FT)", labels=["FT"])
    groups.register("trec-newswire", mine)
    packed = pickle.dumps(rND(groups="trec-newswire"))
    groups.unregister("trec-newswire")
    assert groups_of(pickle.loads(packed)) == mine
    assert groups.get("trec-newswire").labels == ["FBIS", "FR", "FT", "LA"]


def test_a_measure_keeps_the_object_that_it_was_given(registered_groups):
    """Whatever is registered under the name of the object, before and after."""
    first, second = groups.from_mapping({"a": "X"}), groups.from_mapping(XY)
    groups.register("mine", first)
    held, named = Annotated(groups=first) @ 2, Annotated(groups="mine") @ 2
    assert str(held) == str(named) == "Annotated(groups='mine')@2"
    assert held == named == ir_measures.parse_measure(str(held)) and hash(held) == hash(named)
    groups.register("mine", second)
    assert held != named and named == ir_measures.parse_measure(str(named))
    assert (value_of(held), value_of(named)) == (0.5, 1.0)
    assert value_of(pickle.loads(pickle.dumps(held))) == 0.5
    groups.unregister("mine")
    assert value_of(held) == 0.5 and held != named
    with pytest.raises(ValueError, match="'mine'"):
        value_of(named)


@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
@pytest.mark.parametrize("call", [
    lambda measures: ir_measures.calc_aggregate(measures, PAIR, RANKED),
    lambda measures: evaluate(RANKED, PAIR, measures, progress=False)],
    ids=["ir_measures", "evaluate"])
def test_two_objects_of_one_name_in_a_call_are_an_error(registered_groups, call):
    one, same, other = (groups.from_mapping({"a": label}, name="stance") for label in "XXY")
    call([Annotated(groups=one), rND(groups=same)])
    says = r"named 'stance': Groups\(.* \['X'\]\) and Groups\(.* \['Y'\]\)"
    for second in (Annotated(groups=other), rKL(groups=other) @ 5):
        with pytest.raises(ValueError, match=says):
            call([Annotated(groups=one), second])
    groups.register("stance", other)
    with pytest.raises(ValueError, match=says):
        call([Annotated(groups=one), rND(groups="stance")])


DOCNOS = [f"d{i}" for i in range(8)]
OF_DOCNO = {docno: "PRO" if i % 3 else ["CON"] for i, docno in enumerate(DOCNOS)}
FRAME = pd.DataFrame({"docno": DOCNOS, "group": ["PRO" if i % 3 else "CON" for i in range(8)]})
QRELS = pd.DataFrame({"qid": "1", "docno": DOCNOS, "label": 1})
RUN = pd.DataFrame({"qid": "1", "docno": DOCNOS, "score": range(8)})
FORMS = {"dictionary": OF_DOCNO, "by topic": {"1": OF_DOCNO},
         "series": FRAME.set_index("docno")["group"], "frame": FRAME, "path": Path("groups.csv"),
         "object": groups.from_frame(FRAME)}


@pytest.fixture(params=FORMS)
def source(request, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("groups.csv", index=False)
    return FORMS[request.param]


@pytest.fixture(scope="module")
def expected():
    """The values of rKL@5 and AWRF@5 with the groups in the qrels."""
    qrels = QRELS.merge(FRAME.rename(columns={"group": "iteration"}))
    return values_of([rKL @ 5, AWRF @ 5], qrels)


def values_of(measures, qrels=QRELS, **options):
    averages, _ = evaluate({"A": RUN}, qrels, measures, progress=False, **options)
    return averages.iloc[0, 1:].tolist()


def test_of_measures(source, expected):
    measures = [rKL(groups=source) @ 5, AWRF(groups=source) @ 5]
    assert values_of(measures) == expected and measures[0] == rKL(groups=source) @ 5
    found = ir_measures.calc_aggregate(
        pickle.loads(pickle.dumps(measures)),
        QRELS.set_axis(["query_id", "doc_id", "relevance"], axis=1),
        RUN.set_axis(["query_id", "doc_id", "score"], axis=1))
    assert [found[measure] for measure in measures] == expected


def test_of_functions_and_transformers(source, expected):
    value = expected[0]
    assert values_of(["rKL@5"], groups=source) == [value]
    table = pt.Experiment([RUN.assign(rank=range(8, 0, -1))],
                          pd.DataFrame({"qid": ["1"], "query": ["q"]}), QRELS,
                          with_groups("rKL@5", source))
    assert table.iloc[0, 1] == value
    assert explain("rKL@5", RUN, QRELS, "1", groups=source).value == value
    found = analysis.against_random({"A": RUN}, QRELS, "rKL@5", source, draws=2)
    assert found["value"].item() == value
    annotated = pt.fairness.annotate(source)(RUN)
    assert annotated["group"].tolist() == FRAME["group"].tolist()
    assert len(pt.fairness.rerank.det_greedy(source)(RUN)) == 8
