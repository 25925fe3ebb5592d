"""The answer of a report: the fairest and the least fair system, and what is not known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from statsmodels.stats.multitest import multipletests

pytest.importorskip("jinja2")

from pt_fairness import analysis, evaluate, groups, report
from pt_fairness.reporting.answer import answer, answered, caveats, results
from pt_fairness.reporting.frames import Experiment

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


def made(runs, qrels, **options):
    result = evaluate(runs, qrels, MEASURES, progress=False, **options)
    measures = analysis.inputs.parsed(MEASURES)
    judged = analysis.inputs.loaded_qrels(qrels)
    experiment = Experiment(result, measures, judged)
    return result, experiment, answer(experiment, runs, judged, None, 0)


def test_places_values_tests_and_random_orders(data):
    runs, qrels = data
    result, _, found = made(runs, qrels, baseline="a")
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


def test_a_signed_measure_is_judged_by_its_distance(data):
    runs, qrels = data
    result, experiment, found = made(runs, qrels)
    near = found[found["measure"] == MEASURES[2]].iloc[0]
    assert near["system"] == [result.averages.set_index("name")[MEASURES[2]].abs().idxmin()]
    assert near["place"] == "nearest to 0" and np.isnan(near["p"])
    assert "nearest to 0" in results(experiment, found)[1]


def test_equal_values_share_a_place(data):
    runs, qrels = data
    _, experiment, found = made(runs | {"d": runs["c"]}, qrels)
    assert found.iloc[1]["system"] == ["c", "d"] and found.iloc[0]["same"] != ["d"]
    assert "c and d are least fair" in results(experiment, found)[0]


def test_one_system_has_a_value_and_no_place(data):
    runs, qrels = data
    _, _, found = made({"a": runs["a"]}, qrels)
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


def test_the_page_and_the_paragraph_have_it(data):
    runs, qrels = data
    page = report(runs, qrels, MEASURES, baseline="a", progress=False)
    assert page.html.index('id="answer"') < page.html.index('id="systems"')
    _, experiment, found = made(runs, qrels, baseline="a")
    for sentence in results(experiment, found):
        assert sentence in page.paragraph
