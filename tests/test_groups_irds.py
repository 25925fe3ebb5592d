"""Groups from any field of ir_datasets, corrected and renamed."""

import pickle
import warnings
from enum import Enum

import ir_datasets
import ir_measures
import numpy as np
import pandas as pd
import pytest
from pt_fairness.ranking import FairnessWarning

import pt_fairness  # noqa: F401 - registers the debates
from pt_fairness import BiasP, groups, rND

DEBATES = "pt-fairness/debates"


def rows(found):
    return found.values.tolist()


def test_a_field_of_documents():
    found = groups.from_irds(DEBATES, "stance")
    assert found.name == "pt-fairness/debates/stance" and found.labels is None and not found.complete
    docs = {doc.doc_id: doc.stance for doc in ir_datasets.load(DEBATES).docs_iter()}
    asked = [*docs, "d01-01"]
    with warnings.catch_warnings():
        warnings.simplefilter("error", FairnessWarning)  # neutral arguments say "-": no stance, and no surprise
        annotated = found.lookup(["1"] * len(asked), asked)
    assert rows(annotated) == [["1", docno, docs[docno]] for docno in asked if docs[docno] != "-"]


def test_numbers_become_labels_and_others_than_the_labels_no_group():
    found = groups.from_irds(DEBATES, "viewpoint", labels=range(-3, 3))
    assert found.complete and found.labels == ["-1", "-2", "-3", "0", "1", "2"]
    docs = {doc.doc_id: doc.viewpoint for doc in ir_datasets.load(DEBATES).docs_iter()}
    highest = [docno for docno, viewpoint in docs.items() if viewpoint == 3]
    with pytest.warns(FairnessWarning, match=rf"{len(highest)} with a value other than -1, -2, -3, 0, 1, 2 \(the first: "
                                             rf"'{highest[0]}' has '3'\)"):
        found_rows = found.lookup(["1"] * len(docs), list(docs))
    assert rows(found_rows) == [["1", docno, str(viewpoint)] for docno, viewpoint in docs.items() if viewpoint < 3]


class Size(Enum):
    LONG = 1
    SHORT = 2


@pytest.mark.parametrize("field, groups_of", [
    (lambda doc: Size.LONG if len(doc.text) > 600 else Size.SHORT, lambda doc: ["LONG" if len(doc.text) > 600 else "SHORT"]),
    (lambda doc: doc.title.split()[:2], lambda doc: sorted(set(doc.title.split()[:2]))),
    (lambda doc: {doc.stance, "any"}, lambda doc: sorted({doc.stance, "any"} - {"-"})),
    (lambda doc: float("nan"), lambda doc: []),
    (lambda doc: None, lambda doc: []),
])
@pytest.mark.filterwarnings("ignore::pt_fairness.ranking.FairnessWarning")
def test_a_function_of_the_document(field, groups_of):
    docs = list(ir_datasets.load(DEBATES).docs_iter())[:20]
    found = groups.from_irds(DEBATES, field).lookup(["7"] * 20, [doc.doc_id for doc in docs])
    assert sorted(rows(found)) == sorted(["7", doc.doc_id, group] for doc in docs for group in groups_of(doc))


def test_values_that_are_missing_are_counted():
    found = groups.from_irds(DEBATES, lambda doc: None if doc.doc_id.startswith("d01-1") else doc.stance)
    with pytest.warns(FairnessWarning, match=r"2 of 3 documents .*: 1 not in the corpus \(the first: 'x'\); "
                                             r"1 without a value \(the first: 'd01-10'\)$"):
        found.lookup(["1"] * 3, ["x", "d01-10", "d01-01"])


def test_the_debates_are_registered():
    found = groups.get(f"{DEBATES}/stance")
    assert found.labels == ["CON", "PRO"] and rows(found.lookup(["1"], ["d01-01"])) == [["1", "d01-01", "PRO"]]
    assert groups.get(f"{DEBATES}/viewpoint").labels == ["-1", "-2", "-3", "0", "1", "2", "3"]


def test_a_field_of_judgments():
    found = groups.from_irds(DEBATES, "relevance", labels=["0", "1", "2"])
    qrels = list(ir_datasets.load(DEBATES).qrels_iter())
    judged = found.lookup([q.query_id for q in qrels] + ["9"], [q.doc_id for q in qrels] + ["d01-01"])
    assert rows(judged) == [[q.query_id, q.doc_id, str(q.relevance)] for q in qrels]
    same = groups.from_irds(DEBATES, lambda qrel: f"level {qrel.relevance}", entity="qrels").lookup(["1"], ["d01-01"])
    assert rows(same) == [["1", "d01-01", "level 2"]]


def test_which_entity_has_a_field():
    assert rows(groups.from_irds(f"{DEBATES}/stance", "iteration").lookup(["1"], ["d01-01"])) == [["1", "d01-01", "PRO"]]
    assert rows(groups.from_irds(DEBATES, "doc_id", entity="docs").lookup(["5"], ["d01-01"])) == [["5", "d01-01", "d01-01"]]
    assert groups.from_irds(DEBATES, "doc_id", entity="qrels").lookup(["5"], ["d01-01"]).empty


@pytest.mark.parametrize("dataset_id, field, entity, message", [
    (DEBATES, "colour", None, r"has no field 'colour'; it has doc_id, title, text, stance, viewpoint \(docs\) and query_id, "),
    (DEBATES, "stance", "qrels", r"has no field 'stance'; it has query_id, doc_id, relevance, iteration \(qrels\)"),
    ("no/such", "stance", None, "ir_datasets has no dataset 'no/such'"),
])
def test_what_cannot_be_had_is_said_when_a_measure_asks(dataset_id, field, entity, message):
    found = groups.from_irds(dataset_id, field, entity=entity)
    with pytest.raises(ValueError, match=message):
        found.lookup(["1"], ["d01-01"])


def test_entity_is_checked():
    with pytest.raises(ValueError, match="entity='queries' is not possible"):
        groups.from_irds(DEBATES, "stance", entity="queries")


def test_documents_are_read_once(monkeypatch):
    from pt_fairness import reading
    read = []
    real = reading.documents

    def counting(dataset_id, docnos):
        read.extend(docnos)
        return real(dataset_id, docnos)
    monkeypatch.setattr(reading, "documents", counting)
    found = groups.from_irds(DEBATES, "stance", ["PRO", "CON"])
    found.lookup(["1", "2"], ["d01-01", "d01-01"])
    found.lookup(["1", "2"], ["d01-01", "d01-02"])
    assert read == ["d01-01", "d01-02"]
    with pytest.warns(FairnessWarning, match="1 of 2 documents"):
        found.lookup(["1", "2"], ["d01-01", "missing"])
    found.lookup(["1"], ["missing"])
    assert read[2:] == ["missing"], "what is missing is known to be"


def test_a_longer_id_is_another_document():
    found = groups.from_irds(DEBATES, "stance", ["PRO", "CON"])
    with pytest.warns(FairnessWarning, match="1 not in the corpus"):
        assert rows(found.lookup(["1", "1"], ["d01-01-and-more", "d01-01"])) == [["1", "d01-01", "PRO"]]


def test_no_documents():
    assert groups.from_irds(DEBATES, "stance", ["PRO", "CON"]).lookup([], []).empty


def test_a_measure_gets_what_a_frame_would_give():
    docs = pd.DataFrame(ir_datasets.load(DEBATES).docs_iter())
    frame = groups.from_frame(docs.rename(columns={"doc_id": "docno", "stance": "group"})[["docno", "group"]])
    rng = np.random.default_rng(5)
    run = pd.DataFrame([(str(q), docno, rng.random()) for q in range(1, 11) for docno in docs["doc_id"]],
                       columns=["query_id", "doc_id", "score"])
    qrels = list(ir_datasets.load(DEBATES).qrels_iter())
    for measure in (rND @ 10, BiasP(rel=0) @ 5):
        options = dict(measure.params)
        ours = type(measure)(**options, groups=groups.from_irds(DEBATES, "stance", ["PRO", "CON"], name="debate stances"))
        value = ir_measures.calc_aggregate([ours], qrels, run)[ours]
        theirs = type(measure)(**options, groups=frame)
        assert value == pytest.approx(ir_measures.calc_aggregate([theirs], qrels, run)[theirs], abs=1e-12)
        assert value != 0


def test_they_travel_and_compare():
    found = groups.from_irds(DEBATES, "stance", ["PRO", "CON"])
    found.lookup(["1"], ["d01-01"])
    copy = pickle.loads(pickle.dumps(found))
    assert copy == found and rows(copy.lookup(["1"], ["d01-02"])) == rows(found.lookup(["1"], ["d01-02"]))
    assert found != groups.from_irds(DEBATES, "stance", ["PRO"])
    assert found != groups.from_irds(DEBATES, "stance", ["PRO", "CON"], entity="docs")


# ---------------------------------------------------------------------------------------------------------------------
# corrections


BASE = {"a": "PRO", "b": "CON", "c": ["PRO", "CON"]}


@pytest.mark.parametrize("base", [groups.from_mapping(BASE),
                                  groups.from_mapping(dict.fromkeys("12", BASE)),
                                  groups.from_pattern("[ab]").relabel({q: {"a": "PRO", "b": "CON"} for q in "12"}).override(
                                      pd.DataFrame({"docno": ["c", "c"], "group": ["PRO", "CON"]}))])
def test_override_by_topic_and_document(base):
    frame = pd.DataFrame([("1", "a", "CON"), ("1", "b", None), ("1", "c", "PRO"), ("1", "x", "NEW"), ("2", "a", "-"),
                          ("2", "b", "CON"), ("2", "b", "NEW"), ("2", "b", "")], columns=["qid", "docno", "group"])
    before = frame.copy()
    found = base.override(frame)
    assert sorted(rows(found.lookup(["1"] * 5 + ["2"] * 4, ["a", "b", "c", "x", "y", "a", "b", "c", "x"]))) == [
        ["1", "a", "CON"], ["1", "c", "PRO"], ["1", "x", "NEW"], ["2", "b", "CON"], ["2", "b", "NEW"], ["2", "c", "CON"],
        ["2", "c", "PRO"]]
    assert found.labels == ["CON", "NEW", "PRO"] and found.complete
    assert rows(base.lookup(["1"], ["a"])) == [["1", "a", "PRO"]], "the original is as it was"
    pd.testing.assert_frame_equal(frame, before)


def test_override_everywhere_and_with_topics_that_are_numbers():
    base = groups.from_mapping(BASE)
    assert rows(base.override(pd.DataFrame({"docno": ["a"], "group": ["CON"]})).lookup(["1", "2"], ["a", "a"])) == [
        ["1", "a", "CON"], ["2", "a", "CON"]]
    found = base.override(pd.DataFrame({"qid": [1, 2.0], "docno": ["a", "b"], "group": ["CON", None]}))
    assert rows(found.lookup([1, "2", "1"], ["a", "b", "b"])) == [["1", "a", "CON"], ["1", "b", "CON"]]


def test_override_of_unknown_labels_leaves_them_unknown():
    base = groups.from_pattern("[ab]")
    found = base.override(pd.DataFrame({"qid": ["1"], "docno": ["a"], "group": ["x"]}))
    assert found.labels is None and not found.complete


def test_override_is_told_apart_and_travels():
    base = groups.from_mapping(BASE)
    frame = pd.DataFrame({"qid": ["1"], "docno": ["a"], "group": [None]})
    one, other = base.override(frame), base.override(frame.assign(docno="b"))
    assert one == base.override(frame) and one != other and one.name != other.name
    assert base.override(frame, "corrected").name == "corrected"
    assert rows(pickle.loads(pickle.dumps(one)).lookup(["1", "1"], ["a", "b"])) == [["1", "b", "CON"]]


def test_override_needs_its_columns():
    with pytest.raises(ValueError, match="no column 'group'"):
        groups.from_mapping(BASE).override(pd.DataFrame({"qid": ["1"], "docno": ["a"]}))


def test_override_asks_only_for_the_others():
    class Asked(groups.Groups):
        asked: list = []

        def lookup(self, qids, docnos):
            self.asked.extend(zip(qids, docnos, strict=True))
            return pd.DataFrame({"qid": qids, "docno": docnos, "group": "PRO"})
    found = Asked("asked", ["PRO"]).override(pd.DataFrame({"qid": ["1"], "docno": ["a"], "group": ["PRO"]}))
    assert len(found.lookup(["1", "2", "1"], ["a", "a", "b"])) == 3
    assert Asked.asked == [("2", "a"), ("1", "b")]


def test_a_corrected_stance_changes_the_measure():
    qrels = [ir_measures.Qrel("1", docno, 1) for docno in "abc"]
    run = [ir_measures.ScoredDoc("1", docno, -i) for i, docno in enumerate("ab")]
    base = groups.from_mapping({"a": "PRO", "b": "PRO", "c": "CON"})
    turned = base.override(pd.DataFrame({"qid": ["1"], "docno": ["a"], "group": ["CON"]}))
    removed = base.override(pd.DataFrame({"qid": ["1"], "docno": ["a"], "group": [None]}))
    for found, value in ((base, 1.0), (turned, 0.0), (removed, 0.5)):
        measure = BiasP(groups=found) @ 2
        assert ir_measures.calc_aggregate([measure], qrels, run)[measure] == value


# ---------------------------------------------------------------------------------------------------------------------
# ideologies


LEANINGS = {"1": "liberal", 2: "conservative", "3": None, "4": {"PRO": "liberal"}, "5": {}, "6": "both or neither",
            "7": {"PRO": "green", "CON": None}}


def test_leanings_and_mappings():
    found = groups.from_mapping(BASE).relabel(LEANINGS)
    assert found.labels == ["conservative", "green", "liberal"] and found.complete and found.topics == ["1", "2", "4", "7"]
    qids = [str(qid) for qid in range(1, 9) for _ in "ab"]
    assert rows(found.lookup(qids, ["a", "b"] * 8)) == [
        ["1", "a", "liberal"], ["1", "b", "conservative"], ["2", "a", "conservative"], ["2", "b", "liberal"],
        ["4", "a", "liberal"], ["7", "a", "green"]]
    assert sorted(rows(found.lookup([2, "4"], ["c", "c"]))) == [
        ["2", "c", "conservative"], ["2", "c", "liberal"], ["4", "c", "liberal"]]


def test_topics_that_map_to_nothing_drop_out_of_qrels():
    found = groups.from_mapping(BASE).relabel(LEANINGS)
    qrels = pd.DataFrame([(qid, docno, 1) for qid in "12345" for docno in "ab"], columns=["qid", "docno", "label"])
    assert rows(found.to_qrels(qrels)[["qid", "docno", "iteration"]]) == [
        ["1", "a", "liberal"], ["1", "b", "conservative"], ["2", "a", "conservative"], ["2", "b", "liberal"],
        ["4", "a", "liberal"], ["4", "b", "-"]]


def test_a_measure_of_ideologies():
    # Topic 1: PRO documents are liberal, topic 2: conservative. Two liberals against one conservative in each.
    qrels = [ir_measures.Qrel(qid, docno, 1) for qid in "12" for docno in ("p1", "p2", "c1", "c2")]
    run = [ir_measures.ScoredDoc("1", docno, -i) for i, docno in enumerate(["p1", "c1", "p2"])]
    run += [ir_measures.ScoredDoc("2", docno, -i) for i, docno in enumerate(["c1", "c2", "p1"])]
    stances = groups.from_mapping({"p1": "PRO", "p2": "PRO", "c1": "CON", "c2": "CON"})
    measure = BiasP(pro="conservative", con="liberal", groups=stances.relabel({"1": "liberal", "2": "conservative"})) @ 3
    assert [m.value for m in ir_measures.iter_calc([measure], qrels, run)] == pytest.approx([-1 / 3, -1 / 3])
    stance = BiasP(groups=stances) @ 3
    assert [m.value for m in ir_measures.iter_calc([stance], qrels, run)] == pytest.approx([1 / 3, -1 / 3])


@pytest.mark.parametrize("by_topic, message", [
    ({"1": "liberl"}, r"topic '1' has the leaning 'liberl'; it has to be 'conservative' or 'liberal', None or 'both"),
    ({"1": 3}, "topic '1' has the leaning 3"),
    ({"1": {"pro": "liberal"}}, r"topic '1': .* has no label 'pro' to rename"),
])
def test_a_slip_is_an_error(by_topic, message):
    with pytest.raises(ValueError, match=message):
        groups.from_mapping(BASE).relabel(by_topic)


def test_relabel_travels():
    found = groups.from_mapping(BASE).relabel({"1": "liberal"})
    assert pickle.loads(pickle.dumps(found)) == found != groups.from_mapping(BASE).relabel({"1": "conservative"})
    assert groups.from_mapping(BASE).relabel({"1": "liberal"}, "ideology").name == "ideology"
