"""The papers of the measures, from ``references.bib``."""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

_ENTRY = re.compile(r"@\w+\{(\w+),\n(.*?)\n\}", re.DOTALL)
_FIELD = re.compile(r"^  (\w+) = \{(.*)\},$", re.MULTILINE)


class Reference(NamedTuple):
    """A paper."""

    #: The BibTeX entry, in UTF-8.
    bibtex: str
    #: The fields of the entry, without braces and escapes.
    fields: dict[str, str]
    #: The family names of the authors.
    families: list[str]

    def __str__(self) -> str:
        """Return the authors, the title and the venue."""
        authors = re.sub(" and (?=.* and )", ", ", self.fields["author"])
        return f"{authors}. {self.fields['title']}. {self.venue}."

    @property
    def venue(self) -> str:
        """The proceedings, the journal or the archive, and the year."""
        fields = self.fields
        if "eprint" in fields:
            return f"arXiv:{fields['eprint']}, {fields['year']}"
        if "journal" not in fields:
            return f"{fields['booktitle']} {fields['year']}"
        issue = f"({fields['number']})" if "number" in fields else ""
        return f"{fields['journal']} {fields['volume']}{issue}, {fields['year']}"

    @property
    def short(self) -> str:
        """The authors and the year, such as ``Das & Lease 2019``."""
        first, *rest = self.families
        authors = f"{first} et al." if len(rest) > 1 else " & ".join(self.families)
        return f"{authors} {self.fields['year']}"

    @property
    def link(self) -> str:
        """The URL of the paper."""
        doi = self.fields.get("doi")
        return f"https://doi.org/{doi}" if doi else self.fields.get("url", "")


def parse_bibtex(text: str) -> dict[str, Reference]:
    """Return the entries of a BibTeX file by key. Each field is on a line of its own.

    Examples
    --------
    >>> from pt_fairness.measures.bibliography import BIBLIOGRAPHY
    >>> print(BIBLIOGRAPHY["sakai2007"].bibtex)
    @inproceedings{sakai2007,
      author = {Tetsuya Sakai},
      title = {{Alternatives to Bpref}},
      booktitle = {SIGIR},
      year = {2007},
      doi = {10.1145/1277741.1277756},
    }
    >>> BIBLIOGRAPHY["sakai2007"].short
    'Sakai 2007'
    """
    references = {}
    for entry in _ENTRY.finditer(text):
        fields = {name: re.sub(r"[{}\\]", "", value) for name, value in _FIELD.findall(entry[2])}
        authors = _FIELD.search(entry[2])[2].split(" and ")  # type: ignore[index]
        # Braces hold a family name of several words.
        families = [re.sub(r".*\{(.*)\}|.* ", r"\1", author) for author in authors]
        references[entry[1]] = Reference(entry[0], fields, families)
    return references


#: The references by key: the papers of measures, tests and software.
BIBLIOGRAPHY = parse_bibtex(Path(__file__).with_name("references.bib").read_text("utf-8"))
