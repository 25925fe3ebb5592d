"""``pt-fairness plot``: the figures of pt_fairness.plots, in files."""

from __future__ import annotations

import io
import itertools
import warnings

import numpy as np
import pytest
from one_test import each

plt = pytest.importorskip("matplotlib.pyplot")

from pt_fairness import FairnessWarning, analysis, evaluate, plots  # noqa: E402
from pt_fairness import io as files  # noqa: E402
from pt_fairness.cli.commands import FIGURES  # noqa: E402

MEASURES = ["nDCG@5", "rKL(protected='PRO')@5", "BiasP(pro='PRO',con='CON')@5"]
RUNS = ["x.bm25", "x.dph", "x.splade"]


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    folder, rng = tmp_path_factory.mktemp("plot"), np.random.default_rng(2)
    labels = rng.random((8, 10)) < 0.5
    pairs = list(itertools.product(range(8), range(10)))
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
    runs = {name.removeprefix("x."): files.read_run(folder / name) for name in RUNS}
    qrels = files.read_qrels(folder / "qrels")
    averages, perquery = evaluate(runs, qrels, MEASURES, progress=False)
    ranked = analysis.ranked_groups(runs, qrels)
    return {
        "tradeoff": lambda: plots.tradeoff(averages, *MEASURES[:2]),
        "relevance_and_fairness": lambda: plots.relevance_and_fairness(
            averages, MEASURES[0], MEASURES[1:]),
        "correlations": lambda: plots.correlations(analysis.correlations(averages)),
        "differences": lambda: plots.differences(analysis.compare(perquery, "bm25"), MEASURES[0]),
        "distribution": lambda: plots.distribution(perquery, MEASURES[0]),
        "bias_histogram": lambda: plots.bias_histogram(
            perquery[perquery["name"] == "bm25"], MEASURES),
        "strips": lambda: plots.strips(ranked, "1", perquery=perquery, measure=MEASURES[0]),
        "explain": lambda: plots.explain(analysis.explain(MEASURES[0], runs["bm25"], qrels, "1")),
        "exposure": lambda: plots.exposure(ranked[ranked["name"] == "bm25"]),
        "groups_per_topic": lambda: plots.groups_per_topic(analysis.group_distribution(qrels)),
        "lorenz": lambda: plots.lorenz(analysis.document_exposure(runs)),
    }[figure]()


@pytest.mark.first(6)
@pytest.mark.parametrize("figure", ["tradeoff", *(name for name in FIGURES if name != "tradeoff")])
def test_it_draws_what_the_function_draws(figure, folder, plot):
    code, err = plot(figure, "-o", f"{figure}.png")
    assert code == 0, err
    drawn = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        expected(figure, folder).figure.savefig(drawn, format="png", bbox_inches="tight")
    plt.close("all")
    assert (folder / f"{figure}.png").read_bytes() == drawn.getvalue()


@pytest.mark.parametrize("options, width, size", [
    (["--style", "paper", "--font-size", "7"], 3.3, "7"), (["--width", "5"], 5.0, "10")])
def test_a_width_and_a_font_size(folder, plot, options, width, size):
    assert plot("distribution", *options, "-o", "sized.svg", measures=["nDCG@5"])[0] == 0
    text = (folder / "sized.svg").read_text("utf-8")
    assert f'width="{72 * width:g}pt"' in text
    assert f"font-size: {size}px" in text or f"scale({int(size) / 100:g} " in text


@pytest.mark.parametrize("name, options, start", [
    ("a.pdf", [], b"%PDF-"), ("a.img", ["--format", "png"], b"\x89PNG")])
def test_formats(folder, plot, name, options, start):
    assert plot("distribution", *options, "-o", name)[0] == 0
    assert (folder / name).read_bytes().startswith(start)


def test_names_a_baseline_and_references_of_a_tradeoff(folder, plot):
    (folder / "twice.run").write_text((folder / "x.dph").read_text() + "1 Q0 d1 1 0.5 x\n")
    code, err = plot("tradeoff", "-o", "x.svg", "--baseline", "B", "--references", "--front",
                     "--label", "nDCG@5=Relevance", "--names", "A", "B", "C",
                     runs=["twice.run", "x.dph", "x.splade"])
    text = (folder / "x.svg").read_text("utf-8")
    assert code == 0 and "<!-- baseline -->" in text and "<!-- [random order]" in text
    assert "Relevance" in text and "nDCG" not in text
    lines = err.splitlines()
    assert len(lines) == len({*lines}) > 0, "each warning is written once"


def test_a_topic_and_a_baseline(folder, plot):
    assert plot("strips", "--topic", "3", "-o", "topic.svg", measures=["nDCG@5"])[0] == 0
    assert "topic 3" in (folder / "topic.svg").read_text("utf-8")
    assert plot("differences", "--baseline", "dph", "-o", "y.svg", measures=["nDCG@5"])[0] == 0
    text = (folder / "y.svg").read_text("utf-8")  # the names on the axis: those of the other runs
    assert "<!-- bm25 -->" in text and "<!-- dph -->" not in text


@each("figure, options, says", [
    ("tradeoff", "", "such as -o tradeoff.pdf"),
    ("tradeoff", "-o a.doc", "ends in .pdf, .png or .svg"),
    ("tradeoff", "-o a.pdf -m P@5", "tradeoff needs 2 measures"),
    ("strips", "-o a.pdf --topic 99", "topic '99'"),
    ("strips", "-o a.pdf --style poster", "no style 'poster'; choose from"),
    ("strips", "-o a.pdf --width 0", "width=0 is not possible"),
    ("strips", "-o a.pdf --font-size nan", "font_size=nan is not possible"),
    ("differences", "-o a.pdf --baseline bm2", "Did you mean 'bm25'?"),
    ("tradeoff", "-o a.pdf --topic 1", "tradeoff shows all topics; leave out --topic"),
    ("lorenz", "-o a.pdf --topic 1", "lorenz shows all topics; leave out --topic"),
    ("explain", "-o a.pdf --baseline x.dph", "explain compares nothing; leave out --baseline"),
    ("lorenz", "-o a.pdf --references", "lorenz shows no reference rankings; leave out"),
    ("lorenz", "-o a.pdf --front", "lorenz shows no front; leave out"),
    ("strips", "-o a.pdf --correction holm", "strips tests nothing; leave out --correction"),
    ("differences", "-o a.pdf --correction 5", "correction='5' is not possible")])
def test_errors(folder, plot, figure, options, says):
    code, err = plot(figure, *options.split())
    assert code == 2 and says in err and err.splitlines()[-1].startswith("pt-fairness: error: ")
    assert not (folder / "a.doc").exists()


def test_one_run_has_no_differences(plot):
    code, err = plot("differences", "-o", "x.png", runs=["x.bm25"])
    assert code == 2 and "differences compares runs with a baseline; give two runs or more" in err
