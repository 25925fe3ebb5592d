"""Labels of a transformer: a classifier of stances, trained on some of the debates."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from pt_fairness import AWRF, FairnessWarning, cli, evaluate, groups, report, rKL

DEBATES = "pt-fairness/debates/stance"
TEXTS = {"a": "All is good.", "b": "This is bad.", "c": "A good day.", "d": "Bad, bad news."}


@pytest.fixture(scope="module")
def debates():
    """The dataset, its documents, and a classifier trained on the first five topics."""
    dataset = pt.get_dataset(f"irds:{DEBATES}")
    documents = pd.DataFrame(dataset.get_corpus_iter(verbose=False))
    train = documents[documents["docno"] < "d06"]
    train = train[train["stance"].isin(["PRO", "CON"])]
    classifier = make_pipeline(TfidfVectorizer(ngram_range=(1, 2)), LogisticRegression(C=10))
    classifier.fit(train["text"], train["stance"])
    return dataset, documents, classifier


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


class TestClassifier:
    def test_evaluate_experiment_report_and_command(self, debates, tmp_path, capsys):
        dataset, documents, classifier = debates
        labeller = pt.apply.generic(
            lambda frame: frame.assign(group=classifier.predict(frame["text"])))
        source = groups.from_transformer(labeller, dataset, name="stances", cache=tmp_path / "c")
        qrels = dataset.get_qrels().query("qid > '5'").drop(columns="iteration")
        run = qrels.assign(score=qrels["docno"].str[-1].astype(float), rank=0)
        averages, _ = evaluate({"A": run}, qrels, ["rKL@5", "AWRF@5"], groups=source)
        assert "0%" in capsys.readouterr().err
        texts = documents["title"] + " " + documents["text"]  # as ir_datasets' default text
        expected = dict(zip(documents["docno"], classifier.predict(texts), strict=True))
        assert labels_of(source, qrels["docno"]) == {d: expected[d] for d in qrels["docno"]}
        measures = [rKL(groups=source) @ 5, AWRF(groups=source) @ 5]
        table = pt.Experiment([run], dataset.get_topics(), qrels, measures, filter_by_qrels=True)
        names = [str(measure) for measure in measures]
        assert table[names].iloc[0].tolist() == pytest.approx(averages.iloc[0, 1:].tolist())
        page = report({"A": run}, qrels, ["rKL@5"], groups=source)
        assert page.table["rKL@5"].iloc[0] == pytest.approx(averages["rKL@5"][0])
        # The written labels, by the command.
        path = tmp_path / "model.csv"
        source.to_frame().to_csv(path, index=False)
        pt.io.write_results(run.assign(query=""), str(tmp_path / "a.run"))
        qrels.assign(iteration="0")[["qid", "iteration", "docno", "label"]].to_csv(
            tmp_path / "qrels", sep=" ", header=False, index=False)
        assert not cli.main(["table", str(tmp_path / "qrels"), str(tmp_path / "a.run"), "-m",
                             "rKL@5", "--groups", str(path), "--format", "csv"])  # fmt: skip
        value = float(capsys.readouterr().out.splitlines()[1].split(",")[1])
        assert value == pytest.approx(averages["rKL@5"][0])

    def test_probabilities_and_topics(self, debates):
        dataset, documents, classifier = debates

        def answer(frame):
            texts = frame["query"] + " " + frame["text"]
            shares = [dict(zip(classifier.classes_, row, strict=True))
                      for row in classifier.predict_proba(texts)]  # fmt: skip
            return frame.assign(group=shares)

        source = groups.from_transformer(pt.apply.generic(answer), documents, dataset,
                                         order=["PRO", "CON"])  # fmt: skip
        assert source.by_topic and source.order == ["PRO", "CON"]
        frame = source.lookup(["6", "7"], ["d06-01", "d06-01"])
        assert source.weighted and frame.groupby("qid")["weight"].sum().tolist() == [1, 1]
        assert frame["weight"].nunique() > 2  # the query is read
        assert groups.from_frame(source.to_frame()).lookup(["6"], ["d06-01"])["weight"].tolist() \
            == frame["weight"][:2].tolist()  # fmt: skip
        # A measure that refuses weights sees them.
        qrels = dataset.get_qrels()
        with pytest.raises(ValueError, match="weights"):
            evaluate({"A": qrels.assign(score=1.0)}, qrels, ["rRD@5"], groups=source)


def test_documents_are_asked_for_once_in_batches():
    tagger = Tagger()
    source = groups.from_transformer(tagger, TEXTS, batch_size=2)
    assert labels_of(source, "abab") == {"a": "PRO", "b": "CON"}
    assert labels_of(source) == {"a": "PRO", "b": "CON", "c": "PRO", "d": "CON"}
    assert tagger.asked == [["a", "b"], ["c", "d"]]
    assert source.to_frame().to_dict("list") == {"docno": [*"abcd"],
                                                 "group": ["PRO", "CON"] * 2}  # fmt: skip
    assert not source.weighted and source.labels is None


def test_lists_missing_values_and_documents_left_out():
    answers = {TEXTS["a"]: ["PRO", "CON"], TEXTS["b"]: None, TEXTS["c"]: {"PRO": 0.3, "CON": 0.7},
               TEXTS["d"]: 3.0}  # fmt: skip
    source = groups.from_transformer(Tagger(answers.get), TEXTS)
    frame = source.lookup(["1"] * 4, [*"abcd"])
    assert frame["group"].tolist() == ["CON", "PRO", "CON", "PRO", "3"]
    frame = source.to_frame()
    assert frame["weight"].tolist() == [1, 1, 0.7, 0.3, 1]

    def drops(frame):
        return frame[frame["docno"] != "b"].assign(group="PRO")

    source = groups.from_transformer(pt.apply.generic(drops), TEXTS)
    with pytest.warns(FairnessWarning, match=r"2 of 3 documents have no label.*first: 'b'"):
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

    @pytest.mark.exhaustive
    def test_a_killed_labelling_goes_on(self, tmp_path):
        script = tmp_path / "label.py"
        script.write_text("""
import os, signal, sys
import pyterrier as pt
from pt_fairness import groups

def label(frame):
    if "d003" in frame["docno"].tolist() and sys.argv[1] == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    print(*frame["docno"])
    return frame.assign(group="PRO")

docnos = [f"d{i:03d}" for i in range(6)]
source = groups.from_transformer(pt.apply.generic(label), dict.fromkeys(docnos, "text"),
                                 name="tagger", cache="cache", batch_size=2)
print("kept", *source.to_frame()["docno"])
source.lookup(["1"] * 6, docnos)
""")
        first, second = (
            subprocess.run([sys.executable, script, how], cwd=tmp_path, capture_output=True,
                           text=True, check=False) for how in ("kill", "go on"))  # fmt: skip
        assert first.returncode == -signal.SIGKILL
        assert second.stdout.splitlines() == ["kept d000 d001", "d002 d003", "d004 d005"]

    def test_a_cache_that_was_not_finished_is_made_again(self, tmp_path, monkeypatch):
        arguments = {"texts": TEXTS, "cache": tmp_path / "cache"}

        def interrupted(*arguments, **options):
            raise KeyboardInterrupt

        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr("pathlib.Path.write_text", interrupted)
            groups.from_transformer(Tagger(), **arguments)
        assert (tmp_path / "cache.part" / "db.sqlite3").exists()
        assert not (tmp_path / "cache").exists()
        source = groups.from_transformer(Tagger(), **arguments)
        assert len(labels_of(source)) == 4
        assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "cache.lock"]

    def test_topic_and_document(self, tmp_path):
        topics = pd.DataFrame({"qid": [1, 2], "query": ["good", "bad"]})

        def answer(frame):
            pairs = zip(frame["query"], frame["text"], strict=True)
            match = [query in text for query, text in pairs]
            return frame.assign(group=np.where(match, "PRO", "CON"))

        arguments = {"texts": TEXTS, "topics": topics, "cache": tmp_path / "cache"}
        source = groups.from_transformer(pt.apply.generic(answer), **arguments)
        frame = source.lookup(["1", "2", "1"], [*"abb"])
        assert frame["group"].tolist() == ["PRO", "PRO", "CON"]
        again = groups.from_transformer(pt.apply.generic(answer), **arguments).to_frame()
        assert again.values.tolist() == [["1", "a", "PRO"], ["1", "b", "CON"], ["2", "b", "PRO"]]

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
            assert stored["text"] == "Tagger()" and stored["name"] == "one"
        changed = {"labeller": pt.apply.generic(lambda frame: frame), "column": "stance",
                   "name": "two", "topics": topics, "folder": folder}  # fmt: skip
        option = "cache" if change == "folder" else change
        with pytest.raises(ValueError, match="give another folder"):
            groups.from_transformer(**{**first, option: changed[change]})

    def test_memory_addresses_do_not_matter(self, tmp_path):
        class Plain(Tagger):
            __repr__ = object.__repr__

        labellers = [Plain(), Plain()]
        assert repr(labellers[0]) != repr(labellers[1])
        for labeller in labellers:
            groups.from_transformer(labeller, TEXTS, cache=tmp_path / "cache")


def test_what_was_labelled_is_kept_after_an_error():
    def label(text):
        if "day" in text:
            raise RuntimeError("no power")
        return "PRO"

    source = groups.from_transformer(Tagger(label), TEXTS, batch_size=2, name="tagger")
    with pytest.raises(ValueError, match=r"of tagger.* from 'c' to 'd', raised Runtime.*no power"):
        labels_of(source)
    assert source.to_frame()["docno"].tolist() == ["a", "b"]


@pytest.mark.parametrize(
    "answer, says",
    [
        (lambda frame: frame, "group"),
        (lambda frame: frame["docno"], "has to be a DataFrame"),
        (lambda frame: pd.concat([frame, frame]).assign(group="A"), "'a' twice"),
        (lambda frame: frame.assign(docno="x", group="A"), "'x' which it was not asked for"),
        (lambda frame: frame.assign(group=[{"A": "much"}] * 4), "the groups of 'a'"),
        (lambda frame: frame.assign(group=[{"A": -1.0}] * 4), "weight of 'A' for 'a'")],
)
def test_wrong_answers(answer, says):
    with pytest.raises(ValueError, match=says):
        labels_of(groups.from_transformer(answer, TEXTS))


@pytest.mark.parametrize(
    "options, says",
    [
        ({"labeller": "BM25"}, "it takes a PyTerrier transformer"),
        ({"batch_size": 0}, "batch_size=0"),
        ({"texts": 3}, "texts"),
        ({"texts": pd.DataFrame({"docno": ["a"]})}, "text"),
        ({"texts": pd.DataFrame({"docno": ["a", "a"], "text": ["x", "y"]})}, "two texts"),
        ({"topics": 3}, "topics=3")],
)
def test_wrong_input(options, says):
    with pytest.raises(ValueError, match=says):
        groups.from_transformer(**{"labeller": Tagger(), "texts": TEXTS, **options})


def test_a_dataset_that_does_not_exist():
    source = groups.from_transformer(Tagger(), "pt-fairness/debate")
    with pytest.raises(ValueError, match="no dataset 'pt-fairness/debate'"):
        labels_of(source)
