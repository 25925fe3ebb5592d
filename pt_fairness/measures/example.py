"""The topic of the examples of all measures, as frames with the columns of ir_measures."""

import pandas as pd

qrels = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b", "c", "d"], "relevance": [1, 1, 1, 0],
                      "iteration": ["PRO", "PRO", "CON", "PRO"]})
run = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b", "x", "c", "d"], "score": [5, 4, 3, 2, 1]})
