"""Errors before the first system retrieves, and warnings once, in ``pt.Experiment``."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import alpha_nDCG, nDCG

from pt_fairness import AWRF, FairnessWarning, RaB, groups, rKL, with_groups

SYSTEMS = 9


@pytest.fixture
def qrels() -> pd.DataFrame:
    """Four topics of six documents; topic 2 has no groups."""
    rows = [(str(q), f"d{i}", int(i < 3), "-" if q == 2 else "CON" if i % 3 else "PRO")
            for q in range(4) for i in range(6)]
    return pd.DataFrame(rows, columns=["qid", "docno", "label", "iteration"])


@pytest.fixture
def topics(qrels) -> pd.DataFrame:
    return pd.DataFrame({"qid": qrels["qid"].unique(), "query": "x"})


@pytest.fixture
def runs(qrels) -> list[pd.DataFrame]:
    """Runs that return the judged documents, and one more document for the first k topics."""
    found = []
    for seed in range(SYSTEMS):
        rng = np.random.default_rng(seed)
        more = pd.DataFrame({"qid": [str(q) for q in range(seed % 4)], "docno": "new"})
        run = pd.concat([qrels[["qid", "docno"]], more], ignore_index=True)
        found.append(run.assign(score=rng.random(len(run)), rank=0))
    return found


OPINIONS = groups.from_mapping({"d1": "PRO", "d2": "CON"}, name="opinions")

#: Options of pt.Experiment; PyTerrier 1.0 has no plans.
PLANS: list[dict[str, str]] = [{}]
if "plan" in inspect.signature(pt.Experiment).parameters:
    PLANS.append({"plan": "tree"})


class TestErrors:
    @pytest.mark.parametrize(
        "measure, says",
        [
            (lambda: rKL(groups="no-such") @ 3, "no groups are registered as 'no-such'"),
            (lambda: rKL(target="no-such") @ 3, "target takes 'qrels', 'collection'"),
            (lambda: rKL(groups=OPINIONS, protected="NO") @ 3, "protected='NO' names no group"),
            (lambda: RaB(values="no-such") @ 3, "no values are registered as 'no-such'")],
    )
    @pytest.mark.parametrize("options", PLANS)
    def test_before_the_first_system_retrieves(self, qrels, topics, runs, measure, says, options):
        calls = []

        def retrieve(queries: pd.DataFrame) -> pd.DataFrame:
            if len(queries):  # PyTerrier inspects the columns with an empty frame
                calls.append(len(queries))
            return runs[0]

        with warnings.catch_warnings(), pytest.raises(ValueError, match=says):
            warnings.simplefilter("ignore")
            pt.Experiment([pt.apply.generic(retrieve)], topics, qrels, [nDCG @ 3, measure()],
                          **options)
        assert calls == []


class TestWarnings:
    @pytest.fixture
    def messages(self, qrels, topics, runs):
        """``messages(measures, option=…)``: the warnings of this package, whatever the filters."""
        def call(measures, **options):
            with warnings.catch_warnings(record=True) as told:
                warnings.simplefilter("always")
                pt.Experiment(runs, topics, qrels, measures, **options)
            return [str(one.message) for one in told if one.category is FairnessWarning]
        return call

    @pytest.mark.parametrize("options", PLANS)
    def test_once_for_each_cause_of_nine_systems(self, messages, options):
        (message,) = messages([rKL @ 3, AWRF @ 3, nDCG @ 3], **options)
        assert message.startswith("topics with nothing to compare with have the value 0.0")
        assert "rKL@3 on 1 of 4 topics ('2')" in message
        assert messages([rKL @ 3, AWRF @ 3, nDCG @ 3], **options) == [], "the same line"
        (other,) = messages([rKL @ 2], **options)
        assert "rKL@2 on 1 of 4 topics ('2')" in other

    def test_counts_that_differ_between_systems(self, messages):
        seen = groups.from_mapping({"d0": "PRO", "d1": "CON", "new": "NEW"}, name="seen")
        bare = groups.from_pattern("(new|d0|d1)")
        told = messages(with_groups([rKL(protected="all") @ 3], bare))
        assert len(told) == 1 and "ranked documents have groups that no judged document" in told[0]
        assert messages(with_groups([rKL(protected="all") @ 3], seen)) == []

    def test_of_alpha_ndcg(self):
        with pytest.warns(FairnessWarning, match=r"alpha_nDCG@5 cannot take groups from"):
            assert with_groups([alpha_nDCG @ 5], OPINIONS) == [alpha_nDCG @ 5]
