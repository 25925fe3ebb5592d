"""Many runs are evaluated as pt.Experiment does; broken ones do not stop the others."""

import warnings

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from evaluation.common import MEASURES, OURS, PROCESSES, evaluate_quietly
from ir_measures import AP, Judged, P, nDCG
from one_test import each

from pt_fairness import FairnessWarning, evaluate, rND


def assert_equals_experiment(averages, per_query, runs, qrels, measures, baseline):
    qrels = pt.model.from_ir_measures(qrels).rename(columns={"relevance": "label"})
    topics = pd.DataFrame({"qid": qrels["qid"].unique()})
    given = [run.copy() for run in runs.values()], topics, qrels, measures
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        means = pt.Experiment(*given, names=list(runs), baseline=baseline)
        rows = pt.Experiment(*given, names=list(runs), perquery=True)
    # The order of the measures of pt.Experiment differs between interpreters.
    assert set(means.columns) == set(averages.columns)
    assert [c for c in averages.columns if c in map(str, measures)] == list(map(str, measures))
    # Differences are rounded to 12 decimals before they are tested and counted.
    counts = [column for column in averages if column.endswith((" +", " -"))]
    pd.testing.assert_frame_equal(averages.drop(columns=counts),
                                  means[averages.columns].drop(columns=counts), rtol=1e-9, atol=0)
    table = rows.pivot(index=["measure", "qid"], columns="name", values="value")[list(runs)]
    for column in counts:
        values = table.loc[column[:-2]]
        gains = values.sub(values.iloc[:, baseline], axis=0).round(12)
        won = gains > 0 if column.endswith("+") else gains < 0
        assert averages[column].drop(baseline).tolist() == won.sum().drop(
            values.columns[baseline]).tolist()
    names = [*map(str, measures)]
    pd.testing.assert_frame_equal(averages[names], means[names], rtol=1e-13, atol=0)
    key = ["name", "qid", "measure"]
    ordered = per_query[["name", "qid"]].sort_values(["name", "qid"])
    assert per_query[["name", "qid"]].equals(ordered)
    pd.testing.assert_frame_equal(per_query.sort_values(key, ignore_index=True),
                                  rows.sort_values(key, ignore_index=True), check_exact=True)


@pytest.mark.parametrize("measures, baseline", [
    (MEASURES, 1), ([nDCG @ 5], None), ([Judged @ 5], 1)])
def test_equals_experiment(runs, qrels, measures, baseline):
    name = None if baseline is None else list(runs)[baseline]
    copies = {name: run.copy() for name, run in runs.items()}
    averages, per_query = evaluate_quietly(runs, qrels, measures, baseline=name, correction=None,
                                           undefined="count")
    assert_equals_experiment(averages, per_query, runs, qrels, measures, baseline)
    for name, run in runs.items():
        pd.testing.assert_frame_equal(run, copies[name])


def test_a_measure_without_a_value_for_some_topics():
    # Accuracy has no value if no relevant document is in the results. pt.Experiment takes it alone.
    qrels = pd.DataFrame({"query_id": list("1112223"), "doc_id": list("abcabca"),
                          "relevance": [1, 0, 1, 0, 1, 0, 0]})
    runs = {"one": pd.DataFrame({"qid": list("11122"), "docno": list("abcab"),
                                 "score": [3.0, 2, 1, 1, 2]}),
            "two": pd.DataFrame({"qid": list("111223"), "docno": list("abdaba"),
                                 "score": [1.0, 2, 3, 2, 1, 1]})}
    accuracy = ir_measures.parse_measure("Accuracy")
    averages, per_query = evaluate_quietly(runs, qrels, [accuracy, nDCG @ 5], baseline=0)
    alone = evaluate_quietly(runs, qrels, [accuracy])
    assert_equals_experiment(*alone, runs, qrels, [accuracy], None)
    assert len(alone[1]) == 6 and alone[1]["value"].isna().sum() == 2
    assert averages["Accuracy"].tolist() == alone[0]["Accuracy"].tolist() == [0.75, 0.0]
    rows = per_query[per_query["measure"] == "Accuracy"].reset_index(drop=True)
    pd.testing.assert_frame_equal(rows, alone[1])
    # Of (½, 0) and (1, 0): t = 3, one degree of freedom.
    assert averages["Accuracy p-value"][1] == pytest.approx(0.2048, abs=1e-4)


NO_GROUPS = pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1]})


@each("options, says", [
    ({"runs": []}, "no runs"), ({"baseline": 8}, "got 8"),
    ({"baseline": "systm 4"}, "got 'systm 4'. Did you mean 'system 4'?"),
    ({"measures": []}, "got an empty list"), ({"measures": None}, "measures=None is a NoneType"),
    ({"measures": [P]}, "P: cutoff must be given"), ({"n_jobs": 0}, "n_jobs must be"),
    ({"qrels": pt.datasets.Dataset()}, "has no qrels"),
    ({"qrels": pd.DataFrame({"qid": [], "docno": [], "label": []})}, "qrels must have rows"),
    ({"qrels": NO_GROUPS}, "the qrels must have groups")])
def test_wrong_arguments_are_refused(runs, qrels, options, says):
    options = {"runs": runs, "qrels": qrels, "measures": OURS} | options
    with pytest.raises(ValueError) as error:
        evaluate_quietly(**options)
    assert says in str(error.value)


BROKEN = {"letters": ("1 Q0 a 1 x tag\n", "letters, line 1: score must be a number, got 'x'"),
          "short": ("1 Q0 a 1 2 tag\n1 Q0 b 2 1\n", "short, line 2"),
          "empty": ("", "the run is empty"), "damaged.gz": ("no gzip", "damaged.gz")}


@pytest.mark.parametrize("n_jobs", PROCESSES)
def test_a_broken_file_does_not_stop_the_others(files, qrels, n_jobs):
    for name, (text, _) in BROKEN.items():
        (files / name).write_text(text)
    names = sorted(path.name.removesuffix(".gz") for path in files.iterdir())
    paths = [*(str(path) for path in sorted(files.iterdir())), "no/such/file"]
    with pytest.warns(FairnessWarning, match="5 of 13") as told:
        result = evaluate(paths, qrels, OURS, baseline="system 4", progress=False, n_jobs=n_jobs)
    averages, per_query = result
    failed = result.facts.failed
    text = next(str(one.message) for one in told if "could not be" in str(one.message))
    for name, (_, says) in BROKEN.items():
        name = name.removesuffix(".gz")
        assert f"{name} (" in text and says in text and says in failed[name]
    assert "No such file" in failed["file"]
    whole = [name for name in names if name.startswith("system")]
    assert averages["name"].tolist() == whole
    paths = [files / name for name in whole]
    expected = evaluate_quietly(paths, qrels, OURS, baseline="system 4")
    pd.testing.assert_frame_equal(per_query, expected.perquery)
    assert expected.facts.failed == {}


def test_a_broken_baseline_leaves_its_columns_empty(runs, qrels):
    runs = {**runs, "baseline": runs["system 3"].assign(score=np.nan)}
    with pytest.warns(FairnessWarning, match="score .*NaN.*compared"):
        result = evaluate(runs, qrels, [nDCG @ 5, AP], baseline="baseline", progress=False)
    assert len(result.averages) == 8 and result.facts.comparison is None
    assert result.averages.columns.tolist() == ["name", "nDCG@5", "AP"]
    assert any("baseline" in note for note in result.table().notes)


def test_a_broken_run_counts_as_equal_in_the_correction(runs, qrels):
    names = list(runs)[:4]
    failed = {name: runs[name] for name in names} | {"broken": runs[names[0]].iloc[:0]}
    equal = failed | {"broken": runs[names[0]]}
    some, every = (evaluate_quietly(given, qrels, [nDCG @ 5], baseline=0, correction="fdr_bh")
                   for given in (failed, equal))
    corrected = some.averages["nDCG@5 p-value corrected"]
    assert corrected.notna().any()
    assert corrected.equals(every.averages["nDCG@5 p-value corrected"].iloc[:4])
    assert some.facts.comparison.systems == 4


def test_nothing_but_broken_runs_is_an_error(tmp_path, qrels):
    (tmp_path / "run").write_text("one two\n")
    with pytest.raises(ValueError, match=r"run, line 1"):
        evaluate(tmp_path / "run", qrels, [AP], progress=False)


@pytest.mark.parametrize("n_jobs", PROCESSES)
def test_warnings_say_once_which_runs_they_are_about(runs, qrels, n_jobs):
    for rows in (1, 2):  # the numbers differ, so that the messages do
        name = f"system {3 + rows}"
        runs[name] = pd.concat([runs[name], runs[name].head(rows)])
    measures = [rND @ 5, rND(protected="g1", target={"g0": 0.5, "nobody": 0.5}) @ 5]
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        evaluate(runs, qrels, measures, progress=False, n_jobs=n_jobs)
    fairness = (one for one in told if issubclass(one.category, FairnessWarning))
    texts = sorted(str(one.message) for one in fairness)
    texts = [text for text in texts if "topics of the qrels" not in text]
    assert len(texts) == 4
    assert texts[0].startswith("protected") and "(in" not in texts[0]
    assert "system 4" in texts[1] and "system 5" in texts[1]
    assert "'nobody'" in texts[2] and "(in" not in texts[2]
    assert texts[3].startswith("undefined topics") and "(in" not in texts[3]
