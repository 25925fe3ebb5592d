"""Gezici, Lipani, Saygin & Yilmaz, "Evaluation metrics for measuring bias in search engine results"
(Information Retrieval Journal 24, 2021): performance, stance bias and ideological bias of two
engines (tables 4 to 6), the t-tests, figures 2 to 6, the agreement of annotators (table 3), the
titles of the topics (table 2), and what the paper's numbers imply.

``python examples/gezici2021.py RESULTS TOPICS`` for labelled results, or
``python examples/gezici2021.py --votes VOTES --leanings VOTES`` for the votes of annotators, of
which stances and leanings are made; without files, an invented sample of 22 topics. With RESULTS
and TOPICS, the votes give table 3 alone. The published values stand beside ours only if the files
have the paper's number of topics, 57.

RESULTS is a CSV file with the header ``engine,topic,rank,stance``: for each of two engines the
results of every topic, the rank from 1, the stance ``pro``, ``against``, ``neutral``, ``not
relevant`` or ``link not working``. A rank without a result keeps its place. TOPICS is a CSV file
with the header ``topic,leaning`` (more columns may follow): which ideology would answer the topic's
question favourably, ``conservative``, ``liberal``, or ``both or neither`` (also ``both`` and
``neither``), which leaves the topic out of the ideological bias. A column ``question`` is printed
beside the titles of table 2, where the topics have them as names.

The votes of annotators are CSV files too: ``--votes`` with the header
``engine,topic,rank,annotator,stance``, ``--leanings`` with ``topic,annotator,leaning``. The paper
has the label by "majority-voting": ``--majority plurality`` (default) is the label with the most
votes, ``--majority absolute`` that with more than half of them. A result without one counts as not
relevant, a topic without one as ``both or neither``.
"""

from __future__ import annotations

import math
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from scipy import stats
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

from pt_fairness import BiasDCG, BiasP, BiasRBP, FairnessWarning, analysis, groups, plots
from pt_fairness.analysis.notes import short_p

DATA = Path(__file__).resolve().parent / "data"
MEASURES = {"P@10": BiasP @ 10, "RBP": BiasRBP, "DCG@10": BiasDCG @ 10}
#: The stances of relevant documents, and all of section 3.1.
RELEVANT = ("pro", "against", "neutral")
STANCES = (*RELEVANT, "not relevant")
OTHER = {"conservative": "liberal", "liberal": "conservative"}
NEITHER = "both or neither"
#: What is not counted: a label of the first campaign (section 4.2), and a label of ours.
BROKEN, NO_MAJORITY = "link not working", "no majority"
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
LABELS = {"stance": (*STANCES, BROKEN), "leaning": (*OTHER, NEITHER)}
#: The labels of the files: "both or neither" may be two.
ACCEPTED = {"stance": LABELS["stance"], "leaning": (*LABELS["leaning"], "both", "neither")}
#: Section 5: the bounds of the p-values of the one-sample t-tests. It calls the stance bias not
#: significant, which is > 0.05 here, the level of the other tests.
ONE_SAMPLE = {
    "stance, MB": dict.fromkeys(MEASURES, ("> 0.05", "> 0.05")),
    "ideology, MB": {"P@10": ("< 0.005", "< 0.005"), "RBP": ("< 0.05", "< 0.005"),
                     "DCG@10": ("< 0.05", "< 0.005")},
}
#: What "majority-voting" may mean.
MAJORITIES = ("plurality", "absolute")
#: The largest DCG@10 of one view.
LARGEST_DCG = float((1 / np.log2(np.arange(2, 12))).sum())
TOLERANCE = 0.00005
#: The number of the paper's topics; its results of two news search engines are not public.
PAPER_TOPICS = 57


def read(results: Path, topics: Path) -> tuple[pd.DataFrame, pd.Series]:
    """The results, and each topic's leaning.

    :raises ValueError: an unknown stance or leaning, or as :func:`checked`
    """
    frame = pd.read_csv(results, dtype={"engine": str, "topic": str, "stance": str})
    leaning = pd.read_csv(topics, dtype={"topic": str}).set_index("topic")["leaning"]
    check_labels(frame["stance"], "stance")
    check_labels(leaning, "leaning")
    checked(frame, leaning, results, topics)
    return frame, leaning


def check_labels(labels: pd.Series, what: str) -> None:
    """Raises a ValueError for an unknown label.

    :param what: stance or leaning
    """
    unknown = sorted(set(labels.astype(str)) - set(ACCEPTED[what]))
    if unknown:
        accepted = ", ".join(map(repr, ACCEPTED[what]))
        raise ValueError(f"{unknown[0]!r} is no {what}; it is one of {accepted}")


def checked(frame: pd.DataFrame, leaning: pd.Series, results: Path, topics: Path) -> None:
    """Raises a ValueError for results without two engines, a leaning or distinct ranks."""
    if frame["engine"].nunique() != 2:
        raise ValueError(
            f"{results} has {frame['engine'].nunique()} engines; the paper compares two"
        )
    missing = sorted(set(frame["topic"]) - set(leaning.index))
    if missing:
        raise ValueError(f"{topics} has no leaning for topic {missing[0]!r}")
    rank = pd.to_numeric(frame["rank"], errors="coerce")
    wrong = frame[~((rank >= 1) & (rank % 1 == 0))]
    for row in wrong[:1].itertuples():
        raise ValueError(f"{results} has the rank {row.rank!r} in topic {row.topic!r}; ranks are "
                         "whole numbers from 1")
    for row in frame[frame.duplicated(["engine", "topic", "rank"])][:1].itertuples():
        raise ValueError(f"{results} has two results of {row.engine} at rank {row.rank} of topic "
                         f"{row.topic!r}")


def answered(results: pd.DataFrame) -> pd.DataFrame:
    """The results of the topics that both engines answered, the third filter of section 4.1."""
    engines = results.groupby("topic")["engine"].transform("nunique")
    one = sorted(set(results["topic"][engines < 2]))
    if one:
        paragraph(f"Excluded: {len(one)} of {results['topic'].nunique()} topics, which one engine "
                  f"did not answer ({', '.join(one)}).")
    return results[engines == 2]


def by_vote(votes: dict[str, pd.DataFrame], majority: str) -> tuple[pd.DataFrame, pd.Series]:
    """The results and leanings of the annotators' votes.

    :param votes: the votes for the stances and for the leanings, as of :func:`read_votes`
    """
    labels = {}
    for what, frame in votes.items():
        items = frame["docno"].drop_duplicates()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FairnessWarning)  # the numbers are printed below
            source = groups.from_votes(frame, majority=majority)  # type: ignore[arg-type]
        chosen = source.lookup(items, items).set_index("docno")["group"]
        labels[what] = chosen.reindex(items)
        paragraph(f"{what}: {labels[what].isna().sum()} of {len(items)} items have no majority "
                  f"({majority}).")
    places = votes["stance"].drop_duplicates("docno")
    results = places[["engine", "topic"]].assign(rank=pd.to_numeric(places["rank"]))
    results["stance"] = labels["stance"].fillna(NO_MAJORITY).to_numpy()
    leaning = labels["leaning"].fillna(NEITHER)
    return results.reset_index(drop=True), leaning


def not_counted(results: pd.DataFrame, leaning: pd.Series) -> None:
    """Prints how many results and topics are not counted, by label."""
    stances = results["stance"].value_counts()
    leanings = leaning[leaning.index.isin(results["topic"])].value_counts()
    for counts, labels, what in (
        (stances, ("not relevant", BROKEN, NO_MAJORITY), "results that count as not relevant"),
        (leanings, (NEITHER, "both", "neither"), "topics without an ideological bias"),
    ):
        parts = [f"{counts[label]} {label}" for label in labels if label in counts]
        print(f"{what}: {', '.join(parts) or 'none'}")


def measured(results: pd.DataFrame, label: pd.Series, for_: str,
             against: str | None = None) -> pd.DataFrame:
    """The per-query values of the three measures with a label for and one against, and their sizes:
    ``name, qid, measure, value, short, kind``.

    Without a label against, this is f of equation 3 for one view. Only pro, against and neutral
    documents are relevant; the others are not counted.

    :param label: of each row of the results
    """
    rank = results["rank"].astype(int)
    docno = results["engine"] + "/" + results["topic"] + "/" + rank.astype(str)
    qrels = pd.DataFrame({"qid": results["topic"], "docno": docno, "iteration": label,
                          "label": results["stance"].isin(RELEVANT).astype(int)})
    # All ranks down to the last, so that a missing result leaves its rank empty.
    last = results.assign(rank=rank).groupby(["engine", "topic"])["rank"].max()
    places = last.index.repeat(last).to_frame(index=False)
    place = places.groupby(["engine", "topic"]).cumcount() + 1
    run = pd.DataFrame({"qid": places["topic"], "score": -place.astype(float),
                        "docno": places["engine"] + "/" + places["topic"] + "/"
                        + place.astype(str)})
    runs = {engine: run[places["engine"] == engine] for engine in dict.fromkeys(results["engine"])}
    kinds = {}
    for name, measure in MEASURES.items():
        signed = measure(pro=for_, con=against)
        kinds[signed] = (name, "MB")
        if against is not None:
            kinds[signed(abs=True)] = (name, "MAB")
    _, perquery = experiment(runs, qrels, list(kinds))
    names = {str(measure): kind for measure, kind in kinds.items()}
    perquery[["short", "kind"]] = perquery["measure"].map(names).tolist()
    return perquery


def all_measured(results: pd.DataFrame, leaning: pd.Series) -> dict[str, pd.DataFrame]:
    """Per-query values by table, and by stance and ideology alone for the figures."""
    stance = results["stance"]
    relevant = stance.where(~stance.isin(RELEVANT), "relevant")
    values = {"performance": measured(results, relevant, "relevant")}
    for name in ("pro", "against"):
        values[name] = measured(results, stance, name)
    bias = measured(results, stance, "pro", "against")
    lean = results["topic"].map(leaning)
    ideological = results[lean.isin(OTHER)]
    lean = lean[lean.isin(OTHER)]
    ideology = stance[lean.index].map({"pro": "favourable", "against": "opposed"}).fillna(stance)
    ideology = ideology.mask(ideology == "favourable", lean).mask(
        ideology == "opposed", lean.map(OTHER)
    )
    for name in OTHER:
        values[name] = measured(ideological, ideology, name)
    leans = measured(ideological, ideology, "conservative", "liberal")
    for kind in ("MB", "MAB"):
        values[f"stance, {kind}"] = bias.query("kind == @kind")
        values[f"ideology, {kind}"] = leans.query("kind == @kind")
    return values


def table_2(topics: Path | pd.DataFrame) -> pd.DataFrame:
    """The titles of the paper's topics, with question and leaning where the topics have them."""
    titles = pd.read_csv(DATA / "gezici2021-titles.csv")
    given = topics if isinstance(topics, pd.DataFrame) else pd.read_csv(topics, dtype=str)
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
        parts[engine] = 100 * shares["share"]
    percentages = pd.DataFrame(parts).fillna(0.0)
    labels = (*STANCES, *(name for name in (BROKEN, NO_MAJORITY) if name in percentages.index))
    percentages = percentages.reindex(labels, fill_value=0.0)
    heading("Figure 2: percentages of the stances")
    show(percentages.rename_axis("stance").reset_index(), 1)
    most = percentages.idxmax()
    shares = [f"{most[engine]} with {percentages[engine].max():.1f} % ({engine})"
              for engine in most.index]
    holds = "holds" if (percentages.loc["neutral"] > 50).all() else "does not hold"
    paragraph(f"Most frequent: {', '.join(shares)}. Section 4.2 says that the majority of the "
              f"labels is neutral for both engines: as more than half it {holds}.")
    ax = percentages.plot.bar(rot=0, xlabel="", ylabel="% of the results",
                              color=list(plots.PALETTE[:2]))
    save(ax, folder, "gezici2021-figure2")
    return percentages


def table_3(votes: dict[str, pd.DataFrame], same_data: bool) -> pd.DataFrame:
    """The agreement of the annotators, and how many items have a majority of either kind.

    :param votes: a frame of votes for the stances, for the leanings, or both
    """
    found = {}
    for what, frame in votes.items():
        items = frame["docno"].unique()
        found[what] = analysis.agreement(frame)
        for majority in MAJORITIES:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FairnessWarning)  # the numbers are in the table
                source = groups.from_votes(frame, majority=majority)  # type: ignore[arg-type]
            found[what][majority] = len(source.lookup(items, items))
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
    check_labels(frame[what].dropna(), what)
    docno = frame[item].agg("/".join, axis=1)
    return frame[item].assign(docno=docno, annotator=frame["annotator"], label=frame[what])


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
    tests = paired.loc[list(MEASURES), ["p", "difference"]]
    bootstrap = paired.loc[list(MEASURES), ["difference", "low", "high"]]
    for measure, part in values.groupby("short"):
        of_topics = part.pivot(index="qid", columns="name", values="value")
        test = stats.ttest_rel(of_topics[engines[1]], of_topics[engines[0]])
        tests.loc[measure, ["low", "high"]] = list(test.confidence_interval())
    tests = tests.rename_axis("two-tailed paired t-test").reset_index()
    if same_data:
        published_p = [PUBLISHED[key][measure][2] for measure in MEASURES]
        tests.insert(1, "published p", published_p)
        tests["remark"] = [
            "same" if as_printed(p, bound) else "DIFFERS"
            for p, bound in zip(tests["p"], published_p, strict=True)
        ]
    print()
    show(tests.assign(p=tests["p"].map(short_p)))
    print()
    show(bootstrap.rename_axis("the same difference, bootstrap interval").reset_index())
    if key in ONE_SAMPLE:
        tested = analysis.bias_test(values, correction=None)
        tested["measure"] = tested["measure"].map(short)
        print()
        p_values = tested.pivot(index="name", columns="measure", values="p")
        p_values = p_values.loc[engines, list(MEASURES)]
        show(p_values.map(short_p).rename_axis(
            index="one-sample t-test, p", columns=None).reset_index())
        if same_data:
            print()
            show(one_sample_rows(p_values, key))
    return means, tests


def one_sample_rows(p_values: pd.DataFrame, key: str) -> pd.DataFrame:
    """The bounds of section 5 beside the p-values of one-sample t-tests.

    :param p_values: a row for each engine, a column for each measure
    """
    rows = []
    for measure, bounds in ONE_SAMPLE[key].items():
        for engine, bound in zip(p_values.index, bounds, strict=True):
            p = p_values.loc[engine, measure]
            remark = "same" if as_printed(p, bound) else "DIFFERS"
            rows.append((f"{key}: {measure}, {engine}", bound, short_p(p), remark))
    return pd.DataFrame(rows, columns=["one-sample t-test", "section 5", "ours", "remark"])


def quadrants(values: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Prints and returns the quadrants of figures 5 and 6: in how many topics the engines agree."""
    rows = []
    for number, key in ((5, "stance, MB"), (6, "ideology, MB")):
        part = values[key].query("short == 'DCG@10'")
        biases = part.pivot(index="qid", columns="name", values="value")
        signs = np.sign(biases.round(12))  # a sum of floats may be almost 0
        first, second = signs[signs.columns[0]], signs[signs.columns[1]]
        agree = int((first * second > 0).sum())
        holds = "holds" if 2 * agree > len(signs) else "does not hold"
        rows.append((f"figure {number}: {key}", len(signs), int(((first > 0) & (second > 0)).sum()),
                     int(((first < 0) & (second < 0)).sum()), int((first * second < 0).sum()),
                     int((first * second == 0).sum()), holds))
    heading("Figures 5 and 6: the engines agree in the majority of cases (more than half)")
    frame = pd.DataFrame(rows, columns=["DCG@10", "topics", "both > 0", "both < 0", "opposite",
                                        "one is 0", "section 5"])
    show(frame)
    return frame


def draw_topics(ax: Axes, x: pd.Series, y: pd.Series, i: int = 0, label: str | None = None) -> None:
    """A point for each topic, at its values of two measures or of two engines."""
    points = pd.concat([x, y], axis=1, join="inner").dropna()
    ax.scatter(*points.to_numpy().T, s=36, alpha=0.7, linewidths=0, label=label, zorder=2,
               color=plots.PALETTE[i], marker="os"[i])


def draw_guides(ax: Axes, low: float, high: float) -> None:
    """The range of both axes, and the lines of equal values and of 0."""
    room = 0.05 * (high - low)
    ax.set(xlim=(low - room, high + room), ylim=(low - room, high + room), aspect="equal")
    ax.axline((0, 0), slope=1, color="#BBBBBB", linewidth=1, zorder=1)
    if low < 0:
        ax.axhline(0, color="#BBBBBB", linewidth=1, zorder=1)
        ax.axvline(0, color="#BBBBBB", linewidth=1, zorder=1)


def count_quadrants(ax: Axes, x: pd.Series, y: pd.Series) -> None:
    """The number of topics of each quadrant, in its corner; topics on a line through 0 are in none.
    """
    signs = np.sign(pd.concat([x, y], axis=1, join="inner").round(12)).value_counts()
    for side, level in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
        ax.text(0.5 + 0.46 * side, 0.5 + 0.46 * level, signs.get((side, level), 0), ha="center",
                va="center", transform=ax.transAxes)


def figures(values: dict[str, pd.DataFrame], folder: Path) -> None:
    """Figures 3 to 6, of DCG@10, with the whole range of values as axes."""
    def of_engines(key: str) -> pd.DataFrame:
        part = values[key].query("short == 'DCG@10'")
        return part.pivot(index="qid", columns="name", values="value")

    engines = list(dict.fromkeys(values["performance"]["name"]))
    for number, sides in ((3, ("pro", "against")), (4, ("conservative", "liberal"))):
        _, ax = plt.subplots(layout="constrained")
        first, second = map(of_engines, sides)
        for i, engine in enumerate(engines):
            draw_topics(ax, first[engine], second[engine], i, engine)
        draw_guides(ax, 0.0, LARGEST_DCG)
        ax.legend()
        ax.set(xlabel=f"DCG@10 ({sides[0]})", ylabel=f"DCG@10 ({sides[1]})",
               title="a point for each topic")
        save(ax, folder, f"gezici2021-figure{number}")
    for number, key, positive in ((5, "stance, MB", "pro"), (6, "ideology, MB", "conservative")):
        _, ax = plt.subplots(layout="constrained")
        biases = of_engines(key)
        x, y = (biases[engine] for engine in engines)
        draw_topics(ax, x, y)
        draw_guides(ax, -LARGEST_DCG, LARGEST_DCG)
        count_quadrants(ax, x, y)
        ax.set(xlabel=f"{engines[0]}: β DCG@10", ylabel=f"{engines[1]}: β DCG@10",
               title=f"> 0: {positive}; the numbers of topics are in the corners")
        save(ax, folder, f"gezici2021-figure{number}")
    plt.close("all")


def main(arguments_: list[str] | None = None) -> dict[str, tuple[pd.DataFrame, pd.DataFrame]]:
    """Prints it all; returns means and tests by table."""
    parser = arguments(__doc__)
    parser.add_argument("results", nargs="?", type=file)
    parser.add_argument("topics", nargs="?", type=file)
    parser.add_argument("--votes", type=file, help="the annotators' stances of the results")
    parser.add_argument("--leanings", type=file, help="the annotators' leanings of the topics")
    parser.add_argument("--majority", choices=MAJORITIES, default=MAJORITIES[0],
                        help="the label with the most votes (default), or with more than half")
    given = parser.parse_args(arguments_)
    if (given.results is None) != (given.topics is None):
        parser.error("RESULTS and TOPICS belong together")
    votes = {what: read_votes(path, what) for what, path in
             (("stance", given.votes), ("leaning", given.leanings)) if path is not None}
    titles = given.topics or DATA / "gezici2021-topics.csv"
    invented = given.results is None and not votes
    if given.results is not None:
        results, leaning = read(given.results, given.topics)
    elif invented:
        heading(INVENTED)
        results, leaning = read(DATA / "gezici2021-results.csv", titles)
    elif len(votes) < 2:
        parser.error("--votes and --leanings make the results together; or give RESULTS and TOPICS")
    else:
        heading("Labels by the votes of the annotators")
        results, leaning = by_vote(votes, given.majority)
        checked(results, leaning, given.votes, given.leanings)
        titles = leaning.rename("leaning").rename_axis("topic").reset_index()
    results = answered(results)
    not_counted(results, leaning)
    values = all_measured(results, leaning)
    topics = results["topic"].nunique()
    same_data = topics == PAPER_TOPICS
    if not same_data:
        paragraph(f"These are {topics} topics. The paper's results for {PAPER_TOPICS} topics are "
                  "not public, so its values are not printed.")
    table_2(titles)
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
    quadrants(values)
    implied()
    print()
    figures(values, given.figures)
    return found


if __name__ == "__main__":
    main()
