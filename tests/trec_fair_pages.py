"""Articles of TREC Fair 2022 in the format of its metadata file."""

from __future__ import annotations

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
