"""Labels from a model: the values of a track's runs with human labels of stance, with the labels
that each team's model predicted, and with these corrected by some of the human labels: of documents
at random, or of whole topics.

``python examples/touche2022_labels.py QRELS STANCES RUN…`` takes the qrels of relevance, the qrels
of stances and the runs of the track (Touché at CLEF 2022, task 2). The runs whose second column has
predicted stances are evaluated, over their judged passages. Of each team, the first of these is
corrected with five random samples of each number of documents and of topics. The tables go to the
folder of the figures as CSV files. The script takes about 20 minutes.
"""

from __future__ import annotations

import warnings

import pandas as pd
from shared.comparison import heading, show, touche2022_arguments
from shared.inputs import read_predictions

from pt_fairness import FairnessWarning, analysis, groups, read_qrels

MEASURES = ["AWRF@5", "rKL@5", "nDJS@5"]
#: The stances; some models never predict all of them.
LABELS = ("FIRST", "NEUTRAL", "NO", "SECOND")
#: The numbers of documents at random, of whole topics, and of samples of each.
DOCUMENTS, TOPICS, SAMPLES = (100, 200, 300), (10, 20, 30), 5
DRAWS = 200


def values(run: pd.DataFrame, qrels: pd.DataFrame, source: groups.Groups, draws: int = 2,
           seed: int = 0) -> pd.DataFrame:
    """The values of a run with their label intervals, by measure.

    :param draws: 2 are enough for labels that are certain
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        table = analysis.uncertain_labels({"run": run}, qrels, MEASURES, source, draws, seed=seed)
    return table.set_index("measure")


def by_documents(run: pd.DataFrame, qrels: pd.DataFrame, model: groups.Groups,
                 human: pd.DataFrame, number: int, seed: int) -> pd.DataFrame:
    """The values of a run, corrected by the human labels of documents at random."""
    source = groups.model_labels(model, human.sample(number, random_state=seed))
    return values(run, qrels, source, DRAWS, seed).assign(labels=number)


def by_topics(run: pd.DataFrame, qrels: pd.DataFrame, model: groups.Groups, human: pd.DataFrame,
              number: int, seed: int) -> pd.DataFrame:
    """The values of a run, corrected by the human labels of whole topics."""
    tables = []
    for measure in MEASURES:
        data = {"run": run}, qrels, measure, model
        rows = analysis.documents_to_label(*data, topics=number, seed=seed)
        checked = rows[["qid", "docno"]].merge(human)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FairnessWarning)
            table = analysis.prediction_powered(*data, checked)
        tables.append(table.assign(labels=len(checked)))
    return pd.concat(tables).set_index("measure")


#: The corrections: the numbers that are checked, and the function.
CORRECTIONS = {"documents": by_documents, "topics": by_topics}


def corrections(run: pd.DataFrame, qrels: pd.DataFrame, model: groups.Groups, human: pd.DataFrame,
                truth: pd.Series) -> pd.DataFrame:
    """Corrected values of a run by each sample: ``checked, measure, labels, value, error, covers``.

    :param truth: the values with all human labels, by measure
    """
    tables = []
    for what, numbers in (("documents", DOCUMENTS), ("topics", TOPICS)):
        for number in numbers:
            for seed in range(SAMPLES):
                table = CORRECTIONS[what](run, qrels, model, human, number, seed)
                table["checked"] = f"{number} {what}"
                table["value"] = table["mean"]
                table["error"] = table["mean"] - truth
                covers = table["label low"].le(truth) & table["label high"].ge(truth)
                # Too few topics have a value by some samples of topics.
                table["covers (%)"] = (100.0 * covers).where(table["mean"].notna())
                tables.append(table)
    columns = ["checked", "measure", "labels", "value", "error", "covers (%)"]
    return pd.concat(tables).reset_index()[columns]


def summary(samples: pd.DataFrame) -> pd.DataFrame:
    """Mean error, root mean squared error and covering of each correction, over all samples."""
    samples = samples.assign(squared=samples["error"] ** 2)
    groups_ = samples.groupby(["measure", "checked"], sort=False)
    table = groups_[["labels", "error", "squared", "covers (%)"]].mean().reset_index()
    table["squared"] **= 0.5
    table[["labels", "covers (%)"]] = table[["labels", "covers (%)"]].round().astype(int)
    return table.rename(columns={"squared": "RMSE"})


def main(arguments_: list[str] | None = None) -> dict[str, pd.DataFrame]:
    """Prints it all; returns the tables by name."""
    options = touche2022_arguments(__doc__, arguments_)
    qrels = read_qrels(options.qrels).drop(columns="iteration", errors="ignore")
    people = groups.from_qrels(options.stances, name="people")
    models, rows, corrected, teams = [], [], [], set()
    for path in options.runs:
        name = path.name.removesuffix(".gz")
        run = read_predictions(path).drop_duplicates(["qid", "docno"])
        run = run.merge(qrels[["qid", "docno"]].drop_duplicates())
        if run["group"].nunique() < 2:
            continue
        judged = qrels.merge(run[["qid", "docno"]])
        model = groups.from_frame(run[["qid", "docno", "group"]], name, order=LABELS)
        human = people.lookup(run["qid"], run["docno"])
        rates = groups.error_rates(model, human)
        share, low, high = 100 * rates.summary.loc["accuracy", ["value", "low", "high"]]
        kappa, kappa_low, kappa_high = rates.summary.loc["kappa", ["value", "low", "high"]]
        models.append({"model of": name, "passages": len(human),
                       "right (%)": f"{share:.1f} [{low:.1f}, {high:.1f}]",
                       "κ": f"{kappa:.2f} [{kappa_low:.2f}, {kappa_high:.2f}]"})
        run = run.drop(columns="group")
        truth = values(run, judged, people)["mean"]
        labelled = values(run, judged, model)["mean"]
        rows += [{"run": name, "measure": measure, "human": truth[measure],
                  "model": labelled[measure]} for measure in MEASURES]
        team = name.partition(".")[0]
        if team not in teams:
            teams.add(team)
            table = corrections(run, judged, model, human, truth)
            table.insert(0, "run", name)
            corrected.append(table)
            print(f"The labels of {name} agree with {len(human)} human labels in {share:.1f} %",
                  flush=True)
    table = pd.DataFrame(rows)
    samples = pd.concat(corrected)
    means = samples.pivot_table("value", ["run", "measure"], "checked", sort=False)
    table = table.merge(means.reset_index(), how="left")
    first = table.dropna()
    columns = [column for column in table if column not in ("run", "measure", "human")]
    taus = {measure: [part["human"].corr(part[column], "kendall") for column in columns]
            for measure, part in first.groupby("measure", sort=False)}
    ranking = pd.DataFrame(taus, columns).rename_axis("labels").reset_index()
    tables = {"models": pd.DataFrame(models), "values": table, "corrected": summary(samples),
              "rankings": ranking}
    titles = {"models": "Agreement of each model with the human labels",
              "values": "Values with human labels, with the model's, and corrected",
              "corrected": "Corrected values: mean error, and how often the interval covers the "
                           "value with all human labels",
              "rankings": "Kendall's τ with the order by human labels, over the first run of each "
                          "team"}
    wide = table.pivot(index="run", columns="measure", values=["human", "model"])
    wide = wide.swaplevel(axis="columns")
    wide = wide[[(measure, labels) for measure in MEASURES for labels in ("human", "model")]]
    wide.columns = pd.Index([", ".join(column) for column in wide])
    wide.round(3).to_csv(options.figures / "labels-values.csv", lineterminator="\n")
    for name, title in titles.items():
        heading(title)
        show(tables[name], 3)
        if name != "values":
            path = options.figures / f"labels-{name}.csv"
            tables[name].round(3).to_csv(path, index=False, lineterminator="\n")
    return tables


if __name__ == "__main__":
    main()
