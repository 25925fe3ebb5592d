"""References of the papers that define the measures, by the keys in their ``SOURCE``."""

from __future__ import annotations

import re
from typing import NamedTuple

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
        family = [_family(name) for name in self.people]
        who = " & ".join(family)
        if len(family) > 2:
            who = f"{family[0]} et al."
        year = self.venue[-4:]
        return f"{who} {year if year.isdigit() else self.venue}"

    def bibtex(self, key: str) -> str:
        """Return the BibTeX entry of the paper, in UTF-8.

        :param key: the citation key

        Examples
        --------
        >>> from pt_fairness.measures.bibliography import BIBLIOGRAPHY
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
