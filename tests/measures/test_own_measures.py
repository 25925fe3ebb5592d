"""A measure of a function of arrays: its values, and the places where it works."""

import builtins
import functools
import math
import pickle
import sys

import cloudpickle
import ir_measures
import numpy as np
import pandas as pd
import pyterrier.measures
import pytest
import slow_versions
from case_marks import quick_cases
from ir_measures import nDCG
from one_test import each
from slow_versions.common import compares_groups, mean_over_samples, target_is_empty, target_shares

import pt_fairness
from pt_fairness import FairnessWarning, cli
from pt_fairness.measures.descriptions import qrels, run

#: A module with a measure in five lines.
FIVE_LINES = """\
import pt_fairness
def gap(codes, length, shares, target):
    ranked = shares[codes].sum(axis=1) / length[:, None]
    return abs(ranked - target).max(axis=1)
Gap = pt_fairness.measure(gap, name="Gap")
"""


def gap(codes, length, shares, target):
    """How far the share of a group is from its target, at most."""
    ranked = shares[codes].sum(axis=1) / length[:, None]
    return abs(ranked - target).max(axis=1)


def slow_differences(topic, target, rel, cutoff):
    """By group, the share in the ranking minus the target; ``None`` without a target."""
    topic = topic.with_target(target)
    if target_is_empty(topic, target, rel):
        return None
    docnos = topic.condensed(topic.ranking)[:cutoff]
    wanted = target_shares(topic, target, rel)
    return docnos and [sum(topic.shares(docno).get(label, 0) for docno in docnos) / len(docnos)
                       - wanted[label] for label in topic.labels]


@compares_groups
@mean_over_samples
def slow_gap(topic, *, target="qrels", rel=1, cutoff=None):
    differences = slow_differences(topic, target, rel, cutoff)
    return max(map(abs, differences), default=1.0) if differences is not None else None


def first_groups(codes, member):
    """Of how many groups the first document is."""
    return member[codes[:, 0]].sum(axis=1)


def relevant_share(relevance, length, cutoff):
    """Precision of the documents with a group."""
    return (relevance > 0).sum(axis=1) / (length if cutoff is None else cutoff)


@mean_over_samples
def slow_relevant_share(topic, *, cutoff=None):
    docnos = topic.condensed(topic.ranking)[:cutoff]
    hits = [docno for docno in docnos if topic.relevance(docno) > 0]
    return len(hits) / (cutoff or len(docnos)) if docnos else 0.0


def everything(codes, length, relevance, member, shares, target, labels, cutoff):
    """The difference of the first group's share from its target, with all arrays at hand."""
    arrays = {"codes": codes, "length": length, "relevance": relevance, "member": member,
              "shares": shares, "target": target, "labels": labels}
    lists, depth = arrays["codes"].shape
    sets, labels = arrays["shares"].shape
    shapes = {name: arrays[name].shape for name in ("length", "relevance", "member", "target")}
    assert shapes == {"length": (lists,), "relevance": (lists, depth), "member": (sets, labels),
                      "target": (lists, labels)}
    assert ((arrays["codes"] >= 0).sum(axis=1) == arrays["length"]).all()
    assert not arrays["shares"][-1].any() and not arrays["member"][-1].any()
    assert arrays["labels"] == sorted({*arrays["labels"]}) and len(arrays["labels"]) == labels
    arrays["labels"].clear()  # harms no other measure, nor does the next line
    arrays["shares"][:, 1:] = math.nan
    of_first = arrays["shares"][:, 0][arrays["codes"]]
    return of_first.sum(axis=1) / arrays["length"] - arrays["target"][:, 0]


@compares_groups
@mean_over_samples
def slow_everything(topic, *, target="qrels", rel=1, cutoff=None):
    differences = slow_differences(topic, target, rel, cutoff)
    return (differences or [1.0])[0] if differences is not None else None


@pytest.fixture
def measures(monkeypatch):
    """The measures of the functions above, with their slow versions."""
    slow = {"Gap": slow_gap, "RelevantShare": slow_relevant_share, "Everything": slow_everything}
    for name, function in slow.items():
        monkeypatch.setitem(slow_versions.MEASURES, name, function)
    pt_fairness.measure(gap, name="Gap")
    pt_fairness.measure(relevant_share, name="RelevantShare", ideal=1)
    pt_fairness.measure(everything, name="Everything", range=(-1, 1))


class TestValues:
    @pytest.mark.parametrize("kind, samples", [(False, 1), (True, 3), ("weights", 3)])
    @pytest.mark.parametrize("seed", quick_cases(range(2), first=1))
    def test_each_array_against_loops(self, measures, make_case, agrees, seed, kind, samples):
        settings = [(name, {"cutoff": k} if k else {}) for k in (None, 1, 3, 50)
                    for name in ("Gap", "RelevantShare", "Everything")]
        for target in ("collection", "uniform", "qrels", {"g0": 0.3, "g1": 0.7}):
            settings += [(name, {"target": target, "cutoff": 2}) for name in ("Gap", "Everything")]
        settings += [("Gap", {"target": "qrels", "rel": 2})]
        agrees(make_case(seed, several=True), settings, kind, samples)

    def test_no_other_measure_sees_what_a_function_writes(self, measures, make_case):
        case = make_case(3)
        alone = ir_measures.calc_aggregate([pt_fairness.AWRF], case.qrels_frame, case.run_frame)
        both = [pt_fairness.measures.MEASURES["Everything"], pt_fairness.AWRF]
        found = ir_measures.calc_aggregate(both, case.qrels_frame, case.run_frame)
        assert found[pt_fairness.AWRF] == alone[pt_fairness.AWRF]

    @each("ideal, range, value", [
        (0, (0, 1), 1), (1, (0, 1), 0), (0, (0, None), 1), (2, (None, 2), 1),
        (0, (-1, 1), 1), (0.3, (0, 1), 1), (0.7, (0, 1), 0)])
    def test_a_topic_without_results(self, ideal, range, value):
        measure = pt_fairness.measure(first_groups, "First", ideal, range)
        with pytest.warns(FairnessWarning, match="0 of the . topics"):
            (metric,) = measure.iter_calc(qrels, run.head(0))
        assert metric.value == measure.DEFAULT == value

    def test_a_topic_without_results_has_no_value_in_an_open_range(self):
        """The ideal value is inside the range: no value is the furthest from it."""
        judged, ranked = (pd.concat([frame.assign(query_id=str(qid)) for qid in builtins.range(8)])
                          for frame in (qrels, run))
        first = pt_fairness.measure(lambda codes: codes[:, 0] * 0 + 1, "First", 0.5, (0, None))
        some = ranked[ranked["query_id"] > "1"].assign(score=0)
        few = ranked[ranked["query_id"] < "3"]
        found = pt_fairness.evaluate({"all": ranked, "some": some, "few": few}, judged, first,
                                     baseline="all", progress=False)
        values = found.perquery.set_index(["name", "qid"])["value"].unstack()
        assert values.isna().sum(axis=1).to_dict() == {"all": 0, "few": 5, "some": 2}
        assert not found.facts.undefined
        assert found.facts.fewer == {"First": {"some": 6, "few": 3}}
        text = found.table().text
        assert text.count("1.0000*") == 1 and "(n=6)" in text
        with pytest.warns(FairnessWarning, match="First .*2 of 8"):
            assert first.calc_aggregate(judged, some) == 6 / 8

    def test_without_qrels(self):
        options = {"groups": {"a": "PRO", "b": "PRO", "c": "CON"}, "progress": False}
        uniform = pt_fairness.measure(everything, "Everything", range=(-1, 1))
        with pytest.raises(ValueError, match="qrels"):  # relevance is at hand, too
            pt_fairness.evaluate(run, None, uniform, **options)
        share = pt_fairness.measure(
            lambda codes, length, shares: (shares[codes].sum(axis=1) / length[:, None]).max(axis=1),
            "Dominance")
        table = pt_fairness.evaluate(run, None, share, **options).averages
        assert table["Dominance"].item() == pytest.approx(2 / 3)


class TestFunctions:
    @each("function, options, word", [
        ("gap", {}, "name"), (lambda codes: codes, {}, "'<lambda>'"),
        *((gap, {"name": name}, f"'{name}'") for name in ("my gap", "class", "rKL", "nDCG")),
        (lambda codes, ranks: codes, {"name": "X"}, "ranks"),
        *((gap, {"range": range}, "range") for range in ((1, 0), (1, 1), (0, 0))),
        *((gap, {"ideal": end}, f"ideal={end}") for end in (2, math.nan)),
        (gap, {"ideal": math.inf, "range": (None, None)}, "ideal=inf")])
    def test_wrong_ones(self, function, options, word):
        with pytest.raises(ValueError, match=word):
            pt_fairness.measure(function, **options)

    @each("function, error", [
        (lambda codes: codes, r"X must return.*\(1, 4\)"),
        (lambda codes: 0.5, r"X must return.*\(1,\), got \(\)"),
        (lambda length: length, r"range \(0\.0, 1\.0\).* got 4 for topic '1'"),
        (lambda length: -1.0 * length, "got -4 for topic '1'"),
        (lambda length: length / 0.0, "got inf for topic '1'"),
    ])
    def test_wrong_values(self, function, error):
        measure = pt_fairness.measure(function, "X")
        with np.errstate(divide="ignore"), pytest.raises(ValueError, match=error):
            measure.calc_aggregate(qrels, run)

    def test_a_function_that_is_defined_again_replaces_the_earlier_one(self):
        first = pt_fairness.measure(gap)
        again = pt_fairness.measure(gap, range=(0, 2))
        assert pt_fairness.gap is pyterrier.measures.gap is again is not first
        assert ir_measures.parse_measure("gap@2") == again @ 2
        other = pt_fairness.measure(first_groups, name="gap")
        assert pt_fairness.gap is pyterrier.measures.gap is other

    def test_what_has_a_default_need_not_be_given(self):
        def near(length, most=2):
            return np.minimum(length, most)
        near_two = pt_fairness.measure(near, range=(0, None))
        near_one = pt_fairness.measure(functools.partial(near, most=1), "one", range=(0, None))
        assert near_two.calc_aggregate(qrels, run) == 2 and near_one.calc_aggregate(qrels, run) == 1

    def test_it_can_be_pickled(self):
        local = pt_fairness.measure(lambda length: 1 / length, "Local") @ 2
        measure = pt_fairness.measure(gap, "Gap") @ 2
        assert pickle.loads(pickle.dumps(measure)) == measure
        copy = pickle.loads(cloudpickle.dumps(local(groups={"a": "PRO", "c": "CON"})))
        assert copy.calc_aggregate(qrels, run) == 1 / 2 and copy.DEFAULT == 1


class TestPlaces:
    def test_ir_measures_and_evaluate(self):
        measure = pt_fairness.measure(gap, name="Gap")
        assert ir_measures.calc_aggregate([measure @ 2, nDCG @ 2], qrels, run)[measure @ 2] \
            == pytest.approx(1 / 3)
        averages, values = pt_fairness.evaluate({"A": run}, qrels, ["Gap(target='uniform')@2"],
                                                progress=False, references=True)
        assert values["value"].item() == 1 / 2 and len(averages) == 5

    @pytest.mark.slow
    def test_several_processes(self):
        pytest.importorskip("joblib")
        pt_fairness.measure(gap, name="Gap")
        runs = {name: run.sample(frac=1, random_state=i).assign(score=[5, 4, 3, 2, 1])
                for i, name in enumerate("AB")}
        alone = pt_fairness.evaluate(runs, qrels, "Gap@2", progress=False).averages
        table = pt_fairness.evaluate(runs, qrels, "Gap@2", progress=False, n_jobs=2).averages
        pd.testing.assert_frame_equal(table, alone)


@pytest.fixture
def files(folder_of):
    folder_of({"qrels": "1 PRO a 1\n1 PRO b 1\n1 CON c 1\n", "my_gaps.py": FIVE_LINES,
               "run": "1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n1 Q0 c 3 1 t\n"})
    return "qrels", "run"


@pytest.fixture
def imported(monkeypatch):
    """Forget modules that a test imports, and their folders."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = {*sys.modules}
    yield
    for name in ("my_gaps", "broken_gaps"):
        if name not in before:
            sys.modules.pop(name, None)


@pytest.mark.usefixtures("imported")
class TestCommandLine:
    def test_import(self, files, capsys):
        command = ["table", *files, "-m", "Gap@2", "--format", "csv", "--import=my_gaps"]
        assert cli.main(command) == 0
        assert cli.main(["eval", *files, "Gap@2", "--import=my_gaps.py"]) == 0
        table, values = capsys.readouterr().out.rsplit("\n", 2)[:2]
        assert table.splitlines()[0] == "name,Gap@2" and values == "Gap@2\t0.3333"
        assert cli.evaluate([*files, "Gap@2", "--import=my_gaps"]) == 0

    @each("path, text, error", [
        ("no_such.py", None, "No module named 'no_such'"),
        ("no_such_module", None, "ModuleNotFoundError: No module named 'no_such_module'"),
        ("broken_gaps.py", "1 / 0", "ZeroDivisionError: division by zero")])
    def test_a_wrong_import(self, files, folder_of, capsys, path, text, error):
        folder_of({} if text is None else {path: text})
        assert cli.main(["table", *files, "-m", "P@2", "--import", path]) == 2
        message = capsys.readouterr().err
        assert error in message and f"--import {path}" in message
