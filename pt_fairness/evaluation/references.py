"""Rows of reference rankings in a table of averages."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.analysis.inputs import is_of_groups
from pt_fairness.analysis.references import KINDS, reference_rankings
from pt_fairness.core.identifiers import texts_of
from pt_fairness.core.messages import collecting_warnings, listed, shown, warn
from pt_fairness.evaluation.plan import Plan
from pt_fairness.evaluation.results import means_of
from pt_fairness.provider.evaluator import ManyRunsEvaluator

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
    if not ROWS.keys() >= {*kinds}:
        raise ValueError(f"references={shown(references)} is not possible; it takes True, False or "
                         f"a list of {listed(KINDS)}")
    return [kind for kind in KINDS if kind in kinds]


def reference_rows(plan: Plan, kinds: Sequence[str], undefined: Mapping[str, Collection[str]],
                   drop: bool) -> pd.DataFrame:
    """Return ``name`` and the mean value of each measure for each kind of reference rankings.

    The rankings are made for each group source of the measures, and not cut. Measures that do not
    compare the groups of one source have no value. A topic without reference rankings, because no
    relevant document has a group, is left out where the measure is defined, with a warning.

    :param undefined: the topics for which a measure is undefined, by its column
    :param drop: whether these topics are left out, instead of counting 0
    """
    columns = dict(zip(plan.measures, plan.columns, strict=True))
    by_source: dict[Hashable, list[int]] = {}
    for i, measure in enumerate(plan.measures):
        sources = {part.param("groups") for part in measure.parts if part.needs_groups} \
            if is_of_groups(measure) else set()
        if len(sources) == 1:
            by_source.setdefault(sources.pop(), []).append(i)
    means, unranked = np.full((len(kinds), len(plan.measures)), np.nan), set()
    with collecting_warnings():  # about groups and undefined topics; the evaluation has given them
        for source, some in by_source.items():
            measures = [plan.measures[i] for i in some]
            evaluator = ManyRunsEvaluator(measures, plan.qrels)
            runs = reference_rankings(plan.qrels, groups=source, kinds=kinds)
            for row, kind in enumerate(kinds):
                run: Any = runs[kind].rename(columns={"qid": "query_id", "docno": "doc_id"})
                values: dict[Any, list[float]] = {measure: [] for measure in measures}
                ranked = set(texts_of(run["query_id"]))
                for one in evaluator.iter_calc(run):
                    known = one.query_id not in undefined.get(columns[one.measure], ())
                    if known and one.query_id not in ranked:
                        unranked.add(one.query_id)
                    counts = one.query_id in ranked if known else not drop
                    values[one.measure].append(one.value if counts else np.nan)
                means[row, some] = means_of(np.array([*values.values()]).T,
                                            [plan.columns[i] for i in some])
    if unranked:
        warn(f"the rows of reference rankings leave out {len(unranked)} topics, such as "
             f"{min(unranked)!r}, which have no relevant document with a group; the "
             "averages of the systems have them")
    return pd.DataFrame({"name": [ROWS[kind] for kind in kinds],
                         **dict(zip(plan.columns, means.T, strict=True))})
