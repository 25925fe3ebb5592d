"""Qrels and runs as arrays: identifiers to codes, trec_eval's order, and the groups of every ranked document.

:class:`Judgments` is made once per evaluator, :class:`Run` once per run, :class:`Rankings` once per run and group
source; the measures see :class:`Rankings` alone.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pandas as pd

from pt_fairness.measures.base import FairnessMeasure, label_text
from pt_fairness.numerics import Bools, Floats, Ints, within

if TYPE_CHECKING:
    from pt_fairness.groups import Groups

__all__ = ["FairnessWarning", "Rankings"]

#: How the TREC formats write "no group"; a missing value means the same.
UNANNOTATED = ("", "-")
#: What stands in the second column of qrels that have no groups.
TREC_DEFAULTS = {"0", "Q0"}

#: How many numbers a block of topics may hold while a measure works on it: small enough for a processor's cache.
BLOCK_CELLS = 1 << 15
#: How many identifiers are Python strings at a time while they become words.
STRINGS_AT_ONCE = 1 << 13


class FairnessWarning(UserWarning):
    """The result is right, but not what a hurried reader might take it for."""


_collected: ContextVar[list[str] | None] = ContextVar("pt_fairness_warnings", default=None)


@contextmanager
def collecting_warnings() -> Iterator[list[str]]:
    """Collects what :func:`warn` is told in this thread instead of warning."""
    messages: list[str] = []
    token = _collected.set(messages)
    try:
        yield messages
    finally:
        _collected.reset(token)


#: The packages between a user's line and a measure.
_BETWEEN = ("pt_fairness", "ir_measures", "pyterrier")


def warn(message: str) -> None:
    """Warns at the line that asked: the innermost one outside of this package, of ir_measures and of PyTerrier."""
    collected = _collected.get()
    if collected is not None:
        collected.append(message)
        return
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _BETWEEN:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, FairnessWarning, stacklevel=level)


# ---------------------------------------------------------------------------------------------------------------------
# identifiers


def missing(column: pd.Series, row: Any, where: str) -> ValueError:
    """The error of a column that has no value in a row."""
    return ValueError(f"row {column.index[row]} of the {where} has no {column.name}; every row needs one")


#: How missing values look as text, in its first eight bytes; telling them from identifiers that look alike is left to pandas.
_MISSING = np.array([int.from_bytes(text.ljust(8, b"\0"), "big") for text in (b"", b"nan", b"None", b"<NA>", b"NaT")],
                    np.uint64)


def whole_numbers(ids: pd.Series) -> pd.Series:
    """Identifiers that became floats on their way (a merge does that) as the whole numbers that they were."""
    dtype = ids.dtype.categories.dtype if isinstance(ids.dtype, pd.CategoricalDtype) else ids.dtype
    floats = dtype.kind == "f" or (
        dtype.kind == "O" and len(ids) > 0 and not isinstance(ids.iloc[0], str)
        and pd.api.types.infer_dtype(ids, skipna=True) in ("floating", "mixed-integer-float", "mixed-integer", "mixed"))
    return ids.astype(object).map(label_text, na_action="ignore") if floats else ids


def texts_of(ids: pd.Series) -> Any:
    """``[n]``: identifiers as text."""
    return whole_numbers(ids).astype(str).to_numpy(dtype=object)


def words_of(ids: pd.Series, where: str = "frame") -> np.ndarray[Any, np.dtype[np.uint64]]:
    """``[n, words]``: the UTF-8 bytes of each identifier as big-endian words, so that they compare as the strings do.

    :param where: what the identifiers are of, for the error
    :raises ValueError: an identifier is missing
    """
    ids = whole_numbers(ids)
    parts = []
    for start in range(0, len(ids), STRINGS_AT_ONCE):
        part = ids.iloc[start:start + STRINGS_AT_ONCE].to_numpy(dtype=object)
        try:
            parts.append(part.astype("S"))
        except UnicodeEncodeError:
            parts.append(np.char.encode(part.astype("U"), "utf-8"))
    width = -(-max((part.dtype.itemsize for part in parts), default=1) // 8)
    text = np.empty(len(ids), f"S{8 * width}")
    end = len(ids)
    while parts:  # from the end, so that each part can go as soon as it is copied
        part = parts.pop()
        text[end - len(part):end] = part
        end -= len(part)
    words = text.view(np.uint64).reshape(len(ids), width)
    if sys.byteorder == "little":
        words.byteswap(inplace=True)
    suspects = np.flatnonzero(np.isin(words[:, 0], _MISSING))
    if len(suspects) and ids.iloc[suspects].isna().any():
        raise missing(ids, suspects[ids.iloc[suspects].isna().to_numpy()][0], where)
    return words


# Odd constants with well-mixed bits (from the fractional parts of the golden ratio and of square roots).
_MIX = np.array([0x9E3779B97F4A7C15, 0x6A09E667F3BCC909, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B], np.uint64)


class PairIndex:
    """Finds (topic, document) pairs: a hash join on words, exact because every hit is compared.

    :param topic: ``[n]`` topic codes
    :param words: ``[n, words]`` of :func:`words_of`

    ``pair [n]`` numbers the distinct pairs in order of their first row; ``first`` gives that row for each.
    """

    def __init__(self, topic: Ints, words: Any) -> None:
        for seed in range(64):
            self._seed = seed
            hashes = self._hash(topic, words)
            order = np.argsort(hashes)
            again = np.append(False, hashes[order[1:]] == hashes[order[:-1]])[:len(topic)]
            if again.any():
                order = np.argsort(hashes, kind="stable")
            hashes = hashes[order]
            if not again.any():
                self.first = self.pair = np.arange(len(topic), dtype=np.int32)
                self._hashes, self._pair_of = hashes, order.astype(np.int32)
                break
            # The rows of a pair stand together, in their order; its first row is the one that the others have to equal.
            first = order[~again]
            first_of = np.empty(len(topic), np.int32)
            first_of[order] = first[np.cumsum(~again) - 1]
            if (topic[first_of] == topic).all() and all(
                    (words[first_of, column] == words[:, column]).all() for column in range(words.shape[1])):
                self.first = np.sort(first).astype(np.int32)
                self.pair = np.searchsorted(self.first, first_of).astype(np.int32)
                self._hashes, self._pair_of = hashes[~again], self.pair[first]
                break
        else:  # pragma: no cover - 64 hash functions in a row that collide
            raise RuntimeError("no hash function tells these identifiers apart")
        # About as many buckets as pairs, by the first bits: a hash is found in one or two steps instead of a binary search.
        self._shift = np.uint64(64 - max(1, len(self.first).bit_length() - 1))
        counts = np.bincount((self._hashes >> self._shift).astype(np.int64), minlength=1 << (64 - int(self._shift)))
        self._bucket = (np.cumsum(counts) - counts).astype(np.int32)
        unique = len(self.first) == len(topic)
        #: ``[pairs, words]``: the document of each pair.
        self.words = words if unique else words[self.first]
        #: ``[pairs]``: and its topic.
        self.topic = topic if unique else topic[self.first]

    def __len__(self) -> int:
        return len(self.first)

    def _hash(self, topic: Ints, words: Any) -> Any:
        # A word of zeros adds nothing, so that shorter and longer identifiers can be kept at different widths.
        mixed = (topic.astype(np.uint64) + np.uint64(1)) * _MIX[self._seed % 4]
        for column in range(words.shape[1]):
            part = words[:, column] * (_MIX[(column + 1) % 4] + np.uint64(2 * (self._seed + column)))
            part ^= part >> np.uint64(29)
            part *= _MIX[(column + 2 + self._seed) % 4]
            part ^= part >> np.uint64(32)
            mixed += part
        return mixed

    def find(self, topic: Ints, words: Any) -> tuple[Ints, Any]:
        """``[m]``: the number of each pair, −1 where it is none of them; and its hash, the same for the same pair."""
        hashes = self._hash(topic, words)
        if len(self) == 0:
            return np.full(len(topic), -1, np.int32), hashes
        place = np.minimum(self._bucket[(hashes >> self._shift).astype(np.int64)], len(self) - 1)
        before = np.flatnonzero(self._hashes[place] < hashes)
        while len(before):
            place[before] += 1
            before = before[place[before] < len(self)]
            before = before[self._hashes[place[before]] < hashes[before]]
        np.minimum(place, len(self) - 1, out=place)
        same = self._hashes[place] == hashes
        found = self._pair_of[place]
        same &= self.topic[found] == topic
        for column in range(max(words.shape[1], self.words.shape[1])):
            ours = self.words[found, column] if column < self.words.shape[1] else 0
            theirs = words[:, column] if column < words.shape[1] else 0
            same &= ours == theirs
        return np.where(same, found, np.int32(-1)), hashes


def _codes_of(ids: pd.Series, where: str | None = None) -> tuple[Ints, list[str], list[Any]]:
    """Codes of a column with few distinct values: the codes, the values as text, and as they were given.

    :param where: what the column is of, where no value may be missing; else missing values have the code −1
    """
    codes, values = pd.factorize(ids)
    if where is not None and (codes < 0).any():
        raise missing(ids, np.argmax(codes < 0), where)
    return codes.astype(np.int32), [label_text(v) for v in values], list(values)


# ---------------------------------------------------------------------------------------------------------------------
# qrels


class Judgments:
    """The qrels of an evaluator.

    :param qrels: columns ``query_id, doc_id, relevance`` and, if it has groups, ``iteration``
    """

    def __init__(self, qrels: pd.DataFrame) -> None:
        self.row_topic, self.topics, self.qids = _codes_of(qrels["query_id"], "qrels")
        if len(set(self.topics)) < len(self.topics):  # 1 and '1' are one topic
            names = list(dict.fromkeys(self.topics))
            self.row_topic = np.array([names.index(name) for name in self.topics])[self.row_topic]
            self.topics, self.qids = names, [self.qids[self.topics.index(name)] for name in names]
        self.index = PairIndex(self.row_topic, words_of(qrels["doc_id"], "qrels"))
        self.topic = self.row_topic[self.index.first]
        if qrels["relevance"].isna().any():
            raise missing(qrels["relevance"], np.argmax(qrels["relevance"].isna()), "qrels")
        relevance = qrels["relevance"].to_numpy()
        if relevance.dtype.kind not in "iuf":
            relevance = pd.to_numeric(qrels["relevance"]).to_numpy()
        self.row_relevance = relevance if relevance.dtype.kind == "f" else relevance.astype(np.int64, copy=False)
        self.relevance = self.row_relevance
        if len(self.index) < len(self.row_relevance):
            self.relevance = np.full(len(self.index), np.iinfo(np.int64).min, self.row_relevance.dtype)
            np.maximum.at(self.relevance, self.index.pair, self.row_relevance)
        self._docnos = qrels["doc_id"]
        self._iteration = qrels.get("iteration")

    def docnos(self, pairs: Any) -> Any:
        """The documents of these pairs, as text."""
        return texts_of(self._docnos.iloc[self.index.first[pairs]])

    @cached_property
    def row_labels(self) -> tuple[Ints, list[str]]:
        """The code of each row's iteration (−1: unannotated) and the labels, in order of appearance."""
        if self._iteration is None:
            return np.zeros(len(self.row_topic), np.int32), ["0"][:len(self.row_topic)]
        codes, texts, _ = _codes_of(self._iteration)
        labels = list(dict.fromkeys(text for text in texts if text not in UNANNOTATED))
        place = {text: i for i, text in enumerate(labels)}
        table = np.array([place.get(text, -1) for text in texts] + [-1], np.int32)
        return table[codes], labels


# ---------------------------------------------------------------------------------------------------------------------
# groups


class LabelSets:
    """Numbers the sets of labels that documents have; mostly sets of one."""

    def __init__(self) -> None:
        self.labels: dict[str, int] = {}
        self.sets: dict[tuple[int, ...], int] = {}

    def label_codes(self, labels: Sequence[str]) -> Ints:
        return np.array([self.labels.setdefault(name, len(self.labels)) for name in labels], np.int32)

    def _set_code(self, members: tuple[int, ...]) -> int:
        return self.sets.setdefault(members, len(self.sets))

    def code(self, item: Ints, label: Ints, items: int) -> Ints:
        """``[items]``: the set of each item, −1 for the empty one.

        :param item: ``[n]``, which item each annotation belongs to
        :param label: ``[n]``, its label's code; −1 is none
        """
        codes = np.full(items, -1, np.int32)
        if (label < 0).any():
            item, label = item[label >= 0], label[label >= 0]
        if (item[1:] > item[:-1]).all():  # one label each, as mostly, and in order
            present = np.unique(label)
            table = np.full(len(self.labels) + 1, -1, np.int32)
            table[present] = [self._set_code((int(one),)) for one in present]
            codes[item] = table[label]
            return codes
        order = np.lexsort((label, item))
        item, label = item[order], label[order]
        new = np.ones(len(item), bool)
        new[1:] = (item[1:] != item[:-1]) | (label[1:] != label[:-1])
        item, label = item[new], label[new]
        count = np.bincount(item, minlength=items)
        alone = count[item] == 1
        present = np.unique(label[alone])
        table = np.zeros(len(self.labels) + 1, np.int32)
        table[present] = [self._set_code((int(one),)) for one in present]
        codes[item[alone]] = table[label[alone]]
        for size in np.unique(count[count > 1]):
            some = count[item] == size
            members, inverse = np.unique(label[some].reshape(-1, size), axis=0, return_inverse=True)
            names = np.array([self._set_code(tuple(map(int, row))) for row in members])
            codes[item[some].reshape(-1, size)[:, 0]] = names[inverse.reshape(-1)]
        return codes

    def member(self, labels: Sequence[str]) -> Bools:
        """``[S, L]``: which of ``labels`` each set has."""
        column = {self.labels[name]: i for i, name in enumerate(labels) if name in self.labels}
        table = np.zeros((len(self.sets), len(labels)), bool)
        for members, code in self.sets.items():
            for one in members:
                if one in column:
                    table[code, column[one]] = True
        return table


class Annotations:
    """The groups of judged documents, and of ranked ones, from the qrels' ``iteration`` or from a Groups object.

    :raises ValueError: no Groups object, and the qrels have no groups either
    """

    def __init__(self, judgments: Judgments, groups: Groups | None) -> None:
        self.judgments = judgments
        self.groups = groups
        self.sets = LabelSets()
        self._relevant: dict[int, Ints] = {}
        if groups is None:
            codes, labels = judgments.row_labels
            if labels and set(labels) <= TREC_DEFAULTS:
                raise ValueError(
                    "the qrels have no groups: their iteration field is absent, or holds nothing but "
                    f"{' and '.join(map(repr, labels))}. Write the groups into it "
                    "(pt_fairness.groups.from_frame(…).to_qrels(qrels), or pt_fairness.read_qrels on a file that has "
                    "them), or name a source with the measure's groups= parameter")
            self.sets.label_codes(labels)  # in this order, so that they have the codes that they have in the rows
            self._row_label = codes
            self._judged: Ints | None = self._sets_of_rows(slice(None))
            judged = set(labels)
        else:
            self._judged = None
            judged = set()
            if groups.labels is None or not groups.complete:
                judged = self._labels_of(self.judged)
            if groups.labels == []:
                raise ValueError(f"{groups!r} holds no group at all: every document that it names is unannotated")
        self.declared = None if groups is None else groups.labels
        #: The label set G, sorted.
        self.labels = sorted(judged | set(self.declared or ()))

    def _labels_of(self, codes: Ints) -> set[str]:
        present = set(np.unique(codes[codes >= 0]).tolist())
        members = {one for key, code in self.sets.sets.items() if code in present for one in key}
        return {name for name, code in self.sets.labels.items() if code in members}

    def _sets_of_rows(self, rows: Any) -> Ints:
        return self.sets.code(self.judgments.index.pair[rows], self._row_label[rows], len(self.judgments.index))

    @property
    def judged(self) -> Ints:
        """The label set of each judged pair."""
        if self._judged is None:
            self._judged = np.empty(len(self.judgments.index), np.int32)
            self._look_up(self.judgments, np.arange(len(self._judged)), self._judged)
        return self._judged

    def relevant(self, rel: int) -> Ints:
        """The label set of each judged pair of at least ``rel``, −1 for the others.

        Where any row of a document reaches ``rel``, only such rows give it groups.
        """
        if rel not in self._relevant:
            pairs = self.judgments.relevance >= rel
            if self.groups is None:
                rows = self.judgments.row_relevance >= rel
                codes = self.judged if rows.all() else self._sets_of_rows(rows)
            elif self._judged is not None:
                codes = self._judged
            else:
                codes = np.full(len(pairs), -1, np.int32)
                self._look_up(self.judgments, np.flatnonzero(pairs), codes)
            self._relevant[rel] = np.where(pairs, codes, -1)
        return self._relevant[rel]

    def without_group(self, rel: int) -> str | None:
        """A relevant document, if none of them has a group, as far as that has been looked up."""
        relevant = np.flatnonzero(self.judgments.relevance >= rel)
        if rel not in self._relevant or (self._relevant[rel] >= 0).any() or not len(relevant):
            return None
        return str(self.judgments.docnos(relevant[:1])[0])

    def _look_up(self, documents: Judgments | Run, rows: Ints, codes: Ints) -> None:
        """Puts the label sets of the documents in these rows into ``codes``, from the Groups object."""
        assert self.groups is not None
        qids = np.array(self.judgments.topics, dtype=object)
        at_once = STRINGS_AT_ONCE if self.groups.in_parts else max(len(rows), 1)
        for start in range(0, len(rows), at_once):
            part = rows[start:start + at_once]
            item, label, labels = self.groups.annotate(qids[documents.topic[part]], documents.docnos(part))
            codes[part] = self.sets.code(item, self.sets.label_codes(labels)[label], len(part))

    def of_run(self, run: Run, depth: int | None) -> tuple[Ints, Ints]:
        """The label sets of a run's documents, and how many documents of each topic are of use.

        A Groups object is asked only until every topic has ``depth`` annotated documents: the lists end there.
        """
        if self.groups is None:
            pair = run.pair
            return np.where(pair >= 0, self.judged[pair], -1) if len(self.judged) else pair, run.length
        codes = np.full(len(run.topic), -1, np.int32)
        if depth is None:
            depth = int(run.length.max(initial=0))
        known = np.zeros(len(run.length), np.int32)
        wanted = np.minimum(run.length, depth).astype(np.int32)
        while (wanted > known).any():
            rows = np.flatnonzero((run.place >= known[run.topic]) & (run.place < wanted[run.topic])).astype(np.int32)
            self._look_up(run, rows, codes)
            known = wanted
            # A label outside of G is no annotation.
            usable = np.append(self.sets.member(self.labels).any(axis=1), False)
            annotated = np.bincount(run.topic[usable[codes]], minlength=len(known))
            wanted = np.where(annotated < depth, np.minimum(run.length, 2 * known), known)
        return codes, known

    def names(self, codes: Ints) -> list[str]:
        """The labels in these label sets, sorted."""
        return sorted(self._labels_of(codes))

    def check(self, measure: FairnessMeasure, tell: Callable[[str, str], None]) -> None:
        """Whether the labels that a measure's parameters name are in G.

        :raises ValueError: one is not, and the Groups object declares its labels; if it does not, ``tell`` is called
        """
        for parameter, label in measure.named_labels([*self.labels, *measure.added_labels]):
            if label in self.labels or label in measure.added_labels:
                continue
            if self.declared is not None:
                raise ValueError(f"{parameter}={label!r} names no group of {self.groups!r}; its groups are {self._named()}")
            words = f"; {parameter} takes {measure.SUPPORTED_PARAMS[parameter].allowed}" if parameter == "protected" else ""
            tell(f"label {label}", f"{parameter}={label!r} names a group that no judged document has; the qrels hold "
                 f"{self._named()}{words}")
        added = [label for label in measure.added_labels if label not in self.labels]
        if added:
            tell(f"target {added}", f"the target of {measure} has a share for {', '.join(map(repr, added))}, which no judged "
                 f"document has as its group{'' if self.declared is None else f' and {self.groups!r} does not declare'}; the "
                 f"judged documents have {self._named()}")

    def _named(self) -> str:
        return ", ".join(map(repr, self.labels)) or "no groups"


# ---------------------------------------------------------------------------------------------------------------------
# runs


def _sort_key(topic: Ints, score: Any) -> Ints:
    """``[n]``: whole numbers in the order of the topics and, within one, of the falling scores (float32); fast to sort."""
    # The bits of floats are in their order, but for the negative ones, in the opposite. 0 − 0 and 0 − −0 are the same.
    bits = (np.float32(0) - score).view(np.int32)
    bits ^= (bits >> 31) & np.int32(0x7FFFFFFF)
    key = topic.astype(np.int64) << 32
    key += bits
    return key


class Run:
    """A run in trec_eval's order: float32(score) descending, then docno descending; topics in the order of the qrels.

    :param run: columns ``query_id, doc_id, score``
    :param tell: is called with a warning's cause and text
    :raises ValueError: a score that is NaN or no number, a missing identifier
    """

    def __init__(self, run: pd.DataFrame, judgments: Judgments, tell: Callable[[str, str], None]) -> None:
        codes, names, _ = _codes_of(run["query_id"], "run")
        place = {name: i for i, name in enumerate(judgments.topics)}
        topic = np.array([place.get(name, -1) for name in names], np.int32)[codes] if names else codes
        score = self._scores(run)
        docnos = run["doc_id"]
        rows = np.flatnonzero(topic >= 0)
        if names and place and not len(rows):
            tell("topics", f"the run has none of the {len(place)} topics of the qrels: it has topics such as {names[0]!r}, "
                           f"they have topics such as {judgments.topics[0]!r}")
        if len(rows) < len(topic):
            topic, score, docnos = topic[rows], score[rows], docnos.iloc[rows]
        pair, hashes = self._find(topic, docnos, judgments.index)
        hashes.sort()
        if (hashes[1:] == hashes[:-1]).any():
            last = self._last_rows(topic, docnos, judgments, tell)
            topic, score, docnos, pair = topic[last], score[last], docnos.iloc[last], pair[last]
        del hashes
        with np.errstate(over="ignore"):
            score = score.astype(np.float32)
        order = np.argsort(_sort_key(topic, score), kind="stable").astype(np.int32)
        topic, score = topic[order], score[order]
        tied = (topic[1:] == topic[:-1]) & (score[1:] == score[:-1])
        #: ``[n]``: topic, and score block (documents of one block are tied), of each document in order.
        self.topic = topic
        self.block = np.zeros(len(topic), np.int32)
        np.cumsum(~tied, out=self.block[1:])
        some = np.flatnonzero(np.append(tied, False) | np.append(False, tied)).astype(np.int32)
        del tied
        while len(some):
            # As many whole blocks at a time as identifiers may be words at a time, which take more space than codes.
            last = self.block[some[min(STRINGS_AT_ONCE, len(some)) - 1]]
            part = some[:np.searchsorted(some, np.searchsorted(self.block, last, "right"))]
            words = words_of(docnos.iloc[order[part]])
            keys: list[Any] = [~words[:, column] for column in reversed(range(words.shape[1]))]
            order[part] = order[part][np.lexsort((*keys, self.block[part]))]
            some = some[len(part):]
        #: ``[T]``: how many documents each topic has, and where they start.
        self.length = np.bincount(topic, minlength=len(judgments.topics))
        self.start = np.cumsum(self.length) - self.length
        #: ``[n]``: 0-based rank.
        self.place = np.arange(len(topic), dtype=np.int32)
        self.place -= self.start.astype(np.int32)[topic]
        #: ``[n]``: the judged pair that each document is, −1 where it is unjudged.
        self.pair = pair[order]
        self._docnos, self._order = docnos, order

    @staticmethod
    def _find(topic: Ints, docnos: pd.Series, index: PairIndex) -> tuple[Ints, Any]:
        """The judged pair of each row, −1 for none, and its hash; in parts, as identifiers take more space than codes."""
        pair, hashes = np.empty(len(topic), np.int32), np.empty(len(topic), np.uint64)
        for start in range(0, len(topic), STRINGS_AT_ONCE):
            part = slice(start, start + STRINGS_AT_ONCE)
            pair[part], hashes[part] = index.find(topic[part], words_of(docnos.iloc[part], "run"))
        return pair, hashes

    @staticmethod
    def _last_rows(topic: Ints, docnos: pd.Series, judgments: Judgments, tell: Callable[[str, str], None]) -> Ints:
        """The last row of every document of every topic, in the order of the rows."""
        index = PairIndex(topic, words_of(docnos))
        last = np.zeros(len(index), np.intp)
        np.maximum.at(last, index.pair, np.arange(len(topic)))
        again = np.flatnonzero(last[index.pair] != np.arange(len(topic)))
        if len(again):
            tell("duplicates", f"the run has {len(again)} rows whose document it gives again for the same topic (the first is "
                               f"{docnos.iloc[again[0]]!r} for topic {judgments.topics[topic[again[0]]]!r}); of each such "
                               "document the last row counts")
        last.sort()
        return last

    @staticmethod
    def _scores(run: pd.DataFrame) -> Floats:
        try:
            score = run["score"].to_numpy(dtype=np.float64, na_value=np.nan)
        except (TypeError, ValueError) as error:
            raise ValueError(f"the run's scores have to be numbers: {error}") from None
        missing = np.isnan(score)
        if missing.any():
            row = run.iloc[int(np.argmax(missing))]
            raise ValueError(f"the score of document {row['doc_id']!r} for topic {row['query_id']!r} is NaN, so it has no "
                             "rank; every document needs a score")
        return np.asarray(score)

    def docnos(self, rows: Any) -> Any:
        """The documents at these places of the order, as text."""
        return texts_of(self._docnos.iloc[self._order[rows]])


# ---------------------------------------------------------------------------------------------------------------------
# what a measure sees


class Lists(Protocol):
    """What :class:`Rankings` asks of a :class:`Run`."""

    @property
    def topic(self) -> Ints: ...

    @property
    def pair(self) -> Ints: ...

    @property
    def start(self) -> Ints: ...


class Pairs(Protocol):
    """What :class:`Rankings` asks of :class:`Judgments`: the topics, and topic and relevance of each judged pair."""

    @property
    def topics(self) -> Sequence[str]: ...

    @property
    def topic(self) -> Ints: ...

    @property
    def relevance(self) -> Any: ...


class Labelling(Protocol):
    """What :class:`Rankings` asks of :class:`Annotations`."""

    @property
    def judgments(self) -> Pairs: ...

    @property
    def sets(self) -> LabelSets: ...

    @property
    def labels(self) -> list[str]: ...

    def relevant(self, rel: int) -> Ints: ...


class Rankings:
    """The ranked documents of a run's topics with their groups, for measures of one group source and label set.

    ``T`` topics (those of the qrels), ``S`` label sets, ``L = len(labels)`` groups. A document's *code* is the number
    of its label set, −1 where it is unannotated.
    """

    def __init__(self, run: Lists, annotations: Labelling, codes: Ints, length: Ints, added: Sequence[str] = ()) -> None:
        self._made_of = (run, annotations, codes, length)
        self._adding: dict[tuple[str, ...], Rankings] = {}
        self._run, self._annotations = run, annotations
        self._sets = annotations.sets
        #: The label set G, sorted.
        self.labels = sorted({*annotations.labels, *added})
        self._tables: dict[int, tuple[Bools, Floats]] = {}
        usable = np.append(self.member.any(axis=1), False)
        self.foreign = codes[(codes >= 0) & ~usable[codes]]
        self._codes = np.where(usable[codes], codes, -1)
        self._length = length
        kept = np.flatnonzero(self._codes >= 0)
        self._condensed = self._codes[kept]
        self._condensed_topic = run.topic[kept]
        self._condensed_length = np.bincount(self._condensed_topic, minlength=len(length)).astype(np.int64)
        self._condensed_start = np.concatenate(([0], np.cumsum(self._condensed_length)))
        self.topics = slice(0, len(length))
        self._counts: dict[tuple[int, int], Ints] = {}

    def adding(self, labels: tuple[str, ...]) -> Rankings:
        """The same with these labels in the label set too."""
        if not labels:
            return self
        if labels not in self._adding:
            self._adding[labels] = Rankings(*self._made_of, labels)
        return self._adding[labels]

    def _table(self) -> tuple[Bools, Floats]:
        # Judged documents are looked up when a measure first asks for them, and may have label sets that are new.
        sets = len(self._sets.sets)
        if sets not in self._tables:
            member = self._sets.member(self.labels)
            self._tables[sets] = member, member / np.maximum(member.sum(axis=1, keepdims=True), 1)
        return self._tables[sets]

    @property
    def member(self) -> Bools:
        """``[S, L]``: which groups a label set holds. ``S`` can grow when :meth:`relevant` is first called for a ``rel``."""
        return self._table()[0]

    @property
    def share(self) -> Floats:
        """``[S, L]``: how much of a document each group of a label set gets."""
        return self._table()[1]

    def blocks(self, depth: int | None, width: int) -> Iterator[Rankings]:
        """The topics in blocks that fit the cache when a measure keeps ``width`` numbers for every rank."""
        longest = int(self._condensed_length.max(initial=1))
        cells = max(1, min(longest, depth or longest) * width)
        size = max(1, BLOCK_CELLS // cells)
        for start in range(0, len(self._length), size):
            block = object.__new__(Rankings)
            block.__dict__.update(self.__dict__)
            block.topics = slice(start, min(start + size, len(self._length)))
            yield block

    def __len__(self) -> int:
        return self.topics.stop - self.topics.start

    @property
    def qids(self) -> Sequence[str]:
        """``T`` names of topics."""
        return self._annotations.judgments.topics[self.topics]

    @property
    def length(self) -> Ints:
        """``[T]``: how many annotated documents each topic has."""
        return self._condensed_length[self.topics]

    def condensed(self, cutoff: int | None) -> tuple[Ints, Ints]:
        """The lists without unannotated documents: codes ``[T, D]`` (−1 past a list's end) and lengths ``[T]``."""
        n = self.length if cutoff is None else np.minimum(self.length, cutoff)
        return self._matrix(self._condensed, self._condensed_start[self.topics], n, -1), n

    def full(self, cutoff: int | None) -> tuple[Ints, Ints, Ints]:
        """The lists as returned: codes ``[T, D]`` (−1: unannotated or past the end), relevance, lengths ``[T]``."""
        n = self._length[self.topics]
        if cutoff is not None:
            n = np.minimum(n, cutoff)
        start = self._run.start[self.topics]
        judged = self._annotations.judgments.relevance
        pair = self._matrix(self._run.pair, start, n, -1)
        relevance = np.where(pair >= 0, judged[pair], 0) if len(judged) else np.zeros_like(pair)
        return self._matrix(self._codes, start, n, -1), relevance, n

    @staticmethod
    def _matrix(flat: Ints, start: Ints, n: Ints, empty: int) -> Ints:
        depth = int(n.max(initial=0))
        if len(flat) == 0:
            return np.full((len(n), depth), empty, np.int32)
        places = np.minimum(start[:, None] + np.arange(depth), len(flat) - 1)
        return np.where(within(depth, n), flat[places], empty)

    def relevant(self, rel: int) -> Ints:
        """``[T, S]``: how many judged documents of at least ``rel`` each topic has of each label set."""
        return self._relevant(rel)[self.topics]

    def pooled(self, rel: int) -> Ints:
        """``[S]``: the same over all topics of the qrels."""
        return np.asarray(self._relevant(rel).sum(axis=0))

    def _relevant(self, rel: int) -> Ints:
        codes = self._annotations.relevant(rel)
        key = rel, len(self.member)
        if key not in self._counts:
            topic = self._annotations.judgments.topic
            sets = len(self.member)
            some = codes >= 0
            counts = np.bincount(topic[some] * sets + codes[some], minlength=len(self._length) * sets)
            self._counts[key] = np.where(self.member.any(axis=1), counts.reshape(len(self._length), sets), 0)
        return self._counts[key]

    @property
    def in_run(self) -> Ints:
        """``[T, S]``: how many documents of the whole condensed run have each label set."""
        sets = len(self.member)
        rows = slice(self._condensed_start[self.topics.start], self._condensed_start[self.topics.stop])
        flat = (self._condensed_topic[rows] - self.topics.start) * sets + self._condensed[rows]
        return np.bincount(flat, minlength=len(self) * sets).reshape(len(self), sets).astype(np.int64)
