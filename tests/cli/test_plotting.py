"""``pt-fairness plot``: the figures of pt_fairness.plots, in files."""

from __future__ import annotations

import io
import warnings

import numpy as np
import pytest

plt = pytest.importorskip("matplotlib.pyplot")

from pt_fairness import FairnessWarning, analysis, cli, evaluate, plots  # noqa: E402
from pt_fairness import io as files  # noqa: E402
from pt_fairness.cli.commands import FIGURES  # noqa: E402

MEASURES = ["nDCG@5", "rKL(protected='PRO')@5", "BiasP(pro='PRO',con='CON')@5"]
RUNS = ["x.bm25", "x.dph", "x.splade"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder, rng = tmp_path_factory.mktemp("plot"), np.random.default_rng(2)
    labels = rng.random((8, 10)) < 0.5
    (folder / "qrels").write_text("".join(
        f"{q + 1} {'PRO' if d % 3 else 'CON'} d{d} {int(labels[q, d])}\n"
        for q in range(8) for d in range(10)))
    for strength, name in enumerate(RUNS):
        (folder / name).write_text("".join(
            f"{q + 1} Q0 d{d} 1 {strength * labels[q, d] + rng.random():.6f} x\n"
            for q in range(8) for d in range(10)))
    return folder


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
@pytest.mark.parametrize("figure", FIGURES)
def test_it_draws_what_the_function_draws(figure, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    command = ["plot", figure, "qrels", *RUNS, "-m", *MEASURES, "-o"]
    assert cli.main([*command, f"{figure}.png"]) == 0, capsys.readouterr().err
    drawn = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        expected(figure, folder).figure.savefig(drawn, format="png", bbox_inches="tight")
    plt.close("all")
    assert (folder / f"{figure}.png").read_bytes() == drawn.getvalue()


@pytest.mark.parametrize("options, width, size", [
    (["--style", "paper"], 3.3, "8"), (["--width", "5"], 5.0, "10"),
    (["--style", "paper", "--font-size", "7"], 3.3, "7")])
def test_a_width_and_a_font_size(folder, monkeypatch, options, width, size):
    monkeypatch.chdir(folder)
    assert cli.main(["plot", "distribution", "qrels", *RUNS, "-m", "nDCG@5", *options,
                     "-o", "sized.svg"]) == 0
    text = (folder / "sized.svg").read_text("utf-8")
    assert f'width="{72 * width:g}pt"' in text
    assert f"font-size: {size}px" in text or f"scale({int(size) / 100:g} " in text


@pytest.mark.parametrize("name, options, start", [
    ("a.pdf", [], b"%PDF-"), ("a.svg", [], b"<?xml"), ("a.img", ["--format", "png"], b"\x89PNG")])
def test_formats(folder, monkeypatch, name, options, start):
    monkeypatch.chdir(folder)
    assert cli.main(["plot", "tradeoff", "qrels", *RUNS, "-m", *MEASURES, *options, "-o", name,
                     "--label", "nDCG@5=Relevance", "--names", "A", "B", "C"]) == 0
    text = (folder / name).read_bytes()
    assert text.startswith(start)
    if name == "a.svg":
        assert b"Relevance" in text and b"nDCG" not in text


def test_a_topic_and_a_baseline(folder, monkeypatch):
    monkeypatch.chdir(folder)
    for figure, options in (("strips", ["--topic", "3"]), ("differences", ["--baseline", "dph"])):
        command = ["plot", figure, "qrels", *RUNS, "-m", "nDCG@5", "-o"]
        assert cli.main([*command, "one.svg"]) == cli.main([*command, "two.svg", *options]) == 0
        one, two = ((folder / name).read_text("utf-8") for name in ("one.svg", "two.svg"))
        assert ("topic 3" in two) == (figure == "strips") and "topic 3" not in one
        if figure == "differences":  # the names on the axis are those of the other runs
            assert ["<!-- bm25 -->" in one, "<!-- bm25 -->" in two] == [False, True]


@pytest.mark.parametrize("figure, measures, options, says", [
    ("tradeoff", MEASURES, [], "such as -o tradeoff.pdf"),
    ("tradeoff", MEASURES, ["-o", "a.doc"], "ends in .pdf, .png or .svg"),
    ("tradeoff", ["nDCG@5"], ["-o", "a.pdf"], "tradeoff needs 2 measures"),
    ("strips", ["nDCG@5"], ["-o", "a.pdf", "--topic", "99"], "topic '99'"),
    ("strips", ["nDCG@5"], ["-o", "a.pdf", "--style", "poster"], "no style 'poster'; choose from"),
    ("strips", ["nDCG@5"], ["-o", "a.pdf", "--width", "0"], "width=0 is not possible"),
    ("strips", ["nDCG@5"], ["-o", "a.pdf", "--font-size", "nan"], "font_size=nan is not possible"),
    ("differences", ["nDCG@5"], ["-o", "a.pdf", "--baseline", "bm2"], "Did you mean 'bm25'?")])
def test_errors(folder, monkeypatch, capsys, figure, measures, options, says):
    monkeypatch.chdir(folder)
    assert cli.main(["plot", figure, "qrels", *RUNS, "-m", *measures, *options]) == 2
    err = capsys.readouterr().err
    assert says in err and err.splitlines()[-1].startswith("pt-fairness: error: ")
    assert not (folder / "a.doc").exists()


@pytest.mark.parametrize("arguments, message", [
    (["differences", "x.bm25"], "differences compares runs with a baseline; give two runs or more"),
    (["explain", *RUNS, "--baseline", "x.dph"], "explain compares nothing; leave out --baseline"),
    (["lorenz", *RUNS, "--references"], "lorenz shows no reference rankings; leave out"),
    (["strips", *RUNS, "--correction", "holm"], "strips tests nothing; leave out --correction"),
    (["differences", *RUNS, "--correction", "5"], "correction='5' is not possible")])
def test_options_that_do_not_go_together(arguments, message, folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    figure, *more = arguments
    assert cli.main(["plot", figure, "qrels", *more, "-m", *MEASURES, "-o", "x.png"]) == 2
    assert message in capsys.readouterr().err


def test_baseline_and_references_of_a_tradeoff(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert cli.main(["plot", "tradeoff", "qrels", *RUNS, "-m", *MEASURES, "-o", "x.svg",
                     "--baseline", "x.dph", "--references"]) == 0
    text = (folder / "x.svg").read_text()
    assert "<!-- baseline -->" in text and "<!-- [random order]" in text


def test_each_warning_is_written_once(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    (folder / "twice.run").write_text((folder / "x.dph").read_text() + "1 Q0 d1 1 0.5 x\n")
    assert cli.main(["plot", "strips", "qrels", "twice.run", "x.bm25", "-m", *MEASURES,
                     "-o", "x.png"]) == 0
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == len({*lines}) > 0
