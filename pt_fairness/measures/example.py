"""The topic of the examples of all measures, and the rankings that their pages draw."""

from typing import Any

import pandas as pd

qrels = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b", "c", "d"], "relevance": [1, 1, 1, 0],
                      "iteration": ["PRO", "PRO", "CON", "PRO"]})
run = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b", "x", "c", "d"], "score": [5, 4, 3, 2, 1]})


def draw(measure: Any, *rankings: str, relevant: str = 25 * "AB") -> None:
    """Print rankings, and the value of a measure for each.

    :param rankings: a letter for each document: its group, in lower case if the document is not
        relevant; ``-`` for a document without a group
    :param relevant: the groups of the relevant documents
    """
    for ranking in rankings:
        docnos = _docnos(ranking)
        judged = sorted({*_docnos(relevant), *docnos})
        labels = [docno[0] for docno in judged]
        topic = pd.DataFrame({"query_id": "1", "doc_id": judged,
                              "relevance": [int(label.isupper()) for label in labels],
                              "iteration": [label.upper() for label in labels]})
        scores = range(len(docnos), 0, -1)
        returned = pd.DataFrame({"query_id": "1", "doc_id": docnos, "score": scores})
        print(f"{ranking}  {measure.calc_aggregate(topic, returned):.2f}")


def _docnos(groups: str) -> list[str]:
    """Return the name of each document: its group, and its number in this group."""
    return [f"{group}{groups[:rank].count(group)}" for rank, group in enumerate(groups)]
