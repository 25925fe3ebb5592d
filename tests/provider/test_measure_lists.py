"""Lists of measures: parsed, given a group source, and checked."""

import ir_measures
import pandas as pd
import pytest
from ir_measures import nDCG
from measure_cases import OpenGroups

from pt_fairness import AWRF, IAA, FairnessWarning, RaB, RepBias, TrecFair, groups, rKL, rND
from pt_fairness.provider.measure_lists import (
    check_names,
    check_sources,
    parsed,
    parsed_or_none,
    reads_subtopics,
    refuse_unknown,
    take_groups,
    takes_groups,
    with_groups,
)

SOURCE = groups.from_mapping({"a": "A", "b": "B"}, name="mine")
QRELS = pd.DataFrame({"query_id": ["1", "1"], "doc_id": ["a", "b"], "relevance": 1,
                      "iteration": "0"})


def test_names_and_objects_are_measures():
    assert parsed(["nDCG@5", rKL @ 5, "rND(step=2)@5"]) == [nDCG @ 5, rKL @ 5, rND(step=2) @ 5]
    assert parsed("rKL@5") == [rKL @ 5]
    assert parsed_or_none("a column") is None and parsed_or_none("rKL@5") == rKL @ 5


@pytest.mark.parametrize(("measure", "takes", "reads"), [
    (rKL @ 5, True, False), (rKL(groups="other") @ 5, False, False), (nDCG @ 5, False, False),
    (IAA, False, False), (IAA(by="group"), True, False),
    (ir_measures.parse_measure("alpha_nDCG@5"), False, True)])
def test_which_measures_take_a_source(measure, takes, reads):
    assert bool(takes_groups(measure)) == takes and bool(reads_subtopics(measure)) == reads


def test_the_source_is_in_the_measure_and_not_in_its_column():
    measures = [rKL @ 5, nDCG @ 5, AWRF(groups="other") @ 5]
    columns, qrels, source = take_groups(measures, QRELS, SOURCE)
    assert list(columns.values()) == ["rKL@5", "nDCG@5", "AWRF(groups='other')@5"]
    assert next(map(str, columns)) == "rKL(groups='mine')@5"
    assert source is SOURCE and qrels is QRELS
    assert take_groups([rKL @ 5], QRELS, None)[2] is None


def test_subtopics_are_written_into_the_qrels():
    _, qrels, _ = take_groups(parsed("alpha_nDCG@5"), QRELS, SOURCE)
    assert sorted(zip(qrels["doc_id"], qrels["iteration"], strict=True)) == [("a", "A"), ("b", "B")]
    with pytest.raises(ValueError, match="subtopics"):
        take_groups(parsed("alpha_nDCG@5"), QRELS.assign(doc_id=["x", "y"]), SOURCE)


def test_topics_that_the_source_drops_stay_in_the_qrels():
    dropping = groups.from_mapping({"a": "PRO", "b": "CON"}).relabel(
        {"1": "liberal", "2": "both or neither"})
    both = pd.concat([QRELS, QRELS.assign(query_id="2")])
    _, qrels, _ = take_groups(parsed("alpha_nDCG@5"), both, dropping)
    labels = qrels.groupby("query_id")["iteration"].agg(set).to_dict()
    assert labels == {"1": {"liberal", "conservative"}, "2": {"-"}}


def test_with_groups_warns_of_measures_that_read_qrels():
    measure = ir_measures.parse_measure("alpha_nDCG@5")
    with pytest.warns(FairnessWarning, match="alpha_nDCG@5"):
        assert with_groups([measure], SOURCE) == [measure]


def test_with_groups_names_the_groups_and_keeps_the_order():
    measures = [rND @ 3, nDCG @ 5, rKL(groups="other") @ 5, AWRF @ 5]
    found = with_groups(measures, {"a": "A", "b": "B"}, name="stance")
    assert [*map(str, found)] == ["rND(groups='stance')@3", "nDCG@5", "rKL(groups='other')@5",
                                  "AWRF(groups='stance')@5"]
    groups.register("other", SOURCE)
    try:
        run = QRELS.assign(score=[2.0, 1.0])
        evaluator = ir_measures.evaluator(found, QRELS)
        order = [*dict.fromkeys(metric.measure for metric in evaluator.iter_calc(run))]
    finally:
        groups.unregister("other")
    assert [one for one in order if one != nDCG @ 5] == [one for one in found if one != nDCG @ 5]
    built_in = groups.get("trec-newswire")
    with_groups(rKL, built_in, name="mine")
    assert groups.get("trec-newswire").name == "trec-newswire"
    with pytest.raises(ValueError, match="name"):
        with_groups(rKL, SOURCE, name=" ")


FRAME = pd.DataFrame({"docno": ["d1", "d2"], "group": ["A", "B"]})


@pytest.mark.parametrize(("measure", "named"), [
    (rND(groups="nowhere") @ 5, "nowhere"), (RaB(values="nothing") @ 5, "nothing"),
    (TrecFair(attributes={"nowhere": "trec-fair/2021/world"}) @ 5, "nowhere")])
def test_a_source_that_does_not_exist_is_named(measure, named):
    with pytest.raises(ValueError, match=named):
        check_sources([rKL @ 5, measure])


def test_a_label_that_a_source_does_not_declare_is_named():
    source = groups.from_frame(FRAME)
    with pytest.raises(ValueError, match=r"protected='C'.*'A', 'B'"):
        check_sources([rND(groups=source, protected="C") @ 5])
    check_sources([rND(groups=OpenGroups(source), protected="C") @ 5])


def test_two_objects_of_one_name_are_an_error():
    one = groups.from_frame(FRAME, name="mine")
    two = groups.from_frame(FRAME.assign(group="A"), name="mine")
    check_names([rND(groups=one) @ 5, rKL(groups=one) @ 5, RepBias(group="A", groups=one)])
    with pytest.raises(ValueError, match=r"groups .*'mine'"):
        check_names([rND(groups=one) @ 5, rKL(groups=two) @ 5])


def test_what_is_wrong_for_every_run_is_an_error():
    wrong, short, other = ("unknown groups", "none of the 5 ids"), ("unknown groups", "none"), (
        "ties", "a tie")
    refuse_unknown([[other], [other]])
    refuse_unknown([[wrong, other], [other]])
    with pytest.raises(ValueError, match=r"^none of the 5 ids$"):
        refuse_unknown([[short], [wrong, other]])
