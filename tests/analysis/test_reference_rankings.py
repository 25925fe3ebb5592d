import numpy as np
import pandas as pd
import pytest
from slow_versions import references as slow

from pt_fairness import groups, reference_rankings

POOL = [("a1", "A"), ("a2", "A"), ("a3", "A"), ("a4", "A"), ("b1", "B"), ("b2", "B"), ("c1", "C")]


def run_of(docnos, qid="1"):
    return pd.DataFrame({"qid": qid, "docno": list(docnos),
                         "score": np.arange(len(docnos), 0, -1.0)})


def order(frame, qid="1"):
    frame = frame[frame["qid"] == qid].sort_values("score", ascending=False)
    return " ".join(frame["docno"])


@pytest.fixture
def several():
    """The pool of the worked example, a document of two groups among them."""
    rows = [*POOL, ("x1", "A"), ("x1", "B")]
    return pd.DataFrame({"qid": "1", "docno": [docno for docno, _ in rows], "label": 1,
                         "iteration": [group for _, group in rows]})


def test_worked_values(several):
    pool = ["a1", "a2", "a3", "a4", "b1", "b2", "x1", "c1"]
    runs = reference_rankings(several, run_of(pool))
    assert order(runs["proportional"]) == "a1 b1 a2 c1 a3 b2 a4 x1"
    assert order(runs["largest-group-first"]) == "a1 a2 a3 a4 b1 b2 x1 c1"
    assert order(runs["smallest-group-first"]) == "x1 c1 b1 b2 a1 a2 a3 a4"


def random_qrels(rng, topics=3):
    rows = [(f"t{t}", f"d{d}", int(rng.integers(0, 4)), str(group))
            for t in range(topics) for d in range(rng.integers(0, 12))
            for group in rng.choice(["A", "B", "C", "-"], rng.integers(1, 3), replace=False)]
    frame = pd.DataFrame(rows or [("t0", "d0", 1, "A")],
                         columns=["qid", "docno", "label", "iteration"])
    frame["label"] = frame.groupby(["qid", "docno"])["label"].transform("max")
    return frame.sample(frac=1, random_state=int(rng.integers(1 << 30)))


def judged_of(qrels, qid, weights):
    judged = []
    for docno, rows in qrels[qrels["qid"] == qid].groupby("docno"):
        names = sorted(set(rows["iteration"]) - {"-"})
        shares = {name: weights.get((docno, name), 1.0) for name in names}
        total = sum(shares.values())
        judged.append((docno, rows["label"].max(), {g: w / total for g, w in shares.items()}))
    return judged


@pytest.mark.parametrize("weighted", [False, True])
def test_agrees_with_the_slow_version(weighted):
    rng = np.random.default_rng(0)
    for seed in range(8):
        qrels, weights, source = random_qrels(rng), {}, None
        if not (qrels["iteration"] != "-").any():
            continue
        if weighted:
            named = qrels[qrels["iteration"] != "-"].drop_duplicates(["docno", "iteration"])
            weights = {pair: float(rng.integers(1, 5))
                       for pair in named[["docno", "iteration"]].itertuples(index=False)}
            frame = pd.DataFrame([(q, d, g, weights[d, g]) for q, d, g in
                                  qrels[qrels["iteration"] != "-"]
                                  [["qid", "docno", "iteration"]].itertuples(index=False)],
                                 columns=["qid", "docno", "group", "weight"])
            source = groups.from_frame(frame.drop_duplicates())
        runs = reference_rankings(qrels, groups=source, draws=3, seed=seed)
        for qid in qrels["qid"].unique():
            pool = slow.pool_of(judged_of(qrels, qid, weights))
            for kind in slow.KINDS:
                assert order(runs[kind], qid) == " ".join(slow.reference(pool, kind)), (seed, kind)
            for sample in range(3):
                drawn = runs["random"][runs["random"]["iteration"] == sample]
                assert order(drawn, qid) == " ".join(slow.random_order(pool, qid, sample, seed))


def test_depth_cuts_the_lists(several):
    whole, cut = reference_rankings(several, draws=2), reference_rankings(several, depth=3, draws=2)
    for kind, run in cut.items():
        assert set(run["rank"]) == {0, 1, 2}
        expected = whole[kind].query("rank < 3").set_index(run.index)
        pd.testing.assert_frame_equal(run, expected)


def test_unannotated_and_irrelevant_documents_are_left_out():
    qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b", "c"], "label": [1, 0, 1],
                          "iteration": ["A", "A", "-"]})
    assert order(reference_rankings(qrels)["proportional"]) == "a"
    assert order(reference_rankings(qrels, rel=0)["proportional"]) == "a b"
    run = run_of(["x", "c", "b", "a"])
    assert order(reference_rankings(qrels, run)["proportional"]) == "b a"


def test_a_topic_with_an_empty_pool_has_no_rows():
    qrels = pd.DataFrame({"qid": ["1", "2"], "docno": "a", "label": [1, 0], "iteration": "A"})
    assert set(reference_rankings(qrels, draws=1)["random"]["qid"]) == {"1"}
    none = reference_rankings(qrels, rel=2, draws=2)
    assert all(list(run.columns[:3]) == ["qid", "docno", "score"] and run.empty
               for run in none.values())


@pytest.mark.parametrize(("arguments", "message"), [
    ({"kinds": ["random", "best"]}, "kinds must"),
    ({"depth": 0}, "depth must be"), ({"draws": 0}, "draws must be"),
    ({"qrels": pd.DataFrame({"qid": "1", "docno": ["a1"], "label": 1, "iteration": "0"})},
     "the qrels must have groups"),
    ({"run": pd.concat([run_of(["a1", "b1"]).assign(iteration=i) for i in range(2)])},
     "several rankings of a topic"),
    ({"topics": ["1"]}, "topics must be None")])
def test_bad_input(several, arguments, message):
    with pytest.raises(ValueError, match=message):
        reference_rankings(**{"qrels": several, **arguments})
