"""The text that is made from the measures."""

from __future__ import annotations

import re

from pt_fairness.measures import MEASURES, catalog


def test_the_page_has_a_heading_for_each_measure():
    page = catalog.rst(catalog.named([]))
    for name in MEASURES:
        assert re.search(rf"^{name} — .+\n-+$", page, re.MULTILINE)
    assert not re.search(r"^ +-{3,}$", page, re.MULTILINE)  # the headings of docstrings are rubrics
