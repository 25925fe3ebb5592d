"""Pathiyan Cherumanal, Spina, Scholer & Croft, "Evaluating Fairness in Argument Retrieval" (CIKM
2021): the controlled scenario (tables 3 and 4), and with qrels and runs also the real one (table 2,
figure 2 and the harmonic mean).

``python examples/pathiyancherumanal2021.py`` for the controlled scenario alone; ``python
examples/pathiyancherumanal2021.py QRELS RUN…`` with the stance (PRO, CON) in the second column of
the qrels, or ``--groups SOURCE`` for groups from elsewhere (``argsme/1.0/stance``,
``trec-newswire``, a file). The 2,964 judgments of the paper are those of the dataset
``argsme/1.0/touche-2020-task-1/uncorrected`` of ir_datasets.

With ``--groups``, retrieved documents that are not judged have a stance, too, as in the README of
the released code. The second column of qrels has those of judged documents only.

Tables 3 and 4 are computed twice: by the recipe that gives every published value
(``by_the_recipe``), and by the measures of the package, which are the equations of the paper. The
four cells of rND and rRD in the proportion-agnostic setting depend on how floats break ties: they
are those of sums that add the terms one by one from i = 1 to 10, each term of rND multiplied by
1 / log2(i + 1). Table 2 is computed a third time, as the released code does it
(``by_the_released_code``). Without runs, the script checks whether its stars fit 21 systems.

The paper states equations 1 to 4, the values and the findings. We infer the recipe from the values.
We decided from which numbers on a value is "high" and a difference "substantial".
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from pathlib import Path

import pandas as pd
from das2019 import relevance_and_fairness
from ir_measures import nDCG, parse_measure
from scipy import stats
from shared.comparison import arguments, experiment, heading, paragraph, save, show
from shared.inputs import annotated_qrels, file, read_runs, source

from pt_fairness import analysis, annotate, rKL, rND, rRD
from pt_fairness.core.messages import TREC_DEFAULTS, UNANNOTATED

#: Tables 3 and 4: τ between an unfairness measure and α-nDCG@5, by α and setting; * is p < .05.
PUBLISHED = {
    0.5: {
        "rND": ("-0.4812*", "-0.1434", "0.0000"),
        "rKL": ("-0.1747", "-0.8378*", "-0.1747"),
        "rRD": ("0.1032", "-0.6924*", "-0.2572"),
    },
    0.9: {
        "rND": ("-0.4554*", "-0.1520", "0.0000"),
        "rKL": ("-0.2003", "-1.0000*", "-0.2003"),
        "rRD": ("0.1032", "-0.5799*", "-0.2572"),
    },
}
TABLES = {0.5: "Table 3", 0.9: "Table 4"}
#: Setting and protected stance, in the order of the tables' columns (section 4.2).
SETTINGS = {"minority": "CON", "proportion-agnostic": "PRO", "majority": "PRO"}
#: The number of relevant PRO documents for each CON document, by setting (section 4.2). The paper
#: gives the ratios; we decided on five CON documents.
RATIOS = {"minority": 4, "proportion-agnostic": 1, "majority": 4}
#: The protected share of the relevant documents in the published tables: 3 : 1, not 4 : 1.
SHARES = {"minority": 1 / 4, "proportion-agnostic": 1 / 2, "majority": 3 / 4}
#: The last prefix in the sums of the published tables; the cutoff is 5.
LAST = 10
CUTOFF = 5
UNFAIR = ("rND", "rKL", "rRD")
DIVERSITY = {0.5: "alpha_nDCG@5", 0.9: "alpha_nDCG(alpha=0.9)@5"}
#: The rankings of section 5.2, with the unprotected and with the protected stance alone, and their
#: rKL@5 in the minority setting.
ONE_SIDED = {"CON": ("1", "32"), "PRO": ("32", "1")}
PUBLISHED_ONE_SIDED = ("0.1463", "1.0000")
#: Table 2, of the 21 runs of Touché 2020.
OFFICIAL_RUNS = 21
PUBLISHED_REAL = {
    ("rND@5", "nDCG@5"): "-0.0762", ("rND@5", "alpha_nDCG@5"): "-0.0667",
    ("rKL@5", "nDCG@5"): "-0.2667", ("rKL@5", "alpha_nDCG@5"): "-0.3333*",
    ("rKL@5", "rND@5"): "0.3524*", ("rRD@5", "nDCG@5"): "-0.2571",
    ("rRD@5", "alpha_nDCG@5"): "-0.3238*", ("rRD@5", "rND@5"): "-0.1143",
    ("rRD@5", "rKL@5"): "0.2857",
}
RECIPE, EQUATIONS = "by the recipe", "as the equations say"
RELEASED = "by the released code"
#: What we decided: "substantially lower" is a difference of τ of this size, or a difference of
#: rND@5 of at most this part of that of rKL@5; "high" is above one half.
LOWER_TAU, LOWER_PART, HIGH = 0.2, 2 / 3, 0.5


def by_the_recipe(protected: Sequence[bool], share: float) -> tuple[float, float, float]:
    """rND, rKL and rRD of a ranking, as the published values were computed.

    :param protected: whether each of the first five documents is protected
    :param share: the protected share of the relevant documents, above 0 and below 1
    """
    difference = divergence = ratio = 0.0
    for i in range(1, LAST + 1):
        first = protected[: min(i, CUTOFF)]  # the counts stay while i grows
        plus = sum(first)
        minus = len(first) - plus
        discount = 1 / math.log2(i + 1)
        difference += discount * abs(plus / (i + 1) - share)
        divergence += discount * sum(
            count / i * math.log2(count / i / target)
            for count, target in ((plus, share), (minus, 1 - share))
            if count
        )
        ratio += abs((plus / minus if plus and minus else 0.0) - share / (1 - share))
    return difference, divergence, ratio


def by_the_released_code(protected: Sequence[bool], share: float) -> tuple[float, float, float]:
    """rND, rKL and rRD of a ranking as in https://github.com/sachinpc1993/fair-arguments: the sums
    end at 5, rND divides by i + 1, and rRD is discounted.

    The base of its logarithm in rKL is e. Here it is 2, which changes no τ.

    :param protected: as of :func:`by_the_recipe`, and so is ``share``
    """
    difference = divergence = ratio = 0.0
    for i in range(1, CUTOFF + 1):
        first = protected[:i]
        plus = sum(first)
        minus = len(first) - plus
        parts = [(plus / i, share), (minus / i, 1 - share)]
        of_ranks = plus / minus if plus and minus else 0.0
        terms = (abs(plus / (i + 1) - share),
                 sum(part * math.log2(part / target) for part, target in parts if part),
                 abs(of_ranks - share / (1 - share)))
        discounted = [term / math.log2(i + 1) for term in terms]
        difference, divergence, ratio = (
            difference + discounted[0], divergence + discounted[1], ratio + discounted[2])
    return difference, divergence, ratio


def published_stars() -> pd.DataFrame:
    """Compare the stars of table 2 with the exact p-values of its τ, for 21 untied systems.

    :returns: ``what, published, discordant`` (pairs of systems), ``p, consistent``
    """
    pairs = OFFICIAL_RUNS * (OFFICIAL_RUNS - 1) / 2
    rows = []
    for names, published in PUBLISHED_REAL.items():
        tau = float(published.rstrip("*"))
        discordant = round((1 - tau) / 2 * pairs)
        order, rest, left = [], list(range(OFFICIAL_RUNS)), discordant
        while rest:
            place = min(left, len(rest) - 1)
            order.append(rest.pop(place))
            left -= place
        exact, p = stats.kendalltau(range(OFFICIAL_RUNS), order, method="exact")
        fits = f"{exact:.4f}{'*' if p < analysis.ALPHA else ''}" == published
        rows.append(("τ({}, {})".format(*names), published, discordant, p, fits))
    return pd.DataFrame(rows, columns=["what", "published", "discordant", "p", "consistent"])


def cell(tau: float, p: float, cut: bool = False) -> str:
    """A cell of a table: four decimals, rounded or cut, and a star for p < .05."""
    value = math.trunc(round(tau * 1e4, 6)) / 1e4 if cut else tau
    return f"{value + 0.0:.4f}{'*' if p < analysis.ALPHA else ''}"


def permutations(setting: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Run and qrels with a topic for every ranking of five relevant documents of two stances.

    Topic ``1`` has PRO documents alone, topic ``32`` CON documents alone (figure 1).
    """
    orders = itertools.product(("PRO", "CON"), repeat=CUTOFF)
    run = pd.DataFrame(itertools.chain(*orders), columns=["stance"])
    run["qid"] = (run.index // CUTOFF + 1).astype(str)
    run["score"] = -(run.index % CUTOFF).astype(float)
    number = run.groupby(["qid", "stance"]).cumcount() + 1
    run["docno"] = run["stance"] + "-" + number.astype(str)
    sizes = {"PRO": RATIOS[setting] * CUTOFF, "CON": CUTOFF}
    judged = pd.DataFrame([(f"{stance}-{i + 1}", stance, 1) for stance, size in sizes.items()
                           for i in range(size)], columns=["docno", "iteration", "label"])
    return run[["qid", "docno", "score"]], run[["qid"]].drop_duplicates().merge(judged, how="cross")


def controlled(setting: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    """The values of the 32 rankings by the recipe, and by the equations; indexed by topic."""
    run, qrels = permutations(setting)
    protected = SETTINGS[setting]
    measures = [m(protected=protected) @ CUTOFF for m in (rND, rKL, rRD)] + [
        parse_measure(name) for name in DIVERSITY.values()
    ]
    _, perquery = experiment({"all rankings": run}, qrels, measures)
    table = perquery.pivot(index="qid", columns="measure", values="value")
    # Values that rounding errors alone keep apart are ties.
    equations = table.rename(columns={str(m): m.NAME for m in measures[:3]}).round(12)
    stances = run["docno"].str.startswith(protected).groupby(run["qid"]).agg(list)
    recipe = pd.DataFrame(
        [by_the_recipe(flags, SHARES[setting]) for flags in stances],
        columns=UNFAIR, index=stances.index,
    )
    # ndeval prints six decimals.
    return recipe.join(equations[list(DIVERSITY.values())].round(6)), equations


def correlation(values: pd.DataFrame, measure: str, alpha: float) -> tuple[float, float]:
    """Kendall's τ of a measure with α-nDCG@5 over the rankings, and its p."""
    return tuple(stats.kendalltau(values[measure], values[DIVERSITY[alpha]]))


def normalised(values: pd.DataFrame) -> pd.DataFrame:
    """The unfairness of every ranking, min–max normalised over the rankings (section 3.1)."""
    # minmax works on any table of named rows: here, topics.
    table = values[[*UNFAIR]].rename(columns=lambda name: f"{name}@{CUTOFF}").reset_index()
    scaled = analysis.minmax(table.rename(columns={"qid": "name"}))
    return scaled.set_index("name").set_axis(list(UNFAIR), axis=1)


def findings(results: dict[str, pd.DataFrame]) -> dict[str, bool]:
    """Whether each finding of section 5.2 holds.

    :param results: the values of the 32 rankings, by setting
    """
    tau = {
        (measure, setting, alpha): round(correlation(values, measure, alpha)[0], 12)
        for setting, values in results.items() for measure in UNFAIR for alpha in DIVERSITY
    }
    ends = {
        (measure, setting): [normalised(values)[measure][qid]
                             for qid in ONE_SIDED[SETTINGS[setting]]]
        for setting, values in results.items() for measure in UNFAIR
    }
    middle, skewed = "proportion-agnostic", ("minority", "majority")
    low, high = ends["rKL", "minority"]
    rnd_low, rnd_high = ends["rND", "minority"]
    diversity = [values[list(DIVERSITY.values())] for values in results.values()]
    return {
        "rND@5 is correlated more negatively in the minority setting than in the others": all(
            tau["rND", "minority", alpha] < tau["rND", other, alpha]
            for alpha in DIVERSITY for other in (middle, "majority")),
        "rKL@5 has the same τ in the minority and the majority setting": all(
            tau["rKL", "minority", alpha] == tau["rKL", "majority", alpha] for alpha in DIVERSITY),
        "α-nDCG@5 is the same in all settings": all(
            diversity[0].equals(other) for other in diversity),
        "With α = 0.9 rKL@5 is correlated more negatively": all(
            tau["rKL", setting, 0.9] < tau["rKL", setting, 0.5] for setting in SETTINGS),
        "With α = 0.9 neither rND@5 nor rRD@5 is": all(
            tau[measure, setting, 0.9] >= tau[measure, setting, 0.5]
            for measure in ("rND", "rRD") for setting in SETTINGS),
        "rRD@5 has the same τ for both α in the minority and the majority setting": all(
            tau["rRD", setting, 0.5] == tau["rRD", setting, 0.9] for setting in skewed),
        "τ of rRD@5 is substantially lower in the proportion-agnostic setting": all(
            tau["rRD", middle, alpha] <= tau["rRD", other, alpha] - LOWER_TAU
            for alpha in DIVERSITY for other in skewed),
        "rKL@5 is low for the unprotected stance alone, 1 for the protected one (minority)":
            low < 0.15 and high == 1,
        "rND@5 of these two differs substantially less than rKL@5":
            rnd_high - rnd_low <= LOWER_PART * (high - low),
        **{f"rRD@5 is high (above 0.5) for both one-sided rankings ({setting})":
           min(ends["rRD", setting]) > HIGH for setting in SETTINGS},
    }


def controlled_tables() -> tuple[dict[float, pd.DataFrame], pd.DataFrame, pd.DataFrame]:
    """Tables 3 and 4, the one-sided rankings of section 5.2, and its findings."""
    results = {setting: controlled(setting) for setting in SETTINGS}
    by = {name: {setting: pair[i] for setting, pair in results.items()}
          for i, name in enumerate((RECIPE, EQUATIONS))}
    tables = {}
    for alpha, published in PUBLISHED.items():
        heading(f"{TABLES[alpha]}: τ with α-nDCG@5, α = {alpha}, over the 32 rankings")
        tables[alpha] = pd.DataFrame([
            (f"{setting}: {measure}@5", published[measure][place],
             cell(*correlation(by[RECIPE][setting], measure, alpha), cut=True),
             cell(*correlation(by[EQUATIONS][setting], measure, alpha)))
            for place, setting in enumerate(SETTINGS) for measure in UNFAIR
        ], columns=["what", "published", RECIPE, EQUATIONS])
        show(tables[alpha])
        same = [(tables[alpha][how] == tables[alpha]["published"]).sum()
                for how in (RECIPE, EQUATIONS)]
        print(f"as published: {same[0]} of 9 by the recipe, {same[1]} of 9 by the equations")

    heading("Section 5.2: the rankings with the unprotected and with the protected stance alone, "
            "min–max")
    rows = []
    for setting, protected in SETTINGS.items():
        for measure in UNFAIR:
            of = (measure, setting) == ("rKL", "minority")
            for place, side in enumerate(("unprotected", "protected")):
                qid = ONE_SIDED[protected][place]
                rows.append((f"{setting}: {measure}@5, {side}",
                             PUBLISHED_ONE_SIDED[place] if of else "–",
                             *(f"{normalised(values[setting])[measure][qid]:.4f}"
                               for values in by.values())))
    extremes = pd.DataFrame(rows, columns=["what", "published", RECIPE, EQUATIONS])
    show(extremes)

    heading("Findings of section 5.2")
    found = pd.DataFrame({how: findings(values) for how, values in by.items()})
    found = found.rename_axis("what").reset_index()
    show(found.replace({True: "holds", False: "does not hold"}))
    for how, values in by.items():
        ends = normalised(values["minority"]).loc[["32", "1"]]
        differences = ends.iloc[0] - ends.iloc[1]
        print(f"The two one-sided rankings (minority), {how}: rND@5 differs by "
              f"{differences['rND']:.3f}, rKL@5 by {differences['rKL']:.3f}.")
    paragraph(f"What we decided: a τ is substantially lower by {LOWER_TAU:g}, a difference if it "
              "is at most two thirds.")
    return tables, extremes, found


#: Takes whether each of the first five documents is protected, and the share of the protected ones.
Computation = Callable[[Sequence[bool], float], tuple[float, float, float]]


def with_stances(qrels: pd.DataFrame, run: pd.DataFrame, groups: str | None) -> pd.DataFrame:
    """The ranked documents that have a stance, in trec_eval's order: ``qid, docno, stance``.

    :param groups: the source of the stances; ``None`` for those of the judged documents
    """
    if groups is None:
        ranked = run.merge(qrels, on=["qid", "docno"]).rename(columns={"iteration": "stance"})
        ranked = ranked[~ranked["stance"].isin({*UNANNOTATED, *TREC_DEFAULTS})]
    else:
        ranked = annotate(groups)(run).rename(columns={"group": "stance"}).dropna(subset="stance")
    return ranked.sort_values(["score", "docno"], ascending=False)[["qid", "docno", "stance"]]


def averages_by(compute: Computation, qrels: pd.DataFrame, runs: dict[str, pd.DataFrame],
                groups: str | None = None) -> pd.DataFrame:
    """The mean over the topics of rND, rKL and rRD by a computation, for every run.

    The protected stance of a topic is that of the fewest relevant documents. A topic whose relevant
    documents have one stance has 0, as it has in the package.
    """
    known = qrels[~qrels["iteration"].isin({*UNANNOTATED, *TREC_DEFAULTS})]
    counts = known[known["label"] > 0].groupby(["qid", "iteration"]).size()
    rows = []
    for name, run in runs.items():
        ranked = with_stances(qrels, run, groups)
        stances = ranked.groupby("qid")["stance"].agg(lambda labels: list(labels[:CUTOFF]))
        total = [0.0, 0.0, 0.0]
        for qid, sizes in counts.groupby(level=0):
            if len(sizes) > 1:
                flags = [label == sizes.idxmin()[1] for label in stances.get(qid, [])]
                values = compute(flags, sizes.min() / sizes.sum())
                total = [a + b for a, b in zip(total, values, strict=True)]
        rows.append((name, *(value / qrels["qid"].nunique() for value in total)))
    return pd.DataFrame(rows, columns=["name", *(f"{measure}@5" for measure in UNFAIR)])


def unjudged(qrels: pd.DataFrame, run: pd.DataFrame) -> str:
    """How many of the first five documents of all topics are not judged."""
    run = run[run["qid"].isin(qrels["qid"])].sort_values(["score", "docno"], ascending=False)
    first = run.groupby("qid").head(CUTOFF).merge(qrels, on=["qid", "docno"], how="left")
    return f"{first['label'].isna().sum()} of {len(first)}"


def real(
    qrels: pd.DataFrame, runs: dict[str, pd.DataFrame], folder: Path, groups: str | None = None
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Table 2, figure 2 and the ranking by the harmonic mean.

    :param groups: the source of the stances of retrieved documents; by default those of the qrels
    """
    measures = [nDCG @ 5, parse_measure(DIVERSITY[0.5])]
    options = {"norm": "none"} if groups is None else {"norm": "none", "groups": groups}
    sums = [m(**options) @ CUTOFF for m in (rND, rKL, rRD)]
    averages, _ = experiment(runs, qrels, [*measures, *sums])
    averages = averages.rename(columns={str(m): f"{m.NAME}@5" for m in sums})
    fairness = [f"{measure}@5" for measure in UNFAIR]
    sums_of_runs = averages[["name", *fairness]]
    scaled = analysis.minmax(sums_of_runs)
    averages = averages.assign(**scaled[fairness])
    heading(f"Averages over {qrels['qid'].nunique()} topics; rND, rKL and rRD are the sums of "
            "equations 1 to 4, min–max over the runs")
    missing = [unjudged(qrels, runs[name]) for name in averages["name"]]
    show(averages.assign(**{"unjudged of the first 5": missing}))
    if groups is None:
        paragraph("Without --groups, documents that are not judged have no stance, and rND, rKL "
                  "and rRD leave them out.")
    print()
    show(sums_of_runs.rename(columns={name: f"{name}, sum" for name in fairness}))

    heading(f"Table 2: τ over {len(runs)} runs")
    official = len(runs) == OFFICIAL_RUNS
    values = {
        EQUATIONS: averages,
    }
    for how, compute in ((RECIPE, by_the_recipe), (RELEASED, by_the_released_code)):
        sums_by = averages_by(compute, qrels, runs, groups)
        values[how] = averages.drop(columns=fairness).merge(sums_by, on="name")
    table = pd.DataFrame([
        (f"τ({one}, {two})", published,
         *(cell(*stats.kendalltau(of[one].round(12), of[two].round(12)))
           for of in values.values()))
        for (one, two), published in PUBLISHED_REAL.items()
    ], columns=["what", "published", *values])
    if not official:
        table = table.drop(columns="published")
        paragraph(f"These are {len(runs)} runs, not the {OFFICIAL_RUNS} of Touché 2020, so the "
                  "published values are not printed.")
    show(table)

    heading("Section 5.1: systems by nDCG@5, and by the harmonic mean of α-nDCG@5 and 1 − rKL@5")
    combined = analysis.combine(averages, ["alpha_nDCG@5", "1-rKL@5"], "hmean")
    mean = combined.columns[-1]
    ranks = combined.set_index("name")[["nDCG@5", mean]].round(12)
    ranks = ranks.rank(ascending=False, method="min").astype(int)
    ranks[f"{mean} move"] = ranks["nDCG@5"] - ranks[mean]
    ranks = ranks.sort_values("nDCG@5", kind="stable").reset_index()
    show(ranks)
    if len(combined) > 3:
        leaders = [combined.nlargest(3, by)["name"].tolist() for by in ("nDCG@5", mean)]
        print(f"The three best are {'the same' if leaders[0] == leaders[1] else 'not the same'}.\n")
    axes = relevance_and_fairness(averages, "nDCG@5", ["rKL@5"])
    save(axes, folder, "pathiyancherumanal2021-figure2")
    return table, ranks


def main(
    arguments_: list[str] | None = None,
) -> tuple[dict[float, pd.DataFrame], pd.DataFrame, pd.DataFrame, pd.DataFrame | None]:
    """Prints it all; returns tables 3 and 4, the one-sided rankings, the findings, and table 2 if
    there were runs.
    """
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
    tables, extremes, found = controlled_tables()
    heading(f"The stars of table 2, and exact p-values for {OFFICIAL_RUNS} systems without ties")
    stars = published_stars()
    show(stars.assign(consistent=stars["consistent"].map({True: "yes", False: "no"})))
    table2 = None
    if qrels is not None:
        table2, _ = real(qrels, read_runs(given.runs), given.figures, given.groups)
    else:
        print("\nNo runs were given: table 2 and figure 2 are left out.")
    return tables, extremes, found, table2


if __name__ == "__main__":
    main()
