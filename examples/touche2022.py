"""A real track: argument retrieval for comparative questions (Touché at CLEF 2022, task 2), whose
passages were judged for relevance and for stance. Which measures tell its systems apart, which say
the same, and what re-ranking by stance costs.

``python examples/touche2022.py QRELS STANCES RUN…`` takes the qrels of relevance, the qrels of
stances and the runs of the track. A run whose second column has predicted stances is also re-ranked
by them. All runs hold stances of the first object of the question (FIRST), the second one (SECOND),
neither (NEUTRAL), or no stance (NO). The tables, as CSV files, and the report go to the folder of
the figures, too.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
from ir_measures import Judged, nDCG
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from PIL import Image
from shared.comparison import heading, save, show, touche2022_arguments
from shared.inputs import read_predictions

from pt_fairness import (
    AWRF,
    EEL,
    NDKL,
    Annotated,
    BiasP,
    DistKL,
    analysis,
    evaluate,
    groups,
    nDJS,
    plots,
    read_qrels,
    read_run,
    report,
    rerank,
    rKL,
)

CUTOFF = 5
#: The stances, and the label of a passage without one.
STANCES, NONE = ("FIRST", "NEUTRAL", "SECOND"), "NO"
BIAS = BiasP(pro="FIRST", con="SECOND", abs=True) @ CUTOFF
LABELS = {str(BIAS): f"absolute BiasP@{CUTOFF}"}
RELEVANCE = [nDCG @ CUTOFF, "alpha_nDCG@5", Annotated @ CUTOFF, EEL @ CUTOFF]
FAIRNESS = [AWRF @ CUTOFF, NDKL @ CUTOFF, DistKL @ CUTOFF, rKL @ CUTOFF, nDJS @ CUTOFF, BIAS]
#: The columns of the measures above, and those of the table on re-ranking.
COLUMNS = [[LABELS.get(str(one), str(one)) for one in some] for some in (RELEVANCE, FAIRNESS)]
RERANKED = [nDCG @ CUTOFF, "alpha_nDCG@5", AWRF @ CUTOFF, rKL @ CUTOFF, BIAS]
#: The system of the track that differs from another by nothing but a re-ranking by stance.
PAIR = ("Grimjack.run2", "Grimjack.run3")
#: How many documents are re-ranked: most of those behind them were not judged.
DEPTH = 10
#: The number of rankings that are drawn from a policy.
SAMPLES = 10
#: The level of tests, and the level of intervals.
ALPHA, LEVEL = 0.05, 0.95
#: The markers of the lines of the measures.
MARKERS = "osD^vPX*<"


def name_of(path: Path) -> str:
    return path.name.removesuffix(".gz")


def labelled(runs: dict[str, pd.DataFrame], qrels: pd.DataFrame, measures: list[object],
             references: bool = False) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The averages and the values per topic, with the labels of the measures."""
    averages, perquery = evaluate(runs, qrels, measures, references=references, progress=False)
    return averages.rename(columns=LABELS), perquery.replace({"measure": LABELS})


def cells(averages: pd.DataFrame, intervals: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """Averages as text, with their intervals where there are any."""
    ends = {(row.name, row.measure): f" [{row.low:.3f}, {row.high:.3f}]"
            for row in intervals.itertuples(index=False)}
    texts = {column: [f"{value:.3f}{ends.get((name, column), '')}"
                      for name, value in zip(averages["name"], averages[column], strict=True)]
             for column in columns}
    return pd.DataFrame({"system": averages["name"], **texts})


def data_of(qrels: pd.DataFrame, runs: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """What was judged, and how much of it the runs return: ``what, number``."""
    rows = [("systems", len(runs)), ("pairs of systems", len(runs) * (len(runs) - 1) // 2),
            ("topics", qrels["qid"].nunique()), ("judged passages", len(qrels))]
    counts = qrels["iteration"].value_counts()
    rows += [(f"judged passages with the stance {name}", counts[name]) for name in STANCES]
    rows.append((f"judged passages without stance ({NONE})", counts["-"]))
    relevant = qrels[qrels["label"] > 0]
    rows += [("relevant passages", len(relevant)),
             ("relevant passages with a stance", (relevant["iteration"] != "-").sum())]
    orders = {name: run.sort_values(["qid", "score", "docno"], ascending=[True, False, False])
              for name, run in runs.items()}
    texts = pd.Series({name: " ".join(run["qid"] + run["docno"]) for name, run in orders.items()})
    rows.append(("systems with the ranking of another system", texts.duplicated(keep=False).sum()))
    if set(PAIR) <= set(runs):
        one, other = (runs[name].groupby("qid")["docno"].agg(frozenset) for name in PAIR)
        rows.append((f"topics for which {' and '.join(PAIR)} return the same passages",
                     (one == other).sum()))
    judged, _ = evaluate(runs, qrels, [Judged @ CUTOFF, Judged @ DEPTH], progress=False)
    rows += [(f"share of the first {depth} passages that are judged (%), smallest of the systems",
              f"{100 * judged[str(Judged @ depth)].min():.1f}") for depth in (CUTOFF, DEPTH)]
    return pd.DataFrame(rows, columns=["what", "number"])


def power_of(compared: pd.DataFrame) -> pd.DataFrame:
    """The share of pairs that each measure tells apart, in per cent: ``measure``, by single tests,
    and by tests with Holm's correction for all pairs.

    A pair of equal rankings has no p-value and is not told apart.
    """
    shares = compared.assign(single=compared["p"] < ALPHA).groupby("measure", sort=False)[
        ["single", "reject"]].mean() * 100
    shares.columns = ["pairs with p < .05 (%)", "with Holm's correction (%)"]
    return shares.round(1).reset_index()


def curves(compared: pd.DataFrame) -> Axes:
    """The p-values of all pairs in descending order, a line for each measure (Sakai 2006)."""
    _, ax = plt.subplots(figsize=(9, 5), layout="constrained")
    for i, (measure, part) in enumerate(compared.groupby("measure", sort=False)):
        values = np.sort(part["p"].fillna(1))[::-1]
        colours = len(plots.PALETTE)
        ax.plot(np.arange(1, len(values) + 1), values, color=plots.PALETTE[i % colours],
                marker=MARKERS[i % len(MARKERS)], linestyle="--" if i >= colours else "-",
                markersize=4, markevery=3, label=measure)
    ax.axhline(ALPHA, color="black", linewidth=0.8)
    ax.set(xlabel="pairs of systems, by descending p-value", ylabel="p-value (paired t-test)",
           xlim=(0, len(values) + 2), ylim=(0, 0.2))
    ax.legend(loc="upper left", bbox_to_anchor=(1, 1), frameon=False)
    return ax


def predictions(path: Path) -> pd.DataFrame:
    """The predicted stances of a run: ``qid, group, docno``. A run without them has no row."""
    frame = read_predictions(path).drop(columns="score")
    return frame[frame["group"].isin(STANCES)]


def first(run: pd.DataFrame, depth: int) -> pd.DataFrame:
    """The first documents of each topic."""
    ordered = run.sort_values(["score", "docno"], ascending=False)
    return ordered.groupby("qid", sort=False).head(depth)


def by_predictions(runs: dict[str, pd.DataFrame], paths: dict[str, Path],
                   qrels: pd.DataFrame) -> pd.DataFrame:
    """What re-ranking by predicted stances changes: ``system``, the share of predictions that are
    the judged stance (in per cent), and the mean difference of each measure with its interval.

    The first row is the track's own re-ranking.
    """
    known = {name: predictions(path) for name, path in paths.items()}
    judged = qrels[qrels["iteration"] != "-"][["qid", "docno", "iteration"]]
    pairs = [(PAIR[0], PAIR[1], runs[PAIR[0]], runs[PAIR[1]])] if set(PAIR) <= set(runs) else []
    right = []
    for name, found in known.items():
        top = first(runs[name], DEPTH)
        both = top.merge(found, on=["qid", "docno"]).merge(judged, on=["qid", "docno"])
        right.append(f"{100 * (both['group'] == both['iteration']).mean():.1f}")
        if found["group"].nunique() > 1:
            fairer = rerank.det_greedy(groups.from_frame(found), k=CUTOFF)(top)
            pairs.append((name, f"{name}, re-ranked", top, fairer))
    table = differences(pairs, qrels)
    shares = dict(zip(known, right, strict=True))
    table.insert(1, "right (%)", [shares[before] for before, *_ in pairs])
    return table


def by_judgments(runs: dict[str, pd.DataFrame], qrels: pd.DataFrame) -> pd.DataFrame:
    """What re-ranking by the judged stances changes, of the passages that have one."""
    known = qrels[qrels["iteration"] != "-"].rename(columns={"iteration": "group"})
    pairs = []
    for name, run in runs.items():
        some = run.merge(known[["qid", "docno", "group"]], on=["qid", "docno"])
        pairs.append((name, f"{name}, re-ranked", some, rerank.det_greedy(k=CUTOFF)(some)))
    return differences(pairs, qrels)


def headroom_of(perquery: pd.DataFrame, qrels: pd.DataFrame) -> pd.DataFrame:
    """How fair each system could have been at its relevance: ``system``, nDCG, and for rKL and AWRF
    the value, the fairest that the judgments allow, and how much of the unfairness it avoids.
    """
    tables = []
    for measure in (rKL @ CUTOFF, AWRF @ CUTOFF):
        front = analysis.frontier(qrels, nDCG @ CUTOFF, measure)
        found = analysis.headroom(perquery, front).set_index("name")
        pair = [*front.front]
        texts = found[[*pair, "fairest"]].map("{:.3f}".format)
        texts["avoidable (%)"] = (100 * found["share"]).map("{:.1f}".format)
        tables.append(texts.add_suffix(f" of {measure}").rename(columns={
            f"{column} of {measure}": column for column in pair}))
    first, second = tables
    return first.join(second.drop(columns=first.columns[0])).rename_axis("system").reset_index()


def rerankers(qrels: pd.DataFrame) -> pd.DataFrame:
    """How near re-rankers come to the front: of a perfect order of the passages with a stance, by
    the judged stances. A policy has the mean over its samples.
    """
    perfect = qrels[qrels["iteration"] != "-"].rename(columns={"iteration": "group"})
    perfect = perfect.assign(score=perfect["label"].astype(float))
    runs = {"perfect order": perfect}
    for name in rerank.__all__:
        policy = getattr(rerank, name)(k=CUTOFF)
        drawn = policy.draws(SAMPLES) if hasattr(policy, "draws") else [policy]
        runs |= {f"{name}#{i}": ranker(perfect) for i, ranker in enumerate(drawn)}
    measures = [nDCG @ CUTOFF, rKL @ CUTOFF, AWRF @ CUTOFF]
    _, perquery = evaluate(runs, qrels, measures, progress=False)
    perquery["name"] = perquery["name"].str.partition("#")[0]
    means = perquery.groupby(["name", "qid", "measure"], sort=False)["value"].mean().reset_index()
    return headroom_of(means, qrels)


def differences(pairs: list[tuple[str, str, pd.DataFrame, pd.DataFrame]],
                qrels: pd.DataFrame) -> pd.DataFrame:
    """The mean differences of pairs of rankings, with intervals that are not corrected.

    :param pairs: the names and the rankings, before and after
    """
    evaluated = {f"{i} {when}": run for i, (_, _, *both) in enumerate(pairs)
                 for when, run in zip(("before", "after"), both, strict=True)}
    _, perquery = labelled(evaluated, qrels, RERANKED)
    rows = []
    for i, (_, name, *_) in enumerate(pairs):
        part = perquery[perquery["name"].isin([f"{i} before", f"{i} after"])]
        found = analysis.compare(part, f"{i} before", correction=None, confidence=LEVEL)
        rows.append({"system": name} | {
            measure: f"{difference:+.3f} [{low:+.3f}, {high:+.3f}]" for measure, difference, low,
            high in found[["measure", "difference", "low", "high"]].itertuples(index=False)})
    return pd.DataFrame(rows)


def main(arguments_: list[str] | None = None) -> dict[str, pd.DataFrame]:
    """Prints it all; returns the tables by name."""
    given = touche2022_arguments(__doc__, arguments_)
    folder: Path = given.figures
    source = groups.from_qrels(given.stances, none=[NONE], name="stances")
    qrels = source.to_qrels(read_qrels(given.qrels))
    paths = {name_of(path): path for path in given.runs}
    measures = [*RELEVANCE, *FAIRNESS]
    runs = {name: read_run(path) for name, path in paths.items()}
    averages, perquery = labelled(runs, qrels, measures, references=True)
    intervals = analysis.intervals(perquery, confidence=LEVEL)
    compared = analysis.compare(perquery, None)
    systems = averages[averages["name"].isin(runs)]  # references have no values of relevance
    found = {"data": data_of(qrels, runs), "relevance": cells(systems, intervals, COLUMNS[0]),
             "fairness": cells(averages, intervals, COLUMNS[1]), "power": power_of(compared)}
    correlations = analysis.correlations(systems[["name", *COLUMNS[0], *COLUMNS[1]]])
    rows = correlations.coefficients.round(2)
    found["correlations"] = rows.rename_axis("τ over systems").reset_index()
    found["predicted"] = by_predictions(runs, paths, qrels)
    found["judged"] = by_judgments(runs, qrels)
    found["headroom"] = headroom_of(perquery, qrels)
    found["rerankers"] = rerankers(qrels)
    titles = {"data": "The data", "relevance": "Relevance and exposure, with intervals at 95 %",
              "fairness": "Fairness, with intervals at 95 %",
              "power": "Pairs of systems that a measure tells apart",
              "correlations": "Kendall's τ of the systems' averages",
              "predicted": "Re-ranking by predicted stances: differences, with intervals at 95 %",
              "judged": "Re-ranking by judged stances: differences, with intervals at 95 %",
              "headroom": "How fair the systems could have been at their relevance",
              "rerankers": "Re-rankers of a perfect order, by the judged stances"}
    for name, title in titles.items():
        heading(title)
        show(found[name], 2)
        found[name].to_csv(folder / f"{name}.csv", index=False, lineterminator="\n")
    front = analysis.frontier(qrels, nDCG @ CUTOFF, AWRF @ CUTOFF)
    _, wide = plt.subplots(figsize=(10, 7), layout="constrained")
    drawn = {"power": curves(compared), "correlations": plots.correlations(correlations),
             "tradeoff": plots.tradeoff(averages, nDCG @ CUTOFF, AWRF @ CUTOFF, wide, front=front)}
    for name, ax in drawn.items():
        save(ax, folder, f"touche2022-{name}")
        image = folder / f"touche2022-{name}.png"
        # A palette makes the file a third of the size.
        Image.open(image).convert("RGB").quantize().save(image, optimize=True)
    report(runs, qrels, measures, labels=LABELS, confidence=LEVEL, progress=False,
           title="Touché 2022, task 2").save(folder / "touche2022.html")
    print(f"report: {folder / 'touche2022.html'}")
    return found


if __name__ == "__main__":
    main()
