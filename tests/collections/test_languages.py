"""The language of NeuCLIR's news, from the judgments and from the corpora that are there."""

import re
import shutil
import warnings

import pytest
from case_marks import quick_cases
from ir_datasets_home import example

from pt_fairness import collections, groups
from pt_fairness.core.messages import FairnessWarning

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


@pytest.mark.slow
def test_the_corpora_that_are_there_are_used(irds, files, written):
    remove_corpora(files, "zho", "rus")
    chinese, persian = written["zh"][1][0], written["fa"][1][0]
    found = groups.get(NAMES[0])
    with pytest.warns(FairnessWarning, match="1 of 2 documents"):
        assert found.lookup(["0"] * 2, [chinese, persian])["group"].tolist() == ["fa"]
    # A docstore without the file that it was built from is enough.
    (files.home / "neuclir" / "1" / "fas" / "docs.jsonl.gz").unlink()
    collections.make.cache_clear()
    fresh = collections.make("groups", NAMES[0])
    with pytest.warns(FairnessWarning, match="1 of 2 documents"):
        assert fresh.lookup(["0"] * 2, [chinese, persian])["group"].tolist() == ["fa"]
