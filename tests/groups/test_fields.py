"""Groups from any field of ir_datasets."""

import pickle
import warnings
from enum import Enum

import ir_datasets
import ir_measures
import numpy as np
import pandas as pd
import pytest

import pt_fairness  # noqa: F401 - registers the debates
from pt_fairness import BiasP, FairnessWarning, groups, rND

DEBATES = "pt-fairness/debates"


def rows(found):
    return found.values.tolist()


def test_a_field_of_documents():
    found = groups.from_irds(DEBATES, "stance")
    assert (
        found.name == "pt-fairness/debates/stance" and found.labels is None and not found.complete)
    docs = {doc.doc_id: doc.stance for doc in ir_datasets.load(DEBATES).docs_iter()}
    asked = [*docs, "d01-01"]
    with warnings.catch_warnings():
        warnings.simplefilter(
            "error", FairnessWarning
        )  # neutral arguments say "-": no stance, and no surprise
        annotated = found.lookup(["1"] * len(asked), asked)
    assert rows(annotated) == [["1", docno, docs[docno]] for docno in asked if docs[docno] != "-"]


def test_numbers_become_labels_and_others_than_the_labels_no_group():
    found = groups.from_irds(DEBATES, "viewpoint", labels=range(-3, 3))
    assert found.complete and found.labels == ["-1", "-2", "-3", "0", "1", "2"]
    docs = {doc.doc_id: doc.viewpoint for doc in ir_datasets.load(DEBATES).docs_iter()}
    highest = [docno for docno, viewpoint in docs.items() if viewpoint == 3]
    with pytest.warns(
        FairnessWarning,
        match=rf"{len(highest)} with a value other than -1, -2, -3, 0, 1, 2 \(the first: "
        rf"'{highest[0]}' has '3'\)",
    ):
        found_rows = found.lookup(["1"] * len(docs), list(docs))
    assert rows(found_rows) == [
        ["1", docno, str(viewpoint)] for docno, viewpoint in docs.items() if viewpoint < 3]


class Size(Enum):
    LONG = 1
    SHORT = 2


@pytest.mark.parametrize(
    "field, groups_of",
    [
        (
            lambda doc: Size.LONG if len(doc.text) > 600 else Size.SHORT,
            lambda doc: ["LONG" if len(doc.text) > 600 else "SHORT"]),
        (lambda doc: doc.title.split()[:2], lambda doc: sorted(set(doc.title.split()[:2]))),
        (lambda doc: {doc.stance, "any"}, lambda doc: sorted({doc.stance, "any"} - {"-"})),
        (lambda doc: float("nan"), lambda doc: []),
        (lambda doc: None, lambda doc: []),
    ],
)
@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
def test_a_function_of_the_document(field, groups_of):
    docs = list(ir_datasets.load(DEBATES).docs_iter())[:20]
    found = groups.from_irds(DEBATES, field).lookup(["7"] * 20, [doc.doc_id for doc in docs])
    assert sorted(rows(found)) == sorted(
        ["7", doc.doc_id, group] for doc in docs for group in groups_of(doc))


def test_values_that_are_missing_are_counted():
    found = groups.from_irds(
        DEBATES, lambda doc: None if doc.doc_id.startswith("d01-1") else doc.stance)
    with pytest.warns(
        FairnessWarning,
        match=r"2 of 3 documents .*: 1 not in the corpus \(the first: 'x'\); "
        r"1 without a value \(the first: 'd01-10'\)$",
    ):
        found.lookup(["1"] * 3, ["x", "d01-10", "d01-01"])


def test_the_debates_are_registered():
    found = groups.get(f"{DEBATES}/stance")
    assert found.labels == ["CON", "PRO"] and rows(found.lookup(["1"], ["d01-01"])) == [
        ["1", "d01-01", "PRO"]]
    assert groups.get(f"{DEBATES}/viewpoint").labels == ["-1", "-2", "-3", "0", "1", "2", "3"]


def test_a_field_of_judgments():
    found = groups.from_irds(DEBATES, "relevance", labels=["0", "1", "2"])
    qrels = list(ir_datasets.load(DEBATES).qrels_iter())
    judged = found.lookup(
        [q.query_id for q in qrels] + ["9"], [q.doc_id for q in qrels] + ["d01-01"])
    assert rows(judged) == [[q.query_id, q.doc_id, str(q.relevance)] for q in qrels]
    same = groups.from_irds(DEBATES, lambda qrel: f"level {qrel.relevance}", entity="qrels").lookup(
        ["1"], ["d01-01"])
    assert rows(same) == [["1", "d01-01", "level 2"]]


def test_which_entity_has_a_field():
    assert rows(groups.from_irds(f"{DEBATES}/stance", "iteration").lookup(["1"], ["d01-01"])) == [
        ["1", "d01-01", "PRO"]]
    assert rows(groups.from_irds(DEBATES, "doc_id", entity="docs").lookup(["5"], ["d01-01"])) == [
        ["5", "d01-01", "d01-01"]]
    assert groups.from_irds(DEBATES, "doc_id", entity="qrels").lookup(["5"], ["d01-01"]).empty


@pytest.mark.parametrize(
    "dataset_id, field, entity, message",
    [
        (
            DEBATES, "colour", None,
            r"has no field 'colour'; it has doc_id, title, text, stance, viewpoint \(docs\) and "),
        (
            DEBATES, "stance", "qrels",
            r"has no field 'stance'; it has query_id, doc_id, relevance, iteration \(qrels\)"),
        ("no/such", "stance", None, "ir_datasets has no dataset 'no/such'"),
    ],
)
def test_what_cannot_be_had_is_said_when_a_measure_asks(dataset_id, field, entity, message):
    found = groups.from_irds(dataset_id, field, entity=entity)
    with pytest.raises(ValueError, match=message):
        found.lookup(["1"], ["d01-01"])


def test_entity_is_checked():
    with pytest.raises(ValueError, match="entity='queries' is not possible"):
        groups.from_irds(DEBATES, "stance", entity="queries")


def test_documents_are_read_once(monkeypatch):
    from pt_fairness.io import irds as reading

    read = []
    real = reading.documents

    def counting(dataset_id, docnos, what):
        read.extend(docnos)
        return real(dataset_id, docnos, what)

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
        assert rows(found.lookup(["1", "1"], ["d01-01-and-more", "d01-01"])) == [
            ["1", "d01-01", "PRO"]]


def test_no_documents():
    assert groups.from_irds(DEBATES, "stance", ["PRO", "CON"]).lookup([], []).empty


def test_a_measure_gets_what_a_frame_would_give():
    docs = pd.DataFrame(ir_datasets.load(DEBATES).docs_iter())
    frame = groups.from_frame(
        docs.rename(columns={"doc_id": "docno", "stance": "group"})[["docno", "group"]])
    rng = np.random.default_rng(5)
    run = pd.DataFrame(
        [(str(q), docno, rng.random()) for q in range(1, 11) for docno in docs["doc_id"]],
        columns=["query_id", "doc_id", "score"])
    qrels = list(ir_datasets.load(DEBATES).qrels_iter())
    for measure in (rND @ 10, BiasP(rel=0) @ 5):
        options = dict(measure.params)
        ours = type(measure)(
            **options,
            groups=groups.from_irds(DEBATES, "stance", ["PRO", "CON"], name="debate stances"))
        value = ir_measures.calc_aggregate([ours], qrels, run)[ours]
        theirs = type(measure)(**options, groups=frame)
        assert value == pytest.approx(
            ir_measures.calc_aggregate([theirs], qrels, run)[theirs], abs=1e-12)
        assert value != 0


def test_they_travel_and_compare():
    found = groups.from_irds(DEBATES, "stance", ["PRO", "CON"])
    found.lookup(["1"], ["d01-01"])
    copy = pickle.loads(pickle.dumps(found))
    assert copy == found and rows(copy.lookup(["1"], ["d01-02"])) == rows(
        found.lookup(["1"], ["d01-02"]))
    assert found != groups.from_irds(DEBATES, "stance", ["PRO"])
    assert found != groups.from_irds(DEBATES, "stance", ["PRO", "CON"], entity="docs")
