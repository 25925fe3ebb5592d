"""Agreement of a model's labels with human ones."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pt_fairness import FairnessWarning, groups
from pt_fairness.groups.labels_of_models import LabelErrors


def rates_of(counts, **options):
    """Error rates of documents with the given counts of human label × the model's label."""
    model, human = {}, {}
    for row, of_human in enumerate(counts):
        for column, number in enumerate(of_human):
            for _ in range(number):
                docno = f"d{len(human)}"
                human[docno] = "ABC"[row]
                model[docno] = "ABC"[column]
    return groups.error_rates(groups.from_mapping(model, "tagger"), human, **options)


def slow_kappa(counts):
    """κ and its large-sample standard error, term by term (Fleiss, Cohen & Everitt 1969)."""
    n, size = sum(map(sum, counts)), len(counts)
    p = [[count / n for count in row] for row in counts]
    row = [sum(p[i]) for i in range(size)]
    column = [sum(p[i][j] for i in range(size)) for j in range(size)]
    same = sum(p[i][i] for i in range(size))
    chance = sum(row[i] * column[i] for i in range(size))
    total = -((same * chance - 2 * chance + same) ** 2)
    for i in range(size):
        for j in range(size):
            if i == j:
                total += p[i][i] * ((1 - chance) - (row[i] + column[i]) * (1 - same)) ** 2
            else:
                total += (1 - same) ** 2 * p[i][j] * (column[i] + row[j]) ** 2
    return (same - chance) / (1 - chance), math.sqrt(max(total, 0) / n) / (1 - chance) ** 2


def slow_alpha(counts):
    """Krippendorff's α from the matrix of coincidences."""
    size = len(counts)
    pairs = [[counts[i][j] + counts[j][i] for j in range(size)] for i in range(size)]
    of_labels = [sum(row) for row in pairs]
    n = sum(of_labels)
    observed = sum(pairs[i][j] for i in range(size) for j in range(size) if i != j)
    expected = sum(
        of_labels[i] * of_labels[j] for i in range(size) for j in range(size) if i != j) / (n - 1)
    return 1 - observed / expected


def test_worked_values():
    rates = rates_of([[40, 10], [5, 45]])
    assert rates.accuracy[0] == 0.85
    assert rates.kappa == pytest.approx((0.7, 0.5607, 0.8393), abs=5e-5)
    assert (rates.kappa[2] - rates.kappa[0]) / 1.959964 == pytest.approx(0.071056, abs=1e-6)
    assert rates.alpha[0] == pytest.approx(0.7007519, abs=1e-7)
    assert np.isnan(rates.alpha[1:]).all()
    row = rates.labels.set_index("label").loc["A"]
    assert row[["human", "model"]].tolist() == [50, 45]
    columns = ["precision", "precision low", "precision high", "recall", "recall low",
               "recall high"]  # fmt: skip
    expected = [0.8889, 0.7650, 0.9516, 0.8, 0.6696, 0.8876]
    assert row[columns].tolist() == pytest.approx(expected, abs=5e-5)
    assert row["f1"] == pytest.approx(2 * 40 / 95)
    assert rates.counts.to_numpy().tolist() == [[40, 10], [5, 45]]
    assert rates.true_given_model["A"] == pytest.approx({"A": 40 / 45, "B": 5 / 45})
    assert rates.model_given_true["A"] == {"A": 0.8, "B": 0.2}


@given(st.lists(st.integers(1, 30), min_size=9, max_size=9))
def test_slow_versions(numbers):
    counts = np.array(numbers).reshape(3, 3)
    frame = pd.DataFrame(np.column_stack([counts, [2, 0, 1]]), [*"ABC"], [*"ABC", "@NONE"])
    rates = LabelErrors(frame, "tagger")
    kappa, error = slow_kappa(counts.tolist())
    assert rates.kappa == pytest.approx((kappa, kappa - 1.959964 * error, kappa + 1.959964 * error))
    assert rates.alpha[0] == pytest.approx(slow_alpha(counts.tolist()))
    assert rates.accuracy[0] == pytest.approx(np.trace(counts) / (counts.sum() + 3))


def test_documents_without_a_label_of_the_model():
    model = {"a": "A", "b": "B", "c": "B"}
    rates = groups.error_rates(groups.from_mapping(model, "tagger"),
                               {"a": "A", "b": "A", "c": "B", "d": "A", "e": None})  # fmt: skip
    assert rates.counts.loc["A"].to_dict() == {"A": 1, "B": 1, "@NONE": 1}
    assert rates.accuracy[0] == 0.5
    assert rates.labels.set_index("label")["recall"].to_dict() == {"A": 1 / 3, "B": 1}
    assert rates.kappa[0] == pytest.approx(slow_kappa([[1, 1], [0, 1]])[0])
    assert "1 of these documents have no label of the model" in repr(rates)


STANCES = pd.DataFrame({"qid": "1", "docno": ["a", "b", "c"], "label": ["A", "NO", "B"]})


@pytest.fixture(params=["mapping", "dash", "file", "qrels"])
def without_b(request, tmp_path):
    """Human labels in which people gave ``b`` no group."""
    if request.param == "mapping":
        return {"a": "A", "b": None, "c": "B"}
    if request.param == "dash":
        return pd.DataFrame({"docno": ["a", "b", "c"], "group": ["A", "-", "B"]})
    if request.param == "file":
        path = tmp_path / "human.csv"
        path.write_text("docno,group\na,A\nb,\nc,B\n")
        return path
    return groups.from_qrels(STANCES, none=["NO"])


def test_documents_that_people_gave_no_group(without_b):
    model = groups.from_mapping({"a": "A", "b": "B", "c": "B"}, "tagger")
    with pytest.warns(FairnessWarning, match=r"1 documents .* such as 'b', .* leave out none="):
        rates = groups.error_rates(model, without_b)
    assert rates.counts.to_numpy().sum() == 2
    both = groups.model_labels(model, without_b)
    with pytest.raises(ValueError, match=r"'b' has no group in .* leave out none="):
        both.lookup(["1", "1"], ["a", "b"])
    # Where the model has no label either, nothing is counted wrongly.
    silent = groups.from_mapping({"a": "A", "c": "A"})
    found = groups.model_labels(silent, without_b).lookup(["1"] * 4, [*"abcd"])
    assert found["group"].tolist() == ["A", "B"]
    every = groups.model_labels(model, groups.from_qrels(STANCES))
    assert every.lookup(["1"] * 3, [*"abc"])["group"].tolist() == ["A", "NO", "B"]


def test_labels_that_one_side_never_uses():
    rates = rates_of([[3, 0, 1], [2, 0, 0]])
    row = rates.labels.set_index("label")
    assert row.index.tolist() == ["A", "B", "C"]
    assert math.isnan(row.loc["B", "precision"]) and math.isnan(row.loc["C", "recall"])
    assert row.loc["B", "recall"] == row.loc["C", "precision"] == 0
    assert list(rates.true_given_model) == ["A", "C"]
    single = rates_of([[4]])
    assert np.isnan([*single.kappa, *single.alpha]).all() and single.accuracy[0] == 1


def test_text():
    rates = rates_of([[40, 10], [5, 45]])
    assert ("The labels of tagger agree with 100 human labels in 85.0 % [76.7, 90.7] "
            "(κ 0.70 [0.56, 0.84])") in repr(rates)  # fmt: skip
    assert "0.89 [0.77, 0.95]" in repr(rates)
    latex = groups.error_rates({"x": "a_b", "y": "50 %"}, {"x": "a_b", "y": "50 %"}).to_latex()
    assert r"a\_b & 1" in latex and r"50 \%" in latex and r"\toprule" in latex


def test_rates_are_what_with_error_rates_takes():
    rates = rates_of([[40, 10, 0], [5, 45, 0], [0, 0, 3]])
    model = groups.from_mapping({"x": "A", "y": "B"})
    found = groups.with_error_rates(model, rates.true_given_model).lookup(["1"], ["x"])
    assert found["weight"].tolist() == pytest.approx([40 / 45, 5 / 45])
    prior = {"A": 50 / 103, "B": 50 / 103, "C": 3 / 103}
    by_bayes = groups.with_error_rates(model, rates.model_given_true, prior)
    assert by_bayes.lookup(["1"], ["x"])["weight"].tolist() == pytest.approx([40 / 45, 5 / 45])


class TestDocuments:
    def test_a_file_names_them(self, tmp_path):
        path = tmp_path / "human.csv"
        path.write_text("docno,group\na,A\nb,A\n")
        model = groups.from_mapping({"a": "A", "b": "B", "c": "B"})
        assert groups.error_rates(model, path).accuracy[0] == 0.5
        assert groups.error_rates(model, str(path), docnos=["a"]).accuracy[0] == 1

    def test_topics(self):
        frame = pd.DataFrame({"qid": ["1", "2"], "docno": "a", "group": ["A", "B"]})
        model = groups.from_mapping({"a": "A"})
        assert groups.error_rates(model, frame).counts.to_numpy().tolist() == [[1, 0], [1, 0]]
        # Human labels for all topics, and a model's by topic: those of the model are compared.
        assert groups.error_rates(groups.from_frame(frame), {"a": "A"}).accuracy[0] == 0.5

    def test_a_source_that_lists_none(self):
        model = groups.from_mapping({"FT-1": "FT", "LA-1": "FT", "x": "FT"})
        human = groups.from_pattern("^[A-Z]+")
        assert groups.error_rates(model, human).accuracy[0] == 0.5
        with pytest.raises(ValueError, match=r"can list the documents.*docnos="):
            groups.error_rates(groups.from_pattern("^F"), human)

    def test_none_in_common(self):
        model = groups.from_mapping({"x1": "A"}, "tagger")
        with pytest.raises(ValueError, match=r"'y1'.*'tagger'.*'x1'"):
            groups.error_rates(model, {"y1": "A"})
        with pytest.raises(ValueError, match="several labels"):
            groups.error_rates({"x1": ["A", "B"]}, {"x1": "A"})
