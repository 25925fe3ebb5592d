"""ndeval's measures other than α-nDCG, computed by ndeval in trec_eval's order."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import ir_measures
import numpy as np
import pandas as pd

from pt_fairness.core.arrays import Floats, mean_of_lists
from pt_fairness.core.identifiers import codes_of, texts_of
from pt_fairness.core.labels import UNANNOTATED
from pt_fairness.provider.alpha_ndcg import judged_only
from pt_fairness.rankings.trec_order import Judgments, Run


class Ndeval:
    """Evaluator of ndeval's measures, with one pyndeval evaluator per parameter setting.

    ir_measures passes one generator to all settings, which is exhausted after the first setting.
    It cannot leave out unjudged documents.
    """

    def __init__(self, measures: list[Any], qrels: pd.DataFrame, judgments: Judgments) -> None:
        self._judgments = judgments
        self._lock = threading.Lock()  # pyndeval is not thread-safe
        topic, topics = codes_of(qrels["query_id"], "qrels")
        annotated = qrels.assign(query_id=np.array(list(topics), dtype=object)[topic],
                                 doc_id=texts_of(qrels["doc_id"]))
        if "iteration" in qrels:
            none = qrels["iteration"].isna() | qrels["iteration"].isin(UNANNOTATED)
            annotated = annotated[~none]
        self._settings: dict[Any, list[tuple[Any, Any]]] = {}
        for measure in measures:
            kept = {name: value for name, value in measure.params.items() if name != "judged_only"}
            key = (measure["rel"], kept.get("alpha"), kept.get("beta"), judged_only(measure))
            self._settings.setdefault(key, []).append((measure, type(measure)(**kept)))
        self._evaluators = {
            key: ir_measures.pyndeval.evaluator([plain for _, plain in pairs], annotated)
            for key, pairs in self._settings.items()}

    def scores(self, run: Run) -> Iterator[tuple[Any, Floats]]:
        """Yield each measure with its value for each topic, ``[T]``."""
        names = np.array(self._judgments.topics, dtype=object)
        for key, pairs in self._settings.items():
            values = {repr(plain): np.zeros(len(run.topics)) for _, plain in pairs}
            for lists, inside in run.samples():  # ndeval takes one list of a topic at a time
                rows = np.flatnonzero(inside & (run.pair >= 0) if key[-1] else inside)
                ordered = pd.DataFrame({
                    "query_id": names[run.topic[rows]], "doc_id": run.docnos(rows),
                    "score": -run.place[rows].astype(float)})
                place = dict(zip(names[run.topics[lists]], lists, strict=True))
                with self._lock:
                    metrics = list(self._evaluators[key].iter_calc(ordered))
                for metric in metrics:
                    if metric.query_id in place:
                        values[repr(metric.measure)][place[metric.query_id]] = metric.value
            for measure, plain in pairs:
                # ndeval returns NaN (0 / 0) for a topic without relevant documents.
                yield measure, mean_of_lists(np.nan_to_num(values[repr(plain)]), run.topics)
