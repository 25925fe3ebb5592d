"""Qrels that judge a document for each group, as those of diversity tracks; OfGroup and MRecall."""

import warnings

import ir_measures
import numpy as np
import pandas as pd
import pytest
from ir_measures import ERR_IA, StRecall, alpha_nDCG, nDCG

import pt_fairness as pf

WORKED = "1 PRO a 1\n1 CON a 0\n1 PRO c 1\n1 CON c 0\n1 PRO b 0\n1 CON b 1\n1 PRO d 0\n1 CON d 1\n"
#: What each measure is of a, c, b, d.
VALUES = {pf.AWRF @ 2: 0.688722, pf.BiasP @ 2: 1, pf.NDKL @ 2: 0.693147,
          pf.Skew(group="PRO") @ 2: 0.693147, pf.DistFair @ 2: 0, pf.ARP @ 4: 1,
          pf.EEL(by="group") @ 2: 0.78125, pf.GF @ 2: 0.516541}
#: These read each row as before.
OF_SUBTOPICS = {alpha_nDCG @ 2: 0.806574, StRecall @ 2: 0.5, pf.MRecall @ 2: 0}
GROUPED = [pf.AWRF @ 2, pf.BiasP(pro="1", con="2") @ 2, pf.NDKL @ 4, pf.rKL @ 4, pf.MaxSkew @ 2]


def frame_of(text: str) -> pd.DataFrame:
    rows = [line.split() for line in text.splitlines()]
    columns = ["query_id", "iteration", "doc_id", "relevance"]
    return pd.DataFrame(rows, columns=columns).astype({"relevance": int})


def run_of(docnos, qids="1") -> pd.DataFrame:
    return pd.concat([pd.DataFrame({"query_id": qid, "doc_id": [*docnos],
                                    "score": np.arange(len(docnos), 0.0, -1.0)}) for qid in qids])


def web() -> pd.DataFrame:
    """Qrels as of the Web track; topic 203 is not judged by group."""
    graded = {"a": (1, 0, 0), "b": (2, 0, 0), "c": (0, 1, 0), "d": (0, -2, 1), "e": (0, 0, 0)}
    text = "".join(f"201 {subtopic + 1} {docno} {relevance}\n" for docno, of in graded.items()
                   for subtopic, relevance in enumerate(of))
    return frame_of(text + "203 1 a 1\n203 1 b 0\n203 2 c 2\n")


def quiet(measures, qrels, run):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ir_measures.calc(measures, qrels, run)


@pytest.mark.parametrize("measure", [*VALUES, *OF_SUBTOPICS], ids=str)
def test_a_worked_example(measure, tmp_path):
    qrels, expected = frame_of(WORKED), (VALUES | OF_SUBTOPICS)[measure]
    found, _ = quiet([measure], qrels, run_of("acbd"))
    assert found[measure] == pytest.approx(expected, abs=5e-7)
    if measure in VALUES:
        (tmp_path / "web.qrels").write_text(WORKED)
        named = measure(groups=pf.groups.from_file(tmp_path / "web.qrels"))
        found, _ = quiet([named], qrels.assign(iteration="0"), run_of("acbd"))
        assert found[named] == pytest.approx(expected, abs=5e-7)


def test_measures_of_subtopics_are_those_of_ndeval():
    measures = [alpha_nDCG @ 5, StRecall @ 5, ERR_IA @ 5]
    run = run_of("cabed", ["201", "203"])
    expected = ir_measures.pyndeval.calc_aggregate(measures, web(), run)
    found, _ = quiet(measures, web(), run)
    assert found == {measure: pytest.approx(value) for measure, value in expected.items()}
    share = pf.MRecall(value="share") @ 5
    assert quiet([share], web(), run)[0][share] == pytest.approx(expected[StRecall @ 5])


def test_the_file_and_the_line_of_an_example(tmp_path):
    path = tmp_path / "web.qrels"
    path.write_text("\n" + WORKED + "2 PRO a 1\n2 PRO b 0\n")
    with pytest.warns(pf.FairnessWarning, match=r"web\.qrels, line 3\b"):
        pf.evaluate({"a": run_of("acbd")}, path, [pf.AWRF @ 2], progress=False)


def test_0_beside_words_is_no_group():
    qrels = frame_of("1 PRO a 1\n1 CON b 1\n1 0 c 1\n1 Q0 d 1\n")
    expected = qrels.replace({"iteration": {"0": "-", "Q0": "-"}})
    for measure in GROUPED:
        found, plain = (quiet([measure], one, run_of("acbd"))[0] for one in (qrels, expected))
        assert found == plain


@pytest.mark.parametrize("measure, warned", [
    (pf.AWRF @ 2, True), (pf.BiasP(pro="0", con="1") @ 2, True), (pf.GF @ 2, True),
    (pf.MRecall @ 2, False), (alpha_nDCG @ 2, False), (StRecall @ 2, False)], ids=str)
def test_numbers_may_be_no_groups(measure, warned):
    """As the judging rounds of TREC-COVID."""
    qrels = frame_of("1 0 a 1\n1 0.5 b 1\n1 1 c 0\n1 1.5 d 1\n")
    options = {"qrels": qrels, "measures": [measure], "progress": False}
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("always")
        pf.evaluate({"a": run_of("acbd")}, **options)
    texts = [str(warning.message) for warning in issued if "groups=" in str(warning.message)]
    assert len(texts) == warned
    assert all("'0', '0.5', '1', '1.5'" in text for text in texts)


def test_numbers_that_are_judged_by_group_are_subtopics():
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("always")
        pf.evaluate({"a": run_of("ab", ["201", "203"])}, web(), [pf.AWRF @ 2], progress=False)
    assert not [warning for warning in issued if "rounds" in str(warning.message)]


JUDGED = pd.DataFrame([("1", "a", 1, "human"), ("1", "b", 1, "llm"), ("2", "c", 1, "human"),
                      ("2", "d", 1, "llm")], columns=["qid", "docno", "label", "iteration"])
RANKED = pd.DataFrame([("1", "b", 2.0), ("1", "a", 1.0), ("2", "d", 1.0)],
                   columns=["qid", "docno", "score"])
HUMAN, LLM = (pf.OfGroup(measure=nDCG @ 5, group=group) for group in ("human", "llm"))
MEASURES = [HUMAN, LLM, pf.MRecall @ 2, nDCG @ 5]
NAMES = list(map(str, MEASURES))
OF_GROUP = pytest.approx([0.315465, 1.0, 0.5, 0.806574], abs=1e-6)


def test_several_rankings_of_a_topic_are_averaged():
    reverse = RANKED.assign(score=-RANKED["score"])
    run = pd.concat([RANKED.assign(iteration="0"), reverse.assign(iteration="1")])
    columns = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
    found = {one.query_id: one.value for one in ir_measures.iter_calc(
        [HUMAN], JUDGED.rename(columns=columns), run.rename(columns=columns))}
    assert found == pytest.approx({"1": (1 + 0.630930) / 2, "2": 0.0}, abs=1e-6)


def test_topics_without_a_relevant_document_of_the_group_are_zero():
    """Some providers never end, or divide by zero, on a topic of which none is relevant."""
    qrels = pd.DataFrame([("1", "a", 1, "A"), ("1", "c", 0, "A"), ("2", "a", -1, "A"),
                          ("2", "b", -1, "B"), ("3", "a", 0, "A"), ("3", "b", 1, "B")],
                         columns=["query_id", "doc_id", "relevance", "iteration"])
    run = qrels.assign(score=1.0)[["query_id", "doc_id", "score"]]
    measures = [pf.OfGroup(measure=name, group="A", others=others)
                for name in ("nDCG@2", "Accuracy") for others in ("irrelevant", "dropped")]
    for one in ir_measures.iter_calc(measures, qrels, run):
        assert one.query_id == "1" or one.value == 0


def test_the_relevance_for_a_group_is_that_of_its_rows():
    """Every document is relevant, but one only for the other group."""
    qrels = pd.DataFrame([("1", "a", "A", 0), ("1", "a", "B", 2), ("1", "b", "A", 1)],
                         columns=["query_id", "doc_id", "iteration", "relevance"])
    run = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b"], "score": [2.0, 1.0]})
    for others, value in (("irrelevant", 0.5), ("dropped", 1.0)):  # a is of the group B alone
        values = {group: pf.OfGroup(measure="RR", group=group, others=others).calc_aggregate(
            qrels, run) for group in "AB"}
        assert values == {"A": value, "B": 1.0}
