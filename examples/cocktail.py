"""Do BM25 and a query likelihood model favour text of people or of a language model? Effectiveness
for each, and Relative Δ with an interval, on NQ-UTD (Dai et al. 2024).

``python examples/cocktail.py`` downloads 0.4 MB once, to ``cocktail/nq-utd.zip`` in the folder of
ir_datasets. A copy of the file can be put there instead. Needs no Java: ``pip install
'pt-fairness[demo]'``.
"""

import sys
import tempfile

import numpy as np
import pandas as pd
import pyterrier as pt
from ir_measures import AP, nDCG
from quickstart import PisaIndex, without_native_output

from pt_fairness import OfGroup, analysis, evaluate

COLLECTION = "irds:cocktail/nq-utd/source"
MEASURES = [nDCG @ 1, nDCG @ 3, nDCG @ 5, AP]
#: How often the topics are resampled, and from which seed.
RESAMPLES, SEED = 10_000, 0


def retrieve(collection: pt.datasets.Dataset) -> dict[str, pd.DataFrame]:
    """The rankings of both systems, over the passages of people and of the language model."""
    topics = collection.get_topics()
    with tempfile.TemporaryDirectory() as folder, without_native_output():
        index = PisaIndex(f"{folder}/index", text_field=["text"], threads=1)
        index.index(collection.get_corpus_iter(verbose=False))
        return {"BM25": index.bm25(threads=1)(topics), "QLD": index.qld(threads=1)(topics)}


def intervals(runs: dict[str, pd.DataFrame], qrels: pd.DataFrame) -> pd.DataFrame:
    """The 95 % interval of Relative Δ of each system and measure, by a bootstrap of the topics."""
    pairs = {measure: [OfGroup(measure=measure, group=group) for group in ("human", "llm")]
             for measure in MEASURES}
    _, values = evaluate(runs, qrels, [one for pair in pairs.values() for one in pair],
                         progress=False)
    by_topic = values.pivot(index=["name", "qid"], columns="measure", values="value")
    rows = []
    for name in runs:
        topics = len(by_topic.loc[name])
        drawn = np.random.default_rng(SEED).integers(topics, size=(RESAMPLES, topics))
        for measure, pair in pairs.items():
            human, llm = (by_topic.loc[name, str(one)].to_numpy()[drawn].mean(axis=1)
                          for one in pair)
            low, high = np.percentile(200 * (human - llm) / (human + llm), [2.5, 97.5])
            rows.append((name, str(measure), f"{low:.1f} to {high:.1f}"))
    return pd.DataFrame(rows, columns=["name", "measure", "95 % interval"])


def main() -> pd.DataFrame:
    """Prints the table and returns it."""
    collection = pt.get_dataset(COLLECTION)
    qrels = collection.get_qrels()
    runs = retrieve(collection)
    # As in the paper, a topic without a relevant passage of a group counts as 0.
    means = analysis.group_effectiveness(runs, qrels, MEASURES, topics="all")
    table = means.pivot(index=["name", "measure"], columns="group", values="value").reset_index()
    gaps = analysis.group_gaps(means, first="human", second="llm")[["name", "measure", "delta"]]
    table = gaps.merge(table).merge(intervals(runs, qrels))
    table = table[["name", "measure", "human", "llm", "delta", "95 % interval"]]
    print(table.to_string(index=False, formatters={
        "human": "{:.4f}".format, "llm": "{:.4f}".format, "delta": "{:.1f}".format}))
    print("delta: Relative Δ in percent; below 0, text of the language model is favoured.")
    return table


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        sys.exit(str(error))
