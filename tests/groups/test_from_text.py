"""Groups from the words of documents: labels, shares, and the neutral ones."""

import itertools
import pickle
import random
import re

import ir_measures
import pandas as pd
import pytest
from slow_versions import words as slow

from pt_fairness import AWRF, FairnessWarning, groups, rND, values

WORDS = {"male": ["he", "his", "John"], "female": ["she", "her", "Mary"],
         "child": ["child", "children"]}
TEXTS = {"d1": "she and her mother", "d2": "He said his dog saw her", "d3": "she he saw it",
         "d4": "he", "d5": "nothing here", "d6": "JOHN JOHN mary children"}


def passages(files, texts):
    files.msmarco(texts, {"1": "who"}, "".join(f"1 0 {docno} 1\n" for docno in texts), ["1"])


def random_texts(seed, count=60):
    pick = random.Random(seed)
    tokens = [*itertools.chain(*WORDS.values()), "the", "Mary,", "SHE", "children"]
    return {f"d{i}": " ".join(pick.choices(tokens, k=pick.randrange(9))) or "." for i in
            range(count)}


def found_by_document(source, texts):
    frame = source.lookup(["1"] * len(texts), list(texts))
    weights = frame["weight"] if "weight" in frame else [1.0] * len(frame)
    found = {}
    for docno, group, weight in zip(frame["docno"], frame["group"], weights, strict=True):
        found.setdefault(docno, {})[group] = weight
    return found


def test_the_group_with_the_most_words(files):
    passages(files, TEXTS)
    found = groups.from_text("msmarco-passage", WORDS)
    assert found.labels == ["child", "female", "male", "neutral"]
    assert found.complete and not found.weighted
    rows = found.lookup(["1"] * 6, list(TEXTS))
    assert rows["docno"].tolist() == list(TEXTS)
    assert rows["group"].tolist() == ["female", "male", "neutral", "neutral", "neutral", "male"]


def test_shares_of_the_words(files):
    passages(files, TEXTS)
    found = groups.from_text("msmarco-passage", WORDS, shares=True)
    assert found.weighted
    assert found_by_document(found, TEXTS) == {
        "d1": {"female": 2}, "d2": {"male": 2, "female": 1}, "d3": {"male": 1, "female": 1},
        "d4": {"neutral": 1}, "d5": {"neutral": 1}, "d6": {"male": 2, "female": 1, "child": 1}}


@pytest.mark.parametrize("threshold", [0, 1, 3])
@pytest.mark.parametrize("seed", [1, 2])
def test_as_counted_one_by_one(files, threshold, seed):
    texts = random_texts(seed)
    passages(files, texts)
    counted = {docno: slow.counts(text, WORDS) for docno, text in texts.items()}
    labels = groups.from_text("msmarco-passage", WORDS, "none of them", threshold=threshold)
    assert found_by_document(labels, texts) == {
        docno: {slow.label(found, threshold, "none of them"): 1.0}
        for docno, found in counted.items()}
    soft = groups.from_text("msmarco-passage", WORDS, shares=True, threshold=threshold)
    for docno, found in found_by_document(soft, texts).items():
        total = sum(found.values())
        assert {group: weight / total for group, weight in found.items()} == pytest.approx(
            slow.shares(counted[docno], threshold, "neutral"))


def test_neutral_documents_without_a_label(files):
    passages(files, TEXTS)
    for shares, unannotated in ((False, {"d3", "d4", "d5"}), (True, {"d4", "d5"})):
        found = groups.from_text("msmarco-passage", WORDS, None, shares=shares)
        assert found.labels == ["child", "female", "male"]
        assert found_by_document(found, TEXTS).keys() == TEXTS.keys() - unannotated


def test_documents_that_the_corpus_lacks_are_unannotated(files):
    passages(files, TEXTS)
    for shares in (False, True):
        found = groups.from_text("msmarco-passage", WORDS, shares=shares)
        with pytest.warns(FairnessWarning, match="1 of 2 documents are not in the corpus"):
            assert found_by_document(found, ["d5", "d9"]) == {"d5": {"neutral": 1}}


@pytest.mark.parametrize("columns", [["docno", "text"], ["doc_id", "text"]])
def test_texts_of_a_frame(files, columns):
    texts = random_texts(3)
    passages(files, texts)
    frame = pd.DataFrame(texts.items(), columns=columns)
    for options in ({}, {"shares": True}, {"threshold": 0, "neutral": None}):
        found, expected = (groups.from_text(source, WORDS, **options)
                           for source in (frame, "msmarco-passage"))
        assert found_by_document(found, texts) == found_by_document(expected, texts)
    numbers, expected = (values.from_text(source, {"a": ["he"], "b": ["she"]}, "tc").lookup(
        ["1"] * len(texts), [*texts]) for source in (frame, "msmarco-passage"))
    assert numbers.tolist() == expected.tolist() and any(numbers)
    again = groups.from_text(frame, WORDS)
    assert again.name == groups.from_text(frame.iloc[::-1], WORDS).name
    assert again.name != groups.from_text(frame.replace({"text": {"he": "she"}}), WORDS).name
    assert found_by_document(pickle.loads(pickle.dumps(again)), texts) == \
        found_by_document(again, texts)
    with pytest.warns(FairnessWarning, match="1 of 1 documents are not in the frame of texts"):
        assert again.lookup(["1"], ["x"]).empty


@pytest.mark.parametrize("frame, message", [
    ({"docno": ["a"], "body": ["she"]}, "needs the columns docno, text and has docno, body"),
    ({"document": ["a"], "text": ["she"]}, "needs the columns docno, text and has document"),
    ({"docno": ["a", "a"], "text": ["she", "he"]}, "two texts of the document 'a'"),
    ({"docno": ["a"], "text": [None]}, "of 'a' in the frame of texts is None; it has to be text")])
def test_frames_of_texts_that_are_refused(frame, message):
    with pytest.raises(ValueError, match=message):
        groups.from_text(pd.DataFrame(frame), WORDS).lookup(["1"], ["a"])


def test_unicode_and_no_documents(files):
    passages(files, {"дока": "Она и она", "d2": "ОНА"})
    found = groups.from_text("msmarco-passage", {"ж": ["ОНА"]}, "нет")
    assert found_by_document(found, ["дока", "d2"]) == {"дока": {"ж": 1}, "d2": {"нет": 1}}
    assert found.lookup([], []).empty


@pytest.mark.parametrize("options, message", [
    ({"neutral": "male"}, r"neutral='male' has to be another label than those of the groups "
                          r"\('male', 'female', 'child'\), or None"),
    ({"neutral": "-"}, "neutral='-' has to be another label"),
    ({"neutral": ""}, "neutral='' has to be another label"),
    ({"neutral": float("nan")}, "neutral=nan has to be another label"),
    ({"threshold": -1}, "threshold=-1 has to be a whole number of at least 0"),
    ({"threshold": 0.5}, "threshold=0.5 has to be a whole number"),
    ({"order": ["male", "neutral"]}, "lacks the label 'child'"),
])
def test_options_that_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        groups.from_text("msmarco-passage", WORDS, **options)


def test_an_order_for_ordinal_measures():
    order = ["male", "neutral", "child", "female"]
    assert groups.from_text("msmarco-passage", WORDS, order=order).order == order


def test_the_name_depends_on_the_parameters():
    def name(*given, **options):
        return groups.from_text(*(given or ("msmarco-passage", WORDS)), **options).name
    assert name() == name() and name(name="gender") == "gender"
    others = [name(shares=True), name(threshold=2), name(field="text"), name(neutral="x"),
              name(tokenize=re.compile(r"\w+").findall),
              name(tokenize=re.compile("[a-z]+").findall), name("vaswani", WORDS),
              name("msmarco-passage", {**WORDS, "male": ["he"]})]
    assert len({name(), *others}) == len(others) + 1
    assert name(tokenize=re.compile("[a-z]+").findall) == others[5]


def test_it_can_be_pickled(files):
    passages(files, TEXTS)
    found = pickle.loads(pickle.dumps(groups.from_text("msmarco-passage", WORDS, shares=True)))
    assert found_by_document(found, ["d2"]) == {"d2": {"male": 2, "female": 1}}


def test_measures_of_these_groups_are_those_of_the_same_groups_in_a_table(files):
    texts = random_texts(5)
    passages(files, texts)
    qrels = pd.DataFrame({"query_id": "1", "doc_id": list(texts), "relevance": 1})
    run = pd.DataFrame({"query_id": "1", "doc_id": list(texts)[::-1],
                        "score": range(len(texts))})
    for shares in (False, True):
        found = groups.from_text("msmarco-passage", WORDS, shares=shares)
        table = groups.from_mapping({
            docno: (slow.shares if shares else slow.label)(slow.counts(text, WORDS), 1, "neutral")
            for docno, text in texts.items()})
        for measure in (AWRF, rND(protected="female")):
            pair = [measure(groups=one) @ 10 for one in (found, table)]
            value = ir_measures.calc_aggregate(pair, qrels, run)
            assert value[pair[0]] == pytest.approx(value[pair[1]], abs=1e-12) and value[pair[0]] > 0
