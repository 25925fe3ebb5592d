"""The opinion tasks of TREC's Blog tracks."""

import gzip
import re

import pytest

from pt_fairness import groups

POST = "BLOG06-20051206-000-000139882"
QRELS = "".join(f"901 0 {POST}{i} {label}\n" for i, label in enumerate((-1, 0, 1, 2, 3, 4)))


def test_opinions(irds, files, qrels_of):
    files.blogs(QRELS)
    assert qrels_of("blogs06/trec-blog-2007/opinion") == [
        ("901", f"{POST}1", 0, "-"), ("901", f"{POST}2", 1, "none"),
        ("901", f"{POST}3", 1, "negative"), ("901", f"{POST}4", 1, "mixed"),
        ("901", f"{POST}5", 1, "positive")]
    assert [row[2] for row in qrels_of("blogs06/trec-blog-2007")] == [-1, 0, 1, 2, 3, 4]
    found = groups.get("blogs06/trec-blog-2007/opinion")
    assert found.labels == ["mixed", "negative", "none", "positive"] and found.complete
    assert set(irds.load("blogs06/trec-blog-2007/opinion").qrels_defs()) == {0, 1}


def test_topics_have_title_description_and_narrative(irds, files):
    files.blogs(QRELS)
    for name in ("blogs06/trec-blog-2007", "blogs06/trec-blog-2007/opinion"):
        assert list(irds.load(name).queries_iter()) == [
            (number, "garden gnomes", "Find opinions.", "Café posts are not relevant.")
            for number in ("901", "902")]


def test_posts_need_a_licence(irds, capfd):
    with pytest.raises(FileNotFoundError, match="corpus"):
        next(irds.load("blogs06/trec-blog-2007").docs_iter())
    message = capfd.readouterr().err
    assert "licensed by the University of Glasgow" in message and "permalinks-000.gz" in message


def post(number, body):
    return (f"<DOC>\n<DOCNO>{POST}{number}</DOCNO>\n<FEEDNO>BLOG06-feed-1</FEEDNO>\n"
            f"<PERMALINK>http://blog/{number}#\n</PERMALINK>\n<DOCHDR>\nHTTP/1.1 200 OK\n"
            f"Content-Type: text/html\n</DOCHDR>\n{body}\n</DOC>\n").encode()


@pytest.mark.parametrize("tag, wrong", [(b"DOCHDR", b"HEAD"), (b"</DOC>", b"")])
def test_a_bad_post(irds, files, tag, wrong):
    content = gzip.compress(post(0, "") + post(1, "").replace(tag, wrong) + post(2, ""))
    file = files.write("blogs06/corpus/20051206/permalinks-001.gz", content)
    with pytest.raises(ValueError, match=rf"{re.escape(str(file))} must have .*{POST}1"):
        list(irds.load("blogs06").docs_iter())


def test_posts_are_read_day_by_day(irds, files):
    files.write("blogs06/corpus/20051207/permalinks-000.gz",
                gzip.compress(post(2, "<html><body>Later</body></html>")))
    files.write("blogs06/corpus/20051206/permalinks-000.gz", gzip.compress(
        post(0, "<html><title>One</title><body>First</body></html>") + post(1, "")))
    dataset = irds.load("blogs06")
    assert [doc.doc_id for doc in dataset.docs_iter()] == [f"{POST}{i}" for i in range(3)]
    found = dataset.docs_store().get(f"{POST}0")
    assert found.url == "http://blog/0#" and found.http_headers.startswith("HTTP/1.1 200")
    assert "First" in found.body.decode()
    assert found.default_text() == "OneFirst"
    assert dataset.docs_cls().__annotations__["url"] is str, "as PyTerrier's text loaders need it"
    assert irds.docs_parent_id("blogs06/trec-blog-2007/opinion") == "blogs06"
