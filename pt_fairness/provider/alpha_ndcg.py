"""α-DCG and α-nDCG (Clarke et al. 2008) for ir_measures' measure objects, in trec_eval's order.

ir_measures computes them with ndeval, which breaks ties in another order than trec_eval, takes one
α per call, and stops at rank 20. This module has ndeval's arithmetic without these limits. The
ideal ranking is greedy; ties in it are broken by docno, descending. α-DCG is divided by the gain of
an ideal ranking in which every document has every subtopic. At cutoff 1 it is not divided, as in
ndeval. ndeval's other measures, computed by ndeval in trec_eval's order, use its warning of ties.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

from pt_fairness.core.arrays import Floats, Ints, log_discount, mean_of_lists, positions, ratio
from pt_fairness.core.identifiers import codes_of, texts_of, words_of
from pt_fairness.core.messages import UNANNOTATED, Warn
from pt_fairness.measures.measure_names import ALPHA_VARIABLE
from pt_fairness.measures.params import DEEPEST
from pt_fairness.rankings.labelled import LabelSets
from pt_fairness.rankings.trec_order import Judgments, Run

#: The measures of ndeval that do not depend on the order within the cutoff.
SET_MEASURES = frozenset({"P_IA", "StRecall"})


def judged_only(measure: Any) -> bool:
    """Return whether a measure ignores unjudged documents."""
    return bool("judged_only" in measure.SUPPORTED_PARAMS and measure["judged_only"])


class Diversity:
    """Scores of α-nDCG and α-DCG, with the subtopics of the qrels for each ``rel``."""

    def __init__(self, judgments: Judgments, measures: Sequence[Any]) -> None:
        rels = {measure["rel"] for measure in measures}
        self._subtopics = {rel: Subtopics(judgments, rel) for rel in rels}

    def scores(self, measure: Any, run: Run, warn: Warn) -> Floats:
        """Return α-nDCG or α-DCG of each topic, ``[T]``, the mean over its lists."""
        subtopics = self._subtopics[measure["rel"]]
        if subtopics.count.max(initial=0) == 1:
            warn(f"no topic has more than one subtopic, so {measure} sees no diversity: subtopics "
                 "are read from the iteration field of the qrels, which PyTerrier's reader drops "
                 "and pt_fairness.read_qrels keeps, or from groups= (--groups)", "subtopics")
        self.warn_of_ties(measure, run, warn)
        of_lists = score(measure, subtopics, Listing(run, measure))
        return mean_of_lists(of_lists, run.topics)

    def warn_of_ties(self, measure: Any, run: Run, warn: Warn) -> None:
        """Warn if the order of tied documents can change a value."""
        subtopics = self._subtopics[measure["rel"]]
        cutoff = measure.params.get("cutoff")
        if Listing(run, measure).ties_matter(subtopics, cutoff, measure.NAME in SET_MEASURES):
            warn(f"{measure} depends on the order of tied documents, and ranks them here as "
                 "trec_eval does for nDCG (by docno, descending), not as ndeval does; "
                 f"{ALPHA_VARIABLE}=ndeval in the environment leaves it to ndeval", "ties")


class Subtopics:
    """The subtopics of the relevant documents, for one ``rel``."""

    def __init__(self, judgments: Judgments, rel: int) -> None:
        codes, labels = judgments.row_labels
        rows = judgments.row_relevance >= rel
        sets = LabelSets(labels)
        pair = judgments.index.pair[rows]
        #: The code of the subtopic set of each judged pair, ``[pairs]``, −1 for none.
        self.of_pair = sets.code(pair, codes[rows], len(judgments.index))
        self._judgments = judgments
        #: The number of subtopics, also used as the code of no subtopic.
        self._nothing = len(labels)
        set_, label, _ = sets.entries(np.arange(len(sets)))
        #: The number of subtopics of each set, ``[S]``.
        self._size = np.bincount(set_, minlength=len(sets))
        #: The subtopics of each set, ascending, ``[S, m]``, padded with ``_nothing``.
        self._members = np.full((len(sets), self._size.max(initial=0)), self._nothing)
        self._members[set_, positions(set_)] = label
        self._relevant = np.flatnonzero(self.of_pair >= 0)
        topics = len(judgments.topics)
        present = np.zeros((topics, self._nothing + 1), bool)
        topic = judgments.topic[self._relevant]
        subtopics = self._members[self.of_pair[self._relevant]]
        present[topic[:, None], subtopics] = True
        #: The number of subtopics of the relevant documents of each topic, ``[T]``.
        self.count = present[:, :self._nothing].sum(axis=1)
        #: The number of relevant documents with a subtopic of each topic, ``[T]``.
        self.documents = np.bincount(topic, minlength=topics)
        self._ideals: dict[tuple[float, int | None], Floats] = {}

    def gains(self, listing: Listing, alpha: float, cutoff: int | None) -> Floats:
        """Return the gain at every rank of each list, ``[R, depth]``."""
        codes = listing.sets(self)
        relevant = codes >= 0
        if cutoff is not None:
            relevant &= listing.place < cutoff
        lists, place = listing.list[relevant], listing.place[relevant]
        codes = codes[relevant]
        row, column = np.nonzero(self._members[codes] < self._nothing)
        subtopic = lists[row] * (self._nothing + 1)
        subtopic += self._members[codes[row], column]
        order = np.argsort(subtopic, kind="stable")
        ordered = subtopic[order]
        first = np.flatnonzero(np.diff(ordered, prepend=-1))
        # The number of earlier documents of the list with the same subtopic.
        seen = np.empty(len(order), np.int64)
        times = np.diff(first, append=len(order))
        first = np.repeat(first, times)
        seen[order] = np.arange(len(order)) - first
        depth = int(place.max(initial=-1)) + 1
        n = len(listing.topics)
        cell = lists[row] * depth + place[row]
        worth = (1.0 - alpha) ** seen
        gains = np.bincount(cell, worth, minlength=n * depth)
        return gains.reshape(n, depth).astype(float)

    def ideal(self, alpha: float, depth: int | None) -> Floats:
        """Return the gain at every rank of the greedy ideal ranking of each topic, ``[T, depth]``.

        :param depth: the number of ranks, ``None`` for all relevant documents
        """
        key = (alpha, depth)
        if key in self._ideals:
            return self._ideals[key]
        topics = len(self.count)
        longest = int(self.documents.max(initial=0))
        depth = longest if depth is None else min(depth, longest)
        result = np.zeros((topics, depth))
        topic = self._judgments.topic[self._relevant]
        codes = self.of_pair[self._relevant]
        several = np.full(topics, not 0.0 <= alpha <= 1.0)
        several[topic[self._size[codes] > 1]] = True
        simple = ~several[topic]
        if simple.any():
            subtopic = self._members[codes[simple], 0]
            self._fill_simple(result, topic[simple], subtopic, alpha)
        if several.any() and depth:
            result[several] = self._greedy(np.flatnonzero(several), alpha, depth)
        self._ideals[key] = result
        return result

    @staticmethod
    def _fill_simple(result: Floats, topic: Ints, subtopic: Ints, alpha: float) -> None:
        """Write the ideal gains of topics whose documents have one subtopic each to ``result``.

        The greedy ranking takes one document of every subtopic, then a second one of each, and so
        on.

        :param result: the gains, ``[T, depth]``
        :param topic: the topic of each relevant document, ``[n]``
        :param subtopic: the subtopic of each relevant document, ``[n]``
        """
        order = np.lexsort((subtopic, topic))
        topic, subtopic = topic[order], subtopic[order]
        new_topic = topic[1:] != topic[:-1]
        new_subtopic = subtopic[1:] != subtopic[:-1]
        new = np.append(True, new_topic | new_subtopic)
        first = np.flatnonzero(new)[np.cumsum(new) - 1]
        turn = np.arange(len(topic)) - first
        order = np.lexsort((turn, topic))
        topic, turn = topic[order], turn[order]
        place = positions(topic)
        inside = place < result.shape[1]
        gains = (1.0 - alpha) ** turn
        result[topic[inside], place[inside]] = gains[inside]

    def _greedy(self, topics: Ints, alpha: float, depth: int) -> Floats:
        """Return the gains of the greedy ranking, ``[len(topics), depth]``.

        Ties are broken by docno, descending.
        """
        topic = self._judgments.topic
        pairs = self._relevant[np.isin(topic[self._relevant], topics)]
        words = ~words_of(self._judgments.docnos(pairs))
        order = np.lexsort((*words.T[::-1], topic[pairs]))
        pairs = pairs[order]
        place = np.searchsorted(topics, topic[pairs])
        subtopics = self._members[self.of_pair[pairs]]
        return greedy_gains(place, subtopics, self._nothing, alpha, depth)


def greedy_gains(topic: Ints, subtopics: Ints, nothing: int, alpha: float, depth: int) -> Floats:
    """Return the gain at each rank of the greedy rankings, ``[T, depth]``.

    Each rank takes the document with the largest gain, the first of several. The gain of a document
    is the sum over its subtopics of ``1 − alpha`` to the power of how often each was taken.

    :param topic: the topic of each document, ``[n]``, 0 to ``T − 1``, ascending, none left out
    :param subtopics: the subtopics of each document, ``[n, m]``, padded with ``nothing``
    :param nothing: the number of subtopics
    """
    first = np.searchsorted(topic, np.arange(topic[-1] + 1))
    worth = np.tile(np.append(np.ones(nothing), 0.0), len(first))
    places = (subtopics + topic[:, None] * (nothing + 1)).T.copy()
    result = np.zeros((len(first), depth))
    left = np.zeros(len(topic))  # −inf for the documents that were taken
    for rank in range(depth):
        gain = left.copy()
        for place in places:  # in this order: the definition adds one subtopic after another
            gain += worth[place]
        best = np.maximum.reduceat(gain, first)
        result[:, rank] = np.where(best == -np.inf, 0.0, best)
        tied = np.flatnonzero((gain == best[topic]) & (left == 0.0))
        taken = tied[np.unique(topic[tied], return_index=True)[1]]
        worth[places[:, taken]] *= 1.0 - alpha
        left[taken] = -np.inf
    return result


class Listing:
    """The documents of a run that a measure uses: all, or only the judged ones."""

    def __init__(self, run: Run, measure: Any) -> None:
        #: The topic of each list, ``[R]``.
        self.topics = run.topics
        # The list, the tie block, the 0-based rank and the judged pair of each document, ``[n]``.
        self.list, self.block = run.list, run.block
        self.place, self.pair = run.place, run.pair
        if judged_only(measure):
            rows = self.pair >= 0
            self.list, self.block = run.list[rows], run.block[rows]
            self.pair = run.pair[rows]
            self.place = positions(self.list)

    def sets(self, subtopics: Subtopics) -> Ints:
        """Return the code of the subtopic set of each document, ``[n]``, −1 for none."""
        return np.where(self.pair >= 0, subtopics.of_pair[self.pair], -1)

    def ties_matter(self, subtopics: Subtopics, cutoff: int | None, as_set: bool = False) -> bool:
        """Return whether the order of tied documents can change a value.

        :param as_set: whether the measure ignores the order within the cutoff
        """
        first = np.flatnonzero(np.diff(self.block, prepend=-1))
        if len(first) == len(self.block):
            return False  # no ties, or no documents
        sets = self.sets(subtopics)
        lowest = np.minimum.reduceat(sets, first)
        mixed = lowest != np.maximum.reduceat(sets, first)
        if cutoff is not None:
            mixed &= self.place[first] < cutoff
            if as_set:
                last = np.append(first[1:], len(self.block)) - 1
                mixed &= self.place[last] >= cutoff
        return bool(mixed.any())


def score(measure: Any, subtopics: Subtopics, listing: Listing) -> Floats:
    """Return α-nDCG or α-DCG of each list, ``[R]``; 0 if no relevant document has a subtopic.

    Without a cutoff, the ideal has all relevant documents.
    """
    alpha, cutoff = measure["alpha"], measure.params.get("cutoff")
    gains = _discounted(subtopics.gains(listing, alpha, cutoff))
    if measure.NAME == "alpha_nDCG":
        ideal = _discounted(subtopics.ideal(alpha, cutoff))
        return ratio(gains, ideal[listing.topics])
    if cutoff == 1:
        return gains  # as ndeval
    if cutoff is not None and cutoff > DEEPEST:
        raise ValueError(f"alpha_DCG@{cutoff} is not possible: it takes cutoffs of at most "
                         f"{DEEPEST}; alpha_nDCG takes any")
    depth = np.full(len(gains), cutoff)
    if cutoff is None:
        depth = subtopics.documents[listing.topics]
    longest = int(depth.max(initial=0))
    terms = (1.0 - alpha) ** np.arange(longest) * log_discount(longest)
    of_subtopic = np.append(0.0, np.cumsum(terms))
    return ratio(gains, subtopics.count[listing.topics] * of_subtopic[depth])


def _discounted(gains: Floats) -> Floats:
    return np.asarray(gains @ log_discount(gains.shape[1]))


class Ndeval:
    """Evaluator of ndeval's other measures, with one pyndeval evaluator per parameter setting.

    ir_measures passes one generator to all settings, which is exhausted after the first setting.
    It cannot leave out unjudged documents.
    """

    def __init__(self, measures: list[Any], qrels: pd.DataFrame, judgments: Judgments) -> None:
        self._names = judgments.names
        self._lock = threading.Lock()  # pyndeval is not thread-safe
        topic, _ = codes_of(qrels["query_id"], "qrels")
        docnos = texts_of(qrels["doc_id"])
        annotated = qrels.assign(query_id=self._names[topic], doc_id=docnos)
        if "iteration" in qrels:
            iteration = qrels["iteration"]
            annotated = annotated[iteration.notna() & ~iteration.isin(UNANNOTATED)]
        settings: dict[Any, dict[Any, Any]] = {}
        for measure in measures:
            params = dict(measure.params)
            params.pop("judged_only", None)
            key = (measure["rel"], params.get("alpha"), params.get("beta"), judged_only(measure))
            settings.setdefault(key, {})[measure] = type(measure)(**params)
        #: For each setting, the measures of ndeval by measure, their evaluator, and whether they
        #: leave out unjudged documents.
        self._settings = [(plain, ir_measures.pyndeval.evaluator(plain.values(), annotated), judged)
                          for (*_, judged), plain in settings.items()]

    def scores(self, run: Run) -> Iterator[tuple[Any, Floats]]:
        """Yield each measure with its value for each topic, ``[T]``."""
        for plain, evaluator, judged in self._settings:
            values = {repr(measure): np.zeros(len(run.topics)) for measure in plain.values()}
            for lists, inside in run.samples():  # ndeval takes one list of a topic at a time
                if judged:
                    inside = inside & (run.pair >= 0)
                rows = np.flatnonzero(inside)
                topics = self._names[run.topics[lists]]
                place = dict(zip(topics, lists, strict=True))
                with self._lock:
                    metrics = list(evaluator.iter_calc(run.frame(rows)))
                for metric in metrics:
                    if metric.query_id in place:
                        of_lists = values[repr(metric.measure)]
                        of_lists[place[metric.query_id]] = metric.value
            for measure, of_ndeval in plain.items():
                # ndeval returns NaN (0 / 0) for a topic without relevant documents.
                of_lists = np.nan_to_num(values[repr(of_ndeval)])
                yield measure, mean_of_lists(of_lists, run.topics)
