"""A measure of one's own is one class: declared and registered here, it is everywhere."""

from __future__ import annotations

import ir_measures
import numpy as np
import pandas as pd
import pyterrier as pt
import pyterrier.measures
import pytest
from ir_measures import nDCG

import pt_fairness
from pt_fairness import cli, provider
from pt_fairness.measures import MEASURES, FairnessMeasure, params, register


class _FirstOf(FairnessMeasure):
    """
    Whether the first annotated document has a group: 1 if it has, 0 if not. 0 where nothing was
    returned.

    Source: made up.
    """

    __name__ = "FirstOf"
    NAME = __name__
    PRETTY_NAME = "First of a Group"
    SHORT_DESC = "Whether the first annotated document has a group."
    SUPPORTED_PARAMS = {
        "group": params.label("the group", default="PRO"), "cutoff": params.cutoff(),
        "groups": params.groups()}
    IDEAL = 1.0
    DEFAULT = 0.0

    def score(self, view):
        codes, n = view.condensed(1)
        if not codes.size:
            return np.zeros(len(view))
        return view.member[codes[:, 0], view.labels.index(self.param("group"))] * (n > 0.0)


@pytest.fixture
def first_of():
    measure = register(_FirstOf(), aliases=["First"])
    yield measure
    for name in ("FirstOf", "First"):
        del ir_measures.measures.registry[name]
        delattr(pyterrier.measures, name)
        delattr(pt_fairness, name)
    del MEASURES["FirstOf"]


QRELS = pd.DataFrame(
    [("1", "a", 1, "PRO"), ("1", "b", 1, "CON"), ("2", "c", 1, "PRO"), ("2", "d", 0, "CON")],
    columns=["qid", "docno", "label", "iteration"])
RUN = pd.DataFrame(
    [("1", "x", 3.0), ("1", "a", 2.0), ("1", "b", 1.0), ("2", "d", 1.0)],
    columns=["qid", "docno", "score"])


def test_it_is_in_the_registries(first_of):
    assert (
        ir_measures.measures.registry["FirstOf"] is ir_measures.measures.registry["First"]
        is first_of)
    assert ir_measures.parse_measure("First(group='CON')@3") == first_of(group="CON") @ 3
    assert pyterrier.measures.FirstOf is pyterrier.measures.First is first_of
    assert pt_fairness.FirstOf is first_of
    assert MEASURES["FirstOf"] is first_of
    assert any(isinstance(measure, _FirstOf) for measure in provider.FAIRNESS.SUPPORTED_MEASURES)
    with pytest.raises(ValueError, match=r"NAME must be new.*'FirstOf'"):
        register(_FirstOf())


def test_it_is_in_an_experiment(first_of):
    topics = pd.DataFrame({"qid": ["1", "2"], "query": ["x", "y"]})
    table = pt.Experiment(
        [pt.Transformer.from_df(RUN)], topics, QRELS,
        [first_of, first_of(group="CON") @ 5, nDCG @ 5], names=["system"])
    assert table["FirstOf"].tolist() == [0.5] and table["FirstOf(group='CON')@5"].tolist() == [0.5]
    assert "nDCG@5" in table


def test_it_is_listed_by_the_command_line(first_of, capsys):
    assert not cli.main(["measures"])
    listing = capsys.readouterr().out
    assert "FirstOf" in listing and "rND" in listing
