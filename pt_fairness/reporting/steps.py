"""The number of each measure at each rank: its contribution to the value, or the value so far."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import ir_measures
import numpy as np
import pandas as pd

from pt_fairness import numerics
from pt_fairness.analysis.contributions import contributions, scaled
from pt_fairness.analysis.explanation import SUMS
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.numerics import Bools, Floats, Ints
from pt_fairness.provider import ALPHA_MEASURES
from pt_fairness.provider.diversity import Listing, Subtopics
from pt_fairness.provider.many_runs import ManyRunsEvaluator
from pt_fairness.rankings.judgments import Judgments
from pt_fairness.rankings.run import Run
from pt_fairness.reporting.strips import Strip
from pt_fairness.text import collecting_warnings

#: The kinds of numbers, as :func:`pt_fairness.explain` names them.
CONTRIBUTION, VALUE = "contribution", "value so far"
#: How far the sum of contributions can be from the value, because of rounding.
SAME = 1e-6


def ranked_frame(topics: Sequence[str], topic: Ints, docnos: Any, place: Ints) -> pd.DataFrame:
    """Return a run with the column names of ir_measures, in the order of its ranks.

    :param topic: the index of the topic of each document
    :param place: the rank of each document
    """
    return pd.DataFrame({"query_id": np.array(topics, dtype=object)[topic], "doc_id": docnos,
                         "score": -place.astype(float)})


class Annotated(NamedTuple):
    """The annotated documents of a run; for a measure of judged documents only, the judged ones."""

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
        self.own = isinstance(measure, FairnessMeasure)
        self.cutoff: int | None = measure.params.get("cutoff")
        #: Whether the documents of a strip determine the value, if all of them count.
        self.within = self.cutoff is not None and self.cutoff <= depth
        #: Whether the value is a sum or a mean over the ranks of a measure of this package.
        self.adds_up = self.own and self.within and measure.OVER_RANKS is not None
        #: Whether the numbers are the discounted gains of α-nDCG.
        self.by_gain = measure.NAME in ALPHA_MEASURES
        #: Whether the numbers are computed from the values of prefixes of the ranking.
        self.by_prefix = not self.own and not self.by_gain and measure.NAME in SUMS
        #: :data:`CONTRIBUTION` or :data:`VALUE`; ``None`` if the measure has no cutoff to vary.
        self.kind: str | None = CONTRIBUTION \
            if self.by_prefix or self.by_gain or self.adds_up else VALUE
        if self.kind == VALUE and "cutoff" not in measure.SUPPORTED_PARAMS:
            self.kind = None
        #: The measure at the cutoffs 1, 2, …
        self.at_cutoffs: list[Any] = []
        if self.kind is not None and not (self.by_prefix or self.by_gain):
            plain = measure.unnormalised if self.adds_up else measure
            last = min(self.cutoff or depth, depth)
            self.at_cutoffs = [type(plain)(**plain.params | {"cutoff": cutoff})
                               for cutoff in range(1, last + 1)]


def _drop_others(numbers: Floats, found: Floats, values: Floats) -> None:
    """Replace the numbers of topics by NaN where they do not lead to the value.

    Some providers of ir_measures break ties in their own way: they rank other documents.

    :param numbers: ``[T, K]``, updated in place
    :param found: the value that the numbers lead to, ``[T]``
    """
    numbers[~np.isclose(found, values, rtol=0, atol=SAME)] = np.nan


def _places(strip: Strip, counts: Bools, topics: int) -> Ints:
    """Return how many documents count before each document of a strip."""
    before = counts.cumsum() - counts
    start = np.searchsorted(strip.topic, np.arange(topics))
    return before - np.append(before, 0)[start][strip.topic]


def _spread(added: Floats, strip: Strip, counts: Bools, place: Ints) -> Floats:
    """Return the contribution of each document of a strip, 0 for those that do not count.

    :param added: the contributions of the documents that count, ``[T, K]``
    """
    within = counts & (place < added.shape[1])
    numbers = np.zeros(len(place))
    numbers[within] = added[strip.topic[within], place[within]]
    return numbers


class Steps:
    """The numbers of all measures at the ranks of a run.

    :param qrels: columns ``query_id, doc_id, relevance`` and, if there are groups, ``iteration``
    :param judgments: the same qrels; the results are in the order of their topics
    """

    def __init__(self, measures: Sequence[Any], qrels: pd.DataFrame, judgments: Judgments,
                 depth: int) -> None:
        topics = judgments.topics
        self._topics, self._depth = topics, depth
        self._place = {topic: i for i, topic in enumerate(topics)}
        self.ways = [Way(measure, depth) for measure in measures]
        prefixes = [way.measure for way in self.ways if way.by_prefix]
        cutoffs = dict.fromkeys(one for way in self.ways for one in way.at_cutoffs)
        # Warnings about cutoffs repeat those about the measures.
        with collecting_warnings():
            self._prefixes = ir_measures.evaluator(prefixes, qrels) if prefixes else None
            self._cutoffs = ManyRunsEvaluator(list(cutoffs), qrels) if cutoffs else None
        self._of_prefixes, self._of_cutoffs = prefixes, list(cutoffs)
        self._subtopics = {rel: Subtopics(judgments, rel) for rel in
                           {way.measure["rel"] for way in self.ways if way.by_gain}}

    def of_run(self, ranked: Run, run: pd.DataFrame, strip: Strip,
               annotated: Sequence[Annotated | None], values: Floats) -> list[Floats | None]:
        """Return the numbers of each measure, ``[documents]``; ``None`` if it has none.

        :param ranked: a run with one ranking of each topic
        :param run: its documents that the numbers depend on, as of :func:`ranked_frame`
        :param strip: the documents of the run that are shown
        :param annotated: the annotated documents for each measure of condensed lists; ``None``
            for other measures
        :param values: the value of each measure for each topic, ``[T, measures]``
        """
        with collecting_warnings():
            by_cutoff = self._values(self._cutoffs, self._of_cutoffs, run)
            by_prefix = [self._values(self._prefixes, self._of_prefixes, shown)
                         for shown in self._prefixes_of(strip)] if self._prefixes else []
        found: list[Floats | None] = []
        for i, way in enumerate(self.ways):
            if way.kind is None:
                found.append(None)
            elif way.by_gain:
                counts, _ = annotated[i] or self._every(strip)
                added = self._gains(way.measure, ranked, values[:, i])
                found.append(_spread(added, strip, counts, _places(strip, counts, len(values))))
            elif way.by_prefix:
                column = self._of_prefixes.index(way.measure)
                so_far = np.column_stack([one[:, column] for one in by_prefix])
                added = np.diff(np.nan_to_num(so_far), prepend=0.0, axis=1)
                if way.within:
                    _drop_others(added, added.sum(axis=1), values[:, i])
                found.append(added[strip.topic, strip.place])
            else:
                columns = [self._of_cutoffs.index(one) for one in way.at_cutoffs]
                so_far = by_cutoff[:, columns]
                if way.within and not way.own:
                    _drop_others(so_far, so_far[:, -1], values[:, i])
                found.append(self._at_ranks(way, so_far, strip, annotated[i], values[:, i]))
        return found

    def _gains(self, measure: Any, ranked: Run, values: Floats) -> Floats:
        """Return what each document adds to α-nDCG or α-DCG, ``[T, K]``."""
        gains = self._subtopics[measure["rel"]].gains(
            Listing(ranked, measure), measure["alpha"], measure.params.get("cutoff"))
        return scaled(gains * numerics.log_discount(gains.shape[1]), values)

    def _at_ranks(self, way: Way, so_far: Floats, strip: Strip, annotated: Annotated | None,
                  values: Floats) -> Floats:
        """Return the number of each document of a strip.

        :param so_far: the values at the cutoffs of the measure, ``[T, K]``
        """
        counts, length = self._every(strip) if annotated is None else annotated
        place, depth = _places(strip, counts, len(so_far)), so_far.shape[1]
        if way.kind == CONTRIBUTION:
            added = contributions(way.measure, so_far, np.minimum(length, depth), values)
            numbers = _spread(added, strip, counts, place)
            return np.where(length[strip.topic] > 0, numbers, np.nan)
        known = np.minimum(place + counts, depth)
        return np.where(known > 0, so_far[strip.topic, np.maximum(known, 1) - 1], np.nan)

    def _every(self, strip: Strip) -> Annotated:
        length = np.bincount(strip.topic, minlength=len(self._topics))
        return Annotated(np.ones(len(strip.topic), bool), length)

    def _prefixes_of(self, strip: Strip) -> Iterator[dict[str, dict[str, float]]]:
        """Yield the first 1, 2, … documents of the rankings, in one dictionary that grows."""
        run: dict[str, dict[str, float]] = {}
        for rank in range(self._depth):
            rows = strip.place == rank
            for topic, docno in zip(strip.topic[rows].tolist(), strip.docno[rows], strict=True):
                run.setdefault(self._topics[topic], {})[docno] = -float(rank)
            yield run

    def _values(self, evaluator: Any, measures: Sequence[Any], run: Any) -> Floats:
        """Return the value of each measure for each topic, ``[T, measures]``."""
        values = np.full((len(self._topics), len(measures)), np.nan)
        if evaluator is None:
            return values
        column = {measure: i for i, measure in enumerate(measures)}
        found = [(self._place.get(one.query_id, -1), column[one.measure], one.value)
                 for one in evaluator.iter_calc(run)]
        if not found:
            return values
        topics, columns, numbers = (np.array(some) for some in zip(*found, strict=True))
        known = topics >= 0
        values[topics[known], columns[known]] = numbers[known]
        return values
