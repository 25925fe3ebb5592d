"""α-DCG and α-nDCG (Clarke et al. 2008), and ndeval's other measures, in trec_eval's order.

ir_measures computes all of them with ndeval, which breaks ties in another order than trec_eval,
takes one α per call, and stops at rank 20. α-nDCG and α-DCG are computed here as ndeval does,
without these limits. The ideal ranking is greedy; ties in it are broken by docno, descending. α-DCG
is divided by the gain of an ideal ranking in which every document has every subtopic; at cutoff 1
it is not divided. ndeval itself computes the others, on a run whose scores follow the ranks.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from scipy import sparse

from pt_fairness.core.arrays import Floats, Ints, log_discount, positions, ratio, topic_means
from pt_fairness.core.identifiers import with_text_ids, words_of
from pt_fairness.core.messages import UNANNOTATED, Warn
from pt_fairness.measures.measure_names import ALPHA_MEASURES, ALPHA_VARIABLE
from pt_fairness.rankings.trec_order import Judgments, Run

#: Values of one topic that differ by less are equal.
ROUNDING = 1e-9
#: ndeval keeps its parameters in global variables.
_LOCK = threading.Lock()


class Diversity:
    """The measures of ndeval.

    :param measures: α-nDCG, α-DCG and others
    :param qrels: columns of ir_measures
    """

    def __init__(self, measures: Sequence[Any], qrels: pd.DataFrame, judgments: Judgments) -> None:
        self._subtopics: dict[int, Subtopics] = {}
        self._scorers: dict[Any, Alpha | Ndeval] = {}
        for measure in measures:
            rel = measure["rel"]
            if rel not in self._subtopics:
                self._subtopics[rel] = Subtopics(judgments, rel)
            if measure.NAME in ALPHA_MEASURES:
                self._scorers[measure] = Alpha(measure, self._subtopics[rel])
            else:
                self._scorers[measure] = Ndeval(measure, qrels, judgments)

    def scores(self, run: Run, warn: Warn) -> dict[Any, Floats]:
        """Return each measure with its value for each topic, ``[T]``."""
        most = [subtopics.count.max(initial=0) for subtopics in self._subtopics.values()]
        if max(most) == 1:
            warn(f"no topic has more than one subtopic for {', '.join(map(str, self._scorers))}: "
                 "subtopics are the iteration of the qrels, which PyTerrier's reader drops and "
                 "pt_fairness.read_qrels keeps, or groups= (--groups)", "subtopics")
        rows = np.arange(len(run.ranking))
        scores = self._scores(run, rows)
        if len(run.tied):
            order = run.order_of_ndeval()
            theirs = self._scores(run, order)
            self._warn_of_ties(scores, theirs, warn)
        return scores

    def _scores(self, run: Run, rows: Ints) -> dict[Any, Floats]:
        """Return the values, ``[T]``, of the documents in the order of ``rows``."""
        scores = {}
        for measure, scorer in self._scorers.items():
            kept = rows
            if measure.params.get("judged_only"):
                kept = rows[run.pair[rows] >= 0]
            values = scorer.values(run, kept)
            scores[measure] = topic_means(values, run.topics)
        return scores

    def _warn_of_ties(self, scores: dict[Any, Floats], theirs: dict[Any, Floats],
                      warn: Warn) -> None:
        """Warn of the topics for which ndeval has other values.

        :param theirs: the values of ndeval, ``[T]``
        """
        names = []
        masks = []
        for measure, values in scores.items():
            difference = np.abs(values - theirs[measure])
            differs = difference > ROUNDING
            masks.append(differs)
            if differs.any():
                names.append(str(measure))
        topics = np.any(masks, axis=0)
        if names:
            count = f"{topics.sum()} of {len(topics)} topics"
            warn(f"{', '.join(names)} differ from ndeval on {count}: tied documents are ranked as "
                 f"trec_eval does for nDCG (docno descending); {ALPHA_VARIABLE}=ndeval in the "
                 "environment leaves them to ndeval", "ties")


class Subtopics:
    """The subtopics of the relevant documents, for one ``rel``."""

    def __init__(self, judgments: Judgments, rel: int) -> None:
        self._judgments = judgments
        codes, labels = judgments.row_labels
        rows = (judgments.row_relevance >= rel) & (codes >= 0)
        pair = judgments.index.pair[rows]
        codes = codes[rows]
        size = len(labels)
        topics = len(judgments.topics)
        #: The subtopics of each judged document, sparse, ``[pairs, subtopics]``.
        self._members = _members(pair, codes, len(judgments.topic), size)
        topic_members = _members(judgments.topic[pair], codes, topics, size)
        #: The number of subtopics of the relevant documents of each topic, ``[T]``.
        self.count = topic_members.getnnz(axis=1)
        self._relevant = np.flatnonzero(self._members.getnnz(axis=1))
        topic = judgments.topic[self._relevant]
        #: The number of relevant documents with a subtopic of each topic, ``[T]``.
        self.documents = np.bincount(topic, minlength=topics)
        self._ideals: dict[Any, Floats] = {}

    def _entries(self, pair: Ints) -> tuple[Ints, Ints]:
        """Return the index in ``pair`` and the subtopic of each subtopic of documents."""
        entries = self._members[pair].tocoo()
        return entries.row, entries.col

    def gains(self, run: Run, rows: Ints, alpha: float, cutoff: int | None) -> Floats:
        """Return the gain at every rank of each ranking, ``[R, depth]``.

        :param rows: the ranked documents, ranking by ranking
        """
        place = positions(run.ranking[rows])
        counts = run.pair[rows] >= 0
        if cutoff is not None:
            counts &= place < cutoff
        rows = rows[counts]
        pair = run.pair[rows]
        document, subtopic = self._entries(pair)
        ranking = run.ranking[rows][document].astype(np.int64)
        place = place[counts][document]
        # The number of earlier documents of the ranking with the same subtopic.
        key = ranking * self._members.shape[1] + subtopic
        seen = pd.Series(key).groupby(key).cumcount()
        times = seen.to_numpy()
        worth = (1.0 - alpha) ** times
        rankings = len(run.topics)
        last = place.max(initial=-1)
        depth = last + 1
        cell = ranking * depth + place
        gains = np.bincount(cell, worth, rankings * depth)
        return gains.reshape(rankings, depth).astype(float)

    def ideal(self, alpha: float, depth: int | None) -> Floats:
        """Return the gain at every rank of the greedy ideal ranking of each topic, ``[T, depth]``.

        :param depth: the number of ranks, ``None`` for all relevant documents
        """
        longest = self.documents.max(initial=0)
        depth = longest if depth is None else min(depth, longest)
        if (alpha, depth) not in self._ideals:
            topic = self._judgments.topic[self._relevant]
            words = ~words_of(self._judgments.docnos(self._relevant))
            order = np.lexsort((*words.T[::-1], topic))  # docno descending
            present, topic = np.unique(topic[order], return_inverse=True)
            pair = self._relevant[order]
            document, subtopic = self._entries(pair)
            ideal = np.zeros((len(self.documents), depth))
            if depth:
                ideal[present] = greedy_gains(topic, document, subtopic, alpha, depth)
            self._ideals[alpha, depth] = ideal
        return self._ideals[alpha, depth]


def _members(row: Ints, subtopic: Ints, rows: int, subtopics: int) -> sparse.csr_matrix:
    """Return a mask of the subtopics of rows, sparse, ``[rows, subtopics]``."""
    present = np.ones(len(row), bool)
    return sparse.csr_matrix((present, (row, subtopic)), (rows, subtopics))


def greedy_gains(topic: Ints, document: Ints, subtopic: Ints, alpha: float, depth: int) -> Floats:
    """Return the gain at each rank of the greedy rankings, ``[T, depth]``.

    Each rank takes the document with the largest gain, the first of several. The gain of a document
    is the sum over its subtopics of ``1 − alpha`` to the power of how often each was taken.

    :param topic: the topic of each document, ``[n]``, 0 to ``T − 1``, ascending, none left out
    :param document: the document of each entry, ascending
    :param subtopic: the subtopic of each entry
    """
    topics = np.arange(topic[-1] + 1)
    first = np.searchsorted(topic, topics)
    last = subtopic.max()
    subtopics = int(last) + 1
    cell = topic[document] * subtopics + subtopic
    worth = np.ones(len(topics) * subtopics)
    result = np.zeros((len(topics), depth))
    left = np.ones(len(topic), bool)
    for rank in range(depth):
        # The sum adds one subtopic after another, as the definition does.
        gain = np.bincount(document, worth[cell], len(topic))
        gain[~left] = -np.inf
        best = np.maximum.reduceat(gain, first)
        result[:, rank] = np.where(best == -np.inf, 0.0, best)
        is_best = left & (gain == best[topic])
        tied = np.flatnonzero(is_best)
        _, first_tied = np.unique(topic[tied], return_index=True)
        taken = tied[first_tied]
        is_taken = np.isin(document, taken)
        seen = cell[is_taken]
        worth[seen] *= 1.0 - alpha
        left[taken] = False
    return result


class Alpha:
    """α-nDCG or α-DCG."""

    def __init__(self, measure: Any, subtopics: Subtopics) -> None:
        self._measure = measure
        self._subtopics = subtopics

    def values(self, run: Run, rows: Ints) -> Floats:
        """Return the value of each ranking, ``[R]``; 0 if no relevant document has a subtopic.

        Without a cutoff, the ideal has all relevant documents.

        :param rows: the ranked documents, ranking by ranking
        """
        measure = self._measure
        alpha = measure["alpha"]
        cutoff = measure.params.get("cutoff")
        gains = self._subtopics.gains(run, rows, alpha, cutoff)
        gains = gains @ log_discount(gains.shape[1])
        if measure.NAME == "alpha_nDCG":
            ideal = self._subtopics.ideal(alpha, cutoff)
            ideal = ideal @ log_discount(ideal.shape[1])
            return ratio(gains, ideal[run.topics])
        if cutoff == 1:
            return gains  # as ndeval
        depth = np.full(len(gains), cutoff)
        if cutoff is None:
            depth = self._subtopics.documents[run.topics]
        longest = int(depth.max(initial=0))
        worth = (1.0 - alpha) ** np.arange(longest)
        terms = worth * log_discount(longest)
        sums = np.append(0.0, terms.cumsum())
        count = self._subtopics.count[run.topics]
        return ratio(gains, count * sums[depth])


class Ndeval:
    """A measure that ndeval computes.

    ir_measures cannot leave out unjudged documents, nor compute two settings in one call.
    """

    def __init__(self, measure: Any, qrels: pd.DataFrame, judgments: Judgments) -> None:
        self._names = judgments.names
        annotated = with_text_ids(qrels, "qrels", "query_id", "doc_id")
        annotated["relevance"] = pd.to_numeric(qrels["relevance"])
        if "iteration" in qrels:
            iteration = qrels["iteration"]
            annotated = annotated[iteration.notna() & ~iteration.isin(UNANNOTATED)]
        params = dict(measure.params)
        params.pop("judged_only", None)
        plain = type(measure)(**params)
        self._evaluator = ir_measures.pyndeval.evaluator([plain], annotated)

    def values(self, run: Run, rows: Ints) -> Floats:
        """Return the value of each ranking, ``[R]``, 0 for topics without relevant documents.

        :param rows: the ranked documents, ranking by ranking
        """
        values = np.zeros(len(run.topics))
        for rankings, documents in run.samples(rows):  # ndeval takes one ranking of a topic
            with _LOCK:
                frame = run.frame(documents)
                metrics = self._evaluator.iter_calc(frame)
                topic_values = {metric.query_id: metric.value for metric in metrics}
            qids = self._names[run.topics[rankings]]
            values[rankings] = [topic_values.get(qid, 0.0) for qid in qids]
        return np.nan_to_num(values)  # 0 / 0 without relevant documents
