"""Exposure over all topics and its inequality, compared with their slow versions."""

import itertools

import numpy as np
import pandas as pd
import pytest
from case_marks import quick_cases
from slow_versions import inequality as slow
from slow_versions.reading import read_topics
from slow_versions.rows import order_run

from pt_fairness import groups
from pt_fairness.analysis import document_exposure, inequality

COLUMNS = ["n", "exposed", "outside", "gini", "jain", "entropy", "qf", "fsat"]
DISCOUNTS = [
    {}, {"discount": "trec"}, {"discount": "mmr"}, {"discount": "none"}, {"discount": "power"},
    {"discount": "power", "p": 1.3}, {"discount": "power", "p": 0},
    {"discount": "geometric", "p": 0.5}]


def run_of(*lists):
    rows = [(str(q), docno, -i) for q, one in enumerate(lists) for i, docno in enumerate(one)]
    return pd.DataFrame(rows, columns=["qid", "docno", "score"])


def lists_of(frame, topics=None):
    """The lists of a run, with an empty one where a sample lacks a topic."""
    rows = list(frame.itertuples(index=False, name=None))
    samples = [order_run([row[:3] for row in rows if row[3:] == sample])
               for sample in dict.fromkeys(row[3:] for row in rows)]
    known = dict.fromkeys(qid for one in samples for qid in one)
    return [(qid, one.get(qid, [])) for one in samples for qid in known
            if topics is None or qid in topics]


def random_runs(case, seed, samples):
    pick = np.random.default_rng(seed)
    return {
        name: pd.concat([
            case.run_frame.assign(score=pick.integers(0, 5, len(case.run)) + 0.0, iteration=sample)
            for sample in range(samples)]).sample(frac=0.7, random_state=seed + number)
        for number, name in enumerate(["A", "B"])}


@pytest.mark.filterwarnings("ignore:.* are missing from some")
@pytest.mark.parametrize("population", ["runs", "judged", 40])
@pytest.mark.parametrize("seed", quick_cases(range(3), first=1))
def test_documents_as_the_slow_version(make_case, population, seed):
    depth, samples = [(4, 3), (None, 1), (1, 2)][seed]
    case = make_case(seed)
    runs = random_runs(case, seed, samples)
    judged = {row[1] for row in case.qrels}
    for qrels in (case.qrels_frame, None)[:1 + (population != "judged")]:
        topics = None if qrels is None else {row[0] for row in case.qrels}
        lists = {name: lists_of(run, topics) for name, run in runs.items()}
        inside, _ = slow.population_of(lists, population, judged, depth)
        for setting in DISCOUNTS:
            given = {"depth": depth, "population": population, **setting}
            found = inequality(runs, qrels, **given)
            expected = slow.inequality(lists, judged=judged, **given)
            assert found["name"].tolist() == list(expected)
            np.testing.assert_allclose(found[COLUMNS].to_numpy(float), list(expected.values()),
                                       atol=1e-12)
            frame = document_exposure(runs, qrels, **given)
            for name, of in lists.items():
                rows = frame[frame["name"] == name].set_index("docno")
                own = slow.exposures(of, setting.get("discount", "log2"), setting.get("p"), depth)
                assert list(rows.index) == sorted(inside)
                assert rows["exposure"].tolist() == pytest.approx(
                    [own.get(docno, 0.0) for docno in sorted(inside)])
                assert rows["share"].sum() == pytest.approx(1)


@pytest.mark.filterwarnings("ignore:.* are missing from some")
@pytest.mark.parametrize("source", ["iteration", "frame", "weights"])
@pytest.mark.parametrize("seed", quick_cases(range(3), first=1))
def test_groups_as_the_slow_version(make_case, source, seed):
    case = make_case(seed, several=True)
    runs = random_runs(case, seed, 1 + seed)
    lookup, options, labels = None, {}, ()
    if source != "iteration":
        frame, weights = case.groups_frame, {}
        if source == "weights":
            frame = frame.assign(weight=1.0 + frame.index % 3)
            for row in frame.itertuples():
                weights.setdefault((row.qid, row.docno), {})[row.group] = row.weight
        options = {"groups": groups.from_frame(frame)}
        given = weights or case.groups
        lookup, labels = lambda q, d: given.get((q, d)), case.labels
    rows = [row[:3] for run in runs.values() for row in run.itertuples(index=False, name=None)]
    topics = read_topics(case.qrels, rows, lookup, labels)
    lists = {name: lists_of(run, topics) for name, run in runs.items()}
    names = next(iter(topics.values())).labels
    for depth, population in itertools.product([None, 3], ["runs", "judged", 40]):
        settings = {"depth": depth, "population": population, "discount": "trec"}
        found = inequality(runs, case.qrels_frame, by="group", **options, **settings)
        expected = slow.inequality(lists, judged={row[1] for row in case.qrels}, labels=names,
                                   groups=lambda q, d: topics[q].shares(d), **settings)
        np.testing.assert_allclose(found[COLUMNS].to_numpy(float), list(expected.values()),
                                   atol=1e-12)
        frame = document_exposure(runs, case.qrels_frame, by="group", **options, **settings)
        assert frame["group"].tolist() == names * 2


@pytest.mark.parametrize("run, population, exposed, outside", [
    (run_of("a"), "runs", 1, 0.0), (run_of(), 5, 0, np.nan), (run_of("ab"), "judged", 0, 1.0)])
def test_nothing_to_compare(run, population, exposed, outside):
    qrels = None
    if population == "judged":
        qrels = pd.DataFrame({"qid": ["0"], "docno": ["z"], "label": 1})
    (row,) = inequality({"A": run}, qrels, population=population).itertuples()
    assert np.isnan(row[5:]).all() and row.exposed == exposed
    assert row.outside == pytest.approx(outside, nan_ok=True)


class Undeclared(groups.Groups):
    """Groups without a declared label set."""

    def lookup(self, qids, docnos):
        return pd.DataFrame({"qid": qids, "docno": docnos, "group": "PRO"})


@pytest.mark.parametrize("given, error", [
    ({"by": "topic"}, "'topic'"),
    ({"depth": 0}, "depth"),
    ({"population": "all"}, "population .* 'all'"),
    ({"population": "judged"}, "population .*qrels.* 'judged'"),
    ({"population": 2}, "population .* 3, got 2"),
    ({"by": "group"}, "qrels"),
    ({"by": "group", "groups": Undeclared("undeclared")}, "qrels .*undeclared"),
    ({"discount": "exp"}, "'exp'"), ({"p": 0.5}, "p .* 0.5 with 'log2'"),
    ({"discount": "geometric", "p": 1}, "p .* 1 with 'geometric'"),
    ({"discount": "power", "p": -1}, "p .* -1 with 'power'")])
def test_bad_input(given, error):
    for function in (document_exposure, inequality):
        with pytest.raises(ValueError, match=error):
            function({"A": run_of("abc")}, **given)
