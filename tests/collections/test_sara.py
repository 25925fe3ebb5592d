"""SARA: the sensitivity of emails."""

import csv
import io
import zipfile

import pytest

from pt_fairness import groups

NAME = "sara/sensitivity"
QRELS = "1\t0\t201645\t2\n1\t0\t175389\t0\n2\t0\tgladly-united-eagle\t1\n"
ROWS = [("1", "201645", 2, "sensitive"), ("1", "175389", 0, "non-sensitive"),
        ("2", "gladly-united-eagle", 1, "sensitive")]
EMAILS = {"201645": 1, "175389": 0, "gladly-united-eagle": 1, "daily-hip-bass": 0}


@pytest.fixture
def corpus(irds, files):
    """``corpus(emails)``: write the emails where a user puts a copy of them, for ir_datasets."""
    def write(emails):
        text = io.StringIO()
        writer = csv.writer(text)
        writer.writerow(["docno", "text", "sensitivity"])
        writer.writerows((docno, f"Dear {docno},\n\"hello\"", level)
                         for docno, level in emails.items())
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as zipped:
            zipped.writestr("combined.csv", "\ufeff" + text.getvalue())
        download = irds.registry["sara"].docs_handler()._dlc
        file = files.write(f"downloads/{download.expected_md5}", archive.getvalue())
        download.expected_md5 = None  # that of the real emails
        return file
    files.write("sara/queries.csv", "1\tEnergy plans\n2\tEnron procurement\n")
    files.write("sara/qrels.txt", QRELS)
    return write


@pytest.mark.filterwarnings("error::pt_fairness.FairnessWarning")
def test_sensitivity(irds, files, corpus, qrels_of):
    corpus(EMAILS)
    assert qrels_of(NAME) == ROWS
    assert [query.text for query in irds.load(NAME).queries_iter()] == [
        "Energy plans", "Enron procurement"]


def test_groups_of_unjudged_emails(irds, files, corpus):
    corpus(EMAILS)
    found = groups.get(NAME)
    assert found.labels == ["non-sensitive", "sensitive"] and found.complete
    rows = found.lookup(["1", "9"], ["daily-hip-bass", "201645"])
    assert rows["group"].tolist() == ["non-sensitive", "sensitive"]
