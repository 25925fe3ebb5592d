"""α-DCG and α-nDCG (Clarke et al. 2008) for ir_measures' own measure objects, in trec_eval's order.

ir_measures computes them with ndeval, which breaks ties in another order than trec_eval does for nDCG, has one α for a
whole call, and stops at rank 20. Here the arithmetic is ndeval's and these limits are gone. Its quirks are kept: the ideal
ranking is greedy, tied candidates in descending order of docno; α_DCG is divided by the gain of an ideal in which
every document has every subtopic, except at cutoff 1, where ndeval leaves it undivided.
"""

from __future__ import annotations

import numpy as np

from pt_fairness.measures.greedy import GreedyRanking
from pt_fairness.numerics import SUMMED_RANKS, Floats, Ints, discounted_sum, log_discount, ratio
from pt_fairness.ranking import Judgments, LabelSets, Run


class Subtopics:
    """Which relevant documents have which subtopics, for one ``rel``."""

    def __init__(self, judgments: Judgments, rel: int) -> None:
        codes, labels = judgments.row_labels
        rows = (judgments.row_relevance >= rel) & (codes >= 0)
        self.sets = LabelSets()
        self.sets.label_codes(labels)
        #: ``[pairs]``: the set of subtopics for which each judged document is relevant, −1 for none.
        self.of_pair = self.sets.code(judgments.index.pair[rows], codes[rows], len(judgments.index))
        self.judgments = judgments
        # ``[S, m]``: the subtopics of each set in order of appearance, padded with one that is worth nothing.
        self.nothing = len(labels)
        size = max((len(key) for key in self.sets.sets), default=0)
        self.members = np.full((len(self.sets.sets), size), self.nothing)
        for key, code in self.sets.sets.items():
            self.members[code, :len(key)] = key
        self.size = (self.members != self.nothing).sum(axis=1)
        self._relevant = np.flatnonzero(self.of_pair >= 0)
        held = np.zeros((len(judgments.topics), self.nothing + 1), bool)
        topic = judgments.topic[self._relevant]
        for column in range(size):
            held[topic, self.members[self.of_pair[self._relevant], column]] = True
        #: ``[T]``: how many subtopics, and how many documents, are relevant.
        self.subtopics = held[:, :self.nothing].sum(axis=1)
        self.documents = np.bincount(topic, minlength=len(judgments.topics))
        self._ideals: dict[tuple[float, int | None], Floats] = {}

    def gains(self, topic: Ints, place: Ints, codes: Ints, alpha: float) -> Floats:
        """``[T, depth]``: the gain at every rank.

        :param topic: ``[n]`` topics in ascending order, with ``place [n]`` the 0-based ranks in ascending order within
            each and ``codes [n]`` the sets of subtopics
        """
        some = codes >= 0
        topic, place, codes = topic[some], place[some], codes[some]
        row = np.repeat(np.arange(len(codes)), self.size[codes])
        column = np.arange(len(row)) - np.repeat(np.cumsum(self.size[codes]) - self.size[codes], self.size[codes])
        subtopic = topic[row] * (self.nothing + 1) + self.members[codes[row], column]
        order = np.argsort(subtopic, kind="stable")
        new = np.ones(len(order), bool)
        new[1:] = subtopic[order][1:] != subtopic[order][:-1]
        first = np.flatnonzero(new)
        seen = np.empty(len(order), np.int64)
        seen[order] = np.arange(len(order)) - first[np.cumsum(new) - 1]
        depth = int(place.max(initial=-1)) + 1
        flat = np.bincount(topic[row] * depth + place[row], weights=(1.0 - alpha) ** seen,
                           minlength=len(self.subtopics) * depth)
        return flat.reshape(len(self.subtopics), depth).astype(float)

    def ideal(self, alpha: float, depth: int | None) -> Floats:
        """``[T, depth]``: the gain at every rank of the greedy ideal ranking."""
        key = (alpha, depth)
        if key not in self._ideals:
            self._ideals[key] = self._ideal(alpha, depth)
        return self._ideals[key]

    def _ideal(self, alpha: float, depth: int | None) -> Floats:
        topics = len(self.subtopics)
        longest = int(self.documents.max(initial=0))
        depth = longest if depth is None else min(depth, longest)
        result = np.zeros((topics, depth))
        topic, codes = self.judgments.topic[self._relevant], self.of_pair[self._relevant]
        several = np.zeros(topics, bool)
        several[topic[self.size[codes] > 1]] = True
        if not 0.0 <= alpha <= 1.0:
            several[:] = True
        simple = ~several[topic]
        # With one subtopic a document, greedy means: every subtopic's first document, then every one's second, …
        order = np.argsort(topic[simple] * (self.nothing + 1) + self.members[codes[simple], 0], kind="stable") \
            if simple.any() else np.zeros(0, np.intp)
        t, c = topic[simple][order], codes[simple][order]
        new = np.ones(len(t), bool)
        new[1:] = (t[1:] != t[:-1]) | (c[1:] != c[:-1])
        turn = np.arange(len(t)) - np.flatnonzero(new)[np.cumsum(new) - 1] if len(t) else t
        order = np.lexsort((turn, t))
        t, turn = t[order], turn[order]
        place = np.arange(len(t)) - np.searchsorted(t, t)
        inside = place < depth
        result[t[inside], place[inside]] = (1.0 - alpha) ** turn[inside]
        if several.any() and depth:
            result[several] = self._greedy(np.flatnonzero(several), alpha, depth)
        return result

    def _greedy(self, topics: Ints, alpha: float, depth: int) -> Floats:
        """``[topics, depth]``: the gains of the greedy ranking, ties by docno, descending."""
        chosen = np.isin(self.judgments.topic[self._relevant], topics)
        pairs = self._relevant[chosen]
        words = self.judgments.index.words[pairs]
        topic = np.searchsorted(topics, self.judgments.topic[pairs])
        order = np.lexsort((*(~words[:, column] for column in reversed(range(words.shape[1]))), topic))
        topic, codes = topic[order], self.of_pair[pairs][order]
        return GreedyRanking(topic, codes, self.members, self.nothing, alpha).gains(depth)


class Listing:
    """A run's documents as one measure sees them: all, or the judged ones alone."""

    def __init__(self, run: Run, judged_only: bool) -> None:
        self.topic, self.block, self.place, self.pair = run.topic, run.block, run.place, run.pair
        if judged_only:
            judged = self.pair >= 0
            self.topic, self.block, self.pair = self.topic[judged], self.block[judged], self.pair[judged]
            self.place = np.arange(len(self.topic)) - np.searchsorted(self.topic, self.topic)

    def sets(self, subtopics: Subtopics) -> Ints:
        """``[n]``: the set of subtopics for which each document is relevant, −1 for none."""
        return np.where(self.pair >= 0, subtopics.of_pair[self.pair], -1) if len(subtopics.of_pair) else self.pair

    def ties_matter(self, subtopics: Subtopics, cutoff: int | None, as_set: bool = False) -> bool:
        """Whether tied documents that are worth different gains reach into the evaluated ranks.

        :param as_set: the order within the evaluated ranks does not matter, only which documents they hold
        """
        if len(self.topic) == 0:
            return False
        first = np.flatnonzero(np.append(True, self.block[1:] != self.block[:-1]))
        if len(first) == len(self.block):
            return False  # nothing is tied
        worth = self.sets(subtopics)
        mixed = np.minimum.reduceat(worth, first) != np.maximum.reduceat(worth, first)
        if cutoff is not None:
            mixed &= self.place[first] < cutoff
            if as_set:
                last = np.append(first[1:], len(self.block)) - 1
                mixed &= self.place[last] >= cutoff
        return bool(mixed.any())


def score(name: str, subtopics: Subtopics, listing: Listing, alpha: float, cutoff: int | None) -> Floats:
    """``[T]``: α-nDCG or α-DCG of every topic; 0 where no relevant document has a subtopic.

    :param name: ``alpha_nDCG`` or ``alpha_DCG``
    :param cutoff: ``None``: the whole list, against the ideal ranking of all relevant documents
    """
    inside = listing.place < cutoff if cutoff is not None else slice(None)
    found = _discounted(subtopics.gains(listing.topic[inside], listing.place[inside], listing.sets(subtopics)[inside], alpha))
    if name == "alpha_nDCG":
        return ratio(found, _discounted(subtopics.ideal(alpha, cutoff)))
    if cutoff == 1:
        return found  # ndeval does not normalise the first rank
    if cutoff is not None and cutoff > SUMMED_RANKS and 0.0 <= alpha <= 1.0:
        everything = discounted_sum(range(1, cutoff + 1), lambda i: (1.0 - alpha) ** (i - 1.0))
        return ratio(found, subtopics.subtopics * everything)
    # Without a cutoff, as deep as documents can have a gain: the relevant ones.
    depth = np.full(len(found), cutoff) if cutoff is not None else subtopics.documents
    longest = int(depth.max(initial=0))
    table = np.concatenate(([0.0], np.cumsum((1.0 - alpha) ** np.arange(longest) * log_discount(longest))))
    return ratio(found, subtopics.subtopics * table[depth])


def _discounted(gains: Floats) -> Floats:
    return np.asarray(gains @ log_discount(gains.shape[1]))
