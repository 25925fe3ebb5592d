"""The report in a real browser: what it shows is what the frames hold."""

from __future__ import annotations

import math
import re

import numpy as np
import pandas as pd
import pytest
from pt_fairness.analysis.columns import distance_from_best, measure_columns

from pt_fairness import analysis, explain, report
from pt_fairness.analysis.notes import BETTER, WORSE, changes
from pt_fairness.provider.measure_lists import with_groups

pytestmark = pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")

SCRIPT = "<script>alert(1)</script>"


def keys():
    from selenium.webdriver.common.keys import Keys
    return Keys


def shown(value: float) -> str:
    return f"{value:.4f}".replace("-", "−")


def values_of(made, measure, qid):
    """The values of the systems for a topic, in the order of the runs."""
    frame = made.perquery[made.perquery["measure"].eq(measure) & made.perquery["qid"].eq(qid)]
    return frame.set_index("name")["value"].loc[list(made.runs)]


def topic_of(page) -> str:
    return page("return data.topics[Number(document.getElementById('topic').value)]")


class TestTable:
    def test_values_marks_and_best(self, page, made):
        rows = {row[0]: row[1:] for row in page.rows("systems")}
        columns, changed = measure_columns(made.averages), changes(made.averages)
        for i, system in enumerate(made.averages["name"]):
            for column, text in zip(columns, rows[system], strict=False):
                mark = {1: BETTER, -1: WORSE}.get(changed[column][i], "")
                assert text.split()[0] == shown(made.averages[column][i]) + mark
        best = page("return [...document.querySelectorAll('#systems td.best')].map(cell =>"
                    " [cell.parentNode.cells[0].innerText, cell.cellIndex - 1])")
        wanted = {
            (made.averages["name"][i], j)
            for j, column in enumerate(columns)
            for i in (
                distance_from_best(made.averages, column).round(12).rank(method="min").eq(1)
            ).pipe(lambda one: one[one].index)
        }
        assert {tuple(one) for one in best} == wanted

    def test_a_click_sorts_best_first_and_a_second_one_worst_first(self, page, made):
        for i, column in enumerate(measure_columns(made.averages)):
            button = page.find_all("#systems thead button")[i + 1]
            wanted = made.averages.assign(key=distance_from_best(made.averages, column))
            wanted = wanted.sort_values("key", kind="stable")["name"].tolist()
            button.send_keys(keys().ENTER)
            assert [row[0] for row in page.rows("systems")] == wanted, column
            head = page.find_all("#systems thead th")[i + 1]
            first = head.get_attribute("aria-sort")
            button.click()
            assert [row[0] for row in page.rows("systems")] == wanted[::-1]
            assert {first, head.get_attribute("aria-sort")} == {"ascending", "descending"}
        assert len(page.find_all("#systems th[aria-sort]")) == 1

    def test_coverage(self, page, made):
        top = analysis.ranked_groups(made.runs, made.qrels, made.groups, 8)
        top = top.drop_duplicates(["name", "qid", "rank"])
        shares = top["group"].notna().groupby(top["name"]).mean()
        assert {row[0]: row[-1] for row in page.rows("systems")} == {
            name: shown(share) for name, share in shares.items()}


class TestPlane:
    def labels(self, page):
        return page("return [...document.querySelectorAll('#plane-chart g[role=img]')].map(one =>"
                    " one.getAttribute('aria-label'))")

    def test_two_measures_by_choice(self, page, made):
        x, y = "rKL@5", "AWRF@5"
        page.choose("plane-x", x)
        page.choose("plane-y", y)
        frame = made.averages
        labels = self.labels(page)
        assert len(labels) == len(frame)
        for _, row in frame.iterrows():
            (label,) = [one for one in labels if one.startswith(f"{row['name']}: ")]
            assert f"{x} {shown(row[x])}, {y} {shown(row[y])}" in label
            far = [distance_from_best(frame, one) for one in (x, y)]
            dominated = any(all(one[i] <= one[row.name] for one in far)
                            and any(one[i] < one[row.name] for one in far) for i in frame.index)
            assert ("Pareto front" in label) == (not dominated)
            assert ("the baseline" in label) == (row["name"] == "BM25")

    @pytest.mark.parametrize(("x", "y"), [
        ("rKL@5", "nDCG@5"), ("nDCG@5", "BiasP(pro='A\\x20&\\x20B',con='<i>C</i>')@5")])
    def test_the_ideals_are_where_they_are_in_the_figure_of_the_package(self, page, made, x, y):
        figure = pytest.importorskip("matplotlib.figure").Figure()
        from pt_fairness import plots
        page.choose("plane-x", x)
        page.choose("plane-y", y)
        found = page("return [...document.querySelectorAll('#plane-chart circle')].map(one =>"
                     " [one.cx.baseVal.value, -one.cy.baseVal.value, one.parentNode.dataset.run])")
        runs = [int(run) for *_, run in found]
        ax = plots.tradeoff(made.averages.assign(name=list("ABCD")), x, y, figure.subplots())
        wanted = ax.transData.transform(made.averages[[x, y]].to_numpy()[runs])
        for axis in range(2):
            places = np.array([one[axis] for one in found])
            assert np.corrcoef(places, wanted[:, axis])[0, 1] > 1 - 1e-6
        # A signed measure has its ideal value inside, and the front is no line.
        signed = any("BiasP" in one for one in (x, y))
        assert bool(page.find_all("#plane .front")) <= (not signed)

    @pytest.mark.parametrize(("fairness", "upright"), [("rKL@5", False), ("AWRF@5", True)])
    def test_the_front_of_the_judgments_is_where_the_frame_has_it(self, page, made, fairness,
                                                                  upright):
        pair = ["nDCG@5", fairness][::-1 if upright else 1]
        page.choose("plane-x", pair[0])
        page.choose("plane-y", pair[1])
        circles = page("return [...document.querySelectorAll('#plane-chart circle')].map(one =>"
                       " [one.cx.baseVal.value, one.cy.baseVal.value, one.parentNode.dataset.run])")
        ends = page("return [...document.querySelectorAll('#plane-chart .allowed')].map(one =>"
                    " [one.x2, one.y2].map(at => at.baseVal.value))")
        front = analysis.frontier(made.qrels, "nDCG@5", fairness, made.groups)
        rows = made.perquery[made.perquery["measure"].isin(pair)]
        room = analysis.headroom(rows, front).set_index("name")["fairest"]
        for label in self.labels(page):
            fairest = room[label.partition(": ")[0]]
            if np.isnan(fairest):
                assert "no list of documents with a group has this nDCG@5" in label
            else:
                assert f"it could have had {fairness} {shown(fairest)}" in label
        vertices = front[pair].to_numpy()[::-1 if upright else 1]
        systems = made.averages[pair].to_numpy()[[int(run) for *_, run in circles]]
        drawn = np.array([circle[:2] for circle in circles])
        assert len(ends) == len(vertices) + 1
        for axis in range(2):
            slope, start = np.polyfit(systems[:, axis], drawn[:, axis], 1)
            left, bottom = page("return ['x1', 'y1'].map(at =>"
                                " document.querySelector('#plane-chart .axis')[at].baseVal.value)")
            expected = start + slope * vertices[:, axis]
            inside = np.maximum(expected, left) if axis == 0 else np.minimum(expected, bottom)
            assert np.array(ends)[:-1, axis] == pytest.approx(inside, abs=1e-3)

    def test_the_axes_are_those_of_the_systems(self, show):
        """A reference far from the systems is a tick at the edge, with its value."""
        qrels = pd.DataFrame([(str(qid), f"d{i}", 1, "A" if i < 2 else "B") for qid in range(9)
                              for i in range(12)], columns=["qid", "docno", "label", "iteration"])
        rng = np.random.default_rng(1)
        runs = {name: qrels[["qid", "docno"]].assign(score=rng.random(len(qrels)))
                for name in "abcd"}
        made = report(runs, qrels, ["nDCG@5", "rKL@5"], progress=False)
        page = show(made.html)
        far = made.table.set_index("name")["rKL@5"]["[smallest group first]"]
        assert far > 2 * made.table["rKL@5"].head(4).max()
        for axis, end in (("y", "bottom"), ("x", "left")):
            (tick,) = page("return [...document.querySelectorAll('#plane .outside')].map(one =>"
                           " [one.x1, one.x2, one.y1, one.y2].map(at => at.baseVal.value))")
            sides = page("return [...document.querySelectorAll('#plane .axis')].map(one =>"
                         " [one.x1, one.y1].map(at => at.baseVal.value))")
            left, bottom = sides[0]
            assert sum(tick[2:] if end == "bottom" else tick[:2]) / 2 == pytest.approx(
                bottom if end == "bottom" else left)
            texts = page("return [...document.querySelectorAll('#plane text.soft')].map(one =>"
                         " one.firstChild.data)")
            assert f"[smallest group first] {shown(far)}" in texts
            heights = page("return [...document.querySelectorAll('#plane circle')].map(one =>"
                           f" one.c{axis}.baseVal.value)")
            assert max(heights) - min(heights) > 100
            page.choose("plane-x", "rKL@5")
            page.choose("plane-y", "nDCG@5")

    def test_arrow_keys_step_from_point_to_point(self, page, made):
        page("document.querySelector(\"#plane-chart g[tabindex='0']\").focus()")
        told = [page.find("#plane-detail").text]
        for _ in range(3):
            page.browser.switch_to.active_element.send_keys(keys().ARROW_RIGHT)
            told.append(page.find("#plane-detail").text)
        assert told == self.labels(page)


class TestTopics:
    def test_the_topics_on_which_the_systems_differ_most_come_first(self, page, made):
        for measure in ("rKL@5", "nDCG@5"):
            page.choose("measure", measure)
            frame = made.perquery[made.perquery["measure"] == measure]
            spread = frame.groupby("qid")["value"].std(ddof=0)
            texts = page("return [...document.getElementById('topic').options].map(o => o.text)")
            found = [re.fullmatch(r"(.*) \(SD (.*)\)", text).groups() for text in texts]
            assert {qid for qid, _ in found} == set(spread.index)
            assert [sd for _, sd in found] == [shown(one) for one in sorted(spread)[::-1]]
            assert all(shown(spread[qid]) == sd for qid, sd in found)

    def test_stepping_through_all_topics_by_keyboard(self, page, made):
        measure = "rKL@5"
        page.choose("measure", measure)
        options = page("return [...document.getElementById('topic').options].map(o => o.text)")
        page.choose("topic", options[0])
        page("document.querySelector('#strips td[tabindex=\"0\"]').focus()")
        seen = []
        top = analysis.ranked_groups(made.runs, made.qrels, made.groups, 8)
        for _ in made.perquery["qid"].unique():
            qid = topic_of(page)
            seen.append(qid)
            values = values_of(made, measure, qid)
            rows = page.rows("strips")
            order = distance_from_best(values.to_frame(measure), measure)
            assert [row[0] for row in rows] == order.sort_values(kind="stable").index.tolist()
            assert {row[0]: row[1] for row in rows} == values.map(shown).to_dict()
            for cell in page.find_all("#strips td[data-doc]"):
                system = page("return data.runs[arguments[0].parentNode.dataset.run]", cell)
                rank, text = re.fullmatch(r"rank (\d+): (.*); (?:counts|does not count)",
                                          cell.get_attribute("aria-label")).groups()
                own = top[top["name"].eq(system) & top["qid"].eq(qid) & top["rank"].eq(int(rank))]
                groups = ", ".join(own["group"].dropna()) or "no group"
                assert text.startswith(f"{own['docno'].iloc[0]}: {groups}; ")
                judged = made.qrels[
                    made.qrels["qid"].eq(qid) & made.qrels["docno"].eq(own["docno"].iloc[0])
                ]["label"]
                kind = "not judged" if judged.empty else (
                    f"relevant ({judged.iloc[0]})" if judged.iloc[0] > 0
                    else f"not relevant ({judged.iloc[0]})")
                assert text.endswith(f"; {kind}")
            page.browser.switch_to.active_element.send_keys(keys().PAGE_DOWN)
        assert len(set(seen)) == len(seen) == 6
        assert page.find("#topic-before").is_enabled()
        assert not page.find("#topic-after").is_enabled()

    def test_arrow_keys_move_among_the_documents(self, page):
        page("document.querySelector('#strips td[tabindex=\"0\"]').focus()")

        def place():
            return page("const cell = document.activeElement;"
                        "return [cell.parentNode.rowIndex - 1, cell.cellIndex - 2]")

        found = []
        for key in ("ARROW_RIGHT", "ARROW_DOWN", "END", "ARROW_UP", "HOME", "ARROW_LEFT"):
            page.browser.switch_to.active_element.send_keys(getattr(keys(), key))
            found.append(place())
        assert found == [[0, 1], [1, 1], [1, 7], [0, 7], [0, 0], [0, 0]]
        assert len(page.find_all("#strips td[tabindex='0']")) == 1
        assert page.find("#strips-detail").text.endswith(
            page.browser.switch_to.active_element.get_attribute("aria-label"))

    def test_the_marked_document_is_the_same_in_all_systems(self, page):
        cells = page.find_all("#strips td[data-doc]")
        docnos = [one.get_attribute("aria-label").split(": ")[1] for one in cells]
        assert max(map(docnos.count, docnos)) > 1
        for cell, docno in zip(cells[:8], docnos, strict=False):
            page("arguments[0].focus()", cell)
            same = page.find_all("#strips td.same")
            assert [one.get_attribute("aria-label").split(": ")[1] for one in same] == (
                [docno] * docnos.count(docno))


class TestExplanation:
    @pytest.mark.parametrize("measure", ["rKL@5", "AWRF@5"])
    def test_it_is_that_of_explain(self, page, made, measure):
        (one,) = with_groups([measure], made.groups)
        page.choose("measure", measure)
        options = page("return [...document.getElementById('topic').options].map(o => o.text)")
        page.choose("topic", options[0])
        for system, run in made.runs.items():
            page.choose("run", system)
            frame = explain(one, run, made.qrels, topic_of(page))
            heads = page("return [...document.querySelectorAll('#steps thead th')]"
                         ".map(h => h.innerText)")
            parts = {"divergence", "discount", "product"} & {*frame}
            assert len(parts) == {"rKL@5": 3, "AWRF@5": 1}[measure]
            for row, (_, wanted) in zip(page.rows("steps"), frame.iterrows(), strict=False):
                cells = dict(zip(heads, row, strict=False))
                for part in parts:
                    number = math.nan if cells[part] == "–" else float(cells[part])
                    assert number == pytest.approx(wanted[part], abs=5.1e-5, nan_ok=True)
            if "Z" in frame:
                caption = page.find("#steps-caption").text
                assert f" = Σ product / Z, Z = {shown(frame['Z'][0])}" in caption

    def test_enter_on_a_document_explains_its_system(self, page, made):
        cell = page.find("#strips tbody tr:nth-child(3) td[data-doc]")
        page("arguments[0].focus()", cell)
        cell.send_keys(keys().ENTER)
        system = page.find("#strips tbody tr:nth-child(3) th").text
        assert system in page.find("#steps-caption").text
        pressed = page.find("#strips button[aria-pressed=true]")
        assert pressed.text == system

    def test_undefined_topics_are_named(self, page):
        page.choose("measure", "rKL@5")
        texts = page("return [...document.getElementById('topic').options].map(o => o.text)")
        (text,) = [one for one in texts if one.startswith("only A")]
        page.choose("topic", text)
        assert "rKL@5 is undefined for topic only A." in page.find("#steps-note").text
        assert "rKL@5 is undefined for 1 of 6 topics (only A)" in page.find("#judgments").text


class TestText:
    def test_names_are_text_and_never_markup(self, page, made):
        assert page("return document.title") == "A <report>"
        assert page("return document.querySelectorAll('script').length") == 2
        assert page("return document.querySelectorAll('img, b').length") == 0
        assert page("return [...document.querySelectorAll('i')].every(one => !one.textContent)")
        assert {row[0] for row in page.rows("systems")} == set(made.runs)
        labels = [one.get_attribute("aria-label") for one in page.find_all("#strips td[data-doc]")]
        docnos = page("return data.rankings.flatMap(one => one.docs)")
        assert SCRIPT in docnos and any(SCRIPT in label for label in labels)
        assert "</script>" in page("return data.topics")

    def test_paragraph_and_bibtex_can_be_selected(self, page):
        for name in ("paragraph", "latex", "bibtex"):
            page.find(f"button[data-select={name}]").send_keys(keys().ENTER)
            assert page("return getSelection().toString().trim()") == page.find(f"#{name}").text


class TestAccess:
    def test_all_controls_are_reached_by_tab_and_have_names(self, page):
        wanted = page("""
            return [...document.querySelectorAll(
              'a, button, input, select, summary, [tabindex="0"]')]
              .filter(one => !one.disabled && one.offsetParent !== null || one.closest('svg'))
              .filter(one => one.matches('summary') || !one.closest('details:not([open])'))
              .length""")
        page("document.activeElement.blur(); window.scrollTo(0, 0)")
        seen = set()
        for _ in range(wanted + 3):
            page.browser.switch_to.active_element.send_keys(keys().TAB)
            name = page("""
                const one = document.activeElement;
                const label = one.getAttribute('aria-label') || one.getAttribute('aria-labelledby')
                  || one.textContent.trim() || (one.labels && one.labels[0].textContent);
                one.dataset.seen = one.dataset.seen || String(Math.random());
                return [one.dataset.seen, label, one.tagName]""")
            assert name[1], name
            if name[2] != "BODY":
                seen.add(name[0])
        assert len(seen) >= wanted - 1
