"""The topic of the examples of all measures, and the rankings that their pages draw."""

from typing import Any

import pandas as pd

qrels = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b", "c", "d"], "relevance": [1, 1, 1, 0],
                      "iteration": ["PRO", "PRO", "CON", "PRO"]})
run = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b", "x", "c", "d"], "score": [5, 4, 3, 2, 1]})


def draw(measure: Any, *rankings: str, relevant: str = 25 * "AB") -> None:
    """Print rankings and the value of each; :func:`ranking_values` has the arguments."""
    values = ranking_values(measure, *rankings, relevant=relevant)
    for ranking, value in zip(rankings, values, strict=True):
        print(f"{ranking}  {value:.2f}")


def ranking_values(measure: Any, *rankings: str, relevant: str = 25 * "AB") -> list[float]:
    """Return the value of each ranking, all for topics with the same relevant documents.

    :param rankings: a letter for each document: its group, in lower case if the document is not
        relevant; ``-`` for a document without a group
    :param relevant: the groups of the relevant documents
    """
    judged: list[tuple[str, str, int, str]] = []
    returned: list[tuple[str, str, int]] = []
    for number, ranking in enumerate(rankings):
        topic, docnos = str(number), _docnos(ranking)
        returned += [(topic, docno, -rank) for rank, docno in enumerate(docnos)]
        judged += [(topic, docno, int(docno[0].isupper()), docno[0].upper())
                   for docno in sorted({*_docnos(relevant), *docnos})]
    frames = [pd.DataFrame(judged, columns=qrels.columns),
              pd.DataFrame(returned, columns=run.columns)]
    found = {metric.query_id: metric.value for metric in measure.iter_calc(*frames)}
    return [found[str(number)] for number in range(len(rankings))]


def _docnos(groups: str) -> list[str]:
    """Return the name of each document: its group, and its number in this group."""
    return [f"{group}{groups[:rank].count(group)}" for rank, group in enumerate(groups)]
