"""Counts of the words of groups: what they count, and words that are refused."""

import re

import pytest
from one_test import each

from pt_fairness import groups, values
from pt_fairness.core.messages import FairnessWarning
from pt_fairness.io.documents import WordCounts

WORDS = {"female": ["she", "her"], "male": ["he", "his"]}


@pytest.fixture
def passages(files):
    """``passages({docno: text})``: the passages of MS MARCO."""
    return lambda texts: files.msmarco(texts, {"1": "who"}, "1 0 d1 1\n", ["1"])


def counted(docnos, **options):
    found = WordCounts("msmarco-passage", **{"words": WORDS, **options}).find(docnos, "words")
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
    counts = WordCounts("msmarco-passage", WORDS)
    with pytest.warns(FairnessWarning) as told:
        assert counts.find(["x", "d1", "x"], "gender").tolist() == [[-1, -1], [0, 1], [-1, -1]]
        assert counts.find(["y"], "gender").tolist() == [[-1, -1]]
    assert [str(one.message) for one in told if one.category is FairnessWarning] == [
        "gender: 1 of 2 documents are not in the corpus msmarco-passage (the first: 'x'), so that "
        "their words are unknown"]


def test_documents_are_read_once_with_progress(passages, files, capfd):
    passages({"d1": "she", "d2": "he"})
    counts = WordCounts("msmarco-passage", WORDS)
    assert counts.find(["d1"], "gender").tolist() == [[1, 0]]
    assert "gender:" in capfd.readouterr().err
    for file in (files.home / "msmarco-passage/collection.tsv.pklz4").iterdir():
        file.unlink()
    assert counts.find(["d1"], "gender").tolist() == [[1, 0]] and len(counts) == 1
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("words, message", [
    ({}, "words must be a dictionary"),
    (["she"], r"words must be a dictionary.*\['she'\]"),
    ({"female": []}, "'female' with no words"),
    ({"female": ["she", "New York"]}, "one token, got 'New York' of the group "
                                      "'female'; tokenize makes 'new', 'york'"),
    ({"female": [" "]}, "' ' .* makes none of it"),
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
        WordCounts(dataset, WORDS).find(["d01-01"], "gender")


def test_one_word_as_text_and_labels_that_are_numbers(irds):
    counts = WordCounts("pt-fairness/debates", {1.0: "zoos"})
    assert counts.groups == ["1"] and counts.find(["d01-01"], "w").tolist() == [[4]]
