"""Several processes, threads and clusters give what one process gives."""

import math
import pickle
import subprocess
import sys
from pathlib import Path

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest
from evaluation.common import MEASURES, OURS, assert_same, evaluate_quietly, several, trec_run
from ir_measures import alpha_nDCG, nDCG

from pt_fairness import Annotated, Skew, groups, io, provider, rND, targets
from pt_fairness.evaluation import workers
from pt_fairness.evaluation.plan import make_plan
from pt_fairness.evaluation.workers import Scorer


@pytest.mark.parametrize("backend", [None, "threading", "loky"])
def test_several_workers_give_the_same(runs, files, qrels, registered, backend):
    parallel_config = pytest.importorskip("joblib").parallel_config
    given = [*sorted(files.iterdir())[:4], runs["system 9"]]
    measures = [*MEASURES, *registered]
    serial = evaluate_quietly(given, qrels, measures, baseline=0)
    source = groups.get("by-number")
    if backend is None:
        found = evaluate_quietly(given, qrels, measures, baseline=0, n_jobs=2)
    else:
        with parallel_config(backend, n_jobs=2):
            found = evaluate_quietly(given, qrels, measures, baseline=0)
    assert_same(found, serial)
    assert groups.get("by-number") is source and targets.get("uneven")["share"].max() == 0.75


@several
def test_workers_do_not_remember_what_a_name_meant_before(runs, qrels, registered):
    """Neither for the next evaluation nor for other tasks of the same workers."""
    import joblib
    measure = rND(groups="by-number", protected="3", target="uneven") @ 5
    first = evaluate_quietly(runs, qrels, [measure], n_jobs=2)
    groups.register("by-number", groups.from_pattern(r"\d", name="by-number"))
    targets.register("uneven", targets.get("uneven").assign(share=[0.25, 0.75] * 12))
    run = pt.model.to_ir_measures(runs["system 4"])
    expected = ir_measures.calc_aggregate([measure], qrels, run)
    found = joblib.Parallel(n_jobs=2)(
        joblib.delayed(ir_measures.calc_aggregate)([measure], qrels, run) for _ in range(4))
    assert found == [expected] * 4
    second = evaluate_quietly(runs, qrels, [measure], n_jobs=2)
    assert_same(second, evaluate_quietly(runs, qrels, [measure]))
    assert (first[0][str(measure)] != second[0][str(measure)]).any()


def test_without_joblib(runs, qrels, monkeypatch):
    serial = evaluate_quietly(runs, qrels, OURS)
    for name in [name for name in sys.modules if name.partition(".")[0] == "joblib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.setattr(sys, "path_importer_cache", {})
    assert_same(evaluate_quietly(runs, qrels, OURS), serial)
    with pytest.raises(ImportError, match="joblib"):
        evaluate_quietly(runs, qrels, OURS, n_jobs=2)


@several
def test_there_are_no_more_workers_than_runs():
    import joblib
    assert [workers.make_parallel(jobs, 2).n_jobs for jobs in (2, 3, 48)] == [2, 2, 2]
    assert workers.make_parallel(3, 4).n_jobs == 3 and workers.make_parallel(48, 1) is None
    with joblib.parallel_config("loky", n_jobs=48):
        assert workers.make_parallel(1, 3).n_jobs == 3
    with joblib.parallel_config("loky", n_jobs=0), pytest.raises(ValueError, match="n_jobs == 0"):
        workers.make_parallel(1, 3)


def test_a_cluster_does_a_single_run():
    """Its workers are there, and may have files that are not here."""
    distributed = pytest.importorskip("dask.distributed")
    joblib = pytest.importorskip("joblib")
    with distributed.Client(n_workers=1, threads_per_worker=3, processes=False,
                            dashboard_address=None), joblib.parallel_config("dask"):
        found = [workers.make_parallel(1, runs).n_jobs for runs in (1, 2)]
    assert found == [-1, -1]


@pytest.mark.slow
@several
def test_measures_and_groups_of_a_script(files, qrels, tmp_path):
    """Functions and classes that no other process can import."""
    io.write_qrels(qrels, tmp_path / "qrels")
    (tmp_path / "script.py").write_text("""if True:
        import sys, ir_measures, pandas as pd
        from pt_fairness import evaluate, groups, rND

        class Last(groups.Groups):
            def lookup(self, qids, docnos):
                last = [docno[-1] for docno in docnos]
                return pd.DataFrame({"qid": qids, "docno": docnos, "group": last})

        groups.register("last", Last())
        length = ir_measures.define_byquery(lambda qrels, run: float(len(run)), name="length")
        measures = [length, rND(groups="last", protected="3") @ 5]
        one, two = (evaluate(*sys.argv[1:], measures, n_jobs=n, progress=False)[1] for n in (1, 2))
        pd.testing.assert_frame_equal(one, two)
    """)
    subprocess.run([sys.executable, "-W", "ignore", tmp_path / "script.py", files / "*",
                    tmp_path / "qrels"], check=True)


@several
def test_paths_mean_what_they_mean_here(runs, qrels, tmp_path, monkeypatch):
    """Workers stay in the folder that they were started in."""
    for folder, name in (("one", "system 3"), ("other", "system 4")):
        (tmp_path / folder).mkdir()
        monkeypatch.chdir(tmp_path / folder)
        Path("a.run").write_text(trec_run(runs[name]))
        Path("b.run").write_text(trec_run(runs["system 5"]))
        group = qrels["doc_id"].str[-1 if folder == "one" else 0]
        pd.DataFrame({"docno": qrels["doc_id"], "group": group}).to_csv("groups.csv", index=False)
        given = ["a.run", "b.run"], qrels, [nDCG @ 5, "nDJS(groups='groups.csv')@5"]
        assert_same(evaluate_quietly(*given, n_jobs=2), evaluate_quietly(*given))


@several
def test_a_pipe_is_not_for_other_processes(runs, qrels, pipe):
    given = {"piped": pipe("run", trec_run(runs["system 4"])), "frame": runs["system 5"]}
    with pytest.raises(ValueError, match="piped"):
        evaluate_quietly(given, qrels, OURS, n_jobs=2)
    averages, _ = evaluate_quietly({"piped": given["piped"]}, qrels, OURS, n_jobs=2)
    assert averages["name"].tolist() == ["piped"], "one run needs one process"


def test_a_plan_means_what_it_meant_where_it_was_made(registered):
    """In a worker where the names mean something else, those of this package included."""
    qrels = pd.DataFrame({"qid": ["1", "1"], "docno": ["FT911-1", "LA010189-1"], "label": 1})
    run = qrels.assign(score=[2.0, 1.0])
    measures = [Annotated(groups="trec-newswire"), Annotated(groups="by-letter"),
                Skew(group="3", groups="by-letter", target="uneven")]
    groups.register("by-letter", groups.from_mapping({"FT911-1": "3"}))
    theirs = pickle.dumps(make_plan(qrels, measures))
    for name in ("trec-newswire", "by-letter"):
        groups.register(name, groups.from_mapping({"other": "3"}))
    targets.register("uneven", pd.DataFrame({"qid": ["1"], "group": ["4"], "share": [1.0]}))
    ours = pickle.dumps(make_plan(qrels, measures))
    results = [Scorer(pickle.loads(plan)).result((0, run)) for plan in (theirs, ours, theirs)]
    all_of_75_percent = [1.0, 0.5, pytest.approx(math.log(1 / 0.75))]
    assert [scores.values.to_numpy().tolist() for _, scores in results] == [
        [all_of_75_percent], [[0.0, 0.0, 0.0]], [all_of_75_percent]]


@several
def test_workers_follow_the_environment_variable(make_case, monkeypatch):
    case = make_case(7, topics=12, labels=3)
    qrels, run = case.qrels_frame.fillna("-"), case.run_frame.assign(score=1.0)
    values = {}
    for setting in ("", "ndeval", ""):
        monkeypatch.setenv(provider.ALPHA_VARIABLE, setting)
        serial = evaluate_quietly([run, run], qrels, [alpha_nDCG @ 5])
        assert_same(evaluate_quietly([run, run], qrels, [alpha_nDCG @ 5], n_jobs=2), serial)
        values[setting] = serial[0]["alpha_nDCG@5"][0]
    assert values[""] != values["ndeval"]
