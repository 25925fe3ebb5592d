"""TREC misinfo 2019 and CLEF eHealth: groups and values in the judgments."""


import numpy as np
import pytest
from collection_commands import table

from pt_fairness import groups, values

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
