"""What a report of 129 runs costs: ``python tests/benchmarks/report_page.py``. Needs Chromium.

Processor time is compared, because it does not depend on what else the machine does. The choice of
a topic is timed in the browser until the new page is drawn; of five rounds, the shortest counts.
"""

import shutil
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from one_run import synthetic
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from timing import report

import pt_fairness
from pt_fairness.reporting import document

LOADED = "return performance.getEntriesByType('navigation')[0].domComplete"
RUNS, TOPICS, DEPTH, ROUNDS = 129, 50, 20, 5
MEASURES = ["nDCG@20", "alpha_nDCG@20", "rKL@20", "AWRF@20"]
#: Choose each topic, and return the milliseconds until the browser has laid the page out and is
#: about to draw the frame after it.
CHOOSE = """
const done = arguments[0];
const select = document.getElementById("topic");
const times = [];
async function choose(i) {
  if (i === select.options.length) return done(times);
  const start = performance.now();
  select.selectedIndex = i;
  select.dispatchEvent(new Event("change"));
  document.body.getBoundingClientRect();
  await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)));
  times.push(performance.now() - start);
  choose(i + 1);
}
choose(0);
"""


def made(runs):
    """The report, and the processor seconds that it takes beyond the evaluation."""
    evaluate, inside = document.evaluate, []

    def timed(*arguments, **options):
        start = time.process_time()
        result = evaluate(*arguments, **options)
        inside.append(time.process_time() - start)
        return result

    document.evaluate = timed
    start = time.process_time()
    qrels, systems = runs
    page = pt_fairness.report(systems, qrels, MEASURES, groups="trec-newswire", baseline=0,
                              progress=False)
    return page, time.process_time() - start - inside[0]


def files(folder):
    """Qrels, and runs of 1000 documents a topic as files."""
    qrels, run = synthetic(TOPICS)
    rng = np.random.default_rng(1)
    for i in range(RUNS):
        frame = run.assign(q0="Q0", rank=0, name="x", score=rng.standard_normal(len(run)).round(5))
        frame[["query_id", "q0", "doc_id", "rank", "score", "name"]].to_csv(
            folder / f"run{i:03}", sep=" ", header=False, index=False)
    return qrels, sorted(map(str, folder.iterdir()))


def milliseconds(path):
    """The shortest times in the browser: of loading the page, and of the choice of each topic."""
    options = webdriver.ChromeOptions()
    for flag in ("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                 "--disable-background-networking", "--disable-component-update",
                 "--disable-sync", f"--user-data-dir={path.parent / 'profile'}"):
        options.add_argument(flag)
    browser = webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))
    try:
        browser.set_script_timeout(120)
        loading = []
        for _ in range(ROUNDS):
            browser.get(path.as_uri())
            loading.append(browser.execute_script(LOADED))
        choices = [browser.execute_async_script(CHOOSE) for _ in range(ROUNDS)]
        return min(loading), np.min(choices, axis=0)
    finally:
        browser.quit()


def main() -> int:
    """Returns how many bounds were missed."""
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "runs").mkdir()
        page, took = made(files(folder / "runs"))
        page.save(folder / "report.html")
        size = (folder / "report.html").stat().st_size / 1e6
        loading, times = milliseconds(folder / "report.html")
    return report([
        (f"MB of a page of {RUNS} runs, {TOPICS} topics, {DEPTH} documents", size, "under 5",
         size < 5),
        ("processor seconds beyond the evaluation", took, "under 20", took < 20),
        ("milliseconds to load the page", loading, "under 1000", loading < 1000),
        ("milliseconds to choose a topic, median", float(np.median(times)), "under 200",
         np.median(times) < 200),
        ("milliseconds to choose a topic, longest", float(times.max()), "under 200",
         times.max() < 200)])


if __name__ == "__main__":
    sys.exit(1 if main() else 0)
