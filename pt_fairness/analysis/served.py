"""Whom a system serves: effectiveness for each group, and the gaps between groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd

from pt_fairness.analysis.inputs import annotations_of, judgments_of, renamed_qrels, runs_of
from pt_fairness.core.labels import distinct_labels, label_text
from pt_fairness.core.messages import listed, one_of, shown
from pt_fairness.groups import Groups
from pt_fairness.io.frames import need_columns
from pt_fairness.io.run_files import RunInputs
from pt_fairness.measures.coverage import OfGroup
from pt_fairness.provider.evaluator import FairnessEvaluator
from pt_fairness.provider.parsing import parsed


def group_effectiveness(runs: RunInputs, qrels: pd.DataFrame, measures: Any,
                        groups: str | Groups | None = None, of: Sequence[Any] | None = None,
                        others: Literal["irrelevant", "dropped"] = "irrelevant",
                        topics: Literal["common", "each", "all"] = "common") -> pd.DataFrame:
    """Return the effectiveness of every system for each group: means of ``OfGroup`` over topics.

    :param runs: frames by system name (``qid, docno, score``, or ir_measures' names; ``iteration``
        where a topic has several rankings)
    :param qrels: ``qid, docno, label`` (or ir_measures' names) and, without ``groups``,
        ``iteration``
    :param measures: measures of ir_measures or their names, such as ``"nDCG@10"``
    :param groups: the group source; by default the ``iteration`` of the qrels
    :param of: the groups to compare; by default those of any relevant document
    :param others: documents of other groups and of none: not relevant, or dropped (``OfGroup``)
    :param topics: the topics of the mean: ``'common'``, those that have a relevant document of
        each of the groups; ``'each'``, those that have one of this group; ``'all'``, where the
        value of undefined topics is 0, as in the means of ``pt.Experiment``. Topics that the
        group source drops are left out.
    :returns: ``name, measure, group, value`` (0 to 1; NaN without topics), ``n`` (the number of
        topics)
    :raises ValueError: a measure that ``OfGroup`` does not take, other ``topics``, or ``runs`` is
        no dictionary of frames

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": 1,
    ...                       "iteration": ["human", "llm"]})
    >>> run = pd.DataFrame({"qid": "1", "docno": ["b", "a"], "score": [2.0, 1.0]})
    >>> table = analysis.group_effectiveness({"BM25": run}, qrels, "RR")
    >>> table
       name measure  group  value  n
    0  BM25      RR  human    0.5  1
    1  BM25      RR    llm    1.0  1
    >>> analysis.group_gaps(table, first="human", second="llm").round(1)
       name measure  gap  ratio  worst worst_group  delta
    0  BM25      RR  0.5    0.5    0.5       human  -66.7
    """
    one_of("topics", topics, ("common", "each", "all"))
    judgments = judgments_of(qrels)
    annotations = annotations_of(judgments, groups)
    labels = annotations.labels if of is None else distinct_labels(of, "of")
    wanted = {measure: {label: OfGroup(measure=measure, group=label, others=others, **(
        {} if groups is None else {"groups": groups})) for label in labels}
        for measure in parsed(measures)}
    evaluator = FairnessEvaluator(
        parsed([one for by_label in wanted.values() for one in by_label.values()]),
        renamed_qrels(qrels))
    known = annotations.groups
    kept = np.isin(judgments.topics, judgments.topics if known is None or known.topics is None
                   else list(known.topics))
    rows = []
    for name, run in runs_of(runs, judgments).items():
        values = evaluator.parts(run)
        for measure, by_label in wanted.items():
            found = {label: values[one] for label, one in by_label.items()
                     if of is not None or not np.isnan(values[one]).all()}
            common = kept & ~np.isnan(list(found.values())).any(axis=0)
            for label, some in found.items():
                counted = {"common": common, "each": kept & ~np.isnan(some), "all": kept}[topics]
                n = int(counted.sum())
                mean = np.nan_to_num(some[counted]).sum() / n if n else np.nan
                rows.append((name, str(measure), label, mean, n))
    return pd.DataFrame(rows, columns=["name", "measure", "group", "value", "n"])


def group_gaps(table: pd.DataFrame, first: Any = None, second: Any = None) -> pd.DataFrame:
    """Return the differences between the groups in a table of :func:`group_effectiveness`.

    Relative Δ is the difference of two groups in percent of their mean. With the text of people
    first and that of language models second, a value below 0 says that the system favours the text
    of language models. The papers evaluate one run over both corpora, with ``topics='all'``.

    Source: Dai et al. (2024), Relative Δ; Dai et al. (2024b).

    :param table: ``name, measure, group, value``
    :param first: the first group of Relative Δ; ``None`` to leave that column out
    :param second: the second group
    :returns: ``name, measure, gap`` (maximum − minimum), ``ratio`` (minimum / maximum), ``worst``
        (minimum), ``worst_group`` (the first one of a tie) and, with two groups, ``delta``:
        100 · (first − second) / their mean, −200 to 200, 0 is equal. 0 / 0 is NaN, and so is what
        depends on a value that is NaN or missing.
    :raises ValueError: a missing column, a group twice, one of ``first`` and ``second`` without the
        other, or a group that is not in the table

    Examples
    --------
    >>> import pandas as pd
    >>> from pt_fairness import analysis
    >>> table = pd.DataFrame({"name": "BM25", "measure": "nDCG@3", "group": ["human", "llm"],
    ...                       "value": [0.592657, 0.427606]})
    >>> analysis.group_gaps(table, "human", "llm").round(2)
       name measure   gap  ratio  worst worst_group  delta
    0  BM25  nDCG@3  0.17   0.72   0.43         llm  32.35
    """
    need_columns(table, ["name", "measure", "group", "value"], "the table")
    if (first is None) != (second is None):
        raise ValueError(f"first={shown(first)} and second={shown(second)} are compared with each "
                         "other; give both or neither")
    twice = table[table.duplicated(["name", "measure", "group"])]
    if len(twice):
        raise ValueError(f"the table has several rows for {twice.iloc[0].to_dict()}; keep one of "
                         "each system, measure and group")
    pair = [] if first is None else [label_text(first), label_text(second)]
    labels: Any = table["group"].map(label_text)
    if not set(pair) <= set(labels):
        raise ValueError(f"first={shown(first)} or second={shown(second)} is no group of the "
                         f"table; its groups are {listed(labels.unique())}")
    values = table["value"].astype(float).groupby([table["name"], table["measure"]], sort=False)
    best, worst = (values.agg(one, skipna=False) for one in (pd.Series.max, pd.Series.min))
    gaps = pd.DataFrame({
        "gap": best - worst, "ratio": worst / best, "worst": worst,
        "worst_group": values.agg(lambda some: labels[some.idxmin()] if some.notna().all()
                                  else np.nan)})
    if pair:
        wide = table.assign(group=labels).pivot(index=["name", "measure"], columns="group",
                                                values="value").astype(float)
        gaps["delta"] = 200 * (wide[pair[0]] - wide[pair[1]]) / (wide[pair[0]] + wide[pair[1]])
    return gaps.reset_index()
