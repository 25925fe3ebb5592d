"""The number of each measure at each rank: its contribution to the value, or the value so far."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_fairness.analysis.explanation import SUMS
from pt_fairness.core import arrays, discounts
from pt_fairness.core.arrays import Bools, Floats, Ints
from pt_fairness.core.messages import collecting_warnings
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.provider import ALPHA_MEASURES
from pt_fairness.provider.alpha_ndcg import Listing, Subtopics
from pt_fairness.provider.evaluator import ManyRunsEvaluator
from pt_fairness.rankings.trec_order import Judgments, Run
from pt_fairness.reporting.strips import Strip

#: The kinds of numbers, as :func:`pt_fairness.explain` names them.
CONTRIBUTION, VALUE = "contribution", "value so far"
#: The tolerance for rounding errors when the value at the last rank is compared with the value.
SAME = 1e-6


def ranked_frame(topics: Sequence[str], topic: Ints, docnos: Any, place: Ints) -> pd.DataFrame:
    """Return a run with the column names of ir_measures, in the order of its ranks.

    :param topic: the index of the topic of each document
    :param place: the rank of each document
    """
    return pd.DataFrame({"query_id": np.array(topics, dtype=object)[topic], "doc_id": docnos,
                         "score": -place.astype(float)})


class Counted(NamedTuple):
    """The documents of a run that a measure counts."""

    #: Mask of the documents of the strip.
    shown: Bools
    #: The number of documents of each topic, below the strip too, ``[T]``.
    length: Ints


class Way:
    """How the numbers of a measure are computed.

    :param depth: the number of documents of a strip
    """

    def __init__(self, measure: Any, depth: int) -> None:
        self.measure = measure
        inner = getattr(measure, "inner", measure)  # that of OfGroup
        own = isinstance(inner, FairnessMeasure)
        self.cutoff: int | None = measure.params.get("cutoff")
        #: Whether the numbers are the terms of a measure of this package.
        self.adds_up = own and measure.is_sum
        #: Whether to compare the value at the last rank with the value: they differ if a provider
        #: of ir_measures breaks ties in another way. A strip that is cut says nothing about it.
        self.checked = not own and self.cutoff is not None and self.cutoff <= depth
        #: Whether the numbers are the discounted gains of α-nDCG.
        self.by_gain = measure.NAME in ALPHA_MEASURES
        #: Whether the numbers are computed from the values of prefixes of the ranking.
        self.by_prefix = measure.NAME in SUMS - ALPHA_MEASURES
        #: :data:`CONTRIBUTION` or :data:`VALUE`; ``None`` if the measure has no cutoff to vary.
        self.kind: str | None = CONTRIBUTION \
            if self.by_prefix or self.by_gain or self.adds_up else VALUE
        if self.kind == VALUE and "cutoff" not in inner.SUPPORTED_PARAMS:
            self.kind = None
        #: The measure at the cutoffs 1, 2, …
        last = min(self.cutoff or depth, depth) if self.kind == VALUE else 0
        self.at_cutoffs = [type(measure)(**measure.params | {"cutoff": cutoff})
                           for cutoff in range(1, last + 1)]


def _places(strip: Strip, shown: Bools) -> Any:
    """Return how many of the ``shown`` documents are before each document of a strip."""
    return pd.Series(shown.astype(int)).groupby(strip.topic).cumsum().to_numpy() - shown


def _spread(added: Floats, strip: Strip, shown: Bools) -> Floats:
    """Return the contribution of each document of a strip, 0 for those that do not count.

    :param added: the contributions of the documents that count, ``[T, K]``
    """
    column = np.where(shown, np.minimum(_places(strip, shown), added.shape[1]), added.shape[1])
    return np.pad(added, ((0, 0), (0, 1)))[strip.topic, column]


class Steps:
    """The numbers of all measures at the ranks of a run.

    :param qrels: columns ``query_id, doc_id, relevance`` and, if there are groups, ``iteration``
    :param judgments: the same qrels; the results are in the order of their topics
    """

    def __init__(self, measures: Sequence[Any], qrels: pd.DataFrame, judgments: Judgments,
                 depth: int) -> None:
        self._topics = judgments.topics
        self._place = {topic: i for i, topic in enumerate(self._topics)}
        self.ways = [Way(measure, depth) for measure in measures]
        prefixes = [way.measure for way in self.ways if way.by_prefix]
        cutoffs = dict.fromkeys(one for way in self.ways for one in way.at_cutoffs)
        # Warnings about cutoffs repeat those about the measures.
        with collecting_warnings():
            self._prefixes = ManyRunsEvaluator(prefixes, qrels)
            self._cutoffs = ManyRunsEvaluator(list(cutoffs), qrels)
            self._sums = ManyRunsEvaluator([way.measure for way in self.ways if way.adds_up],
                                           qrels)
        self._depth, self._ranks = depth, range(depth if prefixes else 0)
        self._subtopics = {rel: Subtopics(judgments, rel) for rel in
                           {way.measure["rel"] for way in self.ways if way.by_gain}}

    def of_run(self, ranked: Run, run: pd.DataFrame, strip: Strip, counted: Sequence[Counted],
               values: Floats) -> list[Floats | None]:
        """Return the numbers of each measure, ``[documents]``; ``None`` if it has none.

        :param ranked: a run with one ranking of each topic
        :param run: its documents that the numbers depend on, as of :func:`ranked_frame`
        :param strip: the documents of the run that are shown
        :param counted: the documents that each measure counts
        :param values: the value of each measure for each topic, ``[T, measures]``
        """
        shown = ranked_frame(self._topics, strip.topic, strip.docno, strip.place)
        with collecting_warnings():
            by_cutoff = self._values(self._cutoffs, run)
            terms = self._sums.contributions(ranked, self._depth)
            by_prefix = [self._values(self._prefixes, shown[strip.place <= rank])
                         for rank in self._ranks]
        found: list[Floats | None] = []
        for way, documents, value in zip(self.ways, counted, values.T, strict=True):
            if way.kind is None:
                found.append(None)
            elif way.adds_up:
                added = _spread(terms[way.measure], strip, documents.shown)
                found.append(np.where(documents.length[strip.topic] > 0, added, np.nan))
            elif way.by_gain:
                found.append(_spread(self._gains(way.measure, ranked, value), strip,
                                     documents.shown))
            else:
                so_far = np.column_stack(
                    [np.nan_to_num(one[way.measure]) for one in by_prefix] if way.by_prefix
                    else [by_cutoff[one] for one in way.at_cutoffs])
                if way.checked:
                    so_far[~np.isclose(so_far[:, -1], value, rtol=0, atol=SAME)] = np.nan
                found.append(np.diff(so_far, prepend=0.0, axis=1)[strip.topic, strip.place]
                             if way.by_prefix else _so_far(so_far, strip, documents.shown))
        return found

    def _gains(self, measure: Any, ranked: Run, values: Floats) -> Floats:
        """Return what each document adds to α-nDCG or α-DCG, ``[T, K]``."""
        gains = self._subtopics[measure["rel"]].gains(
            Listing(ranked, measure), measure["alpha"], measure.params.get("cutoff"))
        added = gains * discounts.log_discount(gains.shape[1])
        return added * arrays.ratio(values, added.sum(axis=1))[:, None]

    def _values(self, evaluator: ManyRunsEvaluator, run: pd.DataFrame) -> dict[Any, Floats]:
        """Return the value of each measure for each topic, ``[T]``."""
        values: dict[Any, Floats] = defaultdict(lambda: np.full(len(self._topics), np.nan))
        for one in evaluator.iter_calc(run):
            values[one.measure][self._place[one.query_id]] = one.value
        return values


def _so_far(values: Floats, strip: Strip, shown: Bools) -> Floats:
    """Return the value so far at each document of a strip, NaN above the first that counts.

    :param values: the values at the cutoffs of the measure, ``[T, K]``
    """
    known = np.minimum(_places(strip, shown) + shown, values.shape[1])
    return np.pad(values, ((0, 0), (1, 0)), constant_values=np.nan)[strip.topic, known]
