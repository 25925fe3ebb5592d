"""Explanations of measures of the judged documents alone."""

from __future__ import annotations

import pytest

from pt_fairness import explain, groups


@pytest.mark.parametrize("source", [None, {"c": "x", "a": "y"}], ids=["qrels", "source"])
def test_of_the_judged_documents_alone(worked, source):
    """The first judged documents count, also with groups that have a source."""
    case = worked
    case.qrels = [("1", "b", 1, "PRO"), ("1", "d", 2, "CON")]
    given = None if source is None else groups.from_mapping(source)
    frame = explain("nDCG(judged_only=True)@2", case.run_frame, case.qrels_frame, "1",
                    groups=given)
    assert frame["docno"].tolist() == ["c", "a", "d", "b"]
    assert frame["counts"].tolist() == [False, False, True, True]
    assert frame["contribution"].sum() == pytest.approx(frame.attrs["value"]) == 1.0
