"""What the template is filled with: classes of groups, numbers, JSON, and the policy of scripts."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import sys

import pandas as pd
import pytest

from pt_fairness import report
from pt_fairness.core import __version__
from pt_fairness.reporting import document
from pt_fairness.reporting.document import group_class, render
from pt_fairness.reporting.sections import as_json, number

QRELS = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": 1})
RUN = QRELS.assign(score=[2.0, 1.0])


def test_groups_have_different_patterns_before_colours_change():
    classes = [group_class(i) for i in range(20)]
    assert len(set(classes[:12])) == 12 and set(classes[12:]) == {"fill other"}
    assert len({one.split()[2] for one in classes[:8]}) == 8
    patterns, colours = ([one.split()[place] for one in classes[:12]] for place in (2, 1))
    assert patterns[8:] == patterns[:4]
    assert all(one != two for one, two in zip(colours[8:], colours[:4], strict=True))


@pytest.mark.parametrize(("value", "shown"), [
    (math.nan, None), (math.inf, "Infinity"), (-math.inf, "-Infinity"), (0.1 + 0.2, 0.3),
    (-1 / 3, -0.333333333333), (123456789012345.0, 123456789012000.0)])
def test_numbers_have_twelve_digits_and_json_has_no_others(value, shown):
    assert number(value) == shown
    assert json.loads(as_json([number(value)])) == [shown]


def test_json_is_ascii_without_spaces():
    assert as_json({"ä": [1, None, "a b"]}) == '{"\\u00e4":[1,null,"a b"]}'
    for value in (math.nan, math.inf):
        with pytest.raises(ValueError, match="Out of range float values"):
            as_json([value])


def test_the_policy_allows_the_script_of_the_page_alone():
    pytest.importorskip("jinja2")
    page = report({"x": RUN}, QRELS, ["nDCG@2"], progress=False, title="<i>").html
    script = page.rpartition("<script>")[2].partition("</script>")[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page
    assert "&lt;i&gt;" in page and "<i>" not in page.partition("<script")[0]
    assert __version__ in page


def test_a_variable_that_is_missing_is_an_error(monkeypatch):
    """Without StrictUndefined, the page would have an empty title."""
    jinja2 = pytest.importorskip("jinja2")
    contents = []
    monkeypatch.setattr(document, "render", lambda content, data: contents.append(content) or "")
    report({"x": RUN}, QRELS, ["nDCG@2"], progress=False)
    assert "<title>" in render(contents[0], {})
    contents[0].pop("title")
    with pytest.raises(jinja2.UndefinedError, match="'title' is undefined"):
        render(contents[0], {})


def test_without_jinja2(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"pip install 'pt-fairness\[report\]'"):
        report({"x": RUN}, QRELS, ["nDCG@2"], progress=False)
