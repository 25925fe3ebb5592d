"""Group sources from frames, mappings, patterns and files, and the registry."""

from __future__ import annotations

import gc
import gzip
import json
import os
import pickle
import threading
import weakref
from pathlib import Path

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pt_fairness import Annotated, evaluate, groups, io, nDJS, rKL, rND
from pt_fairness.groups import Groups


def found(source: Groups, *pairs: tuple[str, str]) -> list[tuple[str, str, str]]:
    frame = source.lookup([qid for qid, _ in pairs], [docno for _, docno in pairs])
    assert list(frame.columns) == ["qid", "docno", "group"]
    return list(frame.itertuples(index=False, name=None))


def test_from_a_frame_of_documents():
    source = groups.from_frame(pd.DataFrame({"docno": ["b", "a", "a", "c", "d", "e"], "group": ["Y", "X", "Y", None, "", "-"]}))
    assert source.labels == ["X", "Y"]
    assert found(source, ("1", "a"), ("2", "b"), ("1", "c"), ("1", "d"), ("1", "e"), ("1", "f"), ("3", "a")) \
        == [("1", "a", "X"), ("1", "a", "Y"), ("2", "b", "Y"), ("3", "a", "X"), ("3", "a", "Y")]


def test_from_a_frame_of_topics_and_documents():
    frame = pd.DataFrame({"qid": [1, 1, 2], "docno": ["a", "b", "a"], "group": [1, 1.0, 2], "more": 0})
    for names in ({}, {"qid": "query_id", "docno": "doc_id"}):
        source = groups.from_frame(frame.rename(columns=names))
        assert source.labels == ["1", "2"]
        assert found(source, ("1", "a"), ("2", "a"), ("2", "b"), ("3", "a"), ("1", "b")) \
            == [("1", "a", "1"), ("2", "a", "2"), ("1", "b", "1")]


def test_a_frame_that_lacks_a_column_is_refused():
    with pytest.raises(ValueError, match="no column 'group'; it needs docno, group and has docno, stance"):
        groups.from_frame(pd.DataFrame({"docno": ["a"], "stance": ["PRO"]}))


@pytest.mark.parametrize(
    "mapping",
    [{"a": "X", "b": ["X", "Y"], "c": None}, {"a": "X", "b": ("Y", "X"), "c": []}, {"a": "X", "b": {"X", "Y"}, "c": "-"}],
    ids=["list", "tuple", "set"],
)
def test_from_a_mapping(mapping):
    source = groups.from_mapping(mapping)
    assert source.labels == ["X", "Y"]
    assert sorted(found(source, ("1", "a"), ("1", "b"), ("1", "c"))) == [("1", "a", "X"), ("1", "b", "X"), ("1", "b", "Y")]


def test_from_a_mapping_by_topic():
    source = groups.from_mapping({"1": {"a": "X"}, 2: {"a": ["Y"], "b": "X"}})
    assert found(source, ("1", "a"), ("1", "b"), ("2", "a"), ("2", "b")) == [("1", "a", "X"), ("2", "a", "Y"), ("2", "b", "X")]


@pytest.mark.parametrize("pattern, expected", [
    (r"^[A-Z]+", ["FT", "LA"]), (r"^([A-Z]+)-(\d)", ["FT", "LA"]), (r"^([A-Z]+)-(?P<group>\d)", ["1", "2"])])
def test_from_a_pattern(pattern, expected):
    source = groups.from_pattern(pattern)
    assert source.labels is None
    assert [group for _, _, group in found(source, ("1", "FT-1"), ("1", "none"), ("1", "LA-2"))] == expected


def test_from_a_pattern_with_labels():
    source = groups.from_pattern(r"^[A-Z]+", ["FT", "LA", "FR"])
    assert source.labels == ["FR", "FT", "LA"]
    assert found(source, ("1", "FT-1"), ("1", "XX-1")) == [("1", "FT-1", "FT")]
    with pytest.raises(ValueError, match="no regular expression"):
        groups.from_pattern("(")


@pytest.mark.parametrize("ending", ["", ".gz"])
@pytest.mark.parametrize("text, expected", [
    ("1 PRO a 1\n1 CON b 0\n1 - c 0\n2 CON a 1\n", [("1", "a", "PRO"), ("1", "b", "CON"), ("2", "a", "CON")]),
    ("docno\tgroup\na\tPRO\nb\tein Wort\nc\t-\n", [("1", "a", "PRO"), ("1", "b", "ein Wort"), ("2", "a", "PRO")]),
    ("qid,docno,group\n1,a,PRO\n1,b,\"x, y\"\n2,a,é\n", [("1", "a", "PRO"), ("1", "b", "x, y"), ("2", "a", "é")]),
    ("\ufeffgroup,doc_id\r\n1.0,a\r\n", [("1", "a", "1.0"), ("2", "a", "1.0")]),
], ids=["qrels", "tabs", "commas", "byte order mark"])
def test_from_a_file(tmp_path, text, expected, ending):
    path = tmp_path / f"groups.txt{ending}"
    path.write_bytes(gzip.compress(text.encode()) if ending else text.encode())
    for source in (groups.from_file(path), groups.get(path), groups.get(str(path))):
        assert found(source, ("1", "a"), ("1", "b"), ("1", "c"), ("2", "a")) == expected
        assert source.labels == sorted({group for _, _, group in expected})


def test_trec_newswire():
    source = groups.get("trec-newswire")
    assert source.labels == ["FBIS", "FR", "FT", "LA"]
    assert [
        g for _, _, g in found(source, *(("1", d) for d in ("FBIS3-1", "FR940104-0-1", "FT911-7", "LA010189-1", "CR93E-1")))
    ] == ["FBIS", "FR", "FT", "LA"]


def test_lookup_of_nothing():
    for source in (groups.from_mapping({"a": "X"}), groups.from_pattern("a"), groups.from_mapping({})):
        assert found(source) == []


# ---------------------------------------------------------------------------------------------------------------------
# auxiliary qrels


@pytest.mark.parametrize("names", [["qid", "docno", "label"], ["query_id", "doc_id", "relevance"]], ids=str)
def test_to_qrels(names):
    qrels = pd.DataFrame(
        [("1", "a", 2, "x"), ("1", "b", 0, "y"), ("2", "a", 1, "z")], columns=[*names, "note"], index=[5, 5, 7]
    )
    before = qrels.copy(deep=True)
    found = groups.from_mapping({"a": ["Y", "X"]}).to_qrels(qrels)
    assert list(found.columns) == [*names, "note", "iteration"]
    assert list(found.itertuples(index=False, name=None)) == [
        ("1", "a", 2, "x", "X"),
        ("1", "a", 2, "x", "Y"),
        ("1", "b", 0, "y", "-"),
        ("2", "a", 1, "z", "X"),
        ("2", "a", 1, "z", "Y"),
    ]
    pd.testing.assert_frame_equal(qrels, before)


def test_to_qrels_replaces_earlier_groups():
    qrels = pd.DataFrame(
        [("1", "a", 0, "old"), ("1", "a", 2, "older"), ("1", "b", 1, "0")], columns=["qid", "docno", "label", "iteration"]
    )
    found = groups.from_mapping({"a": "X"}).to_qrels(qrels)
    assert found.to_dict("list") == {"qid": ["1", "1"], "docno": ["a", "b"], "label": [2, 1], "iteration": ["X", "-"]}


def test_auxiliary_qrels_give_the_values_of_the_groups_parameter(make_case):
    case = make_case(9, several=True)
    source = groups.from_frame(case.groups_frame)
    plain = case.qrels_frame.drop(columns="iteration").drop_duplicates(["query_id", "doc_id"])
    qrels = source.to_qrels(plain)
    # Unjudged documents have groups by the parameter alone.
    run = case.run_frame.merge(plain[["query_id", "doc_id"]])
    for kind in (rND @ 5, nDJS):
        measure = kind(groups=source)
        by_parameter = {m.query_id: m.value for m in ir_measures.iter_calc([measure], plain, run)}
        by_qrels = {m.query_id: m.value for m in ir_measures.iter_calc([kind], qrels, run)}
        assert by_parameter == pytest.approx(by_qrels)


def test_qrels_without_their_columns_are_refused():
    with pytest.raises(ValueError, match="qid, docno, label or query_id, doc_id, relevance; these have topic"):
        groups.from_mapping({"a": "X"}).to_qrels(pd.DataFrame({"topic": ["1"]}))


# ---------------------------------------------------------------------------------------------------------------------
# names


@pytest.fixture
def registry(monkeypatch):
    monkeypatch.setattr(groups, "_registry", dict(groups._registry))


def test_a_registered_name_beats_a_path(registry, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mine").write_text("docno\tgroup\na\tfrom the file\n")
    assert groups.get("mine").labels == ["from the file"]
    groups.register("mine", groups.from_mapping({"a": "registered"}))
    assert groups.get("mine").labels == ["registered"]
    assert "mine" in groups.names() and groups.names() == sorted(groups.names())


def test_a_function_is_called_when_first_needed(registry):
    calls = []

    def make() -> Groups:
        calls.append(1)
        return groups.from_mapping({"a": "X"})
    groups.register("late", make)
    assert rND(groups="late") @ 5 and calls == []
    assert groups.get("late") is groups.get("late") and calls == [1]


@pytest.mark.parametrize("name", ["", "  ", None, 3])
def test_a_name_that_is_none_is_refused(registry, name):
    with pytest.raises(ValueError, match="need a name"):
        groups.register(name, groups.from_mapping({}))


def test_a_file_that_changes_is_read_again(tmp_path):
    path = tmp_path / "groups.tsv"
    path.write_text("docno\tgroup\na\tX\n")
    assert groups.get(path).labels == ["X"]
    path.write_text("docno\tgroup\na\tother\n")
    assert groups.get(path).labels == ["other"]


def test_an_object_registers_itself_under_a_name_of_its_content(registry):
    one, same = (groups.from_mapping({"a": "X", "b": "Y"}) for _ in range(2))
    other, by_topic = groups.from_mapping({"a": "X", "b": "Z"}), groups.from_mapping({"1": {"a": "X", "b": "Y"}})
    assert rND(groups=one) == rND(groups=same) and one == same and hash(one) == hash(same)
    assert len({rND(groups=source) for source in (one, same, other, by_topic)}) == 3
    assert groups.get(rND(groups=other)["groups"]) is other
    for source in (one, other, by_topic):
        measure = rND(groups=source, protected="X") @ 3
        assert ir_measures.parse_measure(str(measure)) == measure == pickle.loads(pickle.dumps(measure))


def test_objects_of_one_name_and_other_content_are_kept_apart(registry):
    one, other = groups.from_mapping({"a": "X"}, name="stance"), groups.from_mapping({"a": "Y"}, name="stance")
    measures = [rND(groups=one), rND(groups=other)]
    assert measures[0] != measures[1]
    assert [groups.get(measure["groups"]) for measure in measures] == [one, other]


def test_content_is_the_same_however_it_was_given():
    frame = pd.DataFrame({"qid": ["1", "2", "2", "10"], "docno": ["a", "b", "b", "a"], "group": ["P", "C", "P", "C"]})
    one, same = groups.from_frame(frame), groups.from_frame(frame.iloc[::-1])
    assert one == same and one.name == same.name
    new = {"1": {"P": "x", "C": "y"}, "2": {"P": "x", "C": "y"}}
    again = json.loads(json.dumps(dict(reversed([(qid, dict(reversed(labels.items()))) for qid, labels in new.items()]))))
    assert one.relabel(new) == same.relabel(again) and one.relabel(new).name == same.relabel(again).name
    assert one.relabel(new) != one.relabel({**new, "2": {"P": "x"}})


def test_tables_within_groups_count_with_their_index():
    class Looked(Groups):
        def __init__(self, table):
            super().__init__(labels=["P", "C"])
            self.table = table

        def lookup(self, qids, docnos):
            return pd.DataFrame({"qid": qids, "docno": docnos, "group": [self.table.get(docno) for docno in docnos]})

    one, same, other = (Looked(pd.Series(["P", "C"], index=index)) for index in (["a", "b"], ["a", "b"], ["b", "a"]))
    assert one == same != other and one.name == same.name != other.name


def test_groups_count_by_what_pickle_stores_of_them():
    class Stored(Groups):
        def __init__(self, table):
            super().__init__(labels=["x"])
            self.table, self.lock = table, threading.Lock()

        def __getstate__(self):
            return {"table": self.table}

    one, same, other = Stored("a"), Stored("a"), Stored("b")
    assert one == same != other and one.name == same.name != other.name


def test_ids_that_became_floats_are_found():
    source = groups.from_mapping({"1": {"7": "x"}})
    assert source.lookup([1.0], [7.0]).to_numpy().tolist() == [["1", "7", "x"]]
    assert pt.fairness.annotate(source)(pd.DataFrame({"qid": [1.0, 2.0], "docno": [7.0, 7.0]}))["group"].tolist()[0] == "x"


def test_a_registered_object_is_known_by_that_name(registry):
    source = groups.from_mapping({"a": "X"})
    groups.register("stance", source)
    assert str(rND(groups=source)) == "rND(groups='stance')" and rND(groups=source) == rND(groups="stance")


class Even(Groups):
    """Groups of one's own: whether a docno ends with an even digit."""

    def lookup(self, qids, docnos):
        rows = [(qid, docno, "even" if int(docno[-1]) % 2 == 0 else "odd") for qid, docno in zip(qids, docnos, strict=True)
                if docno[-1].isdigit()]
        return pd.DataFrame(rows, columns=["qid", "docno", "group"])


def test_a_class_of_one_s_own(registry):
    source = Even("even", ["even", "odd"])
    qrels = pd.DataFrame([("1", f"d{i}", 1) for i in range(4)], columns=["query_id", "doc_id", "relevance"])
    run = pd.DataFrame(
        [("1", "d2", 3.0), ("1", "d0", 2.0), ("1", "x", 1.5), ("1", "d9", 1.0)], columns=["query_id", "doc_id", "score"]
    )
    measure = rND(groups=source, protected="even", norm="none")
    w = 1 / np.log2(np.arange(2, 5))
    assert ir_measures.calc_aggregate([measure], qrels, run)[measure] == pytest.approx(w[0] / 2 + w[1] / 2 + w[2] / 6)
    assert source.to_qrels(qrels)["iteration"].tolist() == ["even", "odd", "even", "odd"]


def test_a_class_that_returns_something_else_is_refused(registry):
    class Wrong(Groups):
        def lookup(self, qids, docnos):
            return pd.DataFrame({"docno": docnos})
    with pytest.raises(ValueError, match=r"lookup returned has no column 'qid'"):
        Wrong("wrong").to_qrels(pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1]}))
    with pytest.raises(NotImplementedError, match="needs a lookup"):
        Groups("nothing").to_qrels(pd.DataFrame({"qid": ["1"], "docno": ["a"], "label": [1]}))


@pytest.mark.parametrize("mapping, says", [
    ({"1": {"a": "PRO"}, "b": "CON"}, "either all or none"),
    ({"a": object}, "the groups of 'a' are"),
])
def test_a_mapping_of_something_else_is_refused(mapping, says):
    with pytest.raises(ValueError, match=says):
        groups.from_mapping(mapping)


def test_a_mapping_may_hold_arrays():
    found = groups.from_mapping({"a": np.array(["PRO", "X"]), "b": "CON"}).lookup(["1", "1"], ["a", "b"])
    assert found["group"].tolist() == ["PRO", "X", "CON"]


def test_register_takes_groups_alone():
    with pytest.raises(ValueError, match="cannot be registered as a dict"):
        groups.register("junk", {"a": "PRO"})


def test_a_missing_topic_is_refused():
    with pytest.raises(ValueError, match="row 1 of the groups has no qid"):
        groups.from_frame(pd.DataFrame({"qid": ["1", None], "docno": ["a", "b"], "group": ["A", "B"]}))


def test_groups_that_hold_none_are_no_annotations():
    nothing = groups.from_frame(pd.DataFrame({"docno": ["a"], "group": ["-"]}))
    with pytest.raises(ValueError, match="holds no group at all"):
        ir_measures.calc_aggregate([rND(groups=nothing)], {"1": {"a": 1}}, {"1": {"a": 1.0}})


def test_a_name_means_in_a_copy_what_it_meant_where_it_was_pickled(registry):
    """A process that receives measures of one name from several others."""
    sources = {label: groups.from_mapping({"a": label}) for label in "ABC"}
    packed = {}
    for label in "AB":
        groups.register("sent", sources[label])
        packed[label] = pickle.dumps(rND(groups="sent"))
    groups.unregister("sent")
    copies = {label: pickle.loads(pickle.dumps(pickle.loads(packed[label]))) for label in "AB"}
    assert copies["A"] == copies["B"] == rND(groups="sent")
    for label, copy in copies.items():
        assert groups.get((copy @ 5)["groups"]) == sources[label]
    with pytest.raises(ValueError, match="no groups are registered as 'sent'"):
        groups.get("sent")
    groups.register("sent", sources["C"])
    assert groups.get(pickle.loads(packed["A"])["groups"]) is sources["C"], "the process's own"


def test_another_meaning_of_a_name_of_this_package_is_pickled(registry):
    mine = groups.from_pattern("^(FT)", labels=["FT"])
    groups.register("trec-newswire", mine)
    packed = pickle.dumps(rND(groups="trec-newswire"))
    groups.unregister("trec-newswire")
    assert groups.get(pickle.loads(packed)["groups"]) == mine
    assert groups.get("trec-newswire").labels == ["FBIS", "FR", "FT", "LA"]


def test_a_source_of_this_package_is_one_object_in_a_process():
    """What it has read of a corpus is not read again by each evaluation."""
    source = groups.get("pt-fairness/debates/stance")
    assert pickle.loads(pickle.dumps(source)) is source
    other = groups.from_irds("pt-fairness/debates", "viewpoint", name="pt-fairness/debates/stance")
    assert pickle.loads(pickle.dumps(other)) == other != source


def test_a_class_that_is_defined_anew_is_another():
    """As a notebook cell that is edited and run again."""
    qrels = pd.DataFrame({"qid": "1", "docno": list("abcd"), "label": 1})
    for n in (1, 2, 3, 3, 4):
        class Mine(groups.Groups):
            def lookup(self, qids, docnos, n=n):
                return pd.DataFrame({"qid": qids, "docno": docnos, "group": "x"}).head(n)
        measure = Annotated(groups=Mine("anew", ["x"]))
        judged = pt.model.to_ir_measures(qrels)
        assert ir_measures.calc_aggregate([measure], judged, judged.assign(score=1.0))[measure] == n / 4


def test_groups_that_differ_in_a_topic_differ():
    def by_topic(*qids):
        return groups.from_frame(pd.DataFrame({"qid": qids, "docno": ["a", "b", "c"], "group": ["P", "C", "P"]}))
    one, other = by_topic("1", "2", "2"), by_topic("1", "1", "2")
    assert one != other and one.name != other.name and one == by_topic("1", "2", "2")
    base = groups.from_mapping({"a": "P"})
    assert len({base.override(pd.DataFrame({"qid": [qid], "docno": ["a"], "group": ["C"]})).digest() for qid in "12"}) == 2


def test_classes_of_one_name_that_do_different_things_are_told_apart():
    def made(label):
        class Mine(groups.Groups):
            def lookup(self, qids, docnos):
                return pd.DataFrame({"qid": qids, "docno": docnos, "group": label})
        return Mine("twin", ["x", "y"])
    measures = [rND(groups=made(label)) for label in "xyx"]
    texts = list(map(str, measures))
    assert len(set(texts)) > 1 and texts[0] == "rND(groups='twin')"
    sources = [groups.get(ir_measures.parse_measure(text)["groups"]) for text in texts[:2]]
    assert [source.lookup(["1"], ["a"])["group"][0] for source in sources] == ["x", "y"]
    frame = pd.DataFrame({"docno": ["b"], "group": ["x"]})
    corrected = [made(label).override(frame) for label in "xyx"]
    assert corrected[0] == corrected[2] != corrected[1] and corrected[0].name != corrected[1].name


@pytest.mark.parametrize("nothing", [None, float("nan"), pd.NA, pd.NaT, "", "-"])
def test_what_maps_to_nothing(nothing):
    source = groups.from_mapping({"a": "PRO", "b": "CON"})
    assert source.relabel({"1": nothing, "2": "liberal"}).topics == ["2"]
    assert source.relabel({"1": {"PRO": "x", "CON": nothing}}).labels == ["x"]


def test_relabelling_again_does_not_bring_topics_back():
    once = groups.from_mapping({"a": "PRO", "b": "CON"}).relabel({"1": "liberal"})
    twice = once.relabel({qid: {"liberal": "L", "conservative": "C"} for qid in "12"})
    assert once.topics == twice.topics == ["1"]


def test_pickling_a_measure_does_not_make_its_groups(registry):
    groups.register("made-later", lambda: pytest.fail("groups were made"))
    assert pickle.loads(pickle.dumps(rND(groups="made-later"))) == rND(groups="made-later")


# --------------------------------------------------------------------------------------------------
# lifetime


def test_groups_that_were_not_registered_go_with_their_measures():
    before = groups.names()
    references, texts = [], []
    for i in range(41):
        source = groups.from_frame(pd.DataFrame({"docno": [f"d{i}", "e"], "group": ["X", "Y"]}))
        measures = [rND(groups=source) @ 5, nDJS(groups=source)]
        qrels = pd.DataFrame({"query_id": "1", "doc_id": [f"d{i}", "e"], "relevance": 1})
        assert len(ir_measures.calc_aggregate(measures, qrels, qrels.assign(score=1.0))) == 2
        assert groups.get(ir_measures.parse_measure(str(measures[0]))["groups"]) is source
        references.append(weakref.ref(source))
        texts.append(str(measures[0]))
    del source, measures
    gc.collect()
    assert [reference() for reference in references] == [None] * 41
    assert groups.names() == before
    with pytest.raises(ValueError, match="no groups are registered as 'frame-"):
        groups.get(ir_measures.parse_measure(texts[0])["groups"])


@pytest.mark.parametrize("copied", [
    lambda measure: measure @ 3,
    lambda measure: measure(protected="X"),
    lambda measure: ir_measures.parse_measure(str(measure)),
    lambda measure: pickle.loads(pickle.dumps(measure)),
    lambda measure: rKL(groups=groups.from_mapping({"a": "X", "b": "Y"})),
], ids=["cutoff", "parameter", "text", "pickle", "equal groups"])
def test_a_copy_of_a_measure_keeps_its_groups(copied):
    measure = rND(groups=groups.from_mapping({"a": "X", "b": "Y"}), protected="Y")
    copy = copied(measure)
    del measure
    gc.collect()
    qrels = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b"], "relevance": 1})
    value = ir_measures.calc_aggregate([copy], qrels, qrels.assign(score=[2.0, 1.0]))[copy]
    # The largest sum is that of two documents of one group.
    assert value == pytest.approx(1 / (1 + 1 / np.log2(3)))


def test_equal_groups_keep_their_name_while_one_measure_lives():
    first, second = (rND(groups=groups.from_mapping({"a": "X"})) for _ in range(2))
    text = str(first)
    del first
    gc.collect()
    assert groups.get(ir_measures.parse_measure(text)["groups"]) == groups.from_mapping({"a": "X"})
    assert str(second) == text


def test_unregister(registry):
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
def test_a_name_that_was_not_registered_is_not_unregistered(registry, name):
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


@pytest.mark.parametrize("source, qid", [
    (groups.from_frame(pd.DataFrame({"docno": ["a", "a", "a"], "group": ["y", "x", "y"]})), "1"),
    (groups.from_mapping({"a": ["PRO", "CON", "NEUTRAL"]}).relabel({"1": {"PRO": "x", "CON": "x", "NEUTRAL": "y"}}), "1"),
    (groups.from_mapping({"a": "z"}).override(pd.DataFrame({"docno": "a", "group": ["x", "y", "x"]})), "1"),
])
def test_a_group_that_is_given_twice_is_one(source, qid):
    assert source.lookup([qid], ["a"])["group"].tolist() == ["x", "y"]
    assert source.to_qrels(pd.DataFrame({"qid": [qid], "docno": ["a"], "label": [1]}))["iteration"].tolist() == ["x", "y"]


@pytest.mark.parametrize("pattern, labels", [("^(F?)", None), ("(-|F)", None), ("(-|F)", ["F"])])
def test_a_pattern_that_finds_nothing_gives_no_group(pattern, labels):
    assert groups.from_pattern(pattern, labels).lookup(["1", "1"], ["F1", "-2"])["docno"].tolist() == ["F1"]


def test_a_series_is_a_mapping():
    assert groups.from_mapping(pd.Series({"a": "X", "b": "Y"})) == groups.from_mapping({"a": "X", "b": "Y"})


class Forgetful(groups.Groups):
    def lookup(self, qids, docnos):
        return None


@pytest.mark.parametrize("wrong, says", [
    (lambda: groups.from_pattern("^(FT)", labels="FT"), r"labels='FT' is one text.*\['FT'\]"),
    (lambda: groups.get(None), "a registered name, the path of a group file or a Groups object, not None"),
    (lambda: rKL(groups=pd.DataFrame({"docno": ["a"], "group": ["x"]})), "not a DataFrame; pt_fairness.groups.from_frame"),
    (lambda: groups.from_frame({"a": "X"}), "not from a dict; from_mapping takes dictionaries"),
    (lambda: groups.from_mapping(pd.DataFrame({"docno": ["a"], "group": ["x"]})), "not from a DataFrame; from_frame takes"),
    (lambda: groups.from_mapping([("a", "X")]), "not from a list"),
    (lambda: groups.from_mapping({"a": "X"}).to_qrels("qrels.txt"), "not a str; pt_fairness.read_qrels reads a file into one"),
    (lambda: groups.from_mapping({"a": "X"}).relabel({"1": "liberal"}), "to rename; a leaning such as 'liberal' renames"),
    (lambda: Forgetful("forgetful").annotate(["1"], ["a"]), "lookup returned None; it has to return a frame"),
    (lambda: groups.from_mapping({"a": "X"}).lookup(["1", "2"], ["a"]), "2 topics and 1 documents"),
    (lambda: groups.from_irds("pt-fairness/debates", lambda document: document.premises[0]).lookup(["1"], ["d01-01"]),
     "the groups of 'd01-01' in pt-fairness/debates cannot be told.*AttributeError"),
])
def test_wrong_groups_are_named(wrong, says):
    with pytest.raises(ValueError, match=says):
        wrong()
