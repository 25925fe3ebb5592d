"""What the report says of targets, ideal values, samples and undefined measures."""

from __future__ import annotations

import json
from html import unescape

import numpy as np
import pandas as pd
import pytest

from pt_fairness import FairnessWarning, groups, report
from pt_fairness.reporting.sections import as_json

pytestmark = pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")

pytest.importorskip("jinja2")

LABELS = ["A", "B", "C", "D"]


@pytest.fixture
def made(registered_groups):
    rng = np.random.default_rng(1)
    docnos = [f"d{i}" for i in range(12)]
    for name in ("a", "b"):
        known = {docno: str(rng.choice(LABELS)) for docno in docnos[:9]}
        registered_groups(name, lambda known=known, name=name: groups.from_mapping(
            known, name=name))
    registered_groups("few", lambda: groups.from_mapping({"d11": "A", "x": "B"}, name="few"))
    qrels = pd.DataFrame([(qid, docno, int(rng.integers(0, 3))) for qid in "123"
                          for docno in docnos[:10]], columns=["qid", "docno", "label"])
    qrels.loc[qrels["docno"] == "d0", "label"] = 1
    run = pd.DataFrame([(qid, docno, rng.random()) for qid in "123" for docno in docnos],
                       columns=["qid", "docno", "score"])
    return run, qrels


def shown(run, qrels, measures, **options):
    return report({"one": run}, qrels, measures, progress=False, **options).html


def data_of(html):
    return json.loads(html.partition('id="data">')[2].partition("</script>")[0])


def test_a_measure_without_a_largest_value_has_no_fair_value(made):
    html = shown(*made, ["FaiRR(values={'A':1,'B':0.5})@5", "EER@5", "AWRF@5"], groups="a")
    assert "A document of m groups counts 1/m towards each." in html
    assert "have weights" not in paragraph_of(html)
    assert html.count(", where more is fairer. ") == 2 * 2  # in the paragraph and in its LaTeX
    assert html.count("↑ more is fairer</span>") == 2
    assert [one["fair"] for one in data_of(html)["measures"]] == [None, None, 1.0]


def test_each_source_of_a_composed_measure_is_named(made):
    html = shown(*made, ["GFR(attributes={'a':'jsd','b':'jsd'})@5", "rKL(groups='a')@5"])
    for name in "ab":
        assert f"are those of {name} (" in html
    # Documents without a group count evenly in GFR.
    assert [one["even"] for one in data_of(html)["measures"]] == [True, False]
    assert "@5: target: the distribution of the groups in the relevant" in unescape(html)
    assert "per topic; the others count as one." in html
    assert "are to their targets, for a (equal shares) and b (equal shares). " in html
    assert "a: target: equal shares of all groups; b: target" in html


def paragraph_of(html):
    return html.partition('<p id="paragraph">')[2].partition("</p>")[0]


def test_the_share_of_annotated_documents_is_that_within_the_cutoff(made):
    _, qrels = made
    known = {f"d{i}": "A" if i % 2 else "B" for i in range(4)}
    ranked = pd.DataFrame([(qid, f"d{i}", -i) for qid in "123" for i in range(12)],
                          columns=["qid", "docno", "score"])
    last = ranked.assign(score=-ranked["score"])
    page = report({"first": ranked, "last": last}, qrels, ["AWRF@5", "NDKL@10", "nDCG@3"],
                  groups=groups.from_mapping(known, name="few"), progress=False)
    assert ("On average over the topics, 0.0% (last) to 80.0% (first) of the first 5 documents of "
            "a ranking have a group of few. On average over the topics, 20.0% (last) to 40.0% "
            "(first) of the first 10 documents of a ranking have a group of few.") in page.paragraph
    assert "first 20 documents" not in page.paragraph
    page = report({"first": ranked}, qrels, ["AWRF@3"], groups=groups.from_mapping(known),
                  progress=False)
    assert "All of the first 3 documents of a ranking have a group of" in page.paragraph


def test_weights_of_groups_are_named(made):
    frame = pd.DataFrame({"docno": ["d0", "d0", "d1"], "group": list("ABA"),
                          "weight": [0.25, 0.75, 1.0]})
    html = shown(*made, ["AWRF@5"], groups=groups.from_frame(frame, name="soft"))
    assert "The groups of soft have weights: a document counts towards each" in paragraph_of(html)
    assert "A document of m groups counts 1/m towards each." not in html


def test_targets_that_do_not_count_are_not_named(made):
    html = shown(*made, ["EEL@5"])
    assert "distribution of the groups" not in html and "target=" not in html
    html = shown(*made, ["FAIR(p=0.9)@5", "PreF(p=0.9)@5", "EEL(by='group')@5"], groups="a")
    assert "its share among" not in html and "is from that under ideal rankings" in html
    assert html.count("where its share 0.9 is fair") == 2 * 2  # also in LaTeX
    assert data_of(html)["targets"] == [None] * 3
    assert "EEL(by=&#39;group&#39;)@5: target: the exposure of the groups under ideal" in html
    html = shown(*made, ["FAIR@5"], groups="a")
    assert "where its share among the relevant documents is fair" in html
    assert data_of(html)["targets"][0] is not None


def test_values_of_samples_are_means(made):
    run, qrels = made
    several = pd.concat([run.assign(iteration="1"), run.assign(iteration="2", score=-run["score"])])
    html = shown(several, qrels, ["AWRF@5"], groups="a")
    data = data_of(html)
    best = run[run["qid"] == "1"].sort_values("score", ascending=False)["docno"]
    ranking = data["rankings"][0]
    assert [ranking["docs"][i] for i in ranking["runs"][0]] == [*best], "the first is shown"
    assert data["measures"][0]["explained"] is None and "several rankings" in html
    says = "Where a system has several rankings of a topic, its value is their mean."
    assert html.count(says) == 3  # below the table, in the paragraph and in its LaTeX
    assert says not in shown(run, qrels, ["AWRF@5"], groups="a")


def test_a_warning_on_a_file_is_given_once(made, tmp_path):
    run, qrels = made
    lines = pd.concat([run.assign(q0="Q0"), run.assign(q0="Q1", score=-run["score"])])
    lines.assign(rank=0, tag="x")[["qid", "q0", "docno", "rank", "score", "tag"]].to_csv(
        tmp_path / "x.run", sep=" ", header=False, index=False)
    with pytest.warns(FairnessWarning) as given:
        report(tmp_path / "x.run", qrels, ["AWRF@5"], groups="a", progress=False)
    assert sum("was read as 2 samples" in str(one.message) for one in given) == 1


def test_an_undefined_measure_has_no_average(made):
    run, qrels = made
    html = shown(run, qrels, ["nDCG@5", "rND@5"], groups="few")
    assert ("rND@5 is undefined for 3 of 3 topics (no relevant document, such as 'd0', has a group "
            "in Groups('few', ['A', 'B'])); there is no average.").replace("'", "&#39;") in html
    assert 'data-value=""><span class="value">–' in html and "counts in the average" not in html
    assert data_of(html)["averages"][0][1] is None


def test_signed_measures_are_different_and_not_better(made):
    _, qrels = made
    rng = np.random.default_rng(5)
    measure = "BiasP(pro='A',con='B')@3"
    known = {f"d{i}": "A" if i < 3 else "B" for i in range(6)}
    qrels = pd.concat([qrels.assign(qid=str(i)) for i in range(8)])
    qrels = qrels.drop_duplicates(["qid", "docno"]).assign(label=1)
    runs = {}
    for name, first in (("pro", ["d0", "d1", "d2"]), ("con", ["d3", "d4", "d5"])):
        runs[name] = pd.DataFrame(
            [(str(i), docno, float(docno in first) + 0.9 * rng.random() * (docno != first[0]))
             for i in range(8) for docno in known], columns=["qid", "docno", "score"])
    page = report(runs, qrels, [measure], groups=groups.from_mapping(known), baseline=0,
                  progress=False).html
    assert '<span class="mark" aria-hidden="true">≠</span>' in page
    assert "significantly different from the baseline" in page
    assert '<span class="mark" aria-hidden="true">▲</span>' not in page


def test_numbers_at_ranks_are_left_out_by_size(monkeypatch):
    qrels = pd.DataFrame({"qid": ["1", "1", "2", "2"], "docno": list("abab"), "label": 1,
                          "iteration": list("PCPC")})
    run = pd.DataFrame({"qid": ["1", "1", "2"], "docno": list("abb"), "score": [2.0, 1.0, 1.0]})
    page = shown(run, qrels, ["nDCG@2", "AWRF@2"])
    whole = data_of(page)
    assert [one["explained"] for one in whole["measures"]] == ["contribution", "value so far"]
    notes = {name: whole[name] for name in ("measures", "steps")}
    # There is room for the numbers of the first measure, and not for those of both.
    room = len(page.encode()) - len(as_json(notes)) + 20_000 + len(as_json(whole["steps"][0])) + 8
    monkeypatch.setattr("pt_fairness.reporting.document.MOST_BYTES", room)
    data = data_of(shown(run, qrels, ["nDCG@2", "AWRF@2"]))
    assert [one["explained"] for one in data["measures"]] == ["contribution", None]
    assert "because of their size" in data["measures"][1]["note"]
    assert data["steps"][1] is None and whole["steps"][0] == data["steps"][0]
    # With seven decimals, as whole numbers: nDCG@2 is 1 for the documents a and b of topic 1.
    assert data["steps"][0] == [[6131472, 3868528], [6131472]]
