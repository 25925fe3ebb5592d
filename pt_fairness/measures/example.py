"""The topic of the examples of all measures, and the rankings that their pages draw."""

from typing import Any

import pandas as pd

qrels = pd.DataFrame({"query_id": "1", "doc_id": list("abcd")})
qrels["relevance"] = [1, 1, 1, 0]
qrels["iteration"] = ["PRO", "PRO", "CON", "PRO"]
run = pd.DataFrame({"query_id": "1", "doc_id": list("abxcd")})
run["score"] = range(5, 0, -1)


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
    judged: list[Any] = []
    returned: list[Any] = []
    for number, ranking in enumerate(rankings):
        topic = str(number)
        docnos = _docnos(ranking)
        returned += [(topic, docno, -rank) for rank, docno in enumerate(docnos)]
        for docno in sorted({*_docnos(relevant), *docnos}):
            group = docno[0]
            judged.append((topic, docno, int(group.isupper()), group.upper()))
    all_judged = pd.DataFrame(judged, columns=qrels.columns)
    all_returned = pd.DataFrame(returned, columns=run.columns)
    metrics = measure.iter_calc(all_judged, all_returned)
    values = {topic: value for topic, _, value in metrics}
    return [values[str(number)] for number in range(len(rankings))]


def _docnos(groups: str) -> list[str]:
    """Return the name of each document: its group, and its number in this group."""
    docnos = []
    for rank, group in enumerate(groups):
        number = groups[:rank].count(group)
        docnos.append(f"{group}{number}")
    return docnos
