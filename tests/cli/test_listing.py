"""``pt-fairness measures``: an overview on a screen, and measures in full."""

import inspect
import re

import pytest
from one_test import each

from pt_fairness import cli
from pt_fairness.measures import MEASURES
from pt_fairness.measures.descriptions import BIBLIOGRAPHY


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
        own = [line for line in lines if "\\" not in line and ".. math" not in line
               and line != "As rND."]
        assert len(own) > 20 and all(line in out for line in own)
        assert all(str(BIBLIOGRAPHY[key]) in out for key in MEASURES[name].SOURCE)
        for parameter in MEASURES[name].SUPPORTED_PARAMS:
            assert f"\n    {parameter}: " in out
    assert "    step: evaluate every step-th rank (default 1)\n" in out


def test_formulas_are_unicode(measures):
    out = measures("rND", "DistKL", "GF", "BiasRBP")[1]
    for formula in ("1/Z Σ_(i ∈ I) 1/log₂(i+1) | S⁺_(1..i)/i − S⁺/N |",
                    "KL(P ‖ T)\n       P_g = (c_g + λ)/(n + λ |G|)\n", "(1 − p) Σ_i pⁱ⁻¹ s_i",
                    "Decay_i = s_i Π_(j<i) (1 − s_j), s_i = G_i/(G_max + 1)"):
        assert f"       {formula}" in out


@each("name", MEASURES)
def test_no_latex_is_left(measures, name):
    out = measures(name)[1]
    formula = re.search(r"    Formula\n    -+\n(.*?)\n\n", out, re.DOTALL)
    assert ".. math" not in out and ":func:" not in out
    if formula is not None:
        assert not re.search(r"[\\{}$]|\bfrac|\bmathrm", formula[1]), formula[1]
        assert formula[1].count("(") == formula[1].count(")")
        assert "\\" not in out.split("Examples\n")[0]


def test_what_is_as_for_another_measure_is_written_out(measures):
    for name in MEASURES:
        out = measures(name)[1]
        assert not re.search(r"\bas (for )?(rND|nDD|Skew)\b", out, re.IGNORECASE), name
    edge = measures("rND")[1].split("Edge cases\n")[1].split("    Source\n")[0]
    assert edge in measures("rKL")[1]
    both = measures("rRD")[1]
    own = "    The measure is meant for a protected group that is the minority."
    assert both.index(own) < both.index(edge.split("\n", 1)[1].strip()[:60])


def test_the_form_is_that_of_the_option(measures, tmp_path):
    code, out, _ = measures("rKL", "--format", "text")
    assert code == 0 and out.count("\n") == 2 and "\nrKL " in out
    full = measures("--format", "full")[1]
    assert full.count("\n    range ") == len(MEASURES)
    path = tmp_path / "measures.txt"
    assert measures("--format", "full", "-o", str(path)) == (0, "", "")
    assert path.read_text(encoding="utf-8") == full


def test_a_measure_of_another_package(measures):
    code, out, err = measures("nDCG")
    assert (code, out) == (2, "") and "'nDCG' is none of the measures of this package" in err
