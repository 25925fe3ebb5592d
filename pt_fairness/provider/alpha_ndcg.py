"""α-DCG and α-nDCG (Clarke et al. 2008) for ir_measures' measure objects, in trec_eval's order.

ir_measures computes them with ndeval, which breaks ties in another order than trec_eval, takes one
α per call, and stops at rank 20. This module has ndeval's arithmetic without these limits. The
ideal ranking is greedy; ties in it are broken by docno, descending. α-DCG is divided by the gain of
an ideal ranking in which every document has every subtopic. At cutoff 1 it is not divided, as in
ndeval. ndeval's other measures, computed by ndeval in trec_eval's order, use its warning of ties.
"""

from __future__ import annotations

import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

from pt_fairness.core.arrays import (
    Bools,
    Floats,
    Ints,
    is_new,
    log_discount,
    mean_of_lists,
    positions,
    ratio,
)
from pt_fairness.core.identifiers import with_text_ids, words_of
from pt_fairness.core.messages import UNANNOTATED, Warn
from pt_fairness.measures.measure_names import ALPHA_VARIABLE
from pt_fairness.measures.params import DEEPEST
from pt_fairness.rankings.labelled import LabelSets
from pt_fairness.rankings.trec_order import Judgments, Run

#: The ideal gains of each topic, by α and number of ranks.
Ideals = dict[tuple[float, int | None], Floats]
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
        listing = Listing(run, measure)
        of_lists = score(measure, subtopics, listing)
        return mean_of_lists(of_lists, run.topics)

    def warn_of_ties(self, measure: Any, run: Run, warn: Warn) -> None:
        """Warn if the order of tied documents can change a value."""
        subtopics = self._subtopics[measure["rel"]]
        listing = Listing(run, measure)
        cutoff = measure.params.get("cutoff")
        if listing.ties_matter(subtopics, cutoff, measure.NAME in SET_MEASURES):
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
        codes = np.arange(len(sets))
        set_, label, _ = sets.entries(codes)
        #: The number of subtopics of each set, ``[S]``.
        self._size = np.bincount(set_, minlength=len(sets))
        #: The subtopics of each set, ascending, ``[S, m]``, padded with ``_nothing``.
        shape = len(sets), self._size.max(initial=0)
        self._members = np.full(shape, self._nothing)
        place = positions(set_)
        self._members[set_, place] = label
        # The judged pair, the topic and the subtopic set of each relevant document, ``[n]``.
        self._relevant = np.flatnonzero(self.of_pair >= 0)
        self._topic = judgments.topic[self._relevant]
        self._set = self.of_pair[self._relevant]
        topics = len(judgments.topics)
        present = np.zeros((topics, self._nothing + 1), bool)
        row = self._topic[:, None]
        present[row, self._members[self._set]] = True
        present[:, self._nothing] = False
        #: The number of subtopics of the relevant documents of each topic, ``[T]``.
        self.count = present.sum(axis=1)
        #: The number of relevant documents with a subtopic of each topic, ``[T]``.
        self.documents = np.bincount(self._topic, minlength=topics)
        self._ideals: Ideals = {}

    def gains(self, listing: Listing, alpha: float, cutoff: int | None) -> Floats:
        """Return the gain at every rank of each list, ``[R, depth]``."""
        codes = listing.sets(self)
        relevant = codes >= 0
        if cutoff is not None:
            relevant &= listing.place < cutoff
        lists = listing.list[relevant]
        place = listing.place[relevant]
        members = self._members[codes[relevant]]
        row, column = np.nonzero(members < self._nothing)
        subtopic = lists[row] * (self._nothing + 1)
        subtopic += members[row, column]
        # The number of earlier documents of the list with the same subtopic.
        seen = pd.Series(subtopic).groupby(subtopic).cumcount()
        depth = int(place.max(initial=-1)) + 1
        n = len(listing.topics)
        cell = lists * depth + place
        worth = (1.0 - alpha) ** seen.to_numpy()
        gains = np.bincount(cell[row], worth, minlength=n * depth)
        gains = gains.reshape(n, depth)
        return gains.astype(float)

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
        several = np.full(topics, not 0.0 <= alpha <= 1.0)
        has_several = self._size[self._set] > 1
        several[self._topic[has_several]] = True
        simple = ~several[self._topic]
        if simple.any():
            subtopic = self._members[self._set[simple], 0]
            self._fill_simple(result, self._topic[simple], subtopic, alpha)
        if several.any() and depth:
            result[several] = self._greedy(several, alpha, depth)
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
        documents = pd.DataFrame({"topic": topic, "subtopic": subtopic})
        turn = documents.groupby(["topic", "subtopic"]).cumcount().to_numpy()
        order = np.lexsort((turn, topic))
        topic = topic[order]
        place = positions(topic)
        gains = (1.0 - alpha) ** turn[order]
        inside = place < result.shape[1]
        result[topic[inside], place[inside]] = gains[inside]

    def _greedy(self, several: Bools, alpha: float, depth: int) -> Floats:
        """Return the gains of the greedy ranking of some topics, ``[several.sum(), depth]``.

        Ties are broken by docno, descending.

        :param several: a mask of the topics, ``[T]``
        """
        rows = several[self._topic]
        topic = self._topic[rows]
        docnos = self._judgments.docnos(self._relevant[rows])
        words = ~words_of(docnos)
        order = np.lexsort((*words.T[::-1], topic))
        topic = topic[order]
        place = np.cumsum(several) - 1
        subtopics = self._members[self._set[rows]]
        return greedy_gains(place[topic], subtopics[order], self._nothing, alpha, depth)


def greedy_gains(topic: Ints, subtopics: Ints, nothing: int, alpha: float, depth: int) -> Floats:
    """Return the gain at each rank of the greedy rankings, ``[T, depth]``.

    Each rank takes the document with the largest gain, the first of several. The gain of a document
    is the sum over its subtopics of ``1 − alpha`` to the power of how often each was taken.

    :param topic: the topic of each document, ``[n]``, 0 to ``T − 1``, ascending, none left out
    :param subtopics: the subtopics of each document, ``[n, m]``, padded with ``nothing``
    :param nothing: the number of subtopics
    """
    topics = np.arange(topic[-1] + 1)
    first = np.searchsorted(topic, topics)
    of_subtopic = np.ones(nothing + 1)
    of_subtopic[nothing] = 0.0
    worth = np.tile(of_subtopic, len(topics))
    start = topic[:, None] * (nothing + 1)
    places = (subtopics + start).T.copy()
    result = np.zeros((len(topics), depth))
    left = np.zeros(len(topic))  # −inf for the documents that were taken
    for rank in range(depth):
        gain = left.copy()
        for place in places:  # in this order: the definition adds one subtopic after another
            gain += worth[place]
        best = np.maximum.reduceat(gain, first)
        result[:, rank] = np.where(best == -np.inf, 0.0, best)
        largest = gain == best[topic]
        largest &= left == 0.0
        tied = np.flatnonzero(largest)
        _, first_tied = np.unique(topic[tied], return_index=True)
        taken = tied[first_tied]
        worth[places[:, taken]] *= 1.0 - alpha
        left[taken] = -np.inf
    return result


class Listing:
    """The documents of a run that a measure uses: all, or only the judged ones."""

    def __init__(self, run: Run, measure: Any) -> None:
        #: The topic of each list, ``[R]``.
        self.topics = run.topics
        # The list, the tie block, the 0-based rank and the judged pair of each document, ``[n]``.
        rows = run.pair >= 0 if judged_only(measure) else slice(None)
        self.list = run.list[rows]
        self.block = run.block[rows]
        self.place = positions(self.list)
        self.pair = run.pair[rows]

    def sets(self, subtopics: Subtopics) -> Ints:
        """Return the code of the subtopic set of each document, ``[n]``, −1 for none."""
        sets = subtopics.of_pair[self.pair]
        return np.where(self.pair >= 0, sets, -1)

    def ties_matter(self, subtopics: Subtopics, cutoff: int | None, as_set: bool = False) -> bool:
        """Return whether the order of tied documents can change a value.

        :param as_set: whether the measure ignores the order within the cutoff
        """
        first = np.flatnonzero(is_new(self.block))
        if len(first) == len(self.block):
            return False  # no ties, or no documents
        sets = self.sets(subtopics)
        lowest = np.minimum.reduceat(sets, first)
        highest = np.maximum.reduceat(sets, first)
        mixed = lowest < highest
        if cutoff is not None:
            mixed &= self.place[first] < cutoff
            if as_set:
                size = np.diff(first, append=len(self.block))
                mixed &= self.place[first] + size > cutoff
        return bool(mixed.any())


def score(measure: Any, subtopics: Subtopics, listing: Listing) -> Floats:
    """Return α-nDCG or α-DCG of each list, ``[R]``; 0 if no relevant document has a subtopic.

    Without a cutoff, the ideal has all relevant documents.
    """
    alpha = measure["alpha"]
    cutoff = measure.params.get("cutoff")
    gains = subtopics.gains(listing, alpha, cutoff)
    gains = gains @ log_discount(gains.shape[1])
    if measure.NAME == "alpha_nDCG":
        ideal = subtopics.ideal(alpha, cutoff)
        ideal = ideal @ log_discount(ideal.shape[1])
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
    worth = (1.0 - alpha) ** np.arange(longest)
    terms = worth * log_discount(longest)
    of_subtopic = np.append(0.0, terms.cumsum())
    count = subtopics.count[listing.topics]
    return ratio(gains, count * of_subtopic[depth])


class Ndeval:
    """Evaluator of ndeval's other measures, with one pyndeval evaluator per parameter setting.

    ir_measures passes one generator to all settings, which is exhausted after the first setting.
    It cannot leave out unjudged documents.
    """

    def __init__(self, measures: list[Any], qrels: pd.DataFrame, judgments: Judgments) -> None:
        self._names = judgments.names
        self._lock = threading.Lock()  # pyndeval is not thread-safe
        annotated = with_text_ids(qrels, "qrels", "query_id", "doc_id")
        annotated["relevance"] = pd.to_numeric(qrels["relevance"])
        if "iteration" in qrels:
            iteration = qrels["iteration"]
            annotated = annotated[iteration.notna() & ~iteration.isin(UNANNOTATED)]
        settings: defaultdict[Any, dict[Any, Any]] = defaultdict(dict)
        for measure in measures:
            params = dict(measure.params)
            params.pop("judged_only", None)
            key = (measure["rel"], params.get("alpha"), params.get("beta"), judged_only(measure))
            settings[key][measure] = type(measure)(**params)
        #: For each setting, the measures of ndeval by measure, their evaluator, and whether they
        #: leave out unjudged documents.
        self._settings = [(plain, ir_measures.pyndeval.evaluator(plain.values(), annotated), judged)
                          for (*_, judged), plain in settings.items()]

    def scores(self, run: Run) -> Iterator[tuple[Any, Floats]]:
        """Yield each measure with its value for each topic, ``[T]``."""
        for plain, evaluator, judged in self._settings:
            names = map(repr, plain.values())
            values = {name: np.zeros(len(run.topics)) for name in names}
            for lists, inside in run.samples():  # ndeval takes one list of a topic at a time
                if judged:
                    inside = inside & (run.pair >= 0)
                rows = np.flatnonzero(inside)
                topic = run.topics[lists]
                list_of = dict(zip(self._names[topic], lists, strict=True))
                frame = run.frame(rows)
                with self._lock:
                    metrics = list(evaluator.iter_calc(frame))
                for metric in metrics:
                    of_lists = values[repr(metric.measure)]
                    if metric.query_id in list_of:
                        place = list_of[metric.query_id]
                        of_lists[place] = metric.value
            for measure, of_lists in zip(plain, values.values(), strict=True):
                # ndeval returns NaN (0 / 0) for a topic without relevant documents.
                of_lists = np.nan_to_num(of_lists)
                yield measure, mean_of_lists(of_lists, run.topics)
