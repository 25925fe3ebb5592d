"""Values from the words of documents: neutrality, and differences of counts."""

import math
import pickle
import random

import pytest
from case_marks import quick_cases
from one_test import each
from slow_versions import words as slow

from pt_fairness import FairnessWarning, values

WORDS = {"female": ["she", "her", "Mary"], "male": ["he", "his", "John"]}
THREE = {**WORDS, "child": ["child", "children"]}
TEXTS = {"d1": "she and her mother", "d2": "He said his dog saw her", "d3": "she he saw it",
         "d4": "he", "d5": "nothing here", "d6": "JOHN JOHN John mary"}


@pytest.fixture
def passages(files):
    """``passages(texts)``: makes them MS MARCO's."""
    return lambda texts: files.msmarco(
        texts, {"1": "who"}, "".join(f"1 0 {docno} 1\n" for docno in texts), ["1"])


def from_text(words=WORDS, *options, **named):
    return values.from_text("msmarco-passage", words, *options, **named)


def numbers(source, docnos):
    return source.lookup(["1"] * len(docnos), list(docnos)).tolist()


@each("number, expected", [
    ("neutrality", [0, 2 / 3, 1, 1, 1, 0.5, math.nan]),
    ("tc", [2, -1, 0, -1, 0, -2, math.nan]),
    ("tf", [math.log(3), math.log(2 / 3), 0, -math.log(2), 0, -math.log(2), math.nan]),
    ("bool", [1, 0, 0, -1, 0, 0, math.nan])])
def test_worked_values(passages, number, expected):
    passages(TEXTS)
    with pytest.warns(FairnessWarning, match="1 of 7 documents are not in the corpus"):
        assert numbers(from_text(number=number), [*TEXTS, "d9"]) == pytest.approx(
            expected, nan_ok=True)


@pytest.mark.parametrize("seed", quick_cases([1, 2], first=1))
def test_as_counted_one_by_one(passages, seed):
    pick = random.Random(seed)
    tokens = ["she", "Her", "mary", "he", "his", "JOHN", "child", "the", "he.", "dogs"]
    texts = {f"d{i}": " ".join(pick.choices(tokens, k=pick.randrange(1, 9))) for i in range(60)}
    passages(texts)
    for words, threshold in ((WORDS, 1), (THREE, 1), (WORDS, 0), (THREE, 4)):
        expected = [slow.neutrality(slow.counts(text, words), threshold) for text in texts.values()]
        assert numbers(from_text(words, threshold=threshold), texts) == pytest.approx(expected)
        assert 2 / len(words) - 1 <= min(expected) < max(expected) == 1
    for number in ("tc", "tf", "bool"):
        assert numbers(from_text(number=number), texts) == pytest.approx(
            [slow.difference(slow.counts(text, WORDS), number) for text in texts.values()])


@each("words, options, message", [
    (WORDS, {"number": "count"}, "number must be 'neutrality', 'tc', "),
    (THREE, {"number": "tc"}, "two groups, got 'female', 'male', 'child'"),
    ({"female": ["she"]}, {}, "two groups or more, got 'female'"),
    (WORDS, {"threshold": -1}, "threshold.*whole number of at least 0"),
    (WORDS, {"threshold": "1"}, "threshold.*whole number of at least 0")])
def test_options_that_are_refused(words, options, message):
    with pytest.raises(ValueError, match=message):
        from_text(words, **options)


def test_names_and_representation(passages):
    passages(TEXTS)
    found = from_text(WORDS, "tf")
    assert found.name == from_text(WORDS, "tf").name
    assert repr(found) == f"Values({found.name!r}, tf of female, male words)" and len(found) == 0
    others = [from_text(), from_text(threshold=2), from_text(THREE),
              from_text(dict(reversed(WORDS.items())), "tf")]
    assert len({found, *others}) == 5
    again = pickle.loads(pickle.dumps(found))
    assert again == found and numbers(again, ["d3"]) == [0] and len(again) == 1
