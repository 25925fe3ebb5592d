"""Values on a model's labels: the sampler of true labels, and its summary."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from slow_versions import uncertainty as slow

from pt_fairness import FairnessWarning, groups
from pt_fairness.analysis import label_sampler, uncertain_labels
from pt_fairness.analysis.label_sampler import CONCENTRATIONS, Labelled, effective_draws, r_hat

sys.path.append(str(Path(__file__).parents[1] / "studies"))
import model_labels as study


@pytest.fixture
def quick(monkeypatch):
    """Fewer sweeps, for what holds after any number of them."""
    monkeypatch.setattr(label_sampler, "BURN_IN", 50)
    monkeypatch.setattr(label_sampler, "STEP", 2)


def small(topics=8, documents=6, human=20, seed=3):
    return study.experiment(study.Setting((0.5, 0.5), human), seed, (0.9, 0.8), topics, documents)


def values(data, source, draws=40, measures="AWRF@5", runs=None, **options):
    runs, qrels = runs or {"A": data.frame}, data.frame.drop(columns="score")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        return uncertain_labels(runs, qrels, measures, source, draws, **options)


@pytest.mark.exhaustive
@pytest.mark.parametrize("rates", [None, [[0.9, 0.1], [0.3, 0.7]]])
def test_exact_posterior_of_few_documents(rates):
    topic = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2])
    model = np.array([0, 0, 1, 0, 1, 1, 0, 0, 1])
    checked = np.array([[4, 1], [2, 5]])
    fixed = np.array([[1, 0], [0, 2], [0, 0]])
    known = None if rates is None else np.array(rates)
    drawn, agreement = Labelled(topic, model, fixed, checked, np.arange(2), known).draw(800, 0)
    if rates is not None:  # many documents with known labels stand for known rates
        checked = np.array(rates) * 1e9
    exact = slow.posterior([*zip(topic, model, strict=True)], checked.tolist(), fixed.tolist(), 2,
                           CONCENTRATIONS.tolist(), 20)  # fmt: skip
    assert (drawn == 1).mean(axis=1) == pytest.approx(np.array(exact)[:, 1], abs=0.03)
    assert agreement.shape == (2, 400)
    assert agreement.ravel() == pytest.approx((drawn == model[:, None]).mean(axis=0))


@pytest.mark.parametrize("kind", ["independent", "slow", "alternating", "apart"])
def test_diagnostics_of_chains(kind):
    chains = np.random.default_rng(1).normal(size=(2, 40))
    if kind == "slow":
        chains = chains.cumsum(axis=1)
    elif kind == "alternating":
        chains += 5 * (np.arange(40) % 2)
    elif kind == "apart":
        chains[1] += 4
    assert r_hat(chains) == pytest.approx(slow.r_hat(chains.tolist()))
    assert effective_draws(chains) == pytest.approx(slow.effective_draws(chains.tolist()))
    assert np.isnan([r_hat(chains * 0 + 0.1), effective_draws(chains * 0 + 0.1)]).all()
    assert r_hat(np.array([[1.0, 1], [2, 2]])) == np.inf


def test_columns_order_of_rows_and_seed(quick):
    data, measures = small(), ["AWRF@5", "rKL@5"]
    source = groups.model_labels(data.model, data.human)
    table = values(data, source, measures=measures)
    assert table.columns[-3:].tolist() == ["as labelled", "n_eff", "r_hat"]
    shuffled = data._replace(frame=data.frame.sample(frac=1, random_state=0))
    human = data.human.sample(frac=1, random_state=1).to_frame("group").rename_axis("docno")
    again = values(shuffled, groups.model_labels(data.model, human.reset_index()),
                   measures=measures[::-1])  # fmt: skip
    for row, same in zip(table.to_dict("records"), again[::-1].to_dict("records"), strict=True):
        assert same == pytest.approx(row)
    assert values(data, source, seed=1)["mean"][0] != table["mean"][0]


def test_summary_and_labels_of_people(quick):
    data = small(human=30)
    source = groups.model_labels(data.model, data.human)
    runs = {"A": data.frame, "B": data.frame.assign(score=-data.frame["score"])}
    table = values(data, source, 41, runs=runs).set_index("name")
    row = table.loc["A"]
    certain = values(data, groups.from_mapping({**data.model, **data.human}), 4).iloc[0]
    assert row["as labelled"] == pytest.approx(certain["mean"])
    assert row["n_eff"] > 0 and row["label low"] <= row["mean"] <= row["label high"]
    difference = values(data, source, 41, runs=runs, baseline="A").iloc[0]
    for column in ("mean", "as labelled", "most probable"):
        assert difference[column] == pytest.approx(table.loc["B", column] - row[column])
    # With all labels by hand nothing is drawn.
    everything = values(data, groups.model_labels(data.model, data.truth), 5).iloc[0]
    truth = values(data, groups.from_mapping(data.truth), 4).iloc[0]
    columns = ["mean", "label low", "label high", "most probable", "as labelled"]
    assert everything[columns].tolist() == pytest.approx([truth["mean"]] * 5)
    assert everything[["n_eff", "r_hat"]].isna().all()
    assert everything[["share", "error"]].tolist() == pytest.approx([0, 0], abs=1e-12)


def test_known_rates_correct_better_than_independent_draws(quick):
    data = small(40, 20, 200, seed=5)
    model = groups.from_mapping(data.model)
    rates = groups.error_rates(model, data.truth)
    source = groups.with_error_rates(model, rates.counts)
    shares = data.truth.value_counts(normalize=True).to_dict()
    by_bayes = groups.with_error_rates(model, rates.counts, shares)
    independent = groups.from_frame(source.lookup(data.frame["qid"], data.frame["docno"]))
    truth = values(data, groups.from_mapping(data.truth), 4)["mean"][0]
    fixed, bayes, alone = (values(data, given) for given in (source, by_bayes, independent))
    for table in (fixed, bayes):
        assert abs(table["mean"][0] - truth) < 0.03 < abs(alone["mean"][0] - truth)
        assert table["as labelled"][0] == pytest.approx(values(data, model, 2)["mean"][0])


@pytest.mark.first(3)
@pytest.mark.parametrize("case", ["one topic", "short topics", "label unseen by people",
                                  "label the model never uses", "one label", "missing"])
def test_values_for_unusual_labels(case, quick):
    data = small(*{"one topic": (1, 20), "short topics": (30, 1)}.get(case, (8, 6)))
    model, human = data.model.copy(), data.human
    if case == "label unseen by people":
        model.iloc[0] = "C"
    elif case == "label the model never uses":
        model[:] = "A"
    elif case == "one label":
        model[:] = "A"
        human = human.map(lambda label: "A")
    elif case == "missing":
        model = model.iloc[5:]
    row = values(data, groups.model_labels(model, human)).iloc[0]
    assert np.isfinite(row[["mean", "label low", "label high", "as labelled"]].astype(float)).all()
    assert np.isnan(row["low"]) == (case == "one topic")


def test_documents_without_a_label_stay_unannotated(quick):
    data = small()
    absent = data.model.index[:6]
    model, human = data.model.drop(absent), data.human.drop(absent, errors="ignore")
    table = values(data, groups.model_labels(model, human), measures="Annotated@5")
    assert table["mean"][0] == pytest.approx(7 / 8)


def test_human_labels_of_other_documents_and_topics_are_used(quick):
    data = small(human=10)
    extra = {f"x{i}": "AB"[i % 2] for i in range(300)}
    # 300 further documents on which the model is right: its labels are believed.
    believed = groups.model_labels({**data.model, **extra}, {**data.human, **extra})
    doubted = groups.model_labels(data.model, data.human)
    rows = [values(data, source, 100).iloc[0] for source in (believed, doubted)]
    width = [row["label high"] - row["label low"] for row in rows]
    assert width[0] < width[1]
    by_topic = data.frame[["qid", "docno"]].assign(group=data.model.to_numpy())
    other = pd.DataFrame({"qid": ["0", "elsewhere"], "docno": ["y", "z"], "group": "A"})
    source = groups.model_labels(pd.concat([by_topic, other]), pd.concat([by_topic[:9], other]))
    assert source.by_topic and np.isfinite(values(data, source)["mean"][0])


def test_one_label_in_all_topics_unless_a_source_has_topics(quick):
    data = small()
    twice = pd.concat([data.frame, data.frame.assign(qid="t" + data.frame["qid"])])
    source = groups.model_labels(data.model, data.human)
    # The same documents and the same topics that come first.
    tables = values(data._replace(frame=twice), source), values(data, source)
    assert tables[0]["mean"][0] == pytest.approx(tables[1]["mean"][0])


@pytest.mark.parametrize("source, options, says", [
    ("model", {"interval": "components"}, "interval.*'components'"),
    ("rates", {"interval": "components"}, "interval.*'components'"),
    ("nobody", {}, "elsewhere|no document"),
    ("weights", {}, "several labels"),
    ("model", {"draws": 1}, "draws.*1"),
])  # fmt: skip
def test_wrong_input(source, options, says):
    data = small()
    model = groups.from_mapping(data.model)
    rates = {"A": {"A": 0.9, "B": 0.1}, "B": {"A": 0.1, "B": 0.9}}
    sources = {
        "model": groups.model_labels(model, data.human),
        "rates": groups.with_error_rates(model, rates),
        "nobody": groups.model_labels(model, groups.from_mapping({"elsewhere": "A"})),
        "weights": groups.model_labels(groups.from_mapping({"d00000": {"A": 0.5, "B": 0.5}}), model)
    }
    with pytest.raises(ValueError, match=says):
        values(data, sources[source], **options)


def test_warnings(quick):
    data = small(20, 10, 80)
    rng = np.random.default_rng(0)
    useless, everyone = (pd.Series(rng.choice([*"AB"], 200), data.model.index) for _ in "12")
    few = pd.concat([data.human[data.human == "A"][:3], data.human[data.human == "B"][:12]])

    def caught(model, human):
        with warnings.catch_warnings(record=True) as messages:
            warnings.simplefilter("always")
            uncertain_labels({"A": data.frame}, data.frame.drop(columns="score"), "AWRF@5",
                             groups.model_labels(model, human), 20)  # fmt: skip
        return [str(message.message) for message in messages]

    (only,) = caught(data.model, data.human)
    assert "n_eff" in only
    texts = caught(data.model, few)
    assert any("fewer than 10 human labels" in text and "'A'" in text for text in texts)
    assert any("agree little" in text for text in caught(useless, data.human))
    assert not any("by hand" in text for text in caught(useless, everyone))


@pytest.mark.parametrize(("human", "related"), [(120, True), (120, False), (1, True), (200, True)])
def test_human_labels_that_depend_on_relevance(quick, human, related):
    data = small(20, 10, human)
    relevant = data.frame["docno"].map(data.human).eq("A")
    if not related:
        rng = np.random.default_rng(4)
        relevant = relevant.sample(frac=1, random_state=rng).to_numpy()
    qrels = data.frame.drop(columns="score").assign(label=relevant.astype(int))
    with warnings.catch_warnings(record=True) as messages:
        warnings.simplefilter("always")
        uncertain_labels({"A": data.frame}, qrels, "AWRF@5",
                         groups.model_labels(data.model, data.human), 4)  # fmt: skip
    texts = [str(message.message) for message in messages]
    dependent = [text for text in texts if "depend on relevance" in text]
    assert len(dependent) == (related and human == 120), "with all labels by hand, none is drawn"
    for text in dependent:
        assert "A is the label of 100% of the relevant and 0% of the other documents" in text
        assert "B is the label of 0% of the relevant and 100% of the other documents" in text


@pytest.mark.exhaustive
def test_eight_experiments_of_three_labels():
    """tests/studies/model_labels.py has more of them, and more settings."""
    table = study.study(study.SETTINGS["Dirichlet(1)"], ["sampler"], 8, 60)
    for _, rows in table.groupby("measure"):
        assert abs(rows["error"].mean()) <= 0.015 and rows["covers"].sum() >= 7


@pytest.mark.exhaustive
def test_no_mean_error_with_parameters_from_the_prior():
    tables = []
    for seed in range(24):
        data = study.experiment(study.Setting((), 30), seed, topics=15, documents=10)
        certain = groups.from_mapping(data.truth, order=[*"AB"])
        truth = values(data, certain, 2, study.MEASURES)["mean"]
        table = values(data, groups.model_labels(data.model, data.human), 40, study.MEASURES)
        covers = truth.between(table["label low"], table["label high"])
        tables.append(table.assign(error=table["mean"] - truth, covers=covers))
    for _, rows in pd.concat(tables).groupby("measure"):
        assert abs(rows["error"].mean()) < 3 * rows["error"].sem()
        assert rows["covers"].mean() >= 0.8


@pytest.mark.exhaustive
def test_two_starts_show_a_model_that_is_mostly_wrong():
    setting = study.Setting((0.5, 0.5), 30)
    for seed in range(3):
        data = study.experiment(setting, seed, (0.2, 0.2))
        assert values(data, groups.model_labels(data.model, data.human))["r_hat"][0] > 1.1
