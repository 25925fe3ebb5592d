"""Each figure is drawn once: its texts are inside, and none covers another."""

import warnings
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from figures import LONG_NAMES, MANY_NAMES, assert_readable
from matplotlib.text import Text

from pt_fairness import FairnessWarning, analysis, evaluate, explain, plots

MEASURES = ["nDCG@10", "rKL(protected='PRO')@10", "AWRF(discount='trec',unannotated='keep')@10",
            "BiasP(pro='PRO',con='CON')@10", "rND(protected='CON')@10"]
RELEVANCE, FAIRNESS, *_ = MEASURES
TOPICS = 8
DOMAINS = {str(topic): ["health and medicine", "society", "school"][topic % 3]
           for topic in range(TOPICS)}


def frames_of(names):
    """The frames of an experiment with some systems."""
    rng = np.random.default_rng(3)
    qrels = pd.DataFrame([(str(topic), f"d{i}") for topic in range(TOPICS) for i in range(20)],
                         columns=["qid", "docno"])
    qrels["label"] = rng.integers(0, 2, len(qrels))
    qrels["iteration"] = rng.choice(["PRO", "CON", "NEUTRAL"], len(qrels))
    runs = {}
    for i, name in enumerate(names):
        noise = rng.random(len(qrels)) * (1 + rng.random() * (qrels["iteration"] == "PRO"))
        runs[name] = qrels[["qid", "docno"]].assign(score=0.3 * (i % 7) * qrels["label"] + noise)
    averages, perquery = evaluate(runs, qrels, MEASURES, references=True, progress=False)
    return SimpleNamespace(qrels=qrels, runs=runs, first=names[0], averages=averages,
                           perquery=perquery, ranked=analysis.ranked_groups(runs, qrels))


@pytest.fixture(scope="module")
def few():
    return frames_of(LONG_NAMES)


FIGURES = {
    "tradeoff": lambda f: plots.tradeoff(
        f.averages, RELEVANCE, FAIRNESS, baseline=f.first,
        front=analysis.frontier(f.qrels, RELEVANCE, FAIRNESS)),
    "differences": lambda f: plots.differences(
        analysis.compare(f.perquery, f.first, resamples=99), FAIRNESS),
    "distribution": lambda f: plots.distribution(f.perquery, FAIRNESS),
    "topic_groups": lambda f: plots.topic_groups(
        analysis.intervals(f.perquery, "t", by=DOMAINS), FAIRNESS),
    "correlations": lambda f: plots.correlations(analysis.correlations(f.averages)),
    "strips": lambda f: plots.strips(f.ranked, "1", None, f.perquery, FAIRNESS),
    "exposure": lambda f: plots.exposure(f.ranked[f.ranked["name"] == f.first], {"PRO": 0.5}),
    "explain": lambda f: plots.explain(explain(MEASURES[-1], f.runs[f.first], f.qrels, "1")),
    "shares": lambda f: plots.shares(analysis.shares(f.runs, f.qrels)),
    "lorenz": lambda f: plots.lorenz(analysis.document_exposure(f.runs)),
    "groups_per_topic": lambda f: plots.groups_per_topic(analysis.group_distribution(f.qrels)),
}


@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
@pytest.mark.parametrize("figure", FIGURES)
def test_one_column_of_a_page(figure, few):
    with plots.style("paper"):
        drawn = FIGURES[figure](few)
        texts = assert_readable(drawn)
        assert drawn.figure.get_figwidth() == 3.3
        assert all(6 <= text.get_fontsize() <= 8 for text in texts)


def test_many_systems():
    assert_readable(FIGURES["strips"](frames_of(MANY_NAMES)))


def test_names_of_points():
    """Names cover neither points nor names; those without room are in one warning."""
    rng = np.random.default_rng(30)
    places = rng.normal(0.5, 0.02, (30, 2)).clip(0, 1)
    frame = pd.DataFrame({"name": MANY_NAMES, "nDCG@5": places[:, 0], "rKL@5": places[:, 1]})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", FairnessWarning)
        ax = plots.tradeoff(frame, "nDCG@5", "rKL@5")
    assert len(caught) == (len(ax.texts) < 30) and ax.texts
    assert_readable(ax)
    boxes = [Text.get_window_extent(text) for text in ax.texts]
    points = ax.transData.transform(places)
    assert not any(box.contains(*point) for box in boxes for point in points)
    assert not any(one.overlaps(two) for i, one in enumerate(boxes) for two in boxes[:i])
