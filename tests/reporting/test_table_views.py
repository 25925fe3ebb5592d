"""The table of averages in the browser: p-values, differences, and texts to copy."""

from __future__ import annotations

import re

import numpy as np
import pytest
from pt_fairness.analysis.columns import measure_columns

from pt_fairness.analysis.notes import p_values, short_p
from pt_fairness.analysis.tables import as_text


def shown(value: float) -> str:
    return f"{value:.4f}".replace("-", "−")


def test_p_values_can_be_hidden(page, made):
    p = p_values(made.averages, "rKL@5")
    cells = {row[0]: row[2].split("\n") for row in page.rows("systems")}
    for system, one in zip(made.averages["name"], p, strict=True):
        wanted = [] if np.isnan(one) else [f"corrected p = {short_p(one)}".replace("= <", "<")]
        assert [line for line in cells[system] if "p " in line] == wanted
        assert all(re.search(r"p (= \.\d{3}|= 1\.000|< \.001)$", line) for line in wanted)
    page.find("#detailed").click()
    assert not any("p " in cell for row in page.rows("systems") for cell in row)
    media = {"media": "print"}
    for shown_ in (False, True):  # on paper as on the screen
        page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        assert page.find("#systems .about").is_displayed() == shown_
        page.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
        page.find("#detailed").click()


def test_differences_from_the_baseline(page, made):
    page.choose("shown", "differences from BM25")
    frame = made.averages.set_index("name")
    columns = measure_columns(made.averages)
    for row in page.rows("systems"):
        for column, text in zip(columns, row[1:], strict=False):
            value = frame[column][row[0]] - frame[column]["BM25"]
            wanted = shown(frame[column][row[0]]) if row[0] == "BM25" else \
                f"{value:+.4f}".replace("-", "−")
            assert text.split()[0].rstrip("▲▼≠") == wanted
    assert "Differences from BM25" in page.find("#shown-note").text
    page.choose("shown", "averages")
    assert {row[0]: row[1].split()[0] for row in page.rows("systems")}["BM25"] == shown(
        frame[columns[0]]["BM25"])
    assert not page.find("#shown-note").is_displayed()


@pytest.mark.parametrize(("form", "name"), [("latex", "latex"), ("csv", "csv"), ("md", "markdown")])
def test_the_table_can_be_copied(page, made, form, name):
    page.find(f"#table details:has(#table-{name}) summary").click()
    page.find(f"button[data-select=table-{name}]").send_keys("\ue007")
    wanted = as_text(made.report.table, form, p_values=True)
    assert page(f"return byId('table-{name}').textContent") == wanted
    assert page("return getSelection().toString()").split() == wanted.split()
    assert measure_columns(made.report.table) == measure_columns(made.averages)
