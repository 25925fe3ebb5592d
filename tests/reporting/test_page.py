"""The page: its tables without JavaScript, its bytes, its policy and its figures."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
import subprocess
import sys
from html import unescape

import pandas as pd
import pytest
from reporting.pages import DOCNOS, QIDS, RUNS, SCRIPT, Tags, figures

from pt_fairness import report
from pt_fairness.analysis.frames import best, is_reference, measure_columns
from pt_fairness.analysis.notes import marks

pytestmark = pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")

FIGURES = ["shares", "plane", "judged", "differences", "values", "strips"]


def number(text: str) -> float:
    return math.nan if text == "–" else float(text.replace("−", "-"))


def test_the_table_of_averages(made):
    averages, facts = made.evaluation.averages, made.evaluation.facts
    (table,) = [table for table in Tags(made.report.html).tables if "[random order]" in str(table)]
    head, *rows = table
    assert len(rows) == len(averages) == 12
    columns = measure_columns(averages)
    assert [cell.partition("|")[0] for cell in head[1:]] == [
        "<i>unfair</i>" if column == "rKL@5" else column for column in columns]
    changed = marks(averages, facts)
    for i, (name, *cells) in enumerate(rows):
        assert name == averages["name"][i] + "|baseline" * (i == 0)
        for column, cell in zip(columns, cells, strict=True):
            text, *lines = cell.split("|")
            value = averages[column][i]
            assert number(text.rstrip("▲▼≠")) == pytest.approx(value, abs=5.1e-5, nan_ok=True)
            assert text.endswith(changed[column][i])
            assert len(lines) == (0 if is_reference(averages)[i] else 1 if i == 0 else 2)


def test_the_best_averages_are_marked(made):
    page = made.report.html
    averages = made.evaluation.averages
    expected = best(averages[["name", *measure_columns(averages)]]).to_numpy().sum()
    assert page.count('class="best"') == expected > 4
    bold = re.findall(r'data-key="([^"]*)" class="best">([−\d.]*)', page)
    assert ("-1.0", "1.0000") in bold


def test_numbers_behind_each_figure(made):
    values = made.evaluation.perquery.set_index(["measure", "qid", "name"])["value"]
    tables = [table for table in Tags(made.report.html).tables if table[0][1:] == RUNS]
    table, *_ = tables
    for qid, *cells in table[1:]:
        for name, cell in zip(RUNS, cells, strict=True):
            assert number(cell) == pytest.approx(values["nDCG@5", qid, name], abs=5.1e-5)
    counts = [pd.DataFrame(table[1:]).set_index(0).astype(int) for table in tables[5:]]
    assert len(counts) == 4 and pd.concat(counts).to_numpy().sum() >= 6 * 8 * 8


def test_names_are_text_and_never_markup(made):
    page = made.report.html
    tags = Tags(page).tags
    assert [tag for tag, _ in tags].count("script") == 2
    assert not {tag for tag, _ in tags} & {"b", "i", "img", "link", "iframe", "object", "embed"}
    for tag, attributes in tags:
        assert "src" not in attributes and "style" not in attributes
        assert tag != "a" or attributes["href"].startswith("#")
        assert not any(name.startswith("on") for name in attributes)
    assert SCRIPT not in page and unescape(page).count(SCRIPT) > 5
    texts = json.dumps(figures(made.report)["strips"]["datasets"]["documents"])
    assert all(json.dumps(docno) in texts for docno in DOCNOS[:4])


def test_names_are_data_and_no_part_of_a_specification(made):
    for specification in figures(made.report).values():
        params = {param["name"]: param["value"] for param in specification["params"]}
        assert params.get("names", RUNS) == RUNS
        rest = {key: value for key, value in specification.items()
                if key not in ("datasets", "params")}
        text = json.dumps(rest, ensure_ascii=False)
        assert not any(name in text for name in (*RUNS[1:], *QIDS[1:3], "opinions", "A & B"))


def test_the_policy_allows_the_style_and_the_script_of_the_page_alone(made):
    page = made.report.html
    (policy,) = [attributes["content"] for _, attributes in Tags(page).tags
                 if attributes.get("http-equiv")]
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)[1]
    script = re.search(r'<script type="module">(.*?)</script>', page, re.DOTALL)[1]
    for name, text in {"style": style, "script": script}.items():
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; ") and "unsafe" not in policy


def test_the_same_arguments_give_the_same_bytes(tmp_path):
    pages = []
    for name in ("one", "two"):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "run.txt").write_text("1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n2 Q0 b 1 1 x\n")
        (folder / "groups.csv").write_text("docno,group\na,P\nb,C\n")
        qrels = pd.DataFrame({"qid": ["1", "1", "2"], "docno": [*"abb"], "label": 1})
        pages.append(report([folder / "run.txt"], qrels, ["nDCG@2", "AWRF@2"], progress=False,
                            groups=str(folder / "groups.csv")).html)
    assert pages[0] == pages[1] and str(tmp_path) not in pages[0]


HASHED = """
import hashlib, pandas as pd
from pt_fairness import report
qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": 1, "iteration": ["P", "C"]})
run = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "score": [2.0, 1.0]})
page = report({"x": run, "y": run}, qrels, ["nDCG@2", "rKL@2"], baseline=0, progress=False)
print(hashlib.sha256(page.html.encode()).hexdigest())
"""


@pytest.mark.slow
def test_the_bytes_do_not_depend_on_the_process():
    shown = [subprocess.run([sys.executable, "-W", "ignore", "-c", HASHED], text=True, check=True,
                            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
                            capture_output=True).stdout for seed in ("1", "2")]
    assert shown[0] == shown[1] != ""


@pytest.mark.newest
@pytest.mark.parametrize("name", FIGURES)
def test_specifications_are_vega_lite(made, name):
    altair = pytest.importorskip("altair")
    specification = figures(made.report)[name]
    altair.Chart.from_dict(specification, validate=True)
    assert specification["$schema"].rpartition("/")[2] == f"{altair.SCHEMA_VERSION[:2]}.json"


def drawn(specification, **values):
    """The items of the marks of a figure by kind, and the texts of its axes.

    :param values: the values of its parameters
    """
    vl_convert = pytest.importorskip("vl_convert")
    specification = json.loads(json.dumps(specification))
    specification["width"] = 800  # a container needs a browser
    for param in specification["params"]:
        param.pop("bind", None)
        param["value"] = values.get(param["name"], param["value"])
    items: dict[str, list] = {}

    def collect(mark):
        for item in mark.get("items", []):
            if mark.get("marktype") == "group":
                for part in item.get("items", []):
                    collect(part)
            elif mark.get("role") == "mark":
                items.setdefault(mark["marktype"], []).append(item)
            else:
                items.setdefault(mark["role"], []).append(item)

    collect(vl_convert.vegalite_to_scenegraph(specification)["scenegraph"])
    return items


def test_the_better_end_of_the_plane_is_at_the_top_and_on_the_right(made):
    averages = made.evaluation.averages
    systems = averages[~is_reference(averages)]
    plane = figures(made.report)["plane"]
    for x, y in ((0, 1), (1, 2), (2, 4)):
        items = drawn(plane, x=x, y=y)
        points = items["symbol"]
        assert len(points) == 8
        for axis, place, sign in (("x", x, 1), ("y", y, -1)):
            column = measure_columns(averages)[place]
            order = sorted(range(8), key=lambda i: sign * points[i].get(axis, 0))
            values = systems[column].iloc[order]
            assert values.is_monotonic_decreasing if column == "rKL@5" \
                else values.is_monotonic_increasing
        assert max(points, key=lambda point: point["strokeWidth"]) == points[0]  # the baseline


def test_the_pareto_front_is_filled(made):
    averages = made.evaluation.averages
    systems = averages[~is_reference(averages)]
    far = pd.DataFrame({"x": -systems["nDCG@5"], "y": systems["rKL@5"]}).round(12)
    points = drawn(figures(made.report)["plane"], x=0, y=1)["symbol"]
    for i, point in enumerate(points):
        not_worse = (far <= far.loc[i]).all(axis=1)
        beaten = (not_worse & (far < far.loc[i]).any(axis=1)).any()
        assert (point["fill"] == "var(--front)") == (not beaten)


def test_the_documents_of_the_chosen_topic(made):
    strips = figures(made.report)["strips"]
    rows = pd.DataFrame(strips["datasets"]["documents"])
    for topic in (0, 3):
        items = drawn(strips, topic=topic, measure=1)
        part = rows[rows["topic"] == topic]
        assert len(items["rect"]) == part["group"].map(len).sum()
        fills = pd.Series([item["fill"] for item in items["rect"]])
        groups = pd.Series([group for groups in part["group"] for group in groups])
        expected = ("var(--g" + groups.astype(str) + ")").value_counts()
        pd.testing.assert_series_equal(fills.value_counts().sort_index(), expected.sort_index(),
                                       check_names=False)
        counting = {item["fill"] for item in items["rect"] if item["opacity"] == 1}
        assert counting and "var(--g-1)" not in counting


def test_differences_values_and_judged_documents(made):
    all_figures = figures(made.report)
    items = drawn(all_figures["differences"], measure=1)
    assert len(items["symbol"]) == 7
    rows = pd.DataFrame(all_figures["differences"]["datasets"]["differences"])
    filled = [item["fill"] == "var(--front)" for item in items["symbol"]]
    assert sum(filled) == rows[rows["measure"] == 1]["significant"].sum()
    items = drawn(all_figures["values"], measure=0, topic=2)
    assert len(items["rect"]) == 6 * 8 and len(items["symbol"]) == 8
    assert len(drawn(all_figures["judged"])["rect"]) == 6 * 3
    items = drawn(all_figures["shares"])
    assert len(items["rect"]) == (1 + 8) * 3 and len(items["rule"]) == 3


@pytest.mark.slow
def test_the_page_in_a_browser(show, made):
    from selenium.webdriver.common.keys import Keys
    page = show(made.report.html, len(FIGURES))
    table = page.find_element("css selector", "#systems table")
    for button in table.find_elements("css selector", "thead button")[1:3]:
        button.send_keys(Keys.ENTER)
    rows = [row.text.split("\n")[0] for row in table.find_elements(
        "css selector", "tbody:first-of-type th")]
    averages = made.evaluation.averages.head(8)
    assert rows == averages.sort_values("rKL@5", kind="stable")["name"].tolist()
    for select in page.find_elements("css selector", "select"):
        before = page.execute_script("return document.querySelector('main').innerHTML")
        select.send_keys(Keys.ARROW_DOWN)
        page.execute_async_script("setTimeout(arguments[0], 300)")
        after = page.execute_script("return document.querySelector('main').innerHTML")
        assert before != after or "source" in select.get_attribute("id")
    page.find_element("css selector", "#systems summary").send_keys(Keys.ENTER)
    assert page.find_element("css selector", "#systems pre").is_displayed()
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {
        "features": [{"name": "prefers-color-scheme", "value": "dark"}]})
    ground = page.execute_script("return getComputedStyle(document.body).backgroundColor")
    assert max(map(int, re.findall(r"\d+", ground))) < 60
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
        "width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True})
    page.execute_async_script("setTimeout(arguments[0], 500)")
    assert page.execute_script("return document.documentElement.scrollWidth") <= 390
    page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    printed = page.execute_cdp_cmd("Page.printToPDF", {})["data"]
    assert len(printed) < 2_500_000
    assert [entry for entry in page.get_log("browser") if entry["level"] == "SEVERE"] == []
    sent = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    requests = {entry["params"]["request"]["url"] for entry in sent
                if entry["method"] == "Network.requestWillBeSent"}
    assert {url for url in requests if not url.startswith("chrome")} == {page.current_url}


@pytest.mark.slow
def test_a_notebook_shows_the_page_in_a_frame(show, made, browser):
    show(made.report.html, len(FIGURES))
    page = show(f"<!DOCTYPE html><meta charset=utf-8>{made.report._repr_html_()}", 0)
    page.switch_to.frame(page.find_element("css selector", "iframe"))
    page.execute_async_script("setTimeout(arguments[0], 3000)")
    assert len(page.find_elements("css selector", ".figure svg.marks")) == len(FIGURES)
    page.switch_to.default_content()
