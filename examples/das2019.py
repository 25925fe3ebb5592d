"""Das & Lease, "A Conceptual Framework for Evaluating Fairness in Search" (2019): relevance against
distributional fairness, for newswire sources (TREC-8) or opinions (Blogs07): tables 1 (sources) or
2 (opinions) and 3, figures 1 and 2, and the findings of sections 5.2 and 5.3. The published values
stand beside ours only for as many runs as the paper has, 129 or 104: its system SNn or SBn is the
n-th run by R-Precision.

``python examples/das2019.py QRELS RUN…`` for runs over TREC disks 4 and 5, whose docnos tell the
source; ``--groups SOURCE`` for groups from elsewhere; ``--opinions`` for the opinion qrels of the
Blog tracks. Without runs, the qrels alone give section 5.1 and figure 1. ``--rprec FILE`` takes the
published R-Precision of the participants (tab-separated, with the columns run and Rprec) and
repeats the column N[R-Prec] of table 1, without qrels or runs. The checks of the printed tables
against each other come first and need no file.

The paper does not say which documents it counts (``--count``), to which depth (``--cutoff``), by
topic or over all topics (``--pool``), nor what the distribution of the dataset is (``--dataset``).
``--search`` tries all readings on the runs and prints which is nearest to the Fair of table 1.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import Rprec
from scipy import stats
from shared.comparison import (
    Axes,
    Row,
    arguments,
    beside,
    correlation_rows,
    experiment,
    heading,
    ours_alone,
    paragraph,
    plt,
    save,
    show,
)
from shared.inputs import annotated_qrels, file, read_runs, source

from pt_fairness import DistKL, analysis, groups, plots, read_qrels
from pt_fairness.analysis.group_statistics import ALL_TOPICS
from pt_fairness.analysis.inputs import direction
from pt_fairness.measures.descriptions import SMALLER

N_RPREC, FAIR, MEAN, GMEAN = COLUMNS = ("N[R-Prec]", "Fair", "mean", "gmean")
#: Tables 1 and 2: the columns of each system. Table 2 prints the Fair of SB5 twice, as 0.3040
#: and as 0.3039.
PUBLISHED = {
    "sources": {
        "SN1": (1.0000, 0.1158, 0.5579, 0.3403), "SN2": (0.8800, 0.1578, 0.5189, 0.3727),
        "SN3": (0.8552, 0.1638, 0.5095, 0.3743), "SN4": (0.8472, 0.1766, 0.5119, 0.3868),
        "SN15": (0.6854, 0.2112, 0.4482, 0.3805), "SN56": (0.6000, 0.2514, 0.4257, 0.3884),
        "SN125": (0.0868, 0.6916, 0.3892, 0.2450), "SN127": (0.0536, 0.7306, 0.3921, 0.1979),
        "SN129": (0.0000, 1.0000, 0.5000, 0.0000),
    },
    "opinions": {
        "SB1": (1.0000, 0.0861, 0.5431, 0.2935), "SB2": (0.9926, 0.2997, 0.6461, 0.5454),
        "SB3": (0.9906, 0.3006, 0.6456, 0.5457), "SB4": (0.9905, 0.3031, 0.6468, 0.5479),
        "SB5": (0.9891, 0.3040, 0.6465, 0.5483), "SB102": (0.0035, 0.9560, 0.4797, 0.0579),
        "SB103": (0.0035, 0.9560, 0.4797, 0.0579), "SB104": (0.0000, 1.0000, 0.5000, 0.0000),
    },
}
SB5_AGAIN = 0.3039
#: The three leading systems under each column.
LEADERS = {
    "sources": {N_RPREC: ("SN1", "SN2", "SN3"), FAIR: ("SN129", "SN127", "SN125"),
                MEAN: ("SN1", "SN2", "SN4"), GMEAN: ("SN56", "SN4", "SN15")},
    "opinions": {N_RPREC: ("SB1", "SB2", "SB3"), FAIR: ("SB104", "SB103", "SB102"),
                 MEAN: ("SB4", "SB5", "SB2"), GMEAN: ("SB5", "SB4", "SB3")},
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
TABLE = {"sources": 1, "opinions": 2}
TOLERANCE = 0.00005
#: The mean of an exact number and one that is given to four decimals.
MEAN_TOLERANCE = 0.0001
#: Bounds of ours for words of section 5.3: a "very low" value, and "largely" of three systems.
VERY_LOW = 1 / 3
LARGELY = 2
#: What ``--search`` tries.
COUNTS = ("retrieved", "relevant")
POOLS = ("mean", "all")
CUTOFFS = (None, 10, 100)


@dataclass(frozen=True)
class Reading:
    """What the paper leaves open about the distribution of the results and of the dataset."""

    count: str = "relevant"
    pool: str = "mean"
    cutoff: int | None = None
    #: ``relevant``, ``judged``, or the shares of the groups.
    dataset: str | dict[str, float] = "relevant"

    def __str__(self) -> str:
        depth = "whole lists" if self.cutoff is None else f"the first {self.cutoff}"
        counted = "relevant retrieved" if self.count == "relevant" else "retrieved"
        pooled = "the mean over topics" if self.pool == "mean" else "all topics as one"
        dataset = self.dataset if isinstance(self.dataset, str) else "those of the file"
        return f"{counted} documents of {depth}, {pooled}; documents of the dataset: {dataset}"


def dataset(name: str) -> str | dict[str, float]:
    """Parse ``--dataset``: relevant, judged, or a file of counts, whose shares are smoothed."""
    if name in ("relevant", "judged"):
        return name
    frame = pd.read_csv(file(name), sep=None, engine="python")
    if not {"group", "documents"} <= {*frame}:
        raise argparse.ArgumentTypeError(f"{name} needs the columns group and documents")
    counts = frame.set_index("group")["documents"] + 1
    return {str(group): float(share) for group, share in (counts / counts.sum()).items()}


def opinion_qrels(path: str | Path) -> pd.DataFrame:
    """Opinion qrels of the Blog tracks as relevance, and the opinion as group."""
    import ir_datasets  # noqa: F401 - has to be there before the collections that extend it

    from pt_fairness.collections.arguments import OPINIONS
    qrels = read_qrels(path)
    return qrels.assign(
        iteration=qrels["label"].map(OPINIONS).fillna("-"), label=(qrels["label"] > 0).astype(int)
    )


def counted(run: pd.DataFrame, qrels: pd.DataFrame, reading: Reading) -> pd.DataFrame:
    """The documents of a run that its distribution counts, in the order of trec_eval."""
    run = run[run["qid"].isin(qrels["qid"])]
    run = run.sort_values(["qid", "score", "docno"], ascending=[True, False, False])
    if reading.cutoff is not None:
        run = run.groupby("qid").head(reading.cutoff)
    if reading.count == "relevant":
        run = run.merge(qrels.loc[qrels["label"] > 0, ["qid", "docno"]])
    return run


def one_topic(frame: pd.DataFrame) -> pd.DataFrame:
    """Qrels or a run with all topics as one."""
    return frame.assign(docno=frame["qid"] + "/" + frame["docno"], qid=ALL_TOPICS)


def divergences(qrels: pd.DataFrame, runs: dict[str, pd.DataFrame], name: str | None,
                reading: Reading, datasets: Sequence[Any] = ()) -> pd.DataFrame:
    """The mean divergence of every run from the uniform and from the dataset distributions.

    A topic without counted documents has the smoothed shares of no documents (section 4).

    :param name: the source of the groups; by default the qrels
    :param datasets: further dataset distributions, for the columns after that of the reading
    """
    runs = {system: counted(run, qrels, reading) for system, run in runs.items()}
    labels = name
    if reading.pool == "all":
        if name is not None:
            ids = pd.concat([run[["qid", "docno"]] for run in [qrels, *runs.values()]])
            ids = ids.drop_duplicates()
            labels = groups.get(name).lookup(ids["qid"], ids["docno"])
        labels = None if labels is None else groups.from_frame(one_topic(labels))
        qrels = one_topic(qrels)
        runs = {system: one_topic(run) for system, run in runs.items()}
    kl = DistKL(empty="smooth", **({} if labels is None else {"groups": labels}))
    measures = [kl]
    for each in (reading.dataset, *datasets):
        if isinstance(each, dict):
            measures.append(kl(target=each))
        else:
            measures.append(kl(target="collection", rel=0 if each == "judged" else 1))
    # A run may have no counted document at all, which pt.Experiment refuses.
    names = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
    evaluator = ir_measures.evaluator(measures, qrels.rename(columns=names))
    rows = []
    for system, run in runs.items():
        values = evaluator.calc_aggregate(run.rename(columns=names))
        rows.append((system, *(values[measure] for measure in measures)))
    columns = ["name", FAIR, FAIR_DATASET, *(str(place) for place in range(len(datasets)))]
    return pd.DataFrame(rows, columns=columns)


def systems(qrels: pd.DataFrame, runs: dict[str, pd.DataFrame], name: str | None,
            reading: Reading) -> pd.DataFrame:
    """The columns of tables 1 to 3 for every run, and R-Prec itself, by decreasing R-Prec.

    Fair is 1 − N[KL], N[·] over the systems, of the divergence from the uniform distribution; Fair
    (dataset) that from the dataset distribution.
    """
    relevance, _ = experiment(runs, qrels, [Rprec])
    relevance = relevance.rename(columns={"Rprec": "R-Prec"})
    return with_fairness(relevance, divergences(qrels, runs, name, reading))


def with_fairness(relevance: pd.DataFrame, unfairness: pd.DataFrame) -> pd.DataFrame:
    """The columns of tables 1 to 3, from R-Precision and divergences."""
    table = relevance.merge(unfairness, on="name")
    normal = analysis.minmax(table)
    table[N_RPREC] = normal["R-Prec"]
    table[[FAIR, FAIR_DATASET]] = 1 - normal[[FAIR, FAIR_DATASET]]
    table[MEAN] = table[[N_RPREC, FAIR]].mean(axis=1)
    table[GMEAN] = np.sqrt(table[N_RPREC] * table[FAIR])
    table = table.sort_values("R-Prec", ascending=False, kind="stable", ignore_index=True)
    return table[["name", "R-Prec", N_RPREC, FAIR, FAIR_DATASET, MEAN, GMEAN]]


def published_table(kind: str) -> pd.DataFrame:
    """Table 1 or 2: a row for each system."""
    table = pd.DataFrame.from_dict(PUBLISHED[kind], orient="index", columns=list(COLUMNS))
    return table.rename_axis("name").reset_index()


def number_of(system: str) -> int:
    """The place of a system of the paper by R-Precision."""
    return int(system[2:])


def tables(table: pd.DataFrame, kind: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Table 1 or 2, and table 3, beside the published ones if there are as many runs."""
    number, track = OFFICIAL_RUNS[kind]
    reason = ("if the runs are the official ones: the paper counts other documents; --search tries "
              "all readings")
    same_data = len(table) == number
    heading(f"Table {TABLE[kind]}: the three leading systems under each column")
    first = {column: table.nlargest(3, column) for column in COLUMNS}
    leaders = pd.concat(first, names=["by"]).reset_index("by")[["by", "name", *COLUMNS]]
    show(leaders)
    print()
    if not same_data:
        paragraph(f"These are {len(table)} runs, not the {number} of {track}, so the published "
                  "values are not printed.")
    rows: list[Row] = []
    for system, values in PUBLISHED[kind].items():
        place = number_of(system) - 1
        if same_data:
            ours = table.iloc[place]
            rows += [(f"{system} ({ours['name']}): {column}", value, float(ours[column]), reason)
                     for column, value in zip(COLUMNS, values, strict=True)]
            if system == "SB5":
                rows.append((f"SB5 ({ours['name']}): Fair, as printed again", SB5_AGAIN,
                             float(ours[FAIR]), reason))
    values = beside(rows, TOLERANCE, normalised=True) if same_data else leaders

    heading("Table 3: τ with R-Prec over the systems")
    result = analysis.correlations(table)
    pairs = [("R-Prec", name, value, reason) for name, value in TAUS[kind].items()]
    taus = correlation_rows(result, pairs)
    if same_data:
        return values, beside(taus, TOLERANCE, 5)
    table_3 = ours_alone(taus, 5)
    show(table_3)
    return values, table_3


def findings(leaders: dict[str, pd.DataFrame], taus: dict[str, float]) -> dict[str, bool]:
    """Whether each finding of sections 5.2 and 5.3 holds.

    :param leaders: the columns of the three leading systems under each column
    :param taus: τ with R-Prec of Fair and Fair (dataset) over all systems
    """
    def gap(column: str) -> float:
        part = leaders[column]
        return float((part[N_RPREC] - part[FAIR]).abs().mean())

    shared = len({*leaders[N_RPREC]["name"]} & {*leaders[MEAN]["name"]})
    return {
        "5.2: R-Prec and Fair are inversely correlated (τ < 0)": taus[FAIR] < 0,
        "5.2: R-Prec is more correlated with Fair (dataset) (larger τ)":
            taus[FAIR_DATASET] > taus[FAIR],
        "5.3: the three best by R-Prec have very low Fair (< 1/3)":
            bool((leaders[N_RPREC][FAIR] < VERY_LOW).all()),
        "5.3: the three best by Fair have very low N[R-Prec] (< 1/3)":
            bool((leaders[FAIR][N_RPREC] < VERY_LOW).all()),
        "5.3: the best by R-Prec are largely those by mean (2 of 3)": shared >= LARGELY,
        "5.3: the best by gmean are more balanced (smaller |N − Fair|)":
            gap(GMEAN) < gap(MEAN),
    }


def findings_of_paper(kind: str) -> dict[str, bool]:
    """The findings, in the numbers that the paper prints."""
    table = published_table(kind).set_index("name", drop=False)
    leaders = {column: table.loc[list(names)] for column, names in LEADERS[kind].items()}
    return findings(leaders, TAUS[kind])


def findings_of_runs(table: pd.DataFrame) -> dict[str, bool]:
    """The findings, in runs."""
    leaders = {column: table.nlargest(3, column) for column in COLUMNS}
    taus = {column: stats.kendalltau(table["R-Prec"], table[column])[0]
            for column in (FAIR, FAIR_DATASET)}
    return findings(leaders, taus)


def show_findings(columns: dict[str, dict[str, bool]]) -> pd.DataFrame:
    """Prints and returns whether the findings hold, in each of several tables."""
    heading("Findings of sections 5.2 and 5.3 (the bounds in brackets are ours)")
    frame = pd.DataFrame(columns)
    frame = frame.replace({True: "holds", False: "does not hold"})
    frame = frame.rename_axis("what").reset_index()
    show(frame)
    return frame


def printed_tables() -> pd.DataFrame:
    """The means of tables 1 and 2, recomputed from the printed N[R-Prec] and Fair, and τ of their
    rows.
    """
    heading("Tables 1 and 2: mean and gmean, recomputed from the N[R-Prec] and Fair in them")
    rows: list[Row] = []
    largest = []
    for kind in PUBLISHED:
        table = published_table(kind)
        means = {MEAN: table[[N_RPREC, FAIR]].mean(axis=1),
                 GMEAN: np.sqrt(table[N_RPREC] * table[FAIR])}
        for column, values in means.items():
            rows += [(f"{name}: {column} (recomputed)", published, value, "")
                     for name, published, value in zip(table["name"], table[column], values,
                                                       strict=True)]
        apart = (pd.DataFrame(means) - table[[MEAN, GMEAN]]).abs()
        largest.append(f"{apart.to_numpy().max():.5f} in table {TABLE[kind]}")
    frame = beside(rows, MEAN_TOLERANCE, normalised=True)
    print(f"largest difference: {', '.join(largest)}")
    print(f"Table 2 prints the Fair of SB5 as {PUBLISHED['opinions']['SB5'][1]:.4f} and as "
          f"{SB5_AGAIN:.4f}.")
    for kind in PUBLISHED:
        table = published_table(kind)
        tau = stats.kendalltau(table[N_RPREC], table[FAIR])[0]
        print(f"Table {TABLE[kind]}: τ(N[R-Prec], Fair) of its {len(table)} systems is {tau:.5f}; "
              f"table 3 has {TAUS[kind][FAIR]:.5f} over all {OFFICIAL_RUNS[kind][0]}.")
    return frame


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


def distance(table: pd.DataFrame, kind: str) -> float:
    """The mean difference of Fair from that of table 1 or 2.

    With as many runs as the paper has, the n-th run is SNn or SBn. Other runs are compared with the
    line through the systems of the table at their own N[R-Prec].
    """
    published = published_table(kind)
    if len(table) == OFFICIAL_RUNS[kind][0]:
        places = published["name"].map(number_of) - 1
        return float((table[FAIR].iloc[places].to_numpy() - published[FAIR]).abs().mean())
    line = published.sort_values(N_RPREC)
    expected = np.interp(table[N_RPREC], line[N_RPREC], line[FAIR])
    return float((table[FAIR] - expected).abs().mean())


def search(qrels: pd.DataFrame, runs: dict[str, pd.DataFrame], name: str | None, kind: str,
           reading: Reading) -> pd.DataFrame:
    """Print and return a row for each reading, the nearest to the published Fair first."""
    heading(f"All readings of Fair, the nearest to table {TABLE[kind]} first")
    relevance, _ = experiment(runs, qrels, [Rprec])
    relevance = relevance.rename(columns={"Rprec": "R-Prec"})
    datasets = {"relevant": "relevant", "judged": "judged", "file": reading.dataset}
    if isinstance(reading.dataset, str):
        del datasets["file"]
    rows = []
    for count, pool, cutoff in product(COUNTS if name else COUNTS[1:], POOLS, CUTOFFS):
        row = {"count": count, "pool": pool, "cutoff": cutoff or "–"}
        tried = Reading(count, pool, cutoff)
        unfairness = divergences(qrels, runs, name, tried, list(datasets.values()))
        table = with_fairness(relevance, unfairness)
        systems_ = relevance.merge(unfairness, on="name")
        for word, column in (("uniform", FAIR), *zip(datasets, "012", strict=False)):
            row[f"τ({word})"] = -float(stats.kendalltau(systems_["R-Prec"], systems_[column])[0])
        row["largest gmean"] = float(table[GMEAN].max())
        row["difference of Fair"] = distance(table, kind)
        rows.append(row)
    frame = pd.DataFrame(rows).sort_values("difference of Fair", ignore_index=True)
    show(frame)
    gmeans = published_table(kind)[GMEAN]
    print(f"the paper: τ(uniform) {TAUS[kind][FAIR]:.4f}, τ(dataset) "
          f"{TAUS[kind][FAIR_DATASET]:.4f}, largest gmean {gmeans.max():.4f}")
    nearest = frame.iloc[0]
    depth = None if nearest["cutoff"] == "–" else nearest["cutoff"]
    best = replace(reading, count=nearest["count"], pool=nearest["pool"], cutoff=depth)
    paragraph(f"The nearest on these {len(relevance)} runs: {best}.")
    return frame


def published_rprec(path: Path) -> pd.DataFrame:
    """Column N[R-Prec] of table 1 from published R-Precision; and the means recomputed from it and
    the paper's own Fair.
    """
    scores = (
        pd.read_csv(path, sep="\t")
        .rename(columns={"run": "name"})
        .sort_values("Rprec", ascending=False, kind="stable", ignore_index=True)
    )
    normal = analysis.minmax(scores)["Rprec"]
    table = published_table("sources")
    table["ours"] = normal.reindex(table["name"].map(number_of) - 1).to_numpy()
    heading(
        f"Table 1 from the published R-Precision of {len(scores)} runs: SN1 is the run of the "
        f"highest, and so on"
    )
    reason = f"{path} holds other runs or values than the paper's 129"
    rows: list[Row] = [(f"{name}: {N_RPREC}", value, ours, reason) for name, value, ours in
                       zip(table["name"], table[N_RPREC], table["ours"], strict=True)]
    values = beside(rows, TOLERANCE, normalised=True)
    heading(
        "mean and gmean, recomputed from this N[R-Prec] and from Fair as the paper prints it (not "
        "measured)"
    )
    means = {MEAN: table[["ours", FAIR]].mean(axis=1, skipna=False),
             GMEAN: np.sqrt(table["ours"] * table[FAIR])}
    rows = [(f"{name}: {column} (recomputed)", published, value, reason)
            for column, ours in means.items()
            for name, published, value in zip(table["name"], table[column], ours, strict=True)]
    return pd.concat([values, beside(rows, MEAN_TOLERANCE, normalised=True)], ignore_index=True)


def relevance_and_fairness(averages: pd.DataFrame, relevance: str, fairness: Sequence[str]) -> Axes:
    """Relevance as bars on the left axis, and fairness as points on the right one, by decreasing
    relevance, as section 5.2 describes figure 2. The better end of fairness is at the top.
    """
    table = averages.sort_values(relevance, ascending=False, kind="stable")
    width = max(6.4, 0.2 * len(table))
    figure, ax = plt.subplots(figsize=(width, 4.8), layout="constrained")
    ax.bar(table["name"], table[relevance], color=plots.PALETTE[2], alpha=0.4, label=relevance)
    right = ax.twinx()
    for column, colour, marker in zip(fairness, (plots.PALETTE[0], plots.PALETTE[4]), "os",
                                      strict=False):
        right.plot(table["name"], table[column], marker, color=colour, clip_on=False,
                   label=f"{column}, right axis")
    right.set_ylim(bottom=min(0.0, table[[*fairness]].min(axis=None)))
    if direction(fairness[0]) == SMALLER:
        right.invert_yaxis()
    ax.tick_params(axis="x", rotation=90)
    ax.set(xlabel=f"system, by decreasing {relevance}", ylabel=relevance)
    ax.set_xlim(-0.6, len(table) - 0.4)
    right.set_ylabel(", ".join(fairness))
    figure.legend(loc="outside lower center", ncols=3, frameon=False)
    return ax


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
    parser.add_argument("--count", choices=COUNTS, default="relevant",
                        help="the retrieved documents, or the relevant ones of them (default)")
    parser.add_argument("--pool", choices=POOLS, default="mean",
                        help="the mean over the topics (default), or all topics as one")
    parser.add_argument("--dataset", type=dataset, default="relevant",
                        help="the documents of the dataset distribution: relevant (default), "
                        "judged, or a file of numbers with the columns group and documents")
    parser.add_argument("--search", action="store_true",
                        help="try all readings on the runs, and tell the nearest to the paper")
    parser.add_argument(
        "--rprec", type=file, help="published R-Precision, tab-separated: run, Rprec"
    )
    given = parser.parse_args(arguments_)
    if given.opinions and given.count == "retrieved":
        parser.error("--count retrieved is not possible with --opinions: only relevant posts have "
                     "an opinion")
    if given.search and not given.runs:
        parser.error("--search needs qrels and runs")
    kind = "opinions" if given.opinions else "sources"
    folder: Path = given.figures
    columns = {"paper: TREC-8": findings_of_paper("sources"),
               "paper: Blogs07": findings_of_paper("opinions")}
    found = {"printed tables": printed_tables()}
    if given.qrels:
        qrels = (
            opinion_qrels(given.qrels)
            if given.opinions
            else annotated_qrels(given.qrels, given.groups)
        )
        found["figure 1"] = collection(qrels, kind, folder)
    if given.runs:
        reading = Reading(given.count, given.pool, given.cutoff, given.dataset)
        print()
        paragraph(f"Counted: {reading}.")
        runs = read_runs(given.runs)
        name = None if given.opinions else given.groups
        table = systems(qrels, runs, name, reading)
        found["systems"] = table
        found[f"table {TABLE[kind]}"], found["table 3"] = tables(table, kind)
        columns[f"these {len(table)} runs"] = findings_of_runs(table)
        print()
        figure = relevance_and_fairness(table, "R-Prec", [FAIR, FAIR_DATASET])
        save(figure, folder, f"das2019-figure2-{kind}")
        if given.search:
            found["search"] = search(qrels, runs, name, kind, reading)
    elif given.qrels:
        print("\nNo runs were given: tables 1 to 3 and figure 2 are left out.")
    found["findings"] = show_findings(columns)
    if given.rprec:
        found["published R-Precision"] = published_rprec(given.rprec)
    return found


if __name__ == "__main__":
    main()
