"""Do relevant rankings treat the newswire sources alike? ``python examples/newswire_tau.py QRELS RUN…``

For runs and qrels over TREC disks 4 and 5. Prints Kendall's τ over the systems between nDCG@10 and each fairness measure, as a
paragraph with a table in Markdown.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

import pandas as pd
from comparison import annotated_qrels, experiment, read_runs
from ir_measures import nDCG

from pt_fairness import AWRF, DistFair, analysis, nDD, nDJS, nDKL, nDR, rKL, rND, rRD
from pt_fairness.measures import MEASURES

SOURCE = "trec-newswire"
RELEVANCE = nDCG @ 10
FAIRNESS = [measure(groups=SOURCE) @ 10
            for measure in (rND, rKL, rRD, rKL(protected="all"), nDD, nDR, nDKL, nDJS, DistFair, AWRF)]


def paragraph(qrels: pd.DataFrame, runs: dict[str, pd.DataFrame]) -> str:
    """What is found, in words and numbers."""
    averages, _ = experiment(runs, qrels, [RELEVANCE, *FAIRNESS])
    result = analysis.correlations(averages)
    rows = []
    for measure in FAIRNESS:
        tau, p = (float(table.loc[str(RELEVANCE), str(measure)]) for table in (result.coefficients, result.p_values))
        fair_end = MEASURES[measure.NAME].FAIR_END
        name = str(measure).replace(f"(groups='{SOURCE}')", "").replace(f",groups='{SOURCE}'", "")
        # Agreement: the more relevant system is also the fairer one.
        rows.append((name, f"{fair_end:g}", tau, "*" if p < analysis.ALPHA else "", tau if fair_end else -tau))
    agree = sum(row[-1] > 0 for row in rows)
    significant = sum(row[3] == "*" for row in rows)
    text = [f"Over {len(runs)} systems and {qrels['qid'].nunique()} topics, with the newswire source as group, the systems of "
            f"higher {RELEVANCE} tend to be the fairer ones by {agree} of {len(rows)} measures. Kendall's τ with {RELEVANCE} "
            f"is significant (*, p < .05) for {significant} of them:",
            "", "| measure | fair end | τ |", "| --- | --- | --- |",
            *(f"| {name} | {fair_end} | {tau:.4f}{star} |" for name, fair_end, tau, star, _ in rows)]
    return "\n".join(text)


def main(files: Sequence[str]) -> str:
    text = paragraph(annotated_qrels(files[0], SOURCE), read_runs(files[1:]))
    print(text)
    return text


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1:])
