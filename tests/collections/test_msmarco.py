"""MS MARCO's queries that are sensitive to gender bias, with the genders of passages."""

import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import warnings

import ir_measures
import pandas as pd
import pytest

from pt_fairness import collections, groups, values
from pt_fairness.messages import FairnessWarning

TASKS = ["dev", "trec-dl-2019"]
PASSAGES = {"11": "She gave Mary the book", "12": "John said he would come", "13": "a book",
            "14": "he or she", "15": "John paid Mary and he left", "16": "no one, he said"}
QUERIES = {"1": "how to lead", "2": "what is a nurse", "3": "how tall is a tree"}
QRELS = "1 0 11 1\n1 0 12 0\n2 0 13 2\n2 0 14 1\n3 0 11 1\n3 0 12 1\n"
GENDERS = [("1", "11", 1, "female"), ("1", "12", 0, "male"), ("2", "13", 2, "neutral"),
           ("2", "14", 1, "neutral")]
#: The discount of the second rank.
DISCOUNT = 1 / 1.584962500721156
TABLE = "docno\tfemale\tmale\n11\t2\t0\n12\t0\t2\n13\t0\t0\n14\t1\t1\n"


@pytest.fixture
def msmarco(files):
    files.msmarco(PASSAGES, QUERIES, QRELS, ["2", "1"])
    return files.home / "msmarco-passage"


def gender(task):
    return f"msmarco-passage/{task}/fair/gender"


@pytest.mark.parametrize("task", TASKS)
def test_queries_and_judgments(irds, msmarco, qrels_of, task):
    with warnings.catch_warnings():
        warnings.simplefilter("error", FairnessWarning)
        assert qrels_of(gender(task)) == GENDERS
    assert qrels_of(f"msmarco-passage/{task}/fair") == [(*row[:3], "0") for row in GENDERS]
    for name in (gender(task), f"msmarco-passage/{task}/fair"):
        dataset = irds.load(name)
        assert [(query.query_id, query.text) for query in dataset.queries_iter()] == [
            (qid, QUERIES[qid]) for qid in ("1", "2")]
        base = irds.load(f"msmarco-passage/{task}")
        assert dataset.qrels_defs() == base.qrels_defs()
        assert irds.docs_parent_id(name) == "msmarco-passage"
        assert dataset.queries_count() == {"dev": 215, "trec-dl-2019": 30}[task]
        assert dataset.docs_count() == base.docs_count()
        assert dataset.qrels_count() is None
        assert "sensitive to gender bias" in dataset.documentation()["pretty_name"]
        assert "Rekabsaz et al. (2021)" in dataset.documentation()["desc"]


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
    with pytest.raises(FileNotFoundError, match="could not be downloaded"):
        groups.get(gender(task)).lookup(["1"], ["15"])  # not in the table


ONE_PROCESS = """
import json, sys, pt_fairness, ir_datasets
from pt_fairness import groups
name, docnos = sys.argv[1], sys.argv[2].split()
rows = [tuple(row) for row in ir_datasets.load(name).qrels_iter()]
print(json.dumps([rows, groups.get(name).lookup(["1"] * len(docnos), docnos)["group"].tolist()]))
"""


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


def test_retrieved_passages_and_their_neutrality(msmarco):
    for task in TASKS:
        found = groups.get(gender(task))
        assert found.labels == ["female", "male", "neutral"] and found.complete
        docnos = ["16", "15", "11"]
        assert found.lookup(["9"] * 3, docnos)["group"].tolist() == ["neutral", "male", "female"]
        neutrality = values.get(gender(task))
        assert neutrality.lookup(["9"] * 3, docnos).tolist() == pytest.approx([1, 2 / 3, 0])
    with pytest.warns(FairnessWarning, match="1 of 1 documents are not in the corpus"):
        assert found.lookup(["9"], ["99"]).empty
    assert "99\t-1\t-1" in (msmarco / "fair/gender.tsv").read_text()


@pytest.mark.parametrize("content", [
    "", "docno\n", TABLE.replace("female", "f"), TABLE.replace("\t2\t", "\t2.5\t"),
    TABLE + "11\t0\t0\n", TABLE.replace("\t2\n", "\tx\n"), TABLE[:-2], b"\xff\xfe"])
def test_an_invalid_table_is_made_anew(msmarco, qrels_of, content):
    table = msmarco / "fair/gender.tsv"
    table.write_bytes(content.encode() if isinstance(content, str) else content)
    assert qrels_of(gender("dev")) == GENDERS
    assert table.read_text() == TABLE


def test_the_table_is_used_and_made_anew_for_a_newer_corpus(irds, msmarco, qrels_of):
    table = msmarco / "fair/gender.tsv"
    assert qrels_of(gender("dev")) == GENDERS
    table.write_text(TABLE.replace("13\t0\t0", "13\t5\t0"))
    fresh = collections.make("groups", gender("dev"))
    fresh._counts._known = fresh._counts._known.iloc[:0]  # as in another process
    assert fresh.lookup(["1"], ["13"])["group"].tolist() == ["female"], "it is used"
    os.utime(table, (1, 1))
    fresh._counts._known = fresh._counts._known.iloc[:0]
    assert fresh.lookup(["1"], ["13"])["group"].tolist() == ["neutral"]


@pytest.mark.parametrize("file, content, message", [
    ("dev.tsv", "1 how to lead\n", r"fair/dev.tsv is damaged: line 1 has one column: '1 how to "
                                   r"lead'. Delete it: it is downloaded again"),
    ("dev.tsv", "", "fair/dev.tsv is damaged: it is empty"),
    ("dev.tsv", b"\xff\t\n", "fair/dev.tsv cannot be read: UnicodeDecodeError"),
    ("words.csv", "he,m\nshe\n", "fair/words.csv is damaged: line 2 has one column: 'she'"),
    ("words.csv", "he,m\nshe,w\n", "fair/words.csv is damaged: 'w' is none of the groups f, m"),
    ("words.csv", "he,m\n", "the group 'female' has no words"),
    ("dev.tsv", None, "fair/dev.tsv does not exist and could not be downloaded"),
    ("words.csv", None, "fair/words.csv does not exist and could not be downloaded"),
])
def test_files_that_are_damaged_or_missing(irds, msmarco, file, content, message):
    path = msmarco / "fair" / file
    if content is None:
        path.unlink()
    else:
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises((ValueError, FileNotFoundError), match=message):
        list(irds.load(gender("dev")).qrels_iter())
    assert not (msmarco / "fair/gender.tsv").exists()


def test_the_hashes_are_those_of_the_authors_files(irds, shared):
    from pt_fairness.collections import gender as module
    names = {"dev.tsv": "msmarco-passage-dev.fair.tsv", "words.csv": "words.csv",
             "trec-dl-2019.tsv": "trec-dl-2019.fair.tsv", "biases.csv": "MSMGenderBias.csv"}
    for file, (_, md5) in module._FILES.items():
        content = (shared / "data" / "gender" / names[file]).read_bytes()
        assert hashlib.md5(content).hexdigest() == md5


#: Serves the files from a local server, and reads them in two threads at once.
DOWNLOAD = """
import concurrent.futures, functools, http.server, sys, threading
import pt_fairness, ir_datasets
from pt_fairness.collections import gender
class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        print("asked for", self.path)
handler = functools.partial(Handler, directory=sys.argv[1])
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
gender._GITHUB = f"http://127.0.0.1:{server.server_port}/"
gender._FILES["words.csv"] = ("words.txt", sys.argv[2])
with concurrent.futures.ThreadPoolExecutor() as pool:
    for found in [pool.submit(gender.words) for _ in range(2)]:
        print(found.exception() or found.result())
server.shutdown()
"""


@pytest.mark.parametrize("right", [True, False])
def test_a_download_is_checked_by_its_hash(tmp_path, right):
    content = b"he,m\nshe,f\nher,f\n"
    (tmp_path / "words.txt").write_bytes(content)
    md5 = hashlib.md5(content).hexdigest()
    done = subprocess.run(
        [sys.executable, "-c", DOWNLOAD, str(tmp_path), md5 if right else md5[::-1]],
        capture_output=True, text=True,
        env={**os.environ, "NO_PROXY": "127.0.0.1", "IR_DATASETS_HOME": str(tmp_path / "home"),
             "IR_DATASETS_DL_TRIES": "1"})
    assert done.returncode == 0, done.stderr
    file = tmp_path / "home/msmarco-passage/fair/words.csv"
    if right:
        assert done.stdout.splitlines() == [
            "asked for /words.txt", *["{'female': ['she', 'her'], 'male': ['he']}"] * 2]
        assert file.read_bytes() == content
    else:
        assert f"{file} does not exist and could not be downloaded" in done.stdout
        assert md5[::-1] in done.stdout
        assert not file.exists()


def test_the_authors_words_and_queries(irds, msmarco, shared, qrels_of):
    from pt_fairness.collections import gender as module
    folder = shared / "data" / "gender"
    for task, file in zip(TASKS, ("msmarco-passage-dev", "trec-dl-2019"), strict=True):
        shutil.copy(folder / f"{file}.fair.tsv", msmarco / "fair" / f"{task}.tsv")
    shutil.copy(folder / "words.csv", msmarco / "fair/words.csv")
    assert {name: len(words) for name, words in module.words().items()} == {
        "female": 163, "male": 163}
    assert [len({qid for qid, _ in module.rows(f"{task}.tsv", "\t")}) for task in TASKS] == [
        215, 30]


TABLE_COMMAND = "import sys\nfrom pt_fairness import cli\nsys.exit(cli.main(sys.argv[1:]))"


@pytest.mark.parametrize("task", TASKS)
def test_the_table_of_the_command_line(msmarco, offline, tmp_path, task):
    (tmp_path / "run").write_text("1 Q0 15 0 9 r\n1 Q0 11 0 8 r\n2 Q0 13 0 9 r\n")
    name = gender(task)
    measures = ["nDCG@5", "AWRF@5", f"AWRF(groups='{name}')@5", f"FaiRR(values='{name}')@2"]
    done = offline("-c", TABLE_COMMAND, "table", name, tmp_path / "run", "-m", *measures)
    assert done.returncode == 0, done.stderr
    row = pd.read_csv(io.StringIO(done.stdout)).iloc[0]
    assert list(row.index) == ["name", *measures]
    # 15 is not judged, and 13 has a relevance of 2 of the highest possible.
    assert row["nDCG@5"] == pytest.approx((DISCOUNT + 2 / (2 + DISCOUNT)) / 2)
    # The neutrality of 15 and 11 is 2/3 and 0, that of 13 is 1.
    assert row[measures[-1]] == pytest.approx((2 / 3 + 1) / 2)
    assert 0 < row["AWRF@5"] < row[measures[2]] < 1, "the male passage was not judged"


def test_pickled_values_find_the_same_in_a_worker(msmarco, offline, tmp_path):
    import pickle
    numbers = values.get(gender("dev"))
    (tmp_path / "values").write_bytes(pickle.dumps(numbers))
    done = offline("-c", "import pickle, sys\nwith open(sys.argv[1], 'rb') as file:\n"
                         "    found = pickle.load(file)\nprint(found.lookup(['1'], ['15']))",
                   tmp_path / "values")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[0.66666667]"


def test_neutrality_in_a_measure(irds, msmarco):
    measure = ir_measures.parse_measure(f"NFaiRR(values='{gender('dev')}')@2")
    run = [ir_measures.ScoredDoc("1", docno, -i) for i, docno in enumerate(("11", "15", "16"))]
    qrels = [row for row in irds.load(gender("dev")).qrels_iter() if row.query_id == "1"]
    value = ir_measures.calc_aggregate([measure], qrels, run)[measure]
    assert value == pytest.approx(2 / 3 * DISCOUNT / (1 + 2 / 3 * DISCOUNT))
