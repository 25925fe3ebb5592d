"""The contribution of each rank to the value of a measure, or the value so far, for the page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from pt_fairness.analysis.explanation import at_cutoffs, source_of_numbers
from pt_fairness.core.arrays import Bools, Floats, Ints
from pt_fairness.core.messages import collecting_warnings
from pt_fairness.evaluation.workers import Scorer
from pt_fairness.measures.measure import FairnessMeasure
from pt_fairness.provider.evaluator import QuickEvaluator
from pt_fairness.rankings.trec_order import Run

#: The kinds of numbers, as :func:`pt_fairness.explain` names them.
CONTRIBUTION, VALUE = "contribution", "value so far"
#: The tolerance for rounding errors when the value at the last rank is compared with the value.
SAME = 1e-6


class Strip(NamedTuple):
    """The first documents of one system, sorted by topic and rank."""

    topic: Ints
    docno: Any
    #: The relevance, NaN where the document is not judged.
    label: Floats
    #: The label set of each document for each source.
    sets: list[Ints]
    #: The 0-based rank.
    place: Ints

    def annotated(self, source: int) -> float:
        """Return the share of the documents that have a group, NaN without documents."""
        return float(pd.Series(self.sets[source] >= 0).mean())


class Counted(NamedTuple):
    """The documents of a run that a measure counts."""

    #: Mask of the documents of the strip.
    mask: Bools
    #: The number of documents of each topic, below the strip too, ``[T]``.
    length: Ints

    def before(self, strip: Strip) -> Ints:
        """Return how many documents count before each document of a strip."""
        mask = pd.Series(self.mask.astype(int))
        return np.asarray(mask.groupby(strip.topic).cumsum() - mask)

    def spread(self, added: Floats, strip: Strip) -> Floats:
        """Return the contribution of each document of a strip, 0 for those that do not count.

        :param added: the contributions of the documents that count, ``[T, K]``
        """
        padded = np.column_stack([added, np.zeros(len(added))])
        last = added.shape[1]
        column = np.minimum(self.before(strip), last)
        column[~self.mask] = last
        return padded[strip.topic, column]

    def so_far(self, values: Floats, strip: Strip) -> Floats:
        """Return the value so far at each document, NaN above the first that counts.

        :param values: the values at the cutoffs of the measure, ``[T, K]``
        """
        above = np.full(len(values), np.nan)
        padded = np.column_stack([above, values])
        number = self.before(strip) + self.mask
        column = np.minimum(number, values.shape[1])
        return padded[strip.topic, column]


class Method:
    """How the numbers of a measure at the ranks are computed.

    :param depth: the number of documents of a strip
    """

    def __init__(self, measure: Any, depth: int) -> None:
        self.measure = measure
        inner = getattr(measure, "inner", measure)  # that of OfGroup
        of_package = isinstance(inner, FairnessMeasure)
        # Without a cutoff, TrecFair cuts the list at ``ideal``.
        self.cutoff = measure.params.get("cutoff", measure.params.get("ideal"))
        within = self.cutoff is not None and self.cutoff <= depth
        #: ``'terms'`` of a sum, differences of ``'prefixes'`` of a ranking, values at
        #: ``'cutoffs'``; ``''`` for a measure that has no cutoff to vary.
        self.source = source_of_numbers(measure)
        #: :data:`CONTRIBUTION` or :data:`VALUE`; ``None`` without numbers.
        self.kind: str | None = CONTRIBUTION
        if self.source in ("cutoffs", ""):
            self.kind = VALUE if self.source else None
        #: Whether to compare the value at the last rank with the value: they differ if a provider
        #: of ir_measures breaks ties in another way. A strip that is cut says nothing about it.
        self.checked = not of_package and within
        #: The number of prefixes of the ranking that are scored.
        self.prefixes = depth
        left_out = measure.params.get("judged_only") or measure.params.get("others") == "dropped"
        if within and not left_out:
            self.prefixes = self.cutoff
        #: Whether the last value so far is the value, which needs no second scoring.
        self.ends_with_value = of_package and within and self.cutoff != 1
        last = min(self.cutoff or depth, depth) - self.ends_with_value
        #: The measure at the cutoffs 1, 2, …
        self.at_cutoffs = []
        if self.source == "cutoffs":
            self.at_cutoffs = at_cutoffs(measure, last)

    def differs(self, values: Floats, value: Floats) -> Bools:
        """Return the topics whose last value so far is not the value, ``[T]``.

        :param values: the values so far, ``[T, K]``
        """
        if not self.checked:
            return np.zeros(len(value), bool)
        return ~np.isclose(values[:, -1], value, rtol=0, atol=SAME)


class Steps:
    """The numbers of all measures at the ranks of a run.

    :param scorer: what scored the runs; the results are in the order of its topics
    """

    def __init__(self, scorer: Scorer, depth: int) -> None:
        plan, judgments = scorer.plan, scorer.judgments
        self._topics, self._depth = judgments.topics, depth
        self._place = {topic: i for i, topic in enumerate(self._topics)}
        self.methods = [Method(measure, depth) for measure in plan.measures]
        by_prefix = [method for method in self.methods if method.source == "prefixes"]
        longest = max((method.prefixes for method in by_prefix), default=0)
        self._ranks = range(longest)
        measures = [measure for method in self.methods for measure in method.at_cutoffs]
        self._evaluator = scorer.evaluator
        # Warnings about cutoffs repeat those about the measures.
        with collecting_warnings():
            self._prefixes = QuickEvaluator([method.measure for method in by_prefix], plan.qrels)
            distinct = list(dict.fromkeys(measures))
            self._cutoffs = QuickEvaluator(distinct, plan.qrels)

    def factors(self, ranked: Run) -> list[tuple[Floats, Floats] | None]:
        """Return the discount of each rank, ``[D]``, and Z of each topic, ``[T]``, of the measures
        that divide a discounted sum by Z.

        :param ranked: a run with one ranking of each topic
        """
        views = {}
        for evaluator in self._evaluator.fairness:
            views.update(evaluator.views(ranked, slice(0, len(self._topics))))
        factors = []
        for method in self.methods:
            view = views.get(method.measure)
            notes = (view and view.notes) or {}
            pair = None
            if {"discount", "Z"} <= notes.keys():
                discounts = notes["discount"][1].max(axis=0, initial=0.0)
                pair = discounts[:self._depth], notes["Z"][1]
            factors.append(pair)
        return factors

    def of_run(self, ranked: Run, documents: Ints, strip: Strip, counting: Sequence[Counted],
               values: Floats) -> list[Floats | None]:
        """Return the numbers of each measure, ``[documents]``; ``None`` if it has none.

        :param ranked: a run with one ranking of each topic
        :param documents: the indices of its documents that the numbers depend on
        :param strip: the documents of the run that are shown, those of the first ranks
        :param counting: the documents that each measure counts
        :param values: the value of each measure for each topic, ``[T, measures]``
        """
        run = ranked.frame(documents)
        shown = ranked.frame(ranked.place < self._depth)
        with collecting_warnings():
            by_cutoff = self._values(self._cutoffs, run)
            terms = self._evaluator.contributions(ranked, self._depth)
            by_prefix = [self._values(self._prefixes, shown[strip.place <= rank])
                         for rank in self._ranks]
        numbers: list[Floats | None] = []
        for method, of_measure, value in zip(self.methods, counting, values.T, strict=True):
            measure = method.measure
            if method.source == "terms":
                added = of_measure.spread(terms[measure], strip)
                added[of_measure.length[strip.topic] == 0] = np.nan
                numbers.append(added)
            elif method.source == "prefixes":
                prefixes = [by_rank[measure] for by_rank in by_prefix[:method.prefixes]]
                numbers.append(self._differences(method, prefixes, value, strip))
            elif method.source == "cutoffs":
                columns = [by_cutoff[cut] for cut in method.at_cutoffs]
                if method.ends_with_value:
                    undefined = np.isnan(value)
                    columns.append(np.where(undefined, columns[-1], value))
                so_far = np.column_stack(columns)
                so_far[method.differs(so_far, value)] = np.nan
                numbers.append(of_measure.so_far(so_far, strip))
            else:
                numbers.append(None)
        return numbers

    def _differences(self, method: Method, prefixes: Sequence[Floats], value: Floats,
                     strip: Strip) -> Floats:
        """Return what each document adds to the value of the prefix before it."""
        so_far = np.nan_to_num(np.column_stack(prefixes))
        so_far[method.differs(so_far, value)] = np.nan
        added = np.diff(so_far, prepend=0.0, axis=1)
        below = added[:, [-1] * self._depth] * 0.0  # adds nothing
        padded = np.hstack([added, below])
        return padded[strip.topic, strip.place]

    def _values(self, evaluator: QuickEvaluator, run: pd.DataFrame) -> dict[Any, Floats]:
        """Return the value of each measure for each topic, ``[T]``."""
        undefined = np.full(len(self._topics), np.nan)
        values: dict[Any, Floats] = defaultdict(undefined.copy)
        for metric in evaluator.iter_calc(run):
            topic = self._place[metric.query_id]
            values[metric.measure][topic] = metric.value
        return values
