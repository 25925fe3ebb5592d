"""Measures as people type them, and the papers that they are from."""

import re

import ir_measures
import pytest
from one_test import each

import pt_fairness
from pt_fairness.measures.descriptions import BIBLIOGRAPHY
from pt_fairness.measures.measure_names import meant, parse, parsed_one, split


@each("typed, suggested", [
    ("α-nDCG@10", "α_nDCG@10"), ("alpha-nDCG@10", "alpha_nDCG@10"), ("rkl@10", "rKL@10"),
    ("ndcg_cut_10", "nDCG@10"), ("map", "AP"), ("P_10", "P@10"), ("recip_rank", "RR"),
    ("RKL(protected='CON')@5", "rKL(protected='CON')@5"),
    ("err-ia@20", "ERR_IA@20"), ("β-P@5", "β_P@5"), ("nDCGG@5", "nDCG@5")])
def test_did_you_mean(typed, suggested):
    assert meant(typed) == suggested
    assert isinstance(parse(suggested), ir_measures.Measure)
    with pytest.raises(ValueError, match=re.escape(f"{suggested!r}?")):
        parsed_one(typed)


@each("typed", ["qwertz", "", "official", "nDCG@", "rKL(groups='x'@5"])
def test_nothing_is_near(typed, capsys):
    assert meant(typed) is None
    with pytest.raises(ValueError, match=re.escape(repr(typed))) as error:
        parsed_one(typed)
    assert "Did you mean" not in str(error.value)
    assert capsys.readouterr() == ("", "")


@each("typed, says", [
    ("rKL(protected=indie)@10", "quotes: protected='indie'"), ("nDCG@10,AWRF@10", "spaces"),
    ("AWRF(target='qrels', groups=stance)@5", "quotes: groups='stance'"),
    ("nDCG@10;AWRF(target={'a':0.5,'b':0.5})@10", "spaces")])
def test_what_a_text_needs(typed, says):
    with pytest.raises(ValueError, match=says):
        parsed_one(typed)


@each("text, parts", [
    ("nDCG@10 rKL@5", ["nDCG@10", "rKL@5"]), ("rKL @ 10  P@5", ["rKL @ 10", "P@5"]),
    (" rKL(groups='stance', target='run')@10 ", ["rKL(groups='stance', target='run')@10"]),
    ("rKL( protected = 'a (b', target={'P': 1} )@5 AP",
     ["rKL( protected = 'a (b', target={'P': 1} )@5", "AP"]),
    ("rKL(groups='x", ["rKL(groups='x"]), ("", [])])
def test_white_space_within_a_measure(text, parts):
    assert split(text) == parts


@each("text", ["RaB(values={'PRO':1,'CON':-1})@10", "RaB(values={'PRO': 1.0, 'CON': -1.0}) @ 10"])
def test_negative_numbers(text):
    with pytest.raises(ValueError):  # so the plain parser needs them as text
        ir_measures.parse_measure(text)
    assert parsed_one(text) == pt_fairness.RaB(values={"PRO": 1, "CON": -1}) @ 10
    assert ir_measures.parse_measure(str(parsed_one(text))) == parsed_one(text)
    # A minus in a label is kept.
    assert parsed_one("rKL(protected='a-1')@5") == pt_fairness.rKL(protected="a-1") @ 5


@each("measure", [pt_fairness.RADio(alpha=1e-5) @ 10, pt_fairness.RaB(values={"A": -1e-7, "B": 1})])
def test_small_numbers(measure):
    assert parsed_one(str(measure)) == measure


@each("typed", ["nDCG@0", "P@-1", "AP@3000000000"])
def test_cutoffs_that_would_abort_the_interpreter(typed):
    with pytest.raises(ValueError, match=r"cutoff|nDCG@10"):
        parsed_one(typed)


def test_authors_and_venues():
    assert BIBLIOGRAPHY["das2019"].short == "Das & Lease 2019"
    assert BIBLIOGRAPHY["sakai2007"].short == "Sakai 2007"
    assert BIBLIOGRAPHY["pathiyancherumanal2021"].short == "Pathiyan Cherumanal et al. 2021"
    assert BIBLIOGRAPHY["vrijenhoek2022"].families[-1] == "de Rijke"
    assert BIBLIOGRAPHY["das2019"].venue == "arXiv:1907.09328, 2019"
    assert BIBLIOGRAPHY["draws2021"].venue == "SIGKDD Explorations 23(1), 2021"
    assert str(BIBLIOGRAPHY["yang2017"]) == ("Ke Yang and Julia Stoyanovich. Measuring Fairness in "
                                            "Ranked Outputs. SSDBM 2017.")
