"""The answer of a report: the fairest and the least fair system, and what is not known."""

import numpy as np
import pandas as pd
import pytest
from reporting.pages import Tags
from statsmodels.stats.multitest import multipletests

from pt_fairness import analysis, evaluate, groups, report
from pt_fairness.analysis import corrections, label_sampler
from pt_fairness.reporting.conclusions import answer, answered, caveats, results
from pt_fairness.reporting.frames import Experiment, decimal

MEASURES = ["nDCG@4", "AWRF@4", "BiasP(pro='P',con='C')@4", "Annotated@4"]


@pytest.fixture
def data():
    """Three runs over twelve topics; the third puts one group first."""
    rng = np.random.default_rng(5)
    rows = [(str(q), f"{q}-{d}", d % 2, "PC"[d % 3 == 0]) for q in range(12) for d in range(9)]
    qrels = pd.DataFrame(rows, columns=["qid", "docno", "label", "iteration"])
    runs = {}
    for name, push in (("a", 0.0), ("b", 0.2), ("c", 2.0)):
        score = rng.random(len(qrels)) + push * (qrels["iteration"] == "P")
        runs[name] = qrels[["qid", "docno"]].assign(score=score)
    return runs, qrels


def answers(runs, qrels, **options):
    result = evaluate(runs, qrels, MEASURES, progress=False, **options)
    measures = analysis.inputs.parsed(MEASURES)
    judged = analysis.inputs.loaded_qrels(qrels)
    experiment = Experiment(result, measures, judged)
    return result, experiment, answer(experiment, runs, judged, None, 0)


def test_places_values_tests_and_random_orders(data):
    runs, qrels = data
    result, _, found = answers(runs, qrels, baseline="a")
    averages = result.averages.set_index("name")
    assert found["measure"].tolist() == ["AWRF@4"] * 2 + [MEASURES[2]] * 2
    fairest, least = found.iloc[0], found.iloc[1]
    assert fairest["system"] == [averages["AWRF@4"].idxmax()] and least["system"] == ["c"]
    assert least["value"] == averages["AWRF@4"].min() and fairest["place"] == "fairest"
    assert least["p"] == averages.loc["c", "AWRF@4 p-value corrected"]
    wide = result.perquery.query("measure == 'AWRF@4'").pivot(index="qid", columns="name",
                                                             values="value")
    best = fairest["system"][0]
    others = [name for name in "abc" if name != best]
    p = [analysis.statistics.t_test((wide[name] - wide[best]).to_numpy()[:, None])[1][0]
         for name in others]
    rejected, *_ = multipletests(p, method="holm")
    same = [name for name, reject in zip(others, rejected, strict=True) if not reject]
    assert fairest["same"] == same and least["same"] == [] and "c" not in same
    random = analysis.against_random({"c": runs["c"]}, qrels, "AWRF@4", draws=200, progress=False)
    assert least["random"] == random.loc[0, "random"]


def test_two_kinds_of_random_orders_are_told_apart(made):
    """Of the relevant documents, and of those that a system found."""
    page = made.report.html
    found, *_ = Tags(page).tables
    assert "shuffled" in found[0][-1] and "random" not in found[0][-1]
    assert "[random order]" in page


def test_a_signed_measure_is_judged_by_its_distance(data):
    runs, qrels = data
    result, experiment, found = answers(runs, qrels)
    near = found[found["measure"] == MEASURES[2]].iloc[0]
    assert near["system"] == [result.averages.set_index("name")[MEASURES[2]].abs().idxmin()]
    assert near["place"] == "nearest to 0" and np.isnan(near["p"])
    assert "nearest to 0" in results(experiment, found)[1]


def test_equal_values_share_a_place_and_one_system_has_none(data):
    runs, qrels = data
    _, experiment, found = answers(runs | {"d": runs["c"]}, qrels)
    assert found.iloc[1]["system"] == ["c", "d"] and found.iloc[0]["same"] != ["d"]
    assert "c and d are least fair" in results(experiment, found)[0]
    _, _, found = answers({"a": runs["a"]}, qrels)
    assert found["place"].tolist() == ["", ""] and found["random"].notna().all()


def test_what_is_not_established(data):
    runs, qrels = data
    few = qrels[qrels["qid"].isin(["0", "1", "2"])]
    source = groups.from_mapping({"0-1": "P", "0-2": "C", "1-1": "C"})
    with pytest.warns(UserWarning, match="fewer than half"):
        result = evaluate(runs, few, "AWRF@4", groups=source, progress=False)
    measures = analysis.inputs.parsed("AWRF@4")
    judged = analysis.inputs.loaded_qrels(few)
    lines = caveats(Experiment(result, measures, judged, source))
    assert len(lines) == 2 and "six topics" in lines[0] and "Fewer than half" in lines[1]


def test_measures_of_groups_or_values_with_an_ideal_value_are_answered():
    names = ["AWRF@4", "RaB(values={'P':1})@4", "IAA@4", "FaiRR(values={'P':1})@4", "Annotated@4",
             "nDCG@4"]
    assert list(map(answered, analysis.inputs.parsed(names))) == [True, True, *[False] * 4]


# --------------------------------------------------------------------------------------------------
# human labels


@pytest.fixture
def checked(data, monkeypatch):
    """The three runs with labels of a model, and human labels of eight topics."""
    monkeypatch.setattr(label_sampler, "BURN_IN", 20)
    monkeypatch.setattr(label_sampler, "STEP", 1)
    monkeypatch.setattr(corrections, "DRAWS", 20)
    runs, qrels = data
    truth = qrels[["docno"]].assign(group=qrels["iteration"])
    wrong = np.random.default_rng(1).random(len(truth)) < 0.2
    model = truth.assign(group=truth["group"].where(~wrong, "P"))
    qrels = qrels.drop(columns="iteration")
    rows = analysis.documents_to_label(runs, qrels, "AWRF@4", model, topics=8)
    return runs, qrels, model, truth.sample(60, random_state=1), rows.drop(columns="group").merge(
        truth)


@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
def test_corrected_values_are_the_answer(checked):
    runs, qrels, model, _, topics = checked
    options = {"groups": groups.from_frame(model), "baseline": "a", "progress": False}
    page = report(runs, qrels, ["nDCG@4", "AWRF@4"], human_topics=topics, **options)
    human = groups.model_labels(options["groups"], topics)
    assert page.html.count('id="corrected"') == 1 and "8 topics in full" in page.paragraph
    found = analysis.prediction_powered(runs, qrels, "AWRF@4", model, topics)
    means = found.set_index("name")["mean"]
    answered, corrected, *_ = Tags(page.html).tables
    head, fairest, least = answered
    assert fairest[:4] == ["AWRF@4", "fairest", means.idxmax(), decimal(means.max())]
    assert least[2:4] == [means.idxmin(), decimal(means.min())] and "p" not in head
    assert f"({means.max():.3f}, by topics)" in page.paragraph
    shown = {row[0]: row for row in corrected[1:] if row[1:3] == ["", "AWRF@4"]}
    assert {name: row[4] for name, row in shown.items()} == means.map(decimal).to_dict()
    averages, _ = evaluate(runs, qrels, ["nDCG@4", "AWRF@4"], groups=human, progress=False)
    assert {name: row[3] for name, row in shown.items()} == averages.set_index("name")[
        "AWRF@4"].map(decimal).to_dict()
    (systems,) = [table for table in Tags(page.html).tables if "nDCG@4|↑" in str(table[0])]
    assert "|p " in systems[2][1] and "|p " not in systems[2][2]
    assert page.html.count('class="best"') == 1


@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
def test_without_a_corrected_value_no_system_is_the_fairest(checked):
    runs, qrels, model, documents, _ = checked
    random = model.assign(group=np.random.default_rng(3).choice([*"PC"], len(model)))
    page = report(runs, qrels, ["AWRF@4"], groups=groups.from_frame(random), human=documents,
                  progress=False)
    _, row = Tags(page.html).tables[0]
    assert row[:4] == ["AWRF@4", "", "", "–"]
    assert "κ" in page.paragraph and "fairest (" not in page.paragraph
