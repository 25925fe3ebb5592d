"""Labels of a transformer, and their agreement with human ones."""

import json
import math
import warnings

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from group_rows import rows

from pt_fairness import FairnessWarning, evaluate, groups
from pt_fairness.groups.combinations import kappa

TEXTS = {"a": "All is good.", "b": "This is bad.", "c": "A good day.", "d": "Bad, bad news."}


class Tagger(pt.Transformer):
    """Labels by a word, which counts what it is asked for."""

    def __init__(self, label=lambda text: "PRO" if "good" in text else "CON", column="group"):
        self.asked, self.label, self.column = [], label, column

    def transform(self, frame):
        self.asked.append(frame["docno"].tolist())
        labels = pd.Series([self.label(text) for text in frame["text"]], frame.index, dtype=object)
        return frame.assign(**{self.column: labels})[::-1]

    def __repr__(self):
        return "Tagger()"


def labels_of(source, docnos="abcd", qids=None):
    frame = source.lookup(qids or ["1"] * len(docnos), [*docnos])
    return dict(zip(frame["docno"], frame["group"], strict=True))


def test_documents_are_asked_for_once_in_batches():
    tagger = Tagger()
    source = groups.from_transformer(tagger, TEXTS, batch_size=2)
    assert labels_of(source, "abab") == {"a": "PRO", "b": "CON"}
    assert labels_of(source) == {"a": "PRO", "b": "CON", "c": "PRO", "d": "CON"}
    assert tagger.asked == [["a", "b"], ["c", "d"]]
    assert source.to_frame().to_dict("list") == {"docno": [*"abcd"], "group": ["PRO", "CON"] * 2}
    assert not source.weighted and source.labels is None


def test_lists_missing_values_and_documents_left_out():
    answers = {TEXTS["a"]: ["PRO", "CON"], TEXTS["b"]: None, TEXTS["c"]: {"PRO": 0.3, "CON": 0.7},
               TEXTS["d"]: 3.0}
    source = groups.from_transformer(Tagger(answers.get), TEXTS)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert labels_of(source) == {"a": "PRO", "c": "PRO", "d": "3"}
    assert source.to_frame()["group"].tolist() == ["CON", "PRO", "CON", "PRO", "3"]
    assert source.to_frame()["weight"].tolist() == [1, 1, 0.7, 0.3, 1]

    def drops(frame):
        return frame[frame["docno"] != "b"].assign(group="PRO")

    source = groups.from_transformer(pt.apply.generic(drops), TEXTS)
    with pytest.warns(FairnessWarning, match=r"2 of 3 documents.*'b'"):
        assert labels_of(source, "abx") == {"a": "PRO"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert labels_of(source, "abx") == {"a": "PRO"}


class TestCache:
    def test_an_interrupted_labelling_goes_on(self, tmp_path):
        def label(text):
            if "Bad" in text and interrupted:
                raise KeyboardInterrupt
            return "PRO" if "good" in text else "CON"

        interrupted = True
        first = Tagger(label)
        arguments = {"texts": TEXTS, "cache": tmp_path / "cache", "batch_size": 1}
        with pytest.raises(KeyboardInterrupt):
            labels_of(groups.from_transformer(first, **arguments))
        interrupted = False
        second = Tagger(label)
        source = groups.from_transformer(second, **arguments)
        assert source.to_frame()["docno"].tolist() == [*"abc"]
        assert labels_of(source)["d"] == "CON" and second.asked == [["d"]]
        again = Tagger(label)
        assert labels_of(groups.from_transformer(again, **arguments)) == labels_of(source)
        assert again.asked == []
        # The key is the document alone, as pyterrier-caching keeps it.
        from pyterrier_caching import KeyValueCache

        assert sorted(row["docno"] for row in KeyValueCache(str(tmp_path / "cache"))) == [*"abcd"]

    def test_topic_and_document(self, tmp_path):
        topics = pd.DataFrame({"qid": [1, 2], "query": ["good", "bad"]})

        def answer(frame):
            pairs = zip(frame["query"], frame["text"], strict=True)
            match = [query in text for query, text in pairs]
            return frame.assign(group=np.where(match, "PRO", "CON"))

        arguments = {"texts": TEXTS, "topics": topics, "cache": tmp_path / "cache"}
        source = groups.from_transformer(pt.apply.generic(answer), **arguments)
        assert rows(source, "abb", "121") == "1 a PRO, 2 b PRO, 1 b CON"
        again = groups.from_transformer(pt.apply.generic(answer), **arguments).to_frame()
        assert again.values.tolist() == [["1", "a", "PRO"], ["1", "b", "CON"], ["2", "b", "PRO"]]

    def test_results_as_topics(self):
        results = pd.DataFrame({"qid": ["1", "1"], "query": "good", "docno": ["a", "c"],
                                "score": [2.0, 1.0]})
        tagger = pt.apply.group(lambda row: f"{row['query']} {row['docno']}")
        source = groups.from_transformer(tagger, topics=results)
        assert rows(source, "ab") == "1 a good a, 1 b good b"

    @pytest.mark.parametrize("change", ["labeller", "column", "name", "topics", "folder"])
    def test_another_labeller_is_an_error(self, tmp_path, change):
        topics = pd.DataFrame({"qid": ["1"], "query": ["q"]})
        folder = tmp_path / "cache"
        first = {"labeller": Tagger(), "texts": TEXTS, "cache": folder, "name": "one"}
        if change == "folder":
            folder.mkdir()
        else:
            groups.from_transformer(**first)
            stored = json.loads((folder / "labeller.json").read_text())
            assert stored["labeller"] == "Tagger()" and stored["name"] == "one"
        changed = {"labeller": pt.apply.generic(lambda frame: frame), "column": "stance",
                   "name": "two", "topics": topics, "folder": folder}
        option = "cache" if change == "folder" else change
        with pytest.raises(ValueError, match="cache"):
            groups.from_transformer(**{**first, option: changed[change]})

    def test_memory_addresses_do_not_matter(self, tmp_path):
        class Plain(Tagger):
            __repr__ = object.__repr__

        for labeller in (Plain(), Plain()):
            groups.from_transformer(labeller, TEXTS, cache=tmp_path / "cache")


@pytest.mark.parametrize("derived", [
    lambda source: groups.product(source, {"a": "f", "b": "m", "c": "f", "d": "m"}),
    lambda source: source.override(pd.DataFrame({"docno": ["a"], "group": ["CON"]})),
    lambda source: source.relabel({"1": {"PRO": "for", "CON": "against"}})])
def test_probabilities_that_are_not_known_yet(derived):
    def answer(frame):
        return frame.assign(group=[{"PRO": 0.9, "CON": 0.1}] * len(frame))

    first = derived(groups.from_transformer(answer, TEXTS))
    assert sorted(first.lookup(["1"], ["b"])["weight"]) == pytest.approx([0.1, 0.9])
    labelled = groups.from_transformer(answer, TEXTS)
    labelled.lookup(["1"] * 4, [*"abcd"])
    pd.testing.assert_frame_equal(first.lookup(["1"] * 4, [*"abcd"]),
                                  derived(labelled).lookup(["1"] * 4, [*"abcd"]))


@pytest.mark.parametrize("measure", ["PEER@5", "FAIR@5", "rRD@5"])
def test_weights_of_unjudged_documents_are_refused_at_the_first_call(measure):
    answers = {TEXTS["a"]: "PRO", TEXTS["b"]: "CON", TEXTS["c"]: {"PRO": 0.3, "CON": 0.7},
               TEXTS["d"]: {"PRO": 0.5, "CON": 0.5}}
    source = groups.from_transformer(Tagger(answers.get), TEXTS)
    qrels = pd.DataFrame({"qid": "1", "docno": [*"ab"], "label": 1})
    run = pd.DataFrame({"qid": "1", "docno": [*"abcd"], "score": [4.0, 3.0, 2.0, 1.0]})
    for _ in range(2):
        with pytest.raises(ValueError, match="weights"):
            evaluate({"A": run}, qrels, [measure], groups=source, progress=False)


def test_what_was_labelled_is_kept_after_an_error():
    def label(text):
        if "day" in text:
            raise RuntimeError("no power")
        return "PRO"

    source = groups.from_transformer(Tagger(label), TEXTS, batch_size=2, name="tagger")
    with pytest.raises(ValueError, match=r"tagger.* 'c' to 'd', .*no power"):
        labels_of(source)
    assert source.to_frame()["docno"].tolist() == ["a", "b"]


def test_a_label_for_a_document_of_an_earlier_batch():
    def answer(frame):
        return pd.DataFrame({"docno": ["a", *frame["docno"]], "group": "A"}).drop_duplicates()

    source = groups.from_transformer(answer, TEXTS, batch_size=2)
    with pytest.raises(ValueError, match="'a' in addition"):
        labels_of(source)
    assert source.to_frame()["docno"].tolist() == ["a", "b"]


@pytest.mark.parametrize("answer, says", [
    (lambda frame: frame, "group"),
    (lambda frame: frame["docno"], "must be a DataFrame"),
    (lambda frame: pd.concat([frame.assign(group=label) for label in "AB"]), "once, got 'a'"),
    (lambda frame: frame.assign(docno="x", group="A"), "once, got 'x'"),
    (lambda frame: frame.assign(group=[{"A": "much"}] * 4), "the groups of 'a'"),
    (lambda frame: frame.assign(group=[{"A": -1.0}] * 4), "weight of 'A' for 'a'")])
def test_wrong_answers(answer, says):
    with pytest.raises(ValueError, match=says):
        labels_of(groups.from_transformer(answer, TEXTS))


@pytest.mark.parametrize("options, says", [
    ({"labeller": "BM25"}, "be a PyTerrier transformer"), ({"batch_size": 0}, "batch_size must"),
    ({"texts": 3}, "texts"), ({"texts": pd.DataFrame({"docno": ["a"]})}, "text"),
    ({"texts": pd.DataFrame({"docno": ["a", "a"], "text": ["x", "y"]})}, "got two of"),
    ({"texts": "no/such"}, "no dataset 'no/such'"), ({"topics": 3}, "topics must be")])
def test_wrong_input(options, says):
    with pytest.raises(ValueError, match=says):
        labels_of(groups.from_transformer(**{"labeller": Tagger(), "texts": TEXTS, **options}))


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


def value(rates, row, column="value"):
    return rates.summary.loc[row, column]


def interval(rates, row):
    return rates.summary.loc[row, ["value", "low", "high"]].tolist()


def test_worked_values():
    rates = rates_of([[40, 10], [5, 45]])
    assert value(rates, "accuracy") == 0.85 and rates.summary["n"].tolist() == [100] * 3
    assert interval(rates, "kappa") == pytest.approx([0.7, 0.5607, 0.8393], abs=5e-5)
    _, low, high = interval(rates, "kappa")
    assert (high - low) / 2 / 1.959964 == pytest.approx(0.071056, abs=1e-6)
    assert value(rates, "alpha") == pytest.approx(0.7007519, abs=1e-7)
    assert rates.summary.loc["alpha", ["low", "high"]].isna().all()
    row = rates.labels.set_index("label").loc["A"]
    assert row[["human", "model"]].tolist() == [50, 45]
    columns = ["precision", "precision low", "precision high", "recall", "recall low",
               "recall high"]
    expected = [0.8889, 0.7650, 0.9516, 0.8, 0.6696, 0.8876]
    assert row[columns].tolist() == pytest.approx(expected, abs=5e-5)
    assert row["f1"] == pytest.approx(2 * 40 / 95)
    assert rates.counts.to_numpy().tolist() == [[40, 10], [5, 45]]
    three = rates_of([[4, 0, 2], [1, 6, 0], [2, 2, 9]])
    assert value(three, "alpha") == pytest.approx(10 / 17)


@pytest.mark.parametrize("numbers", [[1, 4, 1], [2, 3, 1], [4, 1, 2], [5, 5]])
def test_equal_labels_have_a_kappa_of_1_and_an_interval(numbers):
    assert kappa(np.diag(numbers)) == pytest.approx((1, 1, 1))


def test_documents_without_a_label_of_the_model():
    model = {"a": "A", "b": "B", "c": "B"}
    rates = groups.error_rates(groups.from_mapping(model, "tagger"),
                               {"a": "A", "b": "A", "c": "B", "d": "A", "e": None})
    assert rates.counts.loc["A"].to_dict() == {"A": 1, "B": 1, "@NONE": 1}
    assert value(rates, "accuracy") == 0.5 and rates.summary["n"].tolist() == [4, 3, 3]
    assert rates.labels.set_index("label")["recall"].to_dict() == {"A": 1 / 3, "B": 1}
    assert value(rates, "kappa") == pytest.approx((2 / 3 - 4 / 9) / (1 - 4 / 9))


STANCES = pd.DataFrame({"qid": "1", "docno": ["a", "b", "c"], "label": ["A", "NO", "B"]})


#: Human labels in which people gave ``b`` no group, or, in the first, no label yet.
WITHOUT_B = [{"a": "A", "b": None, "c": "B"}, {"a": "A", "b": [], "c": "B"},
             groups.from_qrels(STANCES, none=["NO"]),
             pd.DataFrame({"docno": [*"abc"], "group": ["A", "-", "B"]})]


@pytest.mark.parametrize("number", range(4))
def test_documents_that_people_gave_no_group(number):
    model = groups.from_mapping({"a": "A", "b": "A", "c": "B"}, "tagger")
    people = WITHOUT_B[number]
    with pytest.warns(FairnessWarning, match=r"1 documents .* such as 'b'"):
        rates = groups.error_rates(model, people)
    assert rates.counts.to_numpy().sum() == 2
    both = groups.model_labels(model, people).lookup(["1"] * 3, [*"abc"])
    assert both["group"].tolist() == (["A", "B"] if number else ["A", "A", "B"])
    # Where the model has no label either, nothing is counted wrongly.
    silent = groups.from_mapping({"a": "A", "c": "A"})
    found = groups.model_labels(silent, people).lookup(["1"] * 4, [*"abcd"])
    assert found["group"].tolist() == ["A", "B"]


def test_labels_that_one_side_never_uses():
    rates = rates_of([[3, 0, 1], [2, 0, 0]])
    row = rates.labels.set_index("label")
    assert row.index.tolist() == ["A", "B", "C"]
    assert math.isnan(row.loc["B", "precision"]) and math.isnan(row.loc["C", "recall"])
    assert row.loc["B", "recall"] == row.loc["C", "precision"] == 0
    single = rates_of([[4]])
    assert np.isnan([value(single, "kappa"), value(single, "alpha")]).all()
    assert value(single, "accuracy") == 1


def test_counts_are_what_with_error_rates_takes():
    rates = rates_of([[40, 10, 0], [5, 45, 0], [0, 0, 3]])
    model = groups.from_mapping({"x": "A", "y": "B"})
    found = groups.with_error_rates(model, rates.counts).lookup(["1"], ["x"])
    assert found["weight"].tolist() == pytest.approx([40 / 45, 5 / 45])
    prior = {"A": 50 / 103, "B": 50 / 103, "C": 3 / 103}
    by_bayes = groups.with_error_rates(model, rates.counts, prior)
    assert by_bayes.lookup(["1"], ["x"])["weight"].tolist() == pytest.approx([40 / 45, 5 / 45])


def test_the_documents_that_are_compared(tmp_path):
    path = tmp_path / "human.csv"
    path.write_text("docno,group\na,A\nb,A\n")
    model = groups.from_mapping({"a": "A", "b": "B", "c": "B"})
    assert groups.error_rates(model, path).summary["value"].iloc[0] == 0.5
    assert groups.error_rates(model, str(path), docnos=["a"]).summary["value"].iloc[0] == 1
    frame = pd.DataFrame({"qid": ["1", "2"], "docno": "a", "group": ["A", "B"]})
    assert groups.error_rates(model, frame).counts.to_numpy().tolist() == [[1, 0], [1, 0]]
    # Human labels for all topics, and a model's by topic: those of the model are compared.
    assert groups.error_rates(groups.from_frame(frame), {"a": "A"}).summary["value"].iloc[0] == 0.5
    # Human labels that list no documents.
    model = groups.from_mapping({"FT-1": "FT", "LA-1": "FT", "x": "FT"}, "tagger")
    human = groups.from_pattern("^[A-Z]+")
    assert groups.error_rates(model, human).summary["value"].iloc[0] == 0.5
    for labels, truth, says in (
            (groups.from_pattern("^F"), human, "docnos must be"),
            (model, {"y1": "FT"}, "same documents.*'y1'"),
            ({"x1": ["A", "B"]}, {"x1": "A"}, "several labels")):
        with pytest.raises(ValueError, match=says):
            groups.error_rates(labels, truth)


def test_a_document_is_compared_once():
    model = groups.from_mapping({"a": "A", "b": "B"})
    human = {"a": "A", "b": "A"}
    rates = groups.error_rates(model, human, ["1", "2", "1"], ["a", "a", "b"])
    assert rates.counts.to_numpy().tolist() == [[1, 1], [0, 0]]
    by_topic = {"1": {"a": "A", "b": "A"}, "2": {"a": "B"}}
    rates = groups.error_rates(model, by_topic, ["1", "2", "1", "1"], ["a", "a", "b", "b"])
    assert rates.counts.to_numpy().tolist() == [[1, 1], [1, 0]]
    with pytest.raises(ValueError, match="qids must be"):
        groups.error_rates(model, by_topic, docnos=["a", "b"])
    corrected = model.override(pd.DataFrame({"qid": ["1"], "docno": ["a"], "group": ["B"]}))
    with pytest.raises(ValueError, match="qids must be"):
        groups.error_rates(corrected, human, docnos=["a"])
    with pytest.raises(ValueError, match="1 topics and 2 documents"):
        groups.error_rates(model, human, ["1"], ["a", "b"])
    with pytest.raises(ValueError, match="docnos must be"):
        groups.error_rates(model, by_topic, ["1"])
