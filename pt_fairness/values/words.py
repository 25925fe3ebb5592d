"""Values from the words in documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.core import arrays, fingerprint
from pt_fairness.core.arrays import Floats, Ints
from pt_fairness.core.messages import listed, one_of, shown
from pt_fairness.io.word_counts import (
    THRESHOLD,
    Tokenizer,
    WordCounts,
    check_threshold,
    counts_of,
)
from pt_fairness.values.base import Values

#: The differences of Rekabsaz and Schedl (2020), by their names: what is subtracted.
_DIFFERENCES: dict[str, Callable[[Ints], Floats]] = {
    "tc": lambda counts: counts.astype(float), "tf": np.log1p,
    "bool": lambda counts: np.sign(counts).astype(float)}
_NEUTRALITY = "neutrality"


def from_text(documents: str | pd.DataFrame, words: Mapping[Any, Iterable[str]],
              number: str = _NEUTRALITY, name: str | None = None, *,
              threshold: int = THRESHOLD, field: str | None = None,
              tokenize: Tokenizer = str.split) -> Values:
    """Return values from the words in documents.

    :func:`pt_fairness.groups.from_text` returns groups from the same words, and explains
    ``words``, ``field`` and ``tokenize``. Nothing is read before values are needed. Documents are
    then read from the docstore, once, with a progress bar.

    :param documents: an ir_datasets id, or a frame ``docno, text``
    :param words: the words of each group, by group; no word is in two of them
    :param number: the value of a document in which group g has ``c_g`` words, ``C`` in all:

        - ``'neutrality'``: 1 if ``C`` is at most ``threshold``, else ``1 − Σ_g |c_g/C − 1/G|`` for
          G groups: from ``2/G − 1`` to 1, and 1 is neutral (Rekabsaz et al. 2021)
        - ``'tc'``: ``c_1 − c_2``, for two groups in the order of ``words``; 0 is neutral (this and
          the next two: Rekabsaz and Schedl 2020)
        - ``'tf'``: ``ln(1 + c_1) − ln(1 + c_2)``
        - ``'bool'``: ``[c_1 > 0] − [c_2 > 0]``
    :param name: the name of the values; by default derived from a hash of the parameters
    :param threshold: for ``'neutrality'``, the largest number of words in a neutral document
    :raises ValueError: ``number`` is none of these, or not possible for that many groups; a group
        has no words, a word is in several groups or is not one token; once values are needed, the
        dataset or field does not exist

    Examples
    --------
    >>> import re
    >>> from pt_fairness import values
    >>> words = {"female": ["she", "her", "grandmother"], "male": ["he", "his", "father", "kings"]}
    >>> tokenize = re.compile(r"\\w+").findall
    >>> neutrality = values.from_text("pt-fairness/debates", words, tokenize=tokenize)
    >>> neutrality.lookup(["1", "1"], ["d01-08", "d01-11"]).round(3)
    array([0.667, 1.   ])
    >>> difference = values.from_text("pt-fairness/debates", words, "tc", tokenize=tokenize)
    >>> difference.lookup(["1", "1"], ["d01-08", "d01-11"])
    array([-1., -1.])
    """
    return FromText(counts_of(documents, words, field, tokenize), number, threshold, name)


class FromText(Values):
    """Values from the words in the texts of documents; see :func:`from_text`."""

    def __init__(self, counts: WordCounts, number: str = _NEUTRALITY, threshold: int = THRESHOLD,
                 name: str | None = None) -> None:
        one_of("number", number, (_NEUTRALITY, *_DIFFERENCES))
        groups = len(counts.groups)
        if groups < 2 or (groups > 2 and number in _DIFFERENCES):
            needed = "two groups or more" if number == _NEUTRALITY else "two groups"
            raise ValueError(f"number={shown(number)} needs the words of {needed}, not of "
                             f"{listed(counts.groups)}")
        self._name, self._counts, self._number = name, counts, number
        self._threshold = check_threshold(threshold)

    def digest(self) -> str:
        return fingerprint.of_value((self._counts.content(), self._number, self._threshold))[:12]

    def find(self, topic: Ints, topics: Sequence[str], docnos: Any) -> Floats:
        counts = self._counts.of(docnos, self.name)
        if self._number == _NEUTRALITY:
            total = counts.sum(axis=1)
            shares = arrays.ratio(counts, total[:, np.newaxis])
            apart = np.abs(shares - 1 / counts.shape[1]).sum(axis=1)
            found = 1 - np.where(total > self._threshold, apart, 0.0)
        else:
            first, second = map(_DIFFERENCES[self._number], np.maximum(counts, 0).T)
            found = first - second
        return np.where(counts[:, 0] < 0, np.nan, found)

    def __len__(self) -> int:
        """Return the number of documents that were counted so far."""
        return len(self._counts)

    def __repr__(self) -> str:
        return f"Values({self.name!r}, {self._number} of {', '.join(self._counts.groups)} words)"
