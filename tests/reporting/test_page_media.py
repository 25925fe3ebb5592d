"""The report on phones, wide screens, in the dark and on paper."""

from __future__ import annotations

import base64
import itertools
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pt_fairness import groups, read_qrels, report

pytestmark = pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
#: The largest size of a printed report, in bytes.
MOST = 2_000_000


@pytest.fixture(scope="module")
def crowded():
    """The HTML of a report of 15 systems, 50 topics and 8 groups; all documents have groups."""
    rng = np.random.default_rng(1)
    docnos = [f"clueweb12-{i:05d}" for i in range(1000)]
    known = {docno: {i % 8, (i + 3 * (i % 5 == 0)) % 8} for i, docno in enumerate(docnos)}
    source = groups.from_mapping(
        {docno: [f"group {one}" for one in some] for docno, some in known.items()}, name="made")
    pools = {f"{100 + i}": docnos[20 * i:20 * i + 20] for i in range(50)}
    qrels = pd.DataFrame([(qid, docno, i % 2) for qid, pool in pools.items()
                          for i, docno in enumerate(pool)], columns=["qid", "docno", "label"])
    runs = {f"Captain-Tempesta of the University of Somewhere, run{i:02}": qrels.assign(
        score=rng.random(len(qrels))) for i in range(15)}
    return report(runs, qrels, ["nDCG@5", "rKL@5", "AWRF@5"], groups=source, baseline=0,
                  confidence=0.95, progress=False).html


@pytest.fixture(scope="module")
def touche2022(shared):
    """The HTML of a report of 15 real runs."""
    folder = shared / "data" / "touche2022"
    if not folder.is_dir():
        pytest.skip(f"no runs in {folder}")
    source = groups.from_qrels(folder / "stance.qrels.gz", none=["NO"], name="stances")
    runs = {path.name.removesuffix(".gz"): path for path in sorted((folder / "runs").iterdir())}
    qrels = source.to_qrels(read_qrels(folder / "relevance.qrels.gz"))
    return report(runs, qrels, ["nDCG@5", "rKL@5", "AWRF@5", "NDKL@5"], baseline=0,
                  topics=folder / "topics-task2.xml.gz", progress=False).html


class TestColours:
    @pytest.mark.parametrize("scheme", ["light", "dark"])
    def test_contrast(self, page, scheme):
        script = Path(__file__).with_name("contrast.js").read_text(encoding="utf-8")
        with page.on(scheme=scheme):
            page.find("#systems thead button").click()  # sorts
            page("document.querySelector('#strips td[data-doc]').focus()")
            seen, poor = page(script)
            ground = page("return getComputedStyle(document.body).backgroundColor")
        assert seen > 300 and poor == []
        channels = [int(one) for one in ground.removeprefix("rgb(").removesuffix(")").split(",")]
        assert (max(channels) < 60) if scheme == "dark" else (min(channels) > 200)

    def test_paper_is_white_in_the_dark(self, page):
        with page.on(scheme="dark", media="print"):
            assert page("return getComputedStyle(document.body).backgroundColor") == (
                "rgb(255, 255, 255)")

    def test_sorted_columns_have_no_mark_of_significance(self, page):
        looks = {}
        for _ in range(2):
            page.find_all("#systems thead button")[1].click()
            found = page("""
                const mark = document.querySelector('#systems th[aria-sort] .sorted');
                const style = getComputedStyle(mark, '::before');
                return [mark.textContent, style.content, style.transform, style.borderTopStyle,
                        mark.closest('th').ariaSort]""")
            assert found[:2] == ["", '""'] and found[3] == "solid"
            looks[found[4]] = found[2]
        assert len(set(looks.values())) == len(looks) == 2
        assert not page.find_all("#systems th:not([aria-sort]) .sorted:not(:empty)")


class TestWidths:
    def test_nothing_is_wider_than_the_page_and_tables_use_it(self, page):
        for width in (360, 768):
            with page.on(width):
                assert page("return document.documentElement.scrollWidth") <= width
                assert page("return document.querySelector('#plane-chart svg') !== null")
        with page.on(1280):
            assert set(page("""
                return [...document.querySelectorAll('.scroll > table')].filter(one =>
                  one.id !== 'strips').map(one =>
                  one.offsetWidth >= one.parentElement.clientWidth)""")) == {True}
            strips = page("return document.getElementById('strips').offsetWidth")
        assert strips > 700  # eight documents

    def test_hints_where_a_table_scrolls_and_names_that_cover_no_points(self, show, crowded):
        page = show(crowded)
        for width in (390, 1280):
            with page.on(width):
                self.hints(page, width)
                self.names(page)

    def test_titles_of_axes_are_inside_the_figure(self, page):
        names = page("return data.measures.map(one => one.name)")
        for width, name in itertools.product((360, 1280), names):
            with page.on(width):
                page.choose("plane-x", name)
                page.choose("plane-y", name)
                outside = page("""
                    const figure = document.querySelector("#plane-chart svg");
                    const outer = figure.getBoundingClientRect();
                    return [...document.querySelectorAll('#plane-chart text')].filter((one) => {
                      const box = one.getBoundingClientRect();
                      return box.left < outer.left - 1 || box.right > outer.right + 1
                        || box.top < outer.top - 1 || box.bottom > outer.bottom + 1;
                    }).map(one => one.textContent)""")
            assert outside == [], (width, name)

    def hints(self, page, width):
        found = page("""
            return [...document.querySelectorAll('.scroll')].map(one => {
              const hint = one.previousElementSibling;
              return [one.scrollWidth > one.clientWidth, one.scrollHeight > one.clientHeight,
                      hint.matches('.hint') && hint.checkVisibility() ? hint.innerText : ''];
            })""")
        for across, down, hint in found:
            assert ("sideways" in hint, "down" in hint) == (across, down)
        assert any(down for _, down, _ in found)
        assert any(across for across, _, _ in found) or width > 390

    def names(self, page):
        for y in ("rKL@5", "nDCG@5", "AWRF@5"):
            page.choose("plane-y", y)
            texts, points = page("""
                const box = ({ x, y, width, height }) => [x, y, x + width, y + height];
                return ['text.label', 'circle'].map(kind => [...document.querySelectorAll(
                  `#plane-chart ${kind}`)].map(one => box(one.getBoundingClientRect())))""")
            assert len(points) == 15 and len(texts) >= 2
            pairs = [*itertools.product(texts, points), *itertools.combinations(texts, 2)]
            assert not [(one, two) for one, two in pairs if one[0] < two[2] and two[0] < one[2]
                        and one[1] < two[3] and two[1] < one[3]]

    def test_names_are_cut_in_the_middle_and_whole_on_touch(self, show, crowded):
        """The names begin alike and differ at their ends."""
        page = show(crowded)
        with page.on(390):
            for names in ("#systems tbody .name", "#strips tbody tr:not(.chosen) .name"):
                texts = [one.text for one in page.find_all(names)]
                assert len(set(texts)) == len(texts) >= 14
                assert all("…" in text and re.search(r"\d\d$", text) for text in texts)
                assert page(f"return [...document.querySelectorAll('{names}')].every(one =>"
                            " one.title.startsWith('Captain-Tempesta of the University of')"
                            " && one.scrollWidth <= one.clientWidth)")
            name = page.find("#systems tbody .name")
            self.touch(page, name)
            assert name.text == name.get_attribute("title")
            self.touch(page, name)
            assert "…" in name.text
            first, *_, last = page.find_all("#strips tbody th button")
            assert "…" not in first.text and "…" in last.text  # the chosen system is whole
            self.touch(page, last)
            assert "…" not in last.text and "…" in first.text

    def test_queries_are_cut_in_the_middle(self, show, touche2022):
        page = show(touche2022)
        with page.on(390):
            page.browser.refresh()  # menus are filled at the start
            queries = page.find_all("#judgments tbody th .end")
            (query,) = [one for one in queries if one.get_attribute("title").endswith(
                "a real or a fake Christmas tree?")]
            assert re.fullmatch("What is b.*….*tree\\?", query.text)
            assert len(queries) == 50
            texts = page("return [...byId('topic').options].map(o => [o.text, o.title])")
            assert all(text.endswith(")") and "?” (SD " in text for text, _ in texts)
            cut = [(text, title) for text, title in texts if "…" in text]
            assert all("…" not in title and len(title) > len(text) - 11 for text, title in cut)
            assert len(cut) > 30

    def touch(self, page, element):
        from selenium.webdriver.common.actions.action_builder import ActionBuilder
        from selenium.webdriver.common.actions.pointer_input import PointerInput
        page("arguments[0].scrollIntoView({block: 'center'})", element)
        finger = ActionBuilder(page.browser, mouse=PointerInput("touch", "finger"))
        finger.pointer_action.move_to(element).pointer_down().pointer_up()
        finger.perform()


class TestPrint:
    def test_size(self, show, touche2022):
        page = show(touche2022)
        printed = base64.b64decode(page.browser.execute_cdp_cmd("Page.printToPDF", {
            "printBackground": False})["data"])
        assert 50_000 < len(printed) < MOST
        assert b"/SMask" not in printed

    def test_patterns_are_paths_and_nothing_is_only_for_the_screen(self, show, crowded):
        page = show(crowded)
        with page.on(media="print"):
            images = page("return [...document.querySelectorAll('.fill')].map(one =>"
                          " getComputedStyle(one).backgroundImage)")
            assert set(images) == {"none"}
            for boxes in ("#strips-key .fill", "#judgments tr:first-child .bar .fill"):
                paths = page(f"return [...document.querySelectorAll('{boxes}')].map(one =>"
                             " getComputedStyle(one, '::before').clipPath)")
                assert len({*paths}) == len(paths) >= 4
                assert {path.partition("(")[0] for path in paths} <= {"inset", "path"}
            assert not any(one.is_displayed() for one in page.find_all(
                "nav, select, #plane-detail, #strips-detail, .hint, .no-print, .controls"))
            assert not set("▲▼").intersection(page.find("#systems thead").text)
            assert page("return [...document.querySelectorAll('.scroll')].every(one =>"
                        " getComputedStyle(one).overflow === 'visible')")
            # Chromium draws no box of a button in the head on the next page.
            assert page("return [...document.querySelectorAll('#systems thead button')].every("
                        "one => getComputedStyle(one).display === 'contents')")
            names = page.find_all("#systems tbody .name, #strips tbody th button")
            assert not any(page("return arguments[0].scrollWidth > arguments[0].clientWidth", one)
                           for one in itertools.islice(names, 0, None, 7))
