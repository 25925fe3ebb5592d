"""The answer of the report: its numbers, their links, and what it says is not established."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pyterrier as pt
import pytest

from pt_fairness import FairnessWarning, analysis, evaluate, groups, report, rerank

pytestmark = pytest.mark.filterwarnings("ignore::pt_fairness.FairnessWarning")

pytest.importorskip("jinja2")

FAIR = ["rKL@5", "AWRF@5", "BiasP(pro='A',con='B')@5"]
VOID = {"meta", "link", "br", "wbr", "input", "img"}


class Page(HTMLParser):
    """The text of each element with an id, and the links of the answer with their texts."""

    def __init__(self, html):
        super().__init__()
        self.open, self.texts, self.links, self.lines = [], {}, [], []
        self.feed(html)
        self.answer = " ".join(self.texts["answer"].split())

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag in VOID:
            return
        self.open.append((tag, attributes.get("id")))
        if "id" in attributes:
            assert attributes["id"] not in self.texts, "two elements have one id"
            self.texts[attributes["id"]] = ""
        if self.inside("answer") and tag == "a":
            in_line = "li" in [tag for tag, _ in self.open]
            self.links.append([in_line, attributes["href"], ""])
        if self.inside("answer") and tag == "li":
            self.lines.append("")

    def inside(self, element):
        return element in [name for _, name in self.open]

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        for tag, name in self.open:
            if name is not None:
                self.texts[name] += data
            if self.inside("answer") and tag == "a":
                self.links[-1][2] += data
            if self.inside("answer") and tag == "li":
                self.lines[-1] += data


def data(topics=9, systems=("one", "two & <b>", "three"), seed=4):
    rng = np.random.default_rng(seed)
    docnos = [f"d{i:02}" for i in range(20)]
    qids = [str(i) for i in range(topics)]
    qrels = pd.DataFrame([(qid, docno, int(rng.integers(0, 3))) for qid in qids
                          for docno in docnos], columns=["qid", "docno", "label"])
    known = {docno: "A" if i % 3 else "B" for i, docno in enumerate(docnos[:16])}
    runs = {}
    for place, system in enumerate(systems):
        scores = qrels["label"] * (3 - place) + 4 * rng.random(len(qrels))
        sides = qrels["docno"].map(known).eq("B")
        runs[system] = qrels[["qid", "docno"]].assign(score=scores + place * sides)
    return runs, qrels, groups.from_mapping(known, name="sides & more")


def made(runs, qrels, measures, **options):
    return Page(report(runs, qrels, measures, progress=False, **options).html)


def check_links(page):
    """Each link leads to what exists and shows the same."""
    assert page.links
    for _, target, text in page.links:
        shown = page.texts[target.removeprefix("#")]
        for part in re.findall(r"[−.\d]*\d%?|\[.*?\]", text):
            assert part in shown, (target, text, shown)


def short(p):
    return f"{p:.3f}".removeprefix("0") if p >= 0.001 else "< .001"


@pytest.mark.parametrize("seed, options", [(4, {}), (5, {"confidence": 0.9, "seed": 3})])
def test_the_numbers_of_the_answer_are_those_of_the_public_functions(seed, options):
    runs, qrels, source = data(seed=seed)
    measures = ["nDCG@5", *FAIR]
    page = made(runs, qrels, measures, groups=source, baseline="one", **options)
    averages = evaluate(runs, qrels, measures, groups=source, baseline="one", perquery=False,
                        progress=False, **options).set_index("name")
    systems = list(runs)

    def cell(system, measure, interval=False):
        value = f"{averages.loc[system, measure]:.4f}".replace("-", "−")
        if interval and "confidence" in options:
            ends = [f"{averages.loc[system, f'{measure} {end}']:.4f}" for end in ("low", "high")]
            value += f" [{', '.join(ends)}]".replace("-", "−")
        return f"#s{systems.index(system)}-m{measures.index(measure)}", value

    def p_value(system, measure):
        p = short(averages.loc[system, f"{measure} p-value corrected"])
        return cell(system, measure)[0], f"corrected p = {p}".replace("= <", "<")

    ends = {"rKL@5": 0, "AWRF@5": 1, FAIR[2]: 0}
    fairest = {measure: (averages[measure] - end).abs().idxmin() for measure, end in ends.items()}
    expected = [cell(system, measure, True) for measure, system in fairest.items()]
    for measure, system in fairest.items():
        if system != "one":
            expected += [cell("one", measure), p_value(system, measure)]
    for system in dict.fromkeys(fairest.values()):
        expected.append(cell(system, "nDCG@5"))
        if system != averages["nDCG@5"].idxmax():
            expected.append(cell(averages["nDCG@5"].idxmax(), "nDCG@5"))
        if system != "one":
            expected += [cell("one", "nDCG@5"), p_value(system, "nDCG@5")]
    for measure, system in fairest.items():
        order = analysis.against_random({system: runs[system]}, qrels, measure, source,
                                        seed=options.get("seed", 0), progress=False).iloc[0]
        side = "fairer" if order["fairer"] < 0.5 else "less fair"
        outcome = f"its order is {side} by" if order["p"] < 0.05 else "no difference was found by"
        by_chance = page.answer.partition("that it returned: ")[2].split("; ")
        assert next(text for text in by_chance if measure[:5] in text).startswith(outcome)
        texts = [f"{order['fairer']:.1%}", short(order["p"])]
        places = [place for place in range(3) if page.texts[f"random-{place}-1"] == measure]
        expected += [(f"#random-{places[0]}-{column}", text)
                     for column, text in zip((5, 6), texts, strict=True)]
    links = [(target, text) for in_line, target, text in page.links if not in_line]
    assert sorted(links) == sorted(expected)
    check_links(page)
    for system in dict.fromkeys(fairest.values()):
        assert f"{system} is the fairest system by" in page.answer
    disagree = len(set(fairest.values())) > 1
    assert ("The measures of fairness disagree." in page.answer) == disagree


def test_without_a_baseline_nothing_is_said_to_differ():
    runs, qrels, source = data()
    page = made(runs, qrels, ["nDCG@5", *FAIR], groups=source)
    check_links(page)
    assert not re.search("significant|baseline", page.texts["answer"].partition("not est")[0])
    assert any("there is no baseline" in line for line in page.lines)


def test_one_system_is_not_called_the_fairest():
    runs, qrels, source = data(systems=("alone",))
    page = made(runs, qrels, FAIR, groups=source, baseline=0)
    check_links(page)
    assert "alone is the only system, with rKL@5 (" in page.answer
    assert "fairest system by" not in page.answer and "significant" not in page.answer
    assert any("there is one system" in line for line in page.lines)
    # No measure of relevance, either.
    assert any(line.startswith("What fairness costs in relevance") for line in page.lines)


@pytest.mark.first(1)
@pytest.mark.parametrize("topics", [1, 6])
def test_too_few_topics_have_no_significant_difference(topics):
    runs, qrels, source = data(topics)
    page = made(runs, qrels, ["nDCG@5", *FAIR], groups=source, baseline="three")
    check_links(page)
    assert ("significantly" in page.answer) <= (topics == 6)
    few = [line for line in page.lines if line.startswith("With fewer than six topics")]
    assert len(few) == (topics < 6)
    assert f"averages over {topics} topic{'s' * (topics > 1)}." in page.answer
    assert page.answer.count("no p-value") >= (topics == 1)


def test_measures_that_disagree():
    _, qrels, source = data()
    # All relevant documents are of A.
    qrels = qrels[qrels["docno"].map(lambda docno: int(docno[1:]) % 3 > 0)
                  | qrels["label"].eq(0)]
    sides = qrels["docno"].map(lambda docno: int(docno[1:]) % 3)
    of_a = qrels[["qid", "docno"]].assign(score=sides.gt(0) + qrels["label"] / 10)
    mixed = qrels[["qid", "docno"]].assign(score=(qrels["docno"].str[1:].astype(int) % 6) / 6)
    target = ["DistKL(target='qrels')@6", "DistKL@6"]
    page = made({"sided": of_a, "mixed": mixed}, qrels, target, groups=source)
    check_links(page)
    assert "The measures of fairness disagree. sided is the fairest system by" in page.answer
    assert "mixed is the fairest system by DistKL@6 (" in page.answer
    assert "its order is fairer by DistKL(target='qrels')@6 (0.0% of the orders" in page.answer


def test_equal_systems_are_equal():
    runs, qrels, source = data()
    page = made(dict.fromkeys("xyz", runs["one"]), qrels, ["rKL@5", "nDCG@5"], groups=source,
                baseline=0)
    check_links(page)
    assert "x, y and z are the fairest systems, and equal, by rKL@5" in page.answer
    assert "the baseline is the fairest, or one of them, by rKL@5" in page.answer
    for system in "xyz":  # what each of the equal systems costs
        assert f"{system} has nDCG@5" in page.answer


def test_measures_that_are_not_of_fairness():
    runs, qrels, source = data()
    page = made(runs, qrels, ["nDCG@5", "Annotated@5", "EED@5", "MRecall@5"], groups=source)
    assert "no system is called the fairest" in page.answer and "random" not in page.texts
    assert page.links == []


def test_undefined_topics_and_documents_without_a_group():
    runs, qrels, _ = data(systems=("one", "two"))
    source = groups.from_mapping({"d00": "A", "d01": "B", "d03": "A"}, name="few")
    qrels.loc[qrels["qid"].eq("3"), "label"] = 0
    for undefined in ("count", "drop"):
        page = made(runs, qrels, ["nDCG@5", "rKL@5", "AWRF@5"], groups=source, baseline=0,
                    undefined=undefined)
        check_links(page)
        (line,) = [line for line in page.lines if line.startswith("rKL@5 is undefined for")]
        assert ("left out of the average" in line) == (undefined == "drop")
        (line,) = [line for line in page.lines if "have a group of few" in line]
        assert line.split(": ", 1)[1] in page.texts["paragraph"]


def test_labels_of_a_model_and_a_run_that_fails(tmp_path):
    runs, qrels, source = data()
    people = groups.from_mapping({f"d{i:02}": "A" if i % 2 else "B" for i in range(9)}, name="few")
    both = groups.model_labels(source, people)
    (tmp_path / "broken.run").write_text("1 Q0\n")
    page = made({**runs, "broken": tmp_path / "broken.run"}, qrels, ["rKL@5"], groups=both)
    check_links(page)
    assert any(line.startswith("How fair broken is") for line in page.lines)
    assert any("have that of a model" in line for line in page.lines)
    assert ("fairest? The values of rKL@5 are by the labels of a model, and not corrected for its "
            "errors. ") in page.answer


def test_warnings_of_uncertain_labels_are_on_the_page():
    runs, qrels, source = data()
    people = groups.from_mapping({f"d{i:02}": "A" if i % 2 else "B" for i in range(9)}, name="few")
    with pytest.warns(FairnessWarning) as issued:
        page = made(runs, qrels, ["rKL@5"], groups=groups.model_labels(source, people), uncertain=4)
    section = " ".join(page.texts["uncertain"].split())
    texts = [str(message.message) for message in issued]
    shown = [text for text in texts if f"Warning: {text}." in section]
    assert len(shown) == section.count("Warning: ") >= 2
    assert any("n_eff" in text for text in shown) and any("agree little" in text for text in shown)


def test_a_pipeline_that_knows_the_labels():
    runs, qrels, source = data()
    topics = qrels[["qid"]].drop_duplicates().assign(query="x")
    first = pt.Transformer.from_df(pt.model.add_ranks(runs["one"]))
    systems = {"first": first, "re-ranked": first >> rerank.xquad(source)}
    page = made(systems, qrels, ["nDCG@5", "rKL@5"], topics=topics, groups=source)
    check_links(page)
    (line,) = [line for line in page.lines if "oracle" in line]
    assert "re-ranked" in line and "first" not in line
