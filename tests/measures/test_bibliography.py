"""References as BibTeX entries and as author and year."""

from __future__ import annotations

import re

from one_test import each

from pt_fairness.measures.descriptions import BIBLIOGRAPHY


@each("key", BIBLIOGRAPHY)
def test_an_entry_holds_the_whole_reference(key):
    paper = BIBLIOGRAPHY[key]
    entry = paper.bibtex(key)
    head, *lines, end = entry.splitlines()
    assert re.fullmatch(r"@(article|inproceedings|misc)\{" + key + ",", head) and end == "}"
    fields = dict(re.fullmatch(r"  (\w+) = \{(.*)\},", line).groups() for line in lines)
    assert fields["title"].replace("\\&", "&") == f"{{{paper.title}}}"
    names = re.sub("[{}]", "", fields["author"]).split(" and ")
    assert " and ".join(filter(None, [", ".join(names[:-1]), names[-1]])) == paper.authors
    assert fields["year"] == paper.venue[-4:]
    assert paper.link.endswith(fields.get("doi", fields.get("url", "")))
    assert bool(paper.link) == (not {"doi", "url"}.isdisjoint(fields))
    assert not re.search(r"(?<!\\)[&%]", entry) and entry.count("{") == entry.count("}")


@each("key, kind, fields", [
    ("das2019", "misc", {"eprint": "1907.09328", "archiveprefix": "arXiv"}),
    ("gezici2021", "article", {"journal": "Information Retrieval Journal", "volume": "24"}),
    ("draws2021", "article", {"journal": "SIGKDD Explorations", "volume": "23", "number": "1"}),
    ("yang2017", "inproceedings", {"booktitle": "SSDBM"}), ("lipani2021", "misc", {})])
def test_the_venue_determines_the_type(key, kind, fields):
    entry = BIBLIOGRAPHY[key].bibtex(key)
    assert entry.startswith(f"@{kind}{{")
    for name, text in fields.items():
        assert f"  {name} = {{{text}}},\n" in entry


def test_author_and_year():
    assert BIBLIOGRAPHY["das2019"].short == "Das & Lease 2019"
    assert BIBLIOGRAPHY["sakai2007"].short == "Sakai 2007"
    assert BIBLIOGRAPHY["pathiyancherumanal2021"].short == "Pathiyan Cherumanal et al. 2021"
    assert "Maarten {de Rijke}" in BIBLIOGRAPHY["vrijenhoek2022"].bibtex("vrijenhoek2022")
