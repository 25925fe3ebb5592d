"""TREC Fair: groups from the metadata file alone."""


import pytest
from trec_fair_pages import DOCNOS22, GROUPS22

from pt_fairness import groups, targets

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


def test_groups_of_unjudged_articles(fair21):
    found = groups.get(f"{ID21}/locations")
    assert found.complete and found.order is None and len(found.labels) == 7
    assert found.lookup(["9"] * 3, ["303", "12", "316"]).values.tolist() == [
        ["9", "303", "Africa"], ["9", "316", "Europe"], ["9", "316", "Northern America"]]
    assert found.lookup([], []).empty


def test_ordinal_fields_have_an_order(irds):
    order = {suffix: groups.get(f"{ID22}/{suffix}").order for suffix in GROUPS22}
    assert order == {
        "gender": None, "regions": None, "source-regions": None, "occupations": None,
        "years": ["Pre-1900s", "20th century", "21st century"],
        "quality": ["Stub", "Start", "C", "B", "GA", "FA"],
        "popularity": ["Low", "Medium-Low", "Medium-High", "High"],
        "age": ["2001-2006", "2007-2011", "2012-2016", "2017-2022"],
        "alphabet": ["a-d", "e-k", "l-r", "s-"],
        "languages": ["English only", "2-4 languages", "5+ languages"]}
    assert groups.get(f"{ID21}/quality").order == order["quality"]


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
    region = targets.get("trec-fair/2022/world").set_index("group")["share"]
    continent = targets.get("trec-fair/2021/world").set_index("group")["share"]
    # Both are figures of about the same year.
    assert continent["Oceania"] == pytest.approx(region["Oceania"], abs=0.002)
    assert continent["Europe"] == pytest.approx(region.filter(like="Europe").sum(), abs=0.02)
