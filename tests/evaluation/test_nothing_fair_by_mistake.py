"""Undefined measures, sources of other documents, wrong labels, and one against several."""

import numpy as np
import pandas as pd
import pytest
from evaluation.common import PROCESSES, evaluate_quietly
from ir_measures import nDCG

from pt_fairness import AWRF, FairnessWarning, evaluate, groups, rKL, rND

#: Groups of unjudged documents alone, so that rND is undefined for every topic.
FEW = groups.from_mapping({"x": "PRO", "y": "CON"}, name="few")
#: Groups of documents that neither the qrels nor the runs have.
WRONG = groups.from_mapping({"doc-a": "PRO", "doc-b": "CON"}, name="wrong")
TOPICS = ("1", "2", "3")


@pytest.fixture
def qrels():
    return pd.DataFrame([(qid, docno, 1, group) for qid in TOPICS for docno, group in
                         (("a", "FT"), ("b", "FBIS"), ("c", "FR"))],
                        columns=["qid", "docno", "label", "iteration"])


@pytest.fixture
def runs():
    """Runs in which the unjudged document x or y is first."""
    orders = {"one": "xaby", "two": "yabx", "three": "xbay"}
    return {name: pd.DataFrame({"qid": np.repeat(TOPICS, 4), "docno": [*order] * 3,
                                "score": [4.0, 3.0, 2.0, 1.0] * 3})
            for name, order in orders.items()}


MEASURES = [nDCG @ 4, rND(groups=FEW) @ 2, AWRF(groups=FEW) @ 1]
NAME = "rND(groups='few')@2"
REASON = ("3 of 3 topics (no relevant document, such as 'a', has a group in "
          "Groups('few', ['CON', 'PRO']))")


class TestUndefinedEverywhere:
    def test_it_has_no_average_and_no_test(self, runs, qrels):
        result = evaluate_quietly(runs, qrels, MEASURES, baseline=0)
        averages, perquery = result
        columns = averages.columns[averages.columns.str.startswith(NAME)]
        values = averages[columns].drop(columns=f"{NAME} reject")
        assert values.isna().all(axis=None) and len(columns) == 6
        assert not averages[f"{NAME} reject"].any()
        assert averages["nDCG@4"].notna().all() and averages["nDCG@4 +"].notna().sum() == 2
        assert result.facts.never_defined == {NAME: REASON}
        assert perquery.loc[perquery["measure"] == NAME, "value"].isna().all()
        notes = result.table(labels={NAME: "Unfairness"}).notes
        assert any("Unfairness" in note and REASON in note for note in notes)

    def test_one_group_of_relevant_documents_is_a_group(self, runs, qrels):
        one = groups.from_mapping({"a": "CON", "y": "PRO"}, name="one")
        measure = rND(groups=one) @ 2
        (reason,) = evaluate_quietly(runs, qrels, [measure]).facts.never_defined.values()
        assert "no relevant" not in reason


class TestUnknownSource:
    SAYS = (r"no judged document, such as 'a', and no document of the run, such as 'x', has a "
            r"group in Groups\('wrong', \['CON', 'PRO'\]\); check that the ids match")

    @pytest.mark.parametrize("n_jobs", PROCESSES)
    def test_evaluate(self, runs, qrels, n_jobs):
        runs = {"of other topics": runs["one"].assign(qid="9"), **runs}
        with pytest.raises(ValueError, match=self.SAYS):
            evaluate_quietly(runs, qrels, [rND @ 2], groups=WRONG, n_jobs=n_jobs)

    def test_one_run_that_it_knows_is_enough(self, runs, qrels):
        runs["four"] = pd.DataFrame({"qid": "1", "docno": ["doc-a"], "score": 1.0})
        averages, _ = evaluate_quietly(runs, qrels, [rND @ 2, AWRF @ 2], groups=WRONG)
        assert averages["rND@2"].isna().all() and averages["AWRF@2"].notna().all()


class TestOneAgainstSeveral:
    def test_one_warning_and_the_note(self, runs, qrels):
        with pytest.warns(FairnessWarning, match="protected.*rKL@2, rND@2"):
            result = evaluate(runs, qrels, [rKL @ 2, rND @ 2], progress=False)
        assert result.facts.several == {"rKL@2": 3, "rND@2": 3}

    @pytest.mark.filterwarnings("error::pt_fairness.FairnessWarning")
    def test_a_choice_is_no_reason_to_warn(self, runs, qrels):
        chosen = [rKL(protected=name) @ 2 for name in ("minority", "all", "FT")]
        assert evaluate(runs, qrels, [*chosen, AWRF @ 2], progress=False).facts.several == {}
