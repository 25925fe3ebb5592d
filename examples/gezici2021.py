"""Gezici, Lipani, Saygin & Yilmaz, "Evaluation metrics for measuring bias in search engine results"
(Information Retrieval Journal 24, 2021): performance, stance bias and ideological bias of two
engines (tables 4 to 6), the t-tests, figures 2 to 6, the agreement of annotators (table 3), the
titles of the topics (table 2), and what the paper's numbers imply.

``python examples/gezici2021.py [RESULTS TOPICS] [--votes VOTES] [--leanings VOTES]``; without
files, an invented sample of 22 topics. The published values stand beside ours only if the files
have the paper's number of topics, 57.

RESULTS is a CSV file with the header ``engine,topic,rank,stance``: for each of two engines the
results of every topic, the rank from 1, the stance ``pro``, ``against``, ``neutral`` or ``not
relevant``. TOPICS is a CSV file with the header ``topic,leaning`` (more columns may follow): which
ideology would answer the topic's question favourably, ``conservative``, ``liberal``, or ``both or
neither``, which leaves the topic out of the ideological bias. A column ``question`` is printed
beside the titles of table 2, where the topics have them as names.

The votes of annotators are CSV files too: ``--votes`` with the header
``engine,topic,rank,annotator,stance``, ``--leanings`` with ``topic,annotator,leaning``.
"""

from __future__ import annotations

import math
from pathlib import Path

import pandas as pd
from matplotlib import pyplot as plt
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

from pt_fairness import BiasDCG, BiasP, BiasRBP, analysis, groups, plots
from pt_fairness.analysis.significance import short_p

DATA = Path(__file__).resolve().parent / "data"
MEASURES = {"P@10": BiasP @ 10, "RBP": BiasRBP, "DCG@10": BiasDCG @ 10}
STANCES = ("pro", "against", "neutral", "not relevant")
OTHER = {"conservative": "liberal", "liberal": "conservative"}
NEITHER = "both or neither"
#: Tables 4 to 6 by measure: engine 1, engine 2, and the p-value of the paired t-test as printed.
PUBLISHED = {
    "performance": {"P@10": (0.8509, 0.7404, "< 0.001"), "RBP": (0.7708, 0.6886, "< 0.001"),
                    "DCG@10": (3.9114, 3.4773, "< 0.01")},
    "stance, MB": {"P@10": (0.0281, 0.0175, "> 0.05"), "RBP": (0.0197, 0.0271, "> 0.05"),
                   "DCG@10": (0.1069, 0.1142, "> 0.05")},
    "stance, MAB": {"P@10": (0.2596, 0.2246, "> 0.05"), "RBP": (0.2738, 0.2266, "> 0.05"),
                    "DCG@10": (1.3380, 1.0789, "> 0.05")},
    "ideology, MB": {"P@10": (-0.1368, -0.1289, "> 0.05"), "RBP": (-0.1247, -0.1386, "> 0.05"),
                     "DCG@10": (-0.6290, -0.6591, "> 0.05")},
    "ideology, MAB": {"P@10": (0.2579, 0.2184, "> 0.05"), "RBP": (0.2894, 0.2158, "< 0.05"),
                      "DCG@10": (1.3989, 1.0456, "< 0.05")},
}
#: Table 3: percent agreement and Fleiss' κ.
AGREEMENT = {"stance": (0.4968, 0.3500), "leaning": (0.5281, 0.3478)}
#: The labels of the two campaigns (section 4.2).
LABELS = {"stance": (*STANCES, "link not working"), "leaning": (*OTHER, NEITHER)}
TOLERANCE = 0.00005
#: The number of the paper's topics; its results of two news search engines are not public.
PAPER_TOPICS = 57


def read(results: Path, topics: Path) -> tuple[pd.DataFrame, pd.Series]:
    """The results, and each topic's leaning.

    :raises ValueError: a stance or leaning that is none, or not two engines
    """
    frame = pd.read_csv(results, dtype={"engine": str, "topic": str, "stance": str})
    leaning = pd.read_csv(topics, dtype={"topic": str}).set_index("topic")["leaning"]
    for what, found, known in (
        ("stance", frame["stance"], STANCES),
        ("leaning", leaning, (*OTHER, NEITHER)),
    ):
        unknown = sorted(set(found.astype(str)) - set(known))
        if unknown:
            raise ValueError(
                f"{unknown[0]!r} is no {what}; it is one of {', '.join(map(repr, known))}"
            )
    if frame["engine"].nunique() != 2:
        raise ValueError(
            f"{results} has {frame['engine'].nunique()} engines; the paper compares two"
        )
    missing = sorted(set(frame["topic"]) - set(leaning.index))
    if missing:
        raise ValueError(f"{topics} has no leaning for topic {missing[0]!r}")
    return frame, leaning


def measured(results: pd.DataFrame, label: pd.Series, for_: str, against: str) -> pd.DataFrame:
    """The per-query values of the three measures with a label for and one against, and their sizes:
    ``name, qid, measure, value, short, kind``.

    A measure of bias towards the relevant documents with nothing to set against them is the measure
    of relevance that it is made of. Only pro, against and neutral documents are relevant; the
    others count for nothing.

    :param label: of each row of the results
    """
    docno = results["engine"] + "/" + results["topic"] + "/" + results["rank"].astype(str)
    qrels = pd.DataFrame({"qid": results["topic"], "docno": docno, "iteration": label,
                          "label": (results["stance"] != "not relevant").astype(int)})
    run = pd.DataFrame(
        {"qid": results["topic"], "docno": docno, "score": -results["rank"].astype(float)}
    )
    runs = {engine: run[results["engine"] == engine] for engine in dict.fromkeys(results["engine"])}
    parts = []
    for name, measure in MEASURES.items():
        signed = measure(pro=for_, con=against)
        for kind, one in (("MB", signed), ("MAB", signed(abs=True))):
            _, perquery = experiment(runs, qrels, [one])
            parts.append(perquery.assign(short=name, kind=kind))
    return pd.concat(parts, ignore_index=True)


def all_measured(results: pd.DataFrame, leaning: pd.Series) -> dict[str, pd.DataFrame]:
    """Per-query values by table, and by stance and ideology alone for the figures."""
    stance = results["stance"]
    relevant = stance.where(stance == "not relevant", "relevant")
    values = {
        "performance": measured(results, relevant, "relevant", "not relevant").query("kind == 'MB'")
    }
    for name in ("pro", "against"):
        values[name] = measured(results, stance, name, "not relevant").query("kind == 'MB'")
    bias = measured(results, stance, "pro", "against")
    lean = results["topic"].map(leaning)
    ideological = results[lean != NEITHER]
    lean = lean[lean != NEITHER]
    ideology = stance[lean.index].map({"pro": "favourable", "against": "opposed"}).fillna(stance)
    ideology = ideology.mask(ideology == "favourable", lean).mask(
        ideology == "opposed", lean.map(OTHER)
    )
    for name in OTHER:
        values[name] = measured(ideological, ideology, name, "not relevant").query("kind == 'MB'")
    leans = measured(ideological, ideology, "conservative", "liberal")
    for kind in ("MB", "MAB"):
        values[f"stance, {kind}"] = bias.query("kind == @kind")
        values[f"ideology, {kind}"] = leans.query("kind == @kind")
    return values


def table_2(topics: Path) -> pd.DataFrame:
    """The titles of the paper's topics, with question and leaning where the file has them."""
    titles = pd.read_csv(DATA / "gezici2021-titles.csv")
    given = pd.read_csv(topics, dtype=str)
    key = given["topic"].str.casefold()
    for column in ("question", "leaning"):
        known = dict(zip(key, given.get(column, pd.Series("–", given.index)), strict=True))
        titles[column] = titles["title"].str.casefold().map(known)
    heading(f"Table 2: the {len(titles)} topics of the paper, {titles['leaning'].notna().sum()} of "
            "them in the file of topics")
    if titles["leaning"].isna().all():
        paragraph("; ".join(titles["title"]))
    else:
        show(titles.fillna("–"))
    return titles


def figure_2(results: pd.DataFrame, folder: Path) -> pd.DataFrame:
    """The percentage of each stance among the results of each engine, printed and drawn."""
    parts = {}
    for engine, own in results.groupby("engine", sort=False):
        # With the label 1 for all, so that the results that are not relevant are counted.
        qrels = pd.DataFrame({"qid": own["topic"], "docno": own["rank"].astype(str), "label": 1,
                              "iteration": own["stance"]})
        shares = analysis.group_distribution(qrels).query("qid == 'all'").set_index("group")
        parts[engine] = 100 * shares["share"].reindex(STANCES, fill_value=0.0)
    percentages = pd.DataFrame(parts)
    heading("Figure 2: percentages of the stances")
    show(percentages.rename_axis("stance").reset_index(), 1)
    most = percentages.idxmax()
    paragraph("Most frequent: " + ", ".join(f"{most[engine]} ({engine})" for engine in most.index)
              + ". The paper says that neutral is.")
    ax = percentages.plot.bar(rot=0, xlabel="", ylabel="% of the results",
                              color=list(plots.PALETTE[:2]))
    save(ax, folder, "gezici2021-figure2")
    return percentages


def table_3(votes: dict[str, pd.DataFrame], same_data: bool) -> pd.DataFrame:
    """The agreement of the annotators, and how many items have a majority.

    :param votes: a frame of votes for the stances, for the leanings, or both
    """
    found = {}
    for what, frame in votes.items():
        items = frame["docno"].unique()
        majority = len(groups.from_votes(frame).lookup(items, items))
        found[what] = analysis.agreement(frame).assign(majority=majority)
    heading("Table 3: agreement of the annotators")
    frame = pd.concat(found, names=["campaign"]).droplevel(1).reset_index()
    show(frame)
    if same_data:
        rows: list[Row] = [
            (f"{one.campaign}: {name}", value, ours, "")
            for one in frame.itertuples()
            for name, value, ours in zip(("agreement", "κ"), AGREEMENT[one.campaign],
                                         (one.agreement, one.kappa), strict=True)]
        print()
        beside(rows, TOLERANCE)
    return frame


def read_votes(path: Path, what: str) -> pd.DataFrame:
    """A file of votes as :func:`pt_fairness.groups.from_votes` takes it.

    :param what: stance or leaning
    """
    frame = pd.read_csv(path, dtype=str)
    item = ["engine", "topic", "rank"] if what == "stance" else ["topic"]
    missing = [column for column in (*item, "annotator", what) if column not in frame]
    if missing:
        raise ValueError(f"{path} has no column {missing[0]!r}")
    unknown = sorted(set(frame[what].dropna()) - set(LABELS[what]))
    if unknown:
        raise ValueError(f"{unknown[0]!r} is no {what}; it is one of "
                         f"{', '.join(map(repr, LABELS[what]))}")
    return pd.DataFrame({"docno": frame[item].agg("/".join, axis=1),
                         "annotator": frame["annotator"], "label": frame[what]})


def implied() -> pd.DataFrame:
    """What tables 3 to 6 imply, without any data: ``what, implied, the paper says``.

    P@10 of a topic is a multiple of 1/10. So a mean, printed with four decimals, fits only some
    numbers of topics. κ = (P − E)/(1 − E) gives the agreement E that is expected by chance, which
    is at least 1/labels, whatever the labels' shares.
    """
    rows = []
    for table_, keys, said in (
        ("4 and 5", ("performance", "stance, MB", "stance, MAB"), str(PAPER_TOPICS)),
        ("6", ("ideology, MB", "ideology, MAB"), "not stated"),
    ):
        means = [value for key in keys for value in PUBLISHED[key]["P@10"][:2]]
        fit = [topics for topics in range(1, PAPER_TOPICS + 1)
               if all(abs(round(10 * topics * mean) / (10 * topics) - mean) <= TOLERANCE + 1e-9
                      for mean in means)]
        rows.append((f"tables {table_}, P@10: number of topics", ", ".join(map(str, fit)), said))
    for what, (observed, kappa) in AGREEMENT.items():
        chance = (observed - kappa) / (1 - kappa)
        rows.append((f"table 3, {what}: expected agreement {chance:.4f}, so labels",
                     f"at least {math.ceil(1 / (chance + 2 * TOLERANCE))}", str(len(LABELS[what]))))
    heading("What the numbers of the paper imply")
    frame = pd.DataFrame(rows, columns=["what", "implied", "the paper says"])
    show(frame)
    return frame


def as_printed(p: float, published: str) -> bool:
    """Whether a p-value is on the side of a bound that the paper prints, such as ``< 0.05``."""
    sign, bound = published.split()
    return p < float(bound) if sign == "<" else p > float(bound)


def table(values: pd.DataFrame, key: str, same_data: bool) -> tuple[pd.DataFrame, pd.DataFrame]:
    """One of tables 4 to 6, or half of it: the means and the p-values.

    :param same_data: whether these are the paper's topics, so that its values stand beside ours
    """
    engines = list(dict.fromkeys(values["name"]))
    short = dict(zip(values["measure"], values["short"], strict=True))
    averages = values.groupby(["short", "name"])["value"].mean()
    paired = analysis.compare(values, engines[0], correction=None)
    paired = paired.assign(measure=paired["measure"].map(short)).set_index("measure")
    if same_data:
        rows: list[Row] = [
            (f"{key}: {measure}, {engine}", published[place],
             float(averages[measure, engine]), "")
            for measure, published in PUBLISHED[key].items()
            for place, engine in enumerate(engines)
        ]
        means = beside(rows, TOLERANCE)
    else:
        means = averages.unstack().loc[list(MEASURES), engines].rename_axis(
            index="mean", columns=None).reset_index()
        show(means)
    tests = paired.loc[list(MEASURES), ["p", "difference", "low", "high"]].rename_axis(
        "two-tailed paired t-test").reset_index()
    if same_data:
        published_p = [PUBLISHED[key][measure][2] for measure in MEASURES]
        tests.insert(1, "published p", published_p)
        tests["remark"] = [
            "same" if as_printed(p, bound) else "DIFFERS"
            for p, bound in zip(tests["p"], published_p, strict=True)
        ]
    print()
    show(tests.assign(p=tests["p"].map(short_p)))
    if key.endswith(" MB"):
        summary = analysis.bias_summary(values)
        summary["measure"] = summary["measure"].map(short)
        print()
        p_values = summary.pivot(index="name", columns="measure", values="p")[list(MEASURES)]
        show(p_values.map(short_p).rename_axis(
            index="one-sample t-test, p", columns=None).reset_index())
    return means, tests


def figures(values: dict[str, pd.DataFrame], folder: Path) -> None:
    """Figures 3 to 6, of DCG@10."""
    def of_dcg(key: str) -> pd.DataFrame:
        return values[key].query("short == 'DCG@10'")

    engines = list(dict.fromkeys(values["performance"]["name"]))
    for number, (x, y) in ((3, ("pro", "against")), (4, ("conservative", "liberal"))):
        both = pd.concat([of_dcg(side).assign(measure=f"DCG@10 ({side})") for side in (x, y)])
        ax = None
        for i, engine in enumerate(engines):
            ax = plots.scatter(
                both, (engine, f"DCG@10 ({x})"), (engine, f"DCG@10 ({y})"), ax, engine, i
            )
        assert ax is not None
        save(ax, folder, f"gezici2021-figure{number}")
    for number, key in ((5, "stance, MB"), (6, "ideology, MB")):
        part = of_dcg(key).assign(measure="β DCG@10")
        ax = plots.scatter(part, (engines[0], "β DCG@10"), (engines[1], "β DCG@10"))
        ax.set_title("> 0: " + ("pro" if number == 5 else "conservative"))
        save(ax, folder, f"gezici2021-figure{number}")
    plt.close("all")


def main(arguments_: list[str] | None = None) -> dict[str, tuple[pd.DataFrame, pd.DataFrame]]:
    """Prints it all; returns means and tests by table."""
    parser = arguments(__doc__)
    parser.add_argument("results", nargs="?", type=file, default=DATA / "gezici2021-results.csv")
    parser.add_argument("topics", nargs="?", type=file, default=DATA / "gezici2021-topics.csv")
    parser.add_argument("--votes", type=file, help="the annotators' stances of the results")
    parser.add_argument("--leanings", type=file, help="the annotators' leanings of the topics")
    given = parser.parse_args(arguments_)
    results, leaning = read(given.results, given.topics)
    votes = {what: read_votes(path, what) for what, path in
             (("stance", given.votes), ("leaning", given.leanings)) if path is not None}
    values = all_measured(results, leaning)
    topics = results["topic"].nunique()
    same_data = topics == PAPER_TOPICS
    if given.results == parser.get_default("results"):
        heading(INVENTED)
    if not same_data:
        paragraph(f"These are {topics} topics. The paper's results for {PAPER_TOPICS} topics are "
                  "not public, so its values are not printed.")
    table_2(given.topics)
    if votes:
        table_3(votes, same_data)
    figure_2(results, given.figures)
    found = {}
    for number, key in (
        (4, "performance"),
        (5, "stance, MB"),
        (5, "stance, MAB"),
        (6, "ideology, MB"),
        (6, "ideology, MAB"),
    ):
        heading(f"Table {number}: {key}")
        found[key] = table(values[key], key, same_data)
    implied()
    print()
    figures(values, given.figures)
    return found


if __name__ == "__main__":
    main()
