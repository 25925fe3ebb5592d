"""What cannot be drawn, a missing matplotlib, and the fonts of files."""

from __future__ import annotations

import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from pt_fairness import analysis, plots

AVERAGES = pd.DataFrame({"name": ["A", "B"], "nDCG@5": [0.5, 0.9], "rKL@5": [0.1, 0.4],
                         "AWRF@5": [0.9, 0.8]})
NO_VALUE = AVERAGES.assign(**{"rKL@5": np.nan})
TEXTS = AVERAGES.assign(**{"rKL@5": ["0.1", "-"]})
#: Values of two systems by two measures, and their comparison.
VALUES = pd.DataFrame([(name, qid, measure, i * int(qid) / 9) for i, name in enumerate("AB")
                       for qid in "123" for measure in ("rKL@5", "BiasP@5")],
                      columns=["name", "qid", "measure", "value"])
ONE_MEASURE = VALUES[VALUES["measure"] == "rKL@5"]
APART = ONE_MEASURE[ONE_MEASURE["name"].eq("A") == ONE_MEASURE["qid"].eq("1")]
QRELS = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": 1, "iteration": ["x", "y"]})
RANKED = analysis.ranked_groups({"one": QRELS.assign(score=[2.0, 1.0])}, QRELS)
STEPS = pd.DataFrame(columns=["rank", "docno", "group", "counts", "value"])
EXPOSURE = pd.DataFrame({"name": "A", "docno": ["x", "y"], "exposure": [3.0, 1.0]})
SWEEP = pd.DataFrame({"set": "S", "alpha": 0.0, "measure": ["nDJS", "nDD"], "mean": 0.5, "sd": 0.1})
RATIOS = pd.DataFrame(columns=["target", "model"])
DISTRIBUTION = pd.DataFrame({"qid": ["all"], "group": "g", "relevant": 1.0})
BOTH = ("A", "rKL@5"), ("B", "rKL@5")


def compared(frame=VALUES):
    return analysis.compare(frame, "A", resamples=9)


def tradeoff(frame, fairness="rKL@5", **options):
    return plots.tradeoff(frame, "nDCG@5", fairness, **options)


def panels(frame=AVERAGES, fairness="rKL@5", *options):
    return plots.relevance_and_fairness(frame, "nDCG@5", fairness, *options)


@pytest.mark.parametrize("draw, says", [
    (lambda: plots.groups_per_topic(DISTRIBUTION.head(0)), "no rows"),
    (lambda: plots.groups_per_topic(DISTRIBUTION), "no rows"),
    (lambda: tradeoff(AVERAGES.head(0)), "no rows"),
    (lambda: tradeoff(NO_VALUE), "no system has values of nDCG@5 and rKL"),
    (lambda: tradeoff(AVERAGES, "rND@5"), "no measure 'rND@5'"),
    (lambda: tradeoff(AVERAGES, front=AVERAGES[["name", "nDCG@5"]]),
     "the front has no column 'rKL@5'"),
    (lambda: panels(AVERAGES.head(0)), "no rows"),
    (lambda: panels(fairness="rND@5"), "no measure 'rND@5'"),
    (lambda: panels(NO_VALUE), "no system has a value of rKL@5, so there is nothing to draw"),
    (lambda: panels(TEXTS), "rKL@5 has to be a column of numbers, and B has '-'"),
    (lambda: panels(AVERAGES, "rKL@5", plt.figure().add_axes((0, 0, 1, 1))), "axes of a grid"),
    (lambda: panels(AVERAGES, ["rKL@5", "AWRF@5"], None, False), "ends of rKL@5, AWRF@5 differ"),
    (lambda: plots.differences(compared().head(0), "rKL@5"), "the comparison has no rows"),
    (lambda: plots.differences(compared()), "2 measures, and one is needed"),
    (lambda: plots.differences(compared().drop(columns="measure")), "has no column 'measure'"),
    (lambda: plots.correlations(AVERAGES), "not a DataFrame"),
    (lambda: plots.correlations(analysis.correlations(AVERAGES[["name", "rKL@5"]])),
     "needs two measures, and the table has 'rKL@5"),
    (lambda: plots.bias_sweep(SWEEP.head(0)), "no rows"),
    (lambda: plots.bias_sweep(SWEEP), "2 measures, and one is needed"),
    (lambda: plots.bias_sweep(SWEEP, "nDXX"), "no values of 'nDXX'"),
    (lambda: plots.bias_histogram(VALUES.head(0)), "no rows"),
    (lambda: plots.bias_histogram(VALUES.head(1).assign(value=np.nan)), "nothing to draw"),
    (lambda: plots.bias_histogram(VALUES), "2 systems, and the figure shows one"),
    (lambda: plots.distribution(ONE_MEASURE.assign(value=np.nan)), "no topic has a value of rKL@5"),
    (lambda: plots.strips(RANKED, "9"), "returned a document for topic '9'"),
    (lambda: plots.strips(RANKED, "1", measure="rKL@5"), "needs the values of the systems"),
    (lambda: plots.strips(RANKED, "1", perquery=ONE_MEASURE[ONE_MEASURE["qid"] == "2"]),
     "no value of rKL@5 for topic '1'"),
    (lambda: plots.exposure(RANKED.head(0)), "nothing to draw"),
    (lambda: plots.exposure(pd.concat([RANKED, RANKED.assign(name="two")])), "has 2 systems"),
    (lambda: plots.exposure(RANKED.assign(group=None)), "no document of the frame has a group"),
    (lambda: plots.exposure(RANKED, {"z": 1.0}), "a share for 'z', and no ranked document"),
    (lambda: plots.explain(STEPS), "the explanation has no rows"),
    (lambda: plots.explain(RANKED.assign(counts=True)), "a column 'contribution' nor 'value'"),
    (lambda: plots.lorenz(EXPOSURE.head(0)), "the table of exposures"),
    (lambda: plots.lorenz(EXPOSURE, 1), "population=1 is not possible: 'A' has 2 rows"),
    (lambda: plots.lorenz(EXPOSURE.assign(exposure=0)), "no run has any exposure"),
    (lambda: plots.lorenz(EXPOSURE.drop(columns="exposure")), "exposure"),
    (lambda: plots.topic_groups(VALUES), "frame of topic groups has no column 'group'"),
    (lambda: plots.target_against_model(RATIOS), "no rows"),
    (lambda: plots.target_against_model(pd.DataFrame({"target": [0.5], "model": 0.4}), n=0),
     "n=0 is not possible; it takes a whole number"),
    (lambda: plots.scatter(VALUES.head(0), *BOTH), "no rows"),
    (lambda: plots.scatter(VALUES, ("Z", "rKL@5"), BOTH[1]),
     "no values of rKL@5 for 'Z'; it has the systems 'A', 'B'"),
    (lambda: plots.scatter(APART, *BOTH), "no topic has a value of rKL@5 for 'A' and one of"),
    (lambda: plots.scatter(pd.concat([VALUES, VALUES.tail(2)]), *BOTH),
     "B has several values of rKL@5 for topic 3"),
    (lambda: plots.scatter(VALUES, *BOTH, limits=(0.1, 1)), r"limits=\(0.1, 1\) does not include"),
    (lambda: plots.style("poster").__enter__(), "no style 'poster'"),
    (lambda: plots.style(width=1).__enter__(), "width=1 is not possible"),
    (lambda: plots.style(width=float("inf")).__enter__(), "width=inf"),
    (lambda: plots.style(font_size=2).__enter__(), "font_size=2 is not possible")])
def test_wrong_input(draw, says):
    before = plt.get_fignums()
    with pytest.raises(ValueError, match=says):
        draw()
    left = set(plt.get_fignums()).difference(before)
    assert len(left) <= says.startswith("axes"), "a figure is left"


def means_of_topic_groups():
    return analysis.topic_groups(ONE_MEASURE, {"1": "x", "2": "x", "3": "y"})


ONE_RATIO = pd.DataFrame({"target": [0.5], "model": 0.4})


@pytest.mark.parametrize("draw, frame, columns", [
    (plots.groups_per_topic, DISTRIBUTION.assign(qid="1"), ["relevant"]),
    (tradeoff, AVERAGES, ["nDCG@5", "rKL@5"]),
    (panels, AVERAGES, ["nDCG@5", "rKL@5"]),
    (plots.differences, compared(ONE_MEASURE), ["difference", "low", "high"]),
    (plots.topic_groups, means_of_topic_groups(), ["mean", "low", "high"]),
    (plots.distribution, ONE_MEASURE, ["value"]),
    (lambda frame: plots.scatter(frame, *BOTH), ONE_MEASURE, ["value"]),
    (plots.bias_histogram, ONE_MEASURE[ONE_MEASURE["name"] == "A"], ["value"]),
    (plots.target_against_model, ONE_RATIO, ["target", "model"]),
    (plots.lorenz, EXPOSURE, ["exposure"]),
    (plots.bias_sweep, SWEEP.head(1), ["alpha", "mean", "sd"])])
@pytest.mark.parametrize("wrong", [np.inf, "high"])
def test_numbers_have_to_be_finite(draw, frame, columns, wrong):
    before = plt.get_fignums()
    for column in columns:
        row = frame.index[-1]
        values = [*frame[column].astype(object)[:-1], wrong]
        message = f"{column} is {wrong} in row {row}; leave the row out"
        if column in ("value", "nDCG@5", "rKL@5") and wrong == "high":
            message = "high"
        with pytest.raises(ValueError, match=message):
            draw(frame.assign(**{column: pd.Series(values, frame.index).infer_objects()}))
    assert plt.get_fignums() == before, "a figure is left"


@pytest.mark.parametrize("draw, frame", [(plots.distribution, ONE_MEASURE),
                                         (plots.target_against_model, ONE_RATIO)])
@pytest.mark.parametrize("seed", [-1, 0.5])
def test_seed_is_a_whole_number(draw, frame, seed):
    before = plt.get_fignums()
    with pytest.raises(ValueError, match=f"seed={seed} is not possible; it takes a whole number"):
        draw(frame, seed=seed)
    assert plt.get_fignums() == before, "a figure is left"


def test_only_figures_import_matplotlib():
    code = """
import sys, pt_fairness, pt_fairness.analysis, pt_fairness.analysis.simulation
assert "matplotlib" not in sys.modules
sys.modules["matplotlib"] = None
try:
    pt_fairness.plots
except ImportError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "pip install 'pt-fairness[plots]'" in done.stdout


def test_pdf_fonts_are_true_type(tmp_path):
    tradeoff(AVERAGES).figure.savefig(tmp_path / "figure.pdf")
    content = (tmp_path / "figure.pdf").read_bytes()
    assert b"Type3" not in content and b"/CIDFontType2" in content
