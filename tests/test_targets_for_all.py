"""Targets for all topics, and mixtures with the relevant documents."""

from __future__ import annotations

import math

import ir_measures
import pandas as pd
import pytest
from target_cases import QRELS, per_topic

from pt_fairness import AWRF, NDKL, DistKL, FairnessWarning, MinSkew, RepBias, rND, targets

pytestmark = pytest.mark.usefixtures("forget_targets")
HALVES = pd.DataFrame({"group": ["female", "male"], "share": [0.25, 0.75]})


def test_one_target_for_all_topics():
    targets.register("all", HALVES)
    targets.register("each", pd.concat([HALVES.assign(qid=qid) for qid in "12"]))
    pd.testing.assert_frame_equal(targets.get("all"), HALVES, check_dtype=False)
    for measure in (AWRF, NDKL, DistKL, rND(protected="female"), RepBias(group="male")):
        assert per_topic(measure(target="all") @ 2) == per_topic(measure(target="each") @ 2)


@pytest.mark.parametrize("of_qrels", [0.0, 0.5, 0.9])
def test_a_mixture_with_the_relevant_documents(of_qrels):
    # One of topic 2's four relevant documents is a woman's; a document without a group and one that
    # is not relevant do not count.
    qrels = [ir_measures.Qrel("2", docno, relevance, gender) for docno, relevance, gender in (
        ("a", 1, "female"), ("b", 1, "male"), ("c", 1, "male"), ("e", 1, "male"), ("f", 1, "-"),
        ("g", 0, "female"))]
    background = pd.DataFrame({"group": ["female", "male"], "share": [0.5, 0.5]})
    targets.register("mixed", background, of_qrels=of_qrels)
    female = of_qrels * 0.25 + (1 - of_qrels) * 0.5
    explicit = {"female": female, "male": 1 - female}
    for measure in (AWRF, NDKL, DistKL, MinSkew, rND(protected="female"), RepBias(group="male")):
        mixed, same = (list(ir_measures.iter_calc([measure(target=target) @ 2], qrels, [
            ir_measures.ScoredDoc("2", docno, -float(i)) for i, docno in enumerate("cab")]))
            for target in ("mixed", explicit))
        assert [one.value for one in mixed] == pytest.approx([one.value for one in same])


def test_a_mixture_is_empty_where_no_relevant_document_has_a_group():
    targets.register("mixed", HALVES, of_qrels=0.5)
    qrels = [*QRELS[:2], ir_measures.Qrel("2", "a", 1, "-")]
    with pytest.warns(FairnessWarning, match="nothing to compare with"):
        mixed = per_topic(NDKL(target="mixed") @ 2, qrels=qrels)
    with pytest.warns(FairnessWarning, match="nothing to compare with"):
        assert mixed[1] == per_topic(NDKL(target="qrels") @ 2, qrels=qrels)[1]


@pytest.mark.parametrize("share", [-0.1, 1, 1.5, math.nan])
def test_the_share_of_the_relevant_documents_is_checked(share):
    with pytest.raises(ValueError, match="of_qrels must be at least 0 and below 1"):
        targets.register("wrong", HALVES, of_qrels=share)
