"""Policies: random numbers, Plackett–Luce, and several draws."""

import math

import numpy as np
import pandas as pd
import pytest
from pyterrier.testing import transformer_test_class
from rerank_cases import WORKED, frame_of, groups_of, order, random_topics, results
from slow_versions import rerank, sampling

from pt_fairness import rerank as rerankers
from pt_fairness.rerank.policies import plackett_luce_order

ENDLESS = [("a", np.inf, "P"), ("b", 2.0, "C"), ("c", 1.0, "C")]

TestPlackettLuce = pytest.mark.filterwarnings("ignore:You can hide", "ignore:INFO")(
    transformer_test_class(rerankers.plackett_luce))


def test_worked_values():
    assert [order(one(results(WORKED))) for one in rerankers.plackett_luce().draws(3)] == [
        "a b u c d e g f", "a u b c d e f g", "a b d u c e f g"]


@pytest.mark.parametrize("k", [None, 3])
def test_slow_versions(k):
    topics = random_topics(23, 30)
    frame, sample, seed = frame_of(topics), 4, 7
    drawn = rerankers.plackett_luce(k, 0.3, seed, sample)(frame)
    for qid, documents in topics.items():
        docnos = rerank.rerank(documents, "none", {})
        n = len(docnos)
        filled = n if k is None else min(k, n)
        r = rerank.Topic(sorted(documents, key=lambda d: -d.s), [], {}, n).r()
        places = sampling.plackett_luce(r, 0.3, sampling.uniforms(seed, qid, sample, n))
        wanted = places[:filled] + sorted(places[filled:])
        assert drawn[drawn["qid"] == qid]["docno"].tolist() == [docnos[i] for i in wanted]


@pytest.mark.parametrize("policy", [
    rerankers.plackett_luce(temperature=0.5), rerankers.fair_exposure(sample=0)])
def test_a_draw_depends_on_its_topic_alone(policy):
    topics = random_topics(29, 8, annotated=1.0)
    if policy.parameters().get("groups"):
        policy = rerankers.fair_exposure(groups_of(topics), sample=0)
    frame = frame_of(topics)
    whole = policy(frame)
    alone = pd.concat([policy(one) for _, one in frame.groupby("qid", sort=False)])
    pd.testing.assert_frame_equal(whole, alone.reset_index(drop=True))


class TestNothingToDo:
    def test_no_randomness_keeps_the_old_order(self):
        shuffled = results(WORKED).sample(frac=1, random_state=3)
        policy = rerankers.plackett_luce(temperature=0)
        assert all(order(one(shuffled)) == "a b u c d e f g" for one in policy.draws(5))

    def test_infinite_scores(self):
        with pytest.raises(ValueError, match=r"inf .*'a'"):
            rerankers.plackett_luce()(results(ENDLESS))
        assert order(rerankers.plackett_luce(temperature=0)(results(ENDLESS))) == "a b c"
        assert order(rerankers.plackett_luce()(results(ENDLESS[:1]))) == "a"

    @pytest.mark.parametrize("policy", [rerankers.plackett_luce(), rerankers.fair_exposure()])
    def test_empty_results(self, policy):
        nothing = results(WORKED).iloc[:0]
        assert policy(nothing).empty
        several = policy.rankings(nothing, samples=2)
        assert several.empty and {"rank", "iteration"} <= {*several}


class TestSeveralRankings:
    def test_draws_are_transformers_of_one_sample_each(self):
        policy = rerankers.plackett_luce(temperature=0.5, seed=3, sample=8)
        draws = policy.draws(3)
        assert draws == [rerankers.plackett_luce(temperature=0.5, seed=3, sample=i)
                         for i in range(3)]
        assert policy.sample == 8

    @pytest.mark.parametrize("policy", [
        rerankers.plackett_luce(temperature=0.5), rerankers.fair_exposure()])
    def test_rankings_are_the_draws(self, policy):
        frame = pd.concat([results(WORKED), results(WORKED[:4] + WORKED[5:], "2")])
        several = policy.rankings(frame.assign(extra=1), samples=4)
        assert several["iteration"].dtype == np.int64
        for sample, one in enumerate(policy.draws(4)):
            part = several[several["iteration"] == sample].drop(columns="iteration")
            pd.testing.assert_frame_equal(part.reset_index(drop=True), one(frame.assign(extra=1)))

    @pytest.mark.parametrize("samples", [0, -1, 1.5, True, "3", None])
    def test_a_wrong_number_of_samples(self, samples):
        policy = rerankers.plackett_luce()
        with pytest.raises(ValueError, match="samples"):
            policy.draws(samples)
        with pytest.raises(ValueError, match="samples"):
            policy.rankings(results(WORKED), samples)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("temperature", [0.1, 1e-320, math.inf])
def test_extremes_are_in_order(temperature):
    u = np.array([0.5, 1.0, 2.0**-54])
    order = plackett_luce_order(np.array([1.0, 0.5, 0.0]), temperature, u)
    assert sorted(order.tolist()) == [0, 1, 2]
