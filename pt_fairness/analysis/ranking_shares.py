"""Groups, shares and targets of the ranks of one ranking."""

from __future__ import annotations

from typing import Any

import numpy as np

from pt_fairness.analysis.arguments import annotations_of
from pt_fairness.core import arrays, discounts
from pt_fairness.core.arrays import Floats, Ints
from pt_fairness.core.labels import TREC_DEFAULTS
from pt_fairness.measures import FairnessMeasure
from pt_fairness.measures.measure import rels_of
from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.protected import Side
from pt_fairness.rankings.trec_order import Judgments, Run
from pt_fairness.rankings.view import View

#: The prefixes of the columns of :func:`explain` that hold shares and targets.
SHARE, TARGET = "share of ", "target of "
#: The columns of the protected side.
PROTECTED_SHARE, PROTECTED_TARGET = "protected share", "protected target"


class Shown:
    """The documents that are shown, and their groups from one source.

    :param measure: a measure, or a part of a composed one
    :param topic: the index of the topic
    :param source: the group source of a measure that has none of its own; ``None`` for the qrels
    """

    def __init__(self, measure: Any, judgments: Judgments, run: Run, topic: int,
                 source: Any = None) -> None:
        own = isinstance(measure, FairnessMeasure)
        # Without a cutoff, TrecFair cuts the list at ``ideal``.
        cutoff = measure.params.get("cutoff", measure.params.get("ideal"))
        self.measure, self._own = measure, own
        annotations = annotations_for(measure, judgments, source)
        judged_only = not own and measure.params.get("judged_only")
        depth = measure.depth if own else None if judged_only else cutoff
        rankings = annotations.of_run(run, depth).of_labels(measure.added_labels if own else ())
        self._view = View(rankings, slice(topic, topic + 1))
        codes, relevance, _ = self._view.full(None)
        length = codes.shape[1]
        if own and measure.condensed:
            places = np.flatnonzero(codes[0] >= 0)
        elif judged_only:
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
        side: Side | None = measure.side(self._view) if own and self._view.labels else None
        self._side = side if side is not None and side.present[0] else None

    def groups(self) -> list[list[str]]:
        """Return the groups of the document at each rank."""
        labels = np.array([*self._view.labels], dtype=object)
        member = np.vstack([self._view.member, np.zeros((1, len(labels)), bool)])[self._codes]
        return [labels[row].tolist() for row in member]

    def columns(self, source: str) -> dict[str, Floats]:
        """Return the columns of shares and targets.

        :param source: what precedes the labels in the names of the columns
        """
        labels, side = self._view.labels, self._side
        shares = self._so_far(self._view.share)
        held = {f"{SHARE}{source}{label}": shares[:, i] for i, label in enumerate(labels)}
        if side is not None:
            degree = np.asarray(side.sets[0], np.float64)
            held[PROTECTED_SHARE] = self._so_far(degree[:, None])[:, 0]
        target = self.measure.target(self._view) if self._own else None
        if target is not None:
            known = np.where(target[0].any(), target[0], np.nan)
            held |= {f"{TARGET}{source}{label}": np.full(self.depth, share)
                     for label, share in zip(labels, known, strict=True)}
        if side is not None and side.total[0]:
            held[PROTECTED_TARGET] = np.full(self.depth, side.share[0])
        return held

    def _so_far(self, rows: Floats) -> Floats:
        """Return the mean row of the documents that count down to each rank, ``[depth, …]``.

        :param rows: a row for each label set, ``[S, …]``
        """
        even = self._own and self.measure.EVEN
        counted = self.counted if even else self.counted[self._codes[self.counted] >= 0]
        weights = np.zeros(self.depth)
        weights[counted] = 1.0
        if self._own and "discount" in self.measure.SUPPORTED_PARAMS:
            of_rank = discounts.discount(self.measure.param("discount"), self.depth,
                                         self.measure.param("p"))
            weights[counted] = of_rank[:len(counted)] if self.measure.condensed \
                else of_rank[counted]
        rows = np.vstack([rows, np.full(rows.shape[1], 1.0 / max(rows.shape[1], 1))])
        sums = (weights[:, None] * rows[self._codes]).cumsum(axis=0)
        total = weights.cumsum()[:, None]
        return np.where(total > 0, arrays.ratio(sums, total), np.nan)

    @property
    def fairest(self) -> float | None:
        """The value of the fairest possible ranking; ``None`` if it is not known."""
        values = self.measure.fairest(self._view) if self._own and self._view.labels else None
        return None if values is None else float(values[0])

    @property
    def protected(self) -> list[str] | None:
        """The protected groups; ``None`` if the measure does not compare two sides."""
        return None if self._side is None else \
            np.array(self._view.labels)[self._side.labels[0]].tolist()


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
    return Annotations(judgments, None, rels,
                       needed=not set(judgments.row_labels[1]) <= TREC_DEFAULTS)
