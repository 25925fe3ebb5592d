"""fair_exposure: worked values, shares of the exposure, draws."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from rerank_cases import WORKED, frame_of, groups_of, order, random_topics, results
from slow_versions import fair_policy as slow
from slow_versions import sampling
from slow_versions.rerank import Topic, rerank

from pt_fairness import rerank as rerankers
from pt_fairness.core import arrays

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

    def test_the_discount_of_awrf(self):
        for name, parameter in (("trec", {}), ("geometric", {"p": 0.5})):
            policy = rerankers.fair_exposure(discount=name, k=5, **parameter)
            orders, probabilities = rankings_of(policy.policy(results(WORKED)))
            weights = arrays.discount(name, 5, **parameter)
            exposure = sum(
                p * weights @ [d in "efg" for d in one.replace("u ", "").split()[:5]]
                for one, p in zip(orders, probabilities, strict=True))
            assert exposure == pytest.approx(weights.sum() / 2)


def test_draws_by_cumulated_probability():
    frame = results(WORKED)
    policy = rerankers.fair_exposure(seed=9)
    orders, probabilities = rankings_of(policy.policy(frame))
    chosen = [int(sampling.uniforms(9, "1", i, 1)[0] >= probabilities[0]) for i in range(12)]
    assert [order(one(frame)) for one in policy.draws(12)] == [orders[i] for i in chosen]
    assert 0 < sum(chosen) < 12
