"""Gender in MS MARCO's passages: files of Rekabsaz et al. (2021) and Mousavian et al. (2025).

The files are downloaded once, to the folder ``fair`` of ir_datasets' MS MARCO. Importing this
module imports pandas, but not ir_datasets: it is imported in workers that unpickle the counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.groups import Groups, Memberships
from pt_fairness.groups.table import Table
from pt_fairness.io.word_counts import WordCounts

_CORPUS = "msmarco-passage"
#: The groups, by the letters in the list of words.
GENDERS = {"f": "female", "m": "male"}
#: The groups of Mousavian et al. (2025), by the letters in their file.
BIASES = {"F": "female", "M": "male", "N": "neutral"}
_GITHUB = "https://raw.githubusercontent.com/"
_REKABSAZ = "CPJKU/FairnessRetrievalResults/81693da5305d67307673574252a4d963510a3632/"
_MOUSAVIAN = "MaryamMousavian/MSMGenderBias/ba5ead1f690b73a1a3d1cab499ba9131686600c8/"
#: The files on GitHub and their MD5 hashes, by their names in the folder ``fair``.
_FILES = {
    "dev.tsv": (f"{_REKABSAZ}dataset/msmarco_passage.dev.fair.tsv",
                "b8cae40fd38a3e3fe480f8750814359e"),
    "trec-dl-2019.tsv": (f"{_REKABSAZ}dataset/trecdeep19_passage.fair.tsv",
                         "c07d58e13f9a4904cb33e41da604f965"),
    "words.csv": (f"{_REKABSAZ}resources/wordlist_gender_representative.txt",
                  "86de399a64f9afd8f85983512e6b82e4"),
    "biases.csv": (f"{_MOUSAVIAN}MSMGenderBias.csv", "56d17b2736cfc54fee935820e61c38ad"),
}


def _path(file: str) -> Path:
    from ir_datasets.util import home_path
    return Path(home_path() / _CORPUS / "fair" / file)


def rows(file: str, separator: str) -> Iterator[tuple[str, str]]:
    """Yield the two columns of a file, which is downloaded if it is missing.

    :param file: its name in the folder ``fair``
    :raises ValueError: a line has no separator, or the file is empty
    :raises FileNotFoundError: the file does not exist and cannot be downloaded
    """
    from ir_datasets.util import Download, RequestsDownload

    from pt_fairness.io import irds as reading
    path, md5 = _FILES[file]
    source = Download([RequestsDownload(f"{_GITHUB}{path}")], expected_md5=md5,
                      cache_path=str(_path(file)))
    # Two downloads of ir_datasets at once would write to the same temporary file.
    with reading.lock(Path(f"{_path(file)}.lock")):
        lines = reading.text(source).splitlines()
    for number, line in enumerate(lines, start=1):
        first, found, second = line.partition(separator)
        if not found:
            raise _damaged(file, f"line {number} has one column: {line[:100]!r}")
        yield first.strip(), second.strip()
    if not lines:
        raise _damaged(file, "it is empty")


def _damaged(file: str, reason: str) -> ValueError:
    return ValueError(f"{_path(file)} is damaged: {reason}. Delete it: it is downloaded again")


def words() -> dict[str, list[str]]:
    """Return the words of each gender.

    :raises ValueError: the file is damaged
    :raises FileNotFoundError: the file does not exist and cannot be downloaded
    """
    found = [*rows("words.csv", ",")]
    other = sorted({letter for _, letter in found} - GENDERS.keys())
    if other:
        raise _damaged("words.csv", f"{other[0]!r} is none of the groups {', '.join(GENDERS)}")
    return {gender: [word for word, one in found if one == letter]
            for letter, gender in GENDERS.items()}


class PassageCounts(WordCounts):
    """Counts of the words of each gender in passages, cached in a table."""

    def __init__(self) -> None:
        super().__init__(_CORPUS, words, groups=[*GENDERS.values()])

    def read(self, docnos: pd.Index, name: str) -> pd.DataFrame:
        """Return the counts of passages from the table; read those that it lacks, and add them.

        Other processes wait meanwhile, so that none overwrites what another has added.
        """
        import ir_datasets  # noqa: F401 - first, because registering imports all of the modules

        from pt_fairness.collections import cached
        from pt_fairness.io import irds as reading
        table = _path("gender.tsv")
        docstore = table.parents[1] / "collection.tsv.pklz4" / "bin"
        read_table = partial(cached.read_rows, table, docstore, self.groups, kind=np.int32)
        kept = read_table()
        if not docnos.isin(kept.index).all():
            with reading.lock(Path(f"{table}.lock")):
                kept = read_table()
                unread = docnos.difference(kept.index, sort=False)
                if len(unread):
                    kept = pd.concat([kept, super().read(unread, name)])
                    cached.write_rows(table, kept)
        return kept.reindex(docnos)


class Biases(Groups):
    """The genders that passages are biased towards, as annotated by Mousavian et al. (2025)."""

    complete = True
    in_parts = True

    def __init__(self, name: str) -> None:
        super().__init__(name, BIASES.values())

    def _content(self) -> Any:
        return _FILES["biases.csv"]

    @cached_property
    def _table(self) -> Table:
        found = dict(rows("biases.csv", ","))
        if found.pop("doc_id", None) != "gender_bias" or not set(found.values()) <= BIASES.keys():
            raise _damaged("biases.csv", "it has no columns doc_id and gender_bias, which is one "
                           f"of {', '.join(BIASES)}")
        return Table.of_frame(pd.DataFrame({"docno": [*found], "group": [
            BIASES[letter] for letter in found.values()]}))

    def annotate(self, qids: Any, docnos: Any) -> Memberships:
        return self._table.find(qids, docnos)


@cache
def counts() -> PassageCounts:
    """Return the counts, which all groups and values of a process share."""
    return PassageCounts()
