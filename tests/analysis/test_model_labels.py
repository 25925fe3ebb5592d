"""Values on a model's labels: the sampler of true labels, and its summary."""

import sys
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t
from slow_versions import label_sampler as slow_sampler
from slow_versions import uncertainty as slow

from pt_fairness import groups
from pt_fairness.analysis import label_sampler, uncertain_labels
from pt_fairness.analysis.human_labels import labelled
from pt_fairness.analysis.label_sampler import Labelled, diagnostics

sys.path.append(str(Path(__file__).parents[1] / "benchmarks"))
import label_worlds
from case_marks import slow_cases


@pytest.fixture
def quick(monkeypatch):
    """Fewer sweeps, for what holds after any number of them."""
    monkeypatch.setattr(label_sampler, "BURN_IN", 50)
    monkeypatch.setattr(label_sampler, "STEP", 2)


class Data(NamedTuple):
    frame: pd.DataFrame
    truth: pd.Series
    model: pd.Series
    human: pd.Series


def small(topics=8, documents=6, human=20, seed=3, right=0.85):
    """Labels that depend on the topic, a model that is right in 85 %, random human labels."""
    rng = np.random.default_rng(seed)
    size = topics * documents
    truth = rng.random(size) > np.repeat(rng.beta(0.5, 0.5, topics), documents)
    model = truth == (rng.random(size) < right)
    docno = pd.Index([f"d{i:05d}" for i in range(size)])
    frame = pd.DataFrame({"qid": np.repeat(np.arange(topics), documents).astype(str),
                          "docno": docno, "label": rng.integers(0, 2, size),
                          "score": rng.random(size)})
    truth, model = (pd.Series(np.where(codes, "B", "A"), docno) for codes in (truth, model))
    return Data(frame, truth, model, truth.sample(human, random_state=seed))


def values(data, source, draws=20, measures="AWRF@5", runs=None, **options):
    """The table, and the texts of the warnings as its attribute."""
    runs, qrels = runs or {"A": data.frame}, data.frame.drop(columns="score")
    with warnings.catch_warnings(record=True) as messages:
        warnings.simplefilter("always")
        table = uncertain_labels(runs, qrels, measures, source, draws, **options)
    table.attrs["warnings"] = [str(message.message) for message in messages]
    return table


def mean(*arguments, **options):
    return values(*arguments, **options)["mean"][0]


#: Labels, strata, topics, documents, and the errors of the model if they are known.
CASES = [(2, 2, 3, 20, None), (3, 3, 2, 20, None), (2, 1, 3, 16, None),
         (2, 2, 3, 20, [[0.8, 0.2], [0.3, 0.7]])]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_slow_sampler(case, monkeypatch):
    labels, strata, topics, size, errors = case
    rng = np.random.default_rng(len(case) + size + labels)
    topic, stratum = rng.integers(topics, size=size), rng.integers(strata, size=size)
    truth = rng.integers(labels, size=size)
    model = np.where(rng.random(size) < 0.8, truth, rng.integers(labels, size=size))
    human = np.where(rng.random(size) < 0.5, truth, -1)
    model[(human >= 0) & (rng.random(size) < 0.2)] = -1
    documents = [slow_sampler.Document(*(None if code < 0 else int(code) for code in codes))
                 for codes in zip(topic, stratum, human, model, strict=True)]
    start = [document.model if document.human is None else document.human for document in documents]
    states = slow_sampler.Sampler(documents, labels, labels, start, 20.0, 5, errors)
    expected = np.array([*states.states(300, 5, 2000)])
    monkeypatch.setattr(label_sampler, "BURN_IN", 300)
    monkeypatch.setattr(label_sampler, "STEP", 5)
    known = None if errors is None else np.array(errors)
    data = Labelled(topic, stratum, human, model, labels, np.arange(labels), known)
    drawn, agreement = data.draw(4000, 0)
    free = human < 0
    draws = drawn[:, :-2].T
    for label in range(labels):
        share, other = ((codes == label).mean(axis=0) for codes in (draws, expected))
        assert share == pytest.approx(other, abs=0.05)
        number, same = ((codes[:, free] == label).sum(axis=1) for codes in (draws, expected))
        assert number.std() == pytest.approx(same.std(), rel=0.1)
    assert agreement.ravel() == pytest.approx((draws[:, free] == model[free]).mean(axis=1))
    assert (draws[:, ~free] == human[~free]).all() and drawn[:, -1].tolist() == start


@pytest.mark.parametrize("kind", ["independent", "slow", "alternating", "apart"])
def test_diagnostics_of_chains(kind):
    chains = np.random.default_rng(1).normal(size=(2, 40))
    if kind == "slow":
        chains = chains.cumsum(axis=1)
    elif kind == "alternating":
        chains += 5 * (np.arange(40) % 2)
    elif kind == "apart":
        chains[1] += 4
    expected = slow.effective_draws(chains.tolist()), slow.r_hat(chains.tolist())
    assert diagnostics(chains) == pytest.approx(expected)
    assert np.isnan(diagnostics(chains * 0 + 0.1)).all()
    assert diagnostics(np.array([[1.0, 1], [2, 2]]))[1] == np.inf


def test_columns_order_of_rows_and_seed(quick):
    data, measures = small(), ["AWRF@5", "rKL@5"]
    source = groups.model_labels(data.model, data.human)
    table = values(data, source, measures=measures)
    assert table.columns[-3:].tolist() == ["as labelled", "n_eff", "r_hat"]
    shuffled = data._replace(frame=data.frame.sample(frac=1, random_state=0))
    human = data.human.sample(frac=1, random_state=1)
    again = values(shuffled, groups.model_labels(data.model, human), measures=measures[::-1])
    pd.testing.assert_frame_equal(again[::-1].reset_index(drop=True), table)
    assert mean(data, source, seed=1) != table["mean"][0]


def test_summary_and_labels_of_people(quick):
    data = small(human=30)
    source = groups.model_labels(data.model, data.human)
    runs = {"A": data.frame, "B": data.frame.assign(score=-data.frame["score"])}
    table = values(data, source, 41, runs=runs).set_index("name")
    row = table.loc["A"]
    certain = groups.from_mapping({**data.model, **data.human})
    assert row["as labelled"] == pytest.approx(mean(data, certain, 4))
    assert row["label low"] <= row["mean"] <= row["label high"]
    share, labels = row["share"], row["error"] ** 2 * (row["n_eff"] + 1)  # (1 + 1 / n_eff) * B
    freedom = 1 / ((1 - share) ** 2 / (row["n"] - 1) + share ** 2 / 41)
    half = t.ppf(0.975, freedom) * np.sqrt(labels / share)
    assert row["high"] - row["mean"] == pytest.approx(half)
    columns = ["mean", "as labelled", "most probable"]
    expected = table.loc["B", columns] - row[columns]
    difference = values(data, source, 41, runs=runs, baseline="A").loc[0, columns]
    assert difference.tolist() == pytest.approx(expected.tolist())
    # With all labels by hand nothing is drawn.
    everything = values(data, groups.model_labels(data.model, data.truth), 5).iloc[0]
    truth = mean(data, groups.from_mapping(data.truth), 4)
    columns += ["label low", "label high"]
    assert everything[columns].tolist() == pytest.approx([truth] * 5)
    assert everything[["n_eff", "r_hat"]].isna().all()
    assert everything[["share", "error"]].tolist() == pytest.approx([0, 0], abs=1e-12)


def test_known_rates_correct_better_than_independent_draws(quick):
    data = small(40, 20, 200, seed=5)
    model = groups.from_mapping(data.model)
    counts = pd.crosstab(data.model, data.truth)
    source = groups.with_error_rates(model, counts.div(counts.sum(axis=1), axis=0).T.to_dict())
    by_truth = counts.div(counts.sum(), axis=1).to_dict()
    shares = data.truth.value_counts(normalize=True).to_dict()
    by_bayes = groups.with_error_rates(model, by_truth, shares)
    independent = groups.from_frame(source.lookup(data.frame["qid"], data.frame["docno"]))
    truth = mean(data, groups.from_mapping(data.truth), 4)
    assert abs(mean(data, independent) - truth) > 0.03
    for known in (source, by_bayes):
        row = values(data, known).iloc[0]
        assert abs(row["mean"] - truth) < 0.03
        assert row["as labelled"] == pytest.approx(mean(data, model, 2))


def test_weights_of_the_model_are_its_most_probable_label(quick):
    data = small()
    weights = {docno: {label: 0.6, "AB"[label == "A"]: 0.4} for docno, label in data.model.items()}
    weights["d00000"] = {"A": 0.5, "B": 0.5}
    likeliest = groups.model_labels({**data.model, "d00000": "A"}, data.human)
    table = values(data, groups.model_labels(weights, data.human))
    assert any("most probable label" in text for text in table.attrs["warnings"])
    assert table["mean"][0] == mean(data, likeliest)


@pytest.mark.parametrize("case", ["one topic", "short topics", "label unseen by people",
                                  *slow_cases("label the model never uses", "unjudged", "missing")])
def test_values_for_unusual_labels(case, quick):
    data = small(*{"one topic": (1, 20), "short topics": (30, 1)}.get(case, (8, 6)))
    model, human = data.model.copy(), data.human
    if case == "label unseen by people":
        model.iloc[0] = "C"
    elif case == "label the model never uses":
        model[:] = "A"
    elif case == "missing":
        model = model.iloc[5:]
    runs = {"A": data.frame}
    if case == "unjudged":  # none of the documents of the run
        other = pd.DataFrame({"qid": data.frame["qid"].unique(), "docno": "x", "label": 1})
        runs = {"A": data.frame.drop(columns="label")}
        data = data._replace(frame=other.assign(score=1.0))
    row = values(data, groups.model_labels(model, human), runs=runs).iloc[0]
    assert np.isfinite(row[["mean", "label low", "label high", "as labelled"]].astype(float)).all()
    assert np.isnan(row["low"]) == (case == "one topic")


def test_documents_without_a_label_stay_unannotated(quick):
    data = small()
    absent = data.model.index[:6]
    model, human = data.model.drop(absent), data.human.drop(absent, errors="ignore")
    source = groups.model_labels(model, human)
    assert mean(data, source, measures="Annotated@5") == pytest.approx(7 / 8)


def test_one_label_in_all_topics_unless_a_source_has_topics(quick):
    data = small()
    twice = pd.concat([data.frame, data.frame.assign(qid="t" + data.frame["qid"])])
    source = groups.model_labels(data.model, data.human)
    # The same documents and the same topics that come first.
    assert mean(data._replace(frame=twice), source) == pytest.approx(mean(data, source))


@pytest.mark.parametrize("source, says", [
    ("model", "interval.*'components'"), ("rates", "interval.*'components'"),
    ("nobody", "no document has a label"), ("strangers", "'x'.*'A'"),
    ("several", "several labels")])
def test_wrong_input(source, says):
    data = small()
    rates = {"A": {"A": 0.9, "B": 0.1}, "B": {"A": 0.1, "B": 0.9}}
    sources = {
        "model": groups.model_labels(data.model, data.human),
        "rates": groups.with_error_rates(groups.from_mapping(data.model), rates),
        "nobody": groups.model_labels(data.model, {"elsewhere": "A"}),
        "strangers": groups.model_labels(data.model, data.human.map({"A": "x", "B": "y"})),
        "several": groups.model_labels({"d00000": ["A", "B"]}, data.model)}
    interval = "components" if "components" in says else "rubin"
    with pytest.raises(ValueError, match=says):
        values(data, sources[source], interval=interval)


@pytest.mark.parametrize("by_topic", [True, False])
def test_human_labels_of_other_documents(quick, by_topic):
    """Those of the same topics count, those of other topics and of no topic do not."""
    data = small(human=10)
    keyed = data.frame[["qid", "docno"]] if by_topic else data.frame[["docno"]]
    further = pd.DataFrame({"qid": "0", "docno": [f"x{i}" for i in range(300)], "group": "A"})
    further = further[[*keyed, "group"]]
    model = pd.concat([keyed.assign(group=data.model.to_numpy()), further])
    people = keyed.assign(group=data.truth.to_numpy())[::4]
    source = groups.model_labels(model, pd.concat([people, further]))
    same = mean(data, groups.model_labels(model, people))
    assert (mean(data, source) != same) == by_topic
    elsewhere = further.assign(**dict.fromkeys({"qid"} & {*keyed}, "elsewhere"))
    table = values(data, groups.model_labels(model, pd.concat([people, elsewhere])))
    assert table["mean"][0] == same
    assert any("300 human labels" in text for text in table.attrs["warnings"])


def test_strata_are_grades_of_relevance(quick):
    data = small()
    source = groups.model_labels(data.model, data.human)

    def strata(relevance):
        table = data.frame[["qid", "docno"]].assign(relevance=relevance)
        return labelled(source, ["A", "B"], table).stratum

    grades = np.tile([np.nan, -1, 0, 0.5, 1, 2, 3, 7], 6)
    assert strata(grades)[:8].tolist() == [0, 1, 1, 1, 2, 3, 4, 4]
    assert strata(2.0).tolist() == [0] * 48
    # Documents without a label make no stratum.
    last = data.model.index[8:]
    source = groups.model_labels(data.model[last], data.human[data.human.index.isin(last)])
    assert strata(np.repeat([np.nan, 1], [8, 40])).max() == 0


def test_the_target_is_that_of_the_labels_drawn(quick):
    """All relevant documents, in any order, have the shares of the judgments in each draw."""
    data = small()
    runs = {"A": data.frame[data.frame["label"] == 1]}
    source = groups.model_labels(data.model, data.human)
    measure = "AWRF(discount='none', target='qrels')"
    row = values(data, source, measures=measure, runs=runs).iloc[0]
    assert (row["mean"], row["label low"]) == pytest.approx((1, 1))


@pytest.mark.parametrize("side", ["human", "model"])
def test_no_group_is_a_state_and_no_group_of_the_values(quick, side):
    """A document without a group leaves the list, and the next one moves in."""
    data = small(10, 12, 60)
    labels = {"human": data.human.astype(object).copy(), "model": data.model.astype(object).copy()}
    labels[side][labels[side] == "B"] = "-"
    labels[side].iloc[0] = "B"
    source = groups.model_labels(labels["model"], labels["human"])
    table = values(data, source, measures=["Annotated@5", "AWRF@5"])
    assert table["mean"][0] <= 1 and np.isfinite(table["mean"][1])
    certain = groups.from_mapping({**labels["model"], **labels["human"]})
    same = [mean(data, certain, 2, measure) for measure in table["measure"]]
    assert table["as labelled"].tolist() == pytest.approx(same)
    if side == "human":  # all documents by hand
        truth = data.truth.replace("B", "-")
        source = groups.model_labels(data.model, truth)
        expected = mean(data, groups.from_mapping(truth, order=["A", "B"]), 2)
        assert mean(data, source, 4) == pytest.approx(expected)


def test_warnings(quick):
    data = small(20, 10, 80)
    rng = np.random.default_rng(0)
    useless, everyone = (pd.Series(rng.choice([*"AB"], 200), data.model.index) for _ in "12")
    few = pd.concat([data.human[data.human == "A"][:3], data.human[data.human == "B"][:12]])
    spelt = data.human.mask(data.human.index < "d00020", "A ")
    for model, human, words in (
            (data.model, few, ["fewer than 10", "'A'"]), (useless, data.human, ["too little"]),
            (data.model, spelt, ["never uses 'A '", "Did you mean 'A'"])):
        texts = values(data, groups.model_labels(model, human), 20).attrs["warnings"]
        assert any(all(word in text for word in words) for text in texts)
    (only,) = values(data, groups.model_labels(data.model, data.human), 20).attrs["warnings"]
    assert "n_eff" in only
    texts = values(data, groups.model_labels(useless, everyone), 20).attrs["warnings"]
    assert not any("carry" in text or "fewer" in text for text in texts)


@pytest.mark.slow
def test_eight_experiments_of_labels_and_errors_that_depend_on_relevance():
    """tests/benchmarks/label_worlds.py has more of them, and more worlds."""
    world = label_worlds.WORLDS["δ = 1.5, ε = 0.2"]
    table = pd.concat(label_worlds.errors(world, 2, seed, 100) for seed in range(8))
    for measure, bound in (("AWRF@10", 0.015), ("rKL@10", 0.02)):
        rows = table[table["measure"] == measure]
        assert abs(rows["error"].mean()) <= bound and rows["covers"].sum() >= 19


@pytest.mark.slow
def test_two_starts_show_a_model_that_is_mostly_wrong():
    agreed = []
    for seed in range(5):
        data = small(50, 20, 30, seed, right=0.2)
        row = values(data, groups.model_labels(data.model, data.human), 60).iloc[0]
        assert row["r_hat"] > 1.1 or row["n_eff"] < 50
        agreed.append(row["r_hat"] <= 1.1)
    assert sum(agreed) <= 2
