"""A metadata file is read once, for all of its fields, into a table."""

import gzip
import json
import os
import warnings

import pytest
from trec_fair_pages import GROUPS22, METADATA22, PAGES22, expected22, page22

from pt_fairness import collections, groups
from pt_fairness.core.messages import FairnessWarning

ID22 = "trec-fair/2022/train"


def test_one_reading_serves_all_fields(irds, fair22, qrels_of):
    assert qrels_of(f"{ID22}/gender") == expected22("gender")
    fair22.unlink()
    for suffix in GROUPS22:
        assert qrels_of(f"{ID22}/{suffix}") == expected22(suffix)
    assert sorted(path.name for path in fair22.parent.iterdir()) == [
        f"{fair22.name}.groups.npz", f"{fair22.name}.groups.npz.lock",
        "trec_2022_train_reldocs.jsonl"]


def test_documents_that_are_not_in_the_metadata(fair22):
    found = groups.get(f"{ID22}/gender")
    with pytest.warns(FairnessWarning, match=r"gender: 5 of 6 documents are not in the metadata "
                                             r"\(the first: '012148915'\)"):
        rows = found.lookup(["1"] * 6, ["012148915", "12148915.0", "Ä", "-1", "9" * 30, "66716319"])
    assert rows["docno"].tolist() == ["66716319"]
    with warnings.catch_warnings():
        warnings.simplefilter("error", FairnessWarning)
        assert found.lookup(["1"], [7]).empty, "one warning is enough"
        assert found.lookup([1], [12148915])["group"].tolist() == ["Man"], "ids may be integers"


def test_other_labels_are_unannotated_with_a_warning(irds, files, fair22):
    files.json_lines(METADATA22, [*PAGES22, page22(7, gender_category="Both")])
    for _ in range(2):  # once read, once from the table
        fresh = collections.make("groups", f"{ID22}/gender")
        with pytest.warns(FairnessWarning, match="has labels that are none of 'Man', 'Non-binary', "
                                                 "'Woman', and count as unannotated: 'Both'"):
            assert fresh.lookup(["1"], ["7"]).empty


@pytest.mark.exhaustive
def test_a_damaged_table_is_made_anew(fair22, qrels_of):
    qrels_of(f"{ID22}/gender")
    table = fair22.with_name(f"{fair22.name}.groups.npz")
    whole = table.read_bytes()
    renamed = whole.replace(b"gender_category.count", b"gender_category.other")
    for damage in (b"", b"PK", b"not a table", whole[:len(whole) // 2], renamed):
        table.write_bytes(damage)
        os.utime(table, (2**32, 2**32))
        assert qrels_of(f"{ID22}/gender") == expected22("gender")


def lines(records):
    return "".join(json.dumps(record) + "\n" for record in records).encode()


WHOLE = gzip.compress(lines(PAGES22))


@pytest.mark.exhaustive
@pytest.mark.parametrize("content, reason", [
    (WHOLE[:-20], "EOFError"),
    (b"<html>not found</html>", "BadGzipFile"),
    (gzip.compress(lines(PAGES22[:1]) + b"{\n"), "line 2: JSONDecodeError"),
    (gzip.compress(b"[]\n"), "line 1: TypeError"),
    (gzip.compress(b'{"id": 12}\n'), "line 1: KeyError: 'page_id'"),
    (gzip.compress(lines([page22("12")])), "line 1: TypeError"),
    (gzip.compress(lines([page22(1, source_subcont_regions=["Polynesia"])])), "line 1: TypeError"),
    (gzip.compress(lines([page22(1, source_subcont_regions={"Polynesia": -1})])),
     "line 1: OverflowError"),
    (gzip.compress(lines([page22(1, gender_category=7)])), "line 1: TypeError"),
    (gzip.compress(b'{"page_id": 12}\n'), "no document has a known value of 'gender_category'"),
    (gzip.compress(b""), "no document has a known value of 'gender_category'"),
])
def test_a_damaged_file_is_one_error(files, fair22, content, reason):
    fair22.write_bytes(content)
    with pytest.raises((ValueError, EOFError, OSError)) as error:
        groups.get(f"{ID22}/gender").lookup(["1"], ["7"])
    assert f"{fair22} cannot be read: {reason}" in str(error.value) or error.typename == reason
    assert list(fair22.parent.glob("*.npz")) == []
