"""Descriptions of the measures in words, their papers, and the example of their docstrings."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Sequence
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from ir_measures import measures as irm

from pt_fairness.measures.measure import FairnessMeasure
from pt_fairness.measures.measure_names import MEASURES
from pt_fairness.measures.params import literal

_ENTRY = re.compile(r"@\w+\{(\w+),\n(.*?)\n\}", re.DOTALL)
_FIELD = re.compile(r"^  (\w+) = \{(.*)\},$", re.MULTILINE)
#: The arrows of measures: larger values are better, smaller values are better.
LARGER, SMALLER = "↑", "↓"
#: The targets in words.
TARGETS = {
    "qrels": "the distribution of the groups in the relevant documents of the topic",
    "collection": "the distribution of the groups in the relevant documents of all topics",
    "uniform": "equal shares of all groups",
    "run": "the distribution of the groups in the whole ranking",
    "ideal": "the exposure of the groups under ideal rankings",
}


def target_and_protected(measure: FairnessMeasure, several: bool = False) -> str:
    """Return the target and the protected group of a measure in words; ``''`` if it has neither.

    :param several: whether ``protected`` is not set, and there are more than two groups

    Examples
    --------
    >>> from pt_fairness import AWRF, EEL, FAIR, nDD, rND
    >>> [measure.target_word for measure in (EEL, EEL(by="group"), FAIR, FAIR(p=0.5), nDD)]
    [None, 'ideal', 'qrels', None, 'run']
    >>> target_and_protected(AWRF @ 5)
    'target: equal shares of all groups'
    >>> target_and_protected(rND(target={"CON": 0.5, "PRO": 0.5}, protected="CON"))
    "target: {'CON':0.5,'PRO':0.5}; protected: CON"
    """
    words = []
    if list(measure.parts) != [measure]:
        for part in measure.parts:
            if part.needs_groups:
                words.append(f"{part['groups']}: {target_and_protected(part)}")
        return "; ".join(words)
    target = measure.target_word
    if target is not None:
        words.append(f"target: {target_in_words(target)}")
    protected = _protected(measure)
    if protected:
        words.append(f"protected: {protected}")
    if several:
        words.append("the others count as one")
    return "; ".join(words)


def target_in_words(target: Any) -> str:
    """Return a target in words.

    :param target: a word such as ``'uniform'``, a registered name or shares
    """
    return TARGETS.get(str(target), literal(target))


def _protected(measure: FairnessMeasure) -> str:
    protected = measure.param("protected")
    pro = measure.param("pro")
    counted = "ranked" if measure.rel is None else "relevant"
    if protected == "minority":
        return (f"the group with the fewest {counted} documents, of those that have any, per topic")
    if protected == "majority":
        return f"the group with the most {counted} documents, per topic"
    if protected == "all":
        return "none, all groups are compared"
    if has_one_view(measure):
        return pro
    if pro:
        return f"{pro} against {measure.param('con')}"
    if measure.COMPARES:
        protected = protected or measure.param("group")
    return protected or ""


def range_of(measure: FairnessMeasure) -> str:
    """Return the range of a measure in words."""
    low, high = measure.RANGE
    if high is None:
        text = "unbounded" if low is None else f"{low:g} or more"
    else:
        text = f"{high:g} or less" if low is None else f"{low:g} to {high:g}"
    return text.replace("-", "−")


def ideal_text(measure: FairnessMeasure) -> str:
    """Return the ideal value of a measure, or ``more`` where a larger value is always fairer."""
    return "more" if inf == measure.IDEAL else f"{measure.IDEAL:g}"


def direction(measure: FairnessMeasure) -> str:
    """Return the better end of a measure: ``'↑'``, ``'↓'`` or, inside its range, ``'→0'``.

    Examples
    --------
    >>> from pt_fairness import AWRF, BiasP, FaiRR, rKL
    >>> [direction(measure) for measure in (AWRF, rKL, BiasP, FaiRR)]
    ['↑', '↓', '→0', '↑']
    """
    low, high = measure.RANGE
    if (inf if high is None else high) == measure.IDEAL:
        return LARGER
    if (-inf if low is None else low) == measure.IDEAL:
        return SMALLER
    return f"→{measure.IDEAL:g}"


#: The measures whose ``IDEAL`` is the best value, although it does not mean fair.
_BEST = ("Annotated", "EER", "GFR", "MRecall", "OfGroup", "TrecFair")


def has_one_view(measure: FairnessMeasure) -> bool:
    """Return whether a measure of two views has ``con=None``, so that it measures effectiveness."""
    return measure.param("pro") is not None and measure.param("con") is None


def ideal_in_words(measure: FairnessMeasure) -> str:
    """Return what the ideal value of a measure means.

    Examples
    --------
    >>> from pt_fairness import Annotated, FaiRR, rKL
    >>> [ideal_in_words(measure) for measure in (rKL, Annotated, FaiRR)]
    ['0 is fair', '1 is best', 'more is fairer']
    """
    end = ideal_text(measure)
    if end == "more":
        return "more is better" if has_one_view(measure) else "more is fairer"
    best = measure.NAME in _BEST or has_one_view(measure)
    return f"{end} is {'best' if best else 'fair'}"


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
    >>> from pt_fairness.measures.descriptions import BIBLIOGRAPHY
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
        raw = dict(_FIELD.findall(entry[2]))
        fields = {name: re.sub(r"[{}\\]", "", value) for name, value in raw.items()}
        authors = raw["author"].split(" and ")
        # Braces hold a family name of several words.
        families = [re.sub(r".*\{(.*)\}|.* ", r"\1", author) for author in authors]
        references[entry[1]] = Reference(entry[0], fields, families)
    return references


#: The references by key: the papers of measures, tests and software.
BIBLIOGRAPHY = parse_bibtex(Path(__file__).with_name("references.bib").read_text("utf-8"))


def named(names: Iterable[str]) -> list[FairnessMeasure]:
    """Return the measures of some names, or all measures if there are none.

    :raises ValueError: if a name is not a measure of this package
    """
    measures = [irm.registry.get(name) for name in names]
    if not all(isinstance(measure, FairnessMeasure) for measure in measures):
        known = ", ".join(MEASURES)
        raise ValueError(f"names must be measures of this package, {known}, got "
                         f"{', '.join(names)!r}")
    return measures or list(MEASURES.values())


def overview(measures: Sequence[FairnessMeasure]) -> str:
    """Return a line for each measure: its name, range, ideal value and what it asks."""
    rows = [("measure", "range", "fair", "what it asks")]
    for measure in measures:
        rows.append((measure.NAME, range_of(measure), ideal_text(measure), measure.SHORT_DESC))
    columns = zip(*rows, strict=True)
    widths = [max(map(len, column)) for column in columns]
    lines = ["  ".join(map(str.ljust, row, widths)) for row in rows]
    return "\n".join(map(str.rstrip, lines))


def full_text(measures: Sequence[FairnessMeasure]) -> str:
    """Return the full documentation of measures as plain text, with BibTeX of their papers."""
    return "\n\n\n".join(map(_full_entry, measures))


def _full_entry(measure: FairnessMeasure) -> str:
    title, _, body = (measure.__doc__ or "").partition("\n")
    papers = []
    for key in measure.SOURCE:
        papers += [str(BIBLIOGRAPHY[key]), BIBLIOGRAPHY[key].bibtex]
    values = f"range {range_of(measure)}; {ideal_in_words(measure)}"
    text = "\n".join([values, body, "", *papers])
    return f"{title}\n{textwrap.indent(text, '    ')}"


#: The forms of ``pt-fairness measures``.
FORMATS = {"text": overview, "full": full_text}

#: The topic of the examples of all measures.
qrels = pd.DataFrame({"query_id": "1", "doc_id": list("abcd")})
qrels["relevance"] = [1, 1, 1, 0]
qrels["iteration"] = ["PRO", "PRO", "CON", "PRO"]
run = pd.DataFrame({"query_id": "1", "doc_id": list("abxcd")})
run["score"] = range(5, 0, -1)


def draw(measure: Any, *rankings: str, relevant: str = 25 * "AB") -> None:
    """Print rankings and the value of each; :func:`ranking_values` has the arguments."""
    values = ranking_values(measure, *rankings, relevant=relevant)
    for ranking, value in zip(rankings, values, strict=True):
        print(f"{ranking}  {value:.2f}")


def ranking_values(measure: Any, *rankings: str, relevant: str = 25 * "AB") -> list[float]:
    """Return the value of each ranking, all for topics with the same relevant documents.

    :param rankings: a letter for each document: its group, in lower case if the document is not
        relevant; ``-`` for a document without a group
    :param relevant: the groups of the relevant documents
    """
    judged: list[Any] = []
    returned: list[Any] = []
    for number, ranking in enumerate(rankings):
        topic = str(number)
        docnos = _docnos(ranking)
        returned += [(topic, docno, -rank) for rank, docno in enumerate(docnos)]
        for docno in sorted({*_docnos(relevant), *docnos}):
            group = docno[0]
            judged.append((topic, docno, int(group.isupper()), group.upper()))
    all_judged = pd.DataFrame(judged, columns=qrels.columns)
    all_returned = pd.DataFrame(returned, columns=run.columns)
    metrics = measure.iter_calc(all_judged, all_returned)
    values = {topic: value for topic, _, value in metrics}
    return [values[str(number)] for number in range(len(rankings))]


def _docnos(groups: str) -> list[str]:
    """Return the name of each document: its group, and its number in this group."""
    docnos = []
    for rank, group in enumerate(groups):
        number = groups[:rank].count(group)
        docnos.append(f"{group}{number}")
    return docnos
