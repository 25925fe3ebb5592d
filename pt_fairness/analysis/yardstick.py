"""The values of a measure for rankings that show less and less of a group: how much is 0.97?"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from pt_fairness.analysis.inputs import compares_groups
from pt_fairness.core.messages import collecting_warnings
from pt_fairness.provider.evaluator import FairnessEvaluator
from pt_fairness.provider.measure_lists import parsed

#: How many of ten documents have the second group, and the number of judged documents of a topic.
PLACES, JUDGED = (5, 4, 3, 2, 1, 0), 50
#: The parameters that name a group, for the groups A and B.
NAMED = {"protected": "B", "group": "B", "pro": "A", "con": "B", "cutoff": 10}


def ladder(measure: Any) -> pd.DataFrame:
    """Return the values of a measure for ten documents that show less and less of a group.

    A topic has 50 relevant documents of the groups A and B. The target share of B is 0.5 or 0.2:
    that is its share in the relevant documents, and the target of measures whose default are equal
    shares. Rankings have 5, 4, 3, 2, 1 or 0 documents of B among ten, spread evenly, or the same
    documents with B at the end.

    :param measure: a measure that compares groups, or its name; the parameters that name a group
        (``protected``, ``group``, ``pro``, ``con``) and a missing cutoff of 10 are filled in
    :returns: a row for each target and order, and a column for each share of B in the ranking
    :raises ValueError: if the measure does not compare groups, or needs other parameters

    Examples
    --------
    >>> from pt_fairness import analysis
    >>> values = analysis.ladder("AWRF").round(2)
    >>> values.loc["50 %", "spread"].tolist()
    [1.0, 0.99, 0.96, 0.91, 0.83, 0.69]
    >>> values.loc["20 %", "at the end"].tolist()
    [0.98, 0.99, 1.0, 0.99, 0.97, 0.89]
    """
    (measure,) = parsed(measure)
    if not compares_groups(measure):
        raise ValueError(f"measure must compare groups, got {measure}")
    supported = measure.SUPPORTED_PARAMS
    named = {name: value for name, value in NAMED.items() if name in supported}
    equal_shares = "target" in supported and supported["target"].default == "uniform"
    tables = {}
    for share in (0.5, 0.2):
        if equal_shares:
            named["target"] = {"A": 1 - share, "B": share}
        count = int(share * JUDGED)
        judged = [f"A{i}" for i in range(JUDGED - count)] + [f"B{i}" for i in range(count)]
        values = np.reshape(_values(measure(**named | measure.params), judged), (2, -1))
        columns = [f"{10 * places} %" for places in PLACES]
        rows = pd.Index(["spread", "at the end"], name="order")
        tables[f"{100 * share:.0f} %"] = pd.DataFrame(values, rows, columns)
    return pd.concat(tables, names=["target"])


def _values(measure: Any, judged: Sequence[str]) -> list[float]:
    """Return the value of each ranking: B spread evenly, then at the end.

    :param judged: the docnos of the relevant documents, which begin with their groups
    """
    rankings = [*map(_spread, PLACES), *("A" * (10 - places) + "B" * places for places in PLACES)]
    groups = pd.DataFrame(map(list, rankings)).stack().rename_axis(["topic", "rank"])
    number = groups.groupby(["topic", groups]).cumcount()
    run = pd.DataFrame({"doc_id": groups + number.astype(str)}).reset_index()
    run = run.assign(query_id=run["topic"].astype(str), score=-run["rank"])
    topics = run["query_id"].unique()
    qrels = pd.DataFrame(itertools.product(topics, judged), columns=["query_id", "doc_id"])
    qrels = qrels.assign(relevance=1, iteration=qrels["doc_id"].str[0])
    with collecting_warnings():
        evaluator = FairnessEvaluator([measure], qrels)
        values = {metric.query_id: metric.value for metric in evaluator.iter_calc(run)}
    return [values[topic] for topic in topics]


def _spread(places: int) -> str:
    """Return the group of each of ten documents, with B spread evenly."""
    ranks = {int((i + 0.5) * 10 / places) for i in range(places)}
    return "".join("AB"[rank in ranks] for rank in range(10))
