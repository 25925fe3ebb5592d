"""Lipani, Piroi & Yilmaz, "Towards More Accountable Search Engines: Online Evaluation of
Representation Bias" (2021): the bias of every row of tables 2 and 3 from its published ratios, and
tables 1 to 3 and figures 2 and 3 of labelled results.

``python examples/lipani2021.py [RESULTS TARGETS]``; without files, an invented sample of 36
occupations. The published values of table 1 stand beside ours only if the files have the paper's
number of topics: section 3 names two, 454 and 474.

RESULTS is a CSV file with the header ``topic,rank,document,group``: the whole result list of every
topic, the rank from 1, the group of each document. TARGETS is a CSV file with the header
``qid,group,share``: the share of each group for each topic, from elsewhere. The targets R and K of
the paper are the whole result list and these shares.

TARGETS may instead have the header ``qid,group,people``: the number of people. Of several topics
without bias that have the same target, tables 2 and 3 then list the one with the most people, as
the paper does, and not the first. The paper counts people in Wikidata (of 1 December 2019). This
query (https://query.wikidata.org) gives such a file, to be saved as CSV; name the professions, as
the query for all of them takes too long:

    SELECT ?qid ?group (COUNT(DISTINCT ?person) AS ?people) WHERE {
      VALUES ?qid { "archivist"@en "baker"@en }
      VALUES (?gender ?group) { (wd:Q6581072 "female") (wd:Q6581097 "male") }
      ?profession rdfs:label ?qid .
      ?person wdt:P106 ?profession ; wdt:P21 ?gender .
    } GROUP BY ?qid ?group
"""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from shared.comparison import (
    INVENTED,
    Row,
    arguments,
    beside,
    experiment,
    heading,
    paragraph,
    save,
    show,
)
from shared.inputs import file

from pt_fairness import RepBias, analysis, evaluate, plots, targets

DATA = Path(__file__).resolve().parent / "data"
CUTOFF = 10
GROUPS = ("female", "male")
#: Table 1: MB@10, SB@10, MAB@10, min, max by target and group.
STATISTICS = ("MB", "SB", "MAB", "min", "max")
TABLE_1 = {
    ("K", "female"): (-0.042, 0.156, 0.113, -0.5, 0.8),
    ("K", "male"): (0.026, 0.170, 0.121, -0.8, 0.5),
    ("R", "female"): (-0.015, 0.097, 0.062, -0.4, 0.5),
    ("R", "male"): (0.001, 0.113, 0.072, -0.5, 0.4),
}
#: "Only 4 professions are female-dominated" (section 3).
DOMINATED = 4
#: Where the target of RepBias comes from.
EXTERNAL = "lipani2021-targets"
TARGETS = {"K": EXTERNAL, "R": "run"}
#: How many topics tables 2 and 3 list on each side.
LISTED = 11
TOLERANCE = 0.0005
#: The number of the paper's topics, professions: section 3 says "retained 454" and "these 474". Its
#: crawl of Google's carousel is not public.
PAPER_TOPICS = (454, 474)


def repbias(group: str, target: str | dict[str, float]) -> RepBias:
    return RepBias(group=group, target=target) @ CUTOFF


def results(path: Path) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The CSV file as run and qrels, every document judged relevant."""
    frame = pd.read_csv(path, dtype={"topic": str, "document": str, "group": str})
    docno = frame["topic"] + "/" + frame["document"]
    run = pd.DataFrame(
        {"qid": frame["topic"], "docno": docno, "score": -frame["rank"].astype(float)}
    )
    return run, pd.DataFrame(
        {"qid": frame["topic"], "docno": docno, "label": 1, "iteration": frame["group"]}
    )


def representation(run: pd.DataFrame, qrels: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Table 1, and the biases with model and unbiased target ratios of every topic, of K and R.

    :returns: ``name, group, MB, SB, MAB, min, max, n, p`` (of the one-sample t-test), and ``name,
        qid, group, model, target, bias``; ``name`` is the target
    """
    labels = sorted(qrels["iteration"].unique())
    models = {}
    for group in labels:
        # The bias against a share of 0 is the model ratio.
        rest = {label: (label != group) / (len(labels) - 1) for label in labels}
        models[group] = repbias(group, rest)
    pairs = [*itertools.product(TARGETS, labels)]
    measures = [repbias(group, TARGETS[name]) for name, group in pairs]
    _, perquery = evaluate({"results": run}, qrels, [*models.values(), *measures],
                           progress=False)
    values = perquery.pivot(index="qid", columns="measure", values="value")
    values = values.loc[qrels["qid"].unique()]
    biases = {}
    for pair, measure in zip(pairs, measures, strict=True):
        model, bias = values[str(models[pair[1]])], values[str(measure)]
        target = (model - bias).round(12)
        biases[pair] = pd.DataFrame({"model": model, "target": target, "bias": bias})
    frame = pd.concat(biases, names=["name", "group"])
    found = frame["bias"].groupby(["name", "group"], sort=False)
    summary = found.agg(MB="mean", SB="std", MAB=lambda bias: bias.abs().mean(), min="min",
                        max="max", n="count")
    p = analysis.bias_test(perquery, correction=None).set_index("measure")["p"]
    summary["p"] = [p[str(measure)] for measure in measures]
    columns = ["name", "qid", "group", "model", "target", "bias"]
    return summary.reset_index(), frame.reset_index()[columns]


def table_1(summary: pd.DataFrame, frame: pd.DataFrame) -> None:
    """Print table 1, beside the published one if the topics are the paper's, and the number of
    professions with more women.
    """
    heading("Table 1: representation bias at 10")
    show(summary.rename(columns={"name": "target"}))
    of_paper = frame["qid"].nunique() in PAPER_TOPICS
    if of_paper:
        ours = summary.set_index(["name", "group"])
        rows: list[Row] = [
            (f"{name}, {group}: {statistic}", value, float(ours.loc[(name, group), statistic]), "")
            for (name, group), published in TABLE_1.items()
            for statistic, value in zip(STATISTICS, published, strict=True)
        ]
        print()
        beside(rows, TOLERANCE, 3)
    published = f" (published: {DOMINATED})" if of_paper else ""
    female = frame[frame["group"] == "female"]
    for name, part in female.groupby("name"):
        print(f"{name}: {(part['target'] > 0.5).sum()} professions are female-dominated, with a "
              f"target ratio above 0.5{published}.")


def read_targets(path: Path) -> tuple[pd.DataFrame, pd.Series]:
    """The shares of the groups, and the number of people by topic (empty if the file has none)."""
    frame = pd.read_csv(path, dtype={"qid": str, "group": str})
    if "people" not in frame:
        return frame, pd.Series(dtype=float)
    people = frame.groupby("qid")["people"].sum()
    return frame.assign(share=frame["people"] / frame["qid"].map(people)).drop(
        columns="people"), people


def tables_2_and_3(frame: pd.DataFrame, people: pd.Series) -> dict[str, pd.DataFrame]:
    """The topics with the largest bias on each side and, for each target ratio, one without, by
    target.

    :param people: the population of each topic in K, which decides which one is without bias
    """
    found = {}
    for number, name in ((2, "K"), (3, "R")):
        own = frame[(frame["name"] == name) & (frame["group"] == "female")].sort_values(
            "bias", kind="stable"
        )
        unbiased = own[own["bias"] == 0]
        largest_first = np.argsort(
            -people.reindex(unbiased["qid"], fill_value=0).to_numpy(), kind="stable")
        unbiased = unbiased.iloc[largest_first].drop_duplicates("target").sort_values("target")
        parts = {
            "towards males": own[own["bias"] < 0].head(LISTED),
            "unbiased": unbiased.head(LISTED),
            "towards females": own[own["bias"] > 0].iloc[::-1].head(LISTED),
        }
        found[name] = pd.concat([part.assign(column=column) for column, part in parts.items()])
        heading(f"Table {number}: female ratios, target {name}")
        show(found[name][["column", "qid", "model", "target", "bias"]], 1)
    return found


def published_rows() -> pd.DataFrame:
    """The 66 rows of tables 2 and 3 again: ten documents with the published model ratio, measured
    against the target ratio.
    """
    rows = pd.read_csv(DATA / "lipani2021-published.csv")
    topics = [f"{row.target}: {row.profession}, {row.column}" for row in rows.itertuples()]
    women = (rows["model_ratio"] * CUTOFF).round().astype(int)
    rank = np.tile(np.arange(CUTOFF), len(rows))
    qid = np.repeat(topics, CUTOFF)
    docno = [f"{topic}/{place}" for topic, place in zip(qid, rank, strict=True)]
    run = pd.DataFrame({"qid": qid, "docno": docno, "score": -rank.astype(float)})
    qrels = pd.DataFrame({"qid": qid, "docno": docno, "label": 1,
                          "iteration": np.where(rank < np.repeat(women, CUTOFF), *GROUPS)})
    shares = pd.DataFrame(
        {
            "qid": np.repeat(topics, 2),
            "group": GROUPS * len(rows),
            "share": np.column_stack([rows["target_ratio"], 1 - rows["target_ratio"]]).ravel(),
        }
    )
    targets.register("lipani2021-published", shares)
    measure = repbias("female", "lipani2021-published")
    _, perquery = experiment({"published": run}, qrels, [measure])
    ours = perquery.set_index("qid")["value"]
    heading("Tables 2 and 3: the bias of each row from its published ratios")
    return beside(
        [
            (topic, float(bias), float(ours[topic]), "")
            for topic, bias in zip(topics, rows["bias"], strict=True)
        ],
        TOLERANCE,
        1,
    )


def published_findings() -> pd.DataFrame:
    """What section 3 says about tables 1 to 3, by their published values: ``finding, value,
    holds``.
    """
    rows = pd.read_csv(DATA / "lipani2021-published.csv")
    parts = dict(iter(rows.groupby(["target", "column"])))
    parts |= {(name, "all"): part for name, part in rows.groupby("target")}
    found = []
    for name in TARGETS:
        males, unbiased, females = (parts[name, column] for column in (
            "towards males", "unbiased", "towards females"))
        low, high = males["bias"].min(), females["bias"].max()
        found.append((f"{name}: the extremes of table 1 are those of the rows",
                      f"{low:g}, {high:g}", (low, high) == TABLE_1[name, "female"][3:]))
        for column, part, said in (("males", males, 0.5), ("females", females, 0.1)):
            mean = part["target_ratio"].mean()
            found.append((f"{name}: biased towards {column}, target ratio around {said:g}",
                          f"mean {mean:.2f}", abs(mean - said) < 0.1))
        ratios = unbiased["target_ratio"]
        found.append((f"{name}: one unbiased row for every target ratio, 0 to 1",
                      f"{ratios.nunique()} ratios in {len(ratios)} rows", ratios.is_unique))
        ratios = parts[name, "all"]["target_ratio"]
        listed = (ratios > 0.5).sum()
        found.append((f"{name}: only {DOMINATED} professions are female-dominated",
                      f"{listed} rows above 0.5, {(ratios >= 0.8).sum()} from 0.8",
                      listed <= DOMINATED))
        first = {"K": ("announcer", "archivist"), "R": ("librarian", "archivist")}[name]
        largest = males.loc[males["bias"].idxmin(), "profession"], females.loc[
            females["bias"].idxmax(), "profession"]
        found.append((f"{name}: over-represented are {first[0]} (male) and {first[1]} (female)"
                      + (", said of K" if name == "R" else ""),
                      " and ".join(largest), largest == first))
        means = [TABLE_1[name, group][0] for group in GROUPS]
        found.append((f"{name}: a bias is more likely for males", "MB " + ", ".join(
            f"{mean:g}" for mean in means), means[1] > means[0]))
    size = [TABLE_1[name, "female"][2] for name in TARGETS]
    found.append(("the bias is larger against K than against R", f"{size[0]:g}, {size[1]:g}",
                  size[0] > size[1]))
    heading("Section 3: what the paper finds, by its own tables")
    table = pd.DataFrame(found, columns=["finding", "value", "holds"])
    show(table.assign(holds=np.where(table["holds"], "yes", "no")))
    return table


def draw_histogram(ax: Axes, frame: pd.DataFrame) -> None:
    """Figure 2: the number of topics by bias, in steps of one document, a bar for each group."""
    for i, group in enumerate(GROUPS):
        biases = frame.loc[frame["group"] == group, "bias"].dropna()
        # Round first, because of floating-point errors; rint rounds halves to even.
        steps, counts = np.unique(np.rint((biases * CUTOFF).round(6)), return_counts=True)
        ax.bar((steps - 0.2 + 0.4 * i) / CUTOFF, counts, 0.4 / CUTOFF, color=plots.PALETTE[i],
               label=group)
    ax.axvline(0, color="#BBBBBB", zorder=0)
    ax.set(xlabel="bias (0 is fair)", ylabel="topics")


def draw_ratios(ax: Axes, frame: pd.DataFrame) -> None:
    """Figure 3: the share of each group in the ranking against its target share, for each topic.

    The points are moved at random inside the cells; topics in the green cells have no bias.
    """
    edges = np.arange(-0.5, CUTOFF + 1) / CUTOFF
    for edge in edges[:-1]:
        ax.add_patch(Rectangle((edge, edge), 1 / CUTOFF, 1 / CUTOFF, alpha=0.3, linewidth=0,
                               color=plots.PALETTE[2]))
    moves = np.random.default_rng(0).uniform(-0.4, 0.4, (len(frame), 2)) / CUTOFF
    places = frame[["target", "model"]] + moves
    for i, group in enumerate(GROUPS):
        part = places[frame["group"] == group]
        ax.scatter(part["target"], part["model"], s=12, alpha=0.7, linewidths=0,
                   color=plots.PALETTE[i], marker="os"[i], label=group)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_ticks(edges, minor=True)
    ax.grid(which="minor", color="#BBBBBB", linewidth=0.5)
    ax.tick_params(which="minor", length=0)
    limits = edges[0], edges[-1]
    ax.set(xlabel="target ratio", ylabel="model ratio (points are moved within their cells)",
           xlim=limits, ylim=limits, aspect="equal")


def figures(frame: pd.DataFrame, folder: Path) -> None:
    for number, draw in ((2, draw_histogram), (3, draw_ratios)):
        figure, axes = plt.subplots(1, 2, figsize=(12, 5.5), sharex=True, sharey=True,
                                    layout="constrained")
        for ax, (name, part) in zip(axes, frame.groupby("name"), strict=True):
            draw(ax, part)
            ax.set_title(f"target {name}")
        figure.legend(*axes[0].get_legend_handles_labels(), loc="outside lower center", ncols=2,
                      frameon=False)
        save(axes[0], folder, f"lipani2021-figure{number}")


def main(arguments_: list[str] | None = None) -> dict[str, pd.DataFrame]:
    """Prints it all; returns the tables by name."""
    parser = arguments(__doc__)
    parser.add_argument("results", nargs="?", type=file, default=DATA / "lipani2021-results.csv")
    parser.add_argument("targets", nargs="?", type=file, default=DATA / "lipani2021-targets.csv")
    given = parser.parse_args(arguments_)
    published = published_rows()
    published_findings()
    shares, people = read_targets(given.targets)
    targets.register(EXTERNAL, shares)
    summary, frame = representation(*results(given.results))
    topics = frame["qid"].nunique()
    if given.results == parser.get_default("results"):
        heading(INVENTED)
    if topics not in PAPER_TOPICS:
        paragraph(f"These are {topics} topics. The paper's crawl of results for "
                  f"{' or '.join(map(str, PAPER_TOPICS))} professions is not "
                  "public, so the values of its table 1 are not printed.")
    table_1(summary, frame)
    lists = tables_2_and_3(frame, people)
    print()
    figures(frame, given.figures)
    return {
        "published": published,
        "table 1": summary,
        "table 2": lists["K"],
        "table 3": lists["R"],
        "biases": frame,
    }


if __name__ == "__main__":
    main()
