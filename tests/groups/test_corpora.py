"""Groups from any field of ir_datasets, and from the words of documents."""

import itertools
import pickle
import random
import re
import warnings
from enum import Enum

import ir_datasets
import ir_measures
import pandas as pd
import pytest
from group_rows import rows
from slow_versions import words as slow

from pt_fairness import AWRF, FairnessWarning, groups, values
from pt_fairness.io import documents as reading

DEBATES = "pt-fairness/debates"


@pytest.fixture(scope="module")
def docs():
    """The documents of the debates by id."""
    return {doc.doc_id: doc for doc in ir_datasets.load(DEBATES).docs_iter()}


def test_a_field_of_documents(docs):
    found = groups.from_irds(DEBATES, "stance")
    assert found.name == "pt-fairness/debates/stance"
    assert found.labels is None and not found.complete
    with warnings.catch_warnings():
        warnings.simplefilter("error", FairnessWarning)  # "-" is no stance, and no surprise
        assert rows(found, docs) == ", ".join(
            f"1 {docno} {doc.stance}" for docno, doc in docs.items() if doc.stance != "-")
    assert found.lookup([], []).empty
    registered = groups.get(f"{DEBATES}/stance")
    assert registered.labels == ["CON", "PRO"] and rows(registered, ["d01-01"]) == "1 d01-01 PRO"
    assert groups.get(f"{DEBATES}/viewpoint").labels == ["-1", "-2", "-3", "0", "1", "2", "3"]


def test_numbers_become_labels_and_others_than_the_labels_no_group(docs):
    found = groups.from_irds(DEBATES, "viewpoint", labels=range(-3, 3))
    assert found.complete and found.labels == ["-1", "-2", "-3", "0", "1", "2"]
    highest = [docno for docno, doc in docs.items() if doc.viewpoint == 3]
    says = rf"{len(highest)} of {len(docs)} documents .* '{highest[0]}', the value '3'"
    with pytest.warns(FairnessWarning, match=says):
        assert rows(found, docs) == ", ".join(
            f"1 {docno} {doc.viewpoint}" for docno, doc in docs.items() if doc.viewpoint < 3)


class Size(Enum):
    LONG = 1
    SHORT = 2


@pytest.mark.parametrize("field, groups_of", [
    (lambda doc: Size.LONG if len(doc.text) > 600 else Size.SHORT,
     lambda doc: ["LONG" if len(doc.text) > 600 else "SHORT"]),
    (lambda doc: doc.title.split()[:2], lambda doc: sorted(set(doc.title.split()[:2]))),
    (lambda doc: {doc.stance, "any"}, lambda doc: sorted({doc.stance, "any"} - {"-"})),
    (lambda doc: float("nan"), lambda doc: []), (lambda doc: None, lambda doc: [])])
@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
def test_a_function_of_the_document(docs, field, groups_of):
    first = [*docs][:20]
    found = groups.from_irds(DEBATES, field).lookup(["7"] * 20, first).values.tolist()
    assert sorted(found) == sorted(
        ["7", docno, group] for docno in first for group in groups_of(docs[docno]))


def test_a_field_of_judgments():
    found = groups.from_irds(DEBATES, "relevance", labels=["0", "1", "2"])
    qrels = [*ir_datasets.load(DEBATES).qrels_iter()]
    assert rows(found, [*(q.doc_id for q in qrels), "d01-01"],
                [*(q.query_id for q in qrels), "9"]) == ", ".join(
        f"{q.query_id} {q.doc_id} {q.relevance}" for q in qrels)
    # Which entity has a field.
    assert rows(groups.from_irds(f"{DEBATES}/stance", "iteration"), ["d01-01"]) == "1 d01-01 PRO"
    by_document = groups.from_irds(DEBATES, "doc_id")
    assert rows(by_document, ["d01-01"], "5") == "5 d01-01 d01-01"


@pytest.mark.parametrize("dataset_id, field, says", [
    (DEBATES, "colour", "'stance', 'viewpoint'.*'iteration'.*got 'colour'"),
    ("no/such", "stance", "ir_datasets has no dataset 'no/such'"),
    (DEBATES, lambda document: document.premises[0],
     "the function for the groups of 'd01-01' in pt-fairness/debates raised AttributeError")])
def test_fields_that_cannot_be_had(dataset_id, field, says):
    with pytest.raises(ValueError, match=says):
        groups.from_irds(dataset_id, field).lookup(["1"], ["d01-01"])


def test_documents_are_read_once_and_missing_ones_counted(monkeypatch):
    read = []
    real = reading.documents

    def counting(dataset_id, docnos, what):
        read.extend(docnos)
        return real(dataset_id, docnos, what)

    monkeypatch.setattr(reading, "documents", counting)
    found = groups.from_irds(DEBATES, lambda doc: None if "d01-1" in doc.doc_id else doc.stance)
    rows(found, ["d01-01", "d01-01"], "12")
    rows(found, ["d01-01", "d01-02"], "12")
    assert read == ["d01-01", "d01-02"]
    with pytest.warns(FairnessWarning, match=r"2 of 4 .*'d01-01-and-more'"):
        rows(found, ["d01-01-and-more", "d01-10", "d01-01", "d01-02"])
    rows(found, ["d01-01-and-more"])
    assert read[2:] == ["d01-01-and-more", "d01-10"], "what is missing is known to be"


WORDS = {"male": ["he", "his", "John"], "female": ["she", "her", "Mary"],
         "child": ["child", "children"]}
TEXTS = {"d1": "she and her mother", "d2": "He said his dog saw her", "d3": "she he saw it",
         "d4": "he", "d5": "nothing here", "d6": "JOHN JOHN mary children"}


def random_texts(seed, count=60):
    pick = random.Random(seed)
    tokens = [*itertools.chain(*WORDS.values()), "the", "Mary,", "SHE", "children"]
    return {f"d{i}": " ".join(pick.choices(tokens, k=pick.randrange(9))) or "."
            for i in range(count)}


def of_words(*arguments, **options):
    return groups.from_text("msmarco-passage", WORDS, *arguments, **options)


def found_by_document(source, texts):
    found = {}
    for _, docno, group, *weight in source.lookup(["1"] * len(texts), [*texts]).values.tolist():
        found.setdefault(docno, {})[group] = weight[0] if weight else 1
    return found


def test_the_group_with_the_most_words(passages):
    passages({**TEXTS, "дока": "Она и она"})
    found = of_words()
    assert found.labels == ["child", "female", "male", "neutral"]
    assert found.complete and not found.weighted and found.lookup([], []).empty
    assert rows(found, TEXTS) == ("1 d1 female, 1 d2 male, 1 d3 neutral, 1 d4 neutral, "
                                  "1 d5 neutral, 1 d6 male")
    shares = of_words(shares=True)
    by_document = {
        "d1": {"female": 2}, "d2": {"male": 2, "female": 1}, "d3": {"male": 1, "female": 1},
        "d4": {"neutral": 1}, "d5": {"neutral": 1}, "d6": {"male": 2, "female": 1, "child": 1}}
    assert shares.weighted and found_by_document(shares, TEXTS) == by_document
    assert found_by_document(pickle.loads(pickle.dumps(shares)), TEXTS) == by_document
    # Neutral documents without a label.
    for options, unannotated in (({}, {"d3", "d4", "d5"}), ({"shares": True}, {"d4", "d5"})):
        found = of_words(None, **options)
        assert found.labels == ["child", "female", "male"]
        assert found_by_document(found, TEXTS).keys() == TEXTS.keys() - unannotated
    for found in (of_words(), shares):
        with pytest.warns(FairnessWarning, match="1 of 2"):
            assert found_by_document(found, ["d5", "d9"]) == {"d5": {"neutral": 1}}
    russian = groups.from_text("msmarco-passage", {"ж": ["ОНА"]}, "нет")
    assert rows(russian, ["дока", "d2"]) == "1 дока ж, 1 d2 нет"


def test_as_counted_one_by_one(passages):
    texts = random_texts(1)
    passages(texts)
    counted = {docno: slow.counts(text, WORDS) for docno, text in texts.items()}
    labels = of_words("none of them")
    assert found_by_document(labels, texts) == {
        docno: {slow.label(found, 1, "none of them"): 1.0}
        for docno, found in counted.items()}
    soft = of_words(shares=True)
    for docno, found in found_by_document(soft, texts).items():
        total = sum(found.values())
        assert {group: weight / total for group, weight in found.items()} == pytest.approx(
            slow.shares(counted[docno], 1, "neutral"))
    # A measure reads the labels and the shares.
    table = groups.from_mapping({docno: slow.shares(found, 1, "neutral")
                                 for docno, found in counted.items()})
    qrels = pd.DataFrame({"query_id": "1", "doc_id": [*texts], "relevance": 1})
    measures = [AWRF(groups=source) @ 10 for source in (soft, table)]
    one, two = ir_measures.calc_aggregate(
        measures, qrels, qrels.assign(score=range(len(texts)))).values()
    assert one == pytest.approx(two, abs=1e-12) and one > 0


@pytest.mark.parametrize("columns", [["docno", "text"], ["doc_id", "text"]])
def test_texts_of_a_frame(passages, columns):
    texts = random_texts(3)
    passages(texts)
    frame = pd.DataFrame(texts.items(), columns=columns)
    for options in ({}, {"shares": True}, {"neutral": None}):
        found = groups.from_text(frame, WORDS, **options)
        assert found_by_document(found, texts) == found_by_document(of_words(**options), texts)
    numbers, expected = (values.from_text(source, {"a": ["he"], "b": ["she"]}, "tc").lookup(
        ["1"] * len(texts), [*texts]) for source in (frame, "msmarco-passage"))
    assert numbers.tolist() == expected.tolist() and any(numbers)
    again = groups.from_text(frame, WORDS)
    assert again.name == groups.from_text(frame.iloc[::-1], WORDS).name
    assert again.name != groups.from_text(frame.replace({"text": {"he": "she"}}), WORDS).name
    assert rows(pickle.loads(pickle.dumps(again)), texts) == rows(again, texts)
    with pytest.warns(FairnessWarning, match="1 of 1 .*frame"):
        assert again.lookup(["1"], ["x"]).empty


@pytest.mark.parametrize("frame, says", [
    ({"docno": ["a"], "body": ["she"]}, "no column 'text'.* has docno, body"),
    ({"document": ["a"], "text": ["she"]}, "no column 'docno'"),
    ({"docno": ["a", "a"], "text": ["she", "he"]}, "one text of each document, got two of 'a'"),
    ({"docno": ["a"], "text": [None]}, "'a' .*frame of texts must be text, got None")])
def test_frames_of_texts_that_are_refused(frame, says):
    with pytest.raises(ValueError, match=says):
        groups.from_text(pd.DataFrame(frame), WORDS).lookup(["1"], ["a"])


@pytest.mark.parametrize("options, says", [
    ({"neutral": "male"}, "neutral must be .*got 'male'"),
    ({"neutral": "-"}, "neutral must be .*got '-'"),
    ({"neutral": ""}, "neutral must be .*got ''"),
    ({"neutral": float("nan")}, "neutral must be .*got nan"),
    ({"order": ["male", "neutral"]}, "without 'child'")])
def test_options_that_are_refused(options, says):
    with pytest.raises(ValueError, match=says):
        of_words(**options)


def test_the_name_depends_on_the_parameters():
    letters = re.compile("[a-z]+").findall
    sources = [
        of_words(), of_words(shares=True),
        of_words(neutral="x"), of_words(tokenize=re.compile(r"\w+").findall),
        of_words(tokenize=letters), groups.from_text("vaswani", WORDS),
        groups.from_text("msmarco-passage", {**WORDS, "male": ["he"]})]
    assert len({source.name for source in sources}) == len(sources)
    assert of_words().name == sources[0].name and of_words(name="gender").name == "gender"
    assert of_words(tokenize=re.compile("[a-z]+").findall).name == sources[4].name
    order = ["male", "neutral", "child", "female"]
    assert of_words(order=order).order == order
