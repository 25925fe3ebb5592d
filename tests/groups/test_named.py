"""The registry of groups."""

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
from pt_fairness.groups import Groups


def test_a_registered_name_beats_a_path(registered_groups, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine").write_text("docno\tgroup\na\tfrom the file\n")
    assert groups.get("mine").labels == ["from the file"]
    groups.register("mine", groups.from_mapping({"a": "registered"}))
    assert groups.get("mine").labels == ["registered"]
    assert "mine" in groups.names() and groups.names() == sorted(groups.names())


def test_a_function_is_called_when_first_needed(registered_groups):
    calls = []

    def make() -> Groups:
        calls.append(1)
        return groups.from_mapping({"a": "X"})

    groups.register("late", make)
    assert rND(groups="late") @ 5 and calls == []
    assert groups.get("late") is groups.get("late") and calls == [1]


@pytest.mark.parametrize("name", ["", "  ", None, 3])
def test_a_name_that_is_none_is_refused(registered_groups, name):
    with pytest.raises(ValueError, match="need a name"):
        groups.register(name, groups.from_mapping({}))


def test_a_file_that_changes_is_read_again(tmp_path):
    path = tmp_path / "groups.tsv"
    path.write_text("docno\tgroup\na\tX\n")
    assert groups.get(path).labels == ["X"]
    path.write_text("docno\tgroup\na\tother\n")
    assert groups.get(path).labels == ["other"]


def test_an_object_registers_itself_under_a_name_of_its_content(registered_groups):
    one, same = (groups.from_mapping({"a": "X", "b": "Y"}) for _ in range(2))
    other, by_topic = (
        groups.from_mapping({"a": "X", "b": "Z"}), groups.from_mapping({"1": {"a": "X", "b": "Y"}}))
    assert rND(groups=one) == rND(groups=same) and one == same and hash(one) == hash(same)
    assert len({rND(groups=source) for source in (one, same, other, by_topic)}) == 3
    assert groups.get(rND(groups=other)["groups"]) is other
    for source in (one, other, by_topic):
        measure = rND(groups=source, protected="X") @ 3
        copy = pickle.loads(pickle.dumps(measure))
        assert copy == measure and hash(copy) == hash(measure) and str(copy) == str(measure)


def test_objects_of_one_name_and_other_content_are_kept_apart(registered_groups):
    one, other = (
        groups.from_mapping({"a": "X"}, name="stance"),
        groups.from_mapping({"a": "Y"}, name="stance"))
    measures = [rND(groups=one), rND(groups=other)]
    assert measures[0] != measures[1]
    assert [groups.get(measure["groups"]) for measure in measures] == [one, other]


def test_a_registered_object_is_known_by_that_name(registered_groups):
    source = groups.from_mapping({"a": "X"})
    groups.register("stance", source)
    assert str(rND(groups=source)) == "rND(groups='stance')" and rND(groups=source) == rND(
        groups="stance")


def test_register_takes_groups_alone():
    with pytest.raises(ValueError, match="cannot be registered as a dict"):
        groups.register("junk", {"a": "PRO"})


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
        assert groups.get((copy @ 5)["groups"]) == sources[label]
    with pytest.raises(ValueError, match="no groups are registered as 'sent'"):
        groups.get("sent")
    groups.register("sent", sources["C"])
    assert groups.get(pickle.loads(packed["A"])["groups"]) == sources["A"]


def test_another_meaning_of_a_name_of_this_package_is_pickled(registered_groups):
    mine = groups.from_pattern("^(FT)", labels=["FT"])
    groups.register("trec-newswire", mine)
    packed = pickle.dumps(rND(groups="trec-newswire"))
    groups.unregister("trec-newswire")
    assert groups.get(pickle.loads(packed)["groups"]) == mine
    assert groups.get("trec-newswire").labels == ["FBIS", "FR", "FT", "LA"]


def test_pickling_a_measure_does_not_make_its_groups(registered_groups):
    groups.register("made-later", lambda: pytest.fail("groups were made"))
    assert pickle.loads(pickle.dumps(rND(groups="made-later"))) == rND(groups="made-later")


def test_groups_that_were_not_registered_go_with_their_measures():
    before = groups.names()
    source = groups.from_frame(pd.DataFrame({"docno": ["d", "e"], "group": ["X", "Y"]}))
    measures = [rND(groups=source) @ 5, nDJS(groups=source)]
    qrels = pd.DataFrame({"query_id": "1", "doc_id": ["d", "e"], "relevance": 1})
    assert len(ir_measures.calc_aggregate(measures, qrels, qrels.assign(score=1.0))) == 2
    assert all(groups.get(measure["groups"]) is source for measure in measures)
    reference, text = weakref.ref(source), str(measures[0])
    del source, measures
    gc.collect()
    assert reference() is None and groups.names() == before
    with pytest.raises(ValueError, match="no groups are registered as 'frame-"):
        groups.get(ir_measures.parse_measure(text)["groups"])


@pytest.mark.parametrize(
    "copied",
    [
        lambda measure: measure @ 3, lambda measure: measure(protected="X"),
        lambda measure: pickle.loads(pickle.dumps(measure)),
        lambda measure: rKL(groups=groups.from_mapping({"a": "X", "b": "Y"}))],
    ids=["cutoff", "parameter", "pickle", "equal groups"],
)
def test_a_copy_of_a_measure_keeps_its_groups(copied):
    measure = rND(groups=groups.from_mapping({"a": "X", "b": "Y"}), protected="Y")
    copy = copied(measure)
    del measure
    gc.collect()
    qrels = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b"], "relevance": 1})
    value = ir_measures.calc_aggregate([copy], qrels, qrels.assign(score=[2.0, 1.0]))[copy]
    # The largest sum is that of two documents of one group.
    assert value == pytest.approx(1 / (1 + 1 / np.log2(3)))


def value_of(measure) -> float:
    qrels = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b"], "relevance": 1})
    return ir_measures.calc_aggregate([measure], qrels, qrels.assign(score=[2.0, 1.0]))[measure]


def test_a_measure_keeps_the_object_that_it_was_given(registered_groups):
    """Whatever is registered under the name of the object, before and after."""
    first, second = groups.from_mapping({"a": "X"}), groups.from_mapping({"a": "X", "b": "Y"})
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


def test_a_measure_of_the_groups_of_this_package_equals_its_text():
    measure = rND(groups=groups.get("trec-newswire"))
    assert ir_measures.parse_measure(str(measure)) == measure == rND(groups="trec-newswire")


@pytest.mark.parametrize("call", [
    lambda measures, qrels, run: ir_measures.calc_aggregate(measures, qrels, run),
    lambda measures, qrels, run: evaluate(run, qrels, measures, progress=False),
    lambda measures, qrels, run: evaluate([run, run], qrels, measures, progress=False, n_jobs=2),
], ids=["ir_measures", "evaluate", "n_jobs"])
def test_two_objects_of_one_name_in_a_call_are_an_error(registered_groups, call):
    qrels = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b"], "relevance": 1})
    run = qrels.assign(score=[2.0, 1.0])
    one, same, other = (groups.from_mapping({"a": label}, name="stance") for label in "XXY")
    call([Annotated(groups=one), rND(groups=same)], qrels, run)
    said = r"two groups .* named 'stance': Groups\(.* \['X'\]\) and Groups\(.* \['Y'\]\); give"
    for second in (Annotated(groups=other), rKL(groups=other) @ 5):
        with pytest.raises(ValueError, match=said):
            call([Annotated(groups=one), second], qrels, run)
    groups.register("stance", other)
    with pytest.raises(ValueError, match=said):
        call([Annotated(groups=one), rND(groups="stance")], qrels, run)


def test_unregister(registered_groups):
    groups.register("mine", groups.from_mapping({"a": "X"}))
    qrels = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b"], "relevance": 1})
    evaluator = ir_measures.evaluator([Annotated(groups="mine")], qrels)
    groups.unregister("mine")
    assert "mine" not in groups.names()
    values = [metric.value for metric in evaluator.iter_calc(qrels.assign(score=1.0))]
    assert values == [0.5], "an evaluator keeps its groups"
    with pytest.raises(ValueError, match="no groups are registered as 'mine'"):
        ir_measures.evaluator([Annotated(groups="mine")], qrels)


@pytest.mark.parametrize("name", ["missing", "trec-newswire"])
def test_a_name_that_was_not_registered_is_not_unregistered(registered_groups, name):
    with pytest.raises(ValueError, match=f"'{name}' cannot be unregistered; .* added are: none"):
        groups.unregister(name)
    groups.register("mine", groups.from_mapping({"a": "X"}))
    with pytest.raises(ValueError, match="added are: 'mine'"):
        groups.unregister(name)


def test_a_file_of_the_same_size_and_time_is_read_again(tmp_path):
    path = tmp_path / "groups.tsv"
    for label in "XYX":
        path.write_text(f"docno\tgroup\na\t{label}\n")
        os.utime(path, (1e9, 1e9))
        assert groups.get(path).labels == [label]
    assert groups.get(path) is groups.get(str(path)), "the same content is parsed once"


def test_the_groups_of_a_file_do_not_take_its_name(tmp_path):
    path = tmp_path / "groups.tsv"
    path.write_text("docno\tgroup\na\tX\n")
    source = groups.get(path)
    measure = rND(groups=source)
    path.write_text("docno\tgroup\na\tY\n")
    assert groups.get(rND(groups=path)["groups"]).labels == ["Y"]
    assert groups.get(measure["groups"]) is source and measure != rND(groups=path)


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
    qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": 1})
    for text, expected in (("docno\tgroup\na\tX\n", 0.5), ("docno\tgroup\na\tX\nb\tY\n", 1.0)):
        writer = threading.Thread(target=path.write_text, args=[text], daemon=True)
        writer.start()
        measures = [Annotated(groups=path), Annotated(groups=path) @ 2]
        averages, _ = evaluate(qrels.assign(score=1.0), qrels, measures, progress=False)
        writer.join(60)
        opened.clear()
        assert averages.iloc[0, 1:].tolist() == [expected] * 2


def test_a_source_of_this_package_is_one_object_in_a_process():
    """What it has read of a corpus is not read again by each evaluation."""
    source = groups.get("pt-fairness/debates/stance")
    assert pickle.loads(pickle.dumps(source)) is source
    other = groups.from_irds("pt-fairness/debates", "viewpoint", name="pt-fairness/debates/stance")
    assert pickle.loads(pickle.dumps(other)) == other != source
