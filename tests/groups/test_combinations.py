"""Products of groups, and probabilities of true labels from error rates."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest
from group_rows import rows
from hypothesis import given
from hypothesis import strategies as st
from slow_versions.common import source_of
from slow_versions.product import product

from pt_fairness import evaluate, groups
from pt_fairness.io import documents as reading

GENDER = groups.from_mapping({"a": "f", "b": ["f", "m"], "c": "m"})
REGION = groups.from_mapping({"a": "Asia", "b": ["Asia", "Europe"], "d": "Asia"})


def test_labels_are_joined(registered_groups, tmp_path):
    both = groups.product(GENDER, REGION)
    assert rows(both, "abcd") == ("1 a f|Asia, 1 b f|Asia, 1 b f|Europe, 1 b m|Asia, "
                                  "1 b m|Europe")
    assert both.labels == ["f|Asia", "f|Europe", "m|Asia", "m|Europe"]
    assert both.complete and both.blockwise and both.topics is None
    filled = groups.product(GENDER, REGION, missing="?")
    assert rows(filled, "cdx") == "1 c m|?, 1 d ?|Asia"
    assert len(filled.labels) == 9 and "?|?" in filled.labels
    # Labels are declared if all sources declare them.
    undeclared = groups.product(GENDER, groups.from_pattern("[a-z]"))
    assert undeclared.labels is None and not undeclared.complete
    assert rows(undeclared, "abcd") == "1 a f|a, 1 b f|b, 1 b m|b, 1 c m|c"
    (tmp_path / "age.csv").write_text("qid,docno,group\n1,a,old\n2,a,young\n")
    registered_groups("gender", GENDER)
    named = groups.product("gender", REGION, tmp_path / "age.csv", name="all")
    assert named.name == "all" and rows(named, "aa", "21") == "2 a f|Asia|young, 1 a f|Asia|old"


@pytest.mark.parametrize("made, says", [
    (lambda: groups.product(GENDER), "at least two sources, got 1"),
    (lambda: groups.product(GENDER, groups.from_mapping({"a": "x|y"})), r"got 'x\|y'"),
    (lambda: groups.product(GENDER, REGION, missing="|"), r"got '\|'"),
    (lambda: rows(groups.product(GENDER, groups.from_pattern(r"[a|]+")), ["a|"]), r"got 'a\|'"),
    (lambda: groups.product(GENDER, "nothing"), "no groups are registered as 'nothing'")])
def test_what_is_no_product(made, says):
    with pytest.raises(ValueError, match=says):
        made()


@pytest.mark.parametrize("combined", [
    lambda judged: groups.product(GENDER, judged), lambda judged: groups.model_labels(judged, {}),
    lambda judged: judged.override(pd.DataFrame({"docno": ["a"], "group": ["0"]})),
    lambda judged: judged.relabel({"1": {"1": "yes"}}),
    lambda judged: groups.with_error_rates(judged, {label: {"A": 1.0} for label in "012"})])
def test_judgments_are_read_when_groups_are_needed(combined, monkeypatch):
    read = []
    dataset = reading.dataset
    monkeypatch.setattr(reading, "dataset", lambda name: read.append(name) or dataset(name))
    source = combined(groups.from_irds("pt-fairness/debates", "relevance", ["0", "1", "2"]))
    assert not read
    assert source.judged and source.by_topic and read


@pytest.mark.parametrize("missing", [None, "?"])
def test_against_the_slow_version(missing):
    generator = np.random.default_rng(7)
    docnos = [f"d{i}" for i in range(40)]

    def mapping(labels):
        found = {}
        for docno in docnos:
            own = [label for label in labels if generator.random() < 0.4]
            if own and generator.random() < 0.8:
                soft = generator.random() < 0.5
                found[docno] = {one: float(generator.random()) for one in own} if soft else own
        return found

    for _ in range(4):
        sources = [mapping("ABC"), mapping(["low", "high"]), mapping("xy")]
        both = groups.product(*map(groups.from_mapping, sources), missing=missing)
        expected = product(*(source_of(one, docnos) for one in sources), missing=missing)
        assert set(both.labels) == expected.labels
        found = both.lookup(["1"] * 40, docnos)
        assert set(found["docno"]) == expected.of.keys()
        for docno, rows_of in found.groupby("docno"):
            own = expected.of[docno]
            assert rows_of["weight"].notna().all() == own.soft
            weight = rows_of["weight"].fillna(1 / len(rows_of))
            shares = dict(zip(rows_of["group"], weight, strict=True))
            assert shares == pytest.approx(own.shares(expected.labels))


def test_a_product_of_many_sources_builds_what_occurs():
    tracemalloc.start()
    many = groups.product(*[groups.from_mapping({"a": "x", "b": "y"}) for _ in range(24)])
    found = rows(many, "ab")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert found == f"1 a {'|'.join('x' * 24)}, 1 b {'|'.join('y' * 24)}" and peak < 50e6
    assert many.labels is None and not many.complete


GUESSED = groups.from_mapping({"a": "F", "b": "M"})
RATES = {"F": {"F": 0.9, "M": 0.1}, "M": {"F": 0.25, "M": 0.75}}


def test_probabilities_of_true_labels():
    source = groups.with_error_rates(GUESSED, RATES, name="probable")
    assert source.name == "probable" and source.labels == ["F", "M"] and not source.by_topic
    assert rows(source, "axb") == "1 a F 0.9, 1 a M 0.1, 1 b F 0.25, 1 b M 0.75"
    # Certain and new labels.
    other = groups.with_error_rates(GUESSED, {"F": {"F": 1, "M": 0}, "M": {"M": 0.5, "X": 0.5}})
    assert other.labels == ["F", "M", "X"] and rows(other, "ab") == "1 a F 1, 1 b M 0.5, 1 b X 0.5"
    same = groups.with_error_rates(GUESSED, RATES)
    assert same.name == groups.with_error_rates(GUESSED, RATES).name != other.name
    frame = pd.DataFrame({"qid": ["1", "2"], "docno": "a", "group": ["F", "M"]})
    by_topic = groups.with_error_rates(groups.from_frame(frame, order=["M", "F"]), RATES)
    assert by_topic.by_topic and by_topic.order == ["M", "F"]
    assert rows(by_topic, "aa", "12") == "1 a F 0.9, 1 a M 0.1, 2 a F 0.25, 2 a M 0.75"


@given(st.lists(st.floats(0.01, 1), min_size=6, max_size=6), st.floats(0.01, 0.99))
def test_bayes(numbers, share):
    errors = np.array(numbers).reshape(2, 3)
    errors /= errors.sum(axis=1, keepdims=True)
    rates = {truth: dict(zip("FMX", row, strict=True))
             for truth, row in zip("fm", errors, strict=True)}
    prior = {"f": share, "m": 1 - share}
    guessed = groups.from_mapping({"F": "F", "M": "M", "X": "X"})
    frame = groups.with_error_rates(guessed, rates, prior).lookup(["1"] * 3, [*"FMX"])
    for label, rows_of in frame.groupby("docno"):
        joint = {truth: prior[truth] * rates[truth][label] for truth in "fm"}
        assert dict(zip(rows_of["group"], rows_of["weight"], strict=True)) == pytest.approx(
            {truth: joint[truth] / sum(joint.values()) for truth in "fm"})


@pytest.mark.parametrize("rates, prior, says", [
    ({"F": {"F": 0.9}, "M": {"M": 1}}, None, "the probabilities of 'F' in rates"),
    ({"F": {"F": 1.5, "M": -0.5}, "M": {"M": 1}}, None, "at least 0 and sum to 1"),
    ({"F": {"F": float("nan"), "M": 1}, "M": {"M": 1}}, None, "of 'F' in rates .*nan"),
    ({"F": {"F": 1}}, None, "rates must .*without 'M'"),
    (RATES, {"F": 0.5, "M": 0.6}, "the probabilities of 'prior' in prior"),
    (RATES, {"F": 1}, "prior must .*'F', 'M', got 'F'"),
    ({"F": {"F": 1}, "M": {"F": 1}}, {"F": 0.5, "M": 0.5}, "without 'M'"),
    ({"F": {"F": 1}, "M": {"M": 1}}, {"F": 1, "M": 0}, "a probability above 0.*'M'"),
    ({"F": 1}, None, "must be a dictionary")])
def test_wrong_rates(rates, prior, says):
    with pytest.raises(ValueError, match=says):
        groups.with_error_rates(GUESSED, rates, prior)


@pytest.mark.parametrize("labels, says", [
    ({"a": ["F", "M"]}, "got 'a' with several labels"),
    ({"a": {"F": 0.5, "M": 0.5}}, "got 'a' with several labels"),
    ({"a": {"F": 2}}, "got 'a' with weights")])
def test_wrong_documents(labels, says):
    source = groups.with_error_rates(groups.from_mapping(labels), RATES)
    with pytest.raises(ValueError, match=says):
        source.lookup(["1"], ["a"])


def test_labels_that_are_not_declared():
    source = groups.with_error_rates(groups.from_pattern("^[A-Z]+"), RATES)
    assert rows(source, ["F-1"]) == "1 F-1 F 0.9, 1 F-1 M 0.1"
    with pytest.raises(ValueError, match="without 'X'"):
        source.lookup(["1"], ["X-1"])


def test_human_labels_that_are_not_known_beforehand():
    model = groups.from_mapping({"A1": "A", "B1": "B", "C1": "B"})
    both = groups.model_labels(model, groups.from_pattern("^C"))
    qrels = pd.DataFrame({"qid": "1", "docno": ["A1", "B1", "C1"], "label": 1})
    run = qrels.assign(score=[3.0, 2.0, 1.0])
    averages, _ = evaluate({"A": run}, qrels, ["rND(protected='C')@2"], groups=both)
    known, _ = evaluate({"A": run}, qrels, ["rND(protected='C')@2"],
                        groups=groups.from_mapping({"A1": "A", "B1": "B", "C1": "C"}))
    assert averages.iloc[0, 1:].tolist() == known.iloc[0, 1:].tolist()
