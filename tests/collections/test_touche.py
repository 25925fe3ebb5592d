"""Stances and portals of Touché's tasks, looked up in args.me and BEIR or given by the qrels."""

import warnings

import ir_measures
import pytest

from pt_fairness import groups, rND
from pt_fairness.core.messages import FairnessWarning

ARGSME = "argsme/2020-04-01"
TASK = f"{ARGSME}/touche-2020-task-1"
QRELS = "1 0 a1 2\n1 0 a2 1\n1 0 a3 0\n2 0 a4 -2\n2 0 a5 1\n"
STANCES = [("1", "a1", 2, "PRO"), ("1", "a2", 1, "CON"), ("1", "a3", 0, "CON"),
           ("2", "a4", -2, "PRO"), ("2", "a5", 1, "CON")]
#: ir_measures' names of the columns of qrels.
COLUMNS = ["query_id", "doc_id", "relevance", "iteration"]
PORTALS = ["debateorg", "debateorg", "debatepedia", "debatewise", "canadian_parliament"]


def named(rows, labels):
    return [(*row[:3], label) for row, label in zip(rows, labels, strict=True)]


@pytest.mark.filterwarnings("error::pt_fairness.FairnessWarning")
def test_stances_and_portals_of_2020(irds, files, qrels_of):
    files.argsme()
    files.touche2020(QRELS)
    assert qrels_of(f"{TASK}/stance") == STANCES
    assert qrels_of(f"{TASK}/portal") == named(STANCES, PORTALS)
    dataset = irds.load(f"{TASK}/stance")
    assert [query.title for query in dataset.queries_iter()] == [
        "Should tea be served cold?", "Are cats better than dogs?"]
    assert irds.docs_parent_id(f"{TASK}/stance") == ARGSME


def test_groups_of_unjudged_arguments(irds, files):
    files.argsme()
    found = groups.get(f"{ARGSME}/stance")
    assert found.labels == ["CON", "PRO"] and found.complete
    rows = found.lookup(["1", "9", "1"], ["a2", "a1", "a2"])
    assert rows["group"].tolist() == ["CON", "PRO", "CON"]
    with pytest.warns(FairnessWarning, match="1 of 2 documents .*missing"):
        assert found.lookup(["1", "1"], ["a5", "unknown"])["docno"].tolist() == ["a5"]
    with warnings.catch_warnings():
        warnings.simplefilter("error", FairnessWarning)
        assert found.lookup(["1"], ["another"]).empty, "one warning is enough"


def test_only_the_documents_that_a_measure_needs_are_read(irds, files):
    files.argsme()
    name = f"{ARGSME}/stance"
    qrels = [ir_measures.Qrel("1", *judged) for judged in [("a1", 1), ("a2", 1), ("b1", 0)]]
    run = [ir_measures.ScoredDoc("1", f"a{number}", -i) for i, number in enumerate((2, 4, 1, 3, 5))]
    value = ir_measures.calc_aggregate([rND(groups=name) @ 2], qrels, run)
    # CON is the minority: its share is 1, then 1/2, where 1/2 is fair; the maximum is the same.
    assert list(value.values()) == [pytest.approx(0.5 / (0.5 + 0.5 / 1.5849625007211562))]
    assert set(groups.get(name)._cache) == {"a1", "a2", "a4"}


@pytest.mark.parametrize("version", ["", "/v2"])
def test_beir(irds, files, qrels_of, version):
    files.beir({"d1": "PRO", "d2": "CON", "d3": "", "d4": "neutral"},
               "1\td1\t4\n1\td2\t-2\n1\td3\t1\n1\td4\t2\n1\td5\t2\n", version)
    name = f"beir/webis-touche2020{version}/stance"
    with pytest.warns(FairnessWarning) as told:
        assert qrels_of(name) == [("1", "d1", 4, "PRO"), ("1", "d2", -2, "CON"),
                                  ("1", "d3", 1, "-"), ("1", "d4", 2, "-"), ("1", "d5", 2, "-")]
    (message,) = [str(one.message) for one in told if one.category is FairnessWarning]
    assert name in message and "3 of 5" in message and "'d3'" in message
    assert groups.get(name).lookup(["1"], ["d2"])["group"].tolist() == ["CON"]
    assert [query.text for query in irds.load(name).queries_iter()] == ["Is it?"]


@pytest.mark.parametrize("suffix", ["", "/expanded-doc-t5-query"])
def test_comparative_stances(irds, files, qrels_of, suffix):
    files.comparative(["NO", "FIRST", "SECOND", "NEUTRAL"])
    assert qrels_of(f"clueweb12/touche-2022-task-2{suffix}/stance") == [
        ("1", "clueweb12-0", 0, "-"), ("1", "clueweb12-1", 1, "FIRST"),
        ("1", "clueweb12-2", 2, "SECOND"), ("1", "clueweb12-3", 3, "NEUTRAL")]
    found = groups.get("clueweb12/touche-2022-task-2/stance")
    assert found.labels == ["FIRST", "NEUTRAL", "SECOND"]
    rows = found.lookup(["1", "1", "2"], ["clueweb12-1", "clueweb12-0", "clueweb12-1"])
    assert rows.values.tolist() == [["1", "clueweb12-1", "FIRST"]]


def test_image_stances(irds, files, qrels_of):
    files.write("touche/2022/task-3/qrels.qrels",
                "1 ONTOPIC Ia 1\n1 PRO Ia 1\n1 CON Ia 0\n1 CON Ib 0\n")
    name = "touche-image/2022-06-13/touche-2022-task-3/stance"
    rows = qrels_of(name)
    # One relevance for each document.
    assert rows == [("1", "Ia", 1, "ONTOPIC"), ("1", "Ia", 1, "PRO"), ("1", "Ib", 0, "CON")]
    found = groups.get(name).lookup(["1", "1"], ["Ia", "Ib"])
    assert found.values.tolist() == [[qid, docno, group] for qid, docno, _, group in rows]


def test_the_counts_of_ir_datasets(irds):
    plain, found = irds.load(TASK), irds.load(f"{TASK}/stance")
    assert found.queries_count() == plain.queries_count() > 0
    assert found.docs_count() == plain.docs_count() > 0
    assert found.qrels_count() is None, "a document can have several rows"


def test_unannotated_documents_are_counted_in_one_warning(irds, files, qrels_of):
    files.argsme()
    files.touche2020(QRELS + "2 0 b1 1\n2 0 gone1 0\n2 0 gone2 0\n")
    with pytest.warns(FairnessWarning) as told:
        for _ in range(2):
            assert qrels_of(f"{TASK}/stance")[5:] == [
                ("2", "b1", 1, "-"), ("2", "gone1", 0, "-"), ("2", "gone2", 0, "-")]
    message, = [str(one.message) for one in told if one.category is FairnessWarning]
    assert "3 of 8 documents" in message and "'b1'" in message
