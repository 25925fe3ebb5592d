"""Groups, shares and targets of the ranks of one ranking."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from pt_fairness import numerics
from pt_fairness.analysis.inputs import annotations_of
from pt_fairness.measures import FairnessMeasure, RepBias
from pt_fairness.measures.documents import DocumentMeasure
from pt_fairness.measures.group_relevance import StoppingMeasure
from pt_fairness.measures.protected import protected_groups, two_groups
from pt_fairness.measures.scoring import rels_of
from pt_fairness.measures.statistical_tests import BinomialMeasure
from pt_fairness.measures.target_distribution import distribution
from pt_fairness.measures.viewpoint import OF_RUN
from pt_fairness.numerics import Floats, Ints
from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.judgments import Judgments
from pt_fairness.rankings.run import Run
from pt_fairness.rankings.view import View
from pt_fairness.text import TREC_DEFAULTS

#: The prefixes of the columns of :func:`explain` that hold shares and targets.
SHARE, TARGET = "share of ", "target of "
#: The columns of the protected side.
PROTECTED_SHARE, PROTECTED_TARGET = "protected share", "protected target"


class Protected(NamedTuple):
    """The protected side of a measure that compares two sides."""

    labels: list[str]
    #: How far each label set is protected, from 0 to 1, ``[S]``.
    degree: Floats
    #: The target share, NaN without one.
    target: float


class Shown:
    """The documents that are shown, and their groups from one source.

    :param measure: a measure, or a part of a composed one
    :param topic: the index of the topic
    :param source: the group source of a measure that has none of its own; ``None`` for the qrels
    """

    def __init__(self, measure: Any, judgments: Judgments, run: Run, topic: int,
                 source: Any = None) -> None:
        own = isinstance(measure, FairnessMeasure)
        cutoff = measure.params.get("cutoff")
        self.measure, self._own = measure, own
        annotations = annotations_for(measure, judgments, source)
        found = annotations.of_run(run, measure.depth if own else cutoff)
        rankings = annotations.rankings(run, found).labelled(measure.added_labels if own else ())
        self._view = View(rankings, slice(topic, topic + 1))
        codes, relevance, _ = self._view.full(None)
        length = codes.shape[1]
        if own and measure.condensed:
            places = np.flatnonzero(codes[0] >= 0)
        elif measure.params.get("judged_only"):
            judged = run.pair[:length] >= 0
            # trec_eval takes documents of negative relevance for unjudged ones, ndeval does not.
            of_ndeval = measure.NAME.startswith("alpha_")
            places = np.flatnonzero(judged if of_ndeval else judged & (relevance[0] >= 0))
        else:
            places = np.arange(length)
        #: The 0-based rank of each document that counts.
        self.counted: Ints = places[:cutoff]
        #: The number of ranks that are shown.
        self.depth = max(int(self.counted.max(initial=-1)) + 1, min(length, cutoff or length))
        self._codes, self.relevance = codes[0, :self.depth], relevance[0, :self.depth]

    def groups(self) -> list[list[str]]:
        """Return the groups of the document at each rank."""
        labels = np.array([*self._view.labels], dtype=object)
        member = np.vstack([self._view.member, np.zeros((1, len(labels)), bool)])[self._codes]
        return [labels[row].tolist() for row in member]

    def columns(self, source: str) -> dict[str, Floats]:
        """Return the columns of shares and targets.

        :param source: what precedes the labels in the names of the columns
        """
        labels, target = self._view.labels, self._target()
        shares = self._so_far(self._view.share)
        held = {f"{SHARE}{source}{label}": shares[:, i] for i, label in enumerate(labels)}
        protected = self.protected
        if protected is not None:
            held[PROTECTED_SHARE] = self._so_far(protected.degree[:, None])[:, 0]
        if target is not None:
            held |= {f"{TARGET}{source}{label}": np.full(self.depth, share)
                     for label, share in zip(labels, target, strict=True)}
        if protected is not None and not np.isnan(protected.target):
            held[PROTECTED_TARGET] = np.full(self.depth, protected.target)
        return held

    def _so_far(self, rows: Floats) -> Floats:
        """Return the mean row of the documents that count down to each rank, ``[depth, …]``.

        :param rows: a row for each label set, ``[S, …]``
        """
        even = isinstance(self.measure, StoppingMeasure)  # unannotated documents count 1/L
        counted = self.counted if even else self.counted[self._codes[self.counted] >= 0]
        weights = np.zeros(self.depth)
        weights[counted] = 1.0
        if self._own and "discount" in self.measure.SUPPORTED_PARAMS:
            discounts = numerics.discount(self.measure.param("discount"), self.depth,
                                          self.measure.param("p"))
            place = np.arange(len(counted)) if self.measure.condensed else counted
            weights[counted] = discounts[place]
        rows = np.vstack([rows, np.full(rows.shape[1], 1.0 / max(rows.shape[1], 1))])
        sums = (weights[:, None] * rows[self._codes]).cumsum(axis=0)
        total = weights.cumsum()[:, None]
        return np.where(total > 0, numerics.ratio(sums, total), np.nan)

    def _target(self) -> Floats | None:
        """Return the target share of each group, ``[L]``; ``None`` if the measure has none."""
        measure, view = self.measure, self._view
        if isinstance(measure, OF_RUN):
            counts = view.in_run[0] @ view.share
            shares = numerics.ratio(counts, counts.sum())
        elif not self._own or "target" not in measure.SUPPORTED_PARAMS or isinstance(
                measure, DocumentMeasure) or (
                isinstance(measure, BinomialMeasure) and measure.param("p") is not None):
            return None
        else:
            shares = distribution(measure, view)[0]
        return shares if shares.any() else np.full(len(shares), np.nan)

    @property
    def protected(self) -> Protected | None:
        """The protected side; ``None`` if the measure does not compare two sides."""
        measure, view = self.measure, self._view
        if not self._own or not view.labels or not (
                isinstance(measure, type(RepBias))
                or measure.param("protected") not in (None, "all")):
            return None
        counts = view.in_run if isinstance(measure, OF_RUN) \
            else view.relevant(measure.param("rel"))
        found = protected_groups(measure, view, counts)
        if not found.known[0]:
            return None
        target = np.nan
        if isinstance(measure, BinomialMeasure):
            target = float(measure.wanted(view)[1][0])
        elif isinstance(measure, OF_RUN):
            target = float((counts * found.sets).sum() / max(counts.sum(), 1))
        elif "target" in measure.SUPPORTED_PARAMS:
            groups = two_groups(measure, view)
            target = float(groups.plus[0] / groups.total[0]) if groups.total[0] else np.nan
        labels = np.array(view.labels)[found.labels[0]]
        return Protected(labels.tolist(), np.asarray(found.sets[0], float), target)


def annotations_for(measure: Any, judgments: Judgments, source: Any) -> Annotations:
    """Return the groups of the judged documents for a measure.

    :param source: the group source of a measure that has none of its own; ``None`` for the qrels,
        which then may have no groups
    """
    own = isinstance(measure, FairnessMeasure)
    rels = rels_of([measure]) if own else ()
    if own and measure.needs_groups:
        return annotations_of(judgments, measure.param("groups"), rels, measure.added_labels)
    if source is not None:
        return annotations_of(judgments, source, rels)
    needed = not set(judgments.row_labels[1]) <= TREC_DEFAULTS
    return Annotations(judgments, None, rels, needed=needed)
