"""fair_exposure, against a linear programme with a variable for each document and rank."""

import numpy as np
import pandas as pd
import pytest
from rerank_cases import WORKED, frame_of, groups_of, order, random_topics, results
from slow_versions import fair_policy as slow
from slow_versions import sampling
from slow_versions.rerank import Topic, rerank

from pt_fairness import rerank as rerankers
from pt_fairness.core import arrays
from pt_fairness.rerank.policies import fair_policy


def expected(policy, r, shares, weights):
    """The expected utility, and the expected exposure of each group."""
    rankings, probabilities = policy
    return (
        float(probabilities @ (r[rankings] @ weights)),
        np.einsum("png,n,p->g", shares[rankings], weights, probabilities))


def weights_of(n, k, name="log2"):
    weights = arrays.discount(name, n)
    weights[k:] = 0.0
    return weights


def random_case(rng, soft):
    n, groups = int(rng.integers(2, 8)), int(rng.integers(2, 5))
    r = np.sort(rng.integers(0, 9, n))[::-1] / 8
    member = np.eye(groups)[rng.integers(0, groups, n)]
    if soft:
        member = np.maximum(member, rng.integers(0, 2, (n, groups)))
    shares = member / member.sum(axis=1, keepdims=True)
    shares = shares[:, shares.any(axis=0)]
    target = rng.integers(1, 5, shares.shape[1])
    k = int(rng.integers(1, n + 1))
    name = str(rng.choice(["log2", "trec", "geometric"]))
    return r, shares, target / target.sum(), weights_of(n, k, name)


class TestFairPolicy:
    @pytest.mark.parametrize("soft", [False, True])
    def test_slow_version_and_properties(self, soft):
        rng = np.random.default_rng(0)
        reached = 0
        for _ in range(50):
            r, shares, target, weights = random_case(rng, soft)
            rankings, probabilities = fair_policy(r, shares, target, weights)
            gap, utility = slow.optimum(
                r.tolist(), shares.tolist(), target.tolist(), weights.tolist())
            found, exposures = expected((rankings, probabilities), r, shares, weights)
            assert abs(exposures - target * weights.sum()).sum() == pytest.approx(gap, abs=1e-7)
            assert found == pytest.approx(utility, abs=1e-6)
            reached += gap < 1e-7
            n, k = len(r), np.count_nonzero(weights)
            assert (np.sort(rankings, axis=1) == np.arange(n)).all()
            assert (np.diff(rankings[:, k:], axis=1) > 0).all()
            assert len(np.unique(rankings, axis=0)) == len(rankings) <= shares.shape[1]
            assert probabilities.sum() == pytest.approx(1) and (probabilities > 0).all()
            assert (np.diff(probabilities) <= 1e-9).all() and found <= r @ weights + 1e-9
        assert 10 < reached < 50

    def test_the_job_seekers_of_the_paper(self):
        # Figure 3: DCG with natural logarithms is 3.8193 in the unfair order. Its mix of two
        # orders, with 3.8132 and 3.7929, is another optimum.
        u = np.array([0.82, 0.81, 0.80, 0.79, 0.78, 0.77])
        shares = np.eye(2)[[0, 0, 0, 1, 1, 1]]
        weights = weights_of(6, 6) / np.log(2)
        policy = fair_policy(u, shares, np.array([0.5, 0.5]), weights)
        utility, exposures = expected(policy, u, shares, weights)
        assert u @ weights == pytest.approx(3.8193, abs=1e-4)
        assert utility == pytest.approx((3.8132 + 3.7929) / 2, abs=1e-4)
        assert exposures == pytest.approx([weights.sum() / 2] * 2)

WEIGHTS = 1 / np.log2(np.arange(2, 100))


def rankings_of(policy):
    """The documents of each ranking of one topic, and the probabilities."""
    by = policy.groupby("ranking", sort=False)
    return by["docno"].agg(" ".join).tolist(), by["probability"].first().tolist()


@pytest.mark.parametrize("k, orders, probabilities, utility", [
    (None, ["e a u b f c g d", "e a u f b g c d"], [0.678740, 0.321260], 1.971650),
    (3, ["e a u b c d f g", "e a u f b c d g"], [0.869070, 0.130930], 1.394331)])
def test_worked_values(k, orders, probabilities, utility):
    found = rankings_of(rerankers.fair_exposure(k=k).policy(results(WORKED)))
    assert found[0] == orders and found[1] == pytest.approx(probabilities, abs=1e-6)
    r = dict(zip("abcdefg", [1, 0.875, 0.75, 0.625, 0.375, 0.125, 0], strict=True))
    gained = [sum(w * r[d] for w, d in zip(WEIGHTS[:k], one.replace("u ", "").split(),
                                           strict=False)) for one in orders]
    assert np.dot(found[1], gained) == pytest.approx(utility, abs=1e-6)


def wanted_shares(target, r, shares, groups):
    if isinstance(target, dict):
        found = np.array([target.get(g, 0.0) for g in groups])
    else:
        found = {"uniform": np.ones(len(groups)), "run": shares.sum(axis=0),
                 "score": r @ shares}[target]
    return found / found.sum()


@pytest.mark.filterwarnings("error:Constructing a DataFrame")  # from lists of several lengths
def test_the_columns_of_a_policy():
    frame = pd.concat([results(WORKED, "2"), results([("x", 1.0, None)], "1"),
                       results(WORKED[:3], "3")])
    found = rerankers.fair_exposure().policy(frame)
    assert [*found] == ["qid", "docno", "ranking", "probability"]
    assert found["qid"].drop_duplicates().tolist() == ["2", "1", "3"]
    assert found.groupby("qid")["ranking"].nunique().to_dict() == {"1": 1, "2": 2, "3": 1}
    assert found[found["qid"] != "2"]["probability"].eq(1.0).all()
    first = found[found["ranking"] == 0].drop(columns=["ranking", "probability"])
    pd.testing.assert_frame_equal(
        first.reset_index(drop=True), rerankers.fair_exposure()(frame)[["qid", "docno"]])


class TestExposure:
    @pytest.mark.parametrize("target", ["uniform", "run", "score", {"g0": 0.7, "g1": 0.3}])
    @pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
    def test_utility_and_shares_of_random_topics(self, target):
        topics = random_topics(31, 15, labels=3, several=True, soft=True, longest=7)
        policy = rerankers.fair_exposure(groups_of(topics), target, k=4, discount="geometric",
                                         p=0.6).policy(frame_of(topics))
        checked = 0
        for qid, documents in topics.items():
            old = {d.docno: d for d in documents}
            c = [old[docno] for docno in rerank(documents, "none", {}) if old[docno].groups]
            groups = sorted({g for d in c for g in d.groups})
            if len(groups) < 2 or (isinstance(target, dict) and not {"g0", "g1"} & {*groups}):
                continue
            r = Topic(c, groups, {}, len(c)).r()
            shares = np.array([[d.m.get(g, 0.0) for g in groups] for d in c])
            wanted = wanted_shares(target, r, shares, groups)
            weights = np.array([0.6**i if i < 4 else 0.0 for i in range(len(c))])
            gap, utility = slow.optimum(r, shares.tolist(), wanted.tolist(), weights.tolist())
            place = {d.docno: i for i, d in enumerate(c)}
            exposure = np.zeros(len(c))
            for _, one in policy[policy["qid"] == qid].groupby("ranking"):
                order_ = [place[docno] for docno in one["docno"] if docno in place]
                exposure[order_] += one["probability"].iloc[0] * weights
            assert r @ exposure == pytest.approx(utility, abs=1e-6)
            assert abs(exposure @ shares - wanted * weights.sum()).sum() == pytest.approx(
                gap, abs=1e-6)
            checked += 1
        assert checked > 4

def test_draws_by_cumulated_probability():
    frame = results(WORKED)
    policy = rerankers.fair_exposure(seed=9)
    orders, probabilities = rankings_of(policy.policy(frame))
    chosen = [int(sampling.uniforms(9, "1", i, 1)[0] >= probabilities[0]) for i in range(12)]
    for n in (1, 12):
        assert [order(one(frame)) for one in policy.draws(n)] == [orders[i] for i in chosen[:n]]
    assert 0 < sum(chosen) < 12
