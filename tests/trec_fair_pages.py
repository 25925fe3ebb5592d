"""Articles of TREC Fair 2022 in the format of its metadata file."""

from typing import Any

METADATA22 = "trec-fair/2022/trec_2022_articles_discrete.json.gz"


def page22(number: int | str, **fields: Any) -> dict[str, Any]:
    """An article as the metadata of 2022 has them."""
    return {
        "page_id": number, "pred_qual": 0.3, "qual_cat": "Stub", "page_countries": [],
        "page_subcont_regions": [], "source_countries": {}, "source_subcont_regions": {},
        "gender": [], "occupations": [], "years": [], "num_sitelinks": 1,
        "relative_pageviews": 0.2, "first_letter": "K", "creation_date": "2007-07-08",
        "first_letter_category": "e-k", "gender_category": "Unknown",
        "creation_date_category": "2007-2011", "years_category": "Unknown",
        "relative_pageviews_category": "Medium-Low", "num_sitelinks_category": "English only",
        **fields}


PAGES22 = [
    page22(12148915, page_subcont_regions=["Northern America"], gender=["male"],
           occupations=["athlete"], years=[1968], gender_category="Man",
           years_category="20th century", num_sitelinks_category="2-4 languages"),
    page22(69605138, gender=["female"], gender_category="Woman", occupations=["artist", "writer"],
           page_subcont_regions=["Polynesia", "Melanesia", "Western Europe"],
           source_subcont_regions={"UNK": 5, "Northern America": 25, "Polynesia": 1,
                                   "Micronesia": 2}),
    page22(66716319, gender=["agender"], gender_category="Non-binary", qual_cat="FA",
           source_subcont_regions={"UNK": 3}),
]
#: What each id of 2022 says of the three articles.
GROUPS22 = {
    "gender": [["Man"], ["Woman"], ["Non-binary"]],
    "regions": [["Northern America"], ["Oceania", "Western Europe"], ["-"]],
    "source-regions": [["-"], ["Northern America", "Oceania"], ["-"]],
    "occupations": [["athlete"], ["artist", "writer"], ["-"]],
    "years": [["20th century"], ["-"], ["-"]], "quality": [["Stub"], ["Stub"], ["FA"]],
    "popularity": [["Medium-Low"]] * 3, "age": [["2007-2011"]] * 3, "alphabet": [["e-k"]] * 3,
    "languages": [["2-4 languages"], ["English only"], ["English only"]]}
DOCNOS22 = ["12148915", "69605138", "66716319"]


def expected22(suffix):
    return [("84", docno, 1, group)
            for docno, found in zip(DOCNOS22, GROUPS22[suffix], strict=True) for group in found]
