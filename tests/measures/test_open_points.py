"""What the measures do where papers are silent, as their docstrings say."""

from __future__ import annotations

import math

import ir_measures
import pytest

from pt_fairness import ARP, GF, NDKL, groups, rND


def test_what_the_docstrings_say_where_papers_are_silent(values):
    """The minority, ``max_rel`` below ``rel``, nothing returned by NDKL, the groups of ARP."""
    # A is smaller by label, and larger by weight.
    weights = {"d0": {"A": 9.0, "B": 1.0}, "d1": {"A": 9.0, "B": 1.0}, "d2": {"B": 1.0}}
    qrels = [ir_measures.Qrel("1", docno, 2, "-") for docno in weights]
    run = [ir_measures.ScoredDoc("1", docno, -i) for i, docno in enumerate(weights)]
    by_label = groups.from_mapping({docno: [*some] for docno, some in weights.items()})
    by_weight = groups.from_mapping(weights)
    found = values([rND(groups=source, protected=side) for source in (by_label, by_weight)
                    for side in ("minority", "A", "B")], qrels, run)
    for source, minority, other in ((by_label, "A", "B"), (by_weight, "B", "A")):
        value, *named = (found[rND(groups=source, protected=side), "1"]
                         for side in ("minority", minority, other))
        assert value == named[0]
    uniform = {"A": 0.5, "B": 0.5}
    below, binary = (GF(groups=by_label, target=uniform, **params) for params in
                     ({"rel": 2, "max_rel": 1}, {"rel": 2, "max_rel": 2, "gains": "binary"}))
    found = values([below, binary], qrels, run)
    assert found[below, "1"] == found[binary, "1"] > 0
    nothing = NDKL(groups=by_label, target="run") @ 5
    assert values([nothing], qrels, run[:0])[nothing, "1"] == pytest.approx(math.log(1000))
    qrels = [ir_measures.Qrel("1", f"{label}{i}", int(label != "C"), label)
             for label in "ABC" for i in range(2)]
    run = [ir_measures.ScoredDoc("1", docno, -i)
           for i, docno in enumerate(["C0", "A0", "B0", "B1", "A1"])]
    assert values([ARP], qrels, run)[ARP, "1"] == 0.0  # C wins all of its pairs, and does not count
