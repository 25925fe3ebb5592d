"""Rows of reference rankings in a table of averages."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.analysis.inputs import is_of_groups
from pt_fairness.analysis.references import KINDS, reference_rankings
from pt_fairness.evaluation.plan import Plan
from pt_fairness.evaluation.results import means_of
from pt_fairness.messages import collecting_warnings, listed, shown
from pt_fairness.provider.many_runs import ManyRunsEvaluator

#: The names of the rows, by kind.
ROWS = dict(zip(KINDS, ("[random order]", "[proportional]", "[largest group first]",
                        "[smallest group first]"), strict=True))


def checked(references: bool | Sequence[str]) -> list[str]:
    """Return the kinds of reference rankings that are asked for.

    :raises ValueError: an unknown kind
    """
    if isinstance(references, bool):
        return [*KINDS] if references else []
    kinds = [references] if isinstance(references, str) else list(references)
    unknown = [kind for kind in kinds if kind not in ROWS]
    if unknown:
        raise ValueError(f"references={shown(references)} is not possible; it takes True, False or "
                         f"a list of {listed(KINDS)}")
    return [kind for kind in KINDS if kind in kinds]


def reference_rows(plan: Plan, kinds: Sequence[str],
                   left_out: Mapping[str, Collection[str]]) -> pd.DataFrame:
    """Return ``name`` and the mean value of each measure for each kind of reference rankings.

    The rankings are made for each group source of the measures, and not cut. Measures that do not
    compare the groups of one source have no value.

    :param left_out: the topics that do not count, by the column of the measure
    """
    columns = dict(zip(plan.measures, plan.columns, strict=True))
    by_source: dict[Hashable, list[int]] = {}
    for i, measure in enumerate(plan.measures):
        sources = {part.param("groups") for part in measure.parts if part.needs_groups} \
            if is_of_groups(measure) else set()
        if len(sources) == 1:
            by_source.setdefault(sources.pop(), []).append(i)
    means = np.full((len(kinds), len(plan.measures)), np.nan)
    with collecting_warnings():  # about groups and undefined topics; the evaluation has given them
        for source, some in by_source.items():
            measures = [plan.measures[i] for i in some]
            evaluator = ManyRunsEvaluator(measures, plan.qrels)
            runs = reference_rankings(plan.qrels, groups=source, kinds=kinds)
            for row, kind in enumerate(kinds):
                run: Any = runs[kind].rename(columns={"qid": "query_id", "docno": "doc_id"})
                values: dict[Any, list[float]] = {measure: [] for measure in measures}
                for one in evaluator.iter_calc(run):
                    dropped = one.query_id in left_out.get(columns[one.measure], ())
                    values[one.measure].append(np.nan if dropped else one.value)
                means[row, some] = means_of(np.array([*values.values()]).T,
                                            [plan.columns[i] for i in some])
    return pd.DataFrame({"name": [ROWS[kind] for kind in kinds],
                         **dict(zip(plan.columns, means.T, strict=True))})
