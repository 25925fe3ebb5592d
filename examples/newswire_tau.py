"""Do relevant rankings treat the newswire sources alike? ``python examples/newswire_tau.py QRELS
RUN…``

For runs and qrels over TREC disks 4 and 5. Prints Kendall's τ over the systems between nDCG@10 and
each fairness measure, as a paragraph with a table in Markdown.

All runs are cut to the depth of the shortest one before anything is computed (but not to less than
10 documents): nDD, nDR, nDKL and nDJS compare the first 10 documents with all that a run returns,
so that runs of different length cannot be compared. The other measures look at the first 10
documents alone, and have the same values without the cut.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

import pandas as pd
from ir_measures import nDCG
from shared.comparison import experiment
from shared.inputs import annotated_qrels, file, parser, read_runs

from pt_fairness import AWRF, DistFair, analysis, nDD, nDJS, nDKL, nDR, rKL, rND, rRD
from pt_fairness.measures import MEASURES

SOURCE = "trec-newswire"
CUTOFF = 10
RELEVANCE = nDCG @ CUTOFF
FAIRNESS = [
    measure(groups=SOURCE) @ CUTOFF
    for measure in (rND, rKL, rRD, rKL(protected="all"), nDD, nDR, nDKL, nDJS, DistFair, AWRF)
]


def same_depth(
    runs: dict[str, pd.DataFrame], qrels: pd.DataFrame
) -> tuple[dict[str, pd.DataFrame], int]:
    """The runs, cut to the fewest documents that one of them has for a topic, but not to fewer than
    the cutoff; and that depth.

    The order is that in which the measures see the documents.
    """
    ranked = analysis.ranked_groups(runs, qrels, SOURCE, depth=None)
    depth = max(CUTOFF, int(ranked.groupby(["name", "qid"])["rank"].max().min()))
    cut = ranked[ranked["rank"] <= depth].assign(score=-ranked["rank"].astype(float))
    return {name: cut.loc[cut["name"] == name, ["qid", "docno", "score"]] for name in runs}, depth


def paragraph(qrels: pd.DataFrame, runs: dict[str, pd.DataFrame]) -> str:
    """What is found, in words and numbers."""
    cut, depth = same_depth(runs, qrels)
    averages, _ = experiment(cut, qrels, [RELEVANCE, *FAIRNESS])
    result = analysis.correlations(averages)
    rows = []
    for measure in FAIRNESS:
        tau, p = (
            float(table.loc[str(RELEVANCE), str(measure)])
            for table in (result.coefficients, result.p_values)
        )
        ideal = MEASURES[measure.NAME].IDEAL
        name = str(measure).replace(f"(groups='{SOURCE}')", "").replace(f",groups='{SOURCE}'", "")
        rows.append((name, f"{ideal:g}", tau, "*" if p < analysis.ALPHA else ""))
    significant = sum(row[-1] == "*" for row in rows)
    finding = (
        f"Over {len(runs)} systems and {qrels['qid'].nunique()} topics, with the newswire source "
        f"as group and every run cut to its first {depth} documents (as many as the shortest has), "
        f"Kendall's τ with {RELEVANCE} is significant (*, p < .05, not corrected for {len(rows)} "
        f"tests) for {significant} of {len(rows)} measures. For the others, {len(runs)} systems "
        "say nothing either way:"
    )
    text = [
        *textwrap.wrap(finding, 100),
        "",
        "| measure | ideal value | τ |",
        "| --- | --- | --- |",
        *(f"| {name} | {ideal} | {tau:.4f}{star} |" for name, ideal, tau, star in rows),
    ]
    return "\n".join(text)


def main(arguments: Sequence[str] | None = None) -> str:
    """Prints the paragraph and returns it."""
    options = parser(__doc__)
    options.add_argument("qrels", type=file)
    options.add_argument("runs", type=file, nargs="+")
    given = options.parse_args(arguments)
    text = paragraph(annotated_qrels(given.qrels, SOURCE), read_runs(given.runs))
    print(text)
    return text


if __name__ == "__main__":
    main()
