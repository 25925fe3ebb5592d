"""Draws, Tintarev & Gadiraju, "Assessing Viewpoint Diversity in Search Results Using Ranking
Fairness Metrics" (SIGKDD Explorations 2021): the simulation study, whose values the paper gives in
section 4.2, its findings, its figures, and its guide (table 5).

``python examples/draws2021.py`` needs no input and takes a quarter of a minute.

What the paper says are the values and the findings, which are tested over the whole range that a
sentence speaks of. What we infer is the normaliser ``protected-first``: the paper leaves it to a
supplement, and this one gives the published values. What we decided are the bounds of a low, a
medium and a high bias, and what "steeper" and "more parabolic" mean in numbers.
"""

from __future__ import annotations

import itertools
import os
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from shared.comparison import Axes, arguments, heading, paragraph, plt, save, show
from tqdm.contrib.concurrent import thread_map

from pt_fairness import nDD, nDJS, nDKL, nDR, plots, simulation
from pt_fairness.measures.measure import score

#: The opposing viewpoints, which are the protected ones.
PROTECTED = ("-3", "-2", "-1")
#: The number of documents of each viewpoint, by set (table 4).
SETS = {
    "S1": {"-3": 100, "-2": 100, "-1": 100, "0": 100, "1": 100, "2": 100, "3": 100},
    "S2": {"-3": 80, "-2": 80, "-1": 80, "0": 115, "1": 115, "2": 115, "3": 115},
    "S3": {"-3": 60, "-2": 60, "-1": 60, "0": 130, "1": 130, "2": 130, "3": 130},
}
#: −1, −0.9, … 1 (section 4.1).
ALPHAS = tuple(i / 10 for i in range(-10, 11))
#: The weight of a document at α = 0 (section 4.1); above 1, so that no weight is 0 at α = ±1.
WEIGHT = 1.0001
#: The measures of section 3, with the normaliser that gives the published values.
MEASURES = (*(measure(protected=",".join(PROTECTED), norm="protected-first")
              for measure in (nDD, nDR, nDKL)), nDJS)
#: Measure, α, what the paper says of it, and the smallest and the largest mean over S1, S2 and S3
#: (section 4.2.1 and 4.2.2).
ABOUT = "about "
PUBLISHED: list[tuple[str, float, str, float, float]] = [
    ("nDD", -1.0, "", 1.00, 1.00), ("nDD", 0.0, ABOUT, 0.08, 0.08), ("nDD", 1.0, "", 0.55, 0.85),
    ("nDR", 0.0, ABOUT, 0.04, 0.04), ("nDR", 1.0, ABOUT, 0.19, 0.24),
    ("nDKL", -1.0, "", 1.00, 1.00), ("nDKL", 0.0, ABOUT, 0.03, 0.03),
    ("nDKL", 1.0, "", 0.40, 0.78),
    ("nDJS", -1.0, ABOUT, 0.18, 0.21), ("nDJS", 0.0, ABOUT, 0.03, 0.03),
    ("nDJS", 1.0, ABOUT, 0.07, 0.09),
]
#: Half a unit of the last decimal that the paper prints.
HALF_A_UNIT = 0.005
#: How many standard errors a mean may be off by chance.
SURE = 2.0
#: Table 5, by the balance of the distribution: the metric for a low, a medium and a high ranking
#: bias.
PUBLISHED_GUIDE = {"S3": ("low", "nDD", "nDD", "nDD"), "S2": ("medium", "nDD", "nDD", "nDKL"),
                   "S1": ("high", "nDD", "nDKL", "nDKL")}
#: What we decided to call a low, a medium and a high bias; the paper gives no bounds.
LEVELS = {"low bias": (0.0, 0.3), "medium bias": (0.3, 0.7), "high bias": (0.7, 1.0)}
LOW, HIGH = 0.3, 0.7
CROSSING = "nDKL is steeper from α ="
GUIDE_REASON = ("the paper says neither where a level of bias begins nor how it chose; see where "
                "nDKL becomes the steeper one")
BINOMIAL = ["nDD", "nDR", "nDKL"]
HOLDS, DIFFERS = "holds", "differs"
#: What we decided that words of the paper mean in numbers.
DECIDED = (
    "What we decided: steeper is a larger rise above the value at α = 0. More parabolic is a "
    f"smaller part of the rise to α = ±1. Mild bias is |α| up to {LOW}, severe from {HIGH}. A "
    f"finding fails where the means are the other way round, and if they are of different rankings "
    f"by more than {SURE:g} standard errors."
)
NDR_REASON = (
    "nDR near α = -1: a ratio without unprotected documents is 0, so the ranking that nDR is "
    "divided by, with all protected documents first, has no large ratio. A few unprotected "
    "documents among the first make ratios far above that, at α = -0.9 in more rankings than at -1."
)
END_REASON = (
    "nDD and nDKL at α = -1: every set reaches 1, so the rise is 1 minus the value at α = 0, which "
    "is largest on S1."
)


def simulate(sets: Mapping[str, Mapping[str, int]] = SETS, alphas: Iterable[float] = ALPHAS,
             measures: Sequence[Any] = MEASURES, draws: int = 1000, seed: int = 0) -> pd.DataFrame:
    """The mean of each measure over random rankings of each set and bias α (section 4.1).

    Measures of a protected group see rankings in which all protected viewpoints have the weight
    1.0001 − α, and the others 1.0001 + α. nDJS sees rankings in which one of the protected
    viewpoints, drawn for each ranking, has the first weight. α < 0 prefers the protected
    viewpoints, which follows from sections 4.1 and 4.1.2; section 4.2.2 says the opposite.

    A row depends on its set, α and measure, on ``draws`` and the seed, and not on other rows.

    :returns: ``set, alpha, measure, mean, sd`` (sample standard deviation over the rankings)
    """
    all_labels = [measure for measure in measures if "protected" not in measure.params]
    one_group = [measure for measure in measures if measure not in all_labels]

    def rows(point: tuple[str, float]) -> list[tuple[Any, ...]]:
        name, alpha = point
        labels = [*sets[name]]
        key = f"{name} {round(alpha, 12) + 0.0}"  # without −0
        seeds = np.random.SeedSequence(seed, spawn_key=tuple(key.encode())).spawn(3)
        protected = np.isin(labels, PROTECTED)
        choices = np.diag(protected)[protected]
        chosen = choices[np.random.default_rng(seeds[2]).choice(len(choices), draws)]
        values = {}
        for some, weighted, seed_ in ((one_group, protected, seeds[0]),
                                      (all_labels, chosen, seeds[1])):
            if some:
                weights = np.where(weighted, WEIGHT - alpha, WEIGHT + alpha)
                codes = simulation.biased_rankings([*sets[name].values()], weights, draws, seed_)
                values |= score(some, simulation.rankings(codes, labels))
        return [(name, alpha, str(measure), values[measure].mean(), values[measure].std(ddof=1))
                for measure in measures]

    # Threads run in parallel, because numpy releases the GIL.
    parts = thread_map(rows, [*itertools.product(sets, alphas)], max_workers=os.cpu_count(),
                       desc="simulation", unit="point")
    return pd.DataFrame(itertools.chain(*parts),
                        columns=["set", "alpha", "measure", "mean", "sd"])


def short(sweep: pd.DataFrame) -> pd.DataFrame:
    """The sweep with the measures' plain names."""
    return sweep.assign(measure=sweep["measure"].str.extract(r"^(\w+)", expand=False))


def values(sweep: pd.DataFrame, draws: int) -> pd.DataFrame:
    """Every published value beside the smallest and the largest mean over the sets.

    :param draws: the number of rankings of each mean
    :returns: ``what, published, ours, sampling error, remark``: "same" if ours is the published one
        at the printed decimals, within the sampling error
    """
    rows = []
    for measure, alpha, word, low, high in PUBLISHED:
        part = sweep[(sweep["measure"] == measure) & (sweep["alpha"] == alpha)]
        smallest, largest = part["mean"].min(), part["mean"].max()
        error = SURE * part["sd"].max() / np.sqrt(draws)
        difference = max(abs(smallest - low), abs(largest - high))
        same = difference <= HALF_A_UNIT + error + 1e-9
        published = " to ".join(dict.fromkeys([f"{low:.2f}", f"{high:.2f}"]))
        rows.append((f"{measure}, α = {alpha:g}", f"{word}{published}",
                     f"{smallest:.3f} to {largest:.3f}", f"±{error:.4f}",
                     "same" if same else DIFFERS))
    return pd.DataFrame(rows, columns=["what", "published", "ours", "sampling error", "remark"])


class Curves:
    """The means of a sweep: a row for each α, a column for each measure and set."""

    def __init__(self, sweep: pd.DataFrame, draws: int) -> None:
        frames = sweep.pivot(index="alpha", columns=["measure", "set"], values=["mean", "sd"])
        self.means = frames["mean"]
        self.errors = frames["sd"] / np.sqrt(draws)
        self.rises = self.means - self.means.loc[0.0]
        self.rise_errors = (self.errors**2 + self.errors.loc[0.0] ** 2) ** 0.5

    def not_farther_higher(self, measure: str) -> pd.DataFrame:
        """Where a mean is below that of the next α towards 0."""
        fails = {}
        for name in SETS:
            mean, error = self.means[measure, name], self.errors[measure, name]
            step = np.where(mean.index < 0, -1, 1)
            nearer = np.arange(len(mean)) - np.where(mean.index == 0, 0, step)
            difference = mean.to_numpy() - mean.to_numpy()[nearer]
            noise = np.hypot(error, error.to_numpy()[nearer])
            fails[f"{measure} on {name}"] = difference < -SURE * noise
        return pd.DataFrame(fails, index=self.means.index)

    def not_steeper(self, steep: tuple[str, str], flat: tuple[str, str], what: str) -> pd.DataFrame:
        """Where the curve ``steep``, a measure on a set, rises less than ``flat``.

        On one set, both are of the same rankings, and no margin is needed.
        """
        noise = np.hypot(self.rise_errors[steep], self.rise_errors[flat]) * (steep[1] != flat[1])
        return (self.rises[steep] < self.rises[flat] - SURE * noise).to_frame(what)

    def not_higher(self, high: tuple[str, str], low: tuple[str, str], what: str) -> pd.DataFrame:
        """Where the mean of the curve ``high``, a measure on a set, is below that of ``low``."""
        noise = np.hypot(self.errors[high], self.errors[low])
        return (self.means[high] < self.means[low] - SURE * noise).to_frame(what)

    def not_faster(self, fast: str, slow: str, near: float, far: float) -> pd.DataFrame:
        """The sets on which ``fast`` grows less than ``slow`` from one α to another."""
        growth = self.means.loc[far] - self.means.loc[near]
        fails = {f"{fast} and {slow} on {name}": growth[fast, name] < growth[slow, name]
                 for name in SETS}
        return pd.DataFrame(fails, index=[far])

    def not_more_parabolic(self, measure: str) -> pd.DataFrame:
        """Where nDKL has a larger part of its rise to α = ±1 than a measure has of its own."""
        fails = {}
        for name in SETS:
            curves = self.rises[[("nDKL", name), (measure, name)]]
            ends = np.where(curves.index.to_numpy()[:, None] < 0, curves.loc[-1.0], curves.loc[1.0])
            part = curves / ends
            fails[f"nDKL and {measure} on {name}"] = part.iloc[:, 0] > part.iloc[:, 1]
        return pd.DataFrame(fails)


def places(fails: pd.DataFrame) -> str:
    """The curves and the ranges of α in which a finding fails, as text."""
    texts = []
    for curve in fails:
        positions = np.flatnonzero(fails[curve])
        breaks = np.flatnonzero(np.diff(positions) > 1) + 1
        for run in filter(len, np.split(positions, breaks)):
            ends = dict.fromkeys([fails.index[run[0]], fails.index[run[-1]]])
            texts.append(f"{curve}, α = " + " to ".join(f"{alpha:g}" for alpha in ends))
    return "; ".join(texts)


def findings(sweep: pd.DataFrame, draws: int) -> pd.DataFrame:
    """What sections 4.2 and 5.1 say about the curves, and where ours are otherwise.

    :param draws: the number of rankings of each mean
    :returns: ``section, finding, result, where``: "holds" if it does so on every set and for every
        α that the sentence speaks of, and otherwise "differs", and where
    """
    curves = Curves(sweep, draws)
    means = curves.means
    less = [("S1", "S2"), ("S2", "S3")]
    sides = [means.index < 0, means.index > 0]

    def joined(parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
        return pd.concat(parts, axis=1)

    def of_measures(check: str, measures: Sequence[str]) -> pd.DataFrame:
        """A comparison of more with less balanced sets, of several measures."""
        return joined([getattr(curves, check)((measure, more), (measure, fewer),
                                              f"{measure} on {more} and {fewer}")
                       for measure in measures for more, fewer in less])

    def compared(check: str, first: str, second: str) -> pd.DataFrame:
        return joined([getattr(curves, check)((first, name), (second, name),
                                              f"{first} and {second} on {name}")
                       for name in SETS])

    extremes = means["nDJS"]
    not_extreme = pd.concat([extremes[side] > extremes.loc[end] + SURE * curves.errors["nDJS"][side]
                             for side, end in zip(sides, (-1.0, 1.0), strict=True)])
    below_zero = extremes < extremes.loc[0.0] - SURE * curves.rise_errors["nDJS"]
    ndr, ndr_error = means["nDR"], curves.errors["nDR"]
    surely = ndr - SURE * (ndr_error**2 + ndr_error.loc[-1.0] ** 2) ** 0.5
    peaks = [f"{name}: {ndr[name].max():.2f} at α = {ndr[name].idxmax():g}, "
             f"{ndr[name][-1.0]:.2f} at -1" for name in SETS
             if surely[name].max() > ndr[name][-1.0]]
    not_above = means.loc[[-1.0], "nDR"] <= 1
    kept = (means.xs("S3", axis=1, level="set") / means.xs("S1", axis=1, level="set")).loc[1.0]
    ratios = ", ".join(f"{measure} {kept[measure]:.2f}" for measure in ("nDR", "nDD", "nDKL"))
    vulnerable = kept["nDR"] <= kept[["nDD", "nDKL"]].max()
    mild = joined([compared("not_steeper", "nDD", other) for other in ("nDR", "nDKL")])
    mild_ndkl = joined([compared("not_steeper", other, "nDKL") for other in ("nDD", "nDR")])
    mildly = (abs(means.index) <= LOW) & (means.index != 0)
    largest = means.max()
    not_lower = largest["nDJS"].loc[[*SETS]] >= largest[BINOMIAL].unstack().min().loc[[*SETS]]
    three = "nDD, nDR, nDKL"
    rows = [
        ("4.2.1", f"{three}: lowest at α = 0, and higher the farther α is from 0",
         places(joined([curves.not_farther_higher(measure) for measure in BINOMIAL]))),
        ("4.2.1", f"{three}: steeper on S1 than on S2, and on S2 than on S3",
         places(of_measures("not_steeper", BINOMIAL))),
        ("4.2.1", f"{three}: higher at α = -1 than at α = 1",
         places((means.loc[[-1.0], BINOMIAL] <= means.loc[1.0, BINOMIAL]).set_axis(
             [f"{measure} on {name}" for measure, name in means[BINOMIAL].columns], axis=1))),
        ("4.2.1", f"{three}: higher at α = 1 the more protected documents there are",
         places(of_measures("not_higher", BINOMIAL).loc[[1.0]])),
        ("4.2.1", "nDR: less steep than nDD", places(compared("not_steeper", "nDD", "nDR"))),
        ("4.2.1", "nDR: steeper than nDKL", places(compared("not_steeper", "nDR", "nDKL"))),
        ("4.2.1", "nDR: does not tell levels of bias against the protected viewpoint apart well "
         "(rises least to α = 1)",
         places(joined([compared("not_steeper", other, "nDR").loc[[1.0]]
                        for other in ("nDD", "nDKL")]))),
        ("4.2.1", "nDR: reaches its maximal means at α = -1", "; ".join(peaks)),
        ("4.2.1", "nDR: above 1 at α = -1", places(not_above)),
        ("4.2.1", "nDKL: more parabolic than nDD and nDR",
         places(joined([curves.not_more_parabolic(measure) for measure in ("nDD", "nDR")]))),
        ("4.2.1", "nDKL: does not tell low bias apart well (rises least)",
         places(mild_ndkl[mildly])),
        ("5.1", "nDD: the most divergent values for mild bias (rises most)", places(mild[mildly])),
        ("5.1", "nDKL: tells severe bias apart better than nDD",
         places(pd.concat([curves.not_faster("nDKL", "nDD", sign * HIGH, sign)
                           for sign in (-1.0, 1.0)]))),
        ("5.1", "nDR: slightly better at medium levels of negative bias",
         places(joined([curves.not_faster("nDR", other, -LOW, -HIGH)
                        for other in ("nDD", "nDKL")]))),
        ("5.1", "nDR: least vulnerable to a small disadvantaged group (S3 / S1 at α = 1: "
         f"{ratios})",
         "α = 1" if vulnerable else ""),
        ("4.2.2", "nDJS: highest at the extremes, lowest at α = 0",
         places(not_extreme | below_zero.reindex(not_extreme.index))),
        ("4.2.2", "nDJS: higher on S1 than on S2, and on S2 than on S3",
         places(of_measures("not_higher", ["nDJS"]).drop(0.0))),
        ("4.2.2", f"nDJS: maximum far below those of {three}",
         places(not_lower.to_frame().T)),
    ]
    table = pd.DataFrame(rows, columns=["section", "finding", "where"])
    table.insert(2, "result", np.where(table["where"] == "", HOLDS, DIFFERS))
    return table


def guide(sweep: pd.DataFrame) -> pd.DataFrame:
    """Which of nDD and nDKL tells levels of bias apart better, that is, whose mean grows faster
    with α, where the protected minority is put at a disadvantage (α > 0). nDR is left out, as the
    paper advises against it.

    :returns: a row for each set, as table 5 has them: the published and the recomputed metric of
        each level, and the α from which on nDKL is the steeper one
    """
    rows = []
    for name, (balance, *published) in PUBLISHED_GUIDE.items():
        means = sweep[(sweep["set"] == name) & (sweep["alpha"] >= 0)].pivot(
            index="alpha", columns="measure", values="mean"
        )
        means = means[["nDD", "nDKL"]].sort_index()
        row = {"balance": balance, "set": name}
        for (level, (start, end)), metric in zip(LEVELS.items(), published, strict=True):
            ours = (means.loc[end] - means.loc[start]).idxmax()
            row[level] = ours if ours == metric else f"{ours} (published: {metric})"
        rows.append({**row, CROSSING: crossing(means)})
    return pd.DataFrame(rows)


def crossing(means: pd.DataFrame) -> float:
    """The α from which on nDKL grows faster than nDD: where a line through the differences of their
    slopes crosses 0.
    """
    alphas = means.index.to_numpy()
    middles, lead = (
        (alphas[1:] + alphas[:-1]) / 2,
        (means["nDKL"] - means["nDD"]).diff().to_numpy()[1:],
    )
    last = int(np.flatnonzero(lead <= 0)[-1])
    return float(np.interp(0.0, lead[last:last + 2], middles[last:last + 2]))


#: The upper end of our figure 1. The paper's is 1, beyond which it does not show nDR; a little more
#: shows the lines that reach 1.
TOP = 1.05


def draw_sweep(ax: Axes, sweep: pd.DataFrame, measure: str) -> None:
    """The mean of a measure ± one standard deviation, cut at 0, against the bias α of each set."""
    part = sweep[sweep["measure"] == measure]
    for i, (name, curve) in enumerate(part.groupby("set", sort=False)):
        curve = curve.sort_values("alpha")
        colour = plots.PALETTE[i]
        ax.plot(curve["alpha"], curve["mean"], marker="osD"[i], markersize=4, color=colour,
                label=name)
        ax.fill_between(curve["alpha"], curve["mean"] - curve["sd"], curve["mean"] + curve["sd"],
                        alpha=0.2, color=colour, linewidth=0)
    cut = ", cut at 0" if (part["mean"] < part["sd"]).any() else ""
    ax.set(xlabel="ranking bias α (< 0: weighted viewpoints on top)",
           ylabel=f"mean ± 1 standard deviation{cut}", title=f"{measure} (0 is fair)")
    ax.set_ylim(bottom=0)


def figures(sweep: pd.DataFrame, folder: Path) -> None:
    _, axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
    for ax, measure in zip(axes, BINOMIAL, strict=True):
        draw_sweep(ax, sweep, measure)
        part = sweep[sweep["measure"] == measure]
        if (part["mean"] + part["sd"]).max() > TOP:
            ax.set_title(f"{ax.get_title()}, cut at {TOP:g}")
        ax.set_ylim(top=TOP)
    axes[0].legend(title="set")
    save(axes[0], folder, "draws2021-figure1")
    _, ax = plt.subplots(layout="constrained")
    draw_sweep(ax, sweep, "nDJS")
    ax.legend(title="set")
    save(ax, folder, "draws2021-figure2")


def main(arguments_: list[str] | None = None) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Prints it all; returns the values and the guide."""
    parser = arguments(__doc__)
    parser.add_argument(
        "-n",
        type=int,
        default=1000,
        help="rankings for each set and α (default: 1000, as in the paper)",
    )
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments_)
    sweep = short(simulate(draws=given.n, seed=given.seed))

    heading("Section 4.2: means over the rankings, smallest to largest of S1, S2, S3")
    table = values(sweep, given.n)
    show(table)
    paragraph(f"same: equal at the printed decimals, within the sampling error ({SURE:g} standard "
              f"errors of {given.n} rankings). About: the paper's \"approximately\".")
    of_ndr = sweep[(sweep["measure"] == "nDR") & (sweep["alpha"] == -1)]
    paragraph(f"nDR, α = -1: the mean hides an sd of {of_ndr['sd'].max():.1f}; the normaliser is "
              "no maximum here.")

    heading("Sections 4.2 and 5.1: what the paper finds, and whether it holds here")
    table_of_findings = findings(sweep, given.n)
    show(table_of_findings.drop(columns="where"))
    print()
    for row in table_of_findings[table_of_findings["where"] != ""].itertuples():
        print(textwrap.fill(f"{row.finding}: {DIFFERS} for {row.where}.", 100,
                            subsequent_indent="  "))
    failed = "".join(table_of_findings["where"])
    if "nDD on S1 and S2, α = -1" in failed:
        paragraph(END_REASON)
    if "at α = -0.9" in failed:
        paragraph(NDR_REASON)
    paragraph(DECIDED)

    heading("Table 5: which metric for which balance and bias")
    recommended = guide(sweep)
    show(recommended, 2)
    if recommended.map(lambda cell: "published" in str(cell)).any(axis=None):
        paragraph(f"Differences: {GUIDE_REASON}. The bounds of the levels are ours: "
                  f"{LOW:g} and {HIGH:g}.")
    if recommended[CROSSING].is_monotonic_decreasing:
        print("The less balanced the set, the later that is: the pattern of the table.")
    print()
    figures(sweep, given.figures)
    return table, recommended


if __name__ == "__main__":
    main()
