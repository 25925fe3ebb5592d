"""``pt-fairness measures``: an overview on a screen, and measures in full."""

import inspect

import pytest

from pt_fairness import cli
from pt_fairness.declarations.bibliography import BIBLIOGRAPHY
from pt_fairness.measures import MEASURES


@pytest.fixture
def measures(capsys):
    """``measures(argument…)``: exit code, standard output and standard error."""
    return lambda *arguments: (cli.main(["measures", *arguments]), *capsys.readouterr())


def test_a_line_for_each_measure(measures, monkeypatch):
    monkeypatch.delenv("COLUMNS", raising=False)
    code, out, _ = measures()
    lines = out.splitlines()
    assert code == 0 and lines[0].split() == ["measure", "range", "fair", "what", "it", "asks"]
    assert [line.split()[0] for line in lines[1:]] == list(MEASURES)
    for line, measure in zip(lines[1:], MEASURES.values(), strict=True):
        end = "more" if measure.NAME in ("FaiRR", "EER") else f"{measure.FAIR_END:g}"
        assert line.endswith(f" {end:<4}  {measure.SHORT_DESC}")
    assert "RepBias      −1 to 1 " in out and "DistKL       0 or more " in out


@pytest.mark.parametrize("columns", [60, 80])
def test_lines_fit_the_screen(measures, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = measures()[1].splitlines()
    assert len(lines) == len(MEASURES) + 1 and max(map(len, lines)) <= columns
    assert lines[1].endswith(" …") and MEASURES["Annotated"].SHORT_DESC[:20] in lines[1]


def test_some_in_full(measures):
    code, out, _ = measures("rKL", "β_P")
    assert code == 0
    for name in ("rKL", "BiasP"):
        _, *lines = inspect.cleandoc(type(MEASURES[name]).__doc__).splitlines()
        assert all(line in out for line in lines)
        assert all(str(BIBLIOGRAPHY[key]) in out for key in MEASURES[name].SOURCE)
        for parameter in MEASURES[name].SUPPORTED_PARAMS:
            assert f"\n    {parameter}: " in out
    assert "    step: evaluate every step-th rank (default 1)\n" in out


def test_the_form_is_that_of_the_option(measures, tmp_path):
    code, out, _ = measures("rKL", "--format", "markdown")
    assert code == 0 and out.count("\n") == 3 and "| `rKL` |" in out
    assert measures("--format", "full")[1].count("\n    range ") == len(MEASURES)
    path = tmp_path / "page.rst"
    assert measures("--format", "rst", "-o", str(path)) == (0, "", "")
    assert path.read_text(encoding="utf-8") == measures("--format", "rst")[1]


def test_a_measure_of_another_package(measures):
    code, out, err = measures("nDCG")
    assert (code, out) == (2, "") and "'nDCG' is none of the measures of this package" in err
