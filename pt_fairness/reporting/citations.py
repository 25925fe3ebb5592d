"""References beside those of the measures of this package, and citations in text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pt_fairness._version import __version__
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.bibliography import BIBLIOGRAPHY, Reference

#: The references of measures of ir_measures, of tests and of software.
OTHERS = {
    "buckley2004": Reference(
        "Chris Buckley and Ellen M. Voorhees",
        "Retrieval Evaluation with Incomplete Information",
        "SIGIR 2004",
        "https://doi.org/10.1145/1008992.1009000",
    ),
    "chapelle2009": Reference(
        "Olivier Chapelle, Donald Metzler, Ya Zhang and Pierre Grinspan",
        "Expected Reciprocal Rank for Graded Relevance",
        "CIKM 2009",
        "https://doi.org/10.1145/1645953.1646033",
    ),
    "holm1979": Reference(
        "Sture Holm",
        "A Simple Sequentially Rejective Multiple Test Procedure",
        "Scandinavian Journal of Statistics 6(2), 1979",
        "https://www.jstor.org/stable/4615733",
    ),
    "jarvelin2002": Reference(
        "Kalervo Järvelin and Jaana Kekäläinen",
        "Cumulated Gain-Based Evaluation of IR Techniques",
        "ACM Transactions on Information Systems 20(4), 2002",
        "https://doi.org/10.1145/582415.582418",
    ),
    "macavaney2022": Reference(
        "Sean MacAvaney, Craig Macdonald and Iadh Ounis",
        "Streamlining Evaluation with ir-measures",
        "ECIR 2022",
        "https://doi.org/10.1007/978-3-030-99739-7_38",
    ),
    "moffat2008": Reference(
        "Alistair Moffat and Justin Zobel",
        "Rank-Biased Precision for Measurement of Retrieval Effectiveness",
        "ACM Transactions on Information Systems 27(1), 2008",
        "https://doi.org/10.1145/1416950.1416952",
    ),
}
_REFERENCES = {**BIBLIOGRAPHY, **OTHERS}
#: The papers of measures of ir_measures, by the name of the measure.
_OF_MEASURES = {
    "Bpref": ("buckley2004",), "ERR": ("chapelle2009",), "RBP": ("moffat2008",),
    "alpha_DCG": ("clarke2008",), "alpha_nDCG": ("clarke2008",), "nDCG": ("jarvelin2002",),
}
#: The citation key of this package.
SOFTWARE = "pt_fairness"
_SOFTWARE_ENTRY = """\
@software{{{key},
  author = {{{{The pt\\_fairness developers}}}},
  title = {{{{pt\\_fairness: fairness, viewpoint-diversity and bias measures for PyTerrier and
           ir\\_measures}}}},
  version = {{{version}}},
  year = {{2026}},
}}"""
_LATEX = str.maketrans({
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#",
    "_": r"\_", "%": r"\%", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "|": r"\textbar{}", "<": r"\textless{}", ">": r"\textgreater{}", "α": r"$\alpha$",
    "β": r"$\beta$", "−": "$-$", "'": r"\textquotesingle{}",
})


class Cite(tuple[str, ...]):
    """Keys of references at a place in a text."""

    __slots__ = ()


#: A text with citations.
Text = Sequence["str | Cite"]


def of_measure(measure: Any) -> Cite:
    """Return the references of a measure; there are none for measures such as P@10."""
    if isinstance(measure, FairnessMeasure):
        return Cite(measure.SOURCE)
    return Cite(_OF_MEASURES.get(measure.NAME, ()))


def as_text(text: Text) -> str:
    """Return a text with citations by author and year."""
    return "".join(one if isinstance(one, str) else _by_author(one) for one in text)


def _by_author(cite: Cite) -> str:
    return "; ".join("the pt_fairness developers" if key == SOFTWARE else _REFERENCES[key].short
                     for key in cite)


def as_latex(text: Text) -> str:
    """Return a text in LaTeX, with ``\\cite``.

    Examples
    --------
    >>> from pt_fairness.reporting.citations import Cite, as_latex
    >>> print(as_latex(["rKL@10 (", Cite(["yang2017"]), ") of 90% & more"]))
    rKL@10 (\\cite{yang2017}) of 90\\% \\& more
    """
    return "".join(one.translate(_LATEX) if isinstance(one, str) else f"\\cite{{{','.join(one)}}}"
                   for one in text)


def bibtex(text: Text) -> str:
    """Return the BibTeX entries of all that a text cites, sorted by key."""
    keys = sorted({key for one in text if isinstance(one, Cite) for key in one})
    return "\n\n".join(
        _SOFTWARE_ENTRY.format(key=key, version=__version__) if key == SOFTWARE
        else _REFERENCES[key].bibtex(key) for key in keys) + "\n"


def joined(parts: Iterable[Text], separator: str = "; ") -> list[str | Cite]:
    """Join texts with a separator."""
    return [piece for part in parts for piece in (separator, *part)][1:]
