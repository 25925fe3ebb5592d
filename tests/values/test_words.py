"""Values from the words of documents: neutrality, and differences of counts."""

import math
import pickle
import random

import ir_measures
import pandas as pd
import pytest
from slow_versions import words as slow

from pt_fairness import FairnessWarning, NFaiRR, RaB, values

WORDS = {"female": ["she", "her", "Mary"], "male": ["he", "his", "John"]}
THREE = {**WORDS, "child": ["child", "children"]}
TEXTS = {"d1": "she and her mother", "d2": "He said his dog saw her", "d3": "she he saw it",
         "d4": "he", "d5": "nothing here", "d6": "JOHN JOHN John mary"}


def passages(files, texts):
    files.msmarco(texts, {"1": "who"}, "".join(f"1 0 {docno} 1\n" for docno in texts), ["1"])


def numbers(source, docnos):
    return source.lookup(["1"] * len(docnos), list(docnos)).tolist()


@pytest.mark.parametrize("number, expected", [
    ("neutrality", [0, 2 / 3, 1, 1, 1, 0.5]),
    ("tc", [2, -1, 0, -1, 0, -2]),
    ("tf", [math.log(3), math.log(2 / 3), 0, -math.log(2), 0, -math.log(2)]),
    ("bool", [1, 0, 0, -1, 0, 0])])
def test_worked_values(files, number, expected):
    passages(files, TEXTS)
    assert numbers(values.from_text("msmarco-passage", WORDS, number), TEXTS) == pytest.approx(
        expected)


@pytest.mark.parametrize("seed", [1, 2])
def test_as_counted_one_by_one(files, seed):
    pick = random.Random(seed)
    tokens = ["she", "Her", "mary", "he", "his", "JOHN", "child", "the", "he.", "dogs"]
    texts = {f"d{i}": " ".join(pick.choices(tokens, k=pick.randrange(1, 9))) for i in range(60)}
    passages(files, texts)
    for words, threshold in ((WORDS, 1), (THREE, 1), (WORDS, 0), (THREE, 4)):
        found = values.from_text("msmarco-passage", words, threshold=threshold)
        counted = [slow.counts(text, words) for text in texts.values()]
        expected = [slow.neutrality(one, threshold) for one in counted]
        assert numbers(found, texts) == pytest.approx(expected)
        assert 2 / len(words) - 1 <= min(expected) < max(expected) == 1
    for number in ("tc", "tf", "bool"):
        found = values.from_text("msmarco-passage", WORDS, number)
        assert numbers(found, texts) == pytest.approx(
            [slow.difference(slow.counts(text, WORDS), number) for text in texts.values()])


def test_documents_that_the_corpus_lacks_have_no_value(files):
    passages(files, TEXTS)
    for number in ("neutrality", "tc", "tf", "bool"):
        found = values.from_text("msmarco-passage", WORDS, number)
        with pytest.warns(FairnessWarning, match="1 of 2 documents are not in the corpus"):
            assert numbers(found, ["d5", "d9"]) == pytest.approx(
                [float(number == "neutrality"), math.nan], nan_ok=True)


@pytest.mark.parametrize("words, options, message", [
    (WORDS, {"number": "count"},
     "number='count' is not possible; it takes 'neutrality', 'tc', 'tf' or 'bool'"),
    (THREE, {"number": "tc"}, "number='tc' needs the words of two groups, not of 'female', 'male', "
                              "'child'"),
    ({"female": ["she"]}, {}, "number='neutrality' needs the words of two groups or more, not of "
                              "'female'"),
    (WORDS, {"threshold": -1}, "threshold=-1 has to be a whole number of at least 0"),
    (WORDS, {"threshold": "1"}, "threshold='1' has to be a whole number of at least 0"),
])
def test_options_that_are_refused(words, options, message):
    with pytest.raises(ValueError, match=message):
        values.from_text("msmarco-passage", words, **options)


def test_names_and_representation(files):
    passages(files, TEXTS)
    found = values.from_text("msmarco-passage", WORDS, "tf")
    assert found.name == values.from_text("msmarco-passage", WORDS, "tf").name
    assert repr(found) == f"Values({found.name!r}, tf of female, male words)" and len(found) == 0
    others = [values.from_text("msmarco-passage", WORDS),
              values.from_text("msmarco-passage", WORDS, threshold=2),
              values.from_text("msmarco-passage", dict(reversed(WORDS.items())), "tf"),
              values.from_text("msmarco-passage", THREE)]
    assert len({found, *others}) == 5
    again = pickle.loads(pickle.dumps(found))
    assert again == found and numbers(again, ["d3"]) == [0]
    assert len(again) == 1


def test_measures_of_these_values_are_those_of_a_table(files):
    passages(files, TEXTS)
    qrels = pd.DataFrame({"query_id": "1", "doc_id": list(TEXTS), "relevance": 1})
    run = pd.DataFrame({"query_id": "1", "doc_id": [*TEXTS, "d9"], "score": range(7)})
    neutrality = values.from_text("msmarco-passage", WORDS)
    difference = values.from_text("msmarco-passage", WORDS, "tc")
    with pytest.warns(FairnessWarning, match="1 of 7 documents are not in the corpus"):
        known = {docno: number for docno, number in zip(
            [*TEXTS, "d9"], numbers(neutrality, [*TEXTS, "d9"]), strict=True)
            if not math.isnan(number)}
    measures = [NFaiRR(values=neutrality) @ 5, NFaiRR(values=values.from_mapping(known)) @ 5,
                RaB(values=difference) @ 3]
    with pytest.warns(FairnessWarning, match="1 of 3 documents are not in the corpus"):
        found = ir_measures.calc_aggregate(measures, qrels, run)
    assert found[measures[0]] == pytest.approx(found[measures[1]]) and 0 < found[measures[0]] < 1
    assert found[measures[2]] == pytest.approx(-2 / 3)  # d9 without value, d6, d5
