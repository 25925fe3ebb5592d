"""The re-rankers as PyTerrier transformers, their results, and bad input."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from one_test import each
from pyterrier.testing import transformer_test_class
from rerank_cases import WORKED, order, results

import pt_fairness
from pt_fairness import groups, rerank, targets
from pt_fairness.rerank.rerankers import Results

METHODS = ["fa_ir", "det_greedy", "det_cons", "det_relaxed", "det_const_sort", "xquad", "pm2",
           "fair_exposure"]
FRAME = results(WORKED)
OLD = "a b u c d e f g"
SOURCE_OF = {docno: label for docno, _, label in WORKED if label}
SOURCE = groups.from_mapping(SOURCE_OF)


@pytest.fixture(params=METHODS)
def method(request):
    return getattr(rerank, request.param)


@pytest.fixture
def census(forget_targets):
    targets.register("census", pd.DataFrame(
        {"qid": ["1", "1"], "group": ["P", "C"], "share": [0.25, 0.75]}))
    return "census"


def class_of(name):
    made = transformer_test_class(lambda: getattr(rerank, name)(SOURCE, k=3))
    return pytest.mark.filterwarnings("ignore:You can hide", "ignore:INFO")(made)


TestFaIr, TestDetGreedy, TestDetCons, TestDetRelaxed, TestDetConstSort, TestXquad, TestPm2, \
    TestFairExposure = map(class_of, METHODS)


def test_inspection(method):
    columns = ["qid", "query", "docno", "score"]
    assert pt.inspect.transformer_inputs(method(SOURCE)) == [["qid", "docno", "score"]]
    assert pt.inspect.transformer_inputs(method()) == [["qid", "docno", "score", "group"]]
    assert pt.inspect.transformer_outputs(method(SOURCE), columns) == [*columns, "rank"]
    values = {one.name: one.value for one in pt.inspect.transformer_attributes(method(k=3))}
    assert values["k"] == 3 and values["groups"] is None and values["target"] == "uniform"
    assert len(method.schematic["label"]) <= 20


def test_copies_are_equal(method, census):
    for params in ({}, {"groups": SOURCE, "k": 2}, {"target": {"P": 0.5, "C": 0.5}},
                   {"target": census}):
        one, other = method(**params), method(**params, verbose=True)
        copy = pickle.loads(pickle.dumps(one))
        assert one == other == copy and hash(one) == hash(other) == hash(copy)
        assert method(k=7) != one != rerank.det_greedy(k=8)
        assert order(copy(FRAME)) == order(one(FRAME))


def test_a_registered_target_is_looked_up_at_once(method, census, forget_targets):
    one = method(SOURCE, census, k=4)
    forget_targets()
    assert order(one(FRAME)) == order(method(SOURCE, {"P": 0.25, "C": 0.75}, k=4)(FRAME))
    with pytest.raises(ValueError, match=r"'census' .*'2'"):
        one(FRAME.assign(qid="2"))


def test_a_registered_target_with_a_label_that_the_results_lack(method, forget_targets):
    targets.register("wide", pd.DataFrame({"group": list("PCX"), "share": [0.1, 0.3, 0.6]}))
    of_both = method(SOURCE, {"P": 0.25, "C": 0.75}, k=4)
    assert order(method(SOURCE, "wide", k=4)(FRAME)) == order(of_both(FRAME))
    targets.register("one", pd.DataFrame({"group": ["C"], "share": [1.0]}))  # and the reverse
    of_one = method(SOURCE, {"C": 1.0}, k=4)
    assert order(method(SOURCE, "one", k=4)(FRAME)) == order(of_one(FRAME))


def test_a_registered_target_that_needs_qrels(method, forget_targets):
    halves = pd.DataFrame({"group": ["P", "C"], "share": [0.5, 0.5]})
    targets.register("track", halves, of_qrels=0.25)
    with pytest.raises(ValueError, match="'track'"):
        method(target="track")


def test_short_names():
    assert repr(rerank.xquad()) == "rerank.xquad()"
    assert repr(rerank.fa_ir("trec-newswire", alpha=0.2, k=5, verbose=True)) == \
        "rerank.fa_ir(groups='trec-newswire', k=5, alpha=0.2)"


def test_columns_and_topics(method):
    frame = pd.concat([FRAME.assign(qid=qid) for qid in ("2", "10", "1")])
    frame = frame.assign(rank=3, text=frame["docno"] + frame["qid"])
    before = frame.copy()
    found = method(k=3)(frame)
    pd.testing.assert_frame_equal(frame, before)
    assert [*found] == [*frame] and found["qid"].drop_duplicates().tolist() == ["2", "10", "1"]
    assert (found["text"] == found["docno"] + found["qid"]).all()
    assert found["rank"].tolist() == [*range(8)] * 3 and found.index.tolist() == [*range(24)]
    assert found["score"].tolist() == [*range(8, 0, -1)] * 3
    orders = {order(some) for _, some in found.groupby("qid")}
    assert orders == {order(method(k=3)(FRAME))}
    empty = method()(FRAME.iloc[:0])
    assert len(empty) == 0 and [*empty] == [*FRAME, "rank"]
    for one in (found, empty):
        assert one["rank"].dtype == "int64" and one["score"].dtype == float


def test_cutoffs_and_progress_bars(method, capsys):
    one = method(SOURCE, k=4, verbose=True)
    cut = (pt.Transformer.from_df(FRAME) >> one % 3).compile()
    assert order(cut(FRAME[["qid"]].drop_duplicates().assign(query="q"))) == \
        order(one(FRAME).head(3))
    assert "rerank." in capsys.readouterr().err
    method(SOURCE)(FRAME)
    assert capsys.readouterr().err == ""


@each("params", [
    {"k": 0}, {"k": 2.5}, {"k": True}, {"target": "qrels"}, {"target": "nothing"},
    {"target": {"P": 0.5, "C": 0.4}}, {"target": 3}, {"groups": "nothing"}, {"groups": ["P"]}])
def test_values_that_are_not_allowed(method, params):
    (name,) = params
    with pytest.raises(ValueError, match=name):
        method(**params)


@each("name, params", [
    ("xquad", {"lam": 1.1}), ("pm2", {"lam": -0.1}), ("pm2", {"lam": np.nan}),
    ("pm2", {"normalise": "max"}), ("fa_ir", {"alpha": 0}), ("fa_ir", {"alpha": 1}),
    ("fa_ir", {"adjust": "no"}), ("fa_ir", {"protected": "all"}),
    ("plackett_luce", {"temperature": -1}), ("plackett_luce", {"temperature": np.nan}),
    ("plackett_luce", {"seed": 1.5}), ("plackett_luce", {"sample": -1}),
    ("plackett_luce", {"sample": None}), ("plackett_luce", {"k": 0}),
    ("fair_exposure", {"sample": -1}), ("fair_exposure", {"sample": True}),
    ("fair_exposure", {"discount": "none"}), ("fair_exposure", {"p": 1.0}),
    ("fair_exposure", {"seed": "x"})])
def test_values_that_one_method_does_not_allow(name, params):
    ((param, value),) = params.items()
    with pytest.raises(ValueError, match=f"{param} .*{value!r}"):
        getattr(rerank, name)(**params)


def test_missing_columns(method):
    with pytest.raises(pt.validate.InputValidationError, match="group"):
        method()(FRAME.drop(columns="group"))
    with pytest.raises(pt.validate.InputValidationError, match="score"):
        method(SOURCE)(FRAME.drop(columns="score"))


def test_scores_without_a_rank(method):
    with pytest.raises(ValueError, match=r"NaN .*'c'"):
        method(SOURCE)(FRAME.assign(score=FRAME["score"].where(FRAME["docno"] != "c")))
    with pytest.raises(ValueError, match="score"):
        method(SOURCE)(FRAME.assign(score="high"))


@pytest.mark.parametrize("value, docno", [(-np.inf, "g"), (1e300, "a")])
def test_infinite_scores(method, value, docno):
    frame = FRAME.assign(score=FRAME["score"].mask(FRAME["docno"] == docno, value))
    if method in (rerank.xquad, rerank.pm2, rerank.fair_exposure):
        with pytest.raises(ValueError, match=f"'{docno}' .*'1'"):
            method()(frame)
    else:
        assert order(method()(frame)) == order(method()(FRAME))
    one_group = frame.assign(group=frame["group"].where(frame["group"] != "C"))
    assert order(method()(one_group)) == OLD


def test_no_groups_at_all(method):
    for one in (method(), method(groups.from_mapping({"x": "P"}))):
        with pytest.raises(ValueError, match="8 documents"):
            one(FRAME.assign(group=None))


def test_topics_to_which_nothing_applies(method):
    frame = pd.concat([
        FRAME, FRAME.assign(qid="2", group=None),
        FRAME.assign(qid="3", group=FRAME["group"].replace(["C", "P"], "X"))])
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ".*target")
        found = method(target={"P": 0.5, "C": 0.5, "X": 0.0, "Y": 0.0})(frame)
    uniform = order(method()(FRAME))
    assert [order(some) for _, some in found.groupby("qid")] == [uniform, OLD, OLD]
    source = groups.from_mapping({**SOURCE_OF, "x": "X"})
    with pytest.warns(pt_fairness.FairnessWarning, match="1 of 1 topics .*'1'"):
        assert order(method(source, {"X": 1.0, "P": 0.0})(FRAME)) == OLD


def test_labels_that_nobody_has(method):
    with pytest.raises(ValueError, match=r"target .*'X'"):
        method(SOURCE, {"P": 0.5, "X": 0.5})(FRAME)
    with pytest.warns(pt_fairness.FairnessWarning, match="target .*'X'"):
        method(target={"P": 0.5, "C": 0.25, "X": 0.25})(FRAME)


def test_a_protected_label_that_nobody_has():
    with pytest.raises(ValueError, match=r"protected .*'X'"):
        rerank.fa_ir(SOURCE, protected="X")(FRAME)
    with pytest.warns(pt_fairness.FairnessWarning, match=r"protected .*'X'"):
        assert order(rerank.fa_ir(protected="X")(FRAME)) == OLD


def test_fa_ir_of_several_groups_without_protected_ones():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rerank.fa_ir(SOURCE)(FRAME)
    with pytest.warns(pt_fairness.FairnessWarning, match="protected"):
        rerank.fa_ir(groups.from_mapping({**SOURCE_OF, "x": "X"}))(FRAME)


def test_duplicate_documents(method):
    frame = pd.concat([FRAME.assign(score=99.0).iloc[5:6], FRAME], ignore_index=True)
    with pytest.warns(pt_fairness.FairnessWarning, match="1 rows"):
        found = method()(frame)
    pd.testing.assert_frame_equal(found, method()(FRAME))


@pytest.mark.parametrize("name", ["xquad", "pm2"])
def test_scores_that_are_no_probabilities(name):
    with pytest.raises(ValueError, match=r"9 .*'a'"):
        getattr(rerank, name)(normalise="none")(FRAME)


def shares(group):
    """The shares of documents a, b, … with these values of the column ``group``."""
    frame = pd.DataFrame({"qid": "1", "docno": list("abcdefgh")[:len(group)],
                          "score": -np.arange(float(len(group))), "group": group})
    found = Results(frame)
    (one,) = found.condensed(found.annotations(None), "uniform", None)
    return {docno: dict(zip(one.labels, row, strict=True))
            for docno, row in zip(one.docnos, one.shares.tolist(), strict=True)}


def test_a_column_of_groups():
    assert shares(["P", ["P", "C"], ["P", "P"], "-", "", None, ("C", "-", None), []]) == {
        "a": {"C": 0, "P": 1}, "b": {"C": 0.5, "P": 0.5}, "c": {"C": 0, "P": 1},
        "g": {"C": 1, "P": 0}}
    assert shares([1, 2.0, np.nan, [1.0, "2"]]) == {
        "a": {"1": 1, "2": 0}, "b": {"1": 0, "2": 1}, "d": {"1": 0.5, "2": 0.5}}
    assert shares(pd.Categorical(["x", None, "é中"])) == {
        "a": {"x": 1, "é中": 0}, "c": {"x": 0, "é中": 1}}
    assert shares(["Portland, OR", ["Portland, OR", "C"]]) == {
        "a": {"C": 0, "Portland, OR": 1}, "b": {"C": 0.5, "Portland, OR": 0.5}}


@pytest.mark.parametrize("wrong", [{"P": 1}, [["P"], ["C"]]])
def test_values_that_are_no_labels(wrong):
    with pytest.raises(ValueError, match="column group"):
        shares([None, wrong, "P"])


@pytest.mark.parametrize("several", [["P", "C"], ["Portland, OR", "C"]])
def test_a_group_source_and_the_column_that_annotate_writes(several):
    frame = results(WORKED)
    first = several[0]
    source = groups.from_mapping({"a": several, "b": first, "g": "C"})
    column = Results(pt.fairness.annotate(source)(frame.drop(columns="group")))
    ready = Results(frame)
    (one,), (other,) = (found.condensed(found.annotations(given), {first: 0.9, "C": 0.1}, 2)
                        for found, given in ((column, None), (ready, source)))
    assert one.labels == other.labels == ["C", first] and one.k == other.k == 2
    assert one.shares.tolist() == other.shares.tolist() == [[0.5, 0.5], [0, 1], [1, 0]]
    assert one.places.tolist() == other.places.tolist() == [0, 1, 7]
    assert one.target == pytest.approx([0.1, 0.9]) and one.target.tolist() == other.target.tolist()


def test_scores_in_single_precision():
    """Scores that differ after the seventh digit tie, and docnos decide."""
    frame = results([("a", 1.0, "P"), ("b", 1.0 + 1e-9, "P"), ("c", 0.5, "C"), ("d", 0.25, "C")])
    found = Results(frame)
    (one,) = found.condensed(found.annotations(None), "uniform", None)
    assert one.docnos.tolist() == ["b", "a", "c", "d"]
    assert one.normalised() == pytest.approx([1, 1, 1 / 3, 0])
