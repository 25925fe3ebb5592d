"""Labels of measures, and tables as text: what is escaped, marked and left out."""

from __future__ import annotations

import html
import io
import json
import re
import shutil
import subprocess
import warnings
from io import StringIO

import numpy as np
import pandas as pd
import pytest
from ir_measures import nDCG
from one_test import each

from pt_fairness import (
    FairnessWarning,
    analysis,
    evaluate,
    groups,
    highlight,
    rename,
    report,
    rKL,
    table,
)
from pt_fairness.analysis import topic_groups
from pt_fairness.analysis.columns import column_of, direction_of, with_mark
from pt_fairness.evaluation import as_text


@pytest.fixture
def averages() -> pd.DataFrame:
    return pd.DataFrame({
        "name": ["A", "B", "C"], "nDCG@5": [0.9, 0.5, 0.7], "rKL@5": [0.4, 0.1, 0.2],
        "BiasP@5": [-0.3, 0.1, 0.05], "rKL@5 +": [np.nan, 1, 2], "rKL@5 -": [np.nan, 4, 3],
        "rKL@5 p-value": [np.nan, 0.01, 0.2], "rKL@5 reject": [False, True, False],
        "rKL@5 p-value corrected": [np.nan, 0.02, 0.2]})


@pytest.fixture
def renamed(averages) -> pd.DataFrame:
    return rename(averages, {rKL @ 5: "Unfairness", "BiasP@5": "Bias", nDCG @ 5: "Relevance"})


def best(table: pd.DataFrame) -> dict[str, str]:
    """Return the system that ``highlight`` marks, by column."""
    styled = highlight(table)
    styled._compute()
    return {table.columns[column]: table["name"].iloc[row]
            for (row, column), style in styled.ctx.items() if style}


def test_columns_of_comparisons_are_renamed_too(averages, renamed):
    assert list(renamed.columns) == [
        "name", "Relevance", "Unfairness", "Bias", "Unfairness +", "Unfairness -",
        "Unfairness p-value", "Unfairness reject", "Unfairness p-value corrected"]
    assert renamed.attrs["measures"] == {"Unfairness": "rKL@5", "Bias": "BiasP@5",
                                         "Relevance": "nDCG@5"}
    assert averages.attrs == {} and averages.columns[2] == "rKL@5"
    assert (renamed.to_numpy() == averages.to_numpy())[:, 1:4].all()
    assert column_of(renamed, "Unfairness") == column_of(renamed, rKL @ 5) == "Unfairness"
    assert with_mark("Unfairness p-value", renamed) == "Unfairness ↓ p-value"
    assert rename(renamed, {"rKL@5": "Other"}).attrs["measures"]["Other"] == "rKL@5"


@pytest.mark.filterwarnings("error")
def test_the_best_systems_stay_the_best(averages, renamed):
    assert best(averages) == {"nDCG@5": "A", "rKL@5": "B", "BiasP@5": "C"}
    assert best(renamed) == {"Relevance": "A", "Unfairness": "B", "Bias": "C"}
    ranks = analysis.rank_table(renamed, by="Unfairness")
    assert ranks["name"].tolist() == ["B", "C", "A"]
    assert analysis.top(renamed, "Bias", n=1)["name"].tolist() == ["C"]


@pytest.mark.filterwarnings("error")
def test_a_file_says_it_with_marks(renamed):
    text = as_text(renamed, "csv")
    assert text.startswith("name,Relevance ↑,Unfairness ↓,Bias →0,Unfairness ↓ +,")
    read = pd.read_csv(io.StringIO(text))
    assert best(read) == {"Relevance ↑": "A", "Unfairness ↓": "B", "Bias →0": "C"}
    again = rename(read, {"Unfairness ↓": "Unfair"})
    assert best(again)["Unfair"] == "B" and direction_of("Unfair", again) == "↓"


def test_without_attrs_and_marks_nothing_is_best(renamed):
    renamed.attrs = {}
    with pytest.warns(FairnessWarning) as told:
        assert best(renamed) == {}
    (message,) = {str(one.message) for one in told}
    assert message.startswith("no value of Relevance, Unfairness, Bias is marked")
    with pytest.warns(FairnessWarning, match="systems are not ranked by Relevance, Unfairness"), \
            pytest.raises(ValueError, match="no measure to rank by"):
        analysis.rank_table(renamed[["name", "Relevance", "Unfairness", "Bias"]])
    with pytest.raises(ValueError, match="Unfairness has no best value to rank by"):
        analysis.top(renamed, "Unfairness")


def test_per_query_frames():
    frame = pd.DataFrame({"name": ["A", "A", "B", "B"], "qid": ["1", "2"] * 2,
                          "measure": "BiasP@5", "value": [0.1, -0.2, 0.3, 0.4]})
    renamed = rename(frame, {"BiasP@5": "Bias"})
    assert renamed["measure"].tolist() == ["Bias"] * 4 and frame["measure"][0] == "BiasP@5"
    pd.testing.assert_frame_equal(analysis.bias_summary(renamed).drop(columns="measure"),
                                  analysis.bias_summary(frame).drop(columns="measure"))
    assert analysis.long_form(renamed)["ideal"].tolist() == [0.0] * 4


@each("labels, says", [(["Unfairness"], "labels are a list here; they have to be a dictionary"),
                       ({"rKL@7": "x"},
                        "the table has no measure 'rKL@7'; it has 'nDCG@5', 'rKL@5'"),
                       ({"name": "x"}, "the table has no measure 'name'"),
                       ({"rKL@5": "nDCG@5"}, "another column has this name"),
                       ({"rKL@5": "name"}, "another column has this name"),
                       ({"rKL@5": "x", "nDCG@5": "x"}, "another column has this name"),
                       ({"rKL@5": ""}, "a label is a text that is not empty"),
                       ({"rKL@5": 3}, "a label is a text that is not empty"),
                       ({"rKL@5": "x p-value"}, "it ends with ' p-value'"),
                       ({"rKL@5": "Unfairness ↑"}, "the mark of rKL@5 is ↓")])
def test_labels_that_are_not_possible(averages, labels, says):
    with pytest.raises(ValueError, match=says.replace("+", r"\+")):
        rename(averages, labels)


def test_characters_with_a_meaning_are_escaped():
    table = pd.DataFrame({"name": ["a|b", "c_d"], "alpha_nDCG@5": [0.5, np.nan]})
    assert as_text(table, "md").splitlines()[2:] == ["| a\\|b | **0.5000** |", "| c_d | – |"]
    assert as_text(table.assign(name="a\nb"), "md").splitlines()[2] == "| a b | **0.5000** |"
    latex = as_text(table, "latex")
    for escaped in (r"alpha\_nDCG@5", r"c\_d & -- \\", r"a\textbar{}b & \textbf{0.5000} \\"):
        assert escaped in latex
    assert json.loads(as_text(table, "json"))[1] == {"name": "c_d", "alpha_nDCG@5": None}


def test_marks_stay_with_their_systems():
    table = pd.DataFrame({"name": ["a", "b", "c"], "rKL@5": [0.3, 0.1, 0.2],
                          "rKL@5 +": [0, 1, 2], "rKL@5 -": [0, 2, 1],
                          "rKL@5 p-value": [np.nan, 0.01, 0.5], "flag": [True, False, True]})
    for given in (table, table.sort_values("rKL@5", ascending=False), table[table["name"] != "c"],
                  table.drop(columns=["rKL@5 +", "rKL@5 -"])):
        lines = as_text(given, "latex").splitlines()
        assert r"b & \textbf{0.1000}$^{\blacktriangle}$ & False \\" in lines
        assert sum("blacktriangle" in line for line in lines[:-1]) == 2  # in the note, too
        assert "worse than a (p \\textless{} .05)." in " ".join(lines[-7:])
    corrected = table.assign(**{"rKL@5 p-value corrected": [np.nan, 0.02, 0.5]})
    assert "worse than a (p < .05, corrected). rKL@5: target" in as_text(corrected, "md")
    alone = as_text(table.assign(**{"rKL@5 p-value": [np.nan, 0.5, 0.5]}), "latex")
    assert alone.startswith("% needs booktabs and amssymb\n"), "the note has the marks"
    assert as_text(table[["name", "rKL@5"]], "latex").startswith("% needs booktabs\n")


@each("name", ["[random order]", "*A"])
def test_names_that_latex_takes_for_options(name):
    table = pd.DataFrame({"name": ["A", name], "AP": [0.2, 0.4]})
    table.attrs["references"] = (name,)
    lines = as_text(table, "latex").splitlines()
    assert lines[lines.index(r"\bottomrule") - 1] == f"{{{name[0]}}}{name[1:]} & 0.4000 \\\\"
    assert as_text(table, "md").count("---") == 2, "one rule only"


def _latex_of_the_package():
    """LaTeX that the package prints: tables of all kinds, and a paragraph."""
    rng = np.random.default_rng(0)
    qrels = pd.DataFrame({"qid": np.repeat([*"12345678"], 4), "docno": [*"abcd"] * 8,
                          "label": [1, 1, 0, 1] * 8, "iteration": ["PRO", "CON", "CON", ""] * 8})
    runs = {name: qrels[["qid", "docno"]].assign(score=rng.random(len(qrels)))
            for name in ("B_1 & [x]", "[A]", "*C", "100 % $")}
    averages, perquery = evaluate(
        runs, qrels, ["nDCG@3", "rKL@3", "BiasP@3"], baseline=0, confidence=0.9,
        references=True, tolerance={"nDCG@3": 0.1}, progress=False, labels={"rKL@3": "Un_fair #"})
    page = report(runs, qrels, ["nDCG@3", "rKL@3"], progress=False)
    topics = topic_groups(perquery, dict.fromkeys("1234", "a~b") | dict.fromkeys("5678", "{c}"))
    return [as_text(averages, "latex", p_values=True), as_text(perquery, "latex"),
            as_text(topics, "latex"), page.latex]


@pytest.mark.exhaustive
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no TeX was found")
@pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")
def test_latex_compiles(tmp_path):
    for i, text in enumerate(_latex_of_the_package()):
        (tmp_path / f"{i}.tex").write_text("\n".join([
            r"\documentclass{article}", r"\usepackage[T1]{fontenc}", r"\usepackage{textcomp}",
            r"\usepackage{booktabs,amssymb}", r"\begin{document}", text, r"\end{document}"]),
            encoding="utf-8")
        done = subprocess.run(
            ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", f"{i}.tex"], cwd=tmp_path,
            timeout=60, capture_output=True, text=True, errors="replace")
        assert done.returncode == 0, done.stdout[-2000:]


@each("form", ["md", "latex", "text"])
def test_columns_without_a_value(form):
    """pandas warns if the text of a missing value is put into a column of numbers."""
    empty = dict.fromkeys(["rKL@5 low", "rKL@5 high", "rKL@5 p-value"], np.nan)
    table = pd.DataFrame({"name": ["a", "b"], "rKL@5": [0.25, 0.5]}).assign(**empty)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "[" not in as_text(table, form, p_values=True)


def test_values_per_topic_keep_their_directions_in_files():
    perquery = pd.DataFrame({"name": ["a", "a", "b", "b"], "qid": "1",
                             "measure": ["rKL@5", "nDCG@5"] * 2, "value": [0.5, 0.25, 0.75, 1.0]})
    renamed = rename(perquery, {"rKL@5": "Unfairness", "nDCG@5": "Relevance"})
    read = pd.read_csv(StringIO(as_text(renamed, "csv")))
    assert read["measure"].tolist() == ["Unfairness ↓", "Relevance ↑"] * 2
    assert list(map(direction_of, read["measure"])) == ["↓", "↑"] * 2
    assert [row["measure"] for row in json.loads(as_text(renamed, "json"))[:1]] == ["Unfairness ↓"]
    assert as_text(renamed, "md").splitlines()[2] == "| a | 1 | Unfairness ↓ | 0.5000 |"
    assert r"a & 1 & Unfairness $\downarrow$ & 0.5000 \\" in as_text(renamed, "latex")
    assert as_text(renamed, "long").splitlines()[1] == "a,1,Unfairness,0.5,0.0,"
    assert as_text(perquery, "csv").splitlines()[1] == "a,1,rKL@5,0.5"


def evaluated():
    """What ``evaluate`` returns of two runs, whose names and groups are markup."""
    qrels = pd.DataFrame([(qid, docno, 1) for qid in "1234567" for docno in "abcd"],
                         columns=["qid", "docno", "label"])
    ranks = {"<b>A</b> & co": [4, 3, 2, 1], "B ↑": [4, 1, 3, 2]}
    runs = {name: qrels[["qid", "docno"]].assign(score=scores * 7)
            for name, scores in ranks.items()}
    known = dict(zip("abcd", ["<i>x</i>", "<i>x</i>", "y", "y"], strict=True))
    source = groups.from_mapping(known, name="sides & more")
    return evaluate(runs, qrels, ["nDCG@3", "rND@3", "BiasP(pro='y',con='<i>x</i>')@3"],
                    groups=source, baseline=0, references=True, progress=False)


@pytest.fixture(scope="module")
def results():
    return evaluated()


@each("options", [{}, {"digits": 2, "p_values": True}])
def test_the_html_has_the_cells_and_the_notes_of_the_text(results, options):
    shown = table(results, **options)
    assert shown.html.isascii() and shown._repr_html_() == shown.html
    cells = [[html.unescape(re.sub("</?strong>", "", cell))
              for cell in re.findall("<t[hd][^>]*>(.*?)</t[hd]>", line)]
             for line in re.findall("<tr>(.*)</tr>", shown.html)]
    lines = as_text(results[0], "md", **options).splitlines()
    rows = [[cell.strip().replace("**", "").replace("\\|", "|") for cell in line.split("|")[1:-1]]
            for line in lines if line.startswith("|")]
    assert cells == [rows[0], *rows[2:]]
    bold = "".join(lines).count("**") // 2
    assert bold and shown.html.count("<strong>") == shown.html.count("</strong>") == bold
    notes = [html.unescape(line[3:-4]) for line in shown.html.splitlines() if line[:3] == "<p>"]
    assert " ".join(notes) == lines[-1]
    assert shown.html.count("<tbody") == 2 and "<b>" not in shown.html


def test_a_table_of_all_that_evaluate_returns(results, tmp_path):
    averages, perquery = results
    shown = table(results)
    assert f"{shown!r}\n" == shown.text == as_text(averages, "text")
    assert shown.html == as_text(averages, "html")
    assert table(averages).html == shown.html
    assert table(perquery).html == as_text(perquery, "html")
    assert table(highlight(averages)).html == shown.html
    shown.save(tmp_path / "table.html")
    assert (tmp_path / "table.html").read_text("ascii") == shown.html
    with pytest.raises(ValueError, match="the table"):
        table("averages")
