"""The values of a measure for rankings that show less and less of a group: how much is 0.97?"""

from __future__ import annotations

import itertools
from typing import Any

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
    >>> analysis.ladder("AWRF").round(2)
                        50 %  40 %  30 %  20 %  10 %   0 %
    target order
    50 %   spread       1.00  0.99  0.96  0.91  0.83  0.69
           at the end   0.98  0.96  0.93  0.88  0.81  0.69
    20 %   spread       0.95  0.97  0.99  1.00  0.98  0.89
           at the end   0.98  0.99  1.00  0.99  0.97  0.89
    """
    (measure,) = parsed(measure)
    if not compares_groups(measure):
        raise ValueError(f"measure must compare groups, got {measure}")
    rows = {}
    for share in (0.5, 0.2):
        judged = pd.Series(["A"] * JUDGED, name="iteration")
        judged[:int(share * JUDGED)] = "B"
        values = _values(_named(measure, share), judged)
        rows[f"{share:.0%}".replace("%", " %"), "spread"] = values[:len(PLACES)]
        rows[f"{share:.0%}".replace("%", " %"), "at the end"] = values[len(PLACES):]
    columns = [f"{10 * places} %" for places in PLACES]
    table = pd.DataFrame(rows, columns).T
    return table.rename_axis(index=["target", "order"])


def _named(measure: Any, share: float) -> Any:
    """Return a measure with groups, cutoff and target where it takes and lacks them."""
    supported = measure.SUPPORTED_PARAMS
    params = {name: value for name, value in NAMED.items() if name in supported}
    if "target" in supported and supported["target"].default == "uniform":
        params["target"] = {"A": 1 - share, "B": share}
    return measure(**params | measure.params)


def _values(measure: Any, judged: pd.Series) -> list[float]:
    """Return the value of each ranking: B spread evenly, then at the end.

    :param judged: the group of each judged document
    """
    run = []
    orders = itertools.product((_spread, _last), PLACES)
    for qid, (order, places) in enumerate(orders):
        groups = pd.Series(order(places))
        number = groups.groupby(groups).cumcount()
        first = {group: judged.index[judged == group][0] for group in "AB"}
        docno = groups.map(first) + number
        run.append(pd.DataFrame({"query_id": str(qid), "doc_id": docno.astype(str),
                                 "score": -groups.index.astype(float)}))
    topics = [judged.to_frame().assign(query_id=str(qid)) for qid in range(len(run))]
    qrels = pd.concat(topics).rename_axis("doc_id").reset_index().assign(relevance=1)
    qrels["doc_id"] = qrels["doc_id"].astype(str)
    with collecting_warnings():
        evaluator = FairnessEvaluator([measure], qrels)
        metrics = evaluator.iter_calc(pd.concat(run))
        values = {metric.query_id: metric.value for metric in metrics}
    return [values[str(qid)] for qid in range(len(run))]


def _spread(places: int) -> list[str]:
    """Return the group of each of ten documents, with those of B spread evenly."""
    ranks = {int((i + 0.5) * 10 / places) for i in range(places)}
    return ["AB"[rank in ranks] for rank in range(10)]


def _last(places: int) -> list[str]:
    """Return the group of each of ten documents, with those of B at the end."""
    return ["A"] * (10 - places) + ["B"] * places
