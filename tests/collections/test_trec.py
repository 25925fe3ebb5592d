"""TREC tracks: newswire, misinfo 2019 and NeuCLIR; and CLEF eHealth."""

import contextlib
import io
import re
import shutil
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from case_marks import quick_cases
from ir_datasets_home import example

from pt_fairness import cli, groups, values
from pt_fairness.core.messages import FairnessWarning

QRELS = ("401 0 FBIS3-10009 0\n401 0 FT911-3 1\n\n402 0 LA010189-0001 1\n"
         "402 0 FR940104-0-00001 1\n402 0 CR93E-1 0\n")
GROUPS = [("401", "FBIS3-10009", 0, "FBIS"), ("401", "FT911-3", 1, "FT"),
          ("402", "LA010189-0001", 1, "LA"), ("402", "FR940104-0-00001", 1, "FR"),
          ("402", "CR93E-1", 0, "-")]
TREC8 = "disks45/nocr/trec8"


def table(dataset_id: str, folder: Path, run: list[tuple[str, str]], *measures: str) -> list[float]:
    """The values that ``pt-fairness table`` prints for a run, given as topics and documents."""
    path = folder / "run"
    path.write_text("".join(f"{qid} Q0 {docno} {i} {-i} r\n" for i, (qid, docno) in enumerate(run)))
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        assert cli.main(["table", dataset_id, str(path), "-m", *measures]) == 0
    row, = pd.read_csv(io.StringIO(printed.getvalue())).itertuples(index=False)
    assert row[0] == "run"
    return [float(value) for value in row[1:]]


def test_trec8(irds, files, qrels_of):
    files.trec8(QRELS)
    assert qrels_of(f"{TREC8}/source") == GROUPS
    dataset = irds.load(f"{TREC8}/source")
    assert [query[:3] for query in dataset.queries_iter()] == [
        ("401", "sea salt", "Who sells sea salt?")]
    assert dataset.dataset_id() == f"{TREC8}/source"
    assert dataset.qrels_defs() == irds.load(TREC8).qrels_defs()
    assert dataset.docs_handler() is irds.load(TREC8).docs_handler()


def test_robust04_and_its_folds(irds, files, qrels_of):
    # One topic of each fold.
    groups = {"302": "FT", "301": "LA", "306": "FBIS", "320": "FR", "304": "FT"}
    docnos = {"FT": "FT911-3", "LA": "LA010189-0001", "FBIS": "FBIS3-1", "FR": "FR940104-0-00001"}
    files.robust04("".join(f"{qid} 0 {docnos[group]} 2\n" for qid, group in groups.items()))
    everything = [(qid, docnos[group], 2, group) for qid, group in groups.items()]
    assert qrels_of("disks45/nocr/trec-robust-2004/source") == everything
    for fold, row in enumerate(everything, 1):
        assert qrels_of(f"disks45/nocr/trec-robust-2004/fold{fold}/source") == [row]


MISINFO = "clueweb12/b13/trec-misinfo-2019"
EHEALTH = "clueweb12/b13/clef-ehealth"
TRUST = f"{EHEALTH}/trustworthiness"
PAGE = "clueweb12-0000wb-03-0103{}"
#: Relevance, effectiveness, credibility.
JUDGED = [(1, 3, 1), (2, 2, 0), (1, 1, 1), (1, 0, 0), (0, -1, -1), (1, -2, -2)]
EFFECTIVENESS = ["effective", "inconclusive", "ineffective", "-", "-", "-"]
CREDIBILITY = ["credible", "not-credible", "credible", "not-credible", "-", "-"]


def misinfo(files, judged=JUDGED):
    files.write("clueweb12/trec-misinfo-2019/queries.xml",
                "<topics>\n<topic>\n<number>1</number>\n<query>cranberries</query>\n"
                "<cochranedoi>10.1002/1</cochranedoi>\n<description>Do they help?</description>\n"
                "<narrative>Relevant pages say.</narrative>\n</topic>\n</topics>\n")
    return files.write("clueweb12/trec-misinfo-2019/qrels", "".join(
        f"1 0 {PAGE.format(i)} {' '.join(map(str, row))}\n" for i, row in enumerate(judged)))


def ehealth(files, years):
    """:param years: for each year the rows ``qid, docno, relevance, trustworthiness``"""
    names = {2016: ("2016.qrels", "2016.qtrust", "2016.qunder"),
             2017: ("2017.qrels", "2017.qtrust", "2017.qureads")}
    files.write("clueweb12/clef-ehealth/queries.xml",
                "<queries>\n<query>\n<id>101001</id>\n<title>headaches & sea salt</title>\n"
                "</query>\n</queries>\n")
    written = {}
    for year, rows in years.items():
        for name, column in zip(names[year], (2, 3, 2), strict=True):
            folder = "clef-ehealth-2016" if name == "2016.qrels" else "clef-ehealth"
            written[name] = files.write(f"clueweb12/{folder}/{name}", "".join(
                f"{row[0]} 0 {row[1]} {row[column]}\n" for row in rows))
    return written


YEARS = {2016: [("101001", "a", 0, 50), ("101001", "b", 1, 0), ("101002", "a", 2, 100)],
         2017: [("101001", "b", 2, 80), ("101001", "c", 1, 70)]}
TRUSTED = [("101001", "a", 0, "50"), ("101001", "b", 2, "80"), ("101002", "a", 2, "100"),
           ("101001", "c", 1, "70")]


@pytest.mark.parametrize("field, labels, order", [
    ("effectiveness", EFFECTIVENESS, ["ineffective", "inconclusive", "effective"]),
    ("credibility", CREDIBILITY, ["not-credible", "credible"])])
def test_misinfo(irds, files, qrels_of, field, labels, order):
    misinfo(files)
    name = f"{MISINFO}/{field}"
    rows = [("1", PAGE.format(i), row[0], label)
            for i, (row, label) in enumerate(zip(JUDGED, labels, strict=True))]
    assert qrels_of(name) == qrels_of(name) == rows
    assert [query.title for query in irds.load(name).queries_iter()] == ["cranberries"]
    found = groups.get(name)
    assert found.order == order and found.complete
    docnos = [row[1] for row in rows]
    assert found.lookup(["1"] * 6, docnos)["group"].tolist() == [
        label for label in labels if label != "-"]
    assert found.lookup(["2", "1"], [docnos[0], "unjudged"]).empty, "judgments are by topic"


def test_trustworthiness(irds, files, qrels_of, tmp_path):
    ehealth(files, YEARS)
    assert qrels_of(TRUST) == qrels_of(TRUST) == TRUSTED
    assert [query.text for query in irds.load(TRUST).queries_iter()] == ["headaches & sea salt"]
    found = values.get(TRUST)
    assert found.name == TRUST and len(found) == 4
    assert TRUST in values.names() and values.get(TRUST) is found
    np.testing.assert_array_equal(
        found.lookup(["101001", "101001", "101002", "101002"], ["a", "b", "a", "b"]),
        [50, 80, 100, np.nan])
    run = [("101001", "b"), ("101001", "c"), ("101002", "a")]
    assert table(TRUST, tmp_path, run, f"RaB(values='{TRUST}')@2") == [(75 + 100) / 2]


NAMES = ["neuclir/1/trec-2022/language", "neuclir/1/trec-2023/language"]
BOTH = pytest.mark.parametrize("name", NAMES)


@pytest.fixture
def written(files):
    """The docnos of the collection by language, judged and unjudged ones."""
    corpora = example("neuclir").write_collection(files.home)
    judged = {line.split()[2] for line in qrels_file(files).read_text().splitlines()}
    return {language: ([one["id"] for one in part if one["id"] in judged],
                       [one["id"] for one in part if one["id"] not in judged])
            for language, part in corpora.items()}


def qrels_file(files):
    return files.home / "neuclir" / "trec-2022" / "qrels"


def expected(files):
    """The judgments, with the names of languages that ir_datasets has."""
    rows = (line.split() for line in qrels_file(files).read_text().splitlines())
    return [(qid, docno, int(label), {"zho": "zh", "fas": "fa", "rus": "ru"}[language])
            for qid, language, docno, label in rows]


def remove_corpora(files, *languages):
    for language in languages or ("zho", "fas", "rus"):
        shutil.rmtree(files.home / "neuclir" / "1" / language)


@pytest.mark.filterwarnings("error::pt_fairness.FairnessWarning")
@BOTH
def test_languages_of_judged_documents(irds, files, written, qrels_of, name):
    remove_corpora(files)
    rows = expected(files)
    assert len(rows) == 120 and {row[3] for row in rows} == {"zh", "fa", "ru"}
    assert qrels_of(name) == qrels_of(name) == rows
    queries = list(irds.load(name).queries_iter())
    assert [query.title for query in queries][:2] == ["wind energy", "earthquake"]
    assert queries[0].zh_mt_title.startswith("风能")
    assert irds.load(name).docs_count() == irds.load("neuclir/1/multi").docs_count()
    assert irds.load(name).qrels_defs()[3].startswith("Very-valuable")
    found = groups.get(name).lookup(["0", "another topic"], [rows[0][1]] * 2)
    assert found["group"].tolist() == [rows[0][3]] * 2


def test_topics_that_nobody_judged_are_left_out_in_2022(irds, files, written):
    file = qrels_file(files)
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(line for line in lines if not line.startswith("2 ")))
    assert [query.query_id for query in irds.load(NAMES[0]).queries_iter()] == ["0", "1", "3", "4"]


@pytest.mark.filterwarnings("error::pt_fairness.FairnessWarning")
@pytest.mark.parametrize("name", quick_cases(NAMES, first=1))
def test_languages_of_unjudged_documents(irds, files, written, name):
    unjudged = {docno: language for language, (_, docnos) in written.items() for docno in docnos}
    found = groups.get(name)
    assert found.labels == ["fa", "ru", "zh"] and found.complete
    rows = found.lookup(["0"] * len(unjudged), [*unjudged])
    assert dict(zip(rows["docno"], rows["group"], strict=True)) == unjudged
    assert found != groups.get(NAMES[name == NAMES[0]])


@pytest.mark.slow
def test_no_corpus_is_downloaded(irds, files, written):
    name = NAMES[0]
    (judged, *_), unjudged = written["zh"]
    persian = written["fa"][1]
    remove_corpora(files)
    found = groups.get(name)
    with pytest.warns(FairnessWarning) as told:
        rows = found.lookup(["0"] * 3, [judged, unjudged[0], "nothing"])
    assert rows["docno"].tolist() == [judged]
    message, = [str(one.message) for one in told if one.category is FairnessWarning]
    assert re.search(rf"2 of 3 documents .* {unjudged[0]!r}\): .* neuclir/1/zh", message)
    with warnings.catch_warnings():
        warnings.simplefilter("error", FairnessWarning)
        assert found.lookup(["0"], [persian[0]]).empty, "one warning is enough"
    assert not any((files.home / "neuclir/1").glob("*"))
