"""Groups of all kinds: their tables, corrections and new names, classes of one's own, qrels."""

import pickle

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from group_rows import rows

from pt_fairness import groups, rND
from pt_fairness.groups import Groups

BASE = {"a": "PRO", "b": "CON", "c": ["PRO", "CON"]}
SOFT = groups.from_mapping({"a": {"PRO": 0.7, "CON": 0.3}, "b": {"CON": 2}}, order=["CON", "PRO"])


def frame_of(docnos, labels, **columns):
    return pd.DataFrame({"docno": [*docnos], "group": [*labels], **columns})


class Even(Groups):
    """Whether a docno ends with an even digit."""

    def lookup(self, qids, docnos):
        found = [(qid, docno, "odd" if int(docno[-1]) % 2 else "even")
                 for qid, docno in zip(qids, docnos, strict=True) if docno[-1].isdigit()]
        return pd.DataFrame(found, columns=["qid", "docno", "group"])


def test_a_class_of_one_s_own():
    source = Even("even", ["even", "odd"])
    qrels = pd.DataFrame({"query_id": "1", "doc_id": ["d0", "d1", "d2", "d3"], "relevance": 1})
    run = {"1": {"d2": 3.0, "d0": 2.0, "x": 1.5, "d9": 1.0}}
    measure = rND(groups=source, protected="even", norm="none")
    w = 1 / np.log2(np.arange(2, 5))
    value = ir_measures.calc_aggregate([measure], qrels, run)[measure]
    assert value == pytest.approx(w[0] / 2 + w[1] / 2 + w[2] / 6)
    assert source.to_qrels(qrels)["iteration"].tolist() == ["even", "odd", "even", "odd"]


def returning(rows_of, **attributes):
    """Groups whose lookup returns what the function makes of topics and documents."""
    body = {"lookup": lambda self, qids, docnos: rows_of(qids, docnos), **attributes}
    return type("Mine", (Groups,), body)("mine", ["x", "y"])


def hard(qids, docnos):
    return pd.DataFrame({"qid": qids, "docno": docnos, "group": "x"})


def test_classes_of_one_name_that_do_different_things_are_distinguished():
    one, other = (returning(lambda *given, label=label: hard(*given).assign(group=label))
                  for label in "xy")
    assert rND(groups=one) == rND(groups=one) != rND(groups=other)
    with pytest.raises(ValueError, match=r"names.*'mine'"):
        ir_measures.evaluator([rND(groups=one), rND(groups=other)], {"1": {"a": 1}})
    corrected = [source.override(frame_of("b", "x")) for source in (one, other)]
    assert corrected[0] != corrected[1] and corrected[0].name != corrected[1].name


def test_ids_that_are_numbers_are_their_text():
    source = groups.from_mapping({"1": {"7": "x"}, "2": {"7": "y"}})
    assert source.lookup([1.0], [7.0]).to_numpy().tolist() == [["1", "7", "x"]]
    run = pd.DataFrame({"qid": [1.0, 3.0], "docno": [7.0, 7.0]})
    assert pt.fairness.annotate(source)(run)["group"].tolist()[0] == "x"
    for made in (source, source.relabel({"1": {"x": "PRO"}, "2": {"y": "CON"}})):
        numbers, texts = made.annotate([1, 2], ["7", "7"]), made.annotate(["1", "2"], ["7", "7"])
        assert numbers.item.tolist() == texts.item.tolist() == [0, 1]


@pytest.mark.parametrize("base", [
    groups.from_mapping(BASE), groups.from_mapping(dict.fromkeys("12", BASE)),
    groups.from_pattern("[ab]").relabel({q: {"a": "PRO", "b": "CON"} for q in "12"})
    .override(frame_of("cc", ["PRO", "CON"]))])
def test_override_by_topic_and_document(base):
    labels = ["CON", None, "PRO", "NEW", "-", "CON", "NEW", ""]
    frame = frame_of("abcxabbb", labels, qid=[*"11112222"])
    before = frame.copy()
    found = base.override(frame)
    assert sorted(rows(found, "abcxyabcx", "111112222").split(", ")) == [
        "1 a CON", "1 c PRO", "1 x NEW", "2 b CON", "2 b NEW", "2 c CON", "2 c PRO"]
    assert found.labels == ["CON", "NEW", "PRO"] and found.complete
    assert rows(base, "a") == "1 a PRO", "the original is as it was"
    pd.testing.assert_frame_equal(frame, before)


def test_override_everywhere_and_with_topics_that_are_numbers():
    base = groups.from_mapping(BASE)
    assert rows(base.override(frame_of("a", ["CON"])), "aa", "12") == "1 a CON, 2 a CON"
    found = base.override(frame_of("ab", ["CON", None], qid=[1, 2.0]))
    assert rows(found, "abb", [1, "2", "1"]) == "1 a CON, 1 b CON"
    # Rows are in the order of the documents, and unknown labels stay unknown.
    assert rows(base.override(frame_of("b", ["PRO"])), "abx") == "1 a PRO, 1 b PRO"
    found = groups.from_pattern("[ab]").override(frame_of("a", "x", qid="1"))
    assert found.labels is None and not found.complete


def test_override_asks_only_for_the_others():
    asked = []

    def answer(qids, docnos):
        asked.extend(zip(qids, docnos, strict=True))
        return hard(qids, docnos)

    found = returning(answer).override(frame_of("a", "y", qid="1"))
    assert rows(found, "aab", "121") == "1 a y, 2 a x, 1 b x"
    assert asked == [("2", "a"), ("1", "b")]


LEANINGS = {"1": "liberal", 2: "conservative", "3": None, "4": {"PRO": "liberal"}, "5": {},
            "6": "both or neither", "7": {"PRO": "green", "CON": None}}


def test_leanings_and_mappings():
    found = groups.from_mapping(BASE).relabel(LEANINGS)
    assert found.labels == ["conservative", "green", "liberal"] and found.complete
    assert found.topics == ["1", "2", "4", "7"]
    assert rows(found, "ab" * 8, [str(qid) for qid in range(1, 9) for _ in "ab"]) == (
        "1 a liberal, 1 b conservative, 2 a conservative, 2 b liberal, 4 a liberal, 7 a green")
    assert rows(found, "cc", [2, "4"]) == "2 c conservative, 2 c liberal, 4 c liberal"
    # Topics that map to nothing drop out of qrels.
    qrels = pd.DataFrame([(qid, docno, 1) for qid in "12345" for docno in "ab"],
                         columns=["qid", "docno", "label"])
    annotated = found.to_qrels(qrels)
    assert annotated["qid"].tolist() == [*"112244"]
    assert annotated["iteration"].tolist() == [
        "liberal", "conservative", "conservative", "liberal", "liberal", "-"]
    assert pickle.loads(pickle.dumps(found)) == found != groups.from_mapping(BASE).relabel({})
    assert groups.from_mapping(BASE).relabel(LEANINGS, "ideology").name == "ideology"


@pytest.mark.parametrize("nothing", [None, float("nan"), pd.NA, pd.NaT, "", "-"])
def test_what_maps_to_nothing(nothing):
    source = groups.from_mapping({"a": "PRO", "b": "CON"})
    assert source.relabel({"1": nothing, "2": "liberal"}).topics == ["2"]
    assert source.relabel({"1": {"PRO": "x", "CON": nothing}}).labels == ["x"]


def test_corrections_and_new_names_with_weights():
    frame = frame_of("aa", ["CON", "PRO"])
    assert rows(SOFT.override(frame), "ba") == "1 b CON 2, 1 a CON nan, 1 a PRO nan"
    soft = groups.from_mapping(BASE).override(frame.assign(weight=[0.6, 0.4]))
    assert rows(soft, "ab") == "1 a CON 0.6, 1 a PRO 0.4, 1 b CON nan"
    assert not groups.from_mapping(BASE).override(frame).weighted
    # An order stays where it holds all labels; weights of labels that become one add up.
    assert SOFT.override(frame).order == ["CON", "PRO"]
    assert SOFT.override(frame.assign(group="NEW")).order is None
    found = SOFT.relabel({"1": {"PRO": "any", "CON": "any"}, "2": {"PRO": "pro"}})
    assert found.order is None
    assert rows(found, "abab", "1122") == "1 a any 1, 1 b any 2, 2 a pro 0.7"
    assert not groups.from_mapping(BASE).relabel({"1": "liberal"}).weighted


@pytest.mark.parametrize("names", [["qid", "docno", "label"], ["query_id", "doc_id", "relevance"]])
def test_to_qrels(names):
    qrels = pd.DataFrame([("1", "a", 2, "x"), ("1", "b", 0, "y"), ("2", "a", 1, "z")],
                         columns=[*names, "note"], index=[5, 5, 7])
    qrels.attrs["track"] = "2021"
    before = qrels.copy(deep=True)
    found = groups.from_mapping({"a": ["Y", "X"]}).to_qrels(qrels)
    assert list(found.columns) == [*names, "note", "iteration"] and found.attrs == qrels.attrs
    assert list(found.itertuples(index=False, name=None)) == [
        ("1", "a", 2, "x", "X"), ("1", "a", 2, "x", "Y"), ("1", "b", 0, "y", "-"),
        ("2", "a", 1, "z", "X"), ("2", "a", 1, "z", "Y")]
    pd.testing.assert_frame_equal(qrels, before)
    assert SOFT.to_qrels(qrels)["iteration"].tolist() == ["CON", "PRO", "CON", "CON", "PRO"]


def test_to_qrels_replaces_earlier_groups_and_keeps_labels():
    qrels = pd.DataFrame({"qid": "1", "docno": [*"aab"], "label": [0, 2, 1],
                          "iteration": ["old", "older", "0"]})
    found = groups.from_mapping({"a": "X"}).to_qrels(qrels)
    assert found.to_dict("list") == {
        "qid": ["1", "1"], "docno": ["a", "b"], "label": [2, 1], "iteration": ["X", "-"]}
    mixed = pd.DataFrame({"qid": "1", "docno": [*"ab"], "label": pd.Series([1, "0"], dtype=object)})
    assert groups.from_mapping({"a": "X"}).to_qrels(mixed)["label"].tolist() == [1, "0"]


ROWS = frame_of("aabcde", ["x", "@UNKNOWN", "@UNKNOWN", "-", None, "y"],
                weight=[3, 1, 2, np.nan, np.nan, 1])
DOCNOS = ["a", "b", "c", "d", "e", "nowhere"]
#: The weight of @UNKNOWN of each document; NaN where the source does not know it.
UNKNOWN = [1, 2, 0, 0, 0, np.nan]


def unknown(source, qid="1"):
    return source.annotate(np.array([qid] * 6), np.array(DOCNOS, dtype=object)).unknown


def test_the_weight_of_unknown(tmp_path):
    ROWS.to_csv(tmp_path / "groups.csv", index=False)
    known = groups.from_frame(ROWS)
    assert known.labels == ["x", "y"]
    relabelled = known.relabel({"1": {"x": "z"}})
    corrections = frame_of(["b", "nowhere", "a"], "x-x", weight=[1, np.nan, 1])
    other = groups.from_mapping({"a": "1", "e": "2", "nowhere": "3"})
    for source, expected in (
            (known, UNKNOWN), (groups.from_file(tmp_path / "groups.csv"), UNKNOWN),
            (groups.from_frame(ROWS.drop(columns="weight")), [0, 0, 0, 0, 0, np.nan]),
            (known.override(corrections), [0] * 6), (relabelled, UNKNOWN),
            # A product knows what all of its sources know.
            (groups.product(known, other), [0, np.nan, np.nan, np.nan, 0, np.nan])):
        np.testing.assert_array_equal(unknown(source), expected)
    assert np.isnan(unknown(relabelled, "2")).all()
    # A document that is known is other content than one that is not.
    assert groups.from_frame(ROWS[:3]).digest() != groups.from_frame(ROWS[:4]).digest()


@pytest.mark.parametrize("call, error, says", [
    (lambda: returning(lambda qids, docnos: pd.DataFrame({"docno": docnos})).annotate(["1"], ["a"]),
     ValueError, "lookup has no column 'qid'"),
    (lambda: returning(lambda *given: hard(*given).assign(weight=0.5)).annotate(["1"], ["a"]),
     ValueError, "weighted = True"),
    (lambda: Groups("nothing").lookup(["1"], ["a"]), NotImplementedError, "lookup"),
    (lambda: groups.from_mapping(BASE).lookup(["1", "2"], ["a"]), ValueError, "2 topics and 1"),
    (lambda: groups.from_mapping(BASE).to_qrels("qrels.txt"), ValueError, "got a str"),
    (lambda: groups.from_mapping(BASE).relabel({"1": "liberl"}), ValueError, "'1'.*'liberl'"),
    (lambda: groups.from_mapping(BASE).relabel({"1": {"pro": "x"}}), ValueError, "'1'.*'pro'"),
    (lambda: SOFT.override(groups.from_mapping(BASE)), ValueError, "must be a DataFrame")])
def test_what_is_refused(call, error, says):
    with pytest.raises(error, match=says):
        call()
