"""The sources of TREC Fair that read the metadata as the evaluation code of the track does."""

from __future__ import annotations

import ir_measures
import numpy as np
import pandas as pd
import pytest
from slow_versions.common import Membership, Source, Topic
from slow_versions.trec_fair import trec_fair
from trec_fair_pages import METADATA22, page22

from pt_fairness import AWRF, TrecFair, groups, targets

ID21, ID22 = "trec-fair/2021/eval", "trec-fair/2022/train"
WORLD, GENDER = "trec-fair/2022/world", "trec-fair/2022/gender"
OFFICIAL = {"gender": GENDER, "regions": WORLD, "source-regions": WORLD}
#: What the track reads from the pages below, of each article.
GENDERS = {"1": ["Man"], "2": ["Woman"], "3": ["Man", "Woman"], "4": ["Non-binary"], "5": ["Woman"],
           "6": []}
REGIONS = {"1": {"Oceania": 2, "Western Asia": 1}, "2": {"Western Europe": 1}, "3": {}, "4": {},
           "5": {"Oceania": 1, "Western Asia": 1}, "6": {}}
SOURCES = {"1": {"Northern America": 3, "@UNKNOWN": 1}, "2": {"@UNKNOWN": 3}, "3": {},
           "4": {"Oceania": 3, "Western Europe": 1}, "5": {"Western Asia": 5}, "6": {}}
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
    page22(6, gender=[], gender_category="Unknown"),
]
RUN = pd.DataFrame({"query_id": "1", "doc_id": ["4", "9", "1", "6", "5"], "score": range(5, 0, -1)})
QRELS = pd.DataFrame({"query_id": "1", "doc_id": list("12369"), "relevance": 1})


@pytest.fixture
def fair22(irds, files):
    return files.json_lines(METADATA22, PAGES)


def test_gender_is_the_field_gender(fair22):
    rows = groups.get(f"{ID22}/gender/official").lookup(["1"] * 6, list("123456"))
    found = rows.groupby("docno")["group"].apply(list).to_dict()
    assert {docno: found.get(docno, []) for docno in GENDERS} == GENDERS
    ours = groups.get(f"{ID22}/gender").lookup(["1"] * 6, list("123456"))
    assert ours[ours["docno"] == "3"]["group"].tolist() == ["Man"]


def test_regions_of_oceania_are_merged_after_counting(fair22):
    official = groups.get(f"{ID22}/regions/official")
    assert official.weighted and official.labels == groups.get(f"{ID22}/regions").labels
    rows = official.lookup(["1"], ["1"])
    assert rows["group"].tolist() == ["Oceania", "Western Asia"]
    assert (rows["weight"] / rows["weight"].sum()).tolist() == pytest.approx([2 / 3, 1 / 3])
    ours = groups.get(f"{ID22}/regions").lookup(["1"], ["1"])
    assert "weight" not in ours and ours["group"].tolist() == ["Oceania", "Western Asia"]


@pytest.mark.slow
def test_unknown_sources_have_their_share(fair22):
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


def membership(found):
    soft = isinstance(found, dict)
    return Membership(dict(found) if soft else dict.fromkeys(found, 1.0), soft and bool(found))


def topic(**of):
    return Topic(
        dict(zip(QRELS["doc_id"], QRELS["relevance"], strict=True)), [RUN["doc_id"].tolist()],
        Source({}, frozenset()), targets={name: dict(targets.get(name).to_numpy().tolist())
                                          for name in (WORLD, GENDER, "trec-fair/2021/world")},
        attributes={name: Source({docno: membership(some) for docno, some in found.items()},
                                 frozenset(groups.get(name).labels)) for name, found in of.items()})


def test_the_score_of_2022(fair22, values):
    attributes = {f"{ID22}/{suffix}/official": target for suffix, target in OFFICIAL.items()}
    params = {"attributes": attributes, "whole": f"{ID22}/gender/official"}
    found = {f"{ID22}/gender/official": GENDERS, f"{ID22}/regions/official": REGIONS,
             f"{ID22}/source-regions/official": SOURCES}
    measure = TrecFair(**params) @ 500
    assert values([measure], QRELS, RUN)[measure, "1"] == pytest.approx(
        trec_fair(topic(**found), cutoff=500, **params), abs=1e-12)


def test_2021_counts_an_article_in_each_of_its_continents(irds, files, values):
    files.json_lines("trec-fair/2021/metadata.json.gz", [
        {"page_id": number, "quality_score_disc": "FA", "geographic_locations": places}
        for number, places in enumerate([[], ["Europe", "Asia"], ["Africa"], [], None, ["Asia"]])])
    name, world = f"{ID21}/locations", "trec-fair/2021/world"
    continents = {"0": [], "1": ["Europe", "Asia"], "2": ["Africa"], "3": [], "4": [],
                  "5": ["Asia"]}
    for whole in (name, ""):
        params = {"attributes": {name: world}, "whole": whole, "unknown": "partial", "ideal": 1000}
        measure = TrecFair(**params) @ 20
        assert values([measure], QRELS, RUN)[measure, "1"] == pytest.approx(
            trec_fair(topic(**{name: continents}), cutoff=20, **params), abs=1e-12)


def test_targets_of_the_track():
    frame = targets.get("trec-fair/2021/gender").set_index("group")["share"]
    assert frame.to_dict() == {"female": 0.495, "male": 0.495, "third": 0.01}
    assert targets.find("trec-fair/2021/gender/track").of_qrels == 0.5
    assert set(targets.get(GENDER)["group"]) == set(groups.get(f"{ID22}/gender/official").labels)
