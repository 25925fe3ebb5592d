"""The comparison of values with published ones."""

from __future__ import annotations

import pandas as pd
import pytest

from pt_fairness import FairnessWarning, rKL

pytestmark = [pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning"), pytest.mark.slow]


def test_a_difference_without_a_reason_is_called_so(script, capsys):
    comparison = script("shared.comparison").module
    table = comparison.beside(
        [
            ("a", 1.0, 1.0, ""),
            ("b", 1.0, 1.1, ""),
            ("c", 1.0, 1.1, "because"),
            ("d", 1.0, float("nan"), ""),
            ("e", (0.0, 1.0), (0.0, 1.2), "")],
        0.01,
    )
    assert table["remark"].tolist() == [
        "same", *["DIFFERS, UNEXPLAINED"], "because", *["DIFFERS, UNEXPLAINED"] * 2]
    assert table["difference"].iloc[4] == "+0.2000"
    assert "note 2: because" in capsys.readouterr().out


def test_a_warning_is_given_once_for_all_runs(script):
    comparison = script("shared.comparison").module
    qrels = pd.DataFrame(
        {"qid": ["1", "1", "2"], "docno": ["a", "b", "a"], "label": 1, "iteration": ["P", "C", "P"]}
    )
    run = qrels[["qid", "docno"]].assign(score=[2.0, 1.0, 1.0])
    with pytest.warns(FairnessWarning, match="nothing to compare") as caught:
        comparison.experiment({"A": run, "B": run, "C": run}, qrels, [rKL @ 5])
    assert len(caught) == 1
