"""``pt-fairness plot``: the figures of pt_fairness.plots, in files."""

import io
import itertools
import re
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pytest
from case_marks import quick_cases
from one_test import each

from pt_fairness import FairnessWarning, analysis, evaluate, plots
from pt_fairness import io as files
from pt_fairness.cli.experiments import FIGURES

MEASURES = ["nDCG@5", "rKL(protected='PRO')@5", "BiasP(pro='PRO',con='CON')@5"]
RUNS = ["bm25", "dph", "splade"]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder, rng = tmp_path_factory.mktemp("plot"), np.random.default_rng(2)
    labels = rng.random((6, 10)) < 0.5
    pairs = list(itertools.product(range(6), range(10)))
    (folder / "qrels").write_text("".join(
        f"{q + 1} {'PRO' if d % 3 else 'CON'} d{d} {int(labels[q, d])}\n" for q, d in pairs))
    for strength, name in enumerate(RUNS):
        (folder / name).write_text("".join(
            f"{q + 1} Q0 d{d} 1 {strength * labels[q, d] + rng.random():.6f} x\n"
            for q, d in pairs))
    return folder


@pytest.fixture
def folder(data, monkeypatch):
    monkeypatch.chdir(data)
    return data


@pytest.fixture
def plot(folder, command):
    """``plot(figure, option…, measures=…)``: exit code and messages."""
    def call(figure, *options, runs=RUNS, measures=MEASURES):
        code, _, err = command("plot", figure, "qrels", *runs, "-m", *measures, *options)
        return code, err
    return call


def expected(figure, folder):
    """The axes that Python code draws."""
    runs = {name: files.read_run(folder / name) for name in RUNS}
    qrels = files.read_qrels(folder / "qrels")
    averages, perquery = evaluate(runs, qrels, MEASURES, progress=False)
    ranked = analysis.ranked_groups(runs, qrels)
    return {
        "tradeoff": lambda: plots.tradeoff(averages, *MEASURES[:2]),
        "correlations": lambda: plots.correlations(analysis.correlations(averages)),
        "differences": lambda: plots.differences(analysis.compare(perquery, "bm25"), MEASURES[0]),
        "distribution": lambda: plots.distribution(perquery, MEASURES[0]),
        "strips": lambda: plots.strips(ranked, "1", perquery=perquery, measure=MEASURES[0]),
        "explain": lambda: plots.explain(analysis.explain(MEASURES[0], runs["bm25"], qrels, "1")),
        "shares": lambda: plots.shares(analysis.shares(runs, qrels)),
    }[figure]()


@pytest.mark.parametrize("figure", quick_cases(FIGURES, first=2))
def test_it_draws_what_the_function_draws(figure, folder, plot):
    options = {"tradeoff": {"measures": MEASURES[:2]}, "explain": {"runs": RUNS[:1]}}
    code, err = plot(figure, "-o", f"{figure}.png", **options.get(figure, {}))
    assert code == 0, err
    drawn = io.BytesIO()
    with warnings.catch_warnings(), plots.style():
        warnings.simplefilter("ignore", FairnessWarning)
        expected(figure, folder).figure.savefig(drawn, format="png")
    plt.close("all")
    assert (folder / f"{figure}.png").read_bytes() == drawn.getvalue()


@each("options, width, size", [(["--style", "paper", "--font-size", "7"], 3.3, 7),
                               (["--width", "5"], 5.0, 10)])
def test_a_width_and_a_font_size(folder, plot, options, width, size):
    assert plot("distribution", *options, "-o", "sized.svg", measures=["nDCG@5"])[0] == 0
    text = (folder / "sized.svg").read_text("utf-8")
    assert f'width="{72 * width:g}pt"' in text
    assert f"font-size: {size}px" in text or f"scale({size / 100:g} " in text


def texts(path):
    """The texts of a figure, in their order; matplotlib writes them as comments."""
    return re.findall("<!-- (.*?) -->", path.read_text("utf-8"))


def test_names_a_baseline_and_references_of_a_tradeoff(folder, plot):
    code, _ = plot("tradeoff", "-o", "x.svg", "--baseline", "B", "--references", "--front",
                   "--names", "A", "B", "C", measures=MEASURES[:2])
    shown = texts(folder / "x.svg")
    assert code == 0 and {"A", "B", "C", "baseline", "front of the judgments"} <= {*shown}
    assert any(text.startswith("[random order]") for text in shown)


def test_a_topic_and_a_baseline(folder, plot):
    assert plot("strips", "--topic", "3", "-o", "topic.svg", measures=["nDCG@5"])[0] == 0
    assert "topic 3, by nDCG@5" in texts(folder / "topic.svg")
    assert plot("differences", "--baseline", "dph", "-o", "y.svg", measures=["nDCG@5"])[0] == 0
    shown = texts(folder / "y.svg")  # the names on the axis: those of the other runs
    assert "bm25" in shown and "dph" not in shown


@each("figure, options, says", [
    ("tradeoff", "", "--output"), ("strips", "-o no.doc", "'doc'"),
    ("tradeoff", "-o no.pdf -m P@5", "P@5"), ("tradeoff", "-o no.pdf", "BiasP"),
    ("explain", "-o no.pdf", "one run"),
    ("strips", "-o no.pdf --topic 99", "'99'"),
    ("strips", "-o no.pdf --style poster", "'poster'"),
    ("differences", "-o no.pdf --baseline bm2", "'bm25'"),
    ("tradeoff", "-o no.pdf --topic 1", "--topic"), ("explain", "-o no.pdf --front", "--front"),
    ("differences", "-o no.pdf --correction 5", "'5'")])
def test_errors(folder, plot, figure, options, says):
    code, err = plot(figure, *options.split())
    assert code == 2 and says in err and err.count("error: ") == 1
    assert not (folder / "no.doc").exists() and not (folder / "no.pdf").exists()
