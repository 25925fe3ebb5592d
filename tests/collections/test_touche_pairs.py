"""Touché 2022, task 1: pairs of sentences."""

import csv
import io

import pytest

from pt_fairness import groups

CORPUS = "argsme/2020-04-01/processed"
TASK = f"{CORPUS}/touche-2022-task-1"
A, B, C = "Sc065954f-Ae72bc9c6", "S148bb110-A119d66b0", "Sf9294c83-Af186e851"
#: One argument; two with different stances; two with the same stance and different portals.
ONE, TWO, SAME = (f"{A}__PREMISE__41,{A}__CONC__1", f"{A}__PREMISE__4,{B}__PREMISE__5",
                  f"{A}__CONC__1,{C}__CONC__1")
QRELS = [("1", ONE, 2, 2, 1), ("1", TWO, 0, 0, 0), ("50", SAME, 1, 1, 2)]
STANCES = [("1", ONE, 2, "PRO"), ("1", TWO, 0, "CON"), ("1", TWO, 0, "PRO"), ("50", SAME, 1, "PRO")]
PORTALS = [("1", ONE, 2, "debateorg"), ("1", TWO, 0, "debateorg"), ("1", TWO, 0, "idebate"),
           ("50", SAME, 1, "debateorg"), ("50", SAME, 1, "debatewise")]


def write_corpus(files, *extra):
    """The processed corpus: args.me's fields as Python literals in a CSV file."""
    text = io.StringIO()
    writer = csv.DictWriter(text, ["id", "conclusion", "premises", "context", "sentences"])
    writer.writeheader()
    for docno, stance, portal in [(A, "PRO", "debate.org"), (B, "CON", "idebate"),
                                  (C, "PRO", "debatewise"), *extra]:
        argument = files.argument(docno, stance, portal)
        sentences = [{"sent_id": f"{docno}__CONC__1", "sent_text": argument["conclusion"]}]
        writer.writerow({**argument, "sentences": sentences})
    return files.write(f"{CORPUS}.json", text.getvalue())


def write_qrels(files, rows=QRELS):
    files.write("touche/2022/task-1/queries.xml", files._touche.topics_xml(
        [("1", "Should teachers get tenure?"), ("50", "Should everyone get a basic income?")]))
    return [files.write(f"touche/2022/task-1/qrels-{kind}.qrels", "".join(
        f"{row[0]} 0 {row[1]} {row[column]}\n" for row in rows))
        for column, kind in enumerate(("relevance", "quality", "coherence"), 2)]


@pytest.mark.filterwarnings("error::pt_fairness.FairnessWarning")
@pytest.mark.parametrize("field, rows", [("stance", STANCES), ("portal", PORTALS)])
def test_stances_and_portals(irds, files, qrels_of, field, rows):
    write_corpus(files)
    write_qrels(files)
    assert qrels_of(f"{TASK}/{field}") == rows


def test_groups_of_unjudged_pairs(irds, files):
    write_corpus(files)
    found = groups.get(f"{TASK}/stance")
    assert found.labels == ["CON", "PRO"] and found.complete
    pair = f"{B}__PREMISE__1,{B}__PREMISE__2"
    rows = found.lookup(["7", "1", "1", "1"], [pair, TWO, pair, f"{C}__PREMISE__9"])
    assert rows.values.tolist() == [
        ["7", pair, "CON"], ["1", TWO, "CON"], ["1", TWO, "PRO"], ["1", pair, "CON"],
        ["1", f"{C}__PREMISE__9", "PRO"]]
    assert found.lookup([], []).empty
    other = groups.get(f"{TASK}/portal")
    assert found != other and found.digest() != other.digest()


@pytest.mark.parametrize("field, levels", [("quality", "201"), ("coherence", "102")])
def test_quality_and_coherence(irds, files, qrels_of, field, levels):
    write_qrels(files)
    name = f"{TASK}/{field}"
    rows = [(*row[:3], level) for row, level in zip(QRELS, levels, strict=True)]
    assert qrels_of(name) == qrels_of(name) == rows
    found = groups.get(name)
    assert found.order == ["0", "1", "2"]
    assert found.lookup(["1", "50", "50"], [ONE, SAME, ONE])["group"].tolist() == [
        levels[0], levels[2]]
