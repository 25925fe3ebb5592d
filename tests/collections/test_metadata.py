"""Groups of articles from the metadata of TREC Fair."""

import warnings

import numpy as np
import pytest
from trec_fair_pages import GROUPS22, METADATA22, PAGES22, expected22, page22

from pt_fairness import collections, groups
from pt_fairness.core.messages import FairnessWarning

ID22 = "trec-fair/2022/train"


@pytest.mark.parametrize("suffix", GROUPS22)
def test_judgments_with_each_field(fair22, qrels_of, suffix):
    assert qrels_of(f"{ID22}/{suffix}") == expected22(suffix)


def test_the_metadata_are_parsed_once(fair22, qrels_of):
    name = f"{ID22}/source-regions/official"
    docnos = ["12148915", "69605138", "66716319", "7"]
    found = groups.get(name).annotate(["1"] * 4, docnos)
    fair22.unlink()
    collections.make.cache_clear()
    again = collections.make("groups", name).annotate(["1"] * 4, docnos)
    for one, two in zip(found, again, strict=True):
        np.testing.assert_array_equal(one, two)


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


def test_other_labels_are_unannotated_with_a_warning(files, fair22):
    files.json_lines(METADATA22, [*PAGES22, page22(7, gender_category="Both")])
    with pytest.warns(FairnessWarning, match="labels other than 'Man', .*: 'Both'"):
        assert groups.get(f"{ID22}/gender").lookup(["1"], ["7"]).empty
