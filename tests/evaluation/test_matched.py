"""What matched: how many documents have a group, or a value."""

from __future__ import annotations

import pandas as pd
import pytest
from one_test import each

from pt_fairness import cli, evaluate, groups, values

QRELS = pd.DataFrame({"qid": "1", "docno": ["d1", "d2", "d3"], "label": [1, 0, 1]})
RUN = pd.DataFrame({"qid": "1", "docno": ["d1", "d2", "d17", "d18"], "score": [4.0, 3.0, 2.0, 1.0]})
GROUPS = {"d1": "PRO", "d2": "CON"}


def matched(run=RUN, measures=("AWRF@3",), **options):
    return evaluate(run, QRELS, list(measures), progress=False, **options).facts.matched


def test_groups_of_judged_and_ranked_documents():
    source = groups.from_mapping(GROUPS, "mine")
    assert matched(groups=source) == {
        "mine": "2 of 3 judged and 2 of 3 ranked documents have a group (of the first 3 of each "
                "ranking; first without: d3)"}
    two = {"a": RUN, "b": RUN[:2]}
    assert matched(two, groups=source) == {
        "mine": "2 of 3 judged and 4 of 5 ranked documents have a group (of the first 3 of each "
                "ranking; first without: d3)"}
    every = groups.from_pattern("^d", name="d")
    assert matched(groups=every) == {
        "d": "3 of 3 judged and 3 of 3 ranked documents have a group (of the first 3 of each "
             "ranking)"}


def test_groups_in_qrels_are_not_counted():
    qrels = QRELS.assign(iteration=["PRO", "CON", "PRO"])
    assert evaluate(RUN, qrels, ["AWRF@3"], progress=False).facts.matched == {}


@pytest.fixture
def registered(registered_values):
    registered_values("numbers", values.from_mapping({"d1": 0.5, "d18": 0.1}))


def test_values_of_ranked_documents(registered):
    assert matched(measures=["RaB(values='numbers')@4"]) == {
        "numbers": "2 of 4 ranked documents have a value (first without: d2)"}


@each("measure", ["RaB(values='numbers')@3", "NFaiRR(values='numbers')@3"])
def test_values_that_match_nothing_are_an_error(registered, measure):
    other = RUN.assign(docno=["x1", "x2", "x3", "x4"])
    with pytest.raises(ValueError, match="such as 'x1', has a value in 'numbers'; check that the"):
        evaluate({"a": other, "b": other}, QRELS, [measure], progress=False)
    with pytest.warns(UserWarning, match=r"has a value in 'numbers'; .* \(run b\)"):
        evaluate({"a": RUN, "b": other}, QRELS, [measure], progress=False)


@pytest.fixture
def folder(folder_of):
    return folder_of({"q": "1 0 d1 1\n1 0 d2 0\n1 0 d3 1\n",
                      "r": "1 Q0 d1 1 3 t\n1 Q0 d2 2 2 t\n1 Q0 d17 3 1 t\n",
                      "g.csv": "docno,group\nd1,PRO\nd2,CON\n",
                      "t.csv": "qid,group,share\n1,PRO,1\n",
                      "w.csv": "docno,group,weight\nd1,PRO,0.5\nd1,CON,0.5\nd2,CON,1\n"})


@each("arguments, line", [
    ("table q r -m AWRF@3 --groups g.csv", "g.csv: 2 of 3 judged and 2 of 3 ranked documents have a"
     " group (of the first 3 of each ranking; first without: d3)"),
    ("rerank r xquad --groups g.csv", "g.csv: 2 of 3 ranked documents have a group"),
    ("annotate q w.csv", "2 of 3 judged documents have a group: CON 2, PRO 1 (first without: d3); "
     "weights are lost, because qrels lack a column for them"),
])
def test_commands_say_it_on_standard_error(folder, capsys, arguments, line):
    assert cli.main(arguments.split()) == 0
    *_, last = capsys.readouterr().err.splitlines()  # other libraries may warn before
    assert last == f"pt-fairness: {line}"


@each("arguments, says", [
    ("annotate q re:^zzz", "got no group in re:^zzz"),
    ("annotate q g.csv:docno", "'docno', which holds the documents"),
    ("annotate q g.csv -o q", "--output 'q' is also an input, which it would replace"),
    ("table q r -m AWRF@3 --groups g.csv -o ./q", "is also an input"),
    ("table q r -m AWRF@3 --groups g.csv:group -o g.csv", "is also an input"),
    ("rerank r xquad --groups g.csv -o r", "is also an input"),
    ("table q r -m AWRF(groups='g.csv')@3 -o g.csv", "is also an input"),
    ("table q r -m AWRF(target='t')@3 --groups g.csv --targets t.csv -o t.csv", "is also an input"),
    ("agreement g.csv w.csv -o w.csv", "is also an input"),
])
def test_what_is_refused(folder, capsys, arguments, says):
    before = {path.name: path.read_text() for path in folder.iterdir()}
    assert cli.main(arguments.split()) == 2
    assert says in capsys.readouterr().err
    assert {path.name: path.read_text() for path in folder.iterdir()} == before
