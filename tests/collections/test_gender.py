"""The genders of passages: those of their words, from a table, and those that were annotated."""

import hashlib
import json
import os
import pickle
import shutil
import subprocess
import sys

import pandas as pd
import pytest
from measure_cases import values_of
from msmarco_passages import GENDERS, TABLE, TASKS, gender

from pt_fairness import MRecall, collections, groups, values
from pt_fairness.collections import document_groups as reading

NAME = "msmarco-passage/msmgenderbias"
FILE = "msmarco-passage/fair/biases.csv"
CSV = "doc_id,gender_bias\n8210786,M\n7660865,F\n12,N\n"


def test_annotated_genders(irds, files):
    source = groups.get(NAME)
    assert source.labels == ["female", "male", "neutral"] and source.complete, "before it is read"
    files.write(FILE, CSV)
    docnos = ["12", "8210786", "13", "7660865"]
    found = source.lookup(["1"] * 4, docnos)
    assert [*zip(found["docno"], found["group"], strict=True)] == [
        ("12", "neutral"), ("8210786", "male"), ("7660865", "female")]
    assert pickle.loads(pickle.dumps(source)).lookup(["1"], ["12"])["group"].tolist() == ["neutral"]
    qrels = pd.DataFrame({"query_id": "1", "doc_id": docnos, "relevance": 1})
    run = qrels[["query_id", "doc_id"]].assign(score=[4.0, 3.0, 2.0, 1.0])
    measure = MRecall(value="share", groups=NAME) @ 2
    assert values_of([measure], qrels, run) == {(measure, "1"): pytest.approx(2 / 3)}


@pytest.mark.exhaustive
@pytest.mark.parametrize(("content", "reason"), [
    ("doc,bias\n1,M\n", "no columns doc_id and gender_bias"),
    ("doc_id,gender_bias\n1,X\n", "which is one of F, M, N"),
    ("doc_id,gender_bias\n1\n", "line 2 has one column"), ("", "it is empty")])
def test_damaged_annotations(irds, files, content, reason):
    path = files.write(FILE, content)
    with pytest.raises(ValueError, match=reason) as error:
        groups.get(NAME).lookup(["1"], ["1"])
    assert f"{path} is damaged" in str(error.value)


def test_the_real_annotations(irds, files, shared):
    file = shared / "data/gender/MSMGenderBias.csv"
    if not file.exists():
        pytest.skip(f"no {file}")
    files.write(FILE, file.read_bytes())
    docnos = pd.read_csv(file, dtype=str)["doc_id"]
    found = groups.get(NAME).lookup(["1"] * len(docnos), docnos)["group"].value_counts()
    assert found.to_dict() == {"neutral": 636, "male": 144, "female": 113}


@pytest.mark.parametrize("task", TASKS)
def test_passages_are_read_once(irds, msmarco, qrels_of, capfd, task):
    assert [tuple(row) for row in irds.load(gender(task)).qrels_iter()] == GENDERS
    assert "0/4" in capfd.readouterr().err, "progress is shown"
    assert (msmarco / "fair/gender.tsv").read_text() == TABLE
    shutil.rmtree(msmarco / "collection.tsv.pklz4")
    for file in ("collection.tsv", "collectionandqueries.tar.gz", "fair/words.csv"):
        (msmarco / file).unlink()
    assert qrels_of(gender(task)) == GENDERS
    found = groups.get(gender(task)).lookup(["1"], ["12"])
    assert found["group"].tolist() == ["male"]
    assert values.get(gender(task)).lookup(["1"], ["12"]).tolist() == [0]


ONE_PROCESS = """
import json, sys, pt_fairness, ir_datasets
from pt_fairness import groups
name, docnos = sys.argv[1], sys.argv[2].split()
rows = [tuple(row) for row in ir_datasets.load(name).qrels_iter()]
print(json.dumps([rows, groups.get(name).lookup(["1"] * len(docnos), docnos)["group"].tolist()]))
"""


@pytest.mark.exhaustive
def test_two_processes_at_once_with_other_passages(msmarco, offline, tmp_path):
    processes = [subprocess.Popen([sys.executable, "-c", ONE_PROCESS, gender(task), docnos],
                                  text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  env={**os.environ, "PYTHONPATH": str(tmp_path)})
                 for task, docnos in zip(TASKS, ("15", "16 13"), strict=True)]
    printed = [process.communicate(timeout=120) for process in processes]
    assert [process.returncode for process in processes] == [0, 0], printed
    expected = [list(row) for row in GENDERS]
    assert [json.loads(out) for out, _ in printed] == [
        [expected, ["male"]], [expected, ["neutral", "neutral"]]]
    table = (msmarco / "fair/gender.tsv").read_text().splitlines()
    assert sorted(table[1:]) == [*TABLE.splitlines()[1:], "15\t1\t2", "16\t0\t1"]


def test_the_table_is_used_and_made_anew(irds, msmarco, qrels_of):
    table = msmarco / "fair/gender.tsv"
    assert qrels_of(gender("dev")) == GENDERS

    def read_again():
        fresh = collections.make("groups", gender("dev"))
        fresh._counts._known = fresh._counts._known.iloc[:0]  # as in another process
        return fresh.lookup(["1"], ["13"])["group"].tolist()

    table.write_text(TABLE.replace("13\t0\t0", "13\t5\t0"))
    assert read_again() == ["female"], "it is used"
    os.utime(table, (1, 1))
    assert read_again() == ["neutral"], "the corpus is newer"
    for content in (b"", TABLE.replace("female", "f").encode(), TABLE[:-2].encode(), b"\xff\xfe",
                    TABLE.replace("\t2\t", "\t2.5\t").encode(),
                    f"{TABLE}11\t0\t0\n".encode()):
        table.write_bytes(content)
        assert read_again() == ["neutral"], "it is invalid"
        assert "13\t0\t0\n" in table.read_text()


@pytest.mark.exhaustive
@pytest.mark.parametrize("file, content, message", [
    ("dev.tsv", "1 how\n", "dev.tsv is damaged: line 1 has one column: '1 how'. Delete it"),
    ("dev.tsv", "", "fair/dev.tsv is damaged: it is empty"),
    ("dev.tsv", b"\xff\t\n", "codec can't decode byte"),
    ("words.csv", "he,m\nshe\n", "fair/words.csv is damaged: line 2 has one column: 'she'"),
    ("words.csv", "he,m\nshe,w\n", "fair/words.csv is damaged: 'w' is none of the groups f, m"),
    ("words.csv", "he,m\n", "got 'female' with no words"),
    ("dev.tsv", None, "msmarco_passage.dev.fair.tsv"),
    ("words.csv", None, "wordlist_gender_representative"),
])
def test_files_that_are_damaged_or_missing(irds, msmarco, file, content, message):
    path = msmarco / "fair" / file
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises((ValueError, OSError), match=message):
        list(irds.load(gender("dev")).qrels_iter())
    assert not (msmarco / "fair/gender.tsv").exists()


def test_the_hashes_are_those_of_the_authors_files(irds, shared):
    names = {"dev.tsv": "msmarco-passage-dev.fair.tsv", "words.csv": "words.csv",
             "trec-dl-2019.tsv": "trec-dl-2019.fair.tsv", "biases.csv": "MSMGenderBias.csv"}
    for file, (_, md5) in reading._FILES.items():
        content = (shared / "data" / "gender" / names[file]).read_bytes()
        assert hashlib.md5(content).hexdigest() == md5


#: Serves the files from a local server, and reads them in two threads at once: with a wrong hash,
#: and with the right one.
DOWNLOAD = """
import concurrent.futures, functools, http.server, sys, threading
import pt_fairness, ir_datasets
from pt_fairness.collections import document_groups as gender
home, md5 = sys.argv[1:]
class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        print("asked for", self.path)
handler = functools.partial(Handler, directory=home)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
gender._GITHUB = f"http://127.0.0.1:{server.server_port}/"
for known in md5[::-1], md5:
    gender._FILES["words.csv"] = ("words.txt", known)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        for found in [pool.submit(gender.words) for _ in range(2)]:
            print(found.exception() or found.result())
server.shutdown()
"""


@pytest.mark.exhaustive
def test_a_download_is_checked_by_its_hash(tmp_path):
    content = b"he,m\nshe,f\nher,f\n"
    (tmp_path / "words.txt").write_bytes(content)
    md5 = hashlib.md5(content).hexdigest()
    done = subprocess.run(
        [sys.executable, "-c", DOWNLOAD, str(tmp_path), md5], capture_output=True, text=True,
        env={**os.environ, "NO_PROXY": "127.0.0.1", "IR_DATASETS_HOME": str(tmp_path / "home"),
             "IR_DATASETS_DL_TRIES": "1"})
    assert done.returncode == 0, done.stderr
    file = tmp_path / "home/msmarco-passage/fair/words.csv"
    lines = done.stdout.splitlines()
    assert sum(md5[::-1] in line for line in lines[:-3]) == 2
    assert lines[-3] == "asked for /words.txt"
    assert lines[-2:] == ["{'female': ['she', 'her'], 'male': ['he']}"] * 2
    assert file.read_bytes() == content


def test_the_authors_words_and_queries(irds, msmarco, shared, qrels_of):
    folder = shared / "data" / "gender"
    for task, file in zip(TASKS, ("msmarco-passage-dev", "trec-dl-2019"), strict=True):
        shutil.copy(folder / f"{file}.fair.tsv", msmarco / "fair" / f"{task}.tsv")
    shutil.copy(folder / "words.csv", msmarco / "fair/words.csv")
    assert {name: len(words) for name, words in reading.words().items()} == {
        "female": 163, "male": 163}
    assert [len({qid for qid, _ in reading.rows(f"{task}.tsv", "\t")}) for task in TASKS] == [
        215, 30]
