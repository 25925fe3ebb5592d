"""An experiment with difficult names, its report, and a browser that shows it."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from reporting.pages import DOCNOS, LABELS, MEASURES, QIDS, RUNS

from pt_fairness import evaluate, groups, report
from pt_fairness.evaluation.experiment import Evaluation
from pt_fairness.reporting import Report

FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync")


class Made(NamedTuple):
    """The arguments of a report, the report, and the evaluation that it shows."""

    runs: dict[str, pd.DataFrame]
    qrels: pd.DataFrame
    groups: groups.Groups
    evaluation: Evaluation
    report: Report


@pytest.fixture(scope="session")
def made() -> Made:
    rng = np.random.default_rng(3)
    pairs = [(qid, docno, int(rng.integers(0, 3))) for qid in QIDS for docno in DOCNOS[:12]]
    qrels = pd.DataFrame(pairs, columns=["qid", "docno", "label"])
    only = qrels["qid"] == "only A"
    qrels.loc[only, "label"] = 0
    qrels.loc[only & (qrels["docno"] == "d0"), "label"] = 1
    known = {docno: list(rng.choice(LABELS, 1 + (i % 5 == 0), False))
             for i, docno in enumerate(DOCNOS) if i % 4 != 3} | {"d0": "A & B"}
    source = groups.from_mapping(known, name="opinions & <more>")
    runs = {name: pd.DataFrame([(qid, docno, rng.random()) for qid in QIDS for docno in DOCNOS],
                               columns=["qid", "docno", "score"]) for name in RUNS}
    runs["toString"] = qrels[["qid", "docno"]].assign(score=qrels["label"])
    options = {"groups": source, "baseline": 0, "progress": False}
    topics = pd.DataFrame({"qid": QIDS, "query": [f"what <b>is</b> {qid}?" for qid in QIDS]})
    page = report(runs, qrels, MEASURES, topics, **options, depth=8, title="A <report>",
                  confidence=0.9, labels={"rKL@5": "<i>unfair</i>"})
    evaluation = evaluate(runs, qrels, MEASURES, **options, references=True)
    return Made(runs, qrels, source, evaluation, page)


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """Chromium without a window, which logs its console and its requests."""
    from selenium import webdriver
    from selenium.webdriver.chrome.service import Service
    binary = shutil.which("chromium") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.skip("no browser: install Debian's packages chromium and chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    browser = webdriver.Chrome(options=options, service=Service(driver))
    browser.set_window_size(1280, 1000)
    browser.set_script_timeout(60)
    yield browser
    browser.quit()


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Any:
    """``show(html, figures)``: the page in the browser, once it has drawn this many figures."""
    def shown(html: str, figures: int) -> Any:
        from selenium.webdriver.support.ui import WebDriverWait
        path = tmp_path / "report.html"
        path.write_text(html, encoding="utf-8")
        browser.get_log("browser"), browser.get_log("performance")
        browser.get(path.as_uri())
        WebDriverWait(browser, 60).until(
            lambda page: len(page.find_elements("css selector", ".figure svg.marks")) == figures)
        return browser
    return shown
