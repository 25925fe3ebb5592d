"""Das & Lease, "A Conceptual Framework for Evaluating Fairness in Search" (2019): relevance against
distributional fairness, for newswire sources (TREC-8) or opinions (Blogs07): tables 1 (sources) or
2 (opinions) and 3, and figures 1 and 2. The published values stand beside ours only for
as many runs as the paper has, 129 or 104.

``python examples/das2019.py QRELS RUN…`` for runs over TREC disks 4 and 5, whose docnos tell the
source; ``--groups SOURCE`` for groups from elsewhere; ``--opinions`` for the opinion qrels of the
Blog tracks. Without runs, the qrels alone give section 5.1 and figure 1. ``--rprec FILE`` takes the
published R-Precision of the participants (tab-separated, with the columns run and Rprec) and
repeats the column N[R-Prec] of table 1, without qrels or runs.
"""

from __future__ import annotations

from pathlib import Path

import pandas as pd
from ir_measures import Rprec
from shared.comparison import (
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
from shared.inputs import annotated_qrels, file, read_runs, source

from pt_fairness import DistKL, analysis, plots, read_qrels, rename
from pt_fairness.analysis.group_statistics import ALL_TOPICS

#: Tables 1 and 2: the three leading systems under each column, as (system, N[R-Prec], Fair, mean,
#: gmean).
N_RPREC, FAIR, MEAN, GMEAN = COLUMNS = ("N[R-Prec]", "Fair", "mean", "gmean")
LEADERS = {
    "sources": {
        N_RPREC: [("SN1", 1.0000, 0.1158, 0.5579, 0.3403), ("SN2", 0.8800, 0.1578, 0.5189, 0.3727),
                  ("SN3", 0.8552, 0.1638, 0.5095, 0.3743)],
        FAIR: [("SN129", 0.0000, 1.0000, 0.5000, 0.0000), ("SN127", 0.0536, 0.7306, 0.3921, 0.1979),
               ("SN125", 0.0868, 0.6916, 0.3892, 0.2450)],
        MEAN: [("SN1", 1.0000, 0.1158, 0.5579, 0.3403), ("SN2", 0.8800, 0.1578, 0.5189, 0.3727),
               ("SN4", 0.8472, 0.1766, 0.5119, 0.3868)],
        GMEAN: [("SN56", 0.6000, 0.2514, 0.4257, 0.3884), ("SN4", 0.8472, 0.1766, 0.5119, 0.3868),
                ("SN15", 0.6854, 0.2112, 0.4482, 0.3805)],
    },
    "opinions": {
        N_RPREC: [("SB1", 1.0000, 0.0861, 0.5431, 0.2935), ("SB2", 0.9926, 0.2997, 0.6461, 0.5454),
                  ("SB3", 0.9906, 0.3006, 0.6456, 0.5457)],
        FAIR: [("SB104", 0.0000, 1.0000, 0.5000, 0.0000), ("SB103", 0.0035, 0.9560, 0.4797, 0.0579),
               ("SB102", 0.0035, 0.9560, 0.4797, 0.0579)],
        MEAN: [("SB4", 0.9905, 0.3031, 0.6468, 0.5479), ("SB5", 0.9891, 0.3040, 0.6465, 0.5483),
               ("SB2", 0.9926, 0.2997, 0.6461, 0.5454)],
        GMEAN: [("SB5", 0.9891, 0.3039, 0.6465, 0.5483), ("SB4", 0.9905, 0.3031, 0.6468, 0.5479),
                ("SB3", 0.9906, 0.3006, 0.6456, 0.5457)],
    },
}
#: Table 3: τ between R-Prec and fairness to the uniform and to the dataset distribution, mean, and
#: gmean.
FAIR_DATASET = "Fair (dataset)"
TAUS = {"sources": {FAIR: 0.01623, FAIR_DATASET: 0.03997, MEAN: 0.08503, GMEAN: 0.08503},
        "opinions": {FAIR: -0.08028, FAIR_DATASET: -0.05489, MEAN: 0.03958, GMEAN: 0.12957}}
#: Section 5.1: the category that the paper calls scarce in TREC-8, and the one abundant in Blogs07.
SCARCE = {"sources": "FR"}
ABUNDANT = {"opinions": "none"}
OFFICIAL_RUNS = {"sources": (129, "TREC-8 ad hoc"), "opinions": (104, "TREC 2007 Blog")}
TOLERANCE = 0.00005
#: The mean of an exact number and one that is given to four decimals.
MEAN_TOLERANCE = 0.0001


def opinion_qrels(path: str | Path) -> pd.DataFrame:
    """Opinion qrels of the Blog tracks as relevance, and the opinion as group."""
    import ir_datasets  # noqa: F401 - has to be there before the collections that extend it

    from pt_fairness.collections.labelled_judgments import OPINIONS
    qrels = read_qrels(path)
    return qrels.assign(
        iteration=qrels["label"].map(OPINIONS).fillna("-"), label=(qrels["label"] > 0).astype(int)
    )


def systems(
    qrels: pd.DataFrame, runs: dict[str, pd.DataFrame], groups: str | None, cutoff: int | None
) -> pd.DataFrame:
    """The columns of tables 1 to 3 for every run, and R-Prec itself.

    A topic for which a run returned nothing has the smoothed shares of no documents, as in section
    4 of the paper.

    Fair is 1 − N[KL], N[·] over the systems, of the mean divergence from the uniform distribution;
    Fair (dataset) that from the distribution of all relevant documents.
    """
    kl = DistKL(
        empty="smooth",
        **({} if groups is None else {"groups": groups}),
        **({} if cutoff is None else {"cutoff": cutoff}),
    )
    uniform, dataset = kl, kl(target="collection")
    averages, _ = experiment(runs, qrels, [Rprec, uniform, dataset])
    normal = analysis.minmax(averages)
    table = analysis.combine(normal, [f"1-{uniform}"])
    table = analysis.combine(table, [f"1-{dataset}"])
    table = analysis.combine(table, ["Rprec", f"1-{uniform}"], "mean")
    table = analysis.combine(table, ["Rprec", f"1-{uniform}"], "gmean")
    names = dict(zip(table.columns[-4:], (FAIR, FAIR_DATASET, MEAN, GMEAN), strict=True))
    table = rename(table, {"Rprec": N_RPREC, **names}).assign(**{"R-Prec": averages["Rprec"]})
    return table[["name", "R-Prec", N_RPREC, FAIR, FAIR_DATASET, MEAN, GMEAN]]


def tables(table: pd.DataFrame, kind: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Table 1 or 2, and table 3, beside the published ones if there are as many runs."""
    number, track = OFFICIAL_RUNS[kind]
    reason = ("if the runs are the official ones: the paper does not say how deep it looks; "
              "--cutoff sets it")
    same_data = len(table) == number
    heading(f"Table {1 if kind == 'sources' else 2}: the three leading systems under each column")
    leaders = analysis.top(table[["name", *COLUMNS]], list(COLUMNS), 3)
    show(leaders)
    print()
    if not same_data:
        paragraph(f"These are {len(table)} runs, not the {number} of {track}, so the published "
                  "values are not printed.")
    rows: list[Row] = []
    for by, published in LEADERS[kind].items():
        ours = leaders[leaders["by"] == by]
        for place, (system, *values) in enumerate(published[:len(ours)]):
            rows.append((f"{by}, place {place + 1} ({system}; ours: {ours['name'].iloc[place]})",
                         values[COLUMNS.index(by)], float(ours[by].iloc[place]), reason))
    one = beside(rows, TOLERANCE, normalised=True) if same_data else leaders

    heading("Table 3: τ with R-Prec over the systems")
    result = analysis.correlations(table)
    pairs = [("R-Prec", name, value, reason) for name, value in TAUS[kind].items()]
    taus = correlation_rows(result, pairs)
    if same_data:
        return one, beside(taus, TOLERANCE, 5)
    table_3 = ours_alone(taus, 5)
    show(table_3)
    return one, table_3


def collection(qrels: pd.DataFrame, kind: str, folder: Path) -> pd.DataFrame:
    """Section 5.1 and figure 1: relevant documents by group; returns those of all topics."""
    heading("Section 5.1: relevant documents of the collection by group")
    distribution = analysis.group_distribution(qrels)
    every = distribution[distribution["qid"] == ALL_TOPICS].drop(columns="qid")
    # A document of several groups counts in parts; otherwise these are whole numbers.
    if (every["relevant"] % 1 == 0).all():
        every = every.astype({"relevant": int})
    show(every)
    counts = every.set_index("group")["relevant"]
    for named, word, found in ((SCARCE, "scarce", counts.idxmin()),
                               (ABUNDANT, "abundant", counts.idxmax())):
        if named.get(kind) in counts.index:
            holds = "holds" if found == named[kind] else f"does not hold: {found} is more so"
            print(f"The paper calls {named[kind]} {word}: {holds}.")
    save(plots.groups_per_topic(distribution), folder, f"das2019-figure1-{kind}")
    return every.reset_index(drop=True)


def published_rprec(path: Path) -> pd.DataFrame:
    """Column N[R-Prec] of table 1 from published R-Precision; and the means recomputed from it and
    the paper's own Fair.
    """
    scores = (
        pd.read_csv(path, sep="\t")
        .rename(columns={"run": "name"})
        .sort_values("Rprec", ascending=False, kind="stable")
    )
    normal = analysis.minmax(scores)["Rprec"].tolist()
    known = {
        system: values for leaders in LEADERS["sources"].values() for system, *values in leaders
    }
    names = sorted(known, key=lambda system: int(system[2:]))
    ours = pd.DataFrame(
        {
            "name": names,
            N_RPREC: [
                normal[int(name[2:]) - 1] if int(name[2:]) <= len(normal) else float("nan")
                for name in names
            ],
            "Fair (published)": [known[name][1] for name in names],
        }
    )
    for how in ("mean", "gmean"):
        ours = analysis.combine(ours, [N_RPREC, "Fair (published)"], how)  # type: ignore[arg-type]
    heading(
        f"Table 1 from the published R-Precision of {len(scores)} runs: SN1 is the run of the "
        f"highest, and so on"
    )
    reason = f"{path} holds other runs or values than the paper's 129"
    rows: list[Row] = [(f"{name}: {N_RPREC}", known[name][0], value, reason)
                       for name, value in zip(names, ours[N_RPREC], strict=True)]
    one = beside(rows, TOLERANCE, normalised=True)
    heading(
        "mean and gmean, recomputed from this N[R-Prec] and from Fair as the paper prints it (not "
        "measured)"
    )
    rows = [(f"{name}: {how} (recomputed)", known[name][COLUMNS.index(how)], value, reason)
            for how, column in ((MEAN, ours.columns[-2]), (GMEAN, ours.columns[-1]))
            for name, value in zip(names, ours[column], strict=True)]
    return pd.concat([one, beside(rows, MEAN_TOLERANCE, normalised=True)], ignore_index=True)


def main(arguments_: list[str] | None = None) -> dict[str, pd.DataFrame]:
    """Prints it all; returns the tables by name."""
    parser = arguments(__doc__)
    parser.add_argument("qrels", nargs="?", type=file)
    parser.add_argument("runs", nargs="*", type=file)
    parser.add_argument("--groups", type=source, default="trec-newswire",
                        help="where the groups come from (default: trec-newswire)")
    parser.add_argument(
        "--opinions", action="store_true", help="the qrels are opinion qrels of the Blog tracks"
    )
    parser.add_argument(
        "--cutoff",
        type=int,
        help="how deep to look (default: the whole list; the paper does not say)",
    )
    parser.add_argument(
        "--rprec", type=file, help="published R-Precision, tab-separated: run, Rprec"
    )
    given = parser.parse_args(arguments_)
    if not given.rprec and not given.qrels:
        parser.error("give qrels, qrels and runs, or --rprec")
    found: dict[str, pd.DataFrame] = {}
    folder: Path = given.figures
    if given.qrels:
        kind = "opinions" if given.opinions else "sources"
        qrels = (
            opinion_qrels(given.qrels)
            if given.opinions
            else annotated_qrels(given.qrels, given.groups)
        )
        found["figure 1"] = collection(qrels, kind, folder)
    if given.runs:
        table = systems(
            qrels, read_runs(given.runs), None if given.opinions else given.groups, given.cutoff
        )
        found["table 2" if given.opinions else "table 1"], found["table 3"] = tables(table, kind)
        found["systems"] = table
        print()
        save(
            plots.relevance_and_fairness(table, "R-Prec", [FAIR, FAIR_DATASET]),
            folder,
            f"das2019-figure2-{kind}",
        )
    elif given.qrels:
        print("\nNo runs were given: tables 1 to 3 and figure 2 are left out.")
    if given.rprec:
        found["published R-Precision"] = published_rprec(given.rprec)
    return found


if __name__ == "__main__":
    main()
