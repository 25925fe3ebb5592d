"""Many runs: equal to pt.Experiment, on one process, several, or a cluster whose workers die."""

import contextlib
import gzip
import json
import math
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import warnings
from importlib.util import find_spec
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import AP, ERR_IA, Judged, NumRel, NumRet, P, Rprec, alpha_nDCG, nDCG

import pt_fairness
from pt_fairness import (
    Annotated,
    FairnessWarning,
    Skew,
    cli,
    evaluate,
    evaluation,
    groups,
    io,
    nDJS,
    nDKL,
    provider,
    rKL,
    rND,
    targets,
)

OURS = [rND @ 5, rKL(protected="all") @ 5, nDKL, nDJS]
MEASURES = [nDCG @ 5, *OURS, AP(rel=2), alpha_nDCG @ 5, P @ 3, Rprec, NumRet, NumRet(rel=1), NumRel, Judged @ 5, ERR_IA @ 5]


several = pytest.mark.skipif(find_spec("joblib") is None, reason="several processes need joblib")
#: One process, and several.
PROCESSES = [1, pytest.param(2, marks=several)]


def trec_run(run):
    """The text of a run file."""
    return "".join(f"{qid} Q0 {docno} 0 {score!r} tag\n" for qid, docno, score in run.itertuples(index=False))


def evaluate_quietly(*arguments, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        return evaluate(*arguments, progress=False, **options)


@pytest.fixture
def qrels(make_case):
    return make_case(3, topics=12, labels=3).qrels_frame


@pytest.fixture
def runs(make_case):
    """Runs over the topics of ``qrels``; each lacks some of them, and has one that nobody judged."""
    return {f"system {seed}": make_case(seed, topics=12, labels=3).run_frame.rename(
        columns={"query_id": "qid", "doc_id": "docno"}) for seed in range(3, 11)}


@pytest.fixture
def files(runs, tmp_path):
    """The same runs in files."""
    folder = tmp_path / "runs"
    folder.mkdir()
    for name, run in runs.items():
        (folder / name).write_text(trec_run(run), encoding="utf-8")
    return folder


# ---------------------------------------------------------------------------------------------------------------------
# number for number


def assert_equals_experiment(averages, per_query, runs, qrels, measures, baseline):
    qrels = pt.model.from_ir_measures(qrels).rename(columns={"relevance": "label"})
    topics = pd.DataFrame({"qid": qrels["qid"].unique()})
    options = {"names": list(runs)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        means = pt.Experiment([run.copy() for run in runs.values()], topics, qrels, measures, baseline=baseline, **options)
        rows = pt.Experiment([run.copy() for run in runs.values()], topics, qrels, measures, perquery=True, **options)
    # pt.Experiment has the measures in an order that differs from interpreter to interpreter.
    assert set(means.columns) == set(averages.columns)
    assert [c for c in averages.columns if c in map(str, measures)] == list(map(str, measures))
    pd.testing.assert_frame_equal(averages, means[averages.columns], rtol=1e-13, atol=0)
    key = ["name", "qid", "measure"]
    assert per_query[["name", "qid"]].equals(per_query[["name", "qid"]].sort_values(["name", "qid"]))
    pd.testing.assert_frame_equal(per_query.sort_values(key, ignore_index=True), rows.sort_values(key, ignore_index=True),
                                  check_exact=True)


@pytest.mark.parametrize("measures", [MEASURES, [nDCG @ 5], OURS, [Judged @ 5], [alpha_nDCG @ 5, rND @ 3]])
def test_equals_experiment(runs, qrels, measures):
    averages, per_query = evaluate_quietly(runs, qrels, measures, baseline="system 4")
    assert_equals_experiment(averages, per_query, runs, qrels, measures, 1)


def test_equals_experiment_without_a_baseline(runs, qrels):
    averages, per_query = evaluate_quietly(runs, qrels, MEASURES)
    assert list(averages.columns) == ["name", *map(str, MEASURES)]
    assert_equals_experiment(averages, per_query, runs, qrels, MEASURES, None)


@pytest.mark.parametrize("baseline", [0, "system 4", "system 4.gz", "PATH"])
def test_the_baseline_is_named_as_a_user_has_it(runs, qrels, tmp_path, baseline):
    for name in ("system 4", "system 3"):
        (tmp_path / f"{name}.gz").write_bytes(gzip.compress(trec_run(runs[name]).encode()))
    paths = [tmp_path / "system 4.gz", tmp_path / "system 3.gz"]
    averages, _ = evaluate_quietly(paths, qrels, [nDCG @ 5], baseline=paths[0] if baseline == "PATH" else baseline)
    assert averages["name"].tolist() == ["system 4", "system 3"] and averages["nDCG@5 p-value"].isna().tolist() == [True, False]


def test_equals_experiment_on_the_real_runs(shared, robust03):
    qrels, runs = robust03
    runs = {name: run.rename(columns={"query_id": "qid", "doc_id": "docno"}) for name, run in list(runs.items())[:4]}
    measures = [nDCG @ 10, Rprec, alpha_nDCG @ 10, rND @ 10, nDJS]
    paths = {name: shared / "data" / "robust03" / "runs" / f"input.{name}.gz" for name in runs}
    averages, per_query = evaluate_quietly(paths, qrels, measures, baseline=0)
    assert_equals_experiment(averages, per_query, runs, qrels, measures, 0)


def test_a_measure_without_a_value_for_some_topics():
    # Accuracy says nothing of a topic without a relevant document among the results; pt.Experiment takes it alone only.
    qrels = pd.DataFrame({"query_id": list("1112223"), "doc_id": list("abcabca"), "relevance": [1, 0, 1, 0, 1, 0, 0]})
    runs = {"one": pd.DataFrame({"qid": list("11122"), "docno": list("abcab"), "score": [3.0, 2, 1, 1, 2]}),
            "two": pd.DataFrame({"qid": list("111223"), "docno": list("abdaba"), "score": [1.0, 2, 3, 2, 1, 1]})}
    accuracy = ir_measures.parse_measure("Accuracy")
    averages, per_query = evaluate_quietly(runs, qrels, [accuracy, nDCG @ 5], baseline=0)
    alone = evaluate_quietly(runs, qrels, [accuracy])
    assert_equals_experiment(*alone, runs, qrels, [accuracy], None)
    assert len(alone[1]) == 6 and alone[1]["value"].isna().sum() == 2
    assert averages["Accuracy"].tolist() == alone[0]["Accuracy"].tolist() == [0.75, 0.0]
    pd.testing.assert_frame_equal(per_query[per_query["measure"] == "Accuracy"].reset_index(drop=True), alone[1])
    assert averages["Accuracy p-value"][1] == pytest.approx(0.2048, abs=1e-4)  # of (½, 0) and (1, 0): t = 3, one degree


def test_names_of_measures_and_identifiers_of_any_type(runs, qrels):
    numbered = [run[run["qid"] != "unknown"].astype({"qid": int}) for run in runs.values()]
    by_name = evaluate_quietly(numbered, qrels.astype({"query_id": int}), ["nDCG@5", "rND@5", "nDCG@5"])
    by_object = evaluate_quietly(list(runs.values()), qrels, [nDCG @ 5, rND @ 5])
    for one, other in zip(by_name, by_object, strict=True):
        pd.testing.assert_frame_equal(one, other)
    assert by_name[0]["name"].tolist() == [f"run {i}" for i in range(8)]


@pytest.mark.parametrize("column", ["qid", "docno"])
def test_missing_identifiers_are_refused(runs, qrels, column):
    run = runs["system 4"].copy()
    run[column] = run[column].where(run.index != run.index[2])
    with pytest.raises(ValueError, match=f"row {run.index[2]} of the run has no {column}"):
        evaluate_quietly(run, qrels, [AP])
    with pytest.raises(ValueError, match="row 2 of the qrels has no query_id"):
        evaluate_quietly(runs, qrels.assign(query_id=qrels["query_id"].where(qrels.index != 2)), [AP])


def test_the_callers_frames_stay_as_they_are(runs, qrels):
    copies = {name: run.copy() for name, run in runs.items()}
    evaluate_quietly(runs, qrels, MEASURES)
    for name, run in runs.items():
        pd.testing.assert_frame_equal(run, copies[name])


# ---------------------------------------------------------------------------------------------------------------------
# what can be given


def test_paths_globs_and_formats_are_the_same(runs, files, qrels, tmp_path):
    io.write_qrels(qrels, tmp_path / "qrels")
    expected = evaluate_quietly(runs, qrels, MEASURES)
    pytest.importorskip("pyarrow")
    as_parquet = tmp_path / "parquet"
    as_parquet.mkdir()
    for name, run in runs.items():
        run.to_parquet(as_parquet / f"{name}.parquet")
    ordered = sorted(runs)
    for given in (str(files / "*"), [files / name for name in ordered], as_parquet / "*.parquet",
                  [str(files / "system ?"), runs["system 10"]]):
        averages, _ = evaluate_quietly(given, tmp_path / "qrels", MEASURES)
        values = averages.assign(name=averages["name"].replace("run 7", "system 10")).set_index("name")
        pd.testing.assert_frame_equal(values, expected[0].set_index("name").loc[values.index])


def test_files_of_the_same_name_are_called_by_their_paths(runs, qrels, tmp_path):
    for folder in "ab":
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "run.gz").write_bytes(gzip.compress(trec_run(runs["system 4"]).encode()))
    averages, _ = evaluate_quietly(tmp_path / "*" / "run.gz", qrels, OURS)
    assert averages["name"].tolist() == [str(tmp_path / folder / "run.gz") for folder in "ab"]
    averages, _ = evaluate_quietly(tmp_path / "a" / "run.gz", qrels, OURS)
    assert averages["name"].tolist() == ["run"]


def test_qrels_of_a_dataset():
    run = pd.DataFrame({"qid": "1", "docno": [f"d01-{i:02}" for i in range(1, 9)], "score": range(8, 0, -1)})
    dataset = pt.get_dataset("irds:pt-fairness/debates/stance")
    expected = ir_measures.calc_aggregate([rND @ 5], pt.model.to_ir_measures(dataset.get_qrels()), pt.model.to_ir_measures(run))
    for qrels in ("pt-fairness/debates/stance", "irds:pt-fairness/debates/stance", dataset):
        averages, per_query = evaluate_quietly(run, qrels, [rND @ 5])
        assert averages["rND@5"].tolist() == [expected[rND @ 5]]
        assert len(per_query) == dataset.get_qrels()["qid"].nunique()


@pytest.mark.parametrize("options, says", [
    ({"runs": []}, "no runs"),
    ({"runs": "no/such/*.gz"}, "no file matches 'no/such/*.gz'"),
    ({"runs": ["a/x.gz", "a/x.gz"]}, "'a/x.gz' is given twice"),
    ({"runs": {"x": 3}}, "'x' is a int; a run is the path of a file or a DataFrame"),
    ({"baseline": 8}, "baseline=8 is no place in a list of 8 runs"),
    ({"baseline": "systm 4"}, "'systm 4' is none of the runs; they are system 3, system 4,"),
    ({"measures": []}, "no measures"),
    ({"measures": ["nDCGG@5"]}, "measure not found: nDCGG"),
    ({"measures": ""}, "'' cannot be read as a measure"),
    ({"measures": ["nDCG@5 AP"]}, "'nDCG@5 AP' cannot be read as a measure"),
    ({"measures": None}, "measures=None is a NoneType"),
    ({"measures": [5]}, "5 is a int, not a measure"),
    ({"measures": [P]}, "P is not possible: it needs the parameter 'cutoff'"),
    ({"measures": ["nDCG@0"]}, "nDCG@0 is not possible: cutoff takes a whole number from 1"),
    ({"measures": [P @ 5, P @ -1]}, "P@-1 is not possible: cutoff takes a whole number from 1"),
    ({"measures": [rND(protected="all")]}, "rND"),
    ({"measures": [P(relevance=2) @ 5]}, "relevance"),
    ({"measures": [rND(groups="nowhere")]}, "no groups are registered as 'nowhere'"),
    ({"qrels": "no/such/qrels"}, "neither a file nor a dataset id"),
    ({"qrels": "irds:no/such/qrels"}, "irds:no/such/qrels is neither a file nor a dataset id"),
    ({"qrels": [1]}, "the qrels are a list; they have to be a DataFrame, the path of a file"),
    ({"qrels": pt.datasets.Dataset()}, "has no qrels"),
    ({"n_jobs": 0}, "0 processes cannot evaluate anything"),
    ({"qrels": pd.DataFrame({"qid": [], "docno": [], "label": []})}, "the qrels have no rows"),
    ({"qrels": pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1]})}, "the qrels have no groups"),
])
@pytest.mark.parametrize("n_jobs", PROCESSES)
def test_wrong_questions(runs, qrels, options, says, n_jobs):
    options = {"runs": runs, "qrels": qrels, "measures": OURS, "n_jobs": n_jobs} | options
    with pytest.raises(ValueError, match=None) as error:
        evaluate_quietly(**options)
    assert says in str(error.value)


def test_evaluate_is_the_function_whatever_is_imported_first():
    for first in ("import pt_fairness.evaluation", "from pt_fairness import evaluation", "import pt_fairness.cli",
                  "from pt_fairness import *", "import pyterrier as pt; pt.fairness"):
        code = (f"{first}\nimport pt_fairness\nfrom pt_fairness import evaluate\n"
                "assert evaluate is pt_fairness.evaluate and callable(evaluate), evaluate")
        subprocess.run([sys.executable, "-c", code], check=True)


# ---------------------------------------------------------------------------------------------------------------------
# broken runs and warnings


BROKEN = {"letters": ("1 Q0 a 1 x tag\n", "letters, line 1: the score 'x' is no number"),
          "short": ("1 Q0 a 1 2 tag\n1 Q0 b 2 1\n", "short, line 2: 5 columns"),
          "empty": ("", "the run is empty"),
          "damaged.gz": ("no gzip", "damaged.gz is damaged")}


@pytest.mark.parametrize("n_jobs", PROCESSES)
def test_a_broken_file_does_not_stop_the_others(files, qrels, n_jobs):
    for name, (text, _) in BROKEN.items():
        (files / name).write_text(text)
    names = sorted(path.name.removesuffix(".gz") for path in files.iterdir())
    paths = [*(str(path) for path in sorted(files.iterdir())), "no/such/file"]
    with pytest.warns(FairnessWarning, match="5 of 13 runs could not be evaluated") as told:
        averages, per_query = evaluate(paths, qrels, MEASURES, baseline="system 4", progress=False, n_jobs=n_jobs)
    text = next(str(one.message) for one in told if "could not be" in str(one.message))
    for name, (_, says) in BROKEN.items():
        name = name.removesuffix(".gz")
        assert f"{name} (" in text and says in text and says in averages.attrs["broken"][name]
    assert "No such file" in averages.attrs["broken"]["file"]
    whole = [name for name in names if name.startswith("system")]
    assert averages["name"].tolist() == whole and sorted(per_query["name"].unique()) == whole
    expected = evaluate_quietly([files / name for name in whole], qrels, MEASURES, baseline="system 4")
    pd.testing.assert_frame_equal(per_query, expected[1])
    pd.testing.assert_frame_equal(averages.set_index("name"), expected[0].set_index("name"), check_flags=False)
    assert expected[0].attrs["broken"] == {}


def test_a_broken_baseline_leaves_its_columns_empty(runs, qrels):
    runs = {**runs, "baseline": runs["system 3"].assign(score=np.nan)}
    with pytest.warns(FairnessWarning, match="baseline .the score of document .* is NaN"):
        averages, _ = evaluate(runs, qrels, [nDCG @ 5, AP], baseline="baseline", progress=False)
    assert len(averages) == 8 and averages["nDCG@5"].notna().all()
    assert averages[["nDCG@5 +", "nDCG@5 -", "nDCG@5 p-value"]].isna().all(axis=None)


def test_nothing_but_broken_runs_is_an_error(tmp_path, qrels):
    (tmp_path / "run").write_text("one two\n")
    with pytest.raises(ValueError, match=r"no run could be evaluated: run \(.*run, line 1: 2 columns"):
        evaluate(tmp_path / "run", qrels, [AP], progress=False)


@pytest.mark.parametrize("n_jobs", PROCESSES)
def test_warnings_say_once_which_runs_they_are_about(runs, qrels, n_jobs):
    twice = runs["system 4"]
    runs = {**runs, "system 4": pd.concat([twice, twice.head(1)])}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        evaluate(runs, qrels, [rND @ 5, rND(protected="nobody") @ 5], progress=False, n_jobs=n_jobs)
    texts = sorted(str(one.message) for one in told if issubclass(one.category, FairnessWarning))
    assert len(texts) == 3
    assert texts[0].startswith("protected='nobody' names a group") and "(run" not in texts[0]
    assert "again for the same topic" in texts[1] and texts[1].endswith("(run system 4)")
    assert texts[2].startswith("topics with nothing to compare with") and "(run" not in texts[2]


def test_progress_is_shown_unless_it_is_not_wanted(runs, qrels, capsys):
    evaluate(runs, qrels, [AP])
    assert "8/8" in capsys.readouterr().err
    evaluate(runs, qrels, [AP], progress=False)
    assert capsys.readouterr().err == ""


# ---------------------------------------------------------------------------------------------------------------------
# several processes


@pytest.fixture
def registered(monkeypatch):
    """Groups and a target that this process alone knows."""
    monkeypatch.setattr(groups, "_registry", dict(groups._registry))
    monkeypatch.setattr(targets, "_registry", dict(targets._registry))
    groups.register("by-number", lambda: groups.from_pattern(r"\d$", name="by-number"))
    targets.register("uneven", pd.DataFrame({"qid": np.repeat([str(i) for i in range(1, 13)], 2), "group": ["3", "4"] * 12,
                                             "share": [0.75, 0.25] * 12}))
    return [rND(groups="by-number", protected="3") @ 5, rKL(groups="by-number", protected="3,4", target="uneven") @ 5]


def assert_same(one, other):
    for mine, theirs in zip(one, other, strict=True):
        pd.testing.assert_frame_equal(mine, theirs, check_exact=True)


@several
def test_processes_give_the_same(files, qrels, registered):
    measures = [*MEASURES, *registered]
    serial = evaluate_quietly(files / "*", qrels, measures, baseline=0)
    assert_same(evaluate_quietly(files / "*", qrels, measures, baseline=0, n_jobs=2), serial)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_joblib_may_be_configured(runs, qrels, registered, backend):
    parallel_config = pytest.importorskip("joblib").parallel_config
    measures = [*MEASURES, *registered]
    serial = evaluate_quietly(runs, qrels, measures, baseline=0)
    source = groups.get("by-number")
    with parallel_config(backend, n_jobs=2):
        assert_same(evaluate_quietly(runs, qrels, measures, baseline=0), serial)
    assert groups.get("by-number") is source and targets.get("uneven")["share"].max() == 0.75


@several
def test_workers_do_not_remember_what_a_name_meant_before(runs, qrels, registered):
    measure = rND(groups="by-number", protected="3", target="uneven") @ 5
    first = evaluate_quietly(runs, qrels, [measure], n_jobs=2)
    groups.register("by-number", groups.from_pattern(r"\d", name="by-number"))
    targets.register("uneven", targets.get("uneven").assign(share=[0.25, 0.75] * 12))
    second = evaluate_quietly(runs, qrels, [measure], n_jobs=2)
    assert_same(second, evaluate_quietly(runs, qrels, [measure]))
    assert (first[0][str(measure)] != second[0][str(measure)]).any()


def test_a_plan_means_what_it_meant_where_it_was_made(registered):
    """A worker in which the names mean something else, those of this package included."""
    qrels = pd.DataFrame({"qid": ["1", "1"], "docno": ["FT911-1", "LA010189-1"], "label": 1})
    run = qrels.assign(score=[2.0, 1.0])
    measures = [Annotated(groups="trec-newswire"), Annotated(groups="by-letter"),
                Skew(group="3", groups="by-letter", target="uneven")]
    groups.register("by-letter", groups.from_mapping({"FT911-1": "3"}))
    theirs = pickle.dumps(evaluation._plan(qrels, measures, None, workers=2))
    for name in ("trec-newswire", "by-letter"):
        groups.register(name, groups.from_mapping({"other": "3"}))
    targets.register("uneven", pd.DataFrame({"qid": ["1"], "group": ["4"], "share": [1.0]}))
    ours = pickle.dumps(evaluation._plan(qrels, measures, None, workers=2))
    values = [evaluation._Scorer(pickle.loads(plan)).result((0, run)).values.tolist()
              for plan in (theirs, ours, theirs)]
    all_of_75_percent = [1.0, 0.5, pytest.approx(math.log(1 / 0.75))]
    assert values == [[all_of_75_percent], [[0.0, 0.0, 0.0]], [all_of_75_percent]]


@several
def test_workers_keep_no_names_of_a_plan(runs, qrels, registered):
    """Their other tasks get what the names mean where these come from."""
    joblib = pytest.importorskip("joblib")
    measure = rND(groups="by-number", protected="3", target="uneven") @ 5
    run = pt.model.to_ir_measures(runs["system 4"])
    evaluate_quietly(runs, qrels, [measure], n_jobs=2)
    groups.register("by-number", groups.from_pattern(r"\d", name="by-number"))
    targets.register("uneven", targets.get("uneven").assign(share=[0.25, 0.75] * 12))
    expected = ir_measures.calc_aggregate([measure], qrels, run)
    found = joblib.Parallel(n_jobs=2)(
        joblib.delayed(ir_measures.calc_aggregate)([measure], qrels, run) for _ in range(4))
    assert found == [expected] * 4


@several
def test_workers_follow_the_environment_variable(make_case, monkeypatch):
    case = make_case(7, topics=12, labels=3)
    qrels, run = case.qrels_frame.fillna("-"), case.run_frame.assign(score=1.0)
    values = {}
    for setting in ("", "ndeval", ""):
        monkeypatch.setenv(provider.ALPHA_VARIABLE, setting)
        serial = evaluate_quietly([run], qrels, [alpha_nDCG @ 5])
        assert_same(evaluate_quietly([run, run], qrels, [alpha_nDCG @ 5], n_jobs=2)[1:],
                    evaluate_quietly([run, run], qrels, [alpha_nDCG @ 5])[1:])
        values[setting] = serial[0]["alpha_nDCG@5"][0]
    assert values[""] != values["ndeval"]


def test_without_joblib(runs, qrels, monkeypatch):
    serial = evaluate_quietly(runs, qrels, OURS)
    for name in [name for name in sys.modules if name.partition(".")[0] == "joblib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.setattr(sys, "path_importer_cache", {})
    assert_same(evaluate_quietly(runs, qrels, OURS), serial)
    with pytest.raises(ImportError, match=r"n_jobs=2 needs joblib: pip install 'pt-fairness\[parallel\]'"):
        evaluate_quietly(runs, qrels, OURS, n_jobs=2)


@pytest.fixture
def script(files, qrels, tmp_path):
    """``script(text)``: runs it in an interpreter of its own, with a pattern of runs and a file of qrels. It prints True."""
    def run(text):
        io.write_qrels(qrels, tmp_path / "qrels")
        path = tmp_path / "script.py"
        path.write_text(textwrap.dedent(text))
        done = subprocess.run([sys.executable, "-W", "ignore", path, str(files / "*"), str(tmp_path / "qrels")],
                              capture_output=True, text=True)
        assert done.stdout == "True\n", done.stderr
    return run


@several
def test_a_measure_and_groups_of_a_script(script):
    """Classes and functions that no other process can import."""
    script("""
        import sys, ir_measures, pandas as pd
        from pt_fairness import evaluate, groups, rND

        class Last(groups.Groups):
            def lookup(self, qids, docnos):
                return pd.DataFrame({"qid": qids, "docno": docnos, "group": [d[-1] for d in docnos]})

        groups.register("last", Last())
        length = ir_measures.define_byquery(lambda qrels, run: float(len(run)), name="length")
        measures = [length, rND(groups="last", protected="3") @ 5]
        one, two = (evaluate(sys.argv[1], sys.argv[2], measures, n_jobs=n, progress=False)[1] for n in (1, 2))
        pd.testing.assert_frame_equal(one, two)
        print(one["value"].nunique() > 10)
    """)


@several
def test_there_are_no_more_workers_than_runs():
    import joblib
    assert [evaluation._parallel(jobs, 2).n_jobs for jobs in (2, 3, 48)] == [2, 2, 2]
    assert evaluation._parallel(3, 4).n_jobs == 3 and evaluation._parallel(48, 1) is None
    with joblib.parallel_config("loky", n_jobs=48):
        assert evaluation._parallel(1, 3).n_jobs == 3
    with joblib.parallel_config("loky", n_jobs=0), pytest.raises(ValueError, match="n_jobs == 0"):
        evaluation._parallel(1, 3)


def test_a_cluster_does_a_single_run():
    """Its workers are there, and may have files that are not here."""
    distributed = pytest.importorskip("dask.distributed")
    joblib = pytest.importorskip("joblib")
    with distributed.Client(n_workers=1, threads_per_worker=3, processes=False,
                            dashboard_address=None), joblib.parallel_config("dask"):
        assert evaluation._parallel(1, 1).n_jobs == evaluation._parallel(1, 2).n_jobs == -1


@several
@pytest.mark.parametrize("jobs", [2, -1])
def test_workers_share_the_processors(qrels, jobs):
    """Each reads with as many threads as it has processors, and leaves pandas as it was."""
    threads = getattr(pd.options.mode, "max_threads", "not in this version")

    def seen(qrels, run):
        return float(-1 if (set_to := getattr(pd.options.mode, "max_threads", 0)) is None else set_to)

    measure = ir_measures.define_byquery(seen, name="threads")
    runs = {name: pd.DataFrame({"qid": ["1"], "docno": ["d1"], "score": [1.0]}) for name in "ab"}
    _, per_query = evaluate_quietly(runs, qrels, [measure], n_jobs=jobs)
    processors = os.cpu_count()
    expected = 0 if threads == "not in this version" else max(1, processors // min(2, processors))
    if jobs > 0 or processors > 1:  # one processor needs no workers
        assert per_query.loc[per_query["qid"] == "1", "value"].tolist() == [expected] * 2
    assert getattr(pd.options.mode, "max_threads", "not in this version") == threads


@several
def test_a_measure_class_of_a_script(script):
    script("""
        import sys, numpy, pandas as pd
        from pt_fairness import evaluate
        from pt_fairness.measures import FairnessMeasure, params, register
        from pt_fairness.measures.late import np, numerics

        class _GroupRR(FairnessMeasure):
            __name__ = "GroupRR"
            NAME = __name__
            PRETTY_NAME = "Reciprocal Rank of a Group"
            SHORT_DESC = "Reciprocal rank of the first document of a group."
            SUPPORTED_PARAMS = {"cutoff": params.cutoff(), "group": params.label("the group"), "groups": params.groups()}
            FAIR_END = 1.0
            DEFAULT = 0.0

            def score(self, view):
                codes, _ = view.condensed(self.param("cutoff"))
                wanted = (view.member & numpy.isin(view.labels, [self.param("group")])).any(axis=1)
                found = np.append(wanted, False)[codes]
                return np.asarray((found / numerics.ranks(codes.shape[1])).max(axis=1, initial=0.0))

        GroupRR = register(_GroupRR())
        one, two = (evaluate(sys.argv[1], sys.argv[2], [GroupRR(group="g1") @ 5], n_jobs=n, progress=False)[1] for n in (1, 2))
        pd.testing.assert_frame_equal(one, two)
        print(one["value"].nunique() > 2)
    """)


@several
def test_paths_mean_what_they_mean_here(runs, qrels, tmp_path, monkeypatch):
    """Workers stay in the folder that they were started in."""
    tables = {}
    for jobs in (1, 2):
        for folder, name in (("one", "system 3"), ("other", "system 4")):
            (tmp_path / folder).mkdir(exist_ok=True)
            monkeypatch.chdir(tmp_path / folder)
            Path("a.run").write_text(trec_run(runs[name]))
            Path("b.run").write_text(trec_run(runs["system 5"]))
            pd.DataFrame({"docno": qrels["doc_id"], "group": qrels["doc_id"].str[-1 if folder == "one" else 0]}).to_csv(
                "groups.csv", index=False)
            tables[jobs, folder] = evaluate_quietly(["a.run", "b.run"], qrels, [nDCG @ 5, "nDJS(groups='groups.csv')@5"],
                                                    n_jobs=jobs)
    assert not tables[1, "one"][0].equals(tables[1, "other"][0])
    for folder in ("one", "other"):
        assert_same(tables[2, folder], tables[1, folder])


class Watched(groups.Groups):
    """Notes which process looks a run's documents up, and kills the one that begins the sixth run."""

    def __init__(self, folder, home=None):
        super().__init__("watched", ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"])
        self.folder, self.home = str(folder), home
        self.complete = True  # judged documents are looked up for populations alone, of which there are none here

    def digest(self):
        return "watched"

    def lookup(self, qids, docnos):
        if os.getpid() != self.home:
            with open(os.path.join(self.folder, "pids"), "a+") as log:
                log.write(f"{os.getpid()}\n")
                log.seek(0)
                begun = len(log.readlines())
            if begun >= 6:  # two may begin at the same time; one of them is the first
                with contextlib.suppress(FileExistsError), open(os.path.join(self.folder, "killed"), "x") as first:
                    first.write(str(os.getpid()))
                    first.close()
                    os.kill(os.getpid(), signal.SIGKILL)
        return pd.DataFrame({"qid": list(qids), "docno": list(docnos), "group": [docno[-1] for docno in docnos]})


@pytest.fixture
def watched(registered, tmp_path):
    """A registered source that kills, the measures that use it, and the processes that it has seen."""
    pytest.importorskip("dask.distributed")
    cloudpickle = pytest.importorskip("cloudpickle")
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    groups.register("watched", Watched(tmp_path, home=os.getpid()))
    measures = [nDKL(groups="watched", protected="3"), registered[1], nDCG @ 5]
    yield measures, lambda name: list(map(int, (tmp_path / name).read_text().split()))
    cloudpickle.unregister_pickle_by_value(sys.modules[__name__])


@pytest.mark.filterwarnings("ignore")  # Dask tells of the death of its worker in many ways
def test_a_cluster_of_which_a_worker_is_killed(files, qrels, watched):
    from dask.distributed import Client, LocalCluster
    from joblib import parallel_config
    measures, seen = watched
    serial = evaluate_quietly(files / "*", qrels, measures, baseline=0)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, silence_logs=50) as cluster, \
            Client(cluster) as client:
        before = set(client.run(os.getpid).values())
        with parallel_config("dask"):
            distributed = evaluate_quietly(files / "*", qrels, measures, baseline=0)
    pids, (killed,) = seen("pids"), seen("killed")
    after = pids[len(pids) - pids[::-1].index(killed):]
    assert killed in before, "it was a worker, half-way through"
    assert after, "others have done the rest"
    assert len(pids) >= 9, "eight runs, and the killed one again"
    assert_same(distributed, serial)


# ---------------------------------------------------------------------------------------------------------------------
# the checkpoint


@pytest.fixture
def scored(monkeypatch):
    """``scored()``: how many runs have been scored, not taken from the checkpoint, since it was asked last."""
    calls = []
    real = evaluation._Scorer._scored
    monkeypatch.setattr(evaluation._Scorer, "_scored", lambda self, run: calls.append(run) or real(self, run))

    def count():
        number = len(calls)
        calls.clear()
        return number
    return count


def test_a_finished_run_is_not_scored_again(files, qrels, tmp_path, scored):
    expected = evaluate_quietly(files / "*", qrels, MEASURES, baseline=0)
    assert scored() == 8
    for times in (8, 0):
        assert_same(evaluate_quietly(files / "*", qrels, MEASURES, baseline=0, checkpoint=tmp_path / "kept"), expected)
        assert scored() == times
    (files / "system 4").rename(files / "system 4b")
    assert "system 4b" in set(evaluate_quietly(files / "*", qrels, MEASURES, checkpoint=tmp_path / "kept")[0]["name"])
    assert scored() == 0, "another name for the same content"


@pytest.mark.parametrize("name", ["run", "run.gz"])
def test_a_pipe_is_read_once_with_a_checkpoint_too(runs, qrels, tmp_path, pipe, scored, name):
    expected = evaluate_quietly({"run": runs["system 4"]}, qrels, OURS)
    text = trec_run(runs["system 4"])
    scored()
    assert_same(evaluate_quietly({"run": pipe(name, text)}, qrels, OURS), expected)
    for times in (2, 0):
        given = {"run": pipe(name, text)}
        assert_same(evaluate_quietly(given, qrels, OURS, checkpoint=tmp_path / "kept"), expected)
        assert scored() == times
    with pytest.raises(ValueError, match=rf"{name}, line 1: 2 columns"):
        evaluate_quietly(pipe(name, "no run\n"), qrels, OURS, checkpoint=tmp_path / "kept")


@several
def test_a_pipe_is_not_for_other_processes(runs, qrels, pipe):
    given = {"piped": pipe("run", trec_run(runs["system 4"])), "frame": runs["system 5"]}
    with pytest.raises(ValueError, match="run 'piped' is a pipe, which other processes cannot"):
        evaluate_quietly(given, qrels, OURS, n_jobs=2)
    averages, _ = evaluate_quietly({"piped": given["piped"]}, qrels, OURS, n_jobs=2)
    assert averages["name"].tolist() == ["piped"], "one run needs one process"


def test_a_file_that_changes_while_it_is_read(files, qrels, monkeypatch):
    real = io.read_run_as

    def written_to(source, text):
        with open(source.name, "a") as more:
            more.write("1 Q0 d9 1 0.5 t\n")
        return real(source, text)

    monkeypatch.setattr(evaluation.io, "read_run_as", written_to)
    with pytest.raises(ValueError, match="system 4 was written to while it was read"):
        evaluate_quietly(files / "system 4", qrels, OURS)


def test_a_full_disk_does_not_cost_a_run(files, qrels, tmp_path, small_disk):
    kept = tmp_path / "kept"
    io.write_qrels(qrels, tmp_path / "qrels")
    message = small_disk("""
        import resource, sys, warnings
        from pt_fairness import evaluate, nDJS
        resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), 20_000))
        averages, _ = evaluate(*sys.argv[2:4], [nDJS @ i for i in range(1, 100)],
                               checkpoint=sys.argv[4], progress=False)
        assert len(averages) == 8 and averages.attrs["broken"] == {}
    """, 3000, files / "*", tmp_path / "qrels", kept)
    assert f"the checkpoint {kept} cannot keep what is finished: File too large" in message
    assert "Error" not in message and list(kept.iterdir()) == []


def test_warnings_are_kept_too(runs, qrels, tmp_path):
    def told():
        with pytest.warns(FairnessWarning) as some:
            evaluate(runs, qrels, OURS, checkpoint=tmp_path, progress=False)
        return [str(one.message) for one in some]
    assert told() == told() != []


def test_what_has_changed_is_noticed(files, qrels, registered, tmp_path, scored):
    def again(measures=registered, qrels=qrels, runs=files / "*"):
        kept = evaluate_quietly(runs, qrels, measures, checkpoint=tmp_path / "kept")
        count = scored()
        assert_same(kept, evaluate_quietly(runs, qrels, measures))
        scored()
        return count
    assert (again(), again()) == (8, 0)
    text = (files / "system 5").read_text()
    (files / "system 5").write_text(text.replace("3.0", "0.5"))
    assert (again(), again()) == (1, 0), "a file"
    changed = qrels.copy()
    changed.loc[0, "relevance"] += 1
    assert (again(qrels=changed), again(qrels=changed)) == (8, 0), "the qrels"
    assert (again([measure @ 3 for measure in registered]), again()) == (8, 0), "a cutoff"
    groups.register("by-number", groups.from_pattern(r"\d", name="by-number"))
    assert (again(), again()) == (8, 0), "groups"
    targets.register("uneven", targets.get("uneven").assign(share=[0.25, 0.75] * 12))
    assert (again(), again()) == (8, 0), "a target"
    frame = io.read_run(files / "system 6")
    assert (again(runs=[frame]), again(runs=[frame]), again(runs=[frame.assign(score=-frame["score"])])) == (1, 0, 1)


def test_a_changed_definition_is_noticed(runs, qrels, tmp_path, scored):
    def rows(qrels, run):
        return float(len(run))

    def twice(qrels, run):
        return 2.0 * len(run)

    values = []
    for function in (rows, rows, twice):
        measure = ir_measures.define_byquery(function, name="mine")
        values.append((evaluate_quietly(runs, qrels, [measure], checkpoint=tmp_path)[0]["mine"][0], scored()))
    assert values[0][0] == values[1][0] == values[2][0] / 2 and [count for _, count in values] == [8, 0, 8]


def test_topics_of_groups_are_told_apart(runs, qrels, tmp_path, scored):
    """Groups that differ in nothing but the topic that a document belongs to."""
    rows = [(qid, docno, "X") for qid, docno in qrels[["query_id", "doc_id"]].head(3).itertuples(index=False)]
    for qid in ("1", "2", "1"):
        frame = pd.DataFrame([*rows, (qid, "d", "Y")], columns=["qid", "docno", "group"])
        groups.register("by-topic", groups.from_frame(frame))
        evaluate_quietly(runs, qrels, [Annotated(groups="by-topic")], checkpoint=tmp_path)
    assert scored() == 16


SCRIPT = """
    import sys, ir_measures, pandas as pd
    from pt_fairness import Annotated, evaluate, groups

    FACTOR = {factor}

    class Mine(groups.Groups):
        def lookup(self, qids, docnos):
            return pd.DataFrame({{"qid": qids, "docno": docnos, "group": "x"}}).head({rows})

    def stance(document):
        return document.stance if {stance} else None

    def helper(run):
        return FACTOR * len(run)

    def length(qrels, run):
        return float(helper(run))

    groups.register("mine", Mine("mine", ["x"]))
    groups.register("stances", groups.from_irds("pt-fairness/debates", stance, name="stances"))
    qrels = pd.DataFrame([("1", "d01-01", 1), ("1", "d01-02", 1)], columns=["qid", "docno", "label"])
    measures = {{"mine": Annotated(groups="mine"), "stances": Annotated(groups="stances"),
                "length": ir_measures.define_byquery(length, name="length"),
                "opinions": Annotated(groups="blogs06/trec-blog-2007/opinion")}}
    run = qrels.assign(qid={qid!r}, score=[2.0, 1.0], docno={docnos})
    qrels = qrels.assign(qid={qid!r})
    print(evaluate(run, qrels, [measures[sys.argv[1]]], checkpoint=sys.argv[2], progress=False)[0].iloc[0, 1])
"""


@pytest.mark.parametrize("measure, change, expected", [
    ("mine", {"rows": 1}, [1.0, 0.5]), ("stances", {"stance": False}, [1.0, 0.0]), ("length", {"factor": 5}, [2.0, 10.0]),
])
def test_changed_code_is_noticed(tmp_path, measure, change, expected):
    """The classes and functions of a script that has been edited since."""
    values = []
    for changed in ({}, {}, change):
        text = {"rows": 2, "stance": True, "factor": 1, "qid": "1", "docnos": ["d01-01", "d01-02"]} | changed
        (tmp_path / "script.py").write_text(textwrap.dedent(SCRIPT).format(**text))
        done = subprocess.run([sys.executable, "-W", "ignore", tmp_path / "script.py", measure, tmp_path / "kept"],
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        values.append(float(done.stdout))
    assert values == [expected[0], *expected]
    assert len(list((tmp_path / "kept").iterdir())) == 2, "the second call has taken the result of the first"


def test_changed_files_behind_groups_are_noticed(tmp_path):
    """A dataset of ir_datasets whose file has been replaced since."""
    values = []
    (tmp_path / "home" / "blogs06").mkdir(parents=True)
    (tmp_path / "script.py").write_text(textwrap.dedent(SCRIPT).format(rows=2, stance=True, factor=1, qid="901",
                                                                       docnos=["x", "y"]))
    for labels in ("4 2", "4 2", "4 0 "):
        text = "901 0 x {}\n901 0 y {}\n".format(*labels.split())
        if not values or text != (tmp_path / "home" / "blogs06" / "07.qrels.opinion").read_text():
            (tmp_path / "home" / "blogs06" / "07.qrels.opinion").write_text(text)
        done = subprocess.run([sys.executable, "-W", "ignore", tmp_path / "script.py", "opinions", tmp_path / "kept"],
                              capture_output=True, text=True, env={**os.environ, "IR_DATASETS_HOME": str(tmp_path / "home")})
        assert done.returncode == 0, done.stderr
        values.append(float(done.stdout))
    assert values == [1.0, 1.0, 0.5] and len(list((tmp_path / "kept").iterdir())) == 2


def test_columns_that_are_not_looked_at(runs, qrels, tmp_path, scored):
    """PyTerrier's results hold token counts, vectors and features beside what is evaluated."""
    more = {name: run.assign(toks=[{"a": 1.0}] * len(run), features=[np.ones(2)] * len(run)) for name, run in runs.items()}
    noted = qrels.assign(notes=[["x"]] * len(qrels))
    for times in (8, 0):
        assert_same(evaluate_quietly(more, noted, OURS, checkpoint=tmp_path), evaluate_quietly(runs, qrels, OURS))
        assert scored() == times + 8


def test_a_broken_run_is_tried_again(files, qrels, tmp_path, scored):
    text = (files / "system 5").read_text()
    (files / "system 5").write_text("nothing\n")
    assert len(evaluate_quietly(files / "*", qrels, OURS, checkpoint=tmp_path)[0]) == 7
    (files / "system 5").write_text(text)
    scored()
    assert len(evaluate_quietly(files / "*", qrels, OURS, checkpoint=tmp_path)[0]) == 8 and scored() == 1


@pytest.mark.parametrize("damage", [lambda data: b"", lambda data: data[:len(data) // 2], lambda data: data[:-1],
                                    lambda data: data[:200] + bytes([data[200] ^ 1]) + data[201:],
                                    # A way to compress that does not exist, and a file that needs a password.
                                    lambda data: data[:(at := data.rindex(b"PK\1\2")) + 10] + b"\x63" + data[at + 11:],
                                    lambda data: data[:(at := data.rindex(b"PK\1\2")) + 8] + b"\1" + data[at + 9:]])
def test_a_damaged_result_is_not_read(files, qrels, tmp_path, scored, damage):
    kept = tmp_path / "kept"
    expected = evaluate_quietly(files / "*", qrels, OURS, checkpoint=kept)
    scored()
    for path in kept.iterdir():
        path.write_bytes(damage(path.read_bytes()))
    assert_same(evaluate_quietly(files / "*", qrels, OURS, checkpoint=kept), expected)
    assert scored() == 8


KILLED = """
import os, signal, sys
from pt_fairness import evaluate, evaluation, nDJS, rND
from ir_measures import nDCG

runs, qrels, kept, where, times = sys.argv[1:]
calls = []
module, name = {"reading": (evaluation.io, "read_run_as"), "scoring": (evaluation._Scorer, "_scored"),
                "writing": (evaluation.np, "savez"), "renaming": (evaluation.os, "replace")}[where]
real = getattr(module, name)

def dying(*arguments, **options):
    calls.append(1)
    if len(calls) == int(times):
        if where == "writing":
            arguments[0].write(b"PK half a result")
            arguments[0].flush()
        os.kill(os.getpid(), signal.SIGKILL)
    return real(*arguments, **options)

setattr(module, name, dying)
evaluate(runs, qrels, [nDCG @ 5, rND @ 5, nDJS], checkpoint=kept, progress=False)
"""


@pytest.mark.parametrize("where", ["reading", "scoring", "writing", "renaming"])
def test_killed_at_any_moment_it_loses_the_run_in_flight_alone(files, qrels, tmp_path, scored, where):
    io.write_qrels(qrels, tmp_path / "qrels")
    kept, measures = tmp_path / "kept", [nDCG @ 5, rND @ 5, nDJS]
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", KILLED, str(files / "*"), str(tmp_path / "qrels"), str(kept),
                           where, "4"], capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    result = evaluate_quietly(files / "*", tmp_path / "qrels", measures, checkpoint=kept)
    assert scored() == 5, "three were finished"
    assert_same(result, evaluate_quietly(files / "*", tmp_path / "qrels", measures))


# ---------------------------------------------------------------------------------------------------------------------
# the command


@pytest.fixture
def command(files, qrels, tmp_path, capsys):
    """``command(option…)``: exit code, standard output, standard error of ``pt-fairness table``."""
    path = tmp_path / "qrels"
    io.write_qrels(qrels, path)

    def run(*options):
        code = cli.main(["table", str(path), *map(str, sorted(files.iterdir())), "-m", "nDCG@5 rND@5", "AP", *options])
        return code, *capsys.readouterr()
    return run


@pytest.fixture
def expected(files, qrels):
    measures = [nDCG @ 5, rND @ 5, AP]
    return evaluate_quietly(files / "*", qrels, measures), evaluate_quietly(files / "*", qrels, measures, baseline=1)


def test_table_prints_every_digit(command, expected, tmp_path):
    code, out, err = command()
    assert code == 0 and "warning: topics with nothing to compare with" in err and "8/8" not in err
    (tmp_path / "out").write_text(out)
    read = pd.read_csv(tmp_path / "out", **io._EXACT)
    pd.testing.assert_frame_equal(read, expected[0][0], check_exact=True)
    if find_spec("joblib") is not None:
        assert command("--jobs", "2") == (code, out, err)


def test_table_per_query(command, expected, tmp_path):
    (tmp_path / "out").write_text(command("--per-query")[1])
    read = pd.read_csv(tmp_path / "out", dtype={"qid": str}, **io._EXACT)
    pd.testing.assert_frame_equal(read, expected[0][1], check_exact=True)


def test_table_with_a_baseline_by_name_or_path(command, expected, files):
    (code, out, _), by_path = command("--baseline", "system 3", "--output", "json"), command(
        "--baseline", str(files / "system 3"), "--output", "json")
    assert code == 0 and by_path[1] == out
    rows = json.loads(out)
    table = expected[1][0]
    assert [row["name"] for row in rows] == table["name"].tolist() and list(rows[0]) == list(table.columns)
    assert rows[1]["AP p-value"] is None and rows[0]["AP +"] == int(table["AP +"][0])
    assert [row["nDCG@5"] for row in rows] == table["nDCG@5"].tolist()


def test_table_for_a_paper(command, expected):
    table = expected[1][0]
    lines = command("--baseline", "system 3", "--output", "md")[1].splitlines()
    assert lines[0] == "| " + " | ".join(table.columns) + " |" and lines[1].startswith("| --- | ---: |") and len(lines) == 10
    assert lines[3].startswith(f"| system 3 | {table['nDCG@5'][1]:.4f} |") and lines[3].endswith(" |  |  |  |")
    assert f"| {int(table['AP +'][0])} | {int(table['AP -'][0])} | {table['AP p-value'][0]:.4f} |" in lines[2]
    latex = command("--output", "latex")[1]
    assert r"\toprule" in latex and "name & nDCG@5 & rND@5 & AP" in latex and "dagger" not in latex
    tested = command("--baseline", "system 3", "--output", "latex")[1].splitlines()
    assert tested[0] == r"\begin{tabular}{lrrr}" and len(tested) == 15
    for line, (_, row) in zip(tested[4:12], table.iterrows(), strict=True):
        cells = [row["name"]]
        for measure in ("nDCG@5", "rND@5", "AP"):
            is_best = row[measure] == (table[measure].min() if measure.startswith("r") else table[measure].max())
            cells.append((rf"\textbf{{{row[measure]:.4f}}}" if is_best else f"{row[measure]:.4f}")
                         + (r"$^\dagger$" if row[f"{measure} p-value"] < 0.05 else ""))
        assert line == " & ".join(cells) + r" \\"
    assert tested[-1].startswith("% dagger: differs from the baseline") and "dagger$" in "".join(tested[:-1])
    assert "textbf" not in command("--per-query", "--output", "latex")[1]


def test_a_renamed_column_is_not_bold():
    table = pd.DataFrame({"name": ["a", "b"], "unfairness": [0.1, 0.9], "AP": [0.2, 0.4]})
    with pytest.warns(FairnessWarning, match="no value of unfairness is marked as the best") as told:
        latex = evaluation.as_text(table, "latex")
    assert len(told) == 1
    assert r"b & 0.9000 & \textbf{0.4000} \\" in latex and r"a & 0.1000 & 0.2000 \\" in latex


def test_table_escapes_what_means_something():
    table = pd.DataFrame({"name": ["a|b", "c_d"], "alpha_nDCG@5": [0.5, np.nan]})
    assert evaluation.as_text(table, "md").splitlines()[2:] == ["| a\\|b | 0.5000 |", "| c_d |  |"]
    assert evaluation.as_text(table.assign(name="a\nb"), "md").splitlines()[2] == "| a b | 0.5000 |"
    latex = evaluation.as_text(table, "latex")
    for escaped in (r"alpha\_nDCG@5", r"c\_d &  \\", r"a\textbar{}b & \textbf{0.5000} \\"):
        assert escaped in latex
    assert json.loads(evaluation.as_text(table, "json")) == [{"name": "a|b", "alpha_nDCG@5": 0.5},
                                                             {"name": "c_d", "alpha_nDCG@5": None}]


def test_marks_stay_with_their_systems():
    table = pd.DataFrame({"name": ["a", "b", "c"], "rKL@5": [0.3, 0.1, 0.2], "rKL@5 +": [0, 1, 2], "rKL@5 -": [0, 2, 1],
                          "rKL@5 p-value": [np.nan, 0.01, 0.5], "flag": [True, False, True]})
    for given in (table, table.sort_values("rKL@5", ascending=False), table[table["name"] != "c"],
                  table.drop(columns=["rKL@5 +", "rKL@5 -"])):
        lines = evaluation.as_text(given, "latex").splitlines()
        assert r"b & \textbf{0.1000}$^\dagger$ & False \\" in lines and sum("dagger$" in line for line in lines) == 1


def test_table_of_which_a_file_is_broken(command, files):
    (files / "short").write_text("1 Q0 a 1 2 tag\n1 Q0 b 2 1\n")
    code, out, err = command()
    assert code == 1 and len(out.splitlines()) == 9
    assert "warning: 1 of 9 runs could not be evaluated" in err and "short, line 2: 5 columns" in err


def test_table_says_what_is_wrong_in_a_line(command):
    code, out, err = command("--baseline", "nobody")
    assert (code, out) == (2, "") and err.count("\n") == 1 and "'nobody' is none of the runs" in err


def test_table_agrees_with_the_command_for_one_run(files, command):
    done = subprocess.run([sys.executable, "-m", "pt_fairness", str(files.parent / "qrels"), str(files / "system 3"), "rND@5"],
                          capture_output=True, text=True, check=True)
    value = json.loads(command("--output", "json")[1])[1]["rND@5"]
    assert done.stdout == f"rND@5\t{value:.4f}\n"


def test_the_example_runs():
    """Twenty settings, on processes and on a cluster; the example itself compares the two tables."""
    for module in ("dask.distributed", "joblib", "pyterrier_pisa"):
        pytest.importorskip(module)
    example = Path(__file__).resolve().parent.parent / "examples" / "many_runs.py"
    done = subprocess.run([sys.executable, example], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["name", "nDCG@5", "alpha_nDCG@5", "rND@5", "rKL@5", "nDJS", "rKL@5", "p-value"]
    values = [float(line.split()[5]) for line in lines[1:21]]
    assert values == sorted(values) and values[0] < values[-1] and lines[22].startswith("20 runs, 1000 values")


def test_the_public_names():
    assert pt_fairness.evaluate is evaluation.evaluate and pt_fairness.read_run is io.read_run
    assert {"evaluate", "read_run"} <= set(pt_fairness.__all__) and Path(evaluation.__file__).stem != "evaluate"
