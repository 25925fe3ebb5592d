"""Values that human labels of documents and of whole topics correct, and how these are read."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from pt_fairness import evaluate, groups
from pt_fairness.analysis import (
    corrections,
    documents_to_label,
    label_sampler,
    prediction_powered,
    uncertain_labels,
)
from pt_fairness.analysis.corrections import BY_SAMPLE, BY_TOPICS, Corrections, IncompleteTopicError
from pt_fairness.analysis.human_labels import human_labels
from pt_fairness.analysis.inputs import parsed

pytestmark = pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
MEASURES = ["nDCG@4", "AWRF@4", "AWRF@2"]
FAIR = MEASURES[1:]
FOUND = ["mean", "label low", "label high"]


class World:
    """Two runs over 24 topics of 12 documents, labels of a model, and their true labels.

    A third run puts the two groups in turn, by the true labels.
    """

    def __init__(self, right: float = 0.85) -> None:
        rng = np.random.default_rng(4)
        docno = [f"d{i:03d}" for i in range(288)]
        frame = pd.DataFrame({"qid": np.repeat([str(t) for t in range(24)], 12), "docno": docno})
        share = rng.beta(1.2, 0.8, 24).repeat(12)
        is_first = rng.random(288) < share
        self.truth = pd.Series(np.where(is_first, "F", "M"), docno)
        wrong = np.where(is_first, "M", "F")
        self.model = self.truth.where(rng.random(288) < right, wrong)
        self.qrels = frame.assign(label=rng.integers(0, 2, 288))
        place = frame.groupby(["qid", self.truth.to_numpy()]).cumcount()
        scores = {"A": rng.random(288), "B": rng.random(288), "turn": -place}
        self.runs = {name: frame.assign(score=score) for name, score in scores.items()}

    def filled(self, **options):
        """The rows of documents_to_label with their true labels."""
        rows = documents_to_label(self.runs, self.qrels, FAIR, self.model, **options)
        return rows.assign(group=self.truth[rows["docno"]].to_numpy())

    def corrected(self, documents=None, topics=None, measures=MEASURES):
        columns = dict(zip(measures, parsed(measures), strict=True))
        human = human_labels(documents, topics)
        return Corrections(self.runs, self.qrels, columns, self.model, human)

    def averages(self, *human):
        """The averages with human labels and those of the model."""
        known = {docno: label for rows in human for docno, label in rows[["docno", "group"]].values}
        source = groups.from_mapping({**self.model, **known})
        return evaluate(self.runs, self.qrels, MEASURES, groups=source, progress=False).averages


@pytest.fixture(scope="module", autouse=True)
def quick():
    """Few sweeps and draws."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(label_sampler, "BURN_IN", 30)
        patch.setattr(label_sampler, "STEP", 2)
        patch.setattr(corrections, "DRAWS", 40)
        yield


@pytest.fixture(scope="module")
def world():
    return World()


@pytest.fixture(scope="module")
def sample(world):
    return world.filled(documents=100)


@pytest.fixture(scope="module")
def topics(world):
    return world.filled(topics=10)


@pytest.fixture(scope="module")
def both(quick, world, sample, topics):
    return world.corrected(sample, topics)


@pytest.fixture(scope="module")
def by_topics(world, sample, topics):
    """``by_topics(confidence, baseline)``: the values of prediction_powered."""
    whole = pd.concat([sample.merge(world.qrels[["qid", "docno"]]), topics])
    return lambda *options: prediction_powered(
        world.runs, world.qrels, FAIR, world.model, whole, topics["qid"].unique(), *options)


def test_both_corrections_beside_the_values_as_labelled(both, world, sample, topics, by_topics):
    averages = world.averages(sample, topics)
    table = both.table(averages, 0.9, "A")
    assert table.columns.tolist() == ["name", "baseline", "measure", "as labelled", *BY_SAMPLE,
                                      *BY_TOPICS, "checked"]
    every = pd.concat([sample, topics])[["docno", "group"]].drop_duplicates()
    source = groups.model_labels(world.model, every)
    for baseline in (None, "A"):
        rows = table[table["baseline"] == (baseline or "")].set_index(["name", "measure"])
        values = averages.set_index("name")[MEASURES]
        if baseline:
            values = values.drop(index="A") - values.loc["A"]
        np.testing.assert_allclose(rows["as labelled"], values.stack())
        relevance = rows.xs("nDCG@4", level="measure").drop(columns=["baseline", "as labelled"])
        assert relevance.isna().all(axis=None)
        by_sample = uncertain_labels(world.runs, world.qrels, FAIR, source, 40, confidence=0.9,
                                     baseline=baseline)
        rows = rows[rows.index.get_level_values("measure") != "nDCG@4"]
        np.testing.assert_allclose(rows[BY_TOPICS].astype(float), by_topics(0.9, baseline)[FOUND])
        np.testing.assert_allclose(rows[BY_SAMPLE].astype(float), by_sample[FOUND], atol=0.02)
        assert (rows["checked"] == 10).all()
    assert f"{len(every)} documents" in both.summary() and "10 topics" in both.summary()


def test_a_kind_that_is_not_given_has_no_columns(world, sample, topics):
    table = world.corrected(sample).table(world.averages(sample))
    assert table.columns.tolist() == ["name", "measure", "as labelled", *BY_SAMPLE]
    only = world.corrected(None, topics)
    assert not {*BY_SAMPLE} & {*only.table(world.averages(topics))} and only.disagreements() == []
    two = world.corrected(None, topics[topics["qid"].isin(topics["qid"].unique()[:2])])
    name, values = two.values("AWRF@4")
    assert values.isna().all() and name == "" and two.not_told_apart("AWRF@4", "A") == []


def test_systems_that_are_not_told_apart(both, by_topics):
    rows = by_topics(1 - 0.05 / 2, "turn").query("measure == 'AWRF@4' and low <= 0 <= high")
    assert both.not_told_apart("AWRF@4", "turn") == rows["name"].tolist()
    expected = by_topics().query("measure == 'AWRF@4'").set_index("name")["mean"]
    name, values = both.values("AWRF@4")
    pd.testing.assert_series_equal(values, expected, check_names=False)
    assert name == "by topics"


def test_a_copy_is_not_told_apart():
    world = World()
    topics = world.filled(topics=20)
    world.runs["copy"] = world.runs["turn"]
    assert world.corrected(None, topics).not_told_apart("AWRF@4", "turn") == ["copy"]


def test_systems_whose_corrections_do_not_meet(both, monkeypatch):
    """At most three are named, those of the largest gaps."""
    by_hand, share = both._topics.human_values, 0.05 / 6

    def shifted(shift):
        """The values by topics if those by hand are lower, and the gap of each cell."""
        monkeypatch.setattr(both._topics, "human_values", by_hand - shift)
        topics = both._topics.table(1 - share).set_index(["name", "measure"])
        sample = both._sample.table(0.95).set_index(["name", "measure"])
        half = norm.isf(share / 2) * sample["error"] * np.sqrt(sample["n_eff"] + 1)
        return topics["mean"], sample["mean"] - half - topics["label high"]

    mean, gap = shifted(0.4)
    largest = gap.sort_values(ascending=False).index[:3]
    expected = [f"{measure} of {name}: {mean[name, measure]:.2f}" for name, measure in largest]
    assert [sentence.partition(" by ")[0] for sentence in both.disagreements()] == expected
    least = np.zeros((3, 2, 1))
    least[0, 1] = -shifted(0.0)[1]["A", "AWRF@2"]
    for shift, number in ((least - 1e-7, 0), (least + 1e-7 * (least > 0), 1)):
        shifted(shift)
        assert len(both.disagreements()) == number


def test_labels_that_carry_too_little(world, both):
    weak = World(right=0.5)
    sample = weak.filled(documents=100)
    found = weak.corrected(sample)
    assert found.kappa[1] < 0.2 and found.values("AWRF@4")[1].isna().all()
    table = found.table(weak.averages(sample))
    assert table[BY_SAMPLE].isna().all(axis=None) and table["as labelled"].notna().all()
    assert any("κ" in line for line in found.assumptions())
    every = pd.DataFrame({"docno": weak.truth.index, "group": weak.truth})
    assert weak.corrected(every).complete and not found.complete


def test_wrong_input(world, topics):
    with pytest.raises(IncompleteTopicError, match=topics["docno"].iloc[-1]):
        world.corrected(None, topics.iloc[:-1])
    with pytest.raises(ValueError, match="P@2"):
        world.corrected(topics, measures=["P@2"])


# --------------------------------------------------------------------------------------------------
# reading


@pytest.fixture
def files(folder_of):
    folder_of({"one.csv": "docno,text,group\na,\"a, b\",F\nb,x,\nc,x,unknown\n",
               "two.csv": "docno,group\nd,M\n",
               "topics.csv": "qid,docno,group\n1,e,F\n2,a,F\n3,f,\n", "wrong.csv":
               "qid,docno,group\n1,x,F\n1,d,F\n"})


def labels_of(source, *pairs):
    qids, docnos = zip(*pairs, strict=True)
    annotations = source.annotate(np.array(qids, object), np.array(docnos, object))
    labels = ["?" if np.isnan(unknown) else "-" for unknown in annotations.unknown_of(len(pairs))]
    for item, code in zip(annotations.item, annotations.codes, strict=True):
        labels[item] = annotations.labels[code]
    return labels


def test_files_of_both_kinds(files):
    human = human_labels(["one.csv", "two.csv"], "topics.csv", none=["unknown"])
    pairs = [("1", "a"), ("9", "b"), ("9", "c"), ("9", "d"), ("1", "e"), ("2", "e"), ("3", "f")]
    assert labels_of(human.every, *pairs) == ["F", "?", "-", "M", "F", "?", "?"]
    assert labels_of(human.documents, *pairs) == ["F", "?", "-", "M", "?", "?", "?"]
    assert human.topics == ["1", "2", "3"]  # one without a label is not complete
    assert human_labels(human) is human
    assert human_labels(None, "topics.csv").documents is None
    same = human_labels({"a": "F", "b": None}, pd.DataFrame(
        {"qid": ["1", 2], "docno": ["e", "b"], "group": ["F", None]}))
    assert same.topics == ["1", "2"]
    assert labels_of(same.every, *pairs) == ["F", "?", "?", "?", "F", "?", "?"]


@pytest.mark.parametrize("documents, topics, says", [
    ("two.csv", "wrong.csv", r"'d'.*two.csv, line 2.*wrong.csv, line 3"),
    (["two.csv", "wrong.csv"], None, r"two.csv, line 2.*wrong.csv, line 3"),
    (None, "two.csv", r"'d'.*two.csv, line 2"), (None, None, "human labels")])
def test_labels_that_are_wrong(files, documents, topics, says):
    with pytest.raises(ValueError, match=says):
        human_labels(documents, topics)
