"""The page: its tables without JavaScript, its bytes, its policy and its figures."""

import base64
import hashlib
import json
import math
import re
from html import unescape

import pandas as pd
import pytest
from reporting.pages import DOCNOS, QIDS, RUNS, SCRIPT, Tags, figures

from pt_fairness import report
from pt_fairness.analysis.inputs import best, is_reference, measure_columns
from pt_fairness.analysis.notes import marks

pytestmark = pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")


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


def test_specifications_are_vega_lite(made):
    altair = pytest.importorskip("altair")
    for specification in figures(made.report).values():
        few = {name: rows[:5] for name, rows in specification["datasets"].items()}
        altair.Chart.from_dict(specification | {"datasets": few}, validate=True)
        assert specification["$schema"].rpartition("/")[2] == f"{altair.SCHEMA_VERSION[:2]}.json"


@pytest.mark.slow
def test_the_page_in_a_browser(show, made):
    from selenium.webdriver.common.keys import Keys
    page = show(made.report.html, 6)
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
    assert [entry for entry in page.get_log("browser") if entry["level"] == "SEVERE"] == []
    sent = [json.loads(entry["message"])["message"] for entry in page.get_log("performance")]
    requests = {entry["params"]["request"]["url"] for entry in sent
                if entry["method"] == "Network.requestWillBeSent"}
    assert {url for url in requests if not url.startswith("chrome")} == {page.current_url}
