"""Citations in text, in LaTeX and in BibTeX, and the references of other packages."""

from __future__ import annotations

import re

import pytest
from ir_measures import P, nDCG

import pt_fairness
from pt_fairness import rKL
from pt_fairness.measures.bibliography import BIBLIOGRAPHY
from pt_fairness.reporting import citations
from pt_fairness.reporting.citations import OTHERS, SOFTWARE, Cite

TEXT = ["rKL@10 (", Cite(["yang2017", "jarvelin2002"]), ") by ", Cite([SOFTWARE]), "."]


def test_citations_in_text_are_authors_and_years():
    assert citations.as_text(TEXT) == (
        "rKL@10 (Yang & Stoyanovich 2017; Järvelin & Kekäläinen 2002) by "
        "the pt_fairness developers.")
    assert citations.as_text([]) == "" and citations.as_text(["a", Cite()]) == "a"


def test_citations_in_latex_are_keys():
    assert citations.as_latex(TEXT) == (
        r"rKL@10 (\cite{yang2017,jarvelin2002}) by \cite{pt_fairness}.")


def test_bibtex_has_each_reference_once_by_key():
    entries = citations.bibtex([*TEXT, Cite(["yang2017"])]).split("\n\n")
    assert [re.match(r"@\w+\{(.+),", entry)[1] for entry in entries] == [
        "jarvelin2002", "pt_fairness", "yang2017"]
    assert entries[0] == OTHERS["jarvelin2002"].bibtex("jarvelin2002")
    assert entries[2] == BIBLIOGRAPHY["yang2017"].bibtex("yang2017") + "\n"
    assert entries[1].startswith("@software{pt_fairness,")
    assert f"version = {{{pt_fairness.__version__}}}" in entries[1]
    assert "_" not in entries[1].partition(",")[2].replace(r"\_", ""), "LaTeX needs them escaped"
    for entry in entries:
        assert entry.count("{") == entry.count("}")


def test_an_unknown_key_is_no_reference():
    with pytest.raises(KeyError, match="nobody1900"):
        citations.as_text([Cite(["nobody1900"])])


def test_the_references_of_measures():
    assert citations.of_measure(rKL @ 5) == rKL.SOURCE and "yang2017" in rKL.SOURCE
    assert citations.of_measure(nDCG @ 5) == ("jarvelin2002",)
    assert citations.of_measure(P @ 5) == ()
    keys = {key for some in citations._OF_MEASURES.values() for key in some}
    assert keys <= {*BIBLIOGRAPHY, *OTHERS} and not {*BIBLIOGRAPHY} & {*OTHERS}


def test_joined_texts_have_separators_between_them():
    one, two, three = ["a", Cite(["yang2017"])], ["b"], [Cite(["sakai2007"]), "c"]
    assert citations.joined([one, two, three], ", ") == [
        "a", Cite(["yang2017"]), ", ", "b", ", ", Cite(["sakai2007"]), "c"]
    assert citations.joined([one]) == one and citations.joined([]) == []
    assert citations.as_text(citations.joined([two, two])) == "b; b"


def test_latex_escapes_what_names_can_hold():
    held = "a_b & 50% of $x {y} ~ ^ # | <z> \\ α_β − 'q'"
    text = citations.as_latex([held])
    assert text == (
        r"a\_b \& 50\% of \$x \{y\} \textasciitilde{} \textasciicircum{} \# \textbar{} "
        r"\textless{}z\textgreater{} \textbackslash{} $\alpha$\_$\beta$ $-$ "
        r"\textquotesingle{}q\textquotesingle{}"
    )


@pytest.mark.parametrize("key", OTHERS)
def test_references_of_other_packages(key):
    entry = OTHERS[key].bibtex(key)
    assert re.match(r"@(article|inproceedings)\{" + key + ",\n", entry)
    family = OTHERS[key].people[0].split()[-1].lower().replace("ä", "a")
    assert key == f"{family}{OTHERS[key].venue[-4:]}"
    assert OTHERS[key].link.startswith("https://")
