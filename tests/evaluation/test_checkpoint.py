"""The checkpoint: finished runs are not scored again unless something has changed."""

import os
import signal
import subprocess
import sys
import textwrap

import ir_measures
import numpy as np
import pandas as pd
import pytest
from evaluation.common import MEASURES, OURS, assert_same, evaluate_quietly, trec_run
from ir_measures import nDCG

from pt_fairness import Annotated, FairnessWarning, evaluate, groups, io, nDJS, rND, targets


def test_a_finished_run_is_not_scored_again(files, qrels, tmp_path, scored):
    given, kept = (files / "*", qrels, MEASURES), tmp_path / "kept"
    expected = evaluate_quietly(*given, baseline=0)
    assert scored() == 8
    for times in (8, 0):
        assert_same(evaluate_quietly(*given, baseline=0, checkpoint=kept), expected)
        assert scored() == times
    (files / "system 4").rename(files / "system 4b")
    assert "system 4b" in set(evaluate_quietly(*given, checkpoint=kept)[0]["name"])
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
    assert f"the checkpoint {kept} cannot be written: File too large" in message
    assert "Error" not in message and list(kept.iterdir()) == []


def test_warnings_are_kept_too(runs, qrels, tmp_path):
    def told():
        with pytest.warns(FairnessWarning) as some:
            evaluate(runs, qrels, OURS, checkpoint=tmp_path, progress=False)
        return [str(one.message) for one in some]
    assert told() == told() != []


def test_a_change_is_noticed(files, qrels, registered, tmp_path, scored):
    for path in sorted(files.iterdir())[3:]:
        path.unlink()
    first = min(files.iterdir())

    def again(measures=registered, qrels=qrels, runs=files / "*"):
        kept = evaluate_quietly(runs, qrels, measures, checkpoint=tmp_path / "kept")
        count = scored()
        assert_same(kept, evaluate_quietly(runs, qrels, measures))
        scored()
        return count
    assert (again(), again()) == (3, 0)
    first.write_text(first.read_text().replace("3.0", "0.5"))
    assert (again(), again()) == (1, 0), "a file"
    changed = qrels.copy()
    changed.loc[0, "relevance"] += 1
    assert (again(qrels=changed), again(qrels=changed)) == (3, 0), "the qrels"
    assert (again([measure @ 3 for measure in registered]), again()) == (3, 0), "a cutoff"
    groups.register("by-number", groups.from_pattern(r"\d", name="by-number"))
    assert (again(), again()) == (3, 0), "groups"
    targets.register("uneven", targets.get("uneven").assign(share=[0.25, 0.75] * 12))
    assert (again(), again()) == (3, 0), "a target"
    frame = io.read_run(first)
    assert (again(runs=[frame]), again(runs=[frame])) == (1, 0)
    assert again(runs=[frame.assign(score=-frame["score"])]) == 1


def test_a_changed_definition_is_noticed(runs, qrels, tmp_path, scored):
    """The length of a run, and twice that, of a function that says which it is."""
    values = []
    for factor, count in ((1, 8), (1, 0), (2, 8)):
        def rows(qrels, run, factor=factor):
            return float(factor * len(run))
        rows.digest = lambda factor=factor: f"rows {factor}"
        measure = ir_measures.define_byquery(rows, name="mine")
        averages, _ = evaluate_quietly(runs, qrels, [measure], checkpoint=tmp_path)
        values.append(averages["mine"][0])
        assert scored() == count
    assert values[0] == values[1] == values[2] / 2


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_code_without_a_hash_is_not_served(runs, qrels, tmp_path, n_jobs):
    measure = ir_measures.define_byquery(lambda qrels, run: float(len(run)), name="mine")
    for _ in range(2):
        with pytest.warns(FairnessWarning) as told:
            evaluate(runs, qrels, [measure, *OURS], checkpoint=tmp_path / "kept", n_jobs=n_jobs,
                     progress=False)
        message, = [str(one.message) for one in told if "checkpoint" in str(one.message)]
        assert "is not used" in message and "<lambda>" in message and "digest()" in message
        assert list((tmp_path / "kept").iterdir()) == []


def test_topics_of_groups_are_distinguished(runs, qrels, tmp_path, scored):
    """Groups that differ in nothing but the topic that a document belongs to."""
    head = qrels[["query_id", "doc_id"]].head(3)
    rows = [(qid, docno, "X") for qid, docno in head.itertuples(index=False)]
    for qid in ("1", "2", "1"):
        frame = pd.DataFrame([*rows, (qid, "d", "Y")], columns=["qid", "docno", "group"])
        groups.register("by-topic", groups.from_frame(frame))
        evaluate_quietly(runs, qrels, [Annotated(groups="by-topic")], checkpoint=tmp_path)
    assert scored() == 16


def test_documents_that_a_source_has_read_do_not_count(tmp_path, scored):
    qrels = io.load_qrels("pt-fairness/debates/stance")
    run = qrels[["qid", "docno"]].assign(score=1.0)
    source = groups.from_irds("pt-fairness/debates", "stance", labels=["PRO", "CON"])
    for times in (1, 0):
        evaluate_quietly([run], qrels, [Annotated(groups=source)], checkpoint=tmp_path)
        assert scored() == times


SCRIPT = """
    import sys, ir_measures, pandas as pd
    from pt_fairness import Annotated, evaluate, groups

    FACTOR = {factor}

    class Mine(groups.Groups):
        def digest(self):
            return "{rows}"

        def lookup(self, qids, docnos):
            return pd.DataFrame({{"qid": qids, "docno": docnos, "group": "x"}}).head({rows})

    def stance(document):
        return document.stance if {stance} or document.doc_id == "d01-02" else None

    stance.digest = lambda: "{stance}"

    def helper(run):
        return FACTOR * len(run)

    def length(qrels, run):
        return float(helper(run))

    length.digest = lambda: str(FACTOR)

    groups.register("mine", Mine("mine", ["x"]))
    groups.register("stances", groups.from_irds("pt-fairness/debates", stance, name="stances"))
    measures = {{"mine": Annotated(groups="mine"), "stances": Annotated(groups="stances"),
                "length": ir_measures.define_byquery(length, name="length"),
                "opinions": Annotated(groups="blogs06/trec-blog-2007/opinion")}}
    for name, measure in measures.items():
        qid, docnos = ("901", ["x", "y"]) if name == "opinions" else ("1", ["d01-01", "d01-02"])
        qrels = pd.DataFrame({{"qid": qid, "docno": docnos, "label": 1}})
        averages, _ = evaluate(qrels.assign(score=[2.0, 1.0]), qrels, [measure],
                               checkpoint=f"{{sys.argv[1]}}/{{name}}", progress=False)
        print(averages.iloc[0, 1])
"""


def test_changed_code_and_files_are_noticed(tmp_path):
    """Classes and functions of an edited script with digests, and a file of ir_datasets."""
    qrels = tmp_path / "home" / "blogs06" / "07.qrels.opinion"
    qrels.parent.mkdir(parents=True)
    before = {"rows": 2, "stance": True, "factor": 1, "labels": (4, 2)}
    after = {"rows": 1, "stance": False, "factor": 5, "labels": (4, 0)}
    values = []
    for settings in (before, before, after):
        (tmp_path / "script.py").write_text(textwrap.dedent(SCRIPT).format(**settings))
        text = "901 0 x {}\n901 0 y {}\n".format(*settings["labels"])
        if not qrels.exists() or text != qrels.read_text():
            qrels.write_text(text)
        command = [sys.executable, "-W", "ignore", tmp_path / "script.py", tmp_path / "kept"]
        done = subprocess.run(command, capture_output=True, text=True, env={
            **os.environ, "IR_DATASETS_HOME": str(tmp_path / "home")})
        assert done.returncode == 0, done.stderr
        values.append(list(map(float, done.stdout.split())))
    assert values == [[1.0, 1.0, 2.0, 1.0], [1.0, 1.0, 2.0, 1.0], [0.5, 0.5, 10.0, 0.5]]
    counts = [len(list(folder.iterdir())) for folder in (tmp_path / "kept").iterdir()]
    assert counts == [2, 2, 2, 2], "the second call has loaded the results of the first"


def test_columns_that_are_not_read(runs, qrels, tmp_path, scored):
    """PyTerrier's results hold token counts, vectors and features beside what is evaluated."""
    more = {name: run.assign(toks=[{"a": 1.0}] * len(run), features=[np.ones(2)] * len(run))
            for name, run in runs.items()}
    noted = qrels.assign(notes=[["x"]] * len(qrels))
    for times in (8, 0):
        found = evaluate_quietly(more, noted, OURS, checkpoint=tmp_path)
        assert_same(found, evaluate_quietly(runs, qrels, OURS))
        assert scored() == times + 8


def test_a_broken_run_is_tried_again(files, qrels, tmp_path, scored):
    text = (files / "system 5").read_text()
    (files / "system 5").write_text("nothing\n")
    assert len(evaluate_quietly(files / "*", qrels, OURS, checkpoint=tmp_path)[0]) == 7
    (files / "system 5").write_text(text)
    scored()
    averages, _ = evaluate_quietly(files / "*", qrels, OURS, checkpoint=tmp_path)
    assert len(averages) == 8 and scored() == 1


DAMAGES = [
    lambda data: b"", lambda data: data[:len(data) // 2], lambda data: data[:-1],
    lambda data: data[:200] + bytes([data[200] ^ 1]) + data[201:],
    # A compression method that does not exist, and a file that needs a password.
    lambda data: data[:(at := data.rindex(b"PK\1\2")) + 10] + b"\x63" + data[at + 11:],
    lambda data: data[:(at := data.rindex(b"PK\1\2")) + 8] + b"\1" + data[at + 9:]]


def test_a_damaged_result_is_not_loaded(files, qrels, tmp_path, scored):
    kept = tmp_path / "kept"
    expected = evaluate_quietly(files / "*", qrels, OURS, checkpoint=kept)
    scored()
    for path, damage in zip(sorted(kept.iterdir()), DAMAGES, strict=False):
        path.write_bytes(damage(path.read_bytes()))
    assert_same(evaluate_quietly(files / "*", qrels, OURS, checkpoint=kept), expected)
    assert scored() == len(DAMAGES)


KILLED = """
import os, signal, sys
from pt_fairness import evaluate, nDJS, rND
from pt_fairness.evaluation import checkpoint, workers
from pt_fairness.io import files
from ir_measures import nDCG

runs, qrels, kept, where, times = sys.argv[1:]
calls = []
module, name = {"reading": (workers, "read_opened_run"), "writing": (checkpoint.np, "savez"),
                "renaming": (files.os, "replace")}[where]
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


@pytest.mark.parametrize("where", ["reading", "writing", "renaming"])
def test_killed_at_any_moment_it_loses_the_current_run_alone(files, qrels, tmp_path, scored,
                                                             where):
    io.write_qrels(qrels, tmp_path / "qrels")
    given = files / "*", tmp_path / "qrels", [nDCG @ 5, rND @ 5, nDJS]
    command = [sys.executable, "-W", "ignore", "-c", KILLED, str(files / "*"),
               str(tmp_path / "qrels"), str(tmp_path / "kept"), where, "4"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == -signal.SIGKILL, done.stderr
    result = evaluate_quietly(*given, checkpoint=tmp_path / "kept")
    assert scored() == 5, "three were finished"
    assert_same(result, evaluate_quietly(*given))
