"""The text that is made from the measures."""

from __future__ import annotations

import inspect
import re

import pytest

from pt_fairness.declarations import catalog
from pt_fairness.measures import MEASURES


@pytest.mark.parametrize("name", MEASURES)
def test_docstrings_have_four_parts_under_their_names(name):
    text = inspect.cleandoc(type(MEASURES[name]).__doc__)
    title = text.partition("\n")[0]
    assert title.startswith(f"{name} — ") and title.endswith(".")
    headings = re.findall(r"^(.+)\n(-+)$", text, re.MULTILINE)
    assert [heading for heading, _ in headings] == ["Formula", "Range", "Edge cases", "Source"]
    assert all(len(heading) == len(line) for heading, line in headings)
    parts = re.split(r"^.+\n-+$", text, flags=re.MULTILINE)
    assert all(part.strip() for part in parts)


def test_the_page_has_a_heading_for_each_measure():
    page = catalog.rst(catalog.named([]))
    for name in MEASURES:
        assert re.search(rf"^{name} — .+\n-+$", page, re.MULTILINE)
    assert not re.search(r"^ +-{3,}$", page, re.MULTILINE)  # the headings of docstrings are rubrics
