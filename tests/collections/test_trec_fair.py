"""TREC Fair: groups from the metadata, also as the evaluation code of the track reads them."""

import warnings

import ir_measures
import numpy as np
import pandas as pd
import pytest
from trec_fair_pages import DOCNOS22, GROUPS22, METADATA22, PAGES22, expected22, page22

from pt_fairness import AWRF, collections, groups, targets
from pt_fairness.core.messages import FairnessWarning

ID21, ID22 = "trec-fair/2021/eval", "trec-fair/2022/train"
METADATA21 = "trec-fair/2021/metadata.json.gz"
#: The second line of article 303 is ignored, as in the evaluation code of the track.
PAGES21 = [
    {"page_id": 12, "quality_score": 0.9, "geographic_locations": [], "quality_score_disc": "FA"},
    {"page_id": 316, "quality_score": 0.7, "quality_score_disc": "GA",
     "geographic_locations": ["Europe", "Northern America"]},
    {"page_id": 303, "quality_score": 0.2, "geographic_locations": ["Africa"],
     "quality_score_disc": "Stub"},
    {"page_id": 303, "quality_score": 0.2, "geographic_locations": ["Asia"],
     "quality_score_disc": "Start"},
    {"page_id": 67277921, "quality_score": 0.5, "geographic_locations": None,
     "quality_score_disc": "B"},
]


@pytest.fixture
def fair21(files):
    files.json_lines("trec-fair/2021/eval/topics-with-qrels.json.gz", [
        {"id": 101, "title": "Mathematicians", "keywords": ["algebra"], "scope": "S",
         "rel_docs": [316, 12, 67277921]},
        {"id": 102, "title": "Energy", "keywords": [], "scope": "S", "rel_docs": [303]}])
    files.json_lines("trec-fair/2021/eval/topics.json.gz", [
        {"id": 101, "title": "Mathematicians", "keywords": ["algebra"], "scope": "S"},
        {"id": 102, "title": "Energy", "keywords": [], "scope": "S"}])
    return files.json_lines(METADATA21, PAGES21)


def test_2021(irds, fair21, qrels_of):
    assert qrels_of(f"{ID21}/locations") == [
        ("101", "316", 1, "Europe"), ("101", "316", 1, "Northern America"), ("101", "12", 1, "-"),
        ("101", "67277921", 1, "-"), ("102", "303", 1, "Africa")]
    assert qrels_of(f"{ID21}/quality") == [
        ("101", "316", 1, "GA"), ("101", "12", 1, "FA"), ("101", "67277921", 1, "B"),
        ("102", "303", 1, "Stub")]
    dataset = irds.load(f"{ID21}/locations")
    assert [query.text for query in dataset.queries_iter()] == ["Mathematicians", "Energy"]
    assert not (fair21.parent / "corpus.json.gz").exists(), "the articles are not read"


def test_ordinal_fields_have_an_order(irds):
    order = {suffix: groups.get(f"{ID22}/{suffix}").order for suffix in GROUPS22}
    assert order["quality"] == groups.get(f"{ID21}/quality").order
    assert order["quality"] == ["Stub", "Start", "C", "B", "GA", "FA"]
    assert order["years"] == ["Pre-1900s", "20th century", "21st century"]
    without = {suffix for suffix, found in order.items() if found is None}
    assert without == {"gender", "regions", "source-regions", "occupations"}


def test_source_regions_are_soft(fair22):
    found = groups.get(f"{ID22}/source-regions").lookup(["1"] * 3, DOCNOS22)
    # The regions of Oceania are one, and sources of unknown place do not count.
    assert found.values.tolist() == [["1", "69605138", "Northern America", 25.0],
                                     ["1", "69605138", "Oceania", 3.0]]


def test_the_world_in_2021_and_2022():
    for year, name in ((2021, f"{ID21}/locations"), (2022, f"{ID22}/regions")):
        frame = targets.get(f"trec-fair/{year}/world")
        assert {*frame["group"]} == {*groups.get(name).labels}
        assert frame["share"].sum() == pytest.approx(1, abs=1e-9)


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
    with pytest.warns(FairnessWarning, match="gender: 5 of 6 .*'012148915'"):
        rows = found.lookup(["1"] * 6, ["012148915", "12148915.0", "Ä", "-1", "9" * 30, "66716319"])
    assert rows["docno"].tolist() == ["66716319"]
    with warnings.catch_warnings():
        warnings.simplefilter("error", FairnessWarning)
        assert found.lookup(["1"], [7]).empty, "one warning is enough"
        assert found.lookup([1], [12148915])["group"].tolist() == ["Man"], "ids may be integers"


def test_other_labels_are_unannotated_with_a_warning(files, fair22):
    files.json_lines(METADATA22, [*PAGES22, page22(7, gender_category="Both")])
    with pytest.warns(FairnessWarning, match="'Man', .*: 'Both'"):
        assert groups.get(f"{ID22}/gender").lookup(["1"], ["7"]).empty


WORLD, GENDER = "trec-fair/2022/world", "trec-fair/2022/gender"
#: What the track reads from the pages below, of each article.
GENDERS = {"1": ["Man"], "2": ["Woman"], "3": ["Man", "Woman"], "4": ["Non-binary"], "5": ["Woman"],
           "6": []}
PAGES = [
    page22(1, gender=["male"], gender_category="Man", occupations=["artist"],
           page_subcont_regions=["Polynesia", "Melanesia", "Western Asia"],
           years_category="20th century", source_subcont_regions={"UNK": 1, "Northern America": 3}),
    page22(2, gender=["transgender female"], gender_category="Woman",
           page_subcont_regions=["Western Europe"], source_subcont_regions={"UNK": 3}),
    page22(3, gender=["cisgender male", "female"], gender_category="Man"),
    page22(4, gender=["agender", "intersex"], gender_category="Non-binary",
           source_subcont_regions={"Micronesia": 2, "Polynesia": 1, "Western Europe": 1}),
    page22(5, gender=["female", "transgender female"], gender_category="Woman",
           page_subcont_regions=["Polynesia", "Western Asia"],
           source_subcont_regions={"Western Asia": 5}),
    page22(6, gender=[], gender_category="Unknown")]
RUN = pd.DataFrame({"query_id": "1", "doc_id": ["4", "9", "1", "6", "5"], "score": range(5, 0, -1)})
QRELS = pd.DataFrame({"query_id": "1", "doc_id": list("12369"), "relevance": 1})


@pytest.fixture
def official22(irds, files):
    return files.json_lines(METADATA22, PAGES)


def test_gender_is_the_field_gender(official22):
    rows = groups.get(f"{ID22}/gender/official").lookup(["1"] * 6, list("123456"))
    found = rows.groupby("docno")["group"].apply(list).to_dict()
    assert {docno: found.get(docno, []) for docno in GENDERS} == GENDERS
    ours = groups.get(f"{ID22}/gender").lookup(["1"] * 6, list("123456"))
    assert ours[ours["docno"] == "3"]["group"].tolist() == ["Man"]


def test_regions_of_oceania_are_merged_after_counting(official22):
    official = groups.get(f"{ID22}/regions/official")
    assert official.weighted and official.labels == groups.get(f"{ID22}/regions").labels
    rows = official.lookup(["1"], ["1"])
    assert rows["group"].tolist() == ["Oceania", "Western Asia"]
    assert (rows["weight"] / rows["weight"].sum()).tolist() == pytest.approx([2 / 3, 1 / 3])
    ours = groups.get(f"{ID22}/regions").lookup(["1"], ["1"])
    assert "weight" not in ours and ours["group"].tolist() == ["Oceania", "Western Asia"]


@pytest.mark.slow
def test_unknown_sources_have_their_share(official22):
    official = groups.get(f"{ID22}/source-regions/official")
    unknown = official.annotate(np.array(["1"] * 7), np.array(list("1234569"))).unknown
    assert unknown.tolist()[:6] == [1, 3, 0, 0, 0, 0] and np.isnan(unknown[6])
    # Other measures read @UNKNOWN as unannotated.
    names = [f"{ID22}/source-regions/official", f"{ID22}/source-regions"]
    one, two = (groups.get(name).lookup(["1"], ["1"]) for name in names)
    assert one.equals(two)
    measures = [AWRF(groups=name, target=WORLD) @ 5 for name in names]
    one, two = ir_measures.calc_aggregate(measures, QRELS, RUN).values()
    assert one == two > 0


def test_targets_of_the_track():
    frame = targets.get("trec-fair/2021/gender").set_index("group")["share"]
    assert frame.to_dict() == {"female": 0.495, "male": 0.495, "third": 0.01}
    assert targets.find("trec-fair/2021/gender/track").of_qrels == 0.5
    assert set(targets.get(GENDER)["group"]) == set(groups.get(f"{ID22}/gender/official").labels)
