"""What does a fairer ranking cost? Every re-ranker and policy over a sweep of its parameter.

``python examples/tradeoff.py`` re-ranks BM25 over the debates that the package ships with, by
stance; with ``QRELS RUN… --groups NAME`` it re-ranks TREC runs, and every value is the mean over
the runs. Prints relevance beside fairness, and what is found; draws a figure. Needs no Java: ``pip
install 'pt-fairness[demo,plots]'``.

Every method fills the first ten ranks from the first hundred documents. Of a policy, several
rankings are drawn: nDCG and AWRF are means over them, EEL is that of the expected exposure.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence

import pandas as pd
import pyterrier as pt
from ir_measures import nDCG
from shared.comparison import arguments, heading, paragraph, save, show
from shared.inputs import annotated_qrels, file, read_runs, source

from pt_fairness import AWRF, EEL, analysis, evaluate, plots, rename, rerank

DEBATES = "pt-fairness/debates/stance"
CUTOFF, DEPTH = 10, 100
#: The name of the old order in tables.
BASELINE = "old order"
#: The parameter of each method that is swept, and its values. ``det_*`` have no parameter of their
#: own but the number of ranks.
SWEEPS: dict[str, tuple[str, Sequence[object]]] = {
    "fa_ir": ("alpha", (0.01, 0.1, 0.3)),
    "det_greedy": ("k", (2, 5, CUTOFF)),
    "det_cons": ("k", (2, 5, CUTOFF)),
    "det_relaxed": ("k", (2, 5, CUTOFF)),
    "det_const_sort": ("k", (2, 5, CUTOFF)),
    "xquad": ("lam", (0.2, 0.5, 0.8, 1.0)),
    "pm2": ("lam", (0.2, 0.5, 0.8, 1.0)),
    "fair_exposure": ("target", ("score", "run", "uniform")),
    "plackett_luce": ("temperature", (0.05, 0.1, 0.2, 0.5)),
}
WITHOUT_GROUPS = ("plackett_luce",)
RELEVANCE = nDCG @ CUTOFF
#: The names of the measures in the table and in the text.
LABELS = (str(RELEVANCE), f"AWRF@{CUTOFF}", f"EEL of documents@{CUTOFF}", f"EEL of groups@{CUTOFF}")


def measures_of(groups: str) -> list[object]:
    """AWRF of each ranking, and EEL of the exposure of documents and of groups."""
    exposure = EEL(model="log2", norm="bound") @ CUTOFF
    of_groups = exposure(by="group", target="uniform", complete=True, groups=groups)
    return [AWRF(groups=groups) @ CUTOFF, exposure, of_groups]


def methods(groups: str) -> Iterator[tuple[str, pt.Transformer]]:
    """Every method with every value of its parameter, by name."""
    for method, (parameter, values) in SWEEPS.items():
        for value in values:
            given = {"k": CUTOFF, parameter: value}
            if method not in WITHOUT_GROUPS:
                given["groups"] = groups
            yield f"{method} {parameter}={value}", getattr(rerank, method)(**given)


def reranked(results: pd.DataFrame, groups: str, samples: int) -> dict[str, pd.DataFrame]:
    """The old order and that of every method; of a policy, its samples."""
    place = results.groupby("qid")["score"].rank(method="first", ascending=False)
    cut = results[place <= DEPTH]
    runs = {BASELINE: cut}
    for name, method in methods(groups):
        drawn = hasattr(method, "rankings")
        runs[name] = method.rankings(cut, samples) if drawn else method(cut)
    return runs


def per_topic(runs: dict[str, pd.DataFrame], qrels: pd.DataFrame, groups: str) -> pd.DataFrame:
    """The values of every topic; nDCG, which takes one ranking, as the mean over the samples."""
    _, exposed = evaluate(runs, qrels, measures_of(groups), progress=False)
    single = {}
    for name, run in runs.items():
        samples = run.groupby("iteration") if "iteration" in run else [(0, run)]
        single |= {f"{name}#{i}": one.drop(columns="iteration", errors="ignore")
                   for i, one in samples}
    _, relevant = evaluate(single, qrels, [RELEVANCE], progress=False)
    relevant = relevant.assign(name=relevant["name"].str.rpartition("#")[0])
    return mean_values(pd.concat([relevant, exposed]))


def mean_values(perquery: pd.DataFrame) -> pd.DataFrame:
    """One value for each method, topic and measure."""
    return perquery.groupby(["name", "qid", "measure"], sort=False)["value"].mean().reset_index()


def bm25() -> pd.DataFrame:
    """BM25 over the debates."""
    from quickstart import PisaIndex, without_native_output

    debates = pt.get_dataset(f"irds:{DEBATES}")
    with tempfile.TemporaryDirectory() as folder, without_native_output():
        index = PisaIndex(folder, text_field=["title", "text"], threads=1)
        index.index(debates.get_corpus_iter(verbose=False))
        return index.bm25(num_results=DEPTH, threads=1)(debates.get_topics())


def finding(averages: pd.DataFrame, compared: pd.DataFrame) -> str:
    """What is found, in one paragraph.

    :param averages: ``name``, and the measures of :data:`LABELS`
    :param compared: the comparison of every setting with the old order, by these measures
    """
    relevance, fairness, *exposures = LABELS
    values = averages.set_index("name")
    old, settings = values.loc[BASELINE], values.drop(BASELINE)
    of = {measure: part.set_index("name") for measure, part in compared.groupby("measure")}

    def changed(measure: str, sign: int, column: str = "corrected") -> set[str]:
        rows = of[measure]
        return set(rows.index[(rows[column] < analysis.ALPHA) & (sign * rows["difference"] > 0)])

    def named(column: pd.Series, best: float) -> str:
        return ", ".join(column.index[abs(column - best) < 1e-9])

    fairer, poorer = changed(fairness, 1), changed(relevance, -1)
    both = settings.loc[[name in fairer - poorer for name in settings.index], fairness]
    text = (
        f"Over {int(compared['n'].max())} topics, the old order has {relevance} "
        f"{old[relevance]:.4f} and {fairness} {old[fairness]:.4f}. Of {len(settings)} settings, "
        f"{len(fairer)} significantly increased {fairness} and {len(poorer)} significantly "
        f"decreased {relevance} (paired t-tests, p < {analysis.ALPHA:g} after Holm's correction "
        f"for {len(settings)} settings; without it {len(changed(fairness, 1, 'p'))} and "
        f"{len(changed(relevance, -1, 'p'))}). "
    )
    if len(both):
        gain, loss = (of[measure].loc[both.idxmax()] for measure in (fairness, relevance))
        text += (
            f"Of the {len(both)} that did only the first, the fairest is "
            f"{named(both, both.max())}: {fairness} {gain['difference']:+.4f}, {relevance} "
            f"{loss['difference']:+.4f} (95% interval {loss['low']:+.4f} to {loss['high']:+.4f}, "
            "not corrected; no significant loss does not mean no loss). "
        )
    else:
        text += "No setting did the first without the second. "
    for label in exposures:
        best = settings[label].min()
        text += (
            f"{label} is smallest with {named(settings[label], best)}: {best:.4f}, old order "
            f"{old[label]:.4f}; settings significantly below the old order: "
            f"{len(changed(label, -1))}, above it: {len(changed(label, 1))}. "
        )
    return text.rstrip()


def points(table: pd.DataFrame) -> pd.DataFrame:
    """A row for each point of the figure, under a short name: ``pm2 0.8``, and ``det_greedy 10
    (+3)`` if three other settings have the same relevance and fairness.
    """
    same = table.groupby([table[measure].round(9) for measure in LABELS[:2]], sort=False)["name"]
    others = (same.transform("size") - 1).map(lambda count: f" (+{count})" if count else "")
    short = table["name"].str.replace(r" \w+=", " ", regex=True) + others
    return table.assign(name=short)[same.cumcount() == 0]


def main(arguments_: list[str] | None = None) -> tuple[pd.DataFrame, str]:
    """Prints it all; returns the averages and the finding."""
    parser = arguments(__doc__)
    parser.add_argument("qrels", type=file, nargs="?", help="TREC qrels (default: the debates)")
    parser.add_argument("runs", type=file, nargs="*", help="TREC runs")
    parser.add_argument(
        "--groups", type=source, default=DEBATES, help=f"groups of documents (default: {DEBATES})"
    )
    parser.add_argument(
        "--samples", type=int, default=20, help="rankings drawn of each policy (default: 20)"
    )
    given = parser.parse_args(arguments_)
    if given.qrels is None:
        runs, qrels = {"BM25": bm25()}, pt.get_dataset(f"irds:{DEBATES}").get_qrels()
    else:
        if not given.runs:
            parser.error("the qrels need runs: QRELS RUN…")
        qrels, runs = annotated_qrels(given.qrels, given.groups), read_runs(given.runs)
    values = mean_values(pd.concat([
        per_topic(reranked(run, given.groups, given.samples), qrels, given.groups)
        for run in runs.values()
    ]))
    measures = [str(measure) for measure in (RELEVANCE, *measures_of(given.groups))]
    averages = values.pivot_table(index="name", columns="measure", values="value", sort=False)
    names = [BASELINE, *dict(methods(given.groups))]
    averages = averages.loc[names, measures].reset_index().rename_axis(columns=None)
    labels = dict(zip(measures, LABELS, strict=True))
    compared = analysis.compare(rename(values, labels), BASELINE)
    table = rename(averages, labels)

    heading(f"{', '.join(runs)}, re-ranked by {given.groups}")
    show(table)
    print("\nOf nDCG more is better; 1 is fair for AWRF, 0 for EEL.\n")
    text = finding(table, compared)
    paragraph(text)
    print()
    save(plots.tradeoff(points(table), *LABELS[:2]), given.figures, "tradeoff")
    return table, text


if __name__ == "__main__":
    main()
