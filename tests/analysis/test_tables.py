"""Tables in their forms: values, marks, labels, and what is escaped and left out."""

import html
import json
import re
import shutil
import subprocess
from io import StringIO

import numpy as np
import pandas as pd
import pytest
from ir_measures import nDCG
from one_test import each

from pt_fairness import FairnessWarning, analysis, evaluate, groups, rKL, table


@pytest.fixture
def averages() -> pd.DataFrame:
    return pd.DataFrame({
        "name": ["A", "B", "C"], "nDCG@5": [0.9, 0.5, 0.7], "rKL@5": [0.4, 0.1, 0.2],
        "BiasP@5": [-0.3, 0.1, 0.05], "rKL@5 +": [np.nan, 1, 2], "rKL@5 -": [np.nan, 4, 3],
        "rKL@5 p-value": [np.nan, 0.01, 0.2], "rKL@5 reject": [False, True, False],
        "rKL@5 p-value corrected": [np.nan, 0.02, 0.2]})


def rows(text: str) -> list[list[str]]:
    """Return the cells of a table in Markdown, without its rule."""
    head, _, *others = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line[1:-1].split(" | ")] for line in (head, *others)]


def test_the_best_values_are_bold_and_the_heads_have_directions(averages, unchanged):
    assert rows(unchanged(table, averages).md) == [
        ["name", "nDCG@5 ↑", "rKL@5 ↓", "BiasP@5 →0"],
        ["A", "**0.9000**", "0.4000", "-0.3000"], ["B", "0.5000", "**0.1000**▲", "0.1000"],
        ["C", "0.7000", "0.2000", "**0.0500**"]]
    assert table(averages).text.split()[7:11] == ["A", "0.9000*", "0.4000", "-0.3000"]


def test_labels(averages):
    labelled = table(averages, {rKL @ 5: "Unfairness", "BiasP@5": "Bias", nDCG @ 5: "Relevance"})
    assert rows(labelled.md)[0] == ["name", "Relevance ↑", "Unfairness ↓", "Bias →0"]
    assert rows(labelled.md)[2] == ["B", "0.5000", "**0.1000**▲", "0.1000"]
    columns = pd.read_csv(StringIO(labelled.csv)).columns.tolist()
    assert columns[:4] == rows(labelled.md)[0] and columns[-1] == "Unfairness ↓ p-value corrected"
    assert any("Unfairness (rKL@5)" in note for note in labelled.notes)


def test_a_name_that_is_not_a_measure_has_no_best_value(averages):
    unknown = averages[["name", "nDCG@5"]].assign(unfairness=[1.0, 2.0, 3.0])
    with pytest.warns(FairnessWarning, match="unfairness") as told:
        assert table(unknown).md.count("**") == 2
    assert len(told) == 1


class TestIntervals:
    PERQUERY = pd.DataFrame({"name": ["A"] * 4 + ["B"] * 2, "qid": [*"123412"], "measure": "rKL@5",
                             "value": [0.1, 0.2, 0.3, 0.6, 0.1, 0.1]})
    AVERAGES = pd.DataFrame({"name": ["A", "B"], "rKL@5": [0.3, 0.1], "NumRel": [3.0, 4.0]})

    def test_columns(self):
        intervals = analysis.intervals(self.PERQUERY)
        shown = table(self.AVERAGES, digits=3, intervals=intervals)
        low, high = intervals.loc[0, ["low", "high"]]
        assert rows(shown.md)[1][1] == f"0.300 [{low:.3f}, {high:.3f}]"
        assert rows(shown.md)[2][1] == "**0.100**"
        read = pd.read_csv(StringIO(table(self.AVERAGES, intervals=intervals).csv))
        assert read.columns.tolist() == ["name", "rKL@5", "rKL@5 low", "rKL@5 high", "NumRel"]
        assert read["rKL@5 low"][0] == pytest.approx(low) and np.isnan(read["rKL@5 low"][1])
        assert json.loads(shown.json)[1]["rKL@5 high"] is None
        assert any("95 %" in note and "BCa" in note for note in shown.notes)

    def test_sums_have_none(self):
        frame = self.PERQUERY.assign(measure="NumRel")
        shown = table(self.AVERAGES, intervals=analysis.intervals(frame))
        assert "NumRel low" not in shown.csv


def test_verdicts():
    perquery = pd.DataFrame({"name": np.repeat([*"AB"], 8), "qid": [*"12345678"] * 2,
                             "measure": "nDCG@5", "value": np.arange(16) / 16})
    averages = perquery.groupby("name")["value"].mean().rename("nDCG@5").reset_index()
    verdicts = analysis.compare(perquery, "A", tolerance=1.5)
    shown = table(averages, {"nDCG@5": "Relevance"}, verdicts=verdicts)
    assert [row[2] for row in rows(shown.md)] == ["verdict (Relevance)", "", "within"]
    assert "1.5 in Relevance" in shown.notes[-1]
    assert json.loads(shown.json)[1]["Relevance ↑ verdict"] == "within"


def test_p_values(averages):
    assert rows(table(averages, p_values=True).md)[2][3:5] == [".020", "0.1000"]


@each("form, head", [("csv", "Unfair ↓"), ("md", "Unfair ↓"), ("json", "Unfair ↓"),
                     ("text", "Unfair ↓"), ("latex", r"Unfair $\downarrow$"),
                     ("html", "Unfair &#8595;")])
def test_values_per_topic(form, head):
    perquery = pd.DataFrame({"name": ["a", "a"], "qid": "1", "measure": ["rKL@5", "nDCG@5"],
                             "value": [0.25, 0.75]})
    shown = getattr(table(perquery, {"rKL@5": "Unfair"}), form)
    assert head in shown and "0.25" in shown and "nDCG@5" in shown


def test_characters_that_are_markup():
    frame = pd.DataFrame({"name": ["a|b", "c_d"], "alpha_nDCG@5": [0.5, np.nan]})
    assert table(frame).md.splitlines()[2:] == ["| a\\|b | **0.5000** |", "| c_d | – |"]
    assert table(frame.assign(name="a\nb")).md.splitlines()[2] == "| a b | **0.5000** |"
    for escaped in (r"alpha\_nDCG@5", r"c\_d & -- \\", r"a\textbar{}b & \textbf{0.5000} \\"):
        assert escaped in table(frame).latex
    assert json.loads(table(frame).json)[1] == {"name": "c_d", "alpha_nDCG@5": None}


def test_marks_stay_with_their_systems():
    frame = pd.DataFrame({"name": ["a", "b", "c"], "rKL@5": [0.3, 0.1, 0.2],
                          "rKL@5 +": [0, 1, 2], "rKL@5 -": [0, 2, 1],
                          "rKL@5 p-value": [np.nan, 0.01, 0.5], "flag": [True, False, True]})
    for given in (frame, frame.sort_values("rKL@5", ascending=False), frame[frame["name"] != "c"],
                  frame.drop(columns=["rKL@5 +", "rKL@5 -"])):
        assert r"b & \textbf{0.1000}$^{\blacktriangle}$ & False \\" in table(given).latex
        assert "than a" in table(given).notes[0]


@pytest.fixture(scope="module")
def result():
    """An evaluation of two runs, whose names and groups are markup."""
    qrels = pd.DataFrame([(qid, docno, 1) for qid in "1234567" for docno in "abcd"],
                         columns=["qid", "docno", "label"])
    ranks = {"<b>A</b> & co": [4, 3, 2, 1], "[B] 100 % $_#": [4, 1, 3, 2]}
    runs = {name: qrels[["qid", "docno"]].assign(score=scores * 7)
            for name, scores in ranks.items()}
    known = dict(zip("abcd", ["<i>x</i>", "<i>x</i>", "y", "y"], strict=True))
    source = groups.from_mapping(known, name="sides & more")
    return evaluate(runs, qrels, ["nDCG@3", "rND@3", "BiasP(pro='y',con='<i>x</i>')@3"],
                    groups=source, baseline=0, references=True, progress=False)


def test_the_html_has_the_cells_and_the_notes_of_the_text(result):
    shown = result.table(digits=2, p_values=True)
    cells = [[html.unescape(re.sub("</?strong>", "", cell))
              for cell in re.findall("<t[hd][^>]*>(.*?)</t[hd]>", line)]
             for line in re.findall("<tr>(.*)</tr>", shown.html)]
    assert cells == [[cell.replace("**", "").replace("\\|", "|") for cell in row]
                     for row in rows(shown.md)]
    assert shown.html.count("<strong>") == shown.md.count("**") / 2 > 0
    notes = [html.unescape(line[3:-4]) for line in shown.html.splitlines() if line[:3] == "<p>"]
    assert notes == shown.notes and "sides & more" in " ".join(notes)
    assert shown.html.isascii() and shown.html.count("<tbody") == 2 and "<b>" not in shown.html
    lines = [line.startswith(tuple(result.averages["name"])) for line in shown.text.splitlines()]
    assert sum(lines) % len(result.averages) == 0 < sum(lines)  # narrow ones have several parts


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no TeX was found")
@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
def test_latex_compiles(result, tmp_path):
    topics = analysis.intervals(result.perquery, by=dict.fromkeys("1234", "a~b") | {"5": "{c}"})
    shown = [result.table(intervals=analysis.intervals(result.perquery), p_values=True,
                          labels={"rND@3": "Un_fair #"}),
             table(result.perquery), table(topics)]
    for i, one in enumerate(shown):
        (tmp_path / f"{i}.tex").write_text("\n".join([
            r"\documentclass{article}", r"\usepackage[T1]{fontenc}", r"\usepackage{textcomp}",
            r"\usepackage{booktabs,amssymb}", r"\begin{document}", one.latex, r"\end{document}"]),
            encoding="utf-8")
        done = subprocess.run(
            ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", f"{i}.tex"], cwd=tmp_path,
            timeout=60, capture_output=True, text=True, errors="replace")
        assert done.returncode == 0, done.stdout[-2000:]
