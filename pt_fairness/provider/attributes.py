"""The groups of ranked and judged documents in several sources at once."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace

import numpy as np

from pt_fairness import groups, targets
from pt_fairness.core.messages import Warn
from pt_fairness.measures.base import FairnessMeasure
from pt_fairness.measures.scoring import depth_of
from pt_fairness.rankings.annotations import Annotations
from pt_fairness.rankings.labelled import Attribute, Rankings
from pt_fairness.rankings.trec_order import Judgments, Run


class Attributes:
    """The sources whose labels measures combine: their :attr:`FairnessMeasure.joint`.

    :param measures: measures with the same sources
    :raises ValueError: an unknown source or target, a target that depends on the topic, or a source
        with weights in ``whole``
    """

    def __init__(self, measures: Sequence[FairnessMeasure], judgments: Judgments) -> None:
        self._depth = depth_of(measures)
        self.sources = {name: groups.get(name) for name in measures[0].joint}
        self._rel = min(measure.param("rel") or 0 for measure in measures)
        self._annotations: dict[str, Annotations] = {}
        for name, source in self.sources.items():
            for measure in measures:
                if source.weighted and name in measure.param("whole").split(","):
                    raise ValueError(f"{measure} has {name!r} in whole, but documents have weights "
                                     "there; leave it out of whole")
            added = {label for measure in measures for label in _labels(measure.joint[name])}
            self._annotations[name] = Annotations(judgments, source, [self._rel], added,
                                                  unknown=True)
        cells = math.prod(len(one.sets.labels) for one in self._annotations.values())
        if cells >= 2**63:
            raise ValueError(f"{measures[0]} has {cells:.2g} combinations of labels, more than an "
                             "integer can number; use fewer attributes")

    def added_to(self, rankings: Rankings, run: Run, warn: Warn) -> Rankings:
        """Return a copy of the rankings with the label sets of the ranked and judged documents."""
        found: dict[Hashable, Attribute] = {}
        for name, known in self._annotations.items():
            ranked = known.of_run(run, self._depth)
            found[name] = Attribute(ranked.sets, ranked.codes, known.by_rel[self._rel])
            if len(run.topic) and (ranked.codes < 0).all():
                warn(f"no document of the run, such as {run.docnos(np.zeros(1, int))[0]!r}, is in "
                     f"the groups {name!r}, so all of them weigh nothing; check that the ids match",
                     f"none {name}")
        return replace(rankings, attributes=found)


def _labels(name: str) -> tuple[str, ...]:
    """Return the labels of a target.

    :raises ValueError: the target is not registered, or depends on the topic
    """
    target = targets.find(name)
    if target.topics is not None or target.of_qrels:
        raise ValueError(f"the target {name!r} depends on the topic; TrecFair takes targets with "
                         "the same shares for all topics, and adds those of the relevant documents "
                         "itself (of_qrels)")
    return target.labels
