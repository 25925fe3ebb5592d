"""An experiment with difficult names, its report, and a browser that shows it."""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

from pt_fairness import FairnessWarning, evaluate, groups, report
from pt_fairness.reporting import Report

MEASURES = ["nDCG@5", "rKL@5", "AWRF@5", "BiasP(pro='A & B',con='<i>C</i>')@5", "alpha_nDCG@5"]
#: Names that are markup, or end a script, where they are not escaped.
SCRIPT = "<script>alert(1)</script>"
RUNS = ["BM25", "<b>mono</b> & 'duo'", '"><img src=x onerror=alert(2)>', "空 système"]
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync")


class Made(NamedTuple):
    """The arguments of a report, and the tables that it shows."""

    runs: dict[str, pd.DataFrame]
    qrels: pd.DataFrame
    groups: groups.Groups
    averages: pd.DataFrame
    perquery: pd.DataFrame
    report: Report


@pytest.fixture(scope="session")
def made() -> Made:
    pytest.importorskip("jinja2")
    rng = np.random.default_rng(3)
    docnos = [SCRIPT, "</script><!--", "dö & 'co'", *(f"d{i}" for i in range(15))]
    qids = ["1", "</script>", "3", "4", "5", "only A"]
    labels = ["A & B", "<i>C</i>", "z"]
    qrels = pd.DataFrame(
        [(qid, docno, int(rng.integers(0, 3))) for qid in qids for docno in docnos[:12]],
        columns=["qid", "docno", "label"])
    known = {docno: list(rng.choice(labels, 1 + (i % 5 == 0), False)) for i, docno in
             enumerate(docnos) if i % 4 != 3}  # fmt: skip
    known["d0"] = ["A & B"]
    qrels.loc[qrels["qid"].eq("only A"), "label"] = 0
    qrels.loc[qrels["qid"].eq("only A") & qrels["docno"].eq("d0"), "label"] = 1
    runs = {name: pd.DataFrame([(qid, docno, rng.random()) for qid in qids for docno in docnos],
                               columns=["qid", "docno", "score"]) for name in RUNS}
    source = groups.from_mapping(known, name="opinions & more")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FairnessWarning)
        averages, perquery = evaluate(
            runs, qrels, MEASURES, groups=source, baseline=0, correction="holm", progress=False)
        page = report(runs, qrels, MEASURES, groups=source, baseline=0, depth=8, progress=False,
                      title="A <report>")
    return Made(runs, qrels, source, averages, perquery, page)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Chromium without a window, which logs its console and its requests."""
    webdriver = pytest.importorskip("selenium.webdriver")
    from selenium.webdriver.chrome.service import Service
    binary, driver = (next(filter(None, map(shutil.which, names)), None)
                      for names in (("chromium", "google-chrome"), ("chromedriver",)))
    if binary is None or driver is None:
        pytest.skip("no browser: install Debian's packages chromium and chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(driver))
    browser.set_window_size(1400, 1000)
    # Without it, a window in the background fires no focus events.
    browser.execute_cdp_cmd("Emulation.setFocusEmulationEnabled", {"enabled": True})
    yield browser
    browser.quit()


class Page:
    """The report in the browser."""

    def __init__(self, browser: Any, path: Path) -> None:
        self.browser, self.address = browser, path.as_uri()
        browser.get_log("browser"), browser.get_log("performance")
        browser.get(self.address)
        # A history of 50 entries is full, and Chromium then drops those that scripts have left.
        browser.execute_cdp_cmd("Page.resetNavigationHistory", {})

    def __call__(self, script: str, *arguments: Any) -> Any:
        """The result of a script."""
        return self.browser.execute_script(script, *arguments)

    def find(self, selector: str) -> Any:
        return self.browser.find_element("css selector", selector)

    def find_all(self, selector: str) -> list[Any]:
        return self.browser.find_elements("css selector", selector)

    def choose(self, name: str, text: str) -> None:
        from selenium.webdriver.support.ui import Select
        Select(self.find(f"#{name}")).select_by_visible_text(text)

    def rows(self, table: str) -> list[list[str]]:
        """The texts of the body of a table, with whole names."""
        return self(
            "const whole = (text, name) => text.replace(name.innerText, name.title);"
            "return [...document.querySelectorAll(arguments[0])].map(row => [...row.cells].map("
            "cell => [...cell.querySelectorAll('.cut')].reduce(whole, cell.innerText.trim())))",
            f"#{table} tbody tr",
        )

    @contextmanager
    def on(self, width: int = 1280, scheme: str = "light", media: str = "") -> Iterator[None]:
        """A screen of a width in pixels, a phone below 500, or paper (``media="print"``)."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500}
        emulated = {"media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]}
        self.browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
        self.browser.execute_cdp_cmd("Emulation.setEmulatedMedia", emulated)
        # What follows the size is drawn in the next frames.
        self.browser.execute_async_script("requestAnimationFrame(() => requestAnimationFrame(() =>"
                                          " setTimeout(arguments[0])))")
        try:
            yield
        finally:
            self.browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
            self.browser.execute_cdp_cmd(
                "Emulation.setEmulatedMedia", {"media": "", "features": []})

    def requests(self) -> list[str]:
        """The addresses of the requests of the page; the browser's own start page has others."""
        events = [json.loads(one["message"])["message"] for one in
                  self.browser.get_log("performance")]  # fmt: skip
        return [one["params"]["request"]["url"] for one in events
                if one["method"] == "Network.requestWillBeSent"
                and one["params"]["documentURL"] == self.address]


@pytest.fixture
def show(browser, tmp_path) -> Iterator[Callable[[str], Page]]:
    """``show(html)``: the page in the browser; at the end, errors and requests are looked for."""
    pages = []

    def shown(html: str) -> Page:
        (tmp_path / "report.html").write_text(html, encoding="utf-8")
        pages.append(Page(browser, tmp_path / "report.html"))
        return pages[-1]

    yield shown
    assert browser.get_log("browser") == []
    for page in pages[-1:]:  # none, where the test was skipped
        assert set(page.requests()) == {page.address}


@pytest.fixture
def page(show, made) -> Page:
    return show(made.report.html)
