"""Counts of the words of groups, and values from them: neutrality and differences."""

import math
import pickle
import random
import re

import pytest
from case_marks import quick_cases
from one_test import each
from slow_versions import words as slow

from pt_fairness import FairnessWarning, groups, values
from pt_fairness.io.documents import WordCounts

PRONOUNS = {"female": ["she", "her"], "male": ["he", "his"]}


def counted(docnos, **options):
    found = WordCounts("msmarco-passage", **{"words": PRONOUNS, **options}).find(docnos, "words")
    return found.tolist()


def test_counts_by_group_in_the_order_of_the_documents(passages):
    passages({"d1": "She said her name , and HE said his ; she left", "d2": "they she's (he) hers",
              "d3": "Élodie\u00a0she"})
    assert counted(["d3", "d1", "d2", "d1"]) == [[1, 0], [3, 2], [0, 0], [3, 2]]
    assert counted([]) == []


def test_another_tokenizer_is_applied_to_words_and_texts(passages):
    passages({"d1": "She, (he) and hers. Mothers", "d2": "mother"})
    assert counted(["d1"], tokenize=re.compile(r"\w+").findall) == [[1, 1]]

    def stems(text):
        return [token.rstrip("s") for token in re.findall(r"\w+", text)]
    stemmed = {"female": ["hers", "Mothers"], "male": ["he"]}
    assert counted(["d1", "d2"], words=stemmed, tokenize=stems) == [[2, 1], [1, 0]]


def test_documents_that_are_not_in_the_corpus_are_unknown_with_one_warning(passages):
    passages({"d1": "he"})
    counts = WordCounts("msmarco-passage", PRONOUNS)
    with pytest.warns(FairnessWarning) as told:
        assert counts.find(["x", "d1", "x"], "gender").tolist() == [[-1, -1], [0, 1], [-1, -1]]
        assert counts.find(["y"], "gender").tolist() == [[-1, -1]]
    (message,) = (str(one.message) for one in told if one.category is FairnessWarning)
    for part in ("gender: 1 of 2 documents", "msmarco-passage", "'x'"):
        assert part in message


def test_documents_are_read_once_with_progress(passages, files, capfd):
    passages({"d1": "she", "d2": "he"})
    counts = WordCounts("msmarco-passage", PRONOUNS)
    assert counts.find(["d1"], "gender").tolist() == [[1, 0]]
    assert "gender:" in capfd.readouterr().err
    for file in (files.home / "msmarco-passage/collection.tsv.pklz4").iterdir():
        file.unlink()
    assert counts.find(["d1"], "gender").tolist() == [[1, 0]] and len(counts) == 1
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("words, message", [
    ({}, "words must be a dictionary"),
    ({"female": []}, "'female' with no words"),
    ({"female": ["she", "New York"]}, "one token, got 'New York' of the group "
                                      "'female'; tokenize makes 'new', 'york'"),
    ({"female": ["Jean"], "male": ["John", "jean"]},
     "'jean' in 'female' and 'male'"),
    ({1: ["she"], "1": ["he"]}, "got '1' twice"),
    ({"-": ["she"]}, "'-' with 'she'"),
])
def test_words_that_are_refused(words, message):
    for make in (groups.from_text, values.from_text):
        with pytest.raises(ValueError, match=message):
            make("msmarco-passage", words)


@each("dataset, message", [
    ("msmarco-passages", "no dataset 'msmarco-passages'"),
    ({"d1": "she"}, "no dataset {'d1': 'she'}"),
    ("neuclir", "must have documents")])
def test_datasets_without_documents(irds, dataset, message):
    with pytest.raises(ValueError, match=message):
        WordCounts(dataset, PRONOUNS).find(["d01-01"], "gender")


def test_one_word_as_text_and_labels_that_are_numbers(irds):
    counts = WordCounts("pt-fairness/debates", {1.0: "zoos"})
    assert counts.groups == ["1"] and counts.find(["d01-01"], "w").tolist() == [[4]]


WORDS = {"female": ["she", "her", "Mary"], "male": ["he", "his", "John"]}
THREE = {**WORDS, "child": ["child", "children"]}
TEXTS = {"d1": "she and her mother", "d2": "He said his dog saw her", "d3": "she he saw it",
         "d4": "he", "d5": "nothing here", "d6": "JOHN JOHN John mary"}


def from_text(words=WORDS, *options, **named):
    return values.from_text("msmarco-passage", words, *options, **named)


def numbers(source, docnos):
    return source.lookup(["1"] * len(docnos), list(docnos)).tolist()


@each("number, expected", [
    ("neutrality", [0, 2 / 3, 1, 1, 1, 0.5, math.nan]),
    ("tc", [2, -1, 0, -1, 0, -2, math.nan]),
    ("tf", [math.log(3), math.log(2 / 3), 0, -math.log(2), 0, -math.log(2), math.nan])])
def test_worked_values(passages, number, expected):
    passages(TEXTS)
    with pytest.warns(FairnessWarning, match="1 of 7"):
        assert numbers(from_text(number=number), [*TEXTS, "d9"]) == pytest.approx(
            expected, nan_ok=True)


@pytest.mark.parametrize("seed", quick_cases([1, 2], first=1))
def test_as_counted_one_by_one(passages, seed):
    pick = random.Random(seed)
    tokens = ["she", "Her", "mary", "he", "his", "JOHN", "child", "the", "he.", "dogs"]
    texts = {f"d{i}": " ".join(pick.choices(tokens, k=pick.randrange(1, 9))) for i in range(60)}
    passages(texts)
    for words in (WORDS, THREE):
        expected = [slow.neutrality(slow.counts(text, words), 1) for text in texts.values()]
        assert numbers(from_text(words), texts) == pytest.approx(expected)
        assert 2 / len(words) - 1 <= min(expected) < max(expected) == 1
    for number in ("tc", "tf", "bool"):
        assert numbers(from_text(number=number), texts) == pytest.approx(
            [slow.difference(slow.counts(text, WORDS), number) for text in texts.values()])


@each("words, options, message", [
    (WORDS, {"number": "count"}, "number must be 'neutrality', 'tc', "),
    (THREE, {"number": "tc"}, "two groups, got 'female', 'male', 'child'"),
    ({"female": ["she"]}, {}, "two groups or more, got 'female'")])
def test_options_that_are_refused(words, options, message):
    with pytest.raises(ValueError, match=message):
        from_text(words, **options)


def test_names_and_representation(passages):
    passages(TEXTS)
    found = from_text(WORDS, "tf")
    assert found.name == from_text(WORDS, "tf").name
    assert repr(found) == f"Values({found.name!r}, tf of female, male words)" and len(found) == 0
    others = [from_text(), from_text(THREE), from_text(dict(reversed(WORDS.items())), "tf")]
    assert len({found, *others}) == 4
    again = pickle.loads(pickle.dumps(found))
    assert again == found and numbers(again, ["d3"]) == [0] and len(again) == 1
