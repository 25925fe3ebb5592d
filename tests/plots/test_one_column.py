"""Figures of one column of a proceedings page: all texts are inside, and large enough to read."""

from __future__ import annotations

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from figures import LONG_NAMES
from matplotlib.text import Text

from pt_fairness import analysis, evaluate, explain, plots

MEASURES = ["nDCG@10", "rKL(protected='PRO')@10", "AWRF(discount='trec',unannotated='keep')@10",
            "BiasP(pro='PRO',con='CON')@10", "rND(protected='CON')@10"]
RELEVANCE, FAIRNESS, _, BIAS, _ = MEASURES
BASELINE = LONG_NAMES[0]
DOMAINS = ["health and medicine", "society", "school"]


@pytest.fixture(scope="module")
def frames():
    """The qrels, the runs, the averages, the values of the topics, and the ranked groups."""
    rng = np.random.default_rng(3)
    qrels = pd.DataFrame([(str(topic), f"d{i}") for topic in range(20) for i in range(30)],
                         columns=["qid", "docno"])
    qrels["label"] = rng.integers(0, 2, len(qrels))
    qrels["iteration"] = rng.choice(["PRO", "CON", "NEUTRAL"], len(qrels))
    runs = {}
    for i, name in enumerate(LONG_NAMES):
        noise = rng.random(len(qrels)) * (1 + (qrels["iteration"] == "PRO"))
        runs[name] = qrels[["qid", "docno"]].assign(score=0.3 * i * qrels["label"] + noise)
    averages, values = evaluate(runs, qrels, MEASURES, baseline=BASELINE, references=True,
                                progress=False)
    return qrels, runs, averages, values, analysis.ranked_groups(runs, qrels, depth=10)


def differences(values, **options):
    return plots.differences(analysis.compare(values, BASELINE, **options), FAIRNESS)


def topic_groups(values):
    domains = {str(topic): DOMAINS[topic % 3] for topic in range(20)}
    return plots.topic_groups(analysis.topic_groups(values, domains), FAIRNESS)


def sweep():
    return pd.DataFrame({"set": np.repeat(["S1", "S2"], 2), "alpha": [-1.0, 1.0] * 2,
                         "measure": "nDJS", "mean": [0.2, 0.1, 0.3, 0.1], "sd": 0.01})


def ratios():
    return pd.DataFrame({"target": [0.1, 0.5, 0.9], "model": [0.2, 0.5, 1.0], "group": "female"})


def far_right(measure):
    """Draw the differences of systems whose names push the axes to the right."""
    names = [f"Olivier_Armstrong.run{i}" for i in range(8)]
    values = pd.DataFrame([(name, topic, measure, i * topic / 90) for i, name in enumerate(names)
                           for topic in range(10)], columns=["name", "qid", "measure", "value"])
    return plots.differences(analysis.compare(values, names[0]), measure)


def fifty_topics():
    topics = [str(topic) for topic in range(100, 150)]
    return plots.groups_per_topic(pd.DataFrame({"qid": topics, "group": "PRO", "relevant": 3.0}))


FIGURES = {
    "tradeoff": lambda q, runs, averages, v, r: plots.tradeoff(averages, RELEVANCE, FAIRNESS),
    "relevance_and_fairness": lambda q, runs, averages, v, r: plots.relevance_and_fairness(
        averages, RELEVANCE, MEASURES[1:]),
    "two axes": lambda q, runs, averages, v, r: plots.relevance_and_fairness(
        averages, RELEVANCE, [MEASURES[1], MEASURES[4]], panels=False),
    "correlations": lambda q, runs, averages, v, r: plots.correlations(
        analysis.correlations(averages)),
    "differences": lambda q, runs, a, values, r: differences(values),
    "verdicts": lambda q, runs, a, values, r: differences(values, tolerance={FAIRNESS: 0.02}),
    "distribution": lambda q, runs, a, values, r: plots.distribution(values, FAIRNESS),
    "bias_histogram": lambda q, runs, a, values, r: plots.bias_histogram(
        values[values["name"] == BASELINE], [BIAS, FAIRNESS]),
    "strips": lambda q, runs, a, values, ranked: plots.strips(
        ranked, "1", perquery=values, measure=FAIRNESS),
    "explain": lambda qrels, runs, a, v, r: plots.explain(
        explain(MEASURES[2], runs[BASELINE], qrels, "1")),
    "exposure": lambda qrels, runs, a, v, ranked: plots.exposure(
        ranked[ranked["name"] == BASELINE], analysis.group_distribution(qrels)),
    "groups_per_topic": lambda qrels, runs, a, v, r: plots.groups_per_topic(
        analysis.group_distribution(qrels)),
    "fifty topics": lambda *_: fifty_topics(),
    "far right": lambda *_: far_right("AWRF@10"),
    "lorenz": lambda q, runs, a, v, r: plots.lorenz(analysis.document_exposure(runs)),
    "topic_groups": lambda q, runs, a, values, r: topic_groups(values),
    "scatter": lambda q, runs, a, values, r: plots.scatter(
        values, (LONG_NAMES[0], FAIRNESS), (LONG_NAMES[3], FAIRNESS), label="a topic",
        quadrants=True),
    "bias_sweep": lambda *_: plots.bias_sweep(sweep()),
    "target_against_model": lambda *_: plots.target_against_model(ratios()),
}


def drawn_texts(figure) -> list[Text]:
    """Return the texts that are drawn; a tick outside the limits has a text that is not."""
    figure.canvas.draw()
    hidden = set()
    for ax in figure.axes:
        for axis in (ax.xaxis, ax.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in axis.get_major_ticks():
                if not low - 1e-9 <= tick.get_loc() <= high + 1e-9:
                    hidden |= {tick.label1, tick.label2}
    return [text for text in figure.findobj(Text)
            if text.get_visible() and text.get_text().strip() and text not in hidden]


def test_each_figure_is_here():
    kinds = {*FIGURES} - {"two axes", "verdicts", "fifty topics", "far right"}
    assert kinds == {*plots.__all__} - {"PALETTE", "style"}


@pytest.mark.first(4)
@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
@pytest.mark.parametrize("figure", FIGURES)
def test_texts_are_inside_one_column(figure, frames):
    with plots.style("paper"):
        drawn = FIGURES[figure](*frames).figure
        texts = drawn_texts(drawn)
        assert drawn.get_figwidth() == 3.3
        outer = drawn.bbox
        for text in texts:
            box = text.get_window_extent()
            assert outer.x0 - 0.5 <= box.x0 and box.x1 <= outer.x1 + 0.5, text
            assert outer.y0 - 0.5 <= box.y0 and box.y1 <= outer.y1 + 0.5, text
            # The name of a point or a topic is as large as its room.
            least = 5 if figure in ("tradeoff", "fifty topics") else 6.5
            assert least <= text.get_fontsize() <= 8, text
    assert texts


@pytest.mark.parametrize("measure", MEASURES)
def test_labels_are_inside_a_figure_of_any_width(measure):
    figure = far_right(measure).figure
    for text in drawn_texts(figure):
        box = text.get_window_extent()
        assert figure.bbox.x0 - 0.5 <= box.x0 and box.x1 <= figure.bbox.x1 + 0.5, text


@pytest.mark.parametrize("width, font_size", [(2.0, 6.0), (7.0, 9.0)])
def test_widths_and_sizes(frames, width, font_size):
    with plots.style(width=width, font_size=font_size):
        ax = plots.distribution(frames[3], FAIRNESS)
        texts = drawn_texts(ax.figure)
    assert texts
    assert ax.figure.get_figwidth() == width and ax.xaxis.label.get_fontsize() == font_size
    for text in texts:
        box = text.get_window_extent()
        assert box.x0 >= -0.5 and box.x1 <= ax.figure.bbox.x1 + 0.5, text


def test_the_smallest_font_labels_points(frames):
    averages = frames[2]
    with plots.style(font_size=5):
        ax = plots.tradeoff(averages, RELEVANCE, FAIRNESS)
    labels = [text for text in ax.texts if text.get_text()]
    assert labels and {text.get_fontsize() for text in labels} == {5.0}
    plt.close(ax.figure)


def test_a_style_ends_with_its_block():
    before = dict(matplotlib.rcParams)
    with pytest.raises(ZeroDivisionError), plots.style("paper"):
        _ = 1 / 0
    assert dict(matplotlib.rcParams) == before
    names = [f"a system with a name, {i}" for i in range(30)]
    values = pd.DataFrame({"name": names, "qid": "1", "measure": "rKL@10", "value": 0.5})
    assert plots.distribution(values).figure.get_figwidth() > plt.rcParams["figure.figsize"][0]
