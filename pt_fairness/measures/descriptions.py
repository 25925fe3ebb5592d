"""Descriptions of the measures for notes, warnings and commands, and their bibliography."""

from __future__ import annotations

import inspect
import re
import shutil
import textwrap
from collections.abc import Callable, Iterable, Sequence
from math import inf
from typing import NamedTuple

from ir_measures import measures as irm

from pt_fairness.measures.measure import FairnessMeasure, parameter_lines
from pt_fairness.measures.measure_names import MEASURES
from pt_fairness.measures.params import literal

#: The marks of measures that are best where they are largest, and smallest.
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
    if list(measure.parts) != [measure]:
        return "; ".join(f"{part['groups']}: {target_and_protected(part)}"
                         for part in measure.parts if part.needs_groups)
    words = []
    target = measure.target_word
    if target is not None:
        words.append(f"target: {TARGETS.get(str(target), literal(target))}")
    protected = _protected(measure)
    if protected:
        words.append(f"protected: {protected}")
    if several:
        words.append("the others count as one")
    return "; ".join(words)


def _protected(measure: FairnessMeasure) -> str:
    protected = measure.param("protected")
    pro = measure.param("pro")
    if protected == "minority":
        return (f"the group with the fewest {measure.POPULATION} documents, of those that have "
                "any, per topic")
    if protected == "majority":
        return f"the group with the most {measure.POPULATION} documents, per topic"
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


def named(names: Iterable[str]) -> list[FairnessMeasure]:
    """Return the measures of some names, or all measures if there are none.

    :raises ValueError: a name is not a measure of this package
    """
    measures = []
    for name in names:
        measure = irm.registry.get(name)
        if not isinstance(measure, FairnessMeasure):
            raise ValueError(f"{name!r} is none of the measures of this package, which are "
                             f"{', '.join(MEASURES)}")
        measures.append(measure)
    return measures or list(MEASURES.values())


def overview(measures: Sequence[FairnessMeasure]) -> str:
    """Return a line for each measure: its name, range, ideal value and what it asks.

    The lines are cut to the width of the terminal, or to the environment variable ``COLUMNS``.
    """
    rows = [("measure", "range", "fair", "what it asks")]
    for measure in measures:
        end = ideal_text(measure)
        rows.append((measure.NAME, range_of(measure), end, measure.SHORT_DESC))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    columns = shutil.get_terminal_size((0, 0)).columns
    lines = []
    for *cells, question in rows:
        padded = map(str.ljust, cells, widths)
        line = "  ".join([*padded, question])
        if columns and len(line) > columns:
            words = line[:columns - 1].rpartition(" ")[0]
            line = f"{words.rstrip()} …"
        lines.append(line)
    return "\n".join(lines)


def in_full(measures: Sequence[FairnessMeasure]) -> str:
    """Return the full documentation of measures as plain text."""
    return "\n\n\n".join(map(_full_entry, measures))


def _full_entry(measure: FairnessMeasure) -> str:
    papers = [str(BIBLIOGRAPHY[key]) for key in measure.SOURCE]
    lines = [measure.SHORT_DESC, f"range {range_of(measure)}; {ideal_in_words(measure)}", "",
             _plain_body(measure), "", *parameter_lines(measure), "", *papers]
    body = textwrap.indent("\n".join(lines), "    ")
    return f"{measure.NAME}  {measure.PRETTY_NAME}\n{body}"


#: A section of a docstring: its title, the line under it, and its text.
_SECTION = re.compile(r"(?ms)^(\w[\w ]*)\n(-+)\n(.*?)(?=^\w[\w ]*\n-+$|\Z)")
#: A formula in a docstring.
_FORMULA = re.compile(r"\.\. math::\n\n((?:   .*\n|\n)+)")


def docstring_parts(measure: FairnessMeasure) -> tuple[str, str]:
    """Return the summary line of a measure's docstring, without its full stop, and the body."""
    head, _, body = inspect.cleandoc(type(measure).__doc__ or "").partition("\n")
    return head.rstrip("."), body.strip()


def _plain_body(measure: FairnessMeasure) -> str:
    """Return the body of a docstring with formulas as Unicode, and without "As rND."."""
    _, body = docstring_parts(measure)
    body = _FORMULA.sub(_as_plain_formula, body + "\n")
    body = _SECTION.sub(_written_out, body)
    return re.sub(r":\w+:`~?([^`]*)`", r"\1", body).rstrip()


def _as_plain_formula(match: re.Match[str]) -> str:
    return textwrap.indent(as_unicode(match[1]), "   ") + "\n\n"


def _written_out(section: re.Match[str]) -> str:
    """Return a section with that of another measure in place of "As rND."."""
    title, line, text = section.groups()
    reference = re.match(r"As (\w+)\. ?", text)
    if reference is not None:
        body = _plain_body(MEASURES[reference[1]])
        sections = _SECTION.findall(body)
        same = next(part for heading, _, part in sections if heading == title)
        rest = text[reference.end():]
        text = rest.lstrip() + same
    return f"{title}\n{line}\n{text}"


_SUPERSCRIPTS = str.maketrans("0123456789+-i", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁱ")


def _superscript(match: re.Match[str]) -> str:
    return (match[1] or match[2]).translate(_SUPERSCRIPTS)


def _fraction(match: re.Match[str]) -> str:
    return f"{_side(match[1])}/{_side(match[2])}"


def _side(text: str) -> str:
    """Return one side of a fraction, in brackets if it has several terms or factors."""
    simple = re.fullmatch(r"(\d+|[^\s()+−/\d][^\s()+−/]*)(\([^()]*\))?", text)
    return text if simple else f"({text})"


#: Commands of LaTeX without arguments, as Unicode.
_SYMBOLS = {
    "log_2": "log₂", "sum": "Σ", "prod": "Π", "varepsilon": "ε", "epsilon": "ϵ", "lambda": "λ",
    "alpha": "α", "tau": "τ", "le": "≤", "ge": "≥", "in": "∈", "cap": "∩", "cdot": "·",
    "max": "max", "min": "min", "ln": "ln", "|": "‖", " ": " ",
}
#: Regular expressions and replacements for LaTeX, applied in this order until nothing changes.
_RULES: list[tuple[str, str | Callable[[re.Match[str]], str]]] = [
    (r",? *\\qquad ?", "\n"),
    (r"\\([,;]|quad) ?", " "),
    (r"\\(!|left|right|Big)(?![a-z]) *", ""),
    (r"\\(text|mathrm|texttt)\s?\{([^{}]*)\}", r"\2"),
    (r"\\(log_2|\||[a-z]+| )", lambda match: _SYMBOLS.get(match[1], match[0])),
    (r"\\tilde (\w)", "\\1\u0303"),
    (r"\\sqrt\{([^{}]*)\}", r"√(\1)"),
    (r"\^(?:\{([-+\di]+)\}|([-+\d*]))", _superscript),
    (r"_\{(\w+)\}", r"_\1"),
    (r"_\{([^{}]*)\}", r"_(\1)"),
    (r"\\frac\{([^{}]*)\} ?\{([^{}]*)\}", _fraction),
    (r"(?<![a-z_^])\{([^{}]*)\}", r"(\1)"),
    (" - ", " − "),
    (" +", " "),
]


def as_unicode(latex: str) -> str:
    r"""Return a LaTeX formula as Unicode text, with a line for each of its equations.

    Examples
    --------
    >>> as_unicode(r"\frac{1}{n} \sum_{i \le n} \frac{v_i}{\log_2(i+1)}")
    '1/n Σ_(i ≤ n) v_i/log₂(i+1)'
    """
    text = " ".join(latex.split())
    before = ""
    while text != before:
        before = text
        for pattern, plain in _RULES:
            text = re.sub(pattern, plain, text)
    return text


#: The forms of ``pt-fairness measures``.
FORMATS = {"text": overview, "full": in_full}


#: Family names of several words.
_FAMILIES = ("Pathiyan Cherumanal", "Gutierrez Granada", "de Rijke")
_JOURNAL = re.compile(r"(?P<journal>.+?)(?: (?P<volume>\d+)(?:\((?P<number>[^)]+)\))?)?, \d{4}")


class Reference(NamedTuple):
    """A paper: authors, title, venue and URL; the URL is empty if there is none."""

    authors: str
    title: str
    venue: str
    link: str = ""

    def __str__(self) -> str:
        return f"{self.authors}. {self.title}. {self.venue}."

    @property
    def people(self) -> list[str]:
        """The authors."""
        names = self.authors.replace(" and ", ", ")
        return names.split(", ")

    @property
    def short(self) -> str:
        """The authors and the year, such as ``Das & Lease 2019``."""
        first, *rest = map(_family, self.people)
        who = f"{first} et al." if len(rest) > 1 else " & ".join([first, *rest])
        year = self.venue[-4:]
        return f"{who} {year if year.isdigit() else self.venue}"

    def bibtex(self, key: str) -> str:
        """Return the BibTeX entry of the paper, in UTF-8.

        :param key: the citation key

        Examples
        --------
        >>> from pt_fairness.measures.descriptions import BIBLIOGRAPHY
        >>> print(BIBLIOGRAPHY["sakai2007"].bibtex("sakai2007"))
        @inproceedings{sakai2007,
          author = {Tetsuya Sakai},
          title = {{Alternatives to Bpref}},
          booktitle = {SIGIR},
          year = {2007},
          doi = {10.1145/1277741.1277756},
        }
        """
        kind, fields = self._published()
        names = self.people
        for family in _FAMILIES:
            names = [name.replace(family, f"{{{family}}}") for name in names]
        authors = " and ".join(names)
        fields = {"author": authors, "title": f"{{{self.title}}}"} | fields
        fields = {name: re.sub("[&%#_]", r"\\\g<0>", text) for name, text in fields.items()}
        if self.link:
            doi = self.link.removeprefix("https://doi.org/")
            fields["url" if doi == self.link else "doi"] = doi
        lines = [f"  {name} = {{{text}}}," for name, text in fields.items()]
        return "\n".join([f"@{kind}{{{key},", *lines, "}"])

    def _published(self) -> tuple[str, dict[str, str]]:
        """Return the type of the BibTeX entry, and the fields of the venue."""
        year = {"year": self.venue[-4:]}
        if self.venue.startswith("arXiv:"):
            number = self.venue.removeprefix("arXiv:").partition(",")[0]
            return "misc", {"eprint": number, "archiveprefix": "arXiv", **year}
        journal = _JOURNAL.fullmatch(self.venue)
        if journal is not None:
            return "article", {name: text for name, text in journal.groupdict().items()
                               if text} | year
        place = self.venue[:-4].strip()
        if place:
            return "inproceedings", {"booktitle": place, **year}
        return "misc", year


def _family(name: str) -> str:
    """Return the family name of an author."""
    for family in _FAMILIES:
        if name.endswith(f" {family}"):
            return family
    return name.split()[-1]


#: The references by key. Each is the ``SOURCE`` of a measure except clarke2008, the source of
#: ir_measures' α-nDCG and α-DCG.
BIBLIOGRAPHY = {
    "biega2018": Reference(
        "Asia J. Biega, Krishna P. Gummadi and Gerhard Weikum",
        "Equity of Attention: Amortizing Individual Fairness in Rankings",
        "SIGIR 2018",
        "https://doi.org/10.1145/3209978.3210063",
    ),
    "cachel2022": Reference(
        "Kathleen Cachel, Elke Rundensteiner and Lane Harrison",
        "MANI-Rank: Multiple Attribute and Intersectional Group Fairness for Consensus Ranking",
        "ICDE 2022",
        "https://doi.org/10.1109/ICDE53745.2022.00089",
    ),
    "chen2024": Reference(
        "Hung-Ting Chen and Eunsol Choi",
        "Open-World Evaluation for Retrieving Diverse Perspectives",
        "arXiv:2409.18110, 2024",
        "https://arxiv.org/abs/2409.18110",
    ),
    "clarke2008": Reference(
        "Charles L. A. Clarke, Maheedhar Kolla, Gordon V. Cormack, Olga Vechtomova, Azin Ashkan, "
        "Stefan Büttcher and Ian MacKinnon",
        "Novelty and Diversity in Information Retrieval Evaluation",
        "SIGIR 2008",
        "https://doi.org/10.1145/1390334.1390446",
    ),
    "dai2024": Reference(
        "Sunhao Dai, Yuqi Zhou, Liang Pang, Weihao Liu, Xiaolin Hu, Yong Liu, Xiao Zhang, Gang "
        "Wang and Jun Xu",
        "Neural Retrievers are Biased Towards LLM-Generated Content",
        "KDD 2024",
        "https://arxiv.org/abs/2310.20501",
    ),
    "dai2024cocktail": Reference(
        "Sunhao Dai, Weihao Liu, Yuqi Zhou, Liang Pang, Rongju Ruan, Gang Wang, Zhenhua Dong, Jun "
        "Xu and Ji-Rong Wen",
        "Cocktail: A Comprehensive Information Retrieval Benchmark with LLM-Generated Documents "
        "Integration",
        "Findings of ACL 2024",
        "https://aclanthology.org/2024.findings-acl.421",
    ),
    "das2019": Reference(
        "Anubrata Das and Matthew Lease",
        "A Conceptual Framework for Evaluating Fairness in Search",
        "arXiv:1907.09328, 2019",
        "https://arxiv.org/abs/1907.09328",
    ),
    "diaz2020": Reference(
        "Fernando Diaz, Bhaskar Mitra, Michael D. Ekstrand, Asia J. Biega and Ben Carterette",
        "Evaluating Stochastic Rankings with Expected Exposure",
        "CIKM 2020",
        "https://doi.org/10.1145/3340531.3411962",
    ),
    "draws2021": Reference(
        "Tim Draws, Nava Tintarev and Ujwal Gadiraju",
        "Assessing Viewpoint Diversity in Search Results Using Ranking Fairness Metrics",
        "SIGKDD Explorations 23(1), 2021",
        "https://doi.org/10.1145/3468507.3468515",
    ),
    "ekstrand2022": Reference(
        "Michael D. Ekstrand, Graham McDonald, Amifa Raj and Isaac Johnson",
        "Overview of the TREC 2022 Fair Ranking Track",
        "TREC 2022",
        "https://arxiv.org/abs/2302.05558",
    ),
    "geyik2019": Reference(
        "Sahin Cem Geyik, Stuart Ambler and Krishnaram Kenthapadi",
        "Fairness-Aware Ranking in Search & Recommendation Systems with Application to LinkedIn "
        "Talent "
        "Search",
        "KDD 2019",
        "https://doi.org/10.1145/3292500.3330691",
    ),
    "gezici2021": Reference(
        "Gizem Gezici, Aldo Lipani, Yucel Saygin and Emine Yilmaz",
        "Evaluation metrics for measuring bias in search engine results",
        "Information Retrieval Journal 24, 2021",
        "https://doi.org/10.1007/s10791-020-09386-w",
    ),
    "kuhlman2019": Reference(
        "Caitlin Kuhlman, MaryAnn VanValkenburg and Elke Rundensteiner",
        "FARE: Diagnostics for Fair Ranking using Pairwise Error Metrics",
        "The Web Conference 2019",
        "https://doi.org/10.1145/3308558.3313443",
    ),
    "kulshrestha2017": Reference(
        "Juhi Kulshrestha, Motahhare Eslami, Johnnatan Messias, Muhammad "
        "Bilal Zafar, Saptarshi Ghosh, Krishna P. Gummadi and Karrie "
        "Karahalios",
        "Quantifying Search Bias: Investigating Sources of Bias for "
        "Political Searches in Social Media",
        "CSCW 2017",
        "https://doi.org/10.1145/2998181.2998321",
    ),
    "kulshrestha2019": Reference(
        "Juhi Kulshrestha, Motahhare Eslami, Johnnatan Messias, Muhammad "
        "Bilal Zafar, Saptarshi Ghosh, Krishna P. Gummadi and Karrie "
        "Karahalios",
        "Search bias quantification: investigating political bias in social media and web search",
        "Information Retrieval Journal 22, 2019",
        "https://doi.org/10.1007/s10791-018-9341-2",
    ),
    "lipani2021": Reference(
        "Aldo Lipani, Florina Piroi and Emine Yilmaz",
        "Towards More Accountable Search Engines: Online Evaluation of Representation Bias",
        "arXiv:2110.08835, 2021",
        "https://arxiv.org/abs/2110.08835",
    ),
    "pathiyancherumanal2021": Reference(
        "Sachin Pathiyan Cherumanal, Damiano Spina, Falk Scholer and W. Bruce Croft",
        "Evaluating Fairness in Argument Retrieval",
        "CIKM 2021",
        "https://doi.org/10.1145/3459637.3482099",
    ),
    "raj2022": Reference(
        "Amifa Raj and Michael D. Ekstrand",
        "Measuring Fairness in Ranked Results: An Analytical and Empirical Comparison",
        "SIGIR 2022",
        "https://doi.org/10.1145/3477495.3532018",
    ),
    "rekabsaz2020": Reference(
        "Navid Rekabsaz and Markus Schedl",
        "Do Neural Ranking Models Intensify Gender Bias?",
        "SIGIR 2020",
        "https://doi.org/10.1145/3397271.3401280",
    ),
    "rekabsaz2021": Reference(
        "Navid Rekabsaz, Simone Kopeinik and Markus Schedl",
        "Societal Biases in Retrieved Contents: Measurement Framework and "
        "Adversarial Mitigation of BERT Rankers",
        "SIGIR 2021",
        "https://doi.org/10.1145/3404835.3462949",
    ),
    "sakai2007": Reference(
        "Tetsuya Sakai",
        "Alternatives to Bpref",
        "SIGIR 2007",
        "https://doi.org/10.1145/1277741.1277756",
    ),
    "sakai2023": Reference(
        "Tetsuya Sakai, Jin Young Kim and Inho Kang",
        "A Versatile Framework for Evaluating Ranked Lists in Terms of Group Fairness and "
        "Relevance",
        "ACM Transactions on Information Systems 42(1), 2023",
        "https://doi.org/10.1145/3589763",
    ),
    "sapiezynski2019": Reference(
        "Piotr Sapiezynski, Wesley Zeng, Ronald E. Robertson, Alan Mislove and Christo Wilson",
        "Quantifying the Impact of User Attention on Fair Group Representation in Ranked Lists",
        "Companion of The Web Conference 2019",
        "https://doi.org/10.1145/3308560.3317595",
    ),
    "singh2018": Reference(
        "Ashudeep Singh and Thorsten Joachims",
        "Fairness of Exposure in Rankings",
        "KDD 2018",
        "https://doi.org/10.1145/3219819.3220088",
    ),
    "vrijenhoek2022": Reference(
        "Sanne Vrijenhoek, Gabriel Bénédict, Mateo Gutierrez Granada, Daan Odijk and Maarten de "
        "Rijke",
        "RADio – Rank-Aware Divergence Metrics to Measure Normative Diversity in News "
        "Recommendations",
        "RecSys 2022",
        "https://doi.org/10.1145/3523227.3546780",
    ),
    "yang2017": Reference(
        "Ke Yang and Julia Stoyanovich",
        "Measuring Fairness in Ranked Outputs",
        "SSDBM 2017",
        "https://doi.org/10.1145/3085504.3085526",
    ),
    "yang2024": Reference(
        "Eugene Yang, Thomas Jänich, James Mayfield and Dawn Lawrie",
        "Language Fairness in Multilingual Information Retrieval",
        "SIGIR 2024",
        "https://doi.org/10.1145/3626772.3657943",
    ),
    "zehlike2017": Reference(
        "Meike Zehlike, Francesco Bonchi, Carlos Castillo, Sara Hajian, Mohamed Megahed and "
        "Ricardo Baeza-Yates",
        "FA*IR: A Fair Top-k Ranking Algorithm",
        "CIKM 2017",
        "https://doi.org/10.1145/3132847.3132938",
    ),
}
