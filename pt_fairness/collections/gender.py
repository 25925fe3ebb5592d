"""Gender in MS MARCO's passages: files of Rekabsaz et al. (2021) and Mousavian et al. (2025).

ir_datasets downloads the files to its folder ``msmarco-passage/fair``.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import pandas as pd
from ir_datasets.util import home_path

from pt_fairness.collections.variants import download
from pt_fairness.groups import Groups, Memberships
from pt_fairness.groups.memberships import Table
from pt_fairness.io.documents import WordCounts

_CORPUS = "msmarco-passage"
#: The groups, by the letters in the list of words.
GENDERS = {"f": "female", "m": "male"}
#: The groups of Mousavian et al. (2025), by the letters in their file.
BIASES = {"F": "female", "M": "male", "N": "neutral"}
_GITHUB = "https://raw.githubusercontent.com/"
_REKABSAZ = "CPJKU/FairnessRetrievalResults/81693da5305d67307673574252a4d963510a3632"
_MOUSAVIAN = "MaryamMousavian/MSMGenderBias/ba5ead1f690b73a1a3d1cab499ba9131686600c8"
#: The files on GitHub and their MD5 hashes, by their names in the folder ``fair``.
FILES = {
    "dev.tsv": (f"{_REKABSAZ}/dataset/msmarco_passage.dev.fair.tsv",
                "b8cae40fd38a3e3fe480f8750814359e"),
    "trec-dl-2019.tsv": (f"{_REKABSAZ}/dataset/trecdeep19_passage.fair.tsv",
                         "c07d58e13f9a4904cb33e41da604f965"),
    "words.csv": (f"{_REKABSAZ}/resources/wordlist_gender_representative.txt",
                  "86de399a64f9afd8f85983512e6b82e4"),
    "biases.csv": (f"{_MOUSAVIAN}/MSMGenderBias.csv", "56d17b2736cfc54fee935820e61c38ad"),
}


def read(file: str, **options: Any) -> pd.DataFrame:
    """Return the table of a file, which is downloaded if it is missing.

    :param file: its name in the folder ``fair``
    :param options: arguments of ``pandas.read_csv``
    """
    address, md5 = FILES[file]
    path = home_path() / _CORPUS / "fair" / file
    with download(f"{_GITHUB}{address}", path, md5).stream() as stream:
        return pd.read_csv(stream, dtype=str, keep_default_na=False, **options)


def words() -> dict[str, list[str]]:
    """Return the words of each gender."""
    table = read("words.csv", names=["word", "letter"], skipinitialspace=True)
    return {gender: table.loc[table["letter"] == letter, "word"].tolist()
            for letter, gender in GENDERS.items()}


def counts() -> WordCounts:
    """Return the counts of the words of each gender in passages."""
    return WordCounts(_CORPUS, words, groups=list(GENDERS.values()))


class Biases(Groups):
    """The genders that passages are biased towards, as annotated by Mousavian et al. (2025)."""

    complete = True
    blockwise = True

    def __init__(self, name: str) -> None:
        super().__init__(name, BIASES.values())

    def _content(self) -> Any:
        return FILES["biases.csv"]

    @cached_property
    def _table(self) -> Table:
        table = read("biases.csv")
        groups = table["gender_bias"].map(BIASES)
        return Table.read(table.assign(docno=table["doc_id"], group=groups)[["docno", "group"]])

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        return self._table.find(qids, docnos)
