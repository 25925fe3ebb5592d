"""Evaluators of any measures: for many runs, and for the documents of one group alone."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import ir_measures
import numpy as np
import pandas as pd

from pt_fairness.core.arrays import Bools, Floats, topic_means
from pt_fairness.core.messages import Warn, shown, warn
from pt_fairness.measures.coverage import OfGroupMeasure
from pt_fairness.measures.measure import FairnessMeasure
from pt_fairness.provider.measure_lists import provider_of, warn_of_one_ranking
from pt_fairness.rankings.annotations import Annotations, Matches
from pt_fairness.rankings.rankings import Rankings
from pt_fairness.rankings.trec_order import Run


class RunFacts(NamedTuple):
    """What is known of a run besides its values."""

    #: Whether a measure was undefined for a topic.
    has_undefined: bool = False
    #: For each measure with a cutoff that leaves out unannotated documents: the share of the
    #: documents it counts that are in the first ``cutoff`` ranks of the whole ranking.
    within: Mapping[FairnessMeasure, float] = {}
    #: For each measure that compares a ranking with itself, a mask of the topics that have the
    #: ideal value because all documents of the ranking have the same label, ``[T]``.
    one_label: Mapping[FairnessMeasure, Bools] = {}
    #: How many ranked documents have a group, or a value, by ``'group'`` or ``'value'`` and source.
    matches: Mapping[tuple[str, str], Matches] = {}
    #: The documents with the groups of each source.
    rankings: Sequence[tuple[Any, Rankings]] = ()


def once() -> Warn:
    """Return a function that warns once for each cause."""
    causes = set()

    def warn_once(message: str, cause: str) -> None:
        if cause not in causes:
            causes.add(cause)
            warn(message, cause)

    return warn_once


class QuickEvaluator:
    """Evaluator of many runs, with the values of ``ir_measures.evaluator(measures, qrels)``.

    pytrec_eval takes dictionaries. ir_measures builds them row by row in Python, this class from
    whole columns. Warnings are repeated for each run. If a run has several rankings of a topic, a
    further warning names the measures of other providers.

    :param qrels: columns ``query_id, doc_id, relevance`` and, if it has groups, ``iteration``;
        identifiers as text
    :raises ValueError: if no provider computes a measure, or a measure does not fit the qrels
    """

    def __init__(self, measures: Sequence[Any], qrels: pd.DataFrame) -> None:
        self._measures = measures
        users = defaultdict(list)
        for measure in measures:
            users[provider_of(measure)].append(measure)
        plain = users.pop(ir_measures.pytrec_eval, [])
        gdeval = users.pop(ir_measures.gdeval, [])
        judged = qrels
        if plain or gdeval:
            judged = qrels.assign(relevance=_whole(qrels["relevance"], plain + gdeval))
        self._plain = self._gdeval = self._rest = None
        if plain:
            nested = _nested(judged, "relevance")
            self._plain = ir_measures.pytrec_eval.evaluator(plain, nested)
        if gdeval:
            # gdeval counts each row as a document, and reads only the number at the end of a topic.
            codes, self._topics = pd.factorize(qrels["query_id"])
            rows = judged.assign(query_id=codes.astype(str))
            rows = rows.drop_duplicates(["query_id", "doc_id"], keep="last")
            self._gdeval = ir_measures.evaluator(gdeval, rows)
        #: The evaluators of this package's measures: one or none.
        self.fairness = []
        for provider, ours in list(users.items()):
            if getattr(provider, "NAME", "") == "fairness":
                del users[provider]
                self.fairness.append(provider.evaluator(ours, qrels))
        if users:
            others = itertools.chain(*users.values())
            self._rest = ir_measures.evaluator([*others], qrels)

    def evaluate(self, run: pd.DataFrame) -> tuple[list[Any], RunFacts]:
        """Return the value of each measure for each topic, and what is known of the run.

        :param run: columns ``query_id, doc_id, score`` and, if it has several rankings of a topic,
            ``iteration``; identifiers as text, scores as floats
        """
        warn_of_one_ranking(self._measures, run)
        metrics = []
        facts = RunFacts()
        if self._plain is not None:
            metrics += self._plain.iter_calc(_nested(run, "score"))
        if self._gdeval is not None:
            topics = pd.Index(run["query_id"])
            codes = self._topics.get_indexer(topics)
            numbered = run.assign(query_id=codes.astype(str))
            for metric in self._gdeval.iter_calc(numbered[codes >= 0]):
                topic = self._topics[int(metric.query_id)]
                metrics.append(metric._replace(query_id=topic))
        for evaluator in self.fairness:
            scores, facts = evaluator.scored(run, once())
            metrics += evaluator.metrics(scores)
        if self._rest is not None:
            metrics += self._rest.iter_calc(run)
        return metrics, facts

    def iter_calc(self, run: pd.DataFrame) -> list[Any]:
        """Return the value of each measure for each topic: see :meth:`evaluate`."""
        metrics, _ = self.evaluate(run)
        return metrics


def _whole(relevance: pd.Series, measures: Sequence[Any]) -> pd.Series:
    """Return the relevance of each row as whole numbers.

    :raises ValueError: if one is not a whole number
    """
    column = pd.to_numeric(relevance, errors="coerce")
    numbers = column.to_numpy(float, na_value=np.nan)
    whole = numbers % 1 == 0
    if not whole.all():
        row = int(whole.argmin())
        value = relevance.tolist()[row]
        names = ", ".join(map(str, measures))
        raise ValueError(f"relevance must be a whole number for {names}, got {shown(value)} in row "
                         f"{relevance.index[row]} of the qrels")
    return pd.Series(numbers.astype("int64"), relevance.index)


def _nested(frame: pd.DataFrame, column: str) -> dict[str, dict[str, Any]]:
    """Return topic → docno → value; of duplicate documents the last row is used."""
    docnos = frame["doc_id"].to_numpy(object)
    numbers = frame[column].to_numpy(object)
    topics = frame.groupby("query_id", sort=False).indices
    nested = {}
    for qid, rows in topics.items():
        pairs = zip(docnos[rows], numbers[rows], strict=True)
        nested[str(qid)] = dict(pairs)
    return nested


class OfGroups:
    """Evaluators of the measures :class:`OfGroup` of one group source.

    :param annotations: the groups of the judged documents
    :raises ValueError: if no provider computes a measure
    """

    def __init__(self, measures: Sequence[OfGroupMeasure], annotations: Annotations) -> None:
        self._annotations = annotations
        self._names = annotations.judgments.names
        #: Mask of the topics with a relevant document of the group, ``[T]``, and the evaluator.
        self._evaluators = {measure: self._evaluator(measure) for measure in measures}

    def _evaluator(self, measure: OfGroupMeasure) -> tuple[Bools, QuickEvaluator]:
        # Each measure has an evaluator of its own, because pytrec_eval confuses some measures.
        judgments = self._annotations.judgments
        member, relevance = self._judged(measure.param("group"))
        relevant = member & (relevance >= measure.inner.params.get("rel", 1))
        defined = np.zeros(len(self._names), bool)
        defined[judgments.topic[relevant]] = True
        # Providers may not take a topic without a relevant document.
        rows = defined[judgments.topic]
        if measure.param("others") != "irrelevant":
            rows &= member
        pairs = np.flatnonzero(rows)
        qrels = pd.DataFrame({"query_id": self._names[judgments.topic[pairs]]})
        qrels = qrels.assign(doc_id=judgments.docnos(pairs), relevance=relevance[pairs])
        return defined, QuickEvaluator([measure.inner], qrels)

    def _judged(self, label: str) -> tuple[Bools, Any]:
        """Return a mask of the judged pairs of a group, and the relevance of all, ``[pairs]``."""
        judgments = self._annotations.judgments
        has_label = self._annotations.sets.any_of([label])
        member = has_label[self._annotations.pair_codes]
        relevance = judgments.relevance.copy()
        if self._annotations.groups is None and member.any():
            codes, labels = judgments.row_labels
            rows = codes == labels.index(label)
            row_relevance = judgments.row_relevance
            relevance[member] = row_relevance.min()
            np.maximum.at(relevance, judgments.index.pair[rows], row_relevance[rows])
        np.minimum(relevance, 0, out=relevance, where=~member)
        return member, relevance

    def scores(self, run: Run, rankings: Rankings) -> Iterator[tuple[FairnessMeasure, Floats]]:
        """Yield each measure with its value for each topic, ``[T]``; NaN where it is undefined.

        :param rankings: the documents of the run with their groups
        """
        for measure, (defined, evaluator) in self._evaluators.items():
            counting = defined[run.topic]
            if measure.param("others") != "irrelevant":
                member = rankings.sets.any_of([measure.param("group")])
                counting &= member[rankings.codes]
            default = measure.inner.DEFAULT
            values = np.full(len(run.topics), default, float)
            for number, rows in run.samples(np.flatnonzero(counting)):
                if not len(rows):
                    continue
                frame = run.frame(rows).assign(score=run.scores(rows))
                try:
                    metrics = evaluator.iter_calc(frame)
                except ZeroDivisionError:
                    raise ValueError(f"measure must be defined where all documents of a ranking "
                                     f"are relevant, got {measure}") from None
                topic_values = {metric.query_id: metric.value for metric in metrics}
                qids = self._names[run.topics[number]]
                values[number] = [topic_values.get(qid, default) for qid in qids]
            yield measure, np.where(defined, topic_means(values, run.topics), np.nan)
