"""What ``help`` and ``inspect.signature`` say of a measure, and the form of its docstring."""

from __future__ import annotations

import doctest
import inspect
import pickle
import pydoc
import re
from dataclasses import replace

import pytest
import slow_versions
from slow_versions.reading import read_topics

import pt_fairness
from pt_fairness import RaB, RepBias, rKL
from pt_fairness.measures import MEASURES, FairnessMeasure
from pt_fairness.measures.example import qrels, run

#: The rows of the topic of the examples, and its groups for GFR.
QRELS = list(qrels[["query_id", "doc_id", "relevance", "iteration"]].itertuples(index=False))
RUN = list(run[["query_id", "doc_id", "score"]].itertuples(index=False))
ATTRIBUTES = {"stance": {"a": "PRO", "b": "PRO", "c": "CON", "d": "PRO"},
              "gender": {"a": "F", "b": "M", "c": "M", "d": "M"}}


@pytest.mark.parametrize("name", MEASURES)
def test_docstrings_have_five_parts_under_their_names(name):
    text = inspect.cleandoc(type(MEASURES[name]).__doc__)
    title, blank, sentence = text.partition("\n\nFormula\n")[0].partition("\n\n")
    assert title.startswith(f"{name} — ") and title.endswith(".") and blank
    assert sentence.endswith(".") and not re.search(r"[.?!]\s", sentence)
    headings = re.findall(r"^(.+)\n(-+)$", text, re.MULTILINE)
    assert [heading for heading, _ in headings] == [
        "Formula", "Range", "Edge cases", "Source", "Examples"]
    assert all(len(heading) == len(line) for heading, line in headings)
    parts = re.split(r"^.+\n-+$", text, flags=re.MULTILINE)
    assert all(part.strip() for part in parts)


@pytest.mark.parametrize("name", MEASURES)
def test_the_short_description_is_the_first_sentence_of_the_docstring(name):
    kind = type(MEASURES[name])
    assert inspect.cleandoc(kind.__doc__).split("\n\n")[1].replace("\n", " ") == kind.SHORT_DESC
    assert "SHORT_DESC" not in inspect.getsource(kind)


def test_a_class_of_one_s_own_may_declare_its_short_description():
    class First(FairnessMeasure):
        """First — First."""

    class Second(FairnessMeasure):
        """Second — Second.

        One sentence
        in two lines.

        Formula
        -------
        """

    class Third(Second):
        SHORT_DESC = "Declared."

    assert [kind.SHORT_DESC for kind in (First, Second, Third)] == [
        "First — First.", "One sentence in two lines.", "Declared."]


def test_names_follow_from_the_class_and_its_docstring_unless_they_are_declared():
    class _First(FairnessMeasure):
        """First — The First One."""

    class Untold(FairnessMeasure):
        pass

    class Own(_First):
        """First — The First One."""

        NAME, PRETTY_NAME = "Third", "Declared"

    assert [(kind.NAME, kind.PRETTY_NAME) for kind in (_First, Untold, Own)] == [
        ("First", "The First One"), ("Untold", ""), ("Third", "Declared")]


@pytest.mark.parametrize("name", MEASURES)
def test_the_value_of_the_example_is_that_of_the_slow_version_that_is_named(name):
    kind = type(MEASURES[name])
    named = re.findall(r"^    # Slow version: (\w+) in tests/(slow_versions/\w+)\.py$",
                       inspect.getsource(kind), re.MULTILINE)
    slow = slow_versions.MEASURES[name]
    assert named == [(slow.__name__, slow.__module__.replace(".", "/"))]
    *before, last = doctest.DocTestParser().get_examples(kind.__doc__)
    expression = re.fullmatch(r"round\((.+)\.calc_aggregate\(qrels, run\), 3\)\n", last.source)[1]
    names = {**vars(pt_fairness), name: MEASURES[name]}
    exec("".join(one.source for one in before), names)
    params = dict(eval(expression, names).params)
    topics = {source: read_topics(QRELS, RUN, lambda _, docno, of=of: [of[docno]] if docno in of
                                  else [], {*of.values()}) for source, of in ATTRIBUTES.items()}
    if name == "GFR":
        params["attributes"] = dict.fromkeys(ATTRIBUTES, "jsd")
    if name == "TrecFair":
        params["attributes"] = {"stance": "half"}
    # TrecFair tells documents without a group from those that a source does not know.
    known = {source: replace(of["1"].groups, of={docno: found for docno, found
                                                 in of["1"].groups.of.items() if found.weights})
             for source, of in topics.items()}
    found = slow_versions.evaluate(
        name, params, QRELS, RUN, details=lambda qid, topic: replace(
            topic, attributes=known, targets={"half": {"PRO": 0.5, "CON": 0.5}}))
    assert f"{found['1']:.3f}" == f"{float(last.want):.3f}"


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
