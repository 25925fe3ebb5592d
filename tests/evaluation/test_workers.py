"""Several processes, threads and clusters give what one process gives."""

import contextlib
import os
import signal
import subprocess
import sys
from pathlib import Path

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest
from evaluation.common import MEASURES, OURS, assert_same, evaluate_quietly, several, trec_run
from ir_measures import nDCG

from pt_fairness import groups, nDKL, rND, targets
from pt_fairness.evaluation import workers


@pytest.mark.parametrize("backend", [None, "threading", "loky"])
def test_several_workers_give_the_same(runs, files, qrels, registered, backend):
    parallel_config = pytest.importorskip("joblib").parallel_config
    given = [*sorted(files.iterdir())[:-1], runs["system 9"]]
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
    joblib = pytest.importorskip("joblib")
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
    message = r"several processes \(n_jobs=2\) need joblib: pip install 'pt-fairness\[parallel\]'"
    with pytest.raises(ImportError, match=message):
        evaluate_quietly(runs, qrels, OURS, n_jobs=2)


@pytest.mark.slow
@several
def test_measures_and_groups_of_a_script(script):
    """Classes and functions that no other process can import."""
    script("""
        import sys, ir_measures, numpy, numpy as np, pandas as pd
        from pt_fairness import evaluate, groups, rND
        from pt_fairness.core import arrays
        from pt_fairness.measures import params
        from pt_fairness.measures import FairnessMeasure, register

        class Last(groups.Groups):
            def lookup(self, qids, docnos):
                last = [docno[-1] for docno in docnos]
                return pd.DataFrame({"qid": qids, "docno": docnos, "group": last})

        class _GroupRR(FairnessMeasure):
            __name__ = "GroupRR"
            NAME = __name__
            PRETTY_NAME = "Reciprocal Rank of a Group"
            SHORT_DESC = "Reciprocal rank of the first document of a group."
            SUPPORTED_PARAMS = {"cutoff": params.cutoff(), "group": params.label("the group"),
                                "groups": params.groups()}
            IDEAL = 1.0
            DEFAULT = 0.0

            def score(self, view):
                codes, _ = view.condensed(self.param("cutoff"))
                named = numpy.isin(view.labels, [self.param("group")])
                found = np.append((view.member & named).any(axis=1), False)[codes]
                ranks = arrays.ranks(codes.shape[1])
                return np.asarray((found / ranks).max(axis=1, initial=0.0))

        GroupRR = register(_GroupRR())
        groups.register("last", Last())
        length = ir_measures.define_byquery(lambda qrels, run: float(len(run)), name="length")
        measures = [length, rND(groups="last", protected="3") @ 5, GroupRR(group="g1") @ 5]
        one, two = (evaluate(*sys.argv[1:], measures, n_jobs=n, progress=False)[1] for n in (1, 2))
        pd.testing.assert_frame_equal(one, two)
        print((one.groupby("measure")["value"].nunique() > 2).all())
    """)


@several
def test_there_are_no_more_workers_than_runs():
    import joblib
    assert [workers.make_parallel(jobs, 2).n_jobs for jobs in (2, 3, 48)] == [2, 2, 2]
    assert workers.make_parallel(3, 4).n_jobs == 3 and workers.make_parallel(48, 1) is None
    with joblib.parallel_config("loky", n_jobs=48):
        assert workers.make_parallel(1, 3).n_jobs == 3
    with joblib.parallel_config("loky", n_jobs=0), pytest.raises(ValueError, match="n_jobs == 0"):
        workers.make_parallel(1, 3)


@several
def test_processes_are_used_where_joblib_is_not_imported_yet(monkeypatch):
    monkeypatch.delitem(sys.modules, "joblib", raising=False)
    assert workers.make_parallel(2, 2).n_jobs == 2


def test_a_cluster_does_a_single_run():
    """Its workers are there, and may have files that are not here."""
    distributed = pytest.importorskip("dask.distributed")
    joblib = pytest.importorskip("joblib")
    with distributed.Client(n_workers=1, threads_per_worker=3, processes=False,
                            dashboard_address=None), joblib.parallel_config("dask"):
        found = [workers.make_parallel(1, runs).n_jobs for runs in (1, 2)]
    assert found == [-1, -1]


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
            group = qrels["doc_id"].str[-1 if folder == "one" else 0]
            frame = pd.DataFrame({"docno": qrels["doc_id"], "group": group})
            frame.to_csv("groups.csv", index=False)
            measures = [nDCG @ 5, "nDJS(groups='groups.csv')@5"]
            tables[jobs, folder] = evaluate_quietly(["a.run", "b.run"], qrels, measures,
                                                    n_jobs=jobs)
    assert not tables[1, "one"][0].equals(tables[1, "other"][0])
    for folder in ("one", "other"):
        assert_same(tables[2, folder], tables[1, folder])


@several
def test_a_pipe_is_not_for_other_processes(runs, qrels, pipe):
    given = {"piped": pipe("run", trec_run(runs["system 4"])), "frame": runs["system 5"]}
    with pytest.raises(ValueError, match="piped"):
        evaluate_quietly(given, qrels, OURS, n_jobs=2)
    averages, _ = evaluate_quietly({"piped": given["piped"]}, qrels, OURS, n_jobs=2)
    assert averages["name"].tolist() == ["piped"], "one run needs one process"


class Watched(groups.Groups):
    """Log which process looks up the documents of a run, and kill the one that begins the sixth."""

    def __init__(self, folder, home=None):
        super().__init__("watched", list("0123456789"))
        self.folder, self.home = str(folder), home
        # Judged documents are looked up for populations alone, of which there are none here.
        self.complete = True

    def digest(self):
        return "watched"

    def lookup(self, qids, docnos):
        if os.getpid() != self.home:
            with open(os.path.join(self.folder, "pids"), "a+") as log:
                log.write(f"{os.getpid()}\n")
                log.seek(0)
                begun = len(log.readlines())
            killed = os.path.join(self.folder, "killed")
            if begun >= 6:  # two may begin at the same time; one of them creates the file
                with contextlib.suppress(FileExistsError), open(killed, "x") as first:
                    first.write(str(os.getpid()))
                    first.close()
                    os.kill(os.getpid(), signal.SIGKILL)
        last = [docno[-1] for docno in docnos]
        return pd.DataFrame({"qid": list(qids), "docno": list(docnos), "group": last})


@pytest.fixture
def watched(registered, tmp_path):
    """A registered source that kills, the measures that use it, and the processes it has seen."""
    pytest.importorskip("dask.distributed")
    cloudpickle = pytest.importorskip("cloudpickle")
    cloudpickle.register_pickle_by_value(sys.modules[__name__])
    groups.register("watched", Watched(tmp_path, home=os.getpid()))
    measures = [nDKL(groups="watched", protected="3"), registered[1], nDCG @ 5]
    yield measures, lambda name: list(map(int, (tmp_path / name).read_text().split()))
    cloudpickle.unregister_pickle_by_value(sys.modules[__name__])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # Dask warns of the death of its worker in many ways
def test_a_cluster_of_which_a_worker_is_killed(files, qrels, watched):
    from dask.distributed import Client, LocalCluster
    from joblib import parallel_config
    measures, seen = watched
    serial = evaluate_quietly(files / "*", qrels, measures, baseline=0)
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None,
                      silence_logs=50) as cluster, Client(cluster) as client:
        before = set(client.run(os.getpid).values())
        with parallel_config("dask"):
            distributed = evaluate_quietly(files / "*", qrels, measures, baseline=0)
    pids, (killed,) = seen("pids"), seen("killed")
    after = pids[len(pids) - pids[::-1].index(killed):]
    assert killed in before, "it was a worker, half-way through"
    assert after, "others have done the rest"
    assert len(pids) >= 9, "eight runs, and the killed one again"
    assert_same(distributed, serial)


@pytest.mark.slow
def test_the_example_runs():
    """Twenty settings, on processes and on a cluster; the example compares the two tables."""
    for module in ("dask.distributed", "joblib", "pyterrier_pisa"):
        pytest.importorskip(module)
    example = Path(__file__).resolve().parents[2] / "examples" / "many_runs.py"
    done = subprocess.run([sys.executable, example], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["name", "nDCG@5", "alpha_nDCG@5", "rND@5", "rKL@5", "nDJS",
                                "rKL@5", "p-value"]
    values = [float(line.split()[5]) for line in lines[1:21]]
    assert values == sorted(values) and values[0] < values[-1]
    assert lines[22].startswith("20 runs, 1000 values")
