"""TREC Fair Ranking tracks of 2021 and 2022: continents, gender and other groups of articles.

The tracks search articles of the English Wikipedia. The groups of an article are in a metadata file
of the track, which is all that is downloaded besides the judgments: the articles themselves are not
read.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from pt_fairness.collections.variants import UNCOUNTED, labelled, variant

_QUALITY = ("Stub", "Start", "C", "B", "GA", "FA")
_CONTINENTS = ("Africa", "Antarctica", "Asia", "Europe", "Latin America and the Caribbean",
               "Northern America", "Oceania")
#: The UN subregions, those of Oceania merged as in the evaluation code of the track.
_REGIONS = (
    "Antarctica", "Caribbean", "Central America", "Central Asia", "Eastern Africa", "Eastern Asia",
    "Eastern Europe", "Middle Africa", "Northern Africa", "Northern America", "Northern Europe",
    "Oceania", "South America", "South-eastern Asia", "Southern Africa", "Southern Asia",
    "Southern Europe", "Western Africa", "Western Asia", "Western Europe")
_OCEANIA = dict.fromkeys(("Australia and New Zealand", "Melanesia", "Micronesia", "Polynesia"),
                         "Oceania")
_OCCUPATIONS = (
    "activist", "agricultural worker", "artist", "athlete", "biologist", "businessperson",
    "chemist", "civil servant", "clergyperson", "computer scientist", "designer", "earth scientist",
    "educator", "engineer", "health professional", "humanities scholar", "information professional",
    "journalist", "jurist", "linguist", "mathematician", "media professional", "military personnel",
    "musician", "performing artist", "physicist", "politician", "scientist", "social scientist",
    "sportsperson (non-athlete)", "transportation occupation", "writer")

#: The fields of each dataset id, by suffix; see :class:`pt_fairness.collections.metadata.Field`.
_FIELDS: dict[str, dict[str, dict[str, Any]]] = {
    "trec-fair/2021/eval": {
        "locations": {"key": "geographic_locations", "labels": _CONTINENTS},
        "quality": {"key": "quality_score_disc", "labels": _QUALITY, "ordered": True},
    },
    "trec-fair/2022/train": {
        "gender": {"key": "gender_category", "labels": ("Man", "Non-binary", "Woman")},
        "regions": {"key": "page_subcont_regions", "labels": _REGIONS, "merged": _OCEANIA},
        "source-regions": {"key": "source_subcont_regions", "labels": _REGIONS,
                           "merged": _OCEANIA, "counts": True, "weighted": True},
        "occupations": {"key": "occupations", "labels": _OCCUPATIONS},
        "years": {"key": "years_category", "ordered": True,
                  "labels": ("Pre-1900s", "20th century", "21st century")},
        "quality": {"key": "qual_cat", "labels": _QUALITY, "ordered": True},
        "popularity": {"key": "relative_pageviews_category", "ordered": True,
                       "labels": ("Low", "Medium-Low", "Medium-High", "High")},
        "age": {"key": "creation_date_category", "ordered": True,
                "labels": ("2001-2006", "2007-2011", "2012-2016", "2017-2022")},
        "alphabet": {"key": "first_letter_category", "ordered": True,
                     "labels": ("a-d", "e-k", "l-r", "s-")},
        "languages": {"key": "num_sitelinks_category", "ordered": True,
                      "labels": ("English only", "2-4 languages", "5+ languages")},
    },
}
#: The fields as the evaluation code of the track reads them, where that differs. They are sources
#: without a dataset id: qrels have no place for weights.
_OFFICIAL: dict[str, dict[str, Any]] = {
    "gender": {"key": "gender", "labels": ("Man", "Non-binary", "Woman"), "other": "Non-binary",
               "merged": {f"{kind}{sex}": label for kind in ("", "transgender ", "cisgender ")
                          for sex, label in (("male", "Man"), ("female", "Woman"))}},
    "regions": _FIELDS["trec-fair/2022/train"]["regions"] | {"weighted": True},
    "source-regions": _FIELDS["trec-fair/2022/train"]["source-regions"] | {"unknown": "UNK"},
}
#: The attribute of ir_datasets' document handler that holds the metadata file.
_METADATA = {"trec-fair/2021/eval": "_mlc", "trec-fair/2022/train": "_metadata_dlc"}
_MEANING = {
    "locations": "the continents of the places that the article is about",
    "regions": "the UN subregions of the places that the article is about",
    "source-regions": "the UN subregions of the sources that the article cites",
    "gender": "the gender of the person that the article is about",
    "occupations": "the occupations of the person that the article is about",
    "years": "the time that the article is about",
    "quality": "the predicted quality of the article",
    "popularity": "how often the article was viewed",
    "age": "the years in which the article was created",
    "alphabet": "the first letter of the title",
    "languages": "the number of languages in which there is an article",
}


def source(name: str) -> Any:
    """Return a field of the metadata as groups."""
    from pt_fairness.collections.metadata import Field, FromMetadata
    dataset_id = next(known for known in _FIELDS if name.startswith(known))
    suffix = name.removeprefix(f"{dataset_id}/")
    fields = {known: Field(**field) for known, field in _FIELDS[dataset_id].items()}
    if dataset_id == "trec-fair/2022/train":
        fields |= {f"{known}/official": Field(**field, official=True)
                   for known, field in _OFFICIAL.items()}
    return FromMetadata(name, fields[suffix], fields.values(), dataset_id, _METADATA[dataset_id])


def register(registry: Any) -> None:
    """Register the fields as variants of ``trec-fair/2021/eval`` and ``trec-fair/2022/train``."""
    for base_id, fields in _FIELDS.items():
        for suffix in fields:
            name = f"{base_id}/{suffix}"
            variant(registry, base_id, suffix, partial(labelled, source, name), f"with {suffix}",
                    f"The iteration field holds {_MEANING[suffix]}. An article with several groups "
                    "has a row for each of them.", metadata=UNCOUNTED)
