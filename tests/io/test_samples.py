"""Run files with several rankings of a topic: the samples of a stochastic system."""

import gzip
import warnings

import pandas as pd
import pytest

from pt_fairness import FairnessWarning, read_run


def trec(rows):
    """Return TREC's six columns for ``(qid, second column, docno)``, best document first."""
    return "".join(f"{qid} {second} {docno} {i + 1} {-i} t\n"
                   for i, (qid, second, docno) in enumerate(rows))


def written(path, text):
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


@pytest.mark.parametrize("name", ["run", "run.gz"])
@pytest.mark.parametrize("numbers", [("1", "2"), ("Q0", "Q1"), ("Q0", "1"), ("007", "Q10")])
def test_the_second_column_of_a_trec_file_holds_samples(tmp_path, name, numbers):
    one, two = numbers
    rows = [("1", one, "a"), ("1", one, "b"), ("1", two, "b"), ("1", two, "a"), ("2", one, "c")]
    path = written(tmp_path / name, trec(rows))
    with pytest.warns(FairnessWarning, match="read as 2 samples, rankings of the same") as told:
        run = read_run(path)
    assert len(told) == 1 and told[0].filename == __file__
    first, second = int(one.removeprefix("Q")), int(two.removeprefix("Q"))
    assert run["iteration"].tolist() == [first, first, second, second, first]
    assert run["iteration"].dtype == "int64"
    assert run["docno"].tolist() == list("abbac") and run["score"].tolist() == [0, -1, -2, -3, -4]


@pytest.mark.parametrize("rows", [
    [("1", "Q0", "a"), ("1", "Q0", "b")],
    [("1", "1", "a"), ("1", "1", "b"), ("1", "01", "b"), ("1", "Q1", "a")],  # one number
    [("1", "1", "a"), ("1", "2", "b"), ("1", "3", "a")],  # a counter
    [("1", "1", "a"), ("1", "2", "b"), ("2", "1", "a"), ("2", "2", "b")],  # the rank
    [("1", "1", "a"), ("1", "1", "b"), ("2", "2", "a"), ("2", "2", "b")],  # the topic
    [("1", "1", "a"), ("1", "1", "b"), ("1", "2", "c"), ("1", "2", "d")],  # parts of a ranking
    [("1", "1", "a"), ("1", "1", "b"), ("1", "x", "b"), ("1", "x", "a")],
    [("1", "1", "a"), ("1", "1", "b"), ("1", "-2", "b"), ("1", "-2", "a")],
    [("1", "1", "a"), ("1", "1", "b"), ("1", "QQ2", "b"), ("1", "QQ2", "a")],
    [("1", "1", "a"), ("1", "1", "b"), ("1", "1.5", "b"), ("1", "1.5", "a")],
], ids=["constant", "one number", "counter", "rank", "topic", "parts", "word", "negative", "QQ",
        "fraction"])
def test_a_second_column_without_samples_is_ignored(tmp_path, rows):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = read_run(written(tmp_path / "run", trec(rows)))
    assert list(run.columns) == ["qid", "docno", "score"] and len(run) == len(rows)


def test_samples_of_a_file_that_is_read_in_parts(tmp_path):
    rows = [(str(topic), f"Q{sample}" if sample < 30 else str(sample), f"document-{i:05}")
            for topic in range(10) for sample in range(60) for i in range(60)]
    path = written(tmp_path / "run", trec(rows))
    assert path.stat().st_size > 4 * 2**18, "pandas reads a quarter of a megabyte at a time"
    with pytest.warns(FairnessWarning, match="read as 60 samples"):
        run = read_run(path)
    assert run["iteration"].tolist() == [int(second.removeprefix("Q")) for _, second, _ in rows]


FAIR = {"2021": "id\trep_number\tpage_id", "2022": "id\tseq_no\tpage_id", "none": None}


@pytest.mark.parametrize("name", ["run", "run.tsv", "run.gz"])
@pytest.mark.parametrize("year", FAIR)
def test_trec_fair_with_sequences(tmp_path, name, year):
    rows = ["187\t1\t592", "187\t1\t45", "187\t2\t45", "187\t2\t592", "187\t2\t7", "270\t1\t8"]
    lines = rows if FAIR[year] is None else [FAIR[year], *rows]
    path = written(tmp_path / name, "".join(f"{line}\n" for line in lines))
    with pytest.warns(FairnessWarning, match="read as 2 samples"):
        run = read_run(path)
    assert run.to_dict("list") == {
        "qid": ["187"] * 5 + ["270"], "docno": ["592", "45", "45", "592", "7", "8"],
        "score": [-1, -2, -1, -2, -3, -1], "iteration": [1, 1, 2, 2, 2, 1]}
    assert list(run.index) == list(range(6))


@pytest.mark.parametrize("header", ["id\tpage_id\r\n", "\ufeffid\tpage_id\n",
                                    "\nid\tpage_id\n", ""])
def test_trec_fair_with_one_ranking(tmp_path, header):
    text = f"{header}187\t592\n187\t45\n270\t8\n187\t3\n"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = read_run(written(tmp_path / "run", text))
    assert run.to_dict("list") == {"qid": ["187", "187", "270", "187"], "score": [-1, -2, -1, -3],
                                   "docno": ["592", "45", "8", "3"]}


def test_one_sample_where_several_are_meant(tmp_path):
    path = written(tmp_path / "run", "id\tseq_no\tpage_id\n187\t1\t592\n187\t1\t45\n")
    with pytest.warns(FairnessWarning, match="read as 1 sample, rankings"):
        assert read_run(path)["iteration"].tolist() == [1, 1]


def test_header_lines_of_joined_files_are_left_out(tmp_path):
    part = "id\tseq_no\tpage_id\n187\t{0}\t592\n187\t{0}\t45\n"
    with pytest.warns(FairnessWarning, match="read as 2 samples"):
        run = read_run(written(tmp_path / "run", part.format(1) + part.format(2)))
    assert run["iteration"].tolist() == [1, 1, 2, 2]


@pytest.mark.parametrize("text, says", [
    ("id\tseq_no\tpage_id\n1\t1\ta\n1\ta\n", r"line 3: 2 columns where there should be 3"),
    ("id\tpage_id\n1\t1\ta\n", r"line 2: 3 columns where there should be 2"),
    ("1\t1\ta\n1\tx\tb\n", r"line 2: the sample 'x' is no whole number; a file of three columns"),
    ("1\tQ0\ta\n", r"line 1: the sample 'Q0' is no whole number"),
    # MS MARCO's columns are topic, document and rank.
    ("1\t592\t1\n1\t45\t2\n", r" has three columns without a header, and the second is another"),
    ("1 592\n1 45\n", r"line 1: 2 columns where there should be 6"),
])
def test_wrong_files_are_named(tmp_path, text, says):
    with pytest.raises(ValueError, match=rf"run(, )?{says}"):
        read_run(written(tmp_path / "run", text))


def test_a_pipe_is_read_once(pipe, tmp_path):
    text = "id\tseq_no\tpage_id\n" + "".join(
        f"1\t{sample}\t{i}\n" for sample in range(9) for i in range(2000))
    with pytest.warns(FairnessWarning, match="read as 9 samples"):
        expected = read_run(written(tmp_path / "run", text))
    with pytest.warns(FairnessWarning, match="read as 9 samples"):
        pd.testing.assert_frame_equal(read_run(pipe("run", text)), expected)


class TestParquet:
    FRAME = pd.DataFrame({"qid": ["1"] * 4, "docno": list("abba"), "score": [2.0, 1.0, 2.0, 1.0]})

    @pytest.fixture(autouse=True)
    def _pyarrow(self):
        pytest.importorskip("pyarrow")

    @pytest.mark.parametrize("samples", [[1, 1, 2, 2], ["x", "x", "y", "y"], [0.5, 0.5, 1.5, 1.5]])
    def test_the_column_iteration_holds_samples(self, tmp_path, samples):
        self.FRAME.assign(iteration=samples).to_parquet(tmp_path / "run.parquet")
        with pytest.warns(FairnessWarning, match="read as 2 samples"):
            run = read_run(tmp_path / "run.parquet")
        assert run["iteration"].tolist() == samples

    def test_a_missing_sample_is_refused(self, tmp_path):
        self.FRAME.assign(iteration=["x", None, "y", "y"]).to_parquet(tmp_path / "run.parquet")
        with pytest.raises(ValueError, match=r"run\.parquet, row 1: the iteration .* is missing"):
            read_run(tmp_path / "run.parquet")
