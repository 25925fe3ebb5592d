"""The report as a file: its arguments, its bytes, and that it escapes what it holds."""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from pt_fairness import FairnessWarning, report

QRELS = pd.DataFrame(
    {"qid": ["1", "1", "2", "2"], "docno": list("abab"), "label": 1, "iteration": list("PCPC")})
RUN = pd.DataFrame({"qid": ["1", "1", "2"], "docno": list("abb"), "score": [2.0, 1.0, 1.0]})
MEASURES = ["nDCG@2", "AWRF@2"]


def test_a_report_without_qrels():
    """Measures that need no relevance; the topics are those of the run."""
    stances = pd.Series({"a": "P", "b": "C"})
    page = report({"one": RUN}, None, ["AWRF@2", "Annotated@2"], groups=stances, progress=False)
    assert page.table.set_index("name")["Annotated@2"]["one"] == 1
    with pytest.raises(ValueError, match="cannot be computed without qrels"):
        report({"one": RUN}, None, ["rKL@2"], groups=stances, progress=False)


class Tags(HTMLParser):
    """The tags of a page, and the text of its scripts."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.texts.append(data)


def data_of(page: str) -> dict:
    text = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    return json.loads(text[1])


def test_the_same_arguments_give_the_same_bytes(tmp_path):
    files = [tmp_path / name / "run.txt" for name in ("one", "two")]
    for path in files:
        path.parent.mkdir()
        path.write_text("1 Q0 a 1 2 x\n1 Q0 b 2 1 x\n2 Q0 b 1 1 x\n")
        (path.parent / "groups.csv").write_text("docno,group\na,P\nb,C\n")
    pages = [report([path], QRELS, MEASURES, groups=str(path.parent / "groups.csv"),
                    progress=False).html for path in files]
    assert pages[0] == pages[1]
    assert str(tmp_path) not in pages[0]


HASHED = """
import hashlib, pandas as pd
from pt_fairness import report
qrels = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "label": 1, "iteration": ["P", "C"]})
run = pd.DataFrame({"qid": "1", "docno": ["a", "b"], "score": [2.0, 1.0]})
page = report({"x": run, "y": run}, qrels, ["nDCG@2", "rKL@2", "AWRF@2"], baseline=0,
              progress=False)
print(hashlib.sha256(page.html.encode()).hexdigest())
"""


@pytest.mark.exhaustive
def test_the_bytes_do_not_depend_on_the_hash_seed():
    shown = [subprocess.run([sys.executable, "-W", "ignore", "-c", HASHED], text=True, check=True,
                            env={"PYTHONHASHSEED": seed}, capture_output=True).stdout
             for seed in ("1", "2")]
    assert shown[0] == shown[1] != ""


def test_nothing_is_loaded_and_what_comes_from_runs_and_qrels_is_escaped(made):
    page = made.report.html
    tags = Tags(page).tags
    assert [tag for tag, _ in tags].count("script") == 2
    assert not [tag for tag, _ in tags if tag in ("b", "img")]
    assert "alert(1)</script>" not in page and "<b>" not in page
    block = page.partition('id="data">')[2].partition("</script>")[0]
    assert not set("<>&'") & set(block)
    assert not {tag for tag, _ in tags} & {"link", "img", "iframe", "object", "embed", "audio"}
    for tag, attributes in tags:
        assert "src" not in attributes
        assert tag != "a" or attributes["href"].startswith("#")
        assert not any(name.startswith("on") for name in attributes)
    script = page.rpartition("<script>")[2]
    style = page.partition("</style>")[0]
    assert "http" not in script.replace("http://www.w3.org/2000/svg", "")
    assert "http" not in style.replace('http-equiv="Content-Security-Policy"', "")
    assert "url(" not in style and "@import" not in style
    # The DOIs of the BibTeX entries and the links of papers are text.
    policy = next(a["content"] for tag, a in tags if a.get("http-equiv"))
    assert policy.startswith("default-src 'none'; ") and "script-src 'sha256-" in policy


def test_the_parts_of_the_page_are_attributes(made):
    parts = Tags(made.report.html).texts
    for part in (made.report.paragraph, made.report.latex, made.report.bibtex):
        assert part in parts
    assert made.report.paragraph.startswith("We evaluate 4 systems on 6 topics. ")
    assert made.report.latex.count("\\cite{") == made.report.latex.count("\\cite")
    assert made.report.bibtex.startswith("@")
    columns = made.averages.columns
    pd.testing.assert_frame_equal(made.report.table[columns].head(4), made.averages)


def test_without_a_baseline_and_intervals_there_is_no_switch():
    qrels = QRELS.drop(columns="iteration")  # there are no groups, either
    page = report({"x": RUN}, qrels, ["nDCG@2"], progress=False).html
    assert 'id="detailed"' not in page and 'id="shown"' not in page and "t-test" not in page
    data = data_of(page)
    assert data["sources"] == [] and data["baseline"] is None
    assert data["measures"][0]["source"] is None
    page = report({"x": RUN}, QRELS, MEASURES, confidence=0.9, progress=False).html
    assert 'checked> intervals</label>' in page and 'id="shown"' not in page
    page = report({"x": RUN, "y": RUN}, QRELS, MEASURES, baseline=0, progress=False).html
    assert 'checked> p-values</label>' in page and 'id="shown"' in page


def test_save_and_notebook(made, tmp_path):
    path = tmp_path / "page.html"
    made.report.save(path)
    assert path.read_bytes() == made.report.html.encode("utf-8")
    (tag, attributes), *others = Tags(made.report._repr_html_()).tags
    assert tag == "iframe" and not others
    assert attributes["srcdoc"] == made.report.html
    assert attributes["sandbox"] == "allow-scripts"
    assert html.unescape(made.report._repr_html_()).count("<!DOCTYPE html>") == 1
    with pytest.raises(OSError, match="no/such/folder"):
        made.report.save("no/such/folder/page.html")


def test_runs_as_integers_ids_and_with_columns_of_ir_measures():
    qrels = QRELS.assign(qid=QRELS["qid"].astype(int))
    run = RUN.rename(columns={"qid": "query_id", "docno": "doc_id"})
    run["query_id"] = run["query_id"].astype(int)
    one = report({"x": run}, qrels, MEASURES, progress=False)
    assert one.html == report({"x": RUN}, QRELS, MEASURES, progress=False).html


def test_topics_without_results_and_documents_without_groups():
    qrels = pd.concat([QRELS, QRELS.assign(qid="3").head(1)])
    run = pd.concat([RUN, RUN.assign(docno="unknown").head(1)])
    data = data_of(report({"x": run}, qrels, MEASURES, progress=False).html)
    assert data["topics"] == ["1", "2", "3"]
    assert data["rankings"][2] == {"docs": [], "labels": [], "sets": [[]], "runs": [[]]}
    where = data["rankings"][0]["docs"].index("unknown")
    assert data["rankings"][0]["sets"][0][where] == -1
    assert data["rankings"][0]["labels"][where] is None


def test_weights_and_several_sources(tmp_path):
    (tmp_path / "weights.csv").write_text("docno,group,weight\na,P,0.25\na,C,0.75\nb,C,1\n")
    measures = ["AWRF@2", f"AWRF(groups='{tmp_path / 'weights.csv'}')@2"]
    data = data_of(report({"x": RUN}, QRELS, measures, progress=False).html)
    assert [one["name"] for one in data["sources"]] == ["the qrels", "weights.csv"]
    assert [[0, 0.75], [1, 0.25]] in data["sources"][1]["sets"]


def test_a_broken_run_is_named(tmp_path):
    (tmp_path / "broken").write_text("1 Q0 a\n")
    with pytest.warns(FairnessWarning, match="1 of 2 runs could not be evaluated"):
        page = report({"x": RUN, "bad": tmp_path / "broken"}, QRELS, MEASURES, progress=False)
    assert list(page.broken) == ["bad"] and data_of(page.html)["runs"] == ["x"]
    assert "Not evaluated because of errors: bad." in page.html


@pytest.mark.parametrize("depth", [0, 101, 2.5, True, "20"])
def test_a_wrong_depth_and_a_pipe(depth, pipe):
    with pytest.raises(ValueError, match=f"depth={depth!r} is not possible"):
        report({"x": RUN}, QRELS, MEASURES, depth=depth, progress=False)
    with pytest.raises(ValueError, match="is a pipe, and a report reads runs twice"):
        report([pipe("run", "1 Q0 a 1 2 x\n")], QRELS, MEASURES, progress=False)


def test_values_in_the_page_are_those_of_the_frames(made):
    data = data_of(made.report.html)
    assert data["runs"] == list(made.runs) and set(data["topics"]) == set(made.qrels["qid"])
    docnos = {docno for one in data["rankings"] for docno in one["docs"]}
    assert docnos <= set(next(iter(made.runs.values()))["docno"])
    names = [one["name"] for one in data["measures"]]
    table = made.perquery.set_index(["measure", "qid", "name"])["value"].sort_index()
    for m, name in enumerate(names):
        for t, qid in enumerate(data["topics"]):
            own = table[name, qid].loc[data["runs"]].to_numpy()
            assert np.array(data["values"][m][t], float) == pytest.approx(own, abs=1e-6)
    averages = made.averages[names].to_numpy()
    assert np.array(data["averages"]) == pytest.approx(averages, rel=1e-11)
