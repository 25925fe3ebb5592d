"""Corrected and renamed groups."""

from __future__ import annotations

import pickle

import ir_measures
import pandas as pd
import pytest

from pt_fairness import BiasP, groups


def rows(found):
    return found.values.tolist()


BASE = {"a": "PRO", "b": "CON", "c": ["PRO", "CON"]}


@pytest.mark.parametrize(
    "base",
    [
        groups.from_mapping(BASE), groups.from_mapping(dict.fromkeys("12", BASE)),
        groups.from_pattern("[ab]") .relabel({q: {"a": "PRO", "b": "CON"} for q in "12"})
        .override(pd.DataFrame({"docno": ["c", "c"], "group": ["PRO", "CON"]}))],
)
def test_override_by_topic_and_document(base):
    frame = pd.DataFrame(
        [
            ("1", "a", "CON"),
            ("1", "b", None),
            ("1", "c", "PRO"),
            ("1", "x", "NEW"),
            ("2", "a", "-"),
            ("2", "b", "CON"),
            ("2", "b", "NEW"),
            ("2", "b", "")],
        columns=["qid", "docno", "group"],
    )
    before = frame.copy()
    found = base.override(frame)
    assert sorted(
        rows(found.lookup(["1"] * 5 + ["2"] * 4, ["a", "b", "c", "x", "y", "a", "b", "c", "x"]))
    ) == [
        ["1", "a", "CON"],
        ["1", "c", "PRO"],
        ["1", "x", "NEW"],
        ["2", "b", "CON"],
        ["2", "b", "NEW"],
        ["2", "c", "CON"],
        ["2", "c", "PRO"]]
    assert found.labels == ["CON", "NEW", "PRO"] and found.complete
    assert rows(base.lookup(["1"], ["a"])) == [["1", "a", "PRO"]], "the original is as it was"
    pd.testing.assert_frame_equal(frame, before)


def test_override_everywhere_and_with_topics_that_are_numbers():
    base = groups.from_mapping(BASE)
    assert rows(
        base.override(pd.DataFrame({"docno": ["a"], "group": ["CON"]})).lookup(
            ["1", "2"], ["a", "a"])
    ) == [["1", "a", "CON"], ["2", "a", "CON"]]
    found = base.override(
        pd.DataFrame({"qid": [1, 2.0], "docno": ["a", "b"], "group": ["CON", None]}))
    assert rows(found.lookup([1, "2", "1"], ["a", "b", "b"])) == [
        ["1", "a", "CON"], ["1", "b", "CON"]]


def test_lookup_is_in_the_order_of_the_documents():
    found = groups.from_mapping(BASE).override(pd.DataFrame({"docno": ["b"], "group": ["PRO"]}))
    assert found.lookup(["1", "1", "1"], ["a", "b", "x"])["docno"].tolist() == ["a", "b"]


def test_override_of_unknown_labels_leaves_them_unknown():
    base = groups.from_pattern("[ab]")
    found = base.override(pd.DataFrame({"qid": ["1"], "docno": ["a"], "group": ["x"]}))
    assert found.labels is None and not found.complete


def test_override_is_distinguished_and_travels():
    base = groups.from_mapping(BASE)
    frame = pd.DataFrame({"qid": ["1"], "docno": ["a"], "group": [None]})
    one, other = base.override(frame), base.override(frame.assign(docno="b"))
    assert one == base.override(frame) and one != other and one.name != other.name
    assert base.override(frame, "corrected").name == "corrected"
    assert rows(pickle.loads(pickle.dumps(one)).lookup(["1", "1"], ["a", "b"])) == [
        ["1", "b", "CON"]]


def test_override_needs_its_columns():
    with pytest.raises(ValueError, match="no column 'group'"):
        groups.from_mapping(BASE).override(pd.DataFrame({"qid": ["1"], "docno": ["a"]}))


def test_override_asks_only_for_the_others():
    class Asked(groups.Groups):
        asked: list = []

        def lookup(self, qids, docnos):
            self.asked.extend(zip(qids, docnos, strict=True))
            return pd.DataFrame({"qid": qids, "docno": docnos, "group": "PRO"})

    found = Asked("asked", ["PRO"]).override(
        pd.DataFrame({"qid": ["1"], "docno": ["a"], "group": ["PRO"]}))
    assert len(found.lookup(["1", "2", "1"], ["a", "a", "b"])) == 3
    assert Asked.asked == [("2", "a"), ("1", "b")]


def test_a_corrected_stance_changes_the_measure():
    qrels = [ir_measures.Qrel("1", docno, 1) for docno in "abc"]
    run = [ir_measures.ScoredDoc("1", docno, -i) for i, docno in enumerate("ab")]
    base = groups.from_mapping({"a": "PRO", "b": "PRO", "c": "CON"})
    turned = base.override(pd.DataFrame({"qid": ["1"], "docno": ["a"], "group": ["CON"]}))
    removed = base.override(pd.DataFrame({"qid": ["1"], "docno": ["a"], "group": [None]}))
    for found, value in ((base, 1.0), (turned, 0.0), (removed, 0.5)):
        measure = BiasP(groups=found) @ 2
        assert ir_measures.calc_aggregate([measure], qrels, run)[measure] == value


LEANINGS = {
    "1": "liberal", 2: "conservative", "3": None, "4": {"PRO": "liberal"}, "5": {},
    "6": "both or neither", "7": {"PRO": "green", "CON": None}}


def test_leanings_and_mappings():
    found = groups.from_mapping(BASE).relabel(LEANINGS)
    assert (
        found.labels == ["conservative", "green", "liberal"] and found.complete
        and found.topics == ["1", "2", "4", "7"])
    qids = [str(qid) for qid in range(1, 9) for _ in "ab"]
    assert rows(found.lookup(qids, ["a", "b"] * 8)) == [
        ["1", "a", "liberal"],
        ["1", "b", "conservative"],
        ["2", "a", "conservative"],
        ["2", "b", "liberal"],
        ["4", "a", "liberal"],
        ["7", "a", "green"]]
    assert sorted(rows(found.lookup([2, "4"], ["c", "c"]))) == [
        ["2", "c", "conservative"],
        ["2", "c", "liberal"],
        ["4", "c", "liberal"]]


def test_topics_that_map_to_nothing_drop_out_of_qrels():
    found = groups.from_mapping(BASE).relabel(LEANINGS)
    qrels = pd.DataFrame(
        [(qid, docno, 1) for qid in "12345" for docno in "ab"], columns=["qid", "docno", "label"])
    assert rows(found.to_qrels(qrels)[["qid", "docno", "iteration"]]) == [
        ["1", "a", "liberal"],
        ["1", "b", "conservative"],
        ["2", "a", "conservative"],
        ["2", "b", "liberal"],
        ["4", "a", "liberal"],
        ["4", "b", "-"]]


def test_a_measure_of_ideologies():
    # PRO documents are liberal in topic 1 and conservative in topic 2.
    qrels = [ir_measures.Qrel(qid, docno, 1) for qid in "12" for docno in ("p1", "p2", "c1", "c2")]
    run = [ir_measures.ScoredDoc("1", docno, -i) for i, docno in enumerate(["p1", "c1", "p2"])]
    run += [ir_measures.ScoredDoc("2", docno, -i) for i, docno in enumerate(["c1", "c2", "p1"])]
    stances = groups.from_mapping({"p1": "PRO", "p2": "PRO", "c1": "CON", "c2": "CON"})
    measure = (
        BiasP(
            pro="conservative", con="liberal",
            groups=stances.relabel({"1": "liberal", "2": "conservative"}))
        @ 3
    )
    assert [m.value for m in ir_measures.iter_calc([measure], qrels, run)] == pytest.approx(
        [-1 / 3, -1 / 3])
    stance = BiasP(groups=stances) @ 3
    assert [m.value for m in ir_measures.iter_calc([stance], qrels, run)] == pytest.approx(
        [1 / 3, -1 / 3])


@pytest.mark.parametrize(
    "by_topic, message",
    [
        (
            {"1": "liberl"},
            "topic '1' has the leaning 'liberl'; it has to be 'conservative' or 'liberal', None or",
        ),
        ({"1": 3}, "topic '1' has the leaning 3"),
        ({"1": {"pro": "liberal"}}, r"topic '1': .* has no label 'pro' to rename"),
    ],
)
def test_a_slip_is_an_error(by_topic, message):
    with pytest.raises(ValueError, match=message):
        groups.from_mapping(BASE).relabel(by_topic)


def test_relabel_travels():
    found = groups.from_mapping(BASE).relabel({"1": "liberal"})
    assert (
        pickle.loads(pickle.dumps(found)) == found
        != groups.from_mapping(BASE).relabel({"1": "conservative"}))
    assert groups.from_mapping(BASE).relabel({"1": "liberal"}, "ideology").name == "ideology"


# --------------------------------------------------------------------------------------------------
# weights


SOFT = groups.from_mapping({"a": {"PRO": 0.7, "CON": 0.3}, "b": {"CON": 2}}, order=["CON", "PRO"])


def test_corrections_with_and_without_weights():
    frame = pd.DataFrame({"docno": ["a", "a"], "group": ["CON", "PRO"]})
    plain = SOFT.override(frame)
    assert plain.weighted and plain.lookup(["1"] * 2, ["b", "a"])["weight"].fillna(-1).tolist() == [
        2, -1, -1]
    soft = groups.from_mapping(BASE).override(frame.assign(weight=[0.6, 0.4]))
    found = soft.lookup(["1"] * 2, ["a", "b"])
    assert soft.weighted and found["weight"].fillna(-1).tolist() == [0.6, 0.4, -1]
    assert not groups.from_mapping(BASE).override(frame).weighted
    with pytest.raises(ValueError, match="row 1 of the frame of groups has the weight '-1'"):
        SOFT.override(frame.assign(weight=[1, -1]))


def test_corrections_keep_an_order_that_holds_their_labels():
    frame = pd.DataFrame({"docno": ["a"], "group": ["CON"]})
    assert SOFT.override(frame).order == ["CON", "PRO"]
    assert SOFT.override(frame.assign(group="NEW")).order is None


def test_weights_of_labels_that_become_one_add_up():
    found = SOFT.relabel({"1": {"PRO": "any", "CON": "any"}, "2": {"PRO": "pro"}})
    assert found.weighted and found.order is None
    frame = found.lookup(["1", "1", "2", "2"], ["a", "b", "a", "b"])
    assert rows(frame) == [["1", "a", "any", 1.0], ["1", "b", "any", 2.0], ["2", "a", "pro", 0.7]]
    assert not groups.from_mapping(BASE).relabel({"1": "liberal"}).weighted


def test_auxiliary_qrels_hold_no_weights():
    qrels = pd.DataFrame({"qid": "1", "docno": ["a", "x"], "label": 1})
    found = SOFT.to_qrels(qrels)
    assert list(found.columns) == ["qid", "docno", "label", "iteration"]
    assert found["iteration"].tolist() == ["CON", "PRO", "-"]
