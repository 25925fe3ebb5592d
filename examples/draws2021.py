"""Draws, Tintarev & Gadiraju, "Assessing Viewpoint Diversity in Search Results Using Ranking
Fairness Metrics" (SIGKDD Explorations 2021): the simulation study, whose values the paper gives in
section 4.2, its findings, its figures, and its guide (table 5).

``python examples/draws2021.py`` needs no input and takes a quarter of a minute.
"""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
from shared.comparison import Row, arguments, beside, heading, paragraph, plt, save, show

from pt_fairness import plots, simulation

#: Section 4.2 gives values "approximately"; the figures cannot be read more exactly.
TOLERANCE = 0.015
#: Measure, α, and the smallest and the largest mean over S1, S2 and S3 (section 4.2.1 and 4.2.2).
PUBLISHED: list[tuple[str, float, float, float]] = [
    ("nDD", -1.0, 1.00, 1.00), ("nDD", 0.0, 0.08, 0.08), ("nDD", 1.0, 0.55, 0.85),
    ("nDR", 0.0, 0.04, 0.04), ("nDR", 1.0, 0.19, 0.24),
    ("nDKL", -1.0, 1.00, 1.00), ("nDKL", 0.0, 0.03, 0.03), ("nDKL", 1.0, 0.40, 0.78),
    ("nDJS", -1.0, 0.18, 0.21), ("nDJS", 0.0, 0.03, 0.03), ("nDJS", 1.0, 0.07, 0.09),
]
#: Table 5, by the balance of the distribution: the metric for a low, a medium and a high ranking
#: bias.
PUBLISHED_GUIDE = {"S3": ("low", "nDD", "nDD", "nDD"), "S2": ("medium", "nDD", "nDD", "nDKL"),
                   "S1": ("high", "nDD", "nDKL", "nDKL")}
LEVELS = {"low bias": (0.0, 0.3), "medium bias": (0.3, 0.7), "high bias": (0.7, 1.0)}
CROSSING = "nDKL is steeper from α ="
GUIDE_REASON = ("the paper says neither where a level of bias begins nor how it chose; see where "
                "nDKL becomes the steeper one")


def short(sweep: pd.DataFrame) -> pd.DataFrame:
    """The sweep with the measures' plain names."""
    return sweep.assign(measure=sweep["measure"].str.extract(r"^(\w+)", expand=False))


def values(sweep: pd.DataFrame) -> list[Row]:
    """Every published value beside the smallest and the largest mean over the sets."""
    rows: list[Row] = []
    for measure, alpha, low, high in PUBLISHED:
        means = sweep[(sweep["measure"] == measure) & (sweep["alpha"] == alpha)]["mean"]
        rows.append((f"{measure}, α = {alpha:g}", (low, high), (means.min(), means.max()), ""))
    return rows


BINOMIAL = ("nDD", "nDR", "nDKL")
#: How much lower than expected a mean of 1000 rankings may be by chance.
NOISE = 0.005
NDR_REASON = (
    "nDR near α = -1: a ratio without unprotected documents is 0, so the ranking that nDR is "
    "divided by, with all protected documents first, has no large ratio. A few unprotected "
    "documents among the first make ratios far above that, at α = -0.9 in more rankings than at -1."
)


def findings(sweep: pd.DataFrame) -> pd.DataFrame:
    """What sections 4.2.1 and 4.2.2 say about the curves, and where ours are otherwise.

    :returns: ``finding, holds, except``: whether it holds on every set and for every α that it is
        about, and where it does not
    """
    curves = {key: part.set_index("alpha")["mean"].sort_index()
              for key, part in sweep.groupby(["measure", "set"])}
    sides = [sorted((a for a in sweep["alpha"].unique() if a * sign >= 0), key=abs)
             for sign in (-1, 1)]

    def falls(measures: tuple[str, ...]) -> list[str]:
        return [f"{measure} on {name} from α = {near:g} to {far:g} "
                f"({curve[near]:.2f}, {curve[far]:.2f})"
                for (measure, name), curve in curves.items() if measure in measures
                for side in sides for near, far in itertools.pairwise(side)
                if curve[far] < curve[near] - NOISE]

    def less_steep(measures: tuple[str, ...]) -> list[str]:
        return [f"{measure} at α = {alpha:g} ({curves[measure, more][alpha]:.2f} on {more}, "
                f"{curves[measure, less][alpha]:.2f} on {less})"
                for measure in measures for more, less in (("S1", "S2"), ("S2", "S3"))
                for alpha in sweep["alpha"].unique()
                if curves[measure, more][alpha] < curves[measure, less][alpha] - NOISE]

    def out_of_order(low: str, high: str, alpha: float) -> list[str]:
        """Sets on which the curve of ``low`` is not below that of ``high``, above their minima."""
        return [f"{low}, {high} on {name}" for name in ("S1", "S2", "S3")
                if np.diff(curves[low, name][[0.0, alpha]])[0]
                >= np.diff(curves[high, name][[0.0, alpha]])[0]]

    rows = [
        ("nDD, nDR, nDKL: lowest at α = 0, and higher the farther α is from 0", falls(BINOMIAL)),
        ("nDJS: the same", falls(("nDJS",))),
        ("nDD, nDR, nDKL: S1 is steeper than S2, and S2 than S3", less_steep(BINOMIAL)),
        ("nDJS: the same", less_steep(("nDJS",))),
        ("all four: higher at α = -1 than at α = 1",
         [" on ".join(key) for key, curve in curves.items() if curve[-1.0] <= curve[1.0]]),
        ("nDD, nDR, nDKL: highest at α = -1",
         [f"{measure} on {name} ({curve.max():.2f} at α = {curve.idxmax():g}, {curve[-1.0]:.2f} "
          "at -1)" for (measure, name), curve in curves.items()
          if measure in BINOMIAL and curve.idxmax() != -1]),
        ("nDR: above 1 at α = -1",
         [name for (measure, name), curve in curves.items() if measure == "nDR"
          and curve[-1.0] <= 1]),
        ("bias for the protected group: nDR is steeper than nDKL, nDD than nDR (to α = -0.5)",
         out_of_order("nDKL", "nDR", -0.5) + out_of_order("nDR", "nDD", -0.5)),
        ("bias against it: nDR is the flattest (to α = 1)",
         out_of_order("nDR", "nDKL", 1.0) + out_of_order("nDR", "nDD", 1.0)),
    ]
    return pd.DataFrame([(finding, "no" if where else "yes", "; ".join(where))
                         for finding, where in rows], columns=["finding", "holds", "except"])


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


#: The upper end of figure 1, as in the paper; nDR goes beyond.
TOP = 1.05


def figures(sweep: pd.DataFrame, folder: Path) -> None:
    _, axes = plt.subplots(1, 3, figsize=(13, 4), layout="constrained")
    for ax, measure in zip(axes, ["nDD", "nDR", "nDKL"], strict=True):
        plots.bias_sweep(sweep, measure, ax)
        part = sweep[sweep["measure"] == measure]
        if (part["mean"] + part["sd"]).max() > TOP:
            ax.set_title(f"{ax.get_title()}, cut at {TOP:g}")
        ax.set_ylim(top=TOP)
    save(axes[0], folder, "draws2021-figure1")
    save(plots.bias_sweep(sweep, "nDJS"), folder, "draws2021-figure2")


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
    sweep = short(simulation.sweep(draws=given.n, seed=given.seed))

    heading("Section 4.2: means over the rankings, smallest to largest of S1, S2, S3")
    table = beside(values(sweep), TOLERANCE, 3)
    means = sweep[(sweep["measure"] == "nDR") & (sweep["alpha"] == -1)].set_index("set")["mean"]
    print()
    paragraph(
        f"nDR, α = -1: published \"above 1\"; ours "
        f"{', '.join(f'{mean:.3f} ({name})' for name, mean in means.items())}: "
        f"{'same' if (means > 1).all() else 'DIFFERS, UNEXPLAINED'}. The mean hides an sd of "
        f"{sweep[(sweep['measure'] == 'nDR') & (sweep['alpha'] == -1)]['sd'].max():.1f}: the "
        f"normaliser is no maximum here."
    )

    heading("Section 4.2: what the paper finds, and whether it holds here")
    found = findings(sweep)
    show(found[["finding", "holds"]])
    for one in found[found["holds"] == "no"].itertuples():
        paragraph(f"{one.finding}: except {one[3]}.")
    if found["except"].str.contains("nDR").any():
        paragraph(NDR_REASON)

    heading("Table 5: which metric for which balance and bias")
    recommended = guide(sweep)
    show(recommended, 2)
    if recommended.map(lambda cell: "published" in str(cell)).any(axis=None):
        paragraph(f"Differences: {GUIDE_REASON}.")
    if recommended[CROSSING].is_monotonic_decreasing:
        print("The less balanced the set, the later that is: the pattern of the table.")
    print()
    figures(sweep, given.figures)
    return table, recommended


if __name__ == "__main__":
    main()
