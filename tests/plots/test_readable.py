"""Each figure is drawn once in each size: its texts are inside, and none covers another."""

from __future__ import annotations

import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from case_marks import quick_cases
from figures import LONG_NAMES, MANY_NAMES, assert_readable, drawn_texts
from matplotlib.text import Text

from pt_fairness import FairnessWarning, analysis, evaluate, explain, plots

MEASURES = ["nDCG@10", "rKL(protected='PRO')@10", "AWRF(discount='trec',unannotated='keep')@10",
            "BiasP(pro='PRO',con='CON')@10", "rND(protected='CON')@10"]
RELEVANCE, FAIRNESS, AWRF, BIAS, _ = MEASURES
DOMAINS = ["health and medicine", "society", "school"]


class Frames:
    """The frames of an experiment with some systems."""

    def __init__(self, names):
        rng = np.random.default_rng(3)
        qrels = pd.DataFrame([(str(topic), f"d{i}") for topic in range(20) for i in range(30)],
                             columns=["qid", "docno"])
        qrels["label"] = rng.integers(0, 2, len(qrels))
        qrels["iteration"] = rng.choice(["PRO", "CON", "NEUTRAL"], len(qrels))
        self.qrels = qrels
        self.runs = {}
        for i, name in enumerate(names):
            noise = rng.random(len(qrels)) * (1 + rng.random() * (qrels["iteration"] == "PRO"))
            score = 0.3 * (i % 7) * qrels["label"] + noise
            self.runs[name] = qrels[["qid", "docno"]].assign(score=score)
        self.baseline = names[0]
        self.averages, self.perquery = evaluate(self.runs, qrels, MEASURES, references=True,
                                                progress=False)
        self.ranked = analysis.ranked_groups(self.runs, qrels, depth=10)
        self.distribution = analysis.group_distribution(qrels)

    def compared(self, **options):
        return analysis.compare(self.perquery, self.baseline, resamples=99, **options)

    def intervals(self):
        domains = {str(topic): DOMAINS[topic % 3] for topic in range(20)}
        return analysis.intervals(self.perquery, "t", by=domains)

    def front(self):
        return analysis.frontier(self.qrels, RELEVANCE, FAIRNESS)

    def explained(self, measure):
        return explain(measure, self.runs[self.baseline], self.qrels, "1")


@pytest.fixture(scope="module")
def few():
    return Frames(LONG_NAMES)


@pytest.fixture(scope="module")
def many():
    return Frames(MANY_NAMES)


FIGURES = {
    "tradeoff": lambda f, ax: plots.tradeoff(f.averages, RELEVANCE, FAIRNESS, ax, front=f.front(),
                                             baseline=f.baseline),
    "signed tradeoff": lambda f, ax: plots.tradeoff(f.averages, RELEVANCE, BIAS, ax),
    "differences": lambda f, ax: plots.differences(f.compared(), FAIRNESS, ax),
    "verdicts": lambda f, ax: plots.differences(f.compared(tolerance={AWRF: 0.02}), AWRF, ax),
    "distribution": lambda f, ax: plots.distribution(f.perquery, FAIRNESS, ax),
    "topic_groups": lambda f, ax: plots.topic_groups(f.intervals(), FAIRNESS, ax),
    "correlations": lambda f, ax: plots.correlations(analysis.correlations(f.averages), ax),
    "strips": lambda f, ax: plots.strips(f.ranked, "1", ax, f.perquery, FAIRNESS),
    "exposure": lambda f, ax: plots.exposure(f.ranked[f.ranked["name"] == f.baseline],
                                             {"PRO": 0.5, "CON": 0.25}, ax=ax),
    "explain": lambda f, ax: plots.explain(f.explained("rND(protected='CON')@10"), ax),
    "explain, so far": lambda f, ax: plots.explain(f.explained(AWRF), ax),
    "shares": lambda f, ax: plots.shares(analysis.shares(f.runs, f.qrels), ax),
    "lorenz": lambda f, ax: plots.lorenz(analysis.document_exposure(f.runs), ax=ax),
    "groups_per_topic": lambda f, ax: plots.groups_per_topic(f.distribution, ax),
}
NAMING = ("differences", "distribution", "shares", "strips", "topic_groups")


@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
@pytest.mark.parametrize("figure", quick_cases(FIGURES, first=4))
def test_all_sizes(figure, few):
    assert_readable(FIGURES[figure](few, None))
    _, axes = plt.subplots(1, 2, figsize=(13, 6))
    for ax in axes:
        drawn = FIGURES[figure](few, ax)
    assert len(drawn.figure.legends) <= 1, "the panels share a legend"
    assert_readable(drawn)
    with plots.style("paper"):
        drawn = FIGURES[figure](few, None)
        assert_readable(drawn)
        assert drawn.figure.get_figwidth() == 3.3
        for text in drawn_texts(drawn.figure):
            assert 6 <= text.get_fontsize() <= 8, text


@pytest.mark.parametrize("style", quick_cases(["paper", None], first=1))
@pytest.mark.parametrize("figure", quick_cases(NAMING, first=1))
def test_many_systems(figure, style, many):
    with plots.style(style):
        assert_readable(FIGURES[figure](many, None))


@pytest.mark.parametrize("names", quick_cases([LONG_NAMES, MANY_NAMES], first=1))
def test_names_of_points(names):
    """Names cover neither points nor names; those without room are in one warning."""
    rng = np.random.default_rng(len(names))
    places = rng.normal(0.5, 0.02, (len(names), 2)).clip(0, 1)
    frame = pd.DataFrame({"name": names, "nDCG@5": places[:, 0], "rKL@5": places[:, 1]})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", FairnessWarning)
        ax = plots.tradeoff(frame, "nDCG@5", "rKL@5")
    messages = [str(one.message) for one in caught if one.category is FairnessWarning]
    assert len(messages) == (len(ax.texts) < len(names)) and ax.texts
    assert all("name of the point" in message for message in messages)
    assert_readable(ax)
    boxes = [Text.get_window_extent(text) for text in ax.texts]
    points = ax.transData.transform(places)
    assert not any(box.contains(*point) for box in boxes for point in points)
    assert not any(one.overlaps(two) for i, one in enumerate(boxes) for two in boxes[:i])
