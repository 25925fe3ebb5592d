"""Reading through ir_datasets: errors that name the file, and the lock of a docstore."""

import json
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor, wait

import pytest

from pt_fairness import groups
from pt_fairness.io.irds import lock

ARGSME = "argsme/2020-04-01"
TASK = f"{ARGSME}/touche-2020-task-1"
QRELS = "1 0 a1 2\n1 0 a2 1\n"
ADVICE = "Replace damaged files by good copies; those that ir_datasets can download can simply be "


def judgments_of(irds, dataset_id):
    return list(irds.load(dataset_id).qrels_iter())


# --------------------------------------------------------------------------------------------------
# judgments


TREC8, FOLD = "disks45/nocr/trec8/source", "disks45/nocr/trec-robust-2004/fold5/source"
BLOGS, BEIR = "blogs06/trec-blog-2007/opinion", "beir/webis-touche2020/stance"


@pytest.mark.parametrize("write, dataset_id, cases", [
    ("trec8", TREC8, [("1 a3 1", "expected 4 columns, got 3"),
                      ("1 0 a3 1 x", "expected 4 columns, got 5"),
                      ("1 0 a3 yes", "invalid literal for int.*'yes'"),
                      ("   ", "expected 4 columns, got 0")]),
    ("robust04", FOLD, [("301 0 a3", "expected 4 columns, got 3")]),
    ("blogs", BLOGS, [("1 0 a3 1.5", "invalid literal for int.*'1.5'")]),
    ("touche2020", f"{TASK}/stance", [("1 a3 1", "Expected 4 .* but got 3"),
                                      ("1 0 a3 good", "invalid literal.*'good'")]),
])
def test_a_bad_line_of_judgments(irds, files, write, dataset_id, cases):
    for line, reason in cases:
        file = getattr(files, write)(f"304 0 a1 1\n\n304 0 a2 2\n{line}\n304 0 a4 1\n")
        with pytest.raises(ValueError, match=rf"^{re.escape(str(file))} cannot be read after 'a2': "
                                             rf"\w+: {reason}.*\. {ADVICE}"):
            judgments_of(irds, dataset_id)


def test_judgments_that_are_not_what_they_should_be(irds, files):
    fraction = files.touche2020("1 0 a1 4.0\n1 0 a2 3.5\n", "qrels-argsme-2020-04-01-uncorrected")
    latin = files.blogs(QRELS.encode() + b"1 0 caf\xe9 1\n")
    for dataset_id, file, reason in [
            (f"{TASK}/uncorrected/stance", fraction, r"after 'a1': ValueError: .*score 3\.5"),
            (BLOGS, latin, ": UnicodeDecodeError: .*0xe9")]:
        with pytest.raises(ValueError, match=rf"^{re.escape(str(file))} cannot be read.*{reason}.*"
                                             rf"\. {ADVICE}"):
            judgments_of(irds, dataset_id)
    for version, line, reason in [("", "1\td2\t4\tx", "expected 3 columns, got 4"),
                                  ("/v2", "1\td2\tx", "invalid literal")]:
        files.beir({"d1": "PRO"}, f"1\td1\t4\n{line}\n", version)
        with pytest.raises(ValueError, match=rf"test\.qrels cannot be read after 'd1': .*{reason}"):
            judgments_of(irds, f"beir/webis-touche2020{version}/stance")


def test_files_that_are_read_in_parallel_have_to_match(irds, files):
    for quality, reason in [("51 0 a1 1\n51 0 a9 2\n", "a9 does not match"),
                            ("51 0 a1 1\n51 0 a3\n", "Expected 4 quality")]:
        both = " or ".join(map(str, files.touche2021("51 0 a1 2\n51 0 a3 0\n", quality)))
        with pytest.raises(ValueError, match=rf"^{re.escape(both)} cannot be read after 'a1': "
                                             rf".*{reason}.*{ADVICE}"):
            judgments_of(irds, f"{ARGSME}/touche-2021-task-1/stance")
    *_, stance = files.comparative(["FIRST", "THIRD"])
    with pytest.raises(ValueError, match=rf"or {re.escape(str(stance))} cannot be read after "
                                         "'clueweb12-0': .*'THIRD' is not a valid"):
        judgments_of(irds, "clueweb12/touche-2022-task-2/stance")


def test_files_that_are_read_in_parallel_have_to_be_equally_long(irds, files):
    lines = "51 0 a1 2\n\n51 0 a3 0\n"
    files.touche2021(lines, lines.replace("\n\n", "\n"))
    assert len(judgments_of(irds, f"{ARGSME}/touche-2021-task-1")) == 2
    relevance, quality = files.touche2021(lines, "51 0 a1 1\n")
    counts = re.escape(f"2 in {relevance}, 1 in {quality}. ")
    with pytest.raises(ValueError, match=counts + ADVICE):
        judgments_of(irds, f"{ARGSME}/touche-2021-task-1/stance")
    *others, stance = files.comparative(["FIRST", "SECOND", "NO"])
    stance.write_text(stance.read_text().rpartition("1 0")[0])
    with pytest.raises(ValueError, match=", ".join(
            re.escape(f"{count} in {file}")
            for count, file in zip((3, 3, 2), (*others, stance), strict=True))):
        judgments_of(irds, "clueweb12/touche-2022-task-2/stance")


def test_judgments_that_are_missing(irds, tmp_path):
    for dataset_id, file in [(TREC8, "disks45/qrels.trec8.adhoc.parts1-5.tar.gz"),
                             (f"{TASK}/stance", "touche/2020/task-1/qrels.qrels"),
                             ("blogs06/trec-blog-2007", "blogs06/07.qrels.opinion")]:
        place = re.escape(str(tmp_path / "home" / file))
        with pytest.raises(FileNotFoundError, match=rf"^{place} does not exist and could not be "
                           r"downloaded \(.* put it there, or set IR_DATASETS_HOME"):
            judgments_of(irds, dataset_id)


def test_truncated_archives(irds, files):
    long = files.trec8("".join(f"401 0 FT911-{i} {i % 2}\n" for i in range(20000)))
    for dataset_id, file in [(TREC8, long), (BEIR, files.beir({"d1": "PRO"}, "1\td1\t4\n"))]:
        file.write_bytes(file.read_bytes()[:-file.stat().st_size // 2])
        with pytest.raises(ValueError, match=rf"^{re.escape(str(file))} cannot be read.*{ADVICE}"):
            judgments_of(irds, dataset_id)


# --------------------------------------------------------------------------------------------------
# documents


def test_a_document_that_ir_datasets_refuses(irds, files):
    files.argsme(debateorg=[files.argument("a1", "PRO")],
                 idebate=[files.argument("z1", "PRO"), files.argument("z2", "MAYBE")])
    with pytest.raises(ValueError, match=r"^\S+idebate\.json cannot be read after 'z1': "
                                         rf"ValueError: Unknown stance MAYBE\. {ADVICE}"):
        groups.get(f"{ARGSME}/stance").lookup(["1"], ["a1"])
    file = files.beir({"d1": "PRO", "d2": None}, "1\td1\t4\n")
    with pytest.raises(ValueError, match=rf"^{re.escape(str(file))} cannot be read after 'd1': .*"
                                         "KeyError: 'metadata'"):
        judgments_of(irds, BEIR)


@pytest.mark.parametrize("name, version", [(f"{ARGSME}/stance", "2020-04-01/debatewise"),
                                           ("argsme/1.0/stance", "1.0")])
def test_a_bad_file_of_argsme(irds, files, name, version):
    files.argsme()
    file = files.write(f"argsme/{version}.json",
                       json.dumps({"arguments": [files.argument("c1", "CON")]}))
    for content in (file.read_bytes()[:-60], b""):
        file.write_bytes(content)
        with pytest.raises(ValueError, match=rf"^{re.escape(str(file))} cannot be read: "
                                             rf"IncompleteJSONError.*\. {ADVICE}"):
            groups.get(name).lookup(["1"], ["a1"])
    file.unlink()
    with pytest.raises(FileNotFoundError, match=rf"^{re.escape(str(file))} does not exist and "
                                                r"could not be downloaded .* set IR_DATASETS_HOME"):
        groups.get(name).lookup(["1"], ["a1"])


def test_a_truncated_zip_of_documents(irds, files):
    file = files.beir({"d1": "PRO"}, "1\td1\t4\n")
    judgments_of(irds, "beir/webis-touche2020")  # extracts them
    file.write_bytes(file.read_bytes()[:-40])
    with pytest.raises(ValueError, match=rf"^{re.escape(str(file))} cannot be read: BadZipFile"):
        judgments_of(irds, BEIR)


def test_an_argument_that_is_there_twice(irds, files):
    files.argsme(debateorg=[files.argument(docno, "PRO") for docno in ("a1", "a2", "a4")],
                 idebate=[files.argument(docno, "CON") for docno in ("a3", "a2", "a5")])
    stances = groups.get(f"{ARGSME}/stance")
    for _ in range(2):
        with pytest.raises(ValueError, match=r"^the argument 'a2' is more than once in \S+debateorg"
                                             rf"\.json or .*delete \S+{ARGSME}\.json\.pklz4: "):
            stances.lookup(["1"], ["a2"])
    assert stances.lookup(["1"], ["a1"])["group"].tolist() == ["PRO"], "this one is there once"


def test_a_missing_dependency_is_no_damage(irds, files, monkeypatch):
    files.argsme()
    monkeypatch.delitem(irds.lazy_libs._cache, "ijson", raising=False)
    monkeypatch.setitem(sys.modules, "ijson", None)
    with pytest.raises(ImportError, match="ijson"):
        groups.get(f"{ARGSME}/stance").lookup(["1"], ["a1"])


# --------------------------------------------------------------------------------------------------
# docstores


DAMAGES = [
    ({"idx.doc_id.key": None, "idx.doc_id.pos": None, "idx.doc_id.meta": None},
     "not built to the end"),
    ({"idx.doc_id.pos": None, "idx.doc_id.meta": None}, "No such file"),  # nor was this
    ({"idx.doc_id.pos": 9}, "mmap length"),
    ({"bin": 9}, "LZ4BlockError"),
    ({"bin": 1 << 20}, "too small"),
    ({"bin": None}, "No such file"),
    ({"bin.meta": 1 << 20}, "fields do not match"),
]


@pytest.mark.first(1)
@pytest.mark.parametrize("dataset_id, folder", [
    (f"{TASK}/stance", f"{ARGSME}.json.pklz4"), (BEIR, "beir/webis-touche2020/docs.pklz4")])
def test_a_damaged_docstore_can_be_built_again(irds, files, dataset_id, folder):
    files.argsme()
    files.touche2020(QRELS + "2 0 a5 1\n")
    files.beir({"d1": "PRO", "d2": "CON"}, "1\td1\t4\n1\td2\t0\n")
    store = files.home / folder
    rows = judgments_of(irds, dataset_id)
    for damage, reason in DAMAGES:
        for table in files.home.rglob("*.tsv"):
            table.unlink()
        for file, cut in damage.items():
            content = (store / file).read_bytes()
            (store / file).unlink()
            if cut is not None:
                (store / file).write_bytes(content[:-cut])
        for _ in range(2):
            with pytest.raises(ValueError, match="^ir_datasets cannot read its docstore: .*"
                                                 rf"{reason}.* Delete that folder") as raised:
                judgments_of(irds, dataset_id)
            assert str(store) in str(raised.value)
            assert not list(files.home.rglob("*.tsv"))
        shutil.rmtree(store)
        assert judgments_of(irds, dataset_id) == rows


@pytest.mark.exhaustive
def test_a_docstore_is_built_once_by_processes_that_start_together(files):
    files.argsme(debateorg=[files.argument(f"a{i}", "PRO") for i in range(3000)])
    code = (f"from pt_fairness import groups; g = groups.get('{ARGSME}/stance')\n"
            "print(len(g.lookup(['1'] * 2, ['a1', 'a2999'])))")
    several = [subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True) for _ in range(3)]
    printed = [one.communicate() for one in several]
    assert [out for out, _ in printed] == ["2\n"] * 3, printed
    assert (files.home / f"{ARGSME}.json.pklz4" / "bin.pos").stat().st_size == 3000 * 8


def test_a_docstore_that_another_process_begins_to_build(irds, files):
    fcntl = pytest.importorskip("fcntl")
    files.argsme()
    fields = files.write(f"{ARGSME}.json.pklz4/bin.meta", "")  # its fields are about to be written
    with (files.home / f"{ARGSME}.lock").open("a") as lock, ThreadPoolExecutor() as threads:
        fcntl.flock(lock, fcntl.LOCK_EX)
        reads = [threads.submit(groups.get(f"{ARGSME}/{field}").lookup, ["1"], ["a1"])
                 for field in ("stance", "portal") * 4]
        assert not wait(reads, 0.5).done
        fields.write_text(" ".join(irds.load(ARGSME).docs_cls()._fields))
        fcntl.flock(lock, fcntl.LOCK_UN)
        assert [read.result()["group"].tolist() for read in reads] == [["PRO"], ["debateorg"]] * 4
    assert (files.home / f"{ARGSME}.json.pklz4" / "bin.pos").stat().st_size == 6 * 8, "built once"


def test_a_lock_is_held_in_a_folder_that_is_made_for_it_and_in_one_that_is_there(irds, tmp_path):
    fcntl = pytest.importorskip("fcntl")
    path = tmp_path / "neuclir" / "1" / "languages.tsv.lock"
    for _ in range(2):
        with lock(path), path.open("a") as file, pytest.raises(BlockingIOError):
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
