"""Stances and portals of Touché's tasks, looked up in args.me and BEIR or given by the qrels."""

import json
import os
import random
import re
import shutil
import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor, wait

import ir_measures
import pandas as pd
import pytest
from pt_fairness.ranking import FairnessWarning

from pt_fairness import groups

ARGSME = "argsme/2020-04-01"
TASK = f"{ARGSME}/touche-2020-task-1"
QRELS = "1 0 a1 2\n1 0 a2 1\n1 0 a3 0\n2 0 a4 -2\n2 0 a5 1\n"
STANCES = [("1", "a1", 2, "PRO"), ("1", "a2", 1, "CON"), ("1", "a3", 0, "CON"), ("2", "a4", -2, "PRO"), ("2", "a5", 1, "CON")]
PORTALS = ["debateorg", "debateorg", "debatepedia", "debatewise", "canadian_parliament"]


def named(rows, labels):
    return [(*row[:3], label) for row, label in zip(rows, labels, strict=True)]


# ---------------------------------------------------------------------------------------------------------------------
# args.me


def test_stances_and_portals_of_2020(irds, files, qrels_of):
    files.argsme()
    files.touche2020(QRELS)
    with warnings.catch_warnings():
        warnings.simplefilter("error", FairnessWarning)
        assert qrels_of(f"{TASK}/stance") == STANCES
        assert qrels_of(f"{TASK}/portal") == named(STANCES, PORTALS)
    dataset = irds.load(f"{TASK}/stance")
    assert [query.title for query in dataset.queries_iter()] == ["Should tea be served cold?", "Are cats better than dogs?"]
    assert "its own conclusion" in dataset.documentation()["desc"]
    assert dataset.documentation()["pretty_name"].startswith("Touché 2020 Task 1")
    assert dataset.documentation()["pretty_name"].endswith(", with stances")
    assert irds.load("beir/webis-touche2020/stance").documentation()["pretty_name"] == "beir/webis-touche2020, with stances"
    assert irds.docs_parent_id(f"{TASK}/stance") == ARGSME


def test_the_qrels_of_ir_datasets_itself_print_nothing_either(irds, files, capsys):
    files.touche2020(QRELS)
    assert len(list(irds.load(TASK).qrels_iter())) == 5
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("base, fields, same", [
    (TASK, ("stance", "portal"), True), (f"{TASK}/uncorrected", ("stance",), True),
    (f"{ARGSME}/touche-2021-task-1", ("stance",), True), ("argsme/1.0/touche-2020-task-1/uncorrected", ("portal",), False),
    ("beir/webis-touche2020", ("stance",), False), ("clueweb12/touche-2022-task-2/expanded-doc-t5-query", ("stance",), False),
    ("touche-image/2022-06-13/touche-2022-task-3", ("stance",), False)])
def test_what_ir_datasets_knows_of_the_numbers(irds, base, fields, same):
    plain = irds.load(base)
    assert plain.queries_count() and plain.docs_count() and plain.qrels_count()
    for field in fields:
        found = irds.load(f"{base}/{field}")
        assert found.queries_count() == plain.queries_count() and found.docs_count() == plain.docs_count()
        # Where a document may have more rows there, or fewer here, their number is not known.
        assert found.qrels_count() == (plain.qrels_count() if same else None)
        assert found.dataset_id() == f"{base}/{field}"


def test_2021_has_relevance_alone(irds, files, qrels_of):
    files.argsme()
    files.touche2021("51 0 a1 2\n51 0 a3 0\n", "51 0 a1 1\n51 0 a3 2\n")
    assert qrels_of(f"{ARGSME}/touche-2021-task-1/stance") == [("51", "a1", 2, "PRO"), ("51", "a3", 0, "CON")]
    assert qrels_of(f"{ARGSME}/touche-2021-task-1/portal") == [("51", "a1", 2, "debateorg"), ("51", "a3", 0, "debatepedia")]


def test_uncorrected_labels_may_be_floats(irds, files, qrels_of):
    files.argsme()
    files.touche2020("1 0 a1 4.0\n1 0 a2 -2.0\n2 0 a4 5\n", "qrels-argsme-2020-04-01-uncorrected")
    assert qrels_of(f"{TASK}/uncorrected/stance") == [("1", "a1", 4, "PRO"), ("1", "a2", -2, "CON"), ("2", "a4", 5, "PRO")]


def test_version_1_0(irds, files, qrels_of):
    arguments = [files.argument("c1", "CON"), files.argument("c2", "PRO", "idebate")]
    files.write("argsme/1.0.json", json.dumps({"arguments": arguments}))
    files.touche2020("1 0 c1 4.0\n1 0 c2 1.0\n", "qrels-argsme-1.0-uncorrected")
    task = "argsme/1.0/touche-2020-task-1/uncorrected"
    assert qrels_of(f"{task}/stance") == [("1", "c1", 4, "CON"), ("1", "c2", 1, "PRO")]
    assert qrels_of(f"{task}/portal") == [("1", "c1", 4, "debateorg"), ("1", "c2", 1, "idebate")]
    assert groups.get("argsme/1.0/portal").lookup(["1", "1"], ["c2", "c9"])["group"].tolist() == ["idebate"]


def test_unannotated_documents_are_counted_in_one_warning(irds, files, qrels_of):
    files.argsme()
    files.touche2020(QRELS + "2 0 b1 1\n2 0 gone1 0\n2 0 gone2 0\n")
    for _ in range(2):  # once looked up, once from the table
        with pytest.warns(FairnessWarning) as told:
            assert qrels_of(f"{TASK}/stance")[5:] == [("2", "b1", 1, "-"), ("2", "gone1", 0, "-"), ("2", "gone2", 0, "-")]
        assert [str(one.message) for one in told if one.category is FairnessWarning] == [
            "argsme/2020-04-01/stance: 3 of 8 documents have no group and count as unannotated: "
            "2 not in the corpus (the first: 'gone1'); 1 without a value (the first: 'b1')"]


def test_stances_are_looked_up_once(irds, files, qrels_of, capfd):
    files.argsme()
    qrels = files.touche2020(QRELS)
    assert [(q.query_id, q.doc_id, q.relevance, q.iteration) for q in irds.load(f"{TASK}/stance").qrels_iter()] == STANCES
    assert "0/5" in capfd.readouterr().err, "progress is shown"
    table = qrels.with_name("qrels.qrels.stance.tsv")
    assert table.read_text().splitlines()[:2] == ["docno\tgroup\twhy_not", "a1\tPRO\t"]
    assert groups.from_file(table).lookup(["1"], ["a2"])["group"].tolist() == ["CON"]
    for file in (files.home / ARGSME).glob("*.json"):
        file.unlink()
    for file in (files.home / f"{ARGSME}.json.pklz4").iterdir():
        file.unlink()
    assert qrels_of(f"{TASK}/stance") == STANCES
    assert sorted(path.name for path in qrels.parent.iterdir()) == ["qrels.qrels", "qrels.qrels.stance.tsv", "queries.xml"]


def test_the_table_is_made_anew_when_it_does_not_fit(irds, files, qrels_of):
    files.argsme()
    table = files.touche2020(QRELS).with_name("qrels.qrels.stance.tsv")
    qrels_of(f"{TASK}/stance")
    for content in ("docno\tgroup\twhy_not\na1\tPRO\t\n",  # other judgments: what it lacks is looked up
                    table.read_text().replace("PRO", "MAYBE"), "", "docno\n"):
        table.write_text(content)
        assert qrels_of(f"{TASK}/stance") == STANCES
    table.write_text(table.read_text().replace("PRO", "CON"))
    assert {row[3] for row in qrels_of(f"{TASK}/stance")} == {"CON"}, "it is used"
    os.utime(table, (1, 1))  # older than the corpus
    assert qrels_of(f"{TASK}/stance") == STANCES


def test_a_document_that_was_missing_is_looked_for_again(irds, files, qrels_of):
    files.argsme(debateorg=[files.argument("a1", "PRO")])
    table = files.touche2020(QRELS).with_name("qrels.qrels.stance.tsv")
    with pytest.warns(FairnessWarning, match="4 of 5 documents .*: 4 not in the corpus"):
        assert qrels_of(f"{TASK}/stance") == named(STANCES, ["PRO", "-", "-", "-", "-"])
    assert table.read_text().splitlines()[1:3] == ["a1\tPRO\t", "a2\t-\tmissing"]
    corpus = files.home / ARGSME.partition("/")[0]
    corpus.rename(corpus.with_name("elsewhere"))  # whoever has deleted the corpus does not want it back for the sake of these
    with pytest.warns(FairnessWarning, match="4 not in the corpus"):
        assert qrels_of(f"{TASK}/stance") == named(STANCES, ["PRO", "-", "-", "-", "-"])
    corpus.with_name("elsewhere").rename(corpus)
    files.argsme()
    shutil.rmtree(files.home / f"{ARGSME}.json.pklz4")
    os.utime(table, (2**32, 2**32))  # as if newer than the docstore
    assert qrels_of(f"{TASK}/stance") == STANCES
    assert "missing" not in table.read_text()


def test_a_folder_that_cannot_be_written_is_no_obstacle(irds, files, qrels_of, monkeypatch):
    files.argsme()
    files.touche2020(QRELS)

    real = os.replace

    def refuse(source, target):
        if str(target).endswith(".tsv"):
            raise PermissionError("read-only")
        real(source, target)
    monkeypatch.setattr(os, "replace", refuse)
    assert qrels_of(f"{TASK}/stance") == STANCES


@pytest.mark.parametrize("name, folder", [(f"{TASK}/stance", f"{ARGSME}.json.pklz4"),
                                          ("beir/webis-touche2020/stance", "beir/webis-touche2020/docs.pklz4")])
@pytest.mark.parametrize("damage, what", [
    pytest.param({"idx.doc_id.key": None, "idx.doc_id.pos": None, "idx.doc_id.meta": None}, "not built to the end",
                 id="ended before the index"),
    pytest.param({"idx.doc_id.pos": None, "idx.doc_id.meta": None}, "No such file", id="ended within the index"),
    pytest.param({"idx.doc_id.pos": 9}, "mmap length", id="index cut short"),
    pytest.param({"bin": 9}, "LZ4BlockError", id="documents cut short"),
    pytest.param({"bin": 1 << 20}, "too small", id="no documents"),
    pytest.param({"bin": None}, "No such file", id="documents deleted"),
    pytest.param({"bin.meta": 1 << 20}, "fields do not match", id="fields unknown"),
])
def test_a_damaged_docstore_is_named_and_can_be_built_anew(irds, files, qrels_of, name, folder, damage, what):
    files.argsme()
    files.touche2020(QRELS)
    files.beir({"d1": "PRO", "d2": "CON"}, "1\td1\t4\n1\td2\t0\n")
    rows = qrels_of(name)
    for table in files.home.rglob("*.tsv"):
        table.unlink()
    for file, cut in damage.items():
        content = (files.home / folder / file).read_bytes()
        (files.home / folder / file).unlink()
        if cut is not None:
            (files.home / folder / file).write_bytes(content[:-cut])
    for _ in range(2):
        with pytest.raises(ValueError, match=rf"cannot read its docstore: .*{what}") as raised:
            list(irds.load(name).qrels_iter())
        assert str(files.home / folder) in str(raised.value) and "Delete that folder" in str(raised.value)
        assert not list(files.home.rglob("*.tsv"))
    shutil.rmtree(files.home / folder)
    assert qrels_of(name) == rows


def test_an_unknown_stance_names_the_argument(irds, files):
    files.argsme(debateorg=[files.argument("a1", "PRO")], idebate=[files.argument("z1", "PRO"), files.argument("z2", "MAYBE")])
    files.touche2020(QRELS)
    with pytest.raises(ValueError, match=r"idebate\.json: ir_datasets refuses the argument 'z2': Unknown stance MAYBE$"):
        list(irds.load(f"{TASK}/stance").qrels_iter())


def test_an_argument_in_two_files_is_named(irds, files):
    files.argsme(debateorg=[files.argument("a1", "PRO"), files.argument("a2", "CON"), files.argument("a4", "PRO")],
                 idebate=[files.argument("a3", "PRO"), files.argument("a2", "PRO"), files.argument("a5", "CON")])
    files.touche2020(QRELS)
    with pytest.raises(ValueError, match=r"^the argument 'a2' is in \S+debateorg\.json and again in \S+idebate\.json;"):
        list(irds.load(f"{TASK}/stance").qrels_iter())
    with pytest.raises(ValueError, match="'a2' is in"):
        groups.get(f"{ARGSME}/stance").lookup(["1"], ["a2"])
    assert groups.get(f"{ARGSME}/stance").lookup(["1"], ["a1"])["group"].tolist() == ["PRO"], "this one is not concerned"


@pytest.mark.parametrize("damage, what", [
    (lambda content: content[:-60], r"debatewise\.json is damaged after"),
    (lambda content: b"", r"debatewise\.json is damaged after the beginning"),
    (None, r"debatewise\.json does not exist and could not be downloaded"),
])
def test_a_bad_corpus_file_is_named(irds, files, damage, what):
    files.argsme()
    files.touche2020(QRELS)
    file = files.home / ARGSME / "debatewise.json"
    if damage is None:
        file.unlink()
    else:
        file.write_bytes(damage(file.read_bytes()))
    with pytest.raises((ValueError, FileNotFoundError), match=what):
        list(irds.load(f"{TASK}/stance").qrels_iter())


@pytest.mark.parametrize("line, what", [("1 a2 1", "3 columns"), ("1 0 a2 1 1", "5 columns"),
                                        ("1 0 a2 good", "'good' is no label")])
def test_a_bad_line_is_named(irds, files, line, what):
    file = files.touche2020(f"{QRELS}\n{line}\n")
    with pytest.raises(ValueError, match=rf"^{re.escape(str(file))}, line 7: {what}"):
        list(irds.load(f"{TASK}/stance").qrels_iter())


def test_a_fraction_is_no_label(irds, files):
    file = files.touche2020("1 0 a1 4.0\n1 0 a2 3.5\n", "qrels-argsme-2020-04-01-uncorrected")
    with pytest.raises(ValueError, match=rf"^{re.escape(str(file))}, line 2: '3.5' is no label"):
        list(irds.load(f"{TASK}/uncorrected/stance").qrels_iter())


@pytest.mark.parametrize("quality, what", [
    ("51 0 a1 1\n51 0 a9 2\n", r"qrels-relevance\.qrels, line 2 and \S+qrels-quality\.qrels, line 2: .*a9 does not match"),
    ("51 0 a1 1\n51 0 a3\n", r"qrels-quality\.qrels, line 2: 3 columns"),
    ("51 0 a1 1\n", r"not equally many: 2 in \S+qrels-relevance\.qrels, 1 in \S+qrels-quality\.qrels"),
])
def test_relevance_and_quality_have_to_match(irds, files, quality, what):
    files.touche2021("51 0 a1 2\n51 0 a3 0\n", quality)
    with pytest.raises(ValueError, match=what):
        list(irds.load(f"{ARGSME}/touche-2021-task-1/stance").qrels_iter())


def test_missing_qrels_are_named(irds, files):
    with pytest.raises(FileNotFoundError, match=r"touche.2020.task-1.qrels\.qrels does not exist and could not be downloaded"):
        list(irds.load(f"{TASK}/stance").qrels_iter())


# ---------------------------------------------------------------------------------------------------------------------
# groups of any argument


def test_groups_of_unjudged_arguments(irds, files):
    files.argsme()
    found = groups.get(f"{ARGSME}/stance")
    assert found.labels == ["CON", "PRO"] and found.complete
    assert found.lookup(["1", "9", "1"], ["a2", "a1", "a2"])["group"].tolist() == ["CON", "PRO", "CON"]
    with pytest.warns(FairnessWarning, match="1 of 2 documents .* 1 not in the corpus"):
        assert found.lookup(["1", "1"], ["a5", "unknown"])["docno"].tolist() == ["a5"]
    with warnings.catch_warnings():
        warnings.simplefilter("error", FairnessWarning)
        assert found.lookup(["1"], ["another"]).empty, "one warning is enough"


def test_only_the_documents_that_a_measure_needs_are_read(irds, files):
    from pt_fairness import rND
    files.argsme()
    name = f"{ARGSME}/stance"
    qrels = [ir_measures.Qrel("1", "a1", 1), ir_measures.Qrel("1", "a2", 1), ir_measures.Qrel("1", "b1", 0)]
    run = [ir_measures.ScoredDoc("1", docno, -i) for i, docno in enumerate(["a2", "a4", "a1", "a3", "a5"])]
    value = ir_measures.calc_aggregate([rND(groups=name) @ 2], qrels, run)
    # CON is the minority: its share is 1, then 1/2, where 1/2 is fair; the maximum is the same.
    assert list(value.values()) == [pytest.approx(0.5 / (0.5 + 0.5 / 1.5849625007211562))]
    assert set(groups.get(name)._found) == {"a1", "a2", "a4"}


def test_corrections_by_topic(irds, files):
    files.argsme()
    corrected = groups.get(f"{ARGSME}/stance").override(
        pd.DataFrame({"qid": ["1", "1"], "docno": ["a1", "a2"], "group": ["CON", None]}))
    rows = corrected.lookup(["1", "1", "1", "2", "2"], ["a1", "a2", "a3", "a1", "a2"])
    assert rows.values.tolist() == [["1", "a1", "CON"], ["1", "a3", "CON"], ["2", "a1", "PRO"], ["2", "a2", "CON"]]


# ---------------------------------------------------------------------------------------------------------------------
# BEIR, and the tasks whose qrels have stances


@pytest.mark.parametrize("version", ["", "/v2"])
def test_beir(irds, files, qrels_of, version):
    files.beir({"d1": "PRO", "d2": "CON", "d3": "", "d4": "neutral"},
               "1\td1\t4\n1\td2\t-2\n1\td3\t1\n1\td4\t2\n1\td5\t2\n", version)
    name = f"beir/webis-touche2020{version}/stance"
    with pytest.warns(FairnessWarning) as told:
        assert qrels_of(name) == [("1", "d1", 4, "PRO"), ("1", "d2", -2, "CON"), ("1", "d3", 1, "-"), ("1", "d4", 2, "-"),
                                  ("1", "d5", 2, "-")]
    assert [str(one.message) for one in told if one.category is FairnessWarning] == [
        f"{name}: 3 of 5 documents have no group and count as unannotated: 1 not in the corpus (the first: 'd5'); "
        "1 without a value (the first: 'd3'); 1 with a value other than CON, PRO (the first: 'd4' has 'neutral')"]
    assert groups.get(name).lookup(["1"], ["d2"])["group"].tolist() == ["CON"]
    assert [query.text for query in irds.load(name).queries_iter()] == ["Is it?"]


@pytest.mark.parametrize("line, what", [("1\td1\t4\tx", "4 columns where there should be 3"), ("1\td1\tx", "'x' is no label")])
def test_a_bad_line_of_beir_is_named(irds, files, line, what):
    files.beir({"d1": "PRO"}, f"1\td1\t4\n{line}\n")
    with pytest.raises(ValueError, match=rf"test\.qrels, line 3: {what}"):
        list(irds.load("beir/webis-touche2020/stance").qrels_iter())


def test_a_document_of_beir_without_metadata_is_named(irds, files):
    import zipfile
    file = files.beir({"d1": "PRO"}, "1\td1\t4\n")
    with zipfile.ZipFile(file) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    parts["webis-touche2020/corpus.jsonl"] += b'{"_id": "d2", "title": "T", "text": "no metadata"}\n'
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    with pytest.raises(ValueError, match=rf"^{re.escape(str(file))}, line 2: ir_datasets cannot read the document 'd2'"):
        list(irds.load("beir/webis-touche2020/stance").qrels_iter())


def test_a_truncated_zip_is_named(irds, files):
    file = files.beir({"d1": "PRO"}, "1\td1\t4\n")
    list(irds.load("beir/webis-touche2020").qrels_iter())
    file.write_bytes(file.read_bytes()[:-40])
    with pytest.raises(ValueError, match=rf"^{re.escape(str(file))} is damaged"):
        list(irds.load("beir/webis-touche2020/stance").qrels_iter())


def comparative(files, stances):
    for kind in ("relevance", "quality", "stance"):
        values = stances if kind == "stance" else range(len(stances))
        files.write(f"touche/2022/task-2/qrels-{kind}.qrels", "".join(f"1 0 clueweb12-{i} {value}\n"
                                                                      for i, value in enumerate(values)))


@pytest.mark.parametrize("suffix", ["", "/expanded-doc-t5-query"])
def test_comparative_stances(irds, files, qrels_of, suffix):
    comparative(files, ["NO", "FIRST", "SECOND", "NEUTRAL"])
    assert qrels_of(f"clueweb12/touche-2022-task-2{suffix}/stance") == [
        ("1", "clueweb12-0", 0, "-"), ("1", "clueweb12-1", 1, "FIRST"), ("1", "clueweb12-2", 2, "SECOND"),
        ("1", "clueweb12-3", 3, "NEUTRAL")]
    found = groups.get("clueweb12/touche-2022-task-2/stance")
    assert found.labels == ["FIRST", "NEUTRAL", "SECOND"]
    assert found.lookup(["1", "1", "2"], ["clueweb12-1", "clueweb12-0", "clueweb12-1"]).values.tolist() == [
        ["1", "clueweb12-1", "FIRST"]]


def test_an_unknown_comparative_stance_is_named(irds, files):
    comparative(files, ["FIRST", "THIRD"])
    with pytest.raises(ValueError, match=r"qrels-stance\.qrels, line 2: 'THIRD' is no label that can stand there: '1 0 "):
        list(irds.load("clueweb12/touche-2022-task-2/stance").qrels_iter())


def test_image_stances(irds, files, qrels_of):
    files.write("touche/2022/task-3/qrels.qrels", "1 ONTOPIC Ia 1\n1 PRO Ia 1\n1 CON Ia 0\n1 CON Ib 0\n")
    name = "touche-image/2022-06-13/touche-2022-task-3/stance"
    rows = qrels_of(name)
    assert rows == [("1", "Ia", 1, "ONTOPIC"), ("1", "Ia", 1, "PRO"), ("1", "Ib", 0, "CON")], "one relevance for each document"
    found = groups.get(name).lookup(["1", "1"], ["Ia", "Ib"])
    assert found.values.tolist() == [["1", "Ia", "ONTOPIC"], ["1", "Ia", "PRO"], ["1", "Ib", "CON"]], "as the judgments say"
    qrels = pd.DataFrame(rows[::-1], columns=["query_id", "doc_id", "relevance", "iteration"])
    run = pd.DataFrame({"query_id": "1", "doc_id": ["Ia", "Ib"], "score": [2.0, 1.0]})
    measures = [ir_measures.nDCG @ 5, ir_measures.P @ 1, ir_measures.alpha_nDCG @ 5]
    for given in (qrels, qrels[::-1]):
        assert ir_measures.calc_aggregate(measures, given, run) == pytest.approx(dict.fromkeys(measures, 1.0))


def test_a_comparative_document_that_is_there_twice_has_one_relevance(irds, files, qrels_of):
    for kind, values in {"relevance": [0, 2, 1], "quality": [1, 1, 1], "stance": ["FIRST", "SECOND", "NO"]}.items():
        files.write(f"touche/2022/task-2/qrels-{kind}.qrels", "".join(f"1 0 clueweb12-0 {value}\n" for value in values))
    assert qrels_of("clueweb12/touche-2022-task-2/stance") == [("1", "clueweb12-0", 2, "SECOND"), ("1", "clueweb12-0", 2, "-")]


# ---------------------------------------------------------------------------------------------------------------------
# from the command line, and with the real qrels and runs


@pytest.fixture
def offline(irds, tmp_path):
    """``offline(*arguments)``: runs Python in this test's home folder, without network."""
    (tmp_path / "sitecustomize.py").write_text(
        "import socket\ndef refuse(*a, **k): raise OSError('no connections in this test')\n"
        "socket.socket.connect = socket.getaddrinfo = refuse\n")

    def run(*arguments):
        return subprocess.run([sys.executable, *map(str, arguments)], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": str(tmp_path)})
    return run


PLUGGED = "import sys, pt_fairness, ir_datasets; sys.argv[0] = 'ir_datasets'; ir_datasets.main_cli()"


def test_relevance_diversity_and_fairness_from_the_same_judgments(files, offline, tmp_path):
    files.argsme()
    files.touche2020(QRELS)
    done = offline("-c", PLUGGED, "export", f"{TASK}/stance", "qrels")
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [f"{qid} {group} {docno} {label}" for qid, docno, label, group in STANCES]
    (tmp_path / "run").write_text("1 Q0 a2 0 9 r\n1 Q0 a1 1 8 r\n2 Q0 a5 0 9 r\n")
    done = offline("-m", "pt_fairness", f"{TASK}/stance", tmp_path / "run", "nDCG@5 α_nDCG@5 rKL@5")
    assert done.returncode == 0, done.stderr
    (tmp_path / "qrels").write_text(offline("-c", PLUGGED, "export", f"{TASK}/stance", "qrels").stdout)
    assert offline("-m", "pt_fairness", tmp_path / "qrels", tmp_path / "run", "nDCG@5 α_nDCG@5 rKL@5").stdout == done.stdout
    assert [line.split("\t")[0] for line in done.stdout.splitlines()] == ["nDCG@5", "alpha_nDCG@5", "rKL@5"]


def test_nothing_is_imported_before_a_measure_asks(offline):
    code = ("import sys, pt_fairness, pt_fairness.groups as g; from pt_fairness import rKL\n"
            f"assert '{ARGSME}/stance' in g.names(); m = rKL(groups='{ARGSME}/stance')@5; m.validate_params()\n"
            "mine = g.from_irds('vaswani', 'text'); rKL(groups=mine)@5; mine.override, repr(mine)\n"
            "print('ir_datasets' in sys.modules)")
    done = offline("-c", code)
    assert done.stdout == "False\n", done.stderr


def test_a_docstore_is_built_once_by_processes_that_start_together(files, tmp_path):
    files.argsme(debateorg=[files.argument(f"a{i}", "PRO") for i in range(3000)])
    code = (f"from pt_fairness import groups; g = groups.get('{ARGSME}/stance')\n"
            "print(len(g.lookup(['1'] * 2, ['a1', 'a2999'])))")
    several = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
               for _ in range(3)]
    printed = [one.communicate() for one in several]
    assert [out for out, _ in printed] == ["2\n"] * 3, printed
    assert (files.home / f"{ARGSME}.json.pklz4" / "bin.pos").stat().st_size == 3000 * 8


def test_a_docstore_that_somebody_begins_to_build_is_waited_for(irds, files):
    fcntl = pytest.importorskip("fcntl")
    files.argsme()
    fields = files.write(f"{ARGSME}.json.pklz4/bin.meta", "")  # its fields are about to be written
    with (files.home / "docs.lock").open("a") as lock, ThreadPoolExecutor() as threads:
        fcntl.flock(lock, fcntl.LOCK_EX)
        reads = [threads.submit(groups.get(f"{ARGSME}/{field}").lookup, ["1"], ["a1"]) for field in ("stance", "portal") * 4]
        assert not wait(reads, 0.5).done
        fields.write_text(" ".join(irds.load(ARGSME).docs_cls()._fields))
        fcntl.flock(lock, fcntl.LOCK_UN)
        assert [read.result()["group"].tolist() for read in reads] == [["PRO"], ["debateorg"]] * 4
    assert (files.home / f"{ARGSME}.json.pklz4" / "bin.pos").stat().st_size == 6 * 8, "built once"


def real_corpus(files, docnos):
    """A corpus for argument ids that exist; stances and portals at random, but the same every time."""
    pick = random.Random(2020)
    portals = {"debateorg": "debate.org", "debatepedia": "debatepedia", "debatewise": "debatewise", "idebate": "idebate",
               "parliamentary": "canadian-parliament"}
    arguments = {name: [] for name in portals}
    stances = {}
    for docno in sorted(docnos):
        name = pick.choice(list(portals))
        stances[docno] = pick.choice(["PRO", "CON"])
        arguments[name].append(files.argument(docno, stances[docno], portals[name]))
    files.argsme(**arguments)
    return stances


@pytest.mark.parametrize("year, topics, judgments", [(2020, 49, 2298), (2021, 50, 3711)])
def test_the_real_qrels_and_runs(irds, files, qrels_of, shared, year, topics, judgments):
    folder = shared / "data" / "touche"
    text = (folder / f"touche{year}-task1.qrels").read_text()
    if year == 2020:
        files.touche2020(text)
        files.write("touche/2020/task-1/queries.xml", (folder / "topics-task-1-2020.xml").read_bytes())
    else:
        files.touche2021(text, "".join(f"{line.rsplit(maxsplit=1)[0]} 1\n" for line in text.splitlines()))
    runs = {path.name: pd.read_csv(path, sep="\t", names=["query_id", "q0", "doc_id", "rank", "score", "tag"],
                                   dtype={"query_id": str, "doc_id": str})
            for path in sorted(folder.glob(f"run{year}.*.gz"))}
    judged = {line.split()[2] for line in text.splitlines()}
    stances = real_corpus(files, judged.union(*(set(run["doc_id"]) for run in runs.values())))
    rows = qrels_of(f"{ARGSME}/touche-{year}-task-1/stance")
    assert len(rows) == judgments and len({row[0] for row in rows}) == topics
    assert all(group == stances[docno] for _, docno, _, group in rows)
    if year == 2020:
        titles = [query.title for query in irds.load(f"{TASK}/stance").queries_iter()]
        assert len(titles) == 49 and titles[0] == "Should teachers get tenure?"
    qrels = pd.DataFrame(rows, columns=["query_id", "doc_id", "relevance", "iteration"])
    name = f"{ARGSME}/stance"
    measures = list(map(ir_measures.parse_measure, [
        "nDCG@5", "α_nDCG@5", *(f"{measure}({options})@5" for measure in ("rND", "rKL", "rRD")
                                for options in ("protected='CON'", f"protected='CON',groups='{name}'"))]))
    frame = pd.DataFrame({"docno": list(stances), "group": list(stances.values())})
    by_hand = {m: type(m)(**{**m.params, "groups": groups.from_frame(frame)}) for m in measures if "groups" in m.params}
    for run in runs.values():
        values = ir_measures.calc_aggregate([*measures, *by_hand.values()], qrels, run)
        assert all(0 < values[measure] < 1 for measure in measures)
        for measure, same in by_hand.items():
            assert values[measure] == pytest.approx(values[same], abs=1e-12)


def test_the_real_graded_qrels(irds, files, qrels_of, shared):
    text = (shared / "data" / "touche" / "touche2020-task1-graded.qrels").read_text()
    files.touche2020(text, "qrels-argsme-2020-04-01-uncorrected")
    real_corpus(files, {line.split()[2] for line in text.splitlines()})
    rows = qrels_of(f"{TASK}/uncorrected/stance")
    assert len(rows) == len(text.splitlines()) and {row[2] for row in rows} == {-2, 1, 2, 3, 4, 5}


# ---------------------------------------------------------------------------------------------------------------------
# the example


def test_the_example_with_a_generated_corpus_where_the_real_one_cannot_be_had(offline, example):
    done = offline(example.__file__)
    assert done.returncode == 0, done.stderr
    assert "args.me cannot be had" in done.stderr and "does not exist" in done.stderr
    first, head, *rows = done.stdout.splitlines()
    assert first.startswith("A generated corpus, not args.me") and head.split() == ["name", "BM25", "QLD"]
    table = {row.split()[0]: [float(value) for value in row.split()[1:]] for row in rows}
    assert list(table) == ["nDCG@5", "alpha_nDCG@5", *(f"{m}(groups='{ARGSME}/stance')@5" for m in ("rKL", "rND", "rRD"))]
    assert all(0 < value < 1 for values in table.values() for value in values)


def test_the_example_with_the_real_corpus(files, offline, example):
    example.generate(files.home)  # in the place of the real one
    real, generated = offline(example.__file__), offline(example.__file__, "generated")
    assert real.stdout.splitlines()[0] == f"The real args.me corpus: {TASK}/stance"
    assert real.stdout.splitlines()[1:] == generated.stdout.splitlines()[1:]
