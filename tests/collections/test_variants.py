"""Judgments with groups: those of the documents, looked up once into a table."""

import os
import shutil

import pytest
from touche_arguments import ARGSME, QRELS, STANCES, TASK, named

from pt_fairness import groups
from pt_fairness.core.messages import FairnessWarning


def test_the_counts_of_ir_datasets(irds):
    for base, field, same in [
            (TASK, "stance", True), (TASK, "portal", True), (f"{TASK}/uncorrected", "stance", True),
            (f"{ARGSME}/touche-2021-task-1", "stance", True),
            ("argsme/1.0/touche-2020-task-1/uncorrected", "portal", False),
            ("beir/webis-touche2020", "stance", False),
            ("clueweb12/touche-2022-task-2/expanded-doc-t5-query", "stance", False),
            ("touche-image/2022-06-13/touche-2022-task-3", "stance", False)]:
        plain, found = irds.load(base), irds.load(f"{base}/{field}")
        assert found.dataset_id() == f"{base}/{field}"
        assert found.queries_count() == plain.queries_count() > 0
        assert found.docs_count() == plain.docs_count() > 0
        # Where documents may have several rows in one of the two, their number is not known.
        assert found.qrels_count() == (plain.qrels_count() if same else None)
        assert plain.qrels_count() > 0


def test_unannotated_documents_are_counted_in_one_warning(irds, files, qrels_of):
    files.argsme()
    files.touche2020(QRELS + "2 0 b1 1\n2 0 gone1 0\n2 0 gone2 0\n")
    for _ in range(2):  # once looked up, once from the table
        with pytest.warns(FairnessWarning) as told:
            assert qrels_of(f"{TASK}/stance")[5:] == [
                ("2", "b1", 1, "-"), ("2", "gone1", 0, "-"), ("2", "gone2", 0, "-")]
        assert [str(one.message) for one in told if one.category is FairnessWarning] == [
            "argsme/2020-04-01/stance: 3 of 8 documents are without a group and count as "
            "unannotated (the first: 'b1', no value)"]


@pytest.mark.exhaustive
def test_stances_are_looked_up_once(irds, files, qrels_of, capfd):
    files.argsme()
    qrels = files.touche2020(QRELS)
    assert [tuple(qrel) for qrel in irds.load(f"{TASK}/stance").qrels_iter()] == STANCES
    assert "0/5" in capfd.readouterr().err, "progress is shown"
    table = qrels.with_name("qrels.qrels.stance.tsv")
    assert table.read_text().splitlines()[:2] == ["docno\tgroup\twhy_not", "a1\tPRO\t"]
    assert groups.from_file(table).lookup(["1"], ["a2"])["group"].tolist() == ["CON"]
    for file in (files.home / ARGSME).glob("*.json"):
        file.unlink()
    for file in (files.home / f"{ARGSME}.json.pklz4").iterdir():
        file.unlink()
    assert qrels_of(f"{TASK}/stance") == STANCES
    assert sorted(path.name for path in qrels.parent.iterdir()) == [
        "qrels.qrels", "qrels.qrels.stance.tsv", "queries.xml"]


@pytest.mark.exhaustive
def test_the_table_is_made_anew_when_it_does_not_fit(irds, files, qrels_of):
    files.argsme()
    table = files.touche2020(QRELS).with_name("qrels.qrels.stance.tsv")
    qrels_of(f"{TASK}/stance")
    # The first is of other judgments: what it lacks is looked up.
    for content in ("docno\tgroup\twhy_not\na1\tPRO\t\n",
                    table.read_text().replace("PRO", "MAYBE"), "", "docno\n"):
        table.write_text(content)
        assert qrels_of(f"{TASK}/stance") == STANCES
    table.write_text(table.read_text().replace("PRO", "CON"))
    assert {row[3] for row in qrels_of(f"{TASK}/stance")} == {"CON"}, "it is used"
    os.utime(table, (1, 1))  # older than the corpus
    assert qrels_of(f"{TASK}/stance") == STANCES


@pytest.mark.exhaustive
def test_a_document_that_was_missing_is_searched_again(irds, files, qrels_of):
    files.argsme(debateorg=[files.argument("a1", "PRO")])
    table = files.touche2020(QRELS).with_name("qrels.qrels.stance.tsv")
    with pytest.warns(FairnessWarning, match="4 of 5 documents .*: 4 not in the corpus"):
        assert qrels_of(f"{TASK}/stance") == named(STANCES, ["PRO", "-", "-", "-", "-"])
    assert table.read_text().splitlines()[1:3] == ["a1\tPRO\t", "a2\t-\tmissing"]
    corpus = files.home / ARGSME.partition("/")[0]
    corpus.rename(corpus.with_name("elsewhere"))  # it is not downloaded again for these
    with pytest.warns(FairnessWarning, match="4 not in the corpus"):
        assert qrels_of(f"{TASK}/stance") == named(STANCES, ["PRO", "-", "-", "-", "-"])
    corpus.with_name("elsewhere").rename(corpus)
    files.argsme()
    shutil.rmtree(files.home / f"{ARGSME}.json.pklz4")
    os.utime(table, (2**32, 2**32))  # as if newer than the docstore
    assert qrels_of(f"{TASK}/stance") == STANCES
    assert "missing" not in table.read_text()
