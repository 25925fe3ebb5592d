"""Names and objects: what a measure means by its groups."""

from __future__ import annotations

import gc
import os
import pickle
import threading
import weakref
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import pytest

from pt_fairness import Annotated, evaluate, groups, io, nDJS, rKL, rND

QRELS = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b"], "relevance": 1})
RUN = QRELS.assign(score=[2.0, 1.0])
XY = {"a": "X", "b": "Y"}


def value_of(measure) -> float:
    return ir_measures.calc_aggregate([measure], QRELS, RUN)[measure]


def groups_of(measure):
    return groups.get(measure["groups"])


def test_a_registered_name_beats_a_path(registered_groups, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine").write_text("docno\tgroup\na\tfrom the file\n")
    assert groups.get("mine").labels == ["from the file"]
    groups.register("mine", groups.from_mapping({"a": "registered"}))
    assert groups.get("mine").labels == ["registered"]
    assert "mine" in groups.names() and groups.names() == sorted(groups.names())


def test_a_function_is_called_when_first_needed(registered_groups):
    calls = []

    def make():
        calls.append(1)
        return groups.from_mapping({"a": "X"})

    groups.register("late", make)
    measure = rND(groups="late") @ 5
    assert pickle.loads(pickle.dumps(measure)) == measure and calls == []
    assert groups.get("late") is groups.get("late") and calls == [1]


def test_a_function_that_returns_no_groups(registered_groups):
    groups.register("late", lambda: {"a": "PRO"})
    with pytest.raises(ValueError, match="'late' must be registered as a Groups object"):
        groups.get("late")


@pytest.mark.parametrize("name, source, says", [
    *((name, groups.from_mapping({}), "the name of groups") for name in ("", "  ", None, 3)),
    ("junk", {"a": "PRO"}, "a dict")])
def test_what_cannot_be_registered(name, source, says):
    with pytest.raises(ValueError, match=says):
        groups.register(name, source)


def test_unregister(registered_groups):
    groups.register("mine", groups.from_mapping({"a": "X"}))
    evaluator = ir_measures.evaluator([Annotated(groups="mine")], QRELS)
    for name in ("missing", "trec-newswire"):
        with pytest.raises(ValueError, match=rf"'mine'.*got '{name}'"):
            groups.unregister(name)
    groups.unregister("mine")
    assert "mine" not in groups.names()
    values = [metric.value for metric in evaluator.iter_calc(RUN)]
    assert values == [0.5], "an evaluator keeps its groups"
    with pytest.raises(ValueError, match="no groups are registered as 'mine'"):
        ir_measures.evaluator([Annotated(groups="mine")], QRELS)
    with pytest.raises(ValueError, match=r"none.*got 'mine'"):
        groups.unregister("mine")


def test_a_file_is_read_again_when_it_changes(tmp_path):
    path = tmp_path / "groups.tsv"
    for label in "XYX":  # of the same size and time
        path.write_text(f"docno\tgroup\na\t{label}\n")
        os.utime(path, (1e9, 1e9))
        assert groups.get(path).labels == [label]
    source = groups.get(path)
    assert source is groups.get(str(path)), "the same content is parsed once"
    # The groups of a file do not take its name.
    measure = rND(groups=source)
    path.write_text("docno\tgroup\na\tY\n")
    assert groups_of(rND(groups=path)).labels == ["Y"]
    assert groups_of(measure) is source and measure != rND(groups=path)


def test_equal_objects_have_a_name_of_their_content():
    one, same = groups.from_mapping(XY), groups.from_mapping(XY)
    others = [groups.from_mapping({"a": "X", "b": "Z"}), groups.from_mapping({"1": XY})]
    assert rND(groups=one) == rND(groups=same) and one == same and hash(one) == hash(same)
    assert len({rND(groups=source) for source in (one, same, *others)}) == 3
    for source in (one, *others):
        measure = rND(groups=source, protected="X") @ 3
        copy = pickle.loads(pickle.dumps(measure))
        assert copy == measure and hash(copy) == hash(measure) and str(copy) == str(measure)
    # Objects of one name and other content are kept apart.
    sources = [groups.from_mapping({"a": label}, name="stance") for label in "XY"]
    measures = [rND(groups=source) for source in sources]
    assert measures[0] != measures[1] and [*map(groups_of, measures)] == sources


def test_a_name_means_in_a_copy_what_it_meant_where_it_was_pickled(registered_groups):
    """A process that receives measures of one name from several others."""
    sources = {label: groups.from_mapping({"a": label}) for label in "ABC"}
    packed = {}
    for label in "AB":
        groups.register("sent", sources[label])
        packed[label] = pickle.dumps(rND(groups="sent"))
    groups.unregister("sent")
    copies = {label: pickle.loads(pickle.dumps(pickle.loads(packed[label]))) for label in "AB"}
    assert str(copies["A"]) == str(copies["B"]) == "rND(groups='sent')"
    assert copies["A"] != copies["B"] and copies["A"] == pickle.loads(packed["A"])
    for label, copy in copies.items():
        assert groups_of(copy @ 5) == sources[label]
    with pytest.raises(ValueError, match="no groups are registered as 'sent'"):
        groups.get("sent")
    groups.register("sent", sources["C"])
    assert groups_of(pickle.loads(packed["A"])) == sources["A"]


def test_another_meaning_of_a_name_of_this_package_is_pickled(registered_groups):
    measure = rND(groups=groups.get("trec-newswire"))
    assert ir_measures.parse_measure(str(measure)) == measure == rND(groups="trec-newswire")
    mine = groups.from_pattern("^(FT)", labels=["FT"])
    groups.register("trec-newswire", mine)
    packed = pickle.dumps(rND(groups="trec-newswire"))
    groups.unregister("trec-newswire")
    assert groups_of(pickle.loads(packed)) == mine
    assert groups.get("trec-newswire").labels == ["FBIS", "FR", "FT", "LA"]


def test_groups_that_were_not_registered_go_with_their_measures():
    before = groups.names()
    source = groups.from_mapping(XY)
    measures = [rND(groups=source) @ 5, nDJS(groups=source)]
    assert len(ir_measures.calc_aggregate(measures, QRELS, RUN)) == 2
    assert all(groups_of(measure) is source for measure in measures)
    reference, text = weakref.ref(source), str(measures[0])
    del source, measures
    gc.collect()
    assert reference() is None and groups.names() == before
    with pytest.raises(ValueError, match="no groups are registered as 'X-Y-"):
        groups_of(ir_measures.parse_measure(text))


@pytest.mark.parametrize("copied", [
    lambda measure: measure @ 3, lambda measure: measure(protected="X"),
    lambda measure: pickle.loads(pickle.dumps(measure)),
    lambda measure: rKL(groups=groups.from_mapping(XY))],
    ids=["cutoff", "parameter", "pickle", "equal groups"])
def test_a_copy_of_a_measure_keeps_its_groups(copied):
    measure = rND(groups=groups.from_mapping(XY), protected="Y")
    copy = copied(measure)
    del measure
    gc.collect()
    # The largest sum is that of two documents of one group.
    assert value_of(copy) == pytest.approx(1 / (1 + 1 / np.log2(3)))


def test_a_measure_keeps_the_object_that_it_was_given(registered_groups):
    """Whatever is registered under the name of the object, before and after."""
    first, second = groups.from_mapping({"a": "X"}), groups.from_mapping(XY)
    groups.register("mine", first)
    held, named = Annotated(groups=first) @ 2, Annotated(groups="mine") @ 2
    assert str(held) == str(named) == "Annotated(groups='mine')@2"
    assert held == named == ir_measures.parse_measure(str(held)) and hash(held) == hash(named)
    groups.register("mine", second)
    assert held != named and named == ir_measures.parse_measure(str(named))
    assert (value_of(held), value_of(named)) == (0.5, 1.0)
    assert value_of(pickle.loads(pickle.dumps(held))) == 0.5
    groups.unregister("mine")
    assert value_of(held) == 0.5 and held != named
    with pytest.raises(ValueError, match="no groups are registered as 'mine'"):
        value_of(named)


@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
@pytest.mark.parametrize("call", [
    lambda measures: ir_measures.calc_aggregate(measures, QRELS, RUN),
    lambda measures: evaluate(RUN, QRELS, measures, progress=False)],
    ids=["ir_measures", "evaluate"])
def test_two_objects_of_one_name_in_a_call_are_an_error(registered_groups, call):
    one, same, other = (groups.from_mapping({"a": label}, name="stance") for label in "XXY")
    call([Annotated(groups=one), rND(groups=same)])
    says = r"two groups .* named 'stance': Groups\(.* \['X'\]\) and Groups\(.* \['Y'\]\); give"
    for second in (Annotated(groups=other), rKL(groups=other) @ 5):
        with pytest.raises(ValueError, match=says):
            call([Annotated(groups=one), second])
    groups.register("stance", other)
    with pytest.raises(ValueError, match=says):
        call([Annotated(groups=one), rND(groups="stance")])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_is_read_once_for_all_measures(tmp_path, monkeypatch):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    opened = []

    def read(source):
        opened.append(source)
        assert len(opened) == 1, "nobody writes to it a second time"
        return pd.read_csv(source, sep="\t", dtype=str)

    monkeypatch.setattr(io, "read_groups", read)
    for text, expected in (("docno\tgroup\na\tX\n", 0.5), ("docno\tgroup\na\tX\nb\tY\n", 1.0)):
        writer = threading.Thread(target=path.write_text, args=[text], daemon=True)
        writer.start()
        measures = [Annotated(groups=path), Annotated(groups=path) @ 2]
        averages, _ = evaluate(RUN, QRELS, measures, progress=False)
        writer.join(60)
        opened.clear()
        assert averages.iloc[0, 1:].tolist() == [expected] * 2


def test_a_source_of_this_package_is_one_object_in_a_process():
    """What it has read of a corpus is not read again by each evaluation."""
    source = groups.get("pt-fairness/debates/stance")
    assert pickle.loads(pickle.dumps(source)) is source
    other = groups.from_irds("pt-fairness/debates", "viewpoint", name="pt-fairness/debates/stance")
    assert pickle.loads(pickle.dumps(other)) == other != source
