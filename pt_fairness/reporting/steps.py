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
#: The kind of each of the ways of :func:`pt_fairness.analysis.explanation.source_of_numbers`.
KINDS = {"terms": CONTRIBUTION, "prefixes": CONTRIBUTION, "cutoffs": VALUE}
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
        has_group = pd.Series(self.sets[source] >= 0)
        return float(has_group.mean())


class Counted(NamedTuple):
    """The documents of a run that a measure counts."""

    strip: Strip
    #: Mask of the documents of the strip.
    mask: Bools
    #: The topic of each document that counts, below the strip too.
    topics: Ints

    def number(self) -> Ints:
        """Return the number of counted documents up to and including each rank of the strip."""
        counts = pd.Series(self.mask.astype(int))
        by_topic = counts.groupby(self.strip.topic)
        return by_topic.cumsum().to_numpy()

    def spread(self, terms: Floats) -> Floats:
        """Return the contribution of each document of the strip, 0 for those that do not count.

        If no document of a topic counts, all are NaN.

        :param terms: the contributions of the documents that count, ``[T, K]``
        """
        topic = self.strip.topic
        padded = np.pad(terms, ((0, 0), (1, 1)))
        last = terms.shape[1] + 1
        column = np.minimum(self.number(), last)
        contributions = padded[topic, column * self.mask]
        contributions[~np.isin(topic, self.topics)] = np.nan
        return contributions

    def so_far(self, values: Floats) -> Floats:
        """Return the value so far at each document, NaN above the first that counts.

        :param values: the values at the cutoffs of the measure, ``[T, K]``
        """
        above = np.full(len(values), np.nan)
        padded = np.column_stack([above, values])
        last = values.shape[1]
        column = np.minimum(self.number(), last)
        return padded[self.strip.topic, column]


class Method:
    """How the numbers of a measure at the ranks are computed.

    :param depth: the number of documents of a strip
    """

    def __init__(self, measure: Any, depth: int) -> None:
        self.measure = measure
        # Without a cutoff, TrecFair cuts the list at ``ideal``.
        self.cutoff = measure.params.get("cutoff", measure.params.get("ideal"))
        within = self.cutoff is not None and self.cutoff <= depth
        #: ``'terms'`` of a sum, differences of ``'prefixes'`` of a ranking, values at
        #: ``'cutoffs'``; ``''`` for a measure that has no cutoff to vary.
        self.source = source_of_numbers(measure)
        #: :data:`CONTRIBUTION` or :data:`VALUE`; ``None`` without numbers.
        self.kind = KINDS.get(self.source)
        inner = getattr(measure, "inner", measure)  # that of OfGroup
        #: Whether to compare the value at the last rank with the value: they differ if a provider
        #: of ir_measures breaks ties in another way. A strip that is cut says nothing about it.
        self.checked = within and not isinstance(inner, FairnessMeasure)
        #: The number of prefixes of the ranking that are scored.
        self.prefixes = 0
        if self.source == "prefixes":
            params = measure.params
            left_out = params.get("judged_only") or params.get("others") == "dropped"
            self.prefixes = self.cutoff if within and not left_out else depth
        #: The measure at the cutoffs 1, 2, …
        self.at_cutoffs = []
        if self.source == "cutoffs":
            last = self.cutoff if within else depth
            self.at_cutoffs = at_cutoffs(measure, last)

    def so_far(self, columns: Sequence[Floats], value: Floats) -> Floats:
        """Return the values so far, ``[T, K]``; NaN for a topic if the last one is not its value.

        :param columns: the values at each of K cutoffs, ``[T]`` each
        :param value: the value for each topic, ``[T]``
        """
        so_far = np.column_stack(columns)
        if self.checked:
            same = np.isclose(columns[-1], value, rtol=0, atol=SAME)
            so_far[~same] = np.nan
        return so_far


class Steps:
    """The numbers of all measures at the ranks of a run.

    :param scorer: what scored the runs; the results are in the order of its topics
    """

    def __init__(self, scorer: Scorer, depth: int) -> None:
        plan = scorer.plan
        self._topics = scorer.judgments.topics
        self._depth = depth
        self.methods = [Method(measure, depth) for measure in plan.measures]
        self._longest = max(method.prefixes for method in self.methods)
        by_prefix = [method.measure for method in self.methods if method.prefixes]
        by_cutoff: dict[Any, None] = {}
        for method in self.methods:
            by_cutoff |= dict.fromkeys(method.at_cutoffs)
        self._evaluator = scorer.evaluator
        # Warnings about cutoffs repeat those about the measures.
        with collecting_warnings():
            self._prefixes = QuickEvaluator(by_prefix, plan.qrels)
            self._cutoffs = QuickEvaluator(list(by_cutoff), plan.qrels)

    def factors(self, ranked: Run) -> dict[Any, tuple[Floats, Floats]]:
        """Return the discount of each rank, ``[D]``, and Z of each topic, ``[T]``, of the measures
        that divide a discounted sum by Z.

        :param ranked: a run with one ranking of each topic
        """
        factors = {}
        topics = slice(0, len(self._topics))
        for evaluator in self._evaluator.fairness:
            for measure, view in evaluator.views(ranked, topics).items():
                notes = view.notes or {}
                if {"discount", "Z"} <= notes.keys():
                    _, discounts = notes["discount"]
                    _, norms = notes["Z"]
                    longest = discounts.max(axis=0, initial=0.0)
                    factors[measure] = longest[:self._depth], norms
        return factors

    def of_run(self, ranked: Run, needed: Bools, counting: Sequence[Counted],
               values: Floats) -> dict[Any, Floats]:
        """Return the numbers that explain each measure, one for each document of the strip.

        Measures without such numbers are left out.

        :param ranked: a run with one ranking of each topic
        :param needed: a mask of its documents that the numbers depend on
        :param counting: the documents that each measure counts
        :param values: the value of each measure for each topic, ``[T, measures]``
        """
        run = ranked.frame(needed)
        first = ranked.place < self._depth
        shown = ranked.frame(first)
        rank = ranked.place[first]
        topic = ranked.topic[first]
        with collecting_warnings():
            by_cutoff = self._values(self._cutoffs, run)
            terms = self._evaluator.contributions(ranked, self._depth)
            by_prefix = [self._values(self._prefixes, shown[rank <= last])
                         for last in range(self._longest)]
        numbers = {}
        for method, documents, value in zip(self.methods, counting, values.T, strict=True):
            measure = method.measure
            if method.source == "terms":
                numbers[measure] = documents.spread(terms[measure])
            elif method.source == "prefixes":
                prefixes = [np.nan_to_num(of_prefix[measure]) for of_prefix in by_prefix]
                so_far = method.so_far(prefixes, value)
                # Documents below the last prefix add nothing.
                whole = np.pad(so_far, ((0, 0), (0, self._depth)), mode="edge")
                added = np.diff(whole, prepend=0.0)
                numbers[measure] = added[topic, rank]
            elif method.source == "cutoffs":
                columns = [by_cutoff[at_cutoff] for at_cutoff in method.at_cutoffs]
                so_far = method.so_far(columns, value)
                numbers[measure] = documents.so_far(so_far)
        return numbers

    def _values(self, evaluator: QuickEvaluator, run: pd.DataFrame) -> dict[Any, Floats]:
        """Return the value of each measure for each topic, ``[T]``."""
        place = {topic: i for i, topic in enumerate(self._topics)}
        undefined = np.full(len(place), np.nan)
        values: dict[Any, Floats] = defaultdict(undefined.copy)
        for metric in evaluator.iter_calc(run):
            topic = place[metric.query_id]
            values[metric.measure][topic] = metric.value
        return values
