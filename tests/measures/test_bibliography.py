"""References as BibTeX entries and as author and year."""

from __future__ import annotations

import re

from one_test import each

from pt_fairness.measures.descriptions import BIBLIOGRAPHY


@each("key", BIBLIOGRAPHY)
def test_an_entry_is_whole(key):
    paper = BIBLIOGRAPHY[key]
    assert re.match(r"@(article|inproceedings|misc)\{" + key + ",\n", paper.bibtex)
    assert {"author", "title", "year"} <= paper.fields.keys() and paper.link.startswith("https://")
    assert not re.search(r"(?<!\\)[&%]", paper.bibtex)
    assert paper.bibtex.count("{") == paper.bibtex.count("}")
    family = paper.families[0].split()[-1].lower().replace("ä", "a")
    assert family in key and paper.fields["year"] in key


def test_authors_and_venues():
    assert BIBLIOGRAPHY["das2019"].short == "Das & Lease 2019"
    assert BIBLIOGRAPHY["sakai2007"].short == "Sakai 2007"
    assert BIBLIOGRAPHY["pathiyancherumanal2021"].short == "Pathiyan Cherumanal et al. 2021"
    assert BIBLIOGRAPHY["vrijenhoek2022"].families[-1] == "de Rijke"
    assert BIBLIOGRAPHY["das2019"].venue == "arXiv:1907.09328, 2019"
    assert BIBLIOGRAPHY["draws2021"].venue == "SIGKDD Explorations 23(1), 2021"
    assert str(BIBLIOGRAPHY["yang2017"]) == ("Ke Yang and Julia Stoyanovich. Measuring Fairness in "
                                            "Ranked Outputs. SSDBM 2017.")
