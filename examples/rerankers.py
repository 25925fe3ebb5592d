"""What each re-ranker does to one ranking: BM25 on one debate, drawn as strips of stances.

``python examples/rerankers.py`` needs no Java: ``pip install 'pt-fairness[demo,plots]'``.
"""

from __future__ import annotations

import pandas as pd
import pyterrier as pt
from shared.comparison import arguments, save
from tradeoff import DEBATES, bm25

from pt_fairness import analysis, plots, rerank

#: The first ranks that are shown, and filled by the methods.
SHOWN = 15


def orders(results: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """The results in the order of every re-ranker and policy."""
    methods = {"fa_ir": rerank.fa_ir(DEBATES, k=SHOWN)}
    methods["fa_ir, alpha=0.3"] = rerank.fa_ir(DEBATES, k=SHOWN, alpha=0.3)
    for name in ("det_greedy", "det_cons", "det_relaxed", "det_const_sort", "xquad", "pm2"):
        methods[name] = getattr(rerank, name)(DEBATES, k=SHOWN)
    methods["fair_exposure"] = rerank.fair_exposure(DEBATES, k=SHOWN)
    methods["plackett_luce"] = rerank.plackett_luce(k=SHOWN)
    return {"BM25": results, **{name: method(results) for name, method in methods.items()}}


def main(arguments_: list[str] | None = None) -> pd.DataFrame:
    """Prints the stances by rank and draws them; returns the ranked groups."""
    parser = arguments(__doc__)
    parser.add_argument("--topic", default="3", help="a topic of the debates (default: 3)")
    given = parser.parse_args(arguments_)
    results = bm25()
    results = results[results["qid"] == given.topic]
    if results.empty:
        parser.error(f"there is no topic {given.topic}")
    qrels = pt.get_dataset(f"irds:{DEBATES}").get_qrels()
    ranked = analysis.ranked_groups(orders(results), qrels, depth=SHOWN)
    letters = ranked["group"].str[0].fillna("-")
    shown = letters.groupby([ranked["name"], ranked["rank"]], sort=False).agg("".join).unstack()
    print(shown.rename_axis(index=None, columns=None).to_string())
    save(plots.strips(ranked, given.topic), given.figures, "rerank")
    return ranked


if __name__ == "__main__":
    main()
