"""OfGroup and MRecall where users meet measures: experiments, evaluate, and the commands."""

from __future__ import annotations

import io
import sys

import ir_measures
import pandas as pd
import pyterrier as pt
import pytest
from ir_measures import nDCG
from ir_measures.__main__ import main_cli
from ir_measures.providers.base import Any as AnyValue

from pt_fairness import MRecall, OfGroup, cli, evaluate, groups
from pt_fairness.provider import FAIRNESS
from pt_fairness.provider import evaluator as of_groups
from pt_fairness.provider.evaluator import QuickEvaluator

QRELS = pd.DataFrame([("1", "a", 1, "human"), ("1", "b", 1, "llm"), ("2", "c", 1, "human"),
                      ("2", "d", 1, "llm")], columns=["qid", "docno", "label", "iteration"])
RUN = pd.DataFrame([("1", "b", 2.0), ("1", "a", 1.0), ("2", "d", 1.0)],
                   columns=["qid", "docno", "score"])
HUMAN, LLM = (OfGroup(measure=nDCG @ 5, group=group) for group in ("human", "llm"))
MEASURES = [HUMAN, LLM, MRecall @ 2, nDCG @ 5]
NAMES = list(map(str, MEASURES))
VALUES = pytest.approx([0.315465, 1.0, 0.5, 0.806574], abs=1e-6)
TWO_CUTOFFS = "OfGroup(measure='nDCG@5',group='human')@3"


@pytest.fixture
def files(tmp_path):
    """The qrels and the run as files."""
    qrels, run = tmp_path / "qrels", tmp_path / "one"
    qrels.write_text("".join(f"{row.qid} {row.iteration} {row.docno} {row.label}\n"
                             for row in QRELS.itertuples()))
    run.write_text("".join(f"{row.qid} Q0 {row.docno} 1 {row.score} x\n"
                           for row in RUN.itertuples()))
    return str(qrels), str(run)


def test_an_experiment():
    topics = pd.DataFrame({"qid": ["1", "2"], "query": "any"})
    table = pt.Experiment([RUN], topics, QRELS, MEASURES, names=["one"])
    assert [table[str(one)][0] for one in MEASURES] == VALUES


def test_evaluate():
    source = groups.from_mapping(dict(zip(QRELS["docno"], QRELS["iteration"], strict=True)))
    for qrels, of_source in ((QRELS, {}), (QRELS.drop(columns="iteration"), {"groups": source})):
        table = evaluate({"one": RUN}, qrels, NAMES, progress=False, **of_source).averages
        assert [*table[NAMES].iloc[0]] == VALUES


def test_the_command_of_ir_measures(files, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["ir_measures", *files, *NAMES, "--places", "6"])
    main_cli()
    assert [float(line.split("\t")[1]) for line in capsys.readouterr().out.splitlines()] == VALUES


def test_our_commands(files, capsys):
    assert cli.main(["table", *files, "-m", *NAMES]) == 0
    table = pd.read_csv(io.StringIO(capsys.readouterr().out))
    assert [*table[NAMES].iloc[0]] == VALUES
    assert cli.main(["eval", *files, *NAMES, "-p", "6"]) == 0
    assert [float(line.split("\t")[1]) for line in capsys.readouterr().out.splitlines()] == VALUES


@pytest.mark.parametrize(("measure", "message"), [
    (TWO_CUTOFFS, "measure must have no cutoff beside @3"),
    ("OfGroup(measure='nDGC',group='human')", "Did you mean 'nDCG'"),
    ("OfGroup(measure='Judged',group='human')@5", "measure must be a mean over topics"),
    ("OfGroup(measure='nDCG')@5", "OfGroup needs the parameter 'group'")])
def test_our_commands_say_what_is_wrong(files, capsys, measure, message):
    assert cli.main(["eval", *files, measure]) == 2
    error = capsys.readouterr().err
    assert message in error and "Traceback" not in error


def test_required_parameters_are_listed():
    """ir_measures lists the measures of a provider with wildcards for their parameters."""
    listed = {one.NAME: one for one in FAIRNESS.SUPPORTED_MEASURES}
    params = listed["OfGroup"].params
    assert [name for name, value in params.items() if value.required] == ["measure", "group"]
    assert all(isinstance(value, AnyValue) for value in params.values())
    assert isinstance(listed["OfGroup"], type(OfGroup))


def test_several_rankings_of_a_topic_are_averaged():
    run = pd.concat([RUN.assign(iteration="0"), RUN.assign(score=-RUN["score"], iteration="1")])
    columns = {"qid": "query_id", "docno": "doc_id", "label": "relevance"}
    found = {one.query_id: one.value for one in ir_measures.iter_calc(
        [HUMAN], QRELS.rename(columns=columns), run.rename(columns=columns))}
    assert found == pytest.approx({"1": (1 + 0.630930) / 2, "2": 0.0}, abs=1e-6)


def test_topics_without_a_relevant_document_of_the_group_are_left_out(monkeypatch):
    """Some providers never end, or divide by zero, on a topic of which none is relevant."""
    topics = []

    class Noting(QuickEvaluator):
        def __init__(self, measures, qrels):
            topics.append({*qrels["query_id"]})
            super().__init__(measures, qrels)

        def iter_calc(self, run):
            topics.append({*run["query_id"]})
            return super().iter_calc(run)

    monkeypatch.setattr(of_groups, "QuickEvaluator", Noting)
    qrels = pd.DataFrame([("1", "a", 1, "A"), ("1", "c", 0, "A"), ("2", "a", -1, "A"),
                          ("2", "b", -1, "B"), ("3", "a", 0, "A"), ("3", "b", 1, "B")],
                         columns=["query_id", "doc_id", "relevance", "iteration"])
    run = qrels.assign(score=1.0)[["query_id", "doc_id", "score"]]
    measures = [OfGroup(measure=name, group="A", others=others)
                for name in ("nDCG@2", "Accuracy") for others in ("irrelevant", "dropped")]
    values = pd.DataFrame(ir_measures.iter_calc(measures, qrels, run))
    assert topics == [{"1"}] * 2 * len(measures)
    assert not values["value"][values["query_id"] != "1"].any()


@pytest.mark.parametrize("measure", [nDCG @ 5, HUMAN])
def test_relevance_of_floats_is_an_error(measure):
    with pytest.raises(ValueError, match=r"relevance must be .*nDCG@5, got 1.5"):
        evaluate({"one": RUN}, QRELS.assign(label=1.5), [measure], progress=False)


def test_a_list_that_a_provider_cannot_take_is_an_error():
    with pytest.raises(ValueError, match=r"measure must be .*Accuracy"):
        evaluate({"one": RUN}, QRELS, [OfGroup(measure="Accuracy", group="llm", others="dropped")],
                 progress=False)


def test_the_relevance_for_a_group_is_that_of_its_rows():
    """Every document is relevant, but one only for the other group."""
    qrels = pd.DataFrame([("1", "a", "A", 0), ("1", "a", "B", 2), ("1", "b", "A", 1)],
                         columns=["query_id", "doc_id", "iteration", "relevance"])
    run = pd.DataFrame({"query_id": "1", "doc_id": ["a", "b"], "score": [2.0, 1.0]})
    for others, value in (("irrelevant", 0.5), ("dropped", 1.0)):  # a is of the group B alone
        values = {group: OfGroup(measure="RR", group=group, others=others).calc_aggregate(
            qrels, run) for group in "AB"}
        assert values == {"A": value, "B": 1.0}
