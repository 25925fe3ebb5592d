"""Run files: the forms they may have, and the errors of wrong ones."""

import gzip
import os
import subprocess
import sys
import threading
import warnings

import ir_measures
import numpy as np
import pandas as pd
import pytest

from pt_fairness import FairnessWarning, read_run

LINE = "1 Q0 a 1 3.5 tag\n"


def written(path, text):
    data = text if isinstance(text, bytes) else text.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def assert_as_ir_measures_reads(path):
    theirs = pd.DataFrame(ir_measures.read_trec_run(str(path)), columns=["qid", "docno", "score"])
    ours = read_run(path)
    assert list(ours.columns) == ["qid", "docno", "score"] and ours["score"].dtype == "float64"
    for column in ours:
        assert ours[column].tolist() == theirs[column].tolist()
    return ours


@pytest.mark.parametrize("name", ["run", "run.gz"])
@pytest.mark.parametrize("text", [
    LINE, "", "\n \n" + LINE + "\n" + LINE,
    # Identifiers that look like missing values or numbers.
    "007 Q0 NA 1 1 t\n007 Q0 null 2 1 t\n1.0 Q0 nan 3 1 t\nnan 0 1 1 -1 t\n",
    "1\tQ0\ta\t1\t3\tt\n  1   Q0 b 2 \t 2   t  \n",
    "1 Q0 a 1 inf t\n1 Q0 b 2 -Infinity t\n1 Q0 c 3 +1.e-3 t\n",
    '1 Q0 "a 1 3 t\'\n1 Q0 #b, 2 2 "t"\n1 Q0 é中 3 1 t\n',
    "1 Q0 a 1 3.5 tag\r\n1 Q0 b 2 3.5 tag\r\n1 Q0 c 3 1 tag",
    "1 Q0 a 1 1 t\n1 Q0 b 2 0 t\n",  # pandas reads True and False so
    "b Q0 a x 3 one\na Q0 a y 9 two\nb Q0 a z 4 three\n",
])
def test_as_ir_measures_reads_it(tmp_path, name, text):
    assert_as_ir_measures_reads(written(tmp_path / name, text))


def test_white_space_that_only_python_knows_separates_nothing(tmp_path):
    run = read_run(written(tmp_path / "run", "1 Q0 true\N{NO-BREAK SPACE}b 1 1.0 t\n"))
    assert run.values.tolist() == [["1", "true\N{NO-BREAK SPACE}b", 1.0]]


def test_scores_to_the_last_digit(tmp_path):
    rng = np.random.default_rng(0)
    scores = np.concatenate([rng.standard_normal(9000), np.exp(rng.uniform(-700, 700, 9000))])
    text = "".join(f"{i % 7} Q0 d{i} 0 {score!r} t\n" for i, score in enumerate(scores.tolist()))
    found = assert_as_ir_measures_reads(written(tmp_path / "run", text))
    assert found["score"].tolist() == scores.tolist()


def test_a_real_run(shared):
    path = min((shared / "data" / "robust03" / "runs").glob("*.gz"))
    assert len(assert_as_ir_measures_reads(path)) > 50_000


def test_a_large_file(tmp_path):
    """Large enough to be read in parts; a wrong line at its end is named."""
    text = "".join(f"{i // 1000} Q0 document-{i:07} {i % 1000} {-(i % 1000) / 7!r} a-tag\n"
                   for i in range(30_000))
    assert len(text) > 4 * 2**18, "pandas reads a quarter of a megabyte at a time"
    assert len(assert_as_ir_measures_reads(written(tmp_path / "run", text))) == 30_000
    with pytest.raises(ValueError, match=r"run, line 30001: 7 columns where there should be 6"):
        read_run(written(tmp_path / "run", text + "300 Q0 b 1 1 tag more\n"))
    with pytest.raises(ValueError, match=r"run, line 30001: the score '1,5' is no number"):
        read_run(written(tmp_path / "run", text + "300 Q0 b 1 1,5 tag\n"))


@pytest.mark.parametrize("tag", ['"Colbert fine tune on touche data"', "two words", "a\tb"])
@pytest.mark.parametrize("name", ["run", "run.gz"])
def test_a_tag_with_white_space_is_read_with_one_warning(tmp_path, name, tag):
    lines = "1 NEUTRAL a 1 1.0 {0}\n\n1 FIRST  b 2 0.5 {0}\r\n2 Q0 #a 1 -1e3 {0}"
    path = written(tmp_path / name, lines.format(tag))
    with pytest.warns(FairnessWarning) as warned:
        run = read_run(path)
    assert run.values.tolist() == [["1", "a", 1.0], ["1", "b", 0.5], ["2", "#a", -1000.0]]
    assert run["score"].dtype == "float64"
    shown = " ".join(tag.split())
    assert [str(one.message) for one in warned] == [
        f"{path}: the tag {shown!r} has white space in it; the five columns before it were read"]


def test_real_tags_with_spaces(shared):
    for path in sorted((shared / "data" / "touche2022" / "runs").glob("Katana*")):
        with pytest.warns(FairnessWarning, match="has white space in it"):
            run = read_run(path)
        assert len(run) == 5000 and run["qid"].nunique() == 50
        rows = [line.split() for line in gzip.decompress(path.read_bytes()).decode().splitlines()]
        assert run.values.tolist() == [[row[0], row[2], float(row[4])] for row in rows]


@pytest.mark.parametrize("text, says", [
    (LINE + "1 Q0 b 2 1\n", "line 2: 5 columns where there should be 6 "
     "(qid, q0, docno, rank, score, tag): '1 Q0 b 2 1'"),
    (LINE + "1 Q0 b 2 1 tag more\n" + LINE, "line 2: 7 columns"),
    ("1 Q0 b 2 1 tag more\n" + LINE, "line 1: 7 columns"),
    (LINE + "\n1 Q0 b 2\n", "line 3: 4 columns"),
    ("query\n", "line 1: 1 columns"),
    (LINE + "1 Q0 b 2 high tag\n", "line 2: the score 'high' is no number"),
    (LINE + LINE + "1 Q0 b 2 nan tag\n", "line 3: the score 'nan' is no number"),
    (LINE + "1 Q0 b 2 1_000 tag\n", "line 2: the score '1_000' is no number"),
    (LINE + "1 Q0 b 2 ١ tag\n", "line 2: the score '١' is no number"),
    ("\n" + "1 Q0 b 2 True tag\n" * 2, "line 2: the score 'True' is no number"),
    ("1 Q0 b 2 1 a tag of many words\n" + LINE, "line 1: 10 columns"),
    ('1 Q0 b 2 1 "a tag"\n1 Q0 c 2 1 "the tag"\n', "line 1: 7 columns"),
    ("1 Q0 docno b 2 1 t\n" * 2, "line 1: 7 columns"),  # the docno, not the tag, has a space
    ('1 Q0 b 2 1 "a tag"\n1 Q0 c 2 x "a tag"\n', "line 1: 7 columns"),
    (LINE.encode() + b"1 Q0 \xff 2 1 tag\n", "line 2: not UTF-8 text"),
])
@pytest.mark.parametrize("name", ["run", "run.gz"])
def test_the_first_wrong_line_is_named(tmp_path, name, text, says):
    with warnings.catch_warnings(), pytest.raises(ValueError) as error:
        warnings.simplefilter("error")  # pandas warns of some of them
        read_run(written(tmp_path / name, text))
    assert str(error.value).startswith(f"{tmp_path / name}, {says}")


def test_of_a_long_line_the_beginning_is_shown(tmp_path):
    (tmp_path / "run").write_text('{"q": ' + "[1, 2], " * 10_000 + "}")
    with pytest.raises(ValueError, match=r"run, line 1: \d+ columns .*'…$") as error:
        read_run(tmp_path / "run")
    assert len(str(error.value)) < 400


@pytest.mark.parametrize("damage", [
    pytest.param(lambda packed: b"plain text", id="not packed"),
    pytest.param(lambda packed: packed[:-20], id="cut short"),
    pytest.param(lambda packed: packed[:30] + bytes(20), id="overwritten"),
])
def test_damaged_gzip(tmp_path, damage):
    (tmp_path / "run.gz").write_bytes(damage(gzip.compress(LINE.encode() * 1000)))
    with pytest.raises(ValueError, match=r"run\.gz is damaged"):
        read_run(tmp_path / "run.gz")


@pytest.mark.parametrize("name", ["run", "run.gz", "run.parquet"])
def test_a_missing_file(tmp_path, name):
    with pytest.raises(FileNotFoundError):
        read_run(tmp_path / name)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
@pytest.mark.parametrize("name", ["run", "run.gz"])
def test_a_named_pipe_is_opened_once(tmp_path, name):
    """Nobody writes to it a second time. A first score of 1 needs another look at the line."""
    os.mkfifo(tmp_path / name)
    text = "1 Q0 a 1 1 t\n" * 20_000
    writer = threading.Thread(target=written, args=[tmp_path / name, text])
    writer.start()
    code = "import sys, pt_fairness; print(len(pt_fairness.read_run(sys.argv[1])))"
    done = subprocess.run([sys.executable, "-c", code, tmp_path / name], timeout=60, text=True,
                          capture_output=True)
    writer.join()
    assert done.stdout == "20000\n", done.stderr


class TestParquet:
    FRAME = pd.DataFrame({"qid": ["1", "01"], "docno": ["a", "é"], "score": [0.1, -2.0],
                          "rank": [0, 1]})

    @pytest.fixture(autouse=True)
    def _pyarrow(self):
        pytest.importorskip("pyarrow")

    def read(self, frame, tmp_path):
        frame.to_parquet(tmp_path / "run.parquet")
        return read_run(tmp_path / "run.parquet")

    def test_a_pipe(self, tmp_path, pipe):
        expected = self.read(self.FRAME, tmp_path)
        found = read_run(pipe("run.parquet", (tmp_path / "run.parquet").read_bytes()))
        pd.testing.assert_frame_equal(found, expected)

    def test_the_columns_of_pyterrier_and_ir_measures(self, tmp_path):
        for names in ({}, {"qid": "query_id", "docno": "doc_id"}):
            found = self.read(self.FRAME.rename(columns=names), tmp_path)
            assert found.to_dict("list") == self.FRAME.drop(columns="rank").to_dict("list")

    def test_identifiers_are_text_and_scores_are_floats(self, tmp_path):
        scores = np.array([1, 2], np.int32)
        numbers = self.FRAME.assign(qid=[1, 2], docno=[7, 8], score=scores, rank=0)
        found = self.read(numbers.set_index(pd.Index([5, 6])), tmp_path)
        assert found.to_dict("list") == {"qid": ["1", "2"], "docno": ["7", "8"],
                                         "score": [1.0, 2.0]}
        assert list(found.index) == [0, 1] and found["score"].dtype == "float64"

    def test_identifiers_that_became_floats(self, tmp_path):
        found = self.read(self.FRAME.assign(qid=[1.0, 2.0], docno=[7.0, 8.5]), tmp_path)
        assert found["qid"].tolist() == ["1", "2"] and found["docno"].tolist() == ["7", "8.5"]

    @pytest.mark.parametrize("change, says", [
        ({"score": [1.0, np.nan]}, "row 1: the score 'nan' is no number"),
        ({"score": ["1", "x"]}, "row 1: the score 'x' is no number"),
        ({"docno": [None, "b"]}, "row 0: the docno"),
    ])
    def test_the_first_wrong_row_is_named(self, tmp_path, change, says):
        with pytest.raises(ValueError) as error:
            self.read(self.FRAME.assign(**change), tmp_path)
        assert f"run.parquet, {says}" in str(error.value)

    def test_a_missing_column_and_a_damaged_file(self, tmp_path):
        with pytest.raises(ValueError, match=r"run\.parquet has no column 'score'"):
            self.read(self.FRAME.drop(columns="score"), tmp_path)
        (tmp_path / "run.parquet").write_text("no table")
        with pytest.raises(ValueError, match=r"run\.parquet is damaged"):
            read_run(tmp_path / "run.parquet")


def test_parquet_without_pyarrow_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "run.parquet").write_bytes(b"PAR1")
    with pytest.raises(ImportError, match=r"needs pyarrow: pip install 'pt-fairness\[parquet\]'"):
        read_run(tmp_path / "run.parquet")


@pytest.mark.parametrize(("text", "says"), [
    ("1 Q0 d1 1 2.5 t\n\n1 Q0 d\0 2 1.5 t\n", r"line 3: the docno 'd\\x00' contains NUL"),
    ("1\td1\n2\td\v\n", r"line 2: the docno 'd\\x0b' contains a vertical tab"),
    ("id\tseq_no\tpage_id\n\n1\t1\td1\n1\tx\td2\n", "line 4: the sample 'x' is no whole number")])
def test_the_line_of_what_cannot_be_read(tmp_path, text, says):
    (tmp_path / "run").write_text(text)
    with pytest.raises(ValueError, match=f"run, {says}"):
        read_run(tmp_path / "run")
