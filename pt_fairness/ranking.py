"""Qrels and runs as arrays: identifiers to codes, trec_eval's order, and the groups of every ranked document.

:class:`Judgments` is made once per evaluator, :class:`Run` once per run, :class:`Rankings` once per run and group
source; the measures see :class:`Rankings` alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from pt_fairness.measures.base import label_text
from pt_fairness.numerics import Bools, Floats, Ints, within

if TYPE_CHECKING:
    from pt_fairness.groups import Groups

#: How the TREC formats write "no group"; a missing value means the same.
UNANNOTATED = ("", "-")
#: What stands in the second column of qrels that have no groups.
TREC_DEFAULTS = {"0", "Q0"}

#: How many numbers a block of topics may hold while a measure works on it: small enough for a processor's cache.
BLOCK_CELLS = 1 << 18
#: How many identifiers are Python strings at a time while they become words.
STRINGS_AT_ONCE = 1 << 14


class FairnessWarning(UserWarning):
    """The result is right, but not what a hurried reader might take it for."""


def warn(message: str) -> None:
    warnings.warn(message, FairnessWarning, stacklevel=3)


# ---------------------------------------------------------------------------------------------------------------------
# identifiers


def words_of(ids: pd.Series) -> np.ndarray[Any, np.dtype[np.uint64]]:
    """``[n, words]``: the UTF-8 bytes of each identifier as big-endian words, so that they compare as the strings do."""
    parts = []
    for start in range(0, len(ids), STRINGS_AT_ONCE):
        part = ids.iloc[start:start + STRINGS_AT_ONCE].to_numpy(dtype=object)
        try:
            parts.append(part.astype("S"))
        except UnicodeEncodeError:
            parts.append(np.char.encode(part.astype("U"), "utf-8"))
    width = -(-max((part.dtype.itemsize for part in parts), default=1) // 8)
    text = np.empty(len(ids), f"S{8 * width}")
    start = 0
    for part in parts:
        text[start:start + len(part)] = part
        start += len(part)
    return text.view(">u8").reshape(len(ids), width).astype(np.uint64)


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
            self.pair, hashes = pd.factorize(self._hash(topic, words))
            if len(hashes) == len(topic):
                self.first = np.arange(len(topic))
                break
            self.first = np.empty(len(hashes), np.intp)
            self.first[self.pair[::-1]] = np.arange(len(topic) - 1, -1, -1)
            same = topic[self.first[self.pair]] == topic
            for column in range(words.shape[1]):
                same &= words[self.first[self.pair], column] == words[:, column]
            if same.all():
                break
        else:  # pragma: no cover - 64 hash functions in a row that collide
            raise RuntimeError("no hash function tells these identifiers apart")
        self._hashes = pd.Index(hashes)
        #: ``[pairs, words]``: the document of each pair.
        self.words = words[self.first]
        self._topic = topic[self.first]

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

    def find(self, topic: Ints, words: Any) -> Ints:
        """``[m]``: the number of each pair, −1 where it is none of them."""
        found = self._hashes.get_indexer(self._hash(topic, words))
        if len(self) == 0:
            return found.astype(np.int64)
        same = (found >= 0) & (self._topic[found] == topic)
        for column in range(max(words.shape[1], self.words.shape[1])):
            ours = self.words[found, column] if column < self.words.shape[1] else 0
            theirs = words[:, column] if column < words.shape[1] else 0
            same &= ours == theirs
        return np.where(same, found, -1)


def _codes_of(ids: pd.Series) -> tuple[Ints, list[str], list[Any]]:
    """Codes of a column with few distinct values: the codes, the values as text, and as they were given."""
    codes, values = pd.factorize(ids)
    return codes.astype(np.int64), [label_text(v) for v in values], list(values)


def _refuse_missing(column: pd.Series, what: str, where: str) -> None:
    missing = column.isna().to_numpy()
    if missing.any():
        raise ValueError(f"row {int(np.argmax(missing))} of the {where} has no {what}; every row needs one")


# ---------------------------------------------------------------------------------------------------------------------
# qrels


class Judgments:
    """The qrels of an evaluator.

    :param qrels: columns ``query_id, doc_id, relevance`` and, if it has groups, ``iteration``
    """

    def __init__(self, qrels: pd.DataFrame) -> None:
        for column in ("query_id", "doc_id", "relevance"):
            _refuse_missing(qrels[column], column, "qrels")
        self.row_topic, self.topics, self.qids = _codes_of(qrels["query_id"])
        if len(set(self.topics)) < len(self.topics):  # 1 and '1' are one topic
            names = list(dict.fromkeys(self.topics))
            self.row_topic = np.array([names.index(name) for name in self.topics])[self.row_topic]
            self.topics, self.qids = names, [self.qids[self.topics.index(name)] for name in names]
        self.index = PairIndex(self.row_topic, words_of(qrels["doc_id"]))
        self.topic = self.row_topic[self.index.first]
        self.row_relevance = pd.to_numeric(qrels["relevance"]).to_numpy()
        self.relevance = self.row_relevance
        if len(self.index) < len(self.row_relevance):
            self.relevance = np.full(len(self.index), np.iinfo(np.int64).min, self.row_relevance.dtype)
            np.maximum.at(self.relevance, self.index.pair, self.row_relevance)
        self._docnos = qrels["doc_id"]
        self._iteration = qrels.get("iteration")

    @cached_property
    def docnos(self) -> Any:
        """The document of each pair, as text."""
        return self._docnos.iloc[self.index.first].astype(str).to_numpy(dtype=object)

    @cached_property
    def row_labels(self) -> tuple[Ints, list[str]]:
        """The code of each row's iteration (−1: unannotated) and the labels, in order of appearance."""
        if self._iteration is None:
            return np.zeros(len(self.row_topic), np.int64), ["0"][:len(self.row_topic)]
        codes, texts, _ = _codes_of(self._iteration)
        labels = list(dict.fromkeys(text for text in texts if text not in UNANNOTATED))
        place = {text: i for i, text in enumerate(labels)}
        table = np.array([place.get(text, -1) for text in texts] + [-1])
        return table[codes], labels


# ---------------------------------------------------------------------------------------------------------------------
# groups


class LabelSets:
    """Numbers the sets of labels that documents have; mostly sets of one."""

    def __init__(self) -> None:
        self.labels: dict[str, int] = {}
        self.sets: dict[tuple[int, ...], int] = {}

    def label_codes(self, labels: Sequence[str]) -> Ints:
        return np.array([self.labels.setdefault(name, len(self.labels)) for name in labels], np.int64)

    def _set_code(self, members: tuple[int, ...]) -> int:
        return self.sets.setdefault(members, len(self.sets))

    def code(self, item: Ints, label: Ints, items: int) -> Ints:
        """``[items]``: the set of each item, −1 for the empty one.

        :param item: ``[n]``, which item each annotation belongs to
        :param label: ``[n]``, its label's code; −1 is none
        """
        codes = np.full(items, -1, np.int64)
        if (label < 0).any():
            item, label = item[label >= 0], label[label >= 0]
        order = np.lexsort((label, item))
        item, label = item[order], label[order]
        new = np.ones(len(item), bool)
        new[1:] = (item[1:] != item[:-1]) | (label[1:] != label[:-1])
        item, label = item[new], label[new]
        count = np.bincount(item, minlength=items)
        alone = count[item] == 1
        present = np.unique(label[alone])
        table = np.zeros(len(self.labels) + 1, np.int64)
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
                    f"the qrels have no groups: their iteration field is {labels[0]!r} throughout. Write the groups into it "
                    "(pt_fairness.groups.from_frame(…).to_qrels(qrels), or pt_fairness.read_qrels on a file that has "
                    "them), or name a source with the measure's groups= parameter")
            self._row_label = self.sets.label_codes(labels)[codes] if labels else codes
            if labels:
                self._row_label[codes < 0] = -1
            self._judged: Ints | None = self._sets_of_rows(slice(None))
            judged = set(labels)
        else:
            self._judged = None
            judged = set()
            if groups.labels is None or not groups.complete:
                judged = self._labels_of(self.judged)
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
            self._judged = self.look_up(self.judgments.topic, self.judgments.docnos)
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
                codes = np.full(len(pairs), -1, np.int64)
                codes[pairs] = self.look_up(self.judgments.topic[pairs], self.judgments.docnos[pairs])
            self._relevant[rel] = np.where(pairs, codes, -1)
        return self._relevant[rel]

    def look_up(self, topic: Ints, docnos: Any) -> Ints:
        """The label sets of any documents, from the Groups object."""
        assert self.groups is not None
        qids = np.array(self.judgments.topics, dtype=object)[topic]
        item, codes, labels = self.groups.annotate(qids, docnos)
        return self.sets.code(item, self.sets.label_codes(labels)[codes], len(docnos))

    def of_run(self, run: Run, depth: int | None) -> tuple[Ints, Ints]:
        """The label sets of a run's documents, and how many documents of each topic are of use.

        A Groups object is asked only until every topic has ``depth`` annotated documents: the lists end there.
        """
        if self.groups is None:
            pair = run.pair
            return np.where(pair >= 0, self.judged[pair], -1) if len(self.judged) else pair, run.length
        codes = np.full(len(run.topic), -1, np.int64)
        if depth is None:
            depth = int(run.length.max(initial=0))
        known = np.zeros_like(run.length)
        wanted = np.minimum(run.length, depth)
        while (wanted > known).any():
            rows = np.flatnonzero((run.place >= known[run.topic]) & (run.place < wanted[run.topic]))
            codes[rows] = self.look_up(run.topic[rows], run.docnos(rows))
            known = wanted
            annotated = np.bincount(run.topic[codes >= 0], minlength=len(known))
            wanted = np.where(annotated < depth, np.minimum(run.length, 2 * known), known)
        return codes, known

    def names(self, codes: Ints) -> list[str]:
        """The labels in these label sets, sorted."""
        return sorted(self._labels_of(codes))

    def check(self, label: str, parameter: str, tell: Callable[[str, str], None]) -> None:
        """:raises ValueError: a label outside of G where the Groups object declares its labels; else it warns."""
        if label in self.labels:
            return
        if self.declared is not None:
            raise ValueError(f"{parameter}={label!r} names no group of {self.groups!r}; its groups are "
                             f"{', '.join(map(repr, self.labels))}")
        tell(f"label {label}", f"{parameter}={label!r} names a group that no judged document has; the qrels hold "
             f"{', '.join(map(repr, self.labels)) or 'no groups'}")


# ---------------------------------------------------------------------------------------------------------------------
# runs


class Run:
    """A run in trec_eval's order: float32(score) descending, then docno descending; topics in the order of the qrels.

    :param run: columns ``query_id, doc_id, score``
    :param tell: is called with a warning's cause and text
    :raises ValueError: a score that is NaN or no number, a missing identifier
    """

    def __init__(self, run: pd.DataFrame, judgments: Judgments, tell: Callable[[str, str], None]) -> None:
        for column in ("query_id", "doc_id"):
            _refuse_missing(run[column], column, "run")
        codes, names, _ = _codes_of(run["query_id"])
        place = {name: i for i, name in enumerate(judgments.topics)}
        topic = np.array([place.get(name, -1) for name in names], np.int64)[codes] if names else codes
        score = self._scores(run)
        docnos = run["doc_id"]
        rows = np.flatnonzero(topic >= 0)
        if len(rows) < len(topic):
            topic, score, docnos = topic[rows], score[rows], docnos.iloc[rows]
        words = words_of(docnos)
        index = PairIndex(topic, words)
        if len(index) < len(topic):
            last = np.empty(len(index), np.intp)
            last[index.pair] = np.arange(len(topic))
            twice = int(np.flatnonzero(last[index.pair] != np.arange(len(topic)))[0])
            tell("duplicates", f"the run has {len(topic) - len(index)} rows whose document it gives again for the same topic "
                               f"(the first is {docnos.iloc[twice]!r} for topic {judgments.topics[topic[twice]]!r}); "
                               "of each such document the last row counts")
            last.sort()
            topic, score, words, docnos = topic[last], score[last], words[last], docnos.iloc[last]
        with np.errstate(over="ignore"):
            score = score.astype(np.float32)
        order = np.lexsort((-score, topic))
        topic, score = topic[order], score[order]
        tied = (topic[1:] == topic[:-1]) & (score[1:] == score[:-1])
        if tied.any():
            block = np.concatenate(([0], np.cumsum(~tied)))
            some = np.flatnonzero(np.concatenate((tied, [False])) | np.concatenate(([False], tied)))
            keys = [~words[order[some], column] for column in reversed(range(words.shape[1]))]
            order[some] = order[some][np.lexsort((*keys, block[some]))]
        else:
            block = np.arange(len(topic))
        #: ``[n]``: topic, and score block (documents of one block are tied), of each document in order.
        self.topic, self.block = topic, block
        #: ``[T]``: how many documents each topic has, and where they start.
        self.length = np.bincount(topic, minlength=len(judgments.topics)).astype(np.int64)
        self.start = np.concatenate(([0], np.cumsum(self.length)[:-1])) if len(self.length) else self.length
        #: ``[n]``: 0-based rank.
        self.place = np.arange(len(topic)) - self.start[topic]
        #: ``[n]``: the judged pair that each document is, −1 where it is unjudged.
        self.pair = judgments.index.find(topic, words[order])
        self._docnos, self._order = docnos, order

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
        return self._docnos.iloc[self._order[rows]].astype(str).to_numpy(dtype=object)


# ---------------------------------------------------------------------------------------------------------------------
# what a measure sees


class Rankings:
    """The ranked documents of a run's topics with their groups, for measures of one group source and label set.

    ``T`` topics (those of the qrels), ``S`` label sets, ``L = len(labels)`` groups. A document's *code* is the number
    of its label set, −1 where it is unannotated.
    """

    def __init__(self, run: Run, annotations: Annotations, codes: Ints, length: Ints, added: Sequence[str] = ()) -> None:
        self._run, self._annotations = run, annotations
        self._sets = annotations.sets
        #: The label set G, sorted.
        self.labels = sorted({*annotations.labels, *added})
        #: ``[S, L]``: which groups a label set holds, and how much of a document each of them gets.
        self.member = self._sets.member(self.labels)
        self.share: Floats = self.member / np.maximum(self.member.sum(axis=1, keepdims=True), 1)
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
        self._counts: dict[int, Ints] = {}

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
            return np.full((len(n), depth), empty, np.int64)
        places = np.minimum(start[:, None] + np.arange(depth), len(flat) - 1)
        return np.where(within(depth, n), flat[places], empty)

    def relevant(self, rel: int) -> Ints:
        """``[T, S]``: how many judged documents of at least ``rel`` each topic has of each label set."""
        return self._relevant(rel)[self.topics]

    def pooled(self, rel: int) -> Ints:
        """``[S]``: the same over all topics of the qrels."""
        return np.asarray(self._relevant(rel).sum(axis=0))

    def _relevant(self, rel: int) -> Ints:
        if rel not in self._counts:
            codes = self._annotations.relevant(rel)
            topic = self._annotations.judgments.topic
            # A label set that the run alone has may be newer than this table.
            sets = len(self.member)
            some = codes >= 0
            counts = np.bincount(topic[some] * sets + codes[some], minlength=len(self._length) * sets)
            self._counts[rel] = np.where(self.member.any(axis=1), counts.reshape(-1, sets), 0)
        return self._counts[rel]

    @cached_property
    def in_run(self) -> Ints:
        """``[T, S]``: how many documents of the whole condensed run have each label set."""
        sets = len(self.member)
        rows = slice(self._condensed_start[self.topics.start], self._condensed_start[self.topics.stop])
        flat = (self._condensed_topic[rows] - self.topics.start) * sets + self._condensed[rows]
        return np.bincount(flat, minlength=len(self) * sets).reshape(len(self), sets).astype(np.int64)
