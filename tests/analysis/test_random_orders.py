import numpy as np
import pandas as pd
import pytest
from case_marks import slow_cases
from ir_measures import nDCG
from slow_versions import sampling as slow

from pt_fairness import AWRF, EEL, GFR, NDKL, BiasP, RepBias, evaluate, groups, nDD, rKL
from pt_fairness.analysis import against_random, explain, undefined


def experiment(rng, topics=4, samples=1):
    """Return a run, and qrels of some of its documents."""
    run = pd.DataFrame([(f"t{t}", f"d{d}", float(rng.random()), i)
                        for t in range(topics) for i in range(samples)
                        for d in rng.permutation(9)[:rng.integers(1, 9)]],
                       columns=["qid", "docno", "score", "iteration"])
    qrels = pd.DataFrame([(f"t{t}", f"d{d}", int(rng.integers(0, 3)), str(group))
                          for t in range(topics) for d in rng.permutation(9)[:7]
                          for group in [rng.choice(["A", "A", "B", "C", "-"])]],
                         columns=["qid", "docno", "label", "iteration"])
    return run if samples > 1 else run.drop(columns="iteration"), qrels


def permuted(run, annotated, name, draw, seed):
    """Return the run with the annotated documents of each list in the random order of a draw."""
    parts = []
    for qid, rows in run.assign(**{"iteration": 0, **run}).groupby("qid"):
        rows = rows.sort_values(["iteration", "score"], ascending=[True, False])
        mine = [(qid, docno) in annotated for docno in rows["docno"]]
        numbers = iter(slow.numbers(seed, f"{name}\n{qid}", draw, sum(mine)))
        if sum(mine) < 2:
            parts.append(rows)
            continue
        for _, ranked in rows.groupby("iteration"):
            docnos = list(ranked["docno"])
            places = [i for i, docno in enumerate(docnos) if (qid, docno) in annotated]
            drawn = [next(numbers) for _ in places]
            order = [docnos[places[i]] for i in sorted(range(len(places)), key=drawn.__getitem__)]
            for place, docno in zip(places, order, strict=True):
                docnos[place] = docno
            parts.append(ranked.assign(docno=docnos))
    return pd.concat(parts)[run.columns]


@pytest.mark.parametrize("samples", [2, *slow_cases(1)])
@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
def test_agrees_with_draws_that_are_evaluated_one_by_one(samples):
    draws = 12
    measures = [rKL @ 3, nDD @ 3, AWRF, NDKL @ 4, RepBias(group="A") @ 2,
                BiasP(pro="A", con="B") @ 3, EEL(by="group") @ 3]
    rng = np.random.default_rng(7)
    for seed in range(2):
        run, qrels = experiment(rng, samples=samples)
        rows = qrels[qrels["iteration"] != "-"]
        annotated = set(zip(rows["qid"], rows["docno"], strict=True))
        drawn = {str(b): permuted(run, annotated, "A", b, seed) for b in range(draws)}
        averages, _ = evaluate({"A": run, **drawn}, qrels, measures)
        found = against_random({"A": run}, qrels, measures, draws=draws, seed=seed)
        for measure, row in zip(measures, found.itertuples(), strict=True):
            values = averages[str(measure)]
            means = values[1:].to_numpy()
            assert row.value == pytest.approx(values[0], abs=1e-12)
            assert row.random == pytest.approx(means.mean(), abs=1e-12)
            assert row.sd == pytest.approx(means.std(ddof=1), abs=1e-12)
            fairness = -np.abs(means) if measure.IDEAL == 0 else means
            own = -abs(values[0]) if measure.IDEAL == 0 else values[0]
            assert row.fairer == pytest.approx(np.mean(fairness > own + 1e-11)
                                               + np.mean(np.abs(fairness - own) < 1e-11) / 2)
            low, high = (means <= values[0] + 1e-11).sum(), (means >= values[0] - 1e-11).sum()
            assert row.p == pytest.approx(min(1, 2 * min(1 + low, 1 + high) / (1 + draws)))
            missing = undefined(qrels, measure)
            assert row.n == qrels["qid"].nunique() - len(missing)


def test_draws_depend_on_names_alone(monkeypatch):
    run, qrels = experiment(np.random.default_rng(3))
    other, _ = experiment(np.random.default_rng(4))
    alone = against_random({"A": run}, qrels, [rKL @ 3], draws=9)
    both = against_random({"B": other, "A": run.sample(frac=1, random_state=1)},
                          qrels.sample(frac=1, random_state=2), [AWRF @ 2, rKL @ 3], draws=9)
    row = both[(both["name"] == "A") & (both["measure"] == "rKL@3")].reset_index(drop=True)
    pd.testing.assert_frame_equal(row, alone)
    monkeypatch.setattr("pt_fairness.analysis.simulation.DOCUMENTS", 100)
    in_parts = against_random({"A": run}, qrels, [rKL @ 3], draws=9)
    pd.testing.assert_frame_equal(in_parts, alone)


@pytest.mark.parametrize("samples", [1, 2])
@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
def test_depth_cuts_the_runs_first(samples):
    run, qrels = experiment(np.random.default_rng(8), samples=samples)
    lists = ["qid", "iteration"][:samples]
    cut = run.sort_values("score", ascending=False).groupby(lists).head(3)
    pd.testing.assert_frame_equal(against_random({"A": run}, qrels, [nDD @ 2], depth=3, draws=20),
                                  against_random({"A": cut}, qrels, [nDD @ 2], draws=20))


def test_groups_of_several_sources(registered_groups):
    """GFR moves the documents that have a group in any of its sources, for all of them at once."""
    run, qrels = experiment(np.random.default_rng(9))
    registered_groups("one", groups.from_mapping({"d1": "x", "d2": "y", "d3": "x"}))
    registered_groups("two", groups.from_mapping({"d3": "u", "d4": "v", "d5": "u"}))
    measure = GFR(attributes={"one": "jsd", "two": "jsd"}) @ 4
    annotated = {(qid, f"d{d}") for qid in set(run["qid"]) for d in range(1, 6)}
    drawn = {str(b): permuted(run, annotated, "A", b, 0) for b in range(6)}
    averages, _ = evaluate({"A": run, **drawn}, qrels, [measure])
    row = against_random({"A": run}, qrels, [measure], draws=6).iloc[0]
    value, *random = averages[str(measure)]
    assert (row["value"], row["random"]) == pytest.approx((value, np.mean(random)), abs=1e-12)


@pytest.mark.parametrize(("measure", "options", "message"), [
    (nDCG @ 5, {}, "measures must .* got nDCG@5"),
    (EEL @ 3, {}, "measures must"),
    (rKL @ 3, {"depth": 0}, "depth must be"),
    (rKL @ 3, {"draws": 0}, "draws must be")])
def test_bad_input(measure, options, message):
    run, qrels = experiment(np.random.default_rng(2))
    with pytest.raises(ValueError, match=message):
        against_random({"A": run}, qrels, measure, **options)


def test_the_fairest_possible_rankings():
    run, qrels = experiment(np.random.default_rng(12))
    found = against_random({"A": run}, qrels, [rKL @ 3, rKL(norm="range") @ 3, AWRF], draws=5)
    assert found["fairest"].round(6).tolist()[1] == 0 and np.isnan(found["fairest"][2])
    frames = [explain(rKL @ 3, run, qrels, qid).frame for qid in qrels["qid"].unique()]
    own = [np.nan_to_num(frame["fairest"])[0] for frame in frames]
    assert found["fairest"][0] == pytest.approx(np.mean(own), abs=1e-12)
    assert found["fairest"][0] <= found["value"][0]
