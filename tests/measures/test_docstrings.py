"""What ``help`` and ``inspect.signature`` say of a measure."""

from __future__ import annotations

import inspect
import math
import pickle
import pydoc

import ir_measures
import pytest

from pt_fairness import ARP, GF, NDKL, RaB, RepBias, groups, rKL, rND
from pt_fairness.measures import MEASURES


@pytest.mark.parametrize("name", MEASURES)
def test_the_signature_has_the_parameters(name):
    measure = MEASURES[name]
    parameters = inspect.signature(measure).parameters
    assert list(parameters) == list(measure.SUPPORTED_PARAMS)
    for parameter in parameters.values():
        param = measure.SUPPORTED_PARAMS[parameter.name]
        if parameter.default is inspect.Parameter.empty:
            assert param.required
        elif parameter.default is not None:
            assert parameter.default == param.default


def test_signatures_as_text():
    assert str(inspect.signature(rKL)).startswith(
        "(*, cutoff: 'int' = None, rel: 'int' = 1, protected: 'str' = 'minority', ")
    assert inspect.signature(rKL(rel=2) @ 5).parameters["rel"].default == 2
    values = inspect.signature(RaB).parameters["values"]
    assert values.default is inspect.Parameter.empty and values.annotation == "str | dict"
    assert "params" in inspect.signature(type(rKL)).parameters


@pytest.mark.parametrize("measure", [rKL, RepBias])
def test_help_shows_parameters_and_no_internals(measure):
    text = pydoc.plain(pydoc.render_doc(measure))
    for name, param in measure.SUPPORTED_PARAMS.items():
        assert f"{name}: {param.desc.split(':')[0][:20]}" in text
    assert "Formula" in text and "(default 'qrels')" in text
    for internal in ("SUPPORTED_PARAMS", "iter_calc", "__init__", "Methods", "score("):
        assert internal not in text


def test_the_docstring_is_that_of_the_registered_object_only():
    copy = pickle.loads(pickle.dumps(rKL @ 5))
    assert copy == rKL @ 5 and copy.__doc__ == type(rKL).__doc__
    assert "\nstep: evaluate every step-th rank (default 1)\n" in rKL.__doc__


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
    assert values([nothing], qrels, run[:0])[nothing, "1"] == pytest.approx(-math.log2(0.001))
    qrels = [ir_measures.Qrel("1", f"{label}{i}", int(label != "C"), label)
             for label in "ABC" for i in range(2)]
    run = [ir_measures.ScoredDoc("1", docno, -i)
           for i, docno in enumerate(["C0", "A0", "B0", "B1", "A1"])]
    assert values([ARP], qrels, run)[ARP, "1"] == 0.0  # C wins all of its pairs, and does not count
