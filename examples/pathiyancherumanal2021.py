"""Pathiyan Cherumanal, Spina, Scholer & Croft, "Evaluating Fairness in Argument Retrieval" (CIKM
2021): the controlled scenario (tables 3 and 4), and with qrels and runs also the real one (table 2,
figure 2 and the harmonic mean).

``python examples/pathiyancherumanal2021.py`` for the controlled scenario alone; ``python
examples/pathiyancherumanal2021.py QRELS RUN…`` with the stance (PRO, CON) in the second column of
the qrels, or ``--groups SOURCE`` for groups from elsewhere (``argsme/2020-04-01/stance``,
``trec-newswire``, a file).

The published values stand beside ours where the text determines the data: in the
proportion-agnostic setting, and for the 21 runs of Touché 2020.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from comparison import (
    Row,
    arguments,
    beside,
    correlation_rows,
    experiment,
    heading,
    ours_alone,
    paragraph,
    save,
    show,
)
from inputs import annotated_qrels, file, read_runs, source
from ir_measures import nDCG, parse_measure

from pt_fairness import analysis, plots, rKL, rND, rRD, simulation
from pt_fairness.text import TREC_DEFAULTS, UNANNOTATED

#: Tables 3 and 4: τ between an unfairness measure and α-nDCG@5, by α and setting.
PUBLISHED = {
    0.5: {
        "rND": (-0.4812, -0.1434, 0.0000),
        "rKL": (-0.1747, -0.8378, -0.1747),
        "rRD": (0.1032, -0.6924, -0.2572),
    },
    0.9: {
        "rND": (-0.4554, -0.1520, 0.0000),
        "rKL": (-0.2003, -1.0000, -0.2003),
        "rRD": (0.1032, -0.5799, -0.2572),
    },
}
TABLES = {0.5: "Table 3", 0.9: "Table 4"}
#: Setting and protected stance, in the order of the tables' columns (section 4.2).
SETTINGS = {"minority": "CON", "proportion-agnostic": "PRO", "majority": "PRO"}
DIVERSITY = {0.5: "alpha_nDCG@5", 0.9: "alpha_nDCG(alpha=0.9)@5"}
#: The rankings of section 5.2, with the unprotected and with the protected stance alone.
ONE_SIDED = ["1", "32"]
#: Table 2, of the 21 runs of Touché 2020.
OFFICIAL_RUNS = 21
PUBLISHED_REAL = {
    ("rND@5", "nDCG@5"): -0.0762, ("rND@5", "alpha_nDCG@5"): -0.0667, ("rKL@5", "nDCG@5"): -0.2667,
    ("rKL@5", "alpha_nDCG@5"): -0.3333, ("rKL@5", "rND@5"): 0.3524, ("rRD@5", "nDCG@5"): -0.2571,
    ("rRD@5", "alpha_nDCG@5"): -0.3238, ("rRD@5", "rND@5"): -0.1143, ("rRD@5", "rKL@5"): 0.2857,
}

TOLERANCE = 0.00005
RELEASED = " as released"
#: The setting whose qrels the text determines.
DETERMINED = "proportion-agnostic"
UNDETERMINED = (
    "The text gives the qrels of the other settings as a ratio alone, and the released code holds "
    "neither them nor the correlations. With our qrels:"
)
DIVISOR = ("neither equation 1, which divides by i, nor the released code, which divides by i + 1, "
           "gives it")
OTHER_VALUES = "not explained: the released code does not hold the correlations"


def rnd_as_released(run: pd.DataFrame, qrels: pd.DataFrame, protected: str) -> pd.Series:
    """rND@5 by topic with the divisor of the released code, i + 1."""
    ranked = run.merge(qrels, on=["qid", "docno"]).sort_values(["qid", "rank"])
    ranked = ranked[ranked["rank"] < 5]
    found = (ranked["iteration"] == protected).groupby(ranked["qid"]).cumsum()
    relevant = qrels[qrels["label"] > 0]
    share = (relevant["iteration"] == protected).groupby(relevant["qid"]).mean()
    i = ranked["rank"] + 1
    terms = (found / (i + 1) - ranked["qid"].map(share)).abs() / np.log2(i + 1)
    return terms.groupby(ranked["qid"]).sum()


def controlled(setting: str) -> tuple[analysis.Correlations, pd.DataFrame]:
    """The correlations of a setting, and the per-query values that they are made of."""
    run, qrels = simulation.permutations(("PRO", "CON"), 5, setting)  # type: ignore[arg-type]
    protected = SETTINGS[setting]
    measures = [m(protected=protected) @ 5 for m in (rND, rKL, rRD)] + [
        parse_measure(name) for name in DIVERSITY.values()
    ]
    _, perquery = experiment({"all rankings": run}, qrels, measures)
    perquery["measure"] = perquery["measure"].str.replace(f"(protected='{protected}')", "")
    released = rnd_as_released(run, qrels, protected).rename("value").reset_index()
    perquery = pd.concat(
        [perquery, released.assign(name="all rankings", measure=f"rND@5{RELEASED}")],
        ignore_index=True,
    )
    return analysis.correlations(perquery), perquery


def controlled_tables() -> tuple[dict[float, pd.DataFrame], pd.DataFrame]:
    """Tables 3 and 4, and the extremes of section 5.2."""
    results = {setting: controlled(setting) for setting in SETTINGS}
    tables = {}
    for alpha, published in PUBLISHED.items():
        heading(f"{TABLES[alpha]}: τ with α-nDCG@5, α = {alpha}, over the 32 rankings")
        rows: dict[bool, list[Row]] = {True: [], False: []}
        for place, (setting, (result, _)) in enumerate(results.items()):
            for measure in ("rND@5", f"rND@5{RELEASED}", "rKL@5", "rRD@5"):
                value = published[measure[:3]][place]
                reason = DIVISOR if measure.startswith("rND@5") else OTHER_VALUES
                rows[setting == DETERMINED] += [
                    (f"{setting}: {measure}", *row[1:])
                    for row in correlation_rows(
                        result, [(measure, DIVERSITY[alpha], value, reason)]
                    )
                ]
        known = beside(rows[True], TOLERANCE)
        print()
        paragraph(UNDETERMINED)
        others = ours_alone(rows[False])
        show(others)
        tables[alpha] = pd.concat([known, others], ignore_index=True)

    heading("Section 5.2: rKL@5 of the two one-sided rankings, minority setting")
    perquery = results["minority"][1]
    values = perquery[perquery["measure"] == "rKL@5"].set_index("qid")["value"]
    # minmax works on any table of named rows: here, topics.
    scaled = analysis.minmax(
        pd.DataFrame({"name": values.index, "rKL@5": values.to_numpy()})
    ).set_index("name")["rKL@5"]
    extremes = pd.DataFrame({"min–max normalised over the rankings": ONE_SIDED,
                             "ours": [float(scaled[qid]) for qid in ONE_SIDED]})
    show(extremes)
    return tables, extremes


def real(
    qrels: pd.DataFrame, runs: dict[str, pd.DataFrame], folder: Path
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Table 2, figure 2 and the ranking by the harmonic mean."""
    measures = [nDCG @ 5, parse_measure(DIVERSITY[0.5]), rND @ 5, rKL @ 5, rRD @ 5]
    averages, _ = experiment(runs, qrels, measures)
    heading(f"Averages over {qrels['qid'].nunique()} topics")
    show(averages)

    heading(f"Table 2: τ over {len(runs)} runs")
    result = analysis.correlations(averages)
    print(result.table.to_string())

    def reason(pair: tuple[str, str]) -> str:
        normalised = ("if the runs are the official ones: the paper normalises by min–max, not by "
                      "each topic's exact maximum")
        return normalised + (
            ", and the released code divides by i + 1 in rND" if "rND@5" in pair else ""
        )

    pairs = [(*pair, value, reason(pair)) for pair, value in PUBLISHED_REAL.items()]
    rows = correlation_rows(result, pairs)
    if len(runs) == OFFICIAL_RUNS:
        print()
        table = beside(rows, TOLERANCE)
    else:
        paragraph(f"These are {len(runs)} runs, not the {OFFICIAL_RUNS} of Touché 2020, so the "
                  "published values are not printed.")
        table = ours_alone(rows)

    heading("Section 5.1: systems by nDCG@5, and by the harmonic mean of α-nDCG@5 and 1 − rKL@5")
    combined = analysis.combine(averages, ["alpha_nDCG@5", "1-rKL@5"], "hmean")
    mean = combined.columns[-1]
    ranks = analysis.rank_table(combined[["name", "nDCG@5", mean]], "nDCG@5")
    show(ranks)
    if len(combined) > 3:
        leaders = [analysis.top(combined, by, 3)["name"].tolist() for by in ("nDCG@5", mean)]
        print(f"The three best are {'the same' if leaders[0] == leaders[1] else 'not the same'}.\n")
    save(
        plots.relevance_and_fairness(averages, "nDCG@5", "rKL@5"),
        folder,
        "pathiyancherumanal2021-figure2",
    )
    return table, ranks


def main(
    arguments_: list[str] | None = None,
) -> tuple[dict[float, pd.DataFrame], pd.DataFrame, pd.DataFrame | None]:
    """Prints it all; returns tables 3 and 4, the extremes, and table 2 if there were runs."""
    parser = arguments(__doc__)
    parser.add_argument("qrels", nargs="?", type=file)
    parser.add_argument("runs", nargs="*", type=file)
    parser.add_argument(
        "--groups",
        type=source,
        help="where the stances come from; default: the second column of the qrels",
    )
    given = parser.parse_args(arguments_)
    if given.qrels and not given.runs:
        parser.error("qrels need at least one run")
    qrels = annotated_qrels(given.qrels, given.groups) if given.qrels else None
    if qrels is not None and not set(qrels["iteration"]) - {*UNANNOTATED, *TREC_DEFAULTS}:
        parser.error(f"{given.qrels} holds no stances in its second column; name their source with "
                     "--groups")
    tables, extremes = controlled_tables()
    table2 = None
    if qrels is not None:
        table2, _ = real(qrels, read_runs(given.runs), given.figures)
    else:
        print("\nNo runs were given: table 2 and figure 2 are left out.")
    return tables, extremes, table2


if __name__ == "__main__":
    main()
